/* What takes the place of values: a map from values to references that grows as needed.
 *
 * There are no use lists; a pass that replaces values enters them here, looks operands up as it
 * meets them, and applies the map once, at its end, to all operands of the function. A replacement
 * may itself be replaced, before or after: looking up follows the chain. Chains have no cycle. */
#ifndef NORN_IR_REPLACEMENTS_H
#define NORN_IR_REPLACEMENTS_H

#include "ir/arena.h"
#include "ir/ir.h"

/* Starts as zeros but for the arena. */
typedef struct NornReplacements {
  NornArena *arena;
  NornRef *map; /* by value; 0: stays */
  uint32_t capacity;
  bool any;
} NornReplacements;

/* Every use of the value shall be one of `ref`. */
void norn_replacements_set(NornReplacements *replacements, uint32_t value, NornRef ref);

/* What to use for `ref`: itself if it is no value or one that stays, such as one that is younger
 * than the map. */
static inline NornRef
norn_replacements_get(const NornReplacements *replacements, NornRef ref) {
  while (norn_ref_kind(ref) == NORN_REF_VALUE && norn_ref_payload(ref) < replacements->capacity &&
         replacements->map[norn_ref_payload(ref)])
    ref = replacements->map[norn_ref_payload(ref)];
  return ref;
}

/* Rewrites all operands of the function and empties the map. */
void norn_replacements_apply(NornReplacements *replacements, NornFunction *function);

#endif
