/* norn stats --annotate: the code with the cost of each instruction, and the timing model's
 * parameters. */
#include "stats/stats.h"

#include <string.h>

static double
stall_of(const NornInstructionTiming *timing) {
  double sum = 0;
  for (unsigned k = 0; k < NORN_STALLS; k++)
    sum += timing->stall[k];
  return sum;
}

/* The source line that the instruction was compiled from, if it differs from the previous one's. */
static void
append_source(GString *out, unsigned line, char **source, unsigned *last) {
  if (!line || line == *last || !source)
    return;
  *last = line;
  if (line <= g_strv_length(source))
    g_string_append_printf(out, "; %s\n", g_strchug(source[line - 1]));
}

/* What the instruction waits for, which instruction needs it, and the origin of the instruction
 * if it is not in the program. *next is the first wait from it on. */
static void
append_reasons(GString *out, guint index, const NornInstructionTiming *timing,
               const StatsDetails *details, unsigned *next, const NornCodeInst *inst) {
  unsigned first = *next;
  for (; *next < details->wait_count && details->waits[*next].instruction == index; ++*next) {
    const NornWait *wait = &details->waits[*next];
    g_string_append_printf(out, "  ; slot %u: ", wait->slot);
    if (wait->unit)
      g_string_append_printf(out, "%u, ", wait->message);
    g_string_append(out, stats_wait_cause(wait->cause));
    if (wait->needed_by != index)
      g_string_append_printf(out, " for %u", wait->needed_by);
  }
  if (*next == first && timing->waited_for != index)
    g_string_append_printf(out, "  ; waits for %u", timing->waited_for);
  if (inst && inst->origin != NORN_ORIGIN_PROGRAM)
    g_string_append_printf(out, "  ; %s", norn_origin_name(inst->origin));
}

static void
append_row(GString *out, guint index, unsigned line, const NornInstructionReport *row,
           const NornInstructionTiming *timing, double all, const char *text) {
  double stall = stall_of(timing);
  g_string_append_printf(out, "%5u", index);
  if (line)
    g_string_append_printf(out, " %5u", line);
  else
    g_string_append(out, "     -");
  g_string_append_printf(out, " %5u %4u  %-4s %7" G_GUINT64_FORMAT " %9.1f %9.1f %5.1f%%  %s",
                         row->loop_depth, row->live, row->unit ? row->unit : "-", timing->issues,
                         timing->issued_at, stall, all ? 100 * stall / all : 0, text);
}

char *
stats_annotate(const StatsCode *code, const StatsDetails *details, char **source,
               const NornInstructionTiming *executed, GError **error) {
  NornMachineCode machine = stats_machine_code(code, NULL);
  unsigned count, last = 0;
  g_autofree NornInstructionReport *rows = norn_code_annotate(&machine, &count, error);
  if (!rows)
    return NULL;
  NornIsaDisassembleOptions options = {.architecture = code->architecture};
  g_autofree char *text =
      norn_isa_disassemble(code->isa, machine.words, machine.size, &options, NULL);
  double all = 0;
  for (unsigned i = 0; i < count; i++)
    all += stall_of(executed ? &executed[i] : &rows[i].timing);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  GString *out = g_string_new("   no  line depth live  unit  issues  issued at   stalled  share\n");
  unsigned index = 0, wait = 0;
  for (char **at = lines; *at && index < count; at++) {
    if (!**at || g_str_has_suffix(*at, ":")) {
      if (**at)
        g_string_append_printf(out, "%s\n", *at);
      continue;
    }
    const NornCodeInst *inst = code->map ? norn_code_map_at(code->map, index) : NULL;
    unsigned line = inst ? inst->line : 0;
    append_source(out, line, source, &last);
    const NornInstructionTiming *timing = executed ? &executed[index] : &rows[index].timing;
    append_row(out, index, line, &rows[index], timing, all, *at);
    append_reasons(out, index, timing, details, &wait, inst);
    g_string_append(out, "\n");
    index++;
  }
  return g_string_free(out, FALSE);
}

char *
stats_print_parameters(const NornIsa *isa) {
  static const char *const confidences[] = {"low", "medium", "high"};
  unsigned count;
  const NornTimingParameter *parameters = norn_timing_parameters(isa, &count);
  GString *out = g_string_new(NULL);
  if (!count)
    g_string_append_printf(out, "there is no timing model for %s\n", norn_isa_name(isa));
  else
    g_string_append_printf(out, "%-20s %5s  %-10s  %s\n", "parameter", "value", "confidence",
                           "meaning (source)");
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(out, "%-20s %5u  %-10s  %s (%s)\n", parameters[i].name,
                           parameters[i].value, confidences[parameters[i].confidence],
                           parameters[i].meaning, parameters[i].source);
  return g_string_free(out, FALSE);
}
