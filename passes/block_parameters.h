/* Parameters of a block with the arguments that edges bring, as passes change them together. */
#ifndef NORN_PASSES_BLOCK_PARAMETERS_H
#define NORN_PASSES_BLOCK_PARAMETERS_H

#include "ir/analysis/dominance.h"
#include "ir/ir.h"

/* Looks at an edge, or changes its arguments; false: that is enough. */
typedef bool (*NornVisitEdge)(void *data, uint32_t terminator, const NornEdge *edge);

/* Calls `visit` for each edge into the block; false if that ended it. Edges must be those that the
 * dominance knows. */
bool norn_for_each_edge_into(const NornFunction *function, const NornDominance *dominance,
                             uint32_t block, NornVisitEdge visit, void *data);

/* Appends an argument to an edge. */
void norn_edge_append_argument(NornFunction *function, uint32_t terminator, const NornEdge *edge,
                               NornRef argument);

/* Removes a parameter, which nothing uses any more, and what the edges bring for it. */
void norn_parameter_remove(NornFunction *function, const NornDominance *dominance,
                           uint32_t parameter);

/* The first instruction of a block that others may stand before. */
uint32_t norn_block_body(const NornFunction *function, uint32_t block);

#endif
