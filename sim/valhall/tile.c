/* Valhall messages at the end of a fragment program: coverage, depth and stencil, colors, the tile
 * itself.
 *
 * The launch's images represent the tile. Blending is a plain write. The tile's units require
 * waits that do not protect a register, so a missing one would go unnoticed. They are checked
 * explicitly: slots 0 to 2 must be idle, and slots 6 and 7 must have been waited for at some
 * time. */
#include "sim/valhall/tile.h"
#include "sim/common/launch.h"
#include "sim/common/raster.h"
#include "sim/valhall/components.h"
#include <norn/valhall.h>

#define SLOT_BIT(slot) (1u << (slot))
#define DEPTH_ORDER SLOT_BIT(NORN_VALHALL_DEPTH_SLOT)
#define TILE_ORDER (DEPTH_ORDER | SLOT_BIT(NORN_VALHALL_BARRIER_SLOT))

static bool
check_waits(NornValhallSimWarp *warp, unsigned lane, unsigned slots, GError **error) {
  int slot = norn_valhall_slot_in_flight(warp, lane);
  if (warp->run->location)
    return true; /* a single step: nothing comes before it */
  if (slot >= 0)
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_TILE_IN_FLIGHT, error,
                             "executed while a message of slot %d is in flight", slot);
  if (slots & ~(unsigned)warp->waits_seen[lane])
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_TILE_WAIT, error,
                             "needs the flow %s before it",
                             slots == DEPTH_ORDER ? "wait0126" : "wait");
  return true;
}

static uint8_t *
target_texel(const NornValhallSimWarp *warp, unsigned lane, const NornImage *image,
             unsigned sample) {
  const NornLaunch *launch = warp->run->launch;
  uint32_t position[3];
  norn_launch_grid_position(launch, warp->run->workgroup, warp->local[lane], position);
  return norn_raster_target_texel(launch, image, position, sample);
}

static void
mark_written(const NornValhallSimWarp *warp, unsigned lane, unsigned sample) {
  const NornLaunch *launch = warp->run->launch;
  uint32_t position[3];
  norn_launch_grid_position(launch, warp->run->workgroup, warp->local[lane], position);
  norn_raster_mark_written(launch, position, sample);
}

/* Writes a texel for the samples that are covered, at the end of the program. */
static void
write_samples(const NornValhallSimWarp *warp, unsigned lane, const NornImage *image,
              uint32_t coverage, NornTexel texel) {
  unsigned samples = norn_raster_samples(warp->run->launch);
  for (unsigned sample = 0; sample < samples && !norn_valhall_is_helper(warp, lane); sample++) {
    uint8_t *bytes = coverage >> sample & 1 ? target_texel(warp, lane, image, sample) : NULL;
    if (bytes) {
      norn_format_write(image->format, bytes, texel);
      mark_written(warp, lane, sample);
    }
  }
}

/* Checks the registers of coverage as an input (a source) and as an output. */
static bool
check_coverage_registers(NornValhallSimWarp *warp, unsigned source, GError **error) {
  const NornValhallSimSource *in = &warp->instruction->source[source];
  bool in_place = in->kind == NORN_VALHALL_SOURCE_REGISTER &&
                  in->reg == NORN_VALHALL_PRELOAD_COVERAGE &&
                  warp->instruction->staging_write.first == NORN_VALHALL_PRELOAD_COVERAGE;
  if (in_place || warp->run->location)
    return true;
  return norn_valhall_trap(warp, -1, NORN_VALHALL_TRAP_COVERAGE_REGISTER, error,
                           "coverage must be in r%d, before and after",
                           NORN_VALHALL_PRELOAD_COVERAGE);
}

/* ATEST waits for the coverage that it writes. */
static bool
check_own_wait(NornValhallSimWarp *warp, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  return instruction->ends || warp->run->location || instruction->waits >> instruction->slot & 1 ||
         norn_valhall_trap(warp, -1, NORN_VALHALL_TRAP_TILE_WAIT, error,
                           "does not wait for its own slot %u", instruction->slot);
}

/* Alpha to coverage is off. Covered samples count as written, whether or not a color is written:
 * their depth is tested. */
