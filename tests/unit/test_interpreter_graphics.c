/* The interpreter on vertex and fragment programs, textures and images: exact values in small
 * buffers.
 *
 * "data" holds inputs and images, "out" the results. */
#include "ir_text.h"
#include "unit.h"
#include <math.h>
#include <norn/norn.h>
#include <string.h>

#define WORDS 256

typedef struct Fixture {
  uint32_t data[WORDS], out[WORDS];
  NornLaunch launch;
  NornVertexState vertex;
  NornFragmentState fragment;
  NornImage images[4];
  NornSampler sampler;
  NornResource resources[8];
  GError *error;
} Fixture;

enum { DATA, OUT }; /* numbers of the buffers */

static void
fixture_init(Fixture *f) {
  *f = (Fixture){.launch = {.grid = {1, 1, 1}, .workgroup = {16, 1, 1}}};
  f->launch.resources = f->resources;
}

static uint32_t
float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float
out_float(const Fixture *f, unsigned word) {
  float value;
  memcpy(&value, &f->out[word], sizeof value);
  return value;
}

static bool
run_text(Fixture *f, const char *text) {
  NornModule *module = parse_text(text);
  NornMemory *memory = norn_memory_new();
  ck_assert(norn_memory_add(memory, "data", 0x10000, f->data, sizeof f->data, NULL));
  ck_assert(norn_memory_add(memory, "out", 0x20000, f->out, sizeof f->out, NULL));
  f->launch.memory = memory;
  f->launch.stage = norn_module_stage(module);
  g_clear_error(&f->error);
  bool done = norn_interpret(module, &f->launch, NULL, &f->error);
  memcpy(f->data, norn_memory_bytes(memory, DATA, NULL), sizeof f->data);
  memcpy(f->out, norn_memory_bytes(memory, OUT, NULL), sizeof f->out);
  norn_memory_free(memory);
  norn_module_free(module);
  return done;
}

static void
run_checked(Fixture *f, const char *text) {
  bool done = run_text(f, text);
  ck_assert_msg(done, "%s", f->error ? f->error->message : "");
}

static void
check_words(const Fixture *f, unsigned first, const uint32_t *expected, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    ck_assert_msg(f->out[first + i] == expected[i], "word %u is 0x%x, not 0x%x", first + i,
                  f->out[first + i], expected[i]);
}

#define CHECK_OUT(f, first, ...)                                                                   \
  do {                                                                                             \
    const uint32_t expected_[] = {__VA_ARGS__};                                                    \
    check_words(f, first, expected_, G_N_ELEMENTS(expected_));                                     \
  } while (0)

static void
check_floats(const Fixture *f, unsigned first, const float *expected, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    ck_assert_msg(f->out[first + i] == float_bits(expected[i]), "word %u is %g, not %g", first + i,
                  (double)out_float(f, first + i), (double)expected[i]);
}

#define CHECK_FLOATS(f, first, ...)                                                                \
  do {                                                                                             \
    const float expected_[] = {__VA_ARGS__};                                                       \
    check_floats(f, first, expected_, G_N_ELEMENTS(expected_));                                    \
  } while (0)

/* --- Vertices --- */

START_TEST(vertices_read_attributes_and_write_outputs) {
  Fixture f;
  fixture_init(&f);
  /* Two floats for each vertex, four bytes for each two instances. */
  NornAttribute attributes[] = {
      {DATA, 512, 8, 0, {2, 32, NORN_CHANNEL_FLOAT}},
      {DATA, 640, 4, 2, {4, 8, NORN_CHANNEL_UNORM}},
      {DATA, 640, 4, 2, {4, 8, NORN_CHANNEL_SINT}},
  };
  for (unsigned i = 0; i < 8; i++)
    f.data[128 + i] = float_bits((float)i);
  f.data[160] = 0xFF008000;
  f.data[161] = 0x80FF7F01;
  f.vertex = (NornVertexState){.attributes = attributes,
                               .attribute_count = 3,
                               .first_vertex = 1,
                               .position_buffer = OUT,
                               .extra_buffer = SIZE_MAX,
                               .varying_buffer = DATA,
                               .varying_stride = 16};
  f.launch.vertex = &f.vertex;
  f.launch.grid[1] = 3;
  f.launch.workgroup[0] = 2;
  run_checked(&f, "shader vertex @t {\n"
                  "entry:\n"
                  "  %v = vertex_id\n"
                  "  %i = instance_id\n"
                  "  %p = load.attribute.f32.w4 %v, %i, index:0\n"
                  "  store.position.w4 %p\n"
                  "  store.point_size 2.5\n"
                  "  %c = load.attribute.f32.w3 %v, %i, index:1\n"
                  "  store.varying.w3 %c\n"
                  "  %s = load.attribute.s16.w2 %v, %i, index:2\n"
                  "  %s0, %s1 = split.i32.w2 %s\n"
                  "  store.varying.i32 %s1, offset:12\n"
                  "  end\n"
                  "}\n");
  CHECK_FLOATS(&f, 0, 2, 3, 0, 1, 4, 5, 0, 1, 2, 3, 0, 1);
  /* Varyings of vertex 0 of instance 0, and of vertex 1 of instance 2. */
  ck_assert_uint_eq(f.data[1], float_bits(128 / 255.0f));
  ck_assert_uint_eq(f.data[3], 0xFFFF0000);
  ck_assert_uint_eq(f.data[20], float_bits(1 / 255.0f));
  ck_assert_uint_eq(f.data[22], float_bits(1));
  ck_assert_uint_eq(f.data[23], 0xFF80FFFF);
}
END_TEST

