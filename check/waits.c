/* A check of slots and waits on finished code, with a different traversal than the pass that
 * inserted them. Both use the target's descriptions of what an instruction reads, writes, accesses
 * and waits for; check/valhall/waits.c proves the waits from the words alone.
 *
 * For each slot, the state has the registers that messages in flight may still write and the memory
 * that they may still access. At the start of a block it is the union over its predecessors, found
 * by iteration. The flow of an instruction takes effect after it.
 *
 * Memory is kept as footprints: for each base, the ranges of bytes that messages read, and those
 * that they write. When the base gets another value, its footprint may be anywhere. */
#include "check/waits.h"
#include "check/footprint.h"
#include "ir/analysis/dominance.h"
#include "ir/text/locations.h"
#include "passes/machine_code.h"
#include <string.h>

typedef struct MessageState {
  NornRegisterSet writing[NORN_MAX_SLOTS];
  NornFootprints *memory[NORN_MAX_SLOTS];
  uint8_t busy; /* slots with a message in flight */
} MessageState;

typedef struct WaitCheck {
  const NornTarget *target;
  const NornFunction *function;
  const NornDominance *dominance;
  MessageState *entry;
} WaitCheck;

/* The block that states are merged for. */
typedef struct MergeTarget {
  const WaitCheck *check;
  uint32_t block;
} MergeTarget;

/* The accesses of a message, for sets of accesses. */
static NornFootprint
footprint_of(const NornMessage *message) {
  const NornMemoryAccess *memory = &message->memory;
  bool is_known = memory->size && memory->base != NORN_BASE_UNKNOWN;
  return (NornFootprint){.base = is_known ? memory->base : NORN_FOOTPRINT_ANYWHERE,
                         .root = memory->root,
                         .start = (int64_t)memory->offset,
                         .end = (int64_t)memory->offset + memory->size,
                         .operand = memory->operand ? memory->operand : NORN_FOOTPRINT_ANYWHERE,
                         .combine =
                             memory->combine ? (uint32_t)memory->size << 8 | memory->combine : 0,
                         .spaces = memory->spaces,
                         .reads = memory->reads,
                         .writes = memory->writes};
}

/* A value is redefined: accesses relative to the old value may be anywhere. */
static void
forget_base(MessageState *state, uint32_t value) {
  for (unsigned slot = 0; slot < NORN_MAX_SLOTS; slot++)
    norn_footprints_forget(state->memory[slot], norn_ref(NORN_REF_VALUE, value));
}

/* --- Instructions --- */

static bool
fail(const WaitCheck *check, const NornInst *inst, unsigned slot, GError **error) {
  return norn_inst_error(check->function, inst, NORN_ERROR_INVALID, error,
                         "an instruction precedes the wait for slot %u that it needs", slot);
}

/* Whether the instruction may execute in this state. */
static bool
check_instruction(const WaitCheck *check, const MessageState *state, const NornInst *inst,
                  GError **error) {
  const NornTarget *target = check->target;
  NornRegisterSet touched = norn_regs_union(norn_registers_read(check->function, inst),
                                            norn_registers_written(check->function, inst));
  NornMessage message = {0};
  uint8_t needed = 0;
  if (target->message(target, check->function, inst, &message))
    needed = message.waits_all ? 0xFF : message.wait_before;
  NornFootprint memory = footprint_of(&message);
  if (!memory.writes)
    memory.spaces &= (uint8_t)~target->forwarding_spaces;
  for (unsigned slot = 0; slot < NORN_MAX_SLOTS; slot++)
    if (norn_regs_overlap(state->writing[slot], touched) || (needed & state->busy) >> slot & 1 ||
        norn_footprints_conflict(state->memory[slot], &memory))
      return fail(check, inst, slot, error);
  return true;
}

