/* What names of the text mean at each place of an instruction: hash tables for reading it. */
#include "isa/gen/gen.h"
#include <string.h>

/* Tables */

/* Puts the choices in places of their own, or after these. Returns how many are not in their own.
 */
static unsigned
fill_table(const GArray *choices, const uint64_t *keys, const NornIsaChoices *list,
           NornIsaChoice *table, size_t size) {
  unsigned displaced = 0;
  memset(table, 0, size * sizeof *table);
  for (size_t i = 0; i < size; i++)
    table[i].start = UINT64_MAX;
  for (unsigned i = 0; i < choices->len; i++) {
    uint64_t place = keys[i] * list->multiplier >> list->shift;
    const NornIsaChoice *choice = &g_array_index(choices, NornIsaChoice, i);
    displaced += table[place].start != UINT64_MAX && table[place].text != choice->text;
    while (table[place].start != UINT64_MAX)
      place++;
    table[place] = *choice;
  }
  return displaced;
}

/* Stores the choices as a table, half full at most. Of some multipliers the one that puts most
 * of them in their own places is taken. */
static NornIsaChoices
store_choices(Generator *gen, const GArray *choices) {
  enum { ATTEMPTS = 200 };
  unsigned bits = 1;
  while (1u << bits < choices->len * 2)
    bits++;
  size_t room = (size_t)(1u << bits) + choices->len + 1; /* one is always free */
  NornIsaChoice *table = g_new(NornIsaChoice, room);
  uint64_t *keys = g_new(uint64_t, choices->len + 1);
  for (unsigned i = 0; i < choices->len; i++) {
    NornIsaChoice *choice = &g_array_index(choices, NornIsaChoice, i);
    const char *string = gen_string(gen, choice->text);
    choice->start = norn_isa_short_block(string, choice->text & 0xFF);
    keys[i] = norn_isa_whole_key(string, choice->text & 0xFF);
  }
  uint64_t random = UINT64_C(0x9E3779B97F4A7C15);
  unsigned least = UINT_MAX;
  NornIsaChoices best, list;
  memset(&best, 0, sizeof best);
  memset(&list, 0, sizeof list);
  list.shift = (uint8_t)(64 - bits);
  for (unsigned i = 0; i < ATTEMPTS && least; i++) {
    list.multiplier = random | 1;
    random = norn_isa_name_key(random, i);
    unsigned displaced = fill_table(choices, keys, &list, table, room);
    if (displaced < least) {
      least = displaced;
      best = list;
    }
  }
  fill_table(choices, keys, &best, table, room);
  while (room > (1u << bits) + 1 && table[room - 2].start == UINT64_MAX)
    room--;
  best.first = gen_pool_add(&gen->choices, table, (unsigned)room);
  g_free(table);
  g_free(keys);
  return best;
}

/* Names with parts */

static NornIsaChoice *
find_choice(const Generator *gen, const GArray *choices, const char *string, size_t length) {
  for (unsigned i = 0; i < choices->len; i++) {
    NornIsaChoice *choice = &g_array_index(choices, NornIsaChoice, i);
    if ((choice->text & 0xFF) == length &&
        memcmp(gen_string(gen, choice->text), string, length) == 0)
      return choice;
  }
  return NULL;
}

static void
add_choice(Generator *gen, GArray *choices, const NornIsaChoice *choice) {
  if (choice->text & 0xFF &&
      !find_choice(gen, choices, gen_string(gen, choice->text), choice->text & 0xFF))
    g_array_append_vals(choices, choice, 1);
}

/* Whether the reader comes to this name through its parts: none of them is a name after which no
 * longer one counts, and after the first that is a name every one is. */
static bool
is_reached(const Generator *gen, const GArray *choices, NornIsaText text) {
  const char *string = gen_string(gen, text);
  size_t length = text & 0xFF;
  bool found = false;
  for (size_t end = norn_isa_part_end(string, length, 0); end < length;
       end = norn_isa_part_end(string, length, end + 1)) {
    const NornIsaChoice *part = find_choice(gen, choices, string, end);
    bool is_name = part && !(part->care & NORN_ISA_CARE_PART);
    if ((string[end] != '.' && string[end] != ':') ||
        (is_name ? !(part->care & NORN_ISA_CARE_LONGER) : found))
      return false;
    found |= is_name;
  }
  return true;
}

