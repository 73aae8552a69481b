/* Triangles: the rasterizer's work between a vertex and a fragment program.
 *
 * Clipping creates no new vertices. A position with w is (x', y', w), where x' and y' are pixels
 * times w. The inverse of the matrix of a triangle's three positions gives each corner's weight as
 * an affine function of the pixel, even if corners lie behind the eye: a sample is inside if all
 * weights are positive and its depth is from 0 to 1. If all corners lie in front of the eye, they
 * are first rounded to 1/256 of a pixel so that edges, which are computed exactly, belong to only
 * one of two adjacent triangles: the one that has the edge as its top or left edge.
 *
 * The program writes to copies of the targets. The samples that its end wrote and that pass the
 * depth test are then copied to the targets themselves, so it does not matter whether a program
 * discards or stores depth. With early tests, hidden samples are removed from the coverage
 * instead. In samples that its end did not write, only stores to the tile may have changed the
 * colors. These are copied, but there is no depth to test or store. */
#include "sim/common/image.h"
#include "sim/common/launch.h"
#include "sim/common/raster.h"
#include <math.h>
#include <string.h>

/* The number of steps in a pixel to which corners are rounded. */
#define STEPS 256
/* How far rounded corners may lie from the origin, in pixels, so that their edges fit into 64
 * bits. */
#define GUARD_BAND 32768.0

/* What the second channel of the copy of the depth holds until the program stores a depth, which
 * sets that channel to 0. */
#define DEPTH_NOT_STORED 1

/* Copies of the targets in the launch's memory. That of the depth has a second channel. */
typedef struct Copies {
  NornImage color[NORN_COLOR_TARGETS], depth, stencil;
} Copies;

typedef struct Drawing {
  const NornTriangles *triangles;
  const NornLaunch *original;
  NornLaunch launch;
  NornFragmentState state;
  NornTriangle triangle;
  Copies copies;
  uint16_t *coverage, *written;
  size_t varying_buffer;
  bool is_rounded;
  int64_t corner[3][2];    /* of a rounded triangle, in steps */
  bool is_turned;          /* its corners are in clockwise order as seen, with y pointing down */
  uint32_t from[2], to[2]; /* the pixels that may have covered samples; all others are skipped */
} Drawing;

/* --- Geometry --- */

/* Rounds the corners if all lie in front of the eye and near the screen. */
static void
round_corners(Drawing *drawing, double corners[3][3]) {
  drawing->is_rounded = true;
  for (unsigned i = 0; i < 3; i++) {
    double w = corners[i][2];
    drawing->is_rounded = drawing->is_rounded && isfinite(w) && w > 0 &&
                          fabs(corners[i][0]) <= GUARD_BAND * w &&
                          fabs(corners[i][1]) <= GUARD_BAND * w;
  }
  for (unsigned i = 0; drawing->is_rounded && i < 3; i++)
    for (unsigned k = 0; k < 2; k++) {
      drawing->corner[i][k] = (int64_t)rint(corners[i][k] / corners[i][2] * STEPS);
      corners[i][k] = (double)drawing->corner[i][k] / STEPS * corners[i][2];
    }
}

/* The inverse of the corners' matrix; false if they are collinear with the eye or not finite, so
 * that the determinant is not either. */
static bool
invert(double m[3][3], double plane[3][3], double *determinant) {
  for (unsigned i = 0; i < 3; i++) {
    const double *a = m[(i + 1) % 3], *b = m[(i + 2) % 3];
    plane[i][0] = a[1] * b[2] - a[2] * b[1];
    plane[i][1] = a[2] * b[0] - a[0] * b[2];
    plane[i][2] = a[0] * b[1] - a[1] * b[0];
  }
  *determinant = m[0][0] * plane[0][0] + m[0][1] * plane[0][1] + m[0][2] * plane[0][2];
  for (unsigned i = 0; i < 9; i++)
    plane[i / 3][i % 3] /= *determinant;
  return *determinant != 0 && isfinite(*determinant);
}

