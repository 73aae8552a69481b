/* Operands and instructions; see generator.h. */
#include "fuzz/generator.h"

guint
fuzz_pick(FuzzGenerator *g, guint below) {
  return (guint)fuzz_draw(&g->state, below);
}

static guint64
draw_bits(FuzzGenerator *g) {
  return fuzz_draw(&g->state, G_GUINT64_CONSTANT(1) << 32) << 32 |
         fuzz_draw(&g->state, G_GUINT64_CONSTANT(1) << 32);
}

NornType
fuzz_pick_type(FuzzGenerator *g) {
  static const NornType rare[] = {NORN_TYPE_I1,  NORN_TYPE_I8,   NORN_TYPE_I16,   NORN_TYPE_F16,
                                  NORN_TYPE_F32, NORN_TYPE_V4I8, NORN_TYPE_V2I16, NORN_TYPE_V2F16,
                                  NORN_TYPE_W2,  NORN_TYPE_W3,   NORN_TYPE_W4};
  guint kind = fuzz_pick(g, 8);
  return kind < 4   ? NORN_TYPE_I32
         : kind < 5 ? NORN_TYPE_I64
                    : rare[fuzz_pick(g, G_N_ELEMENTS(rare))];
}

/* --- Constants --- */

static guint64
float_constant(FuzzGenerator *g, NornType type) {
  guint mantissa = norn_types[type].lane_bits == 16   ? 10
                   : norn_types[type].lane_bits == 32 ? 23
                                                      : 52;
  guint64 one = 1, top = one << (norn_types[type].lane_bits - 1), fraction = (one << mantissa) - 1;
  guint64 sign = fuzz_pick(g, 2) ? top : 0;
  switch (fuzz_pick(g, 6)) {
  case 0: /* subnormal, or the smallest normal one */
    return sign | (fuzz_pick(g, 4) ? draw_bits(g) & fraction : one << mantissa);
  case 1: /* NaN and infinities */
    return sign | ((top - 1) & ~fraction) | (fuzz_pick(g, 2) ? draw_bits(g) & fraction : 0);
  case 2: /* zero, the greatest number */
    return sign | (fuzz_pick(g, 2) ? 0 : ((top - 1) & ~fraction) - 1);
  default:
    return norn_float_bits(type, ((double)fuzz_pick(g, 4001) - 2000) / (fuzz_pick(g, 3) ? 8 : 7));
  }
}

/* Small numbers, bounds of ranges, single bits, arbitrary bits. */
static guint64
integer_constant(FuzzGenerator *g, guint bits) {
  guint64 one = 1, top = one << (bits - 1), mask = top | (top - 1);
  switch (fuzz_pick(g, 6)) {
  case 0:
    return fuzz_pick(g, 4) & mask;
  case 1:
    return mask - fuzz_pick(g, 4) % (mask < 4 ? 2 : 4);
  case 2:
    return (top - 2 + fuzz_pick(g, 4)) & mask;
  case 3:
    return one << fuzz_pick(g, bits);
  case 4:
    return fuzz_pick(g, 70000) & mask;
  default:
    return draw_bits(g) & mask;
  }
}

guint64
fuzz_constant(FuzzGenerator *g, NornType type) {
  const NornTypeInfo *info = &norn_types[type];
  guint64 bits = 0;
  bool is_whole = info->lanes == 1 || fuzz_pick(g, 3) == 0;
  if (is_whole && (info->class != NORN_CLASS_FLOAT || info->lanes > 1))
    return integer_constant(g, norn_type_bits(type));
  for (guint lane = 0; lane < info->lanes; lane++) {
    guint64 one = info->class == NORN_CLASS_FLOAT
                      ? float_constant(g, info->lane_bits == 16   ? NORN_TYPE_F16
                                          : info->lane_bits == 32 ? NORN_TYPE_F32
                                                                  : NORN_TYPE_F64)
                      : integer_constant(g, info->lane_bits);
    bits |= one << (lane * info->lane_bits % 64);
  }
  return bits;
}

/* --- Operands --- */

void
fuzz_offer(FuzzGenerator *g, NornRef ref, NornType type) {
  FuzzValue value = {ref, type};
  g_array_append_val(g->blocks[g->block].values, value);
}

guint64
fuzz_visible(const FuzzGenerator *g) {
  guint64 own = UINT64_C(1) << g->block, dominators = g->blocks[g->block].dominators;
  bool is_unreachable = dominators == UINT64_MAX;
  return is_unreachable ? own : dominators;
}

/* One of the values of a block, usually one of the last `reach`. */
static NornRef
find_in_block(FuzzGenerator *g, guint block, NornType type, guint *seen, guint reach) {
  const GArray *values = g->blocks[block].values;
  NornRef found = 0;
  for (guint i = values->len; i-- > 0 && *seen < reach;) {
    const FuzzValue *value = &g_array_index(values, FuzzValue, i);
    if (value->type == type && fuzz_pick(g, ++*seen) == 0)
      found = value->ref;
  }
  return found;
}

