/* The allocate pass: measures, tries the small register file, then the whole one, and commits.
 *
 * See allocate.h for the parts. The spill pass has brought the register pressure down to the file
 * before. Nothing changes in the function until an assignment has succeeded; if none does, since
 * fixed registers and pairs leave gaps, the spill pass must leave more registers free. */
#include "passes/regalloc/allocate.h"
#include "check/allocation.h"
#include "ir/ops.h"
#include "passes/repair_ssa.h"
#include <string.h>

/* --- the pass ----------------------------------------------------------------------------------
 */

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
      .entry = NORN_NEW(arena, NornRegisterState, function->block_count),
  };
  allocation->pressure = norn_pass_pressure(context, function, &allocation->live);
  memset(allocation->defined_at, NORN_NO_REGISTER, values);
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

static bool
assign(NornAllocation *allocation) {
  NornRegisterSet whole = norn_register_file(allocation->context);
  const NornOccupancy *occupancy = allocation->context->target->occupancies;
  for (; occupancy->threads; occupancy++) {
    NornRegisterSet file = norn_regs_common(whole, occupancy->registers);
    if (norn_counts_exceed(allocation->pressure->max, norn_regs_by_class(allocation->model, file)))
      continue;
    allocation->file = file;
    norn_affinity_build(allocation);
    if (norn_assign_registers(allocation))
      return true;
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
                  allocation->value_count, allocation->entry);
}

/* Assigns registers if the function fits; changes it only then. */
static bool
try_allocate(NornPassContext *context, NornFunction *function) {
  NornAllocation allocation;
  allocation_init(&allocation, context, function);
  bool ok = assign(&allocation);
  if (ok)
    commit(&allocation);
  return ok;
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
  if (norn_prepare_edges(&context->arena, function))
    norn_pass_blocks_changed(context);
  if (!norn_pass_continues(context, function->inst_count))
    return false;
  NornFunction *before = context->options->verify ? norn_function_copy(function) : NULL;
  bool done = try_allocate(context, function);
  bool right = !done || !before || norn_check_allocation(context, function, before, error);
  norn_function_free(before);
  if (done) {
    norn_pass_report(context, true);
    return right;
  }
  context->may_retry = true;
  context->failed_allocations++;
  g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
              "%s: the program finds no room in %u registers even after spilling",
              function->module->filename, norn_regs_count(norn_register_file(context)));
  return false;
}
