/* Figures of code. Paths are compared with all ways through small programs of random structure,
 * enumerated one by one; counts with what the text says. */
#include "unit.h"
#include <norn/statistics.h>

/* The lengths of all ways through a part of a program. */
typedef GArray Ways; /* uint32_t */

typedef struct Writer {
  GString *text;
  uint64_t random;
  unsigned labels, trips;
} Writer;

static unsigned
draw(Writer *writer, unsigned count) {
  writer->random = writer->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(writer->random >> 33) % count;
}

static Ways *
one_way(uint32_t length) {
  Ways *ways = g_array_new(FALSE, FALSE, sizeof length);
  g_array_append_val(ways, length);
  return ways;
}

/* Each way of the one followed by each way of the other, lengths once each; frees `first`. */
static Ways *
then(Ways *first, const Ways *second) {
  bool seen[4096] = {false};
  Ways *all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (guint i = 0; i < first->len; i++)
    for (guint k = 0; k < second->len; k++) {
      uint32_t length = g_array_index(first, uint32_t, i) + g_array_index(second, uint32_t, k);
      ck_assert_uint_lt(length, G_N_ELEMENTS(seen));
      if (!seen[length])
        g_array_append_val(all, length);
      seen[length] = true;
    }
  g_array_unref(first);
  return all;
}

static Ways *
write_instructions(Writer *writer, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    g_string_append(writer->text, "IADD.u32 r0, r0, 0x1000000.b3\n");
  return one_way(count);
}

static Ways *write_part(Writer *writer, unsigned depth);

static Ways *
write_choice(Writer *writer, unsigned depth) {
  unsigned label = writer->labels++;
  g_string_append_printf(writer->text, "BRANCHZ r1, L%ua\n", label);
  Ways *left = write_part(writer, depth);
  g_string_append_printf(writer->text, "BRANCHZ.eq 0x0, L%ub\nL%ua:\n", label, label);
  Ways *right = write_part(writer, depth);
  g_string_append_printf(writer->text, "L%ub:\n", label);
  Ways *jump = one_way(1), *ways = then(left, jump);
  g_array_append_vals(ways, right->data, right->len);
  ways = then(ways, jump);
  g_array_unref(right);
  g_array_unref(jump);
  return ways;
}

/* A loop tested at its top runs 0 to `trips` times, one tested at its bottom 1 to `trips` times. */
static Ways *
write_loop(Writer *writer, unsigned depth, bool at_top) {
  unsigned label = writer->labels++;
  g_string_append_printf(writer->text, "L%uh:\n", label);
  Ways *round = write_instructions(writer, 1 + draw(writer, 3));
  Ways *one = one_way(1), *nothing = one_way(0), *all;
  if (at_top) {
    round = then(round, one);
    all = then(one_way(0), round);
    g_string_append_printf(writer->text, "BRANCHZ r1, L%ux\n", label);
  } else {
    all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  }
  Ways *body = write_part(writer, depth);
  g_string_append_printf(
      writer->text, at_top ? "BRANCHZ.eq 0x0, L%uh\nL%ux:\n" : "BRANCHZ r1, L%uh\n", label, label);
  Ways *test = then(then(one_way(0), round), nothing);
  round = then(then(round, body), one);
  Ways *rounds = one_way(0);
  for (unsigned i = 0; i < writer->trips; i++) {
    rounds = then(rounds, round);
    Ways *left = at_top ? then(then(one_way(0), rounds), test) : then(one_way(0), rounds);
    g_array_append_vals(all, left->data, left->len);
    g_array_unref(left);
  }
  Ways *parts[] = {round, body, one, nothing, test, rounds};
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    g_array_unref(parts[i]);
  return all;
}

static Ways *
write_part(Writer *writer, unsigned depth) {
  Ways *ways = write_instructions(writer, draw(writer, 3));
  for (unsigned count = depth ? 1 + draw(writer, 2) : 0; count; count--) {
    unsigned kind = draw(writer, 3);
    Ways *part =
        kind == 0 ? write_choice(writer, depth - 1) : write_loop(writer, depth - 1, kind == 1);
    ways = then(ways, part);
    g_array_unref(part);
  }
  return ways;
}

static void
count_text(const char *text, unsigned trips, NornStatistics *statistics) {
  const NornIsa *isa = norn_isa_find("valhall");
  GError *error = NULL;
  NornIsaAssembleOptions options = {.no_verify = true};
  g_autoptr(GBytes) code = norn_isa_assemble(isa, text, strlen(text), "test", &options, &error);
  ck_assert_msg(code != NULL, "%s", error ? error->message : "");
  gsize size;
  const void *data = g_bytes_get_data(code, &size);
  ck_assert(norn_code_statistics(isa, 0, data, size, trips, statistics, &error));
}

/* The unit of integer additions and branches. */
static const NornUnitStatistics *
find_cvt(const NornStatistics *statistics) {
  for (unsigned i = 0; i < statistics->unit_count; i++)
    if (!strcmp(statistics->units[i].name, "cvt"))
      return &statistics->units[i];
  ck_abort_msg("no unit cvt");
}

