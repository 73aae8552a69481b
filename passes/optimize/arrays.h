/* Arrays of the shader: allocas whose addresses, and sums of these, are used for nothing but loads
 * and stores. What one of them holds may be known to be in other memory as well; then it goes, and
 * its loads read that. */
#ifndef NORN_PASSES_OPTIMIZE_ARRAYS_H
#define NORN_PASSES_OPTIMIZE_ARRAYS_H

#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "passes/pass.h"

/* Bytes behind an address that the offset of an access reaches. */
#define NORN_ARRAY_REACH 16384

typedef struct NornArray {
  uint32_t inst, bytes;
  bool escapes; /* something else is done with its address */
} NornArray;

typedef struct NornArrayAccess {
  uint32_t inst, array;
} NornArrayAccess;

typedef struct NornArrays {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NORN_LIST(NornArray) items;
  NORN_LIST(NornArrayAccess) accesses; /* loads and stores, each behind those that dominate it */
  uint32_t *array_of;                  /* by value: in which its address is, or NORN_INDEX_NONE */
} NornArrays;

NornArrays norn_arrays_find(NornPassContext *context, NornFunction *function);

/* Adds to `place` how far behind the array's start an address is; false if that is not constant. */
bool norn_array_place(const NornArrays *arrays, NornRef address, uint32_t array, int64_t *place);

/* Erases those arrays that go, by number, and their stores: their addresses count from 0. */
void norn_arrays_erase(const NornArrays *arrays, const bool *goes);

/* The index of a load of `size` bytes, `offset` behind it, such that it stays in the first `bytes`
 * of the array. */
NornRef norn_array_limit_index(const NornArrays *arrays, NornBuilder *builder, uint32_t bytes,
                               unsigned size, NornRef index, int64_t *offset);

#endif
