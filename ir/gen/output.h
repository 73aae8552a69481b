/* What the generators of the build share: their command line and how they write their output. Exit
 * status, as for norn: 1 if an input or the output is at fault, 2 if the command line is. */
#ifndef NORN_IR_GEN_OUTPUT_H
#define NORN_IR_GEN_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define GENERATOR_USAGE 2

/* Whether there are this many arguments and none looks like an option; if not, prints the usage. */
static inline bool
generator_takes(int argc, char **argv, int count, const char *usage) {
  bool fits = argc == 1 + count;
  for (int i = 1; i < argc; i++)
    fits &= argv[i][0] != '-';
  if (!fits)
    fprintf(stderr, "usage: %s\n", usage);
  return fits;
}

/* Opens the file at the path (a device or link is allowed) or creates it; exits the process on
 * failure. */
static inline FILE *
generator_open(const char *path) {
  FILE *out = fopen(path, "w");
  if (out)
    return out;
  perror(path);
  exit(EXIT_FAILURE);
}

/* The exit status, after reporting whether something could not be written. */
static inline int
generator_close(FILE *out, const char *path) {
  bool failed = ferror(out);
  if (fclose(out) == 0 && !failed)
    return EXIT_SUCCESS;
  perror(path);
  return EXIT_FAILURE;
}

#endif
