/* Figures of code. Paths are compared with all paths through small programs of random structure,
 * enumerated one by one. Loops with counters run as often as the same loop here. Counts and
 * waits are compared with those in the text. */
#include "assembled.h"
#include "ir/random.h"
#include "unit.h"
#include <norn/statistics.h>

/* The lengths of all paths through a part of a program. */
typedef GArray Paths; /* uint32_t */

typedef struct Writer {
  GString *text;
  uint64_t random;
  unsigned labels, trips;
  unsigned counters; /* registers used by outer loops */
} Writer;

static unsigned
draw(Writer *writer, unsigned count) {
  return norn_random_below(&writer->random, count);
}

static Paths *
one_path(uint32_t length) {
  Paths *paths = g_array_new(FALSE, FALSE, sizeof length);
  g_array_append_val(paths, length);
  return paths;
}

/* Each path of the first part followed by each path of the second, listing each length once;
 * frees `first`. */
static Paths *
then(Paths *first, const Paths *second) {
  bool seen[16384] = {false};
  Paths *all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (guint i = 0; i < first->len; i++)
    for (guint k = 0; k < second->len; k++) {
      uint32_t length = g_array_index(first, uint32_t, i) + g_array_index(second, uint32_t, k);
      if (length >= G_N_ELEMENTS(seen)) /* each assertion writes to a file */
        ck_abort_msg("a path of %u instructions", length);
      if (!seen[length])
        g_array_append_val(all, length);
      seen[length] = true;
    }
  g_array_unref(first);
  return all;
}

static Paths *
write_instructions(Writer *writer, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    g_string_append(writer->text, "IADD.u32 r0, r0, 0x1000000.b3\n");
  return one_path(count);
}

static Paths *write_part(Writer *writer, unsigned depth);

static Paths *
write_choice(Writer *writer, unsigned depth) {
  unsigned label = writer->labels++;
  g_string_append_printf(writer->text, "BRANCHZ r1, L%ua\n", label);
  Paths *left = write_part(writer, depth);
  g_string_append_printf(writer->text, "BRANCHZ.eq 0x0, L%ub\nL%ua:\n", label, label);
  Paths *right = write_part(writer, depth);
  g_string_append_printf(writer->text, "L%ub:\n", label);
  Paths *jump = one_path(1), *paths = then(left, jump);
  g_array_append_vals(paths, right->data, right->len);
  paths = then(paths, jump);
  g_array_unref(right);
  g_array_unref(jump);
  return paths;
}

/* A loop tested at its top runs 0 to `trips` times, one tested at its bottom 1 to `trips` times. */
static Paths *
write_loop(Writer *writer, unsigned depth, bool at_top) {
  unsigned label = writer->labels++;
  g_string_append_printf(writer->text, "L%uh:\n", label);
  Paths *iteration = write_instructions(writer, 1 + draw(writer, 3));
  Paths *one = one_path(1), *nothing = one_path(0), *all;
  if (at_top) {
    iteration = then(iteration, one);
    all = then(one_path(0), iteration);
    g_string_append_printf(writer->text, "BRANCHZ r1, L%ux\n", label);
  } else {
    all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  }
  Paths *body = write_part(writer, depth);
  g_string_append_printf(
      writer->text, at_top ? "BRANCHZ.eq 0x0, L%uh\nL%ux:\n" : "BRANCHZ r1, L%uh\n", label, label);
  Paths *test = then(then(one_path(0), iteration), nothing);
  iteration = then(then(iteration, body), one);
  Paths *iterations = one_path(0);
  for (unsigned i = 0; i < writer->trips; i++) {
    iterations = then(iterations, iteration);
    Paths *left =
        at_top ? then(then(one_path(0), iterations), test) : then(one_path(0), iterations);
    g_array_append_vals(all, left->data, left->len);
    g_array_unref(left);
  }
  Paths *parts[] = {iteration, body, one, nothing, test, iterations};
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    g_array_unref(parts[i]);
  return all;
}

