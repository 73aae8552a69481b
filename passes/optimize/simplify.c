/* Simplify: constant folding, copy propagation and algebraic identities.
 *
 * Walks once over the blocks in reverse postorder, so that operands are simplified before their
 * users are visited. An instruction on constants becomes a constant. Otherwise the rules of
 * algebra.def for its operation are tried, and the few identities that involve types, conditions or
 * several results, which are functions of simplify_special.c. A value found to equal another is
 * entered in a map. Operands are looked up in it as the walk reaches them, and it is applied to the
 * whole function at the end (loops use values before the walk reaches their definition).
 * Instructions without uses stay for the dead-code pass.
 *
 * Invariant: a rewrite never makes an instruction more expensive, and there are at most REWRITES
 * per instruction. */
#include "passes/optimize/simplify.h"
#include "ir/builder.h"

#define REWRITES 16

/* Folds the results of the instruction if all of its operands, which are already resolved, are
 * constants. Returns how many there are, or 0. */
static unsigned
fold(Simplifier *simplifier, uint32_t index, NornRef folded[NORN_EVALUATE_RESULTS]) {
  const NornFunction *function = simplifier->function;
  const NornInst *inst = norn_inst(function, index);
  if (!inst->operand_count || inst->operand_count > NORN_EVALUATE_OPERANDS || !inst->result_count)
    return 0;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (!norn_is_constant(operands[k]))
      return 0;
  NornEvaluator evaluator;
  if (!norn_evaluator_init(&evaluator, inst->op, inst->type, inst->source_type, inst->modifier,
                           &simplifier->environment) ||
      evaluator.operand_count != inst->operand_count ||
      evaluator.result_count != inst->result_count)
    return 0;
  uint64_t bits[NORN_EVALUATE_OPERANDS] = {0}, results[NORN_EVALUATE_RESULTS] = {0};
  for (unsigned k = 0; k < inst->operand_count; k++)
    bits[k] = norn_constant_bits(simplifier->module, operands[k]);
  norn_evaluate(&evaluator, bits, results);
  for (unsigned k = 0; k < inst->result_count; k++)
    folded[k] = norn_simplify_constant(simplifier, results[k]);
  return inst->result_count;
}

NornRef
norn_simplify_insert(Simplifier *simplifier, uint32_t before, unsigned op, unsigned modifier,
                     const NornRef *operands, unsigned count) {
  NornFunction *function = simplifier->function;
  NornBuilder builder = norn_builder_in_place_of(function, before);
  const NornInst *inst = norn_inst(function, before);
  NornType type = inst->type, source = op == inst->op ? inst->source_type : NORN_TYPE_VOID;
  if (op != NORN_OP_SHLADD)
    norn_builder_set_flags(&builder, builder.flags & (unsigned)~NORN_INST_NOWRAP);
  NornRef ref = norn_build_op(&builder, op, modifier, type, source, operands, count);
  NornRef folded[NORN_EVALUATE_RESULTS];
  if (!fold(simplifier, norn_builder_last(&builder), folded))
    return ref;
  norn_inst_erase(function, norn_builder_last(&builder));
  return folded[0];
}

unsigned
norn_simplify_uses(Simplifier *simplifier, uint32_t value) {
  if (!simplifier->uses) {
    simplifier->uses = norn_pass_use_counts(simplifier->context, simplifier->function);
    simplifier->use_count = simplifier->function->value_count;
  }
  unsigned uses = value < simplifier->use_count ? simplifier->uses[value] : 1;
  simplifier->context->awaits_uses |= uses > 1;
  return uses;
}

bool
norn_simplify_has_one_use(Simplifier *simplifier, uint32_t value) {
  return norn_simplify_uses(simplifier, value) == 1;
}

void
norn_simplify_rewrite(Simplifier *simplifier, uint32_t index, unsigned op, const NornRef *operands,
                      unsigned count) {
  norn_inst_become(simplifier->function, index, (uint16_t)op, 0, operands, count);
}

