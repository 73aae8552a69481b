/* Combines accesses to the memory of spilled values.
 *
 * One message can move as much as a piece of memory holds. So values that are stored or filled near
 * each other form a group: adjacent memory, a word for each. Blocks are visited in dominance order,
 * so that the store of a value comes before its fills:
 *
 * - Words of a value that was split are stored as that value, where it is split.
 * - Other words are stored where the last of them is available, if few have to stay in registers
 *   longer for that.
 * - A fill is combined with an earlier fill of another word of the group; words that are not in a
 *   group yet form one.
 * - Parameters of a block that are passed in memory form groups in the order in which they are
 *   filled. A jump stores adjacent words of a group together.
 * - If registers are left, a fill moves up a little.
 *
 * A value is kept longer or filled earlier only if the register pressure leaves room, so this
 * causes no further spills. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/regalloc/spill.h"
#include <limits.h>
#include <string.h>

/* The maximum distance of accesses that are combined, in instructions. */
enum { MAX_DISTANCE = 64 };

/* A fill moves up by at most MAX_EARLY instructions and leaves EARLY_MARGIN registers free. */
enum { MAX_EARLY = 8, EARLY_MARGIN = 2 };

typedef struct Combine {
  Spill *spill;
  NornFunction *function;
  const NornLiveness *live;
  const NornTypeRegisters *types;
  unsigned class;   /* the register class of words */
  uint32_t *access; /* by instruction: the access that it is a placeholder for, + 1 */
  bool *is_live;    /* by value, while a block is measured */
  uint32_t *rank;   /* by slot: when it is filled first, in block order */
  uint32_t *last;   /* by value defined in the block: its last use other than a store */
  uint32_t *stored; /* by slot accessed in the block: the position from which it can be filled */
  uint32_t *filled; /* by slot accessed in the block: the position of its first fill */
  /* of the block, by position */
  NornIndexList insts;
  NORN_LIST(int) room; /* free registers */
} Combine;

/* Accesses that are to be combined; those of stores in the order of words. */
typedef struct Together {
  uint32_t position[NORN_GROUP_REGISTERS];
  unsigned count;
} Together;

static uint32_t
first_of(const Together *together) {
  uint32_t first = together->position[0];
  for (unsigned k = 1; k < together->count; k++)
    first = MIN(first, together->position[k]);
  return first;
}

static uint32_t
last_of(const Together *together) {
  uint32_t last = together->position[0];
  for (unsigned k = 1; k < together->count; k++)
    last = MAX(last, together->position[k]);
  return last;
}

static SpillAccess *
access_at(const Combine *combine, uint32_t position) {
  uint32_t index = combine->access[combine->insts.items[position]];
  return index ? &combine->spill->accesses.items[index - 1] : NULL;
}

static NornRef
stored_ref(const Combine *combine, uint32_t position) {
  return norn_operand(combine->function, combine->insts.items[position], 0);
}

static uint32_t
stored_value(const Combine *combine, uint32_t position) {
  return norn_ref_payload(stored_ref(combine, position));
}

/* Whether the slot is a word, and not the copy of one. */
static bool
is_word(const Combine *combine, uint32_t slot) {
  return slot < combine->spill->value_count &&
         norn_value(combine->function, slot)->type == NORN_TYPE_I32;
}

/* Whether the access at the position is to a word and not yet combined. */
static bool
is_single(const Combine *combine, uint32_t position, NornSpillAccessKind kind) {
  const Spill *spill = combine->spill;
  const SpillAccess *access = access_at(combine, position);
  return access && access->kind == kind && is_word(combine, access->slot) && !access->is_joined &&
         !access->next &&
         (!norn_bit(spill->is_argument, access->slot) || spill->group[access->slot]);
}

/* --- A block --- */

static unsigned
size_of(const Combine *combine, uint32_t value) {
  return combine->types[norn_value(combine->function, value)->type].room.of[combine->class];
}

