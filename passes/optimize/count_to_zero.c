/* Makes loops count in the steps that they need, and to zero.
 *
 * A counter whose only use is to be shifted left, always by the same amount, counts in shifted
 * steps instead: this saves the shift in each iteration. Its initial value and its limit are
 * constants, so none of its values loses bits.
 *
 * A branch can test directly whether a word is zero, so a counter that ends at zero needs no
 * comparison.
 *
 *   jump loop(%first)                       %m = isub %first, %n
 *                                           %t = iadd %start, %n
 *                                           jump loop(%m)
 *   loop(%i):                               loop(%i):
 *     %s = iadd %i, %start                    %s = iadd %i, %t
 *     %k = iadd %i, 1                         %k = iadd %i, 1
 *     %c = icmp.slt %k, %n                    %c = icmp.ne %k, 0
 *     br %c, loop(%k), out                    br %c, loop(%k), out
 *
 * The end is subtracted from the counter. The counter has one back edge, which adds a constant to
 * it and is taken while the counter has not reached its end: while the two differ, or while the
 * counter is before the end if it is known to begin before the end and cannot step over it. In the
 * loop the counter is only added to loop-invariant values, to which the end is added in exchange.
 * That is computed in the preheader; it should cost no more than a few iterations save, and there
 * must be registers for it. */
#include "ir/builder.h"
#include "ir/evaluate.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/loop_registers.h"

#define MAX_SUMS 2       /* values that the counter is added to */
#define MAX_USES 8       /* of the counter */
#define MAX_GUARDS 4     /* branches examined before a loop */
#define MAX_TESTS 3      /* conditions that such a branch combines */
#define MIN_ITERATIONS 4 /* of a loop for which something is computed in the preheader */

/* An operand of an instruction that is the counter. */
typedef struct CounterUse {
  uint32_t inst, operand;
} CounterUse;

typedef struct LoopCounter {
  uint32_t header, preheader;
  uint32_t value;     /* the parameter */
  unsigned parameter; /* its number */
  uint32_t next;      /* the value of the next iteration */
  uint32_t test;      /* the comparison */
  NornRef first, end;
  bool stays_if;       /* the loop continues if the test holds */
  uint64_t iterations; /* 0: unknown */
  CounterUse uses[MAX_USES];
  unsigned use_count;
  bool is_used_otherwise;
  uint32_t shifts[MAX_USES]; /* instructions that shift it left, */
  unsigned shift_count;
  uint32_t shift; /* by this amount; 0: amounts differ */
} LoopCounter;

typedef struct Counting {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NORN_LIST(LoopCounter) counters;
  uint32_t *counter_of; /* by value that is a counter or its next value: the counter's number + 1 */
  const uint32_t *uses; /* by value */
  uint32_t value_count; /* of both arrays */
  NornLoopRegisters loops; /* `needed` is NULL: not yet known */
  NornReplacements replacements;
  bool changed;
} Counting;

static bool
get_constant(const Counting *pass, NornRef ref, uint32_t *bits) {
  bool is_constant = norn_is_constant(ref);
  *bits = is_constant ? (uint32_t)norn_constant_bits(pass->function->module, ref) : 0;
  return is_constant;
}

static NornRef
number(const Counting *pass, uint32_t bits) {
  return norn_constant(pass->function->module, bits);
}

static bool
is_outside(const Counting *pass, uint32_t header, NornRef ref) {
  return !norn_loop_defines(pass->dominance, pass->function, header, ref);
}

/* The definition of `ref` if it is the given operation on words; else NULL. */
static const NornInst *
definition_by(const Counting *pass, NornRef ref, unsigned op) {
  const NornInst *inst = norn_defining_inst(pass->function, ref);
  return inst && inst->op == op && inst->type == NORN_TYPE_I32 ? inst : NULL;
}

/* --- Facts known at loop entry --- */

/* Whether the comparison `holds` of `left` and `right` implies that `first` is before `end`: that
 * the condition `before`, which is strict, holds for them. */
