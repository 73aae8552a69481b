/* The shadow of memory.
 *
 * Every byte has a shadow that says which invocation touched it last, by which of its messages and
 * how; an invocation's own message is in flight until it has waited for the slot. Only conflicts
 * within an invocation are looked for: between invocations it takes a barrier, which waits. Shadows
 * are kept for the pages that were touched. */
#include "sim/valhall/shadow.h"

#define SHADOW_PAGE 256

typedef struct Shadow {
  uint32_t thread; /* 0: untouched */
  uint32_t message;
  uint8_t slot;
  bool is_write;
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

bool
norn_valhall_check_hazards(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                           unsigned lane, uint64_t address, size_t size, bool is_write,
                           GError **error) {
  for (size_t i = 0; i < size; i++) {
    Shadow *shadow = shadow_at(warp->run->shadow, address + i);
    bool in_flight = shadow->thread == warp->thread[lane] && shadow->message != warp->message &&
                     shadow->message > warp->waited[shadow->slot][lane];
    if (in_flight && (is_write || shadow->is_write))
      return norn_valhall_trap(warp, instruction, (int)lane, error,
                               "it %s 0x%" G_GINT64_MODIFIER
                               "x, which a message in flight %s; wait "
                               "for slot %u first",
                               is_write ? "writes" : "reads", address + i,
                               shadow->is_write ? "writes" : "reads", shadow->slot);
    *shadow = (Shadow){warp->thread[lane], warp->message, instruction->slot, is_write};
  }
  return true;
}
