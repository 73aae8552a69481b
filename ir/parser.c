/* Text to IR, in one pass over the buffer.
 *
 *   module      = ["target" NAME ARCHITECTURE] shader {function}
 *   shader      = "shader" stage "@"NAME {attribute} "{" {"fau" declarations} {block} "}"
 *   function    = "function" "@"NAME "(" parameters ")" "->" TYPE "{" {block} "}"
 *   block       = NAME ["(" parameters ")"] ":" {instruction}
 *   instruction = [results "="] MNEMONIC {flag} [operands]
 *
 * Lines matter inside a body; a fault costs its line and parsing goes on with the next. Names
 * become numbers on first sight, and names[number] says what value and block it means in the
 * current function. What is used before its definition is noted and settled at the end: values and
 * blocks at the end of the function, calls at the end of the module. Arguments are written before
 * the types of their parameters need be known, so constants among them wait too. Nothing recurses;
 * every list has a limit. */
#include "ir/diagnostics.h"
#include "ir/hash.h"
#include "ir/ir.h"
#include "ir/lexer.h"
#include "ir/literal.h"
#include "ir/ops.h"
#include <string.h>

/* Longest text accepted, so that no index can overflow its bits. */
#define TEXT_LIMIT (512u << 20)
/* Most operands, results or parameters of one instruction or block. */
#define LIST_LIMIT UINT16_MAX

/* What a name means in the current function; entries are index + 1. */
typedef struct NameEntry {
  uint32_t value, block;
} NameEntry;

typedef struct Place {
  uint32_t line, column;
} Place;

/* A use before its definition. */
typedef struct ForwardUse {
  uint32_t operand, name;
  Place place;
  uint16_t reg;
} ForwardUse;

/* An argument whose type is its parameter's, or a callee. */
typedef struct Pending {
  uint32_t function;
  uint32_t operand; /* the argument's, in the operand array */
  uint32_t target;  /* block, or name of the function */
  uint32_t index;   /* argument number, NORN_INDEX_NONE for the callee itself */
  uint8_t declared; /* type of a uniform; VOID for a constant */
  NornText text;
  Place place;
} Pending;

/* A mnemonic met before. */
typedef struct Mnemonic {
  NornText text;
  uint32_t hash;
  uint16_t op;
  uint8_t type, source_type, modifier;
  uint64_t payload;
} Mnemonic;

/* Slots of the table of mnemonics, and how many are tried before the last of them is given up. */
#define MNEMONIC_SLOTS 512
#define MNEMONIC_PROBES 8

typedef struct Result {
  uint32_t name;
  Place place;
  NornText suffix;
  uint16_t reg, last_reg;
  uint8_t type; /* VOID if not written */
} Result;

typedef struct Parser {
  NornLexer lexer;
  const char *text;
  bool newline_added; /* to the text, which did not end in one */
  NornModule *module;
  NornFunction *function;
  uint32_t block;     /* current block, or NORN_INDEX_NONE */
  bool entry_is_open; /* the function's first block has its parameters but no label yet */
  NornDiagnostics diagnostics;
  NameEntry *names;
  uint32_t name_capacity;
  uint32_t *function_names; /* function + 1 by name, sized like names */
  uint32_t function_name_capacity;
  ForwardUse *forward;
  uint32_t forward_count, forward_capacity;
  Pending *arguments; /* of blocks of the current function */
  uint32_t argument_count, argument_capacity;
  Pending *calls;
  uint32_t call_count, call_capacity;
  Place *block_uses; /* first mention of each block of the function */
  uint32_t block_use_capacity;
  Result *results;
  uint32_t result_count, result_capacity;
  Mnemonic mnemonics[MNEMONIC_SLOTS];
} Parser;

static Place
here(const Parser *p) {
  return (Place){p->lexer.line, norn_column(&p->lexer)};
}

#define FAULT(p, place, ...)                                                                       \
  norn_diagnose(&(p)->diagnostics, (place).line, (place).column, __VA_ARGS__)

/* Where the text given ended: before the newline, if that was added to it. */
static Place
end_place(const Parser *p) {
  Place place = here(p);
  if (!p->newline_added)
    return place;
  const char *last = p->lexer.end - 1, *start = last;
  while (start > p->text && start[-1] != '\n')
    start--;
  return (Place){place.line - 1, (uint32_t)(last - start) + 1};
}

/* "expected X, found Y" at the cursor. */
static bool
expected(Parser *p, const char *what) {
  char quote[NORN_QUOTE_SIZE];
  bool at_end = p->lexer.at == p->lexer.end;
  if (!at_end)
    norn_skip_blanks(&p->lexer);
  Place place = at_end ? end_place(p) : here(p);
  if (at_end) {
    FAULT(p, place, "expected %s, found the end of the text", what);
  } else if (*p->lexer.at == '\n') {
    FAULT(p, place, "expected %s, found the end of the line", what);
  } else {
    NornText found = norn_offending(&p->lexer);
    FAULT(p, place, "expected %s, found \"%s\"", what,
          norn_quote(quote, found.start, found.length));
  }
  return false;
}

static bool
expect(Parser *p, char c) {
  if (norn_accept(&p->lexer, c))
    return true;
  char what[] = {'"', c, '"', 0};
  return expected(p, what);
}

static bool
expect_end_of_line(Parser *p) {
  norn_skip_blanks(&p->lexer);
  return norn_peek(&p->lexer) == '\n' || expected(p, "the end of the line");
}

/* Takes a name (a run of word bytes) at the cursor; 0 if there is none. */
static uint32_t
take_name(Parser *p) {
  NornText text = norn_take(&p->lexer, NORN_CHAR_WORD);
  uint32_t name = norn_intern(p->module, text.start, text.length);
  if (name >= p->name_capacity) {
    uint32_t old = p->name_capacity;
    NORN_GROW(p->names, p->name_capacity, (uint64_t)name + 1);
    memset(p->names + old, 0, (p->name_capacity - old) * sizeof *p->names);
  }
  return name;
}

/* Takes SIGIL and a name; 0 with a fault if they are not there. */
static uint32_t
expect_name(Parser *p, char sigil, const char *what) {
  norn_skip_blanks(&p->lexer);
  const char *start = p->lexer.at;
  uint32_t name = norn_peek(&p->lexer) == sigil ? (p->lexer.at++, take_name(p)) : 0;
  if (!name) {
    p->lexer.at = start;
    expected(p, what);
  }
  return name;
}

/* A decimal or hexadecimal number of at most `maximum`. */
static bool
expect_number(Parser *p, const char *what, uint64_t maximum, uint64_t *value) {
  norn_skip_blanks(&p->lexer);
  Place place = here(p);
  NornNumber number = norn_scan_number(p->lexer.at, p->lexer.end);
  if (!number.length || number.is_float)
    return expected(p, what);
  p->lexer.at += number.length;
  if (number.is_negative || number.overflows || number.magnitude > maximum) {
    FAULT(p, place, "%s is not between 0 and %" G_GUINT64_FORMAT, what, (guint64)maximum);
    return false;
  }
  *value = number.magnitude;
  return true;
}

static int
expect_type(Parser *p) {
  norn_skip_blanks(&p->lexer);
  NornLexer before = p->lexer;
  NornText word = norn_take(&p->lexer, NORN_CHAR_WORD);
  int type = norn_find_type(word.start, word.length);
  if (type < 0) {
    p->lexer = before;
    expected(p, "a type");
  }
  return type;
}

