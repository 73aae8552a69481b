/* Finds the linear values of a loop, their initial values and their steps: see
 * reduce_strength.c. */
#include "passes/optimize/linear_values.h"
#include "ir/builder.h"
#include "ir/ops.h"

#define MAX_DEPTH 16 /* instructions between a counter and a value */
#define MAX_FIXED 64 /* length of a chain of instructions that leave the loop for a value */

/* Stands for the result of an instruction that is only counted. */
#define NOT_BUILT norn_ref(NORN_REF_VALUE, 0)

/* --- Values --- */

void
norn_linear_grow(StrengthReduction *pass) {
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

NornRef
norn_linear_operand(const StrengthReduction *pass, const NornInst *inst, unsigned k) {
  return resolve(pass, norn_operands(pass->function, inst)[k]);
}

void
norn_linear_count_uses(StrengthReduction *pass, uint32_t inst) {
  norn_linear_grow(pass);
  norn_for_each_use (pass->function, norn_inst(pass->function, inst), use)
    pass->uses[use.value]++;
}

ValueFacts *
norn_linear_facts(const StrengthReduction *pass, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE || norn_ref_payload(ref) >= pass->capacity)
    return NULL;
  ValueFacts *facts = &pass->facts[norn_ref_payload(ref)];
  return facts->loop == pass->header + 1 ? facts : NULL;
}

static bool
is_outside(const StrengthReduction *pass, NornRef ref) {
  return !norn_loop_defines(pass->dominance, pass->function, pass->header, ref);
}

bool
norn_linear_is_fixed(const StrengthReduction *pass, NornRef ref) {
  const ValueFacts *facts = norn_linear_facts(pass, ref);
  return facts ? facts->is_fixed : is_outside(pass, ref);
}

static bool
is_linear(const StrengthReduction *pass, NornRef ref) {
  const ValueFacts *facts = norn_linear_facts(pass, ref);
  return facts && facts->counter != NO_COUNTER;
}

/* What is the same for values of the loop that are computed in the same way. */
static uint32_t
hash_of(const StrengthReduction *pass, const NornInst *inst) {
  uint64_t hash = norn_hash_mix(norn_form_key(inst), inst->payload);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_linear_operand(pass, inst, k);
    const ValueFacts *facts = norn_linear_facts(pass, ref);
    hash = norn_hash_mix(hash, facts && facts->depth ? facts->hash : ref);
  }
  return (uint32_t)hash;
}

/* Whether values a and b of the loop are computed in the same way, with the same promises; compares
 * at most *left pairs of instructions. */
static bool
equal(const StrengthReduction *pass, NornRef a, NornRef b, unsigned *left) {
  const ValueFacts *facts = norn_linear_facts(pass, a), *others = norn_linear_facts(pass, b);
  if (a == b)
    return true;
  if (!facts || !others || facts->counter != others->counter || facts->depth != others->depth ||
      !facts->depth || !*left)
    return false;
  --*left;
  const NornInst *x = norn_defining_inst(pass->function, a);
  const NornInst *y = norn_defining_inst(pass->function, b);
  bool is_equal = norn_form_key(x) == norn_form_key(y) && x->payload == y->payload &&
                  x->flags == y->flags && x->operand_count == y->operand_count &&
                  norn_ref_payload(a) - x->result == norn_ref_payload(b) - y->result;
  for (unsigned k = 0; is_equal && k < x->operand_count; k++)
    is_equal = equal(pass, norn_linear_operand(pass, x, k), norn_linear_operand(pass, y, k), left);
  return is_equal;
}

bool
norn_linear_equal(const StrengthReduction *pass, NornRef a, NornRef b) {
  unsigned left = MAX_CHAIN;
  return equal(pass, a, b, &left);
}

/* --- Building --- */

static bool
is_number(const StrengthReduction *pass, NornRef ref, uint32_t number) {
  return norn_is_constant(ref) && norn_constant_bits(pass->function->module, ref) == number;
}

static NornRef
number(const StrengthReduction *pass, uint32_t bits) {
  return norn_constant(pass->function->module, bits);
}

