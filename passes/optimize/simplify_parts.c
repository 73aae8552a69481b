/* Integers put together from bytes, halves and words of others, and those taken out again.
 *
 * Languages write both with extensions, shifts, masks and disjunctions. Where each byte of a value
 * is a known byte of another value, or zero, vectors and groups say the same, and the machine makes
 * them with fewer instructions, or with none: a | b << 16 of extended halves is one vector, and
 * what is taken apart and put together again is the value itself. */
#include "ir/builder.h"
#include "passes/optimize/simplify.h"
#include <norn/build.h>

#define MAX_BYTES 8
#define MAX_DEPTH 16  /* definitions behind each other that are looked through */
#define MAX_VISITS 64 /* definitions that are looked through in all */
#define UNKNOWN_COST 16

/* A byte of a value; a constant is a byte itself. */
typedef struct Byte {
  NornRef base; /* 0: the byte is zero */
  uint8_t type; /* of the base */
  uint8_t number;
} Byte;

typedef struct PartWalk {
  Simplifier *simplifier;
  unsigned depth, visits;
  unsigned unions; /* instructions that put parts together, and whose results have no other use */
} PartWalk;

static unsigned
byte_count(NornType type) {
  return norn_type_bits(type) / 8;
}

static bool
is_word_or_less(NornType type) {
  return norn_type_bits(type) >= 8 && norn_type_bits(type) <= 64;
}

/* The operand of an instruction as it is now. */
static NornRef
operand(const Simplifier *simplifier, const NornInst *inst, unsigned k) {
  return norn_simplify_resolve(simplifier, norn_operands(simplifier->function, inst)[k]);
}

static bool
constant_operand(const Simplifier *simplifier, const NornInst *inst, unsigned k, uint64_t *bits) {
  NornRef ref = operand(simplifier, inst, k);
  if (!norn_simplify_is_constant(ref))
    return false;
  *bits = norn_constant_bits(simplifier->module, ref);
  return true;
}

/* --- What the bytes of a value are --- */

static bool describe_inst(PartWalk *walk, const NornInst *inst, NornRef ref, Byte *bytes);

/* Fills in the bytes of a value of that type, which has at most MAX_BYTES. */
static void
describe(PartWalk *walk, NornRef ref, NornType type, Byte *bytes) {
  Simplifier *simplifier = walk->simplifier;
  unsigned count = byte_count(type);
  if (norn_simplify_is_constant(ref)) {
    uint64_t bits = norn_constant_bits(simplifier->module, ref);
    for (unsigned k = 0; k < count; k++) {
      uint64_t byte = bits >> (8 * k) & 0xFF;
      bytes[k] = (Byte){byte ? norn_simplify_constant(simplifier, byte) : 0, NORN_TYPE_I8, 0};
    }
    return;
  }
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  if (inst && !norn_is_machine(inst) && walk->depth < MAX_DEPTH && walk->visits < MAX_VISITS) {
    walk->depth++;
    walk->visits++;
    bool is_known = describe_inst(walk, inst, ref, bytes);
    walk->depth--;
    if (is_known)
      return;
  }
  for (unsigned k = 0; k < count; k++)
    bytes[k] = (Byte){ref, (uint8_t)type, (uint8_t)k};
}

/* The bytes of operand k, and behind them zeros. */
static bool
describe_operand(PartWalk *walk, const NornInst *inst, unsigned k, NornType type, Byte *bytes) {
  memset(bytes, 0, MAX_BYTES * sizeof *bytes);
  if (!is_word_or_less(type))
    return false;
  describe(walk, operand(walk->simplifier, inst, k), type, bytes);
  return true;
}

/* Two values of which for each byte one is zero. */
static bool
describe_union(PartWalk *walk, const NornInst *inst, NornRef ref, Byte *bytes) {
  Byte other[MAX_BYTES];
  unsigned unions = walk->unions;
  if (!describe_operand(walk, inst, 0, inst->type, bytes) ||
      !describe_operand(walk, inst, 1, inst->type, other))
    return false;
  for (unsigned k = 0; k < byte_count(inst->type); k++) {
    if (bytes[k].base && other[k].base) {
      walk->unions = unions;
      return false;
    }
    if (other[k].base)
      bytes[k] = other[k];
  }
  walk->unions += norn_simplify_has_one_use(walk->simplifier, norn_ref_payload(ref));
  return true;
}

