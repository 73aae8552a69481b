/* Runs Valhall machine code: registers, control flow, warps and workgroups.
 *
 * The lanes of a warp have a program counter each. The active lanes execute one instruction
 * together; only after an instruction with the flow `reconverge` is the set chosen anew, as the
 * lanes with the lowest counter. So a divergence that the code does not announce, or a join that it
 * misses, shows, and traps. Workgroups run one after the other, their warps in turn, each until it
 * ends or waits at a barrier.
 *
 * Results of messages are in the registers at once, but marked as in flight for the lane until it
 * waits for the slot; touching a marked register is a trap. */
#include "sim/valhall/valhall.h"
#include <norn/isa.h>
#include <norn/valhall.h>
#include <string.h>

#define REGISTER_BIT(reg) (UINT64_C(1) << (reg))

/* The address of an instruction, and its assembly. */
static void
append_place(const NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
             GString *out) {
  char text[NORN_ISA_LINE], *comment;
  const NornValhallSimProgram *program = &warp->run->program;
  norn_isa_print(program->isa, program->architecture, instruction->word, NORN_ISA_PRINT_NO_VERIFY,
                 text);
  if ((comment = strstr(text, " ;")))
    *comment = 0;
  g_string_append_printf(out, "0x%x (%s)", instruction->index * 8, text);
}

/* The error for what ends the run at an instruction: "trap" or another word for it, the place, and
 * the message. */
static void
set_error(const NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, int lane,
          NornErrorCode code, const char *event, const char *message, GError **error) {
  GString *text = g_string_new(warp->run->place);
  if (!warp->run->place) {
    g_string_append_printf(text, "%s at ", event);
    append_place(warp, instruction, text);
  }
  if (lane >= 0)
    g_string_append_printf(text, "%sinvocation %u (lane %d)", warp->run->place ? "" : ", ",
                           warp->thread[lane] - 1, lane);
  if (lane >= 0 || !warp->run->place)
    g_string_append(text, ": ");
  g_string_append(text, message);
  g_set_error_literal(error, NORN_ERROR, code, text->str);
  g_string_free(text, TRUE);
}

bool
norn_valhall_trap(const NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                  int lane, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  set_error(warp, instruction, lane, NORN_ERROR_TRAP, "trap", message, error);
  g_free(message);
  return false;
}

/* --- Registers --- */

