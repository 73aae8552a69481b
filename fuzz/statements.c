/* The contents of blocks; see generator.h. */
#include "fuzz/generator.h"

/* Whether the form is allowed anywhere, since it depends only on its operands and on the lanes
 * that run it. Memory accesses are in memory.c. */
static bool
is_plain(const FuzzGenerator *g, const FuzzForm *form) {
  guint64 flags = norn_ops[form->op].flags, stages = flags & NORN_OP_STAGES;
  bool is_image = norn_ops[form->op].modifier == NORN_MODIFIER_DIMENSION;
  if (flags & (NORN_OP_SPACES | NORN_OP_WRITES_MEMORY | NORN_OP_ORDERS | NORN_OP_OUTPUT))
    return false;
  if (form->op == NORN_OP_UNDEF || (flags & NORN_OP_READS_MEMORY && !is_image))
    return false;
  return (!stages || stages & (NORN_OP_COMPUTE << g->stage)) && !fuzz_is_of_other_run(g, form);
}

/* A form of a random operation, so that operations with few forms are as likely as others; the
 * forms of one operation are consecutive. */
static guint64
draw_by_operation(FuzzGenerator *g) {
  const FuzzForm *forms = &g_array_index(g->forms, FuzzForm, 0);
  guint op = fuzz_pick(g, NORN_OP_COUNT), first = 0, end;
  while (first < g->forms->len && forms[first].op < op)
    first++;
  for (end = first; end < g->forms->len && forms[end].op == forms[first].op;)
    end++;
  return first < end ? first + fuzz_pick(g, end - first) : fuzz_pick(g, g->forms->len);
}

/* Forms in turn and at random: in turn, so that a few hundred modules have each form at least
 * once. */
static void
add_form(FuzzGenerator *g) {
  for (guint tries = 0; g->forms->len && tries < 1000; tries++) {
    guint kind = fuzz_pick(g, 4);
    guint64 index = kind < 2   ? g->next_form++
                    : kind < 3 ? fuzz_draw(&g->state, g->forms->len)
                               : draw_by_operation(g);
    const FuzzForm *form = &g_array_index(g->forms, FuzzForm, index % g->forms->len);
    if (!is_plain(g, form))
      continue;
    fuzz_build_form(g, form, NULL, 0, fuzz_stage_offset(g, form));
    return;
  }
}

/* Chains of operations that passes have rewrite rules for: each uses recent results or
 * constants. */
static void
add_chain(FuzzGenerator *g) {
  guint reach = g->reach;
  g->reach = 1 + fuzz_pick(g, 3);
  for (guint left = g->folded->len ? 2 + fuzz_pick(g, 3) : 0; left; left--) {
    g->constants = 1 + fuzz_pick(g, 3);
    fuzz_build_form(g, &g_array_index(g->folded, FuzzForm, fuzz_pick(g, g->folded->len)), NULL, 0,
                    0);
  }
  g->constants = 1;
  g->reach = reach;
}

/* Arithmetic that passes can optimize: additions and similar operations on recent results. */
static void
add_arithmetic(FuzzGenerator *g) {
  static const NornOp ops[] = {NORN_OP_IADD, NORN_OP_ISUB, NORN_OP_XOR,  NORN_OP_AND,
                               NORN_OP_OR,   NORN_OP_SHL,  NORN_OP_LSHR, NORN_OP_IMUL};
  NornType type = fuzz_pick(g, 4) ? NORN_TYPE_I32 : NORN_TYPE_I64;
  NornRef operands[2] = {fuzz_operand(g, type), fuzz_operand(g, type)};
  fuzz_offer(g, fuzz_build(g, ops[fuzz_pick(g, G_N_ELEMENTS(ops))], type, operands, 2), type);
}

