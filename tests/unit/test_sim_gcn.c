/* The GCN simulator: division chains compared with IEEE, and each instruction on selected
 * values. */
#include "assembled.h"
#include "ir/numeric.h"
#include "ir/random.h"
#include "sim/gcn/execute.h"
#include "unit.h"
#include <norn/gcn.h>
#include <stdlib.h>
#include <string.h>

#define DIVISIONS 100000

static NornGcnState *state;

static void
setup(void) {
  state = g_new0(NornGcnState, 1);
  state->s[NORN_GCN_EXEC] = state->s[NORN_GCN_EXEC + 1] = UINT32_MAX;
  state->mode = NORN_GCN_MODE_ALL_DENORMALS;
}

static void
teardown(void) {
  g_free(state);
}

static void
run(const NornGcnDecoded *inst) {
  GError *error = NULL;
  bool done = norn_gcn_execute(state, inst, &error);
  ck_assert_msg(done, "%s", error ? error->message : "");
}

/* --- Division --- */

enum { V_N = 0, V_D = 2, V_OUT = 14 };

/* The sequences that compilers emit: refine the reciprocal, then the quotient, then let FMAS
 * round. */
static const char divide_f32[] = "v_div_scale_f32 v4, vcc, v2, v2, v0\n"
                                 "v_div_scale_f32 v6, vcc, v0, v2, v0\n"
                                 "v_rcp_f32 v8, v4\n"
                                 "v_fma_f32 v10, -v4, v8, 1.0\n"
                                 "v_fma_f32 v8, v10, v8, v8\n"
                                 "v_mul_f32 v12, v6, v8\n"
                                 "v_fma_f32 v10, -v4, v12, v6\n"
                                 "v_fma_f32 v12, v10, v8, v12\n"
                                 "v_fma_f32 v10, -v4, v12, v6\n"
                                 "v_div_fmas_f32 v12, v10, v8, v12\n"
                                 "v_div_fixup_f32 v14, v12, v2, v0\n";

static const char divide_f64[] = "v_div_scale_f64 v[4:5], vcc, v[2:3], v[2:3], v[0:1]\n"
                                 "v_rcp_f64 v[8:9], v[4:5]\n"
                                 "v_fma_f64 v[10:11], -v[4:5], v[8:9], 1.0\n"
                                 "v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]\n"
                                 "v_fma_f64 v[10:11], -v[4:5], v[8:9], 1.0\n"
                                 "v_div_scale_f64 v[6:7], vcc, v[0:1], v[2:3], v[0:1]\n"
                                 "v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]\n"
                                 "v_mul_f64 v[12:13], v[6:7], v[8:9]\n"
                                 "v_fma_f64 v[10:11], -v[4:5], v[12:13], v[6:7]\n"
                                 "v_div_fmas_f64 v[12:13], v[10:11], v[8:9], v[12:13]\n"
                                 "v_div_fixup_f64 v[14:15], v[12:13], v[2:3], v[0:1]\n";

static void
run_code(unsigned architecture, GBytes *code) {
  GError *error = NULL;
  gsize size;
  const void *bytes = g_bytes_get_data(code, &size);
  bool done = norn_gcn_run(state, architecture, bytes, size, &error);
  ck_assert_msg(done, "%s", error ? error->message : "");
}

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t
random_bits(void) {
  return norn_random_next(&random_state);
}

/* Any bit pattern, or one near a corner case: exponents at the ends, mantissas of few or nearly
 * all ones. */
static uint64_t
random_operand(NornFloatFormat format) {
  static const uint8_t corners[] = {0, 1, 2, 23, 24, 53, 54, 96, 127};
  unsigned width = norn_float_width(format), fraction = norn_float_fraction_bits(format);
  uint64_t choice = random_bits(), value = norn_int_truncate(random_bits(), width);
  uint64_t mantissa = norn_int_truncate(value, fraction);
  uint64_t limit = norn_int_mask(width - fraction - 1);
  uint64_t corner = corners[choice >> 8 & 7] + (choice >> 16 & 1);
  if (choice & 1)
    return value;
  if (choice & 2)
    mantissa >>= choice >> 20 & 63;
  if (choice & 4)
    mantissa = norn_int_mask(fraction) - mantissa;
  if (choice & 8)
    value =
        (choice & 16 ? limit - corner : corner) << fraction | (value & norn_float_sign_bit(format));
  return (value & ~norn_int_mask(fraction)) | mantissa;
}

static uint64_t
get(unsigned reg, unsigned lane, NornFloatFormat format) {
  uint64_t value = state->v[reg][lane];
  return format == NORN_FLOAT_64 ? value | (uint64_t)state->v[reg + 1][lane] << 32 : value;
}

static void
set(unsigned reg, unsigned lane, uint64_t value) {
  state->v[reg][lane] = (uint32_t)value;
  state->v[reg + 1][lane] = (uint32_t)(value >> 32);
}

static void
check_quotients(NornFloatFormat format) {
  for (unsigned i = 0; i < NORN_GCN_LANES; i++) {
    uint64_t n = get(V_N, i, format), d = get(V_D, i, format), result = get(V_OUT, i, format);
    uint64_t expected = norn_float_divide(format, NORN_FLOAT_MODE_DEFAULT, n, d);
    if (norn_float_canonical(format, result) != expected)
      ck_abort_msg("%#" G_GINT64_MODIFIER "x / %#" G_GINT64_MODIFIER "x is %#" G_GINT64_MODIFIER
                   "x, not %#" G_GINT64_MODIFIER "x",
                   n, d, result, expected);
  }
}

