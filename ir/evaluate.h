/* What the generic operations compute: the single definition shared by the constant folder and the
 * interpreter.
 *
 * An operation that depends on nothing but its operands (no memory, no other lane) has a scalar
 * function, a row of ir/evaluate.def. An evaluator combines that function with everything it must
 * know about the instruction. Packed types are evaluated lane by lane. Values are raw bits,
 * zero-extended to 64. */
#ifndef NORN_IR_EVALUATE_H
#define NORN_IR_EVALUATE_H

#include "ir/numeric.h"
#include <norn/ir.h>

/* Maximum number of operands and results of an evaluated operation. */
#define NORN_EVALUATE_OPERANDS 8
#define NORN_EVALUATE_RESULTS 4

/* How float operations of the whole shader round and treat subnormals. */
typedef struct NornFloatEnvironment {
  NornRoundMode round;
  bool flush[NORN_FLOAT_64 + 1]; /* by format */
} NornFloatEnvironment;

/* The float environment for the modes of a module; the directions have the same numbers. */
static inline NornFloatEnvironment
norn_float_environment(NornRound rounding, NornDenormals denormals) {
  bool flush = denormals == NORN_DENORMALS_FLUSH;
  return (NornFloatEnvironment){(NornRoundMode)rounding, {flush, flush, flush}};
}

typedef struct NornEvaluator NornEvaluator;
typedef void (*NornScalarFunction)(const NornEvaluator *evaluator, const uint64_t *operands,
                                   uint64_t *results);

struct NornEvaluator {
  NornScalarFunction function;
  NornFloatMode mode;       /* for arithmetic in `format` */
  NornFloatMode conversion; /* from `source_format` or an integer, in the modifier's direction */
  NornFloatFormat format, source_format;
  uint8_t width, source_width; /* bits of a lane of each type */
  uint8_t modifier;
  bool flush_half; /* treatment of f16 subnormals, for operations whose types do not include it */
  uint8_t lanes;
  uint8_t operand_count, result_count;
  uint8_t split_operands, split_results; /* bit k: k holds one lane of each */
  uint8_t operand_width[NORN_EVALUATE_OPERANDS];
  uint8_t result_width[NORN_EVALUATE_RESULTS];
};

/* Prepares to evaluate an instruction with that operation, types and modifier. Returns false if the
 * operation has no meaning on scalars or a type is a group of words. */
bool norn_evaluator_init(NornEvaluator *evaluator, NornOp op, NornType type, NornType source_type,
                         unsigned modifier, const NornFloatEnvironment *environment);

/* Whether the condition (NornIntCondition) holds for two integers of that many bits. */
bool norn_int_condition_holds(unsigned condition, uint64_t a, uint64_t b, unsigned width);

/* Computes all results of the operation from all its operands; the arrays must not overlap. */
void norn_evaluate(const NornEvaluator *evaluator, const uint64_t *operands, uint64_t *results);

#endif
