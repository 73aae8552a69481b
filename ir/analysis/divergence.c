/* Which values may differ between the lanes of a warp, and at which branches they may diverge.
 *
 * A value is divergent if its operation says so or an operand is divergent. A parameter is also
 * divergent if two paths from one divergent branch join at its block (at or before the branch's
 * immediate post-dominator, or the header where lanes wait that have not come by there). If lanes
 * may leave a loop at different times, its values are divergent if they are used after the loop,
 * and so are the parameters of the blocks it leads to and the branches that leave it; within the
 * loop, lanes execute each iteration together. If any branch is divergent, lanes may be in
 * different iterations of a loop with several entries: values used outside their defining block are
 * divergent in such a loop, and so is everything that leaves it. Divergence only spreads, so a
 * worklist of values and branches terminates.
 *
 * Following the paths from a branch takes time proportional to the number of blocks before its
 * post-dominator. Where that would add up to too much (ladders of edges that never join), all
 * places where any paths join are treated as joins of these. */
#include "ir/analysis/divergence.h"
#include "ir/ops.h"
#include <stdlib.h>

/* Limit on the blocks visited, for each block of the function. */
#define MAX_WALKS 64

/* An instruction that uses a value, or a terminator that passes it to a parameter. */
typedef struct ValueUse {
  uint32_t inst;
  uint32_t parameter; /* NORN_INDEX_NONE: the instruction itself uses the value */
} ValueUse;

/* The loops by their headers, for enumerating the loops within a loop and for testing whether a
 * block is in a loop without walking along the tree. */
typedef struct LoopTree {
  uint32_t *enter, *leave;            /* intervals, nested as the loops are */
  uint32_t *first_loop, *next_loop;   /* the loops directly inside a loop */
  uint32_t *first_block, *next_block; /* its blocks that are in no inner loop */
} LoopTree;

/* The state of a loop; it only increases. */
typedef enum LoopState {
  WHOLE,   /* lanes execute each iteration together and leave together */
  WAITING, /* to be SPLIT */
  SPLIT,   /* lanes may leave at different times */
  MIXED,   /* lanes may also be in different iterations */
} LoopState;

typedef struct Spread {
  NornArena *arena;
  NornFunction *function;
  const NornDominance *flow;
  uint32_t *post_dominators; /* by block */
  uint32_t *use_start;       /* by value v: start of its uses */
  ValueUse *uses;
  uint32_t *work, work_count;       /* divergent values whose uses have not been followed yet */
  uint32_t *branches, branch_count; /* divergent terminators that have not been followed yet */
  uint32_t *queue;                  /* blocks reached, each at most twice */
  /* For the current branch, number stamp_count: */
  uint32_t *stamp, *label; /* last branch that reached a block, and along which path */
  uint32_t stamp_count;
  LoopTree loops;
  LoopState *state;  /* by header */
  uint64_t *waiting; /* loops to be followed: depth << 32 | header */
  uint32_t waiting_count;
  uint64_t walks; /* blocks visited so far, for all branches */
} Spread;

static void
set_value(Spread *spread, uint32_t value) {
  NornValue *self = norn_value(spread->function, value);
  if (self->is_divergent)
    return;
  self->is_divergent = true;
  NORN_ASSERT(spread->work_count < spread->function->value_count); /* each is pushed once */
  spread->work[spread->work_count++] = value;
}

static void
set_results(Spread *spread, const NornInst *inst) {
  for (unsigned k = 0; k < inst->result_count; k++)
    set_value(spread, inst->result + k);
}

static void
set_parameters(Spread *spread, uint32_t block) {
  for (unsigned k = 0; k < norn_block(spread->function, block)->parameter_count; k++)
    set_value(spread, norn_block_parameter(spread->function, block, k));
}

static void
set_branch(Spread *spread, uint32_t inst) {
  NornInst *self = norn_inst(spread->function, inst);
  if (self->flags & NORN_INST_DIVERGENT)
    return;
  self->flags |= NORN_INST_DIVERGENT;
  NORN_ASSERT(spread->branch_count < spread->function->block_count);
  spread->branches[spread->branch_count++] = self->block;
}

