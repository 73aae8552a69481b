/* Where the driver puts what a shader declares.
 *
 * What the API provides is at fixed places (doc/spirv.md). A resource of set S and binding B is
 * entry B of a resource table determined by S. Push constants are uniform words starting with word
 * 0. Values that only the driver knows take the uniform words after them, in the order in which the
 * shader first uses them. */
#include "spirv/interface.h"
#include <string.h>

#define MAX_SETS 16

struct NornSpirvInterface {
  GArray *resources; /* NornSpirvResource; each owns its name */
};

static void
clear_resource(gpointer resource) {
  g_free((char *)((NornSpirvResource *)resource)->name);
}

NornSpirvInterface *
norn_spirv_take_interface(NornSpirvReader *reader) {
  NornSpirvInterface *interface = g_new(NornSpirvInterface, 1);
  interface->resources = g_steal_pointer(&reader->resources);
  return interface;
}

void
norn_spirv_clear_interface(NornSpirvReader *reader) {
  if (reader->resources)
    g_array_unref(reader->resources);
  if (reader->variables)
    g_ptr_array_unref(reader->variables);
  if (reader->names)
    g_ptr_array_unref(reader->names);
}

bool
norn_spirv_interface_resource(const NornSpirvInterface *interface, unsigned index,
                              NornSpirvResource *resource) {
  if (index >= interface->resources->len)
    return false;
  *resource = g_array_index(interface->resources, NornSpirvResource, index);
  return true;
}

void
norn_spirv_interface_free(NornSpirvInterface *interface) {
  if (interface)
    g_array_unref(interface->resources);
  g_free(interface);
}

NornSpirvResource *
norn_spirv_add_resource(NornSpirvReader *reader, NornSpirvResourceKind kind, const char *name) {
  NornSpirvResource resource = {.name = g_strdup(name), .kind = kind, .count = 1};
  g_array_append_val(reader->resources, resource);
  return &g_array_index(reader->resources, NornSpirvResource, reader->resources->len - 1);
}

/* --- The module --- */

static char *
clean_name(const char *name) {
  char *clean = g_strdup(name);
  for (char *c = clean; *c; c++)
    if (!g_ascii_isalnum(*c))
      *c = '_';
  return clean;
}

bool
norn_spirv_make_module(NornSpirvReader *reader) {
  if (reader->module)
    return true;
  if (!reader->entry) {
    norn_spirv_refuse_entry(reader);
    return false;
  }
  NornShaderStage stage;
  if (norn_spirv_find_stage(reader->model, &stage)) {
    char *name = clean_name(norn_spirv_text(reader, reader->entry_at + 3));
    reader->module = norn_module_new(stage, *name ? name : "main");
    g_free(name);
  } else {
    const char *model = norn_spirv_enumerant_name("ExecutionModel", reader->model);
    norn_spirv_unsupported(reader, "shaders of the stage %s are not supported",
                           model ? model : "with this number");
    return false;
  }
  g_free(reader->module->filename);
  reader->module->filename = g_strdup(reader->filename);
  if (reader->flushed_denormals)
    norn_module_set_float_mode(reader->module, NORN_DENORMALS_FLUSH, NORN_ROUND_RTE);
  norn_module_set_early_tests(reader->module, reader->tests_early);
  reader->builder = norn_builder_new(reader->module);
  reader->setup = norn_build_block(reader->builder, "entry");
  reader->resources = g_array_new(FALSE, FALSE, sizeof(NornSpirvResource));
  g_array_set_clear_func(reader->resources, clear_resource);
  reader->variables = g_ptr_array_new();
  reader->names = g_ptr_array_new_with_free_func(g_free);
  return true;
}

NornRef
norn_spirv_begin_setup(NornSpirvReader *reader) {
  NornRef block = reader->block;
  norn_spirv_go_to(reader, reader->setup);
  norn_builder_set_line(reader->builder, 0);
  return block;
}

