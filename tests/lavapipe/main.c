/* Compares Norn's interpreter and simulator with Mesa's lavapipe.
 *
 *   lavapipe [--seeds=N] [--quiet] [--together] FILE.spv|FOLDER...
 *
 * Compute shaders run on random resources, whose contents must be the same afterward: integers
 * in all bits, values that look like floats within TOLERANCE of the larger one. NAME.frag.spv is
 * drawn with NAME.vert.spv, if that exists, otherwise with generated vertices (using
 * glslangValidator); pixels on edges of triangles may equal their neighbors. Without --together,
 * each comparison runs in its own process, with a time limit. Exit status: 0 all agree, 1 some
 * differ, 77 (skipped) no lavapipe. */
#include "gpu.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the worst case, functions of Vulkan's 32-bit floats are accurate to 2^-11 (exp2, log2,
 * sin); sums of their results are not more accurate. */
#define TOLERANCE (1.0 / 128)
#define SECONDS 60
/* At most one in this many covered pixels may differ from lavapipe's because of edges. */
#define EDGE_PART 4
/* Pictures with fewer covered pixels consist mostly of edges. */
#define MIN_SEEN 8

typedef enum { AGREE, DIFFER, SKIPPED, VERDICTS } Verdict;
static const char *const verdict_names[] = {"agree", "differ", "skipped"};

/* The result of a comparison; the first line is a complete summary. */
typedef struct Result {
  Verdict verdict;
  char text[400];
} Result;

static Result
result_new(Verdict verdict, const char *text) {
  Result result = {.verdict = verdict};
  g_strlcpy(result.text, text ? text : "", sizeof result.text);
  for (char *c = result.text; *c; c++)
    *c = *c == '\n' ? ' ' : *c;
  return result;
}

/* Where a separate process writes its result; -1: not in a separate process. */
static int report = -1;

/* The result if the process ends now: lavapipe's compiler crashes on some shaders. */
static void
expect_crash(void) {
  Result result = result_new(SKIPPED, "lavapipe crashes or takes too long");
  if (report >= 0 && write(report, &result, sizeof result) != sizeof result)
    _exit(1);
}

/* --- Numbers --- */

static gboolean
is_near(double a, double b) {
  return fabs(a - b) <= TOLERANCE * MAX(1, MAX(fabs(a), fabs(b))) || (isnan(a) && isnan(b)) ||
         a == b;
}

static gboolean
looks_like_float(double number, gboolean is_half) {
  double size = fabs(number);
  return !isfinite(number) ||
         (size >= (is_half ? 0x1p-14 : 0x1p-24) && size <= (is_half ? 65504 : 0x1p40)) ||
         number == 0;
}

static gboolean
same_word(guint32 a, guint32 b, gboolean is_float) {
  double x = norn_float_number(NORN_TYPE_F32, a), y = norn_float_number(NORN_TYPE_F32, b);
  if (is_float)
    return a == b || is_near(x, y);
  if (a == b || (looks_like_float(x, FALSE) && looks_like_float(y, FALSE) && is_near(x, y)))
    return TRUE;
  for (guint shift = 0; shift < 32; shift += 16) {
    x = norn_float_number(NORN_TYPE_F16, a >> shift & 0xFFFF);
    y = norn_float_number(NORN_TYPE_F16, b >> shift & 0xFFFF);
    if ((a >> shift & 0xFFFF) != (b >> shift & 0xFFFF) &&
        !(looks_like_float(x, TRUE) && looks_like_float(y, TRUE) && is_near(x, y)))
      return FALSE;
  }
  return TRUE;
}

