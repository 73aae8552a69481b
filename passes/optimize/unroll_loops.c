/* Unrolls loops: replaces loops with a known number of iterations by that many copies of their
 * blocks. This file chooses the loops; unroll_copies.c makes the copies.
 *
 * A function qualifies if each of its loops has one entry: an edge that is removed might otherwise
 * be one of several into another loop, whose lanes would reconverge elsewhere without it. A loop
 * qualifies if it is known in which iteration some exit leaves it (ir/analysis/trip_count.h), and
 * if the copies are few or small enough.
 *
 * If the iterations are too many for that, `unroll-partially` makes copies of a few iterations, by
 * whose number theirs is divisible.
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
#include "ir/ops.h"

/* Maximum number of iterations. Other compilers stop at 32; hash functions have 64 and 80. */
#define MAX_ITERATIONS 80
/* Maximum number of instructions that a loop normally may become: unrolling saves a test and a step
 * per iteration and makes addresses constant, which matters little if an iteration is long. */
#define MAX_COST 256
/* The same if loads of several iterations become one. */
#define MAX_COST_WITH_NEIGHBORS 768
/* The same if the loop is marked `unroll:always`, or if an array of the shader is indexed by a
 * counter: with constant indexes it can be kept in registers, while each access is a message
 * otherwise. SHA-256 takes 6000. */
#define MAX_COST_WITH_ARRAYS 8192
/* Maximum number of instructions of a function in which loops are unrolled. */
#define MAX_IN_FUNCTION 16384
/* The usual number of iterations that become the new one. */
#define PARTIAL_FACTOR 4
/* Maximum number of parameters of a header among which counters are searched for. */
#define MAX_PARAMETERS 64
/* Maximum number of steps from an address to its alloca, and from an exit to the header. */
#define MAX_STEPS 16

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

static bool
reads_texture(const NornInst *inst) {
  return !norn_is_machine(inst) && norn_ops[inst->op].modifier == NORN_MODIFIER_DIMENSION;
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

/* Whether a load of `bytes` bytes from the address is followed in memory by that of the next
 * iteration, so that the copies become one message. */
static bool
has_neighbor(const Unroller *unroller, uint32_t header, NornRef address, unsigned bytes) {
  const NornFunction *function = unroller->function;
  NornNaturalLoop loop = norn_unroll_loop(unroller, header);
  unsigned shift = 0;
  int64_t step;
  for (unsigned k = 0; k < MAX_STEPS && shift < 8; k++) {
    if (norn_find_step(&loop, address, &step))
      return (uint64_t)(step < 0 ? -step : step) << shift == bytes;
    const NornInst *inst = norn_defining_inst(function, address);
    const NornRef *operands = inst ? norn_operands(function, inst) : NULL;
    if (!inst)
      return false;
    switch (inst->op) {
    case NORN_OP_IADD:
      address = norn_is_counted(&loop, operands[0]) ? operands[0] : operands[1];
      break;
    case NORN_OP_SHL:
      if (!norn_is_constant(operands[1]))
        return false;
      shift += (unsigned)norn_constant_bits(function->module, operands[1]);
      address = operands[0];
      break;
    case NORN_OP_SHLADD:
      shift += (unsigned)norn_constant_bits(function->module, operands[2]);
      address = operands[1];
      break;
    default:
      return false;
    }
  }
  return false;
}

/* The header of the loop whose counters alone, besides constants, the operands depend on; or
 * NORN_INDEX_NONE. */
static uint32_t
counted_operands(const Unroller *unroller, const NornInst *inst) {
  const NornRef *operands = norn_operands(unroller->function, inst);
  uint32_t header = NORN_INDEX_NONE;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (norn_is_constant(operands[k]))
      continue;
    uint32_t own = norn_ref_kind(operands[k]) == NORN_REF_VALUE
                       ? unroller->counted[norn_ref_payload(operands[k])]
                       : NORN_INDEX_NONE;
    if (own == NORN_INDEX_NONE || (header != NORN_INDEX_NONE && header != own))
      return NORN_INDEX_NONE;
    header = own;
  }
  return header;
}

/* Finds the values that depend on nothing but counters of one loop. Definitions are visited before
 * uses. */
static void
find_counted(Unroller *unroller) {
  const NornFunction *function = unroller->function;
  const NornDominance *dominance = unroller->dominance;
  unroller->counted = norn_arena_indexes(unroller->arena, function->value_count);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k];
    NornNaturalLoop loop = norn_unroll_loop(unroller, block);
    unsigned parameters =
        dominance->loop_header[block] == block ? norn_block(function, block)->parameter_count : 0;
    for (unsigned p = 0; parameters <= MAX_PARAMETERS && p < parameters; p++) {
      uint32_t value = norn_block_parameter(function, block, p);
      if (norn_is_counted(&loop, norn_ref(NORN_REF_VALUE, value)))
        unroller->counted[value] = block;
    }
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      uint32_t header = norn_is_machine(inst) || norn_ops[inst->op].flags & NORN_OP_NO_FUNCTION
                            ? NORN_INDEX_NONE
                            : counted_operands(unroller, inst);
      for (unsigned r = 0; r < inst->result_count; r++)
        unroller->counted[inst->result + r] = header;
    }
  }
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
    facts->has_textures |= reads_texture(inst);
    facts->counted +=
        !costs_nothing(inst) && inst->result_count && unroller->counted[inst->result] == header;
    if ((is_store || inst->op == NORN_OP_LOAD_SCRATCH) && !facts->has_arrays &&
        facts->size <= MAX_IN_FUNCTION)
      facts->has_arrays =
          is_indexed_by_counter(unroller, header, norn_operand(function, index, is_store));
    bool is_load = norn_ops[inst->op].flags & NORN_OP_SPACES && inst->result_count &&
                   !(norn_ops[inst->op].flags & NORN_OP_WRITES_MEMORY);
    bool may_matter = !facts->has_neighbors && facts->cost <= MAX_COST_WITH_NEIGHBORS;
    if (is_load && may_matter && norn_type_words(inst->type) <= 2)
      facts->has_neighbors = has_neighbor(
          unroller, header, norn_operand(function, index, norn_address_operand(inst->op)),
          norn_type_bits(inst->type) / 8);
  }
}

