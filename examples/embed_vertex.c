/* A small front end for a vertex shader: attributes by index and format, a matrix from uniform
 * words, position, point size and varyings. It builds the shader through the C API, verifies and
 * compiles it, reads back what a driver must know, runs both module and code on three vertices, and
 * compares the outputs with the expected values. doc/embedding.md walks through it. */
#include <norn/norn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERTICES 3

/* What the driver and the shader agree on. */
enum {
  MATRIX_WORD = 0, /* 16 uniform words: columns of a 4 by 4 matrix */
  SIZE_WORD = 16,  /* the point size */
  PLACE = 0,       /* attributes by index */
  COLOR = 1,
  COLOR_OFFSET = 0, /* byte offsets in a vertex's block of varyings */
  DEPTH_OFFSET = 16,
  VARYING_BYTES = 20,
};

/* One row of the matrix times (x, y, z, 1). */
static NornRef
build_row(NornBuilder *builder, unsigned row, const NornRef place[3]) {
  NornRef sum = norn_build_uniform(builder, MATRIX_WORD + 12 + row);
  for (unsigned i = 0; i < 3; i++)
    sum = norn_build_fma(builder, NORN_TYPE_F32, place[i],
                         norn_build_uniform(builder, MATRIX_WORD + 4 * i + row), sum);
  return sum;
}

static NornModule *
build_transform(void) {
  NornModule *module = norn_module_new(NORN_STAGE_VERTEX, "transform");
  norn_module_add_fau(module, "matrix", NORN_TYPE_F32, MATRIX_WORD, 16);
  NornRef size = norn_module_add_fau(module, "size", NORN_TYPE_F32, SIZE_WORD, 1);

  NornBuilder *builder = norn_builder_new(module);
  norn_builder_set_block(builder, norn_build_block(builder, "entry"));
  NornRef vertex = norn_build_name(builder, norn_build_vertex_id(builder), "vertex");
  NornRef instance = norn_build_name(builder, norn_build_instance_id(builder), "instance");

  NornRef attribute =
      norn_build_load_attribute(builder, NORN_FORMAT_F32, NORN_TYPE_W3, vertex, instance, PLACE);
  NornRef place[3], clip[4];
  norn_build_split(builder, NORN_TYPE_F32, NORN_TYPE_W3, attribute, 3, place);
  for (unsigned row = 0; row < 4; row++)
    clip[row] = build_row(builder, row, place);
  norn_build_store_position(builder,
                            norn_build_collect(builder, NORN_TYPE_F32, NORN_TYPE_W4, 4, clip));
  norn_build_store_point_size(builder, size);

  NornRef color =
      norn_build_load_attribute(builder, NORN_FORMAT_F32, NORN_TYPE_W4, vertex, instance, COLOR);
  norn_build_store_varying(builder, NORN_TYPE_W4, color, COLOR_OFFSET);
  norn_build_store_varying(builder, NORN_TYPE_F32, place[2], DEPTH_OFFSET);
  norn_build_end(builder);
  norn_builder_free(builder);
  return module;
}

/* The vertex buffer: place and color of one vertex after the other. */
typedef struct {
  float place[3];
  uint8_t color[4];
} Vertex;

static const Vertex vertices[VERTICES] = {
    {{0, 0, 0}, {255, 0, 0, 255}},
    {{1, 2, 3}, {0, 255, 0, 255}},
    {{-1, 0.5f, 0}, {0, 0, 255, 51}},
};

/* Scales by 2, 3, 4 and moves by 10, 20, 30; then the point size. */
static const float uniforms[17] = {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 10, 20, 30, 1, 2.5f};

/* The expected outputs: clip space positions, and varyings (color, then depth). */
static const float positions[VERTICES][4] = {{10, 20, 30, 1}, {12, 26, 42, 1}, {8, 21.5f, 30, 1}};
static const float varyings[VERTICES][VARYING_BYTES / 4] = {
    {1, 0, 0, 1, 0}, {0, 1, 0, 1, 3}, {0, 0, 1, 0.2f, 0}};

enum { INPUT, POSITIONS, EXTRAS, VARYINGS }; /* numbers of the buffers */

static bool
add_buffers(NornMemory *memory, GError **error) {
  return norn_memory_add(memory, "vertices", 0, vertices, sizeof vertices, error) &&
         norn_memory_add(memory, "positions", 0, NULL, sizeof positions, error) &&
         norn_memory_add(memory, "extras", 0, NULL, 4 * VERTICES, error) &&
         norn_memory_add(memory, "varyings", 0, NULL, sizeof varyings, error);
}