static void
add_condition(FuzzGenerator *g) {
  NornRef a = fuzz_operand(g, NORN_TYPE_I32), b = fuzz_operand(g, NORN_TYPE_I32);
  guint condition = fuzz_pick(g, NORN_INT_CONDITION_COUNT);
  fuzz_offer(g, norn_build_icmp(g->builder, condition, NORN_TYPE_I32, a, b), NORN_TYPE_I1);
}

/* The set of lanes that are here. */
static void
add_ballot(FuzzGenerator *g) {
  NornRef which = fuzz_pick(g, 2) ? norn_build_bits(g->builder, 1) : fuzz_operand(g, NORN_TYPE_I1);
  fuzz_offer(g, norn_build_ballot(g->builder, which), NORN_TYPE_I32);
}

static void
add_observation(FuzzGenerator *g) {
  NornType type = fuzz_pick_type(g);
  NornRef value = fuzz_find(g, type);
  if (value)
    fuzz_observe(g, (FuzzValue){value, type});
}

/* Values that are only correct if a promise holds, which it does: small numbers, no zeros. */
static void
add_promise(FuzzGenerator *g) {
  if (g->rounding != NORN_ROUND_RTE)
    return;
  static const NornOp ops[] = {NORN_OP_FADD, NORN_OP_FMUL, NORN_OP_FMIN, NORN_OP_FMAX, NORN_OP_FMA};
  NornOp op = ops[fuzz_pick(g, G_N_ELEMENTS(ops))];
  NornRef operands[3];
  for (guint k = 0; k < G_N_ELEMENTS(operands); k++) {
    NornRef bits = norn_build_and(g->builder, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32),
                                  norn_build_bits(g->builder, 127));
    bits = norn_build_or(g->builder, NORN_TYPE_I32, bits, norn_build_bits(g->builder, 1));
    operands[k] = norn_build_uitofp(g->builder, NORN_ROUND_RTE, NORN_TYPE_F32, NORN_TYPE_I32, bits);
  }
  norn_builder_set_flags(g->builder, fuzz_pick(g, 8) * NORN_INST_NSZ);
  fuzz_offer(g, fuzz_build(g, op, NORN_TYPE_F32, operands, op == NORN_OP_FMA ? 3 : 2),
             NORN_TYPE_F32);
  norn_builder_set_flags(g->builder, 0);
}

/* A small non-negative whole number: products and sums of a few of them are exact and never -0,
 * in any order. */
static NornRef
matrix_element(FuzzGenerator *g) {
  if (fuzz_pick(g, 4) == 0)
    return norn_build_bits(g->builder, norn_float_bits(NORN_TYPE_F32, fuzz_pick(g, 4)));
  NornRef mask = norn_build_bits(g->builder, fuzz_pick(g, 4) ? 7 : 4);
  NornRef bits = norn_build_and(g->builder, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32), mask);
  return norn_build_uitofp(g->builder, NORN_ROUND_RTE, NORN_TYPE_F32, NORN_TYPE_I32, bits);
}

#define MATRIX 3 /* rows and columns at most */

/* The product of a matrix with a matrix or vector, by columns. */
static void
multiply(FuzzGenerator *g, guint rows, guint inner, guint columns, const NornRef *a,
         const NornRef *b, NornRef *product) {
  for (guint column = 0; column < columns; column++)
    for (guint row = 0; row < rows; row++) {
      NornRef sum = 0;
      for (guint k = 0; k < inner; k++) {
        NornRef terms[3] = {a[k * rows + row], b[column * inner + k], sum};
        bool is_fused = sum && fuzz_pick(g, 2);
        if (!is_fused)
          terms[0] = fuzz_build(g, NORN_OP_FMUL, NORN_TYPE_F32, terms, 2);
        terms[1] = is_fused ? terms[1] : sum;
        sum = is_fused ? fuzz_build(g, NORN_OP_FMA, NORN_TYPE_F32, terms, 3)
              : sum    ? fuzz_build(g, NORN_OP_FADD, NORN_TYPE_F32, terms, 2)
                       : terms[0];
      }
      product[column * rows + row] = sum;
    }
}

