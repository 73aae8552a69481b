/* The options of a compilation: their defaults and checks against the module. */
#include "compiler/options.h"
#include <norn/isa.h>
#include <norn/nearest.h>
#include <string.h>

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

const NornCompileOptions *
norn_options_or_defaults(const NornCompileOptions *options, NornCompileOptions *defaults) {
  if (options)
    return options;
  norn_compile_options_init(defaults);
  return defaults;
}

void
norn_refuse_pass(const NornTarget *target, const char *name, size_t length, GError **error) {
  NornNearest nearest;
  norn_nearest_init(&nearest, name, length);
  const NornPass *pass;
  for (unsigned k = 0; (pass = norn_pass_at(target, k)); k++)
    norn_nearest_try(&nearest, pass->name);
  g_autofree char *hint = norn_nearest_hint(&nearest);
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "unknown pass '%.*s'%s", (int)MIN(length, 64),
              name, hint);
}

/* The machine to compile for: that of the options, else that of the module, else the first Valhall
 * architecture. Options and module must not contradict each other. */
static bool
bind_target(const NornModule *module, const NornCompileOptions *options, NornTarget *target,
            GError **error) {
  const NornMachine *own = module->machine;
  const char *name = options->target ? options->target : own ? own->name : NORN_DEFAULT_TARGET;
  const NornMachine *machine = norn_machine_find(name, strlen(name));
  const NornTarget *description = machine ? norn_target_find(machine) : NULL;
  if (!description) {
    norn_refuse_target(name, error);
    return false;
  }
  if (options->architecture)
    machine =
        machine->find_architecture(machine, options->architecture, strlen(options->architecture));
  else if (own && own->isa == machine->isa)
    machine = own;
  if (!machine) {
    g_autofree char *message = norn_isa_unknown_architecture(
        description->isa, options->architecture, strlen(options->architecture));
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED, message);
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
norn_compile_has_vertex_parts(const NornModule *module, const NornCompileOptions *options) {
  NornTarget target;
  NornCompileOptions defaults;
  options = norn_options_or_defaults(options, &defaults);
  return module->stage == NORN_STAGE_VERTEX && bind_target(module, options, &target, NULL) &&
         target.has_one_vertex_program && !target.has_one_vertex_program(&target);
}

bool
norn_compile_splits_vertices(const NornModule *module, const NornCompileOptions *options) {
  NornShaderInfo shader;
  if (!norn_compile_has_vertex_parts(module, options))
    return false;
  norn_module_shader_info(module, &shader);
  return shader.varying_size;
}

bool
norn_refuse_stage(const NornModule *module, const char *what, const char *wanted, GError **error) {
  uint32_t line = module->functions[0]->line;
  g_autofree char *place =
      line ? g_strdup_printf("%s:%u:1", module->filename, line) : g_strdup(module->filename);
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: %s is only for %s, not for a %s shader",
              place, what, wanted, norn_stage_name(module->stage));
  return false;
}

/* Rejects options that have no meaning for the module or are out of range: the caller would not get
 * what it asks for. */
static bool
check_options(const NornModule *module, const NornCompileOptions *options, GError **error) {
  if (options->vertex_part != NORN_VERTEX_WHOLE && module->stage != NORN_STAGE_VERTEX)
    return norn_refuse_stage(module, "choosing a vertex part", "vertex shaders", error);
  if (options->by_sample && module->stage != NORN_STAGE_FRAGMENT)
    return norn_refuse_stage(module, "running by sample", "fragment shaders", error);
  const struct {
    const char *name;
    int64_t value, min, max;
  } ranges[] = {
      {"optimization_level", options->optimization_level, 0, 3},
      {"effort", options->effort, 0, NORN_MAX_EFFORT},
      {"vertex_part", options->vertex_part, NORN_VERTEX_WHOLE, NORN_VERTEX_VARYINGS},
      {"attribute_table", options->attribute_table, 0, NORN_TABLES - 1},
      {"fetch_sampler", options->fetch_sampler, 0, NORN_TABLES * NORN_HANDLE_ENTRIES - 1},
      {"pass_limit", options->pass_limit, -1, INT64_MAX},
      {"chaos", options->chaos, 0, 2 * NORN_CHAOS_SLOTS - 1}, /* all existing bits */
      {"checks", options->checks, 0, NORN_CHECK_ALL},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(ranges); i++)
    if (ranges[i].value < ranges[i].min || ranges[i].value > ranges[i].max) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: the option %s is %" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT
                  " to %" G_GINT64_FORMAT,
                  module->filename, ranges[i].name, ranges[i].value, ranges[i].min, ranges[i].max);
      return false;
    }
  return true;
}

/* Checks that the passes to skip exist and are optional. */
static bool
check_skipped(const NornModule *module, const NornTarget *target, const char *names,
              GError **error) {
  if (names && !*names)
    return true;
  for (const char *next; names; names = next) {
    size_t length = strcspn(names, ",");
    next = names[length] ? names + length + 1 : NULL;
    const NornPass *pass = norn_pass_find(target, names, length);
    if (!pass || !norn_pass_is_optional(target, pass)) {
      if (pass)
        g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "the pass '%s' is not optional",
                    pass->name);
      else
        norn_refuse_pass(target, names, length, error);
      g_prefix_error(error, "%s: the option skip_passes: ", module->filename);
      return false;
    }
  }
  return true;
}

bool
norn_options_bind(const NornModule *module, const NornCompileOptions *options, NornTarget *target,
                  GError **error) {
  return check_options(module, options, error) && bind_target(module, options, target, error) &&
         check_skipped(module, target, options->skip_passes, error);
}
