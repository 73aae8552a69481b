/* norn run: compiles IR text (or takes assembly or machine code), runs it in the simulator, the
 * interpreter or both, and prints the buffers. What to run on comes from the command line, else
 * from the file's own `run:` lines. */
#include "tools/run_spec.h"
#include "tools/tool.h"

#include <norn/registers.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { ENGINE_SIMULATOR, ENGINE_INTERPRETER, ENGINE_BOTH } Engine;

static const char *const engine_names[] = {"simulator", "interpreter", "both"};

/* What is run: IR, or code for which only numbers of uniform words are known. */
typedef struct {
  const char *path;
  NornModule *module; /* nullable; as written */
  GBytes *code;       /* nullable */
  const char *architecture;
  const NornIsa *isa;   /* of machine code given as such */
  NornCompileInfo info; /* of compiled IR */
  guint32 workgroup[3];
  Engine engine;
  gboolean quiet, statistics;
} Program;

/* The machine state of one run. */
typedef struct {
  NornMemory *memory;
  guint32 uniforms[NORN_FAU_WORDS];
  NornReport report;
} Session;

static gboolean fail_run(GError **error, const Program *program, const RunSpec *spec,
                         const char *format, ...) G_GNUC_PRINTF(4, 5);

static gboolean
fail_run(GError **error, const Program *program, const RunSpec *spec, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  if (spec->line)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s:%u: %s", program->path, spec->line,
                message);
  else
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s", message);
  return FALSE;
}

/* Where a name's value goes: a declared uniform of the module, or "u12" for bare code. */
static gboolean
find_uniform(const Program *program, const char *name, NornType *type, guint *word, guint *count) {
  if (program->module)
    return norn_module_find_fau(program->module, name, type, word, count);
  char *end;
  if (*name != 'u' || !g_ascii_isdigit(name[1]))
    return FALSE;
  *word = (guint)strtoul(name + 1, &end, 10);
  *type = NORN_TYPE_I32;
  *count = 1;
  return !*end && *word < NORN_FAU_WORDS;
}

static void
set_words(Session *session, guint word, guint64 bits, gsize bytes) {
  session->uniforms[word] = (guint32)bits;
  if (bytes == 8 && word + 1 < NORN_FAU_WORDS)
    session->uniforms[word + 1] = (guint32)(bits >> 32);
}

/* A list for a uniform that is an array fills the array; for one that is an address it makes a
 * buffer. */
static gboolean
bind_list(const Program *program, const RunSpec *spec, const RunValue *value, NornType type,
          guint word, guint count, Session *session, GError **error) {
  if (count > 1) {
    gsize bytes = (gsize)count * run_spec_element_size(type);
    if (value->type != type || value->bytes->len != bytes)
      return fail_run(error, program, spec,
                      "'%s' is an array of %u elements of another type or number", value->name,
                      count);
    memcpy(session->uniforms + word, value->bytes->data,
           MIN(bytes, (NORN_FAU_WORDS - word) * sizeof(guint32)));
    return TRUE;
  }
  if (program->module && type != NORN_TYPE_I64)
    return fail_run(error, program, spec, "'%s' is no address, so it cannot be a buffer",
                    value->name);
  if (!norn_memory_add(session->memory, value->name, 0, value->bytes->data, value->bytes->len,
                       error))
    return FALSE;
  gsize buffer = norn_memory_find(session->memory, value->name);
  set_words(session, word, norn_memory_address(session->memory, buffer), 8);
  return TRUE;
}

