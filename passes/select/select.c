/* Select: turns generic instructions into instructions of the target.
 *
 * The blocks are walked in postorder and each block from its end, so an instruction is visited
 * after its users, and the first one visited matches the largest tree. The use count decides
 * whether a user may fold a value's instruction into its own: only if that is the last use, or if
 * folding is free. Instructions without uses are removed.
 *
 * Selected code has no types: every value becomes the corresponding number of 32-bit words (i32,
 * i64, w3 to w8), and a truth value the word 0 or ~0. Bit casts and copies disappear. Groups remain
 * as collect and split; registers that are preloaded when the program starts remain as preload at
 * the top of the entry block. */
#include "passes/select/select.h"
#include "ir/analysis/convergence.h"
#include "ir/analysis/divergence.h"
#include "ir/ops.h"
#include <string.h>

/* Grows the table of values. */
static void
grow(NornSelector *selector) {
  uint32_t old = selector->capacity, count = selector->function->value_count;
  if (count <= old)
    return;
  NornArena *arena = &selector->context->arena;
  NORN_ARENA_GROW(arena, selector->values, selector->capacity, count);
  for (uint32_t k = old; k < selector->capacity; k++)
    selector->values[k] = (NornSelectedValue){.split = NORN_INDEX_NONE, .derived = NORN_INDEX_NONE};
}

static void
count_uses(NornSelector *selector, uint32_t inst, int change) {
  NORN_ASSERT(selector->capacity >= selector->function->value_count);
  const NornInst *self = norn_inst(selector->function, inst);
  norn_for_each_use (selector->function, self, use)
    selector->values[use.value].uses += (uint32_t)change;
}

NornRef
norn_select_resolve(const NornSelector *selector, NornRef ref) {
  const NornFunction *function = selector->function;
  for (;;) {
    ref = norn_replacements_get(&selector->replacements, ref);
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      break;
    const NornValue *self = norn_value(function, norn_ref_payload(ref));
    if (self->is_parameter)
      break;
    const NornInst *inst = norn_inst(function, self->def);
    if (inst->op != NORN_OP_BITCAST && inst->op != NORN_OP_COPY)
      break;
    ref = norn_operands(function, inst)[0];
  }
  return ref;
}

NornRef
norn_select_operand(const NornSelector *selector, uint32_t inst, unsigned k) {
  return norn_select_resolve(selector, norn_operand(selector->function, inst, k));
}

uint32_t
norn_select_def(const NornSelector *selector, NornRef ref) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return NORN_INDEX_NONE;
  const NornValue *value = norn_value(selector->function, norn_ref_payload(ref));
  if (value->is_parameter || norn_is_machine(norn_inst(selector->function, value->def)))
    return NORN_INDEX_NONE;
  return value->def;
}

NornInst
norn_select_definition(const NornSelector *selector, NornRef ref) {
  uint32_t def = norn_select_def(selector, ref);
  return def == NORN_INDEX_NONE ? (NornInst){.op = NORN_OP_NONE}
                                : *norn_inst(selector->function, def);
}

bool
norn_select_is_only_use(const NornSelector *selector, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE && selector->values[norn_ref_payload(ref)].uses == 1;
}

NornRef
norn_select_word(NornSelector *selector, uint64_t bits) {
  return norn_constant(selector->module, (uint32_t)bits);
}

bool
norn_select_constant(const NornSelector *selector, NornRef ref, uint64_t *bits) {
  if (!norn_is_constant(ref))
    return false;
  *bits = norn_constant_bits(selector->module, ref);
  return true;
}

/* Counts the uses in the original program. */
static void
note_uses(NornSelector *selector, uint32_t inst) {
  const NornInst *self = norn_inst(selector->function, inst);
  const NornRef *address = NULL;
  if (!norn_is_machine(self) && norn_ops[self->op].flags & (NORN_OP_SHARED | NORN_OP_SCRATCH))
    address = norn_operands(selector->function, self) + norn_address_operand(self->op);
  norn_for_each_use (selector->function, self, use) {
    NornSelectedValue *value = &selector->values[use.value];
    value->uses++;
    value->is_number |= use.next - 1 != address;
  }
}

void
norn_select_set_operand(NornSelector *selector, uint32_t inst, unsigned k, NornRef ref) {
  count_uses(selector, inst, -1);
  norn_set_operand(selector->function, inst, k, ref);
  count_uses(selector, inst, 1);
}

