/* The entry point: options and module in, code and what a driver must know out. */
#include "compiler/compile.h"
#include "check/checkers.h"
#include "compiler/search.h"
#include "compiler/version.h"
#include "passes/pass.h"
#include <norn/compile.h>
#include <norn/nearest.h>
#include <string.h>

const char *
norn_version(void) {
  return NORN_LIBRARY_VERSION;
}

void
norn_compile_options_init(NornCompileOptions *options) {
  *options = (NornCompileOptions){
      .optimization_level = 2,
      .contract = true,
      .verify = true,
      .promote_constants = true,
      .promoted_words = NORN_FAU_WORDS,
      .attribute_table = 1,
      .fetch_sampler = 0x03000000,
      .pass_limit = -1,
  };
  const char *checks = g_getenv("NORN_CHECK");
  if (checks && !norn_checks_parse(checks, &options->checks, NULL))
    options->checks = NORN_CHECK_ALL;
}

/* What messages say of a name that is no pass. */
static char *
suggest_pass(const NornTarget *target, const char *name, size_t length) {
  NornNearest nearest;
  norn_nearest_init(&nearest, name, length);
  const NornPass *pass;
  for (unsigned k = 0; (pass = norn_pass_at(target, k)); k++)
    norn_nearest_try(&nearest, pass->name);
  return norn_nearest_hint(&nearest);
}

/* The machine to compile for: what the options say, else what the module says, else the first
 * architecture of Valhall. They must not contradict each other. */
static bool
bind_target(const NornModule *module, const NornCompileOptions *options, NornTarget *target,
            GError **error) {
  const NornMachine *own = module->machine;
  const char *name = options->target ? options->target : own ? own->name : NORN_DEFAULT_TARGET;
  const NornMachine *machine = norn_machine_find(name, strlen(name));
  const NornTarget *description = machine ? norn_target_find(machine) : NULL;
  if (!description) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
                "target '%s' is not one that code can be compiled for", name);
    return false;
  }
  if (options->architecture)
    machine =
        machine->find_architecture(machine, options->architecture, strlen(options->architecture));
  else if (own && own->isa == machine->isa)
    machine = own;
  if (!machine) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, "target '%s' has no architecture '%s'",
                name, options->architecture);
    return false;
  }
  if (own && own != machine) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: the module is for %s %s, not for %s %s",
                module->filename, own->name, own->architecture_name(own), name,
                machine->architecture_name(machine));
    return false;
  }
  norn_target_bind(description, machine, target);
  return true;
}

bool
norn_compile_splits_vertices(const NornModule *module, const NornCompileOptions *options) {
  NornTarget target;
  if (module->stage != NORN_STAGE_VERTEX || !bind_target(module, options, &target, NULL))
    return false;
  return target.has_one_vertex_program && !target.has_one_vertex_program(&target);
}

static bool
refuse_option(const NornModule *module, const char *option, const char *wanted, GError **error) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
              "%s:%u:1: the option %s is for %s, not for a %s shader", module->filename,
              module->functions[0]->line, option, wanted, norn_stage_name(module->stage));
  return false;
}

/* Options that mean nothing for the module or are none: the caller asks for what it will not get.
 */
static bool
check_options(const NornModule *module, const NornCompileOptions *options, GError **error) {
  if (options->vertex_part != NORN_VERTEX_WHOLE && module->stage != NORN_STAGE_VERTEX)
    return refuse_option(module, "vertex_part", "vertex shaders", error);
  if (options->by_sample && module->stage != NORN_STAGE_FRAGMENT)
    return refuse_option(module, "by_sample", "fragment shaders", error);
  const struct {
    const char *name;
    int64_t value, least, greatest;
  } ranges[] = {
      {"optimization_level", options->optimization_level, 0, 3},
      {"effort", options->effort, 0, NORN_MOST_EFFORT},
      {"vertex_part", options->vertex_part, NORN_VERTEX_WHOLE, NORN_VERTEX_VARYINGS},
      {"attribute_table", options->attribute_table, 0, NORN_TABLES - 1},
      {"pass_limit", options->pass_limit, -1, INT64_MAX},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(ranges); i++)
    if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].greatest) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: the option %s is %" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT
                  " to %" G_GINT64_FORMAT,
                  module->filename, ranges[i].name, ranges[i].value, ranges[i].least,
                  ranges[i].greatest);
      return false;
    }
  return true;
}