/* Replaces the words of a group that was just collected, or of a word that was zero-extended. */
static void
simplify_split(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  const NornInst *split = norn_inst(function, index);
  const NornInst *group = norn_defining_inst(function, norn_operand(function, index, 0));
  bool is_extended = group && group->op == NORN_OP_ZEXT && group->type == NORN_TYPE_I64 &&
                     group->source_type == NORN_TYPE_I32 && split->type == NORN_TYPE_I32;
  if (!group || (!is_extended && (group->op != NORN_OP_COLLECT || group->type != split->type)))
    return;
  simplifier->changed = true;
  const NornRef *words = norn_operands(function, group);
  for (unsigned k = 0; k < split->result_count; k++)
    norn_replacements_set(&simplifier->replacements, split->result + k,
                          is_extended && k ? norn_constant(simplifier->module, 0)
                                           : norn_simplify_resolve(simplifier, words[k]));
}

static void
simplify_inst(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  NornInst *inst = norn_inst(function, index);
  NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++)
    operands[k] = norn_simplify_resolve(simplifier, operands[k]);
  if (inst->op == NORN_OP_SPLIT)
    simplify_split(simplifier, index);
  for (unsigned k = 0; k < REWRITES; k++) {
    NornRef replacement = 0;
    Outcome outcome = UNCHANGED;
    norn_simplify_canonicalize(simplifier, index);
    NornRef folded[NORN_EVALUATE_RESULTS];
    unsigned count = fold(simplifier, index, folded);
    for (unsigned result = 0; result < count; result++)
      norn_replacements_set(&simplifier->replacements, norn_inst(function, index)->result + result,
                            folded[result]);
    if (count) {
      simplifier->changed = true;
      norn_inst_erase(function, index);
      return;
    }
    outcome = norn_simplify_special(simplifier, index, &replacement);
    if (outcome == UNCHANGED)
      outcome = norn_simplify_by_rules(simplifier, index, &replacement);
    if (outcome == UNCHANGED)
      return;
    simplifier->changed = true;
    if (outcome == REPLACED) {
      uint32_t value = norn_inst(function, index)->result;
      norn_replacements_set(&simplifier->replacements, value, replacement);
      norn_inst_erase(function, index);
      return;
    }
  }
}

/* Simplifies an instruction, then the instructions that this inserted before it. */
static void
simplify_at(Simplifier *simplifier, uint32_t index) {
  NornFunction *function = simplifier->function;
  uint32_t block = norn_inst(function, index)->block;
  uint32_t before = norn_inst(function, index)->previous, end = norn_inst(function, index)->next;
  simplify_inst(simplifier, index);
  uint32_t first = before == NORN_INDEX_NONE ? norn_block(function, block)->first
                                             : norn_inst(function, before)->next;
  if (first == index)
    return;
  for (uint32_t inst = first, next; inst != end; inst = next) {
    next = norn_inst(function, inst)->next;
    simplify_inst(simplifier, inst);
  }
}

bool
norn_pass_simplify(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  context->awaits_uses = false;
  Simplifier simplifier = {.context = context,
                           .module = context->module,
                           .function = function,
                           .dominance = norn_pass_dominance(context, function),
                           .replacements.arena = &context->arena};
  simplifier.environment =
      norn_float_environment(context->module->rounding, context->module->denormals);
  for (uint32_t k = 0; k < simplifier.dominance->order_count; k++) {
    uint32_t block = simplifier.dominance->order[k];
    for (uint32_t inst = norn_block(function, block)->first, next; inst != NORN_INDEX_NONE;
         inst = next) {
      if (!norn_pass_continues(context, 1))
        break;
      next = norn_inst(function, inst)->next;
      simplify_at(&simplifier, inst);
    }
  }
  /* The walk reaches a use before the definition only in loops, and does not reach all blocks. */
  if (norn_has_loops(simplifier.dominance) ||
      simplifier.dominance->order_count < function->block_order_count)
    norn_replacements_apply(&simplifier.replacements, function);
  norn_pass_report(context, simplifier.changed);
  return true;
}
