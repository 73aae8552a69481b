/* The parser of run descriptions: a cursor over one line, which may have been put together from
 * several lines of a file.
 *
 * What stands in parentheses is read in two steps: first into a list of arguments, which may be
 * named, then by a table of rows, each saying where in a structure an argument goes. */
#include "tools/run_spec.h"
#include "sim/common/image.h"
#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

const char run_language[] =
    "What to run on is a list of NAME=VALUE: on the command line, else in comments of the file,\n"
    "each a run of its own:\n"
    "\n"
    "  ; run: grid=1 a=2.0 n=3 x=f32[1, 2, nan] y=f32[10, 20, 30] => y=f32[12, 24, nan]\n"
    "\n"
    "A backslash at the end of the line continues it in the next comment. After => stands what\n"
    "must come out, compared bit by bit, but NaN equals NaN; a list without a type has that of "
    "before,\n"
    "and what only stands after => begins as zeros.\n"
    "\n"
    "  NAME=2.0                a number for the uniform of that name (fau.NAME if the name means\n"
    "                          something else here; u7 is word 7 of machine code)\n"
    "  NAME=f32[1, 2, nan]     a buffer whose address goes into the uniform, or the elements of\n"
    "                          an array of uniforms. Types: i8 to i64, u8 to u64, f16 f32 f64.\n"
    "                          [v; 8] is v eight times, [(a, b); 8] the group eight times\n"
    "  NAME=f32@FILE           a buffer filled from a file, little-endian; its path is relative "
    "to\n"
    "                          the description's\n"
    "  grid=3,2                workgroups in x, y, z (default: 1)\n"
    "  NAME=image(rgba8unorm, 4x4, layers:1, levels:1, samples:1)[...]\n"
    "                          an image WIDTHxHEIGHTxDEPTH in a buffer; the list holds the "
    "channels\n"
    "                          as they lie in memory (unorm: 0 to 255), or @FILE, or nothing: 0.\n"
    "                          Formats: r rg rgb rgba, 8 16 32, unorm snorm uint sint float. "
    "Level\n"
    "                          after level, in it layer after layer, z, row, texel, sample; a "
    "cube\n"
    "                          is six layers: +x -x +y -y +z -z\n"
    "  NAME=sampler(filter:linear, mip:nearest, wrap:[repeat, clamp, clamp], ...)\n"
    "                          filter, magnify, minify: nearest linear; mip: none nearest linear;\n"
    "                          wrap: repeat mirror clamp border; border:[r, g, b, a];\n"
    "                          compare: never less equal less_equal greater not_equal\n"
    "                          greater_equal always; minimum_lod, maximum_lod, lod_bias;\n"
    "                          unnormalized\n"
    "  table0=t,s,b,-          what the handles 0 << 24 | 0, 1, ... stand for: images, samplers,\n"
    "                          buffers (b:16 for elements of 16 bytes), - for nothing\n"
    "\n"
    "Vertex shaders:\n"
    "  draw=vertices(3, instances:1, first_vertex:0, draw_id:0, view_index:0)\n"
    "  attribute0=NAME(rg32float, offset:0, stride:8, divisor:0)\n"
    "                          from the buffer NAME; stride is the format's size if left out\n"
    "  position, varyings, extra\n"
    "                          the outputs of all vertices (extra: point size as f16, layer,\n"
    "                          viewport); made as large as the shader needs if not given\n"
    "\n"
    "Fragment shaders:\n"
    "  draw=fragments(4x4, samples:1, by_sample, back_facing, primitive_id:0, view_index:0,\n"
    "       depth:[0, 0, 0])   a rectangle of pixels in one primitive; its vertices are the "
    "corners\n"
    "                          top left (which provokes), top right, bottom left\n"
    "  varyings=f32[...]       the blocks of the three vertices, one after the other; or\n"
    "  varyings=gradients[1, 0.5, 0, ...]\n"
    "                          of each f32 the value at the top left, and what it grows by from\n"
    "                          pixel to pixel to the right and down\n"
    "  color0=image(...), depth=image(...), stencil=image(...)\n"
    "                          the targets; made as 32-bit ones if not given\n"
    "  blend_source0=f32[...]  the colors that a blend shader gets\n"
    "\n"
    "A fragment shader that stores what a texture holds at its varying (examples/texture.norn):\n"
    "\n"
    "  ; run: draw=fragments(4x1) varyings=gradients[0, 0.25, 0] table1=t table2=s \\\n"
    "  ;      t=image(r8unorm, 2)[0, 255] s=sampler(filter:linear, wrap:clamp) \\\n"
    "  ;      => color0=f32[(0, 0, 0, 1), (0.25, 0, 0, 1), (0.75, 0, 0, 1), (1, 0, 0, 1)]\n";

/* Values of a description, and entries of its tables. */
#define MAXIMUM_VALUES 4096u

