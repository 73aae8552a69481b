/* Random numbers. They have their own file because the fuzz target of the whole pipeline
 * replaces it: that one draws from the bytes of its input. */
#include "fuzz/fuzz.h"
#include "ir/random.h"

guint64
fuzz_draw(guint64 *state, guint64 below) {
  return (norn_random_next(state) >> 16) % below;
}