/* "r12" or "r12:r13" after '@'. */
static bool
parse_register(Parser *p, uint16_t *first, uint16_t *last) {
  for (uint16_t *reg = first;; reg = last) {
    uint64_t number;
    if (norn_peek(&p->lexer) != 'r')
      return expected(p, "a register");
    p->lexer.at++;
    if (!norn_peek_class(&p->lexer, NORN_CHAR_DIGIT))
      return expected(p, "a register number");
    if (!expect_number(p, "a register number", NORN_REGISTER_NONE - 1, &number))
      return false;
    *reg = (uint16_t)number;
    if (reg == last)
      return true;
    *last = *first;
    if (p->lexer.at[0] != ':' || p->lexer.at[1] != 'r')
      return true;
    p->lexer.at++;
  }
}

/* Checks the register that a definition of that type names and gives it to the value. */
static void
define_register(Parser *p, uint32_t value, const Result *result) {
  NornValue *target = &p->function->values[value];
  if (result->reg == NORN_REGISTER_NONE)
    return;
  target->reg = result->reg;
  unsigned words = MAX(norn_type_words(target->type), 1);
  if (target->type != NORN_TYPE_VOID && result->last_reg + 1u != result->reg + words)
    FAULT(p, result->place, "%s takes %u register%s, r%u to r%u do not fit",
          norn_types[target->type].name, words, words == 1 ? "" : "s", result->reg,
          result->last_reg);
}

/* Enters the definition of a name. */
static void
define_value(Parser *p, uint32_t value, const Result *result) {
  NameEntry *entry = &p->names[result->name];
  p->function->values[value].name = result->name;
  define_register(p, value, result);
  if (!entry->value) {
    entry->value = value + 1;
    return;
  }
  FAULT(p, result->place, "%%%s is defined twice", norn_string(p->module, result->name));
}

/* "%name[@register][.suffix][: type]", a definition. */
static bool
parse_definition(Parser *p, Result *result) {
  norn_skip_blanks(&p->lexer);
  *result = (Result){.place = here(p), .reg = NORN_REGISTER_NONE, .type = NORN_TYPE_VOID};
  if (!(result->name = expect_name(p, '%', "a value")))
    return false;
  if (norn_peek(&p->lexer) == '@') {
    p->lexer.at++;
    if (!parse_register(p, &result->reg, &result->last_reg))
      return false;
  }
  if (norn_peek(&p->lexer) == '.')
    result->suffix = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  if (norn_accept(&p->lexer, ':')) {
    int type = expect_type(p);
    if (type < 0)
      return false;
    result->type = (uint8_t)type;
  }
  return true;
}

/* "(%a: type, ...)" */
static bool
parse_parameters(Parser *p, uint32_t block) {
  if (norn_accept(&p->lexer, ')'))
    return true;
  do {
    Result parameter;
    if (!parse_definition(p, &parameter))
      return false;
    if (parameter.type == NORN_TYPE_VOID || parameter.suffix.length) {
      FAULT(p, parameter.place, "the parameter %%%s needs a type, as in %%%s: i32",
            norn_string(p->module, parameter.name), norn_string(p->module, parameter.name));
      return false;
    }
    if (p->function->blocks[block].parameter_count == LIST_LIMIT) {
      FAULT(p, parameter.place, "more than %u parameters", LIST_LIMIT);
      return false;
    }
    uint32_t value = norn_block_add_parameter(p->function, block, parameter.type, parameter.name);
    define_value(p, value, &parameter);
  } while (norn_accept(&p->lexer, ','));
  return expect(p, ')');
}

/* The block of that name, made if this is its first mention. */
static uint32_t
mention_block(Parser *p, uint32_t name, Place place) {
  NameEntry *entry = &p->names[name];
  if (!entry->block) {
    uint32_t block = norn_block_create_unplaced(p->function, name);
    NORN_GROW(p->block_uses, p->block_use_capacity, (uint64_t)block + 1);
    p->block_uses[block] = place;
    entry->block = block + 1;
  }
  return entry->block - 1;
}

/* Makes the block of a label the current one; false if it was defined before. */
static bool
open_block(Parser *p, uint32_t name, Place place) {
  NornFunction *function = p->function;
  if (p->entry_is_open) {
    p->entry_is_open = false;
    function->blocks[0].name = name;
    p->names[name].block = 1;
  }
  p->block = mention_block(p, name, place);
  if (!function->blocks[p->block].line) {
    function->blocks[p->block].line = place.line;
    norn_block_place(function, p->block);
    return true;
  }
  FAULT(p, place, "the block %s is defined twice, first in line %u", norn_string(p->module, name),
        function->blocks[p->block].line);
  p->block = norn_block_create_unplaced(function, 0);
  return false;
}

/* "name:" or "name(parameters):"; the name is taken, `place` is its. */
static bool
parse_label(Parser *p, uint32_t name, Place place) {
  bool is_function_entry = p->entry_is_open;
  if (!open_block(p, name, place))
    return false;
  if (norn_peek(&p->lexer) == '(') {
    p->lexer.at++;
    if (is_function_entry) {
      FAULT(p, place, "the parameters of a function's first block stand in the function's head");
      return false;
    }
    if (!parse_parameters(p, p->block))
      return false;
  }
  return expect(p, ':') && expect_end_of_line(p);
}

/* Adds an operand to the instruction being parsed, the last one. */
static bool
push_operand(Parser *p, NornRef ref) {
  NornFunction *function = p->function;
  NornInst *inst = &function->insts[function->inst_count - 1];
  if (inst->operand_count == LIST_LIMIT) {
    FAULT(p, here(p), "more than %u operands", LIST_LIMIT);
    return false;
  }
  NORN_GROW(function->operands, function->operand_capacity, (uint64_t)function->operand_count + 1);
  function->operands[function->operand_count++] = ref;
  inst->operand_count++;
  return true;
}

static void
check_use_register(Parser *p, uint32_t value, uint16_t reg, Place place) {
  const NornValue *used = &p->function->values[value];
  if (reg != NORN_REGISTER_NONE && reg != used->reg)
    FAULT(p, place, "%%%s is not in r%u where it is defined", norn_string(p->module, used->name),
          reg);
}

/* "%name[@register]", a use. */
static bool
parse_use(Parser *p, NornRef flags) {
  Place place = here(p);
  uint32_t name = expect_name(p, '%', "a value");
  if (!name)
    return false;
  uint16_t reg = NORN_REGISTER_NONE, last;
  if (norn_peek(&p->lexer) == '@') {
    p->lexer.at++;
    if (!parse_register(p, &reg, &last))
      return false;
  }
  uint32_t value = p->names[name].value;
  if (value) {
    check_use_register(p, value - 1, reg, place);
    return push_operand(p, norn_ref(NORN_REF_VALUE, value - 1) | flags);
  }
  NORN_GROW(p->forward, p->forward_capacity, (uint64_t)p->forward_count + 1);
  p->forward[p->forward_count++] = (ForwardUse){p->function->operand_count, name, place, reg};
  return push_operand(p, flags);
}

static const NornFau *
find_fau(const Parser *p, uint32_t name) {
  for (uint32_t i = 0; i < p->module->fau_count; i++)
    if (p->module->faus[i].name == name)
      return &p->module->faus[i];
  return NULL;
}

