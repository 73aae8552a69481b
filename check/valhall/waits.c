/* Waits and slots in words: the effects of messages in flight, followed along all paths.
 *
 * For each slot, the state has the registers that messages in flight may still write and the memory
 * that they may still access. At the start of a block it is the union over its predecessors, found
 * by iteration. The flow of an instruction takes effect after it.
 *
 * Two accesses are relative to the same address if the registers that hold it have the same
 * contents, which are identified by an id of contents.c. When the contents of an id are
 * redefined, accesses in flight that are relative to it may be anywhere. */
#include "check/valhall/contents.h"
#include "check/valhall/valhall.h"
#include <norn/valhall.h>
#include <string.h>

typedef struct FlightState {
  bool is_reached;
  uint8_t busy; /* slots with a message in flight */
  uint64_t writing[NORN_VALHALL_SLOTS];
  NornFootprints *memory[NORN_VALHALL_SLOTS];
} FlightState;

typedef struct WordWaits {
  const NornCode *code;
  NornContents contents;
  FlightState *entry; /* by block */
  FlightState now;
  uint32_t content[NORN_VALHALL_REGISTERS]; /* at the current instruction */
} WordWaits;

/* The contents with this id are redefined. */
static void
forget(FlightState *state, uint32_t content) {
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    norn_footprints_forget(state->memory[slot], content);
}

/* --- Instructions --- */

/* The memory that the instruction accesses. */
static NornFootprint
memory_of(const WordWaits *waits, const NornWordInst *inst) {
  NornFootprint memory = inst->memory;
  memory.base = NORN_FOOTPRINT_ANYWHERE;
  if (inst->has_address) {
    memory.base = norn_content_of_address(&waits->contents, waits->content,
                                          &inst->sources[inst->address_source]);
    memory.root = norn_roots_find(&waits->contents.roots, memory.base);
  }
  if (memory.combine && inst->staging_read.count) {
    const uint32_t *words = &waits->content[inst->staging_read.first];
    memory.operand = norn_base(words[0], words[inst->staging_read.count - 1]);
    if (words[0] == NORN_CONTENT_UNKNOWN || memory.operand >> 32 == NORN_CONTENT_UNKNOWN)
      memory.combine = 0;
  }
  return memory;
}

static bool
check_registers(const WordWaits *waits, uint32_t index, GError **error) {
  const NornWordInst *inst = &waits->code->insts[index];
  uint64_t reads = norn_code_reads(inst) | norn_code_marks(inst), writes = norn_code_writes(inst);
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    uint64_t touched = waits->now.writing[slot] & (reads | writes);
    if (!touched)
      continue;
    unsigned reg = (unsigned)__builtin_ctzll(touched);
    return norn_code_error(
        waits->code, index, error,
        "r%u is %s while a message that writes it may be in flight; wait for slot %u first", reg,
        reads >> reg & 1 ? "read" : "written", slot);
  }
  return true;
}

static bool
check_message(const WordWaits *waits, uint32_t index, GError **error) {
  const NornWordInst *inst = &waits->code->insts[index];
  NornFootprint memory = memory_of(waits, inst);
  uint8_t busy = waits->now.busy & inst->wait_before;
  if (!memory.writes) /* the cached position need only be read after the message that writes it */
    memory.spaces &= (uint8_t)~NORN_SPACE_VARYING;
  if (!(inst->allowed_slots >> inst->slot & 1))
    return norn_code_error(waits->code, index, error, "must not signal slot %u", inst->slot);
  if (!inst->ends && inst->wait_on_self & ~inst->waits)
    return norn_code_error(waits->code, index, error, "does not wait for its own slot %u",
                           inst->slot);
  if (busy)
    return norn_code_error(waits->code, index, error, "must wait for slot %d first",
                           __builtin_ctz(busy));
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (norn_footprints_conflict(waits->now.memory[slot], &memory))
      return norn_code_error(
          waits->code, index, error,
          "a message in flight may %s the memory that this one %s; wait for slot %u first",
          inst->memory.writes ? "access" : "write", inst->memory.writes ? "writes" : "reads", slot);
  return true;
}

static void
wait_for(FlightState *state, uint8_t slots) {
  state->busy &= (uint8_t)~slots;
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (slots >> slot & 1) {
      state->writing[slot] = 0;
      norn_footprints_clear(&state->memory[slot]);
    }
}

static void
run_instruction(WordWaits *waits, uint32_t index) {
  const NornWordInst *inst = &waits->code->insts[index];
  FlightState *now = &waits->now;
  if (inst->is_message) {
    const NornFootprint memory = memory_of(waits, inst);
    norn_footprints_add(&now->memory[inst->slot], &memory);
    now->writing[inst->slot] |= norn_code_group(inst->staging_write);
    now->busy |= (uint8_t)(1u << inst->slot);
  }
  norn_contents_step(&waits->contents, waits->content, index);
  for (uint64_t left = norn_code_writes(inst); left; left &= left - 1) {
    uint32_t content = waits->content[__builtin_ctzll(left)];
    if (norn_content_is_of(content, index))
      forget(now, content);
  }
  wait_for(now, inst->ends ? NORN_CODE_ALL_SLOTS : inst->waits);
}

