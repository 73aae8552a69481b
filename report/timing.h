/* The timing model, for the parts of a report. */
#ifndef NORN_REPORT_TIMING_H
#define NORN_REPORT_TIMING_H

#include "report/program.h"

/* The cycles that one warp by itself needs to execute each instruction once, in the order of the
 * text; 0 if there is no model. `instructions` (nullable) gets a row for each. */
double norn_report_time_alone(const NornReportProgram *program,
                              NornInstructionTiming *instructions);

/* An instruction on the path of a warp, and how often it is executed there. */
typedef struct NornReportStep {
  uint32_t instruction;
  double weight;
} NornReportStep;

/* The cycles of one warp by itself on that path, with the time of each step multiplied by how
 * often it is executed; *busy is the part in which the busiest unit is in use. */
double norn_report_time_steps(const NornReportProgram *program, const NornReportStep *steps,
                              size_t count, double *busy);

#endif
