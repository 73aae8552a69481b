/* Bits of one value that are extracted separately and recombined, such as in the index of a
 * component of a vector in an array of vectors: (i >> 2 << 4) + ((i & 3) << 2) is i << 2; and bits
 * that are reversed by exchanging neighbors. */
#include "ir/analysis/ranges.h"
#include "passes/optimize/algebra.h"
#include "passes/optimize/simplify.h"

#define MAX_STEPS 4 /* shifts and masks that compute one part */

/* Shifted bits of a value. */
typedef struct BitField {
  NornRef base;
  int shift;     /* left, or right if negative */
  uint64_t mask; /* bits of the result that may be set; the others are 0 */
} BitField;

/* Looks through one shift or mask that computes the part. Returns whether there is one. */
static bool
look_through(const Simplifier *simplifier, BitField *field, NornType type) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = norn_defining_inst(function, field->base);
  if (!inst || (inst->op != SHL && inst->op != LSHR && inst->op != AND))
    return false;
  NornRef right = norn_simplify_resolve(simplifier, norn_operands(function, inst)[1]);
  if (!norn_is_constant(right))
    return false;
  uint64_t constant = norn_constant_bits(simplifier->module, right), full = norn_type_mask(type);
  if (inst->op != AND && constant >= norn_type_bits(type))
    return false;
  uint64_t set = inst->op == AND ? constant : inst->op == SHL ? full << constant : full >> constant;
  set &= full;
  field->mask &= field->shift >= 0 ? set << field->shift : set >> -field->shift;
  field->shift += inst->op == AND ? 0 : inst->op == SHL ? (int)constant : -(int)constant;
  field->base = norn_simplify_resolve(simplifier, norn_operands(function, inst)[0]);
  return field->mask != 0;
}

/* Whether the value consists of shifted bits of another one. */
static bool
describe(const Simplifier *simplifier, NornRef ref, NornType type, BitField *field) {
  *field = (BitField){.base = ref, .mask = norn_type_mask(type)};
  for (unsigned step = 0; step < MAX_STEPS; step++)
    if (!look_through(simplifier, field, type))
      break;
  return field->mask && field->base != ref;
}

/* The sum of two parts that share no bit, if they are bits of one value with the same shift; else
 * 0. */
static NornRef
join(Simplifier *simplifier, uint32_t index, NornRef left, NornRef right) {
  NornType type = norn_inst(simplifier->function, index)->type;
  BitField low, high;
  if (!describe(simplifier, left, type, &low) || !describe(simplifier, right, type, &high) ||
      low.base != high.base || low.shift != high.shift || low.mask & high.mask)
    return 0;
  uint64_t mask = low.mask | high.mask, full = norn_type_mask(type);
  unsigned amount = (unsigned)ABS(low.shift);
  uint64_t all = low.shift >= 0 ? full << amount & full : full >> amount;
  NornRef ref = low.base;
  if (amount)
    ref = norn_simplify_insert(simplifier, index, low.shift > 0 ? SHL : LSHR, 0,
                               (NornRef[]){ref, norn_simplify_constant(simplifier, amount)}, 2);
  if (mask != all)
    ref = norn_simplify_insert(simplifier, index, AND, 0,
                               (NornRef[]){ref, norn_simplify_constant(simplifier, mask)}, 2);
  return ref;
}

