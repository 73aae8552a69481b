/* Integers composed of bytes, halves and words of others, and parts extracted from such integers
 * (passes/optimize/parts.h): replaced by vectors and groups, which take fewer instructions than
 * shifts and masks, or none. a | b << 16 of extended halves is one vector, and a value that is
 * taken apart and put together again is the value itself. */
#include "passes/optimize/parts.h"
#include <norn/build.h>

/* Replaces the result of the instruction by the value, which takes its name. */
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

/* Whether the vectors and groups that replace shifts may be created. */
static bool
may_make_parts(const Simplifier *simplifier) {
  return norn_simplify_may_make(simplifier, NORN_OP_VEC, NORN_TYPE_V2I16) &&
         norn_simplify_may_make(simplifier, NORN_OP_VEC, NORN_TYPE_V4I8);
}

/* --- One operation at a time --- */

static bool
has_constant(const Byte *bytes, unsigned count) {
  for (unsigned k = 0; k < count; k++)
    if (bytes[k].base && norn_is_constant(bytes[k].base))
      return true;
  return false;
}

/* Composes a value of 32 or 64 bits of parts. Constant parts and sums of words are left to the code
 * that combines indexes. */
static Outcome
simplify_union(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[NORN_MAX_BYTES];
  bool is_index = inst->op == NORN_OP_IADD || norn_is_constant(norn_operand(function, index, 1));
  if ((type != NORN_TYPE_I64 && (type != NORN_TYPE_I32 || is_index)) ||
      !norn_describe_result(&walk, inst, NORN_ALL_BYTES, bytes))
    return UNCHANGED;
  if (bytes[0].type == type && norn_are_neighbors(bytes, norn_byte_count(type)))
    return norn_simplify_replace(replacement, bytes[0].base);
  unsigned cost = norn_word_cost(bytes),
           before = walk.unions + !has_constant(bytes, norn_byte_count(type));
  if (type == NORN_TYPE_I64) {
    cost += norn_word_cost(bytes + 4);
    before *= 2;
  }
  if (cost > 1 && cost >= before)
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef low = norn_build_bytes(simplifier, &builder, bytes);
  if (type == NORN_TYPE_I32)
    return replace(simplifier, index, low, replacement);
  return collect(simplifier, index, low, norn_build_bytes(simplifier, &builder, bytes + 4));
}

static NornRef
shift_word(Simplifier *simplifier, NornBuilder *builder, unsigned op, NornRef word,
           uint64_t amount) {
  NornRef operands[2] = {word, norn_simplify_constant(simplifier, amount)};
  return amount ? norn_build_op(builder, op, 0, NORN_TYPE_I32, NORN_TYPE_VOID, operands, 2) : word;
}

/* A 64-bit shift by a word or more moves one word. */
static Outcome
simplify_wide_shift(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef value = norn_operand(function, index, 0);
  unsigned op = inst->op;
  uint64_t amount;
  if (inst->type != NORN_TYPE_I64 ||
      !norn_simplify_constant_operand(simplifier, inst, 1, &amount) || amount < 32 ||
      amount >= 64 || (op == NORN_OP_ASHR && amount != 32))
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef zero = norn_simplify_constant(simplifier, 0);
  NornRef word = norn_build_word_of(simplifier, &builder, value, op != NORN_OP_SHL);
  if (op == NORN_OP_ASHR) {
    norn_simplify_rewrite(simplifier, index, NORN_OP_SEXT, &word, 1);
    norn_inst(function, index)->source_type = NORN_TYPE_I32;
    return REWRITTEN;
  }
  word = shift_word(simplifier, &builder, op, word, amount - 32);
  return op == NORN_OP_SHL ? collect(simplifier, index, zero, word)
                           : collect(simplifier, index, word, zero);
}

/* Whether `word` is word `k` of a 64-bit value, extracted from it or collected into it. */
static bool
is_word_of(const Simplifier *simplifier, NornRef word, NornRef whole, unsigned k) {
  const NornFunction *function = simplifier->function;
  const NornInst *split = norn_simplify_definition_by(function, word, NORN_OP_SPLIT);
  if (split && norn_simplify_operand(simplifier, split, 0) == whole)
    return norn_value(function, norn_ref_payload(word))->index == k;
  const NornInst *group = norn_simplify_definition_by(function, whole, NORN_OP_COLLECT);
  return group && group->source_type == NORN_TYPE_I64 && group->type == NORN_TYPE_I32 &&
         norn_simplify_operand(simplifier, group, k) == word;
}

/* A 64-bit rotation, one shift of which has already become a move of one word: x << n, with the
 * upper word of x, shifted right by 32 - n, in the lower word; or x >> n, with the lower word in
 * the upper one. */
