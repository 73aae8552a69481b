/* Sinks common code: operations at the end of all arms of a branch are done once, where the arms
 * join.
 *
 *   a:  %x = fmul %u, 3     jump j(%x)             a:  jump j(%u)
 *   b:  %y = fmul %v, 3     jump j(%y)      ->     b:  jump j(%v)
 *   j(%z):  ...                                    j(%w):  %z = fmul %w, 3
 *
 * An arm is a block whose only successor is the join. The pass sinks stores to one address together
 * with the instructions that only they need, and instructions that compute the arguments of the
 * join: trees of arithmetic whose values have no other uses. Each tree is cut where that takes the
 * fewest instructions. A sunk instruction is saved in all arms but one. Where the arms differ, the
 * join gets a parameter, which costs a move in each arm that does not compute the value only for
 * that parameter.
 *
 * The join executes whenever one of its arms does, so no instruction is executed needlessly, and
 * what lanes can see of each other does not change. A store is not moved across other accesses to
 * memory. Loop headers are left unchanged: their predecessors inside the loop execute as often as
 * they do. */
#include "ir/analysis/alias.h"
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/block_parameters.h"
#include "passes/pass.h"
#include <string.h>

#define MAX_ARMS 8
#define MAX_DEPTH 12    /* of a tree */
#define MAX_COMPARED 32 /* parameters that are searched for one with the same values */
#define MAX_PASSED 64   /* instructions in an arm that a store may be moved across */
/* The weight of a store that is saved in an arm, in instructions: it is a message. */
#define STORE_WEIGHT 4
#define FORBIDDEN (1 << 16) /* more than sinking ever saves */

/* The values of each arm for one value or operand in the join. */
typedef struct ArmValues {
  NornRef refs[MAX_ARMS];
} ArmValues;

typedef struct Sinking {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  const uint32_t *uses; /* by value, for those that existed before the pass */
  uint32_t value_count;
  uint32_t join, arms[MAX_ARMS];
  unsigned arm_count;
  NornParameterChange change; /* of the join */
  NORN_LIST(ArmValues) added; /* the values that the arms pass for the new parameters */
  NornReplacements replacements;
  bool changed;
} Sinking;

/* Whether all arms have the same value. */
static bool
is_same(const Sinking *sinking, const ArmValues *row) {
  for (unsigned k = 1; k < sinking->arm_count; k++)
    if (row->refs[k] != row->refs[0])
      return false;
  return true;
}

/* The instruction that computes the value in arm k if the join is its only user; else NULL. */
static const NornInst *
computed_in_arm(const Sinking *sinking, const ArmValues *row, unsigned k) {
  const NornInst *inst = norn_defining_inst(sinking->function, row->refs[k]);
  return inst && inst->block == sinking->arms[k] && inst->result < sinking->value_count &&
                 sinking->uses[inst->result] == 1
             ? inst
             : NULL;
}

static bool
does_the_same(const NornInst *a, const NornInst *b) {
  return norn_form_key(a) == norn_form_key(b) && a->payload == b->payload &&
         a->operand_count == b->operand_count &&
         (a->flags | NORN_INST_DIVERGENT) == (b->flags | NORN_INST_DIVERGENT);
}

/* The instruction of the first arm, if it can be merged with those of the others in the join. */
static const NornInst *
find_common(const Sinking *sinking, const ArmValues *row) {
  const NornInst *first = computed_in_arm(sinking, row, 0);
  if (!first || first->result_count != 1 || norn_is_machine(first) ||
      norn_ops[first->op].flags & NORN_OP_STAYS || first->op == NORN_OP_ALLOCA)
    return NULL;
  for (unsigned k = 1; k < sinking->arm_count; k++) {
    const NornInst *other = computed_in_arm(sinking, row, k);
    if (!other || !does_the_same(first, other))
      return NULL;
  }
  return first;
}

/* Operand k of the instructions that compute the row. */
static ArmValues
operand_row(const Sinking *sinking, const uint32_t *insts, unsigned k) {
  ArmValues row = {{0}};
  for (unsigned arm = 0; arm < sinking->arm_count; arm++)
    row.refs[arm] = norn_operand(sinking->function, insts[arm], k);
  return row;
}

