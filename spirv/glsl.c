/* GLSL.std.450: what is no single operation of the IR, by formulas with which Vulkan's precision is
 * kept. Rows of operations.def do the rest. */
#include "ir/numeric.h"
#include "spirv/interface.h"
#include "spirv/relaxed.h"
#include "spirv/scalar.h"
#include "spirv/stages.h"
#include <math.h>
#include <spirv/unified1/GLSL.std.450.h>

#define LOG2_E 1.4426950408889634
#define LN_2 0.6931471805599453
#define PI 3.141592653589793

/* --- Short forms for formulas --- */

typedef struct Formula {
  NornSpirvReader *reader;
  NornType type;
} Formula;

static NornRef
number(const Formula *f, double value) {
  return norn_spirv_float(f->reader, f->type, value);
}

static NornRef
add(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FADD, f->type, a, b);
}

static NornRef
subtract(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FSUB, f->type, a, b);
}

static NornRef
multiply(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FMUL, f->type, a, b);
}

static NornRef
divide(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FDIV, f->type, a, b);
}

static NornRef
fused(const Formula *f, NornRef a, NornRef b, NornRef c) {
  return norn_spirv_op3(f->reader, NORN_OP_FMA, f->type, a, b, c);
}

static NornRef
apply(const Formula *f, NornOp op, NornRef a) {
  return norn_spirv_op1(f->reader, op, f->type, a);
}

static NornRef
smaller(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FMIN, f->type, a, b);
}

static NornRef
larger(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_op2(f->reader, NORN_OP_FMAX, f->type, a, b);
}

static NornRef
is_less(const Formula *f, NornRef a, NornRef b) {
  return norn_spirv_compare(f->reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OLT, f->type, a, b);
}

static NornRef
choose(const Formula *f, NornRef condition, NornRef a, NornRef b) {
  return norn_spirv_op3(f->reader, NORN_OP_SELECT, f->type, condition, a, b);
}

/* a with the sign of b */
static NornRef
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

static NornRef
exponential(const Formula *f, NornRef x) {
  return apply(f, NORN_OP_FEXP2, multiply(f, x, number(f, LOG2_E)));
}

static NornRef
logarithm(const Formula *f, NornRef x) {
  return multiply(f, apply(f, NORN_OP_FLOG2, x), number(f, LN_2));
}

static NornRef
reciprocal(const Formula *f, NornRef x) {
  return apply(f, NORN_OP_FRCP, x);
}

/* --- Functions of scalars --- */

/* y - x of constants, if it differs from what it would be without rounding by 2^-24 of y at most;
 * else 0. */
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

/* x * (1 - a) + y * a. From constants in one step: what is lost of their difference, times a, is no
 * more than what the product y * a may lose. */
static NornRef
mixed(const Formula *f, NornRef x, NornRef y, NornRef a) {
  NornRef difference = constant_difference(f, x, y);
  return difference ? fused(f, a, difference, x)
                    : fused(f, a, y, fused(f, apply(f, NORN_OP_FNEG, a), x, x));
}

/* Whole powers take at most so many products, fewer instructions than a logarithm and back. */
#define MOST_PRODUCTS 5
#define HIGHEST_POWER 32

/* base^exponent; for a base that is not negative, as else it is undefined. */
static NornRef
power(const Formula *f, NornRef base, NornRef exponent) {
  unsigned whole = 1;
  while (whole <= HIGHEST_POWER && exponent != number(f, whole))
    whole++;
  if (exponent == number(f, 0.5))
    return apply(f, NORN_OP_FSQRT, base);
  unsigned products = 31 - (unsigned)__builtin_clz(whole) + (unsigned)__builtin_popcount(whole) - 1;
  if (whole > HIGHEST_POWER || products > MOST_PRODUCTS)
    return norn_spirv_op2(f->reader, NORN_OP_FPOW, f->type, base, exponent);
  NornRef result = 0;
  for (NornRef square = base;; square = multiply(f, square, square)) {
    if (whole & 1)
      result = result ? multiply(f, result, square) : square;
    whole >>= 1;
    if (!whole)
      return result;
  }
}

/* atan for 0 to 1, an odd polynomial; relative error about 2^-15. */
static NornRef
arc_tangent_polynomial(const Formula *f, NornRef x) {
  static const double coefficients[] = {-0.01172120, 0.05265332,  -0.11643287,
                                        0.19354346,  -0.33262347, 0.99997726};
  NornRef square = multiply(f, x, x), sum = number(f, coefficients[0]);
  for (unsigned k = 1; k < G_N_ELEMENTS(coefficients); k++)
    sum = fused(f, sum, square, number(f, coefficients[k]));
  return multiply(f, sum, x);
}

