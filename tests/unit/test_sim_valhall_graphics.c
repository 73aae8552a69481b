/* Valhall vertex and fragment programs, textures and images on the simulator. */
#include "assembled.h"
#include "sim/common/launch.h"
#include "sim/common/memory.h"
#include "unit.h"
#include <math.h>
#include <norn/isa.h>
#include <string.h>

#define SIZE 4 /* of the targets, in pixels */

static NornMemory *memory;
static NornLaunch launch;
static NornVertexState vertex;
static NornFragmentState fragment;
static NornImage color, depth, texture;
static NornSampler sampler;
static NornResource resources[2];
static uint32_t uniforms[16];

/* Buffers: 0 colors (rgba8), 1 depths (f32), 2 texels, 3 varyings. */
static void
setup(void) {
  memset(&launch, 0, sizeof launch);
  memset(&vertex, 0, sizeof vertex);
  memset(&fragment, 0, sizeof fragment);
  memset(&sampler, 0, sizeof sampler);
  memset(uniforms, 0, sizeof uniforms);
  memory = norn_memory_new();
  ck_assert(norn_memory_add(memory, "colors", 0, NULL, SIZE * SIZE * 4, NULL));
  ck_assert(norn_memory_add(memory, "depths", 0, NULL, SIZE * SIZE * 4, NULL));
  ck_assert(norn_memory_add(memory, "texels", 0x10000, NULL, 8 * 8 * 4 + 4 * 4 * 4, NULL));
  ck_assert(norn_memory_add(memory, "varyings", 0, NULL, 3 * 16, NULL));
  color = (NornImage){0, 0, {4, 8, NORN_CHANNEL_UNORM}, SIZE, SIZE, 1, 1, 1, 1};
  depth = (NornImage){1, 0, {1, 32, NORN_CHANNEL_FLOAT}, SIZE, SIZE, 1, 1, 1, 1};
  texture = (NornImage){2, 0, {1, 32, NORN_CHANNEL_FLOAT}, 8, 8, 1, 1, 2, 1};
  sampler.maximum_lod = 10;
  resources[0] = (NornResource){.handle = 0x04000000, .image = &texture};
  resources[1] = (NornResource){.handle = 0x03000000, .sampler = &sampler};
  fragment.samples = 1;
  fragment.varying_buffer = 3;
  fragment.varying_stride = 16;
  fragment.targets[0] = &color;
  fragment.depth_target = &depth;
  launch = (NornLaunch){.stage = NORN_STAGE_FRAGMENT,
                        .memory = memory,
                        .grid = {1, 1, 1},
                        .workgroup = {SIZE, SIZE, 1},
                        .uniforms = uniforms,
                        .uniform_count = G_N_ELEMENTS(uniforms),
                        .resources = resources,
                        .resource_count = G_N_ELEMENTS(resources),
                        .vertex = &vertex,
                        .fragment = &fragment};
}

static void
teardown(void) {
  norn_memory_free(memory);
}

static float
float_at(unsigned buffer, unsigned index) {
  float value;
  memcpy(&value, norn_memory_bytes(memory, buffer, NULL) + 4 * index, 4);
  return value;
}

static uint32_t
word_at(unsigned buffer, unsigned index) {
  uint32_t value;
  memcpy(&value, norn_memory_bytes(memory, buffer, NULL) + 4 * index, 4);
  return GUINT32_FROM_LE(value);
}

static void
set_float(unsigned buffer, unsigned index, float value) {
  memcpy(norn_memory_bytes(memory, buffer, NULL) + 4 * index, &value, 4);
}

static GError *
run_text(const char *text) {
  GError *error = NULL;
  GBytes *code = assemble(text);
  gsize size;
  const void *bytes = g_bytes_get_data(code, &size);
  bool ok = norn_simulate_valhall(bytes, size, "9", &launch, NULL, &error);
  g_bytes_unref(code);
  ck_assert(ok == !error);
  return error;
}

static void
run(const char *text) {
  GError *error = run_text(text);
  ck_assert_msg(error == NULL, "%s", error ? error->message : "");
}

