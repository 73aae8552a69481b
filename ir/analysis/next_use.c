/* Next-use distances, found by iterating over the blocks backward to a fixed point.
 *
 * The distance at the start of a block is the position of the first use in it, or else the block's
 * length plus the least distance over its successors. An edge that leaves a loop adds LOOP_EXIT, so
 * that uses inside the loop are always nearer. Distances saturate.
 *
 * The distances at a point are a tree over the bits of the value numbers, with the same layout as
 * NornSet: leaves of 64 distances below nodes with NORN_SET_FAN parts. The distances of values that
 * a block does not use all grow by the same amount, so each part of a node has a number to add to
 * everything below it, and the subtrees are shared. The cost of a block is thus roughly
 * proportional to how much its distances otherwise differ. Subtrees in which all distances are the
 * farthest are omitted. If the trees would still take too much memory, every live value counts as
 * moderately far and as used in every loop. */
#include "ir/analysis/next_use.h"

enum {
  LOOP_EXIT = 10000,
  FARTHEST = 60000,
  MODERATE = 1000,
  LEAF = 64,
  MAX_NODES = 1 << 16,
  MAX_NODES_PER_BLOCK = 32
};

/* Nodes are created in `scratch`; those that make up the distances of a block move to `arena`. */
struct NornDistanceNode {
  bool is_kept;
  uint32_t nearest; /* of all distances below */
  union {
    NornDistances part[NORN_SET_FAN];
    uint16_t of[LEAF]; /* in a leaf: at most FARTHEST */
  };
};

static const NornDistances farthest;

static bool
is_same(NornDistances a, NornDistances b) {
  return a.node == b.node && a.more == b.more;
}

static NornDistances
add(NornDistances distances, uint32_t more) {
  more += distances.more;
  if (!distances.node || distances.node->nearest + more >= FARTHEST)
    return farthest;
  return (NornDistances){distances.node, more};
}

/* --- Nodes --- */

static NornDistanceNode *
new_node(NornNextUse *next_use) {
  NornDistanceNode *node = NORN_NEW(&next_use->scratch, NornDistanceNode, 1);
  node->is_kept = false;
  return node;
}

/* Copies the tree to nodes that are kept. */
static NornDistances
keep(NornNextUse *next_use, NornDistances distances, unsigned height) {
  if (!distances.node || distances.node->is_kept)
    return distances;
  NornDistanceNode *node = NORN_NEW(next_use->arena, NornDistanceNode, 1);
  *node = *distances.node;
  node->is_kept = true;
  next_use->nodes++;
  for (unsigned k = 0; height && k < NORN_SET_FAN; k++)
    node->part[k] = keep(next_use, node->part[k], height - 1);
  return (NornDistances){node, distances.more};
}

static NornDistances
make_leaf(NornNextUse *next_use, const uint16_t *distances) {
  uint16_t nearest = FARTHEST;
  for (unsigned k = 0; k < LEAF; k++)
    nearest = MIN(nearest, distances[k]);
  if (nearest == FARTHEST)
    return farthest;
  NornDistanceNode *node = new_node(next_use);
  node->nearest = nearest;
  memcpy(node->of, distances, sizeof node->of);
  return (NornDistances){node, 0};
}

static NornDistances
make_node(NornNextUse *next_use, const NornDistances *parts) {
  uint32_t nearest = FARTHEST;
  for (unsigned k = 0; k < NORN_SET_FAN; k++)
    if (parts[k].node)
      nearest = MIN(nearest, parts[k].node->nearest + parts[k].more);
  if (nearest == FARTHEST)
    return farthest;
  NornDistanceNode *node = new_node(next_use);
  node->nearest = nearest;
  memcpy(node->part, parts, sizeof node->part);
  return (NornDistances){node, 0};
}

static void
read_leaf(NornDistances distances, uint16_t *into) {
  const uint16_t more = (uint16_t)distances.more, limit = (uint16_t)(FARTHEST - more);
  const uint16_t *of = distances.node->of;
  for (unsigned k = 0; k < LEAF; k++)
    into[k] = of[k] > limit ? FARTHEST : (uint16_t)(of[k] + more);
}

static NornDistances
nearer_of_leaves(NornNextUse *next_use, NornDistances a, NornDistances b) {
  uint16_t left[LEAF], right[LEAF], changes_a = 0, changes_b = 0;
  read_leaf(a, left);
  read_leaf(b, right);
  for (unsigned k = 0; k < LEAF; k++) {
    uint16_t min = MIN(left[k], right[k]);
    changes_a |= (uint16_t)(left[k] ^ min);
    changes_b |= (uint16_t)(right[k] ^ min);
    left[k] = min;
  }
  return !changes_a ? a : !changes_b ? b : make_leaf(next_use, left);
}

