/* The checks of a launch, positions in its grid, its resources. */
#include "sim/common/launch.h"
#include "sim/common/image.h"
#include "sim/common/memory.h"
#include <string.h>

#define DEFAULT_STEP_LIMIT (UINT64_C(1) << 32)

/* Whether every texel of the image, nullable, is in its buffer. */
static bool
check_image(const NornLaunch *launch, const NornImage *image, GError **error) {
  return !image || norn_image_check(image, launch->memory, error);
}

static bool
check_images(const NornLaunch *launch, GError **error) {
  const NornFragmentState *fragment = launch->fragment;
  for (size_t i = 0; i < launch->resource_count; i++)
    if (!check_image(launch, launch->resources[i].image, error))
      return false;
  for (unsigned i = 0; fragment && i < NORN_COLOR_TARGETS; i++)
    if (!check_image(launch, fragment->targets[i], error))
      return false;
  return !fragment || (check_image(launch, fragment->depth_target, error) &&
                       check_image(launch, fragment->stencil_target, error));
}

static bool
check_local_memory(const NornLaunch *launch, GError **error) {
  uint32_t invocations = norn_launch_invocations(launch);
  if (launch->shared_bytes <= NORN_LOCAL_MEMORY_LIMIT &&
      launch->scratch_bytes <= NORN_LOCAL_MEMORY_LIMIT / invocations)
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
              "%zu bytes of workgroup memory, %zu of thread-local memory, expected at most %u in a "
              "workgroup",
              launch->shared_bytes, launch->scratch_bytes, NORN_LOCAL_MEMORY_LIMIT);
  return false;
}

bool
norn_launch_check_grid(const NornLaunch *launch, uint32_t limit, GError **error) {
  for (unsigned axis = 0; axis < 3; axis++)
    if (limit && launch->grid[axis] > limit) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                  "grid of %u, %u, %u workgroups, but the program allows at most %u along an axis",
                  launch->grid[0], launch->grid[1], launch->grid[2], limit);
      return false;
    }
  return true;
}

bool
norn_launch_check_stage(const NornLaunch *launch, NornShaderStage stage, GError **error) {
  if (launch->stage == stage)
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "launch of a %s program, but it is a %s program", norn_stage_name(launch->stage),
              norn_stage_name(stage));
  return false;
}

/* Whether the launch is one of the program that the report is about. */
static bool
check_info(const NornLaunch *launch, const NornCompileInfo *info, GError **error) {
  if (!info)
    return true;
  if (!norn_launch_check_stage(launch, info->stage, error))
    return false;
  const unsigned *size = info->workgroup_size;
  if (launch->stage == NORN_STAGE_COMPUTE && size[0] &&
      memcmp(launch->workgroup, size, sizeof launch->workgroup) != 0) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "workgroup size %u, %u, %u, but the program was compiled for %u, %u, %u",
                launch->workgroup[0], launch->workgroup[1], launch->workgroup[2], size[0], size[1],
                size[2]);
    return false;
  }
  return norn_launch_check_grid(launch, info->grid_limit, error);
}

/* Whether the workgroups have a possible size, and can be counted. */
static bool
check_size(const NornLaunch *launch, GError **error) {
  uint64_t invocations = 1, groups = launch->grid[0] && launch->grid[1] && launch->grid[2];
  for (unsigned axis = 0; axis < 3; axis++) {
    uint32_t size = launch->workgroup[axis];
    if (!size || size > NORN_WORKGROUP_LIMIT || (invocations *= size) > NORN_WORKGROUP_LIMIT) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                  "workgroup size %u, %u, %u, expected 1 to %d invocations", launch->workgroup[0],
                  launch->workgroup[1], launch->workgroup[2], NORN_WORKGROUP_LIMIT);
      return false;
    }
    if (launch->grid[axis] && groups > UINT32_MAX / launch->grid[axis]) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                  "grid of %u, %u, %u workgroups, expected fewer than 2^32", launch->grid[0],
                  launch->grid[1], launch->grid[2]);
      return false;
    }
    groups *= launch->grid[axis];
  }
  return true;
}

static bool
check_fragments(const NornLaunch *launch, GError **error) {
  const NornFragmentState *state = launch->fragment;
  if (state && state->samples > NORN_SAMPLE_LIMIT) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "%u samples per pixel, expected at most %d",
                state->samples, NORN_SAMPLE_LIMIT);
    return false;
  }
  if (state && (state->coverage || state->written) && (!state->width || !state->height)) {
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_INVALID,
                        "the coverage of pixels requires the width and height of the rectangle");
    return false;
  }
  if (launch->stage == NORN_STAGE_FRAGMENT && (launch->workgroup[0] | launch->workgroup[1]) & 1) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "workgroup size %u, %u, expected even numbers for quads of 2 by 2",
                launch->workgroup[0], launch->workgroup[1]);
    return false;
  }
  return true;
}

