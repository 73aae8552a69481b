/* Strength reduction: what grows by the same amount in each round of a loop is added up, not
 * computed from the counter.
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
 * A counter is a parameter of the loop's header that all back edges give the same amount more. A
 * value is linear if it is a counter, or a sum, difference or product of linear values of one
 * counter and values that the loop does not change, of which a product has one linear factor. All
 * this is modulo 2^32, as the instructions are, so that the results are the same bits. What such a
 * value begins with, and how much it grows by, is computed in front of the loop.
 *
 * An address of 64 bits is linear, too, if its index is and does not wrap (NORN_INST_NOWRAP): that
 * of one round is less than 2^31 away from that of the round before, if each round loads from
 * there. Loops that write memory keep their addresses as they are, since the uniform on which they
 * are sums says what they cannot touch (NornMemoryAccess.root).
 *
 * This is worth it if more goes than comes, the instructions that only the value needs against one
 * addition in each round, and as much as is computed in front of the loop. What a store reads
 * stays, since the addition would have to wait for it. The values are tried from the last one of
 * the loop to the first, so the end of a chain before its parts, and parts that several chains
 * share after them. A new counter takes a register, and so does its step if that is computed; they
 * have to be free.
 *
 * Loops are taken from inside out: what begins an inner loop may be linear in the one around. */
#include "ir/analysis/pressure.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define MOST_DEPTH 16 /* instructions between a counter and a value */
#define MOST_FIXED 64 /* instructions behind each other that leave the loop for a value */
#define MOST_CHAIN 32 /* instructions that may go with a value */
#define MOST_LEVELS 3 /* of loops that a block is looked at in: its own and those around */

/* What is known of a value in the loop at hand. */
typedef struct ValueFacts {
  uint32_t loop;    /* which facts are valid for: its header + 1 */
  uint32_t counter; /* a linear value: the parameter that counts; else NO_COUNTER */
  uint8_t depth;
  bool is_fixed;    /* the same in all rounds */
  bool is_stored;   /* a store reads it, maybe long after it has been issued */
  bool is_accessed; /* each round loads from there */
  NornRef begin;    /* of a linear value, what it begins with; 0: not built yet */
  NornRef step;     /* of a linear value; 0: not built yet */
  uint32_t claimed; /* uses by what would go */
} ValueFacts;

enum { NO_COUNTER = UINT32_MAX };

/* Stands for what an instruction would compute that is only counted. */
#define NOT_BUILT norn_ref(NORN_REF_VALUE, 0)

typedef struct StrengthReduction {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  NornIndexList *blocks;    /* by header: of its loop, in reverse postorder */
  NornRegisterCounts *most; /* by header: the most that its loop needs */
  NornRegisterCounts limit;
  uint32_t *uses;             /* by value */
  ValueFacts *facts;          /* by value */
  uint32_t capacity;          /* of the two */
  NornIndexList linear;       /* instructions of the loop at hand with such results, in order */
  uint32_t header, preheader; /* of the loop at hand */
  uint32_t latch;             /* the nearest block that each of its rounds comes to last */
  bool takes_addresses;       /* it has no loop inside and writes no memory */
  unsigned counted;           /* instructions in front of it */
  bool changed;
} StrengthReduction;

/* --- Values --- */

static void
grow(StrengthReduction *pass) {
  uint32_t count = pass->function->value_count, before = pass->capacity;
  if (count <= before)
    return;
  uint32_t capacity = MAX(count, before * 2);
  uint32_t *uses = NORN_NEW0(&pass->context->arena, uint32_t, capacity);
  ValueFacts *facts = NORN_NEW0(&pass->context->arena, ValueFacts, capacity);
  for (uint32_t v = 0; v < before; v++) {
    uses[v] = pass->uses[v];
    facts[v] = pass->facts[v];
  }
  pass->uses = uses;
  pass->facts = facts;
  pass->capacity = capacity;
}

static NornRef
resolve(const StrengthReduction *pass, NornRef ref) {
  return norn_replacements_get(&pass->replacements, ref);
}

static NornRef
operand(const StrengthReduction *pass, const NornInst *inst, unsigned k) {
  return resolve(pass, norn_operands(pass->function, inst)[k]);
}

