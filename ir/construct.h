/* The raw constructors of values and instructions, for the files of ir/ alone: everybody else makes
 * instructions with a builder (ir/builder.h), which types the results, carries the source location
 * along and puts the instruction where it belongs. */
#ifndef NORN_IR_CONSTRUCT_H
#define NORN_IR_CONSTRUCT_H

#include "ir/ir.h"

/* A new value without definition. */
static inline uint32_t
norn_value_create(NornFunction *function, NornType type) {
  NORN_GROW(function->values, function->value_capacity, (uint64_t)function->value_count + 1);
  function->values[function->value_count] =
      (NornValue){.def = NORN_INDEX_NONE, .type = (uint8_t)type, .reg = NORN_REGISTER_NONE};
  return function->value_count++;
}

/* A detached instruction of void type with zeroed operands and `result_count` new values of void
 * type; the caller fills in the rest. */
uint32_t norn_inst_create(NornFunction *function, uint16_t op, unsigned operand_count,
                          unsigned result_count);

/* Makes room for that many more operands. Returns what was the array of operands if it had to move,
 * so that it can still be read, else NULL; to be freed with g_free. */
NornRef *norn_reserve_operands(NornFunction *function, unsigned count);

/* Puts a detached instruction into a block, in front of instruction `before` of that block, or at
 * its end if that is NORN_INDEX_NONE. */
void norn_inst_link(NornFunction *function, uint32_t block, uint32_t inst, uint32_t before);

#endif
