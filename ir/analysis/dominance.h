/* Control flow between blocks: order, edges, dominance, loops. Computed on demand and invalidated
 * by any change to the blocks. */
#ifndef NORN_IR_ANALYSIS_DOMINANCE_H
#define NORN_IR_ANALYSIS_DOMINANCE_H

#include "ir/analysis/depth_first.h"
#include "ir/arena.h"
#include "ir/ir.h"

/* Arrays over blocks are indexed by block number. In the arrays for order, dominance and loops,
 * unreachable blocks have NORN_INDEX_NONE, or 0 in loop_depth. Edges are listed individually, so a
 * block may occur twice. */
typedef struct NornDominance {
  uint32_t block_count;
  uint32_t *order; /* the reachable blocks in reverse postorder, the entry first */
  uint32_t order_count;
  uint32_t *position;          /* index of a block in the order */
  uint32_t *idom;              /* immediate dominator; the entry is its own */
  uint32_t *enter, *leave;     /* interval of the block's subtree in a walk of the dominator tree */
  uint32_t *successor_first;   /* block_count + 1 indexes into successors */
  uint32_t *successors;        /* including those of unreachable blocks */
  uint32_t *predecessor_first; /* block_count + 1 indexes into predecessors */
  uint32_t *predecessors;      /* reachable ones only */
  uint32_t *loop_header; /* of the innermost loop around the block (a header is in its own loop) */
  uint32_t *loop_parent; /* of a header: the header of the next outer loop */
  uint32_t *loop_depth;  /* 0 outside of loops */
} NornDominance;

/* Every edge must lead to a block of the function. Lives in the arena. */
NornDominance *norn_dominance_new(NornArena *arena, const NornFunction *function);

/* Whether both describe the same graph of blocks. */
bool norn_dominance_equal(const NornDominance *a, const NornDominance *b);

/* The immediate post-dominator of each block: the first block on all paths from it to an end of the
 * function. NORN_INDEX_NONE if there is no such block or no path to an end. Lives in the arena. */
uint32_t *norn_post_dominators(NornArena *arena, const NornDominance *dominance);

/* The dominance frontier of each block: the blocks that have a predecessor dominated by it but that
 * it does not strictly dominate. Without those that are also in the frontier of a loop header that
 * dominates the block and is itself in the block's iterated frontier: iterated frontiers are what
 * can be reached, whichever blocks in between are of interest. (Whole frontiers grow by the square
 * of the depth of loops in each other.) */
typedef struct NornFrontiers {
  uint32_t *first;  /* block_count + 1 indexes into blocks */
  uint32_t *blocks; /* each frontier in postorder */
} NornFrontiers;

/* The frontiers live in the arena. */
NornFrontiers norn_dominance_frontiers(NornArena *arena, const NornDominance *dominance);

/* Removes the unreachable blocks; returns whether there were any, in which case the dominance is
 * invalid. The arena is used for temporary data. */
bool norn_blocks_remove_unreachable(NornArena *arena, NornFunction *function,
                                    const NornDominance *dominance);

/* Whether there are reachable loops. */
bool norn_has_loops(const NornDominance *dominance);

/* Whether each loop is entered only at its header. */
bool norn_loops_have_one_entry(const NornDominance *dominance);

/* Whether every path from the entry to b goes through a (a block dominates itself). Both must be
 * reachable. */
static inline bool
norn_dominates(const NornDominance *dominance, uint32_t a, uint32_t b) {
  return dominance->enter[a] <= dominance->enter[b] && dominance->leave[b] <= dominance->leave[a];
}

/* The nearest block that dominates both, which must be reachable. */
static inline uint32_t
norn_common_dominator(const NornDominance *dominance, uint32_t a, uint32_t b) {
  while (!norn_dominates(dominance, a, b))
    a = dominance->idom[a];
  return a;
}

/* Whether a block on an edge to `block` would usually have to end in a jump, since `block` has
 * other predecessors. `from` is that block, or the source of the edge. */
bool norn_joins_others(const NornDominance *dominance, uint32_t from, uint32_t block);

static inline uint32_t
norn_successor_count(const NornDominance *dominance, uint32_t block) {
  return dominance->successor_first[block + 1] - dominance->successor_first[block];
}

static inline uint32_t
norn_successor(const NornDominance *dominance, uint32_t block, uint32_t k) {
  return dominance->successors[dominance->successor_first[block] + k];
}

static inline uint32_t
norn_predecessor_count(const NornDominance *dominance, uint32_t block) {
  return dominance->predecessor_first[block + 1] - dominance->predecessor_first[block];
}

static inline uint32_t
norn_predecessor(const NornDominance *dominance, uint32_t block, uint32_t k) {
  return dominance->predecessors[dominance->predecessor_first[block] + k];
}

/* The header of the innermost loop around the block, not counting a loop that the block itself
 * heads, or NORN_INDEX_NONE. */
static inline uint32_t
norn_loop_around(const NornDominance *dominance, uint32_t block) {
  uint32_t header = dominance->loop_header[block];
  return header == block ? dominance->loop_parent[block] : header;
}

/* Whether the block is in the loop with that header. */
static inline bool
norn_loop_contains(const NornDominance *dominance, uint32_t header, uint32_t block) {
  uint32_t around = dominance->loop_header[block];
  while (around != NORN_INDEX_NONE && dominance->loop_depth[around] > dominance->loop_depth[header])
    around = dominance->loop_parent[around];
  return around == header;
}

/* Whether the block is in a loop that does not contain `home`, which may then be executed less
 * often. */
static inline bool
norn_is_in_other_loop(const NornDominance *dominance, uint32_t block, uint32_t home) {
  uint32_t header = dominance->loop_header[block];
  return header != NORN_INDEX_NONE && !norn_loop_contains(dominance, header, home);
}

/* Whether `ref` is a value that the loop defines. */
static inline bool
norn_loop_defines(const NornDominance *dominance, const NornFunction *function, uint32_t header,
                  NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE &&
         norn_loop_contains(dominance, header,
                            norn_defining_block(function, norn_ref_payload(ref)));
}

/* The only block outside the loop with an edge to its header, if it is directly in the same outer
 * loop as the loop itself (or both are in none); else NORN_INDEX_NONE. It may have other
 * successors. */
uint32_t norn_loop_predecessor(const NornDominance *dominance, uint32_t header);

/* The weight of the block by loop depth: 1 outside of loops, eight times more for each loop around
 * it. */
static inline uint64_t
norn_loop_weight(const NornDominance *dominance, uint32_t block) {
  enum { DEEPEST = 8 };
  uint32_t depth = dominance->loop_depth[block];
  return UINT64_C(1) << 3 * (depth < DEEPEST ? depth : DEEPEST);
}

/* The immediate dominators, by node, of any graph that was walked, whose edges into each node come
 * from sources[first[node]] to sources[first[node + 1] - 1]; NORN_INDEX_NONE for the entry and for
 * unreachable nodes. */
void norn_graph_dominators(NornArena *arena, const NornDepthFirst *walk, const uint32_t *first,
                           const uint32_t *sources, uint32_t *idom, uint32_t node_count);

#endif
