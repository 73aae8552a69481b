/* Words that are needed behind a group stay in it.
 *
 * A word of a group that something else needs later is copied to the group, since its register
 * belongs to the group as long as that lives. But a message does not change what it is given. So
 * the group is split behind its user, and whoever needs the word from there on takes it from the
 * split: the word dies in the group, the group in the split, and all of them can share a register.
 *
 * This goes best where words come back at the same places of the next group, as coordinates of
 * look-ups with different offsets do. A word of the next group that no one else needs could have
 * been computed in its place, were that not taken. Where it is arithmetic, it is computed behind
 * the first group's user instead; else it counts against what is saved. Where nothing comes back,
 * words stay that no other group wants at another place.
 *
 * Groups of one user, in one block; words that are defined in the block, or not needed behind it.
 * Not for what clobbers registers, nor across it: a group with a place of its own there would have
 * to make way for it. */
#include "ir/analysis/liveness.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include "passes/target.h"

/* How far the next group may be, in instructions. */
enum { MOST_STEPS = 64 };

/* Where a value is read. */
typedef struct WordUse {
  uint32_t inst;
  uint32_t next; /* the one behind it, + 1; those of one block are in order */
  unsigned operand;
} WordUse;

typedef struct GroupChainer {
  NornPassContext *context;
  NornFunction *function;
  const NornLiveness *liveness; /* of the values that were there before; NULL: not needed yet */
  NORN_LIST(WordUse) uses;
  NORN_LIST(uint32_t) first_use; /* by value: + 1 */
  uint32_t *position;            /* by instruction: within its block */
  uint32_t value_count, inst_count;
  bool changed;
} GroupChainer;

/* A group and what is behind it. */
typedef struct Link {
  uint32_t collect, user;
  uint32_t next;   /* the next group's collect; NORN_INDEX_NONE: there is none near it */
  unsigned shared; /* bit k: the next group has word k, too */
  unsigned kept;   /* bit k: word k stays where it is */
} Link;

static const WordUse *
use_at(const GroupChainer *chainer, uint32_t number) {
  return number ? &chainer->uses.items[number - 1] : NULL;
}

/* The only user of the group that the collect makes, if it is in the block and a message or the
 * like; NORN_INDEX_NONE: there is no such user. */
static uint32_t
only_user(const GroupChainer *chainer, const NornInst *collect) {
  const WordUse *use = use_at(chainer, chainer->first_use.items[collect->result]);
  if (!use || use->next)
    return NORN_INDEX_NONE;
  const NornInst *user = norn_inst(chainer->function, use->inst);
  return user->block == collect->block && norn_is_machine(user) &&
                 !norn_is_terminator(chainer->function, user)
             ? use->inst
             : NORN_INDEX_NONE;
}

/* The block in which the value is defined. */
static uint32_t
home_of(const NornFunction *function, uint32_t value) {
  const NornValue *self = norn_value(function, value);
  return self->is_parameter ? self->def : norn_inst(function, self->def)->block;
}

/* Whether a value that is defined elsewhere is needed behind the block. */
static bool
lives_on(GroupChainer *chainer, uint32_t value, uint32_t block) {
  NornPassContext *context = chainer->context;
  if (!chainer->liveness)
    chainer->liveness = norn_liveness_new(&context->arena, chainer->function,
                                          norn_pass_dominance(context, chainer->function));
  return value >= chainer->value_count || norn_live_out(chainer->liveness, block, value);
}

/* Whether the instruction changes registers that it does not name. */
static bool
clobbers(const GroupChainer *chainer, const NornInst *inst) {
  const NornTarget *target = chainer->context->target;
  NornFixedRegisters fixed;
  return norn_is_machine(inst) &&
         target->fixed_registers(target, chainer->function, inst, &fixed) &&
         norn_regs_any(fixed.clobbered);
}

/* The next collect behind an instruction; NORN_INDEX_NONE: there is none near it. */
static uint32_t
next_collect(const GroupChainer *chainer, uint32_t index) {
  for (unsigned step = 0; step < MOST_STEPS; step++) {
    const NornInst *inst = norn_inst(chainer->function, index);
    if (clobbers(chainer, inst))
      break;
    index = inst->next;
    if (index == NORN_INDEX_NONE || norn_inst(chainer->function, index)->op == NORN_OP_COLLECT)
      return index;
  }
  return NORN_INDEX_NONE;
}

/* Whether the word can be taken from the group by all that need it behind the block's instructions
 * so far. */
static bool
may_be_renamed(GroupChainer *chainer, NornRef ref, uint32_t block) {
  const NornFunction *function = chainer->function;
  uint32_t value = norn_ref_payload(ref);
  return norn_ref_kind(ref) == NORN_REF_VALUE &&
         norn_value(function, value)->type == NORN_TYPE_I32 &&
         (home_of(function, value) == block || !lives_on(chainer, value, block));
}

