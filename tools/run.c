/* norn run: compiles IR text (or reads assembly or machine code), runs it in the simulator, the
 * interpreter or both, and prints the resulting contents of memory. The inputs come from the
 * command line, otherwise from the file's own `run:` lines (run/spec.c). */
#include "run/draw.h"

#include <norn/registers.h>
#include <string.h>
#include <unistd.h>

/* In steps; an endless loop ends after seconds. */
#define DEFAULT_STEP_LIMIT 1000000000
/* The same for random resources: a run that takes too long is repeated on other ones. */
#define RANDOM_STEP_LIMIT 20000000

/* By Engine and RunFormat. */
static const char engines[] = "simulator|interpreter|both";
static const char formats[] = "text|table|json";

/* Whether a value's bytes are worth showing: inputs that are only read by textures are not. */
static gboolean
is_shown(const RunValue *value, const guint8 *bytes) {
  return (value->kind == RUN_LIST && !value->is_made) ||
         (value->kind == RUN_IMAGE && !value->is_made &&
          (!value->location.line || memcmp(value->bytes->data, bytes, value->bytes->len) != 0));
}

/* Prints the buffers and images of a run in the order in which they were given, except for those
 * that are saved to files. */
static void
print_values(const Program *program, const RunSpec *spec, const Session *session,
             RunPrinter *printer) {
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    gsize buffer = norn_memory_find(session->memory, value->name), size;
    if (buffer == SIZE_MAX || run_is_saved(program, value->name))
      continue;
    const guint8 *bytes = norn_memory_bytes(session->memory, buffer, &size);
    if (is_shown(value, bytes))
      run_printer_list(
          printer, &(RunContents){.name = value->name,
                                  .element = value->element,
                                  .image = value->kind == RUN_IMAGE ? &session->images[i] : NULL,
                                  .bytes = bytes,
                                  .size = size,
                                  .before = value->bytes->data});
  }
}

static gboolean
check_expected(const RunSpec *spec, const Session *session, GError **error) {
  for (guint i = 0; i < spec->expected->len; i++) {
    const RunValue *value = spec->expected->pdata[i];
    gsize size, buffer = norn_memory_find(session->memory, value->name);
    if (buffer == SIZE_MAX)
      return run_spec_fail(spec, value->location, error, "'%s' after => is not a buffer",
                           value->name);
    const guint8 *bytes = norn_memory_bytes(session->memory, buffer, &size);
    if (size != value->bytes->len)
      return run_spec_fail(spec, value->location, error,
                           "'%s' after => has %u bytes, but %" G_GSIZE_FORMAT " before",
                           value->name, value->bytes->len, size);
    if (!run_compare_buffer(spec, value, value->bytes->data, bytes, size, "should be", error))
      return FALSE;
  }
  return TRUE;
}

/* Adds to an error which run it belongs to, since there may be many in a file; for the one of the
 * command line, the program's name, unless the error has it or a place. */
static void
name_run(const Program *program, const RunSpec *spec, GError **error) {
  gsize length = strlen(program->path);
  bool is_named =
      !strncmp((*error)->message, program->path, length) && (*error)->message[length] == ':';
  if (!strcmp(spec->file, RUN_COMMAND_LINE)) {
    ToolPlace place = tool_read_place((*error)->message);
    if (!place.file && !is_named)
      g_prefix_error(error, "%s: ", program->path);
    g_free(place.file);
    return;
  }
  if (is_named) {
    g_autofree char *message = g_strdup_printf("%s\n  in the run of %s:%u", (*error)->message,
                                               spec->file, spec->location.line);
    GError *longer = g_error_new_literal((*error)->domain, (*error)->code, message);
    g_error_free(*error);
    *error = longer;
  } else {
    g_prefix_error(error, "%s:%u: ", spec->file, spec->location.line);
  }
}

static gboolean
run_engine(const Program *program, const RunSpec *spec, Engine engine, Session *session,
           GError **error) {
  if (!run_session_init(program, spec, session, error))
    return FALSE;
  if (run_session_run(program, engine, session, error))
    return TRUE;
  name_run(program, spec, error);
  return FALSE;
}

