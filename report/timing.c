/* A model of one core.
 *
 * Time is counted in ticks, TICKS to a cycle. A warp issues its instructions in order. The next one
 * is issued at the earliest `issue_cycles` after the last, when the registers that it reads are
 * computed and, if it is not a message, its units are free. An instruction of cost C keeps a unit
 * of rate R busy for lanes * C / R cycles. A message leaves the warp at once, queues for its unit,
 * and signals its slot `latency` after the unit accepts it; if the flow of an instruction waits for
 * a slot, the next instruction is delayed. Among the resident warps, the one that can issue first
 * does so, the oldest one if there are several. When a warp has ended and all its messages have
 * completed, the next warp takes its place.
 *
 * Not modeled: caches (latencies are those of hits), barriers between warps, disabled lanes, and
 * the division of a core into several engines, each with its share of the units and the warps. */
#include "report/timing.h"
#include <string.h>

enum { TICKS = 64 };

typedef struct Warp {
  GArray *trace; /* uint32_t: instructions */
  size_t position;
  uint64_t next; /* the earliest tick at which it may issue */
  uint64_t ready[NORN_REPORT_REGISTERS], slot_ready[NORN_REPORT_SLOTS];
  uint32_t writer[NORN_REPORT_REGISTERS], slot_owner[NORN_REPORT_SLOTS];
} Warp;

struct NornTimingModel {
  NornReportProgram program;
  GPtrArray *warps;      /* Warp, ordered by their first instructions */
  GHashTable *by_number; /* number -> Warp */
  uint64_t last_number;
  Warp *last; /* the one with last_number */
  NornInstructionTiming *instructions;
};

typedef struct Core {
  const NornReportProgram *program;
  uint64_t unit_free[NORN_ISA_UNITS], unit_busy[NORN_ISA_UNITS];
  uint64_t end;
  NornInstructionTiming *instructions; /* nullable */
  uint64_t *longest; /* wait cycles of each instruction so far; with `instructions` */
  uint64_t issued, stall[NORN_STALLS];
} Core;

const NornTimingParameter *
norn_timing_parameters(const NornIsa *isa, unsigned *count) {
  const NornReportMachine *machine = norn_report_machine(isa->name);
  *count = machine ? machine->parameter_count : 0;
  return machine ? machine->parameters : NULL;
}

/* --- One instruction --- */

static uint32_t
current(const Warp *warp) {
  return g_array_index(warp->trace, uint32_t, warp->position);
}

/* When the registers that the instruction reads are available; *writer is the last instruction
 * that it waits for. */
static uint64_t
operands_ready(const Warp *warp, const NornReportInstruction *self, uint32_t *writer) {
  uint64_t ready = 0;
  for (uint64_t left = self->reads; left; left &= left - 1) {
    unsigned reg = (unsigned)__builtin_ctzll(left);
    if (warp->ready[reg] <= ready)
      continue;
    ready = warp->ready[reg];
    *writer = warp->writer[reg];
  }
  return ready;
}

/* The number of ticks for which a warp's instruction keeps a unit busy. */
static uint64_t
ticks_on(const NornReportProgram *program, const NornReportInstruction *self, unsigned unit) {
  unsigned rate = program->isa->units[unit].rate;
  uint64_t cost = rate ? norn_report_cost(program->isa, self, unit) : 0;
  return rate ? (cost * program->machine->lanes * TICKS + rate - 1) / rate : 0;
}

/* When all units that the instruction needs are free. */
static uint64_t
units_free(const Core *core, const NornReportInstruction *self) {
  uint64_t time = 0;
  for (unsigned unit = 0; unit < core->program->isa->unit_count; unit++)
    if (ticks_on(core->program, self, unit))
      time = MAX(time, core->unit_free[unit]);
  return time;
}

static uint64_t
earliest_issue(const Core *core, const Warp *warp) {
  const NornReportInstruction *self = &core->program->instructions[current(warp)];
  uint32_t writer;
  uint64_t time = MAX(warp->next, operands_ready(warp, self, &writer));
  return self->is_message ? time : MAX(time, units_free(core, self));
}

static void
note_stall(Core *core, uint32_t index, NornStall reason, uint64_t ticks, uint32_t waited_for) {
  core->stall[reason] += ticks;
  if (!core->instructions || !ticks)
    return;
  core->instructions[index].stall[reason] += (double)ticks / TICKS;
  if (ticks <= core->longest[index])
    return;
  core->longest[index] = ticks;
  core->instructions[index].waited_for = waited_for;
}

