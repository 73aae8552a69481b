/* Computing, and moving the words of values. */
#ifndef NORN_SIM_INTERPRETER_VALUES_H
#define NORN_SIM_INTERPRETER_VALUES_H

#include "sim/interpreter/program.h"

/* Executes an operation that norn_evaluate computes. */
NornStepFunction norn_step_evaluate;

NornStepFunction norn_step_undef, norn_step_copy, norn_step_select, norn_step_collect,
    norn_step_split, norn_step_bitcast;

#endif
