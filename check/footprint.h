/* The memory that messages in flight access, as conservative sets: they may say too much but never
 * too little.
 *
 * A set keeps ranges of bytes for each base and kind of access. A base is a number that the
 * caller assigns to an address. When the base gets another value, accesses relative to it may be
 * anywhere that their root allows. Atomic accesses that perform the same operation on memory and
 * return nothing need no order. */
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
  uint64_t operand;   /* of an atomic access, as a base; ANYWHERE: it has none */
  uint32_t combine;   /* a number for its operation and size; 0: not an atomic access, or one with a
                         result */
  uint32_t root;      /* a number from the caller: accesses with different roots other than 0 do not
                         overlap */
  uint8_t spaces;     /* NornMemorySpace: accesses in different spaces share no byte */
  bool reads, writes;
} NornFootprint;

/* A set; NULL is the empty one. */
typedef GArray NornFootprints;

/* Adds an access; returns whether the set changed. */
bool norn_footprints_add(NornFootprints **set, const NornFootprint *access);
/* Whether future accesses may be relative to the base. */
typedef bool (*NornIsBase)(uint64_t base, gconstpointer data);
/* Adds all of another set; returns whether this one changed. Accesses relative to something that
 * is no longer a base may be anywhere (if `is_base` is NULL, everything still is a base). That
 * loses nothing for future accesses, and keeps sets small where paths join. */
bool norn_footprints_merge(NornFootprints **into, const NornFootprints *from, NornIsBase is_base,
                           gconstpointer data);
/* Whether some access in the set may touch the same bytes and one of the two writes them. */
bool norn_footprints_conflict(const NornFootprints *set, const NornFootprint *access);
/* Bases and operands with `half` as their low or high 32 bits get another value. */
void norn_footprints_forget(NornFootprints *set, uint32_t half);
void norn_footprints_clear(NornFootprints **set);

/* The same for two accesses. */
bool norn_footprint_conflicts(const NornFootprint *a, const NornFootprint *b);

#endif
