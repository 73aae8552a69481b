/* A step of the interpreter for the launch's observer. */
#ifndef NORN_SIM_INTERPRETER_OBSERVE_H
#define NORN_SIM_INTERPRETER_OBSERVE_H

#include "sim/interpreter/program.h"

/* Finds information on instructions for an observer: their positions in text and code. */
void norn_program_prepare_observer(NornProgram *program);

/* Executes a step and reports it to the launch's observer. */
NornStepFunction norn_step_observed;

#endif
