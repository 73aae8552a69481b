/* Text to words: lines, labels, comments, raw data. Instructions are parsed in isa/parse/.
 *
 * A single pass writes words and records references to labels, which are filled in at the end.
 * Comments: ";" and "//" to the end of the line, "#" at the start of a line, and C comments. An
 * error costs only its line, and reading continues with the next one. Lines are counted only when
 * an error is reported. */
#include "ir/diagnostics.h"
#include "isa/text.h"
#include <string.h>

/* Maximum number of bytes of a statement shown in a message. */
#define SHOWN_STATEMENT 80

typedef struct {
  const char *name; /* in the text */
  size_t length;
  const NornIsaEncoding *encoding;
  const NornIsaOperand *operand;
  size_t offset; /* of the word, in bytes */
} Reference;

typedef struct {
  const NornIsa *isa;
  const NornIsaAssembleOptions *options;
  const char *text, *at, *end;
  uint8_t *bytes;
  size_t size, capacity;
  unsigned word_bytes;
  GHashTable *labels; /* name -> offset in bytes + 1; created with the first label */
  GArray *references;
  Reference pending; /* of the instruction being read; name NULL: none */
  NornDiagnostics diagnostics;
  NornErrorCode code;     /* of the first error */
  const char *line_start; /* of the line of the last error, or the first line */
  uint32_t line;
} Assembler;

/* Errors */

/* Updates the current line to the one that contains `at`. */
static void
count_lines(Assembler *assembler, const char *at) {
  if (at < assembler->line_start) {
    assembler->line_start = assembler->text;
    assembler->line = 1;
  }
  const char *newline;
  while ((newline = memchr(assembler->line_start, '\n', (size_t)(at - assembler->line_start)))) {
    assembler->line_start = newline + 1;
    assembler->line++;
  }
}

static bool
fail(Assembler *assembler, const char *at, NornErrorCode code, const char *message) {
  count_lines(assembler, at);
  if (!assembler->diagnostics.count)
    assembler->code = code;
  /* Text quoted in the message can contain any bytes. */
  char *valid = g_utf8_make_valid(message, -1);
  norn_diagnose(&assembler->diagnostics, assembler->line,
                (uint32_t)(at - assembler->line_start) + 1, "%s", valid);
  g_free(valid);
  return false;
}

static bool
fail_word(Assembler *assembler, const char *at, size_t length, const char *expected) {
  char *message =
      g_strdup_printf("expected %s, found '%.*s'", expected, (int)MIN(length, SHOWN_STATEMENT), at);
  fail(assembler, at, NORN_ERROR_SYNTAX, message);
  g_free(message);
  return false;
}

/* Output */

/* Appends the low `size` bytes of `value`, at most eight. */
static inline void
append(Assembler *assembler, uint64_t value, unsigned size) {
  if (assembler->capacity - assembler->size < sizeof value) {
    assembler->capacity = assembler->capacity * 2 + 64;
    assembler->bytes = g_realloc(assembler->bytes, assembler->capacity);
  }
  value = GUINT64_TO_LE(value);
  memcpy(assembler->bytes + assembler->size, &value, sizeof value); /* faster than copying fewer */
  assembler->size += size;
}

/* Characters */

static bool
is_label_character(char c) {
  return g_ascii_isalnum(c) || c == '_' || c == '.' || c == '$';
}

/* Skips blanks and C comments, including those that span lines. Returns false in an unterminated
 * comment. */
static bool
skip_space(Assembler *assembler) {
  while (assembler->at < assembler->end) {
    const char *at = assembler->at;
    if (*at == ' ' || *at == '\t' || *at == '\r') {
      assembler->at++;
    } else if (*at == '/' && at + 1 < assembler->end && at[1] == '*') {
      const char *close = g_strstr_len(at + 2, assembler->end - at - 2, "*/");
      assembler->at = close ? close + 2 : assembler->end;
      if (!close)
        return fail(assembler, at, NORN_ERROR_SYNTAX, "unterminated comment");
    } else {
      break;
    }
  }
  return true;
}

