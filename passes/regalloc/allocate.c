/* The allocate pass: computes register pressure, tries to assign registers in the smaller register
 * file and then in the whole one, and commits the result.
 *
 * See allocate.h for the parts. The spill pass has already reduced the register pressure to the
 * size of the file. Until an assignment succeeds, the function does not change, except that chained
 * groups may be unchained. If no assignment succeeds, since fixed registers and pairs leave gaps,
 * the spill pass must leave more registers free. */
#include "passes/regalloc/allocate.h"
#include "check/allocation.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/repair_ssa.h"
#include <string.h>

/* The maximum number of groups that are unchained for one register file. */
enum { MAX_UNCHAINED = 8 };

/* A function is crowded if at most FEW_REGISTERS are left; registers are assigned again in
 * functions of at most FEW_INSTRUCTIONS. */
enum { FEW_REGISTERS = 4, FEW_INSTRUCTIONS = 1024 };

/* --- The pass --- */

static void
allocation_init(NornAllocation *allocation, NornPassContext *context, NornFunction *function) {
  NornArena *arena = &context->arena;
  uint32_t values = function->value_count;
  *allocation = (NornAllocation){
      .context = context,
      .arena = arena,
      .function = function,
      .dominance = norn_pass_dominance(context, function),
      .model = &context->target->registers,
      .value_count = values,
      .affinity = NORN_NEW(arena, NornAffinity, values),
      .defined_at = NORN_NEW(arena, uint8_t, values),
      .entry = NORN_NEW(arena, NornEntryRegisters, function->block_count),
  };
  allocation->pressure = norn_pass_pressure(context, function, &allocation->live);
  allocation->order = norn_walk_order(allocation);
}

unsigned
norn_operand_words(const NornFunction *function, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE
             ? norn_type_words(norn_value(function, norn_ref_payload(ref))->type)
             : 1;
}

NornRegisterSet
norn_register_file(const NornPassContext *context) {
  NornRegisterSet all = context->target->registers.all;
  if (!(context->options->chaos & NORN_CHAOS_SPILL))
    return all;
  return norn_regs_common(all, context->target->chaos_file);
}

/* Whether the used words of the split are values that a collect of the same block put into the
 * group: they stay in place from one group to the next (chain-groups). */
static bool
is_chained(const NornAllocation *allocation, const NornInst *split) {
  const NornFunction *function = allocation->function;
  if (split->op != NORN_OP_SPLIT)
    return false;
  const NornInst *group = norn_defining_inst(function, norn_operands(function, split)[0]);
  if (!group || group->op != NORN_OP_COLLECT || group->block != split->block)
    return false;
  for (unsigned k = 0; k < split->result_count; k++)
    if (!norn_bit(allocation->pressure->unused, split->result + k) &&
        norn_ref_kind(norn_operands(function, group)[k]) != NORN_REF_VALUE)
      return false;
  return true;
}

/* The nearest such split before the instruction in its block; NORN_INDEX_NONE: there is none. */
static uint32_t
chained_before(const NornAllocation *allocation, uint32_t inst) {
  while (inst != NORN_INDEX_NONE && !is_chained(allocation, norn_inst(allocation->function, inst)))
    inst = norn_inst(allocation->function, inst)->previous;
  return inst;
}

/* Replaces the words of the split by the collected values, so that they are copied again. */
static void
unchain(NornAllocation *allocation, uint32_t split) {
  NornFunction *function = allocation->function;
  const NornInst *self = norn_inst(function, split);
  const NornInst *group = norn_defining_inst(function, norn_operands(function, self)[0]);
  NornReplacements replacements = {.arena = allocation->arena};
  for (unsigned k = 0; k < self->result_count; k++)
    norn_replacements_set(&replacements, self->result + k, norn_operands(function, group)[k]);
  norn_inst_erase(function, split);
  norn_replacements_apply(&replacements, function);
  norn_pass_values_changed(allocation->context);
}

/* Assigns registers of the file. Returns whether there are enough. *at: the instruction at which
 * there are not. */
static bool
assign_in(NornAllocation *allocation, NornRegisterSet file, uint32_t *at) {
  NornFunction *function = allocation->function;
  NornRegisterCounts room = norn_regs_by_class(allocation->model, file);
  *at = NORN_INDEX_NONE;
  if (norn_counts_exceed(allocation->pressure->max, room)) {
    norn_for_each_block (function, block)
      if (norn_counts_exceed(allocation->pressure->block[block], room))
        *at = norn_block(function, block)->last;
    return false;
  }
  allocation->file = file;
  norn_affinity_build(allocation);
  bool done = norn_assign_registers(allocation);
  *at = allocation->failed_at;
  return done;
}

/* The same, but unchains some groups if the file is too small. */
static bool
assign_or_unchain(NornAllocation *allocation, NornRegisterSet file) {
  uint32_t at, split;
  for (unsigned tries = 0; !assign_in(allocation, file, &at); tries++) {
    if (tries == MAX_UNCHAINED || (split = chained_before(allocation, at)) == NORN_INDEX_NONE)
      return false;
    unchain(allocation, split);
    allocation_init(allocation, allocation->context, allocation->function);
  }
  return true;
}

