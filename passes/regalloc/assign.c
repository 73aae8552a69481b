/* The walk that assigns registers.
 *
 * The blocks are walked in a reverse postorder, so a block's live-in values have registers when it
 * begins: those that they had at the end of the first predecessor walked. Later predecessors move
 * the values there with a parallel copy before their jump. Blocks on a path around a loop come
 * after the loop, so that values stay where the loop has them. Inside a block, a value that dies
 * frees its registers before the results are assigned, so results may use them. choose_register.c
 * chooses the registers. */
#include "passes/regalloc/assign.h"
#include "ir/assert.h"
#include "ir/ops.h"
#include <string.h>

/* --- Transfers --- */

void
norn_walk_begin(AllocationWalk *walk) {
  walk->before = walk->now.used;
  walk->blocked = walk->pinned = NORN_NO_REGISTERS;
  walk->move_count = walk->low_count = 0;
  walk->first_transfer = walk->allocation->transfers.count;
}

static void
transfer(AllocationWalk *walk, NornRef source, uint32_t operand, unsigned from, unsigned to,
         unsigned words) {
  norn_list_push(walk->allocation->arena, &walk->allocation->transfers,
                 (NornTransfer){source, operand, (uint8_t)from, (uint8_t)to, (uint8_t)words});
}

void
norn_walk_finish(AllocationWalk *walk, uint32_t inst, bool after) {
  NornAllocation *allocation = walk->allocation;
  for (unsigned i = 0; i < walk->move_count; i++) {
    Move *move = &walk->moves[i];
    if (move->from != walk->reg[move->value])
      transfer(walk, norn_ref(NORN_REF_VALUE, move->value), NORN_INDEX_NONE, move->from,
               walk->reg[move->value], allocation->pressure->words[move->value]);
  }
  uint32_t count = allocation->transfers.count - walk->first_transfer;
  if (!count)
    return;
  NORN_ASSERT(!after || !walk->move_count); /* values move only before the instruction */
  /* What is in use after the copy was either in use before it or is one of its targets. */
  NornRegisterSet busy = walk->before;
  for (uint32_t i = walk->first_transfer; i < allocation->transfers.count; i++) {
    const NornTransfer *item = &allocation->transfers.items[i];
    norn_regs_add(&busy, norn_regs_range(item->to, item->words));
  }
  norn_list_push(allocation->arena, &allocation->copies,
                 (NornParallelCopy){inst, walk->first_transfer, count,
                                    norn_regs_without(walk->file, busy), after});
}

/* --- Instructions --- */

/* If the value is a loop parameter and the block will define what replaces it, that is to get its
 * register. */
static void
keep_for_replacement(AllocationWalk *walk, uint32_t parameter, uint32_t block) {
  const NornAllocation *allocation = walk->allocation;
  uint32_t value = allocation->parameter ? allocation->replacement[parameter] : NORN_INDEX_NONE;
  if (value != NORN_INDEX_NONE && walk->reg[value] == NORN_NO_REGISTER &&
      norn_defining_block(walk->function, value) == block)
    norn_regs_add(&walk->kept, norn_regs_range(allocation->defined_at[parameter],
                                               norn_walk_words(walk, parameter)));
}

unsigned
norn_walk_unassign_killed(AllocationWalk *walk, const NornInst *inst, uint32_t *killed) {
  unsigned count = 0;
  const NornRef *operands = norn_operands(walk->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) != NORN_REF_VALUE || !norn_walk_is_killed(walk, inst->operand + k))
      continue;
    uint32_t value = norn_ref_payload(ref);
    unsigned i = 0;
    while (i < count && killed[i] != value)
      i++;
    if (i < count)
      continue;
    /* Machine instructions and groups have no more operands, and of terminators only jumps, which
     * are not assigned here, still have arguments (split_edges). */
    NORN_ASSERT(count < NORN_MACHINE_OPERANDS);
    killed[count++] = value;
    norn_walk_unassign(walk, value);
    keep_for_replacement(walk, value, inst->block);
    norn_regs_add(&walk->blocked, norn_regs_range(walk->reg[value], norn_walk_words(walk, value)));
  }
  return count;
}