/* Finds the rectangle of pixels around the rounded corners, or all of them. */
static void
find_box(Drawing *drawing) {
  const uint32_t size[2] = {drawing->state.width, drawing->state.height};
  for (unsigned k = 0; k < 2; k++) {
    const int64_t corners[3] = {drawing->corner[0][k], drawing->corner[1][k],
                                drawing->corner[2][k]};
    int64_t least = MIN(MIN(corners[0], corners[1]), corners[2]);
    int64_t most = MAX(MAX(corners[0], corners[1]), corners[2]);
    drawing->from[k] = 0;
    drawing->to[k] = size[k];
    if (!drawing->is_rounded)
      continue;
    drawing->from[k] = (uint32_t)CLAMP(least / STEPS, 0, (int64_t)size[k]);
    drawing->to[k] = (uint32_t)CLAMP(most / STEPS + 1, (int64_t)drawing->from[k], (int64_t)size[k]);
  }
}

/* Sets the triangle up; false if no part of it is visible. */
static bool
set_up(Drawing *drawing, const size_t vertices[3]) {
  double corners[3][3], determinant;
  for (unsigned i = 0; i < 3; i++) {
    const float *position = drawing->triangles->positions[vertices[i]];
    double w = position[3];
    corners[i][0] = (position[0] + w) / 2 * drawing->state.width;
    corners[i][1] = (position[1] + w) / 2 * drawing->state.height;
    corners[i][2] = w;
    drawing->state.depth[i] = position[2];
  }
  round_corners(drawing, corners);
  find_box(drawing);
  if (!invert(corners, drawing->triangle.plane, &determinant))
    return false;
  drawing->is_turned = determinant > 0;
  drawing->state.back_facing = drawing->is_turned;
  NornCullMode cull = drawing->triangles->cull;
  return !(cull == NORN_CULL_BACK && drawing->is_turned) &&
         !(cull == NORN_CULL_FRONT && !drawing->is_turned);
}

/* Whether a point in steps is inside the edge from corner i to the next one, or on an edge that
 * belongs to the triangle. */
static bool
is_inside_edge(const Drawing *drawing, unsigned i, int64_t x, int64_t y) {
  const int64_t *from = drawing->corner[i], *to = drawing->corner[(i + 1) % 3];
  int64_t dx = to[0] - from[0], dy = to[1] - from[1];
  if (!drawing->is_turned) {
    dx = -dx;
    dy = -dy;
  }
  int64_t side = dx * (y - from[1]) - dy * (x - from[0]);
  return side > 0 || (side == 0 && (dy < 0 || (dy == 0 && dx > 0)));
}

static bool
is_inside(const Drawing *drawing, NornRasterPosition at) {
  const NornTriangle *triangle = &drawing->triangle;
  for (unsigned i = 0; i < 3; i++)
    if (drawing->is_rounded
            ? !is_inside_edge(drawing, i, (int64_t)rint(at.x * STEPS), (int64_t)rint(at.y * STEPS))
            : !(triangle->plane[i][0] * at.x + triangle->plane[i][1] * at.y +
                    triangle->plane[i][2] >
                0))
      return false;
  float depth = (float)norn_float_to_double(NORN_FLOAT_32, norn_raster_depth(&drawing->launch, at));
  return depth >= 0 && depth <= 1;
}

static NornRasterPosition
place_sample(const Drawing *drawing, const uint32_t position[3], unsigned sample) {
  NornRasterPosition at =
      norn_raster_sample_position(norn_raster_samples(&drawing->launch), sample);
  return (NornRasterPosition){position[0] + at.x, position[1] + at.y};
}

/* --- The depth test --- */

static uint32_t
read_depth(const NornImage *image, const uint8_t *bytes) {
  return (uint32_t)norn_format_read(image->format, bytes).channel[0];
}

/* Copies a depth from the target, and marks it as not stored by the program. */
static void
copy_depth(Drawing *drawing, const uint32_t position[3], unsigned sample) {
  const NornImage *target = drawing->original->fragment->depth_target;
  const NornImage *copy = &drawing->copies.depth;
  const uint8_t *own = norn_raster_target_texel(drawing->original, target, position, sample);
  if (own)
    norn_format_write(copy->format,
                      norn_raster_target_texel(&drawing->launch, copy, position, sample),
                      (NornTexel){{read_depth(target, own), DEPTH_NOT_STORED, 0, 0}});
}

