/* Copies the blocks of the loops that unroll_loops.c chose.
 *
 * The existing blocks of a loop become those of iteration 0. For every other iteration there is a
 * copy, to whose header the back edges of the previous iteration lead. The branch of the exit that
 * ends the loop becomes a jump: out of the loop in the last iteration, onward in each other one.
 * Only the part of the last iteration before the exit is copied. Other exits stay, as branches of
 * each copy. Values that are used after the loop then have a name in every iteration, which
 * norn_repair_ssa resolves.
 *
 * Lanes reconverge where they did before. Each iteration of a loop is an acyclic graph in which a
 * block runs with all lanes that reach it. The copies are the same graph several times in a row,
 * and a header waits for all lanes that take a back edge to it, as before. Edges that are never
 * taken are only removed if no block drops out of an enclosing loop as a result; other loops are
 * not chosen. The marks of unrolled loops are removed; inner loops keep theirs, in every copy.
 *
 * A loop that is unrolled partially goes through all copies in turn: the back edges of the last
 * copy lead to the header, which keeps its mark, and only its exit remains a branch. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/optimize/unroll_loops.h"
#include "passes/repair_ssa.h"
#include <string.h>

/* Lists and numbers the blocks of each plan. */
static void
list_blocks(Unroller *unroller) {
  const NornDominance *dominance = unroller->dominance;
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t header = dominance->order[k], around = dominance->loop_parent[header];
    if (around != NORN_INDEX_NONE && !unroller->facts[header].plan)
      unroller->facts[header].plan = unroller->facts[around].plan;
  }
  norn_for_each_block (unroller->function, block) {
    uint32_t header = dominance->loop_header[block];
    uint32_t number = header == NORN_INDEX_NONE ? 0 : unroller->facts[header].plan;
    unroller->plan_of[block] = number;
    if (!number)
      continue;
    UnrollPlan *plan = &unroller->plans.items[number - 1];
    unroller->number_of[block] = plan->blocks.count;
    norn_list_push(unroller->arena, &plan->blocks, block);
  }
}

/* Marks the blocks of the last iteration: those that the header reaches without passing the exit,
 * or all if it leads back. */
static void
find_last_iteration(const Unroller *unroller, UnrollPlan *plan) {
  NornIndexList work = {0};
  uint32_t number = unroller->plan_of[plan->header];
  plan->in_last = NORN_NEW0(unroller->arena, bool, plan->blocks.count);
  plan->in_last[unroller->number_of[plan->header]] = true;
  norn_list_push(unroller->arena, &work, plan->header);
  while (work.count) {
    uint32_t block = work.items[--work.count];
    for (uint32_t k = 0; k < norn_successor_count(unroller->dominance, block); k++) {
      uint32_t to = norn_successor(unroller->dominance, block, k);
      if ((block == plan->trips.exit && plan->kind == UNROLL_FULLY) ||
          unroller->plan_of[to] != number || plan->in_last[unroller->number_of[to]])
        continue;
      plan->in_last[unroller->number_of[to]] = true;
      norn_list_push(unroller->arena, &work, to);
    }
  }
}

/* The plan that a block is part of, or NULL. It may be one that was added. */
static const UnrollPlan *
plan_of_block(const Unroller *unroller, uint32_t block) {
  uint32_t number = block < unroller->block_count ? unroller->plan_of[block] : 0;
  return number ? &unroller->plans.items[number - 1] : NULL;
}

/* Creates the blocks of all iterations; iteration 0 uses the existing ones. */
static void
make_blocks(Unroller *unroller, UnrollPlan *plan) {
  NornFunction *function = unroller->function;
  uint32_t count = plan->blocks.count;
  plan->copies = norn_arena_indexes(unroller->arena, (size_t)count * (plan->last + 1));
  memcpy(plan->copies, plan->blocks.items, count * sizeof *plan->copies);
  for (uint32_t iteration = 1; iteration <= plan->last; iteration++)
    for (uint32_t k = 0; k < count; k++) {
      uint32_t block = plan->blocks.items[k];
      if (iteration == plan->last && !plan->in_last[k])
        continue;
      uint32_t copy = norn_block_create_detached(function, 0);
      plan->copies[(size_t)iteration * count + k] = copy;
      norn_block(function, copy)->line = norn_block(function, block)->line;
    }
}

static void
note_copy(Unroller *unroller, uint32_t value, uint32_t copy) {
  unroller->copy_of[value] = copy;
  norn_grow_roots(unroller->arena, &unroller->root, copy);
  norn_list_push(unroller->arena, &unroller->root, unroller->is_used_outside[value] ? value : copy);
}

/* Copies a block; the operands still refer to iteration 0. is_entry: the copy may be the entry of a
 * loop. */
