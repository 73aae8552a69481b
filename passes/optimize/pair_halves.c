/* Replaces two operations on 16-bit scalars by one operation on a pair of lanes.
 *
 * Two instructions of a block that do the same, one to the lower and one to the upper lane of the
 * same pair, become one instruction on the pair, and their results become its lanes. Their other
 * operands must be lanes of pairs as well, or constants, or, for floats, the same value for both,
 * which the hardware duplicates as it reads it. Users of the results then use the lanes of a pair
 * in turn, so one forward walk pairs whole expressions, starting with the loads. It compares each
 * instruction with the latest ones that look alike: the same operation on results of the same
 * operations. Constants may differ. The pair is computed at the earlier of the two instructions,
 * where all of its operands are available.
 *
 * A selection with a comparison of halves of its own becomes a comparison by lane and a choice of
 * bits; with another condition, both lanes must have the same.
 *
 * Conversions start pairs as well: two floats become halves in one instruction if the target has
 * one (pack_half). This is done for the operands of two instructions that are paired, if nothing
 * else reads them, and for words that are adjacent or come from the lanes of a pair, if everything
 * that reads the halves can read either lane. An operation that is computed as a float and then
 * narrowed, such as a power, counts as a conversion. The remaining conversions are finally paired
 * in the order in which they appear. */
#include "ir/builder.h"
#include "ir/hash.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/optimize/halves.h"
#include <string.h>

/* Number of earlier instructions that look alike with which one is compared. */
#define MAX_TRIES 8

typedef struct Pairing {
  const NornPassContext *context;
  NornFunction *function;
  NornReplacements replacements;
  uint32_t *latest;  /* by hash: instruction + 1, 0 = none */
  uint32_t *earlier; /* by instruction: the previous one with that hash + 1, 0 = none */
  uint32_t *place;   /* by instruction that existed before the pass: its position in the walk */
  uint32_t place_count;
  const uint32_t *uses; /* by value that existed before the pass */
  uint32_t use_count;
  uint32_t mask;
  bool narrows_pairs; /* the target converts two floats to halves in one instruction */
  NornRef *partner;   /* by value that existed before the pass: the other lane of the vector made of
                         it, if the lower lane comes first, or the value itself if another reader
                         cannot read it from either lane */
  bool changed;
} Pairing;

/* --- Instructions --- */

/* Whether two instructions do the same to their operands. */
static bool
are_alike(const NornInst *a, const NornInst *b) {
  return a->op == b->op && a->type == b->type && a->source_type == b->source_type &&
         a->modifier == b->modifier && a->flags == b->flags && a->payload == b->payload &&
         a->block == b->block && a->operand_count == b->operand_count;
}

static bool
compares_halves(const NornInst *inst) {
  return (inst->op == NORN_OP_FCMP && inst->type == NORN_TYPE_F16) ||
         (inst->op == NORN_OP_ICMP && inst->type == NORN_TYPE_I16);
}

NornHalfOperands
norn_half_operands(const NornFunction *function, const NornInst *inst, const uint32_t *uses,
                   uint32_t use_count) {
  const NornRef *operands = norn_operands(function, inst);
  NornHalfOperands halves = {.comparison = NORN_INDEX_NONE};
  unsigned first = 0;
  if (inst->op == NORN_OP_SELECT) {
    const NornInst *comparison = norn_defining_inst(function, operands[0]);
    uint32_t value = norn_ref_payload(operands[0]);
    first = 1;
    if (comparison && compares_halves(comparison) && value < use_count && uses[value] == 1) {
      halves.comparison = norn_value(function, value)->def;
      for (unsigned k = 0; k < 2; k++) {
        halves.types[halves.count] = (NornType)comparison->type;
        halves.refs[halves.count++] = norn_operands(function, comparison)[k];
      }
    } else {
      halves.condition = operands[0];
    }
  }
  for (unsigned k = first; k < inst->operand_count; k++) {
    halves.types[halves.count] = (NornType)inst->type;
    halves.refs[halves.count++] = operands[k];
  }
  return halves;
}

