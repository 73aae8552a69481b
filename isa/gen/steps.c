/* Makes of a row what printing and checking it takes no thought for.
 *
 * The text of an instruction is a sequence of pieces, each of which follows from a few bits of the
 * word: a modifier with its dot, an operand with the comma before it, a whole staging group. Every
 * value of these bits gets its text ready; neighbors that depend on few bits together become one
 * step. In the same way conditions on few bits become bit maps of the values that meet them. */
#include "isa/gen/gen.h"
#include <string.h>

enum {
  MERGED_BITS = 8, /* of neighbors that become one step */
  PIECE_BITS = 12,
  TEST_BITS = 16,
  MERGED_TEST_BITS = 12,
  NUMBER_ROOM = 24, /* the longest number, or label */
};

typedef enum {
  PIECE_CONSTANT, /* only `before` */
  PIECE_ENUM,     /* the value's name after `before`; nothing if it has none */
  PIECE_CODE,     /* the name of a code, in the bank `other` */
  PIECE_SIGN,     /* what stands before a negated operand, or an absolute one (`other`) */
  PIECE_BAR,      /* what stands after an absolute one */
  PIECE_STAGING,  /* a group of `words` registers, or of as many as `other` says */
  PIECE_LIST,     /* bits */
} PieceKind;

/* Self-contained, so that equal pieces are equal bytes. */
typedef struct {
  PieceKind kind;
  char before[NORN_ISA_STEP_TEXT + 1];
  NornIsaField field, other, negate; /* width 0: none */
  uint8_t list_count, list[NORN_ISA_OPERAND_MODIFIERS];
  uint8_t words;
  bool leading;     /* nothing comes before, so that it must not be empty */
  bool by_amount;   /* `other` counts by its amounts, else by its value */
  NornIsaText text; /* PIECE_CONSTANT: after `before`; 0: nothing */
  uint32_t texts, codes;
} Piece;

typedef struct {
  Generator *gen;
  const GenParts *parts;
  bool dotted, commas;
  GArray *pieces;   /* Piece: of the step in the making */
  unsigned longest; /* what these can write */
  unsigned room;    /* what the steps can write */
  bool first;       /* no operand was written yet */
  bool failed;      /* some text does not fit into steps */
} Maker;

static uint64_t
field_bits(const NornIsaField *field) {
  return field->width ? norn_isa_insert(field, UINT64_MAX) : 0;
}

static uint64_t
piece_bits(const Piece *piece) {
  uint64_t bits =
      field_bits(&piece->field) | field_bits(&piece->other) | field_bits(&piece->negate);
  for (unsigned i = 0; i < piece->list_count; i++)
    bits |= UINT64_C(1) << piece->list[i];
  return bits;
}

/* Texts of pieces: append to `out`; false if the word needs a closer look. */

static bool
append_name(const Generator *gen, GString *out, uint32_t index) {
  NornIsaText text = g_array_index(gen->texts.items, NornIsaText, index);
  if (text == NORN_ISA_TEXT_ILLEGAL)
    return false;
  g_string_append(out, gen_string(gen, text));
  return true;
}

static bool
append_enum(const Generator *gen, GString *out, const Piece *piece, uint64_t word) {
  uint32_t index = piece->texts + norn_isa_extract(&piece->field, word);
  if (!g_array_index(gen->texts.items, NornIsaText, index))
    return true;
  g_string_append(out, piece->before);
  return append_name(gen, out, index);
}

static bool
append_code(const Generator *gen, GString *out, const Piece *piece, uint64_t word) {
  uint32_t code = norn_isa_extract(&piece->field, word);
  if (piece->other.width)
    code |= norn_isa_extract(&piece->other, word) << norn_isa_field_width(&piece->field);
  const NornIsaCode *entry = &g_array_index(gen->codes.items, NornIsaCode, piece->codes + code);
  /* A negated constant can be written in another way. */
  if (piece->negate.width && norn_isa_extract(&piece->negate, word) &&
      entry->kind == NORN_ISA_CODE_CONSTANT)
    return false;
  g_string_append(out, piece->before);
  return append_name(gen, out, piece->texts + code);
}

