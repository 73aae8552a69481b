/* Runs Valhall machine code: control flow, warps and workgroups.
 *
 * Each lane of a warp has its own program counter. The active lanes execute one instruction
 * together. Only after an instruction with the flow `reconverge` is the set chosen anew, as the
 * lanes with the lowest counter. So a divergence that the code does not announce, or a
 * reconvergence that it misses, is detected and traps. Workgroups run one after the other; their
 * warps take turns, each running until it ends or waits at a barrier. */
#include "ir/random.h"
#include "sim/common/launch.h"
#include "sim/common/memory.h"
#include "sim/common/raster.h"
#include "sim/valhall/completion.h"
#include "sim/valhall/in_flight.h"
#include "sim/valhall/observe.h"
#include "sim/valhall/preload.h"
#include "sim/valhall/program.h"
#include "sim/valhall/schedule.h"
#include "sim/valhall/warp.h"
#include <string.h>

/* In a run with a seed, the most instructions of one warp in a row. */
#define MAX_STEPS_IN_TURN 24

#define ALL_LANES ((1u << NORN_VALHALL_WARP) - 1)

/* --- Control flow --- */

static unsigned
first_lane(unsigned mask) {
  return (unsigned)__builtin_ctz(mask);
}

/* After an instruction without `reconverge`, the active lanes must stay together and must not
 * reconverge with others. */
static bool
check_unchanged(NornValhallSimWarp *warp, GError **error) {
  uint32_t pc = warp->pc[first_lane(warp->active)];
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++) {
    if (warp->active >> lane & 1 && warp->pc[lane] != pc)
      return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_DIVERGENCE, error,
                               "the lanes diverge without the flow reconverge");
    if ((warp->alive & ~warp->active) >> lane & 1 && warp->pc[lane] == pc)
      return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_RECONVERGENCE, error,
                               "the lane waits at 0x%x, which others reach without the flow "
                               "reconverge",
                               pc * 8);
  }
  return true;
}

/* Whether there is an instruction where the active lanes, which are together, continue. */
static bool
check_counter(NornValhallSimWarp *warp, GError **error) {
  unsigned lane = warp->active ? first_lane(warp->active) : 0;
  if (!warp->active || norn_valhall_program_has(warp->run->program, warp->pc[lane]))
    return true;
  return norn_valhall_trap(warp, (int)lane, NORN_VALHALL_TRAP_PROGRAM_END, error,
                           "the program runs past its end");
}

/* Performs the flow of an executed instruction. */
static bool
apply_flow(NornValhallSimWarp *warp, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  if (warp->ignores_flow)
    return check_unchanged(warp, error) && check_counter(warp, error);
  if (instruction->waits)
    norn_valhall_wait_for_slots(warp, instruction->waits);
  unsigned ended = instruction->ends       ? warp->active & ~warp->branched
                   : instruction->discards ? warp->helpers & warp->active
                                           : 0;
  if (ended)
    norn_valhall_finish_messages(warp, ended, ~0u);
  warp->alive &= (uint16_t)~ended;
  warp->active &= warp->alive;
  if (!warp->active || instruction->reconverges)
    norn_valhall_choose_active(warp);
  else if ((instruction->target || warp->branched || warp->active != warp->alive) &&
           !check_unchanged(warp, error))
    return false;
  return check_counter(warp, error);
}

static bool
count_steps(NornValhallSimWarp *warp, GError **error) {
  NornReport *report = &warp->run->report;
  unsigned lanes = (unsigned)__builtin_popcount(warp->active);
  if (report->instructions++ % NORN_CANCEL_STEPS == 0 &&
      norn_is_cancelled(warp->run->launch->cancel))
    return norn_cancelled_error(error);
  report->thread_instructions += lanes;
  report->unit_instructions[warp->instruction->unit] += lanes;
  if (report->thread_instructions <= warp->run->step_limit)
    return true;
  char *message =
      g_strdup_printf("reached the limit of %" G_GUINT64_FORMAT " steps", warp->run->step_limit);
  norn_valhall_set_error(warp, (int)first_lane(warp->active), NORN_ERROR_LIMIT, "stopped", message,
                         error);
  g_free(message);
  return false;
}

