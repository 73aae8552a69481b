/* Requests and notifications, by their method. */
#include "lsp.h"

#include <string.h>

#define MAX_POSITION G_MAXINT32 /* the greatest "uinteger" of the protocol */

/* --- Parameters --- */

static gboolean
refuse_params(const char *expected, GError **error) {
  g_set_error(error, LSP_ERROR, LSP_INVALID_PARAMS, "expected %s", expected);
  return FALSE;
}

static LspDocument *
find_document(LspServer *server, JsonObject *params, GError **error) {
  const char *uri = lsp_string(lsp_object(params, "textDocument"), "uri");
  LspDocument *document = uri ? g_hash_table_lookup(server->documents, uri) : NULL;
  if (!uri)
    refuse_params("textDocument.uri", error);
  else if (!document)
    refuse_params("an open document", error);
  return document;
}

/* The byte at the position in the member `name`. */
static gboolean
find_position(const LspServer *server, const LspDocument *document, JsonObject *object,
              const char *name, gsize *offset, GError **error) {
  JsonObject *position = lsp_object(object, name);
  gint64 line, character;
  if (!lsp_number(position, "line", 0, MAX_POSITION, &line) ||
      !lsp_number(position, "character", 0, MAX_POSITION, &character))
    return refuse_params("a position with line and character", error);
  *offset = lsp_text_offset(&document->text, (guint64)line, (guint64)character, server->utf8);
  return TRUE;
}

/* The document and the name that a request refers to; *name is NULL if there is none. */
static gboolean
find_name(LspServer *server, JsonObject *params, LspDocument **document, const LspName **name,
          GError **error) {
  gsize offset;
  *document = find_document(server, params, error);
  if (!*document || !find_position(server, *document, params, "position", &offset, error))
    return FALSE;
  *name = lsp_name_at(*document, offset);
  return TRUE;
}

/* --- The life cycle of a server --- */

/* Whether the client supports positions that are counted in bytes. */
static gboolean
offers_utf8(JsonObject *params) {
  JsonObject *general = lsp_object(lsp_object(params, "capabilities"), "general");
  JsonArray *encodings = lsp_array(general, "positionEncodings");
  for (guint i = 0; encodings && i < json_array_get_length(encodings); i++) {
    JsonNode *node = json_array_get_element(encodings, i);
    if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING &&
        !strcmp(json_node_get_string(node), "utf-8"))
      return TRUE;
  }
  return FALSE;
}

static gboolean
initialize(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  if (server->is_initialized) {
    g_set_error(error, LSP_ERROR, LSP_INVALID_REQUEST, "already initialized");
    return FALSE;
  }
  server->is_initialized = TRUE;
  server->utf8 = offers_utf8(params);
  json_builder_begin_object(json);
  tool_json_object(json, "capabilities");
  tool_json_string(json, "positionEncoding", server->utf8 ? "utf-8" : "utf-16");
  tool_json_object(json, "textDocumentSync");
  tool_json_flag(json, "openClose", TRUE);
  tool_json_number(json, "change", 2); /* changes of parts of the text */
  json_builder_end_object(json);
  tool_json_flag(json, "hoverProvider", TRUE);
  tool_json_flag(json, "definitionProvider", TRUE);
  tool_json_flag(json, "referencesProvider", TRUE);
  tool_json_object(json, "renameProvider");
  tool_json_flag(json, "prepareProvider", TRUE);
  json_builder_end_object(json);
  tool_json_flag(json, "documentFormattingProvider", TRUE);
  tool_json_object(json, "completionProvider");
  tool_json_array(json, "triggerCharacters");
  json_builder_add_string_value(json, ".");
  json_builder_add_string_value(json, "%");
  json_builder_add_string_value(json, "@");
  json_builder_end_array(json);
  json_builder_end_object(json);
  json_builder_end_object(json);
  tool_json_object(json, "serverInfo");
  tool_json_string(json, "name", "norn");
  tool_json_string(json, "version", NORN_VERSION);
  json_builder_end_object(json);
  json_builder_end_object(json);
  return TRUE;
}

static gboolean
shut_down(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  (void)params, (void)json, (void)error;
  server->is_shut_down = TRUE;
  return TRUE;
}

/* --- Documents --- */

static gboolean
is_assembly(const char *language, const char *uri) {
  if (language && !strcmp(language, "norn"))
    return FALSE;
  return (language && !strcmp(language, "nornasm")) || g_str_has_suffix(uri, ".s");
}

static void
set_text(LspDocument *document, char *text) {
  lsp_text_init(&document->text, text);
  if (document->names)
    g_array_unref(document->names);
  document->names = NULL;
}

