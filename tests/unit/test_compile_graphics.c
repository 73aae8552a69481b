/* Compiled vertex and fragment programs: their results in memory in the simulator must equal
 * those of interpreting the source, at every optimization level and under chaos, byte for byte. */
#include "ir/random.h"
#include "ir_text.h"
#include "unit.h"
#include <norn/norn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 6 /* of the targets, in pixels; the last row and column are helpers */
#define PIXELS (SIZE * SIZE)
#define SAMPLES 4
#define VERTICES 24
#define LEVELS 4

/* Buffers by number. */
enum { COLORS, WORDS, HALVES, DEPTHS, STENCILS, VARYINGS, TEXELS, STREAM, POSITIONS, EXTRAS, OUT };

typedef struct Scene {
  NornMemory *memory;
  NornLaunch launch;
  NornVertexState vertex;
  NornFragmentState fragment;
  NornImage colors, words, halves, depths, stencils;
  NornImage textures[8];
  NornSampler samplers[3];
  NornResource resources[16];
  NornAttribute attributes[4];
  uint32_t uniforms[NORN_FAU_WORDS];
} Scene;

static uint64_t random_state;

static uint32_t
next_random(void) {
  return (uint32_t)(norn_random_next(&random_state) >> 32);
}

/* A buffer of small floats. */
static void
add_floats(Scene *scene, const char *name, unsigned count) {
  float *floats = g_new(float, count);
  for (unsigned i = 0; i < count; i++)
    floats[i] = (float)((int)(next_random() % 513) - 256) / 128;
  ck_assert(norn_memory_add(scene->memory, name, 0, floats, count * sizeof *floats, NULL));
  g_free(floats);
}

static void
add_bytes(Scene *scene, const char *name, unsigned count) {
  uint8_t *bytes = g_new(uint8_t, count);
  for (unsigned i = 0; i < count; i++)
    bytes[i] = (uint8_t)next_random();
  ck_assert(norn_memory_add(scene->memory, name, 0, bytes, count, NULL));
  g_free(bytes);
}

static NornImage
target(unsigned buffer, unsigned channels, unsigned bits, NornChannelKind kind, unsigned samples) {
  return (NornImage){buffer, 0,      {(uint8_t)channels, (uint8_t)bits, kind}, SIZE, SIZE, 1, 1,
                     1,      samples};
}

static void
add_fragment(Scene *scene, unsigned samples) {
  scene->colors = target(COLORS, 4, 32, NORN_CHANNEL_FLOAT, samples);
  scene->words = target(WORDS, 4, 32, NORN_CHANNEL_UINT, samples);
  scene->halves = target(HALVES, 4, 16, NORN_CHANNEL_FLOAT, samples);
  scene->depths = target(DEPTHS, 1, 32, NORN_CHANNEL_FLOAT, samples);
  scene->stencils = target(STENCILS, 1, 8, NORN_CHANNEL_UINT, samples);
  scene->fragment = (NornFragmentState){
      .width = SIZE - 1,
      .height = SIZE - 1,
      .varying_buffer = VARYINGS,
      .varying_stride = 320,
      .depth = {0.25f, 0.5f, 0.75f},
      .primitive_id = 41,
      .samples = samples,
      .targets = {&scene->colors, &scene->words, &scene->halves},
      .depth_target = &scene->depths,
      .stencil_target = &scene->stencils,
  };
  scene->launch.fragment = &scene->fragment;
}

static void
add_vertices(Scene *scene) {
  scene->attributes[0] = (NornAttribute){STREAM, 0, 24, 0, {3, 32, NORN_CHANNEL_FLOAT}};
  scene->attributes[1] = (NornAttribute){STREAM, 12, 24, 0, {4, 8, NORN_CHANNEL_UNORM}};
  scene->attributes[2] = (NornAttribute){STREAM, 16, 24, 0, {4, 8, NORN_CHANNEL_UINT}};
  scene->attributes[3] = (NornAttribute){STREAM, 20, 24, 2, {2, 16, NORN_CHANNEL_SINT}};
  scene->vertex = (NornVertexState){
      .attributes = scene->attributes,
      .attribute_count = G_N_ELEMENTS(scene->attributes),
      .first_vertex = 3,
      .draw_id = 5,
      .position_buffer = POSITIONS,
      .extra_buffer = EXTRAS,
      .varying_buffer = VARYINGS,
      .varying_stride = 64,
  };
  scene->launch.vertex = &scene->vertex;
}

static NornImage
texture(unsigned channels, unsigned bits, NornChannelKind kind, unsigned width, unsigned height,
        unsigned depth, unsigned layers, unsigned levels) {
  return (NornImage){TEXELS, 256,    {(uint8_t)channels, (uint8_t)bits, kind},
                     width,  height, depth,
                     layers, levels, 1};
}

/* Textures in table 4, samplers in table 3. */
static void
add_textures(Scene *scene) {
  scene->textures[0] = texture(4, 32, NORN_CHANNEL_FLOAT, 8, 8, 1, 1, 4);
  scene->textures[1] = texture(4, 8, NORN_CHANNEL_UNORM, 4, 4, 1, 6, 1);
  scene->textures[2] = texture(1, 32, NORN_CHANNEL_UINT, 4, 4, 1, 3, 2);
  scene->textures[3] = texture(2, 16, NORN_CHANNEL_SNORM, 4, 4, 4, 1, 1);
  scene->textures[4] = (NornImage){OUT, 0, {1, 32, NORN_CHANNEL_UINT}, 8, 8, 1, 1, 1, 1};
  scene->samplers[0] = (NornSampler){.magnify = NORN_FILTER_LINEAR,
                                     .minify = NORN_FILTER_LINEAR,
                                     .mip = NORN_MIP_NEAREST,
                                     .maximum_lod = 10};
  scene->samplers[1] = (NornSampler){.compare = NORN_COMPARE_LESS, .maximum_lod = 10};
  for (unsigned i = 0; i < 5; i++)
    scene->resources[i] = (NornResource){.handle = 0x04000000 | i, .image = &scene->textures[i]};
  for (unsigned i = 0; i < 2; i++)
    scene->resources[5 + i] =
        (NornResource){.handle = 0x03000000 | i, .sampler = &scene->samplers[i]};
  scene->launch.resource_count = 7;
}

