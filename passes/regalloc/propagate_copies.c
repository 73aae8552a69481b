/* Copy propagation after allocation.
 *
 * A copy between registers is removed if, within its block,
 *
 * - the source can be computed in the destination's register, which is not touched in between;
 * - the source is arithmetic that can be computed later, after the last instruction that touches
 *   that register;
 * - all readers of the copy can read the source, which is not overwritten before them; or
 * - the destination already holds the same content from an earlier copy, which may also be in a
 * block before it; the same applies to arithmetic on constants.
 *
 * Readers of a group whose words are all copies can also read the sources if those are adjacent.
 *
 * Allocation leaves such copies if it finds out too late which register would have been best for a
 * value, such as a word of a group that had to move. An operand or result that requires its
 * register stays there, as do the words of a group. */
#include "ir/builder.h"
#include "ir/replacements.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

/* The maximum distance between copy and definition, or copy and last reader, in instructions.
 * Definitions may be farther away as long as this takes no more steps than the function has
 * instructions. */
enum { MAX_STEPS = 64 };
/* After a message that reads a group, at least this many instructions must leave the sources of the
 * copies alone, as the next one that writes them would wait until the message has read them. */
enum { QUIET_STEPS = 8 };
/* How far back to look for the instruction that wrote a register, also through blocks of which each
 * is the only predecessor of the next. */
enum { MAX_STEPS_BACK = 32 };

typedef struct CopyPropagator {
  const NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  uint32_t *use_counts; /* by value */
  uint32_t steps_left;  /* to definitions that are far away */
  NornReplacements replacements;
  bool changed;
} CopyPropagator;

/* The current value of an operand. */
static NornRef
operand_now(const CopyPropagator *self, const NornInst *inst, unsigned k) {
  return norn_replacements_get(&self->replacements, norn_operands(self->function, inst)[k]);
}

/* The registers that an instruction reads. */
static NornRegisterSet
read_by(const CopyPropagator *self, const NornInst *inst) {
  NornRegisterSet read = NORN_NO_REGISTERS;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operand_now(self, inst, k);
    if (norn_ref_kind(ref) == NORN_REF_VALUE)
      norn_regs_add(&read, norn_value_registers(self->function, norn_ref_payload(ref)));
  }
  return read;
}

static NornRegisterSet
changed_by(const CopyPropagator *self, const NornInst *inst) {
  return norn_registers_changed(self->context->target, self->function, inst);
}

/* How many operands of the instruction refer to the value, if these may be in any register; -1: one
 * has to stay where it is. */
static int
free_uses(const CopyPropagator *self, const NornInst *inst, uint32_t value) {
  const NornTarget *target = self->context->target;
  NornFixedRegisters fixed;
  bool is_fixed =
      norn_is_machine(inst) && target->fixed_registers(target, self->function, inst, &fixed);
  int uses = 0;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (operand_now(self, inst, k) != norn_ref(NORN_REF_VALUE, value))
      continue;
    if (!norn_is_machine(inst) || norn_is_terminator(self->function, inst) ||
        k >= NORN_MACHINE_OPERANDS ||
        (is_fixed && (fixed.operand[k] != NORN_NO_REGISTER || fixed.low >> k & 1)))
      return -1;
    uses++;
  }
  return uses;
}

static bool
is_message(const CopyPropagator *self, const NornInst *inst) {
  return self->context->target->message(self->context->target, self->function, inst, NULL);
}

/* Whether the machine instruction can define this result of one word in another register. */
static bool
can_define(const CopyPropagator *self, const NornInst *def, uint32_t value, NornRegisterSet to) {
  const NornTarget *target = self->context->target;
  NornFixedRegisters fixed;
  if (!norn_is_machine(def) || norn_regs_overlap(changed_by(self, def), to) ||
      (is_message(self, def) && norn_regs_overlap(read_by(self, def), to)))
    return false;
  return !target->fixed_registers(target, self->function, def, &fixed) ||
         fixed.result[value - def->result] == NORN_NO_REGISTER;
}

