/* Shared by the files of the parser: its state, and the pieces of the language that several of them
 * read. See ir/text/parser.c for the grammar.
 *
 * Functions that return bool return false after they have recorded a fault; the line is then
 * abandoned. */
#ifndef NORN_IR_TEXT_PARSER_H
#define NORN_IR_TEXT_PARSER_H

#include "ir/budget.h"
#include "ir/diagnostics.h"
#include "ir/ir.h"
#include "ir/ops.h"
#include "ir/text/lexer.h"

/* Maximum number of operands, results or parameters of an instruction or block. */
#define NORN_LIST_LIMIT UINT16_MAX

/* The meaning of a name in the current function; entries are index + 1. */
typedef struct NornNameEntry {
  uint32_t value, block;
} NornNameEntry;

typedef struct NornLocation {
  uint32_t line, column;
} NornLocation;

/* A use before its definition. */
typedef struct NornForwardUse {
  uint32_t inst, operand; /* index of the operand */
  uint32_t name;
  NornLocation location;
  uint16_t reg;
} NornForwardUse;

/* An argument that needs the type of its parameter, or a callee. */
typedef struct NornPendingUse {
  uint32_t function;
  uint32_t inst, operand; /* index of the operand */
  uint32_t target;        /* block, or name of the function */
  uint32_t index;         /* argument number; NORN_INDEX_NONE for the callee itself */
  uint8_t declared;       /* type of a uniform; VOID for a constant */
  NornText text;
  NornLocation location;
} NornPendingUse;

/* A cached mnemonic. */
typedef struct NornMnemonic {
  NornText text;        /* length 0: empty slot */
  uint64_t first, last; /* the first and last eight bytes; the whole text and 0 if it is shorter */
  uint16_t op;
  uint8_t type, source_type, modifier;
  NornSignature signature;
  uint64_t payload;
} NornMnemonic;

/* Slots of the cache of mnemonics. */
#define NORN_MNEMONIC_SLOTS 256

/* A cached name of at most eight bytes; name 0: empty slot. */
typedef struct NornShortName {
  uint64_t bytes;
  uint32_t name;
} NornShortName;

#define NORN_SHORT_NAME_BITS 10

typedef struct NornDefinition {
  uint32_t name;
  NornLocation location;
  NornText suffix;
  uint16_t reg, last_reg;
  uint8_t type; /* VOID if not written */
} NornDefinition;

typedef struct NornParser {
  NornBudget budget;
  NornLexer lexer;
  const char *text;
  bool newline_added; /* to the text, which did not end in a newline */
  NornModule *module;
  NornFunction *function;
  uint32_t block;         /* current block, or NORN_INDEX_NONE */
  uint32_t first_operand; /* of the instruction being parsed, which is the last one */
  bool entry_is_open;     /* the function's first block has its parameters but no label yet */
  NornDiagnostics diagnostics;
  NornNameEntry *names;
  uint32_t name_capacity;
  uint32_t *function_names; /* function + 1 by name, sized like names */
  uint32_t function_name_capacity;
  NornForwardUse *forward;
  uint32_t forward_count, forward_capacity;
  NornPendingUse *arguments; /* pending arguments of blocks of the current function */
  uint32_t argument_count, argument_capacity;
  NornPendingUse *calls;
  uint32_t call_count, call_capacity;
  NornLocation *block_uses; /* first mention of each block of the function */
  uint32_t block_use_capacity;
  NornDefinition *results;
  uint32_t result_count, result_capacity;
  NornMnemonic mnemonics[NORN_MNEMONIC_SLOTS + 1]; /* cache; the last slot is for uncached ones */
  NornShortName short_names[1 << NORN_SHORT_NAME_BITS]; /* cache: the last name with each hash */
} NornParser;

static inline NornLocation
norn_parse_here(const NornParser *p) {
  return (NornLocation){p->lexer.line, norn_column(&p->lexer)};
}

#define NORN_PARSE_FAULT(p, location, ...)                                                         \
  norn_diagnose(&(p)->diagnostics, (location).line, (location).column, __VA_ARGS__)

/* --- ir/text/parse_operands.c --- */