/* A product of up to three matrices and one or two vectors, multiplied from the left. */
static void
add_matrices(FuzzGenerator *g) {
  NornRef matrices[3][MATRIX * MATRIX], products[3][MATRIX * MATRIX];
  guint rows = fuzz_pick(g, MATRIX) + 1, inner = fuzz_pick(g, MATRIX) + 1;
  guint columns = fuzz_pick(g, MATRIX) + 1, vectors = fuzz_pick(g, 2) + 1;
  const guint counts[3] = {rows * inner, MAX(inner, columns) * columns, columns * vectors};
  for (guint k = 0; k < G_N_ELEMENTS(matrices); k++)
    for (guint element = 0; element < counts[k]; element++)
      matrices[k][element] = matrix_element(g);
  norn_builder_set_flags(g->builder, fuzz_pick(g, 8) ? NORN_INST_FINITE : 0);
  multiply(g, rows, inner, columns, matrices[0], matrices[1], products[0]);
  NornRef *left = products[0];
  if (fuzz_pick(g, 2)) {
    multiply(g, rows, columns, columns, left, matrices[1], products[1]);
    left = products[1];
  }
  multiply(g, rows, columns, vectors, left, matrices[2], products[2]);
  for (guint k = 0; k < rows * vectors; k++) {
    NornRef product = products[2][k];
    if (fuzz_pick(g, 3) == 0) {
      NornRef terms[2] = {product, matrices[0][0]};
      fuzz_offer(g, fuzz_build(g, NORN_OP_FADD, NORN_TYPE_F32, terms, 2), NORN_TYPE_F32);
      product = norn_build_fneg(g->builder, NORN_TYPE_F32, product);
    }
    fuzz_offer(g, product, NORN_TYPE_F32);
  }
  norn_builder_set_flags(g->builder, 0);
  if (fuzz_pick(g, 4) == 0)
    fuzz_offer(g, products[0][0], NORN_TYPE_F32);
}

/* A product, possibly added to or subtracted from another value. */
static void
add_contraction(FuzzGenerator *g) {
  if (fuzz_pick(g, 4) == 0) {
    add_matrices(g);
    return;
  }
  static const NornType types[] = {NORN_TYPE_F32, NORN_TYPE_F16, NORN_TYPE_V2F16};
  NornType type = types[fuzz_pick(g, G_N_ELEMENTS(types))];
  NornRef factors[2] = {fuzz_factor(g, type), fuzz_factor(g, type)};
  NornRef product = fuzz_build(g, NORN_OP_FMUL, type, factors, 2);
  guint place = fuzz_pick(g, 2);
  NornRef operands[2];
  operands[place] = product;
  operands[1 - place] = fuzz_operand(g, type);
  fuzz_offer(g, fuzz_build(g, fuzz_pick(g, 2) ? NORN_OP_FADD : NORN_OP_FSUB, type, operands, 2),
             type);
}

/* The same operation on both halves of packed values, separately; possibly packed again. */
static void
add_halves(FuzzGenerator *g) {
  static const NornOp floats[] = {NORN_OP_FADD, NORN_OP_FSUB, NORN_OP_FMIN,
                                  NORN_OP_FMAX, NORN_OP_FMUL, NORN_OP_FMA},
                      integers[] = {NORN_OP_IADD, NORN_OP_ISUB, NORN_OP_AND,
                                    NORN_OP_XOR,  NORN_OP_SMIN, NORN_OP_IMUL};
  bool is_float = fuzz_pick(g, 2), is_crossed = fuzz_pick(g, 4) == 0;
  NornType type = is_float ? NORN_TYPE_F16 : NORN_TYPE_I16;
  NornType packed = is_float ? NORN_TYPE_V2F16 : NORN_TYPE_V2I16;
  /* Contraction requires exact products. */
  NornOp op = (is_float ? floats : integers)[fuzz_pick(g, g->is_contracted ? 4 : 6)];
  NornRef pairs[3], results[2];
  if (!fuzz_has_form(g, op, type))
    return;
  for (guint k = 0; k < G_N_ELEMENTS(pairs); k++)
    pairs[k] = fuzz_operand(g, packed);
  for (guint half = 0; half < 2; half++) {
    NornRef operands[3];
    for (guint k = 0; k < G_N_ELEMENTS(operands); k++)
      operands[k] =
          norn_build_extract(g->builder, type, packed, pairs[k], half ^ (is_crossed && k));
    results[half] = fuzz_build(g, op, type, operands, op == NORN_OP_FMA ? 3 : 2);
    fuzz_offer(g, results[half], type);
  }
  if (fuzz_pick(g, 2))
    fuzz_offer(g, norn_build_vec(g->builder, packed, type, 2, results), packed);
}

