/* mutate_spirv COUNT SEED FILE...: reads COUNT mutations of SPIR-V modules, with and without the
 * validator, and compiles the valid ones. The result must be a module that the verifier accepts, or
 * an error. A crash prints the number of the mutation, and `mutate_spirv show NUMBER SEED FILE...
 * >OUT` writes it.
 *
 * A mutation applies a few edits to a module: words set to an arbitrary number, to a bound or to
 * another word of the module, result types and ids replaced, opcodes replaced, lengths changed,
 * instructions dropped, duplicated or moved, the end cut off. */
#include "fuzz/fuzz.h"

#include <inttypes.h>
#include <norn/norn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_WORDS 5
#define EDITS_MAXIMUM 4
/* One in this many modules that were read is compiled. */
#define COMPILE_STEP 8
#define LEVELS 4

static volatile guint64 current;

/* Only exists in a build with sanitizers. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void
print_current(void) {
  char text[80];
  int length = snprintf(text, sizeof text, "this was mutation %" PRIu64 "\n", current);
  if (write(STDERR_FILENO, text, (size_t)length) < 0)
    _exit(2);
}

static void
crashed(int number) {
  print_current();
  signal(number, SIG_DFL);
  raise(number);
}

/* The first words of the instructions. */
static GArray *
list_instructions(const GArray *words) {
  GArray *starts = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint at = HEADER_WORDS; at < words->len;) {
    guint32 length = g_array_index(words, guint32, at) >> 16;
    g_array_append_val(starts, at);
    at += MAX(length, 1);
  }
  return starts;
}

static guint32
edge_word(guint64 *state) {
  static const guint32 edges[] = {0,      1,       2,       3,          4,          16,
                                  0xFFFF, 0x10000, 4194304, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  return edges[fuzz_draw(state, G_N_ELEMENTS(edges))];
}

/* Moves or copies an instruction to the position of another one. */
static void
move_instruction(GArray *words, guint at, guint length, guint to, gboolean copies) {
  g_autofree guint32 *copy = g_memdup2(&g_array_index(words, guint32, at), length * 4);
  if (!copies) {
    g_array_remove_range(words, at, length);
    to = to > at ? MAX(to - length, HEADER_WORDS) : to;
  }
  g_array_insert_vals(words, MIN(to, words->len), copy, length);
}

static void
edit(GArray *words, guint64 *state) {
  g_autoptr(GArray) starts = list_instructions(words);
  if (!starts->len)
    return;
  guint at = g_array_index(starts, guint, fuzz_draw(state, starts->len));
  guint other = g_array_index(starts, guint, fuzz_draw(state, starts->len));
  guint length = g_array_index(words, guint32, at) >> 16;
  length = CLAMP(length, 1, words->len - at);
  guint operand = at + (length > 1 ? 1 + (guint)fuzz_draw(state, length - 1) : 0);
  guint32 *word = &g_array_index(words, guint32, operand);
  switch (fuzz_draw(state, 14)) {
  case 0:
    *word = (guint32)fuzz_draw(state, G_MAXUINT32);
    break;
  case 1:
    *word = edge_word(state);
    break;
  case 2:
  case 3:
  case 4: /* most likely another id */
    *word = (guint32)fuzz_draw(state, g_array_index(words, guint32, 3));
    break;
  case 5:
    *word = g_array_index(words, guint32, fuzz_draw(state, words->len));
    break;
  case 6: /* another opcode with the same length */
    g_array_index(words, guint32, at) = (g_array_index(words, guint32, at) & 0xFFFF0000) |
                                        (g_array_index(words, guint32, other) & 0xFFFF);
    break;
  case 7: /* any opcode */
    g_array_index(words, guint32, at) =
        (g_array_index(words, guint32, at) & 0xFFFF0000) | (guint32)fuzz_draw(state, 450);
    break;
  case 8:
    g_array_index(words, guint32, at) += (guint32)fuzz_draw(state, 3) << 16;
    break;
  case 9:
    g_array_remove_range(words, at, length);
    break;
  case 10:
    move_instruction(words, at, length, other, fuzz_draw(state, 2) == 0);
    break;
  case 11: /* most likely another result type */
    if (length > 2 && other + 1 < words->len)
      g_array_index(words, guint32, at + 1) = g_array_index(words, guint32, other + 1);
    break;
  case 12: /* the corresponding word of another instruction */
    if (other + (operand - at) < words->len)
      *word = g_array_index(words, guint32, other + (operand - at));
    break;
  default:
    if (fuzz_draw(state, 8) == 0)
      g_array_set_size(words, (guint)fuzz_draw(state, words->len));
    else
      *word ^= 1u << fuzz_draw(state, 32);
  }
}

static GArray *
make_mutation(const GPtrArray *files, guint64 number, guint64 seed) {
  guint64 state = seed * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15) + number;
  fuzz_draw(&state, 2);
  const GArray *file = files->pdata[fuzz_draw(&state, files->len)];
  GArray *words = g_array_new(FALSE, FALSE, 4);
  g_array_append_vals(words, file->data, file->len);
  for (guint64 left = 1 + fuzz_draw(&state, EDITS_MAXIMUM); left && words->len > HEADER_WORDS;
       left--)
    edit(words, &state);
  return words;
}

