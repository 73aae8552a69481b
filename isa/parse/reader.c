/* Characters, numbers, messages, and the word being filled in. */
#include "isa/parse/reader.h"
#include "ir/diagnostics.h"
#include <stdarg.h>
#include <string.h>

const uint8_t norn_isa_char_classes[256] = {
    [' '] = NORN_ISA_CHAR_BLANK,
    ['\t'] = NORN_ISA_CHAR_BLANK,
    ['\r'] = NORN_ISA_CHAR_BLANK,
    ['_'] = NORN_ISA_CHAR_NAME,
    ['$'] = NORN_ISA_CHAR_NAME,
    ['^'] = NORN_ISA_CHAR_NAME,
    ['#'] = NORN_ISA_CHAR_NAME,
    ['0'] = 3,
    ['1'] = 3,
    ['2'] = 3,
    ['3'] = 3,
    ['4'] = 3,
    ['5'] = 3,
    ['6'] = 3,
    ['7'] = 3,
    ['8'] = 3,
    ['9'] = 3,
    ['a'] = NORN_ISA_CHAR_NAME,
    ['b'] = NORN_ISA_CHAR_NAME,
    ['c'] = NORN_ISA_CHAR_NAME,
    ['d'] = NORN_ISA_CHAR_NAME,
    ['e'] = NORN_ISA_CHAR_NAME,
    ['f'] = NORN_ISA_CHAR_NAME,
    ['g'] = NORN_ISA_CHAR_NAME,
    ['h'] = NORN_ISA_CHAR_NAME,
    ['i'] = NORN_ISA_CHAR_NAME,
    ['j'] = NORN_ISA_CHAR_NAME,
    ['k'] = NORN_ISA_CHAR_NAME,
    ['l'] = NORN_ISA_CHAR_NAME,
    ['m'] = NORN_ISA_CHAR_NAME,
    ['n'] = NORN_ISA_CHAR_NAME,
    ['o'] = NORN_ISA_CHAR_NAME,
    ['p'] = NORN_ISA_CHAR_NAME,
    ['q'] = NORN_ISA_CHAR_NAME,
    ['r'] = NORN_ISA_CHAR_NAME,
    ['s'] = NORN_ISA_CHAR_NAME,
    ['t'] = NORN_ISA_CHAR_NAME,
    ['u'] = NORN_ISA_CHAR_NAME,
    ['v'] = NORN_ISA_CHAR_NAME,
    ['w'] = NORN_ISA_CHAR_NAME,
    ['x'] = NORN_ISA_CHAR_NAME,
    ['y'] = NORN_ISA_CHAR_NAME,
    ['z'] = NORN_ISA_CHAR_NAME,
    ['A'] = NORN_ISA_CHAR_NAME,
    ['B'] = NORN_ISA_CHAR_NAME,
    ['C'] = NORN_ISA_CHAR_NAME,
    ['D'] = NORN_ISA_CHAR_NAME,
    ['E'] = NORN_ISA_CHAR_NAME,
    ['F'] = NORN_ISA_CHAR_NAME,
    ['G'] = NORN_ISA_CHAR_NAME,
    ['H'] = NORN_ISA_CHAR_NAME,
    ['I'] = NORN_ISA_CHAR_NAME,
    ['J'] = NORN_ISA_CHAR_NAME,
    ['K'] = NORN_ISA_CHAR_NAME,
    ['L'] = NORN_ISA_CHAR_NAME,
    ['M'] = NORN_ISA_CHAR_NAME,
    ['N'] = NORN_ISA_CHAR_NAME,
    ['O'] = NORN_ISA_CHAR_NAME,
    ['P'] = NORN_ISA_CHAR_NAME,
    ['Q'] = NORN_ISA_CHAR_NAME,
    ['R'] = NORN_ISA_CHAR_NAME,
    ['S'] = NORN_ISA_CHAR_NAME,
    ['T'] = NORN_ISA_CHAR_NAME,
    ['U'] = NORN_ISA_CHAR_NAME,
    ['V'] = NORN_ISA_CHAR_NAME,
    ['W'] = NORN_ISA_CHAR_NAME,
    ['X'] = NORN_ISA_CHAR_NAME,
    ['Y'] = NORN_ISA_CHAR_NAME,
    ['Z'] = NORN_ISA_CHAR_NAME,
};

