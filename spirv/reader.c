/* Walks the module's words once, and reports errors that name the word.
 *
 * Each instruction is checked against the grammar and recorded where its result is defined;
 * declarations are read along the way. Functions are listed after the walk and translated starting
 * from the entry point (function.c). The first error is kept and stops everything: later words are
 * not read, and a missing operand reads as 0. No count or id of the module is trusted before it is
 * compared with the number of words. */
#include "spirv/reader.h"
#include "ir/diagnostics.h"
#include "spirv/interface.h"
#include <string.h>

/* The universal limit of SPIR-V. */
#define BOUND_LIMIT 4194304u

/* In a module; those of groups count once for each id that they decorate. */
#define MAX_DECORATIONS (1u << 20)

/* --- Errors --- */

/* The name of the source file that OpLine refers to, or NULL. */
static const char *
source_file(const NornSpirvReader *reader) {
  if (!reader->line || reader->line_file >= reader->bound || !reader->ids[reader->line_file].at)
    return NULL;
  uint32_t at = reader->ids[reader->line_file].at;
  return (reader->words[at] & 0xFFFF) == SpvOpString ? norn_spirv_text(reader, at + 2) : NULL;
}

void
norn_spirv_fail(NornSpirvReader *reader, NornErrorCode code, const char *format, ...) {
  if (reader->error)
    return;
  va_list arguments;
  va_start(arguments, format);
  char *message = norn_format_message(format, arguments);
  va_end(arguments);
  const char *file = source_file(reader);
  GString *text = g_string_new(NULL);
  if (reader->at >= NORN_SPIRV_HEADER_WORDS && reader->at < reader->word_count) {
    uint32_t length = reader->words[reader->at] >> 16;
    char *instruction = norn_spirv_disassemble(reader->words + reader->at,
                                               CLAMP(length, 1, reader->word_count - reader->at));
    g_string_append_printf(text, "%s: ", instruction);
    g_free(instruction);
  }
  g_string_append(text, message);
  if (reader->line)
    g_string_append_printf(text, " (%s line %u)", file ? file : "source", reader->line);
  char *shown = norn_shorten_message(text->str); /* names come from the module */
  g_set_error(&reader->error, NORN_ERROR, code, "%s: word %u: %s", reader->filename, reader->at,
              shown);
  g_string_free(text, TRUE);
  g_free(shown);
  g_free(message);
}

/* --- Words --- */

uint32_t
norn_spirv_word(NornSpirvReader *reader, uint32_t k) {
  if (k < norn_spirv_length(reader))
    return reader->inst[k];
  norn_spirv_invalid(reader, "operand %u is missing", k);
  return 0;
}

NornSpirvId *
norn_spirv_find(NornSpirvReader *reader, uint32_t id) {
  if (id < reader->bound && reader->ids[id].at)
    return &reader->ids[id];
  norn_spirv_invalid(reader, "%%%u is not defined", id);
  return &reader->ids[0];
}

NornSpirvId *
norn_spirv_id(NornSpirvReader *reader, uint32_t k) {
  return norn_spirv_find(reader, norn_spirv_word(reader, k));
}

const char *
norn_spirv_text(const NornSpirvReader *reader, uint32_t at) {
  return at ? (const char *)(reader->words + at) : "";
}

bool
norn_spirv_check_text(NornSpirvReader *reader, uint32_t k) {
  uint32_t length = norn_spirv_length(reader);
  if (k < length && memchr(reader->words + reader->at + k, 0, (length - k) * sizeof(uint32_t)))
    return true;
  norn_spirv_fail(reader, NORN_ERROR_SYNTAX, "the string is not terminated");
  return false;
}

/* --- Names and decorations --- */

static void
read_name(NornSpirvReader *reader) {
  uint32_t id = norn_spirv_word(reader, 1);
  if (norn_spirv_check_text(reader, 2) && id < reader->bound)
    reader->ids[id].name = reader->at + 2;
}

