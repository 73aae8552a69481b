/* A description for a shader that was read from SPIR-V, with random contents for everything that it
 * declares.
 *
 * The description is generated as text from the shader's list of resources and a seed, so it can
 * be printed and used again. Numbers are typical of shaders: small integers, floats around 0. A
 * run that loops for too long on them is repeated on calmer ones, from 0 to 1. */
#include "run/declared.h"
#include "run/run.h"

#include <string.h>

/* Elements of the array at the end of a buffer, and words in the memory that an address points
 * to. */
#define ARRAY_ELEMENTS 64
#define POINTED_WORDS 1024
/* The greatest size of a buffer in bytes. */
#define BUFFER_LIMIT 65536
#define TABLES 64

typedef struct RandomText {
  GRand *random;
  GString *text;
  GString *tables[TABLES]; /* table entries so far */
  guint entries[TABLES];
  guint names;
  guint grid;
  guint targets;          /* set of the color targets that have an image */
  GHashTable *attributes; /* locations that have values; several attributes may share one */
  const char *samples;    /* for a draw and its targets: "" or one more argument */
  gboolean is_calm;
  const GArray *resources; /* NornSpirvResource: everything described */
} RandomText;

static gdouble
random_float(RandomText *r) {
  return r->is_calm ? g_rand_double_range(r->random, 0.05, 1)
                    : g_rand_double_range(r->random, -2, 2);
}

static gint
random_integer(RandomText *r) {
  return g_rand_int_range(r->random, 0, r->is_calm ? 2 : 9);
}

static guint32
random_word(RandomText *r) {
  switch (g_rand_int_range(r->random, 0, 8)) {
  case 0:
    return 0;
  case 1:
  case 2:
  case 3:
    return (guint32)random_integer(r);
  default:
    return (guint32)norn_float_bits(NORN_TYPE_F32, random_float(r));
  }
}

static void
put_number(RandomText *r, NornType type) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (type == NORN_TYPE_F32 || type == NORN_TYPE_F16)
    g_string_append(r->text, g_ascii_formatd(text, sizeof text, "%.4f", random_float(r)));
  else
    g_string_append_printf(r->text, "%d", random_integer(r));
}

/* A list of numbers of the type. */
static void
put_list(RandomText *r, NornType type, guint count) {
  g_string_append_printf(r->text, "%s[", run_element_of_type(type)->name);
  for (guint k = 0; k < count; k++) {
    g_string_append(r->text, k ? ", " : "");
    put_number(r, type);
  }
  g_string_append(r->text, "]");
}

/* Words that hold numbers of the type, or any numbers if lists of words do not have the type. */
static void
put_words(RandomText *r, NornType type, guint count) {
  gboolean is_number = type == NORN_TYPE_F32 || type == NORN_TYPE_F16 || type == NORN_TYPE_I32;
  g_string_append(r->text, type == NORN_TYPE_F32   ? "f32["
                           : type == NORN_TYPE_F16 ? "f16["
                                                   : "i32[");
  for (guint k = 0; k < (type == NORN_TYPE_F16 ? 2 * count : count); k++) {
    g_string_append(r->text, k ? ", " : "");
    if (is_number)
      put_number(r, type);
    else
      g_string_append_printf(r->text, "0x%X", random_word(r));
  }
  g_string_append(r->text, "]");
}

/* Begins a value for the table entry of the handle; false if it already has one. */
static gboolean
begin_entry(RandomText *r, guint32 handle) {
  guint table = handle >> NORN_HANDLE_TABLE_SHIFT, entry = handle % NORN_HANDLE_ENTRIES;
  if (table >= TABLES || entry < r->entries[table] || entry > 4096)
    return FALSE;
  if (!r->tables[table])
    r->tables[table] = g_string_new(NULL);
  for (; r->entries[table] < entry; r->entries[table]++)
    g_string_append(r->tables[table], "-,");
  g_string_append_printf(r->tables[table], "r%u,", r->names);
  r->entries[table]++;
  g_string_append_printf(r->text, " r%u=", r->names++);
  return TRUE;
}

