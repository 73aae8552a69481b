/* The simulators by instruction set. */
#include "sim/simulators.h"
#include "isa/registry.h"
#include "sim/valhall/step.h"

static const struct {
  const NornIsa *isa;
  const NornSimulator *simulator;
} simulators[] = {
    {&norn_isa_valhall, &norn_valhall_simulator},
};

const NornSimulator *
norn_simulator_find(const NornMachine *machine) {
  for (unsigned i = 0; i < G_N_ELEMENTS(simulators); i++)
    if (machine->isa == simulators[i].isa)
      return simulators[i].simulator;
  return NULL;
}
