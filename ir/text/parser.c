/* Text to IR, in one pass over the buffer.
 *
 *   module      = ["target" NAME ARCHITECTURE] shader {function}
 *   shader      = "shader" stage "@"NAME {attribute} "{"
 *                 {"fau" declarations | "data" TYPE constants} {block} "}"
 *   function    = "function" "@"NAME "(" parameters ")" "->" TYPE "{" {block} "}"
 *   block       = NAME ["(" parameters ")"] ":" {instruction}
 *   instruction = [results "="] MNEMONIC {flag} [operands]
 *
 * Lines are significant inside a body; a fault costs only its line, and parsing continues with the
 * next one. Names become numbers when they are first seen, and names[number] says which value and
 * block the name means in the current function. Uses before definitions are recorded and resolved
 * at the end: values and blocks at the end of the function, calls at the end of the module.
 * Arguments may be parsed before the types of their parameters are known, so constant arguments are
 * resolved at the end as well. Nothing is recursive, and every list has a limit. */
#include "ir/text/parser.h"
#include <norn/builder.h>
#include <string.h>

/* Maximum length of a text, so that no index can overflow its bits. */
#define TEXT_LIMIT (512u << 20)
/* How much of a text is sampled to estimate its number of lines, and the assumed minimum average
 * length of a line. */
#define SAMPLE_BYTES 65536
#define SHORT_LINE 24

/* Makes the block of a label the current one; false if it is already defined. */
static bool
open_block(NornParser *p, uint32_t name, NornLocation location) {
  NornFunction *function = p->function;
  if (p->entry_is_open) {
    p->entry_is_open = false;
    norn_block(function, 0)->name = name;
    p->names[name].block = 1;
  }
  p->block = norn_parse_mention_block(p, name, location);
  if (!norn_block(function, p->block)->line) {
    norn_block(function, p->block)->line = location.line;
    norn_block_append(function, p->block);
    return true;
  }
  NORN_PARSE_FAULT(p, location, "the block %s is defined twice, first on line %u",
                   norn_string(p->module, name), norn_block(function, p->block)->line);
  p->block = norn_block_create_detached(function, 0);
  return false;
}

/* The rest of "name:" or "name(parameters):" after the name; `location` is that of the name. */
static bool
parse_label(NornParser *p, uint32_t name, NornLocation location) {
  bool is_function_entry = p->entry_is_open;
  if (!open_block(p, name, location))
    return false;
  if (norn_peek(&p->lexer) == '(') {
    p->lexer.at++;
    if (is_function_entry) {
      NORN_PARSE_FAULT(
          p, location,
          "the first block of a function takes its parameters from the function's head");
      return false;
    }
    if (!norn_parse_parameters(p, p->block))
      return false;
  }
  return norn_parse_expect(p, ':') && norn_parse_end_of_line(p);
}

/* Whether the word at the cursor is a label. */
static bool
at_label(const NornParser *p) {
  NornLexer lexer = p->lexer;
  norn_take(&lexer, NORN_CHAR_WORD);
  char next = norn_peek(&lexer);
  return next == '(' || next == ':';
}

/* One line of a body. */
static bool
parse_line(NornParser *p) {
  if (norn_peek(&p->lexer) == '%')
    return norn_parse_instruction(p);
  if (!norn_peek_class(&p->lexer, NORN_CHAR_WORD))
    return norn_parse_expected(p, "an instruction or a label");
  if (!at_label(p))
    return norn_parse_instruction(p);
  NornLocation location = norn_parse_here(p);
  return parse_label(p, norn_parse_name(p), location);
}

/* Resolves values that were used before their definition. */
static void
resolve_forward_uses(NornParser *p) {
  for (uint32_t i = 0; i < p->forward_count; i++) {
    const NornForwardUse *use = &p->forward[i];
    uint32_t value = p->names[use->name].value;
    if (!value) {
      NORN_PARSE_FAULT(p, use->location, "%%%s is not defined", norn_string(p->module, use->name));
      continue;
    }
    norn_parse_check_use_register(p, value - 1, use->reg, use->location);
    norn_operands(p->function, norn_inst(p->function, use->inst))[use->operand] |= value - 1;
  }
  p->forward_count = 0;
}

static void
check_blocks_defined(NornParser *p) {
  for (uint32_t block = 0; block < p->function->block_count; block++) {
    const NornBlock *target = norn_block(p->function, block);
    if (!target->line && target->name)
      NORN_PARSE_FAULT(p, p->block_uses[block], "the block %s is not defined",
                       norn_string(p->module, target->name));
  }
}