static void
measure_instruction(Combine *combine, uint32_t position, unsigned *now) {
  const NornFunction *function = combine->function;
  const NornInst *inst = norn_inst(function, combine->insts.items[position]);
  const SpillAccess *access = access_at(combine, position);
  bool is_store = access && access->kind != NORN_SPILL_FILL;
  unsigned after = *now + norn_spill_clobbered_by(combine->spill, inst).of[combine->class];
  for (unsigned k = 0; k < inst->result_count && !is_store; k++) {
    uint32_t value = inst->result + k;
    if (combine->is_live[value])
      *now -= size_of(combine, value);
    else
      after += size_of(combine, value);
    combine->is_live[value] = false;
  }
  norn_for_each_use (function, inst, use) {
    uint32_t value = use.value;
    if (combine->is_live[value])
      continue;
    combine->is_live[value] = true;
    *now += size_of(combine, value);
  }
  combine->room.items[position] =
      (int)combine->spill->limit.of[combine->class] - (int)MAX(after, *now);
}

static void
find_last_uses(Combine *combine, uint32_t block) {
  const NornFunction *function = combine->function;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    combine->last[norn_block_parameter(function, block, k)] = 0;
  for (uint32_t p = 0; p < combine->insts.count; p++) {
    const NornInst *inst = norn_inst(function, combine->insts.items[p]);
    const SpillAccess *access = access_at(combine, p);
    norn_for_each_use (function, inst, use)
      if (!(access && access->kind == NORN_SPILL_STORE))
        combine->last[use.value] = p;
    for (unsigned k = 0; k < inst->result_count; k++)
      combine->last[inst->result + k] = p;
  }
  norn_for_each_live (combine->live, combine->live->out[block], value)
    combine->last[value] = UINT32_MAX;
}

static void
find_accesses(Combine *combine) {
  for (uint32_t p = combine->insts.count; p--;) {
    const SpillAccess *access = access_at(combine, p);
    if (access) {
      combine->stored[access->slot] = 0;
      combine->filled[access->slot] = UINT32_MAX;
    }
  }
  for (uint32_t p = combine->insts.count; p--;) {
    const SpillAccess *access = access_at(combine, p);
    if (access && access->kind == NORN_SPILL_FILL)
      combine->filled[access->slot] = p;
    else if (access)
      combine->stored[access->slot] = p + 1;
  }
}

/* Sorts adjacent stores in the order of their first fills. */
static void
sort_stores(Combine *combine) {
  uint32_t *insts = combine->insts.items;
  for (uint32_t p = 1; p < combine->insts.count; p++)
    for (uint32_t k = p; k && p - k < MAX_DISTANCE && is_single(combine, k, NORN_SPILL_STORE) &&
                         is_single(combine, k - 1, NORN_SPILL_STORE) &&
                         combine->rank[access_at(combine, k)->slot] <
                             combine->rank[access_at(combine, k - 1)->slot];
         k--) {
      uint32_t inst = insts[k], other = insts[k - 1];
      NornBuilder builder = norn_builder_before(combine->function, other);
      norn_builder_insert(&builder, inst);
      insts[k - 1] = inst;
      insts[k] = other;
    }
}

/* Returns false if there is nothing to do in the block. */
static bool
measure(Combine *combine, uint32_t block) {
  const NornFunction *function = combine->function;
  unsigned now = 0, accesses = 0;
  combine->insts.count = combine->room.count = 0;
  norn_for_each_inst (function, block, inst) {
    norn_list_push(combine->spill->arena, &combine->insts, inst);
    norn_list_push(combine->spill->arena, &combine->room, 0);
    accesses += combine->access[inst] != 0;
  }
  if (accesses < 2)
    return false;
  sort_stores(combine);
  norn_for_each_live (combine->live, combine->live->out[block], value) {
    combine->is_live[value] = true;
    now += size_of(combine, value);
  }
  for (uint32_t p = combine->insts.count; p--;)
    measure_instruction(combine, p, &now);
  norn_for_each_live (combine->live, combine->live->in[block], value)
    combine->is_live[value] = false;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    combine->is_live[norn_block_parameter(function, block, k)] = false;
  find_last_uses(combine, block);
  find_accesses(combine);
  return true;
}

/* --- Groups --- */

