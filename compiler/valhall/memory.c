/* Memory: loads, stores and atomic accesses in every space, buffer sizes, barriers and fences.
 *
 * A value is staged in as many registers as it has words; narrower loads are extended to a word, so
 * that the register has one writer. Global, workgroup and thread-local memory use 64-bit addresses;
 * the latter two are relative to a pointer provided by the machine. Loads from buffers use handle
 * and byte offset. For other buffer accesses, a message returns the address, with bit 63 set if it
 * is out of bounds; accesses there are dropped.
 *
 * Thread-local memory may be interleaved in pieces of 16 bytes that no access may cross: an access
 * of several words that might do so is split into single words. For a store of several words to a
 * buffer, the address of its last word is also computed, so that it never writes past the end. */
#include "compiler/valhall/valhall.h"
#include "ir/analysis/alias.h"
#include "ir/analysis/ranges.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

/* The maximum shift of the word in an address sum. */
#define MAX_SHIFT 7
/* The maximum offset of atomic accesses; a multiple of their size. */
#define MAX_ATOMIC_OFFSET 255

/* Descriptors as memory: entries of 32 bytes; the second word is the size of a buffer. */
enum { BUFFER_SIZE_WORD = 1 };

typedef enum {
  KIND_NONE,
  KIND_LOAD,
  KIND_LOAD_UNSIGNED,
  KIND_LOAD_SIGNED,
  KIND_STORE,
  KIND_ATOMIC,
  KIND_INCREMENT,
  KIND_DECREMENT,
  KIND_EXCHANGE_IF,
} AccessKind;

