/* Comparisons and truth values.
 *
 * A truth value is a word, 0 or ~0. A comparison can combine its result with another truth value
 * ("or c", "and c"), so a conjunction of comparisons is a chain of them, on the fast unit.
 * Comparisons can also return 1 or 1.0 for true. The hardware's float conditions are the ordered
 * ones and "not equal or unordered". The other unordered conditions are complements of ordered
 * ones; a branch or selection gets the complement for free by swapping its operands. */
#include "compiler/valhall/compare.h"
#include "ir/ops.h"

typedef struct IntCondition {
  uint8_t condition;
  bool is_signed;
} IntCondition;

static const IntCondition int_conditions[] = {
    [NORN_INT_CONDITION_EQ] = {NORN_VALHALL_CONDITION_EQ, false},
    [NORN_INT_CONDITION_NE] = {NORN_VALHALL_CONDITION_NE, false},
    [NORN_INT_CONDITION_ULT] = {NORN_VALHALL_CONDITION_LT, false},
    [NORN_INT_CONDITION_ULE] = {NORN_VALHALL_CONDITION_LE, false},
    [NORN_INT_CONDITION_UGT] = {NORN_VALHALL_CONDITION_GT, false},
    [NORN_INT_CONDITION_UGE] = {NORN_VALHALL_CONDITION_GE, false},
    [NORN_INT_CONDITION_SLT] = {NORN_VALHALL_CONDITION_LT, true},
    [NORN_INT_CONDITION_SLE] = {NORN_VALHALL_CONDITION_LE, true},
    [NORN_INT_CONDITION_SGT] = {NORN_VALHALL_CONDITION_GT, true},
    [NORN_INT_CONDITION_SGE] = {NORN_VALHALL_CONDITION_GE, true},
};

/* A hardware condition and whether it is complemented. ord and uno take two comparisons. */
typedef struct FloatCondition {
  uint8_t condition;
  bool is_inverted;
} FloatCondition;

static const FloatCondition float_conditions[] = {
    [NORN_FLOAT_CONDITION_OEQ] = {NORN_VALHALL_CONDITION_EQ, false},
    [NORN_FLOAT_CONDITION_ONE] = {NORN_VALHALL_CONDITION_GTLT, false},
    [NORN_FLOAT_CONDITION_OLT] = {NORN_VALHALL_CONDITION_LT, false},
    [NORN_FLOAT_CONDITION_OLE] = {NORN_VALHALL_CONDITION_LE, false},
    [NORN_FLOAT_CONDITION_OGT] = {NORN_VALHALL_CONDITION_GT, false},
    [NORN_FLOAT_CONDITION_OGE] = {NORN_VALHALL_CONDITION_GE, false},
    [NORN_FLOAT_CONDITION_ORD] = {NO_CONDITION, false},
    [NORN_FLOAT_CONDITION_UEQ] = {NORN_VALHALL_CONDITION_GTLT, true},
    [NORN_FLOAT_CONDITION_UNE] = {NORN_VALHALL_CONDITION_NE, false},
    [NORN_FLOAT_CONDITION_ULT] = {NORN_VALHALL_CONDITION_GE, true},
    [NORN_FLOAT_CONDITION_ULE] = {NORN_VALHALL_CONDITION_GT, true},
    [NORN_FLOAT_CONDITION_UGT] = {NORN_VALHALL_CONDITION_LE, true},
    [NORN_FLOAT_CONDITION_UGE] = {NORN_VALHALL_CONDITION_LT, true},
    [NORN_FLOAT_CONDITION_UNO] = {NO_CONDITION, true},
};

/* A test whether min(word, limit) equals a number up to the limit is made on the word itself. */
static void
look_past_limit(const NornSelector *selector, Comparison *comparison) {
  const NornInst limit = norn_select_definition(selector, comparison->left);
  uint64_t bits, max;
  bool is_equality = comparison->condition == NORN_VALHALL_CONDITION_EQ ||
                     comparison->condition == NORN_VALHALL_CONDITION_NE;
  if (limit.op != NORN_OP_UMIN || limit.type != NORN_TYPE_I32 || !is_equality ||
      !norn_select_constant(selector, comparison->right, &bits) ||
      !norn_select_constant(selector, norn_valhall_operand_of(selector, &limit, 1), &max) ||
      bits > max)
    return;
  comparison->left = norn_valhall_operand_of(selector, &limit, 0);
  if (bits == max)
    comparison->condition = comparison->condition == NORN_VALHALL_CONDITION_EQ
                                ? NORN_VALHALL_CONDITION_GE
                                : NORN_VALHALL_CONDITION_LT;
}

