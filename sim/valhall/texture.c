/* Valhall's texture messages: staging words to queries, texels to registers.
 *
 * The operands of all lanes of a warp are read first, since the level of detail may come from
 * the neighbors in the quad and results may land where coordinates were. The look-ups are then
 * performed lane by lane. Filtering is shared with the IR interpreter. */
#include "sim/valhall/texture.h"
#include "isa/valhall_abi.h"
#include "sim/common/launch.h"
#include "sim/valhall/components.h"
#include <math.h>
#include <norn/valhall.h>

/* The contents of the staging registers of one lane. */
typedef struct Lookup {
  bool runs; /* not a helper of a message with `skip` */
  const NornImage *image;
  const NornSampler *sampler;
  uint32_t coordinate[3]; /* raw words */
  double position[3];     /* the same as numbers; the direction, for cubes */
  uint32_t layer, reference, offsets, lod[2];
  uint32_t derivatives[6];
} Lookup;

/* --- The texture operand --- */

/* Tables from 60 on lose their upper bits in narrow handles. */
static uint32_t
narrow_handle(uint32_t entry, uint32_t table) {
  return (table >= 28 ? table + 32 : table) << NORN_VALHALL_TABLE_SHIFT | entry;
}

static void
find_texture(const NornValhallSimWarp *warp, uint64_t operand, Lookup *lookup) {
  const NornLaunch *launch = warp->run->launch;
  uint32_t low = (uint32_t)operand, high = (uint32_t)(operand >> 32);
  uint32_t sampler = low, texture = high;
  if (!norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_WIDE_INDICES)) {
    sampler = narrow_handle(low & 0x7FF, low >> 11 & 0x1F);
    texture = narrow_handle(low >> 16 & 0x7FF, low >> 27);
  }
  const NornResource *resource = norn_launch_find_resource(launch, texture);
  lookup->image =
      resource && resource->image && !resource->image->is_buffer ? resource->image : NULL;
  resource = norn_launch_find_resource(launch, sampler);
  lookup->sampler = resource ? resource->sampler : NULL;
}

/* Offsets and level in the upper word of a narrow operand: four bits each, signed except for the
 * level. */
static uint32_t
narrow_offsets(uint32_t extras) {
  uint32_t offsets = 0;
  for (unsigned i = 0; i < 3; i++)
    offsets |= ((uint32_t)norn_int_sign_extend(extras >> 4 * i, 4) & 0xFF) << 8 * i;
  return offsets | (extras >> 12 & 0xF) << 24;
}

/* --- Staging words --- */

static unsigned
axes_of(const NornValhallSimInstruction *instruction) {
  static const uint8_t axes[] = {[NORN_VALHALL_DIMENSION_1D] = 1,
                                 [NORN_VALHALL_DIMENSION_2D] = 2,
                                 [NORN_VALHALL_DIMENSION_3D] = 3,
                                 [NORN_VALHALL_DIMENSION_CUBE] = 2};
  return axes[norn_valhall_field(instruction, NORN_VALHALL_FIELD_DIMENSION)];
}

static bool
is_cube(const NornValhallSimInstruction *instruction) {
  return norn_valhall_field(instruction, NORN_VALHALL_FIELD_DIMENSION) ==
         NORN_VALHALL_DIMENSION_CUBE;
}

/* The number of words that the mode stages for the level of detail. */
static unsigned
lod_words(const NornValhallSimInstruction *instruction) {
  switch (norn_valhall_field(instruction, NORN_VALHALL_FIELD_LOD_MODE)) {
  case NORN_VALHALL_LOD_MODE_EXPLICIT:
  case NORN_VALHALL_LOD_MODE_COMPUTED_BIAS:
  case NORN_VALHALL_LOD_MODE_COMPUTED_BIAS_FORCE_DELTA:
    return 1;
  case NORN_VALHALL_LOD_MODE_GRDESC:
    return 2;
  default:
    return 0;
  }
}

/* Reads the next staging words. */
static bool
take_words(NornValhallSimWarp *warp, unsigned lane, unsigned *next, unsigned count, uint32_t *words,
           GError **error) {
  for (unsigned i = 0; i < count; i++)
    if (!norn_valhall_read_staging(warp, (*next)++, lane, 0xF, &words[i], error))
      return false;
  return true;
}

