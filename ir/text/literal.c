/* Constants as text; see ir/text/literal.h.
 *
 * Decimal numbers are first converted to a double rounded to odd (toward zero, with the lowest bit
 * set if the result is inexact); rounding that to a narrower format is then correct. The shortest
 * decimal is found by trying increasing precisions, starting at the one at which every decimal
 * survives the round trip. */
#include "ir/text/literal.h"
#include "ir/numeric.h"
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No value needs a longer spelling. */
#define NUMBER_LENGTH_LIMIT 1024

static uint64_t
double_bits(double value) {
  return norn_float_from_double(NORN_FLOAT_64, value);
}

static NornFloatFormat
format_of(NornType type) {
  return type == NORN_TYPE_F16   ? NORN_FLOAT_16
         : type == NORN_TYPE_F32 ? NORN_FLOAT_32
                                 : NORN_FLOAT_64;
}

/* The decimal number rounded to odd. The caller's locale and rounding mode are restored. */
static uint64_t
decimal_to_odd(const char *text) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(plain);
  int mode = fegetround();
  fesetround(FE_TOWARDZERO);
  uint64_t low = double_bits(strtod(text, NULL));
  fesetround(*text == '-' ? FE_DOWNWARD : FE_UPWARD);
  uint64_t high = double_bits(strtod(text, NULL));
  fesetround(mode);
  uselocale(before);
  freelocale(plain);
  return low == high ? low : low | 1;
}

/* The correctly rounded float that a decimal stands for. */
static uint64_t
decimal_to_float(const char *text, NornType type) {
  if (type != NORN_TYPE_F64)
    return norn_float_convert(NORN_FLOAT_64, format_of(type), NORN_FLOAT_MODE_DEFAULT,
                              decimal_to_odd(text));
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(plain);
  uint64_t bits = double_bits(strtod(text, NULL));
  uselocale(before);
  freelocale(plain);
  return bits;
}

size_t
norn_print_decimal(char *out, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do
    digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  for (size_t i = 0; i < count; i++)
    out[i] = digits[count - 1 - i];
  return count;
}

size_t
norn_print_hexadecimal(char *out, uint64_t bits) {
  unsigned digits = 1;
  while (digits < 16 && bits >> (4 * digits))
    digits++;
  out[0] = '0';
  out[1] = 'x';
  for (unsigned i = 0; i < digits; i++)
    out[2 + i] = "0123456789ABCDEF"[bits >> 4 * (digits - 1 - i) & 15];
  return digits + 2;
}

static size_t
print_integer(char *out, unsigned width, uint64_t bits) {
  int64_t value = (int64_t)(bits << (64 - width)) >> (64 - width);
  if (value < -32768 || value > 65535)
    return norn_print_hexadecimal(out, bits);
  if (value >= 0)
    return norn_print_decimal(out, (uint64_t)value);
  *out = '-';
  return 1 + norn_print_decimal(out + 1, (uint64_t)-value);
}

/* Prints integers that are always exact, and numbers below a thousand with at most three decimals:
 * most of the numbers in shaders. They need no search, since decimals of up to six significant
 * digits are always the shortest. Returns 0 if the value is not such a number. */
static size_t
print_short_decimal(char *out, double value, NornType type, uint64_t bits) {
  if (fabs(value) < 1e7 && trunc(value) == value) {
    size_t length = signbit(value) ? 1 : 0;
    *out = '-';
    length += norn_print_decimal(out + length, (uint64_t)fabs(value));
    memcpy(out + length, ".0", 2);
    return length + 2;
  }
  double scaled = fabs(value) * 1000;
  if (!(scaled < 1e6) || type == NORN_TYPE_F16)
    return 0;
  uint64_t thousandths = (uint64_t)(scaled + 0.5);
  double back = (double)thousandths / 1000;
  if (norn_float_from_double(format_of(type), signbit(value) ? -back : back) != bits)
    return 0;
  char *start = out;
  if (signbit(value))
    *out++ = '-';
  out += norn_print_decimal(out, thousandths / 1000);
  unsigned fraction = thousandths % 1000;
  *out++ = '.';
  *out++ = (char)('0' + fraction / 100);
  if (fraction % 100)
    *out++ = (char)('0' + fraction / 10 % 10);
  if (fraction % 10)
    *out++ = (char)('0' + fraction % 10);
  return (size_t)(out - start);
}

