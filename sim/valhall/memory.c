/* Access to memory: alignment, bounds, hazards. */
#include "sim/valhall/memory.h"
#include "sim/common/memory.h"
#include "sim/valhall/shadow.h"

/* The bytes of the workgroup's or the thread's memory, or NULL. */
static uint8_t *
local_bytes(NornValhallSimWarp *warp, unsigned lane, uint64_t address, size_t size,
            uint64_t *shadow_address) {
  const NornLaunch *launch = warp->run->launch;
  uint64_t offset = address - NORN_VALHALL_SHARED_ADDRESS;
  if (offset < launch->shared_bytes && size <= launch->shared_bytes - offset)
    return warp->run->shared + offset;
  offset = address - NORN_VALHALL_SCRATCH_ADDRESS;
  if (offset >= launch->scratch_bytes || size > launch->scratch_bytes - offset)
    return NULL;
  offset += warp->local[lane] * launch->scratch_bytes;
  *shadow_address = NORN_VALHALL_SCRATCH_ADDRESS + offset;
  return warp->run->scratch + offset;
}

uint8_t *
norn_valhall_access_memory(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                           unsigned lane, uint64_t address, size_t size, unsigned alignment,
                           bool is_write, GError **error) {
  const char *verb = is_write ? "store" : "load";
  uint64_t shadow_address = address;
  if (address % alignment) {
    norn_valhall_trap(warp, instruction, (int)lane, error,
                      "%s of %zu bytes at 0x%" G_GINT64_MODIFIER "x, which is not a multiple of %u",
                      verb, size, address, alignment);
    return NULL;
  }
  uint8_t *bytes = local_bytes(warp, lane, address, size, &shadow_address);
  uint64_t sample_offset = address - NORN_VALHALL_SAMPLE_ADDRESS;
  if (!is_write && sample_offset < NORN_VALHALL_SAMPLE_BYTES &&
      size <= NORN_VALHALL_SAMPLE_BYTES - sample_offset)
    return warp->run->sample_positions + sample_offset;
  if (!bytes)
    bytes = norn_memory_access(warp->run->launch->memory, address, size);
  if (!bytes) {
    GError *reason = NULL;
    norn_memory_set_error(warp->run->launch->memory, "", verb, address, size, &reason);
    norn_valhall_trap(warp, instruction, (int)lane, error, "%s", reason->message);
    g_error_free(reason);
    return NULL;
  }
  if (warp->run->shadow &&
      !norn_valhall_check_hazards(warp, instruction, lane, shadow_address, size, is_write, error))
    return NULL;
  return bytes;
}
