/* Pictures that images are filled from and saved to. */
#ifndef NORN_TOOLS_RUN_PICTURES_H
#define NORN_TOOLS_RUN_PICTURES_H

#include "run/cursor.h"

/* Whether a file is a picture, by its name. */
gboolean run_is_picture(const char *path);

/* After `@`: fills an image from a picture; one without size (width 0) gets the picture's. */
gboolean run_picture_read(Cursor *cursor, RunValue *value);

/* The picture of an image's first level as a file: its slices and layers one below the other. */
GBytes *run_picture_of_image(const RunValue *value, const guint8 *bytes, GError **error);

#endif
