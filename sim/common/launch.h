/* What all engines ask about a launch: whether it can be run, where its invocations stand, which
 * resources it has. */
#ifndef NORN_SIM_COMMON_LAUNCH_H
#define NORN_SIM_COMMON_LAUNCH_H

#include "ir/budget.h"
#include "ir/ir.h"
#include <norn/simulate.h>

/* Samples that a pixel may have. */
#define NORN_SAMPLE_LIMIT 16
/* Bytes of workgroup memory, and of thread-local memory of all its invocations, that a workgroup
 * may have. */
#define NORN_LOCAL_MEMORY_LIMIT (1u << 30)

/* Instructions between two looks at a request to stop. */
#define NORN_CANCEL_STEPS 64

/* Whether `launch` can be run: workgroup size within the limit and not 0, grid countable, samples
 * and local memory within the limit, every image in its buffer. */
bool norn_launch_check(const NornLaunch *launch, GError **error);

/* Whether there are no more workgroups along an axis than that; 0: any number. */
bool norn_launch_check_grid(const NornLaunch *launch, uint32_t limit, GError **error);

/* The invocations of a workgroup. */
uint32_t norn_launch_invocations(const NornLaunch *launch);

/* Where invocation `index` of a workgroup stands in it: x counts fastest; in a fragment program
 * four invocations are a quad (x, then y), and the quads' x counts fastest. */
void norn_launch_position(const NornLaunch *launch, uint32_t index, uint32_t position[3]);

/* Where invocation `index` of workgroup `workgroup` stands in the grid. */
void norn_launch_grid_position(const NornLaunch *launch, const uint32_t workgroup[3],
                               uint32_t index, uint32_t position[3]);

/* `launch`'s step limit with the default applied. */
uint64_t norn_launch_step_limit(const NornLaunch *launch);

/* What of the launch a program gets: as much as its NornLaunch.info asks for, all without. */
size_t norn_launch_uniform_count(const NornLaunch *launch);
size_t norn_launch_shared_bytes(const NornLaunch *launch);
size_t norn_launch_scratch_bytes(const NornLaunch *launch);
bool norn_launch_preloads(const NornLaunch *launch, unsigned reg);

/* How a program made for `denormals` treats subnormals: it flushes them, or does what the launch
 * says. */
NornDenormalMode norn_launch_denormals(const NornLaunch *launch, NornDenormals denormals);

/* The resource with a handle, or NULL. */
const NornResource *norn_launch_find_resource(const NornLaunch *launch, uint32_t handle);

/* The bytes of the buffer with a handle; NULL, and *size 0, if there is no such buffer. */
uint8_t *norn_launch_find_buffer(const NornLaunch *launch, uint32_t handle, size_t *size);

/* Lets the program read constant data at an address (norn_memory_map_data). A launch without memory
 * gets one for it, *own, which the caller frees; else that stays NULL. */
bool norn_launch_map_data(NornLaunch *launch, NornMemory **own, uint64_t address,
                          const uint8_t *data, size_t size, GError **error);

#endif
