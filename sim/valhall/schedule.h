/* Chooses which lanes of a warp continue if there is a choice. */
#ifndef NORN_SIM_VALHALL_SCHEDULE_H
#define NORN_SIM_VALHALL_SCHEDULE_H

#include "sim/valhall/warp.h"

/* Makes lanes at one instruction active: the living ones with the lowest counter or, in a run
 * with a seed, others that need not wait for them. */
void norn_valhall_choose_active(NornValhallSimWarp *warp);

#endif
