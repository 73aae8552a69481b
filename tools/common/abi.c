/* The interface between shaders in SPIR-V and a driver, read from a JSON file (doc/spirv.md):
 *
 *   { "resource_table": 16, "storage_buffers": "addresses", "robustness": "zero",
 *     "places": [{"set": 0, "binding": 3, "word": 12},
 *                {"set": 1, "binding": 0, "table": 2, "entry": 7}] }
 */
#include "common/json.h"
#include "tool.h"

#include <string.h>

/* A member that is a number, either of the interface or of one of its places. */
typedef struct Number {
  const char *name;
  gint64 maximum;
} Number;

/* The members of an object: numbers, and the names of those that are something else. */
typedef struct Members {
  const Number *rows;
  guint count;
  const char *const *others; /* ends with NULL; nullable */
} Members;

enum {
  RESOURCE_TABLE,
  SAMPLER_TABLE,
  PUSH_CONSTANT_WORD,
  SYSTEM_WORD,
  CLIP_LOCATION,
  CLIP_DISTANCES,
  GRID_LIMIT
};
static const Number abi_numbers[] = {
    [RESOURCE_TABLE] = {"resource_table", 255},
    [SAMPLER_TABLE] = {"sampler_table", NORN_HANDLE_TABLES - 1},
    [PUSH_CONSTANT_WORD] = {"push_constant_word", NORN_FAU_WORDS},
    [SYSTEM_WORD] = {"system_word", NORN_FAU_WORDS},
    [CLIP_LOCATION] = {"clip_location", 254},
    [CLIP_DISTANCES] = {"clip_distances", 8},
    [GRID_LIMIT] = {"grid_limit", G_MAXUINT32},
};

enum { SET, BINDING, TABLE, ENTRY, PLACE_SAMPLER_TABLE, SAMPLER_ENTRY, WORD };
static const Number place_numbers[] = {
    [SET] = {"set", G_MAXUINT32},
    [BINDING] = {"binding", G_MAXUINT32},
    [TABLE] = {"table", NORN_HANDLE_TABLES - 1},
    [ENTRY] = {"entry", NORN_HANDLE_ENTRIES - 1},
    [PLACE_SAMPLER_TABLE] = {"sampler_table", NORN_HANDLE_TABLES - 1},
    [SAMPLER_ENTRY] = {"sampler_entry", NORN_HANDLE_ENTRIES - 1},
    [WORD] = {"word", NORN_FAU_WORDS - 2},
};

static const Members place_members = {place_numbers, G_N_ELEMENTS(place_numbers), NULL};

static const char *const buffer_choices[] = {"handles", "addresses", NULL};
static const char *const image_choices[] = {"descriptors", "words", NULL};
static const char *const robustness_choices[] = {[NORN_SPIRV_UNCHECKED] = "unchecked",
                                                 [NORN_SPIRV_CLAMPED] = "clamped",
                                                 [NORN_SPIRV_ZERO] = "zero",
                                                 NULL};

/* Reads the numbers that are present; *given gets a bit for each. Other names are errors. */
static gboolean
read_numbers(const char *path, JsonObject *object, const Members *members, gint64 *numbers,
             guint *given, GError **error) {
  const Number *rows = members->rows;
  g_autoptr(GList) names = json_object_get_members(object);
  *given = 0;
  for (GList *at = names; at; at = at->next) {
    const char *name = at->data;
    guint k = 0;
    while (k < members->count && strcmp(rows[k].name, name) != 0)
      k++;
    if (k == members->count && members->others && g_strv_contains(members->others, name))
      continue;
    if (k == members->count)
      return tool_json_refuse(path, name, "one of the members that doc/spirv.md lists", error);
    if (!tool_json_is_number(json_object_get_member(object, name), rows[k].maximum, &numbers[k])) {
      g_autofree char *expected =
          g_strdup_printf("a number from 0 to %" G_GINT64_FORMAT, rows[k].maximum);
      return tool_json_refuse(path, name, expected, error);
    }
    *given |= 1u << k;
  }
  return TRUE;
}

/* The index of the choice that a member names; *choice is unchanged if the member is not
 * present. */
static gboolean
read_choice(const char *path, JsonObject *object, const char *member, const char *const *choices,
            guint *choice, GError **error) {
  JsonNode *node = json_object_get_member(object, member);
  if (!node)
    return TRUE;
  const char *text = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
  for (guint k = 0; text && choices[k]; k++)
    if (!strcmp(choices[k], text)) {
      *choice = k;
      return TRUE;
    }
  g_autofree char *list = g_strjoinv(", ", (char **)choices);
  g_autofree char *expected = g_strdup_printf("one of %s", list);
  return tool_json_refuse(path, member, expected, error);
}

