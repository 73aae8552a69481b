/* The promises of the public headers other than compiling and running: descriptions, options
 * that are refused, information for the driver, limits. Uses nothing else of the library. */
#include "ir_text.h"
#include "unit.h"
#include <math.h>
#include <norn/isa.h>
#include <norn/norn.h>
#include <string.h>

static void
expect_error(GError *error, int code, const char *part) {
  ck_assert_ptr_nonnull(error);
  ck_assert_int_eq(error->domain, NORN_ERROR);
  ck_assert_int_eq(error->code, code);
  ck_assert_msg(strstr(error->message, part) != NULL, "%s", error->message);
  g_error_free(error);
}

/* --- Descriptions --- */

START_TEST(operations_are_described) {
  ck_assert_str_eq(norn_op_name(NORN_OP_FMA), "fma");
  char *syntax = norn_op_syntax(NORN_OP_FMA);
  ck_assert_str_eq(syntax, "T = fma.T T, T, T");
  g_free(syntax);
  char **details = norn_op_details(NORN_OP_ICMP);
  ck_assert_str_eq(details[0], "T: i8 i16 i32 i64");
  ck_assert_str_eq(details[1], "INTCONDITION: eq ne ult ule ugt uge slt sle sgt sge");
  g_strfreev(details);
  for (NornOp op = NORN_OP_NONE + 1; op < NORN_OP_COUNT; op++) {
    syntax = norn_op_syntax(op);
    ck_assert_msg(strstr(syntax, norn_op_name(op)) != NULL, "%s", syntax);
    ck_assert_uint_gt(strlen(norn_op_meaning(op)), 0);
    details = norn_op_details(op);
    for (char **line = details; *line; line++)
      ck_assert_msg(**line && !strchr(*line, '\n'), "%s", norn_op_name(op));
    g_strfreev(details);
    g_free(syntax);
  }
}
END_TEST

START_TEST(invalid_operations_have_no_description) {
  const NornOp none[] = {NORN_OP_NONE, NORN_OP_COUNT, NORN_OP_MACHINE, (NornOp)-1};
  for (unsigned i = 0; i < G_N_ELEMENTS(none); i++) {
    ck_assert_ptr_null(norn_op_name(none[i]));
    ck_assert_ptr_null(norn_op_meaning(none[i]));
    ck_assert_ptr_null(norn_op_syntax(none[i]));
    ck_assert_ptr_null(norn_op_details(none[i]));
  }
}
END_TEST

START_TEST(stages_and_formats_have_names) {
  ck_assert_str_eq(norn_stage_name(NORN_STAGE_FRAGMENT), "fragment");
  ck_assert_ptr_null(norn_stage_name(NORN_STAGE_COUNT));
  ck_assert_str_eq(norn_format_name(NORN_FORMAT_S16), "s16");
  ck_assert_ptr_null(norn_format_name(NORN_FORMAT_COUNT));
}
END_TEST

START_TEST(floats_and_their_bits) {
  ck_assert_uint_eq(norn_float_bits(NORN_TYPE_F16, 1.5), 0x3E00);
  ck_assert_uint_eq(norn_float_bits(NORN_TYPE_F16, 65520), 0x7C00);
  ck_assert_uint_eq(norn_float_bits(NORN_TYPE_F16, 0x1p-25), 0);
  ck_assert_uint_eq(norn_float_bits(NORN_TYPE_F16, 0x1.8p-25), 1);
  ck_assert_uint_eq(norn_float_bits(NORN_TYPE_F32, -0.0), 0x80000000);
  ck_assert_uint_eq(norn_float_bits(NORN_TYPE_F64, 1), UINT64_C(0x3FF0000000000000));
  ck_assert_uint_eq(norn_float_bits(NORN_TYPE_I32, 1), 0);
  ck_assert(norn_float_number(NORN_TYPE_F16, 0x0001) == 0x1p-24);
  ck_assert(norn_float_number(NORN_TYPE_F32, 0x3FC00000) == 1.5);
  ck_assert(isnan(norn_float_number(NORN_TYPE_F16, 0x7E01)));
  ck_assert(norn_float_number(NORN_TYPE_V2F16, 0x3E003E00) == 0);
}
END_TEST