void
norn_walk_define(AllocationWalk *walk, uint32_t value) {
  walk->allocation->defined_at[value] = walk->reg[value];
}

void
norn_walk_unassign_unused(AllocationWalk *walk, const NornInst *inst) {
  for (unsigned k = 0; k < inst->result_count; k++)
    if (norn_bit(walk->allocation->pressure->unused, inst->result + k))
      norn_walk_unassign(walk, inst->result + k);
}

/* Assigns registers to each of the results; if there are none for one of them, packs all values
 * again together with them. */
static bool
allocate_each(AllocationWalk *walk, uint32_t *results, unsigned count, const uint32_t *killed,
              unsigned killed_count, NornRegisterSet forbidden) {
  uint32_t packed[NORN_MACHINE_OPERANDS];
  for (unsigned i = 0; i < count; i++) {
    if (norn_walk_allocate(walk, results[i], forbidden))
      continue;
    while (i--)
      norn_walk_unassign(walk, results[i]);
    if (killed_count)
      memcpy(packed, killed, killed_count * sizeof *packed);
    return norn_walk_pack(walk, packed, killed_count, results, count, forbidden);
  }
  return true;
}

bool
norn_walk_allocate_results(AllocationWalk *walk, const NornInst *inst, const uint32_t *killed,
                           unsigned killed_count, NornRegisterSet forbidden, unsigned done) {
  uint32_t results[NORN_MACHINE_OPERANDS];
  unsigned count = 0;
  for (unsigned k = 0; k < inst->result_count; k++)
    if (!(done >> k & 1))
      results[count++] = inst->result + k;
  if (!allocate_each(walk, results, count, killed, killed_count, forbidden))
    return false;
  for (unsigned k = 0; k < inst->result_count; k++)
    norn_walk_define(walk, inst->result + k);
  return true;
}

/* The register of the value before the moves for this instruction. */
static unsigned
register_before(const AllocationWalk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->move_count; i++)
    if (walk->moves[i].value == value)
      return walk->moves[i].from;
  return walk->reg[value];
}

void
norn_walk_copy_operand(AllocationWalk *walk, uint32_t slot, unsigned to, unsigned words) {
  NornRef source = *norn_operand_at(walk->function, slot);
  unsigned from = norn_ref_kind(source) == NORN_REF_VALUE
                      ? register_before(walk, norn_ref_payload(source))
                      : NORN_NO_REGISTER;
  transfer(walk, source, slot, from, to, words);
}

/* Whether operand k of the instruction is a value that dies in it. */
static bool
dies_here(const AllocationWalk *walk, const NornInst *inst, unsigned k) {
  return norn_ref_kind(norn_operands(walk->function, inst)[k]) == NORN_REF_VALUE &&
         norn_walk_is_killed(walk, inst->operand + k);
}

/* The number of words that a collect must write or move if the group begins at `base`, plus those
 * that move again if an instruction requires the group elsewhere. */
static unsigned
collect_cost(const AllocationWalk *walk, const NornInst *inst, unsigned base) {
  unsigned cost = norn_walk_eviction_cost(walk, norn_regs_range(base, inst->operand_count));
  unsigned wanted = walk->allocation->affinity[inst->result].fixed;
  if (wanted != NORN_NO_REGISTER && wanted != base)
    cost += inst->operand_count;
  const NornRef *operands = norn_operands(walk->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (!dies_here(walk, inst, k) || walk->reg[norn_ref_payload(ref)] != base + k)
      cost++;
  }
  return cost;
}