/* A shift by whole bytes. */
static bool
describe_shift(PartWalk *walk, const NornInst *inst, Byte *bytes) {
  uint64_t amount;
  Byte source[MAX_BYTES];
  unsigned count = byte_count(inst->type);
  if (!constant_operand(walk->simplifier, inst, 1, &amount) || amount % 8 || amount >= 8 * count ||
      !describe_operand(walk, inst, 0, inst->type, source))
    return false;
  unsigned moved = (unsigned)amount / 8;
  for (unsigned k = 0; k < count; k++) {
    unsigned from = inst->op == NORN_OP_SHL ? k - moved : k + moved;
    bytes[k] = from < count ? source[from] : (Byte){0};
  }
  return true;
}

/* A mask of whole bytes. */
static bool
describe_mask(PartWalk *walk, const NornInst *inst, Byte *bytes) {
  uint64_t mask;
  if (!constant_operand(walk->simplifier, inst, 1, &mask))
    return false;
  for (unsigned k = 0; k < byte_count(inst->type); k++)
    if ((mask >> (8 * k) & 0xFF) != 0 && (mask >> (8 * k) & 0xFF) != 0xFF)
      return false;
  if (!describe_operand(walk, inst, 0, inst->type, bytes))
    return false;
  for (unsigned k = 0; k < byte_count(inst->type); k++)
    if (!(mask >> (8 * k) & 0xFF))
      bytes[k] = (Byte){0};
  return true;
}

/* A value of parts: each operand is one. */
static bool
describe_parts(PartWalk *walk, const NornInst *inst, NornType whole, NornType part, Byte *bytes) {
  unsigned size = byte_count(part);
  Byte source[MAX_BYTES];
  if (!is_word_or_less(whole))
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (!describe_operand(walk, inst, k, part, source))
      return false;
    memcpy(bytes + k * size, source, size * sizeof *bytes);
  }
  return true;
}

/* A part of a value. */
static bool
describe_part(PartWalk *walk, const NornInst *inst, NornType whole, NornType part, unsigned k,
              Byte *bytes) {
  Byte source[MAX_BYTES];
  unsigned size = byte_count(part);
  if (!describe_operand(walk, inst, 0, whole, source))
    return false;
  memcpy(bytes, source + k * size, size * sizeof *bytes);
  return true;
}

/* Whether the instruction's bytes are those of its operands. */
static bool
describe_inst(PartWalk *walk, const NornInst *inst, NornRef ref, Byte *bytes) {
  const NornFunction *function = walk->simplifier->function;
  NornType type = inst->type, source = inst->source_type;
  uint64_t lane;
  switch (inst->op) {
  case NORN_OP_ZEXT:
  case NORN_OP_BITCAST:
    return describe_operand(walk, inst, 0, source, bytes);
  case NORN_OP_TRUNC:
    return type != NORN_TYPE_I1 && describe_part(walk, inst, source, type, 0, bytes);
  case NORN_OP_EXTRACT:
    return constant_operand(walk->simplifier, inst, 1, &lane) &&
           describe_part(walk, inst, source, type, lane % norn_types[source].lanes, bytes);
  case NORN_OP_SPLIT: /* the words of what is not known further are values themselves */
    return describe_part(walk, inst, source, type,
                         norn_value(function, norn_ref_payload(ref))->index, bytes) &&
           bytes[0].base != operand(walk->simplifier, inst, 0);
  case NORN_OP_VEC:
    return describe_parts(walk, inst, type, source, bytes);
  case NORN_OP_COLLECT:
    return describe_parts(walk, inst, source, type, bytes);
  case NORN_OP_SHL:
  case NORN_OP_LSHR:
    return norn_types[type].lanes == 1 && describe_shift(walk, inst, bytes);
  case NORN_OP_AND:
    return describe_mask(walk, inst, bytes);
  case NORN_OP_OR:
  case NORN_OP_XOR:
    return describe_union(walk, inst, ref, bytes);
  case NORN_OP_IADD:
    return norn_types[type].lanes == 1 && describe_union(walk, inst, ref, bytes);
  default:
    return false;
  }
}

