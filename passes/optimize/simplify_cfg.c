/* Simplifies the CFG: removes control flow that decides nothing.
 *
 * Repeats the following until nothing changes. A branch on a constant, or whose edges are equal,
 * becomes a jump. Unreachable blocks are removed. A parameter that always receives the same value
 * is replaced by that value, and one that always receives the same value as another one by the
 * other one. A block is merged into its only predecessor if that jumps to it. A block that only
 * jumps on is bypassed. A branch around a few cheap instructions becomes selections
 * (if-conversion). Two branches in a row with a common target become one branch on both conditions.
 *
 * Works on generic code. Lanes reconverge where they did before: no edge is duplicated, loop
 * entries stay (mark-loops has marked them), and an edge inside a loop stays, taken or not, if a
 * convergent instruction would no longer run in each iteration without it. */
#include "passes/optimize/simplify_cfg.h"
#include "ir/analysis/convergence.h"
#include "ir/builder.h"
#include "ir/hash.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/block_parameters.h"
#include "passes/pass.h"
#include <string.h>

#define ROUNDS 16
/* How often the pass checks how lanes reconverge without some edges; a check takes linear time. */
#define MAX_CHECKS 32

static NornRef
argument(const ControlFlow *flow, uint32_t inst, const NornEdge *edge, unsigned k) {
  return norn_flow_resolve(flow, norn_operand(flow->function, inst, edge->operand + 1 + k));
}

static bool
same_edges(const ControlFlow *flow, uint32_t inst, const NornEdge *a, const NornEdge *b) {
  if (a->block != b->block)
    return false;
  for (unsigned k = 0; k < a->argument_count; k++)
    if (argument(flow, inst, a, k) != argument(flow, inst, b, k))
      return false;
  return true;
}

/* Turns the terminator into a jump along one of its edges. */
static void
make_jump(ControlFlow *flow, uint32_t inst, const NornEdge *edge) {
  norn_inst_become_jump(flow->function, inst, edge);
  norn_flow_note_change(flow);
}

/* Whether lanes can see which other lanes execute an instruction together with them. */
static bool
is_convergent(ControlFlow *flow) {
  const NornFunction *function = flow->function;
  if (flow->is_convergent == UNKNOWN) {
    flow->is_convergent = NO;
    norn_for_each_block (function, block)
      if (norn_block_is_convergent(function, block))
        flow->is_convergent = YES;
  }
  return flow->is_convergent == YES;
}

/* Turns the terminator into a jump along an edge if its other edges are never taken. This is done
 * immediately only if nothing can observe it. */
static void
drop_other_edges(ControlFlow *flow, uint32_t inst, const NornEdge *edge) {
  if (is_convergent(flow))
    norn_flow_decide(flow, inst, edge);
  else
    make_jump(flow, inst, edge);
}

static void
simplify_br(ControlFlow *flow, uint32_t inst) {
  NornFunction *function = flow->function;
  NornRef condition = norn_flow_resolve(flow, norn_operand(function, inst, 0));
  NornEdge edges[2];
  norn_edges_of(function, inst, edges);
  const NornEdge *yes = &edges[0], *no = &edges[1];
  if (norn_is_constant(condition)) {
    drop_other_edges(flow, inst, norn_constant_bits(function->module, condition) ? yes : no);
  } else if (same_edges(flow, inst, yes, no)) {
    make_jump(flow, inst, yes);
  } else if (norn_ref_kind(condition) == NORN_REF_VALUE) {
    const NornValue *value = norn_value(function, norn_ref_payload(condition));
    if (value->is_parameter || norn_inst(function, value->def)->op != NORN_OP_NOT)
      return;
    unsigned count = norn_inst(function, inst)->operand_count;
    NornRef *operands = NORN_NEW(flow->arena, NornRef, count);
    unsigned filled = 0;
    operands[filled++] = norn_operand(function, value->def, 0);
    for (unsigned k = 0; k <= no->argument_count; k++)
      operands[filled++] = norn_operand(function, inst, no->operand + k);
    for (unsigned k = 0; k <= yes->argument_count; k++)
      operands[filled++] = norn_operand(function, inst, yes->operand + k);
    norn_inst_set_operands(function, inst, operands, count);
    norn_flow_note_change(flow);
  }
}

