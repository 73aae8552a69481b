/* Resolves rows: what an instruction (or alias) looks like on each architecture. */
#include "isa/gen/row.h"
#include <string.h>

static uint32_t
store_field_indices(const EncodingRow *row) {
  /* Not all field numbers are known yet: indices are stored as pairs and expanded on output. */
  uint8_t pairs[NORN_ISA_FIELDS * 3 + 1];
  unsigned count = 0;
  for (unsigned i = 0; i < row->fields->len; i++) {
    const NornIsaField *field = &g_array_index(row->fields, NornIsaField, i);
    pairs[count++] = (uint8_t)field->number;
    pairs[count++] = (uint8_t)(field->number >> 8);
    pairs[count++] = (uint8_t)i;
  }
  pairs[count++] = 0xFF;
  return gen_pool_add(&row->gen->field_indices, pairs, count);
}

static uint32_t
store_layouts(EncodingRow *row) {
  NornIsaFieldLayout layouts;
  memset(&layouts, 0, sizeof layouts);
  for (unsigned i = 0; i < row->fields->len; i++) {
    const NornIsaField *field = &g_array_index(row->fields, NornIsaField, i);
    layouts.masks[i] = (uint32_t)norn_isa_mask(field->width);
    layouts.shifts[i] = field->position;
    row->encoding.split |= field->high_width != 0;
  }
  return gen_pool_add(&row->gen->layouts, &layouts, 1);
}

static unsigned
store_encoding(EncodingRow *row) {
  Generator *gen = row->gen;
  GenEncoding entry;
  memset(&entry, 0, sizeof entry);
  entry.layouts = store_layouts(row);
  entry.encoding = row->encoding;
  entry.encoding.field_count = (uint8_t)row->fields->len;
  entry.encoding.operand_count = (uint8_t)row->operands->len;
  entry.encoding.fixed_count = (uint8_t)row->fixed->len;
  entry.encoding.modifier_count = (uint8_t)row->modifiers->len;
  entry.encoding.rule_count = (uint8_t)row->rules->len;
  entry.fields = gen_pool_add(&gen->fields, row->fields->data, row->fields->len);
  entry.operands = gen_pool_add(&gen->operands, row->operands->data, row->operands->len);
  entry.fixed = gen_pool_add(&gen->fixed, row->fixed->data, row->fixed->len);
  entry.modifiers = gen_pool_add(&gen->modifiers, row->modifiers->data, row->modifiers->len);
  entry.rules = gen_pool_add(&gen->rule_lists, row->rules->data, row->rules->len);
  entry.field_indices = store_field_indices(row);
  GBytes *key = g_bytes_new(&entry, sizeof entry);
  gpointer found = g_hash_table_lookup(gen->encoding_index, key);
  unsigned index = found ? GPOINTER_TO_UINT(found) - 1 : gen->encodings->len;
  if (found) {
    g_bytes_unref(key);
  } else {
    if (index >= 0x7FFF)
      gen_fail(gen, row->row, "too many encodings");
    entry.encoding.since = (uint8_t)row->architecture;
    g_array_append_val(gen->encodings, entry);
    g_hash_table_insert(gen->encoding_index, key, GUINT_TO_POINTER(index + 1));
  }
  g_array_index(gen->encodings, GenEncoding, index).encoding.until = (uint8_t)row->architecture;
  return index;
}

static void
clear_row(EncodingRow *row) {
  g_ptr_array_unref(row->scope);
  g_hash_table_unref(row->settings);
  g_array_unref(row->fields);
  g_array_unref(row->operands);
  g_array_unref(row->fixed);
  g_array_unref(row->modifiers);
  g_array_unref(row->rules);
  g_ptr_array_unref(row->field_names);
}

/* The texts of the mnemonic, if they differ from the name. */
static void
add_mnemonics(EncodingRow *row) {
  NornIsaText name = g_array_index(row->gen->names, NornIsaName, row->encoding.name).text;
  const char *mnemonic = row->alias ? NULL : gen_row_scope_attribute(row, "mnemonic");
  const char *alternate = row->alias ? NULL : gen_row_scope_attribute(row, "alternate");
  row->encoding.mnemonic = mnemonic ? gen_intern(row->gen, mnemonic) : name;
  row->encoding.alternate = alternate ? gen_intern(row->gen, alternate) : row->encoding.mnemonic;
}

/* A row under one of its names. */
typedef struct {
  const xmlNode *alias, *variant, *instruction;
  unsigned name, target; /* alias: the name it stands for */
  unsigned alternative;  /* alias: which of the alternatives it requires, from 1 */
} Entry;