/* --- What they cost --- */

/* Whether those bytes are neighbors of one value, in their order, from a place that such a part can
 * have. */
static bool
are_neighbors(const Byte *bytes, unsigned count) {
  if (!bytes[0].base || norn_simplify_is_constant(bytes[0].base) || bytes[0].number % count ||
      bytes[0].number + count > byte_count(bytes[0].type))
    return false;
  for (unsigned k = 1; k < count; k++)
    if (bytes[k].base != bytes[0].base || bytes[k].number != bytes[0].number + k)
      return false;
  return true;
}

static bool
are_constant(const Byte *bytes, unsigned count) {
  for (unsigned k = 0; k < count; k++)
    if (bytes[k].base && !norn_simplify_is_constant(bytes[k].base))
      return false;
  return true;
}

static bool
has_constant(const Byte *bytes, unsigned count) {
  for (unsigned k = 0; k < count; k++)
    if (bytes[k].base && norn_simplify_is_constant(bytes[k].base))
      return true;
  return false;
}

/* A word that is turned: there is an instruction for that. */
static bool
is_rotation(const Byte *word) {
  for (unsigned k = 0; k < 4; k++)
    if (!word[k].base || word[k].base != word[0].base || word[k].number / 4 != word[0].number / 4 ||
        word[k].number % 4 != (word[0].number + k) % 4)
      return false;
  return true;
}

/* Whether the byte can be a lane: of a half only the lower one. */
static bool
can_be_lane(Byte byte) {
  return byte_count(byte.type) != 2 || !byte.number;
}

/* Instructions that it takes to put a word of four bytes together. */
static unsigned
word_cost(const Byte *bytes) {
  if (are_constant(bytes, 4) || are_neighbors(bytes, 4))
    return 0;
  if (is_rotation(bytes))
    return UNKNOWN_COST;
  bool is_half[2];
  for (unsigned k = 0; k < 2; k++)
    is_half[k] = are_constant(bytes + 2 * k, 2) || are_neighbors(bytes + 2 * k, 2);
  if (is_half[0] && is_half[1])
    return 1;
  for (unsigned k = 0; k < 4; k++)
    if (!can_be_lane(bytes[k]))
      return UNKNOWN_COST;
  return are_constant(bytes + 2, 2) ? 1 : 2;
}

/* --- Building them --- */

static uint64_t
constant_bits(const Simplifier *simplifier, const Byte *bytes, unsigned count) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < count; k++)
    if (bytes[k].base)
      bits |= norn_constant_bits(simplifier->module, bytes[k].base) << (8 * k);
  return bits;
}

static NornRef
cast(NornBuilder *builder, NornType to, NornType from, NornRef ref) {
  return to == from ? ref : norn_build_bitcast(builder, to, from, ref);
}

/* The word of a value that the byte is in, as that type. */
static NornRef
build_word_of(NornBuilder *builder, Byte byte, NornType type) {
  if (norn_type_bits(byte.type) == 32)
    return cast(builder, type, byte.type, byte.base);
  NornRef words[2];
  norn_build_split(builder, NORN_TYPE_I32, byte.type, byte.base, 2, words);
  return cast(builder, type, NORN_TYPE_I32, words[byte.number / 4]);
}

