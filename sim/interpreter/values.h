/* Computing, and moving the words of values. */
#ifndef NORN_SIM_INTERPRETER_VALUES_H
#define NORN_SIM_INTERPRETER_VALUES_H

#include "sim/interpreter/program.h"

/* Executes an operation that norn_evaluate computes. */
NornStepFunction norn_step_evaluate;

/* The same for an operation that the compiler may contract: also counts the lanes in which that
 * could change the result. */
NornStepFunction norn_step_product, norn_step_sum, norn_step_fma, norn_step_quotient;

NornStepFunction norn_step_undef, norn_step_copy, norn_step_select, norn_step_collect,
    norn_step_split, norn_step_bitcast;

#endif