static void
add_encoding(Generator *gen, unsigned architecture, const Entry *entry) {
  EncodingRow row;
  memset(&row, 0, sizeof row);
  row.gen = gen;
  row.architecture = architecture;
  row.alias = entry->alias;
  row.variant = entry->variant;
  row.instruction = entry->instruction;
  row.row = entry->alias ? entry->alias : entry->variant ? entry->variant : entry->instruction;
  row.alternative = entry->alternative;
  row.scope = g_ptr_array_new();
  row.settings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  row.fields = g_array_new(FALSE, TRUE, sizeof(NornIsaField));
  row.operands = g_array_new(FALSE, TRUE, sizeof(NornIsaOperand));
  row.fixed = g_array_new(FALSE, TRUE, sizeof(NornIsaFixed));
  row.modifiers = g_array_new(FALSE, TRUE, sizeof(uint8_t));
  row.rules = g_array_new(FALSE, TRUE, sizeof(uint16_t));
  row.field_names = g_ptr_array_new();
  row.encoding.instruction = (uint16_t)(entry->alias ? entry->target : entry->name);
  row.encoding.name = (uint16_t)entry->name;
  gen_row_resolve(&row);
  add_mnemonics(&row);
  gen_row_add_kinds(&row);
  gen_row_add_tables(&row);
  unsigned index = store_encoding(&row);
  g_array_index(gen->encoding_of, uint16_t, architecture * gen->names->len + entry->name) =
      (uint16_t)index;
  clear_row(&row);
}

/* Names: instructions first, then aliases */

/* The texts of the elements called `element`, one per line; reasons start with "SOURCE ITEMS: " if
 * they name a source. Returns the offset in the string pool. */
static uint32_t
describe(Generator *gen, const xmlNode *instruction, const xmlNode *variant, const char *element) {
  const xmlNode *hosts[2] = {variant, instruction};
  GString *all = g_string_new(NULL);
  for (unsigned i = 0; i < 2; i++) {
    for (const xmlNode *node = hosts[i] ? hosts[i]->children : NULL; node; node = node->next) {
      if (!gen_is(node, element))
        continue;
      char *text = gen_content(node);
      const char *source = gen_attribute(node, "source");
      if (all->len)
        g_string_append_c(all, '\n');
      if (source)
        g_string_append_printf(all, "%s %s: ", source, gen_attribute_or(node, "item", ""));
      g_string_append(all, text);
      g_free(text);
    }
    if (all->len && strcmp(element, "text") == 0)
      break;
  }
  uint32_t offset = gen_intern(gen, all->str) >> 8;
  g_string_free(all, TRUE);
  return offset;
}

static const char *
either(const xmlNode *variant, const xmlNode *instruction, const char *attribute) {
  const char *value = variant ? gen_attribute(variant, attribute) : NULL;
  return value ? value : gen_attribute(instruction, attribute);
}

static unsigned
range_since(Generator *gen, const xmlNode *a, const xmlNode *b) {
  unsigned first = gen_since(gen, a), second = b ? gen_since(gen, b) : 0;
  return first > second ? first : second;
}

static unsigned
range_until(Generator *gen, const xmlNode *a, const xmlNode *b) {
  unsigned first = gen_until(gen, a), second = b ? gen_until(gen, b) : first;
  return first < second ? first : second;
}

static int
find_name(const Generator *gen, const char *text, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    NornIsaText name = g_array_index(gen->names, NornIsaName, i).text;
    if (strcmp(gen_string(gen, name), text) == 0)
      return (int)i;
  }
  return -1;
}

/* Adds the words that an alias requires. */
static void
add_with(Generator *gen, const xmlNode *row, const char *with, NornIsaName *name) {
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  gen_row_append_names(words, with);
  GArray *texts = g_array_new(FALSE, FALSE, sizeof(NornIsaText));
  for (unsigned i = 0; i < words->len; i++) {
    NornIsaText text = gen_intern(gen, words->pdata[i]);
    g_array_append_val(texts, text);
  }
  uint32_t position = gen_pool_add(&gen->texts, texts->data, texts->len);
  if (position > UINT16_MAX || texts->len > 31)
    gen_fail(gen, row, "too many words or texts");
  name->with = (uint16_t)position;
  name->with_count = (uint8_t)texts->len;
  g_array_unref(texts);
  g_ptr_array_unref(words);
}

static unsigned
add_name(Generator *gen, const xmlNode *row, const char *text, const char *with,
         const xmlNode *instruction, const xmlNode *variant) {
  unsigned since = range_since(gen, row, row == variant ? instruction : NULL);
  unsigned until = range_until(gen, row, row == variant ? instruction : NULL);
  int found = gen_is(row, "alias") ? -1 : find_name(gen, text, gen->names->len);
  if (found >= 0) {
    NornIsaName *name = &g_array_index(gen->names, NornIsaName, found);
    name->since = (uint8_t)(since < name->since ? since : name->since);
    name->until = (uint8_t)(until > name->until ? until : name->until);
    return (unsigned)found;
  }
  NornIsaName name;
  memset(&name, 0, sizeof name);
  name.text = gen_intern(gen, text);
  name.title = gen_intern(gen, gen_is(row, "alias") && gen_attribute(row, "title")
                                   ? gen_attribute(row, "title")
                                   : either(variant, instruction, "title"));
  name.section = gen_intern(gen, either(variant, instruction, "section"));
  name.description = describe(gen, instruction, variant, "text");
  name.reason = gen_is(row, "alias") ? describe(gen, row, NULL, "reason")
                                     : describe(gen, instruction, variant, "reason");
  name.since = (uint8_t)since;
  name.until = (uint8_t)until;
  name.instruction = (uint16_t)gen->names->len;
  add_with(gen, row, with, &name);
  g_array_append_val(gen->names, name);
  return gen->names->len - 1;
}

