/* Load and store vectorization: merges accesses to adjacent addresses.
 *
 * First, constants that are added to addresses are moved to the offsets of the accesses. Then, in
 * each block, loads from one base with consecutive addresses are merged to a load of a group at the
 * position of the first, and stores to a store of a group at the position of the last. So a load
 * may join a group only if nothing since the group's first load conflicts with it, and a store may
 * stay in its group only as long as nothing conflicts with that store. A load that another one
 * contains is merged with it, under the same conditions. The accesses since then are
 * kept in an access set (ir/analysis/alias.h), which decides both. Loads need not be adjacent:
 * words between them are loaded, too, if that makes fewer messages and nothing in the function may
 * write them.
 *
 * A group consists of whole words, since it needs no more alignment than they do, and is at most as
 * large as the target's largest access. Bytes and halves are included if they fill words whose
 * addresses are known to be multiples of 4, and two bytes if they fill a half whose address is
 * known to be a multiple of 2. This is known from the base, or because an access to a word from the
 * same base would not be aligned otherwise. Words that are only filled in part are left unchanged:
 * the rest may be outside of all memory, and must not be written. Thread-local memory consists of
 * pieces that an access may not cross, so a group there must be in one piece by what is known about
 * the base. The same applies to coarse accesses to a buffer of a table: the whole piece may count
 * as outside if a part of it is. Other accesses to such a buffer are left unchanged. */
#include "ir/analysis/alias.h"
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"
#include <stdlib.h>
#include <string.h>

/* Maximum number of loads and stores that may still become part of a group; when there are more,
 * the oldest group is closed. */
#define MAX_OPEN 64

/* The space of read-only buffers of a table. Nothing writes to it. */
#define SPACE_READ_ONLY 0

/* A plain load or store. */
typedef struct PlainAccess {
  uint32_t inst;
  NornRef handle; /* of a buffer of a table, else 0 */
  NornRef base;
  int64_t offset;
  uint32_t size; /* bytes */
  uint8_t space;
  bool is_store;
  bool may_fill;  /* a load that may be merged with one that is some words before it */
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
  unsigned loads;   /* number of loads among them */
  uint32_t order;   /* of the current access */
  bool joins_parts; /* parts of words were merged, which may be used as the parts that they are */
  NornAccessSet writes;     /* since the first open load; tagged with their order, or a later one */
  NornAccessSet all_writes; /* of the function, at unknown places of the same roots */
} Vectorizer;

/* Whether the instruction is a plain load or store that may be merged with its neighbors. */
static bool
describe(const Vectorizer *vectorizer, uint32_t index, PlainAccess *access) {
  const NornInst *inst = norn_inst(vectorizer->function, index);
  *access = (PlainAccess){.inst = index};
  switch (inst->op) {
  case NORN_OP_STORE_GLOBAL:
  case NORN_OP_LOAD_GLOBAL:
    access->space = NORN_SPACE_GLOBAL;
    break;
  case NORN_OP_STORE_BUFFER:
  case NORN_OP_LOAD_BUFFER:
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
  case NORN_OP_LOAD_CONSTANT:
    access->space = SPACE_READ_ONLY;
    break;
  default:
    return false;
  }
  if (norn_accesses_buffer(inst->op) && !(inst->flags & NORN_INST_COARSE))
    return false;
  access->is_store = norn_ops[inst->op].flags & NORN_OP_WRITES_MEMORY;
  unsigned address = norn_address_operand(inst->op);
  access->base = norn_operand(vectorizer->function, index, address);
  if (norn_ops[inst->op].flags & NORN_OP_BUFFERS)
    access->handle = norn_operand(vectorizer->function, index, address - 1);
  access->offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  access->size = norn_type_bits(inst->type) / 8;
  return true;
}

/* The largest loads may contain others; the largest stores are left as they are. */
static bool
takes_part(const Vectorizer *vectorizer, const PlainAccess *access) {
  unsigned max = 4 * vectorizer->max_words;
  return access->is_store ? access->size < max : access->size <= max;
}

