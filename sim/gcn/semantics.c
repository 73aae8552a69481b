/* The table of GCN instructions.
 *
 * One row per instruction: name, result type, source types, function. The functions on one lane
 * are in integer.c, float.c, cube.c, convert.c, compare.c and interpolate.c; those on the whole
 * wave are here. */
#include "sim/gcn/lane.h"
#include "sim/gcn/sources.h"
#include <norn/gcn.h>

bool
norn_gcn_is_float(NornGcnType type) {
  return type == NORN_GCN_F16 || type == NORN_GCN_F32 || type == NORN_GCN_F64;
}

NornFloatFormat
norn_gcn_format(NornGcnType type) {
  return type == NORN_GCN_F16   ? NORN_FLOAT_16
         : type == NORN_GCN_F32 ? NORN_FLOAT_32
                                : NORN_FLOAT_64;
}

NornFloatMode
norn_gcn_mode(uint32_t mode, NornFloatFormat format) {
  static const NornRoundMode rounds[4] = {NORN_ROUND_NEAREST_EVEN, NORN_ROUND_UP, NORN_ROUND_DOWN,
                                          NORN_ROUND_ZERO};
  bool single = format == NORN_FLOAT_32;
  unsigned round = mode >> (single ? NORN_GCN_MODE_ROUND_32 : NORN_GCN_MODE_ROUND_64) & 3;
  unsigned keep = mode >> (single ? NORN_GCN_MODE_DENORMAL_32 : NORN_GCN_MODE_DENORMAL_64) & 3;
  return (NornFloatMode){rounds[round], !(keep & 1), !(keep & 2)};
}

/* --- Across lanes --- */

static bool
read_lane(NornGcnState *state, const NornGcnDecoded *inst, GError **error) {
  uint32_t lane;
  if (inst->src[0] < 256) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_TRAP, "readlane: source %u is not a vector register",
                inst->src[0]);
    return false;
  }
  if (!norn_gcn_read_scalar(state, inst->src[1], &lane, error))
    return false;
  if (inst->vdst < NORN_GCN_SCALARS)
    state->s[inst->vdst] = state->v[inst->src[0] - 256][lane % NORN_GCN_LANES];
  return true;
}

static bool
write_lane(NornGcnState *state, const NornGcnDecoded *inst, GError **error) {
  uint32_t value, lane;
  if (!norn_gcn_read_scalar(state, inst->src[0], &value, error) ||
      !norn_gcn_read_scalar(state, inst->src[1], &lane, error))
    return false;
  state->v[inst->vdst][lane % NORN_GCN_LANES] = value;
  return true;
}

/* Exceptions are not recorded. */
static bool
do_nothing(NornGcnState *state, const NornGcnDecoded *inst, GError **error) {
  (void)state, (void)inst, (void)error;
  return true;
}

/* --- The table --- */

