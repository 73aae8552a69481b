/* The usual form: text as the disassembler writes it, apart from what is rare.
 *
 * Such text is read without looking at every character. Eight at once are searched for the end of a
 * name, and are the key to the table of what names mean at this place, which says what bits to set.
 * Nothing here is known to be wrong: what is not usual is left to parse.c, which says what it is.
 */
#include "isa/text.h"
#include <string.h>

/* An instruction being read. */
typedef struct {
  const NornIsa *isa;
  const NornIsaChoice *choices; /* of the ISA */
  const char *at, *limit;       /* up to the limit eight bytes can be read */
  uint64_t word;
  uint32_t given; /* bit s: slot s was named */
  uint8_t banks;  /* bit b: a code needs bank b */
} Line;

/* Names */

typedef struct {
  const char *at, *end;
  uint64_t start; /* its first eight bytes, padded with zeros */
  uint64_t key;
} Name;

/* The bytes of a block before the first that `ends` marks. */
static inline uint64_t
bytes_before(uint64_t block, uint64_t ends) {
  return block & (ends ^ (ends - 1)) >> 8;
}

/* Goes on from a block of a name without an end. Returns false near the end of the text. */
static bool
scan_on(const Line *line, const char *at, Name *name) {
  uint64_t ends;
  do {
    at += 8;
    if (at > line->limit)
      return false;
    uint64_t block = norn_isa_load_block(at);
    ends = norn_isa_name_ends(block);
    name->key = norn_isa_name_key(name->key, ends ? bytes_before(block, ends) : block);
  } while (!ends);
  name->end = at + __builtin_ctzll(ends) / 8;
  return true;
}

/* Finds the end of the name at `at`, or of its first part. The first character can be any. Returns
 * false near the end of the text. */
static inline bool
scan(const Line *line, const char *at, Name *name) {
  if (G_UNLIKELY(at > line->limit))
    return false;
  uint64_t block = norn_isa_load_block(at), ends = norn_isa_name_ends(block) & ~UINT64_C(0x80);
  name->at = at;
  if (G_LIKELY(ends)) {
    name->key = name->start = bytes_before(block, ends);
    name->end = at + __builtin_ctzll(ends) / 8;
    return true;
  }
  name->key = name->start = block;
  return scan_on(line, at, name);
}

/* Adds the part of the name after the dot or colon that ended it. */
static inline bool
extend(const Line *line, Name *name) {
  const char *at = name->end + 1;
  if (at > line->limit)
    return false;
  uint64_t block = norn_isa_load_block(at), ends = norn_isa_name_ends(block) & ~UINT64_C(0x80);
  name->key = norn_isa_name_key(name->key, ends ? bytes_before(block, ends) : block);
  name->end = at + __builtin_ctzll(ends | UINT64_C(1) << 63) / 8;
  if ((!ends && !scan_on(line, at, name)) || name->end > line->limit)
    return false;
  name->start = norn_isa_load_block(name->at);
  if (name->end - name->at < 8)
    name->start = norn_isa_first_bytes(name->start, (size_t)(name->end - name->at));
  return true;
}

/* Whether a name of eight bytes or more, of which the first eight are the same, is the text. */
static inline bool
is_text(const NornIsa *isa, NornIsaText text, const Name *name) {
  const char *string = norn_isa_string(isa, text);
  size_t length = text & 0xFF;
  if (length != (size_t)(name->end - name->at))
    return false;
  for (size_t i = 8; i + 8 < length; i += 8) {
    if (norn_isa_load_block(name->at + i) != norn_isa_load_block(string + i))
      return false;
  }
  return norn_isa_load_block(name->end - 8) == norn_isa_load_block(string + length - 8);
}

/* What the name means, from this entry of a table on; NULL if there is nothing more. */
static inline const NornIsaChoice *
look_on(const Line *line, const NornIsaChoice *choice, const Name *name) {
  for (;; choice++) {
    /* A name of eight bytes or more has its highest byte set. */
    if (G_LIKELY(choice->start == name->start) &&
        (G_LIKELY(!(name->start >> 56)) || is_text(line->isa, choice->text, name)))
      return choice;
    if (choice->start == UINT64_MAX)
      return NULL;
  }
}

