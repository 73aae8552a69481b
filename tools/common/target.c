/* The options that all verbs that compile have in common. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

const char tool_vertex_parts[] = "whole|position|varyings"; /* by NornVertexPart */
/* By bit of NornChaos; the last one: all of them. */
static const char chaos_words[] = "schedule,spill,wait,registers,slots,all";
#define CHAOS_ALL (2u * NORN_CHAOS_SLOTS - 1)

void
tool_target_init(ToolTarget *target) {
  memset(target, 0, sizeof *target);
  norn_compile_options_init(&target->options);
  target->level = (int)target->options.optimization_level;
  target->promote_constants = target->options.promote_constants;
  target->pass_limit = TOOL_NOT_GIVEN;
}

GOptionEntry *
tool_target_entries(ToolTarget *target) {
  const GOptionEntry entries[] = {
      {"target", 0, 0, G_OPTION_ARG_STRING, &target->target, "The target (default: valhall)",
       "NAME"},
      {"arch", 0, 0, G_OPTION_ARG_STRING, &target->architecture, "The architecture (default: 9)",
       "N"},
      {"level", 0, 0, G_OPTION_ARG_INT, &target->level,
       "Optimization level, also -O0, -O1, -O2, -O3 (default: 2)", "0|1|2|3"},
      {"effort", 0, 0, G_OPTION_ARG_INT, &target->effort,
       "At -O3: compile in at most N ways and keep the fastest code (default: 16)", "N"},
      {"no-verify", 0, 0, G_OPTION_ARG_NONE, &target->no_verify, "Do not verify between passes",
       NULL},
      {"no-contract", 0, 0, G_OPTION_ARG_NONE, &target->no_contract,
       "Round products before they are added, and add in the order as written", NULL},
      {"contract", 0, 0, G_OPTION_ARG_NONE, &target->contract,
       "Also contract where results are compared, for programs whose products are exact", NULL},
      {"promote-constants", 0, 0, G_OPTION_ARG_NONE, &target->promote_constants,
       "At -O2 and above: put constants into uniform words that the driver fills (default)", NULL},
      {"no-promote-constants", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE,
       &target->promote_constants, "Load constants into registers", NULL},
      {"promote-uniforms", 0, 0, G_OPTION_ARG_NONE, &target->promote_uniforms,
       "Let the driver put values from read-only buffers into uniform words", NULL},
      {"constant-data", 0, 0, G_OPTION_ARG_NONE, &target->constant_data,
       "Put tables of constants after the code, if the driver lets the shader load from there",
       NULL},
      {"by-sample", 0, 0, G_OPTION_ARG_NONE, &target->by_sample,
       "Compile a fragment shader to run for each sample, even if it does not ask for that", NULL},
      {"entry", 0, 0, G_OPTION_ARG_STRING, &target->entry,
       "For SPIR-V: the entry point, as in main or vertex:main (default: the only one)", "NAME"},
      {"spec", 0, 0, G_OPTION_ARG_STRING_ARRAY, &target->specialize,
       "For SPIR-V: the value of the specialization constant with SpecId ID: a number of its type, "
       "true, false, or its bits as 0x...; may be repeated",
       "ID=VALUE"},
      {"abi", 0, 0, G_OPTION_ARG_FILENAME, &target->abi,
       "For SPIR-V: where the driver puts resources, as JSON (doc/spirv.md)", "FILE"},
      {"buffer-addresses", 0, 0, G_OPTION_ARG_NONE, &target->buffer_addresses,
       "For SPIR-V: access storage buffers by addresses in uniform words instead of by handles",
       NULL},
      {"image-words", 0, 0, G_OPTION_ARG_NONE, &target->image_words,
       "For SPIR-V: read sizes of textures and images from uniform words instead of descriptors",
       NULL},
      {"relaxed-half", 0, 0, G_OPTION_ARG_NONE, &target->relaxed_f16,
       "For SPIR-V: compute RelaxedPrecision (mediump) values as 16-bit floats", NULL},
      {"full-varyings", 0, 0, G_OPTION_ARG_NONE, &target->full_varyings,
       "For SPIR-V: interpolate RelaxedPrecision varyings to 32 bits instead of 16", NULL},
      {"vertex-part", 0, 0, G_OPTION_ARG_STRING, &target->vertex_part,
       "Which part of a vertex shader to compile (default: whole)", tool_vertex_parts},
      {"pass-limit", 0, 0, G_OPTION_ARG_INT64, &target->pass_limit,
       "Skip optional passes after N passes, to bisect", "N"},
      {"limit-work", 0, 0, G_OPTION_ARG_INT64, &target->limit_work,
       "Fail after N units of compilation work (see norn/limits.h; default: 0, no limit)", "N"},
      {"limit-memory", 0, 0, G_OPTION_ARG_INT64, &target->limit_memory,
       "Fail if reading, compiling, or running a workgroup takes more memory (default: 0, no "
       "limit)",
       "BYTES"},
      {"limit-code", 0, 0, G_OPTION_ARG_INT64, &target->limit_code,
       "Fail if the machine code is larger (default: 0, no limit)", "BYTES"},
      {"skip-passes", 0, 0, G_OPTION_ARG_STRING, &target->skip_passes, "Skip these optional passes",
       "PASS,..."},
      {"check", 0, 0, G_OPTION_ARG_STRING, &target->checks,
       "Prove that the finished code is correct (see `norn check --list`)", "CHECKER,...|all"},
      {"chaos", 0, 0, G_OPTION_ARG_STRING, &target->chaos,
       "Generate worse but correct code, to test the passes", chaos_words},
      {"dump-after", 0, 0, G_OPTION_ARG_STRING, &target->dump_after,
       "Print the module after these passes, or after each that changed it, to standard error",
       "PASS,...|all"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &target->seed, "Seed for all random choices", "N"},
      {NULL},
  };
  return g_memdup2(entries, sizeof entries);
}

