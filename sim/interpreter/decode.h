/* Decoding a module for execution. */
#ifndef NORN_SIM_INTERPRETER_DECODE_H
#define NORN_SIM_INTERPRETER_DECODE_H

#include "sim/interpreter/program.h"

/* Decodes the module for this launch; `simulator`, nullable, executes its machine instructions. */
bool norn_program_init(NornProgram *program, const NornModule *module, const NornLaunch *launch,
                       const NornSimulator *simulator, GError **error);
void norn_program_clear(NornProgram *program);

/* How floats are computed in this launch. */
NornFloatEnvironment norn_launch_float_environment(const NornModule *module,
                                                   const NornLaunch *launch);

#endif
