/* Bringing register pressure down; see spill.c. */
#ifndef NORN_PASSES_REGALLOC_SPILL_H
#define NORN_PASSES_REGALLOC_SPILL_H

#include "passes/pass.h"

/* Keeps values in at most `limit` registers of each class (as norn_pressure_of counts them) at any
 * point, the others in thread-local memory. The function must have been through norn_prepare_edges.
 * False with `error` set if an instruction alone needs more. */
bool norn_spill(NornPassContext *context, NornFunction *function, NornRegisterCounts limit,
                GError **error);

#endif
