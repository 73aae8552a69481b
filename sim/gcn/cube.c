/* The steps that convert a direction to a face of a cube map and a position on it, lane by lane. */
#include "sim/gcn/lane.h"

typedef enum { AXIS_X, AXIS_Y, AXIS_Z } Axis;

/* A coordinate of the direction. Where MODE flushes operands, a subnormal is a zero for every
 * step. */
static uint64_t
coordinate(const NornGcnLane *l, Axis axis) {
  return l->mode.flush_inputs ? norn_float_flush(l->format, l->src[axis]) : l->src[axis];
}

static Axis
major_axis(const NornGcnLane *l) {
  uint64_t x = norn_float_absolute(l->format, coordinate(l, AXIS_X));
  uint64_t y = norn_float_absolute(l->format, coordinate(l, AXIS_Y));
  uint64_t z = norn_float_absolute(l->format, coordinate(l, AXIS_Z));
  uint64_t infinity = norn_float_infinity(l->format, false);
  /* Magnitudes compare as integers; a NaN is never the larger one. */
  bool z_over_y = z <= infinity && y <= infinity && z >= y;
  bool z_over_x = z <= infinity && x <= infinity && z >= x;
  if (z_over_y && z_over_x)
    return AXIS_Z;
  return y <= infinity && x <= infinity && y >= x ? AXIS_Y : AXIS_X;
}

/* Whether the coordinate is at least zero: true for -0, false for NaN. */
static bool
is_at_least_zero(const NornGcnLane *l, Axis axis) {
  NornRelation relation = norn_float_compare(l->format, l->mode, coordinate(l, axis), 0);
  return relation == NORN_RELATION_GREATER || relation == NORN_RELATION_EQUAL;
}

/* The result is a coordinate or its negative. */
static void
store_coordinate(NornGcnLane *l, bool negate, Axis axis) {
  uint64_t a = coordinate(l, axis);
  if (negate)
    a = norn_float_negate(l->format, a);
  l->result = l->mode.flush_outputs ? norn_float_flush(l->format, a) : a;
}

LANE(cube_id) {
  (void)row;
  Axis axis = major_axis(l);
  unsigned face = 2 * (unsigned)axis + (is_at_least_zero(l, axis) ? 0 : 1);
  l->result = norn_float_from_int(l->format, l->mode, face, 32, false);
}

LANE(cube_s) {
  (void)row;
  switch (major_axis(l)) {
  case AXIS_X:
    store_coordinate(l, is_at_least_zero(l, AXIS_X), AXIS_Z);
    break;
  case AXIS_Y:
    store_coordinate(l, false, AXIS_X);
    break;
  case AXIS_Z:
    store_coordinate(l, !is_at_least_zero(l, AXIS_Z), AXIS_X);
    break;
  }
}

LANE(cube_t) {
  (void)row;
  if (major_axis(l) == AXIS_Y)
    store_coordinate(l, !is_at_least_zero(l, AXIS_Y), AXIS_Z);
  else
    store_coordinate(l, true, AXIS_Y);
}

LANE(cube_major) {
  (void)row;
  uint64_t major = coordinate(l, major_axis(l));
  l->result = norn_float_add(l->format, l->mode, major, major);
}