void
norn_isa_reader_skip_blanks(NornIsaReader *reader) {
  for (;;) {
    while (norn_isa_reader_sees(reader, reader->at, NORN_ISA_CHAR_BLANK))
      reader->at++;
    if (reader->end - reader->at < 4 || reader->at[0] != '/' || reader->at[1] != '*')
      return;
    const char *close = g_strstr_len(reader->at + 2, reader->end - reader->at - 2, "*/");
    if (!close)
      return;
    reader->at = close + 2;
  }
}

const char *
norn_isa_reader_word_end(const NornIsaReader *reader, const char *at) {
  const char *start = at;
  while (at < reader->end && !strchr(" \t\r,", *at))
    at++;
  return at == start && at < reader->end ? at + 1 : at;
}

void
norn_isa_reader_init(NornIsaReader *reader, const NornIsa *isa, unsigned architecture,
                     const char *text, size_t length) {
  memset(reader, 0, sizeof *reader);
  reader->isa = isa;
  reader->architecture = architecture;
  reader->at = text;
  reader->end = text + length;
  reader->bank = -1;
}

bool
norn_isa_reader_fail(NornIsaReader *reader, const char *at, const char *format, ...) {
  if (reader->message)
    return false;
  va_list arguments;
  va_start(arguments, format);
  reader->message = norn_format_message(format, arguments);
  va_end(arguments);
  reader->problem = at;
  return false;
}

/* In the second pass, when the word is complete: fields that show bits of others must agree with
 * them. */
static void
compare_overlay(NornIsaReader *reader, const NornIsaField *field, uint64_t value) {
  uint64_t mask = norn_isa_mask(norn_isa_field_width(field));
  if (field->overlay && norn_isa_extract(field, reader->word) != (value & mask))
    norn_isa_reader_fail(reader, reader->at, "%s conflicts with the bits that it shares",
                         norn_isa_reader_field_name(reader, field));
}

void
norn_isa_reader_set_field(NornIsaReader *reader, unsigned index, uint64_t value) {
  const NornIsaField *field = &reader->encoding->fields[index];
  if (G_UNLIKELY(reader->comparing)) {
    compare_overlay(reader, field, value);
    return;
  }
  if (G_UNLIKELY(field->overlay))
    return;
  reader->word =
      (reader->word & ~norn_isa_insert(field, UINT64_MAX)) | norn_isa_insert(field, value);
}

/* --- Numbers --- */

bool
norn_isa_read_number(NornIsaReader *reader, int64_t *value) {
  const char *start = reader->at;
  bool negative = norn_isa_reader_accept(reader, '-');
  unsigned base = 10;
  if (reader->end - reader->at > 2 && *reader->at == '0' && (reader->at[1] | 0x20) == 'x') {
    base = 16;
    reader->at += 2;
  }
  const char *digits = reader->at;
  uint64_t magnitude = 0;
  bool overflow = false;
  for (; norn_isa_reader_sees(reader, reader->at, NORN_ISA_CHAR_NAME); reader->at++) {
    unsigned digit = norn_isa_digit(*reader->at);
    if (digit >= base)
      break;
    overflow |= magnitude > ((uint64_t)INT64_MAX - digit) / base;
    magnitude = overflow ? 0 : magnitude * base + digit;
  }
  if (reader->at == digits || norn_isa_reader_sees(reader, reader->at, NORN_ISA_CHAR_NAME)) {
    reader->at = start;
    return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is not a number");
  }
  if (overflow)
    return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is out of range");
  *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
  return true;
}

/* Words with more digits than this are treated as numbers, since there are many names to compare.
 */
#define LONGEST_NUMBER 20

bool
norn_isa_differs_in_number(const char *word, size_t length, const char *name) {
  size_t name_length = strlen(name), letters = name_length;
  while (letters && g_ascii_isdigit(name[letters - 1]))
    letters--;
  if (letters == name_length || letters >= length || g_ascii_strncasecmp(name, word, letters) != 0)
    return false;
  size_t end = MIN(length, letters + LONGEST_NUMBER);
  while (letters < end && g_ascii_isdigit(word[letters]))
    letters++;
  return letters == end;
}