/* A piece of the text that stands in one line of the file. */
typedef struct {
  gsize start; /* in the text */
  RunPlace place;
} Piece;

typedef struct {
  const char *text, *at;
  const GArray *pieces; /* Piece, by start */
  RunSpec *spec;
  GError **error;
} Cursor;

/* --- Errors --- */

gboolean
run_spec_fail(const RunSpec *spec, RunPlace place, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  if (!place.line)
    place = spec->place;
  g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "%s:%u:%u: %s", spec->file, place.line,
              place.column, message);
  return FALSE;
}

static RunPlace
place_of(const Cursor *cursor, const char *at) {
  gsize offset = (gsize)(at - cursor->text);
  guint low = 0, high = cursor->pieces->len; /* the piece is in [low, high) */
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(cursor->pieces, Piece, middle).start <= offset)
      low = middle;
    else
      high = middle;
  }
  const Piece *piece = &g_array_index(cursor->pieces, Piece, low);
  return (RunPlace){piece->place.line, piece->place.column + (guint)(offset - piece->start)};
}

/* Says what was expected where the cursor is. */
static gboolean
fail_expected(Cursor *cursor, const char *what) {
  if (*cursor->at)
    return run_spec_fail(cursor->spec, place_of(cursor, cursor->at), cursor->error,
                         "expected %s, not '%.20s'", what, cursor->at);
  return run_spec_fail(cursor->spec, place_of(cursor, cursor->at), cursor->error,
                       "expected %s, not the end of the description", what);
}

/* --- Values --- */

static void
value_free(gpointer data) {
  RunValue *value = data;
  g_free(value->name);
  g_free(value->number);
  if (value->bytes)
    g_byte_array_unref(value->bytes);
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
  value->bytes = g_byte_array_new();
  g_byte_array_set_size(value->bytes, (guint)bytes);
  if (bytes)
    memset(value->bytes->data, 0, bytes);
  return value;
}

/* --- Words --- */

