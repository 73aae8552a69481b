/* Orders the blocks, merges back edges in latches, and turns the jumps that remain into branches.
 *
 * The order is that of ir/analysis/convergence.h. It also holds on the machine, where the lanes at
 * the lowest address run first: an edge leads down unless it is a back edge, and the blocks of a
 * loop stay together. Where lanes may diverge in a loop, they wait for each other at its last
 * branch. Several back edges, or one that leaves an inner loop, are therefore redirected to a
 * latch, a block at the loop's end that jumps to the header. Within this order the fall-through
 * successor follows its branch if possible. If the taken successor follows instead, the branch is
 * inverted. If neither follows, a new block with a jump to the fall-through successor is added, so
 * that a jump back needs no second instruction. A jump to the next block stays generic: it is not
 * code.
 *
 * Before ordering, blocks that only jump are bypassed. Marks (loop_entry) of loops in which lanes
 * do not diverge are removed first, so that they cost nothing. */
#include "ir/analysis/convergence.h"
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/machine_code.h"
#include "passes/pass.h"
#include <string.h>

/* --- Blocks that only jump --- */

/* Finds the loops in which lanes may diverge, by header. Each loop has one entry. */
static void
find_divergent_loops(const NornFunction *function, const NornDominance *dominance,
                     bool *is_divergent) {
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    uint32_t block = dominance->order[i], header = dominance->loop_header[block];
    if (!(norn_inst(function, norn_block(function, block)->last)->flags & NORN_INST_DIVERGENT))
      continue;
    for (; header != NORN_INDEX_NONE && !is_divergent[header];
         header = dominance->loop_parent[header])
      is_divergent[header] = true;
  }
}

/* Removes the mark, or only its rank if it says how many iterations to expect. */
static void
remove_mark(NornFunction *function, uint32_t mark) {
  NornLoopHints hints = norn_loop_hints(function, norn_inst(function, mark)->block);
  if (hints.iterations || hints.is_rest)
    norn_set_operand(function, mark, 0, norn_constant(function->module, 0));
  else
    norn_inst_erase(function, mark);
}

/* Removes the marks of loops whose iterations all lanes execute together; none if a loop has
 * several entries, since then this is not known. */
static void
remove_marks(NornPassContext *context, NornFunction *function) {
  bool *is_divergent = NORN_NEW0(&context->arena, bool, function->block_count);
  if (norn_has_divergence(function)) {
    const NornDominance *dominance = norn_pass_dominance(context, function);
    if (!norn_loops_have_one_entry(dominance))
      return;
    find_divergent_loops(function, dominance, is_divergent);
  }
  norn_for_each_block (function, block) {
    uint32_t first = norn_block(function, block)->first;
    if (norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY && !is_divergent[block])
      remove_mark(function, first);
  }
}

/* For each block that can be bypassed, the last block of the chain of such blocks that starts
 * there: an edge to the block may use that block's jump instead. Each block is visited once. */
static uint32_t *
find_chain_ends(NornArena *arena, const NornFunction *function) {
  uint32_t *ends = norn_arena_indexes(arena, function->block_count);
  uint32_t *chain = NORN_NEW(arena, uint32_t, function->block_count);
  bool *seen = NORN_NEW0(arena, bool, function->block_count);
  norn_for_each_block (function, first) {
    uint32_t count = 0, block = first;
    for (uint32_t target; !seen[block]; block = target) {
      seen[block] = true;
      target = norn_bypass_target(function, block);
      if (target == NORN_INDEX_NONE)
        break;
      chain[count++] = block;
    }
    uint32_t end = ends[block]; /* also none if the chain has returned to its start */
    while (count > 0) {
      block = chain[--count];
      end = end == NORN_INDEX_NONE ? block : end;
      ends[block] = end;
    }
  }
  return ends;
}

/* Redirects edges past blocks that only jump, with their arguments. */
static void
bypass_blocks(NornArena *arena, NornFunction *function) {
  uint32_t *ends = find_chain_ends(arena, function);
  norn_for_each_block (function, block) {
    uint32_t terminator = norn_block(function, block)->last;
    NornEdge edge = {0};
    while (norn_next_edge(function, terminator, &edge)) {
      uint32_t end = ends[edge.block];
      if (end == NORN_INDEX_NONE || end == block)
        continue;
      const NornInst *jump = norn_inst(function, norn_block(function, end)->first);
      uint32_t next = edge.operand + jump->operand_count;
      norn_inst_splice_operands(function, terminator, edge.operand, 1 + edge.argument_count,
                                norn_operands(function, jump), jump->operand_count);
      edge.next = next;
    }
  }
}

/* Whether a block has parameters and only jumps, and not to itself. Its predecessors may pass its
 * jump's arguments directly: they are in the same registers. */
static bool
only_forwards(const NornFunction *function, uint32_t block) {
  uint32_t first = norn_block(function, block)->first;
  return norn_block(function, block)->parameter_count && block != function->block_order[0] &&
         norn_inst(function, first)->op == NORN_OP_JUMP &&
         norn_ref_payload(norn_operand(function, first, 0)) != block;
}

