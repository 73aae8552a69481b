/* Demotion in place of termination.
 *
 * `br %c, ends, goes_on`, where `ends` does nothing but terminate, becomes `demote %c` and a jump
 * to `goes_on`. That saves the branch and a block that would have to be reached with outputs that
 * nobody wants. The invocations that would have ended continue as helpers, and this must not be
 * noticeable in any block reachable from `goes_on`. These may contain:
 *
 * - no loop, which might never end for the helpers;
 * - nothing that looks at other invocations, since the helpers would be among those;
 * - no access to memory whose address may be wrong in a helper, or to a resource whose handle may
 *   be. Buffers are bounds-checked, and helpers write nothing.
 *
 * The wasted computation costs less than a branch unless all of the invocations end at once; in
 * that case they are ended anyway, as helpers that nobody needs. */
#ifndef NORN_IR_DEMOTE_H
#define NORN_IR_DEMOTE_H

#include "ir/analysis/dominance.h"

/* Does so wherever it is allowed; returns whether anything changed. Blocks may be unreachable
 * afterward. `keeps_neighbors`: if a neighbor in the quad has ended, derivatives, and the results
 * of textures that depend on them, are undefined, so they may as well see the neighbor that
 * continues as a helper. The arena is used for temporary data. */
bool norn_demote_terminated(NornArena *arena, NornFunction *function,
                            const NornDominance *dominance, bool keeps_neighbors);

#endif
