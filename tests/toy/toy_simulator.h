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

/* Runs all invocations, a subgroup after the other. NULL, or what the code did that it must not,
 * to be freed with g_free: read a register that holds nothing, was read for the last time or waits
 * for a message; touch memory that is not there; part lanes without reconvergence; not end. */
char *toy_simulate(const ToyLaunch *launch);

#endif
