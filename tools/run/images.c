/* Images and samplers in a run description. */
#include "run/cursor.h"
#include "run/pictures.h"

#include <string.h>

G_STATIC_ASSERT(sizeof(NornFilter) == 4 && sizeof(NornWrap) == 4 && sizeof(NornCompare) == 4);
G_STATIC_ASSERT(offsetof(NornSampler, minify) == offsetof(NornSampler, magnify) + 4);
G_STATIC_ASSERT(offsetof(NornImage, depth) == offsetof(NornImage, width) + 8);

static const char *const filters[] = {"nearest", "linear", NULL};
static const char *const mip_filters[] = {"none", "nearest", "linear", NULL};
static const char *const wraps[] = {"repeat", "mirror", "clamp", "border", NULL};
const char *const run_compares[] = {"never",     "less",          "equal",  "less_equal", "greater",
                                    "not_equal", "greater_equal", "always", NULL};

static const ArgumentRow image_rows[] = {
    {"format", INTO_FORMAT, offsetof(NornImage, format), .is_positional = TRUE},
    {"size", INTO_SIZE, offsetof(NornImage, width), .maximum = 65536, .is_positional = TRUE},
    {"layers", INTO_COUNT, offsetof(NornImage, layers), 1, 1, 65536},
    {"levels", INTO_COUNT, offsetof(NornImage, levels), 1, 1, 17},
    {"samples", INTO_COUNT, offsetof(NornImage, samples), 1, 1, 16},
    {"buffer", INTO_FLAG, offsetof(NornImage, is_buffer)},
    {NULL},
};

static const ArgumentRow sampler_rows[] = {
    {"filter", INTO_CHOICE, offsetof(NornSampler, magnify), 2, .choices = filters},
    {"magnify", INTO_CHOICE, offsetof(NornSampler, magnify), 1, .choices = filters},
    {"minify", INTO_CHOICE, offsetof(NornSampler, minify), 1, .choices = filters},
    {"mip", INTO_CHOICE, offsetof(NornSampler, mip), 1, .choices = mip_filters},
    {"wrap", INTO_CHOICE, offsetof(NornSampler, wrap), 3, .choices = wraps},
    {"compare", INTO_CHOICE, offsetof(NornSampler, compare), 1, .choices = run_compares},
    {"unnormalized", INTO_FLAG, offsetof(NornSampler, unnormalized)},
    {"minimum_lod", INTO_NUMBER, offsetof(NornSampler, minimum_lod), 1},
    {"maximum_lod", INTO_NUMBER, offsetof(NornSampler, maximum_lod), 1},
    {"lod_bias", INTO_NUMBER, offsetof(NornSampler, lod_bias), 1},
    {"border", INTO_NUMBER, offsetof(NornSampler, border), 4},
    {NULL},
};

/* Whether an `@` and the name of a picture follow at the cursor. */
static gboolean
is_at_picture(const Cursor *cursor) {
  Cursor ahead = *cursor;
  if (*ahead.at != '@')
    return FALSE;
  ahead.at++;
  g_autofree char *name = cursor_take_word(&ahead, " \t\r");
  return run_is_picture(name);
}

gboolean
cursor_parse_image(Cursor *cursor, RunValue *value) {
  RunLocation location = cursor_location(cursor, cursor->at);
  gboolean given;
  value->kind = RUN_IMAGE;
  value->image = (NornImage){
      .format = {4, 8, NORN_CHANNEL_UNORM}, .depth = 1, .layers = 1, .levels = 1, .samples = 1};
  gboolean is_picture = is_at_picture(cursor); /* the picture determines format and size */
  if (!is_picture && !cursor_parse_rows(cursor, image_rows, &value->image))
    return FALSE;
  value->element = run_element_of_format(value->image.format);
  if (is_picture || is_at_picture(cursor)) {
    cursor->at++;
    value->bytes = run_bytes_new();
    return run_picture_read(cursor, value);
  }
  guint64 elements;
  if (!norn_image_bytes(&value->image, &elements) ||
      (elements /= value->element->size) > RUN_MAX_ELEMENTS)
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "the image has more than %u channels", RUN_MAX_ELEMENTS);
  RunLocation content = cursor_location(cursor, cursor->at);
  if (!cursor_parse_content(cursor, value, &given))
    return FALSE;
  if (!given && !run_bytes_append(value->bytes, NULL, elements * value->element->size))
    return run_spec_fail(cursor->spec, location, cursor->error, "not enough memory for the image");
  if (value->bytes->len == elements * value->element->size)
    return TRUE;
  return run_spec_fail(cursor->spec, content, cursor->error,
                       "the image has %" G_GUINT64_FORMAT " channels, but %u are given", elements,
                       value->bytes->len / value->element->size);
}

gboolean
cursor_parse_sampler(Cursor *cursor, RunValue *value) {
  value->kind = RUN_SAMPLER;
  value->sampler = (NornSampler){.maximum_lod = RUN_HIGHEST_LOD};
  return cursor_parse_rows(cursor, sampler_rows, &value->sampler);
}