static void
expect_trap(const char *text, const char *part) {
  GError *error = run_text(text);
  ck_assert_msg(error != NULL, "no trap, expected \"%s\"", part);
  ck_assert_msg(strstr(error->message, part) != NULL, "\"%s\" is not in \"%s\"", part,
                error->message);
  g_error_free(error);
}

/* --- Vertices --- */

START_TEST(transforms_vertices) {
  static const float positions[5][3] = {
      {1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}, {13, 14, 15}};
  const NornAttribute attributes[] = {{4, 0, 12, 0, {3, 32, NORN_CHANNEL_FLOAT}}};
  ck_assert(norn_memory_add(memory, "in", 0, positions, sizeof positions, NULL));
  ck_assert(norn_memory_add(memory, "out", 0, NULL, 5 * 16, NULL));
  ck_assert(norn_memory_add(memory, "extra", 0, NULL, 5 * 4, NULL));
  vertex.attributes = attributes;
  vertex.attribute_count = 1;
  vertex.position_buffer = 5;
  vertex.extra_buffer = 6;
  vertex.varying_buffer = SIZE_MAX;
  launch.stage = NORN_STAGE_VERTEX;
  launch.workgroup[0] = 5;
  launch.workgroup[1] = 1;
  run("LD_ATTR_IMM.v4.f32.slot0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1\n"
      "LEA_BUF_IMM.slot1 @r4:r5, r59, table:0xD, index:0x0\n"
      "IADD_IMM.i32 r8, r59, #0x4\n"
      "LEA_BUF_IMM.slot2.wait012 @r6:r7, r8, table:0xD, index:0x0\n"
      "NOP.wait012\n"
      "STORE.i128.istream.slot0 @r0:r1:r2:r3, r4, offset:0\n"
      "STORE.i16.istream.slot0 @r60, r6, offset:0\n"
      "NOP.end\n");
  for (unsigned i = 0; i < 5; i++) {
    for (unsigned k = 0; k < 3; k++)
      ck_assert(float_at(5, 4 * i + k) == positions[i][k]);
    ck_assert(float_at(5, 4 * i + 3) == 1.0f);
    ck_assert_uint_eq(word_at(6, i), i);
  }
}
END_TEST

START_TEST(writes_varyings) {
  ck_assert(norn_memory_add(memory, "out", 0, NULL, 6 * 8, NULL));
  vertex = (NornVertexState){.position_buffer = SIZE_MAX,
                             .extra_buffer = SIZE_MAX,
                             .varying_buffer = 4,
                             .varying_stride = 8,
                             .first_vertex = 100,
                             .writes_varyings = true};
  launch.stage = NORN_STAGE_VERTEX;
  launch.workgroup[0] = 3;
  launch.workgroup[1] = 2;
  run("LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
      "STORE.i64.estream.slot0 @r60:r61, r4, offset:0\n"
      "NOP.end\n");
  for (unsigned i = 0; i < 6; i++) {
    ck_assert_uint_eq(word_at(4, 2 * i), 100 + i % 3);
    ck_assert_uint_eq(word_at(4, 2 * i + 1), i / 3);
  }
  /* There is no second buffer, so what is stored there is dropped. */
  vertex.first_vertex = 200;
  run("LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x1\n"
      "STORE.i64.estream.slot0 @r60:r61, r4, offset:0\n"
      "NOP.end\n");
  ck_assert_uint_eq(word_at(4, 0), 100);
}
END_TEST

/* --- Fragments --- */

/* r0 = varying 0 (0 to 1 from left to right), then the usual end with that as all components. */
#define SHADE                                                                                      \
  "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store.wait0 @r0, r61, index:0x0\n"                      \
  "MOV.i32 r1, r0\n"                                                                               \
  "MOV.i32 r2, 0x0\n"                                                                              \
  "MOV.i32 r3, 0x3F800000\n"
#define ATEST "NOP.wait0126\nATEST.wait0 @r60, r60, r3, atest_datum.w0\n"
#define BLEND                                                                                      \
  "NOP.wait\n"                                                                                     \
  "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n"

