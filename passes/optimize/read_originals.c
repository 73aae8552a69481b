/* Originals: an array that is a copy of other memory, and that is accessed by an index, is removed,
 * and its loads read the original memory instead. Such copies result from a structure that is
 * passed by value, or copied to a variable, and then indexed: the copy would be stored to
 * thread-local memory word by word, only for one of the words to be loaded again.
 *
 * An array is such a copy if its address, and sums of it, are used only by loads and stores; all
 * stores are in one block, which dominates all loads, and before them; each stores, at a constant
 * offset, a value that was loaded as a whole or a word of one; they cover all bytes; and all of the
 * loads from the original are of one kind, with one base address, and the distance between the
 * offsets of the load and of the store is the same for all. The original must not have been written
 * in between, as far as is known (clobbers.h). The array then becomes the number 0:
 *
 *   load.scratch %sum, offset:o   ->   load.constant handle, %sum, offset:o + distance
 *
 * The definition of the base address dominates the loads from the original, and these dominate the
 * stores, so the address has not been redefined since. No load leaves the copied range: where the
 * sum may be too large, it is limited to the offset of the last word. */
#include "ir/analysis/alias.h"
#include "ir/analysis/clobbers.h"
#include "ir/ops.h"
#include "passes/optimize/arrays.h"

/* An array that may be a copy. */
typedef struct ArrayCopy {
  uint16_t op;        /* of the loads from the original; NORN_OP_NONE: nothing was stored yet */
  uint16_t flags;     /* NORN_INST_COARSE if all of the loads have it */
  NornRef handle;     /* of its buffer, or 0 */
  NornRef base;       /* the base address of the original */
  int64_t distance;   /* from an offset in the array to that from `base` */
  uint32_t load;      /* one of the loads from the original */
  uint8_t *is_stored; /* by byte of the array */
  uint32_t stored;    /* number of stored bytes */
  uint32_t block;     /* of the stores */
  uint32_t clobber;   /* of the loads from the original; NORN_INDEX_NONE: not known yet */
  bool stays, has_loads, has_index;
} ArrayCopy;

typedef struct OriginalReader {
  NornPassContext *context;
  NornFunction *function;
  NornArrays arrays;
  ArrayCopy *copies; /* by array */
} OriginalReader;

static bool
is_plain_load(unsigned op) {
  return op == NORN_OP_LOAD_GLOBAL || op == NORN_OP_LOAD_BUFFER || op == NORN_OP_LOAD_CONSTANT;
}

static bool
is_store(const OriginalReader *reader, const NornArrayAccess *access) {
  return norn_inst(reader->function, access->inst)->op == NORN_OP_STORE_SCRATCH;
}

/* Whether the words of a group may be read one by one. A group that is partly outside of its buffer
 * is 0, while those of its words that are inside are not; but the driver fills uniform words from
 * constant locations word by word. */
static bool
is_read_by_words(const OriginalReader *reader, const ArrayCopy *original) {
  return original->op == NORN_OP_LOAD_CONSTANT && norn_is_constant(original->handle) &&
         norn_is_constant(original->base) && reader->context->options->promote_uniforms;
}

/* Finds where the stored value, of `size` bytes, was loaded from; false if it was not loaded. */
static bool
find_original(const OriginalReader *reader, NornRef ref, unsigned size, ArrayCopy *original,
              int64_t *place) {
  const NornFunction *function = reader->function;
  const NornInst *inst = norn_defining_inst(function, ref);
  while (inst && inst->op == NORN_OP_BITCAST) {
    ref = norn_operands(function, inst)[0];
    inst = norn_defining_inst(function, ref);
  }
  bool is_part = false;
  *place = 0;
  if (inst && inst->op == NORN_OP_SPLIT && norn_type_bits((NornType)inst->type) == 8 * size) {
    *place = size * (norn_ref_payload(ref) - inst->result);
    ref = norn_operands(function, inst)[0];
    inst = norn_defining_inst(function, ref);
    is_part = true;
  } else if (inst && is_plain_load(inst->op) && norn_access_bytes(inst) != size) {
    return false;
  }
  if (!inst || !is_plain_load(inst->op))
    return false;
  const NornRef *operands = norn_operands(function, inst);
  bool has_handle = inst->operand_count == 2;
  original->op = inst->op;
  original->flags = inst->flags & NORN_INST_COARSE;
  original->handle = has_handle ? operands[0] : 0;
  original->base = operands[inst->operand_count - 1];
  original->load = norn_value(function, norn_ref_payload(ref))->def;
  *place += norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  while (norn_split_address(function, &original->base, place, has_handle ? 32 : 64))
    ;
  return !has_handle || !is_part || is_read_by_words(reader, original);
}

