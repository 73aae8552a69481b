/* Modules created with the builder: how they are printed, and what is refused. */
#include "ir_text.h"
#include "unit.h"
#include <norn/build.h>
#include <norn/norn.h>

/* The text of a module, which must be valid; frees the module. */
static void
check_text(NornModule *module, NornBuilder *builder, const char *wanted) {
  norn_builder_free(builder);
  char *text = norn_module_print(module, NULL);
  ck_assert_str_eq(text, wanted);
  g_free(text);
  check_verified(module, NULL);
}

static void
check_fault(NornModule *module, NornBuilder *builder, const char *message) {
  norn_builder_free(builder);
  check_verified(module, message);
}

START_TEST(compute_shader) {
  NornModule *module = norn_module_new(NORN_STAGE_COMPUTE, "saxpy");
  norn_module_set_workgroup(module, 16, 2, 1);
  norn_module_set_memory(module, 128, 32);
  norn_module_set_float_mode(module, NORN_DENORMALS_FLUSH, NORN_ROUND_RTZ);
  NornRef x = norn_module_add_fau(module, "x", NORN_TYPE_I64, 0, 1);
  norn_module_set_noalias(module, x, true);
  norn_module_set_alignment(module, x, 64);
  NornRef a = norn_module_add_fau(module, "a[0]", NORN_TYPE_F32, 2, 4);
  NornBuilder *b = norn_builder_new(module);
  NornRef entry = norn_build_block(b, "entry"), body = norn_build_block(b, "body");
  NornRef done = norn_build_block(b, NULL);
  NornRef k = norn_build_parameter(b, body, NORN_TYPE_I32, "k");
  norn_builder_set_block(b, entry);
  NornRef i = norn_build_name(b, norn_build_global_id(b, NORN_AXIS_X), "i");
  NornRef inside =
      norn_build_icmp(b, NORN_INT_CONDITION_ULT, NORN_TYPE_I32, i, norn_build_uniform(b, 7));
  norn_build_br(b, inside, (NornBranch){body, 1, &i}, norn_branch(done));
  norn_builder_set_block(b, body);
  NornRef p = norn_build_shladd(b, NORN_EXTEND_U32, x, k, 2);
  NornRef value = norn_build_load_global(b, NORN_TYPE_F32, p, -4);
  norn_builder_set_flags(b, NORN_INST_EXACT | NORN_INST_NNAN);
  NornRef sum = norn_build_fma(b, NORN_TYPE_F32, a, value, norn_build_float(b, NORN_TYPE_F32, 0.5));
  norn_builder_set_flags(b, 0);
  norn_build_store_global(b, NORN_TYPE_F32, sum, p, 0);
  NornRef pair = norn_build_collect(b, NORN_TYPE_I32, NORN_TYPE_W2, 2, (NornRef[]){k, i});
  NornRef words[2], carry[2];
  norn_build_split(b, NORN_TYPE_I32, NORN_TYPE_W2, pair, 2, words);
  norn_build_iaddc(b, NORN_TYPE_I32, words[0], words[1], norn_build_int(b, NORN_TYPE_I1, 0), carry);
  norn_build_jump(b, norn_branch(done));
  norn_builder_set_block(b, done);
  norn_build_end(b);
  check_text(module, b,
             "shader compute @saxpy workgroup(16, 2, 1) shared(128) scratch(32) denormals(flush) "
             "rounding(rtz) {\n"
             "  fau x: i64 @ 0 noalias align(64), a_0_: f32[4] @ 2\n"
             "entry:\n"
             "  %i = global_id.x\n"
             "  %0 = icmp.ult.i32 %i, u7\n"
             "  br %0, body(%i), b0\n"
             "body(%k: i32):\n"
             "  %1 = shladd.u32.i64 fau.x, %k, 2\n"
             "  %2 = load.global.f32 %1, offset:-4\n"
             "  %3 = fma.f32 exact nnan fau.a_0_[0], %2, 0.5\n"
             "  store.global.f32 %3, %1\n"
             "  %4 = collect.i32.w2 %k, %i\n"
             "  %5, %6 = split.i32.w2 %4\n"
             "  %7, %8 = iaddc.i32 %5, %6, false\n"
             "  jump b0\n"
             "b0:\n"
             "  end\n"
             "}\n");
}
END_TEST

