/* The vocabulary of the rows of algebra.def, for the code that reads them: rewrite_rules.c, which
 * applies the rules, and the prover. */
#ifndef NORN_PASSES_OPTIMIZE_ALGEBRA_H
#define NORN_PASSES_OPTIMIZE_ALGEBRA_H

#include <norn/ir.h>

/* Short names of the operations. */
enum {
#define OP(id, ...) id = NORN_OP_##id,
#include <norn/ops.def>
#undef OP
};

/* The letters and constants of a rule; smaller numbers are operations. */
enum {
  A = NORN_OP_MACHINE,
  B,
  C,
  T, /* true or false */
  C0,
  C1,
  ZERO,
  ONE,
  ONES,
  SMALLEST,
  LARGEST,
  NEGATIVE_ZERO,
  FLOAT_ONE,
  FLOAT_MINUS_ONE,
  FLOAT_TWO,
  FLOAT_FOUR,
  WIDTH_MINUS_ONE,
  LOG2_C0,
};

/* The conditions under which a rule applies. */
enum {
  ALWAYS = 0,
  CANONICAL = 1 << 0,
  NO_SIGNED_ZERO = 1 << 1,
  NO_NAN = 1 << 2,
  POWER_OF_TWO = 1 << 3,
  SUM_BELOW_WIDTH = 1 << 4,
  SUM_NOT_BELOW_WIDTH = 1 << 5,
  TO_NEAREST = 1 << 6,
  CONTRACT = 1 << 7,
  SUM_IS_WIDTH = 1 << 8,
  C0_IS_WIDTH = 1 << 9,
  CANONICAL_NOT_NEGATIVE_ZERO = 1 << 10,
  FINITE = 1 << 11,
  COMPLEMENTS = 1 << 12, /* of C0 and C1 */
  SUBNORMALS_STAY = 1 << 13,
  C1_IS_LESS = 1 << 14, /* than C0; both are shift amounts */
  C0_IS_LESS = 1 << 15,
  C1_CLEARS_LOW_ZEROS = 1 << 16, /* C1 is a run of ones above zeros, where C0 has zeros, too */
  C1_FITS_SHIFTED = 1 << 17,     /* C1 has no bits where a shift by C0 to the right inserts some */
  ONLY_USES = 1 << 18,           /* operations whose results are matched have no other use */
  C0_NOT_NEGATIVE = 1 << 19,     /* as a float: from +0 on, in all lanes */
  C0_WITHIN_ONE = 1 << 20,       /* as a float: from -1 to 1, in all lanes */
};

/* The maximum number of symbols on a side, including the terminating zero. */
#define RULE_LENGTH 13

/* The bits of a named constant, other than LOG2_C0, in the given type. */
uint64_t norn_algebra_constant(unsigned name, NornType type);

#endif
