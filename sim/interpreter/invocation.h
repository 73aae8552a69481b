/* The position of an invocation, and the parameters of the draw that it can read. */
#ifndef NORN_SIM_INTERPRETER_INVOCATION_H
#define NORN_SIM_INTERPRETER_INVOCATION_H

#include "sim/interpreter/program.h"

NornStepFunction norn_step_invocation;

#endif
