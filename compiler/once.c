/* A single compilation: runs passes over a module, those of the pipeline or a given list, and
 * checks the code. */
#include "check/checkers.h"
#include "compiler/compile.h"
#include "compiler/options.h"
#include <string.h>

/* Initializes the context and the target that it refers to, and sets the module's machine. The
 * module is verified first: nothing may run on an invalid module. */
static bool
prepare(NornPassContext *context, NornTarget *target, NornModule *module,
        const NornCompileOptions *options, NornCompileInfo *info, NornCompiler *compiler,
        GError **error) {
  if (!norn_options_bind(module, options, target, error))
    return false;
  module->machine = target->machine;
  if (!module->is_verified && !norn_module_verify(module, error))
    return false;
  module->is_verified = false; /* passes change it */
  info->target = target->machine->name;
  info->architecture = target->machine->architecture_name(target->machine);
  *context = (NornPassContext){
      .module = module,
      .target = target,
      .options = options,
      .info = info,
      .code = g_byte_array_new(),
  };
  if (compiler) { /* a hook may compile with it in the meantime */
    context->arena = compiler->arena;
    context->analyses = compiler->analyses;
    compiler->arena = compiler->analyses = (NornArena){0};
  }
  norn_pass_budget_init(context);
  return true;
}

/* The program against which the finished code is checked. */
typedef struct CheckedProgram {
  NornFunction *selected;  /* before scheduling; NULL: not kept */
  NornFunction *rewritten; /* after a later pass that computes values in another way, or NULL */
  uint32_t scratch_size;
} CheckedProgram;

/* Whether the step is the first one that schedules or allocates the selected program. */
static bool
is_order_step(const NornPipelineStep *step) {
  return step->pass == &norn_passes[NORN_PASS_SCHEDULE] ||
         step->pass == &norn_passes[NORN_PASS_REGALLOC];
}

static bool
run_pipeline(NornPassContext *context, CheckedProgram *checked, GError **error) {
  unsigned level =
      context->tuning.level ? context->tuning.level : context->options->optimization_level;
  for (const NornPipelineStep *step = context->target->pipeline; step->pass; step++) {
    if (step->level > level)
      continue;
    if (step->if_changed && (!context->changed || context->is_clean))
      continue;
    if (is_order_step(step) && !context->keeps_numbers) {
      context->keeps_numbers = true;
      if (context->options->checks) {
        checked->selected = norn_function_copy(context->module->functions[0]);
        checked->scratch_size = context->module->scratch_size;
      }
    }
    context->is_optional = step->is_optional;
    if (!norn_pass_run(context, step->pass, error))
      return false;
    bool rewrites = step->pass == &norn_passes[NORN_PASS_PACK_HALVES] && context->changed;
    if (rewrites && context->options->checks)
      checked->rewritten = norn_function_copy(context->module->functions[0]);
  }
  return true;
}

/* Checks that the module is in the phase that the first pass needs, before anything looks at its
 * instructions. */
static bool
check_phase(NornPassContext *context, GError **error) {
  const NornPass *first = context->target->pipeline->pass;
  NornModule *module = context->module;
  if (!norn_module_is_in_phase(module, first->needs) &&
      norn_module_is_in_phase(module, NORN_PHASE_ALLOCATED)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: the module is already compiled",
                module->filename);
    return false;
  }
  if (!norn_pass_check_phase(context, first, error))
    return false;
  norn_module_renumber(module); /* the code depends only on the module's text, not on how it was
                                 * made */
  context->phase = first->needs;
  return true;
}