static gboolean
open_document(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  (void)json;
  JsonObject *item = lsp_object(params, "textDocument");
  const char *uri = lsp_string(item, "uri"), *text = lsp_string(item, "text");
  if (!uri || !text)
    return refuse_params("textDocument with uri and text", error);
  LspDocument *document = g_new0(LspDocument, 1);
  document->uri = g_strdup(uri);
  document->is_assembly = is_assembly(lsp_string(item, "languageId"), uri);
  document->has_version = lsp_number(item, "version", G_MININT64, G_MAXINT64, &document->version);
  set_text(document, g_strdup(text));
  g_hash_table_replace(server->documents, document->uri, document);
  lsp_publish(server, document, FALSE);
  return TRUE;
}

/* Applies one change: of a range, or of the whole text. */
static gboolean
change_text(const LspServer *server, LspDocument *document, JsonObject *change, GError **error) {
  const char *text = lsp_string(change, "text");
  if (!text)
    return refuse_params("a change with text", error);
  if (!json_object_has_member(change, "range")) {
    lsp_text_clear(&document->text);
    set_text(document, g_strdup(text));
    return TRUE;
  }
  JsonObject *range = lsp_object(change, "range");
  gsize start, end;
  if (!find_position(server, document, range, "start", &start, error) ||
      !find_position(server, document, range, "end", &end, error))
    return FALSE;
  if (end < start)
    return refuse_params("a range that does not end before it starts", error);
  const char *old = document->text.bytes;
  GString *changed = g_string_new_len(old, (gssize)start);
  g_string_append(changed, text);
  g_string_append(changed, old + end);
  lsp_text_clear(&document->text);
  set_text(document, g_string_free(changed, FALSE));
  return TRUE;
}

static gboolean
change_document(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  (void)json;
  LspDocument *document = find_document(server, params, error);
  JsonArray *changes = lsp_array(params, "contentChanges");
  if (!document)
    return FALSE;
  if (!changes)
    return refuse_params("contentChanges", error);
  for (guint i = 0; i < json_array_get_length(changes); i++) {
    JsonNode *change = json_array_get_element(changes, i);
    if (!JSON_NODE_HOLDS_OBJECT(change))
      return refuse_params("changes as objects", error);
    if (!change_text(server, document, json_node_get_object(change), error))
      return FALSE;
  }
  document->has_version = lsp_number(lsp_object(params, "textDocument"), "version", G_MININT64,
                                     G_MAXINT64, &document->version);
  lsp_publish(server, document, FALSE);
  return TRUE;
}

static gboolean
close_document(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  (void)json;
  LspDocument *document = find_document(server, params, error);
  if (!document)
    return FALSE;
  lsp_publish(server, document, TRUE);
  g_hash_table_remove(server->documents, document->uri);
  return TRUE;
}

/* --- Queries --- */

static gboolean
hover(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  LspDocument *document;
  const LspName *name;
  if (!find_name(server, params, &document, &name, error))
    return FALSE;
  g_autofree char *text = name ? lsp_hover(server, document, name) : NULL;
  if (!text)
    return TRUE;
  json_builder_begin_object(json);
  tool_json_object(json, "contents");
  tool_json_string(json, "kind", "markdown");
  tool_json_string(json, "value", text);
  json_builder_end_object(json);
  lsp_add_range(json, server, document, name->start, name->start + name->length);
  json_builder_end_object(json);
  return TRUE;
}

static void
add_location(JsonBuilder *json, const LspServer *server, const LspDocument *document,
             const LspName *name) {
  json_builder_begin_object(json);
  tool_json_string(json, "uri", document->uri);
  lsp_add_range(json, server, document, name->start, name->start + name->length);
  json_builder_end_object(json);
}

static gboolean
definition(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  LspDocument *document;
  const LspName *name;
  if (!find_name(server, params, &document, &name, error))
    return FALSE;
  const LspName *found = name ? lsp_definition(document, name) : NULL;
  if (found)
    add_location(json, server, document, found);
  return TRUE;
}

static gboolean
references(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  LspDocument *document;
  const LspName *name;
  if (!find_name(server, params, &document, &name, error))
    return FALSE;
  JsonObject *context = lsp_object(params, "context");
  JsonNode *wanted = context ? json_object_get_member(context, "includeDeclaration") : NULL;
  gboolean with_definition = wanted && JSON_NODE_HOLDS_VALUE(wanted) &&
                             json_node_get_value_type(wanted) == G_TYPE_BOOLEAN &&
                             json_node_get_boolean(wanted);
  GArray *names = lsp_names(document);
  json_builder_begin_array(json);
  for (guint i = 0; name && i < names->len; i++) {
    const LspName *other = &g_array_index(names, LspName, i);
    if (lsp_same_name(document, name, other) && (with_definition || !other->is_definition))
      add_location(json, server, document, other);
  }
  json_builder_end_array(json);
  return TRUE;
}

static gboolean
prepare_rename(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  LspDocument *document;
  const LspName *name;
  if (!find_name(server, params, &document, &name, error))
    return FALSE;
  if (!name || !lsp_definition(document, name))
    return TRUE;
  g_autofree char *text = g_strndup(document->text.bytes + name->start, name->length);
  json_builder_begin_object(json);
  lsp_add_range(json, server, document, name->start, name->start + name->length);
  tool_json_string(json, "placeholder", text);
  json_builder_end_object(json);
  return TRUE;
}

