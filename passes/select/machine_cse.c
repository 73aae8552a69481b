/* Common subexpression elimination on machine instructions: selection makes several instructions of
 * one operation, and different operations may have some in common, like the sine and the cosine of
 * an angle.
 *
 * Two instructions are the same if opcode, modifier word and operands are equal. The blocks are
 * walked in dominator-tree order with one hash table. An entry whose block does not dominate the
 * current one moves up to the nearest block that dominates both, if its operands are available
 * there: always if each path from that block needs it, otherwise only a few per block, and never
 * into a loop. If it cannot move, the current instruction replaces it in the table.
 *
 * Pure instructions are shared (norn_target_is_pure). That includes messages that access no memory,
 * such as one for the address of an image element. If the result depends on other lanes, as a level
 * of detail does, it is shared only if the same lanes execute both blocks. Splits are shared, and
 * so are collects whose words are neighbors in another group, or that are in the same block and not
 * a group of constants that a jump passes. Other collects are not: the group may be needed in two
 * places. A split of a collect is replaced by the collect's words, so that unused ones can be
 * removed. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/hash.h"
#include "ir/replacements.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

typedef struct MachineNumbering {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  uint32_t *table; /* open addressing: instruction + 1, 0 = free */
  uint32_t mask;
  const uint32_t *post_dominators; /* NULL until needed */
  uint8_t *raised; /* by block: instructions hoisted to it that not all paths from it need */
  bool changed;
} MachineNumbering;

/* The maximum number of these, which a lane may execute for nothing. */
#define MAX_RAISED 4

static uint32_t
hash(const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  uint64_t state = norn_hash_mix(inst->op, inst->payload);
  for (unsigned k = 0; k < inst->operand_count; k++)
    state = norn_hash_mix(state, operands[k]);
  return (uint32_t)state;
}

/* Whether the words of a group are neighboring results of one split. */
static bool
is_part_of_group(const NornFunction *function, const NornInst *collect) {
  const NornRef *operands = norn_operands(function, collect);
  const NornInst *split = norn_defining_inst(function, operands[0]);
  for (unsigned k = 1; k < collect->operand_count; k++)
    if (operands[k] != operands[0] + k || norn_defining_inst(function, operands[k]) != split)
      return false;
  return split && split->op == NORN_OP_SPLIT;
}

/* Whether the same lanes execute both blocks, one of which dominates the other; for instructions
 * that look at other lanes. */
static bool
have_same_lanes(const MachineNumbering *numbering, uint32_t a, uint32_t b) {
  return a == b || !norn_has_divergence(numbering->function);
}

static bool
is_shared(const MachineNumbering *numbering, const NornInst *inst) {
  if (norn_is_machine(inst))
    return inst->result_count == 1 &&
           norn_target_is_pure(numbering->context->target, numbering->function, inst);
  return inst->op == NORN_OP_SPLIT ||
         (inst->op == NORN_OP_COLLECT && is_part_of_group(numbering->function, inst));
}

/* Whether the group consists of constants and is passed by a jump. */
static bool
is_constant_argument(const NornFunction *function, const NornInst *collect) {
  const NornInst *jump = norn_inst(function, norn_block(function, collect->block)->last);
  bool is_passed = false;
  for (unsigned k = 0; k < collect->operand_count; k++)
    if (!norn_is_constant(norn_operands(function, collect)[k]))
      return false;
  for (unsigned k = 1; jump->op == NORN_OP_JUMP && k < jump->operand_count; k++)
    is_passed |= norn_operands(function, jump)[k] == norn_ref(NORN_REF_VALUE, collect->result);
  return is_passed;
}

/* If the instruction splits a group that was collected from words of the same types, replaces its
 * results with those words and returns true. */
static bool
forward_words(MachineNumbering *numbering, uint32_t index) {
  NornFunction *function = numbering->function;
  const NornInst *split = norn_inst(function, index);
  const NornInst *collect = split->op == NORN_OP_SPLIT
                                ? norn_defining_inst(function, norn_operands(function, split)[0])
                                : NULL;
  if (!collect || collect->op != NORN_OP_COLLECT || collect->operand_count != split->result_count)
    return false;
  const NornRef *words = norn_operands(function, collect);
  for (unsigned k = 0; k < split->result_count; k++)
    if (norn_ref_kind(words[k]) != NORN_REF_VALUE ||
        norn_value(function, norn_ref_payload(words[k]))->type !=
            norn_value(function, split->result + k)->type)
      return false;
  for (unsigned k = 0; k < split->result_count; k++)
    norn_replacements_set(&numbering->replacements, split->result + k, words[k]);
  norn_inst_erase(function, index);
  numbering->changed = true;
  return true;
}

/* Whether the instruction can be moved to the end of a block that dominates it. */
static bool
can_be_in(const MachineNumbering *numbering, const NornInst *inst, uint32_t block) {
  const NornFunction *function = numbering->function;
  const NornTarget *target = numbering->context->target;
  if (norn_is_machine(inst) ? target->message(target, function, inst, NULL)
                            : inst->op != NORN_OP_SPLIT)
    return false;
  norn_for_each_use (function, inst, use)
    if (!norn_dominates(numbering->dominance, norn_defining_block(function, use.value), block))
      return false;
  return true;
}

