/* Bounds that no schedule or register allocation of the same instructions can improve on. */
#ifndef NORN_REPORT_BOUNDS_H
#define NORN_REPORT_BOUNDS_H

#include "report/program.h"

/* The registers that are live before each instruction; to be freed with g_free. */
uint64_t *norn_report_live(const NornReportProgram *program);

/* Fills the lower bounds of `statistics`. */
void norn_report_bounds(const NornReportProgram *program, NornStatistics *statistics);

#endif