static bool
says_before(const Counting *pass, unsigned holds, NornRef left, NornRef right, unsigned before,
            NornRef first, NornRef end) {
  if (holds == before && left == first && right == end)
    return true;
  /* Constants are on the right. */
  uint32_t from, limit;
  if (left != end || !get_constant(pass, first, &from) || !get_constant(pass, right, &limit))
    return left == end && right == first && holds == norn_swapped_int_condition(before);
  unsigned after = norn_swapped_int_condition(before);
  if (holds == after)
    return !norn_int_condition_holds(after, from, limit, 32);
  if (holds == norn_inverse_int_condition(before)) /* the end is not before the limit */
    return norn_int_condition_holds(before, from, limit, 32);
  return before == NORN_INT_CONDITION_ULT && holds == NORN_INT_CONDITION_NE && !from && !limit;
}

/* Whether the condition, which is true if `holds` and false otherwise, implies that the counter
 * begins before its end. */
static bool
guards(const Counting *pass, NornRef condition, bool holds, unsigned before,
       const LoopCounter *counter, unsigned tests) {
  const NornInst *inst = norn_defining_inst(pass->function, condition);
  if (!inst || norn_is_machine(inst) || !tests)
    return false;
  const NornRef *operands = norn_operands(pass->function, inst);
  if (inst->type == NORN_TYPE_I1 && inst->op == (holds ? NORN_OP_AND : NORN_OP_OR))
    return guards(pass, operands[0], holds, before, counter, tests - 1) ||
           guards(pass, operands[1], holds, before, counter, tests - 1);
  return inst->op == NORN_OP_ICMP && inst->type == NORN_TYPE_I32 &&
         says_before(pass, holds ? inst->modifier : norn_inverse_int_condition(inst->modifier),
                     operands[0], operands[1], before, counter->first, counter->end);
}

/* Whether the counter is before its end whenever the loop is entered. */
static bool
begins_before(const Counting *pass, const LoopCounter *counter, unsigned before) {
  const NornFunction *function = pass->function;
  uint32_t first, end, block = counter->header, from = counter->preheader;
  if (get_constant(pass, counter->first, &first) && get_constant(pass, counter->end, &end))
    return norn_int_condition_holds(before, first, end, 32);
  for (unsigned k = 0; k < MAX_GUARDS; k++) {
    uint32_t last = norn_block_terminator(function, from);
    if (norn_inst(function, last)->op == NORN_OP_BR) {
      NornEdge edges[2];
      norn_edges_of(function, last, edges);
      if (edges[0].block != edges[1].block &&
          guards(pass, norn_operand(function, last, 0), edges[0].block == block, before, counter,
                 MAX_TESTS))
        return true;
    }
    if (norn_predecessor_count(pass->dominance, from) != 1)
      return false;
    block = from;
    from = norn_predecessor(pass->dominance, from, 0);
  }
  return false;
}

/* --- Finding counters --- */

/* Turns an inclusive limit into an exclusive one; false if that does not exist. */
static bool
exclude_limit(const Counting *pass, unsigned *condition, NornRef *end) {
  uint32_t limit;
  bool is_upper = *condition == NORN_INT_CONDITION_SLE || *condition == NORN_INT_CONDITION_ULE;
  bool is_signed = *condition == NORN_INT_CONDITION_SLE || *condition == NORN_INT_CONDITION_SGE;
  if (!get_constant(pass, *end, &limit))
    return false;
  uint32_t extreme = (is_signed ? (uint32_t)INT32_MIN : 0u) - (is_upper ? 1u : 0u);
  if (limit == extreme)
    return false;
  *end = number(pass, is_upper ? limit + 1 : limit - 1);
  *condition = is_upper    ? is_signed ? NORN_INT_CONDITION_SLT : NORN_INT_CONDITION_ULT
               : is_signed ? NORN_INT_CONDITION_SGT
                           : NORN_INT_CONDITION_UGT;
  return true;
}