START_TEST(shades_pixels) {
  set_float(3, 4, 1.0f); /* the varying of the corner on the right */
  fragment.width = 2;
  run(SHADE ATEST BLEND);
  for (unsigned y = 0; y < SIZE; y++)
    for (unsigned x = 0; x < SIZE; x++) {
      unsigned level = (unsigned)rint((x + 0.5) / 2 * 255);
      ck_assert_uint_eq(word_at(0, y * SIZE + x), x < 2 ? level | level << 8 | 0xFF000000 : 0);
    }
}
END_TEST

START_TEST(discards) {
  set_float(3, 4, 1.0f);
  uniforms[0] = 0x3E800000;
  run(SHADE "DISCARD.f32.gt r0, u0\nNOP.discard\n" ATEST BLEND);
  for (unsigned x = 0; x < SIZE; x++)
    ck_assert_uint_eq(word_at(0, x) != 0, x == 0);
}
END_TEST

START_TEST(writes_depth) {
  set_float(3, 4, 1.0f);
  run(SHADE ATEST "NOP.wait0126\n"
                  "ZS_EMIT.z.slot0.wait0 @r60, r0, 0x0, r60\n" BLEND);
  for (unsigned x = 0; x < SIZE; x++)
    ck_assert(float_at(1, x) == (x + 0.5f) / SIZE);
}
END_TEST

START_TEST(reads_the_tile) {
  for (unsigned i = 0; i < 16; i++)
    ((uint8_t *)norn_memory_bytes(memory, 0, NULL))[4 * i] = 255;
  uniforms[0] = 0xFF000000; /* this pixel's sample 0 of target 0 */
  run("NOP.wait\n"
      "LD_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, u0, r60, 0x0\n"
      "MOV.i32 r1, r0\n" ATEST BLEND);
  ck_assert_uint_eq(word_at(0, 5), 0x0000FFFF);
}
END_TEST

#define TILE_TRAP(load, message) expect_trap("NOP.wait\n" load "NOP.end\n", message)

START_TEST(checks_images_first) {
  texture.width = 1000;
  expect_trap("NOP.end\n", "does not fit into its buffer of 320 bytes");
}
END_TEST

START_TEST(checks_the_pixel_of_tile_messages) {
  uniforms[0] = 0xFF000001;
  TILE_TRAP("LD_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, u0, r60, 0x0\n",
            "sample 1 does not exist in a pixel of 1");
  fragment.samples = 4;
  uniforms[0] = 0xFF000004;
  TILE_TRAP("LD_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, u0, r60, 0x0\n",
            "sample 4 does not exist in a pixel of 4");
  fragment.samples = 1;
  uniforms[0] = 0xFF00006B;
  TILE_TRAP(SHADE "ST_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, u0, r60, 0x0\n",
            "sample 107 does not exist in a pixel of 1");
  uniforms[0] = 0xFF006B00;
  TILE_TRAP(SHADE "ST_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, u0, r60, 0x0\n",
            "target 107 does not exist");
}
END_TEST

START_TEST(fragment_traps) {
  expect_trap(SHADE "NOP.wait\n"
                    "ZS_EMIT.z.slot0.wait0 @r60, r0, 0x0, r60\n" BLEND,
              "needs an ATEST before it");
  expect_trap(SHADE "NOP.wait\n" BLEND, "needs an ATEST before it");
  expect_trap(SHADE "ATEST.wait0 @r60, r60, r3, atest_datum.w0\n" BLEND,
              "needs the flow wait0126 before it");
  expect_trap(SHADE "NOP.wait0126\n"
                    "ATEST.wait0 @r10, r60, r3, atest_datum.w0\n" BLEND,
              "coverage must be in r60");
  expect_trap(SHADE ATEST
              "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n",
              "needs the flow wait before it");
  expect_trap(
      "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.retrieve.wait0 @r0, r61, index:0x0\nNOP.end\n",
      "retrieves an interpolation position that was not stored");
  expect_trap("LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x0\n"
              "LD_VAR_BUF_IMM.f32.slot0.src_f32.sample.store @r1, r61, index:0x0\nNOP.end\n",
              "changes the interpolation position while a varying load of slot 0 is in flight");
  run("LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, index:0x0\n"
      "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.retrieve @r1, r61, index:0x4\nNOP.end\n");
}
END_TEST