/* A channel of an image that does not have 32 bits. */
static gboolean
same_bytes(const Item *item, gsize at, const guint8 *a, const guint8 *b) {
  NornPixelFormat format = item->image.format;
  gboolean is_normalized = format.kind == NORN_CHANNEL_UNORM || format.kind == NORN_CHANNEL_SNORM;
  if (format.channels && format.bits == 8 && is_normalized) {
    for (guint k = 0; k < 4; k++)
      if (abs((gint)a[at + k] - (gint)b[at + k]) > 1)
        return FALSE;
    return TRUE;
  }
  if (format.channels && format.bits == 16 && is_normalized) {
    for (guint k = 0; k < 4; k += 2)
      if (abs((a[at + k] | a[at + k + 1] << 8) - (b[at + k] | b[at + k + 1] << 8)) >
          65535 * TOLERANCE)
        return FALSE;
    return TRUE;
  }
  guint32 x, y;
  memcpy(&x, a + at, 4);
  memcpy(&y, b + at, 4);
  gboolean is_float = format.channels ? format.kind == NORN_CHANNEL_FLOAT && format.bits == 32
                                      : item->resource.type == NORN_TYPE_F32;
  return same_word(GUINT32_FROM_LE(x), GUINT32_FROM_LE(y), is_float);
}

/* The current contents of a scene. */
static GPtrArray *
keep(const Scene *scene) {
  GPtrArray *kept = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < scene->items->len; i++) {
    const Item *item = &g_array_index(scene->items, Item, i);
    g_ptr_array_add(kept, g_memdup2(item->bytes, item->size + 1));
  }
  return kept;
}

/* NULL, or where the contents differ. */
static char *
compare(const Scene *scene, const GPtrArray *theirs, const GPtrArray *own, const char *who,
        guint *changed) {
  guint differ = 0;
  g_autofree char *first = NULL;
  for (guint i = 0; i < scene->items->len; i++) {
    const Item *item = &g_array_index(scene->items, Item, i);
    const guint8 *a = theirs->pdata[i], *b = own->pdata[i];
    for (gsize at = 0; at + 4 <= item->size; at += 4) {
      *changed += memcmp(a + at, item->before + at, 4) != 0;
      if (same_bytes(item, at, a, b))
        continue;
      guint32 x, y;
      memcpy(&x, a + at, 4);
      memcpy(&y, b + at, 4);
      if (!differ++)
        first = g_strdup_printf(
            "%s, set %u, binding %u, byte %zu: lavapipe 0x%08X (%g), %s 0x%08X (%g)",
            item->resource.name, item->resource.set, item->resource.binding, at, x,
            norn_float_number(NORN_TYPE_F32, x), who, y, norn_float_number(NORN_TYPE_F32, y));
    }
  }
  return differ ? g_strdup_printf("%u words differ; %s", differ, first) : NULL;
}

/* --- Compute shaders --- */

static Result
compare_compute(const Shader *shader, guint32 seed) {
  Scene *scene = scene_new(seed);
  char *reason = NULL;
  GPtrArray *own[2];
  guint changed = 0;
  scene_add(scene, shader);
  if (scene->skipped)
    return result_new(SKIPPED, scene->skipped);
  for (guint simulate = 0; simulate < 2; simulate++) {
    scene_reset(scene);
    if (!scene_compute(scene, shader, simulate == 1, &reason))
      return result_new(SKIPPED, reason);
    own[simulate] = keep(scene);
  }
  scene_reset(scene);
  expect_crash();
  gpu_compute(scene, shader);
  GPtrArray *theirs = keep(scene);
  reason = compare(scene, theirs, own[0], "the interpreter", &changed);
  if (!reason)
    reason = compare(scene, theirs, own[1], "the simulator", &changed);
  scene_reset(scene);
  if (reason && scene_divides_undefined(scene, shader))
    return result_new(SKIPPED, "divides by 0, or takes the remainder of a negative number");
  if (reason)
    return result_new(DIFFER, reason);
  return changed ? result_new(AGREE, NULL) : result_new(SKIPPED, "nothing is written");
}

/* --- Pictures --- */

static gboolean
same_pixel(const Scene *scene, const guint32 *a, gint x, gint y, const guint32 *b, gint u, gint v) {
  for (guint i = 0; i < scene->colors->len; i++) {
    const Color *color = &g_array_index(scene->colors, Color, i);
    gsize plane = (gsize)i * PICTURE_SIDE * PICTURE_SIDE;
    for (guint k = 0; k < color->components; k++) /* others are undefined */
      if (!same_word(a[4 * (plane + (gsize)y * PICTURE_SIDE + x) + k],
                     b[4 * (plane + (gsize)v * PICTURE_SIDE + u) + k],
                     color->kind == NORN_CHANNEL_FLOAT))
        return FALSE;
  }
  return TRUE;
}

