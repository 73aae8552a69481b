/* Compiling as a driver does: copies of modules, repeatedly, with a compiler that keeps its
 * memory, on several threads. Uses only the public headers. */
#include "assembled.h"
#include "ir_text.h"
#include "unit.h"
#include <norn/norn.h>
#include <string.h>

static const char kernel[] = "shader compute @k workgroup(16, 1, 1) shared(64) {\n"
                             "  fau x: i64 @ 0, n: i32 @ 2\n"
                             "entry:\n"
                             "  %i = global_id.x\n"
                             "  %inside = icmp.ult.i32 %i, fau.n\n"
                             "  br %inside, body, done\n"
                             "body:\n"
                             "  %p = shladd.u32.i64 fau.x, %i, 2\n"
                             "  %v = load.global.f32 %p\n"
                             "  %r = call.f32 @half(%v)\n"
                             "  store.global.f32 %r, %p\n"
                             "  jump done\n"
                             "done:\n"
                             "  end\n"
                             "}\n"
                             "function @half(%a: f32) -> f32 {\n"
                             "entry:\n"
                             "  %h = fmul.f32 %a, 0.5\n"
                             "  return.f32 %h\n"
                             "}\n";
static const char vertex[] = "shader vertex @v {\n"
                             "  fau p: f32 @ 0\n"
                             "entry:\n"
                             "  %v = vertex_id\n"
                             "  %x = uitofp.rte.f32.i32 %v\n"
                             "  %w = collect.f32.w4 %x, fau.p, fau.p, 1.0\n"
                             "  store.position.w4 %w\n"
                             "  store.varying.f32 %x\n"
                             "  end\n"
                             "}\n";

static void
ck_assert_same_text(const NornModule *a, const NornModule *b) {
  g_autofree char *text = norn_module_print(a, NULL), *other = norn_module_print(b, NULL);
  ck_assert_str_eq(text, other);
}

/* Neither module is affected by changes to the other. */
START_TEST(copies_are_separate) {
  g_autoptr(NornModule) module = parse_text(kernel);
  g_autoptr(NornModule) original = parse_text(kernel);
  NornModule *copy = norn_module_copy(module);
  ck_assert_same_text(copy, original);
  g_autoptr(GBytes) code = norn_compile(copy, NULL, NULL, NULL);
  ck_assert_ptr_nonnull(code);
  ck_assert_same_text(module, original);
  norn_module_free(copy);
  ck_assert_same_text(module, original);
  copy = norn_module_copy(module);
  norn_module_free(g_steal_pointer(&module));
  ck_assert_same_text(copy, original);
  ck_assert(norn_module_verify(copy, NULL));
  g_autoptr(GBytes) again = norn_compile(copy, NULL, NULL, NULL);
  ck_assert(g_bytes_equal(code, again));
  norn_module_free(copy);
}
END_TEST

/* A module can be compiled only once. */
START_TEST(compiled_modules_are_refused) {
  static const char *const texts[] = {kernel, vertex};
  for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
    for (unsigned level = 0; level <= 3; level++) {
      g_autoptr(NornModule) module = parse_text(texts[i]);
      g_autoptr(GError) error = NULL;
      NornCompileOptions options;
      norn_compile_options_init(&options);
      options.optimization_level = level;
      options.vertex_part = i ? NORN_VERTEX_POSITION : NORN_VERTEX_WHOLE;
      g_autoptr(GBytes) code = norn_compile(module, &options, NULL, NULL);
      ck_assert_ptr_nonnull(code);
      ck_assert_ptr_null(norn_compile(module, &options, NULL, &error));
      ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
      ck_assert(g_str_has_suffix(error->message, ": the module is already compiled"));
    }
}
END_TEST

/* A builder's errors are copied, too, and a copy does not change when building continues in the
 * original. */
START_TEST(copies_of_built_modules) {
  g_autoptr(NornModule) module = norn_module_new(NORN_STAGE_COMPUTE, "built");
  g_autoptr(NornModule) empty = norn_module_copy(module);
  {
    g_autoptr(NornBuilder) builder = norn_builder_new(module);
    norn_builder_set_block(builder, norn_build_block(builder, "entry"));
    norn_build_end(builder);
    norn_build_uniform(builder, 1u << 31);
  }
  g_autoptr(NornModule) copy = norn_module_copy(module);
  g_autoptr(GError) error = NULL;
  ck_assert(!norn_module_verify(copy, &error));
  ck_assert_msg(strstr(error->message, "uniform word") != NULL, "%s", error->message);
  g_autofree char *text = norn_module_print(empty, NULL);
  ck_assert_ptr_null(strstr(text, "entry"));
}
END_TEST