/* --- Resources --- */

static guint
buffer_words(const NornSpirvResource *resource) {
  guint64 bytes = resource->bytes + (guint64)resource->stride * ARRAY_ELEMENTS;
  return (guint)(CLAMP(bytes, 16, BUFFER_LIMIT) + 15) / 16 * 4;
}

static void
put_buffer(RandomText *r, const NornModule *module, const NornSpirvResource *resource) {
  guint words = buffer_words(resource), word, count;
  NornType type;
  if (resource->words) {
    if (!norn_module_find_fau(module, resource->name, &type, &word, &count))
      return; /* another name of the same one */
    g_string_append_printf(r->text, " fau.%s=", resource->name);
    put_words(r, resource->type, words);
    return;
  }
  for (guint k = 0; k < (resource->count ? resource->count : 4) && k < 16; k++) {
    if (begin_entry(r, resource->handle + k))
      put_words(r, resource->type, words);
  }
}

/* Sides, layers and samples of a shape; returns the number of texels. */
static guint
put_shape(RandomText *r, NornDimension dimension) {
  static const struct {
    NornDimension dimension;
    const char *text;
    guint texels;
  } shapes[] = {
      {NORN_DIMENSION_1D, "8", 8},
      {NORN_DIMENSION_2D, "8x8", 64},
      {NORN_DIMENSION_3D, "8x8x4", 256},
      {NORN_DIMENSION_CUBE, "8x8, layers:6", 384},
      {NORN_DIMENSION_1D_ARRAY, "8, layers:4", 32},
      {NORN_DIMENSION_2D_ARRAY, "8x8, layers:4", 256},
      {NORN_DIMENSION_CUBE_ARRAY, "8x8, layers:12", 768},
      {NORN_DIMENSION_2D_MS, "8x8, samples:4", 256},
      {NORN_DIMENSION_2D_MS_ARRAY, "8x8, layers:4, samples:4", 1024},
      {NORN_DIMENSION_BUFFER, "64, buffer", 64},
  };
  guint k = 0;
  while (shapes[k].dimension != dimension)
    k++;
  g_string_append(r->text, shapes[k].text);
  return shapes[k].texels;
}

static void
put_image(RandomText *r, const NornSpirvResource *resource) {
  bool is_float = resource->type == NORN_TYPE_F32;
  const char *channels = resource->components == 1 ? "r" : "rgba";
  for (guint k = 0; k < (resource->count ? resource->count : 4) && k < 16; k++) {
    if (!begin_entry(r, resource->handle + k))
      continue;
    g_string_append_printf(r->text, "image(%s32%s, ", channels, is_float ? "float" : "uint");
    guint count = put_shape(r, resource->dimension) * (guint)strlen(channels);
    g_string_append(r->text, ")[");
    for (guint i = 0; i < count; i++) {
      g_string_append(r->text, i ? ", " : "");
      put_number(r, resource->type);
    }
    g_string_append(r->text, "]");
  }
}

/* Pixels have several samples if an input attachment does. */
static const char *
find_samples(const GArray *resources) {
  for (guint k = 0; k < resources->len; k++) {
    const NornSpirvResource *resource = &g_array_index(resources, NornSpirvResource, k);
    if (resource->kind == NORN_SPIRV_INPUT_ATTACHMENT &&
        resource->dimension == NORN_DIMENSION_2D_MS)
      return ", samples:4";
  }
  return "";
}

/* Images for the color targets that are read, one for each. */
static void
put_attachments(RandomText *r, const NornSpirvResource *resource) {
  bool is_float = resource->type == NORN_TYPE_F32;
  for (guint k = resource->location;
       k < resource->location + resource->count && k < NORN_COLOR_TARGETS; k++) {
    if (r->targets >> k & 1)
      continue;
    r->targets |= 1u << k;
    g_string_append_printf(r->text, " color%u=image(rgba32%s, 8x8%s)[", k,
                           is_float ? "float" : "uint", r->samples);
    for (guint i = 0; i < 4 * 64 * (*r->samples ? 4 : 1); i++) {
      g_string_append(r->text, i ? ", " : "");
      put_number(r, resource->type);
    }
    g_string_append(r->text, "]");
  }
}