static size_t
print_shortest(char *out, double value, NornType type, uint64_t bits) {
  static const struct {
    uint8_t first, last;
  } precisions[] = {[NORN_FLOAT_16] = {3, 5}, [NORN_FLOAT_32] = {6, 9}, [NORN_FLOAT_64] = {15, 17}};
  NornFloatFormat format = format_of(type);
  char text[NORN_LITERAL_SIZE];
  /* Subnormals have fewer digits than the format guarantees. */
  int first = norn_float_is_subnormal(format, bits) ? 1 : precisions[format].first;
  for (int precision = first; precision <= precisions[format].last; precision++) {
    char pattern[8];
    g_snprintf(pattern, sizeof pattern, "%%.%dg", precision);
    g_ascii_formatd(text, sizeof text, pattern, value);
    if (decimal_to_float(text, type) == bits)
      break;
  }
  size_t length = strlen(text);
  if (!strpbrk(text, ".e")) {
    memcpy(text + length, ".0", 2);
    length += 2;
  }
  memcpy(out, text, length);
  return length;
}

static size_t
print_float(char *out, NornType type, uint64_t bits) {
  NornFloatFormat format = format_of(type);
  if (norn_float_is_nan(format, bits)) {
    if (bits != norn_float_quiet_nan(format))
      return norn_print_hexadecimal(out, bits);
    memcpy(out, "nan", 3);
    return 3;
  }
  double value = norn_float_to_double(format, bits);
  if (isinf(value)) {
    memcpy(out, value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3);
    return value < 0 ? 4 : 3;
  }
  size_t length = print_short_decimal(out, value, type, bits);
  return length ? length : print_shortest(out, value, type, bits);
}

size_t
norn_print_literal(char *out, NornType type, uint64_t bits) {
  if (type >= NORN_TYPE_COUNT)
    return norn_print_hexadecimal(out, bits);
  const NornTypeInfo *info = &norn_types[type];
  if (type == NORN_TYPE_I1 && bits <= 1) {
    memcpy(out, bits ? "true" : "false", bits ? 4 : 5);
    return bits ? 4 : 5;
  }
  if (info->lanes == 1 && bits <= norn_type_mask(type)) {
    if (info->class == NORN_CLASS_FLOAT)
      return print_float(out, type, bits);
    if (info->class == NORN_CLASS_INT && type != NORN_TYPE_I1)
      return print_integer(out, info->lane_bits, bits);
  }
  return norn_print_hexadecimal(out, bits);
}

static bool
is_digit(const char *text, const char *end) {
  return text < end && *text >= '0' && *text <= '9';
}

/* Value of a hexadecimal digit, or -1. */
static int
hexadecimal_digit(const char *text, const char *end) {
  return text < end ? g_ascii_xdigit_value(*text) : -1;
}

static const char *
scan_hexadecimal(const char *at, const char *end, NornNumber *number) {
  number->is_hexadecimal = true;
  for (int digit; (digit = hexadecimal_digit(at, end)) >= 0; at++) {
    number->overflows |= number->magnitude >> 60 != 0;
    number->magnitude = number->magnitude << 4 | (unsigned)digit;
  }
  return at;
}

