/* Valhall messages that touch memory: loads, stores, atomics, buffers and their addresses.
 *
 * An address is in the launch's buffers, in the memory of the workgroup or in that of the thread.
 * To find accesses that conflict with one not yet waited for, every byte has a shadow that says
 * which invocation touched it last, by which of its messages and how; an invocation's own message
 * is in flight until it has waited for the slot. Only conflicts within an invocation are looked
 * for: between invocations it takes a barrier, which waits. Shadows are kept for the pages that
 * were touched. */
#include "ir/numeric.h"
#include "sim/valhall.h"
#include <norn/valhall.h>
#include <string.h>

/* Reads there give 0 and writes are dropped. */
#define NULL_ADDRESS_BIT (UINT64_C(1) << 63)

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

/* The bytes at `address`, checked; NULL: a trap. */
static uint8_t *
access_memory(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
              uint64_t address, size_t size, unsigned alignment, bool is_write, GError **error) {
  const char *verb = is_write ? "store" : "load";
  uint64_t shadow_address = address;
  if (address % alignment) {
    norn_valhall_trap(warp, instruction, (int)lane, error,
                      "%s of %zu bytes at 0x%" G_GINT64_MODIFIER "x, which is not a multiple of %u",
                      verb, size, address, alignment);
    return NULL;
  }
  uint8_t *bytes = local_bytes(warp, lane, address, size, &shadow_address);
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

static bool
is_helper(const NornValhallSimWarp *warp, unsigned lane) {
  return warp->helpers >> lane & 1;
}

static const char *
modifier_name(const NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
              unsigned field_number) {
  const NornIsa *isa = warp->run->program.isa;
  if (!norn_isa_field_exists(instruction->encoding, field_number))
    return "";
  const NornIsaField *field = norn_isa_field(instruction->encoding, field_number);
  NornIsaText text = isa->texts[field->texts + norn_isa_extract(field, instruction->word)];
  return text == NORN_ISA_TEXT_ILLEGAL ? "" : norn_isa_string(isa, text);
}

/* --- Loads and stores --- */

/* Bytes of an access and the alignment it needs, by the instruction; that of 24 bits is a guess on
 * the safe side. */
typedef struct Width {
  uint8_t bytes, alignment;
} Width;

#define WIDTHS(name)                                                                               \
  [NORN_VALHALL_##name##_I8] = {1, 1}, [NORN_VALHALL_##name##_I16] = {2, 2},                       \
  [NORN_VALHALL_##name##_I24] = {3, 4}, [NORN_VALHALL_##name##_I32] = {4, 4},                      \
  [NORN_VALHALL_##name##_I48] = {6, 4}, [NORN_VALHALL_##name##_I64] = {8, 4},                      \
  [NORN_VALHALL_##name##_I96] = {12, 4}, [NORN_VALHALL_##name##_I128] = {16, 4}

static const Width widths[] = {WIDTHS(LOAD), WIDTHS(STORE), WIDTHS(LD_BUFFER)};

static Width
width_of(const NornValhallSimInstruction *instruction) {
  return widths[instruction->encoding->instruction];
}

/* Where a narrow access sits in its register: `bits` at bit `shift`. */
typedef struct Part {
  unsigned bits, shift;
} Part;

/* The part named "b1", "h0", "w0", "d0"; bits 0 if the access is whole registers. */
static Part
part_named(const char *name) {
  static const char letters[] = "bhwd";
  const char *letter = *name ? strchr(letters, *name) : NULL;
  if (!letter || !g_ascii_isdigit(name[1]) || name[2])
    return (Part){0, 0};
  unsigned bits = 8u << (letter - letters);
  return (Part){bits, bits * (unsigned)(name[1] - '0')};
}

static unsigned
bytes_mask(unsigned first, unsigned count) {
  return ((1u << count) - 1) << first;
}

/* Writes `bytes` loaded bytes to the staging registers, extended and placed as the modifiers say.
 */
static bool
write_loaded(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
             const uint8_t *loaded, unsigned bytes, GError **error) {
  Part part = part_named(modifier_name(warp, instruction, NORN_VALHALL_FIELD_LANE));
  bool is_unsigned = norn_isa_field_get_or(instruction->encoding, NORN_VALHALL_FIELD_UNSIGNED,
                                           instruction->word, 1);
  uint32_t words[4] = {0};
  for (unsigned i = 0; i < bytes; i++)
    words[i / 4] |= (uint32_t)loaded[i] << i % 4 * 8;
  if (bytes <= 4 && part.bits >= 8 * bytes) {
    uint64_t value = words[0];
    if (!is_unsigned)
      value = (uint64_t)norn_int_sign_extend(value, 8 * bytes);
    value = norn_int_truncate(value, part.bits) << part.shift;
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
    if (part.bits <= 32)
      return norn_valhall_write_staging(warp, instruction, 0, lane,
                                        bytes_mask(part.shift / 8, part.bits / 8), words[0], error);
    bytes = 8;
  }
  for (unsigned i = 0; i * 4 < bytes; i++)
    if (!norn_valhall_write_staging(warp, instruction, i, lane,
                                    bytes_mask(0, MIN(bytes - 4 * i, 4)), words[i], error))
      return false;
  return true;
}

static bool
load_from(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
          uint64_t address, GError **error) {
  static const uint8_t zeros[16];
  Width width = width_of(instruction);
  const uint8_t *bytes = zeros;
  if (!(address & NULL_ADDRESS_BIT))
    bytes =
        access_memory(warp, instruction, lane, address, width.bytes, width.alignment, false, error);
  if (!bytes)
    return false;
  norn_valhall_drop_last_uses(warp, instruction, lane);
  return write_loaded(warp, instruction, lane, bytes, width.bytes, error);
}

static bool
load(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
     GError **error) {
  uint64_t address;
  return norn_valhall_read_defined(warp, instruction, 0, lane, &address, error) &&
         load_from(warp, instruction, lane, address + (uint64_t)instruction->immediate, error);
}

/* Reads the bytes of a store from the staging registers. */
static bool
read_stored(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
            uint8_t *stored, unsigned bytes, GError **error) {
  Part part = part_named(modifier_name(warp, instruction, NORN_VALHALL_FIELD_LANE));
  unsigned shift = part.bits == 8 * bytes ? part.shift / 8 : 0;
  for (unsigned i = 0; i * 4 < bytes; i++) {
    uint32_t word;
    unsigned count = MIN(bytes - 4 * i, 4);
    if (!norn_valhall_read_staging(warp, instruction, i, lane, bytes_mask(shift, count), &word,
                                   error))
      return false;
    for (unsigned k = 0; k < count; k++)
      stored[4 * i + k] = (uint8_t)(word >> 8 * (k + shift));
  }
  return true;
}

static bool
store(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
      GError **error) {
  Width width = width_of(instruction);
  uint8_t stored[16];
  uint64_t address;
  if (!norn_valhall_read_defined(warp, instruction, 0, lane, &address, error) ||
      !read_stored(warp, instruction, lane, stored, width.bytes, error))
    return false;
  address += (uint64_t)instruction->immediate;
  norn_valhall_drop_last_uses(warp, instruction, lane);
  bool forced = strcmp(modifier_name(warp, instruction, NORN_VALHALL_FIELD_ACCESS), "force") == 0;
  if (address & NULL_ADDRESS_BIT || (is_helper(warp, lane) && !forced))
    return true;
  uint8_t *bytes =
      access_memory(warp, instruction, lane, address, width.bytes, width.alignment, true, error);
  if (bytes)
    memcpy(bytes, stored, width.bytes);
  return bytes != NULL;
}

/* --- Buffers --- */

/* Handles of this table name the tables themselves, as memory. */
#define TABLE_OF_TABLES 62
#define DESCRIPTOR_BYTES 32
#define DESCRIPTOR_TYPE_BUFFER 9
/* Codes of a table in an immediate from this on mean tables from 60 on. */
#define TABLE_CODE_HIGH 12
#define TABLE_HIGH 60

/* What a handle stands for; an empty one has no bytes. */
typedef struct Buffer {
  bool exists;
  uint64_t address, size;
  uint32_t stride;
} Buffer;

static Buffer
find_buffer(const NornLaunch *launch, uint32_t handle) {
  Buffer found = {false, 0, 0, 0};
  for (size_t i = 0; launch->memory && i < launch->resource_count; i++) {
    const NornResource *resource = &launch->resources[i];
    if (resource->handle != handle || resource->buffer >= norn_memory_count(launch->memory))
      continue;
    size_t size;
    norn_memory_bytes(launch->memory, resource->buffer, &size);
    found = (Buffer){true, norn_memory_address(launch->memory, resource->buffer), size,
                     resource->stride};
  }
  return found;
}

/* Word `word` of the descriptor of a buffer. */
static uint32_t
descriptor_word(Buffer buffer, unsigned word) {
  switch (word) {
  case 0:
    return buffer.exists ? DESCRIPTOR_TYPE_BUFFER : 0;
  case 1:
    return (uint32_t)buffer.size;
  case 2:
    return (uint32_t)buffer.address;
  case 3:
    return (uint32_t)(buffer.address >> 32);
  case 4:
    return buffer.stride;
  default:
    return 0;
  }
}

static bool
load_descriptor(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                unsigned lane, uint32_t offset, uint32_t table, GError **error) {
  uint8_t loaded[16];
  Width width = width_of(instruction);
  for (unsigned i = 0; i < width.bytes; i++) {
    uint32_t byte = offset + i;
    Buffer buffer = find_buffer(warp->run->launch, table << 24 | byte / DESCRIPTOR_BYTES);
    uint32_t word = descriptor_word(buffer, byte % DESCRIPTOR_BYTES / 4);
    loaded[i] = (uint8_t)(word >> byte % 4 * 8);
  }
  norn_valhall_drop_last_uses(warp, instruction, lane);
  return write_loaded(warp, instruction, lane, loaded, width.bytes, error);
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
  if (handle >> 24 == TABLE_OF_TABLES)
    return load_descriptor(warp, instruction, lane, (uint32_t)offset, handle & 0xFF, error);
  Buffer buffer = find_buffer(warp->run->launch, (uint32_t)handle);
  if (offset >= buffer.size)
    return load_from(warp, instruction, lane, NULL_ADDRESS_BIT, error);
  if (offset + width_of(instruction).bytes > buffer.size)
    return norn_valhall_trap(warp, instruction, (int)lane, error,
                             "it loads %u bytes at %" G_GUINT64_FORMAT
                             " across the end of a buffer of %" G_GUINT64_FORMAT " bytes",
                             width_of(instruction).bytes, offset, buffer.size);
  return load_from(warp, instruction, lane, buffer.address + offset, error);
}

static bool
write_address(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
              uint32_t handle, uint64_t offset, bool is_element, GError **error) {
  Buffer buffer = find_buffer(warp->run->launch, handle);
  if (is_element)
    offset *= buffer.stride;
  uint64_t address = offset < buffer.size ? buffer.address + offset : NULL_ADDRESS_BIT;
  norn_valhall_drop_last_uses(warp, instruction, lane);
  return norn_valhall_write_staging(warp, instruction, 0, lane, 0xF, (uint32_t)address, error) &&
         norn_valhall_write_staging(warp, instruction, 1, lane, 0xF, (uint32_t)(address >> 32),
                                    error);
}

/* LEA_BUFFER and LEA_BUF: the address of a byte or an element of the buffer with a handle. */
static bool
buffer_address(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
               unsigned lane, GError **error) {
  uint64_t offset, handle;
  bool is_element = instruction->encoding->instruction == NORN_VALHALL_LEA_BUF;
  return norn_valhall_read_defined(warp, instruction, 0, lane, &offset, error) &&
         norn_valhall_read_defined(warp, instruction, 1, lane, &handle, error) &&
         write_address(warp, instruction, lane, (uint32_t)handle, offset, is_element, error);
}

static uint32_t
immediate_handle(const NornValhallSimInstruction *instruction) {
  const NornIsaEncoding *encoding = instruction->encoding;
  uint32_t table = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_TABLE, instruction->word);
  uint32_t index = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_INDEX, instruction->word);
  if (table >= TABLE_CODE_HIGH)
    table += TABLE_HIGH - TABLE_CODE_HIGH;
  return table << 24 | index;
}

static bool
element_address(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                unsigned lane, GError **error) {
  uint64_t element;
  return norn_valhall_read_defined(warp, instruction, 0, lane, &element, error) &&
         write_address(warp, instruction, lane, immediate_handle(instruction), element, true,
                       error);
}

/* --- Atomics --- */

typedef uint64_t (*AtomicFunction)(uint64_t old, uint64_t operand, unsigned bits);

static uint64_t
atomic_add(uint64_t old, uint64_t operand, unsigned bits) {
  return norn_int_truncate(old + operand, bits);
}

static uint64_t
atomic_increment(uint64_t old, uint64_t operand, unsigned bits) {
  (void)operand;
  return norn_int_truncate(old + 1, bits);
}

static uint64_t
atomic_decrement(uint64_t old, uint64_t operand, unsigned bits) {
  (void)operand;
  return norn_int_truncate(old - 1, bits);
}

static uint64_t
atomic_signed_minimum(uint64_t old, uint64_t operand, unsigned bits) {
  return norn_int_sign_extend(old, bits) < norn_int_sign_extend(operand, bits) ? old : operand;
}

static uint64_t
atomic_signed_maximum(uint64_t old, uint64_t operand, unsigned bits) {
  return norn_int_sign_extend(old, bits) > norn_int_sign_extend(operand, bits) ? old : operand;
}

static uint64_t
atomic_unsigned_minimum(uint64_t old, uint64_t operand, unsigned bits) {
  (void)bits;
  return MIN(old, operand);
}

static uint64_t
atomic_unsigned_maximum(uint64_t old, uint64_t operand, unsigned bits) {
  (void)bits;
  return MAX(old, operand);
}

static uint64_t
atomic_and(uint64_t old, uint64_t operand, unsigned bits) {
  (void)bits;
  return old & operand;
}

static uint64_t
atomic_or(uint64_t old, uint64_t operand, unsigned bits) {
  (void)bits;
  return old | operand;
}

static uint64_t
atomic_xor(uint64_t old, uint64_t operand, unsigned bits) {
  (void)bits;
  return old ^ operand;
}

static uint64_t
atomic_exchange(uint64_t old, uint64_t operand, unsigned bits) {
  (void)old, (void)bits;
  return operand;
}

/* By the name of the modifier; those with a 1 have the operand 1. */
static const struct {
  const char *name;
  AtomicFunction function;
} atomics[] = {
    {"aadd", atomic_add},
    {"aaddu", atomic_add},
    {"aadds", atomic_add},
    {"ainc", atomic_increment},
    {"adec", atomic_decrement},
    {"asmin", atomic_signed_minimum},
    {"asmax", atomic_signed_maximum},
    {"asmax1", atomic_signed_maximum},
    {"aumin", atomic_unsigned_minimum},
    {"aumax", atomic_unsigned_maximum},
    {"aumax1", atomic_unsigned_maximum},
    {"aand", atomic_and},
    {"aor", atomic_or},
    {"aor1", atomic_or},
    {"axor", atomic_xor},
    {"axchg", atomic_exchange},
};

static AtomicFunction
find_atomic(const char *name) {
  for (unsigned i = 0; i < G_N_ELEMENTS(atomics); i++)
    if (strcmp(atomics[i].name, name) == 0)
      return atomics[i].function;
  return NULL;
}

/* Reads `words` staging registers from number `first` on as one value. */
static bool
read_operand(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
             unsigned first, unsigned words, uint64_t *value, GError **error) {
  *value = 0;
  for (unsigned i = 0; i < words; i++) {
    uint32_t word;
    if (!norn_valhall_read_staging(warp, instruction, first + i, lane, 0xF, &word, error))
      return false;
    *value |= (uint64_t)word << 32 * i;
  }
  return true;
}

/* The operand, and in *compare what must be in memory for an exchange (if `has_compare`). */
static bool
read_atomic_operands(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                     unsigned lane, const char *name, unsigned words, bool has_compare,
                     uint64_t *operand, uint64_t *compare, GError **error) {
  *operand = 1;
  *compare = 0;
  if (!instruction->staging_read.count)
    return true;
  bool narrow = instruction->staging_read.count < words;
  if (!read_operand(warp, instruction, lane, 0, narrow ? 1 : words, operand, error))
    return false;
  if (narrow && strcmp(name, "aadds") == 0)
    *operand = (uint64_t)norn_int_sign_extend(*operand, 32);
  return !has_compare || read_operand(warp, instruction, lane, words, words, compare, error);
}

static bool
write_old_value(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction,
                unsigned lane, uint64_t old, GError **error) {
  for (unsigned i = 0; i < instruction->staging_write.count; i++)
    if (!norn_valhall_write_staging(warp, instruction, i, lane, 0xF, (uint32_t)(old >> 32 * i),
                                    error))
      return false;
  return true;
}

/* ATOM, ATOM_RETURN and ATOM1_RETURN of `bits`. */
static bool
atomic(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
       unsigned bits, GError **error) {
  const char *name = modifier_name(warp, instruction, NORN_VALHALL_FIELD_OPERATION);
  AtomicFunction function = find_atomic(name);
  bool has_compare = norn_isa_field_get_or(instruction->encoding, NORN_VALHALL_FIELD_COMPARE,
                                           instruction->word, 0);
  uint64_t address, operand, compare;
  uint8_t *bytes = NULL, value[8] = {0};
  if (!function)
    return norn_valhall_trap(warp, instruction, (int)lane, error, "%s is not modelled", name);
  if (!norn_valhall_read_defined(warp, instruction, 0, lane, &address, error) ||
      !read_atomic_operands(warp, instruction, lane, name, bits / 32, has_compare, &operand,
                            &compare, error))
    return false;
  norn_valhall_drop_last_uses(warp, instruction, lane);
  address += (uint64_t)instruction->immediate;
  if (!(address & NULL_ADDRESS_BIT) && !is_helper(warp, lane)) {
    bytes = access_memory(warp, instruction, lane, address, bits / 8, bits / 8, true, error);
    if (!bytes)
      return false;
    memcpy(value, bytes, bits / 8);
  }
  uint64_t old = 0;
  for (unsigned i = 0; i < bits / 8; i++)
    old |= (uint64_t)value[i] << 8 * i;
  uint64_t new_value = function(old, operand, bits);
  for (unsigned i = 0; bytes && (!has_compare || old == compare) && i < bits / 8; i++)
    bytes[i] = (uint8_t)(new_value >> 8 * i);
  return write_old_value(warp, instruction, lane, old, error);
}

static bool
atomic_32(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
          GError **error) {
  return atomic(warp, instruction, lane, 32, error);
}

static bool
atomic_64(NornValhallSimWarp *warp, const NornValhallSimInstruction *instruction, unsigned lane,
          GError **error) {
  return atomic(warp, instruction, lane, 64, error);
}

/* --- The table --- */

#define MESSAGES(name, function)                                                                   \
  [NORN_VALHALL_##name##_I8] = function, [NORN_VALHALL_##name##_I16] = function,                   \
  [NORN_VALHALL_##name##_I24] = function, [NORN_VALHALL_##name##_I32] = function,                  \
  [NORN_VALHALL_##name##_I48] = function, [NORN_VALHALL_##name##_I64] = function,                  \
  [NORN_VALHALL_##name##_I96] = function, [NORN_VALHALL_##name##_I128] = function

static const NornValhallSimMessage messages[] = {
    MESSAGES(LOAD, load),
    MESSAGES(STORE, store),
    MESSAGES(LD_BUFFER, load_buffer),
    [NORN_VALHALL_LEA_BUFFER] = buffer_address,
    [NORN_VALHALL_LEA_BUF] = buffer_address,
    [NORN_VALHALL_LEA_BUF_IMM] = element_address,
    [NORN_VALHALL_ATOM_I32] = atomic_32,
    [NORN_VALHALL_ATOM_I64] = atomic_64,
    [NORN_VALHALL_ATOM_RETURN_I32] = atomic_32,
    [NORN_VALHALL_ATOM_RETURN_I64] = atomic_64,
    [NORN_VALHALL_ATOM1_I32] = atomic_32,
    [NORN_VALHALL_ATOM1_I64] = atomic_64,
    [NORN_VALHALL_ATOM1_RETURN_I32] = atomic_32,
    [NORN_VALHALL_ATOM1_RETURN_I64] = atomic_64,
};

NornValhallSimMessage
norn_valhall_message(uint16_t instruction) {
  return instruction < G_N_ELEMENTS(messages) ? messages[instruction] : NULL;
}