/* --- Blend shaders --- */

#define CALL                                                                                       \
  "NOP.wait\n"                                                                                     \
  "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x2\n"                      \
  "IADD_IMM.i32 r48, program_counter.w0, #0x8\n"                                                   \
  "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n"
#define LAST_CALL                                                                                  \
  "NOP.wait\n"                                                                                     \
  "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n"                  \
  "IADD_IMM.i32 r48, 0x0, #0x0\n"                                                                  \
  "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n"
/* Swaps red and green, then writes the target unchanged. */
#define SWAP                                                                                       \
  "MOV.i32 r8, r0\n"                                                                               \
  "MOV.i32 r0, r1\n"                                                                               \
  "MOV.i32 r1, r8\n"
#define WRITE                                                                                      \
  "IADD_IMM.i32 r10, 0x0, #0x19\n"                                                                 \
  "IADD_IMM.i32 r11, 0x0, #0x0\n"                                                                  \
  "BLEND.slot0.v4.f32.wait0 @r0:r1:r2:r3, r10, r60, target:0x0\n"
#define RETURN "BRANCHZI.absolute.end r48, r48\n"
#define RED "MOV.i32 r0, 0x3F800000\nMOV.i32 r1, 0x0\nMOV.i32 r2, 0x0\nMOV.i32 r3, 0x3F800000\n"

static GBytes *blend_code;

static void
set_blend_shader(const char *text) {
  gsize size;
  g_clear_pointer(&blend_code, g_bytes_unref);
  blend_code = assemble(text);
  fragment.blend_shaders[0].code = g_bytes_get_data(blend_code, &size);
  fragment.blend_shaders[0].size = size;
}

START_TEST(calls_blend_shaders) {
  fragment.width = fragment.height = 2;
  set_blend_shader(SWAP WRITE RETURN);
  run(RED ATEST LAST_CALL); /* ends in the blend shader */
  ck_assert_uint_eq(word_at(0, 0), 0xFF00FF00);
  memset(norn_memory_bytes(memory, 0, NULL), 0, SIZE * SIZE * 4);
  run(RED "MOV.i32 r16, r3\n" ATEST CALL "MOV.i32 r0, ^r16\nNOP.end\n"); /* returns */
  ck_assert_uint_eq(word_at(0, 1), 0xFF00FF00);
  expect_trap(RED ATEST CALL "MOV.i32 r4, r3\nNOP.end\n", "r3 is read but undefined");
  set_blend_shader("MOV.i32 r16, r0\n" WRITE RETURN);
  expect_trap(RED ATEST LAST_CALL,
              "a blend shader must not change r16, which belongs to its caller");
  set_blend_shader("MOV.i32 r0, r59\n" WRITE RETURN);
  expect_trap(RED ATEST LAST_CALL, "a blend shader must not read r59, which belongs to its caller");
  set_blend_shader("MOV.i32 r0, r9\n" WRITE RETURN);
  expect_trap(RED "MOV.i32 r9, r0\n" ATEST LAST_CALL, "r9 is read but undefined");
  set_blend_shader(SWAP WRITE "NOP\n");
  expect_trap(RED ATEST LAST_CALL, "the program runs past its end");
  set_blend_shader(SWAP WRITE RETURN);
  expect_trap(RED ATEST "NOP.wait\n"
                        "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x3\n"
                        "IADD_IMM.i32 r48, program_counter.w0, #0x10\n"
                        "IADD_IMM.i32 r4, blend_descriptor_0.w1, #0x8\n"
                        "BRANCHZI.eq.absolute 0x0, r4\n"
                        "NOP.end\n",
              "branches into a blend shader, not to its start");
  g_clear_pointer(&blend_code, g_bytes_unref);
}
END_TEST

