/* Running shaders by Vulkan, on a device that is a program (Mesa's lavapipe), without a window.
 * Whatever fails ends the process: each run is one of its own. */
#ifndef NORN_TESTS_LAVAPIPE_GPU_H
#define NORN_TESTS_LAVAPIPE_GPU_H

#include "scene.h"

/* Whether there is such a device; if not, *reason says why. */
gboolean gpu_is_there(const char **reason);

/* Runs a compute shader on the scene, whose contents become those afterwards. */
void gpu_compute(Scene *scene, const Shader *shader);

/* Draws the scene's triangles; `pixels` gets PICTURE_SIDE^2 texels of four words for each color of
 * the scene. */
void gpu_draw(Scene *scene, const Shader *vertex, const Shader *fragment, guint32 *pixels);

#endif