/* Changes `inst` to another operation and updates the use counts. */
static void
become(NornSelector *selector, uint32_t inst, unsigned op, uint64_t payload,
       const NornRef *operands, unsigned count) {
  count_uses(selector, inst, -1);
  norn_inst_become(selector->function, inst, (uint16_t)op, payload, operands, count);
  count_uses(selector, inst, 1);
}

void
norn_select_as(NornSelector *selector, uint32_t inst, unsigned instruction, uint64_t word,
               const NornRef *operands, unsigned count) {
  become(selector, inst, NORN_OP_MACHINE + instruction, word, operands, count);
  norn_inst(selector->function, inst)->flags &= NORN_INST_DIVERGENT;
}

/* Updates the use counts for the instruction just built. */
static NornRef
built(NornSelector *selector, const NornBuilder *builder, NornRef ref) {
  grow(selector);
  count_uses(selector, norn_builder_last(builder), 1);
  return ref;
}

NornRef
norn_select_emit(NornSelector *selector, uint32_t inst, unsigned instruction, uint64_t word,
                 unsigned result_words, const NornRef *operands, unsigned count) {
  NornBuilder builder = norn_builder_before(selector->function, inst);
  NornType type = result_words ? norn_type_of_words(result_words) : NORN_TYPE_VOID;
  return built(selector, &builder,
               norn_build_machine(&builder, instruction, word, type, operands, count));
}

void
norn_select_all_same(NornSelector *selector, uint32_t inst, const NornRef *refs) {
  NornFunction *function = selector->function;
  for (unsigned k = 0; k < norn_inst(function, inst)->result_count; k++) {
    uint32_t value = norn_inst(function, inst)->result + k;
    norn_replacements_set(&selector->replacements, value, refs[k]);
    norn_move_name(function, refs[k], value);
    if (norn_ref_kind(refs[k]) == NORN_REF_VALUE)
      selector->values[norn_ref_payload(refs[k])].uses += selector->values[value].uses;
    selector->values[value].uses = 0;
  }
  count_uses(selector, inst, -1);
  norn_inst_erase(function, inst);
}

void
norn_select_same(NornSelector *selector, uint32_t inst, NornRef ref) {
  norn_select_all_same(selector, inst, &ref);
}

/* The group that consists of exactly these words in this order, or 0. */
static NornRef
whole_group(const NornSelector *selector, const NornRef *words, unsigned count) {
  const NornFunction *function = selector->function;
  if (norn_ref_kind(words[0]) != NORN_REF_VALUE)
    return 0;
  const NornValue *first = norn_value(function, norn_ref_payload(words[0]));
  if (first->is_parameter || first->index)
    return 0;
  const NornInst *split = norn_inst(function, first->def);
  if (split->op != NORN_OP_SPLIT || split->result_count != count)
    return 0;
  for (unsigned k = 1; k < count; k++)
    if (words[k] != norn_ref(NORN_REF_VALUE, split->result + k))
      return 0;
  NornRef group = norn_select_resolve(selector, norn_operands(function, split)[0]);
  return norn_ref_kind(group) == NORN_REF_VALUE ? group : 0;
}

void
norn_select_collect(NornSelector *selector, uint32_t inst, const NornRef *words, unsigned count) {
  NornRef same = count == 1 ? words[0] : whole_group(selector, words, count);
  if (same) {
    norn_select_same(selector, inst, same);
    return;
  }
  become(selector, inst, NORN_OP_COLLECT, 0, words, count);
  NornInst *self = norn_inst(selector->function, inst);
  self->type = NORN_TYPE_I32;
  self->source_type = norn_type_of_words(count);
  norn_value(selector->function, self->result)->type = self->source_type;
}

NornRef
norn_select_group(NornSelector *selector, uint32_t inst, const NornRef *words, unsigned count) {
  NornRef same = count == 1 ? words[0] : whole_group(selector, words, count);
  if (same)
    return same;
  NornBuilder builder = norn_builder_before(selector->function, inst);
  NornType type = norn_type_of_words(count);
  return built(selector, &builder, norn_build_collect(&builder, NORN_TYPE_I32, type, count, words));
}

