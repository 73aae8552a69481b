/* What the verbs of the command share: input, output, messages and the options that mean the same
 * everywhere. Exit status: 0, 1 (the input is at fault), 2 (usage). */
#ifndef NORN_TOOLS_TOOL_H
#define NORN_TOOLS_TOOL_H

#include <glib.h>
#include <norn/norn.h>
#include <stdio.h>

enum { TOOL_SUCCESS = 0, TOOL_FAILURE = 1, TOOL_USAGE = 2 };

#define TOOL_ANY_ARGUMENTS G_MAXINT

/* The number of an option that is not given, where it has no default. */
#define TOOL_NOT_GIVEN G_MININT

/* Rows for GOption that several verbs have: where to write, which instruction set, and how many
 * threads or processes (see tool_jobs). */
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
  int min_count, max_count; /* how many arguments there are beside the options */
  const char *details;      /* what --help says after the options; nullable */
} ToolVerb;

extern const ToolVerb tool_verbs[]; /* ends with a row without name */

/* What --spec says: a specialization constant, and the text of its value. */
typedef struct ToolConstant {
  guint32 id;
  const char *text;
} ToolConstant;

/* The options of every verb that compiles. */
typedef struct ToolTarget {
  char *target, *architecture, *dump_after, *vertex_part, *skip_passes, *chaos, *checks;
  int level, effort;
  gint64 pass_limit, seed, limit_work, limit_memory, limit_code;
  gboolean no_verify, contract, no_contract, promote_constants, promote_uniforms, by_sample,
      constant_data, buffer_addresses, image_words, relaxed_f16, full_varyings;
  gboolean is_mixed; /* inputs are of several kinds: an option may be for some of them alone */
  char *entry, *abi, **specialize;
  NornCompileOptions options; /* filled by tool_target_finish */
  NornSpirvOptions spirv;     /* likewise, without constants: see tool_specialize */
  GArray *constants;          /* ToolConstant */
  GArray *places; /* NornSpirvPlace: what `spirv` refers to; NULL before tool_target_load */
} ToolTarget;

/* Sets the defaults. */
void tool_target_init(ToolTarget *target);

/* Changes the interface as a file of JSON says; `places` keeps its exceptions (NornSpirvPlace). */
gboolean tool_abi_read(const char *path, NornSpirvAbi *abi, GArray *places, GError **error);

/* The rows for GOption, valid as long as `target` is; free the array with g_free. */
GOptionEntry *tool_target_entries(ToolTarget *target);

/* Checks what was given and fills target->options. */
gboolean tool_target_finish(ToolTarget *target, GError **error);

/* Reads the file that an option names, after tool_target_finish and before SPIR-V is read: what is
 * wrong in it is wrong with an input, not with the call. */
gboolean tool_target_load(ToolTarget *target, GError **error);

/* By NornVertexPart, as --vertex-part calls them; NULL at the end. */
extern const char *const tool_vertex_parts[];

/* Whether the shader takes two programs, one for positions and one for varyings, and no part is
 * asked for. */
gboolean tool_takes_two_programs(const NornModule *module, const ToolTarget *target);

/* Whether code is compiled for the target (NULL: the default one); assembled it is for others, too.
 */
gboolean tool_check_compiled(const char *target, GError **error);

/* Whether the names, separated by commas, are those of passes. */
gboolean tool_find_passes(const char *target, const char *names, GError **error);

void tool_target_clear(ToolTarget *target);

/* The options of a command line that compile as `options` say, each after a blank, without those
 * that say what is the default. */
char *tool_target_format(const NornCompileOptions *options);

/* The same of a verb that compares results, where contracting is not the default. */
char *tool_target_format_compared(const NornCompileOptions *options);

/* The instruction set and architecture that --target and --arch name; NULL means valhall, and the
 * first. */
gboolean tool_find_isa(const char *target, const char *architecture, const NornIsa **isa,
                       unsigned *number, GError **error);

/* Says of a call that there is no such target or architecture, and returns TOOL_USAGE; else
 * TOOL_SUCCESS. */
int tool_check_isa(const ToolVerb *verb, const char *target, const char *architecture);

/* Machine code as assembly, its length in *length (nullable). `flags` are NornIsaPrintFlags; what
 * is behind `code_size` bytes is data, but for 0. */