/* The end of the statement at `at`: before the end of the line or a comment. C comments that end on
 * the line are part of the statement. */
static const char *
statement_end(const Assembler *assembler) {
  const char *at = assembler->at;
  const char *newline = memchr(at, '\n', (size_t)(assembler->end - at));
  const char *end = newline ? newline : assembler->end, *stop = at;
  for (const char *next = at; next < end;) {
    bool pair = next + 1 < end && *next == '/';
    const char *close =
        pair && next[1] == '*' ? g_strstr_len(next + 2, end - next - 2, "*/") : NULL;
    if (*next == ';' || (pair && (next[1] == '/' || (next[1] == '*' && !close))))
      break;
    if (!close && *next != ' ' && *next != '\t' && *next != '\r')
      stop = next + 1;
    next = close ? close + 2 : next + 1;
  }
  return stop;
}

/* Labels */

static bool
define_label(Assembler *assembler, const char *name, size_t length) {
  if (!assembler->labels)
    assembler->labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  char *key = g_strndup(name, length);
  if (g_hash_table_contains(assembler->labels, key)) {
    char *message = g_strdup_printf("label '%s' is defined twice", key);
    fail(assembler, name, NORN_ERROR_SYNTAX, message);
    g_free(message);
    g_free(key);
    return false;
  }
  g_hash_table_insert(assembler->labels, key, GSIZE_TO_POINTER(assembler->size + 1));
  return true;
}

static bool
take_label(void *data, const char *name, size_t length, const NornIsaOperand *operand) {
  Assembler *assembler = data;
  assembler->pending.name = name;
  assembler->pending.length = length;
  assembler->pending.operand = operand;
  return true;
}

static bool
resolve(Assembler *assembler, const Reference *reference) {
  char *key = g_strndup(reference->name, reference->length);
  gpointer found = assembler->labels ? g_hash_table_lookup(assembler->labels, key) : NULL;
  char *message = NULL;
  if (!found) {
    message = g_strdup_printf("label '%s' is not defined", key);
  } else {
    int64_t bytes = (int64_t)(GPOINTER_TO_SIZE(found) - 1) -
                    (int64_t)(reference->offset + assembler->word_bytes);
    int64_t distance = bytes / (int64_t)assembler->word_bytes;
    const NornIsaOperand *operand = reference->operand;
    if (bytes % (int64_t)assembler->word_bytes)
      message = g_strdup_printf("label '%s' is not at the start of an instruction", key);
    else if (distance < operand->minimum || distance > operand->maximum)
      message = g_strdup_printf("label '%s' is too far away", key);
    uint64_t bits = norn_isa_insert(&reference->encoding->fields[operand->field],
                                    (uint64_t)(distance >> operand->scale));
    for (unsigned i = 0; i < assembler->word_bytes; i++)
      assembler->bytes[reference->offset + i] |= (uint8_t)(bits >> 8 * i);
  }
  g_free(key);
  if (!message)
    return true;
  fail(assembler, reference->name, NORN_ERROR_INVALID, message);
  g_free(message);
  return false;
}

/* Statements */

static bool
check_rules(Assembler *assembler, const NornIsaReader *reader, const char *start, const char *end) {
  unsigned architecture = assembler->options->architecture;
  NornIsaProblem problem =
      norn_isa_check_rules(assembler->isa, architecture, reader->encoding, reader->word);
  if (problem.kind == NORN_ISA_LEGAL)
    return true;
  if (problem.kind == NORN_ISA_PROBLEM_HARDWARE && problem.operand < NORN_ISA_SPANS &&
      reader->spans[problem.operand].at) {
    start = reader->spans[problem.operand].at;
    end = start + reader->spans[problem.operand].length;
  }
  char text[NORN_ISA_LINE];
  NornIsaWriter writer = {.isa = assembler->isa, .limit = text + sizeof text - 1};
  *norn_isa_write_problem(&writer, text, architecture, problem, reader->encoding, reader->word) = 0;
  char *message =
      g_strdup_printf("'%.*s': %s", (int)MIN(end - start, SHOWN_STATEMENT), start, text);
  fail(assembler, start, NORN_ERROR_INVALID, message);
  g_free(message);
  return false;
}

