/* Checked access to the buffers of a launch. */
#ifndef NORN_SIM_COMMON_MEMORY_H
#define NORN_SIM_COMMON_MEMORY_H

#include "ir/numeric.h"
#include <norn/simulate.h>

/* Allocates `size` zero bytes for `what`, which is named in messages; not NULL for 0 bytes. Free
 * it with g_free. NULL with NORN_ERROR_LIMIT if there is not enough memory: the demands of a
 * launch or an input must not end the process. */
void *norn_memory_allocate(size_t size, const char *what, GError **error);

/* The bytes [address, address + size) if they lie in one buffer, else NULL. `memory` is nullable.
 */
uint8_t *norn_memory_access(NornMemory *memory, uint64_t address, size_t size);

/* The same, for reading only: finds constant data, too. */
uint8_t *norn_memory_read(NornMemory *memory, uint64_t address, size_t size);

/* The address of a module's constant data in the interpreter, and of the first instruction of
 * Valhall code. */
#define NORN_DATA_ADDRESS UINT64_C(0x00007D0000000000)

/* Lets programs read a copy of constant data until norn_memory_unmap_data. The address must not
 * overlap a buffer. */
bool norn_memory_map_data(NornMemory *memory, uint64_t address, const uint8_t *data, size_t size,
                          GError **error);
void norn_memory_unmap_data(NornMemory *memory); /* nullable */

/* Returns that many zeros, at most NORN_MEMORY_ZEROS, for reads, or for writes that have no
 * effect: each call clears them. */
#define NORN_MEMORY_ZEROS 256
uint8_t *norn_memory_zeros(NornMemory *memory, size_t size);

/* Sets NORN_ERROR_TRAP for an access that norn_memory_access refused; `location` (the start of
 * the message) and `verb` ("load", "store") describe the access. */
void norn_memory_set_error(const NornMemory *memory, const char *location, const char *verb,
                           uint64_t address, size_t size, GError **error);

#endif
