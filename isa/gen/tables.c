/* Tables of the values of expressions that depend on few bits of the word. */
#include "isa/gen/gen.h"
#include <string.h>

enum { TABLE_BITS = 12 };

static uint64_t
expression_bits(const uint32_t *code, const NornIsaField *fields) {
  uint64_t bits = 0;
  for (; (*code & 0xFF) != NORN_ISA_EXPRESSION_END; code++) {
    NornIsaExpressionOperation operation = *code & 0xFF;
    if (operation == NORN_ISA_EXPRESSION_CONSTANT)
      code++;
    else if (operation == NORN_ISA_EXPRESSION_AMOUNT || operation == NORN_ISA_EXPRESSION_CODE)
      bits |= norn_isa_insert(&fields[*code >> 8], UINT64_MAX);
  }
  return bits;
}

/* Adds the runs of at most TABLE_BITS bits. */
static uint16_t
add_runs(Generator *gen, uint64_t bits, uint8_t *count) {
  NornIsaRun runs[TABLE_BITS];
  unsigned width = 0;
  memset(runs, 0, sizeof runs);
  *count = 0;
  while (bits) {
    uint64_t run = gen_lowest_run(bits);
    unsigned position = (unsigned)__builtin_ctzll(run);
    runs[*count].shift = (uint8_t)(position - width);
    runs[(*count)++].mask = (uint16_t)(run >> position << width);
    width += (unsigned)__builtin_popcountll(run);
    bits &= ~run;
  }
  return (uint16_t)gen_pool_add(&gen->runs, runs, *count);
}

uint16_t
gen_value_table(Generator *gen, const GArray *fields, uint32_t expression) {
  const uint32_t *code = &g_array_index(gen->expressions.items, uint32_t, expression);
  const int32_t *amounts = (const int32_t *)(gpointer)gen->amounts.items->data;
  const NornIsaField *all = (const NornIsaField *)(gpointer)fields->data;
  uint64_t bits = expression_bits(code, all);
  uint8_t values[1 << TABLE_BITS];
  NornIsaTable table;
  memset(&table, 0, sizeof table);
  if (__builtin_popcountll(bits) > TABLE_BITS)
    return 0;
  unsigned size = 1u << __builtin_popcountll(bits);
  for (unsigned i = 0; i < size; i++) {
    int64_t value = norn_isa_compute(code, amounts, all, gen_scatter(bits, i));
    if (value < 0 || value > NORN_ISA_MAX_REGISTERS)
      return 0;
    values[i] = (uint8_t)value;
  }
  table.values = gen_pool_add(&gen->values, values, size);
  table.runs = add_runs(gen, bits, &table.run_count);
  return (uint16_t)(gen_pool_add(&gen->tables, &table, 1) + 1);
}
