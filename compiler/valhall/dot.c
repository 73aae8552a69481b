/* Sums with products of small numbers, as dot products of bytes.
 *
 * A product of integers takes an instruction, on the slowest unit, and its sum with another number
 * a second one. IDP adds four products of bytes to a number at once. So numbers that are bytes of a
 * register, or that are known to be less than 256, are multiplied by constants as they are added:
 * weights of colors, positions in a workgroup, elements of rows. */
#include "compiler/valhall/valhall.h"
#include "ir/analysis/ranges.h"

enum { MAX_TERMS = 12, MAX_DEPTH = 6, MAX_BYTE = 255 };

/* A number of at most 8 bits in a byte of a register. */
typedef struct SmallNumber {
  NornRef base; /* 0: it is not one; of the kind NORN_REF_NONE: a preloaded register */
  unsigned byte;
  bool is_whole; /* the other bytes are 0 */
} SmallNumber;

/* One of the numbers that are added, or a small number times a factor. */
typedef struct ByteTerm {
  NornRef ref; /* 0: the product has no value of its own */
  NornRef value;
  SmallNumber number; /* the value, if it is one */
  unsigned factor;
  NornRef second;  /* a byte 0 that is the factor instead, or 0 */
  bool is_product; /* takes an instruction unless it becomes part of a dot product */
  bool is_subtracted;
  bool is_negated; /* the factor is the negated constant; `ref` is the product with that itself */
  bool is_used;
} ByteTerm;

typedef struct ByteSum {
  NornSelector *selector;
  uint32_t inst;
  ByteTerm terms[MAX_TERMS];
  unsigned count;
  NornRef result; /* of the terms that were added so far, or 0 */
} ByteSum;

/* Terms that become one dot product. */
typedef struct ByteGroup {
  NornRef base, factors; /* a register, or 0 for the constant */
  uint32_t constant;
  unsigned members; /* a bit for each term */
  bool is_subtracted;
  int saved; /* instructions */
} ByteGroup;

/* --- Small numbers --- */

static bool
is_small(const NornSelector *selector, NornRef ref) {
  return norn_greatest_integer(selector->function,
                               norn_pass_dominance(selector->context, selector->function),
                               &selector->replacements, ref, NORN_TYPE_I32) <= MAX_BYTE;
}

static SmallNumber
small_number(const NornSelector *selector, NornRef ref) {
  NornRef base;
  unsigned part;
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return (SmallNumber){0};
  if (norn_valhall_subword(selector, ref, false, &base, &part) &&
      (norn_ref_kind(base) == NORN_REF_VALUE || norn_ref_kind(base) == NORN_REF_NONE)) {
    /* The other half of the register of the position along z is undefined. */
    if (base == norn_ref(NORN_REF_NONE, NORN_VALHALL_PRELOAD_LOCAL_ID_Z))
      return (SmallNumber){0};
    unsigned first, count;
    norn_valhall_subword_bits(part, &first, &count);
    if (count == 8 || is_small(selector, ref))
      return (SmallNumber){base, first / 8, false};
  }
  return is_small(selector, ref) ? (SmallNumber){ref, 0, true} : (SmallNumber){0};
}

/* --- Terms --- */

/* The constant that the instruction multiplies by, at most MAX_BYTE and perhaps negated; otherwise
 * 0. */
static unsigned
factor_of(const NornSelector *selector, const NornInst *inst, bool *is_negated) {
  uint64_t bits;
  *is_negated = false;
  if (inst->type != NORN_TYPE_I32 || (inst->op != NORN_OP_IMUL && inst->op != NORN_OP_SHL) ||
      !norn_select_constant(selector, norn_valhall_operand_of(selector, inst, 1), &bits))
    return 0;
  if (inst->op == NORN_OP_SHL)
    return bits < 8 ? 1u << bits : 0;
  *is_negated = (uint32_t)-bits <= MAX_BYTE;
  bits = *is_negated ? (uint32_t)-bits : bits;
  return bits <= MAX_BYTE ? (unsigned)bits : 0;
}

/* A product of two small numbers, of which one is alone in its register. */
static bool
describe_product(const NornSelector *selector, const NornInst *inst, ByteTerm *term) {
  if (inst->op != NORN_OP_IMUL || inst->type != NORN_TYPE_I32)
    return false;
  SmallNumber numbers[2];
  for (unsigned k = 0; k < 2; k++) {
    numbers[k] = small_number(selector, norn_valhall_operand_of(selector, inst, k));
    if (!numbers[k].base)
      return false;
  }
  unsigned whole = numbers[1].is_whole;
  if (!numbers[whole].is_whole || numbers[1 - whole].byte != 0)
    return false;
  term->number = numbers[1 - whole];
  term->second = numbers[whole].base;
  term->is_product = true;
  return true;
}