#define LOADS(SPACE)                                                                               \
  [NORN_OP_LOAD_##SPACE] = KIND_LOAD, [NORN_OP_ULOAD_##SPACE] = KIND_LOAD_UNSIGNED,                \
  [NORN_OP_SLOAD_##SPACE] = KIND_LOAD_SIGNED
#define ATOMICS(SPACE)                                                                             \
  [NORN_OP_ATOMIC_##SPACE] = KIND_ATOMIC, [NORN_OP_ATOMIC_INC_##SPACE] = KIND_INCREMENT,           \
  [NORN_OP_ATOMIC_DEC_##SPACE] = KIND_DECREMENT, [NORN_OP_CMPXCHG_##SPACE] = KIND_EXCHANGE_IF

static const uint8_t kinds[NORN_OP_COUNT] = {
    LOADS(GLOBAL),
    LOADS(SHARED),
    LOADS(SCRATCH),
    LOADS(BUFFER),
    LOADS(CONSTANT),
    ATOMICS(GLOBAL),
    ATOMICS(SHARED),
    ATOMICS(BUFFER),
    [NORN_OP_STORE_GLOBAL] = KIND_STORE,
    [NORN_OP_STORE_SHARED] = KIND_STORE,
    [NORN_OP_STORE_SCRATCH] = KIND_STORE,
    [NORN_OP_STORE_BUFFER] = KIND_STORE,
};

/* Indexed by the number of bytes - 1. */
#define BY_SIZE(NAME)                                                                              \
  {                                                                                                \
    [0] = NORN_VALHALL_##NAME##_I8, [1] = NORN_VALHALL_##NAME##_I16,                               \
    [3] = NORN_VALHALL_##NAME##_I32, [7] = NORN_VALHALL_##NAME##_I64,                              \
    [11] = NORN_VALHALL_##NAME##_I96, [15] = NORN_VALHALL_##NAME##_I128                            \
  }
static const uint16_t loads[] = BY_SIZE(LOAD);
static const uint16_t buffer_loads[] = BY_SIZE(LD_BUFFER);
static const uint16_t stores[] = BY_SIZE(STORE);

unsigned
norn_valhall_store_of_bytes(unsigned bytes) {
  return stores[bytes - 1];
}

static const uint8_t atomic_operations[NORN_ATOMIC_COUNT] = {
    [NORN_ATOMIC_ADD] = NORN_VALHALL_ATOMIC_AADD,
    [NORN_ATOMIC_SMIN] = NORN_VALHALL_ATOMIC_ASMIN,
    [NORN_ATOMIC_SMAX] = NORN_VALHALL_ATOMIC_ASMAX,
    [NORN_ATOMIC_UMIN] = NORN_VALHALL_ATOMIC_AUMIN,
    [NORN_ATOMIC_UMAX] = NORN_VALHALL_ATOMIC_AUMAX,
    [NORN_ATOMIC_AND] = NORN_VALHALL_ATOMIC_AAND,
    [NORN_ATOMIC_OR] = NORN_VALHALL_ATOMIC_AOR,
    [NORN_ATOMIC_XOR] = NORN_VALHALL_ATOMIC_AXOR,
    [NORN_ATOMIC_EXCHANGE] = NORN_VALHALL_ATOMIC_AXCHG,
};

NornTypeSet
norn_valhall_access_types(unsigned op) {
  const NornTypeSet data = NORN_SET_INT | NORN_SET_FLOAT | NORN_SET_PACKED_INT |
                           NORN_SET_PACKED_FLOAT | 1u << NORN_TYPE_W2 | 1u << NORN_TYPE_W3 |
                           1u << NORN_TYPE_W4;
  return op < NORN_OP_COUNT && kinds[op] ? data : 0;
}

/* --- Addresses --- */

/* address + offset in 64 bits. */
static NornRef
add_offset(NornSelector *selector, uint32_t inst, NornRef address, int64_t offset) {
  bool is_negative = offset < 0;
  NornValhallInst machine = norn_valhall_begin(
      selector, inst, is_negative ? NORN_VALHALL_ISUB_U64 : NORN_VALHALL_IADD_U64);
  norn_valhall_plain(&machine, address);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_WIDEN_INTEGER_W0);
  norn_valhall_constant(&machine, (uint32_t)(is_negative ? -offset : offset));
  return norn_valhall_emit(&machine, 2);
}

/* base + offset in 32 bits, saturating if `saturates`. */
static NornRef
add_word(NornSelector *selector, uint32_t inst, NornRef base, uint32_t offset, bool saturates) {
  uint64_t bits;
  if (!offset)
    return base;
  if (norn_select_constant(selector, base, &bits)) {
    uint64_t sum = (uint32_t)bits + (uint64_t)offset;
    return norn_select_word(selector, saturates ? MIN(sum, UINT32_MAX) : sum);
  }
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_U32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SATURATE, saturates);
  norn_valhall_plain(&machine, base);
  norn_valhall_constant(&machine, offset);
  return norn_valhall_emit(&machine, 1);
}

/* Folds a left shift of a base that is used only as an address: the sum with the pointer shifts in
 * 64 bits, which is the same if no bit is lost in 32. */
static unsigned
take_shift(const NornSelector *selector, NornRef *base) {
  const NornInst inst = norn_select_definition(selector, *base);
  uint64_t amount;
  if (inst.op != NORN_OP_SHL || inst.type != NORN_TYPE_I32 ||
      selector->values[norn_ref_payload(*base)].is_number)
    return 0;
  const NornRef *operands = norn_operands(selector->function, &inst);
  NornRef value = norn_select_resolve(selector, operands[0]);
  if (!norn_select_constant(selector, norn_select_resolve(selector, operands[1]), &amount) ||
      amount > MAX_SHIFT)
    return 0;
  if (!(inst.flags & NORN_INST_NOWRAP) &&
      norn_greatest_integer(selector->function, NULL, &selector->replacements, value,
                            NORN_TYPE_I32) > (uint64_t)INT32_MAX >>
          amount)
    return 0;
  *base = value;
  return (unsigned)amount;
}

/* Whether pointer + value has already been computed. */
static bool
counts_from(const NornSelector *selector, uint32_t value, NornRef pointer) {
  uint32_t derived = selector->values[value].derived;
  return derived != NORN_INDEX_NONE &&
         norn_operand(selector->function, norn_value(selector->function, derived)->def, 0) ==
             pointer;
}

/* If the base is a sum used only as an address, and pointer + term is already computed for one term
 * of it, returns that address and sets *other to the other term; else returns 0. Both terms must be
 * too small for their sum to wrap or to be negative. */
static NornRef
known_address_of_term(const NornSelector *selector, NornRef start, NornRef base, NornRef *other) {
  const NornFunction *function = selector->function;
  const NornInst sum = norn_select_definition(selector, base);
  *other = 0;
  if (sum.op != NORN_OP_IADD || sum.type != NORN_TYPE_I32 ||
      selector->values[norn_ref_payload(base)].is_number ||
      counts_from(selector, norn_ref_payload(base), start))
    return 0;
  for (unsigned k = 0; k < 2; k++) {
    NornRef term = norn_select_resolve(selector, norn_operands(function, &sum)[k]);
    *other = norn_select_resolve(selector, norn_operands(function, &sum)[1 - k]);
    if (norn_ref_kind(term) != NORN_REF_VALUE || norn_ref_kind(*other) != NORN_REF_VALUE ||
        !counts_from(selector, norn_ref_payload(term), start))
      continue;
    if (norn_greatest_integer(function, NULL, &selector->replacements, term, NORN_TYPE_I32) +
            norn_greatest_integer(function, NULL, &selector->replacements, *other, NORN_TYPE_I32) <=
        INT32_MAX)
      return norn_ref(NORN_REF_VALUE, selector->values[norn_ref_payload(term)].derived);
  }
  return 0;
}

/* An address in workgroup or thread-local memory; the address of a base is computed only once. Base
 * and offset are added modulo 2^32, but the machine extends the base to 64 bits before it adds the
 * offset. The sum is inside the memory, so with an offset near zero the base is also near zero, and
 * correct if it is sign-extended. Any other offset is added first, in 32 bits. */
static NornRef
local_address(NornSelector *selector, uint32_t inst, unsigned pointer, NornRef base,
              int64_t *offset) {
  NornRef start = norn_ref(NORN_REF_SPECIAL, pointer);
  uint64_t bits;
  if (norn_select_constant(selector, base, &bits)) {
    *offset = (uint32_t)(bits + (uint64_t)*offset);
    return start;
  }
  if (*offset < NORN_VALHALL_MIN_OFFSET || *offset > NORN_VALHALL_MAX_OFFSET) {
    base = add_word(selector, inst, base, (uint32_t)*offset, false);
    *offset = 0;
  }
  NornRef shifted = base, other;
  NornRef known = known_address_of_term(selector, start, base, &other);
  unsigned shift = known ? 0 : take_shift(selector, &base);
  NornValhallInst machine =
      known ? norn_valhall_begin_address(selector, inst, known, other, 0, true)
            : norn_valhall_begin_address(selector, inst, start, base, shift, true);
  NornRef address = 0;
  if (norn_ref_kind(shifted) == NORN_REF_VALUE)
    address = norn_select_derive(selector, norn_ref_payload(shifted), machine.instruction,
                                 machine.word, 2, machine.operands, machine.count);
  return address ? address : norn_valhall_emit(&machine, 2);
}

bool
norn_valhall_select_data_address(NornSelector *selector, uint32_t inst) {
  uint64_t byte = 0;
  norn_select_constant(selector, norn_select_operand(selector, inst, 0), &byte);
  NornValhallInst sum = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_IMM_I32);
  norn_valhall_plain(&sum, norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W0));
  norn_valhall_set(&sum, NORN_VALHALL_FIELD_CONSTANT, (uint32_t)byte);
  NornRef low = norn_valhall_emit(&sum, 1);
  norn_defining_inst(selector->function, low)->flags |= NORN_INST_DATA;
  /* Code and data are in the same 4 GiB. */
  NornValhallInst move = norn_valhall_begin(selector, inst, NORN_VALHALL_MOV_I32);
  norn_valhall_plain(&move, norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W1));
  NornRef words[2] = {low, norn_valhall_emit(&move, 1)};
  norn_select_collect(selector, inst, words, 2);
  return true;
}