static gboolean
is_register_machine(const Program *program) {
  return program->isa && norn_register_machine_exists(norn_isa_name(program->isa));
}

/* *warps becomes the greatest number of warps of all runs. */
static gboolean
run_spec(const Program *program, RunSpec *spec, RunPrinter *printer, guint64 *warps,
         GError **error) {
  if (is_register_machine(program))
    return tool_run_registers(program, spec, printer, error);
  if (!run_spec_complete(program, spec, error))
    return FALSE;
  run_note_uniforms(program, spec);
  Session sessions[2] = {{0}, {0}}, *shown = &sessions[program->engine == ENGINE_INTERPRETER];
  gboolean done = TRUE;
  if (program->engine != ENGINE_INTERPRETER)
    done = run_engine(program, spec, ENGINE_SIMULATOR, &sessions[0], error);
  if (done && program->engine != ENGINE_SIMULATOR)
    done = run_engine(program, spec, ENGINE_INTERPRETER, &sessions[1], error);
  *warps = MAX(*warps, shown->report.warps);
  if (done) {
    g_autofree char *engine = tool_word(engines, program->engine);
    run_printer_begin(printer, spec, engine);
    if (!program->quiet)
      print_values(program, spec, shown, printer);
    run_printer_end(printer, program->statistics ? &shown->report : NULL);
  }
  if (done && program->engine == ENGINE_BOTH) {
    done = run_compare_engines(spec, &sessions[0], &sessions[1], error);
    if (!done && !program->vertex)
      run_explain_difference(program, spec, error);
  }
  done = done && check_expected(spec, shown, error) && run_save(program, spec, shown, error);
  run_session_clear(&sessions[0]);
  run_session_clear(&sessions[1]);
  return done;
}

/* The module of the file with the run: lines. It is optional: the file may contain nothing else. */
static NornModule *
parse_source(const char *path, GBytes *bytes) {
  gsize size;
  const char *text = g_bytes_get_data(bytes, &size);
  NornModule *module = norn_module_parse(text ? text : "", size, path, NULL);
  if (module && norn_module_verify(module, NULL))
    return module;
  norn_module_free(module);
  return NULL;
}

/* A single description as a list. */
static GPtrArray *
parse_spec(const char *line, GError **error) {
  RunSpec *spec = run_spec_parse(line, error);
  if (!spec)
    return NULL;
  GPtrArray *specs = g_ptr_array_new_with_free_func((GDestroyNotify)run_spec_free);
  g_ptr_array_add(specs, spec);
  return specs;
}

/* The descriptions: from the command line (one), otherwise from the file `runs`, otherwise from
 * the program. */
static GPtrArray *
collect_specs(Program *program, char **arguments, const char *runs, GError **error) {
  if (*arguments) {
    g_autofree char *line = g_strjoinv(" ", arguments);
    return parse_spec(line, error);
  }
  const char *path = runs ? runs : program->path;
  g_autoptr(GBytes) bytes =
      runs || !program->input ? tool_read(path, error) : g_bytes_ref(program->input);
  if (!bytes)
    return NULL;
  if (runs)
    program->source = parse_source(runs, bytes);
  gsize size;
  const char *text = tool_text(bytes, &size);
  GPtrArray *specs = run_spec_collect(text, size, path, error);
  if (specs && !specs->len) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%s: no input to run it on: expected arguments NAME=VALUE or a comment such as\n  "
                "; run: %s\n  (see `norn run --help`)",
                path,
                is_register_machine(program) ? "v0=f32[1, 2] => v1=f32[2, 4]"
                                             : "grid=1 n=3 x=f32[1, 2, 3] => x=f32[2, 4, 6]");
    g_ptr_array_unref(specs);
    return NULL;
  }
  return specs;
}

