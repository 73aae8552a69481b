/* Trip counts by evaluation.
 *
 * The slice of a condition is everything it is computed from, up to constants and parameters of the
 * loop's header: a few operations that depend on nothing but their operands. A parameter belongs to
 * the slice if all edges into the loop pass the same constant and all back edges pass the same
 * value, which is part of the slice in turn. The slice is then evaluated iteration by iteration,
 * with the same functions as constant folding and the interpreter, so the count is exact for any
 * operation: steps of any kind, wraparound, floats. The operations have no effects and need not be
 * executed in every iteration: all that matters is the value they would compute wherever the branch
 * is executed. */
#include "ir/analysis/trip_count.h"
#include "ir/evaluate.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include <string.h>

/* Limit on the values in one slice. */
#define MAX_NODES 48
/* Limit on the blocks that are searched for an exit, from the last one of an iteration up. */
#define MAX_STEPS 256

/* A value of the slice. Nodes come after those they are computed from. */
typedef struct SliceNode {
  NornRef ref;
  bool is_counter;
  NornEvaluator evaluator; /* for an instruction */
  uint8_t operands[NORN_EVALUATE_OPERANDS];
  uint8_t result;
  uint8_t next; /* for a counter: the node of its value in the next iteration */
  uint64_t bits;
} SliceNode;

typedef struct Slice {
  const NornNaturalLoop *loop;
  NornFloatEnvironment environment;
  bool with_outer; /* counters of outer loops take part; the slice then cannot be evaluated */
  unsigned depth;  /* of the value being added */
  unsigned count;
  SliceNode nodes[MAX_NODES];
} Slice;

#define NO_NODE MAX_NODES

static void
slice_init(Slice *slice, const NornNaturalLoop *loop) {
  const NornModule *module = loop->function->module;
  slice->loop = loop;
  slice->environment = norn_float_environment(module->rounding, module->denormals);
  slice->with_outer = false;
  slice->depth = slice->count = 0;
}

static unsigned
find_node(const Slice *slice, NornRef ref) {
  for (unsigned k = 0; k < slice->count; k++)
    if (slice->nodes[k].ref == ref)
      return k;
  return NO_NODE;
}

static unsigned
push_node(Slice *slice, const SliceNode *node) {
  if (slice->count == MAX_NODES)
    return NO_NODE;
  slice->nodes[slice->count] = *node;
  return slice->count++;
}

/* The argument that all edges from inside the loop, or all others, pass to a parameter of the
 * header; 0 if they differ. */
static NornRef
common_argument(const NornNaturalLoop *loop, unsigned index, bool from_inside) {
  const NornFunction *function = loop->function;
  const NornDominance *dominance = loop->dominance;
  uint32_t header = loop->header;
  NornRef common = 0;
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, header); k++) {
    uint32_t from = norn_predecessor(dominance, header, k);
    uint32_t last = norn_block(function, from)->last;
    if (norn_loop_contains(dominance, header, from) != from_inside)
      continue;
    norn_for_each_edge (function, last, edge) {
      if (edge.block != header)
        continue;
      NornRef argument = norn_operand(function, last, edge.operand + 1 + index);
      if (common && common != argument)
        return 0;
      common = argument;
    }
  }
  return common;
}

/* Whether the block heads a loop whose counters take part. */
static bool
has_counters(const Slice *slice, uint32_t block) {
  const NornNaturalLoop *loop = slice->loop;
  return block == loop->header ||
         (slice->with_outer && loop->dominance->loop_header[block] == block &&
          norn_loop_contains(loop->dominance, block, loop->header));
}

/* The argument for a counter that all edges from inside its loop, or all others, pass. */
static NornRef
counter_argument(const Slice *slice, const NornValue *counter, bool from_inside) {
  NornNaturalLoop loop = *slice->loop;
  loop.header = counter->def;
  return common_argument(&loop, counter->index, from_inside);
}

static unsigned add_value(Slice *slice, NornRef ref);

static unsigned
add_counter(Slice *slice, NornRef ref, const NornValue *value) {
  SliceNode node = {.ref = ref, .is_counter = true, .next = NO_NODE};
  if (!has_counters(slice, value->def))
    return NO_NODE;
  NornRef first = counter_argument(slice, value, false);
  if (norn_is_constant(first))
    node.bits = norn_constant_bits(slice->loop->function->module, first);
  else if (!first || !slice->with_outer)
    return NO_NODE;
  return push_node(slice, &node);
}