/* Assigns the cheapest registers to the group of a collect. */
static bool
allocate_group(AllocationWalk *walk, const NornInst *inst) {
  unsigned words = norn_walk_words(walk, inst->result);
  unsigned best = NORN_NO_REGISTER, best_cost = UINT_MAX;
  NornRegisterSet bases =
      walk->random ? NORN_NO_REGISTERS : norn_walk_fitting(walk, inst->result, walk->file, words);
  norn_for_each_register (base, bases) {
    unsigned cost = collect_cost(walk, inst, base);
    if (cost < best_cost) {
      best_cost = cost;
      best = base;
    }
  }
  if (best_cost >= words) /* no word is in place already: let the class choose */
    return norn_walk_allocate(walk, inst->result, NORN_NO_REGISTERS);
  if (!norn_walk_evict(walk, norn_regs_range(best, words)))
    return norn_walk_allocate(walk, inst->result, NORN_NO_REGISTERS);
  norn_walk_assign(walk, inst->result, best);
  norn_walk_set_hint(walk, inst->result, best, false);
  return true;
}

/* Packs all values again together with the result. */
static bool
pack_result(AllocationWalk *walk, uint32_t result) {
  return norn_walk_pack(walk, NULL, 0, &result, 1, NORN_NO_REGISTERS);
}

static bool
assign_collect(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  uint32_t killed[NORN_MACHINE_OPERANDS];
  norn_walk_begin(walk);
  norn_walk_unassign_killed(walk, inst, killed);
  walk->blocked = NORN_NO_REGISTERS;
  if (!allocate_group(walk, inst) && !pack_result(walk, inst->result))
    return false;
  unsigned reg = walk->reg[inst->result];
  const NornRef *operands = norn_operands(walk->function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (dies_here(walk, inst, k) && register_before(walk, norn_ref_payload(ref)) == reg + k)
      continue;
    norn_walk_copy_operand(walk, inst->operand + k, reg + k, 1);
  }
  norn_walk_end_reservation(walk, reg, inst->operand_count);
  norn_walk_define(walk, inst->result);
  norn_walk_finish(walk, index, false);
  norn_walk_unassign_unused(walk, inst);
  return true;
}

/* The words of a group that dies stay in place; those of a group that lives on are copied. */
static bool
assign_split(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  uint32_t group = norn_ref_payload(norn_operands(walk->function, inst)[0]);
  unsigned reg = walk->reg[group];
  norn_walk_begin(walk);
  for (unsigned k = 0; k < inst->result_count; k++)
    walk->allocation->defined_at[inst->result + k] = (uint8_t)(reg + k);
  if (norn_walk_is_killed(walk, inst->operand)) {
    norn_walk_unassign(walk, group);
    norn_walk_end_reservation(walk, reg, inst->result_count);
    for (unsigned k = 0; k < inst->result_count; k++) {
      norn_walk_assign(walk, inst->result + k, reg + k);
      norn_walk_set_hint(walk, inst->result + k, reg + k, false);
    }
    norn_walk_unassign_unused(walk, inst);
    for (unsigned k = 0; k < inst->result_count; k++)
      if (!norn_bit(walk->allocation->pressure->unused, inst->result + k))
        norn_walk_reserve_group(walk, inst->result + k);
    return true;
  }
  uint32_t results[NORN_MACHINE_OPERANDS];
  unsigned count = 0;
  for (unsigned k = 0; k < inst->result_count; k++)
    if (!norn_bit(walk->allocation->pressure->unused, inst->result + k))
      results[count++] = inst->result + k;
  if (!allocate_each(walk, results, count, NULL, 0, NORN_NO_REGISTERS))
    return false;
  for (unsigned i = 0; i < count; i++) {
    uint32_t value = results[i];
    transfer(walk, norn_ref(NORN_REF_VALUE, value), NORN_INDEX_NONE,
             walk->allocation->defined_at[value], walk->reg[value], 1);
  }
  norn_walk_finish(walk, index, true);
  return true;
}

static bool
assign_copy(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  NornRef source = norn_operands(walk->function, inst)[0];
  norn_walk_begin(walk);
  if (norn_ref_kind(source) == NORN_REF_VALUE && norn_walk_is_killed(walk, inst->operand)) {
    norn_walk_unassign(walk, norn_ref_payload(source));
    norn_walk_assign(walk, inst->result, walk->reg[norn_ref_payload(source)]);
  } else {
    if (!norn_walk_allocate(walk, inst->result, NORN_NO_REGISTERS) &&
        !pack_result(walk, inst->result))
      return false;
    norn_walk_copy_operand(walk, inst->operand, walk->reg[inst->result],
                           norn_walk_words(walk, inst->result));
  }
  norn_walk_define(walk, inst->result);
  norn_walk_finish(walk, index, false);
  norn_walk_unassign_unused(walk, inst);
  return true;
}

