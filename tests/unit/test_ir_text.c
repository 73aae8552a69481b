/* The IR's text: what is printed as it was written, what is put into canonical form, and what is
 * refused with which message. */
#include "ir/builder.h"
#include "ir/ir.h"
#include "ir/text/lexer.h"
#include "ir_text.h"
#include "unit.h"
#include <glib.h>
#include <norn/module.h>
#include <stdlib.h>
#include <string.h>

/* Parses `text` and checks that it prints as `wanted`, and that this is stable. */
static void
check_print(const char *text, const char *wanted) {
  for (int round = 0; round < 2; round++) {
    NornModule *module = parse_text(round ? wanted : text);
    size_t length;
    char *printed = norn_module_print(module, &length);
    ck_assert_str_eq(printed, wanted);
    ck_assert_uint_eq(length, strlen(wanted));
    g_free(printed);
    norn_module_free(module);
  }
}

/* Text that must print unchanged and be valid. */
static void
check_same(const char *text) {
  check_print(text, text);
  check_verified(parse_text(text), NULL);
}

static void
check_error(const char *text, size_t length, const char *message) {
  GError *error = NULL;
  NornModule *module = norn_module_parse(text, length, "t", &error);
  ck_assert_ptr_null(module);
  ck_assert_ptr_nonnull(error);
  ck_assert_int_eq(error->domain, NORN_ERROR);
  ck_assert_int_eq(error->code, NORN_ERROR_SYNTAX);
  ck_assert_str_eq(error->message, message);
  g_error_free(error);
}

START_TEST(whole_modules) {
  check_same("shader compute @a workgroup(4, 2, 1) grid(4294967295) shared(64) scratch(32) "
             "denormals(flush) "
             "rounding(rtz) {\n"
             "  fau x: i64 @ 0, m: f32[4] @ 2, n: i32 @ 7\n"
             "entry:\n"
             "  %a = fadd.f32 exact nnan fau.m[1], 0.1\n"
             "  %b = iadd.i32 u9, -1\n"
             "  %c = call.f32 @f(1, fau.m[2], nan)\n"
             "  call.void @g()\n"
             "  %d = load.global.f32 fau.x, offset:-8\n"
             "  %g = collect.i32.w2 %b, fau.n\n"
             "  %x, %y = split.i32.w2 %g\n"
             "  switch.i32 %y, next(1.5), 3: other(%a, 2), -1: other(0x7FC00001, 0x10000)\n"
             "next(%q: f32):\n"
             "  br divergent true, other(%q, %b), end\n"
             "other(%r: f32, %s: i32):\n"
             "  jump end\n"
             "end:\n"
             "  end\n"
             "}\n"
             "\n"
             "function @f(%a: i32, %b: f32, %c: f32) -> f32 {\n"
             "entry:\n"
             "  return.f32 %b\n"
             "}\n"
             "\n"
             "function @g() -> void {\n"
             "entry:\n"
             "  return.void\n"
             "}\n");
  check_same("shader vertex @v {\nentry:\n  end\n}\n");
  check_same("shader fragment @f {\nentry:\n  end\n}\n");
}
END_TEST

/* Invalid modules also print as they were read, including all errors in them. */
static const char *const wrong[] = {
    "shader compute @t workgroup(0, 65535, 1) {\nentry:\n  end\n}\n",
    "shader vertex @t workgroup(2, 1, 1) {\nentry:\n  end\n}\n",
    "shader fragment @t workgroup(1, 1, 0) shared(4) {\nentry:\n  end\n}\n",
    HEAD "}\n",
    "shader compute @t workgroup(1, 1, 1) shared(4294967295) scratch(4294967295) {\n"
    "entry:\n  end\n}\n",
    HEAD "  fau a: i32[128] @ 0, b: f32[2] @ 126, c: w3 @ 125, d: f64[2] @ 123\n"
         "entry:\n  %a = copy.i32 fau.a[127]\n  %b = copy.f32 u127\n  %c = copy.w3 u125\n"
         "  %d = copy.f64 u125\n  end\n}\n",
    BODY("  %a = copy.w4 u127\n  %b = copy.i64 u127\n"),
    "target valhall 9\n" BODY("  %a@r65533:r65534 = copy.i64 u0\n"),
};

START_TEST(wrong_modules) {
  check_print(wrong[_i], wrong[_i]);
  NornModule *module = parse_text(wrong[_i]);
  ck_assert(!norn_module_verify(module, NULL));
  norn_module_free(module);
}
END_TEST

#define MACHINE "target valhall 9\nshader compute @t workgroup(1, 1, 1) {\nentry:\n"

