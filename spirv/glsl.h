/* GLSL.std.450, shared by its files. Each function translates the current instruction if it is one
 * of its own, and returns whether it is. */
#ifndef NORN_SPIRV_GLSL_H
#define NORN_SPIRV_GLSL_H

#include "spirv/reader.h"

bool norn_spirv_translate_glsl_scalar(NornSpirvReader *reader, uint32_t instruction);
bool norn_spirv_translate_glsl_vector(NornSpirvReader *reader, uint32_t instruction);

#endif
