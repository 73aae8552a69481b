/* Valhall messages of vertex and fragment programs: attributes, vertex outputs, varyings.
 *
 * The launch determines where their data is; it is read and interpolated as for the IR. */
#include "sim/valhall/graphics.h"
#include "sim/common/launch.h"
#include "sim/common/raster.h"
#include "sim/valhall/buffers.h"
#include "sim/valhall/components.h"
#include "sim/valhall/preload.h"
#include <norn/valhall.h>

/* --- Vertices --- */

/* The attribute's number is the entry of its handle; the driver chooses which table holds
 * attributes. */
static bool
load_attribute(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornVertexState *state = warp->run->launch->vertex;
  uint64_t vertex, instance, handle = 0;
  if (!norn_valhall_read_defined(warp, 0, lane, &vertex, error) ||
      !norn_valhall_read_defined(warp, 1, lane, &instance, error))
    return false;
  if (warp->instruction->encoding->instruction == NORN_VALHALL_LD_ATTR_IMM)
    handle = norn_valhall_immediate_handle(warp->instruction);
  else if (!norn_valhall_read_defined(warp, 2, lane, &handle, error))
    return false;
  unsigned index = handle & NORN_VALHALL_ENTRY_BITS;
  NornTexel texel =
      norn_attribute_read(warp->run->launch, index, (uint32_t)vertex, (uint32_t)instance);
  NornChannelKind kind = state && index < state->attribute_count
                             ? state->attributes[index].format.kind
                             : NORN_CHANNEL_UINT;
  norn_valhall_drop_last_uses(warp, lane);
  return norn_valhall_write_texel(warp, lane, kind, texel, error);
}

/* The address of a vertex's part of an output buffer; if there is none, the outputs are dropped. */
static uint64_t
output_address(const NornLaunch *launch, size_t buffer, uint64_t offset) {
  if (!launch->memory || buffer >= norn_memory_count(launch->memory))
    return NORN_VALHALL_NULL_ADDRESS_BIT;
  return norn_memory_address(launch->memory, buffer) + offset;
}

/* Only architectures that run a vertex as one program have a second buffer, for varyings; a buffer
 * that does not exist has no address. */
static uint64_t
vertex_output_address(const NornValhallSimRun *run, uint32_t entry, uint32_t element) {
  const NornLaunch *launch = run->launch;
  const NornVertexState *state = launch->vertex;
  bool is_extra, has_two = run->architecture >= NORN_VALHALL_ARCHITECTURE_12;
  uint64_t vertex = norn_valhall_output_vertex(element, &is_extra);
  if (!state ||
      entry > (has_two ? NORN_VALHALL_VARYING_OUTPUT : (uint32_t)NORN_VALHALL_FIRST_OUTPUT))
    return NORN_VALHALL_NULL_ADDRESS_BIT;
  if (entry == NORN_VALHALL_VARYING_OUTPUT || state->writes_varyings)
    return output_address(launch, state->varying_buffer, vertex * state->varying_stride);
  if (is_extra)
    return output_address(launch, state->extra_buffer, vertex * NORN_VALHALL_EXTRA_BYTES);
  return output_address(launch, state->position_buffer, vertex * NORN_VALHALL_POSITION_BYTES);
}

/* LEA_BUF_IMM: an output of the vertex, or an element of a buffer. */
static bool
element_address(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornLaunch *launch = warp->run->launch;
  uint32_t handle = norn_valhall_immediate_handle(warp->instruction);
  uint64_t element, address;
  if (!norn_valhall_read_defined(warp, 0, lane, &element, error))
    return false;
  if (launch->stage == NORN_STAGE_VERTEX &&
      handle >> NORN_VALHALL_TABLE_SHIFT == NORN_VALHALL_OUTPUT_TABLE)
    address = vertex_output_address(warp->run, handle & NORN_VALHALL_ENTRY_BITS, (uint32_t)element);
  else
    address = norn_valhall_element_address(launch, handle, element);
  norn_valhall_drop_last_uses(warp, lane);
  return norn_valhall_write_address(warp, lane, address, error);
}

/* --- Where a varying is sampled --- */

/* A position in the pixel and a position in the rectangle. */
static NornRasterPosition
position_in_pixel(const NornValhallSimWarp *warp, unsigned lane, NornRasterPosition within) {
  uint32_t position[3];
  norn_launch_grid_position(warp->run->launch, warp->run->workgroup, warp->local[lane], position);
  return (NornRasterPosition){position[0] + within.x, position[1] + within.y};
}

