/* The steps that convert a direction to a face of a cube map and a position on it, lane by lane. */
#include "isa/valhall_abi.h"
#include "sim/valhall/lane.h"

#define CUBE_INFINITE_BIT (UINT64_C(1) << 16)
#define CUBE_FACE_OF_NAN 4

/* The largest magnitude of three coordinates, or NaN if one of them is NaN. */
static uint64_t
largest_magnitude(const uint64_t *s) {
  uint64_t largest = 0;
  for (unsigned i = 0; i < 3; i++) {
    if (norn_float_is_nan(NORN_FLOAT_32, s[i]))
      return norn_float_quiet_nan(NORN_FLOAT_32);
    largest = MAX(largest, norn_float_absolute(NORN_FLOAT_32, s[i]));
  }
  return largest;
}

static uint64_t
cube_magnitude(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  uint64_t largest = largest_magnitude(s);
  if (norn_float_is_infinite(NORN_FLOAT_32, largest))
    return norn_float_one(NORN_FLOAT_32, false);
  if (largest <= norn_int_mask(norn_float_fraction_bits(NORN_FLOAT_32)))
    return norn_float_from_double(NORN_FLOAT_32, 2.0);
  return largest;
}

static uint64_t
cube_face(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  uint64_t largest = largest_magnitude(s);
  if (norn_float_is_nan(NORN_FLOAT_32, largest))
    return (uint64_t)CUBE_FACE_OF_NAN << NORN_VALHALL_CUBE_FACE_SHIFT;
  unsigned axis = 2;
  while (axis > 0 && norn_float_absolute(NORN_FLOAT_32, s[axis]) != largest)
    axis--;
  uint64_t a = s[axis];
  bool negative = norn_float_is_negative(NORN_FLOAT_32, a) && !norn_float_is_zero(NORN_FLOAT_32, a);
  uint64_t infinite = norn_float_is_infinite(NORN_FLOAT_32, largest) ? CUBE_INFINITE_BIT : 0;
  return (uint64_t)(2 * axis + negative) << NORN_VALHALL_CUBE_FACE_SHIFT | infinite;
}

enum { PLUS_A, MINUS_A, PLUS_B, MINUS_B };

/* Which of the two coordinates each face uses, as in the APIs' tables. Faces 6 and 7 do not
 * occur. */
static const uint8_t cube_s_choice[8] = {MINUS_A, PLUS_A,  PLUS_B, PLUS_B,
                                         PLUS_B,  MINUS_B, PLUS_B, PLUS_B};
static const uint8_t cube_t_choice[8] = {MINUS_A, MINUS_A, PLUS_B,  MINUS_B,
                                         MINUS_A, MINUS_A, MINUS_A, MINUS_A};

/* If the direction is marked as infinite, infinities count as 1 and finite values as 0. This is
 * a guess with which the coordinates are 0, 1/2 or 1. */
static uint64_t
cube_coordinate(const uint8_t *choices, const uint64_t *s) {
  unsigned choice = choices[s[2] >> NORN_VALHALL_CUBE_FACE_SHIFT & 7];
  uint64_t a = choice == PLUS_A || choice == MINUS_A ? s[0] : s[1];
  if (choice == MINUS_A || choice == MINUS_B)
    a = norn_float_negate(NORN_FLOAT_32, a);
  if (!(s[2] & CUBE_INFINITE_BIT))
    return a;
  if (norn_float_is_infinite(NORN_FLOAT_32, a))
    return norn_float_one(NORN_FLOAT_32, norn_float_is_negative(NORN_FLOAT_32, a));
  return 0;
}

static uint64_t
cube_s(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return cube_coordinate(cube_s_choice, s);
}

static uint64_t
cube_t(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return cube_coordinate(cube_t_choice, s);
}

FOR_WARP(cube_magnitude)
FOR_WARP(cube_face)
FOR_WARP(cube_s)
FOR_WARP(cube_t)
