/* Sums that are addresses: a shifted word is combined with its base, and constants move outward,
 * where memory accesses use them as their offset. */
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "passes/optimize/algebra.h"
#include "passes/optimize/simplify.h"

/* Whether `ref` is an extended word, shifted left by an amount that shladd allows. */
static bool
match_scaled_word(const Simplifier *simplifier, NornRef ref, NornRef *word, uint64_t *shift,
                  unsigned *extend) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = norn_simplify_definition_by(function, ref, SHL);
  *shift = 0;
  if (inst) {
    NornRef amount = norn_simplify_resolve(simplifier, norn_operands(function, inst)[1]);
    if (!norn_is_constant(amount))
      return false;
    *shift = norn_constant_bits(simplifier->module, amount) & 63;
    inst = norn_defining_inst(function,
                              norn_simplify_resolve(simplifier, norn_operands(function, inst)[0]));
  } else {
    inst = norn_defining_inst(function, ref);
  }
  if (!inst || *shift > 7 || (inst->op != ZEXT && inst->op != SEXT) ||
      inst->source_type != NORN_TYPE_I32)
    return false;
  *extend = inst->op == ZEXT ? NORN_EXTEND_U32 : NORN_EXTEND_S32;
  *word = norn_simplify_resolve(simplifier, norn_operands(function, inst)[0]);
  return true;
}

/* base + (extended word << constant) is shladd. */
static Outcome
simplify_sum(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  if (norn_inst(function, index)->type != NORN_TYPE_I64)
    return UNCHANGED;
  for (unsigned k = 0; k < 2; k++) {
    NornRef word, base = norn_operand(function, index, 1 - k);
    uint64_t shift;
    unsigned extend;
    if (!match_scaled_word(simplifier, norn_operand(function, index, k), &word, &shift, &extend))
      continue;
    NornRef operands[3] = {base, word, norn_simplify_constant(simplifier, shift)};
    norn_simplify_rewrite(simplifier, index, SHLADD, operands, 3);
    norn_inst(function, index)->modifier = (uint8_t)extend;
    return REWRITTEN;
  }
  return UNCHANGED;
}

bool
norn_simplify_is_offset(uint32_t constant, uint64_t shift) {
  int64_t offset = (int64_t)(int32_t)constant * (INT64_C(1) << (shift & 31));
  return offset >= INT16_MIN && offset <= INT16_MAX;
}

/* Splits a constant off the word: word = result + *constant, modulo 2^32. The constant may be added
 * to the word itself or, at most `depth` operations further in, to a value of which the word is a
 * sum, a difference or a constant multiple. Returns 0 if there is none. New instructions are
 * inserted before `before`; if that is NORN_INDEX_NONE, none are, and a result other than 0 has no
 * meaning. */
static NornRef
split_word(Simplifier *simplifier, uint32_t before, NornRef word, unsigned depth,
           uint32_t *constant) {
  NornFunction *function = simplifier->function;
  static const NornOp ops[] = {NORN_OP_IADD, NORN_OP_ISUB, NORN_OP_SHL, NORN_OP_IMUL};
  uint64_t bits = 0;
  for (unsigned k = 0; k < G_N_ELEMENTS(ops); k++) {
    const NornInst *inst = norn_simplify_definition_by(function, word, ops[k]);
    if (!inst || inst->type != NORN_TYPE_I32)
      continue;
    NornRef operands[2];
    for (unsigned i = 0; i < 2; i++)
      operands[i] = norn_simplify_resolve(simplifier, norn_operands(function, inst)[i]);
    bool has_constant = norn_simplify_constant_operand(simplifier, inst, 1, &bits);
    if (ops[k] == NORN_OP_IADD && has_constant) {
      *constant = (uint32_t)bits;
      return operands[0];
    }
    bool is_sum = ops[k] == NORN_OP_IADD || ops[k] == NORN_OP_ISUB;
    if (!depth || (!is_sum && !has_constant))
      return 0;
    for (unsigned i = 0; i < (is_sum ? 2u : 1u); i++) {
      NornRef rest = split_word(simplifier, before, operands[i], depth - 1, constant);
      if (!rest)
        continue;
      operands[i] = rest;
      bool does_not_wrap = inst->flags & NORN_INST_NOWRAP && ops[k] == NORN_OP_SHL &&
                           norn_simplify_is_offset(*constant, bits);
      *constant = ops[k] == NORN_OP_SHL         ? *constant << (bits & 31)
                  : ops[k] == NORN_OP_IMUL      ? *constant * (uint32_t)bits
                  : ops[k] == NORN_OP_ISUB && i ? -*constant
                                                : *constant;
      if (before == NORN_INDEX_NONE)
        return word;
      NornBuilder builder = norn_builder_in_place_of(function, before);
      norn_builder_set_flags(&builder, does_not_wrap ? NORN_INST_NOWRAP : 0);
      return norn_build_op(&builder, ops[k], 0, NORN_TYPE_I32, NORN_TYPE_VOID, operands, 2);
    }
    return 0;
  }
  return 0;
}

