/* Asking a question: the module is read twice, passes run on one copy, and both become terms of
 * the same inputs. The solver searches for inputs with different results, first with float
 * arithmetic as functions of which it knows little, then with its theory of floats. Any inputs
 * that it finds are checked with numbers, using the definitions of the interpreter and the
 * simulator. If it finds nothing in its time, all inputs are computed if they have at most 16
 * bits, otherwise edge values and random ones. */
#include "tests/proofs/prove.h"
#include "ir/random.h"
#include "tests/proofs/values.h"
#include <norn/module.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ALL_BITS 16   /* inputs with at most this many bits in total are all tried */
#define EFFORT 200000 /* for the solver: about a second */
#define SAMPLES 4000
#define HARD_SAMPLES 10 /* multiplied by this if the solver is not asked */

static const char *const answer_names[ANSWER_COUNT] = {"proved", "tried", "sampled", "open",
                                                       "refuted"};

typedef struct Row {
  char *family, *key;
  unsigned count[ANSWER_COUNT];
  char *detail; /* of the first question with the worst answer, if it is sampled, open or refuted */
} Row;

static void
free_row(gpointer data) {
  Row *row = data;
  g_free(row->family);
  g_free(row->key);
  g_free(row->detail);
  g_free(row);
}

void
prover_init(Prover *prover) {
  *prover = (Prover){.rows = g_ptr_array_new_with_free_func(free_row),
                     .index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                     .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                     .exceptions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                     .effort = EFFORT,
                     .samples = SAMPLES,
                     .shards = 1,
                     .solver = g_new0(Solver, 1)};
}

void
prover_clear(Prover *prover) {
  g_ptr_array_free(prover->rows, TRUE);
  g_hash_table_destroy(prover->index);
  g_hash_table_destroy(prover->seen);
  g_hash_table_destroy(prover->exceptions);
  solver_clear(prover->solver);
  g_free(prover->solver);
}

bool
prover_wants(const Prover *prover, const char *key) {
  return !prover->only || strstr(key, prover->only);
}

void
prover_count(Prover *prover, const char *family, const char *key, Answer answer,
             const char *detail) {
  char *name = g_strdup_printf("%s %s", family, key);
  Row *row = g_hash_table_lookup(prover->index, name);
  if (!row) {
    row = g_new0(Row, 1);
    row->family = g_strdup(family);
    row->key = g_strdup(key);
    g_ptr_array_add(prover->rows, row);
    g_hash_table_insert(prover->index, g_strdup(name), row);
  }
  bool is_worst = answer >= ANSWER_SAMPLED;
  for (unsigned k = answer; k < ANSWER_COUNT; k++)
    is_worst = is_worst && !row->count[k];
  row->count[answer]++;
  prover->is_stopped |= prover->stops && answer == ANSWER_REFUTED;
  if (detail && (is_worst || (answer >= ANSWER_SAMPLED && !row->detail))) {
    g_free(row->detail);
    row->detail = g_strdup(detail);
  }
  if (answer == ANSWER_REFUTED && detail)
    printf("refuted: %s\n%s\n", name, detail);
  else if (prover->verbose && answer >= ANSWER_SAMPLED && detail)
    printf("%s: %s\n%s\n", answer == ANSWER_OPEN ? "open" : "sampled", name, detail);
  g_free(name);
}

/* Progress: a line that is updated on a terminal, otherwise a line for each tenth. */
static void
show_progress(const Prover *prover) {
  unsigned tenth = MAX(prover->total / 10, 1), step = isatty(STDERR_FILENO) ? 20 : tenth;
  if (prover->total && prover->asked % step == 0)
    fprintf(stderr, isatty(STDERR_FILENO) ? "\r%u of %u questions" : "%u of %u questions\n",
            prover->asked, prover->total);
}

bool
prover_takes_next(Prover *prover) {
  show_progress(prover);
  return prover->asked++ % prover->shards == prover->shard && !prover->is_stopped;
}

/* Lines of the file are "FAMILY KEY: why nothing is proved"; # starts a comment. */
bool
prover_read_exceptions(Prover *prover, const char *file, GError **error) {
  char *text;
  if (!g_file_get_contents(file, &text, NULL, error))
    return false;
  char **lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    char *colon = strstr(*line, ": ");
    if (**line != '#' && colon)
      g_hash_table_add(prover->exceptions, g_strndup(*line, (size_t)(colon - *line)));
  }
  g_strfreev(lines);
  g_free(text);
  return true;
}

