/* The raw constructors of values and instructions, only for files in ir/. All other code makes
 * instructions with a builder (ir/builder.h), which assigns types to the results, sets the source
 * location, and puts the instruction where it belongs. */
#ifndef NORN_IR_CONSTRUCT_H
#define NORN_IR_CONSTRUCT_H

#include "ir/ir.h"

/* Starts an extent of operands with at least `count` consecutive ones. */
void norn_operands_grow(NornFunction *function, unsigned count);

/* Creates a value without a definition. */
static inline uint32_t
norn_value_create(NornFunction *function, NornType type) {
  if (function->value_count == function->values.capacity)
    norn_pages_grow(&function->values, 1, sizeof(NornValue));
  uint32_t value = function->value_count++;
  *norn_value(function, value) =
      (NornValue){.def = NORN_INDEX_NONE, .type = (uint8_t)type, .reg = NORN_REGISTER_NONE};
  return value;
}

/* Creates a detached instruction of void type with zeroed operands and `result_count` new values of
 * void type; the caller fills in the rest. */
uint32_t norn_inst_create(NornFunction *function, uint16_t op, unsigned operand_count,
                          unsigned result_count);

/* Ensures that this many operands after the last one are consecutive. */
static inline void
norn_reserve_operands(NornFunction *function, unsigned count) {
  if (count >= function->operands.capacity - function->operand_count)
    norn_operands_grow(function, count);
}

/* Inserts a detached instruction into a block, before instruction `before` of that block, or at its
 * end if that is NORN_INDEX_NONE. */
void norn_inst_link(NornFunction *function, uint32_t block, uint32_t inst, uint32_t before);

#endif
