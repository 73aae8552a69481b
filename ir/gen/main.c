/* Writes the public header norn/build.h: for each row of norn/ops.def a documented inline function
 * that builds one instruction. Usage: norn-build-gen OUTPUT. */
#include "ir/gen/output.h"
#include "ir/ops.h"
#include <ctype.h>
#include <string.h>

#define LINE_WIDTH 96

/* The parameters and body of a function, as C text. */
typedef struct Function {
  NornOp op;
  const NornOpInfo *info;
  GString *parameters; /* parameters after the builder */
  GString *plain;      /* single operands, an initializer */
  GString *settings;   /* statements that fill in the specification */
  unsigned plain_count;
} Function;

static void
add_parameter(Function *function, const char *type, const char *name) {
  bool is_pointer = type[strlen(type) - 1] == '*';
  g_string_append_printf(function->parameters, ", %s%s%s", type, is_pointer ? "" : " ", name);
}

G_GNUC_PRINTF(2, 3)
static void
add_setting(Function *function, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_string_append(function->settings, "  ");
  g_string_append_vprintf(function->settings, format, arguments);
  g_string_append(function->settings, ";\n");
  va_end(arguments);
}

/* The only type of a set, or -1. */
static int
only_type(NornTypeSet set) {
  for (int type = 0; type < NORN_TYPE_COUNT; type++)
    if (set == 1u << type)
      return type;
  return -1;
}

static void
add_type(Function *function, NornTypeSet set, const char *name) {
  static const char *const identifiers[] = {
#define TYPE(id, ...) "NORN_TYPE_" #id,
      NORN_TYPES(TYPE)
#undef TYPE
  };
  int only = only_type(set);
  if (!set)
    return;
  add_setting(function, "spec.%s = %s", name, only >= 0 ? identifiers[only] : name);
  if (only < 0)
    add_parameter(function, "NornType", name);
}

static void
add_modifier(Function *function) {
  const NornModifierInfo *modifier = &norn_modifiers[function->info->modifier];
  if (!modifier->type)
    return;
  add_parameter(function, modifier->type, "modifier");
  add_setting(function, "spec.modifier = (unsigned)modifier");
}

/* Any number of operands after the single ones. */
static void
add_list(Function *function) {
  add_parameter(function, "unsigned", "list_count");
  add_parameter(function, "const NornRef *", "list");
  add_setting(function, "spec.list = list");
  add_setting(function, "spec.list_count = list_count");
}

/* The type of the parameter for the letter at the cursor. */
static const char *
parameter_type(const NornSignatureCursor *cursor) {
  switch (*cursor->letter) {
#define LETTER(letter, kind, type, parameter, ...)                                                 \
  case letter:                                                                                     \
    return parameter;
    NORN_LETTERS(LETTER)
#undef LETTER
  default:
    return "void";
  }
}

static void
add_branches(Function *function, NornSignatureCursor cursor, char name) {
  GString *initializer = g_string_new(NULL);
  unsigned count = 0;
  for (; norn_cursor_kind(&cursor) == NORN_LETTER_BLOCK; count++, name++) {
    char text[] = {name, 0};
    add_parameter(function, parameter_type(&cursor), text);
    norn_cursor_next(&cursor);
    g_string_append_printf(initializer, "%s%c", count ? ", " : "", name);
  }
  add_setting(function, "const NornBranch branches[] = {%s}", initializer->str);
  add_setting(function, "spec.branches = branches");
  add_setting(function, "spec.branch_count = %u", count);
  if (norn_cursor_kind(&cursor) == NORN_LETTER_CASE) {
    add_parameter(function, "unsigned", "case_count");
    add_parameter(function, parameter_type(&cursor), "cases");
    add_setting(function, "spec.cases = cases");
    add_setting(function, "spec.case_count = case_count");
  }
  g_string_free(initializer, TRUE);
}

/* An optional operand that is omitted is passed as zero. */
static void
add_operands(Function *function) {
  char name = 'a';
  NornSignatureCursor cursor = norn_operand_cursor(function->op, NORN_TYPE_VOID, NORN_TYPE_VOID);
  for (; norn_cursor_kind(&cursor) != NORN_LETTER_END; norn_cursor_next(&cursor), name++) {
    char text[] = {name, 0};
    NornLetterKind kind = norn_cursor_kind(&cursor);
    if (kind == NORN_LETTER_BLOCK) {
      add_branches(function, cursor, name);
      return;
    }
    if (kind == NORN_LETTER_FUNCTION) {
      add_parameter(function, parameter_type(&cursor), "callee");
      add_setting(function, "spec.callee = callee");
    }
    if (kind == NORN_LETTER_FUNCTION || norn_cursor_is_repeated(&cursor)) {
      add_list(function);
      return;
    }
    add_parameter(function, parameter_type(&cursor), text);
    g_string_append_printf(
        function->plain, kind == NORN_LETTER_IMMEDIATE ? "%snorn_build_bits(builder, %s)" : "%s%s",
        function->plain_count ? ", " : "", text);
    function->plain_count++;
  }
}

