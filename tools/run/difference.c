/* Finds where two engines first differ. If they left different contents in memory, the run is
 * repeated with observers in two comparisons:
 *
 * 1. The compiled module, interpreted on values, with the code in the simulator. Both execute the
 *    same instructions, so the results of each invocation must have the same order. A difference is
 *    the fault of registers, encoding, waits, or the simulator.
 * 2. If these agree, the source with the compiled module, by the names of values. Passes may change
 *    how often an instruction is executed, so only names that an invocation defines equally often
 *    in both are compared. */
#include "run/watch.h"

#include <string.h>

/* The number of results that are recorded for a run; a longer run is not compared. */
#define MAX_RESULTS (4u << 20)

/* A result of one invocation. */
typedef struct Result {
  guint64 key; /* address, numbers of the operand and word; or the number of the name */
  guint64 bits;
  guint32 invocation, line;
  guint32 nth; /* its index in its list */
  NornType type;
} Result;

/* The results of a run. Each invocation has a list of them or, for named results, a list for
 * each name. */
typedef struct Recording {
  GArray *results;         /* Result */
  GHashTable *invocations; /* number -> GPtrArray by name (0: no names) of GArray of indices */
  GHashTable *names;       /* name -> number from 1; NULL: results are identified by address */
  gboolean is_full;
} Recording;

static void
free_list(gpointer list) {
  if (list)
    g_array_unref(list);
}

static void
recording_init(Recording *recording, GHashTable *names) {
  recording->results = g_array_new(FALSE, FALSE, sizeof(Result));
  recording->invocations =
      g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
  recording->names = names;
  recording->is_full = FALSE;
}

static void
recording_clear(Recording *recording) {
  g_array_unref(recording->results);
  g_hash_table_destroy(recording->invocations);
}

/* The list of an invocation and a name, or NULL. */
static GArray *
find_list(const Recording *recording, guint invocation, guint name) {
  const GPtrArray *lists =
      g_hash_table_lookup(recording->invocations, GUINT_TO_POINTER(invocation));
  return lists && name < lists->len ? lists->pdata[name] : NULL;
}

static GArray *
make_list(Recording *recording, guint invocation, guint name) {
  GPtrArray *lists = g_hash_table_lookup(recording->invocations, GUINT_TO_POINTER(invocation));
  if (!lists) {
    lists = g_ptr_array_new_with_free_func(free_list);
    g_hash_table_insert(recording->invocations, GUINT_TO_POINTER(invocation), lists);
  }
  if (name >= lists->len)
    g_ptr_array_set_size(lists, (gint)name + 1);
  if (!lists->pdata[name])
    lists->pdata[name] = g_array_new(FALSE, FALSE, sizeof(guint));
  return lists->pdata[name];
}

/* Result `nth` of a list, or NULL. */
static const Result *
find_result(const Recording *recording, const GArray *list, guint nth) {
  return list && nth < list->len
             ? &g_array_index(recording->results, Result, g_array_index(list, guint, nth))
             : NULL;
}

static void
append_result(Recording *recording, Result result) {
  GArray *list = make_list(recording, result.invocation, recording->names ? (guint)result.key : 0);
  result.nth = list->len;
  g_array_append_val(list, recording->results->len);
  g_array_append_val(recording->results, result);
  recording->is_full = recording->results->len >= MAX_RESULTS;
}

/* The key of a word of a result of the code. */
static guint64
word_key(const NornObservation *at, guint number, guint word) {
  return at->address << 16 | number << 8 | word;
}

/* --- The code --- */

static bool
record_code(const NornObservation *at, gpointer user_data) {
  Recording *recording = user_data;
  NornObservedValue value;
  for (guint i = 0, number = 0;
       at->phase == NORN_OBSERVE_AFTER && at->address != NORN_OBSERVED_NO_ADDRESS &&
       norn_observation_operand(at, i, &value);
       i++) {
    if (value.role != NORN_OBSERVED_RESULT)
      continue;
    for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++)
      for (guint w = 0; w < value.words && value.lanes >> lane & 1; w++)
        append_result(recording, (Result){.key = word_key(at, number, w),
                                          .bits = value.bits[w][lane],
                                          .invocation = at->invocation[lane]});
    number++;
  }
  return !recording->is_full;
}

typedef struct CodeComparison {
  const Program *program;
  Recording *expected;
  GHashTable *next; /* invocation -> number of results seen */
  GString *found;
} CodeComparison;