static void
put_sampler(RandomText *r, const NornSpirvResource *resource) {
  static const char *const filters[] = {"nearest", "linear"};
  static const char *const wraps[] = {"repeat", "mirror", "clamp"};
  for (guint k = 0; k < (resource->count ? resource->count : 4) && k < 16; k++) {
    if (!begin_entry(r, resource->handle + k))
      continue;
    g_string_append_printf(r->text, "sampler(filter:%s, wrap:%s, compare:less_equal)",
                           filters[g_rand_int_range(r->random, 0, 2)],
                           wraps[g_rand_int_range(r->random, 0, 3)]);
  }
}

/* The buffer whose size is in a uniform of that name; NULL if there is none. */
static const NornSpirvResource *
find_sized(const RandomText *r, const char *name) {
  for (guint k = 0; k < r->resources->len; k++) {
    const NornSpirvResource *buffer = &g_array_index(r->resources, NornSpirvResource, k);
    gsize length = strlen(buffer->name);
    if (buffer->kind == NORN_SPIRV_STORAGE_BUFFER && buffer->words &&
        !strncmp(name, buffer->name, length) && !strcmp(name + length, "_size"))
      return buffer;
  }
  return NULL;
}

static void
put_uniform(RandomText *r, const NornModule *module, const NornSpirvResource *resource) {
  bool is_system = resource->kind == NORN_SPIRV_SYSTEM_VALUE;
  const char *name = is_system ? run_uniform_at(module, resource->word) : resource->name;
  NornType type;
  unsigned word, count;
  if (run_shares_words(resource)) {
    const RunElement *element = run_element_of_type(resource->type);
    element = element ? element : run_element_of_type(NORN_TYPE_I8);
    g_string_append_printf(r->text, " fau.%s=", name);
    put_list(r, element->type, resource->bytes / element->size);
    return;
  }
  if (!name || !norn_module_find_fau(module, name, &type, &word, &count))
    return; /* a member without a name */
  g_string_append_printf(r->text, " fau.%s=", name);
  if (is_system && !strcmp(resource->name, "num_workgroups")) {
    g_string_append_printf(r->text, "i32[%u, 1, 1]", r->grid);
    return;
  }
  const NornSpirvResource *sized = find_sized(r, resource->name);
  if (sized) {
    g_string_append_printf(r->text, "%u", 4 * buffer_words(sized));
    return;
  }
  bool is_number = type == NORN_TYPE_F32 || type == NORN_TYPE_I32;
  if (type == NORN_TYPE_I64 && count == 1)
    put_words(r, NORN_TYPE_VOID, POINTED_WORDS);
  else if (count == 1)
    put_number(r, is_number ? type : NORN_TYPE_I32);
  else
    put_list(r, is_number || type == NORN_TYPE_I64 ? type : NORN_TYPE_I32, count);
}

static void
put_attribute(RandomText *r, const NornSpirvResource *resource) {
  if (!g_hash_table_add(r->attributes, GUINT_TO_POINTER(resource->location)))
    return;
  bool is_float = resource->type == NORN_TYPE_F32 || resource->type == NORN_TYPE_F16;
  g_string_append_printf(r->text, " attribute%u=r%u(rgba32%s) r%u=%s[", resource->location,
                         r->names, is_float ? "float" : "uint", r->names, is_float ? "f32" : "i32");
  for (guint k = 0; k < 32; k++) {
    g_string_append(r->text, k ? ", " : "");
    put_number(r, is_float ? NORN_TYPE_F32 : NORN_TYPE_I32);
  }
  g_string_append(r->text, "]");
  r->names++;
}

/* --- The whole description --- */

