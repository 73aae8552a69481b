/* Shared by the files that read accesses to images: image.c, image_query.c, cube_level.c. */
#ifndef NORN_SPIRV_IMAGE_H
#define NORN_SPIRV_IMAGE_H

#include "spirv/reader.h"

#define NORN_SPIRV_IMAGE_OPERANDS 24

/* An access to an image while its operands are being collected. */
typedef struct NornSpirvImageAccess {
  const NornSpirvType *image;
  NornDimension dimension;
  NornRef texture, sampler;
  NornRef list[NORN_SPIRV_IMAGE_OPERANDS]; /* coordinates and the operands after them */
  unsigned count;
  uint32_t mask, next; /* image operands; the word after those read so far */
} NornSpirvImageAccess;

/* --- spirv/image.c --- */

/* Finds the image type of word k, a value that is an image or a combined image and sampler; false
 * with an error. */
bool norn_spirv_find_image(NornSpirvReader *reader, uint32_t k, NornSpirvImageAccess *access);
void norn_spirv_push_operand(NornSpirvReader *reader, NornSpirvImageAccess *access, NornRef ref);
/* Pushes the coordinates in word k, as floats or as integers; a projection divides them by the
 * component after them. */
void norn_spirv_push_coordinates(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k,
                                 unsigned count, bool is_float, bool is_projected);
/* Builds the operation on the access's dimension, with its list after the operands. */
NornRef norn_spirv_build_access(NornSpirvReader *reader, const NornSpirvImageAccess *access,
                                const NornInstSpec *operation);
/* Defines the result as the first components of an operation's result. */
void norn_spirv_define_texel(NornSpirvReader *reader, NornRef group, NornType single,
                             unsigned given);

/* --- spirv/image_query.c --- */

/* The length of a cube's sides at its first level, in texels. */
NornRef norn_spirv_cube_side(NornSpirvReader *reader, const NornSpirvImageAccess *access);

/* --- spirv/cube_level.c --- */

/* Appends the level of detail for a cube: the logarithm of the longer distance in texels, given the
 * direction at the start of the list and the derivatives from word k on. Targets only support
 * gradients for planes. */
void norn_spirv_push_cube_level(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k);

#endif
