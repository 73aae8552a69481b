/* The bytes at an address: in the launch's buffers, in the memory of the workgroup or the
 * thread, or in the table of sample positions. */
#ifndef NORN_SIM_VALHALL_MEMORY_H
#define NORN_SIM_VALHALL_MEMORY_H

#include "sim/valhall/warp.h"

/* The bytes at `address`, checked for bounds, alignment and hazards; NULL: a trap. `combined`,
 * nullable: the operand of an atomic access that does not return the old value. */
uint8_t *norn_valhall_access_memory(NornValhallSimWarp *warp,
                                    const NornValhallSimInstruction *instruction, unsigned lane,
                                    uint64_t address, size_t size, unsigned alignment,
                                    bool is_write, const uint64_t *combined, GError **error);

#endif
