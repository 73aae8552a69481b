/* Waits and slots: what messages in flight do, followed along all paths.
 *
 * For each slot the state has the registers that messages in flight may still write and the memory
 * that they may still access; at the start of a block it is the union over what leads there, found
 * by iteration. The flow of an instruction takes effect after it.
 *
 * Two accesses count from the same address if the registers that hold it have the same content. So
 * the state also has, for each register, an id of its content: what was in it at the start, the
 * instruction that wrote it (a plain move hands on the id), or "what it holds at the start of this
 * block" where paths disagree. When the content behind an id is made anew, other registers that
 * hold the old one lose it, and accesses that counted from it may be anywhere. */
#include "check/valhall/valhall.h"
#include <norn/valhall.h>
#include <string.h>

/* Ids of 32 bits: a kind and a number. */
#define CONTENT_START UINT32_C(0)             /* + register */
#define CONTENT_WRITTEN UINT32_C(0x100)       /* + 16 * instruction + word; up to the next kind */
#define CONTENT_UNIFORM UINT32_C(0x60000000)  /* + word */
#define CONTENT_SPECIAL UINT32_C(0x61000000)  /* + code */
#define CONTENT_CONSTANT UINT32_C(0x62000000) /* + number of the constant */
#define CONTENT_BLOCK UINT32_C(0x80000000)    /* + 64 * block + register */
#define CONTENT_UNKNOWN UINT32_MAX

typedef struct State {
  bool is_reached;
  uint8_t busy; /* slots in which something is in flight */
  uint64_t writing[NORN_VALHALL_SLOTS];
  NornFootprints *memory[NORN_VALHALL_SLOTS];
  uint32_t content[NORN_VALHALL_REGISTERS];
} State;

typedef struct Waits {
  const NornCode *code;
  State *entry;          /* by block */
  GHashTable *constants; /* bits -> number + 1 */
  State now;
} Waits;

/* --- contents --- */

static uint32_t
constant_content(const Waits *waits, uint32_t bits) {
  gpointer key = GUINT_TO_POINTER(bits);
  unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(waits->constants, key));
  if (!number) {
    number = g_hash_table_size(waits->constants) + 1;
    g_hash_table_insert(waits->constants, key, GUINT_TO_POINTER(number));
  }
  return number < 1 << 24 ? CONTENT_CONSTANT + number : CONTENT_UNKNOWN;
}

static uint32_t
written_content(uint32_t inst, unsigned word) {
  return inst < (CONTENT_UNIFORM - CONTENT_WRITTEN) / 16 ? CONTENT_WRITTEN + 16 * inst + word
                                                         : CONTENT_UNKNOWN;
}

static uint32_t
block_content(uint32_t block, unsigned reg) {
  return block < 1 << 24 ? CONTENT_BLOCK + 64 * block + reg : CONTENT_UNKNOWN;
}

static uint32_t
source_content(const Waits *waits, const NornCodeSource *source, unsigned word) {
  switch (source->kind) {
  case NORN_ISA_CODE_REGISTER:
  case NORN_ISA_CODE_LAST:
    return waits->now.content[source->number + word];
  case NORN_ISA_CODE_UNIFORM:
    return CONTENT_UNIFORM + source->number + word;
  case NORN_ISA_CODE_CONSTANT:
    return constant_content(waits, word ? 0 : source->value);
  default:
    return CONTENT_SPECIAL + source->number + word;
  }
}

/* The content is made anew. */
static void
forget(State *state, uint32_t content) {
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS; reg++)
    if (state->content[reg] == content)
      state->content[reg] = CONTENT_UNKNOWN;
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    norn_footprints_forget(state->memory[slot], content);
}

static void
write_group(State *state, uint32_t inst, NornCodeGroup group, unsigned word) {
  for (unsigned k = 0; k < group.count; k++) {
    uint32_t content = written_content(inst, (word + k) % 16);
    forget(state, content);
    state->content[group.first + k] = content;
  }
}

