/* What `norn report` gathers of a shader, and how its page gets it. */
#ifndef NORN_TOOLS_REPORT_H
#define NORN_TOOLS_REPORT_H

#include "stats/stats.h"

/* Texts that the page shows, by what the compiler made of the module. */
typedef enum {
  REPORT_OPTIMIZED, /* generic operations, for the last time */
  REPORT_SELECTED,  /* machine instructions without registers, for the last time */
  REPORT_ALLOCATED, /* with registers, as they were packed */
} ReportStage;
#define REPORT_STAGES 3

/* Numbers for values, the same in all texts: values with one name are one (it goes to what takes a
 * value's place), others are told apart by their number in the module. */
typedef struct ReportValues {
  GHashTable *by_name, *by_number;
  GPtrArray *names; /* nullable strings */
} ReportValues;

/* A text, cut to its first lines. */
typedef struct ReportText {
  GPtrArray *lines;  /* char * */
  GArray *from;      /* guint: by line, the line of the text before it; 0: none */
  GPtrArray *values; /* GArray of guint, nullable: by line, the numbers of its values */
  GArray *code;      /* guint: the line of each machine instruction */
  guint total;       /* lines that there are */
  char *pass;        /* that left it so; nullable */
} ReportText;

/* Takes a text apart; `map` and `values` are nullable. What was there goes. */
void report_text_set(ReportText *self, const char *text, gsize length, const NornTextMap *map,
                     ReportValues *values, guint most_lines);
void report_text_clear(ReportText *self);
/* A string of the page: valid UTF-8, cut. To be freed with g_free. */
char *report_cut(const char *text, gssize length);

/* One program. */
typedef struct ReportProgram {
  StatsProgram *stats;
  ReportText stages[REPORT_STAGES];
  ReportValues values;
  GBytes *code;
  NornCodeMap *map;
  NornInstructionTiming *executed; /* nullable */
} ReportProgram;

/* One way to compile a shader. */
typedef struct ReportCompilation {
  char *label;
  GPtrArray *programs; /* ReportProgram * */
} ReportCompilation;

/* What to find out. */
typedef struct ReportOptions {
  guint most_lines; /* lines of each text, instructions */
  unsigned trips;
  gboolean run;
} ReportOptions;

/* A shader. */
typedef struct ReportShader {
  char *file;
  GBytes *input;
  NornModule *module; /* what is compiled, as read from `text` */
  ReportText source;  /* what SPIR-V was made of; no lines: not known */
  ReportText text;    /* the IR */
  gboolean is_spirv;
  GPtrArray *compilations; /* ReportCompilation * */
} ReportShader;

/* Reads the shader. */
gboolean report_shader_init(ReportShader *self, const char *file, const ToolTarget *target,
                            const ReportOptions *options, GError **error);
/* Compiles it, once more. */
gboolean report_shader_compile(ReportShader *self, const ToolTarget *target,
                               const ReportOptions *options, GError **error);
void report_shader_clear(ReportShader *self);

/* All of it as JSON; free it with g_free. */
char *report_data(const ReportShader *shader, const ReportOptions *options, GError **error);

/* Members of its objects. Of the shader: what the operations of its texts do; of a program: what
 * the first `count` instructions of its code do, by their names. */
void report_build_operations(JsonBuilder *json, const ReportShader *shader);
void report_build_titles(JsonBuilder *json, const NornIsa *isa, unsigned architecture,
                         const guint8 *code, guint count);
/* The name of the instruction in a word of code, NULL if it is none. */
const char *report_instruction_name(const NornIsa *isa, unsigned architecture, const guint8 *word);

/* The page around data, as JSON; free it with g_free. */
char *report_page(const char *data);

/* What the build makes of the files in page/: the page before and behind the data. */
extern const char report_page_head[], report_page_tail[];

#endif
