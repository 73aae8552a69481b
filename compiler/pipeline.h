/* The pipeline: which passes run, in which order, at which level. */
#ifndef NORN_COMPILER_PIPELINE_H
#define NORN_COMPILER_PIPELINE_H

#include "passes/pass.h"

typedef struct NornStep {
  NornPassId pass;
  unsigned level;   /* the least optimization level at which it runs */
  bool is_optional; /* the code is right without it, so --pass-limit may leave it out */
  bool if_changed;  /* only if the passes before it set NornPassContext.changed */
} NornStep;

extern const NornStep norn_pipeline[];
extern const unsigned norn_pipeline_steps;

#endif
