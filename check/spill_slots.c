/* A check of spill slots, independent of the pass that assigned them.
 *
 * A slot is live where some path leads to a fill from it without a store to it. Liveness is found
 * by backward iteration over the blocks. No store may write bytes of another slot that is live
 * after it, and no slot may be live at the start of the function.
 *
 * The slot of a block parameter is stored before the jumps to the block, while the value from
 * the previous iteration may still be needed. Such a store therefore writes to a separate slot
 * with the same bytes, which becomes the parameter's slot at the jump. A jump that keeps the
 * value makes the old slot live instead. */
#include "check/spill_slots.h"
#include "ir/analysis/dominance.h"
#include "ir/bits.h"
#include "ir/text/locations.h"
#include <string.h>

/* A set of slots. Overlaps are looked for only where a store is, so `sharing` is counted when the
 * first one of a block is found. */
typedef struct SlotSet {
  uint64_t *slots;
  uint32_t *sharing; /* by word of memory: how many of the slots have bytes of it */
  bool is_counted;
} SlotSet;

typedef struct SpillSlotCheck {
  const NornTarget *target;
  const NornFunction *function;
  const NornSpillSlot *slots;
  const NornSpillAccess *accesses;
  uint32_t slot_count, access_count;
  uint32_t *first_access; /* per instruction: index + 1 of its last access */
  uint32_t *next_access;  /* per access: index + 1 of another access of its instruction */
  uint32_t *first_slot;   /* per block: index + 1 of a slot of its parameters */
  uint32_t *next_slot;    /* per slot: index + 1 of another one of its block */
  bool *is_stale;         /* per block: the set of live slots after it has changed */
  uint32_t words;         /* of a set */
  uint32_t memory_words;
  uint64_t *live_in; /* a set for each block */
  SlotSet live;      /* at the present position */
  SlotSet incoming;  /* slots of parameters of the next block, with their new contents */
  GError **error;    /* NULL while the sets are not stable */
  bool failed;
} SpillSlotCheck;

G_GNUC_PRINTF(3, 4)
static void
fail(SpillSlotCheck *check, uint32_t inst, const char *format, ...) {
  if (!check->error || check->failed)
    return;
  check->failed = true;
  va_list arguments;
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  norn_inst_error(check->function, norn_inst(check->function, inst), NORN_ERROR_INVALID,
                  check->error, "wrong spilling: %s", text);
  g_free(text);
}

/* Counts a slot of the set, or no longer. */
static void
count_slot(const SpillSlotCheck *check, SlotSet *set, uint32_t slot, int change) {
  const NornSpillSlot *self = &check->slots[slot];
  for (uint32_t word = self->offset / 4; word * 4 < self->offset + self->size; word++)
    set->sharing[word] += (uint32_t)change;
}

static void
add_slot(const SpillSlotCheck *check, SlotSet *set, uint32_t slot) {
  if (set->is_counted && !norn_bit(set->slots, slot))
    count_slot(check, set, slot, 1);
  norn_set_bit(set->slots, slot);
}

static void
remove_slot(const SpillSlotCheck *check, SlotSet *set, uint32_t slot) {
  if (set->is_counted && norn_bit(set->slots, slot))
    count_slot(check, set, slot, -1);
  norn_clear_bit(set->slots, slot);
}

static void
count_all(const SpillSlotCheck *check, SlotSet *set) {
  memset(set->sharing, 0, check->memory_words * sizeof *set->sharing);
  for (uint32_t word = 0; word < check->words; word++)
    for (uint64_t rest = set->slots[word]; rest; rest &= rest - 1)
      count_slot(check, set, word * 64 + (uint32_t)__builtin_ctzll(rest), 1);
  set->is_counted = true;
}

/* Whether a slot of the set, other than `self`, has bytes of a word that the written slot has bytes
 * of. */
