/* Loop rotation: moves the test of a loop from the top of an iteration to its bottom.
 *
 * A loop whose header decides whether there is another iteration executes two branches per
 * iteration: that one, and the jump back. If the header only computes what the branch needs, it
 * becomes a guard in front of the loop, and remains the target of the edges that enter the loop.
 * All back edges are redirected to a copy of it, the latch, whose branch becomes the only back
 * edge. The loop then begins at the block that the branch leads to inside of it; if that block has
 * other predecessors, at an empty block before it. The values that the header computes then have
 * two names, which norn_repair_ssa resolves. A guard that is known to hold is removed by the next
 * simplification; it is the only code that may have been added. If the test computed the next value
 * of a counter, both become parameters of the new header, and one of them is then computed from the
 * other.
 *
 * A loop is left unchanged if it already exits at its bottom, or if the function has loops with
 * several entries: the header may be an entry of one of them.
 *
 * Lanes reconverge where they did before. The latch waits for all lanes that take a back edge, as
 * the header did, and the code after the loop waits for the lanes from the guard and from the
 * latch. The mark of the loop moves to its new header. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/block_parameters.h"
#include "passes/optimize/block_copies.h"
#include "passes/pass.h"

/* Loops with more parameters stay: the new branch passes them twice, and with them at most
 * NORN_MAX_COPIED values, and an instruction has at most 65,535 operands. */
#define MAX_ROTATED (1 << 14)
/* Maximum number of parameters of a header; they are compared pairwise. */
#define MAX_PARAMETERS 16

/* What a header must not contain, because the copy is executed at another place, or because it is
 * too expensive to have twice. Loads are allowed: the copy loads when the header did, and memory
 * that the loop does not write is loaded once, by the guard. */
#define FORBIDDEN                                                                                  \
  ((NORN_OP_STAYS & ~NORN_OP_READS_MEMORY) | NORN_OP_DIVERGENT | NORN_OP_APPROXIMATE |             \
   NORN_OP_VARYING)

typedef struct Rotator {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance; /* from before the first rotation */
  NornBlockCopies copies;
  bool changed;
} Rotator;

/* --- Choosing loops --- */

/* Whether the header, other than its mark, may be copied and has few instructions. */
static bool
is_cheap(const NornFunction *function, uint32_t header) {
  uint32_t first = norn_block(function, header)->first;
  if (norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY)
    first = norn_inst(function, first)->next;
  return norn_is_cheap_to_copy(function, first, FORBIDDEN);
}

/* Whether exactly one edge of the header's branch stays in the loop; *stay: that edge. */
static bool
find_stay(const Rotator *rotator, uint32_t header, NornEdge *stay) {
  const NornFunction *function = rotator->function;
  uint32_t last = norn_block(function, header)->last;
  unsigned count = 0;
  if (norn_inst(function, last)->op != NORN_OP_BR)
    return false;
  /* A new block at the end of an edge is the latch of an enclosing loop. */
  norn_for_each_edge (function, last, edge)
    if (edge.block < rotator->dominance->block_count &&
        norn_loop_contains(rotator->dominance, header, edge.block)) {
      *stay = edge;
      count++;
    }
  return count == 1 && stay->block != header;
}

/* Whether some iterations end in a jump; *bottom: the last block, in block order, that ends an
 * iteration. */
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

