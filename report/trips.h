/* How often loops jump back, if the code determines it. */
#ifndef NORN_REPORT_TRIPS_H
#define NORN_REPORT_TRIPS_H

#include "report/paths.h"

#define NORN_REPORT_UNKNOWN UINT64_MAX

/* By loop: how often it jumps back each time it is entered, according to its counter, or
 * NORN_REPORT_UNKNOWN. To be freed with g_free. Fills `late`, `last` and `before` of the
 * iterations; `is_exact` gets, by loop, whether it cannot jump back less often. */
uint64_t *norn_report_count_jumps(const NornReportLoops *loops, NornReportIterations *iterations,
                                  bool *is_exact);

#endif
