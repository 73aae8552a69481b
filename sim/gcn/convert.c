/* Conversions and packing, lane by lane. */
#include "sim/gcn/lane.h"

static NornFloatMode
toward(const NornGcnLane *l, NornFloatFormat format, NornRoundMode round) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, format);
  mode.round = round;
  return mode;
}

/* Between float formats: subnormal sources by the mode of the source format, everything else by
 * that of the result format. */
static uint64_t
convert_float(const NornGcnLane *l, NornFloatFormat from, NornFloatFormat to) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, to);
  mode.flush_inputs = norn_gcn_mode(l->state->mode, from).flush_inputs;
  return norn_float_convert(from, to, mode, l->src[0]);
}

COMPUTE(f16_from_f32, convert_float(l, NORN_FLOAT_32, NORN_FLOAT_16))
COMPUTE(f32_from_f16, convert_float(l, NORN_FLOAT_16, NORN_FLOAT_32))
COMPUTE(f32_from_f64, convert_float(l, NORN_FLOAT_64, NORN_FLOAT_32))
COMPUTE(f64_from_f32, convert_float(l, NORN_FLOAT_32, NORN_FLOAT_64))
COMPUTE(float_from_signed, norn_float_from_int(f, m, a, 64, true))
COMPUTE(float_from_unsigned, norn_float_from_int(f, m, a, 64, false))
COMPUTE(float_from_byte0, norn_float_from_int(f, m, a & 0xff, 32, false))
COMPUTE(float_from_byte1, norn_float_from_int(f, m, a >> 8 & 0xff, 32, false))
COMPUTE(float_from_byte2, norn_float_from_int(f, m, a >> 16 & 0xff, 32, false))
COMPUTE(float_from_byte3, norn_float_from_int(f, m, a >> 24 & 0xff, 32, false))

/* A signed nibble in sixteenths. */
LANE(float_from_nibble) {
  (void)row;
  uint64_t nibble = (uint64_t)norn_int_sign_extend(l->src[0], 4);
  uint64_t value = norn_float_from_int(l->format, l->mode, nibble, 64, true);
  l->result = norn_float_ldexp(l->format, l->mode, value, -4);
}

#define TO_INT(function, width, is_signed)                                                         \
  COMPUTE(function, norn_float_to_int(f, toward(l, f, NORN_ROUND_ZERO), a, width, is_signed))
TO_INT(float_to_i32, 32, true)
TO_INT(float_to_u32, 32, false)
TO_INT(float_to_i16, 16, true)
TO_INT(float_to_u16, 16, false)

COMPUTE(float_to_i32_floor, norn_float_to_int(f, toward(l, f, NORN_ROUND_DOWN), a, 32, true))

/* floor(x + 0.5) of the exact sum. */
LANE(float_to_i32_half_up) {
  (void)row;
  const NornFloatMode exact = {NORN_ROUND_DOWN, false, false};
  NornFloatFormat f = l->format;
  uint64_t half = norn_float_from_double(f, 0.5);
  l->result = norn_float_to_int(f, exact, norn_float_add(f, exact, l->src[0], half), 32, true);
}

/* A number from -1 to 1 (or 0 to 1) as an integer of 16 bits, rounded to nearest even. */
static uint64_t
normalize(const NornGcnLane *l, NornFloatFormat from, uint64_t value, bool is_signed) {
  NornFloatMode mode = toward(l, from, NORN_ROUND_NEAREST_EVEN);
  NornFloatMode nearest = {NORN_ROUND_NEAREST_EVEN, false, false};
  value = norn_float_convert(from, NORN_FLOAT_32, mode, value);
  uint64_t scale = norn_float_from_double(NORN_FLOAT_32, is_signed ? 32767.0 : 65535.0);
  uint64_t product = norn_float_multiply(NORN_FLOAT_32, nearest, value, scale);
  int64_t whole = (int64_t)norn_float_to_int(NORN_FLOAT_32, nearest, product, 64, true);
  int64_t bound = is_signed ? 32767 : 65535;
  return (uint64_t)CLAMP(whole, is_signed ? -bound : 0, bound) & 0xffff;
}

