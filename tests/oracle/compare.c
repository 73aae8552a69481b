/* Comparing a description with outside sources: the code shared by the comparisons.
 *
 * A comparison walks the facts in its source and notes differences. A finding belongs to an
 * instruction or alias and to an item (a modifier, an operand). It is documented if a <reason>
 * in the description names the source and the item; such reasons are kept in the tables as lines
 * "SOURCE ITEM ITEM: text". Equal findings on several architectures become one line. */
#include "tests/oracle/compare.h"
#include "tests/oracle/compare_internal.h"
#include <string.h>

/* A larger file is not of a known kind. */
#define COMPARE_FILE_LIMIT (16u << 20)

typedef struct {
  char *text;
  const char *reason; /* of its description, or NULL */
  gsize reason_length;
  CompareKind kind;
  uint32_t architectures;
} Finding;

static void
finding_free(void *data) {
  Finding *finding = data;
  g_free(finding->text);
  g_free(finding);
}

/* Finds `word` among the blank-separated words of [text, end). */
static bool
has_word(const char *text, const char *end, const char *word) {
  gsize length = strlen(word);
  while (text < end) {
    const char *blank = memchr(text, ' ', (gsize)(end - text));
    const char *stop = blank ? blank : end;
    if ((gsize)(stop - text) == length && !memcmp(text, word, length))
      return true;
    text = stop + 1;
  }
  return false;
}

/* The reason that the description of `name` gives for a difference from `source` in `item`. */
static const char *
find_line(const CompareContext *context, unsigned name, const char *source, const char *item,
          gsize *length) {
  const NornIsa *isa = context->isa;
  if (!isa->names[name].reason)
    return NULL;
  gsize source_length = strlen(source);
  for (const char *line = isa->strings + isa->names[name].reason; *line;) {
    const char *end = line + strcspn(line, "\n");
    const char *colon = g_strstr_len(line, end - line, ": ");
    if (colon && g_str_has_prefix(line, source) && line[source_length] == ' ' &&
        has_word(line + source_length + 1, colon, item)) {
      *length = (gsize)(end - colon) - 2;
      return colon + 2;
    }
    line = *end ? end + 1 : end;
  }
  return NULL;
}

/* The same, also for the instruction that an alias represents. A reason for the newer XML also
 * applies to the older one, which has the same item. */
static const char *
find_reason(const CompareContext *context, unsigned name, const char *item, gsize *length) {
  const unsigned names[] = {name, context->isa->names[name].instruction};
  const char *reason = NULL;
  for (unsigned i = 0; !reason && i < G_N_ELEMENTS(names); i++) {
    reason = find_line(context, names[i], context->source, item, length);
    if (!reason && !strcmp(context->source, "seed2021"))
      reason = find_line(context, names[i], "seed", item, length);
  }
  return reason;
}

void
norn_compare_note(CompareContext *context, CompareKind kind, int name, const char *item,
                  const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  const NornIsa *isa = context->isa;
  char *text =
      g_strdup_printf("%s: %s%s%s", name < 0 ? "-" : norn_isa_string(isa, isa->names[name].text),
                      item, *item ? ": " : "", message);
  g_free(message);
  Finding *finding = g_hash_table_lookup(context->finding_of, text);
  if (!finding) {
    finding = g_new0(Finding, 1);
    finding->text = text;
    finding->kind = kind;
    if (name >= 0 && kind == COMPARE_DIFFERENCE)
      finding->reason = find_reason(context, (unsigned)name, item, &finding->reason_length);
    g_ptr_array_add(context->findings, finding);
    g_hash_table_insert(context->finding_of, finding->text, finding);
  } else {
    g_free(text);
  }
  finding->architectures |= UINT32_C(1) << context->architecture;
}

const GArray *
norn_compare_names(const CompareContext *context, const char *text) {
  return g_hash_table_lookup(context->names, text);
}

const NornIsaEncoding *
norn_compare_encoding(const CompareContext *context, unsigned name) {
  return norn_isa_name_encoding(context->isa, context->architecture, name);
}

int64_t
norn_compare_enum_code(const CompareContext *context, unsigned enumeration, const char *text) {
  const NornIsa *isa = context->isa;
  const NornIsaToken *token = g_hash_table_lookup(context->tokens, text);
  for (uint32_t i = 0; token && i < token->count; i++) {
    const NornIsaMeaning *meaning = &isa->meanings[token->first + i];
    if (meaning->owner == enumeration && context->architecture >= meaning->since &&
        context->architecture <= meaning->until)
      return meaning->code;
  }
  return -1;
}

int64_t
norn_compare_operand_code(const CompareContext *context, const NornIsaOperand *operand,
                          const char *text) {
  const NornIsaToken *token = g_hash_table_lookup(context->tokens, text);
  return token ? norn_isa_token_code(context->isa, token, operand) : -1;
}

