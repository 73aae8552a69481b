/* A step of the simulator for the launch's observer. */
#ifndef NORN_SIM_VALHALL_OBSERVE_H
#define NORN_SIM_VALHALL_OBSERVE_H

#include "sim/common/observe.h"
#include "sim/valhall/warp.h"

/* Describes what the active lanes are about to execute. `state` must live as long as *at. */
void norn_valhall_observation_init(NornObservation *at, struct NornObservedState *state,
                                   NornValhallSimWarp *warp);

#endif
