/* Texels and filtering.
 *
 * A look-up chooses one or two levels by the level of detail, and in each of them one texel
 * (nearest) or the 2, 4 or 8 texels around the coordinates (linear). It wraps each texel's
 * coordinates and mixes the texels. Weights are not rounded, and sums are computed in double.
 * Each cube face is filtered by itself, without its neighbors. */
#include "sim/common/image.h"
#include "ir/assert.h"
#include <math.h>

/* Coordinates beyond this many texels are treated as infinite. */
#define COORDINATE_LIMIT 1e15

/* --- Formats --- */

unsigned
norn_pixel_format_bytes(NornPixelFormat format) {
  return format.channels * format.bits / 8u;
}

static float
float_of_bits(uint32_t bits) {
  return (float)norn_float_to_double(NORN_FLOAT_32, bits);
}

static uint32_t
bits_of_double(double value) {
  return (uint32_t)norn_float_from_double(NORN_FLOAT_32, value);
}

static uint32_t
read_channel(NornPixelFormat format, uint64_t bits) {
  double scale = (double)norn_int_mask(format.bits - (format.kind == NORN_CHANNEL_SNORM));
  int64_t number = norn_int_sign_extend(bits, format.bits);
  switch (format.kind) {
  case NORN_CHANNEL_UNORM:
    return bits_of_double((double)bits / scale);
  case NORN_CHANNEL_SNORM:
    return bits_of_double(MAX((double)number / scale, -1.0));
  case NORN_CHANNEL_SINT:
    return (uint32_t)number;
  case NORN_CHANNEL_FLOAT:
    return format.bits == 32 ? (uint32_t)bits
                             : (uint32_t)norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32,
                                                            NORN_FLOAT_MODE_DEFAULT, bits);
  case NORN_CHANNEL_UINT:
    break;
  }
  return (uint32_t)bits;
}

/* `value` clamped to `low` and 1 (NaN gives 0), times the greatest integer, rounded to nearest
 * even. */
static uint64_t
write_normalized(double value, double low, unsigned bits, bool is_signed) {
  double scale = (double)norn_int_mask(bits - is_signed);
  double clamped = value > low ? MIN(value, 1.0) : value <= low ? low : 0.0;
  return (uint64_t)(int64_t)rint(clamped * scale);
}

static uint64_t
write_channel(NornPixelFormat format, uint32_t bits) {
  switch (format.kind) {
  case NORN_CHANNEL_UNORM:
    return write_normalized(float_of_bits(bits), 0, format.bits, false);
  case NORN_CHANNEL_SNORM:
    return write_normalized(float_of_bits(bits), -1, format.bits, true);
  case NORN_CHANNEL_UINT:
    return norn_int_saturate(bits, 32, false, format.bits, false);
  case NORN_CHANNEL_SINT:
    return norn_int_saturate(bits, 32, true, format.bits, true);
  case NORN_CHANNEL_FLOAT:
    break;
  }
  return format.bits == 32
             ? bits
             : norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, NORN_FLOAT_MODE_DEFAULT, bits);
}

NornTexel
norn_format_read(NornPixelFormat format, const uint8_t *bytes) {
  uint32_t one =
      norn_channel_is_integer(format.kind) ? 1 : (uint32_t)norn_float_one(NORN_FLOAT_32, false);
  NornTexel texel = {{0, 0, 0, one}};
  unsigned size = format.bits / 8u;
  for (unsigned c = 0; c < format.channels; c++) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < size; i++)
      bits |= (uint64_t)bytes[c * size + i] << 8 * i;
    texel.channel[c] = read_channel(format, bits);
  }
  return texel;
}

void
norn_format_write(NornPixelFormat format, uint8_t *bytes, NornTexel texel) {
  unsigned size = format.bits / 8u;
  for (unsigned c = 0; c < format.channels; c++) {
    uint64_t bits = write_channel(format, texel.channel[c]);
    for (unsigned i = 0; i < size; i++)
      bytes[c * size + i] = (uint8_t)(bits >> 8 * i);
  }
}

