/* What Valhall programs find in their registers at the start, by stage. */
#include "sim/common/raster.h"
#include "sim/valhall/valhall.h"

/* Output slots come in groups of eight elements: the positions of four vertices, then four for what
 * else they have. */
#define SLOT_GROUP 4

/* r0 to r3 hold a blend shader's first color, r4 to r7 its second. */
#define BLEND_COLOR_REGISTERS 8
#define FIRST_PRELOAD 48

void
norn_valhall_position(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t local,
                      uint32_t position[3]) {
  norn_launch_position(launch, local, position);
  for (unsigned axis = 0; axis < 3; axis++)
    position[axis] += workgroup[axis] * launch->workgroup[axis];
}

uint32_t
norn_valhall_output_slot(uint32_t vertex) {
  return vertex / SLOT_GROUP * 2 * SLOT_GROUP + vertex % SLOT_GROUP;
}

uint32_t
norn_valhall_output_vertex(uint32_t element, bool *is_extra) {
  *is_extra = element / SLOT_GROUP % 2;
  return element / (2 * SLOT_GROUP) * SLOT_GROUP + element % SLOT_GROUP;
}

bool
norn_valhall_starts_as_helper(const NornLaunch *launch, const uint32_t workgroup[3],
                              uint32_t local) {
  uint32_t position[3], size[2];
  if (launch->stage != NORN_STAGE_FRAGMENT)
    return false;
  norn_valhall_position(launch, workgroup, local, position);
  norn_raster_size(launch, size);
  return position[0] >= size[0] || position[1] >= size[1];
}

void
norn_valhall_sample_positions(const NornLaunch *launch, uint8_t bytes[NORN_VALHALL_SAMPLE_BYTES]) {
  for (unsigned i = 0; i < NORN_VALHALL_SAMPLE_BYTES / 4; i++) {
    NornRasterPlace place = norn_raster_sample_position(norn_raster_samples(launch), i);
    unsigned x = (unsigned)(place.x * 256), y = (unsigned)(place.y * 256);
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

unsigned
norn_valhall_first_preload(const NornLaunch *launch) {
  return is_blend_shader(launch) ? 0 : FIRST_PRELOAD;
}

static NornValhallSimPreload
defined(uint32_t value) {
  return (NornValhallSimPreload){value, 0xF};
}

static NornValhallSimPreload
undefined(void) {
  return (NornValhallSimPreload){0, 0};
}

static NornValhallSimPreload
preload_compute(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t index,
                unsigned reg) {
  uint32_t local[3], position[3];
  norn_launch_position(launch, index, local);
  norn_valhall_position(launch, workgroup, index, position);
  switch (reg) {
  case 55:
    return defined(local[0] | local[1] << 16);
  case 56:
    return (NornValhallSimPreload){local[2], 0x3};
  case 57:
  case 58:
  case 59:
    return defined(workgroup[reg - 57]);
  case 60:
  case 61:
  case 62:
    return defined(position[reg - 60]);
  default:
    return undefined();
  }
}

/* The grid's x counts vertices, its y instances. */
static NornValhallSimPreload
preload_vertex(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t index,
               unsigned reg) {
  const NornVertexState *state = launch->vertex;
  uint32_t position[3], vertices = launch->grid[0] * launch->workgroup[0];
  norn_valhall_position(launch, workgroup, index, position);
  switch (reg) {
  case 59:
    return defined(norn_valhall_output_slot(position[1] * vertices + position[0]));
  case 60:
    return defined(position[0] + (state ? state->first_vertex : 0));
  case 61:
    return defined(position[1]);
  case 62:
    return defined(state ? state->draw_id : 0);
  case 63:
    return defined(state ? state->view_index : 0);
  default:
    return undefined();
  }
}

/* The samples that the invocation covers. */
static uint32_t
coverage(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t index, uint32_t sample) {
  if (norn_valhall_starts_as_helper(launch, workgroup, index))
    return 0;
  if (norn_raster_runs_by_sample(launch))
    return 1u << MIN(sample, 15u);
  return (1u << norn_raster_samples(launch)) - 1;
}

/* The grid's x and y count pixels, its z samples. */
static NornValhallSimPreload
preload_fragment(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t index,
                 unsigned reg) {
  const NornFragmentState *state = launch->fragment;
  uint32_t position[3];
  norn_valhall_position(launch, workgroup, index, position);
  uint32_t sample = norn_raster_runs_by_sample(launch) ? position[2] : 0;
  if (is_blend_shader(launch) && reg < BLEND_COLOR_REGISTERS)
    return defined(state->blend_source[reg / 4][reg % 4]);
  switch (reg) {
  case 48: /* where a blend shader returns to: it ends */
    return is_blend_shader(launch) ? defined(0) : undefined();
  case 57:
    return defined(state ? state->primitive_id : 0);
  case 58:
    return defined(state && state->back_facing);
  case 59:
    return defined((position[0] & 0xFFFF) | position[1] << 16);
  case 60:
    return defined(coverage(launch, workgroup, index, sample));
  case 61:
    return defined(coverage(launch, workgroup, index, sample) | sample << 16);
  case 62:
    return (NornValhallSimPreload){state ? state->view_index : 0, 0x1};
  default:
    return undefined();
  }
}

NornValhallSimPreload
norn_valhall_preloaded(const NornLaunch *launch, const uint32_t workgroup[3], uint32_t local,
                       unsigned reg) {
  switch (launch->stage) {
  case NORN_STAGE_COMPUTE:
    return preload_compute(launch, workgroup, local, reg);
  case NORN_STAGE_VERTEX:
    return preload_vertex(launch, workgroup, local, reg);
  default:
    return preload_fragment(launch, workgroup, local, reg);
  }
}
