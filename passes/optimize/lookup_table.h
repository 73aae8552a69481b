/* Tables of values: code that finds the element with a given index without memory. */
#ifndef NORN_PASSES_OPTIMIZE_LOOKUP_TABLE_H
#define NORN_PASSES_OPTIMIZE_LOOKUP_TABLE_H

#include "ir/builder.h"
#include "passes/pass.h"

/* Maximum number of elements of a table. */
#define MAX_TABLE_ELEMENTS 1024

typedef struct LookupTable {
  NornType type; /* of the elements, see norn_can_be_table */
  uint32_t count;
  const NornRef *elements; /* by index: constants, or values available to the code */
} LookupTable;

/* Methods to find an element. */
typedef enum {
  LOOKUP_RUNS,     /* compare the index with the ends of runs of equal elements */
  LOOKUP_TREES,    /* select by each bit of the index in turn */
  LOOKUP_SIGNS,    /* two elements: shift a bit of a word to the sign and select by it */
  LOOKUP_CHOICES,  /* few elements: compare a code of a few bits from packed words */
  LOOKUP_LINEAR,   /* base + code * step */
  LOOKUP_SEQUENCE, /* base + index * step */
} LookupMethod;

typedef struct LookupPlan {
  LookupMethod method;
  uint32_t cost;          /* instructions, given the index */
  unsigned code_bits;     /* a power of two */
  uint32_t base, step;    /* bits of the type */
  uint32_t choice_count;  /* different elements */
  const NornRef *choices; /* those elements */
  const uint32_t *codes;  /* by index */
} LookupPlan;

/* Whether elements can have the type. */
static inline bool
norn_can_be_table(NornType type) {
  return type == NORN_TYPE_F16 || type == NORN_TYPE_F32 || type == NORN_TYPE_I8 ||
         type == NORN_TYPE_I16 || type == NORN_TYPE_I32;
}

/* The method that takes the fewest instructions. The arrays of the plan live in the context's
 * arena. */
LookupPlan norn_plan_lookup(NornPassContext *context, const LookupTable *table);

/* The element at an index, an i32 below table->count. */
NornRef norn_build_lookup(NornBuilder *builder, const LookupTable *table, const LookupPlan *plan,
                          NornRef index);

#endif