/* The conditions that compare a counter with a bound. */
static bool
goes_on(unsigned condition, int32_t counter, int32_t bound) {
  return condition == 0 ? counter < bound : condition == 1 ? counter >= bound : counter != bound;
}

static Paths *
repeat(Paths *paths, const Paths *part, unsigned count) {
  while (count--)
    paths = then(paths, part);
  return paths;
}

/* A loop that counts from one constant to another. With `leaves_early`, an unknown condition may
 * end it earlier. */
static Paths *
write_counted(Writer *writer, unsigned depth, bool at_top, bool leaves_early) {
  static const char *const conditions[] = {"s32.lt", "s32.ge", "u32.ne"};
  unsigned label = writer->labels++, condition = draw(writer, 3), reg = 8 + writer->counters++ * 3;
  int32_t step = (int32_t)(1 + draw(writer, 2)), trips = (int32_t)draw(writer, 4);
  int32_t from = (int32_t)draw(writer, 9) - 4;
  trips += !at_top && !trips; /* one tested at its bottom would overflow */
  step = condition == 1 ? -step : step;
  int32_t to = from + step * trips + (condition == 1);
  unsigned iterations = 0;
  for (int32_t k = from; goes_on(condition, k, to) || (!at_top && !iterations); k += step)
    iterations++;
  g_string_append_printf(writer->text,
                         "IADD_IMM.i32 r%u, 0x0, #0x%X\nIADD_IMM.i32 r%u, 0x0, #0x%X\nL%uh:\n", reg,
                         (unsigned)from, reg + 1, (unsigned)to, label);
  g_autofree char *test = g_strdup_printf("ICMP_OR.%s.m1 r%u, r%u, r%u, %s\n",
                                          conditions[condition], reg + 2, reg, reg + 1, "0x0");
  g_autofree char *leave = g_strdup_printf("BRANCHZ r1, L%ux\n", label);
  if (at_top)
    g_string_append_printf(writer->text, "%sBRANCHZ.eq r%u, L%ux\n", test, reg + 2, label);
  else
    g_string_append(writer->text, "NOP\n"); /* so that no inner loop has the same header */
  if (leaves_early)
    g_string_append(writer->text, leave);
  Paths *body = write_part(writer, depth), *all = one_path(2), *whole, *constant = one_path(4);
  g_string_append_printf(writer->text, "IADD_IMM.i32 r%u, r%u, #0x%X\n", reg, reg, (unsigned)step);
  if (at_top)
    g_string_append_printf(writer->text, "BRANCHZ.eq 0x0, L%uh\n", label);
  else
    g_string_append_printf(writer->text, "%sBRANCHZ r%u, L%uh\n", test, reg + 2, label);
  g_string_append_printf(writer->text, "L%ux:\n", label);
  writer->counters--;
  /* An iteration is the test and a jump, or a NOP, the test and a branch; the body; a step. */
  Paths *early = one_path(leaves_early), *tested = one_path(at_top ? 2 : 0),
        *head = one_path(at_top ? 2 : 1);
  whole = then(then(one_path(0), body), constant);
  whole = then(whole, early);
  all = repeat(all, whole, iterations);
  all = then(all, tested);
  for (unsigned k = 0; k < iterations && leaves_early; k++) {
    Paths *left = then(repeat(one_path(2 + 1), whole, k), head);
    g_array_append_vals(all, left->data, left->len);
    g_array_unref(left);
  }
  Paths *parts[] = {body, whole, constant, early, tested, head};
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    g_array_unref(parts[i]);
  return all;
}

static Paths *
write_part(Writer *writer, unsigned depth) {
  Paths *paths = write_instructions(writer, draw(writer, 3));
  for (unsigned count = depth ? 1 + draw(writer, 2) : 0; count; count--) {
    unsigned kind = draw(writer, 7);
    Paths *part = kind == 0  ? write_choice(writer, depth - 1)
                  : kind < 3 ? write_loop(writer, depth - 1, kind == 1)
                             : write_counted(writer, depth - 1, kind & 1, kind > 4);
    paths = then(paths, part);
    g_array_unref(part);
  }
  return paths;
}