/* Machine instructions among generic ones, before and after allocation. */
START_TEST(machine_instructions) {
  check_same(MACHINE "  %i = preload.i32 60\n"
                     "  %px = SHADDX.u64 u0, %i.w0, shift:0x2\n"
                     "  %xv: f32 = LOAD.i32.unsigned.slot0 %px, offset:0\n"
                     "  %r: f32 = FMA.f32 u4, %xv, 0x3F800000.neg\n"
                     "  %l = MOV.i32 lane_id.w0\n"
                     "  %q = IADD_IMM.i32 %l, #0x10\n"
                     "  %g = collect.i32.w3 %l, %q, 7\n"
                     "  STORE.i96.slot0 @%g, %px, offset:-4\n"
                     "  BRANCHZ.eq divergent %l, a(%l, 1.5), b\n"
                     "a(%k: i32, %m: f32):\n"
                     "  BRANCHZ.eq 0x0, b\n"
                     "b:\n"
                     "  end\n"
                     "}\n");
  check_same(MACHINE "  %i@r60 = preload.i32 60\n"
                     "  %px@r0:r1 = SHADDX.u64 u0, ^%i@r60.w0, shift:0x2\n"
                     "  %g@r4:r6 = LOAD.i96.unsigned.slot0.wait0 ^%px@r0:r1, offset:0\n"
                     "  %x@r4, %y@r5, %z@r6 = split.i32.w3 ^%g@r4:r6\n"
                     "  %s@r4: f32 = FADD.f32 ^%x@r4.abs, ^%y@r5\n"
                     "  %h@r7.h0: f16 = FROUND.v2f16.rtn ^%s@r4\n"
                     "  end\n"
                     "}\n");
}
END_TEST

START_TEST(layout_is_free) {
  check_print("; a comment\n\n shader  compute @t workgroup( 0x1,1 ,1)\t{ ; more\r\n"
              "fau a : i32@1\nfau b:i32 @ 2,c:i32 @3\n"
              "entry: ; label\n;x\n%a=iadd.i32 0x10 ,-0x1;end\n  jump b(%a)\nb( %p:i32 ):\nend\n}",
              "shader compute @t workgroup(1, 1, 1) {\n"
              "  fau a: i32 @ 1, b: i32 @ 2, c: i32 @ 3\n"
              "entry:\n  %a = iadd.i32 16, -1\n  jump b(%a)\nb(%p: i32):\n  end\n}\n");
}
END_TEST

/* The spelling of a constant of a type, and how it prints. */
static const struct {
  const char *type, *spelling, *printed;
} constants[] = {
    {"i8", "255", "-1"},
    {"i8", "-128", "-128"},
    {"i16", "65535", "-1"},
    {"i32", "0", "0"},
    {"i32", "65535", "65535"},
    {"i32", "65536", "0x10000"},
    {"i32", "-32768", "-32768"},
    {"i32", "-32769", "0xFFFF7FFF"},
    {"i32", "4294967295", "-1"},
    {"i32", "-2147483648", "0x80000000"},
    {"i64", "-1", "-1"},
    {"i64", "18446744073709551615", "-1"},
    {"i64", "0x8000000000000000", "0x8000000000000000"},
    {"v2i16", "0x10002", "0x10002"},
    {"v4i8", "-1", "0xFFFFFFFF"},
    {"v2f16", "0x3C003C00", "0x3C003C00"},
    {"f16", "1.0", "1.0"},
    {"f16", "0.1", "0.1"},
    {"f16", "65500.0", "65504.0"},
    {"f16", "1e-7", "1e-07"},
    {"f16", "0x7E00", "nan"},
    {"f16", "0x7E01", "0x7E01"},
    {"f32", "0x3F800000", "1.0"},
    {"f32", "-0.0", "-0.0"},
    {"f32", "0.1", "0.1"},
    {"f32", "1e10", "1e+10"},
    {"f32", "16777216.0", "16777216.0"},
    {"f32", "9999999.0", "9999999.0"},
    {"f32", "100000000.0", "1e+08"},
    {"f32", "3.14159274", "3.1415927"},
    {"f32", "1.17549435e-38", "1.1754944e-38"},
    {"f32", "1e-45", "1e-45"},
    {"f32", "3.4028234663852886e38", "3.4028235e+38"},
    {"f32", "999.999", "999.999"},
    {"f32", "0.001", "0.001"},
    {"f32", "inf", "inf"},
    {"f32", "-inf", "-inf"},
    {"f32", "nan", "nan"},
    {"f32", "0xFFC00000", "0xFFC00000"},
    {"f32", "0x7F800001", "0x7F800001"},
    /* exactly halfway between two floats, and slightly above, beyond the precision of a double */
    {"f32", "1.00000005960464477539", "1.0"},
    {"f32", "1.000000059604644775390625", "1.0"},
    {"f32", "1.000000059604644775390625000000000000001", "1.0000001"},
    {"f64", "0.1", "0.1"},
    {"f64", "1e308", "1e+308"},
    {"f64", "5e-324", "5e-324"},
    {"f64", "0.30000000000000004", "0.30000000000000004"},
    {"f64", "0x7FF8000000000000", "nan"},
};

START_TEST(constant_texts) {
  char *text =
      g_strdup_printf(BODY("  %%a = copy.%s %s\n"), constants[_i].type, constants[_i].spelling);
  char *wanted =
      g_strdup_printf(BODY("  %%a = copy.%s %s\n"), constants[_i].type, constants[_i].printed);
  check_print(text, wanted);
  check_verified(parse_text(text), NULL);
  g_free(text);
  g_free(wanted);
}
END_TEST

