/* Loop-invariant code motion: hoists machine instructions that compute the same value in each
 * iteration out of loops, if registers allow.
 *
 * An instruction moves if its result depends only on its operands, it is not a message, and all
 * operands are available before the loop; splits move under the same condition. It moves to the end
 * of the nearest block that dominates the loop's header and is in the same enclosing loop, if any,
 * as the loop itself. It may be executed in few iterations or in none: computing it is harmless.
 * From there it moves on out of enclosing loops. The blocks are walked in reverse postorder, so
 * that operands have moved before their users.
 *
 * A load, with the group that only it reads, moves if every iteration executes it before the loop
 * can exit, and if nothing in the loop writes what it reads or orders memory (loop_loads.c). It is
 * then executed only once, and its users need not wait for it in each iteration. A loop that may be
 * skipped gets a preheader for its loads.
 *
 * Words of groups stay if they would be copied into each group anyway: computing them in place
 * costs no more.
 *
 * A hoisted value is live throughout the loop; operands that nothing else in the loop reads, and
 * nothing after it, no longer are. An operand that an outer loop keeps alive in an inner one is
 * replaced by the result if the instruction leaves both at once. Register pressure is that of the
 * block that needs the most, plus the values hoisted out of this loop and the loops around it; it
 * has to stay within the budget of the current occupancy. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/loop_registers.h"
#include "passes/select/loop_loads.h"

/* The uses of a value in loops. */
typedef struct Uses {
  uint32_t left;  /* by instructions that have not moved */
  uint32_t depth; /* of the innermost loop with one that has */
} Uses;

/* In loops with more exits, values are assumed to be live after them. */
enum { MAX_EXITS = 8 };
/* How many loops an instruction may leave at once. */
enum { MAX_LEVELS = 4 };

typedef struct Mover {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  const NornRegisterModel *model;
  NornLoopRegisters loops;
  NornRegisterCounts *added; /* by header: by values that were hoisted out of the loop */
  uint32_t *preheader;       /* by header: where to hoist instructions to, or NORN_INDEX_NONE */
  uint32_t *use_count;       /* by value */
  Uses *uses;                /* by value */
  NornIndexList *exits;      /* by header: the blocks that edges out of the loop lead to, but not
                              * many more than MAX_EXITS */
  const NornLiveness *live;
  uint32_t *group; /* by value: a collect, if only collects read it; else 0 */
  NornLoopLoads loads;
  bool changed;
} Mover;

/* --- Registers --- */

static NornRegisterCounts
room_of(const Mover *mover, uint32_t value) {
  return mover->model->types[norn_value(mover->function, value)->type].room;
}

/* Whether a use after the loop or in another iteration of a loop around it may keep the value in a
 * register throughout the loop. */
static bool
is_live_after(const Mover *mover, uint32_t header, uint32_t value) {
  const NornIndexList *exits = &mover->exits[header];
  bool is_live = exits->count > MAX_EXITS;
  for (uint32_t k = 0; k < exits->count && !is_live; k++)
    is_live = norn_live_in(mover->live, exits->items[k], value);
  return is_live;
}

/* The registers that the loop needs in addition if the instruction leaves it; *less: those that it
 * no longer needs. */
static NornRegisterCounts
count_change(const Mover *mover, const NornInst *inst, uint32_t header, NornRegisterCounts *less) {
  *less = (NornRegisterCounts){{0}};
  norn_for_each_use (mover->function, inst, use)
    if (mover->uses[use.value].left == 1 &&
        mover->uses[use.value].depth < mover->dominance->loop_depth[header] &&
        !is_live_after(mover, header, use.value))
      *less = norn_counts_plus(*less, room_of(mover, use.value));
  NornRegisterCounts more = {{0}};
  for (unsigned k = 0; k < inst->result_count; k++)
    if (mover->use_count[inst->result + k])
      more = norn_counts_plus(more, room_of(mover, inst->result + k));
  return more;
}

/* Whether the loop has registers for the instruction's result; if so, reserves them. */
static bool
take_registers(const Mover *mover, const NornInst *inst, uint32_t header) {
  const NornDominance *dominance = mover->dominance;
  NornRegisterCounts *added = mover->added, *needed = mover->loops.needed;
  NornRegisterCounts less, more = count_change(mover, inst, header, &less), around = {{0}};
  for (uint32_t k = dominance->loop_parent[header]; k != NORN_INDEX_NONE;
       k = dominance->loop_parent[k])
    around = norn_counts_plus(around, added[k]);
  NornRegisterCounts now = norn_counts_beyond(norn_counts_plus(needed[header], more), less);
  if (norn_counts_exceed(norn_counts_beyond(more, less), (NornRegisterCounts){{0}}) &&
      norn_counts_exceed(norn_counts_plus(now, around), mover->loops.budget))
    return false;
  needed[header] = now;
  added[header] = norn_counts_beyond(norn_counts_plus(added[header], more), less);
  for (uint32_t k = dominance->loop_parent[header]; k != NORN_INDEX_NONE;
       k = dominance->loop_parent[k])
    needed[k] = norn_counts_max(needed[k], now);
  return true;
}

