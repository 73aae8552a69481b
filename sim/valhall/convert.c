/* Conversions between integers and floats, and among integers or floats, lane by lane. */
#include "sim/valhall/lane.h"

static uint64_t
float_to_integer(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_to_int(source_format(lane, 0), lane->mode, s[0], result_width(lane),
                           result_signed(lane));
}

static uint64_t
integer_to_float(const NornValhallLane *lane, const uint64_t *s) {
  unsigned type = lane->row->source[0];
  return norn_float_from_int(result_format(lane), lane->mode, s[0], norn_valhall_lanes[type].width,
                             norn_valhall_lanes[type].is_signed);
}

static uint64_t
integer_widen(const NornValhallLane *lane, const uint64_t *s) {
  unsigned type = lane->row->source[0];
  if (!norn_valhall_lanes[type].is_signed)
    return s[0];
  int64_t value = norn_int_sign_extend(s[0], norn_valhall_lanes[type].width);
  return norn_int_truncate((uint64_t)value, result_width(lane));
}

static uint64_t
half_to_float(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32, lane->mode, s[0]);
}

/* Lane i is source i as f16. Clamping after rounding gives the same result as before. */
static uint64_t
floats_to_halves(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, lane->mode, s[lane->index]);
}

FOR_WARP(float_to_integer)
FOR_WARP(integer_to_float)
FOR_WARP(integer_widen)
FOR_WARP(half_to_float)
FOR_WARP(floats_to_halves)