bool
prover_excepts(const Prover *prover, const char *family, const char *key) {
  char *name = g_strdup_printf("%s %s", family, key);
  bool is_listed = g_hash_table_contains(prover->exceptions, name);
  g_free(name);
  return is_listed;
}

/* Whether the row is not listed as open. */
static bool
is_unexpected(const Prover *prover, const Row *row) {
  return row->count[ANSWER_REFUTED] ||
         (row->count[ANSWER_OPEN] && !prover_excepts(prover, row->family, row->key));
}

/* What is wrong in the table, row by row, and how to fix it. */
static void
explain_unexpected(const Prover *prover) {
  bool has_open = false;
  for (unsigned k = 0; k < prover->rows->len; k++) {
    const Row *row = g_ptr_array_index(prover->rows, k);
    if (!is_unexpected(prover, row))
      continue;
    bool is_open = !row->count[ANSWER_REFUTED];
    has_open |= is_open;
    if (!is_open)
      printf("refuted, see above: %s %s\n", row->family, row->key);
    else
      printf("open: %s %s: %.*s\n", row->family, row->key, (int)strcspn(row->detail, "\n"),
             row->detail);
  }
  if (has_open)
    printf("What is to stay open is listed with its reason in tests/proofs/exceptions.txt.\n");
}

bool
prover_report(const Prover *prover) {
  unsigned total[ANSWER_COUNT] = {0};
  bool is_right = true;
  printf("%-8s %-62s", "family", "row");
  for (unsigned answer = 0; answer < ANSWER_COUNT; answer++)
    printf(" %7s", answer_names[answer]);
  printf("\n");
  for (unsigned k = 0; k < prover->rows->len; k++) {
    const Row *row = g_ptr_array_index(prover->rows, k);
    bool is_wrong = is_unexpected(prover, row);
    printf("%-8s %-62s", row->family, row->key);
    for (unsigned answer = 0; answer < ANSWER_COUNT; answer++) {
      printf(" %7u", row->count[answer]);
      total[answer] += row->count[answer];
    }
    printf("%s\n", is_wrong ? "  <-" : "");
    is_right = is_right && !is_wrong;
  }
  printf("%-71s", "all");
  for (unsigned answer = 0; answer < ANSWER_COUNT; answer++)
    printf(" %7u", total[answer]);
  printf("\n");
  if (!is_right)
    explain_unexpected(prover);
  return is_right;
}

/* --- Questions --- */

void
question_init(Question *question, const char *family, const char *key, const char *passes) {
  *question = (Question){.family = family,
                         .key = key,
                         .passes = passes,
                         .body = g_string_new(NULL),
                         .architecture = 9};
}

void
question_clear(Question *question) {
  for (unsigned k = 0; k < question->result_count; k++)
    g_free(question->results[k]);
  g_string_free(question->body, TRUE);
}

char *
question_input(Question *question, NornType type) {
  question->inputs[question->input_count] = type;
  return g_strdup_printf("%%in%u", question->input_count++);
}

char *
question_constant(NornType type, uint64_t bits) {
  if (type == NORN_TYPE_I1)
    return g_strdup(bits & 1 ? "true" : "false");
  return g_strdup_printf("0x%" G_GINT64_MODIFIER "x",
                         norn_int_truncate(bits, norn_type_bits(type)));
}

char *
question_line(Question *question, const char *mnemonic, char *const *operands, unsigned count) {
  g_string_append_printf(question->body, "  %%v%u = %s ", question->names, mnemonic);
  for (unsigned k = 0; k < count; k++)
    g_string_append_printf(question->body, "%s%s", k ? ", " : "", operands[k]);
  g_string_append_c(question->body, '\n');
  return g_strdup_printf("%%v%u", question->names++);
}

void
question_result(Question *question, char *operand, NornType type) {
  question->results[question->result_count] = operand;
  question->result_types[question->result_count++] = type;
}

