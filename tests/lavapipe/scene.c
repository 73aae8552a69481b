/* Contents are drawn from a seed according to the declared types of buffers: floats around 0,
 * and integers that are small enough for an index, including an index into an array of
 * resources. Integers among the push constants are shapes: dimensions, width, height, depth, and
 * the distance of slices, so that addresses computed from them are distinct. Specialization
 * constants that are 0 are replaced with 1, since they are used as divisors and sizes, or with
 * the push constant of the same name if there is one. */
#include "scene.h"

#include <string.h>

#define ARRAY_ELEMENTS 64
#define BUFFER_LIMIT 65536
#define IMAGE_SIDE 16
#define ELEMENTS 4
#define STEP_LIMIT 30000000
/* Integers are below this, unless there are smaller arrays of resources. */
#define INTEGERS 5

/* --- SPIR-V words that the interface does not report --- */

static guint32
module_word(GBytes *bytes, gsize at) {
  gsize size;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  guint32 word = 0;
  if (at < size / 4)
    memcpy(&word, data + 4 * at, 4);
  return GUINT32_FROM_LE(word);
}

/* The instruction `op` whose word `index` is `value` and, if `second` is not 0, whose word
 * `index` + 1 is `second`; 0 if there is none. */
static gsize
find_instruction(GBytes *bytes, guint op, guint index, guint32 value, guint32 second) {
  gsize words = g_bytes_get_size(bytes) / 4;
  for (gsize at = 5; at < words;) {
    guint32 first = module_word(bytes, at);
    if ((first & 0xFFFF) == op && module_word(bytes, at + index) == value &&
        (!second || module_word(bytes, at + index + 1) == second))
      return at;
    at += MAX(first >> 16, 1);
  }
  return 0;
}

enum {
  OP_NAME = 5,
  OP_ENTRY_POINT = 15,
  OP_CAPABILITY = 17,
  OP_TYPE_INT = 21,
  OP_TYPE_FLOAT = 22,
  OP_TYPE_VECTOR = 23,
  OP_TYPE_MATRIX = 24,
  OP_TYPE_IMAGE = 25,
  OP_TYPE_ARRAY = 28,
  OP_TYPE_RUNTIME_ARRAY = 29,
  OP_TYPE_STRUCT = 30,
  OP_TYPE_POINTER = 32,
  OP_CONSTANT = 43,
  OP_SPEC_CONSTANT = 50,
  OP_VARIABLE = 59,
  OP_DECORATE = 71,
  OP_MEMBER_DECORATE = 72,
  OP_VECTOR_EXTRACT_DYNAMIC = 77,
  OP_VECTOR_INSERT_DYNAMIC = 78,
  OP_U_DIV = 134,
  OP_S_REM = 138,
  OP_S_MOD = 139,
  SPEC_ID = 1,
  ROW_MAJOR = 4,
  ARRAY_STRIDE = 6,
  MATRIX_STRIDE = 7,
  BUILT_IN = 11,
  BINDING = 33,
  SET = 34,
  OFFSET = 35,
  POINT_COORD = 16,
  UNIFORM_CONSTANT = 0,
  UNIFORM = 2,
  STORAGE_BUFFER = 12
};

static gboolean
has_instruction(GBytes *bytes, guint first, guint last) {
  gsize words = g_bytes_get_size(bytes) / 4;
  for (gsize at = 5; at < words; at += MAX(module_word(bytes, at) >> 16, 1)) {
    guint op = module_word(bytes, at) & 0xFFFF;
    if (op >= first && op <= last)
      return TRUE;
  }
  return FALSE;
}

static gboolean
has_capability(GBytes *bytes, guint32 capability) {
  return find_instruction(bytes, OP_CAPABILITY, 1, capability, 0) != 0;
}

/* Whether something is decorated as that built-in variable. */
static gboolean
has_built_in(GBytes *bytes, guint32 built_in) {
  gsize words = g_bytes_get_size(bytes) / 4;
  for (gsize at = 5; at < words; at += MAX(module_word(bytes, at) >> 16, 1))
    if ((module_word(bytes, at) & 0xFFFF) == OP_DECORATE &&
        module_word(bytes, at + 2) == BUILT_IN && module_word(bytes, at + 3) == built_in)
      return TRUE;
  return FALSE;
}

/* The decoration of an id, or 0. */
static guint32
decorated(GBytes *bytes, guint32 id, guint32 decoration) {
  gsize words = g_bytes_get_size(bytes) / 4;
  for (gsize at = 5; at < words; at += MAX(module_word(bytes, at) >> 16, 1))
    if ((module_word(bytes, at) & 0xFFFF) == OP_DECORATE && module_word(bytes, at + 1) == id &&
        module_word(bytes, at + 2) == decoration)
      return module_word(bytes, at + 3);
  return 0;
}

/* The position of the decoration of a structure's member, or 0. */
static gsize
find_member_decoration(GBytes *bytes, guint32 id, guint32 member, guint32 decoration) {
  gsize words = g_bytes_get_size(bytes) / 4;
  for (gsize at = 5; at < words; at += MAX(module_word(bytes, at) >> 16, 1))
    if ((module_word(bytes, at) & 0xFFFF) == OP_MEMBER_DECORATE &&
        module_word(bytes, at + 1) == id && module_word(bytes, at + 2) == member &&
        module_word(bytes, at + 3) == decoration)
      return at;
  return 0;
}

