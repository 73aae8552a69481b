/* Image queries: sizes, levels, samples, the level of detail. Sizes and counts come from uniform
 * words if the driver's interface says so, otherwise from operations. */
#include "ir/ops.h"
#include "spirv/image.h"
#include "spirv/interface.h"

/* The single image that the handle names; NULL if it is one of an array, or unknown. */
static const NornSpirvResource *
find_single_image(const NornSpirvReader *reader, uint64_t handle) {
  for (unsigned k = 0; k < reader->resources->len; k++) {
    const NornSpirvResource *resource = &g_array_index(reader->resources, NornSpirvResource, k);
    bool is_image =
        resource->kind == NORN_SPIRV_TEXTURE || resource->kind == NORN_SPIRV_STORAGE_IMAGE;
    if (is_image && resource->handle == handle)
      return resource->count == 1 ? resource : NULL;
  }
  return NULL;
}

/* The words of an image's system value NAME_WHAT; the same ones each time. */
static uint32_t
image_words(NornSpirvReader *reader, const NornSpirvResource *image, const char *what,
            uint32_t count) {
  uint32_t handle = image->handle;
  for (unsigned k = 0; k < reader->resources->len; k++) {
    const NornSpirvResource *resource = &g_array_index(reader->resources, NornSpirvResource, k);
    if (resource->kind == NORN_SPIRV_SYSTEM_VALUE && resource->count == 1 &&
        resource->handle == handle && g_str_has_suffix(resource->name, what))
      return resource->word;
  }
  char *name = g_strconcat(*image->name ? image->name : "image", what, NULL);
  uint32_t word =
      norn_spirv_take_words(reader, name, NORN_SPIRV_SYSTEM_VALUE, NORN_TYPE_I32, count);
  g_free(name);
  if (!reader->error) {
    NornSpirvResource *last =
        &g_array_index(reader->resources, NornSpirvResource, reader->resources->len - 1);
    last->handle = handle;
    last->count = 1;
  }
  return word;
}

/* Finds the first of the uniform words that hold this property of the image; false if there are
 * none. */
static bool
find_words(NornSpirvReader *reader, const NornSpirvImageAccess *access, const char *what,
           uint32_t count, uint32_t *word) {
  uint64_t handle;
  const NornSpirvResource *image =
      reader->options->abi.image_words && norn_spirv_constant_bits(reader, access->texture, &handle)
          ? find_single_image(reader, handle)
          : NULL;
  if (image)
    *word = image_words(reader, image, what, count);
  return image != NULL;
}

/* Defines the size of a level from the size of the first level, in words; layers are not halved. */
static void
define_size(NornSpirvReader *reader, const NornSpirvImageAccess *access, uint32_t word,
            unsigned words, NornRef level) {
  uint64_t bits;
  bool is_first = norn_spirv_constant_bits(reader, level, &bits) && !bits;
  bool is_stored_cube = access->image->image[4] == 2 && access->image->image[0] == SpvDimCube;
  unsigned sides = words - norn_dimensions[access->dimension].is_array;
  NornRef *refs = norn_spirv_new_refs(reader, words);
  for (unsigned k = 0; k < words; k++) {
    refs[k] = norn_build_uniform(reader->builder, word + k);
    if (k >= sides && is_stored_cube)
      refs[k] = norn_spirv_op2(reader, NORN_OP_UDIV, NORN_TYPE_I32, refs[k],
                               norn_spirv_int(reader, NORN_TYPE_I32, 6));
    if (is_first || k >= sides)
      continue;
    refs[k] = norn_spirv_op2(reader, NORN_OP_LSHR, NORN_TYPE_I32, refs[k], level);
    refs[k] = norn_spirv_op2(reader, NORN_OP_UMAX, NORN_TYPE_I32, refs[k],
                             norn_spirv_int(reader, NORN_TYPE_I32, 1));
  }
  norn_spirv_define(reader, refs, words - (is_stored_cube && !access->image->image[2]));
}