/* Whether an instruction can move past others that do not touch its registers. */
static bool
can_pass(const CopyPropagator *self, const NornInst *inst) {
  return norn_is_machine(inst) && inst->result_count == 1 &&
         norn_target_is_arithmetic(self->context->target, self->function, inst);
}

/* Whether the value, which the instruction copies to `to`, can be computed there. *behind: the last
 * instruction that touches the register, after which the value must be computed; no instruction
 * from its definition to there reads the value or changes its operands. NORN_INDEX_NONE: it can be
 * computed in place. */
static bool
can_rename(CopyPropagator *self, uint32_t copy, uint32_t value, NornRegisterSet to,
           uint32_t *behind) {
  const NornFunction *function = self->function;
  const NornValue *source = norn_value(function, value);
  *behind = NORN_INDEX_NONE;
  if (source->is_parameter ||
      norn_inst(function, source->def)->block != norn_inst(function, copy)->block)
    return false;
  const NornInst *def = norn_inst(function, source->def);
  NornRegisterSet sources = NORN_NO_REGISTERS;
  uint32_t uses = 1, index = norn_inst(function, copy)->previous;
  for (unsigned step = 0; index != NORN_INDEX_NONE && index != source->def; step++) {
    if (step >= MAX_STEPS && !self->steps_left)
      return false;
    self->steps_left -= step >= MAX_STEPS;
    const NornInst *inst = norn_inst(function, index);
    NornRegisterSet changed = changed_by(self, inst);
    int free = free_uses(self, inst, value);
    bool changes = norn_regs_overlap(changed, to);
    if (*behind == NORN_INDEX_NONE && (changes || norn_regs_overlap(read_by(self, inst), to))) {
      if (!can_pass(self, def) || (changes && norn_is_machine(inst) && is_message(self, inst)))
        return false;
      *behind = index;
      sources = read_by(self, def);
    }
    bool is_passed = *behind != NORN_INDEX_NONE;
    if (free < 0 || (is_passed && (free || norn_regs_overlap(changed, sources))))
      return false;
    uses += (uint32_t)free;
    index = inst->previous;
  }
  return index == source->def && uses == self->use_counts[value] &&
         can_define(self, def, value, to);
}

/* Whether all readers of the copy, the value `result`, can read `from` instead. */
static bool
can_read(const CopyPropagator *self, uint32_t copy, uint32_t result, NornRegisterSet from) {
  const NornFunction *function = self->function;
  uint32_t uses = 0, index = norn_inst(function, copy)->next;
  for (unsigned step = 0; step < MAX_STEPS && index != NORN_INDEX_NONE; step++) {
    const NornInst *inst = norn_inst(function, index);
    NornMachineShape shape = {0};
    int free = free_uses(self, inst, result);
    if (norn_is_machine(inst))
      norn_inst_shape(function->module, inst, &shape);
    if (free < 0 || (free && shape.operand_is_staging))
      return false;
    uses += (uint32_t)free;
    bool changes = norn_regs_overlap(changed_by(self, inst), from);
    if (uses == self->use_counts[result])
      return !changes || !is_message(self, inst);
    if (changes)
      return false;
    index = inst->next;
  }
  return false;
}

/* A register's content: a word of a value that is not a copy, or a literal. */
typedef struct Content {
  NornRef ref; /* 0: the constant */
  uint32_t word_or_constant;
} Content;

/* Finds what a move copies; returns false if the instruction is not a move. */
static bool
copied_by(const CopyPropagator *self, const NornInst *inst, Content *content) {
  content->word_or_constant = 0;
  if (!norn_is_machine(inst) ||
      !self->context->target->is_move(self->context->target, self->function, inst, &content->ref,
                                      &content->word_or_constant))
    return false;
  if (content->ref)
    content->word_or_constant = 0;
  return true;
}