/* Whether products can be among the terms of the sum; cheap. */
static bool
has_products(const NornSelector *selector, const NornInst *inst, unsigned depth) {
  if (inst->type != NORN_TYPE_I32)
    return false;
  if (inst->op == NORN_OP_IMUL || inst->op == NORN_OP_SHL)
    return depth > 0;
  for (unsigned k = 0; k < 2 && depth < MAX_DEPTH; k++) {
    if (inst->op != NORN_OP_IADD && inst->op != NORN_OP_ISUB)
      break;
    NornRef ref = norn_valhall_operand_of(selector, inst, k);
    const NornInst part = norn_select_definition(selector, ref);
    if (norn_select_is_only_use(selector, ref) && has_products(selector, &part, depth + 1))
      return true;
  }
  return false;
}

static bool gather(ByteSum *sum, NornRef ref, bool is_subtracted, unsigned scale, unsigned depth);

/* The terms of a sum or difference times `scale`; false if there are too many, or none of them is a
 * small number or, if they are scaled, any of them is not. */
static bool
gather_parts(ByteSum *sum, const NornInst *inst, bool is_subtracted, unsigned scale,
             unsigned depth) {
  unsigned first = sum->count, small = 0, constants = 0;
  for (unsigned k = 0; k < 2; k++)
    if (!gather(sum, norn_valhall_operand_of(sum->selector, inst, k),
                is_subtracted ^ (k && inst->op == NORN_OP_ISUB), scale, depth + 1))
      return false;
  for (unsigned k = first; k < sum->count; k++) {
    small += sum->terms[k].number.base != 0;
    constants += norn_is_constant(sum->terms[k].ref);
  }
  return small && (scale == 1 || small + constants == sum->count - first);
}

/* Takes apart a sum and those of its parts that have no other use, times `scale`. A part without
 * small numbers remains whole. Returns false if there are too many terms. */
static bool
gather(ByteSum *sum, NornRef ref, bool is_subtracted, unsigned scale, unsigned depth) {
  NornSelector *selector = sum->selector;
  NornInst inst = norn_select_definition(selector, ref);
  unsigned first = sum->count;
  bool is_only_use = !depth || norn_select_is_only_use(selector, ref), is_negated;
  ByteTerm term = {.ref = ref, .value = ref, .factor = 1, .is_subtracted = is_subtracted};
  unsigned factor = is_only_use ? factor_of(selector, &inst, &is_negated) : 0;
  if (factor && factor * scale <= MAX_BYTE) {
    /* A mask and a shift take one instruction. */
    NornRef value = norn_valhall_operand_of(selector, &inst, 0);
    const NornInst inner = norn_select_definition(selector, value);
    bool is_masked = inst.op == NORN_OP_SHL && inner.op == NORN_OP_AND;
    if (norn_select_is_only_use(selector, value) && depth < MAX_DEPTH &&
        (inner.op == NORN_OP_IADD || inner.op == NORN_OP_ISUB) &&
        gather_parts(sum, &inner, is_subtracted ^ is_negated, factor * scale, depth + 1))
      return true;
    sum->count = first;
    term.number = small_number(selector, value);
    if (term.number.base) {
      term.value = value;
      term.factor = factor;
      term.is_subtracted ^= is_negated;
      term.is_negated = is_negated;
      term.is_product = !is_masked;
    }
  } else if ((inst.op == NORN_OP_IADD || inst.op == NORN_OP_ISUB) && is_only_use &&
             inst.type == NORN_TYPE_I32 && depth < MAX_DEPTH) {
    if (gather_parts(sum, &inst, is_subtracted, scale, depth))
      return true;
    sum->count = first;
  }
  if (sum->count == MAX_TERMS)
    return false;
  uint64_t bits;
  if (!term.number.base && !(is_only_use && scale == 1 && describe_product(selector, &inst, &term)))
    term.number = small_number(selector, ref);
  if (scale > 1) {
    term.ref =
        norn_select_constant(selector, ref, &bits) ? norn_select_word(selector, bits * scale) : 0;
    term.factor *= scale;
    term.is_product = true;
  }
  sum->terms[sum->count++] = term;
  return true;
}

/* --- Groups --- */

/* The group that begins with a term: further terms that are bytes of the same register. */
static ByteGroup
group_of(const ByteSum *sum, unsigned first) {
  const ByteTerm *leader = &sum->terms[first];
  ByteGroup group = {.base = leader->number.base,
                     .factors = leader->second,
                     .is_subtracted = leader->is_subtracted};
  const ByteTerm *rest = NULL; /* the only other term that is added */
  int members = 0, products = 0, others = 0;
  for (unsigned k = 0; k < sum->count; k++) {
    const ByteTerm *term = &sum->terms[k];
    unsigned shift = term->number.byte * 8;
    if (k >= first && !term->is_used && term->number.base == group.base &&
        term->is_subtracted == group.is_subtracted &&
        (k == first || (!group.factors && !term->second)) &&
        (group.constant >> shift & MAX_BYTE) + term->factor <= MAX_BYTE) {
      group.constant += term->factor << shift;
      group.members |= 1u << k;
      members++;
      products += term->is_product;
    } else if (!term->is_subtracted) {
      others++;
      rest = term;
    }
  }
  /* A dot product saves no addition if it is subtracted, if nothing else is added, or if that is a
   * part of a register, which only an addition can read. */
  bool is_part = others == 1 && !rest->is_product && rest->number.base && !rest->number.is_whole;
  group.saved = members + products - 1 - (group.is_subtracted || !others || is_part);
  return group;
}