/* Random bits of each float type survive printing and parsing. */
START_TEST(random_floats) {
  static const struct {
    const char *name;
    unsigned bits;
  } types[] = {{"f16", 16}, {"f32", 32}, {"f64", 64}};
  GRand *random = g_rand_new_with_seed(3);
  GString *text = g_string_new(HEAD "entry:\n");
  uint64_t bits[3000];
  for (unsigned i = 0; i < G_N_ELEMENTS(bits); i++) {
    bits[i] = ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> (64 - types[i % 3].bits);
    g_string_append_printf(text, "  %%a%u = copy.%s 0x%" G_GINT64_MODIFIER "x\n", i,
                           types[i % 3].name, (guint64)bits[i]);
  }
  g_string_append(text, "  end\n}\n");
  NornModule *first = parse_text(text->str);
  char *printed = norn_module_print(first, NULL);
  NornModule *second = parse_text(printed);
  for (unsigned i = 0; i < G_N_ELEMENTS(bits); i++)
    ck_assert_uint_eq(norn_constant_bits(second, norn_operand(second->functions[0], i, 0)),
                      bits[i]);
  norn_module_free(first);
  norn_module_free(second);
  g_free(printed);
  g_string_free(text, TRUE);
  g_rand_free(random);
}
END_TEST

START_TEST(names_stay_distinct) {
  NornModule *module = parse_text(BODY("  %x = iadd.i32 1, 2\n  %0 = iadd.i32 %x, 2\n"
                                       "  %x_1 = iadd.i32 %0, 2\n"));
  NornFunction *function = module->functions[0];
  uint32_t last = norn_block(function, function->block_order[0])->last;
  NornBuilder builder = norn_builder_before(function, last);
  for (unsigned i = 0; i < 4; i++) {
    NornRef copy = norn_build_copy(&builder, NORN_TYPE_I32, norn_build_bits(&builder, i));
    norn_value(function, norn_ref_payload(copy))->name = i < 2 ? norn_intern(module, "x", 1) : 0;
  }
  const uint32_t names[] = {0, norn_intern(module, "entry", 5)};
  for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
    builder = norn_builder_at_end(function, norn_block_create(function, names[i]));
    norn_build_end(&builder);
  }
  char *text = norn_module_print(module, NULL);
  norn_module_free(module);
  const char *wanted = HEAD "entry:\n"
                            "  %x = iadd.i32 1, 2\n  %0 = iadd.i32 %x, 2\n"
                            "  %x_1 = iadd.i32 %0, 2\n"
                            "  %x_2 = copy.i32 0\n  %x_3 = copy.i32 1\n"
                            "  %1 = copy.i32 2\n  %2 = copy.i32 3\n  end\n"
                            "b0:\n  end\nentry_1:\n  end\n}\n";
  ck_assert_str_eq(text, wanted);
  check_same(text);
  g_free(text);
}
END_TEST

