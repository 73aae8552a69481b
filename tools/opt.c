/* norn opt: passes on IR text or SPIR-V. */
#include "tool.h"

#include <string.h>

int
tool_opt(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("opt");
  ToolTarget target;
  tool_target_init(&target);
  g_autofree GOptionEntry *target_entries = tool_target_entries(&target);
  g_autofree char *output = NULL, *passes = NULL;
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(output),
      {"passes", 'p', 0, G_OPTION_ARG_STRING, &passes,
       "The passes, in order (default: none; only parse, verify and print)", "PASS,..."},
      {NULL},
  };
  g_auto(GStrv) inputs = NULL;
  int status = tool_parse(verb, entries, target_entries, argc, argv, &inputs);
  GError *error = NULL;
  if (status) {
    status = MAX(status, 0);
  } else if (!tool_target_finish(&target, &error) ||
             (passes && !tool_find_passes(target.target, passes, &error))) {
    status = tool_refuse(verb, error);
  } else {
    NornModule *module = tool_target_load(&target, &error)
                             ? tool_read_module(inputs[0], &target.options.limits, &target, &error)
                             : NULL;
    gboolean done =
        module && (passes ? norn_run_passes(module, passes, &target.options, NULL, &error)
                          : target.no_verify || norn_module_verify(module, &error));
    if (done) {
      g_autofree char *text = norn_module_print(module, NULL);
      done = tool_write(output, text, strlen(text), &error);
    }
    norn_module_free(module);
    status = done ? TOOL_SUCCESS : tool_fail(error);
  }
  tool_target_clear(&target);
  return status;
}