uint32_t
norn_component_narrow(unsigned bits, NornChannelKind kind, uint32_t channel) {
  if (bits == 32)
    return channel;
  if (norn_channel_is_integer(kind))
    return (uint16_t)channel;
  return (uint32_t)norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, NORN_FLOAT_MODE_DEFAULT,
                                      channel);
}

uint32_t
norn_component_widen(unsigned bits, NornChannelKind kind, uint32_t component) {
  if (bits == 32)
    return component;
  if (norn_channel_is_integer(kind))
    return kind == NORN_CHANNEL_SINT ? (uint32_t)norn_int_sign_extend(component, 16)
                                     : (uint16_t)component;
  return (uint32_t)norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT,
                                      (uint16_t)component);
}

/* --- Locations --- */

void
norn_image_size(const NornImage *image, uint32_t level, uint32_t size[4]) {
  unsigned shift = MIN(level, 31);
  size[0] = MAX(image->width >> shift, 1);
  size[1] = MAX(image->height >> shift, 1);
  size[2] = MAX(image->depth >> shift, 1);
  size[3] = image->layers;
}

/* The texels of a level, including all layers and samples. */
static uint64_t
level_texels(const NornImage *image, uint32_t level) {
  uint32_t size[4];
  norn_image_size(image, level, size);
  return (uint64_t)size[0] * size[1] * size[2] * size[3] * image->samples;
}

/* The number of levels that are possible for an image; the length of the longest texel buffer. */
#define LEVEL_LIMIT 17
#define ROW_LIMIT (1u << 27)

bool
norn_pixel_format_exists(NornPixelFormat format) {
  bool size = format.bits == 8 || format.bits == 16 || format.bits == 32;
  bool real = format.kind == NORN_CHANNEL_UNORM || format.kind == NORN_CHANNEL_SNORM;
  return size && format.channels >= 1 && format.channels <= 4 &&
         format.kind <= NORN_CHANNEL_FLOAT && !(real && format.bits == 32) &&
         !(format.kind == NORN_CHANNEL_FLOAT && format.bits == 8);
}

bool
norn_image_bytes(const NornImage *image, uint64_t *bytes) {
  const uint32_t sides[] = {image->width, image->height, image->depth, image->layers};
  bool good = norn_pixel_format_exists(image->format) && image->levels >= 1 &&
              image->levels <= LEVEL_LIMIT && image->samples >= 1 && image->samples <= 16;
  uint64_t texels = good;
  if (image->is_buffer)
    good &= image->levels == 1 && image->samples == 1;
  for (unsigned i = 0; good && i < 4; i++) {
    uint32_t limit = !image->is_buffer ? NORN_IMAGE_SIDE_LIMIT : i == 0 ? ROW_LIMIT : 1;
    good = sides[i] >= 1 && sides[i] <= limit && texels <= UINT32_MAX / sides[i];
    texels *= sides[i];
  }
  *bytes = 0;
  for (uint32_t level = 0; good && level < image->levels; level++)
    *bytes += level_texels(image, level) * norn_pixel_format_bytes(image->format);
  return good;
}

bool
norn_image_check(const NornImage *image, const NornMemory *memory, GError **error) {
  uint64_t size, available = 0;
  if (!norn_image_bytes(image, &size)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "an image of %u x %u x %u texels, %u layers, %u levels and %u samples in %u "
                "channels of %u bits is not possible",
                image->width, image->height, image->depth, image->layers, image->levels,
                image->samples, image->format.channels, image->format.bits);
    return false;
  }
  if (memory && image->buffer < norn_memory_count(memory)) {
    size_t bytes;
    norn_memory_bytes((NornMemory *)memory, image->buffer, &bytes);
    available = bytes;
  }
  if (image->offset <= available && size <= available - image->offset)
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "an image of %" G_GUINT64_FORMAT " bytes at byte %" G_GUINT64_FORMAT
              " does not fit into its buffer of %" G_GUINT64_FORMAT " bytes",
              size, image->offset, available);
  return false;
}