/* An index of an address without its left shift, which is added to the shift of the address. */
typedef struct ScaledIndex {
  NornRef word;
  uint32_t shift;
  uint8_t flags;
} ScaledIndex;

/* The word as the index of the address, with the same promises. Its left shift is added to that of
 * the address if no bit of the unshifted word is lost by shifting it, nor its sign if the index is
 * signed. */
static ScaledIndex
scaled_index(Simplifier *simplifier, uint32_t index, NornRef word, bool is_signed) {
  NornFunction *function = simplifier->function;
  const NornInst *address = norn_inst(function, index);
  uint32_t shift =
      norn_constant_bits(simplifier->module, norn_simplify_operand(simplifier, address, 2)) & 7;
  uint8_t flags = address->flags & NORN_INST_NOWRAP;
  ScaledIndex whole = {word, shift, flags};
  uint64_t amount;
  const NornInst *scaled = norn_simplify_definition_by(function, word, SHL);
  if (!scaled || !norn_simplify_constant_operand(simplifier, scaled, 1, &amount) ||
      shift + amount > 7)
    return whole;
  word = norn_simplify_operand(simplifier, scaled, 0);
  if (!(is_signed && scaled->flags & NORN_INST_NOWRAP) &&
      norn_greatest_integer(function, simplifier->dominance, &simplifier->replacements, word,
                            NORN_TYPE_I32) > (is_signed ? INT32_MAX : UINT32_MAX) >>
          amount)
    return whole;
  return (ScaledIndex){word, shift + (uint32_t)amount, shift >= NORN_NOWRAP_SHIFT ? flags : 0};
}

/* Operations between the index and the sum with a constant. */
#define MAX_AROUND 2

/* Moves a constant in an index that does not wrap outward. With a small shift, the index may be
 * just below 2^31, so that it would wrap without a negative constant. */
static Outcome
simplify_index(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  uint64_t shift = norn_constant_bits(simplifier->module, norn_operand(function, index, 2)) & 7;
  NornRef word = norn_operand(function, index, 1);
  uint32_t constant;
  if (!split_word(simplifier, NORN_INDEX_NONE, word, MAX_AROUND, &constant) ||
      !norn_simplify_is_offset(constant, shift) ||
      (shift < NORN_NOWRAP_SHIFT && (int32_t)constant < 0))
    return UNCHANGED;
  NornRef rest = split_word(simplifier, index, word, MAX_AROUND, &constant);
  ScaledIndex scaled = scaled_index(simplifier, index, rest, true);
  NornBuilder builder = norn_builder_in_place_of(function, index);
  norn_builder_set_flags(&builder, scaled.flags);
  NornRef sum = norn_build_shladd(&builder, NORN_EXTEND_S32, norn_operand(function, index, 0),
                                  scaled.word, scaled.shift);
  uint64_t offset = (uint64_t)(int64_t)(int32_t)constant << shift;
  norn_simplify_rewrite(simplifier, index, IADD,
                        (NornRef[]){sum, norn_simplify_constant(simplifier, offset)}, 2);
  norn_inst(function, index)->flags = 0;
  simplifier->context->runs_again = true; /* there may be more constants in the index */
  return REWRITTEN;
}

/* Whether adding the constant to the word changes no bit that extending the sum depends on: the
 * constant only fills zeros of the word, or the sum is known to stay in the range of its type. */
static bool
cannot_wrap(const Simplifier *simplifier, const NornInst *sum, NornRef word, uint64_t constant,
            bool is_signed) {
  if (!(constant >> MIN(norn_known_zeros(simplifier->function, word), 31)))
    return true;
  return sum->op == IADD && norn_greatest_integer(simplifier->function, simplifier->dominance,
                                                  &simplifier->replacements, word, NORN_TYPE_I32) +
                                    constant <=
                                (is_signed ? INT32_MAX : UINT32_MAX);
}

