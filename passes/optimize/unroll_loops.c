/* Unrolls loops: replaces loops with a known number of iterations by that many copies of their
 * blocks.
 *
 * A function qualifies if each of its loops has one entry: an edge that is removed might otherwise
 * be one of several into another loop, whose lanes would reconverge elsewhere without it. A loop
 * qualifies if it is known in which iteration some exit leaves it (ir/analysis/trip_count.h), and
 * if the copies are few or small enough. Its blocks become those of iteration 0. For every other
 * iteration there is a copy, to whose header the back edges of the previous iteration lead. The
 * branch of that exit becomes a jump: out of the loop in the last iteration, onward in each other
 * one. Only the part of the last iteration before the exit is copied. Other exits stay, as branches
 * of each copy. Values that are used after the loop then have a name in every iteration, which
 * norn_repair_ssa resolves.
 *
 * Lanes reconverge where they did before. Each iteration of a loop is an acyclic graph in which a
 * block runs with all lanes that reach it. The copies are the same graph several times in a row,
 * and a header waits for all lanes that take a back edge to it, as before. Edges that are never
 * taken are only removed if no block drops out of an enclosing loop as a result; otherwise the loop
 * stays. The marks of unrolled loops are removed; inner loops keep theirs, in every copy.
 *
 * If the iterations are too many for that, `unroll-partially` makes copies of a few iterations, by
 * whose number theirs is divisible. The loop then goes through all of them in turn: the back edges
 * of the last copy lead to the header, which keeps its mark, and only its exit remains a branch.
 *
 * If the number is not known, but a counter goes to a limit, the copies become a loop of their own
 * before the existing one: see unroll_with_limit.c.
 *
 * A run unrolls only loops that contain no loop that it unrolls. The pipeline runs the pass again
 * once the copies are simplified, so that outer loops are measured by what remains, and loops whose
 * trip count depends on another counter have one. */
#include "passes/optimize/unroll_loops.h"
#include "ir/analysis/convergence.h"
#include "ir/analysis/divergence.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/repair_ssa.h"
#include <string.h>

/* Maximum number of iterations. Other compilers stop at 32; hash functions have 64 and 80. */
#define MAX_ITERATIONS 80
/* Maximum number of instructions that a loop normally may become: unrolling saves a test and a step
 * per iteration and makes addresses constant, which matters little if an iteration is long. */
#define MAX_COST 256
/* The same if the loop is marked `unroll:always`, or if an array of the shader is indexed by a
 * counter: with constant indexes it can be kept in registers, while each access is a message
 * otherwise. SHA-256 takes 6000. */
#define MAX_COST_WITH_ARRAYS 8192
/* Maximum number of instructions of a function in which loops are unrolled. */
#define MAX_IN_FUNCTION 16384
/* The usual number of iterations that become the new one. */
#define PARTIAL_FACTOR 4
/* Maximum number of steps from an address to its alloca, and from an exit to the header. */
#define MAX_STEPS 16

/* --- Choosing loops --- */

/* Whether an instruction generates no code, or accesses memory that is expected to be in
 * registers. */
static bool
costs_nothing(const NornInst *inst) {
  switch (inst->op) {
  case NORN_OP_BITCAST:
  case NORN_OP_COLLECT:
  case NORN_OP_COPY:
  case NORN_OP_JUMP:
  case NORN_OP_LOAD_SCRATCH:
  case NORN_OP_LOOP_ENTRY:
  case NORN_OP_SPLIT:
  case NORN_OP_STORE_SCRATCH:
    return true;
  default:
    return false;
  }
}

/* Whether an address is the sum of an alloca and terms that become constant, at least one of which
 * is not constant yet. */
static bool
is_indexed_by_counter(const Unroller *unroller, uint32_t header, NornRef address) {
  const NornFunction *function = unroller->function;
  NornNaturalLoop loop = norn_unroll_loop(unroller, header);
  bool is_indexed = false;
  for (unsigned k = 0; k < MAX_STEPS && norn_ref_kind(address) == NORN_REF_VALUE; k++) {
    const NornInst *inst = norn_defining_inst(function, address);
    if (!inst || (inst->op != NORN_OP_IADD && inst->op != NORN_OP_ALLOCA))
      return false;
    if (inst->op == NORN_OP_ALLOCA)
      return is_indexed;
    const NornRef *operands = norn_operands(function, inst);
    bool first = norn_is_counted(&loop, operands[0]);
    if (!first && !norn_is_counted(&loop, operands[1]))
      return false;
    is_indexed |= !norn_is_constant(operands[!first]);
    address = operands[first];
  }
  return false;
}

/* Adds the instructions of a block to the facts of the innermost loop around it. */
static void
measure_block(Unroller *unroller, uint32_t header, uint32_t block) {
  const NornFunction *function = unroller->function;
  LoopFacts *facts = &unroller->facts[header];
  facts->is_convergent |= norn_block_is_convergent(function, block);
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    bool is_store = inst->op == NORN_OP_STORE_SCRATCH;
    facts->size++;
    facts->cost += !costs_nothing(inst);
    if ((is_store || inst->op == NORN_OP_LOAD_SCRATCH) && !facts->has_arrays)
      facts->has_arrays =
          is_indexed_by_counter(unroller, header, norn_operand(function, index, is_store));
  }
}