/* What is known of x and y. */
typedef enum { ANYWHERE, RIGHT_ON_CIRCLE, UP_ON_CIRCLE } Place;

/* The angle of (x, y), from the ratio of the smaller to the larger. */
static NornRef
arc_tangent2(const Formula *f, NornRef y, NornRef x, Place place) {
  NornRef a = apply(f, NORN_OP_FABS, x), b = apply(f, NORN_OP_FABS, y);
  NornRef low = smaller(f, a, b), high = larger(f, a, b), zero = number(f, 0);
  NornRef ratio = divide(f, low, high);
  if (place == ANYWHERE) {
    /* Equal ones may be infinite; zeros give 0. */
    NornRef equal =
        norn_spirv_compare(f->reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OEQ, f->type, low, high);
    NornRef is_zero =
        norn_spirv_compare(f->reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OEQ, f->type, high, zero);
    if (!norn_spirv_is_finite(f->reader, f->type))
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

/* 1 - 2 / (exp(2x) + 1), where an infinite power is right, too. */
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

static NornRef
compute_scalar(NornSpirvReader *reader, NornType type, NornType source, const NornRef *x) {
  const Formula formula = {reader, type}, *f = &formula;
  bool is_float = norn_type_in(NORN_SET_FLOAT | NORN_SET_PACKED_FLOAT, type);
  uint32_t instruction = norn_spirv_word(reader, 4);
  bool is_integer = instruction == GLSLstd450SSign || instruction == GLSLstd450UClamp ||
                    instruction == GLSLstd450SClamp;
  (void)source;
  if (is_integer ? !norn_type_in(NORN_SET_INT, type) : !is_float) {
    norn_spirv_invalid(reader, "the operands are of the wrong type");
    return 0;
  }
  switch (instruction) {
  case GLSLstd450SSign:
    return integer_sign(reader, type, x[0]);
  case GLSLstd450Radians:
    return multiply(f, x[0], number(f, PI / 180));
  case GLSLstd450Degrees:
    return multiply(f, x[0], number(f, 180 / PI));
  case GLSLstd450Tan:
    return divide(f, apply(f, NORN_OP_FSIN, x[0]), apply(f, NORN_OP_FCOS, x[0]));
  case GLSLstd450Asin:
    return arc_tangent2(f, x[0], other_leg(f, x[0]), RIGHT_ON_CIRCLE);
  case GLSLstd450Acos:
    return arc_tangent2(f, other_leg(f, x[0]), x[0], UP_ON_CIRCLE);
  case GLSLstd450Atan:
    return arc_tangent(f, x[0]);
  case GLSLstd450Atan2:
    return arc_tangent2(f, x[0], x[1], ANYWHERE);
  case GLSLstd450Pow:
    return power(f, x[0], x[1]);
  case GLSLstd450Sinh:
    return hyperbolic(f, x[0], true);
  case GLSLstd450Cosh:
    return hyperbolic(f, x[0], false);
  case GLSLstd450Tanh:
    return hyperbolic_tangent(f, x[0]);
  case GLSLstd450Asinh:
    return area_sine(f, x[0]);
  case GLSLstd450Acosh:
    return area_cosine(f, x[0]);
  case GLSLstd450Atanh:
    return area_tangent(f, x[0]);
  case GLSLstd450Exp:
    return exponential(f, x[0]);
  case GLSLstd450Log:
    return logarithm(f, x[0]);
  case GLSLstd450FClamp:
  case GLSLstd450NClamp:
    return clamped(reader, type, NORN_OP_FMAX, NORN_OP_FMIN, x);
  case GLSLstd450UClamp:
    return clamped(reader, type, NORN_OP_UMAX, NORN_OP_UMIN, x);
  case GLSLstd450SClamp:
    return clamped(reader, type, NORN_OP_SMAX, NORN_OP_SMIN, x);
  case GLSLstd450FMix:
    return mixed(f, x[0], x[1], x[2]);
  case GLSLstd450Step:
    return choose(f, is_less(f, x[1], x[0]), number(f, 0), number(f, 1));
  default:
    return smooth_step(f, x[0], x[1], x[2]);
  }
}

/* Operands of the functions of scalars; 0 for others. */
static unsigned
scalar_operands(uint32_t instruction) {
  switch (instruction) {
  case GLSLstd450SSign:
  case GLSLstd450Radians:
  case GLSLstd450Degrees:
  case GLSLstd450Tan:
  case GLSLstd450Asin:
  case GLSLstd450Acos:
  case GLSLstd450Atan:
  case GLSLstd450Sinh:
  case GLSLstd450Cosh:
  case GLSLstd450Tanh:
  case GLSLstd450Asinh:
  case GLSLstd450Acosh:
  case GLSLstd450Atanh:
  case GLSLstd450Exp:
  case GLSLstd450Log:
    return 1;
  case GLSLstd450Atan2:
  case GLSLstd450Pow:
  case GLSLstd450Step:
    return 2;
  case GLSLstd450FClamp:
  case GLSLstd450NClamp:
  case GLSLstd450UClamp:
  case GLSLstd450SClamp:
  case GLSLstd450FMix:
  case GLSLstd450SmoothStep:
    return 3;
  default:
    return 0;
  }
}

/* --- Functions of vectors --- */

/* A vector or scalar of floats. */
static const NornRef *
vector_operand(NornSpirvReader *reader, uint32_t k, Formula *f, uint32_t *count) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, k, &type);
  *f = (Formula){reader, (NornType)type->scalar};
  *count = type->flat;
  if (!norn_type_in(NORN_SET_FLOAT, f->type))
    norn_spirv_invalid(reader, "operand %u has no floats", k);
  return refs;
}

