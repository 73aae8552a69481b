/* dictionary ir|assembly|xml [SCHEMA]: the words of a language in the format of libFuzzer and
 * AFL++: IR text, the assembly of all instruction sets, or the descriptions of instruction sets. */
#include "ir/ops.h"
#include "isa/isa.h"
#include <norn/norn.h>
#include <stdio.h>
#include <string.h>

static void
add(GHashTable *words, const char *word) {
  if (word && *word)
    g_hash_table_add(words, g_strdup(word));
}

static void
add_parts(GHashTable *words, const char *text, const char *separators) {
  g_auto(GStrv) parts = g_strsplit_set(text, separators, -1);
  for (char **part = parts; *part; part++)
    add(words, *part);
}

static void
add_ir(GHashTable *words) {
  add_parts(words,
            "shader function target workgroup( grid( shared( scratch( denormals( rounding( "
            "early_tests by_sample fau data "
            "entry: %a @f -> : = , ; { } true false nan inf 0x 0x7fffffff",
            " ");
  for (unsigned op = 1; op < NORN_OP_COUNT; op++) {
    add(words, norn_op_name((NornOp)op));
    g_autofree char *syntax = norn_op_syntax((NornOp)op);
    add_parts(words, syntax, " ,=");
  }
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++)
    add(words, norn_types[type].name);
  for (unsigned k = 0; k < NORN_MODIFIER_COUNT; k++)
    for (unsigned i = 0; i < norn_modifiers[k].count; i++)
      add(words, norn_modifiers[k].texts[i]);
  for (unsigned k = 0; k < NORN_IMMEDIATE_COUNT; k++)
    add(words, norn_immediates[k].name);
  for (unsigned k = 0; k < NORN_INST_FLAG_COUNT; k++)
    add(words, norn_inst_flags[k].name);
  for (unsigned k = 0; k < NORN_STAGE_COUNT; k++)
    add(words, norn_stage_name((NornShaderStage)k));
}

static void
add_isa(GHashTable *words, const NornIsa *isa) {
  for (unsigned i = 0; i < norn_isa_instruction_count(isa); i++)
    add(words, norn_isa_instruction_name(isa, i));
  for (unsigned i = 0; i <= isa->token_mask; i++)
    if (isa->tokens[i].text)
      add(words, norn_isa_string(isa, isa->tokens[i].text));
}

static void
add_assembly(GHashTable *words) {
  const NornIsa *isa;
  for (unsigned i = 0; (isa = norn_isa_at(i)); i++)
    add_isa(words, isa);
}

static void
start_element(GMarkupParseContext *context, const char *element, const char **names,
              const char **values, gpointer data, GError **error) {
  (void)context;
  (void)error;
  gboolean is_named = !strcmp(element, "element") || !strcmp(element, "attribute");
  for (; is_named && *names; names++, values++)
    if (!strcmp(*names, "name")) {
      g_autofree char *attribute = g_strdup_printf("%s=\"", *values);
      g_autofree char *tag = g_strdup_printf("<%s", *values);
      add(data, *element == 'a' ? attribute : tag);
    }
}

static void
take_text(GMarkupParseContext *context, const char *text, gsize length, gpointer data,
          GError **error) {
  (void)error;
  g_autofree char *word = g_strndup(text, length);
  if (!strcmp(g_markup_parse_context_get_element(context), "value"))
    add(data, word);
}

/* Elements, attributes and values in the schema. */
static gboolean
add_schema(GHashTable *words, const char *path) {
  const GMarkupParser parser = {.start_element = start_element, .text = take_text};
  g_autofree char *text = NULL;
  gsize length;
  if (!g_file_get_contents(path, &text, &length, NULL))
    return FALSE;
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, words, NULL);
  gboolean done = g_markup_parse_context_parse(context, text, (gssize)length, NULL);
  g_markup_parse_context_free(context);
  return done;
}

static gint
compare_words(gconstpointer a, gconstpointer b) {
  return strcmp(a, b);
}

static void
print_word(gpointer data, gpointer user_data) {
  (void)user_data;
  putchar('"');
  for (const char *c = data; *c; c++)
    if (*c == '"' || *c == '\\')
      printf("\\%c", *c);
    else if (g_ascii_isprint(*c))
      putchar(*c);
    else
      printf("\\x%02X", (guint8)*c);
  puts("\"");
}

int
main(int argc, char **argv) {
  const char *language = argc > 1 ? argv[1] : "";
  GHashTable *words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  gboolean known = TRUE;
  if (!strcmp(language, "ir"))
    add_ir(words);
  else if (!strcmp(language, "assembly"))
    add_assembly(words);
  else
    known = !strcmp(language, "xml") && argc > 2 && add_schema(words, argv[2]);
  g_autoptr(GList) sorted = g_list_sort(g_hash_table_get_keys(words), compare_words);
  g_list_foreach(sorted, print_word, NULL);
  g_hash_table_unref(words);
  if (!known)
    fprintf(stderr, "usage: dictionary ir|assembly|xml [SCHEMA]\n");
  return known ? 0 : 2;
}
