/* Modifiers, and mnemonics with their modifiers. */
#include "isa/parse/reader.h"
#include <limits.h>
#include <norn/nearest.h>
#include <string.h>

/* --- Modifiers --- */

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

/* The first index among `indices` that accepts `token` here, preferring fields that are not set
 * yet, and its value; -1 if none does. */
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

int
norn_isa_read_modifier_name(NornIsaReader *reader, const uint8_t *indices, unsigned count,
                            uint32_t *value) {
  const char *end = norn_isa_reader_skip_name(reader, reader->at);
  if (end < reader->end && *end == ':' && !reader->isa->dotted) /* mul:2 */
    end = norn_isa_reader_skip_name(reader, end + 1);
  const NornIsaToken *token = norn_isa_reader_token(reader, reader->at, end);
  int index = token ? choose_field(reader, token, indices, count, value) : -1;
  if (index >= 0)
    reader->at = end;
  return index;
}

bool
norn_isa_take_modifier(NornIsaReader *reader, const char *start, int index, uint32_t value) {
  if (reader->given >> index & 1)
    return norn_isa_reader_fail(
        reader, start, "'%.*s': %s is given twice", (int)(reader->at - start), start,
        norn_isa_reader_field_name(reader, &reader->encoding->fields[index]));
  reader->given |= 1u << index;
  norn_isa_reader_set_field(reader, (unsigned)index, value);
  return true;
}

/* Suggests a modifier for the text from `start` to `end`; nothing if only its number is wrong. */
static char *
suggest_modifier(const NornIsaReader *reader, const char *start, const char *end,
                 const uint8_t *indices, unsigned count) {
  NornNearest nearest;
  norn_nearest_init(&nearest, start, (size_t)(end - start));
  for (unsigned i = 0; i < count; i++) {
    const NornIsaField *field = &reader->encoding->fields[indices[i]];
    for (unsigned v = 0; field->kind == NORN_ISA_FIELD_ENUM && v < 64; v++) {
      if (!(norn_isa_readable(field) >> v & 1) || !reader->isa->texts[field->texts + v])
        continue;
      const char *name = norn_isa_string(reader->isa, reader->isa->texts[field->texts + v]);
      if (norn_isa_differs_in_number(start, (size_t)(end - start), name))
        return g_strdup("");
      norn_nearest_try(&nearest, name);
    }
  }
  return norn_nearest_hint(&nearest);
}

