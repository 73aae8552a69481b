/* Identities of floats that rules cannot express: quotients, sums with constants, integral
 * values. */
#include "passes/optimize/algebra.h"
#include "passes/optimize/simplify.h"

/* The square root that can be combined with the division by it; NULL if there is none. */
static const NornInst *
root_of(const Simplifier *simplifier, uint32_t index, NornRef divisor) {
  const NornInst *root = norn_simplify_definition_by(simplifier->function, divisor, FSQRT);
  unsigned exact =
      root ? (norn_inst(simplifier->function, index)->flags | root->flags) & NORN_INST_EXACT : 0;
  return root && !exact && norn_simplify_may_make(simplifier, FRSQ, root->type) ? root : NULL;
}

/* The reciprocal of a power of two, if multiplying by it gives exactly the quotient; else 0. */
static NornRef
exact_reciprocal(const Simplifier *simplifier, NornRef divisor) {
  uint64_t bits = norn_is_constant(divisor) ? norn_constant_bits(simplifier->module, divisor) : 0;
  if (!norn_float_is_power_of_two(NORN_FLOAT_32, bits))
    return 0;
  uint64_t reciprocal = norn_float_divide(NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT,
                                          norn_float_one(NORN_FLOAT_32, false), bits);
  return norn_float_is_power_of_two(NORN_FLOAT_32, reciprocal)
             ? norn_constant(simplifier->function->module, reciprocal)
             : 0;
}

/* a / 2^n; and 1 / a, -1 / a, a / c, a / root(b), 1 / root(b), which are right only within the
 * permitted error. */
static Outcome
simplify_quotient(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  bool is_reciprocal = inst->op == FRCP;
  NornRef dividend = is_reciprocal ? 0 : norn_operand(function, index, 0);
  NornRef divisor = norn_operand(function, index, is_reciprocal ? 0 : 1);
  const NornInst *root = root_of(simplifier, index, divisor);
  if (dividend && norn_simplify_is_constant_of(simplifier, dividend,
                                               norn_algebra_constant(FLOAT_ONE, inst->type))) {
    norn_simplify_rewrite(simplifier, index, FRCP, &divisor, 1);
    return REWRITTEN;
  }
  if (dividend && norn_simplify_is_constant_of(
                      simplifier, dividend, norn_algebra_constant(FLOAT_MINUS_ONE, inst->type))) {
    NornRef negated = norn_simplify_insert(simplifier, index, FNEG, 0, &divisor, 1);
    norn_simplify_rewrite(simplifier, index, FRCP, &negated, 1);
    return REWRITTEN;
  }
  NornRef reciprocal =
      dividend && inst->type == NORN_TYPE_F32 ? exact_reciprocal(simplifier, divisor) : 0;
  if (reciprocal) {
    norn_simplify_rewrite(simplifier, index, FMUL, (NornRef[]){dividend, reciprocal}, 2);
    return REWRITTEN;
  }
  if (dividend && norn_is_constant(divisor) && inst->type == NORN_TYPE_F32 &&
      simplifier->context->options->contract && norn_inst_may_reassociate(inst) &&
      norn_simplify_may_make(simplifier, FRCP, inst->type)) {
    NornRef factors[2] = {dividend, norn_simplify_insert(simplifier, index, FRCP, 0, &divisor, 1)};
    norn_simplify_rewrite(simplifier, index, FMUL, factors, 2);
    return REWRITTEN;
  }
  if (!root)
    return UNCHANGED;
  NornRef radicand = norn_simplify_resolve(simplifier, norn_operands(function, root)[0]);
  if (is_reciprocal) {
    norn_simplify_rewrite(simplifier, index, FRSQ, &radicand, 1);
    return REWRITTEN;
  }
  NornRef factors[2] = {dividend, norn_simplify_insert(simplifier, index, FRSQ, 0, &radicand, 1)};
  norn_simplify_rewrite(simplifier, index, FMUL, factors, 2);
  return REWRITTEN;
}

/* A quotient that a sum may compute as a product with the reciprocal; NULL if it is none. */
static const NornInst *
loose_quotient(const Simplifier *simplifier, NornRef ref) {
  const NornInst *quotient = norn_simplify_definition_by(simplifier->function, ref, FDIV);
  return quotient && quotient->type == NORN_TYPE_F32 && !(quotient->flags & NORN_INST_EXACT)
             ? quotient
             : NULL;
}