static bool
read_staging(NornValhallSimWarp *warp, unsigned lane, Lookup *lookup, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  unsigned next = 0, axes = axes_of(instruction);
  bool derivative = norn_valhall_field(instruction, NORN_VALHALL_FIELD_DERIVATIVE_ENABLE);
  if (derivative)
    return take_words(warp, lane, &next, 2 * (axes + is_cube(instruction)), lookup->derivatives,
                      error);
  return take_words(warp, lane, &next, axes, lookup->coordinate, error) &&
         take_words(warp, lane, &next,
                    norn_valhall_field(instruction, NORN_VALHALL_FIELD_ARRAY_ENABLE),
                    &lookup->layer, error) &&
         take_words(warp, lane, &next, norn_valhall_field(instruction, NORN_VALHALL_FIELD_SHADOW),
                    &lookup->reference, error) &&
         take_words(warp, lane, &next,
                    norn_valhall_field(instruction, NORN_VALHALL_FIELD_TEXEL_OFFSET),
                    &lookup->offsets, error) &&
         take_words(warp, lane, &next, lod_words(instruction), lookup->lod, error);
}

static double
number(uint32_t bits) {
  return norn_float_to_double(NORN_FLOAT_32, bits);
}

/* A cube's first word has the face in its top three bits, in place of those of a number between
 * 2^-63 and 2. */
#define CUBE_FRACTION_BITS UINT32_C(0x1FFFFFFF)
#define CUBE_EXPONENT_BIT UINT32_C(0x20000000)

/* The direction that the face and the coordinates were computed from, scaled so that its largest
 * component is 1. */
static void
cube_direction(const uint32_t *words, double *direction) {
  uint32_t fraction = words[0] & CUBE_FRACTION_BITS;
  double s = fraction ? number(fraction | CUBE_EXPONENT_BIT) * 2 - 1 : -1;
  double t = number(words[1]) * 2 - 1;
  const double faces[8][3] = {{1, -t, -s}, {-1, -t, s},  {s, 1, t}, {s, -1, -t},
                              {s, -t, 1},  {-s, -t, -1}, {0, 0, 0}, {0, 0, 0}};
  for (unsigned i = 0; i < 3; i++)
    direction[i] = faces[words[0] >> NORN_VALHALL_CUBE_FACE_SHIFT][i];
}

static void
convert_coordinates(const NornValhallSimInstruction *instruction, Lookup *lookup) {
  bool integers = norn_valhall_field(instruction, NORN_VALHALL_FIELD_INTEGER_COORDINATES);
  if (is_cube(instruction)) {
    cube_direction(lookup->coordinate, lookup->position);
    return;
  }
  for (unsigned i = 0; i < axes_of(instruction); i++)
    lookup->position[i] = integers ? (int32_t)lookup->coordinate[i] : number(lookup->coordinate[i]);
}

static bool
read_lookup(NornValhallSimWarp *warp, unsigned lane, Lookup *lookup, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  uint64_t operand;
  if (!norn_valhall_read_defined(warp, 0, lane, &operand, error) ||
      !read_staging(warp, lane, lookup, error))
    return false;
  find_texture(warp, operand, lookup);
  bool wide = norn_valhall_field(instruction, NORN_VALHALL_FIELD_WIDE_INDICES);
  if (!wide && !norn_valhall_field(instruction, NORN_VALHALL_FIELD_TEXEL_OFFSET))
    lookup->offsets = narrow_offsets((uint32_t)(operand >> 32));
  convert_coordinates(instruction, lookup);
  lookup->runs = true;
  return true;
}

/* --- Level of detail --- */

static NornTextureQuery
query_of(const NornValhallSimInstruction *instruction, const Lookup *lookup) {
  bool cube = is_cube(instruction);
  NornTextureQuery query = {
      .image = lookup->image,
      .sampler = lookup->sampler,
      .axes = cube ? 3 : axes_of(instruction),
      .is_cube = cube,
      .layer = number(lookup->layer),
      .compares = norn_valhall_field(instruction, NORN_VALHALL_FIELD_SHADOW),
      .reference = (float)number(lookup->reference),
  };
  for (unsigned i = 0; i < 3; i++) {
    query.coordinate[i] = lookup->position[i];
    query.offset[i] = (int8_t)(lookup->offsets >> 8 * i);
  }
  return query;
}