START_TEST(functions_and_switches) {
  NornModule *module = norn_module_new(NORN_STAGE_FRAGMENT, "f");
  NornFunction *square = norn_module_add_function(module, "square", NORN_TYPE_F32);
  NornFunction *nothing = norn_module_add_function(module, "nothing", NORN_TYPE_VOID);
  NornBuilder *b = norn_builder_new(module);
  NornRef entry = norn_build_block(b, "entry"), other = norn_build_block(b, "other");
  NornRef v = norn_build_parameter(b, other, NORN_TYPE_I8, "v");
  norn_builder_set_block(b, entry);
  NornRef two = norn_build_float(b, NORN_TYPE_F32, 2.0);
  NornRef four = norn_build_call(b, NORN_TYPE_F32, square, 1, &two);
  ck_assert_uint_eq(norn_build_call(b, NORN_TYPE_VOID, nothing, 0, NULL), 0);
  NornRef handle = norn_build_int(b, NORN_TYPE_I32, 0);
  norn_build_tex(b, NORN_DIMENSION_2D, NORN_TYPE_F32, NORN_TYPE_F32, handle, handle, handle, 3,
                 (NornRef[]){four, two, four}, true);
  NornRef c = norn_build_int(b, NORN_TYPE_I8, -1);
  norn_build_switch(b, NORN_TYPE_I8, c, (NornBranch){other, 1, &c}, 2,
                    (NornCase[]){{3, {other, 1, &c}}, {-7, {other, 1, &c}}});
  norn_builder_set_block(b, other);
  norn_build_not(b, NORN_TYPE_I8, v);
  norn_build_end(b);
  norn_builder_set_function(b, square);
  NornRef start = norn_build_block(b, NULL);
  NornRef x = norn_build_parameter(b, start, NORN_TYPE_F32, "x");
  norn_builder_set_block(b, start);
  norn_build_return(b, NORN_TYPE_F32, norn_build_fmul(b, NORN_TYPE_F32, x, x));
  norn_builder_set_function(b, nothing);
  norn_builder_set_block(b, norn_build_block(b, NULL));
  norn_build_return(b, NORN_TYPE_VOID, 0);
  check_text(module, b,
             "shader fragment @f {\n"
             "entry:\n"
             "  %0 = call.f32 @square(2.0)\n"
             "  call.void @nothing()\n"
             "  %1 = tex.2d.f32.f32 0, 0, 0, %0, 2.0, %0, compare\n"
             "  switch.i8 -1, other(-1), 3: other(-1), -7: other(-1)\n"
             "other(%v: i8):\n"
             "  %2 = not.i8 %v\n"
             "  end\n"
             "}\n\n"
             "function @square(%x: f32) -> f32 {\n"
             "b0:\n"
             "  %0 = fmul.f32 %x, %x\n"
             "  return.f32 %0\n"
             "}\n\n"
             "function @nothing() -> void {\n"
             "b0:\n"
             "  return.void\n"
             "}\n");
}
END_TEST

/* A shader with one block; the builder is at its end. */
static NornBuilder *
start(NornModule **module) {
  *module = norn_module_new(NORN_STAGE_COMPUTE, "t");
  NornBuilder *builder = norn_builder_new(*module);
  norn_builder_set_block(builder, norn_build_block(builder, "entry"));
  return builder;
}

START_TEST(refusals) {
  NornModule *module;
  NornBuilder *b = start(&module);
  norn_build_int(b, NORN_TYPE_I8, 256);
  norn_build_end(b);
  check_fault(module, b, "256 is not a constant of type i8");

  b = start(&module);
  norn_build_int(b, NORN_TYPE_I32, INT64_C(-2147483649));
  norn_build_end(b);
  check_fault(module, b, "-2147483649 is not a constant of type i32");

  b = start(&module);
  norn_build_float(b, NORN_TYPE_I32, 1.5);
  norn_build_end(b);
  check_fault(module, b, "1.5 is not a constant of type i32");

  b = start(&module);
  norn_build_load_global(b, NORN_TYPE_I32, norn_build_uniform(b, 0), INT64_C(1) << 31);
  norn_build_end(b);
  check_fault(module, b,
              "load.global: offset 2147483648 is not between -2147483648 and 2147483647");

  b = start(&module);
  norn_build_iadd(b, NORN_TYPE_I32, norn_build_uniform(b, 128), norn_build_uniform(b, 127));
  norn_build_end(b);
  check_fault(module, b,
              "uniform word 128 does not exist\n"
              "@t, block entry, '%0 = iadd.i32 u128, u127': iadd: operand 1 is not a valid "
              "reference (0x30000080)");

  b = start(&module);
  norn_builder_set_block(b, norn_build_uniform(b, 3));
  norn_build_end(b);
  check_fault(module, b,
              "a builder was moved to something that is not a block of its function\n"
              "@t, block entry: the block is empty; it needs a terminator");
}
END_TEST

