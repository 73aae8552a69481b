/* The words that rows of algebra.def are written in, for those who read the rows: rewrite_rules.c,
 * which carries them out, and what proves them. */
#ifndef NORN_PASSES_OPTIMIZE_ALGEBRA_H
#define NORN_PASSES_OPTIMIZE_ALGEBRA_H

#include <norn/ir.h>

/* Short names of the operations. */
enum {
#define OP(id, ...) id = NORN_OP_##id,
#include <norn/ops.def>
#undef OP
};

/* The letters and constants of a rule; everything below them is an operation. */
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

/* What must hold for a rule to apply. */
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
  COMPLEMENTS = 1 << 12, /* C0 and C1 */
  SUBNORMALS_STAY = 1 << 13,
  C1_IS_LESS = 1 << 14, /* than C0, both being amounts */
  C0_IS_LESS = 1 << 15,
  C1_CLEARS_LOW_ZEROS = 1 << 16, /* C1 is ones above some zeros, and so has C0 zeros there; no other
                                    use of the first operand that is no constant */
};

/* The most symbols of a side, with the zero that ends it. */
#define RULE_LENGTH 13

/* The bits of a named constant, other than LOG2_C0, in that type. */
uint64_t norn_algebra_constant(unsigned name, NornType type);

#endif
