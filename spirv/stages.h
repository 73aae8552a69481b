/* Inputs and outputs of the stages. */
#ifndef NORN_SPIRV_STAGES_H
#define NORN_SPIRV_STAGES_H

#include "spirv/interface.h"

/* Loads all scalars of an input, before the shader's own first block. */
void norn_spirv_set_up_input(NornSpirvReader *reader, NornSpirvVariable *variable);
void norn_spirv_set_up_output(NornSpirvReader *reader, NornSpirvVariable *variable);

/* Whether the stage has that input with this number of scalars; and its component k. */
bool norn_spirv_check_built_in(NornSpirvReader *reader, uint32_t built_in, uint32_t count);
NornRef norn_spirv_built_in(NornSpirvReader *reader, uint32_t built_in, uint32_t k);
void norn_spirv_refuse_built_in(NornSpirvReader *reader, uint32_t built_in);

/* GLSL.std.450 InterpolateAtX. */
void norn_spirv_interpolate(NornSpirvReader *reader);

/* Removes a fragment for which one of the clip distances is outside. */
void norn_spirv_clip(NornSpirvReader *reader);

#endif
