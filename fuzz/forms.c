/* The forms of all rows, single forms, and the random states; see fuzz.h. */
#include "fuzz/generator.h"

guint64
fuzz_state(guint64 seed, guint64 stream) {
  guint64 state = (seed + 1) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15) + stream;
  state = (state ^ state >> 30) * G_GUINT64_CONSTANT(0xBF58476D1CE4E5B9);
  state = (state ^ state >> 27) * G_GUINT64_CONSTANT(0x94D049BB133111EB);
  state ^= state >> 31;
  return state ? state : 1;
}

static bool
form_exists(const FuzzForm *form) {
  char *problem = norn_form_problem(form->op, form->type, form->source_type, form->modifier);
  g_free(problem);
  return !problem;
}

static void
add_forms_of(GArray *forms, guint op) {
  const NornOpInfo *info = &norn_ops[op];
  guint modifiers = info->modifier ? norn_modifiers[info->modifier].count : 1;
  for (guint type = 0; type < NORN_TYPE_COUNT; type++)
    for (guint source = 0; source < NORN_TYPE_COUNT; source++)
      for (guint modifier = 0; modifier < modifiers; modifier++) {
        FuzzForm form = {(guint16)op, (guint8)type, (guint8)source, (guint8)modifier};
        if ((info->types ? norn_type_in(info->types, type) : !type) &&
            (info->source_types ? norn_type_in(info->source_types, source) : !source) &&
            form_exists(&form))
          g_array_append_val(forms, form);
      }
}

GArray *
fuzz_forms(void) {
  GArray *forms = g_array_new(FALSE, FALSE, sizeof(FuzzForm));
  for (guint op = 1; op < NORN_OP_COUNT; op++)
    if (!(norn_ops[op].flags & NORN_OP_TERMINATOR) && op != NORN_OP_CALL && op != NORN_OP_PRELOAD &&
        op != NORN_OP_ALLOCA && op != NORN_OP_LOOP_ENTRY && op != NORN_OP_DATA_ADDRESS)
      add_forms_of(forms, op);
  return forms;
}

char *
fuzz_form_text(const FuzzForm *form) {
  const NornOpInfo *info = &norn_ops[form->op];
  GString *text = g_string_new(info->name);
  if (info->modifier)
    g_string_append_printf(text, ".%s", norn_modifiers[info->modifier].texts[form->modifier]);
  if (info->types)
    g_string_append_printf(text, ".%s", norn_types[form->type].name);
  if (info->source_types)
    g_string_append_printf(text, ".%s", norn_types[form->source_type].name);
  return g_string_free(text, FALSE);
}

static NornSignatureCursor
operand_cursor(const FuzzForm *form, guint k) {
  NornSignatureCursor cursor = norn_operand_cursor(form->op, form->type, form->source_type);
  norn_cursor_skip(&cursor, k);
  return cursor;
}

NornType
fuzz_form_operand_type(const FuzzForm *form, guint k) {
  NornSignatureCursor cursor = operand_cursor(form, k);
  return norn_cursor_type(&cursor);
}

NornType
fuzz_form_result_type(const FuzzForm *form, guint k) {
  NornSignatureCursor cursor = norn_result_cursor(form->op, form->type, form->source_type);
  norn_cursor_skip(&cursor, k);
  return norn_cursor_type(&cursor);
}

gboolean
fuzz_form_is_immediate(const FuzzForm *form, guint k) {
  NornSignatureCursor cursor = operand_cursor(form, k);
  return norn_cursor_kind(&cursor) == NORN_LETTER_IMMEDIATE;
}

gboolean
fuzz_form_is_handle(const FuzzForm *form, guint k) {
  NornSignatureCursor cursor = operand_cursor(form, k);
  return norn_cursor_kind(&cursor) == NORN_LETTER_HANDLE;
}

void
fuzz_forms_init(FuzzForms *forms) {
  for (guint denormals = 0; denormals < NORN_DENORMALS_COUNT; denormals++)
    for (guint rounding = 0; rounding < NORN_ROUND_COUNT; rounding++)
      forms->of[denormals][rounding] = fuzz_forms();
}

void
fuzz_forms_clear(FuzzForms *forms) {
  for (guint denormals = 0; denormals < NORN_DENORMALS_COUNT; denormals++)
    for (guint rounding = 0; rounding < NORN_ROUND_COUNT; rounding++)
      g_array_unref(forms->of[denormals][rounding]);
}

bool
fuzz_forms_only(FuzzForms *forms, const char *name) {
  guint kept = 0;
  for (guint denormals = 0; denormals < NORN_DENORMALS_COUNT; denormals++)
    for (guint rounding = 0; rounding < NORN_ROUND_COUNT; rounding++) {
      GArray *list = forms->of[denormals][rounding];
      kept = 0;
      for (guint i = 0; i < list->len; i++) {
        FuzzForm form = g_array_index(list, FuzzForm, i);
        if (g_str_has_prefix(norn_ops[form.op].name, name))
          g_array_index(list, FuzzForm, kept++) = form;
      }
      g_array_set_size(list, kept);
    }
  return kept;
}