/* Compiles the text from scratch and with the compiler; both must give the same result. */
static void
compare(NornCompiler *compiler, const char *text, const NornCompileOptions *options) {
  g_autoptr(NornModule) module = parse_text(text);
  g_autoptr(NornModule) consumed = parse_text(text);
  NornCompileInfo info, wanted_info;
  memset(&info, 0, sizeof info);
  memset(&wanted_info, 0, sizeof wanted_info);
  g_autoptr(GError) error = NULL;
  g_autoptr(GError) wanted_error = NULL;
  g_autoptr(GBytes) wanted = norn_compile(consumed, options, &wanted_info, &wanted_error);
  g_autoptr(GBytes) code = norn_compiler_compile(compiler, module, options, &info, &error);
  ck_assert_int_eq(code != NULL, wanted != NULL);
  ck_assert_str_eq(error ? error->message : "", wanted_error ? wanted_error->message : "");
  ck_assert(!code || g_bytes_equal(code, wanted));
  ck_assert_uint_eq(info.work, wanted_info.work);
  ck_assert_uint_eq(info.registers, wanted_info.registers);
  ck_assert_uint_eq(info.instructions, wanted_info.instructions);
}

/* Many sums that are live until the end: more than the registers hold, and several chunks of
 * memory. */
static char *
large_kernel(unsigned count) {
  GString *text = g_string_new("shader compute @large workgroup(1, 1, 1) {\n"
                               "  fau x: i64 @ 0\nentry:\n");
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(text, "  %%p%u = iadd.i64 fau.x, %u\n  %%v%u = load.global.i32 %%p%u\n",
                           i, 4 * i, i, i);
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(text, "  store.global.i32 %%v%u, %%p%u\n", count - 1 - i, i);
  return g_string_free(g_string_append(text, "  end\n}\n"), FALSE);
}

START_TEST(kept_memory_changes_nothing) {
  g_autoptr(NornCompiler) compiler = norn_compiler_new();
  g_autofree char *large = large_kernel(400);
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.architecture = "9";
  for (unsigned round = 0; round < 2; round++) {
    compare(compiler, kernel, &options);
    compare(compiler, large, &options);
    compare(compiler, vertex, &options); /* needs two programs: an error */
    compare(NULL, kernel, &options);
  }
}
END_TEST

/* A limit of memory applies to one compilation, whatever memory the compiler holds from others. */
START_TEST(kept_memory_is_not_counted) {
  g_autoptr(NornCompiler) compiler = norn_compiler_new();
  g_autofree char *large = large_kernel(400);
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.limits.memory = 300000;
  g_autoptr(NornModule) small = parse_text(kernel);
  g_autoptr(NornModule) big = parse_text(large);
  g_autoptr(GBytes) before = norn_compiler_compile(compiler, small, &options, NULL, NULL);
  ck_assert_ptr_nonnull(before);
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(norn_compiler_compile(compiler, big, &options, NULL, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT));
  options.limits.memory = 0;
  g_autoptr(GBytes) unlimited = norn_compiler_compile(compiler, big, &options, NULL, NULL);
  ck_assert_ptr_nonnull(unlimited);
  options.limits.memory = 300000;
  g_autoptr(GBytes) after = norn_compiler_compile(compiler, small, &options, NULL, NULL);
  ck_assert_ptr_nonnull(after);
}
END_TEST

/* What a dump compiles with the same compiler. */
typedef struct Nested {
  NornCompiler *compiler;
  const NornModule *module;
  GBytes *wanted;
  unsigned count;
} Nested;

static void
compile_nested(const NornModule *module, const char *pass, gpointer user_data) {
  (void)module;
  (void)pass;
  Nested *nested = user_data;
  g_autoptr(GBytes) code =
      norn_compiler_compile(nested->compiler, nested->module, NULL, NULL, NULL);
  ck_assert(code && g_bytes_equal(code, nested->wanted));
  nested->count++;
}

/* A hook may use the compiler that calls it. */
START_TEST(hooks_compile_with_the_same_compiler) {
  g_autofree char *large = large_kernel(40);
  g_autoptr(NornModule) module = parse_text(large);
  g_autoptr(NornModule) inner = parse_text(kernel);
  g_autoptr(NornCompiler) compiler = norn_compiler_new();
  g_autoptr(GBytes) wanted = norn_compiler_compile(NULL, module, NULL, NULL, NULL);
  Nested nested = {compiler, inner, norn_compiler_compile(NULL, inner, NULL, NULL, NULL), 0};
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.dump = compile_nested;
  options.dump_data = &nested;
  for (unsigned round = 0; round < 2; round++) {
    g_autoptr(GBytes) code = norn_compiler_compile(compiler, module, &options, NULL, NULL);
    ck_assert(code && g_bytes_equal(code, wanted));
  }
  ck_assert_uint_gt(nested.count, 20);
  g_bytes_unref(nested.wanted);
}
END_TEST

/* Constants that cannot be operands, including two of one instruction and one of 64 bits, get at
 * most as many uniform words as are allowed. */