/* Whether a sample passes the depth test; if so, stores its depth. */
static bool
test_depth(Drawing *drawing, const uint32_t position[3], unsigned sample) {
  const NornFragmentState *original = drawing->original->fragment;
  const NornImage *target = original->depth_target;
  uint8_t *bytes = norn_raster_target_texel(drawing->original, target, position, sample);
  if (!bytes)
    return true;
  const NornImage *copy = &drawing->copies.depth;
  NornTexel texel = norn_format_read(
      copy->format, norn_raster_target_texel(&drawing->launch, copy, position, sample));
  uint32_t bits = (uint32_t)texel.channel[0];
  if (texel.channel[1] == DEPTH_NOT_STORED)
    bits = norn_raster_depth(&drawing->launch, place_sample(drawing, position, sample));
  double depth = norn_float_to_double(NORN_FLOAT_32, bits);
  double before = norn_float_to_double(NORN_FLOAT_32, read_depth(target, bytes));
  if (!norn_compare(drawing->triangles->depth_compare, depth, before))
    return false;
  norn_format_write(target->format, bytes, (NornTexel){{bits, 0, 0, 0}});
  copy_depth(drawing, position, sample); /* the program may read it, if tests are early */
  return true;
}

/* --- Coverage --- */

/* Finds the samples that are covered, and visible if depth is tested early; false if there are
 * none. */
static bool
cover(Drawing *drawing) {
  bool any = false, tests_early = drawing->triangles->tests_early;
  unsigned samples = norn_raster_samples(&drawing->launch);
  uint32_t at[3] = {0};
  for (at[1] = drawing->from[1]; at[1] < drawing->to[1]; at[1]++)
    for (at[0] = drawing->from[0]; at[0] < drawing->to[0]; at[0]++) {
      unsigned covered = 0;
      for (unsigned sample = 0; sample < samples; sample++)
        if (is_inside(drawing, place_sample(drawing, at, sample)) &&
            (!tests_early || test_depth(drawing, at, sample)))
          covered |= 1u << sample;
      drawing->coverage[(size_t)at[1] * drawing->state.width + at[0]] = (uint16_t)covered;
      any = any || covered;
    }
  return any;
}

/* --- Targets --- */

/* Copies a sample from a copy to its target, or back. */
static void
copy_sample(Drawing *drawing, const NornImage *target, const NornImage *copy,
            const uint32_t position[3], unsigned sample, bool to_target) {
  uint8_t *own = norn_raster_target_texel(drawing->original, target, position, sample);
  uint8_t *copied = norn_raster_target_texel(&drawing->launch, copy, position, sample);
  if (own)
    memcpy(to_target ? own : copied, to_target ? copied : own,
           norn_pixel_format_bytes(target->format));
}

static void
copy_colors(Drawing *drawing, const uint32_t position[3], unsigned sample) {
  const NornFragmentState *original = drawing->original->fragment;
  for (unsigned k = 0; k < NORN_COLOR_TARGETS; k++)
    copy_sample(drawing, original->targets[k], &drawing->copies.color[k], position, sample, true);
}

/* Copies the samples that were written and that pass the depth test, and what was stored in the
 * tile of those that were not written. */
static void
resolve(Drawing *drawing) {
  const NornFragmentState *original = drawing->original->fragment;
  uint32_t position[3] = {0};
  unsigned samples = norn_raster_samples(&drawing->launch);
  for (position[1] = drawing->from[1]; position[1] < drawing->to[1]; position[1]++)
    for (position[0] = drawing->from[0]; position[0] < drawing->to[0]; position[0]++) {
      unsigned written = drawing->written[(size_t)position[1] * drawing->state.width + position[0]];
      for (unsigned sample = 0; sample < samples; sample++) {
        if (!(written >> sample & 1)) {
          copy_colors(drawing, position, sample);
          continue;
        }
        if (!(drawing->triangles->tests_early || test_depth(drawing, position, sample)))
          continue;
        copy_colors(drawing, position, sample);
        copy_sample(drawing, original->stencil_target, &drawing->copies.stencil, position, sample,
                    true);
      }
    }
}

