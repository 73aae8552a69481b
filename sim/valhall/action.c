/* The actions of the active lanes of a warp for an instruction: compute, branch, send a message.
 * The flow that follows is not part of this. */
#include "sim/valhall/action.h"
#include "sim/valhall/graphics.h"
#include "sim/valhall/images.h"
#include "sim/valhall/load_store.h"
#include "sim/valhall/mixed.h"
#include "sim/valhall/program.h"
#include "sim/valhall/texture.h"
#include "sim/valhall/tile.h"
#include "sim/valhall/warp.h"
#include <norn/valhall.h>

/* --- Stages --- */

NornShaderStage
norn_valhall_stage_of(uint32_t flags) {
  return flags & NORN_VALHALL_FLAG_VERTEX     ? NORN_STAGE_VERTEX
         : flags & NORN_VALHALL_FLAG_FRAGMENT ? NORN_STAGE_FRAGMENT
                                              : NORN_STAGE_COUNT;
}

static bool
check_stage(const NornValhallSimWarp *warp, GError **error) {
  NornShaderStage stage = norn_valhall_stage_of(warp->instruction->encoding->flags);
  return stage == NORN_STAGE_COUNT || stage == warp->run->launch->stage ||
         norn_valhall_trap(warp, -1, NORN_VALHALL_TRAP_WRONG_STAGE, error,
                           "allowed only in %s programs", norn_stage_name(stage));
}

/* --- Computing --- */

static bool
read_sources(NornValhallSimWarp *warp, unsigned lane, uint64_t *values, uint64_t *undefined,
             GError **error) {
  for (unsigned k = 0; k < warp->instruction->source_count; k++)
    if (!norn_valhall_read_source(warp, k, lane, &values[k], &undefined[k], error))
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

/* The values of a source in all lanes. */
static void
gather_source(const NornValhallSimWarp *warp, const NornValhallSimSource *source,
              uint64_t *restrict values) {
  const uint32_t *low = warp->registers[source->reg];
  switch (source->kind) {
  case NORN_VALHALL_SOURCE_REGISTER:
    for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
      values[lane] = low[lane];
    for (unsigned lane = 0; source->words == 2 && lane < NORN_VALHALL_WARP; lane++)
      values[lane] |= (uint64_t)low[NORN_VALHALL_WARP + lane] << 32;
    break;
  case NORN_VALHALL_SOURCE_LANE_ID:
    for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
      values[lane] = lane;
    break;
  default:
    for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
      values[lane] = source->value;
  }
}

/* Computes all lanes at once if no check can fail; only the active ones write. */
static void
compute_warp(NornValhallSimWarp *warp) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  NornValhallValues values[NORN_VALHALL_SOURCES], bits;
  unsigned wide = 0;
  for (unsigned k = 0; k < instruction->source_count; k++) {
    gather_source(warp, &instruction->source[k], values[k]);
    wide |= (instruction->source[k].words > 1 ? 1u : 0u) << k;
  }
  uint64_t mask =
      norn_valhall_execute_warp(&instruction->operation, warp->run->ftz,
                                (const NornValhallValues *)values, wide, NORN_VALHALL_WARP, bits);
  if (instruction->has_last_use)
    norn_valhall_drop_registers(warp, instruction->drops);
  for (unsigned i = 0; i < instruction->destination.count; i++)
    norn_valhall_write_warp(warp, instruction->destination.first + i, bits, 32 * i,
                            (uint32_t)(mask >> 32 * i));
}

static bool
compute(NornValhallSimWarp *warp, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  if (norn_valhall_is_ready(warp)) {
    compute_warp(warp);
    return true;
  }
  norn_valhall_for_each_active(warp, lane) {
    uint64_t values[NORN_VALHALL_SOURCES] = {0}, undefined[NORN_VALHALL_SOURCES] = {0}, poison = 0;
    NornValhallResult result;
    NornValhallSimMix mix;
    if (!read_sources(warp, lane, values, undefined, error))
      return false;
    bool is_mixed =
        any_set(undefined, instruction->source_count) && norn_valhall_mixes(instruction);
    if (is_mixed)
      poison = norn_valhall_mix(warp, lane, &mix);
    else if (any_set(undefined, instruction->source_count))
      poison = norn_valhall_undefined_result(&instruction->operation, values, undefined);
    norn_valhall_execute(&instruction->operation, warp->run->ftz, values, &result);
    norn_valhall_drop_last_uses(warp, lane);
    if (!norn_valhall_write_destination(warp, lane, &result, poison, error))
      return false;
    if (is_mixed)
      norn_valhall_set_mix(warp, instruction->destination.first, lane, &mix);
  }
  return true;
}

