/* Pictures through libpng's interface for whole images, which handles all kinds of files and
 * reports errors as text. */
#include "common/picture.h"

#include <norn/error.h>

#ifdef NORN_HAS_PNG
#include <png.h>

static gboolean
fail(png_image *image, const char *name, GError **error) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: %s", name, image->message);
  png_image_free(image);
  return FALSE;
}

gboolean
tool_picture_read(GBytes *bytes, const char *name, guint64 limit, ToolPicture *picture,
                  GError **error) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  gsize size;
  const void *data = g_bytes_get_data(bytes, &size);
  if (!png_image_begin_read_from_memory(&image, data ? data : "", size))
    return fail(&image, name, error);
  image.format = PNG_FORMAT_RGBA;
  image.flags |=
      PNG_IMAGE_FLAG_16BIT_sRGB; /* values of 16 bits are the same, only with finer steps */
  guint64 pixels = (guint64)image.width * image.height;
  *picture = (ToolPicture){image.width, image.height, NULL};
  if (pixels <= limit)
    picture->pixels = g_try_malloc0_n(pixels, 4);
  if (!picture->pixels) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "%s: %ux%u pixels, expected at most %" G_GUINT64_FORMAT " and memory for them",
                name, image.width, image.height, limit);
    png_image_free(&image);
    return FALSE;
  }
  if (png_image_finish_read(&image, NULL, picture->pixels, 0, NULL))
    return TRUE;
  g_clear_pointer(&picture->pixels, g_free);
  return fail(&image, name, error);
}

GBytes *
tool_picture_write(const ToolPicture *picture, GError **error) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = picture->width,
                     .height = picture->height,
                     .format = PNG_FORMAT_RGBA};
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  guint8 *data = g_try_malloc(size);
  if (!data) {
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_LIMIT, "not enough memory for the picture");
    return NULL;
  }
  if (png_image_write_to_memory(&image, data, &size, 0, picture->pixels, 0, NULL))
    return g_bytes_new_take(data, size);
  g_free(data);
  fail(&image, "the picture", error);
  return NULL;
}
#else
static void
fail(GError **error) {
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                      "this build does not support pictures, since libpng is missing (Debian: "
                      "libpng-dev, then meson configure -Dpng=enabled)");
}

gboolean
tool_picture_read(GBytes *bytes, const char *name, guint64 limit, ToolPicture *picture,
                  GError **error) {
  (void)bytes, (void)name, (void)limit, (void)picture;
  fail(error);
  return FALSE;
}

GBytes *
tool_picture_write(const ToolPicture *picture, GError **error) {
  (void)picture;
  fail(error);
  return NULL;
}
#endif