START_TEST(promotes_what_is_allowed) {
  static const char text[] = "shader compute @k workgroup(1, 1, 1) {\n"
                             "  fau p: i64 @ 0, n: i32 @ 2\n"
                             "entry:\n"
                             "  %x = load.global.f32 fau.p\n"
                             "  %a = fma.f32 %x, 1.203125, 1.703125\n"
                             "  %b = fmul.f32 %a, 2.296875\n"
                             "  store.global.f32 %b, fau.p, offset:4\n"
                             "  %c = load.global.i64 fau.p\n"
                             "  %d = iadd.i64 %c, 0x123456789\n"
                             "  store.global.i64 %d, fau.p, offset:8\n"
                             "  end\n"
                             "}\n";
  NornCompileOptions options;
  norn_compile_options_init(&options);
  static const unsigned numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, NORN_FAU_WORDS, UINT_MAX};
  for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++) {
    g_autoptr(NornModule) module = parse_text(text);
    NornCompileInfo info;
    options.promoted_words = numbers[i];
    g_autoptr(GBytes) code = norn_compile(module, &options, &info, NULL);
    ck_assert_ptr_nonnull(code);
    ck_assert_uint_le(info.promoted_count, numbers[i]);
    ck_assert(numbers[i] < 8 || info.promoted_count >= 5);
  }
}
END_TEST

/* More variables than expansions can nest, also without optimization. */
START_TEST(many_variables) {
  g_autoptr(GString) text = g_string_new("shader compute @k workgroup(1, 1, 1) {\n"
                                         "  fau p: i64 @ 0\n"
                                         "entry:\n");
  for (unsigned k = 0; k < 5000; k++)
    g_string_append_printf(text, "  %%v%u = alloca 4\n", k);
  g_string_append(text, "  store.scratch.i32 7, %v4999\n"
                        "  %x = load.scratch.i32 %v4999\n"
                        "  store.global.i32 %x, fau.p\n"
                        "  end\n}\n");
  g_autoptr(NornModule) module = parse_text(text->str);
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.optimization_level = 0;
  GError *error = NULL;
  g_autoptr(GBytes) code = norn_compile(module, &options, NULL, &error);
  ck_assert_msg(code != NULL, "%s", error ? error->message : "");
}
END_TEST

/* The number of instructions that create a constant in a program that stores it, computes for a
 * number of instructions and stores it again, in a loop or not. */
static unsigned
count_constant_moves(unsigned between, bool loop) {
  g_autoptr(GString) text = g_string_new("shader compute @k workgroup(1, 1, 1) {\n"
                                         "  fau p: i64 @ 0, x: f32 @ 2\n"
                                         "entry:\n"
                                         "  %v0 = load.global.f32 fau.p\n"
                                         "  store.global.i32 1234567, fau.p, offset:64\n");
  for (unsigned k = 1; k <= between; k++)
    g_string_append_printf(text, "  %%v%u = fmul.f32 %%v%u, fau.x\n", k, k - 1);
  g_string_append_printf(text, "  store.global.f32 %%v%u, fau.p\n  jump round\nround:\n", between);
  if (loop)
    g_string_append(text, "  %more = load.global.i32 fau.p, offset:8\n"
                          "  store.global.i32 1234567, fau.p, offset:32\n"
                          "  %again = icmp.ne.i32 %more, 0\n"
                          "  br %again, round, done\n");
  else
    g_string_append(text, "  store.global.i32 1234567, fau.p, offset:32\n  jump done\n");
  g_string_append(text, "done:\n  end\n}\n");
  g_autoptr(NornModule) module = parse_text(text->str);
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.promote_constants = false;
  g_autoptr(GBytes) code = norn_compile(module, &options, NULL, NULL);
  ck_assert_ptr_nonnull(code);
  NornStatistics statistics;
  NornMachineCode machine = code_of(code);
  GError *error = NULL;
  bool counted = norn_code_statistics(&machine, 1, &statistics, &error);
  ck_assert_msg(counted, "%s", error ? error->message : "");
  return statistics.constant_moves;
}

/* A register is reserved for a constant from one use to the next, but not for long. */
START_TEST(constants_far_from_each_other) {
  ck_assert_uint_eq(count_constant_moves(10, false), 1);
  ck_assert_uint_eq(count_constant_moves(500, false), 2);
  ck_assert_uint_eq(count_constant_moves(500, true), 1);
}
END_TEST

