/* Inputs of vertex and fragment programs that come from outside memory: attributes, and varyings
 * interpolated over the rectangle of pixels that a launch describes. */
#ifndef NORN_SIM_COMMON_RASTER_H
#define NORN_SIM_COMMON_RASTER_H

#include "sim/common/image.h"

/* A position in the rectangle of a fragment launch, in pixels from the top left. */
typedef struct NornRasterPosition {
  double x, y;
} NornRasterPosition;

/* Width and height in pixels of the launch's rectangle, as far as it is covered. */
void norn_raster_size(const NornLaunch *launch, uint32_t size[2]);

/* The number of samples of a pixel, and whether there is an invocation for each. */
unsigned norn_raster_samples(const NornLaunch *launch);
bool norn_raster_runs_by_sample(const NornLaunch *launch);

/* Whether a position of the grid is outside the primitive: a helper invocation from the start. */
bool norn_raster_is_outside(const NornLaunch *launch, const uint32_t position[3]);

/* The sample that the invocation at a position of the grid runs for; 0 if it runs for all of
 * them. */
unsigned norn_raster_sample(const NornLaunch *launch, const uint32_t position[3]);

/* The samples of the invocation there that the primitive covers; bit S stands for sample S. */
uint32_t norn_raster_coverage(const NornLaunch *launch, const uint32_t position[3]);

/* The texel of sample `sample` of the pixel there in a target; NULL outside, or without a target.
 */
uint8_t *norn_raster_target_texel(const NornLaunch *launch, const NornImage *target,
                                  const uint32_t position[3], unsigned sample);

/* The position of sample `sample` in a pixel, from 0 to 1: the standard positions of 1, 2, 4, 8
 * or 16 samples; the center for samples that the pixel does not have. */
NornRasterPosition norn_raster_sample_position(unsigned samples, unsigned sample);

/* The component of `bits` (16 or 32) bits at byte `offset` of the varyings, as raw bits: the
 * provoking vertex's if `at` is NULL, otherwise interpolated as floats at that position. 0
 * outside the blocks. */
uint32_t norn_raster_varying(const NornLaunch *launch, uint32_t offset, unsigned bits,
                             const NornRasterPosition *at);

/* The depth there, as raw bits of f32. */
uint32_t norn_raster_depth(const NornLaunch *launch, NornRasterPosition at);

/* 1 / w there, as raw bits of f32. */
uint32_t norn_raster_inverse_w(const NornLaunch *launch, NornRasterPosition at);

/* Whether all invocations of a workgroup are helpers. */
bool norn_raster_is_empty(const NornLaunch *launch, const uint32_t workgroup[3]);

/* Records that outputs are written to a sample of the pixel there. */
void norn_raster_mark_written(const NornLaunch *launch, const uint32_t position[3],
                              unsigned sample);

/* The channels of attribute `index`; all 0 if there is none. */
NornTexel norn_attribute_read(const NornLaunch *launch, unsigned index, uint32_t vertex,
                              uint32_t instance);

#endif