START_TEST(operands_that_are_null) {
  NornBranch branch = {.argument_count = 1};
  NornCase one = {.to = branch};
  NornInstSpec specs[7];
  for (unsigned i = 0; i < G_N_ELEMENTS(specs); i++)
    specs[i] = norn_inst_spec(NORN_OP_SWITCH);
  specs[0].operand_count = 3;
  specs[1].list_count = 1;
  specs[2].branch_count = 1;
  specs[3].case_count = 1;
  specs[4].branches = &branch;
  specs[4].branch_count = 1;
  specs[5].cases = &one;
  specs[5].case_count = 1;
  specs[6] = norn_inst_spec(NORN_OP_FMA);
  specs[6].type = NORN_TYPE_F32;
  specs[6].operand_count = 3;
  for (unsigned i = 0; i < G_N_ELEMENTS(specs); i++) {
    NornModule *module;
    NornBuilder *b = start(&module);
    ck_assert_uint_eq(norn_build(b, &specs[i]), 0);
    norn_build_end(b);
    check_fault(module, b,
                i < 6 ? "switch: a list of operands is NULL, but its count is not 0"
                      : "fma: a list of operands is NULL, but its count is not 0");
  }
}
END_TEST

/* A module that is refused because of a number that is not in its enumeration, and can still be
 * printed. */
static void
check_number(NornModule *module, NornBuilder *b, const char *message, const char *printed) {
  norn_build_end(b);
  char *text = norn_module_print(module, NULL);
  ck_assert_msg(strstr(text, printed) != NULL, "%s", text);
  g_free(text);
  GError *error = NULL;
  ck_assert(!norn_module_verify(module, &error));
  ck_assert_msg(g_str_has_prefix(error->message, message), "%s", error->message);
  g_error_free(error);
  norn_builder_free(b);
  norn_module_free(module);
}

START_TEST(numbers_of_no_type) {
  const NornType wrong[] = {(NornType)99, (NornType)NORN_TYPE_COUNT,
                            (NornType)(256 + NORN_TYPE_I32)};
  for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
    char *message = g_strdup_printf("type %u does not exist", wrong[i]);
    NornModule *module;
    NornBuilder *b = start(&module);
    norn_module_add_fau(module, "x", wrong[i], 0, 1);
    check_number(module, b, message, "  fau x: void @ 0\n");

    b = start(&module);
    norn_build_parameter(b, norn_build_block(b, "next"), wrong[i], "p");
    check_number(module, b, message, "next(%p: void):\n");

    b = start(&module);
    norn_module_add_function(module, "f", wrong[i]);
    check_number(module, b, message, "function @f() -> void {\n");

    b = start(&module);
    norn_build_int(b, wrong[i], 1);
    check_number(module, b, message, "  end\n");

    b = start(&module);
    norn_build_float(b, wrong[i], 1);
    check_number(module, b, message, "  end\n");

    b = start(&module);
    norn_build_iadd(b, wrong[i], norn_build_uniform(b, 0), norn_build_uniform(b, 1));
    check_number(module, b,
                 "@t, block entry, '%0 = iadd.none u0, u1': ", "%0 = iadd.none u0, u1\n");
    g_free(message);
  }
}
END_TEST

