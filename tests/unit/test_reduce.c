/* The reducer: what remains of modules of every shape if a text must remain in them. */
#include "ir_text.h"
#include "unit.h"
#include <norn/reduce.h>
#include <string.h>

typedef struct Wanted {
  const char *texts[3]; /* all of them must remain */
  uint64_t stop_after;  /* 0: never */
  uint64_t asked;
} Wanted;

static NornReduceAnswer
holds(const char *text, gpointer user_data) {
  Wanted *wanted = user_data;
  if (wanted->stop_after && wanted->asked >= wanted->stop_after)
    return NORN_REDUCE_STOP;
  wanted->asked++;
  for (unsigned i = 0; i < G_N_ELEMENTS(wanted->texts) && wanted->texts[i]; i++)
    if (!strstr(text, wanted->texts[i]))
      return NORN_REDUCE_REJECT;
  return NORN_REDUCE_ACCEPT;
}

static void
check_reduced(const char *text, Wanted wanted, const char *expected) {
  for (unsigned round = 0; round < 2; round++) { /* the same again: it is deterministic */
    NornModule *module = parse_text(text);
    const NornReduceOptions options = {.test = holds, .test_data = &wanted};
    NornReduceReport report;
    GError *error = NULL;
    NornModule *result = norn_reduce(module, &options, &report, &error);
    ck_assert_msg(result != NULL, "%s", error ? error->message : "");
    char *printed = norn_module_print(result, NULL);
    ck_assert_str_eq(printed, expected);
    ck_assert_uint_ge(report.tried, report.accepted);
    ck_assert_uint_eq(report.functions, 1);
    g_free(printed);
    norn_module_free(module);
    check_verified(result, NULL);
  }
}

#define REDUCED(text) "shader compute @t workgroup(1, 1, 1) {\nb0:\n" text "  end\n}\n"

static const char many[] =
    "shader compute @t workgroup(8, 4, 2) shared(64) scratch(16) denormals(flush) {\n"
    "  fau p: i64 @ 0, a: f32 @ 2, n: i32 @ 3\n"
    "entry:\n"
    "  %i = global_id.x\n"
    "  %c = icmp.ult.i32 %i, fau.n\n"
    "  %q = shladd.u32.i64 fau.p, %i, 2\n"
    "  %v = load.global.f32 %q, offset:8\n"
    "  br %c, yes(%v), no\n"
    "yes(%w: f32):\n"
    "  %r = call.f32 @f(%w, %i)\n"
    "  jump empty\n"
    "empty:\n"
    "  jump head(0, %r)\n"
    "head(%k: i32, %s: f32):\n"
    "  %m = icmp.slt.i32 %k, 7\n"
    "  br %m, round, no\n"
    "round:\n"
    "  %k1 = iadd.i32 %k, 1\n"
    "  %t = fma.f32 exact nnan %s, fau.a, 3.5\n"
    "  switch.i32 %k, head(%k1, %t), 5: head(%k1, %s), 6: no, 9: store(%t)\n"
    "store(%x: f32):\n"
    "  %h = fpconv.rtz.f16.f32 %x\n"
    "  store.global.f16 %h, %q, offset:4\n"
    "  jump no\n"
    "no:\n"
    "  end\n"
    "dead:\n"
    "  jump no\n"
    "}\n"
    "function @f(%a: f32, %b: i32) -> f32 {\n"
    "entry:\n"
    "  %d = uitofp.rte.f32.i32 %b\n"
    "  %e = fmul.f32 %a, %d\n"
    "  return.f32 %e\n"
    "}\n";

START_TEST(removes_everything) {
  check_reduced(many, (Wanted){{NULL}}, REDUCED(""));
}
END_TEST

/* The required text remains, with operands that are as simple as possible. */
START_TEST(instructions) {
  check_reduced(many, (Wanted){{"store.global.f16"}}, REDUCED("  store.global.f16 0.0, 0\n"));
  check_reduced(many, (Wanted){{"fma.f32 exact"}}, REDUCED("  %0 = fma.f32 exact 0.0, 0.0, 0.0\n"));
  check_reduced(many, (Wanted){{"offset:8"}}, REDUCED("  %0 = load.global.f32 0, offset:8\n"));
}
END_TEST

/* A terminator that must remain keeps one edge, and no loop around it. */
START_TEST(terminators) {
  check_reduced(many, (Wanted){{"switch"}},
                "shader compute @t workgroup(1, 1, 1) {\nb0:\n  switch.i32 0, b1\nb1:\n  end\n}\n");
}
END_TEST

START_TEST(heads) {
  check_reduced(many, (Wanted){{"workgroup(8, 4, 2)", "shared(64)"}},
                "shader compute @t workgroup(8, 4, 2) shared(64) {\nb0:\n  end\n}\n");
  check_reduced(many, (Wanted){{"a: f32 @ 2", "denormals"}},
                "shader compute @t workgroup(1, 1, 1) denormals(flush) {\n  fau a: f32 @ 2\nb0:\n"
                "  end\n}\n");
}
END_TEST