static char *
question_text(const Question *question) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "target valhall %u\nshader compute @t workgroup(16, 1, 1)",
                         question->architecture);
  if (question->denormals)
    g_string_append(text, " denormals(flush)");
  if (question->rounding)
    g_string_append_printf(text, " rounding(%s)",
                           norn_modifiers[NORN_MODIFIER_ROUND].texts[question->rounding]);
  g_string_append(text, " {\nentry:\n");
  /* Passes look at the values that enter a block: nothing may be known about them. */
  for (unsigned k = 0; k < question->input_count; k++)
    g_string_append_printf(text, "  %%any%u = undef.%s\n", k, norn_types[question->inputs[k]].name);
  g_string_append(text, "  jump body(");
  for (unsigned k = 0; k < question->input_count; k++)
    g_string_append_printf(text, "%s%%any%u", k ? ", " : "", k);
  g_string_append(text, ")\nbody(");
  for (unsigned k = 0; k < question->input_count; k++)
    g_string_append_printf(text, "%s%%in%u: %s", k ? ", " : "", k,
                           norn_types[question->inputs[k]].name);
  g_string_append_printf(text, "):\n%s  jump exit(", question->body->str);
  for (unsigned k = 0; k < question->result_count; k++)
    g_string_append_printf(text, "%s%s", k ? ", " : "", question->results[k]);
  g_string_append(text, ")\nexit(");
  for (unsigned k = 0; k < question->result_count; k++)
    g_string_append_printf(text, "%s%%out%u: %s", k ? ", " : "", k,
                           norn_types[question->result_types[k]].name);
  g_string_append(text, "):\n  end\n}\n");
  return g_string_free(text, FALSE);
}

/* --- The solver --- */

/* Everything becomes one circuit, in which subterms that are the same before and after are one
 * gate. */
static Z3_solver
circuit_solver(Z3_context z3) {
  static const char *const tactics[] = {
      "simplify", "fpa2bv",    "simplify", "solve-eqs", "ackermannize_bv",
      "simplify", "bit-blast", "aig",      "sat"};
  Z3_tactic all = Z3_mk_tactic(z3, "skip");
  Z3_tactic_inc_ref(z3, all);
  for (unsigned k = 0; k < G_N_ELEMENTS(tactics); k++) {
    Z3_tactic before = all, next = Z3_mk_tactic(z3, tactics[k]);
    Z3_tactic_inc_ref(z3, next);
    all = Z3_tactic_and_then(z3, before, next);
    Z3_tactic_inc_ref(z3, all);
    Z3_tactic_dec_ref(z3, before);
    Z3_tactic_dec_ref(z3, next);
  }
  Z3_solver solver = Z3_mk_solver_from_tactic(z3, all);
  Z3_solver_inc_ref(z3, solver);
  Z3_tactic_dec_ref(z3, all);
  return solver;
}

static Answer
check(Terms *t, unsigned effort, Z3_ast formula, Z3_model *model) {
  Z3_context z3 = t->z3;
  Z3_solver solver = circuit_solver(z3);
  Z3_params parameters = Z3_mk_params(z3);
  Z3_params_inc_ref(z3, parameters);
  Z3_params_set_uint(z3, parameters, Z3_mk_string_symbol(z3, "rlimit"), effort);
  Z3_solver_set_params(z3, solver, parameters);
  Z3_solver_assert(z3, solver, formula);
  Z3_lbool result = Z3_solver_check(z3, solver);
  if (result == Z3_L_TRUE && model) {
    *model = Z3_solver_get_model(z3, solver);
    Z3_model_inc_ref(z3, *model);
  }
  Z3_params_dec_ref(z3, parameters);
  Z3_solver_dec_ref(z3, solver);
  return result == Z3_L_FALSE ? ANSWER_PROVED : result == Z3_L_TRUE ? ANSWER_REFUTED : ANSWER_OPEN;
}

/* The formula that must be unsatisfiable; NULL if it obviously is. */
static Z3_ast
counterexample(Terms *t, Z3_ast assumed, Z3_ast claim) {
  Z3_ast formula = Z3_mk_not(t->z3, claim);
  if (assumed)
    formula = bv_and(t, assumed, formula);
  formula = Z3_simplify(t->z3, formula);
  return Z3_get_bool_value(t->z3, formula) == Z3_L_FALSE ? NULL : formula;
}

Answer
terms_prove(Terms *t, unsigned effort, Z3_ast assumed, Z3_ast claim) {
  Z3_ast formula = counterexample(t, assumed, claim);
  return formula ? check(t, effort, formula, NULL) : ANSWER_PROVED;
}

/* --- Before and after --- */

/* The value of the first input that is a truth value. */
typedef enum Truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_ANY } Truth;

typedef struct Pair {
  const Question *question;
  NornModule *before, *after;
  Block blocks[2];
  unsigned input_count, result_count;
  NornType inputs[BLOCK_VALUES], results[BLOCK_VALUES], selected[BLOCK_VALUES];
  bool is_selected; /* the result is machine code */
} Pair;