static void
defining_insts(const Sinking *sinking, const ArmValues *row, uint32_t *insts) {
  for (unsigned k = 0; k < sinking->arm_count; k++)
    insts[k] = norn_value(sinking->function, norn_ref_payload(row->refs[k]))->def;
}

/* The values that the arms pass for parameter k of the join. */
static ArmValues
parameter_row(const Sinking *sinking, unsigned k) {
  ArmValues row = {{0}};
  for (unsigned arm = 0; arm < sinking->arm_count; arm++)
    row.refs[arm] = norn_operand(sinking->function,
                                 norn_block(sinking->function, sinking->arms[arm])->last, 1 + k);
  return row;
}

static bool
is_equal(const Sinking *sinking, const ArmValues *a, const ArmValues *b) {
  return !memcmp(a->refs, b->refs, sinking->arm_count * sizeof *a->refs);
}

/* The parameter of the join that has the values of the row, which are of that type, among the first
 * existing and the last new ones; NORN_INDEX_NONE if there is none. Equal constants and uniforms
 * may be of any type. */
static uint32_t
find_parameter(const Sinking *sinking, const ArmValues *row, NornType type) {
  const NornFunction *function = sinking->function;
  unsigned count = MIN(norn_block(function, sinking->join)->parameter_count, MAX_COMPARED);
  for (unsigned k = 0; k < count; k++) {
    uint32_t parameter = norn_block_parameter(function, sinking->join, k);
    NornRef self = norn_ref(NORN_REF_VALUE, parameter);
    ArmValues other = parameter_row(sinking, k);
    if (norn_value(function, parameter)->type == type && is_equal(sinking, &other, row) &&
        norn_replacements_get(&sinking->replacements, self) == self)
      return parameter;
  }
  uint32_t end = sinking->added.count;
  for (uint32_t k = end - MIN(end, MAX_COMPARED); k < end; k++)
    if (norn_value(function, sinking->change.added.items[k])->type == type &&
        is_equal(sinking, &sinking->added.items[k], row))
      return sinking->change.added.items[k];
  return NORN_INDEX_NONE;
}

/* The number of moves that a parameter of the type takes. */
static int
parameter_cost(const Sinking *sinking, const ArmValues *row, NornType type) {
  if (type == NORN_TYPE_VOID)
    return FORBIDDEN;
  int words = (int)MAX(1, norn_type_words(type)), cost = 0;
  for (unsigned k = 0; k < sinking->arm_count; k++) {
    const NornInst *inst = norn_defining_inst(sinking->function, row->refs[k]);
    if (inst && inst->op == NORN_OP_ALLOCA)
      return FORBIDDEN;
    cost += computed_in_arm(sinking, row, k) ? 0 : words;
  }
  return cost;
}

/* Whether operand k must be a constant. */
static bool
is_immediate(const NornInst *inst, unsigned k) {
  NornSignatureCursor cursor = norn_inst_operands(inst);
  norn_cursor_skip(&cursor, k);
  return norn_cursor_kind(&cursor) == NORN_LETTER_IMMEDIATE;
}

static int sinking_cost(const Sinking *sinking, const uint32_t *insts, unsigned depth);

/* The number of instructions needed to have the row's value in the join; negative if some are
 * saved. */
static int
row_cost(const Sinking *sinking, const ArmValues *row, NornType type, unsigned depth, bool *sinks) {
  *sinks = false;
  if (is_same(sinking, row))
    return 0;
  int as_parameter = parameter_cost(sinking, row, type);
  if (depth && find_parameter(sinking, row, type) != NORN_INDEX_NONE)
    return 0;
  if (depth >= MAX_DEPTH || !find_common(sinking, row))
    return as_parameter;
  uint32_t insts[MAX_ARMS];
  defining_insts(sinking, row, insts);
  int sunk = sinking_cost(sinking, insts, depth + 1) - (int)sinking->arm_count + 1;
  *sinks = sunk < as_parameter;
  return MIN(sunk, as_parameter);
}

