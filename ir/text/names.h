/* The names that values and blocks have in printed text.
 *
 * A name belongs to the first definition in program order that carries it. Other definitions with
 * that name get a number after it, those without a name a number (values) or "b" and a number
 * (blocks); numbers are the smallest that clash with no name of the function. So what is printed
 * has distinct names, and printing it again after parsing changes nothing. */
#ifndef NORN_IR_TEXT_NAMES_H
#define NORN_IR_TEXT_NAMES_H

#include "ir/ir.h"

/* A value or block that is not printed. */
#define NORN_NAME_UNDEFINED NORN_INDEX_NONE

/* Who owns a string as a name, index + 1. */
typedef struct NornNameOwner {
  uint32_t value, block;
} NornNameOwner;

typedef struct NornNames {
  const NornModule *module;
  const NornFunction *function; /* whose names are known */
  NornNameOwner *owners;        /* by string */
  uint32_t *value_numbers;      /* 0: has its own name; else number + 1, or NORN_NAME_UNDEFINED */
  uint32_t *block_numbers;
  uint32_t *next_suffix; /* by string, made on demand */
  GString *scratch;
} NornNames;

void norn_names_init(NornNames *names, const NornModule *module);
void norn_names_clear(NornNames *names);

/* Finds the names of a function; forget them before those of another. */
void norn_names_find(NornNames *names, const NornFunction *function);
void norn_names_forget(NornNames *names);

#endif
