/* Demotion in place of termination.
 *
 * `br %c, ends, goes_on`, where `ends` does nothing but terminate, becomes `demote %c` and a jump
 * to `goes_on`: no branch, and no block to be reached with outputs that nobody wants. The
 * invocations that would have ended go on as helpers, so nothing reachable from `goes_on` may tell:
 *
 * - no loop, which might never end for them;
 * - nothing that looks at other invocations: they would be among those;
 * - no access to memory whose address they may have wrong, or resource whose handle they may.
 *   Buffers are checked for their bounds, and helpers write nothing.
 *
 * What they compute in vain costs less than a branch unless all of them end at once, where
 * they are ended as helpers that nobody needs. */
#ifndef NORN_IR_DEMOTE_H
#define NORN_IR_DEMOTE_H

#include "ir/analysis/dominance.h"

/* Does so wherever it may; whether it did. Blocks can be unreachable then. `keeps_neighbors`: where
 * a neighbor in the quad has ended, derivatives and what textures make of them may be anything, so
 * they may as well see the neighbor that goes on. The arena is for what is needed meanwhile. */
bool norn_demote_terminated(NornArena *arena, NornFunction *function,
                            const NornDominance *dominance, bool keeps_neighbors);

#endif
