/* Replacements of values: a map from values to references that grows as needed.
 *
 * There are no use lists. A pass that replaces values enters them here, looks up operands as it
 * visits them, and at its end applies the map to all operands of the function at once. A
 * replacement may itself be replaced, earlier or later: lookups follow the chain. Chains have no
 * cycles. */
#ifndef NORN_IR_REPLACEMENTS_H
#define NORN_IR_REPLACEMENTS_H

#include "ir/arena.h"
#include "ir/ir.h"

/* Zero-initialized except for the arena. */
typedef struct NornReplacements {
  NornArena *arena;
  NornRef *map; /* by value; 0: not replaced */
  uint32_t capacity;
  bool any;
} NornReplacements;

/* Replaces every use of the value by `ref`. */
void norn_replacements_set(NornReplacements *replacements, uint32_t value, NornRef ref);

/* What to use for `ref`: itself if it is not a value or is not replaced, as values newer than the
 * map are. */
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