/* Runs the requested checkers on the finished code. */
static bool
check_code(const NornPassContext *context, const CheckedProgram *checked, GError **error) {
  const NornTarget *target = context->target;
  if (!context->options->checks || !checked->selected)
    return true;
  uint32_t count = context->info->instructions;
  uint64_t *words = g_new(uint64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    words[i] = 0;
    memcpy(&words[i], context->code->data + (size_t)i * target->instruction_bytes,
           target->instruction_bytes);
    words[i] = GUINT64_FROM_LE(words[i]);
  }
  const NornCheckInput input = {.words = words,
                                .count = count,
                                .architecture = target->architecture,
                                .stage = context->module->stage,
                                .checks = context->options->checks,
                                .data_offset = context->info->data_offset,
                                .data_size = context->info->data_size,
                                .info = context->info,
                                .selected = checked->selected,
                                .rewritten = checked->rewritten,
                                .scratch_size = checked->scratch_size,
                                .packed = context->module->functions[0]};
  bool ok = target->check(&input, error);
  if (!ok)
    g_prefix_error(error, "%s: checking the code: ", context->module->filename);
  g_free(words);
  return ok;
}

/* Frees what the context holds, or returns it to the compiler. */
static void
finish(NornPassContext *context, NornCompiler *compiler) {
  if (compiler) {
    norn_pass_blocks_changed(context);
    norn_arena_empty(&context->arena);
    norn_arena_empty(&context->analyses);
    norn_arena_free(&compiler->arena);
    norn_arena_free(&compiler->analyses);
    compiler->arena = context->arena;
    compiler->analyses = context->analyses;
  } else {
    norn_pass_context_clear(context);
  }
}

/* Appends the constant data to the code that reads it, padded with zeros to a whole instruction. */
static void
append_data(const NornPassContext *context) {
  const NornCompileInfo *info = context->info;
  GByteArray *code = context->code;
  unsigned unit = context->target->instruction_bytes;
  if (!info->data_size)
    return;
  guint first = code->len, end = info->data_offset + info->data_size;
  g_byte_array_set_size(code, (end + unit - 1) / unit * unit);
  memset(code->data + first, 0, code->len - first);
  memcpy(code->data + info->data_offset, context->module->data, info->data_size);
}

GBytes *
norn_compile_once(NornCompiler *compiler, NornModule *module, const NornCompileOptions *options,
                  const NornTuning *tuning, uint64_t work, NornCompileInfo *info, GError **error) {
  NornPassContext context;
  NornTarget target;
  *info = (NornCompileInfo){.stage = module->stage, .work = work};
  memcpy(info->workgroup_size, module->workgroup, sizeof info->workgroup_size);
  info->denormals = module->denormals;
  if (!prepare(&context, &target, module, options, info, compiler, error))
    return NULL;
  context.tuning = *tuning;
  context.budget.work = work;
  CheckedProgram checked = {0};
  bool is_done = check_phase(&context, error) &&
                 (!options->checks || norn_target_has_checkers(&target, error)) &&
                 norn_check_legality(&context, error) && run_pipeline(&context, &checked, error);
  info->instructions = context.code->len / target.instruction_bytes;
  is_done = is_done && check_code(&context, &checked, error);
  if (is_done)
    append_data(&context);
  norn_function_free(checked.selected);
  norn_function_free(checked.rewritten);
  finish(&context, compiler);
  if (!is_done) {
    g_byte_array_unref(context.code);
    return NULL;
  }
  return g_byte_array_free_to_bytes(context.code);
}

static bool
run_named(NornPassContext *context, const char *names, GError **error) {
  for (;;) {
    size_t length = strcspn(names, ",");
    const NornPass *pass = norn_pass_find(context->target, names, length);
    if (!pass) {
      norn_refuse_pass(context->target, names, length, error);
      return false;
    }
    if (!norn_pass_run(context, pass, error))
      return false;
    if (!names[length])
      return true;
    names += length + 1;
  }
}

bool
norn_run_passes(NornModule *module, const char *names, const NornCompileOptions *options,
                NornCompileInfo *info, GError **error) {
  NornCompileOptions defaults;
  NornCompileInfo own_info;
  NornPassContext context;
  NornTarget target;
  options = norn_options_or_defaults(options, &defaults);
  info = info ? info : &own_info;
  *info = (NornCompileInfo){.stage = module->stage};
  if (!prepare(&context, &target, module, options, info, NULL, error))
    return false;
  bool is_done = run_named(&context, names, error);
  norn_pass_context_clear(&context);
  g_byte_array_unref(context.code);
  return is_done;
}
