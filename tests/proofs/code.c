/* Lowering and selection, operation by operation.
 *
 * Questions are asked for each operation with terms in all its types and modifiers: its operands
 * are inputs, or one of them is a constant. For selection there are also questions in which one
 * operand is the result of another operation, which selection might fold. */
#include "ir/ops.h"
#include "ir/random.h"
#include "passes/lower/lower.h"
#include "tests/proofs/questions.h"
#include "tests/proofs/values.h"

typedef struct Run {
  Prover *prover;
  const char *family, *passes;
  GArray *inner; /* FuzzForm: operations that compute operands */
  uint64_t state;
} Run;

/* --- Trees of operations --- */

/* Operands of a line: constants if they must be, or if `constant` says so; otherwise the values
 * in `made`, otherwise inputs. */
static char *
add_operation(Run *run, Question *question, const FuzzForm *operation, int constant, int made_at,
              char *made) {
  NornType types[NORN_EVALUATE_OPERANDS];
  char *operands[NORN_EVALUATE_OPERANDS], *mnemonic = fuzz_form_text(operation);
  unsigned count = operation_operands(operation, types);
  for (unsigned k = 0; k < count; k++) {
    if (fuzz_form_is_immediate(operation, k))
      operands[k] = question_constant(types[k], operation_immediate(operation, &run->state));
    else if ((int)k == constant)
      operands[k] = question_constant(types[k], some_value(&run->state, types[k]));
    else if ((int)k == made_at)
      operands[k] = g_strdup(made);
    else
      operands[k] = question_input(question, types[k]);
  }
  NornType results[NORN_EVALUATE_RESULTS];
  unsigned result_count = operation_results(operation, results);
  char *result;
  if (result_count == 1) {
    result = question_line(question, mnemonic, operands, count);
  } else {
    result = g_strdup_printf("%%r%u", question->names);
    for (unsigned k = 0; k < result_count; k++)
      g_string_append_printf(question->body, k ? ", %%r%u" : "  %%r%u", question->names + k);
    g_string_append_printf(question->body, " = %s ", mnemonic);
    for (unsigned k = 0; k < count; k++)
      g_string_append_printf(question->body, "%s%s", k ? ", " : "", operands[k]);
    g_string_append_c(question->body, '\n');
    for (unsigned k = 1; k < result_count; k++)
      question_result(question, g_strdup_printf("%%r%u", question->names + k), results[k]);
    question->names += result_count;
  }
  for (unsigned k = 0; k < count; k++)
    g_free(operands[k]);
  g_free(mnemonic);
  return result;
}

static NornType
first_result(const FuzzForm *operation) {
  NornType types[NORN_EVALUATE_RESULTS];
  operation_results(operation, types);
  return types[0];
}

static bool
has_floats(const FuzzForm *operation) {
  return norn_types[operation->type].class == NORN_CLASS_FLOAT ||
         norn_types[operation->source_type].class == NORN_CLASS_FLOAT ||
         operation->op == NORN_OP_UNPACK_HALF;
}

/* Quotients of words by a divisor that is not constant: expansions compute them by
 * multiplication with an estimate. */
static bool
is_too_hard(const FuzzForm *form, int constant) {
  static const uint16_t ops[] = {NORN_OP_SDIV, NORN_OP_UDIV, NORN_OP_SREM, NORN_OP_UREM};
  for (unsigned k = 0; k < G_N_ELEMENTS(ops); k++)
    if (ops[k] == form->op)
      return norn_types[form->type].lane_bits >= 32 && constant != 1;
  return false;
}

/* Asks for the operation on every architecture (for a tree of two operations: on one of them),
 * with floats in both modes. */
static void
ask(Run *run, const FuzzForm *outer, int constant, int made_at, const FuzzForm *inner,
    int inner_constant, bool is_shared) {
  static const unsigned architectures[] = {9, 10, 11, 12, 14};
  bool floats = has_floats(outer) || (inner && has_floats(inner));
  uint64_t seed = norn_random_next(&run->state) | 1, next = run->state;
  unsigned first = inner ? seed / 2 % G_N_ELEMENTS(architectures) : 0;
  unsigned last = inner ? first + 1 : G_N_ELEMENTS(architectures);
  for (unsigned k = first; k < last; k++)
    for (unsigned denormals = 0; denormals <= (unsigned)floats; denormals++) {
      if (!prover_takes_next(run->prover))
        continue;
      Question question;
      char *made = NULL;
      run->state = seed;
      question_init(&question, run->family, norn_ops[outer->op].name, run->passes);
      question.architecture = architectures[k];
      question.denormals = denormals;
      question.is_too_hard = is_too_hard(outer, constant);
      if (inner)
        made = add_operation(run, &question, inner, inner_constant, -1, NULL);
      char *result = add_operation(run, &question, outer, constant, made_at, made);
      question_result(&question, result, first_result(outer));
      if (is_shared)
        question_result(&question, g_strdup(made), first_result(inner));
      question_ask(run->prover, &question);
      question_clear(&question);
      g_free(made);
    }
  run->state = next;
}

/* --- Which questions are asked --- */

/* Operations for which the interpreter, the machine and expansions need not give the same
 * result, only one within a bound. */
static bool
is_approximate(NornOp op) {
  static const uint16_t ops[] = {NORN_OP_FDIV, NORN_OP_FRCP,  NORN_OP_FSQRT,
                                 NORN_OP_FRSQ, NORN_OP_FEXP2, NORN_OP_FLOG2,
                                 NORN_OP_FPOW, NORN_OP_FSIN,  NORN_OP_FCOS};
  for (unsigned k = 0; k < G_N_ELEMENTS(ops); k++)
    if (ops[k] == op)
      return true;
  return false;
}

