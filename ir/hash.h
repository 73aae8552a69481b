/* Hashing of numbers and of short texts. */
#ifndef NORN_IR_HASH_H
#define NORN_IR_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* 2^64 divided by the golden ratio: multiplying by it moves differences to the high bits. */
#define NORN_HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15)

static inline uint64_t
norn_hash_mix(uint64_t state, uint64_t bits) {
  state = (state ^ bits) * NORN_HASH_FACTOR;
  return state ^ state >> 32;
}

static inline uint64_t
norn_hash_load(const char *text, size_t size) {
  uint64_t bits = 0;
  memcpy(&bits, text, size);
  return bits;
}

/* The hash of a text of at least one byte. The low four bits are a number below 10 derived from the
 * last byte; the others are a mix of all bytes before it. Consecutively numbered names thus share
 * all but the low bits, and a table can keep them together. The seed prevents anyone from
 * constructing texts that all have the same hash. */
static inline uint32_t
norn_hash(uint64_t seed, const char *text, size_t length) {
  uint64_t state = seed ^ length;
  size_t left = length - 1;
  const char *at = text;
  for (; left > 8; left -= 8, at += 8)
    state = norn_hash_mix(state, norn_hash_load(at, 8));
  if (left >= 4)
    state = norn_hash_mix(state, norn_hash_load(at, 4) << 32 | norn_hash_load(at + left - 4, 4));
  else if (left)
    state = norn_hash_mix(state, (uint64_t)(unsigned char)at[0] << 16 |
                                     (uint64_t)(unsigned char)at[left / 2] << 8 |
                                     (unsigned char)at[left - 1]);
  state = norn_hash_mix(state, 0);
  uint32_t last = (unsigned char)text[length - 1] & 15;
  return ((uint32_t)state & ~UINT32_C(15)) | (last < 10 ? last : last - 6);
}

/* Whether two texts of the same length are equal; fast for short ones. */
static inline bool
norn_same_bytes(const char *a, const char *b, size_t length) {
  if (length > 16)
    return !memcmp(a, b, length);
  if (length >= 8)
    return norn_hash_load(a, 8) == norn_hash_load(b, 8) &&
           norn_hash_load(a + length - 8, 8) == norn_hash_load(b + length - 8, 8);
  if (length >= 4)
    return norn_hash_load(a, 4) == norn_hash_load(b, 4) &&
           norn_hash_load(a + length - 4, 4) == norn_hash_load(b + length - 4, 4);
  for (size_t i = 0; i < length; i++)
    if (a[i] != b[i])
      return false;
  return true;
}

/* Copies a text; fast for short ones. */
static inline void
norn_copy_bytes(char *to, const char *from, size_t length) {
  if (length > 16) {
    memcpy(to, from, length);
  } else if (length >= 8) {
    memcpy(to, from, 8);
    memcpy(to + length - 8, from + length - 8, 8);
  } else if (length >= 4) {
    memcpy(to, from, 4);
    memcpy(to + length - 4, from + length - 4, 4);
  } else {
    for (size_t i = 0; i < length; i++)
      to[i] = from[i];
  }
}

#endif
