/* What addresses are sums on: memory at sums on different roots is apart.
 *
 * Roots are the uniform words of addresses that are promised to be noalias, the pointer to
 * workgroup memory, and the constant data, which nothing writes. An address is named by a base,
 * made of ids for its two words; what is known of a base holds whatever the iteration of a loop, as
 * it says how the address is computed. */
#ifndef NORN_CHECK_VALHALL_ROOTS_H
#define NORN_CHECK_VALHALL_ROOTS_H

#include "check/valhall/code.h"

typedef struct NornRoots {
  GHashTable *of; /* base -> root */
  bool has_data;
  uint32_t high; /* the id of the high word of addresses of constant data */
} NornRoots;

/* The id of a word of a source that is no register. */
typedef uint32_t (*NornWordOfSource)(const NornCodeSource *source, unsigned word, gpointer data);

static inline uint64_t
norn_base(uint32_t low, uint32_t high) {
  return (uint64_t)high << 32 | low;
}

/* Enters the roots themselves. */
void norn_roots_init(NornRoots *roots, const NornCheckInput *input, NornWordOfSource word,
                     gpointer data);
void norn_roots_clear(NornRoots *roots);

/* Enters an address of constant data, by the id of its low word. */
void norn_roots_enter_data(NornRoots *roots, uint32_t low);

/* Whether there are any but the pointer: else they say nothing. */
bool norn_roots_matter(const NornRoots *roots);
/* The base's root; 0: none is known, or there are several. */
uint32_t norn_roots_find(const NornRoots *roots, uint64_t base);

/* The sources, as a set, that are terms of the sum which the instruction computes; none if it
 * computes anything else. */
unsigned norn_roots_terms(const NornWordInst *inst);
/* Enters the result of such an instruction; `bases` are those of its terms, by source. */
void norn_roots_enter_sum(NornRoots *roots, unsigned terms, const uint64_t *bases, uint64_t result);

#endif
