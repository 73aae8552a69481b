/* The arithmetic on bit patterns compared with the host: all of binary16 if an operation has one
 * operand, edge values and random pairs otherwise. The host uses each rounding direction only
 * inside the test; flush modes make the library use its general path where it would otherwise
 * use the host. */
#include "ir/numeric.h"

#include "ir/random.h"
#include "unit.h"
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Check records every assertion that passes with a system call; for millions of assertions, use
 * one that does not. */
#define CHECK_EQUAL(got, expected)                                                                 \
  do {                                                                                             \
    unsigned long long got_ = (unsigned long long)(got);                                           \
    unsigned long long expected_ = (unsigned long long)(expected);                                 \
    if (got_ != expected_)                                                                         \
      ck_abort_msg("%s is %#llx, not %#llx", #got, got_, expected_);                               \
  } while (0)

#define F16 NORN_FLOAT_16
#define F32 NORN_FLOAT_32
#define F64 NORN_FLOAT_64

#define DIRECTIONS 4
static const NornRoundMode directions[] = {NORN_ROUND_NEAREST_EVEN, NORN_ROUND_UP, NORN_ROUND_DOWN,
                                           NORN_ROUND_ZERO};
static const int host_directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

/* In rounding directions other than to nearest, valgrind's results differ slightly from the
 * hardware's, so a quick run, which is used under valgrind, skips them. */
static unsigned
direction_count(void) {
  return getenv("NORN_TEST_QUICK") ? 1 : DIRECTIONS;
}

static const uint32_t edges32[] = {
    0x00000000, 0x00000001, 0x00000002, 0x00400000, 0x007FFFFF, 0x00800000, 0x00800001, 0x00FFFFFF,
    0x01000000, 0x33800000, 0x34000000, 0x3E800000, 0x3EFFFFFF, 0x3F000000, 0x3F000001, 0x3F7FFFFF,
    0x3F800000, 0x3F800001, 0x3FC00000, 0x40000000, 0x40200000, 0x4B000000, 0x4B000001, 0x4B7FFFFF,
    0x4B800000, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000, 0x5F000000, 0x5F800000, 0x7E800000,
    0x7F000000, 0x7F7FFFFE, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF};
static const uint64_t edges64[] = {
    0x0000000000000000, 0x0000000000000001, 0x0008000000000000, 0x000FFFFFFFFFFFFF,
    0x0010000000000000, 0x0010000000000001, 0x001FFFFFFFFFFFFF, 0x3CA0000000000000,
    0x3CB0000000000000, 0x3FE0000000000000, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000000,
    0x3FF0000000000001, 0x3FF8000000000000, 0x4340000000000000, 0x433FFFFFFFFFFFFF,
    0x7FD0000000000000, 0x7FE0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
    0x7FF0000000000001, 0x7FF8000000000000};
#define EDGES32 (sizeof edges32 / sizeof edges32[0])
#define EDGES64 (sizeof edges64 / sizeof edges64[0])

static uint64_t random_state = 0x9E3779B97F4A7C15;

static uint64_t
random_bits(void) {
  return norn_random_next(&random_state);
}

/* An edge value half of the time, with a random sign. */
static uint64_t
random_operand(NornFloatFormat format) {
  uint64_t r = random_bits();
  if (format == F32)
    return r & 1 ? (uint32_t)(r >> 32) : edges32[(r >> 8) % EDGES32] | (r >> 63 << 31);
  return r & 1 ? random_bits() : edges64[(r >> 8) % EDGES64] | (r >> 63 << 63);
}

/* Within a few binades of B, so that sums cancel. */
static uint64_t
random_neighbor(NornFloatFormat format, uint64_t b) {
  uint64_t r = random_bits();
  return b ^ (format == F32 ? r & 0x81FFFFFF : r & 0x803FFFFFFFFFFFFF);
}

static NornFloatMode
mode_of(NornRoundMode round) {
  return (NornFloatMode){round, false, false};
}

static float
as_float(uint64_t bits) {
  uint32_t word = (uint32_t)bits;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static double
as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t
of_float(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return value != value ? 0x7FC00000 : word;
}

static uint64_t
of_double(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return value != value ? 0x7FF8000000000000 : word;
}

typedef uint64_t (*Operation)(NornFloatFormat, NornFloatMode, uint64_t, uint64_t, uint64_t);
typedef float (*HostFloat)(float, float, float);
typedef double (*HostDouble)(double, double, double);

/* clang-format off */
#define HOST(name, expression_f, expression_d)                                                     \
  static float host_f_##name(volatile float a, volatile float b, volatile float c)                 \
  { (void)b, (void)c; volatile float r = expression_f; return r; }                                                       \
  static double host_d_##name(volatile double a, volatile double b, volatile double c)             \
  { (void)b, (void)c; volatile double r = expression_d; return r; }
#define UNARY(name, function) static uint64_t                                                      \
  op_##name(NornFloatFormat f, NornFloatMode m, uint64_t a, uint64_t b, uint64_t c)                \
  { (void)b, (void)c; return function(f, m, a); }
#define BINARY(name, function) static uint64_t                                                     \
  op_##name(NornFloatFormat f, NornFloatMode m, uint64_t a, uint64_t b, uint64_t c)                \
  { (void)c; return function(f, m, a, b); }
#define TERNARY(name, function) static uint64_t                                                    \
  op_##name(NornFloatFormat f, NornFloatMode m, uint64_t a, uint64_t b, uint64_t c)                \
  { return function(f, m, a, b, c); }
HOST(add, a + b, a + b) BINARY(add, norn_float_add)
HOST(sub, a - b, a - b) BINARY(sub, norn_float_subtract)
HOST(mul, a * b, a * b) BINARY(mul, norn_float_multiply)
HOST(div, a / b, a / b) BINARY(div, norn_float_divide)
HOST(sqrt, sqrtf(a), sqrt(a)) UNARY(sqrt, norn_float_sqrt)
HOST(fma, fmaf(a, b, c), fma(a, b, c)) TERNARY(fma, norn_float_fma)
    /* clang-format on */

    static const struct {
  const char *name;
  Operation operation;
  HostFloat host_float;
  HostDouble host_double;
} operations[] = {
    {"add", op_add, host_f_add, host_d_add},     {"sub", op_sub, host_f_sub, host_d_sub},
    {"mul", op_mul, host_f_mul, host_d_mul},     {"div", op_div, host_f_div, host_d_div},
    {"sqrt", op_sqrt, host_f_sqrt, host_d_sqrt}, {"fma", op_fma, host_f_fma, host_d_fma},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static uint64_t
host_result(unsigned op, NornFloatFormat format, unsigned direction, uint64_t a, uint64_t b,
            uint64_t c) {
  fesetround(host_directions[direction]);
  uint64_t result =
      format == F32
          ? of_float(operations[op].host_float(as_float(a), as_float(b), as_float(c)))
          : of_double(operations[op].host_double(as_double(a), as_double(b), as_double(c)));
  fesetround(FE_TONEAREST);
  return result;
}

static void
check_operation(unsigned op, NornFloatFormat format, uint64_t a, uint64_t b, uint64_t c) {
  for (unsigned d = 0; d < direction_count(); d++) {
    uint64_t expected = host_result(op, format, d, a, b, c);
    uint64_t got = operations[op].operation(format, mode_of(directions[d]), a, b, c);
    if (got != expected)
      ck_abort_msg(
          "%s, format %d, direction %u: %016llx %016llx %016llx gives %016llx, not %016llx",
          operations[op].name, (int)format, d, (unsigned long long)a, (unsigned long long)b,
          (unsigned long long)c, (unsigned long long)got, (unsigned long long)expected);
  }
  if (direction_count() < DIRECTIONS)
    return;
  /* The general path in nearest even, which is used if outputs are flushed. */
  uint64_t expected = norn_float_flush(format, host_result(op, format, 0, a, b, c));
  NornFloatMode mode = {NORN_ROUND_NEAREST_EVEN, false, true};
  CHECK_EQUAL(operations[op].operation(format, mode, a, b, c), expected);
}

START_TEST(matches_the_host_on_edges) {
  for (unsigned op = 0; op < OPERATIONS; op++)
    for (unsigned i = 0; i < 2 * EDGES32; i++)
      for (unsigned j = 0; j < 2 * EDGES32; j++)
        check_operation(op, F32, edges32[i / 2] | (uint64_t)(i & 1) << 31,
                        edges32[j / 2] | (uint64_t)(j & 1) << 31, random_operand(F32));
  for (unsigned op = 0; op < OPERATIONS; op++)
    for (unsigned i = 0; i < 2 * EDGES64; i++)
      for (unsigned j = 0; j < 2 * EDGES64; j++)
        check_operation(op, F64, edges64[i / 2] | (uint64_t)(i & 1) << 63,
                        edges64[j / 2] | (uint64_t)(j & 1) << 63, random_operand(F64));
}
END_TEST

START_TEST(matches_the_host_on_random_values) {
  for (unsigned n = 0; n < unit_effort(20000); n++)
    for (unsigned op = 0; op < OPERATIONS; op++)
      for (NornFloatFormat format = F32; format <= F64; format++) {
        uint64_t a = random_operand(format);
        uint64_t b = n & 1 ? random_operand(format) : random_neighbor(format, a);
        uint64_t c = random_operand(format);
        if (n % 4 == 0) /* nearly -a*b, so that fma cancels */
          c = random_neighbor(format, norn_float_multiply(format, mode_of(0), a, b)) ^
              norn_float_sign_bit(format);
        check_operation(op, format, a, b, c);
      }
}
END_TEST

/* Rounds an exact double to binary16 as the standard defines it, by searching its neighbors. */
static uint64_t
half_of_double(double value, NornRoundMode round) {
  if (value != value)
    return 0x7E00;
  uint64_t sign = signbit(value) ? 0x8000 : 0;
  double magnitude = fabs(value);
  uint64_t low = 0;
  for (uint64_t bit = 0x4000; bit; bit >>= 1)
    if ((low | bit) <= 0x7C00 && norn_float_to_double(F16, low | bit) <= magnitude)
      low |= bit;
  if (low == 0x7C00 || norn_float_to_double(F16, low) == magnitude)
    return sign | low;
  double above = low == 0x7BFF ? 65536.0 : norn_float_to_double(F16, low + 1);
  double below_gap = magnitude - norn_float_to_double(F16, low);
  double above_gap = above - magnitude;
  bool up = false;
  switch (round) {
  case NORN_ROUND_NEAREST_EVEN:
    up = above_gap < below_gap || (above_gap == below_gap && (low & 1));
    break;
  case NORN_ROUND_NEAREST_AWAY:
    up = above_gap <= below_gap;
    break;
  case NORN_ROUND_UP:
    up = !sign;
    break;
  case NORN_ROUND_DOWN:
    up = sign != 0;
    break;
  case NORN_ROUND_ZERO:
    break;
  }
  return sign | (low + up);
}

static double
integral_of(double x, NornRoundMode direction) {
  switch (direction) {
  case NORN_ROUND_NEAREST_EVEN:
    return rint(x);
  case NORN_ROUND_UP:
    return ceil(x);
  case NORN_ROUND_DOWN:
    return floor(x);
  case NORN_ROUND_ZERO:
    return trunc(x);
  case NORN_ROUND_NEAREST_AWAY:
    break;
  }
  return round(x);
}

START_TEST(rounds_to_integral_values) {
  for (unsigned n = 0; n < unit_effort(100000); n++)
    for (int direction = 0; direction <= NORN_ROUND_NEAREST_AWAY; direction++) {
      uint64_t a = random_operand(F64);
      if (n & 1) /* a magnitude with a fraction to round */
        a = (a & 0x800FFFFFFFFFFFFF) | (uint64_t)(1020 + random_bits() % 56) << 52;
      uint64_t expected = of_double(integral_of(as_double(a), direction));
      CHECK_EQUAL(norn_float_round_to_integral(F64, mode_of(direction), a), expected);
      uint64_t s = norn_float_convert(F64, F32, mode_of(NORN_ROUND_ZERO), a);
      expected = of_float((float)integral_of((double)as_float(s), direction));
      CHECK_EQUAL(norn_float_round_to_integral(F32, mode_of(direction), s), expected);
    }
}
END_TEST

START_TEST(half_to_double_is_exact_for_all) {
  for (uint64_t a = 0; a < 0x10000; a++) {
    int field = (int)(a >> 10 & 31);
    double magnitude = field == 0    ? ldexp((double)(a & 1023), -24)
                       : field == 31 ? (a & 1023 ? NAN : INFINITY)
                                     : ldexp((double)((a & 1023) | 1024), field - 25);
    double expected = a & 0x8000 ? -magnitude : magnitude;
    CHECK_EQUAL(of_double(norn_float_to_double(F16, a)), of_double(expected));
    CHECK_EQUAL(norn_float_convert(F16, F32, mode_of(0), a), of_float((float)expected));
    uint64_t back = norn_float_is_nan(F16, a) ? 0x7E00 : a;
    CHECK_EQUAL(norn_float_from_double(F16, expected), back);
    CHECK_EQUAL(norn_float_canonical(F16, a), back);
  }
}
END_TEST

START_TEST(half_unary_operations_for_all) {
  for (uint64_t a = 0; a < 0x10000; a++)
    for (int round = 0; round <= NORN_ROUND_NEAREST_AWAY; round++) {
      double x = norn_float_to_double(F16, a);
      NornFloatMode mode = mode_of(round);
      double integral = integral_of(x, round);
      CHECK_EQUAL(norn_float_round_to_integral(F16, mode, a), half_of_double(integral, 0));
      CHECK_EQUAL(norn_float_sqrt(F16, mode, a), half_of_double(sqrt(x), round));
      double s16 = x != x ? 0 : fmin(fmax(integral, -32768.0), 32767.0);
      CHECK_EQUAL(norn_float_to_int(F16, mode, a, 16, true), (uint16_t)(int)s16);
      double u8 = x != x ? 0 : fmin(fmax(integral, 0.0), 255.0);
      CHECK_EQUAL(norn_float_to_int(F16, mode, a, 8, false), (uint64_t)u8);
      int exponent, expected_exponent = 0;
      uint64_t fraction = norn_float_frexp(F16, a, &exponent);
      double expected = isfinite(x) ? frexp(x, &expected_exponent) : x;
      CHECK_EQUAL(fraction, half_of_double(expected, 0));
      CHECK_EQUAL(exponent, expected_exponent);
    }
}
END_TEST

START_TEST(half_binary_operations) {
  for (unsigned n = 0; n < unit_effort(300000); n++) {
    uint64_t r = random_bits();
    uint64_t a = r & 0xFFFF;
    uint64_t b = n & 1 ? r >> 16 & 0xFFFF : (a ^ (r >> 16 & 0x83FF));
    double x = norn_float_to_double(F16, a);
    double y = norn_float_to_double(F16, b);
    for (int round = 0; round <= NORN_ROUND_NEAREST_AWAY; round++) {
      NornFloatMode mode = mode_of(round);
      double sum = x + y; /* exact except for the sign of a canceled zero */
      if (sum == 0 && (x != 0 || signbit(x) != signbit(y)))
        sum = round == NORN_ROUND_DOWN ? -0.0 : 0.0;
      CHECK_EQUAL(norn_float_add(F16, mode, a, b), half_of_double(sum, round));
      CHECK_EQUAL(norn_float_multiply(F16, mode, a, b), half_of_double(x * y, round));
      CHECK_EQUAL(norn_float_divide(F16, mode, a, b), half_of_double(x / y, round));
    }
  }
}
END_TEST

START_TEST(half_fma_rounds_once) {
  /* 0x3C01^2 = 1 + 2^-9 + 2^-20; minus 1 leaves 2^-9 + 2^-20, rounded to 11 bits. */
  CHECK_EQUAL(norn_float_fma(F16, mode_of(0), 0x3C01, 0x3C01, 0xBC00), 0x1800);
  CHECK_EQUAL(norn_float_fma(F16, mode_of(NORN_ROUND_UP), 0x3C01, 0x3C01, 0xBC00), 0x1801);
  /* The smallest subnormal breaks a tie that is left by a product of 22 bits. */
  CHECK_EQUAL(norn_float_fma(F16, mode_of(0), 0x3C01, 0x6800, 0x0000), 0x6801);
  CHECK_EQUAL(norn_float_fma(F16, mode_of(0), 0x3E00, 0x3C01, 0x0001), 0x3E02);
  CHECK_EQUAL(norn_float_fma(F16, mode_of(0), 0x3E00, 0x3C01, 0x8001), 0x3E01);
  CHECK_EQUAL(norn_float_fma(F16, mode_of(0), 0x3E00, 0x3C01, 0x0000), 0x3E02);
  for (unsigned n = 0; n < unit_effort(300000); n++) {
    uint64_t r = random_bits();
    uint64_t a = r & 0xFFFF, b = r >> 16 & 0xFFFF, c = r >> 32 & 0xFFFF;
    double product = norn_float_to_double(F16, a) * norn_float_to_double(F16, b);
    double addend = norn_float_to_double(F16, c);
    double sum = product + addend;
    /* If the sum is exact in 53 bits, a single rounding of it is correct. */
    if (sum == 0 || sum - product != addend || sum - addend != product)
      continue;
    for (int round = 0; round <= NORN_ROUND_NEAREST_AWAY; round++)
      CHECK_EQUAL(norn_float_fma(F16, mode_of(round), a, b, c), half_of_double(sum, round));
  }
}
END_TEST

START_TEST(converts_between_floats) {
  for (unsigned n = 0; n < unit_effort(200000); n++) {
    uint64_t a = random_operand(F64);
    if (n & 1) /* in the range of binary32 and slightly beyond */
      a = (a & 0x800FFFFFFFFFFFFF) | (uint64_t)(1023 - 155 + random_bits() % 290) << 52;
    for (unsigned d = 0; d < direction_count(); d++) {
      fesetround(host_directions[d]);
      volatile double x = as_double(a);
      volatile float y = (float)x;
      fesetround(FE_TONEAREST);
      CHECK_EQUAL(norn_float_convert(F64, F32, mode_of(directions[d]), a), of_float(y));
      CHECK_EQUAL(norn_float_convert(F64, F16, mode_of(directions[d]), a),
                  half_of_double(x, directions[d]));
    }
    uint64_t s = random_operand(F32);
    CHECK_EQUAL(norn_float_convert(F32, F64, mode_of(0), s), of_double((double)as_float(s)));
  }
  CHECK_EQUAL(norn_float_convert(F32, F16, mode_of(0), 0x477FE000), 0x7BFF);
  CHECK_EQUAL(norn_float_convert(F32, F16, mode_of(0), 0x477FF000), 0x7C00);
  CHECK_EQUAL(norn_float_convert(F32, F16, mode_of(NORN_ROUND_ZERO), 0x7F7FFFFF), 0x7BFF);
  CHECK_EQUAL(norn_float_convert(F32, F16, mode_of(0), 0x7F800001), 0x7E00);
}
END_TEST

START_TEST(converts_between_floats_and_integers) {
  for (unsigned n = 0; n < unit_effort(100000); n++) {
    uint64_t v = random_bits() >> random_bits() % 64;
    for (unsigned d = 0; d < direction_count(); d++) {
      NornFloatMode mode = mode_of(directions[d]);
      fesetround(host_directions[d]);
      volatile uint64_t u = v;
      volatile float uf = (float)u, sf = (float)(int64_t)u;
      volatile double ud = (double)u, sd = (double)(int64_t)u;
      fesetround(FE_TONEAREST);
      /* Hosts without an unsigned conversion implement it with signed ones: rely only on exact
       * steps. */
      if (directions[d] == NORN_ROUND_NEAREST_EVEN || v >> 63 == 0) {
        CHECK_EQUAL(norn_float_from_int(F32, mode, v, 64, false), of_float(uf));
        CHECK_EQUAL(norn_float_from_int(F64, mode, v, 64, false), of_double(ud));
      }
      CHECK_EQUAL(norn_float_from_int(F32, mode, v, 64, true), of_float(sf));
      CHECK_EQUAL(norn_float_from_int(F64, mode, v, 64, true), of_double(sd));
      double whole = integral_of(as_double(v), directions[d]);
      uint64_t expected = whole != whole     ? 0
                          : whole <= -0x1p63 ? UINT64_C(1) << 63
                          : whole >= 0x1p63  ? INT64_MAX
                                             : (uint64_t)(int64_t)whole;
      CHECK_EQUAL(norn_float_to_int(F64, mode, v, 64, true), expected);
      expected = whole != whole || whole <= 0 ? 0 : whole >= 0x1p32 ? UINT32_MAX : (uint64_t)whole;
      CHECK_EQUAL(norn_float_to_int(F64, mode, v, 32, false), expected);
    }
  }
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(0), 0xBE99999A, 32, false), 0); /* -0.3 */
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(0), 0x7FC00000, 32, true), 0);
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(0), 0x7F800000, 32, true), 0x7FFFFFFF);
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(0), 0xFF800000, 32, true), 0x80000000);
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(0), 0x7F800000, 8, false), 0xFF);
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(0), 0xC3008000, 8, true), 0x80); /* -128.5 */
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(0), 0x40200000, 32, true), 2);   /* 2.5 */
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(NORN_ROUND_NEAREST_AWAY), 0x40200000, 32, true), 3);
  CHECK_EQUAL(norn_float_from_int(F16, mode_of(0), 65519, 16, false), 0x7BFF);
  CHECK_EQUAL(norn_float_from_int(F16, mode_of(0), 65520, 16, false), 0x7C00);
  CHECK_EQUAL(norn_float_from_int(F16, mode_of(NORN_ROUND_ZERO), 65535, 16, false), 0x7BFF);
  CHECK_EQUAL(norn_float_from_int(F16, mode_of(0), 0x80, 8, true), 0xD800); /* -128 */
}
END_TEST

