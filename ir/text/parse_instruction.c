/* Parses instruction lines: results, mnemonic, flags, operands. Generic instructions follow the
 * letters of their row, machine instructions the shape given by the machine. */
#include "ir/construct.h"
#include "ir/text/literal.h"
#include "ir/text/parser.h"
#include <string.h>

/* Finds the number of a modifier value by its name. */
static bool
find_modifier(NornParser *p, const NornImmediateInfo *info, NornText text, NornLocation location,
              int64_t *value) {
  char quote[NORN_QUOTE_SIZE];
  const NornModifierInfo *values = &norn_modifiers[info->modifier];
  for (*value = 0; *value < values->count; ++*value)
    if (norn_text_is(text, values->texts[*value]))
      return true;
  GString *expected = g_string_new(values->texts[0]);
  for (unsigned k = 1; k < values->count; k++)
    g_string_append_printf(expected, "%s%s", k + 1 < values->count ? ", " : " or ",
                           values->texts[k]);
  NORN_PARSE_FAULT(p, location, "%s is '%s', expected %s", info->name,
                   norn_quote(quote, text.start, text.length), expected->str);
  g_string_free(expected, TRUE);
  return false;
}

/* ":value" of immediate `number`. */
static bool
parse_immediate_value(NornParser *p, unsigned number, int64_t *value) {
  char quote[NORN_QUOTE_SIZE];
  const NornImmediateInfo *info = &norn_immediates[number];
  if (!norn_parse_expect_start(p, ':', "':' and a value"))
    return false;
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  NornText text;
  uint64_t bits;
  bool is_small = norn_parse_small_number(p, &text, &bits);
  if (!is_small)
    text = norn_parse_take_literal(p);
  if (!text.length)
    return norn_parse_expected(p, "a value");
  if (info->modifier)
    return find_modifier(p, info, text, location, value);
  if (!is_small && !norn_parse_literal_bits(p, text, NORN_TYPE_I64, location, &bits))
    return false;
  *value = (int64_t)bits;
  if (*value >= norn_immediate_minimum(number) && *value <= norn_immediate_maximum(number))
    return true;
  NORN_PARSE_FAULT(p, location, "%s is %s, expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                   info->name, norn_quote(quote, text.start, text.length),
                   (gint64)norn_immediate_minimum(number), (gint64)norn_immediate_maximum(number));
  return false;
}

/* "name:value" or, for a one-bit immediate, "name". */
static bool
parse_named_immediate(NornParser *p, uint64_t flags, uint64_t *seen) {
  char quote[NORN_QUOTE_SIZE];
  norn_skip_blanks(&p->lexer);
  NornLocation location = norn_parse_here(p);
  NornText word = norn_take(&p->lexer, NORN_CHAR_WORD);
  unsigned i = 0;
  while (i < NORN_IMMEDIATE_COUNT &&
         (!(flags & norn_immediates[i].flag) || !norn_text_is(word, norn_immediates[i].name)))
    i++;
  if (i == NORN_IMMEDIATE_COUNT) {
    if (!word.length)
      return norn_parse_expected(p, "a named operand");
    NORN_PARSE_FAULT(p, location, "the operation takes no '%s'",
                     norn_quote(quote, word.start, word.length));
    return false;
  }
  const NornImmediateInfo *info = &norn_immediates[i];
  if (*seen & info->flag) {
    NORN_PARSE_FAULT(p, location, "'%s' is given twice", info->name);
    return false;
  }
  *seen |= info->flag;
  int64_t value = 1;
  if ((info->width > 1 || info->modifier) && !parse_immediate_value(p, i, &value))
    return false;
  NornInst *inst = norn_inst(p->function, p->function->inst_count - 1);
  inst->payload = norn_set_immediate(inst->payload, i, value);
  return true;
}