static bool
append_sign(GString *out, const Piece *piece, uint64_t word) {
  const NornIsaField *fields[] = {&piece->field, &piece->other};
  g_string_append(out, piece->before);
  for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
    uint32_t value = fields[i]->width ? norn_isa_extract(fields[i], word) : 0;
    if (fields[i]->width && !(fields[i]->allowed >> value & 1))
      return false;
    if (value)
      g_string_append_c(out, i ? '|' : '-');
  }
  return true;
}

static bool
append_staging(const Generator *gen, GString *out, const Piece *piece, uint64_t word) {
  uint32_t code = norn_isa_extract(&piece->field, word);
  int64_t count = piece->words;
  if (piece->other.width) {
    count = norn_isa_extract(&piece->other, word);
    if (piece->by_amount)
      count = g_array_index(gen->amounts.items, int32_t, piece->other.amounts + (uint32_t)count);
  }
  if (count <= 0)
    return !code && !piece->leading;
  g_string_append(out, piece->before);
  for (int64_t i = 0; i < count; i++) {
    g_string_append_c(out, i ? ':' : '@');
    if ((code + i) >> norn_isa_field_width(&piece->field) ||
        !append_name(gen, out, piece->texts + code + (uint32_t)i))
      return false;
  }
  return true;
}

static bool
append_list(GString *out, const Piece *piece, uint64_t word) {
  if (!(word & piece_bits(piece)))
    return !piece->leading;
  g_string_append(out, piece->before);
  for (unsigned i = 0; i < piece->list_count; i++)
    g_string_append_printf(out, "%c%u", i ? ',' : '[', (unsigned)(word >> piece->list[i] & 1));
  g_string_append_c(out, ']');
  return true;
}

static bool
append_piece(const Generator *gen, GString *out, const Piece *piece, uint64_t word) {
  switch (piece->kind) {
  case PIECE_ENUM:
    return append_enum(gen, out, piece, word);
  case PIECE_CODE:
    return append_code(gen, out, piece, word);
  case PIECE_SIGN:
    return append_sign(out, piece, word);
  case PIECE_BAR:
    if (norn_isa_extract(&piece->field, word))
      g_string_append_c(out, '|');
    return true;
  case PIECE_STAGING:
    return append_staging(gen, out, piece, word);
  case PIECE_LIST:
    return append_list(out, piece, word);
  case PIECE_CONSTANT:
    break;
  }
  g_string_append(out, piece->before);
  g_string_append(out, gen_string(gen, piece->text));
  return true;
}

/* Steps */

/* The texts of some pieces for all values of their bits. Returns the index of the first, and the
 * length of the longest. */
static uint32_t
fill_texts(Generator *gen, const Piece *pieces, unsigned count, uint64_t bits, unsigned *longest) {
  unsigned size = 1u << __builtin_popcountll(bits);
  NornIsaText *texts = g_new(NornIsaText, size);
  GString *text = g_string_new(NULL);
  *longest = 0;
  for (unsigned i = 0; i < size; i++) {
    uint64_t word = gen_scatter(bits, i);
    bool good = true;
    g_string_truncate(text, 0);
    for (unsigned k = 0; k < count && good; k++)
      good = append_piece(gen, text, &pieces[k], word);
    good = good && text->len <= NORN_ISA_STEP_TEXT;
    texts[i] = good ? gen_intern(gen, text->str) : NORN_ISA_FRAGMENT_CARE;
    if (good && text->len > *longest)
      *longest = (unsigned)text->len;
  }
  uint32_t first = gen_pool_add(&gen->fragments, texts, size);
  g_string_free(text, TRUE);
  g_free(texts);
  return first;
}

/* The same, made only once for equal pieces. */
static uint32_t
find_texts(Generator *gen, const Piece *pieces, unsigned count, uint64_t bits, unsigned *longest) {
  GBytes *key = g_bytes_new(pieces, count * sizeof *pieces);
  guint64 *found = g_hash_table_lookup(gen->step_texts, key);
  if (!found) {
    found = g_new(guint64, 1);
    uint32_t first = fill_texts(gen, pieces, count, bits, longest);
    *found = (guint64)first << 32 | *longest;
    g_hash_table_insert(gen->step_texts, g_bytes_ref(key), found);
  }
  g_bytes_unref(key);
  *longest = (unsigned)(*found & UINT32_MAX);
  return (uint32_t)(*found >> 32);
}