START_TEST(images_have_sizes) {
  NornImage image = {.format = {4, 8, NORN_CHANNEL_UNORM},
                     .width = 5,
                     .height = 3,
                     .depth = 1,
                     .layers = 2,
                     .levels = 3,
                     .samples = 1};
  uint64_t bytes;
  uint32_t size[4];
  ck_assert(norn_image_bytes(&image, &bytes));
  ck_assert_uint_eq(bytes, (5 * 3 + 2 * 1 + 1 * 1) * 2 * 4);
  norn_image_size(&image, 1, size);
  ck_assert(size[0] == 2 && size[1] == 1 && size[2] == 1 && size[3] == 2);
  image.levels = 18;
  ck_assert(!norn_image_bytes(&image, &bytes));
  image.levels = 1;
  image.format.kind = NORN_CHANNEL_FLOAT;
  ck_assert(!norn_pixel_format_exists(image.format) && !norn_image_bytes(&image, &bytes));
  image.format.bits = 16;
  ck_assert(norn_pixel_format_exists(image.format) && norn_image_bytes(&image, &bytes));
  ck_assert_uint_eq(norn_pixel_format_bytes(image.format), 8);
  image.width = image.height = image.layers = image.depth = UINT32_MAX;
  ck_assert(!norn_image_bytes(&image, &bytes));
}
END_TEST

START_TEST(instruction_sets_have_titles) {
  ck_assert_str_eq(norn_isa_title(norn_isa_find("valhall")), "Arm Mali Valhall");
  for (unsigned i = 0; norn_isa_at(i); i++)
    ck_assert_str_ne(norn_isa_title(norn_isa_at(i)), norn_isa_name(norn_isa_at(i)));
}
END_TEST

/* --- Information for the driver --- */

static const char compute[] = "shader compute @t workgroup(1, 1, 1) {\nentry:\n  end\n}\n";

/* Properties that a builder sets on a module are in its text, and survive parsing. */
START_TEST(modules_report_what_they_declare) {
  NornModule *module = norn_module_new(NORN_STAGE_COMPUTE, "t");
  norn_module_set_workgroup(module, 4, 2, 1);
  ck_assert_uint_eq(norn_module_grid_limit(module), 0);
  norn_module_set_grid_limit(module, 77);
  ck_assert_uint_eq(norn_module_grid_limit(module), 77);
  norn_module_add_fau(module, "p", NORN_TYPE_I64, 2, 1);
  norn_module_add_fau(module, "list", NORN_TYPE_F32, 4, 3);
  NornType type = NORN_TYPE_VOID;
  unsigned word = 9, count = 9;
  ck_assert(!norn_module_find_fau(module, "q", &type, &word, &count));
  ck_assert(type == NORN_TYPE_VOID && word == 9 && count == 9);
  ck_assert(norn_module_find_fau(module, "list", &type, &word, &count));
  ck_assert(type == NORN_TYPE_F32 && word == 4 && count == 3);
  ck_assert_str_eq(norn_module_fau_name(module, 1), "list");
  ck_assert_ptr_null(norn_module_fau_name(module, 2));
  ck_assert(!norn_module_find_value(module, "v", &type));
  NornBuilder *builder = norn_builder_new(module);
  norn_builder_set_block(builder, norn_build_block(builder, "entry"));
  NornRef value = norn_build_int(builder, NORN_TYPE_I32, 1);
  norn_build_name(builder, norn_build_iadd(builder, NORN_TYPE_I32, value, value), "v");
  norn_build_end(builder);
  norn_builder_free(builder);
  ck_assert(norn_module_find_value(module, "v", &type) && type == NORN_TYPE_I32);
  char *text = norn_module_print(module, NULL);
  ck_assert_msg(strstr(text, "workgroup(4, 2, 1) grid(77)") != NULL, "%s", text);
  g_free(text);
  norn_module_free(module);
}
END_TEST

START_TEST(early_tests_are_requested) {
  NornModule *module = norn_module_new(NORN_STAGE_FRAGMENT, "t");
  NornShaderInfo info;
  for (unsigned early = 0; early < 2; early++) {
    norn_module_set_early_tests(module, early);
    norn_module_shader_info(module, &info);
    ck_assert_uint_eq(info.requires_early_tests, early);
  }
  norn_module_free(module);
}
END_TEST

