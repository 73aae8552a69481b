/* The IDs of an invocation. */
#include "sim/interpreter/invocation.h"
#include "sim/interpreter/state.h"

static uint32_t
compute_number(const NornRun *run, const NornInst *inst, uint32_t index) {
  unsigned axis = inst->modifier;
  uint32_t position[3];
  switch (inst->op) {
  case NORN_OP_GLOBAL_ID:
    norn_run_position(run, index, position);
    return position[axis];
  case NORN_OP_LOCAL_ID:
    norn_launch_position(run->launch, index, position);
    return position[axis];
  case NORN_OP_LOCAL_INDEX:
    return index;
  case NORN_OP_SUBGROUP_ID:
    return index / run->program->lanes;
  case NORN_OP_WORKGROUP_ID:
    return run->workgroup[axis];
  case NORN_OP_WORKGROUP_SIZE:
    return run->launch->workgroup[axis];
  case NORN_OP_WORKGROUP_COUNT:
    return run->launch->grid[axis];
  default:
    return index % run->program->lanes;
  }
}

static uint32_t
draw_number(const NornRun *run, const NornInst *inst, uint32_t index) {
  const NornVertexState *vertex = run->launch->vertex;
  const NornFragmentState *fragment = run->launch->fragment;
  uint32_t position[3];
  norn_run_position(run, index, position);
  switch (inst->op) {
  case NORN_OP_VERTEX_ID:
    return position[0] + (vertex ? vertex->first_vertex : 0);
  case NORN_OP_INSTANCE_ID:
    return position[1];
  case NORN_OP_DRAW_ID:
    return vertex ? vertex->draw_id : 0;
  default:
    return fragment ? fragment->view_index : vertex ? vertex->view_index : 0;
  }
}

static uint32_t
invocation_number(const NornWarp *warp, const NornInst *inst, unsigned lane) {
  bool draws = inst->op == NORN_OP_VERTEX_ID || inst->op == NORN_OP_INSTANCE_ID ||
               inst->op == NORN_OP_DRAW_ID || inst->op == NORN_OP_VIEW_INDEX;
  return draws ? draw_number(warp->run, inst, warp->first + lane)
               : compute_number(warp->run, inst, warp->first + lane);
}

bool
norn_step_invocation(NornWarp *warp, const NornStep *step, unsigned active, GError **error) {
  (void)error;
  uint64_t *result = norn_step_define(warp, step, 0, active);
  norn_for_each_lane(active, lane) {
    result[lane] = invocation_number(warp, norn_step_inst(step), lane);
  }
  return true;
}
