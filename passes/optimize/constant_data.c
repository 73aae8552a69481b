/* Constant data: arrays that hold only constants and are accessed by an index are placed after the
 * code, if the driver has promised that the shader can load from there
 * (NornCompileOptions.constant_data). The pass scalarize-arrays has already replaced the tables
 * that are cheaper as selections.
 *
 * An alloca is such a table if its address, and sums of it, are used only by loads and stores; all
 * stores write constants at constant offsets and never two different values to a byte; and the
 * stores that set a byte for the first time are all in one block, which dominates all loads, and
 * before them. Bytes that are never stored are 0. The stores are then removed, and the alloca
 * becomes the number 0:
 *
 *   load.scratch %sum, offset:o   ->   load.global (data_address + %sum), offset:o
 *
 * No load leaves the table: where the sum may be too large, it is limited to the offset of the last
 * element. Equal tables, and a table that is part of another one, share their bytes within the
 * limits of the search; the largest tables are placed first. */
#include "ir/analysis/alias.h"
#include "ir/ops.h"
#include "passes/optimize/arrays.h"
#include <norn/builder.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of words that a store writes. */
#define MAX_WORDS 4

typedef struct ConstantTable {
  uint32_t inst, bytes;
  uint8_t *image, *is_stored; /* by byte; NULL if there are no stores */
  uint32_t store_block;       /* of the stores that set a byte for the first time */
  bool stays, has_loads, has_index;
  uint32_t place; /* offset in the constant data */
} ConstantTable;

typedef struct TableMover {
  NornPassContext *context;
  NornFunction *function;
  NornArrays arrays;
  ConstantTable *tables; /* by array */
} TableMover;

/* --- Stores and loads --- */

/* The constant bytes of a value; false if it is not constant. */
static bool
get_bytes(const NornFunction *function, NornRef ref, unsigned size, uint8_t *bytes) {
  const NornInst *inst = norn_defining_inst(function, ref);
  unsigned count = inst && inst->op == NORN_OP_COLLECT ? inst->operand_count : 0;
  const NornRef *words = count ? norn_operands(function, inst) : &ref;
  unsigned step = count ? size / count : size;
  for (unsigned k = 0; k < MAX(count, 1); k++) {
    if (!norn_is_constant(words[k]) || step > sizeof(uint64_t))
      return false;
    uint64_t bits = GUINT64_TO_LE(norn_constant_bits(function->module, words[k]));
    memcpy(bytes + k * step, &bits, step);
  }
  return true;
}

static void
note_store(TableMover *mover, const NornArrayAccess *access) {
  ConstantTable *table = &mover->tables[access->array];
  const NornInst *inst = norn_inst(mover->function, access->inst);
  const NornRef *operands = norn_operands(mover->function, inst);
  uint8_t bytes[MAX_WORDS * 4];
  unsigned size = norn_access_bytes(inst);
  int64_t place = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  if (size > sizeof bytes || !get_bytes(mover->function, operands[0], size, bytes) ||
      !norn_array_place(&mover->arrays, operands[1], access->array, &place) || place < 0 ||
      place + size > table->bytes) {
    table->stays = true;
    return;
  }
  if (!table->image) {
    table->image = NORN_NEW0(&mover->context->arena, uint8_t, table->bytes);
    table->is_stored = NORN_NEW0(&mover->context->arena, uint8_t, table->bytes);
    table->store_block = inst->block;
  }
  bool is_new = false;
  for (unsigned k = 0; k < size; k++) {
    uint8_t *byte = &table->image[place + k], *is_stored = &table->is_stored[place + k];
    table->stays |= *is_stored && *byte != bytes[k];
    is_new |= !*is_stored;
    *byte = bytes[k];
    *is_stored = true;
  }
  table->stays |= is_new && (table->has_loads || table->store_block != inst->block);
}

static void
note_load(TableMover *mover, const NornArrayAccess *access) {
  ConstantTable *table = &mover->tables[access->array];
  const NornInst *inst = norn_inst(mover->function, access->inst);
  int64_t place = 0;
  table->has_loads = true;
  table->has_index |= !norn_array_place(&mover->arrays, norn_operands(mover->function, inst)[0],
                                        access->array, &place);
  table->stays |= !table->image || norn_access_bytes(inst) > table->bytes ||
                  !norn_dominates(mover->arrays.dominance, table->store_block, inst->block);
}

/* The load from global memory that corresponds to a load from scratch; NORN_OP_NONE if it is not
 * one. */
static NornOp
global_load(unsigned op) {
  switch (op) {
  case NORN_OP_LOAD_SCRATCH:
    return NORN_OP_LOAD_GLOBAL;
  case NORN_OP_ULOAD_SCRATCH:
    return NORN_OP_ULOAD_GLOBAL;
  case NORN_OP_SLOAD_SCRATCH:
    return NORN_OP_SLOAD_GLOBAL;
  default:
    return NORN_OP_NONE;
  }
}

/* --- Moving --- */

static bool
is_moved(const ConstantTable *table) {
  return !table->stays && table->has_index;
}

