/* Triangles: which samples they cover, compared with a second definition, and what becomes of the
 * colors, depths and stencils that a program writes. */
#include "ir/random.h"
#include "sim/common/raster.h"
#include "unit.h"
#include <check.h>
#include <math.h>
#include <norn/norn.h>
#include <string.h>

enum { SIDE = 8, PIXELS = SIDE * SIDE, TRIANGLES = 1000 };

/* --- Coverage --- */

typedef struct Drawn {
  unsigned count;
  uint16_t coverage[PIXELS]; /* of the last triangle */
  bool back_facing;
  NornTriangle triangle;
} Drawn;

static bool
record(void *data, const NornLaunch *launch, GError **error) {
  Drawn *drawn = data;
  (void)error;
  drawn->count++;
  drawn->back_facing = launch->fragment->back_facing;
  drawn->triangle = *launch->fragment->triangle;
  memcpy(drawn->coverage, launch->fragment->coverage, sizeof drawn->coverage);
  return true;
}

static NornLaunch
launch_for(const NornFragmentState *state, NornMemory *memory) {
  return (NornLaunch){.stage = NORN_STAGE_FRAGMENT,
                      .memory = memory,
                      .grid = {1, 1, 1},
                      .workgroup = {SIDE, SIDE, 1},
                      .fragment = state};
}

static Drawn
draw(const float positions[3][4], NornCullMode cull, unsigned samples) {
  Drawn drawn = {0};
  GError *error = NULL;
  NornMemory *memory = norn_memory_new();
  const NornFragmentState state = {.width = SIDE, .height = SIDE, .samples = samples};
  const NornLaunch launch = launch_for(&state, memory);
  const NornTriangles triangles = {.positions = positions, .vertex_count = 3, .cull = cull};
  ck_assert(norn_draw_triangles(&triangles, &launch, record, &drawn, &error));
  norn_memory_free(memory);
  return drawn;
}

/* Twice the signed area; positive if the corners are in clockwise order with y pointing down. */
static int64_t
area(int64_t corner[3][2]) {
  return (corner[1][0] - corner[0][0]) * (corner[2][1] - corner[0][1]) -
         (corner[1][1] - corner[0][1]) * (corner[2][0] - corner[0][0]);
}

/* Whether a triangle with its corners in clockwise order has the point inside, on its left or on
 * its top edge. */
static bool
is_in_clockwise(int64_t corner[3][2], int64_t x, int64_t y) {
  for (unsigned i = 0; i < 3; i++) {
    const int64_t *from = corner[i], *to = corner[(i + 1) % 3];
    int64_t edge[3][2] = {{from[0], from[1]}, {to[0], to[1]}, {x, y}};
    bool is_left = to[1] < from[1], is_top = to[1] == from[1] && to[0] > from[0];
    int64_t side = area(edge);
    if (side < 0 || (side == 0 && !is_left && !is_top))
      return false;
  }
  return true;
}

/* The inputs are interpolated between the rounded corners, where a weight times w is 1. */
static void
check_weights(const NornTriangle *triangle, double corners[3][3]) {
  for (unsigned i = 0; i < 3; i++) {
    const double *plane = triangle->plane[i];
    double w = corners[i][2], x = rint(corners[i][0] / w * 256) / 256,
           y = rint(corners[i][1] / w * 256) / 256;
    double weight = (plane[0] * x + plane[1] * y + plane[2]) * w;
    ck_assert_msg(fabs(weight - 1) < 1e-6, "corner %u: %g", i, weight);
  }
}

/* The same for corners in front of the eye, in any order. *turned: clockwise. */
static bool
is_in_rounded(double corners[3][3], double x, double y, bool *turned) {
  int64_t corner[3][2];
  for (unsigned i = 0; i < 3; i++)
    for (unsigned k = 0; k < 2; k++)
      corner[i][k] = llrint(corners[i][k] / corners[i][2] * 256);
  *turned = area(corner) > 0;
  if (area(corner) < 0)
    for (unsigned k = 0; k < 2; k++) {
      int64_t first = corner[0][k];
      corner[0][k] = corner[1][k];
      corner[1][k] = first;
    }
  return area(corner) && is_in_clockwise(corner, llrint(x * 256), llrint(y * 256));
}

