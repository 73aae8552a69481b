/* The GCN simulator beyond plain values: modifiers, MODE, EXEC, scalar results, lanes, LDS,
 * traps. Each check is a line of assembly on given registers. */
#include "assembled.h"
#include "ir/random.h"
#include "sim/gcn/execute.h"
#include "unit.h"
#include <math.h>
#include <norn/gcn.h>
#include <string.h>

#define ALL UINT64_MAX
#define NAN32 0x7fc00000u
#define SNAN32 0x7fa00000u
#define INF32 0x7f800000u
#define MINUS 0x80000000u
#define ONE32 0x3f800000u
#define MODE(field, value) ((uint32_t)(value) << NORN_GCN_MODE_##field)

static NornGcnState *state;
static uint32_t lds[256];

static void
setup(void) {
  state = g_new0(NornGcnState, 1);
  state->s[NORN_GCN_EXEC] = state->s[NORN_GCN_EXEC + 1] = UINT32_MAX;
  state->mode = NORN_GCN_MODE_ALL_DENORMALS;
  memset(lds, 0, sizeof lds);
  state->lds = lds;
  state->lds_words = G_N_ELEMENTS(lds);
}

static void
teardown(void) {
  g_free(state);
}

static bool
try_run(unsigned architecture, const char *text, GError **error) {
  GBytes *code = assemble_for("gcn", architecture, false, text);
  gsize size;
  const void *bytes = g_bytes_get_data(code, &size);
  bool done = norn_gcn_run(state, architecture, bytes, size, error);
  g_bytes_unref(code);
  return done;
}

static void
run_on(unsigned architecture, const char *text) {
  GError *error = NULL;
  bool done = try_run(architecture, text, &error);
  ck_assert_msg(done, "%s: %s", text, error ? error->message : "");
}

static void
run(const char *text) {
  run_on(NORN_GCN_ARCHITECTURE_1_4, text);
}

static void
set(unsigned reg, uint32_t value) {
  for (unsigned i = 0; i < NORN_GCN_LANES; i++)
    state->v[reg][i] = value;
}

static void
set_pair(unsigned reg, uint64_t value) {
  set(reg, (uint32_t)value);
  set(reg + 1, (uint32_t)(value >> 32));
}

static uint64_t
scalar_pair(unsigned code) {
  return norn_gcn_scalar_pair(state, code);
}

static uint64_t
get_pair(unsigned reg) {
  return state->v[reg][5] | (uint64_t)state->v[reg + 1][5] << 32;
}

/* --- One result word from up to three source words --- */

typedef struct {
  uint8_t architecture;
  const char *text; /* reads v1, v2, v3, writes v0 */
  uint32_t a, b, c, result;
  uint32_t mode;
  uint32_t old;
} Row;

#define SI NORN_GCN_ARCHITECTURE_1_0
#define CI NORN_GCN_ARCHITECTURE_1_1
#define VI NORN_GCN_ARCHITECTURE_1_2
#define VEGA NORN_GCN_ARCHITECTURE_1_4
#define KEEP NORN_GCN_MODE_ALL_DENORMALS

