/* Atomic accesses to memory and to texels. */
#include "spirv/pointer.h"

/* The operations on each kind of memory. */
static const struct {
  uint16_t atomic, exchange;
} operations[] = {
    [NORN_SPIRV_IN_SHARED] = {NORN_OP_ATOMIC_SHARED, NORN_OP_CMPXCHG_SHARED},
    [NORN_SPIRV_IN_BUFFER] = {NORN_OP_ATOMIC_BUFFER, NORN_OP_CMPXCHG_BUFFER},
    [NORN_SPIRV_IN_GLOBAL] = {NORN_OP_ATOMIC_GLOBAL, NORN_OP_CMPXCHG_GLOBAL},
};

/* OpAtomicX, and what the IR calls it; NEGATED: the operand is, ONE: it is that constant. */
typedef enum { OPERAND, NEGATED, ONE, MINUS_ONE } AtomicOperand;
static const struct {
  uint16_t opcode;
  uint8_t atomic, operand;
} atomics[] = {
    {SpvOpAtomicIAdd, NORN_ATOMIC_ADD, OPERAND},
    {SpvOpAtomicISub, NORN_ATOMIC_ADD, NEGATED},
    {SpvOpAtomicIIncrement, NORN_ATOMIC_ADD, ONE},
    {SpvOpAtomicIDecrement, NORN_ATOMIC_ADD, MINUS_ONE},
    {SpvOpAtomicSMin, NORN_ATOMIC_SMIN, OPERAND},
    {SpvOpAtomicUMin, NORN_ATOMIC_UMIN, OPERAND},
    {SpvOpAtomicSMax, NORN_ATOMIC_SMAX, OPERAND},
    {SpvOpAtomicUMax, NORN_ATOMIC_UMAX, OPERAND},
    {SpvOpAtomicAnd, NORN_ATOMIC_AND, OPERAND},
    {SpvOpAtomicOr, NORN_ATOMIC_OR, OPERAND},
    {SpvOpAtomicXor, NORN_ATOMIC_XOR, OPERAND},
    {SpvOpAtomicExchange, NORN_ATOMIC_EXCHANGE, OPERAND},
};

static NornType
word_type(NornType type) {
  return norn_type_bits(type) == 64 ? NORN_TYPE_I64 : NORN_TYPE_I32;
}

/* Builds an atomic access with `count` operands after the place. */
static NornRef
build_atomic(NornSpirvReader *reader, const NornSpirvPointer *pointer, bool exchanges,
             NornAtomic atomic, NornType type, const NornRef *values, unsigned count) {
  NornRef operands[4];
  bool has_atomics = pointer->space < G_N_ELEMENTS(operations);
  unsigned filled = has_atomics ? norn_spirv_put_address(reader, pointer, operands) : 0;
  NornInstSpec spec = norn_inst_spec(!has_atomics ? 0
                                     : exchanges  ? operations[pointer->space].exchange
                                                  : operations[pointer->space].atomic);
  if (!spec.op || norn_type_bits(type) < 32) {
    norn_spirv_unsupported(reader, "no atomic access of this type to this memory");
    return 0;
  }
  for (unsigned k = 0; k < count; k++)
    operands[filled++] = values[k];
  spec.type = word_type(type);
  spec.modifier = atomic;
  spec.operands = operands;
  spec.operand_count = filled;
  spec.immediates[0] = (int32_t)pointer->offset;
  return norn_build(reader->builder, &spec);
}

/* What an atomic instruction does, and its operand, which word 6 may be. */
static NornAtomic
read_operand(NornSpirvReader *reader, NornType type, NornRef *operand) {
  unsigned k = 0;
  while (atomics[k].opcode != norn_spirv_opcode(reader))
    k++;
  if (atomics[k].atomic != NORN_ATOMIC_EXCHANGE && !norn_type_in(NORN_SET_INT, type))
    norn_spirv_invalid(reader, "this is done with integers");
  switch ((AtomicOperand)atomics[k].operand) {
  case OPERAND:
    *operand = norn_spirv_scalar(reader, 6);
    break;
  case NEGATED:
    *operand = norn_spirv_op1(reader, NORN_OP_INEG, type, norn_spirv_scalar(reader, 6));
    break;
  case ONE:
    *operand = norn_spirv_int(reader, type, 1);
    break;
  case MINUS_ONE:
    *operand = norn_spirv_int(reader, type, UINT64_MAX);
    break;
  }
  return (NornAtomic)atomics[k].atomic;
}