static void
count_uses_of(StrengthReduction *pass, uint32_t inst) {
  grow(pass);
  for (unsigned k = 0; k < norn_inst(pass->function, inst)->operand_count; k++) {
    NornRef ref = norn_operand(pass->function, inst, k);
    if (norn_ref_kind(ref) == NORN_REF_VALUE)
      pass->uses[norn_ref_payload(ref)]++;
  }
}

/* The facts of a value in the loop at hand; NULL: there are none yet. */
static ValueFacts *
facts_of(const StrengthReduction *pass, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE || norn_ref_payload(ref) >= pass->capacity)
    return NULL;
  ValueFacts *facts = &pass->facts[norn_ref_payload(ref)];
  return facts->loop == pass->header + 1 ? facts : NULL;
}

static bool
is_outside(const StrengthReduction *pass, NornRef ref) {
  return norn_ref_kind(ref) != NORN_REF_VALUE ||
         !norn_loop_contains(pass->dominance, pass->header,
                             norn_defining_block(pass->function, norn_ref_payload(ref)));
}

/* Whether the value is the same in all rounds of the loop, and can be in front of it. */
static bool
is_fixed(const StrengthReduction *pass, NornRef ref) {
  const ValueFacts *facts = facts_of(pass, ref);
  return facts ? facts->is_fixed : is_outside(pass, ref);
}

static bool
is_linear(const StrengthReduction *pass, NornRef ref) {
  const ValueFacts *facts = facts_of(pass, ref);
  return facts && facts->counter != NO_COUNTER;
}

/* --- Building --- */

static bool
is_constant(NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_CONSTANT;
}

static bool
is_number(const StrengthReduction *pass, NornRef ref, uint32_t number) {
  return is_constant(ref) && norn_constant_bits(pass->function->module, ref) == number;
}

static NornRef
number(const StrengthReduction *pass, uint32_t bits) {
  return norn_constant(pass->function->module, bits);
}

/* What the operation gives without an instruction; 0: it takes one. */
static NornRef
fold(const StrengthReduction *pass, unsigned op, NornRef a, NornRef b) {
  NornModule *module = pass->function->module;
  if (is_constant(a) && is_constant(b)) {
    uint32_t x = (uint32_t)norn_constant_bits(module, a);
    uint32_t y = (uint32_t)norn_constant_bits(module, b);
    switch (op) {
    case NORN_OP_IADD:
      return number(pass, x + y);
    case NORN_OP_ISUB:
      return number(pass, x - y);
    case NORN_OP_IMUL:
      return number(pass, x * y);
    case NORN_OP_SHL:
      return number(pass, x << (y & 31));
    default:
      return 0;
    }
  }
  if (op == NORN_OP_IADD && is_number(pass, a, 0))
    return b;
  if ((op == NORN_OP_IADD || op == NORN_OP_ISUB) && is_number(pass, b, 0))
    return a;
  if (op == NORN_OP_IMUL && (is_number(pass, a, 1) || is_number(pass, b, 0)))
    return b;
  if (op == NORN_OP_IMUL && (is_number(pass, b, 1) || is_number(pass, a, 0)))
    return a;
  return 0;
}

/* What to do where something in front of the loop takes an instruction: nothing, count it, make it.
 */
typedef enum { LEAVE, COUNT, BUILD } Effort;

/* The result of the operation of these operands, computed in front of the loop; 0 if it takes an
 * instruction that is to be left. One that is counted is NOT_BUILT. */
static NornRef
compute(StrengthReduction *pass, Effort effort, unsigned op, unsigned modifier,
        const NornRef *operands, unsigned count) {
  NornFunction *function = pass->function;
  NornType type = op == NORN_OP_SHLADD ? NORN_TYPE_I64 : NORN_TYPE_I32;
  for (unsigned k = 0; k < count; k++)
    if (!operands[k])
      return 0;
  NornRef known = count == 2 ? fold(pass, op, operands[0], operands[1]) : 0;
  if (known || effort == LEAVE)
    return known;
  if (effort == COUNT) {
    pass->counted++;
    return NOT_BUILT;
  }
  NornBuilder builder =
      norn_builder_before(function, norn_block_terminator(function, pass->preheader));
  NornRef ref =
      norn_build_op(&builder, (NornOp)op, modifier, type, NORN_TYPE_VOID, operands, count);
  count_uses_of(pass, norn_builder_last(&builder));
  return ref;
}

