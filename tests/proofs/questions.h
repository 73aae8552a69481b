/* The questions that are asked, by family. */
#ifndef NORN_TESTS_PROOFS_QUESTIONS_H
#define NORN_TESTS_PROOFS_QUESTIONS_H

#include "tests/proofs/prove.h"

/* Each row of passes/optimize/algebra.def, with any constants; and simplify on what it matches,
 * with some. */
void ask_algebra(Prover *prover);
/* Each operation with terms, in every type and modifier, by the pass that lowers. */
void ask_lowering(Prover *prover);
/* The same as machine code; and operations whose operands are others that selection may take in. */
void ask_selection(Prover *prover);
/* Each row of compiler/valhall/subwords.def, with constants. */
void ask_subwords(Prover *prover);

/* An operation in all its suffixes. */
typedef struct Operation {
  NornOp op;
  NornType type, source_type;
  unsigned modifier;
} Operation;

/* Calls `visit` for each operation that has terms. */
void for_each_operation(void (*visit)(const Operation *operation, gpointer data), gpointer data);
/* "icmp.ult.i32", to be freed. */
char *operation_text(const Operation *operation);
/* How many operands and results it has, their types, and whether operand k must be constant. */
unsigned operation_operands(const Operation *operation, NornType *types);
unsigned operation_results(const Operation *operation, NornType *types);
bool operation_is_immediate(const Operation *operation, unsigned k);
/* One of the numbers that immediate operand k is tried with. */
uint64_t operation_immediate(const Operation *operation, uint64_t *state);

#endif
