/* Flow of control between blocks: order, edges, dominance, loops. Computed on demand; void after a
 * change to the blocks. */
#ifndef NORN_IR_ANALYSIS_DOMINANCE_H
#define NORN_IR_ANALYSIS_DOMINANCE_H

#include "ir/arena.h"
#include "ir/ir.h"

/* Arrays over blocks are indexed by block number; unreachable blocks have NORN_INDEX_NONE in those
 * of order, dominance and loops but loop_depth, where they have 0. Edges are listed one by one: a
 * block may occur twice. */
typedef struct NornDominance {
  uint32_t block_count;
  uint32_t *order; /* the reachable blocks in reverse postorder, the entry first */
  uint32_t order_count;
  uint32_t *position;          /* where a block is in the order */
  uint32_t *idom;              /* immediate dominator; of the entry: itself */
  uint32_t *enter, *leave;     /* interval of the block's subtree in a walk of the dominator tree */
  uint32_t *successor_first;   /* block_count + 1 entries: into successors */
  uint32_t *successors;        /* of unreachable blocks too */
  uint32_t *predecessor_first; /* block_count + 1 entries: into predecessors */
  uint32_t *predecessors;      /* reachable ones only */
  uint32_t *loop_header;       /* of the innermost loop around the block (a header is in its own) */
  uint32_t *loop_parent;       /* of a header: the header of the loop around its own */
  uint32_t *loop_depth;        /* 0 outside of loops */
} NornDominance;

/* Every edge must lead to a block of the function. Lives in the arena. */
NornDominance *norn_dominance_new(NornArena *arena, const NornFunction *function);

/* Whether both are of the same graph of blocks. */
bool norn_dominance_equal(const NornDominance *a, const NornDominance *b);

/* The immediate post-dominator of each block: the first one that all paths to an end of the
 * function go through. NORN_INDEX_NONE where there is no such block or no path to an end. Lives in
 * the arena. */
uint32_t *norn_post_dominators(NornArena *arena, const NornDominance *dominance);

/* Of each block the others at which its dominance ends: which have a predecessor that it dominates,
 * and which it does not strictly dominate itself. */
typedef struct NornFrontiers {
  uint32_t *first;  /* block_count + 1 entries: into blocks */
  uint32_t *blocks; /* those of one in reverse postorder */
} NornFrontiers;

/* They live in the arena. */
NornFrontiers norn_dominance_frontiers(NornArena *arena, const NornDominance *dominance);

/* Removes the blocks that the entry does not reach; whether there were any: the dominance counts no
 * more then. The arena is for what is needed meanwhile. */
bool norn_blocks_remove_unreachable(NornArena *arena, NornFunction *function,
                                    const NornDominance *dominance);

/* Whether there are loops that the entry reaches. */
bool norn_has_loops(const NornDominance *dominance);

/* Whether each of them is entered at its header alone. */
bool norn_loops_have_one_entry(const NornDominance *dominance);

/* Whether every path from the entry to b goes through a (a block dominates itself). Both are
 * reachable. */
static inline bool
norn_dominates(const NornDominance *dominance, uint32_t a, uint32_t b) {
  return dominance->enter[a] <= dominance->enter[b] && dominance->leave[b] <= dominance->leave[a];
}

/* The nearest block that dominates both, which are reachable. */
static inline uint32_t
norn_common_dominator(const NornDominance *dominance, uint32_t a, uint32_t b) {
  while (!norn_dominates(dominance, a, b))
    a = dominance->idom[a];
  return a;
}

/* Whether a block at the end of an edge to `block` needs a jump there as a rule, since other paths
 * lead to the block, too: `from` is that block, or where the edge begins. */
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

/* The header of the innermost loop around the block that the block does not head itself, or
 * NORN_INDEX_NONE. */
static inline uint32_t
norn_loop_around(const NornDominance *dominance, uint32_t block) {
  uint32_t header = dominance->loop_header[block];
  return header == block ? dominance->loop_parent[block] : header;
}

/* Whether the block is in the loop that `header` heads. */
static inline bool
norn_loop_contains(const NornDominance *dominance, uint32_t header, uint32_t block) {
  uint32_t around = dominance->loop_header[block];
  while (around != NORN_INDEX_NONE && dominance->loop_depth[around] > dominance->loop_depth[header])
    around = dominance->loop_parent[around];
  return around == header;
}

/* Whether that is a value which the loop defines. */
static inline bool
norn_loop_defines(const NornDominance *dominance, const NornFunction *function, uint32_t header,
                  NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE &&
         norn_loop_contains(dominance, header,
                            norn_defining_block(function, norn_ref_payload(ref)));
}

/* The only block outside of the loop with an edge to its header, if it is in the loop around, or in
 * none, as the loop is; else NORN_INDEX_NONE. It may have other successors. */
uint32_t norn_loop_predecessor(const NornDominance *dominance, uint32_t header);

/* How much something in the block counts, by the loops around it: 1 outside of them, eight times as
 * much in each. */
static inline uint64_t
norn_loop_weight(const NornDominance *dominance, uint32_t block) {
  enum { DEEPEST = 8 };
  uint32_t depth = dominance->loop_depth[block];
  return UINT64_C(1) << 3 * (depth < DEEPEST ? depth : DEEPEST);
}

#endif
