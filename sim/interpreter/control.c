/* Taking edges, waiting, ending. */
#include "sim/interpreter/control.h"
#include "sim/interpreter/fragment.h"
#include "sim/interpreter/state.h"

bool
norn_step_barrier(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)step, (void)error;
  warp->waiting |= active;
  return true;
}

/* For a fence: invocations run one after the other, so memory is always in order. For a loop
 * entry: its information on the block is already in the order of the nodes. */
bool
norn_step_nothing(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)warp, (void)step, (void)active, (void)error;
  return true;
}

bool
norn_step_jump(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  norn_warp_take_edge(warp, step->edge, active);
  return true;
}

bool
norn_step_branch(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  if (!norn_step_check_defined(warp, step, 0, active, "the condition", error))
    return false;
  const uint64_t *condition = norn_step_lanes(warp, step, 0);
  unsigned taken = 0;
  norn_for_each_lane(active, lane) {
    taken |= (unsigned)(condition[lane] & 1) << lane;
  }
  norn_warp_take_branch(warp, step, active, taken);
  return true;
}

bool
norn_step_switch(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  if (!norn_step_check_defined(warp, step, 0, active, "the value", error))
    return false;
  const uint64_t *value = norn_step_lanes(warp, step, 0);
  unsigned left = active;
  for (uint32_t k = 1; left && k < step->edge_count; k++) {
    const NornStepEdge *edge =
        &g_array_index(warp->run->program->edges, NornStepEdge, step->edge + k);
    unsigned taken = 0;
    norn_for_each_lane(left, lane) {
      taken |= (unsigned)(value[lane] == edge->value) << lane;
    }
    if (taken)
      norn_warp_take_edge(warp, step->edge + k, taken);
    left &= ~taken;
  }
  if (left)
    norn_warp_take_edge(warp, step->edge, left);
  return true;
}

bool
norn_step_end(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  if (norn_step_inst(step)->op == NORN_OP_END)
    norn_fragment_finish(warp, active);
  warp->live &= ~active;
  return true;
}

bool
norn_step_unreachable(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  return norn_trap(warp, step, (unsigned)__builtin_ctz(active), error, "reached");
}