static gboolean
bind_values(const Program *program, const RunSpec *spec, Session *session, GError **error) {
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    NornType type;
    guint word, count;
    if (!find_uniform(program, value->name, &type, &word, &count))
      return fail_run(error, program, spec, "the program declares no uniform '%s'", value->name);
    if (value->bytes) {
      if (!bind_list(program, spec, value, type, word, count, session, error))
        return FALSE;
      continue;
    }
    guint64 bits;
    GError *problem = NULL;
    if (!run_spec_number(value->number, type, &bits, &problem)) {
      fail_run(error, program, spec, "%s: %s", value->name, problem->message);
      g_error_free(problem);
      return FALSE;
    }
    set_words(session, word, bits, run_spec_element_size(type));
  }
  for (guint i = 0; i < program->info.promoted_count; i++)
    session->uniforms[program->info.promoted_first + i] = program->info.constants[i];
  return TRUE;
}

/* Runs the program once on `spec` with one engine. */
static gboolean
run_once(const Program *program, const RunSpec *spec, Engine engine, Session *session,
         GError **error) {
  session->memory = norn_memory_new();
  if (!bind_values(program, spec, session, error))
    return FALSE;
  NornLaunch launch = {
      .stage = NORN_STAGE_COMPUTE,
      .memory = session->memory,
      .uniforms = session->uniforms,
      .uniform_count = NORN_FAU_WORDS,
      .shared_bytes = program->info.workgroup_local_size,
      .scratch_bytes = program->info.thread_local_size,
      .denormals = program->info.denormals == NORN_DENORMALS_FLUSH ? NORN_DENORMAL_FLUSH_ALL
                                                                   : NORN_DENORMAL_PRESERVE,
  };
  memcpy(launch.grid, spec->grid, sizeof launch.grid);
  memcpy(launch.workgroup, program->workgroup, sizeof launch.workgroup);
  if (engine == ENGINE_INTERPRETER)
    return norn_interpret(program->module, &launch, &session->report, error);
  gsize size;
  const void *code = g_bytes_get_data(program->code, &size);
  return norn_simulate_valhall(code, size, program->architecture ? program->architecture : "9",
                               &launch, &session->report, error);
}

/* Prints the buffers of a run in the order they were given. */
static void
print_buffers(const RunSpec *spec, Session *session) {
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    gsize buffer = norn_memory_find(session->memory, value->name), size;
    if (buffer == SIZE_MAX)
      continue;
    const guint8 *bytes = norn_memory_bytes(session->memory, buffer, &size);
    g_autofree char *text = run_spec_format(value->type, bytes, size);
    printf("%s=%s\n", value->name, text);
  }
}

/* Holds a buffer against what it should be; `who` names the other side in the message. */
static gboolean
compare_buffer(const Program *program, const RunSpec *spec, const RunValue *value,
               const guint8 *expected, const guint8 *actual, gsize size, const char *who,
               GError **error) {
  gsize step = run_spec_element_size(value->type);
  for (gsize i = 0; i < size / step; i++)
    if (!run_spec_equal(value->type, expected, actual, i)) {
      g_autofree char *got = run_spec_format(value->type, actual + i * step, step);
      g_autofree char *wanted = run_spec_format(value->type, expected + i * step, step);
      return fail_run(error, program, spec, "%s[%" G_GSIZE_FORMAT "] is %s, but %s %s", value->name,
                      i, got, who, wanted);
    }
  return TRUE;
}