START_TEST(running_by_sample_is_requested) {
  NornModule *module = norn_module_new(NORN_STAGE_FRAGMENT, "t");
  NornShaderInfo info;
  for (unsigned by_sample = 0; by_sample < 2; by_sample++) {
    norn_module_set_by_sample(module, by_sample);
    norn_module_shader_info(module, &info);
    ck_assert_uint_eq(info.runs_by_sample, by_sample);
  }
  norn_module_free(module);
}
END_TEST

START_TEST(shader_info_of_a_module) {
  NornShaderInfo info;
  NornModule *module = parse_text("shader fragment @t {\n"
                                  "entry:\n"
                                  "  %c = load.tile.f16.w2 0, target:5\n"
                                  "  store.tile.f16.w2 %c, 0, target:3\n"
                                  "  %d = collect.f32.w4 1.0, 1.0, 1.0, 1.0\n"
                                  "  store.color.f32.w4 %d, target:1\n"
                                  "  end\n"
                                  "}\n");
  ck_assert_int_eq(norn_module_stage(module), NORN_STAGE_FRAGMENT);
  norn_module_shader_info(module, &info);
  ck_assert_uint_eq(info.writes_tile, 1 << 3);
  ck_assert_uint_eq(info.tile_targets, 1 << 5);
  ck_assert_uint_eq(info.color_targets, 1 << 1);
  ck_assert_int_eq(info.color_formats[1], NORN_FORMAT_F32);
  ck_assert_int_eq(info.color_formats[3], NORN_FORMAT_F16);
  norn_module_free(module);
  /* All functions count, including dead code. */
  module = parse_text("shader vertex @t {\n"
                      "entry:\n"
                      "  %v = vertex_id\n"
                      "  %p = load.attribute.f32.w4 %v, 0, index:70\n"
                      "  call.void @f(%v)\n"
                      "  end\n"
                      "}\n"
                      "function @f(%x: i32) -> void {\n"
                      "entry:\n"
                      "  store.varying.i32 %x, offset:8\n"
                      "  store.varying.i32 %x, offset:4\n"
                      "  return.void\n"
                      "}\n");
  norn_module_shader_info(module, &info);
  ck_assert_uint_eq(info.attributes[1], 1 << 6);
  ck_assert_uint_eq(info.varying_size, 12);
  ck_assert(!info.writes_position);
  norn_module_free(module);
}
END_TEST

static NornShaderInfo
info_of(const char *text) {
  NornShaderInfo info;
  NornModule *module = parse_text(text);
  norn_module_shader_info(module, &info);
  norn_module_free(module);
  return info;
}

/* The format of a color is that of its stores, whatever tile stores there are; each kind of
 * interpolation is known; only fragments have tests. */
START_TEST(shader_info_of_stages) {
  NornShaderInfo info = info_of("shader fragment @t {\n"
                                "entry:\n"
                                "  %x = load.varying.flat.f32.f32\n"
                                "  %v = collect.f32.w4 %x, 0.0, 0.0, 0.0\n"
                                "  store.color.f16.w4 %v, target:1\n"
                                "  store.second_color.f16.w4 %v\n"
                                "  store.tile.s32.w4 %v, 0, target:1\n"
                                "  end\n"
                                "}\n");
  ck_assert_int_eq(info.color_formats[1], NORN_FORMAT_F16);
  ck_assert(info.second_color && info.second_format == NORN_FORMAT_F16);
  ck_assert(info.reads_flat && !info.reads_centroid && !info.runs_by_sample);
  info = info_of("shader fragment @t {\nentry:\n  %x = load.varying.centroid.f32.f32\n  end\n}\n");
  ck_assert(!info.reads_flat && info.reads_centroid && !info.runs_by_sample);
  info = info_of("shader fragment @t {\nentry:\n  %x = load.varying.sample.f32.f32\n  end\n}\n");
  ck_assert(!info.reads_flat && !info.reads_centroid && info.runs_by_sample);
  info = info_of("shader fragment @t {\nentry:\n  %s = sample_id\n  end\n}\n");
  ck_assert(!info.reads_flat && !info.reads_centroid && info.runs_by_sample);
  info = info_of("shader fragment @t {\nentry:\n  call.void @f()\n  end\n}\n"
                 "function @f() -> void {\nentry:\n  return.void\n}\n");
  ck_assert(!info.needs_helpers && info.early_tests && info.forward_kill);
  info = info_of("shader vertex @t {\nentry:\n  end\n}\n");
  ck_assert(!info.early_tests && !info.forward_kill);
}
END_TEST

