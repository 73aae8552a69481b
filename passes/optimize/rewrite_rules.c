/* The rules of algebra.def: matches instructions against them and builds their replacements.
 *
 * A rule is two trees in prefix order. A tree is matched from the instruction up through the
 * definitions of its operands; a letter stands for any value, but always for the same one. A
 * replacement is built only of operations that may be created. */
#include "ir/builder.h"
#include "passes/optimize/rule_index.h"
#include "passes/optimize/simplify.h"

/* The values that the letters of a rule stand for. */
typedef struct Match {
  NornRef slots[C1 - A + 1];
  NornType type;
} Match;

/* Whether float arithmetic computed the value, so that another such operation would change its bits
 * only by what it computes. */
static bool
is_canonical(const Simplifier *simplifier, NornRef ref) {
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  return inst &&
         (norn_simplify_is_float_arithmetic(inst->op) || inst->op == SITOFP || inst->op == UITOFP);
}

/* Whether it is canonical, and the operation that computes it never returns -0. */
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

static const uint16_t *match_tree(const Simplifier *simplifier, const uint16_t *pattern,
                                  NornRef ref, Match *match);

/* Matches the operands of `inst` against the trees from `pattern` on, with the first two swapped if
 * `exchanged` is set. Returns what follows the trees, or NULL. */
static const uint16_t *
match_in_order(const Simplifier *simplifier, const uint16_t *pattern, const NornInst *inst,
               bool exchanged, Match *match) {
  const NornRef *operands = norn_operands(simplifier->function, inst);
  for (unsigned k = 0; k < inst->operand_count && pattern; k++) {
    NornRef ref = operands[exchanged && k < 2 ? 1 - k : k];
    pattern = match_tree(simplifier, pattern, norn_simplify_resolve(simplifier, ref), match);
  }
  return pattern;
}

/* The same in any operand order that the operation allows. */
static const uint16_t *
match_operands(const Simplifier *simplifier, const uint16_t *pattern, const NornInst *inst,
               Match *match) {
  if (!(norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE))
    return match_in_order(simplifier, pattern, inst, false, match);
  Match before = *match;
  const uint16_t *behind = match_in_order(simplifier, pattern, inst, false, match);
  if (behind)
    return behind;
  *match = before;
  return match_in_order(simplifier, pattern, inst, true, match);
}

/* The same for one value and one tree. */
static const uint16_t *
match_tree(const Simplifier *simplifier, const uint16_t *pattern, NornRef ref, Match *match) {
  unsigned symbol = *pattern++;
  if (symbol < NORN_OP_MACHINE) {
    const NornInst *inst = norn_simplify_definition_by(simplifier->function, ref, symbol);
    return inst && inst->type == match->type ? match_operands(simplifier, pattern, inst, match)
                                             : NULL;
  }
  bool is_constant = norn_is_constant(ref);
  if (symbol > C1)
    return is_constant && norn_constant_bits(simplifier->module, ref) ==
                              norn_rule_index.constants[match->type][symbol - ZERO]
               ? pattern
               : NULL;
  if (symbol >= C0 && !is_constant)
    return NULL;
  NornRef *slot = &match->slots[symbol - A];
  if (!*slot)
    *slot = ref;
  return *slot == ref ? pattern : NULL;
}

/* How an operand of an instruction of the given type looks: a bit for each sight. One of another
 * type only matches letters. */
static uint64_t
look_at(const Simplifier *simplifier, NornRef ref, NornType type) {
  if (norn_is_constant(ref)) {
    const uint64_t *named = norn_rule_index.constants[type];
    uint64_t bits = norn_constant_bits(simplifier->module, ref);
    uint64_t sights = UINT64_C(1) << SIGHT_CONSTANT;
    for (unsigned j = 0; j < NAMED_CONSTANTS; j++)
      sights |= (uint64_t)(bits == named[j]) << (SIGHT_NAMED + j);
    return sights;
  }
  const NornInst *inst = norn_defining_inst(simplifier->function, ref);
  bool is_operation = inst && !norn_is_machine(inst) && inst->type == type;
  return UINT64_C(1) << (is_operation ? norn_rule_index.sights[inst->op] : SIGHT_OTHER);
}

