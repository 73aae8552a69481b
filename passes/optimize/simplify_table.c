/* Tables of two constants: selecting one by an index becomes testing a bit of a word.
 *
 *   select(x == 0, a, select(x == 1, b, select(x == 2, b, a)))   select((bits << x) < 0, a, b)
 *
 * This requires that x is less than 32. The bit of element 0 is the highest one, so that the shift
 * moves the element's bit to the sign. Chains grow from the inside: an element in front of a table
 * becomes another bit of it. The smallest table is arithmetic on a number only one bit of which may
 * be set. */
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "passes/optimize/simplify.h"

/* Shorter chains are no longer than their replacement. */
#define FEWEST_STEPS 2

typedef struct BitTable {
  NornRef index, values[2]; /* 0: none yet */
  uint32_t decided;         /* set of the elements whose value is known */
  uint32_t bits;            /* set of those that have the first value */
} BitTable;

static uint32_t
element_bit(uint32_t element) {
  return UINT32_C(1) << (31 - element);
}

/* Assigns a value to those elements of the set that have none yet; false if it is a third one. */
static bool
decide(BitTable *table, uint32_t elements, NornRef value) {
  unsigned k = !table->values[0] || value == table->values[0] ? 0 : 1;
  if (!norn_is_constant(value) || (table->values[k] && value != table->values[k]))
    return false;
  table->values[k] = value;
  table->bits |= k ? 0 : elements & ~table->decided;
  table->decided |= elements;
  return true;
}

/* Finds the constant that the condition compares the index with; false if it does not. */
static bool
read_step(const Simplifier *simplifier, NornRef condition, NornRef *index, uint64_t *element) {
  const NornInst *compare =
      norn_simplify_definition_by(simplifier->function, condition, NORN_OP_ICMP);
  if (!compare || compare->modifier != NORN_INT_CONDITION_EQ || compare->type != NORN_TYPE_I32)
    return false;
  NornRef constant = norn_simplify_operand(simplifier, compare, 1);
  *index = norn_simplify_operand(simplifier, compare, 0);
  *element =
      norn_is_constant(constant) ? norn_constant_bits(simplifier->module, constant) : UINT64_MAX;
  return *element < 32;
}

/* Finds the word whose bits the condition tests by the index; false if it does not. */
static bool
read_bits(const Simplifier *simplifier, NornRef condition, NornRef index, uint32_t *bits) {
  const NornFunction *function = simplifier->function;
  const NornInst *compare = norn_simplify_definition_by(function, condition, NORN_OP_ICMP);
  if (!compare || compare->modifier != NORN_INT_CONDITION_SLT ||
      !norn_simplify_is_constant_of(simplifier, norn_simplify_operand(simplifier, compare, 1), 0))
    return false;
  const NornInst *shift = norn_simplify_definition_by(
      function, norn_simplify_operand(simplifier, compare, 0), NORN_OP_SHL);
  if (!shift || shift->type != NORN_TYPE_I32 ||
      norn_simplify_operand(simplifier, shift, 1) != index ||
      !norn_is_constant(norn_simplify_operand(simplifier, shift, 0)))
    return false;
  *bits =
      (uint32_t)norn_constant_bits(simplifier->module, norn_simplify_operand(simplifier, shift, 0));
  return true;
}

/* Reads a chain from its front. Returns its length, or 0 if it is not a table. */
static unsigned
read_table(const Simplifier *simplifier, const NornInst *select, uint32_t all, BitTable *table) {
  NornType type = (NornType)select->type;
  for (unsigned steps = 1; steps <= 32; steps++) {
    NornRef condition = norn_simplify_operand(simplifier, select, 0), index;
    NornRef yes = norn_simplify_operand(simplifier, select, 1),
            no = norn_simplify_operand(simplifier, select, 2);
    uint64_t element;
    uint32_t bits;
    if (read_bits(simplifier, condition, table->index, &bits))
      return decide(table, bits & all, yes) && decide(table, all, no) ? steps + FEWEST_STEPS : 0;
    if (!read_step(simplifier, condition, &index, &element) || index != table->index ||
        !decide(table, element_bit((uint32_t)element), yes))
      return 0;
    if (norn_is_constant(no))
      return decide(table, all, no) ? steps : 0;
    select = norn_simplify_definition_by(simplifier->function, no, NORN_OP_SELECT);
    if (!select || select->type != type)
      return 0;
  }
  return 0;
}

