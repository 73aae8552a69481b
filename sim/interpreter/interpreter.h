/* Interpreting a module whose machine has its own simulator. */
#ifndef NORN_SIM_INTERPRETER_INTERPRETER_H
#define NORN_SIM_INTERPRETER_INTERPRETER_H

#include "sim/common/simulator.h"
#include <norn/interpret.h>

/* As norn_interpret, but `simulator` (nullable) executes the machine instructions. */
bool norn_interpret_with(const NornModule *module, const NornLaunch *launch,
                         const NornSimulator *simulator, NornReport *report, GError **error);

#endif