START_TEST(numbers_of_no_stage_or_mode) {
  NornModule *module = norn_module_new((NornShaderStage)77, "t");
  NornBuilder *b = norn_builder_new(module);
  norn_builder_set_block(b, norn_build_block(b, NULL));
  check_number(module, b, "shader stage 77 does not exist", "shader compute @t ");

  b = start(&module);
  norn_module_set_float_mode(module, (NornDenormals)99, NORN_ROUND_RTZ);
  check_number(module, b, "denormal mode 99 does not exist", " rounding(rtz) {\n");

  b = start(&module);
  norn_module_set_float_mode(module, NORN_DENORMALS_FLUSH, (NornRound)99);
  check_number(module, b, "rounding mode 99 does not exist", " denormals(flush) {\n");
}
END_TEST

START_TEST(shader_without_name) {
  NornModule *module = norn_module_new(NORN_STAGE_VERTEX, NULL);
  NornBuilder *b = norn_builder_new(module);
  norn_builder_set_block(b, norn_build_block(b, NULL));
  check_number(module, b, "@: the shader's name '' must consist of", "shader vertex @ {\n");
}
END_TEST

/* Invalid modules can still be inspected. */
START_TEST(invalid_references_print) {
  NornModule *module;
  NornBuilder *b = start(&module);
  norn_build_iadd(b, NORN_TYPE_I32, 0x10000077, 0x20000077);
  norn_build_call(b, NORN_TYPE_VOID, NULL, 0, NULL);
  norn_build_br(b, 0, norn_branch(0x40000077), norn_branch(0));
  char *text = norn_module_print(module, NULL);
  ck_assert_str_eq(text, "shader compute @t workgroup(1, 1, 1) {\n"
                         "entry:\n"
                         "  %0 = iadd.i32 none, none\n"
                         "  call.void\n"
                         "  br none, none(none)\n"
                         "}\n");
  g_free(text);
  norn_builder_free(b);
  norn_module_free(module);
}
END_TEST

/* Special sources that the machine of the compilation does not have. */
START_TEST(invalid_special_references) {
  static const NornRef payloads[] = {0, 0x1000, 0xFFFFFFF};
  for (unsigned i = 0; i < G_N_ELEMENTS(payloads); i++) {
    NornModule *module;
    NornBuilder *b = start(&module);
    NornRef special = (NornRef)NORN_REF_SPECIAL << 28 | payloads[i];
    norn_build_iadd(b, NORN_TYPE_I32, special, special);
    norn_build_end(b);
    norn_builder_free(b);
    GError *error = NULL;
    ck_assert_ptr_null(norn_compile(module, NULL, NULL, &error));
    ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
    g_error_free(error);
    norn_module_free(module);
  }
}
END_TEST

/* What would be built there stays out of the other module. */
START_TEST(functions_of_another_module) {
  NornModule *module, *other;
  NornBuilder *b = start(&module), *c = start(&other);
  norn_build_end(b);
  norn_build_end(c);
  norn_builder_free(c);
  NornFunction *foreign = norn_module_add_function(other, "f", NORN_TYPE_VOID);
  char *before = norn_module_print(other, NULL);
  norn_builder_set_function(b, foreign);
  norn_build_block(b, NULL);
  char *after = norn_module_print(other, NULL);
  ck_assert_str_eq(before, after);
  g_free(before);
  g_free(after);
  norn_module_free(other);
  GError *error = NULL;
  ck_assert(!norn_module_verify(module, &error));
  ck_assert_msg(
      g_str_has_prefix(error->message, "a builder was moved to a function of another module"), "%s",
      error->message);
  g_error_free(error);
  norn_builder_free(b);
  norn_module_free(module);
}
END_TEST

START_TEST(flags_that_do_not_exist) {
  NornModule *module;
  NornBuilder *b = start(&module);
  norn_builder_set_flags(b, 0x201);
  norn_build_end(b);
  check_fault(module, b, "the flags 0x200 do not exist");
}
END_TEST

/* Only accesses to buffers of a resource table can be coarse. */
START_TEST(coarse_accesses) {
  NornModule *module;
  NornBuilder *b = start(&module);
  norn_builder_set_flags(b, NORN_INST_COARSE);
  NornRef word = norn_build_load_buffer(b, NORN_TYPE_I32, norn_build_int(b, NORN_TYPE_I32, 0),
                                        norn_build_int(b, NORN_TYPE_I32, 4), 0);
  norn_build_iadd(b, NORN_TYPE_I32, word, word);
  norn_build_end(b);
  check_text(module, b,
             "shader compute @t workgroup(1, 1, 1) {\n"
             "entry:\n"
             "  %0 = load.buffer.i32 coarse 0, 4\n"
             "  %1 = iadd.i32 %0, %0\n"
             "  end\n"
             "}\n");
}
END_TEST