/* After "fau.": "name" or "name[index]". The reference and its declared type. */
static bool
parse_fau_use(Parser *p, NornRef *ref, NornType *type) {
  Place place = here(p);
  uint32_t name = take_name(p);
  const NornFau *fau = find_fau(p, name);
  if (!name)
    return expected(p, "the name of a uniform");
  if (!fau) {
    FAULT(p, place, "no uniform is called %s", norn_string(p->module, name));
    return false;
  }
  uint64_t index = 0;
  if (norn_peek(&p->lexer) == '[') {
    p->lexer.at++;
    if (!expect_number(p, "the index", fau->count - 1, &index) || !expect(p, ']'))
      return false;
  } else if (fau->count > 1) {
    FAULT(p, place, "%s has %u elements; write fau.%s[0]", norn_string(p->module, name), fau->count,
          norn_string(p->module, name));
    return false;
  }
  *type = fau->type;
  *ref = norn_ref(NORN_REF_UNIFORM, fau->word + (uint32_t)index * norn_type_words(fau->type));
  return true;
}

/* Whether "u" and digits, or "fau.", are next: a uniform. */
static bool
at_uniform(const NornLexer *lexer) {
  const char *at = lexer->at;
  if (at[0] == 'f')
    return at[1] == 'a' && at[2] == 'u' && at[3] == '.';
  if (at[0] != 'u')
    return false;
  NornLexer word = *lexer;
  word.at++;
  NornText digits = norn_take(&word, NORN_CHAR_DIGIT);
  return digits.length && !norn_peek_class(&word, NORN_CHAR_WORD);
}

/* A uniform; `type` becomes VOID for a plain word "u7". */
static bool
parse_uniform(Parser *p, NornRef *ref, NornType *type) {
  if (*p->lexer.at == 'f') {
    p->lexer.at += 4;
    return parse_fau_use(p, ref, type);
  }
  p->lexer.at++;
  uint64_t word;
  *type = NORN_TYPE_VOID;
  if (!expect_number(p, "the number of a uniform word", NORN_UNIFORM_WORDS - 1, &word))
    return false;
  *ref = norn_ref(NORN_REF_UNIFORM, (uint32_t)word);
  return true;
}

static bool
check_uniform_type(Parser *p, NornType declared, NornType wanted, Place place) {
  if (declared == NORN_TYPE_VOID || wanted == NORN_TYPE_VOID || declared == wanted)
    return true;
  FAULT(p, place, "the uniform is %s, expected %s", norn_types[declared].name,
        norn_types[wanted].name);
  return false;
}

/* The spelling of a constant at the cursor: a number, or a word perhaps after a minus sign. */
static NornText
take_literal(Parser *p) {
  NornText text = {p->lexer.at, norn_scan_number(p->lexer.at, p->lexer.end).length};
  if (text.length) {
    p->lexer.at += text.length;
    return text;
  }
  if (norn_peek(&p->lexer) == '-')
    p->lexer.at++;
  norn_take(&p->lexer, NORN_CHAR_WORD);
  text.length = (size_t)(p->lexer.at - text.start);
  return text;
}

static bool
literal_bits(Parser *p, NornText text, NornType type, Place place, uint64_t *bits) {
  char quote[NORN_QUOTE_SIZE];
  NornLiteralStatus status = norn_parse_literal(text.start, text.length, type, bits);
  if (status == NORN_LITERAL_OK)
    return true;
  norn_quote(quote, text.start, text.length);
  if (status == NORN_LITERAL_RANGE)
    FAULT(p, place, "%s is out of range for %s", quote, norn_types[type].name);
  else if (type == NORN_TYPE_VOID)
    FAULT(p, place, "expected a value or a uniform, found \"%s\"", quote);
  else if (norn_types[type].class == NORN_CLASS_FLOAT &&
           norn_scan_number(text.start, text.start + text.length).length == text.length)
    FAULT(p, place, "%s is no constant of type %s; write %s.0 or the bits in hexadecimal", quote,
          norn_types[type].name, quote);
  else
    FAULT(p, place, "expected a value or a constant of type %s, found \"%s\"",
          norn_types[type].name, quote);
  return false;
}

/* A value, uniform or constant where a type (or any: VOID) is wanted. */
static bool
parse_operand(Parser *p, NornType type) {
  NornLexer *lexer = &p->lexer;
  norn_skip_blanks(lexer);
  char c = norn_peek(lexer);
  NornRef flags = 0;
  if (c == '^') {
    lexer->at++;
    c = norn_peek(lexer);
    flags = NORN_REF_LAST_USE;
  }
  if (c == '%')
    return parse_use(p, flags | norn_ref(NORN_REF_VALUE, 0));
  Place place = here(p);
  if (flags)
    return expected(p, "a value");
  if (at_uniform(lexer)) {
    NornRef ref;
    NornType declared;
    return parse_uniform(p, &ref, &declared) && check_uniform_type(p, declared, type, place) &&
           push_operand(p, ref);
  }
  NornText text = take_literal(p);
  uint64_t bits;
  if (!text.length)
    return expected(p, "an operand");
  return literal_bits(p, text, type, place, &bits) &&
         push_operand(p, norn_constant(p->module, bits));
}

/* An argument of a block or function whose parameter may come later. */
static bool
parse_argument(Parser *p, Pending pending, Pending **list, uint32_t *count, uint32_t *capacity) {
  norn_skip_blanks(&p->lexer);
  char c = norn_peek(&p->lexer);
  if (c == '%' || c == '^')
    return parse_operand(p, NORN_TYPE_VOID);
  pending.place = here(p);
  pending.operand = p->function->operand_count;
  pending.text.start = p->lexer.at;
  NornRef ref = norn_ref(NORN_REF_CONSTANT, 0);
  if (at_uniform(&p->lexer)) {
    NornType declared;
    if (!parse_uniform(p, &ref, &declared))
      return false;
    if (declared == NORN_TYPE_VOID)
      return push_operand(p, ref);
    pending.declared = (uint8_t)declared;
  } else {
    pending.text = take_literal(p);
    if (!pending.text.length)
      return expected(p, "an argument");
  }
  NORN_GROW(*list, *capacity, (uint64_t)*count + 1);
  (*list)[(*count)++] = pending;
  return push_operand(p, ref);
}

/* "(a, b)" after a block or function, if it is there. */
static bool
parse_arguments(Parser *p, Pending pending, Pending **list, uint32_t *count, uint32_t *capacity) {
  if (norn_peek(&p->lexer) != '(')
    return true;
  p->lexer.at++;
  if (norn_accept(&p->lexer, ')'))
    return true;
  pending.function = p->module->function_count - 1;
  pending.index = 0;
  do {
    if (!parse_argument(p, pending, list, count, capacity))
      return false;
    pending.index++;
  } while (norn_accept(&p->lexer, ','));
  return expect(p, ')');
}

/* A block and its arguments. */
static bool
parse_block_operand(Parser *p) {
  norn_skip_blanks(&p->lexer);
  Place place = here(p);
  uint32_t name = take_name(p);
  if (!name)
    return expected(p, "a block");
  uint32_t block = mention_block(p, name, place);
  return push_operand(p, norn_ref(NORN_REF_BLOCK, block)) &&
         parse_arguments(p, (Pending){.target = block}, &p->arguments, &p->argument_count,
                         &p->argument_capacity);
}

/* A constant of the switch's type, a colon, and a block. */
static bool
parse_case(Parser *p, NornType type) {
  norn_skip_blanks(&p->lexer);
  Place place = here(p);
  NornText text = take_literal(p);
  uint64_t bits;
  if (!text.length)
    return expected(p, "a constant");
  return literal_bits(p, text, type, place, &bits) &&
         push_operand(p, norn_constant(p->module, bits)) && expect(p, ':') &&
         parse_block_operand(p);
}