/* The contents are the same each time. */
static void
scene_init(Scene *scene, NornShaderStage stage, unsigned samples, bool by_sample) {
  memset(scene, 0, sizeof *scene);
  random_state = 2024;
  scene->memory = norn_memory_new();
  add_floats(scene, "colors", PIXELS * 4 * samples);
  add_floats(scene, "words", PIXELS * 4 * samples);
  add_bytes(scene, "halves", PIXELS * 8 * samples);
  add_floats(scene, "depths", PIXELS * samples);
  add_bytes(scene, "stencils", PIXELS * samples);
  add_floats(scene, "varyings", stage == NORN_STAGE_VERTEX ? VERTICES * 2 * 16 : 3 * 80);
  add_floats(scene, "texels", 4096);
  add_floats(scene, "stream", (VERTICES + 4) * 6);
  add_bytes(scene, "positions", VERTICES * 2 * 16);
  add_bytes(scene, "extras", VERTICES * 2 * 4);
  add_floats(scene, "out", 64);
  for (unsigned i = 0; i < G_N_ELEMENTS(scene->uniforms); i++) {
    float value = (float)i / 16 - 1;
    memcpy(&scene->uniforms[i], &value, sizeof value);
  }
  uint64_t out = norn_memory_address(scene->memory, OUT);
  scene->uniforms[126] = (uint32_t)out;
  scene->uniforms[127] = (uint32_t)(out >> 32);
  scene->launch = (NornLaunch){
      .stage = stage,
      .memory = scene->memory,
      .grid = {1, 1, 1},
      .workgroup = {SIZE, SIZE, 1},
      .uniforms = scene->uniforms,
      .uniform_count = NORN_FAU_WORDS,
      .resources = scene->resources,
  };
  add_textures(scene);
  if (stage == NORN_STAGE_VERTEX) {
    scene->launch.workgroup[0] = VERTICES;
    scene->launch.workgroup[1] = 1;
    scene->launch.grid[1] = 2;
    add_vertices(scene);
  } else {
    add_fragment(scene, samples);
    scene->launch.grid[2] = by_sample ? samples : 1;
  }
}

static void
scene_clear(Scene *scene) {
  norn_memory_free(scene->memory);
}

/* --- Running --- */

/* Compiles and runs one program. */
static void
run_program(Scene *scene, const char *text, const NornCompileOptions *options,
            NornCompileInfo *info) {
  GError *error = NULL;
  NornModule *module = parse_text(text);
  GBytes *code = norn_compile(module, options, info, &error);
  ck_assert_msg(code != NULL, "%s\n%s", error ? error->message : "", text);
  norn_launch_fill_uniforms(&scene->launch, info, scene->uniforms);
  scene->launch.scratch_bytes = info->thread_local_size;
  scene->launch.info = info;
  gsize size;
  const void *words = g_bytes_get_data(code, &size);
  bool ok = norn_simulate_valhall(words, size, info->architecture, &scene->launch, NULL, &error);
  ck_assert_msg(ok, "level %u chaos %u seed %u: %s\n%s", options->optimization_level,
                options->chaos, (unsigned)options->seed, error ? error->message : "", text);
  g_bytes_unref(code);
  norn_module_free(module);
}

/* The only program of a shader, or the two of a vertex. */
static void
run_shader(Scene *scene, const char *text, NornCompileOptions *options, NornCompileInfo *info) {
  NornModule *module = parse_text(text);
  bool splits = norn_compile_splits_vertices(module, options);
  norn_module_free(module);
  options->vertex_part = splits ? NORN_VERTEX_POSITION : NORN_VERTEX_WHOLE;
  run_program(scene, text, options, info);
  if (!splits)
    return;
  options->vertex_part = NORN_VERTEX_VARYINGS;
  scene->vertex.writes_varyings = true;
  run_program(scene, text, options, info);
}

static void
check_same(Scene *compiled, Scene *interpreted, const NornCompileOptions *options,
           const char *text) {
  for (size_t buffer = 0; buffer < norn_memory_count(compiled->memory); buffer++) {
    size_t size;
    const uint8_t *actual = norn_memory_bytes(compiled->memory, buffer, &size);
    const uint8_t *expected = norn_memory_bytes(interpreted->memory, buffer, NULL);
    size_t i = 0;
    while (i < size && actual[i] == expected[i])
      i++;
    ck_assert_msg(i == size,
                  "byte %zu of %s is 0x%x, not 0x%x; architecture %s level %u chaos %u seed %u\n%s",
                  i, norn_memory_name(compiled->memory, buffer), actual[i], expected[i],
                  options->architecture, options->optimization_level, options->chaos,
                  (unsigned)options->seed, text);
  }
}

typedef struct Setting {
  NornShaderStage stage;
  unsigned samples;
  bool by_sample;
} Setting;

static const Setting by_pixel = {NORN_STAGE_FRAGMENT, 1, false};

