/* norn disasm: machine code to assembly text. */
#include "tool.h"

#include <string.h>
#include <unistd.h>

int
tool_disasm(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("disasm");
  g_autofree char *target = NULL, *architecture = NULL, *output = NULL, *format = NULL,
                  *info_path = NULL;
  gboolean addresses = FALSE, words = FALSE, offsets = FALSE, alternate = FALSE, no_verify = FALSE;
  static const char formats[] = "text|json";
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(output),
      TOOL_ISA_ENTRY(target),
      TOOL_ARCHITECTURE_ENTRY(architecture),
      {"format", 0, 0, G_OPTION_ARG_STRING, &format, "How to print (default: text)", formats},
      {"info", 0, 0, G_OPTION_ARG_FILENAME, &info_path,
       "The compiler's report, as written by norn compile --info=FILE, which says where constant "
       "data is",
       "FILE"},
      {"addresses", 0, 0, G_OPTION_ARG_NONE, &addresses, "Show the address of each instruction",
       NULL},
      {"words", 0, 0, G_OPTION_ARG_NONE, &words, "Show the raw instruction words", NULL},
      {"offsets", 0, 0, G_OPTION_ARG_NONE, &offsets,
       "Show branch targets as numbers instead of labels", NULL},
      {"alternate", 0, 0, G_OPTION_ARG_NONE, &alternate, "Use the alternate syntax if there is one",
       NULL},
      {"no-verify", 0, 0, G_OPTION_ARG_NONE, &no_verify,
       "Also disassemble instructions that break a rule of the hardware", NULL},
      {NULL},
  };
  g_auto(GStrv) inputs = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &inputs);
  if (status)
    return MAX(status, 0);
  int json = tool_choose(verb, "format", format, formats, 0);
  if (json < 0)
    return TOOL_USAGE;
  if ((status = tool_check_isa(verb, target, architecture)))
    return status;
  gboolean color = (!output || !strcmp(output, "-")) && !json && tool_is_terminal(STDOUT_FILENO);
  unsigned flags = (addresses ? NORN_ISA_PRINT_ADDRESSES : 0) | (words ? NORN_ISA_PRINT_WORDS : 0) |
                   (offsets ? NORN_ISA_PRINT_OFFSETS : 0) |
                   (alternate ? NORN_ISA_PRINT_ALTERNATE : 0) |
                   (no_verify ? NORN_ISA_PRINT_NO_VERIFY : 0) | (json ? NORN_ISA_PRINT_JSON : 0) |
                   (color ? NORN_ISA_PRINT_COLOR : 0);
  GError *error = NULL;
  g_autoptr(GBytes) code = tool_read_code(target, inputs[0], &error);
  gsize size = 0, length = 0;
  const void *data = code ? g_bytes_get_data(code, &size) : NULL;
  g_autofree char *text = NULL;
  NornCompileInfo info = {0};
  const char *of_info = architecture;
  if (code && (!info_path || tool_info_read(info_path, target, &of_info, &info, &error)))
    text = tool_disassemble(target, of_info, data, size, tool_code_size(&info), flags, &length,
                            &error);
  if (!text || !tool_write(output, text, length, &error))
    return tool_fail(error);
  return TOOL_SUCCESS;
}