/* Whether an access of `size` bytes is outside of a buffer exactly where all of its bytes are:
 * through handles, this holds for words. */
static bool
is_exact(const ArrayCopy *copy, unsigned size) {
  return !copy->handle || size == 4;
}

static void
note_store(OriginalReader *reader, const NornArrayAccess *access) {
  ArrayCopy *copy = &reader->copies[access->array], original = {0};
  const NornInst *inst = norn_inst(reader->function, access->inst);
  const NornRef *operands = norn_operands(reader->function, inst);
  unsigned size = norn_access_bytes(inst);
  int64_t from, place = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  if (copy->stays || copy->has_loads ||
      !norn_array_place(&reader->arrays, operands[1], access->array, &place) || place < 0 ||
      !find_original(reader, operands[0], size, &original, &from) || !is_exact(&original, size)) {
    copy->stays = true;
    return;
  }
  original.distance = from - place;
  original.block = inst->block;
  uint32_t bytes = reader->arrays.items.items[access->array].bytes;
  if (copy->op == NORN_OP_NONE) {
    *copy = original;
    copy->is_stored = NORN_NEW0(&reader->context->arena, uint8_t, bytes);
    copy->clobber = NORN_INDEX_NONE;
  }
  copy->stays = original.op != copy->op || original.handle != copy->handle ||
                original.base != copy->base || original.distance != copy->distance ||
                original.block != copy->block || place + size > bytes;
  copy->flags &= original.flags;
  for (unsigned k = 0; k < size && !copy->stays; k++) {
    copy->stored += !copy->is_stored[place + k];
    copy->is_stored[place + k] = true;
  }
}

static void
note_load(OriginalReader *reader, const NornArrayAccess *access) {
  ArrayCopy *copy = &reader->copies[access->array];
  const NornInst *inst = norn_inst(reader->function, access->inst);
  int64_t place = 0;
  copy->has_loads = true;
  copy->has_index |= !norn_array_place(&reader->arrays, norn_operands(reader->function, inst)[0],
                                       access->array, &place);
  copy->stays |= inst->op != NORN_OP_LOAD_SCRATCH || copy->op == NORN_OP_NONE ||
                 !is_exact(copy, norn_access_bytes(inst)) ||
                 norn_access_bytes(inst) > copy->stored ||
                 !norn_dominates(reader->arrays.dominance, copy->block, inst->block);
}

/* Whether the array is a copy of other memory, judging by its accesses only. */
static bool
is_copy(const ArrayCopy *copy) {
  return !copy->stays && copy->has_index && copy->distance >= 0 &&
         copy->distance + copy->stored <= NORN_ARRAY_REACH;
}

static void
find_copies(OriginalReader *reader) {
  NornArrays *arrays = &reader->arrays;
  reader->copies = NORN_NEW0(&reader->context->arena, ArrayCopy, arrays->items.count);
  for (uint32_t k = 0; k < arrays->items.count; k++)
    reader->copies[k].stays =
        arrays->items.items[k].escapes || arrays->items.items[k].bytes > NORN_ARRAY_REACH;
  for (uint32_t k = 0; k < arrays->accesses.count; k++) {
    if (is_store(reader, &arrays->accesses.items[k]))
      note_store(reader, &arrays->accesses.items[k]);
    else
      note_load(reader, &arrays->accesses.items[k]);
  }
  for (uint32_t k = 0; k < arrays->items.count; k++) /* bytes that are never stored are 0 */
    reader->copies[k].stays |= reader->copies[k].stored != arrays->items.items[k].bytes;
}

/* --- Intervening writes --- */

/* The load that belongs to an access to a copy: for a store, the load of the stored value. */
static uint32_t
load_of(const OriginalReader *reader, const NornArrayAccess *access) {
  const NornInst *inst = norn_inst(reader->function, access->inst);
  ArrayCopy original = {.load = access->inst};
  int64_t place;
  if (is_store(reader, access))
    find_original(reader, norn_operands(reader->function, inst)[0], norn_access_bytes(inst),
                  &original, &place);
  return original.load;
}

/* The clobber of the original at an instruction before which its block makes the writes
 * `before`. */
static uint32_t
find_clobber(const OriginalReader *reader, NornClobbers *clobbers, const ArrayCopy *copy,
             uint32_t inst, const NornAccessSet *before) {
  NornMemoryAccess access;
  if (!norn_describe_access(reader->function, copy->load, &access))
    return 0; /* memory that is never written */
  access.base = NORN_BASE_UNKNOWN;
  access.size = 0;
  return norn_find_clobber(clobbers, &access, norn_inst(reader->function, inst)->block, before);
}