/* Looks through copies and pseudo operations. */
static Content
content_of(const CopyPropagator *self, uint32_t value, unsigned word) {
  const NornFunction *function = self->function;
  Content content = {norn_ref(NORN_REF_VALUE, value), word};
  for (unsigned step = 0; step < MAX_STEPS && norn_ref_kind(content.ref) == NORN_REF_VALUE;
       step++) {
    value = norn_ref_payload(norn_replacements_get(&self->replacements, content.ref));
    content.ref = norn_ref(NORN_REF_VALUE, value);
    const NornInst *def = norn_defining_inst(function, content.ref);
    Content source;
    if (def && def->op == NORN_OP_SPLIT)
      content = (Content){operand_now(self, def, 0), value - def->result};
    else if (def && def->op == NORN_OP_COLLECT)
      content = (Content){operand_now(self, def, content.word_or_constant), 0};
    else if (def && copied_by(self, def, &source))
      content = source;
    else
      break;
    if (!content.ref)
      break;
  }
  return content;
}

/* Whether the instruction is arithmetic on constants only. */
static bool
is_of_constants(const CopyPropagator *self, const NornInst *inst) {
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (!norn_is_constant(norn_operands(self->function, inst)[k]))
      return false;
  return norn_is_machine(inst) && inst->result_count == 1 &&
         norn_target_is_arithmetic(self->context->target, self->function, inst);
}

/* Whether the contents are equal, including equal words of the same arithmetic on constants. */
static bool
same_content(const CopyPropagator *self, const Content *a, const Content *b) {
  const NornFunction *function = self->function;
  if (a->word_or_constant != b->word_or_constant)
    return false;
  if (a->ref == b->ref)
    return true;
  const NornInst *one = norn_defining_inst(function, a->ref);
  const NornInst *other = norn_defining_inst(function, b->ref);
  return one && other && is_of_constants(self, one) && is_of_constants(self, other) &&
         norn_computes_same(function, one, other);
}

/* The value that an earlier instruction put into the same registers with the same content as the
 * copy, in the block or before it; 0: there is none nearby. */
static NornRef
already_in(const CopyPropagator *self, uint32_t copy, NornRegisterSet to, const Content *wanted) {
  const NornFunction *function = self->function;
  uint32_t index = norn_inst(function, copy)->previous, block = norn_inst(function, copy)->block;
  for (unsigned step = 0; step < MAX_STEPS_BACK; step++) {
    if (index == NORN_INDEX_NONE) {
      if (norn_predecessor_count(self->dominance, block) != 1)
        return 0;
      block = norn_predecessor(self->dominance, block, 0);
      index = norn_block(function, block)->last;
    }
    const NornInst *inst = norn_inst(function, index);
    index = inst->previous;
    if (!norn_regs_overlap(changed_by(self, inst), to))
      continue;
    for (unsigned k = 0; k < inst->result_count; k++) {
      uint32_t value = inst->result + k;
      if (!norn_regs_equal(norn_value_registers(function, value), to))
        continue;
      Content content = content_of(self, value, 0);
      return same_content(self, &content, wanted) ? norn_ref(NORN_REF_VALUE, value) : 0;
    }
    if (inst->op != NORN_OP_COLLECT && inst->op != NORN_OP_SPLIT) /* the words are in place */
      return 0;
  }
  return 0;
}

/* Drops a use; erases splits and arithmetic that are then unused. */
static void
drop_use(CopyPropagator *self, NornRef ref) {
  NornFunction *function = self->function;
  while (norn_ref_kind(ref) == NORN_REF_VALUE && !--self->use_counts[norn_ref_payload(ref)]) {
    const NornInst *def = norn_defining_inst(function, ref);
    if (!def || def->operand_count == 0)
      return;
    for (unsigned k = 0; k < def->result_count; k++)
      if (self->use_counts[def->result + k])
        return;
    bool is_split = def->op == NORN_OP_SPLIT;
    if (!is_split &&
        (!norn_is_machine(def) || !norn_target_is_arithmetic(self->context->target, function, def)))
      return;
    for (unsigned k = 1; k < def->operand_count; k++)
      if (norn_ref_kind(operand_now(self, def, k)) == NORN_REF_VALUE)
        return;
    ref = operand_now(self, def, 0);
    norn_inst_erase(function, norn_value(function, def->result)->def);
  }
}