/* Compares the outputs with the constants above and prints them. */
static bool
check(NornMemory *memory, GError **error) {
  float position[VERTICES][4], varying[VERTICES][VARYING_BYTES / 4];
  memcpy(position, norn_memory_bytes(memory, POSITIONS, NULL), sizeof position);
  memcpy(varying, norn_memory_bytes(memory, VARYINGS, NULL), sizeof varying);
  const uint8_t *extra = norn_memory_bytes(memory, EXTRAS, NULL);
  for (unsigned i = 0; i < VERTICES; i++)
    printf("vertex %u: position %g %g %g %g, color %g %g %g %g, depth %g\n", i, position[i][0],
           position[i][1], position[i][2], position[i][3], varying[i][0], varying[i][1],
           varying[i][2], varying[i][3], varying[i][4]);
  bool same = !memcmp(position, positions, sizeof position) &&
              !memcmp(varying, varyings, sizeof varying) && extra[0] == 0x00 &&
              extra[1] == 0x41; /* 2.5 as f16 */
  if (!same)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "the outputs are not what they must be");
  return same;
}

/* Runs the code if it is given, otherwise the module: one program, or one for the positions and one
 * for the varyings. */
static bool
run(const NornModule *module, GBytes *const code[2], const NornCompileInfo info[2],
    GError **error) {
  NornMemory *memory = norn_memory_new();
  const NornAttribute attributes[] = {
      [PLACE] = {INPUT, offsetof(Vertex, place), sizeof(Vertex), 0, {3, 32, NORN_CHANNEL_FLOAT}},
      [COLOR] = {INPUT, offsetof(Vertex, color), sizeof(Vertex), 0, {4, 8, NORN_CHANNEL_UNORM}},
  };
  NornVertexState state = {
      .attributes = attributes,
      .attribute_count = 2,
      .position_buffer = POSITIONS,
      .extra_buffer = EXTRAS,
      .varying_buffer = VARYINGS,
      .varying_stride = VARYING_BYTES,
  };
  uint32_t words[NORN_FAU_WORDS] = {0};
  memcpy(words, uniforms, sizeof uniforms);
  NornLaunch launch = {
      .stage = NORN_STAGE_VERTEX,
      .memory = memory,
      .grid = {1, 1, 1}, /* times the workgroup size: vertices, instances */
      .workgroup = {VERTICES, 1, 1},
      .uniforms = words,
      .uniform_count = NORN_FAU_WORDS,
      .vertex = &state,
  };
  bool done = add_buffers(memory, error);
  if (done && !code[0])
    done = norn_interpret(module, &launch, NULL, error);
  for (unsigned i = 0; done && i < 2 && code[i]; i++) {
    gsize size;
    const void *bytes = g_bytes_get_data(code[i], &size);
    state.writes_varyings = i == 1;
    launch.info = &info[i];
    norn_launch_fill_uniforms(&launch, &info[i], words); /* constants of the program */
    done = norn_simulate_valhall(bytes, size, "9", &launch, NULL, error);
  }
  done = done && check(memory, error);
  norn_memory_free(memory);
  return done;
}

static void
print_info(const NornCompileInfo *info) {
  const NornShaderInfo *shader = &info->shader;
  printf("%s %s: %u instructions, %u registers, %u uniform words", info->target, info->architecture,
         info->instructions, info->registers, info->fau_words);
  for (unsigned i = 0; i < 64; i++)
    if (shader->attributes[0] >> i & 1)
      printf(", attribute %u", i);
  printf("%s%s, %u bytes of varyings\n", shader->writes_position ? ", position" : "",
         shader->writes_point_size ? ", point size" : "", shader->varying_size);
}

/* Compiles all programs of the shader and runs them. Some architectures run a vertex as two
 * programs. */
static bool
run_compiled(const NornModule *module, GError **error) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.architecture = "9";
  NornVertexPrograms programs;
  if (!norn_compiler_compile_vertex(NULL, module, &options, &programs, error))
    return false;
  for (unsigned i = 0; i < programs.count; i++)
    print_info(&programs.info[i]);
  bool done = run(module, programs.code, programs.info, error);
  norn_vertex_programs_clear(&programs);
  return done;
}

int
main(void) {
  GError *error = NULL;
  GBytes *const none[2] = {NULL, NULL};
  NornModule *module = build_transform();
  char *text = norn_module_print(module, NULL);
  fputs(text, stdout);
  g_free(text);
  bool done = norn_module_verify(module, &error) && run(module, none, NULL, &error) &&
              run_compiled(module, &error);
  norn_module_free(module);
  if (done)
    return EXIT_SUCCESS;
  fprintf(stderr, "%s\n", error->message);
  g_error_free(error);
  return EXIT_FAILURE;
}
