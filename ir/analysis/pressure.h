/* Last uses of values, and how many registers they need. */
#ifndef NORN_IR_ANALYSIS_PRESSURE_H
#define NORN_IR_ANALYSIS_PRESSURE_H

#include "ir/analysis/liveness.h"
#include "ir/bits.h"
#include "ir/registers.h"

typedef struct NornPressure {
  const NornRegisterModel *model;
  uint8_t *type;             /* of each value */
  uint8_t *words;            /* registers of each value */
  uint64_t *kills;           /* bit per operand slot: no path from here uses the value again */
  uint64_t *unused;          /* bit per value: nothing uses it */
  NornRegisterCounts *start; /* needed by values live into each block, without its parameters */
  NornRegisterCounts *block; /* the maximum over all points of each block */
  NornRegisterCounts max;    /* the maximum over all blocks */
} NornPressure;

/* Lives in the arena. */
NornPressure *norn_pressure_new(NornArena *arena, const NornFunction *function,
                                const NornDominance *dominance, const NornLiveness *live,
                                const NornRegisterModel *model);

/* The maximum over each loop and the loops inside it, by header. Lives in the arena. */
NornRegisterCounts *norn_loop_pressure(NornArena *arena, const NornPressure *pressure,
                                       const NornDominance *dominance);

/* The registers that a value takes in the worst case. */
static inline NornRegisterCounts
norn_pressure_of(const NornPressure *pressure, uint32_t value) {
  return pressure->model->types[pressure->type[value]].room;
}

/* The class of a value's registers. */
static inline unsigned
norn_pressure_class(const NornPressure *pressure, uint32_t value) {
  return pressure->model->types[pressure->type[value]].class;
}

#endif
