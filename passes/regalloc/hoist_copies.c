/* Hoist copies: moves copies from the start of a branch's successors to before the branch.
 *
 * Copies that both successors begin with are made only once, and groups that both split are split
 * before the branch.
 *
 * Arguments for a block that has other predecessors are moved in a block of their own, which ends
 * in a jump. If the other successor needs none of the registers written there, the moves can come
 * before the branch, which then leads directly to the target; the same holds for instructions that
 * make constants. The other path executes them for nothing, so only a few are hoisted, and none
 * where the edge leaves a loop. More are hoisted if the edge leads to the next iteration, as the
 * other path is then taken only once. If only the branch condition is in the way, it is computed in
 * another register. */
#include "ir/builder.h"
#include "ir/replacements.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

/* The maximum number of instructions that the other path executes for nothing, in general and for a
 * back edge, and the number of instructions compared at the start of two paths. */
enum { MAX_HOISTED = 2, MAX_HOISTED_BACK = 4, MAX_COMPARED = 32 };

typedef struct CopyHoister {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornRegisterSet *live_in; /* by block; NULL: not needed yet */
  const uint32_t *uses;     /* by value; NULL: not needed yet */
  NornReplacements replacements;
} CopyHoister;

/* Whether the instruction moves a value between registers or makes a constant. */
static bool
is_copy(const CopyHoister *self, const NornInst *inst) {
  const NornTarget *target = self->context->target;
  NornRef source;
  uint32_t constant;
  return inst->result_count && (target->is_move(target, self->function, inst, &source, &constant) ||
                                (norn_target_is_arithmetic(target, self->function, inst) &&
                                 !norn_regs_any(norn_registers_read(self->function, inst))));
}

/* --- Copies of both paths --- */

/* The registers that a copy reads and writes. A value that both paths read was available before the
 * branch: no earlier copy of the path has written its register. */
static NornRegisterSet
touched_by(const CopyHoister *self, const NornInst *copy) {
  return norn_regs_union(norn_registers_read(self->function, copy),
                         norn_registers_changed(self->context->target, self->function, copy));
}

/* Among the copies at the start of the block, one that does the same as this one and can come
 * first; NORN_INDEX_NONE: there is none. */
static uint32_t
find_same(const CopyHoister *self, uint32_t block, const NornInst *copy, NornRegisterSet written) {
  const NornFunction *function = self->function;
  NornRegisterSet passed = NORN_NO_REGISTERS;
  unsigned count = 0;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    if (!norn_is_machine(inst) || !is_copy(self, inst) || count++ == MAX_COMPARED)
      break;
    NornRegisterSet changed = norn_registers_changed(self->context->target, function, inst);
    if (norn_regs_equal(changed, written) && norn_computes_same(function, inst, copy))
      return norn_regs_overlap(written, passed) ? NORN_INDEX_NONE : index;
    norn_regs_add(&passed, touched_by(self, inst));
  }
  return NORN_INDEX_NONE;
}

/* Splits the group before the branch if both paths begin with splitting it: its words stay where
 * they are. */
static bool
hoist_split(CopyHoister *self, uint32_t branch, uint32_t split, uint32_t path) {
  NornFunction *function = self->function;
  const NornInst *inst = norn_inst(function, split);
  NornRef group = norn_operands(function, inst)[0];
  uint32_t same = norn_block(function, path)->first;
  while (norn_is_machine(norn_inst(function, same)) && is_copy(self, norn_inst(function, same)))
    same = norn_inst(function, same)->next;
  const NornInst *other = norn_inst(function, same);
  if (other->op != NORN_OP_SPLIT ||
      norn_replacements_get(&self->replacements, norn_operands(function, other)[0]) != group)
    return false;
  for (unsigned k = 0; k < inst->result_count; k++)
    norn_replacements_set(&self->replacements, other->result + k,
                          norn_ref(NORN_REF_VALUE, inst->result + k));
  norn_inst_erase(function, same);
  NornBuilder builder = norn_builder_before(function, branch);
  norn_builder_insert(&builder, split);
  return true;
}

