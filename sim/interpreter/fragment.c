/* Operations of fragment programs.
 *
 * A fragment's outputs are kept until its invocation ends, and then written for the samples that
 * are covered. A helper, or an invocation that terminates, writes none. */
#include "sim/interpreter/fragment.h"
#include "ir/ops.h"
#include "sim/common/raster.h"
#include "sim/interpreter/components.h"
#include <math.h>
#include <string.h>

/* The modulus of sample numbers in load.varying_at_sample and in tile accesses. */
#define VARYING_SAMPLES 32
#define TILE_SAMPLES 256

/* --- The position of a fragment --- */

static NornRasterPosition
position_within(const uint32_t position[3], NornRasterPosition within) {
  return (NornRasterPosition){position[0] + within.x, position[1] + within.y};
}

static NornRasterPosition
fragment_position(const NornRun *run, const uint32_t position[3]) {
  NornRasterPosition within = {0.5, 0.5};
  if (norn_raster_runs_by_sample(run->launch))
    within = norn_raster_sample_position(norn_raster_samples(run->launch), position[2]);
  return position_within(position, within);
}

void
norn_fragment_start(NornWarp *warp) {
  uint32_t position[3];
  warp->helpers = 0;
  norn_for_each_lane(warp->present, lane) {
    norn_run_position(warp->run, warp->first + lane, position);
    warp->helpers |= (unsigned)norn_raster_is_outside(warp->run->launch, position) << lane;
  }
  memset(warp->outputs, 0, NORN_LANES * sizeof *warp->outputs);
}

/* --- Inputs of a fragment --- */

/* The position in the pixel for an operand that is an offset from the center: a 16-bit number in
 * units of 1/256. */
static double
place_operand(const NornWarp *warp, const NornStep *step, unsigned k, unsigned lane) {
  double value = norn_float_to_double(NORN_FLOAT_32, norn_step_lanes(warp, step, k)[lane]);
  double steps = value != value ? 0 : rint(CLAMP(value * 256, INT32_MIN, INT32_MAX));
  return (int16_t)(uint16_t)((int64_t)steps + 128) / 256.0;
}

/* The position of a varying load in a lane; false if the varying is flat. */
static bool
varying_position(const NornWarp *warp, const NornStep *step, unsigned lane,
                 NornRasterPosition *at) {
  const NornRun *run = warp->run;
  const NornInst *inst = norn_step_inst(step);
  NornRasterPosition within = {0.5, 0.5};
  uint32_t position[3];
  norn_run_position(run, warp->first + lane, position);
  if (inst->op == NORN_OP_LOAD_VARYING_AT_SAMPLE) {
    within = norn_raster_sample_position(norn_raster_samples(run->launch),
                                         norn_step_lanes(warp, step, 0)[lane] % VARYING_SAMPLES);
  } else if (inst->op == NORN_OP_LOAD_VARYING_AT_OFFSET) {
    within.x = place_operand(warp, step, 0, lane);
    within.y = place_operand(warp, step, 1, lane);
  } else if (inst->modifier == NORN_INTERPOLATION_FLAT) {
    return false;
  } else if (inst->modifier == NORN_INTERPOLATION_SAMPLE) {
    *at = fragment_position(run, position);
    return true;
  }
  *at = position_within(position, within);
  return true;
}

bool
norn_step_load_varying(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  unsigned bits = norn_type_bits(inst->source_type);
  unsigned count = norn_varying_components(inst->op, inst->type, inst->source_type);
  unsigned result_bits = norn_type_bits(inst->type) / count;
  uint32_t offset = (uint32_t)norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  uint32_t slot = norn_step_define_words(warp, step, active);
  for (unsigned k = 0; k < step->operand_count; k++)
    if (!norn_step_check_defined(warp, step, k, active, "the position", error))
      return false;
  norn_for_each_lane(active, lane) {
    NornRasterPosition at;
    bool smooth = varying_position(warp, step, lane, &at);
    uint32_t components[4];
    for (unsigned i = 0; i < count; i++) {
      components[i] =
          norn_raster_varying(warp->run->launch, offset + i * bits / 8, bits, smooth ? &at : NULL);
      if (result_bits != bits)
        components[i] = (uint32_t)norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16,
                                                     NORN_FLOAT_MODE_DEFAULT, components[i]);
    }
    norn_warp_put_components(warp, slot, lane, result_bits, count, components);
  }
  return true;
}