static gboolean
parse_chaos(const char *text, unsigned *chaos, GError **error) {
  g_auto(GStrv) words = g_strsplit(*text ? text : ",", ",", -1);
  for (char **word = words; *word; word++) {
    int chosen = tool_find_word("chaos", *word, chaos_words, error);
    if (chosen < 0)
      return FALSE;
    *chaos |= 1u << chosen > CHAOS_ALL ? CHAOS_ALL : 1u << chosen;
  }
  return TRUE;
}

static void
append_option(GString *out, const char *name, const char *value) {
  if (value)
    g_string_append_printf(out, " --%s=%s", name, value);
}

static char *
format_options(const NornCompileOptions *options, bool contracts) {
  NornCompileOptions usual;
  norn_compile_options_init(&usual);
  GString *out = g_string_new(NULL);
  append_option(out, "target", options->target);
  append_option(out, "arch", options->architecture);
  if (options->optimization_level != usual.optimization_level)
    g_string_append_printf(out, " -O%u", options->optimization_level);
  if (options->effort && options->optimization_level == 3)
    g_string_append_printf(out, " --effort=%u", options->effort);
  if (options->verify != usual.verify)
    g_string_append(out, " --no-verify");
  if (contracts != options->contract)
    g_string_append(out, options->contract ? " --contract" : " --no-contract");
  if (options->promote_constants != usual.promote_constants)
    g_string_append(out, " --no-promote-constants");
  if (options->promote_uniforms)
    g_string_append(out, " --promote-uniforms");
  if (options->constant_data)
    g_string_append(out, " --constant-data");
  if (options->by_sample)
    g_string_append(out, " --by-sample");
  g_autofree char *part = tool_word(tool_vertex_parts, options->vertex_part);
  if (options->vertex_part != usual.vertex_part)
    append_option(out, "vertex-part", part);
  if (options->pass_limit >= 0)
    g_string_append_printf(out, " --pass-limit=%" G_GINT64_FORMAT, options->pass_limit);
  append_option(out, "skip-passes", options->skip_passes);
  NornCheckerInfo info;
  const char *comma = " --check=";
  for (unsigned k = 0; options->checks != usual.checks && norn_checker_info(k, &info); k++)
    if (options->checks & info.check) {
      g_string_append_printf(out, "%s%s", comma, info.name);
      comma = ",";
    }
  const char *mark = " --chaos=";
  for (guint k = 0; options->chaos >> k; k++)
    if (options->chaos >> k & 1) {
      g_autofree char *word = tool_word(chaos_words, k);
      g_string_append_printf(out, "%s%s", mark, word);
      mark = ",";
    }
  if (options->seed != usual.seed)
    g_string_append_printf(out, " --seed=%" G_GUINT64_FORMAT, options->seed);
  return g_string_free(out, FALSE);
}

