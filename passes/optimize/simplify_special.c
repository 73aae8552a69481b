/* Identities that rules cannot express because they involve types, conditions or several
 * instructions, and the canonical form that instructions are given before rules are tried. */
#include "passes/optimize/algebra.h"
#include "passes/optimize/simplify.h"

void
norn_simplify_canonicalize(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  NornInst *inst = norn_inst(function, index);
  NornRef *operands = norn_operands(function, inst);
  if (inst->operand_count >= 2 && norn_is_constant(operands[0]) && !norn_is_constant(operands[1])) {
    bool is_compare = inst->op == ICMP || inst->op == FCMP;
    if (is_compare || (norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE)) {
      NornRef first = operands[0];
      operands[0] = operands[1];
      operands[1] = first;
      simplifier->changed = true;
    }
    if (is_compare)
      inst->modifier = (uint8_t)(inst->op == ICMP ? norn_swapped_int_condition(inst->modifier)
                                                  : norn_swapped_float_condition(inst->modifier));
  }
  if ((inst->op == SHL || inst->op == LSHR || inst->op == ASHR) && norn_is_constant(operands[1])) {
    uint64_t amount = norn_constant_bits(simplifier->module, operands[1]);
    uint64_t mask = norn_type_splat(inst->type, norn_types[inst->type].lane_bits - 1);
    if (amount & ~mask) {
      operands[1] = norn_simplify_constant(simplifier, amount & mask);
      simplifier->changed = true;
    }
  }
}

/* Whether the condition holds for two equal values. */
static bool
holds_for_equals(unsigned condition) {
  switch (condition) {
  case NORN_INT_CONDITION_EQ:
  case NORN_INT_CONDITION_ULE:
  case NORN_INT_CONDITION_UGE:
  case NORN_INT_CONDITION_SLE:
  case NORN_INT_CONDITION_SGE:
    return true;
  default:
    return false;
  }
}