uint8_t *
norn_image_texel(const NornImage *image, NornMemory *memory, NornTexelCoordinates coordinates) {
  uint32_t size[4];
  if (coordinates.level >= image->levels || coordinates.sample >= image->samples)
    return NULL;
  norn_image_size(image, coordinates.level, size);
  if (coordinates.x < 0 || coordinates.x >= size[0] || coordinates.y < 0 ||
      coordinates.y >= size[1] || coordinates.z < 0 || coordinates.z >= size[2] ||
      coordinates.layer < 0 || coordinates.layer >= size[3])
    return NULL;
  NORN_ASSERT(memory && image->buffer < norn_memory_count(memory)); /* norn_image_check */
  uint64_t texel = 0;
  for (uint32_t level = 0; level < coordinates.level; level++)
    texel += level_texels(image, level);
  uint64_t row = ((uint64_t)coordinates.layer * size[2] + (uint64_t)coordinates.z) * size[1] +
                 (uint64_t)coordinates.y;
  texel += (row * size[0] + (uint64_t)coordinates.x) * image->samples + coordinates.sample;
  return norn_memory_bytes(memory, image->buffer, NULL) + image->offset +
         texel * norn_pixel_format_bytes(image->format);
}

/* --- Coordinates --- */

/* A position on a cube: a face from 0 to 5, and coordinates from 0 to 1 on it. If magnitudes are
 * equal, z is preferred to y, and y to x. */
typedef struct Face {
  unsigned number;
  double s, t;
} Face;

static Face
face_coordinates(const double d[3], unsigned number) {
  double m = fabs(d[number / 2]);
  double sign = number % 2 ? -1 : 1, s, t;
  switch (number / 2) {
  case 0:
    s = -sign * d[2];
    t = -d[1];
    break;
  case 1:
    s = d[0];
    t = sign * d[2];
    break;
  default:
    s = sign * d[0];
    t = -d[1];
  }
  return (Face){number, m > 0 ? s / m / 2 + 0.5 : 0.5, m > 0 ? t / m / 2 + 0.5 : 0.5};
}

static Face
cube_face(const double d[3]) {
  double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
  unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return face_coordinates(d, axis * 2 + (d[axis] < 0));
}

/* The direction of a position on a face. The position may lie beyond the face's edges. */
static void
face_direction(Face face, double d[3]) {
  double sign = face.number % 2 ? -1 : 1, s = 2 * face.s - 1, t = 2 * face.t - 1;
  d[face.number / 2] = sign;
  switch (face.number / 2) {
  case 0:
    d[2] = -sign * s;
    d[1] = -t;
    break;
  case 1:
    d[0] = s;
    d[2] = sign * t;
    break;
  default:
    d[0] = sign * s;
    d[1] = -t;
  }
}

/* A query reduced to coordinates on layers with at most three axes. */
typedef struct Look {
  const NornTextureQuery *query;
  double coordinate[3];
  int64_t layer;
} Look;

static int64_t
round_layer(double layer, uint32_t count) {
  double nearest = rint(layer);
  return nearest > 0 ? (int64_t)MIN(nearest, (double)count - 1) : 0;
}

static Look
resolve(const NornTextureQuery *query) {
  Look look = {query, {0, 0, 0}, 0};
  uint32_t cube_layers = query->is_cube ? 6 : 1;
  int64_t layer = round_layer(query->layer, MAX(query->image->layers / cube_layers, 1));
  if (query->is_cube) {
    Face face = cube_face(query->coordinate);
    look.coordinate[0] = face.s;
    look.coordinate[1] = face.t;
    look.layer = layer * 6 + face.number;
    return look;
  }
  for (unsigned i = 0; i < query->axes; i++)
    look.coordinate[i] = query->coordinate[i];
  look.layer = layer;
  return look;
}