/* Erases a copy, or arithmetic on constants, to registers that already hold the same content. */
static bool
try_again(CopyPropagator *self, uint32_t index) {
  NornFunction *function = self->function;
  const NornInst *copy = norn_inst(function, index);
  Content wanted;
  bool is_copy = copied_by(self, copy, &wanted);
  if (!is_copy && !is_of_constants(self, copy))
    return false;
  if (!is_copy || norn_ref_kind(wanted.ref) == NORN_REF_VALUE)
    wanted = content_of(self, copy->result, 0);
  NornRef same = already_in(self, index, norn_value_registers(function, copy->result), &wanted);
  if (!same)
    return false;
  NornRef source = copy->operand_count ? operand_now(self, copy, 0) : 0;
  norn_replacements_set(&self->replacements, copy->result, same);
  self->use_counts[norn_ref_payload(same)] += self->use_counts[copy->result];
  norn_inst_erase(function, index);
  drop_use(self, source);
  self->changed = true;
  return true;
}

static void
try_copy(CopyPropagator *self, uint32_t index) {
  NornFunction *function = self->function;
  const NornInst *copy = norn_inst(function, index);
  NornRef source;
  uint32_t constant;
  if (!norn_is_machine(copy) ||
      !self->context->target->is_move(self->context->target, function, copy, &source, &constant))
    return;
  source = norn_replacements_get(&self->replacements, source);
  if (norn_ref_kind(source) != NORN_REF_VALUE)
    return;
  uint32_t value = norn_ref_payload(source), result = copy->result;
  NornRegisterSet from = norn_value_registers(function, value);
  NornRegisterSet to = norn_value_registers(function, result);
  if (norn_type_words(norn_value(function, value)->type) != 1)
    return;
  uint32_t behind;
  bool renames = can_rename(self, index, value, to, &behind);
  if (!renames || behind != NORN_INDEX_NONE) {
    if (norn_regs_equal(from, to) || can_read(self, index, result, from))
      renames = false;
    else if (!renames)
      return;
  }
  if (renames && behind != NORN_INDEX_NONE) {
    NornBuilder builder = norn_builder_after(function, behind);
    norn_builder_insert(&builder, norn_value(function, value)->def);
  }
  if (renames)
    norn_value(function, value)->reg = norn_value(function, result)->reg;
  norn_replacements_set(&self->replacements, result, source);
  self->use_counts[value] += self->use_counts[result] - 1;
  norn_inst_erase(function, index);
  self->changed = true;
}

/* --- Groups --- */

/* A group whose words are copies. */
typedef struct CopiedGroup {
  uint32_t collect;
  unsigned count;
  NornRef sources[NORN_MACHINE_OPERANDS];
  NornRegisterSet from;
} CopiedGroup;

/* The value that word k is a copy of, if only the group reads the copy; 0: there is none. */
static NornRef
copied_word(const CopyPropagator *self, const NornInst *collect, unsigned k) {
  const NornFunction *function = self->function;
  NornRef word = operand_now(self, collect, k), source;
  uint32_t constant;
  const NornInst *copy = norn_defining_inst(function, word);
  if (!copy || !norn_is_machine(copy) || copy->block != collect->block ||
      self->use_counts[norn_ref_payload(word)] != 1 ||
      !self->context->target->is_move(self->context->target, function, copy, &source, &constant))
    return 0;
  source = norn_replacements_get(&self->replacements, source);
  return norn_ref_kind(source) == NORN_REF_VALUE &&
                 norn_type_words(norn_value(function, norn_ref_payload(source))->type) == 1
             ? source
             : 0;
}

