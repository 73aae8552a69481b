/* 32-bit floats that may be computed as 16-bit floats. */
#ifndef NORN_SPIRV_RELAXED_H
#define NORN_SPIRV_RELAXED_H

#include "spirv/reader.h"

/* Whether the result of the current instruction, of that type, need not be more precise than a
 * 16-bit float, and the options allow it to be one. */
bool norn_spirv_is_relaxed(const NornSpirvReader *reader, const NornSpirvType *type);

/* Converts a 32-bit float to a 16-bit one and back; and two floats to a pair and back. */
NornRef norn_spirv_narrow(NornSpirvReader *reader, NornRef ref);
NornRef norn_spirv_widen(NornSpirvReader *reader, NornRef ref);
NornRef norn_spirv_narrow_pair(NornSpirvReader *reader, NornRef a, NornRef b);
void norn_spirv_widen_pair(NornSpirvReader *reader, NornRef pair, NornRef *refs);

/* Replaces `refs`, varyings of a fragment, by varyings that are loaded again rounded to 16-bit
 * floats, as 32-bit floats. The second function returns the original of such a value; `ref` itself
 * if it is not one. */
void norn_spirv_load_rounded(NornSpirvReader *reader, NornInterpolation interpolation,
                             unsigned count, int64_t offset, NornRef *refs);
NornRef norn_spirv_unrounded(const NornSpirvReader *reader, NornRef ref);

/* Converts a group of four 16-bit floats in two words to 32-bit floats. */
void norn_spirv_widen_group(NornSpirvReader *reader, NornRef group, NornRef *refs);

#endif
