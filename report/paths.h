/* Shortest and longest paths through a program whose blocks have weights. */
#ifndef NORN_REPORT_PATHS_H
#define NORN_REPORT_PATHS_H

#include "report/program.h"

/* The loops of a program whose loops have one entry each. */
typedef struct NornReportLoops {
  const NornReportProgram *program;
  uint32_t *headers; /* inner loops before those around them */
  uint32_t header_count;
  uint32_t *first;  /* by header: where its blocks begin in `blocks`; then the end */
  uint32_t *blocks; /* of each loop, its header first, in reverse postorder */
  /* By block and by loop: number + 1 of the innermost loop around it, 0: there is none. */
  uint32_t *innermost, *outer;
  uint32_t *depth; /* by loop; 1: in no other */
  /* By loop: numbers such that those of the loops in a loop are the `size` ones from its own on. */
  uint32_t *number, *size;
  /* By block: where its predecessors begin in `before`; then the end. */
  uint32_t *first_before, *before;
  bool is_simple; /* no loop has several entries, nor are there too many in each other; else there
                     are no headers */
} NornReportLoops;

/* Finds the loops of the program, which must outlive them. */
void norn_report_loops_init(NornReportLoops *loops, const NornReportProgram *program);
void norn_report_loops_clear(NornReportLoops *loops);

/* Whether a block that is reached is in a loop. */
bool norn_report_loop_has(const NornReportLoops *loops, uint32_t loop, uint32_t block);

/* Whether a loop tests at its top whether to go on: its header then runs once more than the rest.
 * A header that jumps back to itself is top and bottom. */
bool norn_report_leaves_at_header(const NornReportLoops *loops, uint32_t loop);

#define NORN_REPORT_SYMBOLS 64
#define NORN_REPORT_NO_SYMBOL 0xFF

typedef struct NornReportIterations {
  /* By loop: how often it jumps back each time that it is entered, at most and at least. */
  uint64_t *jumps, *min_jumps;
  uint32_t *late; /* by loop: a block that dominates those that are passed only in iterations that
                     end in a jump back or leave by chance, not by the count; NORN_NO_BLOCK */
  uint32_t *last; /* by loop: the block that leaves it when the count has ended, NORN_NO_BLOCK */
  uint64_t *
      before; /* by loop: how often it has jumped back when that block leaves, beside `min_jumps` */
  uint8_t *symbols; /* by loop: the number of the symbol that stands for its trips in terms, or
                       NORN_REPORT_NO_SYMBOL */
} NornReportIterations;

/* Part of a length: `weight` times the trips of all loops whose symbols have their bits set. */
typedef struct NornReportTerm {
  uint64_t symbols;
  double weight;
} NornReportTerm;

/* The least weight of a path from the entry to an end; false if there is none. */
bool norn_report_shortest(const NornReportLoops *loops, const uint64_t *weights,
                          const NornReportIterations *iterations, uint64_t *length);
/* The greatest weight of a path from the entry to an end. False if there is none. `terms`
 * (nullable, NornReportTerm) gets the sum that it is, constant part first, or nothing if that is
 * too long. */
bool norn_report_longest(const NornReportLoops *loops, const uint64_t *weights,
                         const NornReportIterations *iterations, uint64_t *length, GArray *terms);

#endif
