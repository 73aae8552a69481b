/* Moves, shifts and logic, lane by lane. */
#include "sim/valhall/lane.h"
#include <norn/valhall.h>

static uint64_t
move(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return s[0];
}

static uint64_t
pick_source_of_lane(const NornValhallLane *lane, const uint64_t *s) {
  return s[lane->index];
}

static uint64_t
make_bytes(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return s[0] | s[1] << 8 | s[2] << 16;
}

uint64_t
norn_valhall_shifted(unsigned kind, uint64_t value, uint64_t amount, unsigned width) {
  amount &= width - 1;
  switch (kind) {
  case SHIFT_RIGHT:
    return value >> amount;
  case SHIFT_LEFT:
    return norn_int_truncate(value << amount, width);
  case ROTATE_RIGHT:
    return norn_int_rotate_right(value, amount, width);
  case ROTATE_LEFT:
    return norn_int_rotate_left(value, amount, width);
  default:
    return norn_int_truncate((uint64_t)(norn_int_sign_extend(value, width) >> amount), width);
  }
}

static uint64_t
combined(unsigned logic, uint64_t a, uint64_t b) {
  switch (logic) {
  case OP_AND:
    return a & b;
  case OP_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

unsigned
norn_valhall_shift_kind(const NornValhallLane *lane) {
  unsigned kind = lane->row->parameter >> 2;
  bool is_arithmetic = kind == SHIFT_RIGHT && modifier(lane, NORN_VALHALL_MODIFIER_SIGNED);
  return is_arithmetic ? SHIFT_ARITHMETIC : kind;
}

static uint64_t
shift_and_combine(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  uint64_t r =
      combined(lane->row->parameter & 3,
               norn_valhall_shifted(norn_valhall_shift_kind(lane), s[0], s[1], width), s[2]);
  return modifier(lane, NORN_VALHALL_MODIFIER_NOT_RESULT) ? r ^ norn_int_mask(width) : r;
}

static uint64_t
combine_immediate(const NornValhallLane *lane, const uint64_t *s) {
  return combined(lane->row->parameter, s[0], s[1]);
}

static uint64_t
multiplex(const NornValhallLane *lane, const uint64_t *s) {
  uint64_t sign = UINT64_C(1) << (result_width(lane) - 1);
  switch (modifier(lane, NORN_VALHALL_MODIFIER_MUX)) {
  case NORN_VALHALL_MUX_NEG:
    return s[2] & sign ? s[0] : s[1];
  case NORN_VALHALL_MUX_INT_ZERO:
    return !s[2] ? s[0] : s[1];
  case NORN_VALHALL_MUX_FP_ZERO:
    return !(s[2] & ~sign) ? s[0] : s[1];
  default:
    return (s[0] & s[2]) | (s[1] & ~s[2]);
  }
}

FOR_WARP(move)
FOR_WARP(pick_source_of_lane)
FOR_WARP(make_bytes)
FOR_WARP(shift_and_combine)
FOR_WARP(combine_immediate)
FOR_WARP(multiplex)