static bool
assign_preload(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  NornRef where = norn_operands(walk->function, inst)[0];
  uint64_t reg = norn_constant_bits(walk->function->module, where);
  if (reg >= walk->model->count || norn_regs_has(walk->now.used, (unsigned)reg))
    return false;
  norn_walk_assign(walk, inst->result, (unsigned)reg);
  norn_walk_set_hint(walk, inst->result, (unsigned)reg, false);
  norn_walk_define(walk, inst->result);
  norn_walk_unassign_unused(walk, inst);
  return true;
}

static bool
assign_machine(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  const NornPassContext *context = walk->allocation->context;
  NornFixedRegisters fixed;
  if (context->target->fixed_registers(context->target, walk->function, inst, &fixed))
    return norn_walk_assign_fixed(walk, index, &fixed);
  uint32_t killed[NORN_MACHINE_OPERANDS];
  norn_walk_begin(walk);
  unsigned killed_count = norn_walk_unassign_killed(walk, inst, killed);
  if (!inst->result_count)
    return true;
  if (!norn_walk_allocate_results(walk, inst, killed, killed_count, NORN_NO_REGISTERS, 0))
    return false;
  if (walk->move_count)
    norn_walk_finish(walk, index, false);
  norn_walk_unassign_unused(walk, inst);
  return true;
}

/* --- Edges --- */

/* Makes the current registers those at the start of the block. */
static void
set_entry(AllocationWalk *walk, uint32_t block) {
  NornAllocation *allocation = walk->allocation;
  NornIndexList *owners = &allocation->owners;
  allocation->entry[block] = (NornEntryRegisters){walk->now.used, owners->count};
  walk->decided[block] = true;
  NORN_ARENA_GROW(allocation->arena, owners->items, owners->capacity,
                  (uint64_t)owners->count + norn_regs_count(walk->now.used));
  norn_for_each_register (reg, walk->now.used)
    owners->items[owners->count++] = walk->now.owner[reg];
}

/* Unassigns values that are not live-in of the block. */
static void
retain_live_in(AllocationWalk *walk, uint32_t block) {
  norn_for_each_register (reg, walk->now.used) {
    uint32_t owner = walk->now.owner[reg];
    if (owner != NORN_INDEX_NONE && !norn_live_in(walk->allocation->live, block, owner))
      norn_walk_unassign(walk, owner);
  }
}

static bool
allocate_parameters(AllocationWalk *walk, uint32_t block, const NornEdge *edge, uint32_t inst) {
  const NornFunction *function = walk->function;
  const uint8_t *words = walk->allocation->pressure->words;
  const NornRef *arguments = norn_operands(function, norn_inst(function, inst)) + edge->operand + 1;
  uint32_t rest[NORN_MAX_REGISTERS];
  unsigned count = 0;
  if (edge->argument_count > NORN_MAX_REGISTERS)
    return false;
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    uint32_t value = norn_ref_payload(arguments[k]);
    if (norn_ref_kind(arguments[k]) == NORN_REF_VALUE && !walk->random &&
        !norn_regs_overlap(walk->now.used, norn_regs_range(walk->reg[value], words[value]))) {
      norn_walk_assign(walk, parameter, walk->reg[value]);
      norn_walk_set_hint(walk, parameter, walk->reg[value], true);
    } else {
      rest[count++] = parameter;
    }
  }
  for (unsigned i = 0; i < count; i++) {
    if (norn_walk_allocate(walk, rest[i], NORN_NO_REGISTERS)) {
      norn_walk_set_hint(walk, rest[i], walk->reg[rest[i]], true);
      continue;
    }
    while (i--)
      norn_walk_unassign(walk, rest[i]);
    return norn_walk_pack(walk, NULL, 0, rest, count, NORN_NO_REGISTERS);
  }
  return true;
}

