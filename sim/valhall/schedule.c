/* Chooses which lanes of a warp continue if there is a choice.
 *
 * Lanes at an instruction need not wait for other lanes that can no longer reach it along the
 * branches of the program. Paths through a branch back around the instruction do not count,
 * since the lanes of a loop wait for each other at its end, where its last branch leads back.
 * Lanes at the lowest address never need to wait. Without a seed, they always run; with a seed,
 * any lanes that need not wait may run. The same lanes are together either way. An edge that no
 * lane takes may determine where lanes wait, so it counts (norn_valhall_program_jumps). In a
 * program that is not structured (NornValhallSimProgram), the lowest lanes always run first. */
#include "sim/valhall/schedule.h"
#include "ir/random.h"
#include "sim/valhall/program.h"
#include <norn/valhall.h>

/* Lists the instructions that may execute next; returns their number. */
static unsigned
successors(const NornValhallSimRun *run, uint32_t index, int64_t next[2]) {
  const NornValhallSimInstruction *instruction = norn_valhall_program_fetch(run->program, index);
  unsigned count = 0;
  bool is_branch = !instruction->fault && instruction->target;
  bool is_jump = is_branch && instruction->encoding->instruction == NORN_VALHALL_BRANCHZ &&
                 instruction->source[0].kind == NORN_VALHALL_SOURCE_VALUE &&
                 norn_valhall_branch_taken(&instruction->operation, instruction->source[0].value);
  if (instruction->fault || (instruction->ends && !is_branch))
    return 0;
  /* After a backward branch, an edge that no lane takes may leave the loop. */
  bool falls_through =
      !is_jump || instruction->distance < 0 || !norn_valhall_program_jumps(run->program, index);
  if (falls_through)
    next[count++] = (int64_t)index + 1;
  if (is_branch)
    next[count++] = (int64_t)index + 1 + instruction->distance;
  return count;
}

/* Whether lanes at `from` can reach `to` while lanes wait there. */
static bool
search(const NornValhallSimRun *run, uint32_t from, uint32_t to) {
  uint8_t *seen = g_new0(uint8_t, run->instruction_count);
  GArray *stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  bool found = false;
  g_array_append_val(stack, from);
  while (!found && stack->len) {
    uint32_t index = g_array_index(stack, uint32_t, stack->len - 1);
    g_array_set_size(stack, stack->len - 1);
    int64_t next[2];
    for (unsigned i = successors(run, index, next); i-- > 0;) {
      bool leads_around = next[i] <= to && to <= index;
      if (next[i] < 0 || next[i] >= run->instruction_count || leads_around || seen[next[i]])
        continue;
      uint32_t target = (uint32_t)next[i];
      found |= target == to;
      seen[target] = 1;
      g_array_append_val(stack, target);
    }
  }
  g_array_free(stack, TRUE);
  g_free(seen);
  return found;
}

static bool
may_reach(const NornValhallSimRun *run, uint32_t from, uint32_t to) {
  gint64 key = (gint64)from << 32 | to;
  gpointer known;
  if (g_hash_table_lookup_extended(run->reached, &key, NULL, &known))
    return GPOINTER_TO_INT(known);
  bool reaches = search(run, from, to);
  g_hash_table_insert(run->reached, g_memdup2(&key, sizeof key), GINT_TO_POINTER(reaches));
  return reaches;
}

/* Whether the lanes at `pc` need not wait for any other living lane. */
static bool
may_run(const NornValhallSimWarp *warp, uint32_t pc) {
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    if (warp->alive >> lane & 1 && warp->pc[lane] != pc && may_reach(warp->run, warp->pc[lane], pc))
      return false;
  return true;
}

/* The program counter of lanes that need not wait, chosen at random. */
static uint32_t
draw_counter(const NornValhallSimWarp *warp, uint32_t lowest) {
  uint32_t chosen = lowest, count = 1;
  uint16_t seen = 0;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++) {
    uint32_t pc = warp->pc[lane];
    if (!(warp->alive >> lane & 1) || seen >> lane & 1 || pc == lowest)
      continue;
    for (unsigned other = lane; other < NORN_VALHALL_WARP; other++)
      seen |= (uint16_t)((warp->pc[other] == pc) << other);
    if (may_run(warp, pc) && norn_random_below(&warp->run->random, ++count) == 0)
      chosen = pc;
  }
  return chosen;
}

void
norn_valhall_choose_active(NornValhallSimWarp *warp) {
  uint32_t lowest = UINT32_MAX, highest = 0;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    if (warp->alive >> lane & 1) {
      lowest = MIN(lowest, warp->pc[lane]);
      highest = MAX(highest, warp->pc[lane]);
    }
  if (warp->run->random && lowest < highest && highest < warp->run->instruction_count &&
      warp->run->program->is_structured)
    lowest = draw_counter(warp, lowest);
  warp->active = 0;
  for (unsigned lane = 0; lane < NORN_VALHALL_WARP; lane++)
    warp->active |= (uint16_t)((warp->alive >> lane & 1 && warp->pc[lane] == lowest) << lane);
}