void
norn_spirv_end_setup(NornSpirvReader *reader, NornRef block) {
  norn_spirv_set_line(reader, reader->line_file, reader->line);
  norn_spirv_go_to(reader, block);
}

/* --- Uniform words --- */

/* Declares words under a unique name, which is to be freed with g_free. */
static char *
declare_words(NornSpirvReader *reader, const char *name, NornType type, uint32_t word,
              uint32_t count) {
  NornType found;
  unsigned at, number;
  char *clean = clean_name(*name ? name : "word");
  for (unsigned k = 1; norn_module_find_fau(reader->module, clean, &found, &at, &number); k++) {
    g_free(clean);
    char *other = g_strdup_printf("%s_%u", *name ? name : "word", k);
    clean = clean_name(other);
    g_free(other);
  }
  norn_module_add_fau(reader->module, clean, type, word, count);
  return clean;
}

uint32_t
norn_spirv_take_words(NornSpirvReader *reader, const char *name, NornSpirvResourceKind kind,
                      NornType type, uint32_t count) {
  uint32_t size = norn_type_words(type), word = (reader->uniform_words + size - 1) / size * size;
  if (word + size * count > NORN_FAU_WORDS) {
    norn_spirv_fail(reader, NORN_ERROR_LIMIT, "the shader needs more than %u uniform words",
                    NORN_FAU_WORDS);
    return 0;
  }
  reader->uniform_words = word + size * count;
  char *declared = declare_words(reader, name, type, word, count);
  g_ptr_array_add(reader->names, declared);
  if (kind == NORN_SPIRV_SYSTEM_VALUE) {
    NornSpirvResource *resource = norn_spirv_add_resource(reader, kind, name);
    resource->count = 0; /* not about an image */
    resource->word = word;
    resource->words = size * count;
    resource->type = type;
    resource->components = count;
  }
  return word;
}

uint32_t
norn_spirv_layout_bytes(const NornSpirvType *type, uint32_t matrix_stride, bool row_major) {
  uint64_t bytes = 0;
  switch (type->op) {
  case SpvOpTypeStruct:
    for (uint32_t k = 0; k < type->count; k++) {
      const NornSpirvMember *member = &type->members[k];
      if (member->offset != NORN_SPIRV_NONE)
        bytes = MAX(bytes, member->offset + (uint64_t)norn_spirv_layout_bytes(member->type,
                                                                              member->matrix_stride,
                                                                              member->row_major));
    }
    break;
  case SpvOpTypeArray:
    if (type->count)
      bytes = (type->count - 1) * (uint64_t)type->stride +
              norn_spirv_layout_bytes(type->element, matrix_stride, row_major);
    break;
  case SpvOpTypeMatrix:
    if (row_major)
      bytes = (type->element->count - 1) * (uint64_t)matrix_stride +
              type->count * (uint64_t)norn_type_bits((NornType)type->scalar) / 8;
    else
      bytes = (type->count - 1) * (uint64_t)matrix_stride +
              norn_spirv_layout_bytes(type->element, 0, false);
    break;
  case SpvOpTypeVector:
    bytes = type->count * (uint64_t)norn_type_bits((NornType)type->scalar) / 8;
    break;
  default:
    bytes = type->scalar ? norn_type_bits((NornType)type->scalar) / 8 : 0;
  }
  return (uint32_t)MIN(bytes, UINT32_MAX);
}

/* The type of all scalars of a value; VOID if their types differ. */
static NornType
scalars_type(const NornSpirvType *type) {
  NornType first = type->flat ? norn_spirv_scalar_type(type, 0) : NORN_TYPE_VOID;
  for (uint32_t k = 1; k < type->flat; k++)
    if (norn_spirv_scalar_type(type, k) != first)
      return NORN_TYPE_VOID;
  return first;
}

/* The same, but also VOID for integers smaller than a word. */
static NornType
common_type(const NornSpirvType *type) {
  NornType scalar = scalars_type(type);
  return scalar == NORN_TYPE_F16 || norn_type_bits(scalar) >= 32 ? scalar : NORN_TYPE_VOID;
}

