/* The origins of moves, and the spilled values. */
#include "common/json.h"
#include "stats/stats.h"

#include <string.h>

enum { LISTED_SPILLS = 10 };

static const char *const kind_names[NORN_MOVE_KINDS] = {"none", "registers", "uniforms",
                                                        "constants"};

void
stats_count_moves(StatsDetails *details, const NornInstructionReport *rows, unsigned count,
                  const NornCodeMap *map) {
  for (unsigned i = 0; i < count; i++) {
    const NornCodeInst *inst = map ? norn_code_map_at(map, i) : NULL;
    details->moves[inst ? inst->origin : NORN_ORIGIN_PROGRAM][rows[i].move]++;
  }
}

/* --- Spilled values --- */

static void
clear_spill(gpointer data) {
  StatsSpill *spill = data;
  g_free(spill->name);
  g_free(spill->definition);
}

GArray *
stats_spills_new(void) {
  GArray *spills = g_array_new(FALSE, TRUE, sizeof(StatsSpill));
  g_array_set_clear_func(spills, clear_spill);
  return spills;
}

void
stats_note_spill(const NornSpilledValue *value, gpointer user_data) {
  StatsSpill spill = {
      .value = *value, .name = g_strdup(value->name), .definition = g_strdup(value->definition)};
  spill.value.name = spill.name;
  spill.value.definition = spill.definition;
  g_array_append_val((GArray *)user_data, spill);
}

static int
compare_numbers(gconstpointer a, gconstpointer b) {
  guint left = ((const StatsSpill *)a)->value.number, right = ((const StatsSpill *)b)->value.number;
  return left < right ? -1 : left > right;
}

/* A value that a later round of allocation spills again counts once. */
static void
join_rounds(GArray *spills) {
  guint kept = 0;
  g_array_sort(spills, compare_numbers);
  for (guint i = 0; i < spills->len; i++) {
    StatsSpill *spill = &g_array_index(spills, StatsSpill, i);
    StatsSpill *first = kept ? &g_array_index(spills, StatsSpill, kept - 1) : NULL;
    if (!first || first->value.number != spill->value.number) {
      StatsSpill moved = *spill;
      *spill = (StatsSpill){0};
      g_array_index(spills, StatsSpill, kept++) = moved;
      continue;
    }
    first->value.stores += spill->value.stores;
    first->value.fills += spill->value.fills;
    first->value.recomputed += spill->value.recomputed;
    first->value.depth = MAX(first->value.depth, spill->value.depth);
  }
  g_array_set_size(spills, kept);
}

/* The most expensive ones come first: in the deepest loops, then most frequent. */
static int
compare_spills(gconstpointer a, gconstpointer b) {
  const NornSpilledValue *left = &((const StatsSpill *)a)->value;
  const NornSpilledValue *right = &((const StatsSpill *)b)->value;
  if (left->depth != right->depth)
    return left->depth > right->depth ? -1 : 1;
  unsigned often = left->stores + left->fills, right_often = right->stores + right->fills;
  if (often != right_often)
    return often > right_often ? -1 : 1;
  return left->number < right->number ? -1 : left->number > right->number;
}

void
stats_sort_spills(GArray *spills) {
  join_rounds(spills);
  g_array_sort(spills, compare_spills);
}

static void
append_times(GString *out, const char *separator, unsigned count, const char *what) {
  if (count)
    g_string_append_printf(out, "%s%s %u time%s", separator, what, count, count == 1 ? "" : "s");
}

static void
append_reason(GString *out, const NornSpilledValue *value) {
  switch (value->reason) {
  case NORN_SPILL_PARAMETER:
    g_string_append(out, "its block has too many parameters");
    return;
  case NORN_SPILL_BLOCK:
    g_string_append(out, "no register where paths join or a loop begins");
    return;
  case NORN_SPILL_FARTHEST:
    break;
  }
  if (value->is_beyond_loop)
    g_string_append(out, "its next use is after the loop");
  else
    g_string_append_printf(out, "its next use is the farthest, %u instructions away",
                           value->distance);
  if (value->needed_line)
    g_string_append_printf(out, ", when line %u needed registers", value->needed_line);
}

