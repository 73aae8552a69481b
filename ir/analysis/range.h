/* What numbers a value can be. */
#ifndef NORN_IR_ANALYSIS_RANGE_H
#define NORN_IR_ANALYSIS_RANGE_H

#include "ir/ir.h"

/* The greatest number that a word without sign can be, if its definition shows one: a minimum, an
 * intersection of bits or a remainder with a constant. */
bool norn_find_maximum(const NornFunction *function, NornRef ref, uint32_t *maximum);

#endif
