/* What observers see of the interpreter: the values of the running function, by name. */
#include "sim/interpreter/observe.h"
#include "ir/ops.h"
#include "sim/common/observe.h"
#include "sim/interpreter/state.h"
#include <string.h>

#define STEP(at) ((const NornStep *)(at)->state->step)
#define WARP(at) ((const NornWarp *)(at)->state->warp)
#define PROGRAM(at) (WARP(at)->run->program)

static char *
text(const NornObservation *at) {
  const NornStep *step = STEP(at);
  return g_strdup(norn_location_text(PROGRAM(at)->locations, step->function, step->inst));
}

/* --- Values --- */

static bool
is_group(NornType type) {
  return norn_types[type].class == NORN_CLASS_GROUP;
}

static unsigned
slots_of(NornType type) {
  return is_group(type) ? norn_types[type].lanes : 1;
}

/* The contents in `lanes` of the slots from `slot` on; a group has a slot for each word. */
static bool
observe_slots(const NornObservation *at, uint32_t slot, NornType type, unsigned lanes,
              NornObservedValue *value) {
  const NornWarp *warp = WARP(at);
  value->type = type;
  value->words = MIN(norn_type_words(type), NORN_OBSERVED_WORDS);
  value->lanes = lanes;
  unsigned each = is_group(type) ? 1 : value->words;
  for (unsigned w = 0, k = 0; w < value->words; w += each, k++)
    norn_for_each_lane(lanes, lane) {
      norn_observed_set(value, w, each, lane, norn_warp_slot(warp, slot + k)[lane],
                        !(warp->undefined[slot + k] >> lane & 1));
    }
  return true;
}

static void
name_value(const NornObservation *at, uint32_t index, NornObservedValue *value) {
  const char *name = norn_location_of_value(PROGRAM(at)->locations, STEP(at)->function, index);
  g_strlcpy(value->name, name ? name : "", sizeof value->name);
}

static bool
observe_source(const NornObservation *at, unsigned k, NornObservedValue *value) {
  const NornStep *step = STEP(at);
  NornRef ref = norn_operand(step->function, step->inst, k) & ~NORN_REF_LAST_USE;
  NornType type = norn_operand_type(step->function, step->inst, k);
  if (norn_ref_kind(ref) == NORN_REF_VALUE) {
    type = norn_value(step->function, norn_ref_payload(ref))->type;
    name_value(at, norn_ref_payload(ref), value);
  } else if (norn_ref_kind(ref) == NORN_REF_UNIFORM) {
    g_snprintf(value->name, sizeof value->name, "u%u", norn_ref_payload(ref));
  } else {
    value->role = NORN_OBSERVED_CONSTANT;
  }
  return observe_slots(at, norn_step_operand(WARP(at), step, k),
                       type == NORN_TYPE_VOID ? NORN_TYPE_I32 : type, at->active, value);
}

/* Parameter `index` of the ones that the edges of a step assigned. */
static bool
observe_parameter(const NornObservation *at, unsigned index, NornObservedValue *value) {
  const NornStep *step = STEP(at);
  const NornProgram *program = PROGRAM(at);
  uint32_t number = step->edge;
  if (at->phase != NORN_OBSERVE_AFTER || !norn_is_terminator(step->function, norn_step_inst(step)))
    return false;
  norn_for_each_edge (step->function, step->inst, edge) {
    const NornStepEdge *taken = &g_array_index(program->edges, NornStepEdge, number++);
    unsigned lanes = 0;
    norn_for_each_lane(at->active, lane) {
      lanes |= (unsigned)(WARP(at)->key[lane] == taken->key) << lane;
    }
    uint32_t move = taken->move;
    for (unsigned k = 0; lanes && k < edge.argument_count; k++) {
      uint32_t parameter = norn_block_parameter(step->function, edge.block, k);
      NornType type = norn_value(step->function, parameter)->type;
      if (!index--) {
        value->role = NORN_OBSERVED_PARAMETER;
        name_value(at, parameter, value);
        return observe_slots(at, g_array_index(program->moves, NornMove, move).to, type, lanes,
                             value);
      }
      move += slots_of(type);
    }
  }
  return false;
}