static uint8_t *
image_bytes(const NornImage *image, NornMemory *memory, uint64_t *size) {
  norn_image_bytes(image, size);
  return norn_memory_bytes(memory, image->buffer, NULL) + image->offset;
}

static void
fill_copy(const Drawing *drawing, const NornImage *target, const NornImage *copy) {
  uint64_t size;
  NornMemory *memory = drawing->launch.memory;
  if (!target)
    return;
  const uint8_t *from = image_bytes(target, memory, &size);
  uint8_t *to = image_bytes(copy, memory, &size);
  memcpy(to, from, size);
}

/* Fills the copies from the targets. */
static void
fill_copies(Drawing *drawing) {
  const NornFragmentState *original = drawing->original->fragment;
  for (unsigned k = 0; k < NORN_COLOR_TARGETS; k++)
    fill_copy(drawing, original->targets[k], &drawing->copies.color[k]);
  fill_copy(drawing, original->stencil_target, &drawing->copies.stencil);
  if (!original->depth_target)
    return;
  uint32_t position[3] = {0};
  for (position[1] = 0; position[1] < drawing->state.height; position[1]++)
    for (position[0] = 0; position[0] < drawing->state.width; position[0]++)
      for (unsigned sample = 0; sample < norn_raster_samples(&drawing->launch); sample++)
        copy_depth(drawing, position, sample);
}

/* Resets a sample of the copies to what fill_copies writes there. */
static void
refill_sample(Drawing *drawing, const uint32_t position[3], unsigned sample) {
  const NornFragmentState *original = drawing->original->fragment;
  const Copies *copies = &drawing->copies;
  for (unsigned k = 0; k < NORN_COLOR_TARGETS; k++)
    copy_sample(drawing, original->targets[k], &copies->color[k], position, sample, false);
  copy_sample(drawing, original->stencil_target, &copies->stencil, position, sample, false);
  copy_depth(drawing, position, sample);
}

/* Clears the triangle's coverage and what its program left in the copies. */
static void
clean_up(Drawing *drawing) {
  unsigned samples = norn_raster_samples(&drawing->launch);
  uint32_t position[3] = {0};
  for (position[1] = drawing->from[1]; position[1] < drawing->to[1]; position[1]++)
    for (position[0] = drawing->from[0]; position[0] < drawing->to[0]; position[0]++) {
      size_t pixel = (size_t)position[1] * drawing->state.width + position[0];
      for (unsigned sample = 0; drawing->coverage[pixel] && sample < samples; sample++)
        refill_sample(drawing, position, sample);
      drawing->coverage[pixel] = drawing->written[pixel] = 0;
    }
}

/* A buffer of that name and size, which may exist from another draw. */
static bool
take_buffer(NornMemory *memory, const char *name, uint64_t size, size_t *buffer, GError **error) {
  size_t there;
  *buffer = norn_memory_find(memory, name);
  if (*buffer != SIZE_MAX) {
    norn_memory_bytes(memory, *buffer, &there);
    if (there == size)
      return true;
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "buffer '%s' already exists with another size", name);
    return false;
  }
  if (!norn_memory_add(memory, name, 0, NULL, size, error))
    return false;
  *buffer = norn_memory_find(memory, name);
  return true;
}

static bool
make_copy(Drawing *drawing, const char *name, const NornImage *target, unsigned added_channels,
          NornImage *copy, const NornImage **place, GError **error) {
  uint64_t size;
  if (!target)
    return true;
  if (!norn_image_check(target, drawing->launch.memory, error))
    return false;
  *copy = *target;
  copy->offset = 0;
  copy->format.channels = (uint8_t)(copy->format.channels + added_channels);
  norn_image_bytes(copy, &size);
  *place = copy;
  return take_buffer(drawing->launch.memory, name, size, &copy->buffer, error);
}