START_TEST(vertex_programs) {
  static const struct {
    const char *architecture;
    unsigned count;
  } rows[] = {{"9", 2}, {"11", 2}, {"12", 1}, {"14", 1}};
  g_autoptr(NornModule) module = parse_text(vertex);
  g_autoptr(NornCompiler) compiler = norn_compiler_new();
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    NornCompileOptions options;
    norn_compile_options_init(&options);
    options.architecture = rows[i].architecture;
    g_auto(NornVertexPrograms) programs;
    ck_assert(norn_compiler_compile_vertex(compiler, module, &options, &programs, NULL));
    ck_assert_uint_eq(programs.count, rows[i].count);
    ck_assert_int_eq(programs.code[1] != NULL, rows[i].count == 2);
    for (unsigned k = 0; k < programs.count; k++) {
      options.vertex_part = rows[i].count == 1 ? NORN_VERTEX_WHOLE
                            : k                ? NORN_VERTEX_VARYINGS
                                               : NORN_VERTEX_POSITION;
      g_autoptr(GBytes) part = norn_compiler_compile(NULL, module, &options, NULL, NULL);
      ck_assert(g_bytes_equal(part, programs.code[k]));
      ck_assert_int_eq(programs.info[k].shader.writes_position, k == 0);
    }
  }
  NornVertexPrograms none;
  g_autoptr(GError) error = NULL;
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.architecture = "99";
  ck_assert(!norn_compiler_compile_vertex(NULL, module, &options, &none, &error));
  ck_assert_uint_eq(none.count, 0);
  ck_assert_ptr_null(none.code[0]);
  g_clear_error(&error);
  g_autoptr(NornModule) compute = parse_text(kernel);
  ck_assert(!norn_compiler_compile_vertex(NULL, compute, NULL, &none, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  ck_assert_ptr_nonnull(strstr(error->message,
                               "norn_compiler_compile_vertex is only for vertex shaders, "
                               "not for a compute shader"));
  ck_assert_uint_eq(none.count, 0);
}
END_TEST

/* Threads share a module, and each has its own compiler. */
static gpointer
compile_often(gpointer module) {
  g_autoptr(NornCompiler) compiler = norn_compiler_new();
  GBytes *first = norn_compiler_compile(compiler, module, NULL, NULL, NULL);
  for (unsigned i = 0; first && i < 8; i++) {
    g_autoptr(GBytes) code = norn_compiler_compile(compiler, module, NULL, NULL, NULL);
    if (!code || !g_bytes_equal(code, first))
      g_clear_pointer(&first, g_bytes_unref);
  }
  return first;
}

START_TEST(threads_share_a_module) {
  g_autoptr(NornModule) module = parse_text(kernel);
  GThread *threads[4];
  for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new(NULL, compile_often, module);
  GBytes *first = NULL;
  for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++) {
    GBytes *code = g_thread_join(threads[i]);
    ck_assert_ptr_nonnull(code);
    ck_assert(!first || g_bytes_equal(first, code));
    if (first)
      g_bytes_unref(code);
    else
      first = code;
  }
  g_bytes_unref(first);
}
END_TEST

/* OpCapability Shader; OpMemoryModel Logical GLSL450; OpEntryPoint GLCompute %1 "main";
 * OpExecutionMode %1 LocalSize 1 1 1; a function that does nothing. */
static const uint32_t nothing[] = {
    0x07230203, 0x00010000, 0, 5,          0,         0x00020011, 1,          0x0003000E, 0, 1,
    0x0005000F, 5,          1, 0x6E69616D, 0,         0x00060010, 1,          17,         1, 1,
    1,          0x00020013, 2, 0x00030021, 3,         2,          0x00050036, 2,          1, 0,
    3,          0x000200F8, 4, 0x000100FD, 0x00010038};

static void
declare_too_much_memory(NornModule *module) {
  norn_module_set_memory(module, 1 << 30, 0);
}

static void
declare_empty_uniform(NornModule *module) {
  norn_module_add_fau(module, "empty", NORN_TYPE_I32, 0, 0);
}

static void
declare_empty_function(NornModule *module) {
  norn_module_add_function(module, "empty", NORN_TYPE_VOID);
}

static void
open_block(NornModule *module) {
  g_autoptr(NornBuilder) builder = norn_builder_new(module);
  norn_build_block(builder, "open");
}