/* Whether a terminator has several edges, so that its operands before the first edge decide between
 * them. */
static bool
has_choice(const Spread *spread, uint32_t inst) {
  unsigned edges = 0;
  norn_for_each_edge (spread->function, inst, edge)
    edges++;
  return edges > 1;
}

static void
follow_value(Spread *spread, uint32_t value) {
  for (uint32_t u = spread->use_start[value]; u < spread->use_start[value + 1]; u++) {
    if (spread->uses[u].parameter != NORN_INDEX_NONE) {
      set_value(spread, spread->uses[u].parameter);
      continue;
    }
    uint32_t inst = spread->uses[u].inst;
    const NornInst *self = norn_inst(spread->function, inst);
    if (!(norn_ops[self->op].flags & NORN_OP_UNIFORM))
      set_results(spread, self);
    /* For a terminator, the value is the condition or selector. */
    if (norn_is_terminator(spread->function, self) && has_choice(spread, inst))
      set_branch(spread, inst);
  }
}

static void
find_loops(Spread *spread) {
  const NornDominance *flow = spread->flow;
  LoopTree *loops = &spread->loops;
  uint32_t **arrays[] = {&loops->first_loop, &loops->next_loop, &loops->first_block,
                         &loops->next_block, &loops->enter,     &loops->leave};
  for (unsigned k = 0; k < G_N_ELEMENTS(arrays); k++)
    *arrays[k] = norn_arena_indexes(spread->arena, flow->block_count);
  uint32_t *first_loop = loops->first_loop, *next_loop = loops->next_loop;
  uint32_t outermost = NORN_INDEX_NONE, count = 0;
  for (uint32_t i = flow->order_count; i-- > 0;) {
    uint32_t block = flow->order[i], header = flow->loop_header[block];
    if (header == NORN_INDEX_NONE)
      continue;
    loops->next_block[block] = loops->first_block[header];
    loops->first_block[header] = block;
    if (header != block)
      continue;
    uint32_t parent = flow->loop_parent[header];
    uint32_t *first = parent == NORN_INDEX_NONE ? &outermost : &first_loop[parent];
    next_loop[header] = *first;
    *first = header;
  }
  for (uint32_t loop = outermost; loop != NORN_INDEX_NONE;) {
    loops->enter[loop] = count++;
    if (first_loop[loop] != NORN_INDEX_NONE) {
      loop = first_loop[loop];
      continue;
    }
    for (; loop != NORN_INDEX_NONE; loop = flow->loop_parent[loop]) {
      loops->leave[loop] = count;
      if (next_loop[loop] != NORN_INDEX_NONE)
        break;
    }
    loop = loop == NORN_INDEX_NONE ? loop : next_loop[loop];
  }
}

static bool
is_in_loop(const Spread *spread, uint32_t loop, uint32_t block) {
  uint32_t inner = spread->flow->loop_header[block];
  return inner != NORN_INDEX_NONE && spread->loops.enter[inner] >= spread->loops.enter[loop] &&
         spread->loops.enter[inner] < spread->loops.leave[loop];
}

/* Marks a value of a loop as divergent if it is used outside the loop. */
static void
set_leaving_value(Spread *spread, uint32_t loop, uint32_t value) {
  for (uint32_t u = spread->use_start[value]; u < spread->use_start[value + 1]; u++)
    if (!is_in_loop(spread, loop, norn_inst(spread->function, spread->uses[u].inst)->block)) {
      set_value(spread, value);
      return;
    }
}

/* Marks a value of a block as divergent if it is used in another block. */
static void
set_passed_value(Spread *spread, uint32_t block, uint32_t value) {
  for (uint32_t u = spread->use_start[value]; u < spread->use_start[value + 1]; u++)
    if (norn_inst(spread->function, spread->uses[u].inst)->block != block ||
        spread->uses[u].parameter != NORN_INDEX_NONE) {
      set_value(spread, value);
      return;
    }
}

