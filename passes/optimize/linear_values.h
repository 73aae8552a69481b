/* Values that grow by the same amount in each iteration of a loop, for strength reduction. */
#ifndef NORN_PASSES_OPTIMIZE_LINEAR_VALUES_H
#define NORN_PASSES_OPTIMIZE_LINEAR_VALUES_H

#include "ir/analysis/dominance.h"
#include "ir/replacements.h"
#include "passes/loop_registers.h"

#define MAX_CHAIN 32 /* instructions that may be removed with a value, or added for it */

/* Facts about a value in the current loop. */
typedef struct ValueFacts {
  uint32_t loop;    /* the loop that the facts are valid for: its header + 1 */
  uint32_t counter; /* of a linear value: the parameter that is its counter; else NO_COUNTER */
  uint8_t depth;
  bool is_fixed;    /* the same in all iterations */
  bool is_stored;   /* a store reads it, possibly long after it was issued */
  bool is_accessed; /* each iteration loads from this address */
  bool begin_is_computed, step_is_computed; /* it took an instruction when LEAVE asked for it */
  NornRef begin;      /* of a linear value: its initial value; 0: not built yet */
  NornRef step;       /* of a linear value; 0: not built yet */
  NornRef next;       /* of a counter: the argument that a back edge passes for it */
  NornRef previous;   /* of a linear value: the one before it in its list in `alike`; 0: none */
  uint32_t hash;      /* the same for values that are computed in the same way */
  uint32_t claimed;   /* uses by instructions that would be removed */
  uint32_t addresses; /* of a counter: the number of addresses that it indexes and each iteration
                         loads from */
} ValueFacts;

enum { NO_COUNTER = UINT32_MAX };
/* Lists of linear values: enough that few that are not equal share one. */
enum { ALIKE_LISTS = 256 };

typedef struct StrengthReduction {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  NornIndexList *blocks; /* by header: the blocks of its loop, in reverse postorder */
  NornLoopRegisters loops;
  uint32_t *uses;             /* by value */
  ValueFacts *facts;          /* by value */
  uint32_t capacity;          /* of `uses` and `facts` */
  NornIndexList linear;       /* instructions of the current loop with linear results, in order */
  NornRef alike[ALIKE_LISTS]; /* by hash: the last linear value of the current loop; 0: none */
  uint32_t header, preheader; /* of the current loop */
  uint32_t latch;             /* the nearest common dominator of its latches */
  bool takes_addresses;       /* it contains no loop and writes no memory */
  unsigned counted;           /* instructions needed in the preheader */
  bool changed;
} StrengthReduction;

/* What to do if something in the preheader takes an instruction: nothing, count it, or build it. */
typedef enum { LEAVE, COUNT, BUILD } Effort;

/* Makes room for facts of new values. */
void norn_linear_grow(StrengthReduction *pass);
/* Operand k after the replacements so far. */
NornRef norn_linear_operand(const StrengthReduction *pass, const NornInst *inst, unsigned k);
/* The facts of the index of an address, which is a shifted word, or a base and such a word; NULL if
 * it is something else or invariant. */
ValueFacts *norn_linear_index(const StrengthReduction *pass, const NornInst *address);
/* Adds the uses by a new instruction. */
void norn_linear_count_uses(StrengthReduction *pass, uint32_t inst);
/* The facts about a value in the current loop; NULL if there are none yet. */
ValueFacts *norn_linear_facts(const StrengthReduction *pass, NornRef ref);
/* Whether the value is the same in all iterations of the loop and can be moved to the preheader. */
bool norn_linear_is_fixed(const StrengthReduction *pass, NornRef ref);
/* Whether two linear values are computed in the same way, whichever blocks of the loop they are in.
 */
bool norn_linear_equal(const StrengthReduction *pass, NornRef a, NornRef b);
/* The value in the first iteration. */
NornRef norn_linear_begin(StrengthReduction *pass, Effort effort, NornRef ref);
/* How much the value grows in each iteration; of an address, how much its index does. */
NornRef norn_linear_step(StrengthReduction *pass, Effort effort, NornRef ref);
/* Finds the facts about the results of an instruction of the loop; those of earlier ones are
 * known. */
void norn_linear_classify(StrengthReduction *pass, uint32_t index);
/* How many parameters of the header are counters. */
unsigned norn_linear_find_counters(StrengthReduction *pass);

#endif
