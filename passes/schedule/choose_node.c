/* Chooses the next node of a region.
 *
 * Among the nodes whose operands should have arrived, the one with the longest path to the region's
 * end is chosen, or one with nearly as long a path whose group shares words with the last group.
 * Near the register limit, it is the one that frees the most registers (or costs the fewest); if
 * there is no room for a group, one that uses up another group. Where registers come first, nodes
 * that free registers are scheduled as soon as possible, then what the next of the region's last
 * readers needs. */
#include "ir/random.h"
#include "passes/schedule/groups.h"
#include "passes/schedule/heap.h"

enum {
  LOOKAHEAD = 16,       /* candidates compared when registers are short */
  TIGHT_LOOKAHEAD = 64, /* the same where registers come first */
  NEARLY = 16,          /* a path that is at most this much shorter is nearly as long */
};

/* The change of pressure in the register classes that are short. */
static int
change_by(const Schedule *schedule, uint32_t index) {
  const Node *node = norn_schedule_node(schedule, index);
  int change = 0;
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    if (schedule->is_tight || schedule->crowding.of[class] > schedule->comfortable.of[class])
      change += (int)node->taken.of[class] - (int)node->freed.of[class];
  return change;
}

/* The next node when registers are short: the cheapest of a few candidates; `first` is the first
 * node not scheduled. */
static uint32_t
choose_by_pressure(const Schedule *schedule, uint32_t first) {
  const NornIndexList *heap = &schedule->available;
  uint32_t best = first;
  int best_change = change_by(schedule, first);
  for (unsigned i = 0; i < MIN(heap->count, LOOKAHEAD); i++) {
    uint32_t candidate = heap->items[i];
    int change = change_by(schedule, candidate);
    if (change < best_change || (change == best_change && candidate < best)) {
      best_change = change;
      best = candidate;
    }
  }
  return best;
}

/* Among some nodes of a heap, the one that frees the most; NORN_INDEX_NONE: each takes more than it
 * frees. */
static uint32_t
find_freeing(const Schedule *schedule, const NornIndexList *heap) {
  uint32_t best = NORN_INDEX_NONE;
  int best_change = 0;
  for (unsigned i = 0; i < MIN(heap->count, TIGHT_LOOKAHEAD); i++) {
    uint32_t candidate = heap->items[i];
    int change = change_by(schedule, candidate);
    if (change < best_change ||
        (change == best_change &&
         (best == NORN_INDEX_NONE || norn_is_higher(norn_schedule_node(schedule, candidate),
                                                    norn_schedule_node(schedule, best))))) {
      best_change = change;
      best = candidate;
    }
  }
  return best;
}

/* The next node where registers come first: one that takes no more registers than it frees, or else
 * the one of highest rank. Nodes that have to wait come after everything that the budget allows to
 * start before them, so that one wait covers several messages. From then on nothing is started
 * until no node frees registers any more. */
static uint32_t
choose_tightly(Schedule *schedule) {
  const NornIndexList *available = &schedule->available, *pending = &schedule->pending;
  uint32_t best = find_freeing(schedule, available);
  if (best != NORN_INDEX_NONE)
    return best;
  if (available->count && !schedule->is_draining) {
    int change = change_by(schedule, available->items[0]);
    if (norn_counts_sum(schedule->pressure) + change <= (int)schedule->budget)
      return available->items[0];
  }
  best = find_freeing(schedule, pending);
  schedule->is_draining = best != NORN_INDEX_NONE;
  if (schedule->is_draining)
    return best;
  best = available->count ? available->items[0] : pending->items[0];
  for (unsigned i = 0; i < MIN(pending->count, TIGHT_LOOKAHEAD); i++)
    if (norn_is_higher(norn_schedule_node(schedule, pending->items[i]),
                       norn_schedule_node(schedule, best)))
      best = pending->items[i];
  return best;
}

/* How many words the node's group shares with the last group at the same places. */
static unsigned
shared_words(const Schedule *schedule, const Node *node) {
  const NornFunction *function = schedule->function;
  if (node->group == NORN_INDEX_NONE)
    return 0;
  const NornInst *group = norn_inst(function, node->group);
  const NornInst *last = norn_inst(function, schedule->last_group);
  unsigned shared = 0;
  for (unsigned k = 0; k < MIN(group->operand_count, last->operand_count); k++)
    shared += norn_operands(function, group)[k] == norn_operands(function, last)[k];
  return shared;
}

/* Position of the next node in the heap of available nodes: the top or, if the top makes or reads a
 * group, a node of nearly the same height whose group shares the most words with the last group.
 * Those words can stay in their registers. */
