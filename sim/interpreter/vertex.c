/* Attributes and outputs of vertices. */
#include "sim/interpreter/vertex.h"
#include "ir/ops.h"
#include "sim/common/raster.h"
#include "sim/interpreter/components.h"
#include "sim/interpreter/decode.h"

/* Combines the components of a value that occupies one slot, even if it has 64 bits. */
static uint64_t
whole_components(unsigned bits, unsigned count, const uint32_t *components) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; i++)
    value |= (uint64_t)components[i] << i * bits;
  return value;
}

bool
norn_step_load_attribute(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                         GError **error) {
  const NornInst *inst = norn_step_inst(step);
  unsigned bits = norn_component_bits((NornFormat)inst->modifier),
           count = MIN(norn_type_bits(inst->type) / bits, 4u);
  unsigned index = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_INDEX);
  uint32_t slot = norn_step_define_words(run, warp, step, active);
  if (!norn_step_check_defined(run, warp, step, 0, active, "the vertex", error) ||
      !norn_step_check_defined(run, warp, step, 1, active, "the instance", error))
    return false;
  norn_for_each_lane(active, lane) {
    NornTexel texel =
        norn_attribute_read(run->launch, index, (uint32_t)norn_step_lanes(run, warp, step, 0)[lane],
                            (uint32_t)norn_step_lanes(run, warp, step, 1)[lane]);
    NornChannelKind kind = run->launch->vertex && index < run->launch->vertex->attribute_count
                               ? run->launch->vertex->attributes[index].format.kind
                               : NORN_CHANNEL_UINT;
    uint32_t components[4];
    for (unsigned i = 0; i < count; i++)
      components[i] = norn_component_narrow(bits, kind, texel.channel[i]);
    if (norn_types[inst->type].class == NORN_CLASS_GROUP)
      norn_warp_put_components(warp, slot, lane, bits, count, components);
    else
      norn_warp_slot(warp, slot)[lane] = whole_components(bits, count, components);
  }
  return true;
}

/* The address of this vertex's output bytes; NULL with *dropped if the output is not bound to a
 * buffer. */
static uint8_t *
vertex_output(const NornRun *run, const NornWarp *warp, const NornStep *step, unsigned lane,
              size_t buffer, uint64_t stride, uint64_t offset, size_t size, bool *dropped,
              GError **error) {
  const NornLaunch *launch = run->launch;
  *dropped = buffer == SIZE_MAX;
  if (*dropped)
    return NULL;
  uint32_t position[3];
  norn_run_position(run, warp->first + lane, position);
  uint64_t vertices = (uint64_t)launch->grid[0] * run->launch->workgroup[0];
  uint64_t start = (position[1] * vertices + position[0]) * stride + offset;
  size_t available = 0;
  uint8_t *bytes = NULL;
  if (launch->memory && buffer < norn_memory_count(launch->memory))
    bytes = norn_memory_bytes(launch->memory, buffer, &available);
  if (offset + size <= stride && start <= available && size <= available - start)
    return bytes + start;
  norn_trap(run, warp, step, lane, error,
            "%zu bytes at byte %" G_GUINT64_FORMAT " of a vertex's %" G_GUINT64_FORMAT
            " do not fit into the output buffer",
            size, offset, stride);
  return NULL;
}

/* The buffer that an operation writes, the bytes for each vertex, and the offset within them. */
typedef struct Output {
  size_t buffer;
  uint64_t stride, offset;
} Output;

static Output
output_of(const NornVertexState *state, const NornInst *inst) {
  switch (inst->op) {
  case NORN_OP_STORE_POSITION:
    return (Output){state->position_buffer, 16, 0};
  case NORN_OP_STORE_POINT_SIZE:
    return (Output){state->extra_buffer, 4, 0};
  case NORN_OP_STORE_LAYER:
    return (Output){state->extra_buffer, 4, 2};
  case NORN_OP_STORE_VIEWPORT:
    return (Output){state->extra_buffer, 4, 3};
  default:
    return (Output){state->varying_buffer, state->varying_stride,
                    (uint64_t)norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET)};
  }
}

bool
norn_step_vertex_output(NornRun *run, NornWarp *warp, const NornStep *step, unsigned active,
                        GError **error) {
  const NornInst *inst = norn_step_inst(step);
  if (!run->launch->vertex)
    return true;
  Output output = output_of(run->launch->vertex, inst);
  unsigned count = step->words, size = step->word_bytes;
  NornFloatEnvironment floats = norn_launch_float_environment(run->program->module, run->launch);
  const NornFloatMode mode = {NORN_ROUND_NEAREST_EVEN, floats.flush[NORN_FLOAT_32],
                              floats.flush[NORN_FLOAT_16]};
  if (inst->op == NORN_OP_STORE_POINT_SIZE)
    size = 2;
  else if (inst->op == NORN_OP_STORE_LAYER || inst->op == NORN_OP_STORE_VIEWPORT)
    size = 1;
  norn_for_each_lane(active, lane) {
    bool dropped;
    uint8_t *bytes = vertex_output(run, warp, step, lane, output.buffer, output.stride,
                                   output.offset, (size_t)count * size, &dropped, error);
    if (!bytes && !dropped)
      return false;
    for (unsigned i = 0; bytes && i < count; i++) {
      uint64_t value = norn_warp_slot(warp, norn_step_operand(run, step, 0) + i)[lane];
      if (inst->op == NORN_OP_STORE_POINT_SIZE)
        value = norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, mode, value);
      norn_bytes_write(bytes + i * size, size, value);
    }
  }
  return true;
}
