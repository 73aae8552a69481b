/* Atomic accesses to memory and to texels.
 *
 * Atomics in the IR are on 32-bit or 64-bit integers, so floats are exchanged as their bits. A load
 * is an access that changes nothing; a store is an exchange whose result is unused. Sums, minima
 * and maxima of floats are compare-and-exchange loops, each iteration of which starts with the
 * value that the previous one found. */
#include "spirv/pointer.h"

/* OpAtomicX and its equivalent in the IR. NEGATED: the operand is negated; ONE, MINUS_ONE: the
 * operand is that constant. */
typedef enum { OPERAND, NEGATED, ONE, MINUS_ONE } AtomicOperand;
static const struct {
  uint16_t opcode;
  uint8_t atomic, operand;
} atomics[] = {
#define ATOMIC(name, operation, operand) {SpvOp##name, NORN_ATOMIC_##operation, operand},
#include "spirv/handlers.def"
};

static NornType
word_type(NornType type) {
  return norn_type_bits(type) == 64 ? NORN_TYPE_I64 : NORN_TYPE_I32;
}

/* The operation of an atomic instruction and its operand, which may be word 6. */
static NornAtomic
read_operand(NornSpirvReader *reader, NornType type, NornRef *operand) {
  unsigned k = 0;
  while (atomics[k].opcode != norn_spirv_opcode(reader))
    k++;
  if (atomics[k].atomic != NORN_ATOMIC_EXCHANGE && !norn_type_in(NORN_SET_INT, type))
    norn_spirv_invalid(reader, "the operands must be integers");
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

/* The pointer of word `k` and the 32-bit or 64-bit type it points to; VOID with an error. */
static NornType
read_place(NornSpirvReader *reader, uint32_t k, const NornSpirvPointer **pointer) {
  *pointer = norn_spirv_pointer(reader, k);
  const NornSpirvType *type = (*pointer)->type;
  NornType scalar = (NornType)type->scalar;
  if (!reader->error && (type->flat != 1 || !scalar || scalar == NORN_TYPE_I1))
    norn_spirv_invalid(reader, "the pointer does not point to a number");
  else if (!reader->error && norn_type_bits(scalar) < 32)
    norn_spirv_unsupported(reader, "atomic access to less than 32 bits is not supported");
  return reader->error ? NORN_TYPE_VOID : scalar;
}

/* Defines the result, which the access returned as an integer. */
static void
define(NornSpirvReader *reader, NornType type, NornRef old) {
  if (norn_spirv_type(reader, 1)->scalar != type)
    norn_spirv_invalid(reader, "the pointer points to a value of another type");
  if (!reader->error)
    norn_spirv_define_scalar(reader, cast(reader, type, word_type(type), old));
}

void
norn_spirv_read_atomic(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer;
  NornType type = read_place(reader, 3, &pointer), word = word_type(type);
  NornRef operand = 0;
  if (!type)
    return;
  NornAtomic atomic = read_operand(reader, type, &operand);
  if (reader->error)
    return;
  operand = cast(reader, word, type, operand);
  define(reader, type, norn_spirv_atomic_at(reader, pointer, atomic, word, operand, 0));
}

void
norn_spirv_read_compare_exchange(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer;
  NornType type = read_place(reader, 3, &pointer);
  NornRef value = norn_spirv_scalar(reader, 7), comparator = norn_spirv_scalar(reader, 8);
  if (type && !norn_type_in(NORN_SET_INT, type))
    norn_spirv_invalid(reader, "the operands must be integers");
  if (!reader->error)
    define(reader, type,
           norn_spirv_atomic_at(reader, pointer, NORN_ATOMIC_EXCHANGE, type, value, comparator));
}

/* An atomic load is an access that changes nothing. */
static NornRef
load_atomically(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornType word) {
  NornRef zero = norn_build_bits(reader->builder, 0);
  return norn_spirv_atomic_at(reader, pointer, NORN_ATOMIC_OR, word, zero, 0);
}

void
norn_spirv_read_atomic_load(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer;
  NornType type = read_place(reader, 3, &pointer);
  if (type)
    define(reader, type, load_atomically(reader, pointer, word_type(type)));
}

void
norn_spirv_read_atomic_store(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer;
  NornType type = read_place(reader, 1, &pointer), word = word_type(type);
  NornRef value = norn_spirv_scalar(reader, 4);
  if (type)
    norn_spirv_atomic_at(reader, pointer, NORN_ATOMIC_EXCHANGE, word,
                         cast(reader, word, type, value), 0);
}

/* For floats: repeats the exchange until no other invocation has changed the place in between. */
void
norn_spirv_read_float_atomic(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer;
  NornType type = read_place(reader, 3, &pointer), word = word_type(type);
  NornRef operand = norn_spirv_scalar(reader, 6);
  NornOp op = norn_spirv_opcode(reader) == SpvOpAtomicFAddEXT   ? NORN_OP_FADD
              : norn_spirv_opcode(reader) == SpvOpAtomicFMinEXT ? NORN_OP_FMIN
                                                                : NORN_OP_FMAX;
  if (type && type != NORN_TYPE_F32)
    norn_spirv_unsupported(reader,
                           "atomic access to floats other than 32-bit ones is not supported");
  if (reader->error)
    return;
  NornRef first = load_atomically(reader, pointer, word);
  NornRef loop = norn_build_block(reader->builder, NULL);
  NornRef after = norn_build_block(reader->builder, NULL);
  NornRef expected = norn_build_parameter(reader->builder, loop, word, NULL);
  norn_build_jump(reader->builder, (NornBranch){loop, 1, &first});
  norn_spirv_go_to(reader, loop);
  NornRef changed = norn_spirv_op2(reader, op, type, cast(reader, type, word, expected), operand);
  NornRef found = norn_spirv_atomic_at(reader, pointer, NORN_ATOMIC_EXCHANGE, word,
                                       cast(reader, word, type, changed), expected);
  NornRef is_done =
      norn_spirv_compare(reader, NORN_OP_ICMP, NORN_INT_CONDITION_EQ, word, found, expected);
  norn_build_br(reader->builder, is_done, norn_branch(after), (NornBranch){loop, 1, &found});
  norn_spirv_go_to(reader, after);
  define(reader, type, found);
}