/* Whether a component of a pixel lies between those of its neighbors in the other picture. */
static gboolean
is_between(const guint32 *a, gint x, gint y, const guint32 *b, guint component) {
  double least = INFINITY, most = -INFINITY;
  for (gint v = MAX(y - 1, 0); v <= MIN(y + 1, PICTURE_SIDE - 1); v++)
    for (gint u = MAX(x - 1, 0); u <= MIN(x + 1, PICTURE_SIDE - 1); u++) {
      double number = norn_float_number(NORN_TYPE_F32, b[4 * (v * PICTURE_SIDE + u) + component]);
      least = MIN(least, number);
      most = MAX(most, number);
    }
  double own = norn_float_number(NORN_TYPE_F32, a[4 * (y * PICTURE_SIDE + x) + component]);
  return (own >= least && own <= most) || is_near(own, least) || is_near(own, most);
}

/* Whether the pixel could be one of the other picture at a distance of less than a pixel:
 * corners are rounded, which makes a large difference where values are steep. */
static gboolean
is_edge(const Scene *scene, const guint32 *a, gint x, gint y, const guint32 *b) {
  for (gint v = MAX(y - 1, 0); v <= MIN(y + 1, PICTURE_SIDE - 1); v++)
    for (gint u = MAX(x - 1, 0); u <= MIN(x + 1, PICTURE_SIDE - 1); u++)
      if (same_pixel(scene, a, x, y, b, u, v))
        return TRUE;
  for (guint i = 0; i < scene->colors->len; i++) {
    const Color *color = &g_array_index(scene->colors, Color, i);
    gsize plane = (gsize)i * PICTURE_SIDE * PICTURE_SIDE * 4;
    for (guint k = 0; k < color->components; k++)
      if (color->kind != NORN_CHANNEL_FLOAT || !is_between(a + plane, x, y, b + plane, k))
        return FALSE;
  }
  return TRUE;
}

/* NULL, or how the pictures differ. */
static char *
compare_pictures(const Scene *scene, const guint32 *theirs, const guint32 *own, const char *who,
                 guint *seen) {
  guint edges = 0, differ = 0;
  gint at[2] = {0};
  *seen = 0;
  for (gint y = 0; y < PICTURE_SIDE; y++)
    for (gint x = 0; x < PICTURE_SIDE; x++) {
      gboolean is_clear = TRUE;
      for (guint i = 0; i < scene->colors->len * 4; i++) {
        gsize word =
            4 * ((gsize)(i / 4) * PICTURE_SIDE * PICTURE_SIDE + (gsize)y * PICTURE_SIDE + x) +
            i % 4;
        is_clear = is_clear && !theirs[word] && !own[word];
      }
      *seen += !is_clear;
      if (same_pixel(scene, theirs, x, y, own, x, y))
        continue;
      if (is_edge(scene, theirs, x, y, own) || is_edge(scene, own, x, y, theirs)) {
        edges++;
        continue;
      }
      if (!differ++) {
        at[0] = x;
        at[1] = y;
      }
    }
  if (differ * 50 <= *seen && edges * EDGE_PART <= *seen)
    return NULL;
  const guint32 *a = theirs + 4 * (at[1] * PICTURE_SIDE + at[0]),
                *b = own + 4 * (at[1] * PICTURE_SIDE + at[0]);
  return g_strdup_printf(
      "of %u pixels %u differ, %u at edges; first %d,%d: lavapipe %g %g %g %g, %s %g %g %g %g",
      *seen, differ, edges, at[0], at[1], norn_float_number(NORN_TYPE_F32, a[0]),
      norn_float_number(NORN_TYPE_F32, a[1]), norn_float_number(NORN_TYPE_F32, a[2]),
      norn_float_number(NORN_TYPE_F32, a[3]), who, norn_float_number(NORN_TYPE_F32, b[0]),
      norn_float_number(NORN_TYPE_F32, b[1]), norn_float_number(NORN_TYPE_F32, b[2]),
      norn_float_number(NORN_TYPE_F32, b[3]));
}

