/* The compiler in one list: a module goes through these passes from top to bottom. */
#include "compiler/pipeline.h"

#define REQUIRED(pass)                                                                             \
  { NORN_PASS_##pass, 0, false }
#define FROM_LEVEL(level, pass)                                                                    \
  { NORN_PASS_##pass, level, true }

const NornStep norn_pipeline[] = {
    FROM_LEVEL(1, OPTIMIZE),
};

const unsigned norn_pipeline_steps = G_N_ELEMENTS(norn_pipeline);
