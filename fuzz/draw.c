/* Numbers by chance. In a file of its own, as the fuzz target of the whole pipeline has another
 * one: it draws from the bytes of its input. */
#include "fuzz/fuzz.h"

guint64
fuzz_draw(guint64 *state, guint64 below) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (*state * G_GUINT64_CONSTANT(0x2545F4914F6CDD1D) >> 16) % below;
}
