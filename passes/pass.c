/* The list of passes and the wrapper that runs one; see pass.h. */
#include "passes/pass.h"
#include "ir/hash.h"
#include "ir/text/locations.h"
#include <norn/module.h>
#include <string.h>

#define IGNORED(id) (UINT64_C(1) << NORN_PASS_##id)
static const NornGroupMember optimize_members[] = {
    {NORN_PASS_SIMPLIFY_CFG, IGNORED(DCE) | IGNORED(SIMPLIFY_CFG)},
    {NORN_PASS_SIMPLIFY, IGNORED(DCE) | IGNORED(SIMPLIFY)},
    {NORN_PASS_GVN, IGNORED(DCE) | IGNORED(GVN)},
    {NORN_PASS_DCE, IGNORED(DCE)},
    {NORN_PASS_COUNT, 0},
};
static const NornGroupMember regalloc_members[] = {
    {NORN_PASS_SPILL, 0},
    {NORN_PASS_ALLOCATE, 0},
    {NORN_PASS_COUNT, 0},
};

const NornPass norn_passes[] = {
#define PASS(id, name, file, run, needs, leaves, summary)                                          \
  {name, run, NORN_PHASE_##needs, NORN_PHASE_##leaves, summary, NULL, 0},
#define GROUP(id, name, members, iterations, needs, leaves, summary)                               \
  {name, NULL, NORN_PHASE_##needs, NORN_PHASE_##leaves, summary, members, iterations},
#include "passes/passes.def"
#undef PASS
#undef GROUP
};

const char *
norn_phase_name(NornPhase phase) {
  static const char *const names[] = {"any", "generic", "selected", "allocated", "packed"};
  return names[phase];
}

const NornPass *
norn_pass_at(const NornTarget *target, unsigned index) {
  if (index < NORN_PASS_COUNT)
    return &norn_passes[index];
  const NornPass *pass = target->passes;
  for (index -= NORN_PASS_COUNT; pass->name && index; index--)
    pass++;
  return pass->name ? pass : NULL;
}

const NornPass *
norn_pass_find(const NornTarget *target, const char *name, size_t length) {
  const NornPass *pass;
  for (unsigned k = 0; (pass = norn_pass_at(target, k)); k++)
    if (strlen(pass->name) == length && !memcmp(pass->name, name, length))
      return pass;
  return NULL;
}

/* Whether the operation may be present from selection to packing. */
static bool
is_pseudo(const NornInst *inst) {
  switch (inst->op) {
  case NORN_OP_COPY:
  case NORN_OP_COLLECT:
  case NORN_OP_SPLIT:
  case NORN_OP_PRELOAD:
  case NORN_OP_LOOP_ENTRY:
  case NORN_OP_JUMP:
  case NORN_OP_END:
  case NORN_OP_UNREACHABLE:
    return true;
  default:
    return norn_is_machine(inst);
  }
}

static bool
has_registers(const NornFunction *function, const NornInst *inst) {
  for (unsigned k = 0; k < inst->result_count; k++)
    if (norn_value(function, inst->result + k)->reg == NORN_REGISTER_NONE)
      return false;
  return true;
}

bool
norn_phase_admits(NornPhase phase, const NornFunction *function, const NornInst *inst) {
  switch (phase) {
  case NORN_PHASE_GENERIC:
    return !norn_is_machine(inst);
  case NORN_PHASE_SELECTED:
    return is_pseudo(inst);
  case NORN_PHASE_ALLOCATED:
  case NORN_PHASE_PACKED:
    return is_pseudo(inst) && has_registers(function, inst);
  default:
    return true;
  }
}

/* The first instruction that the phase does not admit, or NORN_INDEX_NONE. */
static uint32_t
find_misfit(NornPhase phase, const NornFunction *function) {
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index)
      if (!norn_phase_admits(phase, function, norn_inst(function, index)))
        return index;
  return NORN_INDEX_NONE;
}

bool
norn_module_is_in_phase(const NornModule *module, NornPhase phase) {
  for (uint32_t k = 0; k < module->function_count; k++)
    if (find_misfit(phase, module->functions[k]) != NORN_INDEX_NONE)
      return false;
  return true;
}

bool
norn_pass_check_phase(const NornPassContext *context, const NornPass *pass, GError **error) {
  for (uint32_t k = 0; k < context->module->function_count; k++) {
    const NornFunction *function = context->module->functions[k];
    uint32_t misfit = find_misfit(pass->needs, function);
    if (misfit != NORN_INDEX_NONE)
      return norn_inst_error(function, norn_inst(function, misfit), NORN_ERROR_INVALID, error,
                             "pass '%s' needs %s code, but this instruction is not", pass->name,
                             norn_phase_name(pass->needs));
  }
  return true;
}

const NornDominance *
norn_pass_dominance(NornPassContext *context, const NornFunction *function) {
  if (context->analyzed != function)
    norn_pass_blocks_changed(context);
  if (!context->dominance)
    context->dominance = norn_dominance_new(&context->analyses, function);
  context->analyzed = function;
  return context->dominance;
}

const NornPressure *
norn_pass_pressure(NornPassContext *context, const NornFunction *function,
                   const NornLiveness **live) {
  const NornDominance *dominance = norn_pass_dominance(context, function);
  if (!context->pressure) {
    NornArena *arena = &context->analyses;
    context->before_pressure = norn_arena_mark(arena);
    context->live = norn_liveness_new(arena, function, dominance);
    context->pressure =
        norn_pressure_new(arena, function, dominance, context->live, &context->target->registers);
  }
  *live = context->live;
  return context->pressure;
}

void
norn_pass_values_changed(NornPassContext *context) {
  if (context->pressure)
    norn_arena_release(&context->analyses, context->before_pressure);
  context->pressure = NULL;
  context->live = NULL;
}

void
norn_pass_blocks_changed(NornPassContext *context) {
  norn_pass_values_changed(context);
  norn_arena_release(&context->analyses, (NornArenaMark){0});
  context->dominance = NULL;
  context->analyzed = NULL;
  context->edges_are_prepared = false;
}

void
norn_pass_context_clear(NornPassContext *context) {
  norn_pass_blocks_changed(context);
  norn_arena_free(&context->analyses);
  norn_arena_free(&context->arena);
}

/* Whether the cached analyses of the blocks are still right. */
static bool
check_analyses(NornPassContext *context, const NornPass *pass, GError **error) {
  if (!context->dominance)
    return true;
  NornArenaMark mark = norn_arena_mark(&context->arena);
  NornDominance *now = norn_dominance_new(&context->arena, context->analyzed);
  bool same = norn_dominance_equal(context->dominance, now);
  norn_arena_release(&context->arena, mark);
  if (!same)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "pass '%s' changed the blocks without reporting it", pass->name);
  return same;
}

