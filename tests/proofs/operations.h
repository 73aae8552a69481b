/* Generic operations and machine instructions as terms. */
#ifndef NORN_TESTS_PROOFS_OPERATIONS_H
#define NORN_TESTS_PROOFS_OPERATIONS_H

#include "ir/evaluate.h"
#include "sim/valhall/alu.h"
#include "tests/proofs/terms.h"

/* Whether the operation has terms (it has a row in terms.def). */
bool operation_has_terms(NornOp op);

/* All results of a generic operation, with the widths that the evaluator says; false if it has no
 * terms. */
bool operation_terms(Terms *t, const NornEvaluator *evaluator, NornOp op, const Z3_ast *operands,
                     Z3_ast *results);

/* The result of the Valhall instruction with that mnemonic ("IADD"), whose sources have 64 bits;
 * its upper half is 0 if it has 32 bits. Bits that it does not write can have any value. False
 * if it has no terms. */
bool instruction_terms(Terms *t, const char *mnemonic, const NornValhallOperation *operation,
                       NornFtzMode ftz, const Z3_ast *sources, Z3_ast *result);

#endif
