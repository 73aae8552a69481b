/* Lower: replaces operations that the target has no instructions for by ones that it has.
 *
 * The target reports what it can select. Everything else is expanded by the function for the
 * operation in one of the files lower_*.c. The instructions of an expansion are visited in turn, so
 * expansions may use each other: they lead from narrow or packed types to words, from 64 bits to
 * words, and from rare operations to common ones. An operation without an expansion stays, and
 * selection refuses it by name. Groups that are larger than any access are split first
 * (lower_groups.c). */
#include "passes/lower/lower.h"

/* Maximum depth of expansions of expansions; a longer chain would be a cycle. */
#define MAX_EXPANSIONS 4096

typedef struct Expander {
  bool changed;
  NornLowering lowering;
  NornReplacements replacements;
} Expander;

NornRef
norn_lower_emit(NornLowering *lowering, NornOp op, NornType type, NornType source_type,
                unsigned modifier, NornRef a, NornRef b, NornRef c) {
  NornRef operands[3] = {a, b, c};
  unsigned count = 0;
  while (count < G_N_ELEMENTS(operands) && operands[count])
    count++;
  return norn_build_op(&lowering->builder, op, modifier, type, source_type, operands, count);
}

NornRef
norn_lower_pack_lanes(NornLowering *lowering, NornType type, NornType lane, const NornRef *parts) {
  return norn_build_vec(&lowering->builder, type, lane, norn_types[type].lanes, parts);
}

NornType
norn_lower_lane_type(NornType type) {
  switch (type) {
  case NORN_TYPE_V4I8:
    return NORN_TYPE_I8;
  case NORN_TYPE_V2I16:
    return NORN_TYPE_I16;
  case NORN_TYPE_V2F16:
    return NORN_TYPE_F16;
  default:
    return type;
  }
}

NornRef
norn_lower_by_lane(NornLowering *lowering) {
  bool has_source = norn_ops[lowering->op].source_types != 0;
  NornType from = has_source ? lowering->source_type : lowering->type;
  NornType lane = norn_lower_lane_type(lowering->type), from_lane = norn_lower_lane_type(from);
  NornRef operands[3] = {lowering->a, lowering->b, lowering->c}, parts[4];
  for (unsigned k = 0; k < norn_types[lowering->type].lanes; k++) {
    NornRef own[3] = {0};
    for (unsigned j = 0; j < G_N_ELEMENTS(own) && operands[j]; j++)
      own[j] = norn_lower_emit(lowering, NORN_OP_EXTRACT, from_lane, from, 0, operands[j],
                               norn_constant(lowering->module, k), 0);
    parts[k] =
        norn_lower_emit(lowering, lowering->op, lane, has_source ? from_lane : NORN_TYPE_VOID,
                        lowering->modifier, own[0], own[1], own[2]);
  }
  return norn_lower_pack_lanes(lowering, lowering->type, lane, parts);
}

NornRef
norn_lower_constant(NornLowering *lowering, NornType type, uint64_t lane) {
  unsigned width = norn_types[type].lane_bits;
  uint64_t bits = 0;
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    bits |= (width >= 64 ? lane : lane & ((UINT64_C(1) << width) - 1)) << (k * width % 64);
  return norn_constant(lowering->module, bits);
}

static inline bool
is_constant_or_of_bits(const NornLowering *lowering, NornRef ref, unsigned bits) {
  return norn_ref_kind(ref) != NORN_REF_VALUE ||
         norn_type_bits(norn_value(lowering->function, norn_ref_payload(ref))->type) == bits;
}

void
norn_lower_split(NornLowering *lowering, NornRef value, NornRef words[2]) {
  NORN_ASSERT(is_constant_or_of_bits(lowering, value, 64));
  if (norn_is_constant(value)) {
    uint64_t bits = norn_constant_bits(lowering->module, value);
    words[0] = norn_constant(lowering->module, (uint32_t)bits);
    words[1] = norn_constant(lowering->module, bits >> 32);
    return;
  }
  words[0] = norn_lower_emit(lowering, NORN_OP_SPLIT, NORN_TYPE_I32, NORN_TYPE_I64, 0, value, 0, 0);
  words[1] = words[0] + 1; /* the next value */
}

NornRef
norn_lower_join(NornLowering *lowering, NornRef low, NornRef high) {
  NORN_ASSERT(is_constant_or_of_bits(lowering, low, 32));
  NORN_ASSERT(is_constant_or_of_bits(lowering, high, 32));
  return norn_lower_emit(lowering, NORN_OP_COLLECT, NORN_TYPE_I32, NORN_TYPE_I64, 0, low, high, 0);
}

static NornLowerFunction
find_expansion(NornOp op) {
  static const NornLowerFunction *const kinds[] = {
      norn_lower_integer, norn_lower_float, norn_lower_divide, norn_lower_lanes, norn_lower_memory};
  NornLowerFunction lower = NULL;
  for (unsigned k = 0; k < G_N_ELEMENTS(kinds) && !lower; k++)
    lower = kinds[k][op];
  return lower;
}

bool
norn_lower_expands(NornOp op) {
  return find_expansion(op) != NULL;
}

/* Erases the instructions between `before` (or the start of the block) and the instruction if they
 * contain the same operation: then the expansion is for targets that have the operation, and
 * expanding would never end. */
