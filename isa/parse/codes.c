/* Codes of registers, constants and special values. */
#include "isa/parse/reader.h"
#include <limits.h>
#include <norn/nearest.h>
#include <string.h>

/* Maximum number of constants listed in a message. */
#define SHOWN_CONSTANTS 6

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
    return true; /* if there are several, the first is used */
  if (bank != code->bank)
    return NORN_ISA_FAIL_WORD(
        reader, start,
        "'%.*s' needs %s %u, but it is already %d: all sources of an instruction "
        "share it",
        name, code->bank, bank);
  reader->bank = bank;
  if (!fixed)
    norn_isa_reader_set_field(reader, reader->encoding->field_indices[table->bank], (uint64_t)bank);
  return true;
}

/* The code that a word in the text stands for in the operand, or -1. */
static int64_t
token_code(const NornIsaReader *reader, const NornIsaToken *token, const NornIsaOperand *operand) {
  const NornIsa *isa = reader->isa;
  int64_t code = norn_isa_token_code(isa, token, operand);
  if (code >= 0 || !reader->no_verify)
    return code;
  /* A code that is only valid for operands of another size still fits the bits. */
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
  const NornIsaToken *token = norn_isa_reader_token(reader, text, text + length);
  return token ? token_code(reader, token, operand) : -1;
}

/* The end of a tuple's "[0:1]" at `at`, or `at` itself. */
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

/* The code of a number, which the tables contain as it is printed, or -1. */
static int64_t
find_constant(const NornIsaReader *reader, const NornIsaOperand *operand, int64_t value) {
  NornIsaWriter writer = {.isa = reader->isa};
  char text[32];
  writer.limit = text + sizeof text;
  int64_t code = -1;
  for (int decimal = 0; decimal < 2 && code < 0; decimal++) {
    char *end = norn_isa_write_number(&writer, text, value, decimal);
    code = find_code(reader, operand, text, (size_t)(end - text));
  }
  return code;
}

/* A number can be written in several ways; a negative one of 32 bits is also their pattern. */
static int64_t
read_constant(NornIsaReader *reader, const NornIsaOperand *operand) {
  NornIsaReader number = *reader;
  int64_t value = 0;
  bool is_number = norn_isa_read_number(&number, &value);
  g_free(number.message);
  if (!is_number || (number.at < reader->end && *number.at == '.' &&
                     norn_isa_reader_sees(reader, number.at + 1, NORN_ISA_CHAR_DIGIT)))
    return -1;
  int64_t code = find_constant(reader, operand, value);
  if (code < 0 && value < 0 && value >= INT32_MIN && operand->words == 1)
    code = find_constant(reader, operand, (uint32_t)value);
  if (code >= 0)
    reader->at = number.at;
  return code;
}

/* Whether the name is a code of operands of another size. */
static bool
is_other_size(const NornIsaReader *reader, const char *start, const char *end) {
  const NornIsaToken *token = norn_isa_reader_token(reader, start, end);
  for (unsigned i = 0; token && i < token->count; i++) {
    if (reader->isa->meanings[token->first + i].owner & 0x8000)
      return true;
  }
  return false;
}

/* The same for the name at `start` or one of its dotted prefixes. */
static bool
is_code_elsewhere(const NornIsaReader *reader, const char *start) {
  for (const char *end = norn_isa_reader_skip_name(reader, start);;
       end = norn_isa_reader_skip_name(reader, end + 1)) {
    if (is_other_size(reader, start, end))
      return true;
    if (end >= reader->end || *end != '.')
      return false;
  }
}

/* The longest match of a name that may contain dots is used, but only names of special values can
 * extend a shorter one (`lane_id`, `lane_id.w0`). `end` is that of the first part. */
static int64_t
read_dotted_code(NornIsaReader *reader, const NornIsaOperand *operand, const char *end) {
  const char *start = reader->at;
  const NornIsaCode *codes = reader->isa->codes + reader->isa->code_tables[operand->codes].first;
  bool number = norn_isa_reader_sees(reader, start, NORN_ISA_CHAR_DIGIT) ||
                (start < reader->end && *start == '-');
  int64_t found = -1;
  for (;;) {
    bool fraction = number && end < reader->end && *end == '.' &&
                    norn_isa_reader_sees(reader, end + 1, NORN_ISA_CHAR_DIGIT);
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
    end = norn_isa_reader_skip_name(reader, end + 1);
  }
  return found;
}