START_TEST(flushes_subnormals) {
  NornFloatMode flush = NORN_FLOAT_MODE_FLUSH;
  for (uint64_t a = 0; a < 0x10000; a++)
    CHECK_EQUAL(norn_float_add(F16, flush, a, 0x8000), norn_float_is_nan(F16, a) ? 0x7E00
                                                       : norn_float_is_subnormal(F16, a)
                                                           ? a & 0x8000
                                                           : a);
  NornFloatMode outputs = {NORN_ROUND_NEAREST_EVEN, false, true};
  NornFloatMode inputs = {NORN_ROUND_NEAREST_EVEN, true, false};
  /* least normal / 2 */
  CHECK_EQUAL(norn_float_multiply(F32, outputs, 0x80800000, 0x3F000000), 0x80000000);
  CHECK_EQUAL(norn_float_multiply(F32, inputs, 0x80800000, 0x3F000000), 0x80400000);
  CHECK_EQUAL(norn_float_multiply(F32, inputs, 0x80400000, 0x7F000000), 0x80000000);
  CHECK_EQUAL(norn_float_multiply(F32, outputs, 0x80400000, 0x7F000000), 0xBF800000);
  CHECK_EQUAL(norn_float_sqrt(F64, flush, 0x8000000000000001), 0x8000000000000000);
  CHECK_EQUAL(norn_float_divide(F32, flush, 0x3F800000, 0x00000001), 0x7F800000);
  CHECK_EQUAL(norn_float_minimum_number(F32, flush, 0x80000001, 0x3F800000), 0x80000000);
  CHECK_EQUAL(norn_float_minimum(F32, outputs, 0x80000001, 0x3F800000), 0x80000000);
  CHECK_EQUAL(norn_float_exp2(F32, outputs, 0xC3150000), 0); /* 2^-149 */
  CHECK_EQUAL(norn_float_exp2(F32, inputs, 0xC3150000), 1);
  CHECK_EQUAL(norn_float_compare(F32, flush, 0x80000001, 0x00000001), NORN_RELATION_EQUAL);
  CHECK_EQUAL(norn_float_compare(F32, NORN_FLOAT_MODE_DEFAULT, 0x80000001, 0x00000001),
              NORN_RELATION_LESS);
  CHECK_EQUAL(norn_float_to_int(F32, (NornFloatMode){NORN_ROUND_UP, true, true}, 1, 32, true), 0);
  CHECK_EQUAL(norn_float_to_int(F32, mode_of(NORN_ROUND_UP), 1, 32, true), 1);
}
END_TEST

