/* Division in steps, and the lookup of 2/pi. */
#ifndef NORN_SIM_GCN_DIVIDE_H
#define NORN_SIM_GCN_DIVIDE_H

#include "ir/numeric.h"

/* The division steps, for single and double precision (norn_gcn_divide_fixup: also half). S0,
 * S1, S2 are the sources: quotient, denominator, numerator. */
uint64_t norn_gcn_divide_scale(NornFloatFormat format, NornFloatMode mode, uint64_t s0, uint64_t s1,
                               uint64_t s2, bool *flag);
uint64_t norn_gcn_divide_fmas(NornFloatFormat format, NornFloatMode mode, uint64_t s0, uint64_t s1,
                              uint64_t s2, bool flag);
uint64_t norn_gcn_divide_fixup(NornFloatFormat format, NornFloatMode mode, uint64_t s0, uint64_t s1,
                               uint64_t s2);
/* 53 bits of 2/pi from segment SEGMENT on, shifted up for large S0. */
uint64_t norn_gcn_trig_preop(uint64_t s0, unsigned segment);

#endif
