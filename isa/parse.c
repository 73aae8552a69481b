/* Text to instructions.
 *
 * A name of the text is looked up once in the ISA's hash table of everything a name can mean; the
 * encoding then picks the meaning that one of its fields takes at this point. Reading fills the
 * word directly. Errors cost nothing until they happen. */
#include "isa/text.h"
#include <limits.h>
#include <stdarg.h>
#include <string.h>

/* Characters */

enum { NAME = 1, DIGIT = 2, BLANK = 4 };

static const uint8_t classes[256] = {
    [' '] = BLANK, ['\t'] = BLANK, ['\r'] = BLANK, ['_'] = NAME, ['$'] = NAME, ['^'] = NAME,
    ['#'] = NAME,  ['0'] = 3,      ['1'] = 3,      ['2'] = 3,    ['3'] = 3,    ['4'] = 3,
    ['5'] = 3,     ['6'] = 3,      ['7'] = 3,      ['8'] = 3,    ['9'] = 3,    ['a'] = NAME,
    ['b'] = NAME,  ['c'] = NAME,   ['d'] = NAME,   ['e'] = NAME, ['f'] = NAME, ['g'] = NAME,
    ['h'] = NAME,  ['i'] = NAME,   ['j'] = NAME,   ['k'] = NAME, ['l'] = NAME, ['m'] = NAME,
    ['n'] = NAME,  ['o'] = NAME,   ['p'] = NAME,   ['q'] = NAME, ['r'] = NAME, ['s'] = NAME,
    ['t'] = NAME,  ['u'] = NAME,   ['v'] = NAME,   ['w'] = NAME, ['x'] = NAME, ['y'] = NAME,
    ['z'] = NAME,  ['A'] = NAME,   ['B'] = NAME,   ['C'] = NAME, ['D'] = NAME, ['E'] = NAME,
    ['F'] = NAME,  ['G'] = NAME,   ['H'] = NAME,   ['I'] = NAME, ['J'] = NAME, ['K'] = NAME,
    ['L'] = NAME,  ['M'] = NAME,   ['N'] = NAME,   ['O'] = NAME, ['P'] = NAME, ['Q'] = NAME,
    ['R'] = NAME,  ['S'] = NAME,   ['T'] = NAME,   ['U'] = NAME, ['V'] = NAME, ['W'] = NAME,
    ['X'] = NAME,  ['Y'] = NAME,   ['Z'] = NAME,
};

static inline bool
is_class(const NornIsaReader *reader, const char *at, uint8_t class) {
  return at < reader->end && classes[(uint8_t)*at] & class;
}

static inline const char *
skip_name(const NornIsaReader *reader, const char *at) {
  while (is_class(reader, at, NAME))
    at++;
  return at;
}

static inline const NornIsaToken *
find_token(const NornIsaReader *reader, const char *start, const char *end) {
  size_t length = (size_t)(end - start);
  return norn_isa_find_token(reader->isa, start, length, norn_isa_hash(start, length));
}

/* Skips blanks and C comments that end before the text does. */
static inline void
skip_blanks(NornIsaReader *reader) {
  for (;;) {
    while (is_class(reader, reader->at, BLANK))
      reader->at++;
    if (reader->end - reader->at < 4 || reader->at[0] != '/' || reader->at[1] != '*')
      return;
    const char *close = g_strstr_len(reader->at + 2, reader->end - reader->at - 2, "*/");
    if (!close)
      return;
    reader->at = close + 2;
  }
}

static inline bool
accept(NornIsaReader *reader, char c) {
  if (reader->at >= reader->end || *reader->at != c)
    return false;
  reader->at++;
  return true;
}

