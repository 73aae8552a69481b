/* The rows of passes/optimize/algebra.def.
 *
 * Two questions are asked for each row. As written: both sides become terms of the letters,
 * including constants, in each type that all operations have, assuming the row's condition. As
 * executed: simplify runs on a module with the left side and some constants. */
#include "passes/optimize/algebra.h"
#include "ir/ops.h"
#include "tests/proofs/questions.h"
#include "tests/proofs/values.h"
#include <string.h>

enum {
  OF_AMOUNTS = SUM_BELOW_WIDTH | SUM_NOT_BELOW_WIDTH | SUM_IS_WIDTH | C1_IS_LESS | C0_IS_LESS,
  OF_SCALARS = OF_AMOUNTS | POWER_OF_TWO | C0_IS_WIDTH | C1_CLEARS_LOW_ZEROS | C1_FITS_SHIFTED,
};

#define LETTERS (C1 - A + 1)
#define ANY UINT64_MAX

typedef struct Rule {
  uint16_t match[RULE_LENGTH], replacement[RULE_LENGTH];
  unsigned condition;
  const char *text;
} Rule;

static const Rule rules[] = {
#define LIST(...)                                                                                  \
  { __VA_ARGS__ }
#define RULE(condition, match, replacement)                                                        \
  {LIST match, LIST replacement, condition, #match " -> " #replacement},
#include "passes/optimize/algebra.def"
#undef RULE
#undef LIST
};

/* A rule in a type and a float environment. */
typedef struct Instance {
  Prover *prover;
  const Rule *rule;
  char *key;
  NornType type;
  NornRound rounding;
  NornDenormals denormals;
} Instance;

static NornType
letter_type(const Instance *instance, unsigned letter) {
  return letter == T ? NORN_TYPE_I1 : instance->type;
}

static bool
has_type(const uint16_t *pattern, NornType type) {
  for (unsigned k = 0; k < RULE_LENGTH && pattern[k]; k++)
    if (pattern[k] < NORN_OP_MACHINE && !norn_type_in(norn_ops[pattern[k]].types, type))
      return false;
  return true;
}

static bool
is_float_rule(const Rule *rule) {
  return !norn_type_in(norn_ops[rule->match[0]].types, NORN_TYPE_I32);
}

/* --- As written --- */

typedef struct Symbols {
  Terms *t;
  const Instance *instance;
  NornFloatEnvironment environment;
  Z3_ast letters[LETTERS];
} Symbols;

/* Whether the tree adds A to itself, which is a product by 2. */
static bool
is_twice(const uint16_t *pattern) {
  return pattern[0] == FADD && pattern[1] == A && pattern[2] == A;
}

static Z3_ast
tree(const Symbols *symbols, const uint16_t **pattern) {
  Terms *t = symbols->t;
  NornType type = symbols->instance->type;
  unsigned symbol = *(*pattern)++, bits = norn_type_bits(type);
  if (symbol >= A && symbol <= C1)
    return symbols->letters[symbol - A];
  if (symbol == LOG2_C0)
    return bv_trailing_zeros(t, symbols->letters[C0 - A]);
  if (symbol > C1)
    return bv_constant(t, norn_algebra_constant(symbol, type), bits);
  NornEvaluator e;
  Z3_ast operands[3] = {0}, results[NORN_EVALUATE_RESULTS];
  norn_evaluator_init(&e, (NornOp)symbol, type, NORN_TYPE_VOID, 0, &symbols->environment);
  const uint16_t *inner = *pattern;
  for (unsigned k = 0; k < e.operand_count; k++)
    operands[k] = tree(symbols, pattern);
  /* A contracted sum: the product is not rounded separately. */
  bool contracts = symbols->instance->rule->condition & CONTRACT;
  Z3_ast factor = is_twice(inner) || *inner == B
                      ? bv_constant(t, norn_algebra_constant(FLOAT_TWO, type), bits)
                      : symbols->letters[1];
  if (contracts && (symbol == FADD || symbol == FSUB) && (*inner == FMUL || is_twice(inner)))
    return fp_fma(t, e.format, e.mode, symbols->letters[0], factor,
                  symbol == FSUB ? fp_negate(t, e.format, operands[1]) : operands[1]);
  if (contracts && symbol == FSUB && (*inner == C || *inner == B))
    return fp_fma(t, e.format, e.mode, fp_negate(t, e.format, symbols->letters[0]), factor,
                  operands[0]);
  operation_terms(t, &e, (NornOp)symbol, operands, results);
  return results[0];
}

/* The condition on constants and on A. */
static Z3_ast
assumption(const Symbols *symbols, const NornEvaluator *e) {
  Terms *t = symbols->t;
  Z3_context z3 = t->z3;
  unsigned condition = symbols->instance->rule->condition,
           width = norn_type_bits(symbols->instance->type);
  Z3_ast a = symbols->letters[0], c0 = symbols->letters[C0 - A], c1 = symbols->letters[C1 - A];
  Z3_ast width_term = bv_constant(t, width, width), result = Z3_mk_true(z3);
  Z3_ast sum = Z3_mk_bvadd(z3, c0, c1);
#define ASSUME(claim) result = bv_and(t, result, claim)
  if (condition & CANONICAL) {
    ASSUME(Z3_mk_eq(z3, a, fp_canonical(t, e->format, a)));
    if (e->mode.flush_outputs)
      ASSUME(Z3_mk_not(z3, fp_is_subnormal(t, e->format, a)));
  }
  if (condition & CANONICAL_NOT_NEGATIVE_ZERO) {
    ASSUME(Z3_mk_eq(z3, a, fp_canonical(t, e->format, a)));
    ASSUME(Z3_mk_not(
        z3, Z3_mk_eq(z3, a,
                     bv_constant(t, norn_algebra_constant(NEGATIVE_ZERO, symbols->instance->type),
                                 width))));
    if (e->mode.flush_outputs)
      ASSUME(Z3_mk_not(z3, fp_is_subnormal(t, e->format, a)));
  }
  if (condition & (NO_NAN | FINITE))
    ASSUME(Z3_mk_not(z3, fp_is_nan(t, e->format, a)));
  if (condition & POWER_OF_TWO) {
    Z3_ast less = Z3_mk_bvsub(z3, c0, bv_constant(t, 1, width));
    ASSUME(bv_and(t, Z3_mk_not(z3, bv_is_zero(t, c0)), bv_is_zero(t, Z3_mk_bvand(z3, c0, less))));
  }
  if (condition & OF_AMOUNTS)
    ASSUME(bv_and(t, Z3_mk_bvult(z3, c0, width_term), Z3_mk_bvult(z3, c1, width_term)));
  if (condition & SUM_BELOW_WIDTH)
    ASSUME(Z3_mk_bvult(z3, sum, width_term));
  if (condition & SUM_NOT_BELOW_WIDTH)
    ASSUME(Z3_mk_bvule(z3, width_term, sum));
  if (condition & SUM_IS_WIDTH)
    ASSUME(Z3_mk_eq(z3, sum, width_term));
  if (condition & C1_IS_LESS)
    ASSUME(Z3_mk_bvult(z3, c1, c0));
  if (condition & C0_IS_LESS)
    ASSUME(Z3_mk_bvult(z3, c0, c1));
  if (condition & C0_IS_WIDTH)
    ASSUME(Z3_mk_eq(z3, c0, width_term));
  if (condition & COMPLEMENTS)
    ASSUME(Z3_mk_eq(z3, c0, Z3_mk_bvnot(z3, c1)));
  if (condition & C1_CLEARS_LOW_ZEROS) {
    Z3_ast zeros = Z3_mk_bvnot(z3, c1), next = Z3_mk_bvneg(z3, c1); /* is zeros + 1 */
    ASSUME(bv_and(t, bv_is_zero(t, Z3_mk_bvand(z3, zeros, next)),
                  bv_is_zero(t, Z3_mk_bvand(z3, c0, zeros))));
  }
  if (condition & C1_FITS_SHIFTED)
    ASSUME(bv_and(
        t, Z3_mk_bvult(z3, c0, width_term),
        Z3_mk_bvule(
            z3, c1,
            Z3_mk_bvlshr(z3, bv_constant(t, norn_type_mask(symbols->instance->type), width), c0))));
  if (condition & C0_NOT_NEGATIVE)
    ASSUME(Z3_mk_bvule(z3, c0, bv_constant(t, norn_float_infinity(e->format, false), width)));
  if (condition & C0_WITHIN_ONE)
    ASSUME(Z3_mk_bvule(z3, fp_absolute(t, e->format, c0),
                       bv_constant(t, norn_float_one(e->format, false), width)));
#undef ASSUME
  return result;
}

/* A row that promises no NaN allows any result where the wanted one is NaN. With FINITE,
 * operations give NaN wherever infinities matter. */
static Z3_ast
is_same(Terms *t, const Instance *instance, const NornEvaluator *e, Z3_ast wanted, Z3_ast found) {
  unsigned condition = instance->rule->condition;
  return fp_is_same(t, e->format, wanted, found, condition & (NO_SIGNED_ZERO | FINITE),
                    condition & (NO_NAN | FINITE));
}

/* With any constants, or (not NULL) with these, and with one truth value. */
static Answer
prove_with(Terms *t, const Instance *instance, const uint64_t *constants, bool truth) {
  static const char *const names[LETTERS] = {"A", "B", "C", "T", "C0", "C1"};
  Symbols symbols = {
      t, instance, norn_float_environment(instance->rounding, instance->denormals), {0}};
  for (unsigned k = 0; k < LETTERS; k++)
    symbols.letters[k] = bv_variable(t, names[k], norn_type_bits(letter_type(instance, A + k)));
  symbols.letters[T - A] = bv_constant(t, truth, 1);
  for (unsigned k = 0; k < 2 && constants; k++)
    if (constants[k] != ANY)
      symbols.letters[C0 - A + k] = bv_constant(t, constants[k], norn_type_bits(instance->type));
  NornEvaluator e;
  norn_evaluator_init(&e, instance->rule->match[0], instance->type, NORN_TYPE_VOID, 0,
                      &symbols.environment);
  const uint16_t *match = instance->rule->match, *replacement = instance->rule->replacement;
  Z3_ast wanted = tree(&symbols, &match), found = tree(&symbols, &replacement);
  return terms_prove(t, 10 * instance->prover->effort, assumption(&symbols, &e),
                     is_same(t, instance, &e, wanted, found));
}

static bool
uses(const Rule *rule, unsigned letter) {
  for (unsigned k = 0; k < RULE_LENGTH && rule->match[k]; k++)
    if (rule->match[k] == letter)
      return true;
  return false;
}

static Answer
prove_instance(const Instance *instance, bool theory) {
  Terms terms;
  terms_init(&terms, instance->prover->solver, theory, true);
  Answer answer = prove_with(&terms, instance, NULL, false);
  if (answer == ANSWER_PROVED && uses(instance->rule, T))
    answer = prove_with(&terms, instance, NULL, true);
  return answer;
}

static bool
is_amount(const Rule *rule, unsigned letter) {
  for (unsigned k = 2; k < RULE_LENGTH && rule->match[k]; k++)
    if (rule->match[k] == letter && (rule->match[k - 2] == SHL || rule->match[k - 2] == LSHR))
      return true;
  return rule->condition & OF_AMOUNTS;
}

/* One proof for each shift amount, or power of two, that the constants can be; returns the worst
 * answer. */
static Answer
prove_cases(const Instance *instance) {
  const Rule *rule = instance->rule;
  unsigned width = norn_type_bits(instance->type);
  bool has_c1 = uses(rule, C1) && is_amount(rule, C1);
  if (!uses(rule, C0) || !(is_amount(rule, C0) || rule->condition & POWER_OF_TWO))
    return ANSWER_OPEN;
  Terms terms;
  Answer worst = ANSWER_PROVED;
  terms_init(&terms, instance->prover->solver, false, true);
  for (unsigned c0 = 0; c0 < width; c0++)
    for (unsigned c1 = 0; c1 < (has_c1 ? width : 1); c1++) {
      uint64_t constants[2] = {rule->condition & POWER_OF_TWO ? UINT64_C(1) << c0 : c0,
                               has_c1 ? c1 : ANY};
      Answer answer = prove_with(&terms, instance, constants, false);
      worst = MAX(worst, answer);
    }
  return worst;
}

static bool
has_terms(const uint16_t *pattern) {
  for (unsigned k = 0; k < RULE_LENGTH && pattern[k]; k++)
    if (pattern[k] < NORN_OP_MACHINE && !operation_has_terms(pattern[k]))
      return false;
  return true;
}

static void
ask_row(const Instance *instance) {
  if (!has_terms(instance->rule->match) || !has_terms(instance->rule->replacement)) {
    prover_count(instance->prover, "algebra", instance->key, ANSWER_OPEN,
                 "an operation has no row in tests/proofs/terms.def");
    return;
  }
  if (norn_types[instance->type].lanes > 1)
    return; /* each lane behaves like a scalar */
  if (prover_excepts(instance->prover, "algebra", instance->key)) {
    prover_count(instance->prover, "algebra", instance->key, ANSWER_OPEN, "it is an exception");
    return;
  }
  Answer answer = prove_cases(instance);
  if (answer != ANSWER_PROVED)
    answer = prove_instance(instance, false);
  if (answer != ANSWER_PROVED && is_float_rule(instance->rule))
    answer = prove_instance(instance, true);
  char *detail =
      g_strdup_printf("%s, %s, rounding %s%s", instance->key, norn_types[instance->type].name,
                      norn_modifiers[NORN_MODIFIER_ROUND].texts[instance->rounding],
                      instance->denormals ? ", flushing" : "");
  prover_count(instance->prover, "algebra", instance->key, answer, detail);
  g_free(detail);
}

/* --- As executed --- */

typedef struct Builder {
  Question question;
  const Instance *instance;
  uint64_t constants[2];
  char *letters[LETTERS];
} Builder;

static char *
build(Builder *builder, const uint16_t **pattern) {
  const Instance *instance = builder->instance;
  unsigned symbol = *(*pattern)++;
  if (symbol >= A && symbol <= C1) {
    char **letter = &builder->letters[symbol - A];
    if (!*letter)
      *letter = symbol >= C0 ? question_constant(instance->type, builder->constants[symbol - C0])
                             : question_input(&builder->question, letter_type(instance, symbol));
    /* A canonical number is the result of an arithmetic operation. */
    if (symbol == A && instance->rule->condition & CANONICAL && !strstr(*letter, "v")) {
      char *operands[] = {*letter, *letter},
           *text = g_strdup_printf("fmax.%s", norn_types[instance->type].name);
      *letter = question_line(&builder->question, text, operands, 2);
      g_free(operands[0]);
      g_free(text);
    }
    if (symbol == A && instance->rule->condition & CANONICAL_NOT_NEGATIVE_ZERO &&
        !strstr(*letter, "v")) {
      char *text = g_strdup_printf("fclamp_pos.%s", norn_types[instance->type].name);
      *letter = question_line(&builder->question, text, letter, 1);
      g_free(text);
    }
    return g_strdup(*letter);
  }
  if (symbol > C1)
    return question_constant(instance->type, norn_algebra_constant(symbol, instance->type));
  FuzzForm operation = {(guint16)symbol, (guint8)instance->type, NORN_TYPE_VOID, 0};
  NornType types[NORN_EVALUATE_OPERANDS];
  unsigned count = operation_operands(&operation, types);
  char *operands[3], *mnemonic = fuzz_form_text(&operation);
  for (unsigned k = 0; k < count; k++)
    operands[k] = build(builder, pattern);
  const char *flags = symbol == SELECT                             ? ""
                      : instance->rule->condition & FINITE         ? " finite"
                      : instance->rule->condition & NO_SIGNED_ZERO ? " nsz"
                      : instance->rule->condition & NO_NAN         ? " nnan"
                                                                   : "";
  char *line = g_strconcat(mnemonic, flags, NULL);
  char *result = question_line(&builder->question, line, operands, count);
  for (unsigned k = 0; k < count; k++)
    g_free(operands[k]);
  g_free(mnemonic);
  g_free(line);
  return result;
}

static void
ask_code(const Instance *instance, uint64_t c0, uint64_t c1) {
  Builder builder = {.instance = instance, .constants = {c0, c1}};
  Question *question = &builder.question;
  unsigned condition = instance->rule->condition;
  question_init(question, "simplify", instance->key, "simplify");
  question->rounding = instance->rounding;
  question->denormals = instance->denormals;
  question->contracts = condition & CONTRACT;
  question->ignores_zero_signs = condition & (NO_SIGNED_ZERO | FINITE);
  question->has_no_nan = condition & (NO_NAN | FINITE);
  const uint16_t *pattern = instance->rule->match;
  question_result(question, build(&builder, &pattern), instance->type);
  question_ask(instance->prover, question);
  for (unsigned k = 0; k < LETTERS; k++)
    g_free(builder.letters[k]);
  question_clear(question);
}

/* Floats of both signs up to 1 or, if the rule's condition does not allow it, only positive ones.
 */
static uint64_t
some_float(const Instance *instance, unsigned k) {
  static const double values[] = {0.25, 1, 1, 0, 0, 0.75, 0x1p-24, 0x1p-14};
  NornFloatFormat format = norn_float_of_width(norn_types[instance->type].lane_bits);
  bool is_negative = k & 1 && !(instance->rule->condition & C0_NOT_NEGATIVE);
  double value = values[k % G_N_ELEMENTS(values)];
  return norn_type_splat(instance->type,
                         norn_float_from_double(format, is_negative ? -value : value));
}

static void
ask_codes(const Instance *instance) {
  uint64_t state = 0xA0761D6478BD642F;
  unsigned width = norn_types[instance->type].lane_bits;
  unsigned tries = !uses(instance->rule, C0) ? 1 : !uses(instance->rule, C1) ? 8 : 16;
  for (unsigned k = 0; k < tries; k++) {
    uint64_t c0 = some_value(&state, instance->type), c1 = some_value(&state, instance->type);
    if (instance->rule->condition & OF_AMOUNTS) {
      c0 %= width;
      c1 = k & 1 ? (width - c0) % width : c1 % width;
    }
    if (instance->rule->condition & POWER_OF_TWO)
      c0 = UINT64_C(1) << c0 % width;
    if (instance->rule->condition & C0_IS_WIDTH)
      c0 = width;
    if (instance->rule->condition & COMPLEMENTS)
      c1 = c0 ^ norn_type_mask(instance->type);
    if (instance->rule->condition & C1_CLEARS_LOW_ZEROS) {
      c1 = norn_type_mask(instance->type) << c1 % width & norn_type_mask(instance->type);
      c0 &= c1;
    }
    if (instance->rule->condition & C1_FITS_SHIFTED) {
      c0 %= width;
      c1 = norn_type_mask(instance->type) >> c0;
    }
    if (instance->rule->condition & (C0_NOT_NEGATIVE | C0_WITHIN_ONE))
      c0 = some_float(instance, k);
    ask_code(instance, c0, c1);
  }
}

/* --- All rows --- */

static void
ask_modes(Instance instance) {
  if (!is_float_rule(instance.rule)) {
    ask_row(&instance);
    ask_codes(&instance);
    return;
  }
  for (unsigned rounding = 0; rounding < NORN_ROUND_COUNT; rounding++)
    for (unsigned denormals = 0; denormals < NORN_DENORMALS_COUNT; denormals++) {
      if ((rounding && instance.rule->condition & TO_NEAREST) ||
          (denormals && instance.rule->condition & SUBNORMALS_STAY))
        continue;
      instance.rounding = rounding;
      instance.denormals = denormals;
      ask_row(&instance);
      ask_codes(&instance);
    }
}

void
ask_algebra(Prover *prover) {
  for (unsigned k = 0; k < G_N_ELEMENTS(rules); k++) {
    char *key = g_strdup(rules[k].text);
    if (prover_wants(prover, key) && prover_takes_next(prover))
      for (unsigned type = 0; type < NORN_TYPE_COUNT; type++) {
        bool is_scalar = norn_types[type].lanes == 1;
        if (has_type(rules[k].match, type) && has_type(rules[k].replacement, type) &&
            type != NORN_TYPE_F64 && (is_scalar || !(rules[k].condition & OF_SCALARS)))
          ask_modes(
              (Instance){prover, &rules[k], key, type, NORN_ROUND_RTE, NORN_DENORMALS_PRESERVE});
      }
    g_free(key);
  }
}
