/* The reference manual, from the tables: one instruction as text, a search, and everything as HTML.
 *
 * An encoding is first laid out as segments, from the highest bit to bit 0, each a fixed value, a
 * field, reserved zeros or bits without meaning; text and HTML draw the same segments. */
#include "isa/text.h"
#include <string.h>

#define PICTURE_BITS 32  /* a line of the picture in text */
#define FIELD_COLUMNS 23 /* name and place of a field */

typedef enum { SEGMENT_FIXED, SEGMENT_FIELD, SEGMENT_RESERVED, SEGMENT_IGNORED } SegmentKind;

typedef struct {
  SegmentKind kind;
  uint8_t position, width;
  const NornIsaField *field; /* SEGMENT_FIELD */
  const NornIsaFixed *fixed; /* SEGMENT_FIXED, nullable */
  uint32_t value;            /* SEGMENT_FIXED */
} Segment;

static const NornIsaField *
field_at(const NornIsaEncoding *encoding, unsigned bit) {
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if ((bit >= field->position && bit < (unsigned)field->position + field->width) ||
        (bit >= field->high_position && bit < (unsigned)field->high_position + field->high_width))
      return field;
  }
  return NULL;
}

static const NornIsaFixed *
fixed_at(const NornIsaEncoding *encoding, unsigned bit) {
  for (unsigned i = 0; i < encoding->fixed_count; i++) {
    const NornIsaFixed *fixed = &encoding->fixed[i];
    if ((bit >= fixed->position && bit < (unsigned)fixed->position + fixed->width) ||
        (bit >= fixed->high_position && bit < (unsigned)fixed->high_position + fixed->high_width))
      return fixed;
  }
  return NULL;
}

/* What bit `bit` belongs to, as a segment one bit wide. */
static Segment
segment_at(const NornIsaEncoding *encoding, unsigned bit) {
  Segment segment = {.position = (uint8_t)bit, .width = 1};
  if ((segment.field = field_at(encoding, bit)))
    segment.kind = SEGMENT_FIELD;
  else if ((segment.fixed = fixed_at(encoding, bit)) || encoding->opcode >> bit & 1)
    segment.kind = SEGMENT_FIXED;
  else
    segment.kind = encoding->ignored >> bit & 1 ? SEGMENT_IGNORED : SEGMENT_RESERVED;
  return segment;
}

/* The segments, highest first; `segments` has room for one a bit. Returns how many there are. */
static unsigned
collect_segments(const NornIsa *isa, const NornIsaEncoding *encoding, Segment *segments) {
  unsigned count = 0;
  for (unsigned bit = isa->word_bits; bit-- > 0;) {
    Segment next = segment_at(encoding, bit);
    Segment *last = count ? &segments[count - 1] : NULL;
    if (last && last->kind == next.kind && last->field == next.field && last->fixed == next.fixed) {
      last->position--;
      last->width++;
    } else {
      segments[count++] = next;
    }
  }
  for (unsigned i = 0; i < count; i++)
    segments[i].value =
        (uint32_t)(encoding->match >> segments[i].position & norn_isa_mask(segments[i].width));
  return count;
}

/* What stands in the box of a segment's bits `high` - 1 to `low`. */
static char *
segment_label(const NornIsa *isa, const Segment *segment, unsigned high, unsigned low) {
  switch (segment->kind) {
  case SEGMENT_FIELD:
    return g_strdup(norn_isa_string(isa, isa->field_names[segment->field->number].name));
  case SEGMENT_FIXED: {
    char *digits = g_strnfill(high - low, '0');
    for (unsigned i = 0; i < high - low; i++)
      digits[i] += (char)(segment->value >> (high - 1 - i - segment->position) & 1);
    return digits;
  }
  case SEGMENT_RESERVED:
    return g_strnfill(high - low, '0');
  default:
    return g_strnfill(high - low, '-');
  }
}

