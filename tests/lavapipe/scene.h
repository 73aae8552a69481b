/* The inputs of one or two shaders: random resources for their declarations, and running them in
 * the interpreter and in the simulator. */
#ifndef NORN_TESTS_LAVAPIPE_SCENE_H
#define NORN_TESTS_LAVAPIPE_SCENE_H

#include <norn/norn.h>
#include <norn/spirv.h>

/* Pixels of a picture in x and y, and vertices that are drawn in triangles. */
#define PICTURE_SIDE 32
#define VERTICES 12
/* Words of push constants. */
#define PUSH_WORDS 32

/* One buffer, image or sampler. */
typedef struct Item {
  NornSpirvResource resource;
  guint32 element; /* of an array */
  guint8 *before, *bytes;
  gsize size;
  NornImage image; /* format.channels 0: a buffer */
  NornSampler sampler;
} Item;

typedef struct Attribute {
  guint32 location;
  NornPixelFormat format;
  guint8 *bytes;
  gsize size;
} Attribute;

typedef struct Color {
  guint32 location;
  NornChannelKind kind; /* of 32 bits */
  guint components;
} Color;

typedef struct Scene {
  GArray *items;      /* Item */
  GArray *attributes; /* Attribute */
  GArray *colors;     /* Color */
  guint32 push[PUSH_WORDS];
  GRand *random;
  guint groups;         /* workgroups in x: one or two, depending on the seed */
  guint shapes;         /* integers among the push constants so far */
  gint32 integers;      /* integers are less than this */
  gboolean is_positive; /* since Vulkan does not define remainders of negative numbers */
  char *skipped;        /* nullable: why this cannot be compared */
} Scene;

/* A shader, as SPIR-V and as it was read. */
typedef struct Shader {
  const char *path;
  GBytes *bytes;
  NornModule *module;
  NornSpirvInterface *interface;
  char *entry;       /* name of its entry point */
  GArray *constants; /* NornSpirvConstant: specialization constants, 32 bits each */
  NornSpirvOptions options;
} Shader;

/* Reads a shader; FALSE with *reason. */
gboolean shader_read(Shader *shader, const char *path, char **reason);

/* Reads the shaders of a drawing again with the information that they need about each other: the
 * distances that vertices are clipped by, and which varyings are interpolated without
 * perspective. FALSE with *reason. */
gboolean shader_link(Shader *vertex, Shader *fragment, char **reason);

/* The limit for integers in its inputs, since they may be indices of resources or of components. */
gint32 shader_integers(const Shader *shader);

Scene *scene_new(guint32 seed);

/* Adds what the shader declares. */
void scene_add(Scene *scene, const Shader *shader);

/* Runs a compute shader in the interpreter or the simulator and updates the contents. FALSE with
 * *reason. */
gboolean scene_compute(Scene *scene, const Shader *shader, gboolean simulate, char **reason);

/* Whether a compute shader, on these contents, divides integers by 0 or computes the remainder
 * of a negative one, which Vulkan does not define. */
gboolean scene_divides_undefined(Scene *scene, const Shader *shader);

/* Draws triangles in one of them. */
gboolean scene_draw(Scene *scene, const Shader *vertex, const Shader *fragment, gboolean simulate,
                    guint32 *pixels, char **reason);

/* Restores the original contents. */
void scene_reset(Scene *scene);

#endif