/* The rules that may match if operand `k` of an instruction looks so. */
static RuleBits
rules_matching(const RuleSet *set, unsigned k, uint64_t sights) {
  RuleBits rules = 0;
  for (; sights; sights &= sights - 1)
    rules |= set->matching[k][__builtin_ctzll(sights)];
  return rules;
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

/* Whether the instruction and the products that it adds may be contracted: only before lowering,
 * since expansions rely on each of their roundings. */
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
      product = norn_simplify_definition_by(simplifier->function, ref,
                                            FADD); /* of an operand with itself */
    if (product && product->flags & NORN_INST_EXACT)
      return false;
  }
  return true;
}

/* Whether NaN and infinities need not be respected: only before lowering, since expansions rely on
 * how operations treat them. */
static bool
is_finite(const Simplifier *simplifier, const NornInst *inst) {
  return !simplifier->context->is_lowered && norn_inst_is_finite(inst);
}

/* Whether the addend is the better product to contract: one that is only used by this sum, while
 * the matched product has other uses. */
static bool
adds_better_product(Simplifier *simplifier, const NornInst *inst, const Match *match) {
  const NornFunction *function = simplifier->function;
  const NornRef *operands = norn_operands(function, inst);
  NornRef added = match->slots[C - A], taken = norn_simplify_resolve(simplifier, operands[0]);
  if (taken == added)
    taken = norn_simplify_resolve(simplifier, operands[1]);
  return added && norn_simplify_definition_by(function, added, FMUL) &&
         norn_simplify_definition_by(function, taken, FMUL) &&
         norn_simplify_has_one_use(simplifier, norn_ref_payload(added)) &&
         !norn_simplify_has_one_use(simplifier, norn_ref_payload(taken));
}

/* Whether a letter stands for the value, or it is a constant. */
static bool
is_letter(const Match *match, NornRef ref) {
  bool found = norn_ref_kind(ref) != NORN_REF_VALUE;
  for (unsigned slot = 0; slot < G_N_ELEMENTS(match->slots); slot++)
    found |= match->slots[slot] == ref;
  return found;
}

/* Whether NaN need not be respected, neither by the instruction nor by the operations that compute
 * the operands, down to those that letters stand for: these may not pass on a NaN. */
static bool
ignores_nan(const Simplifier *simplifier, const NornInst *inst, const Match *match) {
  const NornRef *operands = norn_operands(simplifier->function, inst);
  if (!(inst->flags & (NORN_INST_NNAN | NORN_INST_FINITE)))
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_simplify_resolve(simplifier, operands[k]);
    if (!is_letter(match, ref) &&
        !ignores_nan(simplifier, norn_defining_inst(simplifier->function, ref), match))
      return false;
  }
  return true;
}

/* Whether the operations that compute the operands, down to those that letters stand for, have no
 * other use. */
static bool
are_only_uses(Simplifier *simplifier, const NornInst *inst, const Match *match) {
  const NornRef *operands = norn_operands(simplifier->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_simplify_resolve(simplifier, operands[k]);
    if (!is_letter(match, ref) &&
        (!norn_simplify_has_one_use(simplifier, norn_ref_payload(ref)) ||
         !are_only_uses(simplifier, norn_defining_inst(simplifier->function, ref), match)))
      return false;
  }
  return true;
}

/* Whether the bits of each lane, without its sign if `has_sign`, are at most `max`. */
static bool
are_lanes_at_most(NornType type, uint64_t bits, bool has_sign, uint64_t max) {
  unsigned width = norn_types[type].lane_bits;
  for (unsigned k = 0; k < norn_types[type].lanes; k++)
    if ((bits >> (k * width) & norn_int_mask(width - has_sign)) > max)
      return false;
  return true;
}

