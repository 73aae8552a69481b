/* Finds which bytes of other values a value is composed of, byte by byte, following its definition
 * upward; see passes/optimize/parts.h. */
#include "passes/optimize/parts.h"
#include <norn/build.h>

#define MAX_DEPTH 16  /* depth of the chain of definitions that is followed */
#define MAX_VISITS 64 /* total number of definitions that are followed */
#define MAX_UNIONS 4  /* nested unions that the quick test looks through */

/* Whether values of the type consist of bytes, and few enough of them. */
static bool
has_bytes(NornType type) {
  return norn_type_bits(type) >= 8 && norn_byte_count(type) <= NORN_MAX_BYTES;
}

/* --- The bytes of a value --- */

static bool describe_inst(PartWalk *walk, const NornInst *inst, unsigned result, unsigned demanded,
                          Byte *bytes);

void
norn_describe_bytes(PartWalk *walk, NornRef ref, NornType type, unsigned demanded, Byte *bytes) {
  Simplifier *simplifier = walk->simplifier;
  const NornFunction *function = simplifier->function;
  unsigned count = norn_byte_count(type);
  if (norn_is_constant(ref)) {
    uint64_t bits = norn_constant_bits(simplifier->module, ref);
    for (unsigned k = 0; k < count; k++) {
      uint64_t byte = bits >> (8 * k) & 0xFF;
      bytes[k] = (Byte){byte ? norn_simplify_constant(simplifier, byte) : 0, NORN_TYPE_I8, 0};
    }
    return;
  }
  const NornInst *inst = norn_defining_inst(function, ref);
  if (inst && !norn_is_machine(inst) && walk->depth < MAX_DEPTH && walk->visits < MAX_VISITS) {
    walk->depth++;
    walk->visits++;
    bool is_known = describe_inst(walk, inst, norn_value(function, norn_ref_payload(ref))->index,
                                  demanded, bytes);
    walk->depth--;
    if (is_known)
      return;
  }
  for (unsigned k = 0; k < count; k++)
    bytes[k] = (Byte){ref, (uint8_t)type, (uint8_t)k};
}

/* The bytes of operand k, followed by zeros. */
static bool
describe_operand(PartWalk *walk, const NornInst *inst, unsigned k, NornType type, unsigned demanded,
                 Byte *bytes) {
  memset(bytes, 0, NORN_MAX_BYTES * sizeof *bytes);
  if (!has_bytes(type))
    return false;
  norn_describe_bytes(walk, norn_simplify_operand(walk->simplifier, inst, k), type, demanded,
                      bytes);
  return true;
}

/* Whether some byte of operand k may be known to be zero, judging by operations only. Looks through
 * at most `unions` nested unions, both sides of which must have zeros; 0 unless all bytes are
 * demanded. */
static bool
may_have_zeros(const PartWalk *walk, const NornInst *inst, unsigned k, unsigned unions) {
  NornRef ref = norn_simplify_operand(walk->simplifier, inst, k);
  const NornInst *definition = norn_defining_inst(walk->simplifier->function, ref);
  uint64_t constant;
  switch (definition ? definition->op : NORN_OP_NONE) {
  case NORN_OP_AND:
    return norn_simplify_constant_operand(walk->simplifier, definition, 1, &constant);
  case NORN_OP_SHL:
  case NORN_OP_LSHR:
    return norn_simplify_constant_operand(walk->simplifier, definition, 1, &constant) &&
           constant % 8 == 0;
  case NORN_OP_OR:
  case NORN_OP_XOR:
  case NORN_OP_IADD:
    return !unions || (may_have_zeros(walk, definition, 0, unions - 1) &&
                       may_have_zeros(walk, definition, 1, unions - 1));
  case NORN_OP_SEXT: /* bytes that are not demanded may be anything */
  case NORN_OP_ZEXT:
  case NORN_OP_BITCAST:
  case NORN_OP_COLLECT:
  case NORN_OP_SPLIT:
    return true;
  default:
    return norn_is_constant(ref);
  }
}

