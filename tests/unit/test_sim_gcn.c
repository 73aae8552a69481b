/* The GCN simulator: division chains against IEEE, and each instruction on chosen values. */
#include "ir/numeric.h"
#include "sim/gcn.h"
#include "unit.h"

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
run(const NornGcnInstruction *inst) {
  GError *error = NULL;
  bool done = norn_gcn_execute(state, inst, &error);
  ck_assert_msg(done, "%s", error ? error->message : "");
}

/* ---- division ---- */

enum { V_N = 0, V_D = 2, V_DS = 4, V_NS = 6, V_R = 8, V_E = 10, V_Q = 12, V_OUT = 14, ONE = 242 };

static void
step(const char *name, unsigned vdst, unsigned a, unsigned b, unsigned c, unsigned negate) {
  NornGcnInstruction inst = {
      .semantics = norn_gcn_find_semantics(name),
      .src = {(uint16_t)a, (uint16_t)b, (uint16_t)c},
      .vdst = (uint8_t)vdst,
      .negate = (uint8_t)negate,
      .sdst = NORN_GCN_VCC,
      .has_sdst = strstr(name, "div_scale") != NULL,
  };
  ck_assert_ptr_nonnull(inst.semantics);
  run(&inst);
}

#define V(x) (256 + (x))

/* The chain compilers emit: refine the reciprocal, then the quotient, then let FMAS round. */
static void
divide_wave_f32(void) {
  step("v_div_scale_f32", V_DS, V(V_D), V(V_D), V(V_N), 0);
  step("v_div_scale_f32", V_NS, V(V_N), V(V_D), V(V_N), 0);
  step("v_rcp_f32", V_R, V(V_DS), 0, 0, 0);
  step("v_fma_f32", V_E, V(V_DS), V(V_R), ONE, 1);
  step("v_fma_f32", V_R, V(V_E), V(V_R), V(V_R), 0);
  step("v_mul_f32", V_Q, V(V_NS), V(V_R), 0, 0);
  step("v_fma_f32", V_E, V(V_DS), V(V_Q), V(V_NS), 1);
  step("v_fma_f32", V_Q, V(V_E), V(V_R), V(V_Q), 0);
  step("v_fma_f32", V_E, V(V_DS), V(V_Q), V(V_NS), 1);
  step("v_div_fmas_f32", V_Q, V(V_E), V(V_R), V(V_Q), 0);
  step("v_div_fixup_f32", V_OUT, V(V_Q), V(V_D), V(V_N), 0);
}

static void
divide_wave_f64(void) {
  step("v_div_scale_f64", V_DS, V(V_D), V(V_D), V(V_N), 0);
  step("v_rcp_f64", V_R, V(V_DS), 0, 0, 0);
  step("v_fma_f64", V_E, V(V_DS), V(V_R), ONE, 1);
  step("v_fma_f64", V_R, V(V_R), V(V_E), V(V_R), 0);
  step("v_fma_f64", V_E, V(V_DS), V(V_R), ONE, 1);
  step("v_div_scale_f64", V_NS, V(V_N), V(V_D), V(V_N), 0);
  step("v_fma_f64", V_R, V(V_R), V(V_E), V(V_R), 0);
  step("v_mul_f64", V_Q, V(V_NS), V(V_R), 0, 0);
  step("v_fma_f64", V_E, V(V_DS), V(V_Q), V(V_NS), 1);
  step("v_div_fmas_f64", V_Q, V(V_E), V(V_R), V(V_Q), 0);
  step("v_div_fixup_f64", V_OUT, V(V_Q), V(V_D), V(V_N), 0);
}

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t
random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* Any bit pattern, or one near a corner: exponents at the ends, mantissas of few or nearly all
 * ones. */
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
check_divisions(NornFloatFormat format, void (*divide_wave)(void), unsigned count) {
  for (unsigned done = 0; done < count; done += NORN_GCN_LANES) {
    for (unsigned i = 0; i < NORN_GCN_LANES; i++) {
      set(V_N, i, random_operand(format));
      set(V_D, i, random_operand(format));
    }
    divide_wave();
    for (unsigned i = 0; i < NORN_GCN_LANES; i++) {
      uint64_t n = get(V_N, i, format), d = get(V_D, i, format), result = get(V_OUT, i, format);
      uint64_t expected = norn_float_divide(format, NORN_FLOAT_MODE_DEFAULT, n, d);
      ck_assert_msg(norn_float_canonical(format, result) == expected,
                    "%#" G_GINT64_MODIFIER "x / %#" G_GINT64_MODIFIER "x is %#" G_GINT64_MODIFIER
                    "x, not %#" G_GINT64_MODIFIER "x",
                    n, d, result, expected);
    }
  }
}

START_TEST(division_of_singles_is_ieee) {
  check_divisions(NORN_FLOAT_32, divide_wave_f32, DIVISIONS);
}
END_TEST

START_TEST(division_of_doubles_is_ieee) {
  check_divisions(NORN_FLOAT_64, divide_wave_f64, DIVISIONS);
}
END_TEST

/* ---- single instructions ---- */

typedef struct {
  const char *name;
  uint64_t src[3];
  uint64_t result; /* of a 16-bit result the low half of the register */
  bool clamp;
  bool has_carry, carry; /* the second result, if it counts */
  uint64_t old;          /* the destination before */
} Value;

static const Value values[] = {
#include "gcn_values.h"
};

enum { V_SRC = 16, V_RESULT = 32, S_MASK = 8, S_CARRY = 10, CHECKED_LANE = 37 };

static bool
reads_mask(const char *name) {
  return strstr(name, "addc") || strstr(name, "subb") || strstr(name, "cndmask");
}

START_TEST(computes_the_value) {
  const Value *value = &values[_i];
  NornGcnInstruction inst = {
      .semantics = norn_gcn_find_semantics(value->name),
      .src = {V(V_SRC), V(V_SRC + 2), V(V_SRC + 4)},
      .vdst = V_RESULT,
      .sdst = S_CARRY,
      .has_sdst = value->has_carry,
      .clamp = value->clamp,
  };
  ck_assert_msg(inst.semantics != NULL, "%s", value->name);
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
  tcase_set_timeout(division, 100);
  tcase_add_checked_fixture(division, setup, teardown);
  tcase_add_test(division, division_of_singles_is_ieee);
  tcase_add_test(division, division_of_doubles_is_ieee);
  suite_add_tcase(suite, division);
  TCase *single = tcase_create("single");
  tcase_add_checked_fixture(single, setup, teardown);
  tcase_add_loop_test(single, computes_the_value, 0, G_N_ELEMENTS(values));
  suite_add_tcase(suite, single);
  return suite;
}
