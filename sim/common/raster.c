/* Attributes and varyings.
 *
 * Over the rectangle, a varying is affine: the first vertex's value plus the differences of the
 * other vertices from it, times the distances of the position to the right and down. In a
 * triangle, it is the mean of the corners by their weights, which are affine. Sums are computed
 * in double and rounded once. */
#include "sim/common/raster.h"
#include "sim/common/launch.h"

void
norn_raster_size(const NornLaunch *launch, uint32_t size[2]) {
  const NornFragmentState *state = launch->fragment;
  size[0] = launch->grid[0] * launch->workgroup[0];
  size[1] = launch->grid[1] * launch->workgroup[1];
  if (state && state->width)
    size[0] = MIN(size[0], state->width);
  if (state && state->height)
    size[1] = MIN(size[1], state->height);
}

unsigned
norn_raster_samples(const NornLaunch *launch) {
  return launch->fragment && launch->fragment->samples ? launch->fragment->samples : 1;
}

bool
norn_raster_runs_by_sample(const NornLaunch *launch) {
  return launch->grid[2] * launch->workgroup[2] > 1;
}

/* The pixel's index in arrays of width * height. */
static size_t
pixel_index(const NornLaunch *launch, const uint32_t position[3]) {
  return (size_t)position[1] * launch->fragment->width + position[0];
}

/* The samples that the invocation there runs for, whether covered or not. */
static uint32_t
own_samples(const NornLaunch *launch, const uint32_t position[3]) {
  return norn_raster_runs_by_sample(launch) ? 1u << MIN(position[2], NORN_SAMPLE_LIMIT - 1u)
                                            : UINT32_MAX;
}

bool
norn_raster_is_outside(const NornLaunch *launch, const uint32_t position[3]) {
  uint32_t size[2];
  norn_raster_size(launch, size);
  if (position[0] >= size[0] || position[1] >= size[1])
    return true;
  const NornFragmentState *state = launch->fragment;
  return state && state->coverage &&
         !(state->coverage[pixel_index(launch, position)] & own_samples(launch, position));
}

bool
norn_raster_is_empty(const NornLaunch *launch, const uint32_t workgroup[3]) {
  if (launch->stage != NORN_STAGE_FRAGMENT || !launch->fragment || !launch->fragment->coverage)
    return false;
  uint32_t from[3], position[3];
  const uint32_t *size = launch->workgroup;
  for (unsigned axis = 0; axis < 3; axis++)
    from[axis] = workgroup[axis] * size[axis];
  for (position[2] = from[2]; position[2] < from[2] + size[2]; position[2]++)
    for (position[1] = from[1]; position[1] < from[1] + size[1]; position[1]++)
      for (position[0] = from[0]; position[0] < from[0] + size[0]; position[0]++)
        if (!norn_raster_is_outside(launch, position))
          return false;
  return true;
}

void
norn_raster_mark_written(const NornLaunch *launch, const uint32_t position[3], unsigned sample) {
  const NornFragmentState *state = launch->fragment;
  if (state && state->written && sample < NORN_SAMPLE_LIMIT)
    state->written[pixel_index(launch, position)] |= (uint16_t)(1u << sample);
}

unsigned
norn_raster_sample(const NornLaunch *launch, const uint32_t position[3]) {
  return norn_raster_runs_by_sample(launch) ? position[2] : 0;
}

uint32_t
norn_raster_coverage(const NornLaunch *launch, const uint32_t position[3]) {
  if (norn_raster_is_outside(launch, position))
    return 0;
  uint32_t covered = (1u << norn_raster_samples(launch)) - 1;
  if (launch->fragment && launch->fragment->coverage)
    covered &= launch->fragment->coverage[pixel_index(launch, position)];
  return covered & own_samples(launch, position);
}

uint8_t *
norn_raster_target_texel(const NornLaunch *launch, const NornImage *target,
                         const uint32_t position[3], unsigned sample) {
  NornTexelCoordinates coordinates = {.x = position[0], .y = position[1], .sample = sample};
  return target ? norn_image_texel(target, launch->memory, coordinates) : NULL;
}