/* The operations of a fragment shader, one instruction each, and what the driver may not do
 * because of them. */
static const struct {
  const char *body;
  bool early_tests, forward_kill;
} effects[] = {
    {"", true, true},
    {"  store.color.f32.w4 %v\n", true, true},
    {"  %l = load.buffer.f32 1, 0\n", true, true},
    {"  %l = load.tile.f32.w4 0, target:0\n", true, false},
    {"  %l = load.tile_depth 0\n", true, false},
    {"  %l = load.tile_stencil 0\n", true, false},
    {"  store.tile.f32.w4 %v, 0, target:0\n", true, false},
    {"  store.depth 0.0\n", false, false},
    {"  store.stencil 0\n", false, false},
    {"  store.coverage 0\n", false, false},
    {"  demote true\n", false, false},
    {"  alpha_test.olt.f32 0.0, 0.5\n", false, false},
    {"  store.buffer.f32 0.0, 1, 0\n", false, false},
    {"  store.scratch.f32 0.0, 0\n", true, true},
    {"  fence.device\n", true, true},
    {"  call.void @f()\n", true, true},
};

START_TEST(early_tests_are_allowed_where_nothing_depends_on_them) {
  for (unsigned i = 0; i < G_N_ELEMENTS(effects); i++) {
    char *text = g_strdup_printf("shader fragment @t scratch(4) {\n"
                                 "entry:\n"
                                 "  %%v = collect.f32.w4 0.0, 0.0, 0.0, 0.0\n"
                                 "%s  end\n"
                                 "}\n"
                                 "function @f() -> void {\n"
                                 "entry:\n"
                                 "  return.void\n"
                                 "}\n",
                                 effects[i].body);
    NornModule *module = parse_text(text);
    NornShaderInfo info;
    norn_module_shader_info(module, &info);
    ck_assert_msg(info.early_tests == effects[i].early_tests, "%s", text);
    ck_assert_msg(info.forward_kill == effects[i].forward_kill, "%s", text);
    norn_module_free(module);
    g_free(text);
  }
}
END_TEST

START_TEST(handles_name_tables) {
  static const char *const handles[] = {"0", "fau.h", "0x50000000"}; /* the last: no such table */
  for (unsigned i = 0; i < G_N_ELEMENTS(handles); i++) {
    char *text = g_strdup_printf("shader compute @t workgroup(1, 1, 1) {\n"
                                 "  fau h: i32 @ 0\n"
                                 "entry:\n"
                                 "  %%l = load.buffer.f32 0x3000005, 0\n"
                                 "  store.buffer.f32 %%l, 0x25000000, 0\n"
                                 "  store.buffer.f32 %%l, %s, 0\n"
                                 "  end\n"
                                 "}\n",
                                 handles[i]);
    NornModule *module = parse_text(text);
    NornShaderInfo info;
    norn_module_shader_info(module, &info);
    ck_assert_uint_eq(info.tables, UINT64_C(1) << 0x25 | 1 << 3 | !i);
    ck_assert_uint_eq(info.unknown_handles, i > 0);
    norn_module_free(module);
    g_free(text);
  }
}
END_TEST

