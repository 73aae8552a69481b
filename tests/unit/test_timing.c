/* The timing model compared with closed forms, and the lower bounds of code whose bounds are
 * obvious. */
#include "assembled.h"
#include "unit.h"
#include <norn/statistics.h>

/* The latencies in the model's table, and lanes per cycle. */
enum { ARITHMETIC = 4, SPECIAL = 8, MEMORY = 60, WARP = 16, FMA_RATE = 64 };

static const NornIsa *
valhall(void) {
  return norn_isa_find("valhall");
}

/* `times` times `text`. */
static GBytes *
repeat(const char *text, unsigned times) {
  g_autoptr(GString) all = g_string_new(NULL);
  for (unsigned i = 0; i < times; i++)
    g_string_append(all, text);
  return assemble_for("valhall", 0, true, all->str);
}

static void
count(const char *text, unsigned times, NornStatistics *statistics) {
  g_autoptr(GBytes) code = repeat(text, times);
  GError *error = NULL;
  NornMachineCode machine = code_of(code);
  ck_assert(norn_code_statistics(&machine, 1, statistics, &error));
}

#define CHAIN "FMA.f32 r0, r0, r0, r0\n"
#define INDEPENDENT "FMA.f32 r0, r8, r9, r10\n"
#define LOAD "LOAD.i32.unsigned.slot0 @r0, r2, offset:0\n"
#define WAITED_LOAD "LOAD.i32.unsigned.slot0.wait0 @r0, r2, offset:0\n"

START_TEST(a_chain_takes_the_sum_of_its_latencies) {
  NornStatistics statistics;
  count(CHAIN, 10, &statistics);
  ck_assert_double_eq(statistics.alone_cycles, 10 * ARITHMETIC);
  ck_assert_double_eq(statistics.critical_path, 10 * ARITHMETIC);
  count("FRCP.f32 r0, r0\n", 10, &statistics);
  ck_assert_double_eq(statistics.alone_cycles, 10 * SPECIAL);
}
END_TEST

START_TEST(independent_instructions_issue_each_cycle) {
  NornStatistics statistics;
  count(INDEPENDENT, 10, &statistics);
  ck_assert_double_eq(statistics.alone_cycles, 9 + ARITHMETIC);
  ck_assert_double_eq(statistics.critical_path, ARITHMETIC);
  count("FRCP.f32 r0, r8\n", 10, &statistics);
  ck_assert_double_eq(statistics.alone_cycles, 9 + SPECIAL);
}
END_TEST

START_TEST(one_message_at_a_time_takes_the_latency_each) {
  NornStatistics statistics;
  count(WAITED_LOAD, 10, &statistics);
  ck_assert_double_eq(statistics.alone_cycles, 10 * MEMORY);
  ck_assert_double_eq(statistics.critical_path, MEMORY);
}
END_TEST

/* A slot is free when the slowest of its messages is complete, not the last one. */
START_TEST(slots_are_waited_for_as_a_whole) {
  NornStatistics statistics;
  count(LOAD "LD_VAR_IMM.slot0.v3.f16.center.store.wait0 @r6:r7, r61, table:0x1, index:0x2\n" CHAIN,
        1, &statistics);
  ck_assert_double_eq(statistics.alone_cycles, MEMORY + ARITHMETIC);
}
END_TEST

START_TEST(messages_in_flight_take_the_rate_of_their_unit) {
  NornStatistics statistics;
  count(LOAD, 10, &statistics);
  ck_assert_double_eq(statistics.unit_path, 10 * WARP);
  ck_assert_double_eq(statistics.alone_cycles, 9 * WARP + MEMORY);
  ck_assert_double_eq(statistics.critical_path, MEMORY);
}
END_TEST

/* A model in which `warps` warps have executed `times` instructions each. */
static NornTimingModel *
trace(const char *line, unsigned times, unsigned warps, unsigned resident, NornTiming *timing) {
  g_autoptr(GBytes) code = repeat(line, times);
  GError *error = NULL;
  NornMachineCode machine = code_of(code);
  NornTimingModel *model = norn_timing_new(&machine, &error);
  ck_assert(model != NULL);
  for (unsigned i = 0; i < times; i++)
    for (unsigned warp = 0; warp < warps; warp++)
      norn_timing_step(model, warp, i * 8);
  norn_timing_run(model, resident, timing);
  return model;
}

