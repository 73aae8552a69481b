/* The text that code is shown beside: that of IR, that of the source that SPIR-V carries, or the IR
 * that became of SPIR-V without. */
#include "stats/stats.h"

#include <string.h>

enum { HEADER = 5, SOURCE_TEXT = 4 /* word of OpSource */ };
enum {
  OP_SOURCE_CONTINUED = 2,
  OP_SOURCE = 3,
  OP_STRING = 7,
  OP_EXT_INST_IMPORT = 11,
  OP_EXT_INST = 12
};
/* Of OpExtInst: words, and instructions of NonSemantic.Shader.DebugInfo.100. */
enum { SET = 3, INSTRUCTION = 4, DEBUG_SOURCE_TEXT = 6, DEBUG_CONTINUED_TEXT = 5 };
enum { DEBUG_SOURCE = 35, DEBUG_SOURCE_CONTINUED = 102 };

typedef struct SourceFinder {
  const guint8 *bytes;
  GHashTable *strings; /* OpString: number to place */
  guint32 debug;       /* number of the set of debugging instructions, 0: none */
  guint sources;       /* DebugSource seen */
  gboolean is_source;  /* the last instruction was OpSource or continued it */
  GString *text;
} SourceFinder;

static guint32
word_at(const SourceFinder *finder, gsize index) {
  guint32 word;
  memcpy(&word, finder->bytes + index * sizeof word, sizeof word);
  return GUINT32_FROM_LE(word);
}

/* The literal that starts with that word of the instruction there, if it has so many words. */
static void
append_literal(SourceFinder *finder, gsize at, guint32 first) {
  guint32 count = word_at(finder, at) >> 16;
  if (count <= first)
    return;
  const char *part = (const char *)finder->bytes + (at + first) * sizeof(guint32);
  g_string_append_len(finder->text, part, (gssize)strnlen(part, (count - first) * sizeof(guint32)));
}

/* The OpString that a word of the instruction names, which serves once: what is found is no longer
 * than what is read. */
static void
append_string(SourceFinder *finder, gsize at, guint32 word) {
  gpointer place;
  if (word_at(finder, at) >> 16 > word &&
      g_hash_table_steal_extended(finder->strings, GUINT_TO_POINTER(word_at(finder, at + word)),
                                  NULL, &place))
    append_literal(finder, GPOINTER_TO_SIZE(place), 2);
}

/* What glslang -gVS writes: the text of the first file, those that it includes left out. */
static void
read_debug_instruction(SourceFinder *finder, gsize at) {
  guint32 instruction = word_at(finder, at + INSTRUCTION);
  if (instruction == DEBUG_SOURCE && !finder->sources++)
    append_string(finder, at, DEBUG_SOURCE_TEXT);
  else if (instruction == DEBUG_SOURCE_CONTINUED && finder->sources == 1)
    append_string(finder, at, DEBUG_CONTINUED_TEXT);
}

static void
read_instruction(SourceFinder *finder, gsize at, guint32 op, guint32 count) {
  static const char debug[] = "NonSemantic.Shader.DebugInfo.100";
  finder->is_source = op == OP_SOURCE || (finder->is_source && op == OP_SOURCE_CONTINUED);
  if (finder->is_source)
    append_literal(finder, at, op == OP_SOURCE ? SOURCE_TEXT : 1);
  else if (op == OP_STRING && count > 2)
    g_hash_table_insert(finder->strings, GUINT_TO_POINTER(word_at(finder, at + 1)),
                        GSIZE_TO_POINTER(at));
  else if (op == OP_EXT_INST_IMPORT && count >= 2 + sizeof debug / sizeof(guint32) &&
           !memcmp(finder->bytes + (at + 2) * sizeof(guint32), debug, sizeof debug - 1))
    finder->debug = word_at(finder, at + 1);
  else if (op == OP_EXT_INST && count > INSTRUCTION && finder->debug &&
           word_at(finder, at + SET) == finder->debug)
    read_debug_instruction(finder, at);
}

/* The source text in SPIR-V; empty if there is none. */
static GString *
find_source(const guint8 *bytes, gsize words) {
  g_autoptr(GHashTable) strings = g_hash_table_new(NULL, NULL);
  SourceFinder finder = {bytes, strings, .text = g_string_new(NULL)};
  for (gsize at = HEADER; at < words;) {
    guint32 count = word_at(&finder, at) >> 16;
    if (!count || count > words - at)
      break;
    read_instruction(&finder, at, word_at(&finder, at) & 0xFFFF, count);
    at += count;
  }
  return finder.text;
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
