/* Loads that loops repeat: each iteration comes to them, and they give the same in all.
 *
 * See machine_licm.c, which moves them in front of their loops. */
#ifndef NORN_PASSES_SELECT_LOOP_LOADS_H
#define NORN_PASSES_SELECT_LOOP_LOADS_H

#include "ir/analysis/clobbers.h"
#include "passes/pass.h"

/* What a loop, with those inside, does to memory. */
typedef struct NornLoopMemory {
  NornAccessSet writes;
  bool has_order; /* something in it orders memory */
  uint32_t exit; /* all that leaves the loop has passed this block; NORN_INDEX_NONE: nothing does */
} NornLoopMemory;

typedef struct NornLoopLoads {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornLoopMemory *memory; /* by header; NULL: not needed yet */
  uint64_t *deciding; /* bit per value: a branch in a loop depends on it; NULL: not needed yet */
} NornLoopLoads;

/* Whether the instruction is a load that gives the same wherever in the loop it is executed and
 * that, being in that block of the loop, is executed whenever the loop is entered. Where a branch
 * of a loop depends on what others may write, the loop may wait for that: it has to be loaded
 * again. */
bool norn_load_is_repeated(NornLoopLoads *loads, const NornInst *inst, uint32_t block,
                           uint32_t header);

/* Whether the block leads to the header of the loop and nowhere else. */
bool norn_leads_only_to(const NornDominance *dominance, uint32_t block, uint32_t header);

/* Gives a block in front to each loop that repeats a load and has none that leads only to it;
 * whether there are any. The dominance is that of before. */
bool norn_make_preheaders(NornLoopLoads *loads);

#endif
