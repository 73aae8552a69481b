/* Unrolling of loops: shared by its files; see unroll_loops.c. */
#ifndef NORN_PASSES_OPTIMIZE_UNROLL_LOOPS_H
#define NORN_PASSES_OPTIMIZE_UNROLL_LOOPS_H

#include "ir/analysis/dominance.h"
#include "ir/analysis/trip_count.h"
#include "passes/pass.h"

/* A loop to be unrolled. */
typedef struct UnrollPlan {
  uint32_t header;
  NornTripCount trips;  /* trips.last: NORN_INDEX_NONE if it is not known */
  NornLimit limit;      /* if it is not */
  uint32_t last;        /* the last iteration that has blocks of its own */
  NornIndexList blocks; /* in block order */
  bool *in_last;        /* by number in the list: whether the last iteration has it */
  uint32_t *copies;     /* blocks, by iteration and number in the list; NORN_INDEX_NONE: none */
  NornRef nearer_limit; /* see build_nearer_limit */
  uint32_t entry, rest; /* new blocks before the copies and behind them */
} UnrollPlan;

typedef struct Unroller {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  struct LoopFacts *facts; /* by header */
  uint64_t size;           /* instructions of the function after unrolling */
  uint32_t max_cost;       /* of a loop without arrays */
  uint32_t factor;         /* the most iterations to unroll partially; 0: unroll all iterations */
  NORN_LIST(UnrollPlan) plans;
  bool knows_divergence; /* NORN_INST_DIVERGENT is up to date */
  uint32_t block_count;  /* when unrolling began */
  uint32_t *plan_of;     /* by block: plan + 1; 0: none */
  uint32_t *number_of;   /* by block: in the list of its plan */
  uint32_t *copy_of;     /* by value: its copy in the current iteration */
  bool *is_used_outside; /* by value, for loops to be unrolled */
  NornIndexList root;    /* by value: the value that it is a name of */
} Unroller;

/* Block `number` of the list in an iteration; NORN_INDEX_NONE if there is no such iteration or it
 * lacks the block. */
static inline uint32_t
norn_unroll_block(const UnrollPlan *plan, uint32_t iteration, uint32_t number) {
  return iteration > plan->last ? NORN_INDEX_NONE
                                : plan->copies[(size_t)iteration * plan->blocks.count + number];
}

/* Makes the copies of a loop with a limit a loop of their own, before the existing one. */
void norn_unroll_make_loop(const Unroller *unroller, UnrollPlan *plan);

#endif
