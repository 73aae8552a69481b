/* Share steps: x + 2 * s, x + 3 * s and so on are each the one before and s.
 *
 * Sums of a word and a multiple of another one are remembered by both and the factor. Where the sum
 * with the factor that is one less is there before, it takes the place of the word, and the product
 * goes if nothing else reads it. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "passes/pass.h"

/* A sum word + factor * step. */
typedef struct StepSum {
  NornRef word, step;
  uint32_t factor;
} StepSum;

typedef struct StepTable {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  uint32_t *use_count; /* by value */
  uint32_t *sums;      /* open addressing: instruction + 1, 0 = free */
  StepSum *keys;       /* of these */
  uint32_t mask;
} StepTable;

/* `ref` as a multiple by a constant, which may be 1. */
static void
find_step(const StepTable *table, NornRef ref, StepSum *sum) {
  const NornFunction *function = table->function;
  const NornInst *inst = norn_defining_inst(function, ref);
  sum->step = ref;
  sum->factor = 1;
  if (!inst || inst->type != NORN_TYPE_I32 ||
      (inst->op != NORN_OP_SHL && inst->op != NORN_OP_IMUL) ||
      table->use_count[norn_ref_payload(ref)] != 1)
    return;
  const NornRef *operands = norn_operands(function, inst);
  if (norn_ref_kind(operands[1]) != NORN_REF_CONSTANT ||
      norn_ref_kind(operands[0]) == NORN_REF_CONSTANT)
    return;
  uint32_t bits = (uint32_t)norn_constant_bits(function->module, operands[1]);
  sum->step = operands[0];
  sum->factor = inst->op == NORN_OP_IMUL ? bits : UINT32_C(1) << bits % 32;
}

/* Where such a sum is in the table, or a free place. */
static uint32_t
find_place(const StepTable *table, const StepSum *sum) {
  uint64_t hash = (sum->word ^ (uint64_t)sum->factor << 32) * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 29 ^ sum->step) * UINT64_C(0xBF58476D1CE4E5B9);
  uint32_t place = (uint32_t)(hash >> 32) & table->mask;
  while (table->sums[place] &&
         (table->keys[place].word != sum->word || table->keys[place].step != sum->step ||
          table->keys[place].factor != sum->factor))
    place = (place + 1) & table->mask;
  return place;
}

static void
remember(StepTable *table, const StepSum *sum, uint32_t inst) {
  uint32_t place = find_place(table, sum);
  table->sums[place] = inst + 1;
  table->keys[place] = *sum;
}

/* Makes word + factor * step of a sum with the factor that is one less, if there is one. */
static bool
step_on(const StepTable *table, const StepSum *sum, uint32_t inst) {
  NornFunction *function = table->function;
  StepSum before = {sum->word, sum->step, sum->factor - 1};
  uint32_t found = table->sums[find_place(table, &before)];
  if (sum->factor < 2 || !found ||
      !norn_dominates(table->dominance, norn_inst(function, found - 1)->block,
                      norn_inst(function, inst)->block))
    return false;
  norn_set_operand(function, inst, 0, norn_result(function, found - 1, 0));
  norn_set_operand(function, inst, 1, sum->step);
  return true;
}

/* Both operands of a sum may be the multiple. */
static bool
visit(StepTable *table, uint32_t inst) {
  NornRef operands[2] = {norn_operand(table->function, inst, 0),
                         norn_operand(table->function, inst, 1)};
  if (norn_ref_kind(operands[0]) == NORN_REF_CONSTANT ||
      norn_ref_kind(operands[1]) == NORN_REF_CONSTANT)
    return false;
  StepSum sums[2];
  bool changed = false;
  for (unsigned k = 0; k < 2; k++) {
    sums[k].word = operands[1 - k];
    find_step(table, operands[k], &sums[k]);
    changed = changed || step_on(table, &sums[k], inst);
  }
  for (unsigned k = 0; k < 2; k++)
    remember(table, &sums[k], inst);
  return changed;
}

static void
count_uses(StepTable *table) {
  const NornFunction *function = table->function;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      for (unsigned k = 0; k < inst->operand_count; k++)
        if (norn_ref_kind(norn_operands(function, inst)[k]) == NORN_REF_VALUE)
          table->use_count[norn_ref_payload(norn_operands(function, inst)[k])]++;
    }
}

bool
norn_pass_share_steps(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  StepTable table = {.context = context,
                     .function = function,
                     .dominance = norn_pass_dominance(context, function)};
  uint64_t size = 16;
  bool changed = false;
  while (size < (uint64_t)function->inst_count * 4)
    size *= 2;
  table.mask = (uint32_t)(size - 1);
  table.sums = NORN_NEW0(&context->arena, uint32_t, size);
  table.keys = NORN_NEW(&context->arena, StepSum, size);
  table.use_count = NORN_NEW0(&context->arena, uint32_t, function->value_count);
  count_uses(&table);
  for (uint32_t k = 0; k < table.dominance->order_count; k++)
    norn_for_each_inst (function, table.dominance->order[k], inst)
      if (norn_inst(function, inst)->op == NORN_OP_IADD &&
          norn_inst(function, inst)->type == NORN_TYPE_I32 && norn_pass_continues(context, 1))
        changed |= visit(&table, inst);
  norn_pass_report(context, changed);
  return true;
}