/* Checks the watch options: they need a single engine and a machine that can be watched. */
static gboolean
finish_watch(Program *program, const char *trace, const char *target, GError **error) {
  WatchOptions *watch = &program->watch;
  watch->trace = trace != NULL;
  watch->traced_warp = -1;
  guint64 warp;
  if (!trace && !watch->breakpoints && !watch->step)
    return TRUE;
  if (trace && strcmp(trace, "all")) {
    if (!g_ascii_string_to_unsigned(trace, 10, 0, G_MAXUINT32, &warp, error)) {
      g_prefix_error(error, "--trace: ");
      return FALSE;
    }
    watch->traced_warp = (gint64)warp;
  }
  if (program->engine != ENGINE_BOTH && !(target && norn_register_machine_exists(target)))
    return TRUE;
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_INVALID,
                      program->engine == ENGINE_BOTH
                          ? "--trace, --break and --step need a single engine"
                          : "--trace, --break and --step are only for Valhall and the interpreter");
  return FALSE;
}

/* Assigns the same descriptions to the vertex program; errors in them have already been
 * reported. */
static gboolean
prepare_draw(const Program *program, GPtrArray *specs, GPtrArray *vertices, GError **error) {
  for (guint i = 0; i < specs->len; i++)
    if (!run_draw_prepare(program, specs->pdata[i], g_ptr_array_steal_index(vertices, 0), error))
      return FALSE;
  return TRUE;
}

/* An error if the only warp to be traced is not in any run. */
static gboolean
check_traced(const WatchOptions *watch, guint64 warps, GError **error) {
  if (!watch->trace || watch->traced_warp < 0 || (guint64)watch->traced_warp < warps)
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "--trace: warp %" G_GINT64_FORMAT " does not exist; there are %" G_GUINT64_FORMAT
              ", numbered from 0",
              watch->traced_warp, warps);
  return FALSE;
}

/* Runs all descriptions; output from before an error is also printed. */
static gboolean
run_all(const Program *program, GPtrArray *specs, RunFormat format, GError **error) {
  gboolean color = format == FORMAT_TABLE && tool_is_terminal(STDOUT_FILENO);
  RunPrinter *printer = run_printer_new(format, color, program->watch.trace);
  gboolean done = TRUE;
  guint64 warps = 0;
  for (guint i = 0; done && i < specs->len; i++)
    done = run_spec(program, specs->pdata[i], printer, &warps, error);
  done = done && check_traced(&program->watch, warps, error);
  return run_printer_finish(printer, done ? error : NULL) && done;
}

/* Runs on random resources; if that takes too many steps, again on resources with calmer
 * numbers. Writes their description to the file `path` (nullable). */
static gboolean
run_random(Program *program, guint32 seed, gdouble tolerance, RunFormat format, const char *path,
           GError **error) {
  GError *problem = NULL;
  gboolean done = FALSE;
  program->is_random = TRUE;
  for (gboolean is_calm = FALSE; !done && is_calm <= TRUE; is_calm++) {
    g_autofree char *line = run_random_text(program->module, program->interface, seed, is_calm);
    g_clear_error(&problem);
    g_autofree char *comment = g_strdup_printf("; run:%s\n", line);
    if (path && !tool_write(path, comment, strlen(comment), &problem))
      break;
    GPtrArray *specs = parse_spec(line, &problem);
    if (!specs)
      break;
    ((RunSpec *)specs->pdata[0])->tolerance = tolerance;
    done = run_all(program, specs, format, &problem);
    g_ptr_array_unref(specs);
    if (!g_error_matches(problem, NORN_ERROR, NORN_ERROR_LIMIT))
      break;
  }
  if (problem)
    g_propagate_error(error, problem);
  return done;
}

/* The command line, except for the target. */
typedef struct RunOptions {
  char *engine, *format, *runs, *save_run, *trace, *vertex;
  gint64 step_limit;
  gint64 random;     /* seed of random resources; TOOL_NOT_GIVEN: none */
  gdouble tolerance; /* of floats */
  RunFacts facts;
} RunOptions;

