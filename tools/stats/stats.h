/* What `norn stats` counts of each program, and how it shows it. */
#ifndef NORN_TOOLS_STATS_H
#define NORN_TOOLS_STATS_H

#include "tool.h"

/* One program, or why there is none. */
typedef struct StatsProgram {
  char *file;
  const char *part;  /* of a vertex shader run as two programs, else its stage; NULL: not known */
  gboolean compiled; /* `info` counts: it was not machine code */
  NornStatistics statistics;
  NornCompileInfo info;
  GError *error; /* nullable */
} StatsProgram;

/* A figure of a program. Better is less, unless `is_more_better`. */
typedef struct StatsColumn {
  const char *name;  /* in JSON */
  const char *title; /* above the column */
  gboolean is_more_better;
  gboolean is_compared; /* by --diff */
  double (*get)(const StatsProgram *program);
} StatsColumn;

extern const StatsColumn stats_columns[]; /* ends with a row without name */

/* Compiles and counts each file on `jobs` threads; a shader that is run as two programs gives two.
 * Returns StatsProgram pointers in the order of the files. */
GPtrArray *stats_collect(char **files, const ToolTarget *target, unsigned trips, unsigned jobs);

/* The programs as text: a paragraph for each, a table, or JSON. Free it with g_free. */
char *stats_print_text(const GPtrArray *programs);
char *stats_print_table(const GPtrArray *programs);
char *stats_print_json(const GPtrArray *programs);

/* Compares two files that stats_print_json made. Sets *worse if the geometric mean of a figure grew
 * by more than `limit` percent. */
char *stats_compare(const char *old_path, const char *new_path, double limit, gboolean *worse,
                    GError **error);

#endif
