/* Generates tables from SPIR-V's machine-readable grammar: instructions with their operands, the
 * kinds of operands, enumerants with their names and parameters.
 *
 * Usage: norn-spirv-gen CORE.grammar.json GLSL.grammar.json OUTPUT. The tables are those declared
 * in spirv/grammar.h; an operand is two bytes: kind and quantifier. */
#include "ir/gen/output.h"
#include <json-glib/json-glib.h>
#include <string.h>

/* The NornSpirvClass for each kind in the grammar; for enumerations the category alone determines
 * it. */
static const struct {
  const char *kind, *class;
} classes[] = {
    {"IdResultType", "RESULT_TYPE"},
    {"IdResult", "RESULT"},
    {"LiteralString", "STRING"},
    {"LiteralContextDependentNumber", "NUMBER"},
    {"LiteralSpecConstantOpInteger", "SPEC_OP"},
    {"PairLiteralIntegerIdRef", "LITERAL_AND_ID"},
    {"PairIdRefLiteralInteger", "ID_AND_LITERAL"},
    {"PairIdRefIdRef", "TWO_IDS"},
};

typedef struct Grammar {
  FILE *out;
  JsonArray *kinds;
  GString *operands; /* the initializer of the pool */
  unsigned operand_count;
  GString *enumerants;
  unsigned enumerant_count;
} Grammar;

static const char *
class_of(JsonObject *kind) {
  const char *name = json_object_get_string_member(kind, "kind");
  const char *category = json_object_get_string_member(kind, "category");
  for (unsigned i = 0; i < G_N_ELEMENTS(classes); i++)
    if (!strcmp(classes[i].kind, name))
      return classes[i].class;
  return !strcmp(category, "BitEnum")     ? "MASK"
         : !strcmp(category, "ValueEnum") ? "VALUE"
         : !strcmp(category, "Id")        ? "ID"
                                          : "LITERAL";
}

static unsigned
kind_number(const Grammar *grammar, const char *name) {
  for (guint i = 0; i < json_array_get_length(grammar->kinds); i++)
    if (!strcmp(
            json_object_get_string_member(json_array_get_object_element(grammar->kinds, i), "kind"),
            name))
      return i;
  fprintf(stderr, "norn-spirv-gen: unknown kind of operand '%.64s'\n", name);
  exit(EXIT_FAILURE);
}

/* Appends the operands listed in a member to the pool; returns their number. */
static unsigned
add_operands(Grammar *grammar, JsonObject *object, const char *member) {
  JsonArray *list =
      json_object_has_member(object, member) ? json_object_get_array_member(object, member) : NULL;
  unsigned count = list ? json_array_get_length(list) : 0;
  for (unsigned i = 0; i < count; i++) {
    JsonObject *operand = json_array_get_object_element(list, i);
    const char *quantifier = json_object_get_string_member_with_default(operand, "quantifier", "1");
    g_string_append_printf(grammar->operands, "{%u, '%c'}, ",
                           kind_number(grammar, json_object_get_string_member(operand, "kind")),
                           *quantifier);
  }
  grammar->operand_count += count;
  return count;
}

/* Writes the positions of the result type and the result among the words, and the minimum number of
 * words, which does not include operands after an optional one. */
static void
put_shape(Grammar *grammar, JsonObject *instruction) {
  JsonArray *list = json_object_has_member(instruction, "operands")
                        ? json_object_get_array_member(instruction, "operands")
                        : NULL;
  unsigned type = 0, result = 0, min_words = 1;
  for (guint i = 0; list && i < json_array_get_length(list); i++) {
    JsonObject *operand = json_array_get_object_element(list, i);
    unsigned number = kind_number(grammar, json_object_get_string_member(operand, "kind"));
    const char *class = class_of(json_array_get_object_element(grammar->kinds, number));
    if (json_object_has_member(operand, "quantifier"))
      break;
    type = strcmp(class, "RESULT_TYPE") ? type : min_words;
    result = strcmp(class, "RESULT") ? result : min_words;
    bool has_two = !strcmp(class, "LITERAL_AND_ID") || !strcmp(class, "ID_AND_LITERAL") ||
                   !strcmp(class, "TWO_IDS");
    min_words += 1 + has_two;
  }
  fprintf(grammar->out, "{%u, %u, %u}", type, result, min_words);
}

/* Writes the row of each opcode. */
static void
put_rows(Grammar *grammar, JsonObject *root) {
  JsonArray *list = json_object_get_array_member(root, "instructions");
  gint64 previous = -1;
  unsigned row = 0;
  fputs("const uint16_t norn_spirv_instruction_rows[] = {\n", grammar->out);
  for (guint i = 0; i < json_array_get_length(list); i++) {
    gint64 opcode = json_object_get_int_member(json_array_get_object_element(list, i), "opcode");
    if (opcode != previous)
      fprintf(grammar->out, "  [%u] = %u,\n", (unsigned)opcode, ++row);
    previous = opcode;
  }
  fputs("};\nconst unsigned norn_spirv_instruction_rows_count = "
        "G_N_ELEMENTS(norn_spirv_instruction_rows);\n",
        grammar->out);
}