/* Moves what is fixed in front of the loop, with what it is computed from. */
static void
leave_loop(StrengthReduction *pass, NornRef ref) {
  NornFunction *function = pass->function;
  if (is_outside(pass, ref))
    return;
  uint32_t index = norn_value(function, norn_ref_payload(ref))->def;
  const NornInst *inst = norn_inst(function, index);
  for (unsigned k = 0; k < inst->operand_count; k++)
    leave_loop(pass, operand(pass, inst, k));
  NornBuilder builder =
      norn_builder_before(function, norn_block_terminator(function, pass->preheader));
  norn_builder_insert(&builder, index);
}

/* What the value is in the first round. */
static NornRef
begin_of(StrengthReduction *pass, Effort effort, NornRef ref) {
  if (is_fixed(pass, ref)) {
    /* What is fixed leaves the loop later, if not now: it is not counted. */
    if (effort == BUILD)
      leave_loop(pass, ref);
    return effort == LEAVE && !is_outside(pass, ref) ? 0 : ref;
  }
  const ValueFacts *facts = facts_of(pass, ref);
  if (facts->begin)
    return facts->begin;
  if (effort == COUNT && pass->counted > MOST_CHAIN)
    return NOT_BUILT;
  const NornInst inst = *norn_defining_inst(pass->function, ref);
  NornRef operands[3] = {0};
  for (unsigned k = 0; k < inst.operand_count; k++)
    operands[k] = begin_of(pass, effort, operand(pass, &inst, k));
  NornRef begin = compute(pass, effort, inst.op, inst.modifier, operands, inst.operand_count);
  if (effort != COUNT)
    facts_of(pass, ref)->begin = begin;
  return begin;
}

/* How much more the value is in each round, or an address before it is shifted. */
static NornRef
step_of(StrengthReduction *pass, Effort effort, NornRef ref) {
  const ValueFacts *facts = facts_of(pass, ref);
  if (!facts || facts->is_fixed)
    return number(pass, 0);
  if (facts->step)
    return facts->step;
  const NornInst inst = *norn_defining_inst(pass->function, ref);
  NornRef operands[2] = {0};
  if (inst.op == NORN_OP_SHLADD)
    return step_of(pass, effort, operand(pass, &inst, 1));
  for (unsigned k = 0; k < inst.operand_count; k++) {
    NornRef part = operand(pass, &inst, k);
    bool scales = inst.op == NORN_OP_IMUL || inst.op == NORN_OP_SHL;
    operands[k] = scales && !is_linear(pass, part) ? begin_of(pass, effort, part)
                                                   : step_of(pass, effort, part);
  }
  if (inst.op == NORN_OP_INEG) {
    operands[1] = operands[0];
    operands[0] = number(pass, 0);
  }
  NornRef step =
      compute(pass, effort, inst.op == NORN_OP_INEG ? NORN_OP_ISUB : inst.op, 0, operands, 2);
  if (effort != COUNT)
    facts_of(pass, ref)->step = step;
  return step;
}

/* --- Which values are linear --- */

/* Whether the results are the same wherever the operands are. */
static bool
is_movable(const NornInst *inst) {
  const uint64_t forbidden = NORN_OP_STAYS | NORN_OP_DIVERGENT | NORN_OP_SPACES | NORN_OP_VARYING;
  return !norn_is_machine(inst) && inst->result_count && inst->operand_count &&
         inst->op != NORN_OP_ALLOCA && !(norn_ops[inst->op].flags & forbidden);
}

/* Whether the operation of operands that are linear or fixed is linear. */
static bool
keeps_linear(const StrengthReduction *pass, const NornInst *inst, bool first, bool second) {
  if (inst->op == NORN_OP_SHLADD)
    return !first && pass->takes_addresses && inst->flags & NORN_INST_NOWRAP;
  if (inst->type != NORN_TYPE_I32)
    return false;
  switch (inst->op) {
  case NORN_OP_IADD:
  case NORN_OP_ISUB:
  case NORN_OP_INEG:
    return true;
  case NORN_OP_IMUL:
    return !first || !second;
  case NORN_OP_SHL:
    return norn_ref_kind(operand(pass, inst, 1)) == NORN_REF_CONSTANT;
  default:
    return false;
  }
}

