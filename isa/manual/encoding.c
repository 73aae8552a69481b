/* Shared by the text and HTML manuals: the layout of an encoding, and descriptions of its parts. */
#include "isa/manual/manual.h"
#include <string.h>

/* --- Segments --- */

/* Whether a field or fixed value, in either of its two runs of bits, contains the bit. */
#define HAS_BIT(row, bit)                                                                          \
  ((bit) - (row)->position < (row)->width || (bit) - (row)->high_position < (row)->high_width)

static const NornIsaField *
field_at(const NornIsaEncoding *encoding, unsigned bit) {
  for (unsigned i = 0; i < encoding->field_count; i++)
    if (HAS_BIT(&encoding->fields[i], bit))
      return &encoding->fields[i];
  return NULL;
}

static const NornIsaFixed *
fixed_at(const NornIsaEncoding *encoding, unsigned bit) {
  for (unsigned i = 0; i < encoding->fixed_count; i++)
    if (HAS_BIT(&encoding->fixed[i], bit))
      return &encoding->fixed[i];
  return NULL;
}

/* What bit `bit` belongs to, as a segment of width 1. */
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

unsigned
norn_isa_collect_segments(const NornIsa *isa, const NornIsaEncoding *encoding, Segment *segments) {
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

char *
norn_isa_segment_label(const NornIsa *isa, const Segment *segment, unsigned high, unsigned low) {
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

/* --- Words --- */

void
norn_isa_append_values(GString *out, const NornIsa *isa, const NornIsaField *field) {
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

char *
norn_isa_describe_operand(const NornIsa *isa, const NornIsaOperand *operand) {
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

static const char *
field_name(const NornIsa *isa, const NornIsaField *field) {
  return norn_isa_string(isa, isa->field_names[field->number].name);
}

/* What the assembler reads first: aliases are known by their names only. */
static const char *
mnemonic_of(const NornIsa *isa, const NornIsaEncoding *encoding) {
  bool is_alias = encoding->name >= isa->instruction_count;
  return norn_isa_string(isa, is_alias ? isa->names[encoding->name].text : encoding->mnemonic);
}

static bool
has_notation(const NornIsaEncoding *encoding, const NornIsaOperand *operand,
             NornIsaNotation notation) {
  for (unsigned k = 0; k < operand->modifier_count; k++)
    if (encoding->fields[operand->modifiers[k]].notation == notation)
      return true;
  return false;
}

static void
append_operand(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding,
               const NornIsaOperand *operand) {
  bool is_absolute = has_notation(encoding, operand, NORN_ISA_NOTATION_ABSOLUTE);
  if (operand->role == NORN_ISA_OPERAND_LITERAL) {
    g_string_append(out, norn_isa_string(isa, operand->prefix));
    return;
  }
  if (has_notation(encoding, operand, NORN_ISA_NOTATION_NEGATE))
    g_string_append(out, "[-]");
  if (is_absolute)
    g_string_append(out, "[|]");
  if (operand->role >= NORN_ISA_OPERAND_STAGING_READ &&
      operand->role <= NORN_ISA_OPERAND_STAGING_BOTH)
    g_string_append_c(out, '@');
  g_string_append(out, operand->prefix ? norn_isa_string(isa, operand->prefix) : "");
  g_string_append(out, norn_isa_string(isa, operand->name));
  if (is_absolute)
    g_string_append(out, "[|]");
  for (unsigned k = 0; k < operand->modifier_count && operand->role != NORN_ISA_OPERAND_LIST; k++) {
    const NornIsaField *field = &encoding->fields[operand->modifiers[k]];
    if (field->notation == NORN_ISA_NOTATION_SUFFIX)
      g_string_append_printf(out, "[.%s]", field_name(isa, field));
  }
}

static void
append_modifiers(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding) {
  for (unsigned i = 0; i < encoding->modifier_count; i++)
    g_string_append_printf(out, isa->dotted ? "[.%s]" : " [%s]",
                           field_name(isa, &encoding->fields[encoding->modifiers[i]]));
}

char *
norn_isa_describe_syntax(const NornIsa *isa, const NornIsaEncoding *encoding) {
  GString *out = g_string_new(mnemonic_of(isa, encoding));
  if (isa->dotted)
    append_modifiers(out, isa, encoding);
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    g_string_append(out, i && isa->commas ? ", " : " ");
    append_operand(out, isa, encoding, &encoding->operands[i]);
  }
  if (!isa->dotted)
    append_modifiers(out, isa, encoding);
  return g_string_free(out, FALSE);
}

char *
norn_isa_describe_range(const NornIsa *isa, unsigned since, unsigned until) {
  const char *first = norn_isa_string(isa, isa->architectures[since].name);
  return since == until ? g_strdup(first)
                        : g_strdup_printf("%s to %s", first,
                                          norn_isa_string(isa, isa->architectures[until].name));
}

char **
norn_isa_split_reasons(const NornIsa *isa, const NornIsaName *name) {
  return g_strsplit(name->reason ? isa->strings + name->reason : "", "\n", -1);
}

void
norn_isa_append_meaning(GString *out, const NornIsa *isa, const NornIsaName *name) {
  g_string_append(out, norn_isa_string(isa, isa->names[name->instruction].text));
  for (unsigned i = 0; i < name->with_count; i++)
    g_string_append_printf(out, "%s.%s", i ? "" : ", with ",
                           norn_isa_string(isa, isa->texts[name->with + i]));
}

/* Whether a mnemonic that is `word` in any syntax can be the name with number `index`. */
static bool
is_mnemonic(const NornIsa *isa, unsigned index, const char *word) {
  size_t length = strlen(word);
  const NornIsaMnemonic *found =
      norn_isa_find_mnemonic(isa, word, length, norn_isa_hash(word, length));
  for (unsigned i = 0; found && i < found->count; i++) {
    if (isa->name_lists[found->first + i] == index)
      return true;
  }
  return false;
}

bool
norn_isa_is_called(const NornIsa *isa, unsigned index, const char *word) {
  return norn_isa_text_is(isa, isa->names[index].text, word, strlen(word)) ||
         is_mnemonic(isa, index, word);
}

bool
norn_isa_is_encoded(const NornIsa *isa, int architecture, unsigned index) {
  if (architecture >= 0)
    return norn_isa_name_encoding(isa, (unsigned)architecture, index) != NULL;
  const NornIsaName *name = &isa->names[index];
  bool is_encoded = false;
  for (unsigned a = name->since; a <= name->until && a < isa->architecture_count; a++)
    is_encoded |= norn_isa_name_encoding(isa, a, index) != NULL;
  return is_encoded;
}