static void
append_spill(GString *out, const NornSpilledValue *value) {
  g_string_append(out, "    ");
  if (value->name)
    g_string_append_printf(out, "%%%s", value->name);
  else
    g_string_append(out, "a value");
  g_string_append_printf(out, " (%s", value->definition ? value->definition : "parameter");
  if (value->line)
    g_string_append_printf(out, ", line %u", value->line);
  if (value->words > 1)
    g_string_append_printf(out, ", %u registers", value->words);
  g_string_append(out, "): ");
  gsize before = out->len;
  append_times(out, "", value->stores, "stored");
  append_times(out, out->len > before ? ", " : "", value->fills, "filled");
  append_times(out, out->len > before ? ", " : "", value->recomputed, "rematerialized");
  if (value->depth)
    g_string_append_printf(out, ", in %u loop%s", value->depth, value->depth == 1 ? "" : "s");
  g_string_append(out, "; ");
  append_reason(out, value);
  g_string_append(out, "\n");
}

void
stats_append_spills(GString *out, const GArray *spills) {
  for (guint i = 0; spills && i < MIN(spills->len, LISTED_SPILLS); i++)
    append_spill(out, &g_array_index(spills, StatsSpill, i).value);
  if (spills && spills->len > LISTED_SPILLS)
    g_string_append_printf(out, "    and %u more values\n", spills->len - LISTED_SPILLS);
}

/* --- Moves --- */

/* Moves of all kinds with that origin. */
static unsigned
sum_moves(const StatsDetails *details, unsigned origin) {
  unsigned sum = 0;
  for (unsigned kind = NORN_MOVE_REGISTER; kind < NORN_MOVE_KINDS; kind++)
    sum += details->moves[origin][kind];
  return sum;
}

/* How many moves there are of each kind, unless all are of the expected kind. */
static void
append_kinds(GString *out, const unsigned *moves) {
  const char *separator = " (";
  for (unsigned kind = NORN_MOVE_UNIFORM; kind < NORN_MOVE_KINDS; kind++)
    if (moves[kind]) {
      g_string_append_printf(out, "%s%s %u", separator, kind_names[kind], moves[kind]);
      separator = ", ";
    }
  if (*separator == ',')
    g_string_append(out, ")");
}

void
stats_append_moves(GString *out, const StatsDetails *details) {
  const char *separator = "  moves for:";
  for (unsigned origin = 0; origin < NORN_ORIGINS; origin++) {
    const unsigned *moves = details->moves[origin];
    unsigned sum = sum_moves(details, origin);
    if (!sum)
      continue;
    g_string_append_printf(out, "%s %s %u", separator, norn_origin_name(origin), sum);
    if (origin != NORN_ORIGIN_CONSTANT && origin != NORN_ORIGIN_UNIFORM)
      append_kinds(out, moves);
    separator = ",";
  }
  if (*separator == ',')
    g_string_append(out, "\n");
}

/* --- JSON --- */

static void
build_spill(JsonBuilder *json, const NornSpilledValue *value) {
  static const char *const reasons[] = {[NORN_SPILL_FARTHEST] = "farthest",
                                        [NORN_SPILL_PARAMETER] = "parameter",
                                        [NORN_SPILL_BLOCK] = "block"};
  json_builder_begin_object(json);
  if (value->name)
    tool_json_string(json, "name", value->name);
  tool_json_string(json, "definition", value->definition ? value->definition : "parameter");
  if (value->line)
    tool_json_number(json, "line", value->line);
  tool_json_number(json, "words", value->words);
  tool_json_number(json, "stores", value->stores);
  tool_json_number(json, "fills", value->fills);
  tool_json_number(json, "recomputed", value->recomputed);
  tool_json_number(json, "depth", value->depth);
  tool_json_string(json, "reason", reasons[value->reason]);
  if (value->reason == NORN_SPILL_FARTHEST && !value->is_beyond_loop)
    tool_json_number(json, "distance", value->distance);
  if (value->needed_line)
    tool_json_number(json, "needed_line", value->needed_line);
  json_builder_end_object(json);
}

void
stats_build_origins(JsonBuilder *json, const StatsProgram *program, unsigned max_count) {
  tool_json_object(json, "moves_for");
  for (unsigned origin = 0; origin < NORN_ORIGINS; origin++) {
    if (!sum_moves(&program->details, origin))
      continue;
    tool_json_object(json, norn_origin_name(origin));
    for (unsigned kind = NORN_MOVE_REGISTER; kind < NORN_MOVE_KINDS; kind++)
      tool_json_number(json, kind_names[kind], program->details.moves[origin][kind]);
    json_builder_end_object(json);
  }
  json_builder_end_object(json);
  tool_json_array(json, "spilled");
  for (guint i = 0; program->spills && i < MIN(program->spills->len, max_count); i++)
    build_spill(json, &g_array_index(program->spills, StatsSpill, i).value);
  json_builder_end_array(json);
}
