/* Shared by the passes that look at consecutive groups. */
#ifndef NORN_PASSES_SCHEDULE_GROUPS_H
#define NORN_PASSES_SCHEDULE_GROUPS_H

#include "passes/pass.h"

/* The maximum distance to the next group, in instructions. */
#define NORN_GROUP_DISTANCE 64

/* The collect of the first group that the machine instruction reads, or NORN_INDEX_NONE. */
uint32_t norn_group_read(const NornFunction *function, const NornInst *inst);

/* Whether any word of a group has another use. */
bool norn_groups_share_words(const NornFunction *function, const uint32_t *use_counts);

#endif