/* A union of two values: for each byte, one of the two is zero. */
static bool
describe_union(PartWalk *walk, const NornInst *inst, unsigned demanded, Byte *bytes) {
  Byte other[NORN_MAX_BYTES];
  unsigned unions = walk->unions;
  unsigned looked_at = demanded == NORN_ALL_BYTES ? MAX_UNIONS : 0;
  if (!may_have_zeros(walk, inst, 0, looked_at) || !may_have_zeros(walk, inst, 1, looked_at) ||
      !describe_operand(walk, inst, 0, inst->type, demanded, bytes) ||
      !describe_operand(walk, inst, 1, inst->type, demanded, other))
    return false;
  for (unsigned k = 0; k < norn_byte_count(inst->type); k++) {
    if (!(demanded >> k & 1))
      continue;
    if (bytes[k].base && other[k].base) {
      walk->unions = unions;
      return false;
    }
    if (other[k].base)
      bytes[k] = other[k];
  }
  walk->unions += norn_simplify_has_one_use(walk->simplifier, inst->result);
  return true;
}

/* A shift by whole bytes; an arithmetic one only if no copy of the sign is demanded. */
static bool
describe_shift(PartWalk *walk, const NornInst *inst, unsigned demanded, Byte *bytes) {
  uint64_t amount;
  Byte source[NORN_MAX_BYTES];
  unsigned count = norn_byte_count(inst->type), all = (1u << count) - 1;
  if (!norn_simplify_constant_operand(walk->simplifier, inst, 1, &amount) || amount % 8 ||
      amount >= 8 * count)
    return false;
  unsigned moved = (unsigned)amount / 8;
  demanded &= all;
  if (inst->op == NORN_OP_ASHR && demanded << moved & ~all)
    return false;
  unsigned below = inst->op == NORN_OP_SHL ? demanded >> moved : demanded << moved & all;
  if (!describe_operand(walk, inst, 0, inst->type, below, source))
    return false;
  for (unsigned k = 0; k < count; k++) {
    unsigned from = inst->op == NORN_OP_SHL ? k - moved : k + moved;
    bytes[k] = from < count ? source[from] : (Byte){0};
  }
  return true;
}

/* A mask of whole bytes. */
static bool
describe_mask(PartWalk *walk, const NornInst *inst, unsigned demanded, Byte *bytes) {
  uint64_t mask;
  unsigned kept = 0;
  if (!norn_simplify_constant_operand(walk->simplifier, inst, 1, &mask))
    return false;
  for (unsigned k = 0; k < norn_byte_count(inst->type); k++) {
    unsigned byte = mask >> (8 * k) & 0xFF;
    if (byte && byte != 0xFF && demanded >> k & 1)
      return false;
    kept |= byte ? 1u << k : 0;
  }
  if (!describe_operand(walk, inst, 0, inst->type, demanded & kept, bytes))
    return false;
  for (unsigned k = 0; k < norn_byte_count(inst->type); k++)
    if (!(kept >> k & 1))
      bytes[k] = (Byte){0};
  return true;
}

/* A value composed of parts: each operand is one. */
static bool
describe_parts(PartWalk *walk, const NornInst *inst, NornType whole, NornType part,
               unsigned demanded, Byte *bytes) {
  unsigned size = norn_byte_count(part);
  Byte source[NORN_MAX_BYTES];
  if (!has_bytes(whole))
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (!describe_operand(walk, inst, k, part, demanded >> (k * size), source))
      return false;
    memcpy(bytes + k * size, source, size * sizeof *bytes);
  }
  return true;
}

/* A part of a value. */
static bool
describe_part(PartWalk *walk, const NornInst *inst, NornType whole, NornType part, unsigned k,
              unsigned demanded, Byte *bytes) {
  Byte source[NORN_MAX_BYTES];
  unsigned size = norn_byte_count(part);
  demanded &= (1u << size) - 1;
  if (!describe_operand(walk, inst, 0, whole, demanded << (k * size), source))
    return false;
  memcpy(bytes, source + k * size, size * sizeof *bytes);
  return true;
}

