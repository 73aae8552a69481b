/* The interpreter's run: workgroups one after the other, the subgroups of one in turns.
 *
 * A subgroup runs until all its lanes have ended or wait at a barrier; a workgroup cycles
 * through its subgroups until all have ended. Only a program with barriers needs the state of
 * all its subgroups at once; other programs reuse the state of the first one. */
#include "sim/common/memory.h"
#include "sim/common/raster.h"
#include "sim/interpreter/decode.h"
#include "sim/interpreter/fragment.h"
#include "sim/interpreter/interpreter.h"
#include "sim/interpreter/observe.h"
#include "sim/interpreter/state.h"
#include "sim/simulators.h"
#include <norn/module.h>
#include <string.h>

/* The most bytes for the values of one workgroup. */
#define STATE_LIMIT ((uint64_t)1 << 31)
/* The number of cleared bytes that count as one step. */
#define CLEARED_BYTES_A_STEP 64

/* --- Subgroups --- */

static bool
count_step(const NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  NornRun *run = warp->run;
  unsigned lanes = (unsigned)__builtin_popcount(active);
  if (run->steps_left < lanes) {
    char *location = norn_trap_location(warp, step, (unsigned)__builtin_ctz(active));
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "%sreached the limit of %" G_GUINT64_FORMAT " steps", location,
                norn_launch_step_limit(run->launch));
    g_free(location);
    return false;
  }
  if (run->report.instructions++ % NORN_CANCEL_STEPS == 0 && norn_is_cancelled(run->launch->cancel))
    return norn_cancelled_error(error);
  run->steps_left -= lanes;
  run->report.thread_instructions += lanes;
  return true;
}

/* Clears memory at the start of a workgroup or subgroup. Clearing counts as steps too, so that
 * many short invocations with much memory cannot run for long. */
static void
clear_memory(NornRun *run, uint8_t *bytes, uint64_t size) {
  uint64_t steps = size / CLEARED_BYTES_A_STEP;
  run->steps_left -= MIN(run->steps_left, steps);
  memset(bytes, 0, size);
}

/* The lanes that run next: those with the lowest key, and among these the ones at the same step. */
static unsigned
converged_lanes(const NornWarp *warp) {
  unsigned runnable = warp->live & ~warp->waiting, lanes = 0, first = NORN_LANES;
  norn_for_each_lane(runnable, lane) {
    if (first == NORN_LANES || warp->key[lane] < warp->key[first]) {
      first = lane;
      lanes = 0;
    }
    lanes |=
        (unsigned)(warp->key[lane] == warp->key[first] && warp->step[lane] == warp->step[first])
        << lane;
  }
  return lanes;
}

static bool
run_lanes(NornWarp *warp, unsigned active, GError **error) {
  uint32_t index = warp->step[__builtin_ctz(active)];
  const NornStep *step = &g_array_index(warp->run->program->steps, NornStep, index);
  for (;; step++, index++) {
    if (!count_step(warp, step, active, error) ||
        !(warp->run->launch->observer ? norn_step_observed(warp, step, active, error)
                                      : step->run(warp, step, active, error)))
      return false;
    if (step->leaves)
      break;
  }
  norn_for_each_lane(warp->waiting & active, lane) {
    warp->step[lane] = index + 1;
  }
  return true;
}

static bool
run_warp(NornWarp *warp, GError **error) {
  for (unsigned active; (active = converged_lanes(warp)) != 0;)
    if (!run_lanes(warp, active, error))
      return false;
  return true;
}

static void
start_warp(NornWarp *warp, uint32_t first) {
  NornRun *run = warp->run;
  uint32_t total = norn_launch_invocations(run->launch);
  uint32_t lanes = MIN(total - first, run->program->lanes);
  warp->first = first;
  warp->present = warp->live = (1u << lanes) - 1;
  warp->waiting = 0;
  uint32_t node = run->program->convergence.node_of_key[0];
  for (unsigned lane = 0; lane < NORN_LANES; lane++) {
    warp->key[lane] = 0;
    warp->step[lane] = g_array_index(run->program->nodes, NornNode, node).first;
  }
  if (run->launch->stage == NORN_STAGE_FRAGMENT)
    norn_fragment_start(warp);
  clear_memory(run, warp->scratch, lanes * (uint64_t)run->launch->scratch_bytes);
}

/* --- Workgroups --- */