uint32_t
norn_compare_set_value(const NornIsaEncoding *encoding, unsigned number) {
  for (unsigned i = 0; i < encoding->fixed_count; i++)
    if (encoding->fixed[i].number == number)
      return encoding->fixed[i].value;
  return UINT32_MAX;
}

void
norn_compare_texts(CompareContext *context, const NornIsaEncoding *encoding, const char *item,
                   const char *own, const char *theirs) {
  context->result.compared++;
  if (strcmp(own, theirs) != 0)
    norn_compare_note(context, COMPARE_DIFFERENCE, encoding->name, item, "'%s' here, '%s' there",
                      own, theirs);
}

bool
norn_compare_lines(CompareContext *context, const NornIsa *isa, const char *filename, char *text,
                   void (*read)(void *data, char *line), void *data, GError **error) {
  if (context->isa != isa) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: a reference of %s, not of %s", filename,
                norn_isa_name(isa), norn_isa_name(context->isa));
    return false;
  }
  context->source = "seed";
  for (char *line = text; line;) {
    char *next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    read(data, line);
    line = next;
  }
  return true;
}

/* The bits of a field, and those of the word that it is in. */
static uint64_t
field_bits(const NornIsaField *field) {
  return norn_isa_insert(field, UINT64_MAX);
}

/* Whether some allowed value of `field` agrees with `word` in the bits of `range`. */
static bool
field_can_be(const NornIsaField *field, uint64_t range, uint64_t word) {
  for (unsigned value = 0; value < 64; value++)
    if (field->allowed >> value & 1 &&
        !((norn_isa_insert(field, value) ^ word) & range & field_bits(field)))
      return true;
  return false;
}

bool
norn_compare_values(const NornIsaEncoding *encoding, unsigned position, unsigned width,
                    uint64_t *values) {
  uint64_t range = norn_isa_mask(width) << position;
  for (unsigned i = 0; i < encoding->field_count; i++)
    if (field_bits(&encoding->fields[i]) & range && encoding->fields[i].kind != NORN_ISA_FIELD_ENUM)
      return false;
  *values = 0;
  for (uint64_t value = 0; value < UINT64_C(1) << width; value++) {
    uint64_t word = value << position;
    bool possible = !((word ^ encoding->match) & encoding->mask & range);
    for (unsigned i = 0; possible && i < encoding->field_count; i++)
      if (field_bits(&encoding->fields[i]) & range)
        possible = field_can_be(&encoding->fields[i], range, word);
    if (possible)
      *values |= UINT64_C(1) << value;
  }
  return true;
}

/* The bits of a field that all its legal values agree on; adds their values to *match. */
static uint64_t
agreed_bits(const NornIsaField *field, uint64_t *match) {
  uint64_t all = field_bits(field), any = 0;
  for (uint64_t values = field->allowed; values; values &= values - 1) {
    uint64_t bits = norn_isa_insert(field, (uint64_t)__builtin_ctzll(values));
    all &= bits;
    any |= bits;
  }
  *match |= all;
  return field_bits(field) & ~(all ^ any);
}

/* Bits that only occur with values from other compilers' code count as fixed: `observed` serves
 * as a reason. */
bool
norn_compare_fixed(const NornIsaEncoding *encoding, unsigned position, unsigned width,
                   uint64_t *value) {
  uint64_t range = norn_isa_mask(width) << position;
  uint64_t mask = encoding->mask, match = encoding->match;
  for (unsigned i = 0; i < encoding->field_count; i++)
    if (encoding->fields[i].observed)
      mask |= agreed_bits(&encoding->fields[i], &match);
  *value = (match & range) >> position;
  return (mask & range) == range;
}

const NornIsaField *
norn_compare_field(const NornIsaEncoding *encoding, unsigned position, unsigned width) {
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->position == position && field->width == width)
      return field;
    if (field->high_width == width && field->high_position == position && width)
      return field;
  }
  return NULL;
}

const NornIsaOperand *
norn_compare_operand(const NornIsaEncoding *encoding, unsigned position, unsigned width) {
  const NornIsaField *field = norn_compare_field(encoding, position, width);
  for (unsigned i = 0; field && i < encoding->operand_count; i++)
    if (encoding->operands[i].field != NORN_ISA_NO_FIELD &&
        &encoding->fields[encoding->operands[i].field] == field)
      return &encoding->operands[i];
  return NULL;
}

const char *
norn_compare_item(const CompareContext *context, const NornIsaEncoding *encoding,
                  unsigned position) {
  const NornIsa *isa = context->isa;
  uint64_t bit = UINT64_C(1) << position;
  for (unsigned i = 0; i < encoding->field_count; i++)
    if (field_bits(&encoding->fields[i]) & bit)
      return norn_isa_string(isa, isa->field_names[encoding->fields[i].number].name);
  for (unsigned i = 0; i < encoding->fixed_count; i++) {
    const NornIsaFixed *fixed = &encoding->fixed[i];
    if (position - fixed->position < fixed->width ||
        position - fixed->high_position < fixed->high_width)
      return norn_isa_string(isa, isa->field_names[fixed->number].name);
  }
  return "reserved";
}