static bool
is_declared(const NornSpirvReader *reader, uint32_t word) {
  const NornModule *module = reader->module;
  for (uint32_t k = 0; k < module->fau_count; k++) {
    const NornFau *fau = &module->faus[k];
    if (word - fau->word < fau->count * norn_type_words(fau->type))
      return true;
  }
  return false;
}

/* Declares those words of a member that are not declared yet, under its name. Members smaller than
 * a word share it: the first one declares it. Thus nothing else is put into a word that contains
 * part of a push constant. */
static void
declare_member(NornSpirvReader *reader, NornSpirvResource *resource, NornType type,
               const char *name) {
  uint32_t word = resource->word, last = word + resource->words;
  while (word < last && is_declared(reader, word))
    word++;
  uint32_t end = word;
  while (end < last && !is_declared(reader, end))
    end++;
  if (word == end)
    return;
  bool is_whole = !resource->component && word == resource->word && end == word + resource->words;
  char *declared = declare_words(reader, name, is_whole ? type : NORN_TYPE_I32, word,
                                 is_whole ? (end - word) / norn_type_words(type) : end - word);
  if (word == resource->word) {
    g_free((char *)resource->name);
    resource->name = declared;
  } else {
    g_free(declared);
  }
}

/* Declares the words of each member of a block of push constants. */
void
norn_spirv_declare_push_constants(NornSpirvReader *reader, const NornSpirvType *block) {
  if (block->op != SpvOpTypeStruct)
    norn_spirv_invalid(reader, "the push constants are not a structure");
  for (uint32_t k = 0; k < block->count && !reader->error; k++) {
    const NornSpirvMember *member = &block->members[k];
    if (member->offset == NORN_SPIRV_NONE)
      continue;
    NornType type = common_type(member->type);
    uint32_t bytes =
        norn_spirv_layout_bytes(member->type, member->matrix_stride, member->row_major);
    uint32_t first = reader->options->abi.push_constant_word;
    uint32_t word = first + member->offset / 4, end = first + (member->offset + bytes + 3) / 4;
    bool is_split = norn_type_words(type) == 2 && (word % 2 || (end - word) % 2);
    if (is_split || norn_type_bits(type) < 32)
      type = NORN_TYPE_I32;
    const char *name = norn_spirv_text(reader, member->name);
    NornSpirvResource *resource = norn_spirv_add_resource(reader, NORN_SPIRV_PUSH_CONSTANT, name);
    resource->word = word;
    resource->words = end - word;
    resource->bytes = bytes;
    NornType scalar = scalars_type(member->type);
    bool is_small = scalar && norn_type_bits(scalar) < 32;
    resource->type = is_small || member->offset % 4 || bytes % 4 ? scalar : type;
    resource->component = member->offset % 4;
    resource->components = member->type->flat;
    declare_member(reader, resource, type, name);
  }
}

void
norn_spirv_reserve_push_constants(NornSpirvReader *reader, const NornSpirvType *block) {
  const NornSpirvAbi *abi = &reader->options->abi;
  uint32_t bytes = norn_spirv_layout_bytes(block, 0, false), first = abi->push_constant_word;
  uint32_t room = first < NORN_FAU_WORDS ? NORN_FAU_WORDS - first : 0;
  if (bytes > 4 * room) {
    norn_spirv_fail(reader, NORN_ERROR_LIMIT, "%u bytes of push constants, expected at most %u",
                    bytes, 4 * room);
    return;
  }
  uint32_t end = first + (bytes + 3) / 4;
  reader->uniform_words = MAX(reader->uniform_words, end);
  for (unsigned k = 0; k < abi->place_count; k++)
    if (abi->places[k].has_word && abi->places[k].word + 2 > first && abi->places[k].word < end)
      norn_spirv_invalid(reader, "push constants overlap the uniform word %u of set %u, binding %u",
                         abi->places[k].word, abi->places[k].set, abi->places[k].binding);
}

