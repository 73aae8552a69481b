/* Results of runs as text that can be used as input again, as tables for people, as JSON. */
#include "common/json.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Tables have lines of at most TABLE_WIDTH characters, and at most TABLE_LINES lines for one
 * list. */
#define TABLE_WIDTH 96
#define TABLE_LINES 64

#define COLOR_NAME "\033[1m"
#define COLOR_DIM "\033[2m"
#define COLOR_CHANGED "\033[32m"
#define COLOR_OFF "\033[0m"

struct RunPrinter {
  RunFormat format;
  gboolean color, one_line;
  GString *out;
  JsonBuilder *json;
  guint runs;
};

RunPrinter *
run_printer_new(RunFormat format, gboolean color, gboolean one_line) {
  RunPrinter *printer = g_new0(RunPrinter, 1);
  printer->format = format;
  printer->color = color;
  printer->one_line = one_line;
  printer->out = g_string_new(NULL);
  printer->json = json_builder_new();
  json_builder_begin_object(printer->json);
  tool_json_array(printer->json, "runs");
  return printer;
}

static const char *
color(const RunPrinter *printer, const char *code) {
  return printer->color ? code : "";
}

/* --- JSON --- */

static void
add_image(JsonBuilder *json, const NornImage *image) {
  g_autofree char *format = run_format_name(image->format);
  tool_json_string(json, "format", format);
  tool_json_number(json, "width", image->width);
  tool_json_number(json, "height", image->height);
  tool_json_number(json, "depth", image->depth);
  tool_json_number(json, "layers", image->layers);
  tool_json_number(json, "levels", image->levels);
  tool_json_number(json, "samples", image->samples);
}

/* JSON has no infinities or NaN: they are strings, and so are integers that do not fit into
 * JSON's signed 64 bits. */
static void
add_element(JsonBuilder *json, const RunElement *element, const guint8 *bytes) {
  g_autofree char *text = run_element_format(element, bytes);
  gdouble number = run_element_double(element, bytes);
  if (!isfinite(number) || (!element->is_signed && number >= 0x1p63))
    json_builder_add_string_value(json, text);
  else if (element->is_float)
    json_builder_add_double_value(json, g_ascii_strtod(text, NULL));
  else
    json_builder_add_int_value(json, g_ascii_strtoll(text, NULL, 10));
}

static void
print_json(RunPrinter *printer, const RunContents *contents) {
  const RunElement *element = contents->element;
  JsonBuilder *json = printer->json;
  json_builder_begin_object(json);
  tool_json_string(json, "name", contents->name);
  if (contents->image)
    add_image(json, contents->image);
  tool_json_string(json, "type", element->name);
  tool_json_array(json, "values");
  for (gsize at = 0; at + element->size <= contents->size; at += element->size)
    add_element(json, element, contents->bytes + at);
  json_builder_end_array(json);
  json_builder_end_object(json);
}

/* --- Text --- */

/* "image(rgba8unorm, 4x4, levels:2)" */
static char *
format_image(const NornImage *image) {
  g_autofree char *format = run_format_name(image->format);
  GString *out = g_string_new(NULL);
  g_string_append_printf(out, "image(%s, %ux%u", format, image->width, image->height);
  if (image->depth > 1)
    g_string_append_printf(out, "x%u", image->depth);
  const struct {
    const char *name;
    guint32 count;
  } counts[] = {{"layers", image->layers}, {"levels", image->levels}, {"samples", image->samples}};
  for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
    if (counts[i].count > 1)
      g_string_append_printf(out, ", %s:%u", counts[i].name, counts[i].count);
  g_string_append(out, image->is_buffer ? ", buffer)" : ")");
  return g_string_free(out, FALSE);
}

/* A texel, in parentheses if it has several channels. */
static void
append_texel(GString *out, const RunElement *element, guint channels, const guint8 *bytes) {
  if (channels > 1)
    g_string_append_c(out, '(');
  for (guint i = 0; i < channels; i++) {
    g_autofree char *text = run_element_format(element, bytes + (gsize)i * element->size);
    g_string_append_printf(out, "%s%s", i ? ", " : "", text);
  }
  if (channels > 1)
    g_string_append_c(out, ')');
}

