/* Valhall messages on plain memory: loads, stores, atomics, buffers and their addresses.
 *
 * An address is in the launch's buffers, in the memory of the workgroup or in that of the thread.
 * To find accesses that conflict with one not yet waited for, every byte has a shadow that says
 * which invocation touched it last, by which of its messages and how; an invocation's own message
 * is in flight until it has waited for the slot. Only conflicts within an invocation are looked
 * for: between invocations it takes a barrier, which waits. Shadows are kept for the pages that
 * were touched. */
#include "sim/valhall/valhall.h"
#include <norn/valhall.h>
#include <string.h>

/* --- Shadow --- */

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

/* Whether the lane's access conflicts with none of its own in flight; marks the bytes. `address` is
 * different for each invocation's own memory. */
static bool
check_hazards(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
              uint64_t address, size_t size, bool is_write, GError **error) {
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

/* --- Access --- */

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
      !check_hazards(warp, instruction, lane, shadow_address, size, is_write, error))
    return NULL;
  return bytes;
}

/* The bytes of the access that the instruction makes. */
static uint8_t *
access_memory(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
              uint64_t address, bool is_write, GError **error) {
  return norn_valhall_access_memory(warp, instruction, lane, address, instruction->access.bytes,
                                    instruction->access.alignment, is_write, error);
}

/* --- Staging registers --- */

bool
norn_valhall_write_components(NornValhallSimWarp *warp,
                              const NornValhallSimInstruction *instruction, unsigned lane,
                              unsigned bits, unsigned count, const uint32_t *components,
                              GError **error) {
  unsigned per_word = 32 / bits;
  for (unsigned i = 0; i < count; i += per_word) {
    bool is_pair = per_word == 2 && i + 1 < count;
    uint32_t word = is_pair ? components[i] | components[i + 1] << 16 : components[i];
    unsigned bytes = bits == 32 || is_pair ? 0xF : 0x3;
    if (!norn_valhall_write_staging(warp, instruction, i / per_word, lane, bytes, word, error))
      return false;
  }
  return true;
}

bool
norn_valhall_read_components(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                             unsigned lane, unsigned bits, unsigned count, uint32_t *components,
                             GError **error) {
  unsigned per_word = 32 / bits;
  for (unsigned i = 0; i < count; i++) {
    uint32_t word;
    unsigned shift = i % per_word * bits;
    unsigned bytes = bits == 32 ? 0xF : 0x3u << shift / 8;
    if (!norn_valhall_read_staging(warp, instruction, i / per_word, lane, bytes, &word, error))
      return false;
    components[i] = bits == 32 ? word : word >> shift & 0xFFFF;
  }
  return true;
}

