/* norn lsp: the language server; see lsp/lsp.h. */
#include "lsp/lsp.h"

#include <string.h>

const char tool_lsp_details[] =
    "Editors start the server; extras/README.md says how in Neovim and Visual Studio Code. It "
    "shows\n"
    "all errors in IR and assembly, what an operation or instruction means, and where a name is\n"
    "defined and used. It renames, completes names, operations and instructions, and formats IR.\n"
    "A document is assembly if its language is 'nornasm' or its name ends in .s. IR names its "
    "target\n"
    "itself.\n";

/* Handles messages until the client ends the session; returns 0 if it did so properly. If the
 * input just ends, tells a user who started the server by hand what it is for. */
static int
serve(LspServer *server) {
  for (;;) {
    g_autofree char *body = NULL;
    gsize length;
    GError *error = NULL;
    LspRead status = lsp_read(stdin, &body, &length);
    if (status == LSP_READ_END)
      return tool_fail(g_error_new(LSP_ERROR, LSP_INVALID_REQUEST,
                                   "the input ended before the editor requested to shut down and "
                                   "exit; see `norn help lsp`"));
    if (status == LSP_READ_BROKEN) {
      g_set_error(&error, LSP_ERROR, LSP_PARSE_ERROR,
                  "expected a header with Content-Length, followed by as many bytes");
      lsp_reply_error(NULL, error);
      g_error_free(error);
      return TOOL_FAILURE;
    }
    JsonParser *parser;
    JsonNode *message = lsp_parse(body, length, &parser, &error);
    gboolean goes_on = TRUE;
    if (message)
      goes_on = lsp_handle(server, message);
    else
      lsp_reply_error(NULL, error);
    g_clear_error(&error);
    g_object_unref(parser);
    if (!goes_on)
      return server->is_shut_down ? TOOL_SUCCESS : TOOL_FAILURE;
  }
}

int
tool_lsp(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("lsp");
  g_autofree char *target = NULL, *architecture = NULL;
  gboolean stdio = FALSE;
  const GOptionEntry entries[] = {
      {"target", 0, 0, G_OPTION_ARG_STRING, &target,
       "The instruction set of assembly (default: valhall)", "NAME"},
      TOOL_ARCHITECTURE_ENTRY(architecture),
      {"stdio", 0, 0, G_OPTION_ARG_NONE, &stdio, "Use standard input and output (always the case)",
       NULL},
      {NULL},
  };
  g_auto(GStrv) inputs = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &inputs);
  if (status)
    return MAX(status, 0);
  LspServer server = {0};
  if ((status = tool_check_isa(verb, target, architecture)))
    return status;
  tool_find_isa(target, architecture, &server.isa, &server.architecture, NULL);
  server.documents =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)lsp_document_free);
  status = serve(&server);
  g_hash_table_unref(server.documents);
  return status;
}
