/* Functions, calls and the entry point. A function is translated once for each call (blocks.c). */
#include "spirv/function.h"
#include "ir/demote.h"
#include "spirv/interface.h"
#include "spirv/stages.h"

void
norn_spirv_read_functions(NornSpirvReader *reader) {
  NornSpirvFunction *function = NULL;
  for (; reader->at < reader->word_count && !reader->error;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    unsigned opcode = norn_spirv_opcode(reader);
    if (opcode == SpvOpFunction) {
      NORN_GROW(reader->functions, reader->function_capacity, (uint64_t)reader->function_count + 1);
      function = &reader->functions[reader->function_count];
      *function = (NornSpirvFunction){.id = norn_spirv_word(reader, 2), .at = reader->at};
      norn_spirv_id(reader, 2)->function = ++reader->function_count;
    } else if (opcode == SpvOpFunctionEnd && function) {
      function->end = reader->at;
      function = NULL;
    } else if (!function && opcode != SpvOpLine && opcode != SpvOpNoLine && opcode != SpvOpNop &&
               opcode != SpvOpExtInst) {
      norn_spirv_invalid(reader, "an instruction between functions");
    }
  }
  if (function && !reader->error)
    norn_spirv_invalid(reader, "the function does not end");
}

/* --- Calls --- */

/* Translates the function, starting from the current block; returns lead to `back`. */
static void
translate_function(NornSpirvReader *reader, NornSpirvFunction *function, NornSpirvReturn *back) {
  NornSpirvReturn *outer = reader->returns;
  reader->returns = back;
  function->is_active = true;
  norn_spirv_translate_blocks(reader, function);
  function->is_active = false;
  reader->returns = outer;
}

/* The function named by an id, ready to be translated; NULL with an error. */
static NornSpirvFunction *
find_function(NornSpirvReader *reader, uint32_t id) {
  uint32_t number = norn_spirv_find(reader, id)->function;
  if (!number || number > reader->function_count || reader->functions[number - 1].id != id) {
    norn_spirv_invalid(reader, "%%%u is not a function", id);
    return NULL;
  }
  NornSpirvFunction *function = &reader->functions[number - 1];
  if (function->is_active)
    norn_spirv_invalid(reader, "the function calls itself; recursion is not supported");
  else if (reader->depth >= NORN_SPIRV_DEPTH_LIMIT)
    norn_spirv_fail(reader, NORN_ERROR_LIMIT, "calls are nested more than %u deep",
                    NORN_SPIRV_DEPTH_LIMIT);
  return !reader->error && norn_spirv_list_blocks(reader, function) ? function : NULL;
}

/* Sets the parameters to the arguments of the current call. */
static void
set_parameters(NornSpirvReader *reader, const NornSpirvFunction *function) {
  uint32_t call = reader->at, k = 4;
  for (uint32_t at = function->at; at < function->blocks[0].at && !reader->error;
       at += reader->words[at] >> 16) {
    if ((reader->words[at] & 0xFFFF) != SpvOpFunctionParameter)
      continue;
    norn_spirv_seek(reader, call);
    const NornSpirvType *type = norn_spirv_find(reader, reader->words[at + 1])->type;
    NornSpirvId *parameter = norn_spirv_find(reader, reader->words[at + 2]);
    bool is_pointer = type && type->op == SpvOpTypePointer;
    uint32_t word = k++;
    if (reader->error || !type)
      return;
    parameter->type = type;
    parameter->pointer = is_pointer ? norn_spirv_pointer(reader, word) : NULL;
    parameter->refs = NULL;
    if (!is_pointer)
      parameter->refs = (NornRef *)norn_spirv_value(reader, word, norn_spirv_flat(reader, type));
  }
  norn_spirv_seek(reader, call);
}

void
norn_spirv_read_call(NornSpirvReader *reader) {
  uint32_t call = reader->at, line = reader->line, line_file = reader->line_file;
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  NornSpirvFunction *function = find_function(reader, norn_spirv_word(reader, 3));
  if (!function)
    return;
  uint32_t count = norn_spirv_flat(reader, type);
  NornSpirvReturn back = {.value_count = count, .values = norn_spirv_new_refs(reader, count)};
  set_parameters(reader, function);
  if (reader->error)
    return;
  if (function->returns != 1) {
    back.block = norn_build_block(reader->builder, NULL);
    for (uint32_t k = 0; k < count; k++)
      back.values[k] =
          norn_build_parameter(reader->builder, back.block, norn_spirv_scalar_type(type, k), NULL);
  }
  reader->depth++;
  translate_function(reader, function, &back);
  reader->depth--;
  norn_spirv_seek(reader, call);
  norn_spirv_set_line(reader, line_file, line);
  if (reader->error)
    return;
  norn_spirv_go_to(reader, back.block ? back.block : back.from);
  norn_spirv_define(reader, back.values, count);
}

