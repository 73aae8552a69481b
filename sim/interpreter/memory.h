/* Loads, stores, atomic accesses. */
#ifndef NORN_SIM_INTERPRETER_MEMORY_H
#define NORN_SIM_INTERPRETER_MEMORY_H

#include "sim/interpreter/program.h"

NornStepFunction norn_step_load, norn_step_load_signed, norn_step_store, norn_step_atomic,
    norn_step_buffer_size;

#endif
