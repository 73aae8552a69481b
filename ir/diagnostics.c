/* Collecting faults, and showing them with the source lines that they refer to. */
#include "ir/diagnostics.h"
#include <norn/module.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of input bytes quoted in a message. */
#define QUOTED_BYTES 20
/* Maximum length of a source line shown below a message. */
#define SHOWN_LINE 160

void
norn_diagnose(NornDiagnostics *diagnostics, uint32_t line, uint32_t column, const char *format,
              ...) {
  if (norn_diagnostics_full(diagnostics))
    return;
  if (!diagnostics->text)
    diagnostics->text = g_string_new(NULL);
  GString *text = diagnostics->text;
  if (text->len)
    g_string_append_c(text, '\n');
  if (line)
    g_string_append_printf(text, "%s:%u:%u: ", diagnostics->filename, line, column);
  va_list arguments;
  va_start(arguments, format);
  char *fault = norn_format_message(format, arguments);
  va_end(arguments);
  g_string_append(text, fault);
  g_free(fault);
  if (++diagnostics->count == NORN_DIAGNOSTICS_LIMIT)
    g_string_append_printf(text, "\n%s: too many errors", diagnostics->filename);
}

char *
norn_format_message(const char *format, va_list arguments) {
  char *whole = g_strdup_vprintf(format, arguments);
  char *message = norn_shorten_message(whole);
  g_free(whole);
  return message;
}

bool
norn_diagnostics_finish(NornDiagnostics *diagnostics, NornErrorCode code, GError **error) {
  if (!diagnostics->text)
    return true;
  g_set_error_literal(error, NORN_ERROR, code, diagnostics->text->str);
  g_string_free(diagnostics->text, TRUE);
  diagnostics->text = NULL;
  return false;
}

const char *
norn_quote(char out[NORN_QUOTE_SIZE], const char *text, size_t length) {
  char *to = out;
  for (size_t i = 0; i < length && i < QUOTED_BYTES; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte >= 0x20 && byte < 0x7F) {
      *to++ = (char)byte;
    } else {
      to[0] = '\\';
      to[1] = 'x';
      to[2] = "0123456789abcdef"[byte >> 4];
      to[3] = "0123456789abcdef"[byte & 15];
      to += 4;
    }
  }
  if (length > QUOTED_BYTES) {
    memcpy(to, "...", 3);
    to += 3;
  }
  *to = 0;
  return out;
}

/* Parses "...:LINE:COLUMN: " in the first part of a message. */
static bool
message_position(const char *message, size_t length, unsigned long *line, unsigned long *column) {
  for (size_t i = 0; i < length; i++) {
    if (message[i] != ':')
      continue;
    char *after;
    *line = strtoul(message + i + 1, &after, 10);
    if (!*line || *after != ':')
      continue;
    *column = strtoul(after + 1, &after, 10);
    if (*column && after[0] == ':' && after[1] == ' ')
      return true;
  }
  return false;
}

static void
show_line(GString *out, const char *line, size_t length, unsigned long column) {
  size_t first = column > SHOWN_LINE / 2 && length > SHOWN_LINE ? column - SHOWN_LINE / 2 : 0;
  if (!length || column > length + 1)
    return;
  g_string_append(out, "\n  ");
  for (size_t i = first; i < length && i < first + SHOWN_LINE; i++)
    g_string_append_c(out, line[i] == '\t' || (line[i] >= 0x20 && line[i] < 0x7F) ? line[i] : '?');
  g_string_append(out, "\n  ");
  for (size_t i = first; i + 1 < column; i++)
    g_string_append_c(out, line[i] == '\t' ? '\t' : ' ');
  g_string_append_c(out, '^');
}

char *
norn_error_with_source(const char *message, const char *text, size_t length) {
  GString *out = g_string_new(NULL);
  const char *end = text + length;
  text += norn_byte_order_mark(text, length);
  const char *at = text;
  unsigned long at_line = 1;
  while (*message) {
    size_t size = strcspn(message, "\n");
    g_string_append_len(out, message, (gssize)size);
    unsigned long line, column;
    if (message_position(message, size, &line, &column)) {
      if (line < at_line) {
        at = text;
        at_line = 1;
      }
      for (const char *next; at_line < line && (next = memchr(at, '\n', (size_t)(end - at)));
           at_line++)
        at = next + 1;
      const char *stop = memchr(at, '\n', (size_t)(end - at));
      if (at_line == line)
        show_line(out, at, (size_t)((stop ? stop : end) - at), column);
    }
    message += size;
    if (*message) {
      g_string_append_c(out, '\n');
      message++;
    }
  }
  return g_string_free(out, FALSE);
}