/* Modules converted from SPIR-V are already verified, but not later changes to them. */
START_TEST(changed_modules_are_verified_again) {
  static void (*const changes[])(NornModule *) = {declare_too_much_memory, declare_empty_uniform,
                                                  declare_empty_function, open_block, NULL};
  for (unsigned i = 0; i < G_N_ELEMENTS(changes); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(NornModule) module =
        norn_module_from_spirv(nothing, sizeof nothing, NULL, NULL, NULL, &error);
    ck_assert_msg(module != NULL, "%s", error ? error->message : "");
    if (changes[i])
      changes[i](module);
    g_autoptr(GBytes) code = norn_compile(module, NULL, NULL, &error);
    ck_assert_int_eq(code != NULL, !changes[i]);
    ck_assert(code || g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  }
}
END_TEST

/* A setting that is ignored would leave accesses unchecked. */
START_TEST(unknown_robustness_is_refused) {
  g_autoptr(GError) error = NULL;
  NornSpirvOptions options;
  norn_spirv_options_init(&options);
  options.abi.robustness = NORN_SPIRV_ZERO;
  g_autoptr(NornModule) module =
      norn_module_from_spirv(nothing, sizeof nothing, NULL, &options, NULL, &error);
  ck_assert_ptr_nonnull(module);
  options.abi.robustness = (NornSpirvRobustness)(NORN_SPIRV_ZERO + 1);
  ck_assert_ptr_null(norn_module_from_spirv(nothing, sizeof nothing, NULL, &options, NULL, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  ck_assert_msg(strstr(error->message, "robustness 3 does not exist") != NULL, "%s",
                error->message);
}
END_TEST

/* Every limit ends the reading; enough of each does not. */
START_TEST(reading_spirv_has_limits) {
  static const NornCancel cancelled = {1}, running = {0};
  static const struct {
    NornLimits limits;
    NornErrorCode code;
    const char *message; /* NULL: it is read */
  } rows[] = {
      {{.work = 1}, NORN_ERROR_LIMIT, "SPIR-V: exceeded the limit of 1 units of work"},
      {{.memory = 100}, NORN_ERROR_LIMIT, "SPIR-V: exceeded the limit of 100 bytes of memory"},
      {{.cancel = &cancelled}, NORN_ERROR_CANCELLED, "SPIR-V: cancelled"},
      {{.work = 1000, .memory = 1 << 20, .cancel = &running}, 0, NULL},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    NornSpirvOptions options;
    norn_spirv_options_init(&options);
    options.limits = rows[i].limits;
    g_autoptr(NornModule) module =
        norn_module_from_spirv(nothing, sizeof nothing, NULL, &options, NULL, &error);
    ck_assert_int_eq(module != NULL, !rows[i].message);
    if (!rows[i].message)
      continue;
    ck_assert(g_error_matches(error, NORN_ERROR, (int)rows[i].code));
    ck_assert_str_eq(error->message, rows[i].message);
  }
}
END_TEST

/* The same shader as a fragment shader: OpExecutionMode %1 OriginUpperLeft; clip distances beyond
 * the last one would not clip. */
START_TEST(too_many_clip_distances_are_refused) {
  uint32_t words[G_N_ELEMENTS(nothing)];
  static const uint32_t mode[] = {0x00030010, 1, 7, 0x00010000, 0x00010000, 0x00010000};
  memcpy(words, nothing, sizeof words);
  words[11] = 4;
  memcpy(words + 15, mode, sizeof mode);
  NornSpirvOptions options;
  norn_spirv_options_init(&options);
  for (options.abi.clip_distances = 8; options.abi.clip_distances <= 9;
       options.abi.clip_distances++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(NornModule) module =
        norn_module_from_spirv(words, sizeof words, NULL, &options, NULL, &error);
    ck_assert_int_eq(module != NULL, options.abi.clip_distances == 8);
    ck_assert(module || g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
    ck_assert_msg(module || strstr(error->message, "9 clip distances; there are at most 8"), "%s",
                  error ? error->message : "");
  }
}
END_TEST

/* A build without SPIR-V says so. */
START_TEST(spirv_is_refused) {
  static const char *const names[] = {NULL, "a.spv"};
  for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *message = g_strdup_printf(
        "%s: this build does not support SPIR-V, since SPIRV-Tools or the SPIR-V headers were "
        "missing",
        names[i] ? names[i] : "SPIR-V");
    ck_assert_ptr_null(
        norn_module_from_spirv(nothing, sizeof nothing, names[i], NULL, NULL, &error));
    ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED));
    ck_assert_str_eq(error->message, message);
  }
  NornSpirvResource resource;
  ck_assert(!norn_spirv_interface_resource(NULL, 0, &resource));
  norn_spirv_interface_free(NULL);
}
END_TEST

/* What a driver that sets nothing gets (doc/spirv.md). */
START_TEST(spirv_has_defaults) {
  NornSpirvOptions options;
  memset(&options, 0xFF, sizeof options);
  norn_spirv_options_init(&options);
  ck_assert_uint_eq(options.abi.resource_table, 16);
  ck_assert_uint_eq(options.abi.sampler_table, 32);
  ck_assert_uint_eq(options.abi.clip_location, 32);
  ck_assert_uint_eq(options.abi.grid_limit, 65535);
  ck_assert_int_eq(options.abi.robustness, 0);
  ck_assert_uint_eq(options.abi.clip_distances, 0);
}
END_TEST

/* A module begins with the magic number, in either byte order. */
START_TEST(spirv_is_recognized) {
  static const unsigned char little[] = {3, 2, 0x23, 7}, big[] = {7, 0x23, 2, 3};
  static const unsigned char other[] = {3, 2, 0x23, 8};
  ck_assert(norn_spirv_is_module(little, 4));
  ck_assert(norn_spirv_is_module(big, 4));
  ck_assert(!norn_spirv_is_module(little, 3));
  ck_assert(!norn_spirv_is_module(big, 3));
  ck_assert(!norn_spirv_is_module(other, 4));
  ck_assert(!norn_spirv_is_module(NULL, 0));
}
END_TEST

/* The values that an instruction finds for the first time and leaves, as "name:register/words ...".
 */
static char *
describe_values(const NornCodeValue *values, unsigned count) {
  GString *text = g_string_new(NULL);
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(text, "%s%s:%u/%u", i ? " " : "", values[i].name, values[i].reg,
                           values[i].words);
  return g_string_free(text, FALSE);
}

/* What a split at the end of a block makes is in registers in the next one, but is not listed
 * there.
 */
START_TEST(code_is_mapped_to_names) {
  static const char text[] = "target valhall 9\n"
                             "shader compute @k workgroup(16, 1, 1) {\n"
                             "  fau x: i64 @ 0, n: i32 @ 2\n"
                             "entry:\n"
                             "  %i@r60 = preload.i32 60\n"
                             "  %at@r0:r1 = SHADDX.u64 u0, %i@r60.w0, shift:0x4\n"
                             "  %w@r2:r5 = LOAD.i128.unsigned.slot0.wait0 %at@r0:r1, offset:0\n"
                             "  %z@r6 = IADD_IMM.i32 0x0, #0x0\n"
                             "  %a@r2, %b@r3, %c@r4, %d@r5 = split.i32.w4 %w@r2:r5\n"
                             "  jump head(%z@r6, %a@r2)\n"
                             "head(%k@r6: i32, %s@r2: i32):\n"
                             "  %next@r6 = IADD.u32 %k@r6, 0x1000000.b3\n"
                             "  %more@r7 = ICMP_OR.u32.lt.m1 %next@r6, u2, 0x0\n"
                             "  BRANCHZ %more@r7, head(%next@r6, %s@r2), done\n"
                             "done:\n"
                             "  STORE.i32.slot0.end @%s@r2, %at@r0:r1, offset:0\n"
                             "  end\n"
                             "}\n";
  static const struct {
    unsigned line;
    const char *block, *found, *left;
  } expected[] = {
      {6, "entry", "i:60/1", "at:0/2"},
      {7, NULL, "", "w:2/4"},
      {8, NULL, "", "z:6/1"},
      {12, "head", "k:6/1 s:2/1", "next:6/1"},
      {13, NULL, "", "more:7/1"},
      {14, NULL, "", ""},
      {16, "done", "", ""},
  };
  NornModule *module = parse_text(text);
  NornCodeMap *map = norn_code_map_new(module);
  norn_module_free(module);
  for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
    const NornCodeInst *inst = norn_code_map_at(map, i);
    ck_assert_ptr_nonnull(inst);
    g_autofree char *found = describe_values(inst->found, inst->found_count);
    g_autofree char *left = describe_values(inst->left, inst->left_count);
    ck_assert_uint_eq(inst->line, expected[i].line);
    ck_assert_pstr_eq(inst->block, expected[i].block);
    ck_assert_str_eq(found, expected[i].found);
    ck_assert_str_eq(left, expected[i].left);
  }
  ck_assert_ptr_null(norn_code_map_at(map, G_N_ELEMENTS(expected)));
  norn_code_map_free(map);
}
END_TEST