Comparison
norn_valhall_comparison_of(const NornSelector *selector, const NornInst *inst) {
  Comparison comparison = {.type = inst->type,
                           .left = norn_valhall_operand_of(selector, inst, 0),
                           .right = norn_valhall_operand_of(selector, inst, 1)};
  if (inst->op == NORN_OP_ICMP || inst->op == NORN_OP_ICMPMASK) {
    comparison.op = NORN_OP_ICMP;
    comparison.condition = int_conditions[inst->modifier].condition;
    comparison.is_signed = int_conditions[inst->modifier].is_signed;
    if (inst->type == NORN_TYPE_I32)
      look_past_limit(selector, &comparison);
  } else {
    comparison.op = NORN_OP_FCMP;
    if (inst->op == NORN_OP_FCMPMASK)
      comparison.type = NORN_TYPE_V2F16;
    comparison.condition = float_conditions[inst->modifier].condition;
    comparison.is_inverted = float_conditions[inst->modifier].is_inverted;
  }
  return comparison;
}

/* Whether a single instruction makes the comparison, so that it can join another truth value. */
static bool
is_single(const Comparison *comparison) {
  return comparison->condition != NO_CONDITION && comparison->type != NORN_TYPE_I64;
}

NornRef
norn_valhall_truth(NornSelector *selector, NornRef ref) {
  uint64_t bits;
  ref = norn_select_resolve(selector, ref);
  if (norn_select_constant(selector, ref, &bits))
    return norn_select_word(selector, bits ? UINT32_MAX : 0);
  return ref;
}

NornValhallInst
norn_valhall_compare_zero(NornSelector *selector, uint32_t inst, unsigned instruction,
                          unsigned condition, NornRef word) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, condition);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_RESULT_TYPE, NORN_VALHALL_RESULT_TYPE_M1);
  norn_valhall_plain(&machine, word);
  norn_valhall_constant(&machine, 0);
  norn_valhall_constant(&machine, 0);
  return machine;
}

NornValhallInst
norn_valhall_begin_int(NornSelector *selector, uint32_t inst, bool is_signed, JoinOperator join) {
  static const uint16_t instructions[2][2] = {
      {NORN_VALHALL_ICMP_OR_U32, NORN_VALHALL_ICMP_AND_U32},
      {NORN_VALHALL_ICMP_OR_S32, NORN_VALHALL_ICMP_AND_S32}};
  return norn_valhall_begin(selector, inst, instructions[is_signed][join]);
}

static NornValhallInst
begin_float(NornSelector *selector, uint32_t inst, NornType type, JoinOperator join) {
  static const uint16_t instructions[2][2] = {
      {NORN_VALHALL_FCMP_OR_F32, NORN_VALHALL_FCMP_AND_F32},
      {NORN_VALHALL_FCMP_OR_V2F16, NORN_VALHALL_FCMP_AND_V2F16}};
  NornValhallInst machine =
      norn_valhall_begin(selector, inst, instructions[type != NORN_TYPE_F32][join]);
  if (type == NORN_TYPE_F16) {
    /* Both lanes compare the low halves, so that the whole word is the truth value. */
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_SWIZZLE_HALF_H00);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_SWIZZLE_HALF_H00);
  }
  return machine;
}

