/* JSON that the verbs read, and members of objects that they write. */
#ifndef NORN_TOOLS_COMMON_JSON_H
#define NORN_TOOLS_COMMON_JSON_H

#include <json-glib/json-glib.h>

/* The deepest nesting of arrays and objects that is read: the JSON parser recurses. */
#define TOOL_JSON_DEPTH 16

/* Whether a text is not nested deeper than that. *rest (nullable) is the text after the first array
 * or object, NULL if there is neither. */
static inline gboolean
tool_json_is_shallow(const char *text, const char **rest) {
  guint depth = 0;
  gboolean is_string = FALSE;
  const char *end = NULL;
  for (const char *at = text; *at; at++) {
    if (is_string && *at == '\\' && at[1])
      at++;
    else if (*at == '"')
      is_string = !is_string;
    else if (!is_string && (*at == '[' || *at == '{') && ++depth > TOOL_JSON_DEPTH)
      return FALSE;
    else if (!is_string && (*at == ']' || *at == '}') && depth && !--depth && !end)
      end = at + 1;
  }
  if (rest)
    *rest = end;
  return TRUE;
}

/* Parses the text of the file; an error has its name, and the place if there is one. */
gboolean tool_json_parse(JsonParser *parser, const char *path, const char *text, GError **error);

/* The object that a file holds, with its parser in *parser, to be unreferenced; NULL with an
 * error, which says that it is not an object `as` (such as "as `norn x` writes it"). */
JsonObject *tool_json_load(const char *path, const char *as, JsonParser **parser, GError **error);

/* Sets an error that says which member is wrong and what was expected; always returns false. */
gboolean tool_json_refuse(const char *path, const char *member, const char *expected,
                          GError **error);

/* Whether a node is a number from 0 to `maximum`, which is stored in *number. */
gboolean tool_json_is_number(JsonNode *node, gint64 maximum, gint64 *number);

/* The finished text of what was built, with spaces and line breaks if `is_indented`, and a newline;
 * to be freed. */
char *tool_json_text(JsonBuilder *json, gboolean is_indented);

/* What of the text is not UTF-8, as names of files may have it, becomes U+FFFD. */
static inline void
tool_json_string(JsonBuilder *json, const char *name, const char *text) {
  g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;
  json_builder_set_member_name(json, name);
  json_builder_add_string_value(json, valid);
}

static inline void
tool_json_number(JsonBuilder *json, const char *name, gint64 number) {
  json_builder_set_member_name(json, name);
  json_builder_add_int_value(json, number);
}

static inline void
tool_json_double(JsonBuilder *json, const char *name, double number) {
  json_builder_set_member_name(json, name);
  json_builder_add_double_value(json, number);
}

static inline void
tool_json_flag(JsonBuilder *json, const char *name, gboolean flag) {
  json_builder_set_member_name(json, name);
  json_builder_add_boolean_value(json, flag);
}

/* Starts an object; the next members are its own, up to json_builder_end_object. */
static inline void
tool_json_object(JsonBuilder *json, const char *name) {
  json_builder_set_member_name(json, name);
  json_builder_begin_object(json);
}

/* Starts an array as the member's value; the next values are its elements, up to
 * json_builder_end_array. */
static inline void
tool_json_array(JsonBuilder *json, const char *name) {
  json_builder_set_member_name(json, name);
  json_builder_begin_array(json);
}

#endif
