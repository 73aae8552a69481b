/* What instructions wait for.
 *
 * A forward analysis over the blocks finds, for each slot, the message that was sent last and
 * the registers that messages in flight will write or have yet to read, until a wait ends this;
 * where paths join, the states are united. For a wait, the text after it is searched for the
 * first instruction that needs what was waited for. */
#include "report/program.h"
#include <string.h>

/* Limits on instructions after a wait and on rounds over the blocks: if they are too low,
 * messages from far away may be missed. */
enum { MAX_STEPS = 256, MAX_ROUNDS = 64 };

/* Messages in flight that signal one slot. */
typedef struct Pending {
  uint32_t last; /* message + 1; 0: none */
  uint64_t reads, writes;
} Pending;

typedef struct State {
  Pending slots[NORN_REPORT_SLOTS];
  uint32_t user[NORN_REPORT_REGISTERS]; /* message + 1 that last reads or writes it */
} State;

static void
step(const NornReportInstruction *self, uint32_t index, State *state) {
  if (self->is_message) {
    Pending *pending = &state->slots[self->slot];
    pending->last = index + 1;
    pending->reads |= self->reads;
    pending->writes |= self->writes;
    for (uint64_t left = self->reads | self->writes; left; left &= left - 1)
      state->user[__builtin_ctzll(left)] = index + 1;
  }
  for (unsigned left = self->waits; left; left &= left - 1)
    state->slots[__builtin_ctz(left)] = (Pending){0};
}

/* Adds what is in flight on another path; returns whether the state grew. */
static bool
join(State *state, const State *other) {
  State old = *state;
  for (unsigned k = 0; k < NORN_REPORT_SLOTS; k++) {
    state->slots[k].last = MAX(state->slots[k].last, other->slots[k].last);
    state->slots[k].reads |= other->slots[k].reads;
    state->slots[k].writes |= other->slots[k].writes;
  }
  for (unsigned k = 0; k < NORN_REPORT_REGISTERS; k++)
    state->user[k] = MAX(state->user[k], other->user[k]);
  return memcmp(&old, state, sizeof old) != 0;
}

/* What is in flight before each block, to be freed with g_free. */
static State *
find_states(const NornReportProgram *program) {
  State *before = g_new0(State, program->block_count + 1);
  bool changed = true;
  for (unsigned round = 0; changed && round < MAX_ROUNDS; round++) {
    changed = false;
    for (uint32_t k = 0; k < program->order_count; k++) {
      const NornReportBlock *block = &program->blocks[program->order[k]];
      State state = before[program->order[k]];
      for (uint32_t i = block->first; i < block->end; i++)
        step(&program->instructions[i], i, &state);
      for (unsigned s = 0; s < 2; s++)
        if (block->successors[s] != NORN_NO_BLOCK)
          changed |= join(&before[block->successors[s]], &state);
    }
  }
  return before;
}

/* Finds the instruction that needs what is in flight in a slot. */
static void
find_need(const NornReportProgram *program, const State *state, const Pending *pending,
          NornWait *wait) {
  uint32_t end = MIN(program->instruction_count, wait->instruction + 1 + MAX_STEPS);
  wait->cause = NORN_WAIT_OTHER;
  for (uint32_t i = wait->instruction; i < end; i++) {
    const NornReportInstruction *self = &program->instructions[i];
    uint64_t results = self->reads & pending->writes;
    uint64_t registers = self->writes & (pending->reads | pending->writes);
    if (i > wait->instruction && (results || registers || self->is_message)) {
      uint64_t needed = results ? results : registers;
      wait->cause = results ? NORN_WAIT_RESULT : registers ? NORN_WAIT_REGISTER : NORN_WAIT_ORDER;
      wait->needed_by = i;
      if (needed)
        wait->message = state->user[__builtin_ctzll(needed)] - 1;
      return;
    }
    if (self->ends && !self->falls_through) {
      wait->cause = NORN_WAIT_END;
      wait->needed_by = i;
      return;
    }
  }
}

static NornWait
find_wait(const NornReportProgram *program, uint32_t index, unsigned slot, const State *state) {
  const Pending *pending = &state->slots[slot];
  NornWait wait = {.instruction = index,
                   .slot = slot,
                   .cause = NORN_WAIT_NOTHING,
                   .message = index,
                   .needed_by = index};
  if (!pending->last)
    return wait;
  wait.message = pending->last - 1;
  const NornIsaEncoding *message = program->instructions[wait.message].encoding;
  if (message->flags & program->isa->barrier_flag)
    wait.cause = NORN_WAIT_ORDER;
  else
    find_need(program, state, pending, &wait);
  message = program->instructions[wait.message].encoding;
  if (message->unit < program->isa->unit_count)
    wait.unit = norn_isa_string(program->isa, program->isa->units[message->unit].name);
  return wait;
}

/* If a wait covers several slots, only those with a known cause are listed. */
static void
add_waits(const NornReportProgram *program, uint32_t index, const State *state, GArray *waits) {
  guint first = waits->len;
  NornWait wait = {0};
  for (unsigned left = program->instructions[index].waits; left; left &= left - 1) {
    wait = find_wait(program, index, (unsigned)__builtin_ctz(left), state);
    if (wait.cause != NORN_WAIT_NOTHING)
      g_array_append_val(waits, wait);
  }
  if (waits->len > first)
    return;
  if (program->machine->order_slots & program->instructions[index].waits)
    wait.cause = NORN_WAIT_ORDER;
  g_array_append_val(waits, wait);
}

NornWait *
norn_code_waits(const NornMachineCode *code, unsigned *count, GError **error) {
  NornReportProgram program;
  if (!norn_report_program_init(&program, code, error))
    return NULL;
  GArray *waits = g_array_new(TRUE, FALSE, sizeof(NornWait));
  g_autofree State *before = find_states(&program);
  for (uint32_t b = 0; b < program.block_count; b++) {
    const NornReportBlock *block = &program.blocks[b];
    State state = before[b];
    for (uint32_t i = block->first; i < block->end; i++) {
      const NornReportInstruction *self = &program.instructions[i];
      State sent = state;
      if (self->waits) {
        step(&(NornReportInstruction){.is_message = self->is_message,
                                      .slot = self->slot,
                                      .reads = self->reads,
                                      .writes = self->writes},
             i, &sent);
        add_waits(&program, i, &sent, waits);
      }
      step(self, i, &state);
    }
  }
  *count = waits->len;
  norn_report_program_clear(&program);
  return (NornWait *)(void *)g_array_free(waits, FALSE);
}
