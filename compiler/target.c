/* The machines that code can be compiled for. */
#include "compiler/valhall/valhall.h"

bool
norn_target_bind(const NornMachine *machine, NornTarget *target) {
  static const NornTarget *const targets[] = {&norn_valhall_target};
  for (unsigned k = 0; k < G_N_ELEMENTS(targets); k++) {
    if (targets[k]->isa != machine->isa)
      continue;
    norn_target_bind_to(targets[k], machine, target);
    return true;
  }
  return false;
}
