/* What a driver must know about a program, collected from its generic operations. The module may be
 * wrong: a driver may ask before it is verified. */
#include "ir/ops.h"
#include "passes/pass.h"

static void
note_handles(const NornModule *module, const NornFunction *function, const NornInst *inst,
             NornShaderInfo *shader) {
  const NornRef *operands = norn_operands(function, inst);
  NornSignatureCursor cursor = norn_inst_operands(inst);
  for (unsigned k = 0; k < inst->operand_count; k++, norn_cursor_next(&cursor)) {
    if (norn_cursor_kind(&cursor) != NORN_LETTER_HANDLE)
      continue;
    uint64_t table = NORN_TABLES;
    if (norn_is_constant(operands[k]) && norn_ref_payload(operands[k]) < module->constants.count)
      table = norn_constant_bits(module, operands[k]) >> NORN_HANDLE_TABLE_SHIFT;
    if (table < NORN_TABLES)
      shader->tables |= UINT64_C(1) << table;
    else
      shader->unknown_handles = true;
  }
}

static void
note_vertex(const NornInst *inst, NornShaderInfo *shader) {
  switch (inst->op) {
  case NORN_OP_LOAD_ATTRIBUTE: {
    unsigned index = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_INDEX);
    shader->attributes[index / 64 % 4] |= UINT64_C(1) << index % 64;
    break;
  }
  case NORN_OP_STORE_POSITION:
    shader->writes_position = true;
    break;
  case NORN_OP_STORE_POINT_SIZE:
    shader->writes_point_size = true;
    break;
  case NORN_OP_STORE_LAYER:
    shader->writes_layer = true;
    break;
  case NORN_OP_STORE_VIEWPORT:
    shader->writes_viewport = true;
    break;
  case NORN_OP_STORE_VARYING: {
    if (inst->type >= NORN_TYPE_COUNT)
      break;
    int64_t end =
        norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET) + (norn_type_bits(inst->type) + 7) / 8;
    if (end > shader->varying_size)
      shader->varying_size = (unsigned)end;
    break;
  }
  default:
    break;
  }
}

static void
note_output(const NornInst *inst, NornShaderInfo *shader) {
  unsigned target = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET);
  switch (inst->op) {
  case NORN_OP_STORE_COLOR:
  case NORN_OP_STORE_COLOR_IF:
    shader->color_targets |= (uint8_t)(1u << target);
    shader->color_formats[target] = inst->modifier;
    break;
  case NORN_OP_STORE_SECOND_COLOR:
    shader->second_color = true;
    shader->second_format = inst->modifier;
    break;
  case NORN_OP_STORE_DEPTH:
    shader->writes_depth = true;
    break;
  case NORN_OP_STORE_STENCIL:
    shader->writes_stencil = true;
    break;
  case NORN_OP_STORE_COVERAGE:
    shader->writes_coverage = true;
    break;
  case NORN_OP_DEMOTE:
  case NORN_OP_ALPHA_TEST:
  case NORN_OP_TERMINATE:
    shader->may_discard = true;
    break;
  case NORN_OP_STORE_TILE:
    shader->writes_tile |= (uint8_t)(1u << target);
    if (!(shader->color_targets >> target & 1))
      shader->color_formats[target] = inst->modifier;
    break;
  default:
    break;
  }
}

static void
note_input(const NornInst *inst, NornShaderInfo *shader) {
  switch (inst->op) {
  case NORN_OP_LOAD_VARYING:
  case NORN_OP_LOAD_VARYING_HALF:
    shader->reads_flat |= inst->modifier == NORN_INTERPOLATION_FLAT;
    shader->reads_centroid |= inst->modifier == NORN_INTERPOLATION_CENTROID;
    shader->runs_by_sample |= inst->modifier == NORN_INTERPOLATION_SAMPLE;
    break;
  case NORN_OP_SAMPLE_ID:
    shader->runs_by_sample = true;
    break;
  case NORN_OP_LOAD_TILE:
    shader->tile_targets |= (uint8_t)(1u << norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET));
    break;
  case NORN_OP_LOAD_TILE_DEPTH:
    shader->reads_depth = true;
    break;
  case NORN_OP_LOAD_TILE_STENCIL:
    shader->reads_stencil = true;
    break;
  default:
    break;
  }
}

/* Whether the operation looks at other invocations. Marks of loops and calls are convergent because
 * passes must keep where lanes reconverge, but they compute nothing. */
static bool
needs_helpers(const NornInst *inst) {
  return norn_ops[inst->op].flags & NORN_OP_CONVERGENT && inst->op != NORN_OP_CALL &&
         inst->op != NORN_OP_LOOP_ENTRY;
}

/* Stores to outputs of the stage, to workgroup memory and to the invocation's own also have the
 * flag of memory writes, as do fences and calls; they do not count. */
static bool
writes_memory(const NornInst *inst) {
  uint64_t flags = norn_ops[inst->op].flags;
  return flags & NORN_OP_WRITES_MEMORY && inst->op != NORN_OP_CALL &&
         !(flags & (NORN_OP_STAGES | NORN_OP_SCRATCH | NORN_OP_ORDERS));
}

void
norn_collect_shader_info(const NornModule *module, const NornFunction *function,
                         NornShaderInfo *shader) {
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (norn_is_machine(inst))
        continue;
      note_handles(module, function, inst, shader);
      note_vertex(inst, shader);
      note_output(inst, shader);
      note_input(inst, shader);
      shader->writes_memory |= writes_memory(inst);
      shader->needs_helpers |= needs_helpers(inst);
    }
  }
  if (module->stage != NORN_STAGE_FRAGMENT)
    return;
  shader->runs_by_sample |= module->runs_by_sample;
  bool tests_late = shader->writes_depth || shader->writes_stencil || shader->writes_coverage ||
                    shader->may_discard;
  bool reads_tile = shader->tile_targets || shader->reads_depth || shader->reads_stencil;
  shader->requires_early_tests = module->tests_early;
  shader->early_tests = module->tests_early || (!tests_late && !shader->writes_memory);
  shader->forward_kill =
      !tests_late && !shader->writes_memory && !reads_tile && !shader->writes_tile;
}

void
norn_module_shader_info(const NornModule *module, NornShaderInfo *info) {
  *info = (NornShaderInfo){0};
  for (unsigned i = 0; i < module->function_count; i++)
    norn_collect_shader_info(module, module->functions[i], info);
}
