/* Translates the instructions of a block, each with the function of its row, and keeps their source
 * locations. */
#include "spirv/reader.h"
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

/* --- Source locations --- */

/* The module's locations are lines of a single file: the first one that is mentioned. */
static void
set_source(NornSpirvReader *reader, uint32_t file) {
  const NornSpirvId *id = file < reader->bound ? &reader->ids[file] : NULL;
  if (reader->source || !id || !id->at || (reader->words[id->at] & 0xFFFF) != SpvOpString)
    return;
  const char *name = norn_spirv_text(reader, id->at + 2);
  reader->source = file;
  if (!*name)
    return;
  g_free(reader->module->filename);
  reader->module->filename = g_strdup(name);
}

void
norn_spirv_set_line(NornSpirvReader *reader, uint32_t file, uint32_t line) {
  set_source(reader, file);
  reader->line_file = file;
  reader->line = line;
  norn_builder_set_line(reader->builder, file == reader->source ? line : 0);
}

/* DebugLine for a DebugSource, which names a file, at a line that is a constant. Any other form is
 * ignored. */
static void
read_debug_line(NornSpirvReader *reader) {
  const uint32_t *words = reader->inst;
  uint32_t length = norn_spirv_length(reader), source = length > 6 ? words[5] : 0;
  uint64_t line = 0;
  if (length <= 6 || source >= reader->bound || words[6] >= reader->bound)
    return;
  const NornSpirvId *number = &reader->ids[words[6]];
  uint32_t at = reader->ids[source].at;
  bool has_file = at && (reader->words[at] & 0xFFFF) == SpvOpExtInst &&
                  reader->words[at] >> 16 > 5 &&
                  reader->words[at + 4] == NonSemanticShaderDebugInfo100DebugSource;
  if (number->refs && norn_spirv_constant_bits(reader, number->refs[0], &line))
    norn_spirv_set_line(reader, has_file ? reader->words[at + 5] : 0, (uint32_t)line);
}

/* --- Instructions --- */

void
norn_spirv_read_extended_instruction(NornSpirvReader *reader) {
  uint32_t set = norn_spirv_word(reader, 3), instruction = norn_spirv_word(reader, 4);
  if (set && set == reader->debug) {
    if (instruction == NonSemanticShaderDebugInfo100DebugLine)
      read_debug_line(reader);
    else if (instruction == NonSemanticShaderDebugInfo100DebugNoLine)
      norn_spirv_set_line(reader, 0, 0);
    return;
  }
  if (set == reader->glsl)
    norn_spirv_translate_glsl(reader);
  else if (set == reader->trinary)
    norn_spirv_translate_trinary(reader);
  else if (set >= reader->bound || reader->ids[set].function != NORN_SPIRV_NONE)
    norn_spirv_unsupported(reader, "the instructions of this set are not supported");
}

/* Translates an instruction that has a row in handlers.def; false if it has none. */
static bool
translate_by_handler(NornSpirvReader *reader, unsigned opcode) {
  switch (opcode) {
#define HANDLER(name, function)                                                                    \
  case SpvOp##name:                                                                                \
    norn_spirv_read_##function(reader);                                                            \
    return true;
#include "spirv/handlers.def"
  default:
    return false;
  }
}

/* Whether the result must be computed as written. */
static bool
is_exact(const NornSpirvReader *reader, unsigned opcode) {
  const NornSpirvInstruction *row = norn_spirv_find_instruction(opcode);
  uint32_t result = row ? row->shape.result : 0;
  return result && reader->inst[result] < reader->bound &&
         reader->ids[reader->inst[result]].decorations &&
         norn_spirv_is_decorated(reader, reader->inst[result], NORN_SPIRV_NONE,
                                 SpvDecorationNoContraction);
}

void
norn_spirv_translate(NornSpirvReader *reader) {
  unsigned opcode = norn_spirv_opcode(reader);
  if (!norn_spirv_continues(reader, norn_spirv_length(reader)))
    return;
  reader->is_exact = is_exact(reader, opcode);
  if (reader->is_exact)
    norn_builder_set_flags(reader->builder, NORN_INST_EXACT);
  if (!norn_spirv_translate_row(reader, opcode, 3) && !translate_by_handler(reader, opcode))
    norn_spirv_unsupported(reader, "this instruction is not supported");
  if (reader->is_exact)
    norn_builder_set_flags(reader->builder, 0);
}
