/* Which blocks dominate which, and the loops. Computed on demand; void after a change to the
 * blocks. */
#ifndef NORN_IR_DOMINANCE_H
#define NORN_IR_DOMINANCE_H

#include "ir/ir.h"

/* Arrays over blocks are indexed by block number; unreachable blocks have NORN_INDEX_NONE in all of
 * them but loop_depth, where they have 0. */
typedef struct NornDominance {
  uint32_t *order; /* the reachable blocks in reverse postorder, the entry first */
  uint32_t order_count;
  uint32_t *position;          /* where a block is in the order */
  uint32_t *idom;              /* immediate dominator; of the entry: itself */
  uint32_t *enter, *leave;     /* interval of the block's subtree in a walk of the dominator tree */
  uint32_t *predecessor_first; /* block_count + 1 entries: into predecessors */
  uint32_t *predecessors;      /* reachable ones, one entry for each edge */
  uint32_t
      *loop_header; /* of the innermost natural loop around the block (a header is in its own) */
  uint32_t *loop_parent; /* of a header: the header of the loop around its own */
  uint32_t *loop_depth;  /* 0 outside of loops */
} NornDominance;

NornDominance *norn_dominance_new(const NornFunction *function);
void norn_dominance_free(NornDominance *dominance);

/* Whether every path from the entry to b goes through a (a block dominates itself). Both are
 * reachable. */
static inline bool
norn_dominates(const NornDominance *dominance, uint32_t a, uint32_t b) {
  return dominance->enter[a] <= dominance->enter[b] && dominance->leave[b] <= dominance->leave[a];
}

#endif
