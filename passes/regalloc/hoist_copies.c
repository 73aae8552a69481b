/* Hoist copies: makes the moves that only one edge of a branch needs before the branch, to save a
 * jump.
 *
 * What is passed to a block that other paths lead to, too, is moved in a block of its own, which
 * ends in a jump. Where the other edge wants none of the registers that are written there, the
 * moves may as well come before the branch, which then leads on directly; and so may what makes
 * constants. The other path executes them for nothing, so that only few are worth it, none where
 * the edge leaves a loop, and more where it leads to the next iteration, as that path is taken
 * once. */
#include "ir/builder.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

/* The most instructions that the other path executes for nothing. */
enum { MAX_HOISTED = 2, MAX_HOISTED_BACK = 4 };

typedef struct CopyHoister {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  const NornRegisterSet *live_in; /* per block; NULL: nothing has asked for it yet */
} CopyHoister;

/* Whether the instruction moves something between registers or makes a constant. */
static bool
is_copy(const CopyHoister *self, const NornInst *inst) {
  const NornTarget *target = self->context->target;
  NornRef source;
  uint32_t constant;
  return target->is_move(target, self->function, inst, &source, &constant) ||
         (norn_target_is_arithmetic(target, self->function, inst) &&
          !norn_regs_any(norn_registers_read(self->function, inst)));
}

/* Whether a block has some copies alone, no more than `max`; *written: what they write. */
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

/* Whether a block, to which a branch of block `home` leads, would be empty but for a jump that is
 * superfluous then; *written: what is written in it. */
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

/* Whether neither the branch nor its path to `other` wants one of the registers. */
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

static bool
visit(CopyHoister *self, uint32_t home) {
  NornFunction *function = self->function;
  uint32_t branch = norn_block(function, home)->last;
  if (norn_successor_count(self->dominance, home) != 2)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    uint32_t block = norn_successor(self->dominance, home, k);
    uint32_t other = norn_successor(self->dominance, home, 1 - k);
    NornRegisterSet written;
    if (!can_be_emptied(self, home, block, &written) || !are_free(self, branch, other, written))
      continue;
    NornBuilder builder = norn_builder_before(function, branch);
    while (norn_block(function, block)->first != norn_block(function, block)->last)
      norn_builder_insert(&builder, norn_block(function, block)->first);
    return true;
  }
  return false;
}

bool
norn_pass_hoist_copies(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  CopyHoister self = {context, function, norn_pass_dominance(context, function), NULL};
  bool changed = false;
  for (uint32_t i = 0; i < self.dominance->order_count; i++)
    changed |= visit(&self, self.dominance->order[i]);
  norn_pass_report(context, changed);
  return true;
}
