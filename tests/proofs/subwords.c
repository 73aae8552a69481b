/* The rows of subwords.def, one by one: what each matches as an operand of a sum, with constants
 * that extract bytes and halves, and with others. */
#include "ir/ops.h"
#include "tests/proofs/questions.h"

typedef struct Subword {
  uint16_t op, inner; /* inner: NORN_OP_NONE if there is none */
  const char *key;
} Subword;

static const Subword subwords[] = {
#define SUBWORD(extension, operation, inner_operation, first, count)                               \
  {NORN_OP_##operation, NORN_OP_##inner_operation,                                                 \
   #extension ", " #operation ", " #inner_operation ", " #first ", " #count},
#include "compiler/valhall/subwords.def"
#undef SUBWORD
};

/* A line `%N = OP.i32 VALUE, CONSTANT`; consumes the value. */
static char *
add_line(Question *question, NornOp op, char *value, uint64_t constant) {
  char *operands[] = {value, question_constant(NORN_TYPE_I32, constant)};
  char *mnemonic = g_strdup_printf("%s.i32", norn_ops[op].name);
  char *result = question_line(question, mnemonic, operands, G_N_ELEMENTS(operands));
  for (unsigned k = 0; k < G_N_ELEMENTS(operands); k++)
    g_free(operands[k]);
  g_free(mnemonic);
  return result;
}

static void
ask_subword(Prover *prover, const Subword *row, uint64_t inner, uint64_t outer) {
  if (!prover_takes_next(prover))
    return;
  Question question;
  question_init(&question, "subwords", row->key, "lower,select,place-constants,legalize");
  char *value = question_input(&question, NORN_TYPE_I32);
  if (row->inner != NORN_OP_NONE)
    value = add_line(&question, row->inner, value, inner);
  value = add_line(&question, row->op, value, outer);
  char *operands[] = {value, question_input(&question, NORN_TYPE_I32)};
  question_result(&question, question_line(&question, "iadd.i32", operands, 2), NORN_TYPE_I32);
  question_ask(prover, &question);
  question_clear(&question);
  g_free(operands[0]);
  g_free(operands[1]);
}

void
ask_subwords(Prover *prover) {
  /* Shift amounts at the edges of bytes and elsewhere, some of them above the width; then masks. */
  static const uint64_t constants[] = {8, 16, 24, 0, 7, 15, 31, 40, 0xFF, 0xFFFF, 0x7F, 0xFF00};
  for (unsigned row = 0; row < G_N_ELEMENTS(subwords); row++) {
    unsigned inner = subwords[row].inner == NORN_OP_NONE ? 1 : G_N_ELEMENTS(constants);
    for (unsigned i = 0; i < inner && prover_wants(prover, subwords[row].key); i++)
      for (unsigned j = 0; j < G_N_ELEMENTS(constants); j++)
        ask_subword(prover, &subwords[row], constants[i], constants[j]);
  }
}
