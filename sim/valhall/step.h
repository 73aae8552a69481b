/* Single Valhall instructions on values instead of registers. */
#ifndef NORN_SIM_VALHALL_STEP_H
#define NORN_SIM_VALHALL_STEP_H

#include "sim/common/simulator.h"

extern const NornSimulator norn_valhall_simulator;

#endif
