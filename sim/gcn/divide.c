/* Division in steps (scale, reciprocal, refine, multiply-add with scaling, fix up) and the lookup
 * of 2/pi, for the GCN simulator.
 *
 * With numerator N and denominator D, the program computes D' = scale(D), N' = scale(N), refines
 * a reciprocal of D' and a quotient Q of N' / D', and ends with fmas and fixup. Scaling keeps
 * every intermediate out of the subnormal and infinite ranges, so that fmas, which rounds once
 * and scales back, returns the correctly rounded quotient; fixup handles the cases without a
 * finite quotient. */
#include "sim/gcn/divide.h"

/* Exponents and scales that differ between single and double precision. */
typedef struct {
  int huge;        /* N / D of this many binades or more is near overflow */
  int scale;       /* binades to scale by */
  int tiny;        /* biased exponent of N up to which a remainder could be subnormal */
  int underflow;   /* N / D of fewer binades than this rounds to zero or the smallest subnormal */
  int no_quotient; /* the exponent field of infinities */
} DivideLimits;

static const DivideLimits limits_of[] = {
    [NORN_FLOAT_16] = {0, 0, 0, -26, 31},
    [NORN_FLOAT_32] = {96, 64, 23, -150, 255},
    [NORN_FLOAT_64] = {768, 128, 53, -1075, 2047},
};

static int
biased_exponent(NornFloatFormat format, uint64_t a) {
  return (int)(norn_float_absolute(format, a) >> norn_float_fraction_bits(format));
}

/* Whether abs(a / b) is below the smallest normal number. */
static bool
is_quotient_subnormal(NornFloatFormat format, uint64_t a, uint64_t b) {
  NornFloatMode exact = {NORN_ROUND_ZERO, false, false};
  uint64_t quotient = norn_float_divide(format, exact, a, b);
  return norn_float_is_zero(format, quotient) || norn_float_is_subnormal(format, quotient);
}

uint64_t
norn_gcn_divide_scale(NornFloatFormat format, NornFloatMode mode, uint64_t s0, uint64_t s1,
                      uint64_t s2, bool *flag) {
  const DivideLimits *limits = &limits_of[format];
  uint64_t one = norn_float_one(format, false);
  if (mode.flush_inputs) {
    s0 = norn_float_flush(format, s0);
    s1 = norn_float_flush(format, s1);
    s2 = norn_float_flush(format, s2);
  }
  *flag = false;
  if (biased_exponent(format, s0) == limits->no_quotient) {
    *flag = true;
    return s0;
  }
  if (norn_float_is_zero(format, s1) || norn_float_is_zero(format, s2))
    return norn_float_quiet_nan(format);
  int scale = 0;
  if (biased_exponent(format, s2) - biased_exponent(format, s1) >= limits->huge) {
    *flag = true;
    scale = s0 == s1 ? limits->scale : 0;
  } else if (norn_float_is_subnormal(format, s1)) {
    scale = limits->scale;
  } else {
    bool tiny_reciprocal = is_quotient_subnormal(format, one, s1);
    bool tiny_quotient = is_quotient_subnormal(format, s2, s1);
    *flag = tiny_quotient;
    if (tiny_reciprocal && tiny_quotient)
      scale = s0 == s1 ? -limits->scale : 0;
    else if (tiny_reciprocal)
      scale = -limits->scale;
    else if (tiny_quotient)
      scale = s0 == s2 ? limits->scale : 0;
    else if (biased_exponent(format, s2) <= limits->tiny)
      scale = limits->scale;
  }
  return norn_float_ldexp(format, mode, s0, scale);
}

uint64_t
norn_gcn_divide_fmas(NornFloatFormat format, NornFloatMode mode, uint64_t s0, uint64_t s1,
                     uint64_t s2, bool flag) {
  int scale = 0;
  if (flag) {
    uint64_t two = norn_float_ldexp(format, mode, norn_float_one(format, false), 1);
    bool large = norn_float_absolute(format, s2) >= two;
    scale = large ? limits_of[format].scale : -limits_of[format].scale;
  }
  return norn_float_fma_scale(format, mode, s0, s1, s2, scale);
}

static uint64_t
make_quiet(NornFloatFormat format, uint64_t nan) {
  return nan | UINT64_C(1) << (norn_float_fraction_bits(format) - 1);
}

static uint64_t
with_sign(NornFloatFormat format, uint64_t magnitude, bool negative) {
  magnitude = norn_float_absolute(format, magnitude);
  return negative ? magnitude | norn_float_sign_bit(format) : magnitude;
}

uint64_t
norn_gcn_divide_fixup(NornFloatFormat format, NornFloatMode mode, uint64_t s0, uint64_t s1,
                      uint64_t s2) {
  const DivideLimits *limits = &limits_of[format];
  if (mode.flush_inputs) {
    s1 = norn_float_flush(format, s1);
    s2 = norn_float_flush(format, s2);
  }
  bool negative = norn_float_is_negative(format, s1) != norn_float_is_negative(format, s2);
  bool zero1 = norn_float_is_zero(format, s1), zero2 = norn_float_is_zero(format, s2);
  bool infinite1 = norn_float_is_infinite(format, s1);
  bool infinite2 = norn_float_is_infinite(format, s2);
  if (norn_float_is_nan(format, s2))
    return make_quiet(format, s2);
  if (norn_float_is_nan(format, s1))
    return make_quiet(format, s1);
  if (zero1 && zero2)
    return norn_float_quiet_nan(format);
  if (infinite1 && infinite2)
    return with_sign(format, norn_float_quiet_nan(format), true);
  if (zero1 || infinite2)
    return norn_float_infinity(format, negative);
  if (infinite1 || zero2)
    return with_sign(format, 0, negative);
  if (biased_exponent(format, s2) - biased_exponent(format, s1) < limits->underflow) {
    uint64_t one = norn_float_one(format, negative);
    return norn_float_ldexp(format, mode, one, 2 * limits->underflow);
  }
  if (norn_float_is_nan(format, s0)) {
    uint64_t largest = norn_float_largest(format, negative);
    return norn_float_ldexp(format, mode, largest, 1);
  }
  return with_sign(format, s0, negative);
}

#define TWO_OVER_PI_BITS 1201

/* The binary digits of 2/pi after the point; the first digit is the top bit. */
static const uint32_t two_over_pi[38] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

uint64_t
norn_gcn_trig_preop(uint64_t s0, unsigned segment) {
  const NornFloatMode truncate = {NORN_ROUND_ZERO, false, false};
  int exponent = biased_exponent(NORN_FLOAT_64, s0);
  unsigned shift = segment * 53 + (exponent > 1077 ? (unsigned)exponent - 1077 : 0);
  uint64_t bits = 0;
  for (unsigned i = shift; i < shift + 53; i++) {
    bits <<= 1;
    if (i < TWO_OVER_PI_BITS)
      bits |= two_over_pi[i / 32] >> (31 - i % 32) & 1;
  }
  int scale = -53 - (int)shift + (exponent >= 1968 ? 128 : 0);
  uint64_t value = norn_float_from_int(NORN_FLOAT_64, truncate, bits, 64, false);
  return norn_float_ldexp(NORN_FLOAT_64, truncate, value, scale);
}