/* Finds the bytes of a result if they are those of operands; else returns false. */
static bool
describe_inst(PartWalk *walk, const NornInst *inst, unsigned result, unsigned demanded,
              Byte *bytes) {
  NornType type = inst->type, source = inst->source_type;
  uint64_t lane;
  switch (inst->op) {
  case NORN_OP_SEXT:
    return source != NORN_TYPE_I1 && !(demanded >> norn_byte_count(source)) &&
           describe_operand(walk, inst, 0, source, demanded, bytes);
  case NORN_OP_ZEXT:
  case NORN_OP_BITCAST:
    return describe_operand(walk, inst, 0, source, demanded, bytes);
  case NORN_OP_TRUNC:
    return type != NORN_TYPE_I1 && describe_part(walk, inst, source, type, 0, demanded, bytes);
  case NORN_OP_EXTRACT:
    return norn_simplify_constant_operand(walk->simplifier, inst, 1, &lane) &&
           describe_part(walk, inst, source, type, lane % norn_types[source].lanes, demanded,
                         bytes);
  case NORN_OP_SPLIT: /* words of a value about which nothing is known are values themselves */
    return describe_part(walk, inst, source, type, result, demanded, bytes) &&
           bytes[0].base != norn_simplify_operand(walk->simplifier, inst, 0);
  case NORN_OP_VEC:
    return describe_parts(walk, inst, type, source, demanded, bytes);
  case NORN_OP_COLLECT:
    return describe_parts(walk, inst, source, type, demanded, bytes);
  case NORN_OP_SHL:
  case NORN_OP_LSHR:
  case NORN_OP_ASHR:
    return norn_types[type].lanes == 1 && describe_shift(walk, inst, demanded, bytes);
  case NORN_OP_AND:
    return describe_mask(walk, inst, demanded, bytes);
  case NORN_OP_OR:
  case NORN_OP_XOR:
    return describe_union(walk, inst, demanded, bytes);
  case NORN_OP_IADD: /* carries depend on all lower bytes */
    return norn_types[type].lanes == 1 && describe_union(walk, inst, NORN_ALL_BYTES, bytes);
  default:
    return false;
  }
}

bool
norn_describe_result(PartWalk *walk, const NornInst *inst, unsigned demanded, Byte *bytes) {
  return describe_inst(walk, inst, 0, demanded, bytes);
}

/* --- Cost --- */

/* Whether the byte can be extracted: only the lower one of a half can. */
static bool
is_part(Byte byte) {
  return norn_byte_count(byte.type) != 2 || !byte.number;
}

bool
norn_are_neighbors(const Byte *bytes, unsigned count) {
  if (!bytes[0].base || norn_is_constant(bytes[0].base) || bytes[0].number % count ||
      bytes[0].number + count > norn_byte_count(bytes[0].type) ||
      (count == 1 && !is_part(bytes[0])))
    return false;
  for (unsigned k = 1; k < count; k++)
    if (bytes[k].base != bytes[0].base || bytes[k].number != bytes[0].number + k)
      return false;
  return true;
}

bool
norn_are_constant(const Byte *bytes, unsigned count) {
  for (unsigned k = 0; k < count; k++)
    if (bytes[k].base && !norn_is_constant(bytes[k].base))
      return false;
  return true;
}

/* A rotated word: there is an instruction for that. */
static bool
is_rotation(const Byte *word) {
  for (unsigned k = 0; k < 4; k++)
    if (!word[k].base || word[k].base != word[0].base || word[k].number / 4 != word[0].number / 4 ||
        word[k].number % 4 != (word[0].number + k) % 4)
      return false;
  return true;
}

/* Whether the first `count` bytes are one part of a constant or of another value. */
static bool
are_part(const Byte *bytes, unsigned count) {
  return norn_are_constant(bytes, count) || norn_are_neighbors(bytes, count);
}