/* A function and its arguments. */
static bool
parse_callee(Parser *p) {
  norn_skip_blanks(&p->lexer);
  Place place = here(p);
  uint32_t name = expect_name(p, '@', "a function");
  if (!name)
    return false;
  NORN_GROW(p->calls, p->call_capacity, (uint64_t)p->call_count + 1);
  p->calls[p->call_count++] = (Pending){.function = p->module->function_count - 1,
                                        .operand = p->function->operand_count,
                                        .target = name,
                                        .index = NORN_INDEX_NONE,
                                        .place = place};
  return push_operand(p, norn_ref(NORN_REF_FUNCTION, 0)) &&
         parse_arguments(p, (Pending){.target = name}, &p->calls, &p->call_count,
                         &p->call_capacity);
}

/* "name:value" or, for a one-bit immediate, "name". */
static bool
parse_named_immediate(Parser *p, uint64_t flags, uint64_t *seen) {
  char quote[NORN_QUOTE_SIZE];
  norn_skip_blanks(&p->lexer);
  Place place = here(p);
  NornText word = norn_take(&p->lexer, NORN_CHAR_WORD);
  unsigned i = 0;
  while (i < NORN_IMMEDIATE_COUNT &&
         (!norn_text_is(word, norn_immediates[i].name) || !(flags & norn_immediates[i].flag)))
    i++;
  if (i == NORN_IMMEDIATE_COUNT) {
    FAULT(p, place, "the operation takes no \"%s\"", norn_quote(quote, word.start, word.length));
    return false;
  }
  const NornImmediateInfo *info = &norn_immediates[i];
  if (*seen & info->flag) {
    FAULT(p, place, "%s stands twice", info->name);
    return false;
  }
  *seen |= info->flag;
  int64_t value = 1;
  if (info->width > 1 || info->modifier) {
    if (!expect(p, ':'))
      return false;
    norn_skip_blanks(&p->lexer);
    place = here(p);
    NornText text = take_literal(p);
    if (info->modifier) {
      const NornModifierInfo *values = &norn_modifiers[info->modifier];
      for (value = 0; value < values->count && !norn_text_is(text, values->texts[value]); value++)
        ;
      if (value == values->count) {
        FAULT(p, place, "\"%s\" is no value of %s", norn_quote(quote, text.start, text.length),
              info->name);
        return false;
      }
    } else {
      uint64_t bits;
      if (!literal_bits(p, text, NORN_TYPE_I64, place, &bits))
        return false;
      value = (int64_t)bits;
      if (value < norn_immediate_minimum(i) || value > norn_immediate_maximum(i)) {
        FAULT(p, place, "%s %s is not between %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
              info->name, norn_quote(quote, text.start, text.length),
              (gint64)norn_immediate_minimum(i), (gint64)norn_immediate_maximum(i));
        return false;
      }
    }
  }
  NornInst *inst = &p->function->insts[p->function->inst_count - 1];
  inst->payload = norn_set_immediate(inst->payload, i, value);
  return true;
}

/* Whether a word that begins like a named immediate is next. */
static bool
at_named_immediate(const Parser *p, uint64_t flags) {
  NornLexer lexer = p->lexer;
  NornText word = norn_take_word(&lexer);
  if (!word.length)
    return false;
  for (unsigned i = 0; i < NORN_IMMEDIATE_COUNT; i++)
    if (flags & norn_immediates[i].flag && norn_text_is(word, norn_immediates[i].name))
      return true;
  return false;
}

static bool
at_end_of_line(Parser *p) {
  norn_skip_blanks(&p->lexer);
  return norn_peek(&p->lexer) == '\n';
}

/* One operand of the letter. */
static bool
parse_lettered(Parser *p, char letter) {
  const NornInst *inst = &p->function->insts[p->function->inst_count - 1];
  switch (letter) {
  case 'K':
    return parse_block_operand(p);
  case 'C':
    return parse_case(p, inst->type);
  case 'F':
    return parse_callee(p);
  default:
    return parse_operand(p, norn_letter_type(inst, letter));
  }
}

/* The operands of a generic instruction, by the letters of its row. */
static bool
parse_generic_operands(Parser *p) {
  const NornInst *inst = &p->function->insts[p->function->inst_count - 1];
  const NornOpInfo *info = &norn_ops[inst->op];
  const char *letter = info->operands;
  bool is_void = norn_type_in(info->types, NORN_TYPE_VOID) && inst->type == NORN_TYPE_VOID;
  uint64_t immediates = info->flags & NORN_OP_IMMEDIATES, seen = 0;
  for (bool first = true;; first = false) {
    bool optional = letter[0] && (letter[1] == '*' || letter[1] == '?');
    bool want = *letter && !(is_void && letter[1] == '?');
    if ((!want || optional) && at_end_of_line(p))
      return true;
    if (!want && first && !immediates)
      return expected(p, "the end of the line");
    if (!first) {
      if (!want && !immediates)
        return expected(p, "the end of the line");
      if (!expect(p, ','))
        return false;
    }
    if (immediates && (!want || optional) && at_named_immediate(p, immediates)) {
      want = false;
      letter = "";
    }
    if (!want) {
      if (!parse_named_immediate(p, immediates, &seen))
        return false;
      continue;
    }
    if (!parse_lettered(p, *letter))
      return false;
    if (letter[1] != '*')
      letter += letter[1] == '?' ? 2 : 1;
  }
}

/* Splits "name.modifier.type.source" by the rows. */
static const char *
next_part(NornText *rest, NornText *part) {
  if (!rest->length || *rest->start != '.')
    return NULL;
  const char *start = rest->start + 1;
  size_t length = 0;
  while (length + 1 < rest->length && start[length] != '.')
    length++;
  *part = (NornText){start, length};
  rest->start += length + 1;
  rest->length -= length + 1;
  return start;
}

static uint16_t
find_op(NornText text) {
  uint16_t best = NORN_OP_NONE;
  size_t best_length = 0;
  for (uint16_t op = 1; op < NORN_OP_COUNT; op++) {
    const char *name = norn_ops[op].name;
    if (name[0] != text.start[0])
      continue;
    size_t length = strlen(name);
    if (length <= text.length && length > best_length && !memcmp(name, text.start, length) &&
        (length == text.length || text.start[length] == '.')) {
      best = op;
      best_length = length;
    }
  }
  return best;
}

static void
list_types(GString *out, NornTypeSet set) {
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++)
    if (norn_type_in(set, type))
      g_string_append_printf(out, " %s", norn_types[type].name);
}

/* Takes a type suffix from the set. */
static bool
decode_type(Parser *p, NornText *rest, const char *op_name, NornTypeSet set, uint8_t *type,
            Place place) {
  NornText part = {rest->start, 0};
  int found = next_part(rest, &part) ? norn_find_type(part.start, part.length) : -1;
  if (found >= 0 && norn_type_in(set, (NornType)found)) {
    *type = (uint8_t)found;
    return true;
  }
  char quote[NORN_QUOTE_SIZE];
  GString *types = g_string_new(NULL);
  list_types(types, set);
  if (part.length)
    FAULT(p, place, "%s cannot have \"%s\" here, only one of the types%s", op_name,
          norn_quote(quote, part.start, part.length), types->str);
  else
    FAULT(p, place, "%s needs a type suffix, one of%s", op_name, types->str);
  g_string_free(types, TRUE);
  return false;
}

