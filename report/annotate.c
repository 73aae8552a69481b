/* The notes of a listing on each instruction and block. */
#include "report/bounds.h"
#include "report/paths.h"
#include "report/timing.h"

static void
find_depths(const NornReportProgram *program, NornInstructionReport *rows) {
  NornReportLoops loops;
  norn_report_loops_init(&loops, program);
  for (uint32_t i = 0; i < loops.header_count; i++)
    for (uint32_t k = loops.first[i]; k < loops.first[i + 1]; k++) {
      const NornReportBlock *block = &program->blocks[loops.blocks[k]];
      for (uint32_t at = block->first; at < block->end; at++)
        rows[at].loop_depth++;
    }
  norn_report_loops_clear(&loops);
}

NornInstructionReport *
norn_code_annotate(const NornMachineCode *code, unsigned *count, GError **error) {
  NornReportProgram program;
  if (!norn_report_program_init(&program, code, error))
    return NULL;
  const NornIsa *isa = code->isa;
  NornInstructionReport *rows = g_new0(NornInstructionReport, program.instruction_count + 1);
  g_autofree NornInstructionTiming *timing =
      g_new0(NornInstructionTiming, program.instruction_count + 1);
  g_autofree uint64_t *live = norn_report_live(&program);
  norn_report_time_alone(&program, timing);
  for (uint32_t i = 0; i < program.instruction_count; i++) {
    const NornIsaEncoding *encoding = program.instructions[i].encoding;
    if (encoding && encoding->unit < isa->unit_count)
      rows[i].unit = norn_isa_string(isa, isa->units[encoding->unit].name);
    rows[i].live = (unsigned)__builtin_popcountll(live[i]);
    rows[i].move = norn_report_move(&program, &program.instructions[i]);
    rows[i].timing = timing[i];
    rows[i].slot = program.instructions[i].is_message ? program.instructions[i].slot : -1;
  }
  find_depths(&program, rows);
  *count = program.instruction_count;
  norn_report_program_clear(&program);
  return rows;
}

/* The same in the form of NornBlockReport. */
static int
block_or_none(uint32_t block) {
  return block == NORN_NO_BLOCK ? -1 : (int)block;
}

NornBlockReport *
norn_code_blocks(const NornMachineCode *code, unsigned *count, GError **error) {
  NornReportProgram program;
  if (!norn_report_program_init(&program, code, error))
    return NULL;
  NornBlockReport *blocks = g_new0(NornBlockReport, program.block_count + 1);
  for (uint32_t i = 0; i < program.block_count; i++) {
    const NornReportBlock *block = &program.blocks[i];
    blocks[i] = (NornBlockReport){
        .first = block->first,
        .end = block->end,
        .next = block_or_none(block->successors[0]),
        .target = block_or_none(block->successors[1]),
        .ends = block->ends,
        .is_reached = block->dominator != NORN_NO_BLOCK,
    };
  }
  *count = program.block_count;
  norn_report_program_clear(&program);
  return blocks;
}
