/* Reconvergence: the machine brings lanes together where the program says (doc/ir.md).
 *
 * The machine runs the lanes at the lowest address. It chooses them anew only after an instruction
 * with reconverge and when the running lanes have ended. This check simulates what can happen on
 * the blocks of the packed program, of which it uses only the control flow, and compares it with
 * the words: for each block, it finds the blocks where other lanes may wait while it runs. The
 * rules are then
 *
 * - a branch that may diverge reconverges, and so does a word that leads to lanes that may wait;
 * - while code runs, no lanes wait that will reach it in the same iteration;
 * - an edge that is not a back edge leads to a higher address;
 * - while lanes take a back edge, no others wait in its loop or will reach that edge in the same
 *   iteration;
 * - while code after a loop runs, no lanes wait in the loop.
 *
 * Finally, the loops in which lanes may diverge must be the same as in the selected program, block
 * by block. Only the graph determines which loops exist (ir/analysis/convergence.h). */
#include "check/valhall/valhall.h"
#include "ir/analysis/convergence.h"
#include <norn/valhall.h>
#include <string.h>

/* A block of the packed program, by its position in the block order. */
typedef struct PlacedBlock {
  uint32_t block;
  uint32_t first, count; /* words */
  uint32_t at;           /* first node from here on that has words: where waiting lanes are */
  GArray *waiting;       /* uint32_t, nodes, ascending */
  bool is_reached, ends, computes;
} PlacedBlock;

typedef struct Reconvergence {
  const NornCode *code;
  const NornFunction *function; /* the packed program */
  const NornFunction *selected;
  NornArena arena;
  NornConvergence loops;
  PlacedBlock *nodes;
  uint32_t count;
  uint32_t *node_of;   /* by block */
  bool *leads;         /* by node: to the node being checked; only if others may wait meanwhile */
  uint32_t *seen_from; /* by header: the last node for which its loop was looked at */
} Reconvergence;

static bool
refuse(const Reconvergence *check, uint32_t node, GError **error, const char *problem) {
  const PlacedBlock *self = &check->nodes[node];
  return norn_code_error(check->code, self->first + MAX(self->count, 1) - 1, error, "%s", problem);
}

/* The last word of a node, whose flow is that of the block. */
static const NornWordInst *
last_of(const Reconvergence *check, uint32_t node) {
  return &check->code->insts[check->nodes[node].first + check->nodes[node].count - 1];
}

/* --- Nodes --- */