bool
norn_do_same(const NornFunction *function, const NornInst *a, const NornHalfOperands *a_operands,
             const NornInst *b, const NornHalfOperands *b_operands) {
  if (!are_alike(a, b) || a_operands->condition != b_operands->condition)
    return false;
  bool compares = a_operands->comparison != NORN_INDEX_NONE;
  return !compares || (b_operands->comparison != NORN_INDEX_NONE &&
                       are_alike(norn_inst(function, a_operands->comparison),
                                 norn_inst(function, b_operands->comparison)));
}

/* --- Operands --- */

static NornRef
operand(const Pairing *pairing, uint32_t inst, unsigned k) {
  return norn_replacements_get(&pairing->replacements, norn_operand(pairing->function, inst, k));
}

static NornPairLane
lane_of(const Pairing *pairing, NornRef ref) {
  NornPairLane lane = norn_pair_lane(pairing->function, ref);
  if (lane.pair)
    lane.pair = norn_replacements_get(&pairing->replacements, lane.pair);
  return lane;
}

NornRef
norn_build_pair(NornBuilder *builder, NornType type, const NornRef lanes[2]) {
  const NornModule *module = builder->function->module;
  NornRef low = lanes[0], high = lanes[1];
  if (!norn_are_constants(low, high))
    return norn_build_vec(builder, norn_pair_type(type), type, 2, lanes);
  return norn_build_bits(builder, (norn_constant_bits(module, low) & 0xFFFF) |
                                      (norn_constant_bits(module, high) & 0xFFFF) << 16);
}

/* Whether the value had several uses when the pass began, so that a pair made of it can be
 * reused. */
static bool
has_uses(const Pairing *pairing, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE && norn_ref_payload(ref) < pairing->use_count &&
         pairing->uses[norn_ref_payload(ref)] >= NORN_SHARED_USES;
}

/* --- Conversions --- */

/* Operations that are computed as floats if the target does not have them for halves. */
static bool
is_widened(unsigned op) {
  switch (op) {
  case NORN_OP_FDIV:
  case NORN_OP_FSQRT:
  case NORN_OP_FRCP:
  case NORN_OP_FRSQ:
  case NORN_OP_FEXP2:
  case NORN_OP_FLOG2:
  case NORN_OP_FPOW:
  case NORN_OP_FSIN:
  case NORN_OP_FCOS:
    return true;
  default:
    return false;
  }
}

/* Whether the half is computed by narrowing a float. */
static bool
is_narrowed(const Pairing *pairing, const NornInst *inst) {
  const NornTarget *target = pairing->context->target;
  if (!pairing->narrows_pairs || norn_is_machine(inst) || inst->type != NORN_TYPE_F16)
    return false;
  return inst->op == NORN_OP_FPCONV
             ? inst->source_type == NORN_TYPE_F32
             : is_widened(inst->op) && !target->supports(target, pairing->function, inst);
}

/* Whether two values are narrowed to halves and have one use each, so that one instruction can
 * narrow both. */
static bool
are_narrowed_once(const Pairing *pairing, NornRef a, NornRef b) {
  const NornInst *first = norn_defining_inst(pairing->function, a);
  const NornInst *second = norn_defining_inst(pairing->function, b);
  if (!first || !second || !is_narrowed(pairing, first) || !are_alike(first, second))
    return false;
  return norn_ref_payload(a) < pairing->use_count && pairing->uses[norn_ref_payload(a)] == 1 &&
         norn_ref_payload(b) < pairing->use_count && pairing->uses[norn_ref_payload(b)] == 1;
}

/* Converts two floats to a pair of halves in one instruction; 0 if the lanes are not such
 * conversions. */
