/* Operations that read other lanes: ballot and votes; reading another lane; reductions and scans;
 * derivatives. */
#ifndef NORN_SIM_INTERPRETER_LANES_H
#define NORN_SIM_INTERPRETER_LANES_H

#include "sim/interpreter/program.h"

/* The operation that an operation repeats or tests with, or NORN_OP_NONE. */
NornOp norn_step_combiner(const NornInst *inst);

NornStepFunction norn_step_vote, norn_step_exchange, norn_step_combine, norn_step_derivative;

#endif
