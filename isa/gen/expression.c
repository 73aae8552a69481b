/* Compiles the expressions of a description to postfix code (recursive descent, one level of C
 * precedence after the other). */
#include "isa/gen/gen.h"
#include <string.h>

typedef struct {
  Generator *gen;
  const xmlNode *node;
  const char *text, *at;
  GenLookup lookup;
  void *data;
  GArray *code; /* uint32_t */
  unsigned depth, nesting;
} Compiler;

/* Binary operators, tightest first. */
static const struct {
  const char *text;
  unsigned level;
  NornIsaExpressionOperation operation;
} operators[] = {
    {"*", 0, NORN_ISA_EXPRESSION_MULTIPLY},
    {"/", 0, NORN_ISA_EXPRESSION_DIVIDE},
    {"%", 0, NORN_ISA_EXPRESSION_REMAINDER},
    {"+", 1, NORN_ISA_EXPRESSION_ADD},
    {"-", 1, NORN_ISA_EXPRESSION_SUBTRACT},
    {"<<", 2, NORN_ISA_EXPRESSION_SHIFT_LEFT},
    {">>", 2, NORN_ISA_EXPRESSION_SHIFT_RIGHT},
    {"<=", 3, NORN_ISA_EXPRESSION_LESS_EQUAL},
    {">=", 3, NORN_ISA_EXPRESSION_GREATER_EQUAL},
    {"<", 3, NORN_ISA_EXPRESSION_LESS},
    {">", 3, NORN_ISA_EXPRESSION_GREATER},
    {"==", 4, NORN_ISA_EXPRESSION_EQUAL},
    {"!=", 4, NORN_ISA_EXPRESSION_UNEQUAL},
    {"&", 5, NORN_ISA_EXPRESSION_AND},
    {"|", 6, NORN_ISA_EXPRESSION_OR},
    {"&&", 7, NORN_ISA_EXPRESSION_LOGICAL_AND},
    {"||", 8, NORN_ISA_EXPRESSION_LOGICAL_OR},
};
enum { LEVELS = 9 };

static void conditional(Compiler *compiler);

static void
emit(Compiler *compiler, NornIsaExpressionOperation operation, uint32_t argument, int growth) {
  uint32_t word = (uint32_t)operation | argument << 8;
  g_array_append_val(compiler->code, word);
  compiler->depth += (unsigned)growth;
  if (compiler->depth > NORN_ISA_EXPRESSION_STACK)
    gen_fail(compiler->gen, compiler->node, "'%s' is nested too deeply", compiler->text);
}

static void
constant(Compiler *compiler, int64_t value) {
  uint32_t word = (uint32_t)value;
  if (value != (int32_t)word)
    gen_fail(compiler->gen, compiler->node, "%" G_GINT64_FORMAT " is out of range", value);
  emit(compiler, NORN_ISA_EXPRESSION_CONSTANT, 0, 1);
  g_array_append_val(compiler->code, word);
}

static bool
accept(Compiler *compiler, const char *token) {
  while (*compiler->at == ' ')
    compiler->at++;
  size_t length = strlen(token);
  if (strncmp(compiler->at, token, length) != 0)
    return false;
  compiler->at += length;
  return true;
}

static void
expect(Compiler *compiler, const char *token) {
  if (!accept(compiler, token))
    gen_fail(compiler->gen, compiler->node, "'%s': expected '%s', found '%s'", compiler->text,
             token, compiler->at);
}

static char *
identifier(Compiler *compiler) {
  const char *start = compiler->at;
  while (g_ascii_isalnum(*compiler->at) || *compiler->at == '_')
    compiler->at++;
  return g_strndup(start, (size_t)(compiler->at - start));
}

static void
reference(Compiler *compiler, const char *name, bool raw) {
  uint32_t index = 0;
  int64_t value = 0;
  if (compiler->lookup(compiler->data, name, raw, &index, &value))
    emit(compiler, raw ? NORN_ISA_EXPRESSION_CODE : NORN_ISA_EXPRESSION_AMOUNT, index, 1);
  else
    constant(compiler, value);
}

static void
name(Compiler *compiler) {
  char *word = identifier(compiler);
  if (strcmp(word, "code") == 0 && accept(compiler, "(")) {
    g_free(word);
    accept(compiler, "");
    word = identifier(compiler);
    expect(compiler, ")");
    reference(compiler, word, true);
  } else {
    reference(compiler, word, false);
  }
  g_free(word);
}

static void
primary(Compiler *compiler) {
  if (++compiler->nesting > 64)
    gen_fail(compiler->gen, compiler->node, "'%s' is nested too deeply", compiler->text);
  if (accept(compiler, "(")) {
    conditional(compiler);
    expect(compiler, ")");
  } else if (accept(compiler, "!")) {
    primary(compiler);
    emit(compiler, NORN_ISA_EXPRESSION_NOT, 0, 0);
  } else if (accept(compiler, "-")) {
    primary(compiler);
    emit(compiler, NORN_ISA_EXPRESSION_NEGATE, 0, 0);
  } else if (g_ascii_isdigit(*compiler->at)) {
    char *end;
    constant(compiler, g_ascii_strtoll(compiler->at, &end, 0));
    compiler->at = end;
  } else if (g_ascii_isalpha(*compiler->at) || *compiler->at == '_') {
    name(compiler);
  } else {
    gen_fail(compiler->gen, compiler->node, "'%s': expected a value, found '%s'", compiler->text,
             compiler->at);
  }
  compiler->nesting--;
}

static int
find_operator(Compiler *compiler, unsigned level) {
  accept(compiler, "");
  for (unsigned i = 0; i < G_N_ELEMENTS(operators); i++) {
    const char *text = operators[i].text;
    size_t length = strlen(text);
    if (operators[i].level != level || strncmp(compiler->at, text, length) != 0)
      continue;
    /* A single character must not be the first of a doubled one. */
    if (length == 1 && strchr("<>&|", *text) && compiler->at[1] == *text)
      continue;
    return (int)i;
  }
  return -1;
}

static void
binary(Compiler *compiler, unsigned level) {
  if (level == 0)
    primary(compiler);
  else
    binary(compiler, level - 1);
  for (int found; (found = find_operator(compiler, level)) >= 0;) {
    compiler->at += strlen(operators[found].text);
    if (level == 0)
      primary(compiler);
    else
      binary(compiler, level - 1);
    emit(compiler, operators[found].operation, 0, -1);
  }
}

static void
conditional(Compiler *compiler) {
  binary(compiler, LEVELS - 1);
  if (!accept(compiler, "?"))
    return;
  conditional(compiler);
  expect(compiler, ":");
  conditional(compiler);
  emit(compiler, NORN_ISA_EXPRESSION_SELECT, 0, -2);
}

uint32_t
gen_expression(Generator *gen, const xmlNode *node, const char *text, GenLookup lookup,
               void *data) {
  Compiler compiler = {gen, node, text, text, lookup, data, NULL, 0, 0};
  compiler.code = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  conditional(&compiler);
  accept(&compiler, "");
  if (*compiler.at)
    gen_fail(gen, node, "'%s': unexpected '%s'", text, compiler.at);
  emit(&compiler, NORN_ISA_EXPRESSION_END, 0, 0);
  uint32_t index = gen_pool_add(&gen->expressions, compiler.code->data, compiler.code->len);
  g_array_unref(compiler.code);
  return index;
}
