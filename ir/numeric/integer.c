/* Arithmetic on integers of 1 to 64 bits. */
#include "ir/numeric.h"
#include "ir/numeric/wide.h"

#include <glib.h>

static SignedWide
widen(uint64_t a, unsigned width, bool is_signed) {
  return is_signed ? (SignedWide)norn_int_sign_extend(a, width)
                   : (SignedWide)norn_int_truncate(a, width);
}

static uint64_t
clamp_wide(SignedWide value, unsigned width, bool is_signed) {
  SignedWide high = norn_int_mask(is_signed ? width - 1 : width);
  SignedWide low = is_signed ? -high - 1 : 0;
  return norn_int_truncate((uint64_t)CLAMP(value, low, high), width);
}

uint64_t
norn_int_add_saturate(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  return clamp_wide(widen(a, width, is_signed) + widen(b, width, is_signed), width, is_signed);
}

uint64_t
norn_int_subtract_saturate(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  return clamp_wide(widen(a, width, is_signed) - widen(b, width, is_signed), width, is_signed);
}

uint64_t
norn_int_multiply_saturate(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  if (is_signed)
    return clamp_wide(widen(a, width, true) * widen(b, width, true), width, true);
  Wide product = (Wide)norn_int_truncate(a, width) * norn_int_truncate(b, width);
  return product > norn_int_mask(width) ? norn_int_mask(width) : (uint64_t)product;
}

uint64_t
norn_int_multiply_high(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  Wide product = is_signed ? (Wide)(widen(a, width, true) * widen(b, width, true))
                           : (Wide)norn_int_truncate(a, width) * norn_int_truncate(b, width);
  return norn_int_truncate((uint64_t)(product >> width), width);
}

uint64_t
norn_int_half_add(uint64_t a, uint64_t b, unsigned width, bool is_signed, bool round_up) {
  SignedWide sum = widen(a, width, is_signed) + widen(b, width, is_signed) + round_up;
  return norn_int_truncate((uint64_t)((Wide)sum >> 1), width);
}

uint64_t
norn_int_absolute(uint64_t a, unsigned width) {
  return norn_int_truncate(norn_int_sign_extend(a, width) < 0 ? -a : a, width);
}

uint64_t
norn_int_saturate(uint64_t value, unsigned from, bool from_signed, unsigned to, bool to_signed) {
  return clamp_wide(widen(value, from, from_signed), to, to_signed);
}

uint64_t
norn_int_rotate_left(uint64_t a, uint64_t amount, unsigned width) {
  unsigned shift = (unsigned)(amount % width);
  a = norn_int_truncate(a, width);
  return shift == 0 ? a : norn_int_truncate(a << shift | a >> (width - shift), width);
}

uint64_t
norn_int_rotate_right(uint64_t a, uint64_t amount, unsigned width) {
  return norn_int_rotate_left(a, width - amount % width, width);
}

uint64_t
norn_int_bit_reverse(uint64_t a, unsigned width) {
  uint64_t reversed = 0;
  for (unsigned i = 0; i < width; i++)
    reversed |= (a >> i & 1) << (width - 1 - i);
  return reversed;
}

unsigned
norn_int_population_count(uint64_t a, unsigned width) {
  return (unsigned)__builtin_popcountll(norn_int_truncate(a, width));
}

unsigned
norn_int_leading_zeros(uint64_t a, unsigned width) {
  a = norn_int_truncate(a, width);
  return a == 0 ? width : (unsigned)__builtin_clzll(a) - (64 - width);
}

unsigned
norn_int_trailing_zeros(uint64_t a, unsigned width) {
  a = norn_int_truncate(a, width);
  return a == 0 ? width : (unsigned)__builtin_ctzll(a);
}
