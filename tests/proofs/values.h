/* Numbers that are near the edges of integers or floats, or random. */
#ifndef NORN_TESTS_PROOFS_VALUES_H
#define NORN_TESTS_PROOFS_VALUES_H

#include <norn/ir.h>
#include <stdint.h>

uint64_t some_bits(uint64_t *state, unsigned width);
/* The same in each lane of a packed value. */
uint64_t some_value(uint64_t *state, NornType type);

#endif
