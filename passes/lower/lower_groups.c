/* Splits large groups into words.
 *
 * Memory, textures and outputs use groups of at most four words. Larger ones can only be composed,
 * selected, passed to blocks and split, and no message could keep one in memory when registers are
 * scarce. So all of them are removed: a value becomes its words, a parameter that many
 * parameters. */
#include "ir/analysis/dominance.h"
#include "ir/replacements.h"
#include "passes/block_parameters.h"
#include "passes/lower/lower.h"

/* Words of the largest group that other operations support. */
#define MAX_WORDS 4

typedef struct Splitter {
  NornArena *arena;
  NornFunction *function;
  NornReplacements replacements;
  NornRef **words; /* by value: the words of a large group, as i32 */
} Splitter;

static bool
is_large(NornType type) {
  return norn_types[type].class == NORN_CLASS_GROUP && norn_type_words(type) > MAX_WORDS;
}

/* Whether the instruction may have large groups as results or operands. */
static bool
suits_large(const NornInst *inst) {
  switch (inst->op) {
  case NORN_OP_BITCAST:
  case NORN_OP_BR:
  case NORN_OP_COLLECT:
  case NORN_OP_COPY:
  case NORN_OP_JUMP:
  case NORN_OP_SELECT:
  case NORN_OP_SPLIT:
  case NORN_OP_SWITCH:
  case NORN_OP_UNDEF:
    return true;
  default:
    return false;
  }
}

static bool
is_large_value(const NornFunction *function, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE &&
         is_large(norn_value(function, norn_ref_payload(ref))->type);
}

/* Whether there are large groups, and none that a function takes or returns. */
static bool
is_worth_it(const NornFunction *function) {
  bool any = false;
  for (uint32_t value = 0; value < function->value_count && !any; value++)
    any = is_large(norn_value(function, value)->type);
  if (!any)
    return false;
  uint32_t entry = function->block_order[0];
  for (unsigned k = 0; k < norn_block(function, entry)->parameter_count; k++)
    if (is_large(norn_value(function, norn_block_parameter(function, entry, k))->type))
      return false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      bool has_large = inst->result_count && is_large(norn_result_type(inst, 0));
      for (unsigned k = 0; k < inst->operand_count; k++)
        has_large |= is_large_value(function, norn_operands(function, inst)[k]);
      if (has_large && !suits_large(inst))
        return false;
    }
  return true;
}

/* Allocates the words of a large group. */
static NornRef *
add_words(const Splitter *splitter, uint32_t value) {
  unsigned count = norn_type_words(norn_value(splitter->function, value)->type);
  return splitter->words[value] = NORN_NEW0(splitter->arena, NornRef, count);
}

/* Word k of a large group; the words of a uniform are uniforms. */
static NornRef
word_of(const Splitter *splitter, NornRef group, unsigned k) {
  return norn_ref_kind(group) == NORN_REF_UNIFORM
             ? norn_ref(NORN_REF_UNIFORM, norn_ref_payload(group) + k)
             : splitter->words[norn_ref_payload(group)][k];
}

static NornRef
convert(NornBuilder *builder, NornType to, NornType from, NornRef word) {
  bool has_any_type = norn_ref_kind(word) != NORN_REF_VALUE;
  return has_any_type ? word : norn_build_cast(builder, to, from, word);
}

/* --- Parameters --- */

static void
add_parameters(Splitter *splitter, uint32_t block) {
  NornFunction *function = splitter->function;
  unsigned count = norn_block(function, block)->parameter_count;
  for (unsigned k = 0; k < count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    NornType type = norn_value(function, parameter)->type;
    if (!is_large(type))
      continue;
    NornRef *words = add_words(splitter, parameter);
    for (unsigned i = 0; i < norn_type_words(type); i++)
      words[i] =
          norn_ref(NORN_REF_VALUE, norn_block_add_parameter(function, block, NORN_TYPE_I32, 0));
  }
}

