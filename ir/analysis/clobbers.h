/* Which write a read sees: the last write that may conflict with it, on any path.
 *
 * A clobber is the instruction number of a write, or a separate number for a point where paths with
 * different writes join: NornClobbers.first_start plus the number of the block that begins there.
 * If one of two reads of the same bytes dominates the other and both have the same clobber, they
 * read the same value. */
#ifndef NORN_IR_ANALYSIS_CLOBBERS_H
#define NORN_IR_ANALYSIS_CLOBBERS_H

#include "ir/analysis/alias.h"
#include "ir/analysis/dominance.h"

/* Writes that are kept apart in a block or between two. */
#define NORN_MAX_WRITES 64

typedef struct NornClobbers {
  NornArena *arena;
  const NornFunction *function;
  const NornDominance *dominance;
  uint32_t first_start;
  NornAccessSet *writes;   /* by block, filled on demand; the tags are instructions */
  NornAccessSet **between; /* by block: the writes on the paths from its immediate dominator to its
                              start; NULL: not computed yet */
  NornAccessSet none;
  uint32_t *stamp; /* by block: the last block from which the paths were walked backward, + 1 */
} NornClobbers;

/* Starts with nothing known. Writes are found on demand: whoever changes the function in the
 * meantime must leave its writes, and their addresses, as they are. */
void norn_clobbers_init(NornClobbers *clobbers, NornArena *arena, const NornFunction *function,
                        const NornDominance *dominance);

/* The clobber of a read in a block. `before` holds the writes of the block that precede the read,
 * in a set of capacity NORN_MAX_WRITES. */
uint32_t norn_find_clobber(NornClobbers *clobbers, const NornMemoryAccess *read, uint32_t block,
                           const NornAccessSet *before);

#endif
