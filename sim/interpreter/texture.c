/* Texture and image operations: operands to queries, texels to results. */
#include "sim/interpreter/texture.h"
#include "ir/ops.h"
#include "sim/common/atomic.h"
#include "sim/common/image.h"
#include "sim/interpreter/components.h"
#include <math.h>

/* --- Resources --- */

/* The image with a handle, if it is of the kind (texel buffer or not) that the instruction
 * accesses; otherwise NULL. */
static const NornImage *
find_image(const NornRun *run, const NornStep *step, uint64_t handle) {
  const NornResource *resource = norn_launch_find_resource(run->launch, (uint32_t)handle);
  const NornImage *image = resource ? resource->image : NULL;
  return image && image->is_buffer == (norn_step_inst(step)->modifier == NORN_DIMENSION_BUFFER)
             ? image
             : NULL;
}

static const NornSampler *
find_sampler(const NornRun *run, uint64_t handle) {
  const NornResource *resource = norn_launch_find_resource(run->launch, (uint32_t)handle);
  return resource ? resource->sampler : NULL;
}

/* --- Results --- */

static float
float_of_slot(uint64_t bits) {
  return (float)norn_float_to_double(NORN_FLOAT_32, (uint32_t)bits);
}

/* The number of values of type S that type T holds. */
static unsigned
component_count(const NornInst *inst) {
  return norn_type_bits(inst->type) / norn_type_bits(inst->source_type);
}

static void
put_texel(NornWarp *warp, const NornStep *step, unsigned lane, const NornImage *image,
          NornTexel texel) {
  const NornInst *inst = norn_step_inst(step);
  unsigned bits = norn_type_bits(inst->source_type), count = MIN(component_count(inst), 4u);
  uint32_t components[4];
  for (unsigned i = 0; i < count; i++)
    components[i] = image ? norn_component_narrow(bits, image->format.kind, texel.channel[i]) : 0;
  norn_warp_put_components(warp, norn_step_result(warp, step, 0), lane, bits, count, components);
}

/* --- Operands --- */

/* Marks the result undefined in the lanes in which an operand is; returns the other lanes. */
static unsigned
defined_lanes(NornWarp *warp, const NornStep *step, unsigned active) {
  unsigned undefined = 0;
  for (unsigned k = 0; k < step->operand_count; k++)
    undefined |= norn_step_undefined(warp, step, k);
  for (unsigned k = 0; k < step->result_count; k++)
    for (unsigned word = 0; word < step->words; word++)
      norn_warp_set_undefined(warp, norn_step_result(warp, step, k) + word, active, undefined);
  return active & ~undefined;
}

static double
coordinate(const NornWarp *warp, const NornStep *step, unsigned k, unsigned lane) {
  return norn_float_to_double(NORN_FLOAT_32, norn_step_lanes(warp, step, k)[lane]);
}

/* Fills in a query from the operands of a lane. *next gets the operand after them. False if the
 * texture or the sampler does not exist. */
static bool
read_query(const NornWarp *warp, const NornStep *step, unsigned lane, NornTextureQuery *query,
           unsigned *next) {
  const NornInst *inst = norn_step_inst(step);
  const NornDimensionInfo *dimension = &norn_dimensions[inst->modifier];
  bool asks_level = inst->op == NORN_OP_TEX_QUERY_LOD;
  unsigned k = asks_level ? 2 : 3;
  *query = (NornTextureQuery){.axes = dimension->axes, .is_cube = dimension->is_cube};
  query->image = find_image(warp->run, step, norn_step_lanes(warp, step, 0)[lane]);
  query->sampler = find_sampler(warp->run, norn_step_lanes(warp, step, 1)[lane]);
  if (!query->image || !query->sampler)
    return false;
  uint64_t offsets = asks_level ? 0 : norn_step_lanes(warp, step, 2)[lane];
  for (unsigned i = 0; i < 3; i++)
    query->offset[i] = (int8_t)(offsets >> 8 * i);
  for (unsigned i = 0; i < dimension->axes; i++)
    query->coordinate[i] = coordinate(warp, step, k++, lane);
  if (dimension->is_array && !asks_level)
    query->layer = coordinate(warp, step, k++, lane);
  query->compares = norn_immediate(inst->payload, NORN_IMMEDIATE_COMPARE);
  if (query->compares)
    query->reference = float_of_slot(norn_step_lanes(warp, step, k++)[lane]);
  *next = k;
  return true;
}

/* --- Level of detail --- */

/* The difference between an operand in the lane's neighbor in x (axis 1) or y (axis 2) and in
 * the lane itself; 0 if the neighbor is not active. For directions, each lane projects its
 * neighbor's operand this way. */
static double
quad_difference(const NornWarp *warp, const NornStep *step, unsigned k, unsigned lane,
                unsigned axis, unsigned active) {
  unsigned other = lane ^ axis;
  if (!(active >> lane & 1) || !(active >> other & 1))
    return 0;
  return coordinate(warp, step, k, other) - coordinate(warp, step, k, lane);
}