static bool
execute(NornValhallSimWarp *warp, GError **error) {
  const NornValhallSimInstruction *instruction = warp->instruction;
  if (instruction->fault)
    return norn_valhall_trap(warp, -1, instruction->fault_kind, error, "%s", instruction->fault);
  warp->ignores_flow = false;
  warp->branched = 0;
  for (unsigned i = 0; i < NORN_VALHALL_WARP && warp->active != ALL_LANES; i++)
    warp->pc[i] += warp->active >> i & 1;
  for (unsigned i = 0; i < NORN_VALHALL_WARP && warp->active == ALL_LANES; i++)
    warp->pc[i]++;
  return instruction->action(warp, error) && apply_flow(warp, error);
}

/* The same, reported to the launch's observer. */
static bool
execute_observed(NornValhallSimWarp *warp, GError **error) {
  const NornLaunch *launch = warp->run->launch;
  struct NornObservedState state;
  NornObservation at;
  norn_valhall_observation_init(&at, &state, warp);
  if (!norn_observe(launch, &at, NORN_OBSERVE_BEFORE, error))
    return false;
  GError *trap = NULL;
  if (!execute(warp, &trap)) {
    norn_observe(launch, &at, NORN_OBSERVE_TRAP, &trap);
    g_propagate_error(error, trap);
    return false;
  }
  at.alive = warp->alive;
  at.helpers = warp->helpers;
  return norn_observe(launch, &at, NORN_OBSERVE_AFTER, error);
}

/* Executes one instruction of the active lanes. */
static bool
step(NornValhallSimWarp *warp, GError **error) {
  unsigned lane = first_lane(warp->active);
  warp->instruction = norn_valhall_program_fetch(warp->run->program, warp->pc[lane]);
  if (warp->run->random)
    norn_valhall_finish_some(warp);
  if (!count_steps(warp, error))
    return false;
  return warp->run->launch->observer ? execute_observed(warp, error) : execute(warp, error);
}

/* --- Workgroups --- */

static void
init_warp(NornValhallSimWarp *warp, NornValhallSimRun *run, uint32_t first, uint32_t invocations,
          uint32_t thread) {
  GArray *accesses[NORN_VALHALL_SLOTS], *completions = warp->completions;
  memcpy(accesses, warp->accesses, sizeof accesses);
  memset(warp, 0, sizeof *warp);
  memcpy(warp->accesses, accesses, sizeof accesses);
  warp->completions = completions;
  norn_valhall_clear_accesses(warp);
  warp->run = run;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP && first + lane < invocations; lane++) {
    uint16_t bit = (uint16_t)(1u << lane);
    warp->present |= bit;
    warp->thread[lane] = thread + first + lane + 1;
    warp->local[lane] = first + lane;
    if (norn_valhall_starts_as_helper(run->launch, run->workgroup, first + lane))
      warp->helpers |= bit;
    for (unsigned reg = norn_valhall_first_preload(run->launch); reg < NORN_VALHALL_REGISTERS;
         reg++) {
      if (!norn_launch_preloads(run->launch, reg))
        continue;
      NornValhallSimPreload preload =
          norn_valhall_preloaded(run->launch, run->workgroup, first + lane, reg);
      warp->registers[reg][lane] = preload.value;
      warp->defined[reg][lane] = preload.defined;
    }
  }
  warp->alive = warp->present;
  norn_valhall_choose_active(warp);
}

/* All warps have ended or wait. A barrier that some of them can no longer reach is a trap. */
static bool
pass_barrier(NornValhallSimWarp *warps, unsigned count, GError **error) {
  const NornValhallSimWarp *waiting = NULL, *ended = NULL;
  for (unsigned i = 0; i < count; i++) {
    *(warps[i].alive ? &waiting : &ended) = &warps[i];
  }
  if (waiting && ended)
    return norn_valhall_trap(waiting, -1, NORN_VALHALL_TRAP_BARRIER_ENDED, error,
                             "invocations %u to %u have ended without reaching the barrier",
                             ended->thread[0] - 1,
                             ended->thread[0] - 2 + (unsigned)__builtin_popcount(ended->present));
  for (unsigned i = 0; i < count; i++)
    warps[i].is_at_barrier = false;
  return true;
}