/* Marks what may differ in the block between lanes that are in different iterations of the loop:
 * its parameters, and its values that other blocks use. (Parameters of a block with only one
 * predecessor are marked if their arguments are.) */
static void
mix_block(Spread *spread, uint32_t block) {
  const NornFunction *function = spread->function;
  if (norn_predecessor_count(spread->flow, block) > 1)
    set_parameters(spread, block);
  norn_for_each_inst (function, block, inst) {
    const NornInst *self = norn_inst(function, inst);
    for (unsigned k = 0; k < self->result_count; k++)
      set_passed_value(spread, block, self->result + k);
  }
}

/* Marks what may differ between lanes that leave the loop at different times: values of the block
 * that are used outside the loop, the parameters of blocks outside that it leads to, and the branch
 * that decides whether to leave. */
static void
leave_block(Spread *spread, uint32_t loop, uint32_t block) {
  const NornFunction *function = spread->function;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    set_leaving_value(spread, loop, norn_block_parameter(function, block, k));
  norn_for_each_inst (function, block, inst) {
    const NornInst *self = norn_inst(function, inst);
    for (unsigned k = 0; k < self->result_count; k++)
      set_leaving_value(spread, loop, self->result + k);
  }
  for (uint32_t k = 0; k < norn_successor_count(spread->flow, block); k++) {
    uint32_t to = norn_successor(spread->flow, block, k);
    if (is_in_loop(spread, loop, to))
      continue;
    set_parameters(spread, to);
    /* It has an edge that stays as well. */
    set_branch(spread, norn_block_terminator(function, block));
  }
}

/* Follows the effects of a loop, given by its header, that is SPLIT or MIXED on its own values and
 * on the blocks it leads to. Inner loops that were already followed as far need nothing more:
 * whatever leaves this loop from inside them has left them as well. */
static void
follow_loop(Spread *spread, uint32_t loop, LoopState state) {
  if (spread->state[loop] >= state)
    return;
  spread->state[loop] = state;
  if (!spread->loops.enter)
    find_loops(spread);
  const LoopTree *loops = &spread->loops;
  uint32_t count = 0;
  spread->queue[count++] = loop;
  while (count) {
    uint32_t own = spread->queue[--count];
    for (uint32_t block = loops->first_block[own]; block != NORN_INDEX_NONE;
         block = loops->next_block[block]) {
      leave_block(spread, loop, block);
      if (state == MIXED)
        mix_block(spread, block);
    }
    for (uint32_t inner = loops->first_loop[own]; inner != NORN_INDEX_NONE;
         inner = loops->next_loop[inner])
      if (spread->state[inner] < state)
        spread->queue[count++] = inner;
  }
}

/* Queues a loop to become SPLIT. Waiting loops are processed from the inside out. */
static void
wait_for_loop(Spread *spread, uint32_t loop) {
  if (spread->state[loop] != WHOLE)
    return;
  spread->state[loop] = WAITING;
  spread->waiting[spread->waiting_count++] = (uint64_t)spread->flow->loop_depth[loop] << 32 | loop;
}

