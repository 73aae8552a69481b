/* Texels: where they lie, what they mean, and filtering them; the same for every program that is
 * run. */
#ifndef NORN_SIM_COMMON_IMAGE_H
#define NORN_SIM_COMMON_IMAGE_H

#include "ir/numeric.h"
#include <norn/simulate.h>

/* Longest side of an image. */
#define NORN_IMAGE_SIDE_LIMIT 65536

/* Four channels: f32 numbers for the kinds that stand for reals, 32-bit integers for the others, as
 * raw bits. */
typedef struct NornTexel {
  uint32_t channel[4];
} NornTexel;

/* Coordinates in an image, in whole texels. */
typedef struct NornTexelCoordinates {
  uint32_t level;
  int64_t x, y, z, layer;
  uint32_t sample;
} NornTexelCoordinates;

/* Coordinates of a look-up, as the operation gives them; `layer` is not rounded yet. */
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

/* Whether the reference compares so with the texel. */
bool norn_compare(NornCompare compare, double reference, double texel);

/* Whether the format is one that exists and the image fits into its buffer. */
bool norn_image_check(const NornImage *image, const NornMemory *memory, GError **error);

/* Reads or writes a texel of a format at `bytes`. */
NornTexel norn_format_read(NornPixelFormat format, const uint8_t *bytes);
void norn_format_write(NornPixelFormat format, uint8_t *bytes, NornTexel texel);

/* A channel of an image of that kind as a component of 16 or 32 bits in a register, and back. */
uint32_t norn_component_narrow(unsigned bits, NornChannelKind kind, uint32_t channel);
uint32_t norn_component_widen(unsigned bits, NornChannelKind kind, uint32_t component);

/* The bytes of a texel, or NULL outside the image. */
uint8_t *norn_image_texel(const NornImage *image, NornMemory *memory,
                          NornTexelCoordinates coordinates);

/* The texel that a look-up at level of detail `lod` gives, before limits. In comparisons all
 * channels are the result, 0 to 1. */
NornTexel norn_texture_sample(const NornTextureQuery *query, NornMemory *memory, double lod);

/* Channel `channel` of the four texels that a linear filter would mix on level 0. */
NornTexel norn_texture_gather(const NornTextureQuery *query, NornMemory *memory, unsigned channel);

/* The level of detail that derivatives of the coordinates (in x and in y) ask for. */
double norn_texture_lod(const NornTextureQuery *query, const double dx[3], const double dy[3]);

/* `lod` in steps of 1/256, to nearest even, as 16 bits with a sign hold it; NaN gives 0. */
double norn_texture_lod_step(double lod);

/* `lod` within the limits of sampler and image, as the level that is used. */
double norn_texture_level(const NornTextureQuery *query, double lod);

#endif