/* A blend shader run by itself starts with both colors in its registers and ends where it would
 * return. */
START_TEST(runs_blend_shaders) {
  static const uint32_t one = 0x3F800000;
  fragment.width = fragment.height = 2;
  fragment.is_blend_shader = true;
  fragment.blend_source[0][0] = fragment.blend_source[0][3] = one;
  fragment.blend_source[1][2] = one;
  run(SWAP "NOP.wait\n" WRITE RETURN);
  ck_assert_uint_eq(word_at(0, 0), 0xFF00FF00);
  run("MOV.i32 r2, r6\nMOV.i32 r3, r7\nNOP.wait\n" WRITE RETURN);
  ck_assert_uint_eq(word_at(0, 0), 0x00FF00FF);
  expect_trap("MOV.i32 r0, r8\n" WRITE RETURN, "r8 is read but undefined");
}
END_TEST

START_TEST(loads_special_and_flat_varyings) {
  set_float(3, 2, 5.0f);
  fragment.depth[0] = fragment.depth[1] = 0.25f;
  fragment.depth[2] = 1.25f;
  launch.workgroup[0] = launch.workgroup[1] = 2;
  run("LD_VAR_SPECIAL.f32.center.clobber.slot0.wait0 @r0, r61, index:0x3\n"
      "LD_VAR_BUF_IMM.f32.slot0.src_flat32.center.store.wait0 @r1, r61, index:0x8\n"
      "FMA.f32 r0, r1, r0, 0x0.neg\n"
      "MOV.i32 r3, r0\n" ATEST "NOP.wait0126\n"
      "ZS_EMIT.z.slot0.wait0 @r60, r0, 0x0, r60\n"
      "NOP.end\n");
  ck_assert(float_at(1, 0) == 2.5f);
  ck_assert(float_at(1, SIZE) == 5.0f);
}
END_TEST

/* A component is read from the block of each vertex, or is 0 if one block lacks some of it. */
START_TEST(loads_no_part_of_a_varying) {
  static const struct {
    unsigned stride;
    const char *offset;
    float expected;
  } cases[] = {{20, "0x4", 2.0f}, {20, "0x8", 0.0f}, {8, "0x4", 2.0f}, {8, "0x6", 0.0f}};
  for (unsigned k = 0; k < 12; k++)
    set_float(3, k, 2.0f);
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    char *text =
        g_strdup_printf("LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store.wait0 @r0, r61, index:%s\n"
                        "MOV.i32 r3, 0x0\n" ATEST "NOP.wait0126\n"
                        "ZS_EMIT.z.slot0.wait0 @r60, r0, 0x0, r60\n"
                        "NOP.end\n",
                        cases[i].offset);
    fragment.varying_stride = cases[i].stride; /* with 20, the last block has only 8 bytes */
    run(text);
    g_free(text);
    ck_assert(float_at(1, 0) == cases[i].expected);
  }
}
END_TEST

/* The other half of the last register remains undefined. */
START_TEST(loads_half_of_a_register) {
  expect_trap("LD_VAR_BUF_IMM.f16.slot0.src_f32.center.store.wait0 @r0, r61, index:0x0\n"
              "MOV.i32 r3, 0x0\n" ATEST "NOP.wait0126\n"
              "ZS_EMIT.z.slot0.wait0 @r60, r0, 0x0, r60\n"
              "NOP.end\n",
              "bits 0xffff0000 of source 0 are undefined");
  run("LD_VAR_BUF_IMM.f16.slot0.v2.src_f32.center.store.wait0 @r0, r61, index:0x0\n"
      "MOV.i32 r3, 0x0\n" ATEST "NOP.wait0126\n"
      "ZS_EMIT.z.slot0.wait0 @r60, r0, 0x0, r60\n"
      "NOP.end\n");
}
END_TEST

/* --- Textures --- */

