/* Unrolls loops whose number of iterations is known only at run time, but that end with a test of a
 * counter against a limit (NornLimit).
 *
 * The copies become a loop of their own before the existing one, which remains for the rest. It is
 * entered, and goes on, as long as the tests of all copies but the last are known to succeed, so
 * only the last copy has one. If the number of iterations differs between lanes, these do not
 * execute the same iterations together as before: the loop must not contain anything that observes
 * that.
 *
 *     jump h(%0)                             jump e(%0)
 *   h(%i):                                 e(%k):               ; may four iterations be executed?
 *     ...                                    br %c, c1(%k), h(%k)
 *     %n = iadd %i, 1                      c1(%i1): ... jump c2(%n1)
 *     %t = icmp.ult %n, %limit             c4(%i4): ... br %more, c1(%n4), r
 *     br %t, h(%n), out                    r:
 *                                            br %t4, h(%n4), out
 *                                          h(%i): ...           ; as before */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/optimize/unroll_loops.h"

/* By condition other than NE: the same without the case that both are equal, and the operation that
 * moves a limit toward the counter. */
static const struct {
  uint8_t strict, op;
} nearer[NORN_INT_CONDITION_COUNT] = {
    [NORN_INT_CONDITION_SLT] = {NORN_INT_CONDITION_SLT, NORN_OP_SSUBSAT},
    [NORN_INT_CONDITION_SLE] = {NORN_INT_CONDITION_SLT, NORN_OP_SSUBSAT},
    [NORN_INT_CONDITION_ULT] = {NORN_INT_CONDITION_ULT, NORN_OP_USUBSAT},
    [NORN_INT_CONDITION_ULE] = {NORN_INT_CONDITION_ULT, NORN_OP_USUBSAT},
    [NORN_INT_CONDITION_SGT] = {NORN_INT_CONDITION_SGT, NORN_OP_SADDSAT},
    [NORN_INT_CONDITION_SGE] = {NORN_INT_CONDITION_SGT, NORN_OP_SADDSAT},
    [NORN_INT_CONDITION_UGT] = {NORN_INT_CONDITION_UGT, NORN_OP_UADDSAT},
    [NORN_INT_CONDITION_UGE] = {NORN_INT_CONDITION_UGT, NORN_OP_UADDSAT},
};

/* What build_test compares the counter with: the limit, moved closer by as much as the counter of
 * the last copy is ahead, unless that is beyond what the type can represent, so that the test fails
 * for all values. A limit that the counter may reach is moved by one less, and must not be reached.
 */
static NornRef
build_nearer_limit(NornBuilder *builder, const UnrollPlan *plan) {
  const NornLimit *limit = &plan->limit;
  if (limit->condition == NORN_INT_CONDITION_NE)
    return limit->limit;
  bool is_inclusive = nearer[limit->condition].strict != limit->condition;
  const NornRef operands[] = {
      limit->limit, norn_build_bits(builder, (plan->last - 1) * limit->step - is_inclusive)};
  return norn_build_op(builder, (NornOp)nearer[limit->condition].op, 0, limit->type, NORN_TYPE_VOID,
                       operands, 2);
}

/* Whether the tests in all copies but the last succeed if the counter has this value before the
 * first one, and the test for this value, too. */
static NornRef
build_test(NornBuilder *builder, const UnrollPlan *plan, NornRef counter) {
  const NornLimit *limit = &plan->limit;
  if (limit->condition != NORN_INT_CONDITION_NE)
    return norn_build_icmp(builder, (NornIntCondition)nearer[limit->condition].strict, limit->type,
                           counter, plan->nearer_limit);
  NornRef distance =
      norn_build_isub(builder, limit->type, limit->goes_down ? counter : limit->limit,
                      limit->goes_down ? limit->limit : counter);
  return norn_build_icmp(builder, NORN_INT_CONDITION_UGT, limit->type, distance,
                         norn_build_bits(builder, plan->last - 1));
}