Outcome
norn_simplify_table(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *select = norn_inst(function, index);
  BitTable table = {0};
  uint64_t element;
  if (!read_step(simplifier, norn_simplify_operand(simplifier, select, 0), &table.index, &element))
    return UNCHANGED;
  uint64_t maximum = norn_greatest_integer(function, simplifier->dominance,
                                           &simplifier->replacements, table.index, NORN_TYPE_I32);
  if (maximum >= 32 ||
      read_table(simplifier, select, UINT32_MAX << (31 - maximum), &table) < FEWEST_STEPS ||
      !table.values[1])
    return UNCHANGED;
  NornBuilder builder = norn_builder_before(function, index);
  NornRef sign =
      norn_build_shl(&builder, NORN_TYPE_I32, norn_build_bits(&builder, table.bits), table.index);
  NornRef condition = norn_build_icmp(&builder, NORN_INT_CONDITION_SLT, NORN_TYPE_I32, sign,
                                      norn_build_bits(&builder, 0));
  NornRef operands[3] = {condition, table.values[0], table.values[1]};
  norn_inst_set_operands(function, index, operands, 3);
  return REWRITTEN;
}

/* The word, only one bit of which may be set, that the operand is converted from; 0 if there is
 * none. */
static NornRef
single_bit(const Simplifier *simplifier, NornRef ref, uint64_t *bit) {
  const NornFunction *function = simplifier->function;
  const NornInst *number = norn_defining_inst(function, ref);
  if (!number || (number->op != NORN_OP_SITOFP && number->op != NORN_OP_UITOFP) ||
      number->source_type != NORN_TYPE_I32)
    return 0;
  NornRef word = norn_simplify_operand(simplifier, number, 0);
  const NornInst *mask = norn_simplify_definition_by(function, word, NORN_OP_AND);
  if (!mask || !norn_is_constant(norn_simplify_operand(simplifier, mask, 1)))
    return 0;
  *bit = norn_constant_bits(simplifier->module, norn_simplify_operand(simplifier, mask, 1));
  return *bit && !(*bit & (*bit - 1)) && *bit < UINT32_C(1) << 24 ? word : 0;
}

/* Arithmetic on constants and a number only one bit of which may be set selects one of two
 * constants. */
Outcome
norn_simplify_bit(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  (void)replacement;
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef word = 0, operands[3];
  unsigned place = 0;
  uint64_t bit = 0;
  if (inst->type != NORN_TYPE_F32)
    return UNCHANGED;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    operands[k] = norn_operand(function, index, k);
    if (norn_is_constant(operands[k]))
      continue;
    if (word || !(word = single_bit(simplifier, operands[k], &bit)))
      return UNCHANGED;
    place = k;
  }
  if (!word)
    return UNCHANGED;
  NornRef results[2];
  unsigned op = inst->op, count = inst->operand_count;
  for (unsigned k = 0; k < 2; k++) {
    operands[place] = norn_simplify_constant(
        simplifier, norn_float_from_double(NORN_FLOAT_32, k ? (double)bit : 0));
    results[k] = norn_simplify_insert(simplifier, index, op, 0, operands, count);
  }
  NornBuilder builder = norn_builder_before(function, index);
  NornRef condition = norn_build_icmp(&builder, NORN_INT_CONDITION_NE, NORN_TYPE_I32, word,
                                      norn_build_bits(&builder, 0));
  NornRef choice[3] = {condition, results[1], results[0]};
  norn_simplify_rewrite(simplifier, index, NORN_OP_SELECT, choice, 3);
  return REWRITTEN;
}
