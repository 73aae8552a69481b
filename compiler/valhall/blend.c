/* Call blend shaders: puts the calls behind BLEND.
 *
 * Where a target is not blended by hardware, the instructions after BLEND are executed: they put
 * the address to return to into r48, 0 if the program ends here, and go to the blend shader, whose
 * address is the high word of the descriptor. Else the hardware jumps over them. They must follow
 * the BLEND at once, so they come last of all. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/construct.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

enum { CALL_INSTRUCTIONS = 2 };

static uint32_t
insert_after(const NornTarget *target, NornFunction *function, unsigned instruction,
             unsigned operands, unsigned results, uint32_t after) {
  uint32_t index =
      norn_inst_create(function, (uint16_t)(NORN_OP_MACHINE + instruction), operands, results);
  NornInst *inst = &function->insts[index];
  inst->payload = norn_valhall_encoding(target, inst)->word;
  inst->line = function->insts[after].line;
  inst->column = function->insts[after].column;
  norn_inst_insert_after(function, index, after);
  return index;
}

static void
set_field(const NornTarget *target, NornInst *inst, unsigned field, uint32_t value) {
  norn_isa_field_set(norn_valhall_encoding(target, inst), field, &inst->payload, value);
}

static void
add_call(const NornPassContext *context, NornFunction *function, uint32_t blend) {
  const NornMachine *machine = function->module->machine;
  const NornTarget *target = context->target;
  bool ends = norn_valhall_flow(target, &function->insts[blend]).kind == NORN_FLOW_END;
  NornRef descriptor = norn_operand(function, blend, 1);
  set_field(target, &function->insts[blend], NORN_VALHALL_FIELD_TARGET,
            ends ? 0 : CALL_INSTRUCTIONS);
  uint32_t link = insert_after(target, function, NORN_VALHALL_IADD_IMM_I32, 1, 1, blend);
  NornInst *self = &function->insts[link];
  int counter =
      machine->find_special(machine, "program_counter.w0", sizeof "program_counter.w0" - 1);
  self->type = NORN_TYPE_I32;
  function->values[self->result].type = NORN_TYPE_I32;
  function->values[self->result].reg = NORN_VALHALL_PRELOAD_LINK;
  function->operands[self->operand] =
      ends ? norn_constant(function->module, 0) : norn_ref(NORN_REF_SPECIAL, (uint32_t)counter);
  set_field(target, self, NORN_VALHALL_FIELD_CONSTANT, ends ? 0 : sizeof(uint64_t));
  uint32_t call = insert_after(target, function, NORN_VALHALL_BRANCHZI, 2, 0, link);
  self = &function->insts[call];
  set_field(target, self, NORN_VALHALL_FIELD_EQ, 1);
  if (norn_isa_field_exists(norn_valhall_encoding(target, self), NORN_VALHALL_FIELD_ABSOLUTE))
    set_field(target, self, NORN_VALHALL_FIELD_ABSOLUTE, 1);
  function->operands[self->operand] = norn_constant(function->module, 0);
  /* The high word of a special value has the next code. */
  function->operands[self->operand + 1] =
      norn_ref(NORN_REF_SPECIAL, norn_ref_payload(descriptor) + 1);
}

bool
norn_valhall_call_blend_shaders(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  norn_for_each_block (function, block) {
    for (uint32_t inst = function->blocks[block].first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      next = function->insts[inst].next;
      bool is_blend = function->insts[inst].op == NORN_OP_MACHINE + NORN_VALHALL_BLEND;
      if (is_blend && norn_ref_kind(norn_operand(function, inst, 1)) == NORN_REF_SPECIAL)
        add_call(context, function, inst);
    }
  }
  return true;
}