static void
add_decoration(NornSpirvReader *reader, uint32_t id, NornSpirvDecoration decoration) {
  if (id >= reader->bound) {
    norn_spirv_invalid(reader, "%%%u is not below the bound of %u", id, reader->bound);
    return;
  }
  if (reader->decoration_count == MAX_DECORATIONS) {
    norn_spirv_fail(reader, NORN_ERROR_LIMIT,
                    "more than %u decorations, counting those of a group for each of its targets",
                    MAX_DECORATIONS);
    return;
  }
  NORN_GROW(reader->decorations, reader->decoration_capacity,
            (uint64_t)reader->decoration_count + 2);
  if (!reader->decoration_count)
    reader->decoration_count = 1; /* 0 means none */
  decoration.next = reader->ids[id].decorations;
  reader->decorations[reader->decoration_count] = decoration;
  reader->ids[id].decorations = reader->decoration_count++;
}

/* Reads a decoration whose words begin at word k of the instruction. Names of members are stored as
 * decorations as well. */
static void
read_decoration(NornSpirvReader *reader, uint32_t member, uint32_t decoration, uint32_t k) {
  reader->has_invariants |= decoration == SpvDecorationInvariant;
  add_decoration(reader, norn_spirv_word(reader, 1),
                 (NornSpirvDecoration){reader->at, member, decoration, reader->at + k,
                                       norn_spirv_length(reader) - k, 0});
}

static bool
is_group(const NornSpirvReader *reader, uint32_t id) {
  return id < reader->bound && reader->ids[id].at &&
         (reader->words[reader->ids[id].at] & 0xFFFF) == SpvOpDecorationGroup;
}

/* Copies the decorations of the group named by word 1 to an id, or to a member of it. Groups
 * themselves get none, so no list grows by more than the group's own. */
static void
share_decorations(NornSpirvReader *reader, uint32_t id, uint32_t member) {
  uint32_t group = norn_spirv_word(reader, 1);
  if (!is_group(reader, group) || is_group(reader, id)) {
    norn_spirv_invalid(reader, "%%%u is %s group of decorations",
                       is_group(reader, group) ? id : group, is_group(reader, group) ? "a" : "no");
    return;
  }
  for (uint32_t at = reader->ids[group].decorations; at && !reader->error;
       at = reader->decorations[at].next) {
    NornSpirvDecoration copy = reader->decorations[at];
    copy.member = member;
    add_decoration(reader, id, copy);
  }
}

/* Moves the first decoration of a list to the start of another one. */
static void
move_decoration(NornSpirvReader *reader, uint32_t *from, uint32_t *to) {
  NornSpirvDecoration *first = &reader->decorations[*from];
  uint32_t next = first->next;
  first->next = *to;
  *to = *from;
  *from = next;
}

void
norn_spirv_decorate_members(NornSpirvReader *reader, NornSpirvType *type) {
  uint32_t *all = &reader->ids[type->id].decorations, reversed = 0;
  while (*all)
    move_decoration(reader, all, &reversed);
  while (reversed) {
    uint32_t member = reader->decorations[reversed].member;
    move_decoration(reader, &reversed,
                    member < type->count ? &type->members[member].decorations : all);
  }
}

const NornSpirvDecoration *
norn_spirv_decoration(const NornSpirvReader *reader, uint32_t id, uint32_t member,
                      SpvDecoration decoration) {
  const NornSpirvType *type = reader->ids[id].type;
  bool has_lists = type && type->id == id && type->members && member < type->count;
  uint32_t first = has_lists ? type->members[member].decorations : reader->ids[id].decorations;
  for (uint32_t at = first; at; at = reader->decorations[at].next)
    if (reader->decorations[at].member == member &&
        reader->decorations[at].decoration == (uint32_t)decoration)
      return &reader->decorations[at];
  return NULL;
}

bool
norn_spirv_is_decorated(const NornSpirvReader *reader, uint32_t id, uint32_t member,
                        SpvDecoration decoration) {
  return norn_spirv_decoration(reader, id, member, decoration) != NULL;
}

uint32_t
norn_spirv_decorated(const NornSpirvReader *reader, uint32_t id, uint32_t member,
                     SpvDecoration decoration, uint32_t otherwise) {
  const NornSpirvDecoration *found = norn_spirv_decoration(reader, id, member, decoration);
  return found && found->operands ? reader->words[found->operand] : otherwise;
}

/* --- The memory model and imports --- */

