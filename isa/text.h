/* Reading and writing instructions as text: the pieces shared by the assembler, the disassembler,
 * and the IR's parser and printer. */
#ifndef NORN_ISA_TEXT_H
#define NORN_ISA_TEXT_H

#include "isa/isa.h"
#include <string.h>

/* Writing. Every function appends at `out` and returns the new end; none writes past `limit`, which
 * leaves room for the terminating zero. */
typedef struct {
  const NornIsa *isa;
  char *limit;
  unsigned flags; /* NornIsaPrintFlags */
  /* Labels of branch targets (nullable): writes the label of the instruction `distance` after the
   * next one and returns the new end, or returns NULL if it has none. */
  char *(*label)(void *data, int64_t distance, char *out, char *limit);
  void *data;
} NornIsaWriter;

/* Writes text, as much of it as there is room for. */
char *norn_isa_write_string(const NornIsaWriter *writer, char *out, const char *text,
                            size_t length);
static inline char *
norn_isa_write(const NornIsaWriter *writer, char *out, const char *text) {
  return norn_isa_write_string(writer, out, text, strlen(text));
}
/* Writes a number, as 0x... if it is not `decimal`. */
char *norn_isa_write_number(const NornIsaWriter *writer, char *out, int64_t value, bool decimal);
/* "FMA.f32.clamp_0_1": the mnemonic with the modifiers written on it. */
char *norn_isa_write_mnemonic(const NornIsaWriter *writer, char *out,
                              const NornIsaEncoding *encoding, uint64_t word);
/* The modifiers written after an operand: ".neg.abs". */
char *norn_isa_write_suffix(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
                            const NornIsaOperand *operand, uint64_t word);
/* An immediate with its prefix: "offset:8". */
char *norn_isa_write_immediate(const NornIsaWriter *writer, char *out,
                               const NornIsaEncoding *encoding, const NornIsaOperand *operand,
                               uint64_t word);
/* The whole instruction. Its values must be legal. */
char *norn_isa_write_instruction(const NornIsaWriter *writer, char *out,
                                 const NornIsaEncoding *encoding, uint64_t word);
/* Why a word is not a legal instruction. `encoding` is NULL if it has none. */
char *norn_isa_write_problem(const NornIsaWriter *writer, char *out, unsigned architecture,
                             NornIsaProblem problem, const NornIsaEncoding *encoding,
                             uint64_t word);

/* Appends the text as a JSON string. */
void norn_isa_append_json_string(GString *out, const char *text);

/* The place of an operand in the text. */
typedef struct {
  const char *at;
  size_t length;
} NornIsaSpan;
enum { NORN_ISA_SPANS = 16 };

/* Reading. Functions return false with `message` (to be freed) and the offending text set. */
typedef struct {
  const NornIsa *isa;
  unsigned architecture;
  const char *at, *end; /* the rest of the text */
  const NornIsaEncoding *encoding;
  uint64_t word;
  const NornIsaName *name;
  uint32_t given;                    /* bit i: field i was named */
  uint32_t with;                     /* bit i: word i that the alias requires was found */
  int bank;                          /* required by a source, or -1 */
  bool no_verify;                    /* accepts everything that fits the bits */
  uint64_t forced_mask, forced_bits; /* of derived fields for which the text gives another value */
  bool comparing; /* overlay fields are compared with the word, which is complete */
  /* Branch targets that are names (nullable). Returns true if it accepts the name at `at`, or false
   * without a message if it does not. */
  bool (*label)(void *data, const char *name, size_t length, const NornIsaOperand *operand);
  void *data;
  NornIsaSpan *spans;  /* nullable: receives the place of each operand; NORN_ISA_SPANS */
  const char *problem; /* where the error is */
  char *message;
  /* For choosing among messages about the same place: the number there is only out of range; the
   * literal text that was expected there (nullable). */
  bool only_range;
  const char *literal;
} NornIsaReader;

/* Starts to read a text, which must stay valid until reading ends. */
void norn_isa_reader_init(NornIsaReader *reader, const NornIsa *isa, unsigned architecture,
                          const char *text, size_t length);
/* Sets the message, made from `format`, for the text at `at`. Returns false. */
bool norn_isa_reader_fail(NornIsaReader *reader, const char *at, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/* The value of a decimal or hexadecimal digit; 16 or more if `c` is not a digit. */
static inline unsigned
norn_isa_digit(char c) {
  unsigned decimal = (unsigned)(uint8_t)c - '0', letter = ((uint8_t)c | 0x20u) - 'a';
  return decimal < 10 ? decimal : letter < 6 ? letter + 10 : 16;
}

/* Reads a number: decimal or 0x..., with an optional minus sign. */
bool norn_isa_read_number(NornIsaReader *reader, int64_t *value);
/* Reads the mnemonic; its meanings are stored in `names`. */
bool norn_isa_read_mnemonic(NornIsaReader *reader, const NornIsaMnemonic **names);
/* Selects number `choice` of these, and reads the modifiers on the mnemonic; sets encoding and
 * word. */
bool norn_isa_read_modifiers(NornIsaReader *reader, const NornIsaMnemonic *names, unsigned choice);
/* Reads the modifiers after an operand, possibly none. */
bool norn_isa_read_suffix(NornIsaReader *reader, const NornIsaOperand *operand);
/* Reads any operand, with the notation around it and after it. */
bool norn_isa_read_operand(NornIsaReader *reader, const NornIsaOperand *operand);
/* Reads a number with its prefix, within the limits of the operand. */
bool norn_isa_read_immediate(NornIsaReader *reader, const NornIsaOperand *operand);
/* Checks that each of these fields without a default was named, and the words that an alias
 * requires. */
bool norn_isa_read_complete(NornIsaReader *reader, const uint8_t *indices, unsigned count);
/* Reads a whole instruction, up to the end. Values are legal; rules are not checked. */
bool norn_isa_read_instruction(NornIsaReader *reader);

#endif
