/* Generic instructions, checked against their operations' rows. */
#include "ir/analysis/path_outputs.h"
#include "ir/verify/verifier.h"

/* Maximum bytes of varyings of a vertex: far more than any interface grants, and instructions can
 * name every location. */
#define VARYING_LIMIT 4096

/* Whether this number of operands or results is allowed; `has_value`: an optional one may be
 * present. */
static bool
count_fits(NornArity arity, unsigned count, bool has_value) {
  if (arity.is_repeated)
    return count >= arity.fixed;
  return count == arity.fixed || (arity.is_optional && has_value && count == arity.fixed + 1);
}

/* Checks that the instruction has a form allowed by its row, so that the letters are meaningful. */
static bool
check_form(NornVerifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  if (inst->type >= NORN_TYPE_COUNT || inst->source_type >= NORN_TYPE_COUNT ||
      (info->types && !norn_type_in(info->types, inst->type)) ||
      (info->source_types && !norn_type_in(info->source_types, inst->source_type))) {
    norn_verify_fault(v, "%s does not exist for %s%s%s", info->name,
                      inst->type < NORN_TYPE_COUNT ? norn_types[inst->type].name : "this type",
                      info->source_types ? " and " : "",
                      info->source_types && inst->source_type < NORN_TYPE_COUNT
                          ? norn_types[inst->source_type].name
                          : "");
    return false;
  }
  if (info->modifier && inst->modifier >= norn_modifiers[info->modifier].count) {
    norn_verify_fault(v, "%s: modifier %u does not exist", info->name, inst->modifier);
    return false;
  }
  uint64_t stages = info->flags & NORN_OP_STAGES;
  if (stages && !(stages & (NORN_OP_COMPUTE << v->module->stage)))
    norn_verify_fault(v, "%s is not available in %s shaders", info->name,
                      norn_stage_names[v->module->stage]);
  if (v->module->tests_early &&
      (inst->op == NORN_OP_STORE_DEPTH || inst->op == NORN_OP_STORE_STENCIL))
    norn_verify_fault(v, "%s: not allowed in a shader with early tests", info->name);
  char *problem = norn_form_problem(inst->op, inst->type, inst->source_type, inst->modifier);
  if (problem)
    norn_verify_fault(v, "%s", problem);
  g_free(problem);
  return true;
}

static void
check_results(NornVerifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  NornSignatureCursor cursor = norn_inst_results(inst);
  NornArity arity = norn_cursor_arity(cursor);
  bool has_value = inst->type != NORN_TYPE_VOID;
  if (!count_fits(arity, inst->result_count, has_value)) {
    norn_verify_fault(v, "%s: %u result%s, expected %u", info->name, inst->result_count,
                      inst->result_count == 1 ? "" : "s",
                      arity.fixed + (arity.is_optional && has_value));
    return;
  }
  for (unsigned k = 0; k < inst->result_count; k++, norn_cursor_next(&cursor)) {
    NornType type = norn_value(v->function, inst->result + k)->type;
    NornType wanted = norn_cursor_type(&cursor);
    if (type != wanted) {
      char name[NORN_VERIFY_NAME_SIZE];
      norn_verify_fault(v, "%s: result %u, %s, is %s, expected %s", info->name, k + 1,
                        norn_verify_value_name(v, inst->result + k, name), norn_types[type].name,
                        norn_types[wanted].name);
    }
  }
}

/* Checks the number of coordinates and of the operands after them. */
static void
check_coordinates(NornVerifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  unsigned wanted = norn_coordinate_operands(inst->op, inst->modifier, inst->payload);
  unsigned fixed = norn_operand_arity(inst->op).fixed;
  if (wanted && inst->operand_count != fixed + wanted)
    norn_verify_fault(v, "%s: %u operands, expected %u for the shape %s", info->name,
                      inst->operand_count, fixed + wanted,
                      norn_modifiers[NORN_MODIFIER_DIMENSION].texts[inst->modifier]);
}

/* Checks that the list has one entry for each lane or word. */
static void
check_parts(NornVerifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  bool lists_results = norn_result_arity(inst->op).is_repeated;
  unsigned count = lists_results ? inst->result_count : inst->operand_count;
  unsigned wanted = norn_part_count(inst->type, inst->source_type);
  bool has_lanes = norn_types[inst->type].lanes > 1;
  if (count != wanted)
    norn_verify_fault(v, "%s: %u %s for the %u %s of %s", info->name, count,
                      lists_results ? "results" : "operands", wanted, has_lanes ? "lanes" : "words",
                      norn_types[has_lanes ? inst->type : inst->source_type].name);
}

/* Checks that a varying is within the vertex's block and aligned to its components (or to words, if
 * those are smaller). */
static void
check_varying(NornVerifier *v, const NornInst *inst) {
  NornType component = norn_ops[inst->op].source_types ? inst->source_type : inst->type;
  unsigned alignment = MIN(norn_type_bits(component) / 8, 4u);
  unsigned bytes =
      norn_varying_components(inst->op, inst->type, component) * norn_type_bits(component) / 8;
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  if (offset < 0 || offset + bytes > VARYING_LIMIT)
    norn_verify_fault(v,
                      "%s: %u bytes at offset %" G_GINT64_FORMAT
                      " are not within the %u bytes that varyings can take",
                      norn_ops[inst->op].name, bytes, (gint64)offset, VARYING_LIMIT);
  else if (offset % alignment)
    norn_verify_fault(v, "%s: the offset %" G_GINT64_FORMAT " is not a multiple of %u",
                      norn_ops[inst->op].name, (gint64)offset, alignment);
}