/* Whether the other addend is the better product to contract: one that is only used by this sum,
 * while the quotient has other uses and therefore stays. */
static bool
adds_better_product(Simplifier *simplifier, const NornInst *quotient, NornRef other) {
  const NornInst *product = norn_simplify_definition_by(simplifier->function, other, FMUL);
  bool is_product =
      product ? !(product->flags & NORN_INST_EXACT) : loose_quotient(simplifier, other) != NULL;
  return is_product && norn_simplify_has_one_use(simplifier, norn_ref_payload(other)) &&
         !norn_simplify_has_one_use(simplifier, quotient->result);
}

/* a / b + c and the like, which are right only within the permitted error: a product with the
 * reciprocal is rounded once less, as in contractions. */
static Outcome
simplify_sum_of_quotient(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  bool is_difference = norn_inst(function, index)->op == FSUB;
  NornRef operands[2] = {norn_operand(function, index, 0), norn_operand(function, index, 1)};
  const NornInst *quotient = NULL;
  unsigned k;
  for (k = 0; k < 2; k++) {
    quotient = loose_quotient(simplifier, operands[k]);
    if (quotient && !adds_better_product(simplifier, quotient, operands[1 - k]))
      break;
  }
  if (k == 2)
    return UNCHANGED;
  const NornRef *terms = norn_operands(function, quotient);
  NornRef factors[3] = {norn_simplify_resolve(simplifier, terms[0]),
                        norn_simplify_resolve(simplifier, terms[1]), operands[1 - k]};
  factors[1] = norn_simplify_insert(simplifier, index, FRCP, 0, &factors[1], 1);
  unsigned negated = k ? 0 : 2;
  if (is_difference)
    factors[negated] = norn_simplify_insert(simplifier, index, FNEG, 0, &factors[negated], 1);
  norn_simplify_rewrite(simplifier, index, FMA, factors, 3);
  return REWRITTEN;
}

/* --- Sums with constants --- */

/* A sum of a term, or of the product of a term and a factor, and a constant; both may be
 * negated. */
typedef struct SumWithConstant {
  NornRef term, factor; /* 0: there is only the term */
  NornRef constant;
  bool term_is_negated, constant_is_negated;
} SumWithConstant;

static bool
as_sum_with_constant(const Simplifier *simplifier, const NornInst *inst, SumWithConstant *sum) {
  const NornRef *operands = norn_operands(simplifier->function, inst);
  unsigned last = inst->operand_count - 1;
  if ((inst->op != FADD && inst->op != FSUB && inst->op != FMA) || !norn_inst_may_reassociate(inst))
    return false;
  NornRef first = norn_simplify_resolve(simplifier, operands[0]);
  bool is_first = inst->op == FSUB && norn_is_constant(first);
  *sum = (SumWithConstant){
      .term = is_first ? norn_simplify_resolve(simplifier, operands[1]) : first,
      .factor = last == 2 ? norn_simplify_resolve(simplifier, operands[1]) : 0,
      .constant = is_first ? first : norn_simplify_resolve(simplifier, operands[last]),
      .term_is_negated = is_first,
      .constant_is_negated = inst->op == FSUB && !is_first,
  };
  return norn_is_constant(sum->constant);
}

bool
norn_simplify_may_be_joined(const Simplifier *simplifier, NornType type, NornRef constant) {
  NornFloatFormat format = norn_float_of_width(norn_types[type].lane_bits);
  static const double max[] = {
      [NORN_FLOAT_16] = 1 << 5, [NORN_FLOAT_32] = 1 << 12, [NORN_FLOAT_64] = 1 << 26};
  uint64_t magnitude =
      norn_constant_bits(simplifier->module, constant) & (norn_type_mask(type) >> 1);
  return norn_types[type].lanes == 1 && magnitude &&
         magnitude <= norn_float_from_double(format, max[format]);
}

/* a or -a. */
static NornRef
with_sign(Simplifier *simplifier, uint32_t index, NornRef a, bool is_negated) {
  return is_negated ? norn_simplify_insert(simplifier, index, FNEG, 0, &a, 1) : a;
}

