/* Instructions that compute each scalar of their result from those of their operands. */
#ifndef NORN_SPIRV_SCALAR_H
#define NORN_SPIRV_SCALAR_H

#include "spirv/reader.h"

/* Computes one scalar of the result, of type `type`, from one scalar of each operand; `source` is
 * the type of the first operand. */
typedef NornRef (*NornSpirvScalarFunction)(NornSpirvReader *reader, NornType type, NornType source,
                                           const NornRef *operands);

/* Defines the result; the operands are `count` words from `first` on. */
void norn_spirv_by_scalar(NornSpirvReader *reader, NornSpirvScalarFunction function, uint32_t first,
                          unsigned count);

/* The same for a relaxed result: the function is called with 16-bit floats or pairs of them. */
void norn_spirv_by_pair(NornSpirvReader *reader, NornSpirvScalarFunction function, uint32_t first,
                        unsigned count);

/* Translates an instruction of GLSL.std.450 that is a row of operations.def; false if it is not. */
bool norn_spirv_translate_glsl_row(NornSpirvReader *reader, unsigned number);

/* --- Shared by such functions --- */

/* Scalar k after reinterpreting the bits as another type; in arithmetic.c. */
NornRef norn_spirv_reinterpret(NornSpirvReader *reader, NornType to, NornType from,
                               const NornRef *refs, unsigned k);

/* a + b or a - b. If a constant is added to a sum of products, it is added to the first product,
 * with which it can be contracted. */
NornRef norn_spirv_sum(NornSpirvReader *reader, NornOp op, NornType type, NornRef a, NornRef b);

/* The sum of products of vectors. */
NornRef norn_spirv_dot(NornSpirvReader *reader, NornType type, const NornRef *a, const NornRef *b,
                       uint32_t count);

#endif
