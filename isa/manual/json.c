/* Instructions as JSON, for programs: the content of an instruction's page, with a list of
 * encodings, each for a range of architectures. */
#include "isa/manual/manual.h"
#include <string.h>

/* Begins a member; `comma` precedes all but the first one. */
static void
append_key(GString *out, const char **comma, const char *key) {
  g_string_append_printf(out, "%s\"%s\":", *comma, key);
  *comma = ",";
}

static void
append_member(GString *out, const char **comma, const char *key, const char *text) {
  append_key(out, comma, key);
  norn_isa_append_json_string(out, text);
}

/* Appends a member if the text is not empty. */
static void
append_text(GString *out, const char **comma, const NornIsa *isa, const char *key,
            NornIsaText text) {
  if (text)
    append_member(out, comma, key, norn_isa_string(isa, text));
}

static void
append_number(GString *out, const char **comma, const char *key, uint32_t number) {
  append_key(out, comma, key);
  g_string_append_printf(out, "%u", number);
}

static void
append_word(GString *out, const char **comma, const char *key, uint64_t word) {
  append_key(out, comma, key);
  g_string_append_printf(out, "\"0x%" G_GINT64_MODIFIER "x\"", word);
}

/* --- Fields --- */

static const char *const kind_names[] = {
    [NORN_ISA_FIELD_ENUM] = "modifier", [NORN_ISA_FIELD_CODE] = "operand",
    [NORN_ISA_FIELD_NUMBER] = "number", [NORN_ISA_FIELD_DERIVED] = "derived",
    [NORN_ISA_FIELD_BANK] = "bank",     [NORN_ISA_FIELD_COUNT] = "count",
};

/* The legal values of a modifier by name; "" is a value that is not written. */
static void
append_values(GString *out, const NornIsa *isa, const NornIsaField *field) {
  const char *comma = "";
  g_string_append_c(out, '{');
  for (uint32_t value = 0; value >> norn_isa_field_width(field) == 0; value++) {
    NornIsaText text = isa->texts[field->texts + value];
    bool is_legal = value >= 64 || field->allowed >> value & 1;
    const char *name = text & 0xFF ? norn_isa_string(isa, text) : "";
    if (is_legal && text != NORN_ISA_TEXT_ILLEGAL)
      append_number(out, &comma, name + (*name == '.'), value);
  }
  g_string_append_c(out, '}');
}

static void
append_field(GString *out, const NornIsa *isa, const NornIsaField *field) {
  const char *comma = "";
  g_string_append_c(out, '{');
  append_text(out, &comma, isa, "name", isa->field_names[field->number].name);
  append_member(out, &comma, "kind", kind_names[field->kind]);
  append_number(out, &comma, "position", field->position);
  append_number(out, &comma, "width", field->width);
  if (field->high_width) {
    append_number(out, &comma, "high_position", field->high_position);
    append_number(out, &comma, "high_width", field->high_width);
  }
  if (field->has_default)
    append_number(out, &comma, "default", field->default_value);
  if (field->kind == NORN_ISA_FIELD_ENUM) {
    append_key(out, &comma, "values");
    append_values(out, isa, field);
  }
  g_string_append_c(out, '}');
}

/* --- Encodings --- */

static void
append_operand(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding,
               const NornIsaOperand *operand) {
  const char *comma = "";
  g_autofree char *text = norn_isa_describe_operand(isa, operand);
  g_string_append_c(out, '{');
  append_text(out, &comma, isa, "name", operand->name);
  if (operand->field != NORN_ISA_NO_FIELD)
    append_text(out, &comma, isa, "field",
                isa->field_names[encoding->fields[operand->field].number].name);
  append_member(out, &comma, "meaning", text);
  g_string_append_c(out, '}');
}