/* Bytes that are constant or neighbors, as that type, which has one lane and at most a word. */
static NornRef
build_part(Simplifier *simplifier, NornBuilder *builder, const Byte *bytes, NornType type) {
  unsigned count = byte_count(type), own = norn_type_bits(bytes[0].type) / 8;
  if (are_constant(bytes, count))
    return norn_simplify_constant(simplifier, constant_bits(simplifier, bytes, count));
  if (own == count)
    return cast(builder, type, bytes[0].type, bytes[0].base);
  if (count == 4)
    return build_word_of(builder, bytes[0], type);
  if (own == 2) /* the lower byte of a half */
    return norn_build_trunc(builder, type, NORN_TYPE_I16,
                            cast(builder, NORN_TYPE_I16, bytes[0].type, bytes[0].base));
  if (type != NORN_TYPE_F16 && bytes[0].type == NORN_TYPE_I32 && !bytes[0].number)
    return norn_build_trunc(builder, type, NORN_TYPE_I32, bytes[0].base);
  NornType vector = type == NORN_TYPE_I8    ? NORN_TYPE_V4I8
                    : type == NORN_TYPE_I16 ? NORN_TYPE_V2I16
                                            : NORN_TYPE_V2F16;
  return norn_build_extract(builder, type, vector, build_word_of(builder, bytes[0], vector),
                            bytes[0].number % 4 / count);
}

/* A word of four bytes as an i32. */
static NornRef
build_word(Simplifier *simplifier, NornBuilder *builder, const Byte *bytes) {
  if (are_constant(bytes, 4) || are_neighbors(bytes, 4))
    return build_part(simplifier, builder, bytes, NORN_TYPE_I32);
  bool has_halves = (are_constant(bytes, 2) || are_neighbors(bytes, 2)) &&
                    (are_constant(bytes + 2, 2) || are_neighbors(bytes + 2, 2));
  NornType type = has_halves ? NORN_TYPE_V2I16 : NORN_TYPE_V4I8;
  NornType lane = has_halves ? NORN_TYPE_I16 : NORN_TYPE_I8;
  unsigned lanes = norn_types[type].lanes;
  NornRef parts[4];
  for (unsigned k = 0; k < lanes; k++)
    parts[k] = build_part(simplifier, builder, bytes + k * (4 / lanes), lane);
  return norn_build_bitcast(builder, NORN_TYPE_I32, type,
                            norn_build_vec(builder, type, lane, lanes, parts));
}

/* The result of the instruction equals that value, which takes its name. */
static Outcome
replace(Simplifier *simplifier, uint32_t index, NornRef ref, NornRef *replacement) {
  norn_move_name(simplifier->function, ref, norn_inst(simplifier->function, index)->result);
  return norn_simplify_replace(replacement, ref);
}

static Outcome
collect(Simplifier *simplifier, uint32_t index, NornRef low, NornRef high) {
  norn_simplify_rewrite(simplifier, index, NORN_OP_COLLECT, (NornRef[]){low, high}, 2);
  NornInst *inst = norn_inst(simplifier->function, index);
  inst->source_type = NORN_TYPE_I64;
  inst->type = NORN_TYPE_I32;
  return REWRITTEN;
}

/* Whether vectors and groups can be made that replace shifts. */
static bool
may_make_parts(const Simplifier *simplifier) {
  return norn_simplify_may_make(simplifier, NORN_OP_VEC, NORN_TYPE_V2I16) &&
         norn_simplify_may_make(simplifier, NORN_OP_VEC, NORN_TYPE_V4I8);
}

/* --- One operation each --- */

/* Parts put together, of 32 or 64 bits. A constant part, and a sum of words, are left to what adds
 * up indices. */
static Outcome
simplify_union(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[MAX_BYTES];
  bool is_index =
      inst->op == NORN_OP_IADD || norn_simplify_is_constant(norn_operand(function, index, 1));
  if ((type != NORN_TYPE_I64 && (type != NORN_TYPE_I32 || is_index)) ||
      !describe_union(&walk, inst, norn_ref(NORN_REF_VALUE, inst->result), bytes))
    return UNCHANGED;
  if (are_neighbors(bytes, byte_count(type)))
    return norn_simplify_replace(replacement, bytes[0].base);
  unsigned cost = word_cost(bytes), before = walk.unions + !has_constant(bytes, byte_count(type));
  if (type == NORN_TYPE_I64) {
    cost += word_cost(bytes + 4);
    before *= 2;
  }
  if (cost > 1 && cost >= before)
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef low = build_word(simplifier, &builder, bytes);
  if (type == NORN_TYPE_I32)
    return replace(simplifier, index, low, replacement);
  return collect(simplifier, index, low, build_word(simplifier, &builder, bytes + 4));
}