/* The type of an id: the instruction that defines it. */
static gsize
find_type(GBytes *bytes, guint32 id) {
  for (guint op = 19; op <= 33; op++) {
    gsize at = find_instruction(bytes, op, 1, id, 0);
    if (at)
      return at;
  }
  return 0;
}

/* The position of the image or structure type of the variable at that binding, or 0. */
static gsize
declared_type(GBytes *bytes, const NornSpirvResource *resource, guint wanted) {
  gsize words = g_bytes_get_size(bytes) / 4;
  for (gsize at = 5; at < words; at += MAX(module_word(bytes, at) >> 16, 1)) {
    guint32 id = module_word(bytes, at + 2), storage = module_word(bytes, at + 3);
    gboolean is_bound =
        storage == UNIFORM_CONSTANT || storage == UNIFORM || storage == STORAGE_BUFFER;
    if ((module_word(bytes, at) & 0xFFFF) != OP_VARIABLE || !is_bound ||
        decorated(bytes, id, BINDING) != resource->binding ||
        decorated(bytes, id, SET) != resource->set)
      continue;
    gsize type = find_type(bytes, module_word(bytes, at + 1));
    for (guint depth = 0; type && depth < 4; depth++) {
      guint op = module_word(bytes, type) & 0xFFFF;
      if (op == wanted)
        return type;
      type = find_type(bytes, module_word(bytes, type + (op == OP_TYPE_POINTER ? 3 : 2)));
    }
  }
  return 0;
}

/* By SpvImageFormat. */
static const NornPixelFormat formats[] = {
    [0] = {0, 0, NORN_CHANNEL_UINT},    [1] = {4, 32, NORN_CHANNEL_FLOAT},
    [2] = {4, 16, NORN_CHANNEL_FLOAT},  [3] = {1, 32, NORN_CHANNEL_FLOAT},
    [4] = {4, 8, NORN_CHANNEL_UNORM},   [5] = {4, 8, NORN_CHANNEL_SNORM},
    [6] = {2, 32, NORN_CHANNEL_FLOAT},  [7] = {2, 16, NORN_CHANNEL_FLOAT},
    [9] = {1, 16, NORN_CHANNEL_FLOAT},  [10] = {4, 16, NORN_CHANNEL_UNORM},
    [12] = {2, 16, NORN_CHANNEL_UNORM}, [13] = {2, 8, NORN_CHANNEL_UNORM},
    [14] = {1, 16, NORN_CHANNEL_UNORM}, [15] = {1, 8, NORN_CHANNEL_UNORM},
    [21] = {4, 32, NORN_CHANNEL_SINT},  [22] = {4, 16, NORN_CHANNEL_SINT},
    [23] = {4, 8, NORN_CHANNEL_SINT},   [24] = {1, 32, NORN_CHANNEL_SINT},
    [25] = {2, 32, NORN_CHANNEL_SINT},  [30] = {4, 32, NORN_CHANNEL_UINT},
    [31] = {4, 16, NORN_CHANNEL_UINT},  [32] = {4, 8, NORN_CHANNEL_UINT},
    [33] = {1, 32, NORN_CHANNEL_UINT},  [35] = {2, 32, NORN_CHANNEL_UINT},
};

/* --- Reading --- */

/* The name of an id, which points into the bytes; "" if it has none. */
static const char *
id_name(GBytes *bytes, guint32 id) {
  gsize at = find_instruction(bytes, OP_NAME, 1, id, 0);
  return at ? (const char *)g_bytes_get_data(bytes, NULL) + 4 * (at + 2) : "";
}

static gboolean
is_push_constant(const NornSpirvInterface *interface, const char *name) {
  NornSpirvResource resource;
  for (guint i = 0; norn_spirv_interface_resource(interface, i, &resource); i++)
    if (resource.kind == NORN_SPIRV_PUSH_CONSTANT && !strcmp(resource.name, name))
      return TRUE;
  return FALSE;
}

/* Chooses values for constants that are 0. */
static void
specialize(Shader *shader) {
  gsize words = g_bytes_get_size(shader->bytes) / 4;
  shader->constants = g_array_new(FALSE, TRUE, sizeof(NornSpirvConstant));
  for (gsize at = 5; at < words; at += MAX(module_word(shader->bytes, at) >> 16, 1)) {
    guint32 id = module_word(shader->bytes, at + 2);
    gsize type =
        find_instruction(shader->bytes, OP_TYPE_INT, 1, module_word(shader->bytes, at + 1), 32);
    if (module_word(shader->bytes, at) != (OP_SPEC_CONSTANT | 4 << 16) || !type ||
        module_word(shader->bytes, at + 3) ||
        is_push_constant(shader->interface, id_name(shader->bytes, id)))
      continue;
    NornSpirvConstant constant = {decorated(shader->bytes, id, SPEC_ID), 1};
    g_array_append_val(shader->constants, constant);
  }
  shader->options.constants = (void *)shader->constants->data;
  shader->options.constant_count = shader->constants->len;
}

/* Reads it with the given options. */
static gboolean
read_module(Shader *shader, char **reason) {
  GError *error = NULL;
  gsize size;
  const void *data = g_bytes_get_data(shader->bytes, &size);
  shader->module = norn_module_from_spirv(data, size, shader->path, &shader->options,
                                          &shader->interface, &error);
  if (shader->module)
    return TRUE;
  *reason = g_strdup_printf("refused: %s", error->message);
  g_error_free(error);
  return FALSE;
}