static void
init_nodes(Reconvergence *check) {
  const NornFunction *function = check->function;
  uint32_t first = 0;
  norn_for_each_block (function, block) {
    PlacedBlock *node = &check->nodes[check->count];
    *node = (PlacedBlock){
        .block = block, .first = first, .waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
    norn_for_each_inst (function, block, inst)
      node->count += norn_is_machine(norn_inst(function, inst));
    for (uint32_t i = first; i < first + node->count; i++) {
      const NornWordInst *inst = &check->code->insts[i];
      node->ends |= inst->ends;
      node->computes |= norn_code_writes(inst) || inst->is_message;
    }
    first += node->count;
    check->node_of[block] = check->count++;
  }
  for (uint32_t i = check->count; i-- > 0;)
    check->nodes[i].at =
        check->nodes[i].count || i + 1 == check->count ? i : check->nodes[i + 1].at;
}

/* Whether the block's branch may diverge: according to the selected program if the branch comes
 * from there. */
static bool
is_divergent(const Reconvergence *check, uint32_t block) {
  uint32_t terminator = norn_block(check->function, block)->last;
  const NornFunction *function =
      terminator < check->selected->inst_count ? check->selected : check->function;
  return norn_is_machine(norn_inst(check->function, terminator)) &&
         norn_inst(function, terminator)->flags & NORN_INST_DIVERGENT;
}

/* Whether only the last word of the block branches, and only if the packed program branches
 * there. */
static bool
check_straight(const Reconvergence *check, const PlacedBlock *node, bool is_branch,
               GError **error) {
  for (uint32_t i = node->first; i + is_branch < node->first + node->count; i++) {
    const NornWordInst *inst = &check->code->insts[i];
    if (inst->instruction == NORN_VALHALL_BRANCHZ && inst->kind != NORN_CODE_GOES_ON)
      return norn_code_error(check->code, i, error, "the program has no branch here");
  }
  return true;
}

/* Whether the words have the same successors as the packed program. */
static bool
check_edges(const Reconvergence *check, uint32_t index, GError **error) {
  const PlacedBlock *node = &check->nodes[index];
  uint32_t terminator = norn_block(check->function, node->block)->last,
           end = node->first + node->count;
  bool is_branch = norn_is_machine(norn_inst(check->function, terminator));
  unsigned number = 0;
  if (!check_straight(check, node, is_branch, error))
    return false;
  norn_for_each_edge (check->function, terminator, edge) {
    uint32_t place = check->nodes[check->node_of[edge.block]].first;
    bool is_taken = is_branch && number++ == 0;
    if (is_taken ? last_of(check, index)->target != place : place != end)
      return refuse(check, index, error, "leads to another block than in the program");
  }
  if (norn_inst(check->function, terminator)->op == NORN_OP_END && !node->ends)
    return refuse(check, index, error, "does not end the lanes, but the program ends here");
  return true;
}

/* --- Waiting lanes --- */

/* Returns whether the set changed. */
static bool
add_waiting(Reconvergence *check, uint32_t node, uint32_t waiting) {
  GArray *set = check->nodes[node].waiting;
  guint low = 0, high = set->len;
  if (waiting == node)
    return false;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index(set, uint32_t, middle) < waiting)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < set->len && g_array_index(set, uint32_t, low) == waiting)
    return false;
  g_array_insert_val(set, low, waiting);
  return true;
}

static bool
reach(Reconvergence *check, uint32_t node) {
  bool is_new = !check->nodes[node].is_reached;
  check->nodes[node].is_reached = true;
  return is_new;
}

/* Runs the lanes of `candidates` at the lowest address, which is at most `limit`. Each candidate
 * up to the limit may be the lowest, since the others may have no lanes. */
static bool
choose_lowest(Reconvergence *check, const GArray *candidates, uint32_t limit) {
  bool changed = false;
  for (guint i = 0; i < candidates->len; i++) {
    uint32_t node = g_array_index(candidates, uint32_t, i);
    if (node > limit)
      continue;
    changed |= reach(check, node);
    for (guint k = 0; k < candidates->len; k++)
      if (g_array_index(candidates, uint32_t, k) > node)
        changed |= add_waiting(check, node, g_array_index(candidates, uint32_t, k));
  }
  return changed;
}

/* The successor nodes of the block. */
static unsigned
successors_of(const Reconvergence *check, uint32_t node, uint32_t successors[2]) {
  unsigned count = 0;
  norn_for_each_edge (check->function, norn_block(check->function, check->nodes[node].block)->last,
                      edge) {
    if (count < 2)
      successors[count++] = check->nodes[check->node_of[edge.block]].at;
  }
  return count;
}

/* Propagates the waiting lanes to the successors; returns whether any set grew. */
static bool
leave_node(Reconvergence *check, uint32_t index) {
  const PlacedBlock *node = &check->nodes[index];
  uint32_t successors[2];
  unsigned count = successors_of(check, index, successors);
  bool changed = false, diverges = is_divergent(check, node->block);
  GArray *candidates = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  if (node->ends || !count) {
    changed = choose_lowest(check, node->waiting, UINT32_MAX);
  } else if (!last_of(check, index)->reconverges) {
    for (unsigned k = 0; k < count; k++) {
      changed |= reach(check, successors[k]);
      for (guint i = 0; i < node->waiting->len; i++)
        changed |= add_waiting(check, successors[k], g_array_index(node->waiting, uint32_t, i));
    }
  } else {
    for (unsigned k = 0; k < count; k++) {
      uint32_t limit = successors[k];
      if (!k || !diverges) {
        g_array_set_size(candidates, 0);
        g_array_append_vals(candidates, node->waiting->data, node->waiting->len);
      }
      g_array_append_val(candidates, successors[k]);
      for (unsigned other = 0; other < count && diverges; other++)
        limit = MAX(limit, successors[other]);
      if (!diverges || k + 1 == count)
        changed |= choose_lowest(check, candidates, limit);
    }
  }
  g_array_free(candidates, TRUE);
  return changed;
}

