/* Sets of small numbers that share their common parts.
 *
 * A set is a tree over the bits of its numbers: words of 64 numbers below nodes with NORN_SET_FAN
 * parts. Nodes never change, so parts that two sets have in common are stored once, and operations
 * skip parts that are the same node on both sides: their cost is proportional to how much the sets
 * differ. A set of numbers below 64 is a single word.
 *
 * Sets with the same representation are equal; equal sets may have different representations. */
#ifndef NORN_IR_SHARED_SET_H
#define NORN_IR_SHARED_SET_H

#include "ir/arena.h"
#include "ir/ir.h"

#define NORN_SET_FAN_LOG 3
#define NORN_SET_FAN (1 << NORN_SET_FAN_LOG)

/* A word at height 0, else a node (norn_set_node); 0: empty. */
typedef uint64_t NornSet;

typedef struct NornSetNode {
  NornSet part[NORN_SET_FAN]; /* of consecutive ranges of numbers, lower ones first */
  uint32_t number;            /* unique among the nodes of the space */
} NornSetNode;

/* The space that related sets are created in. */
typedef struct NornSetSpace {
  NornArena *arena;
  unsigned height; /* of the nodes above the words */
  uint32_t node_count;
  uint32_t first_own; /* nodes with this number or a higher one may change */
} NornSetSpace;

/* Creates a space for numbers below `count`. */
NornSetSpace norn_set_space(NornArena *arena, uint32_t count);

static inline const NornSetNode *
norn_set_node(NornSet set) {
  return (const NornSetNode *)(uintptr_t)set;
}

/* The shift from a number to the index of its part in a node of that height. */
static inline unsigned
norn_set_shift(unsigned height) {
  return 6 + (height - 1) * NORN_SET_FAN_LOG;
}

/* The word that contains the number. */
uint64_t norn_set_word(const NornSetSpace *space, NornSet set, uint32_t number);

static inline bool
norn_set_has(const NornSetSpace *space, NornSet set, uint32_t number) {
  return (space->height ? norn_set_word(space, set, number) : set) >> number % 64 & 1;
}

/* The first number from `number` on in the set, or NORN_INDEX_NONE. */
uint32_t norn_set_next(const NornSetSpace *space, NornSet set, uint32_t number);

/* The set with one number added or removed. Nodes created since the last call of
 * norn_set_begin_edit belong only to the set being edited, so they are changed in place. */
static inline void
norn_set_begin_edit(NornSetSpace *space) {
  space->first_own = space->node_count;
}
NornSet norn_set_with(NornSetSpace *space, NornSet set, uint32_t number);
NornSet norn_set_less(NornSetSpace *space, NornSet set, uint32_t number);

/* The union. The result is `a` or `b` itself if it is equal to that set. */
NornSet norn_set_union(NornSetSpace *space, NornSet a, NornSet b);

/* The difference. The result is `a` itself if the sets have nothing in common. */
NornSet norn_set_without(NornSetSpace *space, NornSet a, NornSet b);

#endif
