/* Makes a constant and its negation one factor: the other number is negated instead, which is
 * free. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/optimize/factor.h"
#include <stdlib.h>

enum { SIGN_BIT = 31 };

typedef NORN_LIST(uint32_t) Magnitudes;

/* Which operand of a product, alone or in a sum, is a constant. */
static unsigned
number_of_product(const NornFunction *function, const NornInst *inst, uint32_t *bits) {
  return (inst->op == NORN_OP_FMUL || inst->op == NORN_OP_FMA) && inst->type == NORN_TYPE_F32
             ? norn_factor_constant(function, inst, bits)
             : NORN_NO_CONSTANT;
}

static bool
has_magnitude(const Magnitudes *magnitudes, uint32_t bits) {
  return magnitudes->count &&
         bsearch(&bits, magnitudes->items, magnitudes->count, sizeof bits, norn_compare_indexes);
}

/* Lists the magnitudes of constant factors by their sign: those of products or, if `in_sums`, also
 * those of products in sums. */
static void
list_magnitudes(NornPassContext *context, const NornFunction *function, bool in_sums,
                Magnitudes magnitudes[2]) {
  uint32_t bits;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if ((in_sums || (inst->op == NORN_OP_FMUL && norn_factor_may_regroup(inst))) &&
          number_of_product(function, inst, &bits) != NORN_NO_CONSTANT)
        norn_list_push(&context->arena, &magnitudes[bits >> SIGN_BIT], bits & ~(1u << SIGN_BIT));
    }
  for (unsigned k = 0; k < 2; k++)
    if (magnitudes[k].count)
      qsort(magnitudes[k].items, magnitudes[k].count, sizeof bits, norn_compare_indexes);
}

/* Makes negative constants positive if their magnitude is in both lists: in products and sums or,
 * if `in_sums`, only in sums in which the other number is a uniform word, since these can read few
 * other constants. */
static bool
make_positive(NornFunction *function, const Magnitudes magnitudes[2], bool in_sums) {
  bool changed = false;
  uint32_t bits;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      unsigned k = number_of_product(function, inst, &bits);
      if (k == NORN_NO_CONSTANT || !(bits >> SIGN_BIT) ||
          !(in_sums ? inst->op == NORN_OP_FMA : norn_factor_may_regroup(inst)))
        continue;
      if (in_sums && norn_ref_kind(norn_operand(function, index, 1 - k)) != NORN_REF_UNIFORM)
        continue;
      bits &= ~(1u << SIGN_BIT);
      if (!has_magnitude(&magnitudes[0], bits) || !has_magnitude(&magnitudes[1], bits))
        continue;
      NornBuilder builder = norn_builder_before(function, index);
      NornRef other = norn_operand(function, index, 1 - k);
      norn_set_operand(function, index, 1 - k, norn_build_fneg(&builder, NORN_TYPE_F32, other));
      norn_set_operand(function, index, k, norn_constant(function->module, bits));
      changed = true;
    }
  return changed;
}

bool
norn_unify_signs(NornPassContext *context, NornFunction *function, bool in_sums) {
  Magnitudes magnitudes[2] = {0};
  list_magnitudes(context, function, in_sums, magnitudes);
  return magnitudes[0].count && magnitudes[1].count && make_positive(function, magnitudes, in_sums);
}