static Outcome
simplify_long_rotation(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *shift = norn_defining_inst(function, norn_operand(function, index, k));
    const NornInst *group = norn_simplify_definition_by(
        function, norn_operand(function, index, 1 - k), NORN_OP_COLLECT);
    uint64_t amount, rest;
    if (!shift || (shift->op != NORN_OP_SHL && shift->op != NORN_OP_LSHR) || !group ||
        group->type != NORN_TYPE_I32 ||
        !norn_simplify_constant_operand(simplifier, shift, 1, &amount))
      continue;
    bool is_left = shift->op == NORN_OP_SHL;
    const NornInst *part =
        norn_simplify_definition_by(function, norn_simplify_operand(simplifier, group, !is_left),
                                    is_left ? NORN_OP_LSHR : NORN_OP_SHL);
    NornRef whole = norn_simplify_operand(simplifier, shift, 0);
    if (!part || !norn_simplify_constant_operand(simplifier, part, 1, &rest) ||
        amount + rest != 32 ||
        !norn_simplify_is_constant_of(simplifier, norn_simplify_operand(simplifier, group, is_left),
                                      0) ||
        !is_word_of(simplifier, norn_simplify_operand(simplifier, part, 0), whole, is_left))
      continue;
    NornRef operands[2] = {whole, norn_simplify_operand(simplifier, shift, 1)};
    norn_simplify_rewrite(simplifier, index, is_left ? NORN_OP_ROTL : NORN_OP_ROTR, operands, 2);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* A 64-bit mask that keeps or clears one word is a mask of the other word. Before lowering, parts
 * of one value may still be recombined (simplify_bits.c). */
static Outcome
simplify_wide_mask(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef value = norn_operand(function, index, 0), words[2];
  uint64_t mask;
  unsigned cost = 0;
  if (inst->type != NORN_TYPE_I64 || !simplifier->context->is_lowered ||
      !norn_simplify_constant_operand(simplifier, inst, 1, &mask))
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
    NornRef word = norn_build_word_of(simplifier, &builder, value, k);
    words[k] =
        masks[k] == UINT32_MAX ? word : norn_build_and(&builder, NORN_TYPE_I32, word, words[k]);
  }
  return collect(simplifier, index, words[0], words[1]);
}

/* A truncation of a shifted 64-bit value: bits of one word, or of both. */
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
      !norn_simplify_constant_operand(simplifier, shift, 1, &amount) || !amount || amount >= 64)
    return UNCHANGED;
  NornRef whole = norn_simplify_operand(simplifier, shift, 0);
  bool is_in_both = amount < 32 && amount + bits > 32;
  if (is_in_both && (bits != 32 || !norn_simplify_has_one_use(simplifier, norn_ref_payload(value))))
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef word = norn_build_word_of(simplifier, &builder, whole, amount >= 32);
  word = shift_word(simplifier, &builder, amount < 32 ? NORN_OP_LSHR : op, word, amount % 32);
  if (is_in_both) {
    NornRef high = norn_build_word_of(simplifier, &builder, whole, 1);
    high = shift_word(simplifier, &builder, NORN_OP_SHL, high, 32 - amount);
    word = norn_build_or(&builder, NORN_TYPE_I32, word, high);
  }
  if (bits < 32)
    word = norn_build_trunc(&builder, type, NORN_TYPE_I32, word);
  return replace(simplifier, index, word, replacement);
}

/* The value without bitcasts. */
static NornRef
strip_bitcasts(const Simplifier *simplifier, NornRef ref) {
  const NornInst *inst;
  while ((inst = norn_simplify_definition_by(simplifier->function, ref, NORN_OP_BITCAST)))
    ref = norn_simplify_operand(simplifier, inst, 0);
  return ref;
}

/* Takes a part of at most a word, extracted from a value or cast to another type, directly from the
 * value that it originates from. */
static Outcome
simplify_part(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[NORN_MAX_BYTES];
  unsigned count = norn_byte_count(type), first = 0;
  if (!norn_describe_result(&walk, inst, (1u << count) - 1, bytes) ||
      (!norn_are_constant(bytes, count) && !norn_are_neighbors(bytes, count)))
    return UNCHANGED;
  uint64_t lane = 0;
  if (inst->op == NORN_OP_EXTRACT && norn_simplify_constant_operand(simplifier, inst, 1, &lane))
    first = (unsigned)(lane % norn_types[inst->source_type].lanes) * count;
  if (bytes[0].base == strip_bitcasts(simplifier, norn_operand(function, index, 0)) &&
      bytes[0].number == first)
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  return replace(simplifier, index, norn_build_part(simplifier, &builder, bytes, type),
                 replacement);
}

/* A vector composed of all parts of one value, or of its halves. */
static Outcome
simplify_vector(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[NORN_MAX_BYTES];
  if (!norn_describe_result(&walk, inst, NORN_ALL_BYTES, bytes) ||
      norn_word_cost(bytes) >=
          (norn_types[type].lanes == 4 && !norn_are_constant(bytes + 2, 2) ? 2 : 1))
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef word = norn_build_bytes(simplifier, &builder, bytes);
  return replace(simplifier, index, norn_build_bitcast(&builder, type, NORN_TYPE_I32, word),
                 replacement);
}

Outcome
norn_simplify_parts(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  Outcome outcome;
  if (norn_type_bits(inst->type) < 8)
    return UNCHANGED;
  switch (inst->op) {
  case NORN_OP_OR:
  case NORN_OP_XOR:
  case NORN_OP_IADD:
    outcome = inst->type == NORN_TYPE_I64 &&
                      norn_simplify_may_make(simplifier, NORN_OP_ROTL, NORN_TYPE_I64)
                  ? simplify_long_rotation(simplifier, index)
                  : UNCHANGED;
    return outcome == UNCHANGED && may_make_parts(simplifier)
               ? simplify_union(simplifier, index, replacement)
               : outcome;
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