/* Texel (x, y) of level 0 is x + 10 y, in level 1 1000 more. */
static void
fill_texture(void) {
  for (unsigned y = 0; y < 8; y++)
    for (unsigned x = 0; x < 8; x++)
      set_float(2, y * 8 + x, (float)(x + 10 * y));
  for (unsigned y = 0; y < 4; y++)
    for (unsigned x = 0; x < 4; x++)
      set_float(2, 64 + y * 4 + x, (float)(1000 + x + 10 * y));
}

/* Writes r0 of each pixel to the depth target. */
#define EMIT                                                                                       \
  "MOV.i32 r3, 0x0\n" ATEST "NOP.wait0126\n"                                                       \
  "ZS_EMIT.z.slot0.wait0 @r60, r0, 0x0, r60\n"                                                     \
  "NOP.end\n"
/* r4, r5 = the pixel's coordinates as floats, over `SIZE`. */
#define COORDINATES                                                                                \
  "U16_TO_F32 r4, r59.h0\n"                                                                        \
  "U16_TO_F32 r5, r59.h1\n"                                                                        \
  "FMA.f32 r4, r4, 0x34000000.h1, u2\n"                                                            \
  "FMA.f32 r5, r5, 0x34000000.h1, u2\n"

static void
set_texture_uniforms(void) {
  uniforms[0] = 0x03000000; /* wide handles: sampler, texture */
  uniforms[1] = 0x04000000;
  uniforms[2] = 0x3E000000;         /* 1/8: the middle of a texel of level 1 */
  uniforms[3] = 0x00000100;         /* level 1.0 */
  uniforms[4] = 3 << 11 | 4u << 27; /* narrow handles: entry 0 of tables 3 and 4 */
}

START_TEST(samples_textures) {
  fill_texture();
  set_texture_uniforms();
  sampler.mip = NORN_MIP_NEAREST;
  run(COORDINATES "TEX_SINGLE.slot0.f.32.r.2d.wide_indices.zero.wait0 @r0, @r4:r5, u0\n" EMIT);
  ck_assert(float_at(1, 0) == 11.0f);
  ck_assert(float_at(1, SIZE + 2) == 5 + 30);
  run(COORDINATES
      "MOV.i32 r6, u3\n"
      "TEX_SINGLE.slot0.f.32.r.2d.wide_indices.explicit.wait0 @r0, @r4:r5:r6, u0\n" EMIT);
  ck_assert(float_at(1, 0) == 1000.0f);
  ck_assert(float_at(1, SIZE + 2) == 1012.0f);
  /* a pixel is two texels wide: level 1 */
  run(COORDINATES "TEX_SINGLE.slot0.f.32.r.2d.computed.wait0 @r0, @r4:r5, u4\n" EMIT);
  ck_assert(float_at(1, 3 * SIZE + 3) == 1033.0f);
  sampler.magnify = sampler.minify = NORN_FILTER_LINEAR;
  run(COORDINATES "TEX_SINGLE.slot0.f.32.r.2d.wide_indices.zero.wait0 @r0, @r4:r5, u0\n" EMIT);
  ck_assert(float_at(1, 0) == 5.5f);
}
END_TEST

START_TEST(fetches_and_gathers) {
  fill_texture();
  set_texture_uniforms();
  uniforms[5] = 0x01000001; /* one texel to the right, level 1 */
  run("U16_TO_U32 r4, r59.h0\n"
      "U16_TO_U32 r5, r59.h1\n"
      "MOV.i32 r6, u5\n"
      "TEX_FETCH.slot0.f.32.r.2d.wide_indices.texel_offset.wait0 @r0, @r4:r5:r6, u0\n" EMIT);
  ck_assert(float_at(1, 0) == 1001.0f);
  ck_assert(float_at(1, 2 * SIZE + 1) == 1022.0f);
  ck_assert(float_at(1, 3) == 0.0f);
  run(COORDINATES "TEX_GATHER.slot0.f.32.rgba.2d.wide_indices.gather4_r.wait0 @r0:r1:r2:r3, "
                  "@r4:r5, u0\n"
                  "FMA.f32 r0, r0, u6, r2\n" EMIT);
  ck_assert(float_at(1, 0) == 1.0f);
  uniforms[6] = 0x3F800000;
  run(COORDINATES "TEX_GATHER.slot0.f.32.rgba.2d.wide_indices.gather4_r.wait0 @r0:r1:r2:r3, "
                  "@r4:r5, u0\n"
                  "FADD.f32 r0, r0, r3\n" EMIT);
  ck_assert(float_at(1, 0) == 10.0f);
}
END_TEST

