/* Valhall in reports. */
#ifndef NORN_REPORT_VALHALL_H
#define NORN_REPORT_VALHALL_H

#include "report/constants.h"

extern const NornReportMachine norn_report_valhall;

/* The result of an instruction that writes one register; false if it is not known. */
bool norn_report_valhall_compute(const NornReportProgram *program,
                                 const NornReportInstruction *self,
                                 const NornReportConstants *state, uint32_t *result);
/* As norn_report_branches. */
int norn_report_valhall_branches(const NornReportProgram *program,
                                 const NornReportInstruction *self,
                                 const NornReportConstants *state);

#endif
