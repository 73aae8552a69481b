/* See symbols.h. The symbols of a set are in ascending order. */
#include "check/symbols.h"
#include "ir/hash.h"
#include <string.h>

#define SET UINT32_C(0x80000000) /* a number with this bit is a set of several symbols */
#define MAX_SYMBOLS 4096         /* in a set */

/* The symbols of a set: part of a pool, or a single one. */
typedef struct SymbolSet {
  uint32_t count;
  const uint32_t *symbols;
} SymbolSet;

/* --- Sets as keys: the count, then the symbols --- */

static guint
hash_set(gconstpointer key) {
  const uint32_t *set = key;
  uint64_t hash = 0;
  for (unsigned i = 0; i <= set[0]; i++)
    hash = (hash ^ set[i]) * NORN_HASH_FACTOR;
  return (guint)(hash >> 32);
}

static gboolean
equal_sets(gconstpointer a, gconstpointer b) {
  const uint32_t *x = a;
  return !memcmp(a, b, (x[0] + (size_t)1) * sizeof *x);
}

void
norn_symbols_init(NornSymbols *symbols) {
  uint64_t none = 0;
  *symbols = (NornSymbols){
      .literals =
          g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL),
      .pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
      .pair_of = g_array_new(FALSE, TRUE, sizeof(uint64_t)),
      .sets = g_ptr_array_new_with_free_func(g_free),
      .scratch = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .numbers = g_hash_table_new(hash_set, equal_sets),
  };
  g_array_append_val(symbols->pair_of, none);
}

void
norn_symbols_clear(NornSymbols *symbols) {
  g_hash_table_destroy(symbols->literals);
  g_hash_table_destroy(symbols->pairs);
  g_array_free(symbols->pair_of, TRUE);
  g_hash_table_destroy(symbols->numbers);
  g_ptr_array_free(symbols->sets, TRUE);
  g_array_free(symbols->scratch, TRUE);
}

/* --- Symbols --- */

uint32_t
norn_symbol_fresh(NornSymbols *symbols) {
  uint64_t none = 0;
  g_array_append_val(symbols->pair_of, none);
  return ++symbols->count;
}

uint32_t
norn_symbol_find_literal(const NornSymbols *symbols, const void *key, size_t size) {
  GBytes *bytes = g_bytes_new_static(key, size);
  uint32_t symbol = GPOINTER_TO_UINT(g_hash_table_lookup(symbols->literals, bytes));
  g_bytes_unref(bytes);
  return symbol;
}

uint32_t
norn_symbol_literal(NornSymbols *symbols, const void *key, size_t size) {
  uint32_t symbol = norn_symbol_find_literal(symbols, key, size);
  if (!symbol) {
    symbol = norn_symbol_fresh(symbols);
    g_hash_table_insert(symbols->literals, g_bytes_new(key, size), GUINT_TO_POINTER(symbol));
  }
  return symbol;
}

/* The symbol of the exclusive or of the contents of two places. */
static uint32_t
pair_symbol(NornSymbols *symbols, uint32_t a, uint32_t b) {
  uint64_t key = (uint64_t)MAX(a, b) << 32 | MIN(a, b);
  uint32_t symbol = GPOINTER_TO_UINT(g_hash_table_lookup(symbols->pairs, &key));
  if (!symbol) {
    symbol = norn_symbol_fresh(symbols);
    g_hash_table_insert(symbols->pairs, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(symbol));
    g_array_index(symbols->pair_of, uint64_t, symbol) = key;
  }
  return symbol;
}

/* --- Sets --- */

/* The set with that number; if it is a single symbol, points to *number, which must stay valid. */
static SymbolSet
set_of(const NornSymbols *symbols, const uint32_t *number) {
  if (!(*number & SET))
    return (SymbolSet){*number != NORN_NO_SYMBOLS, number};
  const uint32_t *set = g_ptr_array_index(symbols->sets, *number & ~SET);
  return (SymbolSet){set[0], set + 1};
}

/* Begins a set in the scratch memory; finishes it. */
static void
begin_set(NornSymbols *symbols) {
  g_array_set_size(symbols->scratch, 1);
}

static void
append(NornSymbols *symbols, uint32_t symbol) {
  g_array_append_val(symbols->scratch, symbol);
}

static uint32_t
finish_set(NornSymbols *symbols) {
  uint32_t *set = (void *)symbols->scratch->data;
  set[0] = MIN(symbols->scratch->len - 1, MAX_SYMBOLS);
  if (set[0] < 2)
    return set[0] ? set[1] : NORN_NO_SYMBOLS;
  gpointer found = g_hash_table_lookup(symbols->numbers, set);
  if (found)
    return GPOINTER_TO_UINT(found);
  uint32_t number = SET | symbols->sets->len;
  uint32_t *kept = g_memdup2(set, (set[0] + (size_t)1) * sizeof *set);
  g_ptr_array_add(symbols->sets, kept);
  g_hash_table_insert(symbols->numbers, kept, GUINT_TO_POINTER(number));
  return number;
}

