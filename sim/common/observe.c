/* Notifies observers of steps, and passes their queries to the engine that runs. */
#include "sim/common/observe.h"
#include <string.h>

bool
norn_observe(const NornLaunch *launch, NornObservation *at, NornObservePhase phase,
             GError **error) {
  at->phase = phase;
  at->trap = phase == NORN_OBSERVE_TRAP && error && *error ? (*error)->message : NULL;
  if (launch->observer->observe(at, launch->observer->user_data) || phase == NORN_OBSERVE_TRAP)
    return true;
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_STOPPED, "the observer ended the run");
  return false;
}

void
norn_observed_set(NornObservedValue *value, unsigned first, unsigned words, unsigned lane,
                  uint64_t bits, bool is_defined) {
  for (unsigned w = first; w < first + words && w < NORN_OBSERVED_WORDS; w++) {
    value->bits[w][lane] = (uint32_t)(bits >> 32 * (w - first));
    value->defined[w][lane] = is_defined ? 0xF : 0;
  }
}

char *
norn_observation_text(const NornObservation *at) {
  return at->state->engine->text(at);
}

bool
norn_observation_operand(const NornObservation *at, unsigned index, NornObservedValue *value) {
  memset(value, 0, sizeof *value);
  value->reg = -1;
  return at->state->engine->operand(at, index, value);
}

bool
norn_observation_find(const NornObservation *at, const char *name, NornObservedValue *value) {
  memset(value, 0, sizeof *value);
  value->reg = -1;
  return at->state->engine->find(at, name, value);
}

void
norn_observation_in_flight(const NornObservation *at, unsigned slot, unsigned lane,
                           uint64_t *written, uint64_t *read) {
  *written = *read = 0;
  if (at->state->engine->in_flight && slot < NORN_OBSERVED_SLOTS && lane < NORN_OBSERVED_LANES)
    at->state->engine->in_flight(at, slot, lane, written, read);
}