START_TEST(orders_all_halves) {
  static const uint64_t probes[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x3C00, 0xBC00, 0x7BFF,
                                    0x7C00, 0xFC00, 0x7C01, 0x7E00, 0xFE00, 0xFFFF, 0x7FFF};
  for (uint64_t a = 0; a < 0x10000; a++)
    for (unsigned i = 0; i < sizeof probes / sizeof probes[0]; i++) {
      uint64_t b = probes[i];
      double x = norn_float_to_double(F16, a), y = norn_float_to_double(F16, b);
      NornRelation expected = x < y    ? NORN_RELATION_LESS
                              : x > y  ? NORN_RELATION_GREATER
                              : x == y ? NORN_RELATION_EQUAL
                                       : NORN_RELATION_UNORDERED;
      NornFloatMode mode = NORN_FLOAT_MODE_DEFAULT;
      CHECK_EQUAL(norn_float_compare(F16, mode, a, b), expected);
      int sign_a = a >> 15 ? -1 : 1, sign_b = b >> 15 ? -1 : 1;
      int rank_a = sign_a * (int)(a & 0x7FFF) - (a >> 15 ? 1 : 0);
      int rank_b = sign_b * (int)(b & 0x7FFF) - (b >> 15 ? 1 : 0);
      CHECK_EQUAL(norn_float_total_less_equal(F16, a, b), rank_a <= rank_b);
      bool a_nan = x != x, b_nan = y != y;
      uint64_t low = rank_a <= rank_b ? a : b, high = rank_a <= rank_b ? b : a;
      CHECK_EQUAL(norn_float_minimum(F16, mode, a, b), a_nan || b_nan ? 0x7E00 : low);
      CHECK_EQUAL(norn_float_maximum(F16, mode, a, b), a_nan || b_nan ? 0x7E00 : high);
      uint64_t other = a_nan && b_nan ? 0x7E00 : a_nan ? b : a;
      bool any = a_nan || b_nan;
      CHECK_EQUAL(norn_float_minimum_number(F16, mode, a, b), any ? other : low);
      CHECK_EQUAL(norn_float_maximum_number(F16, mode, a, b), any ? other : high);
    }
}
END_TEST