/* Moves a constant in an index outward also if it is known that the sum does not wrap. */
static Outcome
simplify_small_index(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  const NornInst *sum = norn_defining_inst(function, norn_operand(function, index, 1));
  uint64_t shift = norn_constant_bits(simplifier->module, norn_operand(function, index, 2)) & 7;
  uint64_t constant;
  if (!sum || (sum->op != IADD && sum->op != OR) ||
      !norn_simplify_constant_operand(simplifier, sum, 1, &constant) ||
      constant << shift > INT16_MAX)
    return UNCHANGED;
  NornRef word = norn_simplify_resolve(simplifier, norn_operands(function, sum)[0]);
  bool is_signed = inst->modifier == NORN_EXTEND_S32;
  if (!cannot_wrap(simplifier, sum, word, constant, is_signed))
    return UNCHANGED;
  ScaledIndex scaled = scaled_index(simplifier, index, word, is_signed);
  NornBuilder builder = norn_builder_in_place_of(function, index);
  norn_builder_set_flags(&builder, scaled.flags);
  NornRef rest = norn_build_shladd(&builder, inst->modifier, norn_operand(function, index, 0),
                                   scaled.word, scaled.shift);
  norn_simplify_rewrite(simplifier, index, IADD,
                        (NornRef[]){rest, norn_simplify_constant(simplifier, constant << shift)},
                        2);
  norn_inst(function, index)->flags = 0;
  return REWRITTEN;
}

/* Whether a word is the upper part of `whole`, that is, shifted right by `bits`. */
static bool
match_upper_part(const Simplifier *simplifier, NornRef word, NornRef *whole, uint64_t *bits) {
  const NornInst *inst = norn_simplify_definition_by(simplifier->function, word, LSHR);
  if (!inst || !norn_simplify_constant_operand(simplifier, inst, 1, bits))
    return false;
  *whole = norn_simplify_resolve(simplifier, norn_operands(simplifier->function, inst)[0]);
  return true;
}

/* Whether a word is the lowest `bits` bits of `whole`. */
static bool
is_lower_part(const Simplifier *simplifier, NornRef word, NornRef whole, uint64_t bits) {
  const NornInst *inst = norn_simplify_definition_by(simplifier->function, word, AND);
  uint64_t mask;
  return inst && norn_simplify_constant_operand(simplifier, inst, 1, &mask) &&
         mask == (UINT64_C(1) << bits) - 1 &&
         norn_simplify_resolve(simplifier, norn_operands(simplifier->function, inst)[0]) == whole;
}

