/* Prints the header of numbers: enumerations of everything that the description names. */
#include "isa/gen/gen.h"

/* Names in C */

static void
append_identifier(GString *out, const char *name) {
  for (; *name; name++)
    g_string_append_c(out, g_ascii_isalnum(*name) ? g_ascii_toupper(*name) : '_');
}

static void
append_constant(const Generator *gen, GString *out, const char *middle, const char *name,
                int64_t value) {
  g_string_append(out, "  NORN_");
  append_identifier(out, gen->name);
  g_string_append_printf(out, "_%s", middle);
  append_identifier(out, name);
  g_string_append_printf(out, " = %" G_GINT64_FORMAT ",\n", value);
}

static char *
camel(const char *name) {
  GString *out = g_string_new(NULL);
  bool upper = true;
  for (; *name; name++) {
    if (*name == '_')
      upper = true;
    else
      g_string_append_c(out, upper ? g_ascii_toupper(*name) : *name);
    if (*name != '_')
      upper = false;
  }
  return g_string_free(out, FALSE);
}

static void
close_enum(const Generator *gen, GString *out, const char *what) {
  char *isa = camel(gen->name), *type = camel(what);
  g_string_append_printf(out, "} Norn%s%s;\n\n", isa, type);
  g_free(isa);
  g_free(type);
}

/* The header */

static void
emit_labels(Generator *gen, GString *out, GPtrArray *nodes, const char *middle, const char *what,
            bool bits) {
  if (!nodes->len)
    return;
  g_string_append(out, "typedef enum {\n");
  for (unsigned i = 0; i < nodes->len; i++)
    append_constant(gen, out, middle, gen_attribute(nodes->pdata[i], "name"),
                    bits ? INT64_C(1) << i : i);
  close_enum(gen, out, what);
}

static void
emit_instruction_enum(Generator *gen, GString *out) {
  g_string_append(out, "/* Instructions. */\ntypedef enum {\n");
  for (unsigned i = 0; i < gen->instruction_count; i++)
    append_constant(gen, out, "", gen_string(gen, g_array_index(gen->names, NornIsaName, i).text),
                    i);
  append_constant(gen, out, "", "INSTRUCTION_COUNT", gen->instruction_count);
  close_enum(gen, out, "instruction");
}

static void
emit_field_enum(Generator *gen, GString *out) {
  g_string_append(out, "/* Fields. */\ntypedef enum {\n");
  for (unsigned i = 0; i < gen->field_names->len; i++)
    append_constant(gen, out, "FIELD_", gen->field_names->pdata[i], i);
  append_constant(gen, out, "", "FIELD_COUNT", gen->field_names->len);
  close_enum(gen, out, "field");
}

static void
emit_enum_numbers(Generator *gen, GString *out) {
  g_string_append(out, "/* Enumerations of the values of fields. */\ntypedef enum {\n");
  for (unsigned i = 0; i < gen->enums->len; i++)
    append_constant(gen, out, "ENUM_",
                    gen_string(gen, g_array_index(gen->enums, NornIsaEnum, i).name), i);
  close_enum(gen, out, "enumeration");
}

/* Whether an earlier value has the same name, but another code on other architectures; such values
 * get a suffix. */
static bool
is_repeated(Generator *gen, const NornIsaEnum *entry, unsigned index) {
  const NornIsaEnumValue *value = &g_array_index(gen->enum_values, NornIsaEnumValue, index);
  for (unsigned i = entry->first; i < index; i++) {
    if (g_array_index(gen->enum_values, NornIsaEnumValue, i).name == value->name)
      return true;
  }
  return false;
}

static void
emit_value_enum(Generator *gen, GString *out, unsigned number) {
  const NornIsaEnum *entry = &g_array_index(gen->enums, NornIsaEnum, number);
  GString *middle = g_string_new(NULL);
  append_identifier(middle, gen_string(gen, entry->name));
  g_string_append_c(middle, '_');
  g_string_append(out, "typedef enum {\n");
  for (unsigned i = entry->first; i < entry->first + entry->count; i++) {
    const NornIsaEnumValue *value = &g_array_index(gen->enum_values, NornIsaEnumValue, i);
    char *name = is_repeated(gen, entry, i)
                     ? g_strdup_printf("%s_since_%u", gen_string(gen, value->name), value->since)
                     : g_strdup(gen_string(gen, value->name));
    append_constant(gen, out, middle->str, name, value->code);
    g_free(name);
  }
  g_string_free(middle, TRUE);
  close_enum(gen, out, gen_string(gen, entry->name));
}

/* Prints the codes of special values in tables with several banks, with the bank above the code. */
static void
emit_special_enum(Generator *gen, GString *out) {
  GString *rows = g_string_new(NULL);
  for (const xmlNode *codes = gen->root->children; codes; codes = codes->next) {
    bool is_banked = gen_is(codes, "codes") && gen_attribute(codes, "bank");
    int64_t width = is_banked ? gen_number_attribute(gen, codes, "width", 0) : 0;
    for (const xmlNode *node = width ? codes->children : NULL; node; node = node->next)
      if (gen_is(node, "name") && g_strcmp0(gen_attribute(node, "kind"), "special") == 0)
        append_constant(gen, rows, "SPECIAL_", gen_attribute(node, "text"),
                        gen_number_attribute(gen, node, "bank", 0) << width |
                            gen_number_attribute(gen, node, "code", 0));
  }
  if (rows->len) {
    g_string_append_printf(out, "/* Special values as sources. */\ntypedef enum {\n%s", rows->str);
    close_enum(gen, out, "special");
  }
  g_string_free(rows, TRUE);
}

void
gen_emit_header(Generator *gen, GString *out) {
  GString *guard = g_string_new("NORN_");
  append_identifier(guard, gen->name);
  g_string_append(guard, "_H");
  g_string_append_printf(out,
                         "/* Numbers of the instruction set %s, made from its description.\n"
                         " * See norn/isa.h for what to do with them. */\n"
                         "#ifndef %s\n#define %s\n\n#include <norn/isa.h>\n\n",
                         gen_attribute(gen->root, "title"), guard->str, guard->str);
  g_string_append(out, "/* Architectures. */\n");
  emit_labels(gen, out, gen->architectures, "ARCHITECTURE_", "architecture", false);
  emit_labels(gen, out, gen->units, "UNIT_", "unit", false);
  emit_labels(gen, out, gen->flags, "FLAG_", "flag", true);
  emit_instruction_enum(gen, out);
  emit_field_enum(gen, out);
  emit_enum_numbers(gen, out);
  emit_special_enum(gen, out);
  g_string_append(out, "/* Values of fields. */\n");
  for (unsigned i = 0; i < gen->enums->len; i++)
    emit_value_enum(gen, out, i);
  g_string_append_printf(out, "/* The tables. */\nextern const NornIsa norn_isa_%s;\n\n#endif\n",
                         gen->name);
  g_string_free(guard, TRUE);
}
