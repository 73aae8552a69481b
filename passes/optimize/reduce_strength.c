/* Strength reduction: a value that grows by the same amount in each iteration of a loop is
 * incremented instead of being computed from the counter.
 *
 *   loop(%i):                               loop(%i, %a):
 *     %m = imul %i, fau.stride
 *     %s = iadd %m, %start
 *     %a = shl %s, 2
 *     load %a                                 load %a
 *     %n = iadd %i, 1                         %n = iadd %i, 1
 *                                             %b = iadd %a, %step
 *     br %c, loop(%n), out                    br %c, loop(%n, %b), out
 *
 * A counter is a parameter of the loop header that all back edges increase by the same amount. A
 * value is linear if it is a counter, or a sum, difference or product of linear values of one
 * counter and loop invariants, where a product has only one linear factor. All of this is modulo
 * 2^32, as the instructions are, so the results have the same bits. The initial value and the step
 * of a linear value are computed in the preheader.
 *
 * A 64-bit address is also linear if its index is linear and does not wrap (NORN_INST_NOWRAP): if
 * each iteration loads from the address, it is less than 2^31 away from that of the previous
 * iteration. Loops that write memory keep their addresses unchanged, since the uniform that an
 * address is based on tells which memory it cannot alias (NornMemoryAccess.root).
 *
 * The change pays if it removes more than it adds: the instructions that only the value needs,
 * against one addition in each iteration and the instructions in the preheader. A value that a
 * store reads stays, since the addition would have to wait for the store. The values of a loop are
 * tried from the last one to the first, so the end of a chain comes before its parts, and parts
 * that several chains share come after the chains. A new counter takes a register, and so does its
 * step if that is computed; these registers must be free. Values of one counter that are computed
 * in the same way, in blocks that do not dominate each other, become one new counter.
 *
 * Loops are processed from the inside out: the initial value of an inner loop may be linear in the
 * outer one. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/optimize/linear_values.h"
#include <string.h>

#define MAX_LEVELS 3 /* of loops for which a block is examined: its own and those around it */

/* --- Profitability --- */

/* Whether the branch at the end of the iteration, and nothing else, compares the value with a loop
 * invariant. If that is a constant, a counter that is only shifted needs no counter beside it
 * (count-to-zero). */
static bool
is_tested(const StrengthReduction *pass, NornRef value, bool is_only_shifted) {
  const NornFunction *function = pass->function;
  const NornInst *branch = norn_inst(function, norn_block_terminator(function, pass->latch));
  if (branch->op != NORN_OP_BR)
    return false;
  NornRef condition = norn_linear_operand(pass, branch, 0);
  const NornInst *test = norn_defining_inst(function, condition);
  if (!test || test->op != NORN_OP_ICMP || pass->uses[norn_ref_payload(condition)] != 1 ||
      norn_linear_operand(pass, test, 0) != value)
    return false;
  NornRef limit = norn_linear_operand(pass, test, 1);
  return norn_linear_is_fixed(pass, limit) && !(is_only_shifted && norn_is_constant(limit));
}

/* The number of instructions removed together with the counter of the value, which would lose
 * `uses` uses. This is the addition that makes its next value, if that has no other uses (*freed:
 * the counter need not live in the loop then), or the comparison of the next value, because the
 * counter can count to zero, if it only indexes addresses. */
static unsigned
count_with_counter(const StrengthReduction *pass, NornRef value, unsigned uses, unsigned *freed) {
  uint32_t counter = norn_linear_facts(pass, value)->counter;
  if (norn_predecessor_count(pass->dominance, pass->header) != 2) /* more than one back edge */
    return 0;
  NornRef sum = norn_replacements_get(&pass->replacements, pass->facts[counter].next);
  if (!sum || sum == value)
    return 0;
  unsigned of_sum = pass->uses[norn_ref_payload(sum)];
  if (of_sum == 1) {
    bool goes = pass->uses[counter] == uses + 1;
    *freed += goes;
    return goes;
  }
  return of_sum == 2 && pass->uses[counter] == pass->facts[counter].addresses + 1 &&
         is_tested(pass, sum,
                   norn_value(pass->function, norn_ref_payload(value))->type == NORN_TYPE_I32);
}