static void
count_text(const char *text, unsigned trips, NornStatistics *statistics) {
  GError *error = NULL;
  g_autoptr(GBytes) code = assemble(text);
  NornMachineCode machine = code_of(code);
  ck_assert(norn_code_statistics(&machine, trips, statistics, &error));
}

static void
find_loops(const char *text, unsigned trips, NornLoopReport *report) {
  GError *error = NULL;
  g_autoptr(GBytes) code = assemble(text);
  NornMachineCode machine = code_of(code);
  ck_assert(norn_code_loops(&machine, trips, report, &error));
}

/* The sum of a report if all loops without a counter run `trips` times. */
static double
sum_terms(const NornLoopReport *report, unsigned trips) {
  double sum = 0;
  for (unsigned i = 0; i < report->term_count; i++) {
    double product = report->terms[i].cycles;
    for (uint64_t left = report->terms[i].loops; left; left &= left - 1)
      product *= trips;
    sum += product;
  }
  return sum;
}

/* The unit of integer additions and branches. */
static const NornUnitStatistics *
find_cvt(const NornStatistics *statistics) {
  for (unsigned i = 0; i < statistics->unit_count; i++)
    if (!strcmp(statistics->units[i].name, "cvt"))
      return &statistics->units[i];
  ck_abort_msg("no unit cvt");
}

START_TEST(paths_match_enumeration) {
  Writer writer = {.text = g_string_new(NULL), .random = (uint64_t)_i + 1, .trips = 1 + _i % 3};
  Paths *paths = write_part(&writer, 2 + (_i & 1));
  g_string_append(writer.text, "NOP.end\n");
  uint32_t min = UINT32_MAX, max = 0;
  for (guint i = 0; i < paths->len; i++) {
    min = MIN(min, g_array_index(paths, uint32_t, i));
    max = MAX(max, g_array_index(paths, uint32_t, i));
  }
  NornStatistics statistics;
  count_text(writer.text->str, writer.trips, &statistics);
  const NornUnitStatistics *cvt = find_cvt(&statistics);
  ck_assert(statistics.has_shortest && statistics.has_longest);
  /* The NOP is of that unit, too. */
  ck_assert_uint_eq((unsigned)(cvt->cycles[NORN_PATH_SHORTEST] * 64), min + 1);
  ck_assert_uint_eq((unsigned)(cvt->cycles[NORN_PATH_LONGEST] * 64), max + 1);
  NornLoopReport report;
  find_loops(writer.text->str, writer.trips, &report);
  ck_assert_uint_eq((unsigned)(sum_terms(&report, writer.trips) * 64 + 0.5), max + 1);
  norn_loop_report_clear(&report);
  g_array_unref(paths);
  g_string_free(writer.text, TRUE);
}
END_TEST

