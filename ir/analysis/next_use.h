/* How far away the next use of a value is, for spilling. */
#ifndef NORN_IR_ANALYSIS_NEXT_USE_H
#define NORN_IR_ANALYSIS_NEXT_USE_H

#include "ir/analysis/liveness.h"

#define NORN_NEVER UINT32_MAX

typedef struct NornNextUse {
  const NornFunction *function;
  const NornDominance *dominance;
  const NornLiveness *live;
  uint32_t *length; /* instructions of each block */
  uint16_t
      *in; /* per block and numbered value: instructions from the block's start; NULL: too big */
} NornNextUse;

/* Distances over all paths, in instructions; leaving a loop counts as a long one. Lives in
 * the arena. */
NornNextUse *norn_next_use_new(NornArena *arena, const NornFunction *function,
                               const NornDominance *dominance, const NornLiveness *live);

/* The distance from the start of a block, or from its end, to the next use of a value that is
 * live there; NORN_NEVER if it is not. */
uint32_t norn_next_use_in(const NornNextUse *next_use, uint32_t block, uint32_t value);
uint32_t norn_next_use_out(const NornNextUse *next_use, uint32_t block, uint32_t value);
/* Whether such a distance lies outside of the loop that it was asked for in. */
bool norn_is_beyond_loop(uint32_t distance);

#endif