START_TEST(scales_by_powers_of_two) {
  NornFloatMode mode = NORN_FLOAT_MODE_DEFAULT;
  for (unsigned n = 0; n < unit_effort(100000); n++) {
    uint64_t a = random_operand(F64);
    int scale = (int)(random_bits() % 5000) - 2500;
    CHECK_EQUAL(norn_float_ldexp(F64, mode, a, scale), of_double(ldexp(as_double(a), scale)));
    uint64_t s = random_operand(F32);
    scale /= 8;
    CHECK_EQUAL(norn_float_ldexp(F32, mode, s, scale), of_float(ldexpf(as_float(s), scale)));
  }
  CHECK_EQUAL(norn_float_ldexp(F32, mode, 0x3F800000, INT64_MAX), 0x7F800000);
  CHECK_EQUAL(norn_float_ldexp(F32, mode, 0xBF800000, INT64_MIN), 0x80000000);
  CHECK_EQUAL(norn_float_ldexp(F32, mode, 0x80000000, 1000), 0x80000000);
  CHECK_EQUAL(norn_float_ldexp(F64, mode, 1, INT64_MAX), 0x7FF0000000000000);
  /* (2^100 * 2^100 + 0) * 2^-200 is 1 although the product alone overflows binary32. */
  CHECK_EQUAL(norn_float_fma_scale(F32, mode, 0x71800000, 0x71800000, 0, -200), 0x3F800000);
  CHECK_EQUAL(norn_float_fma_scale(F32, mode, 0x3F800001, 0x3F800000, 0, -149), 0x00000001);
  CHECK_EQUAL(norn_float_fma_scale(F32, mode, 0x3FC00000, 0x3F800000, 0x80000000, -149), 2);
  CHECK_EQUAL(norn_float_fma_scale(F32, mode, 0x80000000, 0x3F800000, 0x80000000, 24), 0x80000000);
  /* 3/4 of the least number: the sum has one bit more than either. */
  CHECK_EQUAL(norn_float_fma_scale(F32, mode, 0x3FC00000, 0x3F800000, 0x3FC00000, -151), 1);
}
END_TEST