char *
norn_isa_list_names(const NornIsaReader *reader, const uint8_t *indices, unsigned count) {
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

bool
norn_isa_reader_fail_elsewhere(NornIsaReader *reader, const char *start, const char *end,
                               unsigned since, unsigned until) {
  const char *here = norn_isa_architecture_name(reader->isa, reader->architecture);
  bool later = reader->architecture < since;
  const char *there = norn_isa_architecture_name(reader->isa, later ? since : until);
  return norn_isa_reader_fail(
      reader, start, "'%.*s' of %s exists only %s architecture %s, not on %s", (int)(end - start),
      start, norn_isa_reader_mnemonic(reader), later ? "since" : "until", there, here);
}

bool
norn_isa_reader_is_elsewhere(const NornIsaReader *reader, unsigned since, unsigned until) {
  return since <= until && (reader->architecture < since || reader->architecture > until);
}

bool
norn_isa_reader_look_elsewhere(const NornIsaReader *reader, unsigned architecture,
                               NornIsaReader *there) {
  *there = *reader;
  there->architecture = architecture;
  there->given = 0;
  there->encoding = norn_isa_name_encoding(reader->isa, architecture,
                                           (unsigned)(reader->name - reader->isa->names));
  return architecture != reader->architecture && there->encoding;
}

/* Fails if `indices` accept the modifier only on other architectures. Returns whether it did. */
static bool
modifier_elsewhere(NornIsaReader *reader, const char *start, const char *end,
                   const uint8_t *indices) {
  const NornIsaToken *token = norn_isa_reader_token(reader, start, end);
  unsigned operand = 0, since = UINT_MAX, until = 0;
  bool on_mnemonic = indices == reader->encoding->modifiers;
  while (!on_mnemonic && operand < reader->encoding->operand_count &&
         reader->encoding->operands[operand].modifiers != indices)
    operand++;
  for (unsigned a = 0; token && a < reader->isa->architecture_count; a++) {
    NornIsaReader there;
    uint32_t value;
    if (!norn_isa_reader_look_elsewhere(reader, a, &there) ||
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
  return norn_isa_reader_is_elsewhere(reader, since, until) &&
         !norn_isa_reader_fail_elsewhere(reader, start, end, since, until);
}

bool
norn_isa_unknown_modifier(NornIsaReader *reader, const char *start, const uint8_t *indices,
                          unsigned count) {
  const char *end = norn_isa_reader_skip_name(reader, start);
  if (modifier_elsewhere(reader, start, end, indices))
    return false;
  char *names = norn_isa_list_names(reader, indices, count);
  g_autofree char *hint = suggest_modifier(reader, start, end, indices, count);
  norn_isa_reader_fail(reader, start, "'%.*s' is not a modifier here; %s takes: %s%s",
                       (int)(end - start), start, norn_isa_reader_mnemonic(reader), names, hint);
  g_free(names);
  return false;
}

bool
norn_isa_take_with(NornIsaReader *reader) {
  if (!reader->name->with_count)
    return false;
  size_t length = (size_t)(norn_isa_reader_skip_name(reader, reader->at) - reader->at);
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

/* Reads a word that names the bank of the sources, if banks have names. It is only a promise: a
 * source that requires a bank must require this one. */
static bool
take_bank_name(NornIsaReader *reader) {
  const char *end = norn_isa_reader_skip_name(reader, reader->at);
  const NornIsaToken *token = norn_isa_reader_token(reader, reader->at, end);
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
  while (norn_isa_reader_accept(reader, '.')) {
    if (on_mnemonic && norn_isa_take_with(reader))
      continue;
    const char *start = reader->at;
    uint32_t value = 0;
    int index = norn_isa_read_modifier_name(reader, indices, count, &value);
    if (index < 0 && on_mnemonic && take_bank_name(reader))
      continue;
    if (index < 0)
      return norn_isa_unknown_modifier(reader, start, indices, count);
    if (!norn_isa_take_modifier(reader, start, index, value))
      return false;
  }
  return true;
}

bool
norn_isa_read_suffix(NornIsaReader *reader, const NornIsaOperand *operand) {
  return read_dotted(reader, operand->modifiers, operand->modifier_count);
}

/* --- Mnemonics --- */

/* The longest name, in terms of its parts between dots, that starts here; NULL if none does. */
static const NornIsaMnemonic *
find_mnemonic(NornIsaReader *reader, const char *start) {
  const char *ends[NORN_ISA_MNEMONIC_PARTS], *at = start;
  unsigned count = 0;
  if (!reader->isa->dotted) /* the name is the whole word */
    ends[count++] = norn_isa_reader_word_end(reader, start);
  while (reader->isa->dotted && count < reader->isa->mnemonic_parts) {
    at = norn_isa_reader_skip_name(reader, at);
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

/* The instructions whose names begin like the one at `start`, up to the first dot, but have another
 * type; "" if there are none. */
static char *
list_types(const NornIsaReader *reader, const char *start) {
  const NornIsa *isa = reader->isa;
  size_t length = (size_t)(norn_isa_reader_skip_name(reader, start) - start);
  GString *list = g_string_new(NULL);
  for (unsigned i = 0; isa->dotted && i < isa->instruction_count; i++) {
    const char *name = norn_isa_string(isa, isa->names[i].text);
    if (strncmp(name, start, length) == 0 && name[length] == '.' &&
        norn_isa_name_encoding(isa, reader->architecture, i))
      g_string_append_printf(list, "%s %s", list->len ? "" : "; expected one of", name);
  }
  return g_string_free(list, FALSE);
}

/* Suggests a name for the one at `start`: compares first all of it, then what precedes its last
 * part, its last two parts and so on, which may be modifiers. The number of wrong letters is
 * limited as for the first part alone, since types are short and similar. */
static char *
suggest_name(const NornIsaReader *reader, const char *start) {
  const NornIsa *isa = reader->isa;
  const char *end = start;
  while (end < reader->end && (g_ascii_isalnum(*end) || *end == '_' || *end == '.'))
    end++;
  const char *dot = memchr(start, '.', (size_t)(end - start));
  NornNearest nearest = {0};
  for (unsigned parts = 0; parts < 4 && end > start && !nearest.name; parts++) {
    norn_nearest_init(&nearest, start, (size_t)((dot ? dot : end) - start));
    nearest.length = (size_t)(end - start);
    for (unsigned i = 0; i < (unsigned)isa->instruction_count + isa->alias_count; i++)
      if (norn_isa_name_encoding(isa, reader->architecture, i))
        norn_nearest_try(&nearest, norn_isa_string(isa, isa->names[i].text));
    while (--end > start && *end != '.')
      ;
  }
  return norn_nearest_hint(&nearest);
}

bool
norn_isa_read_mnemonic(NornIsaReader *reader, const NornIsaMnemonic **names) {
  const char *start = reader->at;
  *names = find_mnemonic(reader, start);
  if (*names)
    return true;
  g_autofree char *types = list_types(reader, start);
  g_autofree char *hint = *types ? g_strdup("") : suggest_name(reader, start);
  return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is not an instruction of %s%s%s",
                            reader->isa->name, types, hint);
}

static bool
missing_architecture(NornIsaReader *reader) {
  const NornIsa *isa = reader->isa;
  const NornIsaName *name = reader->name;
  const char *here = norn_isa_architecture_name(isa, reader->architecture);
  const char *text = norn_isa_string(isa, name->text);
  const char *start = reader->at - (name->text & 0xFF);
  if (reader->architecture >= name->since && reader->architecture <= name->until)
    return norn_isa_reader_fail(reader, start, "'%s' does not exist on architecture %s", text,
                                here);
  bool later = reader->architecture < name->since;
  const char *there = norn_isa_architecture_name(isa, later ? name->since : name->until);
  return norn_isa_reader_fail(reader, start, "'%s' exists only %s architecture %s, not on %s", text,
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
