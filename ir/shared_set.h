/* Sets of small numbers that share what they have in common.
 *
 * A set is a tree over the bits of its numbers: words of 64 of them, below nodes of NORN_SET_FAN
 * parts. Nodes never change, so what two sets have alike is there once, and operations leave out
 * what is the same node on both sides: they cost about as much as the sets differ. With 64 numbers
 * at most a set is one word.
 *
 * Sets that are the same value are equal; equal ones need not be the same value. */
#ifndef NORN_IR_SHARED_SET_H
#define NORN_IR_SHARED_SET_H

#include "ir/arena.h"
#include "ir/ir.h"

#define NORN_SET_FAN_LOG 3
#define NORN_SET_FAN (1 << NORN_SET_FAN_LOG)

/* A word at height 0, else a node (norn_set_node); 0: empty. */
typedef uint64_t NornSet;

typedef struct NornSetNode {
  NornSet part[NORN_SET_FAN]; /* of numbers that follow each other, lower ones first */
  uint32_t number;            /* among all nodes of the space */
} NornSetNode;

/* What sets are made in that have to do with each other. */
typedef struct NornSetSpace {
  NornArena *arena;
  unsigned height; /* of nodes over words */
  uint32_t node_count;
  uint32_t first_own; /* number of a node: from it on they may change */
} NornSetSpace;

/* For numbers below `count`. */
NornSetSpace norn_set_space(NornArena *arena, uint32_t count);

static inline const NornSetNode *
norn_set_node(NornSet set) {
  return (const NornSetNode *)(uintptr_t)set;
}

/* By how much a number is shifted to the part that it is in, of a node so high. */
static inline unsigned
norn_set_shift(unsigned height) {
  return 6 + (height - 1) * NORN_SET_FAN_LOG;
}

/* The word of the number. */
uint64_t norn_set_word(const NornSetSpace *space, NornSet set, uint32_t number);

static inline bool
norn_set_has(const NornSetSpace *space, NornSet set, uint32_t number) {
  return (space->height ? norn_set_word(space, set, number) : set) >> number % 64 & 1;
}

/* The first number from `number` on in the set, or NORN_INDEX_NONE. */
uint32_t norn_set_next(const NornSetSpace *space, NornSet set, uint32_t number);

/* Sets with one number more, or less. Nodes made since norn_set_begin_edit was called last belong
 * to the set that is edited alone, so they are changed where they are. */
static inline void
norn_set_begin_edit(NornSetSpace *space) {
  space->first_own = space->node_count;
}
NornSet norn_set_with(NornSetSpace *space, NornSet set, uint32_t number);
NornSet norn_set_less(NornSetSpace *space, NornSet set, uint32_t number);

/* The same value as `a`, or as `b`, if it is equal to that. */
NornSet norn_set_union(NornSetSpace *space, NornSet a, NornSet b);

/* The same value as `a` if it has nothing of `b`. */
NornSet norn_set_without(NornSetSpace *space, NornSet a, NornSet b);

#endif
