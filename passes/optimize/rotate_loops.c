/* Rotate loops: moves the test of a loop from the top of a round to its bottom.
 *
 * A loop whose header decides whether there is another round has two branches in each: that one,
 * and the jump back. Where the header does nothing else but compute what the branch needs, it
 * becomes a guard in front of the loop, which what enters the loop still goes to. All back edges go
 * to a copy of it, the latch, whose branch is the only back edge then. The loop begins at the block
 * that the branch led to inside; if that is an entry of its own, at an empty block before it. What
 * the header computes has two names then, which norn_repair_ssa sorts out. A guard that is known to
 * hold goes with the next simplification; it is the only code that may have become more.
 *
 * A loop stays if it is left at its bottom already, and in a function that has loops with several
 * entries: those may have it as an entry.
 *
 * Lanes reconverge where they did. The latch waits for all lanes that take a back edge, as the
 * header did, and what comes after the loop waits for lanes of the guard and of the latch. The mark
 * of the loop goes to its new header. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include "passes/repair_ssa.h"

/* Instructions of a header, beside its branch. */
#define MOST_COST 8

/* What a header may not do, since it is done elsewhere, or costs too much to be done in two places.
 */
#define STAYS                                                                                      \
  (NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY | NORN_OP_PINNED | NORN_OP_CONVERGENT |            \
   NORN_OP_ORDERS | NORN_OP_DIVERGENT | NORN_OP_APPROXIMATE | NORN_OP_SPACES | NORN_OP_VARYING)

typedef struct Rotator {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance; /* as it was before the first loop */
  NornIndexList root;             /* by value: what it is a name of */
  uint32_t *behind;               /* by block: a new one that follows it, or NORN_INDEX_NONE */
  bool changed;
} Rotator;

/* --- Which loops --- */

/* Whether the header's instructions may be copied, and are few. */
static bool
is_cheap(const NornFunction *function, uint32_t header) {
  unsigned cost = 0;
  norn_for_each_inst (function, header, index) {
    const NornInst *inst = norn_inst(function, index);
    if (inst->op == NORN_OP_LOOP_ENTRY || norn_is_terminator(function, inst))
      continue;
    if (norn_ops[inst->op].flags & STAYS || inst->op == NORN_OP_ALLOCA || ++cost > MOST_COST)
      return false;
  }
  return true;
}

/* Whether the header's branch leaves the loop or leads on in it; *stay: along that edge. */
static bool
find_stay(const Rotator *rotator, uint32_t header, NornEdge *stay) {
  const NornFunction *function = rotator->function;
  uint32_t last = norn_block(function, header)->last;
  unsigned count = 0;
  if (norn_inst(function, last)->op != NORN_OP_BR)
    return false;
  /* A new block that an edge leads to is the latch of a loop around. */
  norn_for_each_edge (function, last, edge)
    if (edge.block < rotator->dominance->block_count &&
        norn_loop_contains(rotator->dominance, header, edge.block)) {
      *stay = edge;
      count++;
    }
  return count == 1 && stay->block != header;
}

/* Whether rounds end in a jump, in one place or after several ways; *bottom: the last block in the
 * text that does so. */
static bool
ends_in_jump(const Rotator *rotator, uint32_t header, uint32_t *bottom) {
  const NornDominance *dominance = rotator->dominance;
  unsigned count = 0, branches = 0;
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, header); k++) {
    uint32_t from = norn_predecessor(dominance, header, k);
    uint32_t last = norn_block(rotator->function, from)->last;
    if (!norn_loop_contains(dominance, header, from))
      continue;
    count++;
    branches += norn_inst(rotator->function, last)->op != NORN_OP_JUMP &&
                dominance->loop_header[from] == header;
    *bottom = from;
  }
  return count > branches;
}

/* --- Rotating --- */

/* Puts a new block right behind another one. */
static void
place_behind(const Rotator *rotator, uint32_t block, uint32_t fresh) {
  rotator->behind[fresh] = rotator->behind[block];
  rotator->behind[block] = fresh;
}

/* Makes the inner end of the edge the header of the loop, in the place of the old one. */
static void
move_entry(Rotator *rotator, uint32_t header, NornEdge *stay) {
  NornFunction *function = rotator->function;
  uint32_t mark = norn_block(function, header)->first, to = stay->block;
  if (norn_predecessor_count(rotator->dominance, to) > 1) {
    to = norn_edge_split(function, norn_block(function, header)->last, stay);
    place_behind(rotator, header, to);
  }
  if (norn_inst(function, mark)->op != NORN_OP_LOOP_ENTRY)
    return;
  uint32_t first = norn_block(function, to)->first;
  NornBuilder builder = norn_builder_before(function, first);
  norn_builder_insert(&builder, mark);
  if (norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY)
    norn_inst_erase(function, first);
}