/* Without choices, the sum is correct for all trip counts. */
START_TEST(loops_are_counted_or_have_symbols) {
  static const char text[] = "IADD_IMM.i32 r2, 0x0, #0x0\nL1:\n" /* 5 times */
                             "IADD.u32 r0, r0, r0\nL2:\nIADD.u32 r0, r0, r0\n"
                             "BRANCHZ r1, L2\nL3:\nBRANCHZ r1, L4\nIADD.u32 r0, r0, r0\n"
                             "BRANCHZ.eq 0x0, L3\nL4:\nIADD_IMM.i32 r2, r2, #0x1\n"
                             "ICMP_OR.u32.lt.m1 r3, r2, 0x7060504.b1, 0x0\nBRANCHZ r3, L1\n"
                             "NOP.end\n";
  NornLoopReport report;
  NornStatistics statistics;
  for (unsigned trips = 1; trips < 5; trips++) {
    find_loops(text, 2, &report);
    count_text(text, trips, &statistics);
    ck_assert_double_eq_tol(sum_terms(&report, trips), statistics.cycles[NORN_PATH_LONGEST], 1e-9);
    norn_loop_report_clear(&report);
  }
  find_loops(text, 7, &report);
  ck_assert_uint_eq(report.loop_count, 3);
  ck_assert(report.loops[0].is_counted && report.loops[0].is_exact);
  ck_assert_uint_eq(report.loops[0].trips, 5);
  ck_assert_uint_eq(report.loops[0].first, 1);
  ck_assert_uint_eq(report.loops[0].instructions, 9);
  for (unsigned k = 1; k < 3; k++) {
    ck_assert(!report.loops[k].is_counted);
    ck_assert_uint_eq(report.loops[k].symbol, k - 1);
    ck_assert_uint_eq(report.loops[k].trips, 7);
    ck_assert_uint_eq(report.loops[k].depth, 2);
  }
  /* 2 and 5 * (1 + 2 * n1 + 3 * n2 + 1 + 3) of 64 a cycle. */
  ck_assert_uint_eq(report.term_count, 3);
  ck_assert_double_eq(report.terms[0].cycles * 64, 2 + 5 * 5);
  ck_assert_double_eq(report.terms[1].cycles * 64, 5 * 2);
  ck_assert_double_eq(report.terms[2].cycles * 64, 5 * 3);
  norn_loop_report_clear(&report);
}
END_TEST

/* A 64-bit sum whose results are two constants is known, one of a register or of uniform words
 * is not. */
START_TEST(counters_begin_at_sums_of_64_bits) {
  static const struct {
    const char *sum, *counter;
    unsigned trips; /* 0: not known */
  } cases[] = {
      {"0x0.w0, 0x0.w0", "r2", 5}, {"0x0.w0, 0x0.w0", "r3", 5}, {"0x1000000.w0, 0x0.w0", "r3", 5},
      {"r0.w0, 0x0.w0", "r2", 0},  {"u0, u0", "r3", 0},
  };
  for (unsigned k = 0; k < G_N_ELEMENTS(cases); k++) {
    NornLoopReport report;
    char text[256];
    const char *counter = cases[k].counter;
    g_snprintf(text, sizeof text,
               "IADD.u64 r2, %s\nL1:\nIADD_IMM.i32 %s, %s, #0x1\n"
               "ICMP_OR.u32.lt.m1 r4, %s, 0x7060504.b1, 0x0\nBRANCHZ r4, L1\nNOP.end\n",
               cases[k].sum, counter, counter, counter);
    find_loops(text, 7, &report);
    ck_assert_uint_eq(report.loop_count, 1);
    ck_assert_msg(report.loops[0].is_counted == (cases[k].trips > 0), "%s", text);
    if (cases[k].trips)
      ck_assert_uint_eq(report.loops[0].trips, cases[k].trips);
    norn_loop_report_clear(&report);
  }
}
END_TEST

/* A counter that is compared with a constant in a uniform word, where the compiler put it. */
START_TEST(limits_may_be_promoted_constants) {
  static const char text[] = "IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nIADD_IMM.i32 r2, r2, #0x3\n"
                             "ICMP_OR.u32.lt.m1 r3, r2, u6, 0x0\nBRANCHZ r3, L1\nNOP.end\n";
  g_autoptr(GBytes) code = assemble(text);
  NornCompileInfo info = {.promoted_first = 5, .promoted_count = 2, .constants = {1, 1000}};
  NornMachineCode machine = code_of(code);
  machine.info = &info;
  NornLoopReport report;
  ck_assert(norn_code_loops(&machine, 7, &report, NULL));
  ck_assert(report.loops[0].is_counted);
  ck_assert_uint_eq(report.loops[0].trips, 334);
  norn_loop_report_clear(&report);
  info.promoted_count = 1;
  ck_assert(norn_code_loops(&machine, 7, &report, NULL));
  ck_assert(!report.loops[0].is_counted);
  norn_loop_report_clear(&report);
}
END_TEST

