/* Registers by name: what fits where, and programs run on them. */
#include "assembled.h"
#include "unit.h"
#include <norn/isa.h>
#include <norn/registers.h>
#include <stdint.h>
#include <string.h>

static void
run(NornRegisterMachine *machine, const char *isa, unsigned architecture, const char *text) {
  GError *error = NULL;
  GBytes *code = assemble_for(isa, architecture, false, text);
  gsize size;
  const void *bytes = g_bytes_get_data(code, &size);
  ck_assert_msg(norn_register_machine_run(machine, bytes, size, &error), "%s",
                error ? error->message : "");
  g_bytes_unref(code);
}

START_TEST(gcn_doubles_take_pairs) {
  NornRegisterMachine *machine = norn_register_machine_new("gcn", "1.4", NULL);
  const double values[] = {1.5, 2.5, 3.5};
  double results[3];
  uint64_t mask;
  ck_assert(norn_register_machine_write(machine, "v2", values, 3, sizeof *values, NULL));
  ck_assert(norn_register_machine_write(machine, "s4", values, 1, sizeof *values, NULL));
  run(machine, "gcn", 3, "v_add_f64 v[4:5], v[2:3], s[4:5]\nv_cmp_gt_f64 vcc, v[2:3], 2.0");
  ck_assert(norn_register_machine_read(machine, "v4", results, 3, sizeof *results, NULL));
  ck_assert(results[0] == 3.0 && results[1] == 4.0 && results[2] == 5.0);
  ck_assert(norn_register_machine_read(machine, "vcc", &mask, 1, sizeof mask, NULL));
  ck_assert_uint_eq(mask, 6);
  norn_register_machine_free(machine);
}
END_TEST

START_TEST(scalars_follow_each_other) {
  NornRegisterMachine *machine = norn_register_machine_new("gcn", NULL, NULL);
  const uint64_t pairs[] = {UINT64_C(0x200000001), UINT64_C(0x400000003)};
  uint32_t words[4];
  ck_assert(norn_register_machine_write(machine, "s100", pairs, 2, sizeof *pairs, NULL));
  ck_assert(norn_register_machine_read(machine, "s100", words, 4, sizeof *words, NULL));
  for (unsigned i = 0; i < 4; i++)
    ck_assert_uint_eq(words[i], i + 1);
  ck_assert(!norn_register_machine_write(machine, "s103", pairs, 2, sizeof *pairs, NULL));
  norn_register_machine_free(machine);
}
END_TEST

START_TEST(vp1_components_are_bytes) {
  NornRegisterMachine *machine = norn_register_machine_new("vp1", NULL, NULL);
  const uint8_t values[] = {250, 3, 200};
  const uint8_t flag = 1;
  uint8_t results[16];
  uint32_t conditions;
  ck_assert(norn_register_machine_write(machine, "$v1", values, 3, 1, NULL));
  ck_assert(norn_register_machine_write(machine, "tie_down", &flag, 1, 1, NULL));
  run(machine, "vp1", 0, "vadd u $vc2 $v3 $v1 0x0A");
  ck_assert(norn_register_machine_read(machine, "v3", results, 16, 1, NULL));
  ck_assert_uint_eq(results[0], 255);
  ck_assert_uint_eq(results[1], 13);
  ck_assert_uint_eq(results[15], 10);
  ck_assert(norn_register_machine_read(machine, "vc2", &conditions, 1, 4, NULL));
  ck_assert_uint_eq(conditions, 1);
  norn_register_machine_free(machine);
}
END_TEST

static void
expect_error(NornRegisterMachine *machine, const char *name, size_t count, size_t bytes,
             const char *message) {
  uint8_t data[1024] = {0};
  GError *error = NULL;
  ck_assert(!norn_register_machine_write(machine, name, data, count, bytes, &error));
  ck_assert_str_eq(error->message, message);
  g_clear_error(&error);
  ck_assert(!norn_register_machine_read(machine, name, data, count, bytes, &error));
  ck_assert_str_eq(error->message, message);
  g_clear_error(&error);
}