bool
norn_valhall_write_address(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                           unsigned lane, uint64_t address, GError **error) {
  return norn_valhall_write_staging(warp, instruction, 0, lane, 0xF, (uint32_t)address, error) &&
         norn_valhall_write_staging(warp, instruction, 1, lane, 0xF, (uint32_t)(address >> 32),
                                    error);
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
#define DESCRIPTOR_TYPE_SAMPLER 1
#define DESCRIPTOR_TYPE_TEXTURE 2
#define DESCRIPTOR_TYPE_BUFFER 9

/* A buffer with a handle; an empty one has no bytes. */
typedef struct Buffer {
  uint64_t address, size;
  uint32_t stride;
} Buffer;

static Buffer
buffer_of(const NornLaunch *launch, const NornResource *resource) {
  size_t size;
  if (!resource || resource->image || resource->sampler || !launch->memory ||
      resource->buffer >= norn_memory_count(launch->memory))
    return (Buffer){0, 0, 0};
  norn_memory_bytes(launch->memory, resource->buffer, &size);
  return (Buffer){norn_memory_address(launch->memory, resource->buffer), size, resource->stride};
}

static Buffer
find_buffer(const NornLaunch *launch, uint32_t handle) {
  return buffer_of(launch, norn_launch_find_resource(launch, handle));
}

/* Word `word` of a buffer's descriptor. */
static uint32_t
buffer_word(Buffer buffer, unsigned word) {
  const uint32_t words[] = {DESCRIPTOR_TYPE_BUFFER, (uint32_t)buffer.size, (uint32_t)buffer.address,
                            (uint32_t)(buffer.address >> 32), buffer.stride};
  return word < G_N_ELEMENTS(words) ? words[word] : 0;
}

/* Word `word` of an image's descriptor, as far as programs read it to know sizes. */
static uint32_t
image_word(const NornImage *image, unsigned word) {
  unsigned samples = 0;
  while (samples < 7 && 1u << (samples + 1) <= image->samples)
    samples++;
  const uint32_t words[] = {
      DESCRIPTOR_TYPE_TEXTURE,
      ((image->width - 1) & 0xFFFF) | (image->height - 1) << 16,
      ((image->levels - 1) & 0x1F) << 16,
      samples << 13,
      0,
      0,
      (image->layers - 1) & 0xFFFF,
      (image->depth - 1) & 0xFFFF,
  };
  return word < G_N_ELEMENTS(words) ? words[word] : 0;
}

/* A level of detail as a descriptor has it: unsigned, with eight fraction bits. */
static uint32_t
descriptor_lod(float lod) {
  return lod > 0 ? (uint32_t)(MIN(lod, 31.0f) * 256) & 0x1FFF : 0;
}

static uint32_t
sampler_word(const NornSampler *sampler, unsigned word) {
  static const uint8_t mip_codes[] = {
      [NORN_MIP_NONE] = 1, [NORN_MIP_NEAREST] = 0, [NORN_MIP_LINEAR] = 3};
  switch (word) {
  case 0:
    return DESCRIPTOR_TYPE_SAMPLER | (uint32_t)mip_codes[sampler->mip] << 30;
  case 1:
    return descriptor_lod(sampler->minimum_lod) | descriptor_lod(sampler->maximum_lod) << 16;
  default:
    return 0;
  }
}

static uint32_t
descriptor_word(const NornLaunch *launch, uint32_t handle, unsigned word) {
  const NornResource *resource = norn_launch_find_resource(launch, handle);
  if (!resource)
    return 0;
  if (resource->image)
    return image_word(resource->image, word);
  return resource->sampler ? sampler_word(resource->sampler, word)
                           : buffer_word(buffer_of(launch, resource), word);
}

static bool
load_descriptor(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                unsigned lane, uint32_t offset, uint32_t table, GError **error) {
  uint8_t loaded[NORN_VALHALL_ACCESS_BYTES];
  for (unsigned i = 0; i < instruction->access.bytes; i++) {
    uint32_t byte = offset + i;
    uint32_t word = descriptor_word(warp->run->launch,
                                    table << NORN_VALHALL_TABLE_SHIFT | byte / DESCRIPTOR_BYTES,
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
  Buffer buffer = find_buffer(warp->run->launch, (uint32_t)handle);
  if (offset >= buffer.size)
    return load_from(warp, instruction, lane, NORN_VALHALL_NULL_ADDRESS_BIT, error);
  if (offset + instruction->access.bytes > buffer.size)
    return norn_valhall_trap(warp, instruction, (int)lane, error,
                             "it loads %u bytes at %" G_GUINT64_FORMAT
                             " across the end of a buffer of %" G_GUINT64_FORMAT " bytes",
                             instruction->access.bytes, offset, buffer.size);
  return load_from(warp, instruction, lane, buffer.address + offset, error);
}

/* The address of byte `offset` of a buffer, null outside it. */
static uint64_t
byte_address(const NornLaunch *launch, uint32_t handle, uint64_t offset) {
  Buffer buffer = find_buffer(launch, handle);
  return offset < buffer.size ? buffer.address + offset : NORN_VALHALL_NULL_ADDRESS_BIT;
}

uint64_t
norn_valhall_element_address(const NornLaunch *launch, uint32_t handle, uint64_t element) {
  return byte_address(launch, handle, element * find_buffer(launch, handle).stride);
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
                         : byte_address(launch, (uint32_t)handle, offset);
  return norn_valhall_write_address(warp, instruction, lane, address, error);
}

uint32_t
norn_valhall_immediate_handle(const NornValhallSimInstruction *instruction) {
  const NornIsaEncoding *encoding = instruction->encoding;
  uint32_t table = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_TABLE, instruction->word);
  uint32_t index = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_INDEX, instruction->word);
  return norn_valhall_table_of_code(table) << NORN_VALHALL_TABLE_SHIFT | index;
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
    for (unsigned i = 0; i < access->bytes; i++)
      old |= (uint64_t)bytes[i] << 8 * i;
    uint64_t changed = norn_valhall_atomic(access, old, words);
    for (unsigned i = 0; i < access->bytes; i++)
      bytes[i] = (uint8_t)(changed >> 8 * i);
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

bool
norn_valhall_decode_message(const NornIsa *isa, NornValhallSimInstruction *instruction,
                            GError **error) {
  uint16_t number = instruction->encoding->instruction;
  instruction->warp_message = norn_valhall_texture_message(number);
  instruction->message = norn_valhall_graphics_message(number);
  if (!instruction->message)
    instruction->message = norn_valhall_tile_message(number);
  if (!instruction->message && number < G_N_ELEMENTS(messages))
    instruction->message = messages[number];
  if (!norn_valhall_is_access(number))
    return true;
  if (!norn_valhall_decode_access(isa, instruction->encoding, instruction->word,
                                  &instruction->access, error))
    return false;
  instruction->message = access_messages[instruction->access.kind];
  return true;
}
