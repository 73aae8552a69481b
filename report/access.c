/* The registers, slots, waits and units that instructions use. */
#include "report/program.h"

static uint64_t
register_set(unsigned first, unsigned count) {
  uint64_t set = 0;
  for (unsigned k = first; k < first + count && k < NORN_REPORT_REGISTERS; k++)
    set |= UINT64_C(1) << k;
  return set;
}

/* The registers of an operand. For a source of two registers, a modifier may select one of them. */
static uint64_t
registers_of(const NornIsa *isa, const NornReportInstruction *self, const NornIsaOperand *operand) {
  const NornIsaCode *code = norn_isa_operand_code(isa, self->encoding, operand, self->word);
  if (code->kind != NORN_ISA_CODE_REGISTER && code->kind != NORN_ISA_CODE_LAST)
    return 0;
  unsigned first = code->number,
           count = norn_isa_operand_words(isa, self->encoding, operand, self->word);
  const NornIsaField *field = operand->role == NORN_ISA_OPERAND_SOURCE && operand->words == 2
                                  ? norn_isa_operand_swizzle(self->encoding, operand)
                                  : NULL;
  if (field) {
    uint32_t value = norn_isa_extract(field, self->word);
    const NornIsaSwizzle *part = norn_isa_swizzle(isa, field, value);
    if (part->bits && isa->amounts[field->amounts + value] == 1) {
      first += part->bits * part->index[0] / 32;
      count = 1;
    }
  }
  return register_set(first, count);
}

static void
find_registers(const NornIsa *isa, NornReportInstruction *self) {
  for (unsigned k = 0; k < self->encoding->operand_count; k++) {
    const NornIsaOperand *operand = &self->encoding->operands[k];
    if (operand->role > NORN_ISA_OPERAND_STAGING_BOTH || operand->field == NORN_ISA_NO_FIELD)
      continue;
    uint64_t registers = registers_of(isa, self, operand);
    if (operand->role == NORN_ISA_OPERAND_SOURCE ||
        operand->role == NORN_ISA_OPERAND_STAGING_READ ||
        operand->role == NORN_ISA_OPERAND_STAGING_BOTH)
      self->reads |= registers;
    if (operand->role == NORN_ISA_OPERAND_DESTINATION ||
        operand->role == NORN_ISA_OPERAND_STAGING_WRITE ||
        operand->role == NORN_ISA_OPERAND_STAGING_BOTH)
      self->writes |= registers;
  }
}

void
norn_report_find_access(const NornReportProgram *program, NornReportInstruction *self) {
  const NornReportMachine *machine = program->machine;
  if (!self->encoding)
    return;
  find_registers(program->isa, self);
  self->is_message = self->encoding->flags & program->isa->message_flag;
  if (!machine)
    return;
  self->latency = (uint16_t)machine->latency(self->encoding);
  self->waits =
      machine->waits_of(norn_isa_field_get_or(self->encoding, machine->flow_field, self->word, 0));
  if (self->is_message)
    self->slot =
        (uint8_t)norn_isa_field_get_or(self->encoding, machine->slot_field, self->word, 0) %
        NORN_REPORT_SLOTS;
}

NornMoveKind
norn_report_move(const NornReportProgram *program, const NornReportInstruction *self) {
  const NornReportMachine *machine = program->machine;
  const NornIsaEncoding *encoding = self->encoding;
  if (!machine || !encoding)
    return NORN_MOVE_NONE;
  bool is_constant = encoding->instruction == machine->constant_moves[0] ||
                     encoding->instruction == machine->constant_moves[1];
  if (encoding->instruction != machine->move && !is_constant)
    return NORN_MOVE_NONE;
  unsigned k = 0;
  while (k < encoding->operand_count && encoding->operands[k].role != NORN_ISA_OPERAND_SOURCE)
    k++;
  if (k == encoding->operand_count)
    return NORN_MOVE_NONE;
  const NornIsaCode *code =
      norn_isa_operand_code(program->isa, encoding, &encoding->operands[k], self->word);
  if (is_constant)
    return code->kind == NORN_ISA_CODE_CONSTANT && !code->value ? NORN_MOVE_CONSTANT
                                                                : NORN_MOVE_NONE;
  bool is_register = code->kind == NORN_ISA_CODE_REGISTER || code->kind == NORN_ISA_CODE_LAST;
  return is_register ? NORN_MOVE_REGISTER : NORN_MOVE_UNIFORM;
}

uint64_t
norn_report_cost(const NornIsa *isa, const NornReportInstruction *self, unsigned unit) {
  const NornIsaEncoding *encoding = self->encoding;
  if (!encoding || encoding->unit >= isa->unit_count || !isa->units[encoding->unit].takes[unit])
    return 0;
  int64_t cost = norn_isa_evaluate(isa, encoding, encoding->cost, self->word);
  return (uint64_t)MAX(cost, 0) * isa->units[encoding->unit].takes[unit];
}
