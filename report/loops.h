/* The loops of a program. */
#ifndef NORN_REPORT_LOOPS_H
#define NORN_REPORT_LOOPS_H

#include "report/program.h"

/* The loops of a program whose loops have one entry each. */
typedef struct NornReportLoops {
  const NornReportProgram *program;
  uint32_t *headers; /* inner loops before outer ones */
  uint32_t header_count;
  uint32_t *first;  /* by header: index of its first block in `blocks`; then the end */
  uint32_t *blocks; /* of each loop, its header first, in reverse postorder */
  /* By block and by loop: number + 1 of the innermost loop around it, 0 if there is none. */
  uint32_t *innermost, *outer;
  uint32_t *depth; /* by loop; 1: outermost */
  /* By loop: numbers such that a loop and the loops inside it have `size` consecutive numbers,
   * its own first. */
  uint32_t *number, *size;
  /* By block: index of its first predecessor in `before`; then the end. */
  uint32_t *first_before, *before;
  bool is_simple; /* no loop has several entries, and loops are not nested too deep; otherwise there
                     are no headers */
} NornReportLoops;

/* Finds the loops of the program, which must outlive them. */
void norn_report_loops_init(NornReportLoops *loops, const NornReportProgram *program);
void norn_report_loops_clear(NornReportLoops *loops);

/* Whether a reachable block is in a loop. */
bool norn_report_loop_has(const NornReportLoops *loops, uint32_t loop, uint32_t block);

/* Whether a loop tests at its top whether to continue: its header then runs once more than the
 * rest. A header that jumps back to itself counts as both top and bottom. */
bool norn_report_leaves_at_header(const NornReportLoops *loops, uint32_t loop);

#endif
