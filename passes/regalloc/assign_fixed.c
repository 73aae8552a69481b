/* Assigns registers for instructions that require particular ones: fixed operands and results,
 * clobbered registers, and operands that are read as the low register of a pair.
 *
 * Values in such a register move away. A killed operand moves to its fixed register, and one that
 * lives on is copied there, unless it is already there and the instruction does not change it. */
#include "passes/regalloc/assign.h"

static bool
is_member(const uint32_t *values, unsigned count, uint32_t value) {
  for (unsigned i = 0; i < count; i++)
    if (values[i] == value)
      return true;
  return false;
}

/* The register required for a killed operand, or NORN_NO_REGISTER. */
static unsigned
fixed_register(const AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
               uint32_t value) {
  const NornRef *operands = norn_operands(walk->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (fixed->operand[k] != NORN_NO_REGISTER && operands[k] == norn_ref(NORN_REF_VALUE, value))
      return fixed->operand[k];
  return NORN_NO_REGISTER;
}

/* Evicts the values in `forbidden` and the killed operands in the way of fixed ones. */
static bool
evict_from(AllocationWalk *walk, const uint32_t *killed, unsigned killed_count,
           NornRegisterSet operands, NornRegisterSet forbidden) {
  const uint8_t *words = walk->allocation->pressure->words;
  uint32_t values[2 * NORN_MAX_REGISTERS], leaving[NORN_MACHINE_OPERANDS];
  unsigned count = 0, leaving_count = 0;
  norn_for_each_register (reg, norn_regs_common(walk->now.used, forbidden)) {
    uint32_t owner = walk->now.owner[reg];
    if (!is_member(values, count, owner))
      values[count++] = owner;
  }
  for (unsigned i = 0; i < killed_count; i++) {
    NornRegisterSet range = norn_regs_range(walk->reg[killed[i]], words[killed[i]]);
    if (!norn_regs_overlap(range, operands))
      continue;
    norn_regs_remove(&walk->blocked, range);
    norn_walk_assign(walk, killed[i], walk->reg[killed[i]]);
    values[count++] = leaving[leaving_count++] = killed[i];
  }
  bool ok = !count || norn_walk_relocate(walk, values, count, forbidden);
  for (unsigned i = 0; i < leaving_count; i++) {
    norn_walk_unassign(walk, leaving[i]);
    norn_regs_add(&walk->blocked, norn_regs_range(walk->reg[leaving[i]], words[leaving[i]]));
  }
  return ok;
}

/* Moves operands that are read as the low register of a pair to where a pair may start. They still
 * have their owners. */
static bool
align_low(AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_operands(walk->function, inst)[k];
    if (!(fixed->low >> k & 1) || norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(ref);
    unsigned class = norn_pressure_class(walk->allocation->pressure, value);
    NornRegisterSet starts = walk->model->starts[class][2];
    if (!norn_regs_has(starts, walk->reg[value])) {
      norn_walk_note_move(walk, value);
      norn_walk_unassign(walk, value);
      NornRegisterSet usable = norn_regs_common(walk->file, starts);
      unsigned reg = norn_walk_choose(walk, value, 1, norn_regs_without(usable, walk->now.used));
      if (reg == NORN_NO_REGISTER)
        reg = norn_walk_make_room(walk, value, 1, usable);
      if (reg == NORN_NO_REGISTER)
        return false;
      norn_walk_assign(walk, value, reg);
    }
    norn_regs_add(&walk->pinned, norn_regs_of(walk->reg[value]));
    walk->low[walk->low_count++] = value;
  }
  return true;
}

/* The registers that the instruction changes: its fixed results and what it clobbers. */
static NornRegisterSet
fixed_changes(const AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
  NornRegisterSet changed = fixed->clobbered;
  for (unsigned k = 0; k < inst->result_count; k++)
    if (fixed->result[k] != NORN_NO_REGISTER)
      norn_regs_add(&changed,
                    norn_regs_range(fixed->result[k], norn_walk_words(walk, inst->result + k)));
  return changed;
}

/* Whether operand k lives on in its fixed register, which the instruction does not change. */
static bool
is_settled(const AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
           unsigned k) {
  NornRef ref = norn_operands(walk->function, inst)[k];
  if (norn_ref_kind(ref) != NORN_REF_VALUE || norn_walk_is_killed(walk, inst->operand + k) ||
      walk->reg[norn_ref_payload(ref)] != fixed->operand[k])
    return false;
  NornRegisterSet range =
      norn_regs_range(fixed->operand[k], norn_walk_words(walk, norn_ref_payload(ref)));
  return !norn_regs_overlap(range, fixed_changes(walk, inst, fixed));
}

/* The registers of fixed operands except settled ones; *all includes those as well. */
static NornRegisterSet
fixed_ranges(const AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
             NornRegisterSet *all) {
  const NornFunction *function = walk->function;
  NornRegisterSet operands = NORN_NO_REGISTERS;
  *all = NORN_NO_REGISTERS;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (fixed->operand[k] == NORN_NO_REGISTER)
      continue;
    NornRegisterSet range = norn_regs_range(
        fixed->operand[k], norn_operand_words(function, norn_operands(function, inst)[k]));
    norn_regs_add(all, range);
    if (!is_settled(walk, inst, fixed, k))
      norn_regs_add(&operands, range);
  }
  return operands;
}

