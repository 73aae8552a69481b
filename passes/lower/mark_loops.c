/* Marks loop entries.
 *
 * Each block where a loop can be entered gets a loop_entry, so that no pass can remove it and with
 * it the point where lanes wait for each other. Its number tells which entry is the header, however
 * the order of blocks and edges changes. Marks of blocks that are not loop entries are removed. */
#include "ir/analysis/convergence.h"
#include "ir/builder.h"
#include "ir/text/locations.h"
#include "passes/pass.h"

/* The greatest operand of loop_entry. */
#define MAX_RANK UINT16_MAX

/* Sets the mark of a block. Returns whether that changed anything. */
static bool
set_rank(NornFunction *function, uint32_t block, uint32_t rank) {
  uint32_t first = norn_block(function, block)->first;
  bool is_marked = norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY;
  if (norn_loop_rank(function, block) == rank && is_marked == (rank > 0))
    return false;
  NornBuilder builder = norn_builder_before(function, first);
  NornLoopHints hints = norn_loop_hints(function, block);
  if (rank)
    norn_build_loop_entry(&builder, rank, hints.iterations, hints.is_rest, hints.unroll);
  if (is_marked)
    norn_inst_erase(function, first);
  return true;
}

bool
norn_mark_loops(NornArena *arena, NornFunction *function, bool *changed, GError **error) {
  NornConvergence convergence;
  if (!norn_convergence_of_function(arena, &convergence, function, error))
    return false;
  norn_for_each_block (function, block) {
    if (convergence.rank_of_entry[block] > MAX_RANK)
      return norn_inst_error(function, norn_inst(function, norn_block(function, block)->first),
                             NORN_ERROR_LIMIT, error, "loops are nested more than %u deep",
                             MAX_RANK);
    *changed |= set_rank(function, block, convergence.rank_of_entry[block]);
  }
  return true;
}

bool
norn_pass_mark_loops(NornPassContext *context, NornFunction *function, GError **error) {
  bool changed = false;
  if (!norn_mark_loops(&context->arena, function, &changed, error))
    return false;
  norn_pass_report(context, changed);
  return true;
}
