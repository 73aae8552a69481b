/* Branches one edge of which is always taken, in code where lanes can see each other; see
 * simplify_cfg.c.
 *
 * Without the edges that are never taken, blocks may drop out of loops, and convergent instructions
 * in them would run once after the loop instead of once in each iteration. Finding out whether that
 * happens takes time linear in the function's size. So all of these branches are replaced by jumps
 * at once. If lanes no longer reconverge as before, the branches are restored and each half of them
 * is tried separately. */
#include "ir/analysis/convergence.h"
#include "passes/optimize/simplify_cfg.h"
#include <string.h>

void
norn_flow_decide(ControlFlow *flow, uint32_t inst, const NornEdge *edge) {
  const NornInst *self = norn_inst(flow->function, inst);
  NornRef *operands = NORN_NEW(flow->arena, NornRef, self->operand_count);
  memcpy(operands, norn_operands(flow->function, self), self->operand_count * sizeof *operands);
  if (!flow->decided)
    flow->decided = NORN_NEW(flow->arena, DecidedBranch, flow->function->block_count);
  flow->decided[flow->decided_count++] = (DecidedBranch){inst, *edge, *self, operands};
}

static void
make_branch(NornFunction *function, const DecidedBranch *branch) {
  norn_inst_set_operands(function, branch->inst, branch->operands, branch->before.operand_count);
  NornInst *inst = norn_inst(function, branch->inst);
  inst->op = branch->before.op;
  inst->type = branch->before.type;
  inst->flags = branch->before.flags;
}

static bool
reconverges_alike(ControlFlow *flow, const NornConvergence *before) {
  NornConvergence after;
  NornArenaMark mark = norn_arena_mark(flow->arena);
  bool alike = norn_convergence_of_function(flow->arena, &after, flow->function, NULL) &&
               norn_reconverges_alike(flow->arena, flow->function, before, &after);
  norn_arena_release(flow->arena, mark);
  return alike;
}

/* Replaces all of these branches by jumps if lanes still reconverge as before. Returns whether it
 * did. */
static bool
drop_together(ControlFlow *flow, const NornConvergence *before, uint32_t first, uint32_t count) {
  const DecidedBranch *branches = flow->decided + first;
  for (uint32_t i = 0; i < count; i++)
    norn_inst_become_jump(flow->function, branches[i].inst, &branches[i].taken);
  if (reconverges_alike(flow, before)) {
    norn_flow_note_change(flow);
    return true;
  }
  for (uint32_t i = 0; i < count; i++)
    make_branch(flow->function, &branches[i]);
  return false;
}

/* Bisects the decided branches as long as checks are left. */
static void
drop_parts(ControlFlow *flow, const NornConvergence *before) {
  struct {
    uint32_t first, count;
  } parts[64] = {{0, flow->decided_count}};
  unsigned depth = 1;
  while (depth && flow->checks_left) {
    uint32_t first = parts[--depth].first, count = parts[depth].count, half = count / 2;
    flow->checks_left--;
    if (drop_together(flow, before, first, count) || count < 2)
      continue;
    parts[depth].first = first + half;
    parts[depth++].count = count - half;
    parts[depth].first = first;
    parts[depth++].count = half;
  }
}

void
norn_flow_drop_decided(ControlFlow *flow) {
  NornConvergence before;
  NornArenaMark mark = norn_arena_mark(flow->arena);
  if (flow->decided_count && flow->checks_left &&
      norn_convergence_of_function(flow->arena, &before, flow->function, NULL))
    drop_parts(flow, &before);
  norn_arena_release(flow->arena, mark);
  flow->decided = NULL;
  flow->decided_count = 0;
}