/* Marks the parameters of such blocks that later blocks read. */
static void
find_read_behind(const NornFunction *function, bool *is_read) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      bool is_own = only_forwards(function, block);
      norn_for_each_use (function, inst, use) {
        const NornValue *value = norn_value(function, use.value);
        if (!is_own || !value->is_parameter || value->def != block)
          is_read[use.value] = true;
      }
    }
}

/* Redirects the edge to the target of the jump in the block that it leads to. */
static void
pass_by(NornArena *arena, NornFunction *function, uint32_t terminator, const NornEdge *edge) {
  const NornInst jump = *norn_inst(function, norn_block(function, edge->block)->first);
  NornRef *operands = NORN_NEW(arena, NornRef, jump.operand_count);
  for (unsigned k = 0; k < jump.operand_count; k++) {
    operands[k] = norn_operands(function, &jump)[k];
    for (unsigned j = 0; j < edge->argument_count; j++)
      if (operands[k] == norn_ref(NORN_REF_VALUE, norn_block_parameter(function, edge->block, j)))
        operands[k] = norn_operand(function, terminator, edge->operand + 1 + j);
  }
  norn_inst_splice_operands(function, terminator, edge->operand, 1 + edge->argument_count, operands,
                            jump.operand_count);
}

/* The maximum number of consecutive blocks that only forward their arguments. */
#define MAX_PASSED 8

static bool
may_pass_by(const NornFunction *function, uint32_t block, const bool *is_read) {
  if (!only_forwards(function, block))
    return false;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    if (is_read[norn_block_parameter(function, block, k)])
      return false;
  return true;
}

/* The same for blocks that forward their parameters, if nothing else reads them. */
static void
bypass_parameters(NornArena *arena, NornFunction *function) {
  bool any = false;
  norn_for_each_block (function, block)
    any = any || only_forwards(function, block);
  if (!any)
    return;
  bool *is_read = NORN_NEW0(arena, bool, function->value_count);
  find_read_behind(function, is_read);
  for (unsigned round = 0; any && round < MAX_PASSED; round++) {
    any = false;
    norn_for_each_block (function, block) {
      uint32_t terminator = norn_block(function, block)->last;
      NornEdge edge = {0};
      while (norn_next_edge(function, terminator, &edge)) {
        if (edge.block == block || !may_pass_by(function, edge.block, is_read))
          continue;
        unsigned count =
            norn_inst(function, norn_block(function, edge.block)->first)->operand_count;
        pass_by(arena, function, terminator, &edge);
        edge.next = edge.operand + count;
        any = true;
      }
    }
  }
}

/* --- Latches --- */

typedef struct Loops {
  NornArena *arena;
  NornFunction *function;
  const NornConvergence *convergence;
  bool *is_divergent;   /* by header */
  uint32_t *back_edges; /* by header: how many; two if one comes from an inner loop */
  uint32_t *latch;      /* by header: the target of all of them, or NORN_INDEX_NONE */
} Loops;

static void
count_back_edges(Loops *loops) {
  const NornFunction *function = loops->function;
  const NornConvergence *convergence = loops->convergence;
  norn_for_each_block (function, block)
    norn_for_each_edge (function, norn_block(function, block)->last, edge)
      if (norn_is_back_edge(convergence, block, edge.block))
        loops->back_edges[edge.block] += convergence->loop_of_node[block] == edge.block ? 1 : 2;
}

/* Creates a block that passes the header's parameters on to it, in their registers. */
static uint32_t
create_latch(NornArena *arena, NornFunction *function, uint32_t header) {
  uint32_t latch = norn_block_create_detached(function, 0);
  unsigned count = norn_block(function, header)->parameter_count;
  NornRef *arguments = NORN_NEW(arena, NornRef, count);
  for (unsigned k = 0; k < count; k++) {
    NornValue model = *norn_value(function, norn_block_parameter(function, header, k));
    uint32_t parameter = norn_block_add_parameter(function, latch, model.type, 0);
    norn_value(function, parameter)->reg = model.reg;
    arguments[k] = norn_ref(NORN_REF_VALUE, parameter);
  }
  NornBuilder builder = norn_builder_at_end(function, latch);
  norn_build_jump(&builder, (NornBranch){norn_ref(NORN_REF_BLOCK, header), count, arguments});
  return latch;
}

/* Redirects the back edges of loops that need it to a latch. */
static void
make_latches(Loops *loops) {
  NornFunction *function = loops->function;
  const NornConvergence *convergence = loops->convergence;
  for (uint32_t key = 0; key < convergence->key_count; key++) {
    uint32_t block = convergence->node_of_key[key];
    if (convergence->key_of_node[block] != key)
      continue;
    uint32_t terminator = norn_block(function, block)->last;
    norn_for_each_edge (function, terminator, edge) {
      uint32_t header = edge.block;
      if (!norn_is_back_edge(convergence, block, header) || loops->back_edges[header] < 2 ||
          !loops->is_divergent[header])
        continue;
      if (loops->latch[header] == NORN_INDEX_NONE)
        loops->latch[header] = create_latch(loops->arena, function, header);
      norn_set_operand(function, terminator, edge.operand,
                       norn_ref(NORN_REF_BLOCK, loops->latch[header]));
    }
  }
}