static uint64_t
all_bits(const GArray *pieces) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < pieces->len; i++)
    bits |= piece_bits(&g_array_index(pieces, Piece, i));
  return bits;
}

/* Ends the step in the making: what comes after its text. */
static void
finish_step(Maker *maker, NornIsaStepKind kind, unsigned operand) {
  NornIsaStep step;
  memset(&step, 0, sizeof step);
  uint64_t bits = all_bits(maker->pieces);
  unsigned longest;
  gen_gather(bits, &step.bits);
  step.kind = (uint8_t)kind;
  step.operand = (uint8_t)operand;
  step.texts = find_texts(maker->gen, (const Piece *)(gpointer)maker->pieces->data,
                          maker->pieces->len, bits, &longest);
  maker->room += longest + (kind == NORN_ISA_STEP_OPERAND ? NUMBER_ROOM : 0);
  g_array_append_val(maker->parts->steps, step);
  g_array_set_size(maker->pieces, 0);
  maker->longest = 0;
}

/* The longest text of a piece that fits a step at all. */
static unsigned
longest_text(Generator *gen, const Piece *piece) {
  GBytes *key = g_bytes_new(piece, sizeof *piece);
  gpointer found = g_hash_table_lookup(gen->piece_lengths, key);
  unsigned longest = 1;
  if (found) {
    g_bytes_unref(key);
    return GPOINTER_TO_UINT(found) - 1;
  }
  GString *text = g_string_new(NULL);
  uint64_t bits = piece_bits(piece);
  for (unsigned i = 0; i < 1u << __builtin_popcountll(bits); i++) {
    g_string_truncate(text, 0);
    if (append_piece(gen, text, piece, gen_scatter(bits, i)) && text->len <= NORN_ISA_STEP_TEXT)
      longest = MAX(longest, (unsigned)text->len + 1);
  }
  g_string_free(text, TRUE);
  g_hash_table_insert(gen->piece_lengths, key, GUINT_TO_POINTER(longest));
  return longest - 1;
}

/* Adds a piece to the step in the making, or begins another. */
static void
push(Maker *maker, const Piece *piece) {
  NornIsaGather gather;
  uint64_t own = piece_bits(piece), before = all_bits(maker->pieces);
  if (!gen_gather(own, &gather) || __builtin_popcountll(own) > PIECE_BITS) {
    maker->failed = true;
    return;
  }
  unsigned longest = longest_text(maker->gen, piece);
  bool few = __builtin_popcountll(own | before) <= MERGED_BITS;
  if (maker->pieces->len &&
      (!few || !gen_gather(own | before, &gather) || maker->longest + longest > NORN_ISA_STEP_TEXT))
    finish_step(maker, NORN_ISA_STEP_PLAIN, 0);
  g_array_append_vals(maker->pieces, piece, 1);
  maker->longest += longest;
}

static const NornIsaField *
slot_field(const Maker *maker, unsigned slot) {
  return &g_array_index(maker->parts->fields, NornIsaField, slot);
}

static Piece
new_piece(PieceKind kind, const char *before) {
  Piece piece;
  memset(&piece, 0, sizeof piece);
  piece.kind = kind;
  strncpy(piece.before, before, sizeof piece.before - 1);
  return piece;
}

static void
push_constant(Maker *maker, const char *before, NornIsaText text) {
  Piece piece = new_piece(PIECE_CONSTANT, before);
  piece.text = text;
  if (*before || (text & 0xFF))
    push(maker, &piece);
}

static void
push_enum(Maker *maker, unsigned slot, const char *before) {
  Piece piece = new_piece(PIECE_ENUM, before);
  piece.field = *slot_field(maker, slot);
  piece.texts = piece.field.texts;
  push(maker, &piece);
}

static void
push_modifiers(Maker *maker, const char *before) {
  for (unsigned i = 0; i < maker->parts->modifiers->len; i++)
    push_enum(maker, g_array_index(maker->parts->modifiers, uint8_t, i), before);
}

static void
push_suffix(Maker *maker, const NornIsaOperand *operand) {
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    if (slot_field(maker, operand->modifiers[i])->form == NORN_ISA_FORM_SUFFIX)
      push_enum(maker, operand->modifiers[i], ".");
  }
}