/* --- Blocks --- */

/* The block that a state is copied for. */
typedef struct CopyTarget {
  const NornContents *contents;
  uint32_t block;
} CopyTarget;

static bool
is_base(uint64_t base, gconstpointer data) {
  const CopyTarget *target = data;
  return base == NORN_FOOTPRINT_ANYWHERE ||
         (norn_content_is_at(target->contents, (uint32_t)base, target->block) &&
          norn_content_is_at(target->contents, (uint32_t)(base >> 32), target->block));
}

/* Copies the state as it is relevant to that block and later ones. */
static void
copy_state(const WordWaits *waits, uint32_t block, FlightState *to, const FlightState *from) {
  const CopyTarget target = {&waits->contents, block};
  *to = *from;
  memset(to->memory, 0, sizeof to->memory);
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    norn_footprints_merge(&to->memory[slot], from->memory[slot], is_base, &target);
}

static void
clear_state(FlightState *state) {
  wait_for(state, NORN_CODE_ALL_SLOTS);
}

/* On the edge to a block: ids for the block's own contents of registers at its start now denote
 * other contents than before. */
static void
forget_block(const WordWaits *waits, FlightState *state, uint32_t block) {
  const uint32_t *entry = norn_contents_at(&waits->contents, block);
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS; reg++)
    if (norn_content_is_of_block(entry[reg], block, reg) && waits->content[reg] != entry[reg])
      forget(state, entry[reg]);
}

/* Merges a state, which is consumed, into that of the block's start; returns whether the latter
 * changed. */
static bool
merge(FlightState *into, FlightState *from) {
  if (!into->is_reached) {
    *into = *from;
    memset(from->memory, 0, sizeof from->memory);
    return into->is_reached = true;
  }
  bool changed = (into->busy | from->busy) != into->busy;
  into->busy |= from->busy;
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    changed |= (into->writing[slot] | from->writing[slot]) != into->writing[slot];
    into->writing[slot] |= from->writing[slot];
    changed |= norn_footprints_merge(&into->memory[slot], from->memory[slot], NULL, NULL);
  }
  return changed;
}

/* Visits a block, checking it if `error` is not NULL; *changed: the start of another block has
 * changed. */
static bool
run_block(WordWaits *waits, uint32_t number, bool *changed, GError **error) {
  const NornCodeBlock *block = &waits->code->blocks[number];
  bool ok = true;
  copy_state(waits, number, &waits->now, &waits->entry[number]);
  memcpy(waits->content, norn_contents_at(&waits->contents, number), sizeof waits->content);
  for (uint32_t i = block->first; i < block->end && ok; i++) {
    if (error)
      ok = check_registers(waits, i, error) &&
           (!waits->code->insts[i].is_message || check_message(waits, i, error));
    run_instruction(waits, i);
  }
  for (unsigned k = 0; k < block->successor_count; k++) {
    FlightState state;
    copy_state(waits, block->successors[k], &state, &waits->now);
    forget_block(waits, &state, block->successors[k]);
    *changed |= merge(&waits->entry[block->successors[k]], &state);
    clear_state(&state);
  }
  clear_state(&waits->now);
  return ok;
}

/* At the start nothing is in flight except, for a fragment, the tile accesses of other
 * fragments. */
static FlightState
first_state(const NornCode *code) {
  FlightState state = {.is_reached = true};
  if (code->input->stage == NORN_STAGE_FRAGMENT)
    state.busy = 1u << NORN_VALHALL_DEPTH_SLOT | 1u << NORN_VALHALL_BARRIER_SLOT;
  return state;
}

bool
norn_check_waits_of_code(const NornCode *code, GError **error) {
  WordWaits waits = {.code = code, .entry = g_new0(FlightState, code->block_count)};
  bool ok = true;
  GError *own = NULL;
  norn_contents_init(&waits.contents, code);
  waits.entry[0] = first_state(code);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t block = 0; block < code->block_count; block++)
      if (waits.entry[block].is_reached)
        run_block(&waits, block, &changed, NULL);
  }
  for (uint32_t block = 0; block < code->block_count && ok; block++) {
    bool changed = false;
    if (waits.entry[block].is_reached)
      ok = run_block(&waits, block, &changed, &own);
  }
  for (uint32_t block = 0; block < code->block_count; block++)
    clear_state(&waits.entry[block]);
  g_free(waits.entry);
  norn_contents_clear(&waits.contents);
  if (own)
    g_propagate_error(error, own);
  return ok;
}