/* A line of the picture: the boxes of bits first + PICTURE_BITS - 1 to first. */
static void
append_picture_line(GString *out, const NornIsa *isa, const Segment *segments, unsigned count,
                    unsigned first) {
  GString *numbers = g_string_new("  "), *boxes = g_string_new("  |"), *rule = g_string_new("  +");
  for (unsigned i = 0; i < count; i++) {
    const Segment *segment = &segments[i];
    unsigned low = MAX(segment->position, first);
    unsigned high = MIN(segment->position + segment->width, first + PICTURE_BITS);
    if (low >= high)
      continue;
    int room = (int)(high - low) * 3 - 1;
    g_autofree char *label = segment_label(isa, segment, high, low);
    g_autofree char *range = g_strdup_printf(high - low > 1 ? "%u-%u" : "%u", high - 1, low);
    g_string_append_printf(numbers, "%-*.*s ", room, room, room >= (int)strlen(range) ? range : "");
    g_string_append_printf(boxes, "%-*.*s|", room, room, label);
    for (int k = 0; k < room; k++)
      g_string_append_c(rule, '-');
    g_string_append_c(rule, '+');
  }
  g_string_append_printf(out, "%s\n%s\n%s\n%s\n", numbers->str, rule->str, boxes->str, rule->str);
  g_string_free(numbers, TRUE);
  g_string_free(boxes, TRUE);
  g_string_free(rule, TRUE);
}

/* The names of an enum field's legal values, the default marked with `*`, those that only other
 * compilers emit with `+`: "none=0* high=1 low=2+". */
static void
append_values(GString *out, const NornIsa *isa, const NornIsaField *field) {
  unsigned width = norn_isa_field_width(field);
  for (uint32_t value = 0; value >> width == 0; value++) {
    if (value < 64 && !(norn_isa_readable(field) >> value & 1))
      continue;
    NornIsaText text = isa->texts[field->texts + value];
    if (text == NORN_ISA_TEXT_ILLEGAL)
      continue;
    const char *name = text & 0xFF ? norn_isa_string(isa, text) : "none";
    bool observed = value < 64 && field->observed >> value & 1;
    bool is_default = field->has_default && field->default_value == value;
    g_string_append_printf(out, " %s=%u%s", name + (*name == '.'), value,
                           is_default ? "*"
                           : observed ? "+"
                                      : "");
  }
}

/* Where a field is: "33-32", or both parts of a split one. */
static char *
describe_position(const NornIsaField *field) {
  unsigned low = field->position, high = low + field->width - 1;
  if (!field->high_width)
    return field->width > 1 ? g_strdup_printf("%u-%u", high, low) : g_strdup_printf("%u", low);
  return g_strdup_printf("%u-%u,%u-%u", field->high_position + field->high_width - 1u,
                         field->high_position, high, low);
}

static const char *
role_name(NornIsaOperandRole role) {
  static const char *const names[] = {
      [NORN_ISA_OPERAND_DESTINATION] = "destination",
      [NORN_ISA_OPERAND_SOURCE] = "source",
      [NORN_ISA_OPERAND_STAGING_READ] = "staging registers, read",
      [NORN_ISA_OPERAND_STAGING_WRITE] = "staging registers, written",
      [NORN_ISA_OPERAND_STAGING_BOTH] = "staging registers, read and written",
      [NORN_ISA_OPERAND_IMMEDIATE] = "immediate",
      [NORN_ISA_OPERAND_TARGET] = "branch target",
      [NORN_ISA_OPERAND_LIST] = "list",
      [NORN_ISA_OPERAND_WORD] = "word",
      [NORN_ISA_OPERAND_LITERAL] = "literal",
  };
  return names[role];
}