/* Reads it again. */
static gboolean
read_again(Shader *shader, char **reason) {
  norn_module_free(shader->module);
  norn_spirv_interface_free(shader->interface);
  return read_module(shader, reason);
}

gboolean
shader_read(Shader *shader, const char *path, char **reason) {
  static const struct {
    guint32 capability;
    const char *reason;
  } refused[] = {{5347, "buffer device addresses"},        {61, "subgroups, of another size there"},
                 {62, "subgroups, of another size there"}, {63, "subgroups, of another size there"},
                 {64, "subgroups, of another size there"}, {65, "subgroups, of another size there"},
                 {66, "subgroups, of another size there"}, {67, "subgroups, of another size there"},
                 {68, "subgroups, of another size there"}, {40, "input attachments"}};
  static const struct {
    guint16 first, last; /* opcodes */
    const char *reason;
  } inexact[] = {{89, 90, "textures that are compared"},
                 {93, 94, "textures that are compared"},
                 {97, 97, "textures that are compared"},
                 {105, 105, "levels of detail, which drivers approximate"}};
  char *text = NULL;
  gsize size;
  GError *error = NULL;
  shader->path = path;
  norn_spirv_options_init(&shader->options);
  if (!g_file_get_contents(path, &text, &size, &error)) {
    *reason = g_strdup(error->message);
    g_error_free(error);
    return FALSE;
  }
  shader->bytes = g_bytes_new_take(text, size);
  if (!read_module(shader, reason))
    return FALSE;
  specialize(shader);
  if (!read_again(shader, reason))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(refused); i++)
    if (has_capability(shader->bytes, refused[i].capability)) {
      *reason = g_strdup(refused[i].reason);
      return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS(inexact); i++)
    if (has_instruction(shader->bytes, inexact[i].first, inexact[i].last)) {
      *reason = g_strdup(inexact[i].reason);
      return FALSE;
    }
  gsize words = size / 4;
  for (gsize at = 5; at < words && !shader->entry;
       at += MAX(module_word(shader->bytes, at) >> 16, 1))
    if ((module_word(shader->bytes, at) & 0xFFFF) == OP_ENTRY_POINT)
      shader->entry = g_strdup((const char *)g_bytes_get_data(shader->bytes, NULL) + 4 * (at + 3));
  return TRUE;
}

gboolean
shader_link(Shader *vertex, Shader *fragment, char **reason) {
  NornSpirvAbi *vertex_abi = &vertex->options.abi, *fragment_abi = &fragment->options.abi;
  NornSpirvResource resource;
  for (guint i = 0; norn_spirv_interface_resource(vertex->interface, i, &resource); i++)
    if (resource.written && !strcmp(resource.name, NORN_SPIRV_CLIP_DISTANCES))
      fragment_abi->clip_distances = resource.components;
  vertex_abi->knows_noperspective = TRUE;
  for (guint i = 0; norn_spirv_interface_resource(fragment->interface, i, &resource); i++)
    if (resource.noperspective && resource.location < 32)
      vertex_abi->noperspective |= 1u << resource.location;
  return read_again(vertex, reason) && read_again(fragment, reason);
}

/* --- Contents --- */

Scene *
scene_new(guint32 seed) {
  Scene *scene = g_new0(Scene, 1);
  scene->groups = seed % 2 ? 1 : 2;
  scene->integers = INTEGERS;
  scene->items = g_array_new(FALSE, TRUE, sizeof(Item));
  scene->attributes = g_array_new(FALSE, TRUE, sizeof(Attribute));
  scene->colors = g_array_new(FALSE, TRUE, sizeof(Color));
  scene->random = g_rand_new_with_seed(seed);
  return scene;
}

static guint32
random_word(Scene *scene, NornType type) {
  gboolean is_float =
      type == NORN_TYPE_F32 || (type == NORN_TYPE_VOID && g_rand_int_range(scene->random, 0, 2));
  gdouble number = g_rand_double_range(scene->random, scene->is_positive ? 0 : -2, 2);
  if (is_float)
    return (guint32)norn_float_bits(NORN_TYPE_F32, (gint)(number * 64) / 64.0);
  if (type == NORN_TYPE_F16)
    return (guint32)(norn_float_bits(NORN_TYPE_F16, (gint)(number * 64) / 64.0) |
                     norn_float_bits(NORN_TYPE_F16, (gint)(number * 32) / 32.0) << 16);
  return (guint32)g_rand_int_range(scene->random, 0, scene->integers);
}

static void
fill_words(Scene *scene, guint8 *bytes, gsize size, NornType type) {
  for (gsize at = 0; at + 4 <= size; at += 4) {
    guint32 word = GUINT32_TO_LE(random_word(scene, type));
    memcpy(bytes + at, &word, 4);
  }
}

/* The type in memory to be filled, and its position. */
typedef struct Filling {
  Scene *scene;
  GBytes *bytes; /* the module */
  guint8 *data;
  gsize size;
} Filling;

