/* Values that instructions need in registers: each is made once, in a place that dominates its
 * users. */
#ifndef NORN_PASSES_SELECT_MATERIALIZE_H
#define NORN_PASSES_SELECT_MATERIALIZE_H

#include "passes/pass.h"

/* Operand `operand` of instruction `inst` is to be replaced by the value that `key` identifies. */
typedef struct NornConstantUse {
  uint64_t key;
  uint32_t inst, operand;
} NornConstantUse;

typedef struct NornConstantUses {
  NornArena *arena;
  NornConstantUse *items;
  uint32_t count, capacity;
} NornConstantUses;

/* Records that an operand of the instruction reads the value of `key`. */
void norn_constant_use_add(NornConstantUses *uses, uint64_t key, uint32_t inst, uint32_t operand);

/* Builds the value of `key`. */
typedef NornRef (*NornMakeConstant)(NornPassContext *context, NornBuilder *builder, uint64_t key);

/* Makes the values for all uses and empties the list. */
void norn_materialize(NornPassContext *context, NornFunction *function, NornConstantUses *uses,
                      NornMakeConstant make);

#endif