/* Measures all loops. Blocks are visited before those that dominate them, and so are inner headers
 * before outer ones. */
static void
measure_loops(Unroller *unroller) {
  const NornDominance *dominance = unroller->dominance;
  for (uint32_t k = dominance->order_count; k-- > 0;) {
    uint32_t block = dominance->order[k], header = dominance->loop_header[block];
    if (header == NORN_INDEX_NONE)
      continue;
    measure_block(unroller, header, block);
    uint32_t around = norn_loop_around(dominance, block);
    if (header != block || around == NORN_INDEX_NONE)
      continue;
    const LoopFacts *inner = &unroller->facts[block];
    LoopFacts *outer = &unroller->facts[around];
    outer->size += inner->size;
    outer->cost += inner->cost;
    outer->height = MAX(outer->height, inner->height + 1);
    outer->has_arrays |= inner->has_arrays;
  }
}

/* Whether the blocks of the only iteration that follow the exit, and are removed, just lead
 * back. */
static bool
only_leads_back(const Unroller *unroller, const UnrollPlan *plan) {
  const NornDominance *dominance = unroller->dominance;
  uint32_t block = norn_successor(dominance, plan->trips.exit, 1 - plan->trips.edge);
  for (unsigned step = 0; step < MAX_STEPS && block != plan->header; step++) {
    if (norn_successor_count(dominance, block) != 1)
      return false;
    block = norn_successor(dominance, block, 0);
  }
  return block == plan->header;
}

/* Whether all blocks stay in the loops around this one: the exit leads to the innermost of these,
 * and other exits, which may be the only way back in the loops around it, stay in some
 * iteration. */
static bool
keeps_loops_around(const Unroller *unroller, const UnrollPlan *plan) {
  const NornDominance *dominance = unroller->dominance;
  uint32_t around = dominance->loop_parent[plan->header];
  uint32_t to = norn_successor(dominance, plan->trips.exit, plan->trips.edge);
  return around == NORN_INDEX_NONE || (norn_loop_contains(dominance, around, to) &&
                                       (plan->trips.last || only_leads_back(unroller, plan)));
}

/* Adds the plan if its copies are small enough. Tests and steps become constant, so their copies do
 * not count. */
static bool
add_plan(Unroller *unroller, const UnrollPlan *plan, uint32_t max_cost) {
  const LoopFacts *facts = &unroller->facts[plan->header];
  uint64_t added = (uint64_t)facts->size * plan->last;
  uint32_t cost = facts->cost - MIN(facts->cost, plan->trips.cost + 1);
  if ((uint64_t)cost * plan->last > max_cost || unroller->size + added > MAX_IN_FUNCTION)
    return false;
  unroller->size += added;
  norn_list_push(unroller->arena, &unroller->plans, *plan);
  return true;
}

bool
norn_unroll_find_trip_count(const Unroller *unroller, uint32_t header, uint32_t max_last,
                            NornTripCount *found) {
  uint64_t work = 0;
  NornNaturalLoop loop = norn_unroll_loop(unroller, header);
  bool is_found = norn_find_trip_count(&loop, max_last, found, &work);
  return norn_pass_continues(unroller->context, work) && is_found;
}

/* Plans to unroll the loop if that is possible and pays. */
static bool
try_loop(Unroller *unroller, uint32_t header) {
  const LoopFacts *facts = &unroller->facts[header];
  UnrollPlan plan = {.header = header, .kind = UNROLL_FULLY};
  bool may_be_long =
      facts->has_arrays || norn_loop_hints(unroller->function, header).unroll == NORN_UNROLL_ALWAYS;
  uint32_t max_cost = may_be_long ? MAX_COST_WITH_ARRAYS : unroller->max_cost;
  if (facts->height > UNROLL_MAX_HEIGHT || facts->size > MAX_IN_FUNCTION ||
      !norn_unroll_find_trip_count(unroller, header, MAX_ITERATIONS, &plan.trips) ||
      !keeps_loops_around(unroller, &plan))
    return false;
  plan.last = plan.trips.last;
  return add_plan(unroller, &plan, max_cost);
}

/* The same for partial unrolling, which is for innermost loops: by as many iterations as
 * possible. */
static bool
try_partially(Unroller *unroller, uint32_t header) {
  UnrollPlan plan = {.header = header, .kind = UNROLL_PARTIALLY};
  if (unroller->facts[header].height ||
      !norn_unroll_find_trip_count(unroller, header, UNROLL_MAX_EVALUATED, &plan.trips))
    return false;
  uint32_t iterations = plan.trips.last + 1;
  for (uint32_t count = MIN(unroller->factor, iterations - 1); count > 1; count--) {
    plan.last = count - 1;
    if (iterations % count == 0 && add_plan(unroller, &plan, unroller->max_cost))
      return true;
  }
  return false;
}

