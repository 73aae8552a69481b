/* norn ops: descriptions of the generic operations, straight from their table. */
#include "common/json.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

static void
append_details(GString *out, NornOp op, const char *start) {
  g_auto(GStrv) details = norn_op_details(op);
  for (char **line = details; *line; line++)
    g_string_append_printf(out, "%s%s\n", start, *line);
}

static void
append_text(GString *out, NornOp op) {
  g_autofree char *syntax = norn_op_syntax(op);
  g_string_append_printf(out, "%s\n  %s\n", syntax, norn_op_meaning(op));
  append_details(out, op, "    ");
}

static void
append_markdown(GString *out, NornOp op) {
  g_autofree char *syntax = norn_op_syntax(op);
  const char *meaning = norn_op_meaning(op);
  g_string_append_printf(out, "### %s\n\n`%s`\n\n%c%s.\n\n", norn_op_name(op), syntax,
                         g_ascii_toupper(*meaning), meaning + 1);
  append_details(out, op, "- ");
  g_string_append_c(out, '\n');
}

static void
add_json(JsonBuilder *json, NornOp op) {
  g_autofree char *syntax = norn_op_syntax(op);
  g_auto(GStrv) details = norn_op_details(op);
  json_builder_begin_object(json);
  tool_json_string(json, "name", norn_op_name(op));
  tool_json_string(json, "syntax", syntax);
  tool_json_string(json, "meaning", norn_op_meaning(op));
  tool_json_array(json, "details");
  for (char **line = details; *line; line++)
    json_builder_add_string_value(json, *line);
  json_builder_end_array(json);
  json_builder_end_object(json);
}

typedef enum { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON } OutputFormat;

/* How an operation was found: earlier entries are shown first. */
typedef enum { OP_MATCH_NAME, OP_MATCH_MEANING, OP_MATCH_NONE } OpMatch;

/* Whether `text` contains one of the words, ignoring case. */
static gboolean
mentions(const char *text, char **words) {
  g_autofree char *small = g_ascii_strdown(text, -1);
  gboolean found = FALSE;
  for (; *words; words++) {
    g_autofree char *word = g_ascii_strdown(*words, -1);
    found |= strstr(small, word) != NULL;
  }
  return found;
}

static OpMatch
match(NornOp op, char **words) {
  if (!*words || mentions(norn_op_name(op), words))
    return OP_MATCH_NAME;
  g_auto(GStrv) details = norn_op_details(op);
  g_autofree char *text = g_strjoinv("\n", details);
  return mentions(norn_op_meaning(op), words) || mentions(text, words) ? OP_MATCH_MEANING
                                                                       : OP_MATCH_NONE;
}

/* All operations with one of `words` in their names, then those that only mention one, as text
 * with one line each; or all operations. */
static guint
append_operations(GString *out, char **words, OutputFormat format) {
  guint shown = 0;
  g_autoptr(JsonBuilder) json = json_builder_new();
  json_builder_begin_object(json);
  tool_json_array(json, "operations");
  for (OpMatch wanted = OP_MATCH_NAME; wanted < OP_MATCH_NONE; wanted++) {
    for (NornOp op = NORN_OP_NONE + 1; op < NORN_OP_COUNT; op++) {
      if (match(op, words) != wanted)
        continue;
      shown++;
      if (format == FORMAT_JSON)
        add_json(json, op);
      else if (format == FORMAT_MARKDOWN)
        append_markdown(out, op);
      else if (wanted == OP_MATCH_NAME)
        append_text(out, op);
      else
        g_string_append_printf(out, "%-20s %s\n", norn_op_name(op), norn_op_meaning(op));
    }
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
  if (format == FORMAT_JSON) {
    g_autofree char *text = tool_json_text(json, TRUE);
    g_string_append(out, text);
  }
  return shown;
}

int
tool_ops(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("ops");
  g_autofree char *format = NULL, *output = NULL, *preface = NULL;
  static const char formats[] = "text|markdown|json";
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(output),
      {"format", 0, 0, G_OPTION_ARG_STRING, &format, "How to print (default: text)", formats},
      {"preface", 0, 0, G_OPTION_ARG_FILENAME, &preface, "Print this file before the operations",
       "FILE"},
      {NULL},
  };
  g_auto(GStrv) names = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &names);
  if (status)
    return MAX(status, 0);
  int chosen = tool_choose(verb, "format", format, formats, FORMAT_TEXT);
  if (chosen < 0)
    return TOOL_USAGE;
  GError *error = NULL;
  g_autoptr(GBytes) head = preface ? tool_read(preface, &error) : NULL;
  if (error)
    return tool_fail(error);
  g_autoptr(GString) out = g_string_new(NULL);
  if (head)
    g_string_append_len(out, g_bytes_get_data(head, NULL), (gssize)g_bytes_get_size(head));
  if (chosen == FORMAT_MARKDOWN)
    g_string_append(out, "\n## The operations\n\n");
  guint shown = append_operations(out, names, (OutputFormat)chosen);
  if (!shown) {
    NornNearest nearest;
    norn_nearest_init(&nearest, *names, strlen(*names));
    for (NornOp op = NORN_OP_NONE + 1; op < NORN_OP_COUNT; op++)
      norn_nearest_try(&nearest, norn_op_name(op));
    g_autofree char *hint = norn_nearest_hint(&nearest);
    return tool_fail(g_error_new(NORN_ERROR, NORN_ERROR_INVALID,
                                 "no operation is named '%s' or mentions it%s", *names, hint));
  }
  return tool_write(output, out->str, out->len, &error) ? TOOL_SUCCESS : tool_fail(error);
}
