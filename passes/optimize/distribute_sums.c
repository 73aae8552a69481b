/* A sum with 1 or -1 that is only multiplied is not computed: (1 - x)*y becomes y - x*y, which
 * takes one instruction and rounds once, and (1 - x)*y + x*z adds x*z to that. The same applies to
 * another constant if its product with the other factor is exact. */
#include "ir/builder.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include "passes/optimize/factor.h"

enum { SIGN_BIT = 31 };

/* A term, or its negation, and a constant. */
typedef struct ConstantSum {
  NornRef term;
  bool is_negated;
  uint32_t constant;
} ConstantSum;

/* Whether the instruction adds a constant to something else. */
static bool
match_constant_sum(const NornFunction *function, const NornInst *inst, ConstantSum *sum) {
  if ((inst->op != NORN_OP_FADD && inst->op != NORN_OP_FSUB) || !norn_factor_may_regroup(inst))
    return false;
  uint32_t bits;
  unsigned k = norn_factor_constant(function, inst, &bits);
  if (k == NORN_NO_CONSTANT)
    return false;
  bool is_difference = inst->op == NORN_OP_FSUB;
  *sum = (ConstantSum){norn_operands(function, inst)[1 - k], is_difference && k == 0,
                       is_difference && k == 1 ? bits ^ 1u << SIGN_BIT : bits};
  return true;
}

/* The product of the constant and the number; 0 if it would take an instruction. */
static NornRef
constant_times(NornBuilder *builder, uint32_t constant, NornRef number) {
  NornModule *module = builder->function->module;
  uint64_t product;
  if (constant == norn_float_one(NORN_FLOAT_32, false))
    return number;
  if (norn_is_constant(number) &&
      norn_float_exact_product(NORN_FLOAT_32, constant, norn_constant_bits(module, number),
                               &product))
    return norn_constant(module, product);
  return constant == norn_float_one(NORN_FLOAT_32, true)
             ? norn_build_fneg(builder, NORN_TYPE_F32, number)
             : 0;
}

/* The product that is added, if nothing else reads it; NULL if the operand is no such product. */
static const NornInst *
added_product(const NornFunction *function, const NornFactorUses *uses, NornRef ref) {
  const NornInst *product = norn_defining_inst(function, ref);
  if (!product || product->op != NORN_OP_FMUL || !norn_factor_may_regroup(product) ||
      norn_ref_payload(ref) >= uses->value_count)
    return NULL;
  uint32_t use = uses->first[norn_ref_payload(ref)];
  return use && !uses->items[use - 1].next ? product : NULL;
}

/* The number that a use multiplies the sum with, in a product or in a sum of two products; 0 if the
 * use does something else. */
static NornRef
multiplied_with(const NornFunction *function, const NornFactorUses *uses,
                const NornFactorUse *use) {
  const NornInst *user = norn_inst(function, use->inst);
  const NornRef *operands = norn_operands(function, user);
  if ((user->op != NORN_OP_FMUL && user->op != NORN_OP_FMA) || !norn_factor_may_regroup(user) ||
      use->operand > 1 || operands[0] == operands[1])
    return 0;
  if (user->op == NORN_OP_FMA) {
    const NornInst *product = added_product(function, uses, operands[2]);
    const NornRef *factors = product ? norn_operands(function, product) : NULL;
    NornRef sum = operands[use->operand];
    if (!product || factors[0] == sum || factors[1] == sum)
      return 0;
  }
  return operands[1 - use->operand];
}

/* Distributes the use's product over the sum: (a + c) * b becomes a * b + c * b. A second product
 * is added last: if a is -c, as at the end of an interpolation, only that product remains. */
static void
distribute(NornFunction *function, const ConstantSum *sum, const NornFactorUse *use) {
  NornRef other = norn_operand(function, use->inst, 1 - use->operand);
  NornBuilder builder = norn_builder_before(function, use->inst);
  NornRef term = sum->is_negated ? norn_build_fneg(&builder, NORN_TYPE_F32, sum->term) : sum->term;
  NornRef parts[3] = {term, other, constant_times(&builder, sum->constant, other)};
  if (norn_inst(function, use->inst)->op == NORN_OP_FMA) {
    const NornInst *product = norn_defining_inst(function, norn_operand(function, use->inst, 2));
    const NornRef factors[2] = {norn_operands(function, product)[0],
                                norn_operands(function, product)[1]};
    norn_builder_set_flags(&builder, NORN_INST_FINITE);
    parts[2] = norn_build_fma(&builder, NORN_TYPE_F32, parts[0], parts[1], parts[2]);
    parts[0] = factors[0];
    parts[1] = factors[1];
  }
  norn_factor_become(function, use->inst, NORN_OP_FMA, parts, 3);
}

/* Whether every use of the sum is a product that can be distributed. */
static bool
can_distribute(const NornFunction *function, const NornFactorUses *uses, uint32_t inst,
               uint32_t constant) {
  const uint64_t one = norn_float_one(NORN_FLOAT_32, false);
  unsigned count = 0;
  for (uint32_t number = norn_factor_first_use(uses, function, inst); number;
       number = uses->items[number - 1].next) {
    NornRef other = multiplied_with(function, uses, &uses->items[number - 1]);
    uint64_t product;
    bool fits = other &&
                (norn_float_absolute(NORN_FLOAT_32, constant) == one ||
                 (norn_is_constant(other) &&
                  norn_float_exact_product(NORN_FLOAT_32, constant,
                                           norn_constant_bits(function->module, other), &product)));
    if (!fits || count++ == NORN_MAX_FACTOR_USES)
      return false;
  }
  return count != 0;
}

static bool
has_constant_sum(const NornFunction *function) {
  ConstantSum sum;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      if (match_constant_sum(function, norn_inst(function, index), &sum))
        return true;
  return false;
}

bool
norn_distribute_sums(NornPassContext *context, NornFunction *function) {
  if (!has_constant_sum(function))
    return false;
  NornFactorUses uses = norn_factor_uses(&context->arena, function);
  bool changed = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      ConstantSum sum;
      if (index >= uses.inst_count ||
          !match_constant_sum(function, norn_inst(function, index), &sum) ||
          !can_distribute(function, &uses, index, sum.constant))
        continue;
      for (uint32_t number = norn_factor_first_use(&uses, function, index); number;
           number = uses.items[number - 1].next)
        distribute(function, &sum, &uses.items[number - 1]);
      changed = true;
    }
  return changed;
}