int64_t
norn_isa_read_code_name(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at, *end = start;
  bool number = norn_isa_reader_sees(reader, start, NORN_ISA_CHAR_DIGIT);
  if (start < reader->end && *start == '-' &&
      norn_isa_reader_sees(reader, start + 1, NORN_ISA_CHAR_DIGIT)) {
    number = true;
    end++;
  }
  end = norn_isa_reader_skip_name(reader, end);
  if (end < reader->end && *end == '[') {
    end = skip_brackets(reader, end);
  } else if (!(number && end < reader->end && *end == '.')) {
    const NornIsaToken *token = norn_isa_reader_token(reader, start, end);
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

/* Fails if the operand accepts the text at `start` only on other architectures. Returns whether it
 * did. */
static bool
code_elsewhere(NornIsaReader *reader, const char *start, const NornIsaOperand *operand) {
  unsigned number = (unsigned)(operand - reader->encoding->operands), since = UINT_MAX, until = 0;
  const char *end = start;
  for (unsigned a = 0; a < reader->isa->architecture_count; a++) {
    NornIsaReader there;
    if (!norn_isa_reader_look_elsewhere(reader, a, &there) ||
        number >= there.encoding->operand_count ||
        there.encoding->operands[number].role != operand->role)
      continue;
    there.at = start;
    if (norn_isa_read_code_name(&there, &there.encoding->operands[number]) < 0)
      continue;
    end = there.at;
    since = MIN(since, a);
    until = a;
  }
  return norn_isa_reader_is_elsewhere(reader, since, until) &&
         !norn_isa_reader_fail_elsewhere(reader, start, end, since, until);
}

/* The name of a code of the operand; NULL if there is none, or it is not legal. */
static const char *
code_name(const NornIsa *isa, const NornIsaOperand *operand, uint32_t code) {
  NornIsaText text = isa->texts[operand->texts + code];
  return text && text != NORN_ISA_TEXT_ILLEGAL ? norn_isa_string(isa, text) : NULL;
}

static uint32_t
code_count(const NornIsa *isa, const NornIsaOperand *operand) {
  const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
  return 1u << (table->width + table->bank_width);
}

/* The number at the end of a name. */
static uint64_t
last_number(const char *name) {
  const char *end = name + strlen(name);
  while (end > name && g_ascii_isdigit(end[-1]))
    end--;
  return g_ascii_strtoull(end, NULL, 10);
}

/* "; expected r0 to r63" for a name that differs from these only in its number; else NULL. */
static char *
expect_numbers(const NornIsa *isa, const NornIsaOperand *operand, const char *start,
               size_t length) {
  const char *min = NULL, *max = NULL;
  for (uint32_t code = 0; code < code_count(isa, operand); code++) {
    const char *name = code_name(isa, operand, code);
    if (!name || !norn_isa_differs_in_number(start, length, name))
      continue;
    min = min && last_number(min) <= last_number(name) ? min : name;
    max = max && last_number(max) >= last_number(name) ? max : name;
  }
  return min ? g_strdup_printf("; expected %s to %s", min, max) : NULL;
}

/* The name of the group of registers to suggest for one that is written as only its first register:
 * v[4:5] for v4, or some other group if there is none; NULL if groups have no such names. */
static const char *
find_group(const NornIsa *isa, const NornIsaOperand *operand, const char *start, size_t length) {
  size_t letters = 0;
  while (letters < length && g_ascii_isalpha(start[letters]))
    letters++;
  size_t digits = length - letters;
  const char *first = NULL;
  for (uint32_t code = 0; code < code_count(isa, operand); code++) {
    const char *name = code_name(isa, operand, code);
    if (!name || g_ascii_strncasecmp(name, start, letters) || name[letters] != '[')
      continue;
    if (!strncmp(name + letters + 1, start + letters, digits) && name[letters + 1 + digits] == ':')
      return name;
    first = first ? first : name;
  }
  return first;
}

/* The name that differs only in the letters after the number: $v2d for $v2; NULL if there is none.
 */
static const char *
find_suffixed(const NornIsa *isa, const NornIsaOperand *operand, const char *start, size_t length) {
  while (length && g_ascii_isalpha(start[length - 1]))
    length--;
  if (!length || !g_ascii_isdigit(start[length - 1]))
    return NULL;
  for (uint32_t code = 0; code < code_count(isa, operand); code++) {
    const char *name = code_name(isa, operand, code);
    if (name && !strncmp(name, start, length) && (!name[length] || g_ascii_isalpha(name[length])))
      return name;
  }
  return NULL;
}

/* "; expected v[0:1], v[1:2] to v[254:255]" for a name like v[255:256], or "v0, v1 to v255" if the
 * operand is no group; NULL if it has no registers with such names. */
static char *
expect_groups(const NornIsa *isa, const NornIsaOperand *operand, const char *start, size_t length) {
  const char *bracket = memchr(start, '[', length), *group[3] = {NULL};
  for (uint32_t code = 0; bracket > start && code < code_count(isa, operand); code++) {
    const char *name = code_name(isa, operand, code);
    size_t letters = (size_t)(bracket - start);
    if (!name || g_ascii_strncasecmp(name, start, letters) ||
        !(name[letters] == '[' || g_ascii_isdigit(name[letters])))
      continue;
    unsigned place = group[0] ? group[1] ? 2 : 1 : 0;
    group[place] = name;
  }
  return group[2] ? g_strdup_printf("; expected %s, %s to %s", group[0], group[1], group[2]) : NULL;
}

/* Reports how to write an operand of several words of which only the first one was written. */
static bool
fail_group(NornIsaReader *reader, const char *start, const NornIsaOperand *operand,
           const char *expected) {
  size_t length = (size_t)(norn_isa_reader_word_end(reader, start) - start);
  const char *suffixed = find_suffixed(reader->isa, operand, start, length);
  if (suffixed)
    return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' cannot be %s of %s: expected %s", expected,
                              norn_isa_reader_mnemonic(reader), suffixed);
  const char *group = find_group(reader->isa, operand, start, length);
  return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' cannot be %s of %s: expected %u bits%s%s",
                            expected, norn_isa_reader_mnemonic(reader), operand->words * 32u,
                            group ? ", such as " : " that start at an even register or word",
                            group ? group : "");
}