static NornRasterPosition
sample_position(const NornValhallSimWarp *warp, unsigned lane, unsigned mode, uint32_t word) {
  NornRasterPosition within = {0.5, 0.5};
  if (mode == NORN_VALHALL_SAMPLE_MODE_SAMPLE)
    within =
        norn_raster_sample_position(norn_raster_samples(warp->run->launch),
                                    word >> NORN_VALHALL_SAMPLE_SHIFT & NORN_VALHALL_SAMPLE_BITS);
  else if (mode == NORN_VALHALL_SAMPLE_MODE_EXPLICIT)
    within = (NornRasterPosition){(int16_t)word / 256.0, (int16_t)(word >> 16) / 256.0};
  return position_in_pixel(warp, lane, within);
}

/* Loads that move the hidden position must not overtake others. Loads that use the hidden
 * position must find the one that they would compute. */
static bool
use_interpolator(NornValhallSimWarp *warp, unsigned lane, unsigned mode, uint32_t word,
                 GError **error) {
  NornValhallSimInterpolator *interpolator = &warp->interpolator[lane];
  unsigned update = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_UPDATE_MODE);
  bool retrieves = update == NORN_VALHALL_UPDATE_MODE_RETRIEVE;
  if (warp->run->location)
    return true; /* a single step: nothing comes before it */
  if (retrieves &&
      (!interpolator->is_kept || interpolator->mode != mode || interpolator->sample_word != word))
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_INTERPOLATION, error,
                             "retrieves an interpolation position that was not stored");
  for (unsigned slot = 0; !retrieves && slot < NORN_VALHALL_SLOTS; slot++)
    if (interpolator->last_load[slot] > warp->waited[slot][lane])
      return norn_valhall_trap(
          warp, (int)lane, NORN_VALHALL_TRAP_INTERPOLATION_IN_FLIGHT, error,
          "changes the interpolation position while a varying load of slot %u is in flight", slot);
  if (!retrieves) {
    interpolator->is_kept = update == NORN_VALHALL_UPDATE_MODE_STORE;
    interpolator->mode = (uint8_t)mode;
    interpolator->sample_word = word;
  }
  interpolator->last_load[warp->instruction->slot] = warp->message;
  return true;
}

/* Reads the sample word and determines the position. */
static bool
read_position(NornValhallSimWarp *warp, unsigned lane, NornRasterPosition *at, GError **error) {
  unsigned mode = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_SAMPLE_MODE);
  uint64_t word;
  if (!norn_valhall_read_defined(warp, 0, lane, &word, error))
    return false;
  *at = sample_position(warp, lane, mode, (uint32_t)word);
  return use_interpolator(warp, lane, mode, (uint32_t)word, error);
}

/* --- Varyings --- */

/* Converts a component in memory to a float of the register's width. */
static uint32_t
convert_component(uint32_t value, unsigned memory_bits, unsigned bits) {
  NornFloatFormat from = norn_float_of_width(memory_bits), to = norn_float_of_width(bits);
  if (from == to)
    return value;
  return (uint32_t)norn_float_convert(from, to, NORN_FLOAT_MODE_DEFAULT, value);
}

static bool
load_varying_at(NornValhallSimWarp *warp, unsigned lane, unsigned bits, uint32_t offset,
                GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  unsigned format = norn_valhall_field(instruction, NORN_VALHALL_FIELD_SOURCE_FORMAT);
  bool is_flat = format == NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT32 ||
                 format == NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT16;
  unsigned memory_bits = format == NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT16 ||
                                 format == NORN_VALHALL_SOURCE_FORMAT_SRC_F16
                             ? 16
                             : 32;
  NornRasterPosition at;
  uint32_t components[4];
  if (!is_flat && !read_position(warp, lane, &at, error))
    return false;
  for (unsigned i = 0; i < norn_valhall_component_count(instruction); i++) {
    uint32_t value = norn_raster_varying(warp->run->launch, offset + i * memory_bits / 8,
                                         memory_bits, is_flat ? NULL : &at);
    components[i] = convert_component(value, memory_bits, bits);
  }
  norn_valhall_drop_last_uses(warp, lane);
  return norn_valhall_write_components(warp, lane, bits, norn_valhall_component_count(instruction),
                                       components, error);
}

