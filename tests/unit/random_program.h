/* Random structured programs of generic operations, for testing passes that do not care what
 * instructions mean. */
#ifndef NORN_TESTS_RANDOM_PROGRAM_H
#define NORN_TESTS_RANDOM_PROGRAM_H

#include "ir/ir.h"

typedef struct RandomProgram {
  unsigned instructions; /* about how many */
  unsigned depth;        /* of nested branches and loops */
  unsigned pressure;     /* about how many values to keep alive */
  bool groups;           /* with values of three words and more */
  bool executable; /* loops end, memory is used within RANDOM_PROGRAM_MEMORY, nothing preloaded */
  bool memory;     /* executable, and mostly accesses of all kinds to the same few bytes */
} RandomProgram;

/* The memory an executable program reads and writes. */
#define RANDOM_PROGRAM_ADDRESS UINT64_C(0x10000)
#define RANDOM_PROGRAM_MEMORY 4096
/* Handles under which programs with `memory` find the same memory as a buffer; workgroup memory. */
#define RANDOM_PROGRAM_HANDLES ((uint32_t[]){0, 0x01000001})
#define RANDOM_PROGRAM_SHARED 256

/* A compute shader that passes norn_module_verify. */
NornModule *random_program(GRand *random, const RandomProgram *shape);

#endif
