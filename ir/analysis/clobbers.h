/* Which write a read sees: the last one that it may conflict with, on any path.
 *
 * A clobber is the number of a write's instruction, or a number of its own for a point where paths
 * join that write differently: NornClobbers.first_start and the block that begins there. Two reads
 * of the same bytes of which one dominates the other read the same if they have the same
 * clobber. */
#ifndef NORN_IR_ANALYSIS_CLOBBERS_H
#define NORN_IR_ANALYSIS_CLOBBERS_H

#include "ir/analysis/alias.h"
#include "ir/analysis/dominance.h"

/* Writes of a block, or between two, that are kept apart. */
#define NORN_MAX_WRITES 64

typedef struct NornClobbers {
  NornArena *arena;
  const NornFunction *function;
  const NornDominance *dominance;
  uint32_t first_start;
  NornAccessSet *writes;   /* by block, when first asked for; their tags are instructions */
  NornAccessSet **between; /* by block: the writes on the paths from its immediate dominator to its
                              start; NULL: not looked for yet */
  NornAccessSet none;
  uint32_t *stamp; /* by block: the last one from which the paths were walked back, + 1 */
} NornClobbers;

/* Begins with nothing known. Writes are found as they are asked for: who changes the function
 * meanwhile leaves them, and what they are to, as they are. */
void norn_clobbers_init(NornClobbers *clobbers, NornArena *arena, const NornFunction *function,
                        const NornDominance *dominance);

/* The clobber of a read in a block before which the block makes the writes `before`, a set of
 * NORN_MAX_WRITES. */
uint32_t norn_find_clobber(NornClobbers *clobbers, const NornMemoryAccess *read, uint32_t block,
                           const NornAccessSet *before);

#endif