static void
note_copy(Rotator *rotator, uint32_t value, uint32_t copy) {
  norn_grow_roots(&rotator->context->arena, &rotator->root, copy);
  norn_list_push(&rotator->context->arena, &rotator->root, value);
}

/* A copy of the header; operands are the names of the original until they are repaired. */
static uint32_t
create_latch(Rotator *rotator, uint32_t header) {
  NornFunction *function = rotator->function;
  uint32_t latch = norn_block_create_detached(function, 0);
  norn_block(function, latch)->line = norn_block(function, header)->line;
  for (unsigned k = 0; k < norn_block(function, header)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, header, k);
    note_copy(rotator, parameter,
              norn_block_add_parameter(function, latch, norn_value(function, parameter)->type, 0));
  }
  NornBuilder builder = norn_builder_at_end(function, latch);
  norn_for_each_inst (function, header, inst) {
    uint32_t clone = norn_build_clone(&builder, function, inst);
    for (unsigned k = 0; k < norn_inst(function, inst)->result_count; k++)
      note_copy(rotator, norn_inst(function, inst)->result + k,
                norn_inst(function, clone)->result + k);
  }
  return latch;
}

static void
rotate(Rotator *rotator, uint32_t header, NornEdge *stay, uint32_t bottom) {
  NornFunction *function = rotator->function;
  const NornDominance *dominance = rotator->dominance;
  move_entry(rotator, header, stay);
  uint32_t latch = create_latch(rotator, header);
  place_behind(rotator, bottom, latch);
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, header); k++) {
    uint32_t from = norn_predecessor(dominance, header, k);
    uint32_t last = norn_block(function, from)->last;
    if (!norn_loop_contains(dominance, header, from))
      continue;
    norn_for_each_edge (function, last, edge)
      if (edge.block == header)
        norn_set_operand(function, last, edge.operand, norn_ref(NORN_REF_BLOCK, latch));
  }
  rotator->changed = true;
}

static void
try_loop(Rotator *rotator, uint32_t header) {
  NornEdge stay = {0};
  uint32_t bottom = NORN_INDEX_NONE;
  if (find_stay(rotator, header, &stay) && is_cheap(rotator->function, header) &&
      ends_in_jump(rotator, header, &bottom) && norn_pass_continues(rotator->context, MOST_COST))
    rotate(rotator, header, &stay, bottom);
}

static void
order_blocks(const Rotator *rotator) {
  NornFunction *function = rotator->function;
  NornIndexList order = {0};
  norn_for_each_block (function, first)
    for (uint32_t block = first; block != NORN_INDEX_NONE; block = rotator->behind[block])
      norn_list_push(&rotator->context->arena, &order, block);
  norn_blocks_order(function, order.items, order.count);
}

/* From outside in: the latch of a loop may be where an inner one is left. */
static void
rotate_all(Rotator *rotator) {
  NornFunction *function = rotator->function;
  const NornDominance *dominance = rotator->dominance;
  NornArena *arena = &rotator->context->arena;
  uint32_t first_name = function->value_count;
  /* A loop needs two new blocks at most. */
  rotator->behind = norn_arena_indexes(arena, (size_t)function->block_count * 3);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    if (dominance->loop_header[dominance->order[k]] == dominance->order[k])
      try_loop(rotator, dominance->order[k]);
  if (!rotator->changed)
    return;
  order_blocks(rotator);
  norn_pass_blocks_changed(rotator->context);
  norn_pass_remove_unreachable(rotator->context, function);
  norn_grow_roots(arena, &rotator->root, function->value_count);
  norn_repair_ssa(arena, function, norn_pass_dominance(rotator->context, function),
                  rotator->root.items, first_name, NULL);
}

bool
norn_pass_rotate_loops(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Rotator rotator = {.context = context,
                     .function = function,
                     .dominance = norn_pass_dominance(context, function)};
  if (norn_has_loops(rotator.dominance) && norn_loops_have_one_entry(rotator.dominance))
    rotate_all(&rotator);
  norn_pass_report(context, rotator.changed);
  return true;
}
