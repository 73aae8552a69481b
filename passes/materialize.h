/* Values that instructions need in registers: made once, where all users find them. */
#ifndef NORN_PASSES_MATERIALIZE_H
#define NORN_PASSES_MATERIALIZE_H

#include "passes/pass.h"

/* Operand `operand` of instruction `inst` is to be replaced by the value that `key` stands for. */
typedef struct NornDemand {
  uint64_t key;
  uint32_t inst, operand;
} NornDemand;

typedef struct NornDemands {
  NornDemand *items;
  uint32_t count, capacity;
} NornDemands;

void norn_demand(NornDemands *demands, uint64_t key, uint32_t inst, uint32_t operand);

/* Makes the value of `key` before instruction `before`. */
typedef NornRef (*NornMake)(NornPassContext *context, NornFunction *function, uint64_t key,
                            uint32_t before);

/* Meets all demands and frees the list. */
void norn_demands_meet(NornPassContext *context, NornFunction *function, NornDemands *demands,
                       NornMake make);

#endif
