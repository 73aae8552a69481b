/* If-conversion: a branch around a few cheap instructions becomes selections, and two branches in a
 * row with a common target become one branch on both conditions; see simplify_cfg.c. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/optimize/simplify_cfg.h"

#define FORBIDDEN (1u << 16) /* more than any limit */
/* The additional cost that both sides may have if a single selection replaces the branch, its
 * condition and a constant that one side passes to the join. */
#define ONE_SELECTION_COST 6
/* The most parameters of a block that a side may pass on through. */
#define MAX_PASSED 16

/* One side of a branch: straight to `join`, or through the block `arm`, which only computes values,
 * or through the block `passed`, which other edges lead to as well and which only jumps to the
 * join, or through both. The arguments for the join are the operands from `first` on of instruction
 * `holder`; those that are parameters of `passed` are the operands from `passed_first` on of
 * instruction `passed_holder`. */
typedef struct Side {
  uint32_t arm, join, passed;
  uint32_t holder, first;
  uint32_t passed_holder, passed_first;
  unsigned argument_count;
  unsigned cost;
} Side;

/* What it costs to execute an instruction needlessly; FORBIDDEN if that is not allowed. */
static unsigned
speculation_cost(const NornInst *inst) {
  if (norn_is_machine(inst) || norn_ops[inst->op].flags & NORN_OP_STAYS)
    return FORBIDDEN;
  switch (inst->op) {
  case NORN_OP_COLLECT:
  case NORN_OP_SPLIT:
  case NORN_OP_BITCAST:
    return 0;
  case NORN_OP_FRCP:
  case NORN_OP_FRSQ:
  case NORN_OP_IMUL:
  case NORN_OP_FDIV:
  case NORN_OP_FSQRT:
  case NORN_OP_FEXP2:
  case NORN_OP_FLOG2:
    return NORN_IF_CONVERT_COST / 2;
  case NORN_OP_FPOW:
    return NORN_IF_CONVERT_COST * 3 / 4;
  case NORN_OP_SDIV:
  case NORN_OP_UDIV:
  case NORN_OP_SREM:
  case NORN_OP_UREM:
  case NORN_OP_FSIN:
  case NORN_OP_FCOS:
    return FORBIDDEN;
  default:
    break;
  }
  return MAX(1, norn_type_words(inst->type));
}

/* The cost of all but the terminator of a block; if it exceeds `most`, any value above `most`. */
static unsigned
block_cost(const ControlFlow *flow, uint32_t block, unsigned most) {
  const NornFunction *function = flow->function;
  unsigned cost = 0;
  norn_for_each_inst (function, block, inst) {
    if (inst == norn_block(function, block)->last)
      break;
    cost += speculation_cost(norn_inst(function, inst));
    if (cost > most)
      break;
  }
  return cost;
}

/* The side that goes straight to the target of an edge. */
static Side
direct_side(uint32_t inst, const NornEdge *edge) {
  return (Side){.arm = NORN_INDEX_NONE,
                .join = edge->block,
                .passed = NORN_INDEX_NONE,
                .holder = inst,
                .first = edge->operand + 1,
                .argument_count = edge->argument_count};
}

/* The side through the target of the edge, if that only computes values; otherwise the direct
 * one. */
static Side
side_of(const ControlFlow *flow, uint32_t inst, const NornEdge *edge) {
  const NornFunction *function = flow->function;
  Side side = direct_side(inst, edge);
  uint32_t last = norn_block_terminator(function, edge->block);
  if (flow->predecessor_count[edge->block] != 1 ||
      norn_block(function, edge->block)->parameter_count || last == NORN_INDEX_NONE ||
      norn_inst(function, last)->op != NORN_OP_JUMP)
    return side;
  unsigned most = flow->max_cost + ONE_SELECTION_COST;
  unsigned cost = block_cost(flow, edge->block, most);
  if (cost > most)
    return side;
  NornEdge onward = norn_edge_of(function, last, 0);
  side = direct_side(last, &onward);
  side.arm = edge->block;
  side.cost = cost;
  return side;
}

/* The side passes on through its join, if that only jumps to another block; false if not. Since it
 * is not the entry of a loop that the branch is in, it does not dominate the branch. So if the
 * other side does not pass it, it does not dominate the next block either, and nothing else uses
 * its parameters. */
