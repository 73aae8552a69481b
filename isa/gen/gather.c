/* Bits of a word that are gathered for a lookup. */
#include "isa/gen/gen.h"
#include <string.h>

uint64_t
gen_lowest_run(uint64_t bits) {
  return bits & ~(bits + (bits & -bits));
}

bool
gen_gather(uint64_t bits, NornIsaGather *gather) {
  uint64_t low = gen_lowest_run(bits), high = bits & ~low;
  unsigned width = (unsigned)__builtin_popcountll(low);
  memset(gather, 0, sizeof *gather);
  if (high != gen_lowest_run(high) || __builtin_popcountll(bits) > 16)
    return false;
  if (low) {
    gather->low_shift = (uint8_t)__builtin_ctzll(low);
    gather->low_mask = (uint16_t)(low >> gather->low_shift);
  }
  if (high) {
    gather->high_shift = (uint8_t)((unsigned)__builtin_ctzll(high) - width);
    gather->high_mask = (uint16_t)(high >> gather->high_shift);
  }
  return true;
}

uint64_t
gen_fill_gaps(uint64_t bits, unsigned max_runs) {
  for (;;) {
    uint64_t rest = bits, gap = 0;
    unsigned runs = 0;
    while (rest) {
      uint64_t run = gen_lowest_run(rest);
      rest &= ~run;
      runs++;
      uint64_t between = ((rest & -rest) - 1) & ~(run | (run - 1));
      if (rest && (!gap || __builtin_popcountll(between) < __builtin_popcountll(gap)))
        gap = between;
    }
    if (runs <= max_runs)
      return bits;
    bits |= gap;
  }
}

uint64_t
gen_scatter(uint64_t bits, unsigned index) {
  uint64_t word = 0;
  for (; bits; bits &= bits - 1, index >>= 1) {
    if (index & 1)
      word |= bits & -bits;
  }
  return word;
}
