/* The shadow of memory.
 *
 * Every byte has a shadow that says which invocation touched it last, by which of its messages it
 * was written and, slot by slot, read since; an invocation's own message is in flight until it has
 * waited for the slot. Only conflicts within an invocation are looked for: between invocations it
 * takes a barrier, which waits. What an invocation did before another one touched the byte is
 * forgotten. Shadows are kept for the pages that were touched. */
#include "sim/valhall/shadow.h"

#define SHADOW_PAGE 256

/* The slots that messages on memory use, and one for all others. */
#define SHADOW_SLOTS (NORN_VALHALL_FREE_SLOTS + 1)

typedef struct Shadow {
  uint32_t thread;              /* 0: untouched */
  uint32_t write;               /* the last message that wrote it, 0: none */
  uint32_t reads[SHADOW_SLOTS]; /* the last one of each slot that read it since */
  uint8_t write_slot;
} Shadow;

struct NornValhallSimShadow {
  GHashTable *pages; /* address / SHADOW_PAGE -> Shadow[SHADOW_PAGE] */
  uint64_t last_number;
  Shadow *last;
};

NornValhallSimShadow *
norn_valhall_shadow_new(void) {
  NornValhallSimShadow *shadow = g_new0(NornValhallSimShadow, 1);
  shadow->pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  return shadow;
}

void
norn_valhall_shadow_free(NornValhallSimShadow *shadow) {
  if (!shadow)
    return;
  g_hash_table_destroy(shadow->pages);
  g_free(shadow);
}

static Shadow *
shadow_at(NornValhallSimShadow *shadow, uint64_t address) {
  uint64_t number = address / SHADOW_PAGE;
  if (!shadow->last || shadow->last_number != number) {
    shadow->last = g_hash_table_lookup(shadow->pages, &number);
    shadow->last_number = number;
    if (!shadow->last) {
      uint64_t *key = g_new(uint64_t, 1);
      *key = number;
      shadow->last = g_new0(Shadow, SHADOW_PAGE);
      g_hash_table_insert(shadow->pages, key, shadow->last);
    }
  }
  return &shadow->last[address % SHADOW_PAGE];
}

/* Whether the lane has not waited for its message, which is not the one that is executed. */
static bool
is_in_flight(const NornValhallSimWarp *warp, unsigned lane, uint32_t message, unsigned slot) {
  return message && message != warp->message && message > warp->waited[slot][lane];
}

/* Sets the error for a conflict of an access with a message of `slot`. */
static bool
conflict(const NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
         unsigned lane, uint64_t address, bool is_write, bool was_write, unsigned slot,
         GError **error) {
  return norn_valhall_trap(
      warp, instruction, (int)lane, error,
      "it %s 0x%" G_GINT64_MODIFIER "x, which a message in flight %s; wait for slot %u first",
      is_write ? "writes" : "reads", address, was_write ? "writes" : "reads", slot);
}

/* Checks and marks one byte. */
static bool
check_byte(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
           uint64_t address, Shadow *shadow, bool is_write, GError **error) {
  unsigned slot = MIN(instruction->slot, SHADOW_SLOTS - 1u);
  if (shadow->thread != warp->thread[lane])
    *shadow = (Shadow){.thread = warp->thread[lane]};
  if (is_in_flight(warp, lane, shadow->write, shadow->write_slot))
    return conflict(warp, instruction, lane, address, is_write, true, shadow->write_slot, error);
  for (unsigned s = 0; is_write && s < SHADOW_SLOTS; s++)
    if (is_in_flight(warp, lane, shadow->reads[s], s))
      return conflict(warp, instruction, lane, address, is_write, false, s, error);
  if (is_write)
    *shadow = (Shadow){warp->thread[lane], warp->message, {0}, instruction->slot};
  else
    shadow->reads[slot] = warp->message;
  return true;
}

bool
norn_valhall_check_hazards(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                           unsigned lane, uint64_t address, size_t size, bool is_write,
                           GError **error) {
  for (size_t i = 0; i < size; i++)
    if (!check_byte(warp, instruction, lane, address + i, shadow_at(warp->run->shadow, address + i),
                    is_write, error))
      return false;
  return true;
}
