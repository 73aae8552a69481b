/* Parameters of a block and the arguments that edges pass for them, changed together. */
#ifndef NORN_PASSES_BLOCK_PARAMETERS_H
#define NORN_PASSES_BLOCK_PARAMETERS_H

#include "ir/analysis/dominance.h"
#include "ir/arena.h"
#include "ir/ir.h"

/* Examines an edge, or changes its arguments. */
typedef void (*NornVisitEdge)(void *data, uint32_t terminator, const NornEdge *edge);

/* Calls `visit` for each edge into the block. `dominance` must know the edges. */
void norn_for_each_edge_into(const NornFunction *function, const NornDominance *dominance,
                             uint32_t block, NornVisitEdge visit, void *data);

/* Changes to the parameters of a block. */
typedef struct NornParameterChange {
  NornIndexList removed; /* numbers of those to remove, ascending; unused afterward */
  NornIndexList added;   /* values to append as parameters, from norn_parameter_create */
} NornParameterChange;

/* Fills in the arguments that an edge, which still has all of its old ones, passes for the new
 * parameters. */
typedef void (*NornMakeArguments)(void *data, uint32_t terminator, const NornEdge *edge,
                                  NornRef *arguments);

/* Removes parameters of a block and appends others, with their arguments on every edge. There must
 * be no unreachable blocks: `dominance` does not know their edges. */
void norn_block_change_parameters(NornFunction *function, const NornDominance *dominance,
                                  NornArena *arena, uint32_t block,
                                  const NornParameterChange *change, NornMakeArguments make,
                                  void *data);

/* Removes every parameter for whose value `keep` is false, in all blocks, with its arguments. */
void norn_keep_parameters(NornFunction *function, const bool *keep);

#endif