static void
print_text(RunPrinter *printer, const RunContents *contents) {
  const NornImage *image = contents->image;
  if (!image) {
    g_autofree char *list = run_list_format(contents->element, contents->bytes, contents->size);
    g_string_append_printf(printer->out, "%s=%s\n", contents->name, list);
    return;
  }
  g_autofree char *head = format_image(image);
  gsize step = (gsize)contents->element->size * image->format.channels;
  g_string_append_printf(printer->out, "%s=%s[", contents->name, head);
  for (gsize at = 0; at + step <= contents->size; at += step) {
    if (at)
      g_string_append(printer->out, ", ");
    append_texel(printer->out, contents->element, image->format.channels, contents->bytes + at);
  }
  g_string_append(printer->out, "]\n");
}

/* --- Tables --- */

/* The cells of a table: a text and its width for each. */
typedef struct {
  GPtrArray *texts;
  GArray *changed; /* gboolean */
  guint width;
} Cells;

static Cells
make_cells(const RunContents *contents, guint channels) {
  Cells cells = {g_ptr_array_new_with_free_func(g_free),
                 g_array_new(FALSE, FALSE, sizeof(gboolean)), 1};
  const guint8 *bytes = contents->bytes, *before = contents->before;
  gsize step = (gsize)contents->element->size * channels;
  gsize max_cells = (gsize)TABLE_LINES * TABLE_WIDTH; /* a cell has at least one character */
  for (gsize at = 0; at + step <= contents->size && cells.texts->len < max_cells; at += step) {
    GString *text = g_string_new(NULL);
    append_texel(text, contents->element, channels, bytes + at);
    cells.width = MAX(cells.width, (guint)text->len);
    g_ptr_array_add(cells.texts, g_string_free(text, FALSE));
    gboolean changed = before && memcmp(before + at, bytes + at, step) != 0;
    g_array_append_val(cells.changed, changed);
  }
  return cells;
}

static void
append_row(RunPrinter *printer, const Cells *cells, const char *label, gsize first, gsize count) {
  g_string_append_printf(printer->out, "  %s%8s%s ", color(printer, COLOR_DIM), label,
                         color(printer, COLOR_OFF));
  for (gsize i = first; i < MIN(first + count, cells->texts->len); i++) {
    gboolean changed = g_array_index(cells->changed, gboolean, i);
    g_string_append_printf(printer->out, " %s%*s%s", changed ? color(printer, COLOR_CHANGED) : "",
                           (int)cells->width, (char *)cells->texts->pdata[i],
                           changed ? color(printer, COLOR_OFF) : "");
  }
  g_string_append_c(printer->out, '\n');
}

/* The label of an image row, such as "1.0.3": level, layer and z if there are several, then y. */
static char *
row_label(const NornImage *image, guint32 level, guint32 layer, guint32 z, guint32 y) {
  GString *label = g_string_new(NULL);
  if (image->levels > 1)
    g_string_append_printf(label, "%u.", level);
  if (image->layers > 1)
    g_string_append_printf(label, "%u.", layer);
  if (image->depth > 1)
    g_string_append_printf(label, "%u.", z);
  g_string_append_printf(label, "%u", y);
  return g_string_free(label, FALSE);
}

/* A line for each row of texels. Returns the number of texels shown. */
static gsize
append_texels(RunPrinter *printer, const Cells *cells, const NornImage *image) {
  gsize at = 0;
  guint lines = 0;
  for (guint32 level = 0; level < image->levels; level++) {
    guint32 size[4];
    norn_image_size(image, level, size);
    for (guint32 row = 0; row / size[1] / size[2] < size[3]; row++) {
      gsize count = (gsize)size[0] * image->samples;
      g_autofree char *label =
          row_label(image, level, row / size[1] / size[2], row / size[1] % size[2], row % size[1]);
      if (++lines > TABLE_LINES || at + count > cells->texts->len)
        return at;
      append_row(printer, cells, label, at, count);
      at += count;
    }
  }
  return at;
}

static gsize
append_elements(RunPrinter *printer, const Cells *cells) {
  gsize count = MAX((TABLE_WIDTH - 12) / (cells->width + 1), 1), at = 0;
  while (count & (count - 1)) /* a number per line that is easy to count */
    count &= count - 1;
  for (guint line = 0; at < cells->texts->len && line < TABLE_LINES; line++) {
    char label[24];
    g_snprintf(label, sizeof label, "%" G_GSIZE_FORMAT, at);
    append_row(printer, cells, label, at, count);
    at = MIN(at + count, cells->texts->len);
  }
  return at;
}