/* Tables that only the options name, for attributes and for the sampler of texels. */
START_TEST(options_name_tables) {
  static const char *const texts[] = {"shader vertex @t {\n"
                                      "entry:\n"
                                      "  %v = vertex_id\n"
                                      "  %p = load.attribute.f32.w4 %v, 0, index:0\n"
                                      "  store.position.w4 %p\n"
                                      "  end\n"
                                      "}\n",
                                      "shader compute @t workgroup(1, 1, 1) {\n"
                                      "entry:\n"
                                      "  %l = tex_fetch.2d.f32.f32 0x2000000, 0, 0, 0, 0\n"
                                      "  store.buffer.f32 %l, 0x2000001, 0\n"
                                      "  end\n"
                                      "}\n",
                                      compute};
  static const uint64_t tables[] = {1 << 7, 1 << 5 | 1 << 2, 0};
  for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
    for (unsigned level = 0; level <= 2; level++) {
      NornModule *module = parse_text(texts[i]);
      NornCompileOptions options;
      norn_compile_options_init(&options);
      options.optimization_level = level;
      options.attribute_table = 7;
      options.fetch_sampler = 5 << NORN_HANDLE_TABLE_SHIFT | 3;
      NornCompileInfo info;
      GBytes *code = norn_compile(module, &options, &info, NULL);
      ck_assert_ptr_nonnull(code);
      ck_assert_uint_eq(info.shader.tables, tables[i]);
      ck_assert(!info.shader.unknown_handles);
      g_bytes_unref(code);
      norn_module_free(module);
    }
}
END_TEST

/* The message itself has room for a table of 0 to 11 or 60 to 63 and an attribute of 0 to 15;
 * others are given by a handle. */
START_TEST(attributes_name_their_table) {
  static const struct {
    unsigned table, index;
    const char *expected;
  } cases[] = {
      {11, 15, "index:0xF, table:0xB"},
      {11, 16, "0xB000010"},
      {12, 3, "0xC000003"},
      {59, 0, "0x3B000000"},
      {60, 2, "index:0x2, table:0xC"},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    char *text = g_strdup_printf("shader vertex @t {\n"
                                 "entry:\n"
                                 "  %%v = vertex_id\n"
                                 "  %%p = load.attribute.f32.w4 %%v, 0, index:%u\n"
                                 "  store.position.w4 %%p\n"
                                 "  end\n"
                                 "}\n",
                                 cases[i].index);
    NornModule *module = parse_text(text);
    NornCompileOptions options;
    norn_compile_options_init(&options);
    options.attribute_table = cases[i].table;
    options.promote_constants = false;
    NornCompileInfo info;
    GBytes *code = norn_compile(module, &options, &info, NULL);
    ck_assert_ptr_nonnull(code);
    ck_assert_uint_eq(info.shader.tables, UINT64_C(1) << cases[i].table);
    gsize size;
    const void *words = g_bytes_get_data(code, &size);
    const NornIsaDisassembleOptions plain = {0};
    char *listing = norn_isa_disassemble(norn_isa_find("valhall"), words, size, &plain, NULL);
    ck_assert_msg(strstr(listing, cases[i].expected), "%s is not in\n%s", cases[i].expected,
                  listing);
    g_free(listing);
    g_bytes_unref(code);
    norn_module_free(module);
    g_free(text);
  }
}
END_TEST

/* Lanes wait for each other in loops, but only what looks at the neighbors needs helpers. */
START_TEST(loops_need_no_helpers) {
  static const char *const bodies[] = {"", "  %d = ddx.fine.f32 %s\n"};
  for (unsigned i = 0; i < G_N_ELEMENTS(bodies); i++)
    for (unsigned level = 0; level <= 2; level++) {
      char *text = g_strdup_printf("shader fragment @t {\n"
                                   "  fau n: i32 @ 0\n"
                                   "entry:\n"
                                   "  %%v = load.varying.center.f32.f32\n"
                                   "  jump loop(0, %%v)\n"
                                   "loop(%%k: i32, %%s: f32):\n"
                                   "%s"
                                   "  %%t = fma.f32 %%s, %%v, %s\n"
                                   "  %%next = iadd.i32 %%k, 1\n"
                                   "  %%more = icmp.ult.i32 %%next, fau.n\n"
                                   "  br %%more, loop(%%next, %%t), done\n"
                                   "done:\n"
                                   "  %%c = collect.f32.w4 %%t, %%t, %%t, 1.0\n"
                                   "  store.color.f32.w4 %%c, target:0\n"
                                   "  end\n"
                                   "}\n",
                                   bodies[i], i ? "%d" : "%v");
      NornModule *module = parse_text(text);
      NornCompileOptions options;
      norn_compile_options_init(&options);
      options.optimization_level = level;
      NornCompileInfo info;
      GBytes *code = norn_compile(module, &options, &info, NULL);
      ck_assert_ptr_nonnull(code);
      ck_assert_uint_eq(info.shader.needs_helpers, i);
      g_bytes_unref(code);
      norn_module_free(module);
      g_free(text);
    }
}
END_TEST

