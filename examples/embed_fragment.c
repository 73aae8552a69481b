/* A small front end for a fragment shader: interpolated varyings, a texture, an alpha test, a color
 * and a depth. It builds the shader through the C API, verifies and compiles it, reads back what a
 * driver must know, runs both module and code on 4 by 4 pixels with a texture in memory, and
 * compares the targets with the expected contents. doc/embedding.md walks through it. */
#include <norn/norn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 4

/* What the driver and the shader agree on. */
enum {
  BIAS_WORD = 0,         /* added to the depth */
  TEXTURE = 1 << 24 | 0, /* entry 0 of resource table 1 */
  SAMPLER = 2 << 24 | 0, /* entry 0 of table 2 */
  PLACE_OFFSET = 0,      /* byte offsets in the block of varyings: x, y on the texture */
  BRIGHTNESS_OFFSET = 8, /* a factor for its color */
  VARYING_BYTES = 12,
};

/* The texture at the interpolated place, read through the sampler. */
static NornRef
build_texel(NornBuilder *builder) {
  NornRef place[2];
  NornRef pair = norn_build_load_varying(builder, NORN_INTERPOLATION_CENTER, NORN_TYPE_W2,
                                         NORN_TYPE_F32, PLACE_OFFSET);
  norn_build_split(builder, NORN_TYPE_F32, NORN_TYPE_W2, pair, 2, place);
  return norn_build_tex(builder, NORN_DIMENSION_2D, NORN_TYPE_W4, NORN_TYPE_F32,
                        norn_build_int(builder, NORN_TYPE_I32, TEXTURE),
                        norn_build_int(builder, NORN_TYPE_I32, SAMPLER),
                        norn_build_int(builder, NORN_TYPE_I32, 0), /* no texel offsets */
                        2, place, false);
}

static NornModule *
build_lamp(void) {
  NornModule *module = norn_module_new(NORN_STAGE_FRAGMENT, "lamp");
  NornRef bias = norn_module_add_fau(module, "bias", NORN_TYPE_F32, BIAS_WORD, 1);

  NornBuilder *builder = norn_builder_new(module);
  norn_builder_set_block(builder, norn_build_block(builder, "entry"));
  NornRef color[4];
  norn_build_split(builder, NORN_TYPE_F32, NORN_TYPE_W4, build_texel(builder), 4, color);
  /* Pixels that are less than half opaque are not drawn. */
  norn_build_alpha_test(builder, NORN_FLOAT_CONDITION_OGE, NORN_TYPE_F32, color[3],
                        norn_build_float(builder, NORN_TYPE_F32, 0.5));
  NornRef brightness = norn_build_load_varying(builder, NORN_INTERPOLATION_CENTER, NORN_TYPE_F32,
                                               NORN_TYPE_F32, BRIGHTNESS_OFFSET);
  for (unsigned i = 0; i < 3; i++)
    color[i] = norn_build_fmul(builder, NORN_TYPE_F32, color[i], brightness);
  norn_build_store_color(builder, NORN_FORMAT_F32, NORN_TYPE_W4,
                         norn_build_collect(builder, NORN_TYPE_F32, NORN_TYPE_W4, 4, color), 0);
  NornRef depth = norn_build_frag_coord(builder, NORN_COMPONENT_Z);
  norn_build_store_depth(builder, norn_build_fadd(builder, NORN_TYPE_F32, depth, bias));
  norn_build_end(builder);
  norn_builder_free(builder);
  return module;
}

/* Opaque red in columns 0 and 2, mostly transparent green in 1, blue in 3. */
static const uint8_t texels[SIDE][4] = {
    {255, 0, 0, 255}, {0, 255, 0, 64}, {255, 0, 0, 255}, {0, 0, 255, 255}};

/* Vertices at the top left, top right, bottom left: place on the texture, brightness. */
static const float varyings[3][VARYING_BYTES / 4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}};

enum { VARYINGS, TEXELS, COLORS, DEPTHS }; /* numbers of the buffers */

/* Row y has the brightness (y + 1/2) / 4: 1/8, 3/8, 5/8, 7/8 of 255, rounded. Pixels that are not
 * drawn stay 0, and their depth stays 1. */
static bool
check(NornMemory *memory, GError **error) {
  static const uint8_t levels[SIDE] = {32, 96, 159, 223};
  const uint8_t *colors = norn_memory_bytes(memory, COLORS, NULL);
  float depths[SIDE][SIDE];
  memcpy(depths, norn_memory_bytes(memory, DEPTHS, NULL), sizeof depths);
  bool same = true;
  for (unsigned y = 0; y < SIDE; y++)
    for (unsigned x = 0; x < SIDE; x++) {
      const uint8_t *pixel = &colors[(y * SIDE + x) * 4];
      uint8_t wanted[4] = {0, 0, 0, 0};
      if (x != 1) {
        wanted[x == 3 ? 2 : 0] = levels[y];
        wanted[3] = 255;
      }
      same = same && !memcmp(pixel, wanted, 4) && depths[y][x] == (x == 1 ? 1.0f : 0.75f);
      printf("%3u %3u %3u %3u%s", pixel[0], pixel[1], pixel[2], pixel[3],
             x + 1 < SIDE ? " | " : "\n");
    }
  if (!same)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "the pixels are not what they must be");
  return same;
}