/* --- Moving --- */

/* The block to hoist the loop's instructions to, or NORN_INDEX_NONE: the nearest dominator of its
 * header that is in the same enclosing loop, if any, as the loop itself. It may also lead past the
 * loop. Other loops on the way up are skipped by continuing from their preheaders. */
static uint32_t
find_preheader(const Mover *mover, uint32_t header) {
  const NornDominance *dominance = mover->dominance;
  uint32_t block = header;
  do {
    uint32_t loop = block == header ? NORN_INDEX_NONE : dominance->loop_header[block];
    if (loop != NORN_INDEX_NONE && norn_dominates(dominance, loop, block) &&
        mover->preheader[loop] != NORN_INDEX_NONE)
      block = mover->preheader[loop];
    else if (dominance->idom[block] == block)
      return NORN_INDEX_NONE;
    else
      block = dominance->idom[block];
  } while (dominance->loop_header[block] != dominance->loop_parent[header]);
  return block;
}

static void
find_preheaders(Mover *mover) {
  const NornDominance *dominance = mover->dominance;
  mover->preheader = norn_arena_indexes(&mover->context->arena, dominance->block_count);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    if (dominance->loop_header[dominance->order[k]] == dominance->order[k])
      mover->preheader[dominance->order[k]] = find_preheader(mover, dominance->order[k]);
}

/* Finds some exits of loops and the uses in them. */
static void
find_uses(Mover *mover) {
  const NornDominance *dominance = mover->dominance;
  NornArena *arena = &mover->context->arena;
  mover->uses = NORN_NEW0(arena, Uses, mover->function->value_count);
  mover->exits = NORN_NEW0(arena, NornIndexList, dominance->block_count);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k];
    if (!dominance->loop_depth[block])
      continue;
    norn_for_each_inst (mover->function, block, inst)
      norn_for_each_use (mover->function, norn_inst(mover->function, inst), use)
        mover->uses[use.value].left++;
    for (uint32_t edge = 0; edge < norn_successor_count(dominance, block); edge++) {
      uint32_t to = norn_successor(dominance, block, edge), header = dominance->loop_header[block];
      for (; header != NORN_INDEX_NONE && !norn_loop_contains(dominance, header, to);
           header = dominance->loop_parent[header])
        if (mover->exits[header].count <= MAX_EXITS)
          norn_list_push(arena, &mover->exits[header], to);
    }
  }
}

static bool
are_operands_known(const Mover *mover, const NornInst *inst, uint32_t block) {
  const NornRef *operands = norn_operands(mover->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(operands[k]);
    const NornInst *def = norn_defining_inst(mover->function, operands[k]);
    bool comes_along = def && def->op == NORN_OP_COLLECT && inst->op != NORN_OP_COLLECT &&
                       norn_is_machine(inst) && mover->use_count[value] == 1 &&
                       are_operands_known(mover, def, block);
    if (!comes_along &&
        !norn_dominates(mover->dominance, norn_defining_block(mover->function, value), block))
      return false;
  }
  return true;
}

