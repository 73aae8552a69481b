/* Trip counts of loops, where known. */
#ifndef NORN_IR_ANALYSIS_TRIP_COUNT_H
#define NORN_IR_ANALYSIS_TRIP_COUNT_H

#include "ir/analysis/dominance.h"

/* A loop whose header dominates all its blocks. */
typedef struct NornNaturalLoop {
  const NornFunction *function;
  const NornDominance *dominance;
  uint32_t header;
} NornNaturalLoop;

/* A block of a loop that is executed exactly once in each iteration, is in no inner loop, and ends
 * in a branch with one edge that leaves the loop. Iterations are counted from 0. */
typedef struct NornTripCount {
  uint32_t exit; /* the block */
  unsigned edge; /* of its branch: the edge that leaves */
  uint32_t last; /* the iteration in which the branch leaves; in earlier ones it stays */
  unsigned cost; /* instructions of the loop that only compute the condition */
} NornTripCount;

/* Finds the exit that leaves the loop first, if it does so by iteration `max_last`. The number of
 * evaluated instructions is added to *work. */
bool norn_find_trip_count(const NornNaturalLoop *loop, uint32_t max_last, NornTripCount *found,
                          uint64_t *work);

/* Whether the value is a parameter of the loop's header to which each iteration adds the same
 * constant (*step). */
bool norn_find_step(const NornNaturalLoop *loop, NornRef counter, int64_t *step);

/* A branch at the end of each iteration that goes back as long as the counter of the next iteration
 * is before a limit or, counting down, behind it. The limit need not be known; it is the same in
 * all iterations. */
typedef struct NornLimit {
  uint32_t latch; /* the block, the only one with an edge back to the header */
  unsigned edge;  /* of its branch: the edge that leaves the loop */
  NornType type;  /* of the counter: i32 or i64 */
  NornRef limit;
  unsigned condition; /* NornIntCondition between counter and limit under which the loop goes on; if
                         it is NE, the step is 1 */
  unsigned parameter; /* of the header: the counter */
  bool goes_down;     /* what each iteration adds to the counter is negative */
  uint64_t step;      /* the absolute value of that, from 1 to NORN_MAX_STEP */
} NornLimit;
#define NORN_MAX_STEP 65536

bool norn_find_limit(const NornNaturalLoop *loop, NornLimit *found);

/* Whether the condition (an i1) is `first` in the first iteration of a loop, and the other value in
 * all later ones, wherever it is computed. last: an iteration in which the loop is left at the
 * latest, or NORN_INDEX_NONE; limit: see norn_find_limit(), or NULL; *work: see
 * norn_find_trip_count(). */
bool norn_tells_first(const NornNaturalLoop *loop, NornRef condition, uint32_t last,
                      const NornLimit *limit, bool *first, uint64_t *work);

/* Whether the value is computed only from constants and the counters of the loop and its outer
 * loops. Counters are parameters of headers whose initial and next values are themselves such
 * values. */
bool norn_is_counted(const NornNaturalLoop *loop, NornRef ref);

#endif