/* Lists what is never asked: operations without terms, or with a bound instead of a value. */
static void
show_open(const Run *run, bool (*is_member)(NornOp op)) {
  for (unsigned op = 1; op < NORN_OP_COUNT; op++)
    if (is_member(op) && (!operation_has_terms(op) || is_approximate(op)) &&
        prover_wants(run->prover, norn_ops[op].name))
      prover_count(run->prover, run->family, norn_ops[op].name, ANSWER_OPEN,
                   is_approximate(op) ? "it has an error bound"
                                      : "it has no row in tests/proofs/terms.def");
}

/* Whether the operation has a row in the table of patterns. */
static bool
has_pattern(NornOp op) {
  static const uint16_t ops[] = {
#define PATTERN(op, ...) NORN_OP_##op,
#include "compiler/valhall/patterns.def"
#undef PATTERN
  };
  for (unsigned k = 0; k < G_N_ELEMENTS(ops); k++)
    if (ops[k] == op)
      return true;
  return false;
}

/* The number of tries for an operation with immediate operands, and for one with a constant. */
static unsigned
tries(const FuzzForm *operation) {
  for (unsigned k = 0; k < 3; k++)
    if (k < norn_operand_arity(operation->op).fixed && fuzz_form_is_immediate(operation, k))
      return 6;
  return 1;
}

static void
ask_plain(const FuzzForm *operation, gpointer data) {
  Run *run = data;
  NornType types[NORN_EVALUATE_OPERANDS];
  unsigned count = operation_operands(operation, types);
  if (!prover_wants(run->prover, norn_ops[operation->op].name) || is_approximate(operation->op))
    return;
  for (unsigned n = 0; n < tries(operation); n++)
    ask(run, operation, -1, -1, NULL, -1, false);
  for (unsigned k = 0; k < count && count > 1; k++)
    for (unsigned n = 0; n < 8 && !fuzz_form_is_immediate(operation, k); n++)
      ask(run, operation, (int)k, -1, NULL, -1, false);
}

/* Operations that selection folds into the instructions of others. */
static bool
is_inner(NornOp op) {
  static const uint16_t ops[] = {
      NORN_OP_FNEG, NORN_OP_FABS,   NORN_OP_ZEXT, NORN_OP_SEXT,    NORN_OP_TRUNC, NORN_OP_EXTRACT,
      NORN_OP_NOT,  NORN_OP_AND,    NORN_OP_OR,   NORN_OP_XOR,     NORN_OP_SHL,   NORN_OP_LSHR,
      NORN_OP_ASHR, NORN_OP_UBFE,   NORN_OP_SBFE, NORN_OP_ICMP,    NORN_OP_FCMP,  NORN_OP_FPCONV,
      NORN_OP_FADD, NORN_OP_FMUL,   NORN_OP_INEG, NORN_OP_BITCAST, NORN_OP_ROTL,  NORN_OP_IADD,
      NORN_OP_VEC,  NORN_OP_SWIZZLE};
  for (unsigned k = 0; k < G_N_ELEMENTS(ops); k++)
    if (ops[k] == op)
      return true;
  return false;
}

static void
collect_inner(const FuzzForm *operation, gpointer data) {
  Run *run = data;
  if (is_inner(operation->op))
    g_array_append_val(run->inner, *operation);
}

static unsigned
modifiers_of(NornOp op) {
  return norn_ops[op].modifier ? norn_modifiers[norn_ops[op].modifier].count : 1;
}

static void
ask_tree(const FuzzForm *outer, gpointer data) {
  Run *run = data;
  NornType types[NORN_EVALUATE_OPERANDS];
  unsigned count = operation_operands(outer, types);
  if (!prover_wants(run->prover, norn_ops[outer->op].name) || is_approximate(outer->op))
    return;
  for (unsigned k = 0; k < count; k++)
    for (unsigned j = 0; j < run->inner->len && !fuzz_form_is_immediate(outer, k); j++) {
      const FuzzForm *inner = &g_array_index(run->inner, FuzzForm, j);
      if (first_result(inner) != types[k] ||
          norn_random_next(&run->state) % modifiers_of(inner->op) != 0)
        continue;
      bool has_constant = norn_operand_arity(inner->op).fixed > 1 && inner->op != NORN_OP_FADD &&
                          inner->op != NORN_OP_FMUL && !fuzz_form_is_immediate(inner, 1);
      ask(run, outer, -1, (int)k, inner, has_constant ? 1 : -1,
          norn_random_next(&run->state) % 4 == 0);
    }
}

void
ask_lowering(Prover *prover) {
  Run run = {prover, "lower", "lower", NULL, 0x8BB84B93962EACC9};
  for_each_operation(ask_plain, &run);
  show_open(&run, norn_lower_expands);
}

void
ask_selection(Prover *prover) {
  Run run = {prover, "select", "lower,select,place-constants,legalize",
             g_array_new(FALSE, FALSE, sizeof(FuzzForm)), 0x2D358DCCAA6C78A5};
  for_each_operation(collect_inner, &run);
  for_each_operation(ask_plain, &run);
  for_each_operation(ask_tree, &run);
  show_open(&run, has_pattern);
  g_array_free(run.inner, TRUE);
}