static NornRef
dot(const Formula *f, const NornRef *a, const NornRef *b, uint32_t count) {
  return norn_spirv_dot(f->reader, f->type, a, b, count);
}

static void
read_length(NornSpirvReader *reader, bool is_distance) {
  Formula f;
  uint32_t count;
  const NornRef *a = vector_operand(reader, 5, &f, &count);
  const NornRef *b = is_distance ? norn_spirv_value(reader, 6, count) : NULL;
  NornRef *difference = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count && !reader->error; k++)
    difference[k] = is_distance ? subtract(&f, a[k], b[k]) : a[k];
  if (reader->error)
    return;
  norn_spirv_define_scalar(
      reader, count == 1 ? apply(&f, NORN_OP_FABS, difference[0])
                         : apply(&f, NORN_OP_FSQRT, dot(&f, difference, difference, count)));
}

static void
read_normalize(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *a = vector_operand(reader, 5, &f, &count);
  if (reader->error)
    return;
  NornRef scale = apply(&f, NORN_OP_FRSQ, dot(&f, a, a, count));
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    refs[k] = multiply(&f, a[k], scale);
  norn_spirv_define(reader, refs, count);
}

static void
read_cross(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *a = vector_operand(reader, 5, &f, &count), *b = norn_spirv_value(reader, 6, 3);
  if (count != 3)
    norn_spirv_invalid(reader, "the operands have no three components");
  if (reader->error)
    return;
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t x = (k + 1) % 3, y = (k + 2) % 3;
    refs[k] = subtract(&f, multiply(&f, a[x], b[y]), multiply(&f, a[y], b[x]));
  }
  norn_spirv_define(reader, refs, count);
}

static void
read_face_forward(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *normal = vector_operand(reader, 5, &f, &count);
  const NornRef *incident = norn_spirv_value(reader, 6, count);
  const NornRef *reference = norn_spirv_value(reader, 7, count);
  if (reader->error)
    return;
  NornRef away = is_less(&f, dot(&f, reference, incident, count), number(&f, 0));
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    refs[k] = choose(&f, away, normal[k], apply(&f, NORN_OP_FNEG, normal[k]));
  norn_spirv_define(reader, refs, count);
}

static void
read_reflect(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *incident = vector_operand(reader, 5, &f, &count);
  const NornRef *normal = norn_spirv_value(reader, 6, count);
  if (reader->error)
    return;
  NornRef twice = multiply(&f, dot(&f, normal, incident, count), number(&f, -2));
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count; k++)
    refs[k] = fused(&f, twice, normal[k], incident[k]);
  norn_spirv_define(reader, refs, count);
}

