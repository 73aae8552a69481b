/* How many registers loops need, and how many they may have. */
#ifndef NORN_PASSES_LOOP_REGISTERS_H
#define NORN_PASSES_LOOP_REGISTERS_H

#include "passes/pass.h"

typedef struct NornLoopRegisters {
  NornRegisterCounts *needed; /* by header: the maximum over its blocks, including inner loops */
  NornRegisterCounts budget;  /* norn_target_register_budget */
} NornLoopRegisters;

/* Computed from norn_pass_pressure; lives in the arena of the pass. */
NornLoopRegisters norn_loop_registers(NornPassContext *context, const NornFunction *function);

/* The registers of `words` words of 32 bits. */
NornRegisterCounts norn_registers_of_words(const NornPassContext *context, unsigned words);

/* Whether the budget allows `more` registers throughout the loop. */
bool norn_loop_has_room(const NornLoopRegisters *loops, uint32_t header, NornRegisterCounts more);

#endif
