/* Numbers as terms of an SMT solver.
 *
 * Besides that equal operands give equal results, the solver knows the following about arithmetic
 * that it does not compute bit by bit (define.c compares all of it with numbers):
 *
 * - NaN operands and the invalid cases of the standard, and nothing else, give the quiet NaN.
 * - Sums and products commute. Only the exclusive or of the factors' signs matters.
 * - If a factor is the constant 1 or -1, an fma is a sum. If the addend is the constant -0, it is a
 *   product (unless rounding is down).
 * - If a factor is a constant zero, an fma is a sum with a zero. A number divided by itself is 1.
 * - A sum with a constant zero is the other operand. A number minus itself is 0 (-0 if rounding is
 *   down).
 * - The product of words is a function of 64 bits, at most (2^32 - 1)^2. Signed and longer products
 *   are sums of such products.
 * - Conversions between floats and integers of up to 32 bits go through 64 signed bits. */
#include "tests/proofs/terms.h"

static void
ignore_error(Z3_context z3, Z3_error_code code) {
  g_error("z3: %s", Z3_get_error_msg(z3, code));
}

/* The number of uses after which the solver is created anew. */
enum { USES = 64 };

void
solver_clear(Solver *solver) {
  if (solver->z3)
    Z3_del_context(solver->z3);
  *solver = (Solver){0};
}

void
terms_init(Terms *terms, Solver *solver, bool theory, bool exact_products) {
  if (solver->used == USES)
    solver_clear(solver);
  if (!solver->used++) {
    Z3_config config = Z3_mk_config();
    solver->z3 = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(solver->z3, ignore_error);
  }
  *terms = (Terms){.z3 = solver->z3, .theory = theory, .exact_products = exact_products};
}

/* --- Bit vectors --- */

#define Z t->z3
#define ITE(c, a, b) Z3_mk_ite(Z, c, a, b)
#define EQ(a, b) Z3_mk_eq(Z, a, b)
#define ULT(a, b) Z3_mk_bvult(Z, a, b)
#define SLT(a, b) Z3_mk_bvslt(Z, a, b)
#define NOT(a) Z3_mk_not(Z, a)

Z3_ast
bv_constant(Terms *t, uint64_t bits, unsigned width) {
  Z3_ast low = Z3_mk_unsigned_int64(Z, norn_int_truncate(bits, MIN(width, 64)),
                                    Z3_mk_bv_sort(Z, MIN(width, 64)));
  return width > 64 ? Z3_mk_zero_ext(Z, width - 64, low) : low;
}

Z3_ast
bv_variable(Terms *t, const char *name, unsigned width) {
  return Z3_mk_const(Z, Z3_mk_string_symbol(Z, name), Z3_mk_bv_sort(Z, width));
}

Z3_ast
bv_unknown(Terms *t, unsigned width) {
  char name[32];
  g_snprintf(name, sizeof name, "unknown%u", t->unknown++);
  return bv_variable(t, name, width);
}

Z3_ast
bv_function(Terms *t, const char *name, unsigned width, const Z3_ast *arguments, unsigned count) {
  Z3_sort sorts[8];
  GString *full = g_string_new(name);
  for (unsigned k = 0; k < count; k++) {
    sorts[k] = Z3_get_sort(Z, arguments[k]);
    g_string_append_printf(full, ".%u", Z3_get_bv_sort_size(Z, sorts[k]));
  }
  Z3_func_decl function =
      Z3_mk_func_decl(Z, Z3_mk_string_symbol(Z, full->str), count, sorts, Z3_mk_bv_sort(Z, width));
  g_string_free(full, TRUE);
  return Z3_mk_app(Z, function, count, arguments);
}

unsigned
bv_width(Terms *t, Z3_ast a) {
  return Z3_get_bv_sort_size(Z, Z3_get_sort(Z, a));
}

bool
bv_is_constant(Terms *t, Z3_ast a, uint64_t *bits) {
  return Z3_is_numeral_ast(Z, a) && Z3_get_numeral_uint64(Z, a, bits);
}

Z3_ast
bv_extract(Terms *t, Z3_ast a, unsigned low, unsigned width) {
  return low == 0 && width == bv_width(t, a) ? a : Z3_mk_extract(Z, low + width - 1, low, a);
}

Z3_ast
bv_resize(Terms *t, Z3_ast a, unsigned width, bool is_signed) {
  unsigned from = bv_width(t, a);
  if (width <= from)
    return bv_extract(t, a, 0, width);
  return is_signed ? Z3_mk_sign_ext(Z, width - from, a) : Z3_mk_zero_ext(Z, width - from, a);
}

Z3_ast
bv_concat(Terms *t, Z3_ast high, Z3_ast low) {
  return Z3_mk_concat(Z, high, low);
}

Z3_ast
bv_ones_if(Terms *t, Z3_ast condition, unsigned width) {
  return ITE(condition, bv_constant(t, UINT64_MAX, width), bv_constant(t, 0, width));
}

Z3_ast
bv_one_if(Terms *t, Z3_ast condition, unsigned width) {
  return ITE(condition, bv_constant(t, 1, width), bv_constant(t, 0, width));
}

Z3_ast
bv_is_zero(Terms *t, Z3_ast a) {
  return EQ(a, bv_constant(t, 0, bv_width(t, a)));
}

Z3_ast
bv_or(Terms *t, Z3_ast a, Z3_ast b) {
  return Z3_mk_or(Z, 2, (Z3_ast[]){a, b});
}