/* Compiles the text for many levels and architectures; `result` (nullable) gets the interpreted
 * scene. */
static void
check_in(const char *text, Setting setting, Scene *result) {
  Scene interpreted;
  GError *error = NULL;
  scene_init(&interpreted, setting.stage, setting.samples, setting.by_sample);
  NornModule *module = parse_text(text);
  bool ok = norn_interpret(module, &interpreted.launch, NULL, &error);
  ck_assert_msg(ok, "%s\n%s", error ? error->message : "", text);
  norn_module_free(module);
  static const char *const architectures[] = {"9", "12"};
  unsigned runs = getenv("NORN_TEST_QUICK") ? LEVELS + 1 : 10;
  for (unsigned i = 0; i < runs * G_N_ELEMENTS(architectures); i++) {
    unsigned run = i / G_N_ELEMENTS(architectures);
    Scene compiled;
    NornCompileOptions options;
    NornCompileInfo info;
    norn_compile_options_init(&options);
    options.architecture = architectures[i % G_N_ELEMENTS(architectures)];
    options.optimization_level = run < LEVELS ? run : 2;
    options.effort = 2;
    if (run >= LEVELS) {
      options.seed = run;
      options.chaos = run * 37 % 32;
    }
    scene_init(&compiled, setting.stage, setting.samples, setting.by_sample);
    run_shader(&compiled, text, &options, &info);
    check_same(&compiled, &interpreted, &options, text);
    scene_clear(&compiled);
  }
  if (result)
    *result = interpreted;
  else
    scene_clear(&interpreted);
}

static float
float_at(const Scene *scene, unsigned buffer, unsigned index) {
  float value;
  memcpy(&value, norn_memory_bytes(scene->memory, buffer, NULL) + 4 * index, sizeof value);
  return value;
}

/* Compiles for architecture 9 and returns the information for the driver. */
static NornCompileInfo
compile_info(const char *text) {
  NornCompileOptions options;
  NornCompileInfo info;
  GError *error = NULL;
  norn_compile_options_init(&options);
  NornModule *module = parse_text(text);
  GBytes *code = norn_compile(module, &options, &info, &error);
  ck_assert_msg(code != NULL, "%s", error ? error->message : "");
  g_bytes_unref(code);
  norn_module_free(module);
  return info;
}

/* The error for a text that cannot be compiled contains `part`. */
static void
check_refused(const char *text, const char *part) {
  GError *error = NULL;
  NornModule *module = parse_text(text);
  GBytes *code = norn_compile(module, NULL, NULL, &error);
  ck_assert_msg(code == NULL, "compiled, expected \"%s\"", part);
  ck_assert_msg(strstr(error->message, part) != NULL, "\"%s\" is not in \"%s\"", part,
                error->message);
  g_error_free(error);
  norn_module_free(module);
}

/* --- Fragments --- */

#define FRAGMENT(body)                                                                             \
  "shader fragment @t {\n  fau limit: f32 @ 20, out: i64 @ 126\nentry:\n" body "}\n"

START_TEST(fragment_varyings) {
  Scene scene;
  check_in(FRAGMENT("  %c = load.varying.center.w4.f32\n"
                    "  %r, %g, %b, %a = split.f32.w4 %c\n"
                    "  %n = load.varying.centroid.w3.f32 offset:16\n"
                    "  %x, %y, %z = split.f32.w3 %n\n"
                    "  %i = load.varying.flat.i32.i32 offset:32\n"
                    "  %h = load.varying.center.w2.f16 offset:36\n"
                    "  %far = load.varying.center.f32.f32 offset:300\n"
                    "  %j = load.varying.flat.v2i16.i16 offset:48\n"
                    "  %r2 = fma.f32 %r, %x, %far\n"
                    "  %g2 = fma.f32 %g, %y, %z\n"
                    "  %o = collect.f32.w4 %r2, %g2, %b, %a\n"
                    "  store.color.f32.w4 %o, target:0\n"
                    "  %j2 = bitcast.i32.v2i16 %j\n"
                    "  %w = collect.i32.w4 %i, %j2, 7, 8\n"
                    "  store.color.u32.w4 %w, target:1\n"
                    "  store.color.f16.w2 %h, target:2\n"
                    "  end\n"),
           by_pixel, &scene);
  /* The flat word is that of the first vertex; a helper's pixel is unchanged. */
  uint32_t word;
  memcpy(&word, norn_memory_bytes(scene.memory, WORDS, NULL), 4);
  ck_assert_uint_eq(
      word,
      *(const uint32_t *)(const void *)(norn_memory_bytes(scene.memory, VARYINGS, NULL) + 32));
  Scene fresh;
  scene_init(&fresh, NORN_STAGE_FRAGMENT, 1, false);
  ck_assert(float_at(&scene, COLORS, 4 * (SIZE - 1)) == float_at(&fresh, COLORS, 4 * (SIZE - 1)));
  ck_assert(float_at(&scene, COLORS, 0) != float_at(&fresh, COLORS, 0));
  scene_clear(&fresh);
  scene_clear(&scene);
}
END_TEST

