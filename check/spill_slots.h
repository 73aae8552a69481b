/* Proving that spilled values do not overwrite each other; see spill_slots.c. */
#ifndef NORN_CHECK_SPILL_SLOTS_H
#define NORN_CHECK_SPILL_SLOTS_H

#include "passes/target.h"

typedef enum {
  NORN_SPILL_FILL,           /* reads the slot */
  NORN_SPILL_STORE,          /* writes it, after the definition of its value */
  NORN_SPILL_STORE_ARGUMENT, /* writes it, before a jump, for the iteration to come */
  NORN_SPILL_KEEP            /* a jump passes on what is in the slot */
} NornSpillAccessKind;

typedef struct NornSpillAccess {
  NornSpillAccessKind kind;
  uint32_t inst, slot;
} NornSpillAccess;

/* Memory for one value. */
typedef struct NornSpillSlot {
  uint32_t offset, size; /* bytes */
  uint32_t block;        /* of the parameter whose arguments are stored there, or NORN_INDEX_NONE */
} NornSpillSlot;

/* Whether every fill finds what was stored in its slot on every path, and no slot leaves the memory
 * from byte `start` on or crosses a piece of it. False with `error` set (NORN_ERROR_INVALID) if
 * not.
 */
bool norn_check_spill_slots(const NornTarget *target, const NornFunction *function,
                            const NornSpillSlot *slots, uint32_t slot_count,
                            const NornSpillAccess *accesses, uint32_t access_count, uint32_t start,
                            GError **error);

#endif
