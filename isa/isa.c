/* Lookups in the tables of an ISA; expressions; decoding. */
#include "isa/registry.h"
#include <norn/nearest.h>
#include <string.h>

/* ISAs and names */

#define ISA(name) &norn_isa_##name,
static const NornIsa *const isas[] = {NORN_ISAS(ISA)};
#undef ISA

const NornIsa *
norn_isa_at(unsigned index) {
  return index < G_N_ELEMENTS(isas) ? isas[index] : NULL;
}

const NornIsa *
norn_isa_find(const char *name) {
  for (unsigned i = 0; i < G_N_ELEMENTS(isas); i++) {
    if (strcmp(isas[i]->name, name) == 0)
      return isas[i];
  }
  return NULL;
}

/* Maximum number of bytes of a name shown in a message. */
#define SHOWN_NAME 64

/* What precedes name `i` of `count` in "a, b or c". */
static const char *
separator(unsigned i, unsigned count) {
  if (!i)
    return "";
  return i + 1 < count ? ", " : " or ";
}

char *
norn_isa_unknown_target(const char *name, size_t length) {
  g_autoptr(GString) names = g_string_new(NULL);
  NornNearest nearest;
  norn_nearest_init(&nearest, name, length);
  for (unsigned i = 0; i < G_N_ELEMENTS(isas); i++) {
    g_string_append_printf(names, "%s%s", separator(i, G_N_ELEMENTS(isas)), isas[i]->name);
    norn_nearest_try(&nearest, isas[i]->name);
  }
  g_autofree char *hint = norn_nearest_hint(&nearest);
  return g_strdup_printf("unknown target '%.*s', expected %s%s", (int)MIN(length, SHOWN_NAME), name,
                         names->str, hint);
}

char *
norn_isa_unknown_architecture(const NornIsa *isa, const char *name, size_t length) {
  g_autoptr(GString) names = g_string_new(NULL);
  NornNearest nearest;
  norn_nearest_init(&nearest, name, length);
  for (unsigned i = 0; i < isa->architecture_count; i++) {
    const char *one = norn_isa_architecture_name(isa, i);
    g_string_append_printf(names, "%s%s", separator(i, isa->architecture_count), one);
    norn_nearest_try(&nearest, one);
  }
  g_autofree char *hint = norn_nearest_hint(&nearest);
  return g_strdup_printf("%s has no architecture '%.*s', expected %s%s", isa->name,
                         (int)MIN(length, SHOWN_NAME), name, names->str, hint);
}

const char *
norn_isa_name(const NornIsa *isa) {
  return isa->name;
}

const char *
norn_isa_title(const NornIsa *isa) {
  return isa->title;
}

unsigned
norn_isa_word_bytes(const NornIsa *isa) {
  return isa->word_bits / 8;
}

int
norn_isa_architecture(const NornIsa *isa, const char *name) {
  for (unsigned i = 0; i < isa->architecture_count; i++) {
    if (strcmp(norn_isa_string(isa, isa->architectures[i].name), name) == 0)
      return (int)i;
  }
  return -1;
}

unsigned
norn_isa_architecture_count(const NornIsa *isa) {
  return isa->architecture_count;
}

const char *
norn_isa_architecture_name(const NornIsa *isa, unsigned architecture) {
  return architecture < isa->architecture_count
             ? norn_isa_string(isa, isa->architectures[architecture].name)
             : NULL;
}

bool
norn_isa_check_architecture(const NornIsa *isa, unsigned architecture, GError **error) {
  if (architecture < isa->architecture_count)
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s has no architecture number %u, expected 0 to %u", isa->name, architecture,
              isa->architecture_count - 1u);
  return false;
}

int
norn_isa_instruction(const NornIsa *isa, const char *name) {
  size_t length = strlen(name);
  for (unsigned i = 0; i < isa->instruction_count; i++) {
    if (norn_isa_text_is(isa, isa->names[i].text, name, length))
      return (int)i;
  }
  return -1;
}

unsigned
norn_isa_instruction_count(const NornIsa *isa) {
  return isa->instruction_count;
}

const char *
norn_isa_instruction_name(const NornIsa *isa, unsigned instruction) {
  return instruction < isa->instruction_count ? norn_isa_string(isa, isa->names[instruction].text)
                                              : NULL;
}

const NornIsaEncoding *
norn_isa_encoding(const NornIsa *isa, unsigned architecture, unsigned instruction) {
  if (architecture >= isa->architecture_count || instruction >= isa->instruction_count)
    return NULL;
  return norn_isa_name_encoding(isa, architecture, instruction);
}

bool
norn_isa_has(const NornIsa *isa, unsigned architecture, unsigned instruction) {
  return norn_isa_encoding(isa, architecture, instruction) != NULL;
}

/* There are few bytes, and calling memcmp would cost more. */
static inline bool
same_bytes(const char *a, const char *b, size_t length) {
  while (length && *a == *b) {
    a++;
    b++;
    length--;
  }
  return length == 0;
}