static void
read_memory_model(NornSpirvReader *reader) {
  uint32_t addressing = norn_spirv_word(reader, 1), model = norn_spirv_word(reader, 2);
  if (addressing != SpvAddressingModelLogical &&
      addressing != SpvAddressingModelPhysicalStorageBuffer64)
    norn_spirv_unsupported(reader, "only Vulkan shaders are supported");
  else if (model != SpvMemoryModelGLSL450 && model != SpvMemoryModelVulkan)
    norn_spirv_unsupported(reader, "only Vulkan shaders are supported");
}

static void
read_import(NornSpirvReader *reader) {
  if (!norn_spirv_check_text(reader, 2))
    return;
  const char *name = norn_spirv_text(reader, reader->at + 2);
  uint32_t id = norn_spirv_word(reader, 1);
  if (!strcmp(name, "GLSL.std.450"))
    reader->glsl = id;
  else if (!strcmp(name, "SPV_AMD_shader_trinary_minmax"))
    reader->trinary = id;
  else if (g_str_has_prefix(name, "NonSemantic."))
    reader->ids[id].function = NORN_SPIRV_NONE; /* has no effect... */
  if (!strcmp(name, "NonSemantic.Shader.DebugInfo.100"))
    reader->debug = id; /* ... except for lines */
  /* Other sets are rejected where they are used. */
}

/* --- The walk --- */

/* Capabilities whose instructions may be supported; the instructions themselves decide. */
static const SpvCapability understood_capabilities[] = {
    SpvCapabilityShader,
    SpvCapabilityMatrix,
    SpvCapabilityGeometry, /* for a fragment shader that reads its primitive or layer */
    SpvCapabilityMultiViewport,
    SpvCapabilityFloat16,
    SpvCapabilityInt64,
    SpvCapabilityInt64Atomics,
    SpvCapabilityInt16,
    SpvCapabilityInt8,
    SpvCapabilityFloat64,
    SpvCapabilityImageGatherExtended,
    SpvCapabilityStorageImageMultisample,
    SpvCapabilityUniformBufferArrayDynamicIndexing,
    SpvCapabilitySampledImageArrayDynamicIndexing,
    SpvCapabilityStorageBufferArrayDynamicIndexing,
    SpvCapabilityStorageImageArrayDynamicIndexing,
    SpvCapabilityImageCubeArray,
    SpvCapabilitySampleRateShading,
    SpvCapabilitySampled1D,
    SpvCapabilityImage1D,
    SpvCapabilitySampledCubeArray,
    SpvCapabilitySampledBuffer,
    SpvCapabilityImageBuffer,
    SpvCapabilityImageMSArray,
    SpvCapabilityStorageImageExtendedFormats,
    SpvCapabilityStorageImageReadWithoutFormat,
    SpvCapabilityStorageImageWriteWithoutFormat,
    SpvCapabilityImageQuery,
    SpvCapabilityDerivativeControl,
    SpvCapabilityInterpolationFunction,
    SpvCapabilityMinLod,
    SpvCapabilityInputAttachment,
    SpvCapabilityClipDistance,
    SpvCapabilityCullDistance,
    SpvCapabilityDrawParameters,
    SpvCapabilityMultiView,
    SpvCapabilityDeviceGroup,
    SpvCapabilityVariablePointers,
    SpvCapabilityVariablePointersStorageBuffer,
    SpvCapabilityStorageBuffer8BitAccess,
    SpvCapabilityUniformAndStorageBuffer8BitAccess,
    SpvCapabilityStoragePushConstant8,
    SpvCapabilityStorageBuffer16BitAccess,
    SpvCapabilityUniformAndStorageBuffer16BitAccess,
    SpvCapabilityStoragePushConstant16,
    SpvCapabilityStorageInputOutput16,
    SpvCapabilityPhysicalStorageBufferAddresses,
    SpvCapabilityWorkgroupMemoryExplicitLayoutKHR,
    SpvCapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR,
    SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR,
    SpvCapabilityVulkanMemoryModel,
    SpvCapabilityVulkanMemoryModelDeviceScope,
    SpvCapabilityGroupNonUniform,
    SpvCapabilityGroupNonUniformVote,
    SpvCapabilityGroupNonUniformArithmetic,
    SpvCapabilityGroupNonUniformBallot,
    SpvCapabilityGroupNonUniformShuffle,
    SpvCapabilityGroupNonUniformShuffleRelative,
    SpvCapabilityGroupNonUniformClustered,
    SpvCapabilityGroupNonUniformQuad,
    SpvCapabilityGroupNonUniformRotateKHR,
    SpvCapabilitySubgroupBallotKHR,
    SpvCapabilitySubgroupVoteKHR,
    SpvCapabilityShaderNonUniform,
    SpvCapabilityRuntimeDescriptorArray,
    SpvCapabilityUniformBufferArrayNonUniformIndexing,
    SpvCapabilitySampledImageArrayNonUniformIndexing,
    SpvCapabilityStorageBufferArrayNonUniformIndexing,
    SpvCapabilityStorageImageArrayNonUniformIndexing,
    SpvCapabilityInputAttachmentArrayDynamicIndexing,
    SpvCapabilityInputAttachmentArrayNonUniformIndexing,
    SpvCapabilityUniformTexelBufferArrayDynamicIndexing,
    SpvCapabilityUniformTexelBufferArrayNonUniformIndexing,
    SpvCapabilityStorageTexelBufferArrayDynamicIndexing,
    SpvCapabilityStorageTexelBufferArrayNonUniformIndexing,
    SpvCapabilityDenormPreserve,
    SpvCapabilityDenormFlushToZero,
    SpvCapabilitySignedZeroInfNanPreserve,
    SpvCapabilityRoundingModeRTE,
    SpvCapabilityDemoteToHelperInvocation,
    SpvCapabilityShaderLayer,
    SpvCapabilityShaderViewportIndex,
    SpvCapabilityShaderViewportIndexLayerEXT,
    SpvCapabilityStencilExportEXT,
    SpvCapabilityAtomicFloat32AddEXT,
    SpvCapabilityAtomicFloat32MinMaxEXT,
    SpvCapabilityDotProduct,
    SpvCapabilityDotProductInputAll,
    SpvCapabilityDotProductInput4x8Bit,
    SpvCapabilityDotProductInput4x8BitPacked,
    SpvCapabilityExpectAssumeKHR,
};

