/* Lines and positions of a text. */
#include "lsp.h"

#include <string.h>

void
lsp_text_init(LspText *text, char *bytes) {
  gsize length = strlen(bytes), start = 0;
  *text = (LspText){bytes, length, g_array_new(FALSE, FALSE, sizeof(gsize))};
  g_array_append_val(text->lines, start);
  for (const char *at = bytes; (at = strpbrk(at, "\r\n"));) {
    at += at[0] == '\r' && at[1] == '\n' ? 2 : 1;
    start = (gsize)(at - bytes);
    g_array_append_val(text->lines, start);
  }
}

void
lsp_text_clear(LspText *text) {
  g_free(text->bytes);
  g_array_unref(text->lines);
}

static gsize
line_start(const LspText *text, gsize line) {
  return g_array_index(text->lines, gsize, line);
}

/* The end of the line, before its terminator. */
static gsize
line_end(const LspText *text, gsize line) {
  gsize start = line_start(text, line);
  return start + strcspn(text->bytes + start, "\r\n");
}

/* The number of UTF-16 units of the character. */
static guint
units(const char *character) {
  return g_utf8_get_char(character) >= 0x10000 ? 2 : 1;
}

gsize
lsp_text_offset(const LspText *text, guint64 line, guint64 character, gboolean utf8) {
  if (line >= text->lines->len)
    return text->length;
  gsize start = line_start(text, line), end = line_end(text, line);
  if (utf8) {
    gsize offset = character < end - start ? start + character : end;
    while (offset > start && (text->bytes[offset] & 0xC0) == 0x80)
      offset--;
    return offset;
  }
  const char *at = text->bytes + start, *stop = text->bytes + end;
  while (at < stop && character >= units(at)) {
    character -= units(at);
    at = g_utf8_next_char(at);
  }
  return (gsize)(at - text->bytes);
}

void
lsp_text_position(const LspText *text, gsize offset, gboolean utf8, gsize *line, gsize *character) {
  gsize low = 0, high = text->lines->len;
  while (high - low > 1) {
    gsize middle = low + (high - low) / 2;
    if (line_start(text, middle) <= offset)
      low = middle;
    else
      high = middle;
  }
  *line = low;
  gsize start = line_start(text, low);
  *character = offset - start;
  if (utf8)
    return;
  *character = 0;
  const char *stop = text->bytes + offset;
  for (const char *at = text->bytes + start; at < stop; at = g_utf8_next_char(at))
    *character += units(at);
}
