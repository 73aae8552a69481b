/* Unrolling of loops: unroll_loops.c and peel_loops.c choose the loops, unroll_copies.c copies
 * their blocks, and unroll_with_limit.c makes copies a loop of their own. */
#ifndef NORN_PASSES_OPTIMIZE_UNROLL_LOOPS_H
#define NORN_PASSES_OPTIMIZE_UNROLL_LOOPS_H

#include "ir/analysis/convergence.h"
#include "ir/analysis/dominance.h"
#include "ir/analysis/trip_count.h"
#include "passes/pass.h"

/* Maximum nesting depth of loops inside of a loop. */
#define UNROLL_MAX_HEIGHT 4
/* Maximum number of iterations that are evaluated, unless they are to be unrolled fully. */
#define UNROLL_MAX_EVALUATED 1024

/* What becomes of the copies of a loop's blocks, which are iterations 1 and on, and of the existing
 * blocks, which are iteration 0. */
typedef enum UnrollKind {
  UNROLL_FULLY,     /* each is executed once */
  UNROLL_PARTIALLY, /* the last copy leads back to iteration 0 */
  UNROLL_TO_LIMIT,  /* the copies are a loop before the existing one: see unroll_with_limit.c */
  UNROLL_FIRST,     /* iteration 0 is executed once, and its copy is the loop: see peel_loops.c */
} UnrollKind;

/* A branch or selection whose condition is `first` in the first iteration of a loop, and the other
 * value in all later ones. */
typedef struct FirstTest {
  uint32_t inst;
  bool first;
} FirstTest;

/* Facts about the loop with a given header. */
typedef struct LoopFacts {
  uint32_t size;    /* instructions, including those of inner loops */
  uint32_t cost;    /* the number of them that are expected to remain in copies */
  uint32_t counted; /* the number of these that become constant if the loop's counters do */
  uint32_t height;
  uint32_t plan; /* the plan for the loop, counted from 1; 0: none */
  bool has_plan_inside;
  bool has_textures;
  bool is_convergent; /* something in it depends on which lanes execute it */
  bool has_neighbors; /* an iteration loads what is next to what the previous one loads */
  bool has_arrays; /* arrays are accessed at offsets that are known once it and the loops around it
                      are unrolled */
  NORN_LIST(FirstTest) first_tests; /* if it may be peeled */
} LoopFacts;

/* A loop to be unrolled. */
typedef struct UnrollPlan {
  uint32_t header;
  UnrollKind kind;
  NornTripCount trips; /* if it is unrolled fully or partially; otherwise trips.exit and trips.edge
                          may say which exit goes last */
  NornLimit limit;     /* if it is unrolled to the limit */
  uint32_t last;       /* the last iteration that has blocks of its own */

  /* When the copies are made: */
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
  LoopFacts *facts;  /* by header */
  uint32_t *counted; /* by value: the header of the loop whose counters alone it depends on, or
                        NORN_INDEX_NONE */
  uint64_t size;     /* instructions of the function after unrolling */
  uint32_t max_cost; /* of a loop without arrays */
  uint32_t factor;   /* unroll-partially: the most iterations */
  NORN_LIST(UnrollPlan) plans;
  bool knows_divergence; /* NORN_INST_DIVERGENT is up to date */

  /* When the copies are made: */
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

/* The copy of a block of the plan in an iteration, or NORN_INDEX_NONE as above. */
static inline uint32_t
norn_unroll_copy_of(const Unroller *unroller, const UnrollPlan *plan, uint32_t iteration,
                    uint32_t block) {
  return norn_unroll_block(plan, iteration, unroller->number_of[block]);
}

/* How many iterations of a loop are expected if their number is not known. */
static inline uint32_t
norn_unroll_expected(const NornFunction *function, uint32_t header) {
  NornLoopHints hints = norn_loop_hints(function, header);
  return hints.iterations || hints.is_rest ? hints.iterations : NORN_ASSUMED_ITERATIONS;
}

static inline NornNaturalLoop
norn_unroll_loop(const Unroller *unroller, uint32_t header) {
  return (NornNaturalLoop){unroller->function, unroller->dominance, header};
}

/* norn_find_trip_count() for the loop, whose work is counted. */
bool norn_unroll_find_trip_count(const Unroller *unroller, uint32_t header, uint32_t max_last,
                                 NornTripCount *found);

/* Adds the plan if its copies are small enough. */
bool norn_unroll_add_plan(Unroller *unroller, const UnrollPlan *plan, uint32_t max_cost);

/* How to choose loops. */
typedef struct UnrollChoice {
  void (*measure)(const Unroller *unroller);             /* nullable: adds facts about all loops */
  bool (*try_loop)(Unroller *unroller, uint32_t header); /* adds a plan for a loop, if it pays */
  unsigned max_cost; /* of a loop without arrays; 0: the usual one */
} UnrollChoice;

/* Unrolls the loops that are chosen. */
void norn_unroll_loops(NornPassContext *context, NornFunction *function,
                       const UnrollChoice *choice);

/* Replaces the loops that are planned by their copies. */
void norn_unroll_make_copies(Unroller *unroller);

/* Before the copy is made, decides these tests as in later iterations. */
void norn_unroll_begin_peeling(const Unroller *unroller, const UnrollPlan *plan);

/* Then decides them in the existing blocks as in the first iteration. */
void norn_unroll_end_peeling(const Unroller *unroller, const UnrollPlan *plan);

/* Makes the copies of a loop with a limit a loop of their own, before the existing one. */
void norn_unroll_make_loop(const Unroller *unroller, UnrollPlan *plan);

#endif