START_TEST(endless_counters_are_not_counters) {
  NornLoopReport report;
  static const char *const texts[] = {
      /* stays 0 */
      "IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nICMP_OR.u32.lt.m1 r3, r2, 0x7060504.b1, 0x0\n"
      "BRANCHZ r3, L1\nNOP.end\n",
      /* 2 to the power of 31 iterations */
      "IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nIADD_IMM.i32 r2, r2, #0x1\n"
      "ICMP_OR.s32.ge.m1 r3, r2, 0x0, 0x0\nBRANCHZ r3, L1\nNOP.end\n",
      /* written by a message */
      "IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nIADD_IMM.i32 r2, r2, #0x1\n"
      "LOAD.i32.unsigned.slot0.wait0 @r2, r4, offset:0\n"
      "ICMP_OR.s32.lt.m1 r3, r2, 0x7060504.b1, 0x0\nBRANCHZ r3, L1\nNOP.end\n",
      /* set, but set again on one of two paths to the branch */
      "NOP\nL1:\nIADD_IMM.i32 r2, 0x0, #0x5\nBRANCHZ r1, L2\nIADD_IMM.i32 r2, 0x0, #0x0\nL2:\n"
      "ICMP_OR.s32.lt.m1 r3, r2, 0x7060504.b1, 0x0\nBRANCHZ r3, L1\nNOP.end\n",
      /* starts at 0 or 2 */
      "BRANCHZ r1, L2\nIADD_IMM.i32 r2, 0x0, #0x0\nBRANCHZ.eq 0x0, L1\nL2:\n"
      "IADD_IMM.i32 r2, 0x0, #0x2\nL1:\nIADD_IMM.i32 r2, r2, #0x1\n"
      "ICMP_OR.s32.lt.m1 r3, r2, 0x7060504.b1, 0x0\nBRANCHZ r3, L1\nNOP.end\n",
      /* on one of two paths */
      "IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nBRANCHZ r1, L2\nIADD_IMM.i32 r2, r2, #0x1\nL2:\n"
      "ICMP_OR.s32.lt.m1 r3, r2, 0x7060504.b1, 0x0\nBRANCHZ r3, L1\nNOP.end\n"};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    find_loops(texts[i], 1, &report);
    ck_assert_uint_eq(report.loop_count, 1);
    ck_assert(!report.loops[0].is_counted);
    norn_loop_report_clear(&report);
  }
}
END_TEST

/* Iterations may be skipped, or the counter stepped, in ways that are not known. */
START_TEST(counters_of_several_paths) {
  static const struct {
    const char *text;
    bool is_counted, is_exact; /* the outermost loop */
  } cases[] = {
      /* a path that each iteration may take leaves the loop */
      {"IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nBRANCHZ r1, L2\nBRANCHZ r5, L3\nL2:\n"
       "IADD_IMM.i32 r2, r2, #0x1\nICMP_OR.u32.lt.m1 r3, r2, 0x7060504.b1, 0x0\n"
       "BRANCHZ r3, L1\nL3:\nNOP.end\n",
       true, false},
      /* the same path does not */
      {"IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nBRANCHZ r1, L2\nIADD.u32 r6, r6, r6\nL2:\n"
       "IADD_IMM.i32 r2, r2, #0x1\nICMP_OR.u32.lt.m1 r3, r2, 0x7060504.b1, 0x0\n"
       "BRANCHZ r3, L1\nNOP.end\n",
       true, true},
      /* the next iteration begins before the test */
      {"IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nIADD_IMM.i32 r2, r2, #0x1\n"
       "ICMP_OR.u32.lt.m1 r3, r2, 0x7060504.b1, 0x0\nBRANCHZ r5, L1\nBRANCHZ r3, L1\nNOP.end\n",
       false, false},
      /* an inner loop steps */
      {"IADD_IMM.i32 r2, 0x0, #0x0\nL1:\nIADD.u32 r6, r6, r6\nL2:\nIADD_IMM.i32 r2, r2, #0x1\n"
       "BRANCHZ r1, L2\nICMP_OR.u32.lt.m1 r3, r2, 0x7060504.b1, 0x0\nBRANCHZ r3, L1\nNOP.end\n",
       false, false},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    NornLoopReport report;
    find_loops(cases[i].text, 7, &report);
    ck_assert_uint_ge(report.loop_count, 1);
    ck_assert_msg(report.loops[0].is_counted == cases[i].is_counted, "%s", cases[i].text);
    ck_assert_msg(!cases[i].is_counted || report.loops[0].is_exact == cases[i].is_exact, "%s",
                  cases[i].text);
    norn_loop_report_clear(&report);
  }
}
END_TEST