static bool
pass_on(ControlFlow *flow, Side *side) {
  const NornFunction *function = flow->function;
  uint32_t block = side->join, jump = norn_block(function, block)->first;
  if (jump == NORN_INDEX_NONE || norn_inst(function, jump)->op != NORN_OP_JUMP ||
      norn_block(function, block)->parameter_count > MAX_PASSED ||
      block == function->block_order[0] || side->arm == block ||
      norn_flow_may_be_entry(flow, block))
    return false;
  NornEdge onward = norn_edge_of(function, jump, 0);
  if (onward.block == block)
    return false;
  side->passed = block;
  side->passed_holder = side->holder;
  side->passed_first = side->first;
  side->holder = jump;
  side->first = onward.operand + 1;
  side->join = onward.block;
  side->argument_count = onward.argument_count;
  return true;
}

/* Argument k that the side passes to the join. A block that only jumps is never passed with many
 * parameters, so that finding one of them takes little time. */
static NornRef
side_argument(const ControlFlow *flow, const Side *side, unsigned k) {
  const NornFunction *function = flow->function;
  NornRef ref = norn_operand(function, side->holder, side->first + k);
  unsigned count =
      side->passed == NORN_INDEX_NONE ? 0 : norn_block(function, side->passed)->parameter_count;
  for (unsigned i = 0; i < count; i++)
    if (ref == norn_ref(NORN_REF_VALUE, norn_block_parameter(function, side->passed, i)))
      return norn_flow_resolve(flow,
                               norn_operand(function, side->passed_holder, side->passed_first + i));
  return norn_flow_resolve(flow, ref);
}

/* The cost of selecting between the arguments of two sides. */
static unsigned
selection_cost(const ControlFlow *flow, const Side *yes, const Side *no) {
  const NornFunction *function = flow->function;
  unsigned cost = 0;
  for (unsigned k = 0; k < yes->argument_count; k++) {
    if (side_argument(flow, yes, k) == side_argument(flow, no, k))
      continue;
    NornType type = norn_value(function, norn_block_parameter(function, yes->join, k))->type;
    if (norn_types[type].class == NORN_CLASS_GROUP)
      return FORBIDDEN;
    cost += MAX(1, norn_type_words(type));
  }
  return cost;
}

/* Moves all but the terminator of `from`, which will have no predecessor left, before instruction
 * `before`. */
static void
hoist(ControlFlow *flow, uint32_t from, uint32_t before) {
  NornFunction *function = flow->function;
  for (uint32_t inst = norn_block(function, from)->first, next;
       inst != norn_block(function, from)->last; inst = next) {
    next = norn_inst(function, inst)->next;
    NornBuilder builder = norn_builder_before(function, before);
    norn_builder_insert(&builder, inst);
  }
  flow->reached[from] = false;
  flow->predecessor_count[from] = 0;
}

/* Computes both sides before the branch and selects the arguments of the join. */
static void
if_convert(ControlFlow *flow, uint32_t branch, const Side *yes, const Side *no) {
  NornFunction *function = flow->function;
  NornRef condition = norn_flow_resolve(flow, norn_operand(function, branch, 0));
  unsigned count = yes->argument_count;
  NornRef *operands = NORN_NEW(flow->arena, NornRef, 1 + count);
  operands[0] = norn_ref(NORN_REF_BLOCK, yes->join);
  if (yes->arm != NORN_INDEX_NONE)
    hoist(flow, yes->arm, branch);
  if (no->arm != NORN_INDEX_NONE)
    hoist(flow, no->arm, branch);
  /* One edge to the join replaces those of both sides. */
  flow->predecessor_count[yes->join]++;
  flow->predecessor_count[yes->passed == NORN_INDEX_NONE ? yes->join : yes->passed]--;
  flow->predecessor_count[no->passed == NORN_INDEX_NONE ? no->join : no->passed]--;
  NornBuilder builder = norn_builder_before(function, branch);
  for (unsigned k = 0; k < count; k++) {
    NornRef yes_value = side_argument(flow, yes, k), no_value = side_argument(flow, no, k);
    NornType type = norn_value(function, norn_block_parameter(function, yes->join, k))->type;
    operands[1 + k] = yes_value == no_value
                          ? yes_value
                          : norn_build_select(&builder, type, condition, yes_value, no_value);
  }
  norn_inst_become(function, branch, NORN_OP_JUMP, 0, operands, 1 + count);
  norn_inst(function, branch)->flags = 0;
  norn_flow_note_change(flow);
}

/* If-converts the branch if the sides meet in one block and that is cheap. If both pass the same
 * block, they meet there: its parameters may be used after it. */
