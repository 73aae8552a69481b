/* Constant data: arrays that hold constants alone, and from which an index chooses, are put behind
 * the code, where the driver has promised that the shader can load from
 * (NornCompileOptions.constant_data). Which tables take less as selections has been decided before,
 * by scalarize-arrays.
 *
 * An alloca is such a table if its address, and sums of it, are used for nothing but loads and
 * stores; all stores write constants at constant places, never two different ones to a byte; and
 * what is new in one of them is stored in one block, which dominates all loads, before them. What
 * is never stored is 0. Then the stores go, and the alloca becomes the number 0:
 *
 *   load.scratch %sum, offset:o   ->   load.global (data_address + %sum), offset:o
 *
 * No load leaves the table: where the sum may be too large, it is limited to where the last element
 * is. Tables that are equal, or a part of another one, share their bytes as far as those are
 * looked for, the largest first. */
#include "ir/analysis/dominance.h"
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"
#include <norn/builder.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of tables that are found through the same address: what remains is an offset that an access
 * can hold. */
#define REACH 16384
/* Words that a store writes at most. */
#define MAX_WORDS 4

typedef struct ConstantTable {
  uint32_t inst, bytes;
  uint8_t *image, *is_stored; /* by byte; NULL: no store */
  uint32_t store_block;       /* of all stores of anything new */
  bool stays, has_loads, has_index;
  uint32_t place; /* in the constant data */
} ConstantTable;

typedef struct TableLoad {
  uint32_t inst, table;
} TableLoad;

typedef struct TableMover {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NORN_LIST(ConstantTable) tables;
  NORN_LIST(TableLoad) loads;
  NORN_LIST(TableLoad) stores;
  uint32_t *table_of; /* by value: table that its address is in, or NORN_INDEX_NONE */
} TableMover;

/* --- What is stored and loaded --- */

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

/* How far behind the table's start an address is; false if that is not constant. */
static bool
find_place(const TableMover *mover, NornRef address, const ConstantTable *table, int64_t *place) {
  const NornFunction *function = mover->function;
  while (norn_split_address(function, &address, place, 32))
    ;
  const NornInst *inst = norn_defining_inst(function, address);
  return inst && inst == norn_inst(function, table->inst);
}

static unsigned
access_bytes(const NornInst *inst) {
  bool extends = norn_ops[inst->op].flags & NORN_OP_WIDENS;
  return norn_type_bits((NornType)(extends ? inst->source_type : inst->type)) / 8;
}