/* The range of a level of detail or a bias from an operand, in either direction. */
#define MAX_LOD 16

/* The level of detail or the bias in operand k. NaN counts as the least value. */
static double
given_lod(const NornWarp *warp, const NornStep *step, unsigned k, unsigned lane) {
  double lod = coordinate(warp, step, k, lane);
  return norn_texture_lod_step(lod > -MAX_LOD ? MIN(lod, MAX_LOD) : -MAX_LOD);
}

/* The level of detail of a look-up, before the sampler's bias and limits. `k` is the operand after
 * the query's. */
static double
level_of_detail(const NornWarp *warp, const NornStep *step, unsigned lane,
                const NornTextureQuery *query, unsigned k, unsigned active) {
  const NornInst *inst = norn_step_inst(step);
  unsigned first = inst->op == NORN_OP_TEX_QUERY_LOD ? 2 : 3;
  double dx[3] = {0}, dy[3] = {0};
  if (inst->op == NORN_OP_TEX_LOD)
    return given_lod(warp, step, k, lane);
  bool given = inst->op == NORN_OP_TEX_GRADIENT;
  for (unsigned i = 0; i < query->axes; i++) {
    dx[i] = given ? coordinate(warp, step, k + i, lane)
                  : quad_difference(warp, step, first + i, lane, 1, active);
    dy[i] = given ? coordinate(warp, step, k + query->axes + i, lane)
                  : quad_difference(warp, step, first + i, lane, 2, active);
  }
  double lod = norn_texture_lod(query, dx, dy);
  if (inst->op == NORN_OP_TEX_BIAS)
    lod += given_lod(warp, step, k, lane);
  return given ? norn_texture_lod_step(lod) : lod;
}

/* --- Textures --- */

bool
norn_step_texture(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const NornInst *inst = norn_step_inst(step);
  unsigned defined = defined_lanes(warp, step, active);
  norn_for_each_lane(defined, lane) {
    NornTextureQuery query;
    NornTexel texel = {{0, 0, 0, 0}};
    unsigned next;
    bool exists = read_query(warp, step, lane, &query, &next);
    if (exists && inst->op == NORN_OP_TEX_GATHER)
      texel =
          norn_texture_gather(&query, warp->run->launch->memory,
                              (unsigned)norn_immediate(inst->payload, NORN_IMMEDIATE_COMPONENT));
    else if (exists)
      texel = norn_texture_sample(&query, warp->run->launch->memory,
                                  level_of_detail(warp, step, lane, &query, next, active));
    put_texel(warp, step, lane, exists ? query.image : NULL, texel);
  }
  return true;
}

bool
norn_step_query_lod(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  unsigned defined = defined_lanes(warp, step, active);
  norn_for_each_lane(defined, lane) {
    NornTextureQuery query;
    unsigned next;
    double lod = 0, level = 0;
    if (read_query(warp, step, lane, &query, &next)) {
      lod = norn_texture_lod_step(level_of_detail(warp, step, lane, &query, next, active) +
                                  query.sampler->lod_bias);
      level = norn_texture_level(&query, lod);
    }
    norn_warp_slot(warp, norn_step_result(warp, step, 0))[lane] =
        norn_float_from_double(NORN_FLOAT_32, level);
    norn_warp_slot(warp, norn_step_result(warp, step, 1))[lane] =
        norn_float_from_double(NORN_FLOAT_32, lod);
  }
  return true;
}

/* --- Integer coordinates --- */

static int64_t
whole(const NornWarp *warp, const NornStep *step, unsigned k, unsigned lane) {
  return (int32_t)(uint32_t)norn_step_lanes(warp, step, k)[lane];
}

/* The coordinates in the operands from `k` on: axes, layer, then the level or sample. */
static NornTexelCoordinates
read_coordinates(const NornWarp *warp, const NornStep *step, unsigned k, unsigned lane) {
  const NornInst *inst = norn_step_inst(step);
  const NornDimensionInfo *dimension = &norn_dimensions[inst->modifier];
  NornTexelCoordinates at = {0};
  int64_t *axes[3] = {&at.x, &at.y, &at.z};
  bool fetches = inst->op == NORN_OP_TEX_FETCH;
  uint64_t offsets = fetches ? norn_step_lanes(warp, step, 1)[lane] : 0;
  for (unsigned i = 0; i < dimension->axes; i++)
    *axes[i] = whole(warp, step, k++, lane) + (int8_t)(offsets >> 8 * i);
  if (dimension->is_array)
    at.layer = whole(warp, step, k++, lane);
  if (dimension->is_multisampled)
    at.sample = (uint32_t)norn_step_lanes(warp, step, k)[lane];
  else if (fetches)
    at.level = (uint32_t)norn_step_lanes(warp, step, k)[lane];
  return at;
}