bool
norn_launch_check(const NornLaunch *launch, GError **error) {
  if (launch->stage >= NORN_STAGE_COUNT) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "shader stage %u does not exist",
                (unsigned)launch->stage);
    return false;
  }
  return check_size(launch, error) && check_fragments(launch, error) &&
         check_info(launch, launch->info, error) && check_local_memory(launch, error) &&
         check_images(launch, error);
}

uint32_t
norn_launch_invocations(const NornLaunch *launch) {
  return launch->workgroup[0] * launch->workgroup[1] * launch->workgroup[2];
}

void
norn_launch_position(const NornLaunch *launch, uint32_t index, uint32_t position[3]) {
  uint32_t width = launch->workgroup[0], height = launch->workgroup[1];
  if (launch->stage != NORN_STAGE_FRAGMENT) {
    position[0] = index % width;
    position[1] = index / width % height;
    position[2] = index / width / height;
    return;
  }
  uint32_t quad = index / 4;
  position[0] = quad % (width / 2) * 2 + (index & 1);
  position[1] = quad / (width / 2) % (height / 2) * 2 + (index >> 1 & 1);
  position[2] = index / width / height;
}

void
norn_launch_grid_position(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t index,
                          uint32_t position[3]) {
  norn_launch_position(launch, index, position);
  for (unsigned axis = 0; axis < 3; axis++)
    position[axis] += workgroup[axis] * launch->workgroup[axis];
}

uint64_t
norn_launch_step_limit(const NornLaunch *launch) {
  return launch->step_limit ? launch->step_limit : DEFAULT_STEP_LIMIT;
}

size_t
norn_launch_uniform_count(const NornLaunch *launch) {
  size_t given = launch->uniform_count;
  return launch->info ? MIN(given, launch->info->fau_words) : given;
}

size_t
norn_launch_shared_bytes(const NornLaunch *launch) {
  size_t given = launch->shared_bytes;
  return launch->info ? MIN(given, launch->info->workgroup_local_size) : given;
}

size_t
norn_launch_scratch_bytes(const NornLaunch *launch) {
  size_t given = launch->scratch_bytes;
  return launch->info ? MIN(given, launch->info->thread_local_size) : given;
}

bool
norn_launch_preloads(const NornLaunch *launch, unsigned reg) {
  return !launch->info || launch->info->preloaded >> reg & 1;
}

NornFtzMode
norn_launch_ftz(const NornLaunch *launch, NornDenormals denormals) {
  return denormals == NORN_DENORMALS_FLUSH ? NORN_FTZ_ALL : launch->ftz;
}

const NornResource *
norn_launch_find_resource(const NornLaunch *launch, uint32_t handle) {
  for (size_t i = 0; i < launch->resource_count; i++)
    if (launch->resources[i].handle == handle)
      return &launch->resources[i];
  return NULL;
}

uint8_t *
norn_launch_find_buffer(const NornLaunch *launch, uint32_t handle, size_t *size) {
  const NornResource *resource = norn_launch_find_resource(launch, handle);
  *size = 0;
  if (!resource || resource->image || resource->sampler || !launch->memory ||
      resource->buffer >= norn_memory_count(launch->memory))
    return NULL;
  return norn_memory_bytes(launch->memory, resource->buffer, size);
}

/* The word of a buffer, 0 outside. */
static uint32_t
load_word(const NornLaunch *launch, uint32_t handle, uint32_t offset) {
  size_t size;
  uint32_t word = 0;
  const uint8_t *bytes = norn_launch_find_buffer(launch, handle, &size);
  if (bytes && size >= sizeof word && offset <= size - sizeof word)
    memcpy(&word, bytes + offset, sizeof word);
  return GUINT32_FROM_LE(word);
}

void
norn_launch_fill_uniforms(const NornLaunch *launch, const NornCompileInfo *info,
                          uint32_t uniforms[NORN_FAU_WORDS]) {
  for (unsigned k = 0; k < info->promoted_count; k++)
    uniforms[info->promoted_first + k] = info->constants[k];
  for (unsigned k = 0; k < info->load_count; k++)
    if (info->loads[k].is_used)
      uniforms[info->load_first + k] =
          load_word(launch, info->loads[k].handle, info->loads[k].offset);
  for (unsigned k = 0; info->load_first + k < NORN_FAU_WORDS; k++)
    if (info->loads[k].copied)
      uniforms[info->load_first + k] = uniforms[info->loads[k].copied - 1];
}

bool
norn_launch_map_data(NornLaunch *launch, NornMemory **own, uint64_t address, const uint8_t *data,
                     size_t size, GError **error) {
  if (!size)
    return true;
  if (!launch->memory)
    launch->memory = *own = norn_memory_new();
  return norn_memory_map_data(launch->memory, address, data, size, error);
}
