/* The accesses to memory that a warp has not waited for.
 *
 * Each slot has a list of accesses: a record for each message and kind, with the address of each
 * lane that takes part. A wait removes the waiting lanes from the records. Every access is
 * compared with all records of its lane; the lists are short if the program waits soon. Only
 * conflicts within an invocation are checked here: between invocations a barrier is required,
 * which waits. Accesses of one message do not conflict, nor do atomic accesses that perform the
 * same operation on the same bytes and return nothing, since their order does not matter. */
#include "sim/valhall/in_flight.h"

typedef struct Access {
  uint32_t message;
  uint32_t size;
  uint16_t lanes;
  bool is_write, is_combined;
  uint8_t atomic;
  uint64_t address[NORN_VALHALL_WARP], combined[NORN_VALHALL_WARP];
} Access;

static Access *
access_at(GArray *accesses, guint index) {
  return &g_array_index(accesses, Access, index);
}

static bool
overlaps(const Access *access, unsigned lane, uint64_t address, size_t size) {
  return access->lanes >> lane & 1 && address < access->address[lane] + access->size &&
         access->address[lane] < address + size;
}

/* Whether the order of the two accesses is unobservable. */
static bool
do_the_same(const Access *access, unsigned lane, uint64_t address, size_t size, uint8_t atomic,
            const uint64_t *combined) {
  return combined && access->is_combined && access->atomic == atomic &&
         access->address[lane] == address && access->size == size &&
         access->combined[lane] == *combined;
}

static bool
conflict(const NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
         unsigned lane, uint64_t address, bool is_write, const Access *other, unsigned slot,
         GError **error) {
  return norn_valhall_trap(warp, instruction, (int)lane, NORN_VALHALL_TRAP_MEMORY_IN_FLIGHT, error,
                           "%s 0x%" G_GINT64_MODIFIER
                           "x, which a message in flight %s; wait for slot %u first",
                           is_write ? "writes" : "reads", MAX(address, other->address[lane]),
                           other->is_write ? "writes" : "reads", slot);
}

bool
norn_valhall_note_access(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                         unsigned lane, uint64_t address, size_t size, bool is_write,
                         const uint64_t *combined, GError **error) {
  Access *own = NULL;
  uint8_t atomic = instruction->access.atomic;
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    GArray *accesses = warp->accesses[slot];
    for (guint i = 0; i < accesses->len; i++) {
      Access *other = access_at(accesses, i);
      if (other->message == warp->message)
        own = other->is_write == is_write && other->size == size ? other : own;
      else if ((is_write || other->is_write) && overlaps(other, lane, address, size) &&
               !do_the_same(other, lane, address, size, atomic, combined))
        return conflict(warp, instruction, lane, address, is_write, other, slot, error);
    }
  }
  if (!own) {
    GArray *accesses = warp->accesses[instruction->slot];
    Access access = {.message = warp->message,
                     .size = (uint32_t)size,
                     .is_write = is_write,
                     .is_combined = combined != NULL,
                     .atomic = atomic};
    g_array_append_val(accesses, access);
    own = access_at(accesses, accesses->len - 1);
  }
  own->lanes |= (uint16_t)(1u << lane);
  own->address[lane] = address;
  own->combined[lane] = combined ? *combined : 0;
  return true;
}

void
norn_valhall_finish_accesses(NornValhallSimWarp *warp, unsigned slots) {
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++) {
    GArray *accesses = warp->accesses[slot];
    for (guint i = slots >> slot & 1 && accesses ? accesses->len : 0; i-- > 0;) {
      Access *access = access_at(accesses, i);
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
      warp->accesses[slot] = g_array_new(FALSE, FALSE, sizeof(Access));
  }
}

void
norn_valhall_free_accesses(NornValhallSimWarp *warp) {
  for (unsigned slot = 0; slot < NORN_VALHALL_SLOTS; slot++)
    if (warp->accesses[slot])
      g_array_unref(warp->accesses[slot]);
}
