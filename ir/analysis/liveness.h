/* Which values are live where. Computed on demand and invalidated by any change to values, uses or
 * blocks. */
#ifndef NORN_IR_ANALYSIS_LIVENESS_H
#define NORN_IR_ANALYSIS_LIVENESS_H

#include "ir/analysis/dominance.h"
#include "ir/shared_set.h"

/* Only values used outside their defining block are in the sets; these are numbered. */
typedef struct NornLiveness {
  uint32_t *number; /* per value; NORN_INDEX_NONE: only live inside its block */
  uint32_t *value;  /* per number */
  uint32_t count;
  NornSetSpace space; /* of the sets of numbers */
  NornSet *in, *out;  /* per block */
} NornLiveness;

/* A block's parameters are not in its live-in set. The arguments of a terminator are uses in its
 * own block, so they are live-out only if the successor itself uses them. Unreachable blocks have
 * empty sets. Lives in the arena. */
NornLiveness *norn_liveness_new(NornArena *arena, const NornFunction *function,
                                const NornDominance *dominance);

static inline bool
norn_live_in(const NornLiveness *liveness, uint32_t block, uint32_t value) {
  uint32_t number = liveness->number[value];
  return number != NORN_INDEX_NONE && norn_set_has(&liveness->space, liveness->in[block], number);
}

static inline bool
norn_live_out(const NornLiveness *liveness, uint32_t block, uint32_t value) {
  uint32_t number = liveness->number[value];
  return number != NORN_INDEX_NONE && norn_set_has(&liveness->space, liveness->out[block], number);
}

/* norn_for_each_live(liveness, liveness->out[block], value) { ... } */
#define norn_for_each_live(liveness, set, value)                                                   \
  for (uint32_t value##_number = norn_set_next(&(liveness)->space, (set), 0),                      \
                value = NORN_INDEX_NONE;                                                           \
       value##_number != NORN_INDEX_NONE && (value = (liveness)->value[value##_number], true);     \
       value##_number = norn_set_next(&(liveness)->space, (set), value##_number + 1))

#endif