/* Whether the instruction is made from one of the lines from `first` on. */
static bool
is_line_of(const NornCodeMap *map, size_t index, unsigned first, unsigned count) {
  unsigned line = norn_code_map_at(map, index)->line;
  return line >= first && line < first + count;
}

/* The first block would fit into the registers of twice as many warps, in an order that starts its
 * loads late; the second block does not fit, so the first one starts all loads at once. */
START_TEST(blocks_share_a_register_limit) {
  enum { LOADS = 40, FIRST_LOAD = 6, FIRST_SUM = FIRST_LOAD + LOADS };
  g_autoptr(GString) text = g_string_new("shader compute @k workgroup(16, 1, 1) {\n"
                                         "  fau x: i64 @ 0 noalias, y: i64 @ 2, n: i32 @ 4\n"
                                         "entry:\n"
                                         "  %i = global_id.x\n"
                                         "  %p = shladd.u32.i64 fau.x, %i, 2\n");
  for (unsigned i = 0; i < LOADS; i++)
    g_string_append_printf(text, "  %%l%u = load.global.f32 %%p, offset:%u\n", i, 64 * i);
  for (unsigned i = 0; i < LOADS; i++)
    g_string_append_printf(text, "  %%s%u = fadd.f32 %%%c%u, %%l%u\n", i, i ? 's' : 'l',
                           i ? i - 1 : 0, i);
  g_string_append(text, "  store.global.f32 %s39, %p\n"
                        "  %c = icmp.ult.i32 %i, fau.n\n"
                        "  br %c, more, done\n"
                        "more:\n"
                        "  %q = shladd.u32.i64 fau.y, %i, 2\n");
  for (unsigned i = 0; i < LOADS; i++)
    g_string_append_printf(text, "  %%m%u = load.global.f32 %%q, offset:%u\n", i, 64 * i);
  g_string_append(text, "  barrier.workgroup\n");
  for (unsigned i = 0; i < LOADS; i++)
    g_string_append_printf(text, "  %%t%u = fmul.f32 %%%c%u, %%m%u\n", i, i ? 't' : 's',
                           i ? i - 1 : LOADS - 1, i);
  g_string_append(text, "  store.global.f32 %t39, %p, offset:4\n"
                        "  jump done\n"
                        "done:\n"
                        "  end\n"
                        "}\n");
  g_autoptr(NornModule) module = parse_text(text->str);
  g_autoptr(GBytes) code = norn_compile(module, NULL, NULL, NULL);
  ck_assert_ptr_nonnull(code);
  g_autoptr(NornCodeMap) map = norn_code_map_new(module);
  unsigned loads = 0;
  for (size_t i = 0; !is_line_of(map, i, FIRST_SUM, LOADS); i++)
    loads += is_line_of(map, i, FIRST_LOAD, LOADS);
  ck_assert_uint_eq(loads, LOADS);
}
END_TEST