static gboolean
rename_name(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  LspDocument *document;
  const LspName *name;
  const char *text = lsp_string(params, "newName");
  if (!find_name(server, params, &document, &name, error))
    return FALSE;
  if (!text)
    return refuse_params("newName", error);
  if (!name) {
    g_set_error(error, LSP_ERROR, LSP_REQUEST_FAILED, "no name at this position");
    return FALSE;
  }
  json_builder_begin_object(json);
  tool_json_object(json, "changes");
  json_builder_set_member_name(json, document->uri);
  if (!lsp_rename(json, server, document, name, text, error))
    return FALSE;
  json_builder_end_object(json);
  json_builder_end_object(json);
  return TRUE;
}

static gboolean
format(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  LspDocument *document = find_document(server, params, error);
  if (!document)
    return FALSE;
  lsp_format(json, server, document);
  return TRUE;
}

static gboolean
complete(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error) {
  gsize offset;
  LspDocument *document = find_document(server, params, error);
  if (!document || !find_position(server, document, params, "position", &offset, error))
    return FALSE;
  lsp_complete(json, server, document, offset);
  return TRUE;
}

/* --- Dispatch --- */

/* A handler of a request adds one value, the result, or nothing for null; a handler of a
 * notification adds nothing. */
typedef struct Method {
  const char *name;
  gboolean is_request;
  gboolean (*handle)(LspServer *server, JsonObject *params, JsonBuilder *json, GError **error);
} Method;

static const Method methods[] = {
    {"initialize", TRUE, initialize},
    {"shutdown", TRUE, shut_down},
    {"textDocument/didOpen", FALSE, open_document},
    {"textDocument/didChange", FALSE, change_document},
    {"textDocument/didClose", FALSE, close_document},
    {"textDocument/hover", TRUE, hover},
    {"textDocument/definition", TRUE, definition},
    {"textDocument/references", TRUE, references},
    {"textDocument/prepareRename", TRUE, prepare_rename},
    {"textDocument/rename", TRUE, rename_name},
    {"textDocument/formatting", TRUE, format},
    {"textDocument/completion", TRUE, complete},
};

static const Method *
find_method(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(methods); i++)
    if (!strcmp(methods[i].name, name))
      return &methods[i];
  return NULL;
}

/* Runs the method of a request or notification; adds the result. */
static gboolean
call(LspServer *server, const char *name, gboolean is_request, JsonObject *params,
     JsonBuilder *json, GError **error) {
  const Method *method = find_method(name);
  if (server->is_shut_down)
    g_set_error(error, LSP_ERROR, LSP_INVALID_REQUEST, "the server is shut down");
  else if (!server->is_initialized && strcmp(name, "initialize") != 0)
    g_set_error(error, LSP_ERROR, LSP_NOT_INITIALIZED, "expected the request initialize first");
  else if (!method || method->is_request != is_request)
    g_set_error(error, LSP_ERROR, LSP_METHOD_NOT_FOUND, "unknown %s '%.100s'",
                is_request ? "request" : "notification", name);
  else
    return method->handle(server, params, json, error);
  return FALSE;
}

/* Whether the value is a valid request id: a number or a string. */
static gboolean
is_id(JsonNode *id) {
  return JSON_NODE_HOLDS_VALUE(id) && (json_node_get_value_type(id) == G_TYPE_INT64 ||
                                       json_node_get_value_type(id) == G_TYPE_STRING);
}

static void
refuse_message(JsonNode *id, const char *expected) {
  g_autoptr(GError) error = g_error_new(LSP_ERROR, LSP_INVALID_REQUEST, "expected %s", expected);
  lsp_reply_error(id, error);
}

gboolean
lsp_handle(LspServer *server, JsonNode *message) {
  if (!JSON_NODE_HOLDS_OBJECT(message)) {
    refuse_message(NULL, "an object");
    return TRUE;
  }
  JsonObject *object = json_node_get_object(message);
  JsonNode *id = json_object_get_member(object, "id");
  const char *name = lsp_string(object, "method");
  if (id && !is_id(id)) {
    refuse_message(NULL, "a number or a string as id");
    return TRUE;
  }
  if (!name) {
    /* A response to a request: the server sends none. */
    if (!json_object_has_member(object, "result") && !json_object_has_member(object, "error"))
      refuse_message(id, "a method");
    return TRUE;
  }
  if (!id && !strcmp(name, "exit"))
    return FALSE;
  GError *error = NULL;
  g_autoptr(JsonBuilder) json = json_builder_new();
  gboolean done = call(server, name, id != NULL, lsp_object(object, "params"), json, &error);
  g_autoptr(JsonNode) result = done && id ? json_builder_get_root(json) : NULL;
  /* Notifications get no response. */
  if (id && done)
    lsp_reply(id, result);
  else if (id)
    lsp_reply_error(id, error);
  g_clear_error(&error);
  return TRUE;
}