/* (a + c) + d with constants c and d becomes a + (c + d). Additions that are `finite` may be
 * reordered if products may be contracted. */
static Outcome
simplify_sum_of_constants(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  SumWithConstant outer, inner;
  if (!as_sum_with_constant(simplifier, inst, &outer))
    return UNCHANGED;
  const NornInst *term = norn_defining_inst(function, outer.term);
  if (!term || term->type != type || !as_sum_with_constant(simplifier, term, &inner) ||
      !norn_simplify_may_be_joined(simplifier, type, inner.constant) ||
      !norn_simplify_may_be_joined(simplifier, type, outer.constant))
    return UNCHANGED;
  bool is_negated = outer.term_is_negated != inner.term_is_negated;
  NornRef constants[2] = {with_sign(simplifier, index, outer.constant, outer.constant_is_negated),
                          with_sign(simplifier, index, inner.constant,
                                    outer.term_is_negated != inner.constant_is_negated)};
  NornRef constant = norn_simplify_insert(simplifier, index, FADD, 0, constants, 2);
  if (inner.factor) {
    NornRef product = with_sign(simplifier, index, inner.term, is_negated);
    norn_simplify_rewrite(simplifier, index, FMA, (NornRef[]){product, inner.factor, constant}, 3);
  } else if (is_negated) {
    norn_simplify_rewrite(simplifier, index, FSUB, (NornRef[]){constant, inner.term}, 2);
  } else {
    norn_simplify_rewrite(simplifier, index, FADD, (NornRef[]){inner.term, constant}, 2);
  }
  return REWRITTEN;
}

/* 1 - sat(a + c) with a constant c becomes sat(1 - (a + c)), in which the constants are
 * combined. */
static Outcome
simplify_complement(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  SumWithConstant outer, inner;
  if (!as_sum_with_constant(simplifier, inst, &outer) || inst->op != FSUB ||
      !outer.term_is_negated ||
      !norn_simplify_is_constant_of(simplifier, outer.constant,
                                    norn_algebra_constant(FLOAT_ONE, inst->type)))
    return UNCHANGED;
  const NornInst *clamp = norn_simplify_definition_by(function, outer.term, FSAT);
  if (!clamp || !norn_simplify_has_one_use(simplifier, clamp->result))
    return UNCHANGED;
  NornRef term = norn_simplify_resolve(simplifier, norn_operands(function, clamp)[0]);
  const NornInst *sum = norn_defining_inst(function, term);
  if (!sum || !as_sum_with_constant(simplifier, sum, &inner) ||
      !norn_simplify_has_one_use(simplifier, sum->result))
    return UNCHANGED;
  NornRef rest =
      norn_simplify_insert(simplifier, index, FSUB, 0, (NornRef[]){outer.constant, term}, 2);
  norn_simplify_rewrite(simplifier, index, FSAT, &rest, 1);
  return REWRITTEN;
}

typedef struct SignedTerm {
  NornRef ref;
  bool is_negated;
} SignedTerm;

/* The terms of a sum or difference that may be reordered. */
static bool
terms_of(const Simplifier *simplifier, const NornInst *inst, SignedTerm terms[2]) {
  if (!inst || (inst->op != FADD && inst->op != FSUB) || !norn_inst_may_reassociate(inst))
    return false;
  for (unsigned k = 0; k < 2; k++)
    terms[k] = (SignedTerm){
        norn_simplify_resolve(simplifier, norn_operands(simplifier->function, inst)[k]),
        k && inst->op == FSUB,
    };
  return true;
}

/* Whether a term of one sum cancels a term of another. */
static bool
cancels(const Simplifier *simplifier, NornType type, SignedTerm a, SignedTerm b) {
  return a.ref == b.ref && a.is_negated != b.is_negated &&
         (!norn_is_constant(a.ref) || norn_simplify_may_be_joined(simplifier, type, a.ref));
}