/* The first jump to a block determines the registers of its parameters and live-in values. */
static bool
decide_entry(AllocationWalk *walk, uint32_t block, const NornEdge *edge, uint32_t inst) {
  NornRegisterState saved = walk->now;
  retain_live_in(walk, block);
  bool ok = allocate_parameters(walk, block, edge, inst);
  set_entry(walk, block);
  for (unsigned k = 0; k < edge->argument_count; k++)
    norn_walk_define(walk, norn_block_parameter(walk->function, block, k));
  for (unsigned i = 0; i < walk->move_count; i++)
    walk->reg[walk->moves[i].value] = walk->moves[i].from;
  walk->now = saved;
  walk->move_count = 0;
  return ok;
}

static bool
is_parameter_of(const NornFunction *function, uint32_t value, uint32_t block) {
  return norn_value(function, value)->is_parameter && norn_value(function, value)->def == block;
}

/* Moves all values to where the successor expects them. */
static bool
assign_jump(AllocationWalk *walk, uint32_t index, const NornEdge *edge) {
  NornAllocation *allocation = walk->allocation;
  uint32_t block = edge->block;
  norn_walk_begin(walk);
  if (!walk->decided[block] && !decide_entry(walk, block, edge, index))
    return false;
  const NornEntryRegisters *entry = &allocation->entry[block];
  uint32_t next = entry->first, previous = NORN_INDEX_NONE;
  norn_for_each_register (reg, entry->used) {
    uint32_t value = allocation->owners.items[next++];
    if (value != previous && !is_parameter_of(walk->function, value, block) &&
        walk->reg[value] != reg)
      transfer(walk, norn_ref(NORN_REF_VALUE, value), NORN_INDEX_NONE, walk->reg[value], reg,
               allocation->pressure->words[value]);
    previous = value;
  }
  uint32_t slot = norn_inst(walk->function, index)->operand + edge->operand + 1;
  for (unsigned k = 0; k < edge->argument_count; k++, slot++) {
    uint32_t parameter = norn_block_parameter(walk->function, block, k);
    NornRef ref = *norn_operand_at(walk->function, slot);
    unsigned reg = allocation->defined_at[parameter];
    if (norn_ref_kind(ref) == NORN_REF_VALUE && walk->reg[norn_ref_payload(ref)] == reg &&
        !norn_live_in(allocation->live, block, norn_ref_payload(ref)))
      continue;
    norn_walk_copy_operand(walk, slot, reg, allocation->pressure->words[parameter]);
  }
  norn_walk_finish(walk, index, false);
  return true;
}

static bool
assign_terminator(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  uint32_t killed[NORN_MACHINE_OPERANDS];
  norn_for_each_edge (walk->function, index, edge) {
    if (norn_predecessor_count(walk->allocation->dominance, edge.block) > 1)
      return assign_jump(walk, index, &edge);
  }
  norn_walk_begin(walk);
  norn_walk_unassign_killed(walk, inst, killed);
  NornRegisterState end = walk->now;
  norn_for_each_edge (walk->function, index, edge) {
    walk->now = end;
    retain_live_in(walk, edge.block);
    set_entry(walk, edge.block);
  }
  return true;
}

/* --- Blocks --- */

static void
enter_block(AllocationWalk *walk, uint32_t block) {
  const NornFunction *function = walk->function;
  const NornAllocation *allocation = walk->allocation;
  uint32_t next = allocation->entry[block].first;
  walk->now.used = allocation->entry[block].used;
  memset(walk->now.owner, 0xFF, sizeof walk->now.owner);
  memset(walk->now.until, 0, sizeof walk->now.until);
  walk->header = allocation->dominance->loop_header[block];
  walk->kept = NORN_NO_REGISTERS;
  norn_for_each_register (reg, walk->now.used) {
    uint32_t owner = walk->now.owner[reg] = allocation->owners.items[next++];
    if (!reg || walk->now.owner[reg - 1] != owner)
      walk->reg[owner] = (uint8_t)reg;
  }
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    if (norn_bit(allocation->pressure->unused, parameter))
      norn_walk_unassign(walk, parameter);
  }
}