/* The lesser distance of each value; the tree `a` or `b` itself if the result is equal to it. */
static NornDistances
nearer(NornNextUse *next_use, NornDistances a, NornDistances b, unsigned height) {
  if (a.node == b.node)
    return a.more <= b.more ? a : b;
  if (!a.node || !b.node)
    return a.node ? a : b;
  if (!height)
    return nearer_of_leaves(next_use, a, b);
  NornDistances parts[NORN_SET_FAN];
  bool is_a = true, is_b = true;
  for (unsigned k = 0; k < NORN_SET_FAN; k++) {
    NornDistances left = add(a.node->part[k], a.more), right = add(b.node->part[k], b.more);
    parts[k] = nearer(next_use, left, right, height - 1);
    is_a &= is_same(parts[k], left);
    is_b &= is_same(parts[k], right);
  }
  return is_a ? a : is_b ? b : make_node(next_use, parts);
}

/* Makes the values of the set the farthest. */
static NornDistances
without(NornNextUse *next_use, NornDistances distances, NornSet set, unsigned height) {
  if (!distances.node || !set)
    return distances;
  if (!height) {
    uint16_t leaf[LEAF];
    read_leaf(distances, leaf);
    for (; set; set &= set - 1)
      leaf[__builtin_ctzll(set)] = FARTHEST;
    return make_leaf(next_use, leaf);
  }
  NornDistances parts[NORN_SET_FAN];
  for (unsigned k = 0; k < NORN_SET_FAN; k++)
    parts[k] = without(next_use, add(distances.node->part[k], distances.more),
                       norn_set_node(set)->part[k], height - 1);
  return make_node(next_use, parts);
}

/* Enters the distance of a value, unless it has one already, into a tree that only this function
 * builds. */
static void
enter(NornNextUse *next_use, NornDistances *tree, uint32_t number, uint32_t distance) {
  for (unsigned height = next_use->live->space.height;; height--) {
    NornDistanceNode *node = (NornDistanceNode *)tree->node;
    if (!node) {
      tree->node = node = new_node(next_use);
      node->nearest = distance;
      for (unsigned k = 0; k < LEAF && !height; k++)
        node->of[k] = FARTHEST;
      for (unsigned k = 0; k < NORN_SET_FAN && height; k++)
        node->part[k] = farthest;
    }
    if (!height) {
      if (node->of[number % LEAF] == FARTHEST)
        node->of[number % LEAF] = (uint16_t)distance;
      return;
    }
    tree = &node->part[number >> norn_set_shift(height) & (NORN_SET_FAN - 1)];
  }
}

/* --- Queries --- */

/* The distance of the number from the start of a block; the farthest if it is not live. */
static uint32_t
distance_in(const NornNextUse *next_use, uint32_t block, uint32_t number) {
  if (!next_use->in) {
    const NornLiveness *live = next_use->live;
    return norn_set_has(&live->space, live->in[block], number) ? MODERATE : FARTHEST;
  }
  NornDistances at = next_use->in[block];
  for (unsigned height = next_use->live->space.height; height && at.node; height--)
    at = add(at.node->part[number >> norn_set_shift(height) & (NORN_SET_FAN - 1)], at.more);
  return at.node ? MIN(at.node->of[number % LEAF] + at.more, FARTHEST) : FARTHEST;
}

uint32_t
norn_next_use_out(const NornNextUse *next_use, uint32_t block, uint32_t value) {
  const NornDominance *dominance = next_use->dominance;
  uint32_t number = next_use->live->number[value], nearest = FARTHEST;
  if (number == NORN_INDEX_NONE)
    return NORN_NEVER;
  for (uint32_t k = 0; k < norn_successor_count(dominance, block); k++) {
    uint32_t to = norn_successor(dominance, block, k);
    uint32_t exit = dominance->loop_depth[to] < dominance->loop_depth[block] ? LOOP_EXIT : 0;
    nearest = MIN(nearest, distance_in(next_use, to, number) + exit);
  }
  return nearest < FARTHEST || norn_live_out(next_use->live, block, value) ? nearest : NORN_NEVER;
}

uint32_t
norn_next_use_in(const NornNextUse *next_use, uint32_t block, uint32_t value) {
  uint32_t number = next_use->live->number[value];
  if (number == NORN_INDEX_NONE)
    return NORN_NEVER;
  uint32_t distance = distance_in(next_use, block, number);
  return distance < FARTHEST || norn_live_in(next_use->live, block, value) ? distance : NORN_NEVER;
}

bool
norn_is_beyond_loop(uint32_t distance) {
  return distance >= LOOP_EXIT;
}

