/* Components of values. */
#include "sim/interpreter/components.h"

unsigned
norn_component_bits(NornFormat format) {
  switch (format) {
  case NORN_FORMAT_F16:
  case NORN_FORMAT_S16:
  case NORN_FORMAT_U16:
    return 16;
  default:
    return 32;
  }
}

void
norn_warp_put_components(NornWarp *warp, uint32_t slot, unsigned lane, unsigned bits,
                         unsigned count, const uint32_t *components) {
  for (unsigned i = 0; i < count; i++) {
    uint64_t *word = &norn_warp_slot(warp, slot + i * bits / 32)[lane];
    if (bits == 32 || i % 2 == 0)
      *word = components[i];
    else
      *word |= (uint64_t)components[i] << 16;
  }
}

uint32_t
norn_warp_get_component(const NornWarp *warp, uint32_t slot, unsigned lane, unsigned bits,
                        unsigned index) {
  uint64_t word = norn_warp_slot(warp, slot + index * bits / 32)[lane];
  return bits == 32 ? (uint32_t)word : (uint32_t)(word >> index % 2 * 16) & 0xFFFF;
}

uint32_t
norn_step_define_words(NornWarp *warp, const NornStep *step, unsigned active) {
  uint32_t slot = norn_step_result(warp, step, 0);
  for (unsigned word = 0; word < step->words; word++)
    norn_warp_set_undefined(warp, slot + word, active, 0);
  return slot;
}
