/* A simulator of the made-up machine's words. */
#ifndef NORN_TESTS_TOY_SIMULATOR_H
#define NORN_TESTS_TOY_SIMULATOR_H

#include <glib.h>
#include <norn/interpret.h>

typedef struct ToyLaunch {
  const GByteArray *code;
  const uint32_t *uniforms;
  unsigned uniform_count;
  unsigned invocations;
  unsigned spill_bytes; /* of an invocation */
  uint64_t address;     /* of the memory */
  uint8_t *memory;
  size_t size;
} ToyLaunch;

/* Runs all invocations, one subgroup after the other. Returns NULL, or which rule the code
 * broke, to be freed with g_free: it read a register that is undefined, was read for the last
 * time before or waits for a message; it accessed memory that does not exist; it diverged
 * without reconvergence; it did not end. */
char *toy_simulate(const ToyLaunch *launch);

#endif
