/* norn run --target vp1: states of the vector unit, a JSON object a line.
 *
 *   {"word": "8083cdeb", "tiernd_down": 1, "s2v": {"valid": 0, "factor": [4 numbers], "vcsrc": 3,
 * "vcpart": 1, "vcmode": 7}, "c": [4], "vc": [4], "vx": "32 hex digits", "va": [16], "v": [32 times
 * 32 hex digits], "out": {"vc", "va", "v": {"5": ...}}}
 *
 * Executes the word on the state before and prints what is after it in the form of `out`; where the
 * line has `out`, holds the two against each other. */
#include "sim/vp1/execute.h"
#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTORS 32
#define CONDITIONS 4

/* Where a fault is: reading stops at the first. */
typedef struct {
  const char *path;
  guint line;
  GError **error;
} Place;

static gboolean fail(const Place *place, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail(const Place *place, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(place->error, NORN_ERROR, NORN_ERROR_INVALID, "%s:%u: %s", place->path, place->line,
              message);
  return FALSE;
}

/* The member if it is there and a number, an array ... as `holds` says. */
static JsonNode *
member(const Place *place, JsonObject *object, const char *name, JsonNodeType type) {
  JsonNode *node = json_object_get_member(object, name);
  if (node && JSON_NODE_TYPE(node) == type)
    return node;
  fail(place, "'%s' is missing or of the wrong kind", name);
  return NULL;
}

static gboolean
read_number(const Place *place, JsonObject *object, const char *name, gint64 least, gint64 greatest,
            gint64 *number) {
  JsonNode *node = member(place, object, name, JSON_NODE_VALUE);
  if (!node)
    return FALSE;
  *number = json_node_get_value_type(node) == G_TYPE_INT64 ? json_node_get_int(node) : greatest + 1;
  if (*number >= least && *number <= greatest)
    return TRUE;
  return fail(place, "'%s' is no number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, name,
              least, greatest);
}

static gboolean
read_numbers(const Place *place, JsonObject *object, const char *name, guint count, gint64 least,
             gint64 greatest, gint64 *numbers) {
  JsonNode *node = member(place, object, name, JSON_NODE_ARRAY);
  if (!node)
    return FALSE;
  JsonArray *array = json_node_get_array(node);
  gboolean good = json_array_get_length(array) == count;
  for (guint i = 0; good && i < count; i++) {
    JsonNode *element = json_array_get_element(array, i);
    good = JSON_NODE_HOLDS_VALUE(element) && json_node_get_value_type(element) == G_TYPE_INT64;
    numbers[i] = good ? json_node_get_int(element) : 0;
    good = good && numbers[i] >= least && numbers[i] <= greatest;
  }
  return good ||
         fail(place, "'%s' is no list of %u numbers from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
              name, count, least, greatest);
}

static gboolean
read_vector(const Place *place, JsonNode *node, const char *name, guint8 *vector) {
  const char *text = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
  gboolean good = text && strlen(text) == 2 * NORN_VP1_LANES &&
                  strspn(text, "0123456789abcdefABCDEF") == 2 * NORN_VP1_LANES;
  for (guint i = 0; good && i < NORN_VP1_LANES; i++)
    vector[i] =
        (guint8)(g_ascii_xdigit_value(text[2 * i]) << 4 | g_ascii_xdigit_value(text[2 * i + 1]));
  return good ||
         fail(place, "'%s' is no vector of %d hexadecimal digits", name, 2 * NORN_VP1_LANES);
}

static gboolean
read_conditions(const Place *place, JsonObject *object, guint32 *vc) {
  gint64 numbers[CONDITIONS];
  if (!read_numbers(place, object, "vc", CONDITIONS, 0, G_MAXUINT32, numbers))
    return FALSE;
  for (guint i = 0; i < CONDITIONS; i++)
    vc[i] = (guint32)numbers[i];
  return TRUE;
}

static gboolean
read_accumulator(const Place *place, JsonObject *object, gint32 *va) {
  gint64 numbers[NORN_VP1_LANES];
  if (!read_numbers(place, object, "va", NORN_VP1_LANES, -(1 << 27), (1 << 27) - 1, numbers))
    return FALSE;
  for (guint i = 0; i < NORN_VP1_LANES; i++)
    va[i] = (gint32)numbers[i];
  return TRUE;
}

static gboolean
read_scalar_input(const Place *place, JsonObject *object, NornVp1ScalarInput *s2v) {
  JsonNode *node = member(place, object, "s2v", JSON_NODE_OBJECT);
  gint64 valid, source, part, mode, factors[4];
  if (!node)
    return FALSE;
  JsonObject *input = json_node_get_object(node);
  if (!read_number(place, input, "valid", 0, 1, &valid) ||
      !read_number(place, input, "vcsrc", 0, 3, &source) ||
      !read_number(place, input, "vcpart", 0, 1, &part) ||
      !read_number(place, input, "vcmode", 0, 7, &mode) ||
      !read_numbers(place, input, "factor", 4, -512, 511, factors))
    return FALSE;
  *s2v = (NornVp1ScalarInput){
      .valid = valid, .vcsrc = (guint8)source, .vcpart = (guint8)part, .vcmode = (guint8)mode};
  for (guint i = 0; i < 4; i++)
    s2v->factor[i] = (gint16)factors[i];
  return TRUE;
}

static gboolean
read_state(const Place *place, JsonObject *object, NornVp1State *state) {
  gint64 ties, scalars[CONDITIONS];
  memset(state, 0, sizeof *state);
  JsonNode *vectors = member(place, object, "v", JSON_NODE_ARRAY);
  if (!vectors || !read_number(place, object, "tiernd_down", 0, 1, &ties) ||
      !read_scalar_input(place, object, &state->s2v) ||
      !read_conditions(place, object, state->vc) || !read_accumulator(place, object, state->va) ||
      !read_vector(place, json_object_get_member(object, "vx"), "vx", state->vx) ||
      !read_numbers(place, object, "c", CONDITIONS, 0, G_MAXUINT16, scalars))
    return FALSE;
  state->tie_down = ties;
  for (guint i = 0; i < CONDITIONS; i++)
    state->c[i] = (guint16)scalars[i];
  JsonArray *array = json_node_get_array(vectors);
  if (json_array_get_length(array) != VECTORS)
    return fail(place, "'v' does not have %d vectors", VECTORS);
  for (guint i = 0; i < VECTORS; i++)
    if (!read_vector(place, json_array_get_element(array, i), "v", state->v[i]))
      return FALSE;
  return TRUE;
}

/* Lays what `out` says over the state before. */
static gboolean
read_changes(const Place *place, JsonObject *out, NornVp1State *state) {
  if ((json_object_has_member(out, "vc") && !read_conditions(place, out, state->vc)) ||
      (json_object_has_member(out, "va") && !read_accumulator(place, out, state->va)))
    return FALSE;
  JsonNode *vectors =
      json_object_has_member(out, "v") ? member(place, out, "v", JSON_NODE_OBJECT) : NULL;
  if (!vectors)
    return !json_object_has_member(out, "v");
  JsonObjectIter iterator;
  const char *name;
  JsonNode *node;
  json_object_iter_init(&iterator, json_node_get_object(vectors));
  while (json_object_iter_next(&iterator, &name, &node)) {
    guint64 index;
    if (!g_ascii_string_to_unsigned(name, 10, 0, VECTORS - 1, &index, NULL))
      return fail(place, "there is no vector register '%s'", name);
    if (!read_vector(place, node, name, state->v[index]))
      return FALSE;
  }
  return TRUE;
}

static gboolean
compare(const Place *place, const NornVp1State *state, const NornVp1State *expected) {
  for (guint i = 0; i < VECTORS; i++)
    for (guint k = 0; k < NORN_VP1_LANES; k++)
      if (state->v[i][k] != expected->v[i][k])
        return fail(place, "$v%u, component %u, is 0x%02x, but should be 0x%02x", i, k,
                    state->v[i][k], expected->v[i][k]);
  for (guint i = 0; i < CONDITIONS; i++)
    if (state->vc[i] != expected->vc[i])
      return fail(place, "$vc%u is 0x%08x, but should be 0x%08x", i, state->vc[i], expected->vc[i]);
  for (guint i = 0; i < NORN_VP1_LANES; i++)
    if (state->va[i] != expected->va[i])
      return fail(place, "$va, component %u, is %d, but should be %d", i, state->va[i],
                  expected->va[i]);
  return TRUE;
}

static void
print_changes(const NornVp1State *before, const NornVp1State *after) {
  const char *separator = "";
  printf("{\"vc\":[%u,%u,%u,%u],\"va\":[", after->vc[0], after->vc[1], after->vc[2], after->vc[3]);
  for (guint i = 0; i < NORN_VP1_LANES; i++)
    printf("%s%d", i ? "," : "", after->va[i]);
  printf("],\"v\":{");
  for (guint i = 0; i < VECTORS; i++) {
    if (!memcmp(before->v[i], after->v[i], NORN_VP1_LANES))
      continue;
    printf("%s\"%u\":\"", separator, i);
    for (guint k = 0; k < NORN_VP1_LANES; k++)
      printf("%02x", after->v[i][k]);
    printf("\"");
    separator = ",";
  }
  printf("}}\n");
}

static gboolean
run_line(const Place *place, const char *line, gboolean quiet) {
  GError *problem = NULL;
  g_autoptr(JsonNode) root = json_from_string(line, &problem);
  if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
    fail(place, "expected a JSON object%s%s", problem ? ": " : "", problem ? problem->message : "");
    g_clear_error(&problem);
    return FALSE;
  }
  JsonObject *object = json_node_get_object(root);
  JsonNode *text = member(place, object, "word", JSON_NODE_VALUE);
  const char *word = text ? json_node_get_string(text) : NULL;
  guint64 bits;
  if (!text || !word || !g_ascii_string_to_unsigned(word, 16, 0, G_MAXUINT32, &bits, NULL))
    return text ? fail(place, "'word' is no instruction word in hexadecimal") : FALSE;
  NornVp1State before, after;
  if (!read_state(place, object, &before))
    return FALSE;
  after = before;
  if (!norn_vp1_execute(&after, (guint32)bits, &problem)) {
    fail(place, "%s", problem->message);
    g_clear_error(&problem);
    return FALSE;
  }
  if (!quiet)
    print_changes(&before, &after);
  if (!json_object_has_member(object, "out"))
    return TRUE;
  JsonNode *out = member(place, object, "out", JSON_NODE_OBJECT);
  NornVp1State expected = before;
  return out && read_changes(place, json_node_get_object(out), &expected) &&
         compare(place, &after, &expected);
}

gboolean
tool_run_vp1(const char *path, gboolean quiet, GError **error) {
  g_autoptr(GBytes) bytes = tool_read(path, error);
  if (!bytes)
    return FALSE;
  g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    const Place place = {path, i + 1, error};
    if (*g_strstrip(lines[i]) && !run_line(&place, lines[i], quiet))
      return FALSE;
  }
  return TRUE;
}