static void
clear_pair(Pair *pair) {
  if (pair->before)
    norn_module_free(pair->before);
  if (pair->after)
    norn_module_free(pair->after);
}

/* False where the passes refuse the module. */
static bool
make_pair(Pair *pair, const Question *question, const char *text) {
  GError *error = NULL;
  NornCompileOptions options;
  *pair = (Pair){.question = question};
  pair->before = norn_module_parse(text, strlen(text), NULL, &error);
  if (!pair->before)
    g_error("%s\n%s", error->message, text);
  pair->after = norn_module_parse(text, strlen(text), NULL, NULL);
  norn_compile_options_init(&options);
  options.contract = question->contracts;
  options.promote_constants = false; /* the machine code would read words that a driver fills */
  if (!norn_run_passes(pair->after, question->passes, &options, NULL, &error)) {
    g_error_free(error);
    clear_pair(pair);
    return false;
  }
  pair->is_selected = strstr(question->passes, "select");
  pair->blocks[0] = (Block){pair->before, question->contracts};
  pair->blocks[1] = (Block){pair->after, false};
  pair->input_count = block_input_types(pair->before, pair->inputs);
  pair->result_count = block_result_types(pair->before, pair->results);
  block_result_types(pair->after, pair->selected);
  return true;
}

/* Whether the result is the wanted one, considering what the question says about zeros and NaN. */
static Z3_ast
is_answer(Terms *t, const Question *question, NornType type, Z3_ast wanted, Z3_ast found) {
  if (norn_types[type].class != NORN_CLASS_FLOAT)
    return Z3_mk_eq(t->z3, wanted, found);
  unsigned width = norn_types[type].lane_bits;
  NornFloatFormat format = norn_float_of_width(width);
  Z3_ast result = Z3_mk_true(t->z3);
  for (unsigned k = 0; k < norn_types[type].lanes; k++) {
    Z3_ast a = bv_extract(t, wanted, k * width, width), b = bv_extract(t, found, k * width, width);
    result = bv_and(
        t, result, fp_is_same(t, format, a, b, question->ignores_zero_signs, question->has_no_nan));
  }
  return result;
}

static uint64_t
bits_without_zero_signs(NornType type, uint64_t bits) {
  unsigned width = norn_types[type].lane_bits;
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    if (norn_int_truncate(bits >> k * width, width - 1) == 0)
      bits &= ~(UINT64_C(1) << (k * width + width - 1));
  return bits;
}

/* Machine code uses words for values: bits that the type lacks are undefined, and a truth value
 * fills all of them. */
static bool
pair_terms(Terms *t, const Pair *pair, Truth truth, Z3_ast *inputs, Z3_ast *assumed, Z3_ast *claim,
           const char **why) {
  Z3_ast machine[BLOCK_VALUES] = {0}, results[2][BLOCK_VALUES], unused = NULL;
  for (unsigned k = 0; k < pair->input_count; k++) {
    char *name = g_strdup_printf("in%u", k);
    unsigned bits = norn_type_bits(pair->inputs[k]);
    inputs[k] =
        bits == 1 && truth != TRUTH_ANY ? bv_constant(t, truth, 1) : bv_variable(t, name, bits);
    if (bits == 1)
      truth = TRUTH_ANY;
    machine[k] = inputs[k];
    if (pair->is_selected && bits == 1)
      machine[k] = bv_resize(t, inputs[k], 32, true);
    else if (pair->is_selected && bits < 32)
      machine[k] = bv_concat(t, bv_unknown(t, 32 - bits), inputs[k]);
    g_free(name);
  }
  if (!block_terms(t, &pair->blocks[0], inputs, results[0], assumed, why) ||
      !block_terms(t, &pair->blocks[1], machine, results[1], &unused, why))
    return false;
  *claim = Z3_mk_true(t->z3);
  for (unsigned k = 0; k < pair->result_count; k++) {
    Z3_ast wanted = results[0][k], found = results[1][k];
    unsigned bits = norn_type_bits(pair->results[k]);
    if (pair->is_selected && bits == 1)
      wanted = bv_resize(t, wanted, 32, true);
    else
      found = bv_resize(t, found, bits, false);
    *claim = bv_and(t, *claim, is_answer(t, pair->question, pair->results[k], wanted, found));
  }
  return true;
}

/* --- Numbers --- */

