/* Running shaders with Vulkan, without a window, on a device that is implemented in software
 * (Mesa's lavapipe). Any failure ends the process, so each run has its own process. */
#ifndef NORN_TESTS_LAVAPIPE_GPU_H
#define NORN_TESTS_LAVAPIPE_GPU_H

#include "scene.h"

/* Whether there is such a device; if not, *reason says why. */
gboolean gpu_is_there(const char **reason);

/* Runs a compute shader on the scene and updates the scene's contents. */
void gpu_compute(Scene *scene, const Shader *shader);

/* Draws the scene's triangles; `pixels` gets PICTURE_SIDE^2 texels of four words for each color of
 * the scene. */
void gpu_draw(Scene *scene, const Shader *vertex, const Shader *fragment, guint32 *pixels);

#endif