/* What the name means first among these, or NULL. */
static inline const NornIsaChoice *
look_up(const Line *line, const NornIsaChoices *choices, const Name *name) {
  const NornIsaChoice *table = line->choices + choices->first;
  return look_on(line, &table[name->key * choices->multiplier >> choices->shift], name);
}

static bool
is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The longest name that begins with `choice`, which takes care; NULL if it is not usual. */
static const NornIsaChoice *
look_further(const Line *line, const NornIsaChoices *choices, const NornIsaChoice *choice,
             Name *name) {
  const NornIsaChoice *found = NULL;
  const char *end = name->end;
  for (; choice; choice = look_up(line, choices, name)) {
    if (!(choice->care & NORN_ISA_CARE_PART)) {
      found = choice;
      end = name->end;
    }
    if (!(choice->care & NORN_ISA_CARE_LONGER) || (*name->end != '.' && *name->end != ':'))
      break;
    if (!extend(line, name))
      return NULL;
  }
  name->end = end;
  if (!found || found->care & NORN_ISA_CARE_MORE ||
      (found->care & NORN_ISA_CARE_NUMBER && *end == '.' && is_digit(end[1])))
    return NULL;
  return found;
}

/* What the name at `at` means, as far as it goes; NULL if it is not usual. */
static inline const NornIsaChoice *
read_name(const Line *line, const NornIsaChoices *choices, const char *at, Name *name) {
  const NornIsaChoice *choice = scan(line, at, name) ? look_up(line, choices, name) : NULL;
  if (choice && G_UNLIKELY(choice->care) &&
      (*name->end == '.' || *name->end == ':' || choice->care & NORN_ISA_CARE_ALONE))
    choice = look_further(line, choices, choice, name);
  return choice;
}

/* The same for a mnemonic. Most have two parts. */
static inline const NornIsaChoice *
read_mnemonic(const Line *line, Name *name) {
  Name two;
  if (scan(line, line->at, &two) && *two.end == '.' && extend(line, &two)) {
    const NornIsaChoice *choice = look_up(line, &line->isa->mnemonic_choices, &two);
    if (G_LIKELY(choice && !choice->care)) {
      *name = two;
      return choice;
    }
  }
  return read_name(line, &line->isa->mnemonic_choices, line->at, name);
}

/* Modifiers */

static inline bool
read_modifier(Line *line, const NornIsaChoices *choices, const char *at) {
  Name name;
  if (!scan(line, at, &name))
    return false;
  if (*name.end == ':' && !line->isa->dotted && !extend(line, &name)) /* mul:2 */
    return false;
  const NornIsaChoice *choice = look_up(line, choices, &name);
  while (choice && G_UNLIKELY(line->given >> choice->slot & 1))
    choice = look_on(line, choice + 1, &name);
  if (!choice)
    return false;
  line->given |= 1u << choice->slot;
  line->word ^= (uint64_t)choice->value << choice->shift;
  line->at = name.end;
  return true;
}

static inline bool
read_suffix(Line *line, const NornIsaReading *reading) {
  while (*line->at == '.') {
    if (!read_modifier(line, &reading->modifiers, line->at + 1))
      return false;
  }
  return true;
}

/* Operands */

static inline bool
read_code(Line *line, const NornIsaReading *reading) {
  Name name;
  const NornIsaChoice *choice = read_name(line, &reading->names, line->at, &name);
  if (!choice)
    return false;
  line->at = name.end;
  line->banks |= choice->banks;
  line->word |= (uint64_t)choice->value << reading->shift;
  return read_suffix(line, reading);
}

/* Takes a modifier that is written around the operand. */
static bool
read_form(Line *line, const NornIsaEncoding *encoding, const NornIsaOperand *operand,
          NornIsaForm form) {
  line->at++;
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    unsigned slot = operand->modifiers[i];
    const NornIsaField *field = &encoding->fields[slot];
    if (field->form != form)
      continue;
    if (line->given >> slot & 1)
      return false;
    line->given |= 1u << slot;
    line->word &= ~norn_isa_insert(field, UINT64_MAX);
    line->word |= norn_isa_insert(field, 63 - (unsigned)__builtin_clzll(field->allowed));
    return true;
  }
  return false;
}

