/* Identities of selections: between truth values, minimum and maximum, halves, constants. */
#include "ir/builder.h"
#include "ir/numeric.h"
#include "passes/optimize/algebra.h"
#include "passes/optimize/simplify.h"

/* A selection between booleans is logic. If the condition selects itself, it is true there, or
 * false if it is the other alternative. */
static Outcome
simplify_bool_select(Simplifier *simplifier, uint32_t index, NornRef condition, NornRef yes,
                     NornRef no, NornRef *replacement) {
  bool yes_true = yes == condition || norn_simplify_is_constant_of(simplifier, yes, 1),
       yes_false = norn_simplify_is_constant_of(simplifier, yes, 0);
  bool no_true = norn_simplify_is_constant_of(simplifier, no, 1),
       no_false = no == condition || norn_simplify_is_constant_of(simplifier, no, 0);
  if (yes_true && no_false)
    return norn_simplify_replace(replacement, condition);
  if (yes_false && no_true) {
    norn_simplify_rewrite(simplifier, index, NOT, &condition, 1);
    return REWRITTEN;
  }
  if (yes_true || no_false) {
    NornRef operands[2] = {condition, yes_true ? no : yes};
    norn_simplify_rewrite(simplifier, index, yes_true ? OR : AND, operands, 2);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* Whether the condition, comparing a value with the constant, holds for all values below 0 and for
 * none above 0; for 0 itself either is fine. *inverted: it holds above 0 and not below. */
static bool
tells_sign(unsigned condition, int64_t constant, bool *inverted) {
  *inverted = condition == NORN_INT_CONDITION_SGT || condition == NORN_INT_CONDITION_SGE;
  if (condition == NORN_INT_CONDITION_SLT || condition == NORN_INT_CONDITION_SGE)
    return constant == 0 || constant == 1;
  if (condition == NORN_INT_CONDITION_SLE || condition == NORN_INT_CONDITION_SGT)
    return constant == 0 || constant == -1;
  return false;
}

/* select(a < 0, -a, a) is the absolute value. */
static Outcome
simplify_magnitude(Simplifier *simplifier, uint32_t index, const NornInst *compare, NornRef yes,
                   NornRef no) {
  NornFunction *function = simplifier->function;
  NornType type = norn_inst(function, index)->type;
  if (compare->op != ICMP || compare->type != type || norn_types[type].lanes != 1)
    return UNCHANGED;
  NornRef value = norn_simplify_resolve(simplifier, norn_operands(function, compare)[0]);
  NornRef bound = norn_simplify_resolve(simplifier, norn_operands(function, compare)[1]);
  bool inverted;
  if (!norn_is_constant(bound) ||
      !tells_sign(compare->modifier,
                  (int64_t)norn_int_sign_extend(norn_constant_bits(simplifier->module, bound),
                                                norn_types[type].lane_bits),
                  &inverted))
    return UNCHANGED;
  const NornInst *negated = norn_simplify_definition_by(function, inverted ? no : yes, INEG);
  if ((inverted ? yes : no) != value || !negated ||
      norn_simplify_resolve(simplifier, norn_operands(function, negated)[0]) != value ||
      !norn_simplify_may_make(simplifier, IABS, type))
    return UNCHANGED;
  norn_simplify_rewrite(simplifier, index, IABS, &value, 1);
  return REWRITTEN;
}

/* select(a < b, a, b) is the minimum, and so on; select(a == b, a, b) is b. */
static Outcome
simplify_minimum(Simplifier *simplifier, uint32_t index, const NornInst *compare, NornRef yes,
                 NornRef no, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  if (compare->op != ICMP || compare->type != norn_inst(function, index)->type)
    return UNCHANGED;
  NornRef left = norn_simplify_resolve(simplifier, norn_operands(function, compare)[0]);
  NornRef right = norn_simplify_resolve(simplifier, norn_operands(function, compare)[1]);
  bool is_straight = left == yes && right == no, is_crossed = left == no && right == yes;
  if (!is_straight && !is_crossed)
    return UNCHANGED;
  unsigned condition =
      is_straight ? compare->modifier : norn_swapped_int_condition(compare->modifier);
  unsigned op;
  switch (condition) {
  case NORN_INT_CONDITION_EQ:
    return norn_simplify_replace(replacement, no);
  case NORN_INT_CONDITION_NE:
    return norn_simplify_replace(replacement, yes);
  case NORN_INT_CONDITION_ULT:
  case NORN_INT_CONDITION_ULE:
    op = UMIN;
    break;
  case NORN_INT_CONDITION_UGT:
  case NORN_INT_CONDITION_UGE:
    op = UMAX;
    break;
  case NORN_INT_CONDITION_SLT:
  case NORN_INT_CONDITION_SLE:
    op = SMIN;
    break;
  case NORN_INT_CONDITION_SGT:
  case NORN_INT_CONDITION_SGE:
    op = SMAX;
    break;
  default:
    return UNCHANGED;
  }
  if (!norn_simplify_may_make(simplifier, op, norn_inst(function, index)->type))
    return UNCHANGED;
  norn_simplify_rewrite(simplifier, index, op, (NornRef[]){yes, no}, 2);
  return REWRITTEN;
}

/* The half that an arm of a selection widens, or that its constant equals; 0 if there is none.
 * *finite keeps only the flags of the conversion. */
static NornRef
half_arm(const Simplifier *simplifier, NornRef arm, unsigned *finite) {
  const NornFunction *function = simplifier->function;
  if (norn_is_constant(arm))
    return norn_half_constant(function->module, arm);
  const NornInst *inst = norn_simplify_definition_by(function, arm, FPCONV);
  if (!inst || inst->type != NORN_TYPE_F32 || inst->source_type != NORN_TYPE_F16)
    return 0;
  *finite &= inst->flags;
  return norn_simplify_resolve(simplifier, norn_operands(function, inst)[0]);
}

/* Selects between halves and widens the result instead of both halves. */
static Outcome
simplify_select_halves(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  NornInst *inst = norn_inst(function, index);
  NornRef arms[3] = {norn_operand(function, index, 0)};
  unsigned finite = NORN_INST_FINITE;
  if (inst->type != NORN_TYPE_F32 || function->module->denormals != NORN_DENORMALS_PRESERVE ||
      !norn_simplify_may_make(simplifier, SELECT, NORN_TYPE_F16))
    return UNCHANGED;
  for (unsigned k = 1; k < 3; k++) {
    arms[k] = half_arm(simplifier, norn_operand(function, index, k), &finite);
    if (!arms[k])
      return UNCHANGED;
  }
  if (norn_is_constant(arms[1]) && norn_is_constant(arms[2]))
    return UNCHANGED;
  NornBuilder builder = norn_builder_in_place_of(function, index);
  NornRef half = norn_build_select(&builder, NORN_TYPE_F16, arms[0], arms[1], arms[2]);
  norn_simplify_rewrite(simplifier, index, FPCONV, &half, 1);
  inst = norn_inst(function, index);
  inst->source_type = NORN_TYPE_F16;
  inst->modifier = NORN_ROUND_RTE;
  inst->flags = (uint16_t)finite;
  return REWRITTEN;
}

/* Whether a vector is probably scaled by the value: to normalize it, or to divide it. */
static bool
is_scale(const Simplifier *simplifier, NornRef ref) {
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  return inst && (inst->op == FRSQ || inst->op == FRCP);
}

/* A selection between a product with such a factor and its negation becomes a product with the
 * factor or its negation, which the components of a vector share. The rounding mode must treat both
 * signs alike. */
static Outcome
simplify_select_negative(Simplifier *simplifier, uint32_t index, NornRef condition, NornRef yes,
                         NornRef no) {
  NornFunction *function = simplifier->function;
  NornType type = norn_inst(function, index)->type;
  unsigned rounding = simplifier->module->rounding;
  bool is_inverted = !norn_simplify_definition_by(function, yes, FNEG);
  NornRef positive = is_inverted ? yes : no;
  const NornInst *negated = norn_simplify_definition_by(function, is_inverted ? no : yes, FNEG);
  const NornInst *product = norn_simplify_definition_by(function, positive, FMUL);
  if (!negated || norn_simplify_operand(simplifier, negated, 0) != positive || !product ||
      !norn_inst_is_finite(product) || simplifier->context->is_lowered ||
      (rounding != NORN_ROUND_RTE && rounding != NORN_ROUND_RTZ) ||
      norn_simplify_uses(simplifier, negated->result) != 1 ||
      norn_simplify_uses(simplifier, product->result) != 2)
    return UNCHANGED;
  unsigned k = is_scale(simplifier, norn_simplify_operand(simplifier, product, 0)) ? 0 : 1;
  NornRef scale = norn_simplify_operand(simplifier, product, k);
  NornRef rest = norn_simplify_operand(simplifier, product, 1 - k);
  uint16_t flags = product->flags;
  if (!is_scale(simplifier, scale))
    return UNCHANGED;
  NornBuilder builder = norn_builder_in_place_of(function, index);
  norn_builder_set_flags(&builder, 0);
  NornRef other = norn_build_fneg(&builder, type, scale);
  NornRef factor = norn_build_select(&builder, type, condition, is_inverted ? scale : other,
                                     is_inverted ? other : scale);
  norn_simplify_rewrite(simplifier, index, FMUL, (NornRef[]){rest, factor}, 2);
  norn_inst(function, index)->flags = flags;
  return REWRITTEN;
}

/* A selection of 0 or all ones by a condition with other uses: the complement of the condition as a
 * mask. */
static Outcome
simplify_inverse_mask(Simplifier *simplifier, uint32_t index, NornRef condition, NornRef yes,
                      NornRef no) {
  NornFunction *function = simplifier->function;
  NornType type = norn_inst(function, index)->type;
  if (norn_types[type].class != NORN_CLASS_INT || norn_types[type].lanes != 1 ||
      type == NORN_TYPE_I1 || !norn_simplify_is_constant_of(simplifier, yes, 0) ||
      !norn_simplify_is_constant_of(simplifier, no, norn_type_mask(type)) ||
      norn_ref_kind(condition) != NORN_REF_VALUE ||
      norn_simplify_has_one_use(simplifier, norn_ref_payload(condition)) ||
      !norn_simplify_may_make(simplifier, NOT, type) ||
      !norn_simplify_may_make(simplifier, SEXT, type))
    return UNCHANGED;
  NornBuilder builder = norn_builder_in_place_of(function, index);
  NornRef mask = norn_build_sext(&builder, type, NORN_TYPE_I1, condition);
  norn_simplify_rewrite(simplifier, index, NOT, &mask, 1);
  return REWRITTEN;
}

Outcome
norn_simplify_select(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  NornInst *inst = norn_inst(function, index);
  NornRef condition = norn_operand(function, index, 0);
  NornRef yes = norn_operand(function, index, 1), no = norn_operand(function, index, 2);
  if (yes == no)
    return norn_simplify_replace(replacement, yes);
  if (norn_is_constant(condition))
    return norn_simplify_replace(replacement,
                                 norn_simplify_is_constant_of(simplifier, condition, 1) ? yes : no);
  if (inst->type == NORN_TYPE_I1) {
    Outcome outcome = simplify_bool_select(simplifier, index, condition, yes, no, replacement);
    if (outcome != UNCHANGED)
      return outcome;
  }
  Outcome outcome = simplify_select_halves(simplifier, index);
  if (outcome == UNCHANGED)
    outcome = simplify_inverse_mask(simplifier, index, condition, yes, no);
  if (outcome == UNCHANGED)
    outcome = simplify_select_negative(simplifier, index, condition, yes, no);
  if (outcome != UNCHANGED)
    return outcome;
  const NornInst *inner = norn_defining_inst(function, condition);
  if (!inner)
    return UNCHANGED;
  if (inner->op == NOT) {
    NornRef operands[3] = {norn_simplify_resolve(simplifier, norn_operands(function, inner)[0]), no,
                           yes};
    norn_inst_set_operands(function, index, operands, 3);
    return REWRITTEN;
  }
  outcome = simplify_minimum(simplifier, index, inner, yes, no, replacement);
  if (outcome == UNCHANGED)
    outcome = simplify_magnitude(simplifier, index, inner, yes, no);
  return outcome == UNCHANGED ? norn_simplify_table(simplifier, index) : outcome;
}

/* Whether it is a product that may become part of a sum, with a factor that a combination of
 * comparisons may compute: 1 or 0. */
static bool
may_be_free_factor(const Simplifier *simplifier, uint32_t index, const NornRef arms[3]) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  uint64_t one = norn_algebra_constant(FLOAT_ONE, inst->type);
  if (inst->op != FMUL || simplifier->context->is_lowered)
    return false;
  return (norn_simplify_is_constant_of(simplifier, arms[1], one) &&
          norn_simplify_is_constant_of(simplifier, arms[2], 0)) ||
         (norn_simplify_is_constant_of(simplifier, arms[1], 0) &&
          norn_simplify_is_constant_of(simplifier, arms[2], one));
}

Outcome
norn_simplify_selected_constants(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  (void)replacement;
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  bool is_conversion = inst->op == SITOFP || inst->op == UITOFP;
  unsigned op = inst->op, modifier = inst->modifier, count = inst->operand_count, at = count;
  NornRef operands[3], arms[3];
  for (unsigned k = 0; k < count; k++) {
    operands[k] = norn_operand(function, index, k);
    if (!norn_is_constant(operands[k])) {
      if (at < count)
        return UNCHANGED;
      at = k;
    }
  }
  const NornInst *select =
      at < count ? norn_simplify_definition_by(function, operands[at], SELECT) : NULL;
  if (!select || select->type != (is_conversion ? inst->source_type : inst->type) ||
      !norn_simplify_may_make(simplifier, SELECT, inst->type))
    return UNCHANGED;
  for (unsigned k = 0; k < 3; k++) {
    arms[k] = norn_simplify_resolve(simplifier, norn_operands(function, select)[k]);
    if (k && !norn_is_constant(arms[k]))
      return UNCHANGED;
  }
  if (may_be_free_factor(simplifier, index, arms) ||
      !norn_simplify_has_one_use(simplifier, select->result))
    return UNCHANGED;
  for (unsigned k = 1; k < 3; k++) {
    operands[at] = arms[k];
    arms[k] = norn_simplify_insert(simplifier, index, op, modifier, operands, count);
  }
  norn_simplify_rewrite(simplifier, index, SELECT, arms, 3);
  return REWRITTEN;
}

/* A vector whose sign is chosen before it is normalized: select(t, x, -x) * rsq(y), of which there
 * is one for each component, becomes x * select(t, rsq(y), -rsq(y)). */
Outcome
norn_simplify_chosen_sign(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  (void)replacement;
  const NornFunction *function = simplifier->function;
  for (unsigned k = 0; k < 2; k++) {
    NornRef chosen = norn_operand(function, index, k), root = norn_operand(function, index, 1 - k);
    const NornInst *select = norn_simplify_definition_by(function, chosen, SELECT);
    if (!select || !norn_simplify_definition_by(function, root, FRSQ) ||
        !norn_simplify_has_one_use(simplifier, norn_ref_payload(chosen)))
      continue;
    NornRef condition = norn_simplify_operand(simplifier, select, 0);
    for (unsigned negated = 1; negated < 3; negated++) {
      NornRef x = norn_simplify_operand(simplifier, select, 3 - negated), arms[3] = {condition};
      const NornInst *negation = norn_simplify_definition_by(
          function, norn_simplify_operand(simplifier, select, negated), FNEG);
      if (!negation || norn_simplify_operand(simplifier, negation, 0) != x)
        continue;
      arms[3 - negated] = root;
      arms[negated] = norn_simplify_insert(simplifier, index, FNEG, 0, &root, 1);
      NornRef factors[2] = {x, norn_simplify_insert(simplifier, index, SELECT, 0, arms, 3)};
      norn_simplify_rewrite(simplifier, index, FMUL, factors, 2);
      return REWRITTEN;
    }
  }
  return UNCHANGED;
}
