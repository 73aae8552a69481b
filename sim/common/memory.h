/* Checked access to the buffers of a launch. */
#ifndef NORN_SIM_COMMON_MEMORY_H
#define NORN_SIM_COMMON_MEMORY_H

#include "ir/numeric.h"
#include <norn/simulate.h>

/* `size` zero bytes for `what`, which messages name; not NULL for 0 of them. To be freed with
 * g_free. NULL with NORN_ERROR_LIMIT if there is not so much memory: what a launch or an input asks
 * for must not end the process. */
void *norn_memory_allocate(size_t size, const char *what, GError **error);

/* The bytes [address, address + size) if they lie in one buffer, else NULL. `memory` is nullable.
 */
uint8_t *norn_memory_access(NornMemory *memory, uint64_t address, size_t size);

/* The same to be read only: constant data, too. */
uint8_t *norn_memory_read(NornMemory *memory, uint64_t address, size_t size);

/* Where the interpreter has the constant data of a module, and Valhall code begins. */
#define NORN_DATA_ADDRESS UINT64_C(0x00007D0000000000)

/* Lets programs read constant data, a copy of it, until norn_memory_unmap_data; not
 * where a buffer is. */
bool norn_memory_map_data(NornMemory *memory, uint64_t address, const uint8_t *data, size_t size,
                          GError **error);
void norn_memory_unmap_data(NornMemory *memory); /* nullable */

/* That many zeros, at most NORN_MEMORY_ZEROS, to be read, or to be written to no effect: each call
 * clears them. */
#define NORN_MEMORY_ZEROS 256
uint8_t *norn_memory_zeros(NornMemory *memory, size_t size);

/* Sets NORN_ERROR_TRAP for an access that norn_memory_access refused; `location` (the start of the
 * message) and `verb` ("load", "store") say what was tried. */
void norn_memory_set_error(const NornMemory *memory, const char *location, const char *verb,
                           uint64_t address, size_t size, GError **error);

#endif