static void
read_capability(NornSpirvReader *reader) {
  uint32_t capability = norn_spirv_word(reader, 1);
  unsigned k = 0;
  while (k < G_N_ELEMENTS(understood_capabilities) && understood_capabilities[k] != capability)
    k++;
  if (k == G_N_ELEMENTS(understood_capabilities))
    norn_spirv_unsupported(reader, "this capability is not supported");
  reader->has_variable_pointers |= capability == SpvCapabilityVariablePointers;
}

/* Variables are set up where they are used. Either all variables in workgroup memory that the entry
 * point uses are blocks with layouts, or none is; since SPIR-V 1.4 it names them. */
static void
read_global_variable(NornSpirvReader *reader) {
  bool names_all = reader->words[1] >= 0x10400;
  if (norn_spirv_word(reader, 3) != SpvStorageClassWorkgroup ||
      (names_all && !norn_spirv_id(reader, 2)->is_listed))
    return;
  const NornSpirvType *pointee = norn_spirv_pointee(reader, norn_spirv_type(reader, 1));
  reader->has_shared_blocks |= pointee->op == SpvOpTypeStruct && pointee->is_block;
}

static void
read_text(NornSpirvReader *reader) {
  norn_spirv_check_text(reader, 2);
}

static void
read_member_name(NornSpirvReader *reader) {
  if (norn_spirv_check_text(reader, 3))
    read_decoration(reader, norn_spirv_word(reader, 2), NORN_SPIRV_MEMBER_NAME, 3);
}

static void
read_own_decoration(NornSpirvReader *reader) {
  read_decoration(reader, NORN_SPIRV_NONE, norn_spirv_word(reader, 2), 3);
}

static void
read_member_decoration(NornSpirvReader *reader) {
  read_decoration(reader, norn_spirv_word(reader, 2), norn_spirv_word(reader, 3), 4);
}

static void
read_group_decoration(NornSpirvReader *reader) {
  for (uint32_t k = 2; k < norn_spirv_length(reader); k++)
    share_decorations(reader, norn_spirv_word(reader, k), NORN_SPIRV_NONE);
}

