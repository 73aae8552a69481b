/* Which outputs are stored on every path to an end of the shader, across calls. */
#ifndef NORN_IR_ANALYSIS_PATH_OUTPUTS_H
#define NORN_IR_ANALYSIS_PATH_OUTPUTS_H

#include "ir/arena.h"
#include "ir/ir.h"

/* An end that some path reaches without a store that the shader has. */
typedef struct NornMissingOutput {
  uint32_t function, block;
  NornOp op; /* the store */
} NornMissingOutput;

/* Finds an end that a path reaches without an operation of property ALL_PATHS that stands somewhere
 * in the module. `order` lists the functions, callees before callers; the module keeps all other
 * rules. The arena is for what is needed meanwhile. */
bool norn_find_missing_output(NornArena *arena, const NornModule *module, const uint32_t *order,
                              NornMissingOutput *missing);

#endif
