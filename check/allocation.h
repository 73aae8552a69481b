/* Proving an allocation right; see check_allocation.c. */
#ifndef NORN_CHECK_ALLOCATION_H
#define NORN_CHECK_ALLOCATION_H

#include "passes/pass.h"

/* A function as it was: its arrays, copied. */
typedef struct NornSnapshot {
  NornInst *insts;
  NornValue *values;
  NornRef *operands;
  NornBlock *blocks;
  uint32_t *parameters;
  uint32_t inst_count, value_count, block_count;
} NornSnapshot;

NornSnapshot *norn_snapshot_new(const NornFunction *function);
void norn_snapshot_free(NornSnapshot *snapshot);

/* Whether the function, now with registers, computes what it did on SSA values at the time of the
 * snapshot: every operand finds its value in its registers on every path. False with `error` set
 * (NORN_ERROR_INVALID) if not. */
bool norn_check_allocation(const NornPassContext *context, const NornFunction *function,
                           const NornSnapshot *before, GError **error);

#endif
