/* Products of a sum with a constant, if the products in the sum have constants that can be
 * multiplied by it: (x*a + y*b)*c is x*(a*c) + y*(b*c). Interpolations by a constant from 0 to 1:
 * (y - x)*c + x is x*(1 - c) + y*c, of which a part may be known, shared or a product with a
 * constant. And powers, repeated addends and products of two constants that are added.
 *
 * This changes the rounding of floats. So the pass only changes `finite` operations that are not
 * exact, where the options allow contraction. A sum with a constant, which may be meant to be 0
 * somewhere, is left unchanged unless all products with the constant are exact, or the result is
 * clamped to 0..1, as at the start of a smooth step: what is lost there is next to nothing. */
#include "ir/numeric.h"
#include "passes/optimize/algebra.h"
#include "passes/optimize/simplify.h"

#define MAX_TERMS 8

/* Whether the value is a sum of products with constants no part of which has other uses, so that
 * each of the constants can be multiplied by `scale`, and the sum can start with `start` if that is
 * not 0. */
static bool
can_scale(Simplifier *simplifier, NornType type, NornRef ref, uint64_t scale, NornRef start) {
  NornFunction *function = simplifier->function;
  NornFloatFormat format = norn_float_of_width(norn_types[type].lane_bits);
  bool is_exact = true;
  for (unsigned count = 0; count < MAX_TERMS; count++) {
    uint64_t bits, product;
    if (norn_is_constant(ref))
      return count && is_exact && (!start || norn_is_constant(start)) &&
             norn_float_exact_product(format, norn_constant_bits(simplifier->module, ref), scale,
                                      &product);
    const NornInst *inst = norn_defining_inst(function, ref);
    if (!inst || (inst->op != FMA && inst->op != FMUL) || inst->type != type ||
        !norn_inst_may_reassociate(inst) || !norn_simplify_has_one_use(simplifier, inst->result) ||
        !norn_simplify_constant_operand(simplifier, inst, 1, &bits) ||
        !norn_float_normal_product(format, bits, scale, &product))
      return false;
    if (inst->op == FMUL)
      return true;
    is_exact = is_exact && norn_float_exact_product(format, bits, scale, &product);
    ref = norn_simplify_operand(simplifier, inst, 2);
  }
  return false;
}

/* The operands of the product of the sum `ref` and the constant `scale`, plus `start` if that is
 * not 0: those of an FMUL or an FMA. Returns how many there are. */
static unsigned
scaled_operands(Simplifier *simplifier, uint32_t index, NornRef ref, NornRef scale, NornRef start,
                NornRef *operands) {
  const NornInst inst = *norn_defining_inst(simplifier->function, ref);
  NornRef factors[2] = {norn_simplify_operand(simplifier, &inst, 1), scale};
  operands[0] = norn_simplify_operand(simplifier, &inst, 0);
  operands[1] = norn_simplify_insert(simplifier, index, FMUL, 0, factors, 2);
  operands[2] = start;
  if (inst.op == FMUL)
    return start ? 3 : 2;
  NornRef rest = norn_simplify_operand(simplifier, &inst, 2), parts[3] = {rest, scale, start};
  unsigned count = start ? 3 : 2;
  if (!norn_is_constant(rest))
    count = scaled_operands(simplifier, index, rest, scale, start, parts);
  operands[2] = norn_simplify_insert(simplifier, index, count == 3 ? FMA : FMUL, 0, parts, count);
  return 3;
}

static bool
may_regroup(const Simplifier *simplifier, const NornInst *inst) {
  return simplifier->context->options->contract && !simplifier->context->is_lowered &&
         norn_types[inst->type].lanes == 1 && norn_inst_may_reassociate(inst);
}

/* Lets the instruction compute its value in another order: then its promises hold no longer. */
static void
regroup(Simplifier *simplifier, uint32_t index) {
  norn_inst(simplifier->function, index)->flags = NORN_INST_FINITE;
}

static Outcome
simplify_scaled_sum(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef sum = norn_operand(function, index, 0), factor = norn_operand(function, index, 1);
  NornRef start = inst->op == FMA ? norn_operand(function, index, 2) : 0;
  if (!norn_is_constant(factor))
    return UNCHANGED;
  const NornInst *negation = norn_simplify_definition_by(function, sum, FNEG);
  uint64_t scale = norn_constant_bits(simplifier->module, factor);
  if (negation) {
    sum = norn_simplify_operand(simplifier, negation, 0);
    scale = norn_float_negate(norn_float_of_width(norn_types[inst->type].lane_bits), scale);
    factor = norn_simplify_constant(simplifier, scale);
  }
  if ((negation && !norn_simplify_has_one_use(simplifier, negation->result)) ||
      !can_scale(simplifier, inst->type, sum, scale, start))
    return UNCHANGED;
  if (!simplifier->context->is_numbered) { /* another sum may turn out to be equal */
    simplifier->context->awaits_numbering = true;
    return UNCHANGED;
  }
  NornRef operands[3];
  regroup(simplifier, index);
  unsigned count = scaled_operands(simplifier, index, sum, factor, start, operands);
  norn_simplify_rewrite(simplifier, index, count == 3 ? FMA : FMUL, operands, count);
  return REWRITTEN;
}