void
norn_spirv_reserve_words(NornSpirvReader *reader) {
  const NornSpirvAbi *abi = &reader->options->abi;
  if (abi->push_constant_word % 2)
    norn_spirv_invalid(reader, "push constants must begin at an even uniform word");
  if (abi->robustness > NORN_SPIRV_ZERO)
    norn_spirv_invalid(reader, "robustness %u does not exist", (unsigned)abi->robustness);
  reader->uniform_words = abi->system_word;
  for (unsigned k = 0; k < abi->place_count; k++) {
    const NornSpirvPlace *place = &abi->places[k];
    if (place->has_word && (place->word % 2 || place->word >= NORN_FAU_WORDS - 1))
      norn_spirv_invalid(reader,
                         "an address must begin at an even uniform word below %u, not at %u",
                         NORN_FAU_WORDS, place->word);
    else if (place->has_word)
      reader->uniform_words = MAX(reader->uniform_words, place->word + 2);
  }
}

/* --- Resources --- */

/* The name of a variable or, if it has none, of its type. */
static const char *
resource_name(const NornSpirvReader *reader, uint32_t id, const NornSpirvType *type) {
  const char *name = norn_spirv_text(reader, reader->ids[id].name);
  return *name ? name : norn_spirv_text(reader, reader->ids[type->id].name);
}

/* The type of the runtime array at the end of a block, or NULL. */
static const NornSpirvType *
last_array(const NornSpirvType *block) {
  const NornSpirvType *last =
      block->op == SpvOpTypeStruct && block->count ? block->members[block->count - 1].type : NULL;
  return last && last->op == SpvOpTypeRuntimeArray ? last : NULL;
}

static uint32_t
buffer_bytes(const NornSpirvType *block) {
  uint32_t bytes = norn_spirv_layout_bytes(block, 0, false);
  if (last_array(block))
    bytes = MAX(bytes, block->members[block->count - 1].offset);
  return bytes;
}

/* Whether every member is marked as non-writable, or the variable is. */
static bool
is_read_only(const NornSpirvReader *reader, uint32_t id, const NornSpirvType *block) {
  bool all = block->op == SpvOpTypeStruct && block->count;
  for (uint32_t k = 0; all && k < block->count; k++)
    all = norn_spirv_is_decorated(reader, block->id, k, SpvDecorationNonWritable);
  return all || norn_spirv_is_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationNonWritable);
}

static NornSpirvResourceKind
resource_kind(const NornSpirvType *type, bool is_storage) {
  switch (type->op) {
  case SpvOpTypeSampler:
    return NORN_SPIRV_SAMPLER;
  case SpvOpTypeSampledImage:
    return NORN_SPIRV_TEXTURE;
  case SpvOpTypeImage:
    if (type->image[0] == SpvDimSubpassData)
      return NORN_SPIRV_INPUT_ATTACHMENT;
    return type->image[4] == 2 ? NORN_SPIRV_STORAGE_IMAGE : NORN_SPIRV_TEXTURE;
  default:
    return is_storage ? NORN_SPIRV_STORAGE_BUFFER : NORN_SPIRV_UNIFORM_BUFFER;
  }
}

/* The place that the interface gives for a resource; NULL: its usual place. */
static const NornSpirvPlace *
find_place(const NornSpirvReader *reader, const NornSpirvResource *resource) {
  const NornSpirvAbi *abi = &reader->options->abi;
  for (unsigned k = 0; k < abi->place_count; k++)
    if (abi->places[k].set == resource->set && abi->places[k].binding == resource->binding)
      return &abi->places[k];
  return NULL;
}