/* The slot whose message has that bit set in `masks`, or -1. */
static int
slot_of(const uint64_t masks[NORN_VALHALL_SLOTS][NORN_VALHALL_WARP], unsigned lane, uint64_t bit) {
  for (int slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (masks[slot][lane] & bit)
      return slot;
  return -1;
}

/* Whether no message in flight writes `reg`. */
static inline bool
check_free(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned reg,
           unsigned lane, const char *verb, GError **error) {
  if (!(warp->in_flight[lane] & REGISTER_BIT(reg)))
    return true;
  int slot = slot_of(warp->written, lane, REGISTER_BIT(reg));
  return norn_valhall_trap(
      warp, instruction, (int)lane, error,
      "r%u is %s while a message that writes it is in flight; wait for slot %d "
      "first",
      reg, verb, slot);
}

/* Reads register `reg` with the mask of its undefined bits. */
static bool
read_register(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned reg,
              unsigned lane, uint32_t *value, uint32_t *undefined, GError **error) {
  uint8_t defined = warp->defined[reg][lane];
  *value = warp->registers[reg][lane];
  *undefined = 0;
  if (!check_free(warp, instruction, reg, lane, "read", error))
    return false;
  if (defined == 0xF)
    return true;
  if (warp->discarded[lane] & REGISTER_BIT(reg))
    return norn_valhall_trap(warp, instruction, (int)lane, error, "r%u is read after its last use",
                             reg);
  if (!defined)
    return norn_valhall_trap(warp, instruction, (int)lane, error, "r%u is read but undefined", reg);
  for (unsigned byte = 0; byte < 4; byte++)
    if (!(defined >> byte & 1))
      *undefined |= UINT32_C(0xFF) << 8 * byte;
  return true;
}

bool
norn_valhall_read_source(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                         unsigned source, unsigned lane, uint64_t *value, uint64_t *undefined,
                         GError **error) {
  const NornValhallSimSource *s = &instruction->source[source];
  *undefined = 0;
  *value = s->kind == NORN_VALHALL_SOURCE_LANE_ID ? lane : s->value;
  if (s->kind != NORN_VALHALL_SOURCE_REGISTER)
    return true;
  /* The common case, done fast: one register, defined and at rest. */
  if (s->words == 1 && !s->last_use && warp->defined[s->reg][lane] == 0xF &&
      !(warp->in_flight[lane] & REGISTER_BIT(s->reg))) {
    *value = warp->registers[s->reg][lane];
    return true;
  }
  *value = 0;
  for (unsigned i = 0; i < s->words; i++) {
    uint32_t word, mask;
    if (!(s->words_read >> i & 1))
      continue;
    if (!read_register(warp, instruction, s->reg + i, lane, &word, &mask, error))
      return false;
    if (s->last_use && slot_of(warp->read, lane, REGISTER_BIT(s->reg + i)) >= 0)
      return norn_valhall_trap(warp, instruction, (int)lane, error,
                               "r%u is marked as last used while a message in flight reads it",
                               s->reg + i);
    *value |= (uint64_t)word << 32 * i;
    *undefined |= (uint64_t)mask << 32 * i;
  }
  return true;
}

bool
norn_valhall_read_defined(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                          unsigned source, unsigned lane, uint64_t *value, GError **error) {
  uint64_t undefined;
  if (!norn_valhall_read_source(warp, instruction, source, lane, value, &undefined, error))
    return false;
  if (undefined)
    return norn_valhall_trap(warp, instruction, (int)lane, error,
                             "bits 0x%" G_GINT64_MODIFIER "x of source %u are undefined", undefined,
                             source);
  return true;
}

void
norn_valhall_drop_last_uses(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                            unsigned lane) {
  for (unsigned k = 0; instruction->has_last_use && k < instruction->source_count; k++) {
    const NornValhallSimSource *source = &instruction->source[k];
    for (unsigned i = 0; source->last_use && i < source->words; i++) {
      warp->defined[source->reg + i][lane] = 0;
      warp->discarded[lane] |= REGISTER_BIT(source->reg + i);
    }
  }
}

/* Writes the bytes of `mask` and makes them defined, except for those that are undefined. */
static bool
write_register(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned reg,
               unsigned lane, uint32_t value, uint32_t mask, uint32_t undefined, GError **error) {
  if (!check_free(warp, instruction, reg, lane, "written", error))
    return false;
  warp->discarded[lane] &= ~REGISTER_BIT(reg);
  if (mask == UINT32_MAX && !undefined) {
    warp->registers[reg][lane] = value;
    warp->defined[reg][lane] = 0xF;
    return true;
  }
  uint8_t bytes = 0, poison = 0;
  for (unsigned byte = 0; byte < 4; byte++) {
    bytes |= (uint8_t)((mask >> 8 * byte & 0xFF ? 1u : 0u) << byte);
    poison |= (uint8_t)((mask & undefined) >> 8 * byte & 0xFF ? 1u << byte : 0u);
  }
  warp->registers[reg][lane] = (warp->registers[reg][lane] & ~mask) | (value & mask);
  warp->defined[reg][lane] = (uint8_t)((warp->defined[reg][lane] | bytes) & ~poison);
  return true;
}

static bool
write_destination(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                  unsigned lane, const NornValhallResult *result, uint64_t undefined,
                  GError **error) {
  for (unsigned i = 0; i < instruction->destination.count; i++)
    if (!write_register(warp, instruction, instruction->destination.first + i, lane,
                        (uint32_t)(result->bits >> 32 * i), (uint32_t)(result->mask >> 32 * i),
                        (uint32_t)(undefined >> 32 * i), error))
      return false;
  return true;
}

/* --- Staging registers --- */

bool
norn_valhall_read_staging(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                          unsigned index, unsigned lane, unsigned bytes, uint32_t *value,
                          GError **error) {
  unsigned reg = instruction->staging_read.first + index;
  uint32_t undefined;
  if (!read_register(warp, instruction, reg, lane, value, &undefined, error))
    return false;
  if (bytes & ~warp->defined[reg][lane])
    return norn_valhall_trap(warp, instruction, (int)lane, error,
                             "bits 0x%x of staging register r%u are undefined", undefined, reg);
  warp->read[instruction->slot][lane] |= REGISTER_BIT(reg);
  return true;
}

bool
norn_valhall_write_staging(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                           unsigned index, unsigned lane, unsigned bytes, uint32_t value,
                           GError **error) {
  unsigned reg = instruction->staging_write.first + index;
  if (!check_free(warp, instruction, reg, lane, "written", error))
    return false;
  warp->registers[reg][lane] = value;
  warp->defined[reg][lane] = (uint8_t)bytes;
  warp->discarded[lane] &= ~REGISTER_BIT(reg);
  warp->pending[lane] |= REGISTER_BIT(reg);
  return true;
}

/* Marks what the message that was executed for `lane` will write. */
static void
finish_issue(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
             unsigned lane) {
  warp->written[instruction->slot][lane] |= warp->pending[lane];
  warp->in_flight[lane] |= warp->pending[lane];
  warp->pending[lane] = 0;
}

/* --- Actions --- */

static bool
read_sources(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
             uint64_t *values, uint64_t *undefined, GError **error) {
  for (unsigned k = 0; k < instruction->source_count; k++)
    if (!norn_valhall_read_source(warp, instruction, k, lane, &values[k], &undefined[k], error))
      return false;
  return true;
}

static bool
any_set(const uint64_t *masks, unsigned count) {
  uint64_t any = 0;
  for (unsigned i = 0; i < count; i++)
    any |= masks[i];
  return any != 0;
}

static bool
compute(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, GError **error) {
  norn_valhall_for_each_active(warp, lane) {
    uint64_t values[NORN_VALHALL_SOURCES] = {0}, undefined[NORN_VALHALL_SOURCES] = {0};
    NornValhallResult result;
    if (!read_sources(warp, instruction, lane, values, undefined, error))
      return false;
    uint64_t poison =
        any_set(undefined, instruction->source_count)
            ? norn_valhall_undefined_result(&instruction->operation, values, undefined)
            : 0;
    norn_valhall_execute(&instruction->operation, warp->run->launch->denormals, values, &result);
    norn_valhall_drop_last_uses(warp, instruction, lane);
    if (!write_destination(warp, instruction, lane, &result, poison, error))
      return false;
  }
  return true;
}

static bool
exchange(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, GError **error) {
  uint64_t values[2][NORN_VALHALL_WARP] = {{0}};
  norn_valhall_for_each_active(warp, lane) {
    for (unsigned k = 0; k < instruction->source_count; k++)
      if (!norn_valhall_read_defined(warp, instruction, k, lane, &values[k][lane], error))
        return false;
    norn_valhall_drop_last_uses(warp, instruction, lane);
  }
  norn_valhall_for_each_active(warp, lane) {
    NornValhallResult result;
    norn_valhall_exchange(&instruction->operation, values[0], values[1], warp->active, lane,
                          &result);
    if (!write_destination(warp, instruction, lane, &result, 0, error))
      return false;
  }
  return true;
}

static bool
do_nothing(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, GError **error) {
  (void)warp, (void)instruction, (void)error;
  return true;
}

bool
norn_valhall_branch_lane(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                         unsigned lane, int64_t target, GError **error) {
  if (target < 0 || target >= warp->run->program.count)
    return norn_valhall_trap(warp, instruction, (int)lane, error,
                             "it branches out of the program, to instruction %" G_GINT64_FORMAT,
                             target);
  warp->pc[lane] = (uint32_t)target;
  return true;
}

static bool
branch(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, GError **error) {
  norn_valhall_for_each_active(warp, lane) {
    uint64_t condition;
    if (!norn_valhall_read_defined(warp, instruction, 0, lane, &condition, error))
      return false;
    norn_valhall_drop_last_uses(warp, instruction, lane);
    if (norn_valhall_branch_taken(&instruction->operation, condition) &&
        !norn_valhall_branch_lane(warp, instruction, lane,
                                  (int64_t)instruction->index + 1 + instruction->distance, error))
      return false;
  }
  return true;
}

/* The target is an address whose high half is that of the program or, which is a guess, a byte
 * offset from the next instruction. */
static bool
branch_indirect(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                GError **error) {
  bool absolute = norn_isa_field_get_or(instruction->encoding, NORN_VALHALL_FIELD_ABSOLUTE,
                                        instruction->word, 1);
  norn_valhall_for_each_active(warp, lane) {
    uint64_t condition, target;
    if (!norn_valhall_read_defined(warp, instruction, 0, lane, &condition, error) ||
        !norn_valhall_read_defined(warp, instruction, 1, lane, &target, error))
      return false;
    norn_valhall_drop_last_uses(warp, instruction, lane);
    if (!norn_valhall_branch_taken(&instruction->operation, condition))
      continue;
    int64_t offset = absolute ? (int64_t)target - (int64_t)(NORN_VALHALL_CODE_ADDRESS & UINT32_MAX)
                              : (int64_t)(int32_t)target + 8 * ((int64_t)instruction->index + 1);
    if (offset % 8)
      return norn_valhall_trap(warp, instruction, (int)lane, error,
                               "it branches to a misaligned address");
    if (!norn_valhall_branch_lane(warp, instruction, lane, offset / 8, error))
      return false;
  }
  return true;
}

static bool
discard(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, GError **error) {
  if (warp->run->launch->stage != NORN_STAGE_FRAGMENT)
    return norn_valhall_trap(warp, instruction, -1, error, "it is only for fragment programs");
  norn_valhall_for_each_active(warp, lane) {
    uint64_t values[NORN_VALHALL_SOURCES] = {0};
    NornValhallResult result;
    for (unsigned k = 0; k < instruction->source_count; k++)
      if (!norn_valhall_read_defined(warp, instruction, k, lane, &values[k], error))
        return false;
    norn_valhall_drop_last_uses(warp, instruction, lane);
    norn_valhall_execute(&instruction->operation, warp->run->launch->denormals, values, &result);
    warp->helpers |= (uint16_t)((result.bits & 1) << lane);
  }
  return true;
}

int
norn_valhall_slot_in_flight(const NornValhallSimWarp *warp, unsigned lane) {
  for (int slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (warp->last_message[slot][lane] > warp->waited[slot][lane])
      return slot;
  return -1;
}

static bool
barrier(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, GError **error) {
  if (!(instruction->waits >> NORN_VALHALL_BARRIER_SLOT & 1))
    return norn_valhall_trap(warp, instruction, -1, error, "a barrier needs the flow wait");
  if (warp->active != warp->alive)
    return norn_valhall_trap(warp, instruction, -1, error,
                             "a barrier is executed by some lanes of the warp only");
  norn_valhall_for_each_active(warp, lane) {
    int slot = norn_valhall_slot_in_flight(warp, lane);
    if (slot >= 0)
      return norn_valhall_trap(warp, instruction, (int)lane, error,
                               "a barrier is executed while a message of slot %d is in flight",
                               slot);
  }
  warp->at_barrier = true;
  return true;
}

/* A message of each lane by itself, or of all lanes together. */
static bool
run_message(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
            GError **error) {
  if (instruction->warp_message)
    return instruction->warp_message(warp, instruction, error);
  norn_valhall_for_each_active(warp, lane) {
    if (!instruction->message(warp, instruction, lane, error))
      return false;
  }
  return true;
}

static bool
message(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, GError **error) {
  warp->message++;
  warp->run->report.messages++;
  if (!run_message(warp, instruction, error))
    return false;
  norn_valhall_for_each_active(warp, lane) {
    finish_issue(warp, instruction, lane);
    warp->last_message[instruction->slot][lane] = warp->message;
  }
  return true;
}

static const NornValhallSimAction actions[] = {
    [NORN_VALHALL_NOP] = do_nothing,           [NORN_VALHALL_BRANCHZ] = branch,
    [NORN_VALHALL_BRANCHZI] = branch_indirect, [NORN_VALHALL_DISCARD_F32] = discard,
    [NORN_VALHALL_BARRIER] = barrier,
};

NornValhallSimAction
norn_valhall_action(const NornValhallSimInstruction *instruction) {
  uint16_t number = instruction->encoding->instruction;
  if (number < G_N_ELEMENTS(actions) && actions[number])
    return actions[number];
  if (instruction->message || instruction->warp_message)
    return message;
  if (!norn_valhall_is_operation(number))
    return NULL;
  return norn_valhall_is_exchange(&instruction->operation) ? exchange : compute;
}

/* --- Control flow --- */

static void
wait_for_slots(NornValhallSimWarp *warp, unsigned slots) {
  norn_valhall_for_each_active(warp, lane) {
    warp->in_flight[lane] = 0;
    warp->waits_seen[lane] |= (uint8_t)slots;
    for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
      if (slots >> slot & 1) {
        warp->written[slot][lane] = warp->read[slot][lane] = 0;
        warp->waited[slot][lane] = warp->message;
      }
      warp->in_flight[lane] |= warp->written[slot][lane];
    }
  }
}

/* Makes the living lanes with the lowest counter active. */
static void
choose_active(NornValhallSimWarp *warp) {
  uint32_t lowest = UINT32_MAX;
  warp->active = 0;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    if (warp->alive >> lane & 1 && warp->pc[lane] < lowest)
      lowest = warp->pc[lane];
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    warp->active |= (uint16_t)((warp->alive >> lane & 1 && warp->pc[lane] == lowest) << lane);
}

static unsigned
first_lane(unsigned mask) {
  return (unsigned)g_bit_nth_lsf(mask, -1);
}

/* After an instruction without `reconverge` the active lanes must stay together and meet no others.
 */
static bool
check_unchanged(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                GError **error) {
  uint32_t pc = warp->pc[first_lane(warp->active)];
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++) {
    if (warp->active >> lane & 1 && warp->pc[lane] != pc)
      return norn_valhall_trap(warp, instruction, (int)lane, error,
                               "the lanes diverge without the flow reconverge");
    if ((warp->alive & ~warp->active) >> lane & 1 && warp->pc[lane] == pc)
      return norn_valhall_trap(warp, instruction, (int)lane, error,
                               "the lane waits at 0x%x, which others reach without the flow "
                               "reconverge",
                               pc * 8);
  }
  return true;
}