unsigned
norn_word_cost(const Byte *bytes) {
  if (are_part(bytes, 4))
    return 0;
  if (is_rotation(bytes))
    return NORN_PARTS_UNKNOWN;
  if (are_part(bytes, 2) && are_part(bytes + 2, 2))
    return 1;
  for (unsigned k = 0; k < 4; k++)
    if (!is_part(bytes[k]))
      return NORN_PARTS_UNKNOWN;
  return norn_are_constant(bytes + 2, 2) ? 1 : 2;
}

/* --- Building values --- */

static uint64_t
constant_bits(const Simplifier *simplifier, const Byte *bytes, unsigned count) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < count; k++)
    if (bytes[k].base)
      bits |= norn_constant_bits(simplifier->module, bytes[k].base) << (8 * k);
  return bits;
}

/* The word of a value that contains the byte, as the given type. */
static NornRef
word_holding(NornBuilder *builder, Byte byte, NornType type) {
  if (norn_type_bits(byte.type) == 32)
    return norn_build_cast(builder, type, byte.type, byte.base);
  NornRef words[2];
  norn_build_split(builder, NORN_TYPE_I32, byte.type, byte.base, 2, words);
  return norn_build_cast(builder, type, NORN_TYPE_I32, words[byte.number / 4]);
}

NornRef
norn_build_part(Simplifier *simplifier, NornBuilder *builder, const Byte *bytes, NornType type) {
  unsigned count = norn_byte_count(type), own = norn_type_bits(bytes[0].type) / 8;
  if (norn_are_constant(bytes, count))
    return norn_simplify_constant(simplifier, constant_bits(simplifier, bytes, count));
  if (own == count)
    return norn_build_cast(builder, type, bytes[0].type, bytes[0].base);
  if (count == 4)
    return word_holding(builder, bytes[0], type);
  if (own == 2) /* the lower byte of a 16-bit value */
    return norn_build_trunc(builder, type, NORN_TYPE_I16,
                            norn_build_cast(builder, NORN_TYPE_I16, bytes[0].type, bytes[0].base));
  if (type != NORN_TYPE_F16 && bytes[0].type == NORN_TYPE_I32 && !bytes[0].number)
    return norn_build_trunc(builder, type, NORN_TYPE_I32, bytes[0].base);
  NornType vector = type == NORN_TYPE_I8    ? NORN_TYPE_V4I8
                    : type == NORN_TYPE_I16 ? NORN_TYPE_V2I16
                                            : NORN_TYPE_V2F16;
  return norn_build_extract(builder, type, vector, word_holding(builder, bytes[0], vector),
                            bytes[0].number % 4 / count);
}

NornRef
norn_build_bytes(Simplifier *simplifier, NornBuilder *builder, const Byte *bytes) {
  if (are_part(bytes, 4))
    return norn_build_part(simplifier, builder, bytes, NORN_TYPE_I32);
  bool has_halves = are_part(bytes, 2) && are_part(bytes + 2, 2);
  NornType type = has_halves ? NORN_TYPE_V2I16 : NORN_TYPE_V4I8;
  NornType lane = has_halves ? NORN_TYPE_I16 : NORN_TYPE_I8;
  unsigned lanes = norn_types[type].lanes;
  NornRef parts[4];
  for (unsigned k = 0; k < lanes; k++)
    parts[k] = norn_build_part(simplifier, builder, bytes + k * (4 / lanes), lane);
  return norn_build_bitcast(builder, NORN_TYPE_I32, type,
                            norn_build_vec(builder, type, lane, lanes, parts));
}

NornRef
norn_build_word_of(Simplifier *simplifier, NornBuilder *builder, NornRef ref, unsigned k) {
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[NORN_MAX_BYTES];
  norn_describe_bytes(&walk, ref, NORN_TYPE_I64, 0xFu << (4 * k), bytes);
  if (norn_word_cost(bytes + 4 * k) == 0)
    return norn_build_bytes(simplifier, builder, bytes + 4 * k);
  return word_holding(builder, (Byte){ref, NORN_TYPE_I64, (uint8_t)(4 * k)}, NORN_TYPE_I32);
}
