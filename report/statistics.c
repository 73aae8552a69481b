/* Counts of a program.
 *
 * The cost of an instruction, in units of the rate of its unit, is defined by the description of
 * the instruction set; the cost of a path is the sum over its instructions. */
#include "report/bounds.h"
#include "report/loop_counts.h"
#include <norn/statistics.h>
#include <string.h>

static void
count_unit(const NornReportProgram *program, const NornReportCounts *counts, unsigned unit,
           NornStatistics *statistics) {
  const NornIsaUnit *row = &program->isa->units[unit];
  NornUnitStatistics *self = &statistics->units[statistics->unit_count++];
  *self = (NornUnitStatistics){.name = norn_isa_string(program->isa, row->name),
                               .title = norn_isa_string(program->isa, row->title)};
  g_autofree uint64_t *weights = norn_report_weights(program, unit);
  uint64_t costs[NORN_PATHS] = {0};
  for (uint32_t i = 0; i < program->instruction_count; i++) {
    const NornIsaEncoding *encoding = program->instructions[i].encoding;
    self->instructions += encoding && encoding->unit == unit;
  }
  for (uint32_t block = 0; block < program->block_count; block++)
    costs[NORN_PATH_TOTAL] += weights[block];
  statistics->has_shortest = norn_report_shortest(&counts->loops, weights, &counts->iterations,
                                                  &costs[NORN_PATH_SHORTEST]);
  statistics->has_longest = norn_report_longest(&counts->loops, weights, &counts->iterations,
                                                &costs[NORN_PATH_LONGEST], NULL);
  if (!statistics->has_shortest)
    costs[NORN_PATH_SHORTEST] = 0;
  for (unsigned path = 0; path < NORN_PATHS; path++)
    self->cycles[path] = (double)costs[path] / row->rate;
}

static void
count_units(const NornReportProgram *program, unsigned trips, NornStatistics *statistics) {
  NornReportCounts counts;
  norn_report_counts_init(&counts, program, trips);
  for (unsigned unit = 0; unit < program->isa->unit_count; unit++)
    if (program->isa->units[unit].rate)
      count_unit(program, &counts, unit, statistics);
  norn_report_counts_clear(&counts);
  for (unsigned path = 0; path < NORN_PATHS; path++) {
    statistics->bound[path] = -1;
    for (unsigned unit = 0; unit < statistics->unit_count; unit++)
      if (statistics->units[unit].cycles[path] > statistics->cycles[path]) {
        statistics->cycles[path] = statistics->units[unit].cycles[path];
        statistics->bound[path] = (int)unit;
      }
  }
}

/* Adds the uniform words that an operand names. */
static void
count_operand(const NornIsa *isa, const NornReportInstruction *self, const NornIsaOperand *operand,
              NornStatistics *statistics) {
  if (operand->role > NORN_ISA_OPERAND_STAGING_BOTH || operand->field == NORN_ISA_NO_FIELD)
    return;
  const NornIsaCode *code = norn_isa_operand_code(isa, self->encoding, operand, self->word);
  unsigned words = norn_isa_operand_words(isa, self->encoding, operand, self->word);
  if (code->kind == NORN_ISA_CODE_UNIFORM)
    statistics->uniform_words = MAX(statistics->uniform_words, code->number + words);
}

static void
count_kind(const NornReportProgram *program, const NornReportInstruction *self,
           NornStatistics *statistics) {
  const NornIsaEncoding *encoding = self->encoding;
  bool is_message = encoding->flags & program->isa->message_flag;
  statistics->messages += is_message;
  statistics->branches += !is_message && (encoding->flags & program->isa->branch_flag);
  const NornReportMachine *machine = program->machine;
  if (!machine)
    return;
  uint32_t flow = norn_isa_field_get_or(encoding, machine->flow_field, self->word, 0);
  statistics->waits += flow >= machine->waits[0] && flow <= machine->waits[1];
  NornMoveKind move = norn_report_move(program, self);
  statistics->moves += move == NORN_MOVE_REGISTER || move == NORN_MOVE_UNIFORM;
  statistics->constant_moves += move == NORN_MOVE_CONSTANT;
  statistics->nops += encoding->instruction == machine->nop;
  if (encoding->unit < 64 && machine->arithmetic_units >> encoding->unit & 1) {
    statistics->arithmetic++;
    statistics->narrow +=
        encoding->type.class != NORN_ISA_TYPE_UNKNOWN && encoding->type.bits <= 16;
  }
}

bool
norn_code_statistics(const NornMachineCode *code, unsigned trips, NornStatistics *statistics,
                     GError **error) {
  NornReportProgram program;
  *statistics = (NornStatistics){.bytes = (unsigned)code->size};
  if (!norn_report_program_init(&program, code, error))
    return false;
  uint64_t registers = 0, half_file = program.machine ? program.machine->half_file : 0;
  statistics->blocks = program.block_count;
  for (uint32_t i = 0; i < program.instruction_count; i++) {
    const NornReportInstruction *self = &program.instructions[i];
    if (!self->encoding)
      continue;
    statistics->instructions++;
    for (unsigned k = 0; k < self->encoding->operand_count; k++)
      count_operand(code->isa, self, &self->encoding->operands[k], statistics);
    uint64_t outside = (self->reads | self->writes) & ~half_file;
    if (outside && !(registers & ~half_file)) {
      statistics->full_file_register = (unsigned)__builtin_ctzll(outside);
      statistics->full_file_at = i;
    }
    registers |= self->reads | self->writes;
    count_kind(&program, self, statistics);
  }
  statistics->work_registers = registers ? 64 - (unsigned)__builtin_clzll(registers) : 0;
  statistics->registers = (unsigned)__builtin_popcountll(registers);
  statistics->half_file = (unsigned)__builtin_popcountll(half_file);
  statistics->threads = half_file && !(registers & ~half_file) ? 2 : 1;
  statistics->loops = norn_report_count_headers(&program);
  count_units(&program, MAX(trips, 1), statistics);
  norn_report_bounds(&program, statistics);
  norn_report_program_clear(&program);
  return true;
}
