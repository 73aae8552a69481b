/* Extending loads: a load whose only use is to be extended to a word becomes an extending load.
 * Other passes know only plain loads, so this one runs after them. */
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

/* A load, and the loads that zero-extend and sign-extend. */
static const uint16_t loads[][3] = {
    {NORN_OP_LOAD_GLOBAL, NORN_OP_ULOAD_GLOBAL, NORN_OP_SLOAD_GLOBAL},
    {NORN_OP_LOAD_SHARED, NORN_OP_ULOAD_SHARED, NORN_OP_SLOAD_SHARED},
    {NORN_OP_LOAD_SCRATCH, NORN_OP_ULOAD_SCRATCH, NORN_OP_SLOAD_SCRATCH},
    {NORN_OP_LOAD_BUFFER, NORN_OP_ULOAD_BUFFER, NORN_OP_SLOAD_BUFFER},
    {NORN_OP_LOAD_CONSTANT, NORN_OP_ULOAD_CONSTANT, NORN_OP_SLOAD_CONSTANT},
};

/* The extending load, NORN_OP_NONE if there is none. */
static uint16_t
find_extending(uint16_t load, bool is_signed) {
  for (unsigned k = 0; k < G_N_ELEMENTS(loads); k++)
    if (loads[k][0] == load)
      return loads[k][1 + is_signed];
  return NORN_OP_NONE;
}

/* The extending load for the load whose result the instruction extends to a word; NORN_OP_NONE if
 * there is none. */
static uint16_t
extended_load(const NornFunction *function, const NornInst *inst) {
  if ((inst->op != NORN_OP_ZEXT && inst->op != NORN_OP_SEXT) || norn_type_bits(inst->type) > 32)
    return NORN_OP_NONE;
  const NornInst *load = norn_defining_inst(function, norn_operands(function, inst)[0]);
  return load ? find_extending(load->op, inst->op == NORN_OP_SEXT) : NORN_OP_NONE;
}

static void
extend(NornFunction *function, NornInst *load, uint16_t op, NornType type) {
  load->op = op;
  load->source_type = load->type;
  load->type = type;
  norn_value(function, load->result)->type = type;
}

bool
norn_pass_extend_loads(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  NornReplacements replacements = {.arena = &context->arena};
  const uint32_t *uses = NULL; /* most functions extend no loads */
  bool changed = false;
  norn_for_each_block (function, block)
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      const NornInst *inst = norn_inst(function, index);
      next = inst->next;
      uint16_t op = extended_load(function, inst);
      if (!norn_pass_continues(context, 1) || op == NORN_OP_NONE)
        continue;
      uses = uses ? uses : norn_pass_use_counts(context, function);
      NornRef loaded = norn_operand(function, index, 0);
      if (uses[norn_ref_payload(loaded)] != 1)
        continue;
      extend(function, norn_defining_inst(function, loaded), op, inst->type);
      norn_replacements_set(&replacements, inst->result, loaded);
      norn_inst_erase(function, index);
      changed = true;
    }
  norn_replacements_apply(&replacements, function);
  norn_pass_report(context, changed);
  return true;
}
