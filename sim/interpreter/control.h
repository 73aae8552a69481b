/* Control flow and memory order. */
#ifndef NORN_SIM_INTERPRETER_CONTROL_H
#define NORN_SIM_INTERPRETER_CONTROL_H

#include "sim/interpreter/program.h"

NornStepFunction norn_step_barrier, norn_step_nothing, norn_step_jump, norn_step_branch,
    norn_step_switch, norn_step_end, norn_step_unreachable;

#endif