/* Text and its error. */
static const struct {
  const char *text, *message;
} errors[] = {
    {"", "t:1:1: expected 'target' or 'shader', found the end of the text"},
    {"\x7f\x45LF", "t:1:1: expected 'target' or 'shader', found '\\x7f'"},
    {"target vax 9\n", "t:1:8: unknown target 'vax', expected valhall, gcn or vp1"},
    {"shader geometry @a {\n",
     "t:1:8: expected 'compute', 'vertex' or 'fragment', found 'geometry'"},
    {"shader compute a {\n", "t:1:16: expected the shader's name, as in @main, found 'a'"},
    {"shader compute @a\n",
     "t:1:18: expected 'workgroup', 'grid', 'shared', 'scratch', 'denormals', 'rounding', "
     "'early_tests', 'by_sample' or '{', found the end of the line"},
    {"shader compute @a workgroup(1, 2) {\n",
     "t:1:33: expected the three sizes of the workgroup, as in (8, 1, 1), found ')'"},
    {"shader compute @a grid {\n",
     "t:1:24: expected the maximum number of workgroups along an axis, as in (65535), found '{'"},
    {"shader compute @a grid(4294967296) {\n",
     "t:1:24: the number of workgroups is 4294967296, expected 0 to 4294967295"},
    {"shader compute @a workgroup(1, 2, 70000) {\n",
     "t:1:35: the workgroup size is 70000, expected 0 to 65535"},
    {"target\n", "t:1:7: expected the name of a target, found the end of the line"},
    {"target valhall ; 9\n",
     "t:1:19: expected an architecture of the target, found the end of the line"},
    {"shader compute @a shared 4 {\n", "t:1:26: expected '(' and the size in bytes, found '4'"},
    {"shader compute @a rounding {\n", "t:1:28: expected '(' and a mode, found '{'"},
    {"shader compute @a denormals(keep) {\n",
     "t:1:29: expected 'preserve' or 'flush', found 'keep'"},
    {HEAD, "t:2:1: expected '}', found the end of the text"},
    {HEAD "entry:\n  end\n} x", "t:4:3: expected 'function' or the end of the text, found 'x'"},
    {HEAD "entry:\n  end\n}\nx", "t:5:1: expected 'function' or the end of the text, found 'x'"},
    {HEAD "  end\n}\n",
     "t:2:3: an instruction before the first block; start the block with a label such as 'entry:'"},
    {HEAD "e:\n  end\ne:\n  end\n}\n", "t:4:1: the block e is defined twice, first on line 2"},
    {HEAD "e:\n  jump f\n}\n", "t:3:8: the block f is not defined"},
    {BODY("  frobnicate.i32 1\n"), "t:3:3: unknown operation 'frobnicate.i32'"},
    {BODY("  %a = iadd 1, 2\n"),
     "t:3:8: iadd needs a type suffix, one of i8 i16 i32 i64 v4i8 v2i16"},
    {BODY("  %a = iadd.f32 1, 2\n"),
     "t:3:8: iadd cannot have the type 'f32' here, only one of i8 i16 i32 i64 v4i8 v2i16"},
    {BODY("  %a = iadd.i32.i32 1, 2\n"), "t:3:8: iadd has an unexpected suffix: '.i32'"},
    {BODY("  %a = icmp.i32 1, 2\n"), "t:3:8: icmp cannot have the modifier 'i32', only one of eq "
                                     "ne ult ule ugt uge slt sle sgt sge"},
    {BODY("  %a = global_id\n"), "t:3:8: global_id needs a modifier, one of x y z"},
    {BODY("  %a = iadd.i32 1\n"),
     "t:3:18: expected ',' and another operand, found the end of the line"},
    {BODY("  %a = iadd.i32 1,\n"), "t:3:19: expected an operand, found the end of the line"},
    {BODY("  %a = iadd.i32 1, 2, 3\n"), "t:3:21: expected the end of the line, found ','"},
    {BODY("  %a = iadd.i32 1, 4294967296\n"),
     "t:3:20: 4294967296 is out of range for i32: -2147483648 to 4294967295"},
    {BODY("  %a = iadd.i8 1, -129\n"), "t:3:19: -129 is out of range for i8: -128 to 255"},
    {BODY("  %a = iadd.i32 1, 1.5\n"),
     "t:3:20: expected a value or a constant of type i32, found '1.5'"},
    {BODY("  %a = iadd.i32 1, true\n"),
     "t:3:20: expected a value or a constant of type i32, found 'true'"},
    {BODY("  %a = fadd.f32 1.0, 1\n"),
     "t:3:22: 1 is not a constant of type f32; write 1.0 or the bits in hexadecimal"},
    {BODY("  %a = fadd.f32 1.0, 1e39\n"), "t:3:22: 1e39 is out of range for f32"},
    {BODY("  %a = copy.w4 1\n"), "t:3:16: a value of type w4 cannot be a constant, found '1'"},
    {BODY("  %a = iadd.i32 %b, 1\n"), "t:3:17: %b is not defined"},
    {BODY("  %a = iadd.i32 1, 1\n  %a = iadd.i32 1, 1\n"), "t:4:3: %a is defined twice"},
    {BODY("  iadd.i32 1, 1\n"), "t:3:3: iadd has 1 result, not 0"},
    {BODY("  %a, %b = iadd.i32 1, 1\n"), "t:3:7: iadd has 1 result, not 2"},
    {BODY("  %a = store.global.i32 1, 1\n"), "t:3:3: store.global has no result"},
    {BODY("  %a: f32 = iadd.i32 1, 1\n"), "t:3:3: the result of iadd has type i32, not f32"},
    {BODY("  %a = iadd.i32 fau.x, 1\n"), "t:3:21: the uniform x is not declared"},
    {BODY("  %a = iadd.i32 u128, 1\n"),
     "t:3:18: the number of a uniform word is 128, expected 0 to 127"},
    {HEAD "  fau m: i32[4] @ 2\nentry:\n  %a = iadd.i32 fau.m[4], fau.m\n  end\n}\n",
     "t:4:23: the index is 4, expected 0 to 3"},
    {HEAD "  fau m: i32[4] @ 2\nentry:\n  %a = iadd.i32 fau.m, 1\n  end\n}\n",
     "t:4:21: the uniform m has 4 elements; select one, as in fau.m[0]"},
    {HEAD "  fau m: f32 @ 2\nentry:\n  %a = iadd.i32 fau.m, 1\n  end\n}\n",
     "t:4:17: the uniform is f32, expected i32"},
    {HEAD "  fau m: f32 @ 2, m: f32 @ 3\nentry:\n  end\n}\n",
     "t:2:19: the uniform m is declared twice"},
    {HEAD "  fau m: f32 @ 128\nentry:\n  end\n}\n",
     "t:2:16: the uniform word is 128, expected 0 to 127"},
    {HEAD "  fau m: i32[4] @ 125\nentry:\n  %a = copy.i32 fau.m[3]\n  end\n}\n",
     "t:2:7: the uniform m extends past the last of the 128 words"},
    {HEAD "  fau n: i32[128] @ 0, m: f64 @ 127\nentry:\n  end\n}\n",
     "t:2:24: the uniform m extends past the last of the 128 words"},
    {HEAD "  fau m: f32[0] @ 1\nentry:\n  end\n}\n", "t:2:14: the number of elements is zero"},
    {BODY("  %a = load.global.i32 1, offset:2147483648\n"),
     "t:3:34: offset is 2147483648, expected -2147483648 to 2147483647"},
    {BODY("  %a = load.global.i32 1, offset:1, offset:1\n"), "t:3:37: 'offset' is given twice"},
    {BODY("  %a = load.global.i32 1, stride:1\n"), "t:3:27: the operation takes no 'stride'"},
    {BODY("  %a@r4:r5 = iadd.i32 1, 1\n"), "t:3:3: i32 takes 1 register, not r4 to r5"},
    {BODY("  %a@r4 = iadd.i32 1, 1\n  %b = iadd.i32 %a@r5, 1\n"),
     "t:4:17: %a was not defined in r5"},
    {BODY("  FMA.f32 %a\n"),
     "t:3:3: the machine instruction 'FMA.f32' needs a 'target' line before the shader"},
    {"target valhall nine\n",
     "t:1:16: valhall has no architecture 'nine', expected 9, 10, 11, 12, 13 or 14"},
    {MACHINE "  %a = FROB.f32 u1, u2\n  end\n}\n",
     "t:4:8: 'FROB.f32' is not an instruction of valhall"},
    {MACHINE "  %a = FADD.f32 u1, bogus\n  end\n}\n", "t:4:21: unknown source 'bogus'"},
    {MACHINE "  %a = FADD.f32 u1, u2.h7\n  end\n}\n",
     "t:4:24: 'h7' is not a modifier here; FADD.f32 takes: neg abs h0 h1"},
    {MACHINE "  %a = LOAD.i32.unsigned.slot0 @u2, offset:0\n  end\n}\n",
     "t:4:8: staging operands, and only those, are written with '@'"},
    {MACHINE "  %b = MOV.i32 u2\n  STORE.i32.slot0 %b, u0, offset:0\n  end\n}\n",
     "t:5:3: staging operands, and only those, are written with '@'"},
    {MACHINE "  %a = LOAD.i32.unsigned.slot0 u0, offset:32768\n  end\n}\n",
     "t:4:36: 'offset:32768' is out of range: -32768 to 32767"},
    {HEAD "e:\n  jump f(1, 1.5)\nf(%a: f32, %b: i32):\n  end\n}\n",
     "t:3:10: 1 is not a constant of type f32; write 1.0 or the bits in hexadecimal\n"
     "t:3:13: expected a value or a constant of type i32, found '1.5'"},
    {HEAD "e(%a):\n  end\n}\n", "t:2:3: the parameter %a needs a type, as in %a: i32"},
    {HEAD "e:\n  jump f(1, 2)\nf(%a: i32):\n  end\n}\n", "t:3:13: argument 2 for f, which takes 1"},
    {BODY("  call.void @f(1)\n") "function @f() -> void {\ne:\n  return.void\n}\n",
     "t:3:16: argument 1 for f, which takes 0"},
    {BODY("") "function @f {\n", "t:5:13: expected '(' and the parameters, found '{'"},
    {BODY("") "function @f(%x: i32 %y: i32) -> i32 {\n", "t:5:21: expected ',' or ')', found '%'"},
    {BODY("") "function @f() {\n", "t:5:15: expected the type that the function returns, as in '-> "
                                   "i32' or '-> void', found '{'"},
    {BODY("") "function @f() - > i32 {\n", "t:5:15: expected the type that the function returns, "
                                           "as in '-> i32' or '-> void', found '-'"},
    {BODY("  call.void f()\n"), "t:3:13: expected a function, as in @f, found 'f'"},
    {BODY("  call.void @f(1\n") "function @f(%x: i32) -> void {\ne:\n  return.void\n}\n",
     "t:3:17: expected ',' or ')', found the end of the line"},
    {BODY("  switch.i32 1, a, 2 a\na:\n"), "t:3:22: expected ':' and a block, found 'a'"},
    {BODY("  %a iadd.i32 1, 2\n"), "t:3:6: expected ',' or '=', found 'iadd.i32'"},
    {BODY("  %a = load.global.i32 1, %b\n"), "t:3:27: expected a named operand, found '%'"},
    {BODY("  %a = load.global.i32 1 2\n"),
     "t:3:26: expected ',' or the end of the line, found '2'"},
    {BODY("  %a = load.global.i32 1, offset\n"),
     "t:3:33: expected ':' and a value, found the end of the line"},
    {BODY("  br true, a a\na:\n"), "t:3:14: expected ',' and another operand, found 'a'"},
    {HEAD "  fau m: f32 @ 2 n: f32 @ 3\n}\n",
     "t:2:18: expected ',' or the end of the line, found 'n'"},
    {HEAD "  fau m f32 @ 2\n}\n", "t:2:9: expected ':' and a type, found 'f32'"},
    {HEAD "  fau m: f32\n}\n",
     "t:2:13: expected '@' and the uniform word, found the end of the line"},
    {BODY("") "function @f(%x: i32) -> i32 {\n}\n", "t:5:10: the function @f has no blocks"},
    {BODY("  call.void @f()\n"), "t:3:13: the function @f is not defined"},
    {BODY("  call.void @f(1.5)\n") "function @f(%a: i32) -> void {\ne:\n  return.void\n}\n",
     "t:3:16: expected a value or a constant of type i32, found '1.5'"},
    {BODY("") "function @f() -> void {\ne(%x: i32):\n  return.void\n}\n",
     "t:6:1: the first block of a function takes its parameters from the function's head"},
    {BODY("  %a = foo 1\n  %b = iadd.i32 %a, 1\n  bar %b, %c\n"),
     "t:3:8: unknown operation 'foo'\n"
     "t:5:3: unknown operation 'bar'; did you mean br?"},
};

