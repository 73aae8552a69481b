/* Common to the unit tests: each test file defines its suite, main.c runs it. */
#ifndef NORN_TESTS_UNIT_H
#define NORN_TESTS_UNIT_H

#include <check.h>

/* The suite of the file; main.c takes ownership. */
Suite *norn_test_suite(void);

#endif