START_TEST(vertex_extras_and_missing_state) {
  Fixture f;
  fixture_init(&f);
  static const char text[] = "shader vertex @t {\n"
                             "entry:\n"
                             "  %v = vertex_id\n"
                             "  store.point_size 2.5\n"
                             "  store.layer 7\n"
                             "  store.viewport 0x109\n"
                             "  store.varying.i16 0x1234, offset:6\n"
                             "  %p = load.attribute.u32.w2 %v, 0, index:9\n"
                             "  %a, %b = split.i32.w2 %p\n"
                             "  %q = zext.i64.i32 %a\n"
                             "  %r = iadd.i64 %q, 0x20100\n"
                             "  store.global.i32 5, %r\n"
                             "  end\n"
                             "}\n";
  f.launch.workgroup[0] = 1;
  run_checked(&f, text);
  ck_assert_uint_eq(f.out[64], 5);
  f.vertex = (NornVertexState){.position_buffer = SIZE_MAX,
                               .extra_buffer = OUT,
                               .varying_buffer = SIZE_MAX,
                               .varying_stride = 8};
  f.launch.vertex = &f.vertex;
  run_checked(&f, text);
  CHECK_OUT(&f, 0, 0x09074100);
  f.vertex.varying_buffer = OUT;
  f.vertex.varying_stride = 4;
  ck_assert(!run_text(&f, text));
  ck_assert(strstr(f.error->message, "2 bytes at byte 6 of a vertex's 4"));
  /* one byte of the second vertex fits */
  f.vertex.varying_stride = sizeof f.out - 1;
  f.launch.workgroup[0] = 2;
  ck_assert(!run_text(&f, "shader vertex @t {\n"
                          "entry:\n"
                          "  store.varying.i16 0x1234\n"
                          "  end\n"
                          "}\n"));
  ck_assert(strstr(f.error->message, "lane 1: 2 bytes at byte 0 of a vertex's"));
  g_clear_error(&f.error);
}
END_TEST

/* Without memory, no buffer exists. */
START_TEST(vertices_need_memory) {
  Fixture f;
  fixture_init(&f);
  f.launch.workgroup[0] = 1;
  f.launch.stage = NORN_STAGE_VERTEX;
  f.launch.vertex = &f.vertex;
  f.vertex = (NornVertexState){.varying_stride = 4};
  NornModule *module = parse_text("shader vertex @t {\nentry:\n  store.varying.i32 1\n  end\n}\n");
  ck_assert(!norn_interpret(module, &f.launch, NULL, &f.error));
  ck_assert(strstr(f.error->message, "do not fit into the output buffer"));
  g_clear_error(&f.error);
  norn_module_free(module);
}
END_TEST

/* The numbers of an attribute's vertex and instance must be defined. */
START_TEST(attributes_need_their_vertex) {
  Fixture f;
  fixture_init(&f);
  f.launch.workgroup[0] = 1;
  ck_assert(!run_text(&f, "shader vertex @t {\n"
                          "entry:\n"
                          "  %u = undef.i32\n"
                          "  %p = load.attribute.u32.i32 %u, 0, index:0\n"
                          "  end\n"
                          "}\n"));
  ck_assert_msg(strstr(f.error->message, "the vertex is undefined") != NULL, "%s",
                f.error->message);
  ck_assert(!run_text(&f, "shader vertex @t {\n"
                          "entry:\n"
                          "  %u = undef.i32\n"
                          "  %p = load.attribute.u32.i32 0, %u, index:0\n"
                          "  end\n"
                          "}\n"));
  ck_assert_msg(strstr(f.error->message, "the instance is undefined") != NULL, "%s",
                f.error->message);
  g_clear_error(&f.error);
}
END_TEST

/* --- Fragments --- */

/* A target of 4 by 4 texels in "out". */
static NornImage
target(NornPixelFormat format, uint64_t offset, uint32_t samples) {
  return (NornImage){OUT, offset, format, 4, 4, 1, 1, 1, samples};
}

static void
fragment_init(Fixture *f) {
  fixture_init(f);
  f->launch.workgroup[0] = f->launch.workgroup[1] = 4;
  f->images[0] = target((NornPixelFormat){1, 32, NORN_CHANNEL_FLOAT}, 0, 1);
  f->fragment = (NornFragmentState){.samples = 1};
  f->fragment.targets[0] = &f->images[0];
  f->launch.fragment = &f->fragment;
}

#define FRAGMENT(body) "shader fragment @t {\nentry:\n" body "}\n"
/* Writes %r, an f32, to target 0. */
#define COLOR_R                                                                                    \
  "  %color = collect.f32.w4 %r, 0.0, 0.0, 1.0\n"                                                  \
  "  store.color.f32.w4 %color, target:0\n"                                                        \
  "  end\n"