/* A code with what is written around it: -x, |x|, -|x|. */
static bool
read_wrapped(Line *line, const NornIsaEncoding *encoding, const NornIsaReading *reading,
             const NornIsaOperand *operand) {
  if (*line->at == '-' && !is_digit(line->at[1]) &&
      !read_form(line, encoding, operand, NORN_ISA_FORM_NEGATE))
    return false;
  if (*line->at != '|')
    return read_code(line, reading);
  if (!read_form(line, encoding, operand, NORN_ISA_FORM_ABSOLUTE))
    return false;
  Name name = {.at = line->at, .end = line->at};
  while (name.end < line->limit && *name.end && *name.end != '|' && *name.end != '\n')
    name.end++;
  size_t length = (size_t)(name.end - name.at);
  name.start = norn_isa_short_block(name.at, length);
  name.key = norn_isa_whole_key(name.at, length);
  const NornIsaChoice *choice = look_up(line, &reading->names, &name);
  if (!choice || choice->care & NORN_ISA_CARE_ALONE || *name.end != '|')
    return false;
  line->at = name.end + 1;
  line->banks |= choice->banks;
  line->word |= (uint64_t)choice->value << reading->shift;
  return true;
}

/* Whether the text goes on with this one, which must be short. */
static inline bool
starts_with(const Line *line, NornIsaText text) {
  size_t length = text & 0xFF; /* of what has no text it is longer */
  return length < 8 && line->at <= line->limit &&
         !norn_isa_first_bytes(norn_isa_load_block(line->at) ^
                                   norn_isa_load_block(norn_isa_string(line->isa, text)),
                               length);
}

/* A group of registers. */
static inline bool
read_staging(Line *line, const NornIsaReading *reading, unsigned count) {
  const NornIsa *isa = line->isa;
  Name name;
  if (*line->at != '@')
    return false;
  const NornIsaChoice *choice = read_name(line, &reading->names, line->at + 1, &name);
  if (!choice)
    return false;
  line->at = name.end;
  line->word |= (uint64_t)choice->value << reading->shift;
  for (unsigned i = 1; i < count; i++) {
    unsigned code = choice->value + i;
    if (*line->at++ != ':' || code >> reading->width)
      return false;
    NornIsaText text = isa->texts[reading->texts + code];
    if (!starts_with(line, text))
      return false;
    line->at += text & 0xFF;
  }
  return read_suffix(line, reading);
}

/* A number of few digits, after its prefix. */
static bool
read_immediate(Line *line, const NornIsaReading *reading, const NornIsaOperand *operand) {
  enum { DIGITS = 15 };
  if (!starts_with(line, operand->prefix))
    return false;
  const char *at = line->at + (operand->prefix & 0xFF);
  if (line->limit - at < DIGITS)
    return false;
  bool negative = *at == '-';
  at += negative;
  unsigned base = at[0] == '0' && at[1] == 'x' ? 16 : 10, digit;
  const char *digits = base == 16 ? at + 2 : at, *end = digits;
  int64_t value = 0;
  for (; (digit = norn_isa_digit(*end)) < base; end++) {
    if (end - digits == DIGITS)
      return false;
    value = value * base + digit;
  }
  value = negative ? -value : value;
  int64_t unit = INT64_C(1) << operand->scale;
  if (end == digits || value < operand->minimum || value > operand->maximum || value & (unit - 1) ||
      (operand->multiple != 1 && value % operand->multiple))
    return false;
  line->word |= ((uint64_t)(value / unit) & norn_isa_mask(reading->width)) << reading->shift;
  line->at = end;
  return true;
}

/* An operand by the functions for any text. */
static bool
read_any(Line *line, NornIsaReader *reader, const NornIsaOperand *operand) {
  reader->at = line->at;
  reader->word = line->word;
  reader->given = line->given;
  if (!norn_isa_read_operand(reader, operand) ||
      memchr(line->at, '\n', (size_t)(reader->at - line->at))) /* in a comment */
    return false;
  line->at = reader->at;
  line->word = reader->word;
  line->given = reader->given;
  return line->at <= line->limit;
}

