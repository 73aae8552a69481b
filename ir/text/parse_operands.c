/* Smaller pieces of the parser: names, numbers, types, registers, definitions, and operands of
 * every kind. */
#include "ir/construct.h"
#include "ir/hash.h"
#include "ir/text/literal.h"
#include "ir/text/parser.h"
#include <norn/nearest.h>
#include <string.h>

/* The location of the end of the original text: before the final newline if the parser added that.
 */
static NornLocation
end_location(const NornParser *p) {
  NornLocation location = norn_parse_here(p);
  if (!p->newline_added)
    return location;
  const char *last = p->lexer.end - 1, *start = last;
  while (start > p->text && start[-1] != '\n')
    start--;
  return (NornLocation){location.line - 1, (uint32_t)(last - start) + 1};
}

bool
norn_parse_expected(NornParser *p, const char *what) {
  char quote[NORN_QUOTE_SIZE];
  bool at_end = p->lexer.at == p->lexer.end;
  if (!at_end)
    norn_skip_blanks(&p->lexer);
  NornLocation location = at_end ? end_location(p) : norn_parse_here(p);
  if (at_end) {
    NORN_PARSE_FAULT(p, location, "expected %s, found the end of the text", what);
  } else if (*p->lexer.at == '\n') {
    NORN_PARSE_FAULT(p, location, "expected %s, found the end of the line", what);
  } else {
    NornText found = norn_offending(&p->lexer);
    NORN_PARSE_FAULT(p, location, "expected %s, found '%s'", what,
                     norn_quote(quote, found.start, found.length));
  }
  return false;
}

bool
norn_parse_expected_char(NornParser *p, char c) {
  char what[] = {'\'', c, '\'', 0};
  return norn_parse_expected(p, what);
}

static inline uint32_t
intern(NornParser *p, NornText text) {
  uint32_t name = norn_intern(p->module, text.start, text.length);
  if (name >= p->name_capacity) {
    uint32_t old = p->name_capacity;
    NORN_GROW(p->names, p->name_capacity, (uint64_t)name + 1);
    memset(p->names + old, 0, (p->name_capacity - old) * sizeof *p->names);
  }
  return name;
}

uint32_t
norn_parse_other_name(NornParser *p) {
  NornText text = norn_take_name(&p->lexer);
  if (text.length - 1 >= 8 || p->lexer.end - text.start < 8)
    return intern(p, text);
  uint64_t bytes =
      GUINT64_FROM_LE(norn_hash_load(text.start, 8)) & UINT64_MAX >> (64 - 8 * text.length);
  NornShortName *last = norn_parse_short_name(p, bytes);
  if (last->bytes != bytes)
    *last = (NornShortName){bytes, intern(p, text)};
  return last->name;
}

uint32_t
norn_parse_sigil_name(NornParser *p, char sigil, const char *what) {
  norn_skip_blanks(&p->lexer);
  const char *start = p->lexer.at;
  uint32_t name = norn_peek(&p->lexer) == sigil ? (p->lexer.at++, norn_parse_name(p)) : 0;
  if (!name) {
    p->lexer.at = start;
    norn_parse_expected(p, what);
  }
  return name;
}

bool
norn_parse_number(NornParser *p, const char *what, uint64_t maximum, uint64_t *value) {
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  NornNumber number = norn_scan_number(p->lexer.at, p->lexer.end);
  if (!number.length || number.is_float)
    return norn_parse_expected(p, what);
  if (number.is_negative || number.overflows || number.magnitude > maximum) {
    char quote[NORN_QUOTE_SIZE];
    NORN_PARSE_FAULT(p, location, "%s is %s, expected 0 to %" G_GUINT64_FORMAT, what,
                     norn_quote(quote, p->lexer.at, number.length), (guint64)maximum);
    return false;
  }
  p->lexer.at += number.length;
  *value = number.magnitude;
  return true;
}