/* What an operand is: "source, 64 bits: value to add". */
static char *
describe_operand(const NornIsa *isa, const NornIsaOperand *operand) {
  GString *out = g_string_new(role_name(operand->role));
  gboolean is_register = operand->role <= NORN_ISA_OPERAND_SOURCE;
  if (is_register && operand->words > 1)
    g_string_append_printf(out, ", %u bits", operand->words * 32u);
  if (operand->role == NORN_ISA_OPERAND_IMMEDIATE || operand->role == NORN_ISA_OPERAND_TARGET) {
    g_string_append_printf(out, ", %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, operand->minimum,
                           operand->maximum);
    if (operand->multiple > 1)
      g_string_append_printf(out, " in steps of %u", operand->multiple);
  }
  if (operand->title)
    g_string_append_printf(out, ": %s", norn_isa_string(isa, operand->title));
  return g_string_free(out, FALSE);
}

/* The form of the text: "FADD.f32[.clamp][.flow] dest, src0[.absneg], src1". */
static char *
describe_syntax(const NornIsa *isa, const NornIsaEncoding *encoding) {
  GString *out = g_string_new(norn_isa_string(isa, isa->names[encoding->name].text));
  const char *open = isa->dotted ? "[." : " [";
  if (isa->dotted)
    for (unsigned i = 0; i < encoding->modifier_count; i++)
      g_string_append_printf(
          out, "%s%s]", open,
          norn_isa_string(isa,
                          isa->field_names[encoding->fields[encoding->modifiers[i]].number].name));
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    g_string_append(out, i && isa->commas ? ", " : " ");
    if (operand->role == NORN_ISA_OPERAND_LITERAL) {
      g_string_append(out, norn_isa_string(isa, operand->prefix));
      continue;
    }
    if (operand->role >= NORN_ISA_OPERAND_STAGING_READ &&
        operand->role <= NORN_ISA_OPERAND_STAGING_BOTH)
      g_string_append_c(out, '@');
    g_string_append(out, operand->prefix ? norn_isa_string(isa, operand->prefix) : "");
    g_string_append(out, norn_isa_string(isa, operand->name));
    for (unsigned k = 0; k < operand->modifier_count && operand->role != NORN_ISA_OPERAND_LIST; k++)
      g_string_append_printf(
          out, "[.%s]",
          norn_isa_string(isa,
                          isa->field_names[encoding->fields[operand->modifiers[k]].number].name));
  }
  if (!isa->dotted)
    for (unsigned i = 0; i < encoding->modifier_count; i++)
      g_string_append_printf(
          out, "%s%s]", open,
          norn_isa_string(isa,
                          isa->field_names[encoding->fields[encoding->modifiers[i]].number].name));
  return g_string_free(out, FALSE);
}

/* "9 to 14", or "9". */
static char *
describe_range(const NornIsa *isa, unsigned since, unsigned until) {
  const char *first = norn_isa_string(isa, isa->architectures[since].name);
  return since == until ? g_strdup(first)
                        : g_strdup_printf("%s to %s", first,
                                          norn_isa_string(isa, isa->architectures[until].name));
}

/* The reasons for differing from a source, one a line: "source item: text". */
static char **
split_reasons(const NornIsa *isa, const NornIsaName *name) {
  return g_strsplit(name->reason ? isa->strings + name->reason : "", "\n", -1);
}

