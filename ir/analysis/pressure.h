/* Last uses of values, and how many registers they need. */
#ifndef NORN_IR_ANALYSIS_PRESSURE_H
#define NORN_IR_ANALYSIS_PRESSURE_H

#include "ir/analysis/liveness.h"

typedef struct NornPressure {
  uint8_t *words;   /* of each value */
  uint64_t *kills;  /* bit per operand slot: no path from here uses the value again */
  uint64_t *unused; /* bit per value: nothing uses it */
  unsigned *block;  /* the most that is needed at any point of each block */
  unsigned max;     /* the most of those */
} NornPressure;

NornPressure *norn_pressure_new(const NornFunction *function, const NornDominance *dominance,
                                const NornLiveness *live);
void norn_pressure_free(NornPressure *pressure);

/* Room that a value of that many words takes at worst. */
static inline unsigned
norn_pressure_of(unsigned words) {
  return words > 1 ? (words + 1) & ~1u : words;
}

static inline bool
norn_bit(const uint64_t *bits, uint32_t index) {
  return bits[index / 64] >> index % 64 & 1;
}
static inline void
norn_set_bit(uint64_t *bits, uint32_t index) {
  bits[index / 64] |= UINT64_C(1) << index % 64;
}

#endif