/* The same for types, modifiers and immediates that do not exist. */
START_TEST(invalid_forms_print) {
  NornModule *module;
  NornBuilder *b = start(&module);
  NornRef zero = norn_build_bits(b, 0);
  const NornRef operands[] = {zero, zero, zero};
  NornInstSpec spec = norn_inst_spec(NORN_OP_ICMP);
  spec.type = 99;
  spec.modifier = 33;
  spec.operands = operands;
  spec.operand_count = 2;
  norn_build(b, &spec);
  spec = norn_inst_spec(NORN_OP_IMAGE_ATOMIC);
  spec.type = NORN_TYPE_I32;
  spec.operands = operands;
  spec.operand_count = 2;
  spec.list = operands;
  spec.list_count = 1;
  for (unsigned i = 0; i < NORN_SPEC_IMMEDIATES; i++)
    spec.immediates[i] = 12345;
  norn_build(b, &spec);
  norn_builder_set_flags(b, NORN_INST_EXACT);
  norn_build_jump(b, norn_branch(norn_build_block(b, "next")));
  char *text = norn_module_print(module, NULL);
  ck_assert_str_eq(text, "shader compute @t workgroup(1, 1, 1) {\n"
                         "entry:\n"
                         "  %0 = icmp.none.none 0x0, 0x0\n"
                         "  %1 = image_atomic.1d.i32 0, 0, 0\n"
                         "  jump next\n"
                         "next:\n"
                         "}\n");
  g_free(text);
  ck_assert(!norn_module_verify(module, NULL));
  norn_builder_free(b);
  norn_module_free(module);
}
END_TEST

/* Uniforms must lie in existing words. */
START_TEST(uniforms_past_the_end) {
  NornModule *module;
  NornBuilder *b = start(&module);
  norn_module_add_fau(module, "x", NORN_TYPE_F64, 126, 1);
  norn_module_add_fau(module, "y", NORN_TYPE_I32, 124, 5);
  norn_module_add_fau(module, "z", NORN_TYPE_I32, 1000, 1);
  norn_module_add_fau(module, "w", NORN_TYPE_W4, 2, UINT_MAX);
  norn_build_end(b);
  check_fault(module, b,
              "@t: the uniform y extends past the last of the 128 words\n"
              "@t: the uniform z extends past the last of the 128 words\n"
              "@t: the uniform w extends past the last of the 128 words");
}
END_TEST

/* Only declared uniforms can be noalias. */
START_TEST(uniforms_noalias) {
  NornModule *module;
  NornBuilder *b = start(&module);
  norn_module_add_fau(module, "x", NORN_TYPE_I64, 4, 1);
  norn_module_set_noalias(module, norn_build_uniform(b, 6), true);
  norn_build_end(b);
  check_fault(module, b, "noalias is set where no uniform is declared");
}
END_TEST

/* Only declared uniforms can be aligned, and only to a power of two. */
START_TEST(uniforms_aligned) {
  static const unsigned wrong[] = {0, 3, 256};
  NornModule *module;
  NornBuilder *b = start(&module);
  NornRef x = norn_module_add_fau(module, "x", NORN_TYPE_I64, 4, 1);
  norn_module_set_alignment(module, x, 16);
  norn_module_set_alignment(module, norn_build_uniform(b, 5), 16);
  norn_build_end(b);
  check_fault(module, b, "an alignment is set where no uniform is declared");
  for (unsigned k = 0; k < G_N_ELEMENTS(wrong); k++) {
    b = start(&module);
    x = norn_module_add_fau(module, "x", NORN_TYPE_I64, 4, 1);
    norn_module_set_alignment(module, x, wrong[k]);
    norn_build_end(b);
    check_fault(module, b, "the alignment of a uniform must be a power of two up to 128");
  }
}
END_TEST

