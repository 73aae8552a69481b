/* What vertex and fragment programs get from outside memory: attributes, and varyings interpolated
 * over the rectangle of pixels that a launch describes. */
#ifndef NORN_SIM_COMMON_RASTER_H
#define NORN_SIM_COMMON_RASTER_H

#include "sim/common/image.h"

/* A position in the rectangle of a fragment launch, in pixels from the top left. */
typedef struct NornRasterPosition {
  double x, y;
} NornRasterPosition;

/* Width and height of the launch's rectangle in pixels, as far as it is covered. */
void norn_raster_size(const NornLaunch *launch, uint32_t size[2]);

/* Samples of a pixel, and whether there is an invocation for each. */
unsigned norn_raster_samples(const NornLaunch *launch);
bool norn_raster_runs_by_sample(const NornLaunch *launch);

/* Whether a position of the grid is outside the primitive: a helper from the start. */
bool norn_raster_is_outside(const NornLaunch *launch, const uint32_t position[3]);

/* The sample that the invocation at a position of the grid is for; 0 if it is for all of them. */
unsigned norn_raster_sample(const NornLaunch *launch, const uint32_t position[3]);

/* The samples of the invocation there that the primitive covers; bit S stands for sample S. */
uint32_t norn_raster_coverage(const NornLaunch *launch, const uint32_t position[3]);

/* The texel of sample `sample` of the pixel there in a target; NULL outside, or without a target.
 */
uint8_t *norn_raster_target_texel(const NornLaunch *launch, const NornImage *target,
                                  const uint32_t position[3], unsigned sample);

/* Where sample `sample` of a pixel lies in it, from 0 to 1: the standard positions of 1, 2, 4, 8 or
 * 16 samples; the center for samples that the pixel does not have. */
NornRasterPosition norn_raster_sample_position(unsigned samples, unsigned sample);

/* The component of `bits` (16 or 32) bits at byte `offset` of the varyings, as raw bits: the
 * provoking vertex's if `at` is NULL, else interpolated as floats there. 0 outside the blocks.
 */
uint32_t norn_raster_varying(const NornLaunch *launch, uint32_t offset, unsigned bits,
                             const NornRasterPosition *at);

/* The depth there, as raw bits of f32. */
uint32_t norn_raster_depth(const NornLaunch *launch, NornRasterPosition at);

/* What 1 / w is there, likewise. */
uint32_t norn_raster_inverse_w(const NornLaunch *launch, NornRasterPosition at);

/* Whether a workgroup has nothing but helpers. */
bool norn_raster_is_empty(const NornLaunch *launch, const uint32_t workgroup[3]);

/* Takes note that outputs are written to a sample of the pixel there. */
void norn_raster_mark_written(const NornLaunch *launch, const uint32_t position[3],
                              unsigned sample);

/* The channels of attribute `index`; all 0 if there is none. */
NornTexel norn_attribute_read(const NornLaunch *launch, unsigned index, uint32_t vertex,
                              uint32_t instance);

#endif
