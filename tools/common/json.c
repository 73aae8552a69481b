/* Reading JSON files that the command accepts. */
#include "common/json.h"
#include "tool.h"

#include <string.h>

/* The parser accepts several values one after the other. */
static gboolean
check_rest(const char *path, const char *text, const char *rest, GError **error) {
  while (rest && g_ascii_isspace(*rest))
    rest++;
  if (!rest || !*rest || !(strchr("[{\"'", *rest) || g_ascii_isalnum(*rest)))
    return TRUE;
  guint line, column;
  tool_find_place(text, rest, &line, &column);
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s:%u:%u: expected the end of the file, found '%c'", tool_input_name(path), line,
              column, *rest);
  return FALSE;
}

gboolean
tool_json_parse(JsonParser *parser, const char *path, const char *text, GError **error) {
  static const char place[] = "<data>:"; /* followed by the place in the text */
  g_autoptr(GError) wrong = NULL;
  const char *rest = NULL;
  if (tool_json_is_shallow(text, &rest) && json_parser_load_from_data(parser, text, -1, &wrong))
    return check_rest(path, text, rest, error);
  gboolean has_place = wrong && g_str_has_prefix(wrong->message, place);
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s:%s%s", tool_input_name(path),
              has_place ? "" : " ",
              has_place ? wrong->message + strlen(place)
              : wrong   ? wrong->message
                        : "arrays and objects are nested too deeply");
  return FALSE;
}

JsonObject *
tool_json_load(const char *path, const char *as, JsonParser **parser, GError **error) {
  g_autofree char *text = tool_read_string(path, error);
  *parser = NULL;
  if (!text)
    return NULL;
  *parser = json_parser_new();
  if (!tool_json_parse(*parser, path, text, error))
    return NULL;
  JsonNode *root = json_parser_get_root(*parser);
  if (root && JSON_NODE_HOLDS_OBJECT(root))
    return json_node_get_object(root);
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: expected an object, %s",
              tool_input_name(path), as);
  return NULL;
}

gboolean
tool_json_refuse(const char *path, const char *member, const char *expected, GError **error) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: '%s': expected %s", tool_input_name(path),
              member, expected);
  return FALSE;
}

gboolean
tool_json_is_number(JsonNode *node, gint64 maximum, gint64 *number) {
  if (!node || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64)
    return FALSE;
  *number = json_node_get_int(node);
  return *number >= 0 && *number <= maximum;
}

char *
tool_json_text(JsonBuilder *json, gboolean is_indented) {
  g_autoptr(JsonNode) root = json_builder_get_root(json);
  g_autofree char *text = json_to_string(root, is_indented);
  return g_strconcat(text, "\n", NULL);
}
