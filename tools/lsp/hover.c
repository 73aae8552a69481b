/* Descriptions and completions at a position: from the tables of operations and instructions,
 * and from the document. */
#include "lsp.h"

#include <string.h>

/* --- Meanings --- */

static NornOp
find_op(const char *name) {
  for (NornOp op = NORN_OP_NONE + 1; op < NORN_OP_COUNT; op++)
    if (!strcmp(norn_op_name(op), name))
      return op;
  return NORN_OP_NONE;
}

static char *
describe_op(NornOp op) {
  g_autofree char *syntax = norn_op_syntax(op);
  g_auto(GStrv) details = norn_op_details(op);
  GString *out = g_string_new(NULL);
  g_string_append_printf(out, "```norn\n%s\n```\n%s\n", syntax, norn_op_meaning(op));
  for (char **line = details; *line; line++)
    g_string_append_printf(out, "%s- %s\n", line == details ? "\n" : "", *line);
  return g_string_free(out, FALSE);
}

static char *
describe_instruction(const NornIsa *isa, int architecture, const char *name) {
  g_autofree char *page = norn_isa_describe(isa, architecture, name);
  return page ? g_strdup_printf("```\n%s```\n", page) : NULL;
}

/* Whether the instruction set has something with that name, in any of its syntaxes. */
static gboolean
is_instruction(const NornIsa *isa, int architecture, const char *name) {
  g_autofree char *page = norn_isa_describe(isa, architecture, name);
  /* Search results are lines, pages have paragraphs. */
  return page && strstr(page, "\n\narchitecture ");
}

/* The longest prefix of a mnemonic, up to a dot, that is an operation or an instruction. */
static char *
describe_mnemonic(const LspServer *server, const LspDocument *document, const char *mnemonic) {
  int architecture;
  const NornIsa *isa = lsp_document_isa(server, document, &architecture);
  g_autofree char *name = g_strdup(mnemonic);
  for (;;) {
    NornOp op = document->is_assembly ? NORN_OP_NONE : find_op(name);
    if (op != NORN_OP_NONE)
      return describe_op(op);
    if (isa && is_instruction(isa, architecture, name))
      return describe_instruction(isa, architecture, name);
    char *dot = strrchr(name, '.');
    if (!dot)
      return NULL;
    *dot = 0;
  }
}

/* The line that defines a name. */
static char *
describe_definition(LspDocument *document, const LspName *name) {
  const LspName *definition = lsp_definition(document, name);
  if (!definition)
    return NULL;
  const char *bytes = document->text.bytes, *start = bytes + definition->start;
  while (start > bytes && start[-1] != '\n')
    start--;
  g_autofree char *line = g_strstrip(g_strndup(start, strcspn(start, "\r\n")));
  return g_strdup_printf("```norn\n%s\n```\n", line);
}

char *
lsp_hover(const LspServer *server, LspDocument *document, const LspName *name) {
  if (name->kind != LSP_NAME_MNEMONIC)
    return describe_definition(document, name);
  g_autofree char *mnemonic = g_strndup(document->text.bytes + name->start, name->length);
  return describe_mnemonic(server, document, mnemonic);
}

/* --- Completion --- */

/* Of the protocol's kinds. */
enum { ITEM_METHOD = 2, ITEM_FUNCTION = 3, ITEM_VARIABLE = 6, ITEM_CONSTANT = 21 };

typedef struct Completion {
  JsonBuilder *json;
  const LspServer *server;
  LspDocument *document;
  gsize start, end; /* the range to replace */
  const char *typed;
} Completion;

static void
add_item(const Completion *completion, const char *label, int kind, const char *detail,
         const char *meaning) {
  if (!g_str_has_prefix(label, completion->typed))
    return;
  JsonBuilder *json = completion->json;
  json_builder_begin_object(json);
  tool_json_string(json, "label", label);
  tool_json_number(json, "kind", kind);
  if (detail)
    tool_json_string(json, "detail", detail);
  if (meaning)
    tool_json_string(json, "documentation", meaning);
  json_builder_set_member_name(json, "textEdit");
  lsp_add_edit(json, completion->server, completion->document, completion->start, completion->end,
               label);
  json_builder_end_object(json);
}

static void
add_names(const Completion *completion, LspNameKind kind, const char *before, int item) {
  GArray *names = lsp_names(completion->document);
  guint scope = lsp_scope_at(completion->document, completion->start);
  gboolean is_local = kind == LSP_NAME_VALUE || kind == LSP_NAME_BLOCK;
  for (guint i = 0; i < names->len; i++) {
    const LspName *name = &g_array_index(names, LspName, i);
    if (name->kind != kind || !name->is_definition || (is_local && name->scope != scope))
      continue;
    g_autofree char *label = g_strdup_printf("%s%.*s", before, (int)name->length,
                                             completion->document->text.bytes + name->start);
    add_item(completion, label, item, NULL, NULL);
  }
}

static void
add_instructions(const Completion *completion) {
  int architecture;
  const NornIsa *isa = lsp_document_isa(completion->server, completion->document, &architecture);
  for (unsigned i = 0; isa && i < norn_isa_instruction_count(isa); i++)
    if (architecture >= 0 && norn_isa_has(isa, (unsigned)architecture, i))
      add_item(completion, norn_isa_instruction_name(isa, i), ITEM_METHOD, NULL, NULL);
}

static void
add_ops(const Completion *completion) {
  for (NornOp op = NORN_OP_NONE + 1; op < NORN_OP_COUNT; op++) {
    g_autofree char *syntax = norn_op_syntax(op);
    add_item(completion, norn_op_name(op), ITEM_FUNCTION, syntax, norn_op_meaning(op));
  }
}

void
lsp_complete(JsonBuilder *json, const LspServer *server, LspDocument *document, gsize offset) {
  const char *bytes = document->text.bytes;
  gsize start = offset;
  while (start && (lsp_is_word(bytes[start - 1]) || bytes[start - 1] == '.'))
    start--;
  start -= start && (bytes[start - 1] == '%' || bytes[start - 1] == '@');
  g_autofree char *typed = g_strndup(bytes + start, offset - start);
  Completion completion = {json, server, document, start, offset, typed};
  json_builder_begin_array(json);
  if (document->is_assembly) {
    add_instructions(&completion);
    add_names(&completion, LSP_NAME_LABEL, "", ITEM_CONSTANT);
  } else if (*typed == '%') {
    add_names(&completion, LSP_NAME_VALUE, "%", ITEM_VARIABLE);
  } else if (*typed == '@') {
    add_names(&completion, LSP_NAME_FUNCTION, "@", ITEM_FUNCTION);
  } else {
    add_ops(&completion);
    add_instructions(&completion);
    add_names(&completion, LSP_NAME_UNIFORM, "fau.", ITEM_CONSTANT);
    add_names(&completion, LSP_NAME_BLOCK, "", ITEM_CONSTANT);
  }
  json_builder_end_array(json);
}
