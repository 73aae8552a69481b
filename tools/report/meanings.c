/* Short descriptions of the operations and instructions in a report. */
#include "common/json.h"
#include "report/report.h"

#include <string.h>

/* --- Operations --- */

/* Adds the description of the operation that a line of IR begins with, after its results.
 * Mnemonics have suffixes: the longest prefix that is an operation's name counts. */
static void
add_operation(GHashTable *all, GHashTable *found, const char *line) {
  const char *equals = strstr(line, " = ");
  const char *start = equals ? equals + strlen(" = ") : line + strspn(line, " ");
  g_autofree char *name = g_strndup(start, strcspn(start, " ;"));
  gpointer meaning = g_hash_table_lookup(all, name);
  for (char *dot; !meaning && (dot = strrchr(name, '.')); meaning = g_hash_table_lookup(all, name))
    *dot = 0;
  if (meaning)
    g_hash_table_insert(found, g_strdup(name), meaning);
}

static void
add_operations(GHashTable *all, GHashTable *found, const ReportText *text) {
  for (guint i = 0; text->lines && i < text->lines->len; i++)
    add_operation(all, found, text->lines->pdata[i]);
}

static int
compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(a, b);
}

/* The entries by name, so that the same shader always gives the same page. */
static void
build_table(JsonBuilder *json, GHashTable *table) {
  g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(table), compare_names);
  for (GList *at = names; at; at = at->next)
    tool_json_string(json, at->data, g_hash_table_lookup(table, at->data));
}

void
report_build_operations(JsonBuilder *json, const ReportShader *shader) {
  g_autoptr(GHashTable) all = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GHashTable) found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (unsigned op = 1; op < NORN_OP_COUNT; op++)
    g_hash_table_insert(all, (gpointer)norn_op_name((NornOp)op),
                        (gpointer)norn_op_meaning((NornOp)op));
  add_operations(all, found, &shader->text);
  for (guint i = 0; i < shader->compilations->len; i++) {
    const ReportCompilation *compilation = shader->compilations->pdata[i];
    for (guint k = 0; k < compilation->programs->len; k++)
      add_operations(all, found,
                     &((ReportProgram *)compilation->programs->pdata[k])->stages[REPORT_OPTIMIZED]);
  }
  tool_json_object(json, "operations");
  build_table(json, found);
  json_builder_end_object(json);
}

/* --- Instructions --- */

const char *
report_instruction_name(const NornIsa *isa, unsigned architecture, const guint8 *word) {
  NornIsaDecoded decoded;
  guint64 bits = 0;
  for (unsigned i = norn_isa_word_bytes(isa); i--;)
    bits = bits << 8 | word[i];
  return norn_isa_unpack(isa, architecture, bits, &decoded)
             ? norn_isa_instruction_name(isa, norn_isa_decoded_instruction(&decoded))
             : NULL;
}

/* The title of an instruction: its description begins with the name, blanks, and the title. */
static char *
find_title(const NornIsa *isa, unsigned architecture, const char *name) {
  g_autofree char *text = norn_isa_describe(isa, (int)architecture, name);
  if (!text || !g_str_has_prefix(text, name))
    return NULL;
  const char *title = text + strlen(name) + strspn(text + strlen(name), " ");
  return g_strndup(title, strcspn(title, "\n"));
}

void
report_build_titles(JsonBuilder *json, const NornIsa *isa, unsigned architecture,
                    const guint8 *code, guint count) {
  g_autoptr(GHashTable) titles = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  unsigned bytes = norn_isa_word_bytes(isa);
  for (guint i = 0; i < count; i++) {
    const char *name = report_instruction_name(isa, architecture, code + (gsize)i * bytes);
    char *title =
        name && !g_hash_table_contains(titles, name) ? find_title(isa, architecture, name) : NULL;
    if (title)
      g_hash_table_insert(titles, (gpointer)name, title);
  }
  tool_json_object(json, "titles");
  build_table(json, titles);
  json_builder_end_object(json);
}
