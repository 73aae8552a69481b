/* What the ALU instructions compute, lane by lane: the table, whose functions are in integer.c,
 * logic.c, compare.c, float.c, convert.c, elementary.c and cube.c.
 *
 * Where the hardware's behavior is not public, the choice is a named constant or function with a
 * comment that says so. Instructions whose behavior is unknown have no row and are refused when
 * decoded. */
#include "sim/valhall/lane.h"
#include <norn/valhall.h>

/* The rows' names for types and flags. */
enum {
  NO_LANE = NORN_VALHALL_LANE_NONE,
  U8 = NORN_VALHALL_LANE_U8,
  S8 = NORN_VALHALL_LANE_S8,
  U16 = NORN_VALHALL_LANE_U16,
  S16 = NORN_VALHALL_LANE_S16,
  U32 = NORN_VALHALL_LANE_U32,
  S32 = NORN_VALHALL_LANE_S32,
  U64 = NORN_VALHALL_LANE_U64,
  S64 = NORN_VALHALL_LANE_S64,
  F16 = NORN_VALHALL_LANE_F16,
  F32 = NORN_VALHALL_LANE_F32,
  RAW_FLOATS = NORN_VALHALL_ROW_RAW_FLOATS,
  NARROWS = NORN_VALHALL_ROW_NARROWS,
  SCALAR_HALF = NORN_VALHALL_ROW_SCALAR_HALF,
  SOURCE_PER_LANE = NORN_VALHALL_ROW_SOURCE_PER_LANE,
  IMMEDIATE = NORN_VALHALL_ROW_IMMEDIATE,
  EXCHANGE = NORN_VALHALL_ROW_EXCHANGE,
  FLUSHES = NORN_VALHALL_ROW_FLUSHES,
  KEEPS_SINCE_11 = NORN_VALHALL_ROW_KEEPS_SINCE_11,
  EXCHANGE_PERMUTE = NORN_VALHALL_EXCHANGE_PERMUTE,
  EXCHANGE_BALLOT = NORN_VALHALL_EXCHANGE_BALLOT,
};

const NornValhallLaneInfo norn_valhall_lanes[NORN_VALHALL_LANE_TYPE_COUNT] = {
    [U8] = {8},
    [S8] = {8, true},
    [U16] = {16},
    [S16] = {16, true},
    [U32] = {32},
    [S32] = {32, true},
    [U64] = {64},
    [S64] = {64, true},
    [F16] = {16, true, true, NORN_FLOAT_16},
    [F32] = {32, true, true, NORN_FLOAT_32},
};

/* --- The table --- */