static double
busy(const NornTiming *timing, const char *unit) {
  NornStatistics statistics;
  count("NOP.end\n", 1, &statistics);
  for (unsigned k = 0; k < statistics.unit_count; k++)
    if (!strcmp(statistics.units[k].name, unit))
      return timing->busy[k];
  ck_abort_msg("no unit %s", unit);
}

START_TEST(at_full_occupancy_the_unit_is_never_idle) {
  NornTiming timing;
  NornTimingModel *model = trace(CHAIN, 10, 64, 0, &timing);
  ck_assert_uint_eq(timing.resident, 64);
  ck_assert_uint_eq(timing.issued, 640);
  /* The last of 640 instructions is issued after the others have used the unit for a quarter of
   * a cycle each. */
  ck_assert_double_eq(timing.cycles, 639.0 * WARP / FMA_RATE + ARITHMETIC);
  ck_assert_double_eq(busy(&timing, "fma"), 640.0 * WARP / FMA_RATE);
  ck_assert_double_eq(busy(&timing, "cvt"), 0);
  norn_timing_free(model);
  model = trace("FRCP.f32 r0, r8\n", 10, 64, 0, &timing);
  ck_assert_double_eq(timing.cycles, 639.0 + SPECIAL); /* 16 lanes a cycle */
  norn_timing_free(model);
  model = trace(LOAD, 10, 64, 0, &timing);
  ck_assert_double_eq(timing.cycles, 639.0 * WARP + MEMORY);
  norn_timing_free(model);
}
END_TEST

START_TEST(warps_that_do_not_fit_run_later) {
  NornTiming timing;
  NornTimingModel *model = trace(WAITED_LOAD, 10, 3, 1, &timing);
  ck_assert_uint_eq(timing.resident, 1);
  ck_assert_double_eq(timing.cycles, 3 * 10 * MEMORY);
  norn_timing_free(model);
  /* The same if nothing waits for its last message. */
  model = trace(LOAD, 1, 3, 1, &timing);
  ck_assert_double_eq(timing.cycles, 3 * MEMORY);
  norn_timing_free(model);
  /* Code that uses more than half of the registers leaves room for half as many warps. */
  model = trace("FMA.f32 r0, r8, r9, r20\n", 1, 100, 0, &timing);
  ck_assert_uint_eq(timing.resident, 32);
  ck_assert_uint_eq(timing.warps, 100);
  norn_timing_free(model);
}
END_TEST

START_TEST(stalls_have_their_causes) {
  NornTiming timing;
  NornTimingModel *model =
      trace(LOAD "FMA.f32 r4, r8, r8, r8\nFMA.f32.wait0 r5, r4, r4, r4\n" CHAIN, 1, 1, 0, &timing);
  norn_timing_step(model, 0, 8);
  norn_timing_step(model, 0, 16);
  norn_timing_step(model, 0, 24);
  norn_timing_run(model, 0, &timing);
  ck_assert_uint_eq(timing.instruction_count, 4);
  const NornInstructionTiming *rows = timing.instructions;
  static const double issued_at[] = {0, 1, 5, 60};
  for (unsigned i = 0; i < 4; i++) {
    ck_assert_uint_eq(rows[i].issues, 1);
    ck_assert_double_eq(rows[i].issued_at, issued_at[i]);
  }
  ck_assert_double_eq(rows[2].stall[NORN_STALL_RESULT], ARITHMETIC - 1);
  ck_assert_double_eq(rows[2].stall[NORN_STALL_MESSAGE], 60 - 6);
  ck_assert_uint_eq(rows[2].waited_for, 0);
  ck_assert_uint_eq(rows[3].waited_for, 3);
  ck_assert_double_eq(timing.stall[NORN_STALL_UNIT], 0);
  ck_assert_double_eq(timing.cycles, 60 + ARITHMETIC);
  norn_timing_free(model);
}
END_TEST

