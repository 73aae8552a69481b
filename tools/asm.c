/* norn asm, norn disasm: assembly text to words and back. */
#include "tools/tool.h"

#include <norn/isa.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

gboolean
tool_find_isa(const char *target, const char *architecture, const NornIsa **isa, unsigned *number,
              GError **error) {
  *isa = norn_isa_find(target ? target : "valhall");
  if (!*isa) {
    GString *names = g_string_new(NULL);
    for (unsigned i = 0; norn_isa_at(i); i++)
      g_string_append_printf(names, "%s%s", i ? ", " : "", norn_isa_name(norn_isa_at(i)));
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "there is no target '%s', only %s",
                target, names->str);
    g_string_free(names, TRUE);
    return FALSE;
  }
  int found = architecture ? norn_isa_architecture(*isa, architecture) : 0;
  if (found < 0) {
    GString *names = g_string_new(NULL);
    for (unsigned i = 0; i < norn_isa_architecture_count(*isa); i++)
      g_string_append_printf(names, "%s%s", i ? ", " : "", norn_isa_architecture_name(*isa, i));
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "%s has no architecture '%s', only %s",
                norn_isa_name(*isa), architecture, names->str);
    g_string_free(names, TRUE);
    return FALSE;
  }
  *number = (unsigned)found;
  return TRUE;
}

GBytes *
tool_assemble(const char *target, const char *architecture, const char *path, gboolean no_verify,
              GError **error) {
  const NornIsa *isa;
  NornIsaAssembleOptions options = {.no_verify = no_verify};
  if (!tool_find_isa(target, architecture, &isa, &options.architecture, error))
    return NULL;
  g_autoptr(GBytes) bytes = tool_read(path, error);
  if (!bytes)
    return NULL;
  gsize size;
  const char *text = g_bytes_get_data(bytes, &size);
  return norn_isa_assemble(isa, text ? text : "", size, strcmp(path, "-") ? path : "<stdin>",
                           &options, error);
}

static char *
disassemble(const char *target, const char *architecture, const void *code, gsize size,
            unsigned flags, gsize *length, GError **error) {
  const NornIsa *isa;
  NornIsaDisassembleOptions options = {.flags = flags};
  if (!tool_find_isa(target, architecture, &isa, &options.architecture, error))
    return NULL;
  return norn_isa_disassemble(isa, code, size, &options, length);
}

char *
tool_disassemble(const char *target, const char *architecture, const void *code, gsize size,
                 GError **error) {
  return disassemble(target, architecture, code, size, 0, NULL, error);
}

gboolean
tool_check_code_size(const char *target, const char *path, gsize size, GError **error) {
  const NornIsa *isa = norn_isa_find(target ? target : "valhall");
  if (!isa || size % norn_isa_word_bytes(isa) == 0)
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s: %" G_GSIZE_FORMAT " bytes are no multiple of the %u bytes of an instruction",
              path, size, norn_isa_word_bytes(isa));
  return FALSE;
}

int
tool_asm(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("asm");
  g_autofree char *target = NULL, *architecture = NULL, *output = NULL, *emit = NULL;
  gboolean no_verify = FALSE;
  const GOptionEntry entries[] = {
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Where to (default: standard output)",
       "OUT"},
      {"emit", 0, 0, G_OPTION_ARG_STRING, &emit,
       "What (default: hex on standard output, bin in a file)", "bin|hex"},
      {"target", 0, 0, G_OPTION_ARG_STRING, &target, "The instruction set (default: valhall)",
       "NAME"},
      {"arch", 0, 0, G_OPTION_ARG_STRING, &architecture, "Its architecture (default: the first)",
       "N"},
      {"no-verify", 0, 0, G_OPTION_ARG_NONE, &no_verify,
       "Encode also what breaks a rule of the hardware", NULL},
      {NULL},
  };
  g_auto(GStrv) inputs = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &inputs);
  if (status)
    return MAX(status, 0);
  if (g_strv_length(inputs) != 1)
    return tool_usage(verb, "expected one input file");
  gboolean to_stdout = !output || !strcmp(output, "-");
  if (emit && strcmp(emit, "bin") && strcmp(emit, "hex"))
    return tool_usage(verb, "cannot emit '%s', only bin or hex", emit);
  gboolean as_hex = emit ? !strcmp(emit, "hex") : to_stdout || g_str_has_suffix(output, ".hex");
  GError *error = NULL;
  g_autoptr(GBytes) code = tool_assemble(target, architecture, inputs[0], no_verify, &error);
  if (!code)
    return tool_fail(error);
  gsize size;
  const void *data = g_bytes_get_data(code, &size);
  g_autofree char *hex =
      as_hex ? tool_hex(data, size, norn_isa_word_bytes(norn_isa_find(target ? target : "valhall")))
             : NULL;
  if (!tool_write(output, hex ? hex : data, hex ? strlen(hex) : size, &error))
    return tool_fail(error);
  return TOOL_SUCCESS;
}

