/* Limits the length of messages; see norn/error.h. The table generator also uses this. */
#include <norn/error.h>
#include <stdbool.h>
#include <string.h>

/* The longest stretch between two separators that is shown in full, and how much is shown of each
 * end of a longer one. */
typedef struct {
  const char *separators;
  size_t limit, head, tail;
} Shown;

static const Shown words = {" \t\r\n", 300, 200, 80}, lines = {"\n", 4000, 3000, 800};

static bool
is_within_character(char byte) {
  return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Cuts the middle of every stretch that is too long. A UTF-8 character has at most three bytes
 * after its first, so longer sequences are not UTF-8. */
static char *
shorten(const char *text, const Shown *shown) {
  GString *out = g_string_new(NULL);
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, shown->separators);
    if (length > shown->limit) {
      size_t head = shown->head, tail = length - shown->tail;
      for (unsigned i = 0; i < 3 && is_within_character(at[head]); i++)
        head--;
      for (unsigned i = 0; i < 3 && is_within_character(at[tail]); i++)
        tail++;
      g_string_append_len(out, at, (gssize)head);
      g_string_append(out, "...");
      g_string_append_len(out, at + tail, (gssize)(length - tail));
    } else {
      g_string_append_len(out, at, (gssize)length);
    }
    at += length;
    for (; *at && strchr(shown->separators, *at); at++)
      g_string_append_c(out, *at);
  }
  return g_string_free(out, FALSE);
}

char *
norn_shorten_message(const char *message) {
  g_autofree char *with_words = shorten(message, &words);
  return shorten(with_words, &lines);
}
