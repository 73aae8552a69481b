/* Machine instructions inside a module. */
#ifndef NORN_SIM_INTERPRETER_MACHINE_H
#define NORN_SIM_INTERPRETER_MACHINE_H

#include "sim/interpreter/program.h"

void norn_machine_step_free(NornMachineStep *machine);

/* Decodes the machine instruction of a step. The error has no location. */
bool norn_program_decode_machine(NornProgram *program, const NornLaunch *launch, NornStep *step,
                                 GError **error);

/* The number of following machine instructions that the step jumps over without ending its
 * block. */
uint32_t norn_machine_step_jumped_over(const NornMachineStep *machine);

NornStepFunction norn_step_machine, norn_step_machine_branch, norn_step_preload;

#endif
