/* What the optimizing passes share. */
#ifndef NORN_PASSES_OPTIMIZE_PARAMETERS_H
#define NORN_PASSES_OPTIMIZE_PARAMETERS_H

#include "ir/ir.h"

/* Drops every block parameter for whose value `keep` does not hold, with the arguments that fed it.
 */
void norn_keep_parameters(NornFunction *function, const bool *keep);

#endif
