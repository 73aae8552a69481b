/* Place groups: collects words into groups right before they are needed.
 *
 * A word of a group that another instruction also reads needs a register of its own while the group
 * is live, and a copy to the group; while the words are apart, it does not. Therefore:
 *
 * - a split sinks below users of the group that come before the first reader of its words;
 * - a group that is needed as a whole after it was split is collected again from the words before
 *   its first user, so that the split is the last user of the old group;
 * - a collect some of whose words are read between it and its first user sinks to that user.
 *
 * All of this is done within a block. A collect may have to make way for one that has moved, so
 * collects are visited in up to MAX_ROUNDS rounds. Only collects and splits change their order. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"

/* For a value that is a group. */
typedef struct SplitGroup {
  uint32_t split;  /* its only split; NORN_INDEX_NONE: none, or several */
  bool is_seen;    /* the walk is past the split */
  bool is_refused; /* has several splits, or is needed before the split or in another block */
  NornRef again;   /* the group collected again; 0: not yet */
} SplitGroup;

typedef struct GroupPlacer {
  NornFunction *function;
  SplitGroup *groups; /* by value, as of before the pass */
  uint32_t group_count;
  uint32_t *next_user; /* by value: the next instruction that reads it, of those visited */
  uint32_t *position;  /* by instruction: position in its block, counted from the end */
  bool changed;
} GroupPlacer;

/* --- Groups that are split before they are needed as a whole --- */

/* The maximum distance that a split sinks, in instructions. */
enum { MAX_STEPS = 32 };

/* Whether the instruction reads one of the `count` values from `first` on. */
static bool
reads_any(const NornFunction *function, const NornInst *inst, uint32_t first, unsigned count) {
  norn_for_each_use (function, inst, use)
    if (use.value - first < count)
      return true;
  return false;
}

/* The last user of the group after the split that comes before any reader of its words;
 * NORN_INDEX_NONE: there is none. */
static uint32_t
user_before_words(const NornFunction *function, const NornInst *split) {
  NornRef group = norn_operands(function, split)[0];
  uint32_t last = NORN_INDEX_NONE, index = split->next;
  for (unsigned step = 0; step < MAX_STEPS && index != NORN_INDEX_NONE; step++) {
    const NornInst *inst = norn_inst(function, index);
    if (norn_is_terminator(function, inst) ||
        reads_any(function, inst, split->result, split->result_count))
      break;
    /* Two splits of one group would move past each other forever. */
    if (inst->op != NORN_OP_SPLIT && reads_any(function, inst, norn_ref_payload(group), 1))
      last = index;
    index = inst->next;
  }
  return last;
}

static void
sink_splits(GroupPlacer *placer, uint32_t block) {
  NornFunction *function = placer->function;
  for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
       index = next) {
    const NornInst *inst = norn_inst(function, index);
    next = inst->next;
    if (inst->op != NORN_OP_SPLIT ||
        norn_ref_kind(norn_operand(function, index, 0)) != NORN_REF_VALUE)
      continue;
    uint32_t user = user_before_words(function, inst);
    if (user == NORN_INDEX_NONE)
      continue;
    NornBuilder builder = norn_builder_after(function, user);
    norn_builder_insert(&builder, index);
    placer->changed = true;
  }
}

/* --- Groups that were split --- */

static bool
find_splits(GroupPlacer *placer) {
  NornFunction *function = placer->function;
  bool any = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (inst->op != NORN_OP_SPLIT ||
          norn_ref_kind(norn_operand(function, index, 0)) != NORN_REF_VALUE)
        continue;
      SplitGroup *group = &placer->groups[norn_ref_payload(norn_operand(function, index, 0))];
      group->is_refused |= group->split != NORN_INDEX_NONE;
      group->split = index;
      any = true;
    }
  return any;
}

/* Checks the users of groups. Returns whether some group is to be collected again. */
static bool
check_users(GroupPlacer *placer, uint32_t block) {
  NornFunction *function = placer->function;
  bool any = false;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    norn_for_each_use (function, inst, use) {
      SplitGroup *group = &placer->groups[use.value];
      if (group->split == index) {
        group->is_seen = true;
      } else if (group->split != NORN_INDEX_NONE) {
        group->is_refused |= !group->is_seen || norn_inst(function, group->split)->block != block;
        any |= !group->is_refused;
      }
    }
  }
  return any;
}

static NornRef
collect_again(GroupPlacer *placer, SplitGroup *group, uint32_t before) {
  NornFunction *function = placer->function;
  const NornInst *split = norn_inst(function, group->split);
  NornRef words[NORN_MACHINE_OPERANDS];
  unsigned count = split->result_count;
  for (unsigned k = 0; k < count; k++)
    words[k] = norn_ref(NORN_REF_VALUE, split->result + k);
  NornRef old = norn_operands(function, split)[0];
  NornBuilder builder = norn_builder_before(function, before);
  placer->changed = true;
  return norn_build_collect(&builder, norn_value(function, split->result)->type,
                            norn_value(function, norn_ref_payload(old))->type, count, words);
}

