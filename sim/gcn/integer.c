/* Integer arithmetic, bits and sums of differences, lane by lane. */
#include "sim/gcn/lane.h"

/* --- Integers --- */

COMPUTE(copy, a)
COMPUTE(bit_not, ~a &UINT32_MAX)
COMPUTE(bit_and, a &b)
COMPUTE(bit_or, a | b)
COMPUTE(bit_xor, a ^ b)
COMPUTE(or3, a | b | c)
COMPUTE(and_or, (a & b) | c)
COMPUTE(bit_insert, (a & b) | (~a & c))
COMPUTE(bit_mask, ((UINT64_C(1) << (a & 31)) - 1) << (b & 31) & UINT32_MAX)
COMPUTE(bit_reverse, norn_int_bit_reverse(a, 32))
COMPUTE(add3, a + b + c)
COMPUTE(xor_add, (a ^ b) + c)
COMPUTE(shift_left_add, (uint32_t)(a << (b & 31)) + c)
COMPUTE(add_shift_left, (uint64_t)(uint32_t)(a + b) << (c & 31) & UINT32_MAX)
COMPUTE(shift_left_or, (uint32_t)(a << (b & 31)) | c)
COMPUTE(minimum, SIGNED(a) < SIGNED(b) ? a : b)
COMPUTE(maximum, SIGNED(a) > SIGNED(b) ? a : b)
COMPUTE(multiply_low, (uint32_t)(a *b))
COMPUTE(multiply_low_16, (uint16_t)(a *b))
COMPUTE(multiply_high_unsigned, a *b >> 32)
COMPUTE(multiply_high_signed, (uint64_t)(SIGNED(a) * SIGNED(b) >> 32))
COMPUTE(multiply_add, a *b + c)
COMPUTE(count_add, norn_int_population_count(a, 32) + b)
COMPUTE(align_bit, (uint32_t)((a << 32 | b) >> (c & 31)))
COMPUTE(align_byte, (uint32_t)((a << 32 | b) >> (c & 3) * 8))
COMPUTE(pack, a | b << 16)
COMPUTE(select_by_mask, c ? b : a)

/* Shifts: "reversed" ones take the amount from the first source. Left shifts are truncated to
 * the width before CLAMP can see the bits that are shifted out. */
COMPUTE(shift_left, (uint32_t)(a << (b & 31)))
COMPUTE(shift_left_reversed, (uint32_t)(b << (a & 31)))
COMPUTE(shift_left_reversed_16, (uint16_t)(b << (a & 15)))
COMPUTE(shift_right, (uint64_t)(SIGNED(a) >> (b & 31)))
COMPUTE(shift_right_reversed, (uint64_t)(SIGNED(b) >> (a & 31)))
COMPUTE(shift_right_reversed_16, (uint64_t)(SIGNED(b) >> (a & 15)))
COMPUTE(shift_left_64, a << (b & 63))
COMPUTE(shift_left_reversed_64, b << (a & 63))
COMPUTE(shift_right_64, a >> (b & 63))
COMPUTE(shift_right_reversed_64, b >> (a & 63))
COMPUTE(shift_right_signed_64, (uint64_t)(SIGNED(a) >> (b & 63)))
COMPUTE(shift_right_signed_reversed_64, (uint64_t)(SIGNED(b) >> (a & 63)))

static void
add_with_carry(NornGcnLane *l, uint64_t a, uint64_t b, unsigned carry) {
  l->result = a + b + carry;
  l->carry = ((a & UINT32_MAX) + (b & UINT32_MAX) + carry) >> 32;
}

static void
subtract_with_borrow(NornGcnLane *l, uint64_t a, uint64_t b, unsigned borrow) {
  l->result = a - b - borrow;
  l->carry = (a & UINT32_MAX) < (b & UINT32_MAX) + borrow;
}

LANE(add) {
  (void)row;
  add_with_carry(l, l->src[0], l->src[1], 0);
}

LANE(subtract) {
  (void)row;
  subtract_with_borrow(l, l->src[0], l->src[1], 0);
}

LANE(subtract_reversed) {
  (void)row;
  subtract_with_borrow(l, l->src[1], l->src[0], 0);
}

LANE(add_carry) {
  (void)row;
  add_with_carry(l, l->src[0], l->src[1], l->src[2] != 0);
}

LANE(subtract_borrow) {
  (void)row;
  subtract_with_borrow(l, l->src[0], l->src[1], l->src[2] != 0);
}

LANE(subtract_borrow_reversed) {
  (void)row;
  subtract_with_borrow(l, l->src[1], l->src[0], l->src[2] != 0);
}

/* The second result is the carry out of bit 63. */
LANE(multiply_add_u64) {
  (void)row;
  l->result = l->src[0] * l->src[1] + l->src[2];
  l->carry = l->result < l->src[2];
  if (l->carry && l->inst->clamp)
    l->result = UINT64_MAX;
}