NornRef
norn_select_derive(NornSelector *selector, uint32_t value, unsigned instruction, uint64_t word,
                   unsigned result_words, const NornRef *operands, unsigned count) {
  NornFunction *function = selector->function;
  const NornValue *self = norn_value(function, value);
  if (!self->is_parameter && norn_inst(function, self->def)->op == NORN_OP_PRELOAD)
    return 0;
  uint32_t known = selector->values[value].derived;
  if (known != NORN_INDEX_NONE) {
    uint32_t def = norn_value(function, known)->def;
    const NornInst *inst = norn_inst(function, def);
    bool is_same = inst->op == NORN_OP_MACHINE + instruction && inst->payload == word &&
                   inst->operand_count == count;
    for (unsigned k = 0; k < count && is_same; k++)
      is_same = norn_operand(function, def, k) == operands[k];
    if (is_same)
      return norn_ref(NORN_REF_VALUE, known);
  }
  NornBuilder builder = norn_builder_after_def(function, value);
  NornRef ref = norn_build_machine(&builder, instruction, word, norn_type_of_words(result_words),
                                   operands, count);
  built(selector, &builder, ref);
  selector->values[value].derived = norn_ref_payload(ref);
  return ref;
}

/* Splits a value right after its definition, once for all users. */
static uint32_t
split_value(NornSelector *selector, uint32_t value, unsigned words) {
  NornBuilder builder = norn_builder_after_def(selector->function, value);
  NornRef parts[NORN_MACHINE_OPERANDS];
  norn_build_split(&builder, NORN_TYPE_I32, norn_type_of_words(words),
                   norn_ref(NORN_REF_VALUE, value), words, parts);
  return norn_ref_payload(built(selector, &builder, parts[0]));
}

NornRef
norn_select_word_of(NornSelector *selector, NornRef ref, unsigned k, unsigned words) {
  ref = norn_select_resolve(selector, ref);
  if (words == 1)
    return ref;
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_CONSTANT:
    return norn_select_word(selector, norn_constant_bits(selector->module, ref) >> (32 * k));
  case NORN_REF_UNIFORM:
    return norn_ref(NORN_REF_UNIFORM, payload + k);
  case NORN_REF_VALUE:
    break;
  default:
    return ref;
  }
  uint32_t def = norn_select_def(selector, ref);
  if (def != NORN_INDEX_NONE && norn_inst(selector->function, def)->op == NORN_OP_COLLECT)
    return norn_select_operand(selector, def, k);
  if (selector->values[payload].split == NORN_INDEX_NONE) {
    uint32_t first = split_value(selector, payload, words);
    selector->values[payload].split = first;
  }
  return norn_ref(NORN_REF_VALUE, selector->values[payload].split + k);
}

/* Preloads are kept in the order of registers, before all other instructions. */
static NornBuilder
preload_builder(const NornSelector *selector, unsigned reg) {
  while (reg-- > 0)
    if (selector->preload[reg] != NORN_INDEX_NONE)
      return norn_builder_after_def(selector->function, selector->preload[reg]);
  return norn_builder_at_start(selector->function, selector->function->block_order[0]);
}

NornRef
norn_select_preload(NornSelector *selector, unsigned reg) {
  if (selector->preload[reg] == NORN_INDEX_NONE) {
    NornBuilder builder = preload_builder(selector, reg);
    NornRef ref = norn_build_preload(&builder, reg);
    selector->preload[reg] = norn_ref_payload(built(selector, &builder, ref));
  }
  return norn_ref(NORN_REF_VALUE, selector->preload[reg]);
}

bool
norn_select_unsupported(NornSelector *selector, uint32_t inst) {
  const NornInst *self = norn_inst(selector->function, inst);
  return norn_unsupported_error(selector->context, selector->function, self, NULL, selector->error);
}

/* --- The walk --- */

static bool
is_used(const NornSelector *selector, const NornInst *inst) {
  for (unsigned k = 0; k < inst->result_count; k++)
    if (selector->values[inst->result + k].uses)
      return true;
  return false;
}

/* Which words of a load's result may be left out if those of the mask are used: for a varying, only
 * those after the last used one; for a texture look-up, any. */
static unsigned
superfluous_words(const NornInst *load, unsigned used, unsigned count) {
  unsigned unused = ~used & ((1u << count) - 1);
  if (norn_type_bits(load->source_type) != 32)
    return 0;
  if (norn_ops[load->op].flags & NORN_OP_VARYING)
    return unused & ~((1u << (32 - __builtin_clz(used))) - 1);
  switch (load->op) {
  case NORN_OP_TEX_FETCH:
    return load->modifier == NORN_DIMENSION_BUFFER ? 0 : unused;
  case NORN_OP_TEX:
  case NORN_OP_TEX_BIAS:
  case NORN_OP_TEX_LOD:
  case NORN_OP_TEX_GRADIENT:
  case NORN_OP_TEX_GATHER:
    return unused;
  default:
    return 0;
  }
}

