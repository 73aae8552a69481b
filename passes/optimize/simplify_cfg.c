/* Branches: removes control flow that decides nothing.
 *
 * Repeats, until nothing changes: a branch on a constant, or whose edges are equal, becomes a jump;
 * blocks that cannot be reached go; a parameter that is always given the same value is that value;
 * a block is joined to its only predecessor where that one jumps to it; a block that only jumps on
 * is bypassed; a branch around a few cheap instructions becomes selections ("flattening"); two
 * branches in a row with a common target become one branch on both conditions.
 *
 * Works on generic code. Loops keep their shape: no edge is duplicated. */
#include "ir/construct.h"
#include "ir/ops.h"
#include "passes/optimize/parameters.h"
#include "passes/pass.h"

/* Up to this many instructions and words of selections, computing both sides costs less than a
 * branch that diverges: a branch is an instruction, an end of a block for the scheduler, and a
 * reconvergence. */
#define FLATTEN_COST 8
#define ROUNDS 16

typedef struct Flow {
  NornFunction *function;
  NornRef *map; /* by value */
  uint32_t map_size;
  uint32_t *predecessor_count; /* edges from reached blocks that lead to the block */
  bool *reached;
  uint32_t *stack;
  bool changed;
} Flow;

static NornRef
resolve(const Flow *flow, NornRef ref) {
  while (norn_ref_kind(ref) == NORN_REF_VALUE && flow->map[norn_ref_payload(ref)])
    ref = flow->map[norn_ref_payload(ref)];
  return ref;
}

/* Edge `k` of the terminator. */
static NornEdge
edge_of(const NornFunction *function, uint32_t inst, unsigned k) {
  NornEdge edge = {0};
  do
    norn_next_edge(function, inst, &edge);
  while (k-- > 0);
  return edge;
}

static NornRef
argument(const Flow *flow, uint32_t inst, const NornEdge *edge, unsigned k) {
  return resolve(flow, norn_operand(flow->function, inst, edge->operand + 1 + k));
}

static bool
same_edges(const Flow *flow, uint32_t inst, const NornEdge *a, const NornEdge *b) {
  if (a->block != b->block)
    return false;
  for (unsigned k = 0; k < a->argument_count; k++)
    if (argument(flow, inst, a, k) != argument(flow, inst, b, k))
      return false;
  return true;
}

/* Makes the terminator a jump along that edge of it. */
static void
make_jump(Flow *flow, uint32_t inst, const NornEdge *edge) {
  NornFunction *function = flow->function;
  norn_inst_set_operands(function, inst,
                         &function->operands[function->insts[inst].operand + edge->operand],
                         1 + edge->argument_count);
  function->insts[inst].op = NORN_OP_JUMP;
  function->insts[inst].type = NORN_TYPE_VOID;
  function->insts[inst].flags = 0;
  flow->changed = true;
}

static void
simplify_br(Flow *flow, uint32_t inst) {
  NornFunction *function = flow->function;
  NornRef condition = resolve(flow, norn_operand(function, inst, 0));
  NornEdge yes = edge_of(function, inst, 0), no = edge_of(function, inst, 1);
  if (norn_ref_kind(condition) == NORN_REF_CONSTANT) {
    make_jump(flow, inst, norn_constant_bits(function->module, condition) ? &yes : &no);
  } else if (same_edges(flow, inst, &yes, &no)) {
    make_jump(flow, inst, &yes);
  } else if (norn_ref_kind(condition) == NORN_REF_VALUE) {
    const NornValue *value = &function->values[norn_ref_payload(condition)];
    if (value->is_parameter || function->insts[value->def].op != NORN_OP_NOT)
      return;
    unsigned count = function->insts[inst].operand_count;
    NornRef *operands = g_new(NornRef, count);
    unsigned filled = 0;
    operands[filled++] = norn_operand(function, value->def, 0);
    for (unsigned k = 0; k <= no.argument_count; k++)
      operands[filled++] = norn_operand(function, inst, no.operand + k);
    for (unsigned k = 0; k <= yes.argument_count; k++)
      operands[filled++] = norn_operand(function, inst, yes.operand + k);
    norn_inst_set_operands(function, inst, operands, count);
    g_free(operands);
    flow->changed = true;
  }
}

