/* Parameters of a block with the arguments that edges bring, as passes change them together. */
#ifndef NORN_PASSES_BLOCK_PARAMETERS_H
#define NORN_PASSES_BLOCK_PARAMETERS_H

#include "ir/analysis/dominance.h"
#include "ir/arena.h"
#include "ir/ir.h"

/* Looks at an edge, or changes its arguments. */
typedef void (*NornVisitEdge)(void *data, uint32_t terminator, const NornEdge *edge);

/* Calls `visit` for each edge into the block. Edges must be those that the dominance knows. */
void norn_for_each_edge_into(const NornFunction *function, const NornDominance *dominance,
                             uint32_t block, NornVisitEdge visit, void *data);

/* What becomes of the parameters of a block. */
typedef struct NornParameterChange {
  NornIndexList removed; /* which ones go, in ascending order; nothing uses them in the end */
  NornIndexList added;   /* values that come behind the others, of norn_parameter_create */
} NornParameterChange;

/* Fills in what an edge, which still has all its arguments, brings for the parameters that come. */
typedef void (*NornMakeArguments)(void *data, uint32_t terminator, const NornEdge *edge,
                                  NornRef *arguments);

/* Removes parameters of a block and appends others, with their arguments on every edge. */
void norn_block_change_parameters(NornFunction *function, const NornDominance *dominance,
                                  NornArena *arena, uint32_t block,
                                  const NornParameterChange *change, NornMakeArguments make,
                                  void *data);

/* Drops every parameter of every block for whose value `keep` does not hold, with its arguments. */
void norn_keep_parameters(NornFunction *function, const bool *keep);

#endif