/* Whether `bytes` bytes from the start of the access may be one access. */
static bool
can_be_one(const Vectorizer *vectorizer, const PlainAccess *access, unsigned bytes) {
  unsigned piece = 4 * vectorizer->max_words;
  if (access->space != NORN_SPACE_THREAD && !access->handle)
    return bytes <= piece;
  unsigned zeros = norn_known_zeros(vectorizer->function, access->base);
  unsigned known = zeros < 31 ? MIN(piece, 1u << zeros) : piece;
  return (uint64_t)access->offset % known + bytes <= known;
}

/* An address is known to be `remainder` modulo `modulus`, a power of two that is at most 4. */
typedef struct Alignment {
  unsigned modulus, remainder;
} Alignment;

/* The known alignment of the base of accesses, all of which are executed. */
static Alignment
find_alignment(const Vectorizer *vectorizer, PlainAccess *const *list, unsigned count) {
  unsigned zeros = norn_known_zeros(vectorizer->function, list[0]->base);
  Alignment known = {1u << MIN(zeros, 2), 0};
  for (unsigned k = 0; k < count; k++) {
    unsigned size = MIN(list[k]->size, 4);
    if (size > known.modulus)
      known = (Alignment){size, (0u - (unsigned)list[k]->offset) % size};
  }
  return known;
}

static bool
is_aligned(Alignment base, int64_t offset, unsigned bytes) {
  return base.modulus >= bytes && (base.remainder + (unsigned)offset) % bytes == 0;
}

/* Whether several accesses, sorted by address, can be one of whole words, or of one half, and
 * the number of its bytes that are in none of them. */
static bool
can_be_group(const Vectorizer *vectorizer, PlainAccess *const *list, unsigned count, Alignment base,
             unsigned *gaps) {
  bool is_word = list[0]->size % 4 == 0 || is_aligned(base, list[0]->offset, 4);
  unsigned bytes = 0;
  *gaps = 0;
  for (unsigned k = 0; k < count; k++) {
    uint64_t gap = (uint64_t)(list[k]->offset - list[0]->offset) - bytes;
    unsigned size = list[k]->size, alignment = MIN(size, 4);
    if (gap && (!list[k]->may_fill || gap >= 4 * vectorizer->max_words || gap % 4 || bytes % 4))
      return false;
    if (bytes % alignment)
      return false;
    *gaps += (unsigned)gap;
    bytes += (unsigned)gap + size;
  }
  bool is_half = bytes == 2 && is_aligned(base, list[0]->offset, 2);
  return ((is_word && bytes % 4 == 0) || is_half) && can_be_one(vectorizer, list[0], bytes);
}

/* Divides accesses, sorted by address, into groups: as few as possible, then with as few gaps as
 * possible, then with as many accesses in the first ones as possible. The group that begins with
 * access k gets group[k] of them, or 0 if that one is left unchanged. */
static void
choose_groups(const Vectorizer *vectorizer, PlainAccess *const *list, unsigned count,
              Alignment base, uint8_t *group) {
  enum { OF_GROUP = 4 * NORN_GROUP_REGISTERS * MAX_OPEN }; /* more than all gaps */
  unsigned cost[MAX_OPEN + 1], gaps;
  cost[count] = 0;
  for (unsigned first = count; first--;) {
    cost[first] = cost[first + 1] + OF_GROUP;
    group[first] = 0;
    for (unsigned n = 2; n <= count - first; n++) {
      const PlainAccess *last = list[first + n - 1];
      if (last->offset + last->size - list[first]->offset > 4 * vectorizer->max_words)
        break;
      if (!can_be_group(vectorizer, list + first, n, base, &gaps) ||
          cost[first + n] + OF_GROUP + gaps > cost[first])
        continue;
      cost[first] = cost[first + n] + OF_GROUP + gaps;
      group[first] = (uint8_t)n;
    }
  }
}

/* --- Constants in addresses --- */

/* One step; a constant address is split into itself and zero. */
static bool
split_address(const Vectorizer *vectorizer, bool is_global, NornRef *address, int64_t *offset) {
  if (!norn_is_constant(*address))
    return norn_split_address(vectorizer->function, address, offset, is_global ? 64 : 32);
  uint64_t bits = norn_constant_bits(vectorizer->module, *address);
  if (is_global || !bits)
    return false;
  *offset = (int32_t)(uint32_t)((uint64_t)*offset + bits);
  *address = norn_constant(vectorizer->module, 0);
  return true;
}