/* base + (x / n) * n * size + (x % n) * size, as for components of vectors, is base + x * size. */
static Outcome
simplify_parts(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *outer = norn_inst(function, index);
  const NornInst *inner =
      norn_simplify_definition_by(function, norn_operand(function, index, 0), SHLADD);
  if (!inner)
    return UNCHANGED;
  const NornInst *both[2] = {outer, inner};
  NornRef base = norn_simplify_resolve(simplifier, norn_operands(function, inner)[0]), words[2];
  uint64_t shifts[2], bits;
  for (unsigned k = 0; k < 2; k++) {
    words[k] = norn_simplify_resolve(simplifier, norn_operands(function, both[k])[1]);
    NornRef shift = norn_simplify_resolve(simplifier, norn_operands(function, both[k])[2]);
    shifts[k] = norn_constant_bits(simplifier->module, shift) & 7;
  }
  for (unsigned upper = 0; upper < 2; upper++) {
    NornRef whole;
    if (!match_upper_part(simplifier, words[upper], &whole, &bits) ||
        shifts[upper] != shifts[1 - upper] + bits ||
        !is_lower_part(simplifier, words[1 - upper], whole, bits))
      continue;
    uint8_t flags =
        shifts[1 - upper] >= NORN_NOWRAP_SHIFT ? both[upper]->flags & NORN_INST_NOWRAP : 0;
    NornRef operands[3] = {base, whole, norn_simplify_constant(simplifier, shifts[1 - upper])};
    norn_simplify_rewrite(simplifier, index, SHLADD, operands, 3);
    norn_inst(function, index)->modifier = flags ? NORN_EXTEND_S32 : NORN_EXTEND_U32;
    norn_inst(function, index)->flags = flags;
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* base + ((x << constant) << shift) is one shift. */
static Outcome
simplify_scaled_index(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  unsigned extend = norn_inst(function, index)->modifier;
  NornRef word = norn_operand(function, index, 1);
  ScaledIndex scaled = scaled_index(simplifier, index, word, extend == NORN_EXTEND_S32);
  if (scaled.word == word)
    return UNCHANGED;
  NornRef operands[3] = {norn_operand(function, index, 0), scaled.word,
                         norn_simplify_constant(simplifier, scaled.shift)};
  norn_simplify_rewrite(simplifier, index, SHLADD, operands, 3);
  norn_inst(function, index)->modifier = (uint8_t)extend;
  norn_inst(function, index)->flags = scaled.flags;
  return REWRITTEN;
}

/* A constant index becomes a sum; a constant in the base moves outward, where memory accesses use
 * it as their offset. */
static Outcome
simplify_shladd(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef base = norn_operand(function, index, 0), word = norn_operand(function, index, 1);
  if (norn_is_constant(word)) {
    uint64_t bits = norn_constant_bits(simplifier->module, word);
    uint64_t shift = norn_constant_bits(simplifier->module, norn_operand(function, index, 2));
    if (inst->modifier == NORN_EXTEND_S32)
      bits = (uint64_t)(int64_t)(int32_t)bits;
    NornRef operands[2] = {base, norn_simplify_constant(simplifier, bits << (shift & 7))};
    norn_simplify_rewrite(simplifier, index, IADD, operands, 2);
    return REWRITTEN;
  }
  if (simplify_parts(simplifier, index) == REWRITTEN)
    return REWRITTEN;
  if (inst->flags & NORN_INST_NOWRAP && simplify_index(simplifier, index) == REWRITTEN)
    return REWRITTEN;
  if (simplify_small_index(simplifier, index) == REWRITTEN)
    return REWRITTEN;
  if (simplify_scaled_index(simplifier, index) == REWRITTEN)
    return REWRITTEN;
  const NornInst *inner = norn_simplify_definition_by(function, base, IADD);
  if (!inner)
    return UNCHANGED;
  NornRef addend = norn_simplify_resolve(simplifier, norn_operands(function, inner)[1]);
  if (!norn_is_constant(addend))
    return UNCHANGED;
  NornRef operands[3] = {norn_simplify_resolve(simplifier, norn_operands(function, inner)[0]), word,
                         norn_operand(function, index, 2)};
  NornRef sum = norn_simplify_insert(simplifier, index, SHLADD, inst->modifier, operands, 3);
  norn_simplify_rewrite(simplifier, index, IADD, (NornRef[]){sum, addend}, 2);
  norn_inst(function, index)->flags = 0;
  return REWRITTEN;
}

/* The same for memory of a workgroup or an invocation, where addresses are words. */
static Outcome
simplify_local_access(Simplifier *simplifier, uint32_t index, unsigned address) {
  NornFunction *function = simplifier->function;
  NornRef word = norn_operand(function, index, address);
  uint32_t constant;
  if (!split_word(simplifier, NORN_INDEX_NONE, word, MAX_AROUND, &constant) ||
      !norn_simplify_is_offset(constant, 0))
    return UNCHANGED;
  NornInst *inst = norn_inst(function, index);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET) + (int32_t)constant;
  if (offset < INT16_MIN || offset > INT16_MAX)
    return UNCHANGED;
  inst->payload = norn_set_immediate(inst->payload, NORN_IMMEDIATE_OFFSET, offset);
  norn_operands(function, inst)[address] =
      split_word(simplifier, index, word, MAX_AROUND, &constant);
  return REWRITTEN;
}

/* Adds a constant in the address to the offset of the access. */
static Outcome
simplify_access(Simplifier *simplifier, uint32_t index, unsigned address) {
  NornFunction *function = simplifier->function;
  const NornInst *sum =
      norn_simplify_definition_by(function, norn_operand(function, index, address), IADD);
  if (!sum)
    return UNCHANGED;
  NornRef addend = norn_simplify_resolve(simplifier, norn_operands(function, sum)[1]);
  if (!norn_is_constant(addend))
    return UNCHANGED;
  NornInst *inst = norn_inst(function, index);
  int64_t constant_part = (int64_t)norn_constant_bits(simplifier->module, addend);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  if (__builtin_add_overflow(offset, constant_part, &offset) ||
      offset < norn_immediate_minimum(NORN_IMMEDIATE_OFFSET) ||
      offset > norn_immediate_maximum(NORN_IMMEDIATE_OFFSET))
    return UNCHANGED;
  inst->payload = norn_set_immediate(inst->payload, NORN_IMMEDIATE_OFFSET, offset);
  norn_operands(function, inst)[address] =
      norn_simplify_resolve(simplifier, norn_operands(function, sum)[0]);
  return REWRITTEN;
}

Outcome
norn_simplify_address(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  (void)replacement;
  switch (norn_inst(simplifier->function, index)->op) {
  case IADD:
    return simplify_sum(simplifier, index);
  case SHLADD:
    return simplify_shladd(simplifier, index);
  case LOAD_GLOBAL:
    return simplify_access(simplifier, index, 0);
  case STORE_GLOBAL:
    return simplify_access(simplifier, index, 1);
  case LOAD_SHARED:
  case LOAD_SCRATCH:
    return simplify_local_access(simplifier, index, 0);
  case STORE_SHARED:
  case STORE_SCRATCH:
    return simplify_local_access(simplifier, index, 1);
  default:
    return UNCHANGED;
  }
}