/* Makes the target of the edge the header of the loop instead of the old one. */
static void
move_entry(Rotator *rotator, uint32_t header, NornEdge *stay) {
  NornFunction *function = rotator->function;
  uint32_t mark = norn_block(function, header)->first, to = stay->block;
  if (norn_predecessor_count(rotator->dominance, to) > 1) {
    to = norn_edge_split(function, norn_block(function, header)->last, stay);
    norn_block_copies_place(&rotator->copies, header, to);
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
rotate(Rotator *rotator, uint32_t header, NornEdge *stay, uint32_t bottom) {
  NornFunction *function = rotator->function;
  const NornDominance *dominance = rotator->dominance;
  move_entry(rotator, header, stay);
  /* The copy's operands are the original names until they are repaired. */
  uint32_t latch = norn_block_copies_add(&rotator->copies, header);
  norn_block_copies_add_terminator(&rotator->copies, header, latch);
  norn_block_copies_place(&rotator->copies, bottom, latch);
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
  if (norn_block(rotator->function, header)->parameter_count <= MAX_ROTATED &&
      find_stay(rotator, header, &stay) && is_cheap(rotator->function, header) &&
      ends_in_jump(rotator, header, &bottom) &&
      norn_pass_continues(rotator->context, NORN_MAX_COPIED))
    rotate(rotator, header, &stay, bottom);
}

/* --- Parallel counters --- */

/* A value, or 0, plus a constant. */
typedef struct Step {
  NornRef base; /* 0: none */
  uint32_t constant;
} Step;

static Step
step_of(const NornFunction *function, NornRef ref) {
  const NornModule *module = function->module;
  if (norn_is_constant(ref))
    return (Step){0, (uint32_t)norn_constant_bits(module, ref)};
  const NornInst *inst = norn_defining_inst(function, ref);
  const NornRef *operands = inst ? norn_operands(function, inst) : NULL;
  if (!inst || inst->op != NORN_OP_IADD || inst->type != NORN_TYPE_I32 ||
      !norn_is_constant(operands[1]))
    return (Step){ref, 0};
  return (Step){operands[0], (uint32_t)norn_constant_bits(module, operands[1])};
}

/* Two parameters of a loop header. */
typedef struct CounterPair {
  const NornFunction *function;
  unsigned counter, other;
  uint32_t distance; /* counter - other */
  bool holds;        /* on the edges visited so far */
} CounterPair;

static void
check_distance(void *data, uint32_t terminator, const NornEdge *edge) {
  CounterPair *pair = data;
  const NornRef *arguments =
      norn_operands(pair->function, norn_inst(pair->function, terminator)) + edge->operand + 1;
  Step counter = step_of(pair->function, arguments[pair->counter]);
  Step other = step_of(pair->function, arguments[pair->other]);
  pair->holds &= counter.base == other.base && counter.constant - other.constant == pair->distance;
}

/* If the test of a counter computes its next value, the rotated loop has both, in two parameters
 * that are always the same distance apart. Computes one of them from the other. */
static void
join_counter(NornFunction *function, const NornDominance *dominance, uint32_t header, unsigned k,
             const NornRef *arguments, NornReplacements *replacements) {
  const NornBlock *block = norn_block(function, header);
  Step other = step_of(function, arguments[k]);
  if (!other.base || other.constant ||
      norn_value(function, norn_block_parameter(function, header, k))->type != NORN_TYPE_I32)
    return;
  for (unsigned number = 0; number < block->parameter_count; number++) {
    uint32_t value = norn_block_parameter(function, header, number);
    Step counter = step_of(function, arguments[number]);
    CounterPair pair = {function, number, k, counter.constant, true};
    if (counter.base != other.base || !counter.constant ||
        norn_value(function, value)->type != NORN_TYPE_I32)
      continue;
    norn_for_each_edge_into(function, dominance, header, check_distance, &pair);
    if (!pair.holds)
      continue;
    uint32_t first = block->first;
    if (norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY)
      first = norn_inst(function, first)->next;
    NornBuilder builder = norn_builder_before(function, first);
    NornRef sum = norn_build_iadd(&builder, NORN_TYPE_I32, norn_ref(NORN_REF_VALUE, value),
                                  norn_constant(function->module, (uint32_t)-pair.distance));
    norn_replacements_set(replacements, norn_block_parameter(function, header, k), sum);
    return;
  }
}

/* Visits only one edge, so that no two parameters are computed from each other. */
static void
join_counters(NornFunction *function, const NornDominance *dominance, uint32_t header,
              NornReplacements *replacements) {
  unsigned count = norn_block(function, header)->parameter_count;
  for (uint32_t i = 0; i < norn_predecessor_count(dominance, header); i++) {
    uint32_t latch = norn_predecessor(dominance, header, i);
    if (!norn_loop_contains(dominance, header, latch) || count > MAX_PARAMETERS)
      continue;
    uint32_t last = norn_block_terminator(function, latch);
    norn_for_each_edge (function, last, edge) {
      if (edge.block != header)
        continue;
      for (unsigned k = 0; k < count; k++) {
        const NornRef *operands = norn_operands(function, norn_inst(function, last));
        join_counter(function, dominance, header, k, operands + edge.operand + 1, replacements);
      }
      return;
    }
  }
}

/* --- All loops --- */

/* From the outside in: the latch of a loop may be where an inner loop exits to. */
static void
rotate_all(Rotator *rotator) {
  const NornDominance *dominance = rotator->dominance;
  /* A loop needs at most two new blocks. */
  norn_block_copies_init(&rotator->copies, rotator->context, rotator->function,
                         2 * rotator->function->block_count);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    if (dominance->loop_header[dominance->order[k]] == dominance->order[k])
      try_loop(rotator, dominance->order[k]);
  if (!rotator->changed)
    return;
  norn_block_copies_finish(&rotator->copies);
  NornReplacements replacements = {.arena = &rotator->context->arena};
  dominance = norn_pass_dominance(rotator->context, rotator->function);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    if (dominance->loop_header[dominance->order[k]] == dominance->order[k])
      join_counters(rotator->function, dominance, dominance->order[k], &replacements);
  norn_replacements_apply(&replacements, rotator->function);
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