static uint64_t
fragment_coordinate(const NornRun *run, const uint32_t position[3], NornComponent component) {
  NornRasterPosition at = fragment_position(run, position);
  switch (component) {
  case NORN_COMPONENT_X:
    return norn_float_from_double(NORN_FLOAT_32, at.x);
  case NORN_COMPONENT_Y:
    return norn_float_from_double(NORN_FLOAT_32, at.y);
  case NORN_COMPONENT_Z:
    return norn_raster_depth(run->launch, at);
  case NORN_COMPONENT_W:
    return norn_raster_inverse_w(run->launch, at);
  case NORN_COMPONENT_COUNT:
    break;
  }
  return norn_float_one(NORN_FLOAT_32, false);
}

static uint64_t
fragment_input(const NornWarp *warp, const NornInst *inst, unsigned lane) {
  const NornRun *run = warp->run;
  const NornFragmentState *state = run->launch->fragment;
  uint32_t position[3];
  norn_run_position(run, warp->first + lane, position);
  switch (inst->op) {
  case NORN_OP_FRAG_COORD:
    return fragment_coordinate(run, position, (NornComponent)inst->modifier);
  case NORN_OP_FRONT_FACING:
    return !(state && state->back_facing);
  case NORN_OP_SAMPLE_ID:
    return norn_raster_sample(run->launch, position);
  case NORN_OP_SAMPLE_MASK:
    return norn_raster_coverage(run->launch, position);
  case NORN_OP_PRIMITIVE_ID:
    return state ? state->primitive_id : 0;
  default:
    return warp->helpers >> lane & 1;
  }
}

bool
norn_step_fragment_input(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  uint64_t *result = norn_step_define(warp, step, 0, active);
  norn_for_each_lane(active, lane) {
    result[lane] = fragment_input(warp, norn_step_inst(step), lane);
  }
  return true;
}

bool
norn_step_point_coord(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornRun *run = warp->run;
  (void)error;
  uint32_t size[2], position[3];
  norn_raster_size(run->launch, size);
  uint64_t *x = norn_step_define(warp, step, 0, active);
  uint64_t *y = norn_step_define(warp, step, 1, active);
  norn_for_each_lane(active, lane) {
    norn_run_position(run, warp->first + lane, position);
    NornRasterPosition at = fragment_position(run, position);
    x[lane] = norn_float_from_double(NORN_FLOAT_32, at.x / size[0]);
    y[lane] = norn_float_from_double(NORN_FLOAT_32, at.y / size[1]);
  }
  return true;
}

/* --- Outputs of a fragment --- */

/* Four components of a format, from the words of a slot. */
static void
read_color(const NornWarp *warp, uint32_t slot, unsigned lane, NornFormat format,
           uint32_t components[4]) {
  unsigned bits = norn_component_bits(format);
  for (unsigned i = 0; i < 4; i++)
    components[i] = norn_warp_get_component(warp, slot, lane, bits, i);
}

/* The components converted to a texel of an image. */
static NornTexel
color_texel(const NornImage *image, NornFormat format, const uint32_t components[4]) {
  NornTexel texel;
  for (unsigned i = 0; i < 4; i++)
    texel.channel[i] =
        norn_component_widen(norn_component_bits(format), image->format.kind, components[i]);
  return texel;
}

