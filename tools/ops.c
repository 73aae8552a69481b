/* norn ops: what the generic operations are, straight from their table. */
#include "ir/ops.h"
#include "tools/json.h"
#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

/* The names of a set of types, separated by blanks. */
static void
append_types(GString *out, NornTypeSet set) {
  gboolean first = TRUE;
  for (int type = 0; type < NORN_TYPE_COUNT; type++) {
    if (!norn_type_in(set, (NornType)type))
      continue;
    g_string_append_printf(out, "%s%s", first ? "" : " ", norn_types[type].name);
    first = FALSE;
  }
}

/* How the operation is written: "%r = icmp.CONDITION.T %a, %b". */
static char *
format_syntax(const NornOpInfo *op) {
  static const struct {
    char letter;
    const char *text;
  } forms[] = {
      {'T', "T"},       {'S', "S"},         {'B', "i1"},  {'W', "i32"},        {'D', "i64"},
      {'P', "address"}, {'N', "number"},    {'R', "f32"}, {'K', "block"},      {'F', "function"},
      {'C', "cases"},   {'A', "arguments"}, {'*', "..."}, {'?', "(optional)"},
  };
  GString *out = g_string_new(NULL);
  const char *const lists[] = {op->results, op->operands};
  for (int side = 0; side < 2; side++) {
    for (const char *letter = lists[side]; *letter; letter++) {
      const char *text = "";
      for (guint i = 0; i < G_N_ELEMENTS(forms); i++)
        if (forms[i].letter == *letter)
          text = forms[i].text;
      gboolean joins = *letter == '*' || *letter == '?' || letter == lists[side];
      g_string_append_printf(
          out, "%s%s", joins ? (*letter == '*' || *letter == '?' || !side ? "" : " ") : ", ", text);
    }
    if (side)
      break;
    if (*op->results)
      g_string_append(out, " = ");
    g_string_append(out, op->name);
    if (op->modifier) {
      g_autofree char *name = g_ascii_strup(norn_modifiers[op->modifier].type + strlen("Norn"), -1);
      g_string_append_printf(out, ".%s", name);
    }
    g_string_append_printf(out, "%s%s", op->types ? ".T" : "", op->source_types ? ".S" : "");
  }
  return g_string_free(out, FALSE);
}

static void
append_details(GString *out, const NornOpInfo *op, const char *start, const char *end) {
  if (op->types) {
    g_string_append_printf(out, "%sT: ", start);
    append_types(out, op->types);
    g_string_append(out, end);
  }
  if (op->source_types) {
    g_string_append_printf(out, "%sS: ", start);
    append_types(out, op->source_types);
    g_string_append(out, end);
  }
  if (op->modifier) {
    const NornModifierInfo *modifier = &norn_modifiers[op->modifier];
    g_autofree char *name = g_ascii_strup(modifier->type + strlen("Norn"), -1);
    g_string_append_printf(out, "%s%s:", start, name);
    for (int i = 0; i < modifier->count; i++)
      g_string_append_printf(out, " %s", modifier->texts[i]);
    g_string_append(out, end);
  }
  static const struct {
    guint64 flag;
    const char *meaning;
  } flags[] = {
#define FLAG(id, bit, meaning) {NORN_OP_##id, meaning},
      NORN_OP_FLAGS(FLAG)
#undef FLAG
  };
  for (guint i = 0; i < G_N_ELEMENTS(flags); i++)
    if (op->flags & flags[i].flag)
      g_string_append_printf(out, "%s%s%s", start, flags[i].meaning, end);
}

static void
append_text(GString *out, const NornOpInfo *op) {
  g_autofree char *syntax = format_syntax(op);
  g_string_append_printf(out, "%s\n  %s\n", syntax, op->meaning);
  append_details(out, op, "    ", "\n");
}

static void
append_markdown(GString *out, const NornOpInfo *op) {
  g_autofree char *syntax = format_syntax(op);
  g_string_append_printf(out, "### %s\n\n`%s`\n\n%c%s.\n\n", op->name, syntax,
                         g_ascii_toupper(*op->meaning), op->meaning + 1);
  append_details(out, op, "- ", "\n");
  g_string_append_c(out, '\n');
}

static void
add_json(JsonBuilder *json, const NornOpInfo *op) {
  g_autofree char *syntax = format_syntax(op);
  g_autoptr(GString) details = g_string_new(NULL);
  append_details(details, op, "", "\n");
  g_auto(GStrv) lines = g_strsplit(details->str, "\n", -1);
  json_builder_begin_object(json);
  tool_json_string(json, "name", op->name);
  tool_json_string(json, "syntax", syntax);
  tool_json_string(json, "meaning", op->meaning);
  tool_json_array(json, "details");
  for (char **line = lines; *line && **line; line++)
    json_builder_add_string_value(json, *line);
  json_builder_end_array(json);
  json_builder_end_object(json);
}

typedef enum { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON } Format;

/* All operations with one of `names` in theirs, or all. */
static guint
append_operations(GString *out, char **names, Format format) {
  guint shown = 0;
  g_autoptr(JsonBuilder) json = json_builder_new();
  json_builder_begin_object(json);
  tool_json_array(json, "operations");
  for (int i = 1; i < NORN_OP_COUNT; i++) {
    gboolean wanted = !*names;
    for (char **name = names; *name; name++)
      wanted |= strstr(norn_ops[i].name, *name) != NULL;
    if (!wanted)
      continue;
    shown++;
    if (format == FORMAT_JSON)
      add_json(json, &norn_ops[i]);
    else
      (format == FORMAT_MARKDOWN ? append_markdown : append_text)(out, &norn_ops[i]);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
  if (format == FORMAT_JSON) {
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    g_autofree char *text = json_to_string(root, TRUE);
    g_string_append_printf(out, "%s\n", text);
  }
  return shown;
}

int
tool_ops(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("ops");
  g_autofree char *format = NULL, *output = NULL, *preface = NULL;
  const GOptionEntry entries[] = {
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Where to (default: standard output)",
       "OUT"},
      {"format", 0, 0, G_OPTION_ARG_STRING, &format, "How to print (default: text)",
       "text|markdown|json"},
      {"preface", 0, 0, G_OPTION_ARG_FILENAME, &preface, "Print this file first", "FILE"},
      {NULL},
  };
  g_auto(GStrv) names = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &names);
  if (status)
    return MAX(status, 0);
  static const char *const formats[] = {"text", "markdown", "json", NULL};
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
  guint shown = append_operations(out, names, (Format)chosen);
  if (!shown) {
    fprintf(stderr, "norn ops: no operation has '%s' in its name\n", *names);
    return TOOL_FAILURE;
  }
  return tool_write(output, out->str, out->len, &error) ? TOOL_SUCCESS : tool_fail(error);
}