/* Sums of products with a common factor, of numbers small enough that everything is exact in any
 * grouping. The results are converted to integers, since zeros may have either sign. */
static void
add_factoring(FuzzGenerator *g) {
  static const NornOp ops[] = {NORN_OP_FADD, NORN_OP_FSUB, NORN_OP_FMUL,
                               NORN_OP_FMA,  NORN_OP_FNEG, NORN_OP_SELECT};
  enum { NUMBERS = 4, PRODUCTS = 3, STEPS = 5, TERMS = PRODUCTS + STEPS };
  NornRef numbers[NUMBERS], terms[TERMS], which = fuzz_operand(g, NORN_TYPE_I1);
  for (guint k = 0; k < NUMBERS; k++) {
    NornRef bits = norn_build_and(g->builder, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32),
                                  norn_build_bits(g->builder, 7));
    numbers[k] = norn_build_uitofp(g->builder, NORN_ROUND_RTE, NORN_TYPE_F32, NORN_TYPE_I32, bits);
  }
  norn_builder_set_flags(g->builder, NORN_INST_FINITE);
  for (guint k = 0; k < PRODUCTS; k++)
    terms[k] = fuzz_build(g, NORN_OP_FMUL, NORN_TYPE_F32, (NornRef[]){numbers[k], numbers[3]}, 2);
  for (guint k = PRODUCTS; k < TERMS; k++) {
    /* Prefer the most recent result, and a product that has not been used yet. */
    NornRef a = fuzz_pick(g, 8) ? terms[k - 1] : terms[fuzz_pick(g, k)],
            n = numbers[fuzz_pick(g, 4)];
    NornRef b = terms[k < 2 * PRODUCTS - 1 ? 2 * PRODUCTS - 2 - k : fuzz_pick(g, k)];
    NornOp op = ops[fuzz_pick(g, G_N_ELEMENTS(ops))];
    if (op == NORN_OP_FMUL)
      b = n;
    if (op == NORN_OP_FMA)
      terms[k] = fuzz_build(g, op, NORN_TYPE_F32, (NornRef[]){a, n, b}, 3);
    else if (op == NORN_OP_SELECT)
      terms[k] = fuzz_build(g, op, NORN_TYPE_F32, (NornRef[]){which, a, b}, 3);
    else
      terms[k] = fuzz_build(g, op, NORN_TYPE_F32, (NornRef[]){a, b}, op == NORN_OP_FNEG ? 1 : 2);
  }
  norn_builder_set_flags(g->builder, 0);
  for (guint k = fuzz_pick(g, TERMS); k < TERMS; k++)
    fuzz_offer(
        g, norn_build_fptosi(g->builder, NORN_ROUND_RTZ, NORN_TYPE_I32, NORN_TYPE_F32, terms[k]),
        NORN_TYPE_I32);
}

