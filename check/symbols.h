/* Symbols for values, and sets of symbols for the contents of places.
 *
 * A symbol represents a value of 32 bits. Equal literals have the same symbol, and so do
 * exclusive ors of places with the same contents. A place (a register, a word of memory) may be
 * known to hold a value that has several symbols. The set of these symbols is one number, and
 * equal sets are equal numbers. Sets that would become too large lose symbols: less is then
 * known about the place than could be. */
#ifndef NORN_CHECK_SYMBOLS_H
#define NORN_CHECK_SYMBOLS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_NO_SYMBOLS 0 /* the empty set: nothing is known */

typedef struct NornSymbols {
  uint32_t count;       /* symbols from 1 on */
  GHashTable *literals; /* text of any bytes -> symbol */
  GHashTable *pairs;    /* two sets -> the symbol of their exclusive or */
  GArray *pair_of;      /* by symbol: the two sets whose exclusive or it is, or 0 */
  GPtrArray *sets;      /* sets of at least two symbols: uint32_t, the size first */
  GArray *scratch;      /* the set being built */
  GHashTable *numbers;  /* the contents of such a set -> its number */
} NornSymbols;

void norn_symbols_init(NornSymbols *symbols);
void norn_symbols_clear(NornSymbols *symbols);

/* Creates a symbol for an unknown value. */
uint32_t norn_symbol_fresh(NornSymbols *symbols);
/* The symbol of a literal, which is identified by the bytes of a key. */
uint32_t norn_symbol_literal(NornSymbols *symbols, const void *key, size_t size);
/* The same if the symbol already exists, otherwise 0. */
uint32_t norn_symbol_find_literal(const NornSymbols *symbols, const void *key, size_t size);

/* The value of `source` is given to `symbol`. */
typedef struct NornSymbolAssignment {
  uint32_t symbol, source;
} NornSymbolAssignment;

/* The set of one symbol is the symbol itself. */
bool norn_symbol_set_has(const NornSymbols *symbols, uint32_t set, uint32_t symbol);
/* The number that a table holds for a symbol of the set; false if it holds none. */
bool norn_symbol_set_look_up(const NornSymbols *symbols, uint32_t set, GHashTable *numbers,
                             uint32_t *number);
/* The set with one symbol more or less; the symbols that two sets share. */
uint32_t norn_symbol_set_add(NornSymbols *symbols, uint32_t set, uint32_t symbol);
uint32_t norn_symbol_set_remove(NornSymbols *symbols, uint32_t set, uint32_t symbol);
uint32_t norn_symbol_set_common(NornSymbols *symbols, uint32_t a, uint32_t b);
/* The symbols of a place after assignments, which are made all at once and are in ascending order
 * of the symbols. */
uint32_t norn_symbol_set_assign(NornSymbols *symbols, uint32_t set,
                                const NornSymbolAssignment *assignments, unsigned count);
/* The symbols of the exclusive or of two places. */
uint32_t norn_symbol_set_xor(NornSymbols *symbols, uint32_t a, uint32_t b);

#endif