Z3_ast
bv_and(Terms *t, Z3_ast a, Z3_ast b) {
  return Z3_mk_and(Z, 2, (Z3_ast[]){a, b});
}

Z3_ast
bv_amount(Terms *t, Z3_ast amount, unsigned width) {
  unsigned bits = (unsigned)__builtin_ctz(width);
  return bv_resize(t, bv_resize(t, amount, bits, false), width, false);
}

/* The 64 bits of the product of two words. */
static Z3_ast
word_product(Terms *t, Z3_ast a, Z3_ast b) {
  uint64_t bits;
  a = Z3_simplify(Z, a);
  b = Z3_simplify(Z, b);
  if (t->exact_products || bv_is_constant(t, a, &bits) || bv_is_constant(t, b, &bits))
    return Z3_mk_bvmul(Z, bv_resize(t, a, 64, false), bv_resize(t, b, 64, false));
  bool is_ordered = Z3_get_ast_id(Z, a) < Z3_get_ast_id(Z, b);
  Z3_ast result =
      bv_function(t, "product", 64, (Z3_ast[]){is_ordered ? a : b, is_ordered ? b : a}, 2);
  Z3_ast largest = bv_constant(t, (uint64_t)UINT32_MAX * UINT32_MAX, 64);
  t->has_products = true;
  return ITE(ULT(largest, result), largest, result);
}

static Z3_ast
high_word(Terms *t, Z3_ast a) {
  return bv_resize(t, bv_extract(t, a, 32, 32), 64, false);
}

/* All bits of the unsigned product. */
static Z3_ast
unsigned_product(Terms *t, Z3_ast a, Z3_ast b) {
  unsigned width = bv_width(t, a), wide = 2 * width;
  if (width == 32)
    return word_product(t, a, b);
  if (width < 32 || t->exact_products)
    return Z3_mk_bvmul(Z, bv_resize(t, a, wide, false), bv_resize(t, b, wide, false));
  t->has_products = true;
  /* By words, with the carry of each column into the next. */
  Z3_ast x[] = {bv_extract(t, a, 0, 32), bv_extract(t, a, 32, 32)};
  Z3_ast y[] = {bv_extract(t, b, 0, 32), bv_extract(t, b, 32, 32)};
  Z3_ast low = word_product(t, x[0], y[0]);
  Z3_ast first = Z3_mk_bvadd(Z, word_product(t, x[1], y[0]), high_word(t, low));
  Z3_ast second = Z3_mk_bvadd(Z, word_product(t, x[0], y[1]),
                              bv_resize(t, bv_extract(t, first, 0, 32), 64, false));
  Z3_ast high = Z3_mk_bvadd(Z, word_product(t, x[1], y[1]), high_word(t, first));
  high = Z3_mk_bvadd(Z, high, high_word(t, second));
  low = bv_concat(t, bv_extract(t, second, 0, 32), bv_extract(t, low, 0, 32));
  return bv_concat(t, high, low);
}

Z3_ast
bv_multiply(Terms *t, Z3_ast a, Z3_ast b) {
  unsigned width = bv_width(t, a);
  uint64_t bits;
  bool is_plain = width == 32 && (bv_is_constant(t, a, &bits) || bv_is_constant(t, b, &bits));
  if (width < 32 || t->exact_products || is_plain)
    return Z3_mk_bvmul(Z, a, b);
  if (width == 32)
    return bv_extract(t, word_product(t, a, b), 0, 32);
  t->has_products = true;
  Z3_ast x[] = {bv_extract(t, a, 0, 32), bv_extract(t, a, 32, 32)};
  Z3_ast y[] = {bv_extract(t, b, 0, 32), bv_extract(t, b, 32, 32)};
  Z3_ast low = word_product(t, x[0], y[0]), high = bv_extract(t, low, 32, 32);
  high = Z3_mk_bvadd(Z, high, bv_extract(t, word_product(t, x[0], y[1]), 0, 32));
  high = Z3_mk_bvadd(Z, high, bv_extract(t, word_product(t, x[1], y[0]), 0, 32));
  return bv_concat(t, high, bv_extract(t, low, 0, 32));
}

Z3_ast
bv_product(Terms *t, Z3_ast a, Z3_ast b, unsigned width, bool is_signed) {
  unsigned own = bv_width(t, a);
  if (own < 32 || t->exact_products)
    return Z3_mk_bvmul(Z, bv_resize(t, a, width, is_signed), bv_resize(t, b, width, is_signed));
  Z3_ast result = unsigned_product(t, a, b), zero = bv_constant(t, 0, own);
  if (is_signed) {
    Z3_ast high = bv_extract(t, result, own, own);
    high = Z3_mk_bvsub(Z, high, ITE(SLT(a, zero), b, zero));
    high = Z3_mk_bvsub(Z, high, ITE(SLT(b, zero), a, zero));
    result = bv_concat(t, high, bv_extract(t, result, 0, own));
  }
  return bv_resize(t, result, width, is_signed);
}

/* The signed number `a` clamped to the range of `to` bits, as that many bits. */
static Z3_ast
clamp_signed(Terms *t, Z3_ast a, unsigned to, bool to_signed) {
  unsigned width = bv_width(t, a);
  Z3_ast low = to_signed ? Z3_mk_bvneg(Z, bv_constant(t, UINT64_C(1) << (to - 1), width))
                         : bv_constant(t, 0, width);
  Z3_ast high = bv_constant(t, norn_int_mask(to_signed ? to - 1 : to), width);
  Z3_ast raised = ITE(SLT(a, low), low, a);
  return bv_extract(t, ITE(SLT(high, raised), high, raised), 0, to);
}

