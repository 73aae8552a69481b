/* Loops of any flow graph, for ir/dominance.c. */
#ifndef NORN_IR_ANALYSIS_LOOPS_H
#define NORN_IR_ANALYSIS_LOOPS_H

#include "ir/analysis/dominance.h"

/* Fills in the loop fields; there is at least one reachable block. */
void norn_find_loops(NornDominance *dominance);

#endif