/* The result of the operation if it takes no instruction; else 0. */
static NornRef
fold(const StrengthReduction *pass, unsigned op, NornRef a, NornRef b) {
  NornModule *module = pass->function->module;
  if (norn_is_constant(a) && norn_is_constant(b)) {
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

/* The result of the operation on these operands, computed in the preheader. 0 if that takes an
 * instruction and the effort is LEAVE; NOT_BUILT if the instruction is only counted. */
static NornRef
compute(StrengthReduction *pass, Effort effort, unsigned op, unsigned modifier,
        const NornRef *operands, unsigned count) {
  NornFunction *function = pass->function;
  NornType type = op == NORN_OP_SHLADD ? NORN_TYPE_I64 : NORN_TYPE_I32;
  for (unsigned k = 0; k < count; k++)
    if (!operands[k])
      return 0;
  NornRef known = 0;
  if (count == 2)
    known = fold(pass, op, operands[0], operands[1]);
  else if (op == NORN_OP_SHLADD && is_number(pass, operands[1], 0))
    known = operands[0];
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
  norn_linear_count_uses(pass, norn_builder_last(&builder));
  return ref;
}

/* Moves a loop-invariant value to the preheader, with everything that it is computed from. */
static void
leave_loop(StrengthReduction *pass, NornRef ref) {
  NornFunction *function = pass->function;
  if (is_outside(pass, ref))
    return;
  uint32_t index = norn_value(function, norn_ref_payload(ref))->def;
  const NornInst *inst = norn_inst(function, index);
  for (unsigned k = 0; k < inst->operand_count; k++)
    leave_loop(pass, norn_linear_operand(pass, inst, k));
  NornBuilder builder =
      norn_builder_before(function, norn_block_terminator(function, pass->preheader));
  norn_builder_insert(&builder, index);
}

NornRef
norn_linear_begin(StrengthReduction *pass, Effort effort, NornRef ref) {
  if (norn_linear_is_fixed(pass, ref)) {
    /* If an invariant does not leave the loop now, it will later: it is not counted. */
    if (effort == BUILD)
      leave_loop(pass, ref);
    return effort == LEAVE && !is_outside(pass, ref) ? 0 : ref;
  }
  const ValueFacts *facts = norn_linear_facts(pass, ref);
  if (facts->begin || (effort == LEAVE && facts->begin_is_computed))
    return facts->begin;
  if (effort == COUNT && pass->counted > MAX_CHAIN)
    return NOT_BUILT;
  const NornInst inst = *norn_defining_inst(pass->function, ref);
  NornRef operands[3] = {0};
  for (unsigned k = 0; k < inst.operand_count; k++)
    operands[k] = norn_linear_begin(pass, effort, norn_linear_operand(pass, &inst, k));
  NornRef begin = compute(pass, effort, inst.op, inst.modifier, operands, inst.operand_count);
  if (effort != COUNT)
    norn_linear_facts(pass, ref)->begin = begin;
  if (effort == LEAVE)
    norn_linear_facts(pass, ref)->begin_is_computed = !begin;
  return begin;
}

NornRef
norn_linear_step(StrengthReduction *pass, Effort effort, NornRef ref) {
  const ValueFacts *facts = norn_linear_facts(pass, ref);
  if (!facts || facts->is_fixed)
    return number(pass, 0);
  if (facts->step || (effort == LEAVE && facts->step_is_computed))
    return facts->step;
  if (effort == COUNT && pass->counted > MAX_CHAIN)
    return NOT_BUILT;
  const NornInst inst = *norn_defining_inst(pass->function, ref);
  NornRef operands[2] = {0};
  bool scales = inst.op == NORN_OP_IMUL || inst.op == NORN_OP_SHL;
  if (inst.op == NORN_OP_SHLADD)
    return norn_linear_step(pass, effort, norn_linear_operand(pass, &inst, 1));
  if (scales && !is_linear(pass, norn_linear_operand(pass, &inst, 0)) &&
      !is_linear(pass, norn_linear_operand(pass, &inst, 1)))
    return number(pass, 0); /* what was linear has turned out to be invariant */
  for (unsigned k = 0; k < inst.operand_count; k++) {
    NornRef part = norn_linear_operand(pass, &inst, k);
    operands[k] = scales && !is_linear(pass, part) ? norn_linear_begin(pass, effort, part)
                                                   : norn_linear_step(pass, effort, part);
  }
  if (inst.op == NORN_OP_INEG) {
    operands[1] = operands[0];
    operands[0] = number(pass, 0);
  }
  NornRef step =
      compute(pass, effort, inst.op == NORN_OP_INEG ? NORN_OP_ISUB : inst.op, 0, operands, 2);
  if (effort != COUNT)
    norn_linear_facts(pass, ref)->step = step;
  if (effort == LEAVE)
    norn_linear_facts(pass, ref)->step_is_computed = !step;
  return step;
}

/* --- Which values are linear --- */

/* Whether the instruction computes the same results wherever its operands are available. */
static bool
is_movable(const NornInst *inst) {
  return !norn_is_machine(inst) && inst->result_count && inst->operand_count &&
         inst->op != NORN_OP_ALLOCA && !(norn_ops[inst->op].flags & NORN_OP_NO_FUNCTION);
}

/* Whether the operation is linear if its operands are linear or invariant. */
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
    return norn_is_constant(norn_linear_operand(pass, inst, 1));
  default:
    return false;
  }
}

ValueFacts *
norn_linear_index(const StrengthReduction *pass, const NornInst *address) {
  if (!address || (address->op != NORN_OP_SHLADD && address->op != NORN_OP_SHL))
    return NULL;
  return norn_linear_facts(pass, norn_linear_operand(pass, address, address->op == NORN_OP_SHLADD));
}

/* Records that each iteration loads from the address. */
static void
note_address(StrengthReduction *pass, NornRef address) {
  ValueFacts *facts = norn_linear_facts(pass, address);
  if (!facts || facts->is_accessed)
    return;
  facts->is_accessed = true;
  const NornInst *inst = norn_defining_inst(pass->function, address);
  ValueFacts *index = facts->counter != NO_COUNTER ? norn_linear_index(pass, inst) : NULL;
  if (index)
    index->addresses += !index->depth;
}

