/* norn report: how a shader became code, as one HTML page. */
#include "report/report.h"

#include <string.h>

/* The command line of a call. */
typedef struct Request {
  ToolTarget target;
  ReportOptions options;
  char *output, *format, *against;
  int trips, most_lines;
  char **inputs;
} Request;

enum { MAX_LINES = 5000 };

static const char formats[] = "html|json";

static void
request_clear(Request *self) {
  tool_target_clear(&self->target);
  g_free(self->output);
  g_free(self->format);
  g_free(self->against);
  g_strfreev(self->inputs);
}

/* Parses a command line; returns the status of tool_parse. */
static int
request_parse(Request *self, const ToolVerb *verb, int argc, char **argv) {
  memset(self, 0, sizeof *self);
  tool_target_init(&self->target);
  self->trips = 1;
  self->most_lines = MAX_LINES;
  g_autofree GOptionEntry *target_entries = tool_target_entries(&self->target);
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(self->output),
      {"format", 0, 0, G_OPTION_ARG_STRING, &self->format,
       "A page, or only its data (default: html)", formats},
      {"against", 0, 0, G_OPTION_ARG_STRING, &self->against,
       "Also compile with these options added after the others, and show the difference",
       "OPTIONS"},
      {"run", 0, 0, G_OPTION_ARG_NONE, &self->options.run,
       "Execute the file's run: lines, and show what each instruction took", NULL},
      {"trips", 0, 0, G_OPTION_ARG_INT, &self->trips,
       "Iterations of each loop when it is entered, for the longest path (default: 1)", "N"},
      {"lines", 0, 0, G_OPTION_ARG_INT, &self->most_lines,
       "Most lines of each text and most instructions to show (default: 5000)", "N"},
      {NULL},
  };
  return tool_parse(verb, entries, target_entries, argc, argv, &self->inputs);
}

/* Checks the options against each other; fills the options of the target. */
static gboolean
request_finish(Request *self, GError **error) {
  const ToolNumber numbers[] = {{"--trips", self->trips, 1, G_MAXINT64},
                                {"--lines", self->most_lines, 1, G_MAXINT64}};
  if (!tool_check_numbers(numbers, G_N_ELEMENTS(numbers), error))
    return FALSE;
  self->options.trips = (unsigned)self->trips;
  self->options.most_lines = (guint)self->most_lines;
  return tool_target_finish(&self->target, error) &&
         tool_check_compiled(self->target.target, error);
}

/* Parses the command line again with the options of --against appended. */
static int
request_parse_against(Request *self, const ToolVerb *verb, const Request *first, int argc,
                      char **argv) {
  GError *error = NULL;
  g_auto(GStrv) more = NULL;
  memset(self, 0, sizeof *self);
  if (*first->against && !g_shell_parse_argv(first->against, NULL, &more, &error)) {
    g_prefix_error(&error, "--against: ");
    return tool_refuse(verb, error);
  }
  /* There are no options after "--". */
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  g_ptr_array_add(arguments, argv[0]);
  int end = 1;
  while (end < argc && strcmp(argv[end], "--") != 0)
    g_ptr_array_add(arguments, argv[end++]);
  for (char **at = more; at && *at; at++)
    g_ptr_array_add(arguments, *at);
  for (; end < argc; end++)
    g_ptr_array_add(arguments, argv[end]);
  g_ptr_array_add(arguments, NULL);
  int status =
      request_parse(self, verb, (int)arguments->len - 1, (char **)(void *)arguments->pdata);
  if (status)
    return MAX(status, 0);
  if (g_strv_length(self->inputs) != 1)
    return tool_usage(verb, "--against: expected options, found '%s'", first->against);
  if (request_finish(self, &error))
    return TOOL_SUCCESS;
  g_prefix_error(&error, "--against: ");
  return tool_refuse(verb, error);
}

/* `other` is NULL if there is nothing to compare with. */
static int
report(Request *request, Request *other, gboolean is_json) {
  GError *error = NULL;
  ReportShader shader = {0};
  gboolean done = tool_target_load(&request->target, &error) &&
                  report_shader_init(&shader, request->inputs[0], &request->target,
                                     &request->options, &error) &&
                  report_shader_compile(&shader, &request->target, &request->options, &error);
  if (done && other &&
      !(tool_target_load(&other->target, &error) &&
        report_shader_compile(&shader, &other->target, &request->options, &error))) {
    g_prefix_error(&error, "--against: ");
    done = FALSE;
  }
  g_autofree char *data = done ? report_data(&shader, &request->options, &error) : NULL;
  g_autofree char *text = !data     ? NULL
                          : is_json ? g_strconcat(data, "\n", NULL)
                                    : report_page(data);
  done = text && tool_write(request->output, text, strlen(text), &error);
  report_shader_clear(&shader);
  return done ? TOOL_SUCCESS : tool_fail(error);
}

int
tool_report(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("report");
  Request request, other = {0};
  GError *error = NULL;
  int status = request_parse(&request, verb, argc, argv);
  int format = status ? 0 : tool_choose(verb, "format", request.format, formats, 0);
  if (status) {
    status = MAX(status, 0);
  } else if (format < 0) {
    status = TOOL_USAGE;
  } else if (!tool_takes(verb, request.inputs, 1, 1)) {
    status = TOOL_USAGE;
  } else if (!request_finish(&request, &error)) {
    status = tool_refuse(verb, error);
  } else {
    if (request.against)
      status = request_parse_against(&other, verb, &request, argc, argv);
    if (!status)
      status = report(&request, request.against ? &other : NULL, format == 1);
    request_clear(&other);
  }
  request_clear(&request);
  return status;
}