/* Fills the block before the copies, which leads to the first copy or to the existing loop. */
static void
fill_entry(const Unroller *unroller, UnrollPlan *plan) {
  NornFunction *function = unroller->function;
  unsigned count = norn_block(function, plan->header)->parameter_count;
  NornRef *arguments = NORN_NEW(unroller->arena, NornRef, count);
  for (unsigned k = 0; k < count; k++) {
    uint32_t parameter = norn_block_parameter(function, plan->header, k);
    arguments[k] = norn_ref(
        NORN_REF_VALUE,
        norn_block_add_parameter(function, plan->entry, norn_value(function, parameter)->type, 0));
  }
  NornBuilder builder = norn_builder_at_end(function, plan->entry);
  plan->nearer_limit = build_nearer_limit(&builder, plan);
  NornRef enters = build_test(&builder, plan, arguments[plan->limit.parameter]);
  uint32_t first = norn_unroll_copy_of(unroller, plan, 1, plan->header);
  norn_build_br(&builder, enters, (NornBranch){norn_ref(NORN_REF_BLOCK, first), count, arguments},
                (NornBranch){norn_ref(NORN_REF_BLOCK, plan->header), count, arguments});
}

/* Divides the iterations to expect among the copies and the existing loop. */
static void
expect_iterations(const UnrollPlan *plan, NornFunction *function, uint32_t first) {
  uint32_t iterations = norn_unroll_expected(function, plan->header);
  NornInst *copies = norn_inst(function, norn_block(function, first)->first);
  NornInst *rest = norn_inst(function, norn_block(function, plan->header)->first);
  copies->payload = norn_set_immediate(copies->payload, NORN_IMMEDIATE_ITERATIONS,
                                       MAX(iterations / plan->last, 1));
  rest->payload =
      norn_set_immediate(rest->payload, NORN_IMMEDIATE_ITERATIONS, iterations % plan->last);
  rest->payload =
      norn_set_immediate(rest->payload, NORN_IMMEDIATE_REST, !(iterations % plan->last));
}

/* Makes the copies a loop, which is entered from plan->entry and left to plan->rest. The branch of
 * the last copy moves there: it leads to the header of the existing loop or out. */
void
norn_unroll_make_loop(const Unroller *unroller, UnrollPlan *plan) {
  NornFunction *function = unroller->function;
  uint32_t first = norn_unroll_copy_of(unroller, plan, 1, plan->header);
  uint32_t latch = norn_unroll_copy_of(unroller, plan, plan->last, plan->limit.latch);
  uint32_t branch = norn_block(function, latch)->last;
  plan->entry = norn_block_create_detached(function, 0);
  plan->rest = norn_block_create_detached(function, 0);
  norn_block(function, plan->entry)->line = norn_block(function, plan->header)->line;
  norn_block(function, plan->rest)->line = norn_block(function, plan->limit.latch)->line;
  fill_entry(unroller, plan);
  NornBuilder builder = norn_builder_at_end(function, plan->rest);
  norn_builder_insert(&builder, branch);
  builder = norn_builder_at_end(function, latch);
  norn_for_each_edge (function, branch, edge) {
    if (edge.block != plan->header)
      continue;
    const NornRef *arguments =
        norn_operands(function, norn_inst(function, branch)) + edge.operand + 1;
    norn_build_br(&builder, build_test(&builder, plan, arguments[plan->limit.parameter]),
                  (NornBranch){norn_ref(NORN_REF_BLOCK, first), edge.argument_count, arguments},
                  (NornBranch){norn_ref(NORN_REF_BLOCK, plan->rest), 0, NULL});
  }
  for (uint32_t k = 0; k < norn_predecessor_count(unroller->dominance, plan->header); k++) {
    uint32_t from = norn_predecessor(unroller->dominance, plan->header, k);
    uint32_t last = norn_block(function, from)->last;
    if (norn_loop_contains(unroller->dominance, plan->header, from))
      continue;
    norn_for_each_edge (function, last, edge)
      if (edge.block == plan->header)
        norn_set_operand(function, last, edge.operand, norn_ref(NORN_REF_BLOCK, plan->entry));
  }
  expect_iterations(plan, function, first);
}