static bool
test_coverage(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  uint64_t coverage, ignored;
  if (!check_coverage_registers(warp, 0, error) || !check_own_wait(warp, error) ||
      !check_waits(warp, lane, DEPTH_ORDER, error))
    return false;
  for (unsigned k = 0; k < warp->instruction->source_count; k++)
    if (!norn_valhall_read_defined(warp, k, lane, k ? &ignored : &coverage, error))
      return false;
  norn_valhall_drop_last_uses(warp, lane);
  warp->tested |= (uint16_t)(1u << lane);
  unsigned samples = norn_raster_samples(warp->run->launch);
  for (unsigned sample = 0; sample < samples && !norn_valhall_is_helper(warp, lane); sample++)
    if (coverage >> sample & 1)
      mark_written(warp, lane, sample);
  return norn_valhall_write_staging(warp, 0, lane, 0xF, (uint32_t)coverage, error);
}

static bool
emit_depth_stencil(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornFragmentState *state = warp->run->launch->fragment;
  bool has_depth = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_Z);
  bool has_stencil = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_STENCIL);
  uint64_t depth = 0, stencil = 0, coverage;
  if (!check_coverage_registers(warp, 2, error) || !check_waits(warp, lane, DEPTH_ORDER, error))
    return false;
  if (!(warp->tested >> lane & 1) && !warp->run->location)
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_NO_ATEST, error,
                             "needs an ATEST before it");
  if ((has_depth && !norn_valhall_read_defined(warp, 0, lane, &depth, error)) ||
      (has_stencil && !norn_valhall_read_defined(warp, 1, lane, &stencil, error)) ||
      !norn_valhall_read_defined(warp, 2, lane, &coverage, error))
    return false;
  norn_valhall_drop_last_uses(warp, lane);
  if (state && has_depth)
    write_samples(warp, lane, state->depth_target, (uint32_t)coverage,
                  (NornTexel){{(uint32_t)depth, 0, 0, 0}});
  if (state && has_stencil)
    write_samples(warp, lane, state->stencil_target, (uint32_t)coverage,
                  (NornTexel){{stencil & 0xFF, 0, 0, 0}});
  return norn_valhall_write_staging(warp, 0, lane, 0xF, (uint32_t)coverage, error);
}

/* --- Colors --- */

static const NornImage *
color_target(const NornValhallSimWarp *warp, unsigned target) {
  const NornFragmentState *state = warp->run->launch->fragment;
  return state && target < NORN_COLOR_TARGETS ? state->targets[target] : NULL;
}

/* Reads the four components of a color as a texel of `image` (nullable). */
static bool
read_color(NornValhallSimWarp *warp, unsigned lane, const NornImage *image, NornTexel *texel,
           GError **error) {
  unsigned bits = norn_valhall_component_bits(warp->instruction);
  uint32_t components[4];
  if (!norn_valhall_read_components(warp, lane, bits, 4, components, error))
    return false;
  for (unsigned i = 0; image && i < 4; i++)
    texel->channel[i] = norn_component_widen(bits, image->format.kind, components[i]);
  return true;
}

/* Fixed-function blending; the instructions that would call a blend shader are then jumped over.
 * Without it they are executed, whatever the flow says, and no message is sent. */
static bool
blend(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  uint64_t descriptor, coverage;
  NornTexel texel;
  if (!check_waits(warp, lane, TILE_ORDER, error) ||
      !norn_valhall_read_defined(warp, 0, lane, &descriptor, error) ||
      !norn_valhall_read_defined(warp, 1, lane, &coverage, error))
    return false;
  const NornFragmentState *state = warp->run->launch->fragment;
  bool is_blend_shader = state && state->is_blend_shader;
  if (!(warp->tested >> lane & 1) && !warp->run->location && !is_blend_shader)
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_NO_ATEST, error,
                             "needs an ATEST before it");
  unsigned mode = descriptor & 3;
  const NornImage *image =
      color_target(warp, (unsigned)(descriptor >> NORN_VALHALL_BLEND_TARGET_SHIFT & 0xF));
  if (!read_color(warp, lane, image, &texel, error))
    return false;
  norn_valhall_drop_last_uses(warp, lane);
  if (mode == NORN_VALHALL_BLEND_SHADER) {
    warp->ignores_flow = true;
    warp->read[instruction->slot][lane] = 0;
    return true;
  }
  if (image && mode != NORN_VALHALL_BLEND_OFF)
    write_samples(warp, lane, image, (uint32_t)coverage, texel);
  if (instruction->ends || warp->run->location)
    return true;
  return norn_valhall_branch_lane(warp, lane, warp->pc[lane] + instruction->distance, error);
}

