/* Load and store vectorization: accesses to neighboring places become one.
 *
 * First every address sheds the constants added to it: they go into the access's offset. Then, in
 * each block, loads from one base whose places follow each other become a load of a group at the
 * place of the first, and stores a store of a group at the place of the last. So a load may join a
 * group only if nothing since the group's first load conflicts with it, and a store may stay in its
 * group only as long as nothing conflicts with that store. What has been passed since is an access
 * set (ir/analysis/alias.h), which decides both.
 *
 * Only values of whole words take part, as a group asks for no more alignment than its words do,
 * and no more than four words, which is what an access moves. Thread-local memory is left out, as
 * its pieces may not be crossed; and buffers of a table, as what lies outside must be found out for
 * each place. */
#include "ir/analysis/alias.h"
#include "ir/construct.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 4
/* Loads and stores that may still become part of a group; beyond, all groups are closed. */
#define MOST_OPEN 64

/* A plain load or store. */
typedef struct Access {
  uint32_t inst;
  NornRef base;
  int64_t offset;
  uint32_t size; /* bytes */
  uint8_t space;
  bool is_store;
  uint32_t order; /* in the block */
  NornMemoryAccess memory;
} Access;

typedef struct Vectorizer {
  NornModule *module;
  NornFunction *function;
  NornRef *map; /* per value there was at the start */
  uint32_t map_size;
  Access open[MOST_OPEN]; /* by order */
  unsigned count;
  unsigned loads;       /* among those */
  NornAccessSet writes; /* since the first open load; their tags are their orders */
} Vectorizer;

/* Whether the instruction is a plain load or store at a constant distance from one base. */
static bool
describe(const Vectorizer *vectorizer, uint32_t index, Access *access) {
  const NornInst *inst = &vectorizer->function->insts[index];
  *access = (Access){.inst = index};
  switch (inst->op) {
  case NORN_OP_STORE_GLOBAL:
  case NORN_OP_LOAD_GLOBAL:
    access->space = NORN_SPACE_GLOBAL;
    break;
  case NORN_OP_STORE_SHARED:
  case NORN_OP_LOAD_SHARED:
    access->space = NORN_SPACE_WORKGROUP;
    break;
  case NORN_OP_STORE_SCRATCH:
  case NORN_OP_LOAD_SCRATCH:
    access->space = NORN_SPACE_THREAD;
    break;
  default:
    return false;
  }
  access->is_store = norn_ops[inst->op].flags & NORN_OP_WRITES_MEMORY;
  access->base = norn_operand(vectorizer->function, index, access->is_store);
  access->offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  access->size = norn_type_bits(inst->type) / 8;
  return true;
}

static bool
takes_part(const Access *access) {
  return access->space != NORN_SPACE_THREAD && access->size % 4 == 0 &&
         access->size < 4 * MOST_WORDS;
}

/* --- Constants of addresses --- */

/* One step; a constant by itself is one added to zero. */
static bool
split_address(const Vectorizer *vectorizer, uint8_t space, NornRef *address, int64_t *offset) {
  bool is_global = space == NORN_SPACE_GLOBAL;
  if (norn_ref_kind(*address) != NORN_REF_CONSTANT)
    return norn_split_address(vectorizer->function, address, offset, is_global ? 64 : 32);
  uint64_t bits = norn_constant_bits(vectorizer->module, *address);
  if (is_global || !bits)
    return false;
  *offset = (int32_t)(uint32_t)((uint64_t)*offset + bits);
  *address = norn_constant(vectorizer->module, 0);
  return true;
}

/* Addresses wrap as their sums do. */
static void
fold_address(Vectorizer *vectorizer, uint32_t index) {
  Access access;
  if (!describe(vectorizer, index, &access))
    return;
  NornRef address = access.base;
  int64_t offset = access.offset;
  while (split_address(vectorizer, access.space, &address, &offset) &&
         offset >= norn_immediate_minimum(NORN_IMMEDIATE_OFFSET) &&
         offset <= norn_immediate_maximum(NORN_IMMEDIATE_OFFSET)) {
    NornInst *inst = &vectorizer->function->insts[index];
    inst->payload = norn_set_immediate(inst->payload, NORN_IMMEDIATE_OFFSET, offset);
    vectorizer->function->operands[inst->operand + access.is_store] = address;
  }
}

/* --- Groups --- */

