/* 32-bit floats that may be computed as 16-bit ones. */
#ifndef NORN_SPIRV_RELAXED_H
#define NORN_SPIRV_RELAXED_H

#include "spirv/reader.h"

/* Whether the result of the instruction at hand, of that type, need not be more exact than a 16-bit
 * float, and the options let it be one. */
bool norn_spirv_is_relaxed(const NornSpirvReader *reader, const NornSpirvType *type);

/* A 32-bit float as one of 16 bits, and back; two as a pair. */
NornRef norn_spirv_narrow(NornSpirvReader *reader, NornRef ref);
NornRef norn_spirv_widen(NornSpirvReader *reader, NornRef ref);
NornRef norn_spirv_narrow_pair(NornSpirvReader *reader, NornRef a, NornRef b);
void norn_spirv_widen_pair(NornSpirvReader *reader, NornRef pair, NornRef *refs);

/* Loads again, rounded to 16-bit floats, the varyings of a fragment that `refs` are; gives them as
 * 32-bit ones. And what was loaded first of one of these; `ref` itself if it is none. */
void norn_spirv_load_rounded(NornSpirvReader *reader, NornInterpolation interpolation,
                             unsigned count, uint32_t offset, NornRef *refs);
NornRef norn_spirv_unrounded(const NornSpirvReader *reader, NornRef ref);

/* A group of four 16-bit floats in two words as 32-bit ones. */
void norn_spirv_widen_group(NornSpirvReader *reader, NornRef group, NornRef *refs);

#endif