/* The handle of a resource, or of its sampler. */
static uint32_t
find_handle(NornSpirvReader *reader, const NornSpirvResource *resource, bool is_sampler) {
  const NornSpirvAbi *abi = &reader->options->abi;
  const NornSpirvPlace *place = find_place(reader, resource);
  if (place)
    return is_sampler ? place->sampler : place->handle;
  uint32_t table = (is_sampler ? abi->sampler_table : abi->resource_table) + resource->set;
  if (resource->set >= MAX_SETS || table >= NORN_HANDLE_TABLES ||
      resource->binding + (uint64_t)MAX(resource->count, 1) > NORN_HANDLE_ENTRIES)
    norn_spirv_unsupported(reader, "set %u, binding %u: expected one of %u sets of %u entries",
                           resource->set, resource->binding, MAX_SETS, NORN_HANDLE_ENTRIES);
  return table % NORN_HANDLE_TABLES << NORN_HANDLE_TABLE_SHIFT |
         resource->binding % NORN_HANDLE_ENTRIES;
}

/* Describes a resource that is named by a handle or by the index of a color target; `type` is that
 * of a single resource, without arrays. */
static NornSpirvResource
describe_resource(NornSpirvReader *reader, uint32_t id, const NornSpirvType *type, uint32_t count,
                  bool is_storage) {
  NornSpirvResource resource = {.name = resource_name(reader, id, type), .count = count};
  resource.set = norn_spirv_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationDescriptorSet, 0);
  resource.binding = norn_spirv_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationBinding, 0);
  resource.kind = resource_kind(type, is_storage);
  if (resource.kind == NORN_SPIRV_INPUT_ATTACHMENT)
    resource.location =
        norn_spirv_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationInputAttachmentIndex, 0);
  else
    resource.handle = find_handle(reader, &resource, resource.kind == NORN_SPIRV_SAMPLER);
  resource.written =
      !is_read_only(reader, id, type) &&
      (resource.kind == NORN_SPIRV_STORAGE_BUFFER || resource.kind == NORN_SPIRV_STORAGE_IMAGE);
  if (type->op == SpvOpTypeStruct) {
    resource.bytes = buffer_bytes(type);
    resource.stride = last_array(type) ? last_array(type)->stride : 0;
    resource.type = common_type(last_array(type) ? last_array(type)->element : type);
  } else if (resource.kind != NORN_SPIRV_SAMPLER) {
    const NornSpirvType *image = type->op == SpvOpTypeSampledImage ? type->element : type;
    resource.type = (NornType)image->element->scalar;
    bool is_single = image->image[5] == SpvImageFormatR32f ||
                     image->image[5] == SpvImageFormatR32i ||
                     image->image[5] == SpvImageFormatR32ui;
    resource.components = is_single ? 1 : 4;
    norn_spirv_dimension(reader, image, &resource.dimension);
  }
  return resource;
}

/* Two arrays of resources whose entries overlap would share memory. */
static void
check_overlap(NornSpirvReader *reader, const NornSpirvResource *resource) {
  for (unsigned k = 0; k < reader->resources->len; k++) {
    const NornSpirvResource *other = &g_array_index(reader->resources, NornSpirvResource, k);
    uint32_t own = MAX(resource->count, 1), others = MAX(other->count, 1);
    if (resource->kind <= NORN_SPIRV_STORAGE_IMAGE && other->kind <= NORN_SPIRV_STORAGE_IMAGE &&
        !other->words && !resource->words && other->binding != resource->binding &&
        other->handle < resource->handle + own && resource->handle < other->handle + others)
      norn_spirv_unsupported(reader,
                             "bindings %u and %u of set %u overlap: the elements of an array "
                             "occupy the entries of the bindings after it",
                             other->binding, resource->binding, resource->set);
  }
}

static void
append_resource(NornSpirvReader *reader, const NornSpirvResource *resource) {
  NornSpirvResource copy = *resource;
  check_overlap(reader, resource);
  copy.name = g_strdup(resource->name);
  g_array_append_val(reader->resources, copy);
}

