/* Single accesses to memory: loads, stores and atomics of what the IR moves at once.
 *
 * A buffer whose address a driver provides has no bounds of its own. If the interface asks for it,
 * the offset of each access is checked against the buffer's size: it is clamped to the last place
 * inside the buffer. If accesses outside are to read as zero, loads select 0 instead and all other
 * accesses are branched around. */
#include "spirv/interface.h"

/* The operations for each kind of memory; 0: there is none. */
static const struct {
  uint16_t load, store, atomic, exchange;
} operations[] = {
    [NORN_SPIRV_IN_SCRATCH] = {NORN_OP_LOAD_SCRATCH, NORN_OP_STORE_SCRATCH, 0, 0},
    [NORN_SPIRV_IN_SHARED] = {NORN_OP_LOAD_SHARED, NORN_OP_STORE_SHARED, NORN_OP_ATOMIC_SHARED,
                              NORN_OP_CMPXCHG_SHARED},
    [NORN_SPIRV_IN_SHARED_BLOCK] = {NORN_OP_LOAD_SHARED, NORN_OP_STORE_SHARED,
                                    NORN_OP_ATOMIC_SHARED, NORN_OP_CMPXCHG_SHARED},
    [NORN_SPIRV_IN_BUFFER] = {NORN_OP_LOAD_BUFFER, NORN_OP_STORE_BUFFER, NORN_OP_ATOMIC_BUFFER,
                              NORN_OP_CMPXCHG_BUFFER},
    [NORN_SPIRV_IN_CONSTANT] = {NORN_OP_LOAD_CONSTANT, 0, 0, 0},
    [NORN_SPIRV_IN_GLOBAL] = {NORN_OP_LOAD_GLOBAL, NORN_OP_STORE_GLOBAL, NORN_OP_ATOMIC_GLOBAL,
                              NORN_OP_CMPXCHG_GLOBAL},
    [NORN_SPIRV_IN_CHECKED] = {NORN_OP_LOAD_GLOBAL, NORN_OP_STORE_GLOBAL, NORN_OP_ATOMIC_GLOBAL,
                               NORN_OP_CMPXCHG_GLOBAL},
    [NORN_SPIRV_IN_HANDLES] = {0, 0, 0, 0}, /* uniform words are read as operands */
};

/* An access while it is being built. */
typedef struct PlaceAccess {
  NornOp op;
  NornType type;
  unsigned modifier;
  NornRef operands[6];
  unsigned count;
  uint32_t offset;
  NornRef inside; /* whether to execute it; 0: always */
  bool is_coarse; /* whether it may count as out of bounds if a neighboring access is */
} PlaceAccess;

bool
norn_spirv_is_guarded(const NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  return pointer->space == NORN_SPIRV_IN_CHECKED &&
         reader->options->abi.robustness == NORN_SPIRV_ZERO;
}

/* The address of a place in a buffer; a place outside is moved to the last `bytes` bytes, which
 * start at a multiple of that for an atomic access. */
static NornRef
checked_address(NornSpirvReader *reader, const NornSpirvPointer *pointer, uint32_t bytes,
                bool is_atomic, NornRef *inside) {
  NornRef size = norn_spirv_size_of(reader, pointer->variable);
  NornRef offset = norn_spirv_int(reader, NORN_TYPE_I32, pointer->offset);
  if (pointer->index)
    offset = norn_spirv_op2(reader, NORN_OP_UADDSAT, NORN_TYPE_I32, pointer->index, offset);
  NornRef last = norn_spirv_op2(reader, NORN_OP_USUBSAT, NORN_TYPE_I32, size,
                                norn_spirv_int(reader, NORN_TYPE_I32, bytes));
  if (norn_spirv_is_guarded(reader, pointer))
    *inside = norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_ULE, NORN_TYPE_I32,
                                 offset, last);
  if (is_atomic && bytes > 4) /* sizes are multiples of 4 */
    last = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I32, last,
                          norn_spirv_int(reader, NORN_TYPE_I32, -bytes));
  offset = norn_spirv_op2(reader, NORN_OP_UMIN, NORN_TYPE_I32, offset, last);
  return norn_build_shladd(reader->builder, NORN_EXTEND_U32, pointer->base, offset, 0);
}

