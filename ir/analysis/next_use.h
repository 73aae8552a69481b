/* How far away the next use of a value is, for spilling. */
#ifndef NORN_IR_ANALYSIS_NEXT_USE_H
#define NORN_IR_ANALYSIS_NEXT_USE_H

#include "ir/analysis/liveness.h"

#define NORN_NEVER UINT32_MAX

typedef struct NornDistanceNode NornDistanceNode;

/* The distances of all numbered values at some point: those in the node plus `more`. */
typedef struct NornDistances {
  const NornDistanceNode *node; /* NULL: all are the farthest */
  uint32_t more;
} NornDistances;

typedef struct NornNextUse {
  const NornFunction *function;
  const NornDominance *dominance;
  const NornLiveness *live;
  NornArena *arena, scratch; /* for what is kept; for temporary data */
  uint32_t *length;          /* instructions in each block */
  NornDistances *in;         /* at the start of each block; NULL: took too much memory */
  size_t nodes;
} NornNextUse;

/* Distances over all paths, in instructions; leaving a loop counts as a long path. Lives in the
 * arena. */
NornNextUse *norn_next_use_new(NornArena *arena, const NornFunction *function,
                               const NornDominance *dominance, const NornLiveness *live);

/* The distance from the start or end of a block to the next use of a value that is live there;
 * NORN_NEVER if it is not. */
uint32_t norn_next_use_in(const NornNextUse *next_use, uint32_t block, uint32_t value);
uint32_t norn_next_use_out(const NornNextUse *next_use, uint32_t block, uint32_t value);
/* Whether a use at such a distance lies outside the loop of the block that was asked about. */
bool norn_is_beyond_loop(uint32_t distance);

/* The first number, from `number` on, of a value that is live into the block, a loop header, and
 * used in the loop; NORN_INDEX_NONE if there is none. */
uint32_t norn_next_used_in_loop(const NornNextUse *next_use, uint32_t header, uint32_t number);

#endif