/* Whether all lanes that begin an iteration of the loop agree whether there is another one. */
static bool
ends_uniformly(Unroller *unroller, uint32_t latch) {
  NornFunction *function = unroller->function;
  if (!unroller->knows_divergence)
    norn_divergence_mark(unroller->arena, function, unroller->dominance);
  unroller->knows_divergence = true;
  return !(norn_inst(function, norn_block(function, latch)->last)->flags & NORN_INST_DIVERGENT);
}

/* The same if the number of iterations is not known: the copies are iterations 1 to `last`. */
static bool
try_with_limit(Unroller *unroller, uint32_t header) {
  const NornFunction *function = unroller->function;
  UnrollPlan plan = {.header = header, .kind = UNROLL_TO_LIMIT};
  const LoopFacts *facts = &unroller->facts[header];
  NornNaturalLoop loop = norn_unroll_loop(unroller, header);
  if (facts->height || !norn_loop_rank(function, header) || !norn_find_limit(&loop, &plan.limit) ||
      (facts->is_convergent && !ends_uniformly(unroller, plan.limit.latch)))
    return false;
  plan.trips.exit = plan.limit.latch;
  plan.trips.edge = plan.limit.edge;
  for (plan.last = unroller->factor; plan.last > 1; plan.last--)
    if (add_plan(unroller, &plan, unroller->max_cost))
      return true;
  return false;
}

static bool
try_either(Unroller *unroller, uint32_t header) {
  return try_partially(unroller, header) || try_with_limit(unroller, header);
}

/* Plans to split the first iteration off if that decides tests. */
static bool
try_peeling(Unroller *unroller, uint32_t header) {
  UnrollPlan plan = {
      .header = header, .kind = UNROLL_FIRST, .trips.exit = NORN_INDEX_NONE, .last = 1};
  return unroller->facts[header].first_tests.count &&
         norn_unroll_expected(unroller->function, header) > 1 &&
         add_plan(unroller, &plan, unroller->max_cost);
}

/* Tries to plan for a loop. */
typedef bool UnrollTry(Unroller *unroller, uint32_t header);

/* Visits the innermost loops first. */
static void
find_plans(Unroller *unroller, UnrollTry *try) {
  const NornDominance *dominance = unroller->dominance;
  for (uint32_t k = dominance->order_count; k-- > 0;) {
    uint32_t header = dominance->order[k], around = dominance->loop_parent[header];
    LoopFacts *facts = &unroller->facts[header];
    if (dominance->loop_header[header] != header || !norn_pass_continues(unroller->context, 1))
      continue;
    if (!facts->has_plan_inside &&
        norn_loop_hints(unroller->function, header).unroll != NORN_UNROLL_NEVER &&
        try(unroller, header))
      facts->plan = unroller->plans.count;
    if (around != NORN_INDEX_NONE && (facts->plan || facts->has_plan_inside))
      unroller->facts[around].has_plan_inside = true;
  }
}

/* --- Copies --- */

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
    copy = norn_unroll_block(plan, iteration + goes_on, unroller->number_of[index]);
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
  uint32_t exit = norn_unroll_block(plan, iteration, unroller->number_of[plan->trips.exit]);
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
  uint32_t next = norn_unroll_block(plan, 1, unroller->number_of[plan->header]);
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

static void
unroll_all(Unroller *unroller) {
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

/* max_cost: of the tuning; 0: the usual one. */
static void
unroll_loops(NornPassContext *context, NornFunction *function, UnrollTry *try, unsigned max_cost) {
  Unroller unroller = {.context = context,
                       .arena = &context->arena,
                       .function = function,
                       .dominance = norn_pass_dominance(context, function),
                       .max_cost = norn_tuned(max_cost, MAX_COST),
                       .factor = norn_tuned(context->tuning.unroll_factor, PARTIAL_FACTOR)};
  if (norn_has_loops(unroller.dominance) && norn_loops_have_one_entry(unroller.dominance)) {
    unroller.facts = NORN_NEW0(unroller.arena, LoopFacts, function->block_count);
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, inst)
        unroller.size++;
    measure_loops(&unroller);
    if (try == try_peeling)
      norn_unroll_find_first_tests(&unroller);
    find_plans(&unroller, try);
    if (unroller.plans.count)
      unroll_all(&unroller);
  }
  norn_pass_report(context, unroller.plans.count > 0);
}

bool
norn_pass_unroll_loops(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  unroll_loops(context, function, try_loop, context->tuning.unrolled_cost);
  return true;
}

bool
norn_pass_unroll_partially(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  unroll_loops(context, function, try_either, context->tuning.unrolled_cost);
  return true;
}

bool
norn_pass_peel_loops(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  unroll_loops(context, function, try_peeling, context->tuning.peeled_cost);
  return true;
}