bool
norn_step_fragment_output(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const NornInst *inst = norn_step_inst(step);
  uint32_t slot = norn_step_operand(warp, step, 0);
  unsigned target = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET);
  norn_for_each_lane(active, lane) {
    NornFragmentOutputs *outputs = &warp->outputs[lane];
    uint32_t word = (uint32_t)norn_warp_slot(warp, slot)[lane];
    if (inst->op == NORN_OP_STORE_COLOR_IF && !(norn_step_lanes(warp, step, 1)[lane] & 1))
      continue;
    switch (inst->op) {
    case NORN_OP_STORE_COLOR:
    case NORN_OP_STORE_COLOR_IF:
      read_color(warp, slot, lane, (NornFormat)inst->modifier, outputs->color[target]);
      outputs->format[target] = inst->modifier;
      outputs->colors |= 1u << target;
      break;
    case NORN_OP_STORE_DEPTH:
      outputs->depth = word;
      outputs->has_depth = true;
      break;
    case NORN_OP_STORE_STENCIL:
      outputs->stencil = word & 0xFF;
      outputs->has_stencil = true;
      break;
    case NORN_OP_STORE_COVERAGE:
      outputs->coverage = word;
      outputs->has_coverage = true;
      break;
    default:
      /* The second color only matters for blending, which the targets here do not do. */
      break;
    }
  }
  return true;
}

static void
write_sample(const NornRun *run, const NornFragmentOutputs *outputs, const uint32_t position[3],
             unsigned sample) {
  const NornFragmentState *state = run->launch->fragment;
  norn_raster_mark_written(run->launch, position, sample);
  for (unsigned target = 0; target < NORN_COLOR_TARGETS; target++) {
    const NornImage *image = state->targets[target];
    uint8_t *bytes = outputs->colors >> target & 1
                         ? norn_raster_target_texel(run->launch, image, position, sample)
                         : NULL;
    if (bytes)
      norn_format_write(
          image->format, bytes,
          color_texel(image, (NornFormat)outputs->format[target], outputs->color[target]));
  }
  uint8_t *bytes = outputs->has_depth ? norn_raster_target_texel(run->launch, state->depth_target,
                                                                 position, sample)
                                      : NULL;
  if (bytes)
    norn_format_write(state->depth_target->format, bytes, (NornTexel){{outputs->depth, 0, 0, 0}});
  bytes = outputs->has_stencil
              ? norn_raster_target_texel(run->launch, state->stencil_target, position, sample)
              : NULL;
  if (bytes)
    norn_format_write(state->stencil_target->format, bytes,
                      (NornTexel){{outputs->stencil, 0, 0, 0}});
}

void
norn_fragment_finish(const NornWarp *warp, unsigned lanes) {
  const NornRun *run = warp->run;
  if (!run->launch->fragment)
    return;
  norn_for_each_lane(lanes & ~warp->helpers, lane) {
    const NornFragmentOutputs *outputs = &warp->outputs[lane];
    uint32_t position[3];
    norn_run_position(run, warp->first + lane, position);
    unsigned samples = norn_raster_coverage(run->launch, position);
    if (outputs->has_coverage)
      samples &= outputs->coverage;
    norn_for_each_lane(samples, sample) {
      write_sample(run, outputs, position, sample);
    }
  }
}

bool
norn_step_demote(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  for (unsigned k = 0; k < step->operand_count; k++)
    if (!norn_step_check_defined(warp, step, k, active, "the condition", error))
      return false;
  norn_for_each_lane(active, lane) {
    uint64_t operands[2], results[NORN_EVALUATE_RESULTS];
    for (unsigned k = 0; k < step->operand_count; k++)
      operands[k] = norn_step_lanes(warp, step, k)[lane];
    bool demotes = operands[0] & 1;
    if (inst->op == NORN_OP_ALPHA_TEST) {
      norn_evaluate(&step->evaluator, operands, results);
      demotes = !results[0];
    }
    warp->helpers |= (unsigned)demotes << lane;
  }
  return true;
}

/* --- The tile --- */