static void
simplify_switch(Flow *flow, uint32_t inst) {
  NornFunction *function = flow->function;
  NornRef selector = resolve(flow, norn_operand(function, inst, 0));
  NornEdge first = edge_of(function, inst, 0);
  bool all_same = true;
  norn_for_each_edge (function, inst, edge) {
    all_same = all_same && same_edges(flow, inst, &first, &edge);
    if (edge.operand > first.operand && norn_ref_kind(selector) == NORN_REF_CONSTANT &&
        norn_operand(function, inst, edge.operand - 1) == selector) {
      make_jump(flow, inst, &edge);
      return;
    }
  }
  if (all_same || norn_ref_kind(selector) == NORN_REF_CONSTANT)
    make_jump(flow, inst, &first);
}

static void
simplify_terminators(Flow *flow) {
  NornFunction *function = flow->function;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    if (function->insts[last].op == NORN_OP_BR)
      simplify_br(flow, last);
    else if (function->insts[last].op == NORN_OP_SWITCH)
      simplify_switch(flow, last);
  }
}

/* Which blocks the entry reaches, and by how many edges. */
static void
survey(Flow *flow) {
  NornFunction *function = flow->function;
  uint32_t depth = 0, entry = function->block_order[0];
  memset(flow->predecessor_count, 0, function->block_count * sizeof *flow->predecessor_count);
  memset(flow->reached, 0, function->block_count * sizeof *flow->reached);
  flow->reached[entry] = true;
  flow->stack[depth++] = entry;
  while (depth) {
    uint32_t block = flow->stack[--depth];
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (function, last, edge) {
      flow->predecessor_count[edge.block]++;
      if (!flow->reached[edge.block]) {
        flow->reached[edge.block] = true;
        flow->stack[depth++] = edge.block;
      }
    }
  }
}

static void
remove_unreached(Flow *flow) {
  NornFunction *function = flow->function;
  bool *remove = g_new0(bool, function->block_count);
  bool any = false;
  norn_for_each_block (function, block) {
    remove[block] = !flow->reached[block];
    any = any || remove[block];
  }
  if (any) {
    norn_blocks_remove(function, remove);
    flow->changed = true;
  }
  g_free(remove);
}

/* Drops parameters that receive one value on every edge (or themselves). `common` holds, for each
 * parameter value, what has been seen: 0 nothing yet, itself: too much. */
static void
merge_parameters(Flow *flow) {
  NornFunction *function = flow->function;
  NornRef *common = g_new0(NornRef, function->value_count);
  bool *keep = g_new(bool, (size_t)function->value_count + 1);
  bool any = false;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (function, last, edge) {
      for (unsigned k = 0; k < edge.argument_count; k++) {
        uint32_t parameter = norn_block_parameter(function, edge.block, k);
        NornRef self = norn_ref(NORN_REF_VALUE, parameter);
        NornRef value = argument(flow, last, &edge, k);
        if (value == self || common[parameter] == value)
          continue;
        common[parameter] = common[parameter] ? self : value;
      }
    }
  }
  memset(keep, true, function->value_count);
  norn_for_each_block (function, block) {
    for (unsigned k = 0; k < function->blocks[block].parameter_count; k++) {
      uint32_t parameter = norn_block_parameter(function, block, k);
      NornRef value = resolve(flow, common[parameter]);
      if (!value || value == norn_ref(NORN_REF_VALUE, parameter))
        continue;
      flow->map[parameter] = value;
      keep[parameter] = false;
      any = true;
    }
  }
  if (any) {
    norn_keep_parameters(function, keep);
    flow->changed = true;
  }
  g_free(common);
  g_free(keep);
}

/* Joins to each block the one it alone jumps to. */
static void
join_blocks(Flow *flow) {
  NornFunction *function = flow->function;
  bool *remove = g_new0(bool, function->block_count);
  uint32_t entry = function->block_order[0];
  bool any = false;
  norn_for_each_block (function, block) {
    if (remove[block])
      continue;
    for (;;) {
      uint32_t last = norn_block_terminator(function, block);
      if (last == NORN_INDEX_NONE || function->insts[last].op != NORN_OP_JUMP)
        break;
      NornEdge edge = edge_of(function, last, 0);
      if (edge.block == block || edge.block == entry || flow->predecessor_count[edge.block] != 1)
        break;
      for (unsigned k = 0; k < edge.argument_count; k++)
        flow->map[norn_block_parameter(function, edge.block, k)] = argument(flow, last, &edge, k);
      norn_inst_erase(function, last);
      norn_block_split(function, function->blocks[edge.block].first, block);
      remove[edge.block] = true;
      any = true;
    }
  }
  if (any) {
    norn_blocks_remove(function, remove);
    flow->changed = true;
  }
  g_free(remove);
}

