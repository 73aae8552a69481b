/* Pictures in files: PNG, through libpng if the build has it. */
#ifndef NORN_TOOLS_COMMON_PICTURE_H
#define NORN_TOOLS_COMMON_PICTURE_H

#include <glib.h>

/* Rows of pixels from top to bottom, four bytes each: red, green, blue, alpha. */
typedef struct ToolPicture {
  guint32 width, height;
  guint8 *pixels; /* to be freed with g_free */
} ToolPicture;

/* Reads the picture in a file. All kinds of PNG become 8 bits a channel; gray becomes red, green
 * and blue. `name` is for messages. Fails if the picture has more than `limit` pixels. */
gboolean tool_picture_read(GBytes *bytes, const char *name, guint64 limit, ToolPicture *picture,
                           GError **error);

/* The bytes of a file that holds the picture. */
GBytes *tool_picture_write(const ToolPicture *picture, GError **error);

#endif