/* Adds the parts that longer names begin with, and leaves out names that are not reached. */
static void
link_parts(Generator *gen, GArray *choices) {
  for (unsigned i = 0; i < choices->len; i++) {
    NornIsaText text = g_array_index(choices, NornIsaChoice, i).text;
    const char *string = gen_string(gen, text);
    size_t length = text & 0xFF;
    if (!is_reached(gen, choices, text)) {
      g_array_remove_index(choices, i--);
      continue;
    }
    for (size_t end = norn_isa_part_end(string, length, 0); end < length;
         end = norn_isa_part_end(string, length, end + 1)) {
      NornIsaChoice part = {.text = (text & ~0xFFu) | (uint32_t)end,
                            .value = NORN_ISA_NONE,
                            .care = NORN_ISA_CARE_LONGER | NORN_ISA_CARE_PART};
      add_choice(gen, choices, &part);
    }
  }
}

NornIsaChoices
gen_mnemonic_choices(Generator *gen, GArray *choices) {
  for (unsigned i = 0; i < choices->len; i++) {
    NornIsaText text = g_array_index(choices, NornIsaChoice, i).text;
    const char *string = gen_string(gen, text);
    for (size_t end = norn_isa_part_end(string, text & 0xFF, 0); end < (text & 0xFF);
         end = norn_isa_part_end(string, text & 0xFF, end + 1)) {
      NornIsaChoice *part = find_choice(gen, choices, string, end);
      if (part)
        part->care |= NORN_ISA_CARE_LONGER;
    }
  }
  link_parts(gen, choices);
  return store_choices(gen, choices);
}

/* Codes and modifiers */

typedef struct {
  Generator *gen;
  GArray *tokens, *meanings; /* NornIsaToken, NornIsaMeaning */
  GHashTable *codes;         /* code table << 16 | name table -> NornIsaChoices */
} Reader;

/* What a token means as a code: the first meaning that fits. */
static void
add_code(Reader *reader, const NornIsaOperand *operand, const NornIsaToken *token,
         GArray *choices) {
  const Generator *gen = reader->gen;
  const NornIsaCodeTable *table =
      &g_array_index(gen->code_tables, NornIsaCodeTable, operand->codes);
  uint32_t size = 1u << (table->width + table->bank_width);
  for (unsigned m = 0; m < token->count; m++) {
    const NornIsaMeaning *meaning =
        &g_array_index(reader->meanings, NornIsaMeaning, token->first + m);
    if (meaning->owner == NORN_ISA_NONE
            ? meaning->code >= size || g_array_index(gen->texts.items, NornIsaText,
                                                     operand->texts + meaning->code) != token->text
            : meaning->owner != (0x8000 | operand->name_table))
      continue;
    const NornIsaCode *code =
        &g_array_index(gen->codes.items, NornIsaCode, table->first + meaning->code);
    NornIsaChoice choice = {.text = token->text,
                            .value = (uint16_t)(meaning->code & ((1u << table->width) - 1))};
    if (table->bank != NORN_ISA_NONE && code->bank != NORN_ISA_ANY_BANK)
      choice.banks = (uint8_t)(1 << code->bank);
    if (code->kind == NORN_ISA_CODE_SPECIAL)
      choice.care |= NORN_ISA_CARE_LONGER;
    char first = *gen_string(gen, token->text);
    if (g_ascii_isdigit(first) || first == '-')
      choice.care |= NORN_ISA_CARE_NUMBER;
    add_choice(reader->gen, choices, &choice);
    return;
  }
}

/* Whether a token with parts, which is no code here, begins with one that can go on and is the code
 * of operands of another size: then neither counts. */
static bool
is_other_size(const Reader *reader, const NornIsaToken *token, const GArray *choices) {
  const char *string = gen_string(reader->gen, token->text);
  size_t length = token->text & 0xFF;
  bool elsewhere = false;
  for (unsigned m = 0; m < token->count; m++)
    elsewhere |=
        (g_array_index(reader->meanings, NornIsaMeaning, token->first + m).owner & 0x8000) != 0;
  for (size_t end = norn_isa_part_end(string, length, 0); elsewhere && end < length;
       end = norn_isa_part_end(string, length, end + 1)) {
    const NornIsaChoice *part = find_choice(reader->gen, choices, string, end);
    if (part)
      return part->care & NORN_ISA_CARE_LONGER;
  }
  return false;
}