/* Comparisons with the end of the range: always true, always false, or an (in)equality. */
static Outcome
simplify_bound(Simplifier *simplifier, NornInst *inst, uint64_t bits, NornRef *replacement) {
  uint64_t mask = norn_type_mask(inst->type), sign = mask ^ (mask >> 1);
  enum { BOUND_ZERO, BOUND_ALL_ONES, BOUND_SMALLEST, BOUND_LARGEST };
  enum { IS_FALSE, IS_TRUE, IS_EQUAL, IS_UNEQUAL };
  static const struct {
    uint8_t condition, bound, result;
  } bounds[] = {
      {NORN_INT_CONDITION_ULT, BOUND_ZERO, IS_FALSE},
      {NORN_INT_CONDITION_UGE, BOUND_ZERO, IS_TRUE},
      {NORN_INT_CONDITION_ULE, BOUND_ZERO, IS_EQUAL},
      {NORN_INT_CONDITION_UGT, BOUND_ZERO, IS_UNEQUAL},
      {NORN_INT_CONDITION_UGT, BOUND_ALL_ONES, IS_FALSE},
      {NORN_INT_CONDITION_ULE, BOUND_ALL_ONES, IS_TRUE},
      {NORN_INT_CONDITION_UGE, BOUND_ALL_ONES, IS_EQUAL},
      {NORN_INT_CONDITION_ULT, BOUND_ALL_ONES, IS_UNEQUAL},
      {NORN_INT_CONDITION_SLT, BOUND_SMALLEST, IS_FALSE},
      {NORN_INT_CONDITION_SGE, BOUND_SMALLEST, IS_TRUE},
      {NORN_INT_CONDITION_SLE, BOUND_SMALLEST, IS_EQUAL},
      {NORN_INT_CONDITION_SGT, BOUND_SMALLEST, IS_UNEQUAL},
      {NORN_INT_CONDITION_SGT, BOUND_LARGEST, IS_FALSE},
      {NORN_INT_CONDITION_SLE, BOUND_LARGEST, IS_TRUE},
      {NORN_INT_CONDITION_SGE, BOUND_LARGEST, IS_EQUAL},
      {NORN_INT_CONDITION_SLT, BOUND_LARGEST, IS_UNEQUAL},
  };
  const uint64_t values[] = {[BOUND_ZERO] = 0,
                             [BOUND_ALL_ONES] = mask,
                             [BOUND_SMALLEST] = sign,
                             [BOUND_LARGEST] = sign - 1};
  for (unsigned k = 0; k < G_N_ELEMENTS(bounds); k++) {
    if (inst->modifier != bounds[k].condition || bits != values[bounds[k].bound])
      continue;
    if (bounds[k].result == IS_FALSE || bounds[k].result == IS_TRUE)
      return norn_simplify_replace(replacement,
                                   norn_simplify_constant(simplifier, bounds[k].result == IS_TRUE));
    inst->modifier = bounds[k].result == IS_EQUAL ? NORN_INT_CONDITION_EQ : NORN_INT_CONDITION_NE;
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* A comparison of umin(a, limit) with a constant up to the limit is one of a. Before lowering, an
 * equality keeps the limit, on which tables (simplify_table.c) rely. */
static Outcome
compare_limited(Simplifier *simplifier, NornInst *inst, uint64_t bits) {
  NornFunction *function = simplifier->function;
  NornRef *operands = norn_operands(function, inst);
  const NornInst *limited = norn_simplify_definition_by(function, operands[0], UMIN);
  NornRef limit = limited ? norn_simplify_operand(simplifier, limited, 1) : 0;
  if (!limited || !norn_is_constant(limit))
    return UNCHANGED;
  uint64_t max = norn_constant_bits(simplifier->module, limit);
  bool is_equality =
      inst->modifier == NORN_INT_CONDITION_EQ || inst->modifier == NORN_INT_CONDITION_NE;
  bool is_order =
      inst->modifier == NORN_INT_CONDITION_ULT || inst->modifier == NORN_INT_CONDITION_UGE;
  if (bits > max || !(is_order || (is_equality && simplifier->context->is_lowered)))
    return UNCHANGED;
  if (is_equality && bits == max)
    inst->modifier =
        inst->modifier == NORN_INT_CONDITION_EQ ? NORN_INT_CONDITION_UGE : NORN_INT_CONDITION_ULT;
  operands[0] = norn_simplify_operand(simplifier, limited, 0);
  return REWRITTEN;
}

/* A test whether any bits from `amount` up are set is a comparison with the lowest of them or, if
 * that is the sign bit, with 0. Only after lowering, when copies of the shift have been merged. */
static Outcome
compare_high_bits(Simplifier *simplifier, NornInst *inst, const NornInst *shift) {
  uint64_t amount;
  unsigned width = norn_type_bits(inst->type);
  bool is_set = inst->modifier == NORN_INT_CONDITION_NE;
  if (!simplifier->context->is_lowered || norn_types[inst->type].lanes != 1 ||
      !norn_simplify_constant_operand(simplifier, shift, 1, &amount) || amount >= width ||
      !norn_simplify_has_one_use(simplifier, shift->result))
    return UNCHANGED;
  NornRef *operands = norn_operands(simplifier->function, inst);
  operands[0] = norn_simplify_operand(simplifier, shift, 0);
  if (amount + 1 == width) {
    inst->modifier = is_set ? NORN_INT_CONDITION_SLT : NORN_INT_CONDITION_SGE;
    return REWRITTEN;
  }
  operands[1] = norn_simplify_constant(simplifier, UINT64_C(1) << amount);
  inst->modifier = is_set ? NORN_INT_CONDITION_UGE : NORN_INT_CONDITION_ULT;
  return REWRITTEN;
}

static Outcome
simplify_icmp(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  NornInst *inst = norn_inst(function, index);
  NornRef *operands = norn_operands(function, inst);
  NornRef left = operands[0], right = operands[1];
  if (left == right)
    return norn_simplify_replace(
        replacement, norn_simplify_constant(simplifier, holds_for_equals(inst->modifier)));
  if (!norn_is_constant(right))
    return UNCHANGED;
  uint64_t bits = norn_constant_bits(simplifier->module, right);
  Outcome outcome = simplify_bound(simplifier, inst, bits, replacement);
  if (outcome == UNCHANGED)
    outcome = compare_limited(simplifier, inst, bits);
  if (outcome != UNCHANGED)
    return outcome;
  if (inst->modifier != NORN_INT_CONDITION_EQ && inst->modifier != NORN_INT_CONDITION_NE)
    return UNCHANGED;
  const NornInst *inner = norn_defining_inst(function, left);
  if (!inner || norn_is_machine(inner))
    return UNCHANGED;
  NornRef a = inner->operand_count > 0
                  ? norn_simplify_resolve(simplifier, norn_operands(function, inner)[0])
                  : 0;
  NornRef b = inner->operand_count > 1
                  ? norn_simplify_resolve(simplifier, norn_operands(function, inner)[1])
                  : 0;
  if ((inner->op == IADD || inner->op == XOR) && norn_is_constant(b)) {
    uint64_t other = norn_constant_bits(simplifier->module, b);
    uint64_t mask = norn_type_mask(inst->type);
    NornRef moved = norn_simplify_constant(simplifier, inner->op == IADD ? (bits - other) & mask
                                                                         : bits ^ other);
    operands = norn_operands(function, inst);
    operands[0] = a;
    operands[1] = moved;
    return REWRITTEN;
  }
  if (inner->op == LSHR && bits == 0)
    return compare_high_bits(simplifier, inst, inner);
  if (inner->op == ZEXT && inner->source_type == NORN_TYPE_I32 && bits <= UINT32_MAX) {
    inst->type = NORN_TYPE_I32;
    operands[0] = a;
    return REWRITTEN;
  }
  if ((inner->op == ISUB || inner->op == XOR) && bits == 0) {
    operands[0] = a;
    operands[1] = b;
    return REWRITTEN;
  }
  if ((inner->op == ZEXT || inner->op == SEXT) && inner->source_type == NORN_TYPE_I1 && bits == 0) {
    if (inst->modifier == NORN_INT_CONDITION_NE)
      return norn_simplify_replace(replacement, a);
    inst->type = NORN_TYPE_I1;
    norn_simplify_rewrite(simplifier, index, NOT, &a, 1);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* The complement of a comparison is a comparison. */
static Outcome
simplify_not(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  (void)replacement;
  NornFunction *function = simplifier->function;
  const NornInst *inner = norn_defining_inst(function, norn_operand(function, index, 0));
  if (!inner || (inner->op != ICMP && inner->op != FCMP))
    return UNCHANGED;
  uint8_t modifier = (uint8_t)(inner->op == ICMP ? norn_inverse_int_condition(inner->modifier)
                                                 : norn_inverse_float_condition(inner->modifier));
  uint8_t type = inner->type;
  NornRef operands[2] = {norn_simplify_resolve(simplifier, norn_operands(function, inner)[0]),
                         norn_simplify_resolve(simplifier, norn_operands(function, inner)[1])};
  norn_simplify_rewrite(simplifier, index, inner->op, operands, 2);
  norn_inst(function, index)->modifier = modifier;
  norn_inst(function, index)->type = type;
  return REWRITTEN;
}

/* Chains of extensions, truncations and bitcasts. */
static Outcome
simplify_conversion(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  NornInst *inst = norn_inst(function, index);
  if (inst->type == inst->source_type)
    return norn_simplify_replace(replacement, norn_operand(function, index, 0));
  const NornInst *inner = norn_defining_inst(function, norn_operand(function, index, 0));
  if (!inner || norn_is_machine(inner) || inner->operand_count != 1)
    return UNCHANGED;
  NornRef source = norn_simplify_resolve(simplifier, norn_operands(function, inner)[0]);
  bool inner_extends = inner->op == ZEXT || inner->op == SEXT;
  uint8_t source_type = inner->source_type;
  unsigned op;
  if (inst->op == BITCAST && inner->op == BITCAST)
    op = BITCAST;
  else if (inst->op == TRUNC && inner->op == TRUNC)
    op = TRUNC;
  else if ((inst->op == ZEXT && inner->op == ZEXT) || (inst->op == SEXT && inner_extends))
    op = inner->op;
  else if (inst->op == TRUNC && inner_extends)
    op = norn_type_bits(inst->type) < norn_type_bits(source_type) ? TRUNC : inner->op;
  else if (inst->op == ZEXT && inner->op == TRUNC && source_type == inst->type) {
    NornRef operands[2] = {source, norn_simplify_constant(simplifier, norn_type_mask(inner->type))};
    norn_simplify_rewrite(simplifier, index, AND, operands, 2);
    return REWRITTEN;
  } else
    return UNCHANGED;
  if (source_type == inst->type)
    return norn_simplify_replace(replacement, source);
  norn_simplify_rewrite(simplifier, index, op, &source, 1);
  norn_inst(function, index)->source_type = source_type;
  return REWRITTEN;
}

/* --- Widened 16-bit floats --- */

/* Whether the float was computed by an operation, so that it is neither a NaN with a payload nor,
 * if subnormals are flushed, a subnormal: widening and narrowing does not change it. */
static bool
is_computed_float(const Simplifier *simplifier, NornRef ref) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = norn_defining_inst(function, ref);
  if (inst && inst->op == EXTRACT)
    inst = norn_defining_inst(function,
                              norn_simplify_resolve(simplifier, norn_operands(function, inst)[0]));
  if (!inst || norn_is_machine(inst))
    return false;
  return norn_simplify_is_float_arithmetic(inst->op) || inst->op == FROUND;
}

/* The 16-bit float that was widened to `ref`, and that narrowing `ref` yields again; 0 if there is
 * none. */
static NornRef
narrow_source(const Simplifier *simplifier, NornRef ref) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || inst->op != FPCONV || inst->type != NORN_TYPE_F32 ||
      inst->source_type != NORN_TYPE_F16)
    return 0;
  NornRef source = norn_simplify_resolve(simplifier, norn_operands(function, inst)[0]);
  bool is_same =
      norn_inst_is_finite(inst) && function->module->denormals == NORN_DENORMALS_PRESERVE;
  return is_same || is_computed_float(simplifier, source) ? source : 0;
}

static Outcome
simplify_float_conversion(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  NornRef source = inst->type == NORN_TYPE_F16 && inst->source_type == NORN_TYPE_F32
                       ? narrow_source(simplifier, norn_operand(simplifier->function, index, 0))
                       : 0;
  return source ? norn_simplify_replace(replacement, source) : UNCHANGED;
}

/* The pair of which these are lanes 0 and 1; 0 if there is none. */
static NornRef
whole_pair(const Simplifier *simplifier, const NornRef *lanes) {
  const NornFunction *function = simplifier->function;
  NornRef pair = 0;
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *inst = lanes[k] ? norn_defining_inst(function, lanes[k]) : NULL;
    if (!inst || inst->op != EXTRACT || norn_types[inst->source_type].lanes != 2 ||
        !norn_simplify_is_constant_of(simplifier, norn_operands(function, inst)[1], k))
      return 0;
    NornRef own = norn_simplify_resolve(simplifier, norn_operands(function, inst)[0]);
    if (k && own != pair)
      return 0;
    pair = own;
  }
  return pair;
}