/* Delays the warp's next instruction until the slots that this one waits for are signaled. */
static void
wait_for_slots(Core *core, Warp *warp, const NornReportInstruction *self, uint32_t index) {
  uint64_t from = warp->next;
  uint32_t owner = index;
  for (unsigned left = self->waits; left; left &= left - 1) {
    unsigned slot = (unsigned)__builtin_ctz(left);
    if (warp->slot_ready[slot] <= warp->next)
      continue;
    warp->next = warp->slot_ready[slot];
    owner = warp->slot_owner[slot];
  }
  note_stall(core, index, NORN_STALL_MESSAGE, warp->next - from, owner);
}

/* When the results are available. */
static uint64_t
execute(Core *core, const NornReportInstruction *self, uint64_t time) {
  uint64_t start = MAX(time, units_free(core, self));
  for (unsigned unit = 0; unit < core->program->isa->unit_count; unit++) {
    uint64_t ticks = ticks_on(core->program, self, unit);
    if (!ticks)
      continue;
    core->unit_free[unit] = start + ticks;
    core->unit_busy[unit] += ticks;
  }
  return start + (uint64_t)self->latency * TICKS;
}

static void
issue(Core *core, Warp *warp, uint64_t time) {
  uint32_t index = current(warp), writer = index;
  const NornReportInstruction *self = &core->program->instructions[index];
  uint64_t operands = MAX(warp->next, operands_ready(warp, self, &writer));
  note_stall(core, index, NORN_STALL_RESULT, operands - warp->next, writer);
  note_stall(core, index, NORN_STALL_UNIT, time - operands, index);
  if (core->instructions && !core->instructions[index].issues++)
    core->instructions[index].issued_at = (double)time / TICKS;
  uint64_t done = execute(core, self, time);
  if (self->is_message) {
    warp->slot_ready[self->slot] = MAX(warp->slot_ready[self->slot], done);
    warp->slot_owner[self->slot] = index;
  } else {
    for (uint64_t left = self->writes; left; left &= left - 1) {
      warp->ready[__builtin_ctzll(left)] = done;
      warp->writer[__builtin_ctzll(left)] = index;
    }
  }
  core->issued++;
  core->end = MAX(core->end, done);
  warp->next = time + (uint64_t)core->program->machine->issue_cycles * TICKS;
  wait_for_slots(core, warp, self, index);
  warp->position++;
}

/* When everything that the warp has started is complete. */
static uint64_t
end_of(const Warp *warp) {
  uint64_t end = warp->next;
  for (unsigned slot = 0; slot < NORN_REPORT_SLOTS; slot++)
    end = MAX(end, warp->slot_ready[slot]);
  return end;
}

/* --- Many warps --- */

static void
start(Warp *warp, uint64_t time) {
  GArray *trace = warp->trace;
  *warp = (Warp){.trace = trace, .next = time};
}

static void
run_warps(Core *core, Warp **warps, unsigned count, unsigned resident) {
  g_autofree Warp **active = g_new(Warp *, resident + 1);
  unsigned active_count = 0, started = 0;
  while (active_count < resident && started < count) {
    start(warps[started], 0);
    active[active_count++] = warps[started++];
  }
  while (active_count) {
    unsigned chosen = 0;
    uint64_t time = UINT64_MAX;
    for (unsigned k = 0; k < active_count; k++) {
      uint64_t at = earliest_issue(core, active[k]);
      if (at >= time)
        continue;
      time = at;
      chosen = k;
    }
    issue(core, active[chosen], time);
    if (active[chosen]->position < active[chosen]->trace->len)
      continue;
    uint64_t end = end_of(active[chosen]);
    memmove(active + chosen, active + chosen + 1, (--active_count - chosen) * sizeof *active);
    if (started == count)
      continue;
    start(warps[started], end);
    active[active_count++] = warps[started++];
  }
}

static void
run_core(Core *core, Warp **warps, unsigned count, unsigned resident,
         NornInstructionTiming *instructions) {
  uint32_t size = core->program->instruction_count;
  g_autofree uint64_t *longest = g_new0(uint64_t, size + 1);
  core->instructions = instructions;
  core->longest = longest;
  for (uint32_t i = 0; instructions && i < size; i++)
    instructions[i] = (NornInstructionTiming){.waited_for = i};
  run_warps(core, warps, count, resident);
  core->longest = NULL;
}