/* A call of a function after this one, so that there is no recursion. */
static void
add_call(FuzzGenerator *g) {
  if (g->function + 1 >= g->function_count || !g->calls)
    return;
  g->calls--;
  guint callee = g->function + 1 + fuzz_pick(g, g->function_count - g->function - 1);
  NornInstSpec spec = norn_inst_spec(NORN_OP_CALL);
  NornRef list[FUZZ_PARAMETERS];
  spec.type = g->result_types[callee];
  spec.callee = g->functions[callee];
  spec.list = list;
  spec.list_count = g->argument_counts[callee];
  for (guint k = 0; k < spec.list_count; k++)
    list[k] = fuzz_operand(g, g->arguments[callee][k]);
  NornRef result = norn_build(g->builder, &spec);
  if (result)
    fuzz_offer(g, result, spec.type);
}

/* Elements of a table of a few constants, selected by a bounded index. */
static void
add_table(FuzzGenerator *g) {
  static const NornType types[] = {NORN_TYPE_F32, NORN_TYPE_I32, NORN_TYPE_F16, NORN_TYPE_I1};
  NornType type = types[fuzz_pick(g, G_N_ELEMENTS(types))];
  guint max = fuzz_pick(g, 4) ? fuzz_pick(g, 8) : fuzz_pick(g, 40);
  NornRef bound[2] = {fuzz_operand(g, NORN_TYPE_I32), norn_build_bits(g->builder, max)};
  NornRef index =
      fuzz_build(g, fuzz_pick(g, 4) ? NORN_OP_AND : NORN_OP_UMIN, NORN_TYPE_I32, bound, 2);
  guint64 values[3] = {fuzz_constant(g, type), fuzz_constant(g, type), fuzz_constant(g, type)};
  guint kinds = fuzz_pick(g, 4) ? 2 : 3;
  NornRef chosen = norn_build_bits(g->builder, values[0]);
  for (guint steps = fuzz_pick(g, 5) + 1; steps; steps--) {
    NornRef is_it = norn_build_icmp(g->builder, NORN_INT_CONDITION_EQ, NORN_TYPE_I32, index,
                                    norn_build_bits(g->builder, fuzz_pick(g, max + 2)));
    NornRef operands[3] = {is_it, norn_build_bits(g->builder, values[fuzz_pick(g, kinds)]), chosen};
    chosen = fuzz_build(g, NORN_OP_SELECT, type, operands, 3);
  }
  fuzz_offer(g, chosen, type);
}

/* A quotient by a divisor that is never 0; the dividend is arbitrary or has a few bits. */
static void
add_quotient(FuzzGenerator *g) {
  static const NornType types[] = {NORN_TYPE_I16, NORN_TYPE_I32, NORN_TYPE_I64};
  NornType type = types[fuzz_pick(g, G_N_ELEMENTS(types))];
  NornRef one = norn_build_bits(g->builder, 1), few = norn_build_bits(g->builder, 0xFFFF);
  NornRef dividend = fuzz_operand(g, type);
  NornRef divisor = norn_build_or(g->builder, type, fuzz_operand(g, type), one);
  if (fuzz_pick(g, 2))
    dividend = norn_build_and(g->builder, type, dividend, few);
  norn_builder_set_flags(g->builder, NORN_INST_FINITE);
  NornOp op = fuzz_pick(g, 2) ? NORN_OP_SDIV : NORN_OP_UDIV;
  NornRef quotient = fuzz_build(g, op, type, (NornRef[]){dividend, divisor}, 2);
  norn_builder_set_flags(g->builder, 0);
  fuzz_offer(g, quotient, type);
}

/* A value and an undefined one, selected such that only the defined value is used. */
static void
add_undefined(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  NornType type = fuzz_pick_type(g);
  NornRef undefined = norn_build_undef(b, type), condition = fuzz_operand(g, NORN_TYPE_I1);
  NornRef value = fuzz_operand(g, type), other = fuzz_operand(g, type);
  bool is_first = fuzz_pick(g, 2);
  NornRef one[3] = {condition, is_first ? value : undefined, is_first ? undefined : value};
  NornRef chosen = fuzz_build(g, NORN_OP_SELECT, type, one, 3);
  NornRef both[3] = {condition, is_first ? chosen : other, is_first ? other : chosen};
  fuzz_offer(g, fuzz_build(g, NORN_OP_SELECT, type, both, 3), type);
}

