/* Elementary functions of floats, computed by those of the host. */
#include "ir/numeric.h"

#include <math.h>

static double
host_operand(NornFloatFormat format, NornFloatMode mode, uint64_t a) {
  return norn_float_to_double(format, mode.flush_inputs ? norn_float_flush(format, a) : a);
}

static uint64_t
host_result(NornFloatFormat format, NornFloatMode mode, double value) {
  uint64_t bits = norn_float_from_double(format, value);
  return mode.flush_outputs ? norn_float_flush(format, bits) : bits;
}

uint64_t
norn_float_reciprocal_sqrt(NornFloatFormat format, NornFloatMode mode, uint64_t a) {
  return host_result(format, mode, 1.0 / sqrt(host_operand(format, mode, a)));
}

uint64_t
norn_float_exp2(NornFloatFormat format, NornFloatMode mode, uint64_t a) {
  return host_result(format, mode, exp2(host_operand(format, mode, a)));
}

uint64_t
norn_float_log2(NornFloatFormat format, NornFloatMode mode, uint64_t a) {
  return host_result(format, mode, log2(host_operand(format, mode, a)));
}

uint64_t
norn_float_sin(NornFloatFormat format, NornFloatMode mode, uint64_t a) {
  return host_result(format, mode, sin(host_operand(format, mode, a)));
}

uint64_t
norn_float_cos(NornFloatFormat format, NornFloatMode mode, uint64_t a) {
  return host_result(format, mode, cos(host_operand(format, mode, a)));
}

uint64_t
norn_float_pow(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  double base = host_operand(format, mode, a);
  double exponent = host_operand(format, mode, b);
  if (base < 0 && exponent != 0)
    return norn_float_quiet_nan(format);
  return host_result(format, mode, pow(fabs(base), exponent));
}