START_TEST(fragment_positions) {
  static const char text[] = FRAGMENT("  %a = load.varying.center.f32.f32\n"
                                      "  %id = sample_id\n"
                                      "  %b = load.varying_at_sample.f32.f32 %id\n"
                                      "  %c = load.varying.sample.f32.f32\n"
                                      "  %d = load.varying_at_offset.f32.f32 %a, -0.25\n"
                                      "  %e = load.varying.center.f32.f32 offset:4\n"
                                      "  %f = load.varying_at_sample.f32.f32 1\n"
                                      "  %x = frag_coord.x\n"
                                      "  %y = frag_coord.y\n"
                                      "  %z = frag_coord.z\n"
                                      "  %w = frag_coord.w\n"
                                      "  %px, %py = point_coord\n"
                                      "  %s0 = fadd.f32 %a, %b\n"
                                      "  %s1 = fadd.f32 %c, %d\n"
                                      "  %s2 = fadd.f32 %e, %f\n"
                                      "  %s3 = fma.f32 %x, %y, %z\n"
                                      "  %s4 = fma.f32 %px, %py, %w\n"
                                      "  %s5 = fadd.f32 %s2, %s4\n"
                                      "  %o = collect.f32.w4 %s0, %s1, %s5, %s3\n"
                                      "  store.color.f32.w4 %o\n"
                                      "  end\n");
  check_in(text, (Setting){NORN_STAGE_FRAGMENT, 1, false}, NULL);
  check_in(text, (Setting){NORN_STAGE_FRAGMENT, SAMPLES, true}, NULL);
}
END_TEST

START_TEST(fragment_inputs) {
  static const char text[] = FRAGMENT("  %f = front_facing\n"
                                      "  %m = sample_mask\n"
                                      "  %p = primitive_id\n"
                                      "  %h = helper_invocation\n"
                                      "  %a = select.i32 %f, 3, 4\n"
                                      "  %b = select.i32 %h, 5, 6\n"
                                      "  %c = iadd.i32 %a, %b\n"
                                      "  %w = collect.i32.w4 %c, %m, %p, 8\n"
                                      "  store.color.u32.w4 %w, target:1\n"
                                      "  end\n");
  Scene scene;
  check_in(text, (Setting){NORN_STAGE_FRAGMENT, SAMPLES, false}, NULL);
  check_in(text, (Setting){NORN_STAGE_FRAGMENT, SAMPLES, true}, NULL);
  check_in(text, by_pixel, &scene);
  uint32_t words[4];
  memcpy(words, norn_memory_bytes(scene.memory, WORDS, NULL), sizeof words);
  ck_assert_uint_eq(words[0], 3 + 6);
  ck_assert_uint_eq(words[1], 1);
  ck_assert_uint_eq(words[2], 41);
  scene_clear(&scene);
}
END_TEST

START_TEST(fragment_depth_stencil_coverage) {
  check_in(FRAGMENT("  %a = load.varying.center.f32.f32\n"
                    "  %m = load.varying.flat.i32.i32\n"
                    "  %o = collect.f32.w4 %a, %a, 0.5, 1.0\n"
                    "  store.stencil 0x1A5\n"
                    "  store.color.f32.w4 %o\n"
                    "  store.depth %a\n"
                    "  %c = lshr.i32 %m, 16\n"
                    "  store.coverage %c\n"
                    "  end\n"),
           (Setting){NORN_STAGE_FRAGMENT, SAMPLES, false}, NULL);
}
END_TEST

START_TEST(fragment_demotions) {
  check_in(FRAGMENT("  %a = load.varying.center.f32.f32\n"
                    "  %o = collect.f32.w4 %a, %a, 0.5, 1.0\n"
                    "  store.color.f32.w4 %o\n"
                    "  %low = fcmp.olt.f32 %a, fau.limit\n"
                    "  demote %low\n"
                    "  %x = frag_coord.x\n"
                    "  alpha_test.olt.f32 %x, 4.0\n"
                    "  alpha_test.une.f32 %x, 2.5\n"
                    "  %y = frag_coord.y\n"
                    "  %not = fcmp.ult.f32 %y, 1.0\n"
                    "  demote %not\n"
                    "  %h = helper_invocation\n"
                    "  %w = select.i32 %h, 1, 2\n"
                    "  %i = fptosi.rtz.i32.f32 %x\n"
                    "  %j = fptosi.rtz.i32.f32 %y\n"
                    "  %odd = and.i32 %i, %j\n"
                    "  %k = icmp.eq.i32 %odd, 3\n"
                    "  demote %k\n"
                    "  %g = collect.i32.w4 %w, %i, %j, 0\n"
                    "  store.color.u32.w4 %g, target:1\n"
                    "  end\n"),
           by_pixel, NULL);
}
END_TEST

/* The samples covered by the primitive remain the same, as the neighbors see. */
START_TEST(fragment_mask_of_the_demoted) {
  Scene scene;
  check_in(FRAGMENT("  %x = frag_coord.x\n"
                    "  %i = fptosi.rtz.i32.f32 %x\n"
                    "  %odd = and.i32 %i, 1\n"
                    "  %right = icmp.eq.i32 %odd, 1\n"
                    "  demote %right\n"
                    "  %mask = sample_mask\n"
                    "  %other = quad_swap.x.i32 %mask\n"
                    "  %w = collect.i32.w4 %mask, %other, %i, 0\n"
                    "  store.color.u32.w4 %w, target:1\n"
                    "  end\n"),
           by_pixel, &scene);
  uint32_t words[2];
  memcpy(words, norn_memory_bytes(scene.memory, WORDS, NULL), sizeof words);
  ck_assert_uint_eq(words[0], 1);
  ck_assert_uint_eq(words[1], 1);
  scene_clear(&scene);
}
END_TEST