/* Moves the killed operands that have a fixed register there; the others remain in `killed`. */
static unsigned
settle_killed(AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
              uint32_t *killed, unsigned count) {
  unsigned left = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned reg = fixed_register(walk, inst, fixed, killed[i]);
    if (reg == NORN_NO_REGISTER) {
      killed[left++] = killed[i];
      continue;
    }
    norn_regs_remove(&walk->blocked,
                     norn_regs_range(walk->reg[killed[i]], norn_walk_words(walk, killed[i])));
    norn_walk_note_move(walk, killed[i]);
    walk->reg[killed[i]] = (uint8_t)reg;
  }
  return left;
}

/* Copies operands that live on or are needed twice to their fixed registers. */
static void
copy_fixed_operands(AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_operands(walk->function, inst)[k];
    if (fixed->operand[k] == NORN_NO_REGISTER || is_settled(walk, inst, fixed, k) ||
        (norn_ref_kind(ref) == NORN_REF_VALUE && norn_walk_is_killed(walk, inst->operand + k) &&
         walk->reg[norn_ref_payload(ref)] == fixed->operand[k]))
      continue;
    norn_walk_copy_operand(walk, inst->operand + k, fixed->operand[k],
                           norn_operand_words(walk->function, ref));
  }
}

bool
norn_walk_assign_fixed(AllocationWalk *walk, uint32_t index, const NornFixedRegisters *fixed) {
  const NornInst *inst = norn_inst(walk->function, index);
  uint32_t killed[NORN_MACHINE_OPERANDS];
  unsigned done = 0;
  norn_walk_begin(walk);
  if (!align_low(walk, inst, fixed))
    return false;
  NornRegisterSet all, operands = fixed_ranges(walk, inst, fixed, &all);
  NornRegisterSet changed = fixed_changes(walk, inst, fixed);
  NornRegisterSet forbidden = norn_regs_union(changed, operands);
  unsigned killed_count = norn_walk_unassign_killed(walk, inst, killed);
  killed_count = settle_killed(walk, inst, fixed, killed, killed_count);
  for (unsigned k = 0; k < inst->result_count; k++)
    if (fixed->result[k] != NORN_NO_REGISTER)
      done |= 1u << k;
  if (!evict_from(walk, killed, killed_count, operands, forbidden)) {
    /* Packing also moves settled operands. */
    forbidden = norn_regs_union(changed, all);
    if (!norn_walk_pack(walk, killed, killed_count, NULL, 0, forbidden))
      return false;
  }
  /* Values that make room for a result must not move there either. */
  norn_regs_add(&walk->blocked, norn_regs_union(changed, all));
  if (!norn_walk_allocate_results(walk, inst, killed, killed_count, forbidden, done))
    return false;
  copy_fixed_operands(walk, inst, fixed);
  for (unsigned k = 0; k < inst->result_count; k++)
    if (done >> k & 1) {
      norn_walk_assign(walk, inst->result + k, fixed->result[k]);
      norn_walk_define(walk, inst->result + k);
    }
  norn_walk_finish(walk, index, false);
  norn_walk_unassign_unused(walk, inst);
  return true;
}