/* Removes unused words from a load if the message can leave them out. Returns whether there were
 * any. */
static bool
narrow_load(NornSelector *selector, uint32_t split, NornRef group) {
  NornFunction *function = selector->function;
  const NornInst *self = norn_inst(function, split);
  NornSelectedValue *selected = &selector->values[norn_ref_payload(group)];
  uint32_t load = norn_select_def(selector, group);
  /* The only use is the split's own, not that of a cast with uses of its own. */
  bool is_only_user = selected->uses == 1 && norn_operand(function, split, 0) == group;
  if (load == NORN_INDEX_NONE || !is_only_user || self->result_count > 4)
    return false;
  unsigned used = 0, count = 0;
  for (unsigned k = 0; k < self->result_count; k++)
    used |= (unsigned)(selector->values[self->result + k].uses != 0) << k;
  unsigned left_out = superfluous_words(norn_inst(function, load), used, self->result_count);
  if (!left_out)
    return false;
  selected->left_out = (uint8_t)left_out;
  unsigned left = self->result_count - (unsigned)__builtin_popcount(left_out);
  NornType type = left == 1 ? norn_inst(function, load)->source_type : norn_type_of_words(left);
  norn_inst(function, load)->type = (uint8_t)type;
  norn_value(function, norn_ref_payload(group))->type = (uint8_t)type;
  NornRef words[4];
  for (unsigned k = 0; k < self->result_count; k++)
    words[k] = left_out >> k & 1 ? norn_constant(selector->module, 0)
                                 : norn_select_word_of(selector, group, count++, left);
  norn_select_all_same(selector, split, words);
  return true;
}

/* Selects operations that are the same for every target. *is_done: nothing is left to select. */
static void
select_pseudo(NornSelector *selector, uint32_t inst, bool *is_done) {
  NornFunction *function = selector->function;
  NornInst *self = norn_inst(function, inst);
  NornRef words[8];
  *is_done = true;
  switch (self->op) {
  case NORN_OP_BITCAST:
  case NORN_OP_COPY:
    norn_select_same(selector, inst, norn_select_operand(selector, inst, 0));
    break;
  case NORN_OP_UNDEF: {
    unsigned count = MAX(1, norn_type_words(self->type));
    for (unsigned k = 0; k < count; k++)
      words[k] = norn_select_word(selector, 0);
    norn_select_collect(selector, inst, words, count);
    break;
  }
  case NORN_OP_COLLECT: {
    unsigned count = self->operand_count;
    for (unsigned k = 0; k < count; k++)
      words[k] = norn_select_operand(selector, inst, k);
    norn_select_collect(selector, inst, words, count);
    break;
  }
  case NORN_OP_SPLIT: {
    NornRef group = norn_select_operand(selector, inst, 0);
    unsigned count = self->result_count;
    bool is_value = norn_ref_kind(group) == NORN_REF_VALUE;
    if (is_value && narrow_load(selector, inst, group))
      break;
    if (is_value && norn_select_definition(selector, group).op != NORN_OP_COLLECT) {
      become(selector, inst, NORN_OP_SPLIT, 0, &group, 1);
      self->type = NORN_TYPE_I32;
      self->source_type = norn_type_of_words(count);
      break;
    }
    for (unsigned k = 0; k < count; k++)
      words[k] = norn_select_word_of(selector, group, k, count);
    norn_select_all_same(selector, inst, words);
    break;
  }
  case NORN_OP_PRELOAD:
  case NORN_OP_LOOP_ENTRY:
  case NORN_OP_JUMP:
  case NORN_OP_UNREACHABLE:
    break;
  default:
    *is_done = false;
  }
}

static bool
select_inst(NornSelector *selector, uint32_t inst) {
  NornInst *self = norn_inst(selector->function, inst);
  if (norn_is_machine(self))
    return true;
  if (!norn_has_effect(selector->function, self) && !is_used(selector, self)) {
    count_uses(selector, inst, -1);
    norn_inst_erase(selector->function, inst);
    return true;
  }
  bool is_done;
  select_pseudo(selector, inst, &is_done);
  return is_done || selector->context->target->select(selector, inst);
}