static void
classify(StrengthReduction *pass, uint32_t index) {
  const NornInst *inst = norn_inst(pass->function, index);
  if (!norn_is_machine(inst) && norn_ops[inst->op].flags & NORN_OP_WRITES_MEMORY)
    for (unsigned k = 0; k < inst->operand_count; k++) {
      ValueFacts *facts = facts_of(pass, operand(pass, inst, k));
      if (facts)
        facts->is_stored = true;
    }
  if (!norn_is_machine(inst) && norn_ops[inst->op].flags & NORN_OP_SPACES &&
      norn_dominates(pass->dominance, inst->block, pass->latch)) {
    ValueFacts *address = facts_of(pass, operand(pass, inst, norn_address_operand(inst->op)));
    if (address)
      address->is_accessed = true;
  }
  if (!is_movable(inst))
    return;
  ValueFacts facts = {.loop = pass->header + 1, .counter = NO_COUNTER, .is_fixed = true};
  bool linear[2] = {false, false};
  unsigned depth[2] = {0}; /* of linear operands, of fixed ones */
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operand(pass, inst, k);
    const ValueFacts *own = facts_of(pass, ref);
    bool fixed = is_fixed(pass, ref);
    depth[fixed] = MAX(depth[fixed], own ? own->depth : 0u);
    if (fixed)
      continue;
    if (!own || own->counter == NO_COUNTER || k >= G_N_ELEMENTS(linear) ||
        (facts.counter != NO_COUNTER && facts.counter != own->counter))
      return;
    linear[k] = true;
    facts.counter = own->counter;
    facts.is_fixed = false;
  }
  facts.depth = (uint8_t)(depth[facts.is_fixed] + 1);
  if (facts.depth > (facts.is_fixed ? MOST_FIXED : MOST_DEPTH) ||
      (!facts.is_fixed && !keeps_linear(pass, inst, linear[0], linear[1])))
    return;
  for (unsigned k = 0; k < inst->result_count; k++)
    pass->facts[inst->result + k] = facts;
  if (facts.is_fixed)
    return;
  step_of(pass, LEAVE, norn_ref(NORN_REF_VALUE, inst->result));
  norn_list_push(&pass->context->arena, &pass->linear, index);
}

/* --- Loops --- */

/* The edges to the header from this block: the argument for parameter k, which must be the same on
 * all; 0: it is not. */
static NornRef
argument_from(const StrengthReduction *pass, uint32_t block, unsigned k) {
  NornFunction *function = pass->function;
  uint32_t last = norn_block_terminator(function, block);
  NornRef argument = 0;
  norn_for_each_edge (function, last, edge) {
    if (edge.block != pass->header)
      continue;
    NornRef own = resolve(pass, norn_operand(function, last, edge.operand + 1 + k));
    if (argument && own != argument)
      return 0;
    argument = own;
  }
  return argument;
}

/* How much more than the parameter a back edge gives; 0: that is not known. */
static NornRef
step_from(const StrengthReduction *pass, uint32_t block, unsigned k) {
  NornRef parameter =
      norn_ref(NORN_REF_VALUE, norn_block_parameter(pass->function, pass->header, k));
  const NornInst *sum = norn_defining_inst(pass->function, argument_from(pass, block, k));
  if (!sum || norn_is_machine(sum) || sum->op != NORN_OP_IADD)
    return 0;
  NornRef left = operand(pass, sum, 0), right = operand(pass, sum, 1);
  NornRef step = left == parameter ? right : right == parameter ? left : 0;
  return step && is_outside(pass, step) ? step : 0;
}

/* By how much all back edges give parameter k more; 0: by different amounts, or that is not known.
 */
static NornRef
find_step(const StrengthReduction *pass, unsigned k) {
  const NornDominance *dominance = pass->dominance;
  NornRef step = 0;
  for (uint32_t p = 0; p < norn_predecessor_count(dominance, pass->header); p++) {
    uint32_t from = norn_predecessor(dominance, pass->header, p);
    if (from == pass->preheader)
      continue;
    NornRef own = step_from(pass, from, k);
    if (!own || (step && own != step))
      return 0;
    step = own;
  }
  return step;
}

/* How many parameters of the header are counters. */
static unsigned
find_counters(StrengthReduction *pass) {
  const NornFunction *function = pass->function;
  unsigned count = 0;
  for (unsigned k = 0; k < norn_block(function, pass->header)->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, pass->header, k);
    if (norn_value(function, value)->type != NORN_TYPE_I32)
      continue;
    NornRef begin = argument_from(pass, pass->preheader, k), step = find_step(pass, k);
    if (!begin || !step)
      continue;
    pass->facts[value] =
        (ValueFacts){.loop = pass->header + 1, .counter = value, .begin = begin, .step = step};
    count++;
  }
  return count;
}

