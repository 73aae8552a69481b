/* norn asm: assembly text to machine code. */
#include "tool.h"

#include <string.h>

int
tool_asm(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("asm");
  g_autofree char *target = NULL, *architecture = NULL, *output = NULL, *emit = NULL;
  gboolean no_verify = FALSE;
  static const char forms[] = "bin|hex";
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(output),
      {"emit", 0, 0, G_OPTION_ARG_STRING, &emit,
       "Output format (default: hex on standard output, bin in a file)", forms},
      TOOL_ISA_ENTRY(target),
      TOOL_ARCHITECTURE_ENTRY(architecture),
      {"no-verify", 0, 0, G_OPTION_ARG_NONE, &no_verify,
       "Also encode instructions that break a rule of the hardware", NULL},
      {NULL},
  };
  g_auto(GStrv) inputs = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &inputs);
  if (status)
    return MAX(status, 0);
  if ((status = tool_check_isa(verb, target, architecture)))
    return status;
  int as_hex = tool_choose(verb, "output format", emit, forms,
                           !output || !strcmp(output, "-") || g_str_has_suffix(output, ".hex"));
  if (as_hex < 0)
    return TOOL_USAGE;
  GError *error = NULL;
  g_autoptr(GBytes) code = tool_assemble(target, architecture, inputs[0], no_verify, &error);
  if (!code)
    return tool_fail(error);
  gsize size;
  const void *data = g_bytes_get_data(code, &size);
  g_autofree char *hex =
      as_hex ? tool_hex(data, size,
                        norn_isa_word_bytes(norn_isa_find(target ? target : NORN_DEFAULT_TARGET)))
             : NULL;
  if (!tool_write(output, hex ? hex : data, hex ? strlen(hex) : size, &error))
    return tool_fail(error);
  return TOOL_SUCCESS;
}
