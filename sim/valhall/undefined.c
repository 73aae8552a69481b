/* Which bits of a lane are undefined when bits of its sources are. */
#include "sim/valhall/lane.h"
#include <norn/valhall.h>

/* Which bits of a lane's result are undefined, given the sources and the masks of their undefined
 * bits. */
typedef uint64_t (*UndefinedFunction)(const NornValhallLane *lane, const uint64_t *s,
                                      const uint64_t *u);

/* The result of the row's function for these sources; for moves and selections, the sources can
 * be masks of undefined bits. */
static uint64_t
row_result(const NornValhallLane *lane, const uint64_t s[NORN_VALHALL_SOURCES]) {
  const uint64_t *const sources[NORN_VALHALL_SOURCES] = {&s[0], &s[1], &s[2], &s[3]};
  uint64_t result;
  lane->row->function(lane, sources, 1, &result);
  return result;
}

static uint64_t
undefined_move(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  (void)lane, (void)s;
  return u[0];
}

static uint64_t
undefined_source_of_lane(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  (void)s;
  return u[lane->index];
}

static uint64_t
undefined_bytes(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  (void)s;
  return row_result(lane, u);
}

/* A defined 0 determines the result of an AND, a defined 1 that of an OR. */
static uint64_t
undefined_combination(unsigned logic, const uint64_t s[2], const uint64_t u[2]) {
  switch (logic) {
  case OP_AND:
    return (u[0] & (s[1] | u[1])) | (u[1] & (s[0] | u[0]));
  case OP_OR:
    return (u[0] & (~s[1] | u[1])) | (u[1] & (~s[0] | u[0]));
  default:
    return u[0] | u[1];
  }
}

static uint64_t
undefined_shift(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  unsigned width = result_width(lane), kind = norn_valhall_shift_kind(lane);
  if (u[1] & (width - 1))
    return norn_int_mask(width);
  const uint64_t sources[] = {norn_valhall_shifted(kind, s[0], s[1], width), s[2]};
  const uint64_t undefined[] = {norn_valhall_shifted(kind, u[0], s[1], width), u[2]};
  return undefined_combination(lane->row->parameter & 3, sources, undefined);
}

static uint64_t
undefined_immediate(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  return undefined_combination(lane->row->parameter, s, u);
}

static uint64_t
undefined_multiplex(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  unsigned width = result_width(lane);
  if (modifier(lane, NORN_VALHALL_MODIFIER_MUX) == NORN_VALHALL_MUX_BIT)
    return (u[0] & (s[2] | u[2])) | (u[1] & (~s[2] | u[2])) | (u[2] & (s[0] ^ s[1]));
  const uint64_t choice[NORN_VALHALL_SOURCES] = {u[0], u[1], s[2]};
  return u[2] ? norn_int_mask(width) : row_result(lane, choice);
}

static uint64_t
undefined_selection(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  if (u[0] | u[1])
    return norn_int_mask(result_width(lane));
  const uint64_t choice[NORN_VALHALL_SOURCES] = {s[0], s[1], u[2], u[3]};
  return row_result(lane, choice);
}

/* A sum or difference is defined below its lowest undefined bit. A 64-bit sum with 0 moves a pair
 * of registers. */
static uint64_t
undefined_sum(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  if (result_width(lane) == 64 && !(s[1] | u[1]))
    return u[0];
  uint64_t lowest = (u[0] | u[1]) & -(u[0] | u[1]);
  if (lowest && modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_mask(result_width(lane));
  return lowest ? ~(lowest - 1) : 0;
}

/* A product is defined below its lowest undefined bit: that of one factor, times the lowest bit
 * that is set or undefined in the other factor. */
static uint64_t
undefined_product(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  uint64_t lowest[2], mask = norn_int_mask(result_width(lane));
  if ((u[0] | u[1]) && modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return mask;
  for (unsigned k = 0; k < 2; k++) {
    uint64_t other = (s[1 - k] | u[1 - k]) & mask;
    lowest[k] = (u[k] & -u[k]) * (other & -other);
  }
  uint64_t below = MIN(lowest[0] - 1, lowest[1] - 1); /* all bits if there is none */
  return ~below;
}

/* The functions that leave some bits of their results defined when bits of a source are not. */
static const struct {
  NornValhallLaneFunction *function;
  UndefinedFunction undefined;
} bit_functions[] = {
    {norn_valhall_move_of_warp, undefined_move},
    {norn_valhall_pick_source_of_lane_of_warp, undefined_source_of_lane},
    {norn_valhall_make_bytes_of_warp, undefined_bytes},
    {norn_valhall_shift_and_combine_of_warp, undefined_shift},
    {norn_valhall_combine_immediate_of_warp, undefined_immediate},
    {norn_valhall_multiplex_of_warp, undefined_multiplex},
    {norn_valhall_integer_add_of_warp, undefined_sum},
    {norn_valhall_integer_subtract_of_warp, undefined_sum},
    {norn_valhall_integer_multiply_of_warp, undefined_product},
    {norn_valhall_select_by_condition_of_warp, undefined_selection},
};

uint64_t
norn_valhall_undefined_lane(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  const uint8_t *types = lane->row->source;
  uint64_t any = 0;
  for (unsigned i = 0; i < G_N_ELEMENTS(bit_functions); i++)
    if (bit_functions[i].function == lane->row->function)
      return norn_int_truncate(bit_functions[i].undefined(lane, s, u), result_width(lane));
  for (unsigned k = 0; k < NORN_VALHALL_SOURCES && types[k] != NORN_VALHALL_LANE_NONE; k++)
    any |= lane->row->flags & NORN_VALHALL_ROW_SOURCE_PER_LANE && k != lane->index ? 0 : u[k];
  return any ? norn_int_mask(result_width(lane)) : 0;
}
