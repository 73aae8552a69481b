/* Suggestions for misspelled words, for messages. */
#ifndef NORN_NEAREST_H
#define NORN_NEAREST_H

#include <norn/error.h>
#include <stddef.h>

NORN_BEGIN_DECLS

/* The nearest of the names tried so far. */
typedef struct NornNearest {
  const char *word; /* the misspelled one */
  size_t length;
  const char *name; /* NULL: none was near enough */
  unsigned distance;
} NornNearest;

/* Starts the search for a word, which need not end in a zero and must stay valid until the search
 * ends. */
void norn_nearest_init(NornNearest *nearest, const char *word, size_t length);

/* Tries a name, which must stay valid until the search ends. It is near enough if at most a third
 * of the word's letters, or one of two, must be changed, added, removed or exchanged with the next
 * one to get it; case does not matter. Of equally near names, the first is used. */
void norn_nearest_try(NornNearest *nearest, const char *name);

/* "; did you mean NAME?", or "" if no name was near enough. Free it with g_free. */
char *norn_nearest_hint(const NornNearest *nearest);

NORN_END_DECLS

#endif
