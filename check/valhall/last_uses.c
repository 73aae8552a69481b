/* Last uses: the registers that were dropped on some path, followed along all paths.
 *
 * The state consists of the registers that a mark has dropped and that have not been written
 * since, and for each slot, the registers that messages in flight still read as their staging
 * registers. At the start of a block it is the union over its predecessors. */
#include "check/valhall/valhall.h"

typedef struct UseState {
  bool is_reached;
  uint64_t dropped;
  uint64_t staged[NORN_VALHALL_SLOTS];
} UseState;

/* The registers that an instruction reads; for a call, the registers that the called shader may
 * read. */
static uint64_t
reads_of(const NornWordInst *inst) {
  uint64_t called = norn_code_registers(NORN_VALHALL_PRELOAD_COVERAGE, 1) |
                    norn_code_registers(NORN_VALHALL_PRELOAD_SAMPLE, 1);
  return norn_code_reads(inst) | (inst->kind == NORN_CODE_CALLS ? called : 0);
}

/* Checks that what a source drops is dropped, too, by the later sources of the same instruction
 * that read it. */
static bool
check_sources(const NornCode *code, uint32_t index, GError **error) {
  const NornWordInst *inst = &code->insts[index];
  for (unsigned k = 0; k < inst->source_count; k++)
    for (unsigned other = k + 1; other < inst->source_count && inst->sources[k].is_last_use;
         other++) {
      uint64_t both = norn_code_source_registers(&inst->sources[k]) &
                      norn_code_source_registers(&inst->sources[other]);
      if (both && !inst->sources[other].is_last_use)
        return norn_code_error(
            code, index, error,
            "r%d is marked as last used, but a later source reads it without the mark",
            __builtin_ctzll(both));
    }
  return true;
}

static bool
check_instruction(const NornCode *code, uint32_t index, const UseState *state, GError **error) {
  const NornWordInst *inst = &code->insts[index];
  uint64_t dropped = state->dropped & reads_of(inst), marks = norn_code_marks(inst);
  if (dropped)
    return norn_code_error(code, index, error, "r%d is read after its last use",
                           __builtin_ctzll(dropped));
  if (marks & norn_code_group(inst->staging_read))
    return norn_code_error(code, index, error,
                           "r%d is marked as last used, but it is a staging register",
                           __builtin_ctzll(marks & norn_code_group(inst->staging_read)));
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (marks & state->staged[slot])
      return norn_code_error(
          code, index, error,
          "r%d is marked as last used while a message of slot %u may still read it",
          __builtin_ctzll(marks & state->staged[slot]), slot);
  return check_sources(code, index, error);
}

static void
run_instruction(const NornWordInst *inst, UseState *state) {
  state->dropped = (state->dropped | norn_code_marks(inst)) & ~norn_code_writes(inst);
  if (inst->kind ==
      NORN_CODE_CALLS) /* the registers that it changes hold no value that the program knows */
    state->dropped |= norn_code_writes(inst);
  if (inst->is_message)
    state->staged[inst->slot] |= norn_code_group(inst->staging_read);
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (inst->ends || inst->waits >> slot & 1)
      state->staged[slot] = 0;
}

static bool
merge(UseState *into, const UseState *from) {
  bool changed = !into->is_reached || (from->dropped & ~into->dropped);
  into->is_reached = true;
  into->dropped |= from->dropped;
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    changed |= (from->staged[slot] & ~into->staged[slot]) != 0;
    into->staged[slot] |= from->staged[slot];
  }
  return changed;
}

bool
norn_check_last_uses(const NornCode *code, GError **error) {
  UseState *entry = g_new0(UseState, code->block_count);
  bool ok = true;
  entry[0].is_reached = true;
  for (bool changed = true, checking = false; (changed || !checking) && ok;) {
    checking = !changed;
    changed = false;
    for (uint32_t b = 0; b < code->block_count && ok; b++) {
      UseState state = entry[b];
      for (uint32_t i = code->blocks[b].first; i < code->blocks[b].end && state.is_reached && ok;
           i++) {
        ok = !checking || check_instruction(code, i, &state, error);
        run_instruction(&code->insts[i], &state);
      }
      for (unsigned k = 0; k < code->blocks[b].successor_count && state.is_reached; k++)
        changed |= merge(&entry[code->blocks[b].successors[k]], &state);
    }
  }
  g_free(entry);
  return ok;
}