static gboolean
compile(NornModule *module, guint64 number) {
  static const char *const harmless[] = {"after pass", "changed the blocks"};
  NornCompileOptions options;
  GError *error = NULL;
  norn_compile_options_init(&options);
  options.optimization_level = number / COMPILE_STEP % LEVELS;
  options.effort = 2;
  options.vertex_part =
      norn_compile_splits_vertices(module, &options) ? NORN_VERTEX_POSITION : NORN_VERTEX_WHOLE;
  GBytes *code = norn_compile(module, &options, NULL, &error);
  gboolean is_bad = FALSE;
  for (guint k = 0; error && k < G_N_ELEMENTS(harmless); k++)
    is_bad |= strstr(error->message, harmless[k]) != NULL;
  if (is_bad)
    fprintf(stderr, "mutation %" PRIu64 ": %s\n", number, error->message);
  g_clear_error(&error);
  g_clear_pointer(&code, g_bytes_unref);
  return !is_bad;
}

/* Reads a mutation; false if the result is wrong. */
static gboolean
try_mutation(const GArray *words, guint64 number, guint64 *read) {
  NornSpirvOptions options;
  GError *error = NULL;
  gboolean done = TRUE;
  norn_spirv_options_init(&options);
  options.validate = number % 4 == 0;
  options.abi.buffer_addresses = number % 3 == 0;
  options.abi.image_words = number % 2 == 0;
  options.abi.robustness = (NornSpirvRobustness)(number % 5 % 3);
  NornSpirvInterface *interface = NULL;
  NornModule *module =
      norn_module_from_spirv(words->data, words->len * 4, "m", &options, &interface, &error);
  if (module) {
    ++*read;
    done = norn_module_verify(module, &error) && (number % COMPILE_STEP || compile(module, number));
  } else if (!strstr(error->message, "m: ")) {
    done = FALSE;
  }
  if (!done)
    fprintf(stderr, "mutation %" PRIu64 ": %s\n", number, error ? error->message : "bad code");
  g_clear_error(&error);
  norn_spirv_interface_free(interface);
  norn_module_free(module);
  return done;
}

static GPtrArray *
load_files(char **paths) {
  GPtrArray *files = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  for (; *paths; paths++) {
    char *bytes;
    gsize size;
    if (!g_file_get_contents(*paths, &bytes, &size, NULL) || size < 4 * HEADER_WORDS) {
      fprintf(stderr, "%s: no module\n", *paths);
      exit(2);
    }
    GArray *words = g_array_new(FALSE, FALSE, 4);
    g_array_append_vals(words, bytes, (guint)(size / 4));
    g_free(bytes);
    g_ptr_array_add(files, words);
  }
  return files;
}

int
main(int argc, char **argv) {
  gboolean shows = argc > 1 && !strcmp(argv[1], "show");
  if (argc < 4 + shows) {
    fprintf(stderr, "usage: mutate_spirv COUNT SEED FILE... | show NUMBER SEED FILE...\n");
    return 2;
  }
  guint64 count = g_ascii_strtoull(argv[1 + shows], NULL, 10), read = 0, failed = 0;
  guint64 seed = g_ascii_strtoull(argv[2 + shows], NULL, 10);
  g_autoptr(GPtrArray) files = load_files(argv + 3 + shows);
  if (shows) {
    g_autoptr(GArray) words = make_mutation(files, count, seed);
    return fwrite(words->data, 4, words->len, stdout) != words->len;
  }
  signal(SIGSEGV, crashed);
  signal(SIGABRT, crashed);
  if (__sanitizer_set_death_callback)
    __sanitizer_set_death_callback(print_current);
  for (current = 0; current < count && failed < 10; current++) {
    g_autoptr(GArray) words = make_mutation(files, current, seed);
    failed += !try_mutation(words, current, &read);
    if (current % 50000 == 49999)
      fprintf(stderr, "%" PRIu64 " mutations, %" PRIu64 " modules\n", current + 1, read);
  }
  printf("%" PRIu64 " mutations, %" PRIu64 " modules, %" PRIu64 " wrong\n", current, read, failed);
  return failed != 0;
}