static bool
make_copies(Drawing *drawing, GError **error) {
  const NornFragmentState *original = drawing->original->fragment;
  for (unsigned k = 0; k < NORN_COLOR_TARGETS; k++) {
    char name[16];
    g_snprintf(name, sizeof name, "draw color%u", k);
    if (!make_copy(drawing, name, original->targets[k], 0, &drawing->copies.color[k],
                   &drawing->state.targets[k], error))
      return false;
  }
  if (original->depth_target &&
      (original->depth_target->format.kind != NORN_CHANNEL_FLOAT ||
       original->depth_target->format.bits != 32 || original->depth_target->format.channels != 1)) {
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_INVALID,
                        "the depth target of triangles must have one channel, a 32-bit float");
    return false;
  }
  return make_copy(drawing, "draw depth", original->depth_target, 1, &drawing->copies.depth,
                   &drawing->state.depth_target, error) &&
         make_copy(drawing, "draw stencil", original->stencil_target, 0, &drawing->copies.stencil,
                   &drawing->state.stencil_target, error);
}

/* --- All triangles --- */

static bool
draw_triangle(Drawing *drawing, const size_t vertices[3], NornRunLaunch run, void *data,
              GError **error) {
  const NornTriangles *triangles = drawing->triangles;
  if (!set_up(drawing, vertices) || !cover(drawing))
    return true; /* no pixel is covered */
  uint8_t *blocks = norn_memory_bytes(drawing->launch.memory, drawing->varying_buffer, NULL);
  for (unsigned i = 0; triangles->varying_stride && i < 3; i++)
    memcpy(blocks + (size_t)i * triangles->varying_stride,
           (const uint8_t *)triangles->varyings + vertices[i] * triangles->varying_stride,
           triangles->varying_stride);
  if (!run(data, &drawing->launch, error))
    return false;
  resolve(drawing);
  clean_up(drawing);
  return true;
}

static bool
start(Drawing *drawing, GError **error) {
  const NornFragmentState *state = drawing->original->fragment;
  uint64_t pixels = (uint64_t)state->width * state->height;
  drawing->launch.fragment = &drawing->state;
  drawing->state.triangle = &drawing->triangle;
  drawing->state.varying_stride = drawing->triangles->varying_stride;
  if (!make_copies(drawing, error) ||
      !take_buffer(drawing->launch.memory, "draw varyings",
                   MAX(UINT64_C(3) * drawing->triangles->varying_stride, 1),
                   &drawing->varying_buffer, error))
    return false;
  drawing->state.varying_buffer = drawing->varying_buffer;
  fill_copies(drawing);
  drawing->coverage = g_try_new0(uint16_t, pixels);
  drawing->written = g_try_new0(uint16_t, pixels);
  drawing->state.coverage = drawing->coverage;
  drawing->state.written = drawing->written;
  if (drawing->coverage && drawing->written)
    return true;
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_LIMIT, "not enough memory for the triangles");
  return false;
}

bool
norn_draw_triangles(const NornTriangles *triangles, const NornLaunch *launch, NornRunLaunch run,
                    void *data, GError **error) {
  const NornFragmentState *state = launch->fragment;
  if (launch->stage != NORN_STAGE_FRAGMENT || !state || !launch->memory || !state->width ||
      !state->height || state->width > NORN_IMAGE_SIDE_LIMIT ||
      state->height > NORN_IMAGE_SIDE_LIMIT || state->samples > NORN_SAMPLE_LIMIT) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "triangles need a fragment launch with memory, a width, a height and at most %d "
                "samples",
                NORN_SAMPLE_LIMIT);
    return false;
  }
  Drawing drawing = {
      .triangles = triangles, .original = launch, .launch = *launch, .state = *state};
  bool done = start(&drawing, error);
  size_t step = triangles->is_strip ? 1 : 3;
  for (size_t first = 0, number = 0; done && first + 3 <= triangles->vertex_count;
       first += step, number++) {
    /* Every other triangle of a strip has the opposite winding; its first corner is the
     * provoking vertex. */
    bool is_odd = triangles->is_strip && number % 2;
    size_t vertices[3] = {first, first + 1 + is_odd, first + 2 - is_odd};
    drawing.state.primitive_id = (uint32_t)number;
    done = draw_triangle(&drawing, vertices, run, data, error);
  }
  g_free(drawing.coverage);
  g_free(drawing.written);
  return done;
}
