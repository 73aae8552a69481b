/* Texels: their locations, their formats and filtering. Shared by all engines. */
#ifndef NORN_SIM_COMMON_IMAGE_H
#define NORN_SIM_COMMON_IMAGE_H

#include "ir/numeric.h"
#include <norn/simulate.h>

/* Longest side of an image. */
#define NORN_IMAGE_SIDE_LIMIT 65536

/* Four channels as raw bits: f32 numbers for the kinds that represent reals, 32-bit integers for
 * the others. */
typedef struct NornTexel {
  uint32_t channel[4];
} NornTexel;

/* Coordinates in an image, in whole texels. */
typedef struct NornTexelCoordinates {
  uint32_t level;
  int64_t x, y, z, layer;
  uint32_t sample;
} NornTexelCoordinates;

/* Coordinates of a look-up, as the operation has them; `layer` is not rounded yet. */
typedef struct NornTextureQuery {
  const NornImage *image;
  const NornSampler *sampler;
  unsigned axes; /* 1 to 3; 3 for a cube, whose coordinates are a direction */
  bool is_cube;
  double coordinate[3], layer;
  int8_t offset[3];
  bool compares;
  float reference;
} NornTextureQuery;

static inline bool
norn_channel_is_integer(NornChannelKind kind) {
  return kind == NORN_CHANNEL_UINT || kind == NORN_CHANNEL_SINT;
}

/* Whether the comparison of the reference with the texel is true. */
bool norn_compare(NornCompare compare, double reference, double texel);

/* Whether the format exists and the image fits into its buffer. */
bool norn_image_check(const NornImage *image, const NornMemory *memory, GError **error);

/* Reads or writes a texel of a format at `bytes`. */
NornTexel norn_format_read(NornPixelFormat format, const uint8_t *bytes);
void norn_format_write(NornPixelFormat format, uint8_t *bytes, NornTexel texel);

/* Converts a channel of an image of that kind to a component of 16 or 32 bits in a register, and
 * back. */
uint32_t norn_component_narrow(unsigned bits, NornChannelKind kind, uint32_t channel);
uint32_t norn_component_widen(unsigned bits, NornChannelKind kind, uint32_t component);

/* The bytes of a texel, or NULL outside the image. */
uint8_t *norn_image_texel(const NornImage *image, NornMemory *memory,
                          NornTexelCoordinates coordinates);

/* The result of a look-up at level of detail `lod`, before limits. In comparisons, all channels
 * are the result, 0 to 1. */
NornTexel norn_texture_sample(const NornTextureQuery *query, NornMemory *memory, double lod);

/* Channel `channel` of the four texels that a linear filter would mix on level 0. */
NornTexel norn_texture_gather(const NornTextureQuery *query, NornMemory *memory, unsigned channel);

/* The level of detail for derivatives of the coordinates (in x and in y). */
double norn_texture_lod(const NornTextureQuery *query, const double dx[3], const double dy[3]);

/* `lod` in steps of 1/256, rounded to nearest even, in the range of 16 signed bits; NaN gives 0. */
double norn_texture_lod_step(double lod);

/* The level that is used for `lod`: clamped to the limits of the sampler and the image. */
double norn_texture_level(const NornTextureQuery *query, double lod);

#endif
