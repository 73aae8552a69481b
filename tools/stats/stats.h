/* The figures that `norn stats` computes for each program, and how it shows them. */
#ifndef NORN_TOOLS_STATS_H
#define NORN_TOOLS_STATS_H

#include "tool.h"

#include <json-glib/json-glib.h>

/* The reasons for the figures. */
typedef struct StatsDetails {
  NornLoopReport loops;
  NornWait *waits;
  unsigned wait_count;
  unsigned moves[NORN_ORIGINS][NORN_MOVE_KINDS];
} StatsDetails;

/* A value that was spilled; it owns the strings. */
typedef struct StatsSpill {
  NornSpilledValue value;
  char *name, *definition;
} StatsSpill;

/* One program, or the reason why there is none. */
typedef struct StatsProgram {
  char *file;
  const char *part; /* which program of a vertex shader that runs as two, otherwise its stage; NULL:
                       not known */
  gboolean compiled; /* `info` is valid: it was not machine code */
  NornStatistics statistics;
  StatsDetails details;
  NornCompileInfo info;
  GArray *spills;    /* StatsSpill; nullable */
  gboolean executed; /* `timing` is valid; it does not keep its instructions */
  NornTiming timing;
  char *listing; /* nullable */
  GError *error; /* nullable */
} StatsProgram;

/* The code of a program. */
typedef struct StatsCode {
  GBytes *words; /* nullable */
  const NornIsa *isa;
  unsigned architecture;
  NornCodeMap *map; /* nullable: the code was not compiled */
} StatsCode;

static inline NornMachineCode
stats_machine_code(const StatsCode *code, const NornCompileInfo *info) {
  NornMachineCode machine = {.isa = code->isa, .architecture = code->architecture, .info = info};
  machine.words = g_bytes_get_data(code->words, &machine.size);
  return machine;
}

/* What to find out. */
typedef struct StatsOptions {
  unsigned trips, jobs;
  gboolean annotate;       /* make a listing of each program */
  gboolean run;            /* run inputs that have descriptions of runs */
  struct ToolTimer *timer; /* nullable: for all passes */
} StatsOptions;

/* What a figure is for; each includes those before it. */
typedef enum {
  STATS_SHOWN,
  STATS_COMPARED, /* by --diff */
  STATS_JUDGED,   /* counts for whether the new one is worse */
} StatsUse;

/* A figure of a program. Less is better, unless `is_more_better`. */
typedef struct StatsColumn {
  const char *name;  /* name in JSON */
  const char *title; /* above the column; NULL: the table ends before this one */
  StatsUse use;
  double (*get)(const StatsProgram *program);
  gboolean is_more_better;
} StatsColumn;

extern const StatsColumn stats_columns[];               /* ends with a row without a name */
const StatsColumn *stats_find_column(const char *name); /* it must exist */

/* Compiles each file and computes its figures on several threads; a shader that is run as two
 * programs gives two. Returns StatsProgram pointers in the order of the files, or NULL with an
 * error if --spec names a constant that no module has. */
GPtrArray *stats_collect(char **files, const ToolTarget *target, const StatsOptions *options,
                         GError **error);

void stats_program_free(StatsProgram *program);

/* Runs the `run:` lines of the file in the simulator and stores their timing according to the
 * model in the program, or the two of a vertex shader. Does nothing if there are no such lines.
 * `rows` (nullable) gets the timing of each instruction of each program, to be freed with
 * g_free. */
gboolean stats_run(const char *file, const ToolTarget *target, StatsProgram **programs,
                   guint program_count, NornInstructionTiming **rows, GError **error);

/* The code as a listing with the cost of each instruction. `source` is nullable: the lines that it
 * was compiled from. `executed` is also nullable: the timing of a run instead of that of one warp
 * by itself. */
char *stats_annotate(const StatsCode *code, const StatsDetails *details, char **source,
                     const NornInstructionTiming *executed, GError **error);

/* --- details.c --- */

/* Computes the figures of the code and the reasons for them. */
gboolean stats_count(StatsProgram *program, const StatsCode *code, unsigned trips, GError **error);
void stats_details_clear(StatsDetails *details);
const char *stats_wait_cause(NornWaitCause cause);
/* The line of registers, with what limits the number of threads; the number of waits and their
 * causes; the loops and the longest path as a sum. */
void stats_append_registers(GString *out, const NornStatistics *statistics);
void stats_append_waits(GString *out, const StatsDetails *details);
void stats_append_loops(GString *out, const StatsProgram *program);
/* Adds members to the object of a program: waits and loops of the first `max_count`
 * instructions. */
void stats_build_details(JsonBuilder *json, const StatsDetails *details, unsigned max_count);

/* --- origins.c --- */

/* Counts the moves of the code by origin. */
void stats_count_moves(StatsDetails *details, const NornInstructionReport *rows, unsigned count,
                       const NornCodeMap *map);
/* Spilled values: a list, a NornSpillHook that appends to it, and sorting at the end. */
GArray *stats_spills_new(void);
void stats_note_spill(const NornSpilledValue *value, gpointer user_data);
void stats_sort_spills(GArray *spills);
/* A line on moves; lines on spilled values. */
void stats_append_moves(GString *out, const StatsDetails *details);
void stats_append_spills(GString *out, const GArray *spills);
/* Adds members to the object of a program, including the first `max_count` spilled values. */
void stats_build_origins(JsonBuilder *json, const StatsProgram *program, unsigned max_count);

/* --- source.c --- */

/* The lines of IR text, or of the source in SPIR-V; NULL if it contains none. */
char **stats_source_lines(GBytes *input);
/* A module as IR text. */
GBytes *stats_as_text(const NornModule *module);

/* --- stage.c --- */

/* Lines on properties of the stage; a member of the object of a program. */
void stats_append_stage(GString *out, const NornCompileInfo *info);
void stats_build_stage(JsonBuilder *json, const NornCompileInfo *info);
/* The programs as lines that Mesa's shader-db reads. Free it with g_free. */
char *stats_print_shader_db(const GPtrArray *programs);

/* --- print.c --- */

/* The parameters of the timing model of a machine as a table. */
char *stats_print_parameters(const NornIsa *isa);

/* Adds the members of the object of a compiled program, including the lists of
 * stats_build_details and stats_build_origins. */
void stats_build_figures(JsonBuilder *json, const StatsProgram *program, unsigned max_count);

/* The programs as text: a paragraph for each, a table, or JSON. Free it with g_free. */
char *stats_print_text(const GPtrArray *programs);
char *stats_print_table(const GPtrArray *programs);
char *stats_print_json(const GPtrArray *programs);

/* --- compare.c, against.c --- */

/* The output of stats_print_json, and its name in messages. */
typedef struct StatsFigures {
  const char *name, *text;
} StatsFigures;

/* Compares two outputs. Sets *worse if the geometric mean of a figure grew by more than `limit`
 * percent, or a program fails now. */
char *stats_compare(const StatsFigures *old_figures, const StatsFigures *new_figures, double limit,
                    gboolean *worse, GError **error);

/* The JSON that another build of this command prints for these arguments of `stats`. */
char *stats_count_with(const char *command, int argc, char **argv, GError **error);

#endif