static unsigned
add_inst(Slice *slice, NornRef ref, const NornInst *inst) {
  SliceNode node = {.ref = ref, .result = (uint8_t)(norn_ref_payload(ref) - inst->result)};
  if (norn_is_machine(inst) || inst->operand_count > NORN_EVALUATE_OPERANDS ||
      !norn_evaluator_init(&node.evaluator, inst->op, inst->type, inst->source_type, inst->modifier,
                           &slice->environment) ||
      node.evaluator.operand_count != inst->operand_count ||
      node.evaluator.result_count != inst->result_count)
    return NO_NODE;
  if (slice->depth == MAX_NODES)
    return NO_NODE;
  slice->depth++;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    unsigned operand = add_value(slice, norn_operands(slice->loop->function, inst)[k]);
    if (operand == NO_NODE)
      return NO_NODE;
    node.operands[k] = (uint8_t)operand;
  }
  slice->depth--;
  return push_node(slice, &node);
}

/* The node of a value; NO_NODE if it cannot have one. */
static unsigned
add_value(Slice *slice, NornRef ref) {
  unsigned known = find_node(slice, ref);
  if (known != NO_NODE)
    return known;
  if (norn_is_constant(ref)) {
    SliceNode node = {.ref = ref, .bits = norn_constant_bits(slice->loop->function->module, ref)};
    return push_node(slice, &node);
  }
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return NO_NODE;
  const NornValue *value = norn_value(slice->loop->function, norn_ref_payload(ref));
  return value->is_parameter ? add_counter(slice, ref, value)
                             : add_inst(slice, ref, norn_inst(slice->loop->function, value->def));
}

/* Adds the value and the values of the counters in the next iteration. */
static bool
add_root(Slice *slice, NornRef ref) {
  bool is_known = add_value(slice, ref) != NO_NODE;
  for (unsigned k = 0; k < slice->count && is_known; k++) {
    SliceNode *node = &slice->nodes[k];
    if (!node->is_counter)
      continue;
    const NornValue *value = norn_value(slice->loop->function, norn_ref_payload(node->ref));
    NornRef next = counter_argument(slice, value, true);
    is_known = next && (node->next = (uint8_t)add_value(slice, next)) != NO_NODE;
    if (is_known && slice->with_outer)
      is_known = add_value(slice, counter_argument(slice, value, false)) != NO_NODE;
  }
  return is_known;
}

/* Evaluates the instructions of one iteration. */
static void
evaluate_iteration(Slice *slice, uint64_t *work) {
  *work += slice->count;
  for (unsigned k = 0; k < slice->count; k++) {
    SliceNode *node = &slice->nodes[k];
    uint64_t operands[NORN_EVALUATE_OPERANDS], results[NORN_EVALUATE_RESULTS];
    if (!node->evaluator.function)
      continue;
    for (unsigned i = 0; i < node->evaluator.operand_count; i++)
      operands[i] = slice->nodes[node->operands[i]].bits;
    norn_evaluate(&node->evaluator, operands, results);
    node->bits = results[node->result];
  }
}

/* Returns whether the value of some counter changes. */
static bool
begin_next_iteration(Slice *slice) {
  uint64_t bits[MAX_NODES];
  bool changes = false;
  for (unsigned k = 0; k < slice->count; k++)
    if (slice->nodes[k].is_counter)
      bits[k] = slice->nodes[slice->nodes[k].next].bits;
  for (unsigned k = 0; k < slice->count; k++)
    if (slice->nodes[k].is_counter) {
      changes |= slice->nodes[k].bits != bits[k];
      slice->nodes[k].bits = bits[k];
    }
  return changes;
}

/* Finds the edge of a block's branch that leaves the loop, if there is exactly one. */
static bool
find_leaving_edge(const NornNaturalLoop *loop, uint32_t block, unsigned *leaving) {
  const NornFunction *function = loop->function;
  uint32_t last = norn_block(function, block)->last;
  unsigned number = 0, count = 0;
  if (norn_inst(function, last)->op != NORN_OP_BR)
    return false;
  norn_for_each_edge (function, last, edge) {
    if (!norn_loop_contains(loop->dominance, loop->header, edge.block)) {
      *leaving = number;
      count++;
    }
    number++;
  }
  return count == 1;
}