char *tool_disassemble(const char *target, const char *architecture, const void *code, gsize size,
                       gsize code_size, unsigned flags, gsize *length, GError **error);

/* Bytes of instructions in what was compiled; 0: all. */
gsize tool_code_size(const NornCompileInfo *info);

/* What was compiled without the constant data behind the code; takes `code`. */
GBytes *tool_code_alone(GBytes *code, const NornCompileInfo *info);

/* Reads what `norn compile --info=FILE` wrote: what concerns running the code. */
gboolean tool_info_read(const char *path, NornCompileInfo *info, GError **error);

/* Assembles a file. */
GBytes *tool_assemble(const char *target, const char *architecture, const char *path,
                      gboolean no_verify, GError **error);

/* Machine code of a target (NULL: Valhall): the bytes of a file, or those that its lines are in
 * hexadecimal, as tool_hex writes a line an instruction. NULL on error, as where the last
 * instruction is not whole. */
GBytes *tool_read_code(const char *target, const char *path, GError **error);

/* Whether a file holds machine code or assembly, by its name. */
gboolean tool_is_code(const char *path);

/* The machine code of such a file, assembled where it is text. */
GBytes *tool_load_code(const char *target, const char *architecture, const char *path,
                       gboolean no_verify, GError **error);

/* Bytes in hexadecimal, in lines of `bytes_a_line` bytes. */
char *tool_hex(const guint8 *bytes, gsize size, gsize bytes_a_line);

/* The module that a file holds as IR text (`limits` is nullable), or as SPIR-V to be read with the
 * options of `target` (NULL: the defaults), which must have an effect; its declarations go to
 * *interface (nullable), NULL for text. */
NornModule *tool_parse_module(GBytes *bytes, const char *name, const NornLimits *limits,
                              const ToolTarget *target, NornSpirvInterface **interface,
                              GError **error);

/* Reads and parses such a file. */
NornModule *tool_read_module(const char *path, const NornLimits *limits, const ToolTarget *target,
                             GError **error);

/* Fails if an option for SPIR-V was given: the file `name` is `what`. */
gboolean tool_refuse_unused(const ToolTarget *target, const char *name, const char *what,
                            GError **error);

/* Whether that may be the value of a specialization constant, of any type. */
gboolean tool_is_constant(const char *text);

/* The values of the module's specialization constants that were given (NornSpirvConstant): numbers
 * as they are in the type of the constant. NULL on error, as where the module, SPIR-V, has no such
 * constant, or the value does not fit it. */
GArray *tool_specialize(const ToolTarget *target, GBytes *module, const char *name, GError **error);

/* Whether each constant that is given a value is in one of the modules (GBytes), SPIR-V or not,
 * which are called `name` in messages: where inputs are of several kinds tool_specialize passes
 * over what only another one may have. */
gboolean tool_check_constants(const ToolTarget *target, const GPtrArray *modules, const char *name,
                              GError **error);

/* The text that a file holds, without a byte-order mark at the start: *size bytes, which are those
 * of `bytes` and do not end in a zero. */
const char *tool_text(GBytes *bytes, gsize *size);

/* Reads a text file as a string, to be freed with g_free. Fails for zero bytes: what follows one
 * would be lost. */
char *tool_read_string(const char *path, GError **error);

/* What messages call the input at `path`. */
const char *tool_input_name(const char *path);

/* A text as a word of a command that is shown, in quotes where a shell asks for them; to be freed
 * with g_free. */
char *tool_shell_word(const char *text);

/* Parses options with GOption; `entries` and `more` may be NULL. On success *remaining is the list
 * of the other arguments (owned by the caller), as many as the verb takes. Returns TOOL_SUCCESS, or
 * TOOL_USAGE after saying why, or -1 after printing help, when the verb has nothing left to do. */
int tool_parse(const ToolVerb *verb, const GOptionEntry *entries, const GOptionEntry *more,
               int argc, char **argv, char ***remaining);

/* Whether there are so many arguments beside the options; else says what is wrong. */
gboolean tool_takes(const ToolVerb *verb, char **arguments, int min_count, int max_count);

/* The options of a verb: GOptionEntry, ending in a row without name, to be freed with
 * g_array_unref. Where they put what is given is gone. */
GArray *tool_describe(const ToolVerb *verb);

/* The verb's row, for its own usage messages. */
const ToolVerb *tool_verb(const char *name);