/* All about an encoding but the architectures that have it. */
static void
append_encoding(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding) {
  Segment segments[64];
  unsigned count = collect_segments(isa, encoding, segments);
  g_autofree char *syntax = describe_syntax(isa, encoding);
  if (encoding->unit != 0xFF)
    g_string_append_printf(out, ", unit %s", norn_isa_string(isa, isa->units[encoding->unit].name));
  for (unsigned flag = 0; flag < isa->flag_count; flag++)
    if (encoding->flags >> flag & 1)
      g_string_append_printf(out, ", %s", norn_isa_string(isa, isa->flags[flag].name));
  g_string_append_printf(out, "\n  %s\n\n", syntax);
  for (unsigned first = isa->word_bits; first > 0; first -= PICTURE_BITS)
    append_picture_line(out, isa, segments, count, first - PICTURE_BITS);
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    if (operand->role == NORN_ISA_OPERAND_LITERAL)
      continue;
    g_autofree char *text = describe_operand(isa, operand);
    gboolean has_field = operand->field != NORN_ISA_NO_FIELD;
    g_autofree char *position =
        has_field ? describe_position(&encoding->fields[operand->field]) : g_strdup("");
    g_string_append_printf(out, "  %-14s %-6s %s\n", norn_isa_string(isa, operand->name), position,
                           text);
  }
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    const NornIsaLabel *label = &isa->field_names[field->number];
    if (field->kind != NORN_ISA_FIELD_ENUM && field->kind != NORN_ISA_FIELD_DERIVED)
      continue;
    g_autofree char *position = describe_position(field);
    g_string_append_printf(out, "  %-14s %-6s", norn_isa_string(isa, label->name), position);
    if (field->kind == NORN_ISA_FIELD_DERIVED)
      g_string_append(out, " follows from the others");
    else
      append_values(out, isa, field);
    g_string_append(out, field->observed ? " (+: only code of other compilers has it)\n" : "\n");
  }
  for (unsigned i = 0; i < encoding->rule_count; i++)
    g_string_append_printf(out, "  rule: %s\n",
                           norn_isa_string(isa, isa->rules[encoding->rules[i]].message));
}

/* Whether the architectures before `architecture` have the name in the same encoding. */
static bool
seen_before(const NornIsa *isa, unsigned architecture, unsigned name) {
  return architecture && norn_isa_name_encoding(isa, architecture - 1, name) ==
                             norn_isa_name_encoding(isa, architecture, name);
}

/* Whether the lines differ in the values of fields alone; those that do are appended. */
static bool
append_other_values(GString *out, const char *before, const char *text) {
  g_auto(GStrv) old = g_strsplit(before, "\n", -1), new = g_strsplit(text, "\n", -1);
  if (g_strv_length(old) != g_strv_length(new))
    return false;
  for (unsigned i = 0; new[i]; i++) {
    if (!strcmp(old[i], new[i]))
      continue;
    /* A field's line begins with its name and its place. */
    if (strncmp(old[i], new[i], FIELD_COLUMNS) != 0 || !g_str_has_prefix(new[i], "  ") ||
        strlen(new[i]) <= FIELD_COLUMNS || !g_ascii_isalpha(new[i][2]))
      return false;
    g_string_append_printf(out, "%s\n", new[i]);
  }
  return true;
}

/* Appends an encoding of the architectures from `since` on; where values of fields alone differ
 * from `before` (nullable), these. */
static void
append_encoding_of(GString *out, const NornIsa *isa, unsigned since, unsigned until,
                   const char *before, const char *text) {
  g_autofree char *range = describe_range(isa, since, until);
  g_autoptr(GString) values = g_string_new(NULL);
  if (before && append_other_values(values, before, text))
    g_string_append_printf(out, "\narchitecture %s, as before but for\n%s", range, values->str);
  else
    g_string_append_printf(out, "\narchitecture %s%s", range, text);
}

/* The encodings of a name, from the first architecture to the last, those that look the same as
 * one. */
static void
append_encodings(GString *out, const NornIsa *isa, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  char *shown = NULL, *pending = NULL;
  unsigned since = 0, until = 0;
  for (unsigned a = name->since; a <= name->until && a < isa->architecture_count; a++) {
    const NornIsaEncoding *encoding = norn_isa_name_encoding(isa, a, index);
    GString *text = g_string_new(NULL);
    if (encoding)
      append_encoding(text, isa, encoding);
    if (!encoding || !pending || strcmp(pending, text->str) != 0 || a != until + 1) {
      if (pending) {
        append_encoding_of(out, isa, since, until, shown, pending);
        g_free(shown);
        shown = pending;
      }
      pending = encoding ? g_strdup(text->str) : NULL;
      since = a;
    }
    until = a;
    g_string_free(text, TRUE);
  }
  if (pending)
    append_encoding_of(out, isa, since, until, shown, pending);
  g_free(shown);
  g_free(pending);
}

