/* See ranges.h: the greatest result of an operation by those of its operands. */
#include "ir/analysis/ranges.h"
#include "ir/ops.h"

/* Definitions looked at behind a value. */
#define MOST_STEPS 4

/* No invocation has a position beyond it (doc/ir.md). */
#define GREATEST_POSITION INT32_MAX

typedef struct RangeSearch {
  const NornFunction *function;
  const NornReplacements *replacements; /* or NULL */
} RangeSearch;

static uint64_t greatest(const RangeSearch *search, NornRef ref, NornType type, unsigned steps);

static NornRef
resolve(const RangeSearch *search, NornRef ref) {
  return search->replacements ? norn_replacements_get(search->replacements, ref) : ref;
}

/* Of a position along an axis of so many; 0: not known. */
static uint64_t
greatest_below(uint64_t count) {
  return count && count <= GREATEST_POSITION ? count - 1 : GREATEST_POSITION;
}

/* Of an operation with two operands, whose greatest values are a and b; the second one may be a
 * constant. */
static uint64_t
greatest_of_two(const RangeSearch *search, const NornInst *inst, NornType type, uint64_t a,
                uint64_t b) {
  const NornFunction *function = search->function;
  uint64_t mask = norn_type_mask(type), sum;
  NornRef second = resolve(search, norn_operands(function, inst)[1]);
  bool is_constant = norn_ref_kind(second) == NORN_REF_CONSTANT;
  uint64_t constant = is_constant ? norn_constant_bits(search->function->module, second) : 0;
  unsigned amount = (unsigned)constant & (norn_types[type].lane_bits - 1);
  switch (inst->op) {
  case NORN_OP_AND:
  case NORN_OP_UMIN:
    return MIN(a, b);
  case NORN_OP_OR:
  case NORN_OP_XOR:
    return norn_filled_bits(a | b);
  case NORN_OP_UMAX:
    return MAX(a, b);
  case NORN_OP_SMAX: /* one that is not negative makes the result so */
    return a <= mask >> 1 && b <= mask >> 1   ? MAX(a, b)
           : a <= mask >> 1 || b <= mask >> 1 ? mask >> 1
                                              : mask;
  case NORN_OP_SMIN:
    return a <= mask >> 1 && b <= mask >> 1 ? MIN(a, b) : mask;
  case NORN_OP_IADD:
    return __builtin_add_overflow(a, b, &sum) || sum > mask ? mask : sum;
  case NORN_OP_IMUL:
    return __builtin_mul_overflow(a, b, &sum) || sum > mask ? mask : sum;
  case NORN_OP_SHL:
    return is_constant && a <= mask >> amount ? a << amount : mask;
  case NORN_OP_LSHR:
    return is_constant ? a >> amount : a;
  case NORN_OP_ASHR:
    return a <= mask >> 1 ? is_constant ? a >> amount : a : mask;
  case NORN_OP_UDIV: /* of 0 it is all ones */
    return is_constant && constant ? a / constant : mask;
  case NORN_OP_UREM:
    return is_constant && constant ? MIN(a, constant - 1) : a;
  case NORN_OP_SREM: /* has the dividend's sign */
    return a <= mask >> 1 ? a : mask;
  default:
    return mask;
  }
}

/* Whether the second operand alone can bound the result. */
static bool
is_bounded_by_second(unsigned op) {
  return op == NORN_OP_AND || op == NORN_OP_UMIN || op == NORN_OP_SMAX || op == NORN_OP_LSHR ||
         op == NORN_OP_UDIV || op == NORN_OP_UREM;
}