/* What the flow of an executed instruction does. */
static bool
apply_flow(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, GError **error) {
  if (instruction->waits)
    wait_for_slots(warp, instruction->waits);
  if (instruction->discards)
    warp->alive &= (uint16_t) ~(warp->helpers & warp->active);
  if (instruction->ends)
    warp->alive &= (uint16_t)~warp->active;
  warp->active &= warp->alive;
  if (!warp->active || instruction->reconverges)
    choose_active(warp);
  else if (!check_unchanged(warp, instruction, error))
    return false;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    if (warp->active >> lane & 1 && warp->pc[lane] >= warp->run->program.count)
      return norn_valhall_trap(warp, instruction, (int)lane, error,
                               "the program goes on past its end");
  return true;
}

static bool
count_steps(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
            GError **error) {
  NornReport *report = &warp->run->report;
  unsigned lanes = 0;
  for (unsigned mask = warp->active; mask; mask &= mask - 1)
    lanes++;
  report->instructions++;
  report->thread_instructions += lanes;
  report->unit_instructions[instruction->unit] += lanes;
  if (report->thread_instructions <= warp->run->step_limit)
    return true;
  char *message =
      g_strdup_printf("the limit of %" G_GUINT64_FORMAT " steps is reached", warp->run->step_limit);
  set_error(warp, instruction, (int)first_lane(warp->active), NORN_ERROR_LIMIT, "stopped", message,
            error);
  g_free(message);
  return false;
}

