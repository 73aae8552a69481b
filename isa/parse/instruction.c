/* Parses a whole instruction. */
#include "isa/parse/reader.h"

static bool
missing_modifier(NornIsaReader *reader, uint8_t index) {
  char *names = norn_isa_list_names(reader, &index, 1);
  norn_isa_reader_fail(reader, reader->at, "%s needs its %s, one of %s",
                       norn_isa_reader_mnemonic(reader),
                       norn_isa_reader_field_name(reader, &reader->encoding->fields[index]), names);
  g_free(names);
  return false;
}

bool
norn_isa_read_complete(NornIsaReader *reader, const uint8_t *indices, unsigned count) {
  const NornIsa *isa = reader->isa;
  if (reader->with != (1u << reader->name->with_count) - 1)
    return norn_isa_reader_fail(reader, reader->at, "%s needs the modifier %s here",
                                norn_isa_reader_mnemonic(reader),
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

/* Whether the operand is absent from the text given the modifiers read: it is a group of no
 * registers. */
static bool
is_absent(const NornIsaReader *reader, const NornIsaOperand *operand) {
  return !operand->words && operand->role >= NORN_ISA_OPERAND_STAGING_READ &&
         operand->role <= NORN_ISA_OPERAND_STAGING_BOTH && !norn_isa_is_counted(reader, operand) &&
         !norn_isa_operand_words(reader->isa, reader->encoding, operand, reader->word);
}

static bool
read_separator(NornIsaReader *reader, const NornIsaOperand *operand, bool first) {
  const char *before = reader->at;
  norn_isa_reader_skip_blanks(reader);
  bool attached = operand->role == NORN_ISA_OPERAND_LITERAL &&
                  *norn_isa_string(reader->isa, operand->prefix) == ')';
  if (first || !reader->isa->commas || operand->role == NORN_ISA_OPERAND_LIST) {
    if (reader->at == before && reader->at < reader->end && !attached)
      return NORN_ISA_FAIL_WORD(reader, before, "unexpected '%.*s'");
    return true;
  }
  if (!norn_isa_reader_accept(reader, ','))
    return norn_isa_reader_fail(reader, reader->at, "expected ',' and another operand of %s",
                                norn_isa_reader_mnemonic(reader));
  norn_isa_reader_skip_blanks(reader);
  return true;
}

/* Skips the word that has no effect. */
static bool
take_filler(NornIsaReader *reader) {
  const NornIsa *isa = reader->isa;
  size_t length = (size_t)(norn_isa_reader_skip_name(reader, reader->at) - reader->at);
  if (!isa->filler || !norn_isa_text_is(isa, isa->filler, reader->at, length))
    return false;
  reader->at += length;
  return true;
}

static bool
read_operand(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at;
  if (!norn_isa_read_operand(reader, operand))
    return false;
  unsigned number = (unsigned)(operand - reader->encoding->operands);
  if (reader->spans && number < NORN_ISA_SPANS)
    reader->spans[number] = (NornIsaSpan){start, (size_t)(reader->at - start)};
  return true;
}

/* The list whose name is next, or NULL. */
static const NornIsaOperand *
find_list(const NornIsaReader *reader) {
  const NornIsaEncoding *encoding = reader->encoding;
  for (unsigned i = 0; i < encoding->operand_count; i++)
    if (encoding->operands[i].role == NORN_ISA_OPERAND_LIST &&
        norn_isa_has_prefix(reader, &encoding->operands[i]))
      return &encoding->operands[i];
  return NULL;
}

/* Modifiers in any order, and lists that do not precede them. */
static bool
read_trailing(NornIsaReader *reader) {
  for (;;) {
    norn_isa_reader_skip_blanks(reader);
    if (reader->at >= reader->end || *reader->at == '{')
      return true;
    if (!reader->isa->dotted && (norn_isa_take_with(reader) || take_filler(reader)))
      continue;
    const NornIsaOperand *list = find_list(reader);
    if (list) {
      if (!read_operand(reader, list))
        return false;
      continue;
    }
    const char *start = reader->at;
    uint32_t value = 0;
    const NornIsaEncoding *encoding = reader->encoding;
    int index = reader->isa->dotted ? -1
                                    : norn_isa_read_modifier_name(reader, encoding->modifiers,
                                                                  encoding->modifier_count, &value);
    if (index < 0)
      return reader->isa->dotted || *start == ','
                 ? NORN_ISA_FAIL_WORD(reader, start, "unexpected '%.*s' after the operands of %s",
                                      norn_isa_reader_mnemonic(reader))
                 : norn_isa_unknown_modifier(reader, start, encoding->modifiers,
                                             encoding->modifier_count);
    if (!norn_isa_take_modifier(reader, start, index, value))
      return false;
  }
}

/* {0x...}: bits without meaning. */
static bool
read_ignored(NornIsaReader *reader) {
  const char *start = reader->at;
  if (!norn_isa_reader_accept(reader, '{'))
    return true;
  uint64_t bits = 0;
  if (reader->end - reader->at > 2 && reader->at[0] == '0' && (reader->at[1] | 0x20) == 'x')
    reader->at += 2;
  for (; reader->at < reader->end && norn_isa_digit(*reader->at) < 16; reader->at++) {
    if (bits >> 60)
      return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is out of range");
    bits = bits << 4 | norn_isa_digit(*reader->at);
  }
  if (bits & ~reader->encoding->ignored)
    return NORN_ISA_FAIL_WORD(reader, start, "'%.*s': not all of these bits of %s are ignored",
                              norn_isa_reader_mnemonic(reader));
  reader->word |= bits;
  if (!norn_isa_reader_expect(reader, '}'))
    return false;
  norn_isa_reader_skip_blanks(reader);
  return reader->at >= reader->end || NORN_ISA_FAIL_WORD(reader, reader->at, "unexpected '%.*s'");
}

/* Operand number `index`, except that adjacent immediates can come in any order: of those it is the
 * one whose name is next. *done has a bit for each of them that was read. */
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
    bool named = norn_isa_has_prefix(reader, &operands[i]);
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
    if (!read_operand(reader, choose_operand(reader, i, &done)))
      return false;
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

/* Parses everything after the mnemonic, as number `choice` of its meanings. */
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

/* Whether the message of `attempt` is more useful than that of `reader`: it got further, or read
 * the number at the same place. */
static bool
is_better(const NornIsaReader *attempt, const NornIsaReader *reader) {
  if (attempt->problem != reader->problem)
    return attempt->problem > reader->problem;
  return !reader->encoding || (attempt->only_range && !reader->only_range);
}

/* Adds the literal that another attempt expected at the same place to the message. */
static void
add_literal(NornIsaReader *reader, const NornIsaReader *attempt) {
  if (!reader->literal || !attempt->literal || reader->problem != attempt->problem)
    return;
  g_autofree char *quoted = g_strdup_printf(" '%s'", attempt->literal);
  if (strstr(reader->message, quoted))
    return;
  char *longer = g_strdup_printf("%s or%s", reader->message, quoted);
  g_free(reader->message);
  reader->message = longer;
}

bool
norn_isa_read_instruction(NornIsaReader *reader) {
  const NornIsaMnemonic *names;
  if (!norn_isa_read_mnemonic(reader, &names))
    return false;
  NornIsaReader start = *reader;
  bool good = read_as(reader, names, 0);
  for (unsigned i = 1; i < names->count && !good; i++) {
    NornIsaReader attempt = start;
    good = read_as(&attempt, names, i);
    bool better = good || is_better(&attempt, reader);
    if (!better)
      add_literal(reader, &attempt);
    g_free(better ? reader->message : attempt.message);
    if (better)
      *reader = attempt;
  }
  return good;
}
