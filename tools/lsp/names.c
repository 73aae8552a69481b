/* Which names of a document refer to the same thing. */
#include "lsp.h"

#include <string.h>

GArray *
lsp_names(LspDocument *document) {
  if (!document->names)
    document->names = document->is_assembly ? lsp_scan_assembly(&document->text)
                                            : lsp_scan_module(&document->text);
  return document->names;
}

/* The number of names that start at or before the byte. */
static guint
count_before(GArray *names, gsize offset) {
  guint low = 0, high = names->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(names, LspName, middle).start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const LspName *
lsp_name_at(LspDocument *document, gsize offset) {
  GArray *names = lsp_names(document);
  /* The prefix before a name belongs to it. */
  char c = document->text.bytes[offset];
  guint count = count_before(names, offset + (c == '%' || c == '@'));
  if (!count)
    return NULL;
  const LspName *name = &g_array_index(names, LspName, count - 1);
  return offset <= name->start + name->length ? name : NULL;
}

guint
lsp_scope_at(LspDocument *document, gsize offset) {
  GArray *names = lsp_names(document);
  guint count = count_before(names, offset);
  return count ? g_array_index(names, LspName, count - 1).scope : 0;
}

gboolean
lsp_same_name(const LspDocument *document, const LspName *a, const LspName *b) {
  gboolean is_local = a->kind == LSP_NAME_VALUE || a->kind == LSP_NAME_BLOCK;
  return a->kind == b->kind && a->kind != LSP_NAME_MNEMONIC &&
         (!is_local || a->scope == b->scope) && a->length == b->length &&
         !memcmp(document->text.bytes + a->start, document->text.bytes + b->start, a->length);
}

const LspName *
lsp_definition(LspDocument *document, const LspName *name) {
  GArray *names = lsp_names(document);
  for (guint i = 0; i < names->len; i++) {
    const LspName *other = &g_array_index(names, LspName, i);
    if (other->is_definition && lsp_same_name(document, name, other))
      return other;
  }
  return NULL;
}

const NornIsa *
lsp_document_isa(const LspServer *server, const LspDocument *document, int *architecture) {
  *architecture = (int)server->architecture;
  if (document->is_assembly)
    return server->isa;
  const char *at = document->text.bytes;
  for (const char *next; *at == ';' || g_ascii_isspace(*at); at = next)
    next = at + (*at == ';' ? strcspn(at, "\n") : 1);
  char target[16], name[16];
  if (sscanf(at, "target %15[a-zA-Z0-9_] %15[a-zA-Z0-9_.]", target, name) != 2)
    return NULL;
  const NornIsa *isa = norn_isa_find(target);
  *architecture = isa ? norn_isa_architecture(isa, name) : -1;
  return isa;
}

void
lsp_document_free(LspDocument *document) {
  g_free(document->uri);
  lsp_text_clear(&document->text);
  if (document->names)
    g_array_unref(document->names);
  g_free(document);
}
