/* Shared by the unit tests: each test file defines its suite, main.c runs it. */
#ifndef NORN_TESTS_UNIT_H
#define NORN_TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

/* The suite of the file; main.c takes ownership. */
Suite *norn_test_suite(void);

/* How often to repeat a random test, of `count` times: fewer under valgrind, where everything is
 * slow. */
static inline unsigned
unit_effort(unsigned count) {
  return getenv("NORN_TEST_QUICK") ? count / 100 : count;
}

#endif
