/* See ranges.h. The greatest result of an operation is computed from those of its operands.
 *
 * The range of a block parameter is found by induction over the executions of the block. A limit is
 * guessed from the arguments of the forward edges and from the tests that guard the back edges. If
 * no back edge then exceeds the limit, it holds. */
#include "ir/analysis/ranges.h"
#include "ir/analysis/dominance.h"
#include "ir/ops.h"

/* How many definitions are looked through one after the other, and in all. */
#define MAX_STEPS 4
#define MAX_VISITS 256

/* Limits on: parameters that depend on each other, where the last one is in a loop header, and
 * otherwise; edges to a parameter's block; tests combined on an edge. */
#define MAX_ASSUMPTIONS 4
#define MAX_MERGES 2
#define MAX_PREDECESSORS 4
#define MAX_TESTS 3

/* No invocation has a greater position (doc/ir.md). */
#define MAX_POSITION INT32_MAX

/* The greatest coordinate of a pixel; the position of a fragment is less than 1 from it. */
#define MAX_PIXEL UINT16_MAX

/* No value of the parameter has been greater so far. */
typedef struct Assumption {
  uint32_t parameter;
  uint64_t greatest;
} Assumption;

typedef struct RangeSearch {
  const NornFunction *function;
  const NornDominance *dominance;       /* or NULL */
  const NornReplacements *replacements; /* or NULL */
  Assumption assumptions[MAX_ASSUMPTIONS];
  unsigned assumption_count;
  unsigned visits; /* definitions looked through so far */
} RangeSearch;

static uint64_t greatest(RangeSearch *search, NornRef ref, NornType type, unsigned steps);

static NornRef
resolve(const RangeSearch *search, NornRef ref) {
  return search->replacements ? norn_replacements_get(search->replacements, ref) : ref;
}

/* The greatest position along an axis with `count` positions; 0: unknown. */
static uint64_t
greatest_below(uint64_t count) {
  return count && count <= MAX_POSITION ? count - 1 : MAX_POSITION;
}

/* The number of invocations in a workgroup; 0: unknown. */
static uint64_t
invocations(const NornModule *module) {
  return (uint64_t)module->workgroup[0] * module->workgroup[1] * module->workgroup[2];
}

/* The same for the conversion of a float, if that is a position of a fragment. */
static uint64_t
greatest_of_pixel(const RangeSearch *search, const NornInst *inst, NornType type) {
  const NornFunction *function = search->function;
  const NornInst *place =
      norn_defining_inst(function, resolve(search, norn_operands(function, inst)[0]));
  bool is_position = place && place->op == NORN_OP_FRAG_COORD &&
                     (place->modifier == NORN_COMPONENT_X || place->modifier == NORN_COMPONENT_Y);
  bool goes_down = inst->modifier == NORN_ROUND_RTZ || inst->modifier == NORN_ROUND_RTN;
  return is_position ? MAX_PIXEL + !goes_down : norn_type_mask(type);
}

/* The greatest result of an operation with two operands, given their greatest values a and b; the
 * second operand may be a constant. */
static uint64_t
greatest_of_two(const RangeSearch *search, const NornInst *inst, NornType type, uint64_t a,
                uint64_t b) {
  const NornFunction *function = search->function;
  uint64_t mask = norn_type_mask(type), sum;
  NornRef second = resolve(search, norn_operands(function, inst)[1]);
  bool is_constant = norn_is_constant(second);
  uint64_t constant = is_constant ? norn_constant_bits(search->function->module, second) : 0;
  unsigned amount = (unsigned)constant & (norn_types[type].lane_bits - 1);
  switch (inst->op) {
#define RANGE(op, by, value)                                                                       \
  case NORN_OP_##op:                                                                               \
    return value;
#include "ir/analysis/ranges.def"
#undef RANGE
  default:
    return mask;
  }
}

/* Which operands can bound the result of an operation with two operands. */
typedef enum { BY_FIRST, BY_EITHER } RangeBounds;