static bool
same_word(const NornIsa *isa, NornIsaText text, const char *word) {
  return norn_isa_text_is(isa, text, word, strlen(word));
}

/* Whether `word` occurs in the text, in any case. */
static bool
has_word(const char *text, const char *word) {
  g_autofree char *folded = g_ascii_strdown(text, -1), *wanted = g_ascii_strdown(word, -1);
  return strstr(folded, wanted) != NULL;
}

/* What an alias stands for, and the words it asks for. */
static void
append_meaning(GString *out, const NornIsa *isa, const NornIsaName *name) {
  g_string_append(out, norn_isa_string(isa, isa->names[name->instruction].text));
  for (unsigned i = 0; i < name->with_count; i++)
    g_string_append_printf(out, "%s.%s", i ? "" : ", with ",
                           norn_isa_string(isa, isa->texts[name->with + i]));
}

/* Whether a name is another way to write the instruction that has the same name. */
static bool
is_own_alias(const NornIsa *isa, unsigned index) {
  return index >= isa->instruction_count &&
         isa->names[index].text == isa->names[isa->names[index].instruction].text;
}

/* The syntax of another way to write an instruction. */
static void
append_own_alias(GString *out, const NornIsa *isa, int architecture, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  const NornIsaEncoding *encoding =
      norn_isa_name_encoding(isa, architecture < 0 ? name->since : (unsigned)architecture, index);
  if (!encoding)
    return;
  g_autofree char *syntax = describe_syntax(isa, encoding);
  g_string_append(out, "also: ");
  append_meaning(out, isa, name);
  g_string_append_printf(out, "\n  %s\n", syntax);
}

static void
append_page(GString *out, const NornIsa *isa, int architecture, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  bool is_alias = index >= isa->instruction_count;
  g_string_append_printf(out, "%s%s%s\n", norn_isa_string(isa, name->text), name->title ? "  " : "",
                         norn_isa_string(isa, name->title));
  if (is_alias) {
    g_string_append(out, "another name of ");
    append_meaning(out, isa, name);
    g_string_append_c(out, '\n');
  }
  if (name->section)
    g_string_append_printf(out, "section: %s\n", norn_isa_string(isa, name->section));
  if (name->description)
    g_string_append_printf(out, "\n%s\n", isa->strings + name->description);
  g_auto(GStrv) reasons = split_reasons(isa, name);
  for (char **reason = reasons; *reason; reason++)
    if (**reason)
      g_string_append_printf(out, "differs from %s\n", *reason);
  if (architecture < 0) {
    append_encodings(out, isa, index);
    return;
  }
  const NornIsaEncoding *encoding = norn_isa_name_encoding(isa, (unsigned)architecture, index);
  if (!encoding)
    return;
  g_autoptr(GString) text = g_string_new(NULL);
  append_encoding(text, isa, encoding);
  append_encoding_of(out, isa, encoding->since, encoding->until, NULL, text->str);
}

/* A line of a search's result. */
static void
append_line(GString *out, const NornIsa *isa, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  g_autofree char *range = describe_range(isa, name->since, name->until);
  bool is_alias = index >= isa->instruction_count;
  g_string_append_printf(out, "%-24s %-10s %s", norn_isa_string(isa, name->text), range,
                         is_alias ? "= " : norn_isa_string(isa, name->title));
  if (is_alias)
    append_meaning(out, isa, name);
  g_string_append_c(out, '\n');
}

/* Whether an encoding has a field with that name, or with a value of that name. */
static bool
takes(const NornIsa *isa, const NornIsaEncoding *encoding, const char *word) {
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->kind != NORN_ISA_FIELD_ENUM)
      continue;
    if (same_word(isa, isa->field_names[field->number].name, word))
      return true;
    for (unsigned v = 0; v < 64; v++) {
      if (norn_isa_readable(field) >> v & 1 &&
          isa->texts[field->texts + v] != NORN_ISA_TEXT_ILLEGAL &&
          same_word(isa, isa->texts[field->texts + v], word))
        return true;
    }
  }
  return false;
}