static void
simplify_switch(ControlFlow *flow, uint32_t inst) {
  NornFunction *function = flow->function;
  NornRef selector = norn_flow_resolve(flow, norn_operand(function, inst, 0));
  NornEdge first = norn_edge_of(function, inst, 0);
  bool all_same = true;
  norn_for_each_edge (function, inst, edge) {
    all_same = all_same && same_edges(flow, inst, &first, &edge);
    if (edge.operand > first.operand && norn_is_constant(selector) &&
        norn_operand(function, inst, edge.operand - 1) == selector) {
      drop_other_edges(flow, inst, &edge);
      return;
    }
  }
  if (all_same)
    make_jump(flow, inst, &first);
  else if (norn_is_constant(selector))
    drop_other_edges(flow, inst, &first);
}

static void
simplify_terminators(ControlFlow *flow) {
  NornFunction *function = flow->function;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    if (norn_inst(function, last)->op == NORN_OP_BR)
      simplify_br(flow, last);
    else if (norn_inst(function, last)->op == NORN_OP_SWITCH)
      simplify_switch(flow, last);
  }
  norn_flow_drop_decided(flow);
}

/* Finds the reachable blocks and the number of their incoming edges. */
static void
find_reached(ControlFlow *flow) {
  NornFunction *function = flow->function;
  if (flow->is_counted)
    return;
  flow->is_counted = true;
  memset(flow->predecessor_count, 0, function->block_count * sizeof *flow->predecessor_count);
  memset(flow->reached, 0, function->block_count * sizeof *flow->reached);
  norn_blocks_mark_reachable(function, flow->reached, flow->predecessor_count, flow->stack);
}

static void
remove_unreached(ControlFlow *flow) {
  flow->changed |= norn_blocks_keep(flow->function, flow->reached);
}

/* The arguments that block parameters receive, by value number. */
typedef struct Parameters {
  NornRef *common;  /* 0: nothing yet; the parameter itself: several values */
  uint64_t *hashes; /* of the arguments on all edges, in order; 0: from the caller */
  uint32_t *equal;  /* an earlier parameter of the block that may receive the same; itself: none */
  bool *keep;
} Parameters;

/* Number of earlier parameters of a block that are searched for an equal hash. */
#define MAX_COMPARED 32

/* The argument; 0 if it is `parameter` itself, so that parameters that are passed on compare
 * equal. */
static NornRef
given(const ControlFlow *flow, uint32_t inst, const NornEdge *edge, unsigned k,
      uint32_t parameter) {
  NornRef value = argument(flow, inst, edge, k);
  return value == norn_ref(NORN_REF_VALUE, parameter) ? 0 : value;
}

/* Called for each edge into a block with parameters. */
typedef void VisitEdge(const ControlFlow *flow, Parameters *all, uint32_t inst,
                       const NornEdge *edge);

static void
visit_edges(const ControlFlow *flow, Parameters *all, VisitEdge *visit) {
  norn_for_each_block (flow->function, block) {
    uint32_t last = norn_block_terminator(flow->function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (flow->function, last, edge)
      visit(flow, all, last, &edge);
  }
}

static void
collect_edge(const ControlFlow *flow, Parameters *all, uint32_t inst, const NornEdge *edge) {
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(flow->function, edge->block, k);
    NornRef self = norn_ref(NORN_REF_VALUE, parameter);
    NornRef value = given(flow, inst, edge, k, parameter);
    all->hashes[parameter] = norn_hash_mix(all->hashes[parameter] + 1, value);
    if (value && all->common[parameter] != value)
      all->common[parameter] = all->common[parameter] ? self : value;
  }
}