/* The lanes of a subgroup that do not wait at the barrier of lane `first` of `leader`. */
static unsigned
missing_lanes(const NornWarp *warp, const NornWarp *leader, unsigned first) {
  unsigned missing = warp->present & ~warp->waiting;
  norn_for_each_lane(warp->waiting, lane) {
    missing |= (unsigned)(warp->step[lane] != leader->step[first]) << lane;
  }
  return missing;
}

/* Lets the invocations of a workgroup continue if all of them wait at one barrier; traps
 * otherwise. */
static bool
release_barrier(const NornRun *run, NornWarp *warps, unsigned count, const NornWarp *leader,
                GError **error) {
  unsigned first = (unsigned)__builtin_ctz(leader->waiting);
  const NornStep *step = &g_array_index(run->program->steps, NornStep, leader->step[first] - 1);
  for (unsigned w = 0; w < count; w++) {
    unsigned missing = missing_lanes(&warps[w], leader, first);
    if (!missing)
      continue;
    unsigned lane = (unsigned)__builtin_ctz(missing);
    return norn_trap(leader, step, first, error,
                     "not all invocations of the workgroup reach this barrier: invocation %u %s",
                     warps[w].first + lane,
                     warps[w].waiting >> lane & 1 ? "waits at another barrier" : "has ended");
  }
  for (unsigned w = 0; w < count; w++)
    warps[w].waiting = 0;
  if (run->races)
    norn_races_pass_barrier(run->races);
  return true;
}

/* Runs a workgroup whose subgroups each have their own state. */
static bool
run_together(NornRun *run, NornWarp *warps, unsigned count, GError **error) {
  for (unsigned w = 0; w < count; w++)
    start_warp(&warps[w], w * run->program->lanes);
  for (;;) {
    const NornWarp *leader = NULL;
    for (unsigned w = 0; w < count; w++) {
      if (!run_warp(&warps[w], error))
        return false;
      if (!leader && warps[w].waiting)
        leader = &warps[w];
    }
    if (!leader)
      return true;
    if (!release_barrier(run, warps, count, leader, error))
      return false;
  }
}

static bool
run_workgroup(NornRun *run, NornWarp *warps, unsigned count, GError **error) {
  clear_memory(run, run->shared, run->shared_bytes);
  if (run->races)
    norn_races_start_workgroup(run->races);
  if (run->program->has_barrier)
    return run_together(run, warps, count, error);
  for (unsigned w = 0; w < count; w++) {
    start_warp(&warps[0], w * run->program->lanes);
    if (!run_warp(&warps[0], error))
      return false;
  }
  return true;
}

/* --- The whole run --- */

static bool
run_grid(NornRun *run, NornWarp *warps, unsigned count, GError **error) {
  const uint32_t *grid = run->launch->grid;
  uint32_t *at = run->workgroup;
  if (!grid[0] || !grid[1])
    return true;
  for (at[2] = 0; at[2] < grid[2]; at[2]++)
    for (at[1] = 0; at[1] < grid[1]; at[1]++)
      for (at[0] = 0; at[0] < grid[0]; at[0]++) {
        if (norn_raster_is_empty(run->launch, at))
          continue;
        if (!run_workgroup(run, warps, count, error))
          return false;
        run->report.warps += count;
        run->report.invocations += norn_launch_invocations(run->launch);
      }
  return true;
}

/* Allocates one subgroup's state and fills in the constants. */
static bool
warp_init(NornWarp *warp, NornRun *run, GError **error) {
  const NornProgram *program = run->program;
  size_t slots = (size_t)program->slot_count * NORN_LANES;
  size_t scratch = NORN_LANES * run->launch->scratch_bytes;
  warp->run = run;
  warp->undefined = g_new0(uint16_t, program->slot_count);
  warp->outputs = g_new0(NornFragmentOutputs, NORN_LANES);
  warp->slots = norn_memory_allocate(slots * sizeof *warp->slots, "values", error);
  warp->scratch = warp->slots ? norn_memory_allocate(scratch, "thread-local memory", error) : NULL;
  if (!warp->scratch)
    return false;
  for (guint i = 0; i < program->constants->len; i++) {
    const NornConstantSlot *constant = &g_array_index(program->constants, NornConstantSlot, i);
    for (unsigned lane = 0; lane < NORN_LANES; lane++)
      norn_warp_slot(warp, constant->slot)[lane] = constant->bits;
  }
  for (guint i = 0; i < program->specials->len; i++) {
    const NornSpecialSlot *special = &g_array_index(program->specials, NornSpecialSlot, i);
    memcpy(norn_warp_slot(warp, special->slot), special->bits, sizeof special->bits);
  }
  return true;
}