/* A group in which some words are undefined, and its other words. */
static void
add_undefined_words(FuzzGenerator *g) {
  NornType group = NORN_TYPE_W2 + fuzz_pick(g, 3);
  guint count = norn_type_words(group);
  NornRef words[4], results[4];
  NornInstSpec spec = norn_inst_spec(NORN_OP_COLLECT);
  guint defined = 1 + fuzz_pick(g, (1u << count) - 1);
  for (guint k = 0; k < count; k++)
    words[k] = defined >> k & 1 ? fuzz_operand(g, NORN_TYPE_I32)
                                : norn_build_undef(g->builder, NORN_TYPE_I32);
  spec.type = NORN_TYPE_I32;
  spec.source_type = group;
  spec.list = words;
  spec.list_count = count;
  NornRef made = norn_build(g->builder, &spec);
  norn_build_split(g->builder, NORN_TYPE_I32, group, made, count, results);
  for (guint k = 0; k < count; k++)
    if (defined >> k & 1)
      fuzz_offer(g, results[k], NORN_TYPE_I32);
}

/* Some words of a group, which may be cast before and whose whole value remains in use. */
static void
add_parts(FuzzGenerator *g) {
  NornType group = NORN_TYPE_W2 + fuzz_pick(g, 3);
  guint count = norn_type_words(group);
  NornRef whole = fuzz_operand(g, group), words[4];
  NornInstSpec spec = norn_inst_spec(fuzz_pick(g, 2) ? NORN_OP_BITCAST : NORN_OP_COPY);
  spec.type = group;
  spec.source_type = spec.op == NORN_OP_BITCAST ? group : NORN_TYPE_VOID;
  spec.operands = &whole;
  spec.operand_count = 1;
  if (fuzz_pick(g, 3))
    whole = norn_build(g->builder, &spec);
  norn_build_split(g->builder, NORN_TYPE_I32, group, whole, count, words);
  guint used = fuzz_pick(g, 1u << count);
  for (guint k = 0; k < count; k++)
    if (used >> k & 1)
      fuzz_offer(g, words[k], NORN_TYPE_I32);
  if (fuzz_pick(g, 2))
    fuzz_offer(g, whole, group);
}

/* Rare statements, each with its share of 32. */
static void
add_rarity(FuzzGenerator *g) {
  guint kind = fuzz_pick(g, 32);
  if (kind >= 26)
    add_parts(g);
  else if (kind == 25)
    add_quotient(g);
  else if (kind < 5)
    add_call(g);
  else if (kind < 9)
    add_ballot(g);
  else if (kind < 12)
    add_promise(g);
  else if (kind < 13)
    norn_build_fence(g->builder, fuzz_pick(g, NORN_SCOPE_COUNT));
  else if (kind < 15)
    add_undefined(g);
  else if (kind < 17)
    add_undefined_words(g);
  else if (kind < 19)
    fuzz_approximate(g);
  else if (kind < 22)
    add_halves(g);
  else if (kind < 24)
    fuzz_bytes(g);
  else
    add_observation(g);
}