/* The maximum number of words that a group of `words` words takes in memory and in registers. */
static unsigned
group_room(const Combine *combine, unsigned words) {
  return combine->types[norn_type_of_words(words)].room.of[combine->class];
}

static void
add_group(Combine *combine, const SpillGroup *group) {
  Spill *spill = combine->spill;
  norn_list_push(spill->arena, &spill->groups, *group);
  for (unsigned k = 0; k < group->words; k++)
    if (group->slot[k] != NORN_INDEX_NONE) {
      spill->group[group->slot[k]] = spill->groups.count;
      spill->word[group->slot[k]] = (uint8_t)k;
    }
}

static void
add_group_of(Combine *combine, const Together *together) {
  SpillGroup group = {.words = together->count, .is_stored_at_once = true};
  for (unsigned k = 0; k < together->count; k++)
    group.slot[k] = access_at(combine, together->position[k])->slot;
  add_group(combine, &group);
}

/* Combines the accesses into one before the instruction. */
static void
join(Combine *combine, const Together *together, uint32_t before) {
  uint32_t next = 0;
  for (unsigned k = together->count; k--;) {
    SpillAccess *access = access_at(combine, together->position[k]);
    access->next = next;
    access->is_joined = k > 0;
    next = combine->access[combine->insts.items[together->position[k]]];
  }
  access_at(combine, together->position[0])->place = before;
}

/* --- Stores --- */

/* Stores words of a split value as the whole value. */
static void
store_whole(Combine *combine, uint32_t position) {
  const NornInst *split = norn_inst(combine->function, combine->insts.items[position]);
  NornRef whole = norn_operands(combine->function, split)[0];
  if (split->op != NORN_OP_SPLIT || norn_ref_kind(whole) != NORN_REF_VALUE ||
      split->result_count > combine->spill->piece)
    return;
  Together together = {.count = 0};
  SpillGroup group = {.words = split->result_count, .whole = whole, .is_stored_at_once = true};
  memset(group.slot, -1, sizeof group.slot);
  uint32_t end = MIN(combine->insts.count, position + MAX_DISTANCE);
  for (uint32_t p = position + 1; p < end && together.count < split->result_count; p++) {
    if (!is_single(combine, p, NORN_SPILL_STORE) ||
        stored_value(combine, p) - split->result >= split->result_count)
      continue;
    together.position[together.count++] = p;
    group.slot[stored_value(combine, p) - split->result] = access_at(combine, p)->slot;
  }
  if (together.count < 2)
    return;
  add_group(combine, &group);
  join(combine, &together, combine->insts.items[position]);
}

/* The position of the last use, other than a store, of what is stored at the position; UINT32_MAX:
 * its register is needed anyway, or it is a constant, which has none. */
static uint32_t
last_use(const Combine *combine, uint32_t position) {
  bool is_value = norn_ref_kind(stored_ref(combine, position)) == NORN_REF_VALUE;
  return is_value ? combine->last[stored_value(combine, position)] : UINT32_MAX;
}

/* How many of the values are kept in registers at the position only to be stored later. */
static int
kept_for_store(const Combine *combine, const Together *together, uint32_t position) {
  int kept = 0;
  for (unsigned k = 0; k < together->count; k++)
    kept +=
        together->position[k] < position && last_use(combine, together->position[k]) <= position;
  return kept;
}

/* Registers that the group takes at its store in addition to those of its words. */
static int
taken_for_store(const Combine *combine, const Together *together) {
  uint32_t at = last_of(together);
  int living = 0;
  for (unsigned k = 0; k < together->count; k++)
    living += last_use(combine, together->position[k]) > at;
  return (int)(group_room(combine, together->count) - together->count) + living;
}

/* Whether there are registers to store the values by one message where the last of them is
 * available. */
static bool
has_room_for_store(const Combine *combine, const Together *together) {
  uint32_t at = last_of(together);
  for (uint32_t p = first_of(together) + 1; p <= at; p++)
    if (kept_for_store(combine, together, p) > combine->room.items[p])
      return false;
  return kept_for_store(combine, together, at) + taken_for_store(combine, together) <=
         combine->room.items[at];
}

