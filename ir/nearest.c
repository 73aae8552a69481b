/* The name nearest to a misspelled word, by the restricted edit distance of Damerau and
 * Levenshtein: a substitution, an insertion, a deletion and a swap of neighbors each count as one.
 *
 * Only three rows of the distance table are kept. Longer words have no nearest name, so a message
 * costs little however long its word is. */
#include <norn/nearest.h>
#include <string.h>

enum { LONGEST_WORD = 40 };

void
norn_nearest_init(NornNearest *nearest, const char *word, size_t length) {
  *nearest = (NornNearest){word, length, NULL, (unsigned)MAX(length / 3, length > 1 ? 1 : 0) + 1};
}

/* One cell: the distance between the first `i` letters of `a` and the first `j` of `b`. */
static unsigned
cell(unsigned rows[3][LONGEST_WORD + 1], const char *a, const char *b, size_t i, size_t j) {
  const unsigned *above = rows[(i + 2) % 3], *row = rows[i % 3];
  char x = g_ascii_tolower(a[i - 1]), y = g_ascii_tolower(b[j - 1]);
  unsigned min = MIN(MIN(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
  if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) && y == g_ascii_tolower(a[i - 2]))
    min = MIN(min, rows[(i + 1) % 3][j - 2] + 1);
  return min;
}

/* The distance if it is less than `limit`, else some number that is at least `limit`. The minimum
 * of a row never decreases from one row to the next, so a row that reaches the limit decides. */
static unsigned
distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned limit) {
  unsigned rows[3][LONGEST_WORD + 1], fewest = 0;
  for (size_t j = 0; j <= b_length; j++)
    rows[0][j] = (unsigned)j;
  for (size_t i = 1; i <= a_length && fewest < limit; i++) {
    rows[i % 3][0] = fewest = (unsigned)i;
    for (size_t j = 1; j <= b_length; j++) {
      rows[i % 3][j] = cell(rows, a, b, i, j);
      fewest = MIN(fewest, rows[i % 3][j]);
    }
  }
  return fewest < limit ? rows[a_length % 3][b_length] : limit;
}

void
norn_nearest_try(NornNearest *nearest, const char *name) {
  size_t length = strlen(name), word_length = nearest->length;
  size_t min = length > word_length ? length - word_length : word_length - length;
  if (length > LONGEST_WORD || word_length > LONGEST_WORD || min >= nearest->distance)
    return;
  unsigned found = distance(nearest->word, word_length, name, length, nearest->distance);
  if (found >= nearest->distance)
    return;
  nearest->distance = found;
  nearest->name = name;
}

char *
norn_nearest_hint(const NornNearest *nearest) {
  return nearest->name ? g_strdup_printf("; did you mean %s?", nearest->name) : g_strdup("");
}
