/* The initial contents of registers in Valhall programs, by stage. */
#include "sim/valhall/preload.h"
#include "ir/assert.h"
#include "isa/valhall_abi.h"
#include "sim/common/launch.h"
#include "sim/common/raster.h"

/* The output slot (r59) of a vertex, counted over all instances. */
static uint32_t
output_slot(uint32_t vertex) {
  return vertex / NORN_VALHALL_OUTPUT_GROUP * 2 * NORN_VALHALL_OUTPUT_GROUP +
         vertex % NORN_VALHALL_OUTPUT_GROUP;
}

uint32_t
norn_valhall_output_vertex(uint32_t element, bool *is_extra) {
  *is_extra = element / NORN_VALHALL_OUTPUT_GROUP % 2;
  return element / (2 * NORN_VALHALL_OUTPUT_GROUP) * NORN_VALHALL_OUTPUT_GROUP +
         element % NORN_VALHALL_OUTPUT_GROUP;
}

bool
norn_valhall_starts_as_helper(const NornLaunch *launch, const uint32_t workgroup[3],
                              uint32_t local) {
  uint32_t position[3];
  if (launch->stage != NORN_STAGE_FRAGMENT)
    return false;
  norn_launch_grid_position(launch, workgroup, local, position);
  return norn_raster_is_outside(launch, position);
}

void
norn_valhall_sample_positions(const NornLaunch *launch, uint8_t bytes[NORN_VALHALL_SAMPLE_BYTES]) {
  for (unsigned i = 0; i < NORN_VALHALL_SAMPLE_BYTES / 4; i++) {
    NornRasterPosition at = norn_raster_sample_position(norn_raster_samples(launch), i);
    unsigned x = (unsigned)(at.x * 256), y = (unsigned)(at.y * 256);
    bytes[4 * i] = (uint8_t)x;
    bytes[4 * i + 1] = (uint8_t)(x >> 8);
    bytes[4 * i + 2] = (uint8_t)y;
    bytes[4 * i + 3] = (uint8_t)(y >> 8);
  }
}

static bool
is_blend_shader(const NornLaunch *launch) {
  return launch->stage == NORN_STAGE_FRAGMENT && launch->fragment &&
         launch->fragment->is_blend_shader;
}

/* The bytes of each register that are defined at the start, by stage. */
static const uint8_t defined_bytes[NORN_STAGE_COUNT][NORN_VALHALL_REGISTERS] = {
#define ROW(stage, name, reg, bytes, always) [NORN_STAGE_##stage][reg] = bytes,
    NORN_VALHALL_PRELOADS(ROW)
#undef ROW
};

static uint32_t
preload_compute(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t index,
                unsigned reg) {
  uint32_t local[3], position[3];
  norn_launch_position(launch, index, local);
  norn_launch_grid_position(launch, workgroup, index, position);
  switch (reg) {
  case NORN_VALHALL_PRELOAD_LOCAL_ID_XY:
    return local[0] | local[1] << 16;
  case NORN_VALHALL_PRELOAD_LOCAL_ID_Z:
    return local[2];
  case NORN_VALHALL_PRELOAD_WORKGROUP_ID_X:
  case NORN_VALHALL_PRELOAD_WORKGROUP_ID_Y:
  case NORN_VALHALL_PRELOAD_WORKGROUP_ID_Z:
    return workgroup[reg - NORN_VALHALL_PRELOAD_WORKGROUP_ID_X];
  default:
    return position[reg - NORN_VALHALL_PRELOAD_GLOBAL_ID_X];
  }
}

/* The grid's x counts vertices, its y instances. */
static uint32_t
preload_vertex(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t index,
               unsigned reg) {
  const NornVertexState *state = launch->vertex;
  uint32_t position[3], vertices = launch->grid[0] * launch->workgroup[0];
  norn_launch_grid_position(launch, workgroup, index, position);
  switch (reg) {
  case NORN_VALHALL_PRELOAD_OUTPUT_SLOT:
    return output_slot(position[1] * vertices + position[0]);
  case NORN_VALHALL_PRELOAD_VERTEX_ID:
    return position[0] + (state ? state->first_vertex : 0);
  case NORN_VALHALL_PRELOAD_INSTANCE_ID:
    return position[1];
  case NORN_VALHALL_PRELOAD_DRAW_ID:
    return state ? state->draw_id : 0;
  default:
    return state ? state->view_index : 0;
  }
}

/* The grid's x and y count pixels, its z samples. */
static uint32_t
preload_fragment(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t index,
                 unsigned reg) {
  const NornFragmentState *state = launch->fragment;
  uint32_t position[3];
  norn_launch_grid_position(launch, workgroup, index, position);
  uint32_t coverage = norn_raster_coverage(launch, position);
  switch (reg) {
  case NORN_VALHALL_PRELOAD_PRIMITIVE_ID:
    return state ? state->primitive_id : 0;
  case NORN_VALHALL_PRELOAD_PRIMITIVE_FLAGS:
    return state && state->back_facing;
  case NORN_VALHALL_PRELOAD_PIXEL:
    return (position[0] & 0xFFFF) | position[1] << 16;
  case NORN_VALHALL_PRELOAD_COVERAGE:
    return coverage;
  case NORN_VALHALL_PRELOAD_SAMPLE:
    return coverage | norn_raster_sample(launch, position) << NORN_VALHALL_SAMPLE_SHIFT;
  default:
    return state ? state->view_index : 0;
  }
}

/* The registers that are preloaded for a blend program in addition to those of a fragment
 * program; it ends where it would return. */
static bool
preload_blend(const NornFragmentState *state, unsigned reg, uint32_t *value) {
  static const struct {
    uint8_t first, count;
  } groups[] = {
#define ROW(name, first, count) {first, count},
      NORN_VALHALL_BLEND_PRELOADS(ROW)
#undef ROW
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(groups); i++) {
    unsigned word = reg - groups[i].first;
    if (word >= groups[i].count)
      continue;
    *value = i < G_N_ELEMENTS(state->blend_source) ? state->blend_source[i][word] : 0;
    return true;
  }
  return false;
}

bool
norn_valhall_may_preload(const NornLaunch *launch, unsigned reg) {
  NORN_ASSERT(reg < NORN_VALHALL_REGISTERS);
  uint32_t value;
  return defined_bytes[launch->stage][reg] ||
         (is_blend_shader(launch) && preload_blend(launch->fragment, reg, &value));
}

unsigned
norn_valhall_first_preload(const NornLaunch *launch) {
  unsigned first = 0;
  while (!is_blend_shader(launch) && first < NORN_VALHALL_REGISTERS &&
         !defined_bytes[launch->stage][first])
    first++;
  return first;
}

NornValhallSimPreload
norn_valhall_preloaded(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t local,
                       unsigned reg) {
  NORN_ASSERT(reg < NORN_VALHALL_REGISTERS);
  NornValhallSimPreload preload = {0, defined_bytes[launch->stage][reg]};
  if (is_blend_shader(launch) && preload_blend(launch->fragment, reg, &preload.value))
    preload.defined = 0xF;
  else if (!preload.defined)
    return preload;
  else if (launch->stage == NORN_STAGE_COMPUTE)
    preload.value = preload_compute(launch, workgroup, local, reg);
  else if (launch->stage == NORN_STAGE_VERTEX)
    preload.value = preload_vertex(launch, workgroup, local, reg);
  else
    preload.value = preload_fragment(launch, workgroup, local, reg);
  return preload;
}