static void
put_instructions(Grammar *grammar, JsonObject *root, const char *table) {
  JsonArray *list = json_object_get_array_member(root, "instructions");
  gint64 previous = -1;
  fprintf(grammar->out, "const NornSpirvInstruction norn_spirv_%s[] = {\n", table);
  for (guint i = 0; i < json_array_get_length(list); i++) {
    JsonObject *instruction = json_array_get_object_element(list, i);
    gint64 opcode = json_object_get_int_member(instruction, "opcode");
    unsigned first = grammar->operand_count;
    if (opcode == previous)
      continue; /* an alias of the same one */
    if (opcode < previous) {
      fprintf(stderr, "norn-spirv-gen: the %s are not in order\n", table);
      exit(EXIT_FAILURE);
    }
    previous = opcode;
    unsigned count = add_operands(grammar, instruction, "operands");
    fprintf(grammar->out, "  {\"%s\", %u, %u, %u, ",
            json_object_get_string_member(instruction, "opname"), (unsigned)opcode, first, count);
    put_shape(grammar, instruction);
    fputs("},\n", grammar->out);
  }
  fputs("};\n", grammar->out);
}

static guint64
enumerant_value(JsonObject *enumerant) {
  JsonNode *value = json_object_get_member(enumerant, "value");
  return json_node_get_value_type(value) == G_TYPE_STRING
             ? g_ascii_strtoull(json_node_get_string(value), NULL, 0)
             : (guint64)json_node_get_int(value);
}

static unsigned
add_enumerants(Grammar *grammar, JsonObject *kind) {
  if (!json_object_has_member(kind, "enumerants"))
    return 0;
  JsonArray *list = json_object_get_array_member(kind, "enumerants");
  for (guint i = 0; i < json_array_get_length(list); i++) {
    JsonObject *enumerant = json_array_get_object_element(list, i);
    unsigned first = grammar->operand_count;
    unsigned count = add_operands(grammar, enumerant, "parameters");
    g_string_append_printf(grammar->enumerants, "  {\"%s\", 0x%" G_GINT64_MODIFIER "x, %u, %u},\n",
                           json_object_get_string_member(enumerant, "enumerant"),
                           enumerant_value(enumerant), first, count);
  }
  grammar->enumerant_count += json_array_get_length(list);
  return json_array_get_length(list);
}

static void
put_kinds(Grammar *grammar) {
  fputs("const NornSpirvKind norn_spirv_kinds[] = {\n", grammar->out);
  for (guint i = 0; i < json_array_get_length(grammar->kinds); i++) {
    JsonObject *kind = json_array_get_object_element(grammar->kinds, i);
    unsigned first = grammar->enumerant_count;
    unsigned count = add_enumerants(grammar, kind);
    fprintf(grammar->out, "  {\"%s\", NORN_SPIRV_%s, %u, %u},\n",
            json_object_get_string_member(kind, "kind"), class_of(kind), first, count);
  }
  fputs("};\nconst unsigned norn_spirv_kind_count = G_N_ELEMENTS(norn_spirv_kinds);\n",
        grammar->out);
}

/* Exits the process if the grammar at that path has no list of that name. */
static void
require_list(JsonObject *grammar, const char *path, const char *name) {
  JsonNode *list = grammar ? json_object_get_member(grammar, name) : NULL;
  if (list && JSON_NODE_HOLDS_ARRAY(list))
    return;
  fprintf(stderr,
          "norn-spirv-gen: %s: expected an object with a list '%s', a grammar of SPIRV-Headers\n",
          path, name);
  exit(EXIT_FAILURE);
}

static JsonObject *
load(JsonParser *parser, const char *path) {
  GError *error = NULL;
  if (!json_parser_load_from_file(parser, path, &error)) {
    fprintf(stderr, "norn-spirv-gen: %s\n", error->message);
    exit(EXIT_FAILURE);
  }
  JsonNode *root = json_parser_get_root(parser);
  JsonObject *grammar = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  require_list(grammar, path, "instructions");
  return grammar;
}

int
main(int argc, char **argv) {
  if (!generator_takes(argc, argv, 3, "norn-spirv-gen CORE.grammar.json GLSL.grammar.json OUTPUT"))
    return GENERATOR_USAGE;
  JsonParser *core_parser = json_parser_new(), *glsl_parser = json_parser_new();
  JsonObject *core = load(core_parser, argv[1]), *glsl = load(glsl_parser, argv[2]);
  require_list(core, argv[1], "operand_kinds");
  Grammar grammar = {generator_open(argv[3]), json_object_get_array_member(core, "operand_kinds"),
                     g_string_new(NULL),      0,
                     g_string_new(NULL),      0};
  fputs("#include \"spirv/grammar.h\"\n\n", grammar.out);
  put_instructions(&grammar, core, "instructions");
  put_rows(&grammar, core);
  put_instructions(&grammar, glsl, "glsl_instructions");
  fputs("const unsigned norn_spirv_glsl_instructions_count = "
        "G_N_ELEMENTS(norn_spirv_glsl_instructions);\n",
        grammar.out);
  put_kinds(&grammar);
  fprintf(grammar.out, "const NornSpirvEnumerant norn_spirv_enumerants[] = {\n%s};\n",
          grammar.enumerants->str);
  fprintf(grammar.out, "const NornSpirvOperand norn_spirv_operands[] = {%s};\n",
          grammar.operands->str);
  g_string_free(grammar.enumerants, TRUE);
  g_string_free(grammar.operands, TRUE);
  g_object_unref(core_parser);
  g_object_unref(glsl_parser);
  return generator_close(grammar.out, argv[3]);
}
