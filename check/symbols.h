/* Symbols for what values are, and sets of them for what places hold.
 *
 * A symbol stands for a value of 32 bits. Equal literals, and exclusive ors of places that hold the
 * same, have one symbol. A place (a register, a word of memory) may be known to hold a value that
 * several symbols stand for; the set of these is one number, equal sets being equal numbers. Sets
 * that would be too large lose symbols: a place then is known to hold less than it does. */
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
  GPtrArray *sets;      /* those of two symbols and more: uint32_t, the size first */
  GArray *scratch;      /* the set being made */
  GHashTable *numbers;  /* such a set -> its number */
} NornSymbols;

void norn_symbols_init(NornSymbols *symbols);
void norn_symbols_clear(NornSymbols *symbols);

/* One that stands for a value of which nothing is known. */
uint32_t norn_symbol_fresh(NornSymbols *symbols);
/* That of a literal, which the bytes of a key tell from all others. */
uint32_t norn_symbol_literal(NornSymbols *symbols, const void *key, size_t size);
/* The same if there is one already, else 0. */
uint32_t norn_symbol_find_literal(const NornSymbols *symbols, const void *key, size_t size);

/* The set of one symbol is the symbol. */
bool norn_symbol_set_has(const NornSymbols *symbols, uint32_t set, uint32_t symbol);
uint32_t norn_symbol_set_add(NornSymbols *symbols, uint32_t set, uint32_t symbol);
uint32_t norn_symbol_set_remove(NornSymbols *symbols, uint32_t set, uint32_t symbol);
uint32_t norn_symbol_set_common(NornSymbols *symbols, uint32_t a, uint32_t b);
/* What the exclusive or of two places is. */
uint32_t norn_symbol_set_xor(NornSymbols *symbols, uint32_t a, uint32_t b);

#endif