double
norn_report_time_alone(const NornReportProgram *program, NornInstructionTiming *instructions) {
  if (!program->machine)
    return 0;
  Core core = {.program = program};
  Warp warp = {.trace = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  for (uint32_t i = 0; i < program->instruction_count; i++)
    if (program->instructions[i].encoding)
      g_array_append_val(warp.trace, i);
  Warp *warps = &warp;
  if (warp.trace->len)
    run_core(&core, &warps, 1, 1, instructions);
  g_array_unref(warp.trace);
  return (double)core.end / TICKS;
}

/* The greatest number of cycles for which the steps keep a unit busy. */
static double
longest_busy(const NornReportProgram *program, const NornReportStep *steps, size_t count) {
  double longest = 0;
  for (unsigned unit = 0; unit < program->isa->unit_count; unit++) {
    double busy = 0;
    for (size_t i = 0; i < count; i++)
      busy += steps[i].weight *
              (double)ticks_on(program, &program->instructions[steps[i].instruction], unit);
    longest = MAX(longest, busy / TICKS);
  }
  return longest;
}

double
norn_report_time_steps(const NornReportProgram *program, const NornReportStep *steps, size_t count,
                       double *busy) {
  *busy = longest_busy(program, steps, count);
  Core core = {.program = program};
  Warp warp = {.trace = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  double ticks = 0;
  for (size_t i = 0; i < count; i++) {
    g_array_append_val(warp.trace, steps[i].instruction);
    uint64_t before = warp.next;
    issue(&core, &warp, earliest_issue(&core, &warp));
    ticks += steps[i].weight * (double)(warp.next - before);
  }
  ticks += (double)(MAX(core.end, warp.next) - warp.next);
  g_array_unref(warp.trace);
  return ticks / TICKS;
}

/* --- The public model --- */

static void
free_warp(gpointer data) {
  Warp *warp = data;
  g_array_unref(warp->trace);
  g_free(warp);
}

NornTimingModel *
norn_timing_new(const NornMachineCode *code, GError **error) {
  NornTimingModel *model = g_new0(NornTimingModel, 1);
  if (!norn_report_machine(code->isa->name)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "there is no timing model for %s",
                code->isa->name);
    g_free(model);
    return NULL;
  }
  if (!norn_report_program_init(&model->program, code, error)) {
    g_free(model);
    return NULL;
  }
  model->warps = g_ptr_array_new_with_free_func(free_warp);
  model->by_number = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  return model;
}

static Warp *
find_warp(NornTimingModel *model, uint64_t number) {
  if (model->last && model->last_number == number)
    return model->last;
  Warp *warp = g_hash_table_lookup(model->by_number, &number);
  if (!warp) {
    warp = g_new0(Warp, 1);
    warp->trace = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_ptr_array_add(model->warps, warp);
    g_hash_table_insert(model->by_number, g_memdup2(&number, sizeof number), warp);
  }
  model->last = warp;
  model->last_number = number;
  return warp;
}

void
norn_timing_step(NornTimingModel *model, uint64_t warp, uint64_t address) {
  uint64_t index = address / norn_isa_word_bytes(model->program.isa);
  if (index >= model->program.instruction_count || !model->program.instructions[index].encoding)
    return;
  uint32_t at = (uint32_t)index;
  g_array_append_val(find_warp(model, warp)->trace, at);
}

/* The number of warps that a core holds, given the registers that the code uses. */
static unsigned
count_resident(const NornReportProgram *program) {
  uint64_t registers = 0;
  for (uint32_t i = 0; i < program->instruction_count; i++)
    registers |= program->instructions[i].reads | program->instructions[i].writes;
  return program->machine->warps * (registers & ~program->machine->half_file ? 1 : 2);
}

void
norn_timing_run(NornTimingModel *model, unsigned resident, NornTiming *timing) {
  const NornReportProgram *program = &model->program;
  Core core = {.program = program};
  g_free(model->instructions);
  model->instructions = g_new0(NornInstructionTiming, program->instruction_count + 1);
  resident = resident ? resident : count_resident(program);
  run_core(&core, (Warp **)model->warps->pdata, model->warps->len,
           MIN(resident, MAX(model->warps->len, 1)), model->instructions);
  *timing = (NornTiming){.cycles = (double)core.end / TICKS,
                         .issued = core.issued,
                         .warps = model->warps->len,
                         .resident = MIN(resident, model->warps->len),
                         .instructions = model->instructions,
                         .instruction_count = program->instruction_count};
  for (unsigned unit = 0; unit < program->isa->unit_count; unit++)
    if (program->isa->units[unit].rate)
      timing->busy[timing->unit_count++] = (double)core.unit_busy[unit] / TICKS;
  for (unsigned k = 0; k < NORN_STALLS; k++)
    timing->stall[k] = (double)core.stall[k] / TICKS;
}

void
norn_timing_free(NornTimingModel *model) {
  if (!model)
    return;
  g_ptr_array_unref(model->warps);
  g_hash_table_unref(model->by_number);
  norn_report_program_clear(&model->program);
  g_free(model->instructions);
  g_free(model);
}