/* Whether the determinant has the sign of `whole`; *unsure: it is 0 but for rounding. */
static bool
has_sign(const double a[3], const double b[3], const double c[3], double whole, bool *unsure) {
  double sum = 0, size = 0;
  for (unsigned i = 0; i < 3; i++)
    for (unsigned k = 1; k < 3; k++) {
      double term = a[i] * b[(i + k) % 3] * c[(i + 3 - k) % 3];
      sum += k == 1 ? term : -term;
      size += fabs(term);
    }
  *unsure = *unsure || fabs(sum) <= 1e-12 * size;
  return sum > 0 ? whole > 0 : whole < 0;
}

/* Whether a point is inside a triangle that is not rounded: by Cramer's rule, whether it is the sum
 * of the corners with positive weights. */
static bool
is_in_exact(double corners[3][3], double x, double y, bool *turned, bool *unsure) {
  const double point[3] = {x, y, 1};
  *turned = has_sign(corners[0], corners[1], corners[2], 1, unsure);
  double whole = *turned ? 1 : -1;
  bool first = has_sign(point, corners[1], corners[2], whole, unsure);
  bool second = has_sign(corners[0], point, corners[2], whole, unsure);
  bool third = has_sign(corners[0], corners[1], point, whole, unsure);
  return first && second && third;
}

/* Corners near the picture, in steps of 1 / 1024 pixel or on the centers of pixels; some far away,
 * and some behind the eye. *rounds: they are to be rounded. */
static void
choose_corners(uint64_t *state, float positions[3][4], bool *rounds) {
  bool is_coarse = norn_random_below(state, 2);
  *rounds = true;
  for (unsigned i = 0; i < 3; i++) {
    unsigned choice = norn_random_below(state, 16);
    double w = choice == 0 ? -1 : choice < 4 ? 0.25 : choice < 6 ? 3 : 1;
    for (unsigned k = 0; k < 2; k++) {
      double pixel = norn_random_below(state, 1024 * (SIDE + 4)) / 1024.0 - 2;
      if (is_coarse)
        pixel = floor(pixel) + 0.5;
      if (choice == 15 && norn_random_below(state, 2)) {
        pixel = (norn_random_below(state, 2) ? -1e29 : 1e29) * (1 + pixel);
        *rounds = false;
      }
      positions[i][k] = (float)((2 * pixel / SIDE - 1) * w);
    }
    positions[i][2] = (float)(w / 2);
    positions[i][3] = (float)w;
    *rounds = *rounds && w > 0;
  }
}

START_TEST(coverage_follows_its_definition) {
  uint64_t state = (uint64_t)_i + 1;
  unsigned samples = _i ? 4 : 1, covered[2] = {0};
  for (unsigned n = 0; n < TRIANGLES; n++) {
    float positions[3][4];
    double corners[3][3];
    bool rounds, turned = false;
    choose_corners(&state, positions, &rounds);
    for (unsigned i = 0; i < 3; i++) {
      double w = positions[i][3];
      corners[i][0] = (positions[i][0] + w) / 2 * SIDE;
      corners[i][1] = (positions[i][1] + w) / 2 * SIDE;
      corners[i][2] = w;
    }
    const Drawn drawn = draw((const float(*)[4])positions, NORN_CULL_NONE, samples);
    unsigned any = 0;
    for (unsigned i = 0; i < PIXELS * samples; i++) {
      unsigned pixel = i / samples;
      NornRasterPosition at = norn_raster_sample_position(samples, i % samples);
      double x = pixel % SIDE + at.x, y = pixel / SIDE + at.y;
      bool unsure = false, is_in = rounds ? is_in_rounded(corners, x, y, &turned)
                                          : is_in_exact(corners, x, y, &turned, &unsure);
      if (unsure)
        is_in = drawn.coverage[pixel] >> i % samples & 1;
      ck_assert_msg((drawn.coverage[pixel] >> i % samples & 1) == is_in,
                    "triangle %u, pixel %u, sample %u", n, pixel, i % samples);
      any += is_in;
    }
    covered[rounds] += any;
    ck_assert_uint_eq(drawn.count, any > 0);
    if (!any)
      continue;
    ck_assert_int_eq(drawn.back_facing, turned);
    if (rounds)
      check_weights(&drawn.triangle, corners);
    const float(*same)[4] = (const float(*)[4])positions;
    ck_assert_uint_eq(draw(same, NORN_CULL_BACK, samples).count, !turned);
    ck_assert_uint_eq(draw(same, NORN_CULL_FRONT, samples).count, turned);
  }
  ck_assert_uint_gt(covered[0], 100);
  ck_assert_uint_gt(covered[1], 100);
}
END_TEST

