/* Finds names in a text using only its characters: editors ask while a text is still invalid, so
 * nothing here requires that it can be parsed. Lines are those of the parsers, which end in \n. */
#include "lsp.h"

#include <stdlib.h>
#include <string.h>

typedef struct Scanner {
  const char *text;
  GArray *names;
  guint scope; /* end of the scanned part */
} Scanner;

static void
add(Scanner *scanner, LspNameKind kind, gboolean is_definition, const char *start,
    const char *end) {
  const LspName name = {kind, is_definition, scanner->scope, (gsize)(start - scanner->text),
                        (gsize)(end - start)};
  g_array_append_val(scanner->names, name);
}

static const char *
skip_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
    at++;
  return at;
}

static const char *
skip_word(const char *at, const char *end) {
  while (at < end && lsp_is_word(*at))
    at++;
  return at;
}

/* A word with its dots, as in mnemonics and numbers. */
static const char *
skip_dotted(const char *at, const char *end) {
  while (at < end && (lsp_is_word(*at) || *at == '.'))
    at++;
  return at;
}

static gboolean
is_text(const char *start, const char *end, const char *word) {
  return (gsize)(end - start) == strlen(word) && !memcmp(start, word, (gsize)(end - start));
}

/* --- The IR --- */

/* After the "@" of a register: "r2:r3". */
static const char *
skip_register(const char *at, const char *end) {
  at = skip_word(at, end);
  if (at + 1 < end && *at == ':' && lsp_is_word(at[1]))
    at = skip_word(at + 1, end);
  return at;
}

/* Values, functions and uniforms from `at` to `end`; values are either defined or used there. */
static void
scan_marked(Scanner *scanner, const char *at, const char *end, gboolean defines) {
  while (at < end) {
    const char *start = at, *stop;
    if (*at == '%') {
      stop = skip_word(at + 1, end);
      if (stop > at + 1)
        add(scanner, LSP_NAME_VALUE, defines, at + 1, stop);
      at = stop < end && *stop == '@' ? skip_register(stop + 1, end) : MAX(stop, at + 1);
    } else if (*at == '@') {
      stop = skip_word(at + 1, end);
      if (stop > at + 1)
        add(scanner, LSP_NAME_FUNCTION, FALSE, at + 1, stop);
      at = stop;
    } else if (lsp_is_word(*at)) {
      at = skip_dotted(at, end);
      if (at - start > 4 && !memcmp(start, "fau.", 4))
        add(scanner, LSP_NAME_UNIFORM, FALSE, start + 4, skip_word(start + 4, at));
    } else {
      at++;
    }
  }
}

/* "shader STAGE @NAME ...", "function @NAME(PARAMETERS) ...": `at` is after the first word. */
static void
scan_head(Scanner *scanner, const char *at, const char *end) {
  const char *mark = memchr(at, '@', (gsize)(end - at));
  if (!mark)
    return;
  const char *stop = skip_word(mark + 1, end);
  if (stop > mark + 1)
    add(scanner, LSP_NAME_FUNCTION, TRUE, mark + 1, stop);
  scan_marked(scanner, stop, end, TRUE);
}

/* "NAME: TYPE @ WORD, ...": the words before colons. */
static void
scan_uniforms(Scanner *scanner, const char *at, const char *end) {
  while (at < end) {
    const char *start = at;
    at = skip_word(at, end);
    if (at > start && at < end && *at == ':')
      add(scanner, LSP_NAME_UNIFORM, TRUE, start, at);
    at = MAX(at, start + 1);
  }
}

/* The block at the end of an operand, before its arguments: "done", "1: done(%x)", "^%c, done". */
static void
scan_target(Scanner *scanner, const char *at, const char *end) {
  const char *paren = memchr(at, '(', (gsize)(end - at));
  const char *stop = paren ? paren : end;
  while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
    stop--;
  const char *start = stop;
  while (start > at && lsp_is_word(start[-1]))
    start--;
  char before = start > at ? start[-1] : ' ';
  if (stop > start && (before == ' ' || before == '\t' || before == ':'))
    add(scanner, LSP_NAME_BLOCK, FALSE, start, stop);
}

/* The blocks among the operands of a terminator, the first `skipped` of which are not blocks. */
static void
scan_targets(Scanner *scanner, const char *at, const char *end, guint skipped) {
  int depth = 0;
  for (const char *start = at;; at++) {
    if (at == end || (*at == ',' && depth <= 0)) {
      if (skipped)
        skipped--;
      else
        scan_target(scanner, start, at);
      start = at + 1;
    }
    if (at == end)
      return;
    depth += (*at == '(') - (*at == ')');
  }
}