void
fuzz_statement(FuzzGenerator *g) {
  guint kind = fuzz_pick(g, 32);
  if (g->blocks[g->block].is_uniform && fuzz_pick(g, 10) == 0)
    fuzz_exchange(g);
  else if (g->stage != NORN_STAGE_COMPUTE && fuzz_pick(g, 8) == 0)
    fuzz_add_output(g);
  else if (g->is_contracted && g->rounding == NORN_ROUND_RTE && fuzz_pick(g, 8) == 0)
    fuzz_pick(g, 2) ? add_contraction(g) : add_factoring(g);
  else if (kind < g->memory_share && g->writes_images && fuzz_pick(g, 3) == 0)
    fuzz_access_image(g);
  else if (kind < g->memory_share)
    fuzz_access(g);
  else if (kind < g->memory_share + g->form_share)
    add_form(g);
  else if (fuzz_pick(g, 5) == 0)
    add_rarity(g);
  else if (fuzz_pick(g, 12) == 0)
    add_table(g);
  else if (fuzz_pick(g, 5) == 0)
    add_condition(g);
  else if (fuzz_pick(g, 2))
    add_chain(g);
  else
    add_arithmetic(g);
}

/* --- Register pressure --- */

void
fuzz_burst(FuzzGenerator *g, guint count) {
  for (guint words = 0; words < count;) {
    NornType type = fuzz_pick(g, 3)   ? NORN_TYPE_I32
                    : fuzz_pick(g, 2) ? NORN_TYPE_I64
                                      : NORN_TYPE_W4;
    guint bytes = norn_type_bits(type) / 8;
    gint64 offset = 4 * fuzz_pick(g, (FUZZ_WINDOW - bytes) / 4 + 1);
    NornRef value;
    if (g->reads_constants) {
      offset = 4 * fuzz_pick(g, (FUZZ_CONSTANTS - bytes) / 4 + 1);
      norn_builder_set_flags(g->builder, NORN_INST_COARSE);
      value = norn_build_load_constant(g->builder, type,
                                       norn_build_bits(g->builder, 1 << NORN_HANDLE_TABLE_SHIFT),
                                       norn_build_bits(g->builder, 0), offset);
      norn_builder_set_flags(g->builder, 0);
    } else if (type == NORN_TYPE_W4 || fuzz_pick(g, 4) == 0) {
      value = norn_build_load_global(g->builder, type, g->window, offset);
    } else {
      NornRef operands[2] = {fuzz_operand(g, type), norn_build_bits(g->builder, 3 * words + 1)};
      value = fuzz_build(g, fuzz_pick(g, 2) ? NORN_OP_XOR : NORN_OP_IADD, type, operands, 2);
    }
    fuzz_offer(g, value, type);
    words += norn_type_words(type);
  }
}

/* Adds a value to a sum of words. */
static NornRef
fold_in(FuzzGenerator *g, NornRef sum, FuzzValue value) {
  NornBuilder *b = g->builder;
  NornRef words[4] = {value.ref};
  guint count = 1;
  if (norn_type_words(value.type) > 1) {
    NornInstSpec spec = norn_inst_spec(NORN_OP_SPLIT);
    spec.type = NORN_TYPE_I32;
    spec.source_type = value.type;
    spec.operands = &value.ref;
    spec.operand_count = 1;
    spec.results = words;
    spec.result_count = count = norn_type_words(value.type);
    norn_build(b, &spec);
  }
  for (guint k = 0; k < count; k++) {
    sum = norn_build_imul(b, NORN_TYPE_I32, sum, norn_build_bits(b, 31));
    sum = norn_build_xor(b, NORN_TYPE_I32, sum, words[k]);
  }
  return sum;
}

void
fuzz_fold(FuzzGenerator *g, guint count) {
  NornRef sum = norn_build_bits(g->builder, 7);
  guint64 visible = fuzz_visible(g);
  for (guint block = 0; block < g->block_count && count; block++) {
    const GArray *values = g->blocks[block].values;
    for (guint i = 0; visible >> block & 1 && i < values->len && count; i++) {
      FuzzValue value = g_array_index(values, FuzzValue, i);
      if (value.type != NORN_TYPE_I32 && value.type != NORN_TYPE_I64 && value.type != NORN_TYPE_W4)
        continue;
      sum = fold_in(g, sum, value);
      count--;
    }
  }
  fuzz_observe(g, (FuzzValue){sum, NORN_TYPE_I32});
}