/* Word k of a value of 64 bits. */
static NornRef
word_of(Simplifier *simplifier, NornBuilder *builder, NornRef ref, unsigned k) {
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[MAX_BYTES];
  describe(&walk, ref, NORN_TYPE_I64, bytes);
  if (word_cost(bytes + 4 * k) == 0)
    return build_word(simplifier, builder, bytes + 4 * k);
  return build_word_of(builder, (Byte){ref, NORN_TYPE_I64, (uint8_t)(4 * k)}, NORN_TYPE_I32);
}

static NornRef
shift_word(Simplifier *simplifier, NornBuilder *builder, unsigned op, NornRef word,
           uint64_t amount) {
  NornRef operands[2] = {word, norn_simplify_constant(simplifier, amount)};
  return amount ? norn_build_op(builder, op, 0, NORN_TYPE_I32, NORN_TYPE_VOID, operands, 2) : word;
}

/* A shift of 64 bits by a word or more moves one word. */
static Outcome
simplify_wide_shift(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef value = norn_operand(function, index, 0);
  unsigned op = inst->op;
  uint64_t amount;
  if (inst->type != NORN_TYPE_I64 || !constant_operand(simplifier, inst, 1, &amount) ||
      amount < 32 || amount >= 64 || (op == NORN_OP_ASHR && amount != 32))
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef zero = norn_simplify_constant(simplifier, 0);
  NornRef word = word_of(simplifier, &builder, value, op != NORN_OP_SHL);
  if (op == NORN_OP_ASHR) {
    norn_simplify_rewrite(simplifier, index, NORN_OP_SEXT, &word, 1);
    norn_inst(function, index)->source_type = NORN_TYPE_I32;
    return REWRITTEN;
  }
  word = shift_word(simplifier, &builder, op, word, amount - 32);
  return op == NORN_OP_SHL ? collect(simplifier, index, zero, word)
                           : collect(simplifier, index, word, zero);
}

/* A mask of 64 bits that leaves one word as it is or clears it is one of the other word. Before
 * lowering, parts of one value may be put together yet (simplify_bits.c). */
static Outcome
simplify_wide_mask(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef value = norn_operand(function, index, 0), words[2];
  uint64_t mask;
  unsigned cost = 0;
  if (inst->type != NORN_TYPE_I64 || !simplifier->context->is_lowered ||
      !constant_operand(simplifier, inst, 1, &mask))
    return UNCHANGED;
  const uint32_t masks[2] = {(uint32_t)mask, (uint32_t)(mask >> 32)};
  for (unsigned k = 0; k < 2; k++)
    cost += masks[k] != 0 && masks[k] != UINT32_MAX;
  if (cost > 1)
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  for (unsigned k = 0; k < 2; k++) {
    words[k] = norn_simplify_constant(simplifier, masks[k]);
    if (!masks[k])
      continue;
    NornRef word = word_of(simplifier, &builder, value, k);
    words[k] =
        masks[k] == UINT32_MAX ? word : norn_build_and(&builder, NORN_TYPE_I32, word, words[k]);
  }
  return collect(simplifier, index, words[0], words[1]);
}