/* Whether the sources are in registers where a group may be. */
static bool
find_sources(const CopyPropagator *self, CopiedGroup *group) {
  const NornFunction *function = self->function;
  const NornInst *collect = norn_inst(function, group->collect);
  unsigned first = 0;
  group->count = collect->operand_count;
  if (group->count < 2 || group->count > NORN_MACHINE_OPERANDS)
    return false;
  for (unsigned k = 0; k < group->count; k++) {
    NornRef source = group->sources[k] = copied_word(self, collect, k);
    if (!source)
      return false;
    unsigned at = norn_value(function, norn_ref_payload(source))->reg;
    first = k ? first : at;
    if (at != first + k)
      return false;
  }
  group->from = norn_regs_range(first, group->count);
  const NornRegisterModel *model = &self->context->target->registers;
  NornTypeRegisters type = model->types[norn_value(function, collect->result)->type];
  return norn_regs_has(model->starts[type.class][type.count], first);
}

/* Whether nothing changes the sources from the first copy up to the collect. */
static bool
sources_stay(const CopyPropagator *self, const CopiedGroup *group) {
  const NornFunction *function = self->function;
  const NornInst *collect = norn_inst(function, group->collect);
  unsigned copies = 0;
  uint32_t index = collect->previous;
  for (unsigned step = 0; step < MAX_STEPS && index != NORN_INDEX_NONE; step++) {
    const NornInst *inst = norn_inst(function, index);
    if (norn_regs_overlap(changed_by(self, inst), group->from))
      return false;
    for (unsigned k = 0; k < group->count; k++)
      copies += operand_now(self, collect, k) == norn_ref(NORN_REF_VALUE, inst->result) &&
                inst->result_count;
    if (copies == group->count)
      return true;
    index = inst->previous;
  }
  return false;
}

/* Whether all readers of the group are in the block and can read the sources, which stay unchanged
 * until messages have read them. */
static bool
readers_may_change(const CopyPropagator *self, const CopiedGroup *group) {
  const NornFunction *function = self->function;
  const NornInst *collect = norn_inst(function, group->collect);
  uint32_t uses = 0, index = collect->next;
  unsigned quiet = 0;
  for (unsigned step = 0; step < MAX_STEPS && index != NORN_INDEX_NONE && quiet < QUIET_STEPS;
       step++) {
    const NornInst *inst = norn_inst(function, index);
    int free = free_uses(self, inst, collect->result);
    if (free < 0 || norn_regs_overlap(changed_by(self, inst), group->from))
      return false;
    uses += (uint32_t)free;
    quiet += uses == self->use_counts[collect->result];
    index = inst->next;
  }
  return uses == self->use_counts[collect->result];
}

/* Replaces a group of copies by a group of their sources, in place. */
static void
try_group(CopyPropagator *self, uint32_t index) {
  NornFunction *function = self->function;
  CopiedGroup group = {.collect = index};
  if (!find_sources(self, &group) || !sources_stay(self, &group) ||
      !readers_may_change(self, &group))
    return;
  for (unsigned k = 0; k < group.count; k++) {
    NornRef copy = operand_now(self, norn_inst(function, index), k);
    norn_set_operand(function, index, k, group.sources[k]);
    self->use_counts[norn_ref_payload(copy)]--;
    norn_inst_erase(function, norn_value(function, norn_ref_payload(copy))->def);
  }
  const NornInst *collect = norn_inst(function, index);
  norn_value(function, collect->result)->reg =
      norn_value(function, norn_ref_payload(group.sources[0]))->reg;
  self->changed = true;
}

bool
norn_pass_propagate_copies(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  CopyPropagator self = {.context = context,
                         .function = function,
                         .dominance = norn_pass_dominance(context, function),
                         .use_counts = norn_pass_use_counts(context, function),
                         .steps_left = function->inst_count,
                         .replacements.arena = &context->arena};
  norn_for_each_block (function, block)
    for (uint32_t index = norn_block(function, block)->first, next; index != NORN_INDEX_NONE;
         index = next) {
      next = norn_inst(function, index)->next;
      if (!norn_pass_continues(context, 1))
        continue;
      if (norn_inst(function, index)->op == NORN_OP_COLLECT)
        try_group(&self, index);
      else if (!try_again(&self, index))
        try_copy(&self, index);
    }
  norn_replacements_apply(&self.replacements, function);
  norn_pass_report(context, self.changed);
  return true;
}
