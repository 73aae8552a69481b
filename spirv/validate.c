/* Rejects modules in which SPIRV-Tools finds errors, before anything is read. Reading does not rely
 * on this. */
#include "spirv/reader.h"
#include <spirv-tools/libspirv.h>

/* Limits on the blocks of a function, the depth of its control flow constructs, the functions, and
 * the members of a structure including nested ones; modules that exceed them are read without
 * validation. */
#define BLOCK_LIMIT 4096
#define DEPTH_LIMIT 200
#define FUNCTION_LIMIT 4096
#define MEMBER_LIMIT (1u << 20)

/* The last source language that every version of the validator knows. */
#define LAST_LANGUAGE SpvSourceLanguageHLSL

/* Moves to instruction `number`, counted from 1 as SPIRV-Tools does; to none if there are fewer. */
static void
seek_instruction(NornSpirvReader *reader, uint64_t number) {
  uint32_t at = NORN_SPIRV_HEADER_WORDS;
  for (uint64_t k = 1; k < number && at < reader->word_count; k++)
    at += MAX(reader->words[at] >> 16, 1);
  norn_spirv_seek(reader, number && at < reader->word_count ? at : 0);
}

/* The first operand of an instruction that names the types contained in the type that it declares;
 * 0: it declares none that contains others. */
static unsigned
first_inner_type(uint32_t opcode) {
  switch (opcode) {
  case SpvOpTypeStruct:
  case SpvOpTypeArray:
  case SpvOpTypeRuntimeArray:
    return 2;
  case SpvOpTypePointer:
    return 3;
  default:
    return 0;
  }
}

/* The number of members of the type that an instruction declares, counting nested members each time
 * they occur; `members`: by id. */
static uint32_t
count_members(const NornSpirvReader *reader, const uint32_t *members, const uint32_t *inst,
              unsigned first) {
  unsigned length = inst[0] >> 16;
  unsigned end = (inst[0] & 0xFFFF) == SpvOpTypeStruct ? length : MIN(length, first + 1);
  uint32_t sum = 0;
  for (unsigned k = first; k < end && sum <= MEMBER_LIMIT; k++)
    sum += inst[k] < reader->bound ? MAX(members[inst[k]], 1) : 1;
  return sum;
}

/* Updates the number of constructs that have begun but whose merge blocks have not; `is_merge`: by
 * id, the merge blocks of these. */
static void
count_constructs(const NornSpirvReader *reader, const uint32_t *inst, bool *is_merge,
                 uint32_t *depth) {
  uint32_t opcode = inst[0] & 0xFFFF, id = inst[0] >> 16 > 1 ? inst[1] : reader->bound;
  bool begins = opcode == SpvOpSelectionMerge || opcode == SpvOpLoopMerge;
  if ((!begins && opcode != SpvOpLabel) || id >= reader->bound || is_merge[id] == begins)
    return;
  is_merge[id] = begins;
  *depth += begins ? 1 : -1u;
}

/* Whether validation is affordable. Its time grows with the square of the number of blocks of a
 * function and of nested calls, with the third power of the depth of constructs, and with the
 * number of members of structures, which count again wherever a structure is used. */
static bool
is_affordable(const NornSpirvReader *reader) {
  uint32_t blocks = 0, depth = 0, functions = 0, max_members = 0;
  g_autofree uint32_t *members = g_try_new0(uint32_t, MAX(reader->bound, 1));
  g_autofree bool *is_merge = g_try_new0(bool, MAX(reader->bound, 1));
  if (!members || !is_merge)
    return false;
  for (uint32_t at = NORN_SPIRV_HEADER_WORDS, length; at < reader->word_count; at += length) {
    const uint32_t *inst = reader->words + at;
    uint32_t opcode = inst[0] & 0xFFFF;
    length = MAX(inst[0] >> 16, 1);
    functions += opcode == SpvOpFunction;
    blocks = opcode == SpvOpFunction ? 0 : blocks + (opcode == SpvOpLabel);
    if (length <= reader->word_count - at)
      count_constructs(reader, inst, is_merge, &depth);
    unsigned first = first_inner_type(opcode);
    if (first && length > 1 && length <= reader->word_count - at && inst[1] < reader->bound) {
      members[inst[1]] = count_members(reader, members, inst, first);
      max_members = MAX(max_members, members[inst[1]]);
    }
    if (blocks > BLOCK_LIMIT || depth > DEPTH_LIMIT || functions > FUNCTION_LIMIT ||
        max_members > MEMBER_LIMIT)
      return false;
  }
  return true;
}

/* The index of the word that names the source language, if the validator may be too old to know it
 * and would refuse the module; otherwise 0. */
static uint32_t
find_new_language(const NornSpirvReader *reader) {
  for (uint32_t at = NORN_SPIRV_HEADER_WORDS, length; at < reader->word_count; at += length) {
    const uint32_t *inst = reader->words + at;
    uint32_t opcode = inst[0] & 0xFFFF;
    length = MAX(inst[0] >> 16, 1);
    if (opcode == SpvOpSource && length > 1 && length <= reader->word_count - at &&
        inst[1] > LAST_LANGUAGE)
      return at + 1;
    if (opcode == SpvOpFunction)
      return 0;
  }
  return 0;
}

/* The module, or a copy in which such a language is replaced with Unknown: it has no meaning. */
static const uint32_t *
words_to_validate(const NornSpirvReader *reader, uint32_t **copy) {
  uint32_t language = find_new_language(reader);
  if (!language || !(*copy = g_try_new(uint32_t, reader->word_count)))
    return reader->words;
  memcpy(*copy, reader->words, reader->word_count * sizeof **copy);
  (*copy)[language] = SpvSourceLanguageUnknown;
  return *copy;
}

bool
norn_spirv_validate(NornSpirvReader *reader) {
  if (!reader->options->validate || !is_affordable(reader))
    return true;
  /* It accepts modules of all versions; older environments also restrict them further. */
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
  spv_validator_options options = spvValidatorOptionsCreate();
  spvValidatorOptionsSetRelaxBlockLayout(options, true);
  spvValidatorOptionsSetUniformBufferStandardLayout(options, true);
  spvValidatorOptionsSetScalarBlockLayout(options, true);
  spvValidatorOptionsSetWorkgroupScalarBlockLayout(options, true);
  spvValidatorOptionsSetAllowLocalSizeId(options, true);
  spvValidatorOptionsSetFriendlyNames(options, false);
  g_autofree uint32_t *copy = NULL;
  spv_const_binary_t binary = {(uint32_t *)words_to_validate(reader, &copy), reader->word_count};
  spv_diagnostic diagnostic = NULL;
  spv_result_t result = spvValidateWithOptions(context, options, &binary, &diagnostic);
  if (result != SPV_SUCCESS) {
    char *message = g_strchomp(g_strdup(diagnostic ? diagnostic->error : "not valid"));
    char *end = strchr(message, '\n'); /* the instruction follows, which has already been named */
    if (end)
      *end = 0;
    seek_instruction(reader, diagnostic ? diagnostic->position.index : 0);
    norn_spirv_invalid(reader, "%s", message);
    g_free(message);
  }
  spvDiagnosticDestroy(diagnostic);
  spvValidatorOptionsDestroy(options);
  spvContextDestroy(context);
  return result == SPV_SUCCESS;
}
