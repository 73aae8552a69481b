/* Shortest and longest paths through a program whose blocks have weights. */
#ifndef NORN_REPORT_PATHS_H
#define NORN_REPORT_PATHS_H

#include "report/program.h"

/* The loops of a program whose loops have one entry each. */
typedef struct NornReportLoops {
  const NornReportProgram *program;
  uint32_t *headers; /* inner loops before those around them */
  uint32_t header_count;
  uint32_t *first;   /* by header: where its blocks begin in `blocks`; then the end */
  uint32_t *blocks;  /* of each loop, its header first, in reverse postorder */
  bool is_reducible; /* no loop has several entries; else there are no headers */
} NornReportLoops;

void norn_report_loops_init(NornReportLoops *loops, const NornReportProgram *program);
void norn_report_loops_clear(NornReportLoops *loops);

/* The least weight of a way from the entry to an end; false if there is none. */
bool norn_report_shortest(const NornReportProgram *program, const uint64_t *weights,
                          uint64_t *length);
/* The greatest, where each loop runs `trips` times each time that it is entered: it jumps back that
 * often if its header can leave it, else once less. False if there is none. */
bool norn_report_longest(const NornReportLoops *loops, const uint64_t *weights, unsigned trips,
                         uint64_t *length);

#endif