/* Whether all paths from `from`, which dominates `to`, lead through `to`. */
static bool
always_leads_to(MachineNumbering *numbering, uint32_t from, uint32_t to) {
  if (!numbering->post_dominators)
    numbering->post_dominators =
        norn_post_dominators(&numbering->context->arena, numbering->dominance);
  while (from != to && from != NORN_INDEX_NONE && norn_dominates(numbering->dominance, from, to))
    from = numbering->post_dominators[from];
  return from == to;
}

/* Whether each path from the block leads to one of two blocks that it dominates. */
static bool
leads_to_either(MachineNumbering *numbering, uint32_t block, uint32_t a, uint32_t b) {
  for (unsigned k = 0; k < norn_successor_count(numbering->dominance, block); k++) {
    uint32_t next = norn_successor(numbering->dominance, block, k);
    if (!always_leads_to(numbering, next, a) && !always_leads_to(numbering, next, b))
      return false;
  }
  return true;
}

/* Hoists the instruction to a block that also dominates `other`, which computes the same; never
 * into a loop that does not contain both. */
static bool
raise_to_both(MachineNumbering *numbering, uint32_t index, const NornInst *other) {
  NornFunction *function = numbering->function;
  const NornDominance *dominance = numbering->dominance;
  uint32_t home = norn_inst(function, index)->block;
  uint32_t block = norn_common_dominator(dominance, home, other->block);
  uint32_t depth = dominance->loop_depth[block];
  if (depth > dominance->loop_depth[home] || depth > dominance->loop_depth[other->block] ||
      !can_be_in(numbering, norn_inst(function, index), block))
    return false;
  if (!leads_to_either(numbering, block, home, other->block) &&
      numbering->raised[block]++ >= MAX_RAISED)
    return false;
  NornBuilder builder = norn_builder_before(function, norn_block(function, block)->last);
  norn_builder_insert(&builder, index);
  return true;
}

static void
number_inst(MachineNumbering *numbering, uint32_t index) {
  NornFunction *function = numbering->function;
  const NornInst *inst = norn_inst(function, index);
  for (unsigned k = 0; k < inst->operand_count; k++)
    norn_set_operand(
        function, index, k,
        norn_replacements_get(&numbering->replacements, norn_operands(function, inst)[k]));
  if (forward_words(numbering, index) ||
      (!norn_is_machine(inst) && inst->op != NORN_OP_SPLIT && inst->op != NORN_OP_COLLECT))
    return;
  uint32_t slot = hash(function, inst) & numbering->mask, found;
  while ((found = numbering->table[slot]) &&
         !norn_computes_same(function, norn_inst(function, found - 1), inst))
    slot = (slot + 1) & numbering->mask;
  uint32_t block = inst->block;
  bool is_before =
      found &&
      (!norn_target_looks_at_others(numbering->context->target, inst) ||
       have_same_lanes(numbering, norn_inst(function, found - 1)->block, block)) &&
      (norn_dominates(numbering->dominance, norn_inst(function, found - 1)->block, block) ||
       (is_shared(numbering, inst) && raise_to_both(numbering, found - 1, inst)));
  if (!is_before) {
    numbering->table[slot] = index + 1;
  } else if (is_shared(numbering, inst) ||
             (inst->op == NORN_OP_COLLECT && norn_inst(function, found - 1)->block == block &&
              !is_constant_argument(function, inst))) {
    for (unsigned k = 0; k < inst->result_count; k++)
      norn_replacements_set(&numbering->replacements, inst->result + k,
                            norn_result(function, found - 1, k));
    norn_inst_erase(function, index);
    numbering->changed = true;
  } else {
    numbering->table[slot] = index + 1; /* for later instructions of its block */
  }
}

bool
norn_pass_machine_cse(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  MachineNumbering numbering = {.context = context,
                                .function = function,
                                .dominance = norn_pass_dominance(context, function),
                                .replacements.arena = &context->arena};
  numbering.raised = NORN_NEW0(&context->arena, uint8_t, function->block_count);
  uint64_t size = 16;
  while (size < (uint64_t)function->inst_count * 2)
    size *= 2;
  numbering.mask = (uint32_t)(size - 1);
  numbering.table = NORN_NEW0(&context->arena, uint32_t, size);
  for (uint32_t k = 0; k < numbering.dominance->order_count; k++)
    for (uint32_t inst = norn_block(function, numbering.dominance->order[k])->first, next;
         inst != NORN_INDEX_NONE && norn_pass_continues(context, 1); inst = next) {
      next = norn_inst(function, inst)->next;
      number_inst(&numbering, inst);
    }
  if (numbering.changed)
    norn_replacements_apply(&numbering.replacements, function);
  norn_pass_report(context, numbering.changed);
  return true;
}