/* The number of words that the assignment moves in loops, weighted by loop depth. */
static uint64_t
count_moves(const NornAllocation *allocation) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < allocation->copies.count; i++) {
    const NornParallelCopy *copy = &allocation->copies.items[i];
    uint32_t block = norn_inst(allocation->function, copy->inst)->block;
    for (uint32_t k = 0; allocation->dominance->loop_depth[block] && k < copy->count; k++)
      count += allocation->transfers.items[copy->first + k].words *
               norn_loop_weight(allocation->dominance, block);
  }
  return count;
}

/* Whether some instruction leaves only a few registers of the file. */
static bool
is_crowded(const NornAllocation *allocation, NornRegisterSet file) {
  NornRegisterCounts max = allocation->pressure->max;
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    max.of[class] += max.of[class] ? FEW_REGISTERS + 1 : 0;
  return norn_counts_exceed(max, norn_regs_by_class(allocation->model, file));
}

static bool
is_large(const NornAllocation *allocation) {
  return allocation->function->inst_count > FEW_INSTRUCTIONS;
}

/* If registers are scarce, also tries to do less for the iterations of loops, and takes what needs
 * the fewest moves. */
static void
assign_with_fewer_moves(NornAllocation *allocation) {
  uint32_t at;
  bool may_try =
      allocation->parameter && !is_large(allocation) && is_crowded(allocation, allocation->file);
  uint64_t best = may_try ? count_moves(allocation) : 0;
  NornIterations chosen = NORN_ITERATIONS_KEEP;
  if (!best)
    return;
  for (unsigned how = NORN_ITERATIONS_FOLLOW; how <= NORN_ITERATIONS_IGNORE; how++) {
    allocation->iterations = (NornIterations)how;
    uint64_t moves =
        assign_in(allocation, allocation->file, &at) ? count_moves(allocation) : UINT64_MAX;
    if (moves < best) {
      best = moves;
      chosen = (NornIterations)how;
    }
  }
  if (allocation->iterations == chosen)
    return;
  allocation->iterations = chosen;
  bool is_done = assign_in(allocation, allocation->file, &at);
  NORN_ASSERT(is_done);
}

static bool
assign(NornAllocation *allocation) {
  NornRegisterSet whole = norn_register_file(allocation->context);
  const NornOccupancy *occupancy = allocation->context->target->occupancies;
  for (; occupancy->threads; occupancy++) {
    NornRegisterSet file = norn_regs_common(whole, occupancy->registers);
    bool keeps = !is_large(allocation) || !is_crowded(allocation, file);
    allocation->iterations = keeps ? NORN_ITERATIONS_KEEP : NORN_ITERATIONS_FOLLOW;
    if (assign_or_unchain(allocation, file)) {
      assign_with_fewer_moves(allocation);
      return true;
    }
  }
  return false;
}

static void
commit(NornAllocation *allocation) {
  NornFunction *function = allocation->function;
  for (uint32_t v = 0; v < allocation->value_count; v++)
    norn_value(function, v)->reg = allocation->defined_at[v] == NORN_NO_REGISTER
                                       ? NORN_REGISTER_NONE
                                       : allocation->defined_at[v];
  NornIndexList root = {0};
  norn_insert_copies(allocation, &root);
  norn_repair_ssa(allocation->arena, function, allocation->dominance, root.items,
                  allocation->value_count, allocation);
}

/* Assigns registers if the function fits. *before: a copy of the function before that, if the
 * result is to be checked. */
static bool
try_allocate(NornPassContext *context, NornFunction *function, NornFunction **before) {
  NornAllocation allocation;
  allocation_init(&allocation, context, function);
  if (!assign(&allocation))
    return false;
  *before = context->options->verify ? norn_function_copy(function) : NULL;
  commit(&allocation);
  return true;
}

bool
norn_is_allocated(const NornFunction *function) {
  norn_for_each_block (function, block) {
    for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
      if (norn_value(function, norn_block_parameter(function, block, k))->reg == NORN_REGISTER_NONE)
        return false;
    norn_for_each_inst (function, block, inst)
      if (!norn_phase_admits(NORN_PHASE_ALLOCATED, function, norn_inst(function, inst)))
        return false;
  }
  return true;
}

bool
norn_pass_allocate(NornPassContext *context, NornFunction *function, GError **error) {
  if (context->failed_allocations && norn_is_allocated(function)) {
    norn_pass_report(context, false);
    return true;
  }
  norn_prepare_edges(context, function);
  if (!norn_pass_continues(context, function->inst_count))
    return false;
  NornFunction *before = NULL;
  bool done = try_allocate(context, function, &before);
  bool right = !done || !before || norn_check_allocation(context->target, function, before, error);
  norn_function_free(before);
  if (done) {
    norn_pass_report(context, true);
    return right;
  }
  context->may_retry = true;
  context->failed_allocations++;
  g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
              "%s: the program does not fit into %u registers even after spilling",
              function->module->filename, norn_regs_count(norn_register_file(context)));
  return false;
}
