/* Where the lanes of a subgroup reconverge: the loop forest of an arbitrary CFG and an order of its
 * blocks. doc/ir.md ("Convergence") has the definition.
 *
 * Every lane waits at a key. The lanes at the lowest key run next, together: they are the
 * convergent set that barriers and subgroup operations see. Keys follow the control flow, so
 * diverged lanes reconverge at the first block that all of them reach: a block's key is greater
 * than the keys of all blocks that lead to it (except by a back edge), the blocks of a loop have
 * consecutive keys, and a lane that takes a back edge waits at the loop's last key until all others
 * have finished the iteration or left the loop. The header of a loop with several entries is the
 * preferred one of them. */
#ifndef NORN_IR_ANALYSIS_CONVERGENCE_H
#define NORN_IR_ANALYSIS_CONVERGENCE_H

#include "ir/analysis/depth_first.h"
#include "ir/ir.h"

#define NORN_KEY_NONE UINT32_MAX

/* Arrays by node hold NORN_KEY_NONE for unreachable nodes. */
typedef struct NornConvergence {
  uint32_t key_count;
  uint32_t *node_of_key;  /* by key; the last key of a loop stands for the loop's header */
  uint32_t *key_of_node;  /* by node */
  uint32_t *end_of_node;  /* by node: the last key of the loop that it heads, or NORN_KEY_NONE */
  uint32_t *loop_of_node; /* by node: the header of the innermost loop around it (a header is in its
                             own loop); NORN_KEY_NONE outside of loops */
  uint32_t *parent_of_loop; /* by header: the header of the next outer loop, or NORN_KEY_NONE */
  uint32_t *rank_of_entry;  /* by node: the value required of norn_loop_rank(); 0 if it is not an
                               entry of a loop */
} NornConvergence;

/* Orders a graph. The header of a loop is its entry with the least preference (`preference` is by
 * node). Returns false, with *node in one of them, if loops with several entries are nested too
 * deeply. The arrays live in the arena. */
bool norn_convergence_init(NornArena *arena, NornConvergence *convergence,
                           const NornFlowGraph *graph, const uint64_t *preference, uint32_t *node);

/* Does the same for the blocks of a function. */
bool norn_convergence_of_function(NornArena *arena, NornConvergence *convergence,
                                  const NornFunction *function, GError **error);

/* The operand of the block's loop_entry; 0 if it has none. */
uint32_t norn_loop_rank(const NornFunction *function, uint32_t block);

/* The immediates of the block's loop_entry; 0 if it has none. */
typedef struct NornLoopHints {
  unsigned iterations;
  bool is_rest;
  NornUnroll unroll;
} NornLoopHints;
NornLoopHints norn_loop_hints(const NornFunction *function, uint32_t block);

/* The preference of the block at `position` in the text of its function. */
uint64_t norn_entry_preference(const NornFunction *function, uint32_t block, uint32_t position);

/* The target of a block that only jumps there and whose predecessors may as well jump there
 * directly, without changing where lanes reconverge; else NORN_INDEX_NONE. An entry of a loop is
 * never bypassed, since it contains a loop_entry. */
uint32_t norn_bypass_target(const NornFunction *function, uint32_t block);

/* The loops in which lanes need not stay together, by header: those with a branch that may diverge
 * and those that lanes may enter at several blocks. Lives in the arena. Divergent branches must
 * already be marked. */
bool *norn_divergent_loops(NornArena *arena, const NornConvergence *convergence,
                           const NornFunction *function);

/* Whether any instruction of the block depends on which lanes execute it. */
bool norn_block_is_convergent(const NornFunction *function, uint32_t block);

/* Whether lanes reconverge in all convergent blocks as they did before edges that no lane takes
 * were removed: the blocks are in the same loops, except for loops that no longer exist, and the
 * same edges are back edges. `function` is the version after the removal. */
bool norn_reconverges_alike(NornArena *arena, const NornFunction *function,
                            const NornConvergence *before, const NornConvergence *after);

/* The message for loops that are nested too deeply. */
#define NORN_LOOPS_TOO_DEEP "loops with several entries are nested too deeply"

/* Whether the block is in the loop with that header; false if it is not a header. */
static inline bool
norn_is_in_loop(const NornConvergence *convergence, uint32_t header, uint32_t block) {
  uint32_t start = convergence->key_of_node[header], end = convergence->end_of_node[header];
  uint32_t key = convergence->key_of_node[block];
  return end != NORN_KEY_NONE && key >= start && key < end;
}

static inline bool
norn_is_back_edge(const NornConvergence *convergence, uint32_t from, uint32_t to) {
  return norn_is_in_loop(convergence, to, from);
}

/* The key at which a lane waits after taking the edge. */
static inline uint32_t
norn_convergence_edge_key(const NornConvergence *convergence, uint32_t from, uint32_t to) {
  return norn_is_back_edge(convergence, from, to) ? convergence->end_of_node[to]
                                                  : convergence->key_of_node[to];
}

#endif
