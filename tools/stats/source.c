/* The text that code is shown beside: that of IR, that of the source that SPIR-V carries, or the IR
 * that became of SPIR-V without. */
#include "stats/stats.h"

#include <string.h>

enum { HEADER = 5, OP_SOURCE_CONTINUED = 2, OP_SOURCE = 3, TEXT = 4 };

static guint32
word_at(const guint8 *bytes, gsize index) {
  guint32 word;
  memcpy(&word, bytes + index * sizeof word, sizeof word);
  return GUINT32_FROM_LE(word);
}

/* The source text in SPIR-V; empty if there is none. */
static GString *
find_source(const guint8 *bytes, gsize words) {
  GString *text = g_string_new(NULL);
  gboolean is_source = FALSE;
  for (gsize at = HEADER; at < words;) {
    guint32 count = word_at(bytes, at) >> 16, op = word_at(bytes, at) & 0xFFFF;
    if (!count || count > words - at)
      break;
    is_source = op == OP_SOURCE || (is_source && op == OP_SOURCE_CONTINUED);
    gsize first = op == OP_SOURCE ? TEXT : 1;
    if (is_source && count > first) {
      const char *part = (const char *)bytes + (at + first) * sizeof(guint32);
      g_string_append_len(text, part, (gssize)strnlen(part, (count - first) * sizeof(guint32)));
    }
    at += count;
  }
  return text;
}

char **
stats_source_lines(GBytes *input) {
  gsize size;
  const guint8 *bytes = g_bytes_get_data(input, &size);
  if (!bytes || !norn_spirv_is_module(bytes, size)) {
    const char *text = tool_text(input, &size);
    g_autofree char *copy = g_strndup(text, size);
    return g_strsplit(copy, "\n", -1);
  }
  g_autoptr(GString) source = find_source(bytes, size / sizeof(guint32));
  if (!source->len)
    return NULL;
  /* glslang says what it did before the first line. */
  const char *first = strstr(source->str, "#line 1\n");
  return g_strsplit(first ? first + strlen("#line 1\n") : source->str, "\n", -1);
}

GBytes *
stats_as_text(const NornModule *module) {
  gsize length;
  char *text = norn_module_print(module, &length);
  return g_bytes_new_take(text, length);
}