static void
read_refract(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *incident = vector_operand(reader, 5, &f, &count);
  const NornRef *normal = norn_spirv_value(reader, 6, count);
  const NornSpirvType *ratio_type;
  NornRef eta = norn_spirv_any_value(reader, 7, &ratio_type)[0], zero = number(&f, 0);
  if (ratio_type->scalar != f.type)
    norn_spirv_invalid(reader, "the ratio is of another type");
  if (reader->error)
    return;
  NornRef cosine = dot(&f, normal, incident, count);
  NornRef sine2 = fused(&f, apply(&f, NORN_OP_FNEG, cosine), cosine, number(&f, 1));
  NornRef k = subtract(&f, number(&f, 1), multiply(&f, multiply(&f, eta, eta), sine2));
  NornRef total = is_less(&f, k, zero);
  NornRef along = fused(&f, eta, cosine, apply(&f, NORN_OP_FSQRT, k));
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t i = 0; i < count; i++) {
    NornRef bent = subtract(&f, multiply(&f, eta, incident[i]), multiply(&f, along, normal[i]));
    refs[i] = choose(&f, total, zero, bent);
  }
  norn_spirv_define(reader, refs, count);
}

/* --- Matrices --- */

/* The determinant of the rows and columns that are left, by the first column. */
static NornRef
minor(const Formula *f, const NornRef *matrix, uint32_t size, unsigned rows, unsigned columns) {
  unsigned column = (unsigned)__builtin_ctz(columns);
  NornRef sum = 0;
  bool negates = false;
  for (unsigned row = 0; row < size; row++) {
    if (!(rows >> row & 1))
      continue;
    NornRef own = matrix[column * size + row];
    unsigned other_rows = rows & ~(1u << row), other_columns = columns & ~(1u << column);
    NornRef product =
        other_rows ? multiply(f, own, minor(f, matrix, size, other_rows, other_columns)) : own;
    sum = !sum ? product : negates ? subtract(f, sum, product) : add(f, sum, product);
    negates = !negates;
  }
  return sum;
}

/* A square matrix of floats; 0 with an error if it is none. */
static uint32_t
matrix_operand(NornSpirvReader *reader, Formula *f, const NornRef **refs) {
  const NornSpirvType *type;
  *refs = norn_spirv_any_value(reader, 5, &type);
  *f = (Formula){reader, (NornType)type->scalar};
  if (type->op == SpvOpTypeMatrix && type->count == type->element->count &&
      norn_type_in(NORN_SET_FLOAT, f->type))
    return type->count;
  norn_spirv_invalid(reader, "the operand is no square matrix");
  return 0;
}

static void
read_determinant(NornSpirvReader *reader) {
  Formula f;
  const NornRef *refs;
  uint32_t size = matrix_operand(reader, &f, &refs);
  unsigned all = (1u << size) - 1;
  if (size)
    norn_spirv_define_scalar(reader, minor(&f, refs, size, all, all));
}

/* The adjugate divided by the determinant. */
static void
read_inverse(NornSpirvReader *reader) {
  Formula f;
  const NornRef *matrix;
  uint32_t size = matrix_operand(reader, &f, &matrix);
  unsigned all = (1u << size) - 1;
  if (!size)
    return;
  NornRef *refs = norn_spirv_new_refs(reader, size * size);
  for (unsigned column = 0; column < size; column++)
    for (unsigned row = 0; row < size; row++) {
      NornRef own = minor(&f, matrix, size, all & ~(1u << column), all & ~(1u << row));
      refs[column * size + row] = (row + column) % 2 ? apply(&f, NORN_OP_FNEG, own) : own;
    }
  NornRef determinant = 0;
  for (unsigned row = 0; row < size; row++) {
    NornRef product = multiply(&f, matrix[row], refs[row * size]);
    determinant = determinant ? add(&f, determinant, product) : product;
  }
  NornRef scale = divide(&f, number(&f, 1), determinant);
  for (unsigned k = 0; k < size * size; k++)
    refs[k] = multiply(&f, refs[k], scale);
  norn_spirv_define(reader, refs, size * size);
}

/* --- Parts of numbers --- */

/* Defines one part as the result and stores the other through the pointer of word 6; or both are a
 * structure. */
static void
give_parts(NornSpirvReader *reader, NornRef *first, const NornRef *second, uint32_t count,
           bool is_struct) {
  if (reader->error)
    return;
  if (!is_struct) {
    const NornSpirvPointer *pointer = norn_spirv_pointer(reader, 6);
    if (pointer->type->flat != count)
      norn_spirv_invalid(reader, "the pointer is to a value of another type");
    norn_spirv_define(reader, first, count);
    norn_spirv_store(reader, pointer, second);
    return;
  }
  NornRef *both = norn_spirv_new_refs(reader, 2 * count);
  for (uint32_t k = 0; k < count; k++) {
    both[k] = first[k];
    both[count + k] = second[k];
  }
  norn_spirv_define(reader, both, 2 * count);
}

