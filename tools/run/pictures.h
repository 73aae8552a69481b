/* Pictures that images are filled from and saved to. */
#ifndef NORN_TOOLS_RUN_PICTURES_H
#define NORN_TOOLS_RUN_PICTURES_H

#include "run/cursor.h"

/* Whether a file is a picture, judging by its name. */
gboolean run_is_picture(const char *path);

/* After `@`: fills an image from a picture; an image without a size (width 0) gets the
 * picture's. */
gboolean run_picture_read(Cursor *cursor, RunValue *value);

/* An image's first level as a picture file: its slices and layers from top to bottom. */
GBytes *run_picture_of_image(const RunValue *value, const guint8 *bytes, GError **error);

#endif