Z3_ast
bv_saturate(Terms *t, Z3_ast a, bool from_signed, unsigned to, bool to_signed) {
  unsigned width = MAX(bv_width(t, a), to) + 2;
  return clamp_signed(t, bv_resize(t, a, width, from_signed), to, to_signed);
}

Z3_ast
bv_add_saturate(Terms *t, Z3_ast a, Z3_ast b, bool is_signed) {
  unsigned width = bv_width(t, a);
  Z3_ast x = bv_resize(t, a, width + 2, is_signed), y = bv_resize(t, b, width + 2, is_signed);
  return clamp_signed(t, Z3_mk_bvadd(Z, x, y), width, is_signed);
}

Z3_ast
bv_subtract_saturate(Terms *t, Z3_ast a, Z3_ast b, bool is_signed) {
  unsigned width = bv_width(t, a);
  Z3_ast x = bv_resize(t, a, width + 2, is_signed), y = bv_resize(t, b, width + 2, is_signed);
  return clamp_signed(t, Z3_mk_bvsub(Z, x, y), width, is_signed);
}

Z3_ast
bv_multiply_saturate(Terms *t, Z3_ast a, Z3_ast b, bool is_signed) {
  unsigned width = bv_width(t, a);
  return clamp_signed(t, bv_product(t, a, b, 2 * width + 1, is_signed), width, is_signed);
}

Z3_ast
bv_half_add(Terms *t, Z3_ast a, Z3_ast b, bool is_signed, bool round_up) {
  unsigned width = bv_width(t, a);
  Z3_ast sum =
      Z3_mk_bvadd(Z, bv_resize(t, a, width + 2, is_signed), bv_resize(t, b, width + 2, is_signed));
  return bv_extract(t, Z3_mk_bvadd(Z, sum, bv_constant(t, round_up, width + 2)), 1, width);
}

Z3_ast
bv_absolute(Terms *t, Z3_ast a) {
  return ITE(SLT(a, bv_constant(t, 0, bv_width(t, a))), Z3_mk_bvneg(Z, a), a);
}

Z3_ast
bv_rotate(Terms *t, Z3_ast a, Z3_ast amount, bool left) {
  unsigned width = bv_width(t, a);
  Z3_ast by = bv_amount(t, amount, width);
  Z3_ast rest = bv_amount(t, Z3_mk_bvneg(Z, by), width);
  Z3_ast ls = left ? by : rest, rs = left ? rest : by;
  return Z3_mk_bvor(Z, Z3_mk_bvshl(Z, a, ls), Z3_mk_bvlshr(Z, a, rs));
}

static Z3_ast
bit(Terms *t, Z3_ast a, unsigned k) {
  return bv_extract(t, a, k, 1);
}

Z3_ast
bv_bit_reverse(Terms *t, Z3_ast a) {
  Z3_ast result = bit(t, a, 0);
  for (unsigned k = 1; k < bv_width(t, a); k++)
    result = bv_concat(t, result, bit(t, a, k));
  return result;
}

Z3_ast
bv_population_count(Terms *t, Z3_ast a) {
  unsigned width = bv_width(t, a);
  Z3_ast sum = bv_constant(t, 0, width);
  for (unsigned k = 0; k < width; k++)
    sum = Z3_mk_bvadd(Z, sum, bv_resize(t, bit(t, a, k), width, false));
  return sum;
}

Z3_ast
bv_leading_zeros(Terms *t, Z3_ast a) {
  unsigned width = bv_width(t, a);
  Z3_ast result = bv_constant(t, width, width);
  for (unsigned k = 0; k < width; k++)
    result = ITE(NOT(bv_is_zero(t, bit(t, a, k))), bv_constant(t, width - 1 - k, width), result);
  return result;
}

Z3_ast
bv_trailing_zeros(Terms *t, Z3_ast a) {
  unsigned width = bv_width(t, a);
  Z3_ast result = bv_constant(t, width, width);
  for (unsigned k = width; k-- > 0;)
    result = ITE(NOT(bv_is_zero(t, bit(t, a, k))), bv_constant(t, k, width), result);
  return result;
}

/* --- Classes and signs of floats --- */

Z3_ast
fp_constant(Terms *t, NornFloatFormat format, uint64_t bits) {
  return bv_constant(t, bits, norn_float_width(format));
}

Z3_ast
fp_absolute(Terms *t, NornFloatFormat format, Z3_ast a) {
  return Z3_mk_bvand(Z, a, fp_constant(t, format, norn_float_sign_bit(format) - 1));
}

Z3_ast
fp_negate(Terms *t, NornFloatFormat format, Z3_ast a) {
  return Z3_mk_bvxor(Z, a, fp_constant(t, format, norn_float_sign_bit(format)));
}

static Z3_ast
infinity(Terms *t, NornFloatFormat format) {
  return fp_constant(t, format, norn_float_infinity(format, false));
}

static Z3_ast
quiet_nan(Terms *t, NornFloatFormat format) {
  return fp_constant(t, format, norn_float_quiet_nan(format));
}

Z3_ast
fp_is_nan(Terms *t, NornFloatFormat format, Z3_ast a) {
  return ULT(infinity(t, format), fp_absolute(t, format, a));
}

Z3_ast
fp_is_infinite(Terms *t, NornFloatFormat format, Z3_ast a) {
  return EQ(infinity(t, format), fp_absolute(t, format, a));
}

Z3_ast
fp_is_zero(Terms *t, NornFloatFormat format, Z3_ast a) {
  return bv_is_zero(t, fp_absolute(t, format, a));
}

