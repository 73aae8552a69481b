/* Diagnostics of a document: all errors that the parser, the verifier or the assembler finds. */
#include "lsp.h"

#include <string.h>

/* The name of the text in messages, with which their places begin. */
#define DOCUMENT "document"

static gboolean
check_module(const char *text, GError **error) {
  g_autoptr(NornModule) module = norn_module_parse(text, strlen(text), DOCUMENT, error);
  return module && norn_module_verify(module, error);
}

static gboolean
check_assembly(const LspServer *server, const char *text, GError **error) {
  const NornIsaAssembleOptions options = {.architecture = server->architecture};
  g_autoptr(GBytes) code =
      norn_isa_assemble(server->isa, text, strlen(text), DOCUMENT, &options, error);
  return code != NULL;
}

static gboolean
check(const LspServer *server, const LspDocument *document, const char *text, GError **error) {
  return document->is_assembly ? check_assembly(server, text, error) : check_module(text, error);
}

gboolean
lsp_is_right(const LspServer *server, const LspDocument *document, const char *text) {
  return check(server, document, text ? text : document->text.bytes, NULL);
}

/* The positions of the lines in messages: the lines of a text as the parsers count them. */
typedef struct Places {
  const LspText *text;
  GArray *lines; /* gsize */
} Places;

static Places
places_of(const LspText *text) {
  static const char mark[] = "\xEF\xBB\xBF";
  Places places = {text, g_array_new(FALSE, FALSE, sizeof(gsize))};
  /* Columns of the first line are counted from after a byte-order mark. */
  gsize start = g_str_has_prefix(text->bytes, mark) ? strlen(mark) : 0;
  g_array_append_val(places.lines, start);
  for (const char *at = text->bytes; (at = strchr(at, '\n'));) {
    start = (gsize)(++at - text->bytes);
    g_array_append_val(places.lines, start);
  }
  return places;
}

/* The byte for a place in a message; never in the middle of a character. */
static gsize
offset_of_place(const Places *places, const ToolPlace *place) {
  const char *bytes = places->text->bytes;
  gsize last = places->lines->len - 1;
  gsize line = place->line ? (gsize)MIN(place->line - 1, last) : 0;
  gsize start = g_array_index(places->lines, gsize, line);
  gsize length = strcspn(bytes + start, "\n");
  gsize offset = start + (place->column ? (gsize)MIN(place->column - 1, length) : 0);
  while (offset > start && (bytes[offset] & 0xC0) == 0x80)
    offset--;
  return offset;
}

/* The end of the word, or of the single character, at a byte. */
static gsize
end_of_word(const LspText *text, gsize offset) {
  gsize end = offset;
  if (text->bytes[end] == '%' || text->bytes[end] == '@')
    end++;
  while (lsp_is_word(text->bytes[end]) || (end > offset && text->bytes[end] == '.'))
    end++;
  char c = text->bytes[offset];
  if (end == offset && c && c != '\n' && c != '\r')
    end = (gsize)(g_utf8_next_char(text->bytes + end) - text->bytes);
  return end;
}

static void
add_diagnostic(JsonBuilder *json, const LspServer *server, const LspDocument *document, gsize start,
               const char *message) {
  json_builder_begin_object(json);
  lsp_add_range(json, server, document, start, end_of_word(&document->text, start));
  tool_json_number(json, "severity", 1);
  tool_json_string(json, "source", "norn");
  tool_json_string(json, "message", message);
  json_builder_end_object(json);
}

/* One diagnostic for each line of an error; continuation lines are part of its text. */
static void
add_diagnostics(JsonBuilder *json, const LspServer *server, const LspDocument *document,
                const char *message) {
  Places places = places_of(&document->text);
  g_auto(GStrv) lines = g_strsplit(message, "\n", -1);
  for (char **line = lines; *line;) {
    ToolPlace place = tool_read_place(*line++);
    gboolean is_ours = !g_strcmp0(place.file, DOCUMENT);
    GString *text = g_string_new(is_ours ? place.text : line[-1]);
    for (; *line && g_ascii_isspace(**line); line++)
      g_string_append_printf(text, "\n%s", *line);
    add_diagnostic(json, server, document, is_ours ? offset_of_place(&places, &place) : 0,
                   text->str);
    g_string_free(text, TRUE);
    g_free(place.file);
  }
  g_array_unref(places.lines);
}

void
lsp_publish(const LspServer *server, const LspDocument *document, gboolean is_closed) {
  GError *error = NULL;
  g_autoptr(JsonBuilder) json = json_builder_new();
  json_builder_begin_object(json);
  tool_json_string(json, "uri", document->uri);
  if (document->has_version && !is_closed)
    tool_json_number(json, "version", document->version);
  tool_json_array(json, "diagnostics");
  if (!is_closed && !check(server, document, document->text.bytes, &error)) {
    add_diagnostics(json, server, document, error->message);
    g_error_free(error);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
  g_autoptr(JsonNode) params = json_builder_get_root(json);
  lsp_notify("textDocument/publishDiagnostics", params);
}
