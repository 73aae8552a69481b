/* Straight-line strength reduction: a sum of products of integers that differs from an earlier one
 * by a single number is computed from the earlier one.
 *
 *   a = iadd (imul y, w), x              a = iadd (imul y, w), x
 *   b = iadd (imul (iadd y, 1), w), x    b = iadd a, w
 *
 * Sums, differences, products and left shifts by constants are represented as polynomials in the
 * values that they are computed from, modulo 2^32: each term is a factor times a product of at most
 * two numbers. Each value is compared with the latest ones that dominate it and are in the same
 * loop. The change pays if it removes more than one instruction. */
#include "ir/ops.h"
#include "passes/pass.h"

enum {
  MAX_TERMS = 6,  /* of a polynomial */
  WINDOW = 32,    /* earlier values that one is compared with */
  MAX_CHAIN = 16, /* maximum number of instructions removed with one value */
};

/* A factor times a product of two numbers, of one number (b is 0) or of none. */
typedef struct LineTerm {
  NornRef a, b;
  uint32_t factor;
} LineTerm;

/* A sum of nonzero terms in order; without terms if there would be too many. */
typedef struct Polynomial {
  uint8_t count;
  LineTerm terms[MAX_TERMS];
} Polynomial;

typedef struct LineReduction {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  uint32_t *uses;                /* by value */
  const Polynomial **polynomial; /* by value; NULL: a term of its own */
  uint32_t before[WINDOW];       /* the latest values */
  unsigned before_count;         /* of all earlier values */
  bool changed;
} LineReduction;

/* --- Polynomials --- */

static int
compare_terms(const LineTerm *a, const LineTerm *b) {
  if (a->a != b->a)
    return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

/* *sum = left + right * factor; false if that has more than `max` terms. */
static bool
add_scaled(const Polynomial *left, const Polynomial *right, uint32_t factor, unsigned max,
           Polynomial *sum) {
  unsigned i = 0, k = 0, count = 0;
  while (i < left->count || k < right->count) {
    int order = i == left->count    ? 1
                : k == right->count ? -1
                                    : compare_terms(&left->terms[i], &right->terms[k]);
    LineTerm term = order <= 0 ? left->terms[i++] : right->terms[k];
    if (order > 0)
      term.factor = 0;
    if (order >= 0)
      term.factor += right->terms[k++].factor * factor;
    if (!term.factor)
      continue;
    if (count == max)
      return false;
    sum->terms[count++] = term;
  }
  sum->count = (uint8_t)count;
  return true;
}

/* *product = left * term; false if that contains a product of more than two numbers. */
static bool
multiply_by_term(const Polynomial *left, const LineTerm *term, Polynomial *product) {
  Polynomial sum = {0};
  for (unsigned k = 0; k < left->count; k++) {
    NornRef numbers[4] = {left->terms[k].a, left->terms[k].b, term->a, term->b};
    Polynomial one = {.count = 1, .terms = {{.factor = left->terms[k].factor * term->factor}}};
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++)
      if (numbers[i] && count++ < 2)
        *(count == 1 ? &one.terms[0].a : &one.terms[0].b) = numbers[i];
    if (count > 2)
      return false;
    if (count == 2 && one.terms[0].a > one.terms[0].b)
      one.terms[0] = (LineTerm){one.terms[0].b, one.terms[0].a, one.terms[0].factor};
    Polynomial next;
    if (!add_scaled(&sum, &one, 1, MAX_TERMS, &next))
      return false;
    sum = next;
  }
  *product = sum;
  return true;
}

static bool
multiply(const Polynomial *left, const Polynomial *right, Polynomial *product) {
  Polynomial sum = {0};
  for (unsigned k = 0; k < right->count; k++) {
    Polynomial one, next;
    if (!multiply_by_term(left, &right->terms[k], &one) ||
        !add_scaled(&sum, &one, 1, MAX_TERMS, &next))
      return false;
    sum = next;
  }
  *product = sum;
  return true;
}

static Polynomial
polynomial_of(const LineReduction *pass, NornRef ref) {
  if (norn_ref_kind(ref) == NORN_REF_VALUE && pass->polynomial[norn_ref_payload(ref)])
    return *pass->polynomial[norn_ref_payload(ref)];
  if (!norn_is_constant(ref))
    return (Polynomial){.count = 1, .terms = {{.a = ref, .factor = 1}}};
  uint32_t number = (uint32_t)norn_constant_bits(pass->function->module, ref);
  return (Polynomial){.count = number != 0, .terms = {{.factor = number}}};
}

static bool
is_sum_or_product(const LineReduction *pass, const NornInst *inst) {
  if (inst->type != NORN_TYPE_I32)
    return false;
  if (inst->op == NORN_OP_SHL)
    return norn_is_constant(norn_operands(pass->function, inst)[1]);
  return inst->op == NORN_OP_IADD || inst->op == NORN_OP_ISUB || inst->op == NORN_OP_IMUL;
}

/* Records the polynomial that the instruction computes, if any. */
static void
note_polynomial(LineReduction *pass, const NornInst *inst) {
  const NornRef *operands = norn_operands(pass->function, inst);
  Polynomial left = polynomial_of(pass, operands[0]), right = polynomial_of(pass, operands[1]);
  Polynomial result;
  bool is_known;
  if (inst->op == NORN_OP_SHL) {
    uint64_t bits = norn_constant_bits(pass->function->module, operands[1]);
    is_known = add_scaled(&(Polynomial){0}, &left, UINT32_C(1) << (bits & 31), MAX_TERMS, &result);
  } else {
    is_known = inst->op == NORN_OP_IMUL
                   ? multiply(&left, &right, &result)
                   : add_scaled(&left, &right, inst->op == NORN_OP_IADD ? 1 : UINT32_MAX, MAX_TERMS,
                                &result);
  }
  if (!is_known)
    return;
  Polynomial *kept = NORN_NEW(&pass->context->arena, Polynomial, 1);
  *kept = result;
  pass->polynomial[inst->result] = kept;
}