static int
compare_waiting(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* Processes inner loops before outer ones. */
static void
follow_waiting_loops(Spread *spread) {
  qsort(spread->waiting, spread->waiting_count, sizeof *spread->waiting, compare_waiting);
  for (uint32_t k = 0; k < spread->waiting_count; k++)
    follow_loop(spread, (uint32_t)spread->waiting[k], SPLIT);
  spread->waiting_count = 0;
}

/* Lanes may enter a loop with several entries, whose header does not dominate all of its blocks, at
 * different times. They may then be in different iterations and leave the loop at different times.
 */
static void
follow_irreducible_loops(Spread *spread) {
  const NornDominance *flow = spread->flow;
  for (uint32_t i = flow->order_count; i-- > 0;) {
    uint32_t block = flow->order[i], around = norn_loop_around(flow, block);
    if (around != NORN_INDEX_NONE && !norn_dominates(flow, around, block))
      follow_loop(spread, around, MIXED);
  }
}

/* The path with that label reaches a block. The first path to reach it continues from there. Where
 * two paths join, parameters are divergent and a new path begins. */
static void
reach(Spread *spread, uint32_t block, uint32_t label, uint32_t end, uint32_t *count) {
  if (spread->stamp[block] != spread->stamp_count) {
    spread->stamp[block] = spread->stamp_count;
    spread->label[block] = label;
  } else if (spread->label[block] == label) {
    return;
  } else {
    set_parameters(spread, block);
    if (spread->label[block] == block)
      return;
    spread->label[block] = block;
  }
  if (block != end)
    spread->queue[(*count)++] = block;
}

/* Assumes that the paths from some divergent branch join at every join, and reach each loop header
 * before they join. */
static void
join_everywhere(Spread *spread) {
  const NornDominance *flow = spread->flow;
  for (uint32_t i = 0; i < flow->order_count; i++) {
    uint32_t block = flow->order[i];
    if (norn_predecessor_count(flow, block) > 1)
      set_parameters(spread, block);
    if (flow->loop_header[block] == block)
      wait_for_loop(spread, block);
  }
}

/* Whether the paths from one more branch may be followed. The first time they may not, assumes the
 * worst for all branches. */
static bool
can_walk(Spread *spread) {
  uint64_t max = (uint64_t)MAX_WALKS * spread->function->block_count;
  if (spread->walks < max)
    return true;
  if (spread->walks < UINT64_MAX)
    join_everywhere(spread);
  spread->walks = UINT64_MAX;
  return false;
}

/* Follows the paths from a block to `end`, each labeled with the successor that it begins with. */
static void
follow_paths(Spread *spread, uint32_t block, uint32_t end) {
  uint32_t count = 0;
  spread->stamp_count++;
  for (uint32_t k = 0; k < norn_successor_count(spread->flow, block); k++) {
    uint32_t to = norn_successor(spread->flow, block, k);
    if (spread->stamp[to] == spread->stamp_count)
      set_parameters(spread, to); /* two edges to the same block */
    reach(spread, to, to, end, &count);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = spread->queue[i];
    spread->walks++;
    for (uint32_t k = 0; k < norn_successor_count(spread->flow, from); k++)
      reach(spread, norn_successor(spread->flow, from, k), spread->label[from], end, &count);
  }
}

/* Follows the paths from a divergent branch to its immediate post-dominator. Lanes that reach a
 * header before that wait for the next iteration, while others go on from the post-dominator in
 * this one: they may meet at any block before the header, so the paths are followed to there. */
static void
follow_branch(Spread *spread, uint32_t block) {
  uint32_t end = spread->post_dominators[block], outermost = NORN_INDEX_NONE;
  if (!can_walk(spread))
    return;
  follow_paths(spread, block, end);
  for (uint32_t loop = spread->flow->loop_header[block]; loop != NORN_INDEX_NONE;
       loop = spread->flow->loop_parent[loop])
    if (spread->stamp[loop] == spread->stamp_count && loop != end) {
      wait_for_loop(spread, loop);
      outermost = loop;
    }
  if (outermost != NORN_INDEX_NONE)
    follow_paths(spread, block, outermost);
}

/* Whether the instruction is the position in the grid along an axis in which workgroups have a size
 * of 1: the position is then that of the workgroup. */
static bool
is_workgroup_position(const NornFunction *function, const NornInst *inst) {
  return inst->op == NORN_OP_GLOBAL_ID && function->module->workgroup[inst->modifier] == 1;
}

/* Marks results that are divergent regardless of the operands. */
static void
seed(Spread *spread, uint32_t inst) {
  const NornFunction *function = spread->function;
  const NornInst *self = norn_inst(function, inst);
  if (norn_ops[self->op].flags & NORN_OP_DIVERGENT && !is_workgroup_position(function, self))
    set_results(spread, self);
}

/* Counts the use in use_start, two entries on; once `uses` is allocated, stores it there. */
static void
note_use(Spread *spread, NornRef ref, uint32_t inst, uint32_t parameter) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return;
  uint32_t value = norn_ref_payload(ref);
  if (spread->uses)
    spread->uses[spread->use_start[value + 1]++] = (ValueUse){inst, parameter};
  else
    spread->use_start[value + 2]++;
}

