/* Call blend shaders: inserts the calls after BLEND.
 *
 * If a target is not blended by hardware, the instructions after BLEND are executed: they put the
 * return address into r48, or 0 if the program ends here, and branch to the blend shader, whose
 * address is the high word of the descriptor. Otherwise the hardware jumps over them. They must
 * follow the BLEND immediately, so this pass comes last. The blend shader may read the operands of
 * BLEND again, so these are not last uses there. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

enum { CALL_INSTRUCTIONS = 2 };

static void
drop_last_uses(NornFunction *function, const NornInst *inst) {
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (norn_ref_kind(norn_operands(function, inst)[k]) == NORN_REF_VALUE)
      norn_operands(function, inst)[k] &= ~NORN_REF_LAST_USE;
}

static void
add_call(const NornPassContext *context, NornFunction *function, uint32_t blend) {
  const NornTarget *target = context->target;
  NornInst *self = norn_inst(function, blend);
  bool ends = norn_valhall_flow(target, self).kind == NORN_FLOW_END;
  NornRef descriptor = norn_operand(function, blend, 1);
  norn_isa_field_set(norn_valhall_encoding(target, self), NORN_VALHALL_FIELD_TARGET, &self->payload,
                     ends ? 0 : CALL_INSTRUCTIONS);
  NornBuilder builder = norn_builder_after(function, blend);
  NornRef zero = norn_build_bits(&builder, 0);
  NornRef counter = norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W0);
  NornRef base = ends ? zero : counter;
  const NornIsaEncoding *add = norn_valhall_encoding_of(target, NORN_VALHALL_IADD_IMM_I32);
  uint64_t word = add->word;
  norn_isa_field_set(add, NORN_VALHALL_FIELD_CONSTANT, &word, ends ? 0 : target->instruction_bytes);
  NornRef link =
      norn_build_machine(&builder, NORN_VALHALL_IADD_IMM_I32, word, NORN_TYPE_I32, &base, 1);
  norn_value(function, norn_ref_payload(link))->reg = NORN_VALHALL_PRELOAD_LINK;
  const NornIsaEncoding *branch = norn_valhall_encoding_of(target, NORN_VALHALL_BRANCHZI);
  word = branch->word;
  norn_isa_field_set(branch, NORN_VALHALL_FIELD_EQ, &word, 1);
  if (norn_isa_field_exists(branch, NORN_VALHALL_FIELD_ABSOLUTE))
    norn_isa_field_set(branch, NORN_VALHALL_FIELD_ABSOLUTE, &word, 1);
  /* The code of the high word of a special value is the next one. */
  NornRef operands[2] = {zero, norn_ref(NORN_REF_SPECIAL, norn_ref_payload(descriptor) + 1)};
  norn_build_machine(&builder, NORN_VALHALL_BRANCHZI, word, NORN_TYPE_VOID, operands, 2);
}

bool
norn_valhall_call_blend_shaders(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool any = false;
  norn_for_each_block (function, block) {
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      next = norn_inst(function, inst)->next;
      bool is_blend = norn_inst(function, inst)->op == NORN_OP_MACHINE + NORN_VALHALL_BLEND;
      if (!is_blend || norn_ref_kind(norn_operand(function, inst, 1)) != NORN_REF_SPECIAL)
        continue;
      drop_last_uses(function, norn_inst(function, inst));
      add_call(context, function, inst);
      any = true;
    }
  }
  norn_pass_report(context, any);
  return true;
}
