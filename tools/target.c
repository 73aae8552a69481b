/* The options that every verb that compiles has in common. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

const char *const tool_chaos_names[] = {"schedule", "spill", "wait", "registers", "slots", NULL};

/* The pass limit if none is asked for. */
#define NO_LIMIT G_MININT64

void
tool_target_init(ToolTarget *target) {
  memset(target, 0, sizeof *target);
  norn_compile_options_init(&target->options);
  target->level = (int)target->options.optimization_level;
  target->pass_limit = NO_LIMIT;
}

GOptionEntry *
tool_target_entries(ToolTarget *target) {
  const GOptionEntry entries[] = {
      {"target", 0, 0, G_OPTION_ARG_STRING, &target->target, "The machine (default: valhall)",
       "NAME"},
      {"arch", 0, 0, G_OPTION_ARG_STRING, &target->architecture, "Its architecture (default: 9)",
       "N"},
      {"level", 0, 0, G_OPTION_ARG_INT, &target->level,
       "Optimization, also -O0, -O1, -O2 (default: 2)", "0|1|2"},
      {"no-verify", 0, 0, G_OPTION_ARG_NONE, &target->no_verify, "Do not verify between passes",
       NULL},
      {"no-contract", 0, 0, G_OPTION_ARG_NONE, &target->no_contract,
       "Round products before they are added, as written", NULL},
      {"promote-constants", 0, 0, G_OPTION_ARG_NONE, &target->promote_constants,
       "Put constants into uniform words that the driver fills", NULL},
      {"by-sample", 0, 0, G_OPTION_ARG_NONE, &target->by_sample,
       "Compile a fragment shader to be run for each sample, whether it asks for it or not", NULL},
      {"vertex-part", 0, 0, G_OPTION_ARG_STRING, &target->vertex_part,
       "What of a vertex shader (default: whole)", "whole|position|varyings"},
      {"pass-limit", 0, 0, G_OPTION_ARG_INT64, &target->pass_limit,
       "Leave out optional passes after N passes, to bisect", "N"},
      {"dump-after", 0, 0, G_OPTION_ARG_STRING, &target->dump_after,
       "Print the module after a pass to standard error", "PASS|all"},
      {"chaos", 0, 0, G_OPTION_ARG_STRING, &target->chaos,
       "Compile worse but still right, to test the passes: schedule, spill, wait, registers, slots",
       "WHAT,..."},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &target->seed, "Seed of whatever is drawn by chance", "N"},
      {NULL},
  };
  return g_memdup2(entries, sizeof entries);
}

static void
dump_module(const NornModule *module, const char *pass, gpointer user_data) {
  const ToolTarget *target = user_data;
  if (strcmp(target->dump_after, "all") && strcmp(target->dump_after, pass))
    return;
  g_autofree char *text = norn_module_print(module, NULL);
  fprintf(stderr, "; after %s\n%s", pass, text);
}

/* The bits of a list of chaos. */
static gboolean
parse_chaos(const char *list, unsigned *chaos, GError **error) {
  g_auto(GStrv) names = g_strsplit(list ? list : "", ",", -1);
  for (guint i = 0; names[i]; i++) {
    guint bit = 0;
    while (tool_chaos_names[bit] && strcmp(tool_chaos_names[bit], names[i]) != 0)
      bit++;
    if (!tool_chaos_names[bit]) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "there is no chaos '%s', only schedule, spill, wait, registers and slots",
                  names[i]);
      return FALSE;
    }
    *chaos |= 1u << bit;
  }
  return TRUE;
}

gboolean
tool_target_finish(ToolTarget *target, GError **error) {
  NornCompileOptions *options = &target->options;
  if (target->level < 0 || target->level > 2) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "there is no optimization level %d, only 0, 1 and 2", target->level);
    return FALSE;
  }
  if (target->pass_limit < 0 && target->pass_limit != NO_LIMIT) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "expected a pass limit from 0 on");
    return FALSE;
  }
  if (target->seed < 0) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "expected a seed from 0 on");
    return FALSE;
  }
  static const char *const parts[] = {[NORN_VERTEX_WHOLE] = "whole",
                                      [NORN_VERTEX_POSITION] = "position",
                                      [NORN_VERTEX_VARYINGS] = "varyings"};
  guint part = 0;
  while (target->vertex_part && part < G_N_ELEMENTS(parts) &&
         strcmp(target->vertex_part, parts[part]) != 0)
    part++;
  if (part == G_N_ELEMENTS(parts)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "'%s' is no part of a vertex shader, only whole, position and varyings",
                target->vertex_part);
    return FALSE;
  }
  options->vertex_part = (NornVertexPart)part;
  if (target->target)
    options->target = target->target;
  if (target->architecture)
    options->architecture = target->architecture;
  options->optimization_level = (unsigned)target->level;
  options->verify = !target->no_verify;
  options->contract = !target->no_contract;
  options->promote_constants = target->promote_constants;
  options->by_sample = target->by_sample;
  if (target->pass_limit != NO_LIMIT)
    options->pass_limit = target->pass_limit;
  options->seed = (guint64)target->seed;
  if (!parse_chaos(target->chaos, &options->chaos, error))
    return FALSE;
  if (!target->dump_after)
    return TRUE;
  gboolean known = !strcmp(target->dump_after, "all");
  NornPassInfo info;
  for (unsigned i = 0; !known && norn_pass_info(options->target, i, &info); i++)
    known = !strcmp(info.name, target->dump_after);
  if (!known) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "there is no pass '%s'; `norn passes` lists them", target->dump_after);
    return FALSE;
  }
  options->dump = dump_module;
  options->dump_data = target;
  return TRUE;
}

void
tool_target_clear(ToolTarget *target) {
  g_free(target->target);
  g_free(target->architecture);
  g_free(target->dump_after);
  g_free(target->vertex_part);
  g_free(target->chaos);
}
