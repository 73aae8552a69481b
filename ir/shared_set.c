/* Sets that share their common parts; see ir/shared_set.h. */
#include "ir/shared_set.h"

NornSetSpace
norn_set_space(NornArena *arena, uint32_t count) {
  NornSetSpace space = {.arena = arena};
  while (count > UINT64_C(64) << space.height * NORN_SET_FAN_LOG)
    space.height++;
  return space;
}

static NornSetNode *
new_node(NornSetSpace *space, const NornSet *parts) {
  NornSetNode *node = NORN_NEW(space->arena, NornSetNode, 1);
  memcpy(node->part, parts, sizeof node->part);
  node->number = space->node_count++;
  return node;
}

/* A set with these parts. */
static NornSet
make_set(NornSetSpace *space, const NornSet *parts) {
  NornSet any = 0;
  for (unsigned k = 0; k < NORN_SET_FAN; k++)
    any |= parts[k];
  return any ? (NornSet)(uintptr_t)new_node(space, parts) : 0;
}

/* A copy of the set's node that may be changed, or the node itself if that may be changed. */
static NornSetNode *
own_node(NornSetSpace *space, NornSet set) {
  static const NornSet nothing[NORN_SET_FAN];
  const NornSetNode *node = norn_set_node(set);
  if (node && node->number >= space->first_own)
    return (NornSetNode *)(uintptr_t)set;
  return new_node(space, node ? node->part : nothing);
}

static NornSet
edit(NornSetSpace *space, NornSet set, uint32_t number, bool add) {
  NornSet result = 0, *at = &result;
  for (unsigned height = space->height; height; height--) {
    NornSetNode *node = own_node(space, set);
    *at = (NornSet)(uintptr_t)node;
    at = &node->part[number >> norn_set_shift(height) & (NORN_SET_FAN - 1)];
    set = *at;
  }
  uint64_t bit = UINT64_C(1) << number % 64;
  *at = add ? set | bit : set & ~bit;
  return result;
}

NornSet
norn_set_with(NornSetSpace *space, NornSet set, uint32_t number) {
  return norn_set_has(space, set, number) ? set : edit(space, set, number, true);
}

NornSet
norn_set_less(NornSetSpace *space, NornSet set, uint32_t number) {
  return norn_set_has(space, set, number) ? edit(space, set, number, false) : set;
}

uint64_t
norn_set_word(const NornSetSpace *space, NornSet set, uint32_t number) {
  for (unsigned height = space->height; height && set; height--)
    set = norn_set_node(set)->part[number >> norn_set_shift(height) & (NORN_SET_FAN - 1)];
  return set;
}

static uint32_t
next_below(NornSet set, unsigned height, uint32_t number) {
  if (!height) {
    set &= UINT64_MAX << number;
    return set ? (uint32_t)__builtin_ctzll(set) : NORN_INDEX_NONE;
  }
  unsigned shift = norn_set_shift(height);
  uint32_t from = number & ((UINT32_C(1) << shift) - 1);
  for (uint32_t k = number >> shift; k < NORN_SET_FAN; k++, from = 0) {
    NornSet part = norn_set_node(set)->part[k];
    uint32_t next = part ? next_below(part, height - 1, from) : NORN_INDEX_NONE;
    if (next != NORN_INDEX_NONE)
      return (k << shift) + next;
  }
  return NORN_INDEX_NONE;
}

uint32_t
norn_set_next(const NornSetSpace *space, NornSet set, uint32_t number) {
  bool is_beyond = number >= UINT64_C(64) << space->height * NORN_SET_FAN_LOG;
  return set && !is_beyond ? next_below(set, space->height, number) : NORN_INDEX_NONE;
}

static NornSet
unite(NornSetSpace *space, NornSet a, NornSet b, unsigned height) {
  if (a == b || !b)
    return a;
  if (!a || !height)
    return a | b;
  NornSet parts[NORN_SET_FAN];
  bool is_a = true, is_b = true;
  for (unsigned k = 0; k < NORN_SET_FAN; k++) {
    NornSet left = norn_set_node(a)->part[k], right = norn_set_node(b)->part[k];
    parts[k] = height == 1 ? left | right : unite(space, left, right, height - 1);
    is_a &= parts[k] == left;
    is_b &= parts[k] == right;
  }
  return is_a ? a : is_b ? b : make_set(space, parts);
}

NornSet
norn_set_union(NornSetSpace *space, NornSet a, NornSet b) {
  return unite(space, a, b, space->height);
}

static NornSet
take_out(NornSetSpace *space, NornSet a, NornSet b, unsigned height) {
  if (!a || !b)
    return a;
  if (a == b)
    return 0;
  if (!height)
    return a & ~b;
  NornSet parts[NORN_SET_FAN];
  bool is_a = true;
  for (unsigned k = 0; k < NORN_SET_FAN; k++) {
    NornSet left = norn_set_node(a)->part[k], right = norn_set_node(b)->part[k];
    parts[k] = height == 1 ? left & ~right : take_out(space, left, right, height - 1);
    is_a &= parts[k] == left;
  }
  return is_a ? a : make_set(space, parts);
}

NornSet
norn_set_without(NornSetSpace *space, NornSet a, NornSet b) {
  return take_out(space, a, b, space->height);
}
