/* Instruction sets as the library itself sees them: queries about the tables that the generator
 * makes (isa/tables.h), an encoding, and a word. */
#ifndef NORN_ISA_ISA_H
#define NORN_ISA_ISA_H

#include "ir/hash.h"
#include "isa/tables.h"
#include <assert.h>
#include <string.h>

/* A mask of `width` low bits; `width` must be less than 64. */
static inline uint64_t
norn_isa_mask(unsigned width) {
  return (UINT64_C(1) << width) - 1;
}

/* The hash of a name in the text. It ignores case, so that one table serves both kinds of ISA. */
static inline uint32_t
norn_isa_hash(const char *text, size_t length) {
  uint64_t hash = length;
  while (length) {
    uint64_t block = 0;
    size_t count = length < sizeof block ? length : sizeof block;
    for (size_t i = 0; i < count; i++)
      block |= (uint64_t)((uint8_t)text[i] | 0x20u) << 8 * i;
    hash = norn_hash_mix(hash, block);
    text += count;
    length -= count;
  }
  return (uint32_t)hash;
}

/* The bits of both runs, concatenated. */
static inline unsigned
norn_isa_gather(const NornIsaGather *gather, uint64_t word) {
  return (unsigned)(word >> gather->low_shift & gather->low_mask) |
         (unsigned)(word >> gather->high_shift & gather->high_mask);
}

/* The bits of all runs, concatenated. */
static inline unsigned
norn_isa_gather_runs(const NornIsaRun *runs, unsigned count, uint64_t word) {
  unsigned index = 0;
  for (const NornIsaRun *end = runs + count; runs < end; runs++)
    index |= (unsigned)(word >> runs->shift & runs->mask);
  return index;
}

/* The string of a text. */
static inline const char *
norn_isa_string(const NornIsa *isa, NornIsaText text) {
  return isa->strings + (text >> 8);
}

/* The values of an enum field that may be read, one bit each. */
static inline uint64_t
norn_isa_readable(const NornIsaField *field) {
  return field->allowed | field->observed;
}

/* The value of field `field` in `word`. */
static inline uint32_t
norn_isa_extract(const NornIsaField *field, uint64_t word) {
  uint64_t value = word >> field->position & norn_isa_mask(field->width);
  if (field->high_width)
    value |= (word >> field->high_position & norn_isa_mask(field->high_width)) << field->width;
  return (uint32_t)value;
}

/* The bits of `value` at their positions. */
static inline uint64_t
norn_isa_insert(const NornIsaField *field, uint64_t value) {
  uint64_t word = (value & norn_isa_mask(field->width)) << field->position;
  if (field->high_width)
    word |= (value >> field->width & norn_isa_mask(field->high_width)) << field->high_position;
  return word;
}

static inline unsigned
norn_isa_field_width(const NornIsaField *field) {
  return field->width + field->high_width;
}

static inline bool
norn_isa_field_exists(const NornIsaEncoding *encoding, unsigned number) {
  return encoding->field_indices[number] != NORN_ISA_NO_FIELD;
}

/* The field with that number, which the encoding must have. */
static inline const NornIsaField *
norn_isa_field(const NornIsaEncoding *encoding, unsigned number) {
  assert(norn_isa_field_exists(encoding, number));
  return &encoding->fields[encoding->field_indices[number]];
}

/* The value of a field the encoding has. */
static inline uint32_t
norn_isa_field_get(const NornIsaEncoding *encoding, unsigned number, uint64_t word) {
  return norn_isa_extract(norn_isa_field(encoding, number), word);
}

/* The value of a field, or `fallback` if the encoding does not have the field. */
static inline uint32_t
norn_isa_field_get_or(const NornIsaEncoding *encoding, unsigned number, uint64_t word,
                      uint32_t fallback) {
  return norn_isa_field_exists(encoding, number) ? norn_isa_field_get(encoding, number, word)
                                                 : fallback;
}

/* The same, including fields that the row fixes. */
static inline uint32_t
norn_isa_field_value(const NornIsaEncoding *encoding, unsigned number, uint64_t word,
                     uint32_t fallback) {
  for (unsigned k = 0; k < encoding->fixed_count; k++)
    if (encoding->fixed[k].number == number)
      return encoding->fixed[k].value;
  return norn_isa_field_get_or(encoding, number, word, fallback);
}

