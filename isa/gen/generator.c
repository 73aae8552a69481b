/* Creates and frees the tables of a generator. */
#include "isa/gen/gen.h"
#include <string.h>

static void
for_each_pool(Generator *gen, bool create) {
  struct {
    Pool *pool;
    size_t size;
  } pools[] = {
      {&gen->fields, sizeof(NornIsaField)},
      {&gen->layouts, sizeof(NornIsaFieldLayout)},
      {&gen->operands, sizeof(NornIsaOperand)},
      {&gen->fixed, sizeof(NornIsaFixed)},
      {&gen->field_indices, 1},
      {&gen->modifiers, 1},
      {&gen->rule_lists, sizeof(uint16_t)},
      {&gen->codes, sizeof(NornIsaCode)},
      {&gen->texts, sizeof(NornIsaText)},
      {&gen->amounts, sizeof(int32_t)},
      {&gen->swizzles, sizeof(NornIsaSwizzle)},
      {&gen->expressions, sizeof(uint32_t)},
      {&gen->rules, sizeof(NornIsaRule)},
      {&gen->runs, sizeof(NornIsaRun)},
      {&gen->tables, sizeof(NornIsaTable)},
      {&gen->values, 1},
      {&gen->tree, sizeof(uint16_t)},
      {&gen->nodes, sizeof(NornIsaNode)},
      {&gen->entries, sizeof(uint16_t)},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(pools); i++) {
    if (create)
      gen_pool_init(pools[i].pool, pools[i].size);
    else
      gen_pool_clear(pools[i].pool);
  }
}

void
gen_init(Generator *gen, const char *file) {
  memset(gen, 0, sizeof *gen);
  gen->file = file;
  gen->children = gen_children_new();
  gen->known_tables = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  gen->strings = g_byte_array_new();
  gen->interned = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_byte_array_append(gen->strings, (const guint8 *)"", 1);
  gen->architectures = g_ptr_array_new();
  gen->units = g_ptr_array_new();
  gen->flags = g_ptr_array_new();
  gen->field_names = g_ptr_array_new_with_free_func(g_free);
  gen->field_numbers = g_hash_table_new(g_str_hash, g_str_equal);
  gen->enum_nodes = g_ptr_array_new();
  gen->enums = g_array_new(FALSE, TRUE, sizeof(NornIsaEnum));
  gen->enum_values = g_array_new(FALSE, TRUE, sizeof(NornIsaEnumValue));
  gen->names = g_array_new(FALSE, TRUE, sizeof(NornIsaName));
  gen->encoding_of = g_array_new(FALSE, TRUE, sizeof(uint16_t));
  gen->encodings = g_array_new(FALSE, TRUE, sizeof(GenEncoding));
  gen->encoding_index =
      g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  gen->name_tables = g_array_new(FALSE, TRUE, sizeof(NameTable));
  gen->code_tables = g_array_new(FALSE, TRUE, sizeof(NornIsaCodeTable));
  gen->roots = g_array_new(FALSE, TRUE, sizeof(NornIsaRoot));
  for_each_pool(gen, true);
}

void
gen_clear(Generator *gen) {
  for (unsigned i = 0; i < gen->name_tables->len; i++)
    g_array_unref(g_array_index(gen->name_tables, NameTable, i).aliases);
  GArray *arrays[] = {gen->enums,     gen->enum_values, gen->names, gen->encoding_of,
                      gen->encodings, gen->name_tables, gen->roots, gen->code_tables};
  for (unsigned i = 0; i < G_N_ELEMENTS(arrays); i++)
    g_array_unref(arrays[i]);
  g_ptr_array_unref(gen->architectures);
  g_ptr_array_unref(gen->units);
  g_ptr_array_unref(gen->flags);
  g_hash_table_unref(gen->field_numbers);
  g_ptr_array_unref(gen->field_names);
  g_ptr_array_unref(gen->enum_nodes);
  g_hash_table_unref(gen->encoding_index);
  g_hash_table_unref(gen->interned);
  g_hash_table_unref(gen->children);
  g_hash_table_unref(gen->known_tables);
  g_byte_array_unref(gen->strings);
  for_each_pool(gen, false);
  xmlFreeDoc(gen->doc);
}
