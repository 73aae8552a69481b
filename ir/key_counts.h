/* Counts by key, for a number of keys that is known in advance: open addressing. */
#ifndef NORN_IR_KEY_COUNTS_H
#define NORN_IR_KEY_COUNTS_H

#include "ir/arena.h"

typedef struct NornKeyCount {
  uint64_t key;
  uint32_t count; /* 0: free */
} NornKeyCount;

typedef struct NornKeyCounts {
  NornKeyCount *slots;
  uint32_t mask;
} NornKeyCounts;

/* Makes room for this many different keys, each with count 0. */
static inline NornKeyCounts
norn_key_counts_new(NornArena *arena, uint32_t keys) {
  uint64_t capacity = 4;
  while (capacity < UINT64_C(2) * keys)
    capacity *= 2;
  return (NornKeyCounts){NORN_NEW0(arena, NornKeyCount, capacity), (uint32_t)(capacity - 1)};
}

/* The count of the key, to be read or increased before another key is looked up. The key is a hash:
 * its low bits are well distributed. */
static inline uint32_t *
norn_key_count(NornKeyCounts *counts, uint64_t key) {
  uint32_t slot = (uint32_t)key & counts->mask;
  while (counts->slots[slot].count && counts->slots[slot].key != key)
    slot = (slot + 1) & counts->mask;
  counts->slots[slot].key = key;
  return &counts->slots[slot].count;
}

#endif