static const char *
scan_decimal(const char *at, const char *end, NornNumber *number) {
  for (; is_digit(at, end); at++) {
    unsigned digit = (unsigned)(*at - '0');
    if (number->magnitude > (UINT64_MAX - digit) / 10)
      number->overflows = true;
    number->magnitude = number->magnitude * 10 + digit;
  }
  if (at + 1 < end && *at == '.' && is_digit(at + 1, end)) {
    number->is_float = true;
    for (at++; is_digit(at, end); at++)
      ;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    const char *exponent = at + 1;
    if (exponent < end && (*exponent == '+' || *exponent == '-'))
      exponent++;
    if (is_digit(exponent, end)) {
      number->is_float = true;
      for (at = exponent; is_digit(at, end); at++)
        ;
    }
  }
  return at;
}

NornNumber
norn_scan_number(const char *text, const char *end) {
  NornNumber number = {0};
  const char *at = text;
  if (at < end && *at == '-') {
    number.is_negative = true;
    at++;
  }
  if (!is_digit(at, end))
    return (NornNumber){0};
  if (at + 2 < end && at[0] == '0' && at[1] == 'x' && hexadecimal_digit(at + 2, end) >= 0)
    at = scan_hexadecimal(at + 2, end, &number);
  else
    at = scan_decimal(at, end, &number);
  number.length = (size_t)(at - text);
  return number;
}

static NornLiteralStatus
integer_bits(const NornNumber *number, NornType type, uint64_t *bits) {
  uint64_t mask = norn_type_mask(type);
  if (number->overflows || norn_type_bits(type) > 64)
    return NORN_LITERAL_RANGE;
  if (!number->is_negative) {
    *bits = number->magnitude;
    return number->magnitude <= mask ? NORN_LITERAL_OK : NORN_LITERAL_RANGE;
  }
  *bits = -number->magnitude & mask;
  return number->magnitude <= mask / 2 + 1 ? NORN_LITERAL_OK : NORN_LITERAL_RANGE;
}

static bool
is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && !memcmp(text, word, length);
}

static NornLiteralStatus
parse_word(const char *text, size_t length, NornType type, uint64_t *bits) {
  if (type == NORN_TYPE_I1) {
    *bits = is_word(text, length, "true");
    return *bits || is_word(text, length, "false") ? NORN_LITERAL_OK : NORN_LITERAL_KIND;
  }
  if (norn_types[type].class != NORN_CLASS_FLOAT || norn_types[type].lanes != 1)
    return NORN_LITERAL_KIND;
  NornFloatFormat format = format_of(type);
  if (is_word(text, length, "nan"))
    *bits = norn_float_quiet_nan(format);
  else if (is_word(text, length, "inf") || is_word(text, length, "-inf"))
    *bits = norn_float_infinity(format, *text == '-');
  else
    return NORN_LITERAL_KIND;
  return NORN_LITERAL_OK;
}

NornLiteralStatus
norn_parse_literal(const char *text, size_t length, NornType type, uint64_t *bits) {
  NornNumber number = norn_scan_number(text, text + length);
  if (number.length != length)
    return parse_word(text, length, type, bits);
  const NornTypeInfo *info = &norn_types[type];
  bool is_scalar_float = info->class == NORN_CLASS_FLOAT && info->lanes == 1;
  if (type == NORN_TYPE_VOID || (number.is_float && !is_scalar_float))
    return NORN_LITERAL_KIND;
  if (!is_scalar_float || (number.is_hexadecimal && !number.is_negative))
    return integer_bits(&number, type, bits);
  if (!number.is_float)
    return NORN_LITERAL_KIND;
  if (length > NUMBER_LENGTH_LIMIT)
    return NORN_LITERAL_RANGE;
  char copy[NUMBER_LENGTH_LIMIT + 1];
  memcpy(copy, text, length);
  copy[length] = 0;
  *bits = decimal_to_float(copy, type);
  /* A decimal that rounds to infinity is an error: infinity has its own spelling. */
  return norn_float_is_infinite(format_of(type), *bits) ? NORN_LITERAL_RANGE : NORN_LITERAL_OK;
}