bool
norn_symbol_set_has(const NornSymbols *symbols, uint32_t number, uint32_t symbol) {
  SymbolSet set = set_of(symbols, &number);
  unsigned low = 0, high = set.count;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (set.symbols[middle] < symbol)
      low = middle + 1;
    else
      high = middle;
  }
  return low < set.count && set.symbols[low] == symbol;
}

bool
norn_symbol_set_look_up(const NornSymbols *symbols, uint32_t number, GHashTable *numbers,
                        uint32_t *found) {
  SymbolSet set = set_of(symbols, &number);
  gpointer value;
  *found = 0;
  for (unsigned i = 0; i < set.count; i++)
    if (g_hash_table_lookup_extended(numbers, GUINT_TO_POINTER(set.symbols[i]), NULL, &value)) {
      *found = GPOINTER_TO_UINT(value);
      return true;
    }
  return false;
}

uint32_t
norn_symbol_set_add(NornSymbols *symbols, uint32_t number, uint32_t symbol) {
  if (!symbol || norn_symbol_set_has(symbols, number, symbol))
    return number;
  SymbolSet set = set_of(symbols, &number);
  unsigned i = 0;
  begin_set(symbols);
  for (; i < set.count && set.symbols[i] < symbol; i++)
    append(symbols, set.symbols[i]);
  append(symbols, symbol);
  for (; i < set.count; i++)
    append(symbols, set.symbols[i]);
  return finish_set(symbols);
}

uint32_t
norn_symbol_set_remove(NornSymbols *symbols, uint32_t number, uint32_t symbol) {
  if (!norn_symbol_set_has(symbols, number, symbol))
    return number;
  SymbolSet set = set_of(symbols, &number);
  begin_set(symbols);
  for (unsigned i = 0; i < set.count; i++)
    if (set.symbols[i] != symbol)
      append(symbols, set.symbols[i]);
  return finish_set(symbols);
}

uint32_t
norn_symbol_set_common(NornSymbols *symbols, uint32_t a, uint32_t b) {
  if (a == b)
    return a;
  SymbolSet left = set_of(symbols, &a), right = set_of(symbols, &b);
  begin_set(symbols);
  for (unsigned i = 0, k = 0; i < left.count && k < right.count;) {
    if (left.symbols[i] == right.symbols[k])
      append(symbols, left.symbols[i]);
    bool first = left.symbols[i] <= right.symbols[k], second = left.symbols[i] >= right.symbols[k];
    i += first;
    k += second;
  }
  return finish_set(symbols);
}

uint32_t
norn_symbol_set_assign(NornSymbols *symbols, uint32_t number,
                       const NornSymbolAssignment *assignments, unsigned count) {
  SymbolSet set = set_of(symbols, &number);
  if (number == NORN_NO_SYMBOLS)
    return number;
  begin_set(symbols);
  for (unsigned i = 0, k = 0; i < set.count || k < count;) {
    bool is_assigned = k < count && (i == set.count || assignments[k].symbol <= set.symbols[i]);
    uint32_t symbol = is_assigned ? assignments[k].symbol : set.symbols[i];
    if (!is_assigned || norn_symbol_set_has(symbols, number, assignments[k].source))
      append(symbols, symbol);
    i += i < set.count && set.symbols[i] == symbol;
    k += is_assigned;
  }
  return finish_set(symbols);
}

/* The union of both sets. */
static uint32_t
unite(NornSymbols *symbols, uint32_t a, uint32_t b) {
  if (a == b || b == NORN_NO_SYMBOLS)
    return a;
  SymbolSet left = set_of(symbols, &a), right = set_of(symbols, &b);
  begin_set(symbols);
  for (unsigned i = 0, k = 0; i < left.count || k < right.count;) {
    bool first = k == right.count || (i < left.count && left.symbols[i] <= right.symbols[k]);
    bool second = i == left.count || (k < right.count && right.symbols[k] <= left.symbols[i]);
    append(symbols, first ? left.symbols[i] : right.symbols[k]);
    i += first;
    k += second;
  }
  return finish_set(symbols);
}

/* For each pair in `pairs` whose exclusive or includes `set`, adds the other element to `found`. */
static uint32_t
add_partners(NornSymbols *symbols, uint32_t found, uint32_t pairs, uint32_t set) {
  SymbolSet members = set_of(symbols, &pairs);
  for (unsigned k = 0; k < members.count; k++) {
    uint64_t both = g_array_index(symbols->pair_of, uint64_t, members.symbols[k]);
    uint32_t low = (uint32_t)both, high = (uint32_t)(both >> 32);
    if (both && (low == set || high == set))
      found = unite(symbols, found, low == set ? high : low);
  }
  return found;
}

uint32_t
norn_symbol_set_xor(NornSymbols *symbols, uint32_t a, uint32_t b) {
  if (a == NORN_NO_SYMBOLS || b == NORN_NO_SYMBOLS)
    return NORN_NO_SYMBOLS;
  /* There may be several pairs: those from exchanges in an earlier iteration are also known. */
  uint32_t others = add_partners(symbols, NORN_NO_SYMBOLS, a, b);
  others = add_partners(symbols, others, b, a);
  /* In addition to the result at the end of an exchange, add the pair that starts one: the
   * exchanged places may already hold exclusive ors of others. */
  return norn_symbol_set_add(symbols, others, pair_symbol(symbols, a, b));
}
