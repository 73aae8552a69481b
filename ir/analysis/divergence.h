/* Which values and branches may differ between the lanes of a warp. */
#ifndef NORN_IR_ANALYSIS_DIVERGENCE_H
#define NORN_IR_ANALYSIS_DIVERGENCE_H

#include "ir/analysis/dominance.h"

/* Sets NornValue.is_divergent where lanes of a warp may hold different values, and
 * NORN_INST_DIVERGENT on the terminators at which lanes may diverge; clears them elsewhere. The
 * function is generic code. The arena is used for temporary data. */
void norn_divergence_mark(NornArena *arena, NornFunction *function, const NornDominance *flow);

#endif
