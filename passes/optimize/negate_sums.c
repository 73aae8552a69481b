/* Computes the negation of a sum or product instead of the sum itself if only the negation takes an
 * instruction.
 *
 *   x = fma a, b, c          y = fma -a, b, -c
 *   n = fneg x               (y for n, fneg y for x)
 *
 * Arithmetic negates its operands as it reads them, so the negation of x costs something only if
 * anything else needs it, such as a store. If all other uses of x are then in arithmetic, they
 * negate y for free. Only the sign of a zero may differ, which must not matter; rounding must treat
 * both signs alike. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

typedef struct UseCounts {
  uint32_t all;
  uint32_t negations; /* by fneg */
  uint32_t free;      /* by instructions that can negate their operands */
} UseCounts;

typedef struct Negating {
  NornFunction *function;
  UseCounts *uses;      /* by value */
  uint32_t value_count; /* before the pass */
  NornReplacements replacements;
  bool changed;
} Negating;

static bool
is_arithmetic(const NornInst *inst) {
  return inst->type == NORN_TYPE_F32 && (inst->op == NORN_OP_FADD || inst->op == NORN_OP_FSUB ||
                                         inst->op == NORN_OP_FMUL || inst->op == NORN_OP_FMA);
}

static void
count_uses(Negating *pass) {
  const NornFunction *function = pass->function;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      norn_for_each_use (function, inst, use) {
        UseCounts *uses = &pass->uses[use.value];
        uses->all++;
        uses->negations += inst->op == NORN_OP_FNEG;
        uses->free += is_arithmetic(inst);
      }
    }
}

/* The sum or product that the negation negates, if it should be computed negated; else
 * NORN_INDEX_NONE. */
static uint32_t
find_sum(const Negating *pass, const NornInst *negation) {
  const NornFunction *function = pass->function;
  NornRef ref = norn_replacements_get(&pass->replacements, norn_operands(function, negation)[0]);
  uint32_t value = norn_ref_payload(ref);
  const NornInst *sum = norn_defining_inst(function, ref);
  if (!sum || value >= pass->value_count || negation->result >= pass->value_count)
    return NORN_INDEX_NONE;
  const UseCounts *own = &pass->uses[negation->result], *uses = &pass->uses[value];
  if (own->all == own->free || !is_arithmetic(sum) || !norn_inst_may_reassociate(sum))
    return NORN_INDEX_NONE;
  return uses->negations == 1 && uses->all == uses->free + 1 ? norn_value(function, value)->def
                                                             : NORN_INDEX_NONE;
}

static NornRef
build_negated(NornBuilder *builder, const NornInst *sum, const NornRef *operands) {
  NornRef second = operands[1], third = operands[2];
  if (sum->op == NORN_OP_FSUB)
    return norn_build_fsub(builder, NORN_TYPE_F32, second, operands[0]);
  NornRef first = norn_build_fneg(builder, NORN_TYPE_F32, operands[0]);
  if (sum->op == NORN_OP_FMUL)
    return norn_build_fmul(builder, NORN_TYPE_F32, first, second);
  if (sum->op == NORN_OP_FADD)
    return norn_build_fsub(builder, NORN_TYPE_F32, first, second);
  third = norn_build_fneg(builder, NORN_TYPE_F32, third);
  return norn_build_fma(builder, NORN_TYPE_F32, first, second, third);
}

static void
negate_sum(Negating *pass, uint32_t negation, uint32_t index) {
  NornFunction *function = pass->function;
  const NornInst sum = *norn_inst(function, index);
  uint32_t negated = norn_inst(function, negation)->result;
  NornRef operands[3] = {0};
  for (unsigned k = 0; k < sum.operand_count; k++)
    operands[k] = norn_replacements_get(&pass->replacements, norn_operand(function, index, k));
  NornBuilder builder = norn_builder_in_place_of(function, index);
  NornRef ref = build_negated(&builder, &sum, operands);
  NornRef back = norn_build_fneg(&builder, NORN_TYPE_F32, ref);
  norn_replacements_set(&pass->replacements, negated, ref);
  norn_replacements_set(&pass->replacements, sum.result, back);
  norn_move_name(function, ref, negated);
  norn_move_name(function, back, sum.result);
  norn_inst_erase(function, negation);
  norn_inst_erase(function, index);
  pass->changed = true;
}

bool
norn_pass_negate_sums(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Negating pass = {.function = function, .replacements = {.arena = &context->arena}};
  NornRound rounding = context->module->rounding;
  if (rounding == NORN_ROUND_RTP || rounding == NORN_ROUND_RTN) {
    norn_pass_report(context, false);
    return true;
  }
  norn_for_each_block (function, block)
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      next = norn_inst(function, index)->next;
      if (norn_inst(function, index)->op != NORN_OP_FNEG || !norn_pass_continues(context, 1))
        continue;
      if (!pass.uses) {
        pass.value_count = function->value_count;
        pass.uses = NORN_NEW0(&context->arena, UseCounts, pass.value_count);
        count_uses(&pass);
      }
      uint32_t sum = find_sum(&pass, norn_inst(function, index));
      if (sum != NORN_INDEX_NONE)
        negate_sum(&pass, index, sum);
    }
  norn_replacements_apply(&pass.replacements, function);
  norn_pass_report(context, pass.changed);
  return true;
}