/* The number of instructions of the loop that are removed if the value becomes a counter. *freed:
 * the number of values that then need not live in all of the loop. */
static unsigned
count_chain(const StrengthReduction *pass, NornRef top, unsigned *freed) {
  /* An instruction of a chain has at most two operands that are values: shifts are constants. */
  enum { VALUES = 2 };
  uint32_t chain[MAX_CHAIN] = {norn_ref_payload(top)}, claimed[VALUES * MAX_CHAIN];
  unsigned count = 1, claims = 0, of_counter = 0;
  *freed = 0;
  for (unsigned n = 0; n < count; n++) {
    const NornInst *inst = norn_inst(pass->function, norn_value(pass->function, chain[n])->def);
    for (unsigned k = 0; k < inst->operand_count; k++) {
      NornRef ref = norn_linear_operand(pass, inst, k);
      uint32_t value = norn_ref_payload(ref);
      const ValueFacts *facts = norn_linear_facts(pass, ref);
      if (norn_ref_kind(ref) != NORN_REF_VALUE)
        continue;
      if (facts && !facts->depth) {
        of_counter++;
        continue;
      }
      NORN_ASSERT(claims < G_N_ELEMENTS(claimed));
      claimed[claims++] = value;
      if (++pass->facts[value].claimed != pass->uses[value])
        continue;
      if (norn_linear_is_fixed(pass, ref))
        ++*freed;
      else if (count < MAX_CHAIN)
        chain[count++] = value;
    }
  }
  while (claims)
    pass->facts[claimed[--claims]].claimed = 0;
  return count + count_with_counter(pass, top, of_counter, freed);
}

/* --- Replacing --- */

/* Erases an instruction whose result has no uses left, and the instructions that only it needed. */
static void
erase(StrengthReduction *pass, uint32_t index) {
  NornFunction *function = pass->function;
  const NornInst inst = *norn_inst(function, index);
  NornRef *operands = NORN_NEW(&pass->context->arena, NornRef, inst.operand_count);
  for (unsigned k = 0; k < inst.operand_count; k++)
    operands[k] = norn_linear_operand(pass, &inst, k);
  norn_inst_erase(function, index);
  for (unsigned k = 0; k < inst.operand_count; k++) {
    if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(operands[k]);
    const ValueFacts *facts = norn_linear_facts(pass, operands[k]);
    if (!--pass->uses[value] && facts && facts->depth)
      erase(pass, norn_value(function, value)->def);
  }
}

/* Passes the initial value to the last parameter of the header, and on back edges the incremented
 * one. */
static void
feed(StrengthReduction *pass, NornRef parameter, NornRef begin, NornRef step, NornRef shift) {
  NornFunction *function = pass->function;
  const NornDominance *dominance = pass->dominance;
  for (uint32_t p = 0; p < norn_predecessor_count(dominance, pass->header); p++) {
    uint32_t from = norn_predecessor(dominance, pass->header, p);
    bool is_done = false;
    for (uint32_t n = 0; n < p; n++)
      is_done |= norn_predecessor(dominance, pass->header, n) == from;
    if (is_done)
      continue;
    NornRef argument = begin;
    uint32_t last = norn_block_terminator(function, from);
    if (from != pass->preheader) {
      NornBuilder builder = norn_builder_before(function, last);
      argument = shift ? norn_build_op(&builder, NORN_OP_SHLADD, NORN_EXTEND_S32, NORN_TYPE_I64,
                                       NORN_TYPE_VOID, (NornRef[]){parameter, step, shift}, 3)
                       : norn_build_iadd(&builder, NORN_TYPE_I32, parameter, step);
      norn_linear_count_uses(pass, norn_builder_last(&builder));
    }
    norn_for_each_edge (function, last, edge)
      if (edge.block == pass->header)
        norn_inst_splice_operands(function, last, edge.operand + 1 + edge.argument_count, 0,
                                  &argument, 1);
    if (norn_ref_kind(argument) == NORN_REF_VALUE)
      pass->uses[norn_ref_payload(argument)]++;
  }
}

