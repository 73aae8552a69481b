/* Formats of floats: the layout of a number. */
#ifndef NORN_IR_NUMERIC_FORMAT_H
#define NORN_IR_NUMERIC_FORMAT_H

#include "ir/numeric.h"

typedef struct {
  unsigned width;
  int fraction_bits;
  int bias; /* also the largest exponent */
} FloatFormat;

/* By NornFloatFormat. */
extern const FloatFormat norn_float_formats[];

static inline uint64_t
sign_of(const FloatFormat *f, bool negative) {
  return (uint64_t)negative << (f->width - 1);
}

static inline uint64_t
infinity_bits(const FloatFormat *f) {
  return (uint64_t)(2 * f->bias + 1) << f->fraction_bits;
}

static inline uint64_t
magnitude_of(const FloatFormat *f, uint64_t a) {
  return a & (sign_of(f, true) - 1);
}

static inline uint64_t
quiet_nan_of(const FloatFormat *f) {
  return infinity_bits(f) | UINT64_C(1) << (f->fraction_bits - 1);
}

#endif