static uint64_t
memory_of_context(const void *owner) {
  const NornPassContext *context = owner;
  return norn_module_memory(context->module) + norn_arena_bytes(&context->arena) +
         norn_arena_bytes(&context->analyses) + context->code->len;
}

void
norn_pass_budget_init(NornPassContext *context) {
  norn_budget_init(&context->budget, &context->options->limits, memory_of_context, context);
}

/* Whether a comma-separated list contains the name. */
static bool
is_listed(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (!strncmp(at, name, length) && (!at[length] || at[length] == ','))
      return true;
  }
  return false;
}

/* Whether the options leave out the pass. */
static bool
is_left_out(const NornPassContext *context, const NornPass *pass) {
  const NornCompileOptions *options = context->options;
  return context->is_optional &&
         ((options->pass_limit >= 0 && context->info->passes_run >= options->pass_limit) ||
          is_listed(options->skip_passes, pass->name) ||
          is_listed(context->tuning.skip_passes, pass->name));
}

/* Runs the pass on every function; sets context->changed if it does not report. */
static bool
run_functions(NornPassContext *context, const NornPass *pass, GError **error) {
  NornModule *module = context->module;
  uint32_t runs = 0;
  context->reports = 0;
  context->keeps_pressure = false;
  bool is_done = true;
  for (; is_done && runs < module->function_count; runs++) {
    NornFunction *function = module->functions[runs];
    NornArenaMark mark = norn_arena_mark(&context->arena);
    is_done =
        norn_pass_continues(context, (uint64_t)function->inst_count + function->block_count) &&
        pass->run(context, function, error);
    norn_arena_release(&context->arena, mark);
  }
  if (!norn_budget_check(&context->budget)) {
    g_clear_error(error);
    return norn_budget_error(&context->budget, module->filename, error);
  }
  if (!is_done)
    return false;
  NORN_ASSERT(!context->reports || context->reports == runs);
  context->changed |= !context->reports;
  if (context->changed && !context->keeps_pressure)
    norn_pass_values_changed(context);
  return true;
}

static void
call_hook(const NornPassContext *context, const NornPass *pass, bool ends) {
  const NornCompileOptions *options = context->options;
  if (options->pass_hook)
    options->pass_hook(pass->name, ends, memory_of_context(context), options->pass_data);
}

/* A hash of all instructions, without the marks of divergence analysis. */
static uint64_t
fingerprint(const NornFunction *function) {
  uint64_t state = function->block_order_count;
  norn_for_each_block (function, block) {
    const NornBlock *self = norn_block(function, block);
    state = norn_hash_mix(state, (uint64_t)block << 32 | self->parameter_count);
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      const NornRef *operands = norn_operands(function, inst);
      unsigned flags = inst->flags & (unsigned)~NORN_INST_DIVERGENT;
      state = norn_hash_mix(state, norn_form_key(inst) ^ (uint64_t)flags << 56);
      state = norn_hash_mix(state, inst->payload);
      state = norn_hash_mix(state, (uint64_t)inst->result << 32 | inst->result_count);
      for (unsigned k = 0; k < inst->operand_count; k++)
        state = norn_hash_mix(state, operands[k]);
    }
  }
  return state;
}