/* (a + b) - a becomes b + -0, and a - (a + b) becomes 0 - b. */
static Outcome
simplify_cancelled_term(Simplifier *simplifier, uint32_t index, const SignedTerm sums[2]) {
  const NornFunction *function = simplifier->function;
  NornType type = norn_inst(function, index)->type;
  for (unsigned k = 0; k < 2; k++) {
    SignedTerm terms[2];
    const NornInst *sum = norn_defining_inst(function, sums[k].ref);
    if (!sum || sum->type != type || !terms_of(simplifier, sum, terms))
      continue;
    for (unsigned j = 0; j < 2; j++) {
      SignedTerm common = terms[j], left = terms[1 - j];
      common.is_negated ^= sums[k].is_negated;
      left.is_negated ^= sums[k].is_negated;
      if (!cancels(simplifier, type, common, sums[1 - k]))
        continue;
      NornRef zero = norn_constant(
          function->module, norn_algebra_constant(left.is_negated ? ZERO : NEGATIVE_ZERO, type));
      if (left.is_negated)
        norn_simplify_rewrite(simplifier, index, FSUB, (NornRef[]){zero, left.ref}, 2);
      else
        norn_simplify_rewrite(simplifier, index, FADD, (NornRef[]){left.ref, zero}, 2);
      return REWRITTEN;
    }
  }
  return UNCHANGED;
}

/* (a + b) - (a - c) becomes b + c. */
static Outcome
simplify_common_term(Simplifier *simplifier, uint32_t index) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  SignedTerm sums[2], terms[2][2];
  if (!terms_of(simplifier, inst, sums))
    return UNCHANGED;
  Outcome outcome = simplify_cancelled_term(simplifier, index, sums);
  if (outcome != UNCHANGED)
    return outcome;
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *sum = norn_defining_inst(function, sums[k].ref);
    if (!sum || sum->type != type || !terms_of(simplifier, sum, terms[k]))
      return UNCHANGED;
    terms[k][0].is_negated ^= sums[k].is_negated;
    terms[k][1].is_negated ^= sums[k].is_negated;
  }
  for (unsigned k = 0; k < 4; k++) {
    SignedTerm left = terms[0][1 - k / 2], right = terms[1][1 - k % 2];
    if (!cancels(simplifier, type, terms[0][k / 2], terms[1][k % 2]))
      continue;
    if (left.is_negated && !right.is_negated) {
      SignedTerm swapped = left;
      left = right;
      right = swapped;
    }
    NornRef operands[2] = {with_sign(simplifier, index, left.ref, left.is_negated), right.ref};
    norn_simplify_rewrite(simplifier, index, right.is_negated ? FSUB : FADD, operands, 2);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* x - fract(x) and x - (x - round(x)) are the rounded x. Rounding to nearest returns it exactly,
 * even if the fraction is not exact: for a negative x above -1/2, what is lost of it is at most
 * half of the last digit below 1. */
static Outcome
simplify_whole_part(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  if (inst->op != FSUB || !norn_inst_is_finite(inst) || simplifier->context->is_lowered ||
      simplifier->module->rounding != NORN_ROUND_RTE)
    return UNCHANGED;
  NornRef x = norn_operand(function, index, 0);
  const NornInst *fraction = norn_defining_inst(function, norn_operand(function, index, 1));
  if (!fraction || (fraction->op != FFRACT && fraction->op != FSUB) ||
      norn_simplify_operand(simplifier, fraction, 0) != x)
    return UNCHANGED;
  if (fraction->op == FFRACT) {
    norn_simplify_rewrite(simplifier, index, FROUND, &x, 1);
    norn_inst(function, index)->modifier = NORN_ROUND_RTN;
    return REWRITTEN;
  }
  NornRef whole = norn_simplify_operand(simplifier, fraction, 1);
  const NornInst *round = norn_simplify_definition_by(function, whole, FROUND);
  return round && norn_simplify_operand(simplifier, round, 0) == x
             ? norn_simplify_replace(replacement, whole)
             : UNCHANGED;
}

static Outcome
simplify_sum(Simplifier *simplifier, uint32_t index) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  if (!simplifier->context->options->contract || simplifier->context->is_lowered ||
      inst->flags & NORN_INST_EXACT)
    return UNCHANGED;
  Outcome outcome = simplify_sum_of_quotient(simplifier, index);
  if (outcome == UNCHANGED)
    outcome = simplify_complement(simplifier, index);
  if (outcome == UNCHANGED)
    outcome = simplify_common_term(simplifier, index);
  return outcome == UNCHANGED ? simplify_sum_of_constants(simplifier, index) : outcome;
}

/* --- Integral values --- */

