/* The manual as text: the page of one instruction, and a search. */
#include "isa/manual/manual.h"
#include <string.h>

#define FIELD_COLUMNS 23 /* width of the name and position of a field */

/* --- Encodings --- */

/* Appends a line of the picture: the boxes of bits first + PICTURE_BITS - 1 to first. */
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
    g_autofree char *label = norn_isa_segment_label(isa, segment, high, low);
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

/* The position of a field: "33-32", or both parts of a split one. */
static char *
describe_position(const NornIsaField *field) {
  unsigned low = field->position, high = low + field->width - 1;
  if (!field->high_width)
    return field->width > 1 ? g_strdup_printf("%u-%u", high, low) : g_strdup_printf("%u", low);
  return g_strdup_printf("%u-%u,%u-%u", field->high_position + field->high_width - 1u,
                         field->high_position, high, low);
}

/* Appends everything about an encoding except the architectures that have it. */
static void
append_encoding(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding) {
  Segment segments[64];
  unsigned count = norn_isa_collect_segments(isa, encoding, segments);
  g_autofree char *syntax = norn_isa_describe_syntax(isa, encoding);
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
    g_autofree char *text = norn_isa_describe_operand(isa, operand);
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
      norn_isa_append_values(out, isa, field);
    g_string_append(out, field->observed ? " (+: only in other compilers' code)\n" : "\n");
  }
  for (unsigned i = 0; i < encoding->rule_count; i++)
    g_string_append_printf(out, "  rule: %s\n",
                           norn_isa_string(isa, isa->rules[encoding->rules[i]].message));
}

/* Whether the lines differ only in the values of fields; the lines that differ are appended. */
static bool
append_other_values(GString *out, const char *before, const char *text) {
  g_auto(GStrv) old = g_strsplit(before, "\n", -1), new = g_strsplit(text, "\n", -1);
  if (g_strv_length(old) != g_strv_length(new))
    return false;
  for (unsigned i = 0; new[i]; i++) {
    if (!strcmp(old[i], new[i]))
      continue;
    /* The line of a field begins with its name and position. */
    if (strncmp(old[i], new[i], FIELD_COLUMNS) != 0 || !g_str_has_prefix(new[i], "  ") ||
        strlen(new[i]) <= FIELD_COLUMNS || !g_ascii_isalpha(new[i][2]))
      return false;
    g_string_append_printf(out, "%s\n", new[i]);
  }
  return true;
}

/* Appends an encoding of the architectures from `since` on; if it differs from `before` (nullable)
 * only in the values of fields, only those. */
static void
append_encoding_of(GString *out, const NornIsa *isa, unsigned since, unsigned until,
                   const char *before, const char *text) {
  g_autofree char *range = norn_isa_describe_range(isa, since, until);
  g_autoptr(GString) values = g_string_new(NULL);
  if (before && append_other_values(values, before, text))
    g_string_append_printf(out, "\narchitecture %s, as before, except for\n%s", range, values->str);
  else
    g_string_append_printf(out, "\narchitecture %s%s", range, text);
}

/* Appends the encodings of a name, from the first architecture to the last; those that look the
 * same are shown once. */
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

/* --- Pages --- */

/* Whether an alias is an alternative form of the instruction with the same name. */
static bool
is_own_alias(const NornIsa *isa, unsigned index) {
  return index >= isa->instruction_count &&
         isa->names[index].text == isa->names[isa->names[index].instruction].text;
}

/* Appends the syntax of an alternative form of an instruction. */
static void
append_own_alias(GString *out, const NornIsa *isa, int architecture, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  const NornIsaEncoding *encoding =
      norn_isa_name_encoding(isa, architecture < 0 ? name->since : (unsigned)architecture, index);
  if (!encoding)
    return;
  g_autofree char *syntax = norn_isa_describe_syntax(isa, encoding);
  g_string_append(out, "also: ");
  norn_isa_append_meaning(out, isa, name);
  g_string_append_printf(out, "\n  %s\n", syntax);
}

static void
append_page(GString *out, const NornIsa *isa, int architecture, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  bool is_alias = index >= isa->instruction_count;
  g_string_append_printf(out, "%s%s%s\n", norn_isa_string(isa, name->text), name->title ? "  " : "",
                         norn_isa_string(isa, name->title));
  if (is_alias) {
    g_string_append(out, "another name for ");
    norn_isa_append_meaning(out, isa, name);
    g_string_append_c(out, '\n');
  }
  if (name->section)
    g_string_append_printf(out, "section: %s\n", norn_isa_string(isa, name->section));
  if (name->description)
    g_string_append_printf(out, "\n%s\n", isa->strings + name->description);
  g_auto(GStrv) reasons = norn_isa_split_reasons(isa, name);
  for (char **reason = reasons; *reason; reason++)
    if (**reason)
      g_string_append_printf(out, "differs from %s\n", *reason);
  if (architecture < 0) {
    append_encodings(out, isa, index);
    return;
  }
  const NornIsaEncoding *encoding = norn_isa_name_encoding(isa, (unsigned)architecture, index);
  g_autoptr(GString) text = g_string_new(NULL);
  append_encoding(text, isa, encoding);
  append_encoding_of(out, isa, encoding->since, encoding->until, NULL, text->str);
}

/* --- Search --- */

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

/* Appends a line of search results. */
static void
append_line(GString *out, const NornIsa *isa, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  g_autofree char *range = norn_isa_describe_range(isa, name->since, name->until);
  bool is_alias = index >= isa->instruction_count;
  g_string_append_printf(out, "%-24s %-10s %s", norn_isa_string(isa, name->text), range,
                         is_alias ? "= " : norn_isa_string(isa, name->title));
  if (is_alias)
    norn_isa_append_meaning(out, isa, name);
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

/* Whether an instruction's section or description mentions `word`, or it takes such a modifier. */
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

char *
norn_isa_describe(const NornIsa *isa, int architecture, const char *word) {
  if (architecture >= 0 && !norn_isa_check_architecture(isa, (unsigned)architecture, NULL))
    return NULL;
  GString *pages = g_string_new(NULL), *lines = g_string_new(NULL), *others = g_string_new(NULL);
  bool is_named = false;
  for (unsigned i = 0; i < (unsigned)isa->instruction_count + isa->alias_count; i++) {
    const NornIsaName *name = &isa->names[i];
    is_named |= norn_isa_is_encoded(isa, -1, i) && norn_isa_is_called(isa, i, word);
    if (!norn_isa_is_encoded(isa, architecture, i))
      continue;
    if (norn_isa_is_called(isa, i, word)) {
      g_string_append(pages, pages->len ? "\n" : "");
      if (is_own_alias(isa, i))
        append_own_alias(pages, isa, architecture, i);
      else
        append_page(pages, isa, architecture, i);
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
    if (all[i]->len && !shown && (!is_named || all[i] == pages))
      shown = g_strdup(all[i]->str);
    g_string_free(all[i], TRUE);
  }
  return shown;
}
