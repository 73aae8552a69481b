/* Renaming. A name that already exists is refused, and so is one that would make a valid text
 * invalid. */
#include "lsp.h"

#include <string.h>

#define LONGEST_NAME 200

void
lsp_add_edit(JsonBuilder *json, const LspServer *server, const LspDocument *document, gsize start,
             gsize end, const char *text) {
  json_builder_begin_object(json);
  lsp_add_range(json, server, document, start, end);
  tool_json_string(json, "newText", text);
  json_builder_end_object(json);
}

/* The new name without the prefix of its kind, if it has that, or NULL if it is not a valid
 * name. */
static const char *
check_name(const LspName *name, const char *text) {
  char mark = name->kind == LSP_NAME_VALUE ? '%' : name->kind == LSP_NAME_FUNCTION ? '@' : 0;
  text += mark && *text == mark;
  gsize length = 0;
  while (lsp_is_word(text[length]))
    length++;
  gboolean is_number = name->kind != LSP_NAME_VALUE && g_ascii_isdigit(*text);
  return length && length <= LONGEST_NAME && !text[length] && !is_number ? text : NULL;
}

/* Whether something else of that kind has the name. */
static gboolean
is_taken(LspDocument *document, const LspName *name, const char *text) {
  GArray *names = lsp_names(document);
  gboolean is_local = name->kind == LSP_NAME_VALUE || name->kind == LSP_NAME_BLOCK;
  for (guint i = 0; i < names->len; i++) {
    const LspName *other = &g_array_index(names, LspName, i);
    if (other->kind == name->kind && (!is_local || other->scope == name->scope) &&
        other->length == strlen(text) &&
        !memcmp(document->text.bytes + other->start, text, other->length) &&
        !lsp_same_name(document, name, other))
      return TRUE;
  }
  return FALSE;
}

/* The document's text with the new name. */
static char *
renamed_text(LspDocument *document, const LspName *name, const char *text) {
  GArray *names = lsp_names(document);
  GString *out = g_string_new(NULL);
  gsize at = 0;
  for (guint i = 0; i < names->len; i++) {
    const LspName *other = &g_array_index(names, LspName, i);
    if (!lsp_same_name(document, name, other))
      continue;
    g_string_append_len(out, document->text.bytes + at, (gssize)(other->start - at));
    g_string_append(out, text);
    at = other->start + other->length;
  }
  g_string_append(out, document->text.bytes + at);
  return g_string_free(out, FALSE);
}

gboolean
lsp_rename(JsonBuilder *json, const LspServer *server, LspDocument *document, const LspName *name,
           const char *text, GError **error) {
  const char *wanted = check_name(name, text);
  const char *problem = NULL;
  if (!wanted)
    problem = "a name must consist of letters, digits and '_'";
  else if (!lsp_definition(document, name))
    problem = "the name is not defined in this text";
  else if (is_taken(document, name, wanted))
    problem = "the new name is already in use";
  if (!problem && lsp_is_right(server, document, NULL)) {
    g_autofree char *after = renamed_text(document, name, wanted);
    if (!lsp_is_right(server, document, after))
      problem = "renaming would make the text invalid";
  }
  if (problem) {
    g_set_error(error, LSP_ERROR, LSP_REQUEST_FAILED, "%s", problem);
    return FALSE;
  }
  json_builder_begin_array(json);
  GArray *names = lsp_names(document);
  for (guint i = 0; i < names->len; i++) {
    const LspName *other = &g_array_index(names, LspName, i);
    if (lsp_same_name(document, name, other))
      lsp_add_edit(json, server, document, other->start, other->start + other->length, wanted);
  }
  json_builder_end_array(json);
  return TRUE;
}
