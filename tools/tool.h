/* Declarations shared by the verbs of the command: input, output, messages and the options that
 * mean the same everywhere. Exit status: 0, 1 (the input is wrong), 2 (usage). */
#ifndef NORN_TOOLS_TOOL_H
#define NORN_TOOLS_TOOL_H

#include <glib.h>
#include <norn/norn.h>
#include <stdio.h>

enum { TOOL_SUCCESS = 0, TOOL_FAILURE = 1, TOOL_USAGE = 2 };

#define TOOL_ANY_ARGUMENTS G_MAXINT

/* The number of an option that was not given, if it has no default. */
#define TOOL_NOT_GIVEN G_MININT

/* Rows for GOption that several verbs have: where to write, which instruction set, and how many
 * threads or processes to use (see tool_jobs). */
#define TOOL_OUTPUT_ENTRY(output)                                                                  \
  {                                                                                                \
    "output", 'o', 0, G_OPTION_ARG_FILENAME, &(output),                                            \
        "The output file (default: standard output)", "OUT"                                        \
  }
#define TOOL_ISA_ENTRY(target)                                                                     \
  {                                                                                                \
    "target", 0, 0, G_OPTION_ARG_STRING, &(target), "The instruction set (default: valhall)",      \
        "NAME"                                                                                     \
  }
#define TOOL_ARCHITECTURE_ENTRY(architecture)                                                      \
  {                                                                                                \
    "arch", 0, 0, G_OPTION_ARG_STRING, &(architecture), "The architecture (default: the first)",   \
        "N"                                                                                        \
  }
#define TOOL_JOBS_ENTRY(jobs)                                                                      \
  {                                                                                                \
    "jobs", 'j', 0, G_OPTION_ARG_INT, &(jobs),                                                     \
        "Number of parallel jobs (default: 0, one for each processor)", "N"                        \
  }
#define TOOL_MAX_JOBS 1024

/* One verb. `run` gets the arguments after the verb's name (argv[0] is "norn VERB"). */
typedef struct ToolVerb {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *arguments;
  const char *summary;
  int min_count, max_count; /* number of arguments in addition to the options */
  const char *details;      /* printed by --help after the options; nullable */
} ToolVerb;

extern const ToolVerb tool_verbs[]; /* ends with a row without a name */

/* An argument of --spec: a specialization constant, and the text of its value. */
typedef struct ToolConstant {
  guint32 id;
  const char *text;
} ToolConstant;

/* The words of --vertex-part, by NornVertexPart. */
extern const char tool_vertex_parts[];

/* The options of every verb that compiles. */
typedef struct ToolTarget {
  char *target, *architecture, *dump_after, *vertex_part, *skip_passes, *chaos, *checks;
  int level, effort;
  gint64 pass_limit, seed, limit_work, limit_memory, limit_code;
  gboolean no_verify, contract, no_contract, promote_constants, promote_uniforms, by_sample,
      constant_data, buffer_addresses, image_words, relaxed_f16, full_varyings;
  gboolean is_mixed; /* inputs may be of several kinds: an option may apply to some only */
  char *entry, *abi, **specialize;
  NornCompileOptions options; /* filled by tool_target_finish */
  NornSpirvOptions spirv;     /* likewise, without constants: see tool_specialize */
  GArray *constants;          /* ToolConstant */
  GArray *places; /* NornSpirvPlace: what `spirv` refers to; NULL before tool_target_load */
} ToolTarget;

/* Sets the defaults. */
void tool_target_init(ToolTarget *target);

/* Changes the interface according to a JSON file; `places` keeps its exceptions
 * (NornSpirvPlace). */
gboolean tool_abi_read(const char *path, NornSpirvAbi *abi, GArray *places, GError **error);

/* The rows for GOption, valid as long as `target` is; free the array with g_free. */
GOptionEntry *tool_target_entries(ToolTarget *target);

/* Checks the options and fills target->options. */
gboolean tool_target_finish(ToolTarget *target, GError **error);

/* Reads the file that an option names, after tool_target_finish and before SPIR-V is read:
 * errors in it are errors in an input, not in the call. */