static gboolean
read_place(const char *path, JsonNode *node, const NornSpirvAbi *abi, NornSpirvPlace *place,
           GError **error) {
  gint64 numbers[G_N_ELEMENTS(place_numbers)] = {0};
  guint given;
  if (!JSON_NODE_HOLDS_OBJECT(node))
    return tool_json_refuse(path, "places", "a list of objects", error);
  if (!read_numbers(path, json_node_get_object(node), &place_members, numbers, &given, error))
    return FALSE;
  if (~given & (1u << SET | 1u << BINDING))
    return tool_json_refuse(path, "places", "objects with a set and a binding", error);
  /* Members that are not present have their default value. */
  guint32 set = (guint32)numbers[SET], binding = (guint32)numbers[BINDING];
  guint table = given >> TABLE & 1 ? (guint)numbers[TABLE] : abi->resource_table + set;
  guint sampler = given >> PLACE_SAMPLER_TABLE & 1 ? (guint)numbers[PLACE_SAMPLER_TABLE]
                                                   : abi->sampler_table + set;
  guint entry = given >> ENTRY & 1 ? (guint)numbers[ENTRY] : binding;
  guint sampler_entry = given >> SAMPLER_ENTRY & 1 ? (guint)numbers[SAMPLER_ENTRY] : binding;
  if (table >= NORN_HANDLE_TABLES || sampler >= NORN_HANDLE_TABLES ||
      entry >= NORN_HANDLE_ENTRIES || sampler_entry >= NORN_HANDLE_ENTRIES)
    return tool_json_refuse(path, "places", "a table and an entry for such a high set or binding",
                            error);
  *place = (NornSpirvPlace){set,
                            binding,
                            table << NORN_HANDLE_TABLE_SHIFT | entry,
                            sampler << NORN_HANDLE_TABLE_SHIFT | sampler_entry,
                            given >> WORD & 1,
                            (unsigned)numbers[WORD]};
  return TRUE;
}

static gboolean
read_places(const char *path, JsonObject *object, NornSpirvAbi *abi, GArray *places,
            GError **error) {
  JsonNode *node = json_object_get_member(object, "places");
  if (node && !JSON_NODE_HOLDS_ARRAY(node))
    return tool_json_refuse(path, "places", "a list of objects", error);
  JsonArray *list = node ? json_node_get_array(node) : NULL;
  for (guint k = 0; list && k < json_array_get_length(list); k++) {
    NornSpirvPlace place;
    if (!read_place(path, json_array_get_element(list, k), abi, &place, error))
      return FALSE;
    g_array_append_val(places, place);
  }
  abi->places = (const NornSpirvPlace *)(void *)places->data;
  abi->place_count = places->len;
  return TRUE;
}

static gboolean
read_noperspective(const char *path, JsonObject *object, NornSpirvAbi *abi, GError **error) {
  JsonNode *node = json_object_get_member(object, "noperspective");
  if (node && !JSON_NODE_HOLDS_ARRAY(node))
    return tool_json_refuse(path, "noperspective", "a list of locations below 32", error);
  JsonArray *list = node ? json_node_get_array(node) : NULL;
  abi->knows_noperspective = list != NULL;
  for (guint k = 0; list && k < json_array_get_length(list); k++) {
    gint64 location;
    if (!tool_json_is_number(json_array_get_element(list, k), 31, &location))
      return tool_json_refuse(path, "noperspective", "a list of locations below 32", error);
    abi->noperspective |= 1u << location;
  }
  return TRUE;
}

gboolean
tool_abi_read(const char *path, NornSpirvAbi *abi, GArray *places, GError **error) {
  static const char *const others[] = {"storage_buffers", "image_sizes", "robustness",
                                       "noperspective",   "places",      NULL};
  static const Members members = {abi_numbers, G_N_ELEMENTS(abi_numbers), others};
  gint64 numbers[G_N_ELEMENTS(abi_numbers)] = {
      abi->resource_table, abi->sampler_table,  abi->push_constant_word, abi->system_word,
      abi->clip_location,  abi->clip_distances, abi->grid_limit};
  guint given, buffers = abi->buffer_addresses, images = abi->image_words,
               robustness = abi->robustness;
  g_autoptr(JsonParser) parser = NULL;
  JsonObject *object = tool_json_load(path, "as doc/spirv.md describes it", &parser, error);
  if (!object || !read_numbers(path, object, &members, numbers, &given, error) ||
      !read_choice(path, object, "storage_buffers", buffer_choices, &buffers, error) ||
      !read_choice(path, object, "image_sizes", image_choices, &images, error) ||
      !read_choice(path, object, "robustness", robustness_choices, &robustness, error))
    return FALSE;
  abi->resource_table = (unsigned)numbers[RESOURCE_TABLE];
  abi->sampler_table = (unsigned)numbers[SAMPLER_TABLE];
  abi->push_constant_word = (unsigned)numbers[PUSH_CONSTANT_WORD];
  abi->system_word = (unsigned)numbers[SYSTEM_WORD];
  abi->clip_location = (unsigned)numbers[CLIP_LOCATION];
  abi->clip_distances = (unsigned)numbers[CLIP_DISTANCES];
  abi->grid_limit = (uint32_t)numbers[GRID_LIMIT];
  abi->buffer_addresses = buffers;
  abi->image_words = images;
  abi->robustness = (NornSpirvRobustness)robustness;
  return read_noperspective(path, object, abi, error) &&
         read_places(path, object, abi, places, error);
}
