/* Drawing triangles with a vertex and a fragment program. */
#ifndef NORN_TOOLS_RUN_DRAW_H
#define NORN_TOOLS_RUN_DRAW_H

#include "run/run.h"

/* Stores `vertices`, the same description parsed for the vertex program, in the description of a
 * draw, and completes it; takes ownership of it in any case. */
gboolean run_draw_prepare(const Program *program, RunSpec *spec, RunSpec *vertices, GError **error);

/* Runs the vertex program, then the fragment program whose session this is. */
gboolean run_draw_run(const Program *program, Engine engine, Session *session, GError **error);

#endif
