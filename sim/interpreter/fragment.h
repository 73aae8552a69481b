/* Fragment programs: inputs, outputs, the tile, helper invocations. */
#ifndef NORN_SIM_INTERPRETER_FRAGMENT_H
#define NORN_SIM_INTERPRETER_FRAGMENT_H

#include "sim/interpreter/program.h"

/* Prepares the lanes of a warp; writes the outputs of lanes that end. */
void norn_fragment_start(NornWarp *warp);
void norn_fragment_finish(const NornWarp *warp, unsigned lanes);

NornStepFunction norn_step_load_varying, norn_step_fragment_input, norn_step_point_coord,
    norn_step_fragment_output, norn_step_demote, norn_step_load_tile, norn_step_store_tile,
    norn_step_blend_source;

#endif