static NornRef
build_packing(const Pairing *pairing, NornBuilder *builder, const NornRef lanes[2]) {
  const NornInst *first = norn_defining_inst(pairing->function, lanes[0]);
  const NornInst *second = norn_defining_inst(pairing->function, lanes[1]);
  if (!first || !second || first->op != NORN_OP_FPCONV || !is_narrowed(pairing, first) ||
      !are_alike(first, second))
    return 0;
  uint8_t rounding = first->modifier;
  const NornRef sources[2] = {
      norn_replacements_get(&pairing->replacements, norn_operands(pairing->function, first)[0]),
      norn_replacements_get(&pairing->replacements, norn_operands(pairing->function, second)[0])};
  NornRef word = norn_build_op(builder, NORN_OP_PACK_HALF, rounding, NORN_TYPE_F32, NORN_TYPE_VOID,
                               sources, 2);
  return norn_build_bitcast(builder, NORN_TYPE_V2F16, NORN_TYPE_I32, word);
}

/* The pair of two operands of that type; 0 if no pair is free or used often enough to be made. If
 * `builder` is NULL, only tests whether there is one. */
static NornRef
pair_operands(const Pairing *pairing, NornBuilder *builder, NornType type, NornRef a, NornRef b) {
  NornType packed = norn_pair_type(type);
  const NornRef both[] = {a, b};
  if (norn_are_constants(a, b))
    return builder ? norn_build_pair(builder, type, both) : a;
  NornPairLane a_lane = lane_of(pairing, a), b_lane = lane_of(pairing, b);
  if (a_lane.pair && a_lane.pair == b_lane.pair && a_lane.number < b_lane.number)
    return a_lane.pair;
  if (type != NORN_TYPE_F16)
    return 0;
  if (a_lane.pair && a_lane.pair == b_lane.pair)
    return builder ? norn_build_swizzle(builder, packed, a_lane.pair,
                                        a_lane.number | b_lane.number << 4)
                   : a;
  if (a != b && !builder && !(has_uses(pairing, a) && has_uses(pairing, b)) &&
      !are_narrowed_once(pairing, a, b))
    return 0;
  if (!builder)
    return a;
  NornRef word = are_narrowed_once(pairing, a, b) ? build_packing(pairing, builder, both) : 0;
  if (!word)
    return norn_build_pair(builder, type, both);
  pairing->partner[norn_ref_payload(a)] = a;
  pairing->partner[norn_ref_payload(b)] = b;
  return word;
}

/* Whether pairing two operands takes another instruction. */
static bool
takes_instruction(const Pairing *pairing, NornRef a, NornRef b) {
  NornPairLane a_lane = lane_of(pairing, a), b_lane = lane_of(pairing, b);
  return a != b && !norn_is_constant(a) && (!a_lane.pair || a_lane.pair != b_lane.pair);
}

/* Whether the value, an operand of a later instruction, is computed before this instruction. */
static bool
is_before(const Pairing *pairing, NornRef ref, uint32_t index) {
  const NornFunction *function = pairing->function;
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || inst->block != norn_inst(function, index)->block)
    return true;
  uint32_t own = norn_value(function, norn_ref_payload(ref))->def;
  return own < pairing->place_count && pairing->place[own] < pairing->place[index];
}

/* --- Pairs --- */

/* Whether the target has what a selection with a comparison of its own becomes. */
static bool
can_choose_lanes(const NornPassContext *context, const NornFunction *function) {
  static const NornInst parts[] = {
      {.op = NORN_OP_BITSELECT, .type = NORN_TYPE_V2I16},
      {.op = NORN_OP_ICMPMASK, .type = NORN_TYPE_V2I16},
      {.op = NORN_OP_FCMPMASK, .type = NORN_TYPE_V2I16, .source_type = NORN_TYPE_V2F16},
  };
  for (size_t k = 0; k < G_N_ELEMENTS(parts); k++)
    if (!context->target->supports(context->target, function, &parts[k]))
      return false;
  return true;
}