/* The first storage buffer with the same binding, which has its address; NULL: there is none. */
static NornSpirvResource *
find_same_binding(const NornSpirvReader *reader, const NornSpirvResource *resource) {
  for (unsigned k = 0; k < reader->resources->len; k++) {
    NornSpirvResource *other = &g_array_index(reader->resources, NornSpirvResource, k);
    if (other->kind == NORN_SPIRV_STORAGE_BUFFER && other->words && other->set == resource->set &&
        other->binding == resource->binding)
      return other;
  }
  return NULL;
}

/* Takes two uniform words for the address of a storage buffer. */
static void
take_address(NornSpirvReader *reader, uint32_t id, NornSpirvResource *resource) {
  const NornSpirvPlace *place = find_place(reader, resource);
  if (place && place->has_word) {
    resource->word = place->word;
    g_ptr_array_add(reader->names,
                    declare_words(reader, resource->name, NORN_TYPE_I64, place->word, 1));
  } else {
    resource->word =
        norn_spirv_take_words(reader, resource->name, resource->kind, NORN_TYPE_I64, 1);
  }
  resource->words = 2;
  bool is_alone = !norn_spirv_is_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationAliased);
  norn_module_set_noalias(reader->module, norn_build_uniform(reader->builder, resource->word),
                          is_alone);
  norn_module_set_alignment(reader->module, norn_build_uniform(reader->builder, resource->word),
                            NORN_SPIRV_BUFFER_ALIGNMENT);
  if (reader->names->len) /* the name that was declared */
    resource->name = reader->names->pdata[reader->names->len - 1];
  append_resource(reader, resource);
}

/* Sets up a storage buffer whose address is in two uniform words. Variables with the same binding
 * share the words and are described by the first of them. Other variables may be assumed to be in
 * different memory, unless they are decorated as Aliased. */
static void
set_up_address(NornSpirvReader *reader, NornSpirvVariable *variable, NornSpirvResource *resource) {
  NornSpirvPointer *pointer = &variable->pointer;
  if (pointer->type->op != SpvOpTypeStruct) {
    norn_spirv_unsupported(reader, "access by addresses is not supported for an array of buffers");
    return;
  }
  NornSpirvResource *same = find_same_binding(reader, resource);
  if (same) {
    resource->word = same->word;
    same->written |= resource->written;
    same->bytes = MAX(same->bytes, resource->bytes);
    same->stride = MAX(same->stride, resource->stride);
    norn_module_set_noalias(reader->module, norn_build_uniform(reader->builder, same->word), false);
    resource->words = same->words;
    append_resource(reader, resource);
  } else {
    take_address(reader, variable->id, resource);
  }
  pointer->space = reader->options->abi.robustness == NORN_SPIRV_UNCHECKED ? NORN_SPIRV_IN_GLOBAL
                                                                           : NORN_SPIRV_IN_CHECKED;
  pointer->base = norn_build_uniform(reader->builder, resource->word);
}

NornRef
norn_spirv_size_of(NornSpirvReader *reader, NornSpirvVariable *variable) {
  /* Looked up by the words of the address, which variables with the same binding share. */
  uint32_t *size = &reader->size_words[norn_ref_payload(variable->pointer.base) % NORN_FAU_WORDS];
  if (!*size) {
    const char *own = resource_name(reader, variable->id, variable->pointer.type);
    for (unsigned k = 0; k < reader->resources->len; k++) {
      const NornSpirvResource *resource = &g_array_index(reader->resources, NornSpirvResource, k);
      if (resource->words && resource->kind == NORN_SPIRV_STORAGE_BUFFER &&
          norn_build_uniform(reader->builder, resource->word) == variable->pointer.base) {
        own = resource->name; /* the name of the first one */
        break;
      }
    }
    char *name = g_strdup_printf("%s_size", own);
    *size = 1 + norn_spirv_take_words(reader, name, NORN_SPIRV_SYSTEM_VALUE, NORN_TYPE_I32, 1);
    g_free(name);
  }
  return norn_build_uniform(reader->builder, *size - 1);
}

