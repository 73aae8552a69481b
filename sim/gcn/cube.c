/* The steps that convert a direction to a face of a cube map and a position on it, lane by lane. */
#include "sim/gcn/lane.h"

typedef enum { AXIS_X, AXIS_Y, AXIS_Z } Axis;

static Axis
major_axis(const NornGcnLane *l) {
  uint64_t x = norn_float_absolute(l->format, l->src[0]);
  uint64_t y = norn_float_absolute(l->format, l->src[1]);
  uint64_t z = norn_float_absolute(l->format, l->src[2]);
  uint64_t infinity = norn_float_infinity(l->format, false);
  /* Magnitudes compare as integers; a NaN is never the larger one. */
  bool z_over_y = z <= infinity && y <= infinity && z >= y;
  bool z_over_x = z <= infinity && x <= infinity && z >= x;
  if (z_over_y && z_over_x)
    return AXIS_Z;
  return y <= infinity && x <= infinity && y >= x ? AXIS_Y : AXIS_X;
}

/* Whether the value is at least zero: true for -0, false for NaN. */
static bool
is_at_least_zero(const NornGcnLane *l, uint64_t a) {
  NornRelation relation = norn_float_compare(l->format, l->mode, a, 0);
  return relation == NORN_RELATION_GREATER || relation == NORN_RELATION_EQUAL;
}

static uint64_t
negate_if(const NornGcnLane *l, bool negate, uint64_t a) {
  return negate ? norn_float_negate(l->format, a) : a;
}

LANE(cube_id) {
  (void)row;
  Axis axis = major_axis(l);
  unsigned face = 2 * (unsigned)axis + (is_at_least_zero(l, l->src[axis]) ? 0 : 1);
  l->result = norn_float_from_int(l->format, l->mode, face, 32, false);
}

LANE(cube_s) {
  (void)row;
  bool x_negative = !is_at_least_zero(l, l->src[AXIS_X]);
  bool z_negative = !is_at_least_zero(l, l->src[AXIS_Z]);
  switch (major_axis(l)) {
  case AXIS_X:
    l->result = negate_if(l, !x_negative, l->src[AXIS_Z]);
    break;
  case AXIS_Y:
    l->result = l->src[AXIS_X];
    break;
  case AXIS_Z:
    l->result = negate_if(l, z_negative, l->src[AXIS_X]);
    break;
  }
}

LANE(cube_t) {
  (void)row;
  bool y_negative = !is_at_least_zero(l, l->src[AXIS_Y]);
  if (major_axis(l) == AXIS_Y)
    l->result = negate_if(l, y_negative, l->src[AXIS_Z]);
  else
    l->result = norn_float_negate(l->format, l->src[AXIS_Y]);
}

LANE(cube_major) {
  (void)row;
  uint64_t major = l->src[major_axis(l)];
  l->result = norn_float_add(l->format, l->mode, major, major);
}
