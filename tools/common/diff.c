/* The difference between two texts: the fewest deleted and inserted lines, by E. Myers, "An O(ND)
 * Difference Algorithm and Its Variations" (1986).
 *
 * A point (x, y) means that x lines of one text have become y lines of the other; x - y is its
 * diagonal. Round `d` finds for each diagonal how far d deleted or inserted lines lead, plus the
 * equal lines that follow. The results of the rounds are kept to walk back. After MAX_ROUNDS
 * rounds, the rest of one text is replaced with that of the other: still correct, but not the
 * shortest, in 4 * MAX_ROUNDS^2 bytes for texts of any size. */
#include "common/diff.h"

#include <string.h>

#define MAX_ROUNDS 2000

typedef struct Diff {
  gpointer *before, *after; /* lines */
  gint rows, columns;       /* number of lines */
  GPtrArray *rounds;        /* for each d: x by diagonal, -d first */
} Diff;

static gboolean
are_equal(const Diff *diff, gint x, gint y) {
  return !strcmp(diff->before[x], diff->after[y]);
}

static gint
reached(const Diff *diff, gint d, gint diagonal) {
  return ((const gint *)diff->rounds->pdata[d])[diagonal + d];
}

/* Whether the last of the `d` lines on the way to a diagonal is inserted, from the diagonal
 * above; otherwise it is deleted. */
static gboolean
comes(const Diff *diff, gint d, gint diagonal) {
  return diagonal == -d ||
         (diagonal != d && reached(diff, d - 1, diagonal - 1) < reached(diff, d - 1, diagonal + 1));
}

/* The x that the last of the `d` lines leads to. */
static gint
step(const Diff *diff, gint d, gint diagonal) {
  if (!d)
    return 0;
  return comes(diff, d, diagonal) ? reached(diff, d - 1, diagonal + 1)
                                  : reached(diff, d - 1, diagonal - 1) + 1;
}

/* Finds the points that `d` lines lead to. Returns the diagonal that is nearest to the end of
 * both texts. */
static gint
run_round(Diff *diff, gint d) {
  gint *points = g_new0(gint, 2 * (gsize)d + 1), best = 0, sum = -1;
  for (gint diagonal = -d; diagonal <= d; diagonal += 2) {
    gint x = step(diff, d, diagonal), y = x - diagonal;
    while (x < diff->rows && y < diff->columns && are_equal(diff, x, y))
      x++, y++;
    points[diagonal + d] = x;
    if (x <= diff->rows && y <= diff->columns && x + y > sum) {
      sum = x + y;
      best = diagonal;
    }
  }
  g_ptr_array_add(diff->rounds, points);
  return best;
}

static void
append(GString *out, gint count, char letter) {
  for (; count > 0; count--)
    g_string_append_c(out, letter);
}

/* The letters up to the point that round `d` reached on a diagonal. */
static void
walk_back(const Diff *diff, gint d, gint diagonal, GString *out) {
  gint x = reached(diff, d, diagonal);
  for (; d > 0; d--) {
    gboolean is_new = comes(diff, d, diagonal);
    append(out, x - step(diff, d, diagonal), ' ');
    append(out, 1, is_new ? '+' : '-');
    diagonal += is_new ? 1 : -1;
    x = reached(diff, d - 1, diagonal);
  }
  append(out, x, ' ');
  g_strreverse(out->str);
}

char *
tool_diff(const GPtrArray *before, const GPtrArray *after) {
  Diff diff = {before->pdata, after->pdata, (gint)before->len, (gint)after->len,
               g_ptr_array_new_with_free_func(g_free)};
  GString *out = g_string_new(NULL);
  gint same = 0; /* equal lines at the end */
  while (diff.rows && diff.columns && are_equal(&diff, diff.rows - 1, diff.columns - 1))
    diff.rows--, diff.columns--, same++;
  gint d = 0, diagonal = run_round(&diff, d), x = reached(&diff, d, diagonal);
  while (d < MAX_ROUNDS && (x < diff.rows || x - diagonal < diff.columns)) {
    diagonal = run_round(&diff, ++d);
    x = reached(&diff, d, diagonal);
  }
  walk_back(&diff, d, diagonal, out);
  append(out, diff.rows - x, '-');
  append(out, diff.columns - (x - diagonal), '+');
  append(out, same, ' ');
  g_ptr_array_unref(diff.rounds);
  return g_string_free(out, FALSE);
}