static bool
may_overlap(SpillSlotCheck *check, SlotSet *set, uint32_t written, uint32_t self) {
  const NornSpillSlot *slot = &check->slots[written];
  uint32_t own = self != NORN_INDEX_NONE && norn_bit(set->slots, self);
  bool overlaps = false;
  if (!set->is_counted)
    count_all(check, set);
  for (uint32_t word = slot->offset / 4; word * 4 < slot->offset + slot->size; word++)
    overlaps |= set->sharing[word] > own;
  return overlaps;
}

/* Checks that no slot of the set shares bytes with the written one, except for that slot itself if
 * it is `self`. */
static void
check_overlap(SpillSlotCheck *check, uint32_t inst, uint32_t written, SlotSet *set, uint32_t self) {
  const NornSpillSlot *slot = &check->slots[written];
  if (!check->error || !may_overlap(check, set, written, self))
    return;
  for (uint32_t word = 0; word < check->words; word++)
    for (uint64_t rest = set->slots[word]; rest; rest &= rest - 1) {
      uint32_t other = word * 64 + (uint32_t)__builtin_ctzll(rest);
      const NornSpillSlot *live = &check->slots[other];
      if (other != self && live->offset < slot->offset + slot->size &&
          slot->offset < live->offset + live->size)
        fail(check, inst, "bytes %u to %u are overwritten while they are still needed",
             live->offset, live->offset + live->size - 1);
    }
}

static void
run_access(SpillSlotCheck *check, const NornSpillAccess *access) {
  uint32_t slot = access->slot;
  switch (access->kind) {
  case NORN_SPILL_FILL:
    add_slot(check, &check->live, slot);
    break;
  case NORN_SPILL_STORE:
    check_overlap(check, access->inst, slot, &check->live, slot);
    check_overlap(check, access->inst, slot, &check->incoming, slot);
    remove_slot(check, &check->live, slot);
    break;
  case NORN_SPILL_STORE_ARGUMENT:
    check_overlap(check, access->inst, slot, &check->live, NORN_INDEX_NONE);
    check_overlap(check, access->inst, slot, &check->incoming, slot);
    remove_slot(check, &check->incoming, slot);
    break;
  case NORN_SPILL_KEEP:
    if (norn_bit(check->incoming.slots, slot))
      add_slot(check, &check->live, slot);
    remove_slot(check, &check->incoming, slot);
    break;
  }
}

/* The slots that are live at the end of a block. */
static void
leave_block(SpillSlotCheck *check, uint32_t block) {
  uint64_t *live = check->live.slots, *incoming = check->incoming.slots;
  memset(live, 0, check->words * sizeof *live);
  memset(incoming, 0, check->words * sizeof *incoming);
  check->live.is_counted = check->incoming.is_counted = false;
  norn_for_each_edge (check->function, norn_block(check->function, block)->last, edge) {
    const uint64_t *next = check->live_in + (size_t)edge.block * check->words;
    for (uint32_t i = check->first_slot[edge.block]; i; i = check->next_slot[i - 1])
      if (norn_bit(next, i - 1))
        norn_set_bit(incoming, i - 1);
    for (uint32_t word = 0; word < check->words; word++)
      live[word] |= next[word] & ~incoming[word];
  }
}

/* Whether the set of live slots at the start of the block has changed. */
static bool
run_block(SpillSlotCheck *check, uint32_t block) {
  const NornFunction *function = check->function;
  leave_block(check, block);
  for (uint32_t inst = norn_block(function, block)->last; inst != NORN_INDEX_NONE;
       inst = norn_inst(function, inst)->previous)
    for (uint32_t i = check->first_access[inst]; i; i = check->next_access[i - 1])
      run_access(check, &check->accesses[i - 1]);
  uint64_t *start = check->live_in + (size_t)block * check->words;
  bool changed = false;
  for (uint32_t word = 0; word < check->words; word++) {
    if (check->incoming.slots[word])
      fail(check, norn_block(function, block)->last, "an argument is not stored");
    changed |= start[word] != check->live.slots[word];
    start[word] = check->live.slots[word];
  }
  return changed;
}

