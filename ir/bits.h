/* Sets of small numbers as arrays of words: bit n of the array for number n. */
#ifndef NORN_IR_BITS_H
#define NORN_IR_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool
norn_bit(const uint64_t *bits, size_t index) {
  return bits[index / 64] >> index % 64 & 1;
}

static inline void
norn_set_bit(uint64_t *bits, size_t index) {
  bits[index / 64] |= UINT64_C(1) << index % 64;
}

static inline void
norn_clear_bit(uint64_t *bits, size_t index) {
  bits[index / 64] &= ~(UINT64_C(1) << index % 64);
}

#endif