/* What remains of a value of 64 bits that was shifted: bits of one word, or of both. */
static Outcome
simplify_shifted_trunc(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef value = norn_operand(function, index, 0);
  const NornInst *shift = norn_defining_inst(function, value);
  NornType type = inst->type;
  unsigned bits = norn_type_bits(type), op = shift ? shift->op : 0;
  uint64_t amount;
  if (inst->source_type != NORN_TYPE_I64 || (op != NORN_OP_LSHR && op != NORN_OP_ASHR) ||
      !constant_operand(simplifier, shift, 1, &amount) || !amount || amount >= 64)
    return UNCHANGED;
  NornRef whole = operand(simplifier, shift, 0);
  bool is_in_both = amount < 32 && amount + bits > 32;
  if (is_in_both && (bits != 32 || !norn_simplify_has_one_use(simplifier, norn_ref_payload(value))))
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef word = word_of(simplifier, &builder, whole, amount >= 32);
  word = shift_word(simplifier, &builder, amount < 32 ? NORN_OP_LSHR : op, word, amount % 32);
  if (is_in_both) {
    NornRef high = word_of(simplifier, &builder, whole, 1);
    high = shift_word(simplifier, &builder, NORN_OP_SHL, high, 32 - amount);
    word = norn_build_or(&builder, NORN_TYPE_I32, word, high);
  }
  if (bits < 32)
    word = norn_build_trunc(&builder, type, NORN_TYPE_I32, word);
  return replace(simplifier, index, word, replacement);
}

/* The value behind bit casts. */
static NornRef
strip_bitcasts(const Simplifier *simplifier, NornRef ref) {
  const NornInst *inst;
  while ((inst = norn_simplify_definition_by(simplifier->function, ref, NORN_OP_BITCAST)))
    ref = operand(simplifier, inst, 0);
  return ref;
}

/* A part that is taken out of a value, or has another type: taken from where it comes from. */
static Outcome
simplify_part(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[MAX_BYTES];
  unsigned count = byte_count(type), first = 0;
  if (!describe_inst(&walk, inst, norn_ref(NORN_REF_VALUE, inst->result), bytes) || count > 4 ||
      (!are_constant(bytes, count) && !are_neighbors(bytes, count)))
    return UNCHANGED;
  uint64_t lane = 0;
  if (inst->op == NORN_OP_EXTRACT && constant_operand(simplifier, inst, 1, &lane))
    first = (unsigned)(lane % norn_types[inst->source_type].lanes) * count;
  if (bytes[0].base == strip_bitcasts(simplifier, norn_operand(function, index, 0)) &&
      bytes[0].number == first)
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  return replace(simplifier, index, build_part(simplifier, &builder, bytes, type), replacement);
}

/* A vector of what is one value already, or of its halves. */
static Outcome
simplify_vector(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[MAX_BYTES];
  if (!describe_parts(&walk, inst, type, inst->source_type, bytes) ||
      word_cost(bytes) >= (norn_types[type].lanes == 4 && !are_constant(bytes + 2, 2) ? 2 : 1))
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef word = build_word(simplifier, &builder, bytes);
  return replace(simplifier, index, cast(&builder, type, NORN_TYPE_I32, word), replacement);
}

Outcome
norn_simplify_parts(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  Outcome outcome;
  if (!is_word_or_less(inst->type) && inst->op != NORN_OP_VEC)
    return UNCHANGED;
  switch (inst->op) {
  case NORN_OP_OR:
  case NORN_OP_XOR:
  case NORN_OP_IADD:
    return may_make_parts(simplifier) ? simplify_union(simplifier, index, replacement) : UNCHANGED;
  case NORN_OP_SHL:
  case NORN_OP_LSHR:
  case NORN_OP_ASHR:
    return simplify_wide_shift(simplifier, index);
  case NORN_OP_AND:
    return simplify_wide_mask(simplifier, index);
  case NORN_OP_TRUNC:
    outcome = simplify_shifted_trunc(simplifier, index, replacement);
    if (outcome != UNCHANGED)
      return outcome;
    break;
  case NORN_OP_BITCAST:
    if (norn_type_bits(inst->type) != 16)
      return UNCHANGED;
    break;
  case NORN_OP_VEC:
    return simplify_vector(simplifier, index, replacement);
  case NORN_OP_EXTRACT:
    break;
  default:
    return UNCHANGED;
  }
  return may_make_parts(simplifier) ? simplify_part(simplifier, index, replacement) : UNCHANGED;
}