START_TEST(fragment_outputs_in_branches) {
  check_in(FRAGMENT("  %c = load.varying.center.w4.f32\n"
                    "  %r, %g, %b, %a = split.f32.w4 %c\n"
                    "  %x = frag_coord.x\n"
                    "  %y = frag_coord.y\n"
                    "  %low = fcmp.olt.f32 %x, 1.0\n"
                    "  store.color.f32.w4 %c, target:0\n"
                    "  br %low, kill, next\n"
                    "kill:\n"
                    "  terminate\n"
                    "next:\n"
                    "  %big = fcmp.ogt.f32 %y, 2.0\n"
                    "  br %big, one, two\n"
                    "one:\n"
                    "  %o1 = collect.f32.w4 %g, %b, %r, %a\n"
                    "  store.color.f32.w4 %o1, target:0\n"
                    "  store.depth %x\n"
                    "  end\n"
                    "two:\n"
                    "  %i = fptosi.rtz.i32.f32 %x\n"
                    "  %w = collect.i32.w4 %i, 1, 2, 3\n"
                    "  store.color.u32.w4 %w, target:1\n"
                    "  store.depth %y\n"
                    "  jump loop(%i)\n"
                    "loop(%n: i32):\n"
                    "  %m = isub.i32 %n, 1\n"
                    "  %f = sitofp.rte.f32.i32 %m\n"
                    "  %o2 = collect.f32.w4 %f, %b, %r, %a\n"
                    "  store.color.f32.w4 %o2, target:0\n"
                    "  %more = icmp.sgt.i32 %m, 0\n"
                    "  br %more, loop(%m), done\n"
                    "done:\n"
                    "  end\n"),
           by_pixel, NULL);
}
END_TEST

START_TEST(fragment_tile) {
  check_in(FRAGMENT("  %id = sample_id\n"
                    "  %c = load.tile.f32.w4 %id, target:0\n"
                    "  %r, %g, %b, %a = split.f32.w4 %c\n"
                    "  %z = load.tile_depth %id\n"
                    "  %s = load.tile_stencil 0\n"
                    "  %f = uitofp.rte.f32.i32 %s\n"
                    "  %r2 = fadd.f32 %r, %z\n"
                    "  %g2 = fadd.f32 %g, %f\n"
                    "  %o = collect.f32.w4 %r2, %g2, %b, %a\n"
                    "  store.color.f32.w4 %o\n"
                    "  %h = load.tile.f16.w2 %id, target:2\n"
                    "  store.color.f16.w2 %h, target:2\n"
                    "  end\n"),
           (Setting){NORN_STAGE_FRAGMENT, SAMPLES, true}, NULL);
}
END_TEST

START_TEST(fragment_second_color) {
  static const char text[] = FRAGMENT("  %c = load.varying.center.w4.f32\n"
                                      "  %d = load.varying.center.w4.f32 offset:16\n"
                                      "  store.second_color.f32.w4 %d\n"
                                      "  store.color.f32.w4 %c\n"
                                      "  end\n");
  check_in(text, by_pixel, NULL);
  NornCompileInfo info = compile_info(text);
  ck_assert(info.shader.second_color);
  ck_assert_uint_eq(info.shader.second_format, NORN_FORMAT_F32);
  /* The second color is in r4 to r7 when the blend program is called. */
  NornModule *module = parse_text(text);
  GBytes *code = norn_compile(module, NULL, NULL, NULL);
  char *printed = norn_module_print(module, NULL);
  ck_assert_msg(strstr(printed, "BLEND") != NULL && strstr(printed, "%d@r4:r7, target") != NULL,
                "%s", printed);
  g_free(printed);
  g_bytes_unref(code);
  norn_module_free(module);
}
END_TEST

START_TEST(fragment_shader_info) {
  NornCompileInfo info = compile_info(FRAGMENT("  %c = load.varying.centroid.w4.f32\n"
                                               "  store.color.f32.w4 %c, target:3\n"
                                               "  end\n"));
  ck_assert_uint_eq(info.shader.color_targets, 8);
  ck_assert_uint_eq(info.shader.color_formats[3], NORN_FORMAT_F32);
  ck_assert(info.shader.reads_centroid && info.shader.early_tests && info.shader.forward_kill);
  ck_assert(!info.shader.may_discard && !info.shader.runs_by_sample && !info.shader.needs_helpers);
  /* Blend programs read these two. */
  ck_assert_uint_eq(info.preloaded, UINT64_C(3) << 60);
  info = compile_info(FRAGMENT("  %a = load.varying.sample.f32.f32\n"
                               "  %low = fcmp.olt.f32 %a, 0.5\n"
                               "  demote %low\n"
                               "  store.depth %a\n"
                               "  store.global.f32 %a, fau.out\n"
                               "  end\n"));
  ck_assert(info.shader.may_discard && info.shader.runs_by_sample && info.shader.writes_depth);
  ck_assert(info.shader.writes_memory && !info.shader.early_tests && !info.shader.forward_kill);
  ck_assert(!info.shader.requires_early_tests);
  ck_assert_uint_eq(info.preloaded, UINT64_C(3) << 60);
  info = compile_info("shader fragment @t early_tests {\n"
                      "  fau out: i64 @ 0\n"
                      "entry:\n"
                      "  %a = load.varying.center.f32.f32\n"
                      "  store.global.f32 %a, fau.out\n"
                      "  end\n"
                      "}\n");
  ck_assert(info.shader.requires_early_tests && info.shader.early_tests);
  ck_assert(info.shader.writes_memory && !info.shader.forward_kill);
}
END_TEST

/* --- Textures and images --- */