static void
fill_scalar(const Filling *filling, gsize type, gsize offset) {
  guint width = module_word(filling->bytes, type + 2) / 8;
  gboolean is_float = (module_word(filling->bytes, type) & 0xFFFF) == OP_TYPE_FLOAT;
  static const NornType floats[] = {[2] = NORN_TYPE_F16, [4] = NORN_TYPE_F32, [8] = NORN_TYPE_F64};
  if (offset > filling->size || filling->size - offset < width)
    return;
  guint64 value = random_word(filling->scene, is_float ? NORN_TYPE_F32 : NORN_TYPE_I32);
  if (is_float && width < G_N_ELEMENTS(floats))
    value = norn_float_bits(floats[width], norn_float_number(NORN_TYPE_F32, value));
  for (guint k = 0; k < width; k++)
    filling->data[offset + k] = (guint8)(value >> 8 * k);
}

/* Fills the type defined at `type`, at `offset`. It is a member of `owner`, where the
 * decorations of a matrix are. */
static void
fill_type(const Filling *filling, gsize type, gsize offset, guint32 owner, guint32 member) {
  GBytes *bytes = filling->bytes;
  guint32 id = module_word(bytes, type + 1), length = module_word(bytes, type + 3);
  gsize element = find_type(bytes, module_word(bytes, type + 2)), stride = 0;
  guint32 count = 0;
  switch (module_word(bytes, type) & 0xFFFF) {
  case OP_TYPE_INT:
  case OP_TYPE_FLOAT:
    fill_scalar(filling, type, offset);
    return;
  case OP_TYPE_STRUCT:
    count = (module_word(bytes, type) >> 16) - 2;
    for (guint32 k = 0; k < count; k++) {
      gsize at = find_member_decoration(bytes, id, k, OFFSET);
      gsize part = find_type(bytes, module_word(bytes, type + 2 + k));
      if (at && part)
        fill_type(filling, part, offset + module_word(bytes, at + 4), id, k);
    }
    return;
  case OP_TYPE_VECTOR:
    count = length;
    stride = element ? module_word(bytes, element + 2) / 8 : 0;
    break;
  case OP_TYPE_MATRIX: {
    gsize at = find_member_decoration(bytes, owner, member, MATRIX_STRIDE);
    gboolean is_turned = find_member_decoration(bytes, owner, member, ROW_MAJOR) != 0;
    gsize scalar = element ? find_type(bytes, module_word(bytes, element + 2)) : 0;
    stride = at ? module_word(bytes, at + 4) : 0;
    guint32 rows = element ? module_word(bytes, element + 3) : 0;
    for (guint32 k = 0; scalar && k < rows * length; k++)
      fill_scalar(filling, scalar,
                  offset + (is_turned ? k % rows * stride + k / rows * 4
                                      : k / rows * stride + k % rows * 4));
    return;
  }
  case OP_TYPE_ARRAY: {
    gsize at = find_instruction(bytes, OP_CONSTANT, 2, length, 0);
    count = at ? module_word(bytes, at + 3) : 1;
    stride = decorated(bytes, id, ARRAY_STRIDE);
    break;
  }
  case OP_TYPE_RUNTIME_ARRAY:
    count = G_MAXUINT32;
    stride = decorated(bytes, id, ARRAY_STRIDE);
    break;
  default:
    return;
  }
  for (guint32 k = 0; element && stride && k < count && offset + k * stride < filling->size; k++)
    fill_type(filling, element, offset + k * stride, owner, member);
}

static void
fill_buffer(Scene *scene, const Shader *shader, const Item *item) {
  gsize type = declared_type(shader->bytes, &item->resource, OP_TYPE_STRUCT);
  Filling filling = {scene, shader->bytes, item->bytes, item->size};
  if (type)
    fill_type(&filling, type, 0, 0, 0);
}

static void
fill_image(Scene *scene, Item *item) {
  NornPixelFormat format = item->image.format;
  /* Filter weights have 8 bits: the values that they mix should not be too different. */
  if (format.kind == NORN_CHANNEL_FLOAT && format.bits == 32)
    for (gsize at = 0; at + 4 <= item->size; at += 4) {
      guint32 word = GUINT32_TO_LE(
          (guint32)norn_float_bits(NORN_TYPE_F32, g_rand_int_range(scene->random, 0, 65) / 64.0));
      memcpy(item->bytes + at, &word, 4);
    }
  else if (format.kind == NORN_CHANNEL_FLOAT)
    fill_words(scene, item->bytes, item->size & ~(gsize)3, NORN_TYPE_F16);
  else if (format.kind == NORN_CHANNEL_UINT || format.kind == NORN_CHANNEL_SINT)
    for (gsize at = 0; at < item->size; at += format.bits / 8)
      item->bytes[at] = (guint8)g_rand_int_range(scene->random, 0, 9);
  else
    for (gsize at = 0; at < item->size; at++)
      item->bytes[at] =
          (guint8)g_rand_int_range(scene->random, 0, format.kind == NORN_CHANNEL_UNORM ? 256 : 128);
}

