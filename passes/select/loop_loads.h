/* Loads that loops repeat: each iteration executes them, with the same result every time.
 *
 * See machine_licm.c, which hoists them out of their loops. */
#ifndef NORN_PASSES_SELECT_LOOP_LOADS_H
#define NORN_PASSES_SELECT_LOOP_LOADS_H

#include "ir/analysis/clobbers.h"
#include "passes/pass.h"

/* The memory effects of a loop, including its inner loops. */
typedef struct NornLoopMemory {
  NornAccessSet writes;
  bool has_order; /* an instruction in the loop orders memory */
  uint32_t exit;  /* dominates all exits of the loop; NORN_INDEX_NONE: no exits */
} NornLoopMemory;

typedef struct NornLoopLoads {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornLoopMemory *memory; /* by header; NULL: not computed yet */
  uint64_t *deciding; /* bit per value: a branch in a loop depends on it; NULL: not computed yet */
  NornAccessSet marked;     /* of the loads among them */
  uint64_t *used_otherwise; /* bit per value: it is not only the limit of a counter; NULL: not
                               computed yet */
} NornLoopLoads;

/* Whether the instruction is a load that has the same result wherever in the loop it is executed,
 * and that, being in that block of the loop, is executed whenever the loop is entered. If a branch
 * of a loop depends on memory that others may write, the loop may be waiting for that write: the
 * load must be repeated. */
bool norn_load_is_repeated(NornLoopLoads *loads, const NornInst *inst, uint32_t block,
                           uint32_t header);

/* Whether the block leads to the header of the loop and nowhere else. */
bool norn_leads_only_to(const NornDominance *dominance, uint32_t block, uint32_t header);

/* Creates a preheader for each loop that repeats a load and has no block that leads only to it.
 * Returns whether there were any. The dominance is not updated. */
bool norn_make_preheaders(NornLoopLoads *loads);

#endif