/* Whether the next word is the name of a named immediate. */
static bool
at_named_immediate(const NornParser *p, uint64_t flags) {
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
at_end_of_line(NornParser *p) {
  norn_skip_blanks(&p->lexer);
  return norn_peek(&p->lexer) == '\n';
}

/* Named immediates up to the end of the line, after operands or first in the list. */
static bool
parse_immediates(NornParser *p, uint64_t immediates, bool first) {
  uint64_t seen = 0;
  for (; !at_end_of_line(p); first = false)
    if ((!first && !norn_parse_expect_start(p, ',', "',' or the end of the line")) ||
        !parse_named_immediate(p, immediates, &seen))
      return false;
  return true;
}

/* One operand, according to its letter. */
static bool
parse_lettered(NornParser *p, const NornSignatureCursor *cursor) {
  switch (norn_cursor_kind(cursor)) {
  case NORN_LETTER_BLOCK:
    return norn_parse_block_operand(p);
  case NORN_LETTER_CASE:
    return norn_parse_case(p, cursor->type);
  case NORN_LETTER_FUNCTION:
    return norn_parse_callee(p);
  default:
    return norn_parse_operand(p, norn_cursor_type(cursor));
  }
}

/* The operands of a generic instruction, according to the letters of its row. */
static G_GNUC_NO_INLINE bool
parse_generic_operands(NornParser *p) {
  const NornInst *inst = norn_inst(p->function, p->function->inst_count - 1);
  const NornOpInfo *info = &norn_ops[inst->op];
  NornSignatureCursor cursor = norn_inst_operands(inst);
  bool is_void = norn_type_in(info->types, NORN_TYPE_VOID) && inst->type == NORN_TYPE_VOID;
  uint64_t immediates = info->flags & NORN_OP_IMMEDIATES;
  for (bool first = true;; first = false, norn_cursor_next(&cursor)) {
    bool one_or_none = norn_cursor_is_optional(&cursor);
    bool may_end = one_or_none || norn_cursor_is_repeated(&cursor);
    bool want = norn_cursor_kind(&cursor) != NORN_LETTER_END && !(is_void && one_or_none);
    if ((!want || may_end) && at_end_of_line(p))
      return true;
    if (!want)
      return immediates ? parse_immediates(p, immediates, first)
                        : norn_parse_expected(p, "the end of the line");
    if (!first && !norn_parse_expect_start(p, ',', "',' and another operand"))
      return false;
    if (may_end && immediates && at_named_immediate(p, immediates))
      return parse_immediates(p, immediates, true);
    if (!parse_lettered(p, &cursor))
      return false;
  }
}

static inline void
parse_flags(NornParser *p, NornInst *inst) {
  for (;;) {
    norn_skip_blanks(&p->lexer);
    char c = norn_peek(&p->lexer);
    if (c != 'c' && c != 'd' && c != 'e' && c != 'f' && c != 'n')
      return; /* not the first letter of any flag */
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

/* Creates the results of the new instruction, with the types that its row says. */
static G_GNUC_NO_INLINE bool
define_generic_results(NornParser *p, uint32_t inst_index) {
  NornFunction *function = p->function;
  NornInst *inst = norn_inst(function, inst_index);
  const NornOpInfo *info = &norn_ops[inst->op];
  NornSignatureCursor cursor = norn_inst_results(inst);
  bool ok = true;
  for (uint32_t i = 0; i < p->result_count; i++, norn_cursor_next(&cursor)) {
    const NornDefinition *result = &p->results[i];
    NornType type = norn_cursor_type(&cursor);
    uint32_t value = norn_value_create(function, type);
    norn_value(function, value)->def = inst_index;
    norn_value(function, value)->index = (uint16_t)i;
    norn_parse_define_value(p, value, result);
    if (ok && type == NORN_TYPE_VOID) {
      if (i)
        NORN_PARSE_FAULT(p, result->location, "%s has %u result%s, not %u", info->name, i,
                         i == 1 ? "" : "s", p->result_count);
      else
        NORN_PARSE_FAULT(p, result->location, "%s has no result", info->name);
      ok = false;
    }
    if (ok && result->suffix.length) {
      NORN_PARSE_FAULT(p, result->location, "a result of %s cannot have a suffix", info->name);
      ok = false;
    }
    if (ok && result->type != NORN_TYPE_VOID && result->type != type) {
      NORN_PARSE_FAULT(p, result->location, "the result of %s has type %s, not %s", info->name,
                       norn_types[type].name, norn_types[result->type].name);
      ok = false;
    }
  }
  return ok;
}

/* Whether there are enough results for the row. */
static bool
check_result_count(NornParser *p, const NornInst *inst, NornLocation location) {
  const NornOpInfo *info = &norn_ops[inst->op];
  unsigned needed = norn_result_arity(inst->op).fixed;
  if (p->result_count >= needed)
    return true;
  NORN_PARSE_FAULT(p, location, "%s has %u result%s, not %u", info->name, needed,
                   needed == 1 ? "" : "s", p->result_count);
  return false;
}

/* Creates values for the names on the left of an instruction that was not understood, so that their
 * uses are not reported as well. */
static void
define_unknown_results(NornParser *p) {
  for (uint32_t i = 0; i < p->result_count; i++)
    norn_parse_define_value(p, norn_value_create(p->function, NORN_TYPE_VOID), &p->results[i]);
}

/* The suffix of a source, if any. */
static bool
parse_source_suffix(NornParser *p, uint32_t inst_index, unsigned operand) {
  if (norn_peek(&p->lexer) != '.')
    return true;
  NornLocation location = norn_parse_here(p);
  NornText suffix = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  const NornMachine *machine = p->module->machine;
  NornInst *inst = norn_inst(p->function, inst_index);
  NornMachineText text = {.start = suffix.start, .length = suffix.length};
  return machine->parse_operand_suffix(machine, inst->op - NORN_OP_MACHINE, operand, &text,
                                       &inst->payload) ||
         norn_parse_machine_fault(p, location, &text);
}

/* "name:value" or "#value", up to the next comma or the end of the line. */
static bool
parse_machine_immediate(NornParser *p, uint32_t inst_index) {
  NornLexer *lexer = &p->lexer;
  NornLocation location = norn_parse_here(p);
  NornMachineText text = {.start = lexer->at};
  while (*lexer->at != ',' && *lexer->at != '\n' && *lexer->at != ';' &&
         !norn_peek_class(lexer, NORN_CHAR_BLANK))
    lexer->at++;
  text.length = (size_t)(lexer->at - text.start);
  const NornMachine *machine = p->module->machine;
  NornInst *inst = norn_inst(p->function, inst_index);
  return machine->parse_immediate(machine, inst->op - NORN_OP_MACHINE, &text, &inst->payload) ||
         norn_parse_machine_fault(p, location, &text);
}

static bool
at_machine_immediate(const NornParser *p) {
  NornLexer lexer = p->lexer;
  if (norn_peek(&lexer) == '#')
    return true;
  return norn_take(&lexer, NORN_CHAR_WORD).length && norn_peek(&lexer) == ':';
}

/* A special source: the longest prefix of the dotted word that the machine knows. */
static bool
parse_special(NornParser *p) {
  const NornMachine *machine = p->module->machine;
  char quote[NORN_QUOTE_SIZE];
  NornLocation location = norn_parse_here(p);
  NornText word = norn_take(&p->lexer, NORN_CHAR_WORD | NORN_CHAR_DOT);
  for (size_t length = word.length; length; length--) {
    if (length < word.length && word.start[length] != '.')
      continue;
    int special = machine->find_special(machine, word.start, length);
    if (special < 0)
      continue;
    p->lexer.at = word.start + length;
    return norn_parse_push_operand(p, norn_ref(NORN_REF_SPECIAL, (uint32_t)special));
  }
  NORN_PARSE_FAULT(p, location, "unknown source '%s'", norn_quote(quote, word.start, word.length));
  return false;
}

/* A register-like source of a machine instruction. */
static bool
parse_machine_source(NornParser *p, uint32_t inst_index, unsigned operand, unsigned *staging) {
  NornLexer *lexer = &p->lexer;
  NornRef flags = 0;
  if (norn_peek(lexer) == '^') {
    lexer->at++;
    flags = NORN_REF_LAST_USE;
  }
  if (norn_peek(lexer) == '@') {
    lexer->at++;
    *staging |= operand < NORN_MACHINE_OPERANDS ? 1u << operand : 0;
  }
  char c = norn_peek(lexer);
  bool ok;
  if (c == '%') {
    ok = norn_parse_use(p, flags | norn_ref(NORN_REF_VALUE, 0));
  } else if (flags) {
    return norn_parse_expected(p, "a value");
  } else if (norn_parse_at_uniform(lexer)) {
    NornRef ref;
    NornType declared;
    ok = norn_parse_uniform(p, &ref, &declared) && norn_parse_push_operand(p, ref);
  } else if (norn_peek_class(lexer, NORN_CHAR_DIGIT) || c == '-') {
    NornLocation location = norn_parse_here(p);
    NornText text = norn_parse_take_literal(p);
    uint64_t bits;
    ok = norn_parse_literal_bits(p, text, NORN_TYPE_I64, location, &bits) &&
         norn_parse_push_operand(p, norn_constant(p->module, bits));
  } else if (norn_peek_class(lexer, NORN_CHAR_WORD)) {
    ok = parse_special(p);
  } else {
    return norn_parse_expected(p, "an operand");
  }
  return ok && parse_source_suffix(p, inst_index, operand);
}

/* The operands of a machine instruction: sources and immediates, then blocks. */
static bool
parse_machine_operands(NornParser *p, uint32_t inst_index, NornLocation location) {
  NornMachineShape shape;
  norn_inst_shape(p->module, norn_inst(p->function, inst_index), &shape);
  unsigned sources = 0, staging = 0;
  if (!at_end_of_line(p)) {
    do {
      norn_skip_blanks(&p->lexer);
      bool ok;
      if (at_machine_immediate(p))
        ok = parse_machine_immediate(p, inst_index);
      else if (shape.is_terminator && sources == shape.operand_count)
        ok = norn_parse_block_operand(p);
      else
        ok = parse_machine_source(p, inst_index, sources++, &staging);
      if (!ok)
        return false;
    } while (norn_accept(&p->lexer, ','));
    if (!norn_parse_end_of_line(p))
      return false;
  }
  norn_inst_shape(p->module, norn_inst(p->function, inst_index), &shape);
  if (staging == shape.operand_is_staging)
    return true;
  NORN_PARSE_FAULT(p, location, "staging operands, and only those, are written with '@'");
  return false;
}

/* Creates the results of a machine instruction, with the types that are written or the widths of
 * its shape. */
static bool
define_machine_results(NornParser *p, uint32_t inst_index) {
  NornFunction *function = p->function;
  const NornMachine *machine = p->module->machine;
  NornMachineShape shape;
  bool ok = true;
  for (uint32_t i = 0; i < p->result_count; i++) {
    const NornDefinition *result = &p->results[i];
    NornInst *inst = norn_inst(function, inst_index);
    NornMachineText suffix = {.start = result->suffix.start, .length = result->suffix.length};
    if (suffix.length && !machine->parse_result_suffix(machine, inst->op - NORN_OP_MACHINE, i,
                                                       &suffix, &inst->payload))
      ok = norn_parse_machine_fault(p, result->location, &suffix);
    norn_inst_shape(p->module, inst, &shape);
    NornType type = result->type;
    if (type == NORN_TYPE_VOID && i < shape.result_count)
      type = norn_type_of_words(shape.result_words[i]);
    uint32_t value = norn_value_create(function, type);
    norn_value(function, value)->def = inst_index;
    norn_value(function, value)->index = (uint16_t)i;
    norn_parse_define_value(p, value, result);
    if (i == 0)
      norn_inst(function, inst_index)->type = (uint8_t)type;
  }
  return ok;
}

/* "%a = " as it is printed, the most frequent start of a line; does not advance if it is not there.
 */
static inline bool
accept_single_result(NornParser *p) {
  NornLexer *lexer = &p->lexer;
  NornLocation location = norn_parse_here(p);
  const char *start = lexer->at++;
  uint32_t name = norn_parse_other_name(p); /* most are new */
  if (name && lexer->at[0] == ' ' && lexer->at[1] == '=' && lexer->at[2] == ' ') {
    lexer->at += 3;
    p->results[0] = (NornDefinition){
        .name = name, .location = location, .reg = NORN_REGISTER_NONE, .type = NORN_TYPE_VOID};
    p->result_count = 1;
    return true;
  }
  lexer->at = start;
  return false;
}

/* "%a, %b =" before the mnemonic, if present. */
static bool
parse_results(NornParser *p) {
  p->result_count = 0;
  if (norn_peek(&p->lexer) != '%' || accept_single_result(p))
    return true;
  do {
    NORN_GROW(p->results, p->result_capacity, (uint64_t)p->result_count + 1);
    if (p->result_count == NORN_LIST_LIMIT) {
      NORN_PARSE_FAULT(p, norn_parse_here(p), "more than %u results", NORN_LIST_LIMIT);
      return false;
    }
    if (!norn_parse_definition(p, &p->results[p->result_count]))
      return false;
    p->result_count++;
  } while (norn_accept(&p->lexer, ','));
  return norn_parse_expect_start(p, '=', "',' or '='");
}

/* Creates the instruction for a mnemonic at the end of the current block, with room for plain
 * operands. */
static uint32_t
create_inst(NornParser *p, const NornMnemonic *mnemonic, NornLocation location) {
  NornFunction *function = p->function;
  NornBlock *block = norn_block(function, p->block);
  norn_reserve_operands(function, NORN_PLAIN_OPERANDS);
  uint32_t index = norn_inst_add(function);
  p->first_operand = function->operand_count;
  *norn_inst(function, index) = (NornInst){
      .op = mnemonic->op,
      .type = mnemonic->type,
      .source_type = mnemonic->source_type,
      .modifier = mnemonic->modifier,
      .result = function->value_count,
      .previous = block->last,
      .next = NORN_INDEX_NONE,
      .block = p->block,
      .line = location.line,
      .result_count = (uint16_t)p->result_count,
      .column = (uint16_t)MIN(location.column, UINT16_MAX),
      .payload = mnemonic->payload,
  };
  norn_inst_place_operands(function, norn_inst(function, index), p->first_operand);
  *(block->last == NORN_INDEX_NONE ? &block->first : &norn_inst(function, block->last)->next) =
      index;
  block->last = index;
  return index;
}

/* Whether the results of a plain mnemonic match its row and have no suffix or type. */
static bool
is_plain_result(const NornParser *p, const NornMnemonic *mnemonic) {
  if (p->result_count != mnemonic->signature.result_count)
    return false;
  return !p->result_count || (p->results->type == NORN_TYPE_VOID && !p->results->suffix.length);
}

static void
define_plain_result(NornParser *p, const NornMnemonic *mnemonic, uint32_t inst) {
  if (!mnemonic->signature.result_count)
    return;
  uint32_t value = norn_value_create(p->function, mnemonic->signature.result_type);
  norn_value(p->function, value)->def = inst;
  norn_parse_define_value(p, value, &p->results[0]);
}

/* "%a", the use of a value that is already defined, perhaps preceded by a blank; the most frequent
 * operand. Does not advance if it is not there. */
static inline bool
accept_defined_value(NornParser *p) {
  NornLexer *lexer = &p->lexer;
  const char *start = lexer->at;
  const char *at = start + (*start == ' ');
  if (*at != '%')
    return false;
  lexer->at = at + 1;
  uint32_t name = norn_parse_name(p), value = name ? p->names[name].value : 0;
  if (!value || norn_peek(lexer) == '@') {
    lexer->at = start;
    return false;
  }
  NornFunction *function = p->function;
  *norn_operand_at(function, function->operand_count) = norn_ref(NORN_REF_VALUE, value - 1);
  function->operand_count++;
  return true;
}

static bool
parse_plain_operands(NornParser *p, const NornMnemonic *mnemonic) {
  for (unsigned k = 0; k < mnemonic->signature.operand_count; k++)
    if ((k && !norn_parse_expect_start(p, ',', "',' and another operand")) ||
        (!accept_defined_value(p) && !norn_parse_operand(p, mnemonic->signature.operand_types[k])))
      return false;
  uint64_t immediates = norn_ops[mnemonic->op].flags & NORN_OP_IMMEDIATES;
  return !immediates || parse_immediates(p, immediates, !mnemonic->signature.operand_count);
}

/* Defines the results of the new instruction and parses the rest of the line after its mnemonic. */
static bool
parse_rest(NornParser *p, const NornMnemonic *mnemonic, uint32_t inst, NornLocation location) {
  if (mnemonic->signature.is_plain && is_plain_result(p, mnemonic)) {
    define_plain_result(p, mnemonic, inst);
    parse_flags(p, norn_inst(p->function, inst));
    return parse_plain_operands(p, mnemonic);
  }
  if (mnemonic->op >= NORN_OP_MACHINE) {
    if (!define_machine_results(p, inst))
      return false;
    parse_flags(p, norn_inst(p->function, inst));
    return parse_machine_operands(p, inst, location);
  }
  if (!define_generic_results(p, inst) ||
      !check_result_count(p, norn_inst(p->function, inst), location))
    return false;
  if (norn_op_has_flags(mnemonic->op))
    parse_flags(p, norn_inst(p->function, inst));
  return parse_generic_operands(p);
}

bool
norn_parse_instruction(NornParser *p) {
  NornLocation location = norn_parse_here(p);
  if (p->block == NORN_INDEX_NONE) {
    NORN_PARSE_FAULT(
        p, location,
        "an instruction before the first block; start the block with a label such as 'entry:'");
    return false;
  }
  if (!parse_results(p))
    return false;
  norn_skip_blanks(&p->lexer);
  NornLocation mnemonic_location = norn_parse_here(p);
  const NornMnemonic *mnemonic = norn_parse_mnemonic(p, mnemonic_location);
  if (!mnemonic) {
    define_unknown_results(p);
    return false;
  }
  uint32_t inst = create_inst(p, mnemonic, location);
  bool ok = parse_rest(p, mnemonic, inst, mnemonic_location);
  norn_inst(p->function, inst)->operand_count = (uint16_t)norn_parse_next_operand(p);
  return ok;
}
