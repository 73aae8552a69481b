/* Random numbers drawn from a seed, the same on every platform. */
#ifndef NORN_IR_RANDOM_H
#define NORN_IR_RANDOM_H

#include <stdint.h>

/* xorshift64*; *state must not be 0. */
static inline uint64_t
norn_random_next(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* A random number less than `below`, which must not be 0. */
static inline uint32_t
norn_random_below(uint64_t *state, uint32_t below) {
  return (uint32_t)((norn_random_next(state) >> 32) * below >> 32);
}

/* A linear congruential generator, 31 bits at a time. Passes draw from it, so the code that a seed
 * yields depends on it. */
static inline uint32_t
norn_random_linear(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33);
}

#endif