static NornRef
buffer_address(NornSelector *selector, uint32_t inst, NornRef handle, NornRef offset) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LEA_BUFFER);
  norn_valhall_plain(&machine, offset);
  norn_valhall_plain(&machine, handle);
  return norn_valhall_emit(&machine, 2);
}

/* The address of `size` bytes of a buffer: null if their end is out of bounds. */
static NornRef
checked_address(NornSelector *selector, uint32_t inst, NornRef handle, NornRef offset,
                unsigned size) {
  NornRef first = buffer_address(selector, inst, handle, offset);
  if (size <= 4)
    return first;
  NornRef last_offset = add_word(selector, inst, offset, size - 4, true);
  NornRef last = buffer_address(selector, inst, handle, last_offset);
  NornRef high = norn_select_word_of(selector, last, 1, 2);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_CSEL_S32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, NORN_VALHALL_CONDITION_LT);
  norn_valhall_plain(&machine, high);
  norn_valhall_constant(&machine, 0);
  norn_valhall_plain(&machine, high);
  norn_valhall_plain(&machine, norn_select_word_of(selector, first, 1, 2));
  NornRef words[2] = {norn_select_word_of(selector, first, 0, 2), norn_valhall_emit(&machine, 1)};
  return norn_select_group(selector, inst, words, 2);
}