NornRef
fuzz_find(FuzzGenerator *g, NornType type) {
  guint reach = fuzz_pick(g, 6) ? g->reach : 1000, seen = 0;
  NornRef found = find_in_block(g, g->block, type, &seen, reach);
  guint64 left = fuzz_visible(g) & ~(UINT64_C(1) << g->block);
  while (left && seen < reach) { /* in a tangle, dominators with higher numbers come first, too */
    guint block = 63 - (guint)__builtin_clzll(left);
    left &= ~(UINT64_C(1) << block);
    NornRef other = find_in_block(g, block, type, &seen, reach);
    found = other ? other : found;
  }
  return found;
}

static NornRef
uniform(FuzzGenerator *g, NornType type) {
  guint words = norn_type_words(type), room = 64 - FUZZ_FREE_WORD - words;
  guint word = FUZZ_FREE_WORD + fuzz_pick(g, room + 1);
  return norn_build_uniform(g->builder, words == 2 ? word & ~1u : word);
}

NornRef
fuzz_handle_bits(FuzzGenerator *g, guint32 bits) {
  NornBuilder *b = g->builder;
  NornRef constant = norn_build_bits(b, bits), condition;
  switch (fuzz_pick(g, 8)) {
  case 0:
    return norn_build_iadd(b, NORN_TYPE_I32, norn_build_uniform(b, FUZZ_FREE_WORD + FUZZ_ZERO),
                           constant);
  case 1:
    condition = fuzz_find(g, NORN_TYPE_I1);
    return condition
               ? norn_build_select(b, NORN_TYPE_I32, condition, constant,
                                   norn_build_bits(b, FUZZ_EMPTY_TABLE << NORN_HANDLE_TABLE_SHIFT))
               : constant;
  default:
    return constant;
  }
}

/* A group of words, or a part of a wider one. */
static NornRef
collect(FuzzGenerator *g, NornType type) {
  NornRef words[8];
  NornInstSpec spec = norn_inst_spec(NORN_OP_COLLECT);
  spec.type = NORN_TYPE_I32;
  spec.source_type = type;
  spec.list = words;
  spec.list_count = norn_type_words(type);
  for (guint k = 0; k < spec.list_count; k++)
    words[k] = fuzz_operand(g, NORN_TYPE_I32);
  NornRef made = norn_build(g->builder, &spec);
  fuzz_offer(g, made, type);
  return made;
}

NornRef
fuzz_operand(FuzzGenerator *g, NornType type) {
  NornRef found = fuzz_pick(g, 6) >= g->constants ? fuzz_find(g, type) : 0;
  if (found)
    return found;
  if (type != NORN_TYPE_I1 && fuzz_pick(g, 5) == 0)
    return uniform(g, type);
  if (norn_types[type].class != NORN_CLASS_GROUP)
    return norn_build_bits(g->builder, fuzz_constant(g, type));
  return collect(g, type);
}

NornRef
fuzz_factor(FuzzGenerator *g, NornType type) {
  const guint64 max = norn_types[type].lane_bits == 16 ? 31 : 127;
  if (norn_types[type].lanes > 1 || fuzz_pick(g, 3) == 0) {
    guint64 bits = 0;
    for (guint lane = 0; lane < norn_types[type].lanes; lane++)
      bits |= norn_float_bits(norn_types[type].lane_bits == 16 ? NORN_TYPE_F16 : type,
                              (double)fuzz_draw(&g->state, 2 * max + 1) - (double)max)
              << (lane * norn_types[type].lane_bits);
    return norn_build_bits(g->builder, bits);
  }
  NornRef bits = norn_build_and(g->builder, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32),
                                norn_build_bits(g->builder, max));
  return norn_build_uitofp(g->builder, NORN_ROUND_RTE, type, NORN_TYPE_I32, bits);
}

/* --- Instructions --- */

bool
fuzz_has_form(const FuzzGenerator *g, NornOp op, NornType type) {
  for (guint i = 0; i < g->forms->len; i++) {
    const FuzzForm *form = &g_array_index(g->forms, FuzzForm, i);
    if (form->op == op && (!norn_ops[op].types || form->type == type))
      return true;
  }
  return false;
}

NornRef
fuzz_build(FuzzGenerator *g, NornOp op, NornType type, const NornRef *operands, guint count) {
  NornInstSpec spec = norn_inst_spec(op);
  spec.type = type;
  spec.operands = operands;
  spec.operand_count = count;
  return norn_build(g->builder, &spec);
}