/* The options that fill both structures; free them with g_free. */
static GOptionEntry *
run_entries(RunOptions *options, Program *program) {
  const GOptionEntry entries[] = {
      {"engine", 0, 0, G_OPTION_ARG_STRING, &options->engine,
       "Where to run the program (default: simulator); both compares the results", engines},
      {"format", 0, 0, G_OPTION_ARG_STRING, &options->format,
       "How to print (default: table on a terminal, else text)", formats},
      {"runs", 0, 0, G_OPTION_ARG_FILENAME, &options->runs,
       "Use the run: lines of this file, the outputs of its shader and, for machine code, the "
       "names of its uniforms",
       "FILE"},
      {"step-limit", 0, 0, G_OPTION_ARG_INT64, &options->step_limit,
       "Stop after N instructions, counted per invocation (default: 10^9)", "N"},
      {"info", 0, 0, G_OPTION_ARG_FILENAME, &options->facts.info,
       "For machine code: the compiler's report, as written by norn compile --info=FILE", "FILE"},
      {"workgroup", 0, 0, G_OPTION_ARG_STRING, &options->facts.workgroup,
       "For machine code: the workgroup size (default: 16,1,1)", "X[,Y[,Z]]"},
      {"shared", 0, 0, G_OPTION_ARG_INT64, &options->facts.shared,
       "For machine code: bytes of workgroup memory (default: 0)", "BYTES"},
      {"scratch", 0, 0, G_OPTION_ARG_INT64, &options->facts.scratch,
       "For machine code: bytes of thread-local memory (default: 0)", "BYTES"},
      {"preload", 0, 0, G_OPTION_ARG_STRING, &options->facts.preload,
       "For machine code: the preloaded registers, as r55,r60 or a mask (default: all)",
       "REGISTERS"},
      {"registers", 0, 0, G_OPTION_ARG_INT, &options->facts.registers,
       "For machine code: the number of registers (default: 64)", "32|64"},
      {"fau-words", 0, 0, G_OPTION_ARG_INT, &options->facts.fau_words,
       "For machine code: the number of uniform words (default: 128)", "N"},
      {"varyings-program", 0, 0, G_OPTION_ARG_NONE, &options->facts.writes_varyings,
       "For machine code: it is the second program of a vertex shader, which writes varyings",
       NULL},
      {"races", 0, 0, G_OPTION_ARG_NONE, &program->check_races,
       "Stop if invocations touch the same bytes and no barrier orders them", NULL},
      {"trace", 0, 0, G_OPTION_ARG_STRING, &options->trace,
       "Print what each instruction reads and writes, for one warp or all", "[WARP]"},
      {"break", 0, 0, G_OPTION_ARG_STRING_ARRAY, &program->watch.breakpoints,
       "Stop for commands at a line, an address (0x18), a value or a block; may be repeated",
       "LINE|ADDRESS|NAME"},
      {"step", 0, 0, G_OPTION_ARG_NONE, &program->watch.step,
       "Stop for commands at the first instruction; the command help lists them", NULL},
      {"random-resources", 0, 0, G_OPTION_ARG_INT64, &options->random,
       "For SPIR-V: run it on random resources from this seed", "SEED"},
      {"save-run", 0, 0, G_OPTION_ARG_FILENAME, &options->save_run,
       "Write the random resources to a file as a run: line, for use with --runs or in front of "
       "the module's text",
       "FILE"},
      {"tolerance", 0, 0, G_OPTION_ARG_DOUBLE, &options->tolerance,
       "Let floats differ by this fraction of the larger one, or of 1 (default: 0); --engine both "
       "then also contracts, except with --no-contract",
       "PART"},
      {"save", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &program->saves,
       "Write the final contents of a buffer or image to a file, an image as a picture if the name "
       "ends in .png; may be repeated",
       "NAME=FILE"},
      {"vertex", 0, 0, G_OPTION_ARG_FILENAME, &options->vertex,
       "For a fragment shader: draw triangles, running this vertex shader first", "FILE"},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &program->quiet, "Do not print the buffers", NULL},
      {"stats", 0, 0, G_OPTION_ARG_NONE, &program->statistics, "Print statistics of the execution",
       NULL},
      {NULL},
  };
  return g_memdup2(entries, sizeof entries);
}

