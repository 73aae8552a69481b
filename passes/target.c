/* Binding a target to a machine. */
#include "passes/target.h"

void
norn_target_bind(const NornTarget *description, const NornMachine *machine, NornTarget *target) {
  *target = *description;
  target->machine = machine;
  target->architecture = machine->architecture;
  norn_register_model_init(&target->registers, machine->registers);
}
