/* Traps, and how lanes take edges. */
#include "sim/interpreter/state.h"
#include "ir/diagnostics.h"
#include "ir/ops.h"
#include <string.h>

char *
norn_trap_location(const NornWarp *warp, const NornStep *step, unsigned lane) {
  const NornInst *inst = norn_step_inst(step);
  uint32_t position[3];
  norn_run_position(warp->run, warp->first + lane, position);
  char *location = norn_inst_location(step->function, inst);
  char *start =
      g_strdup_printf("%s: %s in invocation (%u, %u, %u), lane %u: ", location,
                      norn_is_machine(inst) ? "machine instruction" : norn_ops[inst->op].name,
                      position[0], position[1], position[2], lane);
  g_free(location);
  return start;
}

bool
norn_trap(const NornWarp *warp, const NornStep *step, unsigned lane, GError **error,
          const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *message = norn_format_message(format, arguments);
  va_end(arguments);
  char *location = norn_trap_location(warp, step, lane);
  g_set_error(error, NORN_ERROR, NORN_ERROR_TRAP, "%s%s", location, message);
  g_free(location);
  g_free(message);
  return false;
}

bool
norn_step_check_defined(const NornWarp *warp, const NornStep *step, unsigned k, unsigned active,
                        const char *what, GError **error) {
  unsigned undefined = norn_step_undefined(warp, step, k) & active;
  if (!undefined)
    return true;
  return norn_trap(warp, step, (unsigned)__builtin_ctz(undefined), error, "%s is undefined", what);
}

void
norn_warp_take_edge(NornWarp *warp, uint32_t index, unsigned lanes) {
  NornRun *run = warp->run;
  const NornProgram *program = run->program;
  const NornStepEdge *edge = &g_array_index(program->edges, NornStepEdge, index);
  const NornMove *moves = &g_array_index(program->moves, NornMove, edge->move);
  /* All arguments are read before any parameter is written. */
  if (edge->move_count > run->held_capacity) {
    run->held_capacity = edge->move_count;
    run->held = g_realloc_n(run->held, run->held_capacity, NORN_LANES * sizeof(uint64_t));
    run->held_undefined = g_renew(uint16_t, run->held_undefined, run->held_capacity);
  }
  for (uint32_t i = 0; i < edge->move_count; i++) {
    memcpy(run->held + (size_t)i * NORN_LANES, norn_warp_slot(warp, moves[i].from),
           NORN_LANES * sizeof(uint64_t));
    run->held_undefined[i] = warp->undefined[moves[i].from];
  }
  for (uint32_t i = 0; i < edge->move_count; i++) {
    uint64_t *target = norn_warp_slot(warp, moves[i].to);
    norn_for_each_lane(lanes, lane) {
      target[lane] = run->held[(size_t)i * NORN_LANES + lane];
    }
    norn_warp_set_undefined(warp, moves[i].to, lanes, run->held_undefined[i]);
  }
  uint32_t node = program->convergence.node_of_key[edge->key];
  norn_for_each_lane(lanes, lane) {
    warp->key[lane] = edge->key;
    warp->step[lane] = g_array_index(program->nodes, NornNode, node).first;
  }
}

void
norn_warp_take_branch(NornWarp *warp, const NornStep *step, unsigned active, unsigned taken) {
  if (taken)
    norn_warp_take_edge(warp, step->edge, taken);
  if (active & ~taken)
    norn_warp_take_edge(warp, step->edge + 1, active & ~taken);
}
