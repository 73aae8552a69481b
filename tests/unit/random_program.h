/* Random structured programs of generic operations, for testing passes that do not depend on
 * what instructions mean. */
#ifndef NORN_TESTS_RANDOM_PROGRAM_H
#define NORN_TESTS_RANDOM_PROGRAM_H

#include "ir/ir.h"

typedef struct RandomProgram {
  unsigned instructions; /* approximate number */
  unsigned depth;        /* of nested branches and loops */
  unsigned pressure;     /* approximate number of values to keep live */
  bool groups;           /* includes values of three words and more */
  bool executable;       /* loops terminate, memory is used within RANDOM_PROGRAM_MEMORY, nothing is
                            preloaded */
  bool memory;           /* executable, and mostly accesses of all kinds to the same few bytes */
} RandomProgram;

/* The memory an executable program reads and writes. */
#define RANDOM_PROGRAM_ADDRESS UINT64_C(0x10000)
#define RANDOM_PROGRAM_MEMORY 4096
/* Handles of buffers with which programs with `memory` access the same memory; workgroup memory. */
#define RANDOM_PROGRAM_HANDLES ((uint32_t[]){0, 0x01000001})
#define RANDOM_PROGRAM_SHARED 256

/* A compute shader that passes norn_module_verify. */
NornModule *random_program(GRand *random, const RandomProgram *shape);

#endif
