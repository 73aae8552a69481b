/* Numbers drawn from a seed, the same everywhere (xorshift64*). */
#ifndef NORN_SIM_COMMON_RANDOM_H
#define NORN_SIM_COMMON_RANDOM_H

#include <stdint.h>

/* The next state's number below `below`, which is not 0; *state is not 0. */
static inline uint32_t
norn_random_below(uint64_t *state, uint32_t below) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((*state * UINT64_C(0x2545F4914F6CDD1D) >> 32) * below >> 32);
}

#endif