bool
norn_isa_text_is(const NornIsa *isa, NornIsaText text, const char *string, size_t length) {
  if ((text & 0xFF) != length)
    return false;
  const char *entry = norn_isa_string(isa, text);
  return same_bytes(entry, string, length) ||
         (isa->any_case && g_ascii_strncasecmp(entry, string, length) == 0);
}

const NornIsaMnemonic *
norn_isa_find_mnemonic(const NornIsa *isa, const char *text, size_t length, uint32_t hash) {
  uint32_t bucket = hash & isa->mnemonic_mask;
  const NornIsaMnemonic *entry = &isa->mnemonics[bucket];
  for (; entry->text; entry = &isa->mnemonics[bucket = (bucket + 1) & isa->mnemonic_mask]) {
    if (entry->hash == hash && norn_isa_text_is(isa, entry->text, text, length))
      return entry;
  }
  return NULL;
}

const NornIsaToken *
norn_isa_find_token(const NornIsa *isa, const char *text, size_t length) {
  if (length > NORN_ISA_LONGEST_TEXT) /* a reader tries all prefixes of a name */
    return NULL;
  uint32_t hash = norn_isa_hash(text, length), bucket = hash & isa->token_mask;
  const NornIsaToken *entry = &isa->tokens[bucket];
  for (; entry->text; entry = &isa->tokens[bucket = (bucket + 1) & isa->token_mask]) {
    if (entry->hash == hash && norn_isa_text_is(isa, entry->text, text, length))
      return entry;
  }
  return NULL;
}

/* Expressions */

int64_t
norn_isa_evaluate(const NornIsa *isa, const NornIsaEncoding *encoding, uint32_t expression,
                  uint64_t word) {
  return norn_isa_compute(isa->expressions + expression, isa->amounts, encoding->fields, word);
}

/* The value in table number `table` - 1. */
static inline uint32_t
look_up(const NornIsa *isa, unsigned table, uint64_t word) {
  const NornIsaTable *entry = &isa->tables[table - 1];
  return isa->values[entry->values +
                     norn_isa_gather_runs(isa->runs + entry->runs, entry->run_count, word)];
}

uint64_t
norn_isa_derive(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word) {
  for (unsigned i = encoding->first_derived; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    int64_t value = field->table ? (int64_t)look_up(isa, field->table, word)
                                 : norn_isa_evaluate(isa, encoding, field->expression, word);
    word = (word & ~norn_isa_insert(field, UINT64_MAX)) | norn_isa_insert(field, (uint64_t)value);
  }
  return word;
}

/* Operands */

const NornIsaCode *
norn_isa_operand_code(const NornIsa *isa, const NornIsaEncoding *encoding,
                      const NornIsaOperand *operand, uint64_t word) {
  const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
  uint32_t code = norn_isa_extract(&encoding->fields[operand->field], word);
  return &isa->codes[table->first + (norn_isa_bank(encoding, table, word) | code)];
}

int
norn_isa_find_code(const NornIsa *isa, const NornIsaOperand *operand, NornIsaCodeKind kind,
                   uint32_t number) {
  const NornIsaCodeTable *table = &isa->code_tables[operand->codes];
  for (unsigned i = 0; i < 1u << (table->width + table->bank_width); i++) {
    const NornIsaCode *code = &isa->codes[table->first + i];
    uint32_t value = kind == NORN_ISA_CODE_CONSTANT ? code->value : code->number;
    if (code->kind == kind && value == number &&
        isa->texts[operand->texts + i] != NORN_ISA_TEXT_ILLEGAL)
      return (int)i;
  }
  return -1;
}

unsigned
norn_isa_operand_words(const NornIsa *isa, const NornIsaEncoding *encoding,
                       const NornIsaOperand *operand, uint64_t word) {
  if (operand->words || operand->role > NORN_ISA_OPERAND_STAGING_BOTH)
    return operand->words;
  if (operand->table)
    return look_up(isa, operand->table, word);
  int64_t count = norn_isa_evaluate(isa, encoding, operand->count, word);
  return (unsigned)CLAMP(count, 0, NORN_ISA_MAX_REGISTERS);
}

/* Decoding */

unsigned
norn_isa_decode_further(const NornIsa *isa, unsigned entry, uint64_t word) {
  while (entry & NORN_ISA_ENTRY_NODE) {
    if (entry & NORN_ISA_ENTRY_LIST) {
      const uint16_t *list = isa->entries + (entry & (NORN_ISA_ENTRY_LIST - 1));
      for (unsigned left = *list++;; list++) {
        const NornIsaEncoding *encoding = &isa->encodings[*list];
        if ((word & encoding->mask) == encoding->match || --left == 0)
          return *list;
      }
    }
    const NornIsaNode *node = &isa->nodes[entry & (NORN_ISA_ENTRY_NODE - 1)];
    entry = isa->entries[node->first + norn_isa_gather(&node->bits, word)];
  }
  return entry;
}