/* Finds the value that ends a counter tested with the condition; false if it may step over that. */
static bool
find_end(const Counting *pass, LoopCounter *counter, unsigned condition, uint32_t step) {
  uint32_t first, end;
  bool is_up = (int32_t)step > 0;
  if (condition == NORN_INT_CONDITION_EQ)
    return false;
  if ((condition == NORN_INT_CONDITION_SLE || condition == NORN_INT_CONDITION_ULE ||
       condition == NORN_INT_CONDITION_SGE || condition == NORN_INT_CONDITION_UGE) &&
      !exclude_limit(pass, &condition, &counter->end))
    return false;
  bool is_known = get_constant(pass, counter->first, &first);
  is_known &= get_constant(pass, counter->end, &end);
  if (condition == NORN_INT_CONDITION_NE) {
    if (is_known && step && (end - first) % step == 0)
      counter->iterations = (end - first) / step;
    return true;
  }
  bool is_upper = condition == NORN_INT_CONDITION_SLT || condition == NORN_INT_CONDITION_ULT;
  if (is_upper != is_up || (step != 1 && step != UINT32_MAX) ||
      !begins_before(pass, counter, condition))
    return false;
  if (is_known)
    counter->iterations = is_up ? end - first : first - end;
  return true;
}

/* The only latch of the loop, or NORN_INDEX_NONE; *preheader: the only other predecessor of the
 * header (norn_loop_predecessor). */
static uint32_t
find_latch(const NornDominance *dominance, uint32_t header, uint32_t *preheader) {
  uint32_t latch = NORN_INDEX_NONE;
  *preheader = norn_loop_predecessor(dominance, header);
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, header); k++) {
    uint32_t from = norn_predecessor(dominance, header, k);
    if (from == *preheader)
      continue;
    if (latch != NORN_INDEX_NONE)
      return NORN_INDEX_NONE;
    latch = from;
  }
  return *preheader == NORN_INDEX_NONE ? NORN_INDEX_NONE : latch;
}

/* The argument for parameter k on the block's edge to the header. */
static NornRef
argument_from(const NornFunction *function, uint32_t block, uint32_t header, unsigned k) {
  uint32_t last = norn_block_terminator(function, block);
  norn_for_each_edge (function, last, edge)
    if (edge.block == header)
      return norn_operand(function, last, edge.operand + 1 + k);
  return 0;
}

/* Finds the counter whose test controls the back edge to the header, if there is one. */
static void
find_counter(Counting *pass, uint32_t header) {
  NornFunction *function = pass->function;
  LoopCounter counter = {.header = header};
  uint32_t latch = find_latch(pass->dominance, header, &counter.preheader);
  if (latch == NORN_INDEX_NONE)
    return;
  uint32_t last = norn_block_terminator(function, latch), step;
  if (norn_inst(function, last)->op != NORN_OP_BR)
    return;
  NornRef condition = norn_operand(function, last, 0);
  const NornInst *test = definition_by(pass, condition, NORN_OP_ICMP);
  if (!test || pass->uses[test->result] != 1)
    return;
  const NornRef *operands = norn_operands(function, test);
  const NornInst *sum = definition_by(pass, operands[0], NORN_OP_IADD);
  if (!sum || !get_constant(pass, norn_operands(function, sum)[1], &step) ||
      !is_outside(pass, header, operands[1]))
    return;
  NornRef value = norn_operands(function, sum)[0];
  if (norn_ref_kind(value) != NORN_REF_VALUE ||
      !norn_value(function, norn_ref_payload(value))->is_parameter ||
      norn_value(function, norn_ref_payload(value))->def != header)
    return;
  counter.value = norn_ref_payload(value);
  counter.next = norn_ref_payload(operands[0]);
  counter.parameter = norn_value(function, counter.value)->index;
  counter.test = norn_value(function, test->result)->def;
  counter.first = argument_from(function, counter.preheader, header, counter.parameter);
  counter.end = operands[1];
  NornEdge edges[2];
  norn_edges_of(function, last, edges);
  counter.stays_if = edges[0].block == header;
  unsigned holds = counter.stays_if ? test->modifier : norn_inverse_int_condition(test->modifier);
  uint32_t end;
  if (edges[0].block == edges[1].block ||
      argument_from(function, latch, header, counter.parameter) != operands[0] ||
      (get_constant(pass, counter.end, &end) && !end && holds == NORN_INT_CONDITION_NE) ||
      !find_end(pass, &counter, holds, step))
    return;
  norn_list_push(&pass->context->arena, &pass->counters, counter);
  pass->counter_of[counter.value] = pass->counter_of[counter.next] = pass->counters.count;
}