/* Appends the words of arguments to the other arguments. */
static void
add_arguments(const Splitter *splitter, uint32_t inst) {
  NornFunction *function = splitter->function;
  NORN_LIST(NornRef) operands = {0};
  unsigned copied = 0, count = norn_inst(function, inst)->operand_count;
  norn_for_each_edge (function, inst, edge) {
    for (; copied <= edge.operand + edge.argument_count; copied++)
      norn_list_push(splitter->arena, &operands, norn_operand(function, inst, copied));
    for (unsigned k = 0; k < edge.argument_count; k++) {
      uint32_t parameter = norn_block_parameter(function, edge.block, k);
      NornType type = norn_value(function, parameter)->type;
      for (unsigned i = 0; is_large(type) && i < norn_type_words(type); i++)
        norn_list_push(splitter->arena, &operands,
                       word_of(splitter, norn_operand(function, inst, edge.operand + 1 + k), i));
    }
  }
  for (; copied < count; copied++)
    norn_list_push(splitter->arena, &operands, norn_operand(function, inst, copied));
  if (operands.count > count)
    norn_inst_set_operands(function, inst, operands.items, operands.count);
}

static void
remove_parameters(const Splitter *splitter) {
  NornFunction *function = splitter->function;
  bool *keep = NORN_NEW(splitter->arena, bool, function->value_count);
  for (uint32_t value = 0; value < function->value_count; value++)
    keep[value] = !is_large(norn_value(function, value)->type);
  norn_keep_parameters(function, keep);
}

/* --- Instructions --- */

/* Replaces the results of a split by the words. */
static void
replace_split(Splitter *splitter, uint32_t index) {
  const NornInst split = *norn_inst(splitter->function, index);
  NornRef group = norn_operand(splitter->function, index, 0);
  NornBuilder builder = norn_builder_in_place_of(splitter->function, index);
  for (unsigned k = 0; k < split.result_count; k++)
    norn_replacements_set(
        &splitter->replacements, split.result + k,
        convert(&builder, (NornType)split.type, NORN_TYPE_I32, word_of(splitter, group, k)));
}

/* Word k of the result of the instruction. */
static NornRef
build_word(const Splitter *splitter, NornBuilder *builder, uint32_t index, unsigned k) {
  const NornInst *inst = norn_inst(splitter->function, index);
  const NornRef *operands = norn_operands(splitter->function, inst);
  switch (inst->op) {
  case NORN_OP_COLLECT:
    return convert(builder, NORN_TYPE_I32, (NornType)inst->type,
                   norn_replacements_get(&splitter->replacements, operands[k]));
  case NORN_OP_SELECT:
    return norn_build_select(builder, NORN_TYPE_I32, operands[0], word_of(splitter, operands[1], k),
                             word_of(splitter, operands[2], k));
  case NORN_OP_UNDEF:
    return norn_build_undef(builder, NORN_TYPE_I32);
  default: /* the word itself */
    return word_of(splitter, operands[0], k);
  }
}

static void
visit(Splitter *splitter, uint32_t index) {
  NornFunction *function = splitter->function;
  const NornInst *inst = norn_inst(function, index);
  if (norn_is_terminator(function, inst)) {
    add_arguments(splitter, index);
    return;
  }
  bool makes_large = inst->result_count && is_large(norn_result_type(inst, 0));
  if (!makes_large &&
      (inst->op != NORN_OP_SPLIT || !is_large_value(function, norn_operand(function, index, 0))))
    return;
  if (makes_large) {
    NornBuilder builder = norn_builder_in_place_of(function, index);
    NornRef *words = add_words(splitter, inst->result);
    for (unsigned k = 0; k < norn_type_words(norn_result_type(inst, 0)); k++)
      words[k] = build_word(splitter, &builder, index, k);
  } else {
    replace_split(splitter, index);
  }
  norn_inst_erase(function, index);
}

bool
norn_lower_groups(NornPassContext *context, NornFunction *function) {
  if (!is_worth_it(function))
    return false;
  norn_pass_remove_unreachable(context, function);
  const NornDominance *dominance = norn_pass_dominance(context, function);
  Splitter splitter = {.arena = &context->arena,
                       .function = function,
                       .replacements.arena = &context->arena,
                       .words = NORN_NEW0(&context->arena, NornRef *, function->value_count)};
  norn_for_each_block (function, block)
    add_parameters(&splitter, block);
  for (uint32_t k = 0; k < dominance->order_count; k++)
    for (uint32_t inst = norn_block(function, dominance->order[k])->first, next;
         inst != NORN_INDEX_NONE; inst = next) {
      next = norn_inst(function, inst)->next;
      visit(&splitter, inst);
    }
  remove_parameters(&splitter);
  norn_replacements_apply(&splitter.replacements, function);
  return true;
}