/* The second result is bit 64 of the exact signed sum, that is, its sign. */
LANE(multiply_add_i64) {
  (void)row;
  uint64_t product = l->src[0] * l->src[1];
  bool sum_negative;
  l->result = product + l->src[2];
  if (product >> 63 == l->src[2] >> 63)
    sum_negative = product >> 63;
  else
    sum_negative = l->result >> 63;
  if (l->inst->clamp && sum_negative != (l->result >> 63 != 0))
    l->result = sum_negative ? (uint64_t)INT64_MIN : (uint64_t)INT64_MAX;
  l->carry = sum_negative;
}

static uint64_t
extract(uint64_t value, unsigned shift, unsigned length) {
  return length == 0 ? 0 : norn_int_truncate(value >> shift, MIN(length, 32 - shift));
}

LANE(extract_unsigned) {
  (void)row;
  l->result = extract(l->src[0], l->src[1] & 31, l->src[2] & 31);
}

LANE(extract_signed) {
  (void)row;
  unsigned shift = l->src[1] & 31, length = MIN(l->src[2] & 31, 32 - shift);
  uint64_t bits = extract(l->src[0], shift, length);
  l->result = length == 0 ? 0 : (uint64_t)norn_int_sign_extend(bits, length);
}

static int64_t
min(int64_t a, int64_t b) {
  return MIN(a, b);
}

static int64_t
max(int64_t a, int64_t b) {
  return MAX(a, b);
}

COMPUTE(minimum3, (uint64_t)min(min(SIGNED(a), SIGNED(b)), SIGNED(c)))
COMPUTE(maximum3, (uint64_t)max(max(SIGNED(a), SIGNED(b)), SIGNED(c)))
COMPUTE(median3,
        (uint64_t)max(min(SIGNED(a), SIGNED(b)), min(max(SIGNED(a), SIGNED(b)), SIGNED(c))))

/* Leading zeros; -1 if no bit is set. */
COMPUTE(find_high_unsigned, a == 0 ? UINT32_MAX : norn_int_leading_zeros(a, 32))
COMPUTE(find_low, a == 0 ? UINT32_MAX : norn_int_trailing_zeros(a, 32))

/* The first bit below the sign bit that differs from it, counted from the top. */
LANE(find_high_signed) {
  (void)row;
  uint32_t value = (uint32_t)l->src[0];
  uint32_t differs = value ^ (value >> 31 ? UINT32_MAX : 0);
  l->result = differs == 0 ? UINT32_MAX : norn_int_leading_zeros(differs, 32);
}

COMPUTE(count_below_low, b + norn_int_population_count(a & norn_int_mask(MIN(l->number, 32u)), 32))
COMPUTE(count_below_high,
        b + norn_int_population_count(a & norn_int_mask(l->number > 32 ? l->number - 32 : 0), 32))

LANE(permute_bytes) {
  (void)row;
  uint64_t bytes = l->src[0] << 32 | l->src[1];
  l->result = 0;
  for (unsigned i = 0; i < 4; i++) {
    unsigned choice = l->src[2] >> 8 * i & 0xff;
    uint64_t byte;
    if (choice < 8)
      byte = bytes >> 8 * choice & 0xff;
    else if (choice < 12)
      byte = bytes >> (16 * (choice - 8) + 15) & 1 ? 0xff : 0;
    else
      byte = choice == 12 ? 0 : 0xff;
    l->result |= byte << 8 * i;
  }
}

LANE(average_bytes) {
  (void)row;
  l->result = 0;
  for (unsigned i = 0; i < 32; i += 8) {
    uint64_t sum = (l->src[0] >> i & 0xff) + (l->src[1] >> i & 0xff) + (l->src[2] >> i & 1);
    l->result |= (sum >> 1) << i;
  }
}

/* --- Sums of absolute differences --- */

static uint64_t
distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

/* Sum over four bytes; a masked sum skips the bytes where B is zero. */
static uint64_t
byte_distance(uint64_t a, uint64_t b, bool masked) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < 32; i += 8)
    if (!masked || (b >> i & 0xff) != 0)
      sum += distance(a >> i & 0xff, b >> i & 0xff);
  return sum;
}

COMPUTE(sad_u8, byte_distance(a, b, false) + c)
COMPUTE(sad_hi_u8, (byte_distance(a, b, false) << 16) + c)
COMPUTE(msad_u8, byte_distance(a, b, true) + c)
COMPUTE(sad_u16, distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16) + c)
COMPUTE(sad_u32, distance(a, b) + c)

/* Four sums of 16 bits; the reference advances by one byte from each to the next. */
static uint64_t
packed_sums(const NornGcnLane *l, bool masked) {
  uint64_t packed = 0;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t sum = byte_distance(l->src[0] >> 8 * i & UINT32_MAX, l->src[1], masked) +
                   (l->src[2] >> 16 * i & 0xffff);
    if (l->inst->clamp)
      sum = MIN(sum, 0xffff);
    packed |= (sum & 0xffff) << 16 * i;
  }
  return packed;
}

COMPUTE(qsad_pk_u16, packed_sums(l, false))
COMPUTE(mqsad_pk_u16, packed_sums(l, true))

/* Four sums of 32 bits, which saturate. */
LANE(mqsad_u32) {
  (void)row;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t sum = byte_distance(l->src[0] >> 8 * i & UINT32_MAX, l->src[1], true) + l->wide[i];
    l->wide[i] = (uint32_t)MIN(sum, UINT32_MAX);
  }
}
