/* Load and store vectorization: accesses to neighboring addresses become one.
 *
 * First every address sheds the constants added to it: they go into the access's offset. Then, in
 * each block, loads from one base whose addresses follow each other become a load of a group at the
 * place of the first, and stores a store of a group at that of the last. So a load may join a
 * group only if nothing since the group's first load conflicts with it, and a store may stay in its
 * group only as long as nothing conflicts with that store. What has been passed since is an access
 * set (ir/analysis/alias.h), which decides both.
 *
 * Only values of whole words take part, as a group asks for no more alignment than its words do,
 * and no more than the target moves in one access. In thread-local memory, of which pieces may not
 * be crossed, a group must lie in one by what is known of the base. Buffers of a table are left
 * out, as what lies outside must be found out for each address. */
#include "ir/analysis/alias.h"
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

/* Loads and stores that may still become part of a group; beyond, all groups are closed. */
#define MAX_OPEN 64

/* A plain load or store. */
typedef struct PlainAccess {
  uint32_t inst;
  NornRef base;
  int64_t offset;
  uint32_t size; /* bytes */
  uint8_t space;
  bool is_store;
  uint32_t order; /* in the block */
  NornMemoryAccess memory;
} PlainAccess;

typedef struct Vectorizer {
  NornModule *module;
  NornFunction *function;
  unsigned max_words; /* of one access */
  NornReplacements replacements;
  PlainAccess open[MAX_OPEN]; /* by order */
  unsigned count;
  unsigned loads;       /* among those */
  uint32_t order;       /* of the access that is visited */
  NornAccessSet writes; /* since the first open load; their tags are their orders, or later ones */
} Vectorizer;