/* Moves copies that both paths of the branch begin with before the branch. */
static bool
hoist_common(CopyHoister *self, uint32_t branch, const uint32_t paths[2]) {
  NornFunction *function = self->function;
  NornRegisterSet kept = norn_registers_read(function, norn_inst(function, branch));
  bool changed = false;
  unsigned count = 0;
  uint32_t next;
  for (uint32_t index = norn_block(function, paths[0])->first;; index = next) {
    const NornInst *inst = norn_inst(function, index);
    next = inst->next;
    if (inst->op == NORN_OP_SPLIT && hoist_split(self, branch, index, paths[1])) {
      changed = true;
      continue;
    }
    if (!norn_is_machine(inst) || !is_copy(self, inst) || count++ == MAX_COMPARED)
      return changed;
    NornRegisterSet written = norn_registers_changed(self->context->target, function, inst);
    uint32_t same = norn_regs_overlap(written, kept) ? NORN_INDEX_NONE
                                                     : find_same(self, paths[1], inst, written);
    if (same == NORN_INDEX_NONE) {
      norn_regs_add(&kept, touched_by(self, inst));
      continue;
    }
    norn_replacements_set(&self->replacements, norn_inst(function, same)->result,
                          norn_ref(NORN_REF_VALUE, inst->result));
    norn_inst_erase(function, same);
    NornBuilder builder = norn_builder_before(function, branch);
    norn_builder_insert(&builder, index);
    for (unsigned k = 0; k < 2 && self->live_in; k++)
      norn_regs_add(&self->live_in[paths[k]], written);
    changed = true;
  }
}

/* --- Copies of one path --- */

/* Whether a block has only copies, at least one and at most `max`; *written: the registers that
 * they write. */
static bool
has_copies(const CopyHoister *self, uint32_t block, unsigned max, NornRegisterSet *written) {
  const NornFunction *function = self->function;
  const NornTarget *target = self->context->target;
  uint32_t last = norn_block(function, block)->last;
  unsigned count = 0;
  *written = NORN_NO_REGISTERS;
  for (uint32_t index = norn_block(function, block)->first; index != last;
       index = norn_inst(function, index)->next) {
    const NornInst *inst = norn_inst(function, index);
    if (!norn_is_machine(inst))
      continue;
    if (!is_copy(self, inst) || ++count > max)
      return false;
    norn_regs_add(written, norn_registers_changed(target, function, inst));
  }
  return count;
}

/* Whether hoisting its copies would leave the block, a successor of `home`, with only a jump that
 * is then superfluous; *written: the registers that the copies write. */
static bool
can_be_emptied(const CopyHoister *self, uint32_t home, uint32_t block, NornRegisterSet *written) {
  const NornFunction *function = self->function;
  const NornDominance *dominance = self->dominance;
  if (norn_predecessor_count(dominance, block) != 1 ||
      norn_block(function, block)->parameter_count ||
      norn_inst(function, norn_block(function, block)->last)->op != NORN_OP_JUMP)
    return false;
  uint32_t target = norn_successor(dominance, block, 0);
  bool leads_back = norn_dominates(dominance, target, block);
  return dominance->loop_depth[target] >= dominance->loop_depth[home] &&
         norn_joins_others(dominance, block, target) &&
         has_copies(self, block, leads_back ? MAX_HOISTED_BACK : MAX_HOISTED, written);
}

/* Whether neither the branch nor its path to `other` needs one of the registers. */
static bool
are_free(CopyHoister *self, uint32_t branch, uint32_t other, NornRegisterSet registers) {
  NornFunction *function = self->function;
  if (!self->live_in)
    self->live_in = norn_registers_live_in(&self->context->arena, function, self->dominance);
  NornRegisterSet wanted = self->live_in[other];
  norn_for_each_use (function, norn_inst(function, branch), use)
    norn_regs_add(&wanted, norn_value_registers(function, use.value));
  return !norn_regs_overlap(wanted, registers);
}

/* The branch condition, if only the branch reads it and it is computed by arithmetic of the block
 * that can use any register; else NORN_INDEX_NONE. */
