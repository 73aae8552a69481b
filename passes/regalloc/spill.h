/* Bringing register pressure down; see spill.c. */
#ifndef NORN_PASSES_REGALLOC_SPILL_H
#define NORN_PASSES_REGALLOC_SPILL_H

#include "passes/pass.h"

/* Keeps at most `limit` words of values (as norn_pressure_of counts them) in registers at any
 * point, the others in thread-local memory. The function must have been through norn_prepare_edges.
 * False with `error` set if an instruction alone needs more. */
bool norn_spill(NornPassContext *context, NornFunction *function, unsigned limit, GError **error);

#endif
