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
 * A hoisted value is live throughout the loop; operands that nothing else reads no longer are.
 * Register pressure is that of the block that needs the most, plus the values hoisted out of this
 * loop and the loops around it; it has to stay within the budget of the current occupancy. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/loop_registers.h"
#include "passes/select/loop_loads.h"

/* The uses of a value that an instruction's move may end. */
typedef struct Uses {
  uint32_t left;  /* by instructions that have not moved */
  uint32_t depth; /* of the innermost loop with one that has */
} Uses;

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
  uint32_t *group;           /* by value: a collect, if only collects read it; else 0 */
  NornLoopLoads loads;
  bool changed;
} Mover;

/* --- Registers --- */

static NornRegisterCounts
room_of(const Mover *mover, uint32_t value) {
  return mover->model->types[norn_value(mover->function, value)->type].room;
}

/* The registers that the loop needs in addition if the instruction leaves it; *less: those that it
 * no longer needs. */
static NornRegisterCounts
count_change(const Mover *mover, const NornInst *inst, uint32_t header, NornRegisterCounts *less) {
  *less = (NornRegisterCounts){{0}};
  norn_for_each_use (mover->function, inst, use)
    if (mover->uses[use.value].left == 1 &&
        mover->uses[use.value].depth < mover->dominance->loop_depth[header])
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

/* Moves the instruction out of as many loops as possible. */
static void
visit(Mover *mover, uint32_t index) {
  NornFunction *function = mover->function;
  const NornTarget *target = mover->context->target;
  const NornInst *inst = norn_inst(function, index);
  bool is_arithmetic = norn_is_machine(inst) && inst->result_count == 1 &&
                       norn_target_is_arithmetic(target, function, inst);
  uint32_t home = inst->block;
  for (;;) {
    uint32_t header = mover->dominance->loop_header[inst->block];
    if (header == NORN_INDEX_NONE ||
        (!is_arithmetic && inst->op != NORN_OP_SPLIT && !is_fixed_load(mover, inst, header)))
      break;
    uint32_t block = mover->preheader[header];
    if (block == NORN_INDEX_NONE || !norn_dominates(mover->dominance, block, inst->block) ||
        !are_operands_known(mover, inst, block) ||
        (is_arithmetic && is_shared_word(mover, inst->result, header)) ||
        !take_registers(mover, inst, header))
      break;
    move(mover, index, block);
  }
  if (inst->block != home)
    note_moved(mover, inst);
}

static void
move_all(Mover *mover) {
  const NornDominance *dominance = mover->dominance;
  mover->added = NORN_NEW0(&mover->context->arena, NornRegisterCounts, dominance->block_count);
  mover->use_count = norn_pass_use_counts(mover->context, mover->function);
  mover->uses = NORN_NEW0(&mover->context->arena, Uses, mover->function->value_count);
  for (uint32_t value = 0; value < mover->function->value_count; value++)
    mover->uses[value].left = mover->use_count[value];
  find_words(mover);
  find_preheaders(mover);
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