NornValhallInst
norn_valhall_begin_single(NornSelector *selector, uint32_t inst, const Comparison *comparison,
                          JoinOperator join) {
  NornValhallInst machine;
  NornValhallSource source;
  if (comparison->op == NORN_OP_FCMP) {
    machine = begin_float(selector, inst, comparison->type, join);
    source = comparison->type == NORN_TYPE_F32 ? NORN_VALHALL_FLOAT : NORN_VALHALL_HALVES;
  } else {
    bool is_signed = comparison->is_signed;
    machine = norn_valhall_begin_int(selector, inst, is_signed, join);
    if (comparison->type == NORN_TYPE_I32)
      source = is_signed ? NORN_VALHALL_SIGNED : NORN_VALHALL_UNSIGNED;
    else
      source = is_signed ? NORN_VALHALL_NARROW_SIGNED : NORN_VALHALL_NARROW_UNSIGNED;
  }
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, comparison->condition);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_RESULT_TYPE, NORN_VALHALL_RESULT_TYPE_M1);
  norn_valhall_source(&machine, comparison->left, source, comparison->type);
  norn_valhall_source(&machine, comparison->right, source, comparison->type);
  return machine;
}

/* Comparing the low words gives a three-way order, which decides if the high words are equal. */
static NornValhallInst
begin_long(NornSelector *selector, uint32_t inst, const Comparison *comparison) {
  NornRef left[2], right[2];
  for (unsigned k = 0; k < 2; k++) {
    left[k] = norn_select_word_of(selector, comparison->left, k, 2);
    right[k] = norn_select_word_of(selector, comparison->right, k, 2);
  }
  NornValhallInst low = norn_valhall_begin(selector, inst, NORN_VALHALL_ICMP_MULTI_U32);
  norn_valhall_set(&low, NORN_VALHALL_FIELD_RESULT_TYPE, NORN_VALHALL_RESULT_TYPE_U1);
  norn_valhall_plain(&low, left[0]);
  norn_valhall_plain(&low, right[0]);
  norn_valhall_constant(&low, 0);
  NornRef order = norn_valhall_emit(&low, 1);
  NornValhallInst high = norn_valhall_begin(selector, inst,
                                            comparison->is_signed ? NORN_VALHALL_ICMP_MULTI_S32
                                                                  : NORN_VALHALL_ICMP_MULTI_U32);
  norn_valhall_set(&high, NORN_VALHALL_FIELD_CONDITION, comparison->condition);
  norn_valhall_set(&high, NORN_VALHALL_FIELD_RESULT_TYPE, NORN_VALHALL_RESULT_TYPE_M1);
  norn_valhall_plain(&high, left[1]);
  norn_valhall_plain(&high, right[1]);
  norn_valhall_plain(&high, order);
  return high;
}

/* ord: both operands equal themselves; uno: one does not. */
static NornValhallInst
begin_order(NornSelector *selector, uint32_t inst, const Comparison *comparison) {
  bool is_unordered = comparison->is_inverted;
  Comparison self = *comparison;
  JoinOperator join = is_unordered ? JOIN_OR : JOIN_AND;
  self.condition = is_unordered ? NORN_VALHALL_CONDITION_NE : NORN_VALHALL_CONDITION_EQ;
  self.right = self.left;
  NornValhallInst first = norn_valhall_begin_single(selector, inst, &self, JOIN_OR);
  norn_valhall_constant(&first, 0);
  NornRef left = norn_valhall_emit(&first, 1);
  self.left = self.right = comparison->right;
  NornValhallInst second = norn_valhall_begin_single(selector, inst, &self, join);
  norn_valhall_plain(&second, left);
  return second;
}

NornValhallInst
norn_valhall_begin_comparison(NornSelector *selector, uint32_t inst, const Comparison *comparison,
                              bool *is_inverted) {
  *is_inverted = comparison->is_inverted && comparison->condition != NO_CONDITION;
  if (comparison->condition == NO_CONDITION)
    return begin_order(selector, inst, comparison);
  if (comparison->type == NORN_TYPE_I64)
    return begin_long(selector, inst, comparison);
  NornValhallInst machine = norn_valhall_begin_single(selector, inst, comparison, JOIN_OR);
  norn_valhall_constant(&machine, 0);
  return machine;
}

NornValhallInst
norn_valhall_begin_test(NornSelector *selector, uint32_t inst, NornRef value, bool is_inverted,
                        unsigned result_type) {
  NornValhallInst machine = norn_valhall_begin_int(selector, inst, false, JOIN_OR);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION,
                   is_inverted ? NORN_VALHALL_CONDITION_EQ : NORN_VALHALL_CONDITION_NE);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_RESULT_TYPE, result_type);
  norn_valhall_plain(&machine, value);
  norn_valhall_constant(&machine, 0);
  norn_valhall_constant(&machine, 0);
  return machine;
}

