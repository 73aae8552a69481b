/* What the generators of the build have in common: how they are called, and where what they make
 * goes. Exit status, as of norn: 1 if an input or the output is at fault, 2 if the call is. */
#ifndef NORN_IR_GEN_OUTPUT_H
#define NORN_IR_GEN_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define GENERATOR_USAGE 2

/* Whether there are so many arguments, and none looks like an option; else says how to call it. */
static inline bool
generator_takes(int argc, char **argv, int count, const char *usage) {
  bool fits = argc == 1 + count;
  for (int i = 1; i < argc; i++)
    fits &= argv[i][0] != '-';
  if (!fits)
    fprintf(stderr, "usage: %s\n", usage);
  return fits;
}

/* Opens what is at the path, a device or link, too, or makes a file; ends the process where that
 * cannot be. */
static inline FILE *
generator_open(const char *path) {
  FILE *out = fopen(path, "w");
  if (out)
    return out;
  perror(path);
  exit(EXIT_FAILURE);
}

/* The exit status, after saying whether something could not be written. */
static inline int
generator_close(FILE *out, const char *path) {
  bool failed = ferror(out);
  if (fclose(out) == 0 && !failed)
    return EXIT_SUCCESS;
  perror(path);
  return EXIT_FAILURE;
}

#endif