/* Executes one instruction of the active lanes. */
static bool
step(NornValhallSimWarp *warp, GError **error) {
  unsigned lane = first_lane(warp->active);
  const NornValhallSimInstruction *instruction =
      norn_valhall_program_fetch(&warp->run->program, warp->pc[lane]);
  if (!count_steps(warp, instruction, error))
    return false;
  if (instruction->fault)
    return norn_valhall_trap(warp, instruction, -1, error, "%s", instruction->fault);
  for (unsigned i = 0; i < NORN_VALHALL_WARP; i++)
    warp->pc[i] += warp->active >> i & 1;
  return instruction->action(warp, instruction, error) && apply_flow(warp, instruction, error);
}

/* --- Workgroups --- */

static void
init_warp(NornValhallSimWarp *warp, NornValhallSimRun *run, uint32_t first, uint32_t invocations,
          uint32_t thread) {
  memset(warp, 0, sizeof *warp);
  warp->run = run;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP && first + lane < invocations; lane++) {
    uint16_t bit = (uint16_t)(1u << lane);
    warp->alive |= bit;
    warp->thread[lane] = thread + first + lane + 1;
    warp->local[lane] = first + lane;
    if (norn_valhall_starts_as_helper(run->launch, run->workgroup, first + lane))
      warp->helpers |= bit;
    for (unsigned reg = norn_valhall_first_preload(run->launch); reg < NORN_VALHALL_REGISTERS;
         reg++) {
      NornValhallSimPreload preload =
          norn_valhall_preloaded(run->launch, run->workgroup, first + lane, reg);
      warp->registers[reg][lane] = preload.value;
      warp->defined[reg][lane] = preload.defined;
    }
  }
  choose_active(warp);
}