static gboolean
check_expected(const Program *program, const RunSpec *spec, Session *session, GError **error) {
  for (guint i = 0; i < spec->expected->len; i++) {
    const RunValue *value = spec->expected->pdata[i];
    gsize size, buffer = norn_memory_find(session->memory, value->name);
    if (buffer == SIZE_MAX)
      return fail_run(error, program, spec, "'%s' after => is no buffer", value->name);
    const guint8 *bytes = norn_memory_bytes(session->memory, buffer, &size);
    if (size != value->bytes->len)
      return fail_run(error, program, spec, "'%s' after => has another size than before",
                      value->name);
    if (!compare_buffer(program, spec, value, value->bytes->data, bytes, size, "should be", error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
compare_engines(const Program *program, const RunSpec *spec, Session *simulated,
                Session *interpreted, GError **error) {
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    gsize buffer = norn_memory_find(simulated->memory, value->name), size;
    if (buffer == SIZE_MAX)
      continue;
    const guint8 *actual = norn_memory_bytes(simulated->memory, buffer, &size);
    const guint8 *expected = norn_memory_bytes(interpreted->memory, buffer, NULL);
    if (!compare_buffer(program, spec, value, expected, actual, size, "the interpreter says",
                        error))
      return FALSE;
  }
  return TRUE;
}

static void
print_statistics(const NornReport *report) {
  static const char *const units[] = {
#define UNIT(id, name) name,
      NORN_UNITS(UNIT)
#undef UNIT
  };
  printf("; %" G_GUINT64_FORMAT " invocations, %" G_GUINT64_FORMAT " warps, %" G_GUINT64_FORMAT
         " instructions issued, %" G_GUINT64_FORMAT " executed, %" G_GUINT64_FORMAT " messages;",
         report->invocations, report->warps, report->instructions, report->thread_instructions,
         report->messages);
  for (guint i = 0; i < G_N_ELEMENTS(units); i++)
    printf(" %s %" G_GUINT64_FORMAT, units[i], report->unit_instructions[i]);
  printf("\n");
}

static gboolean
run_spec(const Program *program, const RunSpec *spec, GError **error) {
  if (program->isa && norn_register_machine_exists(norn_isa_name(program->isa)))
    return tool_run_registers(program->code, norn_isa_name(program->isa), program->architecture,
                              spec, program->quiet, error);
  Session sessions[2] = {{0}, {0}}, *shown = &sessions[program->engine == ENGINE_INTERPRETER];
  gboolean done = TRUE;
  if (program->engine != ENGINE_INTERPRETER)
    done = run_once(program, spec, ENGINE_SIMULATOR, &sessions[0], error);
  if (done && program->engine != ENGINE_SIMULATOR)
    done = run_once(program, spec, ENGINE_INTERPRETER, &sessions[1], error);
  if (done && !program->quiet)
    print_buffers(spec, shown);
  if (done && program->statistics)
    print_statistics(&shown->report);
  if (done && program->engine == ENGINE_BOTH)
    done = compare_engines(program, spec, &sessions[0], &sessions[1], error);
  done = done && check_expected(program, spec, shown, error);
  norn_memory_free(sessions[0].memory);
  norn_memory_free(sessions[1].memory);
  return done;
}

/* The specifications: the command line as one, else those of the text. */
static GPtrArray *
collect_specs(char **arguments, const char *path, GError **error) {
  if (*arguments) {
    g_autofree char *line = g_strjoinv(" ", arguments);
    RunSpec *spec = run_spec_parse(line, "<command line>", 0, error);
    if (!spec)
      return NULL;
    GPtrArray *specs = g_ptr_array_new_with_free_func((GDestroyNotify)run_spec_free);
    g_ptr_array_add(specs, spec);
    return specs;
  }
  g_autoptr(GBytes) bytes = tool_read(path, error);
  if (!bytes)
    return NULL;
  gsize size;
  const char *text = g_bytes_get_data(bytes, &size);
  GPtrArray *specs = run_spec_collect(text, size, path, error);
  if (specs && !specs->len) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%s: has no run: line and the command line says nothing to run it on", path);
    g_ptr_array_unref(specs);
    return NULL;
  }
  return specs;
}

/* Loads code or compiles IR, by the file's name. */
static gboolean
load_program(Program *program, const ToolTarget *target, GError **error) {
  const NornCompileOptions *options = &target->options;
  if (g_str_has_suffix(program->path, ".bin") || g_str_has_suffix(program->path, ".s")) {
    if (program->engine != ENGINE_SIMULATOR) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: the interpreter runs IR, not machine code", program->path);
      return FALSE;
    }
    unsigned number;
    if (!tool_find_isa(options->target, options->architecture, &program->isa, &number, error))
      return FALSE;
    gboolean is_text = g_str_has_suffix(program->path, ".s");
    program->code = is_text ? tool_assemble(options->target, options->architecture, program->path,
                                            target->no_verify, error)
                            : tool_read(program->path, error);
    return program->code && tool_check_code_size(options->target, program->path,
                                                 g_bytes_get_size(program->code), error);
  }
  program->module = tool_read_module(program->path, error);
  if (!program->module || !norn_module_verify(program->module, error))
    return FALSE;
  norn_module_workgroup(program->module, program->workgroup);
  if (program->engine == ENGINE_INTERPRETER)
    return TRUE;
  NornModule *copy = tool_read_module(program->path, error);
  if (!copy)
    return FALSE;
  program->code = norn_compile(copy, options, &program->info, error);
  program->architecture = program->info.architecture;
  norn_module_free(copy);
  return program->code != NULL;
}

static gboolean
parse_workgroup(const char *text, guint32 workgroup[3], GError **error) {
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  gboolean good = g_strv_length(parts) >= 1 && g_strv_length(parts) <= 3;
  for (guint i = 0; good && parts[i]; i++) {
    guint64 count;
    good = g_ascii_string_to_unsigned(parts[i], 10, 1, 1024, &count, NULL);
    workgroup[i] = (guint32)count;
  }
  if (!good)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "'%s' is no workgroup size, such as 16 or 8,8,1", text);
  return good;
}