char *
tool_target_format(const NornCompileOptions *options) {
  return format_options(options, true);
}

char *
tool_target_format_compared(const NornCompileOptions *options) {
  return format_options(options, false);
}

/* Prints the module after a pass that --dump-after names; with "all", unless it is what the thread
 * printed last. */
static void
dump_module(const NornModule *module, const char *pass, gpointer user_data) {
  static GPrivate last = G_PRIVATE_INIT(g_free);
  const ToolTarget *target = user_data;
  gboolean is_all = !strcmp(target->dump_after, "all");
  g_auto(GStrv) names = g_strsplit(target->dump_after, ",", -1);
  if (!is_all && !g_strv_contains((const char *const *)names, pass))
    return;
  char *text = norn_module_print(module, NULL);
  if (!is_all || g_strcmp0(text, g_private_get(&last)))
    fprintf(stderr, "; after %s\n%s", pass, text);
  g_private_replace(&last, text);
}

static gboolean
finish_spirv(ToolTarget *target, GError **error) {
  norn_spirv_options_init(&target->spirv);
  target->constants = g_array_new(FALSE, FALSE, sizeof(ToolConstant));
  for (char **at = target->specialize; at && *at; at++) {
    g_auto(GStrv) parts = g_strsplit(*at, "=", 2);
    guint64 id;
    if (!parts[0] || !parts[1] ||
        !g_ascii_string_to_unsigned(parts[0], 10, 0, G_MAXUINT32, &id, NULL) ||
        !tool_is_constant(parts[1])) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "--spec: expected ID=VALUE such as 0=64, 3=true or 1=0.5, found '%s'", *at);
      return FALSE;
    }
    for (guint k = 0; k < target->constants->len; k++) {
      if (g_array_index(target->constants, ToolConstant, k).id != id)
        continue;
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "--spec: the constant %" G_GUINT64_FORMAT " is given twice", id);
      return FALSE;
    }
    ToolConstant constant = {(guint32)id, strchr(*at, '=') + 1};
    g_array_append_val(target->constants, constant);
  }
  target->spirv.entry = target->entry;
  target->spirv.validate = !target->no_verify;
  target->spirv.relaxed_f16 = target->relaxed_f16;
  target->spirv.full_varyings = target->full_varyings;
  return TRUE;
}

gboolean
tool_check_compiled(const char *target, GError **error) {
  const char *first = norn_pipeline_step(target, 0, 0);
  return norn_passes_check(target, first ? first : "", error);
}

gboolean
tool_find_passes(const char *target, const char *names, GError **error) {
  GError *problem = NULL;
  if (norn_passes_check(target, names, &problem))
    return TRUE;
  g_set_error(error, problem->domain, problem->code, "%s (`norn passes` lists them)",
              problem->message);
  g_error_free(problem);
  return FALSE;
}

/* Nothing is printed after a group. */
static const char *
refuse_dumped(const NornPassInfo *pass) {
  return pass->is_group ? "is a group of passes, expected one of its passes" : NULL;
}

static const char *
refuse_skipped(const NornPassInfo *pass) {
  return pass->is_optional ? NULL : "is not optional, expected optional passes";
}

/* Whether the names given to an option are those of passes, none of which `refuse` says something
 * against. */
static gboolean
check_passes(const char *target, const char *option, const char *names,
             const char *(*refuse)(const NornPassInfo *), GError **error) {
  NornPassInfo pass;
  if (!tool_find_passes(target, names, error)) {
    g_prefix_error(error, "%s: ", option);
    return FALSE;
  }
  g_auto(GStrv) list = g_strsplit(names, ",", -1);
  for (unsigned k = 0; norn_pass_info(target, k, &pass); k++) {
    const char *reason = refuse(&pass);
    if (reason && g_strv_contains((const char *const *)list, pass.name)) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: '%s' %s (`norn passes` lists them)",
                  option, pass.name, reason);
      return FALSE;
    }
  }
  return TRUE;
}