START_TEST(error_messages) {
  check_error(errors[_i].text, strlen(errors[_i].text), errors[_i].message);
}
END_TEST

START_TEST(bytes_outside_the_language) {
  static const char zero[] = HEAD "entry:\n  %a = \0iadd.i32 1, 2\n  end\n}\n";
  check_error(zero, sizeof zero - 1, "t:3:8: expected an operation, found '\\x00'");
  static const char tail[] = "shader compute @t workgroup(1, 1, 1) {\nentry:\n  end\n}\n\0";
  check_error(tail, sizeof tail - 1,
              "t:5:1: expected 'function' or the end of the text, found '\\x00'");
}
END_TEST

/* Errors are listed up to a limit. */
START_TEST(many_errors) {
  GString *text = g_string_new(HEAD "entry:\n");
  for (int i = 0; i < 2000; i++)
    g_string_append(text, "  what\n");
  GError *error = NULL;
  ck_assert_ptr_null(norn_module_parse(text->str, text->len, "t", &error));
  char **lines = g_strsplit(error->message, "\n", -1);
  ck_assert_uint_eq(g_strv_length(lines), 1001);
  ck_assert_str_eq(lines[999], "t:1002:3: unknown operation 'what'");
  ck_assert_str_eq(lines[1000], "t: too many errors");
  g_strfreev(lines);
  g_error_free(error);
  g_string_free(text, TRUE);
}
END_TEST

