/* norn passes: the passes, and the pipeline that they form. */
#include "common/json.h"
#include "tool.h"

#include <string.h>
#include <unistd.h>

static char *
format_text(const char *target, int level, gboolean color) {
  GString *out = g_string_new(NULL);
  const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
  NornPassInfo info;
  for (unsigned i = 0; norn_pass_info(target, i, &info); i++)
    g_string_append_printf(out, "%s%-20s%s %-9s -> %-9s  %-8s  %s\n", bold, info.name, plain,
                           info.needs, info.leaves,
                           info.is_group      ? "group"
                           : info.is_optional ? "optional"
                                              : "",
                           info.summary);
  g_string_append_printf(out, "\npipeline at -O%d:", level);
  const char *step;
  for (unsigned i = 0; (step = norn_pipeline_step(target, (unsigned)level, i)); i++)
    g_string_append_printf(out, " %s", step);
  g_string_append_c(out, '\n');
  return g_string_free(out, FALSE);
}

static char *
format_json(const char *target, int level) {
  g_autoptr(JsonBuilder) builder = json_builder_new();
  json_builder_begin_object(builder);
  tool_json_array(builder, "passes");
  NornPassInfo info;
  for (unsigned i = 0; norn_pass_info(target, i, &info); i++) {
    json_builder_begin_object(builder);
    tool_json_string(builder, "name", info.name);
    tool_json_string(builder, "needs", info.needs);
    tool_json_string(builder, "leaves", info.leaves);
    tool_json_string(builder, "summary", info.summary);
    tool_json_flag(builder, "is_group", info.is_group);
    tool_json_flag(builder, "is_optional", info.is_optional);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
  tool_json_array(builder, "pipeline");
  const char *step;
  for (unsigned i = 0; (step = norn_pipeline_step(target, (unsigned)level, i)); i++)
    json_builder_add_string_value(builder, step);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  return tool_json_text(builder, TRUE);
}

int
tool_passes(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("passes");
  g_autofree char *format = NULL, *target = NULL, *output = NULL;
  int level = 2;
  static const char formats[] = "text|json";
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(output),
      {"format", 0, 0, G_OPTION_ARG_STRING, &format, "How to print (default: text)", formats},
      {"target", 0, 0, G_OPTION_ARG_STRING, &target, "The target (default: valhall)", "NAME"},
      {"level", 0, 0, G_OPTION_ARG_INT, &level,
       "Optimization level of the pipeline, also -O0, -O1, -O2, -O3 (default: 2)", "0|1|2|3"},
      {NULL},
  };
  g_auto(GStrv) rest = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &rest);
  if (status)
    return MAX(status, 0);
  GError *error = NULL;
  if (!tool_check_numbers(&(ToolNumber){"--level (-O)", level, 0, 3}, 1, &error))
    return tool_refuse(verb, error);
  if ((status = tool_check_isa(verb, target, NULL)))
    return status;
  int json = tool_choose(verb, "format", format, formats, 0);
  if (json < 0)
    return TOOL_USAGE;
  if (!tool_check_compiled(target, &error))
    return tool_refuse(verb, error);
  gboolean color = !output && tool_is_terminal(STDOUT_FILENO);
  g_autofree char *text = json ? format_json(target, level) : format_text(target, level, color);
  return tool_write(output, text, strlen(text), &error) ? TOOL_SUCCESS : tool_fail(error);
}