Z3_ast
fp_is_same(Terms *t, NornFloatFormat format, Z3_ast a, Z3_ast b, bool any_zero, bool any_nan) {
  Z3_ast same = EQ(a, b);
  if (any_zero)
    same = bv_or(t, same, bv_and(t, fp_is_zero(t, format, a), fp_is_zero(t, format, b)));
  if (any_nan)
    same = bv_or(t, same, fp_is_nan(t, format, a));
  return same;
}

Z3_ast
fp_is_subnormal(Terms *t, NornFloatFormat format, Z3_ast a) {
  Z3_ast least = fp_constant(t, format, UINT64_C(1) << norn_float_fraction_bits(format));
  return bv_and(t, NOT(fp_is_zero(t, format, a)), ULT(fp_absolute(t, format, a), least));
}

Z3_ast
fp_is_negative(Terms *t, NornFloatFormat format, Z3_ast a) {
  return SLT(a, fp_constant(t, format, 0));
}

static Z3_ast
sign_of(Terms *t, NornFloatFormat format, Z3_ast a) {
  return Z3_mk_bvand(Z, a, fp_constant(t, format, norn_float_sign_bit(format)));
}

Z3_ast
fp_flush(Terms *t, NornFloatFormat format, Z3_ast a) {
  return ITE(fp_is_subnormal(t, format, a), sign_of(t, format, a), a);
}

Z3_ast
fp_canonical(Terms *t, NornFloatFormat format, Z3_ast a) {
  return ITE(fp_is_nan(t, format, a), quiet_nan(t, format), a);
}

static Z3_ast
flushed_if(Terms *t, bool flush, NornFloatFormat format, Z3_ast a) {
  return flush ? fp_flush(t, format, a) : a;
}

/* --- Arithmetic with a rounding --- */

typedef enum {
  CORE_ADD,
  CORE_MULTIPLY,
  CORE_FMA,
  CORE_DIVIDE,
  CORE_SQRT,
  CORE_FMA_SCALE,
  CORE_LDEXP,
  CORE_ROUND,
  CORE_TO_SIGNED,
  CORE_TO_UNSIGNED,
  CORE_FROM_SIGNED,
  CORE_FROM_UNSIGNED,
  CORE_CONVERT,
  CORE_ELEMENTARY, /* + FpElementary */
} Core;

typedef struct CoreCall {
  Core core;
  NornFloatFormat format, to; /* of the operands; of a conversion's result */
  NornRoundMode round;
} CoreCall;

static uint64_t
compute(const CoreCall *call, const uint64_t *v) {
  NornFloatMode mode = {call->round, false, false};
  NornFloatFormat f = call->format;
  switch ((unsigned)call->core) {
  case CORE_ADD:
    return norn_float_add(f, mode, v[0], v[1]);
  case CORE_MULTIPLY:
    return norn_float_multiply(f, mode, v[0], v[1]);
  case CORE_FMA:
    return norn_float_fma(f, mode, v[0], v[1], v[2]);
  case CORE_DIVIDE:
    return norn_float_divide(f, mode, v[0], v[1]);
  case CORE_SQRT:
    return norn_float_sqrt(f, mode, v[0]);
  case CORE_FMA_SCALE:
    return norn_float_fma_scale(f, mode, v[0], v[1], v[2], norn_int_sign_extend(v[3], 32));
  case CORE_LDEXP:
    return norn_float_ldexp(f, mode, v[0], norn_int_sign_extend(v[1], 32));
  case CORE_ROUND:
    return norn_float_round_to_integral(f, mode, v[0]);
  case CORE_TO_SIGNED:
    return norn_float_to_int(f, mode, v[0], 64, true);
  case CORE_TO_UNSIGNED:
    return norn_float_to_int(f, mode, v[0], 64, false);
  case CORE_FROM_SIGNED:
    return norn_float_from_int(f, mode, v[0], 64, true);
  case CORE_FROM_UNSIGNED:
    return norn_float_from_int(f, mode, v[0], 64, false);
  case CORE_CONVERT:
    return norn_float_convert(f, call->to, mode, v[0]);
  case CORE_ELEMENTARY + FP_RSQ:
    return norn_float_reciprocal_sqrt(f, mode, v[0]);
  case CORE_ELEMENTARY + FP_EXP2:
    return norn_float_exp2(f, mode, v[0]);
  case CORE_ELEMENTARY + FP_LOG2:
    return norn_float_log2(f, mode, v[0]);
  case CORE_ELEMENTARY + FP_SIN:
    return norn_float_sin(f, mode, v[0]);
  case CORE_ELEMENTARY + FP_COS:
    return norn_float_cos(f, mode, v[0]);
  default:
    return norn_float_pow(f, mode, v[0], v[1]);
  }
}

/* --- ... by the theory of floats --- */

static Z3_sort
float_sort(Terms *t, NornFloatFormat format) {
  return format == NORN_FLOAT_16   ? Z3_mk_fpa_sort_16(Z)
         : format == NORN_FLOAT_32 ? Z3_mk_fpa_sort_32(Z)
                                   : Z3_mk_fpa_sort_64(Z);
}

static Z3_ast
rounding(Terms *t, NornRoundMode round) {
  switch (round) {
  case NORN_ROUND_UP:
    return Z3_mk_fpa_rtp(Z);
  case NORN_ROUND_DOWN:
    return Z3_mk_fpa_rtn(Z);
  case NORN_ROUND_ZERO:
    return Z3_mk_fpa_rtz(Z);
  case NORN_ROUND_NEAREST_AWAY:
    return Z3_mk_fpa_rna(Z);
  default:
    return Z3_mk_fpa_rne(Z);
  }
}

