/* The timing model, for the parts of a report. */
#ifndef NORN_REPORT_TIMING_H
#define NORN_REPORT_TIMING_H

#include "report/program.h"

/* Cycles that one warp alone takes for each instruction once, in the order of the text; 0 where
 * there is no model. `instructions` (nullable) gets a row for each. */
double norn_report_time_alone(const NornReportProgram *program,
                              NornInstructionTiming *instructions);

#endif