bool
norn_step_fetch(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  unsigned defined = defined_lanes(warp, step, active);
  unsigned first = norn_step_inst(step)->op == NORN_OP_TEX_FETCH ? 2 : 1;
  norn_for_each_lane(defined, lane) {
    const NornImage *image = find_image(warp->run, step, norn_step_lanes(warp, step, 0)[lane]);
    NornTexel texel = {{0, 0, 0, 0}};
    const uint8_t *bytes = image ? norn_image_texel(image, warp->run->launch->memory,
                                                    read_coordinates(warp, step, first, lane))
                                 : NULL;
    if (bytes)
      texel = norn_format_read(image->format, bytes);
    put_texel(warp, step, lane, bytes ? image : NULL, texel);
  }
  return true;
}

bool
norn_step_image_store(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  unsigned bits = norn_type_bits(inst->source_type), count = MIN(component_count(inst), 4u);
  for (unsigned k = 1; k < step->operand_count; k++)
    if (!norn_step_check_defined(warp, step, k, active, "the coordinates", error))
      return false;
  norn_for_each_lane(active & ~warp->helpers, lane) {
    const NornImage *image = find_image(warp->run, step, norn_step_lanes(warp, step, 1)[lane]);
    uint8_t *bytes = image ? norn_image_texel(image, warp->run->launch->memory,
                                              read_coordinates(warp, step, 2, lane))
                           : NULL;
    if (!bytes)
      continue;
    NornTexel texel = {{0, 0, 0, 0}};
    for (unsigned i = 0; i < count; i++)
      texel.channel[i] = norn_component_widen(
          bits, image->format.kind,
          norn_warp_get_component(warp, norn_step_operand(warp, step, 0), lane, bits, i));
    norn_format_write(image->format, bytes, texel);
  }
  return true;
}

bool
norn_step_image_atomic(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornInst *inst = norn_step_inst(step);
  bool exchanges = inst->op == NORN_OP_IMAGE_CMPXCHG;
  unsigned size = norn_type_bits(inst->type) / 8;
  uint64_t *result = norn_step_define(warp, step, 0, active);
  for (unsigned k = 0; k < step->operand_count; k++)
    if (!norn_step_check_defined(warp, step, k, active, "an operand", error))
      return false;
  norn_for_each_lane(active, lane) {
    const NornImage *image = find_image(warp->run, step, norn_step_lanes(warp, step, 0)[lane]);
    bool fits =
        image && norn_pixel_format_bytes(image->format) == size && !(warp->helpers >> lane & 1);
    uint8_t *bytes = fits ? norn_image_texel(image, warp->run->launch->memory,
                                             read_coordinates(warp, step, exchanges ? 3 : 2, lane))
                          : NULL;
    result[lane] = 0;
    if (!bytes)
      continue;
    uint64_t old = norn_bytes_read(bytes, size);
    uint64_t operand = norn_step_lanes(warp, step, 1)[lane];
    uint64_t updated;
    if (exchanges)
      updated = old == operand ? norn_step_lanes(warp, step, 2)[lane] : old;
    else
      updated = norn_atomic_combine(
          (NornAtomic)norn_immediate(inst->payload, NORN_IMMEDIATE_ATOMIC), old, operand, 8 * size);
    norn_bytes_write(bytes, size, updated);
    result[lane] = old;
  }
  return true;
}

/* --- Sizes --- */

bool
norn_step_texture_size(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  const NornInst *inst = norn_step_inst(step);
  const NornDimensionInfo *dimension = &norn_dimensions[inst->modifier];
  unsigned defined = defined_lanes(warp, step, active);
  norn_for_each_lane(defined, lane) {
    const NornImage *image = find_image(warp->run, step, norn_step_lanes(warp, step, 0)[lane]);
    uint64_t level = step->operand_count > 1 ? norn_step_lanes(warp, step, 1)[lane] : 0;
    uint32_t size[4] = {0}, words[4];
    unsigned axes = dimension->axes - dimension->is_cube, count = 0;
    if (image && level < image->levels)
      norn_image_size(image, (uint32_t)level, size);
    while (count < axes) {
      words[count] = size[count];
      count++;
    }
    if (dimension->is_array)
      words[count++] = size[3] / (dimension->is_cube ? 6 : 1);
    norn_warp_put_components(warp, norn_step_result(warp, step, 0), lane, 32, count, words);
  }
  return true;
}

bool
norn_step_texture_count(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  unsigned defined = defined_lanes(warp, step, active);
  uint64_t *result = norn_warp_slot(warp, norn_step_result(warp, step, 0));
  norn_for_each_lane(defined, lane) {
    const NornImage *image = find_image(warp->run, step, norn_step_lanes(warp, step, 0)[lane]);
    bool levels = norn_step_inst(step)->op == NORN_OP_TEX_LEVELS;
    result[lane] = image ? levels ? image->levels : image->samples : 0;
  }
  return true;
}