/* Nesting depth of the arithmetic on integral values that is looked through. */
#define MAX_DEPTH 4
/* How many minimums and maximums there may be between a rounding and a conversion. */
#define MAX_LIMITS 2

/* Whether the float has no fraction: an infinity, a NaN, the result of rounding, or a sum or
 * product of integral values. If a float has too few digits for such a result, it is integral
 * anyway. */
static bool
is_integral(const Simplifier *simplifier, NornType type, NornRef ref, unsigned depth) {
  const NornFunction *function = simplifier->function;
  if (norn_is_constant(ref)) {
    NornFloatFormat format = norn_float_of_width(norn_types[type].lane_bits);
    NornFloatMode mode = {.round = NORN_ROUND_ZERO};
    uint64_t bits = norn_constant_bits(simplifier->module, ref);
    return norn_types[type].lanes == 1 && norn_float_round_to_integral(format, mode, bits) == bits;
  }
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || norn_is_machine(inst) || inst->type != type)
    return false;
  if (inst->op == FROUND || inst->op == SITOFP || inst->op == UITOFP)
    return true;
  if (!norn_simplify_is_float_arithmetic(inst->op) && (inst->op != FNEG || depth == MAX_DEPTH))
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (!depth || !is_integral(simplifier, type,
                               norn_simplify_resolve(simplifier, norn_operands(function, inst)[k]),
                               depth - 1))
      return false;
  return true;
}

static Outcome
simplify_round(const Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornRef source = norn_operand(simplifier->function, index, 0);
  NornType type = norn_inst(simplifier->function, index)->type;
  return !norn_is_constant(source) && is_integral(simplifier, type, source, MAX_DEPTH)
             ? norn_simplify_replace(replacement, source)
             : UNCHANGED;
}

/* The f32, which is limited by integral constants and before that rounded to an integral value,
 * without the rounding; *round: its mode. 0 if it is something else. */
static NornRef
without_rounding(Simplifier *simplifier, NornBuilder *builder, NornRef ref, unsigned depth,
                 uint8_t *round) {
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  if (!inst || inst->type != NORN_TYPE_F32)
    return 0;
  NornRef operand = norn_simplify_operand(simplifier, inst, 0);
  if (inst->op == FROUND) {
    *round = inst->modifier;
    return operand;
  }
  if (!depth || (inst->op != FMIN && inst->op != FMAX) ||
      !norn_simplify_has_one_use(simplifier, inst->result))
    return 0;
  NornRef limit = norn_simplify_operand(simplifier, inst, 1);
  unsigned op = inst->op, flags = inst->flags;
  if (!norn_is_constant(limit) || !is_integral(simplifier, NORN_TYPE_F32, limit, 0))
    return 0;
  NornRef value = without_rounding(simplifier, builder, operand, depth - 1, round);
  if (!value)
    return 0;
  norn_builder_set_flags(builder, flags);
  NornRef limited =
      norn_build_op(builder, op, 0, NORN_TYPE_F32, NORN_TYPE_VOID, (NornRef[]){value, limit}, 2);
  norn_builder_set_flags(builder, 0);
  return limited;
}

/* If the operand is rounded to an integral value first, the conversion rounds instead. */
static Outcome
simplify_to_int(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  if (inst->type != NORN_TYPE_I32 || inst->source_type != NORN_TYPE_F32)
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  uint8_t round;
  NornRef value =
      without_rounding(simplifier, &builder, norn_operand(function, index, 0), MAX_LIMITS, &round);
  if (!value)
    return UNCHANGED;
  norn_inst(function, index)->modifier = round;
  norn_set_operand(function, index, 0, value);
  return REWRITTEN;
}

Outcome
norn_simplify_float(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  Outcome outcome;
  switch (norn_inst(simplifier->function, index)->op) {
  case FADD:
  case FSUB:
    outcome = simplify_whole_part(simplifier, index, replacement);
    return outcome == UNCHANGED ? simplify_sum(simplifier, index) : outcome;
  case FDIV:
  case FRCP:
    return simplify_quotient(simplifier, index);
  case FROUND:
    return simplify_round(simplifier, index, replacement);
  case FPTOSI:
  case FPTOUI:
    return simplify_to_int(simplifier, index);
  default:
    return UNCHANGED;
  }
}
