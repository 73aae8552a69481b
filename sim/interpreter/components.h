/* Components of 16 or 32 bits in the slots of a value, two 16-bit ones in a slot. */
#ifndef NORN_SIM_INTERPRETER_COMPONENTS_H
#define NORN_SIM_INTERPRETER_COMPONENTS_H

#include "sim/interpreter/state.h"

/* Bits of a component of that format. */
unsigned norn_component_bits(NornFormat format);

void norn_warp_put_components(NornWarp *warp, uint32_t slot, unsigned lane, unsigned bits,
                              unsigned count, const uint32_t *components);
uint32_t norn_warp_get_component(const NornWarp *warp, uint32_t slot, unsigned lane, unsigned bits,
                                 unsigned index);

/* Marks all words of the result as defined in the active lanes. Returns its first slot. */
uint32_t norn_step_define_words(NornWarp *warp, const NornStep *step, unsigned active);

#endif