/* The same for the operands of instructions that are merged. */
static int
sinking_cost(const Sinking *sinking, const uint32_t *insts, unsigned depth) {
  const NornInst *first = norn_inst(sinking->function, insts[0]);
  int cost = 0;
  for (unsigned k = 0; k < first->operand_count; k++) {
    ArmValues row = operand_row(sinking, insts, k);
    bool sinks;
    if (is_immediate(first, k) && !is_same(sinking, &row))
      return FORBIDDEN;
    cost +=
        row_cost(sinking, &row, norn_operand_type(sinking->function, insts[0], k), depth, &sinks);
    if (cost >= FORBIDDEN)
      return FORBIDDEN;
  }
  return cost;
}

/* --- Moving --- */

static NornRef
add_parameter(Sinking *sinking, const ArmValues *row, NornType type) {
  uint32_t value = norn_parameter_create(sinking->function, type);
  norn_list_push(&sinking->context->arena, &sinking->change.added, value);
  norn_list_push(&sinking->context->arena, &sinking->added, *row);
  return norn_ref(NORN_REF_VALUE, value);
}

static void sink(Sinking *sinking, const NornBuilder *builder, const uint32_t *insts,
                 unsigned depth);

/* Builds the row's value in the join. */
static NornRef
make_row(Sinking *sinking, const NornBuilder *builder, const ArmValues *row, NornType type,
         unsigned depth) {
  bool sinks;
  if (is_same(sinking, row))
    return row->refs[0];
  uint32_t parameter = depth ? find_parameter(sinking, row, type) : NORN_INDEX_NONE;
  if (parameter != NORN_INDEX_NONE)
    return norn_ref(NORN_REF_VALUE, parameter);
  row_cost(sinking, row, type, depth, &sinks);
  if (!sinks)
    return add_parameter(sinking, row, type);
  uint32_t insts[MAX_ARMS];
  defining_insts(sinking, row, insts);
  sink(sinking, builder, insts, depth + 1);
  return row->refs[0];
}

/* Moves the first of the instructions to the join and erases the others. */
static void
sink(Sinking *sinking, const NornBuilder *builder, const uint32_t *insts, unsigned depth) {
  NornFunction *function = sinking->function;
  for (unsigned k = 0; k < norn_inst(function, insts[0])->operand_count; k++) {
    ArmValues row = operand_row(sinking, insts, k);
    NornRef operand =
        make_row(sinking, builder, &row, norn_operand_type(function, insts[0], k), depth);
    norn_set_operand(function, insts[0], k, operand);
  }
  norn_builder_insert(builder, insts[0]);
  for (unsigned k = 1; k < sinking->arm_count; k++)
    norn_inst_erase(function, insts[k]);
  sinking->changed = true;
}

/* --- Choosing what to sink --- */

/* The last instruction of a block before its terminator that may not move freely, if it is near;
 * otherwise one that may, or NORN_INDEX_NONE. */
static uint32_t
last_that_stays(const NornFunction *function, uint32_t block) {
  uint32_t inst = norn_inst(function, norn_block(function, block)->last)->previous;
  for (unsigned step = 0; step < MAX_PASSED && inst != NORN_INDEX_NONE; step++) {
    const NornInst *self = norn_inst(function, inst);
    if (norn_is_machine(self) || norn_ops[self->op].flags & NORN_OP_STAYS)
      break;
    inst = self->previous;
  }
  return inst;
}

/* Sinks the last stores of the arms if they have one address and sinking them pays. Returns whether
 * they were sunk. */
static bool
try_stores(Sinking *sinking) {
  const NornFunction *function = sinking->function;
  uint32_t insts[MAX_ARMS] = {0};
  for (unsigned k = 0; k < sinking->arm_count; k++) {
    insts[k] = last_that_stays(function, sinking->arms[k]);
    if (insts[k] == NORN_INDEX_NONE || !norn_is_plain_store(norn_inst(function, insts[k])) ||
        !does_the_same(norn_inst(function, insts[0]), norn_inst(function, insts[k])))
      return false;
  }
  for (unsigned k = 1; k < norn_inst(function, insts[0])->operand_count; k++) {
    ArmValues row = operand_row(sinking, insts, k);
    if (!is_same(sinking, &row))
      return false;
  }
  if (sinking_cost(sinking, insts, 1) >= STORE_WEIGHT * ((int)sinking->arm_count - 1))
    return false;
  NornBuilder builder = norn_builder_at_start(sinking->function, sinking->join);
  sink(sinking, &builder, insts, 1);
  return true;
}