START_TEST(varyings_are_interpolated) {
  Fixture f;
  fragment_init(&f);
  /* 10 + 4x/4 + 8y/4 at byte 8 of blocks of 16 bytes. */
  f.data[2] = float_bits(10);
  f.data[6] = float_bits(14);
  f.data[10] = float_bits(18);
  f.fragment.varying_buffer = DATA;
  f.fragment.varying_stride = 16;
  run_checked(&f, FRAGMENT("  %r = load.varying.center.f32.f32 offset:8\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 11.5f, 12.5f, 13.5f, 14.5f, 13.5f, 14.5f);
  run_checked(&f, FRAGMENT("  %r = load.varying.flat.f32.f32 offset:8\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 10, 10);
  run_checked(&f, FRAGMENT("  %r = load.varying_at_offset.f32.f32 0.25, -0.5, offset:8\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 10.75f, 11.75f);
  run_checked(&f, FRAGMENT("  %r = load.varying.flat.f32.f32 offset:16\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 0, 0);
  f.fragment.samples = 4;
  f.images[0].samples = 4;
  run_checked(&f, FRAGMENT("  %r = load.varying_at_sample.f32.f32 1, offset:8\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 11.625f, 11.625f, 11.625f, 11.625f, 12.625f);
  /* One invocation a sample. */
  f.launch.grid[2] = 4;
  run_checked(&f, FRAGMENT("  %r = load.varying.sample.f32.f32 offset:8\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 10.625f, 11.625f, 11.375f, 12.375f, 11.625f);
}
END_TEST

START_TEST(half_varyings_come_in_pairs) {
  Fixture f;
  fragment_init(&f);
  f.data[0] = 0x40003C00; /* 1, 2 */
  f.data[1] = 0x44004200; /* 3, 4 */
  f.data[2] = 0x44003C00;
  f.data[3] = 0x44004200;
  f.data[4] = 0x40003C00;
  f.data[5] = 0x48004200;
  f.fragment.varying_buffer = DATA;
  f.fragment.varying_stride = 8;
  run_checked(&f, FRAGMENT("  %v = load.varying.center.w2.f16\n"
                           "  %a, %b = split.i32.w2 %v\n"
                           "  %x = frag_coord.x\n"
                           "  %first = fcmp.olt.f32 %x, 1.0\n"
                           "  %s = select.i32 %first, %a, %b\n"
                           "  %r = bitcast.f32.i32 %s\n" COLOR_R));
  /* (1, 2 + 2 * 0.5/4) then (3, 4 + 4 * 0.5/4). */
  CHECK_OUT(&f, 0, 0x40803C00, 0x44804200);
}
END_TEST

START_TEST(fragments_get_their_position) {
  Fixture f;
  fragment_init(&f);
  f.fragment.depth[0] = 0;
  f.fragment.depth[1] = 1;
  f.fragment.depth[2] = 0.5f;
  f.fragment.primitive_id = 9;
  run_checked(&f, FRAGMENT("  %x = frag_coord.x\n"
                           "  %y = frag_coord.y\n"
                           "  %h = fmul.f32 %y, 100.0\n"
                           "  %r = fadd.f32 %x, %h\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 50.5f, 51.5f, 52.5f, 53.5f, 150.5f);
  run_checked(&f, FRAGMENT("  %r = frag_coord.z\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 0.1875f, 0.4375f);
  run_checked(&f, FRAGMENT("  %p = primitive_id\n"
                           "  %m = sample_mask\n"
                           "  %f = front_facing\n"
                           "  %g = zext.i32.i1 %f\n"
                           "  %a = imul.i32 %p, 100\n"
                           "  %b = imul.i32 %m, 10\n"
                           "  %c = iadd.i32 %a, %b\n"
                           "  %d = iadd.i32 %c, %g\n"
                           "  %r = uitofp.rte.f32.i32 %d\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 911);
  run_checked(&f, FRAGMENT("  %x, %y = point_coord\n  %r = fadd.f32 %x, %y\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 0.25f, 0.5f);
}
END_TEST

START_TEST(colors_take_the_format_of_their_target) {
  Fixture f;
  fragment_init(&f);
  f.images[0] = target((NornPixelFormat){4, 8, NORN_CHANNEL_UNORM}, 0, 1);
  f.images[1] = target((NornPixelFormat){2, 16, NORN_CHANNEL_SINT}, 256, 1);
  f.images[2] = target((NornPixelFormat){2, 16, NORN_CHANNEL_FLOAT}, 512, 1);
  f.fragment.targets[3] = &f.images[1];
  f.fragment.targets[7] = &f.images[2];
  run_checked(&f, FRAGMENT("  %a = collect.f32.w4 0.5, -1.0, nan, 2.0\n"
                           "  store.color.f32.w4 %a, target:0\n"
                           "  %b = collect.i32.w4 -5, 70000, 0, 0\n"
                           "  store.color.s32.w4 %b, target:3\n"
                           "  %c = collect.i32.w2 0x40003C00, 0\n"
                           "  store.color.f16.w2 %c, target:7\n"
                           "  store.color.f16.w2 %c, target:5\n"
                           "  end\n"));
  ck_assert_uint_eq(f.out[0], 0xFF000080);
  ck_assert_uint_eq(f.out[64], 0x7FFFFFFB);
  ck_assert_uint_eq(f.out[128], 0x40003C00);
  ck_assert_uint_eq(f.out[128 + 15], 0x40003C00);
  ck_assert_uint_eq(f.out[128 + 16], 0);
}
END_TEST

START_TEST(demoted_and_terminated_fragments_write_nothing) {
  Fixture f;
  fragment_init(&f);
  memset(f.out, 0xEE, sizeof f.out);
  run_checked(&f, FRAGMENT("  %x = frag_coord.x\n"
                           "  %y = frag_coord.y\n"
                           "  %left = fcmp.olt.f32 %x, 1.0\n"
                           "  demote %left\n"
                           "  %h = helper_invocation\n"
                           "  %n = zext.i32.i1 %h\n"
                           /* The demoted left neighbor still takes part in the quad. */
                           "  %d = ddx.fine.f32 %x\n"
                           "  store.global.i32 5, 0x20200\n"
                           "  %low = fcmp.ogt.f32 %y, 3.0\n"
                           "  br %low, out, on\n"
                           "out:\n"
                           "  terminate\n"
                           "on:\n"
                           "  alpha_test.olt.f32 %x, 3.0\n"
                           "  %q = quad_swap.x.i32 %n\n"
                           "  %e = uitofp.rte.f32.i32 %q\n"
                           "  %r = fadd.f32 %d, %e\n" COLOR_R));
  CHECK_OUT(&f, 0, 0xEEEEEEEE, 0x40000000, 0x3F800000, 0xEEEEEEEE);
  CHECK_OUT(&f, 8, 0xEEEEEEEE, 0x40000000, 0x3F800000, 0xEEEEEEEE);
  CHECK_OUT(&f, 12, 0xEEEEEEEE, 0xEEEEEEEE, 0xEEEEEEEE, 0xEEEEEEEE);
  ck_assert_uint_eq(f.out[128], 5);
  /* All invocations are helpers: no store happens, and loads from unmapped addresses give 0. */
  f.out[128] = 0;
  run_checked(&f, FRAGMENT("  demote true\n"
                           "  store.global.i32 5, 0x20200\n"
                           "  store.global.i32 5, 0x99900\n"
                           "  %a = load.global.i32 0x99900\n"
                           "  %b = atomic.global.add.i32 0x20200, 1\n"
                           "  end\n"));
  ck_assert_uint_eq(f.out[128], 0);
}
END_TEST

START_TEST(pixels_outside_are_helpers) {
  Fixture f;
  fragment_init(&f);
  f.fragment.width = 3;
  f.fragment.height = 1;
  memset(f.out, 0xEE, sizeof f.out);
  run_checked(&f, FRAGMENT("  %x = frag_coord.x\n  %r = ddx.coarse.f32 %x\n" COLOR_R));
  CHECK_OUT(&f, 0, 0x3F800000, 0x3F800000, 0x3F800000, 0xEEEEEEEE, 0xEEEEEEEE);
}
END_TEST

START_TEST(depth_stencil_coverage_and_tile) {
  Fixture f;
  fragment_init(&f);
  f.fragment.samples = 4;
  f.images[0] = target((NornPixelFormat){1, 32, NORN_CHANNEL_UINT}, 0, 4);
  f.images[1] = target((NornPixelFormat){1, 16, NORN_CHANNEL_UNORM}, 256, 4);
  f.images[2] = target((NornPixelFormat){1, 8, NORN_CHANNEL_UINT}, 512, 4);
  f.fragment.depth_target = &f.images[1];
  f.fragment.stencil_target = &f.images[2];
  for (unsigned i = 0; i < 64; i++)
    f.out[i] = i;
  f.out[64] = 0x80000000;
  f.out[128] = 0x00AB0000;
  run_checked(&f, FRAGMENT("  %t = load.tile.u32.w4 2, target:0\n"
                           "  %a, %b, %c, %d = split.i32.w4 %t\n"
                           "  %e = iadd.i32 %a, 100\n"
                           "  %z = load.tile_depth 1\n"
                           "  %zi = bitcast.i32.f32 %z\n"
                           "  %s = load.tile_stencil 2\n"
                           "  %u = collect.i32.w4 %e, %zi, 0, 0\n"
                           "  store.color.u32.w4 %u, target:0\n"
                           "  store.depth 1.0\n"
                           "  store.stencil 0x1FF\n"
                           "  store.coverage 0x15\n"
                           "  %v = collect.i32.w4 %s, 0, 0, 0\n"
                           "  store.tile.u32.w4 %v, 1, target:0\n"
                           "  end\n"));
  CHECK_OUT(&f, 0, 102, 0xAB, 102, 3, 106, 0, 106, 7);
  ck_assert_uint_eq(f.out[64], 0x8000FFFF);
  ck_assert_uint_eq(f.out[65], 0x0000FFFF);
  ck_assert_uint_eq(f.out[128], 0x00FF00FF);
}
END_TEST

static void
check_trap(Fixture *f, const char *text, const char *message) {
  ck_assert(!run_text(f, text));
  ck_assert_int_eq(f->error->code, NORN_ERROR_TRAP);
  ck_assert_str_eq(f->error->message, message);
  g_clear_error(&f->error);
}

START_TEST(pixels_have_only_their_samples) {
  Fixture f;
  fragment_init(&f);
  f.fragment.samples = 4;
  check_trap(&f,
             FRAGMENT("  %n = iadd.i32 2, 2\n"
                      "  %z = load.tile_depth %n\n"
                      "  end\n"),
             "t:4:3: load.tile_depth in invocation (0, 0, 0), lane 0: sample 4 does not exist in a "
             "pixel of 4");
  f.fragment.samples = 1;
  check_trap(&f,
             FRAGMENT("  %c = collect.f32.w4 1.0, 1.0, 1.0, 1.0\n"
                      "  %n = iadd.i32 0x6000, 0xB6B\n"
                      "  store.tile.f32.w4 %c, %n, target:0\n"
                      "  end\n"),
             "t:5:3: store.tile in invocation (0, 0, 0), lane 0: sample 107 does not exist in a "
             "pixel of 1");
}
END_TEST

START_TEST(blend_shaders_see_the_colors) {
  Fixture f;
  fragment_init(&f);
  f.fragment.blend_source[1][2] = float_bits(0.75f);
  run_checked(&f, FRAGMENT("  %s = blend_source.f32.w4 index:1\n"
                           "  %x, %y, %r, %w = split.f32.w4 %s\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 0.75f);
}
END_TEST

/* --- Textures --- */

#define TEXTURE 0x01000000
#define SAMPLER 0x02000000
#define IMAGE 0x05000000

/* Textures are in "data"; one workgroup of a compute program writes floats to "out". */
static void
texture_init(Fixture *f, NornImage image) {
  fixture_init(f);
  f->images[0] = image;
  f->sampler = (NornSampler){.maximum_lod = 100};
  f->resources[0] = (NornResource){.handle = TEXTURE, .image = &f->images[0]};
  f->resources[1] = (NornResource){.handle = SAMPLER, .sampler = &f->sampler};
  f->resources[2] = (NornResource){.handle = IMAGE, .image = &f->images[0]};
  f->launch.resource_count = 3;
}

enum { TRIANGLE_SIDE = 4 };

/* Counts how often each pixel of the rectangle is covered. */
static bool
count_covered(void *data, const NornLaunch *launch, GError **error) {
  unsigned *counts = data;
  (void)error;
  for (unsigned i = 0; i < TRIANGLE_SIDE * TRIANGLE_SIDE; i++)
    counts[i] += launch->fragment->coverage[i] & 1u;
  return true;
}

/* Draws triangles with a run that counts; `counts` is indexed by pixel. */
static void
cover_pixels(const float (*positions)[4], size_t vertices, unsigned *counts) {
  GError *error = NULL;
  NornMemory *memory = norn_memory_new();
  const NornFragmentState state = {.width = TRIANGLE_SIDE, .height = TRIANGLE_SIDE, .samples = 1};
  const NornLaunch launch = {.stage = NORN_STAGE_FRAGMENT,
                             .memory = memory,
                             .grid = {1, 1, 1},
                             .workgroup = {TRIANGLE_SIDE, TRIANGLE_SIDE, 1},
                             .fragment = &state};
  const NornTriangles triangles = {.positions = positions, .vertex_count = vertices};
  memset(counts, 0, TRIANGLE_SIDE * TRIANGLE_SIDE * sizeof *counts);
  ck_assert(norn_draw_triangles(&triangles, &launch, count_covered, counts, &error));
  norn_memory_free(memory);
}

/* Two triangles with a common edge that goes through pixels: each pixel is drawn by one of them,
 * whatever the order of their corners. */
START_TEST(edges_belong_to_one_triangle) {
  static const float edges[][2][2] = {{{-4, -0.25f}, {4, -0.25f}}, /* a row of pixels */
                                      {{0.25f, -4}, {0.25f, 4}},   /* a column */
                                      {{-4, -4}, {4, 4}},          /* diagonals */
                                      {{-4, 4}, {4, -4}}};
  static const float sides[][2][2] = {
      {{0, -8}, {0, 8}}, {{-8, 0}, {8, 0}}, {{8, -8}, {-8, 8}}, {{8, 8}, {-8, -8}}};
  for (unsigned k = 0; k < 4 * G_N_ELEMENTS(edges); k++) {
    unsigned counts[TRIANGLE_SIDE * TRIANGLE_SIDE];
    float positions[6][4];
    for (unsigned i = 0; i < 6; i++) {
      bool is_first = i < 3 ? k & 1 : k >> 1 & 1; /* which end of the edge comes first */
      const float *from = i % 3 == 2 ? sides[k / 4][i / 3] : edges[k / 4][i % 3 ^ is_first];
      memcpy(positions[i], (const float[]){from[0], from[1], 0, 1}, sizeof positions[i]);
    }
    cover_pixels((const float(*)[4])positions, 6, counts);
    for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++)
      ck_assert_msg(counts[i] == 1, "%u: pixel %u is drawn %u times", k, i, counts[i]);
  }
}
END_TEST

/* Fragments nearer than 0 or farther than 1 are not drawn. */
START_TEST(triangles_end_at_the_depth_range) {
  unsigned counts[TRIANGLE_SIDE * TRIANGLE_SIDE];
  /* -0.25 in the first column, then half a unit more in each column. */
  static const float positions[3][4] = {{-1, -1, -0.5f, 1}, {-1, 3, -0.5f, 1}, {3, -1, 3.5f, 1}};
  cover_pixels(positions, 3, counts);
  for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++) {
    unsigned column = i % TRIANGLE_SIDE;
    ck_assert_uint_eq(counts[i], column == 1 || column == 2);
  }
}
END_TEST

enum { SMALL_TRIANGLES = 4096, WIDE_SIDE = 1024 };

/* Triangle N covers pixel 7 N, and nothing is left of the previous one. */
static bool
check_own_pixel(void *data, const NornLaunch *launch, GError **error) {
  const uint16_t *coverage = launch->fragment->coverage;
  uint32_t number = launch->fragment->primitive_id;
  unsigned *drawn = data;
  (void)error;
  ck_assert_uint_eq(coverage[7 * (size_t)number], 1);
  ck_assert(!number || !coverage[7 * (size_t)(number - 1)]);
  (*drawn)++;
  return true;
}

/* The cost of a small triangle in a large picture depends on the covered area: otherwise these
 * would take minutes. */
START_TEST(small_triangles_are_cheap) {
  GError *error = NULL;
  NornMemory *memory = norn_memory_new();
  float(*positions)[4] = g_malloc0_n((gsize)3 * SMALL_TRIANGLES, sizeof *positions);
  unsigned drawn = 0;
  for (unsigned i = 0; i < 3 * SMALL_TRIANGLES; i++) {
    unsigned pixel = 7 * (i / 3);
    float x = (float)(pixel % WIDE_SIDE) + (i % 3 == 1 ? 1.25f : 0.25f);
    float y = (float)(pixel / WIDE_SIDE) + (i % 3 == 2 ? 1.25f : 0.25f);
    const float corner[4] = {2 * x / WIDE_SIDE - 1, 2 * y / WIDE_SIDE - 1, 0, 1};
    memcpy(positions[i], corner, sizeof corner);
  }
  const NornFragmentState state = {.width = WIDE_SIDE, .height = WIDE_SIDE, .samples = 1};
  const NornLaunch launch = {.stage = NORN_STAGE_FRAGMENT,
                             .memory = memory,
                             .grid = {WIDE_SIDE / 4, WIDE_SIDE / 4, 1},
                             .workgroup = {4, 4, 1},
                             .fragment = &state};
  const NornTriangles triangles = {.positions = (const float(*)[4])positions,
                                   .vertex_count = (size_t)3 * SMALL_TRIANGLES};
  ck_assert(norn_draw_triangles(&triangles, &launch, check_own_pixel, &drawn, &error));
  ck_assert_uint_eq(drawn, SMALL_TRIANGLES);
  norn_memory_free(memory);
  g_free(positions);
}
END_TEST

static const NornPixelFormat float1 = {1, 32, NORN_CHANNEL_FLOAT};

enum { TARGET_BYTES = TRIANGLE_SIDE * TRIANGLE_SIDE * sizeof(float) };

/* Each triangle sees the same color and depth as the first one, whatever discarded writes came
 * before. */
static bool
scribble(void *data, const NornLaunch *launch, GError **error) {
  uint8_t(*before)[TARGET_BYTES] = data;
  const NornFragmentState *state = launch->fragment;
  const NornImage *targets[] = {state->targets[0], state->depth_target};
  (void)error;
  for (unsigned i = 0; i < 2; i++) {
    uint8_t *bytes =
        (uint8_t *)norn_memory_bytes(launch->memory, targets[i]->buffer, NULL) + targets[i]->offset;
    if (!state->primitive_id)
      memcpy(before[i], bytes, TARGET_BYTES);
    ck_assert_mem_eq(before[i], bytes, TARGET_BYTES);
    size_t size = targets[i]->format.channels * sizeof(float);
    for (unsigned pixel = 0; pixel < TRIANGLE_SIDE * TRIANGLE_SIDE; pixel++)
      if (state->coverage[pixel]) {
        memset(bytes + pixel * size, 0x11, size);
        state->written[pixel] = state->coverage[pixel];
      }
  }
  return true;
}

START_TEST(triangles_begin_from_the_targets) {
  static const float corners[][4] = {{-1, -1, 0, 1},    {3, -1, 0, 1}, {-1, 3, 0, 1},
                                     {0.1f, 0, 0, 1},   {1, 0, 0, 1},  {0.1f, 1, 0, 1},
                                     {-1, -1, 0.5f, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  GError *error = NULL;
  uint8_t before[2][TARGET_BYTES];
  NornMemory *memory = norn_memory_new();
  ck_assert(norn_memory_add(memory, "color", 0, NULL, TARGET_BYTES, &error));
  ck_assert(norn_memory_add(memory, "depth", 0, NULL, TARGET_BYTES, &error));
  NornImage color = {.format = float1,
                     .width = TRIANGLE_SIDE,
                     .height = TRIANGLE_SIDE,
                     .depth = 1,
                     .layers = 1,
                     .levels = 1,
                     .samples = 1};
  NornImage depth = color;
  color.buffer = norn_memory_find(memory, "color");
  depth.buffer = norn_memory_find(memory, "depth");
  const NornFragmentState state = {.width = TRIANGLE_SIDE,
                                   .height = TRIANGLE_SIDE,
                                   .samples = 1,
                                   .targets = {&color},
                                   .depth_target = &depth};
  const NornLaunch launch = {.stage = NORN_STAGE_FRAGMENT,
                             .memory = memory,
                             .grid = {1, 1, 1},
                             .workgroup = {TRIANGLE_SIDE, TRIANGLE_SIDE, 1},
                             .fragment = &state};
  const NornTriangles triangles = {.positions = corners, .vertex_count = G_N_ELEMENTS(corners)};
  ck_assert(norn_draw_triangles(&triangles, &launch, scribble, before, &error));
  static const uint8_t nothing[TARGET_BYTES];
  ck_assert_mem_eq(norn_memory_bytes(memory, color.buffer, NULL), nothing, TARGET_BYTES);
  ck_assert_mem_eq(norn_memory_bytes(memory, depth.buffer, NULL), nothing, TARGET_BYTES);
  norn_memory_free(memory);
}
END_TEST

/* The program has the f32 coordinate %x = (lane - 4) / 4 + 0.125 and stores %r. */
#define LOOKUPS(body)                                                                              \
  "shader compute @t workgroup(16, 1, 1) {\n"                                                      \
  "entry:\n"                                                                                       \
  "  %i = local_index\n"                                                                           \
  "  %k = isub.i32 %i, 4\n"                                                                        \
  "  %f = sitofp.rte.f32.i32 %k\n"                                                                 \
  "  %x = fma.f32 %f, 0.25, 0.125\n" body "  %p = shladd.u32.i64 0x20000, %i, 2\n"                 \
  "  store.global.f32 %r, %p\n"                                                                    \
  "  end\n"                                                                                        \
  "}\n"
#define TEX_1D(lod) LOOKUPS("  %r = tex_lod.1d.f32.f32 0x01000000, 0x02000000, 0, %x, " lod "\n")

START_TEST(coordinates_wrap) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 0, float1, 4, 1, 1, 1, 1, 1});
  for (unsigned i = 0; i < 4; i++)
    f.data[i] = float_bits((float)(i + 1));
  run_checked(&f, TEX_1D("0.0"));
  CHECK_FLOATS(&f, 0, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4);
  f.sampler.wrap[0] = NORN_WRAP_MIRROR;
  run_checked(&f, TEX_1D("0.0"));
  CHECK_FLOATS(&f, 0, 4, 3, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1, 1, 2, 3, 4);
  f.sampler.wrap[0] = NORN_WRAP_CLAMP;
  run_checked(&f, TEX_1D("0.0"));
  CHECK_FLOATS(&f, 0, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4);
  f.sampler.wrap[0] = NORN_WRAP_BORDER;
  f.sampler.border[0] = 9;
  run_checked(&f, TEX_1D("0.0"));
  CHECK_FLOATS(&f, 0, 9, 9, 9, 9, 1, 2, 3, 4, 9, 9, 9, 9, 9, 9, 9, 9);
  /* Offsets are in texels. */
  run_checked(&f, LOOKUPS("  %r = tex_lod.1d.f32.f32 0x01000000, 0x02000000, 0xFF, %x, 0.0\n"));
  CHECK_FLOATS(&f, 0, 9, 9, 9, 9, 9, 1, 2, 3, 4, 9);
  f.sampler.unnormalized = true;
  run_checked(&f, LOOKUPS("  %r = tex_lod.1d.f32.f32 0x01000000, 0x02000000, 0, 2.5, 0.0\n"));
  CHECK_FLOATS(&f, 0, 3, 3);
}
END_TEST

START_TEST(linear_filters_mix) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 0, float1, 2, 2, 1, 1, 1, 1});
  for (unsigned i = 0; i < 4; i++)
    f.data[i] = float_bits((float)(1 << i));
  f.sampler.magnify = NORN_FILTER_LINEAR;
  f.sampler.wrap[0] = f.sampler.wrap[1] = NORN_WRAP_CLAMP;
  /* Between the columns 1, 4 and 2, 8, a quarter of the way down. */
  run_checked(&f, LOOKUPS("  %r = tex_lod.2d.f32.f32 0x01000000, 0x02000000, 0, %x, 0.375, 0.0\n"));
  CHECK_FLOATS(&f, 3, 1.75f, 1.75f, 2.1875f, 3.0625f, 3.5f, 3.5f);
  /* Above level of detail 0, the other filter applies. */
  run_checked(&f, LOOKUPS("  %r = tex_lod.2d.f32.f32 0x01000000, 0x02000000, 0, %x, 0.375, 1.0\n"));
  CHECK_FLOATS(&f, 3, 1, 1, 1, 2, 2, 2);
}
END_TEST

START_TEST(levels_are_chosen_and_mixed) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 16, float1, 4, 4, 1, 1, 3, 1});
  for (unsigned i = 0; i < 16; i++)
    f.data[4 + i] = float_bits(10);
  for (unsigned i = 0; i < 4; i++)
    f.data[20 + i] = float_bits(20);
  f.data[24] = float_bits(40);
#define LEVEL(lod) LOOKUPS("  %r = tex_lod.2d.f32.f32 0x01000000, 0x02000000, 0, %x, %x, " lod "\n")
  run_checked(&f, LEVEL("2.0"));
  CHECK_FLOATS(&f, 0, 10);
  f.sampler.mip = NORN_MIP_NEAREST;
  run_checked(&f, LEVEL("%x")); /* -0.875 to 2.875 in steps of a quarter */
  CHECK_FLOATS(&f, 0, 10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 40, 40, 40, 40, 40, 40);
  f.sampler.mip = NORN_MIP_LINEAR;
  run_checked(&f, LEVEL("1.25"));
  CHECK_FLOATS(&f, 0, 25);
  f.sampler.maximum_lod = 0.5f;
  run_checked(&f, LEVEL("1.25"));
  CHECK_FLOATS(&f, 0, 15);
  f.sampler.maximum_lod = 9;
  f.sampler.minimum_lod = 1.5f;
  f.sampler.lod_bias = 0.25f;
  run_checked(&f, LEVEL("0.0"));
  CHECK_FLOATS(&f, 0, 30);
  run_checked(&f, LEVEL("nan"));
  CHECK_FLOATS(&f, 0, 30);
#undef LEVEL
}
END_TEST

START_TEST(gradients_and_quads_give_the_level) {
  Fixture f;
  fragment_init(&f);
  f.images[1] = (NornImage){DATA, 0, float1, 8, 8, 1, 1, 4, 1};
  for (unsigned i = 0; i < 85; i++)
    f.data[i] = float_bits(i < 64 ? 0.0f : i < 80 ? 1.0f : i < 84 ? 2.0f : 3.0f);
  f.sampler = (NornSampler){.mip = NORN_MIP_LINEAR, .maximum_lod = 100};
  f.resources[0] = (NornResource){.handle = TEXTURE, .image = &f.images[1]};
  f.resources[1] = (NornResource){.handle = SAMPLER, .sampler = &f.sampler};
  f.launch.resource_count = 2;
  /* A quarter of the texture per pixel in x: 2 texels, level 1. */
#define COORDINATES                                                                                \
  "  %x = frag_coord.x\n  %y = frag_coord.y\n"                                                     \
  "  %u = fmul.f32 %x, 0.25\n  %v = fmul.f32 %y, 0.125\n"
  run_checked(&f, FRAGMENT(COORDINATES
                           "  %r = tex.2d.f32.f32 0x01000000, 0x02000000, 0, %u, %v\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 1, 1, 1, 1, 1);
  run_checked(
      &f, FRAGMENT(COORDINATES
                   "  %r = tex_bias.2d.f32.f32 0x01000000, 0x02000000, 0, %u, %v, 1.5\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 2.5f);
  run_checked(&f, FRAGMENT(COORDINATES "  %l, %r = tex_query_lod.2d 0x01000000, 0x02000000, %u, "
                                       "%v\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 1);
  run_checked(&f, FRAGMENT("  %r = tex_gradient.2d.f32.f32 0x01000000, 0x02000000, 0, 0.5, 0.5, "
                           "0.0, 0.5, 0.125, 0.0\n" COLOR_R));
  CHECK_FLOATS(&f, 0, 2);
#undef COORDINATES
}
END_TEST

START_TEST(layers_volumes_and_cubes) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 0, float1, 1, 1, 1, 12, 1, 1});
  for (unsigned i = 0; i < 16; i++)
    f.data[i] = float_bits((float)i);
#define AT(shape, coordinates)                                                                     \
  LOOKUPS("  %r = tex_lod." shape ".f32.f32 0x01000000, 0x02000000, 0, " coordinates ", 0.0\n")
  run_checked(&f, AT("1d_array", "0.5, 2.5"));
  CHECK_FLOATS(&f, 0, 2);
  run_checked(&f, AT("1d_array", "0.5, 3.5"));
  CHECK_FLOATS(&f, 0, 4);
  run_checked(&f, AT("2d_array", "0.5, 0.5, 99.0"));
  CHECK_FLOATS(&f, 0, 11);
  run_checked(&f, AT("2d_array", "0.5, 0.5, nan"));
  CHECK_FLOATS(&f, 0, 0);
  run_checked(&f, AT("cube", "-3.0, 1.0, 2.0"));
  CHECK_FLOATS(&f, 0, 1);
  run_checked(&f, AT("cube", "1.0, -1.0, -1.0"));
  CHECK_FLOATS(&f, 0, 5);
  run_checked(&f, AT("cube_array", "0.0, 2.0, 0.0, 1.0"));
  CHECK_FLOATS(&f, 0, 8);
  f.images[0] = (NornImage){DATA, 0, float1, 2, 2, 4, 1, 1, 1};
  run_checked(&f, AT("3d", "0.75, 0.25, %x"));
  CHECK_FLOATS(&f, 4, 1, 5, 9, 13);
  /* On the face +x, s is opposite to z and t is opposite to y. */
  f.images[0] = (NornImage){DATA, 0, float1, 2, 2, 1, 6, 1, 1};
  run_checked(&f, AT("cube", "1.0, 0.5, -0.5"));
  CHECK_FLOATS(&f, 0, 1);
  run_checked(&f, AT("cube", "1.0, -0.5, 0.5"));
  CHECK_FLOATS(&f, 0, 2);
#undef AT
}
END_TEST

START_TEST(comparisons_and_gathers) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 0, {2, 16, NORN_CHANNEL_UNORM}, 2, 2, 1, 1, 1, 1});
  f.data[0] = 0xFFFF0000;
  f.data[1] = 0x00003333; /* 0.2 */
  f.data[2] = 0x0000FFFF;
  f.data[3] = 0x00008000;
  f.sampler.compare = NORN_COMPARE_LESS;
  f.sampler.magnify = NORN_FILTER_LINEAR;
  run_checked(&f, LOOKUPS("  %r = tex_lod.2d.f32.f32 0x01000000, 0x02000000, 0, 0.5, 0.5, 0.2, "
                          "0.0, compare\n"));
  CHECK_FLOATS(&f, 0, 0.5f);
  run_checked(&f, LOOKUPS("  %r = tex_lod.2d.f32.f32 0x01000000, 0x02000000, 0, 0.5, 0.5, -9.0, "
                          "0.0, compare\n"));
  CHECK_FLOATS(&f, 0, 0.75f);
#define GATHER(more)                                                                               \
  LOOKUPS("  %g = tex_gather.2d.w4.f32 0x01000000, 0x02000000, 0, 0.5, 0.5" more "\n"              \
          "  %a, %b, %c, %d = split.f32.w4 %g\n"                                                   \
          "  %e = fma.f32 %b, 10.0, %a\n"                                                          \
          "  %h = fma.f32 %c, 100.0, %e\n"                                                         \
          "  %r = fma.f32 %d, 1000.0, %h\n")
  run_checked(&f, GATHER(", component:1"));
  CHECK_FLOATS(&f, 0, 1000);
  run_checked(&f, GATHER(", 0.25, compare"));
  CHECK_FLOATS(&f, 0, 11);
#undef GATHER
}
END_TEST

START_TEST(fetches_and_queries) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 0, {1, 8, NORN_CHANNEL_SINT}, 4, 2, 1, 3, 2, 1});
  uint8_t *bytes = (uint8_t *)f.data;
  for (unsigned i = 0; i < 64; i++)
    bytes[i] = (uint8_t)(0x80 + i);
#define FETCH(arguments)                                                                           \
  LOOKUPS("  %n = tex_fetch.2d_array.i32.i32 0x01000000, " arguments "\n"                          \
          "  %r = sitofp.rte.f32.i32 %n\n")
  run_checked(&f, FETCH("0, 3, 1, 2, 0"));
  CHECK_FLOATS(&f, 0, -128 + 23);
  run_checked(&f, FETCH("0xFFFF, 3, 1, 2, 0"));
  CHECK_FLOATS(&f, 0, -128 + 18);
  run_checked(&f, FETCH("0, 1, 0, 1, 1"));
  CHECK_FLOATS(&f, 0, -128 + 24 + 3);
  run_checked(&f, FETCH("0, 2, 0, 1, 1"));
  CHECK_FLOATS(&f, 0, 0);
  run_checked(&f, FETCH("0, -1, 0, 0, 0"));
  CHECK_FLOATS(&f, 0, 0);
#undef FETCH
  run_checked(&f, LOOKUPS("  %s = tex_size.2d_array.w3 0x01000000, 1\n"
                          "  %a, %b, %c = split.i32.w3 %s\n"
                          "  %l = tex_levels 0x01000000\n"
                          "  %m = tex_samples 0x01000000\n"
                          "  %n = tex_levels 0x01000009\n"
                          "  %d = imul.i32 %b, 10\n"
                          "  %e = imul.i32 %c, 100\n"
                          "  %g = imul.i32 %l, 1000\n"
                          "  %h = imul.i32 %m, 10000\n"
                          "  %o = iadd.i32 %a, %d\n"
                          "  %q = iadd.i32 %e, %g\n"
                          "  %t = iadd.i32 %h, %n\n"
                          "  %u = iadd.i32 %o, %q\n"
                          "  %v = iadd.i32 %u, %t\n"
                          "  %r = uitofp.rte.f32.i32 %v\n"));
  CHECK_FLOATS(&f, 0, 12312);
}
END_TEST

START_TEST(samples_are_fetched) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 0, float1, 2, 2, 1, 1, 1, 4});
  for (unsigned i = 0; i < 16; i++)
    f.data[i] = float_bits((float)i);
  run_checked(&f, LOOKUPS("  %r = tex_fetch.2d_ms.f32.f32 0x01000000, 0, 1, 0, 3\n"));
  CHECK_FLOATS(&f, 0, 7);
  run_checked(&f, LOOKUPS("  %r = image_load.2d_ms.f32.f32 0x05000000, 0, 1, 4\n"));
  CHECK_FLOATS(&f, 0, 0);
}
END_TEST

START_TEST(images_are_stored_and_updated) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 0, {4, 8, NORN_CHANNEL_SNORM}, 16, 2, 1, 1, 1, 1});
  run_checked(&f, "shader compute @t workgroup(16, 1, 1) {\n"
                  "entry:\n"
                  "  %i = local_index\n"
                  "  %t = collect.f32.w4 1.0, -1.0, 0.5, -2.0\n"
                  "  image_store.2d.w4.f32 %t, 0x05000000, %i, 1\n"
                  "  image_store.2d.w4.f32 %t, 0x05000000, %i, 2\n"
                  "  %g = collect.i32.w2 0x00003C00, 0\n"
                  "  image_store.2d.w2.f16 %g, 0x05000000, 3, 0\n"
                  "  end\n"
                  "}\n");
  ck_assert_uint_eq(f.data[0], 0);
  ck_assert_uint_eq(f.data[3], 0x0000007F);
  ck_assert_uint_eq(f.data[16], 0x8140817F);
  ck_assert_uint_eq(f.data[31], 0x8140817F);
  ck_assert_uint_eq(f.data[32], 0);
  f.images[0].format = (NornPixelFormat){1, 32, NORN_CHANNEL_UINT};
  f.data[5] = 100;
  run_checked(&f, LOOKUPS("  %o = image_atomic.2d.i32 0x05000000, 2, 5, 0, atomic:add\n"
                          "  %c = image_cmpxchg.2d.i32 0x05000000, 132, 1, 5, 0\n"
                          "  %z = image_atomic.2d.i32 0x05000000, 2, 16, 0, atomic:add\n"
                          "  %s = iadd.i32 %o, %z\n"
                          "  %r = uitofp.rte.f32.i32 %s\n"));
  CHECK_FLOATS(&f, 0, 100, 102, 104);
  ck_assert_uint_eq(f.data[5], 1);
}
END_TEST

START_TEST(missing_resources_read_zero) {
  Fixture f;
  texture_init(&f, (NornImage){DATA, 0, float1, 1, 1, 1, 1, 1, 1});
  f.data[0] = float_bits(7);
  f.out[0] = 1;
  run_checked(&f, LOOKUPS("  %r = tex_lod.2d.f32.f32 0x01000001, 0x02000000, 0, 0.5, 0.5, 0.0\n"));
  CHECK_OUT(&f, 0, 0);
  f.images[0].width = 65536;
  ck_assert(!run_text(&f, LOOKUPS("  %r = fadd.f32 %x, 0.0\n")));
  ck_assert(strstr(f.error->message, "does not fit into its buffer"));
  g_clear_error(&f.error);
  f.images[0].width = 0;
  ck_assert(!run_text(&f, LOOKUPS("  %r = fadd.f32 %x, 0.0\n")));
  ck_assert(strstr(f.error->message, "is not possible"));
  g_clear_error(&f.error);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("interpreter_graphics");
  TCase *tests = tcase_create("interpreter_graphics");
  TCase *costs = tcase_create("costs");
  tcase_set_timeout(costs, 20);
  tcase_add_test(costs, small_triangles_are_cheap);
  suite_add_tcase(suite, costs);
  tcase_add_test(tests, edges_belong_to_one_triangle);
  tcase_add_test(tests, triangles_begin_from_the_targets);
  tcase_add_test(tests, triangles_end_at_the_depth_range);
  tcase_add_test(tests, vertices_read_attributes_and_write_outputs);
  tcase_add_test(tests, vertex_extras_and_missing_state);
  tcase_add_test(tests, vertices_need_memory);
  tcase_add_test(tests, attributes_need_their_vertex);
  tcase_add_test(tests, varyings_are_interpolated);
  tcase_add_test(tests, half_varyings_come_in_pairs);
  tcase_add_test(tests, fragments_get_their_position);
  tcase_add_test(tests, colors_take_the_format_of_their_target);
  tcase_add_test(tests, demoted_and_terminated_fragments_write_nothing);
  tcase_add_test(tests, pixels_outside_are_helpers);
  tcase_add_test(tests, depth_stencil_coverage_and_tile);
  tcase_add_test(tests, pixels_have_only_their_samples);
  tcase_add_test(tests, blend_shaders_see_the_colors);
  tcase_add_test(tests, coordinates_wrap);
  tcase_add_test(tests, linear_filters_mix);
  tcase_add_test(tests, levels_are_chosen_and_mixed);
  tcase_add_test(tests, gradients_and_quads_give_the_level);
  tcase_add_test(tests, layers_volumes_and_cubes);
  tcase_add_test(tests, comparisons_and_gathers);
  tcase_add_test(tests, fetches_and_queries);
  tcase_add_test(tests, samples_are_fetched);
  tcase_add_test(tests, images_are_stored_and_updated);
  tcase_add_test(tests, missing_resources_read_zero);
  suite_add_tcase(suite, tests);
  return suite;
}