/* The counter that is the index of the address loses an address. */
static void
forget_address(StrengthReduction *pass, const NornInst *inst) {
  ValueFacts *index = norn_linear_index(pass, inst);
  if (index && norn_linear_facts(pass, norn_ref(NORN_REF_VALUE, inst->result))->is_accessed)
    index->addresses -= !index->depth;
}

/* Replaces equal values, in blocks that do not dominate each other, by this one. */
static void
merge_equal(StrengthReduction *pass, NornRef ref) {
  NornFunction *function = pass->function;
  NornRef other = pass->alike[norn_linear_facts(pass, ref)->hash % ALIKE_LISTS];
  for (; other; other = pass->facts[norn_ref_payload(other)].previous) {
    uint32_t value = norn_ref_payload(other), index = norn_value(function, value)->def;
    const NornInst *inst = norn_inst(function, index);
    if (other == ref || inst->op == NORN_OP_NONE || pass->facts[value].is_stored ||
        !norn_linear_equal(pass, ref, other))
      continue;
    forget_address(pass, inst);
    pass->uses[norn_ref_payload(ref)] += pass->uses[value];
    erase(pass, index);
    norn_replacements_set(&pass->replacements, value, ref);
  }
}

/* Turns the value into a counter. */
static void
make_counter(StrengthReduction *pass, uint32_t value) {
  NornFunction *function = pass->function;
  NornRef ref = norn_ref(NORN_REF_VALUE, value);
  NornRef begin = norn_linear_begin(pass, BUILD, ref), step = norn_linear_step(pass, BUILD, ref);
  pass->changed = true;
  if (step == norn_constant(function->module, 0)) { /* it is invariant */
    if (norn_ref_kind(begin) == NORN_REF_VALUE)
      pass->uses[norn_ref_payload(begin)] += pass->uses[value];
    erase(pass, norn_value(function, value)->def);
    norn_replacements_set(&pass->replacements, value, begin);
    return;
  }
  merge_equal(pass, ref);
  const NornInst *address = norn_inst(function, norn_value(function, value)->def);
  forget_address(pass, address);
  NornRef shift = address->op == NORN_OP_SHLADD ? norn_linear_operand(pass, address, 2) : 0;
  uint32_t fresh =
      norn_block_add_parameter(function, pass->header, norn_value(function, value)->type, 0);
  NornRef parameter = norn_ref(NORN_REF_VALUE, fresh);
  norn_linear_grow(pass);
  pass->facts[fresh] = (ValueFacts){.loop = pass->header + 1,
                                    .counter = pass->facts[value].counter,
                                    .begin = begin,
                                    .step = step};
  pass->uses[fresh] = pass->uses[value];
  feed(pass, parameter, begin, step, shift);
  norn_move_name(function, parameter, value);
  uint32_t inst = norn_value(function, value)->def;
  erase(pass, inst);
  norn_replacements_set(&pass->replacements, value, parameter);
}

/* Turns the instruction's result into a counter if that pays. */
static void
try_value(StrengthReduction *pass, uint32_t index) {
  const NornInst *inst = norn_inst(pass->function, index);
  if (inst->op == NORN_OP_NONE)
    return;
  NornRef ref = norn_ref(NORN_REF_VALUE, inst->result);
  const ValueFacts *facts = norn_linear_facts(pass, ref);
  if (facts->is_stored || !pass->uses[inst->result] ||
      (inst->type == NORN_TYPE_I64 && !facts->is_accessed))
    return;
  unsigned words = norn_type_words(norn_value(pass->function, inst->result)->type) +
                   (!facts->step || norn_ref_kind(facts->step) == NORN_REF_VALUE);
  unsigned freed, chain = count_chain(pass, ref, &freed);
  words -= MIN(words, freed);
  pass->counted = 0;
  norn_linear_step(pass, COUNT, ref);
  unsigned min_chain = 2 + (pass->counted > 0);
  norn_linear_begin(pass, COUNT, ref);
  NornRegisterCounts more = norn_registers_of_words(pass->context, words);
  if (chain < min_chain || chain < pass->counted ||
      (words && !norn_loop_has_room(&pass->loops, pass->header, more)) ||
      !norn_pass_continues(pass->context, MAX_CHAIN))
    return;
  NornRegisterCounts *needed = &pass->loops.needed[pass->header];
  *needed = norn_counts_plus(*needed, more);
  make_counter(pass, inst->result);
}