static int
compare_sizes(const void *a, const void *b) {
  const ConstantTable *const *first = a, *const *second = b;
  if ((*first)->bytes != (*second)->bytes)
    return (*first)->bytes < (*second)->bytes ? 1 : -1;
  return (*first)->inst < (*second)->inst ? -1 : 1;
}

/* Adds the tables to the constant data; those that do not fit stay. */
static void
place_tables(TableMover *mover) {
  NornModule *module = mover->function->module;
  ConstantTable **order =
      NORN_NEW(&mover->context->arena, ConstantTable *, mover->arrays.items.count);
  uint32_t count = 0;
  for (uint32_t k = 0; k < mover->arrays.items.count; k++)
    if (is_moved(&mover->tables[k]))
      order[count++] = &mover->tables[k];
  if (count)
    qsort(order, count, sizeof(ConstantTable *), compare_sizes);
  for (uint32_t k = 0; k < count; k++) {
    order[k]->stays = module->data_size + (uint64_t)order[k]->bytes > NORN_DATA_LIMIT ||
                      !norn_pass_continues(mover->context, module->data_size / 4 + 1);
    if (!order[k]->stays)
      order[k]->place = norn_module_add_data(module, order[k]->image, order[k]->bytes);
  }
}

/* Erases the tables that are moved and the stores to them. Returns whether there are any. */
static bool
drop_stores(TableMover *mover) {
  bool *goes = NORN_NEW(&mover->context->arena, bool, mover->arrays.items.count), any = false;
  for (uint32_t k = 0; k < mover->arrays.items.count; k++) {
    goes[k] = is_moved(&mover->tables[k]);
    any |= goes[k];
  }
  if (any)
    norn_arrays_erase(&mover->arrays, goes);
  return any;
}

/* The address of a byte of constant data for an instruction, computed outside of all loops. */
static NornRef
build_base(const TableMover *mover, uint32_t inst, uint32_t byte) {
  NornFunction *function = mover->function;
  const NornDominance *dominance = mover->arrays.dominance;
  uint32_t own = norn_inst(function, inst)->block, block = own;
  while (dominance->loop_depth[block])
    block = dominance->idom[block];
  NornBuilder builder =
      norn_builder_before(function, block == own ? inst : norn_block_terminator(function, block));
  return norn_build_data_address(&builder, byte);
}

static void
move_load(const TableMover *mover, const NornArrayAccess *load) {
  NornFunction *function = mover->function;
  const ConstantTable *table = &mover->tables[load->array];
  NornInst *inst = norn_inst(function, load->inst);
  NornBuilder builder = norn_builder_before(function, load->inst);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  NornRef index = norn_operands(function, inst)[0];
  index = norn_array_limit_index(&mover->arrays, &builder, table->bytes, norn_access_bytes(inst),
                                 index, &offset);
  uint32_t base = table->place & ~(uint32_t)(NORN_ARRAY_REACH - 1);
  NornRef address = build_base(mover, load->inst, base);
  address = norn_build_shladd(&builder, NORN_EXTEND_U32, address, index, 0);
  NornInst *self = norn_inst(function, load->inst);
  uint8_t source_type = self->source_type;
  uint64_t payload =
      norn_set_immediate(0, NORN_IMMEDIATE_OFFSET, offset + (int64_t)(table->place - base));
  norn_inst_become(function, load->inst, (uint16_t)global_load(self->op), payload, &address, 1);
  norn_inst(function, load->inst)->source_type = source_type;
}

static void
find_tables(TableMover *mover) {
  const NornFunction *function = mover->function;
  NornArrays *arrays = &mover->arrays;
  *arrays = norn_arrays_find(mover->context, mover->function);
  mover->tables = NORN_NEW0(&mover->context->arena, ConstantTable, arrays->items.count);
  for (uint32_t k = 0; k < arrays->items.count; k++) {
    const NornArray *array = &arrays->items.items[k];
    mover->tables[k] =
        (ConstantTable){.inst = array->inst, .bytes = array->bytes, .stays = array->escapes};
  }
  for (uint32_t k = 0; k < arrays->accesses.count; k++) {
    const NornArrayAccess *access = &arrays->accesses.items[k];
    if (norn_inst(function, access->inst)->op == NORN_OP_STORE_SCRATCH)
      note_store(mover, access);
    else
      note_load(mover, access);
  }
}

bool
norn_pass_constant_data(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  TableMover mover = {.context = context, .function = function};
  bool changed = false;
  if (context->options->constant_data) {
    find_tables(&mover);
    place_tables(&mover);
    changed = drop_stores(&mover);
    for (uint32_t k = 0; k < mover.arrays.accesses.count && changed; k++) {
      const NornArrayAccess *access = &mover.arrays.accesses.items[k];
      if (is_moved(&mover.tables[access->array]) &&
          global_load(norn_inst(function, access->inst)->op) != NORN_OP_NONE)
        move_load(&mover, access);
    }
  }
  norn_pass_report(context, changed);
  return true;
}
