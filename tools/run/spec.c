/* The parser of run descriptions: assignments, and the memory that holds them. */
#include "run/cursor.h"

#include <string.h>

static void
value_free(gpointer data) {
  RunValue *value = data;
  g_free(value->name);
  g_free(value->number);
  if (value->bytes)
    run_bytes_free(value->bytes);
  g_free(value);
}

static void
attribute_free(gpointer data) {
  g_free(((RunAttribute *)data)->name);
  g_free(data);
}

static void
entry_free(gpointer data) {
  g_free(((RunEntry *)data)->name);
  g_free(data);
}

void
run_spec_free(RunSpec *spec) {
  if (!spec)
    return;
  run_spec_free(spec->vertices);
  g_ptr_array_unref(spec->values);
  g_ptr_array_unref(spec->expected);
  g_ptr_array_unref(spec->attributes);
  g_ptr_array_unref(spec->entries);
  g_free(spec->file);
  g_free(spec);
}

RunValue *
run_spec_find(GPtrArray *values, const char *name) {
  for (guint i = 0; i < values->len; i++) {
    RunValue *value = values->pdata[i];
    if (!strcmp(value->name, name))
      return value;
  }
  return NULL;
}

RunValue *
run_value_new(const char *name, RunKind kind, const RunElement *element, gsize bytes) {
  RunValue *value = g_new0(RunValue, 1);
  value->name = g_strdup(name);
  value->kind = kind;
  value->element = element;
  value->bytes = run_bytes_new();
  if (run_bytes_append(value->bytes, NULL, bytes))
    return value;
  value_free(value);
  return NULL;
}

/* The value at the cursor has a type or a constructor's name, or neither after =>. */
static gboolean
parse_typed(Cursor *cursor, RunValue *value, const char *word, RunLocation location) {
  gboolean given;
  if (!strcmp(word, "image"))
    return cursor_parse_image(cursor, value);
  if (!strcmp(word, "sampler"))
    return cursor_parse_sampler(cursor, value);
  value->kind = RUN_LIST;
  value->element = run_element_find(word);
  if (!strcmp(word, "gradients")) {
    value->kind = RUN_GRADIENTS;
    value->element = run_element_find("f32");
  }
  const RunValue *before = *word ? NULL : run_spec_find(cursor->spec->values, value->name);
  if (before)
    value->element = before->element;
  if (!value->element)
    return run_spec_fail(cursor->spec, location, cursor->error,
                         *word ? "expected a type (i8 to i64, u8 to u64, f16, f32, f64, image or "
                                 "sampler), found '%.20s'"
                               : "expected a type before the list%s",
                         word);
  return cursor_parse_content(cursor, value, &given) &&
         (given || cursor_expected(cursor, "'[' or '@'"));
}

static gboolean
parse_value(Cursor *cursor, RunValue *value, gboolean is_expected) {
  RunLocation location = cursor_location(cursor, cursor->at);
  g_autofree char *word = cursor_take_word(cursor, "([@ \t\r");
  if (*cursor->at == '(' || *cursor->at == '[' || *cursor->at == '@') {
    if (*word || is_expected)
      return parse_typed(cursor, value, word, location) &&
             (!is_expected || value->kind == RUN_LIST ||
              run_spec_fail(cursor->spec, location, cursor->error,
                            "expected a list such as f32[1, 2] after =>, found '%.20s'", word));
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "expected a type such as f32 before the list");
  }
  if (!*word)
    return cursor_expected(cursor, "a value");
  if (is_expected)
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "expected a list such as f32[1, 2] after =>, found '%.20s'", word);
  value->number = g_steal_pointer(&word);
  return TRUE;
}

static guint64
count_bytes(const GPtrArray *values) {
  guint64 sum = 0;
  for (guint i = 0; i < values->len; i++) {
    const RunValue *value = values->pdata[i];
    sum += value->bytes ? value->bytes->len : 0;
  }
  return sum;
}

static gboolean
check_size(Cursor *cursor, RunLocation location) {
  guint64 size = count_bytes(cursor->spec->values) + count_bytes(cursor->spec->expected);
  return size <= RUN_MAX_BYTES ||
         run_spec_fail(cursor->spec, location, cursor->error,
                       "more than %" G_GUINT64_FORMAT " bytes in all values", RUN_MAX_BYTES);
}

static gboolean
parse_assignment(Cursor *cursor, gboolean is_expected) {
  cursor_skip_blanks(cursor);
  RunLocation location = cursor_location(cursor, cursor->at);
  g_autofree char *name = cursor_take_word(cursor, "= \t");
  if (!*name || !cursor_take_mark(cursor, '='))
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "expected NAME=VALUE, found '%.20s'", *name ? name : cursor->at);
  cursor_skip_blanks(cursor);
  if (!is_expected && cursor_is_directive(name))
    return cursor_parse_directive(cursor, name, location);
  GPtrArray *values = is_expected ? cursor->spec->expected : cursor->spec->values;
  gboolean is_uniform = g_str_has_prefix(name, "fau.");
  const char *own_name = is_uniform ? name + 4 : name;
  if (values->len >= RUN_MAX_VALUES)
    return run_spec_fail(cursor->spec, location, cursor->error, "expected at most %u values",
                         RUN_MAX_VALUES);
  if (run_spec_find(values, own_name))
    return run_spec_fail(cursor->spec, location, cursor->error, "'%s' is given twice", own_name);
  RunValue *value = g_new0(RunValue, 1);
  value->name = g_strdup(own_name);
  value->location = location;
  value->is_uniform = is_uniform;
  g_ptr_array_add(values, value);
  return parse_value(cursor, value, is_expected) && check_size(cursor, location);
}

static gboolean
parse_spec(Cursor *cursor) {
  gboolean is_expected = FALSE;
  for (cursor_skip_blanks(cursor); *cursor->at; cursor_skip_blanks(cursor)) {
    if (g_str_has_prefix(cursor->at, "=>")) {
      if (is_expected)
        return cursor_expected(cursor, "one '=>'");
      cursor->at += 2;
      is_expected = TRUE;
    } else if (!parse_assignment(cursor, is_expected)) {
      return FALSE;
    } else if (*cursor->at && !strchr(" \t\r", *cursor->at)) {
      return cursor_expected(cursor, "a blank");
    }
  }
  return TRUE;
}

RunSpec *
run_spec_parse_pieces(const char *text, const GArray *pieces, const char *file, GError **error) {
  RunSpec *spec = g_new0(RunSpec, 1);
  spec->file = g_strdup(file);
  spec->location = g_array_index(pieces, TextSpan, 0).location;
  spec->grid[0] = spec->grid[1] = spec->grid[2] = 1;
  spec->values = g_ptr_array_new_with_free_func(value_free);
  spec->expected = g_ptr_array_new_with_free_func(value_free);
  spec->attributes = g_ptr_array_new_with_free_func(attribute_free);
  spec->entries = g_ptr_array_new_with_free_func(entry_free);
  Cursor cursor = {text, text, pieces, spec, error};
  if (parse_spec(&cursor))
    return spec;
  run_spec_free(spec);
  return NULL;
}

RunSpec *
run_spec_parse(const char *text, GError **error) {
  g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(TextSpan));
  TextSpan whole = {0, {1, 1}};
  g_array_append_val(pieces, whole);
  return run_spec_parse_pieces(text, pieces, RUN_COMMAND_LINE, error);
}
