/* What SPIRV-Tools finds wrong is refused before anything is read. Reading does not rely on it. */
#include "spirv/reader.h"
#include <spirv-tools/libspirv.h>

/* Blocks of a function above which the module is read without. */
#define BLOCK_LIMIT 4096

/* The oldest environment of Vulkan that takes modules of this version. */
static spv_target_env
environment_of(uint32_t version) {
  static const struct {
    uint32_t version;
    spv_target_env environment;
  } environments[] = {
      {0x10000, SPV_ENV_VULKAN_1_0},
      {0x10300, SPV_ENV_VULKAN_1_1},
      {0x10400, SPV_ENV_VULKAN_1_1_SPIRV_1_4},
      {0x10500, SPV_ENV_VULKAN_1_2},
  };
  for (unsigned k = 0; k < G_N_ELEMENTS(environments); k++)
    if (version <= environments[k].version)
      return environments[k].environment;
  return SPV_ENV_VULKAN_1_3;
}

/* Goes to instruction `number`, counted from 1 as SPIRV-Tools does; nowhere if there are fewer. */
static void
seek_instruction(NornSpirvReader *reader, uint64_t number) {
  uint32_t at = NORN_SPIRV_HEADER_WORDS;
  for (uint64_t k = 1; k < number && at < reader->word_count; k++)
    at += MAX(reader->words[at] >> 16, 1);
  norn_spirv_seek(reader, number && at < reader->word_count ? at : 0);
}

/* Whether the validator's time, which grows with the square of a function's blocks, is worth it. */
static bool
is_affordable(const NornSpirvReader *reader) {
  uint32_t blocks = 0;
  for (uint32_t at = NORN_SPIRV_HEADER_WORDS; at < reader->word_count && blocks <= BLOCK_LIMIT;
       at += MAX(reader->words[at] >> 16, 1)) {
    uint32_t opcode = reader->words[at] & 0xFFFF;
    blocks = opcode == SpvOpFunction ? 0 : blocks + (opcode == SpvOpLabel);
  }
  return blocks <= BLOCK_LIMIT;
}

bool
norn_spirv_validate(NornSpirvReader *reader) {
  if (!reader->options->validate || !is_affordable(reader))
    return true;
  spv_context context = spvContextCreate(environment_of(reader->words[1]));
  spv_validator_options options = spvValidatorOptionsCreate();
  spvValidatorOptionsSetRelaxBlockLayout(options, true);
  spvValidatorOptionsSetUniformBufferStandardLayout(options, true);
  spvValidatorOptionsSetScalarBlockLayout(options, true);
  spvValidatorOptionsSetAllowLocalSizeId(options, true);
  spvValidatorOptionsSetFriendlyNames(options, false);
  spv_const_binary_t binary = {(uint32_t *)reader->words, reader->word_count};
  spv_diagnostic diagnostic = NULL;
  spv_result_t result = spvValidateWithOptions(context, options, &binary, &diagnostic);
  if (result != SPV_SUCCESS) {
    char *message = g_strchomp(g_strdup(diagnostic ? diagnostic->error : "not valid"));
    char *end = strchr(message, '\n'); /* the instruction follows, which is named already */
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
