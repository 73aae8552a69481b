/* Chain groups: words that are needed after a group stay in it.
 *
 * A word of a group that is also needed later is normally copied to the group, since its register
 * belongs to the group while that is live. But a message does not change its operands. So the group
 * is split after its user, and later users of the word read the split's result instead: the word
 * dies in the group and the group in the split, so that all of them can share a register.
 *
 * This works best if words recur at the same places in the next group, as coordinates of look-ups
 * with different offsets do. A word of the next group that nothing else needs could have been
 * computed in its place if that were not occupied. If it is arithmetic, it sinks below the first
 * group's user; otherwise it counts against what is saved. If no word recurs, words stay that no
 * other group has at another place.
 *
 * Groups of another size that have none of the words at the same places may come between, such as
 * the coordinates of two textures that are read alternately. As each group keeps its own words, a
 * word of both stays at two places, if there is room.
 *
 * Only groups with one user in the same block are chained. A word that is defined in another block
 * and is live-out of this one has a register of its own: if there is room for one more, the next
 * group takes the word from the split. Groups of instructions that clobber registers are not
 * chained, nor are groups across such an instruction: a group with a fixed place would have to move
 * out of its way. */
#include "ir/analysis/pressure.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/schedule/groups.h"
#include "passes/target.h"

/* The maximum number of groups of other sizes between two chained groups. */
enum { MAX_PASSED = 2 };

/* Where a block reads a value, by positions in the block. */
typedef struct BlockUses {
  uint32_t block;   /* block + 1; 0: none */
  uint32_t user;    /* the last instruction that reads it */
  uint32_t last;    /* its position */
  uint32_t collect; /* position of the last collect that has it, at `place`; 0: none */
  uint32_t other;   /* position of the last collect that has it at another place; 0: none */
  uint8_t place;
} BlockUses;

/* Values that are read from a split from that split on. */
typedef struct Renaming {
  uint32_t split;
  unsigned kept; /* bit k: result k stands for values[k] */
  uint32_t values[NORN_MACHINE_OPERANDS];
} Renaming;

typedef struct GroupChainer {
  NornPassContext *context;
  NornFunction *function;
  const NornPressure *pressure;     /* of the original values; NULL: not needed yet */
  const NornLiveness *liveness;     /* likewise */
  uint32_t value_count, inst_count; /* before the pass */
  const uint32_t *use_counts;       /* by value */
  bool *is_read_outside;            /* by value: outside the block that defines it */
  uint32_t *position;               /* by instruction: position in its block, from 1 on */
  BlockUses *uses;                  /* by value */
  uint32_t *link;                   /* by collect: the renaming it takes words from + 1, or 0 */
  NORN_LIST(Renaming) renamings;    /* by split; the pass creates no other instructions */
  NORN_LIST(uint32_t) origin;       /* by new value: the original value */
  NornRef *now;                     /* by value: its name at the current instruction; 0: its own */
  NornRef *finally;                 /* by value: its name after its defining block; 0: its own */
  NornIndexList renamed;            /* values with a name in `now` in this block */
} GroupChainer;

/* A group and the one that is chained to it. */
typedef struct Link {
  uint32_t collect, user;
  uint32_t next;   /* the next group's collect; NORN_INDEX_NONE: none nearby */
  unsigned shared; /* bit k: the next group also has word k */
  unsigned kept;   /* bit k: word k stays where it is */
  bool passes;     /* other collects come before the next group's */
} Link;

/* The original value that the value is a name of. */
static uint32_t
origin_of(const GroupChainer *chainer, uint32_t value) {
  return value < chainer->value_count ? value : chainer->origin.items[value - chainer->value_count];
}

/* --- Where values are read --- */

/* The block's uses of the value, or NULL. */
static const BlockUses *
uses_in(const GroupChainer *chainer, uint32_t value, uint32_t block) {
  const BlockUses *uses = &chainer->uses[value];
  return uses->block == block + 1 ? uses : NULL;
}