static bool
operand(const NornObservation *at, unsigned index, NornObservedValue *value) {
  const NornStep *step = STEP(at);
  if (index < step->operand_count)
    return observe_source(at, index, value);
  index -= step->operand_count;
  if (index >= step->result_count)
    return observe_parameter(at, index - step->result_count, value);
  uint32_t result = norn_step_inst(step)->result + index;
  value->role = NORN_OBSERVED_RESULT;
  name_value(at, result, value);
  return observe_slots(at, norn_step_result(WARP(at), step, index),
                       norn_value(step->function, result)->type, at->active, value);
}

static bool
find(const NornObservation *at, const char *name, NornObservedValue *value) {
  const NornStep *step = STEP(at);
  uint32_t slot = step->first_slot;
  name += *name == '%';
  for (uint32_t i = 0; i < step->function->value_count; i++) {
    NornType type = norn_value(step->function, i)->type;
    const char *own = norn_location_of_value(PROGRAM(at)->locations, step->function, i);
    if (own && !strcmp(own + 1, name)) {
      g_strlcpy(value->name, own, sizeof value->name);
      return observe_slots(at, slot, type, at->alive, value);
    }
    slot += slots_of(type);
  }
  return false;
}

/* --- Steps --- */

/* The name of the block that begins with a step. */
static const char *
block_name(const NornStep *step) {
  const NornBlock *block = norn_block(step->function, norn_step_inst(step)->block);
  return block->first == step->inst && block->name
             ? norn_string(step->function->module, block->name)
             : NULL;
}

static const NornObservedEngine engine = {text, operand, find, NULL};

void
norn_program_prepare_observer(NornProgram *program) {
  const NornFunction *entry = program->module->functions[0];
  uint64_t address = 0;
  if (!program->locations)
    program->locations = norn_locations_new(program->module);
  program->addresses = NORN_NEW(&program->arena, uint64_t, entry->inst_count);
  norn_for_each_block (entry, block)
    norn_for_each_inst (entry, block, inst) {
      program->addresses[inst] = address;
      address += norn_is_machine(norn_inst(entry, inst)) ? sizeof(uint64_t) : 0;
    }
}

/* Where the instruction is in the code of the entry function. */
static uint64_t
address_of(const NornProgram *program, const NornStep *step) {
  bool has_address =
      norn_is_machine(norn_step_inst(step)) && step->function == program->module->functions[0];
  return has_address ? program->addresses[step->inst] : NORN_OBSERVED_NO_ADDRESS;
}

static void
observation_init(NornObservation *at, struct NornObservedState *state, NornWarp *warp,
                 const NornStep *step, unsigned active) {
  const NornRun *run = warp->run;
  const NornLaunch *launch = run->launch;
  const uint32_t *group = run->workgroup;
  uint32_t invocations = norn_launch_invocations(launch), lanes = run->program->lanes;
  uint32_t number = (group[2] * launch->grid[1] + group[1]) * launch->grid[0] + group[0];
  *state = (struct NornObservedState){&engine, warp, (gpointer)step};
  *at = (NornObservation){
      .number = run->report.instructions,
      .warp = number * ((invocations + lanes - 1) / lanes) + warp->first / lanes,
      .active = active,
      .alive = warp->live,
      .helpers = warp->helpers,
      .address = address_of(run->program, step),
      .slot = -1,
      .line = norn_step_inst(step)->line,
      .block = block_name(step),
      .shared = run->shared,
      .shared_bytes = run->shared_bytes,
      .scratch_bytes = launch->scratch_bytes,
      .state = state,
  };
  memcpy(at->workgroup, group, sizeof at->workgroup);
  for (unsigned lane = 0; lane < NORN_OBSERVED_LANES; lane++) {
    at->invocation[lane] = number * invocations + warp->first + lane;
    at->scratch[lane] = warp->scratch + lane * launch->scratch_bytes;
  }
}

bool
norn_step_observed(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  const NornRun *run = warp->run;
  struct NornObservedState state;
  NornObservation at;
  observation_init(&at, &state, warp, step, active);
  if (!norn_observe(run->launch, &at, NORN_OBSERVE_BEFORE, error))
    return false;
  GError *trap = NULL;
  if (!step->run(warp, step, active, &trap)) {
    norn_observe(run->launch, &at, NORN_OBSERVE_TRAP, &trap);
    g_propagate_error(error, trap);
    return false;
  }
  at.alive = warp->live;
  at.helpers = warp->helpers;
  return norn_observe(run->launch, &at, NORN_OBSERVE_AFTER, error);
}