/* Nothing is drawn of triangles without an area or with a corner that is nowhere. */
START_TEST(degenerate_triangles_are_not_drawn) {
  static const float last[][4] = {{0, 0, 0, 0},        {INFINITY, 0, 0, 1}, {0, -INFINITY, 0, 1},
                                  {0, 0, 0, INFINITY}, {NAN, 0, 0, 1},      {0, 0, 0, NAN},
                                  {0, 0, 0, 1}};
  for (unsigned i = 0; i < G_N_ELEMENTS(last); i++) {
    float positions[3][4] = {{-1, -1, 0, 1}, {1, 1, 0, 1}};
    memcpy(positions[2], last[i], sizeof last[i]);
    ck_assert_uint_eq(draw((const float(*)[4])positions, NORN_CULL_NONE, 1).count, 0);
  }
}
END_TEST

/* The depth is from 0 to 1, both included, at each sample. */
START_TEST(depths_are_clipped) {
  static const struct {
    float depth;
    bool is_drawn;
  } rows[] = {{-0.001f, false}, {0, true}, {1, true}, {1.001f, false}};
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    const float z = rows[i].depth;
    const float positions[3][4] = {{-1, -1, z, 1}, {3, -1, z, 1}, {-1, 3, z, 1}};
    ck_assert_uint_eq(draw(positions, NORN_CULL_NONE, 1).count, rows[i].is_drawn);
  }
}
END_TEST

/* --- Lists and strips --- */

typedef struct Seen {
  unsigned count;
  uint32_t corners[4][3]; /* of each triangle: the varyings of its vertices */
} Seen;

static bool
note_corners(void *data, const NornLaunch *launch, GError **error) {
  Seen *seen = data;
  const NornFragmentState *state = launch->fragment;
  (void)error;
  ck_assert_uint_lt(seen->count, G_N_ELEMENTS(seen->corners));
  ck_assert_uint_eq(state->primitive_id, seen->count);
  ck_assert_uint_eq(state->varying_stride, 4);
  ck_assert(!state->back_facing);
  memcpy(seen->corners[seen->count++],
         norn_memory_bytes(launch->memory, state->varying_buffer, NULL), 12);
  return true;
}

/* The vertices of a strip's triangles are ordered so that all face the same way; vertices that are
 * left over at the end make no triangle. */
