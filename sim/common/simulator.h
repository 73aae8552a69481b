/* What the simulators and the IR interpreter share inside the library: checked access to memory. */
#ifndef NORN_SIM_COMMON_SIMULATOR_H
#define NORN_SIM_COMMON_SIMULATOR_H

#include <norn/simulate.h>

/* Invocations that a workgroup may have. */
#define NORN_WORKGROUP_LIMIT 1024
/* Samples that a pixel may have. */
#define NORN_SAMPLE_LIMIT 16

/* The bytes [address, address + size) if they lie in one buffer, else NULL. `memory` is nullable.
 */
uint8_t *norn_memory_access(NornMemory *memory, uint64_t address, size_t size);

/* Sets NORN_ERROR_TRAP for an access that norn_memory_access refused; `place` (the start of the
 * message) and `verb` ("load", "store") say what was tried. */
void norn_memory_set_error(const NornMemory *memory, const char *place, const char *verb,
                           uint64_t address, size_t size, GError **error);

/* Whether `launch` can be run: workgroup size within the limit and not 0, grid countable, samples
 * within the limit. */
bool norn_launch_check(const NornLaunch *launch, GError **error);

/* Where invocation `index` of a workgroup stands in it: x counts fastest; in a fragment program
 * four invocations are a quad (x, then y), and the quads' x counts fastest. */
void norn_launch_position(const NornLaunch *launch, uint32_t index, uint32_t position[3]);

/* `launch`'s step limit with the default applied. */
uint64_t norn_launch_step_limit(const NornLaunch *launch);

#endif