/* Moves constants in the address to the offset. Addresses wrap as their sums do. */
static void
shed_constants(const Vectorizer *vectorizer, PlainAccess *access) {
  NornRef address = access->base;
  int64_t offset = access->offset;
  bool is_global = access->space == NORN_SPACE_GLOBAL && !access->handle;
  while (split_address(vectorizer, is_global, &address, &offset) &&
         offset >= norn_immediate_minimum(NORN_IMMEDIATE_OFFSET) &&
         offset <= norn_immediate_maximum(NORN_IMMEDIATE_OFFSET)) {
    access->base = address;
    access->offset = offset;
  }
}

/* Messages to buffers of a table have no offset, so an access to one takes a sum for it. It should
 * share that sum with others if the address is one and there is no further offset. */
static void
fold_address(Vectorizer *vectorizer, uint32_t index) {
  PlainAccess access;
  if (!describe(vectorizer, index, &access) || (access.handle && !access.offset))
    return;
  shed_constants(vectorizer, &access);
  NornInst *inst = norn_inst(vectorizer->function, index);
  inst->payload = norn_set_immediate(inst->payload, NORN_IMMEDIATE_OFFSET, access.offset);
  norn_operands(vectorizer->function, inst)[norn_address_operand(inst->op)] = access.base;
}

/* --- Groups --- */

/* The value of the type that begins at the given byte of the words. */
static NornRef
value_at(NornBuilder *builder, NornType type, const NornRef *words, unsigned byte) {
  unsigned count = norn_type_words(type), size = norn_type_bits(type) / 8;
  if (count > 1)
    return norn_build_collect(builder, NORN_TYPE_I32, type, count, words + byte / 4);
  if (size == 4)
    return norn_build_cast(builder, type, NORN_TYPE_I32, words[byte / 4]);
  NornType packed = norn_packed_type(type);
  return norn_build_extract(builder, type, packed,
                            norn_build_cast(builder, packed, NORN_TYPE_I32, words[byte / 4]),
                            byte % 4 / size);
}

static void
words_of_value(NornBuilder *builder, NornType type, NornRef value, NornRef *words) {
  unsigned count = norn_type_words(type);
  if (norn_is_constant(value) && count <= 2) {
    uint64_t bits = norn_constant_bits(builder->function->module, value);
    for (unsigned k = 0; k < count; k++)
      words[k] = norn_build_bits(builder, (uint32_t)(bits >> 32 * k));
  } else if (count > 1) {
    norn_build_split(builder, NORN_TYPE_I32, type, value, count, words);
  } else {
    words[0] = norn_build_cast(builder, NORN_TYPE_I32, type, value);
  }
}

static NornRef
word_of_lanes(NornBuilder *builder, NornType lane, const NornRef *lanes) {
  NornType packed = norn_packed_type(lane);
  return norn_build_bitcast(builder, NORN_TYPE_I32, packed,
                            norn_build_vec(builder, packed, lane, norn_types[packed].lanes, lanes));
}

/* The half that consists of two bytes. */
static NornRef
half_of_bytes(NornBuilder *builder, NornRef low, NornRef high) {
  NornRef zero = norn_build_bits(builder, 0);
  NornRef word = word_of_lanes(builder, NORN_TYPE_I8, (NornRef[]){low, high, zero, zero});
  return norn_build_trunc(builder, NORN_TYPE_I16, NORN_TYPE_I32, word);
}

/* Builds an access of `bytes` bytes that replaces several, of which `first` has the lowest address.
 * A store writes `value`. */
static NornRef
build_access(NornBuilder *builder, NornOp op, unsigned bytes, const PlainAccess *first,
             NornRef value) {
  NornInstSpec spec = norn_inst_spec(op);
  NornRef operands[3];
  if (first->is_store)
    operands[spec.operand_count++] = value;
  if (first->handle)
    operands[spec.operand_count++] = first->handle;
  operands[spec.operand_count++] = first->base;
  spec.type = bytes == 2 ? NORN_TYPE_I16 : norn_group_of_words(bytes / 4);
  spec.operands = operands;
  spec.immediates[NORN_IMMEDIATE_OFFSET] = first->offset;
  norn_builder_set_flags(builder, NORN_INST_COARSE); /* which only accesses to buffers get */
  NornRef result = norn_build(builder, &spec);
  norn_builder_set_flags(builder, 0);
  return result;
}