/* Two computed halves that are widened and packed again. */
static Outcome
simplify_pack_half(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  (void)replacement;
  NornFunction *function = simplifier->function;
  NornRef lanes[2];
  for (unsigned k = 0; k < 2; k++)
    lanes[k] = narrow_source(simplifier, norn_operand(function, index, k));
  if (!lanes[0] || !lanes[1])
    return UNCHANGED;
  NornRef pair = whole_pair(simplifier, lanes);
  if (!pair) {
    NornBuilder builder = norn_builder_before(function, index);
    pair = norn_build_vec(&builder, NORN_TYPE_V2F16, NORN_TYPE_F16, 2, lanes);
  }
  norn_simplify_rewrite(simplifier, index, BITCAST, &pair, 1);
  norn_inst(function, index)->type = NORN_TYPE_I32;
  norn_inst(function, index)->source_type = NORN_TYPE_V2F16;
  return REWRITTEN;
}

/* The existing pair or constant that consists of the two lanes; 0 if there is none. */
static NornRef
ready_pair(const Simplifier *simplifier, const NornRef *lanes) {
  NornModule *module = simplifier->function->module;
  if (!norn_is_constant(lanes[0]) || !norn_is_constant(lanes[1]))
    return whole_pair(simplifier, lanes);
  return norn_constant(module, norn_constant_bits(module, lanes[0]) |
                                   norn_constant_bits(module, lanes[1]) << 16);
}

