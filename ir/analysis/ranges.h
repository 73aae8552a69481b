/* How great integers can be, as far as the operations that make them show it. */
#ifndef NORN_IR_ANALYSIS_RANGES_H
#define NORN_IR_ANALYSIS_RANGES_H

#include "ir/analysis/dominance.h"
#include "ir/replacements.h"

/* The greatest value, without sign, that `ref`, of type `type`, can have: the type's greatest if
 * nothing is known, or if it is no scalar integer. Looks a few definitions back, past values that
 * have replacements (may be NULL), and into blocks before a parameter's, counters of loops among
 * them (not without dominance, which may be NULL). */
uint64_t norn_greatest_integer(const NornFunction *function, const NornDominance *dominance,
                               const NornReplacements *replacements, NornRef ref, NornType type);

/* How many of its lowest bits are known to be 0, at most 32, of an address, one of 32 or of 64
 * bits.
 */
unsigned norn_known_zeros(const NornFunction *function, NornRef ref);

/* All ones up to the highest bit that is set. */
static inline uint64_t
norn_filled_bits(uint64_t bits) {
  return bits ? UINT64_MAX >> __builtin_clzll(bits) : 0;
}

#endif