/* A driver may ask about a module that is not verified: whether it takes two programs, for
 * example. */
START_TEST(wrong_modules_have_information) {
  NornModule *module = norn_module_new(NORN_STAGE_VERTEX, "t");
  NornBuilder *builder = norn_builder_new(module);
  norn_builder_set_block(builder, norn_build_block(builder, "entry"));
  NornRef zero = norn_build_bits(builder, 0);
  norn_build_load_buffer(builder, NORN_TYPE_I32, (NornRef)NORN_REF_CONSTANT << 28 | 99, zero, 0);
  norn_build_store_varying(builder, (NornType)99, zero, 0);
  norn_build_end(builder);
  norn_builder_free(builder);
  NornShaderInfo info;
  norn_module_shader_info(module, &info);
  ck_assert(!info.tables && info.unknown_handles && !info.varying_size);
  NornVertexPrograms programs;
  GError *error = NULL;
  ck_assert(!norn_compiler_compile_vertex(NULL, module, NULL, &programs, &error));
  expect_error(error, NORN_ERROR_INVALID, "not a valid reference");
  norn_module_free(module);
}
END_TEST

/* A word that is read as half of a pair uses the whole pair. */
START_TEST(uniform_words_read_as_pairs_count_as_pairs) {
  NornModule *module = parse_text("shader compute @t workgroup(16, 1, 1) {\n"
                                  "  fau n: i32 @ 10\n"
                                  "entry:\n"
                                  "  %i = local_id.x\n"
                                  "  %j = zext.i64.i32 %i\n"
                                  "  %q = shladd.u32.i64 %j, fau.n, 3\n"
                                  "  store.global.i32 %i, %q\n"
                                  "  end\n"
                                  "}\n");
  NornCompileInfo info;
  GError *error = NULL;
  GBytes *code = norn_compile(module, NULL, &info, &error);
  ck_assert_msg(code != NULL, "%s", error ? error->message : "");
  char *text = norn_module_print(module, NULL);
  ck_assert_msg(strstr(text, "u10.w0") != NULL, "the word is not read as half of a pair:\n%s",
                text);
  ck_assert_uint_eq(info.fau_words, 12);
  g_free(text);
  g_bytes_unref(code);
  norn_module_free(module);
}
END_TEST

/* --- Options --- */

static void
expect_refused(const char *text, const NornCompileOptions *options, const char *part) {
  NornModule *module = parse_text(text);
  GError *error = NULL;
  ck_assert_ptr_null(norn_compile(module, options, NULL, &error));
  expect_error(error, NORN_ERROR_INVALID, part);
  norn_module_free(module);
  module = parse_text(text);
  error = NULL;
  ck_assert(!norn_run_passes(module, "dce", options, NULL, &error));
  expect_error(error, NORN_ERROR_INVALID, part);
  norn_module_free(module);
}

