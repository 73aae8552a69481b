/* Simplify: constant folding, copy propagation and algebraic identities.
 *
 * One walk over the blocks in reverse postorder, so that operands are simple before their users are
 * looked at. An instruction on constants becomes a constant; else the rules of algebra.def that
 * begin with its operation are tried, and the few identities that involve types, conditions or
 * several results, which are functions of this file. A value found to equal another is entered in a
 * map, which operands are looked up in as the walk meets them and which is applied to the whole
 * function at the end (loops use values before the walk reaches their definition). Instructions
 * left without use stay for the dead-code pass.
 *
 * Invariant: a rewrite never makes an instruction more expensive, and repeats at most REWRITES
 * times. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/evaluate.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define REWRITES 16

/* Short names of the operations, for the rules. */
enum {
#define OP(id, ...) id = NORN_OP_##id,
#include <norn/ops.def>
#undef OP
};

/* The letters and constants of a rule; everything below them is an operation. */
#define ALGEBRA_CONSTANTS(CONSTANT)                                                                \
  CONSTANT(ZERO)                                                                                   \
  CONSTANT(ONE)                                                                                    \
  CONSTANT(ONES)                                                                                   \
  CONSTANT(SMALLEST)                                                                               \
  CONSTANT(LARGEST)                                                                                \
  CONSTANT(NEGATIVE_ZERO)                                                                          \
  CONSTANT(FLOAT_ONE)                                                                              \
  CONSTANT(FLOAT_MINUS_ONE)                                                                        \
  CONSTANT(WIDTH_MINUS_ONE)                                                                        \
  CONSTANT(LOG2_C0)

enum {
  A = NORN_OP_MACHINE,
  B,
  C,
  C0,
  C1,
#define CONSTANT(id) id,
  ALGEBRA_CONSTANTS(CONSTANT)
#undef CONSTANT
};

enum {
  ALWAYS = 0,
  CANONICAL = 1 << 0,
  NO_SIGNED_ZERO = 1 << 1,
  NO_NAN = 1 << 2,
  POWER_OF_TWO = 1 << 3,
  SUM_BELOW_WIDTH = 1 << 4,
  SUM_NOT_BELOW_WIDTH = 1 << 5,
  TO_NEAREST = 1 << 6,
  CONTRACT = 1 << 7,
  SUM_IS_WIDTH = 1 << 8,
  C0_IS_WIDTH = 1 << 9,
};

#define RULE_LENGTH 12

typedef struct RewriteRule {
  uint16_t match[RULE_LENGTH], replacement[RULE_LENGTH]; /* in prefix order, ended by zero */
  uint16_t condition;
} RewriteRule;

static const RewriteRule rules[] = {
#define LIST(...)                                                                                  \
  { __VA_ARGS__ }
#define RULE(condition, match, replacement) {LIST match, LIST replacement, condition},
#include "passes/optimize/algebra.def"
#undef RULE
#undef LIST
};

#define RULE_COUNT G_N_ELEMENTS(rules)
#define NO_RULE UINT16_MAX

typedef struct Simplifier {
  const NornPassContext *context;
  bool changed;
  NornModule *module;
  NornFunction *function;
  NornReplacements replacements;
  NornFloatEnvironment environment;
  uint16_t first_rule[NORN_OP_COUNT], next_rule[RULE_COUNT];
} Simplifier;

/* What the letters of a rule stand for. */
typedef struct Match {
  NornRef slots[C1 - A + 1];
  NornType type;
} Match;

/* --- Small questions --- */

static NornInst *
definition(const NornFunction *function, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return NULL;
  const NornValue *value = &function->values[norn_ref_payload(ref)];
  return value->is_parameter ? NULL : &function->insts[value->def];
}

/* The definition of `ref` if it is operation `op`. */
static NornInst *
definition_by(const NornFunction *function, NornRef ref, unsigned op) {
  NornInst *inst = definition(function, ref);
  return inst && inst->op == op ? inst : NULL;
}

static bool
is_constant(NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_CONSTANT;
}

static bool
is_constant_of(const Simplifier *simplifier, NornRef ref, uint64_t bits) {
  return is_constant(ref) && norn_constant_bits(simplifier->module, ref) == bits;
}

static NornRef
resolve(const Simplifier *simplifier, NornRef ref) {
  return norn_replacements_get(&simplifier->replacements, ref);
}

/* `lane` in each lane of the type. */
static uint64_t
splat(NornType type, uint64_t lane) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    bits |= lane << (k * norn_types[type].lane_bits % 64);
  return bits;
}

static uint64_t
float_one(NornType type) {
  switch (norn_types[type].lane_bits) {
  case 16:
    return 0x3C00;
  case 32:
    return 0x3F800000;
  default:
    return 0x3FF0000000000000;
  }
}

/* The bits of a named constant of a rule in that type. */
static uint64_t
named_constant(unsigned name, NornType type) {
  unsigned width = norn_types[type].lane_bits;
  uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
  uint64_t sign = UINT64_C(1) << (width - 1);
  switch (name) {
  case ONE:
    return splat(type, 1);
  case ONES:
    return splat(type, mask);
  case SMALLEST:
  case NEGATIVE_ZERO:
    return splat(type, sign);
  case LARGEST:
    return splat(type, sign - 1);
  case FLOAT_ONE:
    return splat(type, float_one(type));
  case FLOAT_MINUS_ONE:
    return splat(type, float_one(type) | sign);
  case WIDTH_MINUS_ONE:
    return splat(type, width - 1);
  default:
    return 0;
  }
}

