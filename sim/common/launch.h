/* What all engines need to know about a launch: whether it can be run, the positions of its
 * invocations, its resources. */
#ifndef NORN_SIM_COMMON_LAUNCH_H
#define NORN_SIM_COMMON_LAUNCH_H

#include "ir/budget.h"
#include "ir/ir.h"
#include <norn/simulate.h>

/* The greatest number of samples of a pixel. */
#define NORN_SAMPLE_LIMIT 16
/* The most bytes of workgroup memory in a workgroup, and of thread-local memory of all its
 * invocations together. */
#define NORN_LOCAL_MEMORY_LIMIT (1u << 30)

/* Number of instructions between two checks for a request to stop. */
#define NORN_CANCEL_STEPS 64

/* Whether `launch` can be run: workgroup size within the limit and not 0, grid countable,
 * samples and local memory within the limit, every image in its buffer, all as `info` says. */
bool norn_launch_check(const NornLaunch *launch, GError **error);

/* Whether the launch is of a program of that stage. */
bool norn_launch_check_stage(const NornLaunch *launch, NornShaderStage stage, GError **error);

/* Whether there are at most `limit` workgroups along each axis; a limit of 0 allows any number. */
bool norn_launch_check_grid(const NornLaunch *launch, uint32_t limit, GError **error);

/* The number of invocations in a workgroup. */
uint32_t norn_launch_invocations(const NornLaunch *launch);

/* The position of invocation `index` within a workgroup: x varies fastest. In a fragment program
 * four consecutive invocations are a quad (x, then y), and the x of the quads varies fastest. */
void norn_launch_position(const NornLaunch *launch, uint32_t index, uint32_t position[3]);

/* The position in the grid of invocation `index` of workgroup `workgroup`. */
void norn_launch_grid_position(const NornLaunch *launch, const uint32_t workgroup[3],
                               uint32_t index, uint32_t position[3]);

/* `launch`'s step limit with the default applied. */
uint64_t norn_launch_step_limit(const NornLaunch *launch);

/* What the program receives from the launch: as much as its NornLaunch.info requests, or
 * everything if there is no info. */
size_t norn_launch_uniform_count(const NornLaunch *launch);
size_t norn_launch_shared_bytes(const NornLaunch *launch);
size_t norn_launch_scratch_bytes(const NornLaunch *launch);
bool norn_launch_preloads(const NornLaunch *launch, unsigned reg);

/* How a program compiled for `denormals` handles subnormals: it flushes them, or does what the
 * launch says. */
NornFtzMode norn_launch_ftz(const NornLaunch *launch, NornDenormals denormals);

/* The resource with a handle, or NULL. */
const NornResource *norn_launch_find_resource(const NornLaunch *launch, uint32_t handle);

/* The bytes of the buffer with a handle; NULL, and *size 0, if there is no such buffer. */
uint8_t *norn_launch_find_buffer(const NornLaunch *launch, uint32_t handle, size_t *size);

/* Lets the program read constant data at an address (norn_memory_map_data). If the launch has no
 * memory, creates one, *own, which the caller frees; otherwise *own stays NULL. */
bool norn_launch_map_data(NornLaunch *launch, NornMemory **own, uint64_t address,
                          const uint8_t *data, size_t size, GError **error);

#endif