/* The texel that replaces texel `i` of a row of `size`, or -1 for the border. */
static int64_t
wrap_texel(NornWrap wrap, int64_t i, int64_t size) {
  int64_t rest;
  switch (wrap) {
  case NORN_WRAP_REPEAT:
    rest = i % size;
    return rest < 0 ? rest + size : rest;
  case NORN_WRAP_MIRROR:
    rest = i % (2 * size);
    rest = rest < 0 ? rest + 2 * size : rest;
    return rest < size ? rest : 2 * size - 1 - rest;
  case NORN_WRAP_BORDER:
    return i >= 0 && i < size ? i : -1;
  case NORN_WRAP_CLAMP:
    break;
  }
  return CLAMP(i, 0, size - 1);
}

bool
norn_compare(NornCompare compare, double reference, double texel) {
  switch (compare) {
  case NORN_COMPARE_NEVER:
    return false;
  case NORN_COMPARE_LESS:
    return reference < texel;
  case NORN_COMPARE_EQUAL:
    return reference == texel;
  case NORN_COMPARE_LESS_EQUAL:
    return reference <= texel;
  case NORN_COMPARE_GREATER:
    return reference > texel;
  case NORN_COMPARE_NOT_EQUAL:
    return reference != texel;
  case NORN_COMPARE_GREATER_EQUAL:
    return reference >= texel;
  case NORN_COMPARE_ALWAYS:
    break;
  }
  return true;
}

static uint32_t
border_channel(NornChannelKind kind, float value) {
  NornFloatMode mode = {NORN_ROUND_ZERO, false, false};
  uint32_t bits = bits_of_double(value);
  return norn_channel_is_integer(kind)
             ? (uint32_t)norn_float_to_int(NORN_FLOAT_32, mode, bits, 32, kind == NORN_CHANNEL_SINT)
             : bits;
}

/* The texel one beyond an edge of a cube's face: a texel of the adjacent face. Seen from the
 * middle of the cube, its center lies in no other texel. */
static void
cross_edge(const int64_t at[3], int64_t size, NornTexelCoordinates *coordinates) {
  double direction[3], middle = 0.5;
  Face from = {(unsigned)(coordinates->layer % 6), ((double)at[0] + middle) / (double)size,
               ((double)at[1] + middle) / (double)size};
  face_direction(from, direction);
  Face to = cube_face(direction);
  coordinates->layer += (int64_t)to.number - from.number;
  coordinates->x = CLAMP((int64_t)floor(to.s * (double)size), 0, size - 1);
  coordinates->y = CLAMP((int64_t)floor(to.t * (double)size), 0, size - 1);
}

static NornTexel fetch_corner(const Look *look, NornMemory *memory, uint32_t level,
                              const int64_t at[3], int64_t size);

/* The texel after wrapping or replacement by the border color, compared if the query compares. */
static NornTexel
fetch(const Look *look, NornMemory *memory, uint32_t level, const int64_t at[3]) {
  const NornTextureQuery *query = look->query;
  const NornSampler *sampler = query->sampler;
  NornTexelCoordinates coordinates = {level, 0, 0, 0, look->layer, 0};
  int64_t *axes[3] = {&coordinates.x, &coordinates.y, &coordinates.z};
  uint32_t size[4];
  bool border = false;
  norn_image_size(query->image, level, size);
  for (unsigned i = 0; i < (query->is_cube ? 2 : query->axes); i++) {
    NornWrap wrap = query->is_cube ? NORN_WRAP_CLAMP : sampler->wrap[i];
    *axes[i] = wrap_texel(wrap, at[i], size[i]);
    border |= *axes[i] < 0;
  }
  bool is_beyond[2] = {coordinates.x != at[0], coordinates.y != at[1]};
  if (query->is_cube && is_beyond[0] && is_beyond[1] &&
      !norn_channel_is_integer(query->image->format.kind))
    return fetch_corner(look, memory, level, at, size[0]);
  if (query->is_cube && is_beyond[0] != is_beyond[1])
    cross_edge(at, size[0], &coordinates);
  NornTexel texel = {{0, 0, 0, 0}};
  const uint8_t *bytes = border ? NULL : norn_image_texel(query->image, memory, coordinates);
  if (bytes)
    texel = norn_format_read(query->image->format, bytes);
  else if (border)
    for (unsigned c = 0; c < 4; c++)
      texel.channel[c] = border_channel(query->image->format.kind, sampler->border[c]);
  if (!query->compares)
    return texel;
  bool clamps = query->image->format.kind == NORN_CHANNEL_UNORM;
  double reference = clamps ? CLAMP(query->reference, 0, 1) : query->reference;
  uint32_t result =
      bits_of_double(norn_compare(sampler->compare, reference, float_of_bits(texel.channel[0])));
  for (unsigned c = 0; c < 4; c++)
    texel.channel[c] = result;
  return texel;
}

