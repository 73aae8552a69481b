/* Text to instructions; shared by the files that parse it. isa/text.h has the functions for the
 * rest of the library.
 *
 * A name in the text is looked up once in the ISA's hash table of everything that a name can mean;
 * the encoding then selects the meaning that one of its fields accepts at this point. Reading fills
 * in the word directly. Errors cost nothing until they occur. */
#ifndef NORN_ISA_PARSE_READER_H
#define NORN_ISA_PARSE_READER_H

#include "isa/text.h"

/* Classes of characters. */
enum { NORN_ISA_CHAR_NAME = 1, NORN_ISA_CHAR_DIGIT = 2, NORN_ISA_CHAR_BLANK = 4 };
extern const uint8_t norn_isa_char_classes[256];

static inline bool
norn_isa_reader_sees(const NornIsaReader *reader, const char *at, uint8_t class) {
  return at < reader->end && norn_isa_char_classes[(uint8_t)*at] & class;
}

static inline const char *
norn_isa_reader_skip_name(const NornIsaReader *reader, const char *at) {
  while (norn_isa_reader_sees(reader, at, NORN_ISA_CHAR_NAME))
    at++;
  return at;
}

static inline const NornIsaToken *
norn_isa_reader_token(const NornIsaReader *reader, const char *start, const char *end) {
  return norn_isa_find_token(reader->isa, start, (size_t)(end - start));
}

static inline bool
norn_isa_reader_accept(NornIsaReader *reader, char c) {
  if (reader->at >= reader->end || *reader->at != c)
    return false;
  reader->at++;
  return true;
}

/* The instruction as it is written, for messages. */
static inline const char *
norn_isa_reader_mnemonic(const NornIsaReader *reader) {
  return norn_isa_string(reader->isa,
                         reader->encoding ? reader->encoding->mnemonic : reader->name->text);
}

static inline const char *
norn_isa_reader_field_name(const NornIsaReader *reader, const NornIsaField *field) {
  return norn_isa_string(reader->isa, reader->isa->field_names[field->number].name);
}

/* reader.c */

/* Skips blanks and C comments that end before the text does. */
void norn_isa_reader_skip_blanks(NornIsaReader *reader);
/* The end of what a reader would consider one word, for messages. */
const char *norn_isa_reader_word_end(const NornIsaReader *reader, const char *at);
void norn_isa_reader_set_field(NornIsaReader *reader, unsigned index, uint64_t value);

/* Fails at the word at `at`, which is printed by "%.*s" in the message. */
#define NORN_ISA_FAIL_WORD(reader, at_, format, ...)                                               \
  norn_isa_reader_fail(reader, at_, format, (int)(norn_isa_reader_word_end(reader, at_) - (at_)),  \
                       at_, ##__VA_ARGS__)

/* Whether a word and a name differ only in the number at their end: the word is then not a
 * misspelling, but has a number that does not exist. */
bool norn_isa_differs_in_number(const char *word, size_t length, const char *name);

/* modifiers.c */

/* Reads one modifier name. */
int norn_isa_read_modifier_name(NornIsaReader *reader, const uint8_t *indices, unsigned count,
                                uint32_t *value);
bool norn_isa_take_modifier(NornIsaReader *reader, const char *start, int index, uint32_t value);
/* All names that these indices accept, for messages. */
char *norn_isa_list_names(const NornIsaReader *reader, const uint8_t *indices, unsigned count);
/* Fails for something that the instruction has only on other architectures, from `since` to
 * `until`. */
bool norn_isa_reader_fail_elsewhere(NornIsaReader *reader, const char *start, const char *end,
                                    unsigned since, unsigned until);
/* Whether the architectures from `since` to `until` are all before or all after this one. */
bool norn_isa_reader_is_elsewhere(const NornIsaReader *reader, unsigned since, unsigned until);
/* Makes a copy of the reader for another architecture, for lookups there. Returns false if the
 * instruction does not exist there. */
bool norn_isa_reader_look_elsewhere(const NornIsaReader *reader, unsigned architecture,
                                    NornIsaReader *there);
bool norn_isa_unknown_modifier(NornIsaReader *reader, const char *start, const uint8_t *indices,
                               unsigned count);
/* Reads a word that the alias requires. */
bool norn_isa_take_with(NornIsaReader *reader);

/* codes.c */

/* A name or number that stands for a code, or -1. */
int64_t norn_isa_read_code_name(NornIsaReader *reader, const NornIsaOperand *operand);
bool norn_isa_unknown_code(NornIsaReader *reader, const char *start, const NornIsaOperand *operand);
bool norn_isa_read_code(NornIsaReader *reader, const NornIsaOperand *operand);

/* operands.c */

bool norn_isa_reader_expect(NornIsaReader *reader, char c);
/* Whether the text gives the number of registers: the count is a field of its own. */
bool norn_isa_is_counted(const NornIsaReader *reader, const NornIsaOperand *operand);
/* Whether the text continues with the prefix of the operand. */
bool norn_isa_has_prefix(const NornIsaReader *reader, const NornIsaOperand *operand);

#endif
