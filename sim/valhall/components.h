/* Components of 16 or 32 bits in staging registers, two 16-bit ones in a register. */
#ifndef NORN_SIM_VALHALL_COMPONENTS_H
#define NORN_SIM_VALHALL_COMPONENTS_H

#include "sim/common/image.h"
#include "sim/valhall/warp.h"

/* Bits of a component in registers, by the register format: 16 or 32. */
unsigned norn_valhall_component_bits(const NornValhallSimInstruction *instruction);

/* The number of components of the instruction's vector. */
unsigned norn_valhall_component_count(const NornValhallSimInstruction *instruction);

/* Writes components of 16 or 32 bits to the staging registers, two 16-bit ones in a register. */
bool norn_valhall_write_components(NornValhallSimWarp *warp, unsigned lane, unsigned bits,
                                   unsigned count, const uint32_t *components, GError **error);

/* Reads such components. */
bool norn_valhall_read_components(NornValhallSimWarp *warp, unsigned lane, unsigned bits,
                                  unsigned count, uint32_t *components, GError **error);

/* Writes a texel with channels of that kind in the register format. */
bool norn_valhall_write_texel(NornValhallSimWarp *warp, unsigned lane, NornChannelKind kind,
                              NornTexel texel, GError **error);

/* Writes an address to the first two staging registers. */
bool norn_valhall_write_address(NornValhallSimWarp *warp, unsigned lane, uint64_t address,
                                GError **error);

#endif