/* The upper word of a narrow operand: four bits each for the offsets and the level of a fetch.
 * Tables 28 to 31 are those from 60 on. */
START_TEST(narrow_handles) {
  fill_texture();
  set_texture_uniforms();
  resources[1].handle = 60u << 24;
  sampler.wrap[0] = NORN_WRAP_CLAMP;
  uniforms[4] = 28 << 11 | 4u << 27;
  uniforms[5] = 0x1F; /* one texel to the left, one down */
  run(COORDINATES "TEX_SINGLE.slot0.f.32.r.2d.zero.wait0 @r0, @r4:r5, u4\n" EMIT);
  ck_assert(float_at(1, 0) == 20.0f);
  const char *fetch = "U16_TO_U32 r4, r59.h0\n"
                      "U16_TO_U32 r5, r59.h1\n"
                      "TEX_FETCH.slot0.f.32.r.2d.wait0 @r0, @r4:r5, u4\n" EMIT;
  uniforms[5] = 0x1001;
  run(fetch);
  ck_assert(float_at(1, 0) == 1001.0f);
  uniforms[5] = 0x8001;
  run(fetch);
  ck_assert(float_at(1, 0) == 0.0f);
}
END_TEST

START_TEST(narrows_results) {
  fill_texture();
  set_texture_uniforms();
  run(COORDINATES "TEX_SINGLE.slot0.f.16.ra.2d.wide_indices.zero.wait0 @r2, @r4:r5, u0\n"
                  "FADD.f32 r0, r2.h0, r2.h1\n" EMIT);
  ck_assert(float_at(1, 0) == 12.0f);
}
END_TEST

START_TEST(skips_helpers) {
  fill_texture();
  set_texture_uniforms();
  fragment.width = 3;
  run(COORDINATES "TEX_SINGLE.slot0.skip.f.32.r.2d.wide_indices.zero.wait0 @r0, @r4:r5, u0\n"
                  "NOP.discard\n" EMIT);
  expect_trap(COORDINATES
              "TEX_SINGLE.slot0.skip.f.32.r.2d.wide_indices.zero.wait0 @r0, @r4:r5, u0\n" EMIT,
              "r0 is read but undefined");
}
END_TEST

START_TEST(stores_images) {
  fill_texture();
  set_texture_uniforms();
  run("U16_TO_U32 r5, r59.h0\n"
      "LEA_TEX.slot0.wait0 @r8:r9:r10, r59, 0x0, u1\n"
      "U16_TO_F32 r4, r59.h0\n"
      "ST_CVT.slot0.f32.wait0 @r4, r8, r10, offset:0x0\n"
      "LD_TEX.f32.slot0.wait0 @r0, r59, 0x0, u1\n" EMIT);
  ck_assert(float_at(2, 8 + 3) == 3.0f);
  ck_assert(float_at(2, 4) == 4.0f);
  ck_assert(float_at(1, SIZE + 2) == 2.0f);
  /* Offsets are in bytes: each pixel stores its x to the texel on the right and loads it. */
  run("U16_TO_U32 r5, r59.h0\n"
      "LEA_TEX.slot0.wait0 @r8:r9:r10, r59, 0x0, u1\n"
      "IADD.v2u16 r6.h0, r5, r5\n"
      "V2U16_TO_V2F16 r6, r6.h00\n"
      "IADD.v2u16 r4.h0, r6, 0x0\n"
      "ST_CVT.slot0.f16.wait0 @r4, r8, r10, offset:0x4\n"
      "LD_CVT.f32.slot0.wait0 @r0, r8, r10, offset:0x4\n" EMIT);
  ck_assert(float_at(2, 8 + 1) == 0.0f);
  ck_assert(float_at(2, 8 + 4) == 6.0f);
  ck_assert(float_at(1, SIZE + 2) == 4.0f);
  expect_trap("LEA_TEX.slot0.wait0 @r8:r9:r10, r59, 0x0, u1\n"
              "U16_TO_F32 r4, r59.h0\n"
              "ST_CVT.slot0.f32 @r4, r8, r10, offset:0x0\n"
              "LD_TEX.f32.slot1.wait1 @r0, r59, 0x0, u1\n" EMIT,
              "which a message in flight writes");
}
END_TEST

