/* norn run --target vp1 FILE.jsonl: states of the vector unit, a JSON object in each line.
 *
 * Members of a line, where "v" is an array of the 32 vectors:
 *
 *   "word": "8083cdeb", "tiernd_down": 1, "vx": "32 hex digits", "v": ["32 hex digits", ...],
 *   "va": [16 numbers], "vc": [4], "c": [4],
 *   "s2v": {"valid": 0, "factor": [4], "vcsrc": 3, "vcpart": 1, "vcmode": 7},
 *   "out": {"vc": [4], "va": [16], "v": {"5": "32 hex digits", ...}}
 *
 * Executes the word on the state and prints what it changed in the form of "out". If the line has
 * "out", the result must match it, and everything else in v, vc and va must be unchanged. */
#include "common/json.h"
#include "tool.h"

#include <norn/registers.h>
#include <stdio.h>
#include <string.h>

#define LANES 16
/* The deepest nesting of arrays and objects in a line; it needs three levels. */
#define VECTORS 32
#define CONDITIONS 4

/* The position of a fault: reading stops at the first one. */
typedef struct {
  const char *path;
  guint line;
  GError **error;
} FaultLocation;

static gboolean fail(const FaultLocation *location, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail(const FaultLocation *location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(location->error, NORN_ERROR, NORN_ERROR_INVALID, "%s:%u: %s", location->path,
              location->line, message);
  return FALSE;
}

/* The member if it exists and has that type; otherwise NULL with an error. */
static JsonNode *
member(const FaultLocation *location, JsonObject *object, const char *name, JsonNodeType type) {
  JsonNode *node = json_object_get_member(object, name);
  if (node && JSON_NODE_TYPE(node) == type)
    return node;
  fail(location, "'%s' is missing or has the wrong type", name);
  return NULL;
}

static gboolean
read_number(const FaultLocation *location, JsonObject *object, const char *name, gint64 min,
            gint64 max, gint64 *number) {
  JsonNode *node = member(location, object, name, JSON_NODE_VALUE);
  if (!node)
    return FALSE;
  *number = json_node_get_value_type(node) == G_TYPE_INT64 ? json_node_get_int(node) : max + 1;
  if (*number >= min && *number <= max)
    return TRUE;
  return fail(location, "'%s' is not a number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, name,
              min, max);
}

static gboolean
read_numbers(const FaultLocation *location, JsonObject *object, const char *name, guint count,
             gint64 min, gint64 max, gint64 *numbers) {
  JsonNode *node = member(location, object, name, JSON_NODE_ARRAY);
  if (!node)
    return FALSE;
  JsonArray *array = json_node_get_array(node);
  gboolean good = json_array_get_length(array) == count;
  for (guint i = 0; good && i < count; i++) {
    JsonNode *element = json_array_get_element(array, i);
    good = JSON_NODE_HOLDS_VALUE(element) && json_node_get_value_type(element) == G_TYPE_INT64;
    numbers[i] = good ? json_node_get_int(element) : 0;
    good = good && numbers[i] >= min && numbers[i] <= max;
  }
  return good ||
         fail(location,
              "'%s' is not a list of %u numbers from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
              name, count, min, max);
}

static gboolean
read_vector(const FaultLocation *location, JsonNode *node, const char *name, guint8 *vector) {
  const char *text = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
  gboolean good =
      text && strlen(text) == 2 * LANES && strspn(text, "0123456789abcdefABCDEF") == 2 * LANES;
  for (guint i = 0; good && i < LANES; i++)
    vector[i] =
        (guint8)(g_ascii_xdigit_value(text[2 * i]) << 4 | g_ascii_xdigit_value(text[2 * i + 1]));
  return good || fail(location, "'%s' is not a vector of %d hexadecimal digits", name, 2 * LANES);
}

/* The registers that instructions change and lines compare. */
typedef struct {
  guint8 v[VECTORS][LANES];
  guint32 vc[CONDITIONS];
  gint32 va[LANES];
} Vectors;

/* Sets a register to numbers of `bytes` bytes each. */
static gboolean
set_numbers(const FaultLocation *location, NornRegisterMachine *machine, const char *name,
            const gint64 *numbers, guint count, gsize bytes) {
  guint8 elements[LANES * sizeof(gint64)];
  for (guint i = 0; i < count; i++) {
    guint64 bits = GUINT64_TO_LE((guint64)numbers[i]);
    memcpy(elements + i * bytes, &bits, bytes);
  }
  return norn_register_machine_write(machine, name, elements, count, bytes, location->error);
}

/* Sets a register to a member that is a number. */
static gboolean
set_number(const FaultLocation *location, NornRegisterMachine *machine, JsonObject *object,
           const char *member, const char *name, gint64 max) {
  gint64 number;
  return read_number(location, object, member, 0, max, &number) &&
         set_numbers(location, machine, name, &number, 1, 1);
}

static gboolean
set_vector(const FaultLocation *location, NornRegisterMachine *machine, JsonNode *node,
           const char *name) {
  guint8 vector[LANES];
  return read_vector(location, node, name, vector) &&
         norn_register_machine_write(machine, name, vector, LANES, 1, location->error);
}

/* Numbered registers, with one number each. */
static gboolean
set_each(const FaultLocation *location, NornRegisterMachine *machine, const char *prefix,
         const gint64 *numbers, gsize bytes) {
  for (guint i = 0; i < CONDITIONS; i++) {
    g_autofree char *name = g_strdup_printf("%s%u", prefix, i);
    if (!set_numbers(location, machine, name, &numbers[i], 1, bytes))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_conditions(const FaultLocation *location, JsonObject *object, gint64 vc[CONDITIONS]) {
  return read_numbers(location, object, "vc", CONDITIONS, 0, G_MAXUINT32, vc);
}

static gboolean
read_accumulator(const FaultLocation *location, JsonObject *object, gint64 va[LANES]) {
  return read_numbers(location, object, "va", LANES, -(1 << 27), (1 << 27) - 1, va);
}

static gboolean
set_scalar_input(const FaultLocation *location, NornRegisterMachine *machine, JsonObject *object) {
  JsonNode *node = member(location, object, "s2v", JSON_NODE_OBJECT);
  gint64 factors[4];
  if (!node)
    return FALSE;
  JsonObject *input = json_node_get_object(node);
  return set_number(location, machine, input, "valid", "s2v_valid", 1) &&
         set_number(location, machine, input, "vcsrc", "vcsrc", 3) &&
         set_number(location, machine, input, "vcpart", "vcpart", 1) &&
         set_number(location, machine, input, "vcmode", "vcmode", 7) &&
         read_numbers(location, input, "factor", 4, -512, 511, factors) &&
         set_numbers(location, machine, "factor", factors, 4, sizeof(gint16));
}

static gboolean
set_vectors(const FaultLocation *location, NornRegisterMachine *machine, JsonObject *object) {
  JsonNode *node = member(location, object, "v", JSON_NODE_ARRAY);
  if (!node)
    return FALSE;
  JsonArray *array = json_node_get_array(node);
  if (json_array_get_length(array) != VECTORS)
    return fail(location, "'v' does not have %d vectors", VECTORS);
  for (guint i = 0; i < VECTORS; i++) {
    g_autofree char *name = g_strdup_printf("v%u", i);
    if (!set_vector(location, machine, json_array_get_element(array, i), name))
      return FALSE;
  }
  return TRUE;
}

/* Sets everything that an instruction reads. */
static gboolean
set_state(const FaultLocation *location, NornRegisterMachine *machine, JsonObject *object) {
  gint64 vc[CONDITIONS], va[LANES], c[CONDITIONS];
  return set_vectors(location, machine, object) &&
         set_number(location, machine, object, "tiernd_down", "tie_down", 1) &&
         set_scalar_input(location, machine, object) && read_conditions(location, object, vc) &&
         set_each(location, machine, "vc", vc, sizeof(guint32)) &&
         read_accumulator(location, object, va) &&
         set_numbers(location, machine, "va", va, LANES, sizeof(gint32)) &&
         set_vector(location, machine, json_object_get_member(object, "vx"), "vx") &&
         read_numbers(location, object, "c", CONDITIONS, 0, G_MAXUINT16, c) &&
         set_each(location, machine, "c", c, sizeof(guint16));
}

static gboolean
get_vectors(const FaultLocation *location, const NornRegisterMachine *machine, Vectors *vectors) {
  for (guint i = 0; i < VECTORS; i++) {
    g_autofree char *name = g_strdup_printf("v%u", i);
    if (!norn_register_machine_read(machine, name, vectors->v[i], LANES, 1, location->error))
      return FALSE;
  }
  for (guint i = 0; i < CONDITIONS; i++) {
    g_autofree char *name = g_strdup_printf("vc%u", i);
    if (!norn_register_machine_read(machine, name, &vectors->vc[i], 1, sizeof(guint32),
                                    location->error))
      return FALSE;
    vectors->vc[i] = GUINT32_FROM_LE(vectors->vc[i]);
  }
  if (!norn_register_machine_read(machine, "va", vectors->va, LANES, sizeof(gint32),
                                  location->error))
    return FALSE;
  for (guint i = 0; i < LANES; i++)
    vectors->va[i] = GINT32_FROM_LE(vectors->va[i]);
  return TRUE;
}

/* Overwrites the original vectors with those in `out`. */
static gboolean
read_changes(const FaultLocation *location, JsonObject *out, Vectors *vectors) {
  gint64 vc[CONDITIONS], va[LANES];
  gboolean has_vc = json_object_has_member(out, "vc"), has_va = json_object_has_member(out, "va");
  if ((has_vc && !read_conditions(location, out, vc)) ||
      (has_va && !read_accumulator(location, out, va)))
    return FALSE;
  for (guint i = 0; has_vc && i < CONDITIONS; i++)
    vectors->vc[i] = (guint32)vc[i];
  for (guint i = 0; has_va && i < LANES; i++)
    vectors->va[i] = (gint32)va[i];
  if (!json_object_has_member(out, "v"))
    return TRUE;
  JsonNode *node = member(location, out, "v", JSON_NODE_OBJECT);
  if (!node)
    return FALSE;
  JsonObjectIter iterator;
  const char *name;
  json_object_iter_init(&iterator, json_node_get_object(node));
  while (json_object_iter_next(&iterator, &name, &node)) {
    guint64 index;
    if (!g_ascii_string_to_unsigned(name, 10, 0, VECTORS - 1, &index, NULL))
      return fail(location, "unknown vector register '%s'", name);
    if (!read_vector(location, node, name, vectors->v[index]))
      return FALSE;
  }
  return TRUE;
}

static gboolean
compare(const FaultLocation *location, const Vectors *vectors, const Vectors *expected) {
  for (guint i = 0; i < VECTORS; i++)
    for (guint k = 0; k < LANES; k++)
      if (vectors->v[i][k] != expected->v[i][k])
        return fail(location, "$v%u, component %u, is 0x%02x, but should be 0x%02x", i, k,
                    vectors->v[i][k], expected->v[i][k]);
  for (guint i = 0; i < CONDITIONS; i++)
    if (vectors->vc[i] != expected->vc[i])
      return fail(location, "$vc%u is 0x%08x, but should be 0x%08x", i, vectors->vc[i],
                  expected->vc[i]);
  for (guint i = 0; i < LANES; i++)
    if (vectors->va[i] != expected->va[i])
      return fail(location, "$va, component %u, is %d, but should be %d", i, vectors->va[i],
                  expected->va[i]);
  return TRUE;
}

static void
print_changes(const Vectors *before, const Vectors *after) {
  const char *separator = "";
  printf("{\"vc\":[%u,%u,%u,%u],\"va\":[", after->vc[0], after->vc[1], after->vc[2], after->vc[3]);
  for (guint i = 0; i < LANES; i++)
    printf("%s%d", i ? "," : "", after->va[i]);
  printf("],\"v\":{");
  for (guint i = 0; i < VECTORS; i++) {
    if (!memcmp(before->v[i], after->v[i], LANES))
      continue;
    printf("%s\"%u\":\"", separator, i);
    for (guint k = 0; k < LANES; k++)
      printf("%02x", after->v[i][k]);
    printf("\"");
    separator = ",";
  }
  printf("}}\n");
}

static gboolean
run_line(const FaultLocation *location, NornRegisterMachine *machine, const char *line,
         gboolean quiet) {
  GError *problem = NULL;
  if (!tool_json_is_shallow(line, NULL))
    return fail(location, "arrays and objects are nested more than %d deep", TOOL_JSON_DEPTH);
  g_autoptr(JsonNode) root = json_from_string(line, &problem);
  if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
    fail(location, "expected a JSON object%s%s", problem ? ": " : "",
         problem ? problem->message : "");
    g_clear_error(&problem);
    return FALSE;
  }
  JsonObject *object = json_node_get_object(root);
  JsonNode *text = member(location, object, "word", JSON_NODE_VALUE);
  const char *word = text ? json_node_get_string(text) : NULL;
  guint64 bits;
  if (!text || !word || !g_ascii_string_to_unsigned(word, 16, 0, G_MAXUINT32, &bits, NULL))
    return text ? fail(location, "'word' is not an instruction word in hexadecimal") : FALSE;
  Vectors before, after;
  if (!set_state(location, machine, object) || !get_vectors(location, machine, &before))
    return FALSE;
  guint32 code = GUINT32_TO_LE((guint32)bits);
  if (!norn_register_machine_run(machine, &code, sizeof code, &problem)) {
    fail(location, "%s", problem->message);
    g_clear_error(&problem);
    return FALSE;
  }
  if (!get_vectors(location, machine, &after))
    return FALSE;
  if (!quiet)
    print_changes(&before, &after);
  if (!json_object_has_member(object, "out"))
    return TRUE;
  JsonNode *out = member(location, object, "out", JSON_NODE_OBJECT);
  Vectors expected = before;
  return out && read_changes(location, json_node_get_object(out), &expected) &&
         compare(location, &after, &expected);
}

gboolean
tool_run_vp1(const char *path, gboolean quiet, GError **error) {
  g_autofree char *text = tool_read_string(path, error);
  if (!text)
    return FALSE;
  NornRegisterMachine *machine = norn_register_machine_new("vp1", NULL, error);
  if (!machine)
    return FALSE;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  gboolean done = TRUE;
  for (guint i = 0; done && lines[i]; i++) {
    const FaultLocation location = {path, i + 1, error};
    done = !*g_strstrip(lines[i]) || run_line(&location, machine, lines[i], quiet);
  }
  norn_register_machine_free(machine);
  return done;
}