static bool
exchange(NornValhallSimWarp *warp, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  NornValhallExchange lanes = {.active = warp->active};
  bool moves =
      instruction->source_count > 1; /* the value of each lane, along with its undefined bits */
  norn_valhall_for_each_active(warp, lane) {
    if (moves && !norn_valhall_read_source(warp, 0, lane, &lanes.source[0][lane],
                                           &lanes.undefined[lane], error))
      return false;
    for (unsigned k = moves; k < instruction->source_count; k++)
      if (!norn_valhall_read_defined(warp, k, lane, &lanes.source[k][lane], error))
        return false;
    norn_valhall_drop_last_uses(warp, lane);
  }
  norn_valhall_for_each_active(warp, lane) {
    NornValhallResult result;
    uint64_t mask;
    norn_valhall_exchange(&instruction->operation, &lanes, lane, &result, &mask);
    if (!norn_valhall_write_destination(warp, lane, &result, mask, error))
      return false;
  }
  return true;
}

/* --- Control --- */

/* The registers that a blend shader is called with. */
#define BLEND_INPUTS (UINT64_C(0xFF) | UINT64_C(1) << NORN_VALHALL_PRELOAD_LINK)

static bool
do_nothing(NornValhallSimWarp *warp, GError **error) {
  (void)warp, (void)error;
  return true;
}

static bool
branch(NornValhallSimWarp *warp, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  norn_valhall_for_each_active(warp, lane) {
    uint64_t condition;
    if (!norn_valhall_read_defined(warp, 0, lane, &condition, error))
      return false;
    norn_valhall_drop_last_uses(warp, lane);
    if (norn_valhall_branch_taken(&instruction->operation, condition) &&
        !norn_valhall_branch_lane(warp, lane,
                                  (int64_t)instruction->index + 1 + instruction->distance, error))
      return false;
  }
  return true;
}

/* A blend shader is entered at its start and finds the colors and what fragments always have.
 * When it returns, the registers that blend shaders may change are undefined in its caller. */
static bool
change_program(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornValhallSimProgram *program = warp->run->program;
  if (!program)
    return true;
  uint32_t target = warp->pc[lane];
  bool is_called = target >= program->own_count && warp->instruction->index < program->own_count;
  bool returns = target < program->own_count && warp->instruction->index >= program->own_count;
  if (is_called && !norn_valhall_program_is_blend_entry(program, target))
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_BRANCH_TARGET, error,
                             "branches into a blend shader, not to its start");
  uint64_t lost = returns     ? NORN_VALHALL_BLEND_CLOBBERS
                  : is_called ? NORN_VALHALL_BLEND_CLOBBERS & ~BLEND_INPUTS
                              : 0;
  norn_valhall_lose_registers(warp, lane, lost);
  return true;
}

/* The target is an address if its high half is that of the program; otherwise, which is a guess,
 * it is a byte offset from the next instruction. */
static bool
branch_indirect(NornValhallSimWarp *warp, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  bool absolute = norn_isa_field_get_or(instruction->encoding, NORN_VALHALL_FIELD_ABSOLUTE,
                                        instruction->word, 1);
  norn_valhall_for_each_active(warp, lane) {
    uint64_t condition, target;
    if (!norn_valhall_read_defined(warp, 0, lane, &condition, error) ||
        !norn_valhall_read_defined(warp, 1, lane, &target, error))
      return false;
    norn_valhall_drop_last_uses(warp, lane);
    if (!norn_valhall_branch_taken(&instruction->operation, condition))
      continue;
    int64_t offset = absolute ? (int64_t)target - (int64_t)(NORN_VALHALL_CODE_ADDRESS & UINT32_MAX)
                              : (int64_t)(int32_t)target + 8 * ((int64_t)instruction->index + 1);
    if (offset % 8)
      return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_BRANCH_TARGET, error,
                               "branches to a misaligned address");
    if (!norn_valhall_branch_lane(warp, lane, offset / 8, error) ||
        !change_program(warp, lane, error))
      return false;
    warp->branched |= (uint16_t)(1u << lane);
  }
  return true;
}

static bool
discard(NornValhallSimWarp *warp, GError **error) {
  if (!check_stage(warp, error))
    return false;
  norn_valhall_for_each_active(warp, lane) {
    uint64_t values[NORN_VALHALL_SOURCES] = {0};
    NornValhallResult result;
    for (unsigned k = 0; k < warp->instruction->source_count; k++)
      if (!norn_valhall_read_defined(warp, k, lane, &values[k], error))
        return false;
    norn_valhall_drop_last_uses(warp, lane);
    norn_valhall_execute(&warp->instruction->operation, warp->run->ftz, values, &result);
    warp->helpers |= (uint16_t)((result.bits & 1) << lane);
  }
  return true;
}