/* Stores the words of table u7 at u8 and u9. */
static const char words_of_descriptor[] = "MOV.i32 r0, u7\n"
                                          "MOV.i32 r1, u8\n"
                                          "MOV.i32 r2, u9\n"
                                          "LD_BUFFER.i32.unsigned.slot0 @r4, r1, r0\n"
                                          "LD_BUFFER.i32.unsigned.slot0.wait0 @r5, r2, r0\n"
                                          "STORE.i64.slot0 @r4:r5, u10, offset:0\n"
                                          "NOP.end\n";

START_TEST(answers_size_queries) {
  set_texture_uniforms();
  uniforms[7] = 0x3E000004; /* table 4 as memory */
  uniforms[8] = 4;
  uniforms[9] = 8;
  launch.stage = NORN_STAGE_COMPUTE;
  launch.workgroup[0] = launch.workgroup[1] = 1;
  uniforms[10] = 0x10000;
  run(words_of_descriptor);
  ck_assert_uint_eq(word_at(2, 0), 7 | 7 << 16);
  ck_assert_uint_eq(word_at(2, 1), 1 << 16);
  /* A sampler: its limits of the level of detail are at most 31. */
  sampler.mip = NORN_MIP_LINEAR;
  sampler.minimum_lod = -5;
  sampler.maximum_lod = 1000;
  uniforms[7] = 0x3E000003;
  uniforms[8] = 0;
  uniforms[9] = 4;
  run(words_of_descriptor);
  ck_assert_uint_eq(word_at(2, 0), UINT32_C(3) << 30 | 1);
  ck_assert_uint_eq(word_at(2, 1), 31 << 8 << 16);
  /* A texel buffer in the middle of a buffer: size and address. */
  texture = (NornImage){2, 64, {1, 32, NORN_CHANNEL_FLOAT}, 8, 1, 1, 1, 1, 1, .is_buffer = true};
  uniforms[7] = 0x3E000004;
  uniforms[8] = 4;
  uniforms[9] = 8;
  run(words_of_descriptor);
  ck_assert_uint_eq(word_at(2, 0), 32);
  ck_assert_uint_eq(word_at(2, 1), 0x10000 + 64);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("valhall graphics");
  TCase *tests = tcase_create("valhall graphics");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, transforms_vertices);
  tcase_add_test(tests, writes_varyings);
  tcase_add_test(tests, shades_pixels);
  tcase_add_test(tests, discards);
  tcase_add_test(tests, writes_depth);
  tcase_add_test(tests, reads_the_tile);
  tcase_add_test(tests, checks_images_first);
  tcase_add_test(tests, checks_the_pixel_of_tile_messages);
  tcase_add_test(tests, fragment_traps);
  tcase_add_test(tests, calls_blend_shaders);
  tcase_add_test(tests, runs_blend_shaders);
  tcase_add_test(tests, loads_special_and_flat_varyings);
  tcase_add_test(tests, loads_no_part_of_a_varying);
  tcase_add_test(tests, loads_half_of_a_register);
  tcase_add_test(tests, samples_textures);
  tcase_add_test(tests, fetches_and_gathers);
  tcase_add_test(tests, narrows_results);
  tcase_add_test(tests, narrow_handles);
  tcase_add_test(tests, skips_helpers);
  tcase_add_test(tests, stores_images);
  tcase_add_test(tests, answers_size_queries);
  suite_add_tcase(suite, tests);
  return suite;
}