static void
read_group_member_decoration(NornSpirvReader *reader) {
  for (uint32_t k = 2; k + 1 < norn_spirv_length(reader); k += 2)
    share_decorations(reader, norn_spirv_word(reader, k), norn_spirv_word(reader, k + 1));
}

static void
read_line(NornSpirvReader *reader) {
  reader->line_file = norn_spirv_word(reader, 1);
  reader->line = norn_spirv_word(reader, 2);
}

static void
read_no_line(NornSpirvReader *reader) {
  reader->line = 0;
}

/* Reads an instruction outside of functions. */
static void
read_declaration(NornSpirvReader *reader) {
  switch (norn_spirv_opcode(reader)) {
#define DECLARATION(name, function)                                                                \
  case SpvOp##name:                                                                                \
    function(reader);                                                                              \
    break;
#define SKIPPED(name)                                                                              \
  case SpvOp##name:                                                                                \
    break;
#include "spirv/declarations.def"
  default:
    norn_spirv_unsupported(reader, "this declaration is not supported");
  }
}

/* What the reader allocates for the whole module, and the module that it builds. */
static uint64_t
memory_of_reader(const void *owner) {
  const NornSpirvReader *reader = owner;
  return norn_arena_bytes(&reader->arena) + (uint64_t)reader->word_count * sizeof *reader->words +
         (uint64_t)reader->bound * sizeof *reader->ids +
         (reader->module ? norn_module_memory(reader->module) : 0);
}

/* Fails unless the reader is within its limits; returns whether nothing has failed. */
static bool
require_limits(NornSpirvReader *reader, bool is_within) {
  if (!is_within && !reader->error)
    norn_budget_error(&reader->budget, reader->filename, &reader->error);
  return !reader->error;
}

bool
norn_spirv_continues(NornSpirvReader *reader, uint64_t work) {
  return require_limits(reader, norn_budget_continues(&reader->budget, work));
}

/* Checks the instruction's length against the module and the grammar, and records its result. */
static bool
enter_instruction(NornSpirvReader *reader) {
  uint32_t length = norn_spirv_length(reader);
  const NornSpirvInstruction *row = norn_spirv_find_instruction(norn_spirv_opcode(reader));
  if (!length || length > reader->word_count - reader->at) {
    norn_spirv_fail(reader, NORN_ERROR_SYNTAX, "an instruction of %u words, but only %u are left",
                    length, reader->word_count - reader->at);
    return false;
  }
  if (!row) {
    norn_spirv_unsupported(reader, "unknown instruction");
    return false;
  }
  NornSpirvShape shape = row->shape;
  if (length < shape.min_words) {
    norn_spirv_fail(reader, NORN_ERROR_SYNTAX, "%u words, expected at least %u", length,
                    shape.min_words);
    return false;
  }
  if (!shape.result)
    return true;
  uint32_t id = reader->words[reader->at + shape.result];
  bool is_announced = id < reader->bound && reader->ids[id].at &&
                      norn_spirv_opcode(reader) == SpvOpTypePointer &&
                      (reader->words[reader->ids[id].at] & 0xFFFF) == SpvOpTypeForwardPointer;
  if (!id || id >= reader->bound || (reader->ids[id].at && !is_announced)) {
    norn_spirv_invalid(
        reader, id && id < reader->bound ? "%%%u is defined twice" : "%%%u is not below the bound",
        id);
    return false;
  }
  reader->ids[id].at = reader->at;
  return true;
}

static bool
read_module(NornSpirvReader *reader) {
  uint32_t first_function = 0;
  for (norn_spirv_seek(reader, NORN_SPIRV_HEADER_WORDS);
       reader->at < reader->word_count && !reader->error;
       norn_spirv_seek(reader, reader->at + norn_spirv_length(reader))) {
    if (!enter_instruction(reader) || !norn_spirv_continues(reader, norn_spirv_length(reader)))
      return false;
    if (norn_spirv_opcode(reader) == SpvOpFunction && !first_function)
      first_function = reader->at;
    if (!first_function)
      read_declaration(reader);
  }
  reader->line = 0;
  if (!reader->entry)
    norn_spirv_refuse_entry(reader);
  if (reader->error)
    return false;
  norn_spirv_seek(reader, first_function ? first_function : reader->word_count);
  norn_spirv_find_tables(reader, reader->at);
  norn_spirv_group_shared_arrays(reader, reader->at);
  norn_spirv_read_functions(reader);
  return !reader->error;
}