static void
note_store(TableMover *mover, ConstantTable *table, uint32_t index) {
  const NornInst *inst = norn_inst(mover->function, index);
  const NornRef *operands = norn_operands(mover->function, inst);
  uint8_t bytes[MAX_WORDS * 4];
  unsigned size = access_bytes(inst);
  int64_t place = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  if (size > sizeof bytes || !get_bytes(mover->function, operands[0], size, bytes) ||
      !find_place(mover, operands[1], table, &place) || place < 0 || place + size > table->bytes) {
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
note_load(TableMover *mover, ConstantTable *table, uint32_t index) {
  const NornInst *inst = norn_inst(mover->function, index);
  int64_t place = 0;
  table->has_loads = true;
  table->has_index |= !find_place(mover, norn_operands(mover->function, inst)[0], table, &place);
  table->stays |= !table->image || access_bytes(inst) > table->bytes ||
                  !norn_dominates(mover->dominance, table->store_block, inst->block);
}

/* The operation on global memory that loads the same; NORN_OP_NONE: it loads nothing. */
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

static uint32_t
table_of(const TableMover *mover, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE ? mover->table_of[norn_ref_payload(ref)]
                                              : NORN_INDEX_NONE;
}

/* Notes what an instruction does with the address in its operand `k`. */
static void
visit_use(TableMover *mover, uint32_t index, unsigned k, uint32_t number) {
  NornArena *arena = &mover->context->arena;
  const NornInst *inst = norn_inst(mover->function, index);
  ConstantTable *table = &mover->tables.items[number];
  const TableLoad access = {index, number};
  if (global_load(inst->op) != NORN_OP_NONE) {
    note_load(mover, table, index);
    norn_list_push(arena, &mover->loads, access);
  } else if (inst->op == NORN_OP_STORE_SCRATCH && k == 1) {
    note_store(mover, table, index);
    norn_list_push(arena, &mover->stores, access);
  } else if (inst->op == NORN_OP_IADD && inst->type == NORN_TYPE_I32) {
    uint32_t other = mover->table_of[inst->result];
    if (other != NORN_INDEX_NONE) /* a sum of two addresses */
      table->stays = mover->tables.items[other].stays = true;
    mover->table_of[inst->result] = number;
  } else {
    table->stays = true;
  }
}

static void
visit(TableMover *mover, uint32_t index) {
  const NornFunction *function = mover->function;
  const NornInst *inst = norn_inst(function, index);
  const NornRef *operands = norn_operands(function, inst);
  if (inst->op == NORN_OP_ALLOCA) {
    mover->table_of[inst->result] = mover->tables.count;
    const ConstantTable table = {
        .inst = index, .bytes = (uint32_t)norn_constant_bits(function->module, operands[0])};
    norn_list_push(&mover->context->arena, &mover->tables, table);
    return;
  }
  for (unsigned k = 0; k < inst->operand_count; k++) {
    uint32_t number = table_of(mover, operands[k]);
    if (number != NORN_INDEX_NONE)
      visit_use(mover, index, k, number);
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

/* Puts the tables into the constant data; those for which there is no room stay. */
static void
place_tables(TableMover *mover) {
  NornModule *module = mover->function->module;
  ConstantTable **order = NORN_NEW(&mover->context->arena, ConstantTable *, mover->tables.count);
  uint32_t count = 0;
  for (uint32_t k = 0; k < mover->tables.count; k++)
    if (is_moved(&mover->tables.items[k]))
      order[count++] = &mover->tables.items[k];
  if (count)
    qsort(order, count, sizeof(ConstantTable *), compare_sizes);
  for (uint32_t k = 0; k < count; k++) {
    order[k]->stays = module->data_size + (uint64_t)order[k]->bytes > NORN_DATA_LIMIT ||
                      !norn_pass_continues(mover->context, module->data_size / 4 + 1);
    if (!order[k]->stays)
      order[k]->place = norn_module_add_data(module, order[k]->image, order[k]->bytes);
  }
}

/* Erases the stores to tables, and makes their addresses count from 0. */
static bool
drop_stores(TableMover *mover) {
  NornFunction *function = mover->function;
  NornReplacements replacements = {.arena = &mover->context->arena};
  bool any = false;
  for (uint32_t k = 0; k < mover->stores.count; k++)
    if (is_moved(&mover->tables.items[mover->stores.items[k].table]))
      norn_inst_erase(function, mover->stores.items[k].inst);
  for (uint32_t k = 0; k < mover->tables.count; k++) {
    const ConstantTable *table = &mover->tables.items[k];
    if (!is_moved(table))
      continue;
    norn_replacements_set(&replacements, norn_inst(function, table->inst)->result,
                          norn_constant(function->module, 0));
    norn_inst_erase(function, table->inst);
    any = true;
  }
  norn_replacements_apply(&replacements, function);
  return any;
}

/* Lets a load by index, `offset` behind its address, stay in the table. */
static NornRef
limit_index(const TableMover *mover, NornBuilder *builder, const ConstantTable *table,
            unsigned size, NornRef index, int64_t *offset) {
  uint32_t last = (table->bytes - size) & ~(uint32_t)(MIN(size, 4) - 1);
  uint64_t greatest =
      norn_greatest_integer(mover->function, mover->dominance, NULL, index, NORN_TYPE_I32);
  if (*offset >= 0 && greatest + (uint64_t)*offset <= last)
    return index;
  if (*offset)
    index =
        norn_build_iadd(builder, NORN_TYPE_I32, index, norn_build_bits(builder, (uint32_t)*offset));
  *offset = 0;
  return norn_build_umin(builder, NORN_TYPE_I32, index, norn_build_bits(builder, last));
}

/* The address of a byte of constant data for an instruction: made outside of all loops. */
static NornRef
build_base(const TableMover *mover, uint32_t inst, uint32_t byte) {
  NornFunction *function = mover->function;
  const NornDominance *dominance = mover->dominance;
  uint32_t own = norn_inst(function, inst)->block, block = own;
  while (dominance->loop_depth[block])
    block = dominance->idom[block];
  NornBuilder builder =
      norn_builder_before(function, block == own ? inst : norn_block_terminator(function, block));
  return norn_build_data_address(&builder, byte);
}

static void
move_load(const TableMover *mover, const TableLoad *load) {
  NornFunction *function = mover->function;
  const ConstantTable *table = &mover->tables.items[load->table];
  NornInst *inst = norn_inst(function, load->inst);
  NornBuilder builder = norn_builder_before(function, load->inst);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  NornRef index = norn_operands(function, inst)[0];
  index = limit_index(mover, &builder, table, access_bytes(inst), index, &offset);
  uint32_t base = table->place & ~(uint32_t)(REACH - 1);
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
  mover->dominance = norn_pass_dominance(mover->context, function);
  mover->table_of = norn_arena_indexes(&mover->context->arena, function->value_count);
  for (uint32_t k = 0; k < mover->dominance->order_count; k++)
    norn_for_each_inst (function, mover->dominance->order[k], inst)
      if (norn_pass_continues(mover->context, 1))
        visit(mover, inst);
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
    for (uint32_t k = 0; k < mover.loads.count && changed; k++)
      if (is_moved(&mover.tables.items[mover.loads.items[k].table]))
        move_load(&mover, &mover.loads.items[k]);
  }
  norn_pass_report(context, changed);
  return true;
}