START_TEST(bounds_match_the_text) {
  NornStatistics statistics;
  count(LOAD, 4, &statistics);
  ck_assert_uint_eq(statistics.least_messages, 1);
  count(LOAD, 5, &statistics);
  ck_assert_uint_eq(statistics.least_messages, 2);
  count("LOAD.i128.unsigned.slot0 @r4:r5:r6:r7, r2, offset:0\nSTORE.i128.slot0 @r4:r5:r6:r7, r2, "
        "offset:0\n",
        2, &statistics);
  ck_assert_uint_eq(statistics.least_messages, 4);
  /* Accesses to thread-local memory might be unnecessary; others cannot be merged. */
  count("STORE.i32.force.slot0 @r4, r2, offset:0\n", 5, &statistics);
  ck_assert_uint_eq(statistics.least_messages, 0);
  count("LD_VAR_IMM.slot1.v3.f16.center.store @r6:r7, r61, table:0x1, index:0x2\n", 3, &statistics);
  ck_assert_uint_eq(statistics.least_messages, 3);
  /* r8, r9, r10 are live at once; r0 is never read. */
  count(INDEPENDENT, 3, &statistics);
  ck_assert_uint_eq(statistics.most_live, 3);
  /* r1 is live around the loop, in addition to r0 or r2. */
  count("L1:\nFADD.f32 r2, r0, r0\nFADD.f32 r0, r2, r2\nBRANCHZ r1, L1\nNOP.end\n", 1, &statistics);
  ck_assert_uint_eq(statistics.most_live, 2);
  /* One half of a pair is one register. */
  count("SHADDX.u64 r0, u0, r60.w0, shift:0x2\n", 1, &statistics);
  ck_assert_uint_eq(statistics.work_registers, 61);
  ck_assert_uint_eq(statistics.most_live, 1);
}
END_TEST

START_TEST(a_listing_knows_loops_units_and_registers) {
  g_autoptr(GBytes) code = repeat("L1:\nFADD.f32 r2, r0, r0\nL2:\nFRCP.f32 r0, r2\nBRANCHZ r1, L2\n"
                                  "BRANCHZ r3, L1\nNOP.end\n",
                                  1);
  NornMachineCode machine = code_of(code);
  GError *error = NULL;
  unsigned rows_count;
  g_autofree NornInstructionReport *rows = norn_code_annotate(&machine, &rows_count, &error);
  ck_assert(rows != NULL);
  ck_assert_uint_eq(rows_count, 5);
  static const unsigned depths[] = {1, 2, 2, 1, 0}, live[] = {3, 3, 4, 3, 0};
  static const char *const units[] = {"fma", "sfu", "cvt", "cvt", "cvt"};
  for (unsigned i = 0; i < rows_count; i++) {
    ck_assert_uint_eq(rows[i].loop_depth, depths[i]);
    ck_assert_uint_eq(rows[i].live, live[i]);
    ck_assert_str_eq(rows[i].unit, units[i]);
  }
  ck_assert(!norn_code_annotate(&(NornMachineCode){machine.isa, 0, machine.words, 4}, &rows_count,
                                &error));
  g_clear_error(&error);
}
END_TEST

START_TEST(every_parameter_has_its_source) {
  unsigned number;
  const NornTimingParameter *parameters = norn_timing_parameters(valhall(), &number);
  ck_assert_uint_ge(number, 8);
  for (unsigned i = 0; i < number; i++)
    ck_assert(parameters[i].value && *parameters[i].meaning && *parameters[i].source);
  ck_assert(!norn_timing_parameters(norn_isa_find("gcn"), &number));
  ck_assert_uint_eq(number, 0);
  GError *error = NULL;
  ck_assert(!norn_timing_new(&(NornMachineCode){norn_isa_find("gcn"), 0, "", 0}, &error));
  ck_assert(strstr(error->message, "no timing model") != NULL);
  g_clear_error(&error);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("timing");
  TCase *tests = tcase_create("timing");
  tcase_add_test(tests, a_chain_takes_the_sum_of_its_latencies);
  tcase_add_test(tests, independent_instructions_issue_each_cycle);
  tcase_add_test(tests, one_message_at_a_time_takes_the_latency_each);
  tcase_add_test(tests, slots_are_waited_for_as_a_whole);
  tcase_add_test(tests, messages_in_flight_take_the_rate_of_their_unit);
  tcase_add_test(tests, at_full_occupancy_the_unit_is_never_idle);
  tcase_add_test(tests, warps_that_do_not_fit_run_later);
  tcase_add_test(tests, stalls_have_their_causes);
  tcase_add_test(tests, bounds_match_the_text);
  tcase_add_test(tests, a_listing_knows_loops_units_and_registers);
  tcase_add_test(tests, every_parameter_has_its_source);
  suite_add_tcase(suite, tests);
  return suite;
}