/* The location of an access. */
typedef struct MemoryLocation {
  uint64_t space;  /* one of NORN_OP_SPACES */
  NornRef address; /* 64 bits; for loads from buffers the byte offset */
  NornRef handle;  /* for loads from buffers */
  int64_t offset;
  unsigned bytes;
  /* For thread-local memory: the address of the first byte is known to be `remainder` modulo
   * `modulus`, a power of 2. */
  unsigned modulus, remainder;
} MemoryLocation;

/* Finds where an access begins in a piece of thread-local memory, as far as known; the location
 * still has the program's offset. */
static void
find_place_in_piece(const NornSelector *selector, NornRef base, MemoryLocation *location) {
  uint64_t bits = 0;
  bool is_constant = norn_select_constant(selector, base, &bits);
  unsigned zeros = is_constant ? 32 : norn_known_zeros(selector->function, base);
  location->modulus =
      zeros > 31 ? NORN_VALHALL_ACCESS_PIECE : MIN(NORN_VALHALL_ACCESS_PIECE, 1u << zeros);
  location->remainder = (unsigned)((bits + (uint64_t)location->offset) % location->modulus);
}

static MemoryLocation
find_location(NornSelector *selector, uint32_t inst, AccessKind kind) {
  const NornInst self = *norn_inst(selector->function, inst);
  MemoryLocation location = {.space = norn_ops[self.op].flags & NORN_OP_SPACES,
                             .bytes = norn_access_bytes(&self),
                             .offset = norn_immediate(self.payload, NORN_IMMEDIATE_OFFSET)};
  unsigned first = kind == KIND_STORE;
  NornRef base = norn_select_operand(selector, inst, first);
  switch (location.space) {
  case NORN_OP_GLOBAL:
    location.address = base;
    break;
  case NORN_OP_SHARED:
    location.address = local_address(
        selector, inst, NORN_VALHALL_SPECIAL_WORKGROUP_LOCAL_POINTER_W0, base, &location.offset);
    break;
  case NORN_OP_SCRATCH:
    find_place_in_piece(selector, base, &location);
    location.address = local_address(selector, inst, NORN_VALHALL_SPECIAL_THREAD_LOCAL_POINTER_W0,
                                     base, &location.offset);
    break;
  default: /* a buffer */
    location.handle = base;
    location.address = add_word(selector, inst, norn_select_operand(selector, inst, first + 1),
                                (uint32_t)location.offset, false);
    location.offset = 0;
    if (kind >= KIND_STORE)
      location.address =
          checked_address(selector, inst, location.handle, location.address, location.bytes);
    break;
  }
  return location;
}

/* Adds the offset to the address if it is out of the instruction's range. */
static void
bring_near(NornSelector *selector, uint32_t inst, MemoryLocation *location, int64_t min,
           int64_t max) {
  if (location->offset >= min && location->offset <= max)
    return;
  location->address = add_offset(selector, inst, location->address, location->offset);
  location->offset = 0;
}

/* Whether the access must be split into single words. */
static bool
may_cross_pieces(const MemoryLocation *location) {
  if (location->space != NORN_OP_SCRATCH || location->bytes <= 4)
    return false;
  return location->remainder + location->bytes > location->modulus;
}

/* --- Loads and stores --- */

static void
set_location(NornValhallInst *machine, const MemoryLocation *location, unsigned word) {
  norn_valhall_set(machine, NORN_VALHALL_FIELD_OFFSET,
                   (uint32_t)(location->offset + 4 * word) & 0xFFFF);
  if (location->space == NORN_OP_SCRATCH)
    norn_valhall_set(machine, NORN_VALHALL_FIELD_ACCESS, NORN_VALHALL_ACCESS_FORCE);
}