/* Whether the block does nothing but jump elsewhere. */
static bool
only_jumps(const NornFunction *function, uint32_t block, NornEdge *edge) {
  uint32_t first = function->blocks[block].first;
  if (first == NORN_INDEX_NONE || function->insts[first].op != NORN_OP_JUMP ||
      function->blocks[block].parameter_count)
    return false;
  *edge = edge_of(function, first, 0);
  return edge->block != block;
}

/* Sends edges to blocks that only jump on to where those lead. Edges with arguments stay in a block
 * of their own unless the predecessor has no other edge, because moves may have to go there. */
static void
bypass_blocks(Flow *flow) {
  NornFunction *function = flow->function;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    bool is_jump = function->insts[last].op == NORN_OP_JUMP;
    norn_for_each_edge (function, last, edge) {
      NornEdge onward;
      if (!only_jumps(function, edge.block, &onward) || (onward.argument_count && !is_jump))
        continue;
      uint32_t jump = function->blocks[edge.block].first;
      if (onward.argument_count) {
        unsigned count = function->insts[jump].operand_count;
        NornRef *copy =
            g_memdup2(&function->operands[function->insts[jump].operand], count * sizeof *copy);
        norn_inst_set_operands(function, last, copy, count);
        g_free(copy);
        flow->changed = true;
        break;
      }
      function->operands[function->insts[last].operand + edge.operand] =
          norn_ref(NORN_REF_BLOCK, onward.block);
      flow->changed = true;
    }
  }
}

/* --- Flattening --- */

/* One way out of a branch: straight to `join`, or through the block `arm`, which only computes. The
 * arguments for the join are operands `first` on of instruction `holder`. */
typedef struct Way {
  uint32_t arm, join;
  uint32_t holder, first;
  unsigned argument_count;
  unsigned cost;
} Way;

/* What it costs to execute an instruction needlessly; over the limit if that is not allowed. */
static unsigned
speculation_cost(const NornInst *inst) {
  const uint64_t forbidden = NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY | NORN_OP_PINNED |
                             NORN_OP_CONVERGENT | NORN_OP_ORDERS | NORN_OP_TERMINATOR;
  if (norn_is_machine(inst) || norn_ops[inst->op].flags & forbidden)
    return FLATTEN_COST + 1;
  switch (inst->op) {
  case NORN_OP_COLLECT:
  case NORN_OP_SPLIT:
  case NORN_OP_BITCAST:
    return 0;
  case NORN_OP_FRCP:
  case NORN_OP_FRSQ:
  case NORN_OP_IMUL:
    return FLATTEN_COST / 2;
  case NORN_OP_SDIV:
  case NORN_OP_UDIV:
  case NORN_OP_SREM:
  case NORN_OP_UREM:
  case NORN_OP_FDIV:
  case NORN_OP_FSQRT:
  case NORN_OP_FEXP2:
  case NORN_OP_FLOG2:
  case NORN_OP_FPOW:
  case NORN_OP_FSIN:
  case NORN_OP_FCOS:
    return FLATTEN_COST + 1;
  default:
    break;
  }
  return MAX(1, norn_type_words(inst->type));
}

/* The cost of all but the terminator of a block. */
static unsigned
block_cost(const NornFunction *function, uint32_t block) {
  unsigned cost = 0;
  norn_for_each_inst (function, block, inst) {
    if (inst == function->blocks[block].last)
      break;
    cost += speculation_cost(&function->insts[inst]);
    if (cost > FLATTEN_COST)
      break;
  }
  return cost;
}

static Way
way_of(const Flow *flow, uint32_t inst, const NornEdge *edge) {
  const NornFunction *function = flow->function;
  Way way = {NORN_INDEX_NONE, edge->block, inst, edge->operand + 1, edge->argument_count, 0};
  uint32_t last = norn_block_terminator(function, edge->block);
  if (flow->predecessor_count[edge->block] != 1 || function->blocks[edge->block].parameter_count ||
      last == NORN_INDEX_NONE || function->insts[last].op != NORN_OP_JUMP)
    return way;
  unsigned cost = block_cost(function, edge->block);
  if (cost > FLATTEN_COST)
    return way;
  NornEdge onward = edge_of(function, last, 0);
  return (Way){edge->block, onward.block, last, 1, onward.argument_count, cost};
}

