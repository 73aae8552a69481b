/* Rematerializes words of groups in the place of words of the previous group.
 *
 * Coordinates of look-ups on a grid, as in a blur, recur: each word belongs to several groups, but
 * not to consecutive ones, which have another word in its place. It would therefore be kept in a
 * register of its own and copied to each group. Computing it again by arithmetic takes no more
 * instructions than the copy: it is computed after the user of the previous group, where it can use
 * the register of the word with which it alternates, and needs no register until then.
 *
 * Two consecutive groups that have words in common at the same places are linked. A group must be
 * read by a single message or other machine instruction in the same block. Only arithmetic of the
 * block whose results only groups read is rematerialized. Its operands then live longer; this is
 * not done if more operands live longer than there are words that no longer have to. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/schedule/groups.h"
#include "passes/target.h"

/* The group that was read last, by its words before the pass. */
typedef struct LastGroup {
  uint32_t user; /* NORN_INDEX_NONE: none nearby */
  unsigned count, steps;
  NornRef words[NORN_MACHINE_OPERANDS];
  NornRef now[NORN_MACHINE_OPERANDS]; /* the current value of each word */
} LastGroup;

/* For a value. */
typedef struct WordInfo {
  uint32_t group_uses; /* in collects of its block */
  uint32_t last_other; /* position of its last reader other than a rematerialized word */
  uint32_t last_again; /* position after which a word is rematerialized from it; 0: none */
  bool is_again;       /* a word that is rematerialized */
} WordInfo;

typedef struct Rematerializer {
  NornPassContext *context;
  NornFunction *function;
  uint32_t inst_count;        /* before the pass */
  const uint32_t *use_counts; /* by value */
  uint32_t *position;         /* by instruction: position in its block, from 1 on */
  WordInfo *infos;            /* by value */
  NornIndexList words;        /* the rematerialized words of the block */
  bool plans;                 /* finds them without changing anything */
  bool changed;
} Rematerializer;

/* The collect of the group that only this instruction reads, if it is in the same block;
 * NORN_INDEX_NONE: none. */
static uint32_t
own_group(const Rematerializer *self, const NornInst *inst) {
  const NornFunction *function = self->function;
  uint32_t collect = norn_group_read(function, inst);
  bool is_own = collect != NORN_INDEX_NONE && norn_inst(function, collect)->block == inst->block &&
                self->use_counts[norn_inst(function, collect)->result] == 1 &&
                !norn_is_terminator(function, inst);
  return is_own ? collect : NORN_INDEX_NONE;
}

/* The arithmetic instruction of the block that defines the value; NULL: none. */
static const NornInst *
arithmetic_of(const Rematerializer *self, NornRef ref, uint32_t block) {
  const NornInst *def = norn_defining_inst(self->function, ref);
  return def && norn_is_machine(def) && def->block == block && def->result_count == 1 &&
                 norn_target_is_arithmetic(self->context->target, self->function, def)
             ? def
             : NULL;
}

/* Whether the word should be computed again after the instruction. */
static bool
is_worth_it(const Rematerializer *self, NornRef word, uint32_t behind) {
  uint32_t value = norn_ref_payload(word), block = norn_inst(self->function, behind)->block;
  const NornInst *def = arithmetic_of(self, word, block);
  return def && self->infos[value].group_uses == self->use_counts[value] &&
         self->position[norn_value(self->function, value)->def] < self->position[behind];
}

static void
plan_word(Rematerializer *self, NornRef word, uint32_t behind) {
  uint32_t value = norn_ref_payload(word);
  const NornInst *def = norn_defining_inst(self->function, word);
  if (!self->infos[value].is_again)
    norn_list_push(&self->context->arena, &self->words, value);
  self->infos[value].is_again = true;
  norn_for_each_use (self->function, def, use)
    self->infos[use.value].last_again = self->position[behind];
}

static NornRef
compute_again(Rematerializer *self, NornRef word, uint32_t behind) {
  NornFunction *function = self->function;
  NornBuilder builder = norn_builder_after(function, behind);
  uint32_t clone =
      norn_build_clone(&builder, function, norn_value(function, norn_ref_payload(word))->def);
  self->changed = true;
  return norn_result(function, clone, 0);
}