/* Appends the operands that give the address. */
static void
put_address(NornSpirvReader *reader, const NornSpirvPointer *pointer, uint32_t bytes,
            PlaceAccess *access) {
  NornRef index = pointer->index ? pointer->index : norn_build_bits(reader->builder, 0);
  bool is_atomic = access->op == operations[pointer->space].atomic ||
                   access->op == operations[pointer->space].exchange;
  access->offset = pointer->offset;
  /* Sizes of uniform buffers are multiples of 16. */
  access->is_coarse = pointer->space == NORN_SPIRV_IN_CONSTANT ||
                      reader->options->abi.robustness != NORN_SPIRV_ZERO;
  switch (pointer->space) {
  case NORN_SPIRV_IN_BUFFER:
  case NORN_SPIRV_IN_CONSTANT:
    access->operands[access->count++] = pointer->base;
    access->operands[access->count++] = index;
    break;
  case NORN_SPIRV_IN_SCRATCH:
    access->operands[access->count++] =
        pointer->index ? norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32, pointer->base, index)
                       : pointer->base;
    break;
  case NORN_SPIRV_IN_SHARED:
  case NORN_SPIRV_IN_SHARED_BLOCK:
    access->operands[access->count++] = index;
    break;
  case NORN_SPIRV_IN_CHECKED:
    access->operands[access->count++] =
        checked_address(reader, pointer, bytes, is_atomic, &access->inside);
    access->offset = 0;
    break;
  default:
    access->operands[access->count++] = pointer->base;
  }
}

static NornRef
build(NornSpirvReader *reader, const PlaceAccess *access) {
  NornInstSpec spec = norn_inst_spec(access->op);
  spec.type = access->type;
  spec.modifier = access->modifier;
  spec.operands = access->operands;
  spec.operand_count = access->count;
  spec.immediates[0] = (int32_t)access->offset;
  unsigned exact = reader->is_exact ? NORN_INST_EXACT : 0;
  norn_builder_set_flags(reader->builder, exact | (access->is_coarse ? NORN_INST_COARSE : 0));
  NornRef result = norn_build(reader->builder, &spec);
  norn_builder_set_flags(reader->builder, exact);
  return result;
}

/* Builds an access that is only executed inside the buffer; its result, if any (has_result), is 0
 * outside. */
static NornRef
build_guarded(NornSpirvReader *reader, const PlaceAccess *access, bool has_result) {
  NornRef inside = norn_build_block(reader->builder, NULL);
  NornRef after = norn_build_block(reader->builder, NULL),
          zero = norn_build_bits(reader->builder, 0);
  NornRef result =
      has_result ? norn_build_parameter(reader->builder, after, access->type, NULL) : 0;
  norn_build_br(reader->builder, access->inside, norn_branch(inside),
                (NornBranch){after, has_result, &zero});
  norn_spirv_go_to(reader, inside);
  NornRef value = build(reader, access);
  norn_build_jump(reader->builder, (NornBranch){after, has_result, &value});
  norn_spirv_go_to(reader, after);
  return result;
}

static bool
check_access(NornSpirvReader *reader, uint16_t op) {
  if (!op || !reader->block)
    norn_spirv_invalid(reader, "this access is not possible for this memory");
  return !reader->error;
}

NornRef
norn_spirv_load_at(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type) {
  PlaceAccess access = {.op = operations[pointer->space].load, .type = type};
  if (!check_access(reader, access.op))
    return 0;
  put_address(reader, pointer, norn_type_bits(type) / 8, &access);
  NornRef value = build(reader, &access);
  return access.inside ? norn_spirv_op3(reader, NORN_OP_SELECT, type, access.inside, value,
                                        norn_build_bits(reader->builder, 0))
                       : value;
}

void
norn_spirv_store_at(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType type,
                    NornRef value) {
  PlaceAccess access = {.op = operations[pointer->space].store, .type = type};
  if (!check_access(reader, access.op))
    return;
  access.operands[access.count++] = value;
  put_address(reader, pointer, norn_type_bits(type) / 8, &access);
  if (access.inside)
    build_guarded(reader, &access, false);
  else
    build(reader, &access);
}

NornRef
norn_spirv_atomic_at(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornAtomic atomic,
                     NornType type, NornRef value, NornRef comparator) {
  if (pointer->texel)
    return norn_spirv_image_atomic(reader, pointer, atomic, type, value, comparator);
  PlaceAccess access = {.op = comparator ? operations[pointer->space].exchange
                                         : operations[pointer->space].atomic,
                        .type = type,
                        .modifier = comparator ? 0 : atomic};
  if (!access.op) {
    norn_spirv_unsupported(reader, "atomic access of this type to this memory is not supported");
    return 0;
  }
  put_address(reader, pointer, norn_type_bits(type) / 8, &access);
  if (comparator)
    access.operands[access.count++] = comparator;
  access.operands[access.count++] = value;
  return access.inside ? build_guarded(reader, &access, true) : build(reader, &access);
}