START_TEST(finds_exact_products) {
  uint64_t product;
  CHECK_EQUAL(norn_float_exact_product(F32, 0x40000000, 0x40400000, &product), true);
  CHECK_EQUAL(product, 0x40C00000);
  CHECK_EQUAL(norn_float_exact_product(F32, 0x40400000, 0x40400000, &product), false);
  CHECK_EQUAL(norn_float_normal_product(F32, 0x40400000, 0x40400000, &product), true);
  CHECK_EQUAL(norn_float_normal_product(F32, 0x40000000, 0x7F800000, &product), false);
  CHECK_EQUAL(norn_float_exact_product(F32, 0x71800000, 0x71800000, &product), false);
  CHECK_EQUAL(norn_float_exact_product(F32, 0xF1800000, 0x71800000, &product), false);
  /* The nearest float is normal, the product is not. */
  CHECK_EQUAL(norn_float_normal_product(F32, 0x00FFFFFF, 0x3F000000, &product), false);
}
END_TEST

START_TEST(classifies) {
  CHECK_EQUAL(norn_float_classify(F32, 0x80000000), NORN_FLOAT_CLASS_ZERO);
  CHECK_EQUAL(norn_float_classify(F32, 0x807FFFFF), NORN_FLOAT_CLASS_SUBNORMAL);
  CHECK_EQUAL(norn_float_classify(F32, 0x00800000), NORN_FLOAT_CLASS_NORMAL);
  CHECK_EQUAL(norn_float_classify(F32, 0xFF7FFFFF), NORN_FLOAT_CLASS_NORMAL);
  CHECK_EQUAL(norn_float_classify(F32, 0xFF800000), NORN_FLOAT_CLASS_INFINITE);
  CHECK_EQUAL(norn_float_classify(F32, 0x7FBFFFFF), NORN_FLOAT_CLASS_SIGNALING_NAN);
  CHECK_EQUAL(norn_float_classify(F32, 0xFFC00000), NORN_FLOAT_CLASS_QUIET_NAN);
  CHECK_EQUAL(norn_float_classify(F16, 0x7C01), NORN_FLOAT_CLASS_SIGNALING_NAN);
  CHECK_EQUAL(norn_float_classify(F64, 0x7FF8000000000000), NORN_FLOAT_CLASS_QUIET_NAN);
  CHECK_EQUAL(norn_float_is_power_of_two(F32, 0xC0000000), true);
  CHECK_EQUAL(norn_float_is_power_of_two(F32, 0x00800000), true);
  CHECK_EQUAL(norn_float_is_power_of_two(F32, 0x40400000), false);
  CHECK_EQUAL(norn_float_is_power_of_two(F32, 0x7F800000), false);
  CHECK_EQUAL(norn_float_is_power_of_two(F32, 0x80000000), false);
  CHECK_EQUAL(norn_float_quiet_nan(F16), 0x7E00);
  CHECK_EQUAL(norn_float_quiet_nan(F32), 0x7FC00000);
  CHECK_EQUAL(norn_float_quiet_nan(F64), 0x7FF8000000000000);
  CHECK_EQUAL(norn_float_infinity(F16, true), 0xFC00);
  CHECK_EQUAL(norn_float_largest(F32, false), 0x7F7FFFFF);
  CHECK_EQUAL(norn_float_one(F64, true), 0xBFF0000000000000);
  CHECK_EQUAL(norn_float_negate(F16, 0x7E01), 0xFE01);
  CHECK_EQUAL(norn_float_absolute(F32, 0xFFFFFFFF), 0x7FFFFFFF);
}
END_TEST

