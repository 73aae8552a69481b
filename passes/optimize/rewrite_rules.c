/* The rules of algebra.def: matching instructions against them and building what takes their place.
 *
 * A rule is two trees in prefix order. A tree is matched from the instruction up through the
 * definitions of its operands; letters stand for any value, the same letter for the same one. A
 * replacement is built only of operations that may be made. */
#include "ir/builder.h"
#include "passes/optimize/algebra.h"
#include "passes/optimize/simplify.h"

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

/* The rules that begin with each operation, in the order in which they are tried. */
typedef struct RuleChains {
  uint16_t first[NORN_OP_COUNT], next[RULE_COUNT];
} RuleChains;

/* What the letters of a rule stand for. */
typedef struct Match {
  NornRef slots[C1 - A + 1];
  NornType type;
} Match;

uint64_t
norn_algebra_constant(unsigned name, NornType type) {
  unsigned width = norn_types[type].lane_bits;
  NornFloatFormat format = norn_float_of_width(width);
  switch (name) {
  case ONE:
    return norn_simplify_splat(type, 1);
  case ONES:
    return norn_simplify_splat(type, norn_int_mask(width));
  case SMALLEST:
  case NEGATIVE_ZERO:
    return norn_simplify_splat(type, UINT64_C(1) << (width - 1));
  case LARGEST:
    return norn_simplify_splat(type, norn_int_mask(width - 1));
  case FLOAT_ONE:
  case FLOAT_MINUS_ONE:
    return norn_simplify_splat(type, norn_float_one(format, name == FLOAT_MINUS_ONE));
  case FLOAT_TWO:
  case FLOAT_FOUR:
    return norn_simplify_splat(type, norn_float_from_double(format, name == FLOAT_TWO ? 2 : 4));
  case WIDTH_MINUS_ONE:
    return norn_simplify_splat(type, width - 1);
  default:
    return 0;
  }
}

/* Whether float arithmetic made it, so that another such operation would not change its bits but
 * for what it computes. */
static bool
is_canonical(const Simplifier *simplifier, NornRef ref) {
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  return inst &&
         (norn_simplify_is_float_arithmetic(inst->op) || inst->op == SITOFP || inst->op == UITOFP);
}

