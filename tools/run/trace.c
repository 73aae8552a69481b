/* Writes down what steps do: as text for people, or as one JSON object per line. */
#include "common/json.h"
#include "run/watch.h"

#include <stdio.h>
#include <string.h>

/* No instruction reads or writes more operands than this. */
#define OPERANDS 16

/* --- Pieces of text --- */

void
watch_append_set(GString *out, unsigned set) {
  const char *separator = "";
  for (guint lane = 0; lane < 32; lane++) {
    guint last = lane;
    if (!(set >> lane & 1))
      continue;
    while (last < 31 && set >> (last + 1) & 1)
      last++;
    g_string_append_printf(out, last > lane ? "%s%u-%u" : "%s%u", separator, lane, last);
    separator = " ";
    lane = last;
  }
  if (!*separator)
    g_string_append(out, "none");
}

/* The contents of a lane, as a number of the type if it is one. */
static char *
format_lane(const NornObservedValue *value, NornType type, guint lane) {
  const RunElement *element = run_element_of_type(type);
  gboolean whole = TRUE, any = FALSE;
  for (guint w = 0; w < value->words; w++) {
    whole = whole && value->defined[w][lane] == 0xF;
    any = any || value->defined[w][lane];
  }
  if (!any)
    return g_strdup("?");
  if (whole && element && element->is_float && element->size <= 4 * value->words) {
    guint64 bits = value->bits[0][lane];
    bits |= value->words > 1 ? (guint64)value->bits[1][lane] << 32 : 0;
    bits = GUINT64_TO_LE(bits);
    return run_element_format(element, (const guint8 *)&bits);
  }
  GString *text = g_string_new(value->words > 2 ? "{" : "");
  if (value->words == 2)
    g_string_append_printf(text, "0x%08x%08x", value->bits[1][lane], value->bits[0][lane]);
  for (guint w = 0; w < value->words && value->words != 2; w++)
    g_string_append_printf(text, "%s0x%x", w ? " " : "", value->bits[w][lane]);
  g_string_append(text, value->words > 2 ? "}" : "");
  g_string_append(text, whole ? "" : "?");
  return g_string_free(text, FALSE);
}

static void
append_repeated(GString *out, const char *text, guint count) {
  if (text)
    g_string_append_printf(out, count > 1 ? " %s x%u" : " %s", text, count);
}

void
watch_append_lanes(GString *out, const NornObservedValue *value, NornType type, unsigned lanes) {
  g_autofree char *last = NULL;
  guint count = 0;
  for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++) {
    if (!(lanes & value->lanes & 1u << lane))
      continue;
    char *text = format_lane(value, type, lane);
    if (last && strcmp(last, text)) {
      append_repeated(out, last, count);
      count = 0;
    }
    g_free(last);
    last = text;
    count++;
  }
  append_repeated(out, last, count);
}

guint
watch_line(const NornCodeMap *map, const NornObservation *at) {
  const NornCodeInst *inst =
      map && at->is_machine_code ? norn_code_map_at(map, at->address / 8) : NULL;
  return at->is_machine_code ? inst ? inst->line : 0 : at->line;
}

void
watch_append_step(GString *out, const Program *program, const NornCodeMap *map,
                  const NornObservation *at) {
  guint line = watch_line(map, at);
  g_autofree char *text = norn_observation_text(at);
  g_string_append_printf(out, "step %" G_GUINT64_FORMAT ", warp %u, lanes ", at->number, at->warp);
  watch_append_set(out, at->active);
  if (at->is_machine_code)
    g_string_append_printf(out, ", 0x%" G_GINT64_MODIFIER "x", at->address);
  if (line) {
    g_autofree char *file = g_path_get_basename(run_source_name(program));
    g_string_append_printf(out, ", %s:%u", file, line);
  }
  g_string_append_printf(out, ": %s\n", text);
}

/* --- Tracing --- */

struct Tracer {
  const Program *program;
  const NornCodeMap *map;
  const Names *names;
  gboolean json;
  NornObservedValue sources[OPERANDS]; /* their values before the step */
  const NornCodeValue *source_names[OPERANDS];
  guint source_count;
};

Tracer *
tracer_new(const Program *program, const NornCodeMap *map, const Names *names, gboolean json) {
  Tracer *tracer = g_new0(Tracer, 1);
  tracer->program = program;
  tracer->map = map;
  tracer->names = names;
  tracer->json = json;
  return tracer;
}

void
tracer_free(Tracer *tracer) {
  g_free(tracer);
}

/* The source's value that a register holds, if it is the same in all lanes that hold one. */
static const NornCodeValue *
common_name(const Tracer *tracer, const NornObservation *at, const NornObservedValue *value) {
  const NornCodeValue *common = NULL;
  for (guint lane = 0; value->reg >= 0 && lane < NORN_OBSERVED_LANES; lane++) {
    if (!(value->lanes >> lane & 1))
      continue;
    const NornCodeValue *name = names_of_register(tracer->names, at, lane, (guint)value->reg);
    if (common && name != common)
      return NULL;
    common = name;
  }
  return common && common->words == value->words ? common : NULL;
}

static NornType
shown_type(const Tracer *tracer, const NornObservedValue *value, const NornCodeValue *name) {
  return name ? names_type(tracer->names, name) : value->type;
}

