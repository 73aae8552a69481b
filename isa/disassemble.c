/* Arbitrary words to lines of text. A word that is not a legal instruction becomes raw data with
 * the reason in a comment, so the text always assembles to the same bytes. */
#include "ir/bits.h"
#include "ir/numeric.h"
#include "isa/text.h"
#include <string.h>

/* Terminal escape sequences. */
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

/* Maximum length of the prefix of a line: a label, the address and the word. */
enum { PREFIX = 96 };

typedef struct {
  const NornIsa *isa;
  unsigned architecture, flags, word_bytes;
  const uint8_t *bytes;
  size_t count;     /* number of whole words */
  size_t index;     /* the current word */
  uint64_t *labels; /* bit i: word i is a branch target; bit `count` is the end; NULL: no labels */
} Disassembly;

static char *
write_hexadecimal(const NornIsaWriter *writer, char *out, uint64_t value, unsigned digits) {
  for (unsigned i = digits; i-- > 0 && out < writer->limit;)
    *out++ = "0123456789abcdef"[value >> 4 * i & 15];
  return out;
}

/* Finds the encoding of a word and checks whether the word is legal. */
static NornIsaProblem
examine(const NornIsa *isa, unsigned architecture, unsigned flags, uint64_t word,
        const NornIsaEncoding **encoding) {
  *encoding = norn_isa_decode(isa, architecture, word);
  if (!*encoding)
    return (NornIsaProblem){NORN_ISA_PROBLEM_OPCODE, 0, 0};
  NornIsaProblem problem = norn_isa_check_values(isa, *encoding, word);
  if (problem.kind == NORN_ISA_LEGAL && !(flags & NORN_ISA_PRINT_NO_VERIFY))
    problem = norn_isa_check_rules(isa, architecture, *encoding, word);
  return problem;
}

static char *
write_color(const NornIsaWriter *writer, char *out, const char *escape) {
  return writer->flags & NORN_ISA_PRINT_COLOR ? norn_isa_write(writer, out, escape) : out;
}

static char *
write_colored(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
              uint64_t word) {
  char text[NORN_ISA_LINE];
  NornIsaWriter plain = *writer;
  plain.limit = text + sizeof text - 1;
  char *end = norn_isa_write_instruction(&plain, text, encoding, word);
  *end = 0;
  size_t head = strcspn(text, " ");
  out = norn_isa_write(writer, out, BOLD);
  out = norn_isa_write_string(writer, out, text, head);
  out = norn_isa_write(writer, out, PLAIN);
  return norn_isa_write(writer, out, text + head);
}

static char *
write_data(const NornIsaWriter *writer, char *out, unsigned architecture, NornIsaProblem problem,
           const NornIsaEncoding *encoding, uint64_t word) {
  unsigned bits = writer->isa->word_bits;
  out = norn_isa_write(writer, out, bits == 64 ? ".quad 0x" : ".word 0x");
  out = write_hexadecimal(writer, out, word, bits / 4);
  out = write_color(writer, out, DIM);
  out = norn_isa_write(writer, out, " ; ");
  bool readable =
      problem.kind == NORN_ISA_PROBLEM_RULE || problem.kind == NORN_ISA_PROBLEM_HARDWARE;
  if (readable) {
    NornIsaWriter plain = *writer;
    plain.label = NULL;
    out = norn_isa_write_instruction(&plain, out, encoding, word);
    out = norn_isa_write(writer, out, ": ");
  }
  out = norn_isa_write_problem(writer, out, architecture, problem, encoding, word);
  return write_color(writer, out, PLAIN);
}

static char *
write_word(const NornIsaWriter *writer, char *out, unsigned architecture, uint64_t word) {
  const NornIsaEncoding *encoding;
  NornIsaProblem problem = examine(writer->isa, architecture, writer->flags, word, &encoding);
  if (problem.kind != NORN_ISA_LEGAL)
    return write_data(writer, out, architecture, problem, encoding, word);
  if (writer->flags & NORN_ISA_PRINT_COLOR)
    return write_colored(writer, out, encoding, word);
  return norn_isa_write_instruction(writer, out, encoding, word);
}

size_t
norn_isa_print(const NornIsa *isa, unsigned architecture, uint64_t word, unsigned flags,
               char *buffer) {
  *buffer = 0;
  if (!norn_isa_check_architecture(isa, architecture, NULL))
    return 0;
  NornIsaWriter writer = {.isa = isa, .limit = buffer + NORN_ISA_LINE - 1, .flags = flags};
  char *end = write_word(&writer, buffer, architecture, word);
  *end = 0;
  return (size_t)(end - buffer);
}

