/* Splits the first iteration of a loop off where that decides tests: the condition of a branch or
 * selection has one value in the first iteration, and the other one in all later ones.
 *
 *     jump h(true, %0)                       jump h(true, %0)
 *   h(%is_first: i1, %v: i32):             h(...):              ; the first iteration
 *     br %is_first, a, b                     br true, a, b
 *     ...                                    ...
 *     br %more, h(false, %w), out            br %more, c(false, %w), out
 *                                          c(...):              ; the loop
 *                                            br false, d, e
 *                                            ...
 *                                            br %more1, c(false, %w1), out
 *
 * Later passes remove the branches. Lanes reconverge where they did before, as with other copies of
 * whole iterations; see unroll_loops.c. */
#include "ir/ops.h"
#include "passes/optimize/unroll_loops.h"

/* The number of the iteration in which the loop ends, if that is known, and its limit, if it has
 * one; and what was found for the last condition, since several tests in a row often share one. */
typedef struct LoopEnd {
  bool is_known; /* trips and limit are valid */
  NornTripCount trips;
  NornLimit limit;
  NornRef condition;
  bool is_test, first;
} LoopEnd;

static void
find_end(const Unroller *unroller, uint32_t header, LoopEnd *end) {
  if (end->is_known)
    return;
  end->is_known = true;
  if (!norn_unroll_find_trip_count(unroller, header, UNROLL_MAX_EVALUATED, &end->trips))
    end->trips.last = NORN_INDEX_NONE;
  NornNaturalLoop loop = norn_unroll_loop(unroller, header);
  if (!norn_find_limit(&loop, &end->limit))
    end->limit.latch = NORN_INDEX_NONE;
}

/* Whether the condition distinguishes the first iteration from all later ones. */
static bool
decides(const Unroller *unroller, uint32_t header, LoopEnd *end, NornRef condition, bool *first) {
  const NornLimit *limit = end->limit.latch == NORN_INDEX_NONE ? NULL : &end->limit;
  uint64_t work = 0;
  if (end->condition != condition) {
    NornNaturalLoop loop = norn_unroll_loop(unroller, header);
    end->condition = condition;
    end->is_test = norn_tells_first(&loop, condition, end->trips.last, limit, &end->first, &work);
  }
  *first = end->first;
  return norn_pass_continues(unroller->context, work) && end->is_test;
}

static bool
is_bool(const NornFunction *function, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE &&
         norn_value(function, norn_ref_payload(ref))->type == NORN_TYPE_I1;
}

/* Adds the branch or selection to the tests of the loops whose first iteration it recognizes. */
static void
add_test(const Unroller *unroller, LoopEnd *ends, uint32_t block, uint32_t inst) {
  const NornDominance *dominance = unroller->dominance;
  NornRef condition = norn_operand(unroller->function, inst, 0);
  uint32_t header = dominance->loop_header[block];
  if (!is_bool(unroller->function, condition))
    return;
  for (unsigned k = 0; header != NORN_INDEX_NONE && k <= UNROLL_MAX_HEIGHT &&
                       norn_pass_continues(unroller->context, 1);
       k++) {
    FirstTest test = {.inst = inst};
    LoopFacts *facts = &unroller->facts[header];
    if (facts->cost <= unroller->max_cost) {
      find_end(unroller, header, &ends[header]);
      if (decides(unroller, header, &ends[header], condition, &test.first))
        norn_list_push(unroller->arena, &facts->first_tests, test);
    }
    header = dominance->loop_parent[header];
  }
}

/* Finds the tests of the first iteration in all loops. */
static void
find_first_tests(const Unroller *unroller) {
  const NornFunction *function = unroller->function;
  LoopEnd *ends = NORN_NEW0(unroller->arena, LoopEnd, function->block_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      unsigned op = norn_inst(function, inst)->op;
      if (op == NORN_OP_BR || op == NORN_OP_SELECT)
        add_test(unroller, ends, block, inst);
    }
}

/* Plans to split the first iteration off if that decides tests. */
static bool
try_peeling(Unroller *unroller, uint32_t header) {
  UnrollPlan plan = {
      .header = header, .kind = UNROLL_FIRST, .trips.exit = NORN_INDEX_NONE, .last = 1};
  return unroller->facts[header].first_tests.count &&
         norn_unroll_expected(unroller->function, header) > 1 &&
         norn_unroll_add_plan(unroller, &plan, unroller->max_cost);
}

bool
norn_pass_peel_loops(NornPassContext *context, NornFunction *function, GError **error) {
  const UnrollChoice choice = {find_first_tests, try_peeling, context->tuning.peeled_cost};
  (void)error;
  norn_unroll_loops(context, function, &choice);
  return true;
}

/* --- The copy --- */

static void
decide_tests(const Unroller *unroller, const UnrollPlan *plan, bool is_first) {
  const LoopFacts *facts = &unroller->facts[plan->header];
  for (uint32_t k = 0; k < facts->first_tests.count; k++) {
    const FirstTest *test = &facts->first_tests.items[k];
    norn_set_operand(unroller->function, test->inst, 0,
                     norn_constant(unroller->function->module, test->first == is_first));
  }
}

void
norn_unroll_begin_peeling(const Unroller *unroller, const UnrollPlan *plan) {
  decide_tests(unroller, plan, false);
}

void
norn_unroll_end_peeling(const Unroller *unroller, const UnrollPlan *plan) {
  NornFunction *function = unroller->function;
  uint32_t copy = norn_unroll_copy_of(unroller, plan, 1, plan->header);
  NornInst *mark = norn_inst(function, norn_block(function, copy)->first);
  decide_tests(unroller, plan, true);
  if (mark->op == NORN_OP_LOOP_ENTRY)
    mark->payload = norn_set_immediate(mark->payload, NORN_IMMEDIATE_ITERATIONS,
                                       norn_unroll_expected(function, plan->header) - 1);
}
