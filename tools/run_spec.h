/* What to run a program on: the grid, uniforms and buffers, and what should be in the buffers
 * afterwards.
 *
 *   grid=3,2 a=2.0 n=3 x=f32[1, 2, nan] y=f32[0; 100] => y=f32[12, 24, nan]
 *
 * `grid` counts workgroups. A number goes into the uniform (FAU) of that name, in the type that the
 * program declares; a list makes a buffer and puts its address there. [v; n] is v, n times. After
 * => a NaN stands for any NaN, all else is compared bit by bit. In a file such a line stands in a
 * comment after `run:`. */
#ifndef NORN_TOOLS_RUN_SPEC_H
#define NORN_TOOLS_RUN_SPEC_H

#include <glib.h>
#include <norn/norn.h>

typedef struct RunValue {
  char *name;
  NornType type;     /* of the elements; VOID for a bare number, kept as text */
  char *number;      /* bare numbers */
  GByteArray *bytes; /* buffers: the elements, little-endian */
} RunValue;

typedef struct RunSpec {
  guint grid[3];
  GPtrArray *values;   /* RunValue */
  GPtrArray *expected; /* RunValue, all buffers */
  guint line;          /* in the file, 0 for the command line */
} RunSpec;

/* Parses one specification; `file` and `line` are for messages. */
RunSpec *run_spec_parse(const char *text, const char *file, guint line, GError **error);

/* The `run:` lines of a file, in order; an empty list if it has none. */
GPtrArray *run_spec_collect(const char *text, gsize length, const char *file, GError **error);

void run_spec_free(RunSpec *spec);

RunValue *run_spec_find(GPtrArray *values, const char *name);

/* A number in a scalar type, as raw bits. */
gboolean run_spec_number(const char *text, NornType type, guint64 *bits, GError **error);

/* "f32[12, 24, nan]". */
char *run_spec_format(NornType type, const guint8 *bytes, gsize size);

/* Whether element `index` holds what is expected. */
gboolean run_spec_equal(NornType type, const guint8 *expected, const guint8 *actual, gsize index);

/* Runs code of a register machine on what the specification says; see run_registers.c. */
gboolean tool_run_registers(GBytes *code, const char *isa, const char *architecture,
                            const RunSpec *spec, gboolean quiet, GError **error);

/* Bytes of an element. */
gsize run_spec_element_size(NornType type);

#endif
