/* Edits of instructions: removing them, or simplifying their operands. */
#include "ir/arena.h"
#include "ir/ops.h"
#include "ir/reduce/edit.h"
#include "ir/replacements.h"

void
norn_edit_visit(NornEditCursor *cursor, NornEditVisit visit) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    NornArena arena = {0};
    NornReplacements replacements = {.arena = &arena};
    norn_for_each_block (function, block) {
      for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
           inst = next) {
        next = norn_inst(function, inst)->next;
        visit(cursor, function, inst, &replacements);
      }
    }
    norn_replacements_apply(&replacements, function);
    norn_arena_free(&arena);
  }
}

static NornType
result_type(const NornFunction *function, uint32_t inst, unsigned k) {
  return (NornType)norn_value(function, norn_inst(function, inst)->result + k)->type;
}

/* --- Whole instructions --- */

/* Whether the instruction already is a group of zeros. */
static bool
is_zero_group(const NornFunction *function, uint32_t inst) {
  if (norn_inst(function, inst)->op != NORN_OP_COLLECT)
    return false;
  for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++)
    if (norn_operand(function, inst, k) != norn_constant(function->module, 0))
      return false;
  return norn_type_bits(result_type(function, inst, 0)) > 64;
}

static bool *
find_used(const NornFunction *function) {
  bool *used = g_new0(bool, function->value_count + 1);
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst)
      norn_for_each_use (function, norn_inst(function, inst), use)
        used[use.value] = true;
  }
  return used;
}

static void
erase(NornFunction *function, uint32_t inst, NornReplacements *replacements) {
  for (unsigned k = 0; k < norn_inst(function, inst)->result_count; k++)
    norn_replacements_set(replacements, norn_inst(function, inst)->result + k,
                          norn_edit_zero(function, norn_inst(function, inst)->block, inst,
                                         result_type(function, inst, k)));
  norn_inst_erase(function, inst);
}

/* Sites: instructions other than terminators. They are removed and their values replaced by zeros.
 */
static void
visit_erase(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
            NornReplacements *replacements) {
  if (!norn_is_terminator(function, norn_inst(function, inst)) && !is_zero_group(function, inst) &&
      norn_edit_takes(cursor))
    erase(function, inst, replacements);
}

/* The same for unused values, which need no replacement. */
static void
erase_unused(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    bool *used = find_used(function);
    norn_for_each_block (function, block) {
      for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
           inst = next) {
        const NornInst *self = norn_inst(function, inst);
        next = self->next;
        bool any = !self->result_count;
        for (unsigned k = 0; k < self->result_count; k++)
          any |= used[self->result + k];
        if (!any && norn_edit_takes(cursor))
          norn_inst_erase(function, inst);
      }
    }
    g_free(used);
  }
}

/* Variant 0: only instructions whose values are unused; variant 1: all. */
void
norn_edit_erase(NornEditCursor *cursor) {
  if (cursor->variant == 0)
    erase_unused(cursor);
  else
    norn_edit_visit(cursor, visit_erase);
}

/* Sites: instructions with an operand of the result's type. That operand (the variant says which
 * one) replaces the result. */
static void
visit_forward(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
              NornReplacements *replacements) {
  const NornInst *self = norn_inst(function, inst);
  if (self->result_count != 1 || norn_is_terminator(function, self))
    return;
  unsigned fitting = 0;
  for (unsigned k = 0; k < self->operand_count; k++) {
    NornRef ref = norn_operand(function, inst, k) & ~NORN_REF_LAST_USE;
    NornRefKind kind = norn_ref_kind(ref);
    if ((kind != NORN_REF_VALUE && kind != NORN_REF_UNIFORM) ||
        norn_operand_type(function, inst, k) != result_type(function, inst, 0) ||
        fitting++ != cursor->variant)
      continue;
    ref = norn_replacements_get(replacements, ref);
    if (ref == norn_ref(NORN_REF_VALUE, self->result) || !norn_edit_takes(cursor))
      return;
    norn_replacements_set(replacements, self->result, ref);
    norn_inst_erase(function, inst);
    return;
  }
}

void
norn_edit_forward(NornEditCursor *cursor) {
  norn_edit_visit(cursor, visit_forward);
}

/* --- Operands --- */

/* The replacement of a constant by variant: 0, 1 or half of it. */
static uint64_t
simpler_bits(uint64_t bits, NornType type, unsigned variant) {
  if (norn_types[type].class == NORN_CLASS_FLOAT && norn_types[type].lanes == 1 && variant)
    return variant == 1 ? norn_float_bits(type, 1.0) : bits;
  return variant == 0 ? 0 : variant == 1 ? 1 : bits / 2;
}

/* Sites: operands of at most 64 bits that are values or uniforms. They are replaced by zero
 * (variant 0) or one. */