static void
check_divisions(NornFloatFormat format, unsigned architecture, const char *text, unsigned count) {
  GBytes *code = assemble_for("gcn", architecture, false, text);
  for (unsigned done = 0; done < count; done += NORN_GCN_LANES) {
    for (unsigned i = 0; i < NORN_GCN_LANES; i++) {
      set(V_N, i, random_operand(format));
      set(V_D, i, random_operand(format));
    }
    run_code(architecture, code);
    check_quotients(format);
  }
  g_bytes_unref(code);
}

/* NORN_TEST_DIVISIONS in the environment sets a larger number of them. */
static unsigned
division_count(void) {
  const char *count = g_getenv("NORN_TEST_DIVISIONS");
  return count                         ? (unsigned)strtoul(count, NULL, 10)
         : g_getenv("NORN_TEST_QUICK") ? 2000
                                       : DIVISIONS;
}

START_TEST(division_of_singles_is_ieee) {
  unsigned architecture = _i ? NORN_GCN_ARCHITECTURE_1_4 : NORN_GCN_ARCHITECTURE_1_0;
  check_divisions(NORN_FLOAT_32, architecture, divide_f32, division_count());
}
END_TEST

START_TEST(division_of_doubles_is_ieee) {
  unsigned architecture = _i ? NORN_GCN_ARCHITECTURE_1_4 : NORN_GCN_ARCHITECTURE_1_0;
  check_divisions(NORN_FLOAT_64, architecture, divide_f64, division_count());
}
END_TEST

/* --- Single instructions --- */

typedef struct {
  const char *name;
  uint64_t src[3];
  uint64_t result; /* for a 16-bit result, the low half of the register */
  bool clamp;
  bool has_carry, carry; /* the second result, if it is compared */
  uint64_t old;          /* the old value of the destination */
} Value;

static const Value values[] = {
#include "gcn_values.h"
    /* the highest bit of each source is a sign or not */
    {"v_min_u32", {0x1, 0xffffffff, 0x0}, 0x1},
    {"v_max_u32", {0x1, 0xffffffff, 0x0}, 0xffffffff},
    {"v_min3_u32", {0x1, 0x2, 0xffffffff}, 0x1},
    {"v_max3_u32", {0x1, 0xffffffff, 0x2}, 0xffffffff},
    {"v_max3_u32", {0x1, 0x2, 0xffffffff}, 0xffffffff},
    {"v_med3_u32", {0x1, 0x2, 0xffffffff}, 0x2},
    {"v_min_i32", {0x1, 0xffffffff, 0x0}, 0xffffffff},
    {"v_max_i32", {0x1, 0xffffffff, 0x0}, 0x1},
    {"v_min_u16", {0xffff, 0x1, 0x0}, 0x1},
    {"v_max_u16", {0x1, 0xffff, 0x0}, 0xffff},
    {"v_min_i16", {0x1, 0xffff, 0x0}, 0xffff},
    {"v_max_i16", {0x1, 0xffff, 0x0}, 0x1},
    {"v_cvt_pk_u16_u32", {0x80000000, 0xffffffff, 0x0}, 0xffffffff},
    {"v_cvt_pk_i16_i32", {0x80000000, 0x7fffffff, 0x0}, 0x7fff8000},
    {"v_cvt_pk_i16_i32", {0x7fffffff, 0x80000000, 0x0}, 0x80007fff},
};

#define V(x) (256 + (x))

enum { V_SRC = 16, V_RESULT = 32, S_MASK = 8, S_CARRY = 10, CHECKED_LANE = 37 };

static bool
reads_mask(const char *name) {
  return strstr(name, "addc") || strstr(name, "subb") || strstr(name, "cndmask");
}

START_TEST(computes_the_value) {
  const Value *value = &values[_i];
  NornGcnDecoded inst = {
      .src = {V(V_SRC), V(V_SRC + 2), V(V_SRC + 4)},
      .vdst = V_RESULT,
      .sdst = S_CARRY,
      .has_sdst = value->has_carry,
      .clamp = value->clamp,
  };
  int instruction = norn_isa_instruction(norn_isa_find("gcn"), value->name);
  ck_assert_msg(instruction >= 0, "%s", value->name);
  inst.instruction = (uint16_t)instruction;
  for (unsigned i = 0; i < 3; i++)
    set(V_SRC + 2 * i, CHECKED_LANE, value->src[i]);
  set(V_RESULT, CHECKED_LANE, value->old);
  if (reads_mask(value->name)) {
    inst.src[2] = S_MASK;
    state->s[S_MASK + CHECKED_LANE / 32] = (uint32_t)(value->src[2] & 1) << CHECKED_LANE % 32;
  }
  state->mode |= 1u << NORN_GCN_MODE_DX10_CLAMP;
  run(&inst);
  uint64_t result = get(V_RESULT, CHECKED_LANE, NORN_FLOAT_64);
  uint64_t carries = norn_gcn_scalar_pair(state, S_CARRY);
  ck_assert_msg(result == value->result,
                "%s: %#" G_GINT64_MODIFIER "x, not %#" G_GINT64_MODIFIER "x", value->name, result,
                value->result);
  if (value->has_carry)
    ck_assert_msg((carries >> CHECKED_LANE & 1) == value->carry, "%s: carry", value->name);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("gcn simulator");
  TCase *division = tcase_create("division");
  tcase_set_timeout(division, 0);
  tcase_add_checked_fixture(division, setup, teardown);
  tcase_add_loop_test(division, division_of_singles_is_ieee, 0, 2);
  tcase_add_loop_test(division, division_of_doubles_is_ieee, 0, 2);
  suite_add_tcase(suite, division);
  TCase *single = tcase_create("single");
  tcase_add_checked_fixture(single, setup, teardown);
  tcase_add_loop_test(single, computes_the_value, 0, G_N_ELEMENTS(values));
  suite_add_tcase(suite, single);
  return suite;
}