static void
shape_image(Scene *scene, Item *item, NornPixelFormat format) {
  NornImage *image = &item->image;
  NornDimension dimension = item->resource.dimension;
  *image = (NornImage){.format = format,
                       .width = IMAGE_SIDE,
                       .height = IMAGE_SIDE,
                       .depth = 1,
                       .layers = 1,
                       .levels = 1,
                       .samples = 1};
  if (dimension == NORN_DIMENSION_1D || dimension == NORN_DIMENSION_1D_ARRAY)
    image->height = 1;
  if (dimension == NORN_DIMENSION_BUFFER) {
    image->width = ARRAY_ELEMENTS;
    image->height = 1;
    image->is_buffer = TRUE;
  }
  if (dimension == NORN_DIMENSION_3D)
    image->depth = 4;
  if (dimension == NORN_DIMENSION_1D_ARRAY || dimension == NORN_DIMENSION_2D_ARRAY)
    image->layers = 4;
  if (dimension == NORN_DIMENSION_CUBE)
    image->layers = 6;
  if (dimension == NORN_DIMENSION_CUBE_ARRAY)
    image->layers = 12;
  if (dimension == NORN_DIMENSION_2D_MS || dimension == NORN_DIMENSION_2D_MS_ARRAY)
    scene->skipped = g_strdup("images of several samples");
  guint64 size;
  norn_image_bytes(image, &size);
  item->size = size;
}

static gboolean
is_buffer(const NornSpirvResource *resource) {
  return resource->kind == NORN_SPIRV_STORAGE_BUFFER || resource->kind == NORN_SPIRV_UNIFORM_BUFFER;
}

static void
add_item(Scene *scene, const Shader *shader, const NornSpirvResource *resource, guint32 element) {
  Item item = {.resource = *resource, .element = element};
  for (guint i = 0; i < scene->items->len; i++) {
    const Item *other = &g_array_index(scene->items, Item, i);
    if (other->resource.set == resource->set && other->resource.binding == resource->binding &&
        other->element == element &&
        (other->resource.kind == NORN_SPIRV_SAMPLER) == (resource->kind == NORN_SPIRV_SAMPLER))
      return; /* from the other shader as well */
  }
  if (is_buffer(resource)) {
    guint64 bytes = resource->bytes + (guint64)resource->stride * ARRAY_ELEMENTS;
    item.size = (CLAMP(bytes, 16, BUFFER_LIMIT) + 15) / 16 * 16;
  } else if (resource->kind == NORN_SPIRV_SAMPLER) {
    static const NornWrap wraps[] = {NORN_WRAP_REPEAT, NORN_WRAP_MIRROR, NORN_WRAP_CLAMP};
    NornWrap wrap = wraps[g_rand_int_range(scene->random, 0, 3)];
    item.sampler = (NornSampler){.magnify = NORN_FILTER_LINEAR,
                                 .minify = NORN_FILTER_LINEAR,
                                 .wrap = {wrap, wrap, wrap},
                                 .compare = NORN_COMPARE_LESS_EQUAL};
  } else {
    gsize type = declared_type(shader->bytes, resource, OP_TYPE_IMAGE);
    guint32 declared = type ? module_word(shader->bytes, type + 8) : 0;
    if (type && module_word(shader->bytes, type + 4) == 1)
      scene->skipped = g_strdup("textures that are compared");
    NornPixelFormat format = declared < G_N_ELEMENTS(formats) ? formats[declared] : formats[0];
    gboolean is_float = resource->type == NORN_TYPE_F32;
    if (!format.channels && declared)
      scene->skipped = g_strdup_printf("the image format %u", declared);
    if (!format.channels)
      format = (NornPixelFormat){4, 32, is_float ? NORN_CHANNEL_FLOAT : NORN_CHANNEL_UINT};
    shape_image(scene, &item, format);
  }
  item.bytes = g_malloc0(item.size + 1);
  if (is_buffer(resource))
    fill_buffer(scene, shader, &item);
  else if (resource->kind != NORN_SPIRV_SAMPLER)
    fill_image(scene, &item);
  item.before = g_memdup2(item.bytes, item.size + 1);
  g_array_append_val(scene->items, item);
}

static void
add_attribute(Scene *scene, const NornSpirvResource *resource) {
  gboolean is_float = resource->type == NORN_TYPE_F32 || resource->type == NORN_TYPE_F16;
  Attribute attribute = {.location = resource->location,
                         .format = {4, 32, is_float ? NORN_CHANNEL_FLOAT : NORN_CHANNEL_UINT}};
  for (guint i = 0; i < scene->attributes->len; i++)
    if (g_array_index(scene->attributes, Attribute, i).location == resource->location)
      return;
  attribute.size = VERTICES * 16;
  attribute.bytes = g_malloc0(attribute.size);
  fill_words(scene, attribute.bytes, attribute.size, is_float ? NORN_TYPE_F32 : NORN_TYPE_I32);
  g_array_append_val(scene->attributes, attribute);
}

static void
add_color(Scene *scene, const Shader *shader, const NornSpirvResource *resource) {
  NornShaderInfo info;
  norn_module_shader_info(shader->module, &info);
  NornFormat format = info.color_formats[resource->location];
  Color color = {resource->location,
                 format == NORN_FORMAT_F32   ? NORN_CHANNEL_FLOAT
                 : format == NORN_FORMAT_S32 ? NORN_CHANNEL_SINT
                                             : NORN_CHANNEL_UINT,
                 resource->components};
  for (guint i = 0; i < scene->colors->len; i++)
    if (g_array_index(scene->colors, Color, i).location == resource->location)
      scene->skipped = g_strdup("two colors of one location");
  g_array_append_val(scene->colors, color);
}

