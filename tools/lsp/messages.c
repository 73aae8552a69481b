/* Messages of the protocol: a header with the length, then JSON. */
#include "lsp.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_HEADER 4096
#define LONGEST_BODY (64u << 20)

GQuark
lsp_error_quark(void) {
  return g_quark_from_static_string("lsp-error");
}

/* --- Reading --- */

/* A line of the header, without its end. */
static gboolean
read_header_line(FILE *in, char line[LONGEST_HEADER]) {
  gsize length = 0;
  int c;
  while ((c = getc(in)) != EOF && c != '\n') {
    if (length == LONGEST_HEADER - 1)
      return FALSE;
    line[length++] = (char)c;
  }
  line[length - (length && line[length - 1] == '\r')] = 0;
  return c != EOF;
}

/* Reads the header up to its empty line; only the length field is needed. */
static LspRead
read_header(FILE *in, gsize *length) {
  char line[LONGEST_HEADER];
  gboolean has_length = FALSE;
  guint64 number = 0;
  int first = getc(in);
  if (first == EOF)
    return LSP_READ_END;
  ungetc(first, in);
  for (;;) {
    if (!read_header_line(in, line))
      return LSP_READ_BROKEN;
    if (!*line)
      break;
    static const char field[] = "content-length:";
    if (g_ascii_strncasecmp(line, field, strlen(field)) != 0)
      continue;
    char *digits = g_strstrip(line + strlen(field));
    if (has_length || !g_ascii_string_to_unsigned(digits, 10, 0, LONGEST_BODY, &number, NULL))
      return LSP_READ_BROKEN;
    has_length = TRUE;
  }
  *length = (gsize)number;
  return has_length ? LSP_READ_MESSAGE : LSP_READ_BROKEN;
}

LspRead
lsp_read(FILE *in, char **body, gsize *length) {
  *body = NULL;
  LspRead status = read_header(in, length);
  if (status != LSP_READ_MESSAGE)
    return status;
  /* Grows as bytes arrive: a length by itself allocates nothing. */
  GString *text = g_string_new(NULL);
  char buffer[16384];
  while (text->len < *length) {
    gsize count = fread(buffer, 1, MIN(*length - text->len, sizeof buffer), in);
    if (!count)
      break;
    g_string_append_len(text, buffer, (gssize)count);
  }
  gboolean is_whole = text->len == *length;
  *body = g_string_free(text, !is_whole);
  return is_whole ? LSP_READ_MESSAGE : LSP_READ_BROKEN;
}

/* Whether a string in the JSON contains a zero byte: the parser would drop the rest of the
 * string. */
static gboolean
has_zero(const char *body, gsize length) {
  if (memchr(body, 0, length))
    return TRUE;
  for (const char *at = body; (at = strchr(at, '\\')); at += at[1] ? 2 : 1)
    if (!strncmp(at, "\\u0000", 6))
      return TRUE;
  return FALSE;
}

JsonNode *
lsp_parse(const char *body, gsize length, JsonParser **parser, GError **error) {
  *parser = json_parser_new();
  GError *cause = NULL;
  const char *problem = NULL;
  if (!g_utf8_validate_len(body, length, NULL))
    problem = has_zero(body, length) ? "a zero byte" : "not UTF-8";
  else if (has_zero(body, length))
    problem = "a zero byte in a string";
  else if (!tool_json_is_shallow(body, NULL))
    problem = "arrays and objects are nested too deeply";
  else if (!json_parser_load_from_data(*parser, body, (gssize)length, &cause))
    problem = cause->message;
  JsonNode *root = problem ? NULL : json_parser_get_root(*parser);
  if (!root)
    g_set_error(error, LSP_ERROR, LSP_PARSE_ERROR, "not JSON: %s", problem ? problem : "empty");
  g_clear_error(&cause);
  return root;
}

/* --- Members --- */

static JsonNode *
member(JsonObject *object, const char *name) {
  return object ? json_object_get_member(object, name) : NULL;
}

JsonObject *
lsp_object(JsonObject *object, const char *name) {
  JsonNode *node = member(object, name);
  return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

JsonArray *
lsp_array(JsonObject *object, const char *name) {
  JsonNode *node = member(object, name);
  return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

const char *
lsp_string(JsonObject *object, const char *name) {
  JsonNode *node = member(object, name);
  return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING
             ? json_node_get_string(node)
             : NULL;
}

gboolean
lsp_number(JsonObject *object, const char *name, gint64 minimum, gint64 maximum, gint64 *number) {
  JsonNode *node = member(object, name);
  if (!node || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64)
    return FALSE;
  *number = json_node_get_int(node);
  return *number >= minimum && *number <= maximum;
}

/* --- Writing --- */

static void
send_message(JsonNode *message) {
  g_autofree char *text = json_to_string(message, FALSE);
  printf("Content-Length: %" G_GSIZE_FORMAT "\r\n\r\n%s", strlen(text), text);
  fflush(stdout);
}

static JsonBuilder *
begin_message(void) {
  JsonBuilder *json = json_builder_new();
  json_builder_begin_object(json);
  tool_json_string(json, "jsonrpc", "2.0");
  return json;
}

static void
add_node(JsonBuilder *json, const char *name, JsonNode *node) {
  json_builder_set_member_name(json, name);
  if (node)
    json_builder_add_value(json, json_node_copy(node));
  else
    json_builder_add_null_value(json);
}

static void
end_message(JsonBuilder *json) {
  json_builder_end_object(json);
  g_autoptr(JsonNode) root = json_builder_get_root(json);
  send_message(root);
  g_object_unref(json);
}

void
lsp_reply(JsonNode *id, JsonNode *result) {
  JsonBuilder *json = begin_message();
  add_node(json, "id", id);
  add_node(json, "result", result);
  end_message(json);
}

void
lsp_reply_error(JsonNode *id, const GError *error) {
  JsonBuilder *json = begin_message();
  add_node(json, "id", id);
  tool_json_object(json, "error");
  tool_json_number(json, "code", error->code);
  tool_json_string(json, "message", error->message);
  json_builder_end_object(json);
  end_message(json);
}

void
lsp_notify(const char *method, JsonNode *params) {
  JsonBuilder *json = begin_message();
  tool_json_string(json, "method", method);
  add_node(json, "params", params);
  end_message(json);
}

static void
add_position(JsonBuilder *json, const char *name, const LspText *text, gsize offset,
             gboolean utf8) {
  gsize line, character;
  lsp_text_position(text, offset, utf8, &line, &character);
  tool_json_object(json, name);
  tool_json_number(json, "line", (gint64)line);
  tool_json_number(json, "character", (gint64)character);
  json_builder_end_object(json);
}

void
lsp_add_range(JsonBuilder *json, const LspServer *server, const LspDocument *document, gsize start,
              gsize end) {
  tool_json_object(json, "range");
  add_position(json, "start", &document->text, start, server->utf8);
  add_position(json, "end", &document->text, end, server->utf8);
  json_builder_end_object(json);
}
