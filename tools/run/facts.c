/* What a driver knows about machine code: the report of the compilation, and options that
 * replace or contradict it. Without any information, the code gets what it may need: every
 * preloaded register of the stage, all registers and all uniform words. */
#include "run/run.h"

#include <string.h>

#define ALL_REGISTERS 64
#define HALF_REGISTERS 32

/* The option that was given, or NULL. */
static const char *
given_option(const RunFacts *facts) {
  return facts->info                          ? "--info"
         : facts->workgroup                   ? "--workgroup"
         : facts->preload                     ? "--preload"
         : facts->shared != TOOL_NOT_GIVEN    ? "--shared"
         : facts->scratch != TOOL_NOT_GIVEN   ? "--scratch"
         : facts->registers != TOOL_NOT_GIVEN ? "--registers"
         : facts->fau_words != TOOL_NOT_GIVEN ? "--fau-words"
         : facts->writes_varyings             ? "--varyings-program"
                                              : NULL;
}

static gboolean
fail(GError **error, const char *format, const char *text) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, format, text);
  return FALSE;
}

static gboolean
parse_workgroup(const char *text, guint32 workgroup[3], GError **error) {
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  gboolean good = g_strv_length(parts) >= 1 && g_strv_length(parts) <= 3;
  for (guint i = 0; good && parts[i]; i++) {
    guint64 count;
    good = g_ascii_string_to_unsigned(parts[i], 10, 1, 1024, &count, NULL);
    workgroup[i] = (guint32)count;
  }
  return good || fail(error, "expected a workgroup size such as 16 or 8,8,1, found '%s'", text);
}

/* "r55,r60", or a mask with bit R for register R. */
static gboolean
parse_preload(const char *text, guint64 *mask, GError **error) {
  if (g_str_has_prefix(text, "0x"))
    return run_integer(text, sizeof *mask, mask) ||
           fail(error, "expected a 64-bit mask, found '%s'", text);
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  *mask = 0;
  for (guint i = 0; parts[i]; i++) {
    guint64 reg;
    if (*parts[i] != 'r' ||
        !g_ascii_string_to_unsigned(parts[i] + 1, 10, 0, ALL_REGISTERS - 1, &reg, NULL))
      return fail(
          error,
          "expected a list of registers such as r55,r60 or a mask such as 0x1000, found '%s'",
          text);
    *mask |= G_GUINT64_CONSTANT(1) << reg;
  }
  return TRUE;
}

gboolean
run_facts_apply(const RunFacts *facts, const char *path, Program *program, GError **error) {
  const char *given = given_option(facts);
  if (given && !tool_is_code(path))
    return fail(error, "%s is only for machine code; a shader declares it itself", given);
  NornCompileInfo *info = &program->info;
  program->is_reported = facts->info != NULL;
  if (!facts->info)
    *info = (NornCompileInfo){.preloaded = G_MAXUINT64, .threads = 1, .fau_words = NORN_FAU_WORDS};
  if (facts->info && info->workgroup_size[0])
    memcpy(program->workgroup, info->workgroup_size, sizeof program->workgroup);
  if (facts->workgroup && !parse_workgroup(facts->workgroup, program->workgroup, error))
    return FALSE;
  memcpy(info->workgroup_size, program->workgroup, sizeof info->workgroup_size);
  if (facts->preload && !parse_preload(facts->preload, &info->preloaded, error))
    return FALSE;
  const ToolNumber numbers[] = {{"--shared", facts->shared, 0, G_MAXINT32},
                                {"--scratch", facts->scratch, 0, G_MAXINT32},
                                {"--fau-words", facts->fau_words, 0, NORN_FAU_WORDS}};
  if (!tool_check_numbers(numbers, G_N_ELEMENTS(numbers), error))
    return FALSE;
  if (facts->registers != TOOL_NOT_GIVEN && facts->registers != HALF_REGISTERS &&
      facts->registers != ALL_REGISTERS)
    return fail(error, "%s", "--registers: expected 32 (r0 to r15 and r48 to r63) or 64");
  if (facts->registers != TOOL_NOT_GIVEN)
    info->threads = facts->registers == HALF_REGISTERS ? 2 : 1;
  if (facts->fau_words != TOOL_NOT_GIVEN)
    info->fau_words = (unsigned)facts->fau_words;
  if (facts->shared != TOOL_NOT_GIVEN)
    info->workgroup_local_size = (unsigned)facts->shared;
  if (facts->scratch != TOOL_NOT_GIVEN)
    info->thread_local_size = info->spilled_size = (unsigned)facts->scratch;
  program->writes_varyings = facts->writes_varyings;
  return TRUE;
}