#define T(type) NORN_GCN_##type
#define ROW1(name, result, a, function)                                                            \
  [NORN_GCN_##name] = {T(result), {T(a)}, 0, 0, norn_gcn_lane_##function, NULL}
#define ROW2(name, result, a, b, function)                                                         \
  [NORN_GCN_##name] = {T(result), {T(a), T(b)}, 0, 0, norn_gcn_lane_##function, NULL}
#define ROW3(name, result, a, b, c, function)                                                      \
  [NORN_GCN_##name] = {T(result), {T(a), T(b), T(c)}, 0, 0, norn_gcn_lane_##function, NULL}
#define ROWF(name, result, a, b, c, flags, function)                                               \
  [NORN_GCN_##name] = {T(result), {T(a), T(b), T(c)}, flags, 0, norn_gcn_lane_##function, NULL}
#define ROWW(name, function) [NORN_GCN_##name] = {T(NONE), {T(NONE)}, 0, 0, NULL, function}

/* The relations for which a comparison is true. */
#define LT (1 << NORN_RELATION_LESS)
#define EQ (1 << NORN_RELATION_EQUAL)
#define GT (1 << NORN_RELATION_GREATER)
#define UN (1 << NORN_RELATION_UNORDERED)

#define COMPARE(prefix, relation, type, holds, flags, function)                                    \
  [NORN_GCN_V_##prefix##_##relation##_##                                                           \
      type] = {T(MASK), {T(type), T(type)}, flags, holds, norn_gcn_lane_##function, NULL}
#define CLASSIFY(prefix, type, flags)                                                              \
  [NORN_GCN_V_##prefix##_CLASS_##                                                                  \
      type] = {T(MASK), {T(type), T(U32)}, flags, 0, norn_gcn_lane_classify, NULL}

#define FLOAT_RELATIONS(prefix, type, flags)                                                       \
  COMPARE(prefix, F, type, 0, flags, compare_floats),                                              \
      COMPARE(prefix, LT, type, LT, flags, compare_floats),                                        \
      COMPARE(prefix, EQ, type, EQ, flags, compare_floats),                                        \
      COMPARE(prefix, LE, type, LT | EQ, flags, compare_floats),                                   \
      COMPARE(prefix, GT, type, GT, flags, compare_floats),                                        \
      COMPARE(prefix, LG, type, LT | GT, flags, compare_floats),                                   \
      COMPARE(prefix, GE, type, GT | EQ, flags, compare_floats),                                   \
      COMPARE(prefix, O, type, LT | EQ | GT, flags, compare_floats),                               \
      COMPARE(prefix, U, type, UN, flags, compare_floats),                                         \
      COMPARE(prefix, NGE, type, LT | UN, flags, compare_floats),                                  \
      COMPARE(prefix, NLG, type, EQ | UN, flags, compare_floats),                                  \
      COMPARE(prefix, NGT, type, LT | EQ | UN, flags, compare_floats),                             \
      COMPARE(prefix, NLE, type, GT | UN, flags, compare_floats),                                  \
      COMPARE(prefix, NEQ, type, LT | GT | UN, flags, compare_floats),                             \
      COMPARE(prefix, NLT, type, EQ | GT | UN, flags, compare_floats),                             \
      COMPARE(prefix, TRU, type, LT | EQ | GT | UN, flags, compare_floats)

#define INT_RELATIONS(prefix, type, flags, function)                                               \
  COMPARE(prefix, F, type, 0, flags, function), COMPARE(prefix, LT, type, LT, flags, function),    \
      COMPARE(prefix, EQ, type, EQ, flags, function),                                              \
      COMPARE(prefix, LE, type, LT | EQ, flags, function),                                         \
      COMPARE(prefix, GT, type, GT, flags, function),                                              \
      COMPARE(prefix, NE, type, LT | GT, flags, function),                                         \
      COMPARE(prefix, GE, type, GT | EQ, flags, function),                                         \
      COMPARE(prefix, T, type, LT | EQ | GT, flags, function)

/* All comparisons of one kind: plain ones, and "X" ones that also write EXEC. Signaling ones
 * ("S") compare the same way. */
#define COMPARISONS(plain, signaling, flags)                                                       \
  FLOAT_RELATIONS(plain, F16, flags), FLOAT_RELATIONS(plain, F32, flags),                          \
      FLOAT_RELATIONS(plain, F64, flags), FLOAT_RELATIONS(signaling, F32, flags),                  \
      FLOAT_RELATIONS(signaling, F64, flags), INT_RELATIONS(plain, I16, flags, compare_signed),    \
      INT_RELATIONS(plain, I32, flags, compare_signed),                                            \
      INT_RELATIONS(plain, I64, flags, compare_signed),                                            \
      INT_RELATIONS(plain, U16, flags, compare_unsigned),                                          \
      INT_RELATIONS(plain, U32, flags, compare_unsigned),                                          \
      INT_RELATIONS(plain, U64, flags, compare_unsigned), CLASSIFY(plain, F16, flags),             \
      CLASSIFY(plain, F32, flags), CLASSIFY(plain, F64, flags)

#define FLUSH NORN_GCN_FLUSH
#define MAC (NORN_GCN_FLUSH | NORN_GCN_ACCUMULATE)

static const NornGcnSemantics table[NORN_GCN_INSTRUCTION_COUNT] = {
    /* VOP3 of three sources, in the order of the opcodes */
    ROWF(V_MAD_LEGACY_F32, F32, F32, F32, F32, FLUSH, float_mad_legacy),
    ROWF(V_MAD_F32, F32, F32, F32, F32, FLUSH, float_mad),
    ROW3(V_MAD_I32_I24, I32, I24, I24, I32, multiply_add),
    ROW3(V_MAD_U32_U24, U32, U24, U24, U32, multiply_add),
    ROW3(V_CUBEID_F32, F32, F32, F32, F32, cube_id),
    ROW3(V_CUBESC_F32, F32, F32, F32, F32, cube_s),
    ROW3(V_CUBETC_F32, F32, F32, F32, F32, cube_t),
    ROW3(V_CUBEMA_F32, F32, F32, F32, F32, cube_major),
    ROW3(V_BFE_U32, U32, U32, U32, U32, extract_unsigned),
    ROW3(V_BFE_I32, I32, U32, U32, U32, extract_signed),
    ROW3(V_BFI_B32, U32, U32, U32, U32, bit_insert),
    ROW3(V_FMA_F32, F32, F32, F32, F32, float_fma),
    ROW3(V_FMA_F64, F64, F64, F64, F64, float_fma),
    ROW3(V_LERP_U8, U32, U32, U32, U32, average_bytes),
    ROW3(V_ALIGNBIT_B32, U32, U32, U32, U32, align_bit),
    ROW3(V_ALIGNBYTE_B32, U32, U32, U32, U32, align_byte),
    ROW3(V_MULLIT_F32, F32, F32, F32, F32, float_multiply_lit),
    ROW3(V_MIN3_F32, F32, F32, F32, F32, float_minimum3),
    ROW3(V_MIN3_I32, I32, I32, I32, I32, minimum3),
    ROW3(V_MIN3_U32, U32, U32, U32, U32, minimum3),
    ROW3(V_MAX3_F32, F32, F32, F32, F32, float_maximum3),
    ROW3(V_MAX3_I32, I32, I32, I32, I32, maximum3),
    ROW3(V_MAX3_U32, U32, U32, U32, U32, maximum3),
    ROW3(V_MED3_F32, F32, F32, F32, F32, float_median3),
    ROW3(V_MED3_I32, I32, I32, I32, I32, median3),
    ROW3(V_MED3_U32, U32, U32, U32, U32, median3),
    ROW3(V_SAD_U8, U32, U32, U32, U32, sad_u8),
    ROW3(V_SAD_HI_U8, U32, U32, U32, U32, sad_hi_u8),
    ROW3(V_SAD_U16, U32, U32, U32, U32, sad_u16),
    ROW3(V_SAD_U32, U32, U32, U32, U32, sad_u32),
    ROW3(V_CVT_PK_U8_F32, U32, F32, U32, U32, pack_byte),
    ROW3(V_DIV_FIXUP_F32, F32, F32, F32, F32, division_fixup),
    ROW3(V_DIV_FIXUP_F64, F64, F64, F64, F64, division_fixup),
    ROW2(V_LSHL_B64, U64, U64, U32, shift_left_64),
    ROW2(V_LSHR_B64, U64, U64, U32, shift_right_64),
    ROW2(V_ASHR_I64, I64, I64, U32, shift_right_signed_64),
    ROW2(V_ADD_F64, F64, F64, F64, float_add),
    ROW2(V_MUL_F64, F64, F64, F64, float_multiply),
    ROW2(V_MIN_F64, F64, F64, F64, float_minimum),
    ROW2(V_MAX_F64, F64, F64, F64, float_maximum),
    ROW2(V_LDEXP_F64, F64, F64, I32, float_ldexp),
    ROW2(V_MUL_LO_U32, U32, U32, U32, multiply_low),
    ROW2(V_MUL_HI_U32, U32, U32, U32, multiply_high_unsigned),
    ROW2(V_MUL_LO_I32, U32, U32, U32, multiply_low),
    ROW2(V_MUL_HI_I32, I32, I32, I32, multiply_high_signed),
    ROW3(V_DIV_SCALE_F32, F32, F32, F32, F32, division_scale),
    ROW3(V_DIV_SCALE_F64, F64, F64, F64, F64, division_scale),
    ROW3(V_DIV_FMAS_F32, F32, F32, F32, F32, division_fmas),
    ROW3(V_DIV_FMAS_F64, F64, F64, F64, F64, division_fmas),
    ROW3(V_MSAD_U8, U32, U32, U32, U32, msad_u8),
    ROW3(V_QSAD_U8, U64, U64, U32, U64, qsad_pk_u16),
    ROW3(V_QSAD_PK_U16_U8, U64, U64, U32, U64, qsad_pk_u16),
    ROW3(V_MQSAD_U8, U64, U64, U32, U64, mqsad_pk_u16),
    ROW3(V_MQSAD_PK_U16_U8, U64, U64, U32, U64, mqsad_pk_u16),
    ROW3(V_MQSAD_U32_U8, U128, U64, U32, U128, mqsad_u32),
    ROW2(V_TRIG_PREOP_F64, F64, F64, U32, trig_preop),
    ROW3(V_MAD_U64_U32, U64, U32, U32, U64, multiply_add_u64),
    ROW3(V_MAD_I64_I32, I64, I32, I32, I64, multiply_add_i64),
    ROWF(V_MAD_F16, F16, F16, F16, F16, FLUSH, float_mad),
    ROW3(V_MAD_U16, U16, U16, U16, U16, multiply_add),
    ROW3(V_MAD_I16, I16, I16, I16, I16, multiply_add),
    ROWF(V_MAD_LEGACY_F16, F16, F16, F16, F16, FLUSH, float_mad),
    ROW3(V_MAD_LEGACY_U16, U16, U16, U16, U16, multiply_add),
    ROW3(V_MAD_LEGACY_I16, I16, I16, I16, I16, multiply_add),
    ROW3(V_PERM_B32, U32, U32, U32, U32, permute_bytes),
    ROW3(V_FMA_F16, F16, F16, F16, F16, float_fma),
    ROW3(V_FMA_LEGACY_F16, F16, F16, F16, F16, float_fma),
    ROW3(V_DIV_FIXUP_F16, F16, F16, F16, F16, division_fixup),
    ROW3(V_DIV_FIXUP_LEGACY_F16, F16, F16, F16, F16, division_fixup),
    ROW2(V_CVT_PKACCUM_U8_F32, U32, F32, U32, accumulate_byte),
    ROW3(V_MAD_U32_U16, U32, U16, U16, U32, multiply_add),
    ROW3(V_MAD_I32_I16, I32, I16, I16, I32, multiply_add),
    ROW3(V_XAD_U32, U32, U32, U32, U32, xor_add),
    ROW3(V_MIN3_F16, F16, F16, F16, F16, float_minimum3),
    ROW3(V_MIN3_I16, I16, I16, I16, I16, minimum3),
    ROW3(V_MIN3_U16, U16, U16, U16, U16, minimum3),
    ROW3(V_MAX3_F16, F16, F16, F16, F16, float_maximum3),
    ROW3(V_MAX3_I16, I16, I16, I16, I16, maximum3),
    ROW3(V_MAX3_U16, U16, U16, U16, U16, maximum3),
    ROW3(V_MED3_F16, F16, F16, F16, F16, float_median3),
    ROW3(V_MED3_I16, I16, I16, I16, I16, median3),
    ROW3(V_MED3_U16, U16, U16, U16, U16, median3),
    ROW3(V_LSHL_ADD_U32, U32, U32, U32, U32, shift_left_add),
    ROW3(V_ADD_LSHL_U32, U32, U32, U32, U32, add_shift_left),
    ROW3(V_ADD3_U32, U32, U32, U32, U32, add3),
    ROW3(V_LSHL_OR_B32, U32, U32, U32, U32, shift_left_or),
    ROW3(V_AND_OR_B32, U32, U32, U32, U32, and_or),
    ROW3(V_OR3_B32, U32, U32, U32, U32, or3),

    /* interpolation: the coordinate is the second source, VSRC1 the third */
    ROW2(V_INTERP_P1_F32, F32, NONE, F32, interp_p1),
    ROW2(V_INTERP_P2_F32, F32, NONE, F32, interp_p2),
    ROW1(V_INTERP_MOV_F32, F32, NONE, interp_mov),
    ROW2(V_INTERP_P1LL_F16, F32, NONE, F32, interp_p1ll),
    ROW3(V_INTERP_P1LV_F16, F32, NONE, F32, U32, interp_p1lv),
    ROW3(V_INTERP_P2_F16, F16, NONE, F32, F32, interp_p2_half),
    ROW3(V_INTERP_P2_F16_LEGACY, F16, NONE, F32, F32, interp_p2_half),

    /* VOP3 instructions of two sources that have no shorter encoding */
    ROW2(V_LDEXP_F32, F32, F32, I32, float_ldexp),
    ROWW(V_READLANE_B32, read_lane),
    ROWW(V_READLANE_REGRD_B32, read_lane),
    ROWW(V_WRITELANE_B32, write_lane),
    ROW2(V_BCNT_U32_B32, U32, U32, U32, count_add),
    ROW2(V_MBCNT_LO_U32_B32, U32, U32, U32, count_below_low),
    ROW2(V_MBCNT_HI_U32_B32, U32, U32, U32, count_below_high),
    ROWF(V_MAC_LEGACY_F32, F32, F32, F32, F32, MAC | NORN_GCN_KEEP, float_mac_legacy),
    ROW2(V_LSHLREV_B64, U64, U32, U64, shift_left_reversed_64),
    ROW2(V_LSHRREV_B64, U64, U32, U64, shift_right_reversed_64),
    ROW2(V_ASHRREV_I64, I64, U32, I64, shift_right_signed_reversed_64),
    ROW2(V_BFM_B32, U32, U32, U32, bit_mask),
    ROW2(V_CVT_PKNORM_I16_F32, U32, F32, F32, normalize_i16_f32),
    ROW2(V_CVT_PKNORM_U16_F32, U32, F32, F32, normalize_u16_f32),
    ROW2(V_CVT_PKRTZ_F16_F32, U32, F32, F32, pack_half_toward_zero),
    ROW2(V_CVT_PK_U16_U32, U32, U32, U32, pack_unsigned),
    ROW2(V_CVT_PK_I16_I32, U32, U32, U32, pack_signed),
    ROW2(V_CVT_PKNORM_I16_F16, U32, F16, F16, normalize_i16_f16),
    ROW2(V_CVT_PKNORM_U16_F16, U32, F16, F16, normalize_u16_f16),
    ROW2(V_ADD_I32, I32, I32, I32, add),
    ROW2(V_SUB_I32, I32, I32, I32, subtract),
    ROW2(V_ADD_I16, I16, I16, I16, add),
    ROW2(V_SUB_I16, I16, I16, I16, subtract),
    ROW2(V_PACK_B32_F16, U32, F16, F16, pack),

    /* VOP2 */
    ROW3(V_CNDMASK_B32, U32, U32, U32, MASK, select_by_mask),
    ROW2(V_ADD_F32, F32, F32, F32, float_add),
    ROW2(V_SUB_F32, F32, F32, F32, float_subtract),
    ROW2(V_SUBREV_F32, F32, F32, F32, float_subtract_reversed),
    ROW2(V_MUL_LEGACY_F32, F32, F32, F32, float_multiply_legacy),
    ROW2(V_MUL_F32, F32, F32, F32, float_multiply),
    ROW2(V_MUL_I32_I24, U32, I24, I24, multiply_low),
    ROW2(V_MUL_HI_I32_I24, I32, I24, I24, multiply_high_signed),
    ROW2(V_MUL_U32_U24, U32, U24, U24, multiply_low),
    ROW2(V_MUL_HI_U32_U24, U32, U24, U24, multiply_high_unsigned),
    ROW2(V_MIN_LEGACY_F32, F32, F32, F32, float_minimum_legacy),
    ROW2(V_MAX_LEGACY_F32, F32, F32, F32, float_maximum_legacy),
    ROW2(V_MIN_F32, F32, F32, F32, float_minimum),
    ROW2(V_MAX_F32, F32, F32, F32, float_maximum),
    ROW2(V_MIN_I32, I32, I32, I32, minimum),
    ROW2(V_MAX_I32, I32, I32, I32, maximum),
    ROW2(V_MIN_U32, U32, U32, U32, minimum),
    ROW2(V_MAX_U32, U32, U32, U32, maximum),
    ROW2(V_LSHR_B32, U32, U32, U32, shift_right),
    ROW2(V_LSHRREV_B32, U32, U32, U32, shift_right_reversed),
    ROW2(V_ASHR_I32, I32, I32, U32, shift_right),
    ROW2(V_ASHRREV_I32, I32, U32, I32, shift_right_reversed),
    ROW2(V_LSHL_B32, U32, U32, U32, shift_left),
    ROW2(V_LSHLREV_B32, U32, U32, U32, shift_left_reversed),
    ROW2(V_AND_B32, U32, U32, U32, bit_and),
    ROW2(V_OR_B32, U32, U32, U32, bit_or),
    ROW2(V_XOR_B32, U32, U32, U32, bit_xor),
    ROWF(V_MAC_F32, F32, F32, F32, F32, MAC, float_mad),
    ROWF(V_MAC_F16, F16, F16, F16, F16, MAC, float_mad),
    ROW2(V_SUBREV_I32, I32, I32, I32, subtract_reversed),
    ROW2(V_ADD_U32, U32, U32, U32, add),
    ROW2(V_SUB_U32, U32, U32, U32, subtract),
    ROW2(V_SUBREV_U32, U32, U32, U32, subtract_reversed),
    ROW2(V_ADD_CO_U32, U32, U32, U32, add),
    ROW2(V_SUB_CO_U32, U32, U32, U32, subtract),
    ROW2(V_SUBREV_CO_U32, U32, U32, U32, subtract_reversed),
    ROW3(V_ADDC_U32, U32, U32, U32, MASK, add_carry),
    ROW3(V_SUBB_U32, U32, U32, U32, MASK, subtract_borrow),
    ROW3(V_SUBBREV_U32, U32, U32, U32, MASK, subtract_borrow_reversed),
    ROW3(V_ADDC_CO_U32, U32, U32, U32, MASK, add_carry),
    ROW3(V_SUBB_CO_U32, U32, U32, U32, MASK, subtract_borrow),
    ROW3(V_SUBBREV_CO_U32, U32, U32, U32, MASK, subtract_borrow_reversed),
    ROW2(V_ADD_F16, F16, F16, F16, float_add),
    ROW2(V_SUB_F16, F16, F16, F16, float_subtract),
    ROW2(V_SUBREV_F16, F16, F16, F16, float_subtract_reversed),
    ROW2(V_MUL_F16, F16, F16, F16, float_multiply),
    ROW2(V_ADD_U16, U16, U16, U16, add),
    ROW2(V_SUB_U16, U16, U16, U16, subtract),
    ROW2(V_SUBREV_U16, U16, U16, U16, subtract_reversed),
    ROW2(V_MUL_LO_U16, U16, U16, U16, multiply_low_16),
    ROW2(V_LSHLREV_B16, U16, U16, U16, shift_left_reversed_16),
    ROW2(V_LSHRREV_B16, U16, U16, U16, shift_right_reversed_16),
    ROW2(V_ASHRREV_I16, I16, U16, I16, shift_right_reversed_16),
    ROW2(V_MAX_F16, F16, F16, F16, float_maximum),
    ROW2(V_MIN_F16, F16, F16, F16, float_minimum),
    ROW2(V_MAX_U16, U16, U16, U16, maximum),
    ROW2(V_MAX_I16, I16, I16, I16, maximum),
    ROW2(V_MIN_U16, U16, U16, U16, minimum),
    ROW2(V_MIN_I16, I16, I16, I16, minimum),
    ROW2(V_LDEXP_F16, F16, F16, I16, float_ldexp),

    /* VOP1 */
    ROWW(V_NOP, do_nothing),
    ROWW(V_CLREXCP, do_nothing),
    ROW1(V_MOV_B32, U32, U32, copy),
    ROW1(V_CVT_I32_F64, U32, F64, float_to_i32),
    ROW1(V_CVT_F64_I32, F64, I32, float_from_signed),
    ROW1(V_CVT_F32_I32, F32, I32, float_from_signed),
    ROW1(V_CVT_F32_U32, F32, U32, float_from_unsigned),
    ROW1(V_CVT_U32_F32, U32, F32, float_to_u32),
    ROW1(V_CVT_I32_F32, U32, F32, float_to_i32),
    ROW1(V_CVT_F16_F32, F16, F32, f16_from_f32),
    ROW1(V_CVT_F32_F16, F32, F16, f32_from_f16),
    ROW1(V_CVT_RPI_I32_F32, U32, F32, float_to_i32_half_up),
    ROW1(V_CVT_FLR_I32_F32, U32, F32, float_to_i32_floor),
    ROW1(V_CVT_OFF_F32_I4, F32, U32, float_from_nibble),
    ROW1(V_CVT_F32_F64, F32, F64, f32_from_f64),
    ROW1(V_CVT_F64_F32, F64, F32, f64_from_f32),
    ROW1(V_CVT_F32_UBYTE0, F32, U32, float_from_byte0),
    ROW1(V_CVT_F32_UBYTE1, F32, U32, float_from_byte1),
    ROW1(V_CVT_F32_UBYTE2, F32, U32, float_from_byte2),
    ROW1(V_CVT_F32_UBYTE3, F32, U32, float_from_byte3),
    ROW1(V_CVT_U32_F64, U32, F64, float_to_u32),
    ROW1(V_CVT_F64_U32, F64, U32, float_from_unsigned),
    ROW1(V_TRUNC_F64, F64, F64, float_truncate),
    ROW1(V_CEIL_F64, F64, F64, float_ceil),
    ROW1(V_RNDNE_F64, F64, F64, float_round_even),
    ROW1(V_FLOOR_F64, F64, F64, float_floor),
    ROW1(V_FRACT_F32, F32, F32, float_fract),
    ROW1(V_TRUNC_F32, F32, F32, float_truncate),
    ROW1(V_CEIL_F32, F32, F32, float_ceil),
    ROW1(V_RNDNE_F32, F32, F32, float_round_even),
    ROW1(V_FLOOR_F32, F32, F32, float_floor),
    ROW1(V_EXP_F32, F32, F32, float_exp2),
    ROW1(V_LOG_CLAMP_F32, F32, F32, log2_clamp),
    ROW1(V_LOG_F32, F32, F32, float_log2),
    ROW1(V_RCP_CLAMP_F32, F32, F32, reciprocal_clamp),
    ROW1(V_RCP_LEGACY_F32, F32, F32, reciprocal_legacy),
    ROW1(V_RCP_F32, F32, F32, float_reciprocal),
    ROW1(V_RCP_IFLAG_F32, F32, F32, float_reciprocal),
    ROW1(V_RSQ_CLAMP_F32, F32, F32, reciprocal_sqrt_clamp),
    ROW1(V_RSQ_LEGACY_F32, F32, F32, reciprocal_sqrt_legacy),
    ROW1(V_RSQ_F32, F32, F32, float_reciprocal_sqrt),
    ROW1(V_RCP_F64, F64, F64, float_reciprocal),
    ROW1(V_RCP_CLAMP_F64, F64, F64, reciprocal_clamp),
    ROW1(V_RSQ_F64, F64, F64, float_reciprocal_sqrt),
    ROW1(V_RSQ_CLAMP_F64, F64, F64, reciprocal_sqrt_clamp),
    ROW1(V_SQRT_F32, F32, F32, float_sqrt),
    ROW1(V_SQRT_F64, F64, F64, float_sqrt),
    ROW1(V_SIN_F32, F32, F32, float_sin),
    ROW1(V_COS_F32, F32, F32, float_cos),
    ROW1(V_NOT_B32, U32, U32, bit_not),
    ROW1(V_BFREV_B32, U32, U32, bit_reverse),
    ROW1(V_FFBH_U32, U32, U32, find_high_unsigned),
    ROW1(V_FFBL_B32, U32, U32, find_low),
    ROW1(V_FFBH_I32, U32, U32, find_high_signed),
    ROW1(V_FREXP_EXP_I32_F64, I32, F64, float_frexp_exponent),
    ROW1(V_FREXP_MANT_F64, F64, F64, float_frexp_mantissa),
    ROW1(V_FRACT_F64, F64, F64, float_fract),
    ROW1(V_FREXP_EXP_I32_F32, I32, F32, float_frexp_exponent),
    ROW1(V_FREXP_MANT_F32, F32, F32, float_frexp_mantissa),
    ROWF(V_MOVRELD_B32, U32, U32, NONE, NONE, NORN_GCN_RELATIVE_DST, copy),
    ROWF(V_MOVRELS_B32, U32, U32, NONE, NONE, NORN_GCN_RELATIVE_SRC, copy),
    ROWF(V_MOVRELSD_B32, U32, U32, NONE, NONE, NORN_GCN_RELATIVE_SRC | NORN_GCN_RELATIVE_DST, copy),
    ROW1(V_LOG_LEGACY_F32, F32, F32, float_log2),
    ROW1(V_EXP_LEGACY_F32, F32, F32, float_exp2),
    ROW1(V_CVT_F16_U16, F16, U16, float_from_unsigned),
    ROW1(V_CVT_F16_I16, F16, I16, float_from_signed),
    ROW1(V_CVT_U16_F16, U16, F16, float_to_u16),
    ROW1(V_CVT_I16_F16, U16, F16, float_to_i16),
    ROW1(V_RCP_F16, F16, F16, float_reciprocal),
    ROW1(V_SQRT_F16, F16, F16, float_sqrt),
    ROW1(V_RSQ_F16, F16, F16, float_reciprocal_sqrt),
    ROW1(V_LOG_F16, F16, F16, float_log2),
    ROW1(V_EXP_F16, F16, F16, float_exp2),
    ROW1(V_FREXP_MANT_F16, F16, F16, float_frexp_mantissa),
    ROW1(V_FREXP_EXP_I16_F16, I16, F16, float_frexp_exponent),
    ROW1(V_FLOOR_F16, F16, F16, float_floor),
    ROW1(V_CEIL_F16, F16, F16, float_ceil),
    ROW1(V_TRUNC_F16, F16, F16, float_truncate),
    ROW1(V_RNDNE_F16, F16, F16, float_round_even),
    ROW1(V_FRACT_F16, F16, F16, float_fract),
    ROW1(V_SIN_F16, F16, F16, float_sin),
    ROW1(V_COS_F16, F16, F16, float_cos),
    ROW1(V_CVT_NORM_I16_F16, U16, F16, normalize_one_i16_f16),
    ROW1(V_CVT_NORM_U16_F16, U16, F16, normalize_one_u16_f16),
    ROW1(V_SAT_PK_U8_I16, U16, U32, saturate_bytes),
    ROW1(V_SCREEN_PARTITION_4SE_B32, U32, U32, screen_partition),

    COMPARISONS(CMP, CMPS, 0),
    COMPARISONS(CMPX, CMPSX, NORN_GCN_WRITE_EXEC),
};

const NornGcnSemantics *
norn_gcn_semantics(unsigned instruction) {
  return &table[instruction];
}