/* Evaluates the branch of block found->exit, iteration by iteration. */
static bool
evaluate_exit(const NornNaturalLoop *loop, uint32_t max_last, NornTripCount *found,
              uint64_t *work) {
  const NornFunction *function = loop->function;
  Slice slice;
  NornRef condition = norn_operand(function, norn_block(function, found->exit)->last, 0);
  slice_init(&slice, loop);
  if (!add_root(&slice, condition))
    return false;
  unsigned root = find_node(&slice, condition);
  found->cost = 0;
  for (unsigned k = 0; k < slice.count; k++)
    found->cost += slice.nodes[k].evaluator.function != NULL;
  for (found->last = 0; found->last <= max_last; found->last++) {
    evaluate_iteration(&slice, work);
    if (slice.nodes[root].bits == !found->edge)
      return true;
    begin_next_iteration(&slice);
  }
  return false;
}

/* The last block that all back edges go through. */
static uint32_t
common_latch(const NornNaturalLoop *loop) {
  const NornDominance *dominance = loop->dominance;
  uint32_t header = loop->header, common = NORN_INDEX_NONE;
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, header); k++) {
    uint32_t from = norn_predecessor(dominance, header, k);
    if (!norn_loop_contains(dominance, header, from))
      continue;
    common = common == NORN_INDEX_NONE ? from : norn_common_dominator(dominance, common, from);
  }
  return common;
}

bool
norn_find_trip_count(const NornNaturalLoop *loop, uint32_t max_last, NornTripCount *found,
                     uint64_t *work) {
  const NornDominance *dominance = loop->dominance;
  bool any = false;
  uint32_t block = common_latch(loop);
  for (unsigned step = 0; step < MAX_STEPS; step++, block = dominance->idom[block]) {
    NornTripCount exit = {.exit = block};
    if (dominance->loop_header[block] == loop->header &&
        find_leaving_edge(loop, block, &exit.edge) &&
        evaluate_exit(loop, any ? found->last : max_last, &exit, work)) {
      *found = exit;
      any = true;
    }
    if (block == loop->header)
      break;
  }
  return any;
}

bool
norn_is_counted(const NornNaturalLoop *loop, NornRef ref) {
  Slice slice;
  slice_init(&slice, loop);
  slice.with_outer = true;
  return add_root(&slice, ref);
}

/* --- Limits --- */

/* The only block with an edge back to the header, if it has one such edge. */
static uint32_t
only_latch(const NornNaturalLoop *loop) {
  const NornFunction *function = loop->function;
  const NornDominance *dominance = loop->dominance;
  uint32_t header = loop->header, latch = NORN_INDEX_NONE;
  unsigned count = 0;
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, header); k++) {
    uint32_t from = norn_predecessor(dominance, header, k);
    if (norn_loop_contains(dominance, header, from))
      latch = from;
  }
  norn_for_each_edge (function, norn_block(function, latch)->last, edge)
    count += edge.block == header;
  return count == 1 && common_latch(loop) == latch ? latch : NORN_INDEX_NONE;
}

/* The same for parameter k of the header; *next: what the next iteration gets. */
static bool
find_step(const NornNaturalLoop *loop, unsigned k, NornRef *next, int64_t *step) {
  const NornFunction *function = loop->function;
  NornRef counter = norn_ref(NORN_REF_VALUE, norn_block_parameter(function, loop->header, k));
  *next = common_argument(loop, k, true);
  const NornInst *sum = norn_defining_inst(function, *next);
  if (!sum || sum->op != NORN_OP_IADD || norn_operands(function, sum)[0] != counter ||
      !norn_is_constant(norn_operands(function, sum)[1]))
    return false;
  *step =
      norn_int_sign_extend(norn_constant_bits(function->module, norn_operands(function, sum)[1]),
                           norn_types[sum->type].lane_bits);
  return true;
}

bool
norn_find_step(const NornNaturalLoop *loop, NornRef counter, int64_t *step) {
  if (norn_ref_kind(counter) != NORN_REF_VALUE)
    return false;
  const NornValue *value = norn_value(loop->function, norn_ref_payload(counter));
  NornRef next;
  return value->is_parameter && value->def == loop->header &&
         find_step(loop, value->index, &next, step);
}

/* Whether the value is that of a counter of the loop in the next iteration. */
static bool
find_counter(const NornNaturalLoop *loop, NornRef tested, NornLimit *found) {
  for (unsigned k = 0; k < norn_block(loop->function, loop->header)->parameter_count; k++) {
    NornRef next;
    int64_t step;
    if (!find_step(loop, k, &next, &step) || tested != next)
      continue;
    found->parameter = k;
    found->goes_down = step < 0;
    found->step = (uint64_t)(step < 0 ? -step : step);
    return step >= -NORN_MAX_STEP && step <= NORN_MAX_STEP;
  }
  return false;
}

