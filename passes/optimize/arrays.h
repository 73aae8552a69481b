/* Local arrays of the shader: allocas whose addresses, and sums of these, are used only by loads
 * and stores. They can be removed if their contents are kept in registers, or are known to be in
 * other memory as well. */
#ifndef NORN_PASSES_OPTIMIZE_ARRAYS_H
#define NORN_PASSES_OPTIMIZE_ARRAYS_H

#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "passes/pass.h"

/* The offset of an access reaches this many bytes past its address. */
#define NORN_ARRAY_REACH 16384

typedef struct NornArray {
  uint32_t inst, bytes;
  bool escapes; /* its address has other uses, or is used together with another one */
} NornArray;

typedef struct NornArrayAccess {
  uint32_t inst, array;
} NornArrayAccess;

typedef struct NornArrays {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  NORN_LIST(NornArray) items;
  NORN_LIST(NornArrayAccess) accesses; /* loads and stores, each after those that dominate it */
  uint32_t *array_of; /* by value: the array whose address it is, or NORN_INDEX_NONE */
} NornArrays;

NornArrays norn_arrays_find(NornPassContext *context, NornFunction *function);

/* Adds the distance of an address from the array's start to `place`; false if it is not
 * constant. */
bool norn_array_place(const NornArrays *arrays, NornRef address, uint32_t array, int64_t *place);

/* Erases the arrays whose elements of `goes` are set, and their stores; addresses in them then
 * count from 0. */
void norn_arrays_erase(const NornArrays *arrays, const bool *goes);

/* The index for a load of `size` bytes at `*offset`, limited so that the load stays within the
 * first `bytes` of the array. */
NornRef norn_array_limit_index(const NornArrays *arrays, NornBuilder *builder, uint32_t bytes,
                               unsigned size, NornRef index, int64_t *offset);

#endif