static uint64_t
fingerprint_module(const NornModule *module) {
  uint64_t state = module->function_count;
  for (uint32_t k = 0; k < module->function_count; k++)
    state = norn_hash_mix(state, fingerprint(module->functions[k]));
  return state;
}

/* Checks the module after a pass; `before` is its fingerprint before the pass. */
static bool
verify_pass(NornPassContext *context, const NornPass *pass, uint64_t before, GError **error) {
  if (!context->changed) {
    bool is_same = fingerprint_module(context->module) == before;
    if (!is_same)
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "pass '%s' changed the code without reporting it", pass->name);
    return is_same;
  }
  if (!check_analyses(context, pass, error))
    return false;
  if (!norn_module_verify(context->module, error)) {
    g_prefix_error(error, "after pass '%s': ", pass->name);
    return false;
  }
  return true;
}

static bool
run_pass(NornPassContext *context, const NornPass *pass, GError **error) {
  NornModule *module = context->module;
  context->changed = context->is_clean = false;
  if (is_left_out(context, pass))
    return true;
  bool is_known = context->phase == pass->needs && !context->options->verify;
  if (!is_known && !norn_pass_check_phase(context, pass, error))
    return false;
  uint64_t before = context->options->verify ? fingerprint_module(module) : 0;
  call_hook(context, pass, false);
  bool is_done = run_functions(context, pass, error);
  context->info->work = context->budget.work;
  call_hook(context, pass, true);
  if (!is_done)
    return false;
  if (pass->leaves != NORN_PHASE_ANY)
    context->phase = pass->leaves;
  context->info->passes_run++;
  if (context->options->dump)
    context->options->dump(module, pass->name, context->options->dump_data);
  return !context->options->verify || verify_pass(context, pass, before, error);
}

/* Whether the code is already past the phase that the pass needs. */
static bool
is_behind(const NornPassContext *context, const NornPass *pass) {
  return pass->needs != NORN_PHASE_ANY && context->phase > pass->needs;
}

/* A member runs again only if a pass that it does not ignore has since changed something and not
 * spared it, if it asks to run again, or if it failed and the others may help. */
static bool
run_group(NornPassContext *context, const NornPass *group, GError **error) {
  unsigned count = 0;
  uint64_t waiting = 0; /* by bit: members that have to run */
  bool any = false;
  for (; group->members[count].pass != NORN_PASS_COUNT; count++)
    waiting |= UINT64_C(1) << count;
  if (is_behind(context, group))
    context->phase = NORN_PHASE_ANY; /* to be checked again */
  context->failed_allocations = 0;
  for (unsigned k = 0; k < group->iterations * count && waiting; k++) {
    const NornGroupMember *member = &group->members[k % count];
    const NornPass *pass = &norn_passes[member->pass];
    if (!(waiting >> k % count & 1))
      continue;
    waiting &= ~(UINT64_C(1) << k % count);
    context->changed = context->may_retry = context->runs_again = false;
    context->spared = 0;
    bool is_done = is_behind(context, pass) || run_pass(context, pass, error);
    if (!is_done) {
      if (!context->may_retry || k + count >= group->iterations * count)
        return false;
      g_clear_error(error);
    }
    for (unsigned other = 0; other < count && (context->changed || !is_done); other++) {
      const NornGroupMember *woken = &group->members[other];
      if (!(woken->ignored >> member->pass & 1) && !(context->spared >> woken->pass & 1))
        waiting |= UINT64_C(1) << other;
    }
    if (context->runs_again)
      waiting |= UINT64_C(1) << k % count;
    any |= context->changed;
  }
  context->changed = any;
  return true;
}

bool
norn_pass_run(NornPassContext *context, const NornPass *pass, GError **error) {
  if (!pass->members || is_left_out(context, pass))
    return run_pass(context, pass, error);
  return run_group(context, pass, error);
}

uint32_t *
norn_pass_use_counts(NornPassContext *context, const NornFunction *function) {
  uint32_t *counts = NORN_NEW0(&context->arena, uint32_t, function->value_count);
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, index) {
      const NornInst *inst = norn_inst(function, index);
      norn_for_each_use (function, inst, use)
        counts[use.value]++;
    }
  return counts;
}

bool
norn_pass_remove_unreachable(NornPassContext *context, NornFunction *function) {
  if (!norn_blocks_remove_unreachable(&context->arena, function,
                                      norn_pass_dominance(context, function)))
    return false;
  norn_pass_blocks_changed(context);
  return true;
}