bool
norn_can_be_paired(const NornPassContext *context, const NornFunction *function,
                   const NornInst *inst) {
  if (norn_is_machine(inst) || !norn_pair_type((NornType)inst->type) || inst->source_type ||
      !inst->operand_count || inst->operand_count > NORN_MAX_PAIR_OPERANDS)
    return false;
  const NornOpInfo *row = &norn_ops[inst->op];
  NornInst packed = *inst;
  packed.type = norn_pair_type((NornType)inst->type);
  if (!norn_type_in(row->types, (NornType)packed.type) ||
      !context->target->supports(context->target, function, &packed))
    return false;
  return inst->op == NORN_OP_SELECT
             ? can_choose_lanes(context, function)
             : !(row->flags & (NORN_OP_STAYS | NORN_OP_DIVERGENT)) &&
                   strcmp(row->results, "T") == 0 && !row->operands[strspn(row->operands, "T")];
}

/* The kind of an operand: the operation that computes it, or that computes the pair whose lane it
 * is, since a value may still become the lane of a pair. Selections and what is narrowed become
 * pairs of another kind, so these are all the same. */
static uint32_t
likeness(const Pairing *pairing, uint32_t inst, unsigned k) {
  const NornFunction *function = pairing->function;
  NornRef ref = operand(pairing, inst, k);
  NornPairLane lane = lane_of(pairing, ref);
  ref = lane.pair ? lane.pair : ref;
  const NornInst *origin = norn_defining_inst(function, ref);
  if (!origin)
    return norn_ref_kind(ref);
  bool is_new = norn_value(function, norn_ref_payload(ref))->def >= pairing->place_count;
  bool is_made = is_new && (origin->op == NORN_OP_BITCAST || origin->op == NORN_OP_BITSELECT ||
                            origin->op == NORN_OP_VEC);
  return 8u + (is_made || is_narrowed(pairing, origin) ? NORN_OP_SELECT : origin->op);
}

static uint32_t
hash(const Pairing *pairing, uint32_t index) {
  const NornInst *inst = norn_inst(pairing->function, index);
  uint64_t state = norn_hash_mix(inst->op | (uint64_t)inst->type << 16, inst->block);
  for (unsigned k = 0; k < inst->operand_count; k++)
    state = norn_hash_mix(state, likeness(pairing, index, k));
  return (uint32_t)state;
}

static NornHalfOperands
operands_of(const Pairing *pairing, uint32_t index) {
  NornHalfOperands halves = norn_half_operands(
      pairing->function, norn_inst(pairing->function, index), pairing->uses, pairing->use_count);
  for (unsigned k = 0; k < halves.count; k++)
    halves.refs[k] = norn_replacements_get(&pairing->replacements, halves.refs[k]);
  return halves;
}

/* Whether one of the instructions can be the operation on the low lanes and the other the operation
 * on the high lanes; finds which is which. */
static bool
find_lanes(const Pairing *pairing, uint32_t earlier, uint32_t later, uint32_t *low,
           uint32_t *high) {
  const NornFunction *function = pairing->function;
  NornHalfOperands a = operands_of(pairing, earlier), b = operands_of(pairing, later);
  if (!norn_do_same(function, norn_inst(function, earlier), &a, norn_inst(function, later), &b))
    return false;
  bool has_lanes = false, is_swapped = false;
  for (unsigned k = 0; k < a.count && !has_lanes; k++) {
    NornPairLane own = lane_of(pairing, a.refs[k]), other = lane_of(pairing, b.refs[k]);
    has_lanes = own.pair && own.pair == other.pair && own.number != other.number;
    is_swapped = own.number;
  }
  *low = is_swapped ? later : earlier;
  *high = is_swapped ? earlier : later;
  unsigned costs = 0;
  for (unsigned k = 0; has_lanes && k < a.count; k++) {
    has_lanes = pair_operands(pairing, NULL, a.types[k], is_swapped ? b.refs[k] : a.refs[k],
                              is_swapped ? a.refs[k] : b.refs[k]) != 0;
    if (has_lanes && takes_instruction(pairing, a.refs[k], b.refs[k]))
      has_lanes = is_before(pairing, b.refs[k], earlier) &&
                  (are_narrowed_once(pairing, a.refs[k], b.refs[k]) || !costs++);
  }
  return has_lanes;
}

static void
replace(Pairing *pairing, uint32_t index, NornRef ref) {
  norn_replacements_set(&pairing->replacements, norn_inst(pairing->function, index)->result, ref);
  norn_inst_erase(pairing->function, index);
  pairing->changed = true;
}