/* For a cube that is stored to, which otherwise is an array of layers, the number of cubes is
 * returned, not of layers. */
void
norn_spirv_read_image_size(NornSpirvReader *reader) {
  NornSpirvImageAccess access = {0};
  if (!norn_spirv_find_image(reader, 3, &access))
    return;
  bool has_level = norn_spirv_opcode(reader) == SpvOpImageQuerySizeLod;
  bool is_storage = access.image->image[4] == 2;
  NornRef level =
      has_level ? norn_spirv_word_scalar(reader, 4) : norn_spirv_int(reader, NORN_TYPE_I32, 0);
  unsigned words = norn_size_words(access.dimension);
  uint32_t word;
  if (!reader->error && find_words(reader, &access, "_size", words, &word)) {
    define_size(reader, &access, word, words, level);
    return;
  }
  if (access.image->image[0] == SpvDimCube)
    access.dimension = access.image->image[2] ? NORN_DIMENSION_CUBE_ARRAY : NORN_DIMENSION_CUBE;
  words = norn_size_words(access.dimension);
  const NornRef before[] = {access.texture, level};
  NornRef size = norn_spirv_build_access(
      reader, &access,
      &(NornInstSpec){.op = is_storage ? NORN_OP_IMAGE_SIZE : NORN_OP_TEX_SIZE,
                      .type = norn_group_of_words(words),
                      .operands = before,
                      .operand_count = is_storage ? 1 : 2});
  if (!reader->error)
    norn_spirv_define_texel(reader, size, NORN_TYPE_I32, words);
}

NornRef
norn_spirv_cube_side(NornSpirvReader *reader, const NornSpirvImageAccess *access) {
  unsigned words = norn_size_words(access->dimension);
  NornType group = norn_group_of_words(words);
  NornRef sizes[3];
  uint32_t word;
  if (find_words(reader, access, "_size", words, &word))
    return norn_build_uniform(reader->builder, word);
  const NornRef before[] = {access->texture, norn_spirv_int(reader, NORN_TYPE_I32, 0)};
  const NornSpirvImageAccess whole = {.image = access->image, .dimension = access->dimension};
  NornRef size = norn_spirv_build_access(reader, &whole,
                                         &(NornInstSpec){.op = NORN_OP_TEX_SIZE,
                                                         .type = group,
                                                         .operands = before,
                                                         .operand_count = G_N_ELEMENTS(before)});
  if (reader->error)
    return 0;
  norn_build_split(reader->builder, NORN_TYPE_I32, group, size, words, sizes);
  return sizes[0];
}

void
norn_spirv_read_image_levels(NornSpirvReader *reader) {
  NornSpirvImageAccess access = {0};
  if (!norn_spirv_find_image(reader, 3, &access))
    return;
  bool is_levels = norn_spirv_opcode(reader) == SpvOpImageQueryLevels;
  uint32_t word;
  NornRef count;
  if (find_words(reader, &access, is_levels ? "_levels" : "_samples", 1, &word))
    count = norn_build_uniform(reader->builder, word);
  else
    count = is_levels ? norn_build_tex_levels(reader->builder, access.texture)
                      : norn_build_tex_samples(reader->builder, access.texture);
  norn_spirv_define_scalar(reader, count);
}

void
norn_spirv_read_image_lod(NornSpirvReader *reader) {
  NornSpirvImageAccess access = {0};
  if (!norn_spirv_find_image(reader, 3, &access))
    return;
  unsigned axes = norn_dimensions[access.dimension].axes;
  norn_spirv_push_coordinates(reader, &access, 4, axes, true, false);
  NornRef *refs = norn_spirv_new_refs(reader, 2);
  if (!access.sampler)
    norn_spirv_invalid(reader, "the image has no sampler");
  if (!reader->error)
    norn_build_tex_query_lod(reader->builder, access.dimension, access.texture, access.sampler,
                             access.count, access.list, refs);
  norn_spirv_define(reader, refs, 2);
}