START_TEST(paths_are_those_of_enumeration) {
  Writer writer = {.text = g_string_new(NULL), .random = (uint64_t)_i + 1, .trips = 1 + _i % 3};
  Ways *ways = write_part(&writer, 2 + (_i & 1));
  g_string_append(writer.text, "NOP.end\n");
  uint32_t least = UINT32_MAX, most = 0;
  for (guint i = 0; i < ways->len; i++) {
    least = MIN(least, g_array_index(ways, uint32_t, i));
    most = MAX(most, g_array_index(ways, uint32_t, i));
  }
  NornStatistics statistics;
  count_text(writer.text->str, writer.trips, &statistics);
  const NornUnitStatistics *cvt = find_cvt(&statistics);
  ck_assert(statistics.has_shortest && statistics.has_longest);
  /* The NOP is of that unit, too. */
  ck_assert_uint_eq((unsigned)(cvt->cycles[NORN_PATH_SHORTEST] * 64), least + 1);
  ck_assert_uint_eq((unsigned)(cvt->cycles[NORN_PATH_LONGEST] * 64), most + 1);
  g_array_unref(ways);
  g_string_free(writer.text, TRUE);
}
END_TEST

START_TEST(loops_with_several_entries_have_no_longest_path) {
  NornStatistics statistics;
  count_text(
      "BRANCHZ r1, L2\nL1:\nIADD.u32 r0, r0, 0x1000000.b3\nL2:\nIADD.u32 r0, r0, 0x1000000.b3\n"
      "BRANCHZ r0, L1\nNOP.end\n",
      2, &statistics);
  ck_assert(statistics.has_shortest && !statistics.has_longest);
  ck_assert_uint_eq((unsigned)(find_cvt(&statistics)->cycles[NORN_PATH_SHORTEST] * 64), 4);
}
END_TEST

START_TEST(endless_loops_have_no_path) {
  NornStatistics statistics;
  count_text("L1:\nIADD.u32 r0, r0, 0x1000000.b3\nBRANCHZ.eq 0x0, L1\nNOP.end\n", 1, &statistics);
  ck_assert(!statistics.has_shortest && !statistics.has_longest);
}
END_TEST

START_TEST(counts_are_those_of_the_text) {
  NornStatistics statistics;
  count_text("MOV.i32 r1, r60\n"
             "MOV.i32 r1, u9\n"
             "IADD_IMM.i32 r2, 0x0, #0x7\n"
             "IADD_IMM.i32 r2, r2, #0x7\n"
             "LOAD.i64.unsigned.slot0 @r4:r5, r60, offset:0\n"
             "FMA.v2f16.wait0 r20, r4, r5, u3\n"
             "IADD.u64 r2, r2, u4\n"
             "LD_VAR_IMM.slot1.v3.f16.center.store @r6:r7, r61, table:0x1, index:0x2\n"
             "NOP.wait1\n"
             "STORE.i32.slot0.end @r2, r4, offset:0\n",
             1, &statistics);
  ck_assert_uint_eq(statistics.instructions, 10);
  ck_assert_uint_eq(statistics.moves, 2);
  ck_assert_uint_eq(statistics.constant_moves, 1);
  ck_assert_uint_eq(statistics.nops, 1);
  ck_assert_uint_eq(statistics.waits, 2);
  ck_assert_uint_eq(statistics.messages, 3);
  ck_assert_uint_eq(statistics.narrow, 1);
  ck_assert_uint_eq(statistics.work_registers, 62);
  ck_assert_uint_eq(statistics.uniform_words, 10);
  ck_assert_uint_eq(statistics.threads, 1); /* r20 */
  static const struct {
    const char *name;
    double cycles;
  } units[] = {{"fma", 1 / 64.0}, {"v", 3 / 16.0}, {"ls", 2}};
  for (guint i = 0; i < G_N_ELEMENTS(units); i++)
    for (unsigned k = 0; k < statistics.unit_count; k++)
      if (!strcmp(statistics.units[k].name, units[i].name))
        ck_assert_double_eq(statistics.units[k].cycles[NORN_PATH_TOTAL], units[i].cycles);
  /* Four moves and additions, a NOP, and a sum of 64 bits that counts twice. */
  ck_assert_double_eq(find_cvt(&statistics)->cycles[NORN_PATH_TOTAL] * 64, 7);
  ck_assert_str_eq(statistics.units[statistics.bound[NORN_PATH_TOTAL]].name, "ls");
}
END_TEST

START_TEST(bad_code_is_refused_with_its_address) {
  const uint64_t words[] = {UINT64_C(0x00C0000000000000), UINT64_MAX};
  NornStatistics statistics;
  GError *error = NULL;
  const NornIsa *isa = norn_isa_find("valhall");
  ck_assert(!norn_code_statistics(isa, 0, words, sizeof words, 1, &statistics, &error));
  ck_assert(strstr(error->message, "address 0x") != NULL);
  g_clear_error(&error);
  ck_assert(!norn_code_statistics(isa, 0, words, 12, 1, &statistics, &error));
  ck_assert(strstr(error->message, "12 bytes") != NULL);
  g_clear_error(&error);
  ck_assert(norn_code_statistics(isa, 0, words, 0, 1, &statistics, &error));
  ck_assert_uint_eq(statistics.instructions, 0);
  ck_assert(!statistics.has_shortest);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("statistics");
  TCase *tests = tcase_create("statistics");
  tcase_add_loop_test(tests, paths_are_those_of_enumeration, 0, 60);
  tcase_add_test(tests, loops_with_several_entries_have_no_longest_path);
  tcase_add_test(tests, endless_loops_have_no_path);
  tcase_add_test(tests, counts_are_those_of_the_text);
  tcase_add_test(tests, bad_code_is_refused_with_its_address);
  suite_add_tcase(suite, tests);
  return suite;
}
