/* The cost of a program according to the timing model, without a run. */
#ifndef NORN_REPORT_ESTIMATE_H
#define NORN_REPORT_ESTIMATE_H

#include "report/program.h"

typedef struct NornReportEstimate {
  double cycles;         /* of one warp by itself; 0: there is no timing model */
  double busy;           /* the part of these cycles in which the busiest unit is in use */
  unsigned threads;      /* 2 if it fits the half-sized register file, else 1 */
  unsigned instructions; /* up to the last one that is not padding */
} NornReportEstimate;

/* For a decoded program. */
NornReportEstimate norn_report_estimate(const NornReportProgram *program);

/* The same for code; false with `error` set if it is not valid. */
bool norn_report_estimate_code(const NornMachineCode *code, NornReportEstimate *estimate,
                               GError **error);

#endif
