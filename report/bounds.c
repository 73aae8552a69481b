/* Lower bounds.
 *
 * The critical path executes each instruction once, in the order of the text. It is the longest
 * chain of instructions, by their latencies, in which each reads a result of the previous one;
 * units, slots, waits and the order of memory accesses cost nothing. Live registers are found
 * backward over the blocks until nothing changes. The number of messages assumes that loads of
 * any kind are merged into the widest accesses, and stores likewise; textures, varyings, atomics
 * and all others need one message each. */
#include "report/bounds.h"
#include "report/estimate.h"
#include "report/timing.h"
#include <string.h>

enum { WIDEST_ACCESS = 128 }; /* bits */

/* The registers that are live before the block's first instruction, given those that are live
 * after its last one. */
static uint64_t
live_through(const NornReportProgram *program, const NornReportBlock *block, uint64_t live,
             uint64_t *before) {
  for (uint32_t i = block->end; i-- > block->first;) {
    const NornReportInstruction *self = &program->instructions[i];
    live = (live & ~self->writes) | self->reads;
    before[i] = live;
  }
  return live;
}

uint64_t *
norn_report_live(const NornReportProgram *program) {
  uint64_t *before = g_new0(uint64_t, program->instruction_count + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = program->block_count; b-- > 0;) {
      const NornReportBlock *block = &program->blocks[b];
      uint64_t live = 0, old = before[block->first];
      for (unsigned k = 0; k < 2; k++)
        if (block->successors[k] != NORN_NO_BLOCK)
          live |= before[program->blocks[block->successors[k]].first];
      changed |= live_through(program, block, live, before) != old;
    }
  }
  return before;
}

static void
find_most_live(const NornReportProgram *program, NornStatistics *statistics) {
  g_autofree uint64_t *live = norn_report_live(program);
  for (uint32_t i = 0; i < program->instruction_count; i++) {
    unsigned count = (unsigned)__builtin_popcountll(live[i]);
    if (count <= statistics->most_live)
      continue;
    statistics->most_live = count;
    statistics->most_live_at = i;
  }
}

static double
critical_path(const NornReportProgram *program) {
  uint64_t ready[NORN_REPORT_REGISTERS] = {0}, end = 0;
  for (uint32_t i = 0; i < program->instruction_count; i++) {
    const NornReportInstruction *self = &program->instructions[i];
    uint64_t start = 0;
    for (uint64_t left = self->reads; left; left &= left - 1)
      start = MAX(start, ready[__builtin_ctzll(left)]);
    for (uint64_t left = self->writes; left; left &= left - 1)
      ready[__builtin_ctzll(left)] = start + self->latency;
    end = MAX(end, start + self->latency);
  }
  return (double)end;
}

/* Whether the instruction is a memory access that might be merged with others; *bits is its
 * size, or 0 for thread-local memory, since those accesses could be avoided entirely. */
static bool
is_plain_access(const NornReportProgram *program, const NornReportInstruction *self,
                unsigned *bits) {
  const NornReportMachine *machine = program->machine;
  const NornIsaEncoding *encoding = self->encoding;
  bool reads = encoding->flags & program->isa->read_flags,
       writes = encoding->flags & program->isa->write_flags, has_width = false;
  for (unsigned k = 0; machine && k < encoding->fixed_count; k++)
    has_width |= encoding->fixed[k].number == machine->width_field;
  if (!has_width || reads == writes || encoding->type.class == NORN_ISA_TYPE_UNKNOWN)
    return false;
  bool is_local = norn_isa_field_get_or(encoding, machine->access_field, self->word, 0) ==
                  machine->local_access;
  *bits = is_local ? 0 : encoding->type.bits;
  return true;
}

static unsigned
least_messages(const NornReportProgram *program) {
  unsigned loaded = 0, stored = 0, others = 0;
  for (uint32_t i = 0; i < program->instruction_count; i++) {
    const NornReportInstruction *self = &program->instructions[i];
    if (!self->is_message)
      continue;
    unsigned bits;
    if (!is_plain_access(program, self, &bits))
      others++;
    else if (self->encoding->flags & program->isa->read_flags)
      loaded += bits;
    else
      stored += bits;
  }
  return others + (loaded + WIDEST_ACCESS - 1) / WIDEST_ACCESS +
         (stored + WIDEST_ACCESS - 1) / WIDEST_ACCESS;
}

void
norn_report_bounds(const NornReportProgram *program, NornStatistics *statistics) {
  statistics->critical_path = critical_path(program);
  if (program->machine)
    statistics->unit_path = statistics->cycles[NORN_PATH_TOTAL] * program->machine->lanes;
  statistics->alone_cycles = norn_report_time_alone(program, NULL);
  statistics->warp_cycles = norn_report_estimate(program).cycles;
  find_most_live(program, statistics);
  statistics->least_messages = least_messages(program);
}
