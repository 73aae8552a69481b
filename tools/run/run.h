/* Declarations shared by the parts of `norn run`: the program, a run of it, and the printing of
 * the results. */
#ifndef NORN_TOOLS_RUN_RUN_H
#define NORN_TOOLS_RUN_RUN_H

#include "run/spec.h"
#include "tool.h"

typedef enum { ENGINE_SIMULATOR, ENGINE_INTERPRETER, ENGINE_BOTH } Engine;

/* What to show of a run. */
typedef struct WatchOptions {
  gboolean trace, step;
  gint64 traced_warp; /* -1: all */
  char **breakpoints; /* nullable; lines, addresses, names */
  gboolean json;
} WatchOptions;

/* What is run: IR, or code for which only the numbers of uniform words are known. */
typedef struct Program Program;

struct Program {
  const char *path;              /* of the input, for messages */
  Program *vertex;               /* nullable: runs before this one, to draw triangles */
  const Program *other;          /* nullable: the other program of such a draw */
  NornSpirvInterface *interface; /* nullable: what a shader in SPIR-V declares */
  const ToolTarget *target;      /* nullable: how to read SPIR-V */
  GBytes *input;                 /* nullable: code is read when it is needed, if it is the input */
  NornModule *module;            /* nullable */
  NornModule *source; /* nullable: the module of the file with the run: lines, if not `module` */
  GBytes *code;       /* nullable */
  const char *architecture;
  const NornIsa *isa;   /* of machine code that is the input */
  NornCompileInfo info; /* of compiled IR, or according to the command line */
  GBytes *varying_code; /* the second program if vertices need two; nullable */
  NornCompileInfo varying_info;
  NornCodeMap *map, *varying_map; /* of compiled IR */
  NornModule *compiled; /* the module after compilation; only if two engines run, otherwise NULL */
  WatchOptions watch;
  gboolean writes_varyings; /* machine code: the second program of vertices */
  gboolean is_reported;     /* machine code: `info` comes from the compilation's info file */
  guint32 workgroup[3];
  guint64 step_limit, seed;
  const NornLimits *limits; /* nullable */
  gboolean check_races;
  gboolean is_random; /* runs on random resources: addresses may be anything */
  Engine engine;
  gboolean quiet, statistics;
  char **saves; /* nullable; NAME=FILE: buffers and images to save */
};

/* For machine code, by default. */
#define RUN_USUAL_WORKGROUP                                                                        \
  { 16, 1, 1 }

/* The information on machine code on the command line. If not given, numbers are TOOL_NOT_GIVEN,
 * texts NULL. */
typedef struct RunFacts {
  char *info; /* a file */
  char *workgroup, *preload;
  gint64 shared, scratch;
  gint registers, fau_words;
  gboolean writes_varyings;
} RunFacts;

/* Enters the information into the program whose input is `path`; it takes precedence over the
 * reported one. */
gboolean run_facts_apply(const RunFacts *facts, const char *path, Program *program, GError **error);

/* The machine state of one run. Zero-initialized before run_session_init. */
typedef struct Session {
  const RunSpec *spec;
  NornMemory *memory;
  guint32 uniforms[NORN_FAU_WORDS];
  NornImage *images;       /* of value i */
  NornResource *resources; /* of entry i of the tables */
  NornAttribute *attributes;
  NornVertexState vertex;
  NornFragmentState fragment;
  GBytes *blend_code[NORN_COLOR_TARGETS]; /* nullable */
  NornObserver observers[2]; /* of the program, and of the second one for vertices; or zero */
  NornCompileInfo info;      /* of machine code, for the launch */
  NornLaunch launch;
  NornReport report;
} Session;

/* The file that the lines of the program's instructions are in: not the input if that is SPIR-V
 * that names its source. */
const char *run_source_name(const Program *program);

/* The module of the program's input, IR text or SPIR-V; its declarations are stored in
 * *interface (nullable). */
NornModule *run_program_parse(const Program *program, NornSpirvInterface **interface,
                              GError **error);

/* A description with random contents for everything that the shader declares, optionally with
 * calmer numbers; to be freed with g_free. */
char *run_random_text(const NornModule *module, const NornSpirvInterface *interface, guint32 seed,
                      gboolean is_calm);

/* Compiles the program's input, into two programs if vertices need two. The program must already
 * have its module. */
gboolean run_program_compile(Program *program, const NornCompileOptions *options, GError **error);

