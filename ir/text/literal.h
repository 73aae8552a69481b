/* Constants as text, in both directions.
 *
 * Integers are printed in decimal if that is short and otherwise in hexadecimal. Floats are printed
 * as the shortest decimal that is read back as the same bits, always with a point or an exponent;
 * NaNs other than the positive quiet one with empty payload are printed as their bits. A
 * hexadecimal number gives the bits of any type. */
#ifndef NORN_IR_TEXT_LITERAL_H
#define NORN_IR_TEXT_LITERAL_H

#include "ir/ops.h"

/* Sufficient room for the text of any constant. */
#define NORN_LITERAL_SIZE 40

/* Writes the constant's text without a terminating zero byte; returns its length. */
size_t norn_print_literal(char *out, NornType type, uint64_t bits);
/* The bits as a plain hexadecimal number. */
size_t norn_print_hexadecimal(char *out, uint64_t bits);
/* A decimal number. */
size_t norn_print_decimal(char *out, uint64_t number);

/* The number at the start of a text. */
typedef struct NornNumber {
  size_t length;    /* 0: not a number */
  bool is_negative; /* begins with a minus sign */
  bool is_hexadecimal;
  bool is_float;      /* has a fraction or an exponent */
  bool overflows;     /* an integer that does not fit 64 bits */
  uint64_t magnitude; /* of an integer */
} NornNumber;

/* Scans the number at the start of the text. */
NornNumber norn_scan_number(const char *text, const char *end);

typedef enum {
  NORN_LITERAL_OK,
  NORN_LITERAL_RANGE, /* does not fit the type */
  NORN_LITERAL_KIND,  /* not a constant of this type */
} NornLiteralStatus;

/* The bits of the constant spelled `text` (a number or one of true, false, inf, -inf, nan). */
NornLiteralStatus norn_parse_literal(const char *text, size_t length, NornType type,
                                     uint64_t *bits);

#endif