/* --- The entry point --- */

/* Sets the workgroup's size: a built-in constant takes precedence over the execution mode. */
static void
set_workgroup(NornSpirvReader *reader) {
  uint32_t size[3];
  for (unsigned axis = 0; axis < 3; axis++)
    size[axis] = reader->local_size[axis];
  if (reader->local_size_at) {
    norn_spirv_seek(reader, reader->local_size_at);
    for (unsigned axis = 0; axis < 3; axis++)
      size[axis] = (uint32_t)norn_spirv_constant(reader, 3 + axis);
  }
  for (uint32_t id = 1; id < reader->bound; id++) {
    const NornSpirvId *own = &reader->ids[id];
    uint64_t bits;
    if (!own->refs || !own->type || own->type->flat != 3 ||
        norn_spirv_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationBuiltIn, NORN_SPIRV_NONE) !=
            SpvBuiltInWorkgroupSize)
      continue;
    for (unsigned axis = 0; axis < 3; axis++)
      if (norn_spirv_constant_bits(reader, own->refs[axis], &bits))
        size[axis] = (uint32_t)bits;
  }
  if (reader->module->stage != NORN_STAGE_COMPUTE)
    return;
  norn_module_set_workgroup(reader->module, size[0], size[1], size[2]);
  norn_module_set_grid_limit(reader->module, reader->options->abi.grid_limit);
}

/* Reserves the first uniform words for push constants. */
static void
reserve_words(NornSpirvReader *reader) {
  norn_spirv_reserve_words(reader);
  for (uint32_t id = 1; id < reader->bound && !reader->error; id++) {
    const NornSpirvType *type = reader->ids[id].type;
    if (type && type->id == id && type->op == SpvOpTypePointer &&
        type->storage == SpvStorageClassPushConstant) {
      const NornSpirvType *block = norn_spirv_pointee(reader, type);
      if (block->op == SpvOpTypeStruct && block->is_block)
        norn_spirv_reserve_push_constants(reader, block);
    }
  }
}

/* Turns killed invocations into helpers where that is allowed: derivatives next to an invocation
 * that has ended are undefined (GLSL 4.60, section 8.14.1), so they may as well see one that
 * continues. */
static void
demote_killed(NornSpirvReader *reader) {
  NornFunction *function = reader->module->functions[0];
  NornArenaMark mark = norn_arena_mark(&reader->arena);
  const NornDominance *dominance = norn_dominance_new(&reader->arena, function);
  if (norn_demote_terminated(&reader->arena, function, dominance, true))
    norn_blocks_remove_unreachable(&reader->arena, function,
                                   norn_dominance_new(&reader->arena, function));
  norn_arena_release(&reader->arena, mark);
}

void
norn_spirv_translate_entry(NornSpirvReader *reader) {
  norn_spirv_seek(reader, reader->entry_at);
  NornSpirvFunction *function =
      norn_spirv_make_module(reader) ? find_function(reader, reader->entry) : NULL;
  if (!function)
    return;
  set_workgroup(reader);
  reserve_words(reader);
  NornSpirvReturn back = {0};
  NornRef first = norn_build_block(reader->builder, NULL);
  if (function->returns != 1)
    back.block = norn_build_block(reader->builder, "exit");
  norn_spirv_go_to(reader, reader->setup);
  norn_spirv_clip(reader);
  norn_spirv_go_to(reader, first);
  translate_function(reader, function, &back);
  if (reader->error)
    return;
  if (back.is_reached) {
    norn_builder_set_line(reader->builder, 0);
    norn_spirv_go_to(reader, back.block ? back.block : back.from);
    norn_spirv_store_outputs(reader);
    norn_build_end(reader->builder);
  } else if (back.block) {
    norn_spirv_go_to(reader, back.block);
    norn_build_unreachable(reader->builder);
  }
  norn_spirv_go_to(reader, reader->setup);
  norn_builder_set_line(reader->builder, 0);
  norn_spirv_clear_workgroup_memory(reader);
  if (reader->error)
    return;
  norn_build_jump(reader->builder, norn_branch(first));
  if (reader->kills)
    demote_killed(reader);
  norn_module_set_memory(reader->module, reader->shared_bytes, 0);
}
