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

/* Refuses code that does not consist of whole words. Consumes `code` (nullable). */
static GBytes *
check_size(GBytes *code, const char *path, unsigned word, GError **error) {
  if (!code || g_bytes_get_size(code) % word == 0)
    return code;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s: code of %" G_GSIZE_FORMAT " bytes, expected a multiple of %u",
              tool_input_name(path), g_bytes_get_size(code), word);
  g_bytes_unref(code);
  return NULL;
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
  return check_size(
      norn_isa_assemble(isa, text ? text : "", size, tool_input_name(path), &options, error), path,
      norn_isa_word_bytes(isa), error);
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

/* The bytes written as pairs of hexadecimal digits, in lines of any length. NULL if the text is
 * something else from offset *bad on. */
static GBytes *
read_hex(const char *text, gsize size, gsize *bad) {
  g_autoptr(GByteArray) code = g_byte_array_new();
  for (gsize at = 0; at < size;) {
    gsize left = size - at;
    int high = g_ascii_xdigit_value(text[at]);
    int low = left > 1 ? g_ascii_xdigit_value(text[at + 1]) : -1;
    const guint8 byte = (guint8)(high * 16 + low);
    *bad = at;
    if (high >= 0 && low >= 0)
      g_byte_array_append(code, &byte, 1);
    else if (text[at] != '\n' && !(text[at] == '\r' && left > 1 && text[at + 1] == '\n'))
      return NULL;
    at += text[at] == '\n' ? 1 : 2;
  }
  return g_byte_array_free_to_bytes(g_steal_pointer(&code));
}

/* Whether the text consists of lines as long as they are printed. */
static gboolean
has_printed_lines(const char *text, gsize size, gsize digits) {
  gboolean has = size && size % (digits + 1) == 0;
  for (gsize at = digits; has && at < size; at += digits + 1)
    has = text[at] == '\n';
  return has;
}

static void
refuse_hex(const char *path, const char *text, gsize size, gsize bad, GError **error) {
  guint line, column;
  tool_find_place(text, text + bad, &line, &column);
  const char *end = memchr(text + bad, '\n', size - bad);
  g_autofree char *found =
      g_strndup(text + bad, MIN(end ? (gsize)(end - text) - bad : size - bad, 16));
  g_autofree char *shown = g_strescape(found, NULL);
  g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX,
              "%s:%u:%u: expected two hexadecimal digits for each byte, found '%s'",
              tool_input_name(path), line, column, shown);
}

GBytes *
tool_read_code(const char *target, const char *path, GError **error) {
  const NornIsa *isa = norn_isa_find(target ? target : NORN_DEFAULT_TARGET);
  unsigned word = isa ? norn_isa_word_bytes(isa) : 1;
  g_autoptr(GBytes) code = tool_read(path, error);
  if (!code)
    return NULL;
  gsize size, bad = 0;
  const char *text = g_bytes_get_data(code, &size);
  gboolean is_hex = g_str_has_suffix(path, ".hex");
  if (is_hex || has_printed_lines(text, size, 2 * (gsize)word)) {
    GBytes *bytes = read_hex(text, size, &bad);
    if (!bytes && is_hex) {
      refuse_hex(path, text, size, bad, error);
      return NULL;
    }
    if (bytes) {
      g_bytes_unref(code);
      code = bytes;
    }
  }
  return check_size(g_steal_pointer(&code), path, word, error);
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
