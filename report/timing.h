/* The timing model, for the parts of a report. */
#ifndef NORN_REPORT_TIMING_H
#define NORN_REPORT_TIMING_H

#include "report/program.h"

/* Cycles that one warp alone takes for each instruction once, in the order of the text; 0 where
 * there is no model. `instructions` (nullable) gets a row for each. */
double norn_report_time_alone(const NornReportProgram *program,
                              NornInstructionTiming *instructions);

/* An instruction on the path of a warp, and how often it is executed there. */
typedef struct NornReportStep {
  uint32_t instruction;
  double weight;
} NornReportStep;

/* Cycles of one warp alone on that path, the time that each step takes counted as often as it is
 * executed; *busy gets those of the unit that it keeps busy longest. */
double norn_report_time_steps(const NornReportProgram *program, const NornReportStep *steps,
                              size_t count, double *busy);

#endif