/* Whether it is canonical, and that operation makes no -0. */
static bool
is_canonical_not_negative_zero(const Simplifier *simplifier, NornRef ref) {
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  return inst && (inst->op == SITOFP || inst->op == UITOFP || inst->op == FCLAMP_POS ||
                  inst->op == FSAT || inst->op == FEXP2 || inst->op == FPOW);
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

/* Matches the operands of `inst` against the trees from `pattern` on, the first two exchanged if so
 * asked. */
static bool
match_in_order(const Simplifier *simplifier, const uint16_t *pattern, const NornInst *inst,
               bool exchanged, Match *match) {
  const NornRef *operands = norn_operands(simplifier->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[exchanged && k < 2 ? 1 - k : k];
    if (!match_tree(simplifier, pattern, norn_simplify_resolve(simplifier, ref), match))
      return false;
    pattern = skip_tree(pattern);
  }
  return true;
}

static bool
match_operands(const Simplifier *simplifier, const uint16_t *pattern, const NornInst *inst,
               Match *match) {
  if (!(norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE))
    return match_in_order(simplifier, pattern, inst, false, match);
  Match before = *match;
  if (match_in_order(simplifier, pattern, inst, false, match))
    return true;
  *match = before;
  return match_in_order(simplifier, pattern, inst, true, match);
}

static bool
match_tree(const Simplifier *simplifier, const uint16_t *pattern, NornRef ref, Match *match) {
  unsigned symbol = *pattern;
  if (symbol < NORN_OP_MACHINE) {
    const NornInst *inst = norn_simplify_definition_by(simplifier->function, ref, symbol);
    return inst && inst->type == match->type &&
           match_operands(simplifier, pattern + 1, inst, match);
  }
  if (symbol > C1)
    return norn_simplify_is_constant(ref) && norn_constant_bits(simplifier->module, ref) ==
                                                 norn_algebra_constant(symbol, match->type);
  if (symbol >= C0 && !norn_simplify_is_constant(ref))
    return false;
  NornRef *slot = &match->slots[symbol - A];
  if (!*slot)
    *slot = ref;
  return *slot == ref;
}

/* What a value is at first sight: the operation that makes it, C0 for a constant, A for the rest.
 */
static unsigned
first_sight(const Simplifier *simplifier, NornRef ref) {
  if (norn_simplify_is_constant(ref))
    return C0;
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  return inst && !norn_is_machine(inst) ? inst->op : A;
}

/* Whether the tree that starts with `symbol` could match what is `sight` at first sight. */
static bool
may_match(unsigned symbol, unsigned sight) {
  return symbol < NORN_OP_MACHINE || symbol >= C0 ? sight == MIN(symbol, C0) : true;
}

/* Whether the rule is worth trying on an instruction whose first two operands (there may be but
 * one) are these at first sight. Its second tree is known without a walk only if the first is a
 * letter or constant. */
static bool
may_apply(const RewriteRule *rule, const unsigned sights[2], bool commutes) {
  unsigned first = rule->match[1], second = rule->match[2];
  if (!may_match(first, sights[0]) && !(commutes && may_match(first, sights[1])))
    return false;
  if (first < NORN_OP_MACHINE || !second)
    return true;
  return may_match(second, sights[1]) || (commutes && may_match(second, sights[0]));
}

bool
norn_simplify_may_make(const Simplifier *simplifier, unsigned op, NornType type) {
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
    if (pattern[k] < NORN_OP_MACHINE && !norn_simplify_may_make(simplifier, pattern[k], type))
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
  const NornRef *operands = norn_operands(simplifier->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_simplify_resolve(simplifier, operands[k]);
    const NornInst *product = norn_simplify_definition_by(simplifier->function, ref, FMUL);
    if (!product)
      product = norn_simplify_definition_by(simplifier->function, ref, FADD); /* with itself */
    if (product && product->flags & NORN_INST_EXACT)
      return false;
  }
  return true;
}

/* Whether the instruction may take NaN and infinities for anything: only in code as it was written,
 * as expansions count on what operations make of them. */
static bool
is_finite(const Simplifier *simplifier, const NornInst *inst) {
  return !simplifier->context->is_lowered && norn_inst_is_finite(inst);
}

static bool
holds(const Simplifier *simplifier, unsigned condition, const NornInst *inst, const Match *match) {
  uint64_t constants[2] = {0};
  for (unsigned k = 0; k < 2; k++)
    if (match->slots[C0 + k - A])
      constants[k] = norn_constant_bits(simplifier->module, match->slots[C0 + k - A]);
  unsigned width = norn_types[inst->type].lane_bits;
  bool is_scalar = norn_types[inst->type].lanes == 1;
  /* Where NaN may be anything and subnormals stay, all floats are as arithmetic makes them. */
  bool keeps =
      is_finite(simplifier, inst) && simplifier->module->denormals == NORN_DENORMALS_PRESERVE;
  if ((condition & CANONICAL) && !keeps && !is_canonical(simplifier, match->slots[0]))
    return false;
  if ((condition & CANONICAL_NOT_NEGATIVE_ZERO) &&
      !is_canonical_not_negative_zero(simplifier, match->slots[0]))
    return false;
  if ((condition & NO_SIGNED_ZERO) && !(inst->flags & (NORN_INST_NSZ | NORN_INST_FINITE)))
    return false;
  if ((condition & NO_NAN) && !(inst->flags & (NORN_INST_NNAN | NORN_INST_FINITE)))
    return false;
  if ((condition & FINITE) && !is_finite(simplifier, inst))
    return false;
  if ((condition & SUBNORMALS_STAY) && simplifier->module->denormals != NORN_DENORMALS_PRESERVE)
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
  if ((condition & COMPLEMENTS) && (constants[0] ^ constants[1]) != norn_type_mask(inst->type))
    return false;
  if ((condition & SUM_NOT_BELOW_WIDTH) && (!is_scalar || constants[0] + constants[1] < width))
    return false;
  return true;
}

/* Builds the tree at *pattern, which is moved past it. */
static NornRef
build(Simplifier *simplifier, const uint16_t **pattern, uint32_t before, const Match *match) {
  unsigned symbol = *(*pattern)++;
  if (symbol >= A && symbol <= C1)
    return match->slots[symbol - A];
  if (symbol == LOG2_C0) {
    uint64_t bits = norn_constant_bits(simplifier->module, match->slots[C0 - A]);
    return norn_simplify_constant(simplifier, (uint64_t)__builtin_ctzll(bits));
  }
  if (symbol > C1)
    return norn_simplify_constant(simplifier, norn_algebra_constant(symbol, match->type));
  NornRef operands[3] = {0};
  unsigned count = arity(symbol);
  for (unsigned k = 0; k < count; k++)
    operands[k] = build(simplifier, pattern, before, match);
  return norn_simplify_insert(simplifier, before, symbol, 0, operands, count);
}

Outcome
norn_simplify_by_rules(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  if (simplifier->rules->first[inst->op] == NO_RULE)
    return UNCHANGED;
  bool commutes = norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE;
  const NornRef *refs = norn_operands(simplifier->function, inst);
  unsigned sights[2] = {A, A};
  for (unsigned k = 0; k < inst->operand_count && k < G_N_ELEMENTS(sights); k++)
    sights[k] = first_sight(simplifier, norn_simplify_resolve(simplifier, refs[k]));
  for (unsigned k = simplifier->rules->first[inst->op]; k != NO_RULE;
       k = simplifier->rules->next[k]) {
    const RewriteRule *rule = &rules[k];
    if (!may_apply(rule, sights, commutes))
      continue;
    Match match = {.type = inst->type};
    if (!match_operands(simplifier, rule->match + 1, inst, &match) ||
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
    norn_simplify_rewrite(simplifier, index, op, operands, count);
    return REWRITTEN;
  }
  return UNCHANGED;
}

const RuleChains *
norn_simplify_chain_rules(NornArena *arena) {
  RuleChains *chains = NORN_NEW(arena, RuleChains, 1);
  for (unsigned op = 0; op < NORN_OP_COUNT; op++)
    chains->first[op] = NO_RULE;
  for (unsigned k = RULE_COUNT; k-- > 0;) {
    uint16_t *first = &chains->first[rules[k].match[0]];
    chains->next[k] = *first;
    *first = (uint16_t)k;
  }
  return chains;
}
