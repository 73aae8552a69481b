/* mutate TARGET COUNT SEED FILE...: runs a target on COUNT mutations of the files. A FILE +N stands
 * for N random modules.
 *
 * A mutation applies a few edits to a file: bytes changed, tokens replaced with other tokens of
 * the corpus (similar or arbitrary), dropped or duplicated, parts of mnemonics replaced, numbers
 * set to bounds of types, lines dropped, duplicated or moved, the end cut off. The seed
 * determines everything, so a failure can be reproduced with its number, and is printed by
 * `mutate show NUMBER SEED FILE...`. */
#include "fuzz/fuzz.h"
#include "target.h"

#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EDITS_MAXIMUM 4
/* Mutations between two lines of progress if the output is not a terminal. */
#define PROGRESS_STEP 50000

typedef struct {
  GPtrArray *files;  /* GString */
  GPtrArray *tokens; /* char * */
} Corpus;

/* Replacements for numbers in the text. */
static const char *const edge_numbers[] = {
    "0",
    "1",
    "-1",
    "7",
    "8",
    "16",
    "63",
    "64",
    "127",
    "128",
    "-128",
    "-129",
    "255",
    "256",
    "32767",
    "-32769",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "-4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "0x0",
    "0x7F800001",
    "0x80000000",
    "0xFFFFFFFF",
    "0x7FF0000000000001",
    "0xFFFFFFFFFFFFFFFF",
    "0x10000000000000000",
    "-0.0",
    "1e-45",
    "1e39",
    "65520.0",
    "1e400",
    "nan",
    "-inf",
};

static gboolean
is_token_byte(char c) {
  return g_ascii_isalnum(c) || c == '_' || c == '%' || c == '.' || c == '@' || c == '-';
}

static void
collect_tokens(Corpus *corpus, const GString *text) {
  for (gsize at = 0; at < text->len;) {
    gsize end = at;
    while (end < text->len && is_token_byte(text->str[end]))
      end++;
    if (end > at)
      g_ptr_array_add(corpus->tokens, g_strndup(text->str + at, end - at));
    at = end + 1;
  }
}

/* The start of a random token of the text, and its end. */
static gboolean
find_token(const GString *text, guint64 *state, gsize *start, gsize *end) {
  gsize at = fuzz_draw(state, text->len);
  while (at < text->len && !is_token_byte(text->str[at]))
    at++;
  if (at == text->len)
    return FALSE;
  while (at > 0 && is_token_byte(text->str[at - 1]))
    at--;
  *start = at;
  while (at < text->len && is_token_byte(text->str[at]))
    at++;
  *end = at;
  return TRUE;
}

/* The start of a random line, and the start of the next one. */
static void
find_line(const GString *text, guint64 *state, gsize *start, gsize *end) {
  gsize at = fuzz_draw(state, text->len);
  while (at > 0 && text->str[at - 1] != '\n')
    at--;
  *start = at;
  const char *stop = memchr(text->str + at, '\n', text->len - at);
  *end = stop ? (gsize)(stop - text->str) + 1 : text->len;
}

static void
replace(GString *text, gsize start, gsize end, const char *with) {
  g_string_erase(text, (gssize)start, (gssize)(end - start));
  g_string_insert(text, (gssize)start, with);
}

/* A random token of the corpus, or one that begins like the given one. */
static const char *
draw_token(const Corpus *corpus, guint64 *state, char first) {
  const char *token;
  for (unsigned tries = 0; tries < 30; tries++) {
    token = corpus->tokens->pdata[fuzz_draw(state, corpus->tokens->len)];
    if (!first || *token == first)
      break;
  }
  return token;
}

/* Replaces the part of a token between dots with a part of another token. */
static void
edit_part(const Corpus *corpus, GString *text, guint64 *state, gsize start, gsize end) {
  g_auto(GStrv) parts = g_strsplit(draw_token(corpus, state, text->str[start]), ".", 8);
  g_autofree char *token = g_strndup(text->str + start, end - start);
  g_auto(GStrv) mine = g_strsplit(token, ".", 8);
  guint place = (guint)fuzz_draw(state, g_strv_length(mine));
  const char *other = parts[fuzz_draw(state, g_strv_length(parts))];
  g_free(mine[place]);
  mine[place] = g_strdup(other);
  g_autofree char *joined = g_strjoinv(".", mine);
  replace(text, start, end, joined);
}

/* Replaces a number of the text, if there is one after a random position. */
static void
edit_number(GString *text, guint64 *state) {
  gsize start = fuzz_draw(state, text->len), end;
  while (start < text->len &&
         (!g_ascii_isdigit(text->str[start]) || (start && g_ascii_isalnum(text->str[start - 1]))))
    start++;
  end = start;
  while (end < text->len && (g_ascii_isalnum(text->str[end]) || text->str[end] == '.'))
    end++;
  if (end > start)
    replace(text, start, end, edge_numbers[fuzz_draw(state, G_N_ELEMENTS(edge_numbers))]);
}