static void
write_contents(Waits *waits, uint32_t index) {
  const NornCodeInst *inst = &waits->code->insts[index];
  State *now = &waits->now;
  uint32_t bits;
  if (norn_code_is_move(inst)) {
    now->content[inst->destination.first] = source_content(waits, &inst->sources[0], 0);
  } else if (norn_code_is_constant(inst, &bits)) {
    now->content[inst->destination.first] = constant_content(waits, bits);
  } else {
    write_group(now, index, inst->destination, 0);
    write_group(now, index, inst->staging_write, 0);
  }
  for (unsigned reg = 0; inst->kind == NORN_CODE_CALLS && reg < NORN_VALHALL_REGISTERS; reg++)
    if (norn_code_writes(inst) >> reg & 1)
      now->content[reg] = CONTENT_UNKNOWN;
}

/* --- instructions --- */

/* The memory that the instruction accesses. */
static NornFootprint
memory_of(const Waits *waits, const NornCodeInst *inst) {
  NornFootprint memory = inst->memory;
  memory.base = NORN_FOOTPRINT_ANYWHERE;
  if (inst->has_address) {
    const NornCodeSource *source = &inst->sources[inst->address_source];
    uint32_t low = source_content(waits, source, 0), high = source_content(waits, source, 1);
    if (low != CONTENT_UNKNOWN && high != CONTENT_UNKNOWN)
      memory.base = (uint64_t)high << 32 | low;
  }
  return memory;
}

static bool
check_registers(const Waits *waits, uint32_t index, GError **error) {
  const NornCodeInst *inst = &waits->code->insts[index];
  uint64_t reads = norn_code_reads(inst) | norn_code_marks(inst), writes = norn_code_writes(inst);
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    uint64_t touched = waits->now.writing[slot] & (reads | writes);
    if (!touched)
      continue;
    unsigned reg = (unsigned)__builtin_ctzll(touched);
    return norn_code_error(waits->code, index, error,
                           "r%u is %s while a message that writes it may be in flight; it needs a "
                           "wait for slot %u before",
                           reg, reads >> reg & 1 ? "read" : "written", slot);
  }
  return true;
}

static bool
check_message(const Waits *waits, uint32_t index, GError **error) {
  const NornCodeInst *inst = &waits->code->insts[index];
  const NornFootprint memory = memory_of(waits, inst);
  uint8_t busy = waits->now.busy & inst->wait_before;
  if (!(inst->allowed_slots >> inst->slot & 1))
    return norn_code_error(waits->code, index, error, "it may not signal slot %u", inst->slot);
  if (!inst->ends && inst->wait_on_self & ~inst->waits)
    return norn_code_error(waits->code, index, error, "it does not wait for its own slot %u",
                           inst->slot);
  if (busy)
    return norn_code_error(waits->code, index, error, "it needs a wait for slot %d before",
                           __builtin_ctz(busy));
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (norn_footprints_conflict(waits->now.memory[slot], &memory))
      return norn_code_error(
          waits->code, index, error,
          "a message in flight may %s the memory that it %s; it needs a wait for slot %u before",
          inst->memory.writes ? "access" : "write", inst->memory.writes ? "writes" : "reads", slot);
  return true;
}

static void
wait_for(State *state, uint8_t slots) {
  state->busy &= (uint8_t)~slots;
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (slots >> slot & 1) {
      state->writing[slot] = 0;
      norn_footprints_clear(&state->memory[slot]);
    }
}

static void
run_instruction(Waits *waits, uint32_t index) {
  const NornCodeInst *inst = &waits->code->insts[index];
  State *now = &waits->now;
  if (inst->is_message) {
    const NornFootprint memory = memory_of(waits, inst);
    norn_footprints_add(&now->memory[inst->slot], &memory);
    now->writing[inst->slot] |= norn_code_group(inst->staging_write);
    now->busy |= (uint8_t)(1u << inst->slot);
  }
  write_contents(waits, index);
  wait_for(now, inst->ends ? NORN_CODE_ALL_SLOTS : inst->waits);
}

/* --- blocks --- */