/* The value of an immediate operand. */
static NornRef
immediate_operand(FuzzGenerator *g, const FuzzForm *form, guint k) {
  NornOperandLimit limit = norn_operand_limit(form->op, form->type, form->source_type, k);
  guint64 value = fuzz_constant(g, NORN_TYPE_I32);
  if (limit.is_power_of_two)
    value =
        limit.minimum << fuzz_pick(g, (guint)__builtin_ctzll(limit.maximum / limit.minimum) + 1);
  else if (limit.maximum < 2000)
    value = limit.minimum + fuzz_pick(g, (guint)(limit.maximum - limit.minimum) + 1);
  return norn_build_bits(g->builder, value);
}

static void
draw_immediates(FuzzGenerator *g, NornInstSpec *spec, gint64 offset) {
  for (guint i = 0; i < NORN_IMMEDIATE_COUNT; i++) {
    if (!(norn_ops[spec->op].flags & norn_immediates[i].flag))
      continue;
    gint64 minimum = norn_immediate_minimum(i), maximum = norn_immediate_maximum(i);
    bool names_format = norn_ops[spec->op].modifier == NORN_MODIFIER_FORMAT;
    if (i == NORN_IMMEDIATE_OFFSET)
      spec->immediates[i] = offset;
    else if (i == NORN_IMMEDIATE_TARGET || (i == NORN_IMMEDIATE_INDEX && names_format))
      spec->immediates[i] = spec->modifier; /* there is one of each format */
    else
      spec->immediates[i] =
          fuzz_pick(g, 3) ? minimum + (gint64)fuzz_draw(&g->state, (guint64)(maximum - minimum + 1))
                          : 0;
  }
}

/* The number of operands or results for the row's last, starred letter. */
static guint
list_count(const FuzzForm *form, gint64 compare) {
  guint64 payload = norn_set_immediate(0, NORN_IMMEDIATE_COMPARE, compare);
  if (norn_ops[form->op].flags & NORN_OP_PARTS)
    return norn_part_count(form->type, form->source_type);
  if (norn_operand_arity(form->op).is_repeated)
    return norn_coordinate_operands(form->op, form->modifier, payload);
  return 0;
}

/* Whether the value may be stored: its bits are the same on every engine. */
static bool
is_exact(const FuzzForm *form) {
  return !(norn_ops[form->op].flags & NORN_OP_APPROXIMATE) && form->op != NORN_OP_UNDEF;
}

void
fuzz_build_form(FuzzGenerator *g, const FuzzForm *form, const NornRef *given, guint count,
                gint64 offset) {
  NornInstSpec spec = norn_inst_spec(form->op);
  NornRef operands[FUZZ_OPERANDS], list[FUZZ_OPERANDS], results[8];
  spec.type = form->type;
  spec.source_type = form->source_type;
  spec.modifier = form->modifier;
  spec.operands = operands;
  spec.list = list;
  spec.results = results;
  draw_immediates(g, &spec, offset);
  guint repeated = list_count(form, spec.immediates[NORN_IMMEDIATE_COMPARE]);
  *(norn_result_arity(form->op).is_repeated ? &spec.result_count : &spec.list_count) = repeated;
  NornSignatureCursor cursor = norn_operand_cursor(form->op, form->type, form->source_type);
  for (guint fixed = norn_operand_arity(form->op).fixed; fixed; fixed--) {
    guint k = spec.operand_count++;
    bool is_immediate = norn_cursor_kind(&cursor) == NORN_LETTER_IMMEDIATE;
    NornRef chosen = k < count && given[k] ? given[k] : fuzz_handle(g, form, k);
    if (!chosen)
      chosen = fuzz_stage_operand(g, form, k);
    if (g->is_contracted && form->op == NORN_OP_FMUL)
      chosen = fuzz_factor(g, form->type);
    operands[k] = chosen         ? chosen
                  : is_immediate ? immediate_operand(g, form, k)
                                 : fuzz_operand(g, norn_cursor_type(&cursor));
    norn_cursor_next(&cursor);
  }
  for (guint k = 0; k < spec.list_count; k++) {
    guint place = spec.operand_count + k;
    list[k] =
        place < count && given[place] ? given[place] : fuzz_operand(g, norn_cursor_type(&cursor));
  }
  if (fuzz_is_cube(form))
    fuzz_direction(g, list);
  bool is_quotient = g->is_contracted && form->op == NORN_OP_FDIV;
  unsigned coarse = g->is_coarse && norn_accesses_buffer(form->op) ? NORN_INST_COARSE : 0;
  norn_builder_set_flags(g->builder,
                         coarse | (fuzz_pick(g, 8) && !is_quotient ? 0 : NORN_INST_EXACT));
  norn_build(g->builder, &spec);
  norn_builder_set_flags(g->builder, 0);
  guint made = norn_result_count(form->op, form->type, spec.result_count);
  cursor = norn_result_cursor(form->op, form->type, form->source_type);
  for (guint k = 0; k < made && is_exact(form); k++, norn_cursor_next(&cursor))
    fuzz_offer(g, results[k], norn_cursor_type(&cursor));
}