char *
tool_hex(const guint8 *bytes, gsize size, gsize bytes_a_line) {
  static const char digits[] = "0123456789abcdef";
  char *text = g_malloc(2 * size + size / bytes_a_line + 2), *at = text;
  for (gsize i = 0; i < size; i++) {
    *at++ = digits[bytes[i] >> 4];
    *at++ = digits[bytes[i] & 15];
    if (i % bytes_a_line == bytes_a_line - 1 || i == size - 1)
      *at++ = '\n';
  }
  *at = 0;
  return text;
}

int
tool_disasm(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("disasm");
  g_autofree char *target = NULL, *architecture = NULL, *output = NULL, *format = NULL;
  gboolean addresses = FALSE, words = FALSE, offsets = FALSE, alternate = FALSE, no_verify = FALSE;
  const GOptionEntry entries[] = {
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Where to (default: standard output)",
       "OUT"},
      {"target", 0, 0, G_OPTION_ARG_STRING, &target, "The instruction set (default: valhall)",
       "NAME"},
      {"arch", 0, 0, G_OPTION_ARG_STRING, &architecture, "Its architecture (default: the first)",
       "N"},
      {"format", 0, 0, G_OPTION_ARG_STRING, &format, "How to print (default: text)", "text|json"},
      {"addresses", 0, 0, G_OPTION_ARG_NONE, &addresses, "Show the address of each instruction",
       NULL},
      {"words", 0, 0, G_OPTION_ARG_NONE, &words, "Show the raw words", NULL},
      {"offsets", 0, 0, G_OPTION_ARG_NONE, &offsets, "Branch targets as numbers, not labels", NULL},
      {"alternate", 0, 0, G_OPTION_ARG_NONE, &alternate, "The other syntax, where there are two",
       NULL},
      {"no-verify", 0, 0, G_OPTION_ARG_NONE, &no_verify,
       "Show as text also what breaks a rule of the hardware", NULL},
      {NULL},
  };
  g_auto(GStrv) inputs = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &inputs);
  if (status)
    return MAX(status, 0);
  if (g_strv_length(inputs) != 1)
    return tool_usage(verb, "expected one input file");
  static const char *const formats[] = {"text", "json", NULL};
  int json = tool_choose(verb, "format", format, formats, 0);
  if (json < 0)
    return TOOL_USAGE;
  gboolean color = (!output || !strcmp(output, "-")) && !json && tool_is_terminal(STDOUT_FILENO);
  unsigned flags = (addresses ? NORN_ISA_PRINT_ADDRESSES : 0) | (words ? NORN_ISA_PRINT_WORDS : 0) |
                   (offsets ? NORN_ISA_PRINT_OFFSETS : 0) |
                   (alternate ? NORN_ISA_PRINT_ALTERNATE : 0) |
                   (no_verify ? NORN_ISA_PRINT_NO_VERIFY : 0) | (json ? NORN_ISA_PRINT_JSON : 0) |
                   (color ? NORN_ISA_PRINT_COLOR : 0);
  GError *error = NULL;
  g_autoptr(GBytes) code = tool_read(inputs[0], &error);
  gsize size = 0, length = 0;
  const void *data = code ? g_bytes_get_data(code, &size) : NULL;
  g_autofree char *text = NULL;
  if (code && tool_check_code_size(target, inputs[0], size, &error))
    text = disassemble(target, architecture, data, size, flags, &length, &error);
  if (!text || !tool_write(output, text, length, &error))
    return tool_fail(error);
  return TOOL_SUCCESS;
}