/* Lists the verbs. */
void tool_print_verbs(FILE *out);

/* Says that there is no such verb; returns TOOL_USAGE. */
int tool_refuse_verb(const char *name);

/* Says what is wrong with the call, with a pointer to --help; returns TOOL_USAGE. */
int tool_usage(const ToolVerb *verb, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* What the number of an option may be: from `minimum` to `maximum`, or TOOL_NOT_GIVEN. */
typedef struct ToolNumber {
  const char *option; /* as it is written */
  gint64 number, minimum;
  gint64 maximum; /* G_MAXINT64: any */
} ToolNumber;

/* How many threads or processes --jobs asks for: 0 is one for each processor. */
guint tool_jobs(int jobs);

/* Whether all numbers are what they may be. */
gboolean tool_check_numbers(const ToolNumber *numbers, guint count, GError **error);

/* As tool_usage, of an error, which is freed. */
int tool_refuse(const ToolVerb *verb, GError *error);

/* Which of `names` (ending in NULL) the text is. -1 with an error that says that there is no such
 * `what`. */
int tool_find_name(const char *what, const char *text, const char *const *names, GError **error);

/* The same of an option's `text`, `fallback` if it is NULL. -1 after saying what is wrong. */
int tool_choose(const ToolVerb *verb, const char *what, const char *text, const char *const *names,
                int fallback);

/* Prints the error (one or several lines, colored on a terminal), frees it; returns TOOL_FAILURE.
 */
int tool_fail(GError *error);

/* As of tool_fail, what is no error but may surprise. */
void tool_note(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Says what is wrong with the call of `command`, and in a line of its own what helps; returns
 * TOOL_USAGE. */
int tool_refuse_call(const char *command, const char *message, const char *more);

/* The position that a line of a message begins with, and what follows it. */
typedef struct ToolPlace {
  char *file; /* NULL: there is none; to be freed with g_free */
  guint64 line, column;
  const char *text; /* within the line */
} ToolPlace;

/* Reads "FILE:LINE:COLUMN: " or "FILE:LINE: "; a file's name may have colons, too. */
ToolPlace tool_read_place(const char *line);

/* Sets the form that tool_fail prints errors in, `name` NULL: for people. False after saying that
 * there is no such form. */
gboolean tool_choose_messages(const ToolVerb *verb, const char *name);

/* Sets the form that the arguments ask for, before they are parsed: what is wrong with them is said
 * in it, too. */
void tool_foresee_messages(char **arguments);

/* Whether messages are for people. */
gboolean tool_messages_are_text(void);

/* Runs `argv` (a verb and its arguments, without --watch) now and whenever the file changes; comes
 * back only if that cannot be done. */
int tool_watch(const ToolVerb *verb, char **argv, const char *path);

/* The whole file, or standard input for "-". */
GBytes *tool_read(const char *path, GError **error);

/* As tool_read, but an error if there are more than `limit` bytes. */
GBytes *tool_read_limited(const char *path, gsize limit, GError **error);

/* Writes to `path`, all or nothing where that can be (see common/files.c), or to standard output
 * for NULL and "-". Fails where the file was read, or written before. */
gboolean tool_write(const char *path, const void *data, gsize size, GError **error);

/* Whether tool_write could write there now, for what takes long to make. Nothing is written. */
gboolean tool_check_output(const char *path, GError **error);

/* As tool_write for a path, but a file that was read may be written: it is to be changed. */
gboolean tool_replace(const char *path, const void *data, gsize size, GError **error);

/* Writes all of it to what is open; FALSE with errno set if that fails. */
gboolean tool_write_all(int descriptor, const void *data, gsize size);

/* Appends the path, or if it is a folder the paths of the files below it that are wanted, by name;
 * to be freed with g_free. Links to folders are followed at the top alone: they may lead in
 * circles. */
gboolean tool_find_files(const char *path, gboolean (*is_wanted)(const char *path),
                         GPtrArray *paths, GError **error);

/* Keeps an input for messages to show lines of. */
void tool_remember_input(const char *name, GBytes *bytes);

/* Writes out what standard output still holds. Returns `status`, or TOOL_FAILURE after saying that
 * something could not be written. */
int tool_finish_output(int status);

/* Whether the stream is a terminal that may be colored (NO_COLOR is respected). */
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