static NornRef *
pending_operand(const NornParser *p, const NornPendingUse *pending) {
  const NornFunction *function = p->module->functions[pending->function];
  return norn_operands(function, norn_inst(function, pending->inst)) + pending->operand;
}

/* Sets the bits of a pending argument, now that its parameter's type is known. */
static void
resolve_argument(NornParser *p, const NornPendingUse *pending, const NornFunction *target,
                 uint32_t block) {
  unsigned count = norn_block(target, block)->parameter_count;
  if (pending->index >= count) {
    NORN_PARSE_FAULT(p, pending->location, "argument %u for %s, which takes %u", pending->index + 1,
                     norn_string(p->module, block ? norn_block(target, block)->name : target->name),
                     count);
    return;
  }
  NornType type = norn_value(target, norn_block_parameter(target, block, pending->index))->type;
  uint64_t bits;
  if (pending->declared != NORN_TYPE_VOID)
    norn_parse_check_uniform_type(p, pending->declared, type, pending->location);
  else if (norn_parse_literal_bits(p, pending->text, type, pending->location, &bits))
    *pending_operand(p, pending) = norn_constant(p->module, bits);
}

static void
resolve_arguments(NornParser *p) {
  for (uint32_t i = 0; i < p->argument_count; i++)
    resolve_argument(p, &p->arguments[i], p->function, p->arguments[i].target);
  p->argument_count = 0;
}

/* Forgets the names of the last function, in time proportional to its size. */
static void
forget_names(NornParser *p) {
  for (uint32_t value = 0; value < p->function->value_count; value++)
    p->names[norn_value(p->function, value)->name].value = 0;
  for (uint32_t block = 0; block < p->function->block_count; block++)
    p->names[norn_block(p->function, block)->name].block = 0;
}

/* Parses everything up to the closing brace. */
static bool
parse_body(NornParser *p) {
  for (;;) {
    norn_skip_lines(&p->lexer);
    if (norn_diagnostics_full(&p->diagnostics))
      return false;
    if (p->lexer.at == p->lexer.end)
      return norn_parse_expected(p, "'}'");
    if (norn_peek(&p->lexer) == '}')
      break;
    if (!norn_budget_continues(&p->budget, 1))
      return false;
    if (!parse_line(p) || !norn_parse_end_of_line(p))
      norn_skip_line(&p->lexer);
  }
  p->lexer.at++;
  resolve_forward_uses(p);
  check_blocks_defined(p);
  resolve_arguments(p);
  return true;
}

/* Registers the function under its name. */
static void
define_function(NornParser *p, uint32_t name, NornLocation location) {
  if (name >= p->function_name_capacity) {
    uint32_t old = p->function_name_capacity;
    NORN_GROW(p->function_names, p->function_name_capacity, (uint64_t)name + 1);
    memset(p->function_names + old, 0,
           (p->function_name_capacity - old) * sizeof *p->function_names);
  }
  if (p->function_names[name])
    NORN_PARSE_FAULT(p, location, "@%s is defined twice", norn_string(p->module, name));
  else
    p->function_names[name] = p->module->function_count;
}

/* "->" */
static bool
parse_arrow(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  if (p->lexer.at[0] != '-' || p->lexer.at[1] != '>')
    return norn_parse_expected(p,
                               "the type that the function returns, as in '-> i32' or '-> void'");
  p->lexer.at += 2;
  return true;
}

/* After "function": "@name(parameters) -> type {" and the body. */
static bool
parse_function(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  uint32_t name = norn_parse_sigil_name(p, '@', "the function's name, as in @f");
  if (!name)
    return false;
  forget_names(p);
  p->function = norn_function_create(p->module, name, NORN_TYPE_VOID);
  p->function->line = location.line;
  p->block = NORN_INDEX_NONE;
  p->entry_is_open = true;
  define_function(p, name, location);
  norn_block_create_detached(p->function, 0);
  if (!norn_parse_expect_start(p, '(', "'(' and the parameters") || !norn_parse_parameters(p, 0) ||
      !parse_arrow(p))
    return false;
  int type = norn_parse_type(p);
  if (type < 0 || !norn_parse_expect(p, '{') || !norn_parse_end_of_line(p))
    return false;
  p->function->result_type = (uint8_t)type;
  if (!parse_body(p))
    return false;
  if (p->entry_is_open)
    NORN_PARSE_FAULT(p, location, "the function @%s has no blocks", norn_string(p->module, name));
  p->entry_is_open = false;
  return true;
}

