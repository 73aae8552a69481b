/* What the files that read accesses to images share: image.c, image_query.c, cube_level.c. */
#ifndef NORN_SPIRV_IMAGE_H
#define NORN_SPIRV_IMAGE_H

#include "spirv/reader.h"

#define NORN_SPIRV_IMAGE_OPERANDS 24

/* An access to an image while its operands are collected. */
typedef struct NornSpirvImageAccess {
  const NornSpirvType *image;
  NornDimension dimension;
  NornRef texture, sampler;
  NornRef list[NORN_SPIRV_IMAGE_OPERANDS]; /* coordinates and what follows */
  unsigned count;
  uint32_t mask, next; /* image operands; the word after those seen so far */
} NornSpirvImageAccess;

/* --- spirv/image.c --- */

/* The image type of word k, a value that is an image or a combined one; false with an error. */
bool norn_spirv_find_image(NornSpirvReader *reader, uint32_t k, NornSpirvImageAccess *access);
void norn_spirv_push_operand(NornSpirvReader *reader, NornSpirvImageAccess *access, NornRef ref);
/* The coordinates of word k, as floats or as integers; a projection divides by the one behind
 * them. */
void norn_spirv_push_coordinates(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k,
                                 unsigned count, bool is_float, bool is_projected);
/* Builds the operation with `before` operands in front of the access's list. */
NornRef norn_spirv_build_access(NornSpirvReader *reader, NornOp op,
                                const NornSpirvImageAccess *access, NornType type, NornType source,
                                const NornRef *before, unsigned before_count, unsigned compare,
                                unsigned component);
/* Gives the result the first components of what an operation gave. */
void norn_spirv_define_texel(NornSpirvReader *reader, NornRef group, NornType single,
                             unsigned given);

/* --- spirv/cube_level.c --- */

/* Appends the level of detail: the logarithm of the longer distance in texels, of the direction
 * that the list begins with and the derivatives from word k on. Targets have it for planes only. */
void norn_spirv_push_cube_level(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k);

#endif