/* Removes pairs of parameters whose hashes are equal by chance. */
static void
compare_edge(const ControlFlow *flow, Parameters *all, uint32_t inst, const NornEdge *edge) {
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(flow->function, edge->block, k);
    uint32_t other = all->equal[parameter];
    unsigned j = norn_value(flow->function, other)->index;
    if (other == parameter)
      continue;
    if (given(flow, inst, edge, k, parameter) != given(flow, inst, edge, j, other))
      all->equal[parameter] = parameter;
  }
}

/* Finds for each parameter an earlier one of its block with the same hash. Returns whether there is
 * any. */
static bool
find_equal(const ControlFlow *flow, const Parameters *all, uint32_t block) {
  const NornFunction *function = flow->function;
  bool any = false;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    all->equal[parameter] = parameter;
    for (unsigned j = k < MAX_COMPARED ? 0 : k - MAX_COMPARED; j < k; j++) {
      uint32_t other = norn_block_parameter(function, block, j);
      if (!all->hashes[other] || all->equal[other] != other ||
          all->hashes[other] != all->hashes[parameter] ||
          norn_value(function, other)->type != norn_value(function, parameter)->type)
        continue;
      all->equal[parameter] = other;
      any = true;
      break;
    }
  }
  return any;
}

/* The value or parameter that a parameter always equals; 0 if there is none. */
static NornRef
known_as(const ControlFlow *flow, const Parameters *all, uint32_t parameter) {
  NornRef value = norn_flow_resolve(flow, all->common[parameter]);
  if (value && value != norn_ref(NORN_REF_VALUE, parameter))
    return value;
  uint32_t other = all->equal[parameter];
  return other == parameter ? 0 : norn_ref(NORN_REF_VALUE, other);
}

/* Removes parameters that receive one value, or themselves, on every edge, or the same as another
 * parameter of the block. */
static void
merge_parameters(ControlFlow *flow) {
  NornFunction *function = flow->function;
  size_t count = function->value_count;
  Parameters all = {NORN_NEW0(flow->arena, NornRef, count), NORN_NEW0(flow->arena, uint64_t, count),
                    NORN_NEW(flow->arena, uint32_t, count), NORN_NEW(flow->arena, bool, count + 1)};
  bool any = false, any_equal = false;
  visit_edges(flow, &all, collect_edge);
  norn_for_each_block (function, block)
    any_equal |= find_equal(flow, &all, block);
  if (any_equal)
    visit_edges(flow, &all, compare_edge);
  memset(all.keep, true, count);
  norn_for_each_block (function, block) {
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
      uint32_t parameter = norn_block_parameter(function, block, k);
      NornRef value = known_as(flow, &all, parameter);
      if (!value)
        continue;
      norn_replacements_set(&flow->replacements, parameter, value);
      all.keep[parameter] = false;
      any = true;
    }
  }
  if (any) {
    norn_keep_parameters(function, all.keep);
    norn_flow_note_change(flow);
  }
}

/* Merges each block with its only successor if that has no other predecessors. */
static void
merge_blocks(ControlFlow *flow) {
  NornFunction *function = flow->function;
  bool *remove = NORN_NEW0(flow->arena, bool, function->block_count);
  uint32_t entry = function->block_order[0];
  bool any = false;
  norn_for_each_block (function, block) {
    if (remove[block])
      continue;
    for (;;) {
      uint32_t last = norn_block_terminator(function, block);
      if (last == NORN_INDEX_NONE || norn_inst(function, last)->op != NORN_OP_JUMP)
        break;
      NornEdge edge = norn_edge_of(function, last, 0);
      if (edge.block == block || edge.block == entry || flow->predecessor_count[edge.block] != 1)
        break;
      for (unsigned k = 0; k < edge.argument_count; k++)
        norn_replacements_set(&flow->replacements, norn_block_parameter(function, edge.block, k),
                              argument(flow, last, &edge, k));
      norn_inst_erase(function, last);
      norn_block_split(function, norn_block(function, edge.block)->first, block);
      remove[edge.block] = true;
      any = true;
    }
  }
  if (any) {
    norn_blocks_remove(function, remove);
    norn_flow_note_change(flow);
  }
}