/* A name can belong to only one uniform. */
START_TEST(uniforms_twice) {
  NornModule *module;
  NornBuilder *b = start(&module);
  norn_module_add_fau(module, "x", NORN_TYPE_I32, 4, 1);
  norn_module_add_fau(module, "x", NORN_TYPE_I32, 5, 1);
  norn_build_end(b);
  check_fault(module, b, "@t: the uniform x is declared twice");
}
END_TEST

/* Errors are located at the instruction as it is printed, wherever it is. */
START_TEST(places) {
  NornModule *module;
  NornBuilder *b = start(&module);
  NornRef one = norn_build_int(b, NORN_TYPE_I32, 1), list[200];
  NornRef x = norn_build_name(b, norn_build_iadd(b, NORN_TYPE_I32, one, one), "x");
  norn_build_name(b, norn_build_iadd(b, NORN_TYPE_I32, x, 0), "x");
  norn_build_end(b);
  check_fault(module, b,
              "@t, block entry, '%x_1 = iadd.i32 %x, none': iadd: operand 2 is not a valid "
              "reference (0x00000000)");

  b = start(&module);
  one = norn_build_int(b, NORN_TYPE_I32, 1);
  x = norn_build_name(b, norn_build_iadd(b, NORN_TYPE_I32, one, one), "x");
  NornRef y = norn_build_name(b, norn_build_iadd(b, NORN_TYPE_I32, x, one), "x");
  NornRef sum = norn_build_iadd(b, NORN_TYPE_I32, x, y);
  norn_build_fadd(b, NORN_TYPE_F32, y, sum);
  NornRef next = norn_build_block(b, NULL);
  for (unsigned i = 0; i < G_N_ELEMENTS(list); i++)
    list[i] = x;
  norn_build_jump(b, (NornBranch){next, G_N_ELEMENTS(list), list});
  norn_builder_set_function(b, norn_module_add_function(module, "f", NORN_TYPE_VOID));
  NornRef entry = norn_build_block(b, NULL);
  NornRef parameter = norn_build_parameter(b, entry, NORN_TYPE_F32, NULL);
  norn_builder_set_block(b, entry);
  norn_build_return(b, NORN_TYPE_I32, parameter);
  check_fault(
      module, b,
      "@t, block entry, '%1 = fadd.f32 %x_1, %0': fadd: operand 1, %x_1, is i32, expected f32\n"
      "@t, block entry, '%1 = fadd.f32 %x_1, %0': fadd: operand 2, %0, is i32, expected f32\n"
      "@t, block entry, 'jump b0(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, "
      "%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, ...': jump: 200 arguments for a block, "
      "which takes 0\n"
      "@t, block b0: the block is empty; it needs a terminator\n"
      "@f, block b0, 'return.i32 %0': return: operand 1, %0, is f32, expected i32\n"
      "@f, block b0, 'return.i32 %0': return: the type is i32, but the function returns void");
}
END_TEST

/* The time for thousands of errors in a large module is proportional to their number. */
START_TEST(many_faults) {
  NornModule *module;
  NornBuilder *b = start(&module);
  NornRef value = norn_build_global_id(b, NORN_AXIS_X);
  for (unsigned i = 0; i < 100000; i++)
    norn_build_fadd(b, NORN_TYPE_F32, value, value);
  GError *error = NULL;
  ck_assert(!norn_module_verify(module, &error));
  ck_assert(g_str_has_prefix(error->message, "@t, block entry"));
  ck_assert(g_str_has_suffix(error->message, "module: too many errors"));
  g_error_free(error);
  norn_builder_free(b);
  norn_module_free(module);
}
END_TEST