START_TEST(vertices_make_triangles) {
  static const float positions[][4] = {
      {-1, -1, 0, 1}, {-1, 1, 0, 1}, {0, -1, 0, 1}, {0, 1, 0, 1}, {1, -1, 0, 1}};
  static const float list[][4] = {
      {-1, -1, 0, 1}, {-1, 1, 0, 1}, {1, -1, 0, 1}, {-1, -1, 0, 1}, {-1, 1, 0, 1}};
  static const uint32_t varyings[] = {10, 11, 12, 13, 14};
  static const uint32_t strip[][3] = {{10, 11, 12}, {11, 13, 12}, {12, 13, 14}};
  for (unsigned is_strip = 0; is_strip < 2; is_strip++) {
    Seen seen = {0};
    GError *error = NULL;
    NornMemory *memory = norn_memory_new();
    const NornFragmentState state = {.width = SIDE, .height = SIDE, .samples = 1};
    const NornLaunch launch = launch_for(&state, memory);
    const NornTriangles triangles = {.positions = is_strip ? positions : list,
                                     .vertex_count = 5,
                                     .is_strip = is_strip,
                                     .varyings = varyings,
                                     .varying_stride = 4};
    ck_assert(norn_draw_triangles(&triangles, &launch, note_corners, &seen, &error));
    ck_assert_uint_eq(seen.count, is_strip ? 3 : 1);
    for (unsigned i = 0; i < seen.count; i++)
      ck_assert_mem_eq(seen.corners[i], strip[i], sizeof strip[i]);
    norn_memory_free(memory);
  }
}
END_TEST

/* --- Targets --- */

static const NornPixelFormat one_float = {1, 32, NORN_CHANNEL_FLOAT},
                             one_byte = {1, 8, NORN_CHANNEL_UINT};

/* Two color targets in one buffer, a depth and a stencil target, each behind something else. */
typedef struct Targets {
  NornMemory *memory;
  NornImage color[2], depth, stencil;
  NornFragmentState state;
  float depths[1 + PIXELS];
  uint8_t stencils[4 + PIXELS];
  float colors[1 + 2 * PIXELS];
} Targets;

static NornImage
target_in(size_t buffer, uint64_t offset, NornPixelFormat format) {
  return (NornImage){buffer, offset, format, SIDE, SIDE, 1, 1, 1, 1};
}

static void
targets_init(Targets *targets) {
  *targets = (Targets){.memory = norn_memory_new()};
  for (unsigned i = 0; i < PIXELS; i++) {
    targets->depths[1 + i] = i % SIDE < 4 ? 0.5f : 0.125f;
    targets->stencils[4 + i] = 9;
    targets->colors[1 + i] = targets->colors[1 + PIXELS + i] = (float)(100 + i);
  }
  GError *error = NULL;
  ck_assert(
      norn_memory_add(targets->memory, "c", 0, targets->colors, sizeof targets->colors, &error));
  ck_assert(
      norn_memory_add(targets->memory, "d", 0, targets->depths, sizeof targets->depths, &error));
  ck_assert(norn_memory_add(targets->memory, "s", 0, targets->stencils, sizeof targets->stencils,
                            &error));
  targets->color[0] = target_in(0, 4, one_float);
  targets->color[1] = target_in(0, 4 + 4 * PIXELS, one_float);
  targets->depth = target_in(1, 4, one_float);
  targets->stencil = target_in(2, 4, one_byte);
  targets->state = (NornFragmentState){.width = SIDE,
                                       .height = SIDE,
                                       .samples = 1,
                                       .targets = {&targets->color[0], &targets->color[1]},
                                       .depth_target = &targets->depth,
                                       .stencil_target = &targets->stencil};
}

/* The program's access to one of its targets. */
static void *
texel(const NornLaunch *launch, const NornImage *target, unsigned pixel) {
  const uint32_t position[3] = {pixel % SIDE, pixel / SIDE, 0};
  return norn_raster_target_texel(launch, target, position, 0);
}

static void
put_float(const NornLaunch *launch, const NornImage *target, unsigned pixel, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  norn_format_write(target->format, texel(launch, target, pixel), (NornTexel){{bits, 0, 0, 0}});
}

static float
get_float(const NornLaunch *launch, const NornImage *target, unsigned pixel) {
  float value;
  memcpy(&value, texel(launch, target, pixel), sizeof value);
  return value;
}

/* Whether the first triangle's program discards the pixel, and what it wrote to depth and stencil.
 */
static bool
is_discarded(unsigned pixel) {
  return pixel % SIDE == 1;
}