START_TEST(waits_have_messages_causes_and_needs) {
  g_autoptr(GBytes) code = assemble("LOAD.i32.unsigned.slot0 @r0, r8, offset:0\n"        /* 0 */
                                    "LOAD.i32.unsigned.slot0.wait0 @r1, r10, offset:0\n" /* 1 */
                                    "IADD.u32 r4, r4, r4\n"                              /* 2 */
                                    "IADD.u32 r5, r0, r4\n"                              /* 3 */
                                    "STORE.i32.slot1.wait1 @r5, r8, offset:0\n"          /* 4 */
                                    "IADD.u32 r5, r4, r4\n"                              /* 5 */
                                    "STORE.i32.slot2.wait2 @r5, r8, offset:0\n"          /* 6 */
                                    "LOAD.i32.unsigned.slot0.wait1 @r0, r8, offset:0\n"  /* 7 */
                                    "BARRIER.slot7.wait\n"                               /* 8 */
                                    "NOP\n"
                                    "STORE.i32.slot1.wait1 @r0, r8, offset:0\n" /* 10 */
                                    "NOP.end\n");
  static const NornWait expected[] = {
      {1, 0, NORN_WAIT_RESULT, 0, 3, "ls"},  {4, 1, NORN_WAIT_REGISTER, 4, 5, "ls"},
      {6, 2, NORN_WAIT_ORDER, 6, 7, "ls"},   {7, 1, NORN_WAIT_NOTHING, 7, 7, NULL},
      {8, 0, NORN_WAIT_RESULT, 7, 10, "ls"}, {8, 7, NORN_WAIT_ORDER, 8, 8, "none"},
      {10, 1, NORN_WAIT_END, 10, 11, "ls"},
  };
  NornMachineCode machine = code_of(code);
  unsigned count;
  GError *error = NULL;
  g_autofree NornWait *waits = norn_code_waits(&machine, &count, &error);
  ck_assert_uint_eq(count, G_N_ELEMENTS(expected));
  for (unsigned i = 0; i < count; i++) {
    ck_assert_uint_eq(waits[i].instruction, expected[i].instruction);
    ck_assert_uint_eq(waits[i].slot, expected[i].slot);
    ck_assert_int_eq((int)waits[i].cause, (int)expected[i].cause);
    ck_assert_uint_eq(waits[i].message, expected[i].message);
    ck_assert_uint_eq(waits[i].needed_by, expected[i].needed_by);
    ck_assert_str_eq(waits[i].unit ? waits[i].unit : "", expected[i].unit ? expected[i].unit : "");
  }
}
END_TEST

/* A slot that no message signals is waited for to keep an order, one with nothing in flight for
 * no reason. */