/* Runs the warps in turn, each until it ends or waits at a barrier, until all have ended. */
static bool
run_warps(NornValhallSimWarp *warps, unsigned count, GError **error) {
  for (;;) {
    bool alive = false;
    for (unsigned i = 0; i < count; i++) {
      while (warps[i].alive && !warps[i].at_barrier)
        if (!step(&warps[i], error))
          return false;
      alive |= warps[i].alive != 0;
    }
    if (!alive)
      return true;
    for (unsigned i = 0; i < count; i++)
      warps[i].at_barrier = false;
  }
}

static bool
run_workgroup(NornValhallSimRun *run, NornValhallSimWarp *warps, uint64_t number, GError **error) {
  const NornLaunch *launch = run->launch;
  uint32_t invocations = launch->workgroup[0] * launch->workgroup[1] * launch->workgroup[2];
  unsigned count = (invocations + NORN_VALHALL_WARP - 1) / NORN_VALHALL_WARP;
  if (launch->shared_bytes)
    memset(run->shared, 0, launch->shared_bytes);
  if (launch->scratch_bytes)
    memset(run->scratch, 0, launch->scratch_bytes * invocations);
  for (unsigned i = 0; i < count; i++)
    init_warp(&warps[i], run, i * NORN_VALHALL_WARP, invocations, (uint32_t)(number * invocations));
  run->report.warps += count;
  run->report.invocations += invocations;
  return run_warps(warps, count, error);
}