/* The same way without going through its arm. */
static Way
direct_way(uint32_t inst, const NornEdge *edge) {
  return (Way){NORN_INDEX_NONE, edge->block, inst, edge->operand + 1, edge->argument_count, 0};
}

static NornRef
way_argument(const Flow *flow, const Way *way, unsigned k) {
  return resolve(flow, norn_operand(flow->function, way->holder, way->first + k));
}

/* The cost of choosing between the arguments of two ways. */
static unsigned
selection_cost(const Flow *flow, const Way *yes, const Way *no) {
  const NornFunction *function = flow->function;
  unsigned cost = 0;
  for (unsigned k = 0; k < yes->argument_count; k++) {
    if (way_argument(flow, yes, k) == way_argument(flow, no, k))
      continue;
    NornType type = function->values[norn_block_parameter(function, yes->join, k)].type;
    if (norn_types[type].class == NORN_CLASS_GROUP)
      return FLATTEN_COST + 1;
    cost += MAX(1, norn_type_words(type));
  }
  return cost;
}

/* Moves all but the terminator of `from`, which nothing will lead to any more, before instruction
 * `before`. */
static void
hoist(Flow *flow, uint32_t from, uint32_t before) {
  NornFunction *function = flow->function;
  for (uint32_t inst = function->blocks[from].first, next; inst != function->blocks[from].last;
       inst = next) {
    next = function->insts[inst].next;
    norn_inst_unlink(function, inst);
    norn_inst_insert_before(function, inst, before);
  }
  flow->reached[from] = false;
  flow->predecessor_count[from] = 0;
}

/* A new instruction with one result before `before`. */
static NornRef
insert(Flow *flow, uint32_t before, NornOp op, NornType type, const NornRef *operands,
       unsigned count) {
  NornFunction *function = flow->function;
  uint32_t index = norn_inst_create(function, op, count, 1);
  NornInst *inst = &function->insts[index];
  inst->type = type;
  inst->line = function->insts[before].line;
  inst->column = function->insts[before].column;
  function->values[inst->result].type = type;
  norn_inst_set_operands(function, index, operands, count);
  norn_inst_insert_before(function, index, before);
  return norn_result(function, index, 0);
}

/* Computes both ways before the branch and selects the arguments of the join. */
static void
flatten(Flow *flow, uint32_t branch, const Way *yes, const Way *no) {
  NornFunction *function = flow->function;
  NornRef condition = resolve(flow, norn_operand(function, branch, 0));
  unsigned count = yes->argument_count;
  NornRef *operands = g_new(NornRef, 1 + count);
  operands[0] = norn_ref(NORN_REF_BLOCK, yes->join);
  if (yes->arm != NORN_INDEX_NONE)
    hoist(flow, yes->arm, branch);
  if (no->arm != NORN_INDEX_NONE)
    hoist(flow, no->arm, branch);
  flow->predecessor_count[yes->join]--;
  for (unsigned k = 0; k < count; k++) {
    NornRef yes_value = way_argument(flow, yes, k), no_value = way_argument(flow, no, k);
    NornType type = function->values[norn_block_parameter(function, yes->join, k)].type;
    operands[1 + k] = yes_value == no_value
                          ? yes_value
                          : insert(flow, branch, NORN_OP_SELECT, type,
                                   (NornRef[]){condition, yes_value, no_value}, 3);
  }
  function->insts[branch].op = NORN_OP_JUMP;
  function->insts[branch].flags = 0;
  norn_inst_set_operands(function, branch, operands, 1 + count);
  g_free(operands);
  flow->changed = true;
}

/* Flattens the branch if its ways meet at once. */
static bool
try_flatten(Flow *flow, uint32_t branch) {
  NornEdge edges[2] = {edge_of(flow->function, branch, 0), edge_of(flow->function, branch, 1)};
  Way through[2] = {way_of(flow, branch, &edges[0]), way_of(flow, branch, &edges[1])};
  Way direct[2] = {direct_way(branch, &edges[0]), direct_way(branch, &edges[1])};
  const Way *pairs[][2] = {{&direct[0], &direct[1]},
                           {&through[0], &direct[1]},
                           {&direct[0], &through[1]},
                           {&through[0], &through[1]}};
  for (unsigned k = 0; k < G_N_ELEMENTS(pairs); k++) {
    const Way *yes = pairs[k][0], *no = pairs[k][1];
    if (yes->join != no->join || yes->arm == yes->join || no->arm == no->join)
      continue;
    if (yes->cost + no->cost + selection_cost(flow, yes, no) > FLATTEN_COST)
      continue;
    flatten(flow, branch, yes, no);
    return true;
  }
  return false;
}

