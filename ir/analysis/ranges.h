/* Upper bounds of integers, as far as they follow from the operations that compute them. */
#ifndef NORN_IR_ANALYSIS_RANGES_H
#define NORN_IR_ANALYSIS_RANGES_H

#include "ir/analysis/dominance.h"
#include "ir/replacements.h"

/* The greatest unsigned value that `ref`, of type `type`, can have: the greatest of the type if
 * nothing is known or it is not a scalar integer. Looks through a few definitions, through values
 * that have replacements (may be NULL), and through block parameters, including loop counters, to
 * their arguments (only if dominance is given; it may be NULL). */
uint64_t norn_greatest_integer(const NornFunction *function, const NornDominance *dominance,
                               const NornReplacements *replacements, NornRef ref, NornType type);

/* How many of the lowest bits of a 32-bit or 64-bit address are known to be 0, at most 32. */
unsigned norn_known_zeros(const NornFunction *function, NornRef ref);

/* All ones up to the highest set bit. */
static inline uint64_t
norn_filled_bits(uint64_t bits) {
  return bits ? UINT64_MAX >> __builtin_clzll(bits) : 0;
}

#endif