static NornRef
emit(Vectorizer *vectorizer, uint32_t before, NornOp op, NornType type, NornType source_type,
     const NornRef *operands, unsigned count, const NornType *results, unsigned result_count) {
  NornFunction *function = vectorizer->function;
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
value_of_words(Vectorizer *vectorizer, uint32_t before, NornType type, const NornRef *words) {
  unsigned count = norn_type_words(type);
  if (count == 1)
    return type == NORN_TYPE_I32
               ? words[0]
               : emit(vectorizer, before, NORN_OP_BITCAST, type, NORN_TYPE_I32, words, 1, &type, 1);
  return emit(vectorizer, before, NORN_OP_COLLECT, NORN_TYPE_I32, type, words, count, &type, 1);
}

static void
words_of_value(Vectorizer *vectorizer, uint32_t before, NornType type, NornRef value,
               NornRef *words) {
  static const NornType i32s[MOST_WORDS] = {NORN_TYPE_I32, NORN_TYPE_I32, NORN_TYPE_I32,
                                            NORN_TYPE_I32};
  unsigned count = norn_type_words(type);
  if (norn_ref_kind(value) == NORN_REF_CONSTANT && count <= 2) {
    uint64_t bits = norn_constant_bits(vectorizer->module, value);
    for (unsigned k = 0; k < count; k++)
      words[k] = norn_constant(vectorizer->module, (uint32_t)(bits >> 32 * k));
    return;
  }
  NornRef first = value;
  if (count > 1)
    first = emit(vectorizer, before, NORN_OP_SPLIT, NORN_TYPE_I32, type, &value, 1, i32s, count);
  else if (type != NORN_TYPE_I32)
    first = emit(vectorizer, before, NORN_OP_BITCAST, NORN_TYPE_I32, type, &value, 1, i32s, 1);
  for (unsigned k = 0; k < count; k++)
    words[k] = first + k; /* the values of a split follow each other */
}

static void
merge_loads(Vectorizer *vectorizer, Access *const *run, unsigned count, unsigned words) {
  NornFunction *function = vectorizer->function;
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
  NornRef group = emit(vectorizer, before, op, type, NORN_TYPE_VOID, &base, 1, &type, 1);
  NornInst *load = &function->insts[function->values[norn_ref_payload(group)].def];
  load->payload = norn_set_immediate(0, NORN_IMMEDIATE_OFFSET, run[0]->offset);
  NornRef first =
      emit(vectorizer, before, NORN_OP_SPLIT, NORN_TYPE_I32, type, &group, 1, i32s, words);
  NornRef parts[MOST_WORDS];
  for (unsigned k = 0; k < words; k++)
    parts[k] = first + k;
  for (unsigned k = 0, word = 0; k < count; k++) {
    NornType own = function->insts[run[k]->inst].type;
    uint32_t result = function->insts[run[k]->inst].result;
    NornRef value = value_of_words(vectorizer, before, own, parts + word);
    NornValue *new_value = &function->values[norn_ref_payload(value)];
    if (!new_value->name) {
      new_value->name = function->values[result].name;
      function->values[result].name = 0;
    }
    vectorizer->map[result] = value;
    word += norn_type_words(own);
  }
  for (unsigned k = 0; k < count; k++)
    norn_inst_erase(function, run[k]->inst);
}

static void
merge_stores(Vectorizer *vectorizer, Access *const *run, unsigned count, unsigned words) {
  NornFunction *function = vectorizer->function;
  const Access *last = run[0];
  for (unsigned k = 1; k < count; k++)
    if (run[k]->order > last->order)
      last = run[k];
  NornRef parts[MOST_WORDS];
  for (unsigned k = 0, word = 0; k < count; k++) {
    NornType own = function->insts[run[k]->inst].type;
    words_of_value(vectorizer, last->inst, own, norn_operand(function, run[k]->inst, 0),
                   parts + word);
    word += norn_type_words(own);
  }
  NornType type = group_type(words);
  NornRef operands[2] = {
      emit(vectorizer, last->inst, NORN_OP_COLLECT, NORN_TYPE_I32, type, parts, words, &type, 1),
      run[0]->base};
  NornOp op = function->insts[last->inst].op;
  emit(vectorizer, last->inst, op, type, NORN_TYPE_VOID, operands, 2, NULL, 0);
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
is_same_group(const Access *a, const Access *b) {
  return a->space == b->space && a->is_store == b->is_store && a->base == b->base;
}

static bool
follows(const Access *a, const Access *b) {
  return is_same_group(a, b) && a->offset + a->size == b->offset;
}

/* Merges what can be of the accesses listed. */
static void
merge_runs(Vectorizer *vectorizer, Access **list, unsigned count) {
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
      merge_stores(vectorizer, list + first, end - first, words);
    else
      merge_loads(vectorizer, list + first, end - first, words);
  }
}

/* Merges and forgets all open accesses of one base and direction: a group may not stay open in
 * part. `like` NULL: all there are. */
static void
close_groups(Vectorizer *vectorizer, const Access *like) {
  Access closed[MOST_OPEN], *list[MOST_OPEN];
  unsigned count = 0, left = 0;
  for (unsigned k = 0; k < vectorizer->count; k++) {
    const Access *access = &vectorizer->open[k];
    if (!like || is_same_group(access, like)) {
      closed[count] = *access;
      list[count] = &closed[count];
      vectorizer->loads -= !access->is_store;
      count++;
    } else {
      vectorizer->open[left++] = *access;
    }
  }
  vectorizer->count = left;
  merge_runs(vectorizer, list, count);
}

static NornRef
resolve(const Vectorizer *vectorizer, NornRef ref) {
  while (norn_ref_kind(ref) == NORN_REF_VALUE && norn_ref_payload(ref) < vectorizer->map_size &&
         vectorizer->map[norn_ref_payload(ref)])
    ref = vectorizer->map[norn_ref_payload(ref)];
  return ref;
}

/* Open stores may not move down over the access. */
static void
close_conflicting_stores(Vectorizer *vectorizer, const NornMemoryAccess *access) {
  for (unsigned k = 0; k < vectorizer->count;) {
    Access open = vectorizer->open[k];
    if (open.is_store && norn_conflict(&open.memory, access)) {
      close_groups(vectorizer, &open);
      k = 0;
    } else {
      k++;
    }
  }
}

/* A load may not move up over what it conflicts with, to the first open load of its base. */
static void
close_loads_before_conflict(Vectorizer *vectorizer, const Access *load) {
  unsigned end = vectorizer->writes.count;
  const NornMemoryAccess *write =
      norn_access_set_conflict(&vectorizer->writes, &load->memory, &end);
  for (unsigned k = 0; write && k < vectorizer->count; k++)
    if (is_same_group(&vectorizer->open[k], load)) {
      if (vectorizer->open[k].order < write->tag)
        close_groups(vectorizer, load);
      return;
    }
}

/* Without an open load none of the writes so far matters. */
static void
note_write(Vectorizer *vectorizer, const NornMemoryAccess *write) {
  if (norn_access_set_is_full(&vectorizer->writes))
    close_groups(vectorizer, NULL);
  if (vectorizer->loads)
    norn_access_set_add(&vectorizer->writes, write);
  else
    norn_access_set_clear(&vectorizer->writes);
}

static void
visit_access(Vectorizer *vectorizer, uint32_t inst, NornMemoryAccess *memory) {
  Access access;
  memory->base = resolve(vectorizer, memory->base);
  memory->handle = resolve(vectorizer, memory->handle);
  close_conflicting_stores(vectorizer, memory);
  if (describe(vectorizer, inst, &access) && takes_part(&access)) {
    access.base = resolve(vectorizer, access.base);
    access.order = memory->tag;
    access.memory = *memory;
    if (!access.is_store)
      close_loads_before_conflict(vectorizer, &access);
    if (vectorizer->count == MOST_OPEN)
      close_groups(vectorizer, NULL);
    vectorizer->open[vectorizer->count++] = access;
    vectorizer->loads += !access.is_store;
  }
  if (memory->writes)
    note_write(vectorizer, memory);
}

static void
vectorize_block(Vectorizer *vectorizer, uint32_t block) {
  NornFunction *function = vectorizer->function;
  uint32_t order = 0;
  for (uint32_t inst = function->blocks[block].first, next; inst != NORN_INDEX_NONE; inst = next) {
    NornMemoryAccess memory;
    next = function->insts[inst].next;
    if (!norn_describe_access(function, inst, &memory))
      continue;
    memory.tag = order++;
    visit_access(vectorizer, inst, &memory);
  }
  close_groups(vectorizer, NULL);
  norn_access_set_clear(&vectorizer->writes);
}

bool
norn_pass_vectorize_memory(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Vectorizer vectorizer = {.module = context->module, .function = function};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      fold_address(&vectorizer, inst);
  norn_access_set_init(&vectorizer.writes, MOST_OPEN);
  vectorizer.map_size = function->value_count;
  vectorizer.map = g_new0(NornRef, MAX(1, vectorizer.map_size));
  norn_for_each_block (function, block)
    vectorize_block(&vectorizer, block);
  vectorizer.map = g_renew(NornRef, vectorizer.map, MAX(1, function->value_count));
  memset(vectorizer.map + vectorizer.map_size, 0,
         (function->value_count - vectorizer.map_size) * sizeof *vectorizer.map);
  norn_function_replace_values(function, vectorizer.map);
  g_free(vectorizer.map);
  norn_access_set_free(&vectorizer.writes);
  return true;
}