/* --- Profitability --- */

/* Lists the instruction and those that only it needs. Returns how many there are. */
static unsigned
find_chain(const LineReduction *pass, uint32_t inst, uint32_t chain[MAX_CHAIN]) {
  const NornFunction *function = pass->function;
  unsigned count = 1;
  chain[0] = inst;
  for (unsigned n = 0; n < count; n++) {
    const NornInst *self = norn_inst(function, chain[n]);
    norn_for_each_use (function, self, use) {
      const NornInst *def = norn_defining_inst(function, norn_ref(NORN_REF_VALUE, use.value));
      if (def && pass->uses[use.value] == 1 && is_sum_or_product(pass, def) && count < MAX_CHAIN)
        chain[count++] = norn_value(function, use.value)->def;
    }
  }
  return count;
}

static bool
is_in_chain(const LineReduction *pass, const uint32_t *chain, unsigned count, NornRef ref) {
  for (unsigned n = 0; n < count && norn_ref_kind(ref) == NORN_REF_VALUE; n++)
    if (norn_inst(pass->function, chain[n])->result == norn_ref_payload(ref))
      return true;
  return false;
}

/* Whether the value is another one plus or minus a number; finds the number and *op. */
static bool
find_step(const LineReduction *pass, const Polynomial *value, uint32_t other, NornRef *number,
          NornOp *op) {
  Polynomial difference;
  if (!add_scaled(value, pass->polynomial[other], UINT32_MAX, 1, &difference) ||
      difference.count != 1 || difference.terms[0].b)
    return false;
  const LineTerm *term = &difference.terms[0];
  if (!term->a) {
    *number = norn_constant(pass->function->module, term->factor);
    *op = NORN_OP_IADD;
    return true;
  }
  *number = term->a;
  *op = term->factor == 1 ? NORN_OP_IADD : NORN_OP_ISUB;
  return term->factor == 1 || term->factor == UINT32_MAX;
}

/* --- Changing the function --- */

/* Turns the instruction into the sum and erases the instructions that only it needed. */
static void
replace(LineReduction *pass, const uint32_t *chain, unsigned count, NornOp op, uint32_t other,
        NornRef number) {
  NornFunction *function = pass->function;
  for (unsigned n = 0; n < count; n++) {
    const NornInst *inst = norn_inst(function, chain[n]);
    norn_for_each_use (function, inst, use)
      pass->uses[use.value]--;
    if (n)
      norn_inst_erase(function, chain[n]);
  }
  NornRef operands[] = {norn_ref(NORN_REF_VALUE, other), number};
  norn_inst_become(function, chain[0], op, 0, operands, 2);
  norn_inst(function, chain[0])->flags &= (uint16_t)~NORN_INST_NOWRAP;
  norn_for_each_use (function, norn_inst(function, chain[0]), use)
    pass->uses[use.value]++;
  pass->changed = true;
}

/* Whether the value dominates the block and is in the same loop. */
static bool
is_at_hand(const LineReduction *pass, uint32_t value, uint32_t block) {
  const NornDominance *dominance = pass->dominance;
  uint32_t home = norn_defining_block(pass->function, value);
  return pass->uses[value] && norn_dominates(dominance, home, block) &&
         dominance->loop_header[home] == dominance->loop_header[block];
}

/* Computes the value from an earlier one, if that pays. */
static void
try_value(LineReduction *pass, uint32_t index) {
  const NornInst *inst = norn_inst(pass->function, index);
  const Polynomial *own = pass->polynomial[inst->result];
  uint32_t chain[MAX_CHAIN];
  unsigned count = find_chain(pass, index, chain);
  if (count < 2)
    return;
  for (unsigned n = 1; n <= MIN(pass->before_count, WINDOW); n++) {
    uint32_t other = pass->before[(pass->before_count - n) % WINDOW];
    NornRef number;
    NornOp op;
    if (!is_at_hand(pass, other, inst->block) || !find_step(pass, own, other, &number, &op) ||
        is_in_chain(pass, chain, count, norn_ref(NORN_REF_VALUE, other)) ||
        is_in_chain(pass, chain, count, number))
      continue;
    replace(pass, chain, count, op, other, number);
    return;
  }
}

bool
norn_pass_reduce_straight_line(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  LineReduction pass = {.context = context,
                        .function = function,
                        .dominance = norn_pass_dominance(context, function),
                        .uses = norn_pass_use_counts(context, function),
                        .polynomial =
                            NORN_NEW0(&context->arena, const Polynomial *, function->value_count)};
  for (uint32_t i = 0; i < pass.dominance->order_count; i++) {
    uint32_t block = pass.dominance->order[i];
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      const NornInst *inst = norn_inst(function, index);
      next = inst->next;
      if (!is_sum_or_product(&pass, inst) || !pass.uses[inst->result] ||
          !norn_pass_continues(context, 1))
        continue;
      note_polynomial(&pass, inst);
      if (!pass.polynomial[inst->result])
        continue;
      try_value(&pass, index);
      pass.before[pass.before_count++ % WINDOW] = inst->result;
    }
  }
  norn_pass_report(context, pass.changed);
  return true;
}