/* Labels */

/* The index of the target of a branch at word `index`, or `count` + 1 if it is not in the code. */
static size_t
target_of(const Disassembly *d, int64_t distance) {
  int64_t target = (int64_t)d->index + 1 + distance;
  return target < 0 || (uint64_t)target > d->count ? d->count + 1 : (size_t)target;
}

static char *
write_label_name(const NornIsaWriter *writer, char *out, size_t target) {
  out = norn_isa_write(writer, out, "L");
  return norn_isa_write_number(writer, out, (int64_t)target, true);
}

static char *
write_target_label(void *data, int64_t distance, char *out, char *limit) {
  const Disassembly *d = data;
  size_t target = target_of(d, distance);
  if (target > d->count)
    return NULL;
  NornIsaWriter writer = {.isa = d->isa, .limit = limit};
  return write_label_name(&writer, out, target);
}

static bool
is_label(const Disassembly *d, size_t target) {
  return d->labels && norn_bit(d->labels, target);
}

static void
find_labels(Disassembly *d) {
  d->labels = g_new0(uint64_t, d->count / 64 + 1);
  for (d->index = 0; d->index < d->count; d->index++) {
    uint64_t word = norn_bytes_read(d->bytes + d->index * d->word_bytes, d->word_bytes);
    const NornIsaEncoding *encoding = norn_isa_decode(d->isa, d->architecture, word);
    if (!encoding || encoding->target == NORN_ISA_NO_FIELD ||
        examine(d->isa, d->architecture, d->flags, word, &encoding).kind != NORN_ISA_LEGAL)
      continue;
    const NornIsaOperand *operand = &encoding->operands[encoding->target];
    size_t target = target_of(d, norn_isa_immediate_value(encoding, operand, word));
    if (target <= d->count)
      norn_set_bit(d->labels, target);
  }
}

/* Assembly text */

static char *
write_prefix(const NornIsaWriter *writer, char *out, const Disassembly *d, uint64_t word) {
  if (is_label(d, d->index)) {
    out = write_label_name(writer, out, d->index);
    out = norn_isa_write(writer, out, ":\n");
  }
  if (!(d->flags & (NORN_ISA_PRINT_ADDRESSES | NORN_ISA_PRINT_WORDS)))
    return out;
  out = write_color(writer, out, DIM);
  out = norn_isa_write(writer, out, "/*");
  if (d->flags & NORN_ISA_PRINT_ADDRESSES) {
    out = norn_isa_write(writer, out, " ");
    out = write_hexadecimal(writer, out, d->index * d->word_bytes, 6);
  }
  if (d->flags & NORN_ISA_PRINT_WORDS) {
    out = norn_isa_write(writer, out, " ");
    out = write_hexadecimal(writer, out, word, d->word_bytes * 2);
  }
  out = norn_isa_write(writer, out, " */ ");
  return write_color(writer, out, PLAIN);
}

/* Makes room for `more` bytes at the end of the text. */
static char *
reserve(char **text, size_t *capacity, char *out, size_t more) {
  size_t used = (size_t)(out - *text);
  if (*capacity - used >= more)
    return out;
  *capacity = *capacity * 2 + more;
  *text = g_realloc(*text, *capacity);
  return *text + used;
}

/* Writes the bytes from `start` on, which are not instructions, as data: in whole words, then the
 * rest. */
static char *
write_rest(const NornIsaWriter *writer, char *out, const Disassembly *d, size_t start,
           size_t size) {
  enum { WORD = 4, A_LINE = 8 };
  size_t words = size - start < d->word_bytes ? 0 : (size - start) / WORD;
  for (size_t k = 0; k < words; k++) {
    out = norn_isa_write(writer, out, k % A_LINE ? ", 0x" : ".word 0x");
    out = write_hexadecimal(writer, out, norn_bytes_read(d->bytes + start + k * WORD, WORD), 8);
    out = norn_isa_write(writer, out, k % A_LINE == A_LINE - 1 || k == words - 1 ? "\n" : "");
  }
  for (size_t i = start + words * WORD; i < size; i++) {
    out = norn_isa_write(writer, out, ".byte 0x");
    out = write_hexadecimal(writer, out, d->bytes[i], 2);
    out = norn_isa_write(writer, out, "\n");
  }
  return out;
}

