/* Branches and demotions.
 *
 * A branch tests whether a word is zero. In its condition, a word that is compared with zero can
 * therefore replace the truth value of that comparison, even when it is joined with others: the
 * result is then nonzero for true, not ~0. If the parts of a conjunction are complements or
 * comparisons of words with zero, the disjunction of the parts' complements is used instead. */
#include "compiler/valhall/compare.h"
#include "ir/ops.h"

/* The maximum depth to which branch conditions are searched. */
#define MAX_JOINS 8

static bool
is_zero_test(const NornSelector *selector, const NornInst *inst) {
  uint64_t bits;
  return inst->op == NORN_OP_ICMP && inst->type == NORN_TYPE_I32 &&
         (inst->modifier == NORN_INT_CONDITION_EQ || inst->modifier == NORN_INT_CONDITION_NE) &&
         norn_select_constant(selector, norn_valhall_operand_of(selector, inst, 1), &bits) &&
         bits == 0;
}

bool
norn_valhall_is_word_test(const NornSelector *selector, NornRef ref, bool negated) {
  const NornInst inst = norn_select_definition(selector, ref);
  return is_zero_test(selector, &inst) && (inst.modifier == NORN_INT_CONDITION_NE) != negated;
}

/* Whether the value is a disjunction, or, with `negated`, a conjunction, that only the branch
 * uses. */
static bool
is_join(const NornSelector *selector, uint32_t inst, NornRef ref, bool negated) {
  const NornInst logic = norn_select_definition(selector, ref);
  return logic.op == (negated ? NORN_OP_AND : NORN_OP_OR) && logic.type == NORN_TYPE_I1 &&
         logic.block == norn_inst(selector->function, inst)->block &&
         norn_select_is_only_use(selector, ref);
}

/* Whether a part of a join costs no instruction. */
static bool
has_gain(const NornSelector *selector, uint32_t inst, NornRef ref, bool negated, unsigned steps) {
  const NornInst logic = norn_select_definition(selector, ref);
  if (!steps || !is_join(selector, inst, ref, negated))
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef part = norn_valhall_operand_of(selector, &logic, k);
    const NornInst inner = norn_select_definition(selector, part);
    if (norn_valhall_is_word_test(selector, part, negated) ||
        (negated && inner.op == NORN_OP_NOT) || has_gain(selector, inst, part, negated, steps - 1))
      return true;
  }
  return false;
}

/* If the value is a single comparison of words or floats that only the branch uses, sets
 * *comparison to it, or with `negated` to its complement. */
static bool
as_comparison(const NornSelector *selector, NornRef ref, bool negated, Comparison *comparison) {
  static const uint8_t complements[] = {
      [NORN_VALHALL_CONDITION_EQ] = NORN_VALHALL_CONDITION_NE,
      [NORN_VALHALL_CONDITION_NE] = NORN_VALHALL_CONDITION_EQ,
      [NORN_VALHALL_CONDITION_LT] = NORN_VALHALL_CONDITION_GE,
      [NORN_VALHALL_CONDITION_GE] = NORN_VALHALL_CONDITION_LT,
      [NORN_VALHALL_CONDITION_GT] = NORN_VALHALL_CONDITION_LE,
      [NORN_VALHALL_CONDITION_LE] = NORN_VALHALL_CONDITION_GT,
  };
  const NornInst inst = norn_select_definition(selector, ref);
  if (!norn_valhall_is_comparison(&inst) || !norn_select_is_only_use(selector, ref) ||
      (inst.type != NORN_TYPE_I32 && inst.type != NORN_TYPE_F32))
    return false;
  *comparison = norn_valhall_comparison_of(selector, &inst);
  if (comparison->condition == NO_CONDITION)
    return false;
  if (inst.op == NORN_OP_ICMP && negated)
    comparison->condition = complements[comparison->condition];
  else if (comparison->is_inverted != negated)
    return false;
  comparison->is_inverted = false;
  return true;
}

static NornRef loose_truth(NornSelector *selector, uint32_t inst, NornRef ref, bool negated,
                           unsigned steps);