/* Reports "expected X, found Y" at the cursor. */
bool norn_parse_expected(NornParser *p, const char *what);

bool norn_parse_expected_char(NornParser *p, char c);

/* Skips that character, or reports a fault. */
static inline bool
norn_parse_expect(NornParser *p, char c) {
  return norn_accept(&p->lexer, c) || norn_parse_expected_char(p, c);
}

/* Skips that character, or reports that `what`, which begins with it, is expected. */
static inline bool
norn_parse_expect_start(NornParser *p, char c, const char *what) {
  return norn_accept(&p->lexer, c) || norn_parse_expected(p, what);
}

/* Reports a fault unless the line is at its end. */
static inline bool
norn_parse_end_of_line(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  return norn_peek(&p->lexer) == '\n' || norn_parse_expected(p, "the end of the line");
}

static inline NornShortName *
norn_parse_short_name(NornParser *p, uint64_t bytes) {
  return &p->short_names[bytes * NORN_HASH_FACTOR >> (64 - NORN_SHORT_NAME_BITS)];
}

/* norn_parse_name for names that are not in the cache. */
uint32_t norn_parse_other_name(NornParser *p);

/* Reads a name (a run of word bytes) at the cursor; 0 if there is none. Most names are short and
 * most uses are of recent names, which a small cache finds without a lookup. No byte below '0' is
 * part of a word, so the bytes before the first such byte are the whole name if they are a name at
 * all; if they are in the cache, they are. */
static inline uint32_t
norn_parse_name(NornParser *p) {
  const char *at = p->lexer.at;
  if (p->lexer.end - at < 8)
    return norn_parse_other_name(p);
  uint64_t bytes = GUINT64_FROM_LE(norn_hash_load(at, 8));
  uint64_t ends = norn_bytes_below(bytes, '0');
  if (!ends)
    return norn_parse_other_name(p);
  bytes &= norn_bytes_before(ends);
  const NornShortName *last = norn_parse_short_name(p, bytes);
  if (last->bytes != bytes)
    return norn_parse_other_name(p);
  p->lexer.at = at + norn_first_byte(ends);
  return last->name;
}

/* Reads SIGIL and a name; 0 with a fault if they are not there. */
uint32_t norn_parse_sigil_name(NornParser *p, char sigil, const char *what);

/* A decimal or hexadecimal number of at most `maximum`. */
bool norn_parse_number(NornParser *p, const char *what, uint64_t maximum, uint64_t *value);

/* A type, or -1 with a fault. */
int norn_parse_type(NornParser *p);

/* Sets the register of a value to the one that its definition names, after checking it. */
void norn_parse_define_register(NornParser *p, uint32_t value, const NornDefinition *result);

void norn_parse_defined_twice(NornParser *p, const NornDefinition *result);

/* Records the definition of a name. */
static inline void
norn_parse_define_value(NornParser *p, uint32_t value, const NornDefinition *result) {
  NornNameEntry *entry = &p->names[result->name];
  norn_value(p->function, value)->name = result->name;
  if (result->reg != NORN_REGISTER_NONE)
    norn_parse_define_register(p, value, result);
  if (entry->value)
    norn_parse_defined_twice(p, result);
  else
    entry->value = value + 1;
}

/* "%name[@register][.suffix][: type]", a definition. */
bool norn_parse_definition(NornParser *p, NornDefinition *result);

/* "(%a: type, ...)" */
bool norn_parse_parameters(NornParser *p, uint32_t block);

/* The block of that name, created if this is its first mention. */
uint32_t norn_parse_mention_block(NornParser *p, uint32_t name, NornLocation location);

bool norn_parse_too_many_operands(NornParser *p);
/* Moves the operands of the instruction being parsed to a place with room for more. */
void norn_parse_move_operands(NornParser *p);

/* The index of the next operand. */
static inline uint32_t
norn_parse_next_operand(const NornParser *p) {
  return p->function->operand_count - p->first_operand;
}

