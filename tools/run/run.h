/* What the parts of `norn run` share: the program, a run of it, and the printing of what came out.
 */
#ifndef NORN_TOOLS_RUN_RUN_H
#define NORN_TOOLS_RUN_RUN_H

#include "run/spec.h"
#include "tool.h"

typedef enum { ENGINE_SIMULATOR, ENGINE_INTERPRETER, ENGINE_BOTH } Engine;

/* What of a run shall be seen. */
typedef struct WatchOptions {
  gboolean trace, step;
  gint64 traced_warp; /* -1: all */
  char **breakpoints; /* nullable; lines, addresses, names */
  gboolean json;
} WatchOptions;

/* What is run: IR, or code for which only numbers of uniform words are known. */
typedef struct Program Program;

struct Program {
  const char *path;              /* of the input, for messages */
  Program *vertex;               /* nullable: runs before it, to draw triangles */
  const Program *other;          /* nullable: the other program of such a draw */
  NornSpirvInterface *interface; /* nullable: what a shader in SPIR-V declares */
  const ToolTarget *target;      /* nullable: how to read SPIR-V */
  GBytes *input;                 /* nullable: code that is given as such is read as it is needed */
  NornModule *module;            /* nullable */
  NornModule
      *source;  /* nullable: the module of the file of the run: lines, if that is another one */
  GBytes *code; /* nullable */
  const char *architecture;
  const NornIsa *isa;   /* of machine code given as such */
  NornCompileInfo info; /* of compiled IR, or as the command line says */
  GBytes *varying_code; /* the second program of vertices, which take two; nullable */
  NornCompileInfo varying_info;
  NornCodeMap *map, *varying_map; /* of compiled IR */
  NornModule *compiled; /* what compiling left of the module; for two engines, else NULL */
  WatchOptions watch;
  gboolean writes_varyings; /* machine code: the second program of vertices */
  gboolean is_reported;     /* machine code: `info` is what compiling it reported */
  guint32 workgroup[3];
  guint64 step_limit, seed;
  const NornLimits *limits; /* nullable */
  gboolean check_races;
  gboolean is_random; /* runs on random resources: addresses lead anywhere */
  Engine engine;
  gboolean quiet, statistics;
  char **saves; /* nullable; NAME=FILE: buffers and images to be saved */
};

/* Of machine code, if nothing says more. */
#define RUN_USUAL_WORKGROUP                                                                        \
  { 16, 1, 1 }

/* What the command line says of machine code. Where it says nothing numbers are TOOL_NOT_GIVEN,
 * texts NULL. */
typedef struct RunFacts {
  char *info; /* a file */
  char *workgroup, *preload;
  gint64 shared, scratch;
  gint registers, fau_words;
  gboolean writes_varyings;
} RunFacts;

/* Enters the facts into the program whose input is `path`, after what was reported of it. */
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
  NornObserver observers[2]; /* of the program, and of the second one of vertices; or all zero */
  NornLaunch launch;
  NornReport report;
} Session;

/* The module of the program's input, IR text or SPIR-V; what it declares in *interface (nullable).
 */
NornModule *run_program_parse(const Program *program, NornSpirvInterface **interface,
                              GError **error);

/* A description with random content for all that the shader declares, calmer numbers if so; to be
 * freed with g_free. */
char *run_random_text(const NornModule *module, const NornSpirvInterface *interface, guint32 seed,
                      gboolean is_calm);

/* Compiles the program's input, into two programs where vertices take two. The program has its
 * module already. */
gboolean run_program_compile(Program *program, const NornCompileOptions *options, GError **error);

/* Frees what was compiled. */
void run_program_clear_code(Program *program);

/* Frees what the program holds. */
void run_program_clear(Program *program);

/* Gives the session's targets blend shaders, if the description says so; code calls them. */
gboolean run_bind_blend_shaders(const Program *program, Session *session, GError **error);

/* Adds to the description what it leaves to the program: outputs that are not given, and zeros for
 * what only stands after =>. */
gboolean run_spec_complete(const Program *program, RunSpec *spec, GError **error);

/* The stage of the program; of code of which nothing was reported the one that the description
 * draws. */
NornShaderStage run_stage(const Program *program, const RunSpec *spec);

/* Fills the session's uniforms, memory, images, tables and attributes. */
gboolean run_session_bind(const Program *program, const RunSpec *spec, Session *session,
                          GError **error);

/* Tells of the uniforms of IR text that are given no value. */
void run_note_uniforms(const Program *program, const RunSpec *spec);

/* Makes memory and launch of a completed description. Clear the session in any case. */
gboolean run_session_init(const Program *program, const RunSpec *spec, Session *session,
                          GError **error);

/* Runs the program, and the vertex program before it, with one engine. */
gboolean run_session_run(const Program *program, Engine engine, Session *session, GError **error);

/* Adds what another run did. */
void run_report_add(NornReport *report, const NornReport *other);

/* Runs the program once with one engine. */
gboolean run_session_run_once(const Program *program, Engine engine, Session *session,
                              GError **error);

void run_session_clear(Session *session);

/* Whether the value has a meaning in the program's stage, or a table or an attribute names it. */
gboolean run_value_is_bound(const Program *program, const RunSpec *spec, const RunValue *value);

/* Whether it has a meaning in the stage alone, as an input or output of it. */
gboolean run_value_has_role(const Program *program, const RunSpec *spec, const RunValue *value);

/* Whether attributes lie in the value, and nothing else knows it. */
gboolean run_value_is_attribute(const RunSpec *spec, const RunValue *value);

/* Writes the files that the command line asks for. */
gboolean run_save(const Program *program, const RunSpec *spec, const Session *session,
                  GError **error);

/* Whether a value of that name goes to a file. */
gboolean run_is_saved(const Program *program, const char *name);

/* Holds a buffer against what it should be; `who` names the other side in the message. */
gboolean run_compare_buffer(const RunSpec *spec, const RunValue *value, const guint8 *expected,
                            const guint8 *actual, gsize size, const char *who, GError **error);

/* Holds all that a run in the simulator left in memory against that of the interpreter. */
gboolean run_compare_engines(const RunSpec *spec, const Session *simulated,
                             const Session *interpreted, GError **error);

/* Says more in the error that run_compare_engines has set: where the engines first go apart. */
void run_explain_difference(const Program *program, const RunSpec *spec, GError **error);

/* How results are printed: lines that can be read again, tables for people, JSON. */
typedef enum { FORMAT_TEXT, FORMAT_TABLE, FORMAT_JSON } RunFormat;

typedef struct RunPrinter RunPrinter;

/* With `one_line` JSON is one line, as steps of a trace are. */
RunPrinter *run_printer_new(RunFormat format, gboolean color, gboolean one_line);

/* A run begins; `engine` is nullable. */
void run_printer_begin(RunPrinter *printer, const RunSpec *spec, const char *engine);

/* A list, or an image if `image` is not NULL. `before` is what it held at the start (nullable), of
 * the same size. */
void run_printer_list(RunPrinter *printer, const char *name, const RunElement *element,
                      const NornImage *image, const guint8 *bytes, gsize size,
                      const guint8 *before);

/* The run is over; `report` (nullable) says what was executed. */
void run_printer_end(RunPrinter *printer, const NornReport *report);

/* Writes all to standard output and frees the printer. */
gboolean run_printer_finish(RunPrinter *printer, GError **error);

/* Runs code of a register machine on what the description says; see registers.c. */
gboolean tool_run_registers(const Program *program, const RunSpec *spec, RunPrinter *printer,
                            GError **error);

#endif
