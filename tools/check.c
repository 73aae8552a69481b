/* norn check: proofs of code, by checkers that share no code with the compiler. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

static void
print_checkers(void) {
  gboolean color = tool_is_terminal(1);
  const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
  NornCheckerInfo info;
  for (unsigned i = 0; norn_checker_info(i, &info); i++)
    printf("%s%s%s%s: %s\n  proves: %s\n  assumes: %s\n  does not see: %s\n", i ? "\n" : "", bold,
           info.name, plain, info.title, info.proves, info.assumes, info.blind);
}

/* `part` (nullable) is the part of a shader that is compiled to two programs. */
static void
print_result(const char *path, const char *part, gsize words, unsigned checks) {
  NornCheckerInfo info;
  printf("%s%s%s: %" G_GSIZE_FORMAT " instructions pass", path, part ? " " : "", part ? part : "",
         words);
  const char *mark = " ";
  for (unsigned i = 0; norn_checker_info(i, &info); i++)
    if (checks & info.check) {
      printf("%s%s", mark, info.name);
      mark = ", ";
    }
  printf("\n");
}

/* The numbers of a comma-separated list, as an array of unsigned; NULL if it is not one. */
static GArray *
parse_words(const char *list, GError **error) {
  g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(unsigned));
  g_auto(GStrv) parts = g_strsplit(list ? list : "", ",", -1);
  for (unsigned i = 0; parts[i]; i++) {
    guint64 value;
    if (!g_ascii_string_to_unsigned(parts[i], 10, 0, NORN_FAU_WORDS - 1, &value, error)) {
      g_prefix_error(error, "--noalias: ");
      return NULL;
    }
    unsigned word = (unsigned)value;
    g_array_append_val(words, word);
  }
  return g_steal_pointer(&words);
}

/* Fails if a fact about machine code is given for a shader. */
static gboolean
check_facts(const char *path, const char *stage, const char *noalias, const char *info,
            GError **error) {
  const char *given = stage ? "stage" : noalias ? "noalias" : info ? "info" : NULL;
  if (!given || tool_is_code(path))
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "--%s is only for machine code; a shader declares it itself", given);
  return FALSE;
}

/* Checks words, whoever made them. If `stage` is NORN_STAGE_COUNT, the info file tells the stage.
 */
static gboolean
check_words(const char *path, const ToolTarget *target, NornShaderStage stage,
            const GArray *noalias, const char *info_path, GError **error) {
  NornCompileInfo info = {0};
  const NornCompileOptions *options = &target->options;
  const char *architecture = options->architecture;
  if (!tool_refuse_compiling(target, tool_input_name(path), TRUE, error) ||
      (info_path && !tool_info_read(info_path, options->target, &architecture, &info, error)))
    return FALSE;
  g_autoptr(GBytes) code = tool_load_code(options->target, architecture, path, FALSE, error);
  gsize size = 0;
  const void *data = code ? g_bytes_get_data(code, &size) : NULL;
  const NornCheckOptions how = {.architecture = architecture,
                                .stage = stage == NORN_STAGE_COUNT ? info.stage : stage,
                                .checks = options->checks,
                                .noalias = (const unsigned *)(void *)noalias->data,
                                .noalias_count = noalias->len,
                                .code_size = tool_code_size(&info),
                                .data_offset = info.data_offset,
                                .data_size = info.data_size};
  if (!code)
    return FALSE;
  if (!norn_check_code(data, size, &how, error)) {
    g_prefix_error(error, "%s: ", tool_input_name(path));
    return FALSE;
  }
  print_result(tool_input_name(path), NULL, (how.code_size ? how.code_size : size) / 8,
               options->checks);
  return TRUE;
}

/* `part` (nullable) as in print_result. */
static gboolean
check_program(const char *path, const char *part, NornModule *module,
              const NornCompileOptions *options, GError **error) {
  NornCompileInfo info;
  g_autoptr(GBytes) code = norn_compile(module, options, &info, error);
  if (code)
    print_result(tool_input_name(path), part, info.instructions, options->checks);
  return code != NULL;
}