gboolean tool_target_load(ToolTarget *target, GError **error);

/* Whether the shader needs two programs, one for positions and one for varyings, and no single
 * part is requested. */
gboolean tool_takes_two_programs(const NornModule *module, const ToolTarget *target);

/* Whether code can be compiled for the target (NULL: the default one); others are only supported
 * by the assembler. */
gboolean tool_check_compiled(const char *target, GError **error);

/* Whether the comma-separated names are those of passes. */
gboolean tool_find_passes(const char *target, const char *names, GError **error);

void tool_target_clear(ToolTarget *target);

/* The command-line options for `options`, each after a blank, without those that are the
 * default. */
char *tool_target_format(const NornCompileOptions *options);

/* The same for a verb that compares results, in which contraction is not the default. */
char *tool_target_format_compared(const NornCompileOptions *options);

/* The instruction set and architecture that --target and --arch name; NULL means valhall, and
 * the first architecture. */
gboolean tool_find_isa(const char *target, const char *architecture, const NornIsa **isa,
                       unsigned *number, GError **error);

/* Reports a call with an unknown target or architecture, and returns TOOL_USAGE; otherwise
 * TOOL_SUCCESS. */
int tool_check_isa(const ToolVerb *verb, const char *target, const char *architecture);

/* Machine code as assembly, its length in *length (nullable). `flags` are NornIsaPrintFlags;
 * everything after `code_size` bytes, unless that is 0, is data. */
char *tool_disassemble(const char *target, const char *architecture, const void *code, gsize size,
                       gsize code_size, unsigned flags, gsize *length, GError **error);

/* The number of bytes of instructions in compiled code; 0: all. */
gsize tool_code_size(const NornCompileInfo *info);

/* Compiled code without the constant data after it; consumes `code`. */
GBytes *tool_code_alone(GBytes *code, const NornCompileInfo *info);

/* Reads the parts of the output of `norn compile --info=FILE` that are relevant to running the
 * code, which must be code of the target (nullable: the default) and of *architecture; NULL there
 * becomes the one that the file names, if it does. */
gboolean tool_info_read(const char *path, const char *target, const char **architecture,
                        NornCompileInfo *info, GError **error);

/* Assembles a file. */
GBytes *tool_assemble(const char *target, const char *architecture, const char *path,
                      gboolean no_verify, GError **error);

/* Machine code of a target (NULL: Valhall): either the bytes of a file, or bytes in hexadecimal,
 * one instruction per line as in tool_hex. NULL on error, for example if the last instruction is
 * incomplete. */
GBytes *tool_read_code(const char *target, const char *path, GError **error);

/* Whether a file contains machine code or assembly, judging by its name. */
gboolean tool_is_code(const char *path);

/* Fails for a file of another kind if `target` (nullable) runs only machine code. */
gboolean tool_check_compilable(const char *target, const char *path, GError **error);

/* The machine code in such a file, assembled if it is text. */
GBytes *tool_load_code(const char *target, const char *architecture, const char *path,
                       gboolean no_verify, GError **error);

/* Bytes in hexadecimal, `bytes_a_line` bytes per line. */
char *tool_hex(const guint8 *bytes, gsize size, gsize bytes_a_line);

/* The module in a file, either IR text (`limits` is nullable), or SPIR-V to be read with the
 * options of `target` (NULL: the defaults), which must have an effect; its declarations are
 * stored in *interface (nullable), NULL for text. */
NornModule *tool_parse_module(GBytes *bytes, const char *name, const NornLimits *limits,
                              const ToolTarget *target, NornSpirvInterface **interface,
                              GError **error);

/* Reads and parses such a file. */
NornModule *tool_read_module(const char *path, const NornLimits *limits, const ToolTarget *target,
                             GError **error);

/* Fails if an option for SPIR-V was given: the file `name` is `what`. */
gboolean tool_refuse_unused(const ToolTarget *target, const char *name, const char *what,
                            GError **error);

/* The same for machine code, which also takes no option for compiling; `may_check`: except for
 * --check. */
gboolean tool_refuse_compiling(const ToolTarget *target, const char *name, gboolean may_check,
                               GError **error);