static guint32
push_word(Scene *scene, NornType type) {
  static const gint32 most[] = {3, 4, 4, 4, 20};
  guint place = scene->shapes % G_N_ELEMENTS(most);
  if (type != NORN_TYPE_I32)
    return random_word(scene, type);
  scene->shapes++;
  if (scene->integers < INTEGERS)
    return random_word(scene, type);
  return (guint32)(place % 4 == 0 ? most[place]
                                  : g_rand_int_range(scene->random, 1, most[place] + 1));
}

gint32
shader_integers(const Shader *shader) {
  NornSpirvResource resource;
  gboolean is_component =
      has_instruction(shader->bytes, OP_VECTOR_EXTRACT_DYNAMIC, OP_VECTOR_INSERT_DYNAMIC);
  guint32 least = is_component ? 2 : INTEGERS;
  for (guint i = 0; norn_spirv_interface_resource(shader->interface, i, &resource); i++)
    if (resource.kind <= NORN_SPIRV_STORAGE_IMAGE && resource.count > 1)
      least = MIN(least, resource.count);
  return (gint32)least;
}

void
scene_add(Scene *scene, const Shader *shader) {
  NornSpirvResource resource;
  scene->integers = MIN(scene->integers, shader_integers(shader));
  scene->is_positive = scene->is_positive || has_instruction(shader->bytes, OP_S_REM, OP_S_MOD);
  if (has_built_in(shader->bytes, POINT_COORD))
    scene->skipped = g_strdup("a place in a point, and no points are drawn");
  for (guint i = 0; norn_spirv_interface_resource(shader->interface, i, &resource); i++) {
    switch (resource.kind) {
    case NORN_SPIRV_PUSH_CONSTANT:
      for (guint k = 0; k < resource.words && resource.word + k < PUSH_WORDS; k++)
        if (!scene->push[resource.word + k])
          scene->push[resource.word + k] = push_word(scene, resource.type);
      if (resource.type == NORN_TYPE_I64)
        scene->skipped = g_strdup("64-bit push constants");
      if (resource.word + resource.words > PUSH_WORDS)
        scene->skipped = g_strdup("many push constants");
      break;
    case NORN_SPIRV_SYSTEM_VALUE:
    case NORN_SPIRV_VARYING:
      break;
    case NORN_SPIRV_ATTRIBUTE:
      add_attribute(scene, &resource);
      break;
    case NORN_SPIRV_COLOR:
      add_color(scene, shader, &resource);
      break;
    default:
      for (guint32 k = 0; k < (resource.count ? MIN(resource.count, 16) : ELEMENTS); k++)
        add_item(scene, shader, &resource, k);
      if (resource.count > 16)
        scene->skipped = g_strdup("large arrays of resources");
    }
  }
}

void
scene_reset(Scene *scene) {
  for (guint i = 0; i < scene->items->len; i++) {
    Item *item = &g_array_index(scene->items, Item, i);
    memcpy(item->bytes, item->before, item->size);
  }
}

/* --- Running --- */

/* A launch and all that it points to. */
typedef struct Stage {
  const Shader *shader;
  gboolean simulate;
  NornLaunch launch;
  NornResource *resources;
  NornImage *images;
  guint32 uniforms[NORN_FAU_WORDS];
  GBytes *code;
  NornCompileInfo info;
  NornVertexState vertex;
  NornFragmentState fragment;
} Stage;

static void
put_system_values(Stage *stage, const Scene *scene) {
  NornSpirvResource resource;
  for (guint i = 0; norn_spirv_interface_resource(stage->shader->interface, i, &resource); i++) {
    if (resource.kind != NORN_SPIRV_SYSTEM_VALUE || strcmp(resource.name, "num_workgroups"))
      continue;
    for (guint k = 0; k < 3; k++)
      stage->uniforms[resource.word + k] = k ? 1 : scene->groups;
  }
}

static gboolean
compile(Stage *stage, NornVertexPart part, char **reason) {
  NornCompileOptions options;
  GError *error = NULL;
  gsize size;
  norn_compile_options_init(&options);
  options.vertex_part = part;
  const void *data = g_bytes_get_data(stage->shader->bytes, &size);
  NornModule *module = norn_module_from_spirv(data, size, stage->shader->path,
                                              &stage->shader->options, NULL, &error);
  stage->code = module ? norn_compile(module, &options, &stage->info, &error) : NULL;
  norn_module_free(module);
  if (stage->code)
    return TRUE;
  *reason = g_strdup_printf("refused: %s", error->message);
  g_error_free(error);
  return FALSE;
}