static bool
decode_modifier(Parser *p, NornText *rest, const NornOpInfo *info, uint8_t *modifier, Place place) {
  const NornModifierInfo *values = &norn_modifiers[info->modifier];
  NornText part = {rest->start, 0};
  if (next_part(rest, &part))
    for (unsigned i = 0; i < values->count; i++)
      if (norn_text_is(part, values->texts[i])) {
        *modifier = (uint8_t)i;
        return true;
      }
  char quote[NORN_QUOTE_SIZE];
  GString *texts = g_string_new(NULL);
  for (unsigned i = 0; i < values->count; i++)
    g_string_append_printf(texts, " %s", values->texts[i]);
  if (part.length)
    FAULT(p, place, "%s cannot have \"%s\", only one of%s", info->name,
          norn_quote(quote, part.start, part.length), texts->str);
  else
    FAULT(p, place, "%s needs a suffix, one of%s", info->name, texts->str);
  g_string_free(texts, TRUE);
  return false;
}

static bool
decode_generic(Parser *p, NornText text, Mnemonic *mnemonic, Place place) {
  char quote[NORN_QUOTE_SIZE];
  uint16_t op = find_op(text);
  if (op == NORN_OP_NONE) {
    FAULT(p, place, "unknown operation \"%s\"", norn_quote(quote, text.start, text.length));
    return false;
  }
  const NornOpInfo *info = &norn_ops[op];
  size_t length = strlen(info->name);
  NornText rest = {text.start + length, text.length - length};
  mnemonic->op = op;
  if (info->modifier && !decode_modifier(p, &rest, info, &mnemonic->modifier, place))
    return false;
  if (info->types && !decode_type(p, &rest, info->name, info->types, &mnemonic->type, place))
    return false;
  if (info->source_types &&
      !decode_type(p, &rest, info->name, info->source_types, &mnemonic->source_type, place))
    return false;
  if (rest.length)
    FAULT(p, place, "%s has a suffix too many: \"%s\"", info->name,
          norn_quote(quote, rest.start, rest.length));
  return !rest.length;
}

/* Reports what a machine hook found wrong with a piece of text. */
static bool
machine_fault(Parser *p, Place place, size_t position, char *problem) {
  place.column += (uint32_t)position;
  FAULT(p, place, "%s", problem ? problem : "not in the machine's language");
  g_free(problem);
  return false;
}

static bool
decode_machine(Parser *p, NornText text, Mnemonic *mnemonic, Place place) {
  const NornMachine *machine = p->module->machine;
  if (!machine) {
    char quote[NORN_QUOTE_SIZE];
    FAULT(p, place, "the machine instruction \"%s\" needs a \"target\" line before the shader",
          norn_quote(quote, text.start, text.length));
    return false;
  }
  size_t position = 0;
  char *problem = NULL;
  uint16_t instruction;
  if (!machine->parse_mnemonic(machine, p->module->architecture, text.start, text.length,
                               &instruction, &mnemonic->payload, &position, &problem))
    return machine_fault(p, place, position, problem);
  mnemonic->op = NORN_OP_MACHINE + instruction;
  return true;
}

/* The meaning of a mnemonic, remembered for the next time. */
static const Mnemonic *
find_mnemonic(Parser *p, NornText text, Place place) {
  uint32_t hash = norn_hash(p->module->strings.seed, text.start, text.length);
  Mnemonic *slot = NULL;
  for (unsigned i = 0; i < MNEMONIC_PROBES; i++) {
    slot = &p->mnemonics[(hash / 16 + i) % MNEMONIC_SLOTS];
    if (!slot->text.length)
      break;
    if (slot->hash == hash && slot->text.length == text.length &&
        !memcmp(slot->text.start, text.start, text.length))
      return slot;
  }
  Mnemonic fresh = {.text = text, .hash = hash};
  bool ok = g_ascii_isupper(*text.start) ? decode_machine(p, text, &fresh, place)
                                         : decode_generic(p, text, &fresh, place);
  if (!ok)
    return NULL;
  *slot = fresh;
  return slot;
}

static void
parse_flags(Parser *p, NornInst *inst) {
  for (;;) {
    norn_skip_blanks(&p->lexer);
    if (!strchr("edn", norn_peek(&p->lexer)))
      return; /* not the first letter of a flag */
    NornLexer before = p->lexer;
    NornText word = norn_take(&p->lexer, NORN_CHAR_WORD);
    unsigned i = 0;
    while (i < NORN_INST_FLAG_COUNT && !norn_text_is(word, norn_inst_flags[i].name))
      i++;
    if (!word.length || i == NORN_INST_FLAG_COUNT) {
      p->lexer = before;
      return;
    }
    inst->flags |= norn_inst_flags[i].flag;
  }
}

/* Makes the results of the instruction just created, of the types that its row says. */
static bool
define_generic_results(Parser *p, uint32_t inst_index) {
  NornFunction *function = p->function;
  NornInst *inst = &function->insts[inst_index];
  const NornOpInfo *info = &norn_ops[inst->op];
  const char *letter = info->results;
  bool ok = true;
  for (uint32_t i = 0; i < p->result_count; i++) {
    const Result *result = &p->results[i];
    NornType type = norn_letter_type(inst, *letter);
    uint32_t value = norn_value_create(function, type);
    function->values[value].definer = inst_index;
    function->values[value].index = (uint16_t)i;
    define_value(p, value, result);
    if (ok && (!*letter || type == NORN_TYPE_VOID)) {
      FAULT(p, result->place, "%s has %s", info->name, i ? "fewer results" : "no result");
      ok = false;
    }
    if (ok && result->suffix.length) {
      FAULT(p, result->place, "a result of %s cannot have a suffix", info->name);
      ok = false;
    }
    if (ok && result->type != NORN_TYPE_VOID && result->type != type) {
      FAULT(p, result->place, "the result of %s is %s, not %s", info->name, norn_types[type].name,
            norn_types[result->type].name);
      ok = false;
    }
    if (*letter && letter[1] != '*')
      letter++;
    if (*letter == '?')
      letter++;
  }
  return ok;
}

/* Enough results for the row? */
static bool
check_result_count(Parser *p, const NornInst *inst, Place place) {
  const NornOpInfo *info = &norn_ops[inst->op];
  unsigned needed = 0;
  for (const char *letter = info->results; *letter; letter++) {
    if (letter[1] == '*' || letter[1] == '?')
      break;
    needed++;
  }
  if (p->result_count >= needed)
    return true;
  FAULT(p, place, "%s has %u result%s, %u given", info->name, needed, needed == 1 ? "" : "s",
        p->result_count);
  return false;
}

/* Values for the names on the left of an instruction that is not understood, so that their uses are
 * not reported too. */
static void
define_unknown_results(Parser *p) {
  for (uint32_t i = 0; i < p->result_count; i++)
    define_value(p, norn_value_create(p->function, NORN_TYPE_VOID), &p->results[i]);
}

/* The suffix of a source, if there is one. */
static bool
parse_source_suffix(Parser *p, uint32_t inst_index, unsigned operand) {
  if (norn_peek(&p->lexer) != '.')
    return true;
  Place place = here(p);
  NornText suffix = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  const NornMachine *machine = p->module->machine;
  NornInst *inst = &p->function->insts[inst_index];
  size_t position = 0;
  char *problem = NULL;
  if (machine->parse_operand_suffix(machine, p->module->architecture, inst->op - NORN_OP_MACHINE,
                                    operand, suffix.start, suffix.length, &inst->payload, &position,
                                    &problem))
    return true;
  return machine_fault(p, place, position, problem);
}

