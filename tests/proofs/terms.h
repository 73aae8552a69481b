/* Numbers as terms of an SMT solver: the equivalent of ir/numeric.h on bit vectors.
 *
 * A value is a bit vector of its width, a float one of its bits. Classes, signs, minima,
 * comparisons, widening of halves and flushing are entirely bit vectors. Arithmetic with
 * rounding is one of the solver's float operations (theory) or, by default, a function of which
 * the solver only knows the facts in terms.c; on constants it is the function of ir/numeric.h. */
#ifndef NORN_TESTS_PROOFS_TERMS_H
#define NORN_TESTS_PROOFS_TERMS_H

#include "ir/numeric.h"
#include <glib.h>
#include <z3.h>

/* The solver, which is recreated from time to time since it keeps all terms; creating it takes
 * longer than most questions. */
typedef struct Solver {
  Z3_context z3; /* nullable */
  unsigned used; /* times */
} Solver;

void solver_clear(Solver *solver);

typedef struct Terms {
  Z3_context z3;
  bool theory;         /* floats use the solver's theory */
  bool exact_products; /* products of words use the solver's bits */
  bool has_floats;     /* some float arithmetic was not constant */
  bool has_products;   /* some product was split up, or is a function */
  unsigned unknown;    /* number of unknown values so far */
} Terms;

/* Terms of the solver, valid until the solver is used again. */
void terms_init(Terms *terms, Solver *solver, bool theory, bool exact_products);

/* --- Bit vectors --- */

Z3_ast bv_constant(Terms *t, uint64_t bits, unsigned width);
Z3_ast bv_variable(Terms *t, const char *name, unsigned width);
/* Any value, a different one each time. */
Z3_ast bv_unknown(Terms *t, unsigned width);
/* An uninterpreted function. */
Z3_ast bv_function(Terms *t, const char *name, unsigned width, const Z3_ast *arguments,
                   unsigned count);
unsigned bv_width(Terms *t, Z3_ast a);
/* Whether it is a constant; if so, its value. */
bool bv_is_constant(Terms *t, Z3_ast a, uint64_t *bits);
Z3_ast bv_extract(Terms *t, Z3_ast a, unsigned low, unsigned width);
/* Zero-extended, sign-extended or truncated to that width. */
Z3_ast bv_resize(Terms *t, Z3_ast a, unsigned width, bool is_signed);
Z3_ast bv_concat(Terms *t, Z3_ast high, Z3_ast low);
/* A Boolean repeated in that many bits (or as the number 1). */
Z3_ast bv_ones_if(Terms *t, Z3_ast condition, unsigned width);
Z3_ast bv_one_if(Terms *t, Z3_ast condition, unsigned width);
Z3_ast bv_is_zero(Terms *t, Z3_ast a);
Z3_ast bv_or(Terms *t, Z3_ast a, Z3_ast b);  /* of Booleans */
Z3_ast bv_and(Terms *t, Z3_ast a, Z3_ast b); /* of Booleans */
/* Shift amounts, of any width, are taken modulo `width`, the width of the shifted value. */
Z3_ast bv_amount(Terms *t, Z3_ast amount, unsigned width);
/* Modulo their common width. */
Z3_ast bv_multiply(Terms *t, Z3_ast a, Z3_ast b);
/* All bits of the product of two numbers of the same width, truncated or extended to `width`. */
Z3_ast bv_product(Terms *t, Z3_ast a, Z3_ast b, unsigned width, bool is_signed);

Z3_ast bv_add_saturate(Terms *t, Z3_ast a, Z3_ast b, bool is_signed);
Z3_ast bv_subtract_saturate(Terms *t, Z3_ast a, Z3_ast b, bool is_signed);
Z3_ast bv_multiply_saturate(Terms *t, Z3_ast a, Z3_ast b, bool is_signed);
Z3_ast bv_half_add(Terms *t, Z3_ast a, Z3_ast b, bool is_signed, bool round_up);
Z3_ast bv_absolute(Terms *t, Z3_ast a);
Z3_ast bv_saturate(Terms *t, Z3_ast a, bool from_signed, unsigned to, bool to_signed);
Z3_ast bv_rotate(Terms *t, Z3_ast a, Z3_ast amount, bool left);
Z3_ast bv_bit_reverse(Terms *t, Z3_ast a);
Z3_ast bv_population_count(Terms *t, Z3_ast a);
Z3_ast bv_leading_zeros(Terms *t, Z3_ast a);
Z3_ast bv_trailing_zeros(Terms *t, Z3_ast a);

/* --- Floats --- */

Z3_ast fp_constant(Terms *t, NornFloatFormat format, uint64_t bits);
Z3_ast fp_is_nan(Terms *t, NornFloatFormat format, Z3_ast a);
/* Whether both are the same. With any_zero, zeros of different signs count as the same; with
 * any_nan, so does anything if the first is NaN. */
Z3_ast fp_is_same(Terms *t, NornFloatFormat format, Z3_ast a, Z3_ast b, bool any_zero,
                  bool any_nan);
Z3_ast fp_is_infinite(Terms *t, NornFloatFormat format, Z3_ast a);
Z3_ast fp_is_zero(Terms *t, NornFloatFormat format, Z3_ast a);
Z3_ast fp_is_subnormal(Terms *t, NornFloatFormat format, Z3_ast a);
Z3_ast fp_is_negative(Terms *t, NornFloatFormat format, Z3_ast a);
Z3_ast fp_negate(Terms *t, NornFloatFormat format, Z3_ast a);
Z3_ast fp_absolute(Terms *t, NornFloatFormat format, Z3_ast a);
Z3_ast fp_flush(Terms *t, NornFloatFormat format, Z3_ast a);
Z3_ast fp_canonical(Terms *t, NornFloatFormat format, Z3_ast a);

Z3_ast fp_add(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b);
Z3_ast fp_multiply(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b);
Z3_ast fp_divide(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b);
Z3_ast fp_fma(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b, Z3_ast c);
Z3_ast fp_fma_scale(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b,
                    Z3_ast c, Z3_ast scale);
Z3_ast fp_ldexp(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast scale);
/* *exponent has 32 bits. */
Z3_ast fp_frexp(Terms *t, NornFloatFormat format, Z3_ast a, Z3_ast *exponent);
Z3_ast fp_sqrt(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a);
/* min and max: number: a NaN loses; else it wins. */
Z3_ast fp_extreme(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, Z3_ast b,
                  bool maximum, bool number);
Z3_ast fp_round_to_integral(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a);
Z3_ast fp_convert(Terms *t, NornFloatFormat from, NornFloatFormat to, NornFloatMode mode, Z3_ast a);
/* The half `a` as an f32, exactly: a NaN keeps its sign and payload. */
Z3_ast fp_widen_half(Terms *t, Z3_ast a);
Z3_ast fp_to_int(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, unsigned width,
                 bool is_signed);
Z3_ast fp_from_int(Terms *t, NornFloatFormat format, NornFloatMode mode, Z3_ast a, bool is_signed);

/* Functions that approximate those of mathematics: the same name is the same function. */
typedef enum { FP_RSQ, FP_EXP2, FP_LOG2, FP_SIN, FP_COS, FP_POW } FpElementary;
Z3_ast fp_elementary(Terms *t, FpElementary function, NornFloatFormat format, NornFloatMode mode,
                     Z3_ast a, Z3_ast b);

/* Booleans, exactly one of which is true. */
typedef struct FpRelation {
  Z3_ast less, equal, greater, unordered;
} FpRelation;
FpRelation fp_compare(Terms *t, NornFloatFormat format, bool flush, Z3_ast a, Z3_ast b);

#endif