/* Whether the values can be stored by one message where the last of them is available. */
static bool
can_store(const Combine *combine, const Together *together) {
  uint32_t at = last_of(together);
  for (unsigned k = 0; k < together->count; k++)
    if (combine->filled[access_at(combine, together->position[k])->slot] < at)
      return false;
  return has_room_for_store(combine, together);
}

static void
join_stores(Combine *combine, const Together *together) {
  uint32_t at = last_of(together);
  for (uint32_t p = first_of(together) + 1; p <= at; p++)
    combine->room.items[p] -= kept_for_store(combine, together, p);
  combine->room.items[at] -= taken_for_store(combine, together);
  join(combine, together, combine->insts.items[at]);
}

static void
store_together(Combine *combine, uint32_t position) {
  if (!is_single(combine, position, NORN_SPILL_STORE))
    return;
  Together together = {{position}, 1};
  uint32_t end = MIN(combine->insts.count, position + MAX_DISTANCE);
  for (uint32_t p = position + 1; p < end && together.count < combine->spill->piece; p++) {
    if (!is_single(combine, p, NORN_SPILL_STORE))
      continue;
    together.position[together.count++] = p;
    if (!can_store(combine, &together))
      together.count--;
  }
  if (together.count < 2)
    return;
  add_group_of(combine, &together);
  join_stores(combine, &together);
}

/* --- Parameters in memory --- */

/* Those of the same block are adjacent, in the order of their first fills; never filled: last. */
static int
by_first_fill(const void *a, const void *b, gpointer user_data) {
  const Combine *combine = user_data;
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  uint32_t block = norn_value(combine->function, left)->def;
  uint32_t other = norn_value(combine->function, right)->def;
  if (block != other)
    return block < other ? -1 : 1;
  if (combine->rank[left] != combine->rank[right])
    return combine->rank[left] - 1 < combine->rank[right] - 1 ? -1 : 1;
  return left < right ? -1 : left > right;
}

/* Forms groups of the words that are parameters of the same block. All of them are stored before
 * the block. */
static void
group_parameters(Combine *combine) {
  const Spill *spill = combine->spill;
  NornIndexList slots = {0};
  for (uint32_t slot = 0; slot < spill->value_count; slot++)
    if (norn_bit(spill->is_argument, slot) && is_word(combine, slot))
      norn_list_push(spill->arena, &slots, slot);
  if (!slots.count)
    return;
  g_qsort_with_data(slots.items, (int)slots.count, sizeof *slots.items, by_first_fill, combine);
  for (uint32_t i = 0; i < slots.count;) {
    SpillGroup group = {.is_stored_at_once = true};
    uint32_t block = norn_value(combine->function, slots.items[i])->def;
    while (i < slots.count && group.words < spill->piece &&
           norn_value(combine->function, slots.items[i])->def == block)
      group.slot[group.words++] = slots.items[i++];
    if (group.words > 1)
      add_group(combine, &group);
  }
}

/* Combines the argument's store with those of adjacent words. The old contents of their slots have
 * been read before. */
static void
store_arguments(Combine *combine, uint32_t position) {
  const Spill *spill = combine->spill;
  if (!is_single(combine, position, NORN_SPILL_STORE_ARGUMENT))
    return;
  uint32_t number = spill->group[access_at(combine, position)->slot];
  uint32_t store[NORN_GROUP_REGISTERS]; /* by word */
  memset(store, -1, sizeof store);
  uint32_t end = MIN(combine->insts.count, position + MAX_DISTANCE);
  for (uint32_t p = position; p < end; p++)
    if (is_single(combine, p, NORN_SPILL_STORE_ARGUMENT) &&
        spill->group[access_at(combine, p)->slot] == number)
      store[spill->word[access_at(combine, p)->slot]] = p;
  for (unsigned word = 0; word < NORN_GROUP_REGISTERS;) {
    Together together = {{store[word]}, 1};
    if (store[word++] == NORN_INDEX_NONE)
      continue;
    for (; word < NORN_GROUP_REGISTERS && store[word] != NORN_INDEX_NONE; word++) {
      together.position[together.count++] = store[word];
      if (has_room_for_store(combine, &together))
        continue;
      together.count--;
      break;
    }
    if (together.count > 1)
      join_stores(combine, &together);
  }
}

