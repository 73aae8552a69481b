/* Assertions of the library's own invariants: on in debug builds, and so in tests, off in release
 * builds. What a module may hold is the verifier's business: no assertion depends on input. */
#ifndef NORN_IR_ASSERT_H
#define NORN_IR_ASSERT_H

#include <assert.h>

#define NORN_ASSERT(condition) assert(condition)

#endif