/* Two lanes that the same condition selects from pairs become one selection between pairs. */
static Outcome
simplify_selected_pair(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *first = norn_defining_inst(function, norn_operand(function, index, 0));
  const NornInst *second = norn_defining_inst(function, norn_operand(function, index, 1));
  if (!first || !second || first->op != SELECT || second->op != SELECT ||
      norn_types[norn_inst(function, index)->type].lane_bits != 16 ||
      !norn_simplify_may_make(simplifier, SELECT, norn_inst(function, index)->type))
    return UNCHANGED;
  NornRef operands[3];
  for (unsigned k = 0; k < 3; k++) {
    const NornRef lanes[2] = {
        norn_simplify_resolve(simplifier, norn_operands(function, first)[k]),
        norn_simplify_resolve(simplifier, norn_operands(function, second)[k])};
    operands[k] = k ? ready_pair(simplifier, lanes) : lanes[0] == lanes[1] ? lanes[0] : 0;
    if (!operands[k])
      return UNCHANGED;
  }
  norn_simplify_rewrite(simplifier, index, SELECT, operands, 3);
  return REWRITTEN;
}

/* Two floats that are narrowed to halves in the same way become a pair in one instruction. */
static Outcome
simplify_narrowed_pair(Simplifier *simplifier, uint32_t index, const NornRef lanes[2]) {
  NornFunction *function = simplifier->function;
  NornRef sources[2];
  uint8_t rounding = 0;
  if (!norn_simplify_may_make(simplifier, NORN_OP_PACK_HALF, NORN_TYPE_F32))
    return UNCHANGED;
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *half =
        norn_defining_inst(function, norn_simplify_resolve(simplifier, lanes[k]));
    if (!half || half->op != FPCONV || half->type != NORN_TYPE_F16 ||
        half->source_type != NORN_TYPE_F32 || (k && half->modifier != rounding))
      return UNCHANGED;
    rounding = half->modifier;
    sources[k] = norn_simplify_resolve(simplifier, norn_operands(function, half)[0]);
  }
  NornBuilder builder = norn_builder_before(function, index);
  NornRef word = norn_build_op(&builder, NORN_OP_PACK_HALF, rounding, NORN_TYPE_F32, NORN_TYPE_VOID,
                               sources, 2);
  norn_simplify_rewrite(simplifier, index, BITCAST, &word, 1);
  norn_inst(function, index)->source_type = NORN_TYPE_I32;
  return REWRITTEN;
}

