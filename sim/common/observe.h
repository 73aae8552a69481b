/* What an engine provides to the observers of its steps: an observation, and the functions that
 * look into its state. */
#ifndef NORN_SIM_COMMON_OBSERVE_H
#define NORN_SIM_COMMON_OBSERVE_H

#include <norn/observe.h>

/* The engine's side of an observation: its implementations of the functions of <norn/observe.h>. */
typedef struct NornObservedEngine {
  char *(*text)(const NornObservation *at);
  bool (*operand)(const NornObservation *at, unsigned index, NornObservedValue *value);
  bool (*find)(const NornObservation *at, const char *name, NornObservedValue *value);
  void (*in_flight)(const NornObservation *at, unsigned slot, unsigned lane, uint64_t *written,
                    uint64_t *read); /* nullable: nothing is ever in flight */
} NornObservedEngine;

struct NornObservedState {
  const NornObservedEngine *engine;
  gpointer warp, step; /* the engine's own */
};

/* Notifies the observer of a launch that has one; false, and *error, if the observer ends the
 * run. After a trap, *error is set already and stays as it is. */
bool norn_observe(const NornLaunch *launch, NornObservation *at, NornObservePhase phase,
                  GError **error);

/* Stores words of one lane in a value, with either all or none of their bytes defined. */
void norn_observed_set(NornObservedValue *value, unsigned first, unsigned words, unsigned lane,
                       uint64_t bits, bool is_defined);

#endif