/* Whether an instruction's section or meaning speaks of `word`, or it takes such a modifier. */
static bool
mentions(const NornIsa *isa, int architecture, unsigned index, const char *word) {
  const NornIsaName *name = &isa->names[index];
  if (index >= isa->instruction_count)
    return false;
  if (has_word(norn_isa_string(isa, name->section), word) ||
      (name->description && has_word(isa->strings + name->description, word)))
    return true;
  for (unsigned a = name->since; a <= name->until && a < isa->architecture_count; a++) {
    const NornIsaEncoding *encoding = norn_isa_name_encoding(isa, a, index);
    if (encoding && (architecture < 0 || (int)a == architecture) && takes(isa, encoding, word))
      return true;
  }
  return false;
}

/* Whether a mnemonic that is `word` in any syntax can be name number `index`. */
static bool
is_called(const NornIsa *isa, unsigned index, const char *word) {
  size_t length = strlen(word);
  const NornIsaMnemonic *found =
      norn_isa_find_mnemonic(isa, word, length, norn_isa_hash(word, length));
  for (unsigned i = 0; found && i < found->count; i++) {
    if (isa->name_lists[found->first + i] == index)
      return true;
  }
  return false;
}

char *
norn_isa_describe(const NornIsa *isa, int architecture, const char *word) {
  if (architecture >= 0 && !norn_isa_check_architecture(isa, (unsigned)architecture, NULL))
    return NULL;
  GString *pages = g_string_new(NULL), *lines = g_string_new(NULL), *others = g_string_new(NULL);
  for (unsigned i = 0; i < (unsigned)isa->instruction_count + isa->alias_count; i++) {
    const NornIsaName *name = &isa->names[i];
    if (same_word(isa, name->text, word) || is_called(isa, i, word)) {
      g_string_append(pages, pages->len ? "\n" : "");
      if (is_own_alias(isa, i))
        append_own_alias(pages, isa, architecture, i);
      else
        append_page(pages, isa, architecture, i);
    } else if (architecture >= 0 && !norn_isa_name_encoding(isa, (unsigned)architecture, i)) {
      continue;
    } else if (has_word(norn_isa_string(isa, name->text), word) ||
               has_word(norn_isa_string(isa, name->title), word)) {
      append_line(lines, isa, i);
    } else if (mentions(isa, architecture, i, word)) {
      append_line(others, isa, i);
    }
  }
  GString *all[] = {pages, lines, others};
  char *shown = NULL;
  for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
    if (all[i]->len && !shown)
      shown = g_strdup(all[i]->str);
    g_string_free(all[i], TRUE);
  }
  return shown;
}

/* HTML */

static void
append_escaped(GString *out, const char *text) {
  g_autofree char *escaped = g_markup_escape_text(text, -1);
  g_string_append(out, escaped);
}

static void
append_html_picture(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding) {
  static const char *const classes[] = {"fixed", "field", "reserved", "ignored"};
  Segment segments[64];
  unsigned count = collect_segments(isa, encoding, segments);
  for (unsigned end = isa->word_bits; end > 0; end -= PICTURE_BITS) {
    unsigned first = end - PICTURE_BITS;
    GString *boxes = g_string_new("<tr>");
    g_string_append(out, "<table class=bits><tr>");
    for (unsigned i = 0; i < count; i++) {
      const Segment *segment = &segments[i];
      unsigned low = MAX(segment->position, first),
               high = MIN(segment->position + segment->width, end);
      if (low >= high)
        continue;
      g_autofree char *label = segment_label(isa, segment, high, low);
      g_string_append_printf(out, high - low > 1 ? "<th colspan=%u>%u–%u" : "<th colspan=%u>%u",
                             high - low, high - 1, low);
      g_string_append_printf(boxes, "<td class=%s colspan=%u>", classes[segment->kind], high - low);
      append_escaped(boxes, label);
    }
    g_string_append_printf(out, "%s</table>\n", boxes->str);
    g_string_free(boxes, TRUE);
  }
}