static void
note_use(GroupChainer *chainer, uint32_t index, unsigned k, uint32_t value) {
  const NornInst *inst = norn_inst(chainer->function, index);
  BlockUses *uses = &chainer->uses[value];
  if (uses->block != inst->block + 1)
    *uses = (BlockUses){.block = inst->block + 1};
  uses->user = index;
  uses->last = chainer->position[index];
  if (inst->op != NORN_OP_COLLECT)
    return;
  if (uses->place != k)
    uses->other = uses->collect;
  uses->collect = uses->last;
  uses->place = (uint8_t)k;
}

static void
note_uses(GroupChainer *chainer, uint32_t block) {
  const NornFunction *function = chainer->function;
  uint32_t position = 1;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    chainer->position[index] = position;
    position += 2; /* leaves room for an instruction between */
    for (unsigned k = 0; k < inst->operand_count; k++) {
      NornRef ref = norn_operands(function, inst)[k];
      if (norn_ref_kind(ref) == NORN_REF_VALUE)
        note_use(chainer, index, k, norn_ref_payload(ref));
    }
  }
}

/* Computes liveness and register pressure if they are not known yet. */
static void
find_pressure(GroupChainer *chainer) {
  if (!chainer->pressure)
    chainer->pressure = norn_pass_pressure(chainer->context, chainer->function, &chainer->liveness);
}

/* Whether a value that is defined elsewhere is live-out of the block. */
static bool
lives_on(GroupChainer *chainer, uint32_t value, uint32_t block) {
  find_pressure(chainer);
  return norn_live_out(chainer->liveness, block, value);
}

/* Whether the value is read after that instruction, in its block or in later ones. */
static bool
is_read_behind(GroupChainer *chainer, uint32_t value, uint32_t index) {
  uint32_t block = norn_inst(chainer->function, index)->block;
  const BlockUses *uses = uses_in(chainer, value, block);
  if (uses && uses->last > chainer->position[index])
    return true;
  return norn_defining_block(chainer->function, value) == block ? chainer->is_read_outside[value]
                                                                : lives_on(chainer, value, block);
}

/* Whether a collect after that instruction in its block has the value at another place than k. */
static bool
moves_later(const GroupChainer *chainer, uint32_t value, unsigned k, uint32_t index) {
  const BlockUses *uses = uses_in(chainer, value, norn_inst(chainer->function, index)->block);
  return uses && (uses->place == k ? uses->other : uses->collect) > chainer->position[index];
}

/* --- What stays --- */

/* The only user of the collect's group, if it is a message or another machine instruction in the
 * same block; else NORN_INDEX_NONE. */
static uint32_t
only_user(const GroupChainer *chainer, const NornInst *collect) {
  const BlockUses *uses = uses_in(chainer, collect->result, collect->block);
  if (!uses || chainer->use_counts[collect->result] != 1)
    return NORN_INDEX_NONE;
  const NornInst *user = norn_inst(chainer->function, uses->user);
  return norn_is_machine(user) && !norn_is_terminator(chainer->function, user) &&
                 !norn_regs_any(
                     norn_target_clobbered(chainer->context->target, chainer->function, user))
             ? uses->user
             : NORN_INDEX_NONE;
}

/* Whether the collect also has the word at place k. */
static bool
is_at_place(const NornFunction *function, const NornInst *collect, unsigned k, NornRef word) {
  return k < collect->operand_count && norn_operands(function, collect)[k] == word;
}

static bool
shares_words(const NornFunction *function, const NornInst *collect, const NornInst *next) {
  for (unsigned k = 0; k < collect->operand_count; k++) {
    NornRef word = norn_operands(function, collect)[k];
    if (norn_ref_kind(word) == NORN_REF_VALUE && is_at_place(function, next, k, word))
      return true;
  }
  return false;
}

/* The next collect after the link's user of a group that has as many words or has words of the
 * group at their places. Up to MAX_PASSED others may come before it. NORN_INDEX_NONE: there is none
 * nearby. */
