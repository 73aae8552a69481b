/* Instructions in their blocks: results, registers, terminators, values defined so far. */
#include "ir/verify/verifier.h"

/* The register of a definition must be one of its type's class, aligned as the class requires. */
static void
check_register(NornVerifier *v, uint32_t value) {
  const NornValue *self = norn_value(v->function, value);
  const NornMachine *machine = v->module->machine;
  char name[NORN_VERIFY_NAME_SIZE];
  if (self->reg == NORN_REGISTER_NONE || !machine || !machine->registers)
    return;
  const NornRegisterClass *class =
      &machine->registers->classes[norn_register_class(machine->registers, self->type)];
  unsigned count = (norn_type_bits(self->type) + class->bits - 1u) / class->bits;
  unsigned alignment = class->alignment[MIN(count, NORN_GROUP_REGISTERS)];
  if (self->reg < class->first || self->reg + count > class->first + class->count)
    norn_verify_fault(v, "%s is not in r%u to r%u, the registers of its type",
                      norn_verify_value_name(v, value, name), class->first,
                      class->first + class->count - 1);
  else if (self->reg % alignment)
    norn_verify_fault(v, "%s has several registers and must start at a multiple of %u, not r%u",
                      norn_verify_value_name(v, value, name), alignment, self->reg);
}

/* Results of one instruction must not share a register. */
static void
check_result_registers(NornVerifier *v, const NornInst *inst) {
  if (inst->result_count > NORN_MACHINE_OPERANDS)
    return; /* already wrong, and the check is quadratic */
  for (unsigned k = 0; k < inst->result_count; k++) {
    const NornValue *value = norn_value(v->function, inst->result + k);
    check_register(v, inst->result + k);
    for (unsigned j = 0; j < k; j++) {
      const NornValue *other = norn_value(v->function, inst->result + j);
      if (value->reg == NORN_REGISTER_NONE || other->reg == NORN_REGISTER_NONE ||
          other->reg >= value->reg + norn_type_words(value->type) ||
          value->reg >= other->reg + norn_type_words(other->type))
        continue;
      norn_verify_fault(v, "two results share a register");
      return;
    }
  }
}

static bool
has_immediate_operand(const NornInst *inst) {
  NornSignatureCursor cursor = norn_inst_operands(inst);
  for (unsigned k = 0; k < inst->operand_count; k++, norn_cursor_next(&cursor))
    if (norn_cursor_kind(&cursor) == NORN_LETTER_IMMEDIATE)
      return true;
  return false;
}

/* Remembers the form of an instruction without faults, which need not be checked again. Not done if
 * validity depends on constants or immediates. */
static void
remember_form(NornVerifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  if (info->flags & (NORN_OP_VARYING | NORN_OP_OUTPUT) || has_immediate_operand(inst))
    return;
  NornSignature signature = norn_signature(inst->op, inst->type, inst->source_type);
  uint64_t key = norn_form_key(inst);
  if (signature.is_plain)
    v->known[norn_form_slot(key)] = (NornCachedSignature){key, signature};
}

/* Whether the operand has that type (not VOID) and passes the quick checks that cover most
 * operands. */
static inline bool
is_known_operand(NornVerifier *v, NornRef ref, NornType type) {
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return norn_value(v->function, payload)->type == type && !(ref & NORN_REF_LAST_USE) &&
           (v->seen_in[payload] == v->block || norn_verify_is_available(v, payload));
  case NORN_REF_CONSTANT:
    return norn_verify_is_constant_of(v, ref, type);
  case NORN_REF_UNIFORM:
    return type != NORN_TYPE_I1 && norn_verify_is_uniform_range(payload, norn_type_words(type));
  default:
    return false;
  }
}

/* Whether the instruction has a form that was found valid before and its operands are valid too. If
 * not, it is not necessarily invalid. */