static bool
find_group(const ByteSum *sum, ByteGroup *best) {
  *best = (ByteGroup){0};
  for (unsigned k = 0; k < sum->count; k++) {
    if (sum->terms[k].is_used || !sum->terms[k].number.base)
      continue;
    ByteGroup group = group_of(sum, k);
    if (group.saved > best->saved)
      *best = group;
  }
  return best->saved > 0;
}

/* --- The sum --- */

/* Adds or subtracts a number. */
static void
add(ByteSum *sum, NornRef ref, bool is_subtracted) {
  if (!sum->result && !is_subtracted) {
    sum->result = ref;
    return;
  }
  NornValhallInst machine = norn_valhall_begin(
      sum->selector, sum->inst, is_subtracted ? NORN_VALHALL_ISUB_U32 : NORN_VALHALL_IADD_U32);
  if (sum->result)
    norn_valhall_source(&machine, sum->result, NORN_VALHALL_UNSIGNED, NORN_TYPE_I32);
  else
    norn_valhall_constant(&machine, 0);
  norn_valhall_source(&machine, ref, NORN_VALHALL_UNSIGNED, NORN_TYPE_I32);
  sum->result = norn_valhall_emit(&machine, 1);
}

/* Adds or subtracts a term that is not in any group. */
static void
add_term(ByteSum *sum, const ByteTerm *term) {
  NornRef ref = term->ref;
  if (!ref) {
    NornValhallInst machine = norn_valhall_begin(sum->selector, sum->inst, NORN_VALHALL_IMUL_I32);
    norn_valhall_source(&machine, term->value, NORN_VALHALL_UNSIGNED, NORN_TYPE_I32);
    norn_valhall_constant(&machine, term->factor);
    ref = norn_valhall_emit(&machine, 1);
  }
  add(sum, ref, term->is_subtracted);
}

static void
add_group(ByteSum *sum, const ByteGroup *group) {
  NornSelector *selector = sum->selector;
  NornRef accumulator = group->is_subtracted ? 0 : sum->result;
  NornValhallInst machine = norn_valhall_begin(selector, sum->inst, NORN_VALHALL_IDP_V4U8);
  norn_valhall_plain(&machine, norn_valhall_register_of(selector, group->base));
  if (group->factors)
    norn_valhall_plain(&machine, norn_valhall_register_of(selector, group->factors));
  else
    norn_valhall_constant(&machine, group->constant);
  if (accumulator)
    norn_valhall_plain(&machine, accumulator);
  else
    norn_valhall_constant(&machine, 0);
  NornRef result = norn_valhall_emit(&machine, 1);
  if (group->is_subtracted)
    add(sum, result, true);
  else
    sum->result = result;
}

bool
norn_valhall_select_dot(NornSelector *selector, uint32_t inst) {
  NornFunction *function = selector->function;
  const NornInst self = *norn_inst(function, inst);
  ByteSum sum = {.selector = selector, .inst = inst};
  ByteGroup groups[MAX_TERMS];
  unsigned count = 0;
  if (!has_products(selector, &self, 0) || !norn_valhall_has(selector, NORN_VALHALL_IDP_V4U8) ||
      !gather(&sum, norn_result(function, inst, 0), false, 1, 0))
    return false;
  while (find_group(&sum, &groups[count])) {
    for (unsigned k = 0; k < sum.count; k++)
      sum.terms[k].is_used |= groups[count].members >> k & 1;
    count++;
  }
  if (!count)
    return false;
  for (unsigned k = 0; k < sum.count; k++)
    if (!sum.terms[k].is_used && sum.terms[k].ref && sum.terms[k].is_negated)
      sum.terms[k].is_subtracted ^= true;
  for (unsigned is_subtracted = 0; is_subtracted < 2; is_subtracted++)
    for (unsigned k = 0; k < sum.count; k++)
      if (!sum.terms[k].is_used && sum.terms[k].is_subtracted == is_subtracted)
        add_term(&sum, &sum.terms[k]);
  for (unsigned is_subtracted = 0; is_subtracted < 2; is_subtracted++)
    for (unsigned k = 0; k < count; k++)
      if (groups[k].is_subtracted == is_subtracted)
        add_group(&sum, &groups[k]);
  norn_select_same(selector, inst, sum.result);
  return true;
}
