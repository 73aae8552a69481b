/* Pair moves: moves two words to registers with one instruction.
 *
 * A 64-bit sum writes a pair of registers. The unit is as busy as with two moves, but one
 * instruction less is issued. Two constants that are adjacent words of a group or adjacent
 * arguments of a jump are made this way if the first is in the table and the second is 0. The words
 * of a uniform pair are moved to registers by a sum with a register that holds 0, which pays off if
 * a block has several such pairs. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include <string.h>

/* Makes two constants together, if the first is in the table and the second is 0; if so, `words`
 * are set to the values. */
static bool
make_together(NornPassContext *context, NornBuilder *builder, NornRef words[2]) {
  NornFunction *function = builder->function;
  if (!norn_is_constant(words[0]) || !norn_is_constant(words[1]) ||
      norn_constant_bits(context->module, words[1]))
    return false;
  NornRef pair =
      norn_valhall_build_pair(context->target, builder, words[0], NORN_VALHALL_WIDEN_INTEGER_W0,
                              norn_build_bits(builder, 0));
  uint32_t sum = norn_builder_last(builder);
  if (!norn_valhall_is_legal(context->target, function, norn_inst(function, sum), 0)) {
    norn_inst_erase(function, sum);
    return false;
  }
  norn_build_split(builder, NORN_TYPE_I32, NORN_TYPE_I64, pair, 2, words);
  return true;
}

static bool
is_group_of_words(const NornInst *inst) {
  return inst->op == NORN_OP_COLLECT && norn_type_words(inst->source_type) == inst->operand_count;
}

/* Makes operands k and k + 1 of the instruction together. */
static bool
pair_operands(NornPassContext *context, NornFunction *function, uint32_t inst, unsigned k,
              NornOrigin origin) {
  NornRef words[2] = {norn_operand(function, inst, k), norn_operand(function, inst, k + 1)};
  NornBuilder builder = norn_builder_before(function, inst);
  builder.origin = (uint8_t)origin;
  if (!make_together(context, &builder, words))
    return false;
  norn_set_operand(function, inst, k, words[0]);
  norn_set_operand(function, inst, k + 1, words[1]);
  return true;
}

/* --- Arguments --- */

static bool
is_word(const NornFunction *function, uint32_t value) {
  return norn_type_bits(norn_value(function, value)->type) == 32;
}

/* Makes adjacent constant arguments of a jump together. */
static bool
pair_arguments(NornPassContext *context, NornFunction *function, uint32_t jump) {
  NornEdge edge = {0};
  bool changed = false;
  norn_next_edge(function, jump, &edge);
  for (uint32_t k = 0; k + 1 < edge.argument_count; k++)
    if (is_word(function, norn_block_parameter(function, edge.block, k)) &&
        is_word(function, norn_block_parameter(function, edge.block, k + 1)) &&
        pair_operands(context, function, jump, edge.operand + 1 + k, NORN_ORIGIN_ARGUMENT)) {
      changed = true;
      k++;
    }
  return changed;
}

/* Whether an edge passes two adjacent constants that may be made together. */
static bool
has_pair(const NornFunction *function, uint32_t branch, const NornEdge *edge) {
  for (uint32_t k = 1; k < edge->argument_count; k++) {
    NornRef first = norn_operand(function, branch, edge->operand + k);
    NornRef second = norn_operand(function, branch, edge->operand + k + 1);
    if (norn_is_constant(first) && norn_is_constant(second) &&
        !norn_constant_bits(function->module, second))
      return true;
  }
  return false;
}

/* The same for a block's terminator. The moves for a critical edge of a branch need a block of
 * their own anyway; it is created here. */
static bool
pair_arguments_of(NornPassContext *context, NornFunction *function, const NornDominance *dominance,
                  uint32_t block, NornIndexList *order) {
  uint32_t last = norn_block(function, block)->last;
  bool changed = false;
  if (norn_inst(function, last)->op == NORN_OP_JUMP)
    return pair_arguments(context, function, last);
  NornEdge edge = {0};
  while (norn_next_edge(function, last, &edge)) {
    if (norn_predecessor_count(dominance, edge.block) < 2 || !has_pair(function, last, &edge))
      continue;
    uint32_t next = edge.operand + 1;
    uint32_t fresh = norn_edge_split(function, last, &edge);
    edge.next = next;
    norn_list_push(&context->arena, order, fresh);
    pair_arguments(context, function, norn_block(function, fresh)->last);
    changed = true;
  }
  return changed;
}

/* --- Uniform words --- */

/* The minimum number of uniform pairs for which a block gets a register that holds 0. Two pairs
 * save one instruction but cost the unit one more operation: that is free in vertex shaders, whose
 * messages take longer. */
enum { FEWEST_PAIRS = 3, FEWEST_PAIRS_VERTEX = 2 };

/* Two moves in a block of the words of one pair, or words `place` and `place` + 1 of a group. */
typedef struct UniformPair {
  uint32_t word;          /* the lower one */
  uint32_t first, second; /* the moves in order; or the group and NORN_INDEX_NONE */
  unsigned place;
} UniformPair;

