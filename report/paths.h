/* Shortest and longest paths through a program whose blocks have weights. */
#ifndef NORN_REPORT_PATHS_H
#define NORN_REPORT_PATHS_H

#include "report/loops.h"

#define NORN_REPORT_SYMBOLS 64
#define NORN_REPORT_NO_SYMBOL 0xFF

typedef struct NornReportIterations {
  /* By loop: how often it jumps back each time it is entered, at most and at least. */
  uint64_t *jumps, *min_jumps;
  uint32_t *late;   /* by loop: a block that dominates the blocks that are passed only in iterations
                       that end in a jump back or leave the loop for a reason other than the count;
                       NORN_NO_BLOCK */
  uint32_t *last;   /* by loop: the block that leaves it when the count ends, or NORN_NO_BLOCK */
  uint64_t *before; /* by loop: how often it has jumped back when that block leaves, in addition to
                       `min_jumps` */
  uint8_t *symbols; /* by loop: the number of the symbol for its trip count in terms, or
                       NORN_REPORT_NO_SYMBOL */
} NornReportIterations;

/* Part of a length: `weight` times the trip counts of all loops whose symbols have their bits
 * set. */
typedef struct NornReportTerm {
  uint64_t symbols;
  double weight;
} NornReportTerm;

/* The least weight of a path from the entry to an end; false if there is none. */
bool norn_report_shortest(const NornReportLoops *loops, const uint64_t *weights,
                          const NornReportIterations *iterations, uint64_t *length);
/* The greatest weight of a path from the entry to an end. False if there is none. `terms`
 * (nullable, NornReportTerm) receives the weight as a sum, constant part first, or nothing if
 * the sum is too long. */
bool norn_report_longest(const NornReportLoops *loops, const uint64_t *weights,
                         const NornReportIterations *iterations, uint64_t *length, GArray *terms);

#endif