static void
append_encoding(GString *out, const NornIsa *isa, const NornIsaEncoding *encoding) {
  const char *comma = "", *mark = "";
  g_autofree char *syntax = norn_isa_describe_syntax(isa, encoding);
  g_string_append_c(out, '{');
  append_text(out, &comma, isa, "since", isa->architectures[encoding->since].name);
  append_text(out, &comma, isa, "until", isa->architectures[encoding->until].name);
  if (encoding->unit != 0xFF)
    append_text(out, &comma, isa, "unit", isa->units[encoding->unit].name);
  append_member(out, &comma, "syntax", syntax);
  append_word(out, &comma, "mask", encoding->mask);
  append_word(out, &comma, "match", encoding->match);
  append_key(out, &comma, "flags");
  g_string_append_c(out, '[');
  for (unsigned flag = 0; flag < isa->flag_count; flag++)
    if (encoding->flags >> flag & 1) {
      g_string_append(out, mark);
      norn_isa_append_json_string(out, norn_isa_string(isa, isa->flags[flag].name));
      mark = ",";
    }
  g_string_append(out, "],\"operands\":[");
  mark = "";
  for (unsigned i = 0; i < encoding->operand_count; i++)
    if (encoding->operands[i].role != NORN_ISA_OPERAND_LITERAL) {
      g_string_append(out, mark);
      append_operand(out, isa, encoding, &encoding->operands[i]);
      mark = ",";
    }
  g_string_append(out, "],\"fields\":[");
  for (unsigned i = 0; i < encoding->field_count; i++) {
    g_string_append(out, i ? "," : "");
    append_field(out, isa, &encoding->fields[i]);
  }
  g_string_append(out, "]}");
}

/* --- Instructions --- */

static void
append_name(GString *out, const NornIsa *isa, int architecture, unsigned index) {
  const NornIsaName *name = &isa->names[index];
  const NornIsaEncoding *last = NULL;
  const char *comma = "", *mark = "";
  g_string_append_c(out, '{');
  append_text(out, &comma, isa, "name", name->text);
  append_text(out, &comma, isa, "title", name->title);
  append_text(out, &comma, isa, "section", name->section);
  if (name->description)
    append_member(out, &comma, "meaning", isa->strings + name->description);
  if (index >= isa->instruction_count) {
    g_autoptr(GString) meaning = g_string_new(NULL);
    norn_isa_append_meaning(meaning, isa, name);
    append_member(out, &comma, "alias_of", meaning->str);
  }
  append_key(out, &comma, "encodings");
  g_string_append_c(out, '[');
  for (unsigned a = name->since; a <= name->until && a < isa->architecture_count; a++) {
    const NornIsaEncoding *encoding = norn_isa_name_encoding(isa, a, index);
    if (!encoding || encoding == last || (architecture >= 0 && (int)a != architecture))
      continue;
    g_string_append(out, mark);
    append_encoding(out, isa, encoding);
    last = encoding;
    mark = ",";
  }
  g_string_append(out, "]}");
}

/* Whether an instruction is called `word`, with its type or without. */
static bool
is_named(const NornIsa *isa, unsigned index, const char *word) {
  const char *name = norn_isa_string(isa, isa->names[index].text);
  size_t length = strcspn(name, ".");
  return norn_isa_is_called(isa, index, word) ||
         (strlen(word) == length && !strncmp(name, word, length));
}

char *
norn_isa_json(const NornIsa *isa, int architecture, const char *word) {
  if (architecture >= 0 && !norn_isa_check_architecture(isa, (unsigned)architecture, NULL))
    return NULL;
  GString *out = g_string_new("[");
  for (unsigned i = 0; i < (unsigned)isa->instruction_count + isa->alias_count; i++) {
    if (!norn_isa_is_encoded(isa, architecture, i) || (word && !is_named(isa, i, word)))
      continue;
    g_string_append(out, out->len > 1 ? ",\n" : "\n");
    append_name(out, isa, architecture, i);
  }
  bool is_empty = out->len == 1;
  g_string_append(out, "\n]\n");
  return g_string_free(out, is_empty);
}