static void
check_positions(SpillSlotCheck *check, uint32_t start) {
  uint32_t piece = check->target->spill_piece_bytes;
  for (uint32_t i = 0; i < check->access_count; i++) {
    const NornSpillSlot *slot = &check->slots[check->accesses[i].slot];
    uint32_t inst = check->accesses[i].inst;
    if (slot->offset < start || slot->offset + slot->size > check->function->module->scratch_size)
      fail(check, inst, "the bytes from %u are not reserved for spilling", slot->offset);
    if (slot->offset % piece + slot->size > piece)
      fail(check, inst, "%u bytes at byte %u cross a boundary between pieces of memory", slot->size,
           slot->offset);
  }
}

/* Iterates until nothing changes; only predecessors of changed blocks are visited again. */
static void
find_live(SpillSlotCheck *check, const NornDominance *dominance) {
  memset(check->is_stale, true, check->function->block_count * sizeof *check->is_stale);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = dominance->order_count; i--;) {
      uint32_t block = dominance->order[i];
      if (!check->is_stale[block])
        continue;
      check->is_stale[block] = false;
      if (!run_block(check, block))
        continue;
      changed = true;
      for (uint32_t k = 0; k < norn_predecessor_count(dominance, block); k++)
        check->is_stale[norn_predecessor(dominance, block, k)] = true;
    }
  }
}

static void
run_all(SpillSlotCheck *check) {
  const NornFunction *function = check->function;
  GError **error = check->error;
  NornArena arena = {0};
  NornDominance *dominance = norn_dominance_new(&arena, function);
  check->error = NULL;
  find_live(check, dominance);
  check->error = error;
  for (uint32_t i = dominance->order_count; i--;)
    run_block(check, dominance->order[i]);
  uint32_t entry = function->block_order[0];
  for (uint32_t word = 0; word < check->words; word++)
    if (check->live_in[(size_t)entry * check->words + word])
      fail(check, norn_block(function, entry)->first, "a slot is read before it is written");
  norn_arena_free(&arena);
}

bool
norn_check_spill_slots(const NornTarget *target, const NornFunction *function,
                       const NornSpillSlot *slots, uint32_t slot_count,
                       const NornSpillAccess *accesses, uint32_t access_count, uint32_t start,
                       GError **error) {
  uint32_t words = slot_count / 64 + 1;
  SpillSlotCheck check = {
      .target = target,
      .function = function,
      .slots = slots,
      .accesses = accesses,
      .slot_count = slot_count,
      .access_count = access_count,
      .first_access = g_new0(uint32_t, function->inst_count + 1),
      .next_access = g_new0(uint32_t, access_count + 1),
      .first_slot = g_new0(uint32_t, function->block_count),
      .next_slot = g_new0(uint32_t, slot_count + 1),
      .is_stale = g_new(bool, function->block_count),
      .words = words,
      .live_in = g_new0(uint64_t, (size_t)function->block_count * words),
      .live = {.slots = g_new0(uint64_t, words)},
      .incoming = {.slots = g_new0(uint64_t, words)},
      .error = error,
  };
  for (uint32_t i = 0; i < slot_count; i++)
    check.memory_words = MAX(check.memory_words, (slots[i].offset + slots[i].size + 3) / 4);
  check.live.sharing = g_new(uint32_t, check.memory_words);
  check.incoming.sharing = g_new(uint32_t, check.memory_words);
  for (uint32_t i = 0; i < access_count; i++) {
    check.next_access[i] = check.first_access[accesses[i].inst];
    check.first_access[accesses[i].inst] = i + 1;
  }
  for (uint32_t i = 0; i < slot_count; i++)
    if (slots[i].block != NORN_INDEX_NONE) {
      check.next_slot[i] = check.first_slot[slots[i].block];
      check.first_slot[slots[i].block] = i + 1;
    }
  check_positions(&check, start);
  run_all(&check);
  g_free(check.first_access);
  g_free(check.next_access);
  g_free(check.first_slot);
  g_free(check.next_slot);
  g_free(check.is_stale);
  g_free(check.live_in);
  g_free(check.live.slots);
  g_free(check.live.sharing);
  g_free(check.incoming.slots);
  g_free(check.incoming.sharing);
  return !check.failed;
}
