/* Sums of products of bytes: four products become one instruction.
 *
 * Quantized networks compute a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w with extended bytes.
 * This is a dot product of two words, in whatever order the products are added. The other addends
 * become the instruction's accumulator. */
#include "passes/optimize/parts.h"
#include <norn/build.h>

#define LANES 4
#define MAX_ADDENDS 12
#define MAX_DEPTH 8      /* nested additions that are taken apart */
#define MAX_WORDS_COST 4 /* instructions to compose the words: the sum takes seven */

/* A product of two extended bytes, or any other addend. */
typedef struct Addend {
  NornRef ref;
  bool is_product, is_used;
  Byte bytes[2];
  bool is_signed[2];
} Addend;

typedef struct ProductSum {
  Simplifier *simplifier;
  Addend addends[MAX_ADDENDS];
  unsigned count;
} ProductSum;

/* --- Addends --- */

/* Whether the i32 is an extended byte of a value. */
static bool
is_extended_byte(Simplifier *simplifier, NornRef ref, Byte *byte, bool *is_signed) {
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  PartWalk walk = {.simplifier = simplifier};
  Byte bytes[NORN_MAX_BYTES];
  uint64_t amount;
  if (!inst || inst->type != NORN_TYPE_I32)
    return false;
  unsigned number = 0;
  *is_signed = true;
  if (inst->op == NORN_OP_SEXT && inst->source_type == NORN_TYPE_I8)
    norn_describe_bytes(&walk, norn_simplify_operand(simplifier, inst, 0), NORN_TYPE_I8, 1, bytes);
  else if (inst->op == NORN_OP_ASHR &&
           norn_simplify_constant_operand(simplifier, inst, 1, &amount) && amount == 24) {
    number = 3;
    norn_describe_bytes(&walk, norn_simplify_operand(simplifier, inst, 0), NORN_TYPE_I32,
                        1u << number, bytes);
  } else {
    *is_signed = false;
    norn_describe_bytes(&walk, ref, NORN_TYPE_I32, NORN_ALL_BYTES, bytes);
    if (bytes[1].base || bytes[2].base || bytes[3].base)
      return false;
  }
  *byte = bytes[number];
  return byte->base && !norn_is_constant(byte->base);
}

static bool
is_byte_product(Simplifier *simplifier, NornRef ref, Addend *addend) {
  const NornInst *product = norn_simplify_definition_by(simplifier->function, ref, NORN_OP_IMUL);
  *addend = (Addend){.ref = ref};
  if (!product || product->type != NORN_TYPE_I32)
    return false;
  for (unsigned k = 0; k < 2; k++)
    if (!is_extended_byte(simplifier, norn_simplify_operand(simplifier, product, k),
                          &addend->bytes[k], &addend->is_signed[k]))
      return false;
  /* If the signs differ, the signed byte comes first. */
  if (!addend->is_signed[0] && addend->is_signed[1]) {
    Byte byte = addend->bytes[0];
    addend->bytes[0] = addend->bytes[1];
    addend->bytes[1] = byte;
    addend->is_signed[0] = true;
    addend->is_signed[1] = false;
  }
  addend->is_product = true;
  return true;
}

/* Whether the sum directly adds a product of bytes, possibly in a sum nested at most `depth` deep.
 * Otherwise it was already taken apart as part of another sum. */
static bool
ends_with_product(Simplifier *simplifier, const NornInst *sum, unsigned depth) {
  Addend addend;
  for (unsigned k = 0; k < 2; k++) {
    NornRef ref = norn_simplify_operand(simplifier, sum, k);
    const NornInst *part = norn_simplify_definition_by(simplifier->function, ref, NORN_OP_IADD);
    if (part && part->type == NORN_TYPE_I32
            ? depth && ends_with_product(simplifier, part, depth - 1)
            : is_byte_product(simplifier, ref, &addend))
      return true;
  }
  return false;
}

/* Takes apart a sum and those of its parts that have no other use; false if it has too many
 * parts. */
static bool
gather(ProductSum *sum, NornRef ref, unsigned depth) {
  Simplifier *simplifier = sum->simplifier;
  const NornInst *inst = norn_simplify_definition_by(simplifier->function, ref, NORN_OP_IADD);
  if (inst && inst->type == NORN_TYPE_I32 && depth < MAX_DEPTH &&
      (!depth || norn_simplify_has_one_use(simplifier, inst->result))) {
    NornRef operands[2] = {norn_simplify_operand(simplifier, inst, 0),
                           norn_simplify_operand(simplifier, inst, 1)};
    return gather(sum, operands[0], depth + 1) && gather(sum, operands[1], depth + 1);
  }
  if (sum->count == MAX_ADDENDS)
    return false;
  is_byte_product(simplifier, ref, &sum->addends[sum->count++]);
  return true;
}

/* --- Four products --- */

static bool
is_in_word(Byte byte, Byte of) {
  return byte.base == of.base && byte.number / LANES == of.number / LANES;
}

/* Whether the products multiply bytes of the same two words, possibly after swapping the factors of
 * `other`. */
