/* Materialize: where to make a value that takes no operands (a constant, a uniform) for its users.
 *
 * The demands for one value are met by one instruction in the nearest block that dominates all of
 * them, before the first. Out of loops it moves to where it is made once, but only for the values
 * used most: each of them occupies a register for the whole loop. What the allocator cannot keep it
 * makes again. */
#include "passes/materialize.h"
#include "ir/dominance.h"
#include <stdlib.h>

/* Values kept in registers through loops; more would cost threads. */
#define KEPT_VALUES 12
/* A use in a loop counts as so many outside. */
#define LOOP_WEIGHT 8
#define DEEPEST_WEIGHT 6

/* The demands [first, first + count) for one value. */
typedef struct Group {
  uint32_t first, count;
  uint32_t block; /* where it is made */
  uint64_t weight;
} Group;

typedef struct Sorted {
  NornDemand demand;
  uint32_t number; /* of the instruction, in dominance order */
} Sorted;

void
norn_demand(NornDemands *demands, uint64_t key, uint32_t inst, uint32_t operand) {
  NORN_GROW(demands->items, demands->capacity, demands->count + (uint64_t)1);
  demands->items[demands->count++] = (NornDemand){key, inst, operand};
}

static int
compare_demands(const void *left, const void *right) {
  const Sorted *a = left, *b = right;
  if (a->demand.key != b->demand.key)
    return a->demand.key < b->demand.key ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

/* Heaviest first; among equals the order of first use. */
static int
compare_groups(const void *left, const void *right) {
  const Group *a = left, *b = right;
  if (a->weight != b->weight)
    return a->weight > b->weight ? -1 : 1;
  return a->first < b->first ? -1 : a->first > b->first;
}

/* The demands by value, and of each value in program order. */
static Sorted *
sort_demands(const NornFunction *function, const NornDominance *dominance,
             const NornDemands *demands) {
  uint32_t *numbers = g_new0(uint32_t, function->inst_count);
  Sorted *sorted = g_new(Sorted, demands->count);
  uint32_t number = 0;
  for (uint32_t k = 0; k < dominance->order_count; k++)
    norn_for_each_inst (function, dominance->order[k], inst)
      numbers[inst] = number++;
  for (uint32_t k = 0; k < demands->count; k++)
    sorted[k] = (Sorted){demands->items[k], numbers[demands->items[k].inst]};
  qsort(sorted, demands->count, sizeof *sorted, compare_demands);
  g_free(numbers);
  return sorted;
}

static uint32_t
common_dominator(const NornDominance *dominance, uint32_t a, uint32_t b) {
  while (!norn_dominates(dominance, a, b))
    a = dominance->idom[a];
  return a;
}

static Group *
group_demands(const NornFunction *function, const NornDominance *dominance, const Sorted *sorted,
              uint32_t count, uint32_t *group_count) {
  Group *groups = g_new(Group, count);
  uint32_t filled = 0;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t block = function->insts[sorted[k].demand.inst].block;
    if (!k || sorted[k].demand.key != sorted[k - 1].demand.key)
      groups[filled++] = (Group){.first = k, .block = block};
    Group *group = &groups[filled - 1];
    uint64_t weight = 1;
    for (uint32_t depth = MIN(dominance->loop_depth[block], DEEPEST_WEIGHT); depth > 0; depth--)
      weight *= LOOP_WEIGHT;
    group->count++;
    group->weight += weight;
    group->block = common_dominator(dominance, group->block, block);
  }
  *group_count = filled;
  return groups;
}

/* Before the first user in the block, or at its end. */
static uint32_t
place_in(const NornFunction *function, const Group *group, const Sorted *sorted) {
  for (uint32_t k = group->first; k < group->first + group->count; k++)
    if (function->insts[sorted[k].demand.inst].block == group->block)
      return sorted[k].demand.inst;
  return function->blocks[group->block].last;
}

void
norn_demands_meet(NornPassContext *context, NornFunction *function, NornDemands *demands,
                  NornMake make) {
  if (demands->count) {
    uint32_t group_count;
    const NornDominance *dominance = norn_pass_dominance(context, function);
    Sorted *sorted = sort_demands(function, dominance, demands);
    Group *groups = group_demands(function, dominance, sorted, demands->count, &group_count);
    qsort(groups, group_count, sizeof *groups, compare_groups);
    for (uint32_t k = 0; k < group_count; k++) {
      Group *group = &groups[k];
      while (k < KEPT_VALUES && dominance->loop_depth[group->block])
        group->block = dominance->idom[dominance->loop_header[group->block]];
      uint32_t before = place_in(function, group, sorted);
      NornRef made = make(context, function, sorted[group->first].demand.key, before);
      for (uint32_t j = group->first; j < group->first + group->count; j++) {
        const NornDemand *demand = &sorted[j].demand;
        function->operands[function->insts[demand->inst].operand + demand->operand] = made;
      }
    }
    g_free(groups);
    g_free(sorted);
  }
  g_free(demands->items);
  *demands = (NornDemands){0};
}
