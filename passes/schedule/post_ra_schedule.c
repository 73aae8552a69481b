/* Schedules again after register allocation.
 *
 * Allocation has inserted moves, spills and fills, and the first schedule considered neither short
 * latencies nor messages that queue for their unit. Pressure no longer matters: the code keeps its
 * registers, which order the instructions that may not pass each other (dependence_graph.c). */
#include "passes/schedule/schedule.h"

bool
norn_pass_post_ra_schedule(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Schedule schedule = norn_schedule_new(context, function);
  schedule.is_allocated = true;
  schedule.short_latency = 1;
  schedule.counts_units = context->target->occupies != NULL;
  norn_schedule_blocks(&schedule);
  return true;
}