/* The name of an enum field's value in `word`; "" if it has none. */
static inline const char *
norn_isa_value_name(const NornIsa *isa, const NornIsaField *field, uint64_t word) {
  NornIsaText text = isa->texts[field->texts + norn_isa_extract(field, word)];
  return text == NORN_ISA_TEXT_ILLEGAL ? "" : norn_isa_string(isa, text);
}

/* The same for the field with this number; "" if the encoding does not have it. */
static inline const char *
norn_isa_modifier_name(const NornIsa *isa, const NornIsaEncoding *encoding, unsigned number,
                       uint64_t word) {
  return norn_isa_field_exists(encoding, number)
             ? norn_isa_value_name(isa, norn_isa_field(encoding, number), word)
             : "";
}

/* Which parts of its operand a value of the field selects; the whole operand if the field is not a
 * swizzle. */
static inline const NornIsaSwizzle *
norn_isa_swizzle(const NornIsa *isa, const NornIsaField *field, uint32_t value) {
  static const NornIsaSwizzle whole = {0};
  return field->swizzles == UINT32_MAX ? &whole : &isa->swizzles[field->swizzles + value];
}

/* The modifier of an operand that selects parts of it, or NULL. */
static inline const NornIsaField *
norn_isa_operand_swizzle(const NornIsaEncoding *encoding, const NornIsaOperand *operand) {
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    const NornIsaField *field = &encoding->fields[operand->modifiers[i]];
    if (field->swizzles != UINT32_MAX)
      return field;
  }
  return NULL;
}

/* Sets a field the encoding has. */
static inline void
norn_isa_field_set(const NornIsaEncoding *encoding, unsigned number, uint64_t *word,
                   uint32_t value) {
  const NornIsaField *field = norn_isa_field(encoding, number);
  *word = (*word & ~norn_isa_insert(field, UINT64_MAX)) | norn_isa_insert(field, value);
}

/* Continues decoding if two lookups were not enough. */
unsigned norn_isa_decode_further(const NornIsa *isa, unsigned entry, uint64_t word);

/* The only encoding that `word` can have, although its opcode and reserved bits may still not
 * match. If there is none, it is the one after the last encoding, which matches no word. */
static inline const NornIsaEncoding *
norn_isa_candidate(const NornIsa *isa, unsigned architecture, uint64_t word) {
  const NornIsaRoot *root = &isa->roots[architecture];
  const NornIsaNode *node =
      &isa->nodes[isa->entries[root->first + (word >> root->shift & root->mask)]];
  unsigned entry = isa->entries[node->first + norn_isa_gather(&node->bits, word)];
  if (G_UNLIKELY(entry & NORN_ISA_ENTRY_NODE))
    entry = norn_isa_decode_further(isa, entry, word);
  return &isa->encodings[entry];
}

/* Whether there is an architecture with this number; the error lists the existing ones. */
bool norn_isa_check_architecture(const NornIsa *isa, unsigned architecture, GError **error);

/* The encoding of `word` according to its opcode and reserved bits, or NULL. The architecture must
 * be in range. */
static inline const NornIsaEncoding *
norn_isa_decode(const NornIsa *isa, unsigned architecture, uint64_t word) {
  const NornIsaEncoding *encoding = norn_isa_candidate(isa, architecture, word);
  return (word & encoding->mask) == encoding->match ? encoding : NULL;
}

/* The encoding of an instruction or alias, or NULL. Both numbers must be in range. */
static inline const NornIsaEncoding *
norn_isa_name_encoding(const NornIsa *isa, unsigned architecture, unsigned name) {
  return isa->encoding_of[architecture][name];
}

/* Whether a text equals `string`, ignoring case if the ISA does. */
bool norn_isa_text_is(const NornIsa *isa, NornIsaText text, const char *string, size_t length);
/* The meanings of a mnemonic, or NULL. `hash` is its norn_isa_hash(). */
const NornIsaMnemonic *norn_isa_find_mnemonic(const NornIsa *isa, const char *text, size_t length,
                                              uint32_t hash);
/* The meanings of a word in the text, or NULL. */
const NornIsaToken *norn_isa_find_token(const NornIsa *isa, const char *text, size_t length);

/* The code that a word in the text stands for in an operand: bank << width | code, or -1. */
static inline int64_t
norn_isa_token_code(const NornIsa *isa, const NornIsaToken *token, const NornIsaOperand *operand) {
  const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
  uint32_t size = 1u << (table->width + table->bank_width);
  const NornIsaMeaning *meaning = isa->meanings + token->first;
  for (unsigned m = 0; m < token->count; m++, meaning++) {
    bool fits =
        meaning->owner == NORN_ISA_NONE
            ? meaning->code < size && isa->texts[operand->texts + meaning->code] == token->text
            : meaning->owner == (0x8000 | operand->name_table);
    if (fits)
      return meaning->code;
  }
  return -1;
}