/* Finds the properties of the loop that matter for addresses, and its latch. */
static void
look_at_loop(StrengthReduction *pass) {
  const NornDominance *dominance = pass->dominance;
  const NornIndexList *blocks = &pass->blocks[pass->header];
  pass->takes_addresses = true;
  for (uint32_t k = 0; k < blocks->count && pass->takes_addresses; k++) {
    pass->takes_addresses = dominance->loop_header[blocks->items[k]] == pass->header;
    norn_for_each_inst (pass->function, blocks->items[k], inst) {
      uint16_t op = norn_inst(pass->function, inst)->op;
      pass->takes_addresses &=
          op < NORN_OP_MACHINE && !(norn_ops[op].flags & (NORN_OP_WRITES_MEMORY | NORN_OP_ORDERS));
    }
  }
  pass->latch = NORN_INDEX_NONE;
  for (uint32_t p = 0; p < norn_predecessor_count(dominance, pass->header); p++) {
    uint32_t from = norn_predecessor(dominance, pass->header, p);
    if (from != pass->preheader)
      pass->latch = pass->latch == NORN_INDEX_NONE
                        ? from
                        : norn_common_dominator(dominance, pass->latch, from);
  }
}

static void
try_loop(StrengthReduction *pass, uint32_t header) {
  const NornFunction *function = pass->function;
  const NornIndexList *blocks = &pass->blocks[header];
  pass->header = header;
  pass->preheader = norn_loop_predecessor(pass->dominance, header);
  if (pass->preheader == NORN_INDEX_NONE || !norn_linear_find_counters(pass))
    return;
  look_at_loop(pass);
  for (uint32_t k = 0; k < blocks->count; k++)
    norn_for_each_inst (function, blocks->items[k], inst)
      norn_linear_classify(pass, inst);
  /* Twice, as counters may have lost uses. */
  for (unsigned round = 0; round < 2; round++)
    for (uint32_t k = pass->linear.count; k--;)
      try_value(pass, pass->linear.items[k]);
  pass->linear.count = 0;
  memset(pass->alike, 0, sizeof pass->alike);
}

/* --- The function --- */

static void
list_blocks(StrengthReduction *pass) {
  const NornDominance *dominance = pass->dominance;
  pass->blocks = NORN_NEW0(&pass->context->arena, NornIndexList, dominance->block_count);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k], header = dominance->loop_header[block];
    for (unsigned level = 0; level < MAX_LEVELS && header != NORN_INDEX_NONE; level++) {
      norn_list_push(&pass->context->arena, &pass->blocks[header], block);
      header = dominance->loop_parent[header];
    }
  }
}

static void
reduce_all(StrengthReduction *pass) {
  const NornDominance *dominance = pass->dominance;
  list_blocks(pass);
  pass->loops = norn_loop_registers(pass->context, pass->function);
  for (uint32_t k = dominance->order_count; k-- > 0;) {
    uint32_t header = dominance->order[k];
    if (dominance->loop_header[header] != header)
      continue;
    try_loop(pass, header);
    uint32_t around = dominance->loop_parent[header];
    if (around != NORN_INDEX_NONE)
      pass->loops.needed[around] =
          norn_counts_max(pass->loops.needed[around], pass->loops.needed[header]);
  }
  norn_replacements_apply(&pass->replacements, pass->function);
}

bool
norn_pass_reduce_strength(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  StrengthReduction pass = {.context = context,
                            .function = function,
                            .dominance = norn_pass_dominance(context, function),
                            .replacements = {.arena = &context->arena},
                            .uses = norn_pass_use_counts(context, function)};
  if (norn_has_loops(pass.dominance) && norn_loops_have_one_entry(pass.dominance)) {
    pass.facts = NORN_NEW0(&context->arena, ValueFacts, function->value_count);
    pass.capacity = function->value_count;
    reduce_all(&pass);
  }
  norn_pass_report(context, pass.changed);
  return true;
}