/* A pair that is composed of its own lanes, or of two lanes that are computed alike. */
static Outcome
simplify_vec(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  if (norn_types[inst->type].lanes != 2)
    return UNCHANGED;
  const NornRef lanes[2] = {norn_operand(function, index, 0), norn_operand(function, index, 1)};
  NornRef pair = whole_pair(simplifier, lanes);
  if (pair)
    return norn_simplify_replace(replacement, pair);
  Outcome outcome = simplify_selected_pair(simplifier, index);
  return outcome == UNCHANGED ? simplify_narrowed_pair(simplifier, index, lanes) : outcome;
}

/* Whether the product is that of a workgroup's position on the axis and the size of workgroups. */
static bool
is_workgroup_start(const Simplifier *simplifier, NornRef ref, unsigned axis) {
  const NornFunction *function = simplifier->function;
  const NornInst *product = norn_defining_inst(function, ref);
  if (!product || (product->op != IMUL && product->op != SHL))
    return false;
  NornRef factor = norn_operands(function, product)[1];
  const NornInst *group = norn_defining_inst(
      function, norn_simplify_resolve(simplifier, norn_operands(function, product)[0]));
  if (!group || group->op != WORKGROUP_ID || group->modifier != axis || !norn_is_constant(factor))
    return false;
  uint64_t bits = norn_constant_bits(simplifier->module, factor);
  return simplifier->module->workgroup[axis] ==
         (product->op == SHL ? UINT64_C(1) << (bits & 31) : bits);
}

/* The first position in a workgroup plus an invocation's position in it is its position in the
 * grid. */
static Outcome
simplify_position(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  (void)replacement;
  NornFunction *function = simplifier->function;
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *local = norn_defining_inst(function, norn_operand(function, index, k));
    if (!local || local->op != LOCAL_ID ||
        !is_workgroup_start(simplifier, norn_operand(function, index, 1 - k), local->modifier))
      continue;
    uint8_t axis = local->modifier;
    norn_simplify_rewrite(simplifier, index, GLOBAL_ID, NULL, 0);
    norn_inst(function, index)->modifier = axis;
    return REWRITTEN;
  }
  return UNCHANGED;
}

static Outcome
simplify_copy(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  return norn_simplify_replace(replacement, norn_operand(simplifier->function, index, 0));
}