/* Whether a counter that steps in that direction can only go from values for which the condition
 * holds to others, if it does not wrap. */
static bool
goes_to_limit(const NornLimit *limit) {
  switch (limit->condition) {
  case NORN_INT_CONDITION_NE:
    return limit->step == 1;
  case NORN_INT_CONDITION_SLT:
  case NORN_INT_CONDITION_SLE:
  case NORN_INT_CONDITION_ULT:
  case NORN_INT_CONDITION_ULE:
    return limit->step && !limit->goes_down;
  case NORN_INT_CONDITION_SGT:
  case NORN_INT_CONDITION_SGE:
  case NORN_INT_CONDITION_UGT:
  case NORN_INT_CONDITION_UGE:
    return limit->goes_down;
  default:
    return false;
  }
}

bool
norn_find_limit(const NornNaturalLoop *loop, NornLimit *found) {
  const NornFunction *function = loop->function;
  uint32_t latch = only_latch(loop);
  if (latch == NORN_INDEX_NONE || !find_leaving_edge(loop, latch, &found->edge))
    return false;
  NornRef condition = norn_operand(function, norn_block(function, latch)->last, 0);
  const NornInst *test = norn_defining_inst(function, condition);
  if (!test || test->op != NORN_OP_ICMP ||
      (test->type != NORN_TYPE_I32 && test->type != NORN_TYPE_I64))
    return false;
  const NornRef *operands = norn_operands(function, test);
  found->latch = latch;
  found->type = (NornType)test->type;
  found->condition = found->edge ? test->modifier : norn_inverse_int_condition(test->modifier);
  for (unsigned k = 0; k < 2; k++) {
    found->limit = operands[1 - k];
    if (!norn_loop_defines(loop->dominance, function, loop->header, found->limit) &&
        find_counter(loop, operands[k], found))
      return goes_to_limit(found);
    found->condition = norn_swapped_int_condition(found->condition);
  }
  return false;
}

/* --- The first iteration --- */

/* Whether a counter with step 1 cannot go past the limit: there are values for which the loop ends,
 * whatever the limit is. */
static bool
always_ends(unsigned condition) {
  switch (condition) {
  case NORN_INT_CONDITION_NE:
  case NORN_INT_CONDITION_SLT:
  case NORN_INT_CONDITION_ULT:
  case NORN_INT_CONDITION_SGT:
  case NORN_INT_CONDITION_UGT:
    return true;
  default:
    return false;
  }
}

/* Whether the condition compares the loop's counter with its first value. It cannot have that value
 * again if it takes all others before, and the loop ends for one of these. */
static bool
compares_with_first(const NornNaturalLoop *loop, NornRef condition, const NornLimit *limit,
                    bool *first) {
  const NornFunction *function = loop->function;
  const NornInst *test = norn_defining_inst(function, condition);
  if (!test || test->op != NORN_OP_ICMP || limit->step != 1 || !always_ends(limit->condition))
    return false;
  const NornRef *operands = norn_operands(function, test);
  NornRef counter =
      norn_ref(NORN_REF_VALUE, norn_block_parameter(function, loop->header, limit->parameter));
  NornRef start = common_argument(loop, limit->parameter, false);
  *first = test->modifier == NORN_INT_CONDITION_EQ;
  return start && (*first || test->modifier == NORN_INT_CONDITION_NE) &&
         ((operands[0] == counter && operands[1] == start) ||
          (operands[1] == counter && operands[0] == start));
}

bool
norn_tells_first(const NornNaturalLoop *loop, NornRef condition, uint32_t last,
                 const NornLimit *limit, bool *first, uint64_t *work) {
  if (limit && compares_with_first(loop, condition, limit, first))
    return true;
  Slice slice;
  slice_init(&slice, loop);
  if (!last || !add_root(&slice, condition))
    return false;
  unsigned root = find_node(&slice, condition);
  evaluate_iteration(&slice, work);
  *first = slice.nodes[root].bits;
  bool changes = begin_next_iteration(&slice);
  for (uint32_t k = 1; k <= last; k++) {
    evaluate_iteration(&slice, work);
    if (slice.nodes[root].bits == *first)
      return false;
    changes = begin_next_iteration(&slice);
    if (!changes || (last == NORN_INDEX_NONE && k > 1))
      return !changes;
  }
  return true;
}