static char *
disassemble_text(Disassembly *d, size_t size, size_t *length) {
  size_t capacity = d->count * 40 + 1024;
  char *text = g_malloc(capacity), *out = text;
  NornIsaWriter writer = {.isa = d->isa, .flags = d->flags};
  if (d->labels) {
    writer.label = write_target_label;
    writer.data = d;
  }
  for (d->index = 0; d->index < d->count; d->index++) {
    out = reserve(&text, &capacity, out, PREFIX + NORN_ISA_LINE);
    writer.limit = out + PREFIX + NORN_ISA_LINE - 2;
    uint64_t word = norn_bytes_read(d->bytes + d->index * d->word_bytes, d->word_bytes);
    out = write_prefix(&writer, out, d, word);
    out = write_word(&writer, out, d->architecture, word);
    *out++ = '\n';
  }
  size_t start = d->count * d->word_bytes, room = NORN_ISA_LINE + 6 * (size - start);
  out = reserve(&text, &capacity, out, room);
  writer.limit = out + room - 1;
  if (is_label(d, d->count)) {
    out = write_label_name(&writer, out, d->count);
    out = norn_isa_write(&writer, out, ":\n");
  }
  out = write_rest(&writer, out, d, start, size);
  *out = 0;
  *length = (size_t)(out - text);
  return text;
}

/* JSON */

static void
append_json_fields(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding,
                   uint64_t word) {
  g_string_append(out, ",\"instruction\":");
  norn_isa_append_json_string(out, norn_isa_string(isa, isa->names[encoding->name].text));
  g_string_append(out, ",\"fields\":{");
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (i)
      g_string_append_c(out, ',');
    norn_isa_append_json_string(out, norn_isa_string(isa, isa->field_names[field->number].name));
    g_string_append_printf(out, ":%u", norn_isa_extract(field, word));
  }
  g_string_append_c(out, '}');
}

static void
append_json_word(GString *out, const Disassembly *d, uint64_t word) {
  const NornIsaEncoding *encoding;
  NornIsaProblem problem = examine(d->isa, d->architecture, d->flags, word, &encoding);
  char line[NORN_ISA_LINE];
  unsigned flags = d->flags & (NORN_ISA_PRINT_ALTERNATE | NORN_ISA_PRINT_NO_VERIFY);
  norn_isa_print(d->isa, d->architecture, word, flags, line);
  g_string_append_printf(
      out, "{\"address\":%" G_GSIZE_FORMAT ",\"word\":\"0x%0*" G_GINT64_MODIFIER "x\",\"text\":",
      d->index * d->word_bytes, (int)d->word_bytes * 2, word);
  norn_isa_append_json_string(out, line);
  g_string_append_printf(out, ",\"legal\":%s", problem.kind == NORN_ISA_LEGAL ? "true" : "false");
  if (problem.kind != NORN_ISA_LEGAL) {
    NornIsaWriter writer = {.isa = d->isa, .limit = line + sizeof line - 1};
    *norn_isa_write_problem(&writer, line, d->architecture, problem, encoding, word) = 0;
    g_string_append(out, ",\"reason\":");
    norn_isa_append_json_string(out, line);
  }
  if (encoding)
    append_json_fields(out, d->isa, encoding, word);
  g_string_append_c(out, '}');
}

static char *
disassemble_json(Disassembly *d, size_t size, size_t *length) {
  GString *out = g_string_new("[");
  for (d->index = 0; d->index < d->count; d->index++) {
    g_string_append(out, d->index ? ",\n" : "\n");
    append_json_word(out, d, norn_bytes_read(d->bytes + d->index * d->word_bytes, d->word_bytes));
  }
  for (size_t i = d->count * d->word_bytes; i < size; i++)
    g_string_append_printf(out, "%s\n{\"address\":%" G_GSIZE_FORMAT ",\"byte\":%u}", i ? "," : "",
                           i, d->bytes[i]);
  g_string_append(out, "\n]\n");
  *length = out->len;
  return g_string_free(out, FALSE);
}

char *
norn_isa_disassemble(const NornIsa *isa, const void *bytes, size_t size,
                     const NornIsaDisassembleOptions *options, size_t *length) {
  if (!norn_isa_check_architecture(isa, options->architecture, NULL))
    return NULL;
  Disassembly d = {.isa = isa,
                   .architecture = options->architecture,
                   .flags = options->flags,
                   .word_bytes = norn_isa_word_bytes(isa),
                   .bytes = bytes};
  size_t code_size = options->code_size ? MIN(options->code_size, size) : size;
  d.count = code_size / d.word_bytes;
  size_t ignored;
  if (!length)
    length = &ignored;
  if (d.flags & NORN_ISA_PRINT_JSON)
    return disassemble_json(&d, size, length);
  if (!(d.flags & NORN_ISA_PRINT_OFFSETS))
    find_labels(&d);
  char *text = disassemble_text(&d, size, length);
  g_free(d.labels);
  return text;
}