/* A load of that many bytes from word `word` of the location on, extended to `words` words. */
static NornValhallInst
begin_load(NornSelector *selector, uint32_t inst, const MemoryLocation *location, unsigned word,
           unsigned bytes, bool is_signed, unsigned words) {
  static const uint8_t lanes[3][2] = {
      {NORN_VALHALL_LOAD_LANE8_W0, NORN_VALHALL_LOAD_LANE8_D0},
      {NORN_VALHALL_LOAD_LANE16_W0, NORN_VALHALL_LOAD_LANE16_D0},
      {NORN_VALHALL_LOAD_LANE32_W0, NORN_VALHALL_LOAD_LANE32_D0},
  };
  bool is_buffer = location->space & NORN_OP_BUFFERS;
  NornValhallInst machine =
      norn_valhall_begin(selector, inst, (is_buffer ? buffer_loads : loads)[bytes - 1]);
  if (bytes <= 4) {
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_UNSIGNED, !is_signed);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_LANE, lanes[bytes / 2][words == 2]);
  }
  norn_valhall_plain(&machine, location->address);
  if (is_buffer)
    norn_valhall_plain(&machine, location->handle);
  else
    set_location(&machine, location, word);
  return machine;
}

static bool
select_load(NornSelector *selector, uint32_t inst, AccessKind kind, MemoryLocation *location) {
  unsigned words = MAX(1, norn_type_words(norn_inst(selector->function, inst)->type));
  if (!(location->space & NORN_OP_BUFFERS))
    bring_near(selector, inst, location, NORN_VALHALL_MIN_OFFSET,
               NORN_VALHALL_MAX_OFFSET - (int64_t)location->bytes);
  if (!may_cross_pieces(location)) {
    NornValhallInst machine =
        begin_load(selector, inst, location, 0, location->bytes, kind == KIND_LOAD_SIGNED, words);
    return norn_valhall_finish(&machine);
  }
  NornRef parts[4];
  for (unsigned k = 0; k < words; k++) {
    NornValhallInst machine = begin_load(selector, inst, location, k, 4, false, 1);
    parts[k] = norn_valhall_emit(&machine, 1);
  }
  norn_select_collect(selector, inst, parts, words);
  return true;
}

static NornValhallInst
begin_store(NornSelector *selector, uint32_t inst, const MemoryLocation *location, unsigned word,
            unsigned bytes, NornRef value) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, stores[bytes - 1]);
  set_location(&machine, location, word);
  norn_valhall_plain(&machine, value);
  norn_valhall_plain(&machine, location->address);
  return machine;
}

static bool
select_store(NornSelector *selector, uint32_t inst, MemoryLocation *location) {
  NornRef value = norn_select_operand(selector, inst, 0);
  bring_near(selector, inst, location, NORN_VALHALL_MIN_OFFSET,
             NORN_VALHALL_MAX_OFFSET - (int64_t)location->bytes);
  if (!may_cross_pieces(location)) {
    NornValhallInst machine = begin_store(selector, inst, location, 0, location->bytes, value);
    return norn_valhall_finish(&machine);
  }
  unsigned words = location->bytes / 4;
  for (unsigned k = 0; k + 1 < words; k++) {
    NornRef part = norn_select_word_of(selector, value, k, words);
    NornValhallInst machine = begin_store(selector, inst, location, k, 4, part);
    norn_valhall_emit(&machine, 0);
  }
  NornRef part = norn_select_word_of(selector, value, words - 1, words);
  NornValhallInst machine = begin_store(selector, inst, location, words - 1, 4, part);
  return norn_valhall_finish(&machine);
}

/* --- Atomic accesses --- */

/* The new value, followed by the value to compare with. */
static NornRef
exchanged_words(NornSelector *selector, uint32_t inst, unsigned first, unsigned words) {
  NornRef parts[4];
  for (unsigned k = 0; k < 2; k++)
    for (unsigned j = 0; j < words; j++)
      parts[k * words + j] = norn_select_word_of(
          selector, norn_select_operand(selector, inst, first + 1 - k), j, words);
  return norn_select_group(selector, inst, parts, 2 * words);
}