/* Takes the words that a group shares with the last one from that one, and rematerializes
 * others. */
static void
link_group(Rematerializer *self, const LastGroup *last, LastGroup *next, uint32_t collect) {
  unsigned shared = 0;
  for (unsigned k = 0; k < MIN(last->count, next->count); k++)
    shared |= (unsigned)(last->words[k] == next->words[k]) << k;
  for (unsigned k = 0; shared && k < next->count; k++) {
    if (shared >> k & 1)
      next->now[k] = last->now[k];
    else if (!is_worth_it(self, next->words[k], last->user))
      continue;
    else if (self->plans)
      plan_word(self, next->words[k], last->user);
    else
      next->now[k] = compute_again(self, next->words[k], last->user);
    norn_set_operand(self->function, collect, k, next->now[k]);
  }
}

/* Links the groups of the block. */
static void
walk_block(Rematerializer *self, uint32_t block) {
  const NornFunction *function = self->function;
  LastGroup last = {.user = NORN_INDEX_NONE};
  norn_for_each_inst (function, block, index) {
    if (index >= self->inst_count)
      continue;
    const NornInst *inst = norn_inst(function, index);
    uint32_t collect = own_group(self, inst);
    if (collect != NORN_INDEX_NONE) {
      LastGroup next = {.user = index, .count = norn_inst(function, collect)->operand_count};
      for (unsigned k = 0; k < next.count; k++)
        next.words[k] = next.now[k] = norn_operand(function, collect, k);
      if (last.user != NORN_INDEX_NONE && self->position[collect] > self->position[last.user])
        link_group(self, &last, &next, collect);
      last = next;
    }
    if (last.steps++ == NORN_GROUP_DISTANCE ||
        norn_regs_any(norn_target_clobbered(self->context->target, function, inst)))
      last.user = NORN_INDEX_NONE;
  }
}

static void
note_positions(Rematerializer *self, uint32_t block) {
  const NornFunction *function = self->function;
  uint32_t position = 0;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    self->position[index] = ++position;
    norn_for_each_use (function, inst, use)
      self->infos[use.value].group_uses += inst->op == NORN_OP_COLLECT;
  }
}

/* Whether at most as many values live longer for rematerialization as there are rematerialized
 * words. */
static bool
saves_registers(Rematerializer *self, uint32_t block) {
  const NornFunction *function = self->function;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    bool is_again = inst->result_count == 1 && self->infos[inst->result].is_again;
    for (unsigned k = 0; k < inst->operand_count && !is_again; k++) {
      NornRef ref = norn_operands(function, inst)[k];
      if (norn_ref_kind(ref) == NORN_REF_VALUE)
        self->infos[norn_ref_payload(ref)].last_other = self->position[index];
    }
  }
  uint32_t longer = 0;
  for (uint32_t i = 0; i < self->words.count; i++) {
    const NornInst *def = norn_inst(function, norn_value(function, self->words.items[i])->def);
    norn_for_each_use (function, def, use) {
      WordInfo *info = &self->infos[use.value];
      longer += info->last_again > info->last_other;
      info->last_again = 0; /* counted */
    }
  }
  return longer <= self->words.count;
}

static void
rematerialize_in(Rematerializer *self, uint32_t block) {
  note_positions(self, block);
  self->words.count = 0;
  self->plans = true;
  walk_block(self, block);
  self->plans = false;
  if (self->words.count && saves_registers(self, block))
    walk_block(self, block);
}

bool
norn_pass_rematerialize_words(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Rematerializer self = {.context = context,
                         .function = function,
                         .inst_count = function->inst_count,
                         .use_counts = norn_pass_use_counts(context, function)};
  if (norn_groups_share_words(function, self.use_counts)) {
    self.position = NORN_NEW(&context->arena, uint32_t, function->inst_count);
    self.infos = NORN_NEW0(&context->arena, WordInfo, function->value_count);
    norn_for_each_block (function, block)
      if (norn_pass_continues(context, 1))
        rematerialize_in(&self, block);
  }
  norn_pass_report(context, self.changed);
  return true;
}