static Z3_ast
as_float(Terms *t, NornFloatFormat format, Z3_ast a) {
  return Z3_mk_fpa_to_fp_bv(Z, a, float_sort(t, format));
}

static Z3_ast
as_bits(Terms *t, NornFloatFormat format, Z3_ast a) {
  return ITE(Z3_mk_fpa_is_nan(Z, a), quiet_nan(t, format), Z3_mk_fpa_to_ieee_bv(Z, a));
}

/* To 64 bits: values beyond the range are clamped first, since the theory leaves them undefined. */
static Z3_ast
theory_to_int(Terms *t, const CoreCall *call, Z3_ast a, bool is_signed) {
  NornFloatMode mode = NORN_FLOAT_MODE_DEFAULT;
  NornFloatFormat f = call->format;
  Z3_ast whole = Z3_mk_fpa_round_to_integral(Z, rounding(t, call->round), as_float(t, f, a));
  if (f == NORN_FLOAT_16)
    whole = Z3_mk_fpa_to_fp_float(Z, Z3_mk_fpa_rne(Z), whole, float_sort(t, f = NORN_FLOAT_32));
  uint64_t limit = norn_float_ldexp(f, mode, norn_float_one(f, false), is_signed ? 63 : 64);
  Z3_ast high = as_float(t, f, fp_constant(t, f, limit));
  Z3_ast low = is_signed ? Z3_mk_fpa_neg(Z, high) : as_float(t, f, fp_constant(t, f, 0));
  Z3_ast exact = is_signed ? Z3_mk_fpa_to_sbv(Z, Z3_mk_fpa_rtz(Z), whole, 64)
                           : Z3_mk_fpa_to_ubv(Z, Z3_mk_fpa_rtz(Z), whole, 64);
  Z3_ast result = ITE(Z3_mk_fpa_geq(Z, whole, high),
                      bv_constant(t, is_signed ? INT64_MAX : UINT64_MAX, 64), exact);
  result = ITE(Z3_mk_fpa_leq(Z, whole, low),
               bv_constant(t, is_signed ? (uint64_t)INT64_MIN : 0, 64), result);
  return ITE(Z3_mk_fpa_is_nan(Z, whole), bv_constant(t, 0, 64), result);
}

/* NULL if the theory has no such function. */
static Z3_ast
by_theory(Terms *t, const CoreCall *call, const Z3_ast *a) {
  NornFloatFormat f = call->format;
  Z3_ast mode = rounding(t, call->round);
  switch ((unsigned)call->core) {
  case CORE_ADD:
    return as_bits(t, f, Z3_mk_fpa_add(Z, mode, as_float(t, f, a[0]), as_float(t, f, a[1])));
  case CORE_MULTIPLY:
    return as_bits(t, f, Z3_mk_fpa_mul(Z, mode, as_float(t, f, a[0]), as_float(t, f, a[1])));
  case CORE_FMA:
    return as_bits(
        t, f,
        Z3_mk_fpa_fma(Z, mode, as_float(t, f, a[0]), as_float(t, f, a[1]), as_float(t, f, a[2])));
  case CORE_DIVIDE:
    return as_bits(t, f, Z3_mk_fpa_div(Z, mode, as_float(t, f, a[0]), as_float(t, f, a[1])));
  case CORE_SQRT:
    return as_bits(t, f, Z3_mk_fpa_sqrt(Z, mode, as_float(t, f, a[0])));
  case CORE_ROUND:
    return as_bits(t, f, Z3_mk_fpa_round_to_integral(Z, mode, as_float(t, f, a[0])));
  case CORE_TO_SIGNED:
  case CORE_TO_UNSIGNED:
    return theory_to_int(t, call, a[0], call->core == CORE_TO_SIGNED);
  case CORE_FROM_SIGNED:
    return as_bits(t, f, Z3_mk_fpa_to_fp_signed(Z, mode, a[0], float_sort(t, f)));
  case CORE_FROM_UNSIGNED:
    return as_bits(t, f, Z3_mk_fpa_to_fp_unsigned(Z, mode, a[0], float_sort(t, f)));
  case CORE_CONVERT:
    return as_bits(t, call->to,
                   Z3_mk_fpa_to_fp_float(Z, mode, as_float(t, f, a[0]), float_sort(t, call->to)));
  default:
    return NULL;
  }
}

/* The canonical result for operands that are not NaN. */
static Z3_ast
core(Terms *t, CoreCall call, unsigned width, const Z3_ast *arguments, unsigned count) {
  Z3_ast simple[4], result;
  uint64_t bits[4];
  bool all_constant = true;
  for (unsigned k = 0; k < count; k++) {
    simple[k] = Z3_simplify(Z, arguments[k]);
    all_constant = bv_is_constant(t, simple[k], &bits[k]) && all_constant;
  }
  if (t->theory && (result = by_theory(t, &call, simple))) {
    t->has_floats = true;
    return result;
  }
  if (all_constant)
    return bv_constant(t, compute(&call, bits), width);
  t->has_floats = true;
  char name[32];
  g_snprintf(name, sizeof name, "f%u.%u.%u.%u", call.core, call.format, call.to, call.round);
  return bv_function(t, name, width, simple, count);
}

/* A float that is the result of arithmetic: NaN if `invalid` is true or if the solver's function
 * says so. */