/* Resolves the calls, now that all functions are known. */
static void
resolve_calls(NornParser *p) {
  for (uint32_t i = 0; i < p->call_count; i++) {
    const NornPendingUse *call = &p->calls[i];
    uint32_t callee =
        call->target < p->function_name_capacity ? p->function_names[call->target] : 0;
    if (callee && call->index != NORN_INDEX_NONE)
      resolve_argument(p, call, p->module->functions[callee - 1], 0);
    else if (callee)
      *pending_operand(p, call) |= callee - 1;
    else if (call->index == NORN_INDEX_NONE)
      NORN_PARSE_FAULT(p, call->location, "the function @%s is not defined",
                       norn_string(p->module, call->target));
  }
}

/* Skips the word at the cursor if it is `word`. */
static bool
accept_word(NornParser *p, const char *word) {
  norn_skip_lines(&p->lexer);
  NornLexer before = p->lexer;
  if (before.at < before.end && norn_text_is(norn_take(&p->lexer, NORN_CHAR_WORD), word))
    return true;
  p->lexer = before;
  return false;
}

/* Parses the whole text. Faults outside of bodies end the parse. */
static void
parse_module(NornParser *p) {
  bool has_target = accept_word(p, "target");
  if (has_target && !norn_parse_target(p))
    return;
  if (!accept_word(p, "shader")) {
    norn_parse_expected(p, has_target ? "'shader'" : "'target' or 'shader'");
    return;
  }
  if (!norn_parse_shader_head(p) || !parse_body(p))
    return;
  while (accept_word(p, "function"))
    if (!parse_function(p))
      return;
  if (p->lexer.at < p->lexer.end)
    norn_parse_expected(p, "'function' or the end of the text");
  else
    resolve_calls(p);
}

/* Makes room for the names of a text whose lines are like its first ones. Only avoids growing step
 * by step. */
static void
make_room(NornParser *p, const char *text, size_t length) {
  size_t sample = MIN(length, SAMPLE_BYTES), lines = 0;
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + sample - at))); at++)
    lines++;
  uint64_t instructions = MIN((uint64_t)length * lines / sample, length / SHORT_LINE) + 1;
  norn_reserve_strings(p->module, (uint32_t)instructions);
  p->name_capacity = (uint32_t)instructions + 1;
  p->names = g_new0(NornNameEntry, p->name_capacity);
}

static void
parser_free(NornParser *p) {
  g_free(p->names);
  g_free(p->function_names);
  g_free(p->forward);
  g_free(p->arguments);
  g_free(p->calls);
  g_free(p->block_uses);
  g_free(p->results);
  g_free(p);
}

static uint64_t
memory_of_parser(const void *owner) {
  const NornParser *p = owner;
  return norn_module_memory(p->module) + (uint64_t)p->name_capacity * sizeof *p->names;
}

/* Reports the faults, or that a limit was exceeded, if any. */
static bool
finish(NornParser *p, GError **error) {
  if (norn_budget_check(&p->budget))
    return norn_diagnostics_finish(&p->diagnostics, NORN_ERROR_SYNTAX, error);
  norn_diagnostics_finish(&p->diagnostics, NORN_ERROR_SYNTAX, NULL);
  return norn_budget_error(&p->budget, p->module->filename, error);
}

NornModule *
norn_module_parse(const char *text, size_t length, const char *filename, GError **error) {
  return norn_module_parse_limited(text, length, filename, NULL, error);
}

NornModule *
norn_module_parse_limited(const char *text, size_t length, const char *filename,
                          const NornLimits *limits, GError **error) {
  if (!filename)
    filename = "text";
  if (length > TEXT_LIMIT) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "%s: longer than %u bytes", filename,
                TEXT_LIMIT);
    return NULL;
  }
  size_t mark = norn_byte_order_mark(text, length);
  text += mark;
  length -= mark;
  NornModule *module = norn_module_new(NORN_STAGE_COMPUTE, "");
  g_free(module->filename);
  module->filename = g_strdup(filename);
  NornParser *p = g_new0(NornParser, 1);
  char *copy = NULL;
  if (!length || text[length - 1] != '\n') {
    copy = g_malloc(length + 1);
    if (length)
      memcpy(copy, text, length);
    copy[length++] = '\n';
    text = copy;
  }
  p->text = text;
  p->newline_added = copy != NULL;
  p->lexer = (NornLexer){.at = text, .end = text + length, .line_start = text, .line = 1};
  p->module = module;
  norn_budget_init(&p->budget, limits, memory_of_parser, p);
  p->function = module->functions[0];
  p->block = NORN_INDEX_NONE;
  p->diagnostics.filename = filename;
  NORN_GROW(p->results, p->result_capacity, 1);
  make_room(p, text, length);
  parse_module(p);
  bool ok = finish(p, error);
  parser_free(p);
  g_free(copy);
  if (ok)
    return module;
  norn_module_free(module);
  return NULL;
}
