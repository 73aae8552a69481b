/* Which outputs are stored on every path to an end of the shader, across calls. */
#ifndef NORN_IR_ANALYSIS_PATH_OUTPUTS_H
#define NORN_IR_ANALYSIS_PATH_OUTPUTS_H

#include "ir/arena.h"
#include "ir/ir.h"

/* An end that some path reaches without a store that the shader contains. */
typedef struct NornMissingOutput {
  uint32_t function, block;
  NornOp op; /* the store */
} NornMissingOutput;

/* Finds an end that a path reaches without an operation of property ALL_PATHS that occurs somewhere
 * in the module. `order` lists the functions, callees before callers. The module must obey all
 * other rules. The arena is used for temporary data. */
bool norn_find_missing_output(NornArena *arena, const NornModule *module, const uint32_t *order,
                              NornMissingOutput *missing);

#endif