static bool
join(const Addend *first, Addend *other) {
  if (!other->is_product || other->is_used || other->is_signed[0] != first->is_signed[0] ||
      other->is_signed[1] != first->is_signed[1])
    return false;
  if (other->is_signed[0] == other->is_signed[1] && !is_in_word(other->bytes[0], first->bytes[0])) {
    Byte byte = other->bytes[0];
    other->bytes[0] = other->bytes[1];
    other->bytes[1] = byte;
  }
  return is_in_word(other->bytes[0], first->bytes[0]) &&
         is_in_word(other->bytes[1], first->bytes[1]);
}

/* Finds four products each of which has a different byte of the same word. Returns how many were
 * found. */
static unsigned
find_four(ProductSum *sum, unsigned first, Addend *four[LANES]) {
  memset(four, 0, LANES * sizeof *four);
  unsigned found = 0;
  for (unsigned k = first; k < sum->count && found < LANES; k++) {
    Addend *addend = &sum->addends[k];
    if (!join(&sum->addends[first], addend))
      continue;
    unsigned lane = addend->bytes[0].number % LANES;
    if (four[lane])
      continue;
    four[lane] = addend;
    found++;
  }
  return found;
}

/* The bytes that the products take from one of their two sides. */
static void
side_of(Addend *const four[LANES], unsigned k, Byte bytes[LANES]) {
  for (unsigned lane = 0; lane < LANES; lane++)
    bytes[lane] = four[lane]->bytes[k];
}

static unsigned
words_cost(Addend *const four[LANES]) {
  Byte sides[2][LANES];
  for (unsigned k = 0; k < 2; k++)
    side_of(four, k, sides[k]);
  return norn_word_cost(sides[0]) + norn_word_cost(sides[1]);
}

/* The dot product of four products, plus the rest of the sum. */
static NornRef
build_dot(Simplifier *simplifier, NornBuilder *builder, Addend *const four[LANES], NornRef rest) {
  NornRef words[2];
  for (unsigned k = 0; k < 2; k++) {
    Byte bytes[LANES];
    side_of(four, k, bytes);
    words[k] = norn_build_bitcast(builder, NORN_TYPE_V4I8, NORN_TYPE_I32,
                                  norn_build_bytes(simplifier, builder, bytes));
  }
  unsigned op = !four[0]->is_signed[0]  ? NORN_OP_UDOT4
                : four[0]->is_signed[1] ? NORN_OP_SDOT4
                                        : NORN_OP_SUDOT4;
  NornRef operands[3] = {words[0], words[1], rest};
  return norn_build_op(builder, op, 0, NORN_TYPE_V4I8, NORN_TYPE_VOID, operands, 3);
}

/* A sum that was taken apart, without the products that became dot products. */
static NornRef
build_rest(Simplifier *simplifier, NornBuilder *builder, const ProductSum *sum) {
  NornRef rest = 0;
  for (unsigned k = 0; k < sum->count; k++)
    if (!sum->addends[k].is_used)
      rest = rest ? norn_build_iadd(builder, NORN_TYPE_I32, rest, sum->addends[k].ref)
                  : sum->addends[k].ref;
  return rest ? rest : norn_simplify_constant(simplifier, 0);
}

/* Adds the other operand to a dot product that has no accumulator yet. */
static Outcome
add_to_dot(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *dot = norn_defining_inst(function, norn_operand(function, index, k));
    if (!dot || (dot->op != NORN_OP_SDOT4 && dot->op != NORN_OP_UDOT4) ||
        !norn_simplify_has_one_use(simplifier, dot->result) ||
        !norn_simplify_is_constant_of(simplifier, norn_simplify_operand(simplifier, dot, 2), 0))
      continue;
    NornRef operands[3] = {norn_simplify_operand(simplifier, dot, 0),
                           norn_simplify_operand(simplifier, dot, 1),
                           norn_operand(function, index, 1 - k)};
    unsigned op = dot->op;
    norn_simplify_rewrite(simplifier, index, op, operands, 3);
    norn_inst(function, index)->type = NORN_TYPE_V4I8;
    return REWRITTEN;
  }
  return UNCHANGED;
}

Outcome
norn_simplify_dot(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  if (inst->type != NORN_TYPE_I32 ||
      !norn_simplify_may_make(simplifier, NORN_OP_SDOT4, NORN_TYPE_V4I8))
    return UNCHANGED;
  if (add_to_dot(simplifier, index) == REWRITTEN)
    return REWRITTEN;
  if (!ends_with_product(simplifier, inst, 1))
    return UNCHANGED;
  ProductSum sum = {.simplifier = simplifier};
  if (!gather(&sum, norn_ref(NORN_REF_VALUE, inst->result), 0))
    return UNCHANGED;
  Addend *four[LANES];
  unsigned first = 0;
  while (first < sum.count &&
         (!sum.addends[first].is_product || find_four(&sum, first, four) < LANES ||
          words_cost(four) > MAX_WORDS_COST))
    first++;
  if (first == sum.count)
    return UNCHANGED;
  bool is_mixed = four[0]->is_signed[0] != four[0]->is_signed[1];
  if (is_mixed && !norn_simplify_may_make(simplifier, NORN_OP_SUDOT4, NORN_TYPE_V4I8))
    return UNCHANGED;
  for (unsigned lane = 0; lane < LANES; lane++)
    four[lane]->is_used = true;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef rest = build_rest(simplifier, &builder, &sum);
  NornRef dot = build_dot(simplifier, &builder, four, rest);
  norn_move_name(function, dot, norn_inst(function, index)->result);
  return norn_simplify_replace(replacement, dot);
}
