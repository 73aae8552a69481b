/* Comparisons and classes, lane by lane. */
#include "sim/gcn/lane.h"

LANE(compare_floats) {
  NornRelation relation = norn_float_compare(l->format, l->mode, l->src[0], l->src[1]);
  l->result = row->relations >> relation & 1;
}

LANE(compare_signed) {
  int64_t a = SIGNED(l->src[0]), b = SIGNED(l->src[1]);
  NornRelation relation = a < b   ? NORN_RELATION_LESS
                          : a > b ? NORN_RELATION_GREATER
                                  : NORN_RELATION_EQUAL;
  l->result = row->relations >> relation & 1;
}

LANE(compare_unsigned) {
  NornRelation relation = l->src[0] < l->src[1]   ? NORN_RELATION_LESS
                          : l->src[0] > l->src[1] ? NORN_RELATION_GREATER
                                                  : NORN_RELATION_EQUAL;
  l->result = row->relations >> relation & 1;
}

/* The second source selects classes: signaling NaN, quiet NaN, then -infinity, -normal,
 * -subnormal, -0 and the same for positive numbers in reverse order. */
LANE(classify) {
  (void)row;
  bool negative = norn_float_is_negative(l->format, l->src[0]);
  unsigned bit = 0;
  switch (norn_float_classify(l->format, l->src[0])) {
  case NORN_FLOAT_CLASS_SIGNALING_NAN:
    bit = 0;
    break;
  case NORN_FLOAT_CLASS_QUIET_NAN:
    bit = 1;
    break;
  case NORN_FLOAT_CLASS_INFINITE:
    bit = negative ? 2 : 9;
    break;
  case NORN_FLOAT_CLASS_NORMAL:
    bit = negative ? 3 : 8;
    break;
  case NORN_FLOAT_CLASS_SUBNORMAL:
    bit = negative ? 4 : 7;
    break;
  case NORN_FLOAT_CLASS_ZERO:
    bit = negative ? 5 : 6;
    break;
  }
  l->result = l->src[1] >> bit & 1;
}