void
norn_linear_classify(StrengthReduction *pass, uint32_t index) {
  const NornInst *inst = norn_inst(pass->function, index);
  if (!norn_is_machine(inst) && norn_ops[inst->op].flags & NORN_OP_WRITES_MEMORY)
    for (unsigned k = 0; k < inst->operand_count; k++) {
      ValueFacts *facts = norn_linear_facts(pass, norn_linear_operand(pass, inst, k));
      if (facts)
        facts->is_stored = true;
    }
  if (!norn_is_machine(inst) && norn_ops[inst->op].flags & NORN_OP_SPACES &&
      norn_dominates(pass->dominance, inst->block, pass->latch))
    note_address(pass, norn_linear_operand(pass, inst, norn_address_operand(inst->op)));
  if (!is_movable(inst))
    return;
  ValueFacts facts = {.loop = pass->header + 1, .counter = NO_COUNTER, .is_fixed = true};
  bool linear[2] = {false, false};
  unsigned depth[2] = {0}; /* of linear operands, of invariant ones */
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_linear_operand(pass, inst, k);
    const ValueFacts *own = norn_linear_facts(pass, ref);
    bool fixed = norn_linear_is_fixed(pass, ref);
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
  if (facts.depth > (facts.is_fixed ? MAX_FIXED : MAX_DEPTH) ||
      (!facts.is_fixed && !keeps_linear(pass, inst, linear[0], linear[1])))
    return;
  facts.hash = hash_of(pass, inst);
  for (unsigned k = 0; k < inst->result_count; k++)
    pass->facts[inst->result + k] = facts;
  if (facts.is_fixed)
    return;
  NornRef result = norn_ref(NORN_REF_VALUE, inst->result);
  pass->facts[inst->result].previous = pass->alike[facts.hash % ALIKE_LISTS];
  pass->alike[facts.hash % ALIKE_LISTS] = result;
  norn_linear_step(pass, LEAVE, result);
  norn_list_push(&pass->context->arena, &pass->linear, index);
}

/* --- Loops --- */

/* The argument that all edges from the block to the header pass for each parameter; 0 if they
 * differ. */
static void
find_arguments(const StrengthReduction *pass, uint32_t block, NornRef *arguments, unsigned count) {
  const NornFunction *function = pass->function;
  const NornInst *last = norn_inst(function, norn_block_terminator(function, block));
  bool is_first = true;
  norn_for_each_edge (function, norn_block_terminator(function, block), edge) {
    if (edge.block != pass->header)
      continue;
    for (unsigned k = 0; k < count; k++) {
      NornRef own = norn_linear_operand(pass, last, edge.operand + 1 + k);
      arguments[k] = is_first || arguments[k] == own ? own : 0;
    }
    is_first = false;
  }
}

/* The difference between the argument of a back edge and the parameter; 0 if unknown. */
static NornRef
step_of(const StrengthReduction *pass, NornRef argument, NornRef parameter) {
  const NornInst *sum = norn_defining_inst(pass->function, argument);
  if (!sum || norn_is_machine(sum) || sum->op != NORN_OP_IADD)
    return 0;
  NornRef left = norn_linear_operand(pass, sum, 0), right = norn_linear_operand(pass, sum, 1);
  NornRef step = left == parameter ? right : right == parameter ? left : 0;
  return step && is_outside(pass, step) ? step : 0;
}

unsigned
norn_linear_find_counters(StrengthReduction *pass) {
  const NornFunction *function = pass->function;
  const NornDominance *dominance = pass->dominance;
  unsigned parameters = norn_block(function, pass->header)->parameter_count, count = 0;
  NornRef *begin = NORN_NEW0(&pass->context->arena, NornRef, parameters);
  NornRef *next = NORN_NEW0(&pass->context->arena, NornRef, parameters);
  NornRef *step = NORN_NEW0(&pass->context->arena, NornRef, parameters);
  bool is_first = true;
  find_arguments(pass, pass->preheader, begin, parameters);
  for (uint32_t p = 0; p < norn_predecessor_count(dominance, pass->header); p++) {
    uint32_t from = norn_predecessor(dominance, pass->header, p);
    if (from == pass->preheader)
      continue;
    find_arguments(pass, from, next, parameters);
    for (unsigned k = 0; k < parameters; k++) {
      uint32_t value = norn_block_parameter(function, pass->header, k);
      NornRef own = step_of(pass, next[k], norn_ref(NORN_REF_VALUE, value));
      step[k] = is_first || own == step[k] ? own : 0;
    }
    is_first = false;
  }
  for (unsigned k = 0; k < parameters; k++) {
    uint32_t value = norn_block_parameter(function, pass->header, k);
    if (norn_value(function, value)->type != NORN_TYPE_I32 || !begin[k] || !step[k])
      continue;
    pass->facts[value] = (ValueFacts){.loop = pass->header + 1,
                                      .counter = value,
                                      .begin = begin[k],
                                      .step = step[k],
                                      .next = next[k]};
    count++;
  }
  return count;
}
