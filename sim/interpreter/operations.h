/* Which function executes which operation. */
#ifndef NORN_SIM_INTERPRETER_OPERATIONS_H
#define NORN_SIM_INTERPRETER_OPERATIONS_H

#include "sim/interpreter/program.h"

/* The function that executes a generic operation; NULL for one that norn_evaluate computes or
 * that no lane executes by itself. */
NornStepFunction *norn_step_function(NornOp op);

#endif