/* Checks that all stores of one color have the same format. */
static void
check_color_output(NornVerifier *v, const NornInst *inst) {
  bool has_target = norn_ops[inst->op].flags & NORN_OP_HAS_TARGET;
  unsigned target = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET);
  uint8_t *format = &v->color_formats[has_target ? target : NORN_VERIFY_TARGETS];
  if (*format && *format != inst->modifier + 1)
    norn_verify_fault(v, "%s: other stores of this color have format %s; all must have the same",
                      norn_verify_inst_name(inst),
                      norn_modifiers[NORN_MODIFIER_FORMAT].texts[*format - 1]);
  *format = inst->modifier + 1;
}

static void
check_return(NornVerifier *v, const NornInst *inst) {
  if (v->function == v->module->functions[0])
    norn_verify_fault(v, "return: the shader itself must end with 'end'");
  else if (inst->type != v->function->result_type)
    norn_verify_fault(v, "return: the type is %s, but the function returns %s",
                      norn_types[inst->type].name, norn_types[v->function->result_type].name);
  else if (inst->operand_count != (inst->type != NORN_TYPE_VOID))
    norn_verify_fault(v, "return: the value is missing");
}

/* Checks that the address is within the constant data. */
static void
check_data_address(NornVerifier *v, const NornInst *inst) {
  NornRef ref = norn_operands(v->function, inst)[0];
  if (norn_is_constant(ref) && norn_constant_bits(v->module, ref) >= v->module->data_size)
    norn_verify_fault(v, "data_address: not within the module's %u bytes of constant data",
                      v->module->data_size);
}

/* Checks what the properties of the row require beyond the signature. */
static void
check_properties(NornVerifier *v, const NornInst *inst) {
  const NornOpInfo *info = &norn_ops[inst->op];
  if (info->modifier == NORN_MODIFIER_DIMENSION && norn_operand_arity(inst->op).is_repeated)
    check_coordinates(v, inst);
  if (info->flags & NORN_OP_PARTS)
    check_parts(v, inst);
  if (info->flags & NORN_OP_VARYING)
    check_varying(v, inst);
  if (info->flags & NORN_OP_OUTPUT && info->modifier == NORN_MODIFIER_FORMAT)
    check_color_output(v, inst);
  if (inst->op == NORN_OP_RETURN)
    check_return(v, inst);
  if (inst->op == NORN_OP_DATA_ADDRESS)
    check_data_address(v, inst);
  v->has_path_outputs |= (info->flags & NORN_OP_ALL_PATHS) != 0;
  bool is_first =
      v->block == v->function->block_order[0] &&
      (inst->previous == NORN_INDEX_NONE || norn_inst(v->function, inst->previous)->op == inst->op);
  if (info->flags & NORN_OP_AT_START && !is_first)
    norn_verify_fault(v, "%s: allowed only at the start of the first block", info->name);
  if (info->flags & NORN_OP_OPENS_BLOCK &&
      (v->block == v->function->block_order[0] || inst->previous != NORN_INDEX_NONE))
    norn_verify_fault(v, "%s: allowed only at the start of a block other than the first",
                      info->name);
}

/* Checks the operands against the letters of the row, and their number. */
static void
check_operands(NornVerifier *v, const NornInst *inst) {
  const NornRef *operands = norn_operands(v->function, inst);
  NornSignatureCursor cursor = norn_inst_operands(inst);
  for (unsigned k = 0; k < inst->operand_count; k++, norn_cursor_next(&cursor)) {
    switch (norn_cursor_kind(&cursor)) {
    case NORN_LETTER_FUNCTION:
      norn_verify_call(v, inst, k);
      return;
    case NORN_LETTER_BLOCK:
    case NORN_LETTER_CASE:
      norn_verify_generic_edges(v, inst, cursor, k);
      return;
    case NORN_LETTER_IMMEDIATE:
      norn_verify_immediate_operand(v, inst, operands[k], k);
      break;
    case NORN_LETTER_VALUE:
    case NORN_LETTER_ADDRESS:
    case NORN_LETTER_HANDLE:
      norn_verify_typed_operand(v, operands[k], norn_cursor_type(&cursor), k);
      break;
    case NORN_LETTER_END:
      break; /* too many operands */
    }
  }
  NornArity arity = norn_operand_arity(inst->op);
  if (!count_fits(arity, inst->operand_count, inst->type != NORN_TYPE_VOID))
    norn_verify_fault(v, "%s: %u operand%s, expected %u", norn_verify_inst_name(inst),
                      inst->operand_count, inst->operand_count == 1 ? "" : "s",
                      arity.fixed + (arity.is_repeated || arity.is_optional));
}

void
norn_verify_generic(NornVerifier *v, const NornInst *inst) {
  if (!check_form(v, inst))
    return;
  check_operands(v, inst);
  check_results(v, inst);
  check_properties(v, inst);
}