START_TEST(textures) {
  check_in(
      FRAGMENT("  %uv = load.varying.center.w2.f32\n"
               "  %u, %v = split.f32.w2 %uv\n"
               "  %x = frag_coord.x\n"
               "  %a = tex.2d.w4.f32 0x04000000, 0x03000000, 0, %u, %v\n"
               "  %b = tex_lod.2d.w2.f16 0x04000000, 0x03000000, 0x0102, %u, %v, 1.5\n"
               "  %c = tex_lod.2d.f32.f32 0x04000000, 0x03000001, 0, %v, %u, %x, 0.0, compare\n"
               "  %d = tex_gather.2d.w4.f32 0x04000000, 0x03000000, 0, %v, %u, component:2\n"
               "  %e = tex_lod.cube.w3.f32 0x04000001, 0x03000001, 0, 1.0, 0.25, 0.5, 0.0\n"
               "  %i = fptosi.rtz.i32.f32 %x\n"
               "  %l = isub.i32 %i, 1\n"
               "  %f = tex_fetch.2d_array.i32.i32 0x04000002, 0x0001, %i, 1, 2, %l\n"
               "  %g = tex_fetch.3d.w2.f32 0x04000003, 0, %i, 1, 2, 0\n"
               "  store.color.f32.w4 %a\n"
               "  store.color.f16.w2 %b, target:2\n"
               "  %g0, %g1 = split.f32.w2 %g\n"
               "  %e0, %e1, %e2 = split.f32.w3 %e\n"
               "  %d0, %d1, %d2, %d3 = split.f32.w4 %d\n"
               "  %s0 = fadd.f32 %c, %d0\n"
               "  %s1 = fadd.f32 %g0, %d1\n"
               "  %s2 = fadd.f32 %g1, %e2\n"
               "  %k0 = bitcast.i32.f32 %s0\n"
               "  %k1 = bitcast.i32.f32 %s1\n"
               "  %k2 = bitcast.i32.f32 %s2\n"
               "  %w = collect.i32.w4 %f, %k0, %k1, %k2\n"
               "  store.color.u32.w4 %w, target:1\n"
               "  end\n"),
      by_pixel, NULL);
}
END_TEST

START_TEST(images) {
  check_in(FRAGMENT("  %x = frag_coord.x\n"
                    "  %y = frag_coord.y\n"
                    "  %i = fptosi.rtz.i32.f32 %x\n"
                    "  %j = fptosi.rtz.i32.f32 %y\n"
                    "  %far = shl.i32 %i, 16\n"
                    "  %j2 = or.i32 %j, %far\n"
                    "  image_store.2d.i32.i32 %i, 0x04000004, %i, %j2\n"
                    "  %n = image_atomic.2d.i32 0x04000004, 3, 7, 7, atomic:add\n"
                    "  %o = image_cmpxchg.2d.i32 0x04000004, 1, 2, %j, 6\n"
                    "  %k = tex_size.2d_array.w3 0x04000002, 1\n"
                    "  %k0, %k1, %k2 = split.i32.w3 %k\n"
                    "  %m = image_load.2d.i32.i32 0x04000000, %j, %i\n"
                    "  %levels = tex_levels 0x04000000\n"
                    "  %k3 = iadd.i32 %k0, %levels\n"
                    "  %w = collect.i32.w4 %k3, %k1, %k2, %m\n"
                    "  store.color.u32.w4 %w, target:1\n"
                    "  end\n"),
           by_pixel, NULL);
}
END_TEST

/* --- Vertices --- */

#define VERTEX(body) "shader vertex @t {\n  fau m: f32[16] @ 4, out: i64 @ 126\nentry:\n" body "}\n"

static const Setting vertices = {NORN_STAGE_VERTEX, 1, false};

START_TEST(vertex_outputs) {
  Scene scene;
  check_in(VERTEX("  %v = vertex_id\n"
                  "  %i = instance_id\n"
                  "  %d = draw_id\n"
                  "  %p = load.attribute.f32.w3 %v, %i, index:0\n"
                  "  %x, %y, %z = split.f32.w3 %p\n"
                  "  %c = load.attribute.f16.w2 %v, %i, index:1\n"
                  "  %w = load.attribute.u32.w4 %v, %i, index:2\n"
                  "  %s = load.attribute.s16.i32 %v, %i, index:3\n"
                  "  %none = load.attribute.f32.f32 %v, %i, index:77\n"
                  "  %x2 = fma.f32 %x, fau.m[0], fau.m[3]\n"
                  "  %y2 = fma.f32 %y, fau.m[5], %x2\n"
                  "  %z2 = fadd.f32 %z, %none\n"
                  "  %q = collect.f32.w4 %x2, %y2, %z2, 1.0\n"
                  "  store.position.w4 %q\n"
                  "  store.point_size %y2\n"
                  "  store.layer %d\n"
                  "  store.viewport %i\n"
                  "  store.varying.w2 %c, offset:8\n"
                  "  store.varying.w4 %w, offset:16\n"
                  "  store.varying.f32 %z2, offset:4\n"
                  "  %h = trunc.i16.i32 %s\n"
                  "  store.varying.i16 %h, offset:2\n"
                  "  store.varying.w3 %p, offset:32\n"
                  "  end\n"),
           vertices, &scene);
  ck_assert_uint_eq(norn_memory_bytes(scene.memory, EXTRAS, NULL)[2], 5); /* the draw */
  scene_clear(&scene);
}
END_TEST

