/* The manual as a single HTML page. */
#include "isa/manual/manual.h"

/* Whether the previous architecture has the same encoding for the name. */
static bool
seen_before(const NornIsa *isa, unsigned architecture, unsigned name) {
  return architecture && norn_isa_name_encoding(isa, architecture - 1, name) ==
                             norn_isa_name_encoding(isa, architecture, name);
}

static void
append_escaped(GString *out, const char *text) {
  g_autofree char *escaped = g_markup_escape_text(text, -1);
  g_string_append(out, escaped);
}

static void
append_html_picture(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding) {
  static const char *const classes[] = {"fixed", "field", "reserved", "ignored"};
  Segment segments[64];
  unsigned count = norn_isa_collect_segments(isa, encoding, segments);
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
      g_autofree char *label = norn_isa_segment_label(isa, segment, high, low);
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
  g_autofree char *range = norn_isa_describe_range(isa, encoding->since, encoding->until);
  g_autofree char *syntax = norn_isa_describe_syntax(isa, encoding);
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
    g_autofree char *text = norn_isa_describe_operand(isa, operand);
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
      norn_isa_append_values(values, isa, field);
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
  g_auto(GStrv) reasons = norn_isa_split_reasons(isa, name);
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
    g_autofree char *range = norn_isa_describe_range(isa, name->since, name->until);
    g_string_append_printf(out, "<tr><td>%s<td>%s<td><a href=\"#%s\">",
                           norn_isa_string(isa, name->text), range, of);
    norn_isa_append_meaning(out, isa, name);
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
      g_autofree char *range = norn_isa_describe_range(isa, value->since, value->until);
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
  g_string_append(out, "</h1>\n<p>Every instruction with its bits, highest first: blue bits are "
                       "fixed, white bits are fields, gray bits are reserved and zero, yellow "
                       "bits have no meaning. A star marks a default.</p>\n");
  append_html_names(out, isa);
  append_html_enums(out, isa);
  for (unsigned i = 0; i < isa->instruction_count; i++)
    append_html_instruction(out, isa, i);
  g_string_append(out, "</body></html>\n");
  return g_string_free(out, FALSE);
}