static void
collect_groups_again(GroupPlacer *placer, uint32_t block) {
  NornFunction *function = placer->function;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    for (unsigned k = 0; k < inst->operand_count; k++) {
      NornRef ref = norn_operands(function, inst)[k];
      if (norn_ref_kind(ref) != NORN_REF_VALUE || norn_ref_payload(ref) >= placer->group_count ||
          inst->op == NORN_OP_SPLIT)
        continue;
      SplitGroup *group = &placer->groups[norn_ref_payload(ref)];
      if (group->split == NORN_INDEX_NONE || group->is_refused)
        continue;
      if (!group->again)
        group->again = collect_again(placer, group, index);
      norn_set_operand(function, index, k, group->again);
    }
  }
}

/* --- Collects that come early --- */

#define MAX_ROUNDS 3

/* The first user of a value after the current instruction of the walk; NORN_INDEX_NONE: none in the
 * block. */
static uint32_t
user_in(const GroupPlacer *placer, uint32_t block, uint32_t value) {
  uint32_t user = placer->next_user[value];
  return user != NORN_INDEX_NONE && norn_inst(placer->function, user)->block == block
             ? user
             : NORN_INDEX_NONE;
}

/* Whether something reads a word of the collect before `user` does. */
static bool
is_read_before(const GroupPlacer *placer, const NornInst *collect, uint32_t user) {
  norn_for_each_use (placer->function, collect, use) {
    uint32_t reader = user_in(placer, collect->block, use.value);
    if (reader != NORN_INDEX_NONE && placer->position[reader] > placer->position[user])
      return true;
  }
  return false;
}

/* Returns whether the collect has moved. */
static bool
sink_collect(GroupPlacer *placer, uint32_t index) {
  NornFunction *function = placer->function;
  const NornInst *collect = norn_inst(function, index);
  uint32_t user = user_in(placer, collect->block, collect->result);
  if (user == NORN_INDEX_NONE)
    return false;
  /* Collects right before the same user count as being at its position. */
  bool is_there = placer->position[collect->next] == placer->position[user];
  bool moves = !is_there && is_read_before(placer, collect, user);
  if (moves) {
    NornBuilder builder = norn_builder_before(function, user);
    norn_builder_insert(&builder, index);
  }
  if (moves || is_there)
    placer->position[index] = placer->position[user];
  return moves;
}

static void
forget_users(GroupPlacer *placer, uint32_t block) {
  norn_for_each_inst (placer->function, block, index) {
    const NornInst *inst = norn_inst(placer->function, index);
    norn_for_each_use (placer->function, inst, use)
      placer->next_user[use.value] = NORN_INDEX_NONE;
  }
}

/* Returns whether a collect of the block has moved. */
static bool
sink_collects(GroupPlacer *placer, uint32_t block) {
  NornFunction *function = placer->function;
  uint32_t position = 0, previous;
  bool moved = false;
  forget_users(placer, block);
  for (uint32_t index = norn_block(function, block)->last; index != NORN_INDEX_NONE;
       index = previous) {
    const NornInst *inst = norn_inst(function, index);
    previous = inst->previous;
    placer->position[index] = ++position;
    if (inst->op == NORN_OP_COLLECT)
      moved |= sink_collect(placer, index);
    norn_for_each_use (function, inst, use) {
      uint32_t value = use.value;
      uint32_t user = user_in(placer, block, value);
      if (user == NORN_INDEX_NONE || placer->position[user] < placer->position[index])
        placer->next_user[value] = index;
    }
  }
  placer->changed |= moved;
  return moved;
}

bool
norn_pass_place_groups(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  GroupPlacer placer = {.function = function,
                        .groups = NORN_NEW(&context->arena, SplitGroup, function->value_count),
                        .group_count = function->value_count};
  bool any_again = false;
  for (uint32_t k = 0; k < function->value_count; k++)
    placer.groups[k] = (SplitGroup){.split = NORN_INDEX_NONE};
  norn_for_each_block (function, block)
    sink_splits(&placer, block);
  if (find_splits(&placer))
    norn_for_each_block (function, block)
      any_again |= check_users(&placer, block);
  if (any_again)
    norn_for_each_block (function, block)
      collect_groups_again(&placer, block);
  placer.next_user = norn_arena_indexes(&context->arena, function->value_count);
  placer.position = NORN_NEW(&context->arena, uint32_t, function->inst_count);
  norn_for_each_block (function, block)
    for (unsigned round = 0; round < MAX_ROUNDS && norn_pass_continues(context, 1); round++)
      if (!sink_collects(&placer, block))
        break;
  norn_pass_report(context, placer.changed);
  return true;
}
