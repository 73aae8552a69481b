/* Arrays in which equal runs of elements share their storage. */
#include "isa/gen/gen.h"

void
gen_pool_init(Pool *pool, size_t size) {
  pool->items = g_array_new(FALSE, TRUE, (guint)size);
  pool->runs =
      g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
}

void
gen_pool_clear(Pool *pool) {
  g_array_unref(pool->items);
  g_hash_table_unref(pool->runs);
}

uint32_t
gen_pool_add(Pool *pool, const void *items, unsigned count) {
  if (!count)
    return 0;
  GBytes *key = g_bytes_new(items, (size_t)count * g_array_get_element_size(pool->items));
  gpointer found = g_hash_table_lookup(pool->runs, key);
  if (found) {
    g_bytes_unref(key);
    return GPOINTER_TO_UINT(found) - 1;
  }
  uint32_t index = pool->items->len;
  g_array_append_vals(pool->items, items, count);
  g_hash_table_insert(pool->runs, key, GUINT_TO_POINTER(index + 1));
  return index;
}
