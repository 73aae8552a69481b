/* Hoist moves: brings moves that stand alone on one way of a branch before it.
 *
 * Allocation leaves moves of block arguments in blocks of their own, which jump to where ways meet.
 * Where nothing on the other way reads the registers that these write, the moves may come before
 * the branch, and the block and its jump are gone. The other way executes them for nothing, so that
 * only a few are worth it, and none where it is in a loop that the moves leave. Where no other way
 * leads to where the block jumps to, the jump is no code anyway. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "passes/finish/machine_code.h"

/* The most moves that the other way executes for nothing. */
#define MOST_MOVES 2

typedef struct MoveHoist {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  const NornRegisterSet *live_in; /* per block; NULL until it is asked for */
} MoveHoist;

/* Whether a block only moves and jumps, in `*count` moves that write `*written`. */
static bool
only_moves(const MoveHoist *hoist, uint32_t block, unsigned *count, NornRegisterSet *written) {
  const NornFunction *function = hoist->function;
  const NornTarget *target = hoist->context->target;
  uint32_t last = norn_block(function, block)->last;
  *count = 0;
  *written = NORN_NO_REGISTERS;
  if (norn_inst(function, last)->op != NORN_OP_JUMP)
    return false;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    NornRef source;
    uint32_t constant;
    if (inst->op == NORN_OP_LOOP_ENTRY)
      return false;
    if (index == last || !norn_is_machine(inst))
      continue;
    if (!target->is_move(target, function, inst, &source, &constant))
      return false;
    ++*count;
    norn_regs_add(written, norn_registers_written(function, inst));
  }
  return *count > 0;
}

/* Whether the moves of `block`, which a branch leads to, may stand before it; `other` is its other
 * way. */
static bool
may_hoist(MoveHoist *hoist, uint32_t branch, uint32_t block, uint32_t other) {
  const NornFunction *function = hoist->function;
  const NornDominance *dominance = hoist->dominance;
  uint32_t home = norn_inst(function, branch)->block;
  unsigned count;
  NornRegisterSet written;
  if (other == block || norn_block(function, block)->parameter_count ||
      norn_predecessor_count(dominance, block) != 1 ||
      !only_moves(hoist, block, &count, &written) ||
      norn_dominates(dominance, block, norn_successor(dominance, block, 0)))
    return false;
  if (dominance->loop_depth[block] < dominance->loop_depth[home] ||
      (count > MOST_MOVES && dominance->loop_depth[other] >= dominance->loop_depth[home]))
    return false;
  if (!hoist->live_in)
    hoist->live_in = norn_registers_live_in(&hoist->context->arena, function, dominance);
  return !norn_regs_overlap(written, hoist->live_in[other]) &&
         !norn_regs_overlap(written, norn_registers_read(function, norn_inst(function, branch)));
}

static void
hoist_block(const MoveHoist *hoist, uint32_t branch, uint32_t block) {
  NornFunction *function = hoist->function;
  for (uint32_t index = norn_block(function, block)->first, next;
       index != norn_block(function, block)->last; index = next) {
    next = norn_inst(function, index)->next;
    NornBuilder builder = norn_builder_before(function, branch);
    norn_builder_insert(&builder, index);
  }
}

bool
norn_pass_hoist_moves(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  bool changed = false;
  MoveHoist hoist = {.context = context, .function = function, .dominance = dominance};
  for (uint32_t i = dominance->order_count; i--;) {
    uint32_t block = dominance->order[i];
    uint32_t branch = norn_block(function, block)->last;
    uint32_t ways[2] = {NORN_INDEX_NONE, NORN_INDEX_NONE};
    unsigned count = 0;
    norn_for_each_edge (function, branch, edge) {
      if (count < 2)
        ways[count] = edge.block;
      count++;
    }
    /* What is live into other blocks does not change. */
    for (unsigned k = 0; count == 2 && k < 2; k++) {
      if (!may_hoist(&hoist, branch, ways[k], ways[1 - k]))
        continue;
      hoist_block(&hoist, branch, ways[k]);
      changed = true;
      break;
    }
  }
  norn_pass_report(context, changed);
  return true;
}