static uint32_t
next_collect(const GroupChainer *chainer, Link *link) {
  const NornFunction *function = chainer->function;
  const NornInst *collect = norn_inst(function, link->collect);
  unsigned passed = 0;
  uint32_t index = link->user;
  for (unsigned step = 0; step < NORN_GROUP_DISTANCE; step++) {
    const NornInst *inst = norn_inst(function, index);
    if (norn_regs_any(norn_target_clobbered(chainer->context->target, function, inst)))
      break;
    index = inst->next;
    if (index == NORN_INDEX_NONE)
      break;
    if (norn_inst(function, index)->op != NORN_OP_COLLECT)
      continue;
    const NornInst *next = norn_inst(function, index);
    if (next->operand_count == collect->operand_count || shares_words(function, collect, next)) {
      link->passes = passed;
      return index;
    }
    if (passed++ == MAX_PASSED)
      break;
  }
  return NORN_INDEX_NONE;
}

/* Whether the block has room for the words of another group. */
static bool
has_room(GroupChainer *chainer, uint32_t block) {
  find_pressure(chainer);
  const NornPressure *pressure = chainer->pressure;
  return !norn_counts_exceed(pressure->block[block],
                             norn_target_register_budget(chainer->context->target, pressure->max));
}

/* Whether all uses of the word after an instruction of the block can read a split. */
static bool
is_only_of_block(GroupChainer *chainer, uint32_t value, uint32_t block) {
  return norn_defining_block(chainer->function, value) == block || !lives_on(chainer, value, block);
}

/* Whether the instruction is arithmetic whose operands are needed after that place anyway. */
static bool
may_sink(GroupChainer *chainer, uint32_t index, uint32_t behind) {
  const NornFunction *function = chainer->function;
  const NornInst *inst = norn_inst(function, index);
  if (!norn_is_machine(inst) || inst->result_count != 1 ||
      !norn_target_is_arithmetic(chainer->context->target, function, inst))
    return false;
  norn_for_each_use (function, inst, use)
    if (!is_read_behind(chainer, origin_of(chainer, use.value), behind))
      return false;
  return true;
}

/* What happens to a word of the next group that is not shared. */
typedef enum { WORD_COPIED, WORD_IN_PLACE, WORD_SINKS, WORD_MOVED } WordFate;

static WordFate
fate_of(GroupChainer *chainer, const Link *link, unsigned k) {
  const NornFunction *function = chainer->function;
  uint32_t next = link->next;
  NornRef ref = norn_operand(function, next, k);
  if (norn_ref_kind(ref) != NORN_REF_VALUE || is_read_behind(chainer, norn_ref_payload(ref), next))
    return WORD_COPIED;
  if (chainer->now[norn_ref_payload(ref)])
    return WORD_IN_PLACE; /* in an earlier group, which is just as good */
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  if (value->is_parameter ||
      norn_inst(function, value->def)->block != norn_inst(function, next)->block)
    return WORD_MOVED;
  if (chainer->position[value->def] > chainer->position[link->user])
    return WORD_IN_PLACE;
  return chainer->use_counts[norn_ref_payload(ref)] == 1 &&
                 may_sink(chainer, value->def, link->user)
             ? WORD_SINKS
             : WORD_MOVED;
}

/* Whether keeping the shared words in place for the next group saves copies. */
static bool
saves_copies(GroupChainer *chainer, const Link *link) {
  const NornInst *next = norn_inst(chainer->function, link->next);
  int saved = __builtin_popcount(link->shared);
  for (unsigned k = 0; saved > 0 && k < next->operand_count; k++)
    saved -= !(link->shared >> k & 1) && fate_of(chainer, link, k) == WORD_MOVED;
  return saved > 0;
}

/* The words that stay and that nothing reads after the next group's collect. */
static unsigned
until_next(GroupChainer *chainer, const Link *link) {
  unsigned kept = 0;
  for (unsigned k = 0; link->kept >> k; k++)
    if (link->kept >> k & 1 &&
        !is_read_behind(chainer,
                        norn_ref_payload(norn_operand(chainer->function, link->collect, k)),
                        link->next))
      kept |= 1u << k;
  return kept;
}