/* Measures all loops. Blocks are visited before those that dominate them, and so are inner headers
 * before outer ones. */
static void
measure_loops(Unroller *unroller) {
  const NornDominance *dominance = unroller->dominance;
  find_counted(unroller);
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
    outer->has_textures |= inner->has_textures;
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

/* Tests and steps become constant, so their copies do not count, nor does anything else that only
 * depends on counters if the loop disappears. It does count in a loop that reads textures: these
 * take most of the time, and texels of several iterations many registers. */
bool
norn_unroll_add_plan(Unroller *unroller, const UnrollPlan *plan, uint32_t max_cost) {
  const LoopFacts *facts = &unroller->facts[plan->header];
  uint64_t added = (uint64_t)facts->size * plan->last;
  bool counts_all = plan->kind != UNROLL_FULLY || facts->has_textures;
  uint32_t constant = MAX(plan->trips.cost, counts_all ? 0 : facts->counted) + 1;
  uint32_t cost = facts->cost - MIN(facts->cost, constant);
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
try_fully(Unroller *unroller, uint32_t header) {
  const LoopFacts *facts = &unroller->facts[header];
  UnrollPlan plan = {.header = header, .kind = UNROLL_FULLY};
  bool may_be_long =
      facts->has_arrays || norn_loop_hints(unroller->function, header).unroll == NORN_UNROLL_ALWAYS;
  uint32_t max_cost = may_be_long ? MAX_COST_WITH_ARRAYS : unroller->max_cost;
  if (facts->has_neighbors)
    max_cost = MAX(max_cost, MAX_COST_WITH_NEIGHBORS);
  if (facts->height > UNROLL_MAX_HEIGHT || facts->size > MAX_IN_FUNCTION ||
      !norn_unroll_find_trip_count(unroller, header, MAX_ITERATIONS, &plan.trips) ||
      !keeps_loops_around(unroller, &plan))
    return false;
  plan.last = plan.trips.last;
  return norn_unroll_add_plan(unroller, &plan, max_cost);
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
    if (iterations % count == 0 && norn_unroll_add_plan(unroller, &plan, unroller->max_cost))
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
    if (norn_unroll_add_plan(unroller, &plan, unroller->max_cost))
      return true;
  return false;
}

static bool
try_either(Unroller *unroller, uint32_t header) {
  return try_partially(unroller, header) || try_with_limit(unroller, header);
}

/* Visits the innermost loops first. */
static void
find_plans(Unroller *unroller, const UnrollChoice *choice) {
  const NornDominance *dominance = unroller->dominance;
  for (uint32_t k = dominance->order_count; k-- > 0;) {
    uint32_t header = dominance->order[k], around = dominance->loop_parent[header];
    LoopFacts *facts = &unroller->facts[header];
    if (dominance->loop_header[header] != header || !norn_pass_continues(unroller->context, 1))
      continue;
    if (!facts->has_plan_inside &&
        norn_loop_hints(unroller->function, header).unroll != NORN_UNROLL_NEVER &&
        choice->try_loop(unroller, header))
      facts->plan = unroller->plans.count;
    if (around != NORN_INDEX_NONE && (facts->plan || facts->has_plan_inside))
      unroller->facts[around].has_plan_inside = true;
  }
}

void
norn_unroll_loops(NornPassContext *context, NornFunction *function, const UnrollChoice *choice) {
  Unroller unroller = {.context = context,
                       .arena = &context->arena,
                       .function = function,
                       .dominance = norn_pass_dominance(context, function),
                       .max_cost = norn_tuned(choice->max_cost, MAX_COST),
                       .factor = norn_tuned(context->tuning.unroll_factor, PARTIAL_FACTOR)};
  if (norn_has_loops(unroller.dominance) && norn_loops_have_one_entry(unroller.dominance)) {
    unroller.facts = NORN_NEW0(unroller.arena, LoopFacts, function->block_count);
    norn_for_each_block (function, block)
      norn_for_each_inst (function, block, inst)
        unroller.size++;
    measure_loops(&unroller);
    if (choice->measure)
      choice->measure(&unroller);
    find_plans(&unroller, choice);
    if (unroller.plans.count)
      norn_unroll_make_copies(&unroller);
  }
  norn_pass_report(context, unroller.plans.count > 0);
}

bool
norn_pass_unroll_loops(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const UnrollChoice choice = {.try_loop = try_fully, .max_cost = context->tuning.unrolled_cost};
  norn_unroll_loops(context, function, &choice);
  return true;
}

bool
norn_pass_unroll_partially(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const UnrollChoice choice = {.try_loop = try_either, .max_cost = context->tuning.unrolled_cost};
  norn_unroll_loops(context, function, &choice);
  return true;
}