static guint32
defined_mask(guint8 bytes) {
  guint32 mask = 0;
  for (guint b = 0; b < 4; b++)
    mask |= bytes >> b & 1 ? 0xFFu << 8 * b : 0;
  return mask;
}

/* Whether a message may not have written the register yet: in a run with a seed it completes
 * later. */
static gboolean
is_awaited(const Program *program, const NornObservation *at, guint reg, guint lane) {
  guint64 written = 0, read;
  if (program->seed && at->slot >= 0)
    norn_observation_in_flight(at, (guint)at->slot, lane, &written, &read);
  return written >> reg & 1;
}

/* Compares one word of a lane with the interpreter's next result for the invocation. */
static gboolean
compare_word(CodeComparison *comparison, const NornObservation *at, const NornObservedValue *value,
             guint number, guint word, guint lane) {
  guint invocation = at->invocation[lane];
  guint seen =
      GPOINTER_TO_UINT(g_hash_table_lookup(comparison->next, GUINT_TO_POINTER(invocation)));
  g_hash_table_insert(comparison->next, GUINT_TO_POINTER(invocation), GUINT_TO_POINTER(seen + 1));
  const Result *expected =
      find_result(comparison->expected, find_list(comparison->expected, invocation, 0), seen);
  gboolean same_way = expected && expected->key == word_key(at, number, word);
  guint reg = (guint)value->reg + word;
  guint32 mask = defined_mask(value->defined[word][lane]);
  if (is_awaited(comparison->program, at, reg, lane))
    mask = 0;
  if (same_way && !((value->bits[word][lane] ^ expected->bits) & mask))
    return TRUE;
  GString *out = comparison->found;
  g_string_append(out, "\n  the first difference is at ");
  watch_append_step(out, comparison->program, comparison->program->map, at);
  if (same_way)
    g_string_append_printf(
        out, "  in invocation %u: r%u is 0x%x, but the same instruction on IR values computes 0x%x",
        invocation, reg, value->bits[word][lane], (guint32)expected->bits);
  else
    g_string_append_printf(
        out, "  invocation %u reaches this point, but not in the interpreter, or in another order",
        invocation);
  return FALSE;
}

static bool
compare_code(const NornObservation *at, gpointer user_data) {
  CodeComparison *comparison = user_data;
  NornObservedValue value;
  for (guint i = 0, number = 0;
       at->phase == NORN_OBSERVE_AFTER && norn_observation_operand(at, i, &value); i++) {
    if (value.role != NORN_OBSERVED_RESULT)
      continue;
    for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++)
      for (guint w = 0; w < value.words && value.lanes >> lane & 1; w++)
        if (!compare_word(comparison, at, &value, number, w, lane))
          return false;
    number++;
  }
  return true;
}

/* --- Names --- */

static bool
record_names(const NornObservation *at, gpointer user_data) {
  Recording *recording = user_data;
  NornObservedValue value;
  for (guint i = 0; at->phase == NORN_OBSERVE_AFTER && norn_observation_operand(at, i, &value);
       i++) {
    if (value.role < NORN_OBSERVED_RESULT || value.words > 2 || !value.name[0] ||
        g_ascii_isdigit(value.name[1]))
      continue;
    guint name = GPOINTER_TO_UINT(g_hash_table_lookup(recording->names, value.name));
    if (!name) {
      name = g_hash_table_size(recording->names) + 1;
      g_hash_table_insert(recording->names, g_strdup(value.name), GUINT_TO_POINTER(name));
    }
    for (guint lane = 0; lane < NORN_OBSERVED_LANES; lane++)
      if (value.lanes >> lane & 1 && value.defined[0][lane])
        append_result(recording,
                      (Result){.key = name,
                               .bits = value.bits[0][lane] | (guint64)value.bits[1][lane] << 32,
                               .invocation = at->invocation[lane],
                               .line = at->line,
                               .type = value.type});
  }
  return !recording->is_full;
}

/* Whether a value of the compiled module equals that of the source: for booleans, only the truth
 * value counts; for narrow values, only the bits that they have. */
static gboolean
same_value(const Result *source, const Result *compiled) {
  const RunElement *element = run_element_of_type(source->type);
  if (source->type == NORN_TYPE_I1)
    return !source->bits == !compiled->bits;
  guint64 mask =
      element && element->size < 8 ? (G_GUINT64_CONSTANT(1) << 8 * element->size) - 1 : G_MAXUINT64;
  return !((source->bits ^ compiled->bits) & mask);
}

