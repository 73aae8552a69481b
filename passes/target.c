/* Binding a target to a machine. */
#include "passes/target.h"

void
norn_target_bind(const NornTarget *description, const NornMachine *machine, NornTarget *target) {
  *target = *description;
  target->machine = machine;
  target->architecture = machine->architecture;
  norn_register_model_init(&target->registers, machine->registers);
}

bool
norn_target_has_checkers(const NornTarget *target, GError **error) {
  if (!target->check)
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "there are no checkers for target '%s'",
                target->machine->name);
  return target->check != NULL;
}
