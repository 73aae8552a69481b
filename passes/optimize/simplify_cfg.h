/* Simplifying the CFG, as its files share it; see simplify_cfg.c.
 *
 * - simplify_cfg.c removes what control flow decides nothing, and blocks and parameters with it.
 * - decided_branches.c makes jumps of branches on constants where lanes can see each other.
 * - if_convert.c computes both sides of branches that cost more than that does. */
#ifndef NORN_PASSES_OPTIMIZE_SIMPLIFY_CFG_H
#define NORN_PASSES_OPTIMIZE_SIMPLIFY_CFG_H

#include "ir/ir.h"
#include "ir/replacements.h"

/* Up to this many instructions and words of selections, computing both sides costs less than a
 * branch that diverges: a branch is an instruction, an end of a block for the scheduler, and a
 * reconvergence. */
#define NORN_IF_CONVERT_COST 16

/* A branch that always goes the same way. */
typedef struct DecidedBranch {
  uint32_t inst;
  NornEdge taken;
  NornInst before; /* the branch and its operands, to make it one again */
  NornRef *operands;
} DecidedBranch;

typedef struct ControlFlow {
  NornArena *arena;
  NornFunction *function;
  NornReplacements replacements;
  uint32_t *predecessor_count; /* edges from reached blocks that lead to the block */
  bool *reached;
  uint32_t *stack;
  unsigned max_cost;      /* of both sides of a branch that goes */
  DecidedBranch *decided; /* those that may have to stay for the sake of convergence */
  uint32_t decided_count;
  unsigned checks_left; /* how often it may still be looked at how lanes reconverge */
  enum { UNKNOWN, NO, YES } is_convergent, is_cyclic, is_marked;
  bool changed;
  bool is_counted; /* what is reached is known, nothing has changed since */
} ControlFlow;

/* What is reached has to be found again. */
static inline void
norn_flow_note_change(ControlFlow *flow) {
  flow->changed = true;
  flow->is_counted = false;
}

/* What the value was replaced by. */
static inline NornRef
norn_flow_resolve(const ControlFlow *flow, NornRef ref) {
  return norn_replacements_get(&flow->replacements, ref);
}

/* Notes that the branch or switch always takes the edge. */
void norn_flow_decide(ControlFlow *flow, uint32_t inst, const NornEdge *edge);

/* Makes jumps of those noted, unless lanes would no longer reconverge as they do. */
void norn_flow_drop_decided(ControlFlow *flow);

/* If-converts branches around a few cheap instructions; makes two branches in a row with a common
 * target one. Needs what is reached. */
void norn_if_convert_branches(ControlFlow *flow);

#endif