/* All accesses to the copy and its original must have the same clobber, or else the copy stays. */
static void
compare_clobber(ArrayCopy *copy, uint32_t clobber) {
  if (copy->clobber == NORN_INDEX_NONE)
    copy->clobber = clobber;
  copy->stays |= copy->clobber != clobber;
}

/* Keeps the copies whose original may have been written between the loads from it and those from
 * the copy. */
static void
check_writes(OriginalReader *reader) {
  const NornFunction *function = reader->function;
  const NornArrays *arrays = &reader->arrays;
  NornArena *arena = &reader->context->arena;
  NornClobbers clobbers;
  NornAccessSet before;
  uint32_t *copy_of =
      norn_arena_indexes(arena, function->inst_count); /* by load from a copy or an original */
  uint32_t *clobber_of = NORN_NEW0(arena, uint32_t, function->inst_count);
  norn_clobbers_init(&clobbers, arena, function, arrays->dominance);
  norn_access_set_init(&before, arena, NORN_MAX_WRITES);
  for (uint32_t k = 0; k < arrays->accesses.count; k++) {
    const NornArrayAccess *access = &arrays->accesses.items[k];
    if (is_copy(&reader->copies[access->array]))
      copy_of[load_of(reader, access)] = access->array;
  }
  for (uint32_t k = 0; k < arrays->dominance->order_count; k++) {
    norn_access_set_clear(&before);
    norn_for_each_inst (function, arrays->dominance->order[k], index) {
      NornMemoryAccess access;
      if (copy_of[index] != NORN_INDEX_NONE)
        clobber_of[index] =
            find_clobber(reader, &clobbers, &reader->copies[copy_of[index]], index, &before);
      if (norn_describe_access(function, index, &access) && access.writes)
        norn_access_set_add(&before, &access);
    }
  }
  for (uint32_t k = 0; k < arrays->accesses.count; k++) {
    const NornArrayAccess *access = &arrays->accesses.items[k];
    ArrayCopy *copy = &reader->copies[access->array];
    if (is_copy(copy))
      compare_clobber(copy, clobber_of[load_of(reader, access)]);
  }
}

/* --- Reading --- */

/* Turns a load from a removed copy, whose address is an index now, into a load from the
 * original. */
static void
read_original(const OriginalReader *reader, const NornArrayAccess *access) {
  NornFunction *function = reader->function;
  const ArrayCopy *copy = &reader->copies[access->array];
  const NornInst *inst = norn_inst(function, access->inst);
  NornBuilder builder = norn_builder_before(function, access->inst);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  NornRef index = norn_operands(function, inst)[0];
  index = norn_array_limit_index(&reader->arrays, &builder, copy->stored, norn_access_bytes(inst),
                                 index, &offset);
  NornRef operands[2] = {copy->handle};
  unsigned count = copy->handle ? 2 : 1;
  operands[count - 1] = copy->handle
                            ? norn_build_iadd(&builder, NORN_TYPE_I32, copy->base, index)
                            : norn_build_shladd(&builder, NORN_EXTEND_U32, copy->base, index, 0);
  uint64_t payload = norn_set_immediate(0, NORN_IMMEDIATE_OFFSET, offset + copy->distance);
  norn_inst_become(function, access->inst, copy->op, payload, operands, count);
  norn_inst(function, access->inst)->flags |= copy->flags;
}

bool
norn_pass_read_originals(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  OriginalReader reader = {.context = context, .function = function};
  reader.arrays = norn_arrays_find(context, function);
  const NornArrays *arrays = &reader.arrays;
  bool *goes = NORN_NEW0(&context->arena, bool, arrays->items.count), any = false;
  find_copies(&reader);
  for (uint32_t k = 0; k < arrays->items.count; k++)
    any |= is_copy(&reader.copies[k]);
  if (any)
    check_writes(&reader);
  any = false;
  for (uint32_t k = 0; k < arrays->items.count; k++) {
    goes[k] = is_copy(&reader.copies[k]);
    any |= goes[k];
  }
  if (any)
    norn_arrays_erase(arrays, goes);
  for (uint32_t k = 0; k < arrays->accesses.count && any; k++) {
    const NornArrayAccess *access = &arrays->accesses.items[k];
    if (goes[access->array] && norn_inst(function, access->inst)->op == NORN_OP_LOAD_SCRATCH)
      read_original(&reader, access);
  }
  norn_pass_report(context, any);
  return true;
}
