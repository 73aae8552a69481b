/* norn lsp: a server of the Language Server Protocol 3.17 over standard input and output.
 *
 * The layers, each of which depends only on those before it, are: text (lines and positions),
 * scan (names in a text, valid or not), messages (framing and JSON), names, hover, edits, format
 * and diagnose (answers about one document), answers (requests by their method). Ambiguous input
 * from a client is refused with an error of the protocol. */
#ifndef NORN_TOOLS_LSP_H
#define NORN_TOOLS_LSP_H

#include "common/json.h"
#include "tool.h"

extern const char tool_lsp_details[];

/* --- Errors of the protocol --- */

#define LSP_ERROR (lsp_error_quark())
GQuark lsp_error_quark(void);

enum {
  LSP_PARSE_ERROR = -32700,
  LSP_INVALID_REQUEST = -32600,
  LSP_METHOD_NOT_FOUND = -32601,
  LSP_INVALID_PARAMS = -32602,
  LSP_NOT_INITIALIZED = -32002,
  LSP_REQUEST_FAILED = -32803,
};

/* --- Text --- */

/* UTF-8 without zero bytes. Lines end in \n, \r\n or \r, as in the protocol. */
typedef struct LspText {
  char *bytes;
  gsize length;
  GArray *lines; /* gsize: where each line starts */
} LspText;

/* Takes ownership of the string. */
void lsp_text_init(LspText *text, char *bytes);
void lsp_text_clear(LspText *text);

/* The byte at a position; positions beyond the end of a line or of the text mean that end.
 * Positions count UTF-16 units, or bytes. */
gsize lsp_text_offset(const LspText *text, guint64 line, guint64 character, gboolean utf8);
void lsp_text_position(const LspText *text, gsize offset, gboolean utf8, gsize *line,
                       gsize *character);

/* Whether the byte belongs to a word: letters, digits and _. */
static inline gboolean
lsp_is_word(char c) {
  return g_ascii_isalnum(c) || c == '_';
}

/* --- Names --- */

typedef enum {
  LSP_NAME_VALUE,    /* %NAME, of a function */
  LSP_NAME_BLOCK,    /* of a function */
  LSP_NAME_FUNCTION, /* @NAME */
  LSP_NAME_UNIFORM,  /* fau.NAME */
  LSP_NAME_LABEL,    /* of assembly */
  LSP_NAME_MNEMONIC, /* of an operation or instruction, including suffixes */
} LspNameKind;

/* An occurrence of a name, without the prefix of its kind. */
typedef struct LspName {
  LspNameKind kind;
  gboolean is_definition;
  guint scope; /* the function that it occurs in; 0: the shader */
  gsize start, length;
} LspName;

/* All names of a text, by position. */
GArray *lsp_scan_module(const LspText *text);
GArray *lsp_scan_assembly(const LspText *text);

/* --- Documents --- */

typedef struct LspDocument {
  char *uri;
  gboolean is_assembly, has_version;
  gint64 version;
  LspText text;
  GArray *names; /* LspName; NULL until asked for */
} LspDocument;

typedef struct LspServer {
  GHashTable *documents; /* by their URI */
  gboolean is_initialized, is_shut_down, utf8;
  const NornIsa *isa; /* for assembly */
  unsigned architecture;
} LspServer;

/* Its names, scanned when first asked for. */
GArray *lsp_names(LspDocument *document);

/* The name at a byte, or ending right before it, or NULL. */
const LspName *lsp_name_at(LspDocument *document, gsize offset);

/* The function that a byte belongs to, as in LspName. */
guint lsp_scope_at(LspDocument *document, gsize offset);

/* Whether both refer to the same thing. */
gboolean lsp_same_name(const LspDocument *document, const LspName *a, const LspName *b);

/* Where the name is defined, or NULL. */
const LspName *lsp_definition(LspDocument *document, const LspName *name);

/* The instruction set that machine instructions of the document belong to; NULL: it has none. */
const NornIsa *lsp_document_isa(const LspServer *server, const LspDocument *document,
                                int *architecture);

/* --- Messages --- */

typedef enum { LSP_READ_MESSAGE, LSP_READ_END, LSP_READ_BROKEN } LspRead;

/* The next message, without its header: a string of *length bytes, to be freed with g_free. */
LspRead lsp_read(FILE *in, char **body, gsize *length);

/* The JSON of a message, with its parser in *parser, to be unreferenced. */
JsonNode *lsp_parse(const char *body, gsize length, JsonParser **parser, GError **error);

/* Sends the reply to a request; `id` is nullable. */
void lsp_reply(JsonNode *id, JsonNode *result);
void lsp_reply_error(JsonNode *id, const GError *error);
void lsp_notify(const char *method, JsonNode *params);

/* Members of objects, if they exist and have that type. */
JsonObject *lsp_object(JsonObject *object, const char *name);
JsonArray *lsp_array(JsonObject *object, const char *name);
const char *lsp_string(JsonObject *object, const char *name);
gboolean lsp_number(JsonObject *object, const char *name, gint64 minimum, gint64 maximum,
                    gint64 *number);

/* A range of a document, as the value of the next member. */
void lsp_add_range(JsonBuilder *json, const LspServer *server, const LspDocument *document,
                   gsize start, gsize end);

/* --- Answers about a document --- */

/* Sends the document's diagnostics; none if it is closed. */
void lsp_publish(const LspServer *server, const LspDocument *document, gboolean is_closed);

/* Whether the text is valid; `text` is nullable: the document's own. */
gboolean lsp_is_right(const LspServer *server, const LspDocument *document, const char *text);

/* A description of a name, as Markdown; NULL if there is none. */
char *lsp_hover(const LspServer *server, LspDocument *document, const LspName *name);

/* Completions at a position: a list of CompletionItem. */
void lsp_complete(JsonBuilder *json, const LspServer *server, LspDocument *document, gsize offset);

/* The edits of a document that rename a name; adds a list of TextEdit. */
gboolean lsp_rename(JsonBuilder *json, const LspServer *server, LspDocument *document,
                    const LspName *name, const char *text, GError **error);

/* The edits that convert the document to the printer's form; adds a list of TextEdit, an empty
 * one if it has errors. */
void lsp_format(JsonBuilder *json, const LspServer *server, const LspDocument *document);

/* Adds one TextEdit. */
void lsp_add_edit(JsonBuilder *json, const LspServer *server, const LspDocument *document,
                  gsize start, gsize end, const char *text);

/* --- Requests --- */

/* Handles one message; false when it is time to exit. */
gboolean lsp_handle(LspServer *server, JsonNode *message);

void lsp_document_free(LspDocument *document);

#endif
