/* GLSL.std.450: functions of scalars, which are applied to each component of vectors. */
#include "ir/numeric.h"
#include "spirv/formula.h"
#include "spirv/glsl.h"
#include "spirv/relaxed.h"
#include <math.h>
#include <spirv/unified1/GLSL.std.450.h>

#define LOG2_E 1.4426950408889634
#define LN_2 0.6931471805599453
#define PI 3.141592653589793

static NornRef
exponential(const Formula *f, NornRef x) {
  return apply(f, NORN_OP_FEXP2, multiply(f, x, number(f, LOG2_E)));
}

static NornRef
logarithm(const Formula *f, NornRef x) {
  return multiply(f, apply(f, NORN_OP_FLOG2, x), number(f, LN_2));
}

/* y - x for constants, if its rounding error is at most 2^-24 of y; else 0. */
static NornRef
constant_difference(const Formula *f, NornRef x, NornRef y) {
  uint64_t bits[3];
  double values[3];
  NornRef refs[3] = {x, y, 0};
  if (f->type != NORN_TYPE_F32 || f->reader->is_exact ||
      !norn_spirv_constant_bits(f->reader, x, &bits[0]) ||
      !norn_spirv_constant_bits(f->reader, y, &bits[1]))
    return 0;
  refs[2] = subtract(f, y, x);
  if (!norn_spirv_constant_bits(f->reader, refs[2], &bits[2]))
    return 0;
  for (unsigned k = 0; k < 3; k++)
    values[k] = norn_float_to_double(NORN_FLOAT_32, bits[k]);
  double error = fabs(values[2] - (values[1] - values[0]));
  return isfinite(values[2]) && error <= ldexp(fabs(values[1]), -24) ? refs[2] : 0;
}

/* x * (1 - a) + y * a. For constant x and y in one step: the rounding error of their difference,
 * times a, is at most that of the product y * a. For a constant a, 1 - a is a constant as well. */
static NornRef
mixed(const Formula *f, NornRef x, NornRef y, NornRef a) {
  uint64_t bits;
  if (!f->reader->is_exact && norn_types[f->type].lanes == 1 &&
      norn_spirv_constant_bits(f->reader, a, &bits)) {
    NornRef rest = subtract(f, number(f, 1), a);
    return norn_spirv_constant_bits(f->reader, y, &bits) ? fused(f, x, rest, multiply(f, y, a))
                                                         : fused(f, y, a, multiply(f, x, rest));
  }
  NornRef difference = constant_difference(f, x, y);
  return difference ? fused(f, a, difference, x)
                    : fused(f, a, y, fused(f, apply(f, NORN_OP_FNEG, a), x, x));
}

/* Maximum number of operations for a power whose exponent is a multiple of 1/2: fewer instructions
 * than a logarithm and an exponential. */
#define MAX_STEPS 5
#define HIGHEST_POWER 32

/* base^whole by repeated squaring. */
static NornRef
whole_power(const Formula *f, NornRef base, unsigned whole) {
  NornRef result = 0;
  for (NornRef square = base;; square = multiply(f, square, square)) {
    if (whole & 1)
      result = result ? multiply(f, result, square) : square;
    whole >>= 1;
    if (!whole)
      return result;
  }
}

/* The number of products of whole_power(). */
static unsigned
products_of(unsigned whole) {
  return 31 - (unsigned)__builtin_clz(whole) + (unsigned)__builtin_popcount(whole) - 1;
}

/* base^exponent; the base is not negative, and not zero for a negative exponent, since the result
 * would be undefined. */
static NornRef
power(const Formula *f, NornRef base, NornRef exponent) {
  unsigned halves = 1;
  while (halves <= 2 * HIGHEST_POWER && exponent != number(f, halves / 2.0) &&
         exponent != number(f, -(halves / 2.0)))
    halves++;
  bool is_negative = exponent == number(f, -(halves / 2.0));
  unsigned whole = halves % 2 && is_negative ? halves : halves / 2;
  bool has_root = halves % 2 && !is_negative;
  unsigned steps = (whole ? products_of(whole) : 0) + is_negative + has_root * (whole ? 3u : 0);
  if (halves > 2 * HIGHEST_POWER || steps > MAX_STEPS)
    return norn_spirv_op2(f->reader, NORN_OP_FPOW, f->type, base, exponent);
  if (is_negative)
    return whole_power(f, halves % 2 ? apply(f, NORN_OP_FRSQ, base) : reciprocal(f, base), whole);
  if (!has_root)
    return whole_power(f, whole == 1 ? norn_spirv_flushed(f->reader, f->type, base) : base, whole);
  NornRef root = apply(f, NORN_OP_FSQRT, base);
  return whole ? multiply(f, whole_power(f, base, whole), root) : root;
}

