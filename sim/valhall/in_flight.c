/* The accesses to memory that a warp has not waited for.
 *
 * Each slot has a list of accesses: a record for each message and kind, with the address of each
 * lane that takes part. A wait removes the waiting lanes from the records. Every access is
 * compared with all records of its lane; the lists are short if the program waits soon. Only
 * conflicts within an invocation are checked here: between invocations a barrier is required,
 * which waits. Accesses of one message do not conflict, nor do atomic accesses that perform the
 * same operation on the same bytes and return nothing, since their order does not matter. */
#include "sim/valhall/in_flight.h"

typedef struct AccessInFlight {
  uint32_t message;
  uint32_t size;
  uint16_t lanes;
  bool is_write, is_combined;
  uint8_t atomic;
  uint64_t address[NORN_VALHALL_WARP], combined[NORN_VALHALL_WARP];
} AccessInFlight;

static AccessInFlight *
access_at(GArray *accesses, guint index) {
  return &g_array_index(accesses, AccessInFlight, index);
}

static bool
overlaps(const AccessInFlight *other, const NornValhallLaneAccess *access) {
  uint64_t address = other->address[access->lane];
  return other->lanes >> access->lane & 1 && access->address < address + other->size &&
         address < access->address + access->size;
}

/* Whether the order of the two accesses is unobservable. */
static bool
do_the_same(const AccessInFlight *other, const NornValhallLaneAccess *access, uint8_t atomic) {
  return access->combined && other->is_combined && other->atomic == atomic &&
         other->address[access->lane] == access->address && other->size == access->size &&
         other->combined[access->lane] == *access->combined;
}

static bool
conflict(const NornValhallSimWarp *warp, const NornValhallLaneAccess *access,
         const AccessInFlight *other, unsigned slot, GError **error) {
  return norn_valhall_trap(
      warp, (int)access->lane, NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, error,
      "%s 0x%" G_GINT64_MODIFIER "x, which a message in flight %s; wait for slot %u first",
      access->is_write ? "writes" : "reads", MAX(access->address, other->address[access->lane]),
      other->is_write ? "writes" : "reads", slot);
}

bool
norn_valhall_note_access(NornValhallSimWarp *warp, const NornValhallLaneAccess *access,
                         GError **error) {
  AccessInFlight *own = NULL;
  uint8_t atomic = warp->instruction->access.atomic;
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    GArray *accesses = warp->accesses[slot];
    for (guint i = 0; i < accesses->len; i++) {
      AccessInFlight *other = access_at(accesses, i);
      if (other->message == warp->message)
        own = other->is_write == access->is_write && other->size == access->size ? other : own;
      else if ((access->is_write || other->is_write) && overlaps(other, access) &&
               !do_the_same(other, access, atomic))
        return conflict(warp, access, other, slot, error);
    }
  }
  if (!own) {
    GArray *accesses = warp->accesses[warp->instruction->slot];
    AccessInFlight added = {.message = warp->message,
                            .size = (uint32_t)access->size,
                            .is_write = access->is_write,
                            .is_combined = access->combined != NULL,
                            .atomic = atomic};
    g_array_append_val(accesses, added);
    own = access_at(accesses, accesses->len - 1);
  }
  own->lanes |= (uint16_t)(1u << access->lane);
  own->address[access->lane] = access->address;
  own->combined[access->lane] = access->combined ? *access->combined : 0;
  return true;
}

void
norn_valhall_finish_accesses(NornValhallSimWarp *warp, unsigned slots) {
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    GArray *accesses = warp->accesses[slot];
    for (guint i = slots >> slot & 1 && accesses ? accesses->len : 0; i-- > 0;) {
      AccessInFlight *access = access_at(accesses, i);
      access->lanes &= (uint16_t)~warp->active;
      if (!access->lanes)
        g_array_remove_index_fast(accesses, i);
    }
  }
}

void
norn_valhall_clear_accesses(NornValhallSimWarp *warp) {
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    if (warp->accesses[slot])
      g_array_set_size(warp->accesses[slot], 0);
    else
      warp->accesses[slot] = g_array_new(FALSE, FALSE, sizeof(AccessInFlight));
  }
}

void
norn_valhall_free_accesses(NornValhallSimWarp *warp) {
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (warp->accesses[slot])
      g_array_unref(warp->accesses[slot]);
}