/* The spills of a compilation. */
typedef struct Spills {
  NornSpilledValue of[64]; /* names and definitions are not kept */
  char name[64][8];
  unsigned count;
} Spills;

static void
note_spill(const NornSpilledValue *value, gpointer user_data) {
  Spills *spills = user_data;
  ck_assert_uint_lt(spills->count, G_N_ELEMENTS(spills->of));
  g_strlcpy(spills->name[spills->count], value->name ? value->name : "", sizeof spills->name[0]);
  ck_assert(!value->name || value->definition);
  spills->of[spills->count++] = *value;
}

/* Compiles the module for few registers. */
static Spills
find_spills(NornModule *module) {
  Spills spills = {.count = 0};
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.chaos = NORN_CHAOS_SPILL;
  options.spill_hook = note_spill;
  options.spill_data = &spills;
  g_autoptr(GBytes) code = norn_compile(module, &options, NULL, NULL);
  ck_assert_ptr_nonnull(code);
  return spills;
}

static const NornSpilledValue *
find_spill(const Spills *spills, const char *name) {
  for (unsigned i = 0; i < spills->count; i++)
    if (!strcmp(spills->name[i], name))
      return &spills->of[i];
  ck_abort_msg("%s is not spilled", name);
}

/* A loop that needs many registers. */
static NornModule *
crowded_loop(void) {
  g_autoptr(GString) text = g_string_new("shader compute @k workgroup(1, 1, 1) {\n"
                                         "  fau x: i64 @ 0, n: i32 @ 2\n"
                                         "entry:\n"
                                         "  %i = global_id.x\n"
                                         "  %o = load.global.i32 fau.x\n"
                                         "  jump head(0, 7)\n"
                                         "head(%k: i32, %a: i32):\n"
                                         "  %v = imul.i32 %a, %i\n"
                                         "  %p = shladd.u32.i64 fau.x, %k, 2\n"
                                         "  %t0 = imul.i32 %k, %k\n"
                                         "  %u24 = imul.i32 %t0, %k\n");
  for (unsigned i = 0; i < 24; i++)
    g_string_append_printf(text, "  %%l%u = load.global.i32 %%p, offset:%u\n", i, 64 * i);
  for (unsigned i = 0; i < 24; i++)
    g_string_append_printf(text, "  %%t%u = imul.i32 %%t%u, %%l%u\n", i + 1, i, i);
  for (unsigned i = 24; i < 48; i++)
    g_string_append_printf(text, "  %%u%u = iadd.i32 %%%c%u, %%l%u\n", i + 1, i == 24 ? 't' : 'u',
                           i, i - 24);
  g_string_append(text, "  %k1 = iadd.i32 %k, 1\n"
                        "  %more = icmp.ult.i32 %k1, fau.n\n"
                        "  br %more, head(%k1, %u48), done\n"
                        "done:\n"
                        "  store.global.i32 %v, fau.x\n"
                        "  store.global.i32 %o, fau.x, offset:4\n"
                        "  end\n"
                        "}\n");
  return parse_text(text->str);
}

/* A loop with more parameters than registers, tested at its top. */
static NornModule *
loop_of_parameters(unsigned count) {
  g_autoptr(GString) text = g_string_new("shader compute @k workgroup(1, 1, 1) {\n"
                                         "  fau x: i64 @ 0, y: i64 @ 2, n: i32 @ 4\n"
                                         "entry:\n"
                                         "  jump head(0");
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(text, ", %u", i % 3);
  g_string_append(text, ")\nhead(%k: i32");
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(text, ", %%a%u: i32", i);
  g_string_append(text, "):\n"
                        "  %more = icmp.ult.i32 %k, fau.n\n"
                        "  br %more, body, done\n"
                        "body:\n"
                        "  %p = shladd.u32.i64 fau.x, %k, 2\n"
                        "  %l = load.global.i32 %p\n");
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(text, "  %%n%u = imul.i32 %%a%u, %%l\n", i, i);
  g_string_append(text, "  %k1 = iadd.i32 %k, 1\n"
                        "  jump head(%k1");
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(text, ", %%n%u", i);
  g_string_append(text, ")\ndone:\n");
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(text, "  store.global.i32 %%a%u, fau.y, offset:%u\n", i, 4 * i);
  g_string_append(text, "  end\n}\n");
  return parse_text(text->str);
}

/* Parameters in memory are stored before the loop and in each iteration, and filled, by messages of
 * up to four words, whether the loop has been rotated or not. */