void
norn_spirv_set_up_resource(NornSpirvReader *reader, NornSpirvVariable *variable) {
  NornSpirvPointer *pointer = &variable->pointer;
  const NornSpirvType *type = pointer->type;
  uint64_t count = 1;
  while (type->op == SpvOpTypeArray || type->op == SpvOpTypeRuntimeArray) {
    count *= type->op == SpvOpTypeArray ? type->count : 0;
    type = type->element;
  }
  bool is_storage = variable->storage == SpvStorageClassStorageBuffer || type->is_buffer_block;
  bool is_buffer = type->op == SpvOpTypeStruct;
  if (!is_buffer && type->op != SpvOpTypeImage && type->op != SpvOpTypeSampler &&
      type->op != SpvOpTypeSampledImage) {
    norn_spirv_unsupported(reader, "a resource of type %%%u is not supported", type->id);
    return;
  }
  NornSpirvResource resource = describe_resource(
      reader, variable->id, type, (uint32_t)MIN(count, NORN_HANDLE_ENTRIES), is_storage);
  pointer->alignment = NORN_SPIRV_BUFFER_ALIGNMENT;
  const NornSpirvPlace *place = find_place(reader, &resource);
  bool is_array = pointer->type->op != SpvOpTypeStruct;
  bool has_address =
      (place && place->has_word) || (reader->options->abi.buffer_addresses && !is_array);
  if (is_storage && has_address) {
    set_up_address(reader, variable, &resource);
    return;
  }
  pointer->space = NORN_SPIRV_IN_HANDLES;
  bool is_attachment = resource.kind == NORN_SPIRV_INPUT_ATTACHMENT;
  pointer->base =
      norn_spirv_int(reader, NORN_TYPE_I32, is_attachment ? resource.location : resource.handle);
  pointer->constant = !is_storage;
  norn_spirv_enter_buffer(reader, pointer);
  append_resource(reader, &resource);
  if (type->op == SpvOpTypeSampledImage) {
    uint32_t texture = resource.handle;
    resource.kind = NORN_SPIRV_SAMPLER;
    resource.handle = find_handle(reader, &resource, true);
    variable->sampler_distance = resource.handle - texture;
    append_resource(reader, &resource);
  }
}

void
norn_spirv_enter_buffer(NornSpirvReader *reader, NornSpirvPointer *pointer) {
  if (pointer->space != NORN_SPIRV_IN_HANDLES || pointer->type->op != SpvOpTypeStruct)
    return;
  pointer->base = norn_spirv_handle(reader, pointer);
  pointer->space = pointer->constant ? NORN_SPIRV_IN_CONSTANT : NORN_SPIRV_IN_BUFFER;
  pointer->index = 0;
  pointer->offset = 0;
  pointer->alignment = NORN_SPIRV_BUFFER_ALIGNMENT;
}

NornRef
norn_spirv_handle(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  NornRef handle = norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32, pointer->base,
                                  norn_spirv_int(reader, NORN_TYPE_I32, pointer->offset));
  return pointer->index
             ? norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32, handle, pointer->index)
             : handle;
}

void
norn_spirv_load_handles(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornRef *refs) {
  const NornSpirvType *type = pointer->type;
  if (type->op != SpvOpTypeImage && type->op != SpvOpTypeSampler &&
      type->op != SpvOpTypeSampledImage) {
    norn_spirv_unsupported(reader, "loading several resources at once is not supported");
    return;
  }
  refs[0] = norn_spirv_handle(reader, pointer);
  if (type->op == SpvOpTypeSampledImage)
    refs[1] =
        norn_spirv_op2(reader, NORN_OP_IADD, NORN_TYPE_I32, refs[0],
                       norn_spirv_int(reader, NORN_TYPE_I32,
                                      pointer->variable ? pointer->variable->sampler_distance : 0));
}