/* "name:value" or "#value", to the next comma or the end of the line. */
static bool
parse_machine_immediate(Parser *p, uint32_t inst_index) {
  NornLexer *lexer = &p->lexer;
  Place place = here(p);
  NornText text = {lexer->at, 0};
  while (*lexer->at != ',' && *lexer->at != '\n' && *lexer->at != ';' &&
         !norn_peek_class(lexer, NORN_CHAR_BLANK))
    lexer->at++;
  text.length = (size_t)(lexer->at - text.start);
  const NornMachine *machine = p->module->machine;
  NornInst *inst = &p->function->insts[inst_index];
  size_t position = 0;
  char *problem = NULL;
  if (machine->parse_immediate(machine, p->module->architecture, inst->op - NORN_OP_MACHINE,
                               text.start, text.length, &inst->payload, &position, &problem))
    return true;
  return machine_fault(p, place, position, problem);
}

static bool
at_machine_immediate(const Parser *p) {
  NornLexer lexer = p->lexer;
  if (norn_peek(&lexer) == '#')
    return true;
  return norn_take(&lexer, NORN_CHAR_WORD).length && norn_peek(&lexer) == ':';
}

/* A special source: the longest leading part of the dotted word that the machine knows. */
static bool
parse_special(Parser *p) {
  const NornMachine *machine = p->module->machine;
  char quote[NORN_QUOTE_SIZE];
  Place place = here(p);
  NornText word = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  for (size_t length = word.length; length; length--) {
    if (length < word.length && word.start[length] != '.')
      continue;
    int special = machine->find_special(machine, p->module->architecture, word.start, length);
    if (special < 0)
      continue;
    p->lexer.at = word.start + length;
    return push_operand(p, norn_ref(NORN_REF_SPECIAL, (uint32_t)special));
  }
  FAULT(p, place, "unknown source \"%s\"", norn_quote(quote, word.start, word.length));
  return false;
}

/* A register-like source of a machine instruction. */
static bool
parse_machine_source(Parser *p, uint32_t inst_index, unsigned operand, unsigned *staging) {
  NornLexer *lexer = &p->lexer;
  NornRef flags = 0;
  if (norn_peek(lexer) == '^') {
    lexer->at++;
    flags = NORN_REF_LAST_USE;
  }
  if (norn_peek(lexer) == '@') {
    lexer->at++;
    *staging |= operand < NORN_MACHINE_OPERANDS ? 1u << operand : 0;
    if (norn_peek(lexer) != '%')
      return expected(p, "a value");
  }
  char c = norn_peek(lexer);
  bool ok;
  if (c == '%') {
    ok = parse_use(p, flags | norn_ref(NORN_REF_VALUE, 0));
  } else if (flags) {
    return expected(p, "a value");
  } else if (at_uniform(lexer)) {
    NornRef ref;
    NornType declared;
    ok = parse_uniform(p, &ref, &declared) && push_operand(p, ref);
  } else if (norn_peek_class(lexer, NORN_CHAR_DIGIT) || c == '-') {
    Place place = here(p);
    NornText text = take_literal(p);
    uint64_t bits;
    ok = literal_bits(p, text, NORN_TYPE_I64, place, &bits) &&
         push_operand(p, norn_constant(p->module, bits));
  } else if (norn_peek_class(lexer, NORN_CHAR_WORD)) {
    ok = parse_special(p);
  } else {
    return expected(p, "an operand");
  }
  return ok && parse_source_suffix(p, inst_index, operand);
}

/* The operands of a machine instruction: sources and immediates, then blocks. */
static bool
parse_machine_operands(Parser *p, uint32_t inst_index, Place place) {
  NornMachineShape shape;
  norn_inst_shape(p->module, &p->function->insts[inst_index], &shape);
  unsigned sources = 0, staging = 0;
  if (!at_end_of_line(p)) {
    do {
      norn_skip_blanks(&p->lexer);
      bool ok;
      if (at_machine_immediate(p))
        ok = parse_machine_immediate(p, inst_index);
      else if (shape.is_terminator && sources == shape.operand_count)
        ok = parse_block_operand(p);
      else
        ok = parse_machine_source(p, inst_index, sources++, &staging);
      if (!ok)
        return false;
    } while (norn_accept(&p->lexer, ','));
    if (!expect_end_of_line(p))
      return false;
  }
  norn_inst_shape(p->module, &p->function->insts[inst_index], &shape);
  if (staging == shape.operand_is_staging)
    return true;
  FAULT(p, place, "staging operands, and only those, are written with @");
  return false;
}

/* Makes the results of a machine instruction, of the types written or the widths of its shape. */
static bool
define_machine_results(Parser *p, uint32_t inst_index) {
  NornFunction *function = p->function;
  const NornMachine *machine = p->module->machine;
  NornMachineShape shape;
  bool ok = true;
  for (uint32_t i = 0; i < p->result_count; i++) {
    const Result *result = &p->results[i];
    NornInst *inst = &function->insts[inst_index];
    size_t position = 0;
    char *problem = NULL;
    if (result->suffix.length &&
        !machine->parse_result_suffix(machine, p->module->architecture, inst->op - NORN_OP_MACHINE,
                                      i, result->suffix.start, result->suffix.length,
                                      &inst->payload, &position, &problem))
      ok = machine_fault(p, result->place, position, problem);
    norn_inst_shape(p->module, inst, &shape);
    NornType type = result->type;
    if (type == NORN_TYPE_VOID && i < shape.result_count)
      type = norn_type_of_words(shape.result_words[i]);
    uint32_t value = norn_value_create(function, type);
    function->values[value].definer = inst_index;
    function->values[value].index = (uint16_t)i;
    define_value(p, value, result);
    if (i == 0)
      function->insts[inst_index].type = (uint8_t)type;
  }
  return ok;
}

/* "%a, %b =" before the mnemonic, if it is there. */
static bool
parse_results(Parser *p) {
  p->result_count = 0;
  if (norn_peek(&p->lexer) != '%')
    return true;
  do {
    NORN_GROW(p->results, p->result_capacity, (uint64_t)p->result_count + 1);
    if (p->result_count == LIST_LIMIT) {
      FAULT(p, here(p), "more than %u results", LIST_LIMIT);
      return false;
    }
    if (!parse_definition(p, &p->results[p->result_count]))
      return false;
    p->result_count++;
  } while (norn_accept(&p->lexer, ','));
  return expect(p, '=');
}

/* Creates the instruction that a mnemonic means at the end of the current block. */
static uint32_t
create_inst(Parser *p, const Mnemonic *mnemonic, Place place) {
  uint32_t index = norn_inst_create(p->function, mnemonic->op, 0, 0);
  NornInst *inst = &p->function->insts[index];
  inst->type = mnemonic->type;
  inst->source_type = mnemonic->source_type;
  inst->modifier = mnemonic->modifier;
  inst->payload = mnemonic->payload;
  inst->line = place.line;
  inst->column = (uint16_t)MIN(place.column, UINT16_MAX);
  inst->result_count = (uint16_t)p->result_count;
  norn_inst_append(p->function, p->block, index);
  return index;
}