/* Finds the words of a group that stay where they are. Returns false if there are none. */
static bool
find_link(GroupChainer *chainer, uint32_t index, Link *link) {
  const NornFunction *function = chainer->function;
  const NornInst *collect = norn_inst(function, index);
  const NornRef *words = norn_operands(function, collect);
  *link = (Link){.collect = index, .user = only_user(chainer, collect)};
  if (link->user == NORN_INDEX_NONE)
    return false;
  link->next = next_collect(chainer, link);
  for (unsigned k = 0; k < collect->operand_count; k++) {
    if (norn_ref_kind(words[k]) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(words[k]);
    if (norn_value(function, value)->type != NORN_TYPE_I32)
      continue;
    bool may_be_renamed = is_only_of_block(chainer, value, collect->block);
    if (link->next != NORN_INDEX_NONE &&
        is_at_place(function, norn_inst(function, link->next), k, words[k]) &&
        (may_be_renamed || has_room(chainer, collect->block)))
      link->shared |= 1u << k;
    else if (may_be_renamed && is_read_behind(chainer, value, link->user) &&
             !moves_later(chainer, value, k, link->user))
      link->kept |= 1u << k;
  }
  if (link->shared && saves_copies(chainer, link))
    link->kept = link->shared | (link->passes ? until_next(chainer, link) : 0);
  else
    link->shared = 0;
  return link->kept;
}

/* --- Splits --- */

/* Sinks the arithmetic for the next group's own words below the user. */
static void
sink_words(GroupChainer *chainer, const Link *link) {
  NornFunction *function = chainer->function;
  for (unsigned k = 0; k < norn_inst(function, link->next)->operand_count; k++) {
    if (link->shared >> k & 1 || fate_of(chainer, link, k) != WORD_SINKS)
      continue;
    uint32_t def =
        norn_value(function, norn_ref_payload(norn_operand(function, link->next, k)))->def;
    NornBuilder builder = norn_builder_after(function, link->user);
    norn_builder_insert(&builder, def);
    chainer->position[def] = chainer->position[link->user] + 1;
  }
}

static void
chain_group(GroupChainer *chainer, uint32_t index) {
  NornFunction *function = chainer->function;
  NornArena *arena = &chainer->context->arena;
  Link link;
  if (!find_link(chainer, index, &link))
    return;
  if (link.shared)
    sink_words(chainer, &link);
  const NornInst *collect = norn_inst(function, index);
  unsigned count = collect->operand_count;
  NornRef words[NORN_MACHINE_OPERANDS];
  Renaming renaming = {.split = function->inst_count, .kept = link.kept};
  for (unsigned k = 0; k < count; k++) {
    renaming.values[k] = norn_ref_payload(norn_operand(function, index, k));
    norn_list_push(arena, &chainer->origin, renaming.values[k]);
  }
  norn_list_push(arena, &chainer->renamings, renaming);
  if (link.shared && link.passes)
    chainer->link[link.next] = chainer->renamings.count;
  NornBuilder builder = norn_builder_after(function, link.user);
  norn_build_split(&builder, NORN_TYPE_I32, norn_value(function, collect->result)->type,
                   norn_ref(NORN_REF_VALUE, collect->result), count, words);
}

/* From the split on, its results are the names of the values that it keeps. */
static void
begin_renaming(GroupChainer *chainer, const Renaming *renaming) {
  uint32_t first = norn_inst(chainer->function, renaming->split)->result;
  for (unsigned k = 0; renaming->kept >> k; k++) {
    if (!(renaming->kept >> k & 1))
      continue;
    uint32_t value = renaming->values[k];
    if (!chainer->now[value])
      norn_list_push(&chainer->context->arena, &chainer->renamed, value);
    chainer->now[value] = norn_ref(NORN_REF_VALUE, first + k);
  }
}

/* The current name of `value`, which is operand k of an instruction; 0: its own. If a word stays at
 * two places, a collect takes the one at its own place. */
static NornRef
name_of(const GroupChainer *chainer, uint32_t index, unsigned k, uint32_t value) {
  const NornInst *inst = norn_inst(chainer->function, index);
  NornRef name = chainer->now[value];
  if (!name || inst->op != NORN_OP_COLLECT)
    return name;
  uint32_t number = norn_value(chainer->function, norn_ref_payload(name))->def;
  if (chainer->link[index])
    number = chainer->link[index] - 1 + chainer->inst_count;
  const NornInst *split = norn_inst(chainer->function, number);
  const Renaming *renaming = &chainer->renamings.items[number - chainer->inst_count];
  return renaming->kept >> k & 1 && renaming->values[k] == value
             ? norn_ref(NORN_REF_VALUE, split->result + k)
             : name;
}

static void
rename_operands(GroupChainer *chainer, uint32_t index) {
  NornFunction *function = chainer->function;
  for (unsigned k = 0; k < norn_inst(function, index)->operand_count; k++) {
    NornRef ref = norn_operand(function, index, k);
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    NornRef name = name_of(chainer, index, k, origin_of(chainer, norn_ref_payload(ref)));
    if (name)
      norn_set_operand(function, index, k, name);
  }
}

static void
chain_block(GroupChainer *chainer, uint32_t block) {
  NornFunction *function = chainer->function;
  note_uses(chainer, block);
  norn_for_each_inst (function, block, index) {
    if (index >= chainer->inst_count) {
      begin_renaming(chainer, &chainer->renamings.items[index - chainer->inst_count]);
      continue;
    }
    if (norn_inst(function, index)->op == NORN_OP_COLLECT)
      chain_group(chainer, index);
    rename_operands(chainer, index);
  }
  for (uint32_t i = 0; i < chainer->renamed.count; i++) {
    uint32_t value = chainer->renamed.items[i];
    if (norn_defining_block(function, value) == block)
      chainer->finally[value] = chainer->now[value];
    chainer->now[value] = 0;
  }
  chainer->renamed.count = 0;
}

/* Renames uses in other blocks of values that were renamed in the block that defines them. */
static void
rename_outside(GroupChainer *chainer) {
  NornFunction *function = chainer->function;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      for (unsigned k = 0; k < norn_inst(function, index)->operand_count; k++) {
        NornRef ref = norn_operand(function, index, k);
        uint32_t value = norn_ref_payload(ref);
        if (norn_ref_kind(ref) == NORN_REF_VALUE && value < chainer->value_count &&
            chainer->finally[value] && norn_defining_block(function, value) != block)
          norn_set_operand(function, index, k, chainer->finally[value]);
      }
}

uint32_t
norn_group_read(const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; norn_is_machine(inst) && k < inst->operand_count; k++) {
    const NornInst *def = norn_defining_inst(function, operands[k]);
    if (def && def->op == NORN_OP_COLLECT)
      return norn_value(function, norn_ref_payload(operands[k]))->def;
  }
  return NORN_INDEX_NONE;
}