/* atan for 0 to 1, as an odd polynomial with a relative error of about 2^-15. */
static NornRef
arc_tangent_polynomial(const Formula *f, NornRef x) {
  static const double coefficients[] = {-0.01172120, 0.05265332,  -0.11643287,
                                        0.19354346,  -0.33262347, 0.99997726};
  NornRef square = multiply(f, x, x), sum = number(f, coefficients[0]);
  for (unsigned k = 1; k < G_N_ELEMENTS(coefficients); k++)
    sum = fused(f, sum, square, number(f, coefficients[k]));
  return multiply(f, sum, x);
}

/* What is known about x and y. */
typedef enum { ANYWHERE, RIGHT_ON_CIRCLE, UP_ON_CIRCLE } Place;

/* The angle of (x, y), from the ratio of the smaller absolute value to the larger one. */
static NornRef
arc_tangent2(const Formula *f, NornRef y, NornRef x, Place place) {
  NornRef a = apply(f, NORN_OP_FABS, x), b = apply(f, NORN_OP_FABS, y);
  NornRef low = smaller(f, a, b), high = larger(f, a, b), zero = number(f, 0);
  NornRef ratio;
  if (place == ANYWHERE && f->type == NORN_TYPE_F32) {
    /* The reciprocals of the greatest numbers are subnormal, those of their roots are not. */
    NornRef root = apply(f, NORN_OP_FRSQ, high);
    ratio = multiply(f, multiply(f, low, root), root);
  } else {
    ratio = divide(f, low, high);
  }
  if (place == ANYWHERE && norn_spirv_is_finite(f->reader, f->type)) {
    /* Zeros give 0: the clamp turns their NaN into 0, and it changes no other ratio. */
    ratio = apply(f, NORN_OP_FSAT, ratio);
  } else if (place == ANYWHERE) {
    /* Equal values may be infinite; zeros give 0. */
    NornRef equal =
        norn_spirv_compare(f->reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OEQ, f->type, low, high);
    NornRef is_zero =
        norn_spirv_compare(f->reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OEQ, f->type, high, zero);
    ratio = choose(f, equal, number(f, 1), ratio);
    ratio = choose(f, is_zero, zero, ratio);
  }
  NornRef angle = arc_tangent_polynomial(f, ratio);
  NornRef steep = is_less(f, a, b);
  angle = choose(f, steep, subtract(f, number(f, PI / 2), angle), angle);
  if (place != RIGHT_ON_CIRCLE) {
    NornRef left = is_less(f, x, zero);
    angle = choose(f, left, subtract(f, number(f, PI), angle), angle);
  }
  return place == UP_ON_CIRCLE ? angle : with_sign_of(f, angle, y);
}

static NornRef
arc_tangent(const Formula *f, NornRef x) {
  NornRef a = apply(f, NORN_OP_FABS, x), one = number(f, 1);
  NornRef steep = is_less(f, one, a);
  NornRef angle = arc_tangent_polynomial(f, choose(f, steep, reciprocal(f, a), a));
  angle = choose(f, steep, subtract(f, number(f, PI / 2), angle), angle);
  return with_sign_of(f, angle, x);
}

/* sqrt(1 - x * x), by factors that do not cancel */
static NornRef
other_leg(const Formula *f, NornRef x) {
  NornRef one = number(f, 1);
  return apply(f, NORN_OP_FSQRT, multiply(f, subtract(f, one, x), add(f, one, x)));
}

static NornRef
hyperbolic(const Formula *f, NornRef x, bool is_sine) {
  NornRef up = exponential(f, x), down = exponential(f, apply(f, NORN_OP_FNEG, x));
  NornRef both = is_sine ? subtract(f, up, down) : add(f, up, down);
  return multiply(f, both, number(f, 0.5));
}