static NornRef
cast(NornSpirvReader *reader, NornType to, NornType from, NornRef ref) {
  return to == from ? ref : norn_spirv_convert(reader, NORN_OP_BITCAST, 0, to, from, ref);
}

static void
read_atomic(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer = norn_spirv_pointer(reader, 3);
  NornType type = (NornType)norn_spirv_type(reader, 1)->scalar, word = word_type(type);
  NornRef operand = 0;
  if (!type || pointer->type->scalar != type) {
    norn_spirv_invalid(reader, "the pointer is to a value of another type");
    return;
  }
  NornAtomic atomic = read_operand(reader, type, &operand);
  if (reader->error)
    return;
  operand = cast(reader, word, type, operand);
  NornRef old = pointer->space == NORN_SPIRV_IN_HANDLES
                    ? norn_spirv_image_atomic(reader, pointer, atomic, word, operand, 0)
                    : build_atomic(reader, pointer, false, atomic, word, &operand, 1);
  norn_spirv_define_scalar(reader, cast(reader, type, word, old));
}

static void
read_compare_exchange(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer = norn_spirv_pointer(reader, 3);
  NornType type = (NornType)norn_spirv_type(reader, 1)->scalar;
  NornRef values[] = {norn_spirv_scalar(reader, 8), norn_spirv_scalar(reader, 7)};
  if (type != NORN_TYPE_I32 && type != NORN_TYPE_I64) {
    norn_spirv_unsupported(reader, "no atomic access of this type");
    return;
  }
  norn_spirv_define_scalar(
      reader, pointer->space == NORN_SPIRV_IN_HANDLES
                  ? norn_spirv_image_atomic(reader, pointer, NORN_ATOMIC_EXCHANGE, type, values[1],
                                            values[0])
                  : build_atomic(reader, pointer, true, NORN_ATOMIC_ADD, type, values, 2));
}

/* An atomic load is one that changes nothing. */
static void
read_atomic_load(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer = norn_spirv_pointer(reader, 3);
  NornType type = (NornType)norn_spirv_type(reader, 1)->scalar, word = word_type(type);
  NornRef zero = norn_build_bits(reader->builder, 0);
  NornRef value = pointer->space == NORN_SPIRV_IN_HANDLES
                      ? norn_spirv_image_atomic(reader, pointer, NORN_ATOMIC_OR, word, zero, 0)
                      : build_atomic(reader, pointer, false, NORN_ATOMIC_OR, word, &zero, 1);
  norn_spirv_define_scalar(reader, cast(reader, type, word, value));
}

static void
read_atomic_store(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer = norn_spirv_pointer(reader, 1);
  NornType type = (NornType)pointer->type->scalar, word = word_type(type);
  NornRef value = cast(reader, word, type, norn_spirv_scalar(reader, 4));
  if (pointer->space == NORN_SPIRV_IN_HANDLES)
    norn_spirv_image_atomic(reader, pointer, NORN_ATOMIC_EXCHANGE, word, value, 0);
  else
    build_atomic(reader, pointer, false, NORN_ATOMIC_EXCHANGE, word, &value, 1);
}

NornSpirvHandler
norn_spirv_atomic_handler(unsigned opcode) {
  for (unsigned i = 0; i < G_N_ELEMENTS(atomics); i++)
    if (atomics[i].opcode == opcode)
      return read_atomic;
  switch (opcode) {
  case SpvOpAtomicCompareExchange:
    return read_compare_exchange;
  case SpvOpAtomicLoad:
    return read_atomic_load;
  case SpvOpAtomicStore:
    return read_atomic_store;
  default:
    return NULL;
  }
}