static bool
erase_if_same(NornFunction *function, uint32_t before, uint32_t index) {
  const NornInst self = *norn_inst(function, index);
  bool is_same = false;
  for (uint32_t inst = self.previous; inst != before; inst = norn_inst(function, inst)->previous) {
    const NornInst *other = norn_inst(function, inst);
    is_same |= other->op == self.op && other->type == self.type &&
               other->source_type == self.source_type && other->modifier == self.modifier;
  }
  for (uint32_t inst = self.previous, previous; is_same && inst != before; inst = previous) {
    previous = norn_inst(function, inst)->previous;
    norn_inst_erase(function, inst);
  }
  return is_same;
}

/* Whether the replacement of a value has its type; a constant has any type. */
static inline bool
has_type_of(const NornFunction *function, NornRef ref, uint32_t value) {
  return ref &&
         (norn_ref_kind(ref) != NORN_REF_VALUE ||
          norn_value(function, norn_ref_payload(ref))->type == norn_value(function, value)->type);
}

/* Expands the instruction if possible. */
static bool
expand(Expander *expander, uint32_t index) {
  NornLowering *lowering = &expander->lowering;
  NornFunction *function = lowering->function;
  const NornInst *inst = norn_inst(function, index);
  NornLowerFunction lower = find_expansion(inst->op);
  if (!lower || inst->operand_count > NORN_LOWER_OPERANDS)
    return false;
  NornRef operands[NORN_LOWER_OPERANDS] = {0}, more[NORN_LOWER_OPERANDS] = {0};
  for (unsigned k = 0; k < inst->operand_count; k++)
    operands[k] = norn_replacements_get(&expander->replacements, norn_operand(function, index, k));
  lowering->builder = norn_builder_in_place_of(function, index);
  lowering->op = inst->op;
  lowering->type = inst->type;
  lowering->source_type = inst->source_type;
  lowering->modifier = inst->modifier;
  lowering->a = operands[0];
  lowering->b = operands[1];
  lowering->c = operands[2];
  lowering->d = operands[3];
  uint32_t before = inst->previous;
  NornRef result = lower(lowering, more);
  NORN_ASSERT(inst->op == lowering->op && inst->result_count <= 1 + NORN_LOWER_OPERANDS);
  if (!result || erase_if_same(function, before, index))
    return false;
  uint32_t first = norn_inst(function, index)->result;
  for (unsigned k = 0; k < norn_inst(function, index)->result_count; k++) {
    NornRef ref = k ? more[k - 1] : result;
    NORN_ASSERT(has_type_of(function, ref, first + k));
    norn_replacements_set(&expander->replacements, first + k, ref);
    norn_move_name(function, ref, first + k);
  }
  return true;
}

bool
norn_lower_is_missing(const NornTarget *target, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  /* An operation that only moves values between lanes does not compute. */
  bool moves = info->flags & NORN_OP_CONVERGENT && info->types & ~NORN_SET_FLOAT & NORN_SET_INT;
  return !moves && (norn_type_in(target->missing_types, inst->type) ||
                    norn_type_in(target->missing_types, inst->source_type));
}

static void
lower_block(Expander *expander, uint32_t block) {
  NornPassContext *context = expander->lowering.context;
  NornFunction *function = expander->lowering.function;
  unsigned expansions = 0;
  for (uint32_t inst = norn_block(function, block)->first; inst != NORN_INDEX_NONE;) {
    const NornInst *self = norn_inst(function, inst);
    uint32_t previous = self->previous, next = self->next;
    if (expansions++ > MAX_EXPANSIONS || norn_lower_is_missing(context->target, self) ||
        context->target->supports(context->target, function, self) || !expand(expander, inst)) {
      inst = next;
      if (expansions <= MAX_EXPANSIONS)
        expansions = 0;
      continue;
    }
    /* Continue with the first instruction of the expansion. */
    norn_inst_erase(function, inst);
    inst = previous == NORN_INDEX_NONE ? norn_block(function, block)->first
                                       : norn_inst(function, previous)->next;
    if (inst == next) /* it was empty */
      expansions = 0;
    expander->changed = true;
  }
}

bool
norn_pass_lower(NornPassContext *context, NornFunction *function, GError **error) {
  bool changed = norn_lower_groups(context, function);
  bool *diverged = norn_lower_find_diverged(context, function);
  Expander expander = {.lowering = {.context = context,
                                    .module = context->module,
                                    .function = function,
                                    .diverged = diverged},
                       .replacements.arena = &context->arena};
  changed |= norn_lower_full_ballots(context, function, diverged, &expander.replacements);
  norn_for_each_block (function, block)
    if (norn_pass_continues(context, 1))
      lower_block(&expander, block);
  norn_replacements_apply(&expander.replacements, function);
  context->is_lowered = true;
  norn_pass_report(context, changed || expander.changed);
  if (context->module->scratch_size > NORN_SCRATCH_LIMIT)
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "%s: the variables need %u bytes of thread-local memory, expected at most %u",
                context->module->filename, context->module->scratch_size, NORN_SCRATCH_LIMIT);
  return context->module->scratch_size <= NORN_SCRATCH_LIMIT;
}