static Z3_ast
finish(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast invalid, Z3_ast result) {
  result = fp_canonical(t, format, result);
  if (invalid)
    result = ITE(invalid, quiet_nan(t, format), result);
  return flushed_if(t, mode.flush_outputs, format, result);
}

static Z3_ast
either_nan(Terms *t, NornFloatFormat format, Z3_ast a, Z3_ast b) {
  return bv_or(t, fp_is_nan(t, format, a), fp_is_nan(t, format, b));
}

static bool
is_literal(Terms *t, Z3_ast a, uint64_t bits) {
  uint64_t value;
  return bv_is_constant(t, Z3_simplify(Z, a), &value) && value == bits;
}

/* The sum of `a` and a zero. */
static Z3_ast
sum_with_zero(Terms *t, NornFloatFormat format, NornRoundMode round, Z3_ast a, Z3_ast zero) {
  Z3_ast both = round == NORN_ROUND_DOWN ? Z3_mk_bvor(Z, a, zero) : Z3_mk_bvand(Z, a, zero);
  return ITE(fp_is_zero(t, format, a), both, a);
}

/* Whether `b` is obviously `a` with the opposite sign. */
static bool
are_opposite(Terms *t, NornFloatFormat format, Z3_ast a, Z3_ast b) {
  return Z3_is_eq_ast(Z, Z3_simplify(Z, fp_negate(t, format, a)), Z3_simplify(Z, b));
}

/* The sum of numbers, independent of the order of the operands. */
static Z3_ast
sum(Terms *t, NornFloatFormat format, NornRoundMode round, Z3_ast a, Z3_ast b) {
  uint64_t sign = norn_float_sign_bit(format);
  if (is_literal(t, b, 0) || is_literal(t, b, sign))
    return sum_with_zero(t, format, round, a, b);
  if (is_literal(t, a, 0) || is_literal(t, a, sign))
    return sum_with_zero(t, format, round, b, a);
  if (are_opposite(t, format, a, b))
    return ITE(fp_is_infinite(t, format, a), quiet_nan(t, format),
               fp_constant(t, format, round == NORN_ROUND_DOWN ? sign : 0));
  Z3_ast is_ordered = Z3_mk_bvule(Z, a, b),
         ordered[] = {ITE(is_ordered, a, b), ITE(is_ordered, b, a)};
  return core(t, (CoreCall){CORE_ADD, format, format, round}, norn_float_width(format), ordered, 2);
}

Z3_ast
fp_add(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b) {
  bool is_difference = are_opposite(t, format, a, b) || are_opposite(t, format, b, a);
  a = flushed_if(t, mode.flush_inputs, format, a);
  b = is_difference ? fp_negate(t, format, a) : flushed_if(t, mode.flush_inputs, format, b);
  return finish(t, format, mode, either_nan(t, format, a, b), sum(t, format, mode.round, a, b));
}

/* |a| and |b| in order, the first one with the sign of the product. */
static void
order_factors(Terms *t, NornFloatFormat format, Z3_ast factors[2]) {
  Z3_ast a = fp_absolute(t, format, factors[0]), b = fp_absolute(t, format, factors[1]);
  Z3_ast sign = sign_of(t, format, Z3_mk_bvxor(Z, factors[0], factors[1]));
  Z3_ast is_ordered = Z3_mk_bvule(Z, a, b);
  factors[0] = Z3_mk_bvor(Z, ITE(is_ordered, a, b), sign);
  factors[1] = ITE(is_ordered, b, a);
}

/* Whether one is zero and the other is infinite; factors in order. */
static Z3_ast
is_invalid_product(Terms *t, NornFloatFormat format, const Z3_ast factors[2]) {
  return bv_and(t, fp_is_zero(t, format, factors[0]), fp_is_infinite(t, format, factors[1]));
}

/* +1 or -1 if `a` is that number, otherwise 0. */
static int
unit(Terms *t, NornFloatFormat format, Z3_ast a) {
  return is_literal(t, a, norn_float_one(format, false)) -
         is_literal(t, a, norn_float_one(format, true));
}

static bool
is_zero_literal(Terms *t, NornFloatFormat format, Z3_ast a) {
  return is_literal(t, a, 0) || is_literal(t, a, norn_float_sign_bit(format));
}

/* a * b + c, where a factor is a constant zero. */
static Z3_ast
fma_of_zero(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b, Z3_ast c) {
  c = flushed_if(t, mode.flush_inputs, format, c);
  Z3_ast invalid = bv_or(t, either_nan(t, format, a, b), fp_is_nan(t, format, c));
  invalid = bv_or(t, invalid, fp_is_infinite(t, format, a));
  invalid = bv_or(t, invalid, fp_is_infinite(t, format, b));
  Z3_ast product = sign_of(t, format, Z3_mk_bvxor(Z, a, b));
  return finish(t, format, mode, invalid, sum_with_zero(t, format, mode.round, c, product));
}

Z3_ast
fp_fma(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b, Z3_ast c) {
  int unit_a = unit(t, format, a), unit_b = unit(t, format, b);
  if (unit_a || unit_b) {
    Z3_ast other = unit_b ? a : b;
    return fp_add(t, format, mode, unit_a + unit_b == -1 ? fp_negate(t, format, other) : other, c);
  }
  if (is_zero_literal(t, format, a) || is_zero_literal(t, format, b))
    return fma_of_zero(t, format, mode, a, b, c);
  Z3_ast v[3] = {flushed_if(t, mode.flush_inputs, format, a),
                 flushed_if(t, mode.flush_inputs, format, b),
                 flushed_if(t, mode.flush_inputs, format, c)};
  Z3_ast invalid = bv_or(t, either_nan(t, format, v[0], v[1]), fp_is_nan(t, format, v[2]));
  order_factors(t, format, v);
  invalid = bv_or(t, invalid, is_invalid_product(t, format, v));
  bool is_product = mode.round != NORN_ROUND_DOWN && is_literal(t, c, norn_float_sign_bit(format));
  CoreCall call = {is_product ? CORE_MULTIPLY : CORE_FMA, format, format, mode.round};
  return finish(t, format, mode, invalid,
                core(t, call, norn_float_width(format), v, is_product ? 2 : 3));
}