START_TEST(parameters_in_memory_share_messages) {
  static const unsigned most_spills[] = {0, 20, 32}, most_fills[] = {0, 21, 25};
  for (unsigned level = 1; level <= 2; level++) {
    g_autoptr(NornModule) module = loop_of_parameters(72);
    NornCompileOptions options;
    NornCompileInfo info;
    norn_compile_options_init(&options);
    options.optimization_level = level;
    g_autoptr(GBytes) code = norn_compile(module, &options, &info, NULL);
    ck_assert_ptr_nonnull(code);
    ck_assert_uint_le(info.spills, most_spills[level]);
    ck_assert_uint_le(info.fills, most_fills[level]);
  }
}
END_TEST

/* A spill is in a loop if its store or one of its fills is. */
START_TEST(spills_are_reported) {
  static const struct {
    const char *name;
    unsigned line, depth;
    NornSpillReason reason;
    bool is_beyond_loop;
  } expected[] = {{"i", 4, 1, NORN_SPILL_FARTHEST, false},
                  {"o", 5, 0, NORN_SPILL_BLOCK, false},
                  {"v", 8, 1, NORN_SPILL_FARTHEST, true}};
  g_autoptr(NornModule) module = crowded_loop();
  Spills spills = find_spills(module);
  for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
    const NornSpilledValue *value = find_spill(&spills, expected[i].name);
    ck_assert_uint_eq(value->line, expected[i].line);
    ck_assert_uint_eq(value->words, 1);
    ck_assert_uint_eq(value->stores, 1);
    ck_assert_uint_eq(value->fills, 1);
    ck_assert_uint_eq(value->recomputed, 0);
    ck_assert_uint_eq(value->depth, expected[i].depth);
    ck_assert_int_eq(value->reason, expected[i].reason);
    bool is_farthest = value->reason == NORN_SPILL_FARTHEST;
    ck_assert(value->is_beyond_loop == expected[i].is_beyond_loop);
    ck_assert((value->distance > 0) == (is_farthest && !value->is_beyond_loop));
    ck_assert((value->needed_line > value->line) == is_farthest);
  }
}
END_TEST

/* A block so long that next uses in it are as far as uses after a loop count. */
START_TEST(spills_outside_loops_are_not_before_their_end) {
  g_autoptr(GString) text = g_string_new("shader compute @k workgroup(1, 1, 1) {\n"
                                         "  fau x: i64 @ 0\n"
                                         "entry:\n"
                                         "  %m0 = global_id.x\n");
  for (unsigned i = 0; i < 40; i++)
    g_string_append_printf(text, "  %%l%u = load.global.i32 fau.x, offset:%u\n", i, 64 * i);
  g_string_append(text, "  barrier.workgroup\n");
  for (unsigned i = 0; i < 12000; i++)
    g_string_append_printf(text, "  %%m%u = imul.i32 %%m%u, %%m%u\n", i + 1, i, i);
  g_string_append(text, "  %s0 = iadd.i32 %m12000, %l0\n");
  for (unsigned i = 1; i < 40; i++)
    g_string_append_printf(text, "  %%s%u = imul.i32 %%s%u, %%l%u\n", i, i - 1, i);
  g_string_append(text, "  store.global.i32 %s39, fau.x\n  end\n}\n");
  g_autoptr(NornModule) module = parse_text(text->str);
  Spills spills = find_spills(module);
  ck_assert_uint_gt(spills.count, 0);
  for (unsigned i = 0; i < spills.count; i++) {
    ck_assert(!spills.of[i].is_beyond_loop);
    ck_assert_uint_ge(spills.of[i].distance, 12000);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("compiler");
  TCase *tests = tcase_create("compiler");
  tcase_add_test(tests, copies_are_separate);
  tcase_add_test(tests, code_is_mapped_to_names);
  tcase_add_test(tests, blocks_share_a_register_limit);
  tcase_add_test(tests, parameters_in_memory_share_messages);
  tcase_add_test(tests, spills_are_reported);
  tcase_add_test(tests, spills_outside_loops_are_not_before_their_end);
  tcase_add_test(tests, compiled_modules_are_refused);
  tcase_add_test(tests, copies_of_built_modules);
  tcase_add_test(tests, kept_memory_changes_nothing);
  tcase_add_test(tests, kept_memory_is_not_counted);
  tcase_add_test(tests, hooks_compile_with_the_same_compiler);
  tcase_add_test(tests, promotes_what_is_allowed);
  tcase_add_test(tests, many_variables);
  tcase_add_test(tests, constants_far_from_each_other);
  tcase_add_test(tests, vertex_programs);
  tcase_add_test(tests, threads_share_a_module);
  if (norn_spirv_is_available()) {
    tcase_add_test(tests, changed_modules_are_verified_again);
    tcase_add_test(tests, unknown_robustness_is_refused);
    tcase_add_test(tests, reading_spirv_has_limits);
    tcase_add_test(tests, too_many_clip_distances_are_refused);
  } else {
    tcase_add_test(tests, spirv_is_refused);
  }
  tcase_add_test(tests, spirv_has_defaults);
  tcase_add_test(tests, spirv_is_recognized);
  suite_add_tcase(suite, tests);
  return suite;
}
