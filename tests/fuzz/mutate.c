/* mutate TARGET COUNT SEED FILE...: runs a target on COUNT mutations of the files.
 *
 * A mutation takes a file and applies a few edits to it: bytes changed, tokens exchanged with
 * tokens of the corpus, lines dropped, doubled or exchanged, the end cut off. The seed decides
 * everything, so a failure is found again with its number. */
#include "target.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EDITS_MAXIMUM 4

typedef struct {
  GPtrArray *files;  /* GString */
  GPtrArray *tokens; /* char * */
} Corpus;

/* xorshift64*: the same numbers everywhere. */
static guint64
draw(guint64 *state, guint64 below) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (*state * G_GUINT64_CONSTANT(0x2545F4914F6CDD1D) >> 16) % below;
}

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

/* The start of some token of the text, and its end. */
static gboolean
find_token(const GString *text, guint64 *state, gsize *start, gsize *end) {
  gsize at = draw(state, text->len);
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

/* The start of some line, and the start of the next. */
static void
find_line(const GString *text, guint64 *state, gsize *start, gsize *end) {
  gsize at = draw(state, text->len);
  while (at > 0 && text->str[at - 1] != '\n')
    at--;
  *start = at;
  const char *stop = memchr(text->str + at, '\n', text->len - at);
  *end = stop ? (gsize)(stop - text->str) + 1 : text->len;
}

static void
edit(const Corpus *corpus, GString *text, guint64 *state) {
  gsize start, end;
  if (!text->len)
    return;
  switch (draw(state, 9)) {
  case 0: /* any byte anywhere */
    text->str[draw(state, text->len)] = (char)draw(state, 256);
    break;
  case 1: /* a printable byte anywhere */
    text->str[draw(state, text->len)] = (char)(32 + draw(state, 95));
    break;
  case 2:
    g_string_erase(text, (gssize)draw(state, text->len), 1);
    break;
  case 3: /* a line less */
    find_line(text, state, &start, &end);
    g_string_erase(text, (gssize)start, (gssize)(end - start));
    break;
  case 4: { /* a line somewhere else, too */
    find_line(text, state, &start, &end);
    g_autofree char *line = g_strndup(text->str + start, end - start);
    find_line(text, state, &start, &end);
    g_string_insert(text, (gssize)start, line);
    break;
  }
  case 5: /* the end cut off */
    if (draw(state, 4) == 0)
      g_string_truncate(text, draw(state, text->len));
    break;
  default: /* a token exchanged for another */
    if (!find_token(text, state, &start, &end))
      break;
    g_string_erase(text, (gssize)start, (gssize)(end - start));
    g_string_insert(text, (gssize)start, corpus->tokens->pdata[draw(state, corpus->tokens->len)]);
  }
}

static gboolean
load_corpus(Corpus *corpus, char **paths) {
  for (; *paths; paths++) {
    char *bytes;
    gsize size;
    GError *error = NULL;
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

int
main(int argc, char **argv) {
  const FuzzTarget *target = fuzz_targets;
  while (argc > 1 && target->name && strcmp(target->name, argv[1]))
    target++;
  if (argc < 5 || !target->name) {
    fprintf(stderr, "usage: mutate TARGET COUNT SEED FILE...\n");
    for (target = fuzz_targets; target->name; target++)
      fprintf(stderr, "  %-13s %s\n", target->name, target->promise);
    return 2;
  }
  guint64 count = g_ascii_strtoull(argv[2], NULL, 10), seed = g_ascii_strtoull(argv[3], NULL, 10),
          valid = 0;
  Corpus corpus = {g_ptr_array_new_with_free_func(free_text),
                   g_ptr_array_new_with_free_func(g_free)};
  gboolean loaded = load_corpus(&corpus, argv + 4), progress = isatty(STDERR_FILENO);
  for (guint64 i = 0; loaded && i < count; i++) {
    guint64 state = (seed + i + 1) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15);
    const GString *file = corpus.files->pdata[draw(&state, corpus.files->len)];
    GString *text = g_string_new_len(file->str, (gssize)file->len);
    for (guint64 edits = 1 + draw(&state, EDITS_MAXIMUM); edits; edits--)
      edit(&corpus, text, &state);
    valid += target->run((const guint8 *)text->str, text->len);
    g_string_free(text, TRUE);
    if (progress && i % 1000 == 0)
      fprintf(stderr, "\r%" PRIu64 " of %" PRIu64, i, count);
  }
  g_ptr_array_unref(corpus.files);
  g_ptr_array_unref(corpus.tokens);
  if (!loaded)
    return 1;
  printf("%s%s: %" PRIu64 " mutations from seed %" PRIu64 ", %" PRIu64 " of them valid\n",
         progress ? "\r" : "", target->name, count, seed, valid);
  return 0;
}