START_TEST(vertex_branches) {
  check_in(VERTEX("  %v = vertex_id\n"
                  "  %i = instance_id\n"
                  "  %p = load.attribute.f32.w4 %v, %i, index:0\n"
                  "  store.position.w4 %p\n"
                  "  %b = icmp.ugt.i32 %v, 7\n"
                  "  br %b, many, few\n"
                  "many:\n"
                  "  store.varying.i32 %v, offset:0\n"
                  "  %q = collect.f32.w4 1.0, 2.0, 3.0, 4.0\n"
                  "  store.position.w4 %q\n"
                  "  jump done\n"
                  "few:\n"
                  "  store.varying.w4 %p, offset:16\n"
                  "  jump done\n"
                  "done:\n"
                  "  store.varying.i32 %i, offset:60\n"
                  "  end\n"),
           vertices, NULL);
}
END_TEST

START_TEST(vertex_shader_info) {
  static const char text[] = VERTEX("  %v = vertex_id\n"
                                    "  %a = load.attribute.f32.w4 %v, 0, index:5\n"
                                    "  store.position.w4 %a\n"
                                    "  store.point_size 1.0\n"
                                    "  %b = load.attribute.f32.w4 %v, 0, index:65\n"
                                    "  store.varying.w4 %b, offset:16\n"
                                    "  end\n");
  NornCompileOptions options;
  NornCompileInfo info;
  norn_compile_options_init(&options);
  options.vertex_part = NORN_VERTEX_POSITION;
  NornModule *module = parse_text(text);
  ck_assert(norn_compile_splits_vertices(module, &options));
  GBytes *code = norn_compile(module, &options, &info, NULL);
  ck_assert(code && info.shader.writes_position && info.shader.writes_point_size);
  ck_assert_uint_eq(info.shader.attributes[0], 1 << 5);
  ck_assert_uint_eq(info.shader.attributes[1], 0);
  ck_assert_uint_eq(info.shader.varying_size, 0);
  ck_assert_uint_eq(info.preloaded, UINT64_C(3) << 59);
  g_bytes_unref(code);
  norn_module_free(module);
  module = parse_text(text);
  options.vertex_part = NORN_VERTEX_VARYINGS;
  code = norn_compile(module, &options, &info, NULL);
  ck_assert(code && !info.shader.writes_position && !info.shader.writes_point_size);
  ck_assert_uint_eq(info.shader.attributes[0], 0);
  ck_assert_uint_eq(info.shader.attributes[1], 2);
  ck_assert_uint_eq(info.shader.varying_size, 32);
  g_bytes_unref(code);
  norn_module_free(module);
  check_refused(text, "separate programs");
}
END_TEST

/* Bodies of vertex shaders that store loaded values, and whether the program of varyings, which
 * sees the memory as the program of positions left it, is refused. */
static const struct {
  const char *body;
  bool is_refused;
} overwriting[] = {
    {"  %l = load.global.f32 fau.p\n"
     "  store.global.f32 1.0, fau.p\n"
     "  store.varying.f32 %l\n",
     true},
    /* the branch does */
    {"  %l = load.global.f32 fau.p\n"
     "  %c = fcmp.olt.f32 %l, 1.0\n"
     "  br %c, then, on\n"
     "then:\n"
     "  store.global.f32 1.0, fau.p\n"
     "  store.varying.f32 2.0\n"
     "  jump on\n"
     "on:\n"
     "  store.varying.f32 3.0, offset:4\n",
     true},
    /* in the previous iteration */
    {"  jump loop(0)\n"
     "loop(%i: i32):\n"
     "  store.global.f32 1.0, fau.p\n"
     "  %l = load.global.f32 fau.p, offset:4\n"
     "  store.global.f32 2.0, fau.p, offset:4\n"
     "  %j = iadd.i32 %i, 1\n"
     "  %c = icmp.ult.i32 %j, fau.n\n"
     "  br %c, loop(%j), on\n"
     "on:\n"
     "  store.varying.f32 %l\n",
     true},
    /* the same location, in the next iteration */
    {"  jump loop(64, 0.0)\n"
     "loop(%i: i32, %s: f32):\n"
     "  %q = shladd.u32.i64 fau.p, %i, 2\n"
     "  store.global.f32 1.0, %q, offset:4\n"
     "  %l = load.global.f32 %q\n"
     "  %sum = fadd.f32 %s, %l\n"
     "  %j = isub.i32 %i, 1\n"
     "  %c = icmp.ugt.i32 %j, fau.n\n"
     "  br %c, loop(%j, %sum), on\n"
     "on:\n"
     "  store.varying.f32 %sum\n",
     true},
    /* a resource of the same handle */
    {"  %l = load.buffer.f32 0x10000000, 0\n"
     "  store.buffer.f32 1.0, 0x10000000, fau.n\n"
     "  store.varying.f32 %l\n",
     true},
    /* of another one */
    {"  %l = load.buffer.f32 0x10000000, 0\n"
     "  %m = image_load.1d.f32.f32 0x11000000, 0\n"
     "  store.buffer.f32 1.0, 0x10000001, fau.n\n"
     "  image_store.1d.f32.f32 1.0, 0x11000001, 0\n"
     "  store.varying.f32 %l\n"
     "  store.varying.f32 %m, offset:4\n",
     false},
    /* through a variable, and through one that no varying needs, with an index into it */
    {"  %v = alloca 8\n"
     "  %l = load.global.f32 fau.p\n"
     "  store.scratch.f32 %l, %v, offset:4\n"
     "  store.global.f32 1.0, fau.p\n"
     "  %m = load.scratch.f32 %v, offset:4\n"
     "  store.varying.f32 %m\n",
     true},
    {"  %v = alloca 8\n"
     "  %w = alloca 4\n"
     "  %l = load.global.i32 fau.p\n"
     "  %e = iadd.i32 %v, 4\n"
     "  store.scratch.i32 %l, %e\n"
     "  store.scratch.i32 7, %w\n"
     "  %m = load.scratch.i32 %e\n"
     "  %k = iadd.i32 %m, 1\n"
     "  store.global.i32 %k, fau.p\n"
     "  %n = load.scratch.i32 %w\n"
     "  store.varying.i32 %n\n",
     false},
    /* through the first of two stores to a variable, and through a store to one of two variables */
    {"  %v = alloca 8\n"
     "  %l = load.global.f32 fau.p\n"
     "  store.scratch.f32 %l, %v\n"
     "  store.scratch.f32 2.0, %v, offset:4\n"
     "  store.global.f32 1.0, fau.p\n"
     "  %k = shl.i32 fau.n, 2\n"
     "  %e = iadd.i32 %v, %k\n"
     "  %m = load.scratch.f32 %e\n"
     "  store.varying.f32 %m\n",
     true},
    {"  %v = alloca 4\n"
     "  %w = alloca 4\n"
     "  %l = load.global.f32 fau.p\n"
     "  %c = icmp.eq.i32 fau.n, 1\n"
     "  %e = select.i32 %c, %v, %w\n"
     "  store.scratch.f32 %l, %e\n"
     "  store.global.f32 1.0, fau.p\n"
     "  %m = load.scratch.f32 %v\n"
     "  store.varying.f32 %m\n",
     true},
    /* the same location, in the next iteration, at an address that is a parameter */
    {"  jump loop(fau.p, 0.0, 9)\n"
     "loop(%q: i64, %s: f32, %i: i32):\n"
     "  store.global.f32 1.0, %q, offset:4\n"
     "  %l = load.global.f32 %q\n"
     "  %sum = fadd.f32 %s, %l\n"
     "  %r = isub.i64 %q, 4\n"
     "  %j = isub.i32 %i, 1\n"
     "  %c = icmp.ugt.i32 %j, fau.n\n"
     "  br %c, loop(%r, %sum, %j), on\n"
     "on:\n"
     "  store.varying.f32 %sum\n",
     true},
    /* half of a result that is left out */
    {"  %l = atomic.global.add.i64 fau.p, 1\n"
     "  %low, %high = split.i32.i64 %l\n"
     "  %k = iadd.i32 %high, 1\n"
     "  store.global.i32 %k, fau.p, offset:8\n"
     "  store.varying.f32 1.0\n",
     false},
    /* a value that was stored before, another location, a value that no varying needs */
    {"  store.global.f32 1.0, fau.p\n"
     "  %l = load.global.f32 fau.p\n"
     "  %m = load.global.f32 fau.p, offset:4\n"
     "  store.global.f32 %m, fau.p, offset:8\n"
     "  %n = load.global.f32 fau.p, offset:12\n"
     "  fence.device\n"
     "  store.point_size %l\n"
     "  store.global.f32 %n, fau.p, offset:12\n"
     "  store.varying.f32 %l\n"
     "  store.varying.f32 %m, offset:4\n",
     false},
};

