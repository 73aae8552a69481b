/* The description of a run: the inputs of a program, and the expected contents of memory
 * afterward.
 *
 *   grid=3,2 a=2.0 n=3 x=f32[1, 2, nan] y=f32[0; 100] => y=f32[12, 24, nan]
 *
 * run_language in tools/run/language.c is its manual (`norn run --help` prints it). In a file, a
 * description is in a comment after `run:`; a backslash at the end of the line continues it in
 * the next comment. Everything in it is checked: sizes against each other, names when it is
 * bound to a program. */
#ifndef NORN_TOOLS_RUN_SPEC_H
#define NORN_TOOLS_RUN_SPEC_H

#include "run/value.h"

/* The manual of the language, for people. */
extern const char run_language[];

/* The file name of a description that comes from the command line. */
#define RUN_COMMAND_LINE "<command line>"

/* The greatest number of elements in a list. */
#define RUN_MAX_ELEMENTS (1u << 24)

/* The greatest total size in bytes of all lists and images of a description. */
#define RUN_MAX_BYTES (G_GUINT64_CONSTANT(1) << 30)

/* Greater than any level an image can have. */
#define RUN_HIGHEST_LOD 1000.0f

/* A position in a description; line 0: none, because the run created the value. */
typedef struct RunLocation {
  guint line, column;
} RunLocation;

typedef enum { RUN_NUMBER, RUN_LIST, RUN_GRADIENTS, RUN_IMAGE, RUN_SAMPLER } RunKind;

typedef struct RunValue {
  char *name;
  RunLocation location;
  RunKind kind;
  gboolean is_uniform;       /* written as fau.NAME: it has no other meaning */
  gboolean is_made;          /* it does not come from the description */
  gboolean is_foreign;       /* only the other program of a draw knows the name */
  char *number;              /* RUN_NUMBER: the text */
  const RunElement *element; /* of the bytes */
  RunBytes *bytes;           /* the elements, little-endian; NULL for numbers and samplers */
  NornImage image;           /* RUN_IMAGE; the buffer is set when it is bound */
  NornSampler sampler;       /* RUN_SAMPLER */
} RunValue;

/* attributeN=NAME(...) */
typedef struct RunAttribute {
  char *name;
  RunLocation location;
  guint32 index;
  NornPixelFormat format;
  guint32 offset, stride, divisor;
} RunAttribute;

/* One entry of tableN=... */
typedef struct RunEntry {
  char *name;
  RunLocation location;
  guint32 handle, stride;
} RunEntry;

/* draw=vertices(...), draw=fragments(...) or draw=triangles(...) */
typedef struct RunDraw {
  RunLocation location; /* line 0: no draw */
  NornShaderStage stage;
  guint32 size[3]; /* vertices; or width and height in pixels */
  guint32 instances, first_vertex, first_instance, draw_id, view_index;
  guint32 samples, primitive_id;
  bool by_sample, back_facing;
  bool blend_shaders; /* the targets are blended by shaders */
  float depth[3];
  bool is_triangles, is_strip;
  guint32 vertices;            /* of triangles */
  guint32 cull, depth_compare; /* NornCullMode, NornCompare */
} RunDraw;

typedef struct RunSpec RunSpec;

struct RunSpec {
  char *file;
  RunLocation location;
  guint grid[3];
  RunLocation grid_location; /* line 0: not given */
  RunDraw draw;
  GPtrArray *values;     /* RunValue */
  GPtrArray *expected;   /* RunValue with bytes */
  GPtrArray *attributes; /* RunAttribute */
  GPtrArray *entries;    /* RunEntry */
  gdouble tolerance; /* floats may differ by this fraction of the larger one, or by this much if it
                        is below 1 */
  RunSpec *vertices; /* nullable: for triangles, the description for the vertex program */
};

/* Parses one description from the command line. */
RunSpec *run_spec_parse(const char *text, GError **error);

/* The `run:` descriptions of a file's text, in order; an empty list if it has none. */
GPtrArray *run_spec_collect(const char *text, gsize length, const char *file, GError **error);

/* The texts of the descriptions of a file, each joined into one line; strings. */
GPtrArray *run_spec_texts(const char *text, gsize length);

void run_spec_free(RunSpec *spec);

/* The value of that name in an array of RunValue, which still owns it; NULL if there is none. */
RunValue *run_spec_find(GPtrArray *values, const char *name);

/* A new value with `bytes` zeros, without a location; NULL if there is not enough memory. */
RunValue *run_value_new(const char *name, RunKind kind, const RunElement *element, gsize bytes);

/* Sets an error that begins with the location in the description. Returns FALSE. */
gboolean run_spec_fail(const RunSpec *spec, RunLocation location, GError **error,
                       const char *format, ...) G_GNUC_PRINTF(4, 5);

#endif