/* --- What is worth it --- */

/* How many sums go with the counter of the value, which is computed of so many uses of it: none if
 * there are other uses. */
static unsigned
sums_of_counter(const StrengthReduction *pass, NornRef value, unsigned uses) {
  const NornFunction *function = pass->function;
  uint32_t counter = facts_of(pass, value)->counter;
  const NornDominance *dominance = pass->dominance;
  unsigned k = 0, count = 0;
  while (norn_block_parameter(function, pass->header, k) != counter)
    k++;
  for (uint32_t p = 0; p < norn_predecessor_count(dominance, pass->header); p++) {
    uint32_t from = norn_predecessor(dominance, pass->header, p);
    if (from == pass->preheader)
      continue;
    NornRef sum = argument_from(pass, from, k);
    if (count++ || !sum || sum == value || pass->uses[norn_ref_payload(sum)] != 1)
      return 0; /* the way back is more than one, or something else needs the sum */
  }
  return pass->uses[counter] == uses + 1 ? count : 0;
}

/* How many instructions of the loop go if the value is computed otherwise. *freed: how many values
 * that live in all of it then need not. */
static unsigned
count_chain(const StrengthReduction *pass, NornRef top, unsigned *freed) {
  uint32_t chain[MOST_CHAIN] = {norn_ref_payload(top)}, claimed[2 * MOST_CHAIN];
  unsigned count = 1, claims = 0, of_counter = 0;
  *freed = 0;
  for (unsigned n = 0; n < count; n++) {
    const NornInst *inst = norn_inst(pass->function, norn_value(pass->function, chain[n])->def);
    for (unsigned k = 0; k < inst->operand_count; k++) {
      NornRef ref = operand(pass, inst, k);
      uint32_t value = norn_ref_payload(ref);
      const ValueFacts *facts = facts_of(pass, ref);
      if (norn_ref_kind(ref) != NORN_REF_VALUE)
        continue;
      if (facts && !facts->depth) {
        of_counter++;
        continue;
      }
      claimed[claims++] = value;
      if (++pass->facts[value].claimed != pass->uses[value])
        continue;
      if (is_fixed(pass, ref))
        ++*freed;
      else if (count < MOST_CHAIN)
        chain[count++] = value;
    }
  }
  while (claims)
    pass->facts[claimed[--claims]].claimed = 0;
  unsigned sums = sums_of_counter(pass, top, of_counter);
  *freed += sums;
  return count + sums;
}

static unsigned
i32_class(const StrengthReduction *pass) {
  return pass->context->target->registers.types[NORN_TYPE_I32].class;
}

/* Whether there are registers for so many more words in the loop. */
static bool
has_room(const StrengthReduction *pass, unsigned words) {
  NornRegisterCounts more = pass->most[pass->header];
  more.of[i32_class(pass)] += words;
  return !norn_counts_exceed(more, pass->limit);
}

/* --- Replacing --- */

/* Erases an instruction whose result has no use left, and what only that needed. */
static void
erase(StrengthReduction *pass, uint32_t index) {
  NornFunction *function = pass->function;
  const NornInst inst = *norn_inst(function, index);
  NornRef *operands = NORN_NEW(&pass->context->arena, NornRef, inst.operand_count);
  for (unsigned k = 0; k < inst.operand_count; k++)
    operands[k] = operand(pass, &inst, k);
  norn_inst_erase(function, index);
  for (unsigned k = 0; k < inst.operand_count; k++) {
    if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(operands[k]);
    const ValueFacts *facts = facts_of(pass, operands[k]);
    if (!--pass->uses[value] && facts && facts->depth)
      erase(pass, norn_value(function, value)->def);
  }
}

/* Gives the last parameter of the header what it begins with, and in each round more. */
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
      count_uses_of(pass, norn_builder_last(&builder));
    }
    norn_for_each_edge (function, last, edge)
      if (edge.block == pass->header)
        norn_inst_splice_operands(function, last, edge.operand + 1 + edge.argument_count, 0,
                                  &argument, 1);
    if (norn_ref_kind(argument) == NORN_REF_VALUE)
      pass->uses[norn_ref_payload(argument)]++;
  }
}