#define GCN_NAMES                                                                                  \
  "s0 to s105, vcc, m0, exec, mode, scc, v0 to v255, lds, primitive_count or primitive"

START_TEST(values_that_do_not_fit_are_refused) {
  NornRegisterMachine *machine = norn_register_machine_new("gcn", NULL, NULL);
  expect_error(machine, "v256", 1, 4, "gcn has no register 'v256', expected " GCN_NAMES);
  expect_error(machine, "v1x", 1, 4, "gcn has no register 'v1x', expected " GCN_NAMES);
  expect_error(machine, "", 1, 4, "gcn has no register '', expected " GCN_NAMES);
  expect_error(machine, "v0", 65, 4, "'v0' holds 64 elements, not 65");
  expect_error(machine, "v255", 1, 8, "'v255' holds elements of at most 4 bytes, not 8");
  expect_error(machine, "m0", 1, 8, "'m0' holds elements of at most 4 bytes, not 8");
  expect_error(machine, "v0", 1, 12, "'v0' holds elements of at most 8 bytes, not 12");
  expect_error(machine, "v0", 1, 3, "'v0' holds elements of 1, 2, 4 or 8 bytes, not 3");
  expect_error(machine, "v0", 1, 0, "'v0' holds elements of 1, 2, 4 or 8 bytes, not 0");
  ck_assert_uint_eq(norn_register_machine_lanes(machine, "lds"), 16384);
  ck_assert_uint_eq(norn_register_machine_lanes(machine, "nothing"), 0);
  ck_assert_uint_eq(norn_register_machine_element_bytes(machine, "exec"), 8);
  ck_assert_uint_eq(norn_register_machine_element_bytes(machine, "s4"), 4);
  ck_assert_uint_eq(norn_register_machine_element_bytes(machine, "nothing"), 0);
  norn_register_machine_free(machine);
}
END_TEST