/* At a corner of the cube, where three faces meet, there is no fourth texel: the mean of the
 * three. */
static NornTexel
fetch_corner(const Look *look, NornMemory *memory, uint32_t level, const int64_t at[3],
             int64_t size) {
  int64_t x = CLAMP(at[0], 0, size - 1), y = CLAMP(at[1], 0, size - 1);
  const int64_t around[3][3] = {{x, y, 0}, {at[0], y, 0}, {x, at[1], 0}};
  double sums[4] = {0, 0, 0, 0};
  NornTexel texel;
  for (unsigned i = 0; i < 3; i++) {
    texel = fetch(look, memory, level, around[i]);
    for (unsigned c = 0; c < 4; c++)
      sums[c] += float_of_bits(texel.channel[c]);
  }
  for (unsigned c = 0; c < 4; c++)
    texel.channel[c] = bits_of_double(sums[c] / 3);
  return texel;
}

/* The coordinate in texels of a level, including offsets; NaN counts as 0. */
static double
texel_coordinate(const Look *look, unsigned axis, uint32_t size) {
  double coordinate = look->coordinate[axis];
  if (!look->query->sampler->unnormalized)
    coordinate *= size;
  coordinate += look->query->offset[axis];
  return coordinate != coordinate ? 0 : CLAMP(coordinate, -COORDINATE_LIMIT, COORDINATE_LIMIT);
}

/* --- Filters --- */

/* The texels below and above a position on each axis, and the weight of the one above. */
typedef struct FilterFootprint {
  int64_t low[3];
  double weight[3];
} FilterFootprint;

static FilterFootprint
footprint(const Look *look, uint32_t level, bool linear) {
  FilterFootprint print = {{0, 0, 0}, {0, 0, 0}};
  uint32_t size[4];
  norn_image_size(look->query->image, level, size);
  for (unsigned i = 0; i < (look->query->is_cube ? 2 : look->query->axes); i++) {
    double center = texel_coordinate(look, i, size[i]) - (linear ? 0.5 : 0);
    print.low[i] = (int64_t)floor(center);
    if (look->query->is_cube && !linear) /* the edge belongs to the face */
      print.low[i] = CLAMP(print.low[i], 0, (int64_t)size[i] - 1);
    print.weight[i] = linear ? center - floor(center) : 0;
  }
  return print;
}

/* Adds the texels of one level, multiplied by `weight`, to the four sums. */
static void
add_level(const Look *look, NornMemory *memory, uint32_t level, bool linear, double weight,
          double sums[4]) {
  FilterFootprint print = footprint(look, level, linear);
  for (unsigned corner = 0; corner < 8; corner++) {
    double part = weight;
    int64_t at[3];
    for (unsigned i = 0; i < 3; i++) {
      bool above = corner >> i & 1;
      part *= above ? print.weight[i] : 1 - print.weight[i];
      at[i] = print.low[i] + above;
    }
    if (part == 0)
      continue;
    NornTexel texel = fetch(look, memory, level, at);
    for (unsigned c = 0; c < 4; c++)
      sums[c] += part * float_of_bits(texel.channel[c]);
  }
}