/* Whether a lane is NaN. */
static bool
is_nan(NornType type, uint64_t bits) {
  unsigned width = norn_types[type].lane_bits;
  NornFloatFormat format = norn_float_of_width(width);
  if (norn_types[type].class != NORN_CLASS_FLOAT)
    return false;
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    if (norn_float_is_nan(format, norn_int_truncate(bits >> k * width, width)))
      return true;
  return false;
}

/* Whether before and after agree on these inputs; otherwise *detail says how they differ. */
static bool
agree(const Pair *pair, const uint64_t *inputs, uint64_t junk, char **detail) {
  uint64_t machine[BLOCK_VALUES] = {0}, results[2][BLOCK_VALUES];
  const char *why = NULL;
  for (unsigned k = 0; k < pair->input_count; k++) {
    unsigned bits = norn_type_bits(pair->inputs[k]);
    if (pair->question->has_no_nan && is_nan(pair->inputs[k], inputs[k]))
      return true;
    machine[k] = inputs[k];
    if (pair->is_selected && bits == 1)
      machine[k] = inputs[k] ? UINT32_MAX : 0;
    else if (pair->is_selected && bits < 32)
      machine[k] |= (uint32_t)(junk << bits);
  }
  if (!block_values(&pair->blocks[0], inputs, junk, results[0], &why) ||
      !block_values(&pair->blocks[1], machine, junk, results[1], &why))
    g_error("what has terms has no values: %s", why);
  for (unsigned k = 0; k < pair->result_count; k++) {
    unsigned bits = norn_type_bits(pair->results[k]);
    uint64_t wanted = results[0][k], found = norn_int_truncate(results[1][k], bits);
    if (pair->is_selected && bits == 1) {
      wanted = wanted ? UINT32_MAX : 0;
      found = results[1][k];
    }
    if (pair->question->has_no_nan && is_nan(pair->results[k], wanted))
      return true;
    if (pair->question->ignores_zero_signs) {
      wanted = bits_without_zero_signs(pair->results[k], wanted);
      found = bits_without_zero_signs(pair->results[k], found);
    }
    if (wanted == found)
      continue;
    GString *text = g_string_new(NULL);
    for (unsigned j = 0; j < pair->input_count; j++)
      g_string_append_printf(text, "%%in%u = 0x%" G_GINT64_MODIFIER "x, ", j, inputs[j]);
    g_string_append_printf(
        text, "result %u is 0x%" G_GINT64_MODIFIER "x before and 0x%" G_GINT64_MODIFIER "x after",
        k, wanted, found);
    *detail = g_string_free(text, FALSE);
    return false;
  }
  return true;
}

/* Computes all inputs if there are few, otherwise some. */
static Answer
try_values(const Prover *prover, const Pair *pair, char **detail) {
  unsigned widths[BLOCK_VALUES], all = 0;
  uint64_t state = 0x9E3779B97F4A7C15, inputs[BLOCK_VALUES] = {0};
  for (unsigned k = 0; k < pair->input_count; k++)
    all += widths[k] = norn_type_bits(pair->inputs[k]);
  bool is_all = all <= ALL_BITS;
  unsigned samples = prover->samples * (pair->question->is_too_hard ? HARD_SAMPLES : 1);
  uint64_t count = is_all ? UINT64_C(1) << all : samples;
  for (uint64_t n = 0; n < count; n++) {
    for (unsigned k = 0, at = 0; k < pair->input_count; at += widths[k++])
      inputs[k] =
          is_all ? norn_int_truncate(n >> at, widths[k]) : some_value(&state, pair->inputs[k]);
    if (!agree(pair, inputs, norn_random_next(&state), detail))
      return ANSWER_REFUTED;
  }
  return is_all ? ANSWER_TRIED : ANSWER_SAMPLED;
}

/* Whether the solver's model is also one with numbers. */
static bool
confirm(Terms *t, const Pair *pair, Z3_model model, const Z3_ast *inputs, char **detail) {
  uint64_t bits[BLOCK_VALUES] = {0};
  for (unsigned k = 0; k < pair->input_count; k++) {
    Z3_ast value;
    if (Z3_model_eval(t->z3, model, inputs[k], true, &value))
      bv_is_constant(t, value, &bits[k]);
  }
  return !agree(pair, bits, 0, detail) || !agree(pair, bits, UINT64_MAX, detail);
}

