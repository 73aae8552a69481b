/* The machines whose instructions can be executed one at a time. */
#ifndef NORN_SIM_SIMULATORS_H
#define NORN_SIM_SIMULATORS_H

#include "ir/machine.h"
#include "sim/common/simulator.h"

/* The simulator of a machine, or NULL if it has none of this kind. */
const NornSimulator *norn_simulator_find(const NornMachine *machine);

#endif
