/* The map from code back to the text that it was compiled from. A compiled module still has its
 * machine instructions in code order, one for each word, and the names and registers of their
 * values. Pseudo operations are not code: their results, like the parameters of a block, are
 * attached to the instruction that follows as values that it finds. */
#include "ir/ir.h"
#include <norn/compile.h>

struct NornCodeMap {
  GArray *insts;         /* NornCodeInst; `found` and `left` are NULL until the map is complete */
  GArray *values;        /* NornCodeValue: for each instruction those found, then those left */
  GStringChunk *strings; /* of the names */
};

const char *
norn_origin_name(NornOrigin origin) {
  static const char *const names[NORN_ORIGINS] = {"program", "constants", "uniforms", "arguments",
                                                  "groups",  "copies",    "fixed",    "room",
                                                  "spills",  "fills"};
  return (unsigned)origin < NORN_ORIGINS ? names[origin] : NULL;
}

static void
add_value(NornCodeMap *map, const NornFunction *function, uint32_t index, unsigned *count) {
  const NornValue *value = norn_value(function, index);
  if (!value->name || value->reg == NORN_REGISTER_NONE)
    return;
  NornCodeValue entry = {
      .name = g_string_chunk_insert_const(map->strings, norn_string(function->module, value->name)),
      .type = value->type,
      .reg = value->reg,
      .words = norn_type_words(value->type),
  };
  g_array_append_val(map->values, entry);
  ++*count;
}

static void
add_block(NornCodeMap *map, const NornFunction *function, uint32_t block) {
  const NornBlock *self = norn_block(function, block);
  NornCodeInst entry = {0};
  if (self->name)
    entry.block =
        g_string_chunk_insert_const(map->strings, norn_string(function->module, self->name));
  for (uint32_t k = 0; k < self->parameter_count; k++)
    add_value(map, function, norn_block_parameter(function, block, k), &entry.found_count);
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    bool is_code = norn_is_machine(inst);
    for (uint32_t k = 0; k < inst->result_count; k++)
      add_value(map, function, inst->result + k, is_code ? &entry.left_count : &entry.found_count);
    if (!is_code)
      continue;
    entry.line = inst->line;
    entry.origin = (NornOrigin)inst->origin;
    g_array_append_val(map->insts, entry);
    entry = (NornCodeInst){0};
  }
  /* Values found by the last jump are not needed: the next block lists its own. */
  g_array_set_size(map->values, map->values->len - entry.found_count);
}

NornCodeMap *
norn_code_map_new(const NornModule *module) {
  const NornFunction *function = module->functions[0];
  NornCodeMap *map = g_new0(NornCodeMap, 1);
  map->insts = g_array_new(FALSE, FALSE, sizeof(NornCodeInst));
  map->values = g_array_new(FALSE, FALSE, sizeof(NornCodeValue));
  map->strings = g_string_chunk_new(256);
  norn_for_each_block (function, block)
    add_block(map, function, block);
  const NornCodeValue *next = (const NornCodeValue *)(void *)map->values->data;
  for (guint i = 0; i < map->insts->len && map->values->len; i++) {
    NornCodeInst *inst = &g_array_index(map->insts, NornCodeInst, i);
    inst->found = next;
    inst->left = next + inst->found_count;
    next = inst->left + inst->left_count;
  }
  return map;
}

void
norn_code_map_free(NornCodeMap *map) {
  if (!map)
    return;
  g_array_free(map->insts, TRUE);
  g_array_free(map->values, TRUE);
  g_string_chunk_free(map->strings);
  g_free(map);
}

const NornCodeInst *
norn_code_map_at(const NornCodeMap *map, size_t index) {
  return index < map->insts->len ? &g_array_index(map->insts, NornCodeInst, index) : NULL;
}
