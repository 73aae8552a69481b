/* Conversion between pictures and images of a run.
 *
 * A picture's values 0 to 255 are 0 to 1 for normalized formats and floats, and 0 to 255 for
 * integers. No color space is converted. */
#include "run/pictures.h"
#include "common/picture.h"
#include "run/cursor.h"

#include <math.h>
#include <string.h>

gboolean
run_is_picture(const char *path) {
  return g_str_has_suffix(path, ".png");
}

/* The value in a format of 255 in a picture. */
static gdouble
full_scale(NornPixelFormat format) {
  switch (format.kind) {
  case NORN_CHANNEL_UNORM:
    return (gdouble)((G_GUINT64_CONSTANT(1) << format.bits) - 1);
  case NORN_CHANNEL_SNORM:
    return (gdouble)((G_GUINT64_CONSTANT(1) << (format.bits - 1)) - 1);
  case NORN_CHANNEL_FLOAT:
    return 1;
  default:
    return 255;
  }
}

static gboolean
append_pixels(RunValue *value, const ToolPicture *picture) {
  NornPixelFormat format = value->image.format;
  gdouble scale = full_scale(format) / 255;
  guint64 count = (guint64)picture->width * picture->height;
  if (!run_bytes_reserve(value->bytes, count * norn_pixel_format_bytes(format)))
    return FALSE;
  for (guint64 i = 0; i < count; i++)
    for (guint k = 0; k < format.channels; k++) {
      gdouble number = picture->pixels[4 * i + k] * scale;
      guint64 bits = value->element->is_float ? norn_float_bits(value->element->type, number)
                                              : (guint64)floor(number + 0.5);
      if (value->element->is_signed &&
          !value->element->is_float) /* 255 does not fit into 8 bits then */
        bits = MIN(bits, (G_GUINT64_CONSTANT(1) << (format.bits - 1)) - 1);
      bits = GUINT64_TO_LE(bits);
      run_bytes_append(value->bytes, &bits, value->element->size);
    }
  return TRUE;
}

gboolean
run_picture_read(Cursor *cursor, RunValue *value) {
  RunLocation location;
  g_autofree char *path = NULL;
  ToolPicture picture = {0};
  GError *problem = NULL;
  g_autoptr(GBytes) bytes = cursor_take_file(cursor, RUN_MAX_BYTES, &path, &location);
  if (!bytes)
    return FALSE;
  gboolean done = tool_picture_read(bytes, path, RUN_MAX_ELEMENTS / 4, &picture, &problem);
  NornImage *image = &value->image;
  if (!done) {
    run_spec_fail(cursor->spec, location, cursor->error, "%s", problem->message);
    g_error_free(problem);
  } else if (!image->width) {
    image->width = picture.width;
    image->height = picture.height;
  }
  if (done && (image->width != picture.width || image->height != picture.height ||
               (guint64)image->depth * image->layers * image->levels * image->samples != 1))
    done =
        run_spec_fail(cursor->spec, location, cursor->error,
                      "%s is a picture of %ux%u, expected an image of that size in one layer and "
                      "one level",
                      path, picture.width, picture.height);
  if (done && !append_pixels(value, &picture))
    done = run_spec_fail(cursor->spec, location, cursor->error, "not enough memory for %s", path);
  g_free(picture.pixels);
  return done;
}

/* A channel of a texel as a picture's value, the mean of its samples. */
static guint8
picture_channel(const RunValue *value, const guint8 *texel, guint channel) {
  const NornImage *image = &value->image;
  guint texel_bytes = norn_pixel_format_bytes(image->format);
  gdouble sum = 0;
  if (channel >= image->format.channels && !(image->format.channels == 1 && channel < 3))
    return channel == 3 ? 255 : 0;
  if (image->format.channels == 1)
    channel = 0;
  for (guint sample = 0; sample < image->samples; sample++)
    sum += run_element_double(value->element,
                              texel + (gsize)sample * texel_bytes + channel * value->element->size);
  gdouble number = sum / image->samples / full_scale(image->format) * 255;
  return (guint8)(number > 0 ? MIN(floor(number + 0.5), 255) : 0); /* NaN: 0 */
}

GBytes *
run_picture_of_image(const RunValue *value, const guint8 *bytes, GError **error) {
  const NornImage *image = &value->image;
  guint64 rows = (guint64)image->height * image->depth * image->layers,
          pixels = rows * image->width;
  ToolPicture picture = {image->width, (guint32)rows, g_try_malloc_n(pixels, 4)};
  gsize step = (gsize)norn_pixel_format_bytes(image->format) * image->samples;
  if (!picture.pixels || rows > G_MAXINT32) {
    g_free(picture.pixels);
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "not enough memory for the picture of '%s'",
                value->name);
    return NULL;
  }
  for (guint64 i = 0; i < pixels; i++)
    for (guint k = 0; k < 4; k++)
      picture.pixels[4 * i + k] = picture_channel(value, bytes + i * step, k);
  GBytes *file = tool_picture_write(&picture, error);
  g_free(picture.pixels);
  return file;
}