/* A choice between two pairs by a comparison of two others. */
static NornRef
build_lane_choice(NornBuilder *builder, const NornInst *comparison, NornType packed,
                  const NornRef *operands) {
  bool is_float = comparison->op == NORN_OP_FCMP;
  NornRef parts[3];
  parts[0] =
      norn_build_op(builder, is_float ? NORN_OP_FCMPMASK : NORN_OP_ICMPMASK, comparison->modifier,
                    NORN_TYPE_V2I16, is_float ? NORN_TYPE_V2F16 : NORN_TYPE_VOID, operands, 2);
  for (unsigned k = 1; k < 3; k++)
    parts[k] = norn_build_cast(builder, NORN_TYPE_V2I16, packed, operands[1 + k]);
  NornRef bits =
      norn_build_op(builder, NORN_OP_BITSELECT, 0, NORN_TYPE_V2I16, NORN_TYPE_VOID, parts, 3);
  return norn_build_cast(builder, packed, NORN_TYPE_V2I16, bits);
}

static void
build_pair(Pairing *pairing, uint32_t earlier, uint32_t low, uint32_t high) {
  NornFunction *function = pairing->function;
  const NornInst inst = *norn_inst(function, earlier);
  NornType type = (NornType)inst.type, packed = norn_pair_type(type);
  NornBuilder builder = norn_builder_in_place_of(function, earlier);
  NornHalfOperands a = operands_of(pairing, low), b = operands_of(pairing, high);
  NornRef operands[1 + NORN_MAX_PAIR_OPERANDS] = {a.condition}, pair;
  unsigned first = a.condition ? 1 : 0;
  for (unsigned k = 0; k < a.count; k++)
    operands[first + k] = pair_operands(pairing, &builder, a.types[k], a.refs[k], b.refs[k]);
  if (a.comparison == NORN_INDEX_NONE) {
    pair = norn_build_op(&builder, (NornOp)inst.op, inst.modifier, packed, NORN_TYPE_VOID, operands,
                         first + a.count);
  } else {
    const NornInst comparison = *norn_inst(function, a.comparison);
    pair = build_lane_choice(&builder, &comparison, packed, operands);
  }
  NornRef low_lane = norn_build_extract(&builder, type, packed, pair, 0);
  NornRef high_lane = norn_build_extract(&builder, type, packed, pair, 1);
  replace(pairing, low, low_lane);
  replace(pairing, high, high_lane);
}

/* --- Pairs of conversions --- */

/* Whether the instruction can read a half from either lane. */
static bool
reads_lanes(const Pairing *pairing, const NornInst *user) {
  if (norn_is_machine(user))
    return false;
  bool widens = user->op == NORN_OP_FPCONV && user->source_type == NORN_TYPE_F16;
  return widens || is_narrowed(pairing, user) ||
         (user->type == NORN_TYPE_F16 &&
          norn_can_be_paired(pairing->context, pairing->function, user));
}

/* Records the partners of the operands of an instruction that cannot read them from either lane. */
static void
note_partners(Pairing *pairing, const NornInst *user) {
  const NornFunction *function = pairing->function;
  bool is_vec = user->op == NORN_OP_VEC && user->type == NORN_TYPE_V2F16;
  bool is_free = reads_lanes(pairing, user);
  norn_for_each_use (function, user, use) {
    const NornInst *inst = norn_defining_inst(function, norn_ref(NORN_REF_VALUE, use.value));
    if (is_free || !inst || !is_narrowed(pairing, inst))
      continue;
    NornRef self = norn_ref(NORN_REF_VALUE, use.value), other = self;
    if (is_vec) {
      const NornRef *lanes = norn_operands(function, user);
      other = lanes[0] < lanes[1] ? lanes[lanes[0] == self] : self;
    }
    NornRef *partner = &pairing->partner[use.value];
    *partner = *partner && *partner != other ? self : other;
  }
}