static gboolean
stage_init(Stage *stage, Scene *scene, const Shader *shader, gboolean simulate, NornVertexPart part,
           char **reason) {
  *stage = (Stage){.shader = shader, .simulate = simulate};
  NornLaunch *launch = &stage->launch;
  if (simulate && !compile(stage, part, reason))
    return FALSE;
  memcpy(stage->uniforms, scene->push, sizeof scene->push);
  put_system_values(stage, scene);
  launch->stage = norn_module_stage(shader->module);
  launch->memory = norn_memory_new();
  stage->resources = g_new0(NornResource, scene->items->len + 1);
  stage->images = g_new0(NornImage, scene->items->len + 1);
  for (guint i = 0; i < scene->items->len; i++) {
    const Item *item = &g_array_index(scene->items, Item, i);
    char name[16];
    g_snprintf(name, sizeof name, "r%u", i);
    norn_memory_add(launch->memory, name, 0, item->bytes, item->size, NULL);
    stage->images[i] = item->image;
    stage->images[i].buffer = i;
    stage->resources[i] = (NornResource){
        .handle = item->resource.handle + item->element,
        .buffer = i,
        .image = item->image.format.channels ? &stage->images[i] : NULL,
        .sampler = item->resource.kind == NORN_SPIRV_SAMPLER ? &item->sampler : NULL,
    };
  }
  launch->resources = stage->resources;
  launch->resource_count = scene->items->len;
  launch->uniforms = stage->uniforms;
  launch->uniform_count = NORN_FAU_WORDS;
  launch->step_limit = STEP_LIMIT;
  launch->grid[0] = scene->groups;
  launch->grid[1] = launch->grid[2] = 1;
  norn_module_workgroup(shader->module, launch->workgroup);
  launch->info = simulate ? &stage->info : NULL;
  launch->shared_bytes = simulate ? stage->info.workgroup_local_size : 0;
  launch->scratch_bytes = simulate ? stage->info.thread_local_size : 0;
  if (simulate && stage->info.denormals == NORN_DENORMALS_FLUSH)
    launch->ftz = NORN_FTZ_ALL;
  if (simulate)
    norn_launch_fill_uniforms(launch, &stage->info, stage->uniforms);
  return TRUE;
}

static bool
run_launch(void *data, const NornLaunch *launch, GError **error) {
  const Stage *stage = data;
  if (!stage->simulate)
    return norn_interpret(stage->shader->module, launch, NULL, error);
  gsize size;
  const void *code = g_bytes_get_data(stage->code, &size);
  return norn_simulate_valhall(code, size, stage->info.architecture, launch, NULL, error);
}

static gboolean
finish(gboolean done, GError **error, char **reason) {
  if (done)
    return TRUE;
  gboolean is_limit = g_error_matches(*error, NORN_ERROR, NORN_ERROR_LIMIT);
  *reason = g_strdup_printf("%s: %s", is_limit ? "runs long" : "traps", (*error)->message);
  g_clear_error(error);
  return FALSE;
}

static void
take_contents(const Stage *stage, Scene *scene) {
  for (guint i = 0; i < scene->items->len; i++) {
    const Item *item = &g_array_index(scene->items, Item, i);
    memcpy(item->bytes, norn_memory_bytes(stage->launch.memory, i, NULL), item->size);
  }
}

/* Ends the run if an integer is divided by 0, or if the remainder of a negative one is computed. */
static bool
is_division_defined(const NornObservation *at, gpointer user_data) {
  static const char *const divisions[] = {"= udiv.", "= sdiv.", "= urem.", "= srem."};
  g_autofree char *text = NULL;
  NornObservedValue values[2];
  (void)user_data;
  if (at->phase != NORN_OBSERVE_BEFORE)
    return true;
  text = norn_observation_text(at);
  for (guint i = 0; i < G_N_ELEMENTS(divisions); i++) {
    if (!strstr(text, divisions[i]) || !norn_observation_operand(at, 0, &values[0]) ||
        !norn_observation_operand(at, 1, &values[1]))
      continue;
    for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++)
      if ((at->active >> lane & 1) &&
          (!values[1].bits[0][lane] ||
           (i == 3 && (values[0].bits[0][lane] | values[1].bits[0][lane]) >> 31)))
        return false;
  }
  return true;
}

gboolean
scene_divides_undefined(Scene *scene, const Shader *shader) {
  Stage stage;
  GError *error = NULL;
  NornObserver observer = {is_division_defined, NULL};
  g_autofree char *reason = NULL;
  if (!has_instruction(shader->bytes, OP_U_DIV, OP_S_MOD) ||
      !stage_init(&stage, scene, shader, FALSE, NORN_VERTEX_WHOLE, &reason))
    return FALSE;
  stage.launch.observer = &observer;
  run_launch(&stage, &stage.launch, &error);
  gboolean is_stopped = g_error_matches(error, NORN_ERROR, NORN_ERROR_STOPPED);
  g_clear_error(&error);
  return is_stopped;
}

gboolean
scene_compute(Scene *scene, const Shader *shader, gboolean simulate, char **reason) {
  Stage stage;
  GError *error = NULL;
  if (!stage_init(&stage, scene, shader, simulate, NORN_VERTEX_WHOLE, reason))
    return FALSE;
  stage.launch.check_races = !simulate; /* results that depend on a race can be anything */
  if (!finish(run_launch(&stage, &stage.launch, &error), &error, reason))
    return FALSE;
  take_contents(&stage, scene);
  return TRUE;
}

/* --- Drawing --- */

