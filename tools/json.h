/* Members of JSON objects that the verbs write. */
#ifndef NORN_TOOLS_JSON_H
#define NORN_TOOLS_JSON_H

#include <json-glib/json-glib.h>

static inline void
tool_json_string(JsonBuilder *json, const char *name, const char *text) {
  json_builder_set_member_name(json, name);
  json_builder_add_string_value(json, text);
}

static inline void
tool_json_number(JsonBuilder *json, const char *name, gint64 number) {
  json_builder_set_member_name(json, name);
  json_builder_add_int_value(json, number);
}

/* The next values are the member's, up to json_builder_end_array. */
static inline void
tool_json_array(JsonBuilder *json, const char *name) {
  json_builder_set_member_name(json, name);
  json_builder_begin_array(json);
}

#endif
