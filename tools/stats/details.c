/* The reasons for the figures: what limits the number of threads, loops, waits. */
#include "common/json.h"
#include "stats/stats.h"

#include <string.h>

static const char *const cause_names[NORN_WAIT_CAUSES] = {
    [NORN_WAIT_RESULT] = "results", [NORN_WAIT_REGISTER] = "registers",
    [NORN_WAIT_ORDER] = "order",    [NORN_WAIT_END] = "end",
    [NORN_WAIT_OTHER] = "other",    [NORN_WAIT_NOTHING] = "nothing",
};

const char *
stats_wait_cause(NornWaitCause cause) {
  return cause_names[cause];
}

gboolean
stats_count(StatsProgram *program, const StatsCode *code, unsigned trips, GError **error) {
  NornMachineCode machine = stats_machine_code(code, &program->info);
  StatsDetails *details = &program->details;
  unsigned count;
  g_autofree NornInstructionReport *rows = NULL;
  if (!norn_code_statistics(&machine, trips, &program->statistics, error) ||
      !(rows = norn_code_annotate(&machine, &count, error)))
    return FALSE;
  stats_count_moves(details, rows, count, code->map);
  details->waits = norn_code_waits(&machine, &details->wait_count, error);
  return details->waits && norn_code_loops(&machine, trips, &details->loops, error);
}

void
stats_details_clear(StatsDetails *details) {
  norn_loop_report_clear(&details->loops);
  g_clear_pointer(&details->waits, g_free);
}

/* --- Registers --- */

void
stats_append_registers(GString *out, const NornStatistics *s) {
  unsigned all = s->threads == 1 ? 2 * s->half_file : s->half_file;
  g_string_append_printf(out, "  work registers: %u", s->registers);
  if (all)
    g_string_append_printf(out, " (%u%% of %u)", 100 * s->registers / all, all);
  if (s->half_file && s->work_registers)
    g_string_append_printf(out, ", the highest is r%u", s->work_registers - 1);
  g_string_append(out, "\n");
  if (!s->half_file)
    return;
  g_string_append_printf(out, "  occupancy: %u%%", 50 * s->threads);
  if (s->threads == 1 && s->most_live > s->half_file)
    g_string_append_printf(out,
                           ", since %u registers are live at instruction %u (at most %u: 100%%)",
                           s->most_live, s->most_live_at, s->half_file);
  else if (s->threads == 1)
    g_string_append_printf(out,
                           ", since instruction %u uses r%u, though at most %u registers are live "
                           "(only r0 to r%u and the last %u: 100%%)",
                           s->full_file_at, s->full_file_register, s->most_live,
                           s->half_file / 2 - 1, s->half_file / 2);
  g_string_append(out, "\n");
}

/* --- Waits --- */

/* The number of waits for each cause and unit. */
void
stats_append_waits(GString *out, const StatsDetails *details) {
  const char *separator = " (";
  for (unsigned cause = 0; cause < NORN_WAIT_CAUSES; cause++) {
    g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) units = g_ptr_array_new();
    for (unsigned i = 0; i < details->wait_count; i++) {
      const NornWait *wait = &details->waits[i];
      if (wait->cause != cause)
        continue;
      const char *unit = !wait->unit ? "" : strcmp(wait->unit, "none") ? wait->unit : "others";
      guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, unit));
      if (!count)
        g_ptr_array_add(units, (gpointer)unit);
      g_hash_table_insert(counts, (gpointer)unit, GUINT_TO_POINTER(count + 1));
    }
    for (guint i = 0; i < units->len; i++) {
      const char *unit = units->pdata[i];
      guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, unit));
      if (i)
        g_string_append_printf(out, ", %s %u", unit, count);
      else
        g_string_append_printf(out, "%s%s: %s%s%u", separator, cause_names[cause], unit,
                               *unit ? " " : "", count);
      separator = "; ";
    }
  }
  if (*separator == ';')
    g_string_append(out, ")");
}

/* --- Loops --- */

/* The product of the trip counts of a set of loops, as n1*n2. */
static void
append_product(GString *out, guint64 loops) {
  for (; loops; loops &= loops - 1)
    g_string_append_printf(out, "*n%u", (unsigned)__builtin_ctzll(loops) + 1);
}

/* The longest path as a sum, or NULL if it contains no symbol. */
static char *
format_sum(const NornLoopReport *report) {
  gboolean has_symbol = FALSE;
  GString *out = g_string_new(NULL);
  for (unsigned i = 0; i < report->term_count; i++) {
    const NornPathTerm *term = &report->terms[i];
    has_symbol |= term->loops != 0;
    if (i)
      g_string_append(out, term->cycles < 0 ? " - " : " + ");
    g_string_append_printf(out, "%g", i ? ABS(term->cycles) : term->cycles);
    append_product(out, term->loops);
  }
  return g_string_free(out, !has_symbol);
}

void
stats_append_loops(GString *out, const StatsProgram *program) {
  const NornLoopReport *report = &program->details.loops;
  for (unsigned i = 0; i < report->loop_count; i++) {
    const NornLoop *loop = &report->loops[i];
    g_string_append_printf(out, "  %*sloop at %u: %u instructions, ", (int)(2 * loop->depth - 2),
                           "", loop->first, loop->instructions);
    if (loop->is_counted)
      g_string_append_printf(out, "%s%" G_GUINT64_FORMAT " times\n",
                             loop->is_exact ? "" : "at most ", loop->trips);
    else
      g_string_append_printf(out, "n%u times\n", loop->symbol + 1);
  }
  g_autofree char *sum = format_sum(report);
  if (sum)
    g_string_append_printf(out, "  longest path: %s cycles (%s)\n", sum,
                           program->statistics.units[report->bound].name);
}

/* --- JSON --- */

static void
build_loop(JsonBuilder *json, const NornLoop *loop) {
  json_builder_begin_object(json);
  tool_json_number(json, "first", loop->first);
  tool_json_number(json, "instructions", loop->instructions);
  tool_json_number(json, "depth", loop->depth);
  if (loop->is_counted) {
    tool_json_number(json, loop->is_exact ? "trips" : "most_trips", (gint64)loop->trips);
  } else {
    g_autofree char *symbol = g_strdup_printf("n%u", loop->symbol + 1);
    tool_json_string(json, "symbol", symbol);
  }
  json_builder_end_object(json);
}

static void
build_wait(JsonBuilder *json, const NornWait *wait) {
  json_builder_begin_object(json);
  tool_json_number(json, "instruction", wait->instruction);
  tool_json_number(json, "slot", wait->slot);
  tool_json_string(json, "cause", cause_names[wait->cause]);
  if (wait->unit) {
    tool_json_number(json, "message", wait->message);
    tool_json_string(json, "unit", wait->unit);
  }
  if (wait->needed_by != wait->instruction)
    tool_json_number(json, "needed_by", wait->needed_by);
  json_builder_end_object(json);
}

void
stats_build_details(JsonBuilder *json, const StatsDetails *details, unsigned max_count) {
  tool_json_array(json, "waits_for");
  for (unsigned i = 0; i < details->wait_count && details->waits[i].instruction < max_count; i++)
    build_wait(json, &details->waits[i]);
  json_builder_end_array(json);
  tool_json_array(json, "loop_list");
  for (unsigned i = 0; i < details->loops.loop_count && details->loops.loops[i].first < max_count;
       i++)
    build_loop(json, &details->loops.loops[i]);
  json_builder_end_array(json);
  g_autofree char *sum = format_sum(&details->loops);
  if (sum)
    tool_json_string(json, "longest_sum", sum);
}