static bool
may_go_on(const NornValhallSimWarp *warp) {
  return warp->alive && !warp->is_at_barrier;
}

/* Runs the warps until all have ended or wait: in turn, or, in a run with a seed, a few
 * instructions at a time of a random warp. */
static bool
run_to_barrier(NornValhallSimWarp *warps, unsigned count, uint64_t *random, GError **error) {
  unsigned left = 0;
  for (unsigned i = 0; i < count; i++) {
    left += may_go_on(&warps[i]);
    while (!*random && may_go_on(&warps[i]))
      if (!step(&warps[i], error))
        return false;
  }
  while (*random && left) {
    NornValhallSimWarp *warp = &warps[norn_random_below(random, count)];
    unsigned steps = may_go_on(warp) ? 1 + norn_random_below(random, MAX_STEPS_IN_TURN) : 0;
    for (unsigned i = 0; i < steps && may_go_on(warp); i++)
      if (!step(warp, error))
        return false;
    left -= steps && !may_go_on(warp);
  }
  return true;
}

/* Runs the warps from barrier to barrier until all have ended. */
static bool
run_warps(NornValhallSimRun *run, NornValhallSimWarp *warps, unsigned count, GError **error) {
  for (;;) {
    bool alive = false;
    if (!run_to_barrier(warps, count, &run->random, error))
      return false;
    for (unsigned i = 0; i < count; i++)
      alive |= warps[i].alive != 0;
    if (!alive)
      return true;
    if (!pass_barrier(warps, count, error))
      return false;
    if (run->races)
      norn_races_pass_barrier(run->races);
  }
}

/* The thread-local memory that the program declares starts as zeros, as in the interpreter;
 * spill slots must be stored before they are read. Without a report, all of it counts as spill
 * slots. */
static void
clear_scratch(NornValhallSimRun *run, uint32_t invocations) {
  const NornLaunch *launch = run->launch;
  size_t size = launch->scratch_bytes, declared = 0;
  if (launch->info)
    declared = MIN(size, launch->info->thread_local_size - launch->info->spilled_size);
  memset(run->scratch_stored, declared == size ? 0xFF : 0, (size * invocations + 7) / 8);
  if (declared)
    memset(run->scratch, 0, size * invocations);
  for (size_t i = 0; declared < size && i < declared * invocations; i++) {
    size_t byte = i / declared * size + i % declared;
    run->scratch_stored[byte / 8] |= (uint8_t)(1u << byte % 8);
  }
}

static bool
run_workgroup(NornValhallSimRun *run, NornValhallSimWarp *warps, uint64_t number, GError **error) {
  const NornLaunch *launch = run->launch;
  uint32_t invocations = norn_launch_invocations(launch);
  unsigned count = (invocations + NORN_VALHALL_WARP - 1) / NORN_VALHALL_WARP;
  if (launch->shared_bytes)
    memset(run->shared, 0, launch->shared_bytes);
  if (launch->scratch_bytes)
    clear_scratch(run, invocations);
  for (unsigned i = 0; i < count; i++)
    init_warp(&warps[i], run, i * NORN_VALHALL_WARP, invocations, (uint32_t)(number * invocations));
  run->report.warps += count;
  run->report.invocations += invocations;
  if (run->races)
    norn_races_start_workgroup(run->races);
  return run_warps(run, warps, count, error);
}

static bool
run_grid(NornValhallSimRun *run, NornValhallSimWarp *warps, GError **error) {
  const uint32_t *grid = run->launch->grid;
  uint64_t number = 0;
  for (run->workgroup[2] = 0; run->workgroup[2] < grid[2]; run->workgroup[2]++)
    for (run->workgroup[1] = 0; run->workgroup[1] < grid[1]; run->workgroup[1]++)
      for (run->workgroup[0] = 0; run->workgroup[0] < grid[0]; run->workgroup[0]++)
        if (!norn_raster_is_empty(run->launch, run->workgroup) &&
            !run_workgroup(run, warps, number++, error))
          return false;
  return true;
}