double
norn_texture_lod_step(double lod) {
  return isnan(lod) ? 0 : CLAMP(rint(lod * 256), INT16_MIN, INT16_MAX) / 256;
}

/* The level of detail clamped to the sampler's limits; NaN counts as the lower limit. */
static double
limit_lod(const NornSampler *sampler, double lod) {
  return lod > sampler->minimum_lod ? MIN(lod, sampler->maximum_lod) : sampler->minimum_lod;
}

double
norn_texture_level(const NornTextureQuery *query, double lod) {
  const NornSampler *sampler = query->sampler;
  double last = (double)query->image->levels - 1;
  lod = limit_lod(sampler, lod);
  if (sampler->mip == NORN_MIP_NONE)
    return 0;
  if (sampler->mip == NORN_MIP_NEAREST)
    lod = ceil(lod + 0.5) - 1;
  return lod > 0 ? MIN(lod, last) : 0;
}

NornTexel
norn_texture_sample(const NornTextureQuery *query, NornMemory *memory, double lod) {
  const NornSampler *sampler = query->sampler;
  Look look = resolve(query);
  double limited = limit_lod(sampler, lod + sampler->lod_bias);
  double level = norn_texture_level(query, limited);
  NornFilter filter = limited > 0 ? sampler->minify : sampler->magnify;
  if (norn_channel_is_integer(query->image->format.kind)) {
    FilterFootprint print = footprint(&look, (uint32_t)level, false);
    return fetch(&look, memory, (uint32_t)level, print.low);
  }
  double sums[4] = {0, 0, 0, 0}, fraction = level - floor(level);
  bool linear = filter == NORN_FILTER_LINEAR;
  add_level(&look, memory, (uint32_t)level, linear, 1 - fraction, sums);
  if (fraction > 0)
    add_level(&look, memory, (uint32_t)level + 1, linear, fraction, sums);
  NornTexel texel;
  for (unsigned c = 0; c < 4; c++)
    texel.channel[c] = bits_of_double(sums[c]);
  return texel;
}

NornTexel
norn_texture_gather(const NornTextureQuery *query, NornMemory *memory, unsigned channel) {
  /* The order of the results: below left, below right, above right, above left. */
  static const uint8_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
  Look look = resolve(query);
  FilterFootprint print = footprint(&look, 0, true);
  NornTexel gathered;
  for (unsigned i = 0; i < 4; i++) {
    int64_t at[3] = {print.low[0] + right[i], print.low[1] + below[i], 0};
    gathered.channel[i] = fetch(&look, memory, 0, at).channel[query->compares ? 0 : channel];
  }
  return gathered;
}

double
norn_texture_lod(const NornTextureQuery *query, const double dx[3], const double dy[3]) {
  uint32_t size[4];
  double longest = 0;
  norn_image_size(query->image, 0, size);
  const double *derivatives[2] = {dx, dy};
  Face here = query->is_cube ? cube_face(query->coordinate) : (Face){0, 0, 0};
  for (unsigned k = 0; k < 2; k++) {
    double square = 0;
    double step[3] = {derivatives[k][0], derivatives[k][1], derivatives[k][2]};
    if (query->is_cube) {
      double moved[3];
      for (unsigned i = 0; i < 3; i++)
        moved[i] = query->coordinate[i] + step[i];
      Face there = face_coordinates(moved, here.number);
      step[0] = there.s - here.s;
      step[1] = there.t - here.t;
    }
    for (unsigned i = 0; i < (query->is_cube ? 2 : query->axes); i++) {
      double texels = step[i] * (query->sampler->unnormalized ? 1 : size[i]);
      square += texels * texels;
    }
    longest = MAX(longest, sqrt(square));
  }
  return log2(longest);
}