/* The difference between the position of the neighbor along `axis` (1: x, 2: y) of the quad and
 * that of the lane; 0 if the neighbor does not take part. */
static void
quad_difference(const Lookup lookups[NORN_VALHALL_WARP], unsigned lane, unsigned axis,
                double difference[3]) {
  const Lookup *own = &lookups[lane], *other = &lookups[lane ^ axis];
  for (unsigned i = 0; i < 3; i++)
    difference[i] = own->runs && other->runs ? other->position[i] - own->position[i] : 0;
}

static double
computed_lod(const NornTextureQuery *query, const Lookup lookups[NORN_VALHALL_WARP],
             unsigned lane) {
  double dx[3], dy[3];
  quad_difference(lookups, lane, 1, dx);
  quad_difference(lookups, lane, 2, dy);
  return norn_texture_lod(query, dx, dy);
}

/* A signed number with eight fraction bits in a half. */
static double
fixed_point(uint32_t half) {
  return (int16_t)half / 256.0;
}

static double
level_of_detail(const NornValhallSimInstruction *instruction, const NornTextureQuery *query,
                const Lookup lookups[NORN_VALHALL_WARP], unsigned lane) {
  const uint32_t *words = lookups[lane].lod;
  switch (norn_valhall_field(instruction, NORN_VALHALL_FIELD_LOD_MODE)) {
  case NORN_VALHALL_LOD_MODE_ZERO:
    return 0;
  case NORN_VALHALL_LOD_MODE_EXPLICIT:
  case NORN_VALHALL_LOD_MODE_GRDESC:
    return fixed_point(words[0]);
  case NORN_VALHALL_LOD_MODE_COMPUTED_BIAS:
  case NORN_VALHALL_LOD_MODE_COMPUTED_BIAS_FORCE_DELTA:
    /* It is a guess that the minimum level is applied after the sampler's bias, which is added
     * later. */
    return MAX(computed_lod(query, lookups, lane) + fixed_point(words[0]),
               fixed_point(words[0] >> 16) - query->sampler->lod_bias);
  default:
    return computed_lod(query, lookups, lane);
  }
}

/* --- Results --- */

/* Writes the components in the mask, packed. */
static bool
write_result(NornValhallSimWarp *warp, unsigned lane, NornChannelKind kind, NornTexel texel,
             GError **error) {
  unsigned mask = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_WRITE_MASK), count = 0;
  unsigned bits = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_REGISTER_WIDTH) ==
                          NORN_VALHALL_REGISTER_WIDTH_16
                      ? 16
                      : 32;
  uint32_t components[4];
  for (unsigned i = 0; i < 4; i++)
    if (mask >> i & 1)
      components[count++] = norn_component_narrow(bits, kind, texel.channel[i]);
  return norn_valhall_write_components(warp, lane, bits, count, components, error);
}

/* Leaves the results of a lane that did not take part undefined. */
static bool
write_nothing(NornValhallSimWarp *warp, unsigned lane, GError **error) {
  for (unsigned i = 0; i < warp->instruction->staging_write.count; i++)
    if (!norn_valhall_write_staging(warp, i, lane, 0, 0, error))
      return false;
  return true;
}

/* --- Look-ups --- */

typedef NornTexel (*LookupFunction)(NornValhallSimWarp *warp,
                                    const Lookup lookups[NORN_VALHALL_WARP], unsigned lane);

static NornTexel
sample_texture(NornValhallSimWarp *warp, const Lookup lookups[NORN_VALHALL_WARP], unsigned lane) {
  NornTextureQuery query = query_of(warp->instruction, &lookups[lane]);
  double lod = level_of_detail(warp->instruction, &query, lookups, lane);
  return norn_texture_sample(&query, warp->run->launch->memory, lod);
}

static NornTexel
gather_texture(NornValhallSimWarp *warp, const Lookup lookups[NORN_VALHALL_WARP], unsigned lane) {
  NornTextureQuery query = query_of(warp->instruction, &lookups[lane]);
  return norn_texture_gather(
      &query, warp->run->launch->memory,
      norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_FETCH_COMPONENT));
}

/* Integer coordinates; the third byte of the offsets is added to the sample number if there are
 * several samples, and the fourth is the level. */
