/* How often loops run, where that is known. */
#ifndef NORN_IR_ANALYSIS_TRIP_COUNT_H
#define NORN_IR_ANALYSIS_TRIP_COUNT_H

#include "ir/analysis/dominance.h"

/* A block of a loop that is executed once in each iteration, in no loop inside of it, and ends in a
 * branch of which one edge leaves the loop. Iterations are counted from 0. */
typedef struct NornTripCount {
  uint32_t exit; /* the block */
  unsigned edge; /* of its branch: the one that leaves */
  uint32_t last; /* the iteration in which the branch leaves; in those before it stays */
  unsigned cost; /* instructions of the loop that only compute the condition */
} NornTripCount;

/* Finds the exit that leaves the loop first, if it does so in iteration `max_last` or before. The
 * loop's header must dominate its blocks. */
bool norn_find_trip_count(const NornFunction *function, const NornDominance *dominance,
                          uint32_t header, uint32_t max_last, NornTripCount *found);

/* Whether the value is computed from constants and the counters of the loop alone, or of those
 * around it: from parameters of headers that begin as such values and continue as such. */
bool norn_is_counted(const NornFunction *function, const NornDominance *dominance, uint32_t header,
                     NornRef ref);

#endif
