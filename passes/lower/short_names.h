/* Short names for the files that expand operations, in which an expansion is one long expression:
 * each macro uses the lowering `l` and takes an operation or condition without its prefix. */
#ifndef NORN_PASSES_LOWER_SHORT_NAMES_H
#define NORN_PASSES_LOWER_SHORT_NAMES_H

#include "passes/lower/lower.h"

#define I1 NORN_TYPE_I1
#define I32 NORN_TYPE_I32
#define I64 NORN_TYPE_I64
#define F16 NORN_TYPE_F16
#define F32 NORN_TYPE_F32

#define ONE(op, type, a) norn_lower_one(l, NORN_OP_##op, type, a)
#define TWO(op, type, a, b) norn_lower_two(l, NORN_OP_##op, type, a, b)
#define THREE(op, type, a, b, c) norn_lower_three(l, NORN_OP_##op, type, a, b, c)
#define ICMP(condition, type, a, b) norn_lower_icmp(l, NORN_INT_CONDITION_##condition, type, a, b)
#define FCMP(condition, type, a, b) norn_lower_fcmp(l, NORN_FLOAT_CONDITION_##condition, type, a, b)
#define CONVERT(op, to, from, a) norn_lower_convert(l, NORN_OP_##op, to, from, a)
#define ROUNDED(op, to, from, round, a)                                                            \
  norn_lower_emit(l, NORN_OP_##op, to, from, NORN_ROUND_##round, a, 0, 0)
#define CONSTANT(type, value) norn_lower_constant(l, type, value)
#define WORD(value) CONSTANT(I32, value)

#endif