/* Writes the number of the triangle to all targets; the first one also 0.25 to the depth of even
 * rows. */
static bool
write_targets(void *data, const NornLaunch *launch, GError **error) {
  const NornFragmentState *state = launch->fragment;
  unsigned *covered = data;
  (void)error;
  for (unsigned pixel = 0; pixel < PIXELS; pixel++) {
    if (!state->coverage[pixel])
      continue;
    const uint32_t position[3] = {pixel % SIDE, pixel / SIDE, 0};
    bool is_first = !state->primitive_id, is_old = is_first || is_discarded(pixel);
    const float before = is_old ? (float)(100 + pixel) : 1, number = is_first ? 1 : 2;
    uint8_t *stencil = texel(launch, state->stencil_target, pixel);
    covered[state->primitive_id]++;
    ck_assert(get_float(launch, state->targets[0], pixel) == before);
    ck_assert(get_float(launch, state->targets[1], pixel) == before);
    ck_assert_uint_eq(*stencil, is_old ? 9 : 1);
    for (unsigned k = 0; k < 2 && !(is_first && is_discarded(pixel)); k++)
      put_float(launch, state->targets[k], pixel, number);
    *stencil = (uint8_t)number;
    if (is_first && !(position[1] & 1))
      put_float(launch, state->depth_target, pixel, 0.25f);
    if (!is_first || !is_discarded(pixel))
      norn_raster_mark_written(launch, position, 0);
  }
  return true;
}

/* Two triangles: one over everything at 0.375, then one over the first two columns at 0.3. The
 * targets' depth is 0.5 on the left and 0.125 on the right, and nearer samples are visible. With
 * early tests, the program runs only for visible samples, and what it stores as depth is not used.
 */
START_TEST(targets_get_visible_samples) {
  static const float positions[][4] = {{-1, -1, 0.375f, 1},  {3, -1, 0.375f, 1},
                                       {-1, 3, 0.375f, 1},   {-0.5f, -20, 0.3f, 1},
                                       {-0.5f, 20, 0.3f, 1}, {-40, 0, 0.3f, 1}};
  for (unsigned early = 0; early < 2; early++) {
    Targets targets;
    unsigned covered[2] = {0};
    GError *error = NULL;
    targets_init(&targets);
    const NornLaunch launch = launch_for(&targets.state, targets.memory);
    const NornTriangles triangles = {.positions = positions,
                                     .vertex_count = 6,
                                     .depth_compare = NORN_COMPARE_LESS,
                                     .tests_early = early};
    ck_assert(norn_draw_triangles(&triangles, &launch, write_targets, covered, &error));
    ck_assert_uint_eq(covered[0], early ? PIXELS / 2 : PIXELS);
    ck_assert_uint_eq(covered[1], PIXELS / 4);
    const float *colors = (const float *)(const void *)norn_memory_bytes(targets.memory, 0, NULL);
    const float *depths = (const float *)(const void *)norn_memory_bytes(targets.memory, 1, NULL);
    const uint8_t *stencils = norn_memory_bytes(targets.memory, 2, NULL);
    ck_assert(colors[0] == 0 && depths[0] == 0 && stencils[3] == 0);
    for (unsigned i = 0; i < PIXELS; i++) {
      /* late: the 0.25 of the first triangle hides the second */
      bool is_stored = !early && !(i / SIDE & 1) && !is_discarded(i);
      unsigned column = i % SIDE, number = column >= 4 ? 0 : column >= 2 || is_stored ? 1 : 2;
      float color = number ? (float)number : (float)(100 + i);
      float depth = !number ? 0.125f : is_stored ? 0.25f : number == 1 ? 0.375f : 0.3f;
      ck_assert_msg(colors[1 + i] == color, "pixel %u: color %g, not %g", i, (double)colors[1 + i],
                    (double)color);
      ck_assert(colors[1 + PIXELS + i] == color);
      ck_assert_uint_eq(stencils[4 + i], number ? number : 9);
      ck_assert_msg(depths[1 + i] == depth, "pixel %u: depth %g, not %g", i, (double)depths[1 + i],
                    (double)depth);
    }
    norn_memory_free(targets.memory);
  }
}
END_TEST

