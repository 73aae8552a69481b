/* Restoring SSA form; see repair_ssa.c. */
#ifndef NORN_PASSES_REPAIR_SSA_H
#define NORN_PASSES_REPAIR_SSA_H

#include "ir/analysis/dominance.h"
#include "ir/arena.h"
#include "ir/arrays.h"

struct NornAllocation;

/* Replaces each use of a value v with names (values n for which root[n] is v) by the name that
 * reaches it. root has an element for each value of the function; values from `first_name` on are
 * the new ones. `dominance` must be up to date: no block was added or removed. `allocation`
 * (nullable) tells in which register a new parameter is. */
void norn_repair_ssa(NornArena *arena, NornFunction *function, const NornDominance *dominance,
                     const uint32_t *root, uint32_t first_name,
                     const struct NornAllocation *allocation);

/* Extends the list to `count` values that are their own roots. */
void norn_grow_roots(NornArena *arena, NornIndexList *root, uint32_t count);

#endif