static bool
try_sides(ControlFlow *flow, uint32_t branch, const Side *yes, const Side *no) {
  if (yes->join != no->join || yes->arm == yes->join || no->arm == no->join ||
      (yes->passed != NORN_INDEX_NONE && yes->passed == no->passed))
    return false;
  unsigned selections = selection_cost(flow, yes, no);
  unsigned most = flow->max_cost + (selections == 1 ? ONE_SELECTION_COST : 0);
  if (yes->cost + no->cost + selections > most)
    return false;
  if_convert(flow, branch, yes, no);
  return true;
}

/* If-converts the branch if its sides meet in one block, as early as possible. */
static bool
try_if_convert(ControlFlow *flow, uint32_t branch, const NornEdge edges[2]) {
  enum { DIRECT, THROUGH, DIRECT_PASSED, THROUGH_PASSED, WAYS };
  Side sides[2][WAYS];
  bool is_way[2][WAYS];
  for (unsigned k = 0; k < 2; k++) {
    Side *way = sides[k];
    way[DIRECT] = way[DIRECT_PASSED] = direct_side(branch, &edges[k]);
    way[THROUGH] = way[THROUGH_PASSED] = side_of(flow, branch, &edges[k]);
    bool has_arm = way[THROUGH].arm != NORN_INDEX_NONE;
    is_way[k][DIRECT] = true;
    is_way[k][THROUGH] = has_arm;
    is_way[k][DIRECT_PASSED] = !has_arm && pass_on(flow, &way[DIRECT_PASSED]);
    is_way[k][THROUGH_PASSED] = has_arm && pass_on(flow, &way[THROUGH_PASSED]);
  }
  for (unsigned yes = 0; yes < WAYS; yes++)
    for (unsigned no = 0; no < WAYS; no++)
      if (is_way[0][yes] && is_way[1][no] && try_sides(flow, branch, &sides[0][yes], &sides[1][no]))
        return true;
  return false;
}

/* `first` branches to a block that only computes values and branches again, and one target is
 * common: replaces both branches by one on the conjunction or disjunction of their conditions. */
static void
try_chain(ControlFlow *flow, uint32_t first, const NornEdge edges[2]) {
  NornFunction *function = flow->function;
  uint32_t home = norn_inst(function, first)->block;
  for (unsigned side = 0; side < 2; side++) {
    uint32_t middle = edges[side].block;
    uint32_t second = norn_block_terminator(function, middle);
    if (middle == home || flow->predecessor_count[middle] != 1 || second == NORN_INDEX_NONE ||
        norn_block(function, middle)->parameter_count ||
        norn_inst(function, second)->op != NORN_OP_BR ||
        block_cost(flow, middle, flow->max_cost) > flow->max_cost)
      continue;
    for (unsigned other = 0; other < 2; other++) {
      NornEdge shared = norn_edge_of(function, second, other);
      const NornEdge *common = &edges[1 - side];
      Side a = direct_side(first, common), b = direct_side(second, &shared);
      if (shared.block != common->block || selection_cost(flow, &a, &b))
        continue;
      /* The common target is reached if the first condition is `side` (as a truth value: the edge
       * taken is the other one) or the second is `other` == 0. */
      NornRef conditions[2] = {norn_flow_resolve(flow, norn_operand(function, first, 0)),
                               norn_flow_resolve(flow, norn_operand(function, second, 0))};
      hoist(flow, middle, first);
      flow->predecessor_count[common->block]--;
      NornBuilder builder = norn_builder_before(function, first);
      if ((side == 1) != (other == 0))
        conditions[0] = norn_build_not(&builder, NORN_TYPE_I1, conditions[0]);
      NornRef both = other == 0
                         ? norn_build_or(&builder, NORN_TYPE_I1, conditions[0], conditions[1])
                         : norn_build_and(&builder, NORN_TYPE_I1, conditions[0], conditions[1]);
      norn_inst_set_operands(function, first, norn_operands(function, norn_inst(function, second)),
                             norn_inst(function, second)->operand_count);
      norn_set_operand(function, first, 0, both);
      norn_flow_note_change(flow);
      return;
    }
  }
}

void
norn_if_convert_branches(ControlFlow *flow) {
  NornFunction *function = flow->function;
  norn_for_each_block (function, block) {
    if (!flow->reached[block])
      continue;
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE || norn_inst(function, last)->op != NORN_OP_BR)
      continue;
    NornEdge edges[2];
    norn_edges_of(function, last, edges);
    if (!try_if_convert(flow, last, edges))
      try_chain(flow, last, edges);
  }
}