/* Whether the text may be the value of a specialization constant of any type. */
gboolean tool_is_constant(const char *text);

/* The given values of the module's specialization constants (NornSpirvConstant), as numbers in
 * the type of the constant. NULL on error, for example if the module, which is SPIR-V, has no
 * such constant, or the value does not fit it. */
GArray *tool_specialize(const ToolTarget *target, GBytes *module, const char *name, GError **error);

/* Whether each constant that is given a value exists in one of the modules (GBytes), SPIR-V or
 * not, which messages call `name`. If there are inputs of several kinds, tool_specialize ignores
 * constants that only another input may have. */
gboolean tool_check_constants(const ToolTarget *target, const GPtrArray *modules, const char *name,
                              GError **error);

/* The text in a file, without a byte-order mark at the start: *size bytes within `bytes`,
 * without a terminating zero. */
const char *tool_text(GBytes *bytes, gsize *size);

/* Reads a text file as a string, to be freed with g_free. Fails for zero bytes, since the text
 * after one would be lost. */
char *tool_read_string(const char *path, GError **error);

/* The name of the file at `path` in messages, printable: a line break would split a message. */
const char *tool_input_name(const char *path);

/* The line and column of a place in the text, both counted from 1; columns are bytes. */
void tool_find_place(const char *text, const char *place, guint *line, guint *column);

/* Replaces, in place, what a terminal would interpret: control characters. Returns the line. */
char *tool_make_printable(char *line);

/* A text as a word of a command to be shown, quoted if a shell requires it; to be freed with
 * g_free. */
char *tool_shell_word(const char *text);

/* Parses options with GOption; `entries` and `more` may be NULL. On success, *remaining is the
 * list of the other arguments (owned by the caller), whose number the verb accepts. Returns
 * TOOL_SUCCESS, or TOOL_USAGE after reporting why, or -1 after printing help, when the verb has
 * nothing left to do. */
int tool_parse(const ToolVerb *verb, const GOptionEntry *entries, const GOptionEntry *more,
               int argc, char **argv, char ***remaining);

/* Whether there is that number of arguments in addition to the options; otherwise reports what
 * is wrong. */
gboolean tool_takes(const ToolVerb *verb, char **arguments, int min_count, int max_count);

/* The options of a verb: GOptionEntry, ending in a row without a name, to be freed with
 * g_array_unref. The variables that they refer to no longer exist. */
GArray *tool_describe(const ToolVerb *verb);

/* The verb's row, for its own usage messages. */
const ToolVerb *tool_verb(const char *name);

/* Lists the verbs. */
void tool_print_verbs(FILE *out);

/* Reports that there is no such verb; returns TOOL_USAGE. */
int tool_refuse_verb(const char *name);