/* Every prefix of a valid text is refused with one location, except for prefixes that only lack
 * the end of the last line. */
START_TEST(truncated_texts) {
  static const char text[] = "shader compute @a workgroup(4, 2, 1) shared(64) {\n"
                             "  fau x: i64 @ 0, m: f32[4] @ 2\n"
                             "entry:\n"
                             "  %a = fadd.f32 exact fau.m[1], 0.1\n"
                             "  %d = load.global.f32 fau.x, offset:-8\n"
                             "  switch.i32 1, next(1.5), 3: other(%a, 2)\n"
                             "next(%q: f32):\n"
                             "  end\n"
                             "other(%r: f32, %s: i32):\n"
                             "  end\n"
                             "}\n";
  for (size_t length = 0; length < sizeof text - 2; length++) {
    GError *error = NULL;
    NornModule *module = norn_module_parse(text, length, "t", &error);
    ck_assert_ptr_null(module);
    ck_assert(g_str_has_prefix(error->message, "t:"));
    g_error_free(error);
  }
  check_same(text);
}
END_TEST

/* Garbage is refused at its first byte, however long it is. */
START_TEST(garbage) {
  size_t length = getenv("NORN_TEST_QUICK") ? 1u << 20 : 100u << 20;
  char *text = g_malloc(length);
  memset(text, 'a', length);
  check_error(text, length,
              "t:1:1: expected 'target' or 'shader', found 'aaaaaaaaaaaaaaaaaaaa...'");
  length = 1u << 20;
  memset(text, '\n', length);
  char *message = g_strdup_printf(
      "t:%zu:1: expected 'target' or 'shader', found the end of the text", length + 1);
  check_error(text, length, message);
  g_free(message);
  g_free(text);
}
END_TEST

START_TEST(source_lines_in_errors) {
  const char *text = HEAD "entry:\n\t%a = foo\n";
  char *shown = norn_error_with_source("t:3:7: unknown\nno place\nt:4:1: the end\nt:9:1: beyond",
                                       text, strlen(text));
  ck_assert_str_eq(shown, "t:3:7: unknown\n  \t%a = foo\n  \t     ^\nno place\nt:4:1: the end\n"
                          "t:9:1: beyond");
  g_free(shown);
}
END_TEST

/* `letter` repeated between `start` and `end`. */
static char *
long_text(const char *start, const char *letter, size_t count, const char *end) {
  GString *text = g_string_new(start);
  while (count--)
    g_string_append(text, letter);
  g_string_append(text, end);
  return g_string_free(text, FALSE);
}

