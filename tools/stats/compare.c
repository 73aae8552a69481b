/* norn stats --diff: the changes between two files of figures. */
#include "common/json.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

/* One program in both files. */
typedef struct StatsPair {
  const char *name; /* file, and part */
  JsonObject *before, *after;
} StatsPair;

static void
fail(GError **error, const char *path, const char *what) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: %s", tool_input_name(path), what);
}

/* Whether the member, if there is one, is a number or, if not `is_number`, a string. */
static gboolean
check_member(const char *path, JsonObject *program, guint index, const char *name,
             gboolean is_number, GError **error) {
  JsonNode *node = json_object_get_member(program, name);
  GType type = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : G_TYPE_NONE;
  if (!node || (is_number ? type == G_TYPE_INT64 || type == G_TYPE_DOUBLE : type == G_TYPE_STRING))
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: programs[%u].%s: expected a %s",
              tool_input_name(path), index, name, is_number ? "number" : "string");
  return FALSE;
}

static gboolean
check_program(const char *path, JsonNode *node, guint index, GError **error) {
  JsonObject *program = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
  if (!program || !json_object_has_member(program, "file")) {
    fail(error, path, "expected a member 'file' in each program");
    return FALSE;
  }
  gboolean good = check_member(path, program, index, "file", FALSE, error) &&
                  check_member(path, program, index, "part", FALSE, error) &&
                  check_member(path, program, index, "error", FALSE, error);
  for (const StatsColumn *column = stats_columns; good && column->name; column++)
    good = check_member(path, program, index, column->name, TRUE, error);
  return good;
}

/* The figures of a text by "FILE PART". */
static gboolean
read_programs(JsonParser *parser, const char *path, const char *text, GHashTable *programs,
              GPtrArray *order, GError **error) {
  if (!tool_json_parse(parser, path, text, error))
    return FALSE;
  JsonNode *root = json_parser_get_root(parser), *list = NULL;
  if (root && JSON_NODE_HOLDS_OBJECT(root))
    list = json_object_get_member(json_node_get_object(root), "programs");
  if (!list || !JSON_NODE_HOLDS_ARRAY(list)) {
    fail(error, path,
         "expected the output of `norn stats --format json`, an object with 'programs'");
    return FALSE;
  }
  JsonArray *array = json_node_get_array(list);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    if (!check_program(path, json_array_get_element(array, i), i, error))
      return FALSE;
    JsonObject *object = json_array_get_object_element(array, i);
    const char *file = json_object_get_string_member(object, "file");
    const char *part = json_object_get_string_member_with_default(object, "part", "");
    char *name = g_strstrip(g_strdup_printf("%s %s", file, part));
    if (order)
      g_ptr_array_add(order, name);
    g_hash_table_insert(programs, order ? name : g_strdup(name), object);
    if (!order)
      g_free(name);
  }
  return TRUE;
}

static double
figure(JsonObject *program, const StatsColumn *column) {
  return json_object_get_double_member_with_default(program, column->name, NAN);
}

/* --- What changed --- */

static void
append_changes(GString *out, const StatsPair *pair) {
  gboolean has_name = FALSE;
  for (const StatsColumn *column = stats_columns; column->name; column++) {
    double before = figure(pair->before, column), after = figure(pair->after, column);
    if (column->use < STATS_COMPARED || before == after || isnan(before) || isnan(after))
      continue;
    if (!has_name)
      g_string_append_printf(out, "%s\n", pair->name);
    has_name = TRUE;
    g_string_append_printf(out, "  %-14s %10g -> %-10g", column->name, before, after);
    if (before)
      g_string_append_printf(out, " %+.1f%%", 100 * (after / before - 1));
    g_string_append(out, "\n");
  }
}

/* The geometric mean of after / before; if either is zero, one is added to both, so two zeros
 * count as no change. */
static double
mean_ratio(const GArray *pairs, const StatsColumn *column, guint *better, guint *worse) {
  double sum = 0;
  guint count = 0;
  *better = *worse = 0;
  for (guint i = 0; i < pairs->len; i++) {
    const StatsPair *pair = &g_array_index(pairs, StatsPair, i);
    double before = figure(pair->before, column), after = figure(pair->after, column);
    if (isnan(before) || isnan(after))
      continue;
    count++;
    *(((after < before) != column->is_more_better) ? better : worse) += before != after;
    if (before <= 0 || after <= 0)
      before++, after++;
    sum += log(after / before);
  }
  return count ? exp(sum / count) : 1;
}