static NornTexel
fetch_texel(NornValhallSimWarp *warp, const Lookup lookups[NORN_VALHALL_WARP], unsigned lane) {
  const Lookup *lookup = &lookups[lane];
  const NornImage *image = lookup->image;
  NornTexelCoordinates at = {.level = lookup->offsets >> 24, .layer = (int32_t)lookup->layer};
  int64_t *axes[3] = {&at.x, &at.y, &at.z};
  for (unsigned i = 0; i < axes_of(warp->instruction); i++)
    *axes[i] = (int64_t)(int32_t)lookup->coordinate[i] + (int8_t)(lookup->offsets >> 8 * i);
  if (image->samples > 1)
    at.sample = lookup->offsets >> 16 & 0xFF;
  const uint8_t *bytes = norn_image_texel(image, warp->run->launch->memory, at);
  return bytes ? norn_format_read(image->format, bytes) : (NornTexel){{0, 0, 0, 0}};
}

/* The level of detail in the low half of the first word, for grdesc. */
static NornTexel
gradient_of_texture(NornValhallSimWarp *warp, const Lookup lookups[NORN_VALHALL_WARP],
                    unsigned lane) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  const Lookup *lookup = &lookups[lane];
  NornTextureQuery query = query_of(instruction, lookup);
  double lod;
  (void)warp;
  if (norn_valhall_field(instruction, NORN_VALHALL_FIELD_DERIVATIVE_ENABLE)) {
    double steps[2][3] = {{0}};
    for (unsigned i = 0; i < query.axes; i++)
      for (unsigned k = 0; k < 2; k++)
        steps[k][i] = number(lookup->derivatives[2 * i + k]);
    lod = norn_texture_lod(&query, steps[0], steps[1]);
  } else {
    lod = computed_lod(&query, lookups, lane);
    if (!norn_valhall_field(instruction, NORN_VALHALL_FIELD_LOD_BIAS_DISABLE))
      lod += lookup->sampler->lod_bias;
    if (!norn_valhall_field(instruction, NORN_VALHALL_FIELD_LOD_CLAMP_DISABLE))
      lod = norn_texture_level(&query, lod);
  }
  /* There is no level for NaN; what the hardware returns is not known, so it is 0. */
  return (NornTexel){{(uint16_t)(int16_t)(norn_texture_lod_step(lod) * 256), 0, 0, 0}};
}

static LookupFunction
function_of(const NornValhallSimInstruction *instruction) {
  switch (instruction->encoding->instruction) {
  case NORN_VALHALL_TEX_GATHER:
    return gather_texture;
  case NORN_VALHALL_TEX_FETCH:
    return fetch_texel;
  case NORN_VALHALL_TEX_GRADIENT:
    return gradient_of_texture;
  default:
    return sample_texture;
  }
}

static bool
look_up(NornValhallSimWarp *warp, GError **error) {
  Lookup lookups[NORN_VALHALL_WARP] = {{0}};
  LookupFunction function = function_of(warp->instruction);
  bool skips = norn_valhall_field(warp->instruction, NORN_VALHALL_FIELD_SKIP);
  bool is_gradient = function == gradient_of_texture;
  norn_valhall_for_each_active(warp, lane) {
    if (!(skips && norn_valhall_is_helper(warp, lane)) &&
        !read_lookup(warp, lane, &lookups[lane], error))
      return false;
  }
  norn_valhall_for_each_active(warp, lane) {
    const Lookup *lookup = &lookups[lane];
    NornTexel texel = {{0, 0, 0, 0}};
    bool exists = lookup->image && (lookup->sampler || function == fetch_texel);
    if (lookup->runs && exists)
      texel = function(warp, lookups, lane);
    NornChannelKind kind = exists && !is_gradient ? lookup->image->format.kind : NORN_CHANNEL_UINT;
    norn_valhall_drop_last_uses(warp, lane);
    if (lookup->runs ? !write_result(warp, lane, kind, texel, error)
                     : !write_nothing(warp, lane, error))
      return false;
  }
  return true;
}

NornValhallSimAction
norn_valhall_texture_message(uint16_t instruction) {
  switch (instruction) {
  case NORN_VALHALL_TEX_FETCH:
  case NORN_VALHALL_TEX_SINGLE:
  case NORN_VALHALL_TEX_GATHER:
  case NORN_VALHALL_TEX_GRADIENT:
    return look_up;
  default:
    return NULL;
  }
}
