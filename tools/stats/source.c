/* The text that is shown beside the code: IR text, the source in SPIR-V, or the IR of SPIR-V
 * that contains no source. */
#include "common/spirv_words.h"
#include "stats/stats.h"

#include <string.h>

enum { SOURCE_TEXT = 4 /* index of a word of OpSource */ };
enum {
  OP_SOURCE_CONTINUED = 2,
  OP_SOURCE = 3,
  OP_STRING = 7,
  OP_EXT_INST_IMPORT = 11,
  OP_EXT_INST = 12
};
/* Of OpExtInst: indices of words, and instructions of NonSemantic.Shader.DebugInfo.100. */
enum { SET = 3, INSTRUCTION = 4, DEBUG_SOURCE_TEXT = 6, DEBUG_CONTINUED_TEXT = 5 };
enum { DEBUG_SOURCE = 35, DEBUG_SOURCE_CONTINUED = 102 };

typedef struct SourceFinder {
  SpirvWords module;
  GHashTable *strings; /* OpString: id -> position */
  guint32 debug;       /* id of the set of debug instructions, 0: none */
  guint sources;       /* a DebugSource was found */
  gboolean is_source;  /* the last instruction was OpSource or a continuation of it */
  GString *text;
} SourceFinder;

/* The OpString that a word of the instruction refers to, which is used only once, so that the
 * text is no longer than the input. */
static void
append_string(SourceFinder *finder, guint32 at, guint32 word) {
  const guint32 *words = finder->module.words + at;
  gpointer place;
  if (words[0] >> 16 > word &&
      g_hash_table_steal_extended(finder->strings, GUINT_TO_POINTER(words[word]), NULL, &place))
    spirv_words_append_text(&finder->module, GPOINTER_TO_UINT(place), 2, finder->text);
}

/* The output of glslang -gVS: the text of the first file, without those that it includes. */
static void
read_debug_instruction(SourceFinder *finder, guint32 at) {
  guint32 instruction = finder->module.words[at + INSTRUCTION];
  if (instruction == DEBUG_SOURCE && !finder->sources++)
    append_string(finder, at, DEBUG_SOURCE_TEXT);
  else if (instruction == DEBUG_SOURCE_CONTINUED && finder->sources == 1)
    append_string(finder, at, DEBUG_CONTINUED_TEXT);
}

/* Whether the instruction, an OpExtInstImport, imports the debug instructions. */
static gboolean
imports_debug(const SourceFinder *finder, guint32 at) {
  g_autoptr(GString) name = g_string_new(NULL);
  spirv_words_append_text(&finder->module, at, 2, name);
  return !strcmp(name->str, "NonSemantic.Shader.DebugInfo.100");
}

static void
read_instruction(SourceFinder *finder, guint32 at, guint32 count) {
  const guint32 *words = finder->module.words + at;
  guint32 op = words[0] & 0xFFFF;
  finder->is_source = op == OP_SOURCE || (finder->is_source && op == OP_SOURCE_CONTINUED);
  if (finder->is_source)
    spirv_words_append_text(&finder->module, at, op == OP_SOURCE ? SOURCE_TEXT : 1, finder->text);
  else if (op == OP_STRING && count > 2)
    g_hash_table_insert(finder->strings, GUINT_TO_POINTER(words[1]), GUINT_TO_POINTER(at));
  else if (op == OP_EXT_INST_IMPORT && count > 2 && imports_debug(finder, at))
    finder->debug = words[1];
  else if (op == OP_EXT_INST && count > INSTRUCTION && finder->debug && words[SET] == finder->debug)
    read_debug_instruction(finder, at);
}

/* The source text in SPIR-V; empty if there is none. */
static GString *
find_source(GBytes *bytes) {
  g_autoptr(GHashTable) strings = g_hash_table_new(NULL, NULL);
  SourceFinder finder = {.strings = strings, .text = g_string_new(NULL)};
  spirv_words_init(&finder.module, bytes);
  for (guint32 at = 0, count; spirv_words_next(&finder.module, &at, &count);)
    read_instruction(&finder, at, count);
  spirv_words_clear(&finder.module);
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
  g_autoptr(GString) source = find_source(input);
  if (!source->len)
    return NULL;
  /* glslang adds comments on its own processing before the first line. */
  const char *first = strstr(source->str, "#line 1\n");
  return g_strsplit(first ? first + strlen("#line 1\n") : source->str, "\n", -1);
}

GBytes *
stats_as_text(const NornModule *module) {
  gsize length;
  char *text = norn_module_print(module, &length);
  return g_bytes_new_take(text, length);
}