/* A comparison as a value. */
static bool
select_comparison(NornSelector *selector, uint32_t inst) {
  Comparison comparison = norn_valhall_comparison_of(selector, norn_inst(selector->function, inst));
  bool is_inverted;
  NornValhallInst machine =
      norn_valhall_begin_comparison(selector, inst, &comparison, &is_inverted);
  if (is_inverted) {
    NornRef value = norn_valhall_emit(&machine, 1);
    machine = norn_valhall_begin_test(selector, inst, value, true, NORN_VALHALL_RESULT_TYPE_M1);
  }
  return norn_valhall_finish(&machine);
}

/* Whether a value is a comparison that can be joined with another truth value. */
static bool
can_join(const NornSelector *selector, NornRef ref, Comparison *comparison) {
  const NornInst compare = norn_select_definition(selector, ref);
  if (!norn_valhall_is_comparison(&compare) || !norn_select_is_only_use(selector, ref))
    return false;
  *comparison = norn_valhall_comparison_of(selector, &compare);
  return is_single(comparison) && !comparison->is_inverted;
}

/* The maximum length of a chain of comparisons that is moved after another chain, and the maximum
 * distance: the operands of the comparisons live on until there. */
enum { MAX_CHAIN = 8, MAX_CHAIN_DISTANCE = 32 };

/* Collects the comparisons that are combined into `ref` by `op`, last first. Returns their number,
 * or 0 if `ref` contains anything else. */
static unsigned
take_chain(const NornSelector *selector, unsigned op, NornRef ref, Comparison *chain) {
  for (unsigned count = 0; count < MAX_CHAIN; count++) {
    if (can_join(selector, ref, &chain[count]))
      return count + 1;
    const NornInst logic = norn_select_definition(selector, ref);
    if (logic.op != op || !norn_select_is_only_use(selector, ref))
      return 0;
    unsigned k = 0;
    while (k < 2 &&
           !can_join(selector, norn_valhall_operand_of(selector, &logic, k), &chain[count]))
      k++;
    if (k == 2)
      return 0;
    ref = norn_valhall_operand_of(selector, &logic, 1 - k);
  }
  return 0;
}

/* Which of two values is defined later, nearby in the block of the instruction; 2: unknown. */
static unsigned
find_later(const NornSelector *selector, uint32_t inst, const NornRef *refs) {
  uint32_t defs[2] = {norn_select_def(selector, refs[0]), norn_select_def(selector, refs[1])};
  for (unsigned k = 0; k < MAX_CHAIN_DISTANCE && inst != NORN_INDEX_NONE; k++) {
    inst = norn_inst(selector->function, inst)->previous;
    if (inst != NORN_INDEX_NONE && (inst == defs[0] || inst == defs[1]))
      return inst == defs[1];
  }
  return 2;
}

/* Begins the and/or of truth values (`logic`): as one comparison joined with the other operand, as
 * a chain of comparisons of which the first is joined with the other operand, or as a test of one
 * operand. */
