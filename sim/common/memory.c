/* Named buffers at 64-bit addresses.
 *
 * Buffers are kept in order of creation and, for look-up by binary search, in an index ordered
 * by address. Buffers never overlap, and an automatic address leaves an unmapped page on each
 * side. */
#include "sim/common/memory.h"
#include <string.h>

/* Automatic addresses start just below 4 GiB to catch code that drops the carry into the high
 * word of an address. */
#define FIRST_ADDRESS UINT64_C(0xFFFFFF00)
#define GUARD_BYTES UINT64_C(0x10000)

typedef struct Buffer {
  char *name;
  uint64_t address;
  size_t size;
  uint8_t *bytes;
} Buffer;

struct NornMemory {
  GArray *buffers; /* Buffer, in order of creation */
  GArray *order;   /* guint, indices of the buffers, ordered by address */
  uint8_t *data;   /* constant data */
  uint64_t data_address;
  size_t data_size;
  uint8_t zeros[NORN_MEMORY_ZEROS];
};

static const Buffer *
buffer_at(const NornMemory *memory, size_t index) {
  return &g_array_index(memory->buffers, Buffer, index);
}

static const Buffer *
ordered_at(const NornMemory *memory, size_t position) {
  return buffer_at(memory, g_array_index(memory->order, guint, position));
}

void *
norn_memory_allocate(size_t size, const char *what, GError **error) {
  void *bytes = g_try_malloc0(MAX(size, 1));
  if (!bytes)
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "%s: not enough memory for %zu bytes", what,
                size);
  return bytes;
}

NornMemory *
norn_memory_new(void) {
  NornMemory *memory = g_new0(NornMemory, 1);
  memory->buffers = g_array_new(FALSE, FALSE, sizeof(Buffer));
  memory->order = g_array_new(FALSE, FALSE, sizeof(guint));
  return memory;
}

void
norn_memory_free(NornMemory *memory) {
  if (!memory)
    return;
  for (guint i = 0; i < memory->buffers->len; i++) {
    g_free(g_array_index(memory->buffers, Buffer, i).name);
    g_free(g_array_index(memory->buffers, Buffer, i).bytes);
  }
  g_array_free(memory->buffers, TRUE);
  g_array_free(memory->order, TRUE);
  g_free(memory);
}

/* The number of buffers that start at or below `address`. */
static size_t
count_up_to(const NornMemory *memory, uint64_t address) {
  size_t low = 0, high = memory->order->len;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ordered_at(memory, middle)->address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* An address after all buffers; UINT64_MAX if there is none. */
static uint64_t
choose_address(const NornMemory *memory) {
  if (!memory->order->len)
    return FIRST_ADDRESS;
  const Buffer *last = ordered_at(memory, memory->order->len - 1);
  uint64_t end = last->address + last->size;
  if (end > UINT64_MAX - 2 * GUARD_BYTES)
    return UINT64_MAX;
  return (end + 2 * GUARD_BYTES - 1) & ~(GUARD_BYTES - 1);
}

/* The buffer that [address, address + size) would overlap at `position` of the order, or NULL.
 * An empty buffer occupies one byte, so that every buffer has its own address. */
static const Buffer *
find_overlap(const NornMemory *memory, size_t position, uint64_t address, uint64_t size) {
  uint64_t room = MAX(size, 1);
  if (position > 0) {
    const Buffer *below = ordered_at(memory, position - 1);
    if (address - below->address < MAX(below->size, 1))
      return below;
  }
  if (position < memory->order->len) {
    const Buffer *above = ordered_at(memory, position);
    if (above->address - address < room)
      return above;
  }
  return NULL;
}

bool
norn_memory_add(NornMemory *memory, const char *name, uint64_t address, const void *bytes,
                size_t size, GError **error) {
  if (norn_memory_find(memory, name) != SIZE_MAX) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "there are two buffers named '%s'", name);
    return false;
  }
  if (!address)
    address = choose_address(memory);
  if (size >= UINT64_MAX - address) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "buffer '%s' of %zu bytes at 0x%" G_GINT64_MODIFIER
                "x extends past the end of the address space",
                name, size, address);
    return false;
  }
  size_t position = count_up_to(memory, address);
  const Buffer *overlap = find_overlap(memory, position, address, size);
  if (overlap) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "buffers '%s' and '%s' overlap",
                overlap->name, name);
    return false;
  }
  g_autofree char *what = g_strdup_printf("buffer '%s'", name);
  Buffer buffer = {NULL, address, size, norn_memory_allocate(size, what, error)};
  if (!buffer.bytes)
    return false;
  buffer.name = g_strdup(name);
  if (bytes && size)
    memcpy(buffer.bytes, bytes, size);
  guint index = memory->buffers->len;
  g_array_append_val(memory->buffers, buffer);
  g_array_insert_val(memory->order, (guint)position, index);
  return true;
}