static NornRef
join_loosely(NornSelector *selector, uint32_t inst, const NornInst *logic, bool negated,
             unsigned steps) {
  NornRef parts[2] = {norn_valhall_operand_of(selector, logic, 0),
                      norn_valhall_operand_of(selector, logic, 1)};
  Comparison comparison;
  /* The second part is compared, unless it is a word itself or only the first one can be
   * compared. */
  unsigned k = norn_valhall_is_word_test(selector, parts[1], negated) ||
                       !as_comparison(selector, parts[1], negated, &comparison)
                   ? 0
                   : 1;
  NornRef other = loose_truth(selector, inst, parts[1 - k], negated, steps);
  NornValhallInst machine;
  if (!norn_valhall_is_word_test(selector, parts[k], negated) &&
      as_comparison(selector, parts[k], negated, &comparison)) {
    machine = norn_valhall_begin_single(selector, inst, &comparison, JOIN_OR);
    norn_valhall_plain(&machine, other);
  } else {
    NornRef word = loose_truth(selector, inst, parts[k], negated, steps);
    machine = norn_valhall_begin_int(selector, inst, false, JOIN_OR);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, NORN_VALHALL_CONDITION_NE);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_RESULT_TYPE, NORN_VALHALL_RESULT_TYPE_M1);
    norn_valhall_plain(&machine, word);
    norn_valhall_constant(&machine, 0);
    norn_valhall_plain(&machine, other);
  }
  return norn_valhall_emit(&machine, 1);
}

/* A word that is nonzero if the truth value is true, or, with `negated`, if it is false. */
static NornRef
loose_truth(NornSelector *selector, uint32_t inst, NornRef ref, bool negated, unsigned steps) {
  const NornInst self = norn_select_definition(selector, ref);
  Comparison comparison;
  if (norn_valhall_is_word_test(selector, ref, negated))
    return norn_valhall_operand_of(selector, &self, 0);
  if (steps && self.op == NORN_OP_NOT && self.type == NORN_TYPE_I1)
    return loose_truth(selector, inst, norn_valhall_operand_of(selector, &self, 0), !negated,
                       steps - 1);
  if (steps && is_join(selector, inst, ref, negated))
    return join_loosely(selector, inst, &self, negated, steps - 1);
  if (!negated)
    return norn_valhall_truth(selector, ref);
  NornValhallInst machine;
  if (as_comparison(selector, ref, true, &comparison)) {
    machine = norn_valhall_begin_single(selector, inst, &comparison, JOIN_OR);
    norn_valhall_constant(&machine, 0);
  } else {
    machine = norn_valhall_begin_test(selector, inst, norn_valhall_truth(selector, ref), true,
                                      NORN_VALHALL_RESULT_TYPE_M1);
  }
  return norn_valhall_emit(&machine, 1);
}

/* Whether the instruction tests a uniform word for (in)equality with a constant. A comparison of
 * the two also reads 0, which is one uniform or constant word too many; their difference serves as
 * well. */
static bool
is_of_uniform(const NornSelector *selector, const NornInst *inst, uint64_t *bits) {
  return inst->op == NORN_OP_ICMP && inst->type == NORN_TYPE_I32 &&
         (inst->modifier == NORN_INT_CONDITION_EQ || inst->modifier == NORN_INT_CONDITION_NE) &&
         norn_ref_kind(norn_valhall_operand_of(selector, inst, 0)) == NORN_REF_UNIFORM &&
         norn_select_constant(selector, norn_valhall_operand_of(selector, inst, 1), bits);
}

/* A word that is nonzero if the branch is to be taken, or, if *is_inverted, if it is not. */
static NornRef
branch_source(NornSelector *selector, uint32_t inst, NornRef condition, bool *is_inverted) {
  uint64_t bits;
  const NornInst compare = norn_select_definition(selector, condition);
  for (unsigned negated = 0; negated < 2; negated++)
    if (has_gain(selector, inst, condition, negated, MAX_JOINS)) {
      *is_inverted = negated;
      return loose_truth(selector, inst, condition, negated, MAX_JOINS);
    }
  *is_inverted = false;
  if (!norn_valhall_is_comparison(&compare) || !norn_select_is_only_use(selector, condition))
    return norn_valhall_truth(selector, condition);
  if (is_zero_test(selector, &compare)) {
    *is_inverted = compare.modifier == NORN_INT_CONDITION_EQ;
    return norn_valhall_operand_of(selector, &compare, 0);
  }
  Comparison comparison = norn_valhall_comparison_of(selector, &compare);
  if (is_of_uniform(selector, &compare, &bits)) {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_IMM_I32);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONSTANT, -(uint32_t)bits);
    norn_valhall_plain(&machine, comparison.left);
    *is_inverted = compare.modifier == NORN_INT_CONDITION_EQ;
    return norn_valhall_emit(&machine, 1);
  }
  if (!comparison.is_inverted)
    return condition;
  NornValhallInst machine = norn_valhall_begin_comparison(selector, inst, &comparison, is_inverted);
  return norn_valhall_emit(&machine, 1);
}

bool
norn_valhall_select_branch(NornSelector *selector, uint32_t inst) {
  NornFunction *function = selector->function;
  bool is_inverted;
  NornRef source =
      branch_source(selector, inst, norn_select_operand(selector, inst, 0), &is_inverted);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_BRANCHZ);
  if (is_inverted)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_EQ, NORN_VALHALL_BRANCH_SENSE_EQ);
  norn_select_set_operand(selector, inst, 0, source);
  norn_select_as(selector, inst, NORN_VALHALL_BRANCHZ, machine.word,
                 norn_operands(function, norn_inst(function, inst)),
                 norn_inst(function, inst)->operand_count);
  return true;
}