/* --- Uses of counters --- */

/* The counter that the operand is, or whose next value it is; else NULL. */
static LoopCounter *
counter_of(const Counting *pass, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE || norn_ref_payload(ref) >= pass->value_count ||
      !pass->counter_of[norn_ref_payload(ref)])
    return NULL;
  return &pass->counters.items[pass->counter_of[norn_ref_payload(ref)] - 1];
}

/* Records that an instruction shifts the counter, if it does. */
static void
note_shift(const Counting *pass, LoopCounter *counter, const NornInst *inst, unsigned k) {
  uint32_t amount;
  if (inst->op != NORN_OP_SHL || inst->type != NORN_TYPE_I32 || k ||
      counter->shift_count == MAX_USES ||
      !get_constant(pass, norn_operands(pass->function, inst)[1], &amount))
    return;
  counter->shift = !counter->shift_count || counter->shift == amount ? amount : 0;
  counter->shifts[counter->shift_count++] = norn_value(pass->function, inst->result)->def;
}

/* Records how an operand that is a counter is used. */
static void
note_use(const Counting *pass, LoopCounter *counter, uint32_t index, unsigned k) {
  const NornFunction *function = pass->function;
  const NornInst *inst = norn_inst(function, index);
  const NornRef *operands = norn_operands(function, inst);
  if (norn_ref_payload(operands[k]) == counter->next) {
    /* The next value may be used only by the test and the back edge. */
    bool is_back = false;
    if (norn_is_terminator(function, inst))
      norn_for_each_edge (function, index, edge)
        is_back |= edge.block == counter->header && k == edge.operand + 1 + counter->parameter;
    counter->is_used_otherwise |= !is_back && index != counter->test;
  } else if (inst->op == NORN_OP_IADD && inst->result == counter->next) {
    return;
  } else if (counter->use_count == MAX_USES || inst->op != NORN_OP_IADD ||
             inst->type != NORN_TYPE_I32 ||
             !norn_loop_contains(pass->dominance, counter->header, inst->block) ||
             !is_outside(pass, counter->header, operands[1 - k])) {
    counter->is_used_otherwise = true;
    note_shift(pass, counter, inst, k);
  } else {
    counter->uses[counter->use_count++] = (CounterUse){index, k};
  }
}

static void
find_uses(Counting *pass) {
  const NornFunction *function = pass->function;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++) {
        LoopCounter *counter = counter_of(pass, norn_operand(function, inst, k));
        if (counter)
          note_use(pass, counter, inst, k);
      }
}

/* --- Counting in larger steps --- */

/* Whether the constant can be shifted by `amount` without losing bits or changing its sign. */
static bool
can_shift(const Counting *pass, NornRef ref, uint32_t amount, NornRef *shifted) {
  uint32_t bits;
  if (!get_constant(pass, ref, &bits) || amount >= 31 ||
      (int32_t)(bits << amount) >> amount != (int32_t)bits)
    return false;
  *shifted = number(pass, bits << amount);
  return true;
}

/* Whether the condition compares unsigned numbers. */
static bool
is_unsigned(unsigned condition) {
  return condition == NORN_INT_CONDITION_ULT || condition == NORN_INT_CONDITION_ULE ||
         condition == NORN_INT_CONDITION_UGT || condition == NORN_INT_CONDITION_UGE;
}

static void
set_first(const Counting *pass, LoopCounter *counter, NornRef first) {
  NornFunction *function = pass->function;
  uint32_t last = norn_block_terminator(function, counter->preheader);
  norn_for_each_edge (function, last, edge)
    if (edge.block == counter->header)
      norn_set_operand(function, last, edge.operand + 1 + counter->parameter, first);
  counter->first = first;
}