/* The modifier of an operand with a form; its width is 0 if there is none. */
static NornIsaField
form_field(Maker *maker, const NornIsaOperand *operand, NornIsaForm form) {
  NornIsaField found;
  memset(&found, 0, sizeof found);
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    const NornIsaField *field = slot_field(maker, operand->modifiers[i]);
    if (field->form != form)
      continue;
    maker->failed |= found.width != 0;
    found = *field;
  }
  return found;
}

static void
push_code(Maker *maker, const NornIsaOperand *operand, const char *separator) {
  const NornIsaCodeTable *table =
      &g_array_index(maker->gen->code_tables, NornIsaCodeTable, operand->codes);
  NornIsaField negate = form_field(maker, operand, NORN_ISA_FORM_NEGATE);
  NornIsaField absolute = form_field(maker, operand, NORN_ISA_FORM_ABSOLUTE);
  if (operand->wrapped) {
    Piece sign = new_piece(PIECE_SIGN, separator);
    sign.field = negate;
    sign.other = absolute;
    push(maker, &sign);
  }
  Piece piece = new_piece(PIECE_CODE, operand->wrapped ? "" : separator);
  piece.field = *slot_field(maker, operand->slot);
  if (table->bank != NORN_ISA_NONE && maker->parts->encoding->bank != NORN_ISA_NO_SLOT)
    piece.other = *slot_field(maker, maker->parts->encoding->bank);
  piece.negate = negate;
  piece.texts = operand->texts;
  piece.codes = table->first;
  maker->failed |= norn_isa_field_width(&piece.field) != table->width;
  push(maker, &piece);
  push_suffix(maker, operand);
  if (absolute.width) {
    Piece bar = new_piece(PIECE_BAR, "");
    bar.field = absolute;
    push(maker, &bar);
  }
}

/* The field that says how many registers a group has; false if that takes a computation. */
static bool
find_count(const Maker *maker, const NornIsaOperand *operand, Piece *piece) {
  piece->words = operand->words;
  if (operand->words)
    return true;
  const uint32_t *code = &g_array_index(maker->gen->expressions.items, uint32_t, operand->count);
  if ((code[0] & 0xFF) == NORN_ISA_EXPRESSION_AMOUNT &&
      (code[1] & 0xFF) == NORN_ISA_EXPRESSION_END) {
    piece->other = *slot_field(maker, code[0] >> 8);
    piece->by_amount = piece->other.amounts != UINT32_MAX;
    return true;
  }
  for (unsigned i = 0; i < maker->parts->fields->len; i++) {
    const NornIsaField *field = slot_field(maker, i);
    if (field->kind == NORN_ISA_FIELD_DERIVED && field->expression == operand->count) {
      piece->other = *field; /* its derivation is checked by itself */
      return true;
    }
  }
  return false;
}

static void
push_operand_step(Maker *maker, unsigned index, const char *separator, NornIsaText prefix) {
  push_constant(maker, separator, prefix);
  finish_step(maker, NORN_ISA_STEP_OPERAND, index);
}

static void
push_staging(Maker *maker, unsigned index, const NornIsaOperand *operand, const char *separator) {
  Piece piece = new_piece(PIECE_STAGING, separator);
  NornIsaGather gather;
  piece.field = *slot_field(maker, operand->slot);
  piece.texts = operand->texts;
  piece.leading = maker->first && maker->commas;
  if (find_count(maker, operand, &piece) && gen_gather(piece_bits(&piece), &gather))
    push(maker, &piece);
  else
    push_operand_step(maker, index, separator, 0);
  push_suffix(maker, operand);
}

static void
push_list(Maker *maker, const NornIsaOperand *operand) {
  const char *prefix = gen_string(maker->gen, operand->prefix);
  char *before = g_strdup_printf(" %s", prefix);
  maker->failed |= strlen(before) > NORN_ISA_STEP_TEXT;
  Piece piece = new_piece(PIECE_LIST, before);
  piece.list_count = operand->modifier_count;
  piece.leading = maker->first && maker->commas;
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    const NornIsaField *field = slot_field(maker, operand->modifiers[i]);
    maker->failed |= norn_isa_field_width(field) != 1;
    piece.list[i] = field->position;
  }
  push(maker, &piece);
  g_free(before);
}