/* Appends the instruction that was read, which ends at `end`. */
static void
append_instruction(Assembler *assembler, const NornIsaReader *reader, const char *end) {
  if (assembler->pending.name) {
    assembler->pending.encoding = reader->encoding;
    assembler->pending.offset = assembler->size;
    g_array_append_val(assembler->references, assembler->pending);
  }
  append(assembler, reader->word, assembler->word_bytes);
  assembler->at = end;
}

/* An instruction elsewhere than at a whole word cannot be read back. */
static bool
check_place(Assembler *assembler) {
  size_t rest = assembler->size % assembler->word_bytes;
  if (!rest)
    return true;
  g_autofree char *message =
      g_strdup_printf("an instruction at byte %zu, expected a multiple of %u; "
                      "%zu more bytes of data would fill the word",
                      assembler->size, assembler->word_bytes, assembler->word_bytes - rest);
  fail(assembler, assembler->at, NORN_ERROR_INVALID, message);
  return false;
}

static bool
read_instruction(Assembler *assembler, const char *end) {
  NornIsaReader reader;
  const char *start = assembler->at;
  if (!check_place(assembler))
    return false;
  norn_isa_reader_init(&reader, assembler->isa, assembler->options->architecture, start,
                       (size_t)(end - start));
  NornIsaSpan spans[NORN_ISA_SPANS] = {{NULL, 0}};
  reader.spans = spans;
  reader.no_verify = assembler->options->no_verify;
  reader.label = take_label;
  reader.data = assembler;
  assembler->pending.name = NULL;
  if (!norn_isa_read_instruction(&reader)) {
    fail(assembler, reader.problem, NORN_ERROR_SYNTAX, reader.message);
    g_free(reader.message);
    return false;
  }
  if (!assembler->options->no_verify && !check_rules(assembler, &reader, start, end))
    return false;
  append_instruction(assembler, &reader, end);
  return true;
}

/* A raw value: decimal or 0x..., up to 64 bits. */
static bool
read_raw(Assembler *assembler, const char *end, unsigned size) {
  const char *start = assembler->at;
  bool hexadecimal = end - start > 2 && start[0] == '0' && (start[1] | 0x20) == 'x';
  unsigned base = hexadecimal ? 16 : 10;
  const char *at = hexadecimal ? start + 2 : start;
  uint64_t value = 0, limit = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
  bool good = at < end;
  for (; at < end && g_ascii_isxdigit(*at); at++) {
    unsigned digit = (unsigned)g_ascii_xdigit_value(*at);
    good = good && digit < base && value <= (limit - digit) / base;
    value = value * base + digit;
  }
  if (!good || at == start)
    return fail_word(assembler, start, (size_t)(end - start),
                     size == 8   ? "a number of 64 bits"
                     : size == 4 ? "a number of 32 bits"
                                 : "a number of 8 bits");
  append(assembler, value, size);
  assembler->at = at;
  return true;
}

static bool
read_directive(Assembler *assembler, const char *end) {
  static const struct {
    const char *name;
    unsigned size;
  } directives[] = {{".quad", 8}, {".word", 4}, {".byte", 1}};
  const char *start = assembler->at, *stop = start;
  while (stop < end && is_label_character(*stop))
    stop++;
  unsigned size = 0;
  for (unsigned i = 0; i < G_N_ELEMENTS(directives); i++) {
    if ((size_t)(stop - start) == strlen(directives[i].name) &&
        memcmp(start, directives[i].name, (size_t)(stop - start)) == 0)
      size = directives[i].size;
  }
  if (!size)
    return fail_word(assembler, start, (size_t)(stop - start), ".quad, .word or .byte");
  assembler->at = stop;
  do {
    while (assembler->at < end && (*assembler->at == ' ' || *assembler->at == '\t'))
      assembler->at++;
    if (!read_raw(assembler, end, size))
      return false;
    while (assembler->at < end && (*assembler->at == ' ' || *assembler->at == '\t'))
      assembler->at++;
  } while (assembler->at < end && *assembler->at++ == ',');
  if (assembler->at < end)
    return fail_word(assembler, assembler->at, (size_t)(end - assembler->at), "','");
  return true;
}