static NornIsaChoices
code_choices(Reader *reader, const NornIsaOperand *operand) {
  gpointer key = GUINT_TO_POINTER((guint)operand->codes << 16 | operand->name_table);
  NornIsaChoices *stored = g_hash_table_lookup(reader->codes, key);
  if (!stored) {
    GArray *choices = g_array_new(FALSE, TRUE, sizeof(NornIsaChoice));
    for (unsigned i = 0; i < reader->tokens->len; i++)
      add_code(reader, operand, &g_array_index(reader->tokens, NornIsaToken, i), choices);
    for (unsigned i = 0; i < reader->tokens->len; i++) {
      const NornIsaToken *token = &g_array_index(reader->tokens, NornIsaToken, i);
      NornIsaChoice choice = {.text = token->text, .care = NORN_ISA_CARE_MORE};
      if (is_other_size(reader, token, choices))
        add_choice(reader->gen, choices, &choice);
    }
    link_parts(reader->gen, choices);
    stored = g_new(NornIsaChoices, 1);
    *stored = store_choices(reader->gen, choices);
    g_hash_table_insert(reader->codes, key, stored);
    g_array_unref(choices);
  }
  return *stored;
}

/* A list of slots of an encoding. */
typedef struct {
  const NornIsaEncoding *encoding;
  const NornIsaField *fields;
  const uint8_t *slots;
  unsigned count;
  const GArray *words; /* nullable; NornIsaText: with them it is another instruction */
} SlotList;

/* What a token means as a modifier: one value of each slot that takes it. Returns false, and leaves
 * out the rest, where it is not the same on all architectures. */
static bool
add_modifier(const Reader *reader, const SlotList *list, const NornIsaToken *token,
             GArray *choices) {
  for (unsigned i = 0; i < list->count; i++) {
    const NornIsaField *field = &list->fields[list->slots[i]];
    for (unsigned m = 0; m < token->count; m++) {
      const NornIsaMeaning *meaning =
          &g_array_index(reader->meanings, NornIsaMeaning, token->first + m);
      if (meaning->owner != field->enumeration || meaning->code >= 64 ||
          !(field->allowed >> meaning->code & 1) || meaning->since > list->encoding->until ||
          meaning->until < list->encoding->since)
        continue;
      uint32_t usual = norn_isa_extract(field, list->encoding->word);
      NornIsaChoice choice = {.text = token->text,
                              .value = (uint16_t)(meaning->code ^ usual),
                              .shift = field->position,
                              .slot = list->slots[i]};
      if (meaning->since > list->encoding->since || meaning->until < list->encoding->until ||
          field->high_width)
        return false;
      g_array_append_val(choices, choice);
      break;
    }
  }
  return true;
}

static bool
is_word(const SlotList *list, NornIsaText text) {
  for (unsigned i = 0; list->words && i < list->words->len; i++) {
    if (g_array_index(list->words, NornIsaText, i) == text)
      return true;
  }
  return false;
}

/* The tables leave out what some care must be taken of; then *whole becomes false. */
static NornIsaChoices
modifier_choices(Reader *reader, const SlotList *list, bool *whole) {
  GArray *choices = g_array_new(FALSE, TRUE, sizeof(NornIsaChoice));
  *whole = true;
  for (unsigned i = 0; list->count && i < reader->tokens->len; i++) {
    const NornIsaToken *token = &g_array_index(reader->tokens, NornIsaToken, i);
    *whole &= !is_word(list, token->text) && add_modifier(reader, list, token, choices);
  }
  NornIsaChoices stored = store_choices(reader->gen, choices);
  g_array_unref(choices);
  return stored;
}

/* Encodings */

static bool
is_counted(const Generator *gen, const SlotList *list, const NornIsaOperand *operand) {
  const uint32_t *code = &g_array_index(gen->expressions.items, uint32_t, operand->count);
  return (code[0] & 0xFF) == NORN_ISA_EXPRESSION_AMOUNT &&
         (code[1] & 0xFF) == NORN_ISA_EXPRESSION_END &&
         list->fields[code[0] >> 8].kind == NORN_ISA_FIELD_COUNT;
}