static void
append_bits(GString *out, const Result *result, NornType type) {
  const RunElement *element = run_element_of_type(type);
  guint64 bits = GUINT64_TO_LE(result->bits);
  g_autofree char *number =
      element && element->is_float ? run_element_format(element, (const guint8 *)&bits) : NULL;
  if (number)
    g_string_append_printf(out, "%s (0x%" G_GINT64_MODIFIER "x)", number, result->bits);
  else
    g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x", result->bits);
}

static const char *
name_of(GHashTable *names, guint64 number) {
  GHashTableIter iter;
  gpointer name, value;
  g_hash_table_iter_init(&iter, names);
  while (g_hash_table_iter_next(&iter, &name, &value))
    if (GPOINTER_TO_UINT(value) == number)
      return name;
  return "";
}

/* Describes the first value that differs, by name, in the order of the compiled module's run. */
static void
compare_names(const Program *program, const Recording *source, const Recording *compiled,
              GString *out) {
  g_autofree char *file = g_path_get_basename(run_source_name(program));
  for (guint i = 0; i < compiled->results->len; i++) {
    const Result *result = &g_array_index(compiled->results, Result, i);
    const GArray *own = find_list(compiled, result->invocation, (guint)result->key);
    const GArray *theirs = find_list(source, result->invocation, (guint)result->key);
    const Result *same = find_result(source, theirs, result->nth);
    if (!same || own->len != theirs->len || same_value(same, result))
      continue;
    g_string_append_printf(out, "\n  the first value that differs is %s, %s:%u, in invocation %u",
                           name_of(source->names, result->key), file, same->line,
                           result->invocation);
    if (result->nth)
      g_string_append_printf(out, ", occurrence %u", result->nth + 1);
    g_string_append(out, ": the compiled code computes ");
    append_bits(out, result, same->type);
    g_string_append(out, ", but the source computes ");
    append_bits(out, same, same->type);
    return;
  }
}

/* --- Both comparisons --- */

/* Runs the code (module NULL) or a module again with an observer. FALSE if it cannot be
 * compared. */
static gboolean
run_again(const Program *program, const RunSpec *spec, const NornModule *module,
          NornObserverFunction observe, gpointer data) {
  Session session = {0};
  NornObserver observer = {observe, data};
  GError *error = NULL;
  gboolean done = run_session_init(program, spec, &session, &error);
  if (done)
    norn_launch_fill_uniforms(&session.launch, &program->info, session.uniforms);
  session.launch.observer = &observer;
  if (done && module) {
    session.launch.info = NULL;
    done = norn_interpret(module, &session.launch, NULL, &error);
  } else if (done) {
    gsize size;
    const void *code = g_bytes_get_data(program->code, &size);
    done = norn_simulate_valhall(code, size, program->architecture, &session.launch, NULL, &error);
  }
  run_session_clear(&session);
  g_clear_error(&error);
  return done;
}

static void
find_in_code(const Program *program, const RunSpec *spec, GString *out) {
  Recording expected;
  recording_init(&expected, NULL);
  CodeComparison comparison = {program, &expected, g_hash_table_new(NULL, NULL), out};
  if (run_again(program, spec, program->compiled, record_code, &expected) && !expected.is_full)
    run_again(program, spec, NULL, compare_code, &comparison);
  g_hash_table_destroy(comparison.next);
  recording_clear(&expected);
}

static void
find_in_names(const Program *program, const RunSpec *spec, GString *out) {
  g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  Recording source, compiled;
  recording_init(&source, names);
  recording_init(&compiled, names);
  if (run_again(program, spec, program->module, record_names, &source) && !source.is_full &&
      run_again(program, spec, program->compiled, record_names, &compiled) && !compiled.is_full)
    compare_names(program, &source, &compiled, out);
  recording_clear(&source);
  recording_clear(&compiled);
}

void
run_explain_difference(const Program *program, const RunSpec *spec, GError **error) {
  if (!error || !*error || !program->compiled || program->varying_code)
    return;
  GString *out = g_string_new((*error)->message);
  gsize before = out->len;
  find_in_code(program, spec, out);
  if (out->len == before)
    find_in_names(program, spec, out);
  GError *longer = g_error_new_literal((*error)->domain, (*error)->code, out->str);
  g_error_free(*error);
  *error = longer;
  g_string_free(out, TRUE);
}