/* Without effort, it only simplifies. */
static Answer
solve(const Prover *prover, unsigned effort, const Pair *pair, Truth truth, bool theory,
      bool exact_products, Terms *had, char **detail) {
  Terms terms;
  Z3_ast inputs[BLOCK_VALUES] = {0}, assumed = NULL, claim;
  Z3_model model = NULL;
  const char *why = NULL;
  terms_init(&terms, prover->solver, theory, exact_products);
  Answer answer = ANSWER_PROVED;
  if (!pair_terms(&terms, pair, truth, inputs, &assumed, &claim, &why)) {
    *detail = g_strdup(why);
    answer = ANSWER_OPEN;
  } else {
    Z3_ast formula = counterexample(&terms, assumed, claim);
    if (formula)
      answer = effort ? check(&terms, effort, formula, &model) : ANSWER_OPEN;
    if (answer == ANSWER_OPEN)
      answer = ANSWER_SAMPLED;
    g_clear_pointer(detail, g_free);
    if (model && !confirm(&terms, pair, model, inputs, detail))
      answer = ANSWER_SAMPLED;
    if (model)
      Z3_model_dec_ref(terms.z3, model);
  }
  *had = terms;
  return answer;
}

/* Attempts for a rewriting rule: with exact bits of products, and with case distinction for
 * truth values that select. A proof takes less time than it takes the theory of floats to give
 * up, and it takes none where both sides become the same product. */
static Answer
solve_rule(const Prover *prover, const Pair *pair, Terms *had, char **detail) {
  unsigned effort = 10 * prover->effort;
  bool has_cases = false;
  for (unsigned k = 0; k < pair->input_count; k++)
    has_cases |= norn_type_bits(pair->inputs[k]) == 1;
  if (solve(prover, 0, pair, TRUTH_ANY, false, true, had, detail) == ANSWER_PROVED)
    return ANSWER_PROVED;
  Answer answer = solve(prover, effort, pair, TRUTH_FALSE, false, false, had, detail);
  if (answer == ANSWER_PROVED && has_cases)
    answer = solve(prover, effort, pair, TRUTH_TRUE, false, false, had, detail);
  if (answer == ANSWER_SAMPLED && had->has_products)
    answer = solve(prover, effort, pair, TRUTH_ANY, false, true, had, detail);
  return answer;
}

static Answer
answer_pair(const Prover *prover, const Pair *pair, char **detail) {
  Terms had;
  if (pair->question->is_too_hard)
    return try_values(prover, pair, detail);
  /* Lowered products are made of partial products; only rules need the bits. */
  Answer answer = g_str_equal(pair->question->passes, "simplify")
                      ? solve_rule(prover, pair, &had, detail)
                      : solve(prover, prover->effort, pair, TRUTH_ANY, false, false, &had, detail);
  if (answer == ANSWER_SAMPLED && had.has_floats)
    answer = solve(prover, prover->effort, pair, TRUTH_ANY, true, true, &had, detail);
  if (answer == ANSWER_SAMPLED)
    answer = try_values(prover, pair, detail);
  return answer;
}

void
question_ask(Prover *prover, const Question *question) {
  Pair pair;
  char *text = question_text(question), *detail = NULL;
  if (!make_pair(&pair, question, text)) {
    g_free(text);
    return;
  }
  define_block(prover, &pair.blocks[0]);
  define_block(prover, &pair.blocks[1]);
  char *before = norn_module_print(pair.before, NULL), *after = norn_module_print(pair.after, NULL);
  /* Generic code means the same on all architectures. */
  unsigned skipped = pair.is_selected ? 0 : strcspn(before, "\n");
  char *both = g_strdup_printf("%s\n%s", before + skipped, after + skipped);
  bool is_unchanged = g_str_equal(before, after);
  g_free(before);
  if (is_unchanged) {
    g_free(after);
    g_free(both);
    g_free(text);
    clear_pair(&pair);
    return;
  }
  gpointer known = g_hash_table_lookup(prover->seen, both);
  clock_t begin = clock();
  Answer answer = known ? GPOINTER_TO_UINT(known) - 1 : answer_pair(prover, &pair, &detail);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  if (prover->slow > 0 && seconds >= prover->slow)
    printf("%.1f s, %s: %s %s\n%s", seconds, answer_names[answer], question->family, question->key,
           text);
  char *shown = g_strdup_printf("%s\n%s---\n%s", detail ? detail : "", text, after);
  if (!known)
    prover_count(prover, question->family, question->key, answer, shown);
  g_hash_table_insert(prover->seen, both, GUINT_TO_POINTER(answer + 1));
  g_free(shown);
  g_free(detail);
  g_free(after);
  g_free(text);
  clear_pair(&pair);
}