#define norn_valhall_NO_FUNCTION_of_warp NULL
#define ROW(id, function, parameter, flags, lanes, result, ...)                                    \
  [NORN_VALHALL_##                                                                                 \
      id] = {norn_valhall_##function##_of_warp, parameter, flags, lanes, result, {__VA_ARGS__}}
/* Families: the same function on lanes of several types, all sources alike. */
#define ROWS_UNSIGNED(name, function, ...)                                                         \
  ROW(name##_U32, function, 0, 0, 1, U32, __VA_ARGS__(U32)),                                       \
      ROW(name##_V2U16, function, 0, 0, 2, U16, __VA_ARGS__(U16)),                                 \
      ROW(name##_V4U8, function, 0, 0, 4, U8, __VA_ARGS__(U8))
#define ROWS_SIGNED(name, function, ...)                                                           \
  ROW(name##_S32, function, 0, 0, 1, S32, __VA_ARGS__(S32)),                                       \
      ROW(name##_V2S16, function, 0, 0, 2, S16, __VA_ARGS__(S16)),                                 \
      ROW(name##_V4S8, function, 0, 0, 4, S8, __VA_ARGS__(S8))
#define ROWS_64(name, function)                                                                    \
  ROW(name##_U64, function, 0, 0, 1, U64, U64, U64),                                               \
      ROW(name##_S64, function, 0, 0, 1, S64, S64, S64)
#define ROWS_COMPARE(name, function)                                                               \
  ROW(name##_U32, function, 0, 0, 1, U32, U32, U32, U32),                                          \
      ROW(name##_V2U16, function, 0, 0, 2, U16, U16, U16, U16),                                    \
      ROW(name##_V4U8, function, 0, 0, 4, U8, U8, U8, U8),                                         \
      ROW(name##_S32, function, 0, 0, 1, U32, S32, S32, U32),                                      \
      ROW(name##_V2S16, function, 0, 0, 2, U16, S16, S16, U16),                                    \
      ROW(name##_V4S8, function, 0, 0, 4, U8, S8, S8, U8)
#define ROWS_SHIFT(name, shift, logic)                                                             \
  ROW(name##_I32, shift_and_combine, SHIFT_LOGIC(shift, logic), 0, 1, U32, U32, U8, U32),          \
      ROW(name##_V2I16, shift_and_combine, SHIFT_LOGIC(shift, logic), 0, 2, U16, U16, U8, U16),    \
      ROW(name##_V4I8, shift_and_combine, SHIFT_LOGIC(shift, logic), 0, 4, U8, U8, U8, U8),        \
      ROW(name##_I64, shift_and_combine, SHIFT_LOGIC(shift, logic), 0, 1, U64, U64, U8, U64)
#define TWO(type) type, type
#define ONE(type) type

static const NornValhallRow rows[] = {
    /* integers */
    ROWS_UNSIGNED(IADD, integer_add, TWO),
    ROWS_SIGNED(IADD, integer_add, TWO),
    ROWS_64(IADD, integer_add),
    ROWS_UNSIGNED(ISUB, integer_subtract, TWO),
    ROWS_SIGNED(ISUB, integer_subtract, TWO),
    ROWS_64(ISUB, integer_subtract),
    ROWS_UNSIGNED(HADD, half_add, TWO),
    ROWS_SIGNED(HADD, half_add, TWO),
    ROW(IMUL_I32, integer_multiply, 0, 0, 1, U32, U32, U32),
    ROW(IMUL_V2I16, integer_multiply, 0, 0, 2, U16, U16, U16),
    ROW(IMUL_V4I8, integer_multiply, 0, 0, 4, U8, U8, U8),
    ROWS_SIGNED(IMUL, integer_multiply, TWO),
    ROW(IMULD_U64, integer_multiply, 0, 0, 1, U64, U64, U64),
    ROW(IMUL_S64, integer_multiply, 0, 0, 1, S64, S64, S64),
    ROW(IADD_IMM_I32, integer_add, 0, IMMEDIATE, 1, U32, U32, U32),
    ROW(IADD_IMM_V2I16, integer_add, 0, IMMEDIATE, 2, U16, U16, U16),
    ROW(IADD_IMM_V4I8, integer_add, 0, IMMEDIATE, 4, U8, U8, U8),
    ROWS_SIGNED(IABS, integer_absolute, ONE),
    ROW(IDP_V4S8, dot_product, 0, 0, 1, S32, U32, U32, U32),
    ROW(IDP_V4U8, dot_product, 0, 0, 1, U32, U32, U32, U32),
    ROWS_64(SHADDX, shift_add_extended),
    ROW(SEG_ADD_U64, segment_add, 0, 0, 1, U64, U64, U64),
    ROWS_UNSIGNED(CLZ, leading_zeros, ONE),
    ROW(POPCOUNT_I32, population_count, 0, 0, 1, U32, U32),
    ROW(BITREV_I32, bit_reverse, 0, 0, 1, U32, U32),
    ROW(NOT_OLD_I32, complement, 0, 0, 1, U32, U32),
    ROW(NOT_OLD_I64, complement, 0, 0, 1, U64, U64),

    /* moves and logic */
    ROW(MOV_I32, move, 0, 0, 1, U32, U32),
    ROW(MKVEC_V2I16, pick_source_of_lane, 0, SOURCE_PER_LANE, 2, U16, U16, U16),
    ROW(MKVEC_V2I8, make_bytes, 0, 0, 1, U32, U8, U8, U16),
    ROW(AND_IMM_I32, combine_immediate, OP_AND, IMMEDIATE, 1, U32, U32, U32),
    ROW(OR_IMM_I32, combine_immediate, OP_OR, IMMEDIATE, 1, U32, U32, U32),
    ROW(XOR_IMM_I32, combine_immediate, OP_XOR, IMMEDIATE, 1, U32, U32, U32),
    ROWS_SHIFT(LSHIFT_AND, SHIFT_LEFT, OP_AND),
    ROWS_SHIFT(LSHIFT_OR, SHIFT_LEFT, OP_OR),
    ROWS_SHIFT(LSHIFT_XOR, SHIFT_LEFT, OP_XOR),
    ROWS_SHIFT(RSHIFT_AND, SHIFT_RIGHT, OP_AND),
    ROWS_SHIFT(RSHIFT_OR, SHIFT_RIGHT, OP_OR),
    ROWS_SHIFT(RSHIFT_XOR, SHIFT_RIGHT, OP_XOR),
    ROWS_SHIFT(LROT_AND, ROTATE_LEFT, OP_AND),
    ROWS_SHIFT(LROT_OR, ROTATE_LEFT, OP_OR),
    ROWS_SHIFT(LROT_XOR, ROTATE_LEFT, OP_XOR),
    ROWS_SHIFT(RROT_AND, ROTATE_RIGHT, OP_AND),
    ROWS_SHIFT(RROT_OR, ROTATE_RIGHT, OP_OR),
    ROWS_SHIFT(RROT_XOR, ROTATE_RIGHT, OP_XOR),
    ROW(MUX_I32, multiplex, 0, 0, 1, U32, U32, U32, U32),
    ROW(MUX_V2I16, multiplex, 0, 0, 2, U16, U16, U16, U16),
    ROW(MUX_V4I8, multiplex, 0, 0, 4, U8, U8, U8, U8),

    /* comparison */
    ROWS_COMPARE(ICMP_OR, compare_or),
    ROWS_COMPARE(ICMP_AND, compare_and),
    ROW(ICMP_MULTI_U32, compare_chained, 0, 0, 1, U32, U32, U32, U32),
    ROW(ICMP_MULTI_S32, compare_chained, 0, 0, 1, U32, S32, S32, U32),
    ROW(FCMP_OR_F32, compare_or, 0, 0, 1, U32, F32, F32, U32),
    ROW(FCMP_OR_V2F16, compare_or, 0, 0, 2, U16, F16, F16, U16),
    ROW(FCMP_AND_F32, compare_and, 0, 0, 1, U32, F32, F32, U32),
    ROW(FCMP_AND_V2F16, compare_and, 0, 0, 2, U16, F16, F16, U16),
    ROW(CSEL_U32, select_by_condition, 0, 0, 1, U32, U32, U32, U32, U32),
    ROW(CSEL_V2U16, select_by_condition, 0, 0, 2, U16, U16, U16, U16, U16),
    ROW(CSEL_S32, select_by_condition, 0, 0, 1, U32, S32, S32, U32, U32),
    ROW(CSEL_V2S16, select_by_condition, 0, 0, 2, U16, S16, S16, U16, U16),
    ROW(CSEL_F32, select_by_condition, 0, RAW_FLOATS, 1, U32, F32, F32, U32, U32),
    ROW(CSEL_V2F16, select_by_condition, 0, RAW_FLOATS, 2, U16, F16, F16, U16, U16),
    ROW(DISCARD_F32, test_condition, 0, 0, 1, U32, F32, F32),

    /* floats */
    ROW(FADD_F32, float_add, 0, NARROWS, 1, F32, F32, F32),
    ROW(FADD_V2F16, float_add, 0, 0, 2, F16, F16, F16),
    ROW(FADD_IMM_F32, float_add, 0, IMMEDIATE, 1, F32, F32, F32),
    ROW(FADD_IMM_V2F16, float_add, 0, IMMEDIATE, 2, F16, F16, F16),
    ROW(FMA_F32, float_fma, 0, NARROWS, 1, F32, F32, F32, F32),
    ROW(FMA_V2F16, float_fma, 0, 0, 2, F16, F16, F16, F16),
    ROW(FMIN_F32, float_minimum, 0, 0, 1, F32, F32, F32),
    ROW(FMIN_V2F16, float_minimum, 0, 0, 2, F16, F16, F16),
    ROW(FMAX_F32, float_maximum, 0, 0, 1, F32, F32, F32),
    ROW(FMAX_V2F16, float_maximum, 0, 0, 2, F16, F16, F16),
    ROW(FROUND_F32, float_round, 0, KEEPS_SINCE_11, 1, F32, F32),
    ROW(FROUND_V2F16, float_round, 0, 0, 2, F16, F16),
    ROW(FLUSH_F32, float_flush, 0, 0, 1, F32, F32),
    ROW(FLUSH_V2F16, float_flush, 0, 0, 2, F16, F16),
    ROW(LDEXP_F32, float_ldexp, 0, 0, 1, F32, F32, S32),
    ROW(LDEXP_V2F16, float_ldexp, 0, 0, 2, F16, F16, S16),
    ROW(FADD_LSCALE_F32, add_log_scaled, 0, NARROWS, 1, F32, F32, F32),
    ROW(FMA_RSCALE_F32, float_fma_scale, RSCALE, 0, 1, F32, F32, F32, F32, S32),
    ROW(FMA_RSCALE_N_F32, float_fma_scale, RSCALE_N, 0, 1, F32, F32, F32, F32, S32),
    ROW(FMA_RSCALE_LEFT_F32, float_fma_scale, RSCALE_LEFT, 0, 1, F32, F32, F32, F32, S32),
    ROW(FREXPM_F32, fraction_of, 0, 0, 1, F32, F32),
    ROW(FREXPM_V2F16, fraction_of, 0, 0, 2, F16, F16),
    ROW(FREXPE_F32, exponent_of, 0, 0, 1, S32, F32),
    ROW(FREXPE_V2F16, exponent_of, 0, 0, 2, S16, F16),

    /* conversions */
    ROW(F32_TO_S32, float_to_integer, 0, 0, 1, S32, F32),
    ROW(F32_TO_U32, float_to_integer, 0, 0, 1, U32, F32),
    ROW(F16_TO_S32, float_to_integer, 0, 0, 1, S32, F16),
    ROW(F16_TO_U32, float_to_integer, 0, 0, 1, U32, F16),
    ROW(V2F16_TO_V2S16, float_to_integer, 0, 0, 2, S16, F16),
    ROW(V2F16_TO_V2U16, float_to_integer, 0, 0, 2, U16, F16),
    ROW(S32_TO_F32, integer_to_float, 0, 0, 1, F32, S32),
    ROW(U32_TO_F32, integer_to_float, 0, 0, 1, F32, U32),
    ROW(S16_TO_F32, integer_to_float, 0, 0, 1, F32, S16),
    ROW(U16_TO_F32, integer_to_float, 0, 0, 1, F32, U16),
    ROW(S8_TO_F32, integer_to_float, 0, 0, 1, F32, S8),
    ROW(U8_TO_F32, integer_to_float, 0, 0, 1, F32, U8),
    ROW(V2S16_TO_V2F16, integer_to_float, 0, 0, 2, F16, S16),
    ROW(V2U16_TO_V2F16, integer_to_float, 0, 0, 2, F16, U16),
    ROW(V2S8_TO_V2F16, integer_to_float, 0, 0, 2, F16, S8),
    ROW(V2U8_TO_V2F16, integer_to_float, 0, 0, 2, F16, U8),
    ROW(S16_TO_S32, integer_widen, 0, 0, 1, S32, S16),
    ROW(U16_TO_U32, integer_widen, 0, 0, 1, U32, U16),
    ROW(S8_TO_S32, integer_widen, 0, 0, 1, S32, S8),
    ROW(U8_TO_U32, integer_widen, 0, 0, 1, U32, U8),
    ROW(V2S8_TO_V2S16, integer_widen, 0, 0, 2, S16, S8),
    ROW(V2U8_TO_V2U16, integer_widen, 0, 0, 2, U16, U8),
    ROW(F16_TO_F32, half_to_float, 0, 0, 1, F32, F16),
    ROW(V2F32_TO_V2F16, floats_to_halves, 0, SOURCE_PER_LANE, 2, F16, F32, F32),

    /* special functions */
    ROW(FRCP_F32, reciprocal, 0, FLUSHES, 1, F32, F32),
    ROW(FRCP_F16, reciprocal, 0, SCALAR_HALF, 1, F16, F16),
    ROW(FRSQ_F32, reciprocal_sqrt, 0, FLUSHES, 1, F32, F32),
    ROW(FRSQ_F16, reciprocal_sqrt, 0, SCALAR_HALF, 1, F16, F16),
    ROW(FLOGD_F32, log_divided, 0, 0, 1, F32, F32),
    ROW(FLOG_TABLE_F32, log_table, 0, 0, 1, F32, F32),
    ROW(FRCP_APPROX_F32, approximate_reciprocal, 0, 0, 1, F32, F32),
    ROW(FRSQ_APPROX_F32, approximate_reciprocal_sqrt, 0, 0, 1, F32, F32),
    ROW(FEXP_F32, exponential, 0, 0, 1, F32, S32, F32),
    ROW(FSQRT_F32, square_root, 0, FLUSHES, 1, F32, F32),
    ROW(FLOG_F32, logarithm, 0, 0, 1, F32, F32),
    ROW(FLOG_F16, logarithm, 0, SCALAR_HALF, 1, F16, F16),
    ROW(FEXPF_F32, exponential_of_float, 0, 0, 1, F32, F32),
    ROW(FPOW_F16, power, 0, SCALAR_HALF, 1, F16, F16, F16),
    ROW(FEXP_TABLE_U4, exponential_table, 0, 0, 1, F32, U32),
    ROW(FSIN_TABLE_U6, sine_table, 0, 0, 1, F32, U32),
    ROW(FCOS_TABLE_U6, cosine_table, 0, 0, 1, F32, U32),
    ROW(CUBEFACE1, cube_magnitude, 0, 0, 1, F32, F32, F32, F32),
    ROW(CUBEFACE2_V9, cube_face, 0, 0, 1, U32, F32, F32, F32),
    ROW(CUBE_SSEL, cube_s, 0, 0, 1, F32, F32, F32, U32),
    ROW(CUBE_TSEL, cube_t, 0, 0, 1, F32, F32, F32, U32),

    /* cross-lane operations and branches, whose functions are elsewhere */
    ROW(CLPER_I32, NO_FUNCTION, EXCHANGE_PERMUTE, EXCHANGE, 1, U32, U32, U8),
    ROW(WMASK, NO_FUNCTION, EXCHANGE_BALLOT, EXCHANGE, 1, U32, U32),
    ROW(BRANCHZ, NO_FUNCTION, 0, 0, 1, U32, U32),
    ROW(BRANCHZI, NO_FUNCTION, 0, 0, 1, U32, U32, U32),
};

const NornValhallRow *
norn_valhall_row(uint16_t instruction) {
  return instruction < G_N_ELEMENTS(rows) && rows[instruction].lanes ? &rows[instruction] : NULL;
}