START_TEST(numbers_beyond_the_bits_are_refused) {
  static const struct {
    const char *isa, *name;
    int64_t min, max;
    size_t bytes;
  } rows[] = {
      {"vp1", "va", -(1 << 27), (1 << 27) - 1, 4},
      {"vp1", "factor", -512, 511, 2},
      {"vp1", "vcsrc", 0, 3, 1},
      {"vp1", "vcpart", 0, 1, 1},
      {"vp1", "vcmode", 0, 7, 1},
      {"vp1", "tie_down", 0, 1, 1},
      {"vp1", "s2v_valid", 0, 1, 1},
      {"gcn", "scc", 0, 1, 1},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    NornRegisterMachine *machine = norn_register_machine_new(rows[i].isa, NULL, NULL);
    for (int64_t number = rows[i].min - 1; number <= rows[i].max + 1;
         number += number == rows[i].min ? rows[i].max - rows[i].min : 1) {
      uint64_t bits = GUINT64_TO_LE((uint64_t)number), old = 0, now = 0;
      bool fits = number >= rows[i].min && number <= rows[i].max;
      norn_register_machine_read(machine, rows[i].name, &old, 1, rows[i].bytes, NULL);
      GError *error = NULL;
      ck_assert(norn_register_machine_write(machine, rows[i].name, &bits, 1, rows[i].bytes,
                                            &error) == fits);
      ck_assert(fits || g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
      g_clear_error(&error);
      norn_register_machine_read(machine, rows[i].name, &now, 1, rows[i].bytes, NULL);
      ck_assert_uint_eq(now, fits ? bits & (UINT64_MAX >> (64 - 8 * rows[i].bytes)) : old);
    }
    norn_register_machine_free(machine);
  }
  NornRegisterMachine *machine = norn_register_machine_new("vp1", NULL, NULL);
  const int32_t accumulators[] = {1, 1 << 27};
  const int64_t factors = INT64_C(0x0200000000000000);
  uint32_t first = 7;
  GError *error = NULL;
  ck_assert(!norn_register_machine_write(machine, "va", accumulators, 2, 4, &error));
  ck_assert_str_eq(error->message,
                   "'va' holds numbers from -134217728 to 134217727, not 134217728");
  g_clear_error(&error);
  ck_assert(norn_register_machine_read(machine, "va", &first, 1, 4, NULL));
  ck_assert_uint_eq(first, 0); /* nothing is written */
  ck_assert(!norn_register_machine_write(machine, "factor", &factors, 1, 8, NULL));
  norn_register_machine_free(machine);
}
END_TEST

START_TEST(unknown_machines_are_refused) {
  GError *error = NULL;
  ck_assert_ptr_null(norn_register_machine_new("valhall", NULL, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED));
  g_clear_error(&error);
  ck_assert_ptr_null(norn_register_machine_new("gcn", "1.3", &error));
  ck_assert_str_eq(error->message, "unknown machine 'gcn 1.3'");
  g_clear_error(&error);
  ck_assert(norn_register_machine_exists("vp1"));
  ck_assert(!norn_register_machine_exists("valhall"));
}
END_TEST

START_TEST(vp1_refuses_other_words) {
  static const uint8_t scalar[4] = {1, 2, 3, 0x41};
  NornRegisterMachine *machine = norn_register_machine_new("vp1", NULL, NULL);
  GError *error = NULL;
  ck_assert(!norn_register_machine_run(machine, scalar, 4, &error));
  ck_assert_str_eq(error->message, "instruction 0: 0x41030201 is not a vector instruction");
  g_clear_error(&error);
  ck_assert(!norn_register_machine_run(machine, scalar, 3, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  g_clear_error(&error);
  norn_register_machine_free(machine);
}
END_TEST

/* Every vector opcode runs, whatever its bits and the contents of the registers are. */
START_TEST(any_vp1_word_runs) {
  NornRegisterMachine *machine = norn_register_machine_new("vp1", NULL, NULL);
  uint32_t random = 0x2545f491;
  for (unsigned i = 0; i < 50000; i++) {
    random = random * 1664525 + 1013904223;
    uint32_t word = (random ^ random >> 15) % 0x40000000 | 0x80000000;
    static const char *const names[] = {"vcmode", "vcsrc", "vcpart", "s2v_valid", "tie_down"};
    static const uint8_t limits[] = {7, 3, 1, 1, 1};
    uint8_t bytes[4], number = word >> 8 * (i % 3) & limits[i % 5];
    for (unsigned k = 0; k < 4; k++)
      bytes[k] = (uint8_t)(word >> 8 * k);
    const uint8_t factors[] = {bytes[0], -(bytes[1] & 1u), bytes[2], bytes[3] & 1};
    ck_assert(norn_register_machine_write(machine, names[i % 5], &number, 1, 1, NULL) &&
              norn_register_machine_write(machine, "c1", bytes, 1, 2, NULL) &&
              norn_register_machine_write(machine, "factor", factors, 2, 2, NULL) &&
              norn_register_machine_run(machine, bytes, 4, NULL));
  }
  norn_register_machine_free(machine);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("register machines");
  TCase *tcase = tcase_create("registers");
  tcase_add_test(tcase, gcn_doubles_take_pairs);
  tcase_add_test(tcase, scalars_follow_each_other);
  tcase_add_test(tcase, vp1_components_are_bytes);
  tcase_add_test(tcase, values_that_do_not_fit_are_refused);
  tcase_add_test(tcase, numbers_beyond_the_bits_are_refused);
  tcase_add_test(tcase, unknown_machines_are_refused);
  tcase_add_test(tcase, vp1_refuses_other_words);
  tcase_add_test(tcase, any_vp1_word_runs);
  suite_add_tcase(suite, tcase);
  return suite;
}
