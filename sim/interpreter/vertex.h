/* Inputs and outputs of vertex programs. */
#ifndef NORN_SIM_INTERPRETER_VERTEX_H
#define NORN_SIM_INTERPRETER_VERTEX_H

#include "sim/interpreter/program.h"

NornStepFunction norn_step_load_attribute, norn_step_vertex_output;

#endif