/* Splits the result of a load of `bytes` bytes into words; a half is zero-extended to one. */
static void
split_loaded(NornBuilder *builder, NornRef loaded, unsigned bytes, NornRef *words) {
  if (bytes == 2)
    words[0] = norn_build_zext(builder, NORN_TYPE_I32, NORN_TYPE_I16, loaded);
  else if (bytes == 4)
    words[0] = loaded;
  else
    norn_build_split(builder, NORN_TYPE_I32, norn_group_of_words(bytes / 4), loaded, bytes / 4,
                     words);
}

/* Records a write. Without an open load, none of the writes so far matters. */
static void
note_write(Vectorizer *vectorizer, const NornMemoryAccess *write) {
  if (vectorizer->loads)
    norn_access_set_add(&vectorizer->writes, write);
  else
    norn_access_set_clear(&vectorizer->writes);
}

/* Merges loads from the address of the first on; the others are within `bytes` bytes from there.
 * Returns the instruction that loads them, at the position of the earliest. */
static uint32_t
merge_loads(Vectorizer *vectorizer, PlainAccess *const *run, unsigned count, unsigned bytes) {
  NornFunction *function = vectorizer->function;
  const PlainAccess *earliest = run[0];
  for (unsigned k = 1; k < count; k++)
    if (run[k]->order < earliest->order)
      earliest = run[k];
  NornBuilder builder = norn_builder_before(function, earliest->inst);
  NornOp op = norn_inst(function, earliest->inst)->op;
  NornRef words[NORN_GROUP_REGISTERS];
  NornRef loaded = build_access(&builder, op, bytes, run[0], 0);
  split_loaded(&builder, loaded, bytes, words);
  for (unsigned k = 0; k < count; k++) {
    NornType own = norn_inst(function, run[k]->inst)->type;
    uint32_t result = norn_inst(function, run[k]->inst)->result;
    unsigned byte = (unsigned)(run[k]->offset - run[0]->offset);
    NornRef value = value_at(&builder, own, words, byte);
    norn_move_name(function, value, result);
    norn_replacements_set(&vectorizer->replacements, result, value);
  }
  for (unsigned k = 0; k < count; k++)
    norn_inst_erase(function, run[k]->inst);
  return norn_value(function, norn_ref_payload(loaded))->def;
}

/* The value that a store writes. */
static NornRef
stored(const Vectorizer *vectorizer, const PlainAccess *store, NornType *type) {
  *type = norn_inst(vectorizer->function, store->inst)->type;
  return norn_operand(vectorizer->function, store->inst, 0);
}

/* The half that the first one or two stores write, and how many stores that takes. */
static NornRef
take_half(const Vectorizer *vectorizer, NornBuilder *builder, PlainAccess *const *run,
          unsigned *taken) {
  NornType type, other;
  NornRef value = stored(vectorizer, run[0], &type);
  *taken = run[0]->size == 2 ? 1 : 2;
  if (*taken == 2)
    return half_of_bytes(builder, value, stored(vectorizer, run[1], &other));
  return norn_build_cast(builder, NORN_TYPE_I16, type, value);
}

/* The words that the first stores fill, and how many stores that takes. */
static unsigned
take_words(const Vectorizer *vectorizer, NornBuilder *builder, PlainAccess *const *run,
           NornRef *words) {
  NornType types[4];
  NornRef lanes[4];
  unsigned size = run[0]->size, count = 4 / MIN(size, 4), taken = 0;
  bool is_even = true;
  for (unsigned k = 0, byte = 0; byte < 4; byte += run[k]->size, k++) {
    lanes[k] = stored(vectorizer, run[k], &types[k]);
    is_even &= types[k] == types[0];
  }
  if (size >= 4) {
    words_of_value(builder, types[0], lanes[0], words);
    return 1;
  }
  if (is_even) {
    words[0] = word_of_lanes(builder, types[0], lanes);
    return count;
  }
  for (unsigned k = 0, more; k < 2; k++, taken += more)
    lanes[k] = take_half(vectorizer, builder, run + taken, &more);
  words[0] = word_of_lanes(builder, NORN_TYPE_I16, lanes);
  return taken;
}