/* Removes the loop marks of blocks with one predecessor, which cannot be loop entries. */
static void
remove_marks(ControlFlow *flow) {
  NornFunction *function = flow->function;
  norn_for_each_block (function, block) {
    uint32_t first = norn_block(function, block)->first;
    if (first == NORN_INDEX_NONE || norn_inst(function, first)->op != NORN_OP_LOOP_ENTRY)
      continue;
    flow->is_marked = YES;
    if (flow->predecessor_count[block] > 1)
      continue;
    norn_inst_erase(function, first);
    norn_flow_note_change(flow);
  }
}

/* If there is one mark, all entries are marked. */
bool
norn_flow_may_be_entry(ControlFlow *flow, uint32_t block) {
  if (flow->is_marked == YES || flow->predecessor_count[block] < 2)
    return false;
  if (flow->is_cyclic == UNKNOWN) {
    NornArenaMark mark = norn_arena_mark(flow->arena);
    const NornDominance *dominance = norn_dominance_new(flow->arena, flow->function);
    flow->is_cyclic = norn_has_loops(dominance) ? YES : NO;
    norn_arena_release(flow->arena, mark);
  }
  return flow->is_cyclic == YES;
}

/* Redirects edges past blocks that only jump on. Edges with arguments keep a block of their own
 * unless their predecessor has no other edges, because moves may have to be inserted there. */
static void
bypass_blocks(ControlFlow *flow) {
  NornFunction *function = flow->function;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    bool is_jump = norn_inst(function, last)->op == NORN_OP_JUMP;
    NornEdge edge = {0};
    while (norn_next_edge(function, last, &edge)) {
      if (norn_bypass_target(function, edge.block) == NORN_INDEX_NONE ||
          norn_flow_may_be_entry(flow, edge.block))
        continue;
      uint32_t jump = norn_block(function, edge.block)->first;
      NornEdge onward = norn_edge_of(function, jump, 0);
      if (onward.argument_count && !is_jump)
        continue;
      norn_inst_splice_operands(function, last, edge.operand, 1 + edge.argument_count,
                                norn_operands(function, norn_inst(function, jump)),
                                1 + onward.argument_count);
      edge.next += onward.argument_count - edge.argument_count;
      norn_flow_note_change(flow);
    }
  }
}

bool
norn_pass_simplify_cfg(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool any = false;
  if (function->block_order_count == 1) { /* there is no control flow */
    norn_pass_report(context, false);
    return true;
  }
  ControlFlow flow = {.arena = &context->arena,
                      .function = function,
                      .replacements.arena = &context->arena,
                      .max_cost = norn_tuned(context->tuning.if_convert_cost, NORN_IF_CONVERT_COST),
                      .checks_left = MAX_CHECKS};
  flow.predecessor_count = NORN_NEW(flow.arena, uint32_t, function->block_count);
  flow.reached = NORN_NEW(flow.arena, bool, function->block_count);
  flow.stack = NORN_NEW(flow.arena, uint32_t, function->block_count);
  flow.changed = true;
  for (unsigned round = 0; round < ROUNDS && flow.changed; round++) {
    if (!norn_pass_continues(context, function->inst_count))
      break;
    flow.changed = false;
    simplify_terminators(&flow);
    find_reached(&flow);
    remove_unreached(&flow);
    remove_marks(&flow);
    merge_parameters(&flow);
    merge_blocks(&flow);
    norn_replacements_apply(&flow.replacements, function);
    bypass_blocks(&flow);
    find_reached(&flow);
    remove_unreached(&flow);
    norn_if_convert_branches(&flow);
    any = any || flow.changed;
  }
  find_reached(&flow);
  remove_unreached(&flow);
  any = any || flow.changed;
  if (any)
    norn_pass_blocks_changed(context);
  norn_pass_report(context, any);
  return true;
}
