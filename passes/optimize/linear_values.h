/* Values that grow by the same amount in each iteration of a loop, for strength reduction. */
#ifndef NORN_PASSES_OPTIMIZE_LINEAR_VALUES_H
#define NORN_PASSES_OPTIMIZE_LINEAR_VALUES_H

#include "ir/analysis/dominance.h"
#include "ir/replacements.h"
#include "passes/pass.h"

#define MAX_CHAIN 32 /* instructions that may go with a value, or come for it */

/* What is known of a value in the loop at hand. */
typedef struct ValueFacts {
  uint32_t loop;    /* which facts are valid for: its header + 1 */
  uint32_t counter; /* a linear value: the parameter that counts; else NO_COUNTER */
  uint8_t depth;
  bool is_fixed;      /* the same in all iterations */
  bool is_stored;     /* a store reads it, maybe long after it has been issued */
  bool is_accessed;   /* each iteration loads from there */
  NornRef begin;      /* of a linear value, what it begins with; 0: not built yet */
  NornRef step;       /* of a linear value; 0: not built yet */
  NornRef next;       /* of a counter: what a back edge gives for it */
  uint32_t claimed;   /* uses by what would go */
  uint32_t addresses; /* of a counter: those it indexes that each iteration loads from */
} ValueFacts;

enum { NO_COUNTER = UINT32_MAX };

typedef struct StrengthReduction {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NornReplacements replacements;
  NornIndexList *blocks;            /* by header: of its loop, in reverse postorder */
  NornRegisterCounts *max_pressure; /* by header: the most that its loop needs */
  NornRegisterCounts limit;
  uint32_t *uses;             /* by value */
  ValueFacts *facts;          /* by value */
  uint32_t capacity;          /* of the two */
  NornIndexList linear;       /* instructions of the loop at hand with such results, in order */
  uint32_t header, preheader; /* of the loop at hand */
  uint32_t latch;             /* the nearest block that each of its iterations comes to last */
  bool takes_addresses;       /* it has no loop inside and writes no memory */
  unsigned counted;           /* instructions in front of it */
  bool changed;
} StrengthReduction;

/* What to do where something in front of the loop takes an instruction: nothing, count it, make it.
 */
typedef enum { LEAVE, COUNT, BUILD } Effort;

/* Makes room for facts of new values. */
void norn_linear_grow(StrengthReduction *pass);
/* Operand k, as it is called now. */
NornRef norn_linear_operand(const StrengthReduction *pass, const NornInst *inst, unsigned k);
/* Counts what a new instruction uses. */
void norn_linear_count_uses(StrengthReduction *pass, uint32_t inst);
/* The facts of a value in the loop at hand; NULL: there are none yet. */
ValueFacts *norn_linear_facts(const StrengthReduction *pass, NornRef ref);
/* Whether the value is the same in all iterations of the loop, and can be in front of it. */
bool norn_linear_is_fixed(const StrengthReduction *pass, NornRef ref);
/* What the value is in the first iteration. */
NornRef norn_linear_begin(StrengthReduction *pass, Effort effort, NornRef ref);
/* How much more the value is in each iteration, or an address before it is shifted. */
NornRef norn_linear_step(StrengthReduction *pass, Effort effort, NornRef ref);
/* Finds the facts of what an instruction of the loop computes, those before it being known. */
void norn_linear_classify(StrengthReduction *pass, uint32_t index);
/* How many parameters of the header are counters. */
unsigned norn_linear_find_counters(StrengthReduction *pass);

#endif