/* The values of the stores, combined into one. */
static NornRef
join_stored(const Vectorizer *vectorizer, NornBuilder *builder, PlainAccess *const *run,
            unsigned count, unsigned bytes) {
  NornRef words[NORN_GROUP_REGISTERS];
  unsigned word = 0;
  if (bytes == 2)
    return take_half(vectorizer, builder, run, &count);
  for (unsigned k = 0; k < count;) {
    unsigned size = run[k]->size;
    k += take_words(vectorizer, builder, run + k, words + word);
    word += MAX(size / 4, 1);
  }
  return word == 1
             ? words[0]
             : norn_build_collect(builder, NORN_TYPE_I32, norn_group_of_words(word), word, words);
}

static void
merge_stores(Vectorizer *vectorizer, PlainAccess *const *run, unsigned count, unsigned bytes) {
  NornFunction *function = vectorizer->function;
  const PlainAccess *last = run[0];
  for (unsigned k = 1; k < count; k++)
    if (run[k]->order > last->order)
      last = run[k];
  NornBuilder builder = norn_builder_before(function, last->inst);
  NornRef value = join_stored(vectorizer, &builder, run, count, bytes);
  build_access(&builder, norn_inst(function, last->inst)->op, bytes, run[0], value);
  for (unsigned k = 0; k < count; k++) {
    /* The store may have been moved down across an open load; loads must not join that load across
     * it. */
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
  if (x->handle != y->handle)
    return x->handle < y->handle ? -1 : 1;
  if (x->base != y->base)
    return x->base < y->base ? -1 : 1;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static bool
is_same_group(const PlainAccess *a, const PlainAccess *b) {
  return a->space == b->space && a->is_store == b->is_store && a->handle == b->handle &&
         a->base == b->base;
}

/* Merges the listed accesses of one base, sorted by address, where possible. */
static void
merge_sorted(Vectorizer *vectorizer, PlainAccess *const *list, unsigned count) {
  uint8_t group[MAX_OPEN];
  Alignment base = find_alignment(vectorizer, list, count);
  choose_groups(vectorizer, list, count, base, group);
  for (unsigned first = 0; first < count; first += MAX(group[first], 1)) {
    if (!group[first])
      continue;
    const PlainAccess *last = list[first + group[first] - 1];
    unsigned bytes = (unsigned)(last->offset + last->size - list[first]->offset);
    for (unsigned k = 0; k < group[first]; k++)
      vectorizer->joins_parts |= list[first + k]->size < 4;
    if (list[first]->is_store)
      merge_stores(vectorizer, list + first, group[first], bytes);
    else
      merge_loads(vectorizer, list + first, group[first], bytes);
  }
}

/* Whether a load also loads what another one does. */
static bool
contains(const Vectorizer *vectorizer, const PlainAccess *load, const PlainAccess *other) {
  return load->size % 4 == 0 && load->offset <= other->offset &&
         other->offset + other->size <= load->offset + load->size &&
         (other->offset - load->offset) % MIN(other->size, 4) == 0 &&
         can_be_one(vectorizer, load, load->size);
}

/* Merges each load with those of one base that it contains. Returns how many loads are left. */
static unsigned
merge_contained(Vectorizer *vectorizer, PlainAccess **list, unsigned count) {
  unsigned left = 1;
  for (unsigned k = 1; k < count; k++) {
    PlainAccess *last = list[left - 1], *other = list[k];
    bool is_within = contains(vectorizer, last, other);
    if (!is_within && !contains(vectorizer, other, last)) {
      list[left++] = other;
      continue;
    }
    PlainAccess *load = is_within ? last : other, *inner = is_within ? other : last;
    load->inst = merge_loads(vectorizer, (PlainAccess *[]){load, inner}, 2, load->size);
    load->order = MIN(load->order, inner->order);
    list[left - 1] = load;
  }
  return left;
}

/* Merges the listed accesses where possible. */
static void
merge_runs(Vectorizer *vectorizer, PlainAccess **list, unsigned count) {
  qsort(list, count, sizeof *list, compare_accesses);
  for (unsigned first = 0, end, next_group; first < count; first = next_group) {
    for (end = first + 1; end < count && is_same_group(list[first], list[end]);)
      end++;
    next_group = end;
    if (!list[first]->is_store)
      end = first + merge_contained(vectorizer, list + first, end - first);
    merge_sorted(vectorizer, list + first, end - first);
  }
}

/* Merges and forgets all open accesses of one base and direction, since a group may not stay open
 * in part. If `like` is NULL, all open accesses. */
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

/* Closes the open stores that would have to move down across a conflicting access. */
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

/* A load may not move up to the first open load of its base across a conflicting write. */
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

/* The same access at an unknown place of the same root. */
static NornMemoryAccess
anywhere(const NornMemoryAccess *access) {
  NornMemoryAccess result = *access;
  result.base = NORN_BASE_UNKNOWN;
  result.size = 0;
  return result;
}

/* Whether words may be read that the program does not read, between others that it reads. They are
 * in the same pages, so only what writes them matters: it would seem to race with this invocation.
 * A store is among the writes itself. */
static bool
may_fill(const Vectorizer *vectorizer, const PlainAccess *access) {
  unsigned end = vectorizer->all_writes.count;
  NornMemoryAccess memory = anywhere(&access->memory);
  return !norn_access_set_conflict(&vectorizer->all_writes, &memory, &end);
}

static void
visit_access(Vectorizer *vectorizer, uint32_t inst, NornMemoryAccess *memory) {
  PlainAccess access;
  memory->base = resolve(vectorizer, memory->base);
  memory->handle = resolve(vectorizer, memory->handle);
  vectorizer->order = memory->tag;
  close_conflicting_stores(vectorizer, memory);
  if (describe(vectorizer, inst, &access) && takes_part(vectorizer, &access)) {
    if (access.handle)
      shed_constants(vectorizer, &access);
    access.handle = resolve(vectorizer, access.handle);
    access.base = resolve(vectorizer, access.base);
    access.order = vectorizer->order;
    access.memory = *memory;
    access.may_fill = may_fill(vectorizer, &access);
    if (!access.is_store)
      close_loads_before_conflict(vectorizer, &access);
    PlainAccess oldest = vectorizer->open[0];
    if (vectorizer->count == MAX_OPEN)
      close_groups(vectorizer, &oldest);
    vectorizer->open[vectorizer->count++] = access;
    vectorizer->loads += !access.is_store;
  }
  if (memory->writes)
    note_write(vectorizer, memory);
}

/* Notes what writes memory. A barrier or fence by itself does not. */
static void
collect_write(Vectorizer *vectorizer, uint32_t inst) {
  NornMemoryAccess memory;
  NornOp op = norn_inst(vectorizer->function, inst)->op;
  if (!(norn_ops[op].flags & NORN_OP_WRITES_MEMORY) ||
      !norn_describe_access(vectorizer->function, inst, &memory))
    return;
  memory = anywhere(&memory);
  norn_access_set_include(&vectorizer->all_writes, &memory);
}

static void
vectorize_block(Vectorizer *vectorizer, uint32_t block) {
  NornFunction *function = vectorizer->function;
  uint32_t order = 0;
  for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
       inst = next) {
    NornMemoryAccess memory;
    next = norn_inst(function, inst)->next;
    if (norn_inst(function, inst)->op == NORN_OP_LOAD_CONSTANT)
      memory = (NornMemoryAccess){.reads = true}; /* conflicts with nothing */
    else if (!norn_describe_access(function, inst, &memory))
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
  norn_access_set_init(&vectorizer.writes, &context->arena, MAX_OPEN);
  norn_access_set_init(&vectorizer.all_writes, &context->arena, MAX_OPEN);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      fold_address(&vectorizer, inst);
      collect_write(&vectorizer, inst);
    }
  norn_for_each_block (function, block)
    if (norn_pass_continues(context, 1))
      vectorize_block(&vectorizer, block);
  norn_replacements_apply(&vectorizer.replacements, function);
  if (!vectorizer.joins_parts)
    norn_pass_leaves_clean(context);
  return true;
}