/* Whether the state and memory of the warps are within the launch's limit. */
static bool
check_memory(const NornLaunch *launch, unsigned warps, GError **error) {
  uint64_t scratch = (uint64_t)launch->scratch_bytes * norn_launch_invocations(launch);
  uint64_t bytes =
      warps * sizeof(NornValhallSimWarp) + launch->shared_bytes + scratch + scratch / 8;
  if (!launch->memory_limit || bytes <= launch->memory_limit)
    return true;
  g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
              "the registers and the memory of %u warps take %" G_GUINT64_FORMAT
              " bytes, expected at most %zu",
              warps, bytes, launch->memory_limit);
  return false;
}

static bool
simulate(const void *code, size_t size, const char *architecture, const NornLaunch *launch,
         NornReport *report, GError **error) {
  NornValhallSimProgram program;
  uint32_t invocations = norn_launch_invocations(launch);
  unsigned warp_count = (invocations + NORN_VALHALL_WARP - 1) / NORN_VALHALL_WARP;
  if (!norn_launch_check(launch, error) || !check_memory(launch, warp_count, error) ||
      !norn_valhall_program_init(&program, code, size, architecture, launch, error))
    return false;
  NornValhallSimRun run = {
      .isa = program.isa,
      .architecture = program.architecture,
      .instruction_count = program.count,
      .program = &program,
      .races = launch->check_races ? norn_races_new() : NULL,
      .random = launch->seed,
      .reached = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
      .launch = launch,
      .ftz =
          norn_launch_ftz(launch, launch->info ? launch->info->denormals : NORN_DENORMALS_PRESERVE),
      .step_limit = norn_launch_step_limit(launch)};
  NornValhallSimWarp *warps = g_new0(NornValhallSimWarp, warp_count);
  norn_valhall_sample_positions(launch, run.sample_positions);
  run.shared = norn_memory_allocate(launch->shared_bytes, "workgroup memory", error);
  if (run.shared)
    run.scratch =
        norn_memory_allocate(launch->scratch_bytes * invocations, "thread-local memory", error);
  if (run.scratch)
    run.scratch_stored = norn_memory_allocate((launch->scratch_bytes * invocations + 7) / 8,
                                              "thread-local memory", error);
  if (run.random)
    norn_valhall_program_find_branches(&program);
  bool ok = run.scratch_stored && run_grid(&run, warps, error);
  if (report)
    *report = run.report;
  for (unsigned i = 0; i < warp_count; i++) {
    norn_valhall_free_accesses(&warps[i]);
    if (warps[i].completions)
      g_array_unref(warps[i].completions);
  }
  norn_races_free(run.races);
  g_hash_table_destroy(run.reached);
  g_free(run.scratch_stored);
  g_free(run.scratch);
  g_free(run.shared);
  g_free(warps);
  norn_valhall_program_clear(&program);
  return ok;
}

bool
norn_simulate_valhall(const void *code, size_t size, const char *architecture,
                      const NornLaunch *launch, NornReport *report, GError **error) {
  NornLaunch complete = *launch;
  g_autoptr(NornMemory) own = NULL;
  const NornCompileInfo *info = launch->info;
  size_t data_size = info ? info->data_size : 0;
  if (data_size && (info->data_offset > size || data_size > size - info->data_offset ||
                    info->instructions > info->data_offset / 8)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%zu bytes are too few for the code and the constant data", size);
    return false;
  }
  if (data_size &&
      !norn_launch_map_data(&complete, &own, NORN_VALHALL_CODE_ADDRESS + info->data_offset,
                            (const uint8_t *)code + info->data_offset, data_size, error))
    return false;
  bool done = simulate(code, size, architecture, &complete, report, error);
  norn_memory_unmap_data(complete.memory);
  return done;
}