/* Whether an immediate can be wrong although its field holds it. */
static bool
is_limited(const Maker *maker, const NornIsaOperand *operand) {
  unsigned width = norn_isa_field_width(slot_field(maker, operand->slot));
  int64_t limit = INT64_C(1) << (operand->is_signed ? width - 1 : width);
  int64_t unit = INT64_C(1) << operand->scale;
  return operand->multiple != 1 || operand->minimum > (operand->is_signed ? -limit * unit : 0) ||
         operand->maximum < (limit - 1) * unit;
}

static void
push_operand(Maker *maker, unsigned index) {
  const NornIsaOperand *operand = &g_array_index(maker->parts->operands, NornIsaOperand, index);
  const char *separator = maker->first || !maker->commas ? " " : ", ";
  uint8_t number = (uint8_t)index;
  switch ((NornIsaOperandRole)operand->role) {
  case NORN_ISA_OPERAND_DESTINATION:
  case NORN_ISA_OPERAND_SOURCE:
    push_code(maker, operand, separator);
    break;
  case NORN_ISA_OPERAND_STAGING_READ:
  case NORN_ISA_OPERAND_STAGING_WRITE:
  case NORN_ISA_OPERAND_STAGING_BOTH:
    push_staging(maker, index, operand, separator);
    break;
  case NORN_ISA_OPERAND_IMMEDIATE:
  case NORN_ISA_OPERAND_TARGET:
    if (is_limited(maker, operand))
      g_array_append_val(maker->parts->checks, number);
    push_operand_step(maker, index, separator,
                      operand->role == NORN_ISA_OPERAND_IMMEDIATE ? operand->prefix : 0);
    maker->failed |= operand->role == NORN_ISA_OPERAND_TARGET && operand->modifier_count;
    push_suffix(maker, operand);
    break;
  case NORN_ISA_OPERAND_LIST:
    push_list(maker, operand);
    break;
  case NORN_ISA_OPERAND_WORD:
    maker->failed |= maker->first && maker->commas;
    push_enum(maker, operand->slot, separator);
    break;
  case NORN_ISA_OPERAND_LITERAL: {
    bool closing = *gen_string(maker->gen, operand->prefix) == ')';
    push_constant(maker, closing ? "" : separator, operand->prefix);
    break;
  }
  }
  maker->first = false;
}

/* Tests */

/* A condition on a word: a derived field, a count, or a rule. */
typedef struct {
  uint64_t bits;
  const NornIsaField *field; /* NULL: a rule */
  uint32_t expression;
} Condition;

static uint64_t
expression_bits(const Generator *gen, const GenParts *parts, uint32_t expression) {
  uint64_t bits = 0;
  const uint32_t *code = &g_array_index(gen->expressions.items, uint32_t, expression);
  for (; (*code & 0xFF) != NORN_ISA_EXPRESSION_END; code++) {
    NornIsaExpressionOperation operation = *code & 0xFF;
    if (operation == NORN_ISA_EXPRESSION_CONSTANT)
      code++;
    else if (operation == NORN_ISA_EXPRESSION_AMOUNT || operation == NORN_ISA_EXPRESSION_CODE)
      bits |= field_bits(&g_array_index(parts->fields, NornIsaField, *code >> 8));
  }
  return bits;
}

static int64_t
evaluate(const Generator *gen, const GenParts *parts, uint32_t expression, uint64_t word) {
  return norn_isa_compute((const uint32_t *)(gpointer)gen->expressions.items->data + expression,
                          (const int32_t *)(gpointer)gen->amounts.items->data,
                          (const NornIsaField *)(gpointer)parts->fields->data, word);
}

/* A count must be the first of the values with its amount, which the assembler finds. */
static bool
is_first_amount(const Generator *gen, const NornIsaField *field, uint64_t word) {
  uint32_t value = norn_isa_extract(field, word);
  if (field->amounts == UINT32_MAX)
    return true;
  const int32_t *amounts = &g_array_index(gen->amounts.items, int32_t, field->amounts);
  for (uint32_t i = 0; i < value; i++) {
    if (amounts[i] == amounts[value])
      return false;
  }
  return true;
}

