/* Comparisons, and selections based on them, lane by lane. */
#include "sim/valhall/lane.h"
#include <norn/valhall.h>

static bool
relation_holds(unsigned condition, NornRelation relation) {
  switch (condition) {
  case NORN_VALHALL_CONDITION_EQ:
    return relation == NORN_RELATION_EQUAL;
  case NORN_VALHALL_CONDITION_GT:
    return relation == NORN_RELATION_GREATER;
  case NORN_VALHALL_CONDITION_GE:
    return relation == NORN_RELATION_GREATER || relation == NORN_RELATION_EQUAL;
  case NORN_VALHALL_CONDITION_NE:
    return relation != NORN_RELATION_EQUAL;
  case NORN_VALHALL_CONDITION_LT:
    return relation == NORN_RELATION_LESS;
  case NORN_VALHALL_CONDITION_LE:
    return relation == NORN_RELATION_LESS || relation == NORN_RELATION_EQUAL;
  default: /* gtlt */
    return relation == NORN_RELATION_LESS || relation == NORN_RELATION_GREATER;
  }
}

static NornRelation
integer_relation(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  if (a == b)
    return NORN_RELATION_EQUAL;
  bool less = is_signed ? norn_int_sign_extend(a, width) < norn_int_sign_extend(b, width) : a < b;
  return less ? NORN_RELATION_LESS : NORN_RELATION_GREATER;
}

/* Whether the condition is true for the first two sources. */
static bool
condition_holds(const NornValhallLane *lane, const uint64_t *s) {
  unsigned condition = modifier(lane, NORN_VALHALL_MODIFIER_CONDITION);
  unsigned type = lane->row->source[0];
  if (!norn_valhall_lanes[type].is_float)
    return relation_holds(condition, integer_relation(s[0], s[1], norn_valhall_lanes[type].width,
                                                      norn_valhall_lanes[type].is_signed));
  NornFloatFormat format = norn_valhall_lanes[type].format;
  if (condition == NORN_VALHALL_CONDITION_TOTAL)
    return norn_float_total_less_equal(format, s[0], s[1]);
  return relation_holds(condition, norn_float_compare(format, NORN_FLOAT_MODE_DEFAULT, s[0], s[1]));
}

static uint64_t
boolean(const NornValhallLane *lane, bool value) {
  unsigned width = result_width(lane);
  switch (modifier(lane, NORN_VALHALL_MODIFIER_RESULT_TYPE)) {
  case NORN_VALHALL_RESULT_TYPE_F1:
    return value ? norn_float_one(norn_float_of_width(width), false) : 0;
  case NORN_VALHALL_RESULT_TYPE_M1:
    return value ? norn_int_mask(width) : 0;
  default:
    return value;
  }
}

static uint64_t
compare_or(const NornValhallLane *lane, const uint64_t *s) {
  return boolean(lane, condition_holds(lane, s) || s[2]);
}

static uint64_t
compare_and(const NornValhallLane *lane, const uint64_t *s) {
  return boolean(lane, condition_holds(lane, s) && s[2]);
}

/* The order of (a, b); if they are equal, the order so far, c, which is -1, 0 or 1. */
static uint64_t
compare_chained(const NornValhallLane *lane, const uint64_t *s) {
  NornRelation relation =
      integer_relation(s[0], s[1], 32, norn_valhall_lanes[lane->row->source[0]].is_signed);
  if (relation == NORN_RELATION_EQUAL)
    relation = integer_relation(s[2], 0, 32, true);
  if (modifier(lane, NORN_VALHALL_MODIFIER_RESULT_TYPE) == NORN_VALHALL_RESULT_TYPE_U1) {
    if (relation == NORN_RELATION_EQUAL)
      return 0;
    return relation == NORN_RELATION_LESS ? UINT32_MAX : 1;
  }
  return boolean(lane, relation_holds(modifier(lane, NORN_VALHALL_MODIFIER_CONDITION), relation));
}

static uint64_t
select_by_condition(const NornValhallLane *lane, const uint64_t *s) {
  return condition_holds(lane, s) ? s[2] : s[3];
}

static uint64_t
test_condition(const NornValhallLane *lane, const uint64_t *s) {
  return condition_holds(lane, s);
}

FOR_WARP(compare_or)
FOR_WARP(compare_and)
FOR_WARP(compare_chained)
FOR_WARP(select_by_condition)
FOR_WARP(test_condition)