Z3_ast
fp_multiply(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b) {
  uint64_t minus_zero = norn_float_sign_bit(format);
  if (mode.round != NORN_ROUND_DOWN)
    return fp_fma(t, format, mode, a, b, fp_constant(t, format, minus_zero));
  /* Rounding down, the sum of a zero and +0 is that zero. */
  return fp_fma(t, format, mode, a, b, fp_constant(t, format, 0));
}

Z3_ast
fp_fma_scale(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b, Z3_ast c,
             Z3_ast scale) {
  Z3_ast v[4] = {flushed_if(t, mode.flush_inputs, format, a),
                 flushed_if(t, mode.flush_inputs, format, b),
                 flushed_if(t, mode.flush_inputs, format, c), scale};
  Z3_ast invalid = bv_or(t, either_nan(t, format, v[0], v[1]), fp_is_nan(t, format, v[2]));
  order_factors(t, format, v);
  CoreCall call = {CORE_FMA_SCALE, format, format, mode.round};
  return finish(t, format, mode, invalid, core(t, call, norn_float_width(format), v, 4));
}

Z3_ast
fp_ldexp(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast scale) {
  Z3_ast v[2] = {flushed_if(t, mode.flush_inputs, format, a), bv_resize(t, scale, 32, true)};
  CoreCall call = {CORE_LDEXP, format, format, mode.round};
  return finish(t, format, mode, fp_is_nan(t, format, v[0]),
                core(t, call, norn_float_width(format), v, 2));
}

/* An uninterpreted function of one or two operands. */
static Z3_ast
plain(Terms *t, Core which, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b) {
  Z3_ast v[2] = {flushed_if(t, mode.flush_inputs, format, a), b};
  unsigned width = norn_float_width(format), count = b ? 2 : 1;
  if (b)
    v[1] = flushed_if(t, mode.flush_inputs, format, b);
  for (unsigned k = 0; k < count; k++)
    v[k] = fp_canonical(t, format, v[k]);
  return finish(t, format, mode, NULL,
                core(t, (CoreCall){which, format, format, mode.round}, width, v, count));
}

Z3_ast
fp_divide(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b) {
  if (Z3_is_eq_ast(Z, a, b)) {
    a = flushed_if(t, mode.flush_inputs, format, a);
    Z3_ast invalid = bv_or(t, fp_is_nan(t, format, a), fp_is_infinite(t, format, a));
    invalid = bv_or(t, invalid, fp_is_zero(t, format, a));
    return finish(t, format, mode, invalid, fp_constant(t, format, norn_float_one(format, false)));
  }
  return plain(t, CORE_DIVIDE, format, mode, a, b);
}

Z3_ast
fp_sqrt(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a) {
  return plain(t, CORE_SQRT, format, mode, a, NULL);
}

Z3_ast
fp_round_to_integral(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a) {
  return plain(t, CORE_ROUND, format, mode, a, NULL);
}

Z3_ast
fp_elementary(Terms *t, FpElementary function, NornFloatFormat format, NornFloatMode mode, Z3_ast a,
              Z3_ast b) {
  return plain(t, CORE_ELEMENTARY + function, format, mode, a, b);
}

/* --- Conversions --- */

/* A subnormal `a` is a fraction of that many bits, shifted until its leading one is hidden. */
Z3_ast
fp_widen_half(Terms *t, Z3_ast a) {
  Z3_ast sign = bv_concat(t, bv_extract(t, a, 15, 1), bv_constant(t, 0, 31));
  Z3_ast magnitude = bv_resize(t, fp_absolute(t, NORN_FLOAT_16, a), 32, false);
  Z3_ast shifted = Z3_mk_bvshl(Z, magnitude, bv_constant(t, 13, 32));
  Z3_ast normal = Z3_mk_bvadd(Z, shifted, bv_constant(t, UINT64_C(112) << 23, 32));
  Z3_ast zeros = bv_leading_zeros(t, magnitude); /* 22 or more */
  Z3_ast fraction = Z3_mk_bvshl(Z, magnitude, Z3_mk_bvsub(Z, zeros, bv_constant(t, 8, 32)));
  Z3_ast exponent = Z3_mk_bvsub(Z, bv_constant(t, 134 - 1, 32), zeros);
  Z3_ast subnormal = Z3_mk_bvadd(Z, Z3_mk_bvshl(Z, exponent, bv_constant(t, 23, 32)), fraction);
  Z3_ast result = ITE(fp_is_subnormal(t, NORN_FLOAT_16, a), subnormal, normal);
  result = ITE(fp_is_zero(t, NORN_FLOAT_16, a), bv_constant(t, 0, 32), result);
  Z3_ast special[] = {fp_is_infinite(t, NORN_FLOAT_16, a), fp_is_nan(t, NORN_FLOAT_16, a)};
  result = ITE(Z3_mk_or(Z, 2, special), Z3_mk_bvor(Z, shifted, infinity(t, NORN_FLOAT_32)), result);
  return Z3_mk_bvor(Z, sign, result);
}