/* Loads the program at its path: code, or IR and SPIR-V, which are compiled unless only the
 * interpreter runs them. With a `vertex_path` (else NULL), also the vertex program of the draw. */
gboolean run_program_load(Program *program, Program *vertex, const char *vertex_path,
                          ToolTarget *target, GError **error);

/* Frees the compiled code. */
void run_program_clear_code(Program *program);

/* Frees everything that the program holds. */
void run_program_clear(Program *program);

/* Gives the session's targets blend shaders, which code calls, if the description says so. */
gboolean run_bind_blend_shaders(const Program *program, Session *session, GError **error);

/* Adds what the description leaves to the program: outputs that are not given, and zeros for
 * values that only appear after =>. */
gboolean run_spec_complete(const Program *program, RunSpec *spec, GError **error);

/* The stage of the program; for code without an info file, the one that the description draws. */
NornShaderStage run_stage(const Program *program, const RunSpec *spec);

/* Fills the session's uniforms, memory, images, tables and attributes. */
gboolean run_session_bind(const Program *program, const RunSpec *spec, Session *session,
                          GError **error);

/* Reports the uniforms of IR text that are not given a value. */
void run_note_uniforms(const Program *program, const RunSpec *spec);

/* Creates memory and launch for a completed description. Clear the session in any case. */
gboolean run_session_init(const Program *program, const RunSpec *spec, Session *session,
                          GError **error);

/* Runs the program, after its vertex program if there is one, with one engine. */
gboolean run_session_run(const Program *program, Engine engine, Session *session, GError **error);

/* Adds the counts of another run. */
void run_report_add(NornReport *report, const NornReport *other);

/* Runs the program once with one engine. */
gboolean run_session_run_once(const Program *program, Engine engine, Session *session,
                              GError **error);

void run_session_clear(Session *session);

/* Whether the value has a meaning in the program's stage, or a table or an attribute refers to
 * it. */
gboolean run_value_is_bound(const Program *program, const RunSpec *spec, const RunValue *value);

/* Whether it has a meaning only in that stage, as an input or output of it. */
gboolean run_value_has_role(const Program *program, const RunSpec *spec, const RunValue *value);

/* Whether the value holds attributes and has no other use. */
gboolean run_value_is_attribute(const RunSpec *spec, const RunValue *value);

/* Writes the files that the command line requests. */
gboolean run_save(const Program *program, const RunSpec *spec, const Session *session,
                  GError **error);

/* Whether a value of that name is saved to a file. */
gboolean run_is_saved(const Program *program, const char *name);

/* Compares a buffer with its expected contents; `who` is what the message calls the other side. */
gboolean run_compare_buffer(const RunSpec *spec, const RunValue *value, const guint8 *expected,
                            const guint8 *actual, gsize size, const char *who, GError **error);

/* Compares everything that a run in the simulator left in memory with the interpreter's results. */
gboolean run_compare_engines(const RunSpec *spec, const Session *simulated,
                             const Session *interpreted, GError **error);

/* Adds to the error that run_compare_engines has set where the engines first differ. */
void run_explain_difference(const Program *program, const RunSpec *spec, GError **error);

/* How results are printed: lines that can be read again, tables for people, JSON. */
typedef enum { FORMAT_TEXT, FORMAT_TABLE, FORMAT_JSON } RunFormat;

typedef struct RunPrinter RunPrinter;

/* With `one_line` JSON is one line, as steps of a trace are. */
RunPrinter *run_printer_new(RunFormat format, gboolean color, gboolean one_line);

/* Starts a run; `engine` is nullable. */
void run_printer_begin(RunPrinter *printer, const RunSpec *spec, const char *engine);

/* What a list or an image holds at the end of the run. */
typedef struct RunContents {
  const char *name;
  const RunElement *element;
  const NornImage *image; /* NULL: a list */
  const guint8 *bytes;
  gsize size;
  const guint8 *before; /* what it held initially, of the same size; nullable */
} RunContents;

void run_printer_list(RunPrinter *printer, const RunContents *contents);

/* Ends the run; `report` (nullable) says what was executed. */
void run_printer_end(RunPrinter *printer, const NornReport *report);

/* Writes everything to standard output and frees the printer. */
gboolean run_printer_finish(RunPrinter *printer, GError **error);

/* Runs code of a register machine as the description specifies; see registers.c. */
gboolean tool_run_registers(const Program *program, const RunSpec *spec, RunPrinter *printer,
                            GError **error);

#endif