static void
print_table(RunPrinter *printer, const RunContents *contents) {
  const NornImage *image = contents->image;
  guint channels = image ? image->format.channels : 1;
  gsize total = contents->size / contents->element->size / channels;
  g_autofree char *head =
      image ? format_image(image)
            : g_strdup_printf("%s, %" G_GSIZE_FORMAT " element%s", contents->element->name, total,
                              total == 1 ? "" : "s");
  g_string_append_printf(printer->out, "%s%s%s  %s\n", color(printer, COLOR_NAME), contents->name,
                         color(printer, COLOR_OFF), head);
  Cells cells = make_cells(contents, channels);
  gsize shown = image ? append_texels(printer, &cells, image) : append_elements(printer, &cells);
  if (shown < total)
    g_string_append_printf(
        printer->out, "  %" G_GSIZE_FORMAT " more; --format text shows them all\n", total - shown);
  g_ptr_array_unref(cells.texts);
  g_array_unref(cells.changed);
}

/* --- The parts of a run --- */

void
run_printer_begin(RunPrinter *printer, const RunSpec *spec, const char *engine) {
  if (printer->format == FORMAT_TABLE && printer->runs++)
    g_string_append_c(printer->out, '\n');
  if (printer->format == FORMAT_TABLE)
    g_string_append_printf(printer->out, "%s%s:%u%s%s%s\n", color(printer, COLOR_DIM), spec->file,
                           spec->location.line, engine ? ", " : "", engine ? engine : "",
                           color(printer, COLOR_OFF));
  json_builder_begin_object(printer->json);
  tool_json_string(printer->json, "file", spec->file);
  tool_json_number(printer->json, "line", spec->location.line);
  if (engine)
    tool_json_string(printer->json, "engine", engine);
  tool_json_array(printer->json, "results");
}

void
run_printer_list(RunPrinter *printer, const RunContents *contents) {
  switch (printer->format) {
  case FORMAT_TEXT:
    print_text(printer, contents);
    break;
  case FORMAT_TABLE:
    print_table(printer, contents);
    break;
  default:
    print_json(printer, contents);
  }
}

static void
add_statistics(RunPrinter *printer, const NornReport *report) {
  static const char *const units[] = {
#define UNIT(id, name) name,
      NORN_UNITS(UNIT)
#undef UNIT
  };
  const struct {
    const char *name, *text;
    guint64 count;
  } counts[] = {{"invocations", " invocations,", report->invocations},
                {"warps", " warps,", report->warps},
                {"instructions", " instructions issued,", report->instructions},
                {"thread_instructions", " executed,", report->thread_instructions},
                {"messages", " messages;", report->messages}};
  tool_json_object(printer->json, "statistics");
  g_string_append_c(printer->out, ';');
  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    tool_json_number(printer->json, counts[i].name, counts[i].count);
    g_string_append_printf(printer->out, " %" G_GUINT64_FORMAT "%s", counts[i].count,
                           counts[i].text);
  }
  for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
    tool_json_number(printer->json, units[i], report->unit_instructions[i]);
    g_string_append_printf(printer->out, " %s %" G_GUINT64_FORMAT, units[i],
                           report->unit_instructions[i]);
  }
  json_builder_end_object(printer->json);
  g_string_append_c(printer->out, '\n');
}

void
run_printer_end(RunPrinter *printer, const NornReport *report) {
  json_builder_end_array(printer->json);
  if (report)
    add_statistics(printer, report);
  json_builder_end_object(printer->json);
}

gboolean
run_printer_finish(RunPrinter *printer, GError **error) {
  json_builder_end_array(printer->json);
  json_builder_end_object(printer->json);
  if (printer->format == FORMAT_JSON) {
    g_autofree char *text = tool_json_text(printer->json, !printer->one_line);
    g_string_assign(printer->out, text);
  }
  gboolean done = tool_write(NULL, printer->out->str, printer->out->len, error);
  g_object_unref(printer->json);
  g_string_free(printer->out, TRUE);
  g_free(printer);
  return done;
}