static void
skip_blanks(Cursor *cursor) {
  while (*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r')
    cursor->at++;
}

/* The characters up to one of `stops`, without blanks at the end. */
static char *
take_word(Cursor *cursor, const char *stops) {
  skip_blanks(cursor);
  gsize length = strcspn(cursor->at, stops);
  char *word = g_strchomp(g_strndup(cursor->at, length));
  cursor->at += length;
  return word;
}

static gboolean
take_mark(Cursor *cursor, char mark) {
  skip_blanks(cursor);
  if (*cursor->at != mark)
    return FALSE;
  cursor->at++;
  return TRUE;
}

/* --- Lists --- */

static gboolean
fail_size(Cursor *cursor, RunPlace place) {
  return run_spec_fail(cursor->spec, place, cursor->error, "more than %u elements",
                       RUN_MAXIMUM_ELEMENTS);
}

/* After a `;`: repeats what the list holds from byte `start` on. */
static gboolean
repeat(Cursor *cursor, RunValue *value, guint start) {
  guint64 count, size = value->bytes->len - start;
  skip_blanks(cursor);
  RunPlace place = place_of(cursor, cursor->at);
  g_autofree char *times = take_word(cursor, ",])");
  if (!*times)
    return fail_expected(cursor, "how many times");
  if (!run_integer(times, 4, &count) || *times == '-')
    return run_spec_fail(cursor->spec, place, cursor->error, "expected how many times, not '%.20s'",
                         times);
  if (count > RUN_MAXIMUM_ELEMENTS ||
      start + size * count > (guint64)RUN_MAXIMUM_ELEMENTS * value->element->size)
    return fail_size(cursor, place);
  g_autofree guint8 *group = g_memdup2(value->bytes->data + start, size);
  g_byte_array_set_size(value->bytes, start);
  while (size && count--)
    g_byte_array_append(value->bytes, group, (guint)size);
  return TRUE;
}

static gboolean
parse_element(Cursor *cursor, RunValue *value) {
  skip_blanks(cursor);
  const char *start = cursor->at;
  g_autofree char *text = take_word(cursor, ",;])");
  guint64 bits;
  GError *problem = NULL;
  if (!*text)
    return fail_expected(cursor, "a number");
  if (!run_number(text, value->element, &bits, &problem)) {
    run_spec_fail(cursor->spec, place_of(cursor, start), cursor->error, "%s", problem->message);
    g_error_free(problem);
    return FALSE;
  }
  if (value->bytes->len / value->element->size >= RUN_MAXIMUM_ELEMENTS)
    return fail_size(cursor, place_of(cursor, start));
  bits = GUINT64_TO_LE(bits);
  g_byte_array_append(value->bytes, (const guint8 *)&bits, value->element->size);
  return TRUE;
}

/* Elements up to `end`; groups in parentheses only where it is `]`. */
static gboolean
parse_elements(Cursor *cursor, RunValue *value, char end) {
  while (!take_mark(cursor, end)) {
    guint start = value->bytes->len;
    if (end == ']' && take_mark(cursor, '(')) {
      if (!parse_elements(cursor, value, ')'))
        return FALSE;
    } else if (!parse_element(cursor, value)) {
      return FALSE;
    }
    if (take_mark(cursor, ';') && !repeat(cursor, value, start))
      return FALSE;
    skip_blanks(cursor);
    if (*cursor->at != end && !take_mark(cursor, ','))
      return fail_expected(cursor, end == ']' ? "',', ';' or ']'" : "',', ';' or ')'");
  }
  return TRUE;
}

/* After an `@`: the bytes of a file. */
static gboolean
read_bytes(Cursor *cursor, RunValue *value) {
  RunPlace place = place_of(cursor, cursor->at);
  g_autofree char *name = take_word(cursor, " \t\r");
  g_autofree char *folder = g_path_get_dirname(cursor->spec->file);
  g_autofree char *path =
      g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(folder, name, NULL);
  GError *problem = NULL;
  if (!*name)
    return fail_expected(cursor, "the name of a file");
  g_autoptr(GBytes) bytes =
      tool_read_limited(path, (gsize)RUN_MAXIMUM_ELEMENTS * value->element->size, &problem);
  if (!bytes) {
    run_spec_fail(cursor->spec, place, cursor->error, "%s", problem->message);
    g_error_free(problem);
    return FALSE;
  }
  gsize size;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  if (size % value->element->size)
    return run_spec_fail(cursor->spec, place, cursor->error,
                         "%s: %" G_GSIZE_FORMAT " bytes are no whole number of elements of type %s",
                         path, size, value->element->name);
  g_byte_array_append(value->bytes, data, (guint)size);
  return TRUE;
}

/* [elements] or @FILE, into the value's bytes; *given tells whether there is one of them. */
static gboolean
parse_content(Cursor *cursor, RunValue *value, gboolean *given) {
  *given = TRUE;
  if (!value->bytes)
    value->bytes = g_byte_array_new();
  if (*cursor->at == '[') {
    cursor->at++;
    return parse_elements(cursor, value, ']');
  }
  if (*cursor->at == '@') {
    cursor->at++;
    return read_bytes(cursor, value);
  }
  *given = FALSE;
  return TRUE;
}

/* --- Arguments in parentheses --- */

typedef struct {
  char *name;      /* NULL: none */
  GPtrArray *list; /* its texts: one, or those in brackets */
  gboolean is_list;
  RunPlace place;
} Argument;

static void
argument_free(gpointer data) {
  Argument *argument = data;
  g_free(argument->name);
  g_ptr_array_unref(argument->list);
  g_free(argument);
}

static gboolean
parse_argument_list(Cursor *cursor, Argument *argument) {
  argument->is_list = TRUE;
  while (!take_mark(cursor, ']')) {
    g_ptr_array_add(argument->list, take_word(cursor, ",[]()"));
    skip_blanks(cursor);
    if (*cursor->at != ']' && !take_mark(cursor, ','))
      return fail_expected(cursor, "',' or ']'");
  }
  return TRUE;
}

/* The arguments after a `(` that the cursor is at. */
static GPtrArray *
parse_arguments(Cursor *cursor) {
  GPtrArray *arguments = g_ptr_array_new_with_free_func(argument_free);
  cursor->at++;
  while (!take_mark(cursor, ')')) {
    Argument *argument = g_new0(Argument, 1);
    argument->list = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(arguments, argument);
    argument->place = place_of(cursor, cursor->at);
    char *word = take_word(cursor, ":,()[]");
    if (take_mark(cursor, ':')) {
      argument->name = word;
      skip_blanks(cursor);
      word = *cursor->at == '[' ? NULL : take_word(cursor, ",()[]");
    }
    gboolean good = TRUE;
    if (word)
      g_ptr_array_add(argument->list, word);
    else if (take_mark(cursor, '['))
      good = parse_argument_list(cursor, argument);
    skip_blanks(cursor);
    if (good && *cursor->at != ')' && !take_mark(cursor, ','))
      good = fail_expected(cursor, "',' or ')'");
    if (!good) {
      g_ptr_array_unref(arguments);
      return NULL;
    }
  }
  return arguments;
}

typedef enum { INTO_COUNT, INTO_NUMBER, INTO_CHOICE, INTO_FLAG, INTO_FORMAT, INTO_SIZE } Into;

/* Where an argument goes: `slots` 32-bit places from `offset` on, one text for all or each its own;
 * a flag is a bool, a size three places, a format a NornPixelFormat. */
typedef struct {
  const char *name;
  Into into;
  gsize offset;
  guint slots;
  guint64 minimum, maximum;   /* of counts */
  const char *const *choices; /* their numbers are what is stored; ends with NULL */
  gboolean is_positional;     /* what has no name goes to these rows, in order */
} Row;

static gboolean
store_size(const char *text, guint64 maximum, guint32 size[3]) {
  g_auto(GStrv) parts = g_strsplit(text, "x", -1);
  guint count = g_strv_length(parts);
  size[0] = size[1] = size[2] = 1;
  for (guint i = 0; i < MIN(count, 3); i++) {
    guint64 side;
    if (!run_integer(parts[i], 4, &side) || *parts[i] == '-' || !side || side > maximum)
      return FALSE;
    size[i] = (guint32)side;
  }
  return count >= 1 && count <= 3;
}

static gboolean
store_slot(const Row *row, const char *text, guint32 *slot) {
  guint64 bits;
  switch (row->into) {
  case INTO_COUNT:
    if (!run_integer(text, 4, &bits) || *text == '-' || bits < row->minimum || bits > row->maximum)
      return FALSE;
    *slot = (guint32)bits;
    return TRUE;
  case INTO_NUMBER:
    if (!run_number(text, run_element_find("f32"), &bits, NULL))
      return FALSE;
    *slot = (guint32)bits;
    return TRUE;
  default:
    for (*slot = 0; row->choices[*slot]; ++*slot)
      if (!strcmp(row->choices[*slot], text))
        return TRUE;
    return FALSE;
  }
}

/* What a row takes, for messages. */
static char *
describe(const Row *row) {
  switch (row->into) {
  case INTO_COUNT:
    return g_strdup_printf("a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                           row->minimum, row->maximum);
  case INTO_NUMBER:
    return row->slots > 1 ? g_strdup_printf("a number or %u in brackets", row->slots)
                          : g_strdup("a number");
  case INTO_FLAG:
    return g_strdup("nothing after it");
  case INTO_FORMAT:
    return g_strdup("a format such as rgba8unorm or r32float");
  case INTO_SIZE:
    return g_strdup_printf("a size such as 4x4, each side from 1 to %" G_GUINT64_FORMAT,
                           row->maximum);
  case INTO_CHOICE:
    break;
  }
  g_autofree char *names = g_strjoinv(", ", (char **)row->choices);
  return row->slots > 1 ? g_strdup_printf("one of %s, or %u of them in brackets", names, row->slots)
                        : g_strdup_printf("one of %s", names);
}

static gboolean
store_argument(const Row *row, const Argument *argument, guint8 *target) {
  guint8 *place = target + row->offset;
  const char *text = argument->list->len ? argument->list->pdata[0] : "";
  switch (row->into) {
  case INTO_FLAG:
    *(bool *)place = true;
    return !argument->name;
  case INTO_FORMAT:
    return !argument->is_list && run_format_find(text, (NornPixelFormat *)place);
  case INTO_SIZE:
    return !argument->is_list && store_size(text, row->maximum, (guint32 *)place);
  default:
    break;
  }
  if (argument->is_list && argument->list->len != row->slots)
    return FALSE;
  for (guint i = 0; i < row->slots; i++)
    if (!store_slot(row, argument->list->pdata[argument->is_list ? i : 0], (guint32 *)place + i))
      return FALSE;
  return TRUE;
}

/* The row an argument is for: its name's, that of the flag it is, or the next positional one. */
static const Row *
find_row(const Row *rows, const Argument *argument, guint *position) {
  const char *name = argument->name ? argument->name : argument->list->pdata[0];
  for (const Row *row = rows; row->name; row++)
    if (!strcmp(row->name, name) && (argument->name || row->into == INTO_FLAG))
      return row;
  if (argument->name)
    return NULL;
  guint seen = 0;
  for (const Row *row = rows; row->name; row++)
    if (row->is_positional && seen++ == *position) {
      ++*position;
      return row;
    }
  return NULL;
}

static gboolean
fail_argument(Cursor *cursor, const Row *rows, const Argument *argument) {
  GString *names = g_string_new(NULL);
  for (const Row *row = rows; row->name; row++)
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", row->name);
  run_spec_fail(cursor->spec, argument->place, cursor->error, "expected one of %s, not '%.20s'",
                names->str,
                argument->name ? argument->name : (const char *)argument->list->pdata[0]);
  g_string_free(names, TRUE);
  return FALSE;
}

/* Reads the parentheses at the cursor into `target`. All positional rows must be there. */
static gboolean
parse_rows(Cursor *cursor, const Row *rows, gpointer target) {
  if (*cursor->at != '(')
    return fail_expected(cursor, "'('");
  RunPlace place = place_of(cursor, cursor->at);
  g_autoptr(GPtrArray) arguments = parse_arguments(cursor);
  guint position = 0;
  guint64 seen = 0;
  for (guint i = 0; arguments && i < arguments->len; i++) {
    const Argument *argument = arguments->pdata[i];
    const Row *row = find_row(rows, argument, &position);
    if (!row)
      return fail_argument(cursor, rows, argument);
    if (!store_argument(row, argument, target)) {
      g_autofree char *wanted = describe(row);
      return run_spec_fail(cursor->spec, argument->place, cursor->error, "%s: expected %s",
                           row->name, wanted);
    }
    if (seen >> (row - rows) & 1)
      return run_spec_fail(cursor->spec, argument->place, cursor->error, "%s is given twice",
                           row->name);
    seen |= G_GUINT64_CONSTANT(1) << (row - rows);
  }
  for (const Row *row = rows; arguments && row->name; row++)
    if (row->is_positional && !(seen >> (row - rows) & 1)) {
      g_autofree char *wanted = describe(row);
      return run_spec_fail(cursor->spec, place, cursor->error, "'%s' is missing: expected %s",
                           row->name, wanted);
    }
  return arguments != NULL;
}

/* --- Images and samplers --- */

G_STATIC_ASSERT(sizeof(NornFilter) == 4 && sizeof(NornWrap) == 4 && sizeof(NornCompare) == 4);
G_STATIC_ASSERT(offsetof(NornSampler, minify) == offsetof(NornSampler, magnify) + 4);
G_STATIC_ASSERT(offsetof(NornImage, depth) == offsetof(NornImage, width) + 8);

static const char *const filters[] = {"nearest", "linear", NULL};
static const char *const mip_filters[] = {"none", "nearest", "linear", NULL};
static const char *const wraps[] = {"repeat", "mirror", "clamp", "border", NULL};
static const char *const compares[] = {"never",         "less",    "equal",
                                       "less_equal",    "greater", "not_equal",
                                       "greater_equal", "always",  NULL};

static const Row image_rows[] = {
    {"format", INTO_FORMAT, offsetof(NornImage, format), .is_positional = TRUE},
    {"size", INTO_SIZE, offsetof(NornImage, width), .maximum = 65536, .is_positional = TRUE},
    {"layers", INTO_COUNT, offsetof(NornImage, layers), 1, 1, 65536},
    {"levels", INTO_COUNT, offsetof(NornImage, levels), 1, 1, 17},
    {"samples", INTO_COUNT, offsetof(NornImage, samples), 1, 1, 16},
    {NULL},
};

static const Row sampler_rows[] = {
    {"filter", INTO_CHOICE, offsetof(NornSampler, magnify), 2, .choices = filters},
    {"magnify", INTO_CHOICE, offsetof(NornSampler, magnify), 1, .choices = filters},
    {"minify", INTO_CHOICE, offsetof(NornSampler, minify), 1, .choices = filters},
    {"mip", INTO_CHOICE, offsetof(NornSampler, mip), 1, .choices = mip_filters},
    {"wrap", INTO_CHOICE, offsetof(NornSampler, wrap), 3, .choices = wraps},
    {"compare", INTO_CHOICE, offsetof(NornSampler, compare), 1, .choices = compares},
    {"unnormalized", INTO_FLAG, offsetof(NornSampler, unnormalized)},
    {"minimum_lod", INTO_NUMBER, offsetof(NornSampler, minimum_lod), 1},
    {"maximum_lod", INTO_NUMBER, offsetof(NornSampler, maximum_lod), 1},
    {"lod_bias", INTO_NUMBER, offsetof(NornSampler, lod_bias), 1},
    {"border", INTO_NUMBER, offsetof(NornSampler, border), 4},
    {NULL},
};

/* Greater than any level an image can have. */
#define HIGHEST_LOD 1000.0f

static gboolean
parse_image(Cursor *cursor, RunValue *value) {
  RunPlace place = place_of(cursor, cursor->at);
  gboolean given;
  value->kind = RUN_IMAGE;
  value->image = (NornImage){.layers = 1, .levels = 1, .samples = 1};
  if (!parse_rows(cursor, image_rows, &value->image))
    return FALSE;
  value->element = run_element_of_format(value->image.format);
  guint64 elements;
  if (!norn_image_bytes(&value->image, &elements) ||
      (elements /= value->element->size) > RUN_MAXIMUM_ELEMENTS)
    return run_spec_fail(cursor->spec, place, cursor->error, "the image has more than %u channels",
                         RUN_MAXIMUM_ELEMENTS);
  RunPlace content = place_of(cursor, cursor->at);
  if (!parse_content(cursor, value, &given))
    return FALSE;
  if (!given) {
    g_byte_array_set_size(value->bytes, (guint)elements * value->element->size);
    memset(value->bytes->data, 0, value->bytes->len);
  }
  if (value->bytes->len == elements * value->element->size)
    return TRUE;
  return run_spec_fail(cursor->spec, content, cursor->error,
                       "the image has %" G_GUINT64_FORMAT " channels, expected so many, not %u",
                       elements, value->bytes->len / value->element->size);
}

static gboolean
parse_sampler(Cursor *cursor, RunValue *value) {
  value->kind = RUN_SAMPLER;
  value->sampler = (NornSampler){.maximum_lod = HIGHEST_LOD};
  return parse_rows(cursor, sampler_rows, &value->sampler);
}

/* --- What is no value --- */

static gboolean
parse_grid(Cursor *cursor, guint32 number) {
  (void)number;
  RunPlace place = place_of(cursor, cursor->at);
  g_autofree char *text = take_word(cursor, " \t\r");
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  if (g_strv_length(parts) > 3)
    return run_spec_fail(cursor->spec, place, cursor->error,
                         "'%.20s': expected at most three dimensions", text);
  for (guint i = 0; parts[i]; i++) {
    guint64 count;
    if (!run_integer(parts[i], 4, &count) || *parts[i] == '-')
      return run_spec_fail(cursor->spec, place, cursor->error, "'%.20s' is no number of workgroups",
                           parts[i]);
    cursor->spec->grid[i] = (guint)count;
  }
  return TRUE;
}

static const Row vertices_rows[] = {
    {"vertices", INTO_COUNT, offsetof(RunDraw, size), 1, 0, RUN_MAXIMUM_ELEMENTS,
     .is_positional = TRUE},
    {"instances", INTO_COUNT, offsetof(RunDraw, instances), 1, 0, RUN_MAXIMUM_ELEMENTS},
    {"first_vertex", INTO_COUNT, offsetof(RunDraw, first_vertex), 1, 0, G_MAXUINT32},
    {"draw_id", INTO_COUNT, offsetof(RunDraw, draw_id), 1, 0, G_MAXUINT32},
    {"view_index", INTO_COUNT, offsetof(RunDraw, view_index), 1, 0, G_MAXUINT32},
    {NULL},
};

static const Row fragments_rows[] = {
    {"size", INTO_SIZE, offsetof(RunDraw, size), .maximum = 65536, .is_positional = TRUE},
    {"samples", INTO_COUNT, offsetof(RunDraw, samples), 1, 1, 16},
    {"by_sample", INTO_FLAG, offsetof(RunDraw, by_sample)},
    {"back_facing", INTO_FLAG, offsetof(RunDraw, back_facing)},
    {"primitive_id", INTO_COUNT, offsetof(RunDraw, primitive_id), 1, 0, G_MAXUINT32},
    {"view_index", INTO_COUNT, offsetof(RunDraw, view_index), 1, 0, G_MAXUINT32},
    {"depth", INTO_NUMBER, offsetof(RunDraw, depth), 3},
    {NULL},
};

static gboolean
parse_draw(Cursor *cursor, guint32 number) {
  (void)number;
  RunDraw *draw = &cursor->spec->draw;
  RunPlace place = place_of(cursor, cursor->at);
  g_autofree char *kind = take_word(cursor, "( \t\r");
  *draw = (RunDraw){.place = place, .instances = 1, .samples = 1};
  if (!strcmp(kind, "vertices")) {
    draw->stage = NORN_STAGE_VERTEX;
    return parse_rows(cursor, vertices_rows, draw);
  }
  draw->stage = NORN_STAGE_FRAGMENT;
  if (strcmp(kind, "fragments"))
    return run_spec_fail(cursor->spec, place, cursor->error,
                         "expected vertices(...) or fragments(...), not '%.20s'", kind);
  if (!parse_rows(cursor, fragments_rows, draw))
    return FALSE;
  if (draw->samples & (draw->samples - 1))
    return run_spec_fail(cursor->spec, place, cursor->error,
                         "expected 1, 2, 4, 8 or 16 samples, not %u", draw->samples);
  if (draw->size[2] != 1)
    return run_spec_fail(cursor->spec, place, cursor->error,
                         "expected a size such as 4x4, without depth");
  return TRUE;
}

static const Row attribute_rows[] = {
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
  attribute->place = place_of(cursor, cursor->at);
  attribute->index = number;
  attribute->stride = G_MAXUINT32;
  attribute->name = take_word(cursor, "( \t\r");
  if (!parse_rows(cursor, attribute_rows, attribute))
    return FALSE;
  if (attribute->stride == G_MAXUINT32)
    attribute->stride = norn_format_bytes(attribute->format);
  for (guint i = 0; i + 1 < cursor->spec->attributes->len; i++)
    if (((RunAttribute *)cursor->spec->attributes->pdata[i])->index == number)
      return run_spec_fail(cursor->spec, attribute->place, cursor->error,
                           "attribute%u is given twice", number);
  return TRUE;
}

static gboolean
parse_table(Cursor *cursor, guint32 number) {
  for (guint32 index = 0; index == 0 || (*cursor->at == ',' && cursor->at++); index++) {
    RunPlace place = place_of(cursor, cursor->at);
    g_autofree char *name = take_word(cursor, ", \t\r");
    char *colon = strchr(name, ':');
    guint64 stride = 0;
    if (!strcmp(name, "-"))
      continue;
    if (colon && (!run_integer(colon + 1, 4, &stride) || colon[1] == '-'))
      return run_spec_fail(cursor->spec, place, cursor->error,
                           "'%.20s': expected the bytes of an element after ':'", name);
    if (colon)
      *colon = 0;
    if (!*name)
      return fail_expected(cursor, "the name of an image, sampler or buffer, or '-'");
    for (guint i = 0; index == 0 && i < cursor->spec->entries->len; i++)
      if (((RunEntry *)cursor->spec->entries->pdata[i])->handle >> 24 == number)
        return run_spec_fail(cursor->spec, place, cursor->error, "table%u is given twice", number);
    if (index >> 24 || cursor->spec->entries->len >= MAXIMUM_VALUES)
      return run_spec_fail(cursor->spec, place, cursor->error,
                           "expected at most %u entries in the tables", MAXIMUM_VALUES);
    RunEntry *entry = g_new0(RunEntry, 1);
    *entry = (RunEntry){g_strdup(name), place, number << 24 | index, (guint32)stride};
    g_ptr_array_add(cursor->spec->entries, entry);
  }
  return TRUE;
}

/* Names with a meaning of their own; numbered ones end in a number below `limit`. */
static const struct {
  const char *name;
  gboolean (*parse)(Cursor *cursor, guint32 number);
  guint32 limit;
} directives[] = {
    {"grid", parse_grid, 0},
    {"draw", parse_draw, 0},
    {"attribute", parse_attribute, 256},
    {"table", parse_table, 256},
};

/* The row of `directives` that a name is, or -1. *number is not below the row's limit if the name's
 * is not. */
static int
find_directive(const char *name, guint32 *number) {
  for (guint i = 0; i < G_N_ELEMENTS(directives); i++) {
    const char *rest = name + strlen(directives[i].name);
    guint64 value = 0;
    if (!g_str_has_prefix(name, directives[i].name))
      continue;
    if (directives[i].limit ? *rest != '-' && run_integer(rest, 4, &value) : !*rest) {
      *number = (guint32)value;
      return (int)i;
    }
  }
  return -1;
}

/* --- Assignments --- */

/* What the cursor is at has a type or a constructor's name, or none after =>. */
static gboolean
parse_typed(Cursor *cursor, RunValue *value, const char *word, RunPlace place) {
  gboolean given;
  if (!strcmp(word, "image"))
    return parse_image(cursor, value);
  if (!strcmp(word, "sampler"))
    return parse_sampler(cursor, value);
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
    return run_spec_fail(cursor->spec, place, cursor->error,
                         *word ? "'%.20s' is no type; expected i8 to i64, u8 to u64, f16, f32, "
                                 "f64, image or sampler"
                               : "expected a type before the list%s",
                         word);
  return parse_content(cursor, value, &given) && (given || fail_expected(cursor, "'[' or '@'"));
}

static gboolean
parse_value(Cursor *cursor, RunValue *value, gboolean is_expected) {
  RunPlace place = place_of(cursor, cursor->at);
  g_autofree char *word = take_word(cursor, "([@ \t\r");
  if (*cursor->at == '(' || *cursor->at == '[' || *cursor->at == '@') {
    if (*word || is_expected)
      return parse_typed(cursor, value, word, place) &&
             (!is_expected || value->kind == RUN_LIST ||
              run_spec_fail(cursor->spec, place, cursor->error,
                            "expected a list such as f32[1, 2] after =>, not '%.20s'", word));
    return run_spec_fail(cursor->spec, place, cursor->error,
                         "expected a type such as f32 before the list");
  }
  if (!*word)
    return fail_expected(cursor, "a value");
  if (is_expected)
    return run_spec_fail(cursor->spec, place, cursor->error,
                         "expected a list such as f32[1, 2] after =>, not '%.20s'", word);
  value->number = g_steal_pointer(&word);
  return TRUE;
}

static gboolean
parse_assignment(Cursor *cursor, gboolean is_expected) {
  skip_blanks(cursor);
  RunPlace place = place_of(cursor, cursor->at);
  g_autofree char *name = take_word(cursor, "= \t");
  guint32 number = 0;
  if (!*name || !take_mark(cursor, '='))
    return run_spec_fail(cursor->spec, place, cursor->error, "expected NAME=VALUE, not '%.20s'",
                         *name ? name : cursor->at);
  skip_blanks(cursor);
  int directive = is_expected ? -1 : find_directive(name, &number);
  if (directive >= 0 && number && number >= directives[directive].limit)
    return run_spec_fail(cursor->spec, place, cursor->error, "expected %s0 to %s%u, not '%.20s'",
                         directives[directive].name, directives[directive].name,
                         directives[directive].limit - 1, name);
  if (directive >= 0)
    return directives[directive].parse(cursor, number);
  GPtrArray *values = is_expected ? cursor->spec->expected : cursor->spec->values;
  gboolean is_uniform = g_str_has_prefix(name, "fau.");
  const char *own_name = is_uniform ? name + 4 : name;
  if (values->len >= MAXIMUM_VALUES)
    return run_spec_fail(cursor->spec, place, cursor->error, "expected at most %u values",
                         MAXIMUM_VALUES);
  if (run_spec_find(values, own_name))
    return run_spec_fail(cursor->spec, place, cursor->error, "'%s' is given twice", own_name);
  RunValue *value = g_new0(RunValue, 1);
  value->name = g_strdup(own_name);
  value->place = place;
  value->is_uniform = is_uniform;
  g_ptr_array_add(values, value);
  return parse_value(cursor, value, is_expected);
}

static gboolean
parse_spec(Cursor *cursor) {
  gboolean is_expected = FALSE;
  for (skip_blanks(cursor); *cursor->at; skip_blanks(cursor)) {
    if (g_str_has_prefix(cursor->at, "=>")) {
      if (is_expected)
        return fail_expected(cursor, "one '=>'");
      cursor->at += 2;
      is_expected = TRUE;
    } else if (!parse_assignment(cursor, is_expected)) {
      return FALSE;
    } else if (*cursor->at && !strchr(" \t\r", *cursor->at)) {
      return fail_expected(cursor, "a blank");
    }
  }
  return TRUE;
}

static RunSpec *
parse_text(const char *text, const GArray *pieces, const char *file, GError **error) {
  RunSpec *spec = g_new0(RunSpec, 1);
  spec->file = g_strdup(file);
  spec->place = g_array_index(pieces, Piece, 0).place;
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
  g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
  Piece whole = {0, {1, 1}};
  g_array_append_val(pieces, whole);
  return parse_text(text, pieces, RUN_COMMAND_LINE, error);
}

/* --- Files --- */

/* The text of a file, line by line. */
typedef struct {
  const char *text;
  gsize length, at;
  guint line;
} Lines;

/* The next line, as [*start, *stop). */
static gboolean
next_line(Lines *lines, gsize *start, gsize *stop) {
  if (lines->at >= lines->length)
    return FALSE;
  const char *end = memchr(lines->text + lines->at, '\n', lines->length - lines->at);
  *start = lines->at;
  *stop = end ? (gsize)(end - lines->text) : lines->length;
  lines->at = *stop + 1;
  lines->line++;
  if (*stop > *start && lines->text[*stop - 1] == '\r')
    --*stop;
  return TRUE;
}

/* Where the text of a comment line begins, or `stop`. */
static gsize
skip_mark(const Lines *lines, gsize at, gsize stop) {
  if (at >= stop || lines->text[at] != ';')
    return stop;
  while (at < stop && (lines->text[at] == ';' || lines->text[at] == ' '))
    at++;
  return at;
}

/* Puts a description together that begins at `from`; lines that end in a backslash go on. */
static void
join_lines(Lines *lines, gsize from, gsize stop, GString *joined, GArray *pieces) {
  gsize line_start = from, next_start;
  while (line_start > 0 && lines->text[line_start - 1] != '\n')
    line_start--;
  for (;;) {
    Piece piece = {joined->len, {lines->line, (guint)(from - line_start) + 1}};
    g_array_append_val(pieces, piece);
    gboolean goes_on = stop > from && lines->text[stop - 1] == '\\';
    g_string_append_len(joined, lines->text + from, (gssize)(stop - from - goes_on));
    if (!goes_on || !next_line(lines, &next_start, &stop))
      return;
    g_string_append_c(joined, ' ');
    line_start = next_start;
    from = skip_mark(lines, next_start, stop);
  }
}

GPtrArray *
run_spec_collect(const char *text, gsize length, const char *file, GError **error) {
  GPtrArray *specs = g_ptr_array_new_with_free_func((GDestroyNotify)run_spec_free);
  Lines lines = {text, length, 0, 0};
  gsize start, stop;
  while (next_line(&lines, &start, &stop)) {
    gsize from = skip_mark(&lines, start, stop);
    if (stop - from < 4 || strncmp(text + from, "run:", 4) != 0)
      continue;
    g_autoptr(GString) joined = g_string_new(NULL);
    g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
    join_lines(&lines, from + 4, stop, joined, pieces);
    for (char *zero = joined->str; (zero = memchr(zero, 0, joined->str + joined->len - zero));)
      *zero = '\x7f'; /* which nothing takes, so that the end is where it seems to be */
    RunSpec *spec = parse_text(joined->str, pieces, file, error);
    if (!spec) {
      g_ptr_array_unref(specs);
      return NULL;
    }
    g_ptr_array_add(specs, spec);
  }
  return specs;
}
