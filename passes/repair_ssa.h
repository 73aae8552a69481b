/* Making a function SSA again; see repair_ssa.c. */
#ifndef NORN_PASSES_REPAIR_SSA_H
#define NORN_PASSES_REPAIR_SSA_H

#include "ir/analysis/dominance.h"
#include "ir/arena.h"
#include "ir/arrays.h"

struct NornRegisterState;

/* Replaces each use of a value v with names (values n for which root[n] is v) by the name that
 * reaches it. root has an element for each value of the function; values from `first_name` on are
 * the new ones. `dominance` is that of the function: no block has come or gone. entry (nullable)
 * tells the register that a new parameter is in. */
void norn_repair_ssa(NornArena *arena, NornFunction *function, const NornDominance *dominance,
                     const uint32_t *root, uint32_t first_name,
                     const struct NornRegisterState *entry);

/* Gives the values up to `count` that the list lacks themselves as their roots. */
void norn_grow_roots(NornArena *arena, NornIndexList *root, uint32_t count);

#endif