int
tool_run(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("run");
  ToolTarget target;
  tool_target_init(&target);
  g_autofree GOptionEntry *target_entries = tool_target_entries(&target);
  Program program = {.workgroup = {16, 1, 1}};
  g_autofree char *engine = NULL, *workgroup = NULL;
  const GOptionEntry entries[] = {
      {"engine", 0, 0, G_OPTION_ARG_STRING, &engine,
       "What runs it (default: simulator); both compares the results",
       "simulator|interpreter|both"},
      {"workgroup", 0, 0, G_OPTION_ARG_STRING, &workgroup,
       "Workgroup size for machine code (default: 16,1,1)", "X[,Y[,Z]]"},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &program.quiet, "Do not print the buffers", NULL},
      {"stats", 0, 0, G_OPTION_ARG_NONE, &program.statistics, "Print what was executed", NULL},
      {NULL},
  };
  g_auto(GStrv) arguments = NULL;
  int status = tool_parse(verb, entries, target_entries, argc, argv, &arguments);
  GError *error = NULL;
  int chosen = 0;
  while (!status && engine && chosen < 3 && strcmp(engine, engine_names[chosen]))
    chosen++;
  if (status) {
    status = MAX(status, 0);
  } else if (!*arguments) {
    status = tool_usage(verb, "expected a file");
  } else if (chosen == 3) {
    status =
        tool_usage(verb, "there is no engine '%s', only simulator, interpreter and both", engine);
  } else if (!tool_target_finish(&target, &error) ||
             (workgroup && !parse_workgroup(workgroup, program.workgroup, &error))) {
    status = tool_usage(verb, "%s", error->message);
    g_clear_error(&error);
  } else {
    if (!g_strcmp0(target.options.target, "vp1") && g_str_has_suffix(arguments[0], ".jsonl")) {
      status = tool_run_vp1(arguments[0], program.quiet, &error) ? TOOL_SUCCESS : tool_fail(error);
      tool_target_clear(&target);
      return status;
    }
    program.path = arguments[0];
    program.architecture = target.options.architecture;
    program.engine = (Engine)chosen;
    gboolean done = load_program(&program, &target, &error);
    GPtrArray *specs = done ? collect_specs(arguments + 1, program.path, &error) : NULL;
    for (guint i = 0; specs && i < specs->len && !error; i++)
      run_spec(&program, specs->pdata[i], &error);
    if (specs)
      g_ptr_array_unref(specs);
    status = error ? tool_fail(error) : TOOL_SUCCESS;
    norn_module_free(program.module);
    g_clear_pointer(&program.code, g_bytes_unref);
  }
  tool_target_clear(&target);
  return status;
}