/* The bank of `word`, shifted to precede a code of the table; 0 if its codes have no banks. */
static inline uint32_t
norn_isa_bank(const NornIsaEncoding *encoding, const NornIsaCodeTable *table, uint64_t word) {
  if (table->bank == NORN_ISA_NONE || encoding->bank == NORN_ISA_NO_FIELD)
    return 0;
  return norn_isa_extract(&encoding->fields[encoding->bank], word) << table->width;
}

/* The code of an operand in `word`. */
const NornIsaCode *norn_isa_operand_code(const NornIsa *isa, const NornIsaEncoding *encoding,
                                         const NornIsaOperand *operand, uint64_t word);
/* The text of an operand's code in `word`, or of the code `index` after it; NORN_ISA_TEXT_ILLEGAL
 * if it has none. */
static inline NornIsaText
norn_isa_code_text(const NornIsa *isa, const NornIsaEncoding *encoding,
                   const NornIsaOperand *operand, uint64_t word, unsigned index) {
  const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
  uint32_t code = norn_isa_extract(&encoding->fields[operand->field], word) + index;
  if (code >> table->width)
    return NORN_ISA_TEXT_ILLEGAL;
  return isa->texts[operand->texts + (norn_isa_bank(encoding, table, word) | code)];
}
/* The number of 32-bit words that an operand reads or writes: the size of a source or destination,
 * the registers of a staging group, 0 for others. */
unsigned norn_isa_operand_words(const NornIsa *isa, const NornIsaEncoding *encoding,
                                const NornIsaOperand *operand, uint64_t word);
/* The value of an expression, given as code, for `word`. */
int64_t norn_isa_compute(const uint32_t *code, const int32_t *amounts, const NornIsaField *fields,
                         uint64_t word);
/* The value of an expression for `word`. */
int64_t norn_isa_evaluate(const NornIsa *isa, const NornIsaEncoding *encoding, uint32_t expression,
                          uint64_t word);
/* Computes every derived field. */
uint64_t norn_isa_derive(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word);

/* Why a word is not a legal instruction. */
typedef enum {
  NORN_ISA_LEGAL,
  NORN_ISA_PROBLEM_OPCODE,  /* no instruction has its opcode */
  NORN_ISA_PROBLEM_VALUE,   /* index: the field whose value is reserved or out of range */
  NORN_ISA_PROBLEM_DERIVED, /* index: the field whose value differs from the derived one */
  NORN_ISA_PROBLEM_BANK,    /* the bank is set though no source requires it */
  NORN_ISA_PROBLEM_RULE,    /* index: the rule of the encoding that is broken */
  NORN_ISA_PROBLEM_HARDWARE /* index: the hardware rule that is broken */
} NornIsaProblemKind;

typedef struct {
  NornIsaProblemKind kind;
  unsigned index;
  unsigned operand; /* of a broken hardware rule: the operand that breaks it */
} NornIsaProblem;

/* Checks the values of all fields. */
NornIsaProblem norn_isa_check_values(const NornIsa *isa, const NornIsaEncoding *encoding,
                                     uint64_t word);
/* Whether any field of `word` has a value that may be read but never emitted. */
bool norn_isa_is_observed(const NornIsaEncoding *encoding, uint64_t word);
/* Checks the rules of the description and of the hardware; the field values must be legal. */
NornIsaProblem norn_isa_check_rules(const NornIsa *isa, unsigned architecture,
                                    const NornIsaEncoding *encoding, uint64_t word);
/* The code (bank << width | code) of `kind` with a number, or of a constant with a bit pattern,
 * that is valid for an operand; -1 if there is none. */
int norn_isa_find_code(const NornIsa *isa, const NornIsaOperand *operand, NornIsaCodeKind kind,
                       uint32_t number);
/* The value of an immediate as shown in the text. */
int64_t norn_isa_immediate_value(const NornIsaEncoding *encoding, const NornIsaOperand *operand,
                                 uint64_t word);
/* The same for the immediate in the field with this number; 0 if there is none. */
int64_t norn_isa_immediate_of_field(const NornIsaEncoding *encoding, unsigned number,
                                    uint64_t word);

#endif
