/* What a misspelt word may have been meant to be, for messages. */
#ifndef NORN_NEAREST_H
#define NORN_NEAREST_H

#include <norn/error.h>
#include <stddef.h>

NORN_BEGIN_DECLS

/* The nearest of the names tried so far. */
typedef struct NornNearest {
  const char *word; /* the misspelt one */
  size_t length;
  const char *name; /* NULL: none was near enough */
  unsigned distance;
} NornNearest;

/* Begins to look for a word, which need not end in a zero and must stay until the end. */
void norn_nearest_init(NornNearest *nearest, const char *word, size_t length);

/* Tries a name, which must stay until the end. It is near enough if at most a third of the word's
 * letters, or one of two, must be changed, added, left out or exchanged with the next to get it;
 * case does not matter. Of names equally near the first counts. */
void norn_nearest_try(NornNearest *nearest, const char *name);

/* "; did you mean NAME?", or "" if no name was near enough. Free it with g_free. */
char *norn_nearest_hint(const NornNearest *nearest);

NORN_END_DECLS

#endif