/* Options that mean nothing for a machine that consists only of registers are refused. */
static gboolean
check_register_options(const RunOptions *options, const Program *program, const char *target,
                       GError **error) {
  const RunFacts *facts = &options->facts;
  const struct {
    const char *name;
    gboolean given;
  } others[] = {
      {"step-limit", options->step_limit != 0},
      {"info", facts->info != NULL},
      {"workgroup", facts->workgroup != NULL},
      {"shared", facts->shared != TOOL_NOT_GIVEN},
      {"scratch", facts->scratch != TOOL_NOT_GIVEN},
      {"preload", facts->preload != NULL},
      {"registers", facts->registers != TOOL_NOT_GIVEN},
      {"fau-words", facts->fau_words != TOOL_NOT_GIVEN},
      {"varyings-program", facts->writes_varyings},
      {"races", program->check_races},
      {"tolerance", options->tolerance > 0},
      {"save", program->saves != NULL},
      {"stats", program->statistics},
  };
  for (guint i = 0; target && norn_register_machine_exists(target) && i < G_N_ELEMENTS(others); i++)
    if (others[i].given) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "--%s is not for %s, which consists only of registers", others[i].name, target);
      return FALSE;
    }
  return TRUE;
}

/* Checks the call and stores it in program and target. */
static int
check_call(const ToolVerb *verb, const RunOptions *options, char **arguments, ToolTarget *target,
           Program *program, RunFormat *format) {
  RunFormat usual = tool_is_terminal(STDOUT_FILENO) ? FORMAT_TABLE : FORMAT_TEXT;
  int engine = tool_choose(verb, "engine", options->engine, engines, ENGINE_SIMULATOR);
  int chosen = engine < 0 ? -1 : tool_choose(verb, "format", options->format, formats, usual);
  GError *error = NULL;
  if (chosen < 0)
    return TOOL_USAGE;
  const ToolNumber numbers[] = {{"--step-limit", options->step_limit, 0, G_MAXINT64},
                                {"--random-resources", options->random, 0, G_MAXUINT32}};
  if (!tool_check_numbers(numbers, G_N_ELEMENTS(numbers), &error))
    return tool_refuse(verb, error);
  if (options->save_run && options->random == TOOL_NOT_GIVEN)
    return tool_usage(verb, "--save-run needs --random-resources");
  if (options->random != TOOL_NOT_GIVEN && (options->runs || arguments[1]))
    return tool_usage(verb,
                      "--random-resources cannot be combined with a description of resources");
  for (guint i = 0; program->saves && program->saves[i]; i++)
    if (!strchr(program->saves[i], '=') || *program->saves[i] == '=')
      return tool_usage(verb, "--save: expected NAME=FILE, found '%s'", program->saves[i]);
  if (options->runs && arguments[1])
    return tool_usage(verb, "unexpected argument '%s': the input is that of --runs", arguments[1]);
  if (!(options->tolerance >= 0) || options->tolerance > 1)
    return tool_usage(verb, "--tolerance: expected a number from 0 to 1, found %g",
                      options->tolerance);
  program->engine = (Engine)engine;
  *format = (RunFormat)chosen;
  program->watch.json = *format == FORMAT_JSON;
  if (!tool_target_finish(target, &error) ||
      !check_register_options(options, program, target->options.target, &error) ||
      !finish_watch(program, options->trace, target->options.target, &error))
    return tool_refuse(verb, error);
  if (!tool_target_load(target, &error) ||
      (options->facts.info && tool_is_code(arguments[0]) &&
       !tool_info_read(options->facts.info, target->options.target, &target->options.architecture,
                       &program->info, &error)))
    return tool_fail(error);
  return run_facts_apply(&options->facts, arguments[0], program, &error) ? TOOL_SUCCESS
                                                                         : tool_refuse(verb, error);
}

