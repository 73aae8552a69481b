/* In which order the blocks of a program run for a subgroup whose lanes take different ways.
 *
 * Every lane waits at a key. The lanes at the least key run next, together: they are the convergent
 * set that barriers and subgroup operations see. Keys follow the control flow, so lanes that parted
 * meet again at the first block that all of them reach: a block's key is greater than those of all
 * blocks that lead to it (except by a branch back to the start of a loop), the blocks of a loop
 * have consecutive keys, and a lane that goes back to the start of a loop waits at the loop's last
 * key until all others have finished the round or left. The order of blocks in the text plays no
 * part. A loop with several entries starts at the one that a depth-first walk from the program's
 * entry, following edges in their order, reaches first. */
#ifndef NORN_IR_ANALYSIS_CONVERGENCE_H
#define NORN_IR_ANALYSIS_CONVERGENCE_H

#include <norn/error.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_KEY_NONE UINT32_MAX

typedef struct NornConvergence {
  uint32_t key_count;
  uint32_t *node_of_key; /* by key; the last key of a loop stands for the loop's start */
  uint32_t *key_of_node; /* by node; NORN_KEY_NONE for nodes that are never reached */
  uint32_t *end_of_node; /* by node: the last key of the loop that starts there, or NORN_KEY_NONE */
} NornConvergence;

/* Orders a graph of `count` nodes of which node 0 is the entry. The edges of node n go to
 * targets[first_edge[n]] up to targets[first_edge[n + 1] - 1]. Fails with NORN_ERROR_LIMIT if loops
 * are nested too deep. */
bool norn_convergence_init(NornConvergence *convergence, uint32_t count, const uint32_t *first_edge,
                           const uint32_t *targets, GError **error);

/* Frees the arrays; a zeroed structure is fine. */
void norn_convergence_clear(NornConvergence *convergence);

/* The key at which a lane waits after taking the edge. */
static inline uint32_t
norn_convergence_edge_key(const NornConvergence *convergence, uint32_t from, uint32_t to) {
  uint32_t start = convergence->key_of_node[to], end = convergence->end_of_node[to];
  uint32_t key = convergence->key_of_node[from];
  bool back = end != NORN_KEY_NONE && key >= start && key < end;
  return back ? end : start;
}

#endif