/* Errors in compiling and running also have a location. */
START_TEST(places_after_verifying) {
  NornModule *module;
  NornBuilder *b = start(&module);
  NornRef x = norn_build_uniform(b, 0);
  NornRef sum = norn_build_name(b, norn_build_fadd(b, NORN_TYPE_F64, x, x), "sum");
  norn_build_store_global(b, NORN_TYPE_F64, sum, x, 0);
  norn_build_end(b);
  GError *error = NULL;
  ck_assert_ptr_null(norn_compile(module, NULL, NULL, &error));
  ck_assert_str_eq(error->message,
                   "module: @t, block entry, '%sum = fadd.f64 u0, u0': valhall does not support "
                   "'fadd.f64': the hardware has no 64-bit floats");
  g_clear_error(&error);
  norn_builder_free(b);
  norn_module_free(module);

  b = start(&module);
  norn_build_load_global(b, NORN_TYPE_I32, norn_build_int(b, NORN_TYPE_I64, 64), 0);
  norn_build_end(b);
  NornMemory *memory = norn_memory_new();
  NornLaunch launch = {.grid = {1, 1, 1}, .memory = memory};
  NornReport report;
  ck_assert(!norn_interpret(module, &launch, &report, &error));
  ck_assert_str_eq(error->message,
                   "module: @t, block entry, '%0 = load.global.i32 64': load.global in "
                   "invocation (0, 0, 0), lane 0: load of 4 bytes at 0x40, outside all buffers");
  g_error_free(error);
  norn_memory_free(memory);
  norn_builder_free(b);
  norn_module_free(module);
}
END_TEST

/* Existing bytes are found at word boundaries; too much data is refused. */
START_TEST(constant_data) {
  NornModule *module;
  NornBuilder *b = start(&module);
  static const uint8_t bytes[6] = {1, 2, 3, 4, 5, 6};
  size_t size;
  ck_assert_uint_eq(norn_module_add_data(module, bytes, sizeof bytes), 0);
  ck_assert_uint_eq(norn_module_add_data(module, bytes + 4, 2), 4);
  ck_assert_uint_eq(norn_module_add_data(module, bytes + 1, 4), 8);
  ck_assert_uint_eq(norn_module_add_data(module, bytes + 1, 4), 8); /* up to the end */
  ck_assert_uint_eq(norn_module_add_data(module, NULL, 0), 12);
  norn_module_data(module, &size);
  ck_assert_uint_eq(size, 12);
  norn_build_data_address(b, 8);
  norn_build_end(b);
  check_text(module, b,
             "shader compute @t workgroup(1, 1, 1) {\n"
             "  data i32 0x04030201, 0x00000605, 0x05040302\n"
             "entry:\n"
             "  %0 = data_address 8\n"
             "  end\n"
             "}\n");

  b = start(&module);
  uint8_t *much = g_malloc0(NORN_DATA_LIMIT);
  much[0] = 1;
  ck_assert_uint_eq(norn_module_add_data(module, much, NORN_DATA_LIMIT), 0);
  norn_module_add_data(module, bytes, 4);
  norn_build_end(b);
  check_fault(module, b, "more than 16777216 bytes of constant data");
  g_free(much);
}
END_TEST

/* A line of the front end's source replaces a line of the text. */
START_TEST(source_lines) {
  NornModule *module;
  NornBuilder *b = start(&module);
  norn_builder_set_line(b, 42);
  norn_build_iadd(b, NORN_TYPE_F32, norn_build_bits(b, 1), norn_build_bits(b, 1));
  norn_build_end(b);
  check_fault(module, b, "module:42:1: iadd does not exist for f32");
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("builder");
  TCase *tcase = tcase_create("builder");
  tcase_add_test(tcase, compute_shader);
  tcase_add_test(tcase, functions_and_switches);
  tcase_add_test(tcase, refusals);
  tcase_add_test(tcase, operands_that_are_null);
  tcase_add_test(tcase, numbers_of_no_type);
  tcase_add_test(tcase, numbers_of_no_stage_or_mode);
  tcase_add_test(tcase, shader_without_name);
  tcase_add_test(tcase, invalid_references_print);
  tcase_add_test(tcase, invalid_special_references);
  tcase_add_test(tcase, functions_of_another_module);
  tcase_add_test(tcase, flags_that_do_not_exist);
  tcase_add_test(tcase, coarse_accesses);
  tcase_add_test(tcase, invalid_forms_print);
  tcase_add_test(tcase, uniforms_past_the_end);
  tcase_add_test(tcase, uniforms_twice);
  tcase_add_test(tcase, uniforms_noalias);
  tcase_add_test(tcase, uniforms_aligned);
  tcase_add_test(tcase, places);
  tcase_add_test(tcase, many_faults);
  tcase_add_test(tcase, places_after_verifying);
  tcase_add_test(tcase, constant_data);
  tcase_add_test(tcase, source_lines);
  suite_add_tcase(suite, tcase);
  return suite;
}
