/* Finding accesses to memory that conflict with one not yet waited for. */
#ifndef NORN_SIM_VALHALL_SHADOW_H
#define NORN_SIM_VALHALL_SHADOW_H

#include "sim/valhall/warp.h"

NornValhallSimShadow *norn_valhall_shadow_new(void);
void norn_valhall_shadow_free(NornValhallSimShadow *shadow);

/* Whether the lane's access conflicts with none of its own in flight; marks the bytes. `address` is
 * different for each invocation's own memory. */
bool norn_valhall_check_hazards(NornValhallSimWarp *warp,
                                const NornValhallSimInstruction *instruction, unsigned lane,
                                uint64_t address, size_t size, bool is_write, GError **error);

#endif
