/* Shared by the printers of modules (printer.c) and of instructions (print_instruction.c). */
#ifndef NORN_IR_TEXT_PRINT_H
#define NORN_IR_TEXT_PRINT_H

#include "ir/ops.h"
#include "ir/text/literal.h"
#include "ir/text/names.h"
#include "ir/text/printer.h"
#include <string.h>

/* Longer mnemonics are not cached. */
#define NORN_MNEMONIC_ROOM 40

/* The cached mnemonic and operands of a form of generic instructions. */
typedef struct CachedMnemonic {
  uint64_t key; /* 0: empty slot */
  uint8_t length;
  char text[NORN_MNEMONIC_ROOM];
  NornSignature signature;
} CachedMnemonic;

struct NornPrinter {
  const NornModule *module;
  const NornFunction *function;
  char *text, *at, *end; /* the printed text, its end, the end of its buffer */
  NornNames names;
  uint32_t limits[8];                  /* by kind of reference: the limit of its payload */
  GString *scratch;                    /* what the machine's hooks append to */
  uint8_t fau_of_word[NORN_FAU_WORDS]; /* index + 1 of the declaration that covers the word */
  CachedMnemonic known[NORN_FORM_SLOTS];
  GArray *insts, *values; /* NornTextInst, NornTextValue; NULL: not requested */
  unsigned first_value;   /* the number of the function's value 0 */
};

/* Makes room for this many bytes and returns where to write them; advancing `at` keeps what was
 * written. */
static inline char *
norn_reserve(NornPrinter *p, size_t size) {
  if ((size_t)(p->end - p->at) < size) {
    size_t length = (size_t)(p->at - p->text), capacity = 2 * length + size;
    p->text = g_realloc(p->text, capacity);
    p->at = p->text + length;
    p->end = p->text + capacity;
  }
  return p->at;
}

static inline void
norn_put(NornPrinter *p, const char *text, size_t length) {
  memcpy(norn_reserve(p, length), text, length);
  p->at += length;
}

static inline void
norn_put_text(NornPrinter *p, const char *text) {
  norn_put(p, text, strlen(text));
}

static inline void
norn_put_char(NornPrinter *p, char c) {
  *norn_reserve(p, 1) = c;
  p->at++;
}

static inline void
norn_put_number(NornPrinter *p, uint64_t number) {
  p->at += norn_print_decimal(norn_reserve(p, NORN_LITERAL_SIZE), number);
}

static inline void
norn_put_string(NornPrinter *p, uint32_t string) {
  const char *text = norn_string(p->module, string);
  uint32_t length = norn_string_length(p->module, string);
  if (length > NORN_STRING_SLACK) {
    norn_put(p, text, length);
    return;
  }
  memcpy(norn_reserve(p, NORN_STRING_SLACK), text, NORN_STRING_SLACK);
  p->at += length;
}

/* Separates the items of a list. */
static inline void
norn_put_separator(NornPrinter *p, bool first) {
  memcpy(norn_reserve(p, 2), first ? " " : ", ", 2);
  p->at += first ? 1 : 2;
}

/* The name of a value, including values that have no name of their own or no definition. */
void norn_put_value_name(NornPrinter *p, uint32_t value);

void norn_put_block_name(NornPrinter *p, uint32_t block);

/* `before`, with the given length, and the value with its register. */
void norn_put_value(NornPrinter *p, const char *before, size_t length, uint32_t value);

void norn_put_inst(NornPrinter *p, uint32_t inst);

#endif