static void
copy_block(Unroller *unroller, const UnrollPlan *plan, uint32_t block, uint32_t copy,
           bool is_entry) {
  NornFunction *function = unroller->function;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    note_copy(unroller, parameter,
              norn_block_add_parameter(function, copy, norn_value(function, parameter)->type, 0));
  }
  NornBuilder builder = norn_builder_at_end(function, copy);
  norn_for_each_inst (function, block, inst) {
    const NornInst *self = norn_inst(function, inst);
    if (block == plan->header && self->op == NORN_OP_LOOP_ENTRY && !is_entry)
      continue;
    uint32_t clone = norn_build_clone(&builder, function, inst);
    for (unsigned k = 0; k < self->result_count; k++)
      note_copy(unroller, self->result + k, norn_inst(function, clone)->result + k);
  }
}

/* The value in another iteration of an operand of iteration 0. Behind the last iteration there is
 * no block: unless it is a loop, its back edges lead to iteration 0, and those that must not are
 * removed with its exit. */
static NornRef
ref_in_iteration(const Unroller *unroller, const UnrollPlan *plan, uint32_t iteration,
                 NornRef ref) {
  uint32_t index = norn_ref_payload(ref), copy = NORN_INDEX_NONE;
  if (norn_ref_kind(ref) == NORN_REF_VALUE)
    copy = unroller->copy_of[index];
  else if (norn_ref_kind(ref) == NORN_REF_BLOCK && plan_of_block(unroller, index) == plan) {
    bool goes_on = index == plan->header && plan->kind != UNROLL_FIRST;
    copy = norn_unroll_copy_of(unroller, plan, iteration + goes_on, index);
  }
  return copy == NORN_INDEX_NONE ? ref : norn_ref(norn_ref_kind(ref), copy);
}

static void
copy_iteration(Unroller *unroller, const UnrollPlan *plan, uint32_t iteration) {
  NornFunction *function = unroller->function;
  bool is_loop = plan->kind == UNROLL_TO_LIMIT || plan->kind == UNROLL_FIRST;
  for (uint32_t k = 0; k < plan->blocks.count; k++) {
    uint32_t block = plan->blocks.items[k], copy = norn_unroll_block(plan, iteration, k);
    if (copy != NORN_INDEX_NONE &&
        norn_pass_continues(unroller->context, norn_block(function, block)->parameter_count + 1u))
      copy_block(unroller, plan, block, copy, is_loop && iteration == 1);
  }
  for (uint32_t k = 0; k < plan->blocks.count; k++) {
    uint32_t copy = norn_unroll_block(plan, iteration, k);
    if (copy == NORN_INDEX_NONE)
      continue;
    norn_for_each_inst (function, copy, inst)
      for (unsigned i = 0; i < norn_inst(function, inst)->operand_count; i++)
        norn_set_operand(
            function, inst, i,
            ref_in_iteration(unroller, plan, iteration, norn_operand(function, inst, i)));
  }
}

/* Turns the exit's branch in an iteration into a jump. */
static void
decide_exit(const Unroller *unroller, const UnrollPlan *plan, uint32_t iteration) {
  NornFunction *function = unroller->function;
  uint32_t exit = norn_unroll_copy_of(unroller, plan, iteration, plan->trips.exit);
  uint32_t branch = norn_block(function, exit)->last;
  unsigned taken = iteration == plan->trips.last ? plan->trips.edge : 1 - plan->trips.edge;
  NornEdge edge = {0};
  for (unsigned k = 0; k <= taken; k++)
    norn_next_edge(function, branch, &edge);
  norn_inst_become_jump(function, branch, &edge);
}

/* Redirects the back edges of iteration 0 to iteration 1, and removes the mark of the loop's entry
 * unless it stays one. */
static void
open_loop(const Unroller *unroller, const UnrollPlan *plan) {
  NornFunction *function = unroller->function;
  uint32_t first = norn_block(function, plan->header)->first;
  if (norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY && plan->kind != UNROLL_PARTIALLY)
    norn_inst_erase(function, first);
  if (!plan->last)
    return;
  uint32_t next = norn_unroll_copy_of(unroller, plan, 1, plan->header);
  for (uint32_t k = 0; k < plan->blocks.count; k++) {
    uint32_t last = norn_block(function, plan->blocks.items[k])->last;
    norn_for_each_edge (function, last, edge)
      if (edge.block == plan->header)
        norn_set_operand(function, last, edge.operand, norn_ref(NORN_REF_BLOCK, next));
  }
}

/* Turns the exit's branch into a jump in all iterations in which it is known where it leads. */
static void
decide_exits(const Unroller *unroller, const UnrollPlan *plan) {
  uint32_t first = plan->kind == UNROLL_TO_LIMIT, end = plan->last + (plan->kind == UNROLL_FULLY);
  for (uint32_t iteration = first; iteration < end && plan->kind != UNROLL_FIRST; iteration++)
    decide_exit(unroller, plan, iteration);
}

