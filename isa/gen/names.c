/* Named values: enums, and the codes of operands with their texts. */
#include "isa/gen/gen.h"
#include <string.h>

/* Enums */

/* Parses "h1", "b0123", "w0": the size of the parts, and the index of the part for each lane.
 * "none" selects nothing. */
static NornIsaSwizzle
swizzle(Generator *gen, const xmlNode *node) {
  static const char letters[] = "bhwd";
  NornIsaSwizzle swizzle;
  memset(&swizzle, 0, sizeof swizzle);
  const char *name = gen_attribute(node, "name"), *letter = strchr(letters, *name);
  if (strcmp(name, "none") == 0)
    return swizzle;
  size_t count = strspn(name + 1, "0123456789");
  if (!letter || name[1 + count] || count < 1 || count > NORN_ISA_LANES)
    gen_fail(gen, node, "'%s' is not a selection of bytes, halves or words", name);
  swizzle.bits = (uint8_t)(8u << (letter - letters));
  swizzle.count = (uint8_t)count;
  for (size_t i = 0; i < count; i++)
    swizzle.index[i] = (uint8_t)(name[1 + i] - '0');
  return swizzle;
}

bool
gen_type(const char *text, NornIsaType *type) {
  static const char letters[] = "iusf"; /* in the order of NornIsaTypeClass */
  unsigned lanes = 1, bits = 0;
  char class = 0, end = 0;
  bool vector = sscanf(text, "v%1u%c%2u%c", &lanes, &class, &bits, &end) == 3;
  if (!vector && sscanf(text, "%c%2u%c", &class, &bits, &end) != 2)
    return false;
  const char *letter = class ? strchr(letters, class) : NULL;
  if (!letter || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return false;
  *type = (NornIsaType){(uint8_t)(NORN_ISA_TYPE_BITS + (letter - letters)),
                        (uint8_t)(vector ? lanes : 1), (uint8_t)bits};
  return true;
}

static void
check_value(Generator *gen, const xmlNode *node, const NornIsaEnum *owner,
            const NornIsaEnumValue *value) {
  for (unsigned i = owner->first; i < gen->enum_values->len; i++) {
    const NornIsaEnumValue *other = &g_array_index(gen->enum_values, NornIsaEnumValue, i);
    if (other->since > value->until || value->since > other->until)
      continue;
    if (other->code == value->code)
      gen_fail(gen, node, "two values of enum '%s' have the code %u",
               gen_attribute(node->parent, "name"), value->code);
    if (other->name == value->name)
      gen_fail(gen, node, "enum '%s' defines the value '%s' twice",
               gen_attribute(node->parent, "name"), gen_attribute(node, "name"));
  }
}

static void
add_value(Generator *gen, const xmlNode *node, NornIsaEnum *owner, int64_t *next) {
  NornIsaEnumValue value;
  memset(&value, 0, sizeof value);
  value.name = gen_intern(gen, gen_attribute(node, "name"));
  value.title = gen_intern(gen, gen_attribute(node, "title"));
  *next = gen_number_attribute(gen, node, "code", *next);
  if (*next > INT32_MAX)
    gen_fail(gen, node, "the code is out of range");
  value.code = (uint32_t)*next;
  value.amount = (int32_t)gen_number_attribute(gen, node, "amount", *next);
  value.since = (uint8_t)gen_since(gen, node);
  value.until = (uint8_t)gen_until(gen, node);
  if (owner->swizzles)
    value.swizzle = swizzle(gen, node);
  check_value(gen, node, owner, &value);
  g_array_append_val(gen->enum_values, value);
  owner->count++;
  ++*next;
}

static void
add_enum(Generator *gen, xmlNode *node) {
  const char *name = gen_attribute(node, "name");
  if (gen_enum_number(gen, name) >= 0)
    gen_fail(gen, node, "enum '%s' is defined twice", name);
  NornIsaEnum entry = {gen_intern(gen, name), gen_intern(gen, gen_attribute(node, "title")),
                       gen->enum_values->len, 0, gen_boolean_attribute(node, "swizzle")};
  int64_t next = 0;
  for (xmlNode *child = node->children; child; child = child->next) {
    if (gen_is(child, "value"))
      add_value(gen, child, &entry, &next);
  }
  g_array_append_val(gen->enums, entry);
  g_ptr_array_add(gen->enum_nodes, node);
}

void
gen_enums(Generator *gen) {
  for (xmlNode *node = gen->root->children; node; node = node->next) {
    if (gen_is(node, "enum"))
      add_enum(gen, node);
  }
}

int
gen_enum_number(const Generator *gen, const char *name) {
  for (unsigned i = 0; i < gen->enum_nodes->len; i++) {
    if (strcmp(gen_attribute(gen->enum_nodes->pdata[i], "name"), name) == 0)
      return (int)i;
  }
  return -1;
}

int64_t
gen_enum_code(const Generator *gen, unsigned enumeration, const char *name, unsigned architecture) {
  const NornIsaEnum *entry = &g_array_index(gen->enums, NornIsaEnum, enumeration);
  for (unsigned i = entry->first; i < entry->first + entry->count; i++) {
    const NornIsaEnumValue *value = &g_array_index(gen->enum_values, NornIsaEnumValue, i);
    if (value->since <= architecture && architecture <= value->until &&
        strcmp(gen_string(gen, value->name), name) == 0)
      return value->code;
  }
  return -1;
}

const NornIsaEnumValue *
gen_enum_value(const Generator *gen, unsigned enumeration, uint32_t code, unsigned architecture) {
  const NornIsaEnum *entry = &g_array_index(gen->enums, NornIsaEnum, enumeration);
  for (unsigned i = entry->first; i < entry->first + entry->count; i++) {
    const NornIsaEnumValue *value = &g_array_index(gen->enum_values, NornIsaEnumValue, i);
    if (value->since <= architecture && architecture <= value->until && value->code == code)
      return value;
  }
  return NULL;
}

/* Codes. A table is written out in full: one entry for each bank and code. */

typedef struct {
  unsigned width, bank_width;
  unsigned codes; /* number of codes in all banks */
} CodeSize;

static CodeSize
code_size(Generator *gen, const xmlNode *node) {
  int64_t own = gen_number_attribute(gen, node, "width", 8);
  CodeSize size = {(unsigned)CLAMP(own, 0, UINT16_MAX), 0, 0};
  const char *bank = gen_attribute(node, "bank");
  if (bank) {
    const xmlNode *field = gen_child_at(gen, gen->root, "field", bank, 0);
    unsigned position, width;
    if (!field || sscanf(gen_attribute_or(field, "at", ""), "%5u:%5u", &position, &width) != 2)
      gen_fail(gen, node, "bank '%s' is not a field with a position in the whole instruction set",
               bank);
    size.bank_width = width;
  }
  if (size.width + size.bank_width > 12)
    gen_fail(gen, node, "the codes and their bank have more than 12 bits");
  size.codes = 1u << (size.width + size.bank_width);
  return size;
}

static uint8_t
code_kind(const xmlNode *node) {
  static const char *const kinds[] = {
      [NORN_ISA_CODE_REGISTER] = "register", [NORN_ISA_CODE_LAST] = "last",
      [NORN_ISA_CODE_UNIFORM] = "uniform",   [NORN_ISA_CODE_SPECIAL] = "special",
      [NORN_ISA_CODE_SCALAR] = "scalar",     [NORN_ISA_CODE_CONSTANT] = "constant"};
  if (gen_is(node, "constant") || gen_is(node, "integers"))
    return NORN_ISA_CODE_CONSTANT;
  const char *kind = gen_attribute_or(node, "kind", gen_is(node, "name") ? "special" : "register");
  for (uint8_t i = NORN_ISA_CODE_REGISTER; i < G_N_ELEMENTS(kinds); i++) {
    if (strcmp(kinds[i], kind) == 0)
      return i;
  }
  return NORN_ISA_CODE_RESERVED;
}

static unsigned
entry_count(Generator *gen, const xmlNode *node) {
  int64_t count = gen_number_attribute(gen, node, "count", 1);
  if (count < 1 || count > 4096)
    gen_fail(gen, node, "the count is out of range");
  return (unsigned)count;
}

static unsigned
first_code(Generator *gen, const xmlNode *node, CodeSize size, unsigned bank) {
  int64_t code = gen_number_attribute(gen, node, "code", 0);
  if (code < 0 || code + entry_count(gen, node) > INT64_C(1) << size.width)
    gen_fail(gen, node, "the code does not fit in %u bits", size.width);
  return bank << size.width | (unsigned)code;
}

static bool
in_bank(Generator *gen, const xmlNode *node, unsigned bank) {
  return !gen_attribute(node, "bank") || gen_number_attribute(gen, node, "bank", 0) == bank;
}

static bool
is_code_element(const xmlNode *node) {
  return gen_is(node, "registers") || gen_is(node, "name") || gen_is(node, "constant") ||
         gen_is(node, "integers");
}

static NornIsaCode
code_entry(Generator *gen, const xmlNode *node, unsigned index, unsigned i) {
  NornIsaCode code;
  memset(&code, 0, sizeof code);
  code.kind = code_kind(node);
  code.bank = (uint8_t)gen_number_attribute(gen, node, "bank", NORN_ISA_ANY_BANK);
  int64_t fallback = gen_is(node, "registers") ? 0 : index;
  code.number = (uint16_t)(gen_number_attribute(gen, node, "number", fallback) + i);
  if (code.kind == NORN_ISA_CODE_CONSTANT)
    code.value = (uint32_t)(gen_number_attribute(gen, node, "value", 0) +
                            gen_number_attribute(gen, node, "step", 0) * i);
  code.flags = gen_flags(gen, node, gen_attribute_or(node, "flags", ""));
  return code;
}

/* The number of the table that was already made for `key`, or -1. Rows share their tables, which
 * are slow to make. */
static int
known_table(const Generator *gen, const char *key) {
  return GPOINTER_TO_INT(g_hash_table_lookup(gen->known_tables, key)) - 1;
}

static void
know_table(Generator *gen, const char *key, unsigned number) {
  g_hash_table_insert(gen->known_tables, g_strdup(key), GUINT_TO_POINTER(number + 1));
}

static unsigned
make_code_table(Generator *gen, const xmlNode *node, unsigned architecture) {
  CodeSize size = code_size(gen, node);
  NornIsaCode *codes = g_new0(NornIsaCode, size.codes);
  for (const xmlNode *child = node->children; child; child = child->next) {
    if (!is_code_element(child) || !gen_applies(gen, child, architecture))
      continue;
    for (unsigned bank = 0; bank < 1u << size.bank_width; bank++) {
      unsigned first = first_code(gen, child, size, bank);
      for (unsigned i = 0; in_bank(gen, child, bank) && i < entry_count(gen, child); i++) {
        NornIsaCode entry = code_entry(gen, child, first + i, i);
        bool same = memcmp(&codes[first + i], &entry, sizeof entry) == 0;
        if (codes[first + i].kind && !(same && gen_attribute(child, "size")))
          gen_fail(gen, child, "code %u is defined twice", first + i);
        codes[first + i] = entry;
      }
    }
  }
  const char *bank = gen_attribute(node, "bank");
  NornIsaCodeTable table;
  memset(&table, 0, sizeof table);
  table.name = gen_intern(gen, gen_attribute(node, "name"));
  table.width = (uint8_t)size.width;
  table.bank_width = (uint8_t)size.bank_width;
  table.bank = bank ? (uint16_t)gen_field_number(gen, bank) : NORN_ISA_NONE;
  table.first = gen_pool_add(&gen->codes, codes, size.codes);
  g_free(codes);
  for (unsigned i = 0; i < gen->code_tables->len; i++) {
    if (memcmp(&g_array_index(gen->code_tables, NornIsaCodeTable, i), &table, sizeof table) == 0)
      return i;
  }
  g_array_append_val(gen->code_tables, table);
  return gen->code_tables->len - 1;
}

unsigned
gen_code_table(Generator *gen, const xmlNode *node, unsigned architecture) {
  g_autofree char *key = g_strdup_printf("codes %p %u", (const void *)node, architecture);
  int known = known_table(gen, key);
  if (known >= 0)
    return (unsigned)known;
  unsigned number = make_code_table(gen, node, architecture);
  know_table(gen, key, number);
  return number;
}

/* Texts of codes */

static char *
register_text(Generator *gen, const xmlNode *node, unsigned i, unsigned words) {
  unsigned number = (unsigned)gen_number_attribute(gen, node, "number", 0) + i;
  unsigned align = (unsigned)gen_number_attribute(gen, node, "align", 1);
  const char *prefix = gen_attribute(node, "prefix");
  const char *suffix = gen_attribute_or(node, "suffix", "");
  if (words > 1 && align > 1 && number % align)
    return NULL;
  if (words == 1 || !gen_boolean_attribute(node, "tuple"))
    return g_strdup_printf("%s%u%s", prefix, number, suffix);
  if (i + words > entry_count(gen, node))
    return NULL;
  return g_strdup_printf("%s[%u:%u]%s", prefix, number, number + words - 1, suffix);
}

static bool
has_size(const xmlNode *node, unsigned words) {
  const char *sizes = gen_attribute(node, "size");
  if (!sizes)
    return true;
  bool found = false;
  char **list = g_strsplit(sizes, " ", -1);
  for (char **size = list; *size; size++)
    found |= **size && g_ascii_strtoull(*size, NULL, 0) == (uint64_t)words * 32;
  g_strfreev(list);
  return found;
}

static char *
code_text(Generator *gen, const xmlNode *node, unsigned i, unsigned words) {
  if (gen_is(node, "registers"))
    return register_text(gen, node, i, words);
  if (gen_is(node, "integers"))
    return g_strdup_printf("%" G_GINT64_FORMAT, gen_number_attribute(gen, node, "value", 0) +
                                                    gen_number_attribute(gen, node, "step", 0) * i);
  const char *text = gen_attribute(node, "text");
  if (!text)
    return g_strdup_printf("0x%X", (uint32_t)gen_number_attribute(gen, node, "value", 0));
  return gen_is(node, "name") && !has_size(node, words) ? NULL : g_strdup(text);
}

static bool
kind_allowed(const xmlNode *node, const char *kinds) {
  static const char *const names[] = {"reserved", "register", "last",    "uniform",
                                      "special",  "scalar",   "constant"};
  if (!kinds)
    return true;
  bool found = false;
  char **list = g_strsplit(kinds, " ", -1);
  for (char **kind = list; *kind; kind++)
    found |= strcmp(*kind, names[code_kind(node)]) == 0;
  g_strfreev(list);
  return found;
}

static void
add_code_aliases(Generator *gen, const xmlNode *node, unsigned code, GArray *aliases) {
  const char *list = gen_attribute(node, "aliases");
  if (!list)
    return;
  char **texts = g_strsplit(list, " ", -1);
  for (char **text = texts; *text; text++) {
    NornIsaToken token = {.text = gen_intern(gen, *text), .first = code};
    if (token.text)
      g_array_append_val(aliases, token);
  }
  g_strfreev(texts);
}

static void
add_code_names(Generator *gen, const xmlNode *node, CodeSize size, unsigned words,
               NornIsaText *texts, GArray *aliases) {
  for (unsigned bank = 0; bank < 1u << size.bank_width; bank++) {
    unsigned first = first_code(gen, node, size, bank);
    for (unsigned i = 0; in_bank(gen, node, bank) && i < entry_count(gen, node); i++) {
      char *text = code_text(gen, node, i, words);
      if (!text)
        continue;
      if (texts[first + i] != NORN_ISA_TEXT_ILLEGAL)
        gen_fail(gen, node, "code %u has two texts", first + i);
      texts[first + i] = gen_intern(gen, text);
      add_code_aliases(gen, node, first + i, aliases);
      g_free(text);
    }
  }
}

/* Within one bank every text must stand for one code. */
static void
check_unique(Generator *gen, const xmlNode *node, CodeSize size, const NornIsaText *texts) {
  GHashTable *seen = g_hash_table_new(NULL, NULL);
  for (unsigned i = 0; i < size.codes; i++) {
    if (i % (1u << size.width) == 0)
      g_hash_table_remove_all(seen);
    if (texts[i] != NORN_ISA_TEXT_ILLEGAL && !g_hash_table_add(seen, GUINT_TO_POINTER(texts[i])))
      gen_fail(gen, node, "two codes have the text '%s'", gen_string(gen, texts[i]));
  }
  g_hash_table_unref(seen);
}

static unsigned
make_name_table(Generator *gen, const xmlNode *node, unsigned architecture, unsigned words,
                const char *kinds) {
  CodeSize size = code_size(gen, node);
  NornIsaText *texts = g_new(NornIsaText, size.codes);
  for (unsigned i = 0; i < size.codes; i++)
    texts[i] = NORN_ISA_TEXT_ILLEGAL;
  NameTable table = {0, g_array_new(FALSE, FALSE, sizeof(NornIsaToken)), size.codes, size.width};
  for (const xmlNode *child = node->children; child; child = child->next) {
    if (is_code_element(child) && gen_applies(gen, child, architecture) &&
        kind_allowed(child, kinds))
      add_code_names(gen, child, size, words, texts, table.aliases);
  }
  check_unique(gen, node, size, texts);
  table.texts = gen_pool_add(&gen->texts, texts, size.codes);
  g_free(texts);
  for (unsigned i = 0; i < gen->name_tables->len; i++) {
    const NameTable *other = &g_array_index(gen->name_tables, NameTable, i);
    if (other->texts == table.texts && other->count == table.count &&
        other->aliases->len == table.aliases->len &&
        (!table.aliases->len || memcmp(other->aliases->data, table.aliases->data,
                                       table.aliases->len * sizeof(NornIsaToken)) == 0)) {
      g_array_unref(table.aliases);
      return i;
    }
  }
  g_array_append_val(gen->name_tables, table);
  return gen->name_tables->len - 1;
}

unsigned
gen_name_table(Generator *gen, const xmlNode *node, unsigned architecture, unsigned words,
               const char *kinds) {
  g_autofree char *key = g_strdup_printf("names %p %u %u %s", (const void *)node, architecture,
                                         words, kinds ? kinds : "all");
  int known = known_table(gen, key);
  if (known >= 0)
    return (unsigned)known;
  unsigned number = make_name_table(gen, node, architecture, words, kinds);
  know_table(gen, key, number);
  return number;
}

int64_t
gen_code_called(Generator *gen, const xmlNode *node, unsigned architecture, const char *text) {
  unsigned number = gen_name_table(gen, node, architecture, 1, NULL);
  const NameTable *table = &g_array_index(gen->name_tables, NameTable, number);
  for (unsigned i = 0; i < table->count; i++) {
    NornIsaText entry = g_array_index(gen->texts.items, NornIsaText, table->texts + i);
    if (entry != NORN_ISA_TEXT_ILLEGAL && strcmp(gen_string(gen, entry), text) == 0)
      return i & ((1 << code_size(gen, node).width) - 1);
  }
  return -1;
}

/* Tokens: everything that a word in the text can mean */

typedef struct {
  GHashTable *by_text; /* NornIsaText -> GArray of NornIsaMeaning */
} TokenSet;

static void
add_meaning(TokenSet *set, NornIsaText text, NornIsaMeaning meaning) {
  GArray *list = g_hash_table_lookup(set->by_text, GUINT_TO_POINTER(text));
  if (!list) {
    list = g_array_new(FALSE, FALSE, sizeof(NornIsaMeaning));
    g_hash_table_insert(set->by_text, GUINT_TO_POINTER(text), list);
  }
  for (unsigned i = 0; i < list->len; i++) {
    const NornIsaMeaning *other = &g_array_index(list, NornIsaMeaning, i);
    if (other->owner == meaning.owner && other->code == meaning.code &&
        other->since == meaning.since && other->until == meaning.until)
      return;
  }
  g_array_append_val(list, meaning);
}

/* The names of an enum's values, or their other spellings. */
static void
add_enum_tokens(Generator *gen, TokenSet *set, unsigned number, const char *attribute) {
  const xmlNode *node = gen->enum_nodes->pdata[number];
  int64_t next = 0;
  for (const xmlNode *child = node->children; child; child = child->next) {
    if (!gen_is(child, "value"))
      continue;
    next = gen_number_attribute(gen, child, "code", next);
    NornIsaMeaning meaning = {(uint16_t)number, (uint8_t)gen_since(gen, child),
                              (uint8_t)gen_until(gen, child), (uint32_t)next++};
    char **texts = g_strsplit(gen_attribute_or(child, attribute, ""), " ", -1);
    for (char **text = texts; *text; text++) {
      if (**text)
        add_meaning(set, gen_intern(gen, *text), meaning);
    }
    g_strfreev(texts);
  }
}

static void
add_code_tokens(Generator *gen, TokenSet *set, unsigned number) {
  const NameTable *table = &g_array_index(gen->name_tables, NameTable, number);
  NornIsaMeaning meaning = {NORN_ISA_NONE, 0, 0xFF, 0};
  for (meaning.code = 0; meaning.code < table->count; meaning.code++) {
    NornIsaText text = g_array_index(gen->texts.items, NornIsaText, table->texts + meaning.code);
    unsigned first = meaning.code & ((1u << table->width) - 1);
    /* A code that is the same in all banks is listed once. */
    if (text != NORN_ISA_TEXT_ILLEGAL &&
        (first == meaning.code ||
         text != g_array_index(gen->texts.items, NornIsaText, table->texts + first)))
      add_meaning(set, text, meaning);
  }
  meaning.owner = (uint16_t)(0x8000 | number);
  for (unsigned i = 0; i < table->aliases->len; i++) {
    const NornIsaToken *alias = &g_array_index(table->aliases, NornIsaToken, i);
    meaning.code = alias->first;
    add_meaning(set, alias->text, meaning);
  }
}

static int
compare_texts(const void *a, const void *b) {
  NornIsaText left = *(const NornIsaText *)a, right = *(const NornIsaText *)b;
  return left < right ? -1 : left > right;
}

void
gen_tokens(Generator *gen, GArray **tokens, GArray **meanings) {
  TokenSet set = {g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref)};
  for (unsigned i = 0; i < gen->enum_nodes->len; i++)
    add_enum_tokens(gen, &set, i, "name");
  /* Meanings are tried in order, so a value's own name wins over an alias of another value. */
  for (unsigned i = 0; i < gen->enum_nodes->len; i++)
    add_enum_tokens(gen, &set, i, "aliases");
  for (unsigned i = 0; i < gen->name_tables->len; i++)
    add_code_tokens(gen, &set, i);
  *tokens = g_array_new(FALSE, TRUE, sizeof(NornIsaToken));
  *meanings = g_array_new(FALSE, TRUE, sizeof(NornIsaMeaning));
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_iter_init(&iter, set.by_text);
  while (g_hash_table_iter_next(&iter, &key, &value)) {
    NornIsaToken token = {.text = GPOINTER_TO_UINT(key)};
    g_array_append_val(*tokens, token);
  }
  g_array_sort(*tokens, compare_texts);
  for (unsigned i = 0; i < (*tokens)->len; i++) {
    NornIsaToken *token = &g_array_index(*tokens, NornIsaToken, i);
    const GArray *list = g_hash_table_lookup(set.by_text, GUINT_TO_POINTER(token->text));
    token->first = (*meanings)->len;
    token->count = list->len;
    g_array_append_vals(*meanings, list->data, list->len);
  }
  g_hash_table_unref(set.by_text);
}