static gboolean
check_module(const char *path, const ToolTarget *target, GError **error) {
  g_autoptr(NornModule) module = tool_read_module(path, &target->options.limits, target, error);
  if (!module)
    return FALSE;
  if (!tool_takes_two_programs(module, target))
    return check_program(path, NULL, module, &target->options, error);
  gboolean done = TRUE;
  for (guint part = NORN_VERTEX_POSITION; done && part <= NORN_VERTEX_VARYINGS; part++) {
    NornCompileOptions options = target->options;
    options.vertex_part = (NornVertexPart)part;
    g_autoptr(NornModule) copy = norn_module_copy(module);
    g_autofree char *name = tool_word(tool_vertex_parts, part);
    done = check_program(path, name, copy, &options, error);
  }
  return done;
}

/* The checks to run on the file; those that need a compilation are left out for plain words. */
static gboolean
choose_checks(const char *path, const char *names, const ToolTarget *target, unsigned *checks,
              GError **error) {
  const char *machine = target->options.target ? target->options.target : NORN_DEFAULT_TARGET;
  *checks = tool_is_code(path) ? NORN_CHECK_WORDS : NORN_CHECK_ALL;
  if (tool_is_code(path) && strcmp(machine, "valhall")) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                "the target '%s' has no checkers, only valhall has", machine);
    return FALSE;
  }
  return !names || norn_checks_parse(names, checks, error);
}

int
tool_check(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("check");
  ToolTarget target;
  tool_target_init(&target);
  g_autofree GOptionEntry *target_entries = tool_target_entries(&target);
  g_autofree char *stage_name = NULL, *noalias_words = NULL, *info_path = NULL;
  g_autoptr(GArray) noalias = NULL;
  gboolean list = FALSE;
  static const char stages[] = "compute|vertex|fragment"; /* by NornShaderStage */
  const GOptionEntry entries[] = {
      {"list", 0, 0, G_OPTION_ARG_NONE, &list,
       "Show what each checker proves and what it does not see", NULL},
      {"stage", 0, 0, G_OPTION_ARG_STRING, &stage_name,
       "For machine code: the shader stage (default: what --info says, else compute)", stages},
      {"noalias", 0, 0, G_OPTION_ARG_STRING, &noalias_words,
       "For machine code: the first uniform words of noalias addresses", "WORD,..."},
      {"info", 0, 0, G_OPTION_ARG_FILENAME, &info_path,
       "For machine code: the compiler's report, as written by norn compile --info=FILE", "FILE"},
      {NULL},
  };
  g_auto(GStrv) inputs = NULL;
  GError *error = NULL;
  int stage = 0, status = tool_parse(verb, entries, target_entries, argc, argv, &inputs);
  if (status) {
    status = MAX(status, 0);
  } else if (list) {
    print_checkers();
  } else if (!tool_takes(verb, inputs, 1, 1)) {
    status = TOOL_USAGE;
  } else if ((stage = tool_choose(verb, "stage", stage_name, stages, NORN_STAGE_COUNT)) < 0) {
    status = TOOL_USAGE;
  } else if (!tool_target_finish(&target, &error) ||
             !(tool_is_code(inputs[0]) || tool_check_compiled(target.target, &error)) ||
             !check_facts(inputs[0], stage_name, noalias_words, info_path, &error) ||
             !(noalias = parse_words(noalias_words, &error)) ||
             !choose_checks(inputs[0], target.checks, &target, &target.options.checks, &error)) {
    status = tool_refuse(verb, error);
  } else {
    gboolean done =
        tool_target_load(&target, &error) &&
        (tool_is_code(inputs[0])
             ? check_words(inputs[0], &target, (NornShaderStage)stage, noalias, info_path, &error)
             : check_module(inputs[0], &target, &error));
    status = done ? TOOL_SUCCESS : tool_fail(error);
  }
  tool_target_clear(&target);
  return status;
}