static uint64_t
greatest_result(RangeSearch *search, const NornInst *inst, NornType type, unsigned steps) {
  const NornRef *operands = norn_operands(search->function, inst);
  const NornModule *module = search->function->module;
  RangeBounds bounds;
  switch (inst->op) {
  case NORN_OP_GLOBAL_ID:
    return greatest_below((uint64_t)module->grid_limit * module->workgroup[inst->modifier]);
  case NORN_OP_WORKGROUP_ID:
    return greatest_below(module->grid_limit);
  case NORN_OP_LOCAL_ID:
    return greatest_below(module->workgroup[inst->modifier]);
  case NORN_OP_LOCAL_INDEX:
    return greatest_below(invocations(module));
  case NORN_OP_SUBGROUP_ID:
    return greatest_below(invocations(module)) / NORN_SUBGROUP_LANES;
  case NORN_OP_LANE_ID:
    return NORN_SUBGROUP_LANES - 1;
  case NORN_OP_BALLOT:
    return (1u << NORN_SUBGROUP_LANES) - 1;
  case NORN_OP_POPCOUNT:
    return norn_types[type].lane_bits;
  case NORN_OP_ZEXT:
    return greatest(search, operands[0], (NornType)inst->source_type, steps);
  case NORN_OP_FPTOSI:
  case NORN_OP_FPTOUI:
    return greatest_of_pixel(search, inst, type);
  case NORN_OP_SELECT:
    return MAX(greatest(search, operands[1], type, steps),
               greatest(search, operands[2], type, steps));
  case NORN_OP_ULOAD_GLOBAL:
  case NORN_OP_ULOAD_SHARED:
  case NORN_OP_ULOAD_SCRATCH:
  case NORN_OP_ULOAD_BUFFER:
  case NORN_OP_ULOAD_CONSTANT:
    return norn_type_mask((NornType)inst->source_type);
#define RANGE(op, by, value)                                                                       \
  case NORN_OP_##op:                                                                               \
    bounds = by;                                                                                   \
    break;
#include "ir/analysis/ranges.def"
#undef RANGE
  default:
    return norn_type_mask(type);
  }
  uint64_t first = greatest(search, operands[0], type, steps);
  if (first == norn_type_mask(type) && bounds != BY_EITHER)
    return first;
  return greatest_of_two(search, inst, type, first, greatest(search, operands[1], type, steps));
}

/* --- Parameters of blocks --- */

/* An argument and the edge that passes it. */
typedef struct RangeArgument {
  NornRef ref;
  NornType type;
  NornRef condition; /* of the branch, or 0 */
  bool holds;        /* whether the condition holds on this edge */
} RangeArgument;

/* What an operation subtracts by adding a negative constant; 0: nothing. */
static uint64_t
taken_from(const RangeSearch *search, const NornInst *inst, NornType type) {
  if (!inst || inst->op != NORN_OP_IADD || inst->type != type)
    return 0;
  NornRef second = resolve(search, norn_operands(search->function, inst)[1]);
  uint64_t mask = norn_type_mask(type);
  if (!norn_is_constant(second))
    return 0;
  uint64_t constant = norn_constant_bits(search->function->module, second) & mask;
  return constant > mask >> 1 ? mask - constant + 1 : 0;
}

/* The greatest that a value, at most `max`, can be if it is not negative. */
static uint64_t
greatest_of_positive(RangeSearch *search, NornRef ref, NornType type, uint64_t max) {
  uint64_t positive = norn_type_mask(type) >> 1;
  const NornInst *inst = norn_defining_inst(search->function, ref);
  uint64_t taken = taken_from(search, inst, type);
  if (inst && inst->op == NORN_OP_SSUBSAT && inst->type == type) {
    NornRef second = resolve(search, norn_operands(search->function, inst)[1]);
    uint64_t less =
        norn_is_constant(second) ? norn_constant_bits(search->function->module, second) : 0;
    max = less <= positive ? MIN(max, positive - less) : max;
  } else if (taken) {
    uint64_t from = greatest(search, norn_operands(search->function, inst)[0], type, 1);
    if (from <= positive)
      return from > taken ? MIN(max, from - taken) : 0;
  }
  return MIN(max, positive);
}

/* The greatest that an argument, at most `max`, can be if the comparison with `limit` holds. A
 * guess assumes that a step does not go past the limit. */
static uint64_t
greatest_by_comparison(RangeSearch *search, const RangeArgument *argument, unsigned condition,
                       NornRef limit, uint64_t max, bool is_guess) {
  uint64_t mask = norn_type_mask(argument->type), positive = mask >> 1;
  uint64_t other = greatest(search, limit, argument->type, MAX_STEPS);
  bool is_positive = is_guess || max <= positive;
  switch (condition) {
  case NORN_INT_CONDITION_EQ:
    return MIN(max, other);
  case NORN_INT_CONDITION_NE:
    return norn_is_constant(limit) && other && (is_guess || max == other) ? MIN(max, other - 1)
                                                                          : max;
  case NORN_INT_CONDITION_ULT:
    return MIN(max, other ? other - 1 : 0);
  case NORN_INT_CONDITION_ULE:
    return MIN(max, other);
  case NORN_INT_CONDITION_SLT:
    other = greatest_of_positive(search, limit, argument->type, other);
    return is_positive ? MIN(max, other ? other - 1 : 0) : max;
  case NORN_INT_CONDITION_SLE:
    other = greatest_of_positive(search, limit, argument->type, other);
    return is_positive ? MIN(max, other) : max;
  case NORN_INT_CONDITION_SGT: /* at least > -1 */
    return !is_guess && (other <= positive || (norn_is_constant(limit) && other == mask))
               ? greatest_of_positive(search, argument->ref, argument->type, max)
               : max;
  case NORN_INT_CONDITION_SGE:
    return !is_guess && other <= positive
               ? greatest_of_positive(search, argument->ref, argument->type, max)
               : max;
  default:
    return max;
  }
}

