/* The questions that are asked, by family. */
#ifndef NORN_TESTS_PROOFS_QUESTIONS_H
#define NORN_TESTS_PROOFS_QUESTIONS_H

#include "fuzz/fuzz.h"
#include "tests/proofs/prove.h"

/* Each row of passes/optimize/algebra.def, with any constants; and simplify on its left side,
 * with some. */
void ask_algebra(Prover *prover);
/* Each operation with terms, in every type and modifier, through the lowering pass. */
void ask_lowering(Prover *prover);
/* The same as machine code; and operations whose operands are other operations that selection
 * may fold. */
void ask_selection(Prover *prover);
/* Each row of compiler/valhall/subwords.def, with constants. */
void ask_subwords(Prover *prover);

/* Calls `visit` for each operation that has terms. */
void for_each_operation(void (*visit)(const FuzzForm *operation, gpointer data), gpointer data);
/* The number of its operands and results, and their types. */
unsigned operation_operands(const FuzzForm *operation, NornType *types);
unsigned operation_results(const FuzzForm *operation, NornType *types);
/* One of the numbers that immediate operand k is tried with. */
uint64_t operation_immediate(const FuzzForm *operation, uint64_t *state);

#endif