static void
add_immediates(Function *function) {
  for (unsigned i = 0; i < NORN_IMMEDIATE_COUNT; i++) {
    const NornImmediateInfo *immediate = &norn_immediates[i];
    if (!(function->info->flags & immediate->flag))
      continue;
    const char *type = immediate->is_signed ? "int64_t" : "unsigned";
    if (immediate->modifier)
      type = norn_modifiers[immediate->modifier].type;
    else if (immediate->width == 1)
      type = "bool";
    add_parameter(function, type, immediate->name);
    add_setting(function, "spec.immediates[%u] = %s%s", i, immediate->modifier ? "(int64_t)" : "",
                immediate->name);
  }
}

/* Appends text to a comment, with line breaks. */
static void
put_wrapped(FILE *out, const char *text, unsigned *column) {
  while (*text) {
    size_t word = strcspn(text, " ");
    if (*column + word + 1 > LINE_WIDTH) {
      fputs("\n *", out);
      *column = 2;
    }
    fprintf(out, " %.*s", (int)word, text);
    *column += (unsigned)word + 1;
    text += word;
    text += strspn(text, " ");
  }
}

static void
put_types(FILE *out, const char *what, NornTypeSet set, unsigned *column) {
  if (only_type(set) >= 0 || !set)
    return;
  put_wrapped(out, what, column);
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++)
    if (norn_type_in(set, (NornType)type))
      put_wrapped(out, norn_types[type].name, column);
}

static void
put_comment(FILE *out, const NornOpInfo *info) {
  unsigned column = 2;
  fputs("/*", out);
  char *first = g_strdup_printf("%s: %s.", info->name, info->meaning);
  put_wrapped(out, first, &column);
  g_free(first);
  put_types(out, "Types:", info->types, &column);
  put_types(out, "Source types:", info->source_types, &column);
  fputs(" */\n", out);
}

/* The end of a function: builds the instruction and returns the results of the row. */
static void
put_result(FILE *out, NornArity results) {
  if (results.is_repeated)
    fputs("  spec.results = results;\n  spec.result_count = result_count;\n"
          "  norn_build(builder, &spec);\n",
          out);
  else if (results.fixed > 1)
    fputs("  spec.results = results;\n  norn_build(builder, &spec);\n", out);
  else if (results.fixed || results.is_optional)
    fputs("  return norn_build(builder, &spec);\n", out);
  else
    fputs("  norn_build(builder, &spec);\n", out);
}

static void
put_function(FILE *out, const char *identifier, NornOp op) {
  const NornOpInfo *info = &norn_ops[op];
  Function function = {op, info, g_string_new(NULL), g_string_new(NULL), g_string_new(NULL), 0};
  add_modifier(&function);
  add_type(&function, info->types, "type");
  add_type(&function, info->source_types, "source_type");
  add_operands(&function);
  add_immediates(&function);
  NornArity arity = norn_result_arity(op);
  bool has_one_result = !arity.is_repeated && arity.fixed + arity.is_optional == 1;
  if (arity.is_repeated) {
    add_parameter(&function, "unsigned", "result_count");
    add_parameter(&function, "NornRef *", "results");
  } else if (arity.fixed > 1) {
    char *results = g_strdup_printf("results[%u]", arity.fixed);
    add_parameter(&function, "NornRef", results);
    g_free(results);
  }
  char *name = g_strdelimit(g_strdup(info->name), ".", '_');
  put_comment(out, info);
  fprintf(out, "static inline %s\nnorn_build_%s(NornBuilder *builder%s) {\n",
          has_one_result ? "NornRef" : "void", name, function.parameters->str);
  fprintf(out, "  NornInstSpec spec = norn_inst_spec(%s);\n", identifier);
  if (function.plain_count) {
    fprintf(out, "  const NornRef operands[] = {%s};\n", function.plain->str);
    add_setting(&function, "spec.operands = operands");
    add_setting(&function, "spec.operand_count = %u", function.plain_count);
  }
  fputs(function.settings->str, out);
  put_result(out, arity);
  fputs("}\n\n", out);
  g_free(name);
  g_string_free(function.parameters, TRUE);
  g_string_free(function.plain, TRUE);
  g_string_free(function.settings, TRUE);
}

int
main(int argc, char **argv) {
  static const char *const identifiers[] = {
      "NORN_OP_NONE",
#define OP(id, ...) "NORN_OP_" #id,
#include <norn/ops.def>
#undef OP
  };
  if (!generator_takes(argc, argv, 1, "norn-build-gen OUTPUT"))
    return GENERATOR_USAGE;
  FILE *out = generator_open(argv[1]);
  fputs("/* A function for each operation, made from norn/ops.def. Each appends an instruction to "
        "the\n"
        " * builder's block. Operands are called a, b, c in the order of the text; list and "
        "list_count\n"
        " * are any number of operands after them, results an array that takes the results where\n"
        " * there can be several. */\n"
        "#ifndef NORN_BUILD_H\n#define NORN_BUILD_H\n\n#include <norn/builder.h>\n\n"
        "G_BEGIN_DECLS\n\n",
        out);
  for (unsigned op = 1; op < NORN_OP_COUNT; op++)
    put_function(out, identifiers[op], op);
  fputs("G_END_DECLS\n\n#endif\n", out);
  return generator_close(out, argv[1]);
}