/* The same if one of the parts was added to something else: (a + left) + right. */
static Outcome
join_with_inner(Simplifier *simplifier, uint32_t index, unsigned k) {
  NornFunction *function = simplifier->function;
  unsigned op = norn_inst(function, index)->op;
  NornRef part = norn_operand(function, index, 1 - k);
  const NornInst *inner =
      norn_simplify_definition_by(function, norn_operand(function, index, k), op);
  for (unsigned n = 0; inner && n < 2; n++) {
    NornRef other = norn_simplify_resolve(simplifier, norn_operands(function, inner)[n]);
    NornRef rest = norn_simplify_resolve(simplifier, norn_operands(function, inner)[1 - n]);
    NornRef ref = join(simplifier, index, other, part);
    if (!ref)
      continue;
    norn_simplify_rewrite(simplifier, index, op, (NornRef[]){rest, ref}, 2);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* (a + constant) << amount becomes (a << amount) + constant: neighbors share a << amount. */
static Outcome
shift_before_sum(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  NornRef amount = norn_operand(function, index, 1);
  const NornInst *sum =
      norn_simplify_definition_by(function, norn_operand(function, index, 0), IADD);
  if (!sum || !norn_is_constant(amount) ||
      !norn_simplify_may_make(simplifier, IADD, norn_inst(function, index)->type))
    return UNCHANGED;
  NornRef a = norn_simplify_resolve(simplifier, norn_operands(function, sum)[0]);
  NornRef constant = norn_simplify_resolve(simplifier, norn_operands(function, sum)[1]);
  if (!norn_is_constant(constant) || !norn_simplify_has_one_use(simplifier, sum->result))
    return UNCHANGED;
  bool does_not_wrap =
      norn_inst(function, index)->flags & NORN_INST_NOWRAP &&
      norn_simplify_is_offset((uint32_t)norn_constant_bits(simplifier->module, constant),
                              norn_constant_bits(simplifier->module, amount));
  NornRef parts[2] = {
      norn_simplify_insert(simplifier, index, SHL, 0, (NornRef[]){a, amount}, 2),
      norn_simplify_insert(simplifier, index, SHL, 0, (NornRef[]){constant, amount}, 2)};
  if (does_not_wrap && norn_ref_kind(parts[0]) == NORN_REF_VALUE)
    norn_inst(function, norn_value(function, norn_ref_payload(parts[0]))->def)->flags |=
        NORN_INST_NOWRAP;
  norn_simplify_rewrite(simplifier, index, IADD, parts, 2);
  return REWRITTEN;
}

/* A sum one operand of which is below the lowest bit that the other can have: there are no
 * carries. */
typedef struct DisjointSum {
  NornRef high, low;
  uint64_t limit, greatest; /* of low: it is less than `limit` and at most `greatest` */
} DisjointSum;

static bool
read_disjoint_sum(const Simplifier *simplifier, NornRef ref, DisjointSum *sum) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = norn_simplify_definition_by(function, ref, IADD);
  if (!inst)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    sum->high = norn_simplify_operand(simplifier, inst, k);
    sum->low = norn_simplify_operand(simplifier, inst, 1 - k);
    sum->limit = UINT64_C(1) << norn_known_zeros(function, sum->high);
    if (sum->limit == 1 || norn_is_constant(sum->high))
      continue;
    sum->greatest = norn_greatest_integer(function, simplifier->dominance,
                                          &simplifier->replacements, sum->low, NORN_TYPE_I32);
    if (sum->greatest < sum->limit)
      return true;
  }
  return false;
}

Outcome
norn_simplify_part_of_sum(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornRef ref = norn_operand(function, index, 0), bits = norn_operand(function, index, 1);
  uint64_t b;
  DisjointSum sum;
  if (inst->type != NORN_TYPE_I32 || !norn_simplify_constant_operand(simplifier, inst, 1, &b))
    return UNCHANGED;
  unsigned zeros = inst->op == AND ? norn_known_zeros(function, ref) : 0;
  if (zeros && b >> zeros == 0)
    return norn_simplify_replace(replacement, norn_simplify_constant(simplifier, 0));
  if (zeros && b >> zeros == UINT32_MAX >> zeros)
    return norn_simplify_replace(replacement, ref);
  if ((inst->op != AND && b >= 32) || !read_disjoint_sum(simplifier, ref, &sum))
    return UNCHANGED;
  if (inst->op == AND ? !(b & norn_filled_bits(sum.greatest)) : !(sum.greatest >> b)) {
    norn_set_operand(function, index, 0, sum.high);
    return REWRITTEN;
  }
  if (inst->op == AND) {
    if (b >= sum.limit)
      return UNCHANGED;
    norn_set_operand(function, index, 0, sum.low);
    return REWRITTEN;
  }
  if (!norn_is_constant(sum.low) || !norn_simplify_has_one_use(simplifier, norn_ref_payload(ref)) ||
      !norn_simplify_may_make(simplifier, IADD, NORN_TYPE_I32))
    return UNCHANGED;
  unsigned op = inst->op;
  NornRef parts[2] = {
      norn_simplify_insert(simplifier, index, op, 0, (NornRef[]){sum.high, bits}, 2),
      norn_simplify_insert(simplifier, index, op, 0, (NornRef[]){sum.low, bits}, 2)};
  norn_simplify_rewrite(simplifier, index, IADD, parts, 2);
  return REWRITTEN;
}

/* --- Exchanged bits --- */

#define MAX_EXCHANGES 8

/* Reads the instruction as two parts that share no bit: shifted bits of one value. */
static bool
read_two_parts(const Simplifier *simplifier, const NornInst *inst, BitField parts[2]) {
  NornType type = (NornType)inst->type;
  bool is_selection = inst->op == BITSELECT;
  uint64_t mask = 0;
  if ((!is_selection && inst->op != OR && inst->op != XOR && inst->op != IADD) ||
      (is_selection && !norn_simplify_constant_operand(simplifier, inst, 0, &mask)))
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef ref = norn_simplify_operand(simplifier, inst, is_selection + k);
    if (!describe(simplifier, ref, type, &parts[k]))
      return false;
    if (is_selection)
      parts[k].mask &= k ? ~mask : mask;
  }
  return parts[0].base == parts[1].base && !(parts[0].mask & parts[1].mask);
}