static void
note_uses(Spread *spread, uint32_t block, uint32_t inst) {
  const NornFunction *function = spread->function;
  const NornInst *self = norn_inst(function, inst);
  const NornRef *operands = norn_operands(function, self);
  uint32_t count = self->operand_count; /* of the operands before the edges */
  if (inst == norn_block(function, block)->last) {
    norn_for_each_edge (function, inst, edge) {
      count = MIN(count, edge.operand);
      for (unsigned k = 0; k < edge.argument_count; k++)
        note_use(spread, operands[edge.operand + 1 + k], inst,
                 norn_block_parameter(function, edge.block, k));
    }
  }
  for (uint32_t k = 0; k < count; k++)
    note_use(spread, operands[k], inst, NORN_INDEX_NONE);
}

static void
note_all_uses(Spread *spread) {
  for (uint32_t i = 0; i < spread->flow->order_count; i++)
    norn_for_each_inst (spread->function, spread->flow->order[i], inst)
      note_uses(spread, spread->flow->order[i], inst);
}

static void
collect_uses(Spread *spread) {
  uint32_t count = spread->function->value_count;
  spread->use_start = NORN_NEW0(spread->arena, uint32_t, (size_t)count + 2);
  note_all_uses(spread);
  for (uint32_t value = 0; value <= count; value++)
    spread->use_start[value + 1] += spread->use_start[value];
  spread->uses = NORN_NEW(spread->arena, ValueUse, spread->use_start[count + 1]);
  note_all_uses(spread);
}

static void
clear_marks(NornFunction *function) {
  for (uint32_t value = 0; value < function->value_count; value++)
    norn_value(function, value)->is_divergent = false;
  for (uint32_t inst = 0; inst < function->inst_count; inst++)
    norn_inst(function, inst)->flags &= (uint16_t)~NORN_INST_DIVERGENT;
}

void
norn_divergence_mark(NornArena *arena, NornFunction *function, const NornDominance *flow) {
  NornArenaMark mark = norn_arena_mark(arena);
  Spread spread = {
      .arena = arena,
      .function = function,
      .flow = flow,
      .post_dominators = norn_post_dominators(arena, flow),
      .work = NORN_NEW(arena, uint32_t, function->value_count),
      .branches = NORN_NEW(arena, uint32_t, function->block_count),
      .queue = NORN_NEW(arena, uint32_t, 2 * (size_t)function->block_count),
      .stamp = NORN_NEW0(arena, uint32_t, function->block_count),
      .label = NORN_NEW(arena, uint32_t, function->block_count),
      .state = NORN_NEW0(arena, LoopState, function->block_count),
      .waiting = NORN_NEW(arena, uint64_t, function->block_count),
  };
  clear_marks(function);
  collect_uses(&spread);
  /* Callers may pass divergent arguments. */
  if (flow->order_count && function != function->module->functions[0])
    set_parameters(&spread, flow->order[0]);
  for (uint32_t i = 0; i < flow->order_count; i++)
    norn_for_each_inst (function, flow->order[i], inst)
      seed(&spread, inst);
  for (bool any_branch = false; spread.work_count || spread.branch_count || spread.waiting_count;) {
    if (spread.branch_count && !any_branch)
      follow_irreducible_loops(&spread);
    any_branch |= spread.branch_count > 0;
    if (spread.work_count)
      follow_value(&spread, spread.work[--spread.work_count]);
    else if (spread.branch_count)
      follow_branch(&spread, spread.branches[--spread.branch_count]);
    else
      follow_waiting_loops(&spread);
  }
  norn_arena_release(arena, mark);
}