static bool
is_met(const Generator *gen, const GenParts *parts, const Condition *condition, uint64_t word) {
  if (!condition->field)
    return evaluate(gen, parts, condition->expression, word) != 0;
  if (condition->field->kind == NORN_ISA_FIELD_COUNT)
    return is_first_amount(gen, condition->field, word);
  return evaluate(gen, parts, condition->expression, word) ==
         norn_isa_extract(condition->field, word);
}

static GArray *
list_conditions(const Generator *gen, const GenParts *parts) {
  GArray *conditions = g_array_new(FALSE, FALSE, sizeof(Condition));
  for (unsigned i = 0; i < parts->fields->len; i++) {
    const NornIsaField *field = &g_array_index(parts->fields, NornIsaField, i);
    Condition condition = {field_bits(field), field, field->expression};
    if (field->kind == NORN_ISA_FIELD_DERIVED)
      condition.bits |= expression_bits(gen, parts, field->expression);
    else if (field->kind != NORN_ISA_FIELD_COUNT || field->amounts == UINT32_MAX)
      continue;
    g_array_append_val(conditions, condition);
  }
  for (unsigned i = 0; i < parts->rules->len; i++) {
    uint16_t rule = g_array_index(parts->rules, uint16_t, i);
    uint32_t expression = g_array_index(gen->rules.items, NornIsaRule, rule).expression;
    Condition condition = {expression_bits(gen, parts, expression), NULL, expression};
    g_array_append_val(conditions, condition);
  }
  return conditions;
}

/* The runs of at most TEST_BITS bits. */
static uint16_t
add_runs(Generator *gen, uint64_t bits, uint8_t *count) {
  NornIsaRun runs[TEST_BITS];
  unsigned width = 0;
  memset(runs, 0, sizeof runs);
  *count = 0;
  while (bits) {
    uint64_t run = gen_lowest_run(bits);
    unsigned position = (unsigned)__builtin_ctzll(run);
    runs[*count].shift = (uint8_t)(position - width);
    runs[(*count)++].mask = (uint16_t)(run >> position << width);
    width += (unsigned)__builtin_popcountll(run);
    bits &= ~run;
  }
  return (uint16_t)gen_pool_add(&gen->runs, runs, *count);
}

/* The number + 1 of a table of an expression's values, or 0 if it cannot have one. */
static uint16_t
add_table(Generator *gen, const GenParts *parts, uint32_t expression) {
  uint64_t bits = expression_bits(gen, parts, expression);
  NornIsaTable table;
  memset(&table, 0, sizeof table);
  if (__builtin_popcountll(bits) > MERGED_TEST_BITS)
    return 0;
  unsigned size = 1u << __builtin_popcountll(bits);
  uint8_t values[1 << MERGED_TEST_BITS];
  for (unsigned i = 0; i < size; i++) {
    int64_t value = evaluate(gen, parts, expression, gen_scatter(bits, i));
    if (value < 0 || value > NORN_ISA_MOST_REGISTERS)
      return 0;
    values[i] = (uint8_t)value;
  }
  table.values = gen_pool_add(&gen->values, values, size);
  table.runs = add_runs(gen, bits, &table.run_count);
  return (uint16_t)(gen_pool_add(&gen->tables, &table, 1) + 1);
}

static void
add_tables(Generator *gen, const GenParts *parts) {
  for (unsigned i = 0; i < parts->fields->len; i++) {
    NornIsaField *field = &g_array_index(parts->fields, NornIsaField, i);
    if (field->kind == NORN_ISA_FIELD_DERIVED)
      field->table = add_table(gen, parts, field->expression);
  }
  for (unsigned i = 0; i < parts->operands->len; i++) {
    NornIsaOperand *operand = &g_array_index(parts->operands, NornIsaOperand, i);
    if (!operand->words && operand->count != UINT32_MAX)
      operand->table = add_table(gen, parts, operand->count);
  }
}