/* Whether float arithmetic made it, so that another such operation would not change its bits but
 * for what it computes. */
static bool
is_canonical(const Simplifier *simplifier, NornRef ref) {
  const NornInst *inst = definition(simplifier->function, ref);
  if (!inst)
    return false;
  switch (inst->op) {
  case FADD:
  case FSUB:
  case FMUL:
  case FMA:
  case FMIN:
  case FMAX:
  case SITOFP:
  case UITOFP:
    return true;
  default:
    return false;
  }
}

/* --- Matching --- */

static unsigned
arity(unsigned op) {
  return norn_operand_arity(op).fixed;
}

/* Past the tree that starts at `pattern`. */
static const uint16_t *
skip_tree(const uint16_t *pattern) {
  unsigned missing = 1;
  while (missing) {
    missing--;
    if (*pattern < NORN_OP_MACHINE)
      missing += arity(*pattern);
    pattern++;
  }
  return pattern;
}

static bool match_tree(const Simplifier *simplifier, const uint16_t *pattern, NornRef ref,
                       Match *match);

static bool
match_two(const Simplifier *simplifier, const uint16_t *pattern, NornRef left, NornRef right,
          Match *match) {
  return match_tree(simplifier, pattern, left, match) &&
         match_tree(simplifier, skip_tree(pattern), right, match);
}

/* Matches the operands of `inst` against the trees from `pattern` on. */
static bool
match_operands(const Simplifier *simplifier, const uint16_t *pattern, const NornInst *inst,
               Match *match) {
  const NornRef *operands = &simplifier->function->operands[inst->operand];
  NornRef refs[3] = {0};
  for (unsigned k = 0; k < inst->operand_count && k < G_N_ELEMENTS(refs); k++)
    refs[k] = resolve(simplifier, operands[k]);
  Match before = *match;
  switch (inst->operand_count) {
  case 1:
    return match_tree(simplifier, pattern, refs[0], match);
  case 2:
    if (match_two(simplifier, pattern, refs[0], refs[1], match))
      return true;
    *match = before;
    return (norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE) &&
           match_two(simplifier, pattern, refs[1], refs[0], match);
  case 3:
    return match_two(simplifier, pattern, refs[0], refs[1], match) &&
           match_tree(simplifier, skip_tree(skip_tree(pattern)), refs[2], match);
  default:
    return false;
  }
}

static bool
match_tree(const Simplifier *simplifier, const uint16_t *pattern, NornRef ref, Match *match) {
  unsigned symbol = *pattern;
  if (symbol < NORN_OP_MACHINE) {
    const NornInst *inst = definition_by(simplifier->function, ref, symbol);
    return inst && inst->type == match->type &&
           match_operands(simplifier, pattern + 1, inst, match);
  }
  if (symbol > C1)
    return is_constant_of(simplifier, ref, named_constant(symbol, match->type));
  if (symbol >= C0 && !is_constant(ref))
    return false;
  NornRef *slot = &match->slots[symbol - A];
  if (!*slot)
    *slot = ref;
  return *slot == ref;
}

/* Whether the tree that starts with `symbol` could match, by what the value is at first sight. */
static bool
may_match(const Simplifier *simplifier, unsigned symbol, NornRef ref) {
  if (symbol < NORN_OP_MACHINE)
    return definition_by(simplifier->function, ref, symbol);
  return symbol < C0 || is_constant(ref);
}

/* Whether the rule is worth trying on an instruction with these first two operands (there may be
 * but one). Its second tree is known without a walk only if the first is a letter or constant. */
static bool
may_apply(const Simplifier *simplifier, const RewriteRule *rule, const NornRef refs[2],
          bool commutes) {
  unsigned first = rule->match[1], second = rule->match[2];
  if (!may_match(simplifier, first, refs[0]) &&
      !(commutes && may_match(simplifier, first, refs[1])))
    return false;
  if (first < NORN_OP_MACHINE || !second)
    return true;
  return may_match(simplifier, second, refs[1]) ||
         (commutes && may_match(simplifier, second, refs[0]));
}

/* Whether an operation may be made: of a type that it has and the target computes in, and after
 * lowering only what the target has instructions for. */
static bool
may_make(const Simplifier *simplifier, unsigned op, NornType type) {
  const NornPassContext *context = simplifier->context;
  NornInst inst = {.op = (uint16_t)op, .type = (uint8_t)type};
  if (!norn_type_in(norn_ops[op].types & ~context->target->missing_types, type))
    return false;
  return !context->is_lowered ||
         context->target->supports(context->target, simplifier->function, &inst);
}

static bool
may_make_all(const Simplifier *simplifier, const uint16_t *pattern, NornType type) {
  for (unsigned k = 0; k < RULE_LENGTH && pattern[k]; k++)
    if (pattern[k] < NORN_OP_MACHINE && !may_make(simplifier, pattern[k], type))
      return false;
  return true;
}

/* Whether the instruction and the products it adds may become one: only in code as it was written,
 * as expansions count on each of their roundings. */