/* The name of a code if it is a constant of the operand, else NULL. */
static const char *
constant_name(const NornIsa *isa, const NornIsaOperand *operand, uint32_t code) {
  const NornIsaCode *codes = isa->codes + isa->code_tables[operand->codes].first;
  return code < code_count(isa, operand) && codes[code].kind == NORN_ISA_CODE_CONSTANT
             ? code_name(isa, operand, code)
             : NULL;
}

/* Whether two names are decimal integers, one after the other away from zero. */
static bool
is_successor(const char *name, const char *next) {
  char *end, *next_end;
  int64_t value = g_ascii_strtoll(name, &end, 10);
  int64_t other = g_ascii_strtoll(next, &next_end, 10);
  return !*end && !*next_end && other == (other < 0 ? value - 1 : value + 1);
}

/* "; did you mean 0x3F800000?" for 1.0, if the table has this pattern; else NULL. */
static char *
suggest_pattern(const NornIsaReader *reader, const char *start, const NornIsaOperand *operand) {
  const NornIsaType *type = &reader->encoding->type;
  if (type->class != NORN_ISA_TYPE_FLOAT || type->bits != 32)
    return NULL;
  size_t length = (size_t)(norn_isa_reader_word_end(reader, start) - start);
  g_autofree char *word = g_strndup(start, MIN(length, 40));
  char *end;
  float number = (float)g_ascii_strtod(word, &end);
  uint32_t pattern;
  memcpy(&pattern, &number, sizeof pattern);
  int64_t code = *end ? -1 : find_constant(reader, operand, pattern);
  const char *name = code < 0 ? NULL : code_name(reader->isa, operand, (uint32_t)code);
  return name ? g_strdup_printf("; did you mean %s?", name) : NULL;
}

/* Reports that a constant is not in the table, and which constants are; "0 to 64" is one of those
 * shown. */