/* Whether the counter runs from its first value to its end, as signed numbers, without wrapping. */
static bool
does_not_wrap(const Counting *pass, const LoopCounter *counter, NornRef step) {
  uint32_t first, end, by;
  return get_constant(pass, counter->first, &first) && get_constant(pass, counter->end, &end) &&
         get_constant(pass, step, &by) &&
         (int64_t)(int32_t)end - (int32_t)first == (int64_t)counter->iterations * (int32_t)by;
}

/* Makes a counter that is only shifted and tested count in shifted steps; false if it is not such a
 * counter. */
static bool
scale_counter(Counting *pass, LoopCounter *counter) {
  NornFunction *function = pass->function;
  uint32_t sum = norn_value(function, counter->next)->def, bits;
  NornRef first, limit, end, step;
  if (!counter->shift || !counter->iterations ||
      !does_not_wrap(pass, counter, norn_operand(function, sum, 1)) ||
      pass->uses[counter->value] != counter->shift_count + 1 || pass->uses[counter->next] != 2 ||
      !can_shift(pass, counter->first, counter->shift, &first) ||
      !can_shift(pass, norn_operand(function, counter->test, 1), counter->shift, &limit) ||
      !can_shift(pass, counter->end, counter->shift, &end) ||
      !can_shift(pass, norn_operand(function, sum, 1), counter->shift, &step))
    return false;
  if (is_unsigned(norn_inst(function, counter->test)->modifier) &&
      ((get_constant(pass, first, &bits) && (int32_t)bits < 0) ||
       (get_constant(pass, limit, &bits) && (int32_t)bits < 0)))
    return false;
  set_first(pass, counter, first);
  counter->end = end;
  norn_set_operand(function, counter->test, 1, limit);
  norn_set_operand(function, sum, 1, step);
  for (unsigned k = 0; k < counter->shift_count; k++) {
    norn_replacements_set(&pass->replacements, norn_inst(function, counter->shifts[k])->result,
                          norn_ref(NORN_REF_VALUE, counter->value));
    norn_inst_erase(function, counter->shifts[k]);
  }
  return true;
}

/* --- Counting to zero --- */

/* The operand that a use adds to the counter. */
static NornRef
other_operand(const Counting *pass, const CounterUse *use) {
  return norn_operand(pass->function, use->inst, 1 - use->operand);
}

/* The number of different values added to the counter to which adding the end takes an
 * instruction. */
static unsigned
count_sums(const Counting *pass, const LoopCounter *counter) {
  unsigned count = 0;
  uint32_t bits;
  bool is_constant = get_constant(pass, counter->end, &bits);
  for (unsigned k = 0; k < counter->use_count; k++) {
    NornRef other = other_operand(pass, &counter->uses[k]);
    bool is_new = !(is_constant && get_constant(pass, other, &bits));
    for (unsigned n = 0; n < k; n++)
      is_new &= other_operand(pass, &counter->uses[n]) != other;
    count += is_new;
  }
  return count;
}

/* Whether there are registers for `words` more words in the loop. */
static bool
has_room(Counting *pass, uint32_t header, unsigned words) {
  if (!pass->loops.needed)
    pass->loops = norn_loop_registers(pass->context, pass->function);
  return norn_loop_has_room(&pass->loops, header, norn_registers_of_words(pass->context, words));
}

static bool
is_worth_it(Counting *pass, const LoopCounter *counter) {
  uint32_t bits;
  unsigned sums = count_sums(pass, counter);
  unsigned more = sums + !(get_constant(pass, counter->first, &bits));
  return sums <= MAX_SUMS &&
         (!more || !counter->iterations || counter->iterations >= MIN_ITERATIONS) &&
         (!sums || has_room(pass, counter->header, sums));
}