static Outcome
simplify_interpolation(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornFloatFormat format = norn_float_of_width(norn_types[inst->type].lane_bits);
  NornRef weight = norn_operand(function, index, 1), x = norn_operand(function, index, 2);
  const NornInst *difference =
      norn_simplify_definition_by(function, norn_operand(function, index, 0), FSUB);
  if (!difference || !norn_is_constant(weight) || !norn_inst_may_reassociate(difference) ||
      norn_simplify_operand(simplifier, difference, 1) != x ||
      !norn_simplify_has_one_use(simplifier, difference->result))
    return UNCHANGED;
  double value = norn_float_to_double(format, norn_constant_bits(simplifier->module, weight));
  if (!(value > 0 && value < 1))
    return UNCHANGED;
  NornRef one = norn_simplify_constant(simplifier, norn_algebra_constant(FLOAT_ONE, inst->type));
  regroup(simplifier, index);
  NornRef y = norn_simplify_operand(simplifier, difference, 0);
  NornRef rest = norn_simplify_insert(simplifier, index, FSUB, 0, (NornRef[]){one, weight}, 2);
  NornRef terms[2][2] = {{y, weight}, {x, rest}};
  unsigned last = norn_is_constant(y);
  NornRef start = norn_simplify_insert(simplifier, index, FMUL, 0, terms[1 - last], 2);
  norn_simplify_rewrite(simplifier, index, FMA, (NornRef[]){terms[last][0], terms[last][1], start},
                        3);
  return REWRITTEN;
}

/* The definition of the value if it is a * b or b * a; else NULL. */
static const NornInst *
product_of(const Simplifier *simplifier, NornRef ref, NornRef a, NornRef b) {
  const NornInst *inst = norn_simplify_definition_by(simplifier->function, ref, FMUL);
  if (!inst || !norn_inst_may_reassociate(inst))
    return NULL;
  NornRef first = norn_simplify_operand(simplifier, inst, 0);
  NornRef second = norn_simplify_operand(simplifier, inst, 1);
  return (first == a && second == b) || (first == b && second == a) ? inst : NULL;
}

/* (a*a*a)*a becomes (a*a)*(a*a), and (s*s*a)*a with s = a*a becomes (s*s)*s: squares are computed
 * once. */