static bool
fail_constant(NornIsaReader *reader, const char *start, const NornIsaOperand *operand) {
  const NornIsa *isa = reader->isa;
  g_autofree char *pattern = suggest_pattern(reader, start, operand);
  if (pattern)
    return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is not in the table of constants%s", pattern);
  g_autoptr(GString) list = g_string_new(NULL);
  unsigned count = 0, more = 0;
  for (uint32_t code = 0; code < code_count(isa, operand); code++) {
    const char *name = constant_name(isa, operand, code), *last = name, *next;
    uint32_t first = code;
    if (!name)
      continue;
    while ((next = constant_name(isa, operand, code + 1)) && is_successor(last, next)) {
      last = next;
      code++;
    }
    if (count == SHOWN_CONSTANTS) {
      more += code - first + 1;
      continue;
    }
    g_string_append_printf(list, "%s%s", count++ ? ", " : ": ", name);
    if (last != name)
      g_string_append_printf(list, " to %s", last);
  }
  if (more)
    g_string_append_printf(list, " and %u more", more);
  return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is not in the table of constants%s", list->str);
}

/* Suggests a code for the name at `start`. If only its number is wrong, suggests the range of valid
 * names instead. */
static char *
suggest_code(const NornIsaReader *reader, const char *start, const NornIsaOperand *operand) {
  const NornIsa *isa = reader->isa;
  size_t length = (size_t)(norn_isa_reader_word_end(reader, start) - start);
  char *groups = expect_groups(isa, operand, start, length);
  if (groups)
    return groups;
  size_t named = 0;
  while (named < length && (g_ascii_isalnum(start[named]) || strchr("_.$", start[named])))
    named++;
  if (named < length || !(g_ascii_isalpha(*start) || *start == '$'))
    return g_strdup("");
  char *numbers = expect_numbers(isa, operand, start, length);
  if (numbers)
    return numbers;
  NornNearest nearest;
  norn_nearest_init(&nearest, start, length);
  for (uint32_t code = 0; code < code_count(isa, operand); code++) {
    const char *name = code_name(isa, operand, code);
    if (name)
      norn_nearest_try(&nearest, name);
  }
  return norn_nearest_hint(&nearest);
}

bool
norn_isa_unknown_code(NornIsaReader *reader, const char *start, const NornIsaOperand *operand) {
  static const char *const expected[] = {
      [NORN_ISA_OPERAND_DESTINATION] = "a destination",
      [NORN_ISA_OPERAND_SOURCE] = "a source",
      [NORN_ISA_OPERAND_STAGING_READ] = "a staging register",
      [NORN_ISA_OPERAND_STAGING_WRITE] = "a staging register",
      [NORN_ISA_OPERAND_STAGING_BOTH] = "a staging register",
  };
  if (start >= reader->end)
    return norn_isa_reader_fail(reader, start, "expected %s of %s", expected[operand->role],
                                norn_isa_reader_mnemonic(reader));
  if (code_elsewhere(reader, start, operand))
    return false;
  if (operand->role == NORN_ISA_OPERAND_SOURCE &&
      norn_isa_reader_sees(reader, *start == '-' ? start + 1 : start, NORN_ISA_CHAR_DIGIT))
    return fail_constant(reader, start, operand);
  if (operand->words > 1 && is_code_elsewhere(reader, start))
    return fail_group(reader, start, operand, expected[operand->role]);
  g_autofree char *hint = suggest_code(reader, start, operand);
  return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is not %s of %s%s", expected[operand->role],
                            norn_isa_reader_mnemonic(reader), hint);
}

bool
norn_isa_read_code(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at;
  int64_t code = norn_isa_read_code_name(reader, operand);
  if (code < 0)
    return norn_isa_unknown_code(reader, start, operand);
  const NornIsaCodeTable *table = &reader->isa->code_tables[operand->codes];
  if (table->bank != NORN_ISA_NONE &&
      !take_bank(reader, start, &reader->isa->codes[table->first + (uint32_t)code], table))
    return false;
  norn_isa_reader_set_field(reader, operand->field, (uint64_t)code & norn_isa_mask(table->width));
  return true;
}