/* LD_VAR_BUF and LD_VAR_BUF_IMM, to registers of `bits` bits. */
static bool
load_varying(NornValhallSimWarp *warp, unsigned lane, unsigned bits, GError **error) {
  uint64_t offset = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_INDEX);
  bool is_indirect = warp->instruction->source_count > 1;
  if (is_indirect && !norn_valhall_read_defined(warp, 1, lane, &offset, error))
    return false;
  return load_varying_at(warp, lane, bits, (uint32_t)offset, error);
}

static bool
load_varying_32(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  return load_varying(warp, lane, 32, error);
}

static bool
load_varying_16(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  return load_varying(warp, lane, 16, error);
}

/* LD_VAR_BUF_FLAT and LD_VAR_BUF_FLAT_IMM: the bits of the provoking vertex. */
static bool
load_flat_varying(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  uint64_t offset = norn_valhall_field(instruction, NORN_VALHALL_FIELD_INDEX);
  unsigned count = norn_valhall_component_count(instruction);
  unsigned bits = norn_valhall_field(instruction, NORN_VALHALL_FIELD_FLAT_FORMAT) ==
                          NORN_VALHALL_FLAT_FORMAT_FLAT16
                      ? 16
                      : 32;
  uint32_t components[4];
  if (norn_valhall_field(instruction, NORN_VALHALL_FIELD_VERTEX) ||
      norn_valhall_field(instruction, NORN_VALHALL_FIELD_EXPLICIT_VERTEX))
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_NOT_MODELED, error,
                             "selecting a vertex by its number is not modeled");
  if (instruction->source_count && !norn_valhall_read_defined(warp, 0, lane, &offset, error))
    return false;
  for (unsigned i = 0; i < count; i++)
    components[i] =
        norn_raster_varying(warp->run->launch, (uint32_t)offset + i * bits / 8, bits, NULL);
  norn_valhall_drop_last_uses(warp, lane);
  return norn_valhall_write_components(warp, lane, bits, count, components, error);
}

enum { SPECIAL_POINT = 0, SPECIAL_W = 2, SPECIAL_Z = 3 };

/* Assuming that it changes the hidden position, as its encoding suggests, is conservative. */
static bool
load_special_varying(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornLaunch *launch = warp->run->launch;
  unsigned which = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_VARYING);
  uint32_t components[4] = {0}, size[2];
  NornRasterPosition at;
  if (!read_position(warp, lane, &at, error))
    return false;
  norn_raster_size(launch, size);
  switch (which) {
  case SPECIAL_POINT:
    components[0] = (uint32_t)norn_float_from_double(NORN_FLOAT_32, at.x / size[0]);
    components[1] = (uint32_t)norn_float_from_double(NORN_FLOAT_32, at.y / size[1]);
    break;
  case SPECIAL_W:
    components[0] = norn_raster_inverse_w(launch, at);
    break;
  case SPECIAL_Z:
    components[0] = norn_raster_depth(launch, at);
    break;
  default:
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_NOT_MODELED, error,
                             "the instruction is not modeled");
  }
  norn_valhall_drop_last_uses(warp, lane);
  return norn_valhall_write_components(
      warp, lane, 32, norn_valhall_component_count(warp->instruction), components, error);
}

/* --- The table --- */

static const NornValhallSimMessage messages[] = {
    [NORN_VALHALL_LEA_BUF_IMM] = element_address,
    [NORN_VALHALL_LD_ATTR] = load_attribute,
    [NORN_VALHALL_LD_ATTR_IMM] = load_attribute,
    [NORN_VALHALL_LD_VAR_BUF_F32] = load_varying_32,
    [NORN_VALHALL_LD_VAR_BUF_F16] = load_varying_16,
    [NORN_VALHALL_LD_VAR_BUF_IMM_F32] = load_varying_32,
    [NORN_VALHALL_LD_VAR_BUF_IMM_F16] = load_varying_16,
    [NORN_VALHALL_LD_VAR_BUF_FLAT] = load_flat_varying,
    [NORN_VALHALL_LD_VAR_BUF_FLAT_IMM] = load_flat_varying,
    [NORN_VALHALL_LD_VAR_SPECIAL] = load_special_varying,
};

NornValhallSimMessage
norn_valhall_graphics_message(uint16_t instruction) {
  return instruction < G_N_ELEMENTS(messages) ? messages[instruction] : NULL;
}
