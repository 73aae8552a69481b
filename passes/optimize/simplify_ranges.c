/* Identities that depend on how large integers can be: values below the sign bit are not negative,
 * so comparisons of them are known or can be unsigned, and signed operations become simpler
 * ones. */
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "passes/optimize/algebra.h"
#include "passes/optimize/simplify.h"

static uint64_t
greatest(const Simplifier *simplifier, NornRef ref, NornType type) {
  return norn_greatest_integer(simplifier->function, simplifier->dominance,
                               &simplifier->replacements, ref, type);
}

static bool
is_scalar(NornType type) {
  return norn_types[type].lanes == 1 && norn_types[type].class == NORN_CLASS_INT;
}

static uint8_t
without_sign(uint8_t condition) {
  switch (condition) {
  case NORN_INT_CONDITION_SLT:
    return NORN_INT_CONDITION_ULT;
  case NORN_INT_CONDITION_SLE:
    return NORN_INT_CONDITION_ULE;
  case NORN_INT_CONDITION_SGT:
    return NORN_INT_CONDITION_UGT;
  case NORN_INT_CONDITION_SGE:
    return NORN_INT_CONDITION_UGE;
  default:
    return condition;
  }
}

/* Whether the condition holds for all or for none of the values up to `max`, compared with a
 * constant: 1 or 0; else -1. The constant is not negative if the condition is signed. */
static int
known_result(uint8_t condition, uint64_t max, uint64_t constant) {
  switch (condition) {
  case NORN_INT_CONDITION_EQ:
    return max < constant ? 0 : -1;
  case NORN_INT_CONDITION_NE:
    return max < constant ? 1 : -1;
  case NORN_INT_CONDITION_ULT:
    return max < constant ? 1 : -1;
  case NORN_INT_CONDITION_UGE:
    return max < constant ? 0 : -1;
  case NORN_INT_CONDITION_ULE:
    return max <= constant ? 1 : -1;
  case NORN_INT_CONDITION_UGT:
    return max <= constant ? 0 : -1;
  default:
    return -1;
  }
}

static Outcome
replace_by_constant(Simplifier *simplifier, NornRef *replacement, uint64_t bits) {
  *replacement = norn_simplify_constant(simplifier, bits);
  return REPLACED;
}

/* If one operand of an exclusive or is not negative, the sign is that of the other operand. */
static Outcome
simplify_sign_test(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  const NornInst *signs =
      norn_simplify_definition_by(function, norn_operand(function, index, 0), XOR);
  bool is_test =
      inst->modifier == NORN_INT_CONDITION_SLT || inst->modifier == NORN_INT_CONDITION_SGE;
  if (!signs || !is_test ||
      !norn_simplify_is_constant_of(simplifier, norn_operand(function, index, 1), 0))
    return UNCHANGED;
  for (unsigned k = 0; k < 2; k++) {
    NornRef part = norn_operands(function, signs)[k];
    if (greatest(simplifier, part, inst->type) > norn_type_mask(inst->type) >> 1)
      continue;
    NornRef other = norn_simplify_resolve(simplifier, norn_operands(function, signs)[1 - k]);
    norn_set_operand(function, index, 0, other);
    return REWRITTEN;
  }
  return UNCHANGED;
}