static unsigned
choose_available(const Schedule *schedule) {
  const NornIndexList *heap = &schedule->available;
  const Node *top = norn_schedule_node(schedule, heap->items[0]);
  if (schedule->last_group == NORN_INDEX_NONE || top->group == NORN_INDEX_NONE)
    return 0;
  unsigned best = 0, max_shared = shared_words(schedule, top);
  for (unsigned i = 1; i < MIN(heap->count, LOOKAHEAD); i++) {
    const Node *node = norn_schedule_node(schedule, heap->items[i]);
    if (node->height + NEARLY < top->height)
      continue;
    unsigned shared = shared_words(schedule, node);
    if (shared > max_shared ||
        (shared == max_shared &&
         norn_is_higher(node, norn_schedule_node(schedule, heap->items[best])))) {
      max_shared = shared;
      best = i;
    }
  }
  return best;
}

/* Whether the node makes a group that fits only if it can use the dead words of other groups, which
 * need not be adjacent. */
static bool
lacks_room(const Schedule *schedule, const Node *node) {
  return norn_counts_sum(node->taken) > 1 && norn_counts_sum(schedule->holes) &&
         norn_counts_exceed(
             norn_counts_plus(norn_counts_plus(schedule->pressure, schedule->holes), node->taken),
             schedule->limit);
}

/* Position in the heap of available nodes of a node after which a partly dead group is dead, or at
 * least another word of it; NORN_INDEX_NONE: there is none. */
static unsigned
find_closing(const Schedule *schedule) {
  const NornFunction *function = schedule->function;
  const NornIndexList *heap = &schedule->available;
  unsigned best = NORN_INDEX_NONE;
  uint32_t fewest = NORN_INDEX_NONE;
  for (unsigned i = 0; i < MIN(heap->count, LOOKAHEAD); i++) {
    const Node *node = norn_schedule_node(schedule, heap->items[i]);
    if (norn_counts_sum(node->taken) > 1)
      continue;
    for (uint32_t k = 0; k < node->use_count; k++) {
      uint32_t use = schedule->uses.items[node->first_use + k];
      const NornValue *value = norn_value(function, use);
      if (schedule->readers_left[use].count > 1 || value->is_parameter)
        continue;
      const NornInst *inst = norn_inst(function, value->def);
      if (inst->op != NORN_OP_SPLIT || inst->block != schedule->block)
        continue;
      uint32_t left = schedule->words_left[value->def];
      if (left < inst->result_count && left < fewest) {
        fewest = left;
        best = i;
      }
    }
  }
  return best;
}

/* Removes a node from the heap that it is in. */
static void
take_out(Schedule *schedule, uint32_t index) {
  unsigned position = norn_schedule_node(schedule, index)->position;
  NornIndexList *heap = &schedule->available;
  if (position < heap->count && heap->items[position] == index)
    norn_heap_remove(schedule, heap, position, norn_is_higher);
  else
    norn_heap_remove(schedule, &schedule->pending, position, norn_is_sooner);
}

uint32_t
norn_schedule_choose(Schedule *schedule, uint32_t first, uint32_t *now) {
  NornIndexList *available = &schedule->available, *pending = &schedule->pending;
  while (pending->count && norn_schedule_node(schedule, pending->items[0])->ready <= *now)
    norn_heap_push(schedule, available, norn_heap_remove(schedule, pending, 0, norn_is_sooner),
                   norn_is_higher);
  if (schedule->random) { /* latencies do not count, so no node is pending */
    unsigned position = norn_random_linear(&schedule->random) % available->count;
    return norn_heap_remove(schedule, available, position, norn_is_higher);
  }
  if (schedule->is_tight || norn_counts_exceed(schedule->crowding, schedule->comfortable)) {
    uint32_t index =
        schedule->is_tight ? choose_tightly(schedule) : choose_by_pressure(schedule, first);
    *now = MAX(*now, norn_schedule_node(schedule, index)->ready);
    take_out(schedule, index);
    return index;
  }
  if (available->count) {
    unsigned position = choose_available(schedule);
    if (!schedule->is_allocated &&
        lacks_room(schedule, norn_schedule_node(schedule, available->items[position]))) {
      unsigned closing = find_closing(schedule);
      if (closing != NORN_INDEX_NONE)
        position = closing;
    }
    return norn_heap_remove(schedule, available, position, norn_is_higher);
  }
  *now = norn_schedule_node(schedule, pending->items[0])->ready;
  return norn_heap_remove(schedule, pending, 0, norn_is_sooner);
}
