/* Extend loads: a load whose result is only extended to a word is one that extends. Other passes
 * know plain loads only, so this comes behind them. */
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

/* A load, and what it becomes where zeros and where signs are added. */
static const uint16_t loads[][3] = {
    {NORN_OP_LOAD_GLOBAL, NORN_OP_ULOAD_GLOBAL, NORN_OP_SLOAD_GLOBAL},
    {NORN_OP_LOAD_SHARED, NORN_OP_ULOAD_SHARED, NORN_OP_SLOAD_SHARED},
    {NORN_OP_LOAD_SCRATCH, NORN_OP_ULOAD_SCRATCH, NORN_OP_SLOAD_SCRATCH},
    {NORN_OP_LOAD_BUFFER, NORN_OP_ULOAD_BUFFER, NORN_OP_SLOAD_BUFFER},
    {NORN_OP_LOAD_CONSTANT, NORN_OP_ULOAD_CONSTANT, NORN_OP_SLOAD_CONSTANT},
};

/* The operation that loads and extends, NORN_OP_NONE if there is none. */
static uint16_t
find_extending(uint16_t load, bool is_signed) {
  for (unsigned k = 0; k < G_N_ELEMENTS(loads); k++)
    if (loads[k][0] == load)
      return loads[k][1 + is_signed];
  return NORN_OP_NONE;
}

/* Lets the load whose result the instruction extends do so, if it is one. */
static bool
extend(NornFunction *function, uint32_t index, const uint32_t *uses) {
  const NornInst *inst = norn_inst(function, index);
  if ((inst->op != NORN_OP_ZEXT && inst->op != NORN_OP_SEXT) || norn_type_bits(inst->type) > 32)
    return false;
  NornInst *load = norn_defining_inst(function, norn_operand(function, index, 0));
  uint16_t op = load ? find_extending(load->op, inst->op == NORN_OP_SEXT) : NORN_OP_NONE;
  if (op == NORN_OP_NONE || uses[load->result] != 1)
    return false;
  load->op = op;
  load->source_type = load->type;
  load->type = inst->type;
  norn_value(function, load->result)->type = inst->type;
  return true;
}

bool
norn_pass_extend_loads(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  NornReplacements replacements = {.arena = &context->arena};
  const uint32_t *uses = norn_pass_use_counts(context, function);
  bool changed = false;
  norn_for_each_block (function, block)
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      next = norn_inst(function, inst)->next;
      if (!norn_pass_continues(context, 1) || !extend(function, inst, uses))
        continue;
      norn_replacements_set(&replacements, norn_inst(function, inst)->result,
                            norn_operand(function, inst, 0));
      norn_inst_erase(function, inst);
      changed = true;
    }
  norn_replacements_apply(&replacements, function);
  norn_pass_report(context, changed);
  return true;
}