/* The greatest that an argument, at most `max`, can be, given the condition of its edge. */
static uint64_t
greatest_by_condition(RangeSearch *search, const RangeArgument *argument, NornRef condition,
                      uint64_t max, bool is_guess, unsigned tests) {
  const NornInst *inst = norn_defining_inst(search->function, resolve(search, condition));
  if (!inst || norn_is_machine(inst) || !tests)
    return max;
  const NornRef *operands = norn_operands(search->function, inst);
  if (inst->type == NORN_TYPE_I1 && inst->op == (argument->holds ? NORN_OP_AND : NORN_OP_OR)) {
    for (unsigned k = 0; k < 2; k++)
      max = greatest_by_condition(search, argument, operands[k], max, is_guess, tests - 1);
    return max;
  }
  if (inst->op != NORN_OP_ICMP || inst->type != argument->type)
    return max;
  NornRef left = resolve(search, operands[0]), right = resolve(search, operands[1]);
  unsigned holds = argument->holds ? inst->modifier : norn_inverse_int_condition(inst->modifier);
  if (left == argument->ref)
    return greatest_by_comparison(search, argument, holds, right, max, is_guess);
  return right == argument->ref
             ? greatest_by_comparison(search, argument, norn_swapped_int_condition(holds), left,
                                      max, is_guess)
             : max;
}

/* Advances to the next edge from the terminator to the block, and to the argument for parameter
 * `number` on it; false if there is none. */
static bool
next_argument(const RangeSearch *search, uint32_t last, uint32_t block, unsigned number,
              NornEdge *edge, RangeArgument *argument) {
  const NornInst *inst = norn_inst(search->function, last);
  const NornRef *operands = norn_operands(search->function, inst);
  bool is_first = !edge->next;
  for (; norn_next_edge(search->function, last, edge); is_first = false)
    if (edge->block == block) {
      argument->ref = resolve(search, operands[edge->operand + 1 + number]);
      argument->condition = inst->op == NORN_OP_BR ? operands[0] : 0;
      argument->holds = is_first;
      return true;
    }
  return false;
}

/* The greatest argument for the parameter, over the back edges to the block or over its other
 * edges. A guess considers only the tests of back edges. */
static uint64_t
greatest_argument(RangeSearch *search, uint32_t block, unsigned number, NornType type, bool is_back,
                  bool is_guess) {
  const NornDominance *dominance = search->dominance;
  uint64_t mask = norn_type_mask(type), result = 0;
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, block) && result < mask; k++) {
    uint32_t from = norn_predecessor(dominance, block, k);
    if (norn_dominates(dominance, block, from) != is_back)
      continue;
    uint32_t last = norn_block_terminator(search->function, from);
    RangeArgument argument = {.type = type};
    for (NornEdge edge = {0}; next_argument(search, last, block, number, &edge, &argument);) {
      uint64_t max = is_guess ? mask : greatest(search, argument.ref, type, MAX_STEPS);
      uint64_t limit = argument.condition
                           ? greatest_by_condition(search, &argument, argument.condition, max,
                                                   is_guess, MAX_TESTS)
                           : max;
      if (!is_guess || limit < mask)
        result = MAX(result, limit);
    }
  }
  return result;
}

static uint64_t
greatest_parameter(RangeSearch *search, uint32_t parameter, NornType type) {
  const NornFunction *function = search->function;
  uint64_t mask = norn_type_mask(type);
  uint32_t block = norn_value(function, parameter)->def;
  for (unsigned k = 0; k < search->assumption_count; k++)
    if (search->assumptions[k].parameter == parameter)
      return search->assumptions[k].greatest;
  const NornDominance *dominance = search->dominance;
  unsigned predecessors = dominance ? norn_predecessor_count(dominance, block) : 0;
  if (!predecessors || predecessors > MAX_PREDECESSORS || block == function->block_order[0])
    return mask;
  bool is_loop = dominance->loop_header[block] == block;
  if (search->assumption_count >= (is_loop ? MAX_ASSUMPTIONS : MAX_MERGES))
    return mask;
  unsigned number = norn_value(function, parameter)->index;
  Assumption *assumption = &search->assumptions[search->assumption_count++];
  *assumption = (Assumption){parameter, mask};
  uint64_t first = greatest_argument(search, block, number, type, false, false);
  uint64_t limit = first;
  if (first < mask)
    limit = MAX(first, greatest_argument(search, block, number, type, true, true));
  assumption->greatest = limit;
  bool holds = limit < mask && greatest_argument(search, block, number, type, true, false) <= limit;
  if (!holds) {
    /* The next value may have a limit whatever the previous one is. It is greater than the first
     * value, or the guess would hold. */
    assumption->greatest = limit = mask;
    if (first < mask)
      limit = greatest_argument(search, block, number, type, true, false);
  }
  search->assumption_count--;
  return limit;
}