/* ------------------------------------------------------------------------- report */

static void
append_architectures(const CompareContext *context, uint32_t architectures, GString *report) {
  const char *separator = " (";
  for (unsigned i = 0; i < context->isa->architecture_count; i++) {
    if (!(architectures >> i & 1))
      continue;
    unsigned last = i;
    while (last + 1 < context->isa->architecture_count && architectures >> (last + 1) & 1)
      last++;
    g_string_append_printf(report, "%s%s", separator, norn_isa_architecture_name(context->isa, i));
    if (last > i)
      g_string_append_printf(report, "-%s", norn_isa_architecture_name(context->isa, last));
    separator = ", ";
    i = last;
  }
  g_string_append(report, ")\n");
}

static void
write_report(CompareContext *context, const char *filename, GString *report) {
  for (unsigned i = 0; i < context->findings->len; i++) {
    const Finding *finding = context->findings->pdata[i];
    if (finding->reason) {
      context->result.documented++;
      g_string_append_printf(report, "documented: %s [%.*s]", finding->text,
                             (int)finding->reason_length, finding->reason);
    } else if (finding->kind == COMPARE_ADDED) {
      context->result.added++;
      g_string_append_printf(report, "added: %s", finding->text);
    } else {
      context->result.differences++;
      g_string_append_printf(report, "differs: %s", finding->text);
    }
    append_architectures(context, finding->architectures, report);
  }
  g_string_append_printf(report, "%s: %u facts compared, %u documented, %u added, %u differ\n",
                         filename, context->result.compared, context->result.documented,
                         context->result.added, context->result.differences);
}

/* ------------------------------------------------------------------------- entry */

static void
index_names(CompareContext *context) {
  const NornIsa *isa = context->isa;
  unsigned count = (unsigned)isa->instruction_count + isa->alias_count;
  for (unsigned i = 0; i < count; i++) {
    char *text = (char *)norn_isa_string(isa, isa->names[i].text);
    GArray *indices = g_hash_table_lookup(context->names, text);
    if (!indices) {
      indices = g_array_new(FALSE, FALSE, sizeof(unsigned));
      g_hash_table_insert(context->names, text, indices);
    }
    g_array_append_val(indices, i);
  }
  for (uint32_t i = 0; i <= isa->token_mask; i++)
    if (isa->tokens[i].text)
      g_hash_table_insert(context->tokens, (char *)norn_isa_string(isa, isa->tokens[i].text),
                          (void *)&isa->tokens[i]);
}

static void
unref_array(void *data) {
  g_array_unref(data);
}

static bool
compare_text(CompareContext *context, const char *filename, char *text, gsize length,
             GError **error) {
  if (memchr(text, 0, length)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "%s: a binary file; expected XML or a table",
                filename);
    return false;
  }
  const char *start = text + strspn(text, " \t\r\n");
  if (*start == '<')
    return norn_compare_valhall_xml(context, filename, text, length, error);
  if (g_str_has_prefix(start, "## GCN"))
    return norn_compare_gcn_reference(context, filename, text, error);
  if (g_str_has_prefix(start, ".. _vp1"))
    return norn_compare_vp1_reference(context, filename, text, error);
  return norn_compare_field_table(context, filename, text, error);
}

bool
norn_isa_compare(const NornIsa *isa, const char *filename, GString *report,
                 NornIsaComparison *result, GError **error) {
  char *text;
  gsize length;
  GError *failure = NULL;
  if (!g_file_get_contents(filename, &text, &length, &failure)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s", failure->message);
    g_error_free(failure);
    return false;
  }
  if (length > COMPARE_FILE_LIMIT) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "%s: larger than %u bytes", filename,
                COMPARE_FILE_LIMIT);
    g_free(text);
    return false;
  }
  CompareContext context = {
      .isa = isa,
      .source = "",
      .names = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, unref_array),
      .tokens = g_hash_table_new(g_str_hash, g_str_equal),
      .findings = g_ptr_array_new_with_free_func(finding_free),
      .finding_of = g_hash_table_new(g_str_hash, g_str_equal),
  };
  index_names(&context);
  bool done = compare_text(&context, filename, text, length, error);
  if (done) {
    write_report(&context, filename, report);
    *result = context.result;
  }
  g_hash_table_unref(context.finding_of);
  g_ptr_array_unref(context.findings);
  g_hash_table_unref(context.tokens);
  g_hash_table_unref(context.names);
  g_free(text);
  return done;
}