static bool
may_contract(const Simplifier *simplifier, const NornInst *inst) {
  if (!simplifier->context->options->contract || simplifier->context->is_lowered ||
      inst->flags & NORN_INST_EXACT)
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = resolve(simplifier, simplifier->function->operands[inst->operand + k]);
    const NornInst *product = definition_by(simplifier->function, ref, FMUL);
    if (product && product->flags & NORN_INST_EXACT)
      return false;
  }
  return true;
}

static bool
holds(const Simplifier *simplifier, unsigned condition, const NornInst *inst, const Match *match) {
  uint64_t constants[2] = {0};
  for (unsigned k = 0; k < 2; k++)
    if (match->slots[C0 + k - A])
      constants[k] = norn_constant_bits(simplifier->module, match->slots[C0 + k - A]);
  unsigned width = norn_types[inst->type].lane_bits;
  bool is_scalar = norn_types[inst->type].lanes == 1;
  if ((condition & CANONICAL) && !is_canonical(simplifier, match->slots[0]))
    return false;
  if ((condition & NO_SIGNED_ZERO) && !(inst->flags & NORN_INST_NSZ))
    return false;
  if ((condition & NO_NAN) && !(inst->flags & NORN_INST_NNAN))
    return false;
  if ((condition & TO_NEAREST) && simplifier->module->rounding != NORN_ROUND_RTE)
    return false;
  if ((condition & POWER_OF_TWO) &&
      (!is_scalar || !constants[0] || (constants[0] & (constants[0] - 1))))
    return false;
  if ((condition & SUM_BELOW_WIDTH) && (!is_scalar || constants[0] + constants[1] >= width))
    return false;
  if ((condition & CONTRACT) && !may_contract(simplifier, inst))
    return false;
  if ((condition & SUM_IS_WIDTH) && (!is_scalar || constants[0] + constants[1] != width))
    return false;
  if ((condition & C0_IS_WIDTH) && (!is_scalar || constants[0] != width))
    return false;
  if ((condition & SUM_NOT_BELOW_WIDTH) && (!is_scalar || constants[0] + constants[1] < width))
    return false;
  return true;
}

/* --- Rewriting --- */

static NornRef
constant(Simplifier *simplifier, uint64_t bits) {
  return norn_constant(simplifier->module, bits);
}

/* The results of the instruction as constants if all its operands are such (already resolved);
 * how many, 0 if they are not. */
static unsigned
fold(Simplifier *simplifier, uint32_t index, NornRef folded[NORN_EVALUATE_RESULTS]) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = &function->insts[index];
  uint64_t bits[NORN_EVALUATE_OPERANDS] = {0}, results[NORN_EVALUATE_RESULTS] = {0};
  if (!inst->operand_count || inst->operand_count > NORN_EVALUATE_OPERANDS || !inst->result_count)
    return 0;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_operand(function, index, k);
    if (!is_constant(ref))
      return 0;
    bits[k] = norn_constant_bits(simplifier->module, ref);
  }
  NornEvaluator evaluator;
  if (!norn_evaluator_init(&evaluator, inst->op, inst->type, inst->source_type, inst->modifier,
                           &simplifier->environment) ||
      evaluator.operand_count != inst->operand_count ||
      evaluator.result_count != inst->result_count)
    return 0;
  norn_evaluate(&evaluator, bits, results);
  for (unsigned k = 0; k < inst->result_count; k++)
    folded[k] = constant(simplifier, results[k]);
  return inst->result_count;
}

/* A new instruction before `before` with the type and flags of that one, folded if it can be. */
static NornRef
insert(Simplifier *simplifier, uint32_t before, unsigned op, unsigned modifier,
       const NornRef *operands, unsigned count) {
  NornFunction *function = simplifier->function;
  NornBuilder builder = norn_builder_in_place_of(function, before);
  NornType type = function->insts[before].type;
  NornRef ref = norn_build_op(&builder, op, modifier, type, NORN_TYPE_VOID, operands, count);
  NornRef folded[NORN_EVALUATE_RESULTS];
  if (!fold(simplifier, norn_builder_last(&builder), folded))
    return ref;
  norn_inst_erase(function, norn_builder_last(&builder));
  return folded[0];
}

/* Builds the tree at *pattern, which is moved past it. */
static NornRef
build(Simplifier *simplifier, const uint16_t **pattern, uint32_t before, const Match *match) {
  unsigned symbol = *(*pattern)++;
  if (symbol >= A && symbol <= C1)
    return match->slots[symbol - A];
  if (symbol == LOG2_C0) {
    uint64_t bits = norn_constant_bits(simplifier->module, match->slots[C0 - A]);
    return constant(simplifier, (uint64_t)__builtin_ctzll(bits));
  }
  if (symbol > C1)
    return constant(simplifier, named_constant(symbol, match->type));
  NornRef operands[3] = {0};
  unsigned count = arity(symbol);
  for (unsigned k = 0; k < count; k++)
    operands[k] = build(simplifier, pattern, before, match);
  return insert(simplifier, before, symbol, 0, operands, count);
}

/* Makes the instruction another operation of the same type. */
static void
rewrite(Simplifier *simplifier, uint32_t index, unsigned op, const NornRef *operands,
        unsigned count) {
  norn_inst_become(simplifier->function, index, (uint16_t)op, 0, operands, count);
}

typedef enum { UNCHANGED, REWRITTEN, REPLACED } Outcome;

