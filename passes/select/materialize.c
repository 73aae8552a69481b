/* Decides where to make a value without operands (a constant or a uniform) for its users.
 *
 * One instruction makes the value for all its uses, in the nearest block that dominates them and
 * before the first of them; uses far from the others get an instruction of their own. The
 * instruction is hoisted out of loops, but only for the most used values: each of them occupies a
 * register throughout the loop. Values that the allocator cannot keep in registers are
 * rematerialized. */
#include "passes/select/materialize.h"
#include "ir/analysis/dominance.h"
#include <stdlib.h>

/* The number of values kept in registers through loops; more would cost threads. */
#define KEPT_VALUES 12

/* The maximum distance, in instructions, between two uses of a value for which a register is
 * kept. */
#define FAR_USE 128

/* The uses [first, first + count) of one value. */
typedef struct Group {
  uint32_t first, count;
  uint32_t block; /* where it is made */
  uint64_t weight;
} Group;

typedef struct Sorted {
  NornConstantUse use;
  uint32_t number; /* of the instruction, in dominance order */
} Sorted;

void
norn_constant_use_add(NornConstantUses *uses, uint64_t key, uint32_t inst, uint32_t operand) {
  NORN_ARENA_GROW(uses->arena, uses->items, uses->capacity, uses->count + (uint64_t)1);
  uses->items[uses->count++] = (NornConstantUse){key, inst, operand};
}

static int
compare_demands(const void *left, const void *right) {
  const Sorted *a = left, *b = right;
  if (a->use.key != b->use.key)
    return a->use.key < b->use.key ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

/* Heaviest first; ties in the order of first use. */
static int
compare_groups(const void *left, const void *right) {
  const Group *a = left, *b = right;
  if (a->weight != b->weight)
    return a->weight > b->weight ? -1 : 1;
  return a->first < b->first ? -1 : a->first > b->first;
}

/* The uses sorted by value and, for each value, in program order. */
static Sorted *
sort_demands(const NornFunction *function, const NornDominance *dominance,
             const NornConstantUses *uses) {
  uint32_t *numbers = NORN_NEW0(uses->arena, uint32_t, function->inst_count);
  Sorted *sorted = NORN_NEW(uses->arena, Sorted, uses->count);
  uint32_t number = 0;
  for (uint32_t k = 0; k < dominance->order_count; k++)
    norn_for_each_inst (function, dominance->order[k], inst)
      numbers[inst] = number++;
  for (uint32_t k = 0; k < uses->count; k++)
    sorted[k] = (Sorted){uses->items[k], numbers[uses->items[k].inst]};
  qsort(sorted, uses->count, sizeof *sorted, compare_demands);
  return sorted;
}

/* Whether keeping the value in a register from one use to the next costs more than making it again.
 * Making it again in a loop would repeat it in each iteration. */
static bool
is_far(const NornFunction *function, const NornDominance *dominance, const Sorted *use,
       const Sorted *next) {
  uint64_t weight = norn_loop_weight(dominance, norn_inst(function, use->use.inst)->block);
  return next->number - use->number > FAR_USE &&
         norn_loop_weight(dominance, norn_inst(function, next->use.inst)->block) <= weight;
}

static Group *
group_demands(NornArena *arena, const NornFunction *function, const NornDominance *dominance,
              const Sorted *sorted, uint32_t count, uint32_t *group_count) {
  Group *groups = NORN_NEW(arena, Group, count);
  uint32_t filled = 0;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t block = norn_inst(function, sorted[k].use.inst)->block;
    if (!k || sorted[k].use.key != sorted[k - 1].use.key ||
        is_far(function, dominance, &sorted[k - 1], &sorted[k]))
      groups[filled++] = (Group){.first = k, .block = block};
    Group *group = &groups[filled - 1];
    group->count++;
    group->weight += norn_loop_weight(dominance, block);
    group->block = norn_common_dominator(dominance, group->block, block);
  }
  *group_count = filled;
  return groups;
}

/* Returns the first user in the block, or its last instruction. */
static uint32_t
place_in(const NornFunction *function, const Group *group, const Sorted *sorted) {
  for (uint32_t k = group->first; k < group->first + group->count; k++)
    if (norn_inst(function, sorted[k].use.inst)->block == group->block)
      return sorted[k].use.inst;
  return norn_block(function, group->block)->last;
}

void
norn_materialize(NornPassContext *context, NornFunction *function, NornConstantUses *uses,
                 NornMakeConstant make) {
  if (uses->count) {
    uint32_t group_count;
    const NornDominance *dominance = norn_pass_dominance(context, function);
    Sorted *sorted = sort_demands(function, dominance, uses);
    Group *groups =
        group_demands(uses->arena, function, dominance, sorted, uses->count, &group_count);
    qsort(groups, group_count, sizeof *groups, compare_groups);
    for (uint32_t k = 0; k < group_count; k++) {
      Group *group = &groups[k];
      while (k < KEPT_VALUES && dominance->loop_depth[group->block])
        group->block = dominance->idom[dominance->loop_header[group->block]];
      uint32_t before = place_in(function, group, sorted);
      NornBuilder builder = norn_builder_before(function, before);
      NornRef made = make(context, &builder, sorted[group->first].use.key);
      for (uint32_t j = group->first; j < group->first + group->count; j++) {
        const NornConstantUse *use = &sorted[j].use;
        norn_operands(function, norn_inst(function, use->inst))[use->operand] = made;
      }
    }
  }
  *uses = (NornConstantUses){.arena = uses->arena};
}