/* The identities of each operation, in the order in which they are tried. */
#define MAX_IDENTITIES 6
static Identity *const identities[NORN_OP_COUNT][MAX_IDENTITIES] = {
    [COPY] = {simplify_copy},
    [ICMP] = {simplify_icmp, norn_simplify_by_range},
    [NOT] = {simplify_not},
    [ZEXT] = {simplify_conversion},
    [SEXT] = {simplify_conversion},
    [TRUNC] = {simplify_conversion, norn_simplify_parts},
    [BITCAST] = {simplify_conversion, norn_simplify_parts},
    [FPCONV] = {simplify_float_conversion},
    [PACK_HALF] = {simplify_pack_half},
    [VEC] = {simplify_vec, norn_simplify_parts},
    [EXTRACT] = {norn_simplify_parts},
    [SELECT] = {norn_simplify_select},
    [IADD] = {simplify_position, norn_simplify_dot, norn_simplify_selected_constants,
              norn_simplify_bits, norn_simplify_parts, norn_simplify_address},
    [ISUB] = {norn_simplify_selected_constants},
    [IMUL] = {norn_simplify_selected_constants},
    [INEG] = {norn_simplify_selected_constants},
    [IABS] = {norn_simplify_by_range},
    [AND] = {norn_simplify_selected_constants, norn_simplify_parts, norn_simplify_by_range,
             norn_simplify_part_of_sum},
    [OR] = {norn_simplify_selected_constants, norn_simplify_bits, norn_simplify_parts,
            norn_simplify_by_range},
    [XOR] = {norn_simplify_selected_constants, norn_simplify_bits, norn_simplify_parts},
    [BITSELECT] = {norn_simplify_bits},
    [ROTL] = {norn_simplify_bits},
    [ROTR] = {norn_simplify_bits},
    [BITREVERSE] = {norn_simplify_bits},
    [SHL] = {norn_simplify_selected_constants, norn_simplify_bits, norn_simplify_parts},
    [LSHR] = {norn_simplify_selected_constants, norn_simplify_parts, norn_simplify_by_range,
              norn_simplify_part_of_sum},
    [ASHR] = {norn_simplify_selected_constants, norn_simplify_parts, norn_simplify_by_range,
              norn_simplify_part_of_sum},
    [SMIN] = {norn_simplify_selected_constants, norn_simplify_by_range},
    [SMAX] = {norn_simplify_selected_constants, norn_simplify_by_range},
    [UMIN] = {norn_simplify_selected_constants, norn_simplify_by_range},
    [UMAX] = {norn_simplify_selected_constants, norn_simplify_by_range},
    [UDIV] = {norn_simplify_by_range},
    [SDIV] = {norn_simplify_by_range},
    [UREM] = {norn_simplify_by_range},
    [SREM] = {norn_simplify_by_range},
    [FADD] = {norn_simplify_selected_constants, norn_simplify_float},
    [FSUB] = {norn_simplify_selected_constants, norn_simplify_float},
    [FMUL] = {norn_simplify_selected_constants, norn_simplify_chosen_sign, norn_simplify_scaled},
    [FMA] = {norn_simplify_selected_constants, norn_simplify_bit, norn_simplify_scaled},
    [FMIN] = {norn_simplify_selected_constants},
    [FMAX] = {norn_simplify_selected_constants},
    [FSAT] = {norn_simplify_selected_constants, norn_simplify_scaled},
    [FSAT_SIGNED] = {norn_simplify_selected_constants},
    [FCLAMP_POS] = {norn_simplify_selected_constants},
    [FDIV] = {norn_simplify_float},
    [FRCP] = {norn_simplify_selected_constants, norn_simplify_float},
    [FRSQ] = {norn_simplify_selected_constants},
    [FSQRT] = {norn_simplify_selected_constants},
    [FROUND] = {norn_simplify_selected_constants, norn_simplify_float},
    [SITOFP] = {norn_simplify_selected_constants},
    [UITOFP] = {norn_simplify_selected_constants},
    [FPTOSI] = {norn_simplify_float},
    [FPTOUI] = {norn_simplify_float},
    [SHLADD] = {norn_simplify_address},
    [LOAD_GLOBAL] = {norn_simplify_address},
    [STORE_GLOBAL] = {norn_simplify_address},
    [LOAD_SHARED] = {norn_simplify_address},
    [LOAD_SCRATCH] = {norn_simplify_address},
    [STORE_SHARED] = {norn_simplify_address},
    [STORE_SCRATCH] = {norn_simplify_address},
};

Outcome
norn_simplify_special(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  Identity *const *tried = identities[norn_inst(simplifier->function, index)->op];
  Outcome outcome = UNCHANGED;
  for (unsigned k = 0; k < MAX_IDENTITIES && tried[k] && outcome == UNCHANGED; k++)
    outcome = tried[k](simplifier, index, replacement);
  return outcome;
}