/* Finds the positions of last uses for values that die in the block. */
static void
find_last_uses(AllocationWalk *walk, uint32_t block) {
  const NornFunction *function = walk->function;
  walk->first = walk->position = walk->last_group = walk->end;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    if (inst->result_count && norn_walk_words(walk, inst->result) > 2)
      walk->last_group = walk->end;
    walk->end++;
  }
  uint32_t position = walk->end;
  for (uint32_t index = norn_block(function, block)->last; index != NORN_INDEX_NONE;
       index = norn_inst(function, index)->previous) {
    const NornInst *inst = norn_inst(function, index);
    position--;
    uint32_t last = position;
    if (inst->op == NORN_OP_SPLIT || inst->op == NORN_OP_COLLECT)
      for (unsigned k = 0; k < inst->result_count; k++)
        if (!norn_bit(walk->allocation->pressure->unused, inst->result + k))
          last = MAX(last, norn_walk_last_use(walk, inst->result + k));
    const NornRef *operands = norn_operands(function, inst);
    for (unsigned k = 0; k < inst->operand_count; k++)
      if (norn_ref_kind(operands[k]) == NORN_REF_VALUE &&
          norn_walk_is_killed(walk, inst->operand + k)) {
        walk->last_use[norn_ref_payload(operands[k])] = last;
        walk->group[norn_ref_payload(operands[k])] =
            inst->op == NORN_OP_COLLECT ? index : NORN_INDEX_NONE;
      }
  }
  norn_for_each_register (reg, walk->now.used)
    walk->now.until[reg] = norn_walk_last_use(walk, walk->now.owner[reg]);
}

/* Whether the owners of registers and the registers of values are consistent. */
G_GNUC_UNUSED static bool
is_consistent(const AllocationWalk *walk) {
  norn_for_each_register (reg, walk->now.used) {
    uint32_t owner = walk->now.owner[reg];
    if (owner == NORN_INDEX_NONE || reg < walk->reg[owner] ||
        reg >= walk->reg[owner] + norn_walk_words(walk, owner))
      return false;
  }
  return true;
}

static bool
assign_instruction(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  if (norn_is_terminator(walk->function, inst))
    return assign_terminator(walk, index);
  switch (inst->op) {
  case NORN_OP_COLLECT:
    return assign_collect(walk, index);
  case NORN_OP_SPLIT:
    return assign_split(walk, index);
  case NORN_OP_COPY:
    return assign_copy(walk, index);
  case NORN_OP_PRELOAD:
    return assign_preload(walk, index);
  case NORN_OP_LOOP_ENTRY:
    return true;
  default:
    return assign_machine(walk, index);
  }
}

/* Reserves the registers that instructions require for groups: other values avoid them while they
 * fit elsewhere. */
static void
reserve_fixed(AllocationWalk *walk) {
  const NornAllocation *allocation = walk->allocation;
  for (uint32_t value = 0; value < allocation->value_count; value++) {
    const NornAffinity *class = &allocation->affinity[value];
    int low = class->base + class->low, words = class->high - class->low;
    if (class->parent == value && class->base != NORN_NO_BASE && words > 1 && low >= 0 &&
        low + words <= NORN_MAX_REGISTERS)
      norn_regs_add(&walk->reserved, norn_regs_range((unsigned)low, (unsigned)words));
  }
}

/* Whether a parallel copy is needed before the jump regardless of the registers of its target's
 * parameters: an argument is not a value, is passed twice, or lives on. */
static bool
copies_anyway(const NornAllocation *allocation, uint32_t jump) {
  const NornInst *inst = norn_inst(allocation->function, jump);
  const NornRef *operands = norn_operands(allocation->function, inst);
  norn_for_each_edge (allocation->function, jump, edge) {
    const NornRef *arguments = operands + edge.operand + 1;
    for (unsigned k = 0; k < edge.argument_count; k++) {
      if (norn_ref_kind(arguments[k]) != NORN_REF_VALUE ||
          norn_live_in(allocation->live, edge.block, norn_ref_payload(arguments[k])))
        return true;
      for (unsigned i = 0; i < k && i < NORN_MAX_REGISTERS; i++)
        if (arguments[i] == arguments[k])
          return true;
    }
  }
  return false;
}

