/* What messages in flight access of memory, in sets that can say too much but never too little.
 *
 * A set keeps, for each base and kind of access, ranges of bytes. A base is a number of the
 * caller's for an address; when that gets another value, what counted from it may be anywhere that
 * its root leaves. Atomic accesses that combine the same into memory and return nothing have no
 * order. */
#ifndef NORN_CHECK_FOOTPRINT_H
#define NORN_CHECK_FOOTPRINT_H

#include "ir/analysis/alias.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_FOOTPRINT_ANYWHERE UINT64_MAX /* as a base */

typedef struct NornFootprint {
  uint64_t base;
  int64_t start, end; /* bytes from the base */
  uint64_t operand;   /* of an atomic access, named as a base; ANYWHERE: it has none */
  uint32_t combine;   /* a number for its operation and size; 0: it has a result, or is none */
  uint32_t root;  /* a number of the caller's: accesses of different roots, but for 0, are apart */
  uint8_t spaces; /* NornMemorySpace: those of different kinds share no byte */
  bool reads, writes;
} NornFootprint;

/* A set; NULL is the empty one. */
typedef GArray NornFootprints;

/* Adds an access; whether that changed the set. */
bool norn_footprints_add(NornFootprints **set, const NornFootprint *access);
/* Whether an access that is still to come may count from the base. */
typedef bool (*NornIsBase)(uint64_t base, gconstpointer data);
/* Adds all of another set; whether that changed this one. What counts from something that is no
 * base any more (all are if `is_base` is NULL) may be anywhere: that says no less of accesses to
 * come, and keeps sets small where paths join. */
bool norn_footprints_merge(NornFootprints **into, const NornFootprints *from, NornIsBase is_base,
                           gconstpointer data);
/* Whether something in the set may touch the same bytes, and one of the two writes them. Reads of
 * varyings need nothing but to come after what writes them. */
bool norn_footprints_conflict(const NornFootprints *set, const NornFootprint *access);
/* Bases and operands that are made of `half`, in their low or high 32 bits, get another value. */
void norn_footprints_forget(NornFootprints *set, uint32_t half);
void norn_footprints_clear(NornFootprints **set);

/* The same question for two accesses. */
bool norn_footprint_conflicts(const NornFootprint *a, const NornFootprint *b);

#endif