static bool
holds(Simplifier *simplifier, unsigned condition, const NornInst *inst, const Match *match) {
  uint64_t constants[2] = {0};
  for (unsigned k = 0; k < 2; k++)
    if (match->slots[C0 + k - A])
      constants[k] = norn_constant_bits(simplifier->module, match->slots[C0 + k - A]);
  unsigned width = norn_types[inst->type].lane_bits;
  bool is_scalar = norn_types[inst->type].lanes == 1;
  /* If NaN may be anything and subnormals are preserved, all floats are canonical. */
  bool keeps =
      is_finite(simplifier, inst) && simplifier->module->denormals == NORN_DENORMALS_PRESERVE;
  if ((condition & CANONICAL) && !keeps && !is_canonical(simplifier, match->slots[0]))
    return false;
  if ((condition & CANONICAL_NOT_NEGATIVE_ZERO) &&
      !is_canonical_not_negative_zero(simplifier, match->slots[0]))
    return false;
  if ((condition & NO_SIGNED_ZERO) && !(inst->flags & (NORN_INST_NSZ | NORN_INST_FINITE)))
    return false;
  if ((condition & NO_NAN) && !ignores_nan(simplifier, inst, match))
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
  if ((condition & CONTRACT) &&
      (!may_contract(simplifier, inst) || adds_better_product(simplifier, inst, match)))
    return false;
  if ((condition & SUM_IS_WIDTH) && (!is_scalar || constants[0] + constants[1] != width))
    return false;
  if ((condition & C0_IS_WIDTH) && (!is_scalar || constants[0] != width))
    return false;
  if ((condition & COMPLEMENTS) && (constants[0] ^ constants[1]) != norn_type_mask(inst->type))
    return false;
  if ((condition & C1_IS_LESS) &&
      (!is_scalar || constants[0] >= width || constants[1] >= constants[0]))
    return false;
  if ((condition & C0_IS_LESS) &&
      (!is_scalar || constants[1] >= width || constants[0] >= constants[1]))
    return false;
  if ((condition & C1_CLEARS_LOW_ZEROS) &&
      (!is_scalar || constants[0] & ~constants[1] ||
       (constants[1] | (constants[1] - 1)) != norn_type_mask(inst->type)))
    return false;
  if ((condition & C1_FITS_SHIFTED) && (!is_scalar || constants[0] >= width ||
                                        constants[1] > norn_type_mask(inst->type) >> constants[0]))
    return false;
  if ((condition & C0_NOT_NEGATIVE) &&
      !are_lanes_at_most(inst->type, constants[0], false,
                         norn_float_infinity(norn_float_of_width(width), false)))
    return false;
  if ((condition & C0_WITHIN_ONE) &&
      !are_lanes_at_most(inst->type, constants[0], true,
                         norn_float_one(norn_float_of_width(width), false)))
    return false;
  if ((condition & ONLY_USES) && !are_only_uses(simplifier, inst, match))
    return false;
  if ((condition & SUM_NOT_BELOW_WIDTH) && (!is_scalar || constants[0] + constants[1] < width))
    return false;
  return true;
}

/* Builds the tree at *pattern and advances *pattern past it. */
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

/* Tries the rules of the set that may match, in either order of the first two operands. */
static const RewriteRule *
find_rule(Simplifier *simplifier, const RuleSet *set, const NornInst *inst, Match *match) {
  bool commutes = norn_ops[inst->op].flags & NORN_OP_COMMUTATIVE;
  const NornRef *refs = norn_operands(simplifier->function, inst);
  RuleBits straight = ~(RuleBits)0, exchanged = commutes ? straight : 0;
  for (unsigned k = 0; k < inst->operand_count && k < RULE_ROOTS; k++) {
    uint64_t sights =
        look_at(simplifier, norn_simplify_resolve(simplifier, refs[k]), (NornType)inst->type);
    straight &= rules_matching(set, k, sights);
    if (commutes)
      exchanged &= rules_matching(set, k < 2 ? 1 - k : k, sights);
  }
  for (RuleBits left = straight | exchanged; left; left &= left - 1) {
    unsigned k = (unsigned)__builtin_ctz(left);
    const RewriteRule *rule = &set->rules[k];
    for (unsigned order = 0; order < 2; order++) {
      if (!((order ? exchanged : straight) >> k & 1))
        continue;
      *match = (Match){.type = inst->type};
      if (match_in_order(simplifier, rule->match + 1, inst, order, match) &&
          holds(simplifier, rule->condition, inst, match) &&
          may_make_all(simplifier, rule->replacement, inst->type))
        return rule;
    }
  }
  return NULL;
}

Outcome
norn_simplify_by_rules(Simplifier *simplifier, uint32_t index, NornRef *replacement) {
  const NornInst *inst = norn_inst(simplifier->function, index);
  const RuleSet *set = norn_rule_index.sets[inst->op];
  Match match;
  const RewriteRule *rule = set ? find_rule(simplifier, set, inst, &match) : NULL;
  if (!rule)
    return UNCHANGED;
  const uint16_t *pattern = rule->replacement;
  if (*pattern >= NORN_OP_MACHINE) {
    *replacement = build(simplifier, &pattern, index, &match);
    return REPLACED;
  }
  NornRef operands[3];
  unsigned op = *pattern++;
  unsigned count = arity(op);
  for (unsigned k = 0; k < count; k++)
    operands[k] = build(simplifier, &pattern, index, &match);
  norn_simplify_rewrite(simplifier, index, op, operands, count);
  return REWRITTEN;
}