/* Reports what is wrong with the call, with a pointer to --help; returns TOOL_USAGE. */
int tool_usage(const ToolVerb *verb, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The allowed range of a numeric option: from `minimum` to `maximum`, or TOOL_NOT_GIVEN. */
typedef struct ToolNumber {
  const char *option; /* as it is written */
  gint64 number, minimum;
  gint64 maximum; /* G_MAXINT64: any */
} ToolNumber;

/* The number of threads or processes for --jobs: 0 means one for each processor. */
guint tool_jobs(int jobs);

/* Whether all numbers are in their range. */
gboolean tool_check_numbers(const ToolNumber *numbers, guint count, GError **error);

/* The same as tool_usage, for an error, which is freed. */
int tool_refuse(const ToolVerb *verb, GError *error);

/* The words that the value of an option is chosen from are one string, which is also how --help
 * shows the value: "text|json", or with commas if several can be combined. */

/* The index of the text among the words. -1 with an error that says that there is no such
 * `what`. */
int tool_find_word(const char *what, const char *text, const char *words, GError **error);

/* The same for an option's `text`; `fallback` if it is NULL. -1 after reporting what is wrong. */
int tool_choose(const ToolVerb *verb, const char *what, const char *text, const char *words,
                int fallback);

/* Word `index`, to be freed with g_free; NULL past the last. */
char *tool_word(const char *words, guint index);

/* Prints the error (one or several lines, colored on a terminal), frees it; returns TOOL_FAILURE.
 */
int tool_fail(GError *error);

/* The same as tool_fail, for something that is not an error but may be surprising. */
void tool_note(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Reports what is wrong with the call of `command`, followed by a line of help; returns
 * TOOL_USAGE. */
int tool_refuse_call(const char *command, const char *message, const char *more);

/* The position at the start of a line of a message, and the rest of the line. */
typedef struct ToolPlace {
  char *file; /* NULL: no position; to be freed with g_free */
  guint64 line, column;
  const char *text; /* within the line */
} ToolPlace;

/* Reads "FILE:LINE:COLUMN: " or "FILE:LINE: "; a file's name may also contain colons. */
ToolPlace tool_read_place(const char *line);

/* The words of --messages. */
extern const char tool_message_forms[];

/* Sets the form in which tool_fail prints errors; `name` NULL: for people. False after reporting
 * that there is no such form. */
gboolean tool_choose_messages(const ToolVerb *verb, const char *name);

/* Sets the form that the arguments request before they are parsed, so that errors in them are
 * also printed in that form. */
void tool_foresee_messages(char **arguments);

/* Whether messages are for people. */
gboolean tool_messages_are_text(void);

/* Runs `argv` (a verb and its arguments, without --watch) now and whenever the file changes;
 * returns only if that is not possible. */
int tool_watch(const ToolVerb *verb, char **argv, const char *path);

/* The whole file, or standard input for "-". */
GBytes *tool_read(const char *path, GError **error);

/* The same as tool_read, but fails if there are more than `limit` bytes. */
GBytes *tool_read_limited(const char *path, gsize limit, GError **error);

/* Writes to `path`, atomically if possible (see common/write.c), or to standard output for NULL
 * and "-". Fails if the file was read, or written before. */
gboolean tool_write(const char *path, const void *data, gsize size, GError **error);

/* Whether tool_write could write there now, for output that takes long to produce. Nothing is
 * written. */
gboolean tool_check_output(const char *path, GError **error);

/* The same as tool_write for a path, but a file that was read may be overwritten: it is to be
 * changed. */
gboolean tool_replace(const char *path, const void *data, gsize size, GError **error);

/* Writes all data to an open file; FALSE with errno set if that fails. */
gboolean tool_write_all(int descriptor, const void *data, gsize size);

/* Appends the path or, if it is a folder, the paths of the wanted files below it, sorted by
 * name; to be freed with g_free. Links to folders are only followed at the top, since they may
 * form cycles. */
gboolean tool_find_files(const char *path, gboolean (*is_wanted)(const char *path),
                         GPtrArray *paths, GError **error);

/* Keeps an input, so that messages can show lines of it. */
void tool_remember_input(const char *name, GBytes *bytes);

/* Flushes standard output. Returns `status`, or TOOL_FAILURE after reporting that something
 * could not be written. */
int tool_finish_output(int status);

/* Whether the stream is a terminal that may show colors (NO_COLOR is respected). */
gboolean tool_is_terminal(int descriptor);

/* Runs the VP1 states of a file; see run/vp1.c. */
gboolean tool_run_vp1(const char *path, gboolean quiet, GError **error);

int tool_asm(int argc, char **argv);
int tool_check(int argc, char **argv);
int tool_compile(int argc, char **argv);
extern const char tool_compile_details[];
int tool_disasm(int argc, char **argv);
int tool_fuzz(int argc, char **argv);
extern const char tool_fuzz_details[];
int tool_help(int argc, char **argv);
int tool_isa(int argc, char **argv);
int tool_lsp(int argc, char **argv);
int tool_ops(int argc, char **argv);
int tool_opt(int argc, char **argv);
int tool_passes(int argc, char **argv);
int tool_reduce(int argc, char **argv);
int tool_report(int argc, char **argv);
int tool_run(int argc, char **argv);
int tool_stats(int argc, char **argv);
int tool_test(int argc, char **argv);
extern const char tool_test_details[];

#endif