/* The first number, from `number` on, below the node that is used in the loop. */
static uint32_t
next_used_below(NornDistances at, unsigned height, uint32_t number) {
  if (!at.node || norn_is_beyond_loop(at.node->nearest + at.more))
    return NORN_INDEX_NONE;
  if (!height) {
    for (; number < LEAF; number++)
      if (!norn_is_beyond_loop(at.node->of[number] + at.more))
        return number;
    return NORN_INDEX_NONE;
  }
  unsigned shift = norn_set_shift(height);
  uint32_t from = number & ((UINT32_C(1) << shift) - 1);
  for (uint32_t k = number >> shift; k < NORN_SET_FAN; k++, from = 0) {
    uint32_t next = next_used_below(add(at.node->part[k], at.more), height - 1, from);
    if (next != NORN_INDEX_NONE)
      return (k << shift) + next;
  }
  return NORN_INDEX_NONE;
}

uint32_t
norn_next_used_in_loop(const NornNextUse *next_use, uint32_t header, uint32_t number) {
  const NornLiveness *live = next_use->live;
  if (!next_use->in)
    return norn_set_next(&live->space, live->in[header], number);
  return number < live->count ? next_used_below(next_use->in[header], live->space.height, number)
                              : NORN_INDEX_NONE;
}

/* --- Computation --- */

/* The distances of values of other blocks that are used in this block. */
static NornDistances
find_first_uses(NornNextUse *next_use, uint32_t block) {
  const NornFunction *function = next_use->function;
  NornDistances uses = farthest;
  uint32_t position = 0;
  norn_for_each_inst (function, block, inst) {
    norn_for_each_use (function, norn_inst(function, inst), use) {
      uint32_t value = use.value;
      if (next_use->live->number[value] != NORN_INDEX_NONE &&
          norn_defining_block(function, value) != block)
        enter(next_use, &uses, next_use->live->number[value], MIN(position, FARTHEST - 1));
    }
    position++;
  }
  return uses;
}

/* The distances of the values live into the block, only by uses in its successors. */
static NornDistances
find_later_uses(NornNextUse *next_use, uint32_t block) {
  const NornDominance *dominance = next_use->dominance;
  const NornLiveness *live = next_use->live;
  NornSetSpace space = live->space;
  space.arena = &next_use->scratch;
  NornDistances out = farthest;
  for (uint32_t k = 0; k < norn_successor_count(dominance, block); k++) {
    uint32_t to = norn_successor(dominance, block, k), more = next_use->length[block];
    if (dominance->loop_depth[to] < dominance->loop_depth[block])
      more += LOOP_EXIT;
    out = nearer(next_use, out, add(next_use->in[to], more), space.height);
  }
  NornSet defined = norn_set_without(&space, live->out[block], live->in[block]);
  return without(next_use, out, defined, space.height);
}

/* Shortens the distances of the values live into the block by those of its successors, and the
 * first time by its own uses; returns whether any changed. */
static bool
update_block(NornNextUse *next_use, uint32_t block, bool is_first) {
  unsigned height = next_use->live->space.height;
  NornDistances in = is_first ? find_first_uses(next_use, block) : next_use->in[block];
  in = nearer(next_use, in, find_later_uses(next_use, block), height);
  bool changed = !is_same(in, next_use->in[block]);
  if (changed)
    next_use->in[block] = keep(next_use, in, height);
  norn_arena_release(&next_use->scratch, (NornArenaMark){0});
  return changed;
}

/* Whether the computation finished within its memory limit. */
static bool
find_distances(NornNextUse *next_use) {
  const NornDominance *dominance = next_use->dominance;
  uint32_t blocks = next_use->function->block_count;
  bool *is_open = NORN_NEW0(next_use->arena, bool, blocks);
  for (bool is_first = true, changed = true; changed; is_first = false) {
    changed = false;
    for (uint32_t i = dominance->order_count; i--;) {
      uint32_t block = dominance->order[i];
      if (!is_first && !is_open[block])
        continue;
      is_open[block] = false;
      if (!update_block(next_use, block, is_first))
        continue;
      if (next_use->nodes > MAX_NODES + (size_t)blocks * MAX_NODES_PER_BLOCK)
        return false;
      for (uint32_t k = 0; k < norn_predecessor_count(dominance, block); k++)
        is_open[norn_predecessor(dominance, block, k)] = changed = true;
    }
  }
  return true;
}

NornNextUse *
norn_next_use_new(NornArena *arena, const NornFunction *function, const NornDominance *dominance,
                  const NornLiveness *live) {
  NornNextUse *next_use = NORN_NEW(arena, NornNextUse, 1);
  *next_use =
      (NornNextUse){.function = function, .dominance = dominance, .live = live, .arena = arena};
  next_use->length = NORN_NEW0(arena, uint32_t, function->block_count);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    norn_for_each_inst (function, dominance->order[i], inst)
      next_use->length[dominance->order[i]]++;
  NornArenaMark mark = norn_arena_mark(arena);
  next_use->in = NORN_NEW0(arena, NornDistances, function->block_count);
  bool is_known = find_distances(next_use);
  norn_arena_free(&next_use->scratch);
  if (!is_known) {
    next_use->in = NULL;
    norn_arena_release(arena, mark);
  }
  return next_use;
}