/* Constant data is removed, except for the part that contains something required. */
START_TEST(constant_data) {
  static const char text[] = "shader compute @t workgroup(1, 1, 1) {\n"
                             "  data i32 1, 2, 3, 4, 5, 6, 7, 8, 9\nentry:\n"
                             "  %p = data_address 0\n  %a = load.global.i32 %p, offset:4\n"
                             "  store.global.i32 %a, 64\n  end\n}\n";
  check_reduced(text, (Wanted){{"store.global.i32"}}, REDUCED("  store.global.i32 0, 0\n"));
  check_reduced(
      text, (Wanted){{"0x00000001, 0x00000002"}},
      "shader compute @t workgroup(1, 1, 1) {\n  data i32 0x00000001, 0x00000002\nb0:\n  end\n}\n");
}
END_TEST

/* A function whose call must remain loses its parameters. */
START_TEST(functions) {
  NornModule *module = parse_text(many);
  Wanted wanted = {{"call.f32"}};
  const NornReduceOptions options = {.test = holds, .test_data = &wanted};
  NornModule *result = norn_reduce(module, &options, NULL, NULL);
  char *printed = norn_module_print(result, NULL);
  ck_assert_str_eq(printed, "shader compute @t workgroup(1, 1, 1) {\nb0:\n  %0 = call.f32 @f()\n"
                            "  end\n}\n\nfunction @f() -> f32 {\nb0:\n  return.f32 0.0\n}\n");
  g_free(printed);
  norn_module_free(result);
  norn_module_free(module);
}
END_TEST

/* Values wider than constants can be are replaced with groups of zeros. */
START_TEST(groups) {
  check_reduced(BODY("  %a = load.global.w4 64\n  %b = copy.w4 %a\n  store.global.w4 %b, 128\n"),
                (Wanted){{"store.global.w4"}},
                REDUCED("  %0 = collect.i32.w4 0, 0, 0, 0\n  store.global.w4 %0, 0\n"));
}
END_TEST

/* Webs of values get simpler types together, and conversions between them disappear. */
START_TEST(types) {
  check_reduced(BODY("  %a = load.global.i16 64\n  %b = imul.i16 %a, 3\n  %c = zext.i32.i16 %b\n"
                     "  store.global.i32 %c, 128\n"),
                (Wanted){{"load", "imul", "store.global.i32 %"}},
                REDUCED("  %0 = load.global.i32 0\n  %1 = imul.i32 0, 0\n"
                        "  store.global.i32 %0, 0\n"));
}
END_TEST

/* Machine code is reduced like other code. */
START_TEST(machine_code) {
  NornModule *module = parse_text("target valhall 9\nshader compute @t workgroup(1, 1, 1) {\n"
                                  "  fau p: i64 @ 0\nentry:\n  %a = IADD.u32 u4, u5\n"
                                  "  %b = IADD.u32 %a, u6\n  STORE.i32.slot0 @%b, u0, offset:8\n"
                                  "  end\n}\n");
  Wanted wanted = {{"STORE"}};
  const NornReduceOptions options = {.test = holds, .test_data = &wanted};
  NornReduceReport report;
  NornModule *result = norn_reduce(module, &options, &report, NULL);
  ck_assert_uint_eq(report.instructions, 2);
  norn_module_free(result);
  norn_module_free(module);
}
END_TEST

START_TEST(limits) {
  NornModule *module = parse_text(many);
  Wanted wanted = {.stop_after = 5};
  NornReduceOptions options = {.test = holds, .test_data = &wanted};
  NornReduceReport report;
  check_verified(norn_reduce(module, &options, &report, NULL), NULL);
  ck_assert_uint_eq(wanted.asked, 5);
  wanted.stop_after = 0;
  options.try_limit = 7;
  check_verified(norn_reduce(module, &options, &report, NULL), NULL);
  ck_assert_uint_eq(report.tried, 7);
  norn_module_free(module);
}
END_TEST

static void
check_refused(NornModule *module, Wanted wanted, const char *message) {
  const NornReduceOptions options = {.test = holds, .test_data = &wanted};
  GError *error = NULL;
  ck_assert_ptr_null(norn_reduce(module, &options, NULL, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  ck_assert_msg(strstr(error->message, message) != NULL, "%s", error->message);
  g_error_free(error);
  norn_module_free(module);
}

START_TEST(refusals) {
  check_refused(parse_text(many), (Wanted){{"imul"}}, "does not show");
  check_refused(parse_text(BODY("  %a = iadd.i32 %b, 1\n  %b = iadd.i32 %a, 1\n")),
                (Wanted){{NULL}}, "%b");
}
END_TEST

/* Unreachable loops may pass their parameters to themselves. */
START_TEST(unreachable_loops) {
  check_reduced(BODY(""), (Wanted){{NULL}}, REDUCED(""));
  check_reduced(HEAD "entry:\n  end\na(%x: i32):\n  jump b(%x)\nb(%y: i32):\n"
                     "  %z = iadd.i32 %y, 1\n  jump a(%y)\n}\n",
                (Wanted){{"iadd"}}, REDUCED("  %0 = iadd.i32 0, 0\n"));
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("reduce");
  TCase *tests = tcase_create("all");
  tcase_add_test(tests, removes_everything);
  tcase_add_test(tests, instructions);
  tcase_add_test(tests, terminators);
  tcase_add_test(tests, heads);
  tcase_add_test(tests, constant_data);
  tcase_add_test(tests, functions);
  tcase_add_test(tests, groups);
  tcase_add_test(tests, types);
  tcase_add_test(tests, machine_code);
  tcase_add_test(tests, limits);
  tcase_add_test(tests, refusals);
  tcase_add_test(tests, unreachable_loops);
  suite_add_tcase(suite, tests);
  return suite;
}