/* Sinks the computation of a parameter of the join if that pays. */
static void
try_parameter(Sinking *sinking, unsigned k) {
  NornFunction *function = sinking->function;
  uint32_t parameter = norn_block_parameter(function, sinking->join, k);
  ArmValues row = parameter_row(sinking, k);
  NornType type = norn_value(function, parameter)->type;
  bool sinks;
  if (is_same(sinking, &row) || row_cost(sinking, &row, type, 0, &sinks) >= 0 || !sinks)
    return;
  NornBuilder builder = norn_builder_at_start(function, sinking->join);
  NornRef value = make_row(sinking, &builder, &row, type, 0);
  norn_replacements_set(&sinking->replacements, parameter, value);
  norn_list_push(&sinking->context->arena, &sinking->change.removed, k);
}

/* Finds the arms of a block; false if it has other predecessors. */
static bool
find_arms(Sinking *sinking, uint32_t join) {
  const NornDominance *dominance = sinking->dominance;
  const NornFunction *function = sinking->function;
  sinking->join = join;
  sinking->arm_count = norn_predecessor_count(dominance, join);
  if (sinking->arm_count < 2 || sinking->arm_count > MAX_ARMS ||
      dominance->loop_header[join] == join)
    return false;
  for (unsigned k = 0; k < sinking->arm_count; k++) {
    sinking->arms[k] = norn_predecessor(dominance, join, k);
    uint32_t last = norn_block(function, sinking->arms[k])->last;
    if (norn_inst(function, last)->op != NORN_OP_JUMP ||
        norn_inst(function, last)->previous == NORN_INDEX_NONE)
      return false;
  }
  return true;
}

/* Fills in the values that an arm passes for the new parameters. */
static void
make_arguments(void *data, uint32_t terminator, const NornEdge *edge, NornRef *arguments) {
  const Sinking *sinking = data;
  (void)edge;
  unsigned arm = 0;
  while (sinking->arms[arm] != norn_inst(sinking->function, terminator)->block)
    arm++;
  for (uint32_t k = 0; k < sinking->added.count; k++)
    arguments[k] = sinking->added.items[k].refs[arm];
}

/* Sinks common operations at the end of the join's arms. */
static void
sink_all(Sinking *sinking) {
  sinking->change.removed.count = sinking->change.added.count = sinking->added.count = 0;
  while (norn_pass_continues(sinking->context, 1) && try_stores(sinking))
    ;
  unsigned count = norn_block(sinking->function, sinking->join)->parameter_count;
  for (unsigned k = 0; k < count && norn_pass_continues(sinking->context, 1); k++)
    try_parameter(sinking, k);
  if (sinking->change.removed.count || sinking->change.added.count)
    norn_block_change_parameters(sinking->function, sinking->dominance, &sinking->context->arena,
                                 sinking->join, &sinking->change, make_arguments, sinking);
}

bool
norn_pass_sink_common(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Sinking sinking = {.context = context,
                     .function = function,
                     .value_count = function->value_count,
                     .replacements.arena = &context->arena};
  if (function->block_order_count > 2) {
    sinking.changed = norn_pass_remove_unreachable(context, function);
    sinking.dominance = norn_pass_dominance(context, function);
    for (uint32_t i = 0; i < sinking.dominance->order_count; i++) {
      if (!find_arms(&sinking, sinking.dominance->order[i]))
        continue;
      sinking.uses = sinking.uses ? sinking.uses : norn_pass_use_counts(context, function);
      sink_all(&sinking);
    }
  }
  norn_replacements_apply(&sinking.replacements, function);
  norn_pass_report(context, sinking.changed);
  return true;
}