/* Adds an operand to the instruction being parsed; its operand count is set at its end. */
static inline bool
norn_parse_push_operand(NornParser *p, NornRef ref) {
  NornFunction *function = p->function;
  if (function->operand_count - p->first_operand == NORN_LIST_LIMIT)
    return norn_parse_too_many_operands(p);
  if (function->operand_count + 1 == function->operands.capacity)
    norn_parse_move_operands(p);
  *norn_operand_at(function, function->operand_count) = ref;
  function->operand_count++;
  return true;
}

/* Reports a fault if the register written at a use is not the value's. */
void norn_parse_check_use_register(NornParser *p, uint32_t value, uint16_t reg,
                                   NornLocation location);

/* "%name[@register]", a use. */
bool norn_parse_use(NornParser *p, NornRef flags);

/* The uniform of that name, or NULL. */
const NornFau *norn_parse_find_fau(const NornParser *p, uint32_t name);

/* Whether a uniform is next: "u" and digits, or "fau.". */
static inline bool
norn_parse_at_uniform(const NornLexer *lexer) {
  const char *at = lexer->at;
  if (at[0] == 'f')
    return at[1] == 'a' && at[2] == 'u' && at[3] == '.';
  if (at[0] != 'u')
    return false;
  NornLexer word = *lexer;
  word.at++;
  NornText digits = norn_take(&word, NORN_CHAR_DIGIT);
  return digits.length && !norn_peek_class(&word, NORN_CHAR_WORD);
}

/* A uniform; `type` is set to VOID for a plain word "u7". */
bool norn_parse_uniform(NornParser *p, NornRef *ref, NornType *type);

bool norn_parse_wrong_uniform(NornParser *p, NornType declared, NornType wanted,
                              NornLocation location);

/* Reports a fault if a uniform's type is not the required one; VOID fits all. */
static inline bool
norn_parse_check_uniform_type(NornParser *p, NornType declared, NornType wanted,
                              NornLocation location) {
  return declared == wanted || declared == NORN_TYPE_VOID || wanted == NORN_TYPE_VOID ||
         norn_parse_wrong_uniform(p, declared, wanted, location);
}

/* The spelling of a constant at the cursor: a number, or a word with an optional minus sign. */
NornText norn_parse_take_literal(NornParser *p);

/* Reads a decimal number of a few digits that is directly followed by a comma or the end of the
 * line; does not advance if there is none. */
static inline bool
norn_parse_small_number(NornParser *p, NornText *text, uint64_t *value) {
  const char *start = p->lexer.at, *at = start;
  uint32_t number = 0;
  for (; at - start < 9 && (unsigned)(*at - '0') < 10; at++)
    number = number * 10 + (unsigned)(*at - '0');
  if (at == start || (*at != ',' && *at != '\n') || (*start == '0' && at - start > 1))
    return false;
  *text = (NornText){start, (size_t)(at - start)};
  *value = number;
  p->lexer.at = at;
  return true;
}

/* The bits of a constant of the type. */
bool norn_parse_literal_bits(NornParser *p, NornText text, NornType type, NornLocation location,
                             uint64_t *bits);

/* A value, uniform or constant of a required type (VOID: any). */
bool norn_parse_operand(NornParser *p, NornType type);

/* A block and its arguments. */
bool norn_parse_block_operand(NornParser *p);

/* A constant of the switch's type, a colon, and a block. */
bool norn_parse_case(NornParser *p, NornType type);

/* A function and its arguments. */
bool norn_parse_callee(NornParser *p);

/* --- ir/text/parse_mnemonic.c --- */

/* Reports what a machine hook found wrong with a piece of text, and frees its message. Returns
 * false. */
bool norn_parse_machine_fault(NornParser *p, NornLocation location, NornMachineText *text);

/* Reads a mnemonic and returns its meaning; NULL with a fault if it has none. Valid until the next
 * call. */
const NornMnemonic *norn_parse_mnemonic(NornParser *p, NornLocation location);

/* --- ir/text/parse_instruction.c --- */

/* Parses a line with an instruction, which is appended to the current block. */
bool norn_parse_instruction(NornParser *p);

/* --- ir/text/parse_head.c --- */

/* After "target": a name and an architecture. */
bool norn_parse_target(NornParser *p);

/* After "shader": everything up to the first block. */
bool norn_parse_shader_head(NornParser *p);

#endif
