/* Tables of values: code that finds the one that an index chooses, without memory. */
#ifndef NORN_PASSES_OPTIMIZE_LOOKUP_TABLE_H
#define NORN_PASSES_OPTIMIZE_LOOKUP_TABLE_H

#include "ir/builder.h"
#include "passes/pass.h"

/* Elements of a table at most. */
#define MAX_TABLE_ELEMENTS 1024

typedef struct LookupTable {
  NornType type; /* of the elements, see norn_can_be_table */
  uint32_t count;
  const NornRef *elements; /* by index: values that are there for the code, or constants */
} LookupTable;

/* Ways to find an element. */
typedef enum {
  LOOKUP_RUNS,     /* compare the index with where runs of equal elements end */
  LOOKUP_TREES,    /* select by one bit of the index after the other */
  LOOKUP_SIGNS,    /* two elements: make a bit of a word the sign, to choose by */
  LOOKUP_CHOICES,  /* few elements: compare a code of some bits, out of packed words */
  LOOKUP_LINEAR,   /* base + code * step */
  LOOKUP_SEQUENCE, /* base + index * step */
} LookupMethod;

typedef struct LookupPlan {
  LookupMethod method;
  uint32_t cost;          /* instructions, once the index is there */
  unsigned code_bits;     /* a power of two */
  uint32_t base, step;    /* bits of the type */
  uint32_t choice_count;  /* different elements */
  const NornRef *choices; /* which */
  const uint32_t *codes;  /* by index */
} LookupPlan;

/* The greatest common divisor; 0 is divided by all numbers. */
static inline uint64_t
norn_greatest_divisor(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Whether the type can be that of elements. */
static inline bool
norn_can_be_table(NornType type) {
  return type == NORN_TYPE_F16 || type == NORN_TYPE_F32 || type == NORN_TYPE_I8 ||
         type == NORN_TYPE_I16 || type == NORN_TYPE_I32;
}

/* The way that takes the fewest instructions. What it refers to lives in the context's arena. */
LookupPlan norn_plan_lookup(NornPassContext *context, const LookupTable *table);

/* The element of that index, an i32 below table->count. */
NornRef norn_build_lookup(NornBuilder *builder, const LookupTable *table, const LookupPlan *plan,
                          NornRef index);

#endif