/* --- Order --- */

static void
remove_unreached(NornArena *arena, NornFunction *function, const NornConvergence *convergence) {
  bool *remove = NORN_NEW(arena, bool, function->block_count);
  for (uint32_t block = 0; block < function->block_count; block++)
    remove[block] = convergence->key_of_node[block] == NORN_KEY_NONE;
  norn_blocks_remove(function, remove);
}

/* Appends the blocks in the order of their keys, each latch at the end of its loop. */
static void
append_blocks(const Loops *loops) {
  NornFunction *function = loops->function;
  const NornConvergence *convergence = loops->convergence;
  function->block_order_count = 0;
  for (uint32_t key = 0; key < convergence->key_count; key++) {
    uint32_t block = convergence->node_of_key[key];
    if (convergence->key_of_node[block] == key)
      norn_block_append(function, block);
    else if (loops->latch[block] != NORN_INDEX_NONE)
      norn_block_append(function, loops->latch[block]);
  }
}

static bool
order_blocks(NornArena *arena, NornFunction *function, GError **error) {
  NornConvergence convergence;
  if (!norn_convergence_of_function(arena, &convergence, function, error))
    return false;
  remove_unreached(arena, function, &convergence);
  Loops loops = {
      .arena = arena,
      .function = function,
      .convergence = &convergence,
      .is_divergent = norn_divergent_loops(arena, &convergence, function),
      .back_edges = NORN_NEW0(arena, uint32_t, function->block_count),
      .latch = norn_arena_indexes(arena, function->block_count),
  };
  if (norn_has_divergence(function)) {
    count_back_edges(&loops);
    make_latches(&loops);
  }
  append_blocks(&loops);
  return true;
}

/* --- Branches --- */

/* Gives the fall-through edge of a branch a block of its own, which follows it. */
static uint32_t
add_jump_block(NornFunction *function, uint32_t branch) {
  NornEdge edge = norn_edge_of(function, branch, 1);
  return norn_edge_split(function, branch, &edge);
}

/* Swaps the two successors, with their arguments, and inverts the condition. */
static void
invert_branch(NornPassContext *context, NornFunction *function, uint32_t branch) {
  NornEdge edges[2];
  norn_edges_of(function, branch, edges);
  const NornEdge *taken = &edges[0], *other = &edges[1];
  unsigned first = 1 + taken->argument_count, second = 1 + other->argument_count;
  NornRef *blocks = NORN_NEW(&context->arena, NornRef, first + second);
  NornRef *operands = norn_operands(function, norn_inst(function, branch));
  memcpy(blocks, operands + other->operand, second * sizeof *blocks);
  memcpy(blocks + second, operands + taken->operand, first * sizeof *blocks);
  memcpy(operands + taken->operand, blocks, (first + second) * sizeof *blocks);
  context->target->invert_condition(context->target, norn_inst(function, branch));
}

static void
finish_terminator(NornPassContext *context, NornFunction *function, uint32_t block, uint32_t next,
                  const bool *is_placed, NornIndexList *order) {
  uint32_t terminator = norn_block(function, block)->last;
  uint32_t to[2] = {NORN_INDEX_NONE, NORN_INDEX_NONE};
  unsigned count = 0;
  norn_for_each_edge (function, terminator, edge) {
    if (count < 2)
      to[count++] = edge.block;
  }
  if (norn_inst(function, terminator)->op == NORN_OP_JUMP) {
    if (to[0] != next)
      context->target->make_branch(context->target, function, terminator);
    return;
  }
  if (count < 2 || to[1] == next)
    return;
  if (to[0] == next || (is_placed[to[1]] && !is_placed[to[0]]))
    invert_branch(context, function, terminator);
  if (to[0] == next)
    return;
  uint32_t fresh = add_jump_block(function, terminator);
  context->target->make_branch(context->target, function, norn_block(function, fresh)->last);
  norn_list_push(&context->arena, order, fresh);
}

bool
norn_pass_layout(NornPassContext *context, NornFunction *function, GError **error) {
  remove_marks(context, function);
  bypass_parameters(&context->arena, function);
  bypass_blocks(&context->arena, function);
  norn_pass_blocks_changed(context);
  if (!order_blocks(&context->arena, function, error))
    return false;
  NornIndexList order = {0};
  bool *is_placed = NORN_NEW0(&context->arena, bool, function->block_count);
  for (uint32_t i = 0; i < function->block_order_count; i++) {
    uint32_t block = function->block_order[i];
    uint32_t next =
        i + 1 < function->block_order_count ? function->block_order[i + 1] : NORN_INDEX_NONE;
    norn_list_push(&context->arena, &order, block);
    is_placed[block] = true;
    finish_terminator(context, function, block, next, is_placed, &order);
  }
  norn_blocks_order(function, order.items, order.count);
  norn_pass_blocks_changed(context);
  return true;
}