START_TEST(orders_are_waited_for) {
  g_autoptr(GBytes) code = assemble("NOP.wait0126\nNOP.wait012\nNOP.end\n");
  NornMachineCode machine = code_of(code);
  unsigned count;
  g_autofree NornWait *waits = norn_code_waits(&machine, &count, NULL);
  ck_assert_uint_eq(count, 2);
  ck_assert_int_eq((int)waits[0].cause, NORN_WAIT_ORDER);
  ck_assert_int_eq((int)waits[1].cause, NORN_WAIT_NOTHING);
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
  /* The branch is the last instruction. */
  count_text("L1:\nIADD.u32 r0, r0, 0x1000000.b3\nBRANCHZ.eq 0x0, L1\n", 1, &statistics);
  ck_assert(!statistics.has_shortest && !statistics.has_longest);
  ck_assert_uint_eq(statistics.loops, 1);
  count_text("L1:\nIADD.u32 r0, r0, 0x1000000.b3\nBRANCHZ.eq r0, L1\n", 1, &statistics);
  ck_assert(statistics.has_shortest);
  ck_assert_uint_eq(statistics.loops, 1);
}
END_TEST

START_TEST(counts_match_the_text) {
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
  ck_assert_uint_eq(statistics.registers, 10); /* 1 to 7, 20, 60, 61 */
  ck_assert_uint_eq(statistics.threads, 1);    /* r20 */
  ck_assert_uint_eq(statistics.full_file_register, 20);
  ck_assert_uint_eq(statistics.full_file_at, 5);
  ck_assert_uint_eq(statistics.half_file, 32);
  static const struct {
    const char *name;
    double cycles;
  } units[] = {{"fma", 1 / 64.0}, {"v", 3 / 16.0}, {"ls", 2}};
  for (guint i = 0; i < G_N_ELEMENTS(units); i++)
    for (unsigned k = 0; k < statistics.unit_count; k++)
      if (!strcmp(statistics.units[k].name, units[i].name))
        ck_assert_double_eq(statistics.units[k].cycles[NORN_PATH_TOTAL], units[i].cycles);
  /* Four moves and additions, a NOP, and a 64-bit sum that counts twice. */
  ck_assert_double_eq(find_cvt(&statistics)->cycles[NORN_PATH_TOTAL] * 64, 7);
  ck_assert_str_eq(statistics.units[statistics.bound[NORN_PATH_TOTAL]].name, "ls");
}
END_TEST

START_TEST(bad_code_is_refused_with_its_address) {
  const uint64_t words[] = {UINT64_C(0x00C0000000000000), UINT64_MAX};
  NornStatistics statistics;
  GError *error = NULL;
  NornMachineCode code = {norn_isa_find("valhall"), 0, words, sizeof words};
  ck_assert(!norn_code_statistics(&code, 1, &statistics, &error));
  ck_assert(strstr(error->message, "address 0x") != NULL);
  g_clear_error(&error);
  code.size = 12;
  ck_assert(!norn_code_statistics(&code, 1, &statistics, &error));
  ck_assert(strstr(error->message, "12 bytes") != NULL);
  g_clear_error(&error);
  code.size = 0;
  ck_assert(norn_code_statistics(&code, 1, &statistics, &error));
  ck_assert_uint_eq(statistics.instructions, 0);
  ck_assert(!statistics.has_shortest);
}
END_TEST

static void
expect_no_architecture(GError **error) {
  ck_assert(g_error_matches(*error, NORN_ERROR, NORN_ERROR_INVALID));
  ck_assert_str_eq((*error)->message, "valhall has no architecture number 6, expected 0 to 5");
  g_clear_error(error);
}

START_TEST(architectures_out_of_range_are_refused) {
  const uint64_t words[] = {UINT64_C(0x00C0000000000000)};
  const NornIsa *isa = norn_isa_find("valhall");
  const NornMachineCode code = {isa, 6, words, sizeof words};
  NornStatistics statistics;
  NornLoopReport loops;
  GError *error = NULL;
  unsigned count;
  ck_assert_uint_eq(norn_isa_architecture_count(isa), 6);
  ck_assert(!norn_code_statistics(&code, 1, &statistics, &error));
  expect_no_architecture(&error);
  ck_assert(!norn_code_loops(&code, 1, &loops, &error));
  expect_no_architecture(&error);
  ck_assert_ptr_null(norn_code_waits(&code, &count, &error));
  expect_no_architecture(&error);
  ck_assert_ptr_null(norn_code_annotate(&code, &count, &error));
  expect_no_architecture(&error);
  ck_assert_ptr_null(norn_code_blocks(&code, &count, &error));
  expect_no_architecture(&error);
  ck_assert_ptr_null(norn_timing_new(&code, &error));
  expect_no_architecture(&error);
}
END_TEST