NornRasterPosition
norn_raster_sample_position(unsigned samples, unsigned sample) {
  /* Positions in sixteenths of a pixel, x then y, by the number of samples. */
  static const uint8_t positions[5][16][2] = {
      {{8, 8}},
      {{12, 12}, {4, 4}},
      {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
      {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
      {{9, 9},
       {7, 5},
       {5, 10},
       {12, 7},
       {3, 6},
       {10, 13},
       {13, 11},
       {11, 3},
       {6, 14},
       {8, 1},
       {4, 2},
       {2, 12},
       {0, 8},
       {15, 4},
       {14, 15},
       {1, 0}},
  };
  unsigned row = 0;
  while (row < 4 && 1u << row < samples)
    row++;
  if (sample >= samples || sample >= 16)
    return (NornRasterPosition){0.5, 0.5};
  return (NornRasterPosition){positions[row][sample][0] / 16.0, positions[row][sample][1] / 16.0};
}

/* The weights of a triangle's corners; returns their sum. */
static double
triangle_weights(const NornTriangle *triangle, NornRasterPosition at, double weights[3]) {
  for (unsigned i = 0; i < 3; i++)
    weights[i] =
        triangle->plane[i][0] * at.x + triangle->plane[i][1] * at.y + triangle->plane[i][2];
  return weights[0] + weights[1] + weights[2];
}

static const NornTriangle *
find_triangle(const NornLaunch *launch) {
  return launch->fragment ? launch->fragment->triangle : NULL;
}

/* The sum of the corners' values times their weights. */
static double
sum_weighted(const NornTriangle *triangle, const double corners[3], NornRasterPosition at,
             double *sum) {
  double weights[3];
  *sum = triangle_weights(triangle, at, weights);
  return weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2];
}

/* In a triangle, the mean by the corners' weights; otherwise the first corner's value plus the
 * slopes to the other two. */
static double
interpolate(const NornLaunch *launch, const double corners[3], NornRasterPosition at) {
  uint32_t size[2];
  const NornTriangle *triangle = find_triangle(launch);
  if (triangle) {
    double sum, weighted = sum_weighted(triangle, corners, at, &sum);
    return sum != 0 ? weighted / sum : 0;
  }
  norn_raster_size(launch, size);
  double right = at.x / size[0], down = at.y / size[1];
  return corners[0] + (corners[1] - corners[0]) * right + (corners[2] - corners[0]) * down;
}

/* The bytes of one vertex's block from `offset` on, or NULL if there are fewer than `size` of
 * them. */
static const uint8_t *
varying_bytes(const NornLaunch *launch, unsigned vertex, uint32_t offset, unsigned size) {
  const NornFragmentState *state = launch->fragment;
  if (!state || !launch->memory || state->varying_buffer >= norn_memory_count(launch->memory) ||
      offset > state->varying_stride || size > state->varying_stride - offset)
    return NULL;
  size_t available;
  const uint8_t *bytes = norn_memory_bytes(launch->memory, state->varying_buffer, &available);
  uint64_t start = (uint64_t)vertex * state->varying_stride + offset;
  return start <= available && size <= available - start ? bytes + start : NULL;
}

static uint32_t
read_bits(const uint8_t *bytes, unsigned bits) {
  uint32_t value = 0;
  for (unsigned i = 0; i < bits / 8; i++)
    value |= (uint32_t)bytes[i] << 8 * i;
  return value;
}

uint32_t
norn_raster_varying(const NornLaunch *launch, uint32_t offset, unsigned bits,
                    const NornRasterPosition *at) {
  NornFloatFormat format = norn_float_of_width(bits);
  double corners[3];
  for (unsigned vertex = 0; vertex < 3; vertex++) {
    const uint8_t *bytes = varying_bytes(launch, vertex, offset, bits / 8);
    if (!bytes)
      return 0;
    uint32_t value = read_bits(bytes, bits);
    if (!at)
      return value;
    corners[vertex] = norn_float_to_double(format, value);
  }
  return (uint32_t)norn_float_from_double(format, interpolate(launch, corners, *at));
}

uint32_t
norn_raster_depth(const NornLaunch *launch, NornRasterPosition at) {
  const NornFragmentState *state = launch->fragment;
  if (!state)
    return 0;
  double corners[3] = {state->depth[0], state->depth[1], state->depth[2]}, sum;
  if (state->triangle)
    return (uint32_t)norn_float_from_double(NORN_FLOAT_32,
                                            sum_weighted(state->triangle, corners, at, &sum));
  return (uint32_t)norn_float_from_double(NORN_FLOAT_32, interpolate(launch, corners, at));
}

uint32_t
norn_raster_inverse_w(const NornLaunch *launch, NornRasterPosition at) {
  const NornTriangle *triangle = find_triangle(launch);
  double weights[3], sum = triangle ? triangle_weights(triangle, at, weights) : 1;
  return (uint32_t)norn_float_from_double(NORN_FLOAT_32, sum);
}

NornTexel
norn_attribute_read(const NornLaunch *launch, unsigned index, uint32_t vertex, uint32_t instance) {
  NornTexel none = {{0, 0, 0, 0}};
  const NornVertexState *state = launch->vertex;
  if (!state || index >= state->attribute_count || !launch->memory)
    return none;
  const NornAttribute *attribute = &state->attributes[index];
  if (!norn_pixel_format_exists(attribute->format))
    return none;
  size_t available = 0;
  const uint8_t *bytes = NULL;
  if (attribute->buffer < norn_memory_count(launch->memory))
    bytes = norn_memory_bytes(launch->memory, attribute->buffer, &available);
  uint64_t element = attribute->divisor ? instance / attribute->divisor : vertex;
  uint64_t start = element * attribute->stride;
  unsigned size = norn_pixel_format_bytes(attribute->format);
  if (attribute->offset > available || start > available - attribute->offset ||
      size > available - attribute->offset - start)
    return none;
  return norn_format_read(attribute->format, bytes + attribute->offset + start);
}