static uint32_t
movable_condition(CopyHoister *self, uint32_t home, const NornInst *branch) {
  const NornFunction *function = self->function;
  const NornTarget *target = self->context->target;
  NornRef ref = norn_operands(function, branch)[0];
  NornFixedRegisters fixed;
  if (norn_ref_kind(ref) != NORN_REF_VALUE || !norn_is_machine(branch) ||
      target->fixed_registers(target, function, branch, &fixed))
    return NORN_INDEX_NONE;
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  if (value->is_parameter || norn_type_words(value->type) != 1)
    return NORN_INDEX_NONE;
  const NornInst *def = norn_inst(function, value->def);
  if (!norn_is_machine(def) || def->block != home || def->result_count != 1 ||
      target->fixed_registers(target, function, def, &fixed) ||
      !norn_target_is_arithmetic(target, function, def))
    return NORN_INDEX_NONE;
  if (!self->uses)
    self->uses = norn_pass_use_counts(self->context, function);
  return self->uses[norn_ref_payload(ref)] == 1 ? norn_ref_payload(ref) : NORN_INDEX_NONE;
}

/* Computes the branch condition in another register that the block writes, if copies to be hoisted
 * write its current one. */
static bool
move_condition(CopyHoister *self, uint32_t home, const uint32_t paths[2], NornRegisterSet written) {
  NornFunction *function = self->function;
  const NornInst *branch = norn_inst(function, norn_block(function, home)->last);
  uint32_t value = movable_condition(self, home, branch);
  if (value == NORN_INDEX_NONE)
    return false;
  NornRegisterSet taken = norn_regs_union(written, norn_registers_read(function, branch));
  NornRegisterSet free = NORN_NO_REGISTERS;
  for (unsigned k = 0; k < 2; k++)
    norn_regs_add(&taken, self->live_in[paths[k]]);
  bool is_behind = false;
  norn_for_each_inst (function, home, index) {
    const NornInst *inst = norn_inst(function, index);
    NornRegisterSet changed = norn_registers_changed(self->context->target, function, inst);
    if (is_behind) {
      norn_regs_add(&taken, changed);
      norn_regs_add(&taken, norn_registers_read(function, inst));
    }
    if (norn_is_machine(inst))
      norn_regs_add(norn_target_is_arithmetic(self->context->target, function, inst) ? &free
                                                                                     : &taken,
                    changed);
    is_behind |= index == norn_value(function, value)->def;
  }
  norn_regs_remove(&free, taken);
  if (!norn_regs_any(free))
    return false;
  norn_value(function, value)->reg = (uint16_t)norn_regs_lowest(free);
  return true;
}

static bool
visit(CopyHoister *self, uint32_t home) {
  NornFunction *function = self->function;
  uint32_t branch = norn_block(function, home)->last;
  if (norn_successor_count(self->dominance, home) != 2)
    return false;
  uint32_t paths[] = {norn_successor(self->dominance, home, 0),
                      norn_successor(self->dominance, home, 1)};
  bool changed = norn_predecessor_count(self->dominance, paths[0]) == 1 &&
                 norn_predecessor_count(self->dominance, paths[1]) == 1 &&
                 hoist_common(self, branch, paths);
  for (unsigned k = 0; k < 2; k++) {
    uint32_t block = paths[k], other = paths[1 - k];
    NornRegisterSet written;
    if (!can_be_emptied(self, home, block, &written))
      continue;
    if (!are_free(self, branch, other, written) &&
        (norn_regs_overlap(self->live_in[other], written) ||
         !move_condition(self, home, paths, written)))
      continue;
    NornBuilder builder = norn_builder_before(function, branch);
    while (norn_block(function, block)->first != norn_block(function, block)->last)
      norn_builder_insert(&builder, norn_block(function, block)->first);
    return true;
  }
  return changed;
}

bool
norn_pass_hoist_copies(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  CopyHoister self = {.context = context,
                      .function = function,
                      .dominance = norn_pass_dominance(context, function),
                      .replacements.arena = &context->arena};
  bool changed = false;
  for (uint32_t i = 0; i < self.dominance->order_count; i++)
    changed |= visit(&self, self.dominance->order[i]);
  norn_replacements_apply(&self.replacements, function);
  norn_pass_report(context, changed);
  return true;
}
