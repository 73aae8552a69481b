/* Multiplies a vector by one matrix after the other: A * (B * v) instead of (A * B) * v.
 *
 * The code is already scalar, so the pass looks at rows: sums of products c * y in which the c are
 * sums of products themselves. Multiplied out, a row is a sum of products of three factors, a * b *
 * y. Each factor that several of these products have in common then multiplies the sum of the rest:
 *
 *   (a0*b00 + a1*b10) * y0 + (a0*b01 + a1*b11) * y1
 *   a0 * (b00*y0 + b01*y1) + a1 * (b10*y0 + b11*y1)
 *
 * All rows of a product share the sums that the common factors multiply, which value numbering
 * finds later, and the products of matrices become dead. A row is rewritten if that leaves fewer
 * operations: the pass counts how many rows share the sums, and how many vectors the matrix is
 * multiplied with. Products of three matrices take two runs, with cleanup between them.
 *
 * This changes the rounding, so no instruction may be exact, contraction must be allowed, and NaN,
 * infinities and the signs of zeros must not matter. All parts must be in one block. */
#include "ir/builder.h"
#include "ir/hash.h"
#include "ir/key_counts.h"
#include "ir/replacements.h"
#include "passes/pass.h"

/* Longer sums are left unchanged. */
#define MAX_TERMS 32

/* a * b * y; a factor of 0 is absent. */
typedef struct Term {
  NornRef a, b, y;
  uint32_t group; /* the first of the terms with the same a */
} Term;

typedef struct Sum {
  Term terms[MAX_TERMS];
  unsigned count;
  unsigned visited; /* number of instructions */
} Sum;

/* A sum multiplied out, and its cost in operations. */
typedef struct ProductRow {
  Sum sum;
  uint32_t parts[MAX_TERMS]; /* values: the sums in it that are multiplied out */
  unsigned part_count;
  unsigned part_cost, own_cost;   /* before: of all parts, and of the rest */
  unsigned shared_cost, new_cost; /* after: of what the common factors multiply, and of the rest */
  uint64_t key;                   /* of what the common factors multiply */
} ProductRow;

typedef struct Associating {
  NornFunction *function;
  uint32_t *use_counts;     /* by value */
  uint32_t *part_counts;    /* by value: uses as part of a row */
  bool *is_absorbed;        /* by value: it is a term of the only sum that reads it */
  NornKeyCounts equal_rows; /* by the key of a row */
  NornReplacements replacements;
  bool changed;
} Associating;

/* --- Sums --- */

static bool
is_sum(const NornInst *inst) {
  return (inst->op == NORN_OP_FADD || inst->op == NORN_OP_FMA) && norn_inst_may_reassociate(inst);
}

/* The definition if it is a sum or product that may be reassociated; else NULL. */
static const NornInst *
loose_definition(const NornFunction *function, NornRef ref) {
  const NornInst *inst = norn_defining_inst(function, ref);
  return inst && (is_sum(inst) || (inst->op == NORN_OP_FMUL && norn_inst_may_reassociate(inst)))
             ? inst
             : NULL;
}

/* The first operand that the instruction adds. */
static unsigned
first_addend(const NornInst *inst) {
  return inst->op == NORN_OP_FADD ? 0 : 2;
}

static bool
is_absorbed(const Associating *pass, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE && pass->is_absorbed[norn_ref_payload(ref)];
}

static bool
is_too_long(const Sum *sum) {
  return sum->count == MAX_TERMS || sum->visited > MAX_TERMS;
}

static void
add_term(Sum *sum, NornRef a, NornRef b, NornRef y) {
  if (!is_too_long(sum))
    sum->terms[sum->count++] = (Term){a, b, y, 0};
}

/* Adds the terms of the sum `ref`, each times y, in operand order. */
static void
add_terms(const Associating *pass, Sum *sum, NornRef ref, NornRef y) {
  const NornInst *inst = loose_definition(pass->function, ref);
  const NornRef *operands = norn_operands(pass->function, inst);
  sum->visited++;
  if (inst->op != NORN_OP_FADD)
    add_term(sum, operands[0], operands[1], y);
  for (unsigned k = first_addend(inst); k < inst->operand_count && !is_too_long(sum); k++)
    if (is_absorbed(pass, operands[k]))
      add_terms(pass, sum, operands[k], y);
    else
      add_term(sum, operands[k], y, 0);
}

/* --- Rows --- */

/* Whether the first factor of a term is a sum of products that can be multiplied out. */
static bool
is_part(const Associating *pass, const NornInst *root, const Term *term) {
  const NornInst *inst = term->b ? loose_definition(pass->function, term->a) : NULL;
  return inst && inst->op != NORN_OP_FADD && inst->block == root->block && inst->type == root->type;
}

