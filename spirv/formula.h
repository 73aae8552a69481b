/* Short forms for float formulas: each takes the formula and its operands. */
#ifndef NORN_SPIRV_FORMULA_H
#define NORN_SPIRV_FORMULA_H

#include "spirv/scalar.h"

typedef struct Formula {
  NornSpirvReader *reader;
  NornType type;
} Formula;

static inline NornRef
number(const Formula *f, double value) {
  return norn_spirv_float(f->reader, f->type, value);
}

static inline NornRef
add(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FADD, f->type, a, b);
}

static inline NornRef
subtract(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FSUB, f->type, a, b);
}

static inline NornRef
multiply(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FMUL, f->type, a, b);
}

static inline NornRef
divide(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FDIV, f->type, a, b);
}

static inline NornRef
fused(const Formula *f, NornRef a, NornRef b, NornRef c) {
  return norn_spirv_op3(f->reader, NORN_OP_FMA, f->type, a, b, c);
}

static inline NornRef
apply(const Formula *f, NornOp op, NornRef a) {
  return norn_spirv_op1(f->reader, op, f->type, a);
}

static inline NornRef
smaller(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FMIN, f->type, a, b);
}

static inline NornRef
larger(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FMAX, f->type, a, b);
}

static inline NornRef
is_less(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_compare(f->reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OLT, f->type, a, b);
}

static inline NornRef
choose(const Formula *f, NornRef condition, NornRef a, NornRef b) {
  return norn_spirv_op3(f->reader, NORN_OP_SELECT, f->type, condition, a, b);
}

/* a with the sign of b */
static inline NornRef
with_sign_of(const Formula *f, NornRef a, NornRef b) {
  NornType integer = norn_type_bits(f->type) == 16   ? NORN_TYPE_I16
                     : norn_type_bits(f->type) == 32 ? NORN_TYPE_I32
                                                     : NORN_TYPE_I64;
  uint64_t sign = UINT64_C(1) << (norn_type_bits(f->type) - 1);
  NornRef mask = norn_spirv_int(f->reader, integer, sign);
  NornRef from = norn_spirv_convert(f->reader, NORN_OP_BITCAST, 0, integer, f->type, b);
  NornRef to = norn_spirv_convert(f->reader, NORN_OP_BITCAST, 0, integer, f->type, a);
  NornRef bits = norn_spirv_op3(f->reader, NORN_OP_BITSELECT, integer, mask, from, to);
  return norn_spirv_convert(f->reader, NORN_OP_BITCAST, 0, f->type, integer, bits);
}

static inline NornRef
reciprocal(const Formula *f, NornRef x) {
  return apply(f, NORN_OP_FRCP, x);
}

/* Operand k, a vector or scalar of floats; sets the formula's type to that of the operand. */
const NornRef *norn_spirv_floats(NornSpirvReader *reader, uint32_t k, Formula *f, uint32_t *count);

#endif
