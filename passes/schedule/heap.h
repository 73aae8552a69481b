/* Heaps of ready nodes: binary heaps in lists of node numbers. Each node stores its position. */
#ifndef NORN_PASSES_SCHEDULE_HEAP_H
#define NORN_PASSES_SCHEDULE_HEAP_H

#include "passes/schedule/schedule.h"

/* Whether node a comes before node b in a heap; ties are broken by the old order. */
typedef bool (*NornBefore)(const Node *a, const Node *b);

static inline bool
norn_is_higher(const Node *a, const Node *b) {
  return a->height != b->height ? a->height > b->height : a < b;
}

static inline bool
norn_is_sooner(const Node *a, const Node *b) {
  return a->ready != b->ready ? a->ready < b->ready : norn_is_higher(a, b);
}

static inline void
norn_heap_set(const Schedule *schedule, NornIndexList *heap, unsigned position, uint32_t index) {
  heap->items[position] = index;
  norn_schedule_node(schedule, index)->position = position;
}

/* Moves node `index` from `position` toward the top, past those that come after it. */
static inline void
norn_heap_rise(const Schedule *schedule, NornIndexList *heap, unsigned position, uint32_t index,
               NornBefore before) {
  for (; position; position = (position - 1) / 2) {
    uint32_t parent = heap->items[(position - 1) / 2];
    if (!before(norn_schedule_node(schedule, index), norn_schedule_node(schedule, parent)))
      break;
    norn_heap_set(schedule, heap, position, parent);
  }
  norn_heap_set(schedule, heap, position, index);
}

static inline void
norn_heap_sink(const Schedule *schedule, NornIndexList *heap, unsigned position, uint32_t index,
               NornBefore before) {
  for (unsigned child; (child = 2 * position + 1) < heap->count; position = child) {
    uint32_t best = heap->items[child];
    if (child + 1 < heap->count) {
      uint32_t right = heap->items[child + 1];
      if (before(norn_schedule_node(schedule, right), norn_schedule_node(schedule, best))) {
        best = right;
        child++;
      }
    }
    if (!before(norn_schedule_node(schedule, best), norn_schedule_node(schedule, index)))
      break;
    norn_heap_set(schedule, heap, position, best);
  }
  norn_heap_set(schedule, heap, position, index);
}

static inline void
norn_heap_push(const Schedule *schedule, NornIndexList *heap, uint32_t index, NornBefore before) {
  norn_list_push(schedule->arena, heap, index);
  norn_heap_rise(schedule, heap, heap->count - 1, index, before);
}

/* Removes and returns the node at the position. */
static inline uint32_t
norn_heap_remove(const Schedule *schedule, NornIndexList *heap, unsigned position,
                 NornBefore before) {
  NORN_ASSERT(position < heap->count);
  uint32_t index = heap->items[position], last = heap->items[--heap->count];
  if (position < heap->count) {
    norn_heap_sink(schedule, heap, position, last, before);
    norn_heap_rise(schedule, heap, norn_schedule_node(schedule, last)->position, last, before);
  }
  return index;
}

#endif