/* The passes to skip must be some that there are. */
static bool
check_skipped(const NornModule *module, const NornTarget *target, const char *names,
              GError **error) {
  while (names && *names) {
    size_t length = strcspn(names, ",");
    if (!norn_pass_find(target, names, length)) {
      g_autofree char *hint = suggest_pass(target, names, length);
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: there is no pass '%.*s' to skip%s",
                  module->filename, (int)MIN(length, 64), names, hint);
      return false;
    }
    names += length + (names[length] == ',');
  }
  return true;
}

/* Fills the context and the target that it refers to, and makes the module one of the target.
 * Nothing may run on a module that does not keep the rules, so that is checked first. */
static bool
prepare(NornPassContext *context, NornTarget *target, NornModule *module,
        const NornCompileOptions *options, NornCompileInfo *info, NornCompiler *compiler,
        GError **error) {
  if (!check_options(module, options, error) || !bind_target(module, options, target, error) ||
      !check_skipped(module, target, options->skip_passes, error))
    return false;
  module->machine = target->machine;
  if (!norn_module_verify(module, error))
    return false;
  info->target = target->machine->name;
  info->architecture = target->machine->architecture_name(target->machine);
  *context = (NornPassContext){
      .module = module,
      .target = target,
      .options = options,
      .info = info,
      .code = g_byte_array_new(),
  };
  if (compiler) {
    context->arena = compiler->arena;
    context->analyses = compiler->analyses;
  }
  norn_pass_budget_init(context);
  return true;
}

/* The program that the finished code is held against, as it was before scheduling. */
typedef struct SelectedProgram {
  NornFunction *function; /* NULL: not kept */
  uint32_t scratch_size;
} SelectedProgram;

/* Whether the step is the first of those that give the selected program order and registers. */
static bool
is_order_step(const NornPipelineStep *step) {
  return step->pass == &norn_passes[NORN_PASS_SCHEDULE] ||
         step->pass == &norn_passes[NORN_PASS_SPILL];
}

static bool
run_pipeline(NornPassContext *context, SelectedProgram *selected, GError **error) {
  unsigned level =
      context->tuning.level ? context->tuning.level : context->options->optimization_level;
  for (const NornPipelineStep *step = context->target->pipeline; step->pass; step++) {
    if (step->level > level)
      continue;
    if (step->if_changed && !context->changed)
      continue;
    if (context->options->checks && !selected->function && is_order_step(step)) {
      selected->function = norn_function_copy(context->module->functions[0]);
      selected->scratch_size = context->module->scratch_size;
    }
    context->is_optional = step->is_optional;
    if (!norn_pass_run(context, step->pass, error))
      return false;
  }
  return true;
}

/* Runs the checkers that are asked for on the finished code. */
static bool
check_code(const NornPassContext *context, const SelectedProgram *selected, GError **error) {
  const NornTarget *target = context->target;
  if (!context->options->checks || !selected->function)
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
                                .info = context->info,
                                .selected = selected->function,
                                .scratch_size = selected->scratch_size,
                                .packed = context->module->functions[0]};
  bool ok = target->check(&input, error);
  if (!ok)
    g_prefix_error(error, "%s: checking the code: ", context->module->filename);
  g_free(words);
  return ok;
}

/* Frees what the context holds, or gives it back to the compiler. */
static void
finish(NornPassContext *context, NornCompiler *compiler) {
  if (compiler) {
    norn_pass_blocks_changed(context);
    norn_arena_empty(&context->arena);
    norn_arena_empty(&context->analyses);
    compiler->arena = context->arena;
    compiler->analyses = context->analyses;
  } else {
    norn_pass_context_clear(context);
  }
}

