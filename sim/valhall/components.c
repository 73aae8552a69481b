/* Components in staging registers. */
#include "sim/valhall/components.h"
#include <norn/valhall.h>

unsigned
norn_valhall_component_bits(const NornValhallSimInstruction *instruction) {
  switch (norn_valhall_field(instruction, NORN_VALHALL_FIELD_REGISTER_FORMAT)) {
  case NORN_VALHALL_REGISTER_FORMAT_F16:
  case NORN_VALHALL_REGISTER_FORMAT_S16:
  case NORN_VALHALL_REGISTER_FORMAT_U16:
    return 16;
  default:
    return 32;
  }
}

unsigned
norn_valhall_component_count(const NornValhallSimInstruction *instruction) {
  return norn_valhall_field(instruction, NORN_VALHALL_FIELD_VECTOR_SIZE) + 1;
}

bool
norn_valhall_write_components(NornValhallSimWarp *warp, unsigned lane, unsigned bits,
                              unsigned count, const uint32_t *components, GError **error) {
  unsigned per_word = 32 / bits;
  for (unsigned i = 0; i < count; i += per_word) {
    bool is_pair = per_word == 2 && i + 1 < count;
    uint32_t word = is_pair ? components[i] | components[i + 1] << 16 : components[i];
    unsigned bytes = bits == 32 || is_pair ? 0xF : 0x3;
    if (!norn_valhall_write_staging(warp, i / per_word, lane, bytes, word, error))
      return false;
  }
  return true;
}

bool
norn_valhall_read_components(NornValhallSimWarp *warp, unsigned lane, unsigned bits, unsigned count,
                             uint32_t *components, GError **error) {
  unsigned per_word = 32 / bits;
  for (unsigned i = 0; i < count; i++) {
    uint32_t word;
    unsigned shift = i % per_word * bits;
    unsigned bytes = bits == 32 ? 0xF : 0x3u << shift / 8;
    if (!norn_valhall_read_staging(warp, i / per_word, lane, bytes, &word, error))
      return false;
    components[i] = bits == 32 ? word : word >> shift & 0xFFFF;
  }
  return true;
}

bool
norn_valhall_write_texel(NornValhallSimWarp *warp, unsigned lane, NornChannelKind kind,
                         NornTexel texel, GError **error) {
  unsigned bits = norn_valhall_component_bits(warp->instruction);
  uint32_t components[4];
  for (unsigned i = 0; i < 4; i++)
    components[i] = norn_component_narrow(bits, kind, texel.channel[i]);
  return norn_valhall_write_components(
      warp, lane, bits, norn_valhall_component_count(warp->instruction), components, error);
}

bool
norn_valhall_write_address(NornValhallSimWarp *warp, unsigned lane, uint64_t address,
                           GError **error) {
  return norn_valhall_write_staging(warp, 0, lane, 0xF, (uint32_t)address, error) &&
         norn_valhall_write_staging(warp, 1, lane, 0xF, (uint32_t)(address >> 32), error);
}