static Result
compare_drawing(Shader *vertex, Shader *fragment, guint32 seed) {
  Scene *scene = scene_new(seed);
  char *reason = NULL;
  guint seen = 0, changed = 0;
  if (!shader_link(vertex, fragment, &reason))
    return result_new(SKIPPED, reason);
  scene_add(scene, vertex);
  scene_add(scene, fragment);
  if (!scene->colors->len && !scene->skipped)
    scene->skipped = g_strdup("no color is written");
  if (scene->skipped)
    return result_new(SKIPPED, scene->skipped);
  gsize words = (gsize)scene->colors->len * PICTURE_SIDE * PICTURE_SIDE * 4;
  guint32 *own[2] = {g_new0(guint32, words), g_new0(guint32, words)},
          *theirs = g_new0(guint32, words);
  GPtrArray *contents[2];
  for (guint simulate = 0; simulate < 2; simulate++) {
    scene_reset(scene);
    if (!scene_draw(scene, vertex, fragment, simulate == 1, own[simulate], &reason))
      return result_new(SKIPPED, reason);
    contents[simulate] = keep(scene);
  }
  scene_reset(scene);
  expect_crash();
  gpu_draw(scene, vertex, fragment, theirs);
  GPtrArray *their_contents = keep(scene);
  reason = compare_pictures(scene, theirs, own[0], "the interpreter", &seen);
  if (!reason)
    reason = compare_pictures(scene, theirs, own[1], "the simulator", &seen);
  if (!reason)
    reason = compare(scene, their_contents, contents[0], "the interpreter", &changed);
  if (seen < MIN_SEEN)
    return result_new(SKIPPED, "hardly anything is seen");
  return reason ? result_new(DIFFER, reason) : result_new(AGREE, NULL);
}

/* A vertex shader for a fragment shader: random varyings on a triangle that is larger than the
 * screen. */
static char *
make_vertices(const Shader *fragment, guint32 seed, char **reason) {
  g_autoptr(GString) head = g_string_new("#version 450\n");
  g_autoptr(GString) body = g_string_new("void main() {\n");
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  NornSpirvResource resource;
  guint64 seen = 0; /* locations of four components each */
  for (guint i = 0; norn_spirv_interface_resource(fragment->interface, i, &resource); i++) {
    if (resource.kind != NORN_SPIRV_VARYING || (seen >> resource.location % 64 & 1))
      continue;
    seen |= G_GUINT64_CONSTANT(1) << resource.location % 64;
    gboolean is_float = resource.type == NORN_TYPE_F32;
    if (!is_float && resource.type != NORN_TYPE_I32) {
      *reason = g_strdup("varyings of other than 32 bits");
      return NULL;
    }
    g_string_append_printf(head, "layout(location = %u) %sout %svec4 v%u;\n", resource.location,
                           resource.flat ? "flat " : "", is_float ? "" : "i", i);
    g_string_append_printf(body, "  v%u = %svec4[3](", i, is_float ? "" : "i");
    for (guint k = 0; k < 3; k++) {
      g_string_append_printf(body, "%s%svec4(", k ? ", " : "", is_float ? "" : "i");
      for (guint c = 0; c < 4; c++)
        g_string_append_printf(body, "%s%.*f", c ? ", " : "", is_float ? 4 : 0,
                               is_float ? g_rand_double_range(random, -1, 2)
                                        : g_rand_int_range(random, 0, shader_integers(fragment)));
      g_string_append(body, ")");
    }
    g_string_append(body, ")[gl_VertexIndex % 3];\n");
  }
  g_string_append(body, "  gl_Position = vec4[3](vec4(-1, -1, 0.25, 1), vec4(3, -1, 0.5, 1), "
                        "vec4(-1, 3, 0.75, 1))[gl_VertexIndex % 3];\n}\n");
  g_autofree char *source = g_strdup_printf("%s/norn-%d.vert", g_get_tmp_dir(), getpid());
  char *module = g_strconcat(source, ".spv", NULL);
  g_autofree char *text = g_strconcat(head->str, body->str, NULL), *output = NULL;
  const char *command[] = {"glslangValidator", "-V", "-o", module, source, NULL};
  gint status = 0;
  if (!g_file_set_contents(source, text, -1, NULL) ||
      !g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL,
                    &status, NULL) ||
      status) {
    *reason = g_strdup_printf("glslangValidator: %s", output ? output : "is missing");
    g_free(module);
    module = NULL;
  }
  g_remove(source);
  return module;
}