START_TEST(elementary_functions) {
  NornFloatMode mode = NORN_FLOAT_MODE_DEFAULT;
  CHECK_EQUAL(norn_float_exp2(F32, mode, 0x40400000), 0x41000000); /* 2^3 = 8 */
  CHECK_EQUAL(norn_float_exp2(F32, mode, 0xFF800000), 0);
  CHECK_EQUAL(norn_float_exp2(F16, mode, 0x4C00), 0x7C00);         /* 2^16 */
  CHECK_EQUAL(norn_float_exp2(F32, mode, 0xC3150000), 0x00000001); /* 2^-149 */
  CHECK_EQUAL(norn_float_exp2(F32, NORN_FLOAT_MODE_FLUSH, 0xC3150000), 0);
  CHECK_EQUAL(norn_float_log2(F32, mode, 0x41000000), 0x40400000);
  CHECK_EQUAL(norn_float_log2(F32, mode, 0x80000000), 0xFF800000);
  CHECK_EQUAL(norn_float_log2(F32, mode, 0xBF800000), 0x7FC00000);
  CHECK_EQUAL(norn_float_reciprocal_sqrt(F32, mode, 0x40800000), 0x3F000000);
  CHECK_EQUAL(norn_float_reciprocal_sqrt(F32, mode, 0x80000000), 0xFF800000);
  CHECK_EQUAL(norn_float_sin(F32, mode, 0x80000000), 0x80000000);
  CHECK_EQUAL(norn_float_sin(F32, mode, 0x7F800000), 0x7FC00000);
  CHECK_EQUAL(norn_float_cos(F64, mode, 0), 0x3FF0000000000000);
  CHECK_EQUAL(norn_float_sin(F32, mode, 0x3F800000), 0x3F576AA4);
  CHECK_EQUAL(norn_float_pow(F32, mode, 0x40000000, 0x41200000), 0x44800000); /* 2^10 */
  CHECK_EQUAL(norn_float_pow(F32, mode, 0xC0000000, 0x40000000), 0x7FC00000);
  CHECK_EQUAL(norn_float_pow(F32, mode, 0, 0), 0x3F800000);
  CHECK_EQUAL(norn_float_pow(F32, mode, 0xBF800000, 0x80000000), 0x3F800000);
  CHECK_EQUAL(norn_float_pow(F32, mode, 0x3F800000, 0x7FC00000), 0x3F800000);
  CHECK_EQUAL(norn_float_pow(F32, mode, 0x80000000, 0x40400000), 0);
  CHECK_EQUAL(norn_float_pow(F32, mode, 0x80000000, 0xC0400000), 0x7F800000);
}
END_TEST