START_TEST(blocks_and_slots_match_the_text) {
  g_autoptr(GBytes) code = assemble("BRANCHZ.eq r1, L3\n" /* 0 */
                                    "L1:\n"
                                    "LOAD.i32.unsigned.slot1 @r0, r8, offset:0\n" /* 1 */
                                    "BRANCHZ.eq 0x0, L1\n"                        /* 2 */
                                    "L3:\n"
                                    "STORE.i32.slot2 @r0, r8, offset:0\n" /* 3 */
                                    "NOP.end\n"                           /* 4 */
                                    "NOP.end\n");                         /* 5 */
  static const NornBlockReport expected[] = {{0, 1, 1, 2, false, true},
                                             {1, 3, -1, 1, false, true},
                                             {3, 5, -1, -1, true, true},
                                             {5, 6, -1, -1, true, false}};
  static const int slots[] = {-1, 1, -1, 2, -1, -1};
  NornMachineCode machine = code_of(code);
  unsigned count;
  GError *error = NULL;
  g_autofree NornBlockReport *blocks = norn_code_blocks(&machine, &count, &error);
  ck_assert_uint_eq(count, G_N_ELEMENTS(expected));
  for (unsigned i = 0; i < count; i++) {
    ck_assert_uint_eq(blocks[i].first, expected[i].first);
    ck_assert_uint_eq(blocks[i].end, expected[i].end);
    ck_assert_int_eq(blocks[i].next, expected[i].next);
    ck_assert_int_eq(blocks[i].target, expected[i].target);
    ck_assert_int_eq(blocks[i].ends, expected[i].ends);
    ck_assert_int_eq(blocks[i].is_reached, expected[i].is_reached);
  }
  g_autofree NornInstructionReport *rows = norn_code_annotate(&machine, &count, &error);
  ck_assert_uint_eq(count, G_N_ELEMENTS(slots));
  for (unsigned i = 0; i < count; i++)
    ck_assert_int_eq(rows[i].slot, slots[i]);
  g_autofree NornBlockReport *none =
      norn_code_blocks(&(NornMachineCode){machine.isa, 0, machine.words, 12}, &count, &error);
  ck_assert_ptr_null(none);
  ck_assert(strstr(error->message, "12 bytes") != NULL);
  g_clear_error(&error);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("statistics");
  TCase *tests = tcase_create("statistics");
  tcase_add_loop_test(tests, paths_match_enumeration, 0, 100);
  tcase_add_test(tests, loops_with_several_entries_have_no_longest_path);
  tcase_add_test(tests, endless_loops_have_no_path);
  tcase_add_test(tests, loops_are_counted_or_have_symbols);
  tcase_add_test(tests, counters_begin_at_sums_of_64_bits);
  tcase_add_test(tests, limits_may_be_promoted_constants);
  tcase_add_test(tests, endless_counters_are_not_counters);
  tcase_add_test(tests, counters_of_several_paths);
  tcase_add_test(tests, waits_have_messages_causes_and_needs);
  tcase_add_test(tests, orders_are_waited_for);
  tcase_add_test(tests, blocks_and_slots_match_the_text);
  tcase_add_test(tests, counts_match_the_text);
  tcase_add_test(tests, bad_code_is_refused_with_its_address);
  tcase_add_test(tests, architectures_out_of_range_are_refused);
  suite_add_tcase(suite, tests);
  return suite;
}
