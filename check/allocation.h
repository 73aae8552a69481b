/* Proving that a register allocation is correct; see allocation.c. */
#ifndef NORN_CHECK_ALLOCATION_H
#define NORN_CHECK_ALLOCATION_H

#include "passes/target.h"

/* Whether the function, now with registers, computes what `before`, a copy of it on SSA values,
 * computed: every operand finds its value in its registers on every path. False with `error` set
 * (NORN_ERROR_INVALID) if not. */
bool norn_check_allocation(const NornTarget *target, const NornFunction *function,
                           const NornFunction *before, GError **error);

#endif