/* Every pair of bytes compared with arithmetic in a wide type. */
START_TEST(integer_helpers_for_all_bytes) {
  for (int a = 0; a < 256; a++)
    for (int b = 0; b < 256; b++) {
      int s = (int8_t)a, t = (int8_t)b;
      int clamp = 0;
#define CLAMPED(value, low, high)                                                                  \
  (clamp = (value), clamp < (low) ? (low) : clamp > (high) ? (high) : clamp)
      CHECK_EQUAL(norn_int_add_saturate(a, b, 8, false), CLAMPED(a + b, 0, 255));
      CHECK_EQUAL(norn_int_add_saturate(a, b, 8, true), (uint8_t)CLAMPED(s + t, -128, 127));
      CHECK_EQUAL(norn_int_subtract_saturate(a, b, 8, false), CLAMPED(a - b, 0, 255));
      CHECK_EQUAL(norn_int_subtract_saturate(a, b, 8, true), (uint8_t)CLAMPED(s - t, -128, 127));
      CHECK_EQUAL(norn_int_multiply_saturate(a, b, 8, false), CLAMPED(a * b, 0, 255));
      CHECK_EQUAL(norn_int_multiply_saturate(a, b, 8, true), (uint8_t)CLAMPED(s * t, -128, 127));
      CHECK_EQUAL(norn_int_multiply_high(a, b, 8, false), a * b >> 8);
      CHECK_EQUAL(norn_int_multiply_high(a, b, 8, true), (uint8_t)((s * t) >> 8));
      CHECK_EQUAL(norn_int_half_add(a, b, 8, false, false), (a + b) >> 1);
      CHECK_EQUAL(norn_int_half_add(a, b, 8, false, true), (a + b + 1) >> 1);
      CHECK_EQUAL(norn_int_half_add(a, b, 8, true, false), (uint8_t)((s + t) >> 1));
      CHECK_EQUAL(norn_int_half_add(a, b, 8, true, true), (uint8_t)((s + t + 1) >> 1));
      int left = b % 8;
      CHECK_EQUAL(norn_int_rotate_left(a, b, 8), (uint8_t)(a << left | a >> (8 - left)));
      CHECK_EQUAL(norn_int_rotate_right(a, b, 8), (uint8_t)(a >> left | a << (8 - left)));
#undef CLAMPED
    }
}
END_TEST

