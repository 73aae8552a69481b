/* Machine instructions that compute the same again go: selection makes several of one operation,
 * and operations that have some of these in common, like the sine and the cosine of an angle.
 *
 * Two are the same if instruction, word and operands are. The blocks are walked in dominator-tree
 * order with one hash table; an entry whose block does not dominate the present one is replaced by
 * the present instruction. What is a message, looks at other lanes, touches memory or reads a
 * special value, which need not be the same each time, stays, and so do the pseudo operations: a
 * group that is collected twice may be needed in two places. */
#include "ir/analysis/dominance.h"
#include "ir/replacements.h"
#include "passes/pass.h"

typedef struct MachineNumbering {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  uint32_t *table; /* open addressing: instruction + 1, 0 = free */
  uint32_t mask;
  bool changed;
} MachineNumbering;

static uint32_t
hash(const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  uint64_t sum = (inst->op ^ inst->payload) * UINT64_C(0x9E3779B97F4A7C15);
  for (unsigned k = 0; k < inst->operand_count; k++)
    sum = (sum ^ (sum >> 29) ^ operands[k]) * UINT64_C(0xBF58476D1CE4E5B9);
  return (uint32_t)(sum ^ (sum >> 32));
}

static bool
equal(const NornFunction *function, const NornInst *a, const NornInst *b) {
  if (a->op != b->op || a->type != b->type || a->payload != b->payload ||
      a->operand_count != b->operand_count)
    return false;
  const NornRef *left = norn_operands(function, a), *right = norn_operands(function, b);
  for (unsigned k = 0; k < a->operand_count; k++)
    if (left[k] != right[k])
      return false;
  return true;
}

static void
number_inst(MachineNumbering *numbering, uint32_t index) {
  NornFunction *function = numbering->function;
  const NornInst *inst = norn_inst(function, index);
  for (unsigned k = 0; k < inst->operand_count; k++)
    norn_set_operand(
        function, index, k,
        norn_replacements_get(&numbering->replacements, norn_operands(function, inst)[k]));
  if (!norn_is_machine(inst) || inst->result_count != 1)
    return;
  uint32_t slot = hash(function, inst) & numbering->mask, found;
  while ((found = numbering->table[slot]) && !equal(function, norn_inst(function, found - 1), inst))
    slot = (slot + 1) & numbering->mask;
  if (!found ||
      !norn_dominates(numbering->dominance, norn_inst(function, found - 1)->block, inst->block)) {
    numbering->table[slot] = index + 1;
  } else if (norn_is_pure(numbering->context, function, inst)) {
    norn_replacements_set(&numbering->replacements, inst->result,
                          norn_result(function, found - 1, 0));
    norn_inst_erase(function, index);
    numbering->changed = true;
  }
}

bool
norn_pass_machine_cse(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  MachineNumbering numbering = {.context = context,
                                .function = function,
                                .dominance = norn_pass_dominance(context, function),
                                .replacements.arena = &context->arena};
  uint64_t size = 16;
  while (size < (uint64_t)function->inst_count * 2)
    size *= 2;
  numbering.mask = (uint32_t)(size - 1);
  numbering.table = NORN_NEW0(&context->arena, uint32_t, size);
  for (uint32_t k = 0; k < numbering.dominance->order_count; k++)
    for (uint32_t inst = norn_block(function, numbering.dominance->order[k])->first, next;
         inst != NORN_INDEX_NONE && norn_pass_continues(context, 1); inst = next) {
      next = norn_inst(function, inst)->next;
      number_inst(&numbering, inst);
    }
  if (numbering.changed)
    norn_replacements_apply(&numbering.replacements, function);
  norn_pass_report(context, numbering.changed);
  return true;
}