/* Finds partners if any halves are narrowed. */
static void
find_partners(Pairing *pairing) {
  const NornFunction *function = pairing->function;
  const NornTarget *target = pairing->context->target;
  const NornInst packing = {.op = NORN_OP_PACK_HALF, .type = NORN_TYPE_F32};
  pairing->narrows_pairs = target->supports(target, function, &packing);
  bool is_needed = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      is_needed |= is_narrowed(pairing, norn_inst(function, index));
  pairing->narrows_pairs = is_needed;
  if (!is_needed)
    return;
  pairing->partner = NORN_NEW0(pairing->replacements.arena, NornRef, function->value_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      note_partners(pairing, norn_inst(function, index));
}

/* Whether the words or halves are adjacent and the first one is at an even position. */
static bool
are_neighbors(const Pairing *pairing, NornRef a, NornRef b) {
  NornPairLane low = lane_of(pairing, a), high = lane_of(pairing, b);
  if (low.pair || high.pair)
    return norn_are_lanes(low, high);
  uint32_t first = norn_ref_payload(a);
  if (norn_ref_kind(a) != norn_ref_kind(b) || first + 1 != norn_ref_payload(b))
    return false;
  if (norn_ref_kind(a) == NORN_REF_UNIFORM)
    return first % 2 == 0;
  const NornInst *inst = norn_defining_inst(pairing->function, a);
  return inst && inst == norn_defining_inst(pairing->function, b) &&
         (first - inst->result) % 2 == 0;
}

/* Whether the value is a lane of a pair made by this pass, which has its other lane next to it. */
static bool
is_new(const Pairing *pairing, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE &&
         norn_value(pairing->function, norn_ref_payload(ref))->def >= pairing->place_count;
}

/* Whether two conversions, the first of which becomes the lower lane, can and should be paired. */
static bool
are_neighboring_conversions(const Pairing *pairing, uint32_t earlier, uint32_t later) {
  const NornInst *a = norn_inst(pairing->function, earlier);
  const NornInst *b = norn_inst(pairing->function, later);
  if (!are_alike(a, b))
    return false;
  NornRef low = norn_ref(NORN_REF_VALUE, a->result), high = norn_ref(NORN_REF_VALUE, b->result);
  if ((pairing->partner[a->result] && pairing->partner[a->result] != high) ||
      (pairing->partner[b->result] && pairing->partner[b->result] != low))
    return false;
  bool has_neighbors = false;
  for (unsigned k = 0; k < a->operand_count; k++) {
    NornRef left = operand(pairing, earlier, k), right = operand(pairing, later, k);
    if (left == right || norn_are_constants(left, right))
      continue;
    if (!are_neighbors(pairing, left, right) ||
        !(is_new(pairing, right) || is_before(pairing, right, earlier)))
      return false;
    has_neighbors = true;
  }
  return has_neighbors;
}

/* The same conversion of the operands after the replacements so far. */
static NornRef
build_conversion(const Pairing *pairing, NornBuilder *builder, uint32_t index) {
  const NornInst inst = *norn_inst(pairing->function, index);
  NornRef operands[NORN_MAX_PAIR_OPERANDS];
  for (unsigned k = 0; k < inst.operand_count; k++)
    operands[k] = operand(pairing, index, k);
  return norn_build_op(builder, (NornOp)inst.op, inst.modifier, NORN_TYPE_F16,
                       (NornType)inst.source_type, operands, inst.operand_count);
}

static void
build_conversions(Pairing *pairing, uint32_t earlier, uint32_t later) {
  NornBuilder builder = norn_builder_in_place_of(pairing->function, earlier);
  NornRef lanes[2] = {norn_ref(NORN_REF_VALUE, norn_inst(pairing->function, earlier)->result),
                      norn_ref(NORN_REF_VALUE, norn_inst(pairing->function, later)->result)};
  NornRef pair = build_packing(pairing, &builder, lanes);
  if (!pair) {
    lanes[0] = build_conversion(pairing, &builder, earlier);
    lanes[1] = build_conversion(pairing, &builder, later);
    pair = norn_build_vec(&builder, NORN_TYPE_V2F16, NORN_TYPE_F16, 2, lanes);
  }
  for (unsigned k = 0; k < 2; k++)
    lanes[k] = norn_build_extract(&builder, NORN_TYPE_F16, NORN_TYPE_V2F16, pair, k);
  replace(pairing, earlier, lanes[0]);
  replace(pairing, later, lanes[1]);
}

/* --- Walk --- */

static void
visit_candidate(Pairing *pairing, uint32_t index, bool is_conversion) {
  uint32_t *latest = &pairing->latest[hash(pairing, index) & pairing->mask], low, high;
  unsigned tries = 0;
  for (uint32_t *link = latest; *link && tries < MAX_TRIES;
       link = &pairing->earlier[*link - 1], tries++) {
    uint32_t earlier = *link - 1;
    if (!(is_conversion ? are_neighboring_conversions(pairing, earlier, index)
                        : find_lanes(pairing, earlier, index, &low, &high)))
      continue;
    *link = pairing->earlier[earlier];
    if (is_conversion)
      build_conversions(pairing, earlier, index);
    else
      build_pair(pairing, earlier, low, high);
    return;
  }
  pairing->earlier[index] = *latest;
  *latest = index + 1;
}

/* Pairs each of the remaining conversions that have no partner with the next one. */
static void
pair_rest(Pairing *pairing, uint32_t block) {
  const NornFunction *function = pairing->function;
  uint32_t pending = NORN_INDEX_NONE;
  for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
       index = next) {
    const NornInst *inst = norn_inst(function, index);
    next = inst->next;
    if (index >= pairing->place_count || inst->op != NORN_OP_FPCONV ||
        !is_narrowed(pairing, inst) || pairing->partner[inst->result])
      continue;
    bool are_pair = pending != NORN_INDEX_NONE && are_alike(norn_inst(function, pending), inst) &&
                    is_before(pairing, operand(pairing, index, 0), pending);
    if (are_pair)
      build_conversions(pairing, pending, index);
    pending = are_pair ? NORN_INDEX_NONE : index;
  }
}