static bool
fail_to_run(void *data, const NornLaunch *launch, GError **error) {
  (void)data, (void)launch;
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_TRAP, "stopped");
  return false;
}

static void
check_refused(const NornLaunch *launch, const char *message) {
  static const float positions[][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  const NornTriangles triangles = {.positions = positions, .vertex_count = 3};
  GError *error = NULL;
  ck_assert(!norn_draw_triangles(&triangles, launch, fail_to_run, NULL, &error));
  ck_assert_msg(strstr(error->message, message) != NULL, "%s", error->message);
  g_error_free(error);
}

START_TEST(wrong_launches_are_refused) {
  static const NornPixelFormat depths[] = {
      {2, 32, NORN_CHANNEL_FLOAT}, {1, 16, NORN_CHANNEL_FLOAT}, {1, 32, NORN_CHANNEL_UINT}};
  Targets targets;
  targets_init(&targets);
  NornLaunch launch = launch_for(&targets.state, targets.memory);
  check_refused(&launch, "stopped");
  for (unsigned i = 0; i < 7; i++) {
    NornFragmentState state = targets.state;
    NornLaunch wrong = launch_for(&state, targets.memory);
    if (i == 0)
      wrong.stage = NORN_STAGE_COMPUTE;
    else if (i == 1)
      wrong.memory = NULL;
    else if (i == 2)
      state.width = 0;
    else if (i == 3)
      state.height = 0;
    else if (i == 4)
      state.width = 65537;
    else if (i == 5)
      state.height = 65537;
    else
      state.samples = 40;
    check_refused(&wrong, "triangles need a fragment launch with memory, a width, a height and at "
                          "most 16 samples");
  }
  for (unsigned i = 0; i < G_N_ELEMENTS(depths); i++) {
    targets.depth.format = depths[i];
    check_refused(&launch, "the depth target of triangles must have one channel, a 32-bit float");
  }
  targets.depth.format = one_float;
  targets.color[1].offset += 4; /* ends beyond its buffer */
  check_refused(&launch, "does not fit into its buffer");
  targets.color[1].offset -= 4;
  targets.color[1].width = SIDE / 2; /* another draw has made its copy */
  check_refused(&launch, "buffer 'draw color1' already exists with another size");
  norn_memory_free(targets.memory);
}
END_TEST

/* The largest width and height are allowed. */
START_TEST(large_pictures_are_drawn) {
  static const float positions[][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  for (unsigned i = 0; i < 2; i++) {
    NornMemory *memory = norn_memory_new();
    const NornFragmentState state = {.width = i ? 1 : 65536, .height = i ? 65536 : 1, .samples = 1};
    const NornLaunch launch = launch_for(&state, memory);
    const NornTriangles triangles = {.positions = positions, .vertex_count = 3};
    GError *error = NULL;
    Drawn drawn = {0};
    ck_assert(norn_draw_triangles(&triangles, &launch, record, &drawn, &error));
    ck_assert_uint_eq(drawn.count, 1);
    ck_assert_uint_eq(drawn.coverage[PIXELS - 1], 1);
    norn_memory_free(memory);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("draw");
  TCase *tests = tcase_create("draw");
  tcase_add_loop_test(tests, coverage_follows_its_definition, 0, 2);
  tcase_add_test(tests, degenerate_triangles_are_not_drawn);
  tcase_add_test(tests, depths_are_clipped);
  tcase_add_test(tests, vertices_make_triangles);
  tcase_add_test(tests, targets_get_visible_samples);
  tcase_add_test(tests, wrong_launches_are_refused);
  tcase_add_test(tests, large_pictures_are_drawn);
  suite_add_tcase(suite, tests);
  return suite;
}