static const NornImage *
tile_image(const NornRun *run, const NornInst *inst) {
  const NornFragmentState *state = run->launch->fragment;
  if (!state)
    return NULL;
  if (inst->op == NORN_OP_LOAD_TILE_DEPTH)
    return state->depth_target;
  if (inst->op == NORN_OP_LOAD_TILE_STENCIL)
    return state->stencil_target;
  return state->targets[norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET)];
}

/* The sample that operand k selects in a lane; a trap if the pixel does not have it. */
static bool
tile_sample(const NornWarp *warp, const NornStep *step, unsigned k, unsigned lane, unsigned *sample,
            GError **error) {
  uint64_t number = norn_step_lanes(warp, step, k)[lane] % TILE_SAMPLES;
  unsigned samples = norn_raster_samples(warp->run->launch);
  *sample = (unsigned)number;
  if (number < samples)
    return true;
  return norn_trap(warp, step, lane, error,
                   "sample %" G_GUINT64_FORMAT " does not exist in a pixel of %u", number, samples);
}

bool
norn_step_load_tile(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornRun *run = warp->run;
  const NornInst *inst = norn_step_inst(step);
  const NornImage *image = tile_image(run, inst);
  bool is_color = inst->op == NORN_OP_LOAD_TILE;
  unsigned bits = is_color ? norn_component_bits((NornFormat)inst->modifier) : 32;
  uint32_t slot = norn_step_define_words(warp, step, active);
  if (!norn_step_check_defined(warp, step, 0, active, "the sample", error))
    return false;
  norn_for_each_lane(active, lane) {
    uint32_t position[3], components[4] = {0};
    unsigned sample;
    norn_run_position(run, warp->first + lane, position);
    bool is_helper = warp->helpers >> lane & 1;
    if (!is_helper && !tile_sample(warp, step, 0, lane, &sample, error))
      return false;
    const uint8_t *bytes =
        is_helper ? NULL : norn_raster_target_texel(run->launch, image, position, sample);
    NornTexel texel = {{0, 0, 0, 0}};
    if (bytes)
      texel = norn_format_read(image->format, bytes);
    for (unsigned i = 0; bytes && i < 4; i++)
      components[i] = norn_component_narrow(bits, image->format.kind, texel.channel[i]);
    norn_warp_put_components(warp, slot, lane, bits, is_color ? 4 : 1, components);
  }
  return true;
}

bool
norn_step_store_tile(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornRun *run = warp->run;
  const NornInst *inst = norn_step_inst(step);
  const NornImage *image = tile_image(run, inst);
  if (!norn_step_check_defined(warp, step, 1, active, "the sample", error))
    return false;
  norn_for_each_lane(active & ~warp->helpers, lane) {
    uint32_t position[3], components[4];
    unsigned sample;
    norn_run_position(run, warp->first + lane, position);
    if (!tile_sample(warp, step, 1, lane, &sample, error))
      return false;
    bool is_covered = norn_raster_coverage(run->launch, position) >> sample & 1;
    uint8_t *bytes =
        is_covered ? norn_raster_target_texel(run->launch, image, position, sample) : NULL;
    if (!bytes)
      continue;
    read_color(warp, norn_step_operand(warp, step, 0), lane, (NornFormat)inst->modifier,
               components);
    norn_format_write(image->format, bytes,
                      color_texel(image, (NornFormat)inst->modifier, components));
  }
  return true;
}

bool
norn_step_blend_source(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const NornInst *inst = norn_step_inst(step);
  unsigned index = (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_INDEX);
  uint32_t slot = norn_step_define_words(warp, step, active);
  for (unsigned word = 0; word < step->words; word++)
    norn_for_each_lane(active, lane) {
      norn_warp_slot(warp, slot + word)[lane] =
          warp->run->launch->fragment && index < 2
              ? warp->run->launch->fragment->blend_source[index][word]
              : 0;
    }
  return true;
}
