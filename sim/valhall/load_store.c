/* Valhall messages on plain memory. */
#include "sim/valhall/load_store.h"
#include "sim/common/memory.h"
#include "sim/valhall/buffers.h"
#include "sim/valhall/components.h"
#include "sim/valhall/memory.h"
#include <norn/valhall.h>

/* The bytes of the access that the instruction makes. */
static uint8_t *
access_memory(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
              uint64_t address, bool is_write, GError **error) {
  return norn_valhall_access_memory(warp, instruction, lane, address, instruction->access.bytes,
                                    instruction->access.alignment, is_write, error);
}

/* --- Loads and stores --- */

/* Writes what was loaded to the staging registers. */
static bool
write_loaded(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
             const uint8_t *bytes, GError **error) {
  uint32_t words[NORN_VALHALL_ACCESS_WORDS];
  uint8_t defined[NORN_VALHALL_ACCESS_WORDS];
  unsigned count = norn_valhall_place_loaded(&instruction->access, bytes, words, defined);
  for (unsigned i = 0; i < count; i++)
    if (!norn_valhall_write_staging(warp, instruction, i, lane, defined[i], words[i], error))
      return false;
  return true;
}

static bool
load_from(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
          uint64_t address, GError **error) {
  static const uint8_t zeros[NORN_VALHALL_ACCESS_BYTES];
  const uint8_t *bytes = zeros;
  if (!(address & NORN_VALHALL_NULL_ADDRESS_BIT))
    bytes = access_memory(warp, instruction, lane, address, false, error);
  if (!bytes)
    return false;
  norn_valhall_drop_last_uses(warp, instruction, lane);
  return write_loaded(warp, instruction, lane, bytes, error);
}

static bool
load(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
     GError **error) {
  uint64_t address;
  return norn_valhall_read_defined(warp, instruction, 0, lane, &address, error) &&
         load_from(warp, instruction, lane, address + (uint64_t)instruction->access.offset, error);
}

static bool
store(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
      GError **error) {
  const NornValhallMemoryAccess *access = &instruction->access;
  uint32_t words[NORN_VALHALL_ACCESS_WORDS] = {0};
  uint64_t address;
  if (!norn_valhall_read_defined(warp, instruction, 0, lane, &address, error))
    return false;
  for (unsigned i = 0; i < instruction->staging_read.count; i++)
    if (!norn_valhall_read_staging(warp, instruction, i, lane, norn_valhall_stored_mask(access, i),
                                   &words[i], error))
      return false;
  address += (uint64_t)access->offset;
  norn_valhall_drop_last_uses(warp, instruction, lane);
  if (address & NORN_VALHALL_NULL_ADDRESS_BIT ||
      (norn_valhall_is_helper(warp, lane) && !access->is_forced))
    return true;
  uint8_t *bytes = access_memory(warp, instruction, lane, address, true, error);
  if (bytes)
    norn_valhall_collect_stored(access, words, bytes);
  return bytes != NULL;
}

/* --- Buffers --- */

#define DESCRIPTOR_BYTES (1u << NORN_VALHALL_DESCRIPTOR_SHIFT)

static bool
load_descriptor(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                unsigned lane, uint32_t offset, uint32_t table, GError **error) {
  uint8_t loaded[NORN_VALHALL_ACCESS_BYTES];
  for (unsigned i = 0; i < instruction->access.bytes; i++) {
    uint32_t byte = offset + i;
    uint32_t word = norn_valhall_descriptor_word(
        warp->run->launch, table << NORN_VALHALL_TABLE_SHIFT | byte / DESCRIPTOR_BYTES,
        byte % DESCRIPTOR_BYTES / 4);
    loaded[i] = (uint8_t)(word >> byte % 4 * 8);
  }
  norn_valhall_drop_last_uses(warp, instruction, lane);
  return write_loaded(warp, instruction, lane, loaded, error);
}

/* Outside the buffer it reads 0. What a load across the end of the buffer gives is not known: a
 * trap. */