static void
warp_clear(NornWarp *warp) {
  g_free(warp->slots);
  g_free(warp->undefined);
  g_free(warp->scratch);
  g_free(warp->outputs);
}

static bool
check_state(const NornProgram *program, const NornLaunch *launch, unsigned states, GError **error) {
  uint64_t warp = (uint64_t)program->slot_count * (NORN_LANES * sizeof(uint64_t) + 2);
  if (launch->scratch_bytes <= STATE_LIMIT / NORN_LANES)
    warp += NORN_LANES * launch->scratch_bytes;
  else
    warp = STATE_LIMIT + 1;
  uint64_t limit = launch->memory_limit ? MIN(launch->memory_limit, STATE_LIMIT) : STATE_LIMIT;
  if (launch->shared_bytes <= limit && warp <= (limit - launch->shared_bytes) / states)
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
              "%s: the values and the memory of %u subgroups take more than %" G_GUINT64_FORMAT
              " bytes",
              program->module->filename, states, limit);
  return false;
}

static bool
run_program(NornRun *run, GError **error) {
  unsigned lanes = run->program->lanes;
  unsigned count = (norn_launch_invocations(run->launch) + lanes - 1) / lanes;
  unsigned states = run->program->has_barrier ? count : 1;
  if (!check_state(run->program, run->launch, states, error))
    return false;
  NornWarp *warps = g_new0(NornWarp, states);
  bool done = true;
  for (unsigned w = 0; done && w < states; w++)
    done = warp_init(&warps[w], run, error);
  done = done && run_grid(run, warps, count, error);
  for (unsigned w = 0; w < states; w++)
    warp_clear(&warps[w]);
  g_free(warps);
  return done;
}

/* The launch, with missing fields filled in from the module. */
static NornLaunch
complete_launch(const NornModule *module, const NornLaunch *launch) {
  static const uint32_t fragment_tile[3] = {4, 4, 1};
  NornLaunch complete = *launch;
  for (unsigned axis = 0; axis < 3; axis++)
    if (!complete.workgroup[axis])
      complete.workgroup[axis] =
          module->stage == NORN_STAGE_FRAGMENT ? fragment_tile[axis] : module->workgroup[axis];
  complete.shared_bytes = MAX(launch->shared_bytes, module->shared_size);
  complete.scratch_bytes = MAX(launch->scratch_bytes, module->scratch_size);
  return complete;
}

bool
norn_interpret_with(const NornModule *module, const NornLaunch *launch,
                    const NornSimulator *simulator, NornReport *report, GError **error) {
  NornLaunch complete = complete_launch(module, launch);
  g_autoptr(NornMemory) own = NULL;
  NornProgram program;
  if (!norn_launch_check(&complete, error) ||
      !norn_launch_check_stage(launch, module->stage, error) ||
      !norn_launch_check_grid(launch, module->grid_limit, error) ||
      !norn_module_verify(module, error) ||
      !norn_launch_map_data(&complete, &own, NORN_DATA_ADDRESS, module->data, module->data_size,
                            error))
    return false;
  if (!norn_program_init(&program, module, &complete, simulator, error)) {
    norn_memory_unmap_data(complete.memory);
    return false;
  }
  complete.scratch_bytes = MAX(complete.scratch_bytes, program.scratch_bytes);
  if (complete.observer)
    norn_program_prepare_observer(&program);
  NornRun run = {.program = &program,
                 .launch = &complete,
                 .races = complete.check_races ? norn_races_new() : NULL};
  run.shared_bytes = complete.shared_bytes;
  run.shared = norn_memory_allocate(run.shared_bytes, "workgroup memory", error);
  run.steps_left = norn_launch_step_limit(&complete);
  bool done = run.shared && run_program(&run, error);
  norn_memory_unmap_data(complete.memory);
  if (report)
    *report = run.report;
  norn_races_free(run.races);
  g_free(run.shared);
  g_free(run.held);
  g_free(run.held_undefined);
  norn_program_clear(&program);
  return done;
}

bool
norn_interpret(const NornModule *module, const NornLaunch *launch, NornReport *report,
               GError **error) {
  const NornSimulator *simulator = module->machine ? norn_simulator_find(module->machine) : NULL;
  return norn_interpret_with(module, launch, simulator, report, error);
}