/* --- The tile --- */

/* The pixel and sample that a pixel word identifies. */
typedef struct Pixel {
  const NornImage *image; /* NULL: nothing is bound to the target */
  unsigned sample;
} Pixel;

static bool
read_pixel(const NornValhallSimWarp *warp, unsigned lane, uint32_t word, Pixel *pixel,
           GError **error) {
  const NornFragmentState *state = warp->run->launch->fragment;
  unsigned target = word >> NORN_VALHALL_PIXEL_TARGET_SHIFT & 0xFF;
  unsigned samples = norn_raster_samples(warp->run->launch);
  *pixel = (Pixel){.image = color_target(warp, target), .sample = word & 0xFF};
  if (target == NORN_VALHALL_PIXEL_DEPTH)
    pixel->image = state ? state->depth_target : NULL;
  else if (target == NORN_VALHALL_PIXEL_STENCIL)
    pixel->image = state ? state->stencil_target : NULL;
  else if (target >= NORN_COLOR_TARGETS)
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_TILE_TARGET, error,
                             "target %u does not exist", target);
  if (pixel->sample >= samples)
    return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_TILE_TARGET, error,
                             "sample %u does not exist in a pixel of %u", pixel->sample, samples);
  return true;
}

static bool
load_tile(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  bool is_depth = norn_valhall_field(instruction, NORN_VALHALL_FIELD_Z_STENCIL);
  unsigned bits = norn_valhall_component_bits(instruction);
  unsigned count = norn_valhall_field(instruction, NORN_VALHALL_FIELD_VECTOR_SIZE) + 1;
  uint64_t values[3];
  uint32_t components[4] = {0};
  Pixel pixel = {NULL, 0};
  if (!check_waits(warp, lane, is_depth ? DEPTH_ORDER : TILE_ORDER, error))
    return false;
  for (unsigned k = 0; k < 3; k++)
    if (!norn_valhall_read_defined(warp, k, lane, &values[k], error))
      return false;
  if (!norn_valhall_is_helper(warp, lane) &&
      !read_pixel(warp, lane, (uint32_t)values[0], &pixel, error))
    return false;
  const NornImage *image = pixel.image;
  const uint8_t *bytes = target_texel(warp, lane, image, pixel.sample);
  NornTexel texel = {{0, 0, 0, 0}};
  if (bytes)
    texel = norn_format_read(image->format, bytes);
  for (unsigned i = 0; bytes && i < count; i++)
    components[i] = norn_component_narrow(bits, image->format.kind, texel.channel[i]);
  norn_valhall_drop_last_uses(warp, lane);
  return norn_valhall_write_components(warp, lane, bits, count, components, error);
}

static bool
store_tile(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  uint64_t values[3];
  NornTexel texel;
  Pixel pixel = {NULL, 0};
  if (!check_waits(warp, lane, TILE_ORDER, error))
    return false;
  for (unsigned k = 0; k < 3; k++)
    if (!norn_valhall_read_defined(warp, k, lane, &values[k], error))
      return false;
  bool is_helper = norn_valhall_is_helper(warp, lane);
  if ((!is_helper && !read_pixel(warp, lane, (uint32_t)values[0], &pixel, error)) ||
      !read_color(warp, lane, pixel.image, &texel, error))
    return false;
  norn_valhall_drop_last_uses(warp, lane);
  uint8_t *bytes = !is_helper && values[1] >> pixel.sample & 1
                       ? target_texel(warp, lane, pixel.image, pixel.sample)
                       : NULL;
  if (bytes)
    norn_format_write(pixel.image->format, bytes, texel);
  return true;
}

static const NornValhallSimMessage messages[] = {
    [NORN_VALHALL_ATEST] = test_coverage, [NORN_VALHALL_ZS_EMIT] = emit_depth_stencil,
    [NORN_VALHALL_BLEND] = blend,         [NORN_VALHALL_LD_TILE] = load_tile,
    [NORN_VALHALL_ST_TILE] = store_tile,
};

NornValhallSimMessage
norn_valhall_tile_message(uint16_t instruction) {
  return instruction < G_N_ELEMENTS(messages) ? messages[instruction] : NULL;
}