static void
copy_state(State *to, const State *from) {
  *to = *from;
  memset(to->memory, 0, sizeof to->memory);
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    norn_footprints_merge(&to->memory[slot], from->memory[slot]);
}

static void
clear_state(State *state) {
  wait_for(state, NORN_CODE_ALL_SLOTS);
}

/* Brings the contents of the block's start and those of a state that leads there in line. */
static bool
merge_contents(State *into, State *from, uint32_t block) {
  bool changed = false;
  for (bool again = true; again;) {
    again = false;
    for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS; reg++) {
      uint32_t own = block_content(block, reg);
      if (into->content[reg] != from->content[reg] && into->content[reg] != own) {
        into->content[reg] = own;
        changed = true;
      }
      if (into->content[reg] != own || from->content[reg] == own)
        continue;
      for (unsigned other = 0; other < NORN_VALHALL_REGISTERS; other++)
        again |= other != reg && from->content[other] == own && own != CONTENT_UNKNOWN;
      forget(from, own);
    }
  }
  return changed;
}

/* Merges a state, which is used up, into that of the block's start; whether this changed. */
static bool
merge(State *into, State *from, uint32_t block) {
  if (!into->is_reached) {
    *into = *from;
    memset(from->memory, 0, sizeof from->memory);
    return into->is_reached = true;
  }
  bool changed = merge_contents(into, from, block);
  changed |= (into->busy | from->busy) != into->busy;
  into->busy |= from->busy;
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    changed |= (into->writing[slot] | from->writing[slot]) != into->writing[slot];
    into->writing[slot] |= from->writing[slot];
    changed |= norn_footprints_merge(&into->memory[slot], from->memory[slot]);
  }
  return changed;
}

/* Runs a block, checking if `error` is wanted; whether the start of another one has changed. */
static bool
run_block(Waits *waits, uint32_t number, bool *changed, GError **error) {
  const NornCodeBlock *block = &waits->code->blocks[number];
  bool ok = true;
  copy_state(&waits->now, &waits->entry[number]);
  for (uint32_t i = block->first; i < block->end && ok; i++) {
    if (error)
      ok = check_registers(waits, i, error) &&
           (!waits->code->insts[i].is_message || check_message(waits, i, error));
    run_instruction(waits, i);
  }
  for (unsigned k = 0; k < block->successor_count; k++) {
    State state;
    copy_state(&state, &waits->now);
    *changed |= merge(&waits->entry[block->successors[k]], &state, block->successors[k]);
    clear_state(&state);
  }
  clear_state(&waits->now);
  return ok;
}

/* At the start nothing is in flight but, for a fragment, what other fragments do to the tile. */
static State
first_state(const NornCode *code) {
  State state = {.is_reached = true};
  for (unsigned reg = 0; reg < NORN_VALHALL_REGISTERS; reg++)
    state.content[reg] = CONTENT_START + reg;
  if (code->input->stage == NORN_STAGE_FRAGMENT)
    state.busy = 1u << NORN_VALHALL_DEPTH_SLOT | 1u << NORN_VALHALL_BARRIER_SLOT;
  return state;
}

bool
norn_check_waits_of_code(const NornCode *code, GError **error) {
  Waits waits = {.code = code,
                 .entry = g_new0(State, code->block_count),
                 .constants = g_hash_table_new(NULL, NULL)};
  bool ok = true;
  GError *own = NULL;
  waits.entry[0] = first_state(code);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t block = 0; block < code->block_count; block++)
      if (waits.entry[block].is_reached)
        run_block(&waits, block, &changed, NULL);
  }
  for (uint32_t block = 0; block < code->block_count && ok; block++) {
    bool changed;
    if (waits.entry[block].is_reached)
      ok = run_block(&waits, block, &changed, &own);
  }
  for (uint32_t block = 0; block < code->block_count; block++)
    clear_state(&waits.entry[block]);
  g_free(waits.entry);
  g_hash_table_destroy(waits.constants);
  if (own)
    g_propagate_error(error, own);
  return ok;
}
