/* What a module comes to where each call is a copy of the function that it calls. */
#ifndef NORN_SIM_INTERPRETER_CALL_COPIES_H
#define NORN_SIM_INTERPRETER_CALL_COPIES_H

#include "ir/ir.h"

/* The instructions of a verified module's program, those of a function as often as it is copied;
 * UINT64_MAX: more than can be counted. */
uint64_t norn_count_with_calls(const NornModule *module);

#endif