/* The end of the label name if a label is defined here, else NULL. */
static const char *
label_here(const Assembler *assembler, const char *end) {
  const char *at = assembler->at;
  if (g_ascii_isdigit(*at) || !memchr(at, ':', (size_t)(end - at)))
    return NULL;
  while (at < end && is_label_character(*at))
    at++;
  return at > assembler->at && at < end && *at == ':' ? at : NULL;
}

static bool
read_line(Assembler *assembler) {
  if (!skip_space(assembler))
    return false;
  const char *end = statement_end(assembler);
  for (const char *label; assembler->at < end && (label = label_here(assembler, end));) {
    if (!define_label(assembler, assembler->at, (size_t)(label - assembler->at)))
      return false;
    assembler->at = label + 1;
    if (!skip_space(assembler))
      return false;
    if (assembler->at >= end) /* otherwise the end of the statement is still ahead */
      end = statement_end(assembler);
  }
  if (assembler->at < end && *assembler->at == '#')
    return true;
  if (assembler->at < end)
    return *assembler->at == '.' ? read_directive(assembler, end)
                                 : read_instruction(assembler, end);
  return true;
}

/* Advances to the start of the next line; only blanks and comments may be left in this one. */
static bool
finish_line(Assembler *assembler) {
  if (!skip_space(assembler))
    return false;
  const char *at = assembler->at;
  if (at >= assembler->end)
    return true;
  if (*at == ';' || *at == '#' || (*at == '/' && at + 1 < assembler->end && at[1] == '/')) {
    const char *newline = memchr(at, '\n', (size_t)(assembler->end - at));
    assembler->at = newline ? newline : assembler->end;
  }
  if (assembler->at < assembler->end && *assembler->at == '\n')
    assembler->at++;
  return true;
}

/* After an error: advances to the start of the next line. */
static void
skip_line(Assembler *assembler) {
  const char *newline = memchr(assembler->at, '\n', (size_t)(assembler->end - assembler->at));
  assembler->at = newline ? newline + 1 : assembler->end;
}

static void
assemble(Assembler *assembler) {
  while (assembler->at < assembler->end && !norn_diagnostics_full(&assembler->diagnostics)) {
    if (!read_line(assembler) || !finish_line(assembler))
      skip_line(assembler);
  }
  for (unsigned i = 0; i < assembler->references->len; i++)
    resolve(assembler, &g_array_index(assembler->references, Reference, i));
}

GBytes *
norn_isa_assemble(const NornIsa *isa, const char *text, size_t length, const char *filename,
                  const NornIsaAssembleOptions *options, GError **error) {
  if (!norn_isa_check_architecture(isa, options->architecture, error))
    return NULL;
  if (!length)
    text = ""; /* may be NULL */
  size_t mark = norn_byte_order_mark(text, length);
  text += mark;
  length -= mark;
  Assembler assembler = {.isa = isa,
                         .options = options,
                         .text = text,
                         .at = text,
                         .end = text + length,
                         .word_bytes = norn_isa_word_bytes(isa),
                         .diagnostics.filename = filename,
                         .line_start = text,
                         .line = 1};
  assembler.references = g_array_new(FALSE, FALSE, sizeof(Reference));
  assemble(&assembler);
  g_array_unref(assembler.references);
  if (assembler.labels)
    g_hash_table_unref(assembler.labels);
  if (norn_diagnostics_finish(&assembler.diagnostics, assembler.code, error))
    return g_bytes_new_take(assembler.bytes, assembler.size);
  g_free(assembler.bytes);
  return NULL;
}
