/* Float arithmetic, lane by lane. */
#include "sim/valhall/lane.h"
#include <norn/valhall.h>

static uint64_t
float_add(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_add(result_format(lane), lane->mode, s[0], s[1]);
}

static uint64_t
float_fma(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_fma(result_format(lane), lane->mode, s[0], s[1], s[2]);
}

static uint64_t
float_minimum(const NornValhallLane *lane, const uint64_t *s) {
  if (modifier(lane, NORN_VALHALL_MODIFIER_NAN_HANDLING))
    return norn_float_minimum(result_format(lane), lane->mode, s[0], s[1]);
  return norn_float_minimum_number(result_format(lane), lane->mode, s[0], s[1]);
}

static uint64_t
float_maximum(const NornValhallLane *lane, const uint64_t *s) {
  if (modifier(lane, NORN_VALHALL_MODIFIER_NAN_HANDLING))
    return norn_float_maximum(result_format(lane), lane->mode, s[0], s[1]);
  return norn_float_maximum_number(result_format(lane), lane->mode, s[0], s[1]);
}

static uint64_t
float_round(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_round_to_integral(result_format(lane), lane->mode, s[0]);
}

static uint64_t
float_ldexp(const NornValhallLane *lane, const uint64_t *s) {
  int64_t scale = norn_int_sign_extend(s[1], norn_valhall_lanes[lane->row->source[1]].width);
  return norn_float_ldexp(result_format(lane), lane->mode, s[0], scale);
}

static uint64_t
float_flush(const NornValhallLane *lane, const uint64_t *s) {
  NornFloatFormat format = result_format(lane);
  uint64_t a = s[0];
  if (norn_float_is_nan(format, a)) {
    switch (modifier(lane, NORN_VALHALL_MODIFIER_NAN_MODE)) {
    case NORN_VALHALL_NAN_MODE_FLUSH_NAN:
      return 0;
    case NORN_VALHALL_NAN_MODE_QUIET_NAN:
      return a | UINT64_C(1) << (norn_float_fraction_bits(format) - 1);
    default:
      return a;
    }
  }
  if (modifier(lane, NORN_VALHALL_MODIFIER_FLUSH_INF) && norn_float_is_infinite(format, a))
    return norn_float_largest(format, norn_float_is_negative(format, a));
  return modifier(lane, NORN_VALHALL_MODIFIER_FTZ) ? norn_float_flush(format, a) : a;
}

/* (a * b + c) * 2^d; the variants differ in the value of a product with a zero. Rounding only
 * once, at the end, is a guess. */
static uint64_t
float_fma_scale(const NornValhallLane *lane, const uint64_t *s) {
  uint64_t a = s[0], b = s[1];
  bool has_zero = norn_float_is_zero(NORN_FLOAT_32, a) || norn_float_is_zero(NORN_FLOAT_32, b);
  if (has_zero && lane->row->parameter != RSCALE) {
    a = lane->row->parameter == RSCALE_N ? 0 : a;
    b = norn_float_one(NORN_FLOAT_32, false);
  }
  return norn_float_fma_scale(NORN_FLOAT_32, lane->mode, a, b, s[2],
                              norn_int_sign_extend(s[3], 32));
}

FOR_WARP(float_add)
FOR_WARP(float_fma)
FOR_WARP(float_minimum)
FOR_WARP(float_maximum)
FOR_WARP(float_round)
FOR_WARP(float_ldexp)
FOR_WARP(float_flush)
FOR_WARP(float_fma_scale)
