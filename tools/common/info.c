/* The compiler's report on machine code, read back from the file that `norn compile --info`
 * wrote. */
#include "common/json.h"
#include "tool.h"

static gboolean
read_number(const char *path, JsonObject *object, const char *member, gint64 maximum,
            unsigned *number, GError **error) {
  gint64 value;
  if (!tool_json_is_number(json_object_get_member(object, member), maximum, &value)) {
    g_autofree char *expected = g_strdup_printf("a number up to %" G_GINT64_FORMAT, maximum);
    return tool_json_refuse(path, member, expected, error);
  }
  *number = (unsigned)value;
  return TRUE;
}

/* The numbers of a list, at most `max_count`, in *numbers; their count in *count. */
static gboolean
read_list(const char *path, JsonObject *object, const char *member, guint max_count, gint64 maximum,
          gint64 *numbers, guint *count, GError **error) {
  JsonNode *node = json_object_get_member(object, member);
  JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  gboolean good = array && json_array_get_length(array) <= max_count;
  *count = good ? json_array_get_length(array) : 0;
  for (guint i = 0; good && i < *count; i++)
    good = tool_json_is_number(json_array_get_element(array, i), maximum, &numbers[i]);
  if (good)
    return TRUE;
  g_autofree char *expected =
      g_strdup_printf("at most %u numbers up to %" G_GINT64_FORMAT, max_count, maximum);
  return tool_json_refuse(path, member, expected, error);
}

/* The words that hold values loaded from buffers: null, or an object that says from where. */
static gboolean
read_loads(const char *path, JsonObject *object, NornCompileInfo *info, GError **error) {
  JsonNode *node = json_object_get_member(object, "loads");
  JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  if (!array || json_array_get_length(array) > NORN_FAU_WORDS - info->load_first)
    return tool_json_refuse(path, "loads", "a list that does not extend past the last word", error);
  info->load_count = json_array_get_length(array);
  for (guint i = 0; i < info->load_count; i++) {
    JsonNode *item = json_array_get_element(array, i);
    NornUniformLoad *load = &info->loads[i];
    load->is_used = !JSON_NODE_HOLDS_NULL(item);
    if (!load->is_used)
      continue;
    if (!JSON_NODE_HOLDS_OBJECT(item))
      return tool_json_refuse(path, "loads", "null or an object", error);
    JsonObject *place = json_node_get_object(item);
    if (!read_number(path, place, "handle", G_MAXUINT32, &load->handle, error) ||
        !read_number(path, place, "offset", G_MAXUINT32, &load->offset, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_lists(const char *path, JsonObject *object, NornCompileInfo *info, GError **error) {
  gint64 numbers[2 * NORN_FAU_WORDS];
  guint count;
  if (!read_list(path, object, "preloaded", 64, 63, numbers, &count, error))
    return FALSE;
  info->preloaded = 0;
  for (guint i = 0; i < count; i++)
    info->preloaded |= G_GUINT64_CONSTANT(1) << numbers[i];
  if (!read_list(path, object, "promoted", NORN_FAU_WORDS, G_MAXUINT32, numbers, &count, error))
    return FALSE;
  if (info->promoted_first + count > NORN_FAU_WORDS)
    return tool_json_refuse(path, "promoted", "words up to the last one", error);
  info->promoted_count = count;
  for (guint i = 0; i < count; i++)
    info->constants[i] = (guint32)numbers[i];
  if (!read_list(path, object, "copies", G_N_ELEMENTS(numbers), NORN_FAU_WORDS - 1, numbers, &count,
                 error))
    return FALSE;
  for (guint i = 0; i + 1 < count; i += 2) {
    if (numbers[i] < info->load_first)
      return tool_json_refuse(path, "copies", "words from the first loaded one on", error);
    info->loads[numbers[i] - info->load_first].copied = (guint8)(numbers[i + 1] + 1);
  }
  if (!read_list(path, object, "workgroup_size", 3, 1024, numbers, &count, error))
    return FALSE;
  for (guint i = 0; i < count; i++)
    info->workgroup_size[i] = (unsigned)numbers[i];
  return TRUE;
}

static gboolean
read_stage(const char *path, JsonObject *object, NornCompileInfo *info, GError **error) {
  JsonNode *node = json_object_get_member(object, "stage");
  const char *name = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
  for (guint stage = 0; stage < NORN_STAGE_COUNT; stage++)
    if (!g_strcmp0(name, norn_stage_name(stage))) {
      info->stage = stage;
      return TRUE;
    }
  return tool_json_refuse(path, "stage", "compute, vertex or fragment", error);
}

/* Refuses the report on code of another machine; a file that names none is accepted. */
static gboolean
check_machine(const char *path, JsonObject *object, const char *target, const char **architecture,
              GError **error) {
  const NornIsa *isa;
  unsigned number;
  JsonNode *own = *architecture ? NULL : json_object_get_member(object, "architecture");
  if (own && JSON_NODE_HOLDS_VALUE(own) && json_node_get_string(own))
    *architecture = g_intern_string(json_node_get_string(own));
  if (!tool_find_isa(target, *architecture, &isa, &number, error)) {
    if (own)
      g_prefix_error(error, "%s: ", tool_input_name(path));
    return FALSE;
  }
  static const char *const members[] = {"target", "architecture"};
  const char *names[] = {norn_isa_name(isa), norn_isa_architecture_name(isa, number)};
  for (guint i = 0; i < G_N_ELEMENTS(members); i++) {
    JsonNode *node = json_object_get_member(object, members[i]);
    const char *name = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    if (node && !name)
      return tool_json_refuse(path, members[i], "a name", error);
    if (node && strcmp(name, names[i])) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: the code was compiled for %s '%s', not for '%s'", tool_input_name(path),
                  members[i], name, names[i]);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
tool_info_read(const char *path, const char *target, const char **architecture,
               NornCompileInfo *info, GError **error) {
  g_autoptr(JsonParser) parser = NULL;
  JsonObject *object =
      tool_json_load(path, "as `norn compile --info=FILE` writes it", &parser, error);
  if (!object || !check_machine(path, object, target, architecture, error))
    return FALSE;
  JsonNode *flushes = json_object_get_member(object, "flushes_denormals");
  if (!flushes || json_node_get_value_type(flushes) != G_TYPE_BOOLEAN)
    return tool_json_refuse(path, "flushes_denormals", "true or false", error);
  info->denormals = json_node_get_boolean(flushes) ? NORN_DENORMALS_FLUSH : NORN_DENORMALS_PRESERVE;
#define WRITTEN(member)
#define NUMBER(member, maximum)                                                                    \
  if (!read_number(path, object, #member, maximum, &info->member, error))                          \
    return FALSE;
#include "info.def"
  return read_stage(path, object, info, error) && read_loads(path, object, info, error) &&
         read_lists(path, object, info, error);
}