static const Row rows[] = {
    /* ABS before NEG, on the sign bit of any value */
    {SI, "v_add_f32 v0, -|v1|, v2", 0xc0000000, ONE32, 0, 0xbf800000, KEEP, 0},
    {SI, "v_mad_f32 v0, -v1, |v2|, 4.0", ONE32, 0xc0000000, 0, 0x40000000, KEEP, 0},
    {VEGA, "v_fma_f16 v0, v1, v2, v3 op_sel:[1,0,1,1]", 0x40000000, 0x4200, 0x3c000000, 0x4700abcd,
     KEEP, 0x1234abcd},
    {VEGA, "v_fma_f16 v0, v1, v2, v3", 0x4000, 0x4200, 0x3c00, 0x12344700, KEEP, 0x1234abcd},
    {VEGA, "v_fma_legacy_f16 v0, v1, v2, v3", 0x4000, 0x4200, 0x3c00, 0x4700, KEEP, 0x1234abcd},
    {VI, "v_fma_f16 v0, v1, v2, v3", 0x4000, 0x4200, 0x3c00, 0x4700, KEEP, 0x1234abcd},
    /* inline constants have the width of the operand */
    {VI, "v_add_f32 v0, 0.15915494, 0", 0, 0, 0, 0x3e22f983, KEEP, 0},
    {VI, "v_add_f16 v0, 0.15915494, 0", 0, 0, 0, 0x3118, KEEP, 0},
    {SI, "v_add_f32 v0, -16, -16", 0, 0, 0, NAN32, KEEP, 0},
    {SI, "v_bfe_i32 v0, -16, 0, 31", 0, 0, 0, 0xfffffff0, KEEP, 0},
    {SI, "v_mul_hi_i32 v0, -1, v1", 5, 0, 0, 0xffffffff, KEEP, 0},
    /* OMOD only if subnormal results are flushed; CLAMP after it */
    {SI, "v_add_f32 v0, v1, 1.0 mul:4", ONE32, 0, 0, 0x40000000, KEEP, 0},
    {SI, "v_add_f32 v0, v1, 1.0 mul:4", ONE32, 0, 0, 0x41000000, 0, 0},
    {SI, "v_add_f32 v0, v1, 1.0 div:2", ONE32, 0, 0, ONE32, 0, 0},
    {SI, "v_mad_f32 v0, v1, 1.0, 1.0 mul:2", ONE32, 0, 0, 0x40800000, KEEP, 0},
    {SI, "v_add_f32 v0, v1, 1.0 clamp", ONE32, 0, 0, ONE32, KEEP, 0},
    {SI, "v_add_f32 v0, v1, 0 clamp", 0xbf800000, 0, 0, 0, KEEP, 0},
    {SI, "v_add_f32 v0, v1, 0 clamp", NAN32, 0, 0, 0, KEEP | MODE(DX10_CLAMP, 1), 0},
    {SI, "v_add_f32 v0, v1, 0 clamp", NAN32, 0, 0, NAN32, KEEP, 0},
    {SI, "v_add_f32 v0, v1, 0 clamp div:2", 0x3f000000, 0, 0, 0x3e800000, 0, 0},
    {VI, "v_sad_u32 v0, v1, 0, v2 clamp", 0xffffffff, 5, 0, 0xffffffff, KEEP, 0},
    {VI, "v_sad_u32 v0, v1, 0, v2", 0xffffffff, 5, 0, 4, KEEP, 0},
    {VEGA, "v_add_u32 v0, v1, v2 clamp", 0xffffffff, 5, 0, 0xffffffff, KEEP, 0},
    {VEGA, "v_sub_u16 v0, v1, v2 clamp", 1, 5, 0, 0, KEEP, 0},
    /* rounding: 0 nearest, 1 up, 2 down, 3 toward zero */
    {SI, "v_add_f32 v0, v1, v2", ONE32, 0x33000001, 0, ONE32, KEEP, 0},
    {SI, "v_add_f32 v0, v1, v2", ONE32, 0x33000001, 0, ONE32 + 1, KEEP | MODE(ROUND_32, 1), 0},
    {SI, "v_add_f32 v0, -v1, v2", ONE32, 0x33000001, 0, 0xbf7fffff, KEEP | MODE(ROUND_32, 3), 0},
    {SI, "v_add_f32 v0, -v1, -v2", ONE32, 0x33000001, 0, 0xbf800001, KEEP | MODE(ROUND_32, 2), 0},
    {SI, "v_cvt_f16_f32 v0, v1", 0x3f801001, 0, 0, 0x3c01, KEEP, 0},
    {SI, "v_cvt_f16_f32 v0, v1", 0x3f801001, 0, 0, 0x3c00, KEEP | MODE(ROUND_64, 3), 0},
    {SI, "v_cvt_f16_f32 v0, v1", 1, 0, 0, 1, KEEP | MODE(ROUND_64, 1), 0},
    {SI, "v_cvt_f16_f32 v0, v1", 1, 0, 0, 0, MODE(DENORMAL_64, 3) | MODE(ROUND_64, 1), 0},
    {VI, "v_cvt_pkrtz_f16_f32 v0, v1, v2", 0x3f801fff, 0xc7800000, 0, 0xfbff3c00, KEEP, 0},
    {SI, "v_cvt_pk_u8_f32 v0, v1, 2, v2", 0x40200000, 0xaabbccdd, 0, 0xaa02ccdd, KEEP, 0},
    {SI, "v_cvt_pk_u8_f32 v0, v1, 2, v2", 0x40200000, 0xaabbccdd, 0, 0xaa03ccdd,
     KEEP | MODE(ROUND_32, 1), 0},
    {SI, "v_cvt_pk_u8_f32 v0, v1, 1, v2", 0x43ff0000, 0xaabbccdd, 0, 0xaabbffdd, KEEP, 0},
    {SI, "v_cvt_pk_u8_f32 v0, v1, 1, v2", NAN32, 0xaabbccdd, 0, 0xaabb00dd, KEEP, 0},
    {VI, "v_cvt_pkaccum_u8_f32 v0, v1, 3", 0x41200000, 0, 0, 0x0a345678, KEEP, 0x12345678},
    /* subnormals: bit 0 keeps those of sources, bit 1 those of results; V_MAD_F32 has none */
    {SI, "v_add_f32 v0, v1, v2", 1, 1, 0, 2, KEEP, 0},
    {SI, "v_add_f32 v0, v1, v2", 1, 1, 0, 0, MODE(DENORMAL_32, 2), 0},
    {SI, "v_mul_f32 v0, v1, 0.5", 0x00800000, 0, 0, 0, MODE(DENORMAL_32, 1), 0},
    {SI, "v_mul_f32 v0, v1, 0.5", 0x00800000, 0, 0, 0x00400000, MODE(DENORMAL_32, 2), 0},
    {SI, "v_mad_f32 v0, v1, 1.0, v2", 1, 1, 0, 0, KEEP, 0},
    {SI, "v_mad_f32 v0, v1, v2, v3", 1, 0x71800000, 0, 0, KEEP, 0},
    {SI, "v_fma_f32 v0, v1, 1.0, v2", 1, 1, 0, 2, KEEP, 0},
    {VI, "v_mad_f16 v0, v1, 1.0, v2", 1, 1, 0, 0, KEEP, 0},
    {VI, "v_fma_f16 v0, v1, 1.0, v2", 1, 1, 0, 2, KEEP, 0},
    /* two roundings against one */
    {SI, "v_mad_f32 v0, v1, v1, v2", 0x3f800001, 0xbf800002, 0, 0, KEEP, 0},
    {SI, "v_fma_f32 v0, v1, v1, v2", 0x3f800001, 0xbf800002, 0, 0x28800000, KEEP, 0},
    /* zero times anything */
    {SI, "v_mad_legacy_f32 v0, v1, v2, v3", 0, INF32, 0x40400000, 0x40400000, KEEP, 0},
    {SI, "v_mad_f32 v0, v1, v2, v3", 0, INF32, 0x40400000, NAN32, KEEP, 0},
    {SI, "v_mul_legacy_f32 v0, v1, v2", MINUS, NAN32, 0, 0, KEEP, 0},
    {SI, "v_mac_legacy_f32 v0, v1, v2", 0, NAN32, 0, 0x40400000, KEEP, 0x40400000},
    {VI, "v_mac_legacy_f32 v0, v1, v2", 0x40000000, 0x40400000, 0, 0x40e00000, KEEP, ONE32},
    {SI, "v_mullit_f32 v0, v1, v2, v3", 0x40000000, 0x40400000, ONE32, 0x40c00000, KEEP, 0},
    {SI, "v_mullit_f32 v0, v1, v2, v3", 0x40000000, 0x40400000, 0, 0xff7fffff, KEEP, 0},
    {SI, "v_mullit_f32 v0, v1, v2, v3", 0x40000000, 0x40400000, NAN32, 0xff7fffff, KEEP, 0},
    {SI, "v_mullit_f32 v0, v1, v2, v3", 0, INF32, ONE32, 0, KEEP, 0},
    /* minimum, maximum, median with NaN */
    {SI, "v_min_f32 v0, v1, v2", NAN32, ONE32, 0, ONE32, KEEP, 0},
    {SI, "v_max_f32 v0, v1, v2", ONE32, NAN32, 0, ONE32, KEEP, 0},
    {SI, "v_min_f32 v0, v1, v2", SNAN32, ONE32, 0, NAN32, KEEP | MODE(IEEE, 1), 0},
    {SI, "v_min_f32 v0, v1, v2", SNAN32, ONE32, 0, ONE32, KEEP, 0},
    {SI, "v_min_f32 v0, v1, v2", 0, MINUS, 0, MINUS, KEEP, 0},
    {SI, "v_max_f32 v0, v1, v2", MINUS, 0, 0, 0, KEEP, 0},
    {SI, "v_min_legacy_f32 v0, v1, v2", NAN32, ONE32, 0, ONE32, KEEP, 0},
    {SI, "v_min_legacy_f32 v0, v1, v2", ONE32, NAN32, 0, NAN32, KEEP, 0},
    {SI, "v_max_legacy_f32 v0, v1, v2", ONE32, NAN32, 0, NAN32, KEEP, 0},
    {SI, "v_max_legacy_f32 v0, v1, v2", 0x40000000, ONE32, 0, 0x40000000, KEEP, 0},
    {SI, "v_min3_f32 v0, v1, v2, v3", NAN32, 0x40000000, ONE32, ONE32, KEEP, 0},
    {SI, "v_min3_f32 v0, v1, v2, v3", 0x40000000, ONE32, NAN32, ONE32, KEEP, 0},
    {SI, "v_max3_f32 v0, v1, v2, v3", 0x40000000, NAN32, ONE32, 0x40000000, KEEP, 0},
    {SI, "v_max3_f32 v0, v1, v2, v3", NAN32, NAN32, ONE32, ONE32, KEEP, 0},
    {SI, "v_max3_f32 v0, v1, v2, v3", NAN32, NAN32, NAN32, NAN32, KEEP, 0},
    {SI, "v_med3_f32 v0, v1, v2, v3", NAN32, 0x40000000, ONE32, ONE32, KEEP, 0},
    {SI, "v_med3_f32 v0, v1, v2, v3", 0x40000000, NAN32, ONE32, ONE32, KEEP, 0},
    {SI, "v_med3_f32 v0, v1, v2, v3", 0x40000000, ONE32, NAN32, ONE32, KEEP, 0},
    {SI, "v_med3_f32 v0, v1, v2, v3", 0x40a00000, ONE32, ONE32, ONE32, KEEP, 0},
    {SI, "v_med3_f32 v0, v1, v2, v3", INF32, 0xff800000, ONE32, ONE32, KEEP, 0},
    /* cube maps */
    {SI, "v_cubeid_f32 v0, v1, v2, v3", ONE32, ONE32, 0xbf800000, 0x40a00000, KEEP, 0},
    {SI, "v_cubeid_f32 v0, v1, v2, v3", ONE32, 0xc0000000, ONE32, 0x40400000, KEEP, 0},
    {SI, "v_cubeid_f32 v0, v1, v2, v3", 0xc0400000, ONE32, ONE32, ONE32, KEEP, 0},
    {SI, "v_cubeid_f32 v0, v1, v2, v3", 0x40000000, 0x40000000, ONE32, 0x40000000, KEEP, 0},
    {SI, "v_cubeid_f32 v0, v1, v2, v3", ONE32, NAN32, 0x40000000, 0, KEEP, 0},
    {SI, "v_cubeid_f32 v0, v1, v2, v3", NAN32, ONE32, ONE32, ONE32, KEEP, 0},
    {SI, "v_cubesc_f32 v0, v1, v2, v3", 0xc0400000, ONE32, 0x40000000, 0x40000000, KEEP, 0},
    {SI, "v_cubesc_f32 v0, v1, v2, v3", 0x40400000, ONE32, 0x40000000, 0xc0000000, KEEP, 0},
    {SI, "v_cubesc_f32 v0, v1, v2, v3", ONE32, ONE32, 0xc0000000, 0xbf800000, KEEP, 0},
    {SI, "v_cubetc_f32 v0, v1, v2, v3", ONE32, 0xc0400000, 0x40000000, 0xc0000000, KEEP, 0},
    {SI, "v_cubetc_f32 v0, v1, v2, v3", 0x40400000, ONE32, 0x40000000, 0xbf800000, KEEP, 0},
    {SI, "v_cubema_f32 v0, v1, v2, v3", ONE32, 0xc0400000, 0x40000000, 0xc0c00000, KEEP, 0},
    /* subnormal directions: flushed neither way, both ways, as results, as operands */
    {SI, "v_cubeid_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 0x40400000, KEEP, 0},
    {SI, "v_cubeid_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 0x40800000, 0, 0},
    {SI, "v_cubeid_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 0x40400000, MODE(DENORMAL_32, 1), 0},
    {SI, "v_cubeid_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 0x40800000, MODE(DENORMAL_32, 2), 0},
    {SI, "v_cubesc_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 1, KEEP, 0},
    {SI, "v_cubesc_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 0, 0, 0},
    {SI, "v_cubesc_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 0, MODE(DENORMAL_32, 1), 0},
    {SI, "v_cubesc_f32 v0, v1, v2, v3", 1, ONE32, 0, 0, MODE(DENORMAL_32, 2), 0},
    {SI, "v_cubetc_f32 v0, v1, v2, v3", 1, 0x80000002, 1, 0x80000001, KEEP, 0},
    {SI, "v_cubetc_f32 v0, v1, v2, v3", 0, 2, ONE32, MINUS, MODE(DENORMAL_32, 1), 0},
    {SI, "v_cubema_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 0x80000004, KEEP, 0},
    {SI, "v_cubema_f32 v0, v1, v2, v3", 1, 0x80000002, 0, 0, 0, 0},
    /* elementary functions */
    {SI, "v_rcp_f32 v0, v1", 0x40400000, 0, 0, 0x3eaaaaab, KEEP, 0},
    {SI, "v_rcp_f32 v0, v1", MINUS, 0, 0, 0xff800000, KEEP, 0},
    {SI, "v_rcp_clamp_f32 v0, v1", MINUS, 0, 0, 0xff7fffff, KEEP, 0},
    {SI, "v_rcp_legacy_f32 v0, v1", MINUS, 0, 0, MINUS, KEEP, 0},
    {SI, "v_rsq_f32 v0, v1", 0x40800000, 0, 0, 0x3f000000, KEEP, 0},
    {SI, "v_rsq_clamp_f32 v0, v1", 0, 0, 0, 0x7f7fffff, KEEP, 0},
    {SI, "v_sqrt_f32 v0, v1", 0x40000000, 0, 0, 0x3fb504f3, KEEP, 0},
    {SI, "v_log_clamp_f32 v0, v1", 0, 0, 0, 0xff7fffff, KEEP, 0},
    {SI, "v_log_f32 v0, v1", 0x41000000, 0, 0, 0x40400000, KEEP, 0},
    {SI, "v_exp_f32 v0, v1", 0x40400000, 0, 0, 0x41000000, KEEP, 0},
    {SI, "v_sin_f32 v0, v1", 0x3e800000, 0, 0, ONE32, KEEP, 0},
    {SI, "v_sin_f32 v0, v1", 0x3f000000, 0, 0, 0, KEEP, 0},
    {SI, "v_cos_f32 v0, v1", 0x3f000000, 0, 0, 0xbf800000, KEEP, 0},
    {SI, "v_cos_f32 v0, v1", 0x43a00000, 0, 0, ONE32, KEEP, 0},
    {SI, "v_sin_f32 v0, v1", INF32, 0, 0, NAN32, KEEP, 0},
    {SI, "v_sin_f32 v0, v1", MINUS, 0, 0, MINUS, KEEP, 0},
    {SI, "v_sin_f32 v0, v1", 0x80000001, 0, 0, MINUS, 0, 0},
    {SI, "v_cos_f32 v0, v1", MINUS, 0, 0, ONE32, KEEP, 0},
    {SI, "v_fract_f32 v0, v1", 0x80000001, 0, 0, 0x3f7fffff, KEEP, 0},
    {SI, "v_fract_f32 v0, v1", 0xbfa00000, 0, 0, 0x3f400000, KEEP, 0},
    {SI, "v_fract_f32 v0, v1", ONE32, 0, 0, 0, KEEP, 0},
    {SI, "v_fract_f32 v0, v1", ONE32, 0, 0, MINUS, KEEP | MODE(ROUND_32, 2), 0},
    {SI, "v_fract_f32 v0, v1", 0x80000001, 0, 0, 0x3f7fffff, KEEP | MODE(ROUND_32, 1), 0},
    {SI, "v_frexp_exp_i32_f32 v0, v1", INF32, 0, 0, 0, KEEP, 0},
    {SI, "v_frexp_mant_f32 v0, v1", 1, 0, 0, 0x3f000000, KEEP, 0},
    {SI, "v_rndne_f32 v0, v1", 0x40200000, 0, 0, 0x40000000, KEEP, 0},
    {SI, "v_ceil_f32 v0, v1", 0xbf000000, 0, 0, MINUS, KEEP, 0},
    {SI, "v_cvt_i32_f32 v0, v1", NAN32, 0, 0, 0, KEEP, 0},
    {SI, "v_cvt_i32_f32 v0, v1", 0xff800000, 0, 0, 0x80000000, KEEP, 0},
    {SI, "v_cvt_u32_f32 v0, v1", 0xbf800000, 0, 0, 0, KEEP, 0},
    {SI, "v_cvt_rpi_i32_f32 v0, v1", 0xbf000000, 0, 0, 0, KEEP, 0},
    {SI, "v_cvt_rpi_i32_f32 v0, v1", ONE32, 0, 0, 1, KEEP, 0},
    {SI, "v_cvt_rpi_i32_f32 v0, v1", 0x3effffff, 0, 0, 0, KEEP, 0},
    {VI, "v_ldexp_f32 v0, v1, v2", 0x00800000, 0xffffffff, 0, 0x00400000, KEEP, 0},
    {VI, "v_ldexp_f32 v0, v1, v2", ONE32, 0x80000000, 0, 0, KEEP, 0},
    /* division's first step: what is scaled, denominator, numerator */
    {SI, "v_div_scale_f32 v0, vcc, v1, v2, v3", ONE32, ONE32, 0x6f800000, 0x5f800000, KEEP, 0},
    {SI, "v_div_scale_f32 v0, vcc, v1, v2, v3", ONE32, ONE32, 0x6f000000, ONE32, KEEP, 0},
    /* division's last step: quotient, denominator, numerator */
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", ONE32, 0, 0x40000000, INF32, KEEP, 0},
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", ONE32, MINUS, 0x40000000, 0xff800000, KEEP, 0},
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", ONE32, 0, 0, NAN32, KEEP, 0},
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", ONE32, INF32, INF32, 0xffc00000, KEEP, 0},
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", ONE32, SNAN32, ONE32, 0x7fe00000, KEEP, 0},
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", ONE32, 0xff800000, ONE32, MINUS, KEEP, 0},
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", NAN32, 0x00800000, 0x7f000000, INF32, KEEP, 0},
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", NAN32, 0x00800000, 0x7f000000, 0x7f7fffff,
     KEEP | MODE(ROUND_32, 3), 0},
    {SI, "v_div_fixup_f32 v0, v1, v2, v3", 0x40400000, 0x40000000, 0xc0c00000, 0xc0400000, KEEP, 0},
    {VI, "v_div_fixup_f16 v0, v1, v2, v3", 0x3c00, 0, 0x4000, 0x7c00, KEEP, 0},
    /* words of the shared memory; M0 names address and type */
    {SI, "v_add_f32 v0, lds_direct, 0", 0, 0, 0, 0x40490fdb, KEEP, 0},
};

START_TEST(computes_the_row) {
  const Row *row = &rows[_i];
  const uint32_t sources[] = {row->a, row->b, row->c};
  for (unsigned i = 0; i < G_N_ELEMENTS(sources); i++)
    set(i + 1, sources[i]);
  set(0, row->old);
  lds[3] = 0x40490fdb;
  state->s[NORN_GCN_M0] = 2u << 16 | 12;
  state->mode = row->mode;
  run_on(row->architecture, row->text);
  ck_assert_msg(state->v[0][5] == row->result, "%s: %#x, not %#x", row->text, state->v[0][5],
                row->result);
}
END_TEST

/* --- EXEC and scalar results --- */

START_TEST(exec_chooses_the_lanes) {
  state->s[NORN_GCN_EXEC] = 0x0000ff00;
  state->s[NORN_GCN_EXEC + 1] = 0x80000000;
  set(1, 7);
  run("v_mov_b32 v0, v1");
  for (unsigned i = 0; i < NORN_GCN_LANES; i++)
    ck_assert_uint_eq(state->v[0][i], (i >= 8 && i < 16) || i == 63 ? 7 : 0);
}
END_TEST

START_TEST(comparisons_clear_lanes_that_are_off) {
  state->s[NORN_GCN_EXEC] = 0x0000ffff;
  state->s[NORN_GCN_EXEC + 1] = 0;
  state->s[20] = state->s[21] = UINT32_MAX;
  for (unsigned i = 0; i < NORN_GCN_LANES; i++)
    state->v[1][i] = i;
  run("v_cmp_lt_u32 s[20:21], v1, 9");
  ck_assert_uint_eq(scalar_pair(20), 0x1ff);
  ck_assert_uint_eq(scalar_pair(NORN_GCN_EXEC), 0xffff);
  run("v_cmpx_ge_i32 vcc, v1, 4");
  ck_assert_uint_eq(scalar_pair(NORN_GCN_VCC), 0xfff0);
  ck_assert_uint_eq(scalar_pair(NORN_GCN_EXEC), 0xfff0);
}
END_TEST

START_TEST(float_relations_know_unordered) {
  static const struct {
    const char *text;
    bool less, equal, greater, unordered;
  } relations[] = {
      {"v_cmp_f_f32", 0, 0, 0, 0},   {"v_cmp_lt_f32", 1, 0, 0, 0},  {"v_cmp_eq_f32", 0, 1, 0, 0},
      {"v_cmp_le_f32", 1, 1, 0, 0},  {"v_cmp_gt_f32", 0, 0, 1, 0},  {"v_cmp_lg_f32", 1, 0, 1, 0},
      {"v_cmp_ge_f32", 0, 1, 1, 0},  {"v_cmp_o_f32", 1, 1, 1, 0},   {"v_cmp_u_f32", 0, 0, 0, 1},
      {"v_cmp_nge_f32", 1, 0, 0, 1}, {"v_cmp_nlg_f32", 0, 1, 0, 1}, {"v_cmp_ngt_f32", 1, 1, 0, 1},
      {"v_cmp_nle_f32", 0, 0, 1, 1}, {"v_cmp_neq_f32", 1, 0, 1, 1}, {"v_cmp_nlt_f32", 0, 1, 1, 1},
      {"v_cmp_tru_f32", 1, 1, 1, 1},
  };
  static const uint32_t lefts[] = {0, MINUS, 0x40000000, NAN32};
  for (unsigned i = 0; i < 4; i++)
    state->v[1][i] = lefts[i];
  state->v[2][0] = ONE32;
  state->v[2][2] = ONE32;
  for (unsigned i = 0; i < G_N_ELEMENTS(relations); i++) {
    char *text = g_strdup_printf("%s s[0:1], v1, v2", relations[i].text);
    run(text);
    unsigned expected = relations[i].less | relations[i].equal << 1 | relations[i].greater << 2 |
                        relations[i].unordered << 3;
    ck_assert_msg((state->s[0] & 15) == expected, "%s: %x", text, state->s[0] & 15);
    g_free(text);
  }
}
END_TEST

/* A pair of operands for each relation, in lanes 0 to 3; the high half of a register does not
 * matter to types of 16 bits. */
static void
set_related(bool is_float, bool is_signed, unsigned bits) {
  static const uint64_t floats[3][4][2] = {
      {{0xABCDC000, 0x12343C00}, {0xABCD8000, 0}, {0x12343C00, 0xABCDC000}, {0x7E00, 0x3C00}},
      {{0xC0000000, 0x3F800000}, {0x80000000, 0}, {0x3F800000, 0xC0000000}, {NAN32, ONE32}},
      {{UINT64_C(0xC000000000000000), UINT64_C(0x3FF0000000000000)},
       {UINT64_C(0x8000000000000000), 0},
       {UINT64_C(0x3FF0000000000000), UINT64_C(0xC000000000000000)},
       {UINT64_C(0x7FF8000000000000), UINT64_C(0x3FF0000000000000)}}};
  uint64_t high = bits == 16 ? 0xABCD0000 : 0, ones = bits == 64   ? ALL
                                                      : bits == 32 ? UINT32_MAX
                                                                   : 0xFFFF;
  const uint64_t integers[4][2] = {{is_signed ? ones : 1, (is_signed ? 1 : ones) | high},
                                   {ones | high, ones},
                                   {is_signed ? 1 : ones, (is_signed ? ones : 1) | high},
                                   {0, 0}};
  const uint64_t(*pairs)[2] = is_float ? floats[bits / 32] : integers;
  for (unsigned lane = 0; lane < 4; lane++)
    for (unsigned k = 0; k < 2; k++) {
      state->v[2 + 2 * k][lane] = (uint32_t)pairs[lane][k];
      state->v[3 + 2 * k][lane] = (uint32_t)(pairs[lane][k] >> 32);
    }
}

/* The lanes among the first four for which a comparison of those pairs holds. */
static void
check_comparison(const char *prefix, const char *relation, const char *type, unsigned expected) {
  bool is_signaling = !strncmp(prefix, "v_cmps", 6), writes_exec = strchr(prefix, 'x');
  bool is_wide = strstr(type, "64") != NULL, is_class = !strcmp(relation, "class");
  char *text =
      g_strdup_printf("%s_%s_%s s[0:1], %s, %s", prefix, relation, type, is_wide ? "v[2:3]" : "v2",
                      is_class  ? "v6"
                      : is_wide ? "v[4:5]"
                                : "v4");
  run_on(is_signaling ? NORN_GCN_ARCHITECTURE_1_0 : NORN_GCN_ARCHITECTURE_1_4, text);
  ck_assert_msg((state->s[0] & 15) == expected, "%s: %x, not %x", text, state->s[0] & 15, expected);
  uint64_t exec = scalar_pair(NORN_GCN_EXEC);
  ck_assert_msg(exec == (writes_exec ? scalar_pair(0) : ALL), "%s", text);
  state->s[NORN_GCN_EXEC] = state->s[NORN_GCN_EXEC + 1] = UINT32_MAX;
  g_free(text);
}

/* The position of a relation in its list has a bit for each case in which it holds: less, equal,
 * greater, unordered. */
START_TEST(every_type_is_compared) {
  static const char *const floats[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                       "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
  static const char *const integers[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
  static const char *const prefixes[] = {"v_cmp", "v_cmpx", "v_cmps", "v_cmpsx"};
  set(6, 3); /* the classes of NaNs */
  for (unsigned p = 0; p < G_N_ELEMENTS(prefixes); p++)
    for (unsigned bits = p < 2 ? 16 : 32; bits <= 64; bits *= 2) {
      char type[] = {'f',
                     (char)('0' + (bits == 16   ? 1
                                   : bits == 32 ? 3
                                                : 6)),
                     (char)('0' + (bits == 16   ? 6
                                   : bits == 32 ? 2
                                                : 4)),
                     0};
      set_related(true, true, bits);
      for (unsigned i = 0; i < G_N_ELEMENTS(floats); i++)
        check_comparison(prefixes[p], floats[i], type, i);
      if (p < 2)
        check_comparison(prefixes[p], "class", type, 8);
      for (unsigned is_signed = 0; is_signed < 2 && p < 2; is_signed++) {
        type[0] = is_signed ? 'i' : 'u';
        set_related(false, is_signed, bits);
        for (unsigned i = 0; i < G_N_ELEMENTS(integers); i++)
          check_comparison(prefixes[p], integers[i], type, i | (i & 2) << 2);
      }
    }
}
END_TEST

START_TEST(each_class_has_a_bit) {
  static const uint32_t values[] = {SNAN32, NAN32, 0xff800000, 0xbf800000, 0x80000001,
                                    MINUS,  0,     1,          ONE32,      INF32};
  for (unsigned i = 0; i < G_N_ELEMENTS(values); i++) {
    state->v[1][i] = values[i];
    state->v[2][i] = 1u << i;
    state->v[3][i] = ~(1u << i);
  }
  run("v_cmp_class_f32 s[0:1], v1, v2\nv_cmp_class_f32 s[2:3], v1, v3");
  ck_assert_uint_eq(state->s[0] & 0x3ff, 0x3ff);
  ck_assert_uint_eq(state->s[2] & 0x3ff, 0);
}
END_TEST

START_TEST(carries_go_through_scalar_pairs) {
  set(1, 0xffffffff);
  set(2, 1);
  state->v[1][3] = 5;
  run("v_add_co_u32 v4, s[0:1], v1, v2\nv_addc_co_u32 v5, vcc, 0, 0, s[0:1]");
  ck_assert_uint_eq(scalar_pair(0), ALL & ~(UINT64_C(1) << 3));
  ck_assert_uint_eq(scalar_pair(NORN_GCN_VCC), 0);
  ck_assert_uint_eq(state->v[4][3], 6);
  ck_assert_uint_eq(state->v[4][4], 0);
  ck_assert_uint_eq(state->v[5][3], 0);
  ck_assert_uint_eq(state->v[5][4], 1);
}
END_TEST

/* A source mask may be the register that the instruction writes. */
START_TEST(scalar_results_come_after_all_lanes) {
  set(1, 0xffffffff);
  state->s[8] = 0x0f0f0f0f;
  state->s[9] = 0xf0f0f0f0;
  run("v_addc_co_u32 v4, s[8:9], v1, 0, s[8:9]");
  ck_assert_uint_eq(scalar_pair(8), UINT64_C(0xf0f0f0f00f0f0f0f));
  ck_assert_uint_eq(state->v[4][0], 0);
  ck_assert_uint_eq(state->v[4][4], 0xffffffff);
}
END_TEST

START_TEST(conditions_are_sources) {
  state->scc = true;
  run("v_mov_b32 v1, src_vccz\nv_mov_b32 v2, src_execz\nv_mov_b32 v3, src_scc");
  ck_assert_uint_eq(state->v[1][0], 1);
  ck_assert_uint_eq(state->v[2][0], 0);
  ck_assert_uint_eq(state->v[3][0], 1);
  state->aperture[0] = UINT64_C(0x1234567800000000);
  run("v_lshrrev_b64 v[4:5], 32, src_shared_base");
  ck_assert_uint_eq(state->v[4][0], 0x12345678);
}
END_TEST

/* --- Lanes --- */

START_TEST(lanes_are_read_and_written_regardless_of_exec) {
  for (unsigned i = 0; i < NORN_GCN_LANES; i++)
    state->v[1][i] = 100 + i;
  state->s[NORN_GCN_EXEC] = state->s[NORN_GCN_EXEC + 1] = 0;
  state->s[4] = 64 + 17;
  state->s[NORN_GCN_M0] = 3;
  run("v_readlane_b32 s5, v1, s4\nv_readlane_b32 s6, v1, m0\nv_readlane_b32 vcc_hi, v1, 63\n"
      "v_writelane_b32 v2, s5, m0\nv_writelane_b32 v2, -4, 10");
  ck_assert_uint_eq(state->s[5], 117);
  ck_assert_uint_eq(state->s[6], 103);
  ck_assert_uint_eq(state->s[NORN_GCN_VCC + 1], 163);
  ck_assert_uint_eq(state->v[2][3], 117);
  ck_assert_uint_eq(state->v[2][10], (uint32_t)-4);
  ck_assert_uint_eq(state->v[2][11], 0);
}
END_TEST

START_TEST(lanes_below_are_counted) {
  set(1, 0xf000000f);
  set(5, 100);
  run("v_mbcnt_lo_u32_b32 v2, v1, v5\nv_mbcnt_hi_u32_b32 v3, v1, v2");
  static const struct {
    unsigned lane, low, both;
  } counts[] = {{0, 100, 100},  {3, 103, 103},  {31, 107, 107},
                {32, 108, 108}, {36, 108, 112}, {63, 108, 115}};
  for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++) {
    ck_assert_uint_eq(state->v[2][counts[i].lane], counts[i].low);
    ck_assert_uint_eq(state->v[3][counts[i].lane], counts[i].both);
  }
}
END_TEST

START_TEST(m0_moves_register_numbers) {
  state->s[NORN_GCN_M0] = 5;
  set(6, 66);
  set(9, 99);
  run_on(VI, "v_movrels_b32 v0, v1\nv_movreld_b32 v2, v9\nv_movrelsd_b32 v3, v4");
  ck_assert_uint_eq(state->v[0][0], 66);
  ck_assert_uint_eq(state->v[7][0], 99);
  ck_assert_uint_eq(state->v[8][0], 99);
}
END_TEST

/* The last fma of a division scales its result back, up if the addend is at least 2. */
START_TEST(division_scales_back) {
  state->s[NORN_GCN_VCC] = state->s[NORN_GCN_VCC + 1] = UINT32_MAX;
  set(3, 0x40000000);
  set(4, 0x3fffffff);
  run("v_div_fmas_f32 v5, 0, 0, v3\nv_div_fmas_f32 v6, 0, 0, v4");
  ck_assert_uint_eq(state->v[5][0], 0x60000000);
  ck_assert_uint_eq(state->v[6][0], 0x1fffffff);
}
END_TEST

/* --- Wide and 64-bit operands --- */

START_TEST(wide_operands) {
  set_pair(2, UINT64_C(0x0807060504030201));
  set(4, 0x04030201);
  for (unsigned i = 0; i < 4; i++)
    set(8 + i, i == 3 ? UINT32_MAX : 1000 * i);
  run("v_mqsad_u32_u8 v[12:15], v[2:3], v4, v[8:11]");
  ck_assert_uint_eq(state->v[12][0], 0);
  ck_assert_uint_eq(state->v[13][0], 1004);
  ck_assert_uint_eq(state->v[14][0], 2008);
  ck_assert_uint_eq(state->v[15][0], UINT32_MAX);
  run("v_add_f64 v[20:21], 1.0, -|v[22:23]|\nv_lshlrev_b64 v[24:25], 4, -1\nv_mul_f64 v[26:27], "
      "64, "
      "0.5");
  ck_assert_uint_eq(get_pair(20), UINT64_C(0x3ff0000000000000));
  ck_assert_uint_eq(get_pair(24), UINT64_C(0xfffffffffffffff0));
  ck_assert_uint_eq(get_pair(26), 32);
  set(30, UINT32_MAX);
  set_pair(32, UINT64_MAX);
  run("v_mad_u64_u32 v[34:35], vcc, v30, v30, v[32:33]\n"
      "v_mad_u64_u32 v[36:37], vcc, v30, v30, v[32:33] clamp");
  ck_assert_uint_eq(get_pair(34), UINT64_C(0xfffffffe00000000));
  ck_assert_uint_eq(get_pair(36), UINT64_MAX);
}
END_TEST

START_TEST(doubles_have_their_own_mode) {
  set_pair(2, 1);
  state->mode = MODE(DENORMAL_32, 3);
  run("v_add_f64 v[4:5], v[2:3], v[2:3]");
  ck_assert_uint_eq(get_pair(4), 0);
  state->mode = MODE(DENORMAL_64, 3);
  run("v_add_f64 v[4:5], v[2:3], v[2:3] mul:2");
  ck_assert_uint_eq(get_pair(4), 2);
  state->mode = MODE(DENORMAL_32, 3) | MODE(ROUND_64, 1);
  run("v_add_f64 v[4:5], 1.0, 1.0 mul:4");
  ck_assert_uint_eq(get_pair(4), UINT64_C(0x4020000000000000));
}
END_TEST

/* Three segments contain enough of 2/pi to reduce an angle. */
START_TEST(trig_preop_delivers_two_over_pi) {
  set_pair(2, UINT64_C(0x3ff0000000000000));
  run("v_trig_preop_f64 v[4:5], v[2:3], 0\nv_trig_preop_f64 v[6:7], v[2:3], 1");
  ck_assert_uint_eq(get_pair(4), UINT64_C(0x3fe45f306dc9c882));
  ck_assert_uint_eq(get_pair(6), UINT64_C(0x3c94a7f09d5f47d4));
  /* 2^60 is six binades above 2^54: the digits start six bits further down */
  set_pair(2, UINT64_C(0x43b0000000000000));
  run("v_trig_preop_f64 v[4:5], v[2:3], 0");
  ck_assert_uint_eq(get_pair(4), UINT64_C(0x3f87cc1b727220a9));
  /* 2^1000 is scaled, so the result is 2^128 larger */
  set_pair(2, UINT64_C(0x7e70000000000000));
  run("v_trig_preop_f64 v[4:5], v[2:3], 0");
  ck_assert_uint_eq(get_pair(4), UINT64_C(0xcc516ba93dd63f5));
}
END_TEST

/* --- LDS --- */

START_TEST(lds_direct_has_types) {
  static const struct {
    uint32_t m0, value;
  } reads[] = {{0u << 16 | 9, 0x83},
               {4u << 16 | 9, 0xffffff83},
               {1u << 16 | 10, 0x8281},
               {5u << 16 | 10, 0xffff8281},
               {2u << 16 | 8, 0x82818384}};
  lds[2] = 0x82818384;
  for (unsigned i = 0; i < G_N_ELEMENTS(reads); i++) {
    state->s[NORN_GCN_M0] = reads[i].m0;
    run("v_mov_b32 v0, lds_direct");
    ck_assert_uint_eq(state->v[0][63], reads[i].value);
  }
}
END_TEST

static float
float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

START_TEST(interpolates_attributes) {
  state->primitive_count = 2;
  for (unsigned i = 0; i < 16; i++)
    state->primitive[i] = i % 2;
  /* attribute 1, channel z of primitives 0 and 1: p0 + p10 i + p20 j */
  static const uint32_t plane[2][3] = {{ONE32, 0x40000000, 0x40400000},
                                       {0x41200000, 0x41a00000, 0x41f00000}};
  for (unsigned p = 0; p < 2; p++) {
    uint32_t *words = &lds[12 * (1 * 2 + p)];
    words[4] = plane[p][0];
    words[5] = plane[p][1];
    words[8 + 2] = plane[p][2];
  }
  set(1, 0x3f000000); /* i */
  set(2, 0x3e800000); /* j */
  run("v_interp_p1_f32 v3, v1, attr1.z\nv_interp_p2_f32 v3, v2, attr1.z\n"
      "v_interp_mov_f32 v4, p10, attr1.z\nv_interp_mov_f32 v5, p20, attr1.z\n"
      "v_interp_mov_f32 v6, p0, attr1.z");
  ck_assert(float_of(state->v[3][0]) == 1.0f + 0.5f * 2.0f + 0.25f * 3.0f);
  ck_assert(float_of(state->v[3][4]) == 10.0f + 0.5f * 20.0f + 0.25f * 30.0f);
  ck_assert_uint_eq(state->v[4][0], 0x40000000);
  ck_assert_uint_eq(state->v[5][4], 0x41f00000);
  ck_assert_uint_eq(state->v[6][63], 0x41200000);
  /* Results that are subnormal are zero. */
  lds[0] = lds[12] = 0x80800000;
  lds[1] = lds[13] = 0x3fc00000;
  set(1, 0x00800000);
  run("v_interp_p1_f32 v3, v1, attr0.x");
  ck_assert_uint_eq(state->v[3][0], 0);
}
END_TEST

START_TEST(interpolates_halves) {
  state->primitive_count = 1;
  lds[0] = 0x44003c00; /* p0 of x: low 1, high 4 */
  lds[1] = 0x40004200; /* p10: 3, 2 */
  lds[8] = 0x48004400; /* p20: 4, 8 */
  set(1, 0x3f000000);
  set(2, 0x3e800000);
  set(4, 0x3c000000);
  run("v_interp_p1ll_f16 v3, v1, attr0.x\nv_interp_p2_f16 v6, v2, attr0.x, v3 op_sel:[1]\n"
      "v_interp_p1ll_f16 v5, v1, attr0.x high\nv_interp_p2_f16 v6, v2, attr0.x, v5 high\n"
      "v_interp_p1lv_f16 v7, v1, attr0.x, v4 high\n");
  ck_assert(float_of(state->v[3][0]) == 1.0f + 0.5f * 3.0f);
  ck_assert(float_of(state->v[5][0]) == 4.0f + 0.5f * 2.0f);
  ck_assert(float_of(state->v[7][0]) == 1.0f + 0.5f * 2.0f);
  ck_assert_uint_eq(state->v[6][0], 0x43004700); /* 3.5, 7 */
}
END_TEST

/* --- Traps --- */

static void
expect_trap(unsigned architecture, const char *text, int code, const char *part) {
  GError *error = NULL;
  ck_assert_msg(!try_run(architecture, text, &error), "%s", text);
  ck_assert_msg(g_error_matches(error, NORN_ERROR, code), "%s: %s", text, error->message);
  ck_assert_msg(strstr(error->message, part) != NULL, "%s", error->message);
  g_error_free(error);
}

START_TEST(missing_registers_and_memory_trap) {
  state->s[NORN_GCN_M0] = 250;
  expect_trap(VI, "v_nop\nv_movrels_b32 v0, v6", NORN_ERROR_TRAP,
              "instruction 1: V_MOVRELS_B32: the number of a vector register exceeds 255");
  expect_trap(VI, "v_movreld_b32 v6, v0", NORN_ERROR_TRAP, "exceeds 255");
  state->s[NORN_GCN_M0] = 2u << 16 | 1024;
  expect_trap(VI, "v_mov_b32 v0, lds_direct", NORN_ERROR_TRAP, "past the end of LDS");
  state->s[NORN_GCN_M0] = 2u << 16 | 2;
  expect_trap(VI, "v_mov_b32 v0, lds_direct", NORN_ERROR_TRAP, "unaligned");
  state->s[NORN_GCN_M0] = 3u << 16;
  expect_trap(VI, "v_mov_b32 v0, lds_direct", NORN_ERROR_TRAP, "a valid type");
  state->primitive_count = 100;
  expect_trap(VI, "v_interp_mov_f32 v0, p0, attr5.x", NORN_ERROR_TRAP, "the attribute is past");
  state->primitive_count = 1;
  state->lds_words = 12;
  expect_trap(VI, "v_interp_mov_f32 v0, p0, attr1.x", NORN_ERROR_TRAP, "the attribute is past");
}
END_TEST

START_TEST(programs_are_whole_legal_words) {
  static const uint8_t words[16] = {0};
  GError *error = NULL;
  ck_assert(!norn_gcn_run(state, VI, words, 12, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  ck_assert_str_eq(error->message, "code of 12 bytes, expected a multiple of 8");
  g_clear_error(&error);
  ck_assert(!norn_gcn_run(state, VI, words, 8, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID));
  g_clear_error(&error);
  ck_assert(norn_gcn_run(state, VI, words, 0, &error));
}
END_TEST

/* Every legal word either runs or traps, whatever the contents of the registers are. */
START_TEST(random_programs_do_no_harm) {
  uint64_t random_state = 0x9e3779b97f4a7c15;
  unsigned ran = 0;
  for (unsigned i = 0; i < 40000; i++) {
    uint64_t random = norn_random_next(&random_state);
    uint64_t word = (random ^ random >> 29) & ~(UINT64_C(0x3f) << 26);
    word |= UINT64_C(0x34) << 26;
    if (i % 8) { /* most words with random sources break a rule: vector registers, few modifiers */
      word |= (UINT64_C(1) << 40) | (UINT64_C(1) << 49) | (UINT64_C(1) << 58);
      word &= ~(UINT64_C(0x1f) << 59) & ~UINT64_C(0xff00);
    }
    NornGcnDecoded inst;
    unsigned architecture = i / 2 % 4;
    if (!norn_gcn_decode(architecture, word, &inst, NULL))
      continue;
    state->v[random % 256][random >> 32 & 63] = (uint32_t)(random >> 20);
    state->mode = (uint32_t)(random >> 40);
    ran += norn_gcn_execute(state, &inst, NULL);
    state->s[NORN_GCN_EXEC] |= 1;
  }
  ck_assert_uint_gt(ran, 1000);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("gcn wave");
  TCase *tcase = tcase_create("wave");
  tcase_add_checked_fixture(tcase, setup, teardown);
  tcase_add_loop_test(tcase, computes_the_row, 0, G_N_ELEMENTS(rows));
  tcase_add_test(tcase, exec_chooses_the_lanes);
  tcase_add_test(tcase, comparisons_clear_lanes_that_are_off);
  tcase_add_test(tcase, float_relations_know_unordered);
  tcase_add_test(tcase, every_type_is_compared);
  tcase_add_test(tcase, each_class_has_a_bit);
  tcase_add_test(tcase, carries_go_through_scalar_pairs);
  tcase_add_test(tcase, scalar_results_come_after_all_lanes);
  tcase_add_test(tcase, conditions_are_sources);
  tcase_add_test(tcase, lanes_are_read_and_written_regardless_of_exec);
  tcase_add_test(tcase, lanes_below_are_counted);
  tcase_add_test(tcase, m0_moves_register_numbers);
  tcase_add_test(tcase, division_scales_back);
  tcase_add_test(tcase, wide_operands);
  tcase_add_test(tcase, doubles_have_their_own_mode);
  tcase_add_test(tcase, trig_preop_delivers_two_over_pi);
  tcase_add_test(tcase, lds_direct_has_types);
  tcase_add_test(tcase, interpolates_attributes);
  tcase_add_test(tcase, interpolates_halves);
  tcase_add_test(tcase, missing_registers_and_memory_trap);
  tcase_add_test(tcase, programs_are_whole_legal_words);
  tcase_add_test(tcase, random_programs_do_no_harm);
  suite_add_tcase(suite, tcase);
  return suite;
}