static uint32_t
use_count(const Associating *pass, NornRef ref) {
  return pass->use_counts[norn_ref_payload(ref)];
}

/* Moves the factor to be multiplied out to the front: that of the matrix, which is used less often
 * than that of the vector. Returns whether there is one. */
static bool
find_part(const Associating *pass, const NornInst *root, Term *term) {
  Term other = {term->b, term->a, 0, 0};
  bool is_first = is_part(pass, root, term), is_second = is_part(pass, root, &other);
  if (is_second && (!is_first || use_count(pass, other.a) < use_count(pass, term->a)))
    *term = other;
  return is_first || is_second;
}

/* Multiplies out the first factor of a term. */
static void
expand_part(const Associating *pass, ProductRow *row, const Term *term) {
  unsigned before = row->sum.count, addends = 0;
  add_terms(pass, &row->sum, term->a, term->b);
  for (unsigned k = before; k < row->sum.count; k++)
    addends += !row->sum.terms[k].y;
  row->part_cost += row->sum.count - before - (addends != 0);
  row->parts[row->part_count++] = norn_ref_payload(term->a);
}

static unsigned
count_factor(const Sum *sum, NornRef factor) {
  unsigned count = 0;
  for (unsigned k = 0; k < sum->count; k++)
    count += sum->terms[k].b && (sum->terms[k].a == factor || sum->terms[k].b == factor);
  return count;
}

/* Finds the common factors. */
static void
group_terms(ProductRow *row) {
  Sum *sum = &row->sum;
  for (unsigned k = 0; k < sum->count; k++) {
    Term *term = &sum->terms[k];
    if (term->b && count_factor(sum, term->b) > count_factor(sum, term->a))
      *term = (Term){term->b, term->a, term->y, 0};
  }
  for (unsigned k = 0; k < sum->count; k++)
    while (sum->terms[k].b && (sum->terms[sum->terms[k].group].a != sum->terms[k].a ||
                               !sum->terms[sum->terms[k].group].b))
      sum->terms[k].group++;
}

/* Adds up the cost and the key of what one common factor multiplies. */
static void
measure_group(ProductRow *row, unsigned group) {
  bool has_addend = false;
  for (unsigned k = group; k < row->sum.count; k++) {
    const Term *term = &row->sum.terms[k];
    if (term->group != group || !term->b)
      continue;
    row->shared_cost += term->y || has_addend;
    has_addend |= !term->y;
    row->key = norn_hash_mix(row->key, term->b);
    row->key = norn_hash_mix(row->key, term->y);
  }
  row->new_cost++;
  row->key = norn_hash_mix(row->key, 0);
}

/* Whether the instruction is a row; if so, multiplies it out. */
static bool
read_row(const Associating *pass, uint32_t index, ProductRow *row) {
  const NornInst *root = norn_inst(pass->function, index);
  Sum own;
  if (!is_sum(root) || pass->is_absorbed[root->result])
    return false;
  own.count = own.visited = 0; /* the terms stay uninitialized: most sums are not rows */
  add_terms(pass, &own, norn_ref(NORN_REF_VALUE, root->result), 0);
  uint32_t fewest = UINT32_MAX;
  for (unsigned k = 0; k < own.count; k++)
    if (find_part(pass, root, &own.terms[k]))
      fewest = MIN(fewest, use_count(pass, own.terms[k].a));
  if (fewest == UINT32_MAX || is_too_long(&own))
    return false;
  *row = (ProductRow){.key = root->block};
  for (unsigned k = 0; k < own.count; k++) {
    const Term *term = &own.terms[k];
    row->own_cost += term->b != 0;
    if (is_part(pass, root, term) && use_count(pass, term->a) == fewest)
      expand_part(pass, row, term);
    else
      add_term(&row->sum, term->a, term->b, 0);
  }
  if (is_too_long(&row->sum))
    return false;
  group_terms(row);
  for (unsigned k = 0; k < row->sum.count; k++)
    if (row->sum.terms[k].b && row->sum.terms[k].group == k)
      measure_group(row, k);
  return true;
}

static void
count_row(Associating *pass, const ProductRow *row) {
  ++*norn_key_count(&pass->equal_rows, row->key);
  for (unsigned k = 0; k < row->part_count; k++)
    pass->part_counts[row->parts[k]]++;
}

/* Whether fewer operations remain: the parts, computed once per vector, disappear, and what the
 * common factors multiply, computed once per row, is added. */