static void
list_instruction(Generator *gen, xmlNode *instruction, GArray *entries) {
  bool has_variants = false;
  for (xmlNode *child = instruction->children; child; child = child->next) {
    if (!gen_is(child, "variant"))
      continue;
    has_variants = true;
    char *text =
        g_strdup_printf("%s.%s", gen_attribute(instruction, "name"), gen_attribute(child, "name"));
    Entry entry = {NULL, child, instruction, add_name(gen, child, text, "", instruction, child),
                   0,    0};
    g_array_append_val(entries, entry);
    g_free(text);
  }
  if (has_variants)
    return;
  const char *text = gen_attribute(instruction, "name");
  Entry entry = {NULL, NULL, instruction, add_name(gen, instruction, text, "", instruction, NULL),
                 0,    0};
  g_array_append_val(entries, entry);
}

/* Lists an alias of the row `target`, called `text`, once for each of the alternatives it requires.
 */
static void
list_alias(Generator *gen, xmlNode *alias, const Entry *target, const char *text, GArray *entries) {
  const char *with = gen_attribute_or(alias, "with", "");
  char **alternatives = g_strsplit(*with ? with : " ", "|", -1);
  for (unsigned i = 0; alternatives[i]; i++) {
    Entry entry = {alias, target->variant, target->instruction, 0, target->name, i + 1};
    entry.name = add_name(gen, alias, text, alternatives[i], target->instruction, target->variant);
    g_array_index(gen->names, NornIsaName, entry.name).instruction = (uint16_t)target->name;
    g_array_append_val(entries, entry);
  }
  g_strfreev(alternatives);
}

static void
list_aliases(Generator *gen, xmlNode *alias, GArray *entries, unsigned count) {
  const char *of = gen_attribute(alias, "of"), *name = gen_attribute(alias, "name");
  bool found = false;
  for (unsigned i = 0; i < count; i++) {
    Entry target = g_array_index(entries, Entry, i);
    const char *base = gen_attribute(target.instruction, "name");
    char *full = target.variant
                     ? g_strdup_printf("%s.%s", base, gen_attribute(target.variant, "name"))
                     : g_strdup(base);
    if (strcmp(full, of) == 0) {
      list_alias(gen, alias, &target, name, entries);
      found = true;
    } else if (target.variant && strcmp(base, of) == 0) {
      char *text = g_strdup_printf("%s.%s", name, gen_attribute(target.variant, "name"));
      list_alias(gen, alias, &target, text, entries);
      g_free(text);
      found = true;
    }
    g_free(full);
  }
  if (!found)
    gen_fail(gen, alias, "unknown instruction '%s'", of);
}

static void
encode_entry(Generator *gen, const Entry *entry) {
  const xmlNode *row = entry->variant ? entry->variant : entry->instruction;
  for (unsigned a = 0; a < gen->architectures->len; a++) {
    if (!gen_applies(gen, entry->instruction, a) || !gen_applies(gen, row, a) ||
        (entry->alias && !gen_applies(gen, entry->alias, a)))
      continue;
    unsigned index = a * gen->names->len + entry->name;
    if (g_array_index(gen->encoding_of, uint16_t, index) != NORN_ISA_NONE)
      gen_fail(gen, row, "'%s' is defined twice for architecture %s",
               gen_string(gen, g_array_index(gen->names, NornIsaName, entry->name).text),
               gen_attribute(gen->architectures->pdata[a], "name"));
    add_encoding(gen, a, entry);
  }
}

void
gen_encodings(Generator *gen) {
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  for (xmlNode *node = gen->root->children; node; node = node->next) {
    if (gen_is(node, "instruction"))
      list_instruction(gen, node, entries);
  }
  gen->instruction_count = gen->names->len;
  unsigned count = entries->len;
  for (xmlNode *node = gen->root->children; node; node = node->next) {
    if (gen_is(node, "alias"))
      list_aliases(gen, node, entries, count);
  }
  unsigned size = gen->architectures->len * gen->names->len;
  uint16_t none = NORN_ISA_NONE;
  for (unsigned i = 0; i < size; i++)
    g_array_append_val(gen->encoding_of, none);
  for (unsigned i = 0; i < entries->len; i++)
    encode_entry(gen, &g_array_index(entries, Entry, i));
  g_array_unref(entries);
}