/* --- Fills --- */

/* Begins a group with a word that is not in one. */
static void
open_group(Combine *combine, uint32_t slot) {
  add_group(combine, &(SpillGroup){.slot = {slot}, .words = 1});
}

/* Appends a word that is not in a group to the last group. */
static void
enter_group(Combine *combine, uint32_t slot) {
  Spill *spill = combine->spill;
  SpillGroup *group = &spill->groups.items[spill->groups.count - 1];
  spill->group[slot] = spill->groups.count;
  spill->word[slot] = (uint8_t)group->words;
  group->slot[group->words++] = slot;
}

static void
leave_group(Combine *combine, uint32_t slot) {
  combine->spill->groups.items[combine->spill->group[slot] - 1].words--;
  combine->spill->group[slot] = 0;
  combine->spill->word[slot] = 0;
}

/* Registers that the words from the first to the last one filled take in addition to those that are
 * needed. */
static int
taken_for_fill(const Combine *combine, const Together *together) {
  const Spill *spill = combine->spill;
  unsigned low = NORN_GROUP_REGISTERS, high = 0;
  for (unsigned k = 0; k < together->count; k++) {
    unsigned word = spill->word[access_at(combine, together->position[k])->slot];
    low = MIN(low, word);
    high = MAX(high, word + 1);
  }
  /* The words between must have been stored before the fill. */
  uint32_t group = spill->group[access_at(combine, together->position[0])->slot];
  if (high - low > together->count && !spill->groups.items[group - 1].is_stored_at_once)
    return INT_MAX / 2;
  return (int)(group_room(combine, high - low) - together->count);
}

/* Whether the last of the fills can be moved up to the first one. */
static bool
can_fill(const Combine *combine, const Together *together) {
  uint32_t first = together->position[0], own = together->position[together->count - 1];
  uint32_t slot = access_at(combine, own)->slot;
  for (unsigned k = 0; k + 1 < together->count; k++)
    if (access_at(combine, together->position[k])->slot == slot)
      return false;
  for (uint32_t p = first; p < own; p++)
    if (combine->room.items[p] < 1)
      return false;
  return (combine->stored[slot] <= first || combine->stored[slot] > own) &&
         combine->room.items[first] > taken_for_fill(combine, together);
}

static void
fill_together(Combine *combine, uint32_t position) {
  Spill *spill = combine->spill;
  if (!is_single(combine, position, NORN_SPILL_FILL))
    return;
  uint32_t slot = access_at(combine, position)->slot;
  bool is_open = !spill->group[slot];
  if (is_open)
    open_group(combine, slot);
  Together together = {{position}, 1};
  uint32_t end = MIN(combine->insts.count, position + MAX_DISTANCE);
  for (uint32_t p = position + 1; p < end && together.count < spill->piece; p++) {
    if (!is_single(combine, p, NORN_SPILL_FILL))
      continue;
    uint32_t other = access_at(combine, p)->slot;
    bool enters = is_open && !spill->group[other];
    if (enters)
      enter_group(combine, other);
    else if (spill->group[other] != spill->group[slot])
      continue;
    together.position[together.count++] = p;
    if (can_fill(combine, &together)) {
      for (uint32_t k = position; k < p; k++)
        combine->room.items[k]--;
      continue;
    }
    together.count--;
    if (enters)
      leave_group(combine, other);
  }
  if (together.count > 1) {
    combine->room.items[position] -= taken_for_fill(combine, &together);
    join(combine, &together, combine->insts.items[position]);
  } else if (is_open) {
    leave_group(combine, slot);
  }
}

/* Whether a fill of `words` registers can move up past the instruction at the position: that must
 * be an ordinary instruction, thus no store, with enough free registers. */
static bool
can_pass(const Combine *combine, uint32_t position, int words) {
  return combine->room.items[position] >= words + EARLY_MARGIN && !access_at(combine, position) &&
         norn_is_machine(norn_inst(combine->function, combine->insts.items[position]));
}