START_TEST(options_without_effect_are_refused) {
  static const char second_line[] = "\n shader vertex @t {\nentry:\n  end\n}\n";
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.by_sample = true;
  expect_refused(compute, &options, "t:1:1: running by sample is only for fragment shaders");
  expect_refused(second_line, &options, "t:2:1: running by sample is only for fragment shaders");
  NornModule *built = norn_module_new(NORN_STAGE_VERTEX, "t"); /* it has no lines */
  GError *error = NULL;
  ck_assert(!norn_run_passes(built, "dce", &options, NULL, &error));
  ck_assert_ptr_null(strstr(error->message, ":0:"));
  expect_error(error, NORN_ERROR_INVALID, ": running by sample is only for fragment shaders");
  norn_module_free(built);
  norn_compile_options_init(&options);
  options.vertex_part = NORN_VERTEX_VARYINGS;
  expect_refused(compute, &options, "t:1:1: choosing a vertex part is only for vertex shaders");
  norn_compile_options_init(&options);
  options.optimization_level = 4;
  expect_refused(compute, &options, "optimization_level is 4, expected 0 to 3");
  norn_compile_options_init(&options);
  options.optimization_level = 3;
  options.effort = NORN_MAX_EFFORT + 1;
  expect_refused(compute, &options, "effort is 1000001, expected 0 to 1000000");
  norn_compile_options_init(&options);
  options.attribute_table = NORN_TABLES;
  expect_refused(compute, &options, "attribute_table is 64, expected 0 to 63");
  norn_compile_options_init(&options);
  options.fetch_sampler = NORN_TABLES << NORN_HANDLE_TABLE_SHIFT;
  expect_refused(compute, &options, "fetch_sampler is 1073741824, expected 0 to 1073741823");
  norn_compile_options_init(&options);
  options.pass_limit = -2;
  expect_refused(compute, &options, "pass_limit is -2");
  norn_compile_options_init(&options);
  options.chaos = NORN_CHAOS_SLOTS << 1;
  expect_refused(compute, &options, "chaos is 32, expected 0 to 31");
  norn_compile_options_init(&options);
  options.checks = NORN_CHECK_ALL + 1;
  expect_refused(compute, &options, "checks is 64, expected 0 to 63");
  norn_compile_options_init(&options);
  options.architecture = "10";
  expect_refused("target valhall 9\nshader compute @t workgroup(1, 1, 1) {\nentry:\n  end\n}\n",
                 &options, "the module is for valhall 9, not for valhall 10");
  norn_compile_options_init(&options);
  options.skip_passes = "dce,select";
  expect_refused(compute, &options, "the option skip_passes: the pass 'select' is not optional");
  options.skip_passes = ""; /* none */
  NornModule *module = parse_text(compute);
  GBytes *code = norn_compile(module, &options, NULL, NULL);
  ck_assert_ptr_nonnull(code);
  g_bytes_unref(code);
  norn_module_free(module);
}
END_TEST

START_TEST(passes_are_listed) {
  NornPassInfo info;
  unsigned seen = 0;
  for (unsigned k = 0; norn_pass_info(NULL, k, &info); k++) {
    seen += !strcmp(info.name, "dce") || !strcmp(info.name, "select");
    if (!strcmp(info.name, "dce"))
      ck_assert(info.is_optional);
    if (!strcmp(info.name, "select") || !strcmp(info.name, "allocate"))
      ck_assert(!info.is_optional);
  }
  ck_assert_uint_eq(seen, 2);
  ck_assert(norn_passes_check(NULL, "dce,gvn", NULL));
  GError *error = NULL;
  ck_assert(!norn_passes_check(NULL, "dce,", &error));
  expect_error(error, NORN_ERROR_INVALID, "unknown pass ''");
  ck_assert_ptr_nonnull(norn_pipeline_step(NULL, 0, 0));
  ck_assert_ptr_null(norn_pipeline_step("nothing", 0, 0));
}
END_TEST

/* --- Text and limits --- */

START_TEST(a_byte_order_mark_is_skipped) {
  char *marked = g_strconcat("\xEF\xBB\xBF", compute, NULL);
  norn_module_free(parse_text(marked));
  g_free(marked);
  GError *error = NULL;
  ck_assert_ptr_null(norn_module_parse("\xEF\xBB\xBFx", 4, "api", &error));
  expect_error(error, NORN_ERROR_SYNTAX, "api:1:1: ");
  error = NULL;
  ck_assert_ptr_null(norn_module_parse("\xEF\xBB\xBF", 3, "api", &error));
  expect_error(error, NORN_ERROR_SYNTAX, "api:1:1: ");
  char *shown = norn_error_with_source("api:1:1: no", "\xEF\xBB\xBFx", 4);
  ck_assert_str_eq(shown, "api:1:1: no\n  x\n  ^");
  g_free(shown);
  const NornIsa *gcn = norn_isa_find("gcn");
  NornIsaAssembleOptions options = {0};
  static const char marked_code[] = "\xEF\xBB\xBFv_mov_b32 v0, 1.0\n";
  GBytes *code = norn_isa_assemble(gcn, marked_code, strlen(marked_code), "api", &options, &error);
  ck_assert_ptr_nonnull(code);
  g_bytes_unref(code);
}
END_TEST