static bool
is_cheaper(Associating *pass, const ProductRow *row) {
  uint64_t vectors = 1, rows = *norn_key_count(&pass->equal_rows, row->key);
  for (unsigned k = 0; k < row->part_count; k++) {
    uint32_t uses = pass->use_counts[row->parts[k]];
    if (pass->part_counts[row->parts[k]] != uses)
      return false;
    vectors = MAX(vectors, uses);
  }
  return row->shared_cost * vectors + row->new_cost * vectors * rows <
         row->part_cost * rows + row->own_cost * vectors * rows;
}

/* --- Rewriting --- */

static NornRef
add(NornBuilder *builder, NornType type, NornRef sum, NornRef term) {
  return sum ? norn_build_fadd(builder, type, sum, term) : term;
}

static NornRef
add_product(NornBuilder *builder, NornType type, NornRef sum, NornRef a, NornRef b) {
  return sum ? norn_build_fma(builder, type, a, b, sum) : norn_build_fmul(builder, type, a, b);
}

/* The sum that a common factor multiplies. */
static NornRef
build_group(NornBuilder *builder, NornType type, const Sum *sum, unsigned group) {
  NornRef behind = 0;
  for (unsigned k = group; k < sum->count; k++)
    if (sum->terms[k].b && sum->terms[k].group == group && !sum->terms[k].y)
      behind = add(builder, type, behind, sum->terms[k].b);
  for (unsigned k = sum->count; k-- > group;)
    if (sum->terms[k].b && sum->terms[k].group == group && sum->terms[k].y)
      behind = add_product(builder, type, behind, sum->terms[k].b, sum->terms[k].y);
  return behind;
}

static void
rewrite_row(Associating *pass, uint32_t index, const ProductRow *row) {
  if (!is_cheaper(pass, row))
    return;
  const NornInst root = *norn_inst(pass->function, index);
  NornType type = (NornType)root.type;
  const Sum *sum = &row->sum;
  NornBuilder builder = norn_builder_in_place_of(pass->function, index);
  builder.flags =
      NORN_INST_FINITE; /* other promises about the original terms do not hold for the new ones */
  NornRef ref = 0;
  for (unsigned k = 0; k < sum->count; k++)
    if (!sum->terms[k].b)
      ref = add(&builder, type, ref, sum->terms[k].a);
  for (unsigned k = sum->count; k-- > 0;)
    if (sum->terms[k].b && sum->terms[k].group == k)
      ref = add_product(&builder, type, ref, sum->terms[k].a, build_group(&builder, type, sum, k));
  norn_replacements_set(&pass->replacements, root.result, ref);
  norn_move_name(pass->function, ref, root.result);
  pass->changed = true;
}

/* --- Walk --- */

/* Marks the addends that only this sum reads as its terms. */
static void
absorb_addends(Associating *pass, const NornInst *sum) {
  const NornRef *operands = norn_operands(pass->function, sum);
  for (unsigned k = first_addend(sum); k < sum->operand_count; k++) {
    const NornInst *term = loose_definition(pass->function, operands[k]);
    if (term && term->block == sum->block && term->type == sum->type &&
        use_count(pass, operands[k]) == 1)
      pass->is_absorbed[norn_ref_payload(operands[k])] = true;
  }
}

/* Lists and counts the rows. */
static void
find_rows(Associating *pass, NornPassContext *context, NornIndexList *rows) {
  ProductRow row;
  norn_for_each_block (pass->function, block)
    norn_for_each_inst (pass->function, block, index)
      if (norn_pass_continues(context, 1) && read_row(pass, index, &row)) {
        count_row(pass, &row);
        norn_list_push(&context->arena, rows, index);
      }
}

static void
rewrite_rows(Associating *pass, NornPassContext *context) {
  NornFunction *function = pass->function;
  NornIndexList rows = {0};
  ProductRow row;
  uint32_t sums = 0;
  pass->use_counts = norn_pass_use_counts(context, function);
  pass->part_counts = NORN_NEW0(&context->arena, uint32_t, function->value_count);
  pass->is_absorbed = NORN_NEW0(&context->arena, bool, function->value_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      if (is_sum(norn_inst(function, index))) {
        absorb_addends(pass, norn_inst(function, index));
        sums++;
      }
  pass->equal_rows = norn_key_counts_new(&context->arena, sums);
  find_rows(pass, context, &rows);
  for (uint32_t k = 0; k < rows.count && norn_pass_continues(context, 1); k++)
    if (read_row(pass, rows.items[k], &row))
      rewrite_row(pass, rows.items[k], &row);
  norn_replacements_apply(&pass->replacements, function);
}

bool
norn_pass_associate_products(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Associating pass = {.function = function, .replacements = {.arena = &context->arena}};
  if (context->options->contract && !context->is_lowered && norn_function_has(function, is_sum))
    rewrite_rows(&pass, context);
  norn_pass_report(context, pass.changed);
  return true;
}