/* --- Rules --- */

/* Whether lanes other than the node's own may wait in the loop of that header. */
static bool
waits_in_loop(const Reconvergence *check, uint32_t index, uint32_t header) {
  const PlacedBlock *node = &check->nodes[index];
  uint32_t successors[2];
  unsigned count = is_divergent(check, node->block) ? successors_of(check, index, successors) : 0;
  for (guint i = 0; i < node->waiting->len; i++)
    if (norn_is_in_loop(&check->loops, header,
                        check->nodes[g_array_index(node->waiting, uint32_t, i)].block))
      return true;
  for (unsigned k = 0; k < count; k++)
    if (successors[k] != check->nodes[check->node_of[header]].at &&
        norn_is_in_loop(&check->loops, header, check->nodes[successors[k]].block))
      return true;
  return false;
}

/* Finds the nodes from which forward edges lead to this one, itself included. */
static void
find_leading(Reconvergence *check, uint32_t to) {
  memset(check->leads, 0, check->count * sizeof *check->leads);
  check->leads[to] = true;
  for (uint32_t i = to; i-- > 0;)
    norn_for_each_edge (check->function, norn_block(check->function, check->nodes[i].block)->last,
                        edge) {
      uint32_t next = check->node_of[edge.block];
      check->leads[i] |= next > i && check->leads[next] &&
                         !norn_is_back_edge(&check->loops, check->nodes[i].block, edge.block);
    }
}

/* Whether lanes may wait that will reach the node in the same iteration. */
static bool
waits_for_node(const Reconvergence *check, uint32_t index) {
  const GArray *waiting = check->nodes[index].waiting;
  for (guint i = 0; i < waiting->len && g_array_index(waiting, uint32_t, i) < index; i++)
    if (check->leads[g_array_index(waiting, uint32_t, i)])
      return true;
  return false;
}

/* Whether lanes may wait in a loop that ends before the node. Each loop is looked at once. */
static bool
waits_before(Reconvergence *check, uint32_t index) {
  const PlacedBlock *node = &check->nodes[index];
  const NornConvergence *loops = &check->loops;
  for (guint i = 0; i < node->waiting->len; i++) {
    uint32_t other = check->nodes[g_array_index(node->waiting, uint32_t, i)].block;
    for (uint32_t header = loops->loop_of_node[other];
         header != NORN_KEY_NONE && check->seen_from[header] != index;
         header = loops->parent_of_loop[header]) {
      check->seen_from[header] = index;
      if (loops->key_of_node[node->block] > loops->end_of_node[header] &&
          check->leads[check->node_of[header]])
        return true;
    }
  }
  return false;
}

static bool
check_flow(const Reconvergence *check, uint32_t index, GError **error) {
  const PlacedBlock *node = &check->nodes[index];
  uint32_t successors[2];
  unsigned count = successors_of(check, index, successors);
  if (node->ends || last_of(check, index)->reconverges)
    return true;
  if (is_divergent(check, node->block))
    return refuse(check, index, error,
                  "lanes may diverge here, but the flow reconverge is missing");
  for (guint i = 0; i < node->waiting->len; i++)
    for (unsigned k = 0; k < count; k++)
      if (g_array_index(node->waiting, uint32_t, i) == successors[k])
        return refuse(check, index, error,
                      "lanes may wait at the destination, but the flow reconverge is missing");
  return true;
}

