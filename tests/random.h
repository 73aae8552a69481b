/* Numbers to test with. */
#ifndef NORN_TESTS_RANDOM_H
#define NORN_TESTS_RANDOM_H

#include <stdint.h>

/* xorshift64*: the same numbers everywhere. `state` is anything but zero. */
static inline uint64_t
random_next(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(0x2545F4914F6CDD1D);
}

#endif
