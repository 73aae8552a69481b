/* Operations on textures and images. */
#ifndef NORN_SIM_INTERPRETER_TEXTURE_H
#define NORN_SIM_INTERPRETER_TEXTURE_H

#include "sim/interpreter/program.h"

NornStepFunction norn_step_texture, norn_step_query_lod, norn_step_fetch, norn_step_image_store,
    norn_step_image_atomic, norn_step_texture_size, norn_step_texture_count;

#endif