/* The end of what a reader would call one word, for messages. */
static const char *
word_end(const NornIsaReader *reader, const char *at) {
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
norn_isa_reader_fail(NornIsaReader *reader, const char *at, size_t length, const char *format,
                     ...) {
  if (reader->message)
    return false;
  va_list arguments;
  va_start(arguments, format);
  reader->message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  reader->problem = at;
  reader->problem_length = length;
  return false;
}

/* Fails at the word at `at`, which "%.*s" in the message stands for. */
#define FAIL_WORD(reader, at_, format, ...)                                                        \
  norn_isa_reader_fail(reader, at_, (size_t)(word_end(reader, at_) - (at_)), format,               \
                       (int)(word_end(reader, at_) - (at_)), at_, ##__VA_ARGS__)

static const char *
mnemonic(const NornIsaReader *reader) {
  return norn_isa_string(reader->isa, reader->name->text);
}

static const char *
field_name(const NornIsaReader *reader, const NornIsaField *field) {
  return norn_isa_string(reader->isa, reader->isa->field_names[field->number].name);
}

/* On the second reading, when the word is complete: fields that show bits of others must agree. */
static void
compare_overlay(NornIsaReader *reader, const NornIsaField *field, uint64_t value) {
  uint64_t mask = norn_isa_mask(norn_isa_field_width(field));
  if (field->overlay && norn_isa_extract(field, reader->word) != (value & mask))
    norn_isa_reader_fail(reader, reader->at, 0, "%s does not agree with the bits it shares",
                         field_name(reader, field));
}

static inline void
set_field(NornIsaReader *reader, unsigned index, uint64_t value) {
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

/* Numbers */

bool
norn_isa_read_number(NornIsaReader *reader, int64_t *value) {
  const char *start = reader->at;
  bool negative = accept(reader, '-');
  unsigned base = 10;
  if (reader->end - reader->at > 2 && *reader->at == '0' && (reader->at[1] | 0x20) == 'x') {
    base = 16;
    reader->at += 2;
  }
  const char *digits = reader->at;
  uint64_t magnitude = 0;
  bool overflow = false;
  for (; is_class(reader, reader->at, NAME); reader->at++) {
    unsigned digit = norn_isa_digit(*reader->at);
    if (digit >= base)
      break;
    overflow |= magnitude > ((uint64_t)INT64_MAX - digit) / base;
    magnitude = overflow ? 0 : magnitude * base + digit;
  }
  if (reader->at == digits || is_class(reader, reader->at, NAME)) {
    reader->at = start;
    return FAIL_WORD(reader, start, "'%.*s' is not a number");
  }
  if (overflow)
    return FAIL_WORD(reader, start, "'%.*s' is out of range");
  *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
  return true;
}

/* Modifiers */

/* The value of `field` that `token` means here, or -1. */
static int64_t
match_field(const NornIsaReader *reader, const NornIsaToken *token, const NornIsaField *field) {
  const NornIsaMeaning *meaning = reader->isa->meanings + token->first;
  for (unsigned m = 0; m < token->count; m++, meaning++) {
    if (field->enumeration == meaning->owner && reader->architecture >= meaning->since &&
        reader->architecture <= meaning->until && meaning->code < 64 &&
        norn_isa_readable(field) >> meaning->code & 1)
      return meaning->code;
  }
  return -1;
}

/* The first index among `indices` that takes `token` here, if possible one still free, and its
 * value; -1 if there is none. */
static int
choose_field(const NornIsaReader *reader, const NornIsaToken *token, const uint8_t *indices,
             unsigned count, uint32_t *value) {
  int found = -1;
  for (unsigned i = 0; i < count; i++) {
    const NornIsaField *field = &reader->encoding->fields[indices[i]];
    int64_t code = field->kind == NORN_ISA_FIELD_ENUM ? match_field(reader, token, field) : -1;
    if (code < 0 || (found >= 0 && reader->given >> indices[i] & 1))
      continue;
    *value = (uint32_t)code;
    found = indices[i];
    if (!(reader->given >> found & 1))
      return found;
  }
  return found;
}

/* Reads one modifier name. */
static int
read_modifier_name(NornIsaReader *reader, const uint8_t *indices, unsigned count, uint32_t *value) {
  const char *end = skip_name(reader, reader->at);
  if (end < reader->end && *end == ':' && !reader->isa->dotted) /* mul:2 */
    end = skip_name(reader, end + 1);
  const NornIsaToken *token = find_token(reader, reader->at, end);
  int index = token ? choose_field(reader, token, indices, count, value) : -1;
  if (index >= 0)
    reader->at = end;
  return index;
}

static bool
take_modifier(NornIsaReader *reader, const char *start, int index, uint32_t value) {
  if (reader->given >> index & 1)
    return norn_isa_reader_fail(reader, start, (size_t)(reader->at - start),
                                "'%.*s': %s is given twice", (int)(reader->at - start), start,
                                field_name(reader, &reader->encoding->fields[index]));
  reader->given |= 1u << index;
  set_field(reader, (unsigned)index, value);
  return true;
}

/* All names these indices take, for messages. */
static char *
list_names(const NornIsaReader *reader, const uint8_t *indices, unsigned count) {
  GString *list = g_string_new(NULL);
  for (unsigned i = 0; i < count; i++) {
    const NornIsaField *field = &reader->encoding->fields[indices[i]];
    for (unsigned v = 0; field->kind == NORN_ISA_FIELD_ENUM && v < 64; v++) {
      if (!(norn_isa_readable(field) >> v & 1))
        continue;
      NornIsaText text = reader->isa->texts[field->texts + v];
      if (text)
        g_string_append_printf(list, "%s%s", list->len ? " " : "",
                               norn_isa_string(reader->isa, text));
    }
  }
  if (!list->len)
    g_string_append(list, "none");
  return g_string_free(list, FALSE);
}

/* Fails for what the instruction has on other architectures only, the first of them `since` and the
 * last `until`. */
static bool
fail_elsewhere(NornIsaReader *reader, const char *start, const char *end, unsigned since,
               unsigned until) {
  const char *here = norn_isa_architecture_name(reader->isa, reader->architecture);
  bool later = reader->architecture < since;
  const char *there = norn_isa_architecture_name(reader->isa, later ? since : until);
  return norn_isa_reader_fail(reader, start, (size_t)(end - start),
                              "'%.*s' of %s exists only %s architecture %s, not on %s",
                              (int)(end - start), start, mnemonic(reader),
                              later ? "since" : "until", there, here);
}

/* Whether only architectures before or only ones after this one are from `since` to `until`. */
static bool
is_elsewhere(const NornIsaReader *reader, unsigned since, unsigned until) {
  return since <= until && (reader->architecture < since || reader->architecture > until);
}

/* A copy of the reader for another architecture, to look things up there. Returns false if the
 * instruction does not exist there. */
static bool
look_elsewhere(const NornIsaReader *reader, unsigned architecture, NornIsaReader *there) {
  *there = *reader;
  there->architecture = architecture;
  there->given = 0;
  there->encoding = norn_isa_name_encoding(reader->isa, architecture,
                                           (unsigned)(reader->name - reader->isa->names));
  return architecture != reader->architecture && there->encoding;
}

/* Fails if `indices` take the modifier on other architectures. Returns whether it did. */
static bool
modifier_elsewhere(NornIsaReader *reader, const char *start, const char *end,
                   const uint8_t *indices) {
  const NornIsaToken *token = find_token(reader, start, end);
  unsigned operand = 0, since = UINT_MAX, until = 0;
  bool on_mnemonic = indices == reader->encoding->modifiers;
  while (!on_mnemonic && operand < reader->encoding->operand_count &&
         reader->encoding->operands[operand].modifiers != indices)
    operand++;
  for (unsigned a = 0; token && a < reader->isa->architecture_count; a++) {
    NornIsaReader there;
    uint32_t value;
    if (!look_elsewhere(reader, a, &there) ||
        (!on_mnemonic && operand >= there.encoding->operand_count))
      continue;
    const NornIsaEncoding *encoding = there.encoding;
    int index = on_mnemonic ? choose_field(&there, token, encoding->modifiers,
                                           encoding->modifier_count, &value)
                            : choose_field(&there, token, encoding->operands[operand].modifiers,
                                           encoding->operands[operand].modifier_count, &value);
    if (index < 0)
      continue;
    since = MIN(since, a);
    until = a;
  }
  return is_elsewhere(reader, since, until) && !fail_elsewhere(reader, start, end, since, until);
}

static bool
unknown_modifier(NornIsaReader *reader, const char *start, const uint8_t *indices, unsigned count) {
  const char *end = skip_name(reader, start);
  if (modifier_elsewhere(reader, start, end, indices))
    return false;
  char *names = list_names(reader, indices, count);
  norn_isa_reader_fail(reader, start, (size_t)(end - start),
                       "'%.*s' is no modifier here; %s takes: %s", (int)(end - start), start,
                       mnemonic(reader), names);
  g_free(names);
  return false;
}

/* Takes a word that the alias asks for. */
static bool
take_with(NornIsaReader *reader) {
  if (!reader->name->with_count)
    return false;
  size_t length = (size_t)(skip_name(reader, reader->at) - reader->at);
  for (unsigned i = 0; i < reader->name->with_count; i++) {
    NornIsaText text = reader->isa->texts[reader->name->with + i];
    if (reader->with >> i & 1 || !norn_isa_text_is(reader->isa, text, reader->at, length))
      continue;
    reader->with |= 1u << i;
    reader->at += length;
    return true;
  }
  return false;
}

/* Takes a word that names the bank of the sources, where banks have names. It is only a promise: a
 * source that needs a bank must need this one. */
static bool
take_bank_name(NornIsaReader *reader) {
  const char *end = skip_name(reader, reader->at);
  const NornIsaToken *token = find_token(reader, reader->at, end);
  for (unsigned i = 0; token && i < reader->encoding->field_count; i++) {
    const NornIsaField *field = &reader->encoding->fields[i];
    int64_t bank = field->kind == NORN_ISA_FIELD_BANK ? match_field(reader, token, field) : -1;
    if (bank < 0 || reader->bank >= 0)
      continue;
    reader->bank = (int)bank;
    reader->at = end;
    return true;
  }
  return false;
}

static bool
read_dotted(NornIsaReader *reader, const uint8_t *indices, unsigned count) {
  bool on_mnemonic = indices == reader->encoding->modifiers;
  while (accept(reader, '.')) {
    if (on_mnemonic && take_with(reader))
      continue;
    const char *start = reader->at;
    uint32_t value = 0;
    int index = read_modifier_name(reader, indices, count, &value);
    if (index < 0 && on_mnemonic && take_bank_name(reader))
      continue;
    if (index < 0)
      return unknown_modifier(reader, start, indices, count);
    if (!take_modifier(reader, start, index, value))
      return false;
  }
  return true;
}

bool
norn_isa_read_suffix(NornIsaReader *reader, const NornIsaOperand *operand) {
  return read_dotted(reader, operand->modifiers, operand->modifier_count);
}

/* Mnemonics */

/* The longest name, of all its parts between dots, that starts here; NULL if none does. */
static const NornIsaMnemonic *
find_mnemonic(NornIsaReader *reader, const char *start) {
  const char *ends[NORN_ISA_MNEMONIC_PARTS], *at = start;
  unsigned count = 0;
  if (!reader->isa->dotted) /* the name is the whole word */
    ends[count++] = word_end(reader, start);
  while (reader->isa->dotted && count < reader->isa->mnemonic_parts) {
    at = skip_name(reader, at);
    ends[count++] = at;
    if (at >= reader->end || *at++ != '.')
      break;
  }
  while (count-- > 0) {
    size_t length = (size_t)(ends[count] - start);
    const NornIsaMnemonic *found =
        norn_isa_find_mnemonic(reader->isa, start, length, norn_isa_hash(start, length));
    if (found) {
      reader->at = ends[count];
      return found;
    }
  }
  return NULL;
}

/* The instructions whose names begin as the one at `start` does, up to the first dot: those with
 * another type. "" if there are none. */
static char *
list_types(const NornIsaReader *reader, const char *start) {
  const NornIsa *isa = reader->isa;
  size_t length = (size_t)(skip_name(reader, start) - start);
  GString *list = g_string_new(NULL);
  for (unsigned i = 0; isa->dotted && i < isa->instruction_count; i++) {
    const char *name = norn_isa_string(isa, isa->names[i].text);
    if (strncmp(name, start, length) == 0 && name[length] == '.' &&
        norn_isa_name_encoding(isa, reader->architecture, i))
      g_string_append_printf(list, "%s %s", list->len ? "" : "; there are", name);
  }
  return g_string_free(list, FALSE);
}

bool
norn_isa_read_mnemonic(NornIsaReader *reader, const NornIsaMnemonic **names) {
  const char *start = reader->at;
  *names = find_mnemonic(reader, start);
  if (*names)
    return true;
  g_autofree char *types = list_types(reader, start);
  return FAIL_WORD(reader, start, "'%.*s' is no instruction of %s%s", reader->isa->name, types);
}

static bool
missing_architecture(NornIsaReader *reader) {
  const NornIsa *isa = reader->isa;
  const NornIsaName *name = reader->name;
  const char *here = norn_isa_architecture_name(isa, reader->architecture);
  const char *text = norn_isa_string(isa, name->text);
  size_t length = name->text & 0xFF;
  const char *start = reader->at - length;
  if (reader->architecture >= name->since && reader->architecture <= name->until)
    return norn_isa_reader_fail(reader, start, length, "'%s' does not exist on architecture %s",
                                text, here);
  bool later = reader->architecture < name->since;
  const char *there = norn_isa_architecture_name(isa, later ? name->since : name->until);
  return norn_isa_reader_fail(reader, start, length,
                              "'%s' exists only %s architecture %s, not on %s", text,
                              later ? "since" : "until", there, here);
}

bool
norn_isa_read_modifiers(NornIsaReader *reader, const NornIsaMnemonic *names, unsigned choice) {
  unsigned name = reader->isa->name_lists[names->first + choice];
  reader->name = &reader->isa->names[name];
  reader->encoding = norn_isa_name_encoding(reader->isa, reader->architecture, name);
  if (!reader->encoding)
    return missing_architecture(reader);
  reader->word = reader->encoding->word;
  const NornIsaEncoding *encoding = reader->encoding;
  return !reader->isa->dotted ||
         (read_dotted(reader, encoding->modifiers, encoding->modifier_count) &&
          norn_isa_read_complete(reader, encoding->modifiers, encoding->modifier_count));
}

/* Codes */

static bool
take_bank(NornIsaReader *reader, const char *start, const NornIsaCode *code,
          const NornIsaCodeTable *table) {
  if (code->bank == NORN_ISA_ANY_BANK)
    return true;
  bool fixed = !norn_isa_field_exists(reader->encoding, table->bank);
  int bank = fixed ? 0 : reader->bank;
  if (bank < 0)
    bank = code->bank;
  const char *name = norn_isa_string(reader->isa, reader->isa->field_names[table->bank].name);
  if (bank != code->bank && reader->no_verify)
    return true; /* of several the first counts */
  if (bank != code->bank)
    return FAIL_WORD(reader, start,
                     "'%.*s' needs %s %u, but it is already %d: all sources of an instruction "
                     "share it",
                     name, code->bank, bank);
  reader->bank = bank;
  if (!fixed)
    set_field(reader, reader->encoding->field_indices[table->bank], (uint64_t)bank);
  return true;
}

/* The code that a word of the text means to the operand, or -1. */
static int64_t
token_code(const NornIsaReader *reader, const NornIsaToken *token, const NornIsaOperand *operand) {
  const NornIsa *isa = reader->isa;
  int64_t code = norn_isa_token_code(isa, token, operand);
  if (code >= 0 || !reader->no_verify)
    return code;
  /* What only operands of another size may have: the bits can hold it. */
  const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
  for (unsigned i = 0; i < token->count; i++) {
    const NornIsaMeaning *meaning = &isa->meanings[token->first + i];
    if (meaning->owner == NORN_ISA_NONE && !(meaning->code >> (table->width + table->bank_width)) &&
        isa->codes[table->first + meaning->code].kind != NORN_ISA_CODE_RESERVED)
      return meaning->code;
  }
  return -1;
}

static int64_t
find_code(const NornIsaReader *reader, const NornIsaOperand *operand, const char *text,
          size_t length) {
  const NornIsaToken *token = find_token(reader, text, text + length);
  return token ? token_code(reader, token, operand) : -1;
}

/* The end of a tuple's "[0:1]" at `at`, or `at`. */
static const char *
skip_brackets(const NornIsaReader *reader, const char *at) {
  if (at >= reader->end || *at != '[')
    return at;
  for (const char *end = at; end < reader->end && !strchr(", \t", *end); end++) {
    if (*end == ']')
      return end + 1;
  }
  return at;
}

/* A number can be written in any way; the tables have the one that is printed. */
static int64_t
read_constant(NornIsaReader *reader, const NornIsaOperand *operand) {
  NornIsaReader number = *reader;
  int64_t value = 0;
  bool is_number = norn_isa_read_number(&number, &value);
  g_free(number.message);
  if (!is_number ||
      (number.at < reader->end && *number.at == '.' && is_class(reader, number.at + 1, DIGIT)))
    return -1;
  NornIsaWriter writer = {.isa = reader->isa};
  char text[32];
  writer.limit = text + sizeof text;
  int64_t code = -1;
  for (int decimal = 0; decimal < 2 && code < 0; decimal++) {
    char *end = norn_isa_write_number(&writer, text, value, decimal);
    code = find_code(reader, operand, text, (size_t)(end - text));
  }
  if (code >= 0)
    reader->at = number.at;
  return code;
}

/* Whether the name is a code of operands of another size. */
static bool
is_other_size(const NornIsaReader *reader, const char *start, const char *end) {
  const NornIsaToken *token = find_token(reader, start, end);
  for (unsigned i = 0; token && i < token->count; i++) {
    if (reader->isa->meanings[token->first + i].owner & 0x8000)
      return true;
  }
  return false;
}

/* The same for the name at `start` or the first parts of it. */
static bool
is_code_elsewhere(const NornIsaReader *reader, const char *start) {
  for (const char *end = skip_name(reader, start);; end = skip_name(reader, end + 1)) {
    if (is_other_size(reader, start, end))
      return true;
    if (end >= reader->end || *end != '.')
      return false;
  }
}

/* Of a name that may hold dots the longest counts, but only special values can have a name that
 * goes on after a shorter one (`lane_id`, `lane_id.w0`). `end` is of the first part. */
static int64_t
read_dotted_code(NornIsaReader *reader, const NornIsaOperand *operand, const char *end) {
  const char *start = reader->at;
  const NornIsaCode *codes = reader->isa->codes + reader->isa->code_tables[operand->codes].first;
  bool number = is_class(reader, start, DIGIT) || (start < reader->end && *start == '-');
  int64_t found = -1;
  for (;;) {
    bool fraction = number && end < reader->end && *end == '.' && is_class(reader, end + 1, DIGIT);
    int64_t code = fraction ? -1 : find_code(reader, operand, start, (size_t)(end - start));
    if (code >= 0) {
      reader->at = end;
      found = code;
    }
    if (code < 0 && found >= 0 && is_other_size(reader, start, end)) {
      reader->at = start;
      return -1;
    }
    bool more = code < 0 ? found < 0 : codes[code].kind == NORN_ISA_CODE_SPECIAL;
    if (!more || end >= reader->end || *end != '.')
      break;
    end = skip_name(reader, end + 1);
  }
  return found;
}

/* A name or number that stands for a code, or -1. */
static int64_t
read_code_name(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at, *end = start;
  bool number = is_class(reader, start, DIGIT);
  if (start < reader->end && *start == '-' && is_class(reader, start + 1, DIGIT)) {
    number = true;
    end++;
  }
  end = skip_name(reader, end);
  if (end < reader->end && *end == '[') {
    end = skip_brackets(reader, end);
  } else if (!(number && end < reader->end && *end == '.')) {
    const NornIsaToken *token = find_token(reader, start, end);
    int64_t code = token ? token_code(reader, token, operand) : -1;
    const NornIsaCodeTable *table = &reader->isa->code_tables[operand->codes];
    bool more = end < reader->end && *end == '.' &&
                (code < 0 ||
                 reader->isa->codes[table->first + (uint32_t)code].kind == NORN_ISA_CODE_SPECIAL);
    if (code >= 0 && !more) {
      reader->at = end;
      return code;
    }
  }
  int64_t found = read_dotted_code(reader, operand, end);
  return found < 0 && number ? read_constant(reader, operand) : found;
}

/* Fails if the operand takes what is written at `start` on other architectures. Returns whether it
 * did. */
static bool
code_elsewhere(NornIsaReader *reader, const char *start, const NornIsaOperand *operand) {
  unsigned number = (unsigned)(operand - reader->encoding->operands), since = UINT_MAX, until = 0;
  const char *end = start;
  for (unsigned a = 0; a < reader->isa->architecture_count; a++) {
    NornIsaReader there;
    if (!look_elsewhere(reader, a, &there) || number >= there.encoding->operand_count ||
        there.encoding->operands[number].role != operand->role)
      continue;
    there.at = start;
    if (read_code_name(&there, &there.encoding->operands[number]) < 0)
      continue;
    end = there.at;
    since = MIN(since, a);
    until = a;
  }
  return is_elsewhere(reader, since, until) && !fail_elsewhere(reader, start, end, since, until);
}

static bool
unknown_code(NornIsaReader *reader, const char *start, const NornIsaOperand *operand) {
  static const char *const expected[] = {
      [NORN_ISA_OPERAND_DESTINATION] = "a destination",
      [NORN_ISA_OPERAND_SOURCE] = "a source",
      [NORN_ISA_OPERAND_STAGING_READ] = "a staging register",
      [NORN_ISA_OPERAND_STAGING_WRITE] = "a staging register",
      [NORN_ISA_OPERAND_STAGING_BOTH] = "a staging register",
  };
  if (start >= reader->end)
    return norn_isa_reader_fail(reader, start, 0, "expected %s of %s", expected[operand->role],
                                mnemonic(reader));
  if (code_elsewhere(reader, start, operand))
    return false;
  if (operand->role == NORN_ISA_OPERAND_SOURCE && is_class(reader, start, DIGIT))
    return FAIL_WORD(reader, start, "'%.*s' is not in the table of constants");
  if (operand->words > 1 && is_code_elsewhere(reader, start))
    return FAIL_WORD(reader, start,
                     "'%.*s' cannot be %s of %s: it has %u bits, which start at an even register "
                     "or word",
                     expected[operand->role], mnemonic(reader), operand->words * 32u);
  return FAIL_WORD(reader, start, "'%.*s' is not %s of %s", expected[operand->role],
                   mnemonic(reader));
}

static bool
read_code(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at;
  int64_t code = read_code_name(reader, operand);
  if (code < 0)
    return unknown_code(reader, start, operand);
  const NornIsaCodeTable *table = &reader->isa->code_tables[operand->codes];
  if (table->bank != NORN_ISA_NONE &&
      !take_bank(reader, start, &reader->isa->codes[table->first + (uint32_t)code], table))
    return false;
  set_field(reader, operand->field, (uint64_t)code & norn_isa_mask(table->width));
  return true;
}

/* Operands */

static bool
set_notation(NornIsaReader *reader, const NornIsaOperand *operand, NornIsaNotation notation,
             const char *start) {
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    const NornIsaField *field = &reader->encoding->fields[operand->modifiers[i]];
    if (field->notation == notation)
      return take_modifier(reader, start, operand->modifiers[i],
                           (uint32_t)(63 - __builtin_clzll(field->allowed)));
  }
  return FAIL_WORD(reader, start, "'%.*s': this operand of %s cannot be %s", mnemonic(reader),
                   notation == NORN_ISA_NOTATION_NEGATE ? "negated" : "made absolute");
}

static bool
accept_call(NornIsaReader *reader, const char *name, size_t length) {
  if ((size_t)(reader->end - reader->at) <= length || reader->at[length] != '(' ||
      g_ascii_strncasecmp(reader->at, name, length) != 0)
    return false;
  reader->at += length + 1;
  return true;
}

static bool
expect(NornIsaReader *reader, char c) {
  skip_blanks(reader);
  if (accept(reader, c))
    return true;
  if (reader->at >= reader->end)
    return norn_isa_reader_fail(reader, reader->at, 0, "expected '%c' at the end of the line", c);
  return norn_isa_reader_fail(reader, reader->at, 1, "expected '%c', not '%c'", c, *reader->at);
}

/* A source or destination with what is written around it: at most a negation, then an absolute. */
static bool
read_wrapped(NornIsaReader *reader, const NornIsaOperand *operand, unsigned depth) {
  const char *start = reader->at;
  NornIsaReader plain = *reader;
  if (read_code_name(&plain, operand) < 0 && depth < 3) {
    bool negate_call = accept_call(reader, "neg", 3);
    if (negate_call || accept(reader, '-'))
      return set_notation(reader, operand, NORN_ISA_NOTATION_NEGATE, start) &&
             read_wrapped(reader, operand, depth + 1) && (!negate_call || expect(reader, ')'));
    bool absolute_call = accept_call(reader, "abs", 3);
    if (absolute_call || accept(reader, '|'))
      return set_notation(reader, operand, NORN_ISA_NOTATION_ABSOLUTE, start) &&
             read_wrapped(reader, operand, depth + 1) && expect(reader, absolute_call ? ')' : '|');
  }
  return read_code(reader, operand) && norn_isa_read_suffix(reader, operand);
}

/* Puts a count that does not follow from the modifiers into the field that the operand's count is,
 * if there is one and it can hold it. */
static void
force_count(NornIsaReader *reader, const NornIsaOperand *operand, unsigned listed) {
  for (unsigned i = 0; i < reader->encoding->field_count; i++) {
    const NornIsaField *field = &reader->encoding->fields[i];
    if (field->kind == NORN_ISA_FIELD_DERIVED && field->expression == operand->count &&
        !(listed >> norn_isa_field_width(field))) {
      reader->forced_mask = norn_isa_insert(field, UINT64_MAX);
      reader->forced_bits = norn_isa_insert(field, listed);
    }
  }
}

static bool
count_registers(NornIsaReader *reader, const NornIsaOperand *operand, const char *start,
                unsigned listed) {
  unsigned count = norn_isa_operand_words(reader->isa, reader->encoding, operand, reader->word);
  if (count == listed)
    return true;
  if (reader->no_verify) {
    force_count(reader, operand, listed);
    return true;
  }
  return norn_isa_reader_fail(
      reader, start, (size_t)(reader->at - start), "'%.*s': %s stages %u register%s here, not %u",
      (int)(reader->at - start), start, mnemonic(reader), count, count == 1 ? "" : "s", listed);
}

/* The field that holds how many registers are listed: the first of its values with that amount. */
static bool
set_count(NornIsaReader *reader, const char *start, unsigned listed) {
  for (unsigned i = 0; i < reader->encoding->field_count; i++) {
    const NornIsaField *field = &reader->encoding->fields[i];
    if (field->kind != NORN_ISA_FIELD_COUNT || reader->given >> i & 1)
      continue;
    for (uint32_t value = 0; value < 1u << norn_isa_field_width(field); value++) {
      int64_t amount = field->amounts == UINT32_MAX ? (int64_t)value
                                                    : reader->isa->amounts[field->amounts + value];
      if (amount != listed)
        continue;
      reader->given |= 1u << i;
      set_field(reader, i, value);
      return true;
    }
    return norn_isa_reader_fail(reader, start, (size_t)(reader->at - start),
                                "'%.*s': %s cannot stage %u registers", (int)(reader->at - start),
                                start, mnemonic(reader), listed);
  }
  return true;
}

/* Whether the number of registers is for the text to say: the count is a field of its own. */
static bool
is_counted(const NornIsaReader *reader, const NornIsaOperand *operand) {
  const uint32_t *code = reader->isa->expressions + operand->count;
  return (*code & 0xFF) == NORN_ISA_EXPRESSION_AMOUNT &&
         (code[1] & 0xFF) == NORN_ISA_EXPRESSION_END &&
         reader->encoding->fields[*code >> 8].kind == NORN_ISA_FIELD_COUNT;
}

static bool
read_staging(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at;
  if (!accept(reader, '@'))
    return start < reader->end
               ? FAIL_WORD(reader, start, "'%.*s': staging registers of %s begin with '@'",
                           mnemonic(reader))
               : unknown_code(reader, start, operand);
  unsigned listed = 0;
  uint32_t first = 0;
  do {
    const char *name = reader->at;
    int64_t code = read_code_name(reader, operand);
    if (code < 0)
      return unknown_code(reader, name, operand);
    if (listed && code != (int64_t)first + listed)
      return FAIL_WORD(reader, name, "'%.*s': staging registers are consecutive");
    if (!listed)
      first = (uint32_t)code;
    listed++;
  } while (accept(reader, ':'));
  set_field(reader, operand->field, first);
  if (is_counted(reader, operand) && !set_count(reader, start, listed))
    return false;
  return count_registers(reader, operand, start, listed) && norn_isa_read_suffix(reader, operand);
}

/* Whether the text goes on with what is written before the operand. */
static bool
has_prefix(const NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *prefix = norn_isa_string(reader->isa, operand->prefix);
  size_t length = operand->prefix & 0xFF;
  return (size_t)(reader->end - reader->at) >= length &&
         (reader->isa->any_case ? g_ascii_strncasecmp(reader->at, prefix, length)
                                : strncmp(reader->at, prefix, length)) == 0;
}

/* Whether a number beyond the limits is another way to write one within. */
static bool
is_also(const NornIsaReader *reader, const NornIsaOperand *operand, int64_t value) {
  int64_t mask =
      (int64_t)norn_isa_mask(norn_isa_field_width(&reader->encoding->fields[operand->field]));
  return operand->also && value >= operand->also && value <= (operand->also | mask);
}

bool
norn_isa_read_immediate(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at;
  const char *prefix = norn_isa_string(reader->isa, operand->prefix);
  size_t length = operand->prefix & 0xFF;
  if (!has_prefix(reader, operand))
    return start < reader->end ? FAIL_WORD(reader, start, "'%.*s': expected %sNUMBER", prefix)
                               : norn_isa_reader_fail(reader, start, 0, "expected %sNUMBER of %s",
                                                      prefix, mnemonic(reader));
  reader->at += length;
  int64_t value = 0;
  if (!norn_isa_read_number(reader, &value))
    return false;
  if ((value < operand->minimum || value > operand->maximum) && !is_also(reader, operand, value))
    return FAIL_WORD(reader, start,
                     "'%.*s' is out of range %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                     operand->minimum, operand->maximum);
  int64_t unit = INT64_C(1) << operand->scale;
  if (value % unit || value % operand->multiple)
    return FAIL_WORD(reader, start, "'%.*s' is not a multiple of %" G_GINT64_FORMAT,
                     value % unit ? unit : (int64_t)operand->multiple);
  set_field(reader, operand->field, (uint64_t)(value / unit));
  return norn_isa_read_suffix(reader, operand);
}

/* A label, or an immediate: what has no colon after its first name is a label. */
static bool
read_target(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at, *end = start;
  while (is_class(reader, end, NAME) || (end > start && end < reader->end && *end == '.'))
    end++;
  bool is_name =
      end > start && !is_class(reader, start, DIGIT) && (end >= reader->end || *end != ':');
  if (is_name && reader->label &&
      reader->label(reader->data, start, (size_t)(end - start), operand)) {
    reader->at = end;
    return true;
  }
  return norn_isa_read_immediate(reader, operand);
}

/* op_sel:[0,1], possibly absent; or op_sel:3, a number. */
static bool
read_list(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *prefix = norn_isa_string(reader->isa, operand->prefix);
  size_t length = operand->prefix & 0xFF;
  if ((size_t)(reader->end - reader->at) < length ||
      g_ascii_strncasecmp(reader->at, prefix, length) != 0)
    return true;
  const char *start = reader->at;
  reader->at += length;
  int64_t value = 0;
  if (!accept(reader, '[')) {
    if (!norn_isa_read_number(reader, &value))
      return false;
    if (value < 0 || value >> operand->modifier_count)
      return FAIL_WORD(reader, start, "'%.*s' is out of range");
    for (unsigned i = 0; i < operand->modifier_count; i++)
      set_field(reader, operand->modifiers[i], (uint64_t)value >> i & 1);
    return true;
  }
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    skip_blanks(reader);
    if ((i && !expect(reader, ',')) || (skip_blanks(reader), !norn_isa_read_number(reader, &value)))
      return false;
    if (value < 0 || value > 1)
      return FAIL_WORD(reader, start, "'%.*s': expected bits");
    set_field(reader, operand->modifiers[i], (uint64_t)value);
  }
  return expect(reader, ']');
}

/* A positional modifier; absent if it has a default and the next word is not one of its names. */
static bool
read_word(NornIsaReader *reader, const NornIsaOperand *operand) {
  const NornIsaField *field = &reader->encoding->fields[operand->field];
  const char *start = reader->at;
  uint32_t value = 0;
  int index = read_modifier_name(reader, &operand->field, 1, &value);
  if (index >= 0)
    return take_modifier(reader, start, index, value);
  return field->has_default || unknown_modifier(reader, start, &operand->field, 1);
}

static bool
read_literal(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *text = norn_isa_string(reader->isa, operand->prefix);
  size_t length = operand->prefix & 0xFF;
  bool opens = text[length - 1] == '('; /* what else a name follows is another word */
  if ((size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0 &&
      (opens || !is_class(reader, reader->at + length, NAME))) {
    reader->at += length;
    return true;
  }
  return FAIL_WORD(reader, reader->at, "'%.*s': expected '%s'", text);
}

bool
norn_isa_read_operand(NornIsaReader *reader, const NornIsaOperand *operand) {
  switch (operand->role) {
  case NORN_ISA_OPERAND_DESTINATION:
  case NORN_ISA_OPERAND_SOURCE:
    if (operand->wrapped)
      return read_wrapped(reader, operand, 0);
    return read_code(reader, operand) && norn_isa_read_suffix(reader, operand);
  case NORN_ISA_OPERAND_IMMEDIATE:
    return norn_isa_read_immediate(reader, operand);
  case NORN_ISA_OPERAND_TARGET:
    return read_target(reader, operand);
  case NORN_ISA_OPERAND_LIST:
    return read_list(reader, operand);
  case NORN_ISA_OPERAND_WORD:
    return read_word(reader, operand);
  case NORN_ISA_OPERAND_LITERAL:
    return read_literal(reader, operand);
  default:
    return read_staging(reader, operand);
  }
}

/* Instructions */

static bool
missing_modifier(NornIsaReader *reader, uint8_t index) {
  char *names = list_names(reader, &index, 1);
  norn_isa_reader_fail(reader, reader->at, 0, "%s needs its %s: one of %s", mnemonic(reader),
                       field_name(reader, &reader->encoding->fields[index]), names);
  g_free(names);
  return false;
}

bool
norn_isa_read_complete(NornIsaReader *reader, const uint8_t *indices, unsigned count) {
  const NornIsa *isa = reader->isa;
  if (reader->with != (1u << reader->name->with_count) - 1)
    return norn_isa_reader_fail(reader, reader->at, 0, "%s needs the modifier %s here",
                                mnemonic(reader),
                                norn_isa_string(isa, isa->texts[reader->name->with]));
  uint32_t missing = reader->encoding->required & ~reader->given;
  for (unsigned i = 0; missing && i < count; i++) {
    if (missing >> indices[i] & 1)
      return missing_modifier(reader, indices[i]);
  }
  return true;
}

/* The same for all operands. */
static bool
read_complete_operands(NornIsaReader *reader) {
  if (!(reader->encoding->required & ~reader->given))
    return true;
  for (unsigned i = 0; i < reader->encoding->operand_count; i++) {
    const NornIsaOperand *operand = &reader->encoding->operands[i];
    if (!norn_isa_read_complete(reader, operand->modifiers, operand->modifier_count))
      return false;
  }
  return true;
}

/* Whether the operand has no text for the modifiers read: a group of no registers. */
static bool
is_absent(const NornIsaReader *reader, const NornIsaOperand *operand) {
  return !operand->words && operand->role >= NORN_ISA_OPERAND_STAGING_READ &&
         operand->role <= NORN_ISA_OPERAND_STAGING_BOTH && !is_counted(reader, operand) &&
         !norn_isa_operand_words(reader->isa, reader->encoding, operand, reader->word);
}

static bool
read_separator(NornIsaReader *reader, const NornIsaOperand *operand, bool first) {
  const char *before = reader->at;
  skip_blanks(reader);
  bool attached = operand->role == NORN_ISA_OPERAND_LITERAL &&
                  *norn_isa_string(reader->isa, operand->prefix) == ')';
  if (first || !reader->isa->commas || operand->role == NORN_ISA_OPERAND_LIST) {
    if (reader->at == before && reader->at < reader->end && !attached)
      return FAIL_WORD(reader, before, "unexpected '%.*s'");
    return true;
  }
  if (!accept(reader, ','))
    return norn_isa_reader_fail(reader, reader->at, 0, "%s has more operands: expected ','",
                                mnemonic(reader));
  skip_blanks(reader);
  return true;
}

/* Takes the word that changes nothing. */
static bool
take_filler(NornIsaReader *reader) {
  const NornIsa *isa = reader->isa;
  size_t length = (size_t)(skip_name(reader, reader->at) - reader->at);
  if (!isa->filler || !norn_isa_text_is(isa, isa->filler, reader->at, length))
    return false;
  reader->at += length;
  return true;
}

static bool
read_trailing(NornIsaReader *reader) {
  for (;;) {
    skip_blanks(reader);
    if (reader->at >= reader->end || *reader->at == '{')
      return true;
    if (!reader->isa->dotted && (take_with(reader) || take_filler(reader)))
      continue;
    const char *start = reader->at;
    uint32_t value = 0;
    const NornIsaEncoding *encoding = reader->encoding;
    int index = reader->isa->dotted ? -1
                                    : read_modifier_name(reader, encoding->modifiers,
                                                         encoding->modifier_count, &value);
    if (index < 0)
      return reader->isa->dotted || *start == ','
                 ? FAIL_WORD(reader, start, "unexpected '%.*s' after the operands of %s",
                             mnemonic(reader))
                 : unknown_modifier(reader, start, encoding->modifiers, encoding->modifier_count);
    if (!take_modifier(reader, start, index, value))
      return false;
  }
}

/* {0x...}: bits without meaning. */
static bool
read_ignored(NornIsaReader *reader) {
  const char *start = reader->at;
  if (!accept(reader, '{'))
    return true;
  uint64_t bits = 0;
  if (reader->end - reader->at > 2 && reader->at[0] == '0' && (reader->at[1] | 0x20) == 'x')
    reader->at += 2;
  for (; reader->at < reader->end && norn_isa_digit(*reader->at) < 16; reader->at++) {
    if (bits >> 60)
      return FAIL_WORD(reader, start, "'%.*s' is out of range");
    bits = bits << 4 | norn_isa_digit(*reader->at);
  }
  if (bits & ~reader->encoding->ignored)
    return FAIL_WORD(reader, start, "'%.*s': %s has no such bits without meaning",
                     mnemonic(reader));
  reader->word |= bits;
  if (!expect(reader, '}'))
    return false;
  skip_blanks(reader);
  return reader->at >= reader->end || FAIL_WORD(reader, reader->at, "unexpected '%.*s'");
}

/* Operand number `index`; but immediates next to each other can come in any order, and of them it
 * is the one whose name stands here. *done has a bit for each of these that was read. */
static const NornIsaOperand *
choose_operand(const NornIsaReader *reader, unsigned index, uint32_t *done) {
  const NornIsaOperand *operands = reader->encoding->operands;
  unsigned first = index, chosen = NORN_ISA_NONE;
  if (operands[index].role != NORN_ISA_OPERAND_IMMEDIATE)
    return &operands[index];
  while (first > 0 && operands[first - 1].role == NORN_ISA_OPERAND_IMMEDIATE)
    first--;
  for (unsigned i = first;
       i < reader->encoding->operand_count && operands[i].role == NORN_ISA_OPERAND_IMMEDIATE; i++) {
    bool named = has_prefix(reader, &operands[i]);
    if (!(*done >> i & 1) && (named || chosen == NORN_ISA_NONE))
      chosen = i;
    if (chosen == i && named)
      break;
  }
  *done |= 1u << chosen;
  return &operands[chosen];
}

static bool
read_operands(NornIsaReader *reader) {
  const NornIsaEncoding *encoding = reader->encoding;
  bool first = true;
  uint32_t done = 0;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    if (is_absent(reader, &encoding->operands[i]))
      continue;
    const char *before = reader->at;
    if (!read_separator(reader, &encoding->operands[i], first))
      return false;
    const char *start = reader->at;
    const NornIsaOperand *operand = choose_operand(reader, i, &done);
    if (!norn_isa_read_operand(reader, operand))
      return false;
    unsigned number = (unsigned)(operand - encoding->operands);
    if (reader->spans && number < NORN_ISA_SPANS)
      reader->spans[number] = (NornIsaSpan){start, (size_t)(reader->at - start)};
    if (reader->at == start)
      reader->at = before; /* an absent word or list */
    else
      first = false;
  }
  if (!read_trailing(reader) || !read_ignored(reader) ||
      (!reader->isa->dotted &&
       !norn_isa_read_complete(reader, encoding->modifiers, encoding->modifier_count)) ||
      !read_complete_operands(reader))
    return false;
  reader->word = norn_isa_derive(reader->isa, encoding, reader->word);
  reader->word = (reader->word & ~reader->forced_mask) | reader->forced_bits;
  return !reader->message;
}

/* Everything after the mnemonic, as number `choice` of its names. */
static bool
read_as(NornIsaReader *reader, const NornIsaMnemonic *names, unsigned choice) {
  if (!norn_isa_read_modifiers(reader, names, choice))
    return false;
  NornIsaReader start = *reader;
  if (!read_operands(reader))
    return false;
  if (!reader->encoding->overlaid)
    return true;
  start.word = reader->word;
  start.comparing = true;
  *reader = start;
  return read_operands(reader);
}

bool
norn_isa_read_instruction(NornIsaReader *reader) {
  const NornIsaMnemonic *names;
  if (!norn_isa_read_mnemonic(reader, &names))
    return false;
  NornIsaReader start = *reader;
  bool good = read_as(reader, names, 0);
  for (unsigned i = 1; i < names->count && !good; i++) {
    /* The message that counts is of the attempt that came furthest. */
    NornIsaReader attempt = start;
    good = read_as(&attempt, names, i);
    bool better = good || attempt.problem > reader->problem ||
                  (attempt.problem == reader->problem && !reader->encoding);
    g_free(better ? reader->message : attempt.message);
    if (better)
      *reader = attempt;
  }
  return good;
}