bool
norn_groups_share_words(const NornFunction *function, const uint32_t *use_counts) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      for (unsigned k = 0; inst->op == NORN_OP_COLLECT && k < inst->operand_count; k++) {
        NornRef ref = norn_operands(function, inst)[k];
        if (norn_ref_kind(ref) == NORN_REF_VALUE && use_counts[norn_ref_payload(ref)] > 1)
          return true;
      }
    }
  return false;
}

static void
prepare(GroupChainer *chainer) {
  const NornFunction *function = chainer->function;
  NornArena *arena = &chainer->context->arena;
  chainer->is_read_outside = NORN_NEW0(arena, bool, function->value_count);
  chainer->position = NORN_NEW(arena, uint32_t, function->inst_count);
  chainer->link = NORN_NEW0(arena, uint32_t, function->inst_count);
  chainer->uses = NORN_NEW0(arena, BlockUses, function->value_count);
  chainer->now = NORN_NEW0(arena, NornRef, function->value_count);
  chainer->finally = NORN_NEW0(arena, NornRef, function->value_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      norn_for_each_use (function, inst, use)
        if (norn_defining_block(function, use.value) != block)
          chainer->is_read_outside[use.value] = true;
    }
}

bool
norn_pass_chain_groups(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  GroupChainer chainer = {.context = context,
                          .function = function,
                          .value_count = function->value_count,
                          .inst_count = function->inst_count,
                          .use_counts = norn_pass_use_counts(context, function)};
  if (norn_groups_share_words(function, chainer.use_counts)) {
    prepare(&chainer);
    norn_for_each_block (function, block)
      if (norn_pass_continues(context, 1))
        chain_block(&chainer, block);
    if (chainer.renamings.count)
      rename_outside(&chainer);
  }
  norn_pass_report(context, chainer.renamings.count);
  return true;
}
