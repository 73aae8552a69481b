/* Access to memory: alignment, bounds, hazards. */
#include "sim/valhall/memory.h"
#include "sim/common/launch.h"
#include "sim/common/memory.h"
#include "sim/valhall/in_flight.h"

/* Thread-local memory is accessed with the hint that makes helpers take part, and in pieces. */
static bool
check_scratch(NornValhallSimWarp *warp, const NornValhallLaneAccess *access, uint64_t offset,
              GError **error) {
  int lane = (int)access->lane;
  if (!warp->instruction->access.is_forced)
    return norn_valhall_trap(warp, lane, NORN_VALHALL_TRAP_SCRATCH_HINT, error,
                             "byte %" G_GUINT64_FORMAT
                             " of thread-local memory is accessed without the hint force",
                             offset);
  if (offset % NORN_VALHALL_ACCESS_PIECE + access->size > NORN_VALHALL_ACCESS_PIECE)
    return norn_valhall_trap(warp, lane, NORN_VALHALL_TRAP_SCRATCH_PIECE, error,
                             "%zu bytes at byte %" G_GUINT64_FORMAT
                             " of thread-local memory cross a %u-byte boundary",
                             access->size, offset, NORN_VALHALL_ACCESS_PIECE);
  return true;
}

/* Marks the bytes that a store writes as stored, except for those in the mask `undefined`, whose
 * values are meaningless. */
static void
mark_stored(uint8_t *stored, uint64_t first, size_t size, uint32_t undefined) {
  for (size_t i = 0; stored && i < size; i++) {
    uint8_t *byte = &stored[(first + i) / 8], bit = (uint8_t)(1u << (first + i) % 8);
    *byte = undefined >> i & 1 ? *byte & (uint8_t)~bit : *byte | bit;
  }
}

/* Finds the bytes of a load that were not stored. In each of its words (in all of it, if it is
 * less than a word) at least one byte must have been stored. `first` is relative to the start of
 * the workgroup's memory, `offset` to the start of the lane's. */
static bool
check_stored(NornValhallSimWarp *warp, const NornValhallLaneAccess *access, uint64_t first,
             uint64_t offset, GError **error) {
  const uint8_t *stored = warp->run->scratch_stored;
  size_t size = access->size;
  for (size_t i = 0; stored && i < size; i++)
    if (!(stored[(first + i) / 8] >> (first + i) % 8 & 1))
      warp->undefined_bytes |= UINT32_C(1) << i;
  for (size_t i = 0; i < size; i++)
    if (warp->undefined_bytes >> i & 1 &&
        (size < 4 || (warp->undefined_bytes >> (i & ~(size_t)3) & 0xF) == 0xF))
      return norn_valhall_trap(
          warp, (int)access->lane, NORN_VALHALL_TRAP_SCRATCH_UNINITIALIZED, error,
          "byte %" G_GUINT64_FORMAT " of thread-local memory is read before it is written",
          offset + i);
  return true;
}

/* Finds the bytes: NULL, without an error, if they are not local. The address of thread-local
 * memory becomes one that differs for each invocation. */
static bool
find_local(NornValhallSimWarp *warp, NornValhallLaneAccess *access, uint8_t **bytes,
           GError **error) {
  const NornLaunch *launch = warp->run->launch;
  size_t size = access->size;
  size_t shared_bytes = norn_launch_shared_bytes(launch);
  size_t scratch_bytes = norn_launch_scratch_bytes(launch);
  uint64_t offset = access->address - NORN_VALHALL_SHARED_ADDRESS;
  *bytes = NULL;
  if (offset < shared_bytes && size <= shared_bytes - offset)
    *bytes = warp->run->shared + offset;
  offset = access->address - NORN_VALHALL_SCRATCH_ADDRESS;
  if (offset >= scratch_bytes || size > scratch_bytes - offset)
    return true;
  uint64_t first = offset + warp->local[access->lane] * (uint64_t)launch->scratch_bytes;
  access->address = NORN_VALHALL_SCRATCH_ADDRESS + first;
  *bytes = warp->run->scratch + first;
  if (!check_scratch(warp, access, offset, error))
    return false;
  if (!access->is_write)
    return check_stored(warp, access, first, offset, error);
  mark_stored(warp->run->scratch_stored, first, size, warp->undefined_bytes);
  return true;
}