/* 1 - 2 / (exp(2x) + 1), which is also right if the power is infinite. */
static NornRef
hyperbolic_tangent(const Formula *f, NornRef x) {
  NornRef power = apply(f, NORN_OP_FEXP2, multiply(f, x, number(f, 2 * LOG2_E)));
  NornRef ratio = reciprocal(f, add(f, power, number(f, 1)));
  return fused(f, ratio, number(f, -2), number(f, 1));
}

static NornRef
area_sine(const Formula *f, NornRef x) {
  NornRef a = apply(f, NORN_OP_FABS, x);
  NornRef root = apply(f, NORN_OP_FSQRT, fused(f, a, a, number(f, 1)));
  return with_sign_of(f, logarithm(f, add(f, a, root)), x);
}

static NornRef
area_cosine(const Formula *f, NornRef x) {
  NornRef root = apply(f, NORN_OP_FSQRT, fused(f, x, x, number(f, -1)));
  return logarithm(f, add(f, x, root));
}

static NornRef
area_tangent(const Formula *f, NornRef x) {
  NornRef one = number(f, 1);
  NornRef ratio = divide(f, add(f, one, x), subtract(f, one, x));
  return multiply(f, logarithm(f, ratio), number(f, 0.5));
}

static NornRef
smooth_step(const Formula *f, NornRef from, NornRef to, NornRef x) {
  NornRef ratio = divide(f, subtract(f, x, from), subtract(f, to, from));
  NornRef t = apply(f, NORN_OP_FSAT, ratio);
  NornRef slope = fused(f, t, number(f, -2), number(f, 3));
  return multiply(f, multiply(f, t, t), slope);
}

/* -1, 0 or 1 as an integer */
static NornRef
integer_sign(NornSpirvReader *reader, NornType type, NornRef x) {
  NornRef low =
      norn_spirv_op2(reader, NORN_OP_SMAX, type, x, norn_spirv_int(reader, type, UINT64_MAX));
  return norn_spirv_op2(reader, NORN_OP_SMIN, type, low, norn_spirv_int(reader, type, 1));
}

/* min(max(x, low), high) */
static NornRef
clamped(NornSpirvReader *reader, NornType type, NornOp larger_op, NornOp smaller_op,
        const NornRef *x) {
  NornRef low = norn_spirv_op2(reader, larger_op, type, x[0], x[1]);
  return norn_spirv_op2(reader, smaller_op, type, low, x[2]);
}

/* --- The table --- */

typedef struct ScalarFunction {
  uint8_t operands; /* 0: there is no such function */
  bool is_integer, is_relaxed;
} ScalarFunction;

/* Indexed by GLSLstd450X. */
static const ScalarFunction functions[] = {
#define FLOAT(name, count, value) [GLSLstd450##name] = {count, false, false},
#define RELAXED(name, count, value) [GLSLstd450##name] = {count, false, true},
#define INTEGER(name, count, value) [GLSLstd450##name] = {count, true, false},
#include "spirv/glsl_scalar.def"
#undef FLOAT
#undef RELAXED
#undef INTEGER
};

static NornRef
compute_scalar(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  const Formula formula = {reader, type}, *f = &formula;
  bool is_float = norn_type_in(NORN_SET_FLOAT | NORN_SET_PACKED_FLOAT, type);
  uint32_t instruction = norn_spirv_word(reader, 4);
  (void)source;
  if (functions[instruction].is_integer ? !norn_type_in(NORN_SET_INT, type) : !is_float) {
    norn_spirv_invalid(reader, "the operands have the wrong type");
    return 0;
  }
  switch (instruction) {
#define FLOAT(name, count, value)                                                                  \
  case GLSLstd450##name:                                                                           \
    return value;
#define RELAXED FLOAT
#define INTEGER FLOAT
#include "spirv/glsl_scalar.def"
#undef FLOAT
#undef RELAXED
#undef INTEGER
  default:
    return 0;
  }
}

bool
norn_spirv_translate_glsl_scalar(NornSpirvReader *reader, uint32_t instruction) {
  if (instruction >= G_N_ELEMENTS(functions) || !functions[instruction].operands)
    return false;
  const ScalarFunction *row = &functions[instruction];
  if (row->is_relaxed && norn_spirv_is_relaxed(reader, norn_spirv_type(reader, 1)))
    norn_spirv_by_pair(reader, compute_scalar, 5, row->operands);
  else
    norn_spirv_by_scalar(reader, compute_scalar, 5, row->operands);
  return true;
}