START_TEST(integer_helpers_on_edges) {
  CHECK_EQUAL(norn_int_add_saturate(UINT64_MAX, 1, 64, false), UINT64_MAX);
  CHECK_EQUAL(norn_int_add_saturate(INT64_MAX, 1, 64, true), INT64_MAX);
  CHECK_EQUAL(norn_int_add_saturate(1ull << 63, UINT64_MAX, 64, true), 1ull << 63);
  CHECK_EQUAL(norn_int_subtract_saturate(0, 1ull << 63, 64, true), INT64_MAX);
  CHECK_EQUAL(norn_int_multiply_saturate(UINT64_MAX, UINT64_MAX, 64, false), UINT64_MAX);
  CHECK_EQUAL(norn_int_multiply_saturate(1ull << 63, 1ull << 63, 64, true), INT64_MAX);
  CHECK_EQUAL(norn_int_multiply_high(UINT64_MAX, UINT64_MAX, 64, false), UINT64_MAX - 1);
  CHECK_EQUAL(norn_int_multiply_high(UINT64_MAX, UINT64_MAX, 64, true), 0);
  CHECK_EQUAL(norn_int_multiply_high(0x80000000, 0x80000000, 32, true), 0x40000000);
  CHECK_EQUAL(norn_int_half_add(UINT64_MAX, UINT64_MAX, 64, false, true), UINT64_MAX);
  CHECK_EQUAL(norn_int_half_add(1ull << 63, 1ull << 63, 64, true, false), 1ull << 63);
  CHECK_EQUAL(norn_int_absolute(0x80000000, 32), 0x80000000);
  CHECK_EQUAL(norn_int_absolute(0xFFFF, 16), 1);
  CHECK_EQUAL(norn_int_saturate(0x80000000, 32, true, 8, true), 0x80);
  CHECK_EQUAL(norn_int_saturate(0xFFFFFFFF, 32, true, 16, false), 0);
  CHECK_EQUAL(norn_int_saturate(0xFFFFFFFF, 32, false, 16, true), 0x7FFF);
  CHECK_EQUAL(norn_int_saturate(UINT64_MAX, 64, false, 64, true), INT64_MAX);
  CHECK_EQUAL(norn_int_rotate_left(0x80000001, 32, 32), 0x80000001);
  CHECK_EQUAL(norn_int_rotate_right(1, 1, 64), 1ull << 63);
  CHECK_EQUAL(norn_int_bit_reverse(1, 16), 0x8000);
  CHECK_EQUAL(norn_int_bit_reverse(0x12345678, 32), 0x1E6A2C48);
  CHECK_EQUAL(norn_int_population_count(0xFF0F, 8), 4);
  CHECK_EQUAL(norn_int_leading_zeros(0, 32), 32);
  CHECK_EQUAL(norn_int_leading_zeros(1, 8), 7);
  CHECK_EQUAL(norn_int_leading_zeros(UINT64_MAX, 64), 0);
  CHECK_EQUAL(norn_int_trailing_zeros(0, 16), 16);
  CHECK_EQUAL(norn_int_trailing_zeros(0x8000, 16), 15);
  CHECK_EQUAL(norn_int_sign_extend(0x80, 8), -128);
  CHECK_EQUAL(norn_int_sign_extend(1, 1), -1);
  CHECK_EQUAL(norn_int_sign_extend(UINT64_MAX, 64), -1);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("numeric");
  TCase *tests = tcase_create("numeric");
  tcase_set_timeout(tests, 100);
  tcase_add_test(tests, matches_the_host_on_edges);
  tcase_add_test(tests, matches_the_host_on_random_values);
  tcase_add_test(tests, rounds_to_integral_values);
  tcase_add_test(tests, half_to_double_is_exact_for_all);
  tcase_add_test(tests, half_unary_operations_for_all);
  tcase_add_test(tests, half_binary_operations);
  tcase_add_test(tests, half_fma_rounds_once);
  tcase_add_test(tests, converts_between_floats);
  tcase_add_test(tests, converts_between_floats_and_integers);
  tcase_add_test(tests, flushes_subnormals);
  tcase_add_test(tests, orders_all_halves);
  tcase_add_test(tests, scales_by_powers_of_two);
  tcase_add_test(tests, finds_exact_products);
  tcase_add_test(tests, classifies);
  tcase_add_test(tests, elementary_functions);
  tcase_add_test(tests, integer_helpers_for_all_bytes);
  tcase_add_test(tests, integer_helpers_on_edges);
  suite_add_tcase(suite, tests);
  return suite;
}