/* Operations with a constant for which there is a special operation. */
static const struct {
  uint8_t atomic, operation;
  int8_t operand;
} atomics_with_one[] = {
    {NORN_ATOMIC_ADD, NORN_VALHALL_ATOMIC_ONE_AINC, 1},
    {NORN_ATOMIC_ADD, NORN_VALHALL_ATOMIC_ONE_ADEC, -1},
    {NORN_ATOMIC_UMAX, NORN_VALHALL_ATOMIC_ONE_AUMAX1, 1},
    {NORN_ATOMIC_SMAX, NORN_VALHALL_ATOMIC_ONE_ASMAX1, 1},
    {NORN_ATOMIC_OR, NORN_VALHALL_ATOMIC_ONE_AOR1, 1},
};

/* Whether the access is one of those, and which. */
static bool
is_with_one(const NornSelector *selector, uint32_t inst, AccessKind kind, unsigned atomic,
            unsigned first, uint32_t *operation) {
  uint64_t operand = 1, mask = norn_type_mask(norn_inst(selector->function, inst)->type);
  if (kind == KIND_INCREMENT || kind == KIND_DECREMENT)
    atomic = NORN_ATOMIC_ADD;
  else if (kind != KIND_ATOMIC ||
           !norn_select_constant(selector, norn_operand(selector->function, inst, first), &operand))
    return false;
  if (kind == KIND_DECREMENT)
    operand = UINT64_MAX;
  for (unsigned k = 0; k < G_N_ELEMENTS(atomics_with_one); k++)
    if (atomics_with_one[k].atomic == atomic &&
        !(((uint64_t)(int64_t)atomics_with_one[k].operand ^ operand) & mask)) {
      *operation = atomics_with_one[k].operation;
      return true;
    }
  return false;
}

/* Uses the instruction without a result if nothing reads it and there is one. `atomic` is the
 * operation, if there is a choice; operands `first` and the next one are the values. */
static bool
select_atomic(NornSelector *selector, uint32_t inst, AccessKind kind, MemoryLocation *location,
              unsigned atomic, unsigned first) {
  NornInst *self = norn_inst(selector->function, inst);
  uint32_t with_one;
  bool is_one = is_with_one(selector, inst, kind, atomic, first, &with_one);
  bool is_exchange =
      kind == KIND_EXCHANGE_IF || (kind == KIND_ATOMIC && atomic == NORN_ATOMIC_EXCHANGE);
  bool has_result = selector->values[self->result].uses || is_exchange;
  unsigned is_long = self->type == NORN_TYPE_I64;
  static const uint16_t instructions[2][2][2] = {
      {{NORN_VALHALL_ATOM_I32, NORN_VALHALL_ATOM_I64},
       {NORN_VALHALL_ATOM_RETURN_I32, NORN_VALHALL_ATOM_RETURN_I64}},
      {{NORN_VALHALL_ATOM1_I32, NORN_VALHALL_ATOM1_I64},
       {NORN_VALHALL_ATOM1_RETURN_I32, NORN_VALHALL_ATOM1_RETURN_I64}}};
  bring_near(selector, inst, location, 0, MAX_ATOMIC_OFFSET);
  if (location->offset % location->bytes)
    bring_near(selector, inst, location, 0, 0);
  NornRef operand = 0;
  if (kind == KIND_EXCHANGE_IF)
    operand = exchanged_words(selector, inst, first, 1 + is_long);
  else if (!is_one)
    operand = norn_select_operand(selector, inst, first);
  NornValhallInst machine =
      norn_valhall_begin(selector, inst, instructions[is_one][has_result][is_long]);
  if (is_one)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_OPERATION, with_one);
  else
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_OPERATION,
                     is_exchange ? NORN_VALHALL_ATOMIC_AXCHG : atomic_operations[atomic]);
  if (kind == KIND_EXCHANGE_IF)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_COMPARE, NORN_VALHALL_COMPARE_COMPARE);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_OFFSET, (uint32_t)location->offset);
  if (operand)
    norn_valhall_plain(&machine, operand);
  norn_valhall_plain(&machine, location->address);
  if (!has_result)
    norn_inst(selector->function, inst)->result_count = 0;
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_access(NornSelector *selector, uint32_t inst) {
  const NornInst *self = norn_inst(selector->function, inst);
  AccessKind kind = kinds[self->op];
  MemoryLocation location = find_location(selector, inst, kind);
  switch (kind) {
  case KIND_LOAD:
  case KIND_LOAD_UNSIGNED:
  case KIND_LOAD_SIGNED:
    return select_load(selector, inst, kind, &location);
  case KIND_STORE:
    return select_store(selector, inst, &location);
  default:
    return select_atomic(selector, inst, kind, &location, self->modifier,
                         norn_address_operand((NornOp)self->op) + 1);
  }
}

