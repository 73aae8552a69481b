/* Simplification of the CFG: what its files share; see simplify_cfg.c.
 *
 * - simplify_cfg.c removes control flow that decides nothing, and the blocks and parameters that
 *   become redundant.
 * - decided_branches.c replaces branches on constants by jumps where lanes can see each other.
 * - if_convert.c computes both sides of a branch if the branch costs more. */
#ifndef NORN_PASSES_OPTIMIZE_SIMPLIFY_CFG_H
#define NORN_PASSES_OPTIMIZE_SIMPLIFY_CFG_H

#include "ir/ir.h"
#include "ir/replacements.h"

/* Up to this many instructions and words of selections, computing both sides costs less than a
 * divergent branch: a branch is an instruction, an end of a block for the scheduler, and a
 * reconvergence. */
#define NORN_IF_CONVERT_COST 16

/* A branch that always goes the same way. */
typedef struct DecidedBranch {
  uint32_t inst;
  NornEdge taken;
  NornInst before; /* the branch and its operands, to restore it */
  NornRef *operands;
} DecidedBranch;

typedef struct ControlFlow {
  NornArena *arena;
  NornFunction *function;
  NornReplacements replacements;
  uint32_t *predecessor_count; /* number of edges from reachable blocks to the block */
  bool *reached;
  uint32_t *stack;
  unsigned max_cost;      /* of both sides of a branch that is removed */
  DecidedBranch *decided; /* branches that may have to stay for convergence */
  uint32_t decided_count;
  unsigned checks_left; /* how many more times reconvergence may be checked */
  enum { UNKNOWN, NO, YES } is_convergent, is_cyclic, is_marked;
  bool changed;
  bool is_counted; /* reachability is known, and nothing has changed since */
} ControlFlow;

/* Records a change, after which reachability has to be computed again. */
static inline void
norn_flow_note_change(ControlFlow *flow) {
  flow->changed = true;
  flow->is_counted = false;
}

/* The value that replaces `ref`. */
static inline NornRef
norn_flow_resolve(const ControlFlow *flow, NornRef ref) {
  return norn_replacements_get(&flow->replacements, ref);
}

/* Whether a block may be a loop entry without a mark. */
bool norn_flow_may_be_entry(ControlFlow *flow, uint32_t block);

/* Records that the branch or switch always takes the edge. */
void norn_flow_decide(ControlFlow *flow, uint32_t inst, const NornEdge *edge);

/* Replaces the recorded branches by jumps unless lanes would reconverge differently. */
void norn_flow_drop_decided(ControlFlow *flow);

/* If-converts branches around a few cheap instructions, and merges two branches in a row with a
 * common target. Needs reachability. */
void norn_if_convert_branches(ControlFlow *flow);

#endif
