/* The fuzz targets: functions that accept any bytes and abort if a promise of the library is
 * broken.
 *
 * The same targets run under libFuzzer (meson option `fuzz`) and, from a seed and a corpus, in
 * mutate.c, which needs no special compiler and is part of the tests. */
#ifndef NORN_TESTS_FUZZ_TARGET_H
#define NORN_TESTS_FUZZ_TARGET_H

#include <glib.h>

typedef struct FuzzTarget {
  const char *name;
  const char *promise;
  /* Returns whether the input was accepted as valid. */
  gboolean (*run)(const guint8 *bytes, gsize size);
} FuzzTarget;

extern const FuzzTarget fuzz_targets[]; /* ends with a row without a name */

#endif