/* Whether no other invocation accesses the bytes without a barrier between. Thread-local memory
 * belongs to one invocation. */
static bool
check_race(NornValhallSimWarp *warp, const NornValhallLaneAccess *access, const uint8_t *bytes,
           GError **error) {
  bool is_shared = access->address - NORN_VALHALL_SHARED_ADDRESS < warp->run->launch->shared_bytes;
  bool is_atomic = norn_valhall_is_access(warp->instruction->encoding->instruction) &&
                   warp->instruction->access.kind == NORN_VALHALL_ACCESS_ATOMIC;
  NornAccessKind kind = is_atomic          ? NORN_ACCESS_ATOMIC
                        : access->is_write ? NORN_ACCESS_WRITE
                                           : NORN_ACCESS_READ;
  NornRace race;
  if (norn_races_note(warp->run->races, bytes, access->size, kind, is_shared,
                      warp->thread[access->lane], &race))
    return true;
  g_autofree char *message = norn_race_describe(&race, kind, access->address, race.thread - 1);
  return norn_valhall_trap(warp, (int)access->lane, NORN_VALHALL_TRAP_RACE, error, "%s", message);
}

/* Whether the bytes lie neither in a buffer nor in memory that is local to the launch. */
static bool
is_unmapped(const NornValhallSimWarp *warp, uint64_t address, size_t size) {
  const NornLaunch *launch = warp->run->launch;
  uint64_t shared = norn_launch_shared_bytes(launch),
           offset = address - NORN_VALHALL_SHARED_ADDRESS;
  return launch->memory && (offset >= shared || size > shared - offset) &&
         address - NORN_VALHALL_SCRATCH_ADDRESS >= norn_launch_scratch_bytes(launch) &&
         address - NORN_VALHALL_SAMPLE_ADDRESS >= NORN_VALHALL_SAMPLE_BYTES &&
         !norn_memory_read(launch->memory, address, size);
}

uint8_t *
norn_valhall_access_memory(NornValhallSimWarp *warp, const NornValhallLaneAccess *access,
                           GError **error) {
  const char *verb = access->is_write ? "store" : "load";
  uint64_t address = access->address;
  size_t size = access->size;
  int lane = (int)access->lane;
  NornValhallLaneAccess noted = *access;
  uint8_t *bytes;
  if (warp->run->launch->unmapped_is_zero && is_unmapped(warp, address, size))
    return norn_memory_zeros(warp->run->launch->memory, size);
  if (address % access->alignment) {
    norn_valhall_trap(warp, lane, NORN_VALHALL_TRAP_MISALIGNED, error,
                      "%s of %zu bytes at 0x%" G_GINT64_MODIFIER "x, which is not a multiple of %u",
                      verb, size, address, access->alignment);
    return NULL;
  }
  if (!find_local(warp, &noted, &bytes, error))
    return NULL;
  uint64_t sample_offset = address - NORN_VALHALL_SAMPLE_ADDRESS;
  if (!access->is_write && sample_offset < NORN_VALHALL_SAMPLE_BYTES &&
      size <= NORN_VALHALL_SAMPLE_BYTES - sample_offset)
    return warp->run->sample_positions + sample_offset;
  if (!bytes)
    bytes = access->is_write ? norn_memory_access(warp->run->launch->memory, address, size)
                             : norn_memory_read(warp->run->launch->memory, address, size);
  if (!bytes) {
    GError *reason = NULL;
    norn_memory_set_error(warp->run->launch->memory, "", verb, address, size, &reason);
    norn_valhall_trap(warp, lane, NORN_VALHALL_TRAP_OUT_OF_BOUNDS, error, "%s", reason->message);
    g_error_free(reason);
    return NULL;
  }
  if (warp->accesses[0] && !warp->run->launch->ignore_memory_hazards &&
      !norn_valhall_note_access(warp, &noted, error))
    return NULL;
  bool is_local =
      address - NORN_VALHALL_SCRATCH_ADDRESS < norn_launch_scratch_bytes(warp->run->launch);
  if (warp->run->races && !is_local && !check_race(warp, access, bytes, error))
    return NULL;
  return bytes;
}