static bool
barrier(NornValhallSimWarp *warp, GError **error) {
  if (!(warp->instruction->waits >> NORN_VALHALL_BARRIER_SLOT & 1))
    return norn_valhall_trap(warp, -1, NORN_VALHALL_TRAP_BARRIER_FLOW, error,
                             "the barrier needs the flow wait");
  if (warp->active != warp->alive)
    return norn_valhall_trap(warp, -1, NORN_VALHALL_TRAP_BARRIER_DIVERGED, error,
                             "only some lanes of the warp execute the barrier");
  norn_valhall_for_each_active(warp, lane) {
    int slot = norn_valhall_slot_in_flight(warp, lane);
    if (slot >= 0)
      return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_BARRIER_IN_FLIGHT, error,
                               "the barrier is executed while a message of slot %d is in flight",
                               slot);
  }
  if (warp->present != warp->alive)
    return norn_valhall_trap(warp, g_bit_nth_lsf(warp->present & ~warp->alive, -1),
                             NORN_VALHALL_TRAP_BARRIER_ENDED, error,
                             "the barrier is executed after the lane has ended");
  warp->is_at_barrier = true;
  return true;
}

/* --- Messages --- */

/* A message of each lane by itself, or of all lanes together. */
static bool
run_message(NornValhallSimWarp *warp, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  if (instruction->warp_message)
    return instruction->warp_message(warp, error);
  norn_valhall_for_each_active(warp, lane) {
    if (!instruction->message(warp, lane, error))
      return false;
  }
  return true;
}

static bool
message(NornValhallSimWarp *warp, GError **error) {
  if (!check_stage(warp, error))
    return false;
  warp->message++;
  warp->run->report.messages++;
  if (!run_message(warp, error))
    return false;
  norn_valhall_for_each_active(warp, lane) {
    if (warp->ignores_flow)
      continue; /* a BLEND that is not a message */
    norn_valhall_finish_issue(warp, lane);
    warp->last_message[warp->instruction->slot][lane] = warp->message;
  }
  return true;
}

/* --- Decoding --- */

static const NornValhallSimAction actions[] = {
    [NORN_VALHALL_NOP] = do_nothing,           [NORN_VALHALL_BRANCHZ] = branch,
    [NORN_VALHALL_BRANCHZI] = branch_indirect, [NORN_VALHALL_DISCARD_F32] = discard,
    [NORN_VALHALL_BARRIER] = barrier,
};

/* The function that executes an instruction whose operation or message is decoded; NULL if it is
 * not modeled. */
static NornValhallSimAction
choose_action(const NornValhallSimInstruction *instruction) {
  uint16_t number = instruction->encoding->instruction;
  if (number < G_N_ELEMENTS(actions) && actions[number])
    return actions[number];
  if (instruction->message || instruction->warp_message)
    return message;
  if (!norn_valhall_is_operation(number))
    return NULL;
  return norn_valhall_is_exchange(&instruction->operation) ? exchange : compute;
}

/* What the sources have in common, and which words of each are needed: if part of a pair is
 * selected, the other register may be undefined. */
static void
decode_source_use(NornValhallSimInstruction *instruction) {
  for (unsigned k = 0; k < instruction->source_count; k++) {
    const NornIsaSwizzle *swizzle = &instruction->operation.swizzle[k];
    NornValhallSimSource *source = &instruction->source[k];
    source->words_read = (uint8_t)((1u << source->words) - 1);
    instruction->has_last_use |= source->last_use;
    if (source->words == 2 && swizzle->bits)
      source->words_read = (uint8_t)(1u << swizzle->index[0] * swizzle->bits / 32);
    if (source->kind != NORN_VALHALL_SOURCE_REGISTER)
      continue;
    instruction->reads |= (uint64_t)source->words_read << source->reg;
    if (source->last_use)
      instruction->drops |= ((UINT64_C(1) << source->words) - 1) << source->reg;
  }
  for (unsigned i = 0; i < instruction->destination.count; i++)
    instruction->writes |= NORN_VALHALL_REGISTER_BIT(instruction->destination.first + i);
}

/* Finds the message of an instruction, if any, and decodes its access to memory. */
static bool
decode_message(const NornIsa *isa, NornValhallSimInstruction *instruction, GError **error) {
  uint16_t number = instruction->encoding->instruction;
  if (norn_valhall_is_access(number) &&
      !norn_valhall_decode_access(isa, instruction->encoding, instruction->word,
                                  &instruction->access, error))
    return false;
  instruction->warp_message = norn_valhall_texture_message(number);
  instruction->message = norn_valhall_memory_message(instruction);
  if (!instruction->message)
    instruction->message = norn_valhall_graphics_message(number);
  if (!instruction->message)
    instruction->message = norn_valhall_image_message(number);
  if (!instruction->message)
    instruction->message = norn_valhall_tile_message(number);
  return true;
}

bool
norn_valhall_decode_action(const NornIsa *isa, NornValhallSimInstruction *instruction,
                           GError **error) {
  const NornIsaEncoding *encoding = instruction->encoding;
  if (!decode_message(isa, instruction, error) ||
      (norn_valhall_is_operation(encoding->instruction) &&
       !norn_valhall_decode(isa, encoding, instruction->word, &instruction->operation, error)))
    return false;
  decode_source_use(instruction);
  instruction->action = choose_action(instruction);
  if (!instruction->action)
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                        "the instruction is not modeled");
  return instruction->action != NULL;
}