static bool
load_buffer(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
            GError **error) {
  uint64_t offset, handle;
  if (!norn_valhall_read_defined(warp, instruction, 0, lane, &offset, error) ||
      !norn_valhall_read_defined(warp, instruction, 1, lane, &handle, error))
    return false;
  if (handle >> NORN_VALHALL_TABLE_SHIFT == NORN_VALHALL_TABLE_OF_TABLES)
    return load_descriptor(warp, instruction, lane, (uint32_t)offset, handle & 0xFF, error);
  NornValhallSimBuffer buffer = norn_valhall_find_buffer(warp->run->launch, (uint32_t)handle);
  if (offset >= buffer.size)
    return load_from(warp, instruction, lane, NORN_VALHALL_NULL_ADDRESS_BIT, error);
  if (offset + instruction->access.bytes > buffer.size)
    return norn_valhall_trap(warp, instruction, (int)lane, NORN_VALHALL_TRAP_BUFFER_END, error,
                             "it loads %u bytes at %" G_GUINT64_FORMAT
                             " across the end of a buffer of %" G_GUINT64_FORMAT " bytes",
                             instruction->access.bytes, offset, buffer.size);
  return load_from(warp, instruction, lane, buffer.address + offset, error);
}

/* LEA_BUFFER and LEA_BUF: the address of a byte or an element of the buffer with a handle. */
static bool
buffer_address(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
               unsigned lane, GError **error) {
  const NornLaunch *launch = warp->run->launch;
  uint64_t offset, handle;
  if (!norn_valhall_read_defined(warp, instruction, 0, lane, &offset, error) ||
      !norn_valhall_read_defined(warp, instruction, 1, lane, &handle, error))
    return false;
  norn_valhall_drop_last_uses(warp, instruction, lane);
  uint64_t address = instruction->encoding->instruction == NORN_VALHALL_LEA_BUF
                         ? norn_valhall_element_address(launch, (uint32_t)handle, offset)
                         : norn_valhall_byte_address(launch, (uint32_t)handle, offset);
  return norn_valhall_write_address(warp, instruction, lane, address, error);
}

/* --- Atomics --- */

static bool
atomic(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
       GError **error) {
  const NornValhallMemoryAccess *access = &instruction->access;
  uint32_t words[NORN_VALHALL_ACCESS_WORDS] = {0};
  uint64_t address, old = 0;
  if (!norn_valhall_read_defined(warp, instruction, 0, lane, &address, error))
    return false;
  for (unsigned i = 0; i < instruction->staging_read.count; i++)
    if (!norn_valhall_read_staging(warp, instruction, i, lane, 0xF, &words[i], error))
      return false;
  norn_valhall_drop_last_uses(warp, instruction, lane);
  address += (uint64_t)access->offset;
  if (!(address & NORN_VALHALL_NULL_ADDRESS_BIT) && !norn_valhall_is_helper(warp, lane)) {
    uint8_t *bytes = access_memory(warp, instruction, lane, address, true, error);
    if (!bytes)
      return false;
    old = norn_bytes_read(bytes, access->bytes);
    norn_bytes_write(bytes, access->bytes, norn_valhall_atomic(access, old, words));
  }
  for (unsigned i = 0; i < instruction->staging_write.count; i++)
    if (!norn_valhall_write_staging(warp, instruction, i, lane, 0xF, (uint32_t)(old >> 32 * i),
                                    error))
      return false;
  return true;
}

/* --- The table --- */

static const NornValhallSimMessage access_messages[] = {
    [NORN_VALHALL_ACCESS_LOAD] = load,
    [NORN_VALHALL_ACCESS_STORE] = store,
    [NORN_VALHALL_ACCESS_LOAD_BUFFER] = load_buffer,
    [NORN_VALHALL_ACCESS_ATOMIC] = atomic,
};

static const NornValhallSimMessage messages[] = {
    [NORN_VALHALL_LEA_BUFFER] = buffer_address,
    [NORN_VALHALL_LEA_BUF] = buffer_address,
};

NornValhallSimMessage
norn_valhall_memory_message(const NornValhallSimInstruction *instruction) {
  uint16_t number = instruction->encoding->instruction;
  if (norn_valhall_is_access(number))
    return access_messages[instruction->access.kind];
  return number < G_N_ELEMENTS(messages) ? messages[number] : NULL;
}
