/* A corpus: a directory of modules, each the first of its run that reached a feature, in files
 * named by seeds.
 *
 * One kind of feature is a pair of adjacent instructions in finished code, whatever their
 * modifiers and operands: the pairs reflect the decisions of selection, scheduling, allocation
 * and block order. The other kind is a pass that increases or decreases the number of
 * instructions with a certain name: what it decided to do. The features that a module reaches
 * depend only on the module and its seed. A module is kept if it reaches a feature that none
 * before it in the order of seeds reaches. Therefore merging the corpora of shards gives the
 * corpus of a single run: the first module that reaches a feature is kept everywhere. */
#include "fuzzer/fuzzer.h"

#include <string.h>

/* --- Features --- */

void
fuzz_add_features(GHashTable *features, const char *architecture, GBytes *code) {
  const NornIsa *isa = norn_isa_find(NORN_DEFAULT_TARGET);
  unsigned number = (unsigned)norn_isa_architecture(isa, architecture), before = 0;
  gsize size;
  const guint8 *bytes = g_bytes_get_data(code, &size);
  for (gsize at = 0; at + sizeof(guint64) <= size; at += sizeof(guint64)) {
    guint64 word;
    NornIsaDecoded decoded;
    memcpy(&word, bytes + at, sizeof word);
    if (!norn_isa_unpack(isa, number, GUINT64_FROM_LE(word), &decoded))
      continue; /* padding of the last line */
    unsigned instruction = norn_isa_decoded_instruction(&decoded) + 1;
    g_hash_table_add(features, GUINT_TO_POINTER(before << 16 | instruction));
    before = instruction;
  }
}

/* The number of instructions of each name in the module. */
static GHashTable *
count_names(const NornModule *module) {
  GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *text = norn_module_print(module, NULL);
  for (char *line = text, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = '\0';
    if (!g_str_has_prefix(line, "  "))
      continue; /* labels, and lines outside of functions */
    const char *equals = strstr(line, " = ");
    const char *name = equals ? equals + 3 : line + 2;
    char *key = g_strndup(name, strcspn(name, ". "));
    g_hash_table_insert(counts, key,
                        GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) + 1));
  }
  return counts;
}

/* Adds the names that are more frequent in one than in the other. */
static void
add_decisions(GHashTable *features, const char *pass, const char *what, GHashTable *more,
              GHashTable *fewer) {
  GHashTableIter iterator;
  gpointer name, count;
  g_hash_table_iter_init(&iterator, more);
  while (g_hash_table_iter_next(&iterator, &name, &count)) {
    if (GPOINTER_TO_UINT(count) <= GPOINTER_TO_UINT(g_hash_table_lookup(fewer, name)))
      continue;
    g_autofree char *decision = g_strconcat(pass, what, name, NULL);
    g_hash_table_add(features, GUINT_TO_POINTER(g_str_hash(decision) | FUZZ_DECISION));
  }
}

void
fuzz_note_pass(const NornModule *module, const char *pass, gpointer user_data) {
  FuzzDecisions *decisions = user_data;
  GHashTable *counts = count_names(module);
  if (decisions->counts) {
    add_decisions(decisions->features, pass, " makes ", counts, decisions->counts);
    add_decisions(decisions->features, pass, " removes ", decisions->counts, counts);
    g_hash_table_unref(decisions->counts);
  }
  decisions->counts = counts;
}

bool
fuzz_take_features(GHashTable *known, const FuzzResult *result) {
  bool any = false;
  for (gsize i = 0; i < result->feature_count; i++)
    any |= g_hash_table_add(known, GUINT_TO_POINTER(result->features[i]));
  return any;
}

/* --- Files --- */

static void
file_free(gpointer data) {
  FuzzFile *file = data;
  g_free(file->path);
  g_free(file->text);
  g_free(file);
}

static int
compare_files(gconstpointer a, gconstpointer b) {
  const FuzzFile *const *x = a, *const *y = b;
  return ((*x)->seed > (*y)->seed) - ((*x)->seed < (*y)->seed);
}

static FuzzFile *
read_file(const char *directory, const char *name, GError **error) {
  guint64 seed;
  g_autofree char *stem = g_strndup(name, strlen(name) - strlen(FUZZ_SUFFIX));
  g_autofree char *path = g_build_filename(directory, name, NULL), *text = NULL;
  if (!g_ascii_string_to_unsigned(stem, 10, 0, G_MAXINT64, &seed, NULL)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%s: a module of a corpus must be named by its seed, such as 17" FUZZ_SUFFIX, path);
    return NULL;
  }
  if (!g_file_get_contents(path, &text, NULL, error))
    return NULL;
  FuzzFile *file = g_new(FuzzFile, 1);
  *file = (FuzzFile){seed, g_steal_pointer(&path), g_steal_pointer(&text)};
  return file;
}

GPtrArray *
fuzz_files_new(void) {
  return g_ptr_array_new_with_free_func(file_free);
}

gboolean
fuzz_files_read(GPtrArray *files, const char *directory, GError **error) {
  g_autoptr(GDir) opened = NULL;
  const char *name;
  if (g_file_test(directory, G_FILE_TEST_EXISTS) && !g_file_test(directory, G_FILE_TEST_IS_DIR))
    g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: not a folder of modules", directory);
  else
    opened = g_dir_open(directory, 0, error);
  while (opened && (name = g_dir_read_name(opened))) {
    FuzzFile *file = g_str_has_suffix(name, FUZZ_SUFFIX) ? read_file(directory, name, error) : NULL;
    if (file)
      g_ptr_array_add(files, file);
    else if (*error)
      return FALSE;
  }
  return opened != NULL;
}

void
fuzz_files_sort(GPtrArray *files) {
  g_ptr_array_sort(files, compare_files);
}