static void
run_instruction(const WaitCheck *check, MessageState *state, const NornInst *inst) {
  const NornTarget *target = check->target;
  NornMessage message;
  if (target->message(target, check->function, inst, &message)) {
    unsigned slot = target->slot(target, inst) % NORN_MAX_SLOTS;
    norn_regs_add(&state->writing[slot], norn_registers_written(check->function, inst));
    state->busy |= (uint8_t)(1u << slot);
    NornFootprint memory = footprint_of(&message);
    norn_footprints_add(&state->memory[slot], &memory);
  }
  NornFlow flow = target->flow(target, inst);
  for (unsigned slot = 0; slot < NORN_MAX_SLOTS; slot++)
    if (flow.kind == NORN_FLOW_END || flow.wait >> slot & 1) {
      state->writing[slot] = NORN_NO_REGISTERS;
      norn_footprints_clear(&state->memory[slot]);
      state->busy &= (uint8_t) ~(1u << slot);
    }
}

/* Whether the base is still known in the block, that is, its definition dominates the block. */
static bool
is_base(uint64_t base, gconstpointer data) {
  const MergeTarget *target = data;
  const NornFunction *function = target->check->function;
  if (base == NORN_FOOTPRINT_ANYWHERE || norn_ref_kind((NornRef)base) != NORN_REF_VALUE)
    return true;
  uint32_t block = norn_defining_block(function, norn_ref_payload((NornRef)base));
  return norn_dominates(target->check->dominance, block, target->block);
}

/* Adds the state at the end of a block to its successors; returns whether one of them changed. */
static bool
leave_block(const WaitCheck *check, uint32_t block, const MessageState *state) {
  bool changed = false;
  norn_for_each_edge (check->function, norn_block(check->function, block)->last, edge) {
    MessageState *next = &check->entry[edge.block];
    const MergeTarget target = {check, edge.block};
    changed |= (next->busy | state->busy) != next->busy;
    next->busy |= state->busy;
    for (unsigned slot = 0; slot < NORN_MAX_SLOTS; slot++) {
      NornRegisterSet both = norn_regs_union(next->writing[slot], state->writing[slot]);
      changed |= !norn_regs_equal(both, next->writing[slot]);
      next->writing[slot] = both;
      changed |= norn_footprints_merge(&next->memory[slot], state->memory[slot], is_base, &target);
    }
  }
  return changed;
}

/* A copy of the state at the start of a block that may be modified. */
static MessageState
enter_block(const WaitCheck *check, uint32_t block) {
  MessageState state = check->entry[block];
  memset(state.memory, 0, sizeof state.memory);
  for (unsigned slot = 0; slot < NORN_MAX_SLOTS; slot++)
    norn_footprints_merge(&state.memory[slot], check->entry[block].memory[slot], NULL, NULL);
  for (unsigned k = 0; k < norn_block(check->function, block)->parameter_count; k++)
    forget_base(&state, norn_block_parameter(check->function, block, k));
  return state;
}

/* Visits a block; checks it if `checking` is set. *changed is as in leave_block. */
static bool
run_block(const WaitCheck *check, uint32_t block, bool checking, bool *changed, GError **error) {
  MessageState state = enter_block(check, block);
  bool ok = true;
  norn_for_each_inst (check->function, block, index) {
    const NornInst *inst = norn_inst(check->function, index);
    if (norn_is_machine(inst))
      ok = ok && (!checking || check_instruction(check, &state, inst, error));
    for (unsigned k = 0; k < inst->result_count; k++)
      forget_base(&state, inst->result + k);
    if (norn_is_machine(inst))
      run_instruction(check, &state, inst);
  }
  *changed |= leave_block(check, block, &state);
  for (unsigned slot = 0; slot < NORN_MAX_SLOTS; slot++)
    norn_footprints_clear(&state.memory[slot]);
  return ok;
}

bool
norn_check_waits(const NornTarget *target, const NornFunction *function, GError **error) {
  NornArena arena = {0};
  NornDominance *dominance = norn_dominance_new(&arena, function);
  WaitCheck check = {target, function, dominance, g_new0(MessageState, function->block_count)};
  bool ok = true, changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < dominance->order_count; i++)
      run_block(&check, dominance->order[i], false, &changed, NULL);
  }
  for (uint32_t i = 0; i < dominance->order_count && ok; i++)
    ok = run_block(&check, dominance->order[i], true, &changed, error);
  norn_arena_free(&arena);
  for (uint32_t block = 0; block < function->block_count; block++)
    for (unsigned slot = 0; slot < NORN_MAX_SLOTS; slot++)
      norn_footprints_clear(&check.entry[block].memory[slot]);
  g_free(check.entry);
  return ok;
}