/* Makes a counter of the value. */
static void
make_counter(StrengthReduction *pass, uint32_t value) {
  NornFunction *function = pass->function;
  NornRef ref = norn_ref(NORN_REF_VALUE, value);
  NornRef begin = begin_of(pass, BUILD, ref), step = step_of(pass, BUILD, ref);
  pass->changed = true;
  if (step == norn_constant(function->module, 0)) { /* it is the same in all rounds */
    if (norn_ref_kind(begin) == NORN_REF_VALUE)
      pass->uses[norn_ref_payload(begin)] += pass->uses[value];
    erase(pass, norn_value(function, value)->def);
    norn_replacements_set(&pass->replacements, value, begin);
    return;
  }
  const NornInst *address = norn_inst(function, norn_value(function, value)->def);
  NornRef shift = address->op == NORN_OP_SHLADD ? operand(pass, address, 2) : 0;
  uint32_t fresh =
      norn_block_add_parameter(function, pass->header, norn_value(function, value)->type, 0);
  NornRef parameter = norn_ref(NORN_REF_VALUE, fresh);
  grow(pass);
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

/* Makes a counter of the instruction's result if that is worth it. */
static void
try_value(StrengthReduction *pass, uint32_t index) {
  const NornInst *inst = norn_inst(pass->function, index);
  if (inst->op == NORN_OP_NONE)
    return;
  NornRef ref = norn_ref(NORN_REF_VALUE, inst->result);
  const ValueFacts *facts = facts_of(pass, ref);
  if (facts->is_stored || !pass->uses[inst->result] ||
      (inst->type == NORN_TYPE_I64 && !facts->is_accessed))
    return;
  unsigned words = norn_type_words(norn_value(pass->function, inst->result)->type) +
                   (!facts->step || norn_ref_kind(facts->step) == NORN_REF_VALUE);
  unsigned freed, chain = count_chain(pass, ref, &freed);
  words -= MIN(words, freed);
  pass->counted = 0;
  step_of(pass, COUNT, ref);
  unsigned least = 2 + (pass->counted > 0);
  begin_of(pass, COUNT, ref);
  if (chain < least || chain < pass->counted || (words && !has_room(pass, words)) ||
      !norn_pass_continues(pass->context, MOST_CHAIN))
    return;
  pass->most[pass->header].of[i32_class(pass)] += words;
  make_counter(pass, inst->result);
}

/* Finds what addresses have to know of the loop. */
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
  if (pass->preheader == NORN_INDEX_NONE || !find_counters(pass))
    return;
  look_at_loop(pass);
  for (uint32_t k = 0; k < blocks->count; k++)
    norn_for_each_inst (function, blocks->items[k], inst)
      classify(pass, inst);
  while (pass->linear.count)
    try_value(pass, pass->linear.items[--pass->linear.count]);
}

/* --- The function --- */

static void
list_blocks(StrengthReduction *pass) {
  const NornDominance *dominance = pass->dominance;
  pass->blocks = NORN_NEW0(&pass->context->arena, NornIndexList, dominance->block_count);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k], header = dominance->loop_header[block];
    for (unsigned level = 0; level < MOST_LEVELS && header != NORN_INDEX_NONE; level++) {
      norn_list_push(&pass->context->arena, &pass->blocks[header], block);
      header = dominance->loop_parent[header];
    }
  }
}

static void
measure(StrengthReduction *pass) {
  NornPassContext *context = pass->context;
  const NornLiveness *live;
  const NornPressure *pressure = norn_pass_pressure(context, pass->function, &live);
  pass->most = norn_loop_pressure(&context->arena, pressure, pass->dominance);
  pass->limit = norn_target_register_budget(context->target, pressure->max);
}

static void
reduce_all(StrengthReduction *pass) {
  const NornDominance *dominance = pass->dominance;
  list_blocks(pass);
  measure(pass);
  for (uint32_t k = dominance->order_count; k-- > 0;) {
    uint32_t header = dominance->order[k];
    if (dominance->loop_header[header] != header)
      continue;
    try_loop(pass, header);
    uint32_t around = dominance->loop_parent[header];
    if (around != NORN_INDEX_NONE)
      pass->most[around] = norn_counts_max(pass->most[around], pass->most[header]);
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
