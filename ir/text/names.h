/* The names of values and blocks in printed text.
 *
 * A name belongs to the first definition in program order that carries it. Other definitions with
 * that name get a number appended to it; definitions without a name get a number (values) or "b"
 * and a number (blocks). Numbers are the smallest that clash with no name in the function. Names in
 * the printed text are thus distinct, and parsing and printing it again does not change it. */
#ifndef NORN_IR_TEXT_NAMES_H
#define NORN_IR_TEXT_NAMES_H

#include "ir/ir.h"

/* A value or block that is not printed. */
#define NORN_NAME_UNDEFINED NORN_INDEX_NONE

/* The value and the block that own a string as their name, index + 1. */
typedef struct NornNameOwner {
  uint32_t value, block;
} NornNameOwner;

typedef struct NornNames {
  const NornModule *module;
  const NornFunction *function; /* the function whose names are known */
  NornNameOwner *owners;        /* by string */
  uint32_t *value_numbers; /* 0: has its own name; otherwise number + 1, or NORN_NAME_UNDEFINED */
  uint32_t *block_numbers;
  uint32_t *next_suffix; /* by string; allocated on demand */
  GString *scratch;
} NornNames;

void norn_names_init(NornNames *names, const NornModule *module);
void norn_names_clear(NornNames *names);

/* Finds the names of a function; call norn_names_forget before finding those of another function.
 */
void norn_names_find(NornNames *names, const NornFunction *function);
void norn_names_forget(NornNames *names);

#endif