static int
run_program(Program *program, ToolTarget *target, const RunOptions *options, char **arguments,
            RunFormat format) {
  GError *error = NULL;
  program->path = arguments[0];
  program->architecture = target->options.architecture;
  guint64 usual_limit = options->random >= 0 ? RANDOM_STEP_LIMIT : DEFAULT_STEP_LIMIT;
  program->step_limit = options->step_limit ? (guint64)options->step_limit : usual_limit;
  program->seed = target->options.seed;
  program->limits = &target->options.limits;
  target->is_mixed = options->vertex != NULL;
  if (program->engine == ENGINE_BOTH)
    target->options.contract = target->contract || (options->tolerance > 0 && !target->no_contract);
  program->target = target;
  Program vertex = {0};
  gboolean done = run_program_load(program, &vertex, options->vertex, target, &error);
  if (done && options->random >= 0 && !program->interface) {
    g_set_error(
        &error, NORN_ERROR, NORN_ERROR_INVALID,
        "%s: --random-resources is only for SPIR-V, which declares the resources of a shader",
        program->path);
    done = FALSE;
  }
  gboolean is_random = options->random >= 0;
  if (done && is_random)
    run_random(program, (guint32)options->random, options->tolerance, format, options->save_run,
               &error);
  GPtrArray *specs =
      done && !is_random ? collect_specs(program, arguments + 1, options->runs, &error) : NULL;
  for (guint i = 0; specs && i < specs->len; i++)
    ((RunSpec *)specs->pdata[i])->tolerance = options->tolerance;
  GPtrArray *vertices = specs && program->vertex
                            ? collect_specs(program, arguments + 1, options->runs, &error)
                            : NULL;
  if (specs && !error && (!vertices || prepare_draw(program, specs, vertices, &error)))
    run_all(program, specs, format, &error);
  g_clear_pointer(&vertices, g_ptr_array_unref);
  g_clear_pointer(&specs, g_ptr_array_unref);
  if (g_error_matches(error, NORN_ERROR, NORN_ERROR_STOPPED)) /* requested at the prompt */
    g_clear_error(&error);
  int status = error ? tool_fail(error) : TOOL_SUCCESS;
  run_program_clear(program);
  run_program_clear(&vertex);
  return status;
}

int
tool_run(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("run");
  ToolTarget target;
  tool_target_init(&target);
  Program program = {.workgroup = RUN_USUAL_WORKGROUP};
  RunOptions options = {.random = TOOL_NOT_GIVEN,
                        .facts = {.shared = TOOL_NOT_GIVEN,
                                  .scratch = TOOL_NOT_GIVEN,
                                  .registers = TOOL_NOT_GIVEN,
                                  .fau_words = TOOL_NOT_GIVEN}};
  g_autofree GOptionEntry *target_entries = tool_target_entries(&target);
  g_autofree GOptionEntry *entries = run_entries(&options, &program);
  g_auto(GStrv) arguments = NULL;
  RunFormat format = FORMAT_TEXT;
  GError *error = NULL;
  int status = tool_parse(verb, entries, target_entries, argc, argv, &arguments);
  if (status)
    status = MAX(status, 0);
  else if (!(status = check_call(verb, &options, arguments, &target, &program, &format)) &&
           !g_strcmp0(target.options.target, "vp1") && g_str_has_suffix(arguments[0], ".jsonl"))
    status = tool_run_vp1(arguments[0], program.quiet, &error) ? TOOL_SUCCESS : tool_fail(error);
  else if (!status)
    status = run_program(&program, &target, &options, arguments, format);
  g_strfreev(program.watch.breakpoints);
  g_strfreev(program.saves);
  g_free(options.engine);
  g_free(options.format);
  g_free(options.runs);
  g_free(options.save_run);
  g_free(options.trace);
  g_free(options.vertex);
  g_free(options.facts.info);
  g_free(options.facts.workgroup);
  g_free(options.facts.preload);
  tool_target_clear(&target);
  return status;
}