/* --- Demotion --- */

/* DISCARD compares floats, so it does the comparison itself if it can: a comparison of words that
 * is inverted if `is_inverted`. */
static bool
can_demote_by(const Comparison *comparison, bool is_inverted) {
  return comparison->type == NORN_TYPE_F32 && comparison->condition != NO_CONDITION &&
         comparison->is_inverted == is_inverted;
}

static NornValhallInst
begin_demotion(NornSelector *selector, uint32_t inst, const Comparison *comparison) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_DISCARD_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, comparison->condition);
  norn_valhall_source(&machine, comparison->left, NORN_VALHALL_FLOAT, NORN_TYPE_F32);
  norn_valhall_source(&machine, comparison->right, NORN_VALHALL_FLOAT, NORN_TYPE_F32);
  return machine;
}

/* Maximum number of conditions that demote by themselves. */
#define MAX_PARTS 8

/* The conditions of which any demotes: comparisons that DISCARD does itself, except that the first
 * one may be another condition. */
typedef struct DemotionParts {
  NornRef refs[MAX_PARTS];
  unsigned count, others;
} DemotionParts;

/* Adds the parts of a condition; returns whether all of them fit. */
static bool
divide_demotion(const NornSelector *selector, NornRef condition, unsigned depth,
                DemotionParts *parts) {
  const NornInst self = norn_select_definition(selector, condition);
  bool is_single = norn_select_is_only_use(selector, condition), is_compare = false;
  if (self.op == NORN_OP_OR && is_single && depth)
    return divide_demotion(selector, norn_valhall_operand_of(selector, &self, 0), depth - 1,
                           parts) &&
           divide_demotion(selector, norn_valhall_operand_of(selector, &self, 1), depth - 1, parts);
  if (self.op == NORN_OP_FCMP && is_single) {
    Comparison comparison = norn_valhall_comparison_of(selector, &self);
    is_compare = can_demote_by(&comparison, false);
  }
  if (parts->count == MAX_PARTS || (!is_compare && parts->others++))
    return false;
  parts->refs[parts->count++] = condition;
  if (!is_compare) {
    parts->refs[parts->count - 1] = parts->refs[0];
    parts->refs[0] = condition;
  }
  return true;
}

/* Demotes by all parts of the condition but one, which is returned, if each takes one instruction.
 */
static NornRef
demote_by_parts(NornSelector *selector, uint32_t inst, NornRef condition) {
  DemotionParts parts = {.count = 0};
  if (!divide_demotion(selector, condition, MAX_PARTS, &parts))
    return condition;
  for (unsigned k = 1; k < parts.count; k++) {
    const NornInst compare = norn_select_definition(selector, parts.refs[k]);
    Comparison comparison = norn_valhall_comparison_of(selector, &compare);
    NornValhallInst machine = begin_demotion(selector, inst, &comparison);
    norn_valhall_emit(&machine, 0);
  }
  return parts.refs[0];
}

/* Truth values are 0 or, as a float, a NaN: "not equal to 0 or unordered" is true only for the
 * latter. */
bool
norn_valhall_select_demotion(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  bool tests = self.op == NORN_OP_ALPHA_TEST; /* demotes if the condition does not hold */
  NornRef condition = norn_select_operand(selector, inst, 0);
  if (!tests)
    condition = demote_by_parts(selector, inst, condition);
  const NornInst compare = tests ? self : norn_select_definition(selector, condition);
  NornRef word = 0;
  bool is_inverted = tests;
  if (tests || compare.op == NORN_OP_FCMP) {
    Comparison comparison = norn_valhall_comparison_of(selector, &compare);
    comparison.op = NORN_OP_FCMP;
    if (can_demote_by(&comparison, tests)) {
      NornValhallInst machine = begin_demotion(selector, inst, &comparison);
      return norn_valhall_finish(&machine);
    }
    if (tests || norn_select_is_only_use(selector, condition)) {
      bool is_complement;
      NornValhallInst machine =
          norn_valhall_begin_comparison(selector, inst, &comparison, &is_complement);
      word = norn_valhall_emit(&machine, 1);
      is_inverted ^= is_complement;
    }
  }
  if (!word)
    word = norn_valhall_truth(selector, condition);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_DISCARD_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION,
                   is_inverted ? NORN_VALHALL_CONDITION_EQ : NORN_VALHALL_CONDITION_NE);
  norn_valhall_plain(&machine, word);
  norn_valhall_constant(&machine, 0);
  return norn_valhall_finish(&machine);
}