static NornValhallInst
begin_join(NornSelector *selector, uint32_t inst, const NornInst *logic) {
  JoinOperator join = logic->op == NORN_OP_AND ? JOIN_AND : JOIN_OR;
  NornRef refs[2] = {norn_valhall_operand_of(selector, logic, 0),
                     norn_valhall_operand_of(selector, logic, 1)};
  Comparison chain[MAX_CHAIN];
  for (unsigned k = 0; k < 2; k++) {
    if (!can_join(selector, refs[k], chain))
      continue;
    NornValhallInst machine = norn_valhall_begin_single(selector, inst, chain, join);
    norn_valhall_plain(&machine, norn_valhall_truth(selector, refs[1 - k]));
    return machine;
  }
  unsigned later = find_later(selector, inst, refs);
  unsigned count = later < 2 ? take_chain(selector, logic->op, refs[later], chain) : 0;
  if (count) {
    NornRef all = norn_valhall_truth(selector, refs[1 - later]);
    while (count > 1) {
      NornValhallInst machine = norn_valhall_begin_single(selector, inst, &chain[--count], join);
      norn_valhall_plain(&machine, all);
      all = norn_valhall_emit(&machine, 1);
    }
    NornValhallInst machine = norn_valhall_begin_single(selector, inst, chain, join);
    norn_valhall_plain(&machine, all);
    return machine;
  }
  NornValhallInst machine = norn_valhall_begin_int(selector, inst, false, join);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, NORN_VALHALL_CONDITION_NE);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_RESULT_TYPE, NORN_VALHALL_RESULT_TYPE_M1);
  norn_valhall_plain(&machine, norn_valhall_truth(selector, refs[0]));
  norn_valhall_constant(&machine, 0);
  norn_valhall_plain(&machine, norn_valhall_truth(selector, refs[1]));
  return machine;
}

static bool
select_exclusive_or(NornSelector *selector, uint32_t inst) {
  NornValhallInst machine = norn_valhall_begin_int(selector, inst, false, JOIN_OR);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, NORN_VALHALL_CONDITION_NE);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_RESULT_TYPE, NORN_VALHALL_RESULT_TYPE_M1);
  norn_valhall_plain(&machine,
                     norn_valhall_truth(selector, norn_select_operand(selector, inst, 0)));
  norn_valhall_plain(&machine,
                     norn_valhall_truth(selector, norn_select_operand(selector, inst, 1)));
  norn_valhall_constant(&machine, 0);
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_truth(NornSelector *selector, uint32_t inst) {
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_ICMP:
  case NORN_OP_FCMP:
    return select_comparison(selector, inst);
  case NORN_OP_AND:
  case NORN_OP_OR: {
    NornInst self = *norn_inst(selector->function, inst);
    NornValhallInst machine = begin_join(selector, inst, &self);
    return norn_valhall_finish(&machine);
  }
  case NORN_OP_XOR:
    return select_exclusive_or(selector, inst);
  case NORN_OP_NOT: {
    NornRef value = norn_valhall_truth(selector, norn_select_operand(selector, inst, 0));
    NornValhallInst machine =
        norn_valhall_begin_test(selector, inst, value, true, NORN_VALHALL_RESULT_TYPE_M1);
    return norn_valhall_finish(&machine);
  }
  default:
    return norn_select_unsupported(selector, inst);
  }
}

/* --- Truth values by lane --- */

static NornValhallInst
begin_int_mask(NornSelector *selector, uint32_t inst, const Comparison *comparison) {
  static const uint16_t instructions[2][2] = {
      {NORN_VALHALL_ICMP_OR_V2U16, NORN_VALHALL_ICMP_OR_V4U8},
      {NORN_VALHALL_ICMP_OR_V2S16, NORN_VALHALL_ICMP_OR_V4S8}};
  NornValhallInst machine = norn_valhall_begin(
      selector, inst, instructions[comparison->is_signed][comparison->type == NORN_TYPE_V4I8]);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, comparison->condition);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_RESULT_TYPE, NORN_VALHALL_RESULT_TYPE_M1);
  norn_valhall_plain(&machine, comparison->left);
  norn_valhall_plain(&machine, comparison->right);
  norn_valhall_constant(&machine, 0);
  return machine;
}

bool
norn_valhall_select_mask(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  Comparison comparison = norn_valhall_comparison_of(selector, &self);
  bool is_inverted = false;
  NornValhallInst machine =
      comparison.op == NORN_OP_ICMP
          ? begin_int_mask(selector, inst, &comparison)
          : norn_valhall_begin_comparison(selector, inst, &comparison, &is_inverted);
  if (is_inverted) {
    NornRef value = norn_valhall_emit(&machine, 1);
    machine = norn_valhall_begin(selector, inst, NORN_VALHALL_ISUB_U32);
    norn_valhall_constant(&machine, UINT32_MAX);
    norn_valhall_plain(&machine, value);
  }
  return norn_valhall_finish(&machine);
}

/* --- Integers of truth values --- */

/* Whether the instruction that makes the truth value can make the result of another type
 * directly. */