/* A pair built of its own lanes, in order, is the original pair. */
static void
visit_vec(Pairing *pairing, uint32_t index) {
  const NornInst *inst = norn_inst(pairing->function, index);
  if (norn_pair_type((NornType)inst->source_type) != inst->type || !inst->type)
    return;
  NornPairLane low = lane_of(pairing, operand(pairing, index, 0));
  NornPairLane high = lane_of(pairing, operand(pairing, index, 1));
  if (norn_are_lanes(low, high))
    replace(pairing, index, low.pair);
}

bool
norn_pass_pair_halves(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  uint32_t capacity = 16;
  while (capacity < function->inst_count)
    capacity *= 2;
  Pairing pairing = {
      .context = context,
      .function = function,
      .replacements = {.arena = &context->arena},
      .latest = NORN_NEW0(&context->arena, uint32_t, capacity),
      .earlier = NORN_NEW(&context->arena, uint32_t, function->inst_count),
      .mask = capacity - 1,
      .place = NORN_NEW(&context->arena, uint32_t, function->inst_count),
      .place_count = function->inst_count,
      .uses = norn_pass_use_counts(context, function),
      .use_count = function->value_count,
  };
  find_partners(&pairing);
  uint32_t place = 0;
  norn_for_each_block (function, block)
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      next = norn_inst(function, inst)->next;
      pairing.place[inst] = place++;
      if (norn_inst(function, inst)->op == NORN_OP_VEC)
        visit_vec(&pairing, inst);
      else if (norn_can_be_paired(context, function, norn_inst(function, inst)))
        visit_candidate(&pairing, inst, false);
      else if (is_narrowed(&pairing, norn_inst(function, inst)))
        visit_candidate(&pairing, inst, true);
    }
  if (pairing.narrows_pairs)
    norn_for_each_block (function, block)
      pair_rest(&pairing, block);
  norn_replacements_apply(&pairing.replacements, function);
  norn_pass_report(context, pairing.changed);
  return true;
}