/* Compiles the program of varyings; `is_refused` says whether this must fail. */
static void
check_varyings(const char *text, unsigned level, bool is_refused) {
  NornModule *module = parse_text(text);
  NornCompileOptions options;
  GError *error = NULL;
  norn_compile_options_init(&options);
  options.optimization_level = level;
  options.vertex_part = NORN_VERTEX_VARYINGS;
  GBytes *code = norn_compile(module, &options, NULL, &error);
  ck_assert_msg((code == NULL) == is_refused, "level %u: %s", level, text);
  if (error)
    ck_assert_ptr_nonnull(strstr(error->message, "a varying depends on memory that a later store"));
  g_clear_error(&error);
  g_clear_pointer(&code, g_bytes_unref);
  norn_module_free(module);
}

START_TEST(vertex_overwrites) {
  for (unsigned k = 0; k < G_N_ELEMENTS(overwriting); k++) {
    char *text = g_strdup_printf("target valhall 9\n"
                                 "shader vertex @v {\n"
                                 "  fau p: i64 @ 0, n: i32 @ 2\n"
                                 "entry:\n"
                                 "  %%at = collect.f32.w4 0.0, 0.0, 0.0, 1.0\n"
                                 "  store.position.w4 %%at\n"
                                 "%s  end\n}\n",
                                 overwriting[k].body);
    for (unsigned level = 0; level <= 2; level++)
      check_varyings(text, level, overwriting[k].is_refused);
    g_free(text);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("compile_graphics");
  TCase *vertex = tcase_create("vertices");
  tcase_add_test(vertex, vertex_outputs);
  tcase_add_test(vertex, vertex_branches);
  tcase_add_test(vertex, vertex_shader_info);
  tcase_add_test(vertex, vertex_overwrites);
  suite_add_tcase(suite, vertex);
  TCase *fragments = tcase_create("fragments");
  tcase_add_test(fragments, fragment_varyings);
  tcase_add_test(fragments, fragment_positions);
  tcase_add_test(fragments, fragment_inputs);
  tcase_add_test(fragments, fragment_depth_stencil_coverage);
  tcase_add_test(fragments, fragment_demotions);
  tcase_add_test(fragments, fragment_mask_of_the_demoted);
  tcase_add_test(fragments, fragment_outputs_in_branches);
  tcase_add_test(fragments, fragment_tile);
  tcase_add_test(fragments, fragment_second_color);
  tcase_add_test(fragments, fragment_shader_info);
  suite_add_tcase(suite, fragments);
  TCase *lookups = tcase_create("textures");
  tcase_add_test(lookups, textures);
  tcase_add_test(lookups, images);
  suite_add_tcase(suite, lookups);
  return suite;
}