static uint64_t
greatest_result(const RangeSearch *search, const NornInst *inst, NornType type, unsigned steps) {
  const NornRef *operands = norn_operands(search->function, inst);
  const NornModule *module = search->function->module;
  switch (inst->op) {
  case NORN_OP_GLOBAL_ID:
    return greatest_below((uint64_t)module->grid_limit * module->workgroup[inst->modifier]);
  case NORN_OP_WORKGROUP_ID:
    return greatest_below(module->grid_limit);
  case NORN_OP_LOCAL_ID:
    return greatest_below(module->workgroup[inst->modifier]);
  case NORN_OP_ZEXT:
    return greatest(search, operands[0], (NornType)inst->source_type, steps);
  case NORN_OP_SELECT:
    return MAX(greatest(search, operands[1], type, steps),
               greatest(search, operands[2], type, steps));
  case NORN_OP_ULOAD_GLOBAL:
  case NORN_OP_ULOAD_SHARED:
  case NORN_OP_ULOAD_SCRATCH:
  case NORN_OP_ULOAD_BUFFER:
  case NORN_OP_ULOAD_CONSTANT:
    return norn_type_mask((NornType)inst->source_type);
  case NORN_OP_AND:
  case NORN_OP_OR:
  case NORN_OP_XOR:
  case NORN_OP_UMIN:
  case NORN_OP_UMAX:
  case NORN_OP_SMIN:
  case NORN_OP_SMAX:
  case NORN_OP_IADD:
  case NORN_OP_IMUL:
  case NORN_OP_SHL:
  case NORN_OP_LSHR:
  case NORN_OP_ASHR:
  case NORN_OP_UDIV:
  case NORN_OP_UREM:
  case NORN_OP_SREM:
    break;
  default:
    return norn_type_mask(type);
  }
  uint64_t first = greatest(search, operands[0], type, steps);
  if (first == norn_type_mask(type) && !is_bounded_by_second(inst->op))
    return first;
  return greatest_of_two(search, inst, type, first, greatest(search, operands[1], type, steps));
}

/* The greatest value, without sign, of `ref` as a scalar integer of that type. */
static uint64_t
greatest(const RangeSearch *search, NornRef ref, NornType type, unsigned steps) {
  uint64_t mask = norn_type_mask(type);
  ref = resolve(search, ref);
  if (norn_ref_kind(ref) == NORN_REF_CONSTANT)
    return norn_constant_bits(search->function->module, ref) & mask;
  const NornInst *inst = norn_defining_inst(search->function, ref);
  if (!inst || norn_is_machine(inst) || !steps || norn_types[type].lanes != 1 ||
      norn_types[type].class != NORN_CLASS_INT)
    return mask;
  return MIN(greatest_result(search, inst, type, steps - 1), mask);
}

uint64_t
norn_greatest_integer(const NornFunction *function, const NornReplacements *replacements,
                      NornRef ref, NornType type) {
  RangeSearch search = {function, replacements};
  return greatest(&search, ref, type, MOST_STEPS);
}

static unsigned
zeros_of(const NornFunction *function, NornRef ref, unsigned steps) {
  if (norn_ref_kind(ref) == NORN_REF_CONSTANT) {
    uint32_t bits = (uint32_t)norn_constant_bits(function->module, ref);
    return bits ? (unsigned)__builtin_ctz(bits) : 32;
  }
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || norn_is_machine(inst) || !steps)
    return 0;
  if (inst->op == NORN_OP_ALLOCA)
    return (unsigned)__builtin_ctz(NORN_ALLOCA_ALIGNMENT);
  if (inst->type != NORN_TYPE_I32 || inst->operand_count != 2)
    return 0;
  const NornRef *operands = norn_operands(function, inst);
  unsigned a = zeros_of(function, operands[0], steps - 1);
  unsigned b = zeros_of(function, operands[1], steps - 1);
  bool is_constant = norn_ref_kind(operands[1]) == NORN_REF_CONSTANT;
  switch (inst->op) {
  case NORN_OP_IADD:
  case NORN_OP_ISUB:
  case NORN_OP_OR:
  case NORN_OP_XOR:
    return MIN(a, b);
  case NORN_OP_AND:
    return MAX(a, b);
  case NORN_OP_IMUL:
    return MIN(a + b, 32);
  case NORN_OP_SHL:
    return is_constant
               ? MIN(a + (unsigned)norn_constant_bits(function->module, operands[1]) % 32, 32)
               : a;
  default:
    return 0;
  }
}

unsigned
norn_known_zeros(const NornFunction *function, NornRef ref) {
  return zeros_of(function, ref, MOST_STEPS);
}
