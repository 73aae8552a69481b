/* Tracking undefined bytes through exclusive or. A register that holds x ^ y, where y is
 * undefined, holds x again after another ^ y; three such instructions exchange registers. */
#ifndef NORN_SIM_VALHALL_MIXED_H
#define NORN_SIM_VALHALL_MIXED_H

#include "sim/valhall/warp.h"

/* For each byte of a register, the undefined bytes that it is mixed with. */
typedef struct NornValhallSimMix {
  uint32_t unknown[4];
} NornValhallSimMix;

/* Whether the instruction is an exclusive or of two words and nothing else. */
bool norn_valhall_mixes(const NornValhallSimInstruction *instruction);

/* Computes the undefined bytes that the result of such an instruction is mixed with; call it
 * before registers are dropped. Returns the mask of its undefined bits. */
uint32_t norn_valhall_mix(NornValhallSimWarp *warp, unsigned lane, NornValhallSimMix *mix);

/* Records the undefined bytes that the written result is mixed with. */
void norn_valhall_set_mix(NornValhallSimWarp *warp, unsigned reg, unsigned lane,
                          const NornValhallSimMix *mix);

/* Whether an undefined register holds a value that an exclusive or can recover. */
bool norn_valhall_is_mixed(const NornValhallSimWarp *warp, unsigned reg, unsigned lane);

/* Makes the register undefined and forgets what it was mixed with. */
static inline void
norn_valhall_unmix(NornValhallSimWarp *warp, unsigned reg, unsigned lane) {
  if (warp->some_mixed >> reg & 1)
    for (unsigned byte = 0; byte < 4; byte++)
      warp->mixed[reg][lane][byte] = 0;
}

#endif