static bool
begin_as(NornSelector *selector, uint32_t inst, NornRef condition, NornValhallInst *machine) {
  NornInst copy = norn_select_definition(selector, condition);
  if (copy.op == NORN_OP_NONE)
    return false;
  bool is_only_use = norn_select_is_only_use(selector, condition);
  if (is_only_use && (copy.op == NORN_OP_AND || copy.op == NORN_OP_OR)) {
    *machine = begin_join(selector, inst, &copy);
    return machine->instruction != NORN_VALHALL_FCMP_OR_V2F16 &&
           machine->instruction != NORN_VALHALL_FCMP_AND_V2F16;
  }
  if (!norn_valhall_is_comparison(&copy) ||
      (!is_only_use && selector->values[norn_ref_payload(condition)].uses > MAX_COMPARING_USERS))
    return false;
  Comparison comparison = norn_valhall_comparison_of(selector, &copy);
  if (comparison.is_inverted || comparison.type == NORN_TYPE_F16)
    return false;
  bool is_inverted;
  *machine = norn_valhall_begin_comparison(selector, inst, &comparison, &is_inverted);
  return true;
}

bool
norn_valhall_select_truth_as(NornSelector *selector, uint32_t inst, NornRef condition,
                             unsigned result_type) {
  NornValhallInst machine;
  if (begin_as(selector, inst, condition, &machine))
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_RESULT_TYPE, result_type);
  else
    machine = norn_valhall_begin_test(selector, inst, norn_valhall_truth(selector, condition),
                                      false, result_type);
  return norn_valhall_finish(&machine);
}

/* The truth value that a word is as 1 or 0; 0 if it is something else. */
static NornRef
counted_truth(const NornSelector *selector, NornRef ref) {
  const NornInst inst = norn_select_definition(selector, ref);
  uint64_t yes, no;
  if (inst.type != NORN_TYPE_I32)
    return 0;
  bool is_truth =
      inst.op == NORN_OP_ZEXT
          ? inst.source_type == NORN_TYPE_I1
          : inst.op == NORN_OP_SELECT &&
                norn_select_constant(selector, norn_valhall_operand_of(selector, &inst, 1), &yes) &&
                norn_select_constant(selector, norn_valhall_operand_of(selector, &inst, 2), &no) &&
                yes == 1 && no == 0;
  return is_truth ? norn_valhall_operand_of(selector, &inst, 0) : 0;
}

bool
norn_valhall_select_counted(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  bool is_sum = self.op == NORN_OP_IADD;
  for (unsigned k = is_sum ? 0 : 1; k < 2; k++) {
    NornRef term = norn_select_operand(selector, inst, k);
    NornRef truth = counted_truth(selector, term);
    if (!truth || !norn_select_is_only_use(selector, term))
      continue;
    NornValhallInst machine =
        norn_valhall_begin(selector, inst, is_sum ? NORN_VALHALL_ISUB_U32 : NORN_VALHALL_IADD_U32);
    norn_valhall_plain(&machine, norn_select_operand(selector, inst, 1 - k));
    norn_valhall_plain(&machine, norn_valhall_truth(selector, truth));
    return norn_valhall_finish(&machine);
  }
  return false;
}

bool
norn_valhall_select_from_truth(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  NornRef condition = norn_select_operand(selector, inst, 0);
  bool is_signed = self.op == NORN_OP_SEXT;
  if (self.type == NORN_TYPE_I64) {
    NornRef low = norn_valhall_truth(selector, condition);
    if (!is_signed) {
      NornValhallInst machine =
          norn_valhall_begin_test(selector, inst, low, false, NORN_VALHALL_RESULT_TYPE_I1);
      low = norn_valhall_emit(&machine, 1);
    }
    NornRef words[2] = {low, is_signed ? low : norn_select_word(selector, 0)};
    norn_select_collect(selector, inst, words, 2);
    return true;
  }
  if (is_signed) {
    norn_select_same(selector, inst, norn_valhall_truth(selector, condition));
    return true;
  }
  return norn_valhall_select_truth_as(selector, inst, condition, NORN_VALHALL_RESULT_TYPE_I1);
}