/* The sum or difference, computed in the preheader. */
static NornRef
compute(const Counting *pass, const LoopCounter *counter, NornOp op, NornRef a, NornRef b) {
  NornFunction *function = pass->function;
  uint32_t x, y;
  if (get_constant(pass, a, &x) && get_constant(pass, b, &y))
    return number(pass, op == NORN_OP_IADD ? x + y : x - y);
  if (get_constant(pass, b, &y) && !y)
    return a;
  if (op == NORN_OP_IADD && get_constant(pass, a, &x) && !x)
    return b;
  if (op == NORN_OP_ISUB && get_constant(pass, b, &y))
    return compute(pass, counter, NORN_OP_IADD, a, number(pass, 0 - y));
  NornBuilder builder =
      norn_builder_before(function, norn_block_terminator(function, counter->preheader));
  NornRef operands[2] = {a, b};
  return norn_build_op(&builder, op, 0, NORN_TYPE_I32, NORN_TYPE_VOID, operands, 2);
}

static void
count_to_zero(Counting *pass, LoopCounter *counter) {
  NornFunction *function = pass->function;
  NornRef others[MAX_USES], sums[MAX_USES];
  unsigned count = 0;
  for (unsigned k = 0; k < counter->use_count; k++) {
    const CounterUse *use = &counter->uses[k];
    NornRef other = other_operand(pass, use);
    unsigned n = 0;
    while (n < count && others[n] != other)
      n++;
    if (n == count) {
      others[count] = other;
      sums[count++] = compute(pass, counter, NORN_OP_IADD, other, counter->end);
    }
    norn_set_operand(function, use->inst, 1 - use->operand, sums[n]);
  }
  set_first(pass, counter, compute(pass, counter, NORN_OP_ISUB, counter->first, counter->end));
  norn_set_operand(function, counter->test, 1, number(pass, 0));
  norn_inst(function, counter->test)->modifier =
      counter->stays_if ? NORN_INT_CONDITION_NE : NORN_INT_CONDITION_EQ;
  pass->changed = true;
}

/* Scales all counters that can be scaled; if there are any, finds the uses of all counters
 * again. */
static void
scale_counters(Counting *pass) {
  NornPassContext *context = pass->context;
  bool any = false;
  for (uint32_t k = 0; k < pass->counters.count; k++)
    any |= norn_pass_continues(context, MAX_USES) && scale_counter(pass, &pass->counters.items[k]);
  if (!any)
    return;
  for (uint32_t k = 0; k < pass->counters.count; k++) {
    LoopCounter *counter = &pass->counters.items[k];
    counter->first = norn_replacements_get(&pass->replacements, counter->first);
    counter->end = norn_replacements_get(&pass->replacements, counter->end);
  }
  norn_replacements_apply(&pass->replacements, pass->function);
  pass->uses = norn_pass_use_counts(context, pass->function);
  for (uint32_t k = 0; k < pass->counters.count; k++) {
    pass->counters.items[k].use_count = pass->counters.items[k].shift_count = 0;
    pass->counters.items[k].is_used_otherwise = false;
  }
  find_uses(pass);
  pass->changed = true;
}

static void
count_all(Counting *pass) {
  const NornDominance *dominance = pass->dominance;
  for (uint32_t k = 0; k < dominance->order_count; k++)
    if (dominance->loop_header[dominance->order[k]] == dominance->order[k])
      find_counter(pass, dominance->order[k]);
  if (!pass->counters.count)
    return;
  find_uses(pass);
  scale_counters(pass);
  for (uint32_t k = 0; k < pass->counters.count; k++) {
    LoopCounter *counter = &pass->counters.items[k];
    if (!counter->is_used_otherwise && norn_pass_continues(pass->context, MAX_USES) &&
        is_worth_it(pass, counter))
      count_to_zero(pass, counter);
  }
}

bool
norn_pass_count_to_zero(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Counting pass = {.context = context,
                   .function = function,
                   .dominance = norn_pass_dominance(context, function),
                   .replacements.arena = &context->arena};
  if (norn_has_loops(pass.dominance) && norn_loops_have_one_entry(pass.dominance)) {
    pass.value_count = function->value_count;
    pass.uses = norn_pass_use_counts(context, function);
    pass.counter_of = NORN_NEW0(&context->arena, uint32_t, pass.value_count);
    count_all(&pass);
  }
  norn_pass_report(context, pass.changed);
  return true;
}
