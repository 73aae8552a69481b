/* Starts a sum of products with the value that is added to the sum:
 *
 *   s = fma x, y, (fmul z, w)          s = fma x, y, (fma z, w, a)
 *   t = fadd a, s                      (s for t)
 *
 * Sums and products may be negated in between.
 *
 * Adding floats in another order changes the rounding. So the pass only changes `finite` operations
 * that are not exact, where the options allow contraction. The sum must be in one block, and
 * neither it nor any part of it may have another use. If its first product is also computed
 * elsewhere, for example in another arm of a branch, the sum may be common code and is left
 * unchanged. */
#include "ir/builder.h"
#include "ir/hash.h"
#include "ir/key_counts.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define MAX_PRODUCTS 32 /* in a sum */

typedef struct Chaining {
  NornFunction *function;
  const uint32_t *uses;   /* by value */
  uint32_t value_count;   /* before the pass */
  NornKeyCounts products; /* count of products by their factors */
  NornReplacements replacements;
  bool changed;
} Chaining;

static uint32_t *
count_of_factors(Chaining *pass, const NornInst *product) {
  const NornRef *factors = norn_operands(pass->function, product);
  uint64_t both = (uint64_t)MIN(factors[0], factors[1]) << 32 | MAX(factors[0], factors[1]);
  return norn_key_count(&pass->products, norn_hash_mix(0, both));
}

static void
count_products_of_factors(Chaining *pass, NornArena *arena) {
  const NornFunction *function = pass->function;
  uint32_t products = 0;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      products += norn_inst(function, index)->op == NORN_OP_FMUL;
  pass->products = norn_key_counts_new(arena, products);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      if (norn_inst(function, index)->op == NORN_OP_FMUL)
        ++*count_of_factors(pass, norn_inst(function, index));
}

static NornRef
operand(const Chaining *pass, const NornInst *inst, unsigned k) {
  return norn_replacements_get(&pass->replacements, norn_operands(pass->function, inst)[k]);
}

/* The operand of a negation that nothing else needs; for any other value, the value itself. */
static NornRef
without_sign(const Chaining *pass, NornRef ref, const NornInst *sum, bool *is_negated) {
  const NornInst *inst = norn_defining_inst(pass->function, ref);
  if (!inst || inst->op != NORN_OP_FNEG || inst->result >= pass->value_count ||
      pass->uses[inst->result] != 1 || inst->type != sum->type)
    return ref;
  *is_negated = !*is_negated;
  return operand(pass, inst, 0);
}

/* The number of products in the sum `ref` if that sum can start with another addend; else 0. */
static unsigned
count_products(Chaining *pass, NornRef ref, const NornInst *sum) {
  bool is_negated = false;
  for (unsigned count = 1; count <= MAX_PRODUCTS; count++) {
    ref = without_sign(pass, ref, sum, &is_negated);
    const NornInst *inst = norn_defining_inst(pass->function, ref);
    if (!inst || inst->result >= pass->value_count || pass->uses[inst->result] != 1 ||
        inst->block != sum->block || inst->type != sum->type || !norn_inst_may_reassociate(inst))
      return 0;
    if (inst->op == NORN_OP_FMUL)
      return *count_of_factors(pass, inst) > 1 ? 0 : count;
    if (inst->op != NORN_OP_FMA)
      return 0;
    ref = operand(pass, inst, 2);
  }
  return 0;
}

/* Rebuilds the sum of products, starting with `start`. */
static NornRef
build_sum(const Chaining *pass, NornBuilder *builder, const NornInst *sum, NornRef ref,
          bool is_negated, NornRef start) {
  ref = without_sign(pass, ref, sum, &is_negated);
  const NornInst inst = *norn_defining_inst(pass->function, ref);
  NornRef factor = operand(pass, &inst, 0), other = operand(pass, &inst, 1);
  if (inst.op == NORN_OP_FMA)
    start = build_sum(pass, builder, sum, operand(pass, &inst, 2), is_negated, start);
  if (is_negated)
    factor = norn_build_fneg(builder, (NornType)inst.type, factor);
  return norn_build_fma(builder, (NornType)inst.type, factor, other, start);
}

static void
chain_sum(Chaining *pass, uint32_t index) {
  const NornInst sum = *norn_inst(pass->function, index);
  for (unsigned k = 2; k-- > 0;) {
    NornRef chain = operand(pass, &sum, k), start = operand(pass, &sum, 1 - k);
    if (count_products(pass, chain, &sum) < 2)
      continue;
    NornBuilder builder = norn_builder_in_place_of(pass->function, index);
    norn_builder_set_flags(&builder, NORN_INST_FINITE); /* partial sums keep no other promise */
    if (sum.op == NORN_OP_FSUB && k == 0)
      start = norn_build_fneg(&builder, (NornType)sum.type, start);
    NornRef ref = build_sum(pass, &builder, &sum, chain, sum.op == NORN_OP_FSUB && k == 1, start);
    norn_replacements_set(&pass->replacements, sum.result, ref);
    norn_move_name(pass->function, ref, sum.result);
    norn_inst_erase(pass->function, index);
    pass->changed = true;
    return;
  }
}

/* Whether the pass looks at the instruction. */
static bool
is_sum(const NornInst *inst) {
  return (inst->op == NORN_OP_FADD || inst->op == NORN_OP_FSUB) && norn_inst_may_reassociate(inst);
}

bool
norn_pass_chain_sums(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Chaining pass = {.function = function,
                   .value_count = function->value_count,
                   .replacements = {.arena = &context->arena}};
  if (!context->options->contract || !norn_function_has(function, is_sum)) {
    norn_pass_report(context, false);
    return true;
  }
  pass.uses = norn_pass_use_counts(context, function);
  count_products_of_factors(&pass, &context->arena);
  norn_for_each_block (function, block)
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      const NornInst *inst = norn_inst(function, index);
      next = inst->next;
      if (is_sum(inst) && norn_pass_continues(context, 1))
        chain_sum(&pass, index);
    }
  norn_replacements_apply(&pass.replacements, function);
  norn_pass_report(context, pass.changed);
  return true;
}