/* The greatest unsigned value of `ref` as a scalar integer of that type. */
static uint64_t
greatest(RangeSearch *search, NornRef ref, NornType type, unsigned steps) {
  uint64_t mask = norn_type_mask(type);
  ref = resolve(search, ref);
  if (norn_is_constant(ref))
    return norn_constant_bits(search->function->module, ref) & mask;
  if (norn_ref_kind(ref) != NORN_REF_VALUE || norn_types[type].lanes != 1 ||
      norn_types[type].class != NORN_CLASS_INT)
    return mask;
  if (norn_value(search->function, norn_ref_payload(ref))->is_parameter)
    return greatest_parameter(search, norn_ref_payload(ref), type);
  const NornInst *inst = norn_defining_inst(search->function, ref);
  if (norn_is_machine(inst) || !steps || ++search->visits > MAX_VISITS)
    return mask;
  return MIN(greatest_result(search, inst, type, steps - 1), mask);
}

uint64_t
norn_greatest_integer(const NornFunction *function, const NornDominance *dominance,
                      const NornReplacements *replacements, NornRef ref, NornType type) {
  RangeSearch search = {.function = function, .dominance = dominance, .replacements = replacements};
  return greatest(&search, ref, type, MAX_STEPS);
}

/* The alignment promised for an address in uniform words. */
static unsigned
zeros_of_uniform(const NornFunction *function, unsigned word) {
  const NornFau *fau = norn_module_fau_at(function->module, word);
  return fau && fau->alignment ? (unsigned)__builtin_ctz(fau->alignment) : 0;
}

static unsigned
zeros_of(const NornFunction *function, NornRef ref, unsigned steps) {
  if (norn_is_constant(ref)) {
    uint32_t bits = (uint32_t)norn_constant_bits(function->module, ref);
    return bits ? (unsigned)__builtin_ctz(bits) : 32;
  }
  if (norn_ref_kind(ref) == NORN_REF_UNIFORM)
    return zeros_of_uniform(function, norn_ref_payload(ref));
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || norn_is_machine(inst) || !steps)
    return 0;
  if (inst->op == NORN_OP_ALLOCA)
    return (unsigned)__builtin_ctz(NORN_ALLOCA_ALIGNMENT);
  const NornRef *operands = norn_operands(function, inst);
  bool extends = inst->op == NORN_OP_ZEXT || inst->op == NORN_OP_SEXT;
  if (extends && inst->type == NORN_TYPE_I64 && inst->source_type == NORN_TYPE_I32)
    return zeros_of(function, operands[0], steps - 1);
  bool is_word = inst->type == NORN_TYPE_I32 || inst->type == NORN_TYPE_I64;
  bool multiplies = inst->op == NORN_OP_SMULX || inst->op == NORN_OP_UMULX;
  if ((!is_word && !multiplies) || inst->operand_count < 2)
    return 0;
  unsigned a = zeros_of(function, operands[0], steps - 1);
  unsigned b = zeros_of(function, operands[1], steps - 1);
  bool is_constant = norn_is_constant(operands[1]);
  switch (inst->op) {
  case NORN_OP_IADD:
  case NORN_OP_ISUB:
  case NORN_OP_OR:
  case NORN_OP_XOR:
    return MIN(a, b);
  case NORN_OP_AND:
    return MAX(a, b);
  case NORN_OP_IMUL:
  case NORN_OP_SMULX:
  case NORN_OP_UMULX:
    return MIN(a + b, 32);
  case NORN_OP_SHL:
    return is_constant ? MIN(a + (unsigned)norn_constant_bits(function->module, operands[1]) %
                                     norn_type_bits(inst->type),
                             32)
                       : a;
  case NORN_OP_SHLADD:
    return MIN(a, b + (unsigned)norn_constant_bits(function->module, operands[2]));
  default:
    return 0;
  }
}

unsigned
norn_known_zeros(const NornFunction *function, NornRef ref) {
  return zeros_of(function, ref, MAX_STEPS);
}
