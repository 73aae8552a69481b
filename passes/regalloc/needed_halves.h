/* Which halves of registers the program needs. */
#ifndef NORN_PASSES_REGALLOC_NEEDED_HALVES_H
#define NORN_PASSES_REGALLOC_NEEDED_HALVES_H

#include "passes/pass.h"

/* By value of one register, the halves of it (NORN_LOWER_HALF, NORN_UPPER_HALF) that stores,
 * branches and the like depend on. The target must know halves (NornTarget.halves_read). Lives in
 * the arena; incomplete if the compilation is cancelled meanwhile. */
const uint8_t *norn_needed_halves(NornPassContext *context, NornFunction *function);

#endif