static NornIsaReading
read_operand(Reader *reader, SlotList list, const NornIsaOperand *operand) {
  NornIsaReading reading;
  memset(&reading, 0, sizeof reading);
  bool whole;
  reading.kind = NORN_ISA_READING_OTHER;
  if (operand->role == NORN_ISA_OPERAND_WORD) {
    list.slots = &operand->slot;
    list.count = 1;
    reading.names = modifier_choices(reader, &list, &whole);
    reading.kind = whole ? NORN_ISA_READING_WORD : NORN_ISA_READING_OTHER;
  }
  if (operand->slot == NORN_ISA_NO_SLOT || list.fields[operand->slot].high_width)
    return reading;
  reading.shift = list.fields[operand->slot].position;
  reading.width = list.fields[operand->slot].width;
  if (operand->role == NORN_ISA_OPERAND_IMMEDIATE && !operand->modifier_count) {
    reading.kind = NORN_ISA_READING_IMMEDIATE;
    reading.words = 1;
  }
  if (operand->role > NORN_ISA_OPERAND_STAGING_BOTH)
    return reading;
  bool staging = operand->role >= NORN_ISA_OPERAND_STAGING_READ;
  if (!staging)
    reading.kind = operand->wrapped ? NORN_ISA_READING_WRAPPED : NORN_ISA_READING_CODE;
  else if (operand->words || !is_counted(reader->gen, &list, operand))
    reading.kind = NORN_ISA_READING_STAGING;
  list.slots = operand->modifiers;
  list.count = operand->modifier_count;
  reading.names = code_choices(reader, operand);
  reading.modifiers = modifier_choices(reader, &list, &whole);
  reading.texts = operand->texts;
  reading.words = operand->words;
  return reading;
}

/* The words that aliases ask for which are called as the encoding is. */
static void
add_words(const Generator *gen, const NornIsaEncoding *encoding, GArray *words) {
  NornIsaText own = g_array_index(gen->names, NornIsaName, encoding->name).text;
  const NornIsaText called[] = {own, encoding->mnemonic, encoding->alternate};
  for (unsigned i = gen->instruction_count; i < gen->names->len; i++) {
    const NornIsaName *alias = &g_array_index(gen->names, NornIsaName, i);
    bool same = false;
    for (unsigned k = 0; alias->with_count && k < G_N_ELEMENTS(called); k++)
      same |= g_ascii_strcasecmp(gen_string(gen, alias->text), gen_string(gen, called[k])) == 0;
    if (same)
      g_array_append_vals(words, &g_array_index(gen->texts.items, NornIsaText, alias->with),
                          alias->with_count);
  }
}

void
gen_readings(Generator *gen) {
  Reader reader = {.gen = gen, .codes = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
  gen_tokens(gen, &reader.tokens, &reader.meanings);
  GArray *readings = g_array_new(FALSE, FALSE, sizeof(NornIsaReading));
  GArray *words = g_array_new(FALSE, FALSE, sizeof(NornIsaText));
  for (unsigned i = 0; i < gen->encodings->len; i++) {
    GenEncoding *entry = &g_array_index(gen->encodings, GenEncoding, i);
    SlotList list = {.encoding = &entry->encoding,
                     .fields = &g_array_index(gen->fields.items, NornIsaField, entry->fields),
                     .count = entry->encoding.modifier_count};
    if (list.count)
      list.slots = (const uint8_t *)gen->modifiers.items->data + entry->modifiers;
    NornIsaReading mnemonic;
    bool whole;
    memset(&mnemonic, 0, sizeof mnemonic);
    g_array_set_size(words, 0);
    add_words(gen, &entry->encoding, words);
    list.words = words;
    mnemonic.modifiers = modifier_choices(&reader, &list, &whole);
    list.words = NULL;
    g_array_set_size(readings, 0);
    g_array_append_val(readings, mnemonic);
    for (unsigned k = 0; k < entry->encoding.operand_count; k++) {
      NornIsaReading reading = read_operand(
          &reader, list, &g_array_index(gen->operands.items, NornIsaOperand, entry->operands + k));
      g_array_append_val(readings, reading);
    }
    entry->readings = gen_pool_add(&gen->readings, readings->data, readings->len);
  }
  g_array_unref(readings);
  g_array_unref(words);
  g_array_unref(reader.tokens);
  g_array_unref(reader.meanings);
  g_hash_table_unref(reader.codes);
}
