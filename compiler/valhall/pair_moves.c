/* Pair moves: one instruction brings two words to registers.
 *
 * A sum of 64 bits costs what a move does, and writes a pair of registers. Words of a group that
 * are constants are made so, in pairs:
 *
 * - a constant of the table and 0: as the sum of both, each extended;
 * - any others: from a pair of uniform words, which the driver fills. An instruction reads two
 * words that are no registers, so there is no word for a 0, and what is added is a part of the pair
 *   itself: the upper half of the low word, h. With l for the rest of that word the sum is
 *   h * 65537 + l. No low word whose remainder is 65536 comes out so; such a pair stays apart. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/builder.h"
#include "ir/ops.h"

/* The sum of 64 bits of two operands, of each of which a part is read. */
static NornRef
build_sum(const NornTarget *target, NornBuilder *builder, NornRef a, unsigned part_a, NornRef b,
          unsigned part_b) {
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(target, NORN_VALHALL_IADD_U64);
  uint64_t word = encoding->word;
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SWIZZLE0, &word, part_a);
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SWIZZLE1, &word, part_b);
  NornRef operands[2] = {a, b};
  return norn_build_machine(builder, NORN_VALHALL_IADD_U64, word, NORN_TYPE_I64, operands, 2);
}

/* The word and 0, if the table has it; else 0. */
static NornRef
build_from_table(const NornTarget *target, NornBuilder *builder, NornRef word) {
  NornFunction *function = builder->function;
  NornRef pair = build_sum(target, builder, word, NORN_VALHALL_WIDEN_INTEGER_W0,
                           norn_build_bits(builder, 0), NORN_VALHALL_WIDEN_INTEGER_W0);
  uint32_t inst = norn_builder_last(builder);
  if (norn_valhall_is_legal(target, function, norn_inst(function, inst), 0))
    return pair;
  norn_inst_erase(function, inst);
  return 0;
}

/* Both words from a pair of uniform words; 0: there is none for them. */
static NornRef
build_from_uniforms(NornPassContext *context, NornBuilder *builder, uint64_t low, uint64_t high) {
  enum { HALF = 1 << 16 };
  uint64_t upper = low / (HALF + 1), rest = low % (HALF + 1);
  if (rest == HALF)
    return 0;
  unsigned word = norn_valhall_promote_pair(context, high << 32 | upper * HALF | rest);
  if (word == NORN_FAU_WORDS)
    return 0;
  NornRef uniform = norn_ref(NORN_REF_UNIFORM, word);
  return build_sum(context->target, builder, uniform, NORN_VALHALL_WIDEN_INTEGER_NONE, uniform,
                   NORN_VALHALL_WIDEN_INTEGER_H1);
}

static bool
is_constant(NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_CONSTANT;
}

/* Words k and k + 1 of the group; whether they are made together. */
static bool
pair_words(NornPassContext *context, NornFunction *function, uint32_t group, unsigned k) {
  NornRef words[2] = {norn_operand(function, group, k), norn_operand(function, group, k + 1)};
  if (!is_constant(words[0]) || !is_constant(words[1]))
    return false;
  NornBuilder builder = norn_builder_before(function, group);
  builder.origin = NORN_ORIGIN_CONSTANT;
  uint64_t low = norn_constant_bits(function->module, words[0]);
  uint64_t high = norn_constant_bits(function->module, words[1]);
  NornRef pair = high ? 0 : build_from_table(context->target, &builder, words[0]);
  if (!pair)
    pair = build_from_uniforms(context, &builder, low, high);
  if (!pair)
    return false;
  norn_build_split(&builder, NORN_TYPE_I32, NORN_TYPE_I64, pair, 2, words);
  norn_set_operand(function, group, k, words[0]);
  norn_set_operand(function, group, k + 1, words[1]);
  return true;
}

bool
norn_valhall_pair_moves(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool changed = false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      if (inst->op != NORN_OP_COLLECT || norn_type_words(inst->source_type) != inst->operand_count)
        continue;
      for (unsigned k = 0; k + 1 < norn_inst(function, index)->operand_count; k += 2)
        changed |= pair_words(context, function, index, k);
    }
  norn_pass_report(context, changed);
  return true;
}
