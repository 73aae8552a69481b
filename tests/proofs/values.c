/* Numbers near the edges of integers and floats; see tests/proofs/values.h. */
#include "tests/proofs/values.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include "ir/random.h"
#include <glib.h>

uint64_t
some_bits(uint64_t *state, unsigned width) {
  static const uint16_t halves[] = {0,      0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x7C01,
                                    0x0001, 0x03FF, 0x0400, 0x7BFF, 0x3BFF, 0x4000, 0x3800};
  static const uint32_t words[] = {0,          0x80000000, 0x3F800000, 0xBF800000, 0x7F800000,
                                   0xFF800000, 0x7FC00000, 0x7F800001, 0x00000001, 0x007FFFFF,
                                   0x00800000, 0x7F7FFFFF, 0x3F7FFFFF, 0x4F000000, 0x4F800000,
                                   0x5F000000, 0x38800000, 0x33800000, 0x477FE000, 0x477FF000};
  uint64_t random = norn_random_next(state), choice = norn_random_next(state) % 8,
           at = norn_random_next(state);
  switch (choice) {
  case 0:
    return norn_int_truncate(random % 8 - 4, width);
  case 1:
    return norn_int_truncate((UINT64_C(1) << at % width) + random % 3 - 1, width);
  case 2:
    if (width == 16)
      return (halves[at % G_N_ELEMENTS(halves)] + random % 3 - 1) & 0xFFFF;
    if (width == 32)
      return (uint32_t)(words[at % G_N_ELEMENTS(words)] + random % 3 - 1);
    return norn_int_truncate(random >> at % 64, width);
  case 3:
    return norn_int_truncate(random >> at % 64, width);
  default:
    return norn_int_truncate(random, width);
  }
}

uint64_t
some_value(uint64_t *state, NornType type) {
  unsigned width = norn_types[type].lane_bits;
  uint64_t bits = 0;
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    bits |= some_bits(state, width) << k * width % 64;
  return bits;
}