static bool
run_grid(NornValhallSimRun *run, NornValhallSimWarp *warps, GError **error) {
  const uint32_t *grid = run->launch->grid;
  uint64_t number = 0;
  for (run->workgroup[2] = 0; run->workgroup[2] < grid[2]; run->workgroup[2]++)
    for (run->workgroup[1] = 0; run->workgroup[1] < grid[1]; run->workgroup[1]++)
      for (run->workgroup[0] = 0; run->workgroup[0] < grid[0]; run->workgroup[0]++)
        if (!run_workgroup(run, warps, number++, error))
          return false;
  return true;
}

/* Bytes of memory that the workgroups' invocations may have in all. */
#define LOCAL_MEMORY_LIMIT (UINT64_C(1) << 30)

static bool
check_local_memory(const NornLaunch *launch, GError **error) {
  uint64_t invocations =
      (uint64_t)launch->workgroup[0] * launch->workgroup[1] * launch->workgroup[2];
  if (launch->shared_bytes <= LOCAL_MEMORY_LIMIT &&
      launch->scratch_bytes <= LOCAL_MEMORY_LIMIT / invocations)
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
              "%zu bytes of workgroup memory, %zu of thread-local memory: expected at most %" //
              G_GUINT64_FORMAT " in a workgroup",
              launch->shared_bytes, launch->scratch_bytes, LOCAL_MEMORY_LIMIT);
  return false;
}

bool
norn_simulate_valhall(const void *code, size_t size, const char *architecture,
                      const NornLaunch *launch, NornReport *report, GError **error) {
  NornValhallSimRun run = {.launch = launch, .step_limit = norn_launch_step_limit(launch)};
  if (!norn_launch_check(launch, error) || !check_local_memory(launch, error) ||
      !norn_valhall_program_init(&run.program, code, size, architecture, launch, error))
    return false;
  uint32_t invocations = launch->workgroup[0] * launch->workgroup[1] * launch->workgroup[2];
  NornValhallSimWarp *warps =
      g_new(NornValhallSimWarp, (invocations + NORN_VALHALL_WARP - 1) / NORN_VALHALL_WARP);
  norn_valhall_sample_positions(launch, run.sample_positions);
  run.shared = g_malloc(launch->shared_bytes);
  run.scratch = g_malloc(launch->scratch_bytes * invocations);
  run.shadow = launch->ignore_memory_hazards ? NULL : norn_valhall_shadow_new();
  bool ok = run_grid(&run, warps, error);
  if (report)
    *report = run.report;
  norn_valhall_shadow_free(run.shadow);
  g_free(run.scratch);
  g_free(run.shared);
  g_free(warps);
  norn_valhall_program_clear(&run.program);
  return ok;
}
