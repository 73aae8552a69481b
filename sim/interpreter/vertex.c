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
norn_step_load_attribute(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornRun *run = warp->run;
  const NornInst *inst = norn_step_inst(step);
  unsigned bits = norn_component_bits((NornFormat)inst->modifier),
           count = norn_type_bits(inst->type) / bits;
  unsigned index = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_INDEX);
  uint32_t slot = norn_step_define_words(warp, step, active);
  if (!norn_step_check_defined(warp, step, 0, active, "the vertex", error) ||
      !norn_step_check_defined(warp, step, 1, active, "the instance", error))
    return false;
  norn_for_each_lane(active, lane) {
    NornTexel texel =
        norn_attribute_read(run->launch, index, (uint32_t)norn_step_lanes(warp, step, 0)[lane],
                            (uint32_t)norn_step_lanes(warp, step, 1)[lane]);
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

/* The buffer that an operation writes, the bytes for each vertex, the offset within them, and how
 * many bytes of each word are written there. */
typedef struct Output {
  size_t buffer;
  uint64_t stride, offset;
  unsigned word_bytes;
} Output;

static Output
output_of(const NornVertexState *state, const NornStep *step) {
  const NornInst *inst = norn_step_inst(step);
  switch (inst->op) {
  case NORN_OP_STORE_POSITION:
    return (Output){state->position_buffer, 16, 0, step->word_bytes};
  case NORN_OP_STORE_POINT_SIZE:
    return (Output){state->extra_buffer, 4, 0, 2};
  case NORN_OP_STORE_LAYER:
    return (Output){state->extra_buffer, 4, 2, 1};
  case NORN_OP_STORE_VIEWPORT:
    return (Output){state->extra_buffer, 4, 3, 1};
  default:
    return (Output){state->varying_buffer, state->varying_stride,
                    (uint64_t)norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET),
                    step->word_bytes};
  }
}

/* The address of the bytes for this lane's vertex; NULL with an error if they are not in the
 * buffer. */
static uint8_t *
find_output(const NornWarp *warp, const NornStep *step, unsigned lane, const Output *output,
            GError **error) {
  const NornLaunch *launch = warp->run->launch;
  size_t size = (size_t)step->words * output->word_bytes;
  uint32_t position[3];
  norn_run_position(warp->run, warp->first + lane, position);
  uint64_t vertices = (uint64_t)launch->grid[0] * launch->workgroup[0];
  uint64_t start = (position[1] * vertices + position[0]) * output->stride + output->offset;
  size_t available = 0;
  uint8_t *bytes = NULL;
  if (launch->memory && output->buffer < norn_memory_count(launch->memory))
    bytes = norn_memory_bytes(launch->memory, output->buffer, &available);
  if (output->offset + size <= output->stride && start <= available && size <= available - start)
    return bytes + start;
  norn_trap(warp, step, lane, error,
            "%zu bytes at byte %" G_GUINT64_FORMAT " of a vertex's %" G_GUINT64_FORMAT
            " do not fit into the output buffer",
            size, output->offset, output->stride);
  return NULL;
}

bool
norn_step_vertex_output(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornRun *run = warp->run;
  const NornInst *inst = norn_step_inst(step);
  if (!run->launch->vertex)
    return true;
  const Output output = output_of(run->launch->vertex, step);
  if (output.buffer == SIZE_MAX)
    return true;
  NornFloatEnvironment floats = norn_launch_float_environment(run->program->module, run->launch);
  const NornFloatMode mode = {NORN_ROUND_NEAREST_EVEN, floats.flush[NORN_FLOAT_32],
                              floats.flush[NORN_FLOAT_16]};
  norn_for_each_lane(active, lane) {
    uint8_t *bytes = find_output(warp, step, lane, &output, error);
    if (!bytes)
      return false;
    for (unsigned i = 0; i < step->words; i++) {
      uint64_t value = norn_warp_slot(warp, norn_step_operand(warp, step, 0) + i)[lane];
      if (inst->op == NORN_OP_STORE_POINT_SIZE)
        value = norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, mode, value);
      norn_bytes_write(bytes + i * output.word_bytes, output.word_bytes, value);
    }
  }
  return true;
}
