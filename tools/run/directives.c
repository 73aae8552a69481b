/* Names with their own meaning in a run description: grid, draw, attributeN, tableN. */
#include "run/cursor.h"

#include <string.h>

static gboolean
parse_grid(Cursor *cursor, guint32 number) {
  (void)number;
  RunLocation location = cursor_location(cursor, cursor->at);
  g_autofree char *text = cursor_take_word(cursor, " \t\r");
  /* 4x4x1 is 4,4,1, but 0x10 is one number. */
  gboolean has_x = !strchr(text, ',') && !g_str_has_prefix(text, "0x");
  g_auto(GStrv) parts = g_strsplit(text, has_x ? "x" : ",", -1);
  if (cursor->spec->grid_location.line)
    return run_spec_fail(cursor->spec, location, cursor->error, "the grid is given twice");
  cursor->spec->grid_location = location;
  if (!*text)
    return cursor_expected(cursor, "workgroups, as in 3,2 or 3x2");
  if (g_strv_length(parts) > 3)
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "'%.20s': expected at most three dimensions", text);
  for (guint i = 0; parts[i]; i++) {
    guint64 count;
    if (!run_integer(parts[i], 4, &count) || *parts[i] == '-')
      return run_spec_fail(cursor->spec, location, cursor->error,
                           "expected numbers of workgroups, as in 3,2 or 3x2, found '%.20s'", text);
    cursor->spec->grid[i] = (guint)count;
  }
  return TRUE;
}

#define VIEW_INDEX                                                                                 \
  { "view_index", INTO_COUNT, offsetof(RunDraw, view_index), 1, 0, G_MAXUINT32 }
/* The parameters of the draw that vertices can read. */
#define WHICH_VERTICES                                                                             \
  {"instances", INTO_COUNT, offsetof(RunDraw, instances), 1, 0, RUN_MAX_ELEMENTS},                 \
      {"first_vertex", INTO_COUNT, offsetof(RunDraw, first_vertex), 1, 0, G_MAXUINT32},            \
      {"first_instance", INTO_COUNT, offsetof(RunDraw, first_instance), 1, 0, G_MAXUINT32},        \
      {"draw_id", INTO_COUNT, offsetof(RunDraw, draw_id), 1, 0, G_MAXUINT32}, VIEW_INDEX

static const ArgumentRow vertices_rows[] = {
    {"vertices", INTO_COUNT, offsetof(RunDraw, size), 1, 0, RUN_MAX_ELEMENTS,
     .is_positional = TRUE},
    WHICH_VERTICES,
    {NULL},
};

static const ArgumentRow fragments_rows[] = {
    {"size", INTO_SIZE, offsetof(RunDraw, size), .maximum = 65536, .is_positional = TRUE},
    {"samples", INTO_COUNT, offsetof(RunDraw, samples), 1, 1, 16},
    {"by_sample", INTO_FLAG, offsetof(RunDraw, by_sample)},
    {"back_facing", INTO_FLAG, offsetof(RunDraw, back_facing)},
    {"blend_shaders", INTO_FLAG, offsetof(RunDraw, blend_shaders)},
    {"primitive_id", INTO_COUNT, offsetof(RunDraw, primitive_id), 1, 0, G_MAXUINT32},
    VIEW_INDEX,
    {"depth", INTO_NUMBER, offsetof(RunDraw, depth), 3},
    {NULL},
};

static const char *const culls[] = {"none", "back", "front", NULL};

static const ArgumentRow triangles_rows[] = {
    {"vertices", INTO_COUNT, offsetof(RunDraw, vertices), 1, 0, RUN_MAX_ELEMENTS,
     .is_positional = TRUE},
    {"size", INTO_SIZE, offsetof(RunDraw, size), .maximum = 65536, .is_positional = TRUE},
    {"strip", INTO_FLAG, offsetof(RunDraw, is_strip)},
    {"cull", INTO_CHOICE, offsetof(RunDraw, cull), 1, .choices = culls},
    {"depth", INTO_CHOICE, offsetof(RunDraw, depth_compare), 1, .choices = run_compares},
    WHICH_VERTICES,
    {"samples", INTO_COUNT, offsetof(RunDraw, samples), 1, 1, 16},
    {"by_sample", INTO_FLAG, offsetof(RunDraw, by_sample)},
    {NULL},
};

static gboolean
parse_draw(Cursor *cursor, guint32 number) {
  (void)number;
  RunDraw *draw = &cursor->spec->draw;
  RunLocation location = cursor_location(cursor, cursor->at);
  g_autofree char *kind = cursor_take_word(cursor, "( \t\r");
  if (draw->location.line)
    return run_spec_fail(cursor->spec, location, cursor->error, "the draw is given twice");
  *draw = (RunDraw){.location = location, .instances = 1, .samples = 1};
  if (!strcmp(kind, "vertices")) {
    draw->stage = NORN_STAGE_VERTEX;
    return cursor_parse_rows(cursor, vertices_rows, draw);
  }
  draw->stage = NORN_STAGE_FRAGMENT;
  draw->is_triangles = !strcmp(kind, "triangles");
  draw->depth_compare = NORN_COMPARE_LESS_EQUAL;
  if (!draw->is_triangles && strcmp(kind, "fragments"))
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "expected vertices(...), fragments(...) or triangles(...), found '%.20s'",
                         kind);
  if (!cursor_parse_rows(cursor, draw->is_triangles ? triangles_rows : fragments_rows, draw))
    return FALSE;
  if (draw->samples & (draw->samples - 1))
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "expected 1, 2, 4, 8 or 16 samples, found %u", draw->samples);
  if (draw->size[2] != 1)
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "expected a size such as 4x4, without depth");
  return TRUE;
}

