/* Assertions of the library's own invariants: enabled in debug builds, and thus in tests, and
 * disabled in release builds. Checking what a module may contain is up to the verifier: no
 * assertion depends on input. */
#ifndef NORN_IR_ASSERT_H
#define NORN_IR_ASSERT_H

#include <assert.h>

#ifdef NDEBUG
#define NORN_ASSERT(condition) ((void)(0 && (condition))) /* what it names counts as used */
#else
#define NORN_ASSERT(condition) assert(condition)
#endif

#endif