static Outcome
simplify_power(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  for (unsigned k = 0; k < 2; k++) {
    NornRef lower = norn_operand(function, index, k), a = norn_operand(function, index, 1 - k);
    const NornInst *product = norn_simplify_definition_by(function, lower, FMUL);
    if (!product || !norn_inst_may_reassociate(product) ||
        !norn_simplify_has_one_use(simplifier, product->result))
      continue;
    NornRef factors[2] = {norn_simplify_operand(simplifier, product, 0),
                          norn_simplify_operand(simplifier, product, 1)};
    if (factors[0] != a && factors[1] != a)
      continue;
    NornRef rest = factors[0] == a ? factors[1] : factors[0], square = rest;
    const NornInst *inner = norn_simplify_definition_by(function, rest, FMUL);
    if (inner &&
        norn_simplify_operand(simplifier, inner, 0) ==
            norn_simplify_operand(simplifier, inner, 1) &&
        norn_simplify_operand(simplifier, inner, 0) != a)
      square = norn_simplify_operand(simplifier, inner, 0);
    if (!product_of(simplifier, square, a, a))
      continue;
    regroup(simplifier, index);
    norn_simplify_rewrite(simplifier, index, FMUL, (NornRef[]){rest, square}, 2);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* a*b + a*b becomes (a*2)*b, which may be one instruction; a*c + a becomes a*(c + 1). */
static Outcome
simplify_repeated(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornType type = norn_inst(function, index)->type;
  NornRef a = norn_operand(function, index, 0), b = norn_operand(function, index, 1);
  NornRef last = norn_operand(function, index, 2);
  const NornInst *product = type == NORN_TYPE_F32 ? product_of(simplifier, last, a, b) : NULL;
  if (product && norn_simplify_has_one_use(simplifier, product->result)) {
    NornRef factors[2] = {
        a, norn_simplify_constant(simplifier, norn_algebra_constant(FLOAT_TWO, type))};
    regroup(simplifier, index);
    factors[0] = norn_simplify_insert(simplifier, index, FMUL, 0, factors, 2);
    factors[1] = b;
    norn_simplify_rewrite(simplifier, index, FMUL, factors, 2);
    return REWRITTEN;
  }
  if (a != last || !norn_is_constant(b))
    return UNCHANGED;
  regroup(simplifier, index);
  NornRef one = norn_simplify_constant(simplifier, norn_algebra_constant(FLOAT_ONE, type));
  NornRef sum = norn_simplify_insert(simplifier, index, FADD, 0, (NornRef[]){b, one}, 2);
  norn_simplify_rewrite(simplifier, index, FMUL, (NornRef[]){a, sum}, 2);
  return REWRITTEN;
}

/* sat((x + c) * k) with constants becomes sat(x * k + c * k). */
static Outcome
simplify_clamped_product(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *product =
      norn_simplify_definition_by(function, norn_operand(function, index, 0), FMUL);
  uint64_t scale;
  if (!product || !may_regroup(simplifier, product) ||
      !norn_simplify_has_one_use(simplifier, product->result) ||
      !norn_simplify_constant_operand(simplifier, product, 1, &scale))
    return UNCHANGED;
  const NornInst *sum = norn_defining_inst(function, norn_simplify_operand(simplifier, product, 0));
  if (!sum || (sum->op != FADD && sum->op != FSUB) || sum->type != product->type ||
      !norn_inst_may_reassociate(sum) || !norn_simplify_has_one_use(simplifier, sum->result))
    return UNCHANGED;
  NornFloatFormat format = norn_float_of_width(norn_types[product->type].lane_bits);
  for (unsigned k = 0; k < 2; k++) {
    NornRef x = norn_simplify_operand(simplifier, sum, 1 - k);
    bool is_subtracted = sum->op == FSUB;
    NornRef constant = norn_simplify_operand(simplifier, sum, k);
    if (norn_is_constant(x) || !norn_is_constant(constant) ||
        !norn_simplify_may_be_joined(simplifier, sum->type, constant))
      continue;
    if (!simplifier->context->is_numbered) { /* another sum may turn out to be equal */
      simplifier->context->awaits_numbering = true;
      return UNCHANGED;
    }
    uint64_t factor = is_subtracted && !k ? norn_float_negate(format, scale) : scale;
    uint64_t addend = norn_float_multiply(format, NORN_FLOAT_MODE_DEFAULT,
                                          norn_constant_bits(simplifier->module, constant), scale);
    if (!norn_float_is_normal(format, addend))
      continue;
    if (is_subtracted && k)
      addend = norn_float_negate(format, addend);
    NornRef operands[3] = {x, norn_simplify_constant(simplifier, factor),
                           norn_simplify_constant(simplifier, addend)};
    uint32_t at = norn_value(function, product->result)->def;
    regroup(simplifier, at);
    norn_simplify_rewrite(simplifier, at, FMA, operands, 3);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* A product of two constants, as unrolling leaves it, is added as one constant. */
static Outcome
simplify_added_constant(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  NornFloatFormat format =
      norn_float_of_width(norn_types[norn_inst(function, index)->type].lane_bits);
  NornRef operands[3];
  for (unsigned k = 0; k < 3; k++)
    operands[k] = norn_operand(function, index, k);
  if (!norn_is_constant(operands[0]) || !norn_is_constant(operands[1]))
    return UNCHANGED;
  uint64_t product = norn_float_multiply(format, NORN_FLOAT_MODE_DEFAULT,
                                         norn_constant_bits(simplifier->module, operands[0]),
                                         norn_constant_bits(simplifier->module, operands[1]));
  if (!norn_float_is_normal(format, product))
    return UNCHANGED;
  NornRef terms[2] = {operands[2], norn_simplify_constant(simplifier, product)};
  regroup(simplifier, index);
  norn_simplify_rewrite(simplifier, index, FADD, terms, 2);
  return REWRITTEN;
}

Outcome
norn_simplify_scaled(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  (void)replacement;
  if (inst->op == FSAT)
    return simplify_clamped_product(simplifier, index);
  if (!may_regroup(simplifier, inst))
    return UNCHANGED;
  bool is_product = inst->op == FMUL;
  Outcome outcome = is_product ? UNCHANGED : simplify_added_constant(simplifier, index);
  if (outcome == UNCHANGED)
    outcome = simplify_scaled_sum(simplifier, index);
  if (outcome == UNCHANGED && !is_product)
    outcome = simplify_interpolation(simplifier, index);
  if (outcome != UNCHANGED)
    return outcome;
  return is_product ? simplify_power(simplifier, index) : simplify_repeated(simplifier, index);
}