START_TEST(running_out_of_memory_is_an_error) {
  NornMemory *memory = norn_memory_new();
  GError *error = NULL;
  ck_assert(!norn_memory_add(memory, "x", 0, NULL, SIZE_MAX / 4, &error));
  expect_error(error, NORN_ERROR_LIMIT, "buffer 'x': not enough memory for ");
  ck_assert_uint_eq(norn_memory_count(memory), 0);
  error = NULL;
  ck_assert(norn_memory_add(memory, "x", 0, NULL, 4, &error));
  norn_memory_free(memory);
}
END_TEST

START_TEST(a_launch_is_of_the_stage_of_the_module) {
  NornLaunch launch = {.stage = NORN_STAGE_VERTEX, .grid = {1, 1, 1}};
  NornModule *module = parse_text(compute);
  GError *error = NULL;
  ck_assert(!norn_interpret(module, &launch, NULL, &error));
  expect_error(error, NORN_ERROR_INVALID,
               "launch of a vertex program, but it is a compute program");
  norn_module_free(module);
}
END_TEST

START_TEST(local_memory_has_a_limit) {
  static const uint64_t nop[1] = {0};
  const NornLaunch launches[] = {
      {.grid = {1, 1, 1}, .workgroup = {16, 1, 1}, .shared_bytes = ((size_t)1 << 30) + 1},
      {.grid = {1, 1, 1}, .workgroup = {16, 1, 1}, .scratch_bytes = ((size_t)1 << 26) + 1},
      {.grid = {1, 1, 1}, .workgroup = {16, 1, 1}, .scratch_bytes = SIZE_MAX},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(launches); i++) {
    NornModule *module = parse_text(compute);
    GError *error = NULL;
    ck_assert(!norn_interpret(module, &launches[i], NULL, &error));
    expect_error(error, NORN_ERROR_LIMIT, "bytes of workgroup memory");
    error = NULL;
    ck_assert(!norn_simulate_valhall(nop, sizeof nop, "9", &launches[i], NULL, &error));
    expect_error(error, NORN_ERROR_LIMIT, "bytes of workgroup memory");
    norn_module_free(module);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("api");
  TCase *descriptions = tcase_create("descriptions");
  tcase_add_test(descriptions, operations_are_described);
  tcase_add_test(descriptions, invalid_operations_have_no_description);
  tcase_add_test(descriptions, stages_and_formats_have_names);
  tcase_add_test(descriptions, floats_and_their_bits);
  tcase_add_test(descriptions, images_have_sizes);
  tcase_add_test(descriptions, instruction_sets_have_titles);
  suite_add_tcase(suite, descriptions);
  TCase *driver = tcase_create("driver");
  tcase_add_test(driver, modules_report_what_they_declare);
  tcase_add_test(driver, early_tests_are_requested);
  tcase_add_test(driver, running_by_sample_is_requested);
  tcase_add_test(driver, shader_info_of_a_module);
  tcase_add_test(driver, shader_info_of_stages);
  tcase_add_test(driver, early_tests_are_allowed_where_nothing_depends_on_them);
  tcase_add_test(driver, handles_name_tables);
  tcase_add_test(driver, options_name_tables);
  tcase_add_test(driver, attributes_name_their_table);
  tcase_add_test(driver, passes_are_listed);
  tcase_add_test(driver, loops_need_no_helpers);
  tcase_add_test(driver, wrong_modules_have_information);
  tcase_add_test(driver, uniform_words_read_as_pairs_count_as_pairs);
  tcase_add_test(driver, options_without_effect_are_refused);
  suite_add_tcase(suite, driver);
  TCase *limits = tcase_create("limits");
  tcase_add_test(limits, a_byte_order_mark_is_skipped);
  tcase_add_test(limits, running_out_of_memory_is_an_error);
  tcase_add_test(limits, local_memory_has_a_limit);
  tcase_add_test(limits, a_launch_is_of_the_stage_of_the_module);
  suite_add_tcase(suite, limits);
  return suite;
}