/* Moves a fill up a little to shorten the wait for it. */
static void
fill_early(Combine *combine, uint32_t position) {
  const Spill *spill = combine->spill;
  SpillAccess *access = access_at(combine, position);
  if (!access || access->kind != NORN_SPILL_FILL || access->is_joined ||
      access->slot >= spill->value_count || norn_bit(spill->is_argument, access->slot))
    return;
  int words = 0;
  uint32_t at = position;
  for (const SpillAccess *each = access; each; each = norn_spill_next_access(spill, each))
    words += (int)size_of(combine, each->slot);
  if (!words) /* registers of another class */
    return;
  while (position - at < MAX_EARLY && at && can_pass(combine, at - 1, words))
    combine->room.items[--at] -= words;
  access->place = combine->insts.items[at];
}

static void
rank_fills(Combine *combine) {
  const NornDominance *dominance = combine->spill->dominance;
  uint32_t count = 0;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    norn_for_each_inst (combine->function, dominance->order[i], inst) {
      uint32_t index = combine->access[inst];
      const SpillAccess *access = index ? &combine->spill->accesses.items[index - 1] : NULL;
      if (access && access->kind == NORN_SPILL_FILL && !combine->rank[access->slot])
        combine->rank[access->slot] = ++count;
    }
}

/* Whether some block has accesses that might be combined. */
static bool
may_combine(const Spill *spill) {
  const NornFunction *function = spill->function;
  bool *has_access = NORN_NEW0(spill->arena, bool, function->block_count);
  for (uint32_t i = 0; i < spill->accesses.count; i++) {
    const SpillAccess *access = &spill->accesses.items[i];
    uint32_t block = norn_inst(function, access->place)->block;
    if (access->kind != NORN_SPILL_KEEP && has_access[block])
      return true;
    has_access[block] |= access->kind != NORN_SPILL_KEEP;
  }
  return false;
}

void
norn_spill_combine(Spill *spill) {
  const NornFunction *function = spill->function;
  const NornRegisterModel *model = &spill->context->target->registers;
  uint32_t slots = spill->value_count * 2;
  if (!may_combine(spill))
    return;
  /* Only the groups are needed afterward. */
  NORN_ARENA_GROW(spill->arena, spill->groups.items, spill->groups.capacity, spill->accesses.count);
  NornArenaMark mark = norn_arena_mark(spill->arena);
  Combine combine = {
      .spill = spill,
      .function = spill->function,
      .live = norn_liveness_new(spill->arena, function, spill->dominance),
      .types = model->types,
      .class = model->types[NORN_TYPE_I32].class,
      .access = NORN_NEW0(spill->arena, uint32_t, function->inst_count),
      .is_live = NORN_NEW0(spill->arena, bool, function->value_count),
      .rank = NORN_NEW0(spill->arena, uint32_t, slots),
      .last = NORN_NEW(spill->arena, uint32_t, function->value_count),
      .stored = NORN_NEW(spill->arena, uint32_t, slots),
      .filled = NORN_NEW(spill->arena, uint32_t, slots),
  };
  for (uint32_t i = 0; i < spill->accesses.count; i++)
    if (spill->accesses.items[i].kind != NORN_SPILL_KEEP)
      combine.access[spill->accesses.items[i].place] = i + 1;
  rank_fills(&combine);
  group_parameters(&combine);
  for (uint32_t i = 0; i < spill->dominance->order_count && norn_pass_continues(spill->context, 1);
       i++) {
    if (!measure(&combine, spill->dominance->order[i]))
      continue;
    for (uint32_t p = 0; p < combine.insts.count; p++)
      store_whole(&combine, p);
    for (uint32_t p = 0; p < combine.insts.count; p++)
      store_together(&combine, p);
    for (uint32_t p = 0; p < combine.insts.count; p++)
      store_arguments(&combine, p);
    for (uint32_t p = 0; p < combine.insts.count; p++)
      fill_together(&combine, p);
    for (uint32_t p = 0; p < combine.insts.count; p++)
      fill_early(&combine, p);
  }
  NORN_ASSERT(spill->groups.count <= spill->accesses.count);
  norn_arena_release(spill->arena, mark);
}
