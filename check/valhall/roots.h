/* The roots that addresses are sums on: memory accesses at sums on different roots do not overlap.
 *
 * Roots are the uniform words of addresses that are promised to be noalias, the pointer to
 * workgroup memory, and the constant data, which is never written. An address is identified by a
 * base made of the ids of its two words. Facts about a base are valid in every iteration of a
 * loop, since they describe how the address is computed. */
#ifndef NORN_CHECK_VALHALL_ROOTS_H
#define NORN_CHECK_VALHALL_ROOTS_H

#include "check/valhall/code.h"

typedef struct NornRoots {
  GHashTable *of; /* base -> root */
  bool has_data;
  uint32_t high; /* the id of the high word of addresses of constant data */
} NornRoots;

/* The id of a word of a source that is not a register. */
typedef uint32_t (*NornWordOfSource)(const NornCodeSource *source, unsigned word, gpointer data);

static inline uint64_t
norn_base(uint32_t low, uint32_t high) {
  return (uint64_t)high << 32 | low;
}

/* Enters the roots themselves. */
void norn_roots_init(NornRoots *roots, const NornCheckInput *input, NornWordOfSource word,
                     gpointer data);
void norn_roots_clear(NornRoots *roots);

/* Enters an address of constant data by the id of its low word. */
void norn_roots_enter_data(NornRoots *roots, uint32_t low);

/* Whether there are roots other than the pointer to workgroup memory; otherwise they are of no
 * use. */
bool norn_roots_matter(const NornRoots *roots);
/* The base's root; 0: unknown, or several. */
uint32_t norn_roots_find(const NornRoots *roots, uint64_t base);

/* The sources, as a bit set, that are terms of the sum that the instruction computes; empty if
 * it computes something else. */
unsigned norn_roots_terms(const NornWordInst *inst);
/* Enters the result of such an instruction; `bases` holds the bases of its terms, by source. */
void norn_roots_enter_sum(NornRoots *roots, unsigned terms, const uint64_t *bases, uint64_t result);

#endif