static void
append_html_encoding(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding) {
  g_autofree char *range = describe_range(isa, encoding->since, encoding->until);
  g_autofree char *syntax = describe_syntax(isa, encoding);
  g_string_append_printf(out, "<p class=range>Architecture %s", range);
  if (encoding->unit != 0xFF)
    g_string_append_printf(out, ", unit %s", norn_isa_string(isa, isa->units[encoding->unit].name));
  for (unsigned flag = 0; flag < isa->flag_count; flag++)
    if (encoding->flags >> flag & 1)
      g_string_append_printf(out, ", <span title=\"%s\">%s</span>",
                             norn_isa_string(isa, isa->flags[flag].title),
                             norn_isa_string(isa, isa->flags[flag].name));
  g_string_append(out, "</p><pre>");
  append_escaped(out, syntax);
  g_string_append(out, "</pre>\n");
  append_html_picture(out, isa, encoding);
  g_string_append(out, "<table class=list>");
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    if (operand->role == NORN_ISA_OPERAND_LITERAL)
      continue;
    g_autofree char *text = describe_operand(isa, operand);
    g_string_append_printf(out, "<tr><td><b>%s</b><td>", norn_isa_string(isa, operand->name));
    append_escaped(out, text);
  }
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->kind != NORN_ISA_FIELD_ENUM && field->kind != NORN_ISA_FIELD_DERIVED)
      continue;
    GString *values = g_string_new(NULL);
    if (field->kind == NORN_ISA_FIELD_DERIVED)
      g_string_append(values, "follows from the others");
    else
      append_values(values, isa, field);
    g_string_append_printf(out, "<tr><td>%s<td>",
                           norn_isa_string(isa, isa->field_names[field->number].name));
    append_escaped(out, values->str);
    g_string_free(values, TRUE);
  }
  g_string_append(out, "</table>\n");
  for (unsigned i = 0; i < encoding->rule_count; i++) {
    g_string_append(out, "<p class=rule>Rule: ");
    append_escaped(out, norn_isa_string(isa, isa->rules[encoding->rules[i]].message));
    g_string_append(out, "</p>\n");
  }
}

static void
append_html_instruction(GString *out, const NornIsa *isa, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  const char *text = norn_isa_string(isa, name->text);
  g_string_append_printf(out, "<section id=\"%s\"><h2>%s <small>", text, text);
  append_escaped(out, norn_isa_string(isa, name->title));
  g_string_append(out, "</small></h2>\n");
  if (name->section) {
    g_string_append(out, "<p class=section>Section ");
    append_escaped(out, norn_isa_string(isa, name->section));
    g_string_append(out, "</p>\n");
  }
  if (name->description) {
    g_string_append(out, "<p>");
    append_escaped(out, isa->strings + name->description);
    g_string_append(out, "</p>\n");
  }
  g_auto(GStrv) reasons = split_reasons(isa, name);
  for (char **reason = reasons; *reason; reason++)
    if (**reason) {
      g_string_append(out, "<p class=reason>Differs from ");
      append_escaped(out, *reason);
      g_string_append(out, "</p>\n");
    }
  for (unsigned a = name->since; a <= name->until && a < isa->architecture_count; a++) {
    const NornIsaEncoding *encoding = norn_isa_name_encoding(isa, a, index);
    if (encoding && !seen_before(isa, a, index))
      append_html_encoding(out, isa, encoding);
  }
  g_string_append(out, "</section>\n");
}

