/* Machine code as blocks.
 *
 * A block begins at the entry, at each target of a branch and after each branch. Order and
 * dominators are computed for the blocks that are reachable from the entry (Cooper, Harvey and
 * Kennedy). */
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

/* Numbers the reachable blocks in reverse postorder, without recursion. */
static void
order_blocks(NornReportProgram *program) {
  typedef struct Visit {
    uint32_t block, next;
  } Visit;
  g_autofree Visit *stack = g_new(Visit, program->block_count);
  g_autofree bool *is_seen = g_new0(bool, program->block_count);
  uint32_t depth = 1, left = program->block_count;
  program->order = g_new(uint32_t, program->block_count);
  stack[0] = (Visit){0, 0};
  is_seen[0] = true;
  while (depth) {
    Visit *top = &stack[depth - 1];
    if (top->next == 2) {
      program->order[--left] = top->block;
      depth--;
      continue;
    }
    uint32_t next = program->blocks[top->block].successors[top->next++];
    if (next == NORN_NO_BLOCK || is_seen[next])
      continue;
    is_seen[next] = true;
    stack[depth++] = (Visit){next, 0};
  }
  program->order_count = program->block_count - left;
  memmove(program->order, program->order + left, program->order_count * sizeof *program->order);
  for (uint32_t i = 0; i < program->order_count; i++)
    program->blocks[program->order[i]].order = i;
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

static void
find_dominators(NornReportProgram *program) {
  program->blocks[0].dominator = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (NornReportEdge edge = {0}; norn_report_next_edge(program, &edge);) {
      if (edge.to == 0)
        continue;
      NornReportBlock *self = &program->blocks[edge.to];
      uint32_t dominator = self->dominator == NORN_NO_BLOCK
                               ? edge.from
                               : norn_report_common_dominator(program, self->dominator, edge.from);
      changed |= dominator != self->dominator;
      self->dominator = dominator;
    }
  }
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
    find_dominators(program);
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