/* If bit i of the value is bit i ^ d of another one, as in exchanges of neighboring groups of d
 * bits, returns that one; else 0. */
static NornRef
exchanged_bits(const Simplifier *simplifier, NornRef ref, NornType type, unsigned *distance) {
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  unsigned width = norn_type_bits(type);
  if (!inst || norn_is_machine(inst) || inst->type != type)
    return 0;
  if (inst->op == BITREVERSE) {
    *distance = width - 1;
    return norn_simplify_operand(simplifier, inst, 0);
  }
  if (inst->op == ROTL || inst->op == ROTR) {
    *distance = width / 2;
    return norn_simplify_is_constant_of(simplifier, norn_simplify_operand(simplifier, inst, 1),
                                        width / 2)
               ? norn_simplify_operand(simplifier, inst, 0)
               : 0;
  }
  BitField parts[2];
  if (!read_two_parts(simplifier, inst, parts) || parts[0].shift != -parts[1].shift)
    return 0;
  unsigned to_left = parts[0].shift < 0, shift = (unsigned)parts[to_left].shift;
  if (!shift || shift & (shift - 1))
    return 0;
  uint64_t low_groups = norn_type_mask(type) / ((UINT64_C(1) << shift) + 1);
  *distance = shift;
  return parts[1 - to_left].mask == low_groups && parts[to_left].mask == low_groups << shift
             ? parts[0].base
             : 0;
}

/* Whether the target reverses bits; there is no lowering for words. */
static bool
can_reverse(const Simplifier *simplifier, NornType type) {
  const NornTarget *target = simplifier->context->target;
  const NornInst word = {.op = BITREVERSE, .type = NORN_TYPE_I32};
  return target->supports(target, simplifier->function, &word) &&
         norn_simplify_may_make(simplifier, BITREVERSE, type);
}

/* Several exchanges of neighboring bits, of pairs of bits and so on reverse all bits, or those of
 * each half, or have no effect. */
static NornRef
reverse_bits(Simplifier *simplifier, uint32_t index) {
  NornType type = (NornType)norn_inst(simplifier->function, index)->type;
  NornRef ref = norn_ref(NORN_REF_VALUE, norn_inst(simplifier->function, index)->result), base;
  unsigned width = norn_type_bits(type), steps = 0, distance = 0, step;
  for (; steps < MAX_EXCHANGES && (base = exchanged_bits(simplifier, ref, type, &step)); steps++) {
    ref = base;
    distance ^= step;
  }
  bool reverses = distance == width - 1 || distance == width / 2 - 1;
  bool rotates = distance == width / 2 || distance == width / 2 - 1;
  if (steps <= (unsigned)reverses + rotates || (distance && !reverses && !rotates) ||
      (reverses && !can_reverse(simplifier, type)) ||
      (rotates && !norn_simplify_may_make(simplifier, ROTL, type)))
    return 0;
  if (reverses)
    ref = norn_simplify_insert(simplifier, index, BITREVERSE, 0, &ref, 1);
  NornRef operands[2] = {ref, norn_simplify_constant(simplifier, width / 2)};
  return rotates ? norn_simplify_insert(simplifier, index, ROTL, 0, operands, 2) : ref;
}

Outcome
norn_simplify_bits(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  NornType type = inst->type;
  if (inst->op == SHL)
    return shift_before_sum(simplifier, index);
  NornRef reversed = norn_types[type].lanes == 1 ? reverse_bits(simplifier, index) : 0;
  if (reversed)
    return norn_simplify_replace(replacement, reversed);
  if ((inst->op != IADD && inst->op != OR && inst->op != XOR) || norn_types[type].lanes != 1)
    return UNCHANGED;
  const NornRef operands[2] = {norn_operand(function, index, 0), norn_operand(function, index, 1)};
  bool are_bits[2];
  for (unsigned k = 0; k < 2; k++) {
    BitField field;
    are_bits[k] = describe(simplifier, operands[k], type, &field);
  }
  if ((!are_bits[0] && !are_bits[1]) || !norn_simplify_may_make(simplifier, SHL, type) ||
      !norn_simplify_may_make(simplifier, LSHR, type) ||
      !norn_simplify_may_make(simplifier, AND, type))
    return UNCHANGED;
  NornRef ref = are_bits[0] && are_bits[1] ? join(simplifier, index, operands[0], operands[1]) : 0;
  if (ref) {
    norn_move_name(function, ref, norn_inst(function, index)->result);
    return norn_simplify_replace(replacement, ref);
  }
  Outcome outcome = UNCHANGED;
  for (unsigned k = 0; k < 2 && outcome == UNCHANGED; k++)
    if (are_bits[1 - k])
      outcome = join_with_inner(simplifier, index, k);
  return outcome;
}
