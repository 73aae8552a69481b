/* The machines that code can be compiled for. */
#include "compiler/valhall/valhall.h"

const NornTarget *
norn_target_find(const NornMachine *machine) {
  static const NornTarget *const targets[] = {&norn_valhall_target};
  for (unsigned k = 0; k < G_N_ELEMENTS(targets); k++)
    if (targets[k]->isa == machine->isa)
      return targets[k];
  return NULL;
}
