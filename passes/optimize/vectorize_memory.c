/* Merge: accesses to neighboring places become one.
 *
 * First every address sheds the constants added to it: they go into the access's offset. Then, in
 * each block, loads from one base whose places follow each other become a load of a group at the
 * place of the first, and stores a store of a group at the place of the last. A group is open as
 * long as nothing comes between that may touch its places: a load moves up over stores to other
 * places, a store moves down over accesses to other places; what orders memory closes all. Only
 * values of whole words take part, as a group asks for no more alignment than its words do, and no
 * more than four words, which is what an access moves.
 *
 * Thread-local memory is left out, as its pieces may not be crossed; and buffers of a table, as
 * what lies outside must be found out for each place. */
#include "ir/construct.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 4
/* Accesses in open groups; beyond, all are closed. */
#define MOST_OPEN 64

typedef enum { SPACE_OTHER, SPACE_GLOBAL, SPACE_SHARED, SPACE_SCRATCH } Space;

/* One load or store. */
typedef struct Access {
  uint32_t inst;
  NornRef base;
  int64_t offset;
  uint32_t size; /* bytes; 0: not known */
  Space space;
  bool is_store, is_open; /* may still be merged */
  unsigned order;
} Access;

typedef struct Merger {
  NornModule *module;
  NornFunction *function;
  NornRef *map; /* per value there was at the start */
  uint32_t map_size;
  Access accesses[MOST_OPEN];
  unsigned count;
} Merger;

static bool
describe(const Merger *merger, uint32_t index, Access *access) {
  const NornInst *inst = &merger->function->insts[index];
  *access = (Access){.inst = index};
  switch (inst->op) {
  case NORN_OP_STORE_GLOBAL:
  case NORN_OP_LOAD_GLOBAL:
    access->space = SPACE_GLOBAL;
    break;
  case NORN_OP_STORE_SHARED:
  case NORN_OP_LOAD_SHARED:
    access->space = SPACE_SHARED;
    break;
  case NORN_OP_STORE_SCRATCH:
  case NORN_OP_LOAD_SCRATCH:
    access->space = SPACE_SCRATCH;
    break;
  default:
    return false;
  }
  access->is_store = norn_ops[inst->op].flags & NORN_OP_WRITES_MEMORY;
  access->base = norn_operand(merger->function, index, access->is_store);
  access->offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  access->size = norn_type_bits(inst->type) / 8;
  access->is_open =
      access->space != SPACE_SCRATCH && access->size % 4 == 0 && access->size < 4 * MOST_WORDS;
  return true;
}

/* --- Constants of addresses --- */

/* base + constant, as a sum of the address's width; a constant by itself is one to zero. */
static bool
split_address(const Merger *merger, Space space, NornRef *address, int64_t *offset) {
  const NornFunction *function = merger->function;
  if (norn_ref_kind(*address) == NORN_REF_CONSTANT && space != SPACE_GLOBAL) {
    uint64_t bits = norn_constant_bits(merger->module, *address);
    *offset += (int32_t)bits;
    *address = norn_constant(merger->module, 0);
    return bits && *offset >= norn_immediate_minimum(NORN_IMMEDIATE_OFFSET) &&
           *offset <= norn_immediate_maximum(NORN_IMMEDIATE_OFFSET);
  }
  if (norn_ref_kind(*address) != NORN_REF_VALUE)
    return false;
  const NornValue *value = &function->values[norn_ref_payload(*address)];
  if (value->is_parameter)
    return false;
  const NornInst *sum = &function->insts[value->def];
  if (sum->op != NORN_OP_IADD)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef constant = norn_operand(function, value->def, k);
    if (norn_ref_kind(constant) != NORN_REF_CONSTANT)
      continue;
    uint64_t bits = norn_constant_bits(merger->module, constant);
    int64_t change = sum->type == NORN_TYPE_I64 ? (int64_t)bits : (int32_t)bits;
    if (change < INT32_MIN || change > INT32_MAX)
      return false;
    *offset += change;
    *address = norn_operand(function, value->def, 1 - k);
    return *offset >= norn_immediate_minimum(NORN_IMMEDIATE_OFFSET) &&
           *offset <= norn_immediate_maximum(NORN_IMMEDIATE_OFFSET);
  }
  return false;
}

/* Both address spaces of 32 bits wrap as their sums do. */
static void
fold_address(Merger *merger, uint32_t index) {
  Access access;
  if (!describe(merger, index, &access))
    return;
  NornRef address = access.base;
  int64_t offset = access.offset;
  while (split_address(merger, access.space, &address, &offset)) {
    NornInst *inst = &merger->function->insts[index];
    inst->payload = norn_set_immediate(inst->payload, NORN_IMMEDIATE_OFFSET, offset);
    merger->function->operands[inst->operand + access.is_store] = address;
  }
}

/* --- Groups --- */

