/* Proving that spilled values do not overwrite each other; see spill_slots.c. */
#ifndef NORN_CHECK_SPILL_SLOTS_H
#define NORN_CHECK_SPILL_SLOTS_H

#include "passes/target.h"

typedef enum {
  NORN_SPILL_FILL,           /* reads the slot */
  NORN_SPILL_STORE,          /* writes it, after the definition of its value */
  NORN_SPILL_STORE_ARGUMENT, /* writes it, before a jump, for the next iteration */
  NORN_SPILL_KEEP            /* a jump passes on the slot's contents */
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

/* Whether every fill finds the stored value in its slot on every path, and every slot lies in
 * the memory from byte `start` on without crossing a boundary between pieces. False with `error`
 * set (NORN_ERROR_INVALID) if not. */
bool norn_check_spill_slots(const NornTarget *target, const NornFunction *function,
                            const NornSpillSlot *slots, uint32_t slot_count,
                            const NornSpillAccess *accesses, uint32_t access_count, uint32_t start,
                            GError **error);

#endif
