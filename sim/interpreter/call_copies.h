/* The size of a module in which each call is a copy of the called function. */
#ifndef NORN_SIM_INTERPRETER_CALL_COPIES_H
#define NORN_SIM_INTERPRETER_CALL_COPIES_H

#include "ir/ir.h"

/* The number of instructions of a verified module's program, counting a function as often as it
 * is copied; UINT64_MAX: too many to count. */
uint64_t norn_count_with_calls(const NornModule *module);

#endif
