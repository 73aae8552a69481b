/* What an engine gives the observers of its steps: an observation, and the functions that look into
 * its state. */
#ifndef NORN_SIM_COMMON_OBSERVE_H
#define NORN_SIM_COMMON_OBSERVE_H

#include <norn/observe.h>

/* The engine's side of an observation: functions of <norn/observe.h> that it answers. */
typedef struct NornObservedEngine {
  char *(*text)(const NornObservation *at);
  bool (*operand)(const NornObservation *at, unsigned index, NornObservedValue *value);
  bool (*find)(const NornObservation *at, const char *name, NornObservedValue *value);
  void (*in_flight)(const NornObservation *at, unsigned slot, unsigned lane, uint64_t *written,
                    uint64_t *read); /* nullable: nothing ever is */
} NornObservedEngine;

struct NornObservedState {
  const NornObservedEngine *engine;
  gpointer run, warp, step; /* the engine's own */
};

/* Tells the observer of a launch, which has one; false, and *error, if it ends the run. After a
 * trap *error is set already and stays as it is. */
bool norn_observe(const NornLaunch *launch, NornObservation *at, NornObservePhase phase,
                  GError **error);

/* Puts words of one lane into a value, all of their bytes defined or none. */
void norn_observed_set(NornObservedValue *value, unsigned first, unsigned words, unsigned lane,
                       uint64_t bits, bool is_defined);

#endif