/* If the block has one predecessor and jumps around a loop, with moves, the block after the loop
 * that it jumps to; else NORN_INDEX_NONE. loops[i]: the number of loop headers up to index i of the
 * order. */
static uint32_t
join_around_loop(const NornAllocation *allocation, const uint32_t *loops, uint32_t block) {
  const NornDominance *dominance = allocation->dominance;
  uint32_t first = dominance->successor_first[block];
  if (dominance->successor_first[block + 1] - first != 1 ||
      norn_predecessor_count(dominance, block) != 1)
    return NORN_INDEX_NONE;
  uint32_t join = dominance->successors[first];
  uint32_t from = dominance->position[block], to = dominance->position[join];
  bool is_around = to > from && dominance->loop_header[block] == dominance->loop_header[join] &&
                   loops[to - 1] > loops[from];
  return is_around && copies_anyway(allocation, norn_block(allocation->function, block)->last)
             ? join
             : NORN_INDEX_NONE;
}

uint32_t *
norn_walk_order(const NornAllocation *allocation) {
  const NornDominance *dominance = allocation->dominance;
  uint32_t count = dominance->order_count, found = 0;
  if (!norn_has_loops(dominance))
    return dominance->order;
  uint32_t *loops = NORN_NEW(allocation->arena, uint32_t, count);
  uint32_t *order = NORN_NEW(allocation->arena, uint32_t, count);
  /* By block: the last of the blocks that wait for it, or NORN_INDEX_NONE. By waiting block: the
   * one before it. */
  uint32_t *waiting = NORN_NEW(allocation->arena, uint32_t, dominance->block_count);
  memset(waiting, 0xFF, dominance->block_count * sizeof *waiting);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t block = dominance->order[i];
    loops[i] = (i ? loops[i - 1] : 0) + (dominance->loop_header[block] == block);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t block = dominance->order[i], join = join_around_loop(allocation, loops, block);
    if (join != NORN_INDEX_NONE) {
      waiting[block] = waiting[join];
      waiting[join] = block;
      continue;
    }
    for (uint32_t other = waiting[block]; other != NORN_INDEX_NONE; other = waiting[other])
      order[found++] = other;
    order[found++] = block;
  }
  NORN_ASSERT(found == count);
  return order;
}

bool
norn_assign_registers(NornAllocation *allocation) {
  NornFunction *function = allocation->function;
  const NornCompileOptions *options = allocation->context->options;
  AllocationWalk walk = {.allocation = allocation,
                         .function = function,
                         .model = allocation->model,
                         .file = allocation->file,
                         .reg = NORN_NEW(allocation->arena, uint8_t, allocation->value_count),
                         .last_use =
                             NORN_NEW0(allocation->arena, uint32_t, allocation->value_count),
                         .group = NORN_NEW(allocation->arena, uint32_t, allocation->value_count),
                         .end = 1,
                         .decided = NORN_NEW0(allocation->arena, bool, function->block_count)};
  memset(walk.reg, NORN_NO_REGISTER, allocation->value_count);
  memset(allocation->defined_at, NORN_NO_REGISTER, allocation->value_count);
  if (options->chaos & NORN_CHAOS_REGISTERS)
    walk.random = options->seed | 1;
  walk.takes_turns = allocation->context->tuning.registers_in_turn;
  reserve_fixed(&walk);
  allocation->copies.count = allocation->transfers.count = allocation->owners.count = 0;
  uint32_t count = allocation->dominance->order_count;
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    uint32_t block = allocation->order[i];
    if (i == 0)
      allocation->entry[block] = (NornEntryRegisters){NORN_NO_REGISTERS, 0};
    enter_block(&walk, block);
    find_last_uses(&walk, block);
    norn_for_each_inst (function, block, inst) {
      allocation->failed_at = inst;
      if (!(ok = assign_instruction(&walk, inst)))
        break;
      NORN_ASSERT(is_consistent(&walk));
      walk.position++;
    }
  }
  return ok;
}