static bool
select_blocks(NornSelector *selector) {
  NornFunction *function = selector->function;
  const NornDominance *dominance = norn_pass_dominance(selector->context, function);
  bool is_done = true;
  if (dominance->order_count > 1) /* otherwise there is no branch to mark */
    norn_divergence_mark(&selector->context->arena, function, dominance);
  for (uint32_t k = dominance->order_count; is_done && k-- > 0;) {
    uint32_t block = dominance->order[k];
    for (uint32_t inst = norn_block(function, block)->last, previous;
         is_done && inst != NORN_INDEX_NONE; inst = previous) {
      /* What is inserted before it is already machine code. */
      previous = norn_inst(function, inst)->previous;
      is_done = norn_pass_continues(selector->context, 1) && select_inst(selector, inst);
    }
  }
  return is_done;
}

/* --- Before and after --- */

/* Reports the first instruction, in program order, that the target does not support. This is done
 * before a pattern can fold it, once for each form. */
static bool
check_supported(NornSelector *selector) {
  const NornPassContext *context = selector->context;
  NornFunction *function = selector->function;
  uint64_t known[NORN_FORM_SLOTS] = {0};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      uint64_t key = norn_form_key(inst), *same = &known[norn_form_slot(key)];
      if (*same == key || !(norn_has_effect(function, inst) || is_used(selector, inst)))
        continue;
      if (!context->target->supports(context->target, function, inst))
        return norn_select_unsupported(selector, index);
      *same = key;
    }
  return true;
}

/* Turns constant truth values, or copies of them, that are passed to parameters into words. */
static void
widen_arguments(NornSelector *selector) {
  NornFunction *function = selector->function;
  NornRef yes = norn_constant(selector->module, 1);
  NornRef mask = norn_select_word(selector, UINT32_MAX);
  norn_for_each_block (function, block) {
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (function, last, edge) {
      for (unsigned k = 0; k < edge.argument_count; k++) {
        uint32_t parameter = norn_block_parameter(function, edge.block, k);
        NornRef *argument =
            &norn_operands(function, norn_inst(function, last))[edge.operand + 1 + k];
        if (norn_value(function, parameter)->type == NORN_TYPE_I1 &&
            norn_select_resolve(selector, *argument) == yes)
          *argument = mask;
      }
    }
  }
}

/* Values become untyped words, except those whose type has its own register class. */
static void
retype_values(NornFunction *function, const NornRegisterModel *model) {
  for (uint32_t value = 0; value < function->value_count; value++) {
    NornType type = norn_value(function, value)->type;
    NornType words = norn_type_of_words(MAX(1, norn_type_words(type)));
    if (model->types[type].class == model->types[words].class)
      norn_value(function, value)->type = (uint8_t)words;
  }
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      NornInst *self = norn_inst(function, inst);
      if (norn_is_machine(self))
        self->type = self->result_count ? norn_value(function, self->result)->type : NORN_TYPE_VOID;
    }
}

/* Whether mark-loops has run. Where no instruction observes other lanes, edges that are never taken
 * have been removed since then although that changes loops, so entries may lack marks. */
static bool
has_marks(const NornFunction *function) {
  norn_for_each_block (function, block)
    if (norn_loop_rank(function, block))
      return true;
  return false;
}

bool
norn_pass_select(NornPassContext *context, NornFunction *function, GError **error) {
  NornSelector selector = {
      .context = context,
      .module = context->module,
      .function = function,
      .target = context->target,
      .replacements.arena = &context->arena,
      .error = error,
  };
  memset(selector.preload, 0xFF, sizeof selector.preload);
  context->info->shader.runs_by_sample =
      context->options->by_sample && context->module->stage == NORN_STAGE_FRAGMENT;
  norn_collect_shader_info(context->module, function, &context->info->shader);
  norn_pass_remove_unreachable(context, function); /* unreachable code would stay generic */
  bool changed = false;
  if (has_marks(function) && !norn_mark_loops(&context->arena, function, &changed, error))
    return false;
  grow(&selector);
  widen_arguments(&selector);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      note_uses(&selector, inst);
  bool is_done = check_supported(&selector) && select_blocks(&selector);
  if (is_done) {
    norn_replacements_apply(&selector.replacements, function);
    retype_values(function, &context->target->registers);
  }
  return is_done;
}