static void
visit_operands(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
               NornReplacements *replacements) {
  (void)replacements;
  for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++) {
    NornRefKind kind = norn_ref_kind(norn_operand(function, inst, k));
    NornType type = norn_operand_type(function, inst, k);
    if ((kind == NORN_REF_VALUE || kind == NORN_REF_UNIFORM) && type != NORN_TYPE_VOID &&
        norn_type_bits(type) <= 64 && norn_edit_takes(cursor))
      norn_set_operand(function, inst, k,
                       norn_constant(function->module, simpler_bits(0, type, cursor->variant)));
  }
}

void
norn_edit_operands(NornEditCursor *cursor) {
  norn_edit_visit(cursor, visit_operands);
}

/* The first value of each type in a function, in program order. */
static void
find_oldest(const NornFunction *function, NornRef oldest[NORN_TYPE_COUNT]) {
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++)
    oldest[type] = 0;
  norn_for_each_block (function, block) {
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
      uint32_t value = norn_block_parameter(function, block, k);
      if (!oldest[norn_value(function, value)->type])
        oldest[norn_value(function, value)->type] = norn_ref(NORN_REF_VALUE, value);
    }
    norn_for_each_inst (function, block, inst)
      for (unsigned k = 0; k < norn_inst(function, inst)->result_count; k++)
        if (!oldest[result_type(function, inst, k)])
          oldest[result_type(function, inst, k)] = norn_result(function, inst, k);
  }
}

/* Sites: operands that are values. They are replaced by the first value of their type. */
static void
use_oldest(NornEditCursor *cursor, NornFunction *function, uint32_t inst, const NornRef *oldest) {
  for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++) {
    NornRef ref = norn_operand(function, inst, k) & ~NORN_REF_LAST_USE;
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    NornRef older = oldest[norn_value(function, norn_ref_payload(ref))->type];
    if (older && older != ref && norn_edit_takes(cursor))
      norn_set_operand(function, inst, k, older);
  }
}

void
norn_edit_older_operands(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    NornRef oldest[NORN_TYPE_COUNT];
    find_oldest(function, oldest);
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, inst)
        use_oldest(cursor, function, inst, oldest);
  }
}

/* --- Constants --- */

/* Whether the variant leaves the constant alone: 0 is the plainest, then 1. */
static bool
is_plain_bits(uint64_t bits, NornType type, unsigned variant) {
  return bits == 0 || (variant && bits == simpler_bits(bits, type, 1));
}

/* Sites: constants other than 0, and, except for variant 0, other than 1. */
static void
visit_constants(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
                NornReplacements *replacements) {
  (void)replacements;
  for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++) {
    NornRef ref = norn_operand(function, inst, k);
    NornType type = norn_operand_type(function, inst, k);
    if (!norn_is_constant(ref) || type == NORN_TYPE_VOID)
      continue;
    uint64_t bits = norn_constant_bits(function->module, ref);
    uint64_t simpler = simpler_bits(bits, type, cursor->variant);
    if (!is_plain_bits(bits, type, cursor->variant) && simpler != bits && norn_edit_takes(cursor))
      norn_set_operand(function, inst, k, norn_constant(function->module, simpler));
  }
}

void
norn_edit_constants(NornEditCursor *cursor) {
  norn_edit_visit(cursor, visit_constants);
}

/* --- Flags, immediates, modifiers --- */

static void
visit_flags(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
            NornReplacements *replacements) {
  (void)replacements;
  for (unsigned k = 0; k < NORN_INST_FLAG_COUNT; k++) {
    uint16_t flag = norn_inst_flags[k].flag;
    if (flag != NORN_INST_DIVERGENT && norn_inst(function, inst)->flags & flag &&
        norn_edit_takes(cursor))
      norn_inst(function, inst)->flags &= (uint16_t)~flag;
  }
}

void
norn_edit_flags(NornEditCursor *cursor) {
  norn_edit_visit(cursor, visit_flags);
}

/* Sites: nonzero named immediates. They become 0 (variant 0) or half of their value. */
static void
visit_immediates(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
                 NornReplacements *replacements) {
  (void)replacements;
  NornInst *self = norn_inst(function, inst);
  if (norn_is_machine(self))
    return;
  for (NornImmediate k = 0; k < NORN_IMMEDIATE_COUNT; k++) {
    if (!(norn_ops[self->op].flags & norn_immediates[k].flag))
      continue;
    int64_t old = norn_immediate(self->payload, k), new = cursor->variant ? old / 2 : 0;
    if (new != old && norn_edit_takes(cursor))
      self->payload = norn_set_immediate(self->payload, k, new);
  }
}

void
norn_edit_immediates(NornEditCursor *cursor) {
  norn_edit_visit(cursor, visit_immediates);
}

/* Sites: modifiers (conditions, rounding, kinds of reduction ...) other than the first of their
 * enumeration. */
static void
visit_modifiers(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
                NornReplacements *replacements) {
  (void)replacements;
  NornInst *self = norn_inst(function, inst);
  if (!norn_is_machine(self) && self->modifier && norn_edit_takes(cursor))
    self->modifier = 0;
}

void
norn_edit_modifiers(NornEditCursor *cursor) {
  norn_edit_visit(cursor, visit_modifiers);
}