/* Whether the target exists and has the passes that are to be skipped or shown. */
static gboolean
check_names(const ToolTarget *target, GError **error) {
  const NornIsa *isa;
  unsigned number;
  NornPassInfo pass;
  if (!tool_find_isa(target->target, target->architecture, &isa, &number, error))
    return FALSE;
  if (!norn_pass_info(target->target, 0, &pass))
    return TRUE; /* nothing is compiled for it, as tool_check_compiled reports */
  const char *skipped = target->skip_passes, *dumped = target->dump_after;
  return (!skipped || !*skipped ||
          check_passes(target->target, "--skip-passes", skipped, refuse_skipped, error)) &&
         (!dumped || !strcmp(dumped, "all") ||
          check_passes(target->target, "--dump-after", dumped, refuse_dumped, error));
}

/* Whether the given numbers are in range. */
static gboolean
check_numbers(const ToolTarget *target, GError **error) {
  const ToolNumber numbers[] = {
      {"--level (-O)", target->level, 0, 3},
      {"--effort", target->effort, 0, NORN_MAX_EFFORT},
      {"--pass-limit", target->pass_limit, 0, G_MAXINT64},
      {"--limit-work", target->limit_work, 0, G_MAXINT64},
      {"--limit-memory", target->limit_memory, 0, G_MAXINT64},
      {"--limit-code", target->limit_code, 0, G_MAXINT64},
      {"--seed", target->seed, 0, G_MAXINT64},
  };
  if (!tool_check_numbers(numbers, G_N_ELEMENTS(numbers), error))
    return FALSE;
  if (!target->effort || target->level == 3)
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "--effort is only for -O3, not for -O%d",
              target->level);
  return FALSE;
}

gboolean
tool_takes_two_programs(const NornModule *module, const ToolTarget *target) {
  return !target->vertex_part && norn_compile_splits_vertices(module, &target->options);
}

gboolean
tool_target_finish(ToolTarget *target, GError **error) {
  NornCompileOptions *options = &target->options;
  if (!check_names(target, error) || !finish_spirv(target, error) || !check_numbers(target, error))
    return FALSE;
  int part = target->vertex_part ? tool_find_word("part of a vertex shader", target->vertex_part,
                                                  tool_vertex_parts, error)
                                 : NORN_VERTEX_WHOLE;
  if (part < 0)
    return FALSE;
  if (target->chaos && !parse_chaos(target->chaos, &options->chaos, error))
    return FALSE;
  if (target->checks && !norn_checks_parse(target->checks, &options->checks, error))
    return FALSE;
  if (target->target)
    options->target = target->target;
  if (target->architecture)
    options->architecture = target->architecture;
  options->optimization_level = (unsigned)target->level;
  options->effort = (unsigned)target->effort;
  options->verify = !target->no_verify;
  options->contract = !target->no_contract;
  options->promote_constants = target->promote_constants;
  options->promote_uniforms = target->promote_uniforms;
  options->constant_data = target->constant_data;
  options->by_sample = target->by_sample;
  options->vertex_part = (NornVertexPart)part;
  if (target->pass_limit != TOOL_NOT_GIVEN)
    options->pass_limit = target->pass_limit;
  options->seed = (guint64)target->seed;
  options->skip_passes = target->skip_passes;
  options->limits.work = (guint64)target->limit_work;
  options->limits.memory = (guint64)target->limit_memory;
  options->limits.code = (guint64)target->limit_code;
  if (target->dump_after) {
    options->dump = dump_module;
    options->dump_data = target;
  }
  return TRUE;
}

gboolean
tool_target_load(ToolTarget *target, GError **error) {
  NornSpirvAbi *abi = &target->spirv.abi;
  target->places = g_array_new(FALSE, FALSE, sizeof(NornSpirvPlace));
  if (target->abi && !tool_abi_read(target->abi, abi, target->places, error))
    return FALSE;
  abi->buffer_addresses |= target->buffer_addresses;
  abi->image_words |= target->image_words;
  return TRUE;
}

void
tool_target_clear(ToolTarget *target) {
  g_free(target->target);
  g_free(target->architecture);
  g_free(target->dump_after);
  g_free(target->vertex_part);
  g_free(target->entry);
  g_free(target->abi);
  if (target->places)
    g_array_unref(target->places);
  g_strfreev(target->specialize);
  if (target->constants)
    g_array_unref(target->constants);
  g_free(target->skip_passes);
  g_free(target->chaos);
  g_free(target->checks);
}