static void
append_value(GString *out, const Tracer *tracer, const char *verb, const NornObservedValue *value,
             const NornCodeValue *name) {
  g_string_append_printf(out, "  %s %s", verb, value->name);
  if (name)
    g_string_append_printf(out, " %%%s", name->name);
  g_string_append(out, " =");
  watch_append_lanes(out, value, shown_type(tracer, value, name), value->lanes);
  g_string_append_c(out, '\n');
}

static void
print_text(const Tracer *tracer, const NornObservation *at) {
  GString *out = g_string_new(NULL);
  NornObservedValue value;
  watch_append_step(out, tracer->program, tracer->map, at);
  for (guint i = 0; i < tracer->source_count; i++)
    if (tracer->sources[i].role == NORN_OBSERVED_SOURCE)
      append_value(out, tracer, "reads", &tracer->sources[i], tracer->source_names[i]);
  for (guint i = 0; !at->trap && norn_observation_operand(at, i, &value); i++)
    if (value.role >= NORN_OBSERVED_RESULT)
      append_value(out, tracer, "writes", &value, common_name(tracer, at, &value));
  if (at->slot >= 0)
    g_string_append_printf(out, "  signals slot %d\n", at->slot);
  if (at->waits) {
    g_string_append(out, "  waits for slots ");
    watch_append_set(out, at->waits);
    g_string_append_c(out, '\n');
  }
  if (at->active & ~at->alive) {
    g_string_append(out, "  ends lanes ");
    watch_append_set(out, at->active & ~at->alive);
    g_string_append_c(out, '\n');
  }
  if (at->trap)
    g_string_append_printf(out, "  %s\n", at->trap);
  fputs(out->str, stdout);
  g_string_free(out, TRUE);
}

/* --- JSON --- */

/* {"name":"r4","source":"x","type":"f32","lanes":3,"words":[[1,2]]}: words of each lane of the set;
 * null where nothing is defined. */
static void
add_value(JsonBuilder *json, const Tracer *tracer, const NornObservedValue *value,
          const NornCodeValue *name) {
  const RunElement *element = run_element_of_type(shown_type(tracer, value, name));
  json_builder_begin_object(json);
  tool_json_string(json, "name", value->name);
  if (name)
    tool_json_string(json, "source", name->name);
  if (element)
    tool_json_string(json, "type", element->name);
  tool_json_number(json, "lanes", value->lanes);
  tool_json_array(json, "words");
  for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++) {
    if (!(value->lanes >> lane & 1))
      continue;
    json_builder_begin_array(json);
    for (guint w = 0; w < value->words; w++) {
      if (value->defined[w][lane])
        json_builder_add_int_value(json, value->bits[w][lane]);
      else
        json_builder_add_null_value(json);
    }
    json_builder_end_array(json);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
}

static void
add_position(JsonBuilder *json, const Tracer *tracer, const NornObservation *at) {
  g_autofree char *text = norn_observation_text(at);
  g_autofree char *word = g_strdup_printf("0x%016" G_GINT64_MODIFIER "x", at->word);
  guint line = watch_line(tracer->map, at);
  tool_json_number(json, "step", (gint64)at->number);
  tool_json_number(json, "warp", at->warp);
  tool_json_array(json, "workgroup");
  for (guint i = 0; i < 3; i++)
    json_builder_add_int_value(json, at->workgroup[i]);
  json_builder_end_array(json);
  tool_json_number(json, "active", at->active);
  tool_json_number(json, "alive", at->alive);
  tool_json_number(json, "helpers", at->helpers);
  if (at->is_machine_code) {
    tool_json_number(json, "address", (gint64)at->address);
    tool_json_string(json, "word", word);
  }
  if (line)
    tool_json_number(json, "line", line);
  tool_json_string(json, "text", text);
}

static void
print_json(const Tracer *tracer, const NornObservation *at) {
  JsonBuilder *json = json_builder_new();
  NornObservedValue value;
  json_builder_begin_object(json);
  add_position(json, tracer, at);
  tool_json_array(json, "reads");
  for (guint i = 0; i < tracer->source_count; i++)
    if (tracer->sources[i].role == NORN_OBSERVED_SOURCE)
      add_value(json, tracer, &tracer->sources[i], tracer->source_names[i]);
  json_builder_end_array(json);
  tool_json_array(json, "writes");
  for (guint i = 0; !at->trap && norn_observation_operand(at, i, &value); i++)
    if (value.role >= NORN_OBSERVED_RESULT)
      add_value(json, tracer, &value, common_name(tracer, at, &value));
  json_builder_end_array(json);
  if (at->slot >= 0)
    tool_json_number(json, "slot", at->slot);
  tool_json_number(json, "waits", at->waits);
  if (at->trap)
    tool_json_string(json, "trap", at->trap);
  json_builder_end_object(json);
  g_autofree char *line = tool_json_text(json, FALSE);
  fputs(line, stdout);
  g_object_unref(json);
}

void
tracer_observe(Tracer *tracer, const NornObservation *at) {
  if (at->phase != NORN_OBSERVE_BEFORE) {
    if (tracer->json)
      print_json(tracer, at);
    else
      print_text(tracer, at);
    return;
  }
  tracer->source_count = 0;
  while (
      tracer->source_count < OPERANDS &&
      norn_observation_operand(at, tracer->source_count, &tracer->sources[tracer->source_count]) &&
      tracer->sources[tracer->source_count].role < NORN_OBSERVED_RESULT) {
    tracer->source_names[tracer->source_count] =
        common_name(tracer, at, &tracer->sources[tracer->source_count]);
    tracer->source_count++;
  }
}