/* An operand that may be absent, or is separated in another way. */
static bool
read_other(Line *line, NornIsaReader *reader, const NornIsaReading *reading,
           const NornIsaOperand *operand, bool comma) {
  const char *before = line->at;
  bool list = operand->role == NORN_ISA_OPERAND_LIST;
  if (comma && !list && *line->at++ != ',')
    return false;
  if (*line->at == ' ')
    line->at++;
  else if (operand->role != NORN_ISA_OPERAND_LITERAL ||
           *norn_isa_string(line->isa, operand->prefix) != ')')
    return list;
  const char *start = line->at;
  if (reading->kind == NORN_ISA_READING_WORD
          ? !read_modifier(line, &reading->names, start) &&
                !reader->encoding->fields[operand->slot].has_default
          : !read_any(line, reader, operand))
    return false;
  if (line->at == start)
    line->at = before;
  return true;
}

/* Instructions */

static inline bool
read_operands(Line *line, NornIsaReader *reader) {
  const NornIsaEncoding *encoding = reader->encoding;
  const NornIsaReading *reading = encoding->readings + 1;
  bool comma = false;
  for (unsigned i = 0; i < encoding->operand_count; i++, reading++) {
    const char *before = line->at;
    if (G_UNLIKELY(before > line->limit))
      return false;
    if (reading->kind >= NORN_ISA_READING_WORD) {
      if (!read_other(line, reader, reading, &encoding->operands[i], comma))
        return false;
      comma |= line->isa->commas && line->at != before;
      continue;
    }
    unsigned count = reading->words;
    if (!count) {
      count = norn_isa_operand_words(line->isa, encoding, &encoding->operands[i], line->word);
      if (!count)
        continue;
    }
    if ((*before == ',') != comma || before[comma] != ' ')
      return false;
    line->at = before + comma + 1;
    comma = line->isa->commas;
    bool good;
    if (reading->kind == NORN_ISA_READING_CODE)
      good = read_code(line, reading);
    else if (reading->kind == NORN_ISA_READING_STAGING)
      good = read_staging(line, reading, count);
    else if (reading->kind == NORN_ISA_READING_IMMEDIATE)
      good = read_immediate(line, reading, &encoding->operands[i]);
    else
      good = read_wrapped(line, encoding, reading, &encoding->operands[i]);
    if (!good)
      return false;
  }
  return true;
}

/* Puts the bank in place that codes need, if they agree. Where it has no field it is bank 0. */
static inline bool
set_bank(Line *line, const NornIsaEncoding *encoding) {
  if (!line->banks)
    return true;
  if (encoding->bank == NORN_ISA_NO_SLOT)
    return line->banks == 1;
  if (line->banks & (line->banks - 1))
    return false;
  line->word |= (uint64_t)__builtin_ctz(line->banks) << encoding->fields[encoding->bank].position;
  return true;
}

bool
norn_isa_read_usual(NornIsaReader *reader) {
  const NornIsa *isa = reader->isa;
  if (reader->end - reader->at < 8)
    return false;
  Line line = {.isa = isa, .choices = isa->choices, .at = reader->at, .limit = reader->end - 8};
  Name name;
  const NornIsaChoice *choice = read_mnemonic(&line, &name);
  if (!choice)
    return false;
  reader->name = &isa->names[choice->value];
  const NornIsaEncoding *encoding =
      norn_isa_name_encoding(isa, reader->architecture, choice->value);
  if (!encoding || !encoding->readings)
    return false;
  reader->encoding = encoding;
  line.at = name.end;
  line.word = encoding->word;
  if ((isa->dotted && !read_suffix(&line, encoding->readings)) || !read_operands(&line, reader))
    return false;
  while (!isa->dotted && *line.at == ' ') {
    if (!read_modifier(&line, &encoding->readings->modifiers, line.at + 1))
      return false;
  }
  if (encoding->required & ~line.given || (*line.at != '\n' && *line.at != ';') ||
      !set_bank(&line, encoding))
    return false;
  reader->at = line.at;
  reader->word = norn_isa_derive(isa, encoding, line.word);
  return true;
}