/* The middle of long words and lines is left out, at UTF-8 character boundaries. */
START_TEST(long_messages) {
  static const struct {
    const char *letter;
    size_t count, length; /* maximum length of the message */
  } cases[] = {{"x", 280, 287},      {"x", 1000000, 287},  {"\xC3\xA9", 1000000, 287},
               {"\xFF", 10000, 287}, {"x y ", 2000, 4000}, {"x\n", 3000, 6006}};
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    char *text = long_text("a '", cases[i].letter, cases[i].count, "' b");
    char *shown = norn_shorten_message(text);
    ck_assert_msg(strlen(shown) <= cases[i].length, "%u: %zu bytes", i, strlen(shown));
    ck_assert_int_eq(g_utf8_validate(shown, -1, NULL), g_utf8_validate(text, -1, NULL));
    ck_assert_int_eq(strncmp(shown, text, 150), 0);
    ck_assert(g_str_has_suffix(shown, text + strlen(text) - 60));
    ck_assert_int_eq(strstr(shown, "...") != NULL, strlen(text) > cases[i].length);
    g_free(text);
    g_free(shown);
  }
}
END_TEST

/* A long name does not make a message long, wherever it occurs. */
START_TEST(long_names_in_errors) {
  static const char *const texts[][2] = {
      {HEAD "entry:\n  %a = copy.i32 %", "\n  end\n}\n"},
      {HEAD "entry:\n  %a = copy.i32 fau.", "\n  end\n}\n"},
      {HEAD "entry:\n  jump ", "\n}\n"},
      {HEAD "entry:\n  %a = call.i32 @", "()\n  end\n}\n"},
      {HEAD "entry:\n  %a = ", ".i32 1\n  end\n}\n"},
      {"target valhall 9\n" HEAD "entry:\n  %a = IADD.u32 %b, a", "\n  end\n}\n"},
      {"target valhall 9\n" HEAD "entry:\n  %a = IADD.u32.x", " %b, %b\n  end\n}\n"},
      {"shader compute @", "(1) {\nentry:\n  end\n}\n"},
      {"target ", "\n"},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
    for (unsigned dots = 0; dots < 2; dots++) {
      char *text = long_text(texts[i][0], dots ? "a." : "a", 300000, texts[i][1]);
      GError *error = NULL;
      NornModule *module = norn_module_parse(text, strlen(text), "t", &error);
      ck_assert_ptr_null(module);
      for (const char *line = error->message; *line; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        ck_assert_msg(length < 700, "%u: %zu bytes", i, length);
        line += length;
      }
      g_error_free(error);
      g_free(text);
    }
}
END_TEST

/* A text assembled randomly from pieces of a valid one: if it parses, it prints and parses to
 * the same module. */
static void
mutate(GRand *random, GString *text, const char *source, size_t source_length) {
  unsigned edits = (unsigned)g_rand_int_range(random, 1, 4);
  for (unsigned i = 0; i < edits && text->len > 1; i++) {
    size_t at = (size_t)g_rand_int_range(random, 0, (int)text->len);
    size_t from = (size_t)g_rand_int_range(random, 0, (int)source_length);
    size_t size = (size_t)g_rand_int_range(random, 1, 12);
    size_t room = MIN(size, text->len - at), given = MIN(size, source_length - from);
    switch (g_rand_int_range(random, 0, 4)) {
    case 0:
      text->str[at] = (char)g_rand_int_range(random, 0, 256);
      break;
    case 1:
      g_string_erase(text, (gssize)at, (gssize)room);
      break;
    case 2:
      g_string_insert_len(text, (gssize)at, source + from, (gssize)given);
      break;
    default:
      given = MIN(given, room);
      memcpy(text->str + at, source + from, given);
    }
  }
}

START_TEST(mutated_texts) {
  static const char *const sources[] = {
      "shader compute @a workgroup(4, 2, 1) shared(64) denormals(flush) {\n"
      "  fau x: i64 @ 0, m: f32[4] @ 2\n"
      "entry:\n"
      "  %z = copy.i32 7\n"
      "  %a@r4 = fadd.f32 exact fau.m[1], 0.1\n"
      "  %d = load.global.f32 fau.x, offset:-8\n"
      "  %e, %f = split.i32.w2 %g\n"
      "  %g@r6:r7 = collect.i32.w2 ^%z, 0x12345\n"
      "  %c = call.f32 @f(1, fau.m[2], nan)\n"
      "  switch.i32 1, next(1.5), 3: other(%a, 2), 4: next(%a@r4)\n"
      "next(%q: f32):\n"
      "  br true, next(%q), other(2.0, u3)\n"
      "other(%r: f32, %s: i32):\n"
      "  end\n"
      "}\n"
      "function @f(%a: i32, %b: f32, %c: f32) -> f32 {\n"
      "entry:\n"
      "  %h = vec.v2f16.f16 1.0, 2.0\n"
      "  return.f32 %b\n"
      "}\n",
  };
  bool quick = getenv("NORN_TEST_QUICK") != NULL;
  GRand *random = g_rand_new_with_seed(11);
  unsigned parsed = 0;
  for (unsigned round = 0; round < (quick ? 500u : 10000u); round++) {
    const char *source = sources[round % G_N_ELEMENTS(sources)];
    GString *text = g_string_new(source);
    mutate(random, text, source, strlen(source));
    GError *error = NULL;
    NornModule *module = norn_module_parse(text->str, text->len, "t", &error);
    if (module) {
      parsed++;
      char *printed = norn_module_print(module, NULL);
      check_print(printed, printed);
      g_free(printed);
      if (!norn_module_verify(module, &error))
        ck_assert_int_eq(error->code, NORN_ERROR_INVALID);
      norn_module_free(module);
    }
    g_clear_error(&error);
    g_string_free(text, TRUE);
  }
  ck_assert_uint_gt(parsed, quick ? 0 : 10);
  g_rand_free(random);
}
END_TEST

/* Words are scanned eight bytes at a time: the result must be the same as byte by byte, wherever
 * any byte is and wherever the text ends. */
START_TEST(words) {
  for (unsigned byte = 0; byte < 256; byte++)
    for (unsigned place = 0; place < 20; place++)
      for (unsigned length = place; length < 24; length++) {
        char text[32];
        for (unsigned i = 0; i < sizeof text; i++)
          text[i] = "aZ09_zA"[(i + byte) % 7];
        text[place] = (char)byte;
        text[length] = '\n';
        NornLexer one = {.at = text, .end = text + length + 1}, other = one;
        size_t taken = norn_take_name(&one).length;
        ck_assert_uint_eq(taken, norn_take(&other, NORN_CHAR_WORD).length);
        ck_assert_ptr_eq(one.at, other.at);
      }
}
END_TEST

/* The map gives the location of each instruction and value in the text, and the line that an
 * instruction came from. */
START_TEST(maps_of_text) {
  static const char text[] = "shader compute @map workgroup(1, 1, 1) {\n"
                             "  fau out: i64 @ 0\n"
                             "\n"
                             "entry:\n"
                             "  %a = iadd.i32 1, 2\n"
                             "  %0 = call.i32 @twice(%a)\n"
                             "  store.global.i32 %0, fau.out\n"
                             "  end\n"
                             "}\n"
                             "function @twice(%a: i32) -> i32 {\n"
                             "entry:\n"
                             "  %b = iadd.i32 %a, %a\n"
                             "  return.i32 %b\n"
                             "}\n";
  static const struct {
    const char *start;
    unsigned line;
  } insts[] = {{"%a = iadd.i32 1, 2", 5}, {"%0 = call", 6}, {"store", 7}, {"end", 8},
               {"%b = iadd", 12},         {"return", 13}};
  static const char *const values[] = {"a", "0", "a", "0", "a", "b", "a", "a", "b"};
  NornModule *module = parse_text(text);
  NornTextMap map;
  size_t length;
  char *plain = norn_module_print(module, NULL);
  char *printed = norn_module_print_with_map(module, &length, &map);
  ck_assert_str_eq(printed, plain);
  ck_assert_uint_eq(length, strlen(plain));
  ck_assert_uint_eq(map.inst_count, G_N_ELEMENTS(insts));
  for (unsigned i = 0; i < map.inst_count; i++) {
    ck_assert(g_str_has_prefix(printed + map.insts[i].offset, insts[i].start));
    ck_assert_uint_eq(map.insts[i].line, insts[i].line);
    ck_assert(!map.insts[i].is_code);
  }
  ck_assert_uint_eq(map.value_count, G_N_ELEMENTS(values));
  for (unsigned i = 0; i < map.value_count; i++) {
    ck_assert_int_eq(printed[map.values[i].offset], '%');
    ck_assert(g_str_has_prefix(printed + map.values[i].offset + 1, values[i]));
    ck_assert_str_eq(map.values[i].name, values[i]);
  }
  /* The two values called a belong to two functions. */
  ck_assert_uint_eq(map.values[0].number, map.values[2].number);
  ck_assert_uint_eq(map.values[4].number, map.values[6].number);
  ck_assert_uint_ne(map.values[0].number, map.values[4].number);
  g_free(plain);
  g_free(printed);
  norn_text_map_clear(&map);
  norn_module_free(module);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("ir_text");
  TCase *tcase = tcase_create("text");
  tcase_set_timeout(tcase, 100);
  tcase_add_test(tcase, whole_modules);
  tcase_add_loop_test(tcase, wrong_modules, 0, G_N_ELEMENTS(wrong));
  tcase_add_test(tcase, machine_instructions);
  tcase_add_test(tcase, layout_is_free);
  tcase_add_test(tcase, words);
  tcase_add_loop_test(tcase, constant_texts, 0, G_N_ELEMENTS(constants));
  tcase_add_test(tcase, random_floats);
  tcase_add_test(tcase, names_stay_distinct);
  tcase_add_loop_test(tcase, error_messages, 0, G_N_ELEMENTS(errors));
  tcase_add_test(tcase, bytes_outside_the_language);
  tcase_add_test(tcase, many_errors);
  tcase_add_test(tcase, truncated_texts);
  tcase_add_test(tcase, garbage);
  tcase_add_test(tcase, source_lines_in_errors);
  tcase_add_test(tcase, long_messages);
  tcase_add_test(tcase, long_names_in_errors);
  tcase_add_test(tcase, mutated_texts);
  tcase_add_test(tcase, maps_of_text);
  suite_add_tcase(suite, tcase);
  return suite;
}