static void
append_means(GString *out, const GArray *pairs, double limit, gboolean *worse) {
  g_string_append_printf(out, "%-16s %8s %8s %8s\n", "geometric mean", "ratio", "better", "worse");
  for (const StatsColumn *column = stats_columns; column->name; column++) {
    guint fewer, more;
    if (column->use < STATS_COMPARED)
      continue;
    double ratio = mean_ratio(pairs, column, &fewer, &more);
    *worse |= column->use == STATS_JUDGED &&
              (column->is_more_better ? 1 / ratio : ratio) > 1 + limit / 100 + 1e-12;
    g_string_append_printf(out, "%-16s %8.4f %8u %8u\n", column->name, ratio, fewer, more);
  }
}

static int
compare_ratio(gconstpointer a, gconstpointer b, gpointer user_data) {
  const StatsPair *left = a, *right = b;
  const StatsColumn *column = user_data;
  double x = figure(left->after, column) / figure(left->before, column);
  double y = figure(right->after, column) / figure(right->before, column);
  return x < y ? -1 : x > y ? 1 : strcmp(left->name, right->name);
}

/* The programs in which a figure grew or shrank most. */
static void
append_extremes(GString *out, GArray *pairs, const StatsColumn *column) {
  enum { SHOWN = 10 };
  g_array_sort_with_data(pairs, compare_ratio, (gpointer)column);
  for (guint pass = 0; pass < 2; pass++) {
    gboolean has_title = FALSE;
    for (guint i = 0; i < MIN(pairs->len, SHOWN); i++) {
      const StatsPair *pair = &g_array_index(pairs, StatsPair, pass ? pairs->len - 1 - i : i);
      double ratio = figure(pair->after, column) / figure(pair->before, column);
      if (!(pass ? ratio > 1 : ratio < 1))
        continue;
      if (!has_title)
        g_string_append_printf(
            out, "\n%s %s\n", pass ? "largest increases of" : "largest decreases of", column->name);
      has_title = TRUE;
      g_string_append_printf(out, "  %6.4f  %s\n", ratio, pair->name);
    }
  }
}

/* A program that one of the two builds could not compile has no figures; returns whether that is
 * the new one. */
static gboolean
append_failure(GString *out, const StatsPair *pair) {
  const char *before = json_object_get_string_member_with_default(pair->before, "error", NULL);
  const char *after = json_object_get_string_member_with_default(pair->after, "error", NULL);
  if (!before == !after)
    return FALSE;
  if (before) {
    g_string_append_printf(out, "%s\n  fails only in the old output\n", pair->name);
    return FALSE;
  }
  g_string_append_printf(out, "%s\n  fails only in the new output: %.*s\n", pair->name,
                         (int)strcspn(after, "\n"), after);
  return TRUE;
}

char *
stats_compare(const StatsFigures *old_figures, const StatsFigures *new_figures, double limit,
              gboolean *worse, GError **error) {
  static const char *const extremes[] = {"instructions", "cycles", "estimated_cycles"};
  g_autoptr(JsonParser) old_parser = json_parser_new_immutable();
  g_autoptr(JsonParser) new_parser = json_parser_new_immutable();
  g_autoptr(GHashTable) before = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) after = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, NULL);
  g_autoptr(GPtrArray) order = g_ptr_array_new_with_free_func(g_free);
  if (!read_programs(old_parser, old_figures->name, old_figures->text, before, NULL, error) ||
      !read_programs(new_parser, new_figures->name, new_figures->text, after, order, error))
    return NULL;
  GString *out = g_string_new(NULL);
  g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(StatsPair));
  guint only_old = g_hash_table_size(before), only_new = 0;
  for (guint i = 0; i < order->len; i++) {
    StatsPair pair = {order->pdata[i], g_hash_table_lookup(before, order->pdata[i]),
                      g_hash_table_lookup(after, order->pdata[i])};
    only_new += !pair.before;
    only_old -= pair.before != NULL;
    if (!pair.before)
      continue;
    g_array_append_val(pairs, pair);
    append_changes(out, &pair);
    *worse |= append_failure(out, &pair);
  }
  if (out->len)
    g_string_append(out, "\n");
  append_means(out, pairs, limit, worse);
  for (guint i = 0; i < G_N_ELEMENTS(extremes); i++)
    append_extremes(out, pairs, stats_find_column(extremes[i]));
  g_string_append_printf(out, "\n%u programs compared", pairs->len);
  if (only_old || only_new)
    g_string_append_printf(out, ", %u only in the old output, %u only in the new output", only_old,
                           only_new);
  g_string_append(out, "\n");
  return g_string_free(out, FALSE);
}
