/* Where an invocation stands, and what it is told of the draw. */
#ifndef NORN_SIM_INTERPRETER_INVOCATION_H
#define NORN_SIM_INTERPRETER_INVOCATION_H

#include "sim/interpreter/program.h"

NornStepFunction norn_step_invocation;

#endif
