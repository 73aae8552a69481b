/* Which values are live where. Computed on demand; void after a change to values, uses or blocks.
 */
#ifndef NORN_IR_ANALYSIS_LIVENESS_H
#define NORN_IR_ANALYSIS_LIVENESS_H

#include "ir/analysis/dominance.h"

/* Only values used outside of their own block take part in the sets; they are numbered. */
typedef struct NornLiveness {
  uint32_t *number; /* per value, NORN_INDEX_NONE: only live inside its block */
  uint32_t *value;  /* per number */
  uint32_t count;
  uint32_t words;     /* of a set */
  uint64_t *in, *out; /* `words` words for each block, bit n for number n */
} NornLiveness;

/* A block's parameters are not in its live-in set; the arguments of a terminator are used by its
 * own block, so they are live-out only if the successor itself uses them. Unreachable blocks have
 * empty sets. Lives in the arena. */
NornLiveness *norn_liveness_new(NornArena *arena, const NornFunction *function,
                                const NornDominance *dominance);

static inline bool
norn_live_in(const NornLiveness *liveness, uint32_t block, uint32_t value) {
  uint32_t number = liveness->number[value];
  return number != NORN_INDEX_NONE &&
         liveness->in[(size_t)block * liveness->words + number / 64] >> number % 64 & 1;
}

static inline bool
norn_live_out(const NornLiveness *liveness, uint32_t block, uint32_t value) {
  uint32_t number = liveness->number[value];
  return number != NORN_INDEX_NONE &&
         liveness->out[(size_t)block * liveness->words + number / 64] >> number % 64 & 1;
}

/* The first number from `number` on in the block's set. */
static inline uint32_t
norn_next_live(const NornLiveness *liveness, const uint64_t *sets, uint32_t block,
               uint32_t number) {
  const uint64_t *set = sets + (size_t)block * liveness->words;
  uint32_t word = number / 64;
  if (word >= liveness->words)
    return NORN_INDEX_NONE;
  uint64_t rest = set[word] & UINT64_MAX << number % 64;
  while (!rest) {
    if (++word == liveness->words)
      return NORN_INDEX_NONE;
    rest = set[word];
  }
  return word * 64 + (uint32_t)__builtin_ctzll(rest);
}

/* norn_for_each_live(liveness, liveness->out, block, value) { ... } */
#define norn_for_each_live(liveness, sets, block, value)                                           \
  for (uint32_t value##_number = norn_next_live(liveness, sets, block, 0),                         \
                value = NORN_INDEX_NONE;                                                           \
       value##_number != NORN_INDEX_NONE && (value = (liveness)->value[value##_number], true);     \
       value##_number = norn_next_live(liveness, sets, block, value##_number + 1))

#endif