static void
edit(const Corpus *corpus, GString *text, guint64 *state) {
  gsize start, end;
  if (!text->len)
    return;
  switch (fuzz_draw(state, 14)) {
  case 0: /* a random byte at a random position */
    text->str[fuzz_draw(state, text->len)] = (char)fuzz_draw(state, 256);
    break;
  case 1: /* a printable byte at a random position */
    text->str[fuzz_draw(state, text->len)] = (char)(32 + fuzz_draw(state, 95));
    break;
  case 2:
    g_string_erase(text, (gssize)fuzz_draw(state, text->len), 1);
    break;
  case 3: /* drop a line */
    find_line(text, state, &start, &end);
    g_string_erase(text, (gssize)start, (gssize)(end - start));
    break;
  case 4: { /* copy a line to another position */
    find_line(text, state, &start, &end);
    g_autofree char *line = g_strndup(text->str + start, end - start);
    find_line(text, state, &start, &end);
    g_string_insert(text, (gssize)start, line);
    break;
  }
  case 5: /* cut off the end */
    if (fuzz_draw(state, 4) == 0)
      g_string_truncate(text, fuzz_draw(state, text->len));
    break;
  case 6: /* drop or insert a token */
    if (!find_token(text, state, &start, &end))
      break;
    if (fuzz_draw(state, 2))
      g_string_erase(text, (gssize)start, (gssize)(end - start));
    else
      g_string_insert(text, (gssize)start, draw_token(corpus, state, 0));
    break;
  case 7:
  case 8:
    edit_number(text, state);
    break;
  case 9:
  case 10:
    if (find_token(text, state, &start, &end))
      edit_part(corpus, text, state, start, end);
    break;
  default: /* replace a token, with one of the same kind or any */
    if (find_token(text, state, &start, &end))
      replace(text, start, end,
              draw_token(corpus, state, fuzz_draw(state, 3) ? text->str[start] : 0));
  }
}

static void
add_modules(Corpus *corpus, guint64 count) {
  FuzzForms forms;
  fuzz_forms_init(&forms);
  for (guint64 seed = 0; seed < count; seed++) {
    g_autofree char *run = NULL;
    NornModule *module = fuzz_generate(&forms, seed, &run);
    char *text = norn_module_print(module, NULL);
    g_ptr_array_add(corpus->files, g_string_new(text));
    collect_tokens(corpus, corpus->files->pdata[corpus->files->len - 1]);
    g_free(text);
    norn_module_free(module);
  }
  fuzz_forms_clear(&forms);
}

static gboolean
load_corpus(Corpus *corpus, char **paths) {
  for (; *paths; paths++) {
    char *bytes;
    gsize size;
    GError *error = NULL;
    if (**paths == '+') {
      add_modules(corpus, g_ascii_strtoull(*paths + 1, NULL, 10));
      continue;
    }
    if (!g_file_get_contents(*paths, &bytes, &size, &error)) {
      fprintf(stderr, "%s\n", error->message);
      g_error_free(error);
      return FALSE;
    }
    GString *text = g_string_new_len(bytes, (gssize)size);
    g_free(bytes);
    collect_tokens(corpus, text);
    g_ptr_array_add(corpus->files, text);
  }
  return corpus->files->len && corpus->tokens->len;
}

static void
free_text(gpointer text) {
  g_string_free(text, TRUE);
}

/* The mutation that runs, to be reported if it crashes. */
static volatile guint64 running;

static void
say_number(int signal_number) {
  char text[64];
  int length = g_snprintf(text, sizeof text, "in mutation %" PRIu64 "\n", running + 1);
  (void)!write(STDERR_FILENO, text, (size_t)length);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

int
main(int argc, char **argv) {
  const FuzzTarget *target = fuzz_targets;
  gboolean show = argc > 1 && !strcmp(argv[1], "show");
  while (!show && argc > 1 && target->name && strcmp(target->name, argv[1]))
    target++;
  if (argc < 5 || !target->name) {
    fprintf(stderr, "usage: mutate TARGET COUNT SEED FILE...\n");
    for (target = fuzz_targets; target->name; target++)
      fprintf(stderr, "  %-20s %s\n", target->name, target->promise);
    return 2;
  }
  guint64 count = g_ascii_strtoull(argv[2], NULL, 10), seed = g_ascii_strtoull(argv[3], NULL, 10),
          valid = 0;
  Corpus corpus = {g_ptr_array_new_with_free_func(free_text),
                   g_ptr_array_new_with_free_func(g_free)};
  signal(SIGABRT, say_number);
  gboolean loaded = load_corpus(&corpus, argv + 4), progress = isatty(STDERR_FILENO);
  for (guint64 i = show && count ? count - 1 : 0; loaded && i < count; i++) {
    running = i;
    guint64 state = (seed + i + 1) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15);
    const GString *file = corpus.files->pdata[fuzz_draw(&state, corpus.files->len)];
    GString *text = g_string_new_len(file->str, (gssize)file->len);
    for (guint64 edits = 1 + fuzz_draw(&state, EDITS_MAXIMUM); edits; edits--)
      edit(&corpus, text, &state);
    if (show)
      fwrite(text->str, 1, text->len, stdout);
    else
      valid += target->run((const guint8 *)text->str, text->len);
    g_string_free(text, TRUE);
    if (progress && i % 1000 == 0)
      fprintf(stderr, "\r%" PRIu64 " of %" PRIu64, i, count);
    else if (!show && i && i % PROGRESS_STEP == 0)
      fprintf(stderr, "%" PRIu64 " of %" PRIu64 ", %" PRIu64 " valid\n", i, count, valid);
  }
  g_ptr_array_unref(corpus.files);
  g_ptr_array_unref(corpus.tokens);
  if (!loaded || show)
    return !loaded;
  printf("%s%s: %" PRIu64 " mutations from seed %" PRIu64 ", %" PRIu64 " of them valid\n",
         progress ? "\r" : "", target->name, count, seed, valid);
  return 0;
}
