/* The definitions that apply to a row: innermost first, from the row itself out to its layouts. */
#include "isa/gen/row.h"
#include <string.h>

/* --- Scope --- */

static void
push_host(EncodingRow *row, const xmlNode *host) {
  unsigned first = row->scope->len;
  for (xmlNode *child = host->children; child; child = child->next) {
    if (gen_is(child, "refine") && gen_applies(row->gen, child, row->architecture))
      g_ptr_array_insert(row->scope, (gint)first, child);
  }
  g_ptr_array_add(row->scope, (gpointer)host);
}

const char *
gen_row_scope_attribute(const EncodingRow *row, const char *name) {
  for (unsigned i = 0; i < row->scope->len; i++) {
    const char *value = gen_attribute(row->scope->pdata[i], name);
    if (value && !gen_is(row->scope->pdata[i], "isa"))
      return value;
  }
  return NULL;
}

static void
push_layouts(EncodingRow *row) {
  const char *name = gen_row_scope_attribute(row, "layout");
  for (unsigned depth = 0; name; depth++) {
    const xmlNode *layout = gen_child_at(row->gen, row->gen->root, "layout", name, 0);
    if (!layout)
      gen_fail(row->gen, row->row, "unknown layout '%s'", name);
    if (depth == 16)
      gen_fail(row->gen, layout, "layouts extend each other more than 16 levels deep");
    push_host(row, layout);
    name = gen_attribute(layout, "extends");
  }
}

void
gen_row_build_scope(EncodingRow *row) {
  if (row->alias)
    push_host(row, row->alias);
  if (row->variant)
    push_host(row, row->variant);
  push_host(row, row->instruction);
  push_layouts(row);
  g_ptr_array_add(row->scope, row->gen->root);
}

const char *
gen_row_definition(const EncodingRow *row, const char *element, const char *name,
                   const char *attribute) {
  for (unsigned i = 0; i < row->scope->len; i++) {
    const xmlNode *host = row->scope->pdata[i];
    const xmlNode *node;
    for (unsigned k = 0; (node = gen_child_at(row->gen, host, element, name, k)); k++) {
      const char *value =
          gen_applies(row->gen, node, row->architecture) ? gen_attribute(node, attribute) : NULL;
      if (value)
        return value;
    }
  }
  return NULL;
}

bool
gen_row_is_defined(const EncodingRow *row, const char *element, const char *name) {
  return gen_row_definition(row, element, name, "name") != NULL;
}

bool
gen_row_is_absent(const EncodingRow *row, const char *element, const char *name) {
  if (gen_row_is_defined(row, element, name))
    return false;
  for (unsigned i = 0; i < row->scope->len; i++) {
    if (gen_child_at(row->gen, row->scope->pdata[i], element, name, 0))
      return true;
  }
  return false;
}

const char *
gen_row_operand_attribute(const EncodingRow *row, const char *name, const char *attribute) {
  for (unsigned depth = 0; name; depth++) {
    const char *value = gen_row_definition(row, "operand", name, attribute);
    if (value)
      return value;
    if (depth == 16)
      gen_fail(row->gen, row->row, "operand '%s' extends others more than 16 levels deep", name);
    const char *parent = gen_row_definition(row, "operand", name, "extends");
    if (parent && !gen_row_is_defined(row, "operand", parent))
      gen_fail(row->gen, row->row, "unknown operand '%s'", parent);
    name = parent;
  }
  return NULL;
}

int64_t
gen_row_operand_number(const EncodingRow *row, const char *name, const char *attribute,
                       int64_t fallback) {
  const char *text = gen_row_operand_attribute(row, name, attribute);
  return text ? gen_number(row->gen, row->row, text) : fallback;
}

bool
gen_row_operand_flag(const EncodingRow *row, const char *name, const char *attribute) {
  return g_strcmp0(gen_row_operand_attribute(row, name, attribute), "true") == 0;
}

const char *
gen_row_operand_of_field(const EncodingRow *row, const char *field) {
  for (unsigned i = 0; i < row->scope->len; i++) {
    const xmlNode *host = row->scope->pdata[i];
    const xmlNode *node;
    for (unsigned k = 0; (node = gen_child_at(row->gen, host, "operand", NULL, k)); k++) {
      if (!gen_applies(row->gen, node, row->architecture))
        continue;
      const char *name = gen_attribute(node, "name");
      if (strcmp(gen_attribute_or(node, "field", name), field) == 0 &&
          gen_row_operand_attribute(row, name, "at"))
        return name;
    }
  }
  return NULL;
}

/* --- Lists --- */

void
gen_row_append_names(GPtrArray *list, const char *text) {
  char **words = g_strsplit_set(text, " \n\t", -1);
  for (char **word = words; *word; word++) {
    if (**word)
      g_ptr_array_add(list, g_strdup(*word));
  }
  g_strfreev(words);
}

GPtrArray *
gen_row_joined_list(const EncodingRow *row, const char *attribute) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  const xmlNode *done = NULL;
  for (unsigned i = 0; i < row->scope->len; i++) {
    const xmlNode *node = row->scope->pdata[i];
    const char *text = gen_attribute(node, attribute);
    const xmlNode *group = gen_is(node, "refine") ? node->parent : node;
    if (!gen_is(group, "layout"))
      group = row->instruction;
    if (!text || group == done || gen_is(node, "isa"))
      continue;
    gen_row_append_names(list, text);
    done = group;
  }
  return list;
}

GPtrArray *
gen_row_united_list(const EncodingRow *row, const char *attribute) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  for (unsigned i = 0; i < row->scope->len; i++) {
    const char *text = gen_attribute(row->scope->pdata[i], attribute);
    if (text && !gen_is(row->scope->pdata[i], "isa"))
      gen_row_append_names(list, text);
  }
  return list;
}
