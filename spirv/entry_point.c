/* The entry point to translate, its stage, and its execution modes. */
#include "ir/diagnostics.h"
#include "spirv/reader.h"
#include <string.h>

bool
norn_spirv_find_stage(uint32_t model, NornShaderStage *stage) {
  static const struct {
    uint32_t model;
    NornShaderStage stage;
  } stages[] = {{SpvExecutionModelGLCompute, NORN_STAGE_COMPUTE},
                {SpvExecutionModelVertex, NORN_STAGE_VERTEX},
                {SpvExecutionModelFragment, NORN_STAGE_FRAGMENT}};
  unsigned k = 0;
  while (k < G_N_ELEMENTS(stages) && stages[k].model != model)
    k++;
  if (k < G_N_ELEMENTS(stages))
    *stage = stages[k].stage;
  return k < G_N_ELEMENTS(stages);
}

/* Whether `wanted` is the name, or the stage, a colon and the name. */
static bool
is_entry(const char *wanted, uint32_t model, const char *name) {
  NornShaderStage stage;
  if (!strcmp(wanted, name))
    return true;
  if (!norn_spirv_find_stage(model, &stage))
    return false;
  size_t length = strlen(norn_stage_name(stage));
  return !strncmp(wanted, norn_stage_name(stage), length) && wanted[length] == ':' &&
         !strcmp(wanted + length + 1, name);
}

/* "A, B": the entry points in the module, with their stages if there are several of one name. Not
 * all of it has been checked, so the words may be anything. */
static char *
list_entry_points(const NornSpirvReader *reader, bool with_stages) {
  GString *list = g_string_new(NULL);
  char quote[NORN_QUOTE_SIZE];
  uint32_t length;
  for (uint32_t at = NORN_SPIRV_HEADER_WORDS; at < reader->word_count; at += length) {
    length = MAX(reader->words[at] >> 16, 1);
    if ((reader->words[at] & 0xFFFF) != SpvOpEntryPoint || length <= 3 ||
        length > reader->word_count - at)
      continue;
    const char *name = norn_spirv_text(reader, at + 3);
    NornShaderStage stage;
    bool has_stage = with_stages && norn_spirv_find_stage(reader->words[at + 1], &stage);
    g_string_append_printf(list, "%s%s%s%s", list->len ? ", " : "",
                           has_stage ? norn_stage_name(stage) : "", has_stage ? ":" : "",
                           norn_quote(quote, name, strnlen(name, (length - 3) * sizeof(uint32_t))));
  }
  return g_string_free(list, FALSE);
}

void
norn_spirv_read_entry_point(NornSpirvReader *reader) {
  if (!norn_spirv_check_text(reader, 3))
    return;
  const char *name = norn_spirv_text(reader, reader->at + 3), *wanted = reader->options->entry;
  if (wanted && !is_entry(wanted, norn_spirv_word(reader, 1), name))
    return;
  if (reader->entry) {
    const char *other = norn_spirv_text(reader, reader->entry_at + 3);
    char *list = list_entry_points(reader, !strcmp(name, other));
    norn_spirv_invalid(reader, "several entry points: %s; choose one with the option entry", list);
    g_free(list);
    return;
  }
  reader->model = norn_spirv_word(reader, 1);
  reader->entry = norn_spirv_word(reader, 2);
  reader->entry_at = reader->at;
  uint32_t name_words = (uint32_t)strlen(name) / sizeof(uint32_t) + 1;
  for (uint32_t k = 3 + name_words; k < norn_spirv_length(reader); k++)
    if (norn_spirv_word(reader, k) < reader->bound) /* it is defined later */
      reader->ids[norn_spirv_word(reader, k)].is_listed = true;
}

void
norn_spirv_refuse_entry(NornSpirvReader *reader) {
  const char *wanted = reader->options->entry;
  if (reader->error)
    return;
  char *list = list_entry_points(reader, wanted && strchr(wanted, ':'));
  if (wanted)
    g_set_error(&reader->error, NORN_ERROR, NORN_ERROR_INVALID, "%s: unknown entry point '%s'%s%s",
                reader->filename, wanted, *list ? ", expected one of " : "", list);
  else
    g_set_error(&reader->error, NORN_ERROR, NORN_ERROR_INVALID, "%s: there is no entry point",
                reader->filename);
  g_free(list);
}

/* Reads a mode for the subnormal numbers of one width of floats. */
static void
read_denormals(NornSpirvReader *reader, uint32_t *widths) {
  *widths |= norn_spirv_word(reader, 3) & (16 | 32);
  if (reader->preserved_denormals && reader->flushed_denormals)
    norn_spirv_unsupported(reader, "preserving denormals in some widths of floats and flushing "
                                   "them in others is not supported");
}

void
norn_spirv_read_execution_mode(NornSpirvReader *reader) {
  if (norn_spirv_word(reader, 1) != reader->entry)
    return;
  switch (norn_spirv_word(reader, 2)) {
  case SpvExecutionModeLocalSize:
    for (unsigned axis = 0; axis < 3; axis++)
      reader->local_size[axis] = norn_spirv_word(reader, 3 + axis);
    break;
  case SpvExecutionModeLocalSizeId:
    reader->local_size_at = reader->at;
    break;
  case SpvExecutionModeEarlyFragmentTests:
    reader->tests_early = true;
    break;
  case SpvExecutionModeOriginUpperLeft:
  case SpvExecutionModeDepthReplacing:
  case SpvExecutionModeDepthGreater:
  case SpvExecutionModeDepthLess:
  case SpvExecutionModeDepthUnchanged:
  case SpvExecutionModeStencilRefReplacingEXT:
  case SpvExecutionModeSubgroupUniformControlFlowKHR: /* always the case */
    break;
  case SpvExecutionModeSignedZeroInfNanPreserve:
    reader->preserved_widths |= norn_spirv_word(reader, 3);
    break;
  case SpvExecutionModeDenormPreserve:
    read_denormals(reader, &reader->preserved_denormals);
    break;
  case SpvExecutionModeDenormFlushToZero:
    read_denormals(reader, &reader->flushed_denormals);
    break;
  case SpvExecutionModeRoundingModeRTE:
    break;
  default:
    norn_spirv_unsupported(reader, "this execution mode is not supported");
  }
}
