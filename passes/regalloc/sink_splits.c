/* Sink splits: splits groups in the later blocks where their words are needed.
 *
 * The words of a group that lives on need registers of their own and moves to them; where the group
 * is dead, its words can stay in place. So a split of a group that lives on sinks to the nearest
 * block that dominates all readers of its words (such as the block on a loop's back edge, while the
 * path out of the loop reads the group), but not into a loop. Critical edges have blocks of their
 * own by then (norn_prepare_edges). If a word is read in the split's own block, the split stays:
 * place-groups handles it. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/regalloc/allocate.h"

/* A split that may move. */
typedef struct LateSplit {
  uint32_t index;
  uint32_t block; /* dominates all readers of its words seen so far; NORN_INDEX_NONE: none seen */
} LateSplit;

typedef struct SplitSinker {
  NornFunction *function;
  const NornDominance *dominance;
  NORN_LIST(LateSplit) splits;
  uint32_t *split_of; /* by value: the split that it is a word of, + 1; 0: none of those */
} SplitSinker;

/* Finds the splits of groups that live on. */
static void
find_splits(SplitSinker *self, NornPassContext *context) {
  const NornFunction *function = self->function;
  const NornLiveness *live;
  const NornPressure *pressure = norn_pass_pressure(context, function, &live);
  for (uint32_t i = 0; i < self->dominance->order_count; i++) {
    norn_for_each_inst (function, self->dominance->order[i], index) {
      const NornInst *inst = norn_inst(function, index);
      if (inst->op == NORN_OP_SPLIT && !norn_bit(pressure->kills, inst->operand))
        norn_list_push(&context->arena, &self->splits, (LateSplit){index, NORN_INDEX_NONE});
    }
  }
}

/* Finds a common dominator of the readers of each split's words. */
static void
find_readers(SplitSinker *self) {
  const NornFunction *function = self->function;
  for (uint32_t i = 0; i < self->splits.count; i++) {
    const NornInst *split = norn_inst(function, self->splits.items[i].index);
    for (unsigned k = 0; k < split->result_count; k++)
      self->split_of[split->result + k] = i + 1;
  }
  for (uint32_t i = 0; i < self->dominance->order_count; i++) {
    uint32_t block = self->dominance->order[i];
    norn_for_each_inst (function, block, index) {
      norn_for_each_use (function, norn_inst(function, index), use) {
        if (!self->split_of[use.value])
          continue;
        LateSplit *late = &self->splits.items[self->split_of[use.value] - 1];
        late->block = late->block == NORN_INDEX_NONE
                          ? block
                          : norn_common_dominator(self->dominance, late->block, block);
      }
    }
  }
}

/* Moves the split to the block where its words are read. */
static bool
sink(SplitSinker *self, const LateSplit *late) {
  const NornDominance *dominance = self->dominance;
  uint32_t home = norn_inst(self->function, late->index)->block, block = late->block;
  if (block == NORN_INDEX_NONE)
    return false;
  while (block != home && norn_is_in_other_loop(dominance, block, home))
    block = dominance->idom[block];
  if (block == home)
    return false;
  NornBuilder builder = norn_builder_at_start(self->function, block);
  norn_builder_insert(&builder, late->index);
  return true;
}

bool
norn_pass_sink_splits(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool changed = norn_prepare_edges(context, function);
  SplitSinker self = {.function = function, .dominance = norn_pass_dominance(context, function)};
  find_splits(&self, context);
  bool moved = false;
  if (self.splits.count) {
    self.split_of = NORN_NEW0(&context->arena, uint32_t, function->value_count);
    find_readers(&self);
    for (uint32_t i = 0; i < self.splits.count; i++)
      moved |= sink(&self, &self.splits.items[i]);
  }
  context->keeps_pressure = !moved;
  norn_pass_report(context, changed || moved);
  return true;
}