int
norn_parse_type(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  NornLexer before = p->lexer;
  NornText word = norn_take(&p->lexer, NORN_CHAR_WORD);
  int type = norn_find_type(word.start, word.length);
  if (type >= 0)
    return type;
  p->lexer = before;
  NornNearest nearest;
  norn_nearest_init(&nearest, word.start, word.length);
  for (unsigned i = 0; i < NORN_TYPE_COUNT; i++)
    norn_nearest_try(&nearest, norn_types[i].name);
  if (!nearest.name) {
    norn_parse_expected(p, "a type");
    return -1;
  }
  char quote[NORN_QUOTE_SIZE];
  g_autofree char *hint = norn_nearest_hint(&nearest);
  NORN_PARSE_FAULT(p, norn_parse_here(p), "expected a type, found '%s'%s",
                   norn_quote(quote, word.start, word.length), hint);
  return -1;
}

/* "r12" or "r12:r13" after '@'. */
static bool
parse_register(NornParser *p, uint16_t *first, uint16_t *last) {
  for (uint16_t *reg = first;; reg = last) {
    uint64_t number = 0;
    if (norn_peek(&p->lexer) != 'r')
      return norn_parse_expected(p, "a register");
    p->lexer.at++;
    if (!norn_peek_class(&p->lexer, NORN_CHAR_DIGIT))
      return norn_parse_expected(p, "a register number");
    if (!norn_parse_number(p, "a register number", NORN_REGISTER_NONE - 1, &number))
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

void
norn_parse_define_register(NornParser *p, uint32_t value, const NornDefinition *result) {
  NornValue *target = norn_value(p->function, value);
  target->reg = result->reg;
  unsigned words = MAX(norn_type_words(target->type), 1);
  if (target->type != NORN_TYPE_VOID && result->last_reg + 1u != result->reg + words)
    NORN_PARSE_FAULT(p, result->location, "%s takes %u register%s, not r%u to r%u",
                     norn_types[target->type].name, words, words == 1 ? "" : "s", result->reg,
                     result->last_reg);
}

void
norn_parse_defined_twice(NornParser *p, const NornDefinition *result) {
  NORN_PARSE_FAULT(p, result->location, "%%%s is defined twice",
                   norn_string(p->module, result->name));
}

bool
norn_parse_definition(NornParser *p, NornDefinition *result) {
  norn_skip_blanks(&p->lexer);
  *result = (NornDefinition){
      .location = norn_parse_here(p), .reg = NORN_REGISTER_NONE, .type = NORN_TYPE_VOID};
  if (!(result->name = norn_parse_sigil_name(p, '%', "a value")))
    return false;
  if (norn_peek(&p->lexer) == '@') {
    p->lexer.at++;
    if (!parse_register(p, &result->reg, &result->last_reg))
      return false;
  }
  if (norn_peek(&p->lexer) == '.')
    result->suffix = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  if (norn_accept(&p->lexer, ':')) {
    int type = norn_parse_type(p);
    if (type < 0)
      return false;
    result->type = (uint8_t)type;
  }
  return true;
}

bool
norn_parse_parameters(NornParser *p, uint32_t block) {
  if (norn_accept(&p->lexer, ')'))
    return true;
  do {
    NornDefinition parameter;
    if (!norn_parse_definition(p, &parameter))
      return false;
    if (parameter.type == NORN_TYPE_VOID || parameter.suffix.length) {
      NORN_PARSE_FAULT(p, parameter.location, "the parameter %%%s needs a type, as in %%%s: i32",
                       norn_string(p->module, parameter.name),
                       norn_string(p->module, parameter.name));
      return false;
    }
    if (norn_block(p->function, block)->parameter_count == NORN_LIST_LIMIT) {
      NORN_PARSE_FAULT(p, parameter.location, "more than %u parameters", NORN_LIST_LIMIT);
      return false;
    }
    uint32_t value = norn_block_add_parameter(p->function, block, parameter.type, parameter.name);
    norn_parse_define_value(p, value, &parameter);
  } while (norn_accept(&p->lexer, ','));
  return norn_parse_expect_start(p, ')', "',' or ')'");
}

uint32_t
norn_parse_mention_block(NornParser *p, uint32_t name, NornLocation location) {
  NornNameEntry *entry = &p->names[name];
  if (!entry->block) {
    uint32_t block = norn_block_create_detached(p->function, name);
    NORN_GROW(p->block_uses, p->block_use_capacity, (uint64_t)block + 1);
    p->block_uses[block] = location;
    entry->block = block + 1;
  }
  return entry->block - 1;
}

void
norn_parse_move_operands(NornParser *p) {
  NornFunction *function = p->function;
  NornInst *inst = norn_inst(function, function->inst_count - 1);
  const NornRef *operands = norn_operands(function, inst);
  unsigned count = norn_parse_next_operand(p);
  norn_operands_grow(function, 2 * count + NORN_PLAIN_OPERANDS);
  p->first_operand = function->operand_count;
  norn_inst_place_operands(function, inst, p->first_operand);
  memcpy(norn_operands(function, inst), operands, count * sizeof *operands);
  function->operand_count += count;
}

bool
norn_parse_too_many_operands(NornParser *p) {
  NORN_PARSE_FAULT(p, norn_parse_here(p), "more than %u operands", NORN_LIST_LIMIT);
  return false;
}

void
norn_parse_check_use_register(NornParser *p, uint32_t value, uint16_t reg, NornLocation location) {
  const NornValue *used = norn_value(p->function, value);
  if (reg != NORN_REGISTER_NONE && reg != used->reg)
    NORN_PARSE_FAULT(p, location, "%%%s was not defined in r%u", norn_string(p->module, used->name),
                     reg);
}

bool
norn_parse_use(NornParser *p, NornRef flags) {
  NornLocation location = norn_parse_here(p);
  p->lexer.at++;
  uint32_t name = norn_parse_name(p);
  if (!name)
    return norn_parse_expected(p, "the name of a value");
  uint16_t reg = NORN_REGISTER_NONE, last;
  if (norn_peek(&p->lexer) == '@') {
    p->lexer.at++;
    if (!parse_register(p, &reg, &last))
      return false;
  }
  uint32_t value = p->names[name].value;
  if (value) {
    norn_parse_check_use_register(p, value - 1, reg, location);
    return norn_parse_push_operand(p, norn_ref(NORN_REF_VALUE, value - 1) | flags);
  }
  NORN_GROW(p->forward, p->forward_capacity, (uint64_t)p->forward_count + 1);
  p->forward[p->forward_count++] = (NornForwardUse){
      p->function->inst_count - 1, norn_parse_next_operand(p), name, location, reg};
  return norn_parse_push_operand(p, flags);
}

const NornFau *
norn_parse_find_fau(const NornParser *p, uint32_t name) {
  for (uint32_t i = 0; i < p->module->fau_count; i++)
    if (p->module->faus[i].name == name)
      return &p->module->faus[i];
  return NULL;
}

/* After "fau.": "name" or "name[index]". Returns the reference and its declared type. */
static bool
parse_fau_use(NornParser *p, NornRef *ref, NornType *type) {
  NornLocation location = norn_parse_here(p);
  uint32_t name = norn_parse_name(p);
  const NornFau *fau = norn_parse_find_fau(p, name);
  if (!name)
    return norn_parse_expected(p, "the name of a uniform");
  if (!fau) {
    NORN_PARSE_FAULT(p, location, "the uniform %s is not declared", norn_string(p->module, name));
    return false;
  }
  uint64_t index = 0;
  if (norn_peek(&p->lexer) == '[') {
    p->lexer.at++;
    if (!norn_parse_number(p, "the index", fau->count - 1, &index) || !norn_parse_expect(p, ']'))
      return false;
  } else if (fau->count > 1) {
    NORN_PARSE_FAULT(p, location, "the uniform %s has %u elements; select one, as in fau.%s[0]",
                     norn_string(p->module, name), fau->count, norn_string(p->module, name));
    return false;
  }
  *type = fau->type;
  *ref = norn_ref(NORN_REF_UNIFORM, fau->word + (uint32_t)index * norn_type_words(fau->type));
  return true;
}

bool
norn_parse_uniform(NornParser *p, NornRef *ref, NornType *type) {
  if (*p->lexer.at == 'f') {
    p->lexer.at += 4;
    return parse_fau_use(p, ref, type);
  }
  p->lexer.at++;
  uint64_t word;
  *type = NORN_TYPE_VOID;
  if (!norn_parse_number(p, "the number of a uniform word", NORN_FAU_WORDS - 1, &word))
    return false;
  *ref = norn_ref(NORN_REF_UNIFORM, (uint32_t)word);
  return true;
}

bool
norn_parse_wrong_uniform(NornParser *p, NornType declared, NornType wanted, NornLocation location) {
  NORN_PARSE_FAULT(p, location, "the uniform is %s, expected %s", norn_types[declared].name,
                   norn_types[wanted].name);
  return false;
}

NornText
norn_parse_take_literal(NornParser *p) {
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

bool
norn_parse_literal_bits(NornParser *p, NornText text, NornType type, NornLocation location,
                        uint64_t *bits) {
  char quote[NORN_QUOTE_SIZE];
  NornLiteralStatus status = norn_parse_literal(text.start, text.length, type, bits);
  if (status == NORN_LITERAL_OK)
    return true;
  norn_quote(quote, text.start, text.length);
  if (norn_type_bits(type) > 64)
    NORN_PARSE_FAULT(p, location, "a value of type %s cannot be a constant, found '%s'",
                     norn_types[type].name, quote);
  else if (status == NORN_LITERAL_RANGE && norn_types[type].class == NORN_CLASS_INT &&
           norn_types[type].lanes == 1)
    NORN_PARSE_FAULT(
        p, location, "%s is out of range for %s: %" G_GINT64_FORMAT " to %" G_GUINT64_FORMAT, quote,
        norn_types[type].name, -(gint64)(norn_type_mask(type) / 2) - (type != NORN_TYPE_I1),
        (guint64)norn_type_mask(type));
  else if (status == NORN_LITERAL_RANGE)
    NORN_PARSE_FAULT(p, location, "%s is out of range for %s", quote, norn_types[type].name);
  else if (type == NORN_TYPE_VOID)
    NORN_PARSE_FAULT(p, location, "expected a value or a uniform, found '%s'", quote);
  else if (norn_types[type].lanes > 1)
    NORN_PARSE_FAULT(p, location,
                     "expected a value or the bits of type %s in hexadecimal, found '%s'",
                     norn_types[type].name, quote);
  else if (norn_types[type].class == NORN_CLASS_FLOAT &&
           norn_scan_number(text.start, text.start + text.length).length == text.length)
    NORN_PARSE_FAULT(p, location,
                     "%s is not a constant of type %s; write %s.0 or the bits in hexadecimal",
                     quote, norn_types[type].name, quote);
  else
    NORN_PARSE_FAULT(p, location, "expected a value or a constant of type %s, found '%s'",
                     norn_types[type].name, quote);
  return false;
}

bool
norn_parse_operand(NornParser *p, NornType type) {
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
    return norn_parse_use(p, flags | norn_ref(NORN_REF_VALUE, 0));
  NornLocation location = norn_parse_here(p);
  if (flags)
    return norn_parse_expected(p, "a value");
  NornText text;
  uint64_t bits;
  if ((type == NORN_TYPE_I32 || type == NORN_TYPE_I64) && norn_parse_small_number(p, &text, &bits))
    return norn_parse_push_operand(p, norn_constant(p->module, bits));
  if (norn_parse_at_uniform(lexer)) {
    NornRef ref;
    NornType declared;
    return norn_parse_uniform(p, &ref, &declared) &&
           norn_parse_check_uniform_type(p, declared, type, location) &&
           norn_parse_push_operand(p, ref);
  }
  text = norn_parse_take_literal(p);
  if (!text.length)
    return norn_parse_expected(p, "an operand");
  return norn_parse_literal_bits(p, text, type, location, &bits) &&
         norn_parse_push_operand(p, norn_constant(p->module, bits));
}

/* An argument of a block or function whose parameter may be parsed later. */
static bool
parse_argument(NornParser *p, NornPendingUse pending, NornPendingUse **list, uint32_t *count,
               uint32_t *capacity) {
  norn_skip_blanks(&p->lexer);
  char c = norn_peek(&p->lexer);
  if (c == '%' || c == '^')
    return norn_parse_operand(p, NORN_TYPE_VOID);
  pending.location = norn_parse_here(p);
  pending.inst = p->function->inst_count - 1;
  pending.operand = norn_parse_next_operand(p);
  pending.text.start = p->lexer.at;
  NornRef ref = norn_ref(NORN_REF_CONSTANT, 0);
  if (norn_parse_at_uniform(&p->lexer)) {
    NornType declared;
    if (!norn_parse_uniform(p, &ref, &declared))
      return false;
    if (declared == NORN_TYPE_VOID)
      return norn_parse_push_operand(p, ref);
    pending.declared = (uint8_t)declared;
  } else {
    pending.text = norn_parse_take_literal(p);
    if (!pending.text.length)
      return norn_parse_expected(p, "an argument");
  }
  NORN_GROW(*list, *capacity, (uint64_t)*count + 1);
  (*list)[(*count)++] = pending;
  return norn_parse_push_operand(p, ref);
}

/* "(a, b)" after a block or function, if present. */
static bool
parse_arguments(NornParser *p, NornPendingUse pending, NornPendingUse **list, uint32_t *count,
                uint32_t *capacity) {
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
  return norn_parse_expect_start(p, ')', "',' or ')'");
}

bool
norn_parse_block_operand(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  uint32_t name = norn_parse_name(p);
  if (!name)
    return norn_parse_expected(p, "a block");
  uint32_t block = norn_parse_mention_block(p, name, location);
  return norn_parse_push_operand(p, norn_ref(NORN_REF_BLOCK, block)) &&
         parse_arguments(p, (NornPendingUse){.target = block}, &p->arguments, &p->argument_count,
                         &p->argument_capacity);
}

bool
norn_parse_case(NornParser *p, NornType type) {
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  NornText text = norn_parse_take_literal(p);
  uint64_t bits;
  if (!text.length)
    return norn_parse_expected(p, "a constant");
  return norn_parse_literal_bits(p, text, type, location, &bits) &&
         norn_parse_push_operand(p, norn_constant(p->module, bits)) &&
         norn_parse_expect_start(p, ':', "':' and a block") && norn_parse_block_operand(p);
}

bool
norn_parse_callee(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  uint32_t name = norn_parse_sigil_name(p, '@', "a function, as in @f");
  if (!name)
    return false;
  NORN_GROW(p->calls, p->call_capacity, (uint64_t)p->call_count + 1);
  p->calls[p->call_count++] = (NornPendingUse){.function = p->module->function_count - 1,
                                               .inst = p->function->inst_count - 1,
                                               .operand = norn_parse_next_operand(p),
                                               .target = name,
                                               .index = NORN_INDEX_NONE,
                                               .location = location};
  return norn_parse_push_operand(p, norn_ref(NORN_REF_FUNCTION, 0)) &&
         parse_arguments(p, (NornPendingUse){.target = name}, &p->calls, &p->call_count,
                         &p->call_capacity);
}