/* Applies the first rule that matches. REPLACED: *replacement is what the result equals. */
static Outcome
apply_rules(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornInst *inst = &simplifier->function->insts[index];
  if (simplifier->first_rule[inst->op] == NO_RULE)
    return UNCHANGED;
  bool commutes = norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE;
  NornRef refs[2] = {0};
  for (unsigned k = 0; k < inst->operand_count && k < G_N_ELEMENTS(refs); k++)
    refs[k] = resolve(simplifier, norn_operand(simplifier->function, index, k));
  for (unsigned k = simplifier->first_rule[inst->op]; k != NO_RULE; k = simplifier->next_rule[k]) {
    const RewriteRule *rule = &rules[k];
    Match match = {.type = inst->type};
    if (!may_apply(simplifier, rule, refs, commutes) ||
        !match_operands(simplifier, rule->match + 1, inst, &match) ||
        !holds(simplifier, rule->condition, inst, &match) ||
        !may_make_all(simplifier, rule->replacement, inst->type))
      continue;
    const uint16_t *pattern = rule->replacement;
    if (*pattern >= NORN_OP_MACHINE) {
      *replacement = build(simplifier, &pattern, index, &match);
      return REPLACED;
    }
    NornRef operands[3];
    unsigned op = *pattern++;
    unsigned count = arity(op);
    for (unsigned j = 0; j < count; j++)
      operands[j] = build(simplifier, &pattern, index, &match);
    rewrite(simplifier, index, op, operands, count);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* --- Identities that rules cannot say --- */

static const uint8_t inverse_int[] = {
    [NORN_INT_CONDITION_EQ] = NORN_INT_CONDITION_NE,
    [NORN_INT_CONDITION_NE] = NORN_INT_CONDITION_EQ,
    [NORN_INT_CONDITION_ULT] = NORN_INT_CONDITION_UGE,
    [NORN_INT_CONDITION_ULE] = NORN_INT_CONDITION_UGT,
    [NORN_INT_CONDITION_UGT] = NORN_INT_CONDITION_ULE,
    [NORN_INT_CONDITION_UGE] = NORN_INT_CONDITION_ULT,
    [NORN_INT_CONDITION_SLT] = NORN_INT_CONDITION_SGE,
    [NORN_INT_CONDITION_SLE] = NORN_INT_CONDITION_SGT,
    [NORN_INT_CONDITION_SGT] = NORN_INT_CONDITION_SLE,
    [NORN_INT_CONDITION_SGE] = NORN_INT_CONDITION_SLT,
};

static const uint8_t swapped_int[] = {
    [NORN_INT_CONDITION_EQ] = NORN_INT_CONDITION_EQ,
    [NORN_INT_CONDITION_NE] = NORN_INT_CONDITION_NE,
    [NORN_INT_CONDITION_ULT] = NORN_INT_CONDITION_UGT,
    [NORN_INT_CONDITION_ULE] = NORN_INT_CONDITION_UGE,
    [NORN_INT_CONDITION_UGT] = NORN_INT_CONDITION_ULT,
    [NORN_INT_CONDITION_UGE] = NORN_INT_CONDITION_ULE,
    [NORN_INT_CONDITION_SLT] = NORN_INT_CONDITION_SGT,
    [NORN_INT_CONDITION_SLE] = NORN_INT_CONDITION_SGE,
    [NORN_INT_CONDITION_SGT] = NORN_INT_CONDITION_SLT,
    [NORN_INT_CONDITION_SGE] = NORN_INT_CONDITION_SLE,
};

static const uint8_t inverse_float[] = {
    [NORN_FLOAT_CONDITION_OEQ] = NORN_FLOAT_CONDITION_UNE,
    [NORN_FLOAT_CONDITION_ONE] = NORN_FLOAT_CONDITION_UEQ,
    [NORN_FLOAT_CONDITION_OLT] = NORN_FLOAT_CONDITION_UGE,
    [NORN_FLOAT_CONDITION_OLE] = NORN_FLOAT_CONDITION_UGT,
    [NORN_FLOAT_CONDITION_OGT] = NORN_FLOAT_CONDITION_ULE,
    [NORN_FLOAT_CONDITION_OGE] = NORN_FLOAT_CONDITION_ULT,
    [NORN_FLOAT_CONDITION_ORD] = NORN_FLOAT_CONDITION_UNO,
    [NORN_FLOAT_CONDITION_UEQ] = NORN_FLOAT_CONDITION_ONE,
    [NORN_FLOAT_CONDITION_UNE] = NORN_FLOAT_CONDITION_OEQ,
    [NORN_FLOAT_CONDITION_ULT] = NORN_FLOAT_CONDITION_OGE,
    [NORN_FLOAT_CONDITION_ULE] = NORN_FLOAT_CONDITION_OGT,
    [NORN_FLOAT_CONDITION_UGT] = NORN_FLOAT_CONDITION_OLE,
    [NORN_FLOAT_CONDITION_UGE] = NORN_FLOAT_CONDITION_OLT,
    [NORN_FLOAT_CONDITION_UNO] = NORN_FLOAT_CONDITION_ORD,
};

static const uint8_t swapped_float[] = {
    [NORN_FLOAT_CONDITION_OEQ] = NORN_FLOAT_CONDITION_OEQ,
    [NORN_FLOAT_CONDITION_ONE] = NORN_FLOAT_CONDITION_ONE,
    [NORN_FLOAT_CONDITION_OLT] = NORN_FLOAT_CONDITION_OGT,
    [NORN_FLOAT_CONDITION_OLE] = NORN_FLOAT_CONDITION_OGE,
    [NORN_FLOAT_CONDITION_OGT] = NORN_FLOAT_CONDITION_OLT,
    [NORN_FLOAT_CONDITION_OGE] = NORN_FLOAT_CONDITION_OLE,
    [NORN_FLOAT_CONDITION_ORD] = NORN_FLOAT_CONDITION_ORD,
    [NORN_FLOAT_CONDITION_UEQ] = NORN_FLOAT_CONDITION_UEQ,
    [NORN_FLOAT_CONDITION_UNE] = NORN_FLOAT_CONDITION_UNE,
    [NORN_FLOAT_CONDITION_ULT] = NORN_FLOAT_CONDITION_UGT,
    [NORN_FLOAT_CONDITION_ULE] = NORN_FLOAT_CONDITION_UGE,
    [NORN_FLOAT_CONDITION_UGT] = NORN_FLOAT_CONDITION_ULT,
    [NORN_FLOAT_CONDITION_UGE] = NORN_FLOAT_CONDITION_ULE,
    [NORN_FLOAT_CONDITION_UNO] = NORN_FLOAT_CONDITION_UNO,
};

/* Constants to the right, shift amounts below the width. */
static void
canonicalize(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  NornInst *inst = &function->insts[index];
  NornRef *operands = &function->operands[inst->operand];
  if (inst->operand_count >= 2 && is_constant(operands[0]) && !is_constant(operands[1])) {
    bool is_compare = inst->op == ICMP || inst->op == FCMP;
    if (is_compare || (norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE)) {
      NornRef first = operands[0];
      operands[0] = operands[1];
      operands[1] = first;
    }
    if (is_compare)
      inst->modifier = (inst->op == ICMP ? swapped_int : swapped_float)[inst->modifier];
  }
  if ((inst->op == SHL || inst->op == LSHR || inst->op == ASHR) && is_constant(operands[1])) {
    uint64_t amount = norn_constant_bits(simplifier->module, operands[1]);
    uint64_t mask = splat(inst->type, norn_types[inst->type].lane_bits - 1);
    if (amount & ~mask)
      operands[1] = constant(simplifier, amount & mask);
  }
}

static Outcome
replace(NornRef *replacement, NornRef ref) {
  *replacement = ref;
  return REPLACED;
}

/* Whether the condition holds between a value and itself. */
static bool
holds_for_equals(unsigned condition) {
  switch (condition) {
  case NORN_INT_CONDITION_EQ:
  case NORN_INT_CONDITION_ULE:
  case NORN_INT_CONDITION_UGE:
  case NORN_INT_CONDITION_SLE:
  case NORN_INT_CONDITION_SGE:
    return true;
  default:
    return false;
  }
}

/* Comparisons with the end of the range: always so, never so, or an (in)equality. */
static Outcome
simplify_bound(Simplifier *simplifier, NornInst *inst, uint64_t bits, NornRef *replacement) {
  uint64_t mask = norn_type_mask(inst->type), sign = mask ^ (mask >> 1);
  static const struct {
    uint8_t condition;
    uint8_t bound; /* 0: zero, 1: all ones, 2: smallest signed, 3: largest signed */
    int8_t result; /* 0: false, 1: true, 2: equal, 3: not equal */
  } bounds[] = {
      {NORN_INT_CONDITION_ULT, 0, 0}, {NORN_INT_CONDITION_UGE, 0, 1},
      {NORN_INT_CONDITION_ULE, 0, 2}, {NORN_INT_CONDITION_UGT, 0, 3},
      {NORN_INT_CONDITION_UGT, 1, 0}, {NORN_INT_CONDITION_ULE, 1, 1},
      {NORN_INT_CONDITION_UGE, 1, 2}, {NORN_INT_CONDITION_ULT, 1, 3},
      {NORN_INT_CONDITION_SLT, 2, 0}, {NORN_INT_CONDITION_SGE, 2, 1},
      {NORN_INT_CONDITION_SLE, 2, 2}, {NORN_INT_CONDITION_SGT, 2, 3},
      {NORN_INT_CONDITION_SGT, 3, 0}, {NORN_INT_CONDITION_SLE, 3, 1},
      {NORN_INT_CONDITION_SGE, 3, 2}, {NORN_INT_CONDITION_SLT, 3, 3},
  };
  const uint64_t values[] = {0, mask, sign, sign - 1};
  for (unsigned k = 0; k < G_N_ELEMENTS(bounds); k++) {
    if (inst->modifier != bounds[k].condition || bits != values[bounds[k].bound])
      continue;
    if (bounds[k].result <= 1)
      return replace(replacement, constant(simplifier, (uint64_t)bounds[k].result));
    inst->modifier = bounds[k].result == 2 ? NORN_INT_CONDITION_EQ : NORN_INT_CONDITION_NE;
    return REWRITTEN;
  }
  return UNCHANGED;
}

static Outcome
simplify_icmp(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  NornInst *inst = &function->insts[index];
  NornRef *operands = &function->operands[inst->operand];
  NornRef left = operands[0], right = operands[1];
  if (left == right)
    return replace(replacement, constant(simplifier, holds_for_equals(inst->modifier)));
  if (!is_constant(right))
    return UNCHANGED;
  uint64_t bits = norn_constant_bits(simplifier->module, right);
  Outcome outcome = simplify_bound(simplifier, inst, bits, replacement);
  if (outcome != UNCHANGED)
    return outcome;
  if (inst->modifier != NORN_INT_CONDITION_EQ && inst->modifier != NORN_INT_CONDITION_NE)
    return UNCHANGED;
  const NornInst *inner = definition(function, left);
  if (!inner || norn_is_machine(inner))
    return UNCHANGED;
  NornRef a =
      inner->operand_count > 0 ? resolve(simplifier, function->operands[inner->operand]) : 0;
  NornRef b =
      inner->operand_count > 1 ? resolve(simplifier, function->operands[inner->operand + 1]) : 0;
  if ((inner->op == IADD || inner->op == XOR) && is_constant(b)) {
    uint64_t other = norn_constant_bits(simplifier->module, b);
    uint64_t mask = norn_type_mask(inst->type);
    NornRef moved = constant(simplifier, inner->op == IADD ? (bits - other) & mask : bits ^ other);
    operands = &function->operands[inst->operand];
    operands[0] = a;
    operands[1] = moved;
    return REWRITTEN;
  }
  if ((inner->op == ISUB || inner->op == XOR) && bits == 0) {
    operands[0] = a;
    operands[1] = b;
    return REWRITTEN;
  }
  if ((inner->op == ZEXT || inner->op == SEXT) && inner->source_type == NORN_TYPE_I1 && bits == 0) {
    if (inst->modifier == NORN_INT_CONDITION_NE)
      return replace(replacement, a);
    inst->type = NORN_TYPE_I1;
    rewrite(simplifier, index, NOT, &a, 1);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* The complement of a comparison is a comparison. */
static Outcome
simplify_not(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inner = definition(function, norn_operand(function, index, 0));
  if (!inner || (inner->op != ICMP && inner->op != FCMP))
    return UNCHANGED;
  uint8_t modifier = (inner->op == ICMP ? inverse_int : inverse_float)[inner->modifier];
  uint8_t type = inner->type;
  NornRef operands[2] = {resolve(simplifier, function->operands[inner->operand]),
                         resolve(simplifier, function->operands[inner->operand + 1])};
  rewrite(simplifier, index, inner->op, operands, 2);
  function->insts[index].modifier = modifier;
  function->insts[index].type = type;
  return REWRITTEN;
}

/* Selection between booleans is logic. */
static Outcome
simplify_bool_select(Simplifier *simplifier, uint32_t index, NornRef condition, NornRef yes,
                     NornRef no, NornRef *replacement) {
  bool yes_true = is_constant_of(simplifier, yes, 1),
       yes_false = is_constant_of(simplifier, yes, 0);
  bool no_true = is_constant_of(simplifier, no, 1), no_false = is_constant_of(simplifier, no, 0);
  if (yes_true && no_false)
    return replace(replacement, condition);
  if (yes_false && no_true) {
    rewrite(simplifier, index, NOT, &condition, 1);
    return REWRITTEN;
  }
  if (yes_true || no_false) {
    NornRef operands[2] = {condition, yes_true ? no : yes};
    rewrite(simplifier, index, yes_true ? OR : AND, operands, 2);
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* select(a < b, a, b) is the smaller, and so on. */
static Outcome
simplify_minimum(Simplifier *simplifier, uint32_t index, const NornInst *compare, NornRef yes,
                 NornRef no) {
  NornFunction *function = simplifier->function;
  if (compare->op != ICMP || compare->type != function->insts[index].type)
    return UNCHANGED;
  NornRef left = resolve(simplifier, function->operands[compare->operand]);
  NornRef right = resolve(simplifier, function->operands[compare->operand + 1]);
  bool is_straight = left == yes && right == no, is_crossed = left == no && right == yes;
  if (!is_straight && !is_crossed)
    return UNCHANGED;
  unsigned condition = is_straight ? compare->modifier : swapped_int[compare->modifier];
  unsigned op;
  switch (condition) {
  case NORN_INT_CONDITION_ULT:
  case NORN_INT_CONDITION_ULE:
    op = UMIN;
    break;
  case NORN_INT_CONDITION_UGT:
  case NORN_INT_CONDITION_UGE:
    op = UMAX;
    break;
  case NORN_INT_CONDITION_SLT:
  case NORN_INT_CONDITION_SLE:
    op = SMIN;
    break;
  case NORN_INT_CONDITION_SGT:
  case NORN_INT_CONDITION_SGE:
    op = SMAX;
    break;
  default:
    return UNCHANGED;
  }
  if (!may_make(simplifier, op, function->insts[index].type))
    return UNCHANGED;
  rewrite(simplifier, index, op, (NornRef[]){yes, no}, 2);
  return REWRITTEN;
}

static Outcome
simplify_select(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  NornInst *inst = &function->insts[index];
  NornRef condition = norn_operand(function, index, 0);
  NornRef yes = norn_operand(function, index, 1), no = norn_operand(function, index, 2);
  if (yes == no)
    return replace(replacement, yes);
  if (is_constant(condition))
    return replace(replacement, is_constant_of(simplifier, condition, 1) ? yes : no);
  if (inst->type == NORN_TYPE_I1) {
    Outcome outcome = simplify_bool_select(simplifier, index, condition, yes, no, replacement);
    if (outcome != UNCHANGED)
      return outcome;
  }
  const NornInst *inner = definition(function, condition);
  if (!inner)
    return UNCHANGED;
  if (inner->op == NOT) {
    NornRef operands[3] = {resolve(simplifier, function->operands[inner->operand]), no, yes};
    norn_inst_set_operands(function, index, operands, 3);
    return REWRITTEN;
  }
  return simplify_minimum(simplifier, index, inner, yes, no);
}

/* Chains of extensions, truncations and bit casts. */
static Outcome
simplify_conversion(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  NornInst *inst = &function->insts[index];
  if (inst->type == inst->source_type)
    return replace(replacement, norn_operand(function, index, 0));
  const NornInst *inner = definition(function, norn_operand(function, index, 0));
  if (!inner || norn_is_machine(inner) || inner->operand_count != 1)
    return UNCHANGED;
  NornRef source = resolve(simplifier, function->operands[inner->operand]);
  bool inner_extends = inner->op == ZEXT || inner->op == SEXT;
  uint8_t source_type = inner->source_type;
  unsigned op;
  if (inst->op == BITCAST && inner->op == BITCAST)
    op = BITCAST;
  else if (inst->op == TRUNC && inner->op == TRUNC)
    op = TRUNC;
  else if ((inst->op == ZEXT && inner->op == ZEXT) || (inst->op == SEXT && inner_extends))
    op = inner->op;
  else if (inst->op == TRUNC && inner_extends)
    op = norn_type_bits(inst->type) < norn_type_bits(source_type) ? TRUNC : inner->op;
  else if (inst->op == ZEXT && inner->op == TRUNC && source_type == inst->type) {
    NornRef operands[2] = {source, constant(simplifier, norn_type_mask(inner->type))};
    rewrite(simplifier, index, AND, operands, 2);
    return REWRITTEN;
  } else
    return UNCHANGED;
  if (source_type == inst->type)
    return replace(replacement, source);
  rewrite(simplifier, index, op, &source, 1);
  function->insts[index].source_type = source_type;
  return REWRITTEN;
}

/* The left-shift of an extended word that `ref` is, in a shape shladd takes. */
static bool
match_scaled_word(const Simplifier *simplifier, NornRef ref, NornRef *word, uint64_t *shift,
                  unsigned *extend) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = definition_by(function, ref, SHL);
  *shift = 0;
  if (inst) {
    NornRef amount = resolve(simplifier, function->operands[inst->operand + 1]);
    if (!is_constant(amount))
      return false;
    *shift = norn_constant_bits(simplifier->module, amount) & 63;
    inst = definition(function, resolve(simplifier, function->operands[inst->operand]));
  } else {
    inst = definition(function, ref);
  }
  if (!inst || *shift > 7 || (inst->op != ZEXT && inst->op != SEXT) ||
      inst->source_type != NORN_TYPE_I32)
    return false;
  *extend = inst->op == ZEXT ? NORN_EXTEND_U32 : NORN_EXTEND_S32;
  *word = resolve(simplifier, function->operands[inst->operand]);
  return true;
}

/* base + (extended word << constant) is shladd. */
static Outcome
simplify_address(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  if (function->insts[index].type != NORN_TYPE_I64)
    return UNCHANGED;
  for (unsigned k = 0; k < 2; k++) {
    NornRef word, base = norn_operand(function, index, 1 - k);
    uint64_t shift;
    unsigned extend;
    if (!match_scaled_word(simplifier, norn_operand(function, index, k), &word, &shift, &extend))
      continue;
    NornRef operands[3] = {base, word, constant(simplifier, shift)};
    rewrite(simplifier, index, SHLADD, operands, 3);
    function->insts[index].modifier = (uint8_t)extend;
    return REWRITTEN;
  }
  return UNCHANGED;
}

/* A constant index becomes a sum; a constant in the base moves outward, where memory accesses take
 * it as their offset. */
static Outcome
simplify_shladd(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *inst = &function->insts[index];
  NornRef base = norn_operand(function, index, 0), word = norn_operand(function, index, 1);
  if (is_constant(word)) {
    uint64_t bits = norn_constant_bits(simplifier->module, word);
    uint64_t shift = norn_constant_bits(simplifier->module, norn_operand(function, index, 2));
    if (inst->modifier == NORN_EXTEND_S32)
      bits = (uint64_t)(int64_t)(int32_t)bits;
    NornRef operands[2] = {base, constant(simplifier, bits << (shift & 7))};
    rewrite(simplifier, index, IADD, operands, 2);
    return REWRITTEN;
  }
  const NornInst *inner = definition_by(function, base, IADD);
  if (!inner)
    return UNCHANGED;
  NornRef addend = resolve(simplifier, function->operands[inner->operand + 1]);
  if (!is_constant(addend))
    return UNCHANGED;
  NornRef operands[3] = {resolve(simplifier, function->operands[inner->operand]), word,
                         norn_operand(function, index, 2)};
  NornRef sum = insert(simplifier, index, SHLADD, inst->modifier, operands, 3);
  rewrite(simplifier, index, IADD, (NornRef[]){sum, addend}, 2);
  return REWRITTEN;
}

/* An address that is a sum with a constant: the constant joins the offset. */
static Outcome
simplify_access(Simplifier *simplifier, uint32_t index, unsigned address) {
  NornFunction *function = simplifier->function;
  const NornInst *sum = definition_by(function, norn_operand(function, index, address), IADD);
  if (!sum)
    return UNCHANGED;
  NornRef addend = resolve(simplifier, function->operands[sum->operand + 1]);
  if (!is_constant(addend))
    return UNCHANGED;
  NornInst *inst = &function->insts[index];
  int64_t constant_part = (int64_t)norn_constant_bits(simplifier->module, addend);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  if (__builtin_add_overflow(offset, constant_part, &offset) ||
      offset < norn_immediate_minimum(NORN_IMMEDIATE_OFFSET) ||
      offset > norn_immediate_maximum(NORN_IMMEDIATE_OFFSET))
    return UNCHANGED;
  inst->payload = norn_set_immediate(inst->payload, NORN_IMMEDIATE_OFFSET, offset);
  function->operands[inst->operand + address] =
      resolve(simplifier, function->operands[sum->operand]);
  return REWRITTEN;
}

/* The identities of one operation beyond the rules. */
static Outcome
simplify_special(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  NornFunction *function = simplifier->function;
  switch (function->insts[index].op) {
  case COPY:
    return replace(replacement, norn_operand(function, index, 0));
  case ICMP:
    return simplify_icmp(simplifier, index, replacement);
  case NOT:
    return simplify_not(simplifier, index);
  case SELECT:
    return simplify_select(simplifier, index, replacement);
  case ZEXT:
  case SEXT:
  case TRUNC:
  case BITCAST:
    return simplify_conversion(simplifier, index, replacement);
  case IADD:
    return simplify_address(simplifier, index);
  case SHLADD:
    return simplify_shladd(simplifier, index);
  case LOAD_GLOBAL:
    return simplify_access(simplifier, index, 0);
  case STORE_GLOBAL:
    return simplify_access(simplifier, index, 1);
  default:
    return UNCHANGED;
  }
}

/* The words of a group that was just collected. */
static void
simplify_split(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *split = &function->insts[index];
  const NornInst *collect = definition_by(function, norn_operand(function, index, 0), COLLECT);
  if (!collect || collect->type != split->type)
    return;
  for (unsigned k = 0; k < split->result_count; k++)
    norn_replacements_set(&simplifier->replacements, split->result + k,
                          resolve(simplifier, function->operands[collect->operand + k]));
}

static void
simplify_inst(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  NornInst *inst = &function->insts[index];
  for (unsigned k = 0; k < inst->operand_count; k++)
    function->operands[inst->operand + k] =
        resolve(simplifier, function->operands[inst->operand + k]);
  if (inst->op == SPLIT)
    simplify_split(simplifier, index);
  for (unsigned k = 0; k < REWRITES; k++) {
    NornRef replacement = 0;
    Outcome outcome = UNCHANGED;
    canonicalize(simplifier, index);
    NornRef folded[NORN_EVALUATE_RESULTS];
    unsigned count = fold(simplifier, index, folded);
    for (unsigned result = 0; result < count; result++)
      norn_replacements_set(&simplifier->replacements, function->insts[index].result + result,
                            folded[result]);
    if (count) {
      norn_inst_erase(function, index);
      return;
    }
    outcome = simplify_special(simplifier, index, &replacement);
    if (outcome == UNCHANGED)
      outcome = apply_rules(simplifier, index, &replacement);
    if (outcome == UNCHANGED)
      return;
    simplifier->changed = true;
    if (outcome == REPLACED) {
      uint32_t value = function->insts[index].result;
      norn_replacements_set(&simplifier->replacements, value, replacement);
      norn_inst_erase(function, index);
      return;
    }
  }
}

static void
chain_rules(Simplifier *simplifier) {
  for (unsigned op = 0; op < NORN_OP_COUNT; op++)
    simplifier->first_rule[op] = NO_RULE;
  for (unsigned k = RULE_COUNT; k-- > 0;) {
    uint16_t *first = &simplifier->first_rule[rules[k].match[0]];
    simplifier->next_rule[k] = *first;
    *first = (uint16_t)k;
  }
}

static NornFloatEnvironment
float_environment(const NornModule *module) {
  static const NornRoundMode modes[] = {
      [NORN_ROUND_RTE] = NORN_ROUND_NEAREST_EVEN, [NORN_ROUND_RTP] = NORN_ROUND_UP,
      [NORN_ROUND_RTN] = NORN_ROUND_DOWN,         [NORN_ROUND_RTZ] = NORN_ROUND_ZERO,
      [NORN_ROUND_RNA] = NORN_ROUND_NEAREST_AWAY,
  };
  bool flush = module->denormals == NORN_DENORMALS_FLUSH;
  return (NornFloatEnvironment){modes[module->rounding], {flush, flush, flush}};
}

bool
norn_pass_simplify(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  Simplifier simplifier = {.context = context,
                           .module = context->module,
                           .function = function,
                           .replacements.arena = &context->arena};
  simplifier.environment = float_environment(context->module);
  chain_rules(&simplifier);
  const NornDominance *dominance = norn_pass_dominance(context, function);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k];
    for (uint32_t inst = function->blocks[block].first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      if (!norn_pass_continues(context, 1))
        break;
      next = function->insts[inst].next;
      simplify_inst(&simplifier, inst);
    }
  }
  norn_replacements_apply(&simplifier.replacements, function);
  norn_pass_report(context, simplifier.changed);
  return true;
}
