/* Valhall messages on plain memory. */
#include "sim/valhall/load_store.h"
#include "sim/common/launch.h"
#include "sim/valhall/buffers.h"
#include "sim/valhall/completion.h"
#include "sim/valhall/components.h"
#include "sim/valhall/memory.h"
#include <norn/valhall.h>

/* The checked bytes that the instruction accesses. */
static uint8_t *
access_memory(NornValhallSimWarp *warp, unsigned lane, uint64_t address, bool is_write,
              const uint64_t *combined, GError **error) {
  const NornValhallLaneAccess access = {.lane = lane,
                                        .address = address,
                                        .size = warp->instruction->access.bytes,
                                        .alignment = warp->instruction->access.alignment,
                                        .is_write = is_write,
                                        .combined = combined};
  return norn_valhall_access_memory(warp, &access, error);
}

/* --- Loads and stores --- */

/* Writes the loaded data to the staging registers. */
static bool
write_loaded(NornValhallSimWarp *warp, unsigned lane, const uint8_t *bytes, GError **error) {
  uint32_t words[NORN_VALHALL_ACCESS_WORDS];
  uint8_t defined[NORN_VALHALL_ACCESS_WORDS];
  unsigned count = norn_valhall_place_loaded(&warp->instruction->access, bytes, words, defined);
  for (unsigned i = 0; i < count; i++) {
    unsigned mask = defined[i] & ~(warp->undefined_bytes >> 4 * i);
    if (!norn_valhall_write_staging(warp, i, lane, mask, words[i], error))
      return false;
  }
  return true;
}

static void
finish_load(NornValhallSimWarp *warp, const NornValhallSimCompletion *completion) {
  const NornValhallSimInstruction *instruction = completion->instruction;
  uint32_t words[NORN_VALHALL_ACCESS_WORDS];
  uint8_t defined[NORN_VALHALL_ACCESS_WORDS];
  unsigned count =
      norn_valhall_place_loaded(&instruction->access, completion->bytes, words, defined);
  for (unsigned i = 0; i < count; i++)
    warp->registers[instruction->staging_write.first + i][completion->lane] = words[i];
}

/* `bytes` NULL: zeros, from an address that refers to nothing. */
static bool
finish_issue(NornValhallSimWarp *warp, unsigned lane, uint8_t *bytes, GError **error) {
  static const uint8_t zeros[NORN_VALHALL_ACCESS_BYTES];
  bool is_later = bytes && warp->run->random;
  norn_valhall_drop_last_uses(warp, lane);
  if (!write_loaded(warp, lane, bytes && !is_later ? bytes : zeros, error))
    return false;
  if (is_later)
    norn_valhall_complete(
        warp, &(NornValhallSimCompletion){finish_load, warp->instruction, lane, bytes, {0}});
  return true;
}

/* A helper's load returns 0 where there is no buffer, as doc/ir.md specifies. It is not known
 * whether hardware faults there: without this rule, the load is a trap. */
#define HELPERS_LOAD_ANYWHERE true

static bool
load_from(NornValhallSimWarp *warp, unsigned lane, uint64_t address, GError **error) {
  uint8_t *bytes = NULL;
  GError *trap = NULL;
  warp->undefined_bytes = 0;
  if (!(address & NORN_VALHALL_NULL_ADDRESS_BIT))
    bytes = access_memory(warp, lane, address, false, NULL, &trap);
  if (trap && !(HELPERS_LOAD_ANYWHERE && norn_valhall_is_helper(warp, lane))) {
    g_propagate_error(error, trap);
    return false;
  }
  g_clear_error(&trap);
  return finish_issue(warp, lane, bytes, error);
}

static bool
load(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  uint64_t address;
  return norn_valhall_read_defined(warp, 0, lane, &address, error) &&
         load_from(warp, lane, address + (uint64_t)warp->instruction->access.offset, error);
}

static void
finish_store(NornValhallSimWarp *warp, const NornValhallSimCompletion *completion) {
  (void)warp;
  norn_valhall_collect_stored(&completion->instruction->access, completion->words,
                              completion->bytes);
}

/* Reads the data of a store. Undefined bytes may be stored to thread-local memory, just as they
 * may be moved: they then count as not stored. */
static bool
read_stored(NornValhallSimWarp *warp, unsigned lane, uint64_t address, uint32_t *words,
            GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  const NornValhallMemoryAccess *access = &instruction->access;
  uint64_t byte = address + (uint64_t)access->offset - NORN_VALHALL_SCRATCH_ADDRESS;
  bool is_scratch = byte < norn_launch_scratch_bytes(warp->run->launch) && !access->part_bits;
  warp->undefined_bytes = 0;
  for (unsigned i = 0; i < instruction->staging_read.count; i++) {
    unsigned mask = norn_valhall_stored_mask(access, i);
    if (!norn_valhall_read_staging(warp, i, lane, is_scratch ? 0 : mask, &words[i], error))
      return false;
    unsigned defined = warp->defined[instruction->staging_read.first + i][lane];
    warp->undefined_bytes |= is_scratch ? (mask & ~defined) << 4 * i : 0;
  }
  return true;
}