/* The mnemonic at the cursor and what follows it. */
static bool
parse_operation(Parser *p, Place place) {
  NornLexer *lexer = &p->lexer;
  norn_skip_blanks(lexer);
  Place mnemonic_place = here(p);
  NornText text = norn_take(lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  const Mnemonic *mnemonic = text.length ? find_mnemonic(p, text, mnemonic_place) : NULL;
  if (!mnemonic) {
    define_unknown_results(p);
    return text.length ? false : expected(p, "an operation");
  }
  bool is_machine = mnemonic->op >= NORN_OP_MACHINE;
  uint32_t inst = create_inst(p, mnemonic, place);
  if (is_machine) {
    if (!define_machine_results(p, inst))
      return false;
  } else if (!define_generic_results(p, inst) ||
             !check_result_count(p, &p->function->insts[inst], mnemonic_place)) {
    return false;
  }
  if (is_machine || norn_ops[mnemonic->op].operands[0] != 'K')
    parse_flags(p, &p->function->insts[inst]);
  return is_machine ? parse_machine_operands(p, inst, mnemonic_place) : parse_generic_operands(p);
}

static bool
parse_instruction(Parser *p) {
  Place place = here(p);
  if (p->block == NORN_INDEX_NONE) {
    FAULT(p, place, "an instruction before the first block; start with a label such as entry:");
    return false;
  }
  return parse_results(p) && parse_operation(p, place);
}

/* Whether the word at the cursor is a label. */
static bool
at_label(const Parser *p) {
  NornLexer lexer = p->lexer;
  norn_take(&lexer, NORN_CHAR_WORD);
  char next = norn_peek(&lexer);
  return next == '(' || next == ':';
}

/* One line of a body. */
static bool
parse_line(Parser *p) {
  if (norn_peek(&p->lexer) == '%')
    return parse_instruction(p);
  if (!norn_peek_class(&p->lexer, NORN_CHAR_WORD))
    return expected(p, "an instruction or a label");
  if (!at_label(p))
    return parse_instruction(p);
  Place place = here(p);
  return parse_label(p, take_name(p), place);
}

/* Settles what was used before it was defined. */
static void
resolve_forward_uses(Parser *p) {
  for (uint32_t i = 0; i < p->forward_count; i++) {
    const ForwardUse *use = &p->forward[i];
    uint32_t value = p->names[use->name].value;
    if (!value) {
      FAULT(p, use->place, "%%%s is not defined", norn_string(p->module, use->name));
      continue;
    }
    check_use_register(p, value - 1, use->reg, use->place);
    p->function->operands[use->operand] |= value - 1;
  }
  p->forward_count = 0;
}

static void
check_blocks_defined(Parser *p) {
  for (uint32_t block = 0; block < p->function->block_count; block++) {
    const NornBlock *target = &p->function->blocks[block];
    if (!target->line && target->name)
      FAULT(p, p->block_uses[block], "the block %s is not defined",
            norn_string(p->module, target->name));
  }
}

/* Gives an argument that waited its bits, now that its parameter's type is known. */
static void
resolve_argument(Parser *p, const Pending *pending, const NornFunction *target, uint32_t block) {
  if (pending->index >= target->blocks[block].parameter_count)
    return; /* the wrong number of arguments is the verifier's business */
  NornType type = target->values[norn_block_parameter(target, block, pending->index)].type;
  uint64_t bits;
  if (pending->declared != NORN_TYPE_VOID)
    check_uniform_type(p, pending->declared, type, pending->place);
  else if (literal_bits(p, pending->text, type, pending->place, &bits))
    p->module->functions[pending->function]->operands[pending->operand] =
        norn_constant(p->module, bits);
}

static void
resolve_arguments(Parser *p) {
  for (uint32_t i = 0; i < p->argument_count; i++)
    resolve_argument(p, &p->arguments[i], p->function, p->arguments[i].target);
  p->argument_count = 0;
}

/* Forgets the names of the function, in time proportional to it. */
static void
forget_names(Parser *p) {
  for (uint32_t value = 0; value < p->function->value_count; value++)
    p->names[p->function->values[value].name].value = 0;
  for (uint32_t block = 0; block < p->function->block_count; block++)
    p->names[p->function->blocks[block].name].block = 0;
}

/* Everything up to the closing brace. */
static bool
parse_body(Parser *p) {
  for (;;) {
    norn_skip_lines(&p->lexer);
    if (norn_diagnostics_full(&p->diagnostics))
      return false;
    if (p->lexer.at == p->lexer.end)
      return expected(p, "\"}\"");
    if (norn_accept(&p->lexer, '}'))
      break;
    if (!parse_line(p) || !expect_end_of_line(p))
      norn_skip_line(&p->lexer);
  }
  resolve_forward_uses(p);
  check_blocks_defined(p);
  resolve_arguments(p);
  forget_names(p);
  return true;
}

/* "name: type[count] @ word" */
static bool
parse_fau(Parser *p) {
  norn_skip_blanks(&p->lexer);
  Place place = here(p);
  uint32_t name = take_name(p);
  if (!name)
    return expected(p, "the name of a uniform");
  if (find_fau(p, name)) {
    FAULT(p, place, "the uniform %s is declared twice", norn_string(p->module, name));
    return false;
  }
  int type;
  uint64_t count = 1, word;
  if (!expect(p, ':') || (type = expect_type(p)) < 0)
    return false;
  if (type == NORN_TYPE_VOID || type == NORN_TYPE_I1) {
    FAULT(p, place, "a uniform cannot be %s", norn_types[type].name);
    return false;
  }
  if (norn_accept(&p->lexer, '[')) {
    Place count_place = here(p);
    if (!expect_number(p, "the number of elements", NORN_UNIFORM_WORDS, &count) || !expect(p, ']'))
      return false;
    if (!count) {
      FAULT(p, count_place, "the number of elements is zero");
      return false;
    }
  }
  if (!expect(p, '@') || !expect_number(p, "the uniform word", NORN_UNIFORM_WORDS - 1, &word))
    return false;
  NornModule *module = p->module;
  if (module->fau_count == NORN_UNIFORM_WORDS) {
    FAULT(p, place, "more than %u uniforms", NORN_UNIFORM_WORDS);
    return false;
  }
  NORN_GROW(module->faus, module->fau_capacity, (uint64_t)module->fau_count + 1);
  module->faus[module->fau_count++] =
      (NornFau){name, (uint8_t)type, (uint32_t)word, (uint32_t)count};
  return true;
}

/* The lines "fau ..." at the start of the shader. */
static void
parse_faus(Parser *p) {
  for (;;) {
    norn_skip_lines(&p->lexer);
    NornLexer before = p->lexer;
    if (before.at == before.end)
      return;
    bool is_fau = norn_text_is(norn_take(&p->lexer, NORN_CHAR_WORD), "fau");
    if (!is_fau || norn_peek(&p->lexer) == ':' || norn_peek(&p->lexer) == '(') {
      p->lexer = before;
      return;
    }
    bool ok;
    do
      ok = parse_fau(p);
    while (ok && norn_accept(&p->lexer, ','));
    if (!ok || !expect_end_of_line(p))
      norn_skip_line(&p->lexer);
    if (norn_diagnostics_full(&p->diagnostics))
      return;
  }
}

static bool
parse_stage(Parser *p) {
  norn_skip_blanks(&p->lexer);
  NornLexer before = p->lexer;
  NornText word = norn_take(&p->lexer, NORN_CHAR_WORD);
  for (unsigned stage = 0; stage < NORN_STAGE_COUNT; stage++)
    if (norn_text_is(word, norn_stage_names[stage])) {
      p->module->stage = stage;
      return true;
    }
  p->lexer = before;
  return expected(p, "\"compute\", \"vertex\" or \"fragment\"");
}

/* "(x, y, z)" */
static bool
parse_workgroup(Parser *p) {
  for (unsigned axis = 0; axis < 3; axis++) {
    uint64_t size;
    if (!expect(p, axis ? ',' : '(') || !expect_number(p, "the workgroup size", UINT16_MAX, &size))
      return false;
    p->module->workgroup[axis] = (uint32_t)size;
  }
  return expect(p, ')');
}

/* "(bytes)" */
static bool
parse_size(Parser *p, uint32_t *size) {
  uint64_t bytes;
  if (!expect(p, '(') || !expect_number(p, "the size in bytes", UINT32_MAX, &bytes) ||
      !expect(p, ')'))
    return false;
  *size = (uint32_t)bytes;
  return true;
}

/* "(word)", one of the texts. */
static bool
parse_mode(Parser *p, const char *const *texts, unsigned count, unsigned *mode, const char *what) {
  if (!expect(p, '('))
    return false;
  NornLexer before = p->lexer;
  NornText word = norn_take_word(&p->lexer);
  for (unsigned i = 0; i < count; i++)
    if (norn_text_is(word, texts[i])) {
      *mode = i;
      return expect(p, ')');
    }
  p->lexer = before;
  return expected(p, what);
}

static bool
parse_attribute(Parser *p) {
  NornModule *module = p->module;
  NornLexer before = p->lexer;
  NornText word = norn_take_word(&p->lexer);
  unsigned mode = 0;
  if (norn_text_is(word, "workgroup"))
    return parse_workgroup(p);
  if (norn_text_is(word, "shared"))
    return parse_size(p, &module->shared_size);
  if (norn_text_is(word, "scratch"))
    return parse_size(p, &module->scratch_size);
  if (norn_text_is(word, "denormals")) {
    if (!parse_mode(p, norn_denormals_names, 2, &mode, "\"preserve\" or \"flush\""))
      return false;
    module->denormals = mode;
    return true;
  }
  if (norn_text_is(word, "rounding")) {
    const NornModifierInfo *rounds = &norn_modifiers[NORN_MODIFIER_ROUND];
    if (!parse_mode(p, rounds->texts, rounds->count, &mode, "a rounding mode"))
      return false;
    module->rounding = mode;
    return true;
  }
  p->lexer = before;
  return expected(p,
                  "\"workgroup\", \"shared\", \"scratch\", \"denormals\", \"rounding\" or \"{\"");
}

static bool
parse_target(Parser *p) {
  char quote[NORN_QUOTE_SIZE];
  norn_skip_blanks(&p->lexer);
  Place place = here(p);
  NornText name = norn_take(&p->lexer, NORN_CHAR_WORD);
  const NornMachine *machine = norn_machine_find(name.start, name.length);
  if (!machine) {
    FAULT(p, place, "unknown target \"%s\"", norn_quote(quote, name.start, name.length));
    return false;
  }
  norn_skip_blanks(&p->lexer);
  place = here(p);
  NornText architecture = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  int number = machine->find_architecture(machine, architecture.start, architecture.length);
  if (number < 0) {
    FAULT(p, place, "%s has no architecture \"%s\"", machine->name,
          norn_quote(quote, architecture.start, architecture.length));
    return false;
  }
  p->module->machine = machine;
  p->module->architecture = (unsigned)number;
  return expect_end_of_line(p);
}

static bool
parse_shader(Parser *p) {
  if (!parse_stage(p))
    return false;
  uint32_t name = expect_name(p, '@', "the shader's name, as in @main");
  if (!name)
    return false;
  p->module->name = p->function->name = name;
  p->function->line = p->lexer.line;
  while (!norn_accept(&p->lexer, '{'))
    if (!parse_attribute(p))
      return false;
  if (!expect_end_of_line(p))
    return false;
  parse_faus(p);
  return parse_body(p);
}

/* Enters the function under its name. */
static void
define_function(Parser *p, uint32_t name, Place place) {
  if (name >= p->function_name_capacity) {
    uint32_t old = p->function_name_capacity;
    NORN_GROW(p->function_names, p->function_name_capacity, (uint64_t)name + 1);
    memset(p->function_names + old, 0,
           (p->function_name_capacity - old) * sizeof *p->function_names);
  }
  if (p->function_names[name])
    FAULT(p, place, "@%s is defined twice", norn_string(p->module, name));
  else
    p->function_names[name] = p->module->function_count;
}

/* After "function": "@name(parameters) -> type {" and the body. */
static bool
parse_function(Parser *p) {
  norn_skip_blanks(&p->lexer);
  Place place = here(p);
  uint32_t name = expect_name(p, '@', "the function's name, as in @f");
  if (!name)
    return false;
  p->function = norn_function_create(p->module, name, NORN_TYPE_VOID);
  p->function->line = place.line;
  p->block = NORN_INDEX_NONE;
  p->entry_is_open = true;
  define_function(p, name, place);
  norn_block_create_unplaced(p->function, 0);
  if (!expect(p, '(') || !parse_parameters(p, 0) || !expect(p, '-') || !expect(p, '>'))
    return false;
  int type = expect_type(p);
  if (type < 0 || !expect(p, '{') || !expect_end_of_line(p))
    return false;
  p->function->result_type = (uint8_t)type;
  return parse_body(p);
}

/* Settles the calls, now that all functions are known. */
static void
resolve_calls(Parser *p) {
  for (uint32_t i = 0; i < p->call_count; i++) {
    const Pending *call = &p->calls[i];
    uint32_t callee =
        call->target < p->function_name_capacity ? p->function_names[call->target] : 0;
    if (callee && call->index != NORN_INDEX_NONE)
      resolve_argument(p, call, p->module->functions[callee - 1], 0);
    else if (callee)
      p->module->functions[call->function]->operands[call->operand] |= callee - 1;
    else if (call->index == NORN_INDEX_NONE)
      FAULT(p, call->place, "the function @%s is not defined",
            norn_string(p->module, call->target));
  }
}

/* The word at the cursor if it is that one. */
static bool
accept_word(Parser *p, const char *word) {
  norn_skip_lines(&p->lexer);
  NornLexer before = p->lexer;
  if (before.at < before.end && norn_text_is(norn_take(&p->lexer, NORN_CHAR_WORD), word))
    return true;
  p->lexer = before;
  return false;
}

/* The whole text. Faults outside bodies end the parse. */
static void
parse_module(Parser *p) {
  bool has_target = accept_word(p, "target");
  if (has_target && !parse_target(p))
    return;
  if (!accept_word(p, "shader")) {
    expected(p, has_target ? "\"shader\"" : "\"target\" or \"shader\"");
    return;
  }
  if (!parse_shader(p))
    return;
  while (accept_word(p, "function"))
    if (!parse_function(p))
      return;
  if (p->lexer.at < p->lexer.end)
    expected(p, "\"function\" or the end of the text");
  else
    resolve_calls(p);
}

static void
parser_free(Parser *p) {
  g_free(p->names);
  g_free(p->function_names);
  g_free(p->forward);
  g_free(p->arguments);
  g_free(p->calls);
  g_free(p->block_uses);
  g_free(p->results);
  g_free(p);
}

NornModule *
norn_module_parse(const char *text, size_t length, const char *filename, GError **error) {
  if (!filename)
    filename = "text";
  if (length > TEXT_LIMIT) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "%s: longer than %u bytes", filename,
                TEXT_LIMIT);
    return NULL;
  }
  NornModule *module = norn_module_new(NORN_STAGE_COMPUTE, "");
  module->filename = g_strdup(filename);
  Parser *p = g_new0(Parser, 1);
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
  p->function = module->functions[0];
  p->block = NORN_INDEX_NONE;
  p->diagnostics.filename = filename;
  parse_module(p);
  bool ok = norn_diagnostics_finish(&p->diagnostics, NORN_ERROR_SYNTAX, error);
  parser_free(p);
  g_free(copy);
  if (ok)
    return module;
  norn_module_free(module);
  return NULL;
}