/* Whether the instruction is a plain load or store at a constant distance from one base. */
static bool
describe(const Vectorizer *vectorizer, uint32_t index, PlainAccess *access) {
  const NornInst *inst = norn_inst(vectorizer->function, index);
  *access = (PlainAccess){.inst = index};
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
takes_part(const Vectorizer *vectorizer, const PlainAccess *access) {
  return access->size % 4 == 0 && access->size < 4 * vectorizer->max_words;
}

/* Whether so many words from where the access begins may be one access. */
static bool
can_be_one(const Vectorizer *vectorizer, const PlainAccess *access, unsigned words) {
  unsigned piece = 4 * vectorizer->max_words;
  if (access->space != NORN_SPACE_THREAD)
    return words <= vectorizer->max_words;
  unsigned zeros = norn_known_zeros(vectorizer->function, access->base);
  unsigned known = zeros < 31 ? MIN(piece, 1u << zeros) : piece;
  return (uint64_t)access->offset % known + 4 * words <= known;
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
  PlainAccess access;
  if (!describe(vectorizer, index, &access))
    return;
  NornRef address = access.base;
  int64_t offset = access.offset;
  while (split_address(vectorizer, access.space, &address, &offset) &&
         offset >= norn_immediate_minimum(NORN_IMMEDIATE_OFFSET) &&
         offset <= norn_immediate_maximum(NORN_IMMEDIATE_OFFSET)) {
    NornInst *inst = norn_inst(vectorizer->function, index);
    inst->payload = norn_set_immediate(inst->payload, NORN_IMMEDIATE_OFFSET, offset);
    norn_operands(vectorizer->function, inst)[access.is_store] = address;
  }
}

/* --- Groups --- */

/* The words as a value of the type. */
static NornRef
value_of_words(NornBuilder *builder, NornType type, const NornRef *words) {
  unsigned count = norn_type_words(type);
  if (count > 1)
    return norn_build_collect(builder, NORN_TYPE_I32, type, count, words);
  return type == NORN_TYPE_I32 ? words[0]
                               : norn_build_bitcast(builder, type, NORN_TYPE_I32, words[0]);
}

static void
words_of_value(NornBuilder *builder, NornType type, NornRef value, NornRef *words) {
  unsigned count = norn_type_words(type);
  if (norn_ref_kind(value) == NORN_REF_CONSTANT && count <= 2) {
    uint64_t bits = norn_constant_bits(builder->function->module, value);
    for (unsigned k = 0; k < count; k++)
      words[k] = norn_build_bits(builder, (uint32_t)(bits >> 32 * k));
  } else if (count > 1) {
    norn_build_split(builder, NORN_TYPE_I32, type, value, count, words);
  } else {
    words[0] =
        type == NORN_TYPE_I32 ? value : norn_build_bitcast(builder, NORN_TYPE_I32, type, value);
  }
}

/* The one access of that many words in place of others. */
static NornRef
build_access(NornBuilder *builder, NornOp op, unsigned words, int64_t offset,
             const NornRef *operands, unsigned count) {
  NornInstSpec spec = norn_inst_spec(op);
  spec.type = norn_group_of_words(words);
  spec.operands = operands;
  spec.operand_count = count;
  spec.immediates[NORN_IMMEDIATE_OFFSET] = offset;
  return norn_build(builder, &spec);
}

/* Without an open load none of the writes so far matters. */
static void
note_write(Vectorizer *vectorizer, const NornMemoryAccess *write) {
  if (vectorizer->loads)
    norn_access_set_add(&vectorizer->writes, write);
  else
    norn_access_set_clear(&vectorizer->writes);
}

static void
merge_loads(Vectorizer *vectorizer, PlainAccess *const *run, unsigned count, unsigned words) {
  NornFunction *function = vectorizer->function;
  const PlainAccess *earliest = run[0];
  for (unsigned k = 1; k < count; k++)
    if (run[k]->order < earliest->order)
      earliest = run[k];
  NornBuilder builder = norn_builder_before(function, earliest->inst);
  NornOp op = norn_inst(function, earliest->inst)->op;
  NornRef group = build_access(&builder, op, words, run[0]->offset, &run[0]->base, 1);
  NornRef parts[NORN_GROUP_REGISTERS];
  norn_build_split(&builder, NORN_TYPE_I32, norn_group_of_words(words), group, words, parts);
  for (unsigned k = 0, word = 0; k < count; k++) {
    NornType own = norn_inst(function, run[k]->inst)->type;
    uint32_t result = norn_inst(function, run[k]->inst)->result;
    NornRef value = value_of_words(&builder, own, parts + word);
    norn_move_name(function, value, result);
    norn_replacements_set(&vectorizer->replacements, result, value);
    word += norn_type_words(own);
  }
  for (unsigned k = 0; k < count; k++)
    norn_inst_erase(function, run[k]->inst);
}

static void
merge_stores(Vectorizer *vectorizer, PlainAccess *const *run, unsigned count, unsigned words) {
  NornFunction *function = vectorizer->function;
  const PlainAccess *last = run[0];
  for (unsigned k = 1; k < count; k++)
    if (run[k]->order > last->order)
      last = run[k];
  NornBuilder builder = norn_builder_before(function, last->inst);
  NornRef parts[NORN_GROUP_REGISTERS];
  for (unsigned k = 0, word = 0; k < count; k++) {
    NornType own = norn_inst(function, run[k]->inst)->type;
    words_of_value(&builder, own, norn_operand(function, run[k]->inst, 0), parts + word);
    word += norn_type_words(own);
  }
  NornRef operands[2] = {
      norn_build_collect(&builder, NORN_TYPE_I32, norn_group_of_words(words), words, parts),
      run[0]->base};
  NornOp op = norn_inst(function, last->inst)->op;
  build_access(&builder, op, words, run[0]->offset, operands, 2);
  for (unsigned k = 0; k < count; k++) {
    /* It may have moved down over an open load, which others must not join over it. */
    run[k]->memory.tag = vectorizer->order;
    note_write(vectorizer, &run[k]->memory);
    norn_inst_erase(function, run[k]->inst);
  }
}

static int
compare_accesses(const void *a, const void *b) {
  const PlainAccess *x = *(PlainAccess *const *)a, *y = *(PlainAccess *const *)b;
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
is_same_group(const PlainAccess *a, const PlainAccess *b) {
  return a->space == b->space && a->is_store == b->is_store && a->base == b->base;
}

static bool
follows(const PlainAccess *a, const PlainAccess *b) {
  return is_same_group(a, b) && a->offset + a->size == b->offset;
}

/* Merges what can be of the accesses listed. */
static void
merge_runs(Vectorizer *vectorizer, PlainAccess **list, unsigned count) {
  qsort(list, count, sizeof *list, compare_accesses);
  for (unsigned first = 0, end; first < count; first = end) {
    unsigned words = list[first]->size / 4;
    for (end = first + 1; end < count && follows(list[end - 1], list[end]) &&
                          can_be_one(vectorizer, list[first], words + list[end]->size / 4);
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
close_groups(Vectorizer *vectorizer, const PlainAccess *like) {
  PlainAccess closed[MAX_OPEN], *list[MAX_OPEN];
  unsigned count = 0, left = 0;
  for (unsigned k = 0; k < vectorizer->count; k++) {
    const PlainAccess *access = &vectorizer->open[k];
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
  return norn_replacements_get(&vectorizer->replacements, ref);
}

/* Open stores may not move down over the access. */
static void
close_conflicting_stores(Vectorizer *vectorizer, const NornMemoryAccess *access) {
  for (unsigned k = 0; k < vectorizer->count;) {
    PlainAccess open = vectorizer->open[k];
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
close_loads_before_conflict(Vectorizer *vectorizer, const PlainAccess *load) {
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

static void
visit_access(Vectorizer *vectorizer, uint32_t inst, NornMemoryAccess *memory) {
  PlainAccess access;
  memory->base = resolve(vectorizer, memory->base);
  memory->handle = resolve(vectorizer, memory->handle);
  vectorizer->order = memory->tag;
  close_conflicting_stores(vectorizer, memory);
  if (describe(vectorizer, inst, &access) && takes_part(vectorizer, &access)) {
    access.base = resolve(vectorizer, access.base);
    access.order = vectorizer->order;
    access.memory = *memory;
    if (!access.is_store)
      close_loads_before_conflict(vectorizer, &access);
    if (vectorizer->count == MAX_OPEN)
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
  for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
       inst = next) {
    NornMemoryAccess memory;
    next = norn_inst(function, inst)->next;
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
  Vectorizer vectorizer = {.module = context->module,
                           .function = function,
                           .max_words = context->target->access_words,
                           .replacements.arena = &context->arena};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      fold_address(&vectorizer, inst);
  norn_access_set_init(&vectorizer.writes, &context->arena, MAX_OPEN);
  norn_for_each_block (function, block)
    if (norn_pass_continues(context, 1))
      vectorize_block(&vectorizer, block);
  norn_replacements_apply(&vectorizer.replacements, function);
  return true;
}
