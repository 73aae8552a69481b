/* The accesses to memory that a warp has not waited for. */
#ifndef NORN_SIM_VALHALL_IN_FLIGHT_H
#define NORN_SIM_VALHALL_IN_FLIGHT_H

#include "sim/valhall/memory.h"

/* Whether the lane's access conflicts with none of its own in flight; if so, notes it. Its address
 * differs for each invocation's own memory. */
bool norn_valhall_note_access(NornValhallSimWarp *warp, const NornValhallLaneAccess *access,
                              GError **error);

/* Removes the accesses of the active lanes in a set of slots. */
void norn_valhall_finish_accesses(NornValhallSimWarp *warp, unsigned slots);

/* Removes all accesses; the first call allocates the lists. */
void norn_valhall_clear_accesses(NornValhallSimWarp *warp);
void norn_valhall_free_accesses(NornValhallSimWarp *warp);

#endif