static int
compare_places(gconstpointer a, gconstpointer b) {
  const LspName *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

/* "[RESULTS =] MNEMONIC OPERANDS" */
static void
scan_instruction(Scanner *scanner, const char *at, const char *end) {
  const char *equals = *at == '%' ? memchr(at, '=', (gsize)(end - at)) : NULL;
  if (equals) {
    scan_marked(scanner, at, equals, TRUE);
    at = skip_blanks(equals + 1, end);
  }
  const char *stop = skip_dotted(at, end);
  guint first = scanner->names->len;
  if (stop > at)
    add(scanner, LSP_NAME_MNEMONIC, FALSE, at, stop);
  scan_marked(scanner, stop, end, FALSE);
  const char *dot = memchr(at, '.', (gsize)(stop - at));
  if (is_text(at, stop, "jump"))
    scan_targets(scanner, stop, end, 0);
  else if (is_text(at, stop, "br") || is_text(at, dot ? dot : stop, "switch") ||
           (stop - at > 6 && !memcmp(at, "BRANCH", 6)))
    scan_targets(scanner, stop, end, 1);
  guint count = scanner->names->len - first;
  if (count)
    qsort(&g_array_index(scanner->names, LspName, first), count, sizeof(LspName), compare_places);
}

static void
scan_line(Scanner *scanner, const char *at, const char *end) {
  at = skip_blanks(at, end);
  const char *stop = skip_word(at, end);
  gboolean is_label = stop > at && stop < end && (*stop == ':' || *stop == '(');
  if (at == end || *at == '}')
    return;
  if (is_label) {
    add(scanner, LSP_NAME_BLOCK, TRUE, at, stop);
    scan_marked(scanner, stop, end, TRUE);
  } else if (is_text(at, stop, "shader") || is_text(at, stop, "function")) {
    scanner->scope += is_text(at, stop, "function");
    scan_head(scanner, stop, end);
  } else if (is_text(at, stop, "fau") && (stop == end || *stop != '.')) {
    scan_uniforms(scanner, stop, end);
  } else if (!is_text(at, stop, "target") && !is_text(at, stop, "data")) {
    scan_instruction(scanner, at, end);
  }
}

GArray *
lsp_scan_module(const LspText *text) {
  Scanner scanner = {text->bytes, g_array_new(FALSE, FALSE, sizeof(LspName)), 0};
  const char *at = text->bytes, *end = at + text->length;
  while (at < end) {
    const char *newline = memchr(at, '\n', (gsize)(end - at));
    const char *stop = newline ? newline : end;
    const char *comment = memchr(at, ';', (gsize)(stop - at));
    scan_line(&scanner, at, comment ? comment : stop);
    at = stop + 1;
  }
  return scanner.names;
}

/* --- Assembly --- */

static gboolean
is_label_character(char c) {
  return lsp_is_word(c) || c == '.' || c == '$';
}

static const char *
skip_label(const char *at, const char *end) {
  while (at < end && is_label_character(*at))
    at++;
  return at;
}

/* After the mnemonic: words in the last operand may be labels. */
static void
scan_operands(Scanner *scanner, const char *at, const char *end) {
  for (const char *comma; (comma = memchr(at, ',', (gsize)(end - at)));)
    at = comma + 1;
  at = skip_blanks(at, end);
  const char *stop = skip_label(at, end);
  if (stop > at && !g_ascii_isdigit(*at) && skip_blanks(stop, end) == end)
    add(scanner, LSP_NAME_LABEL, FALSE, at, stop);
}

/* A line without its comments. */
static void
scan_statement(Scanner *scanner, const char *at, const char *end) {
  for (;;) {
    at = skip_blanks(at, end);
    const char *stop = skip_label(at, end);
    if (stop == at || *at == '.')
      return;
    if (stop == end || *stop != ':') {
      add(scanner, LSP_NAME_MNEMONIC, FALSE, at, stop);
      scan_operands(scanner, stop, end);
      return;
    }
    if (!g_ascii_isdigit(*at))
      add(scanner, LSP_NAME_LABEL, TRUE, at, stop);
    at = stop + 1;
  }
}

/* The text with C comments, and comments to the end of a line, replaced with blanks. */
static char *
blank_comments(const LspText *text) {
  char *copy = g_strndup(text->bytes, text->length);
  gboolean is_first = TRUE, may_close = TRUE; /* end of its line; a C comment */
  for (char *at = copy; *at;) {
    gsize length = 0;
    if (*at == ';' || (*at == '#' && is_first) || (*at == '/' && at[1] == '/'))
      length = strcspn(at, "\n");
    gboolean opens = *at == '/' && at[1] == '*' && may_close;
    const char *close = opens ? strstr(at + 2, "*/") : NULL;
    may_close = close || !opens;
    if (close)
      length = (gsize)(close + 2 - at);
    is_first = *at == '\n' || (is_first && (*at == ' ' || *at == '\t' || *at == '\r' || length));
    for (gsize i = 0; i < length; i++)
      at[i] = ' ';
    at += MAX(length, 1);
  }
  return copy;
}

GArray *
lsp_scan_assembly(const LspText *text) {
  g_autofree char *plain = blank_comments(text);
  Scanner scanner = {plain, g_array_new(FALSE, FALSE, sizeof(LspName)), 0};
  const char *at = plain, *end = at + text->length;
  while (at < end) {
    const char *newline = memchr(at, '\n', (gsize)(end - at));
    const char *stop = newline ? newline : end;
    scan_statement(&scanner, at, stop);
    at = stop + 1;
  }
  return scanner.names;
}