/* Whether an instruction that reads a value which is defined in block `home` comes behind `inst`.
 */
static bool
is_behind(const GroupChainer *chainer, uint32_t reader, uint32_t home, const NornInst *inst,
          uint32_t position) {
  uint32_t block = norn_inst(chainer->function, reader)->block;
  return block == inst->block ? chainer->position[reader] > position : home == inst->block;
}

/* Whether the value is read behind that place of the block, or in a block behind it. */
static bool
is_read_behind(GroupChainer *chainer, uint32_t value, uint32_t index) {
  const NornInst *inst = norn_inst(chainer->function, index);
  uint32_t home = home_of(chainer->function, value);
  const WordUse *use;
  for (uint32_t number = chainer->first_use.items[value]; (use = use_at(chainer, number));
       number = use->next)
    if (is_behind(chainer, use->inst, home, inst, chainer->position[index]))
      return true;
  return home != inst->block && lives_on(chainer, value, inst->block);
}

/* Whether the instruction is arithmetic whose operands are needed behind that place as well. */
static bool
may_sink(GroupChainer *chainer, uint32_t index, uint32_t behind) {
  const NornFunction *function = chainer->function;
  const NornInst *inst = norn_inst(function, index);
  NornMachineShape shape;
  if (!norn_is_machine(inst) || inst->result_count != 1)
    return false;
  norn_inst_shape(function->module, inst, &shape);
  if (shape.operand_is_staging || shape.result_is_staging || shape.reads_memory ||
      shape.writes_memory || shape.is_barrier || shape.is_convergent)
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_operands(function, inst)[k];
    if (norn_ref_kind(ref) == NORN_REF_VALUE &&
        !is_read_behind(chainer, norn_ref_payload(ref), behind))
      return false;
  }
  return true;
}

/* What becomes of a word of the next group that is not shared. */
typedef enum { WORD_COPIED, WORD_IN_PLACE, WORD_SINKS, WORD_MOVED } WordFate;

static WordFate
fate_of(GroupChainer *chainer, const Link *link, unsigned k) {
  const NornFunction *function = chainer->function;
  uint32_t next = link->next;
  NornRef ref = norn_operand(function, next, k);
  if (norn_ref_kind(ref) != NORN_REF_VALUE || is_read_behind(chainer, norn_ref_payload(ref), next))
    return WORD_COPIED;
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  if (value->is_parameter ||
      norn_inst(function, value->def)->block != norn_inst(function, next)->block)
    return WORD_MOVED;
  if (value->def >= chainer->inst_count ||
      chainer->position[value->def] > chainer->position[link->user])
    return WORD_IN_PLACE;
  const WordUse *use = use_at(chainer, chainer->first_use.items[norn_ref_payload(ref)]);
  return use && !use->next && may_sink(chainer, value->def, link->user) ? WORD_SINKS : WORD_MOVED;
}

/* Uses of the first group's word k behind its user become those of `word`, but for other places of
 * the next group that have a word of their own. */
static void
rename_behind(GroupChainer *chainer, const Link *link, unsigned k, NornRef word) {
  NornFunction *function = chainer->function;
  uint32_t value = norn_ref_payload(norn_operand(function, link->collect, k));
  const NornInst *user = norn_inst(function, link->user);
  uint32_t home = home_of(function, value);
  uint32_t *kept = &chainer->first_use.items[value];
  uint32_t *moved = &chainer->first_use.items[norn_ref_payload(word)];
  for (uint32_t number = *kept; number;) {
    WordUse *use = &chainer->uses.items[number - 1];
    uint32_t next = use->next;
    bool has_own = use->inst == link->next && use->operand != k && link->shared >> use->operand & 1;
    bool moves =
        !has_own && is_behind(chainer, use->inst, home, user, chainer->position[link->user]);
    if (moves)
      norn_set_operand(function, use->inst, use->operand, word);
    uint32_t **end = moves ? &moved : &kept;
    **end = number;
    *end = &use->next;
    number = next;
  }
  *kept = *moved = 0;
}

/* Moves the arithmetic of the next group's own words behind the user. */
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

/* Whether a collect behind the group's user wants its word k at another place. */
static bool
moves_later(const GroupChainer *chainer, const Link *link, unsigned k) {
  const NornFunction *function = chainer->function;
  uint32_t value = norn_ref_payload(norn_operand(function, link->collect, k));
  uint32_t home = home_of(function, value);
  const NornInst *user = norn_inst(function, link->user);
  const WordUse *use;
  for (uint32_t number = chainer->first_use.items[value]; (use = use_at(chainer, number));
       number = use->next)
    if (norn_inst(function, use->inst)->op == NORN_OP_COLLECT && use->operand != k &&
        is_behind(chainer, use->inst, home, user, chainer->position[link->user]))
      return true;
  return false;
}