static uint64_t
normalize_pair(const NornGcnLane *l, NornFloatFormat from, bool is_signed) {
  return normalize(l, from, l->src[0], is_signed) | normalize(l, from, l->src[1], is_signed) << 16;
}

COMPUTE(normalize_i16_f32, normalize_pair(l, NORN_FLOAT_32, true))
COMPUTE(normalize_u16_f32, normalize_pair(l, NORN_FLOAT_32, false))
COMPUTE(normalize_i16_f16, normalize_pair(l, NORN_FLOAT_16, true))
COMPUTE(normalize_u16_f16, normalize_pair(l, NORN_FLOAT_16, false))
COMPUTE(normalize_one_i16_f16, normalize(l, NORN_FLOAT_16, a, true))
COMPUTE(normalize_one_u16_f16, normalize(l, NORN_FLOAT_16, a, false))

static uint64_t
half_toward_zero(const NornGcnLane *l, uint64_t value) {
  NornFloatMode mode = toward(l, NORN_FLOAT_16, NORN_ROUND_ZERO);
  mode.flush_inputs = norn_gcn_mode(l->state->mode, NORN_FLOAT_32).flush_inputs;
  return norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, mode, value);
}

COMPUTE(pack_half_toward_zero, half_toward_zero(l, a) | half_toward_zero(l, b) << 16)
COMPUTE(pack_unsigned, norn_int_saturate(a, 32, false, 16, false) |
                           norn_int_saturate(b, 32, false, 16, false) << 16)
COMPUTE(pack_signed, norn_int_saturate(a &UINT32_MAX, 32, true, 16, true) |
                         norn_int_saturate(b & UINT32_MAX, 32, true, 16, true) << 16)
COMPUTE(saturate_bytes, norn_int_saturate(a & 0xffff, 16, true, 8, false) |
                            norn_int_saturate(a >> 16, 16, true, 8, false) << 8)

/* The results of V_SCREEN_PARTITION_4SE_B32 by the low byte of the source: four bits each,
 * sixteen in a row, the first in the highest digit. */
static const uint64_t screen_partitions[16] = {
    UINT64_C(0x137F5FFF7FFFFFFF), UINT64_C(0xF26EFAFFFBFFFFFF), UINT64_C(0xDF4CFF5FFFDFFFFF),
    UINT64_C(0x9BF8FFFAFFFEFFFF), UINT64_C(0xFFFF4CDF6FFFEFFF), UINT64_C(0xFFFFF89BF99FFDFF),
    UINT64_C(0xFFFF7F13FF9FFFBF), UINT64_C(0xFFFF6EF26FF6FFF7), UINT64_C(0xBFFFFFFF23BFAFFF),
    UINT64_C(0xF7FFFFFFF19DF5FF), UINT64_C(0xFFEFFFFFEF8CFFAF), UINT64_C(0xFFFDFFFF67F4FFF5),
    UINT64_C(0x9FFFDFFFFFFF8CEF), UINT64_C(0xF66FFEFFFFFFF467), UINT64_C(0xFF6FFF7FFFFFBF23),
    UINT64_C(0x9FF9FFFBFFFF9DF1)};

COMPUTE(screen_partition, screen_partitions[a >> 4 & 15] >> (60 - (a & 15) * 4) & 15)

/* Replaces byte B of C with the first source, rounded by MODE, as a byte. */
static uint64_t
insert_byte(const NornGcnLane *l, uint64_t rest) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, NORN_FLOAT_32);
  unsigned shift = (l->src[1] & 3) * 8;
  uint64_t byte = norn_float_to_int(NORN_FLOAT_32, mode, l->src[0], 8, false);
  return (rest & ~(UINT64_C(0xff) << shift)) | byte << shift;
}

COMPUTE(pack_byte, insert_byte(l, c))
COMPUTE(accumulate_byte, insert_byte(l, l->old))