static void
unroll(Unroller *unroller, UnrollPlan *plan) {
  find_last_iteration(unroller, plan);
  make_blocks(unroller, plan);
  if (plan->kind == UNROLL_FIRST)
    norn_unroll_begin_peeling(unroller, plan);
  for (uint32_t iteration = 1; iteration <= plan->last; iteration++)
    copy_iteration(unroller, plan, iteration);
  if (plan->kind == UNROLL_FIRST)
    norn_unroll_end_peeling(unroller, plan);
  decide_exits(unroller, plan);
  if (plan->kind == UNROLL_TO_LIMIT)
    norn_unroll_make_loop(unroller, plan);
  else
    open_loop(unroller, plan);
}

/* --- Surroundings of the copies --- */

/* A variable is the same one in all iterations: its alloca moves to the entry block. */
static void
hoist_allocas(const Unroller *unroller) {
  NornFunction *function = unroller->function;
  NornBuilder builder = norn_builder_at_start(function, function->block_order[0]);
  for (uint32_t k = 0; k < unroller->plans.count; k++) {
    const NornIndexList *blocks = &unroller->plans.items[k].blocks;
    for (uint32_t i = 0; i < blocks->count; i++)
      for (uint32_t inst = norn_block(function, blocks->items[i])->first, next;
           inst != NORN_INDEX_NONE; inst = next) {
        next = norn_inst(function, inst)->next;
        if (norn_inst(function, inst)->op == NORN_OP_ALLOCA)
          norn_builder_insert(&builder, inst);
      }
  }
}

/* Finds the values of loops to be unrolled that are used outside of their loop. Returns whether
 * there are any. */
static bool
find_uses_outside(Unroller *unroller) {
  const NornFunction *function = unroller->function;
  bool any = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      norn_for_each_use (function, inst, use) {
        uint32_t home = norn_defining_block(function, use.value);
        if (!unroller->plan_of[home] || unroller->plan_of[home] == unroller->plan_of[block])
          continue;
        unroller->is_used_outside[use.value] = true;
        any = true;
      }
    }
  return any;
}

static void
append_copies(const Unroller *unroller, const UnrollPlan *plan) {
  uint64_t copies = (uint64_t)plan->blocks.count * (plan->last + 1);
  for (uint64_t i = plan->blocks.count; i < copies; i++)
    if (plan->copies[i] != NORN_INDEX_NONE)
      norn_block_append(unroller->function, plan->copies[i]);
}

/* Places the copies of a loop after its last block, iteration by iteration, or, if the loop remains
 * for the rest, before its first one. */
static void
order_blocks(const Unroller *unroller) {
  NornFunction *function = unroller->function;
  uint32_t count = function->block_order_count;
  uint32_t *old = NORN_NEW(unroller->arena, uint32_t, count);
  memcpy(old, function->block_order, count * sizeof *old);
  function->block_order_count = 0;
  for (uint32_t k = 0; k < count; k++) {
    const UnrollPlan *plan = plan_of_block(unroller, old[k]);
    uint32_t number = unroller->number_of[old[k]];
    if (plan && plan->kind == UNROLL_TO_LIMIT && !number) {
      norn_block_append(function, plan->entry);
      append_copies(unroller, plan);
      norn_block_append(function, plan->rest);
    }
    norn_block_append(function, old[k]);
    if (plan && plan->kind != UNROLL_TO_LIMIT && number + 1 == plan->blocks.count)
      append_copies(unroller, plan);
  }
}

void
norn_unroll_make_copies(Unroller *unroller) {
  NornFunction *function = unroller->function;
  NornPassContext *context = unroller->context;
  unroller->block_count = function->block_count;
  unroller->plan_of = NORN_NEW0(unroller->arena, uint32_t, function->block_count);
  unroller->number_of = NORN_NEW0(unroller->arena, uint32_t, function->block_count);
  unroller->copy_of = norn_arena_indexes(unroller->arena, function->value_count);
  unroller->is_used_outside = NORN_NEW0(unroller->arena, bool, function->value_count);
  uint32_t first_name = function->value_count;
  list_blocks(unroller);
  hoist_allocas(unroller);
  bool any_outside = find_uses_outside(unroller);
  for (uint32_t k = 0; k < unroller->plans.count; k++)
    unroll(unroller, &unroller->plans.items[k]);
  order_blocks(unroller);
  norn_pass_blocks_changed(context);
  norn_pass_remove_unreachable(context, function);
  norn_grow_roots(unroller->arena, &unroller->root, function->value_count);
  if (any_outside)
    norn_repair_ssa(unroller->arena, function, norn_pass_dominance(context, function),
                    unroller->root.items, first_name, NULL);
}