/* Whether the next group may have its shared words where they are. */
static bool
saves_copies(GroupChainer *chainer, const Link *link) {
  const NornInst *next = norn_inst(chainer->function, link->next);
  int saved = __builtin_popcount(link->shared);
  for (unsigned k = 0; saved > 0 && k < next->operand_count; k++)
    saved -= !(link->shared >> k & 1) && fate_of(chainer, link, k) == WORD_MOVED;
  return saved > 0;
}

/* Finds the words of a group that stay where they are; false: there are none. */
static bool
find_link(GroupChainer *chainer, uint32_t index, Link *link) {
  const NornFunction *function = chainer->function;
  const NornInst *collect = norn_inst(function, index);
  const NornRef *words = norn_operands(function, collect);
  *link = (Link){.collect = index, .user = only_user(chainer, collect)};
  if (link->user == NORN_INDEX_NONE || clobbers(chainer, norn_inst(function, link->user)))
    return false;
  link->next = next_collect(chainer, link->user);
  for (unsigned k = 0; k < collect->operand_count; k++) {
    if (!may_be_renamed(chainer, words[k], collect->block))
      continue;
    if (link->next != NORN_INDEX_NONE && k < norn_inst(function, link->next)->operand_count &&
        norn_operand(function, link->next, k) == words[k])
      link->shared |= 1u << k;
    else if (is_read_behind(chainer, norn_ref_payload(words[k]), link->user) &&
             !moves_later(chainer, link, k))
      link->kept |= 1u << k;
  }
  if (link->shared && saves_copies(chainer, link))
    link->kept = link->shared;
  else
    link->shared = 0;
  return link->kept;
}

static void
chain_group(GroupChainer *chainer, uint32_t index) {
  NornFunction *function = chainer->function;
  Link link;
  if (!find_link(chainer, index, &link))
    return;
  if (link.shared)
    sink_words(chainer, &link);
  const NornInst *collect = norn_inst(function, index);
  unsigned count = collect->operand_count;
  NornRef words[NORN_MACHINE_OPERANDS];
  NornBuilder builder = norn_builder_after(function, link.user);
  norn_build_split(&builder, NORN_TYPE_I32, norn_value(function, collect->result)->type,
                   norn_ref(NORN_REF_VALUE, collect->result), count, words);
  while (chainer->first_use.count < function->value_count)
    norn_list_push(&chainer->context->arena, &chainer->first_use, 0);
  for (unsigned k = 0; k < count; k++)
    if (link.kept >> k & 1)
      rename_behind(chainer, &link, k, words[k]);
  chainer->changed = true;
}

/* Whether a word of a group has another use. */
static bool
is_promising(NornPassContext *context, const NornFunction *function) {
  const uint32_t *counts = norn_pass_use_counts(context, function);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      for (unsigned k = 0; inst->op == NORN_OP_COLLECT && k < inst->operand_count; k++) {
        NornRef ref = norn_operands(function, inst)[k];
        if (norn_ref_kind(ref) == NORN_REF_VALUE && counts[norn_ref_payload(ref)] > 1)
          return true;
      }
    }
  return false;
}

static void
list_uses(GroupChainer *chainer) {
  NornFunction *function = chainer->function;
  NornArena *arena = &chainer->context->arena;
  chainer->value_count = function->value_count;
  chainer->inst_count = function->inst_count;
  chainer->position = NORN_NEW(arena, uint32_t, function->inst_count);
  uint32_t *last = NORN_NEW0(arena, uint32_t, function->value_count);
  for (uint32_t v = 0; v < function->value_count; v++)
    norn_list_push(arena, &chainer->first_use, 0);
  norn_for_each_block (function, block) {
    uint32_t position = 0;
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      chainer->position[index] = position;
      position += 2; /* something may come between */
      for (unsigned k = 0; k < inst->operand_count; k++) {
        NornRef ref = norn_operands(function, inst)[k];
        if (norn_ref_kind(ref) != NORN_REF_VALUE)
          continue;
        uint32_t value = norn_ref_payload(ref);
        norn_list_push(arena, &chainer->uses, (WordUse){index, 0, k});
        if (last[value])
          chainer->uses.items[last[value] - 1].next = chainer->uses.count;
        else
          chainer->first_use.items[value] = chainer->uses.count;
        last[value] = chainer->uses.count;
      }
    }
  }
}

bool
norn_pass_chain_groups(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  GroupChainer chainer = {.context = context, .function = function};
  if (is_promising(context, function)) {
    list_uses(&chainer);
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, index) {
        if (!norn_pass_continues(context, 1))
          break;
        if (norn_inst(function, index)->op == NORN_OP_COLLECT)
          chain_group(&chainer, index);
      }
  }
  norn_pass_report(context, chainer.changed);
  return true;
}
