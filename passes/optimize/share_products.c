/* Starts sums of two products with the product that several of them have in common, so that it is
 * computed once:
 *
 *   s = fma x, y, (fmul z, w)          p = fmul x, y
 *   t = fma x, y, (fmul u, v)          s = fma z, w, p
 *                                      t = fma u, v, p
 *
 * This occurs where vectors are interpolated with one weight. The other product is the one that is
 * rounded now. So the pass only changes `finite` operations that are not exact, where the options
 * allow contraction. The sums must be in one block, and nothing else may need the products that
 * they start with. */
#include "ir/builder.h"
#include "ir/hash.h"
#include "ir/key_counts.h"
#include "ir/ops.h"
#include "passes/pass.h"

typedef struct Sharing {
  NornFunction *function;
  const uint32_t *uses; /* by value */
  uint32_t value_count; /* before the pass */
  NornKeyCounts sums;   /* count by the factors of their last product and the block */
  NornKeyCounts shared; /* by the same key: the value of the product, once it is built, + 1 */
  bool changed;
} Sharing;

static bool
is_sum(const NornInst *inst) {
  return inst->op == NORN_OP_FMA && norn_inst_may_reassociate(inst);
}

/* The product that a sum of two products starts with; NULL if it is not one, or has other uses. */
static const NornInst *
first_of_two(const Sharing *pass, const NornInst *sum) {
  if (!is_sum(sum))
    return NULL;
  const NornInst *first = norn_defining_inst(pass->function, norn_operands(pass->function, sum)[2]);
  return first && first->op == NORN_OP_FMUL && first->result < pass->value_count &&
                 pass->uses[first->result] == 1 && first->block == sum->block &&
                 first->type == sum->type && norn_inst_may_reassociate(first)
             ? first
             : NULL;
}

/* The key of the type, the block, and the first two operands. */
static uint64_t
key_of_factors(const Sharing *pass, const NornInst *product, uint32_t block) {
  const NornRef *factors = norn_operands(pass->function, product);
  uint64_t both = (uint64_t)MIN(factors[0], factors[1]) << 32 | MAX(factors[0], factors[1]);
  return norn_hash_mix(norn_hash_mix(norn_hash_mix(0, product->type), block), both);
}

/* Whether the value is the product of the sum's factors in its block. */
static bool
has_factors_of(const NornFunction *function, uint32_t value, const NornInst *sum) {
  const NornInst *product = norn_inst(function, norn_value(function, value)->def);
  const NornRef *a = norn_operands(function, product), *b = norn_operands(function, sum);
  return product->type == sum->type && product->block == sum->block &&
         ((a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]));
}

/* The product that the sums have in common, built before the first of them; 0 if sums with other
 * products have the same key. */
static NornRef
shared_product(Sharing *pass, uint32_t index, uint64_t key) {
  NornFunction *function = pass->function;
  uint32_t *value = norn_key_count(&pass->shared, key);
  const NornInst *sum = norn_inst(function, index);
  if (*value && !has_factors_of(function, *value - 1, sum))
    return 0;
  if (!*value) {
    const NornRef *operands = norn_operands(function, sum);
    NornBuilder builder = norn_builder_in_place_of(function, index);
    norn_builder_set_flags(&builder, NORN_INST_FINITE);
    NornRef product = norn_build_fmul(&builder, (NornType)sum->type, operands[0], operands[1]);
    *value = norn_ref_payload(product) + 1;
  }
  return norn_ref(NORN_REF_VALUE, *value - 1);
}

/* Starts the sum with its last product if other sums have that too, and none have its first one. */
static void
turn_sum(Sharing *pass, uint32_t index, const NornInst *first) {
  NornFunction *function = pass->function;
  const NornInst *sum = norn_inst(function, index);
  uint64_t key = key_of_factors(pass, sum, sum->block);
  if (*norn_key_count(&pass->sums, key) < 2 ||
      *norn_key_count(&pass->sums, key_of_factors(pass, first, sum->block)) > 1)
    return;
  const NornRef *factors = norn_operands(function, first);
  NornRef operands[3] = {factors[0], factors[1], 0};
  operands[2] = shared_product(pass, index, key);
  if (!operands[2])
    return;
  for (unsigned k = 0; k < 3; k++)
    norn_set_operand(function, index, k, operands[k]);
  norn_inst(function, index)->flags = NORN_INST_FINITE; /* other promises were about the operands */
  pass->changed = true;
}

bool
norn_pass_share_products(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Sharing pass = {.function = function, .value_count = function->value_count};
  uint32_t count = 0;
  if (context->options->contract && norn_function_has(function, is_sum)) {
    pass.uses = norn_pass_use_counts(context, function);
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, index)
        count += first_of_two(&pass, norn_inst(function, index)) != NULL;
  }
  if (count > 1) {
    pass.sums = norn_key_counts_new(&context->arena, count);
    pass.shared = norn_key_counts_new(&context->arena, count);
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, index)
        if (first_of_two(&pass, norn_inst(function, index)))
          ++*norn_key_count(&pass.sums, key_of_factors(&pass, norn_inst(function, index), block));
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, index) {
        const NornInst *first = first_of_two(&pass, norn_inst(function, index));
        if (first && norn_pass_continues(context, 1))
          turn_sum(&pass, index, first);
      }
  }
  norn_pass_report(context, pass.changed);
  return true;
}