size_t
norn_memory_count(const NornMemory *memory) {
  return memory->buffers->len;
}

size_t
norn_memory_find(const NornMemory *memory, const char *name) {
  for (guint i = 0; i < memory->buffers->len; i++)
    if (strcmp(buffer_at(memory, i)->name, name) == 0)
      return i;
  return SIZE_MAX;
}

const char *
norn_memory_name(const NornMemory *memory, size_t buffer) {
  return buffer_at(memory, buffer)->name;
}

uint64_t
norn_memory_address(const NornMemory *memory, size_t buffer) {
  return buffer_at(memory, buffer)->address;
}

uint8_t *
norn_memory_bytes(NornMemory *memory, size_t buffer, size_t *size) {
  if (size)
    *size = buffer_at(memory, buffer)->size;
  return buffer_at(memory, buffer)->bytes;
}

uint8_t *
norn_memory_access(NornMemory *memory, uint64_t address, size_t size) {
  size_t position = memory ? count_up_to(memory, address) : 0;
  if (!position)
    return NULL;
  const Buffer *buffer = ordered_at(memory, position - 1);
  uint64_t offset = address - buffer->address;
  if (offset > buffer->size || size > buffer->size - offset)
    return NULL;
  return buffer->bytes + offset;
}

uint8_t *
norn_memory_read(NornMemory *memory, uint64_t address, size_t size) {
  if (!memory)
    return NULL;
  uint64_t offset = address - memory->data_address;
  if (offset < memory->data_size && size <= memory->data_size - offset)
    return memory->data + offset;
  return norn_memory_access(memory, address, size);
}

bool
norn_memory_map_data(NornMemory *memory, uint64_t address, const uint8_t *data, size_t size,
                     GError **error) {
  const Buffer *overlap = find_overlap(memory, count_up_to(memory, address), address, size);
  if (overlap) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "buffer '%s' overlaps the constant data of the program", overlap->name);
    return false;
  }
  memory->data = g_memdup2(data, size);
  memory->data_address = address;
  memory->data_size = size;
  return true;
}

void
norn_memory_unmap_data(NornMemory *memory) {
  if (!memory)
    return;
  g_free(memory->data);
  memory->data = NULL;
  memory->data_size = 0;
}

uint8_t *
norn_memory_zeros(NornMemory *memory, size_t size) {
  memset(memory->zeros, 0, MIN(size, NORN_MEMORY_ZEROS));
  return memory->zeros;
}

void
norn_memory_set_error(const NornMemory *memory, const char *location, const char *verb,
                      uint64_t address, size_t size, GError **error) {
  size_t below = memory ? count_up_to(memory, address) : 0;
  GString *nearest = g_string_new(NULL);
  if (below) {
    const Buffer *buffer = ordered_at(memory, below - 1);
    g_string_printf(nearest, "; the buffer below, '%s', has %zu bytes at 0x%" G_GINT64_MODIFIER "x",
                    buffer->name, buffer->size, buffer->address);
  }
  g_set_error(error, NORN_ERROR, NORN_ERROR_TRAP,
              "%s%s of %zu bytes at 0x%" G_GINT64_MODIFIER "x, outside all buffers%s", location,
              verb, size, address, nearest->str);
  g_string_free(nearest, TRUE);
}