/* Runs the vertices; their positions and varyings stay in memory. */
static gboolean
run_vertices(Stage *stage, Scene *scene, const Shader *shader, gboolean simulate,
             NornVertexPart part, NornMemory *outputs, guint32 stride, char **reason) {
  NornAttribute attributes[256] = {0};
  GError *error = NULL;
  if (!stage_init(stage, scene, shader, simulate, part, reason))
    return FALSE;
  NornLaunch *launch = &stage->launch;
  for (guint i = 0; i < scene->attributes->len; i++) {
    const Attribute *attribute = &g_array_index(scene->attributes, Attribute, i);
    char name[16];
    g_snprintf(name, sizeof name, "a%u", i);
    norn_memory_add(launch->memory, name, 0, attribute->bytes, attribute->size, NULL);
    attributes[attribute->location] =
        (NornAttribute){norn_memory_find(launch->memory, name), 0, 16, 0, attribute->format};
  }
  norn_memory_add(launch->memory, "position", 0, NULL, VERTICES * 16, NULL);
  norn_memory_add(launch->memory, "varyings", 0, NULL, (gsize)VERTICES * stride, NULL);
  stage->vertex = (NornVertexState){
      .attributes = attributes,
      .attribute_count = G_N_ELEMENTS(attributes),
      .position_buffer = norn_memory_find(launch->memory, "position"),
      .extra_buffer = SIZE_MAX,
      .varying_buffer = norn_memory_find(launch->memory, "varyings"),
      .varying_stride = stride,
      .writes_varyings = part == NORN_VERTEX_VARYINGS,
  };
  launch->vertex = &stage->vertex;
  launch->grid[0] = 1;
  launch->workgroup[0] = VERTICES;
  launch->workgroup[1] = launch->workgroup[2] = 1;
  if (!finish(run_launch(stage, launch, &error), &error, reason))
    return FALSE;
  if (part != NORN_VERTEX_VARYINGS)
    memcpy(norn_memory_bytes(outputs, 0, NULL),
           norn_memory_bytes(launch->memory, stage->vertex.position_buffer, NULL), VERTICES * 16);
  if (part != NORN_VERTEX_POSITION)
    memcpy(norn_memory_bytes(outputs, 1, NULL),
           norn_memory_bytes(launch->memory, stage->vertex.varying_buffer, NULL),
           (gsize)VERTICES * stride);
  return TRUE;
}

static guint32
varying_stride(const Shader *fragment, const Shader *vertex) {
  NornSpirvResource resource;
  guint32 locations = 1;
  const NornSpirvInterface *both[] = {fragment->interface, vertex->interface};
  for (guint k = 0; k < 2; k++)
    for (guint i = 0; norn_spirv_interface_resource(both[k], i, &resource); i++)
      if (resource.kind == NORN_SPIRV_VARYING && resource.location < 64)
        locations = MAX(locations, resource.location + 1);
  return 16 * locations;
}

gboolean
scene_draw(Scene *scene, const Shader *vertex, const Shader *fragment, gboolean simulate,
           guint32 *pixels, char **reason) {
  Stage stage;
  GError *error = NULL;
  guint32 stride = varying_stride(fragment, vertex);
  NornMemory *outputs = norn_memory_new();
  NornImage images[NORN_COLOR_TARGETS] = {0};
  norn_memory_add(outputs, "position", 0, NULL, VERTICES * 16, NULL);
  norn_memory_add(outputs, "varyings", 0, NULL, (gsize)VERTICES * stride, NULL);
  gboolean done = simulate ? run_vertices(&stage, scene, vertex, TRUE, NORN_VERTEX_POSITION,
                                          outputs, stride, reason) &&
                                 run_vertices(&stage, scene, vertex, TRUE, NORN_VERTEX_VARYINGS,
                                              outputs, stride, reason)
                           : run_vertices(&stage, scene, vertex, FALSE, NORN_VERTEX_WHOLE, outputs,
                                          stride, reason);
  if (!done || !stage_init(&stage, scene, fragment, simulate, NORN_VERTEX_WHOLE, reason))
    return FALSE;
  NornLaunch *launch = &stage.launch;
  stage.fragment = (NornFragmentState){.width = PICTURE_SIDE, .height = PICTURE_SIDE, .samples = 1};
  for (guint i = 0; i < scene->colors->len; i++) {
    const Color *color = &g_array_index(scene->colors, Color, i);
    char name[16];
    g_snprintf(name, sizeof name, "c%u", i);
    norn_memory_add(launch->memory, name, 0, NULL, PICTURE_SIDE * PICTURE_SIDE * 16, NULL);
    images[i] = (NornImage){.buffer = norn_memory_find(launch->memory, name),
                            .format = {4, 32, color->kind},
                            .width = PICTURE_SIDE,
                            .height = PICTURE_SIDE,
                            .depth = 1,
                            .layers = 1,
                            .levels = 1,
                            .samples = 1};
    stage.fragment.targets[color->location] = &images[i];
  }
  launch->fragment = &stage.fragment;
  memcpy(launch->grid, (guint32[3]){PICTURE_SIDE / 4, PICTURE_SIDE / 4, 1}, sizeof launch->grid);
  memcpy(launch->workgroup, (guint32[3]){4, 4, 1}, sizeof launch->workgroup);
  NornTriangles triangles = {
      .positions = (const float(*)[4])(void *)norn_memory_bytes(outputs, 0, NULL),
      .varyings = norn_memory_bytes(outputs, 1, NULL),
      .varying_stride = stride,
      .vertex_count = VERTICES,
  };
  if (!finish(norn_draw_triangles(&triangles, launch, run_launch, &stage, &error), &error, reason))
    return FALSE;
  for (guint i = 0; i < scene->colors->len; i++)
    memcpy(pixels + (gsize)i * PICTURE_SIDE * PICTURE_SIDE * 4,
           norn_memory_bytes(launch->memory, images[i].buffer, NULL),
           PICTURE_SIDE * PICTURE_SIDE * 16);
  take_contents(&stage, scene);
  return TRUE;
}