static void
read_modf(NornSpirvReader *reader, bool is_struct) {
  Formula f;
  uint32_t count;
  const NornRef *a = vector_operand(reader, 5, &f, &count);
  NornRef *parts = norn_spirv_new_refs(reader, count), *wholes = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count && !reader->error; k++) {
    wholes[k] =
        norn_spirv_op(reader, NORN_OP_FROUND, NORN_ROUND_RTZ, f.type, NORN_TYPE_VOID, &a[k], 1);
    /* An infinity has no fraction. */
    NornRef rest = subtract(&f, a[k], wholes[k]), zero = number(&f, 0);
    NornRef equal =
        norn_spirv_compare(reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OEQ, f.type, a[k], wholes[k]);
    parts[k] = with_sign_of(&f, choose(&f, equal, zero, rest), a[k]);
  }
  give_parts(reader, parts, wholes, count, is_struct);
}

static void
read_frexp(NornSpirvReader *reader, bool is_struct) {
  Formula f;
  uint32_t count;
  const NornRef *a = vector_operand(reader, 5, &f, &count);
  NornRef *parts = norn_spirv_new_refs(reader, count), *powers = norn_spirv_new_refs(reader, count);
  const NornSpirvType *exponent =
      is_struct ? norn_spirv_type(reader, 1) : norn_spirv_pointer(reader, 6)->type;
  NornType integer =
      exponent->flat ? norn_spirv_scalar_type(exponent, exponent->flat - 1) : NORN_TYPE_I32;
  if (!norn_type_in(NORN_SET_INT, integer))
    norn_spirv_invalid(reader, "the exponent is no integer");
  for (uint32_t k = 0; k < count && !reader->error; k++) {
    NornRef results[2];
    norn_build_ffrexp(reader->builder, f.type, a[k], results);
    parts[k] = results[0];
    powers[k] = norn_spirv_resize(reader, integer, NORN_TYPE_I32, true, results[1]);
  }
  give_parts(reader, parts, powers, count, is_struct);
}

static void
read_ldexp(NornSpirvReader *reader) {
  Formula f;
  uint32_t count;
  const NornRef *a = vector_operand(reader, 5, &f, &count);
  const NornSpirvType *type;
  const NornRef *power = norn_spirv_any_value(reader, 6, &type);
  if (type->flat != count || !norn_type_in(NORN_SET_INT, (NornType)type->scalar))
    norn_spirv_invalid(reader, "the exponents are no integers");
  NornRef *refs = norn_spirv_new_refs(reader, count);
  for (uint32_t k = 0; k < count && !reader->error; k++)
    refs[k] = norn_spirv_op2(
        reader, NORN_OP_FLDEXP, f.type, a[k],
        norn_spirv_resize(reader, NORN_TYPE_I32, (NornType)type->scalar, true, power[k]));
  norn_spirv_define(reader, refs, count);
}

/* --- Packing --- */

static void
read_pack(NornSpirvReader *reader, NornOp op, unsigned modifier, unsigned count) {
  const NornRef *refs = norn_spirv_value(reader, 5, count);
  if (!reader->error)
    norn_spirv_define_scalar(
        reader, norn_spirv_op(reader, op, modifier, NORN_TYPE_F32, NORN_TYPE_VOID, refs, count));
}

static void
read_unpack(NornSpirvReader *reader, NornOp op, unsigned count) {
  NornRef word = norn_spirv_scalar(reader, 5), *refs = norn_spirv_new_refs(reader, count);
  NornInstSpec spec = norn_inst_spec(op);
  if (reader->error)
    return;
  spec.type = NORN_TYPE_F32;
  spec.operands = &word;
  spec.operand_count = 1;
  spec.results = refs;
  norn_build(reader->builder, &spec);
  norn_spirv_define(reader, refs, count);
}

/* A float of 64 bits is only moved. */
static void
read_double(NornSpirvReader *reader) {
  const NornSpirvType *type = norn_spirv_type(reader, 1), *source;
  const NornRef *refs = norn_spirv_any_value(reader, 5, &source);
  if (!type->scalar || !source->scalar ||
      type->flat * norn_type_bits((NornType)type->scalar) != 64 ||
      source->flat * norn_type_bits((NornType)source->scalar) != 64) {
    norn_spirv_invalid(reader, "the types are not of 64 bits");
    return;
  }
  NornRef *results = norn_spirv_new_refs(reader, type->flat);
  for (uint32_t k = 0; k < type->flat; k++)
    results[k] =
        norn_spirv_reinterpret(reader, (NornType)type->scalar, (NornType)source->scalar, refs, k);
  norn_spirv_define(reader, results, type->flat);
}