static bool
add_buffers(NornMemory *memory, GError **error) {
  uint8_t image[SIDE][SIDE][4];
  float far[SIDE * SIDE];
  for (unsigned y = 0; y < SIDE; y++)
    memcpy(image[y], texels, sizeof texels);
  for (unsigned i = 0; i < SIDE * SIDE; i++)
    far[i] = 1;
  return norn_memory_add(memory, "varyings", 0, varyings, sizeof varyings, error) &&
         norn_memory_add(memory, "texels", 0, image, sizeof image, error) &&
         norn_memory_add(memory, "colors", 0, NULL, 4 * SIDE * SIDE, error) &&
         norn_memory_add(memory, "depths", 0, far, sizeof far, error);
}

static NornImage
image(size_t buffer, NornPixelFormat format) {
  return (NornImage){
      .buffer = buffer,
      .format = format,
      .width = SIDE,
      .height = SIDE,
      .depth = 1,
      .layers = 1,
      .samples = 1,
      .levels = 1,
  };
}

/* Runs the code if it is given, otherwise the module. */
static bool
run(const NornModule *module, GBytes *code, const NornCompileInfo *info, GError **error) {
  NornMemory *memory = norn_memory_new();
  const NornPixelFormat rgba8 = {4, 8, NORN_CHANNEL_UNORM}, r32 = {1, 32, NORN_CHANNEL_FLOAT};
  const NornImage texture = image(TEXELS, rgba8), colors = image(COLORS, rgba8);
  const NornImage depths = image(DEPTHS, r32);
  const NornSampler sampler = {.maximum_lod = 1000}; /* nearest, repeating */
  const NornResource resources[] = {
      {.handle = TEXTURE, .image = &texture},
      {.handle = SAMPLER, .sampler = &sampler},
  };
  const NornFragmentState state = {
      .width = SIDE,
      .height = SIDE,
      .varying_buffer = VARYINGS,
      .varying_stride = VARYING_BYTES,
      .depth = {0.5f, 0.5f, 0.5f},
      .samples = 1,
      .targets = {&colors},
      .depth_target = &depths,
  };
  const float bias = 0.25f;
  uint32_t words[NORN_FAU_WORDS] = {0};
  memcpy(words, &bias, sizeof bias);
  const NornLaunch launch = {
      .stage = NORN_STAGE_FRAGMENT,
      .memory = memory,
      .grid = {1, 1, 1}, /* times the workgroup size: pixels in x and y */
      .workgroup = {SIDE, SIDE, 1},
      .uniforms = words,
      .uniform_count = NORN_FAU_WORDS,
      .resources = resources,
      .resource_count = 2,
      .fragment = &state,
      .info = info,
  };
  bool done = add_buffers(memory, error);
  if (done && !code) {
    done = norn_interpret(module, &launch, NULL, error);
  } else if (done) {
    gsize size;
    const void *bytes = g_bytes_get_data(code, &size);
    norn_launch_fill_uniforms(&launch, info, words); /* constants of the program */
    done = norn_simulate_valhall(bytes, size, "9", &launch, NULL, error);
  }
  done = done && check(memory, error);
  norn_memory_free(memory);
  return done;
}

static void
print_info(const NornCompileInfo *info) {
  const NornShaderInfo *shader = &info->shader;
  printf("%s %s: %u instructions, %u registers, %u uniform words, tables", info->target,
         info->architecture, info->instructions, info->registers, info->fau_words);
  for (unsigned i = 0; i < 64; i++)
    if (shader->tables >> i & 1)
      printf(" %u", i);
  printf("; targets");
  for (unsigned i = 0; i < NORN_COLOR_TARGETS; i++)
    if (shader->color_targets >> i & 1)
      printf(" %u", i);
  printf("%s%s%s%s\n", shader->writes_depth ? ", writes depth" : "",
         shader->may_discard ? ", may discard" : "", shader->needs_helpers ? ", needs helpers" : "",
         shader->early_tests ? ", early tests" : "");
}

/* Compiles the module, which is machine code afterward, and runs the code. */
static bool
run_compiled(NornModule *module, GError **error) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.architecture = "9";
  NornCompileInfo info;
  GBytes *code = norn_compile(module, &options, &info, error);
  if (!code)
    return false;
  print_info(&info);
  bool done = run(module, code, &info, error);
  g_bytes_unref(code);
  return done;
}

int
main(void) {
  GError *error = NULL;
  NornModule *module = build_lamp();
  char *text = norn_module_print(module, NULL);
  fputs(text, stdout);
  g_free(text);
  bool done = norn_module_verify(module, &error) && run(module, NULL, NULL, &error) &&
              run_compiled(module, &error);
  norn_module_free(module);
  if (done)
    return EXIT_SUCCESS;
  fprintf(stderr, "%s\n", error->message);
  g_error_free(error);
  return EXIT_FAILURE;
}