/* One bit for each value of `bits`: whether the conditions are met. */
static void
push_test(Generator *gen, const GenParts *parts, const Condition *conditions, unsigned count,
          uint64_t bits) {
  NornIsaTest test;
  memset(&test, 0, sizeof test);
  unsigned size = 1u << __builtin_popcountll(bits);
  uint32_t *map = g_new0(uint32_t, size / 32 + 1);
  for (unsigned i = 0; i < size; i++) {
    uint64_t word = gen_scatter(bits, i);
    bool met = true;
    for (unsigned k = 0; k < count && met; k++)
      met = is_met(gen, parts, &conditions[k], word);
    map[i / 32] |= (uint32_t)met << i % 32;
  }
  test.map = gen_pool_add(&gen->maps, map, (size + 31) / 32);
  g_free(map);
  test.runs = add_runs(gen, bits, &test.run_count);
  g_array_append_val(parts->tests, test);
}

/* Returns false if some condition depends on too many bits. */
static bool
push_tests(Generator *gen, const GenParts *parts) {
  GArray *conditions = list_conditions(gen, parts);
  const Condition *all = (const Condition *)(gpointer)conditions->data;
  bool good = true;
  for (unsigned i = 0, end; i < conditions->len && good; i = end) {
    uint64_t bits = all[i].bits;
    good = __builtin_popcountll(bits) <= TEST_BITS;
    for (end = i + 1; end < conditions->len; end++) {
      if (__builtin_popcountll(bits | all[end].bits) > MERGED_TEST_BITS)
        break;
      bits |= all[end].bits;
    }
    if (good)
      push_test(gen, parts, all + i, end - i, bits);
  }
  g_array_unref(conditions);
  return good;
}

/* All of it */

/* Fills in the masks by which rules see at once that they do not matter. Returns false if the codes
 * that need a bank are not those with the highest bit set. */
static bool
find_masks(Generator *gen, const GenParts *parts) {
  NornIsaEncoding *encoding = parts->encoding;
  bool regular = true;
  if (encoding->bank != NORN_ISA_NO_SLOT)
    encoding->bank_bits = field_bits(&g_array_index(parts->fields, NornIsaField, encoding->bank));
  for (unsigned i = 0; i < parts->operands->len; i++) {
    const NornIsaOperand *operand = &g_array_index(parts->operands, NornIsaOperand, i);
    if (operand->role > NORN_ISA_OPERAND_STAGING_BOTH)
      continue;
    uint64_t bits = field_bits(&g_array_index(parts->fields, NornIsaField, operand->slot));
    const NornIsaCodeTable *table =
        &g_array_index(gen->code_tables, NornIsaCodeTable, operand->codes);
    if (operand->words != 1)
      encoding->several |= bits & -bits;
    if (table->bank == NORN_ISA_NONE)
      continue;
    encoding->banked |= UINT64_C(1) << (63 - __builtin_clzll(bits));
    for (unsigned k = 0; k < 1u << (table->width + table->bank_width); k++) {
      const NornIsaCode *code = &g_array_index(gen->codes.items, NornIsaCode, table->first + k);
      bool high = k >> (table->width - 1) & 1;
      regular &= code->kind == NORN_ISA_CODE_RESERVED || high == (code->bank != NORN_ISA_ANY_BANK);
    }
  }
  if (!regular)
    encoding->banked = UINT64_MAX;
  return regular;
}

void
gen_steps(Generator *gen, const GenParts *parts) {
  Maker maker = {.gen = gen,
                 .parts = parts,
                 .dotted = strcmp(gen_attribute(gen->root, "modifiers"), "dotted") == 0,
                 .commas = strcmp(gen_attribute(gen->root, "separator"), "comma") == 0,
                 .pieces = g_array_new(FALSE, FALSE, sizeof(Piece)),
                 .first = true};
  push_constant(&maker, "", parts->encoding->mnemonic);
  finish_step(&maker, NORN_ISA_STEP_PLAIN, 0); /* there are too many for all their combinations */
  if (maker.dotted)
    push_modifiers(&maker, ".");
  for (unsigned i = 0; i < parts->operands->len; i++)
    push_operand(&maker, i);
  if (!maker.dotted)
    push_modifiers(&maker, " ");
  finish_step(&maker, NORN_ISA_STEP_END, 0);
  add_tables(gen, parts);
  bool good = find_masks(gen, parts) && push_tests(gen, parts);
  if (!good || maker.failed || maker.room > NORN_ISA_STEP_ROOM)
    g_array_set_size(parts->steps, 0);
  g_array_unref(maker.pieces);
}
