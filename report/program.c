/* Machine code as blocks.
 *
 * A block begins at the entry, at each target of a branch and after each branch. Order and
 * dominators are computed for the blocks that are reachable from the entry. */
#include "ir/analysis/dominance.h"
#include "ir/numeric.h"
#include "report/valhall/valhall.h"
#include <string.h>

static const NornReportMachine *const machines[] = {&norn_report_valhall};

const NornReportMachine *
norn_report_machine(const char *isa) {
  for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++)
    if (!strcmp(machines[i]->isa, isa))
      return machines[i];
  return NULL;
}

static void
find_flow(const NornReportProgram *program, uint32_t index, NornReportInstruction *self) {
  const NornIsaEncoding *encoding = self->encoding;
  const NornReportMachine *machine = program->machine;
  bool last = index + 1 == program->instruction_count;
  self->target = NORN_NO_BLOCK;
  if (!encoding)
    return;
  bool is_end = machine && machine->flow_field != NORN_ISA_NONE &&
                norn_isa_field_get_or(encoding, machine->flow_field, self->word, 0) == machine->end;
  self->ends = last || is_end;
  self->falls_through = !self->ends;
  if (!(encoding->flags & program->isa->branch_flag) || is_end)
    return;
  if (machine && machine->is_jump(program->isa, encoding, self->word))
    self->ends = self->falls_through = false;
  int64_t target = -1;
  if (encoding->target != NORN_ISA_NO_FIELD)
    target = (int64_t)index + 1 +
             norn_isa_immediate_value(encoding, &encoding->operands[encoding->target], self->word);
  if (target >= 0 && target < program->instruction_count)
    self->target = (uint32_t)target;
  else
    self->ends = true;
}

static bool
decode(NornReportProgram *program, unsigned architecture, const uint8_t *bytes, unsigned word_bytes,
       GError **error) {
  for (uint32_t i = 0; i < program->instruction_count; i++) {
    NornReportInstruction *self = &program->instructions[i];
    self->word = norn_bytes_read(bytes + (size_t)i * word_bytes, word_bytes);
    g_autoptr(GError) broken = NULL;
    if (norn_isa_check(program->isa, architecture, self->word, &broken)) {
      self->encoding = norn_isa_decode(program->isa, architecture, self->word);
    } else if (self->word) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "address 0x%" G_GINT64_MODIFIER "x: 0x%0*" G_GINT64_MODIFIER
                  "x is not an instruction of %s %s: %s",
                  (guint64)i * word_bytes, (int)word_bytes * 2, self->word, program->isa->name,
                  norn_isa_architecture_name(program->isa, architecture), broken->message);
      return false;
    }
  }
  for (uint32_t i = 0; i < program->instruction_count; i++) {
    find_flow(program, i, &program->instructions[i]);
    norn_report_find_access(program, &program->instructions[i]);
  }
  return true;
}

/* --- Blocks --- */

/* The number of the block that starts at each instruction; others have NORN_NO_BLOCK. */
static uint32_t *
number_blocks(NornReportProgram *program) {
  uint32_t count = program->instruction_count;
  uint32_t *block_of = g_new(uint32_t, count + 1);
  memset(block_of, 0xFF, (count + 1) * sizeof *block_of);
  block_of[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    const NornReportInstruction *self = &program->instructions[i];
    if (self->target != NORN_NO_BLOCK)
      block_of[self->target] = 0;
    if (self->target != NORN_NO_BLOCK || !self->falls_through || self->ends)
      block_of[i + 1] = 0;
  }
  block_of[count] = NORN_NO_BLOCK;
  for (uint32_t i = 0; i < count; i++)
    if (block_of[i] == 0)
      block_of[i] = program->block_count++;
  return block_of;
}

static void
make_blocks(NornReportProgram *program) {
  g_autofree uint32_t *block_of = number_blocks(program);
  program->blocks = g_new0(NornReportBlock, program->block_count);
  uint32_t block = 0;
  for (uint32_t i = 0; i < program->instruction_count; i++) {
    if (block_of[i] != NORN_NO_BLOCK) {
      block = block_of[i];
      program->blocks[block].first = i;
    }
    program->blocks[block].end = i + 1;
  }
  for (block = 0; block < program->block_count; block++) {
    NornReportBlock *self = &program->blocks[block];
    const NornReportInstruction *last = &program->instructions[self->end - 1];
    self->ends = last->ends;
    self->successors[0] = last->falls_through ? block + 1 : NORN_NO_BLOCK;
    self->successors[1] = last->target == NORN_NO_BLOCK ? NORN_NO_BLOCK : block_of[last->target];
    self->dominator = NORN_NO_BLOCK;
    self->order = NORN_NO_BLOCK;
  }
}