static bool
check_node(Reconvergence *check, uint32_t index, GError **error) {
  const PlacedBlock *node = &check->nodes[index];
  if (!check_flow(check, index, error))
    return false;
  if (node->waiting->len)
    find_leading(check, index);
  norn_for_each_edge (check->function, norn_block(check->function, node->block)->last, edge) {
    if (!norn_is_back_edge(&check->loops, node->block, edge.block)) {
      if (check->node_of[edge.block] <= index)
        return refuse(check, index, error, "leads backward, but not to the header of its loop");
    } else if (waits_in_loop(check, index, edge.block) || waits_for_node(check, index)) {
      return refuse(check, index, error,
                    "lanes take the back edge while others may still be in the iteration");
    }
  }
  if (node->computes && waits_before(check, index))
    return refuse(check, index, error,
                  "lanes execute this block while others may still be in the loop before it");
  return !node->computes || !waits_for_node(check, index) ||
         refuse(check, index, error,
                "lanes execute this block while others that will reach it may wait elsewhere");
}

/* --- The selected program's loops --- */

/* The innermost loop in which lanes may diverge, from the loop of `header` outward. */
static uint32_t
divergent_loop(const NornConvergence *loops, const bool *diverges, uint32_t header) {
  while (header != NORN_KEY_NONE && !diverges[header])
    header = loops->parent_of_loop[header];
  return header;
}

static bool
check_loops(Reconvergence *check, const NornConvergence *before, GError **error) {
  bool *was = norn_divergent_loops(&check->arena, before, check->selected);
  bool *is = norn_divergent_loops(&check->arena, &check->loops, check->function), same = true;
  for (uint32_t i = 0; i < check->count && same; i++) {
    uint32_t block = check->nodes[i].block;
    if (block >= check->selected->block_count || before->key_of_node[block] == NORN_KEY_NONE ||
        !check->nodes[i].count)
      continue;
    uint32_t old = divergent_loop(before, was, before->loop_of_node[block]);
    uint32_t new = divergent_loop(&check->loops, is, check->loops.loop_of_node[block]);
    while (old == new &&old != NORN_KEY_NONE) {
      old = divergent_loop(before, was, before->parent_of_loop[old]);
      new = divergent_loop(&check->loops, is, check->loops.parent_of_loop[new]);
    }
    same = old == new ||
           refuse(check, i, error, "its block is not in the same loops as in the program");
  }
  return same;
}

/* --- The whole check --- */

static bool
run_checks(Reconvergence *check, GError **error) {
  bool ok = true;
  reach(check, check->nodes[0].at);
  for (uint32_t i = 0; i < check->count && ok; i++)
    ok = check_edges(check, i, error);
  for (bool changed = ok; changed;) {
    changed = false;
    for (uint32_t i = 0; i < check->count; i++)
      if (check->nodes[i].is_reached && check->nodes[i].count)
        changed |= leave_node(check, i);
  }
  for (uint32_t i = 0; i < check->count && ok; i++)
    if (check->nodes[i].is_reached && check->nodes[i].count)
      ok = check_node(check, i, error);
  NornConvergence before = {0};
  ok = ok && norn_convergence_of_function(&check->arena, &before, check->selected, error) &&
       check_loops(check, &before, error);
  return ok;
}

bool
norn_check_reconvergence(const NornCode *code, GError **error) {
  const NornFunction *function = code->input->packed;
  Reconvergence check = {.code = code, .function = function, .selected = code->input->selected};
  bool diverges = false;
  if (!code->origin)
    return norn_code_error(code, 0, error,
                           "the number of words differs from the number of instructions");
  if (!norn_check_divergence(code, error))
    return false;
  norn_for_each_block (function, block)
    diverges |= is_divergent(&check, block);
  if (!diverges)
    return true;
  check.nodes = g_new0(PlacedBlock, function->block_order_count);
  check.node_of = norn_arena_indexes(&check.arena, function->block_count);
  check.seen_from = norn_arena_indexes(&check.arena, function->block_count);
  check.leads = NORN_NEW(&check.arena, bool, function->block_order_count);
  bool ok = norn_convergence_of_function(&check.arena, &check.loops, function, error);
  if (ok) {
    init_nodes(&check);
    ok = run_checks(&check, error);
  }
  for (uint32_t i = 0; i < check.count; i++)
    g_array_free(check.nodes[i].waiting, TRUE);
  g_free(check.nodes);
  norn_arena_free(&check.arena);
  return ok;
}
