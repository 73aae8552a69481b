/* Registers that hold the same number in every lane whenever an instruction is reached. */
#ifndef NORN_REPORT_CONSTANTS_H
#define NORN_REPORT_CONSTANTS_H

#include "report/program.h"

typedef struct NornReportConstants {
  uint64_t known; /* bit by bit */
  uint32_t value[NORN_REPORT_REGISTERS];
} NornReportConstants;

/* Whether the instruction goes to a place that is not in the code, so that any register may
 * change. */
bool norn_report_is_call(const NornReportProgram *program, const NornReportInstruction *self);

/* Executes an instruction: its results are known only if they can be computed. */
void norn_report_step(const NornReportProgram *program, const NornReportInstruction *self,
                      NornReportConstants *state);

/* Keeps only what both states know. Returns whether that is less than `state` knew. */
bool norn_report_constants_meet(NornReportConstants *state, const NornReportConstants *other);

/* The registers known at the end of each block that is reached, to be freed with g_free; NULL if
 * the machine is unknown. */
NornReportConstants *norn_report_propagate(const NornReportProgram *program);

/* Whether a branch is taken: 1 if so, 0 if not, -1 if not known. */
int norn_report_branches(const NornReportProgram *program, const NornReportInstruction *self,
                         const NornReportConstants *state);

#endif
