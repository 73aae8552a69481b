/* Prints the hash tables that the assembler uses to look up names: tokens and mnemonics. They are
 * at most half full and use linear probing. */
#include "isa/gen/gen.h"
#include <string.h>

static unsigned
table_size(unsigned count) {
  unsigned size = 16;
  while (size < count * 2)
    size *= 2;
  return size;
}

static uint32_t
hash_text(const Generator *gen, NornIsaText text) {
  const char *string = gen_string(gen, text);
  return norn_isa_hash(string, strlen(string));
}

unsigned
gen_emit_tokens(Generator *gen, GString *out) {
  GArray *tokens, *meanings;
  gen_tokens(gen, &tokens, &meanings);
  unsigned size = table_size(tokens->len);
  NornIsaToken *table = g_new0(NornIsaToken, size);
  for (unsigned i = 0; i < tokens->len; i++) {
    const NornIsaToken *token = &g_array_index(tokens, NornIsaToken, i);
    unsigned bucket = hash_text(gen, token->text) & (size - 1);
    while (table[bucket].text)
      bucket = (bucket + 1) & (size - 1);
    table[bucket] = *token;
    table[bucket].hash = hash_text(gen, token->text);
  }
  g_string_append(out, "static const NornIsaToken tokens[] = {\n");
  for (unsigned i = 0; i < size; i++) {
    const NornIsaToken *t = &table[i];
    g_string_append_printf(out, "{%u,%uu,%u,%u},%s", t->text, t->hash, t->first, t->count,
                           i % 8 == 7 ? "\n" : "");
  }
  g_string_append(out, "};\nstatic const NornIsaMeaning meanings[] = {\n");
  for (unsigned i = 0; i < meanings->len; i++) {
    const NornIsaMeaning *meaning = &g_array_index(meanings, NornIsaMeaning, i);
    g_string_append_printf(out, "{%u,%u,%u,%u},%s", meaning->owner, meaning->since, meaning->until,
                           meaning->code, i % 8 == 7 ? "\n" : "");
  }
  g_string_append(out, "{0}};\n");
  g_free(table);
  g_array_unref(tokens);
  g_array_unref(meanings);
  return size;
}

/* Marks the instructions and aliases that are called `wanted` in any syntax. */
static void
mark_called(const Generator *gen, const char *wanted, bool *called) {
  for (unsigned i = 0; i < gen->names->len; i++)
    called[i] = g_ascii_strcasecmp(gen_string(gen, g_array_index(gen->names, NornIsaName, i).text),
                                   wanted) == 0;
  for (unsigned i = 0; i < gen->encodings->len; i++) {
    const NornIsaEncoding *encoding = &g_array_index(gen->encodings, GenEncoding, i).encoding;
    if (encoding->name < gen->instruction_count && !called[encoding->name])
      called[encoding->name] =
          g_ascii_strcasecmp(gen_string(gen, encoding->mnemonic), wanted) == 0 ||
          g_ascii_strcasecmp(gen_string(gen, encoding->alternate), wanted) == 0;
  }
}

/* Lists what a mnemonic can be, in the order to try them: aliases that require words, the
 * instruction, other aliases. */
static void
list_names(const Generator *gen, NornIsaText text, GArray *list) {
  g_autofree bool *called = g_new0(bool, gen->names->len);
  mark_called(gen, gen_string(gen, text), called);
  for (unsigned rank = 0; rank < 3; rank++) {
    for (uint16_t i = 0; i < gen->names->len; i++) {
      const NornIsaName *name = &g_array_index(gen->names, NornIsaName, i);
      bool alias = i >= gen->instruction_count;
      if (called[i] && rank == (name->with_count ? 0u : alias ? 2u : 1u))
        g_array_append_val(list, i);
    }
  }
}

static void
insert_mnemonic(const Generator *gen, NornIsaMnemonic *table, unsigned size, NornIsaText text,
                GArray *lists) {
  const char *string = gen_string(gen, text);
  unsigned bucket = hash_text(gen, text) & (size - 1);
  for (; table[bucket].text; bucket = (bucket + 1) & (size - 1)) {
    if (g_ascii_strcasecmp(gen_string(gen, table[bucket].text), string) == 0)
      return;
  }
  table[bucket].text = text;
  table[bucket].hash = hash_text(gen, text);
  table[bucket].first = (uint16_t)lists->len;
  list_names(gen, text, lists);
  table[bucket].count = (uint16_t)(lists->len - table[bucket].first);
}

unsigned
gen_emit_mnemonics(Generator *gen, GString *out) {
  GHashTable *texts = g_hash_table_new(NULL, NULL);
  for (unsigned i = 0; i < gen->names->len; i++)
    g_hash_table_add(texts, GUINT_TO_POINTER(g_array_index(gen->names, NornIsaName, i).text));
  for (unsigned i = 0; i < gen->encodings->len; i++) {
    const NornIsaEncoding *encoding = &g_array_index(gen->encodings, GenEncoding, i).encoding;
    g_hash_table_add(texts, GUINT_TO_POINTER(encoding->mnemonic));
    g_hash_table_add(texts, GUINT_TO_POINTER(encoding->alternate));
  }
  unsigned size = table_size(g_hash_table_size(texts));
  g_hash_table_unref(texts);
  NornIsaMnemonic *table = g_new0(NornIsaMnemonic, size);
  GArray *lists = g_array_new(FALSE, FALSE, sizeof(uint16_t));
  for (unsigned i = 0; i < gen->names->len; i++)
    insert_mnemonic(gen, table, size, g_array_index(gen->names, NornIsaName, i).text, lists);
  for (unsigned i = 0; i < gen->encodings->len; i++) {
    const NornIsaEncoding *encoding = &g_array_index(gen->encodings, GenEncoding, i).encoding;
    insert_mnemonic(gen, table, size, encoding->mnemonic, lists);
    insert_mnemonic(gen, table, size, encoding->alternate, lists);
  }
  g_string_append(out, "static const NornIsaMnemonic mnemonics[] = {\n");
  for (unsigned i = 0; i < size; i++)
    g_string_append_printf(out, "{%u,%uu,%u,%u},%s", table[i].text, table[i].hash, table[i].first,
                           table[i].count, i % 8 == 7 ? "\n" : "");
  g_string_append(out, "};\n");
  gen_emit_numbers(out, "uint16_t", "name_lists", lists);
  g_array_unref(lists);
  g_free(table);
  return size;
}