/* Finds the values that only collects read. */
static void
find_words(Mover *mover) {
  const NornFunction *function = mover->function;
  uint32_t *words = NORN_NEW0(&mover->context->arena, uint32_t, function->value_count);
  mover->group = NORN_NEW0(&mover->context->arena, uint32_t, function->value_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      for (unsigned k = 0; norn_inst(function, inst)->op == NORN_OP_COLLECT &&
                           k < norn_inst(function, inst)->operand_count;
           k++) {
        NornRef ref = norn_operand(function, inst, k);
        if (norn_ref_kind(ref) == NORN_REF_VALUE &&
            ++words[norn_ref_payload(ref)] == mover->use_count[norn_ref_payload(ref)])
          mover->group[norn_ref_payload(ref)] = inst;
      }
}

/* Whether the value is a word of a group whose other words are computed in the loop and also needed
 * elsewhere: then it cannot stay in its place in the group. */
static bool
is_shared_word(const Mover *mover, uint32_t value, uint32_t header) {
  const NornFunction *function = mover->function;
  uint32_t group = mover->group[value];
  for (unsigned k = 0; group && k < norn_inst(function, group)->operand_count; k++) {
    NornRef other = norn_operand(function, group, k);
    if (norn_ref_kind(other) == NORN_REF_VALUE && norn_ref_payload(other) != value &&
        mover->use_count[norn_ref_payload(other)] > 1 &&
        norn_loop_contains(mover->dominance, header,
                           norn_defining_block(function, norn_ref_payload(other))))
      return true;
  }
  return false;
}

/* Whether the instruction is a load that the loop repeats and that is executed no more often before
 * the loop. */
static bool
is_fixed_load(Mover *mover, const NornInst *inst, uint32_t header) {
  uint32_t before = mover->preheader[header];
  return before != NORN_INDEX_NONE && norn_leads_only_to(mover->dominance, before, header) &&
         norn_load_is_repeated(&mover->loads, inst, inst->block, header);
}

/* Moves the instruction to the end of the block, after the groups that only it reads. */
static void
move(Mover *mover, uint32_t index, uint32_t block) {
  NornFunction *function = mover->function;
  NornBuilder builder = norn_builder_before(function, norn_block_terminator(function, block));
  for (unsigned k = 0; k < norn_inst(function, index)->operand_count; k++) {
    NornRef ref = norn_operand(function, index, k);
    const NornInst *group = norn_defining_inst(function, ref);
    if (group && !norn_dominates(mover->dominance, group->block, block))
      norn_builder_insert(&builder, norn_value(function, norn_ref_payload(ref))->def);
  }
  norn_builder_insert(&builder, index);
  mover->changed = true;
}

/* --- Visits --- */

/* The instruction has moved out of a loop and stays where it is now. */
static void
note_moved(Mover *mover, const NornInst *inst) {
  norn_for_each_use (mover->function, inst, use) {
    Uses *uses = &mover->uses[use.value];
    uses->left--;
    uses->depth = MAX(uses->depth, mover->dominance->loop_depth[inst->block]);
  }
}

/* Moves the instruction out of the loop if it can be computed before it and registers allow. */
static bool
leave(Mover *mover, uint32_t index, bool is_arithmetic, uint32_t header) {
  const NornInst *inst = norn_inst(mover->function, index);
  uint32_t block = mover->preheader[header];
  if (block == NORN_INDEX_NONE || !norn_dominates(mover->dominance, block, inst->block) ||
      !are_operands_known(mover, inst, block) ||
      (is_arithmetic && is_shared_word(mover, inst->result, header)) ||
      !take_registers(mover, inst, header))
    return false;
  move(mover, index, block);
  return true;
}

/* Moves arithmetic or a split out of as many of the loops around it as possible. Out of several
 * loops at once, the result may take the place of an operand that has to live in the inner ones
 * until then. */
static bool
leave_some(Mover *mover, uint32_t index, bool is_arithmetic) {
  uint32_t headers[MAX_LEVELS];
  unsigned count = 0;
  uint32_t header = mover->dominance->loop_header[norn_inst(mover->function, index)->block];
  for (; count < MAX_LEVELS && header != NORN_INDEX_NONE;
       header = mover->dominance->loop_parent[header])
    headers[count++] = header;
  while (count && !leave(mover, index, is_arithmetic, headers[count - 1]))
    count--;
  return count > 0;
}

/* Moves the instruction out of as many loops as possible. */
static void
visit(Mover *mover, uint32_t index) {
  NornFunction *function = mover->function;
  const NornInst *inst = norn_inst(function, index);
  uint32_t home = inst->block, header;
  bool is_arithmetic = norn_is_machine(inst) && inst->result_count == 1 &&
                       norn_target_is_arithmetic(mover->context->target, function, inst);
  if (is_arithmetic || inst->op == NORN_OP_SPLIT)
    while (leave_some(mover, index, is_arithmetic))
      ;
  else
    while ((header = mover->dominance->loop_header[inst->block]) != NORN_INDEX_NONE &&
           is_fixed_load(mover, inst, header) && leave(mover, index, false, header))
      ;
  if (inst->block != home)
    note_moved(mover, inst);
}

static void
move_all(Mover *mover) {
  const NornDominance *dominance = mover->dominance;
  mover->added = NORN_NEW0(&mover->context->arena, NornRegisterCounts, dominance->block_count);
  mover->use_count = norn_pass_use_counts(mover->context, mover->function);
  norn_pass_pressure(mover->context, mover->function, &mover->live);
  find_words(mover);
  find_preheaders(mover);
  find_uses(mover);
  mover->loops = norn_loop_registers(mover->context, mover->function);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    for (uint32_t inst = norn_block(mover->function, dominance->order[k])->first, next;
         inst != NORN_INDEX_NONE && dominance->loop_depth[dominance->order[k]] &&
         norn_pass_continues(mover->context, 1);
         inst = next) {
      next = norn_inst(mover->function, inst)->next;
      visit(mover, inst);
    }
}

bool
norn_pass_machine_licm(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Mover mover = {.context = context,
                 .function = function,
                 .dominance = norn_pass_dominance(context, function),
                 .model = &context->target->registers,
                 .loads = {.context = context, .function = function}};
  if (norn_has_loops(mover.dominance)) {
    mover.loads.dominance = mover.dominance;
    mover.changed = norn_make_preheaders(&mover.loads);
    mover.loads.dominance = mover.dominance = norn_pass_dominance(context, function);
    move_all(&mover);
  }
  norn_pass_report(context, mover.changed);
  return true;
}