static bool
store(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornValhallMemoryAccess *access = &warp->instruction->access;
  NornValhallSimCompletion completion = {finish_store, warp->instruction, lane, NULL, {0}};
  uint64_t address;
  if (!norn_valhall_read_defined(warp, 0, lane, &address, error))
    return false;
  if (!read_stored(warp, lane, address, completion.words, error))
    return false;
  address += (uint64_t)access->offset;
  norn_valhall_drop_last_uses(warp, lane);
  if (address & NORN_VALHALL_NULL_ADDRESS_BIT ||
      (norn_valhall_is_helper(warp, lane) && !access->is_forced))
    return true;
  completion.bytes = access_memory(warp, lane, address, true, NULL, error);
  if (completion.bytes)
    norn_valhall_complete(warp, &completion);
  return completion.bytes != NULL;
}

/* --- Buffers --- */

#define DESCRIPTOR_BYTES (1u << NORN_VALHALL_DESCRIPTOR_SHIFT)

static bool
load_descriptor(NornValhallSimWarp *warp, unsigned lane, uint32_t offset, uint32_t table,
                GError **error) {
  uint8_t loaded[NORN_VALHALL_ACCESS_BYTES];
  for (unsigned i = 0; i < warp->instruction->access.bytes; i++) {
    uint32_t byte = offset + i;
    uint32_t word = norn_valhall_descriptor_word(
        warp->run->launch, table << NORN_VALHALL_TABLE_SHIFT | byte / DESCRIPTOR_BYTES,
        byte % DESCRIPTOR_BYTES / 4);
    loaded[i] = (uint8_t)(word >> byte % 4 * 8);
  }
  norn_valhall_drop_last_uses(warp, lane);
  warp->undefined_bytes = 0;
  return write_loaded(warp, lane, loaded, error);
}

/* Loads outside the buffer return 0. What a load across the end of the buffer returns is not
 * known, so it is a trap. */
static bool
load_buffer(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  uint64_t offset, handle;
  if (!norn_valhall_read_defined(warp, 0, lane, &offset, error) ||
      !norn_valhall_read_defined(warp, 1, lane, &handle, error))
    return false;
  if (handle >> NORN_VALHALL_TABLE_SHIFT == NORN_VALHALL_TABLE_OF_TABLES)
    return load_descriptor(warp, lane, (uint32_t)offset, handle & 0xFF, error);
  NornValhallSimBuffer buffer = norn_valhall_find_buffer(warp->run->launch, (uint32_t)handle);
  if (offset >= buffer.size)
    return load_from(warp, lane, NORN_VALHALL_NULL_ADDRESS_BIT, error);
  if (offset + warp->instruction->access.bytes > buffer.size)
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_BUFFER_END, error,
                             "loads %u bytes at byte %" G_GUINT64_FORMAT
                             ", across the end of a buffer of %" G_GUINT64_FORMAT " bytes",
                             warp->instruction->access.bytes, offset, buffer.size);
  return load_from(warp, lane, buffer.address + offset, error);
}

/* LEA_BUFFER and LEA_BUF: the address of a byte or an element of the buffer with a handle. */
static bool
buffer_address(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornLaunch *launch = warp->run->launch;
  uint64_t offset, handle;
  if (!norn_valhall_read_defined(warp, 0, lane, &offset, error) ||
      !norn_valhall_read_defined(warp, 1, lane, &handle, error))
    return false;
  norn_valhall_drop_last_uses(warp, lane);
  uint64_t address = warp->instruction->encoding->instruction == NORN_VALHALL_LEA_BUF
                         ? norn_valhall_element_address(launch, (uint32_t)handle, offset)
                         : norn_valhall_byte_address(launch, (uint32_t)handle, offset);
  return norn_valhall_write_address(warp, lane, address, error);
}

/* --- Atomics --- */

static void
finish_atomic(NornValhallSimWarp *warp, const NornValhallSimCompletion *completion) {
  const NornValhallSimInstruction *instruction = completion->instruction;
  const NornValhallMemoryAccess *access = &instruction->access;
  uint64_t old = norn_bytes_read(completion->bytes, access->bytes);
  norn_bytes_write(completion->bytes, access->bytes,
                   norn_valhall_atomic(access, old, completion->words));
  for (unsigned i = 0; i < instruction->staging_write.count; i++)
    warp->registers[instruction->staging_write.first + i][completion->lane] =
        (uint32_t)(old >> 32 * i);
}

static bool
atomic(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  const NornValhallMemoryAccess *access = &instruction->access;
  NornValhallSimCompletion completion = {finish_atomic, instruction, lane, NULL, {0}};
  uint64_t address;
  if (!norn_valhall_read_defined(warp, 0, lane, &address, error))
    return false;
  for (unsigned i = 0; i < instruction->staging_read.count; i++)
    if (!norn_valhall_read_staging(warp, i, lane, 0xF, &completion.words[i], error))
      return false;
  norn_valhall_drop_last_uses(warp, lane);
  address += (uint64_t)access->offset;
  bool is_done = !(address & NORN_VALHALL_NULL_ADDRESS_BIT) && !norn_valhall_is_helper(warp, lane);
  bool is_blind = !access->has_compare && !instruction->staging_write.count;
  uint64_t operand = norn_valhall_atomic_operand(access, completion.words);
  warp->undefined_bytes = 0;
  if (is_done && !(completion.bytes =
                       access_memory(warp, lane, address, true, is_blind ? &operand : NULL, error)))
    return false;
  for (unsigned i = 0; i < instruction->staging_write.count; i++)
    if (!norn_valhall_write_staging(warp, i, lane, 0xF, 0, error))
      return false;
  if (is_done)
    norn_valhall_complete(warp, &completion);
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