/* --- One file --- */

static Result
compare_file(const char *path, guint32 seed) {
  Shader shader = {0}, vertex = {0};
  char *reason = NULL;
  if (!shader_read(&shader, path, &reason))
    return result_new(SKIPPED, reason);
  if (norn_module_stage(shader.module) == NORN_STAGE_COMPUTE)
    return compare_compute(&shader, seed);
  if (norn_module_stage(shader.module) != NORN_STAGE_FRAGMENT)
    return result_new(SKIPPED, "a vertex shader");
  g_autofree char *stem = g_str_has_suffix(path, ".frag.spv")
                              ? g_strndup(path, strlen(path) - strlen(".frag.spv"))
                              : g_strdup(path);
  char *beside = g_strconcat(stem, ".vert.spv", NULL);
  gboolean is_beside = g_file_test(beside, G_FILE_TEST_EXISTS);
  Result result = result_new(SKIPPED, "");
  if (is_beside && shader_read(&vertex, beside, &reason))
    result = compare_drawing(&vertex, &shader, seed);
  if (result.verdict != SKIPPED)
    return result;
  char *made = make_vertices(&shader, seed, &reason);
  if (!made || !shader_read(&vertex, made, &reason))
    return result_new(SKIPPED, reason);
  result = compare_drawing(&vertex, &shader, seed);
  g_remove(made);
  return result;
}

/* The same in a separate process, which may crash or take too long. */
static Result
compare_apart(const char *path, guint32 seed) {
  int ends[2];
  Result result = result_new(DIFFER, "the process ended");
  if (pipe(ends))
    return result;
  pid_t child = fork();
  if (child == 0) {
    alarm(SECONDS);
    report = ends[1];
    Result own = compare_file(path, seed);
    _exit(write(ends[1], &own, sizeof own) != sizeof own);
  }
  close(ends[1]);
  Result next;
  while (read(ends[0], &next, sizeof next) == sizeof next)
    result = next;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? result_new(SKIPPED, "takes too long")
                                                            : result;
}

static gint
compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add_files(GPtrArray *files, const char *path) {
  GDir *folder = g_dir_open(path, 0, NULL);
  const char *name;
  if (!folder) {
    g_ptr_array_add(files, g_strdup(path));
    return;
  }
  while ((name = g_dir_read_name(folder)))
    if (g_str_has_suffix(name, ".spv"))
      g_ptr_array_add(files, g_build_filename(path, name, NULL));
  g_dir_close(folder);
  g_ptr_array_sort(files, compare_names);
}

int
main(int argc, char **argv) {
  const char *reason;
  guint counts[2][VERDICTS] = {{0}}, seeds = 1, is_quiet = 0, is_together = 0;
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
  for (gint i = 1; i < argc; i++) {
    if (g_str_has_prefix(argv[i], "--seeds="))
      seeds = (guint)atoi(argv[i] + strlen("--seeds="));
    else if (!strcmp(argv[i], "--together"))
      is_together = 1;
    else if (!strcmp(argv[i], "--quiet"))
      is_quiet = 1;
    else
      add_files(files, argv[i]);
  }
  if (!gpu_is_there(&reason)) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  for (guint i = 0; i < files->len; i++) {
    const char *path = files->pdata[i];
    Result result = result_new(SKIPPED, "");
    for (guint seed = 1; seed <= seeds && result.verdict != DIFFER; seed++) {
      Result next = is_together ? compare_file(path, seed) : compare_apart(path, seed);
      if (seed == 1 || next.verdict != SKIPPED)
        result = next;
    }
    counts[strstr(path, ".frag") != NULL][result.verdict]++;
    if (result.verdict == DIFFER || !is_quiet)
      printf("%-8s %s%s%s\n", verdict_names[result.verdict], path, *result.text ? ": " : "",
             result.text);
    fflush(stdout);
  }
  for (guint k = 0; k < 2; k++)
    printf("%s: %u agree, %u differ, %u skipped\n", k ? "pictures" : "others", counts[k][AGREE],
           counts[k][DIFFER], counts[k][SKIPPED]);
  return counts[0][DIFFER] || counts[1][DIFFER];
}