typedef struct UniformPairs {
  NornPassContext *context;
  NornFunction *function;
  NORN_LIST(UniformPair) pairs;   /* of the block */
  uint32_t moves[NORN_FAU_WORDS]; /* by word: the block's move of it + 1 */
  NornReplacements replacements;
} UniformPairs;

static void
find_moves(UniformPairs *self, uint32_t index) {
  const NornFunction *function = self->function;
  NornRef source;
  uint32_t constant, word;
  if (!norn_valhall_is_move(self->context->target, function, norn_inst(function, index), &source,
                            &constant) ||
      norn_ref_kind(source) != NORN_REF_UNIFORM ||
      (word = norn_ref_payload(source)) >= NORN_FAU_WORDS)
    return;
  uint32_t other = self->moves[word ^ 1];
  self->moves[word] = index + 1;
  if (!other)
    return;
  norn_list_push(&self->context->arena, &self->pairs,
                 (UniformPair){word & ~1u, other - 1, index, 0});
  self->moves[word] = self->moves[word ^ 1] = 0;
}

static void
find_words(UniformPairs *self, uint32_t group) {
  const NornInst *inst = norn_inst(self->function, group);
  const NornRef *operands = norn_operands(self->function, inst);
  for (unsigned k = 0; k + 1 < inst->operand_count; k += 2)
    if (norn_ref_kind(operands[k]) == NORN_REF_UNIFORM && norn_ref_payload(operands[k]) % 2 == 0 &&
        operands[k + 1] == norn_ref(NORN_REF_UNIFORM, norn_ref_payload(operands[k]) + 1))
      norn_list_push(&self->context->arena, &self->pairs,
                     (UniformPair){norn_ref_payload(operands[k]), group, NORN_INDEX_NONE, k});
}

static void
move_pair(UniformPairs *self, const UniformPair *pair, NornRef zero) {
  NornFunction *function = self->function;
  NornBuilder builder = norn_builder_before(function, pair->first);
  builder.origin = NORN_ORIGIN_UNIFORM;
  NornRef words[2];
  NornRef sum = norn_valhall_build_pair(self->context->target, &builder,
                                        norn_ref(NORN_REF_UNIFORM, pair->word),
                                        NORN_VALHALL_WIDEN_INTEGER_NONE, zero);
  norn_build_split(&builder, NORN_TYPE_I32, NORN_TYPE_I64, sum, 2, words);
  if (pair->second == NORN_INDEX_NONE) {
    norn_set_operand(function, pair->first, pair->place, words[0]);
    norn_set_operand(function, pair->first, pair->place + 1, words[1]);
    return;
  }
  uint32_t moves[2] = {pair->first, pair->second};
  for (unsigned k = 0; k < 2; k++) {
    const NornInst *move = norn_inst(function, moves[k]);
    unsigned high = norn_ref_payload(norn_operands(function, move)[0]) % 2;
    norn_replacements_set(&self->replacements, move->result, words[high]);
    norn_inst_erase(function, moves[k]);
  }
}

static bool
pair_uniforms(UniformPairs *self, uint32_t block) {
  NornFunction *function = self->function;
  self->pairs.count = 0;
  memset(self->moves, 0, sizeof self->moves);
  norn_for_each_inst (function, block, index) {
    if (is_group_of_words(norn_inst(function, index)))
      find_words(self, index);
    else if (norn_is_machine(norn_inst(function, index)))
      find_moves(self, index);
  }
  if (self->pairs.count <
      (function->module->stage == NORN_STAGE_VERTEX ? FEWEST_PAIRS_VERTEX : FEWEST_PAIRS))
    return false;
  uint32_t first = norn_block(function, block)->first;
  while (norn_inst(function, first)->op == NORN_OP_PRELOAD ||
         norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY)
    first = norn_inst(function, first)->next;
  NornBuilder builder = norn_builder_before(function, first);
  builder.origin = NORN_ORIGIN_CONSTANT;
  NornRef zero = norn_valhall_build_move(self->context->target, &builder, NORN_TYPE_I32,
                                         norn_build_bits(&builder, 0));
  for (uint32_t k = 0; k < self->pairs.count; k++)
    move_pair(self, &self->pairs.items[k], zero);
  return true;
}

bool
norn_valhall_pair_moves(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool changed = false;
  UniformPairs *uniforms = NORN_NEW0(&context->arena, UniformPairs, 1);
  *uniforms = (UniformPairs){
      .context = context, .function = function, .replacements.arena = &context->arena};
  const NornDominance *dominance = norn_pass_dominance(context, function);
  NornIndexList order = {0};
  norn_for_each_block (function, block) {
    norn_list_push(&context->arena, &order, block);
    norn_for_each_inst (function, block, index)
      for (unsigned k = 0; is_group_of_words(norn_inst(function, index)) &&
                           k + 1 < norn_inst(function, index)->operand_count;
           k += 2)
        changed |= pair_operands(context, function, index, k, NORN_ORIGIN_CONSTANT);
    changed |= pair_uniforms(uniforms, block);
    changed |= pair_arguments_of(context, function, dominance, block, &order);
  }
  if (order.count > function->block_order_count) {
    norn_blocks_order(function, order.items, order.count);
    norn_pass_blocks_changed(context);
  }
  norn_replacements_apply(&uniforms->replacements, function);
  norn_pass_report(context, changed);
  return true;
}