bool
norn_valhall_select_atomic_at(NornSelector *selector, uint32_t inst, NornRef address,
                              unsigned atomic, bool compares) {
  MemoryLocation location = {.space = NORN_OP_GLOBAL,
                             .address = address,
                             .bytes =
                                 norn_type_bits(norn_inst(selector->function, inst)->type) / 8};
  return select_atomic(selector, inst, compares ? KIND_EXCHANGE_IF : KIND_ATOMIC, &location, atomic,
                       1);
}

/* --- Sizes --- */

/* Entry E of table T is at byte 32 * E of handle 62 << 24 | T. */
NornValhallInst
norn_valhall_begin_descriptor(NornSelector *selector, uint32_t inst, NornRef handle, unsigned word,
                              unsigned words) {
  NornRef offset, table;
  uint64_t bits;
  if (norn_select_constant(selector, handle, &bits)) {
    offset = norn_select_word(selector, (bits << NORN_VALHALL_DESCRIPTOR_SHIFT) & 0x1FFFFFFF);
    offset = add_word(selector, inst, offset, 4 * word, false);
    table = norn_select_word(selector, NORN_VALHALL_TABLE_OF_TABLES << NORN_VALHALL_TABLE_SHIFT |
                                           (uint32_t)bits >> NORN_VALHALL_TABLE_SHIFT);
  } else {
    /* Shift up to the top, which drops the table, and down again to a multiple of 32. */
    NornValhallInst up = norn_valhall_begin(selector, inst, NORN_VALHALL_LSHIFT_OR_I32);
    norn_valhall_plain(&up, handle);
    norn_valhall_constant(&up, 32 - NORN_VALHALL_TABLE_SHIFT);
    norn_valhall_constant(&up, 0);
    NornValhallInst down = norn_valhall_begin(selector, inst, NORN_VALHALL_RSHIFT_OR_I32);
    norn_valhall_plain(&down, norn_valhall_emit(&up, 1));
    norn_valhall_constant(&down, 32 - NORN_VALHALL_TABLE_SHIFT - NORN_VALHALL_DESCRIPTOR_SHIFT);
    norn_valhall_constant(&down, 4 * word);
    offset = norn_valhall_emit(&down, 1);
    NornValhallInst number = norn_valhall_begin(selector, inst, NORN_VALHALL_RSHIFT_OR_I32);
    norn_valhall_plain(&number, handle);
    norn_valhall_constant(&number, NORN_VALHALL_TABLE_SHIFT);
    norn_valhall_constant(&number,
                          (uint32_t)NORN_VALHALL_TABLE_OF_TABLES << NORN_VALHALL_TABLE_SHIFT);
    table = norn_valhall_emit(&number, 1);
  }
  NornValhallInst machine = norn_valhall_begin(selector, inst, buffer_loads[4 * words - 1]);
  if (words == 1)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_UNSIGNED, 1);
  norn_valhall_plain(&machine, offset);
  norn_valhall_plain(&machine, table);
  return machine;
}

bool
norn_valhall_select_buffer_size(NornSelector *selector, uint32_t inst) {
  NornValhallInst machine = norn_valhall_begin_descriptor(
      selector, inst, norn_select_operand(selector, inst, 0), BUFFER_SIZE_WORD, 1);
  return norn_valhall_finish(&machine);
}

/* --- Order --- */

/* A barrier also orders memory, regardless of the scope. A fence waits for all accesses: other
 * lanes of the same warp may also access what this one accessed. */
bool
norn_valhall_select_order(NornSelector *selector, uint32_t inst) {
  bool is_barrier = norn_inst(selector->function, inst)->op == NORN_OP_BARRIER;
  NornValhallInst machine =
      norn_valhall_begin(selector, inst, is_barrier ? NORN_VALHALL_BARRIER : NORN_VALHALL_NOP);
  if (!is_barrier)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_FLOW, NORN_VALHALL_FLOW_WAIT012);
  return norn_valhall_finish(&machine);
}