static Outcome
simplify_comparison(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  NornRef left = norn_operand(function, index, 0), right = norn_operand(function, index, 1);
  uint64_t mask = norn_type_mask(type), sign = mask ^ mask >> 1;
  bool has_sign = without_sign(inst->modifier) != inst->modifier;
  if (!has_sign && !norn_is_constant(right))
    return UNCHANGED;
  uint64_t max = greatest(simplifier, left, type);
  if (has_sign && max < sign) {
    uint64_t other = greatest(simplifier, right, type);
    if (other < sign) {
      inst->modifier = without_sign(inst->modifier);
      return REWRITTEN;
    }
    if (norn_is_constant(right)) /* it is negative */
      return replace_by_constant(simplifier, replacement,
                                 inst->modifier == NORN_INT_CONDITION_SGT ||
                                     inst->modifier == NORN_INT_CONDITION_SGE);
  }
  if (has_sign)
    return simplify_sign_test(simplifier, index);
  uint64_t constant = norn_constant_bits(simplifier->module, right);
  int known = known_result(inst->modifier, max, constant);
  if (known >= 0)
    return replace_by_constant(simplifier, replacement, (uint64_t)known);
  if (constant == 1 &&
      (inst->modifier == NORN_INT_CONDITION_ULT || inst->modifier == NORN_INT_CONDITION_UGE)) {
    inst->modifier =
        inst->modifier == NORN_INT_CONDITION_ULT ? NORN_INT_CONDITION_EQ : NORN_INT_CONDITION_NE;
    norn_set_operand(function, index, 1, norn_simplify_constant(simplifier, 0));
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* A comparison of an integer that is one side of an interval. */
typedef struct IntervalSide {
  NornRef value, limit;
  uint8_t type, condition;
} IntervalSide;

static bool
read_side(const Simplifier *simplifier, NornRef ref, bool is_inverse, IntervalSide *side) {
  const NornInst *inst = norn_simplify_definition_by(simplifier->function, ref, ICMP);
  if (!inst || !is_scalar(inst->type))
    return false;
  *side = (IntervalSide){norn_simplify_operand(simplifier, inst, 0),
                         norn_simplify_operand(simplifier, inst, 1), inst->type,
                         is_inverse ? (uint8_t)norn_inverse_int_condition(inst->modifier)
                                    : inst->modifier};
  return true;
}

/* Whether the comparison implies that the value is not negative. */
static bool
excludes_negative(const Simplifier *simplifier, const IntervalSide *side) {
  uint64_t ones = norn_type_mask((NornType)side->type);
  return (side->condition == NORN_INT_CONDITION_SGE &&
          norn_simplify_is_constant_of(simplifier, side->limit, 0)) ||
         (side->condition == NORN_INT_CONDITION_SGT &&
          norn_simplify_is_constant_of(simplifier, side->limit, ones));
}

/* The limit of the other side of an interval from 0, for an unsigned comparison; 0 if there is
 * none. An interval up to a negative limit is empty, as one up to 0 is, so the limit is clamped to
 * 0. This is only done to uniforms, since several intervals may share the result. */
static NornRef
limit_without_sign(Simplifier *simplifier, uint32_t index, const IntervalSide *side) {
  NornType type = (NornType)side->type;
  bool is_below = side->condition == NORN_INT_CONDITION_SLT;
  if (!is_below && side->condition != NORN_INT_CONDITION_SLE)
    return 0;
  if (greatest(simplifier, side->limit, type) <= norn_type_mask(type) >> 1)
    return side->limit;
  if (!is_below || norn_ref_kind(side->limit) != NORN_REF_UNIFORM ||
      !norn_simplify_may_make(simplifier, SMAX, type))
    return 0;
  NornBuilder builder = norn_builder_before(simplifier->function, index);
  return norn_build_smax(&builder, type, side->limit, norn_simplify_constant(simplifier, 0));
}

/* Replaces the two comparisons of an interval from 0 to a limit by one unsigned comparison. They
 * are the operation's operands, or one of these and a part of the other. `or` of the inverse
 * comparisons is the inverse. */
static Outcome
simplify_interval(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  unsigned op = norn_inst(function, index)->op;
  NornRef parts[3] = {norn_operand(function, index, 0), norn_operand(function, index, 1), 0};
  const NornInst *chain = norn_simplify_definition_by(function, parts[0], op);
  unsigned count = 2;
  if (chain && chain->type == NORN_TYPE_I1) {
    parts[0] = norn_simplify_resolve(simplifier, norn_operands(function, chain)[0]);
    parts[2] = norn_simplify_resolve(simplifier, norn_operands(function, chain)[1]);
    count = 3;
  }
  IntervalSide last, other;
  if (!read_side(simplifier, parts[1], op == OR, &last))
    return UNCHANGED;
  for (unsigned k = 0; k < count; k += 2) {
    if (!read_side(simplifier, parts[k], op == OR, &other) || other.value != last.value ||
        other.type != last.type)
      continue;
    bool is_last = excludes_negative(simplifier, &last);
    if (!is_last && !excludes_negative(simplifier, &other))
      continue;
    const IntervalSide *side = is_last ? &other : &last;
    NornRef operands[2] = {side->value, limit_without_sign(simplifier, index, side)};
    if (!operands[1])
      continue;
    unsigned condition = without_sign(side->condition);
    if (op == OR)
      condition = norn_inverse_int_condition(condition);
    if (count == 2) {
      norn_simplify_rewrite(simplifier, index, ICMP, operands, 2);
      norn_inst(function, index)->type = last.type;
      norn_inst(function, index)->modifier = (uint8_t)condition;
      return REWRITTEN;
    }
    NornBuilder builder = norn_builder_before(function, index);
    NornRef inside = norn_build_icmp(&builder, (NornIntCondition)condition, (NornType)last.type,
                                     operands[0], operands[1]);
    norn_set_operand(function, index, 0, parts[2 - k]);
    norn_set_operand(function, index, 1, inside);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* Turns a signed operation into the unsigned one. */
static Outcome
drop_sign(Simplifier *simplifier, uint32_t index, unsigned op) {
  NornRef operands[2] = {norn_operand(simplifier->function, index, 0),
                         norn_operand(simplifier->function, index, 1)};
  if (!norn_simplify_may_make(simplifier, op, norn_inst(simplifier->function, index)->type))
    return UNCHANGED;
  norn_simplify_rewrite(simplifier, index, op, operands, 2);
  return REWRITTEN;
}

/* The remainder of a value that is less than twice the constant takes at most one subtraction. If
 * the value is already less than the constant, the difference wraps around and is the greater
 * one. */
static Outcome
reduce_once(Simplifier *simplifier, uint32_t index, NornRef left, uint64_t max, uint64_t constant) {
  NornType type = norn_inst(simplifier->function, index)->type;
  if (max / 2 >= constant || !norn_simplify_may_make(simplifier, UMIN, type) ||
      !norn_simplify_may_make(simplifier, IADD, type))
    return UNCHANGED;
  NornRef negative = norn_simplify_constant(simplifier, -constant & norn_type_mask(type));
  NornRef less = norn_simplify_insert(simplifier, index, IADD, 0, (NornRef[]){left, negative}, 2);
  norn_simplify_rewrite(simplifier, index, UMIN, (NornRef[]){left, less}, 2);
  return REWRITTEN;
}

/* An operation on a value up to `max` and a constant. */
static Outcome
simplify_with_constant(Simplifier *simplifier, uint32_t index, uint64_t max, uint64_t constant,
                       NornRef *replacement) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  NornRef left = norn_operand(simplifier->function, index, 0);
  NornRef right = norn_operand(simplifier->function, index, 1);
  uint64_t smallest_negative = norn_type_mask(inst->type) / 2 + 1;
  switch (inst->op) {
  case LSHR:
    return max >> constant ? UNCHANGED : replace_by_constant(simplifier, replacement, 0);
  case AND:
    return norn_filled_bits(max) & ~constant ? UNCHANGED : norn_simplify_replace(replacement, left);
  case UREM:
    return max < constant ? norn_simplify_replace(replacement, left)
                          : reduce_once(simplifier, index, left, max, constant);
  case UDIV:
    return max < constant ? replace_by_constant(simplifier, replacement, 0) : UNCHANGED;
  case UMIN:
    return max <= constant ? norn_simplify_replace(replacement, left) : UNCHANGED;
  case UMAX:
    return max <= constant ? norn_simplify_replace(replacement, right) : UNCHANGED;
  case SMIN:
    return max >= smallest_negative        ? UNCHANGED
           : constant >= smallest_negative ? norn_simplify_replace(replacement, right)
           : max <= constant               ? norn_simplify_replace(replacement, left)
                                           : UNCHANGED;
  case SMAX:
    return max >= smallest_negative ? UNCHANGED
           : constant >= smallest_negative || constant == 0
               ? norn_simplify_replace(replacement, left)
           : max <= constant ? norn_simplify_replace(replacement, right)
                             : UNCHANGED;
  default:
    return UNCHANGED;
  }
}

/* -bit & mask is the mask or 0. */
static Outcome
choose_by_bit(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  NornType type = norn_inst(function, index)->type;
  for (unsigned k = 0; k < 2; k++) {
    NornRef ref = norn_operand(function, index, k), mask = norn_operand(function, index, 1 - k);
    const NornInst *negation = norn_simplify_definition_by(function, ref, INEG);
    NornRef bit = negation ? norn_simplify_operand(simplifier, negation, 0) : 0;
    if (!bit || greatest(simplifier, bit, type) > 1 ||
        !norn_simplify_has_one_use(simplifier, norn_ref_payload(ref)) ||
        !norn_simplify_may_make(simplifier, SELECT, type))
      continue;
    NornBuilder builder = norn_builder_in_place_of(function, index);
    NornRef zero = norn_simplify_constant(simplifier, 0);
    NornRef is_set = norn_build_icmp(&builder, NORN_INT_CONDITION_NE, type, bit, zero);
    norn_simplify_rewrite(simplifier, index, SELECT, (NornRef[]){is_set, mask, zero}, 3);
    return REWRITTEN;
  }
  return UNCHANGED;
}

Outcome
norn_simplify_by_range(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  NornType type = inst->type;
  switch (inst->op) {
  case ICMP:
    return is_scalar(type) ? simplify_comparison(simplifier, index, replacement) : UNCHANGED;
  case OR:
    return type == NORN_TYPE_I1 ? simplify_interval(simplifier, index) : UNCHANGED;
  case IABS:
  case ASHR:
  case SDIV:
  case SREM:
  case LSHR:
  case AND:
  case UREM:
  case UDIV:
  case UMIN:
  case UMAX:
  case SMIN:
  case SMAX:
    break;
  default:
    return UNCHANGED;
  }
  if (inst->op == AND && type == NORN_TYPE_I1)
    return simplify_interval(simplifier, index);
  if (inst->op == AND && type == NORN_TYPE_I32 && choose_by_bit(simplifier, index) == REWRITTEN)
    return REWRITTEN;
  NornRef left = norn_operand(simplifier->function, index, 0);
  if (!is_scalar(type) || norn_ref_kind(left) != NORN_REF_VALUE)
    return UNCHANGED;
  uint64_t max = greatest(simplifier, left, type);
  bool is_positive = max <= norn_type_mask(type) >> 1;
  if (inst->op == IABS)
    return is_positive ? norn_simplify_replace(replacement, left) : UNCHANGED;
  NornRef right = norn_operand(simplifier->function, index, 1);
  if (is_positive && inst->op == ASHR)
    return drop_sign(simplifier, index, LSHR);
  if (is_positive && (inst->op == SDIV || inst->op == SREM) &&
      greatest(simplifier, right, type) <= norn_type_mask(type) >> 1)
    return drop_sign(simplifier, index, inst->op == SDIV ? UDIV : UREM);
  return norn_is_constant(right)
             ? simplify_with_constant(simplifier, index, max,
                                      norn_constant_bits(simplifier->module, right), replacement)
             : UNCHANGED;
}