/* The blocks of varyings for three vertices. */
static void
put_varyings(RandomText *r, const NornSpirvInterface *interface) {
  NornSpirvResource resource;
  guint locations = 0;
  gboolean is_float[256] = {0}; /* whether any component of a location is */
  for (guint k = 0; norn_spirv_interface_resource(interface, k, &resource); k++) {
    if (resource.kind != NORN_SPIRV_VARYING || resource.location >= G_N_ELEMENTS(is_float))
      continue;
    locations = MAX(locations, resource.location + 1);
    is_float[resource.location] |= resource.type == NORN_TYPE_F32 || resource.type == NORN_TYPE_F16;
  }
  if (!locations)
    return;
  g_string_append(r->text, " varyings=f32[");
  for (guint k = 0; k < 3 * 4 * locations; k++) {
    g_string_append(r->text, k ? ", " : "");
    if (!is_float[k / 4 % locations])
      g_string_append_printf(r->text, "0x%X", random_integer(r));
    else
      put_number(r, NORN_TYPE_F32);
  }
  g_string_append(r->text, "]");
}

static void
put_resource(RandomText *r, const NornModule *module, const NornSpirvResource *resource) {
  switch (resource->kind) {
  case NORN_SPIRV_STORAGE_BUFFER:
  case NORN_SPIRV_UNIFORM_BUFFER:
    put_buffer(r, module, resource);
    break;
  case NORN_SPIRV_TEXTURE:
  case NORN_SPIRV_STORAGE_IMAGE:
    put_image(r, resource);
    break;
  case NORN_SPIRV_SAMPLER:
    put_sampler(r, resource);
    break;
  case NORN_SPIRV_PUSH_CONSTANT:
  case NORN_SPIRV_SYSTEM_VALUE:
    put_uniform(r, module, resource);
    break;
  case NORN_SPIRV_ATTRIBUTE:
    put_attribute(r, resource);
    break;
  case NORN_SPIRV_INPUT_ATTACHMENT:
    put_attachments(r, resource);
    break;
  case NORN_SPIRV_VARYING:
  case NORN_SPIRV_COLOR:
    break;
  }
}

static gint
compare_handles(gconstpointer a, gconstpointer b) {
  const NornSpirvResource *x = a, *y = b;
  return x->handle < y->handle ? -1 : x->handle > y->handle;
}

char *
run_random_text(const NornModule *module, const NornSpirvInterface *interface, guint32 seed,
                gboolean is_calm) {
  RandomText r = {.random = g_rand_new_with_seed(seed),
                  .text = g_string_new(NULL),
                  .grid = 2,
                  .attributes = g_hash_table_new(NULL, NULL),
                  .is_calm = is_calm};
  g_autoptr(GArray) resources = g_array_new(FALSE, FALSE, sizeof(NornSpirvResource));
  NornSpirvResource resource;
  for (guint k = 0; norn_spirv_interface_resource(interface, k, &resource); k++)
    g_array_append_val(resources, resource);
  g_array_sort(resources, compare_handles); /* tables are listed in the order of their entries */
  r.resources = resources;
  switch (norn_module_stage(module)) {
  case NORN_STAGE_VERTEX:
    g_string_append(r.text, "draw=vertices(4, instances:2)");
    break;
  case NORN_STAGE_FRAGMENT:
    r.samples = find_samples(resources);
    g_string_append_printf(r.text, "draw=fragments(8x8%s, depth:[0.25, 0.5, 0.75])", r.samples);
    put_varyings(&r, interface);
    break;
  default:
    g_string_append_printf(r.text, "grid=%u", r.grid);
  }
  for (guint k = 0; k < resources->len; k++)
    put_resource(&r, module, &g_array_index(resources, NornSpirvResource, k));
  for (guint table = 0; table < TABLES; table++) {
    if (!r.tables[table])
      continue;
    g_string_truncate(r.tables[table], r.tables[table]->len - 1);
    g_string_append_printf(r.text, " table%u=%s", table, r.tables[table]->str);
    g_string_free(r.tables[table], TRUE);
  }
  g_rand_free(r.random);
  g_hash_table_destroy(r.attributes);
  return g_string_free(r.text, FALSE);
}