/* The edges out of the reachable blocks, or into each block, as in NornFlowGraph. */
static void
collect_edges(NornArena *arena, const NornReportProgram *program, const bool *is_reachable,
              bool into, uint32_t **first, uint32_t **others) {
  uint32_t count = program->block_count;
  *first = NORN_NEW0(arena, uint32_t, (size_t)count + 2);
  *others = NORN_NEW(arena, uint32_t, 2 * (size_t)count);
  uint32_t *next = *first + 1; /* one further on until all are counted */
  for (unsigned round = 0; round < 2; round++) {
    for (uint32_t from = 0; from < count; from++)
      for (unsigned k = 0; k < 2 && (!is_reachable || is_reachable[from]); k++) {
        uint32_t to = program->blocks[from].successors[k];
        if (to == NORN_NO_BLOCK)
          continue;
        uint32_t *place = &next[into ? to : from];
        if (round)
          (*others)[(*place)++] = into ? from : to;
        else
          place[1]++;
      }
    for (uint32_t block = 0; block < count && !round; block++)
      next[block + 1] += next[block];
  }
}

/* Numbers the reachable blocks in reverse postorder, and finds their dominators. */
static void
order_blocks(NornReportProgram *program) {
  NornArena arena = {0};
  uint32_t count = program->block_count, *first, *others;
  bool *is_reachable = NORN_NEW0(&arena, bool, count);
  uint32_t *dominators = NORN_NEW(&arena, uint32_t, count);
  collect_edges(&arena, program, NULL, false, &first, &others);
  NornDepthFirst walk;
  norn_depth_first(&arena, &(NornFlowGraph){count, 0, first, others}, &walk);
  program->order = g_new(uint32_t, count);
  program->order_count = walk.count;
  for (uint32_t i = 0; i < walk.count; i++) {
    uint32_t block = program->order[i] = walk.node[walk.finished[walk.count - 1 - i]];
    program->blocks[block].order = i;
    is_reachable[block] = true;
  }
  collect_edges(&arena, program, is_reachable, true, &first, &others);
  norn_graph_dominators(&arena, &walk, first, others, dominators, count);
  for (uint32_t i = 1; i < program->order_count; i++)
    program->blocks[program->order[i]].dominator = dominators[program->order[i]];
  program->blocks[0].dominator = 0;
  norn_arena_free(&arena);
}

uint32_t
norn_report_common_dominator(const NornReportProgram *program, uint32_t a, uint32_t b) {
  while (a != b) {
    if (program->blocks[a].order > program->blocks[b].order)
      a = program->blocks[a].dominator;
    else
      b = program->blocks[b].dominator;
  }
  return a;
}

bool
norn_report_next_edge(const NornReportProgram *program, NornReportEdge *edge) {
  for (; edge->position < program->order_count; edge->position++, edge->successor = 0) {
    edge->from = program->order[edge->position];
    while (edge->successor < 2) {
      edge->to = program->blocks[edge->from].successors[edge->successor++];
      if (edge->to != NORN_NO_BLOCK)
        return true;
    }
  }
  return false;
}

bool
norn_report_dominates(const NornReportProgram *program, uint32_t a, uint32_t b) {
  while (program->blocks[b].order > program->blocks[a].order)
    b = program->blocks[b].dominator;
  return a == b;
}

uint32_t
norn_report_count_headers(const NornReportProgram *program) {
  g_autofree bool *is_header = g_new0(bool, program->block_count + 1);
  uint32_t count = 0;
  for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);) {
    if (program->blocks[edge.to].order > program->blocks[edge.from].order || is_header[edge.to])
      continue;
    is_header[edge.to] = true;
    count++;
  }
  return count;
}

bool
norn_report_program_init(NornReportProgram *program, const NornMachineCode *code, GError **error) {
  const NornIsa *isa = code->isa;
  const uint8_t *bytes = code->words;
  unsigned word_bytes = norn_isa_word_bytes(isa);
  size_t size = code->size;
  *program = (NornReportProgram){
      .isa = isa, .machine = norn_report_machine(isa->name), .info = code->info};
  if (!norn_isa_check_architecture(isa, code->architecture, error))
    return false;
  if (size % word_bytes || size / word_bytes >= UINT32_MAX / 2) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "code of %" G_GSIZE_FORMAT " bytes, expected a multiple of %u", size, word_bytes);
    return false;
  }
  while (size && norn_bytes_read(bytes + size - word_bytes, word_bytes) == 0)
    size -= word_bytes;
  program->instruction_count = (uint32_t)(size / word_bytes);
  program->instructions = g_new0(NornReportInstruction, program->instruction_count + 1);
  if (!decode(program, code->architecture, bytes, word_bytes, error)) {
    norn_report_program_clear(program);
    return false;
  }
  if (program->instruction_count) {
    make_blocks(program);
    order_blocks(program);
  }
  return true;
}

void
norn_report_program_clear(NornReportProgram *program) {
  g_free(program->instructions);
  g_free(program->blocks);
  g_free(program->order);
  *program = (NornReportProgram){0};
}