static const ArgumentRow attribute_rows[] = {
    {"format", INTO_FORMAT, offsetof(RunAttribute, format), .is_positional = TRUE},
    {"offset", INTO_COUNT, offsetof(RunAttribute, offset), 1, 0, G_MAXUINT32},
    {"stride", INTO_COUNT, offsetof(RunAttribute, stride), 1, 0, G_MAXUINT32},
    {"divisor", INTO_COUNT, offsetof(RunAttribute, divisor), 1, 0, G_MAXUINT32},
    {NULL},
};

static gboolean
parse_attribute(Cursor *cursor, guint32 number) {
  RunAttribute *attribute = g_new0(RunAttribute, 1);
  g_ptr_array_add(cursor->spec->attributes, attribute);
  attribute->location = cursor_location(cursor, cursor->at);
  attribute->index = number;
  attribute->stride = G_MAXUINT32;
  attribute->name = cursor_take_word(cursor, "( \t\r");
  if (!cursor_parse_rows(cursor, attribute_rows, attribute))
    return FALSE;
  if (attribute->stride == G_MAXUINT32)
    attribute->stride = norn_pixel_format_bytes(attribute->format);
  for (guint i = 0; i + 1 < cursor->spec->attributes->len; i++)
    if (((RunAttribute *)cursor->spec->attributes->pdata[i])->index == number)
      return run_spec_fail(cursor->spec, attribute->location, cursor->error,
                           "attribute%u is given twice", number);
  return TRUE;
}

static gboolean
parse_table(Cursor *cursor, guint32 number) {
  for (guint32 index = 0; index == 0 || (*cursor->at == ',' && cursor->at++); index++) {
    RunLocation location = cursor_location(cursor, cursor->at);
    g_autofree char *name = cursor_take_word(cursor, ", \t\r");
    char *colon = strchr(name, ':');
    guint64 stride = 0;
    if (!strcmp(name, "-"))
      continue;
    if (colon && (!run_integer(colon + 1, 4, &stride) || colon[1] == '-'))
      return run_spec_fail(cursor->spec, location, cursor->error,
                           "'%.20s': expected the bytes of an element after ':'", name);
    if (colon)
      *colon = 0;
    if (!*name)
      return cursor_expected(cursor, "the name of an image, sampler or buffer, or '-'");
    for (guint i = 0; index == 0 && i < cursor->spec->entries->len; i++)
      if (((RunEntry *)cursor->spec->entries->pdata[i])->handle >> NORN_HANDLE_TABLE_SHIFT ==
          number)
        return run_spec_fail(cursor->spec, location, cursor->error, "table%u is given twice",
                             number);
    if (index >= NORN_HANDLE_ENTRIES || cursor->spec->entries->len >= RUN_MAX_VALUES)
      return run_spec_fail(cursor->spec, location, cursor->error,
                           "expected at most %u entries in the tables", RUN_MAX_VALUES);
    RunEntry *entry = g_new0(RunEntry, 1);
    *entry = (RunEntry){g_strdup(name), location, number << NORN_HANDLE_TABLE_SHIFT | index,
                        (guint32)stride};
    g_ptr_array_add(cursor->spec->entries, entry);
  }
  return TRUE;
}

/* Names with their own meaning; numbered ones end in a number below `limit`. */
typedef struct Directive {
  const char *name;
  gboolean (*parse)(Cursor *cursor, guint32 number);
  guint32 limit;
} Directive;

static const Directive directives[] = {
    {"grid", parse_grid, 0},
    {"draw", parse_draw, 0},
    {"attribute", parse_attribute, 256},
    {"table", parse_table, 256},
};

/* The row of `directives` for a name, or NULL. *number is not below the row's limit if the
 * name's is not. */
static const Directive *
find_directive(const char *name, guint32 *number) {
  for (guint i = 0; i < G_N_ELEMENTS(directives); i++) {
    const char *rest = name + strlen(directives[i].name);
    guint64 value = 0;
    if (!g_str_has_prefix(name, directives[i].name))
      continue;
    if (directives[i].limit ? *rest != '-' && run_integer(rest, 4, &value) : !*rest) {
      *number = (guint32)value;
      return &directives[i];
    }
  }
  return NULL;
}

gboolean
cursor_is_directive(const char *name) {
  guint32 number;
  return find_directive(name, &number) != NULL;
}

gboolean
cursor_parse_directive(Cursor *cursor, const char *name, RunLocation location) {
  guint32 number = 0;
  const Directive *directive = find_directive(name, &number);
  if (number && number >= directive->limit)
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "expected %s0 to %s%u, found '%.20s'", directive->name, directive->name,
                         directive->limit - 1, name);
  return directive->parse(cursor, number);
}