GBytes *
norn_compile(NornModule *module, const NornCompileOptions *options, NornCompileInfo *info,
             GError **error) {
  return norn_compile_with(NULL, module, options, info, error);
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
  SelectedProgram selected = {0};
  bool is_done = (!options->checks || norn_target_has_checkers(&target, error)) &&
                 norn_check_legality(&context, error) && run_pipeline(&context, &selected, error);
  info->instructions = context.code->len / target.instruction_bytes;
  is_done = is_done && check_code(&context, &selected, error);
  norn_function_free(selected.function);
  finish(&context, compiler);
  if (!is_done) {
    g_byte_array_unref(context.code);
    return NULL;
  }
  return g_byte_array_free_to_bytes(context.code);
}

GBytes *
norn_compile_with(NornCompiler *compiler, NornModule *module, const NornCompileOptions *options,
                  NornCompileInfo *info, GError **error) {
  NornCompileOptions defaults;
  NornCompileInfo own_info;
  if (!options) {
    norn_compile_options_init(&defaults);
    options = &defaults;
  }
  info = info ? info : &own_info;
  NornCandidate candidate = {0};
  unsigned candidates = 0;
  uint64_t work = 0;
  if (options->optimization_level == NORN_SEARCH_LEVEL)
    candidate = norn_search(compiler, module, options, &candidates, &work);
  GBytes *code = norn_compile_once(compiler, module, options, &candidate.tuning, work, info, error);
  info->candidates = candidates;
  info->candidate = candidate.name;
  return code;
}

static bool
run_named(NornPassContext *context, const char *names, GError **error) {
  for (;;) {
    size_t length = strcspn(names, ",");
    const NornPass *pass = norn_pass_find(context->target, names, length);
    if (!pass) {
      g_autofree char *hint = suggest_pass(context->target, names, length);
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "there is no pass called '%.*s'%s",
                  (int)MIN(length, 64), names, hint);
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
  if (!options) {
    norn_compile_options_init(&defaults);
    options = &defaults;
  }
  info = info ? info : &own_info;
  *info = (NornCompileInfo){.stage = module->stage};
  if (!prepare(&context, &target, module, options, info, NULL, error))
    return false;
  bool is_done = run_named(&context, names, error);
  norn_pass_context_clear(&context);
  g_byte_array_unref(context.code);
  return is_done;
}

/* The description of the target of that name (NULL: the default one), or NULL. */
static const NornTarget *
find_target(const char *name) {
  name = name ? name : NORN_DEFAULT_TARGET;
  const NornMachine *machine = norn_machine_find(name, strlen(name));
  return machine ? norn_target_find(machine) : NULL;
}

/* Whether the step is the pass or a group that has it. */
static bool
is_part_of(const NornPass *pass, const NornPass *step) {
  bool is_part = pass == step;
  for (const NornPassId *member = step->members; member && *member != NORN_PASS_COUNT; member++)
    is_part |= pass == &norn_passes[*member];
  return is_part;
}

/* Whether the pass is in the pipeline, and all steps that run it are optional. */
static bool
is_optional(const NornTarget *target, const NornPass *pass) {
  bool any = false;
  for (const NornPipelineStep *step = target->pipeline; step->pass; step++) {
    if (!is_part_of(pass, step->pass))
      continue;
    if (!step->is_optional)
      return false;
    any = true;
  }
  return any;
}

bool
norn_pass_info(const char *target, unsigned index, NornPassInfo *info) {
  const NornTarget *found = find_target(target);
  const NornPass *pass = found ? norn_pass_at(found, index) : NULL;
  if (pass)
    *info =
        (NornPassInfo){pass->name,    norn_phase_name(pass->needs), norn_phase_name(pass->leaves),
                       pass->summary, pass->members != NULL,        is_optional(found, pass)};
  return pass != NULL;
}

const char *
norn_pipeline_step(const char *target, unsigned optimization_level, unsigned index) {
  const NornTarget *found = find_target(target);
  for (const NornPipelineStep *step = found ? found->pipeline : NULL; step && step->pass; step++)
    if (step->level <= optimization_level && index-- == 0)
      return step->pass->name;
  return NULL;
}
