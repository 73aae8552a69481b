/* Threads branches: if a block with two predecessors branches on a condition that has already
 * decided between the paths to it, each path continues directly to its target.
 *
 *   br %c, a, b                       br %c, a, b
 *   a: jump join(%x)                  a: jump join(%x)
 *   b: jump join(%y)                  b: jump join'(%y)
 *   join(%m):                         join(%m):
 *     %n = iadd %m, 1                   %n = iadd %m, 1
 *     br %c, then, else                 jump then
 *                                     join'(%m'):
 *                                       %n' = iadd %m', 1
 *                                       jump else
 *
 * The block is copied for one of the paths; norn_repair_ssa resolves the values that it defines.
 * Simplifying the CFG then straightens the rest, so that a condition that guards several parts in a
 * row is tested once.
 *
 * Only few instructions are copied, and none that looks at other lanes: lanes that would reconverge
 * at the block reconverge later, where all paths join, and the code between runs with the same
 * lanes as before. Loop headers are left unchanged, and so are blocks from which an edge leaves
 * their loop: one of the paths to such a block would no longer be in the loop, and would run after
 * all lanes have left it. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/optimize/block_copies.h"
#include "passes/pass.h"

#define MAX_STEPS 16 /* dominators that are searched for the decision */

/* What a copied block must not contain. */
#define FORBIDDEN (NORN_OP_STAYS | NORN_OP_DIVERGENT | NORN_OP_VARYING | NORN_OP_SPACES)

/* A branch on a value to two different blocks, as it was before the pass. */
typedef struct Decision {
  NornRef condition;  /* 0: there is none */
  uint32_t target[2]; /* if it is false, and if it is true */
} Decision;

typedef struct Threader {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance; /* from before the pass, like the decisions */
  Decision *decisions;            /* by block */
  uint32_t *copy;                 /* by block: its copy for the other path, or NORN_INDEX_NONE */
  NornBlockCopies copies;
  bool changed;
} Threader;

static Decision
read_decision(const NornFunction *function, uint32_t block) {
  uint32_t last = norn_block_terminator(function, block);
  Decision decision = {0};
  NornEdge edges[2];
  if (norn_inst(function, last)->op != NORN_OP_BR ||
      norn_ref_kind(norn_operand(function, last, 0)) != NORN_REF_VALUE)
    return decision;
  norn_edges_of(function, last, edges);
  for (unsigned k = 0; k < 2; k++)
    decision.target[1 - k] = edges[k].block;
  if (decision.target[0] != decision.target[1])
    decision.condition = norn_operand(function, last, 0);
  return decision;
}

/* The value of the condition on the edge between the two blocks: 0, 1, or -1 if unknown. */
static int
condition_on_edge(const Threader *threader, uint32_t from, uint32_t to, NornRef condition) {
  const NornDominance *dominance = threader->dominance;
  for (unsigned step = 0; step < MAX_STEPS; step++) {
    const Decision *decision = &threader->decisions[from];
    if (decision->condition == condition)
      return decision->target[1] == to ? 1 : decision->target[0] == to ? 0 : -1;
    /* Up the dominator tree, to a block with one predecessor. */
    while (norn_predecessor_count(dominance, from) != 1 && dominance->idom[from] != from &&
           ++step < MAX_STEPS)
      from = dominance->idom[from];
    if (norn_predecessor_count(dominance, from) != 1)
      return -1;
    to = from;
    from = norn_predecessor(dominance, from, 0);
  }
  return -1;
}

/* Whether both targets are in the loops that contain the block. */
static bool
stays_in_loop(const Threader *threader, uint32_t block) {
  const NornDominance *dominance = threader->dominance;
  const uint32_t *targets = threader->decisions[block].target;
  uint32_t header = dominance->loop_header[block];
  return header == NORN_INDEX_NONE || (norn_loop_contains(dominance, header, targets[0]) &&
                                       norn_loop_contains(dominance, header, targets[1]));
}

/* Redirects the edges from `from`, or from its copy, to the block to the copy of the block. */
static void
lead_to_copy(Threader *threader, uint32_t from, uint32_t block, uint32_t copy) {
  NornFunction *function = threader->function;
  const uint32_t holders[2] = {from, threader->copy[from]};
  for (unsigned k = 0; k < 2 && holders[k] != NORN_INDEX_NONE; k++) {
    uint32_t last = norn_block_terminator(function, holders[k]);
    norn_for_each_edge (function, last, edge)
      if (edge.block == block)
        norn_set_operand(function, last, edge.operand, norn_ref(NORN_REF_BLOCK, copy));
  }
}

/* The block continues to the target for a true condition. Its copy, which is reached from `from`,
 * continues to the target for a false one. */
static void
thread(Threader *threader, uint32_t block, uint32_t from) {
  NornFunction *function = threader->function;
  uint32_t last = norn_block_terminator(function, block);
  uint32_t copy = norn_block_copies_add(&threader->copies, block);
  NornEdge edges[2]; /* if the condition is true, and if it is false */
  norn_edges_of(function, last, edges);
  NornBuilder builder = norn_builder_at_end_for(function, copy, last);
  norn_build_jump(&builder, norn_edge_branch(function, last, &edges[1]));
  norn_block_copies_place(&threader->copies, block, copy);
  lead_to_copy(threader, from, block, copy);
  norn_inst_become_jump(function, last, &edges[0]);
  threader->copy[block] = copy;
  threader->changed = true;
}

static void
try_block(Threader *threader, uint32_t block) {
  const NornDominance *dominance = threader->dominance;
  NornRef condition = threader->decisions[block].condition;
  if (!condition || norn_predecessor_count(dominance, block) != 2 ||
      dominance->loop_header[block] == block || !stays_in_loop(threader, block) ||
      norn_defining_block(threader->function, norn_ref_payload(condition)) == block)
    return;
  uint32_t from[2] = {norn_predecessor(dominance, block, 0), norn_predecessor(dominance, block, 1)};
  int first = condition_on_edge(threader, from[0], block, condition);
  int second = condition_on_edge(threader, from[1], block, condition);
  if (from[0] == from[1] || first < 0 || second < 0 || first == second ||
      !norn_is_cheap_to_copy(threader->function, norn_block(threader->function, block)->first,
                             FORBIDDEN) ||
      !norn_pass_continues(threader->context, NORN_MAX_COPIED))
    return;
  thread(threader, block, from[first ? 1 : 0]);
}

static void
thread_all(Threader *threader) {
  const NornDominance *dominance = threader->dominance;
  NornFunction *function = threader->function;
  uint32_t count = function->block_count;
  threader->decisions = NORN_NEW0(&threader->context->arena, Decision, count);
  threader->copy = norn_arena_indexes(&threader->context->arena, count);
  norn_block_copies_init(&threader->copies, threader->context, function, count);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    threader->decisions[dominance->order[k]] = read_decision(function, dominance->order[k]);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    try_block(threader, dominance->order[k]);
  if (threader->changed)
    norn_block_copies_finish(&threader->copies);
}

bool
norn_pass_thread_branches(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Threader threader = {.context = context,
                       .function = function,
                       .dominance = norn_pass_dominance(context, function)};
  if (norn_loops_have_one_entry(threader.dominance))
    thread_all(&threader);
  norn_pass_report(context, threader.changed);
  return true;
}