/* `first` branches to a block that only computes and branches again, and one target is common: one
 * branch on the conjunction or disjunction does both. */
static void
try_chain(Flow *flow, uint32_t first) {
  NornFunction *function = flow->function;
  uint32_t home = function->insts[first].block;
  for (unsigned side = 0; side < 2; side++) {
    NornEdge to_second = edge_of(function, first, side),
             common = edge_of(function, first, 1 - side);
    uint32_t middle = to_second.block;
    uint32_t second = norn_block_terminator(function, middle);
    if (middle == home || flow->predecessor_count[middle] != 1 || second == NORN_INDEX_NONE ||
        function->blocks[middle].parameter_count || function->insts[second].op != NORN_OP_BR ||
        block_cost(function, middle) > FLATTEN_COST)
      continue;
    for (unsigned way = 0; way < 2; way++) {
      NornEdge shared = edge_of(function, second, way);
      Way a = direct_way(first, &common), b = direct_way(second, &shared);
      if (shared.block != common.block || selection_cost(flow, &a, &b))
        continue;
      /* The common target is reached if the first condition is `side` (as a truth value: the edge
       * taken is the other one) or the second is `way` == 0. */
      NornRef conditions[2] = {resolve(flow, norn_operand(function, first, 0)),
                               resolve(flow, norn_operand(function, second, 0))};
      hoist(flow, middle, first);
      flow->predecessor_count[common.block]--;
      if ((side == 1) != (way == 0))
        conditions[0] = insert(flow, first, NORN_OP_NOT, NORN_TYPE_I1, &conditions[0], 1);
      NornRef both =
          insert(flow, first, way == 0 ? NORN_OP_OR : NORN_OP_AND, NORN_TYPE_I1, conditions, 2);
      unsigned count = function->insts[second].operand_count;
      NornRef *operands =
          g_memdup2(&function->operands[function->insts[second].operand], count * sizeof *operands);
      operands[0] = both;
      norn_inst_set_operands(function, first, operands, count);
      g_free(operands);
      flow->changed = true;
      return;
    }
  }
}

static void
flatten_branches(Flow *flow) {
  NornFunction *function = flow->function;
  norn_for_each_block (function, block) {
    if (!flow->reached[block])
      continue;
    uint32_t last = norn_block_terminator(function, block);
    if (last != NORN_INDEX_NONE && function->insts[last].op == NORN_OP_BR &&
        !try_flatten(flow, last))
      try_chain(flow, last);
  }
}

/* Makes room in the map for values created since it was made. */
static void
grow_map(Flow *flow) {
  uint32_t count = flow->function->value_count;
  flow->map = g_renew(NornRef, flow->map, (size_t)count + 1);
  memset(flow->map + flow->map_size, 0, (count - flow->map_size) * sizeof *flow->map);
  flow->map_size = count;
}

static void
apply_map(Flow *flow) {
  norn_function_replace_values(flow->function, flow->map);
  memset(flow->map, 0, flow->map_size * sizeof *flow->map);
}

bool
norn_pass_simplify_cfg(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool any = false;
  Flow flow = {.function = function, .map_size = function->value_count};
  flow.map = g_new0(NornRef, (size_t)flow.map_size + 1);
  flow.predecessor_count = g_new(uint32_t, function->block_count);
  flow.reached = g_new(bool, function->block_count);
  flow.stack = g_new(uint32_t, function->block_count);
  flow.changed = true;
  for (unsigned round = 0; round < ROUNDS && flow.changed; round++) {
    flow.changed = false;
    simplify_terminators(&flow);
    survey(&flow);
    remove_unreached(&flow);
    merge_parameters(&flow);
    join_blocks(&flow);
    apply_map(&flow);
    bypass_blocks(&flow);
    survey(&flow);
    remove_unreached(&flow);
    flatten_branches(&flow);
    grow_map(&flow);
    any = any || flow.changed;
  }
  survey(&flow);
  remove_unreached(&flow);
  if (any || flow.changed) {
    norn_pass_blocks_changed(context);
    context->changed = true;
  }
  g_free(flow.map);
  g_free(flow.predecessor_count);
  g_free(flow.reached);
  g_free(flow.stack);
  return true;
}