/* Whether a function of scalars is computed as 16-bit floats: one without constants that takes few
 * instructions. */
static bool
is_relaxed(NornSpirvReader *reader, uint32_t instruction) {
  return (instruction == GLSLstd450FMix || instruction == GLSLstd450FClamp ||
          instruction == GLSLstd450NClamp) &&
         norn_spirv_is_relaxed(reader, norn_spirv_type(reader, 1));
}

void
norn_spirv_translate_glsl(NornSpirvReader *reader) {
  uint32_t instruction = norn_spirv_word(reader, 4);
  if (norn_spirv_translate_glsl_row(reader, instruction))
    return;
  unsigned count = scalar_operands(instruction);
  if (count && is_relaxed(reader, instruction)) {
    norn_spirv_by_pair(reader, compute_scalar, 5, count);
    return;
  }
  if (count) {
    norn_spirv_by_scalar(reader, compute_scalar, 5, count);
    return;
  }
  switch (instruction) {
  case GLSLstd450Length:
  case GLSLstd450Distance:
    read_length(reader, instruction == GLSLstd450Distance);
    break;
  case GLSLstd450Normalize:
    read_normalize(reader);
    break;
  case GLSLstd450Cross:
    read_cross(reader);
    break;
  case GLSLstd450FaceForward:
    read_face_forward(reader);
    break;
  case GLSLstd450Reflect:
    read_reflect(reader);
    break;
  case GLSLstd450Refract:
    read_refract(reader);
    break;
  case GLSLstd450Determinant:
    read_determinant(reader);
    break;
  case GLSLstd450MatrixInverse:
    read_inverse(reader);
    break;
  case GLSLstd450Modf:
  case GLSLstd450ModfStruct:
    read_modf(reader, instruction == GLSLstd450ModfStruct);
    break;
  case GLSLstd450Frexp:
  case GLSLstd450FrexpStruct:
    read_frexp(reader, instruction == GLSLstd450FrexpStruct);
    break;
  case GLSLstd450Ldexp:
    read_ldexp(reader);
    break;
  case GLSLstd450PackHalf2x16:
    read_pack(reader, NORN_OP_PACK_HALF, NORN_ROUND_RTE, 2);
    break;
  case GLSLstd450PackUnorm4x8:
    read_pack(reader, NORN_OP_PACK_UNORM8, 0, 4);
    break;
  case GLSLstd450PackSnorm4x8:
    read_pack(reader, NORN_OP_PACK_SNORM8, 0, 4);
    break;
  case GLSLstd450PackUnorm2x16:
    read_pack(reader, NORN_OP_PACK_UNORM16, 0, 2);
    break;
  case GLSLstd450PackSnorm2x16:
    read_pack(reader, NORN_OP_PACK_SNORM16, 0, 2);
    break;
  case GLSLstd450UnpackHalf2x16:
    read_unpack(reader, NORN_OP_UNPACK_HALF, 2);
    break;
  case GLSLstd450UnpackUnorm4x8:
    read_unpack(reader, NORN_OP_UNPACK_UNORM8, 4);
    break;
  case GLSLstd450UnpackSnorm4x8:
    read_unpack(reader, NORN_OP_UNPACK_SNORM8, 4);
    break;
  case GLSLstd450UnpackUnorm2x16:
    read_unpack(reader, NORN_OP_UNPACK_UNORM16, 2);
    break;
  case GLSLstd450UnpackSnorm2x16:
    read_unpack(reader, NORN_OP_UNPACK_SNORM16, 2);
    break;
  case GLSLstd450PackDouble2x32:
  case GLSLstd450UnpackDouble2x32:
    read_double(reader);
    break;
  case GLSLstd450InterpolateAtCentroid:
  case GLSLstd450InterpolateAtSample:
  case GLSLstd450InterpolateAtOffset:
    norn_spirv_interpolate(reader);
    break;
  default: {
    const char *name = norn_spirv_glsl_name(instruction);
    norn_spirv_unsupported(reader, "GLSL.std.450 %s is not understood", name ? name : "?");
  }
  }
}
