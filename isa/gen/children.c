/* Finds the children of elements by kind and name. The description has thousands of elements, and
 * resolving one of its rows for one architecture searches several of them, including the outermost
 * one; an index makes that cheap. */
#include "isa/gen/gen.h"
#include <string.h>

typedef struct ChildKey {
  const xmlNode *parent;
  const char *element;
  const char *name; /* NULL: all that are `element` */
} ChildKey;

static unsigned
hash_key(gconstpointer data) {
  const ChildKey *key = data;
  return g_direct_hash(key->parent) * 31 + g_str_hash(key->element) * 7 +
         (key->name ? g_str_hash(key->name) : 0);
}

static gboolean
keys_equal(gconstpointer a, gconstpointer b) {
  const ChildKey *x = a, *y = b;
  return x->parent == y->parent && !strcmp(x->element, y->element) && !g_strcmp0(x->name, y->name);
}

static void
add(Generator *gen, xmlNode *node, const char *name) {
  const ChildKey key = {node->parent, (const char *)node->name, name};
  GPtrArray *list = g_hash_table_lookup(gen->children, &key);
  if (!list) {
    list = g_ptr_array_new();
    g_hash_table_insert(gen->children, g_memdup2(&key, sizeof key), list);
  }
  g_ptr_array_add(list, node);
}

void
gen_index_children(Generator *gen, const xmlNode *parent) {
  for (xmlNode *node = parent->children; node; node = node->next) {
    if (node->type != XML_ELEMENT_NODE)
      continue;
    add(gen, node, NULL);
    add(gen, node, gen_attribute_or(node, "name", ""));
    gen_index_children(gen, node);
  }
}

GHashTable *
gen_children_new(void) {
  return g_hash_table_new_full(hash_key, keys_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
}

const xmlNode *
gen_child_at(const Generator *gen, const xmlNode *parent, const char *element, const char *name,
             unsigned index) {
  const ChildKey key = {parent, element, name};
  const GPtrArray *list = g_hash_table_lookup(gen->children, &key);
  return list && index < list->len ? list->pdata[index] : NULL;
}