/* --- The module's header --- */

/* Why the bytes cannot be the words of a module; NULL if they can be. */
static const char *
find_misfit(const void *bytes, size_t size) {
  if (!norn_spirv_is_module(bytes, size))
    return "it does not begin with the magic number";
  if (size < NORN_SPIRV_HEADER_WORDS * sizeof(uint32_t))
    return "it is shorter than a header";
  if (size % sizeof(uint32_t))
    return "its size is not a multiple of 4 bytes";
  return size / sizeof(uint32_t) > UINT32_MAX / 4 ? "it is too long" : NULL;
}

/* The words in native byte order; NULL with an error if the header is wrong. */
static uint32_t *
copy_words(NornSpirvReader *reader, const void *bytes, size_t size, GError **error) {
  const char *misfit = find_misfit(bytes, size);
  if (misfit) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "%s: not SPIR-V: %s", reader->filename,
                misfit);
    return NULL;
  }
  uint32_t count = (uint32_t)(size / 4);
  /* A zero after the end terminates the last text. */
  uint32_t *words = g_try_new(uint32_t, (size_t)count + 1);
  if (!words) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "%s: not enough memory", reader->filename);
    return NULL;
  }
  memcpy(words, bytes, size);
  words[count] = 0;
  for (uint32_t k = 0; words[0] != SpvMagicNumber && k < count; k++)
    words[k] = k ? GUINT32_SWAP_LE_BE(words[k]) : words[k];
  words[0] = SpvMagicNumber;
  reader->word_count = count;
  reader->bound = words[3];
  if (reader->bound <= BOUND_LIMIT && words[1] >> 16 == 1)
    return words;
  g_set_error(
      error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
      "%s: version %u.%u with a bound of %u ids, expected version 1.0 to 1.6 with at most %u",
      reader->filename, words[1] >> 16, words[1] >> 8 & 0xFF, reader->bound, BOUND_LIMIT);
  g_free(words);
  return NULL;
}

bool
norn_spirv_is_available(void) {
  return true;
}

static void
reader_clear(NornSpirvReader *reader) {
  norn_arena_free(&reader->arena);
  g_free(reader->ids);
  g_free(reader->decorations);
  g_free(reader->functions);
  norn_builder_free(reader->builder);
  norn_spirv_clear_interface(reader);
}

NornModule *
norn_module_from_spirv(const void *bytes, size_t size, const char *filename,
                       const NornSpirvOptions *options, NornSpirvInterface **interface,
                       GError **error) {
  NornSpirvOptions defaults;
  norn_spirv_options_init(&defaults);
  NornSpirvReader reader = {.options = options ? options : &defaults,
                            .filename = filename ? filename : "SPIR-V"};
  uint32_t *words = copy_words(&reader, bytes, size, error);
  if (!words)
    return NULL;
  reader.words = reader.inst = words;
  reader.ids = g_try_new0(NornSpirvId, MAX(reader.bound, 1));
  for (unsigned axis = 0; axis < 3; axis++)
    reader.local_size[axis] = 1;
  norn_budget_init(&reader.budget, &reader.options->limits, memory_of_reader, &reader);
  if (!reader.ids)
    norn_spirv_fail(&reader, NORN_ERROR_LIMIT, "not enough memory for the ids");
  else if (norn_spirv_validate(&reader) && read_module(&reader))
    norn_spirv_translate_entry(&reader);
  require_limits(&reader, norn_budget_check(&reader.budget));
  /* Catches whatever the validator missed, and what it would have found if it did not run. */
  if (!reader.error) {
    reader.module->is_verified = norn_module_verify(reader.module, &reader.error);
    if (reader.error)
      g_prefix_error(&reader.error, "%s: ", reader.filename);
  }
  NornModule *module = reader.module;
  if (reader.error) {
    norn_module_free(module);
    module = NULL;
    g_propagate_error(error, reader.error);
  } else if (interface) {
    *interface = norn_spirv_take_interface(&reader);
  }
  reader_clear(&reader);
  g_free(words);
  return module;
}
