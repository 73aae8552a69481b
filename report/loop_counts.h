/* The loops of a program and how often they run. */
#ifndef NORN_REPORT_LOOP_COUNTS_H
#define NORN_REPORT_LOOP_COUNTS_H

#include "report/paths.h"

typedef struct NornReportCounts {
  NornReportLoops loops;
  NornReportIterations iterations;
  bool *is_counted; /* by loop: the code determines how often at most */
  bool *is_exact;   /* by loop: the count is also a minimum */
  bool has_symbols; /* each of the loops that are not counted has a symbol */
} NornReportCounts;

/* Loops that are not counted run `trips` times, at least 1. */
void norn_report_counts_init(NornReportCounts *counts, const NornReportProgram *program,
                             unsigned trips);
void norn_report_counts_clear(NornReportCounts *counts);

/* For each block, the cost of its instructions in units of the rate of a unit; to be freed with
 * g_free. */
uint64_t *norn_report_weights(const NornReportProgram *program, unsigned unit);

#endif