static bool
may_overlap(const Access *a, const Access *b) {
  if (a->space != b->space)
    return false;
  if (a->base != b->base || !a->size || !b->size)
    return true;
  return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static NornRef
emit(Merger *merger, uint32_t before, NornOp op, NornType type, NornType source_type,
     const NornRef *operands, unsigned count, const NornType *results, unsigned result_count) {
  NornFunction *function = merger->function;
  uint32_t index = norn_inst_create(function, (uint16_t)op, count, result_count);
  NornInst *inst = &function->insts[index];
  const NornInst *model = &function->insts[before];
  inst->type = (uint8_t)type;
  inst->source_type = (uint8_t)source_type;
  inst->line = model->line;
  inst->column = model->column;
  for (unsigned k = 0; k < result_count; k++)
    function->values[inst->result + k].type = (uint8_t)results[k];
  norn_inst_set_operands(function, index, operands, count);
  norn_inst_insert_before(function, index, before);
  return result_count ? norn_result(function, index, 0) : 0;
}

static NornType
group_type(unsigned words) {
  return words == 1 ? NORN_TYPE_I32 : (NornType)(NORN_TYPE_W2 + words - 2);
}

/* The words as a value of the type. */
static NornRef
value_of_words(Merger *merger, uint32_t before, NornType type, const NornRef *words) {
  unsigned count = norn_type_words(type);
  if (count == 1)
    return type == NORN_TYPE_I32
               ? words[0]
               : emit(merger, before, NORN_OP_BITCAST, type, NORN_TYPE_I32, words, 1, &type, 1);
  return emit(merger, before, NORN_OP_COLLECT, NORN_TYPE_I32, type, words, count, &type, 1);
}

static void
words_of_value(Merger *merger, uint32_t before, NornType type, NornRef value, NornRef *words) {
  static const NornType i32s[MOST_WORDS] = {NORN_TYPE_I32, NORN_TYPE_I32, NORN_TYPE_I32,
                                            NORN_TYPE_I32};
  unsigned count = norn_type_words(type);
  if (norn_ref_kind(value) == NORN_REF_CONSTANT && count <= 2) {
    uint64_t bits = norn_constant_bits(merger->module, value);
    for (unsigned k = 0; k < count; k++)
      words[k] = norn_constant(merger->module, (uint32_t)(bits >> 32 * k));
    return;
  }
  NornRef first = value;
  if (count > 1)
    first = emit(merger, before, NORN_OP_SPLIT, NORN_TYPE_I32, type, &value, 1, i32s, count);
  else if (type != NORN_TYPE_I32)
    first = emit(merger, before, NORN_OP_BITCAST, NORN_TYPE_I32, type, &value, 1, i32s, 1);
  for (unsigned k = 0; k < count; k++)
    words[k] = first + k; /* the values of a split follow each other */
}

static void
merge_loads(Merger *merger, Access *const *run, unsigned count, unsigned words) {
  NornFunction *function = merger->function;
  const Access *earliest = run[0];
  for (unsigned k = 1; k < count; k++)
    if (run[k]->order < earliest->order)
      earliest = run[k];
  uint32_t before = earliest->inst;
  NornOp op = function->insts[before].op;
  NornType type = group_type(words), i32s[MOST_WORDS];
  for (unsigned k = 0; k < words; k++)
    i32s[k] = NORN_TYPE_I32;
  NornRef base = run[0]->base;
  NornRef group = emit(merger, before, op, type, NORN_TYPE_VOID, &base, 1, &type, 1);
  NornInst *load = &function->insts[function->values[norn_ref_payload(group)].def];
  load->payload = norn_set_immediate(0, NORN_IMMEDIATE_OFFSET, run[0]->offset);
  NornRef first = emit(merger, before, NORN_OP_SPLIT, NORN_TYPE_I32, type, &group, 1, i32s, words);
  NornRef parts[MOST_WORDS];
  for (unsigned k = 0; k < words; k++)
    parts[k] = first + k;
  for (unsigned k = 0, word = 0; k < count; k++) {
    NornType own = function->insts[run[k]->inst].type;
    uint32_t result = function->insts[run[k]->inst].result;
    NornRef value = value_of_words(merger, before, own, parts + word);
    NornValue *new_value = &function->values[norn_ref_payload(value)];
    if (!new_value->name) {
      new_value->name = function->values[result].name;
      function->values[result].name = 0;
    }
    merger->map[result] = value;
    word += norn_type_words(own);
  }
  for (unsigned k = 0; k < count; k++)
    norn_inst_erase(function, run[k]->inst);
}

static void
merge_stores(Merger *merger, Access *const *run, unsigned count, unsigned words) {
  NornFunction *function = merger->function;
  const Access *last = run[0];
  for (unsigned k = 1; k < count; k++)
    if (run[k]->order > last->order)
      last = run[k];
  NornRef parts[MOST_WORDS];
  for (unsigned k = 0, word = 0; k < count; k++) {
    NornType own = function->insts[run[k]->inst].type;
    words_of_value(merger, last->inst, own, norn_operand(function, run[k]->inst, 0), parts + word);
    word += norn_type_words(own);
  }
  NornType type = group_type(words);
  NornRef operands[2] = {
      emit(merger, last->inst, NORN_OP_COLLECT, NORN_TYPE_I32, type, parts, words, &type, 1),
      run[0]->base};
  NornOp op = function->insts[last->inst].op;
  emit(merger, last->inst, op, type, NORN_TYPE_VOID, operands, 2, NULL, 0);
  NornInst *store = &function->insts[function->insts[last->inst].previous];
  store->payload = norn_set_immediate(0, NORN_IMMEDIATE_OFFSET, run[0]->offset);
  for (unsigned k = 0; k < count; k++)
    norn_inst_erase(function, run[k]->inst);
}

static int
compare_accesses(const void *a, const void *b) {
  const Access *x = *(Access *const *)a, *y = *(Access *const *)b;
  if (x->space != y->space)
    return x->space < y->space ? -1 : 1;
  if (x->is_store != y->is_store)
    return x->is_store ? 1 : -1;
  if (x->base != y->base)
    return x->base < y->base ? -1 : 1;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static bool
follows(const Access *a, const Access *b) {
  return a->space == b->space && a->is_store == b->is_store && a->base == b->base &&
         a->offset + a->size == b->offset;
}

/* Merges what can be of the accesses listed. */
static void
merge_runs(Merger *merger, Access **list, unsigned count) {
  qsort(list, count, sizeof *list, compare_accesses);
  for (unsigned first = 0, end; first < count; first = end) {
    unsigned words = list[first]->size / 4;
    for (end = first + 1; end < count && follows(list[end - 1], list[end]) &&
                          words + list[end]->size / 4 <= MOST_WORDS;
         end++)
      words += list[end]->size / 4;
    if (end - first < 2)
      continue;
    if (list[first]->is_store)
      merge_stores(merger, list + first, end - first, words);
    else
      merge_loads(merger, list + first, end - first, words);
  }
}

/* Merges and forgets those accesses that `next` (NULL: anything) may conflict with. A group may not
 * stay open in part, so all accesses of its base and direction go. */
static void
close_groups(Merger *merger, const Access *next) {
  Access *closed[MOST_OPEN];
  bool closes[MOST_OPEN] = {false};
  unsigned count = 0, left = 0;
  for (unsigned k = 0; k < merger->count; k++) {
    const Access *access = &merger->accesses[k];
    if (next && !((access->is_store || next->is_store) && may_overlap(access, next)))
      continue;
    for (unsigned j = 0; j < merger->count; j++) {
      const Access *other = &merger->accesses[j];
      closes[j] |= other->space == access->space && other->is_store == access->is_store &&
                   other->base == access->base;
    }
  }
  for (unsigned k = 0; k < merger->count; k++)
    if (closes[k])
      closed[count++] = &merger->accesses[k];
  if (count)
    merge_runs(merger, closed, count);
  for (unsigned k = 0; k < merger->count; k++)
    if (!closes[k])
      merger->accesses[left++] = merger->accesses[k];
  merger->count = left;
}

static NornRef
resolve(const Merger *merger, NornRef ref) {
  while (norn_ref_kind(ref) == NORN_REF_VALUE && norn_ref_payload(ref) < merger->map_size &&
         merger->map[norn_ref_payload(ref)])
    ref = merger->map[norn_ref_payload(ref)];
  return ref;
}

static void
merge_block(Merger *merger, uint32_t block) {
  NornFunction *function = merger->function;
  unsigned order = 0;
  merger->count = 0;
  for (uint32_t index = function->blocks[block].first, next; index != NORN_INDEX_NONE;
       index = next) {
    const NornInst *inst = &function->insts[index];
    uint64_t flags = norn_ops[inst->op].flags;
    Access access;
    next = inst->next;
    if (!describe(merger, index, &access)) {
      if (flags &
          (NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY | NORN_OP_ORDERS | NORN_OP_TERMINATOR))
        close_groups(merger, NULL);
      continue;
    }
    access.base = resolve(merger, access.base);
    access.order = order++;
    close_groups(merger, &access);
    if (merger->count == MOST_OPEN)
      close_groups(merger, NULL);
    if (access.is_open)
      merger->accesses[merger->count++] = access;
  }
}

bool
norn_pass_vectorize_memory(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Merger merger = {.module = context->module, .function = function};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      fold_address(&merger, inst);
  merger.map_size = function->value_count;
  merger.map = g_new0(NornRef, MAX(1, merger.map_size));
  norn_for_each_block (function, block)
    merge_block(&merger, block);
  merger.map = g_renew(NornRef, merger.map, MAX(1, function->value_count));
  memset(merger.map + merger.map_size, 0,
         (function->value_count - merger.map_size) * sizeof *merger.map);
  norn_function_replace_values(function, merger.map);
  g_free(merger.map);
  return true;
}
