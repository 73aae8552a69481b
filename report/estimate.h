/* What a program costs by the timing model without a run of it. */
#ifndef NORN_REPORT_ESTIMATE_H
#define NORN_REPORT_ESTIMATE_H

#include "report/program.h"

/* Iterations that loops are taken to run where the code does not say how many. */
#define NORN_ESTIMATED_ITERATIONS 8

typedef struct NornReportEstimate {
  double cycles;         /* of one warp alone; 0: there is no timing model */
  double busy;           /* of them, those of the unit that it keeps busy longest */
  unsigned threads;      /* 2 if it fits the half-sized register file, else 1 */
  unsigned instructions; /* up to the last one that is not padding */
} NornReportEstimate;

/* Of a program that is taken apart. */
NornReportEstimate norn_report_estimate(const NornReportProgram *program);

/* The same of code that compiling said `info` of; false with `error` set if it is none. */
bool norn_report_estimate_code(const NornIsa *isa, unsigned architecture, const void *code,
                               size_t size, const NornCompileInfo *info,
                               NornReportEstimate *estimate, GError **error);

#endif
