/* Integer arithmetic, lane by lane. */
#include "sim/valhall/lane.h"

static uint64_t
integer_add(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  if (modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_add_saturate(s[0], s[1], width, result_signed(lane));
  return norn_int_truncate(s[0] + s[1], width);
}

static uint64_t
integer_subtract(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  if (modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_subtract_saturate(s[0], s[1], width, result_signed(lane));
  return norn_int_truncate(s[0] - s[1], width);
}

static uint64_t
integer_multiply(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  if (modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_multiply_saturate(s[0], s[1], width, result_signed(lane));
  return norn_int_truncate(s[0] * s[1], width);
}

static uint64_t
half_add(const NornValhallLane *lane, const uint64_t *s) {
  return norn_int_half_add(s[0], s[1], result_width(lane), result_signed(lane),
                           modifier(lane, NORN_VALHALL_MODIFIER_RHADD));
}

static uint64_t
integer_absolute(const NornValhallLane *lane, const uint64_t *s) {
  return norn_int_absolute(s[0], result_width(lane));
}

static uint64_t
shift_add_extended(const NornValhallLane *lane, const uint64_t *s) {
  return s[0] + (s[1] << modifier(lane, NORN_VALHALL_MODIFIER_SHIFT));
}

/* It is a guess from its name that `preserve_null` returns 0 for a null segment base. */
static uint64_t
segment_add(const NornValhallLane *lane, const uint64_t *s) {
  if (modifier(lane, NORN_VALHALL_MODIFIER_PRESERVE_NULL) && !s[0])
    return 0;
  return modifier(lane, NORN_VALHALL_MODIFIER_NEGATE) ? s[0] - s[1] : s[0] + s[1];
}

/* c + the exact sum of four products of bytes; only the last addition can overflow. */
static uint64_t
dot_product(const NornValhallLane *lane, const uint64_t *s) {
  bool is_signed = result_signed(lane);
  int64_t sum = 0;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t a = norn_int_truncate(s[0] >> 8 * i, 8), b = norn_int_truncate(s[1] >> 8 * i, 8);
    sum += is_signed ? norn_int_sign_extend(a, 8) * norn_int_sign_extend(b, 8) : (int64_t)(a * b);
  }
  uint64_t products = norn_int_truncate((uint64_t)sum, 32);
  if (modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_add_saturate(products, s[2], 32, is_signed);
  return norn_int_truncate(products + s[2], 32);
}

static uint64_t
leading_zeros(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  if (!s[0] && modifier(lane, NORN_VALHALL_MODIFIER_MASK))
    return norn_int_mask(width);
  return norn_int_leading_zeros(s[0], width);
}

static uint64_t
population_count(const NornValhallLane *lane, const uint64_t *s) {
  return norn_int_population_count(s[0], result_width(lane));
}

static uint64_t
bit_reverse(const NornValhallLane *lane, const uint64_t *s) {
  return norn_int_bit_reverse(s[0], result_width(lane));
}

static uint64_t
complement(const NornValhallLane *lane, const uint64_t *s) {
  return s[0] ^ norn_int_mask(result_width(lane));
}

FOR_WARP(integer_add)
FOR_WARP(integer_subtract)
FOR_WARP(integer_multiply)
FOR_WARP(half_add)
FOR_WARP(integer_absolute)
FOR_WARP(shift_add_extended)
FOR_WARP(segment_add)
FOR_WARP(dot_product)
FOR_WARP(leading_zeros)
FOR_WARP(population_count)
FOR_WARP(bit_reverse)
FOR_WARP(complement)