Z3_ast
fp_convert(Terms *t, NornFloatFormat from, NornFloatFormat to, NornFloatMode mode, Z3_ast a) {
  a = flushed_if(t, mode.flush_inputs, from, a);
  if (from == to)
    return flushed_if(t, mode.flush_outputs, to, fp_canonical(t, to, a));
  if (from == NORN_FLOAT_16 && to == NORN_FLOAT_32)
    return fp_canonical(t, to, fp_widen_half(t, a));
  CoreCall call = {CORE_CONVERT, from, to, mode.round};
  return finish(t, to, mode, fp_is_nan(t, from, a), core(t, call, norn_float_width(to), &a, 1));
}

Z3_ast
fp_to_int(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, unsigned width,
          bool is_signed) {
  a = flushed_if(t, mode.flush_inputs, format, a);
  if (format == NORN_FLOAT_16) {
    a = fp_widen_half(t, a);
    format = NORN_FLOAT_32;
  }
  a = fp_canonical(t, format, a);
  bool is_unsigned = width == 64 && !is_signed;
  CoreCall call = {is_unsigned ? CORE_TO_UNSIGNED : CORE_TO_SIGNED, format, format, mode.round};
  Z3_ast number = core(t, call, 64, &a, 1);
  return width == 64 ? number : bv_saturate(t, number, true, width, is_signed);
}

Z3_ast
fp_from_int(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, bool is_signed) {
  bool is_unsigned = bv_width(t, a) == 64 && !is_signed;
  CoreCall call = {is_unsigned ? CORE_FROM_UNSIGNED : CORE_FROM_SIGNED, format, format, mode.round};
  a = bv_resize(t, a, 64, is_signed);
  return finish(t, format, mode, NULL, core(t, call, norn_float_width(format), &a, 1));
}

/* --- Parts, order --- */

Z3_ast
fp_frexp(Terms *t, NornFloatFormat format, Z3_ast a, Z3_ast *exponent) {
  unsigned width = norn_float_width(format), fraction = norn_float_fraction_bits(format);
  uint64_t bias = (UINT64_C(1) << (width - 2 - fraction)) - 1;
  Z3_ast magnitude = fp_absolute(t, format, a);
  Z3_ast places = fp_constant(t, format, fraction);
  /* A subnormal number is shifted up until its leading one is in the position of the hidden one. */
  Z3_ast missing =
      Z3_mk_bvsub(Z, bv_leading_zeros(t, magnitude), fp_constant(t, format, width - 1 - fraction));
  Z3_ast is_subnormal = fp_is_subnormal(t, format, a);
  Z3_ast scaled = ITE(is_subnormal, Z3_mk_bvshl(Z, magnitude, missing), magnitude);
  Z3_ast field = ITE(is_subnormal, Z3_mk_bvsub(Z, fp_constant(t, format, 1), missing),
                     Z3_mk_bvlshr(Z, magnitude, places));
  Z3_ast kept = Z3_mk_bvand(Z, scaled, fp_constant(t, format, norn_int_mask(fraction)));
  Z3_ast result = Z3_mk_bvor(Z, kept, fp_constant(t, format, (bias - 1) << fraction));
  result = Z3_mk_bvor(Z, result, sign_of(t, format, a));
  Z3_ast stays = bv_or(t, fp_is_zero(t, format, a), NOT(ULT(magnitude, infinity(t, format))));
  Z3_ast wide = bv_resize(t, Z3_mk_bvsub(Z, field, fp_constant(t, format, bias - 1)), 32, true);
  *exponent = ITE(stays, bv_constant(t, 0, 32), wide);
  return ITE(stays, fp_canonical(t, format, a), result);
}

/* As a signed number in the order of the floats; -0 below +0 or the same. */
static Z3_ast
order_key(Terms *t, NornFloatFormat format, Z3_ast a, bool orders_zeros) {
  Z3_ast magnitude = fp_absolute(t, format, a);
  Z3_ast negative = orders_zeros ? Z3_mk_bvnot(Z, magnitude) : Z3_mk_bvneg(Z, magnitude);
  return ITE(fp_is_negative(t, format, a), negative, magnitude);
}

Z3_ast
fp_extreme(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b, bool maximum,
           bool number) {
  bool flush = mode.flush_inputs || mode.flush_outputs;
  a = flushed_if(t, flush, format, a);
  b = flushed_if(t, flush, format, b);
  Z3_ast less = SLT(order_key(t, format, a, true), order_key(t, format, b, true));
  Z3_ast result = maximum ? ITE(less, b, a) : ITE(less, a, b);
  Z3_ast nan_a = fp_is_nan(t, format, a), nan_b = fp_is_nan(t, format, b);
  if (!number)
    return ITE(bv_or(t, nan_a, nan_b), quiet_nan(t, format), result);
  return ITE(nan_a, fp_canonical(t, format, b), ITE(nan_b, a, result));
}

FpRelation
fp_compare(Terms *t, NornFloatFormat format, bool flush, Z3_ast a, Z3_ast b) {
  a = flushed_if(t, flush, format, a);
  b = flushed_if(t, flush, format, b);
  Z3_ast x = order_key(t, format, a, false), y = order_key(t, format, b, false);
  Z3_ast unordered = either_nan(t, format, a, b), ordered = NOT(unordered);
  return (FpRelation){bv_and(t, ordered, SLT(x, y)), bv_and(t, ordered, EQ(x, y)),
                      bv_and(t, ordered, SLT(y, x)), unordered};
}
