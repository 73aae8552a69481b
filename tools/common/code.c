/* Machine code and assembly: functions shared by several verbs. */
#include "tool.h"

#include <norn/registers.h>
#include <string.h>

gboolean
tool_find_isa(const char *target, const char *architecture, const NornIsa **isa, unsigned *number,
              GError **error) {
  *isa = norn_isa_find(target ? target : NORN_DEFAULT_TARGET);
  int found = *isa && architecture ? norn_isa_architecture(*isa, architecture) : 0;
  if (!*isa || found < 0) {
    g_autofree char *message =
        *isa ? norn_isa_unknown_architecture(*isa, architecture, strlen(architecture))
             : norn_isa_unknown_target(target, strlen(target));
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, message);
    return FALSE;
  }
  *number = (unsigned)found;
  return TRUE;
}

int
tool_check_isa(const ToolVerb *verb, const char *target, const char *architecture) {
  const NornIsa *isa;
  unsigned number;
  GError *error = NULL;
  return tool_find_isa(target, architecture, &isa, &number, &error) ? TOOL_SUCCESS
                                                                    : tool_refuse(verb, error);
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
  return norn_isa_assemble(isa, text ? text : "", size, tool_input_name(path), &options, error);
}

char *
tool_disassemble(const char *target, const char *architecture, const void *code, gsize size,
                 gsize code_size, unsigned flags, gsize *length, GError **error) {
  const NornIsa *isa;
  NornIsaDisassembleOptions options = {.flags = flags, .code_size = code_size};
  if (!tool_find_isa(target, architecture, &isa, &options.architecture, error))
    return NULL;
  return norn_isa_disassemble(isa, code, size, &options, length);
}

/* The bytes written as lines of `digits` hexadecimal digits; NULL if the text is something else. */
static GBytes *
read_hex(GBytes *input, gsize digits) {
  gsize size;
  const char *text = g_bytes_get_data(input, &size);
  if (!size || size % (digits + 1))
    return NULL;
  g_autoptr(GByteArray) code = g_byte_array_new();
  for (gsize line = 0; line < size; line += digits + 1) {
    for (gsize k = 0; k < digits; k += 2) {
      int high = g_ascii_xdigit_value(text[line + k]);
      int low = g_ascii_xdigit_value(text[line + k + 1]);
      if (high < 0 || low < 0)
        return NULL;
      const guint8 byte = (guint8)(high << 4 | low);
      g_byte_array_append(code, &byte, 1);
    }
    if (text[line + digits] != '\n')
      return NULL;
  }
  return g_byte_array_free_to_bytes(g_steal_pointer(&code));
}

GBytes *
tool_read_code(const char *target, const char *path, GError **error) {
  const NornIsa *isa = norn_isa_find(target ? target : NORN_DEFAULT_TARGET);
  GBytes *input = tool_read(path, error);
  unsigned word = isa ? norn_isa_word_bytes(isa) : 1;
  GBytes *words = input ? read_hex(input, 2 * (gsize)word) : NULL;
  if (!input || (!words && g_bytes_get_size(input) % word == 0))
    return input;
  if (!words)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%s: code of %" G_GSIZE_FORMAT " bytes, expected a multiple of %u",
                tool_input_name(path), g_bytes_get_size(input), word);
  g_bytes_unref(input);
  return words;
}

gsize
tool_code_size(const NornCompileInfo *info) {
  return info->data_size ? (gsize)info->instructions * 8 : 0;
}

GBytes *
tool_code_alone(GBytes *code, const NornCompileInfo *info) {
  gsize size = tool_code_size(info);
  GBytes *alone = size ? g_bytes_new_from_bytes(code, 0, size) : g_bytes_ref(code);
  g_bytes_unref(code);
  return alone;
}

gboolean
tool_is_code(const char *path) {
  return g_str_has_suffix(path, ".bin") || g_str_has_suffix(path, ".hex") ||
         g_str_has_suffix(path, ".s");
}

gboolean
tool_check_compilable(const char *target, const char *path, GError **error) {
  if (!target || !norn_register_machine_exists(target) || tool_is_code(path))
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s: %s runs assembly and machine code, expected a file whose name ends in "
              ".s, .bin or .hex",
              tool_input_name(path), target);
  return FALSE;
}

GBytes *
tool_load_code(const char *target, const char *architecture, const char *path, gboolean no_verify,
               GError **error) {
  return g_str_has_suffix(path, ".s") ? tool_assemble(target, architecture, path, no_verify, error)
                                      : tool_read_code(target, path, error);
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
