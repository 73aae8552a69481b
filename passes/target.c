/* Binding a target to a machine, and functions that follow from its table. */
#include "passes/target.h"
#include "ir/assert.h"

void
norn_target_bind(const NornTarget *description, const NornMachine *machine, NornTarget *target) {
  *target = *description;
  target->machine = machine;
  target->architecture = machine->architecture;
  norn_register_model_init(&target->registers, machine->registers);
  NORN_ASSERT(target->slot_count <= NORN_MAX_SLOTS && target->free_slots <= NORN_MAX_FREE_SLOTS);
}

bool
norn_target_looks_at_others(const NornTarget *target, const NornInst *inst) {
  return norn_is_machine(inst) && target->helper_use &&
         target->helper_use(target, inst) == NORN_HELPERS_NEEDED;
}

bool
norn_target_is_pure(const NornTarget *target, const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  bool is_address = inst->flags & NORN_INST_DATA; /* whatever the program counter is */
  for (unsigned k = 0; k < inst->operand_count && !is_address; k++)
    if (norn_ref_kind(operands[k]) == NORN_REF_SPECIAL &&
        norn_ref_payload(operands[k]) == target->program_counter)
      return false;
  NornMachineShape shape;
  NornMessage message;
  norn_inst_shape(function->module, inst, &shape);
  return !shape.reads_memory && !shape.writes_memory && !shape.is_barrier && !shape.is_convergent &&
         !shape.is_terminator &&
         (!target->message(target, function, inst, &message) ||
          !(norn_accesses_memory(&message) || message.wait_before || message.wait_after));
}

bool
norn_target_is_arithmetic(const NornTarget *target, const NornFunction *function,
                          const NornInst *inst) {
  return !target->message(target, function, inst, NULL) &&
         norn_target_is_pure(target, function, inst);
}

NornRegisterSet
norn_target_clobbered(const NornTarget *target, const NornFunction *function,
                      const NornInst *inst) {
  NornFixedRegisters fixed;
  bool is_fixed = norn_is_machine(inst) && target->fixed_registers(target, function, inst, &fixed);
  return is_fixed ? fixed.clobbered : NORN_NO_REGISTERS;
}

bool
norn_target_has_checkers(const NornTarget *target, GError **error) {
  if (!target->check)
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "the target '%s' has no checkers",
                target->machine->name);
  return target->check != NULL;
}

NornRegisterCounts
norn_target_register_budget(const NornTarget *target, NornRegisterCounts max) {
  /* One in this many registers is left for scheduling and allocation; fewer of the whole register
   * file, where a larger number costs no threads. */
  enum { MARGIN = 8, MARGIN_OF_ALL = 12 };
  const NornOccupancy *occupancy = target->occupancies;
  while (occupancy[1].threads &&
         norn_counts_exceed(max, norn_regs_by_class(&target->registers, occupancy->registers)))
    occupancy++;
  NornRegisterCounts budget = norn_regs_by_class(&target->registers, occupancy->registers);
  unsigned margin = occupancy[1].threads ? MARGIN : MARGIN_OF_ALL;
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    budget.of[class] -= budget.of[class] / margin;
  return budget;
}
