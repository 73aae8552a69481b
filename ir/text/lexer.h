/* The lexical level of the IR's text: a cursor that skips blanks and comments, and reads words and
 * names. Newlines are significant (they end instructions); a comment runs from ';' to the end of
 * the line. */
#ifndef NORN_IR_TEXT_LEXER_H
#define NORN_IR_TEXT_LEXER_H

#include "ir/hash.h"
#include "ir/ir.h"

/* The text ends in a newline, which ends every run, so only code that skips newlines has to check
 * for the end. */
typedef struct NornLexer {
  const char *at, *end;
  const char *line_start;
  uint32_t line;
} NornLexer;

/* A stretch of the text. */
typedef struct NornText {
  const char *start;
  size_t length;
} NornText;

enum {
  NORN_CHAR_WORD = 1, /* letters, digits, _ */
  NORN_CHAR_DOT = 2,
  NORN_CHAR_DIGIT = 4,
  NORN_CHAR_BLANK = 8,
};
extern const uint8_t norn_char_class[256];

/* The current byte; must not be called at the end. */
static inline char
norn_peek(const NornLexer *lexer) {
  return *lexer->at;
}

static inline bool
norn_peek_class(const NornLexer *lexer, unsigned class) {
  return norn_char_class[(unsigned char)*lexer->at] & class;
}

static inline uint32_t
norn_column(const NornLexer *lexer) {
  return (uint32_t)(lexer->at - lexer->line_start) + 1;
}

/* Skips the rest of the line; the cursor stays before the newline. */
void norn_skip_line(NornLexer *lexer);

/* Skips blanks and a comment, but no newline. */
static inline void
norn_skip_blanks(NornLexer *lexer) {
  const char *at = lexer->at;
  while (norn_char_class[(unsigned char)*at] & NORN_CHAR_BLANK)
    at++;
  lexer->at = at;
  if (*at == ';')
    norn_skip_line(lexer);
}

/* Skips blanks, then `c` if it is next. */
static inline bool
norn_accept(NornLexer *lexer, char c) {
  norn_skip_blanks(lexer);
  if (norn_peek(lexer) != c)
    return false;
  lexer->at++;
  return true;
}

/* Reads the longest run of bytes of these classes. */
static inline NornText
norn_take(NornLexer *lexer, unsigned classes) {
  const char *at = lexer->at;
  while (norn_char_class[(unsigned char)*at] & classes)
    at++;
  NornText text = {lexer->at, (size_t)(at - lexer->at)};
  lexer->at = at;
  return text;
}

/* Sets the highest bit of each of eight bytes that is at least `min`. The bytes must be ASCII. */
static inline uint64_t
norn_bytes_from(uint64_t bytes, unsigned char min) {
  return bytes + UINT64_C(0x0101010101010101) * (0x80u - min);
}

/* Sets the highest bit of each of eight bytes that is below `limit`. Only the low seven bits of
 * each byte are compared. */
static inline uint64_t
norn_bytes_below(uint64_t bytes, unsigned char limit) {
  const uint64_t high = UINT64_C(0x8080808080808080);
  return ~norn_bytes_from(bytes & ~high, limit) & high;
}

/* The index of the byte whose highest bit is the lowest bit that is set. */
static inline unsigned
norn_first_byte(uint64_t bits) {
  return (unsigned)__builtin_ctzll(bits) >> 3;
}

/* All bits of the bytes before that one; of all eight bytes if no bit is set. */
static inline uint64_t
norn_bytes_before(uint64_t bits) {
  return ((bits & -bits) >> 7) - 1;
}

/* Sets the highest bit of each of eight bytes that is not a word character. The first byte is the
 * lowest in `bytes`. */
static inline uint64_t
norn_word_ends(uint64_t bytes) {
  const uint64_t high = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
  uint64_t plain = bytes & ~high, small = plain | ones * 0x20;
  uint64_t digit = norn_bytes_from(plain, '0') & ~norn_bytes_from(plain, '9' + 1);
  uint64_t letter = norn_bytes_from(small, 'a') & ~norn_bytes_from(small, 'z' + 1);
  uint64_t not_underscore = norn_bytes_from(plain ^ ones * '_', 1);
  return ((~(digit | letter) & not_underscore) | bytes) & high;
}

/* Reads a word at the cursor, as norn_take does, but eight bytes at a time where possible. */
static inline NornText
norn_take_name(NornLexer *lexer) {
  const char *start = lexer->at, *at = start;
  for (; lexer->end - at >= 8; at += 8) {
    uint64_t ends = norn_word_ends(GUINT64_FROM_LE(norn_hash_load(at, 8)));
    if (!ends)
      continue;
    lexer->at = at + norn_first_byte(ends);
    return (NornText){start, (size_t)(lexer->at - start)};
  }
  lexer->at = at;
  norn_take(lexer, NORN_CHAR_WORD);
  return (NornText){start, (size_t)(lexer->at - start)};
}

/* Reads a word after skipping blanks. */
static inline NornText
norn_take_word(NornLexer *lexer) {
  norn_skip_blanks(lexer);
  return norn_take(lexer, NORN_CHAR_WORD);
}

static inline bool
norn_same_text(NornText a, NornText b) {
  return a.length == b.length && norn_same_bytes(a.start, b.start, a.length);
}

/* Whether the text is exactly that word. */
static inline bool
norn_text_is(NornText text, const char *word) {
  return norn_same_text(text, (NornText){word, strlen(word)});
}

/* Skips blanks, comments and newlines. */
static inline void
norn_skip_lines(NornLexer *lexer) {
  while (lexer->at < lexer->end) {
    norn_skip_blanks(lexer);
    if (norn_peek(lexer) != '\n')
      return;
    lexer->line_start = ++lexer->at;
    lexer->line++;
  }
}

/* Text to quote in an error message: the word or the byte at the cursor. */
NornText norn_offending(const NornLexer *lexer);

#endif
