/* What the passes that look at one group after the other have in common. */
#ifndef NORN_PASSES_SCHEDULE_GROUPS_H
#define NORN_PASSES_SCHEDULE_GROUPS_H

#include "passes/pass.h"

/* How far the next group may be, in instructions. */
#define NORN_GROUP_DISTANCE 64

/* Whether a word of a group has another use. */
bool norn_groups_share_words(const NornFunction *function, const uint32_t *use_counts);

#endif