static bool
is_known_right(NornVerifier *v, const NornInst *inst) {
  uint64_t key = norn_form_key(inst);
  const NornCachedSignature *form = &v->known[norn_form_slot(key)];
  const NornSignature *signature = &form->signature;
  const NornFunction *function = v->function;
  if (form->key != key || inst->operand_count != signature->operand_count ||
      inst->result_count != signature->result_count || inst->next == NORN_INDEX_NONE)
    return false;
  if (inst->result_count) {
    const NornValue *result = norn_value(function, inst->result);
    if (result->type != signature->result_type || result->reg != NORN_REGISTER_NONE)
      return false;
  }
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (!is_known_operand(v, operands[k], signature->operand_types[k]))
      return false;
  return true;
}

static void
check_inst(NornVerifier *v) {
  const NornFunction *function = v->function;
  const NornInst *inst = norn_inst(function, v->inst);
  unsigned faults = v->diagnostics.count;
  if (norn_is_machine(inst))
    norn_verify_machine(v, inst);
  else
    norn_verify_generic(v, inst);
  bool is_last = inst->next == NORN_INDEX_NONE;
  if (norn_is_terminator(function, inst) == is_last) {
    if (!norn_is_machine(inst) && faults == v->diagnostics.count)
      remember_form(v, inst);
  } else
    norn_verify_fault(v,
                      is_last ? "the block does not end in a terminator: %s is not one"
                              : "%s, a terminator, is not at the end of its block",
                      norn_verify_inst_name(inst));
  if (inst->flags && !norn_is_machine(inst) && !norn_op_has_flags(inst->op))
    norn_verify_fault(v, "%s takes no flags", norn_verify_inst_name(inst));
  if (inst->flags & NORN_INST_COARSE && !norn_accesses_buffer(inst->op))
    norn_verify_fault(v, "only an access to a buffer of a resource table can be coarse");
  bool counts = norn_is_machine(inst) && inst->operand_count == 1 &&
                norn_ref_kind(norn_operands(function, inst)[0]) == NORN_REF_SPECIAL;
  if (inst->flags & NORN_INST_DATA && !counts)
    norn_verify_fault(
        v, "only an instruction that adds to the program counter can be the address of data");
  else if (inst->flags & NORN_INST_DATA && !v->module->data_size)
    norn_verify_fault(v, "the module has no constant data");
  if (inst->result_count && norn_value(function, inst->result)->reg != NORN_REGISTER_NONE)
    check_result_registers(v, inst);
}

static void
check_block(NornVerifier *v) {
  const NornFunction *function = v->function;
  const NornBlock *block = norn_block(function, v->block);
  for (unsigned k = 0; k < block->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, v->block, k);
    v->seen_in[value] = v->block;
    check_register(v, value);
  }
  if (block->first == NORN_INDEX_NONE)
    norn_verify_fault(v, "the block is empty; it needs a terminator");
  norn_for_each_inst (function, v->block, inst) {
    const NornInst *self = norn_inst(function, inst);
    v->inst = inst;
    if (!is_known_right(v, self))
      check_inst(v);
    for (unsigned k = 0; k < self->result_count; k++)
      v->seen_in[self->result + k] = v->block;
    if (norn_diagnostics_full(&v->diagnostics))
      break;
  }
  v->inst = NORN_INDEX_NONE;
}

void
norn_verify_function(NornVerifier *v, const NornFunction *function, bool is_shader) {
  v->function = function;
  v->block = v->inst = NORN_INDEX_NONE;
  if (!function->block_order_count) {
    norn_verify_fault(v, "the function has no blocks");
    return;
  }
  NornArenaMark mark = norn_arena_mark(&v->arena);
  v->dominance = norn_dominance_new(&v->arena, function);
  v->seen_in = norn_arena_indexes(&v->arena, function->value_count);
  v->block = function->block_order[0];
  if (is_shader && norn_block(function, v->block)->parameter_count)
    norn_verify_fault(v, "the first block of the shader must not have parameters");
  norn_for_each_block (function, block) {
    v->block = block;
    check_block(v);
    if (norn_diagnostics_full(&v->diagnostics))
      break;
  }
  v->block = NORN_INDEX_NONE;
  g_clear_pointer(&v->is_placed, g_free);
  norn_arena_release(&v->arena, mark);
}