static void
append_html_names(GString *out, const NornIsa *isa) {
  g_string_append(out, "<nav><h2>Instructions</h2>\n");
  for (unsigned i = 0; i < isa->instruction_count; i++)
    g_string_append_printf(out, "<a href=\"#%s\">%s</a>\n",
                           norn_isa_string(isa, isa->names[i].text),
                           norn_isa_string(isa, isa->names[i].text));
  g_string_append(out, "</nav>\n<section><h2>Other names</h2><table class=list>\n");
  for (unsigned i = isa->instruction_count; i < (unsigned)isa->instruction_count + isa->alias_count;
       i++) {
    const NornIsaName *name = &isa->names[i];
    const char *of = norn_isa_string(isa, isa->names[name->instruction].text);
    g_autofree char *range = describe_range(isa, name->since, name->until);
    g_string_append_printf(out, "<tr><td>%s<td>%s<td><a href=\"#%s\">",
                           norn_isa_string(isa, name->text), range, of);
    append_meaning(out, isa, name);
    g_string_append(out, "</a>\n");
  }
  g_string_append(out, "</table></section>\n");
}

static void
append_html_enums(GString *out, const NornIsa *isa) {
  g_string_append(out, "<section><h2>Named values</h2>\n");
  for (unsigned i = 0; i < isa->enum_count; i++) {
    const NornIsaEnum *enumeration = &isa->enums[i];
    g_string_append_printf(out, "<h3 id=\"enum-%s\">%s <small>",
                           norn_isa_string(isa, enumeration->name),
                           norn_isa_string(isa, enumeration->name));
    append_escaped(out, norn_isa_string(isa, enumeration->title));
    g_string_append(out, "</small></h3><table class=list>");
    for (unsigned k = 0; k < enumeration->count; k++) {
      const NornIsaEnumValue *value = &isa->enum_values[enumeration->first + k];
      g_autofree char *range = describe_range(isa, value->since, value->until);
      g_string_append_printf(out, "<tr><td>%u<td>", value->code);
      append_escaped(out, norn_isa_string(isa, value->name));
      g_string_append_printf(out, "<td>%s<td>",
                             value->since || value->until + 1u < isa->architecture_count ? range
                                                                                         : "");
      append_escaped(out, norn_isa_string(isa, value->title));
    }
    g_string_append(out, "</table>\n");
  }
  g_string_append(out, "</section>\n");
}

char *
norn_isa_manual(const NornIsa *isa) {
  static const char style[] =
      "body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
      "pre,td,th,nav{font-family:monospace}pre{background:#f4f4f4;padding:.5em;white-space:pre-"
      "wrap}"
      "table{border-collapse:collapse;margin:.4em 0}small{font-weight:normal;color:#666}"
      ".bits{width:100%;table-layout:fixed;font-size:12px;text-align:center}.bits "
      "th{font-weight:normal;color:#888}"
      ".bits td{border:1px solid "
      "#999;overflow:hidden}.fixed{background:#dde6f3}.field{background:#fff}"
      ".reserved{background:#eee;color:#999}.ignored{background:#f8f2dd}.list td{border-bottom:1px "
      "solid #ddd;padding:.1em .8em .1em 0;"
      "vertical-align:top}nav "
      "a{display:inline-block;width:15em}.reason,.rule{color:#754}section{margin-top:2.5em}";
  GString *out = g_string_new("<!DOCTYPE html><html lang=en><meta charset=utf-8><title>");
  append_escaped(out, isa->title);
  g_string_append_printf(out, "</title><style>%s</style><body><h1>", style);
  append_escaped(out, isa->title);
  g_string_append(out, "</h1>\n<p>Every instruction with its bits, highest first: blue are fixed, "
                       "white are fields, gray are reserved and "
                       "zero, yellow have no meaning. A star marks a default.</p>\n");
  append_html_names(out, isa);
  append_html_enums(out, isa);
  for (unsigned i = 0; i < isa->instruction_count; i++)
    append_html_instruction(out, isa, i);
  g_string_append(out, "</body></html>\n");
  return g_string_free(out, FALSE);
}
