/* Liveness by data flow on sets that share their common parts.
 *
 * Values that a block uses but does not define are live into it, and so are values live into its
 * successors that it does not define. One walk over the blocks, successors first, propagates this
 * along all edges but back edges. If a loop has only one entry, everything live into its header is
 * live throughout the loop; one walk down propagates that. Further rounds like the first follow
 * until nothing changes. If all loops have one entry, the first of these rounds changes nothing.
 *
 * Values that live through many blocks are in all of their sets, but in shared parts, so time and
 * memory are roughly proportional to the differences between the sets of neighboring blocks. */
#include "ir/analysis/liveness.h"

/* A use, by a block, of a numbered value that another block defines. */
typedef struct LiveUse {
  uint32_t block, number;
} LiveUse;

typedef struct LivenessWalk {
  NornArena *arena;
  const NornFunction *function;
  const NornDominance *dominance;
  NornLiveness *liveness;
  NORN_LIST(LiveUse) uses; /* grouped by block */
  uint32_t *first_use;     /* by block: index of its first use */
  uint32_t *defined; /* by block: the last numbered value that it defines, or NORN_INDEX_NONE */
  uint32_t *next_defined; /* by number: the previous one of the same block */
} LivenessWalk;

/* Numbers the values that are used outside their defining block, and lists these uses, one for each
 * value and block. */
static void
find_uses(LivenessWalk *walk) {
  const NornFunction *function = walk->function;
  NornLiveness *liveness = walk->liveness;
  uint32_t *used_in = norn_arena_indexes(walk->arena, function->value_count); /* the last block */
  for (uint32_t i = 0; i < walk->dominance->order_count; i++) {
    uint32_t block = walk->dominance->order[i];
    walk->first_use[block] = walk->uses.count;
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      norn_for_each_use (function, self, use) {
        uint32_t value = use.value;
        if (used_in[value] == block)
          continue;
        used_in[value] = block;
        if (norn_defining_block(function, value) == block)
          continue;
        if (liveness->number[value] == NORN_INDEX_NONE) {
          liveness->number[value] = liveness->count;
          liveness->value[liveness->count++] = value;
        }
        norn_list_push(walk->arena, &walk->uses, (LiveUse){block, liveness->number[value]});
      }
    }
  }
}

/* Lists the numbered values that each block defines. */
static void
find_definitions(LivenessWalk *walk) {
  NornLiveness *liveness = walk->liveness;
  walk->defined = norn_arena_indexes(walk->arena, walk->function->block_count);
  walk->next_defined = NORN_NEW(walk->arena, uint32_t, liveness->count);
  for (uint32_t n = 0; n < liveness->count; n++) {
    uint32_t block = norn_defining_block(walk->function, liveness->value[n]);
    walk->next_defined[n] = walk->defined[block];
    walk->defined[block] = n;
  }
}

/* The values live into the block, given those live out of it. */
static NornSet
live_in_of(const LivenessWalk *walk, uint32_t block, NornSet out) {
  NornSetSpace *space = &walk->liveness->space;
  NornSet in = out;
  norn_set_begin_edit(space);
  for (uint32_t n = walk->defined[block]; n != NORN_INDEX_NONE; n = walk->next_defined[n])
    in = norn_set_less(space, in, n);
  for (uint32_t i = walk->first_use[block];
       i < walk->uses.count && walk->uses.items[i].block == block; i++)
    in = norn_set_with(space, in, walk->uses.items[i].number);
  return in;
}

/* Propagates live-in sets of successors up to each block; returns whether anything changed. */
static bool
go_up(const LivenessWalk *walk, bool is_first) {
  const NornDominance *dominance = walk->dominance;
  NornLiveness *liveness = walk->liveness;
  NornSetSpace *space = &liveness->space;
  bool changed = false;
  for (uint32_t i = dominance->order_count; i-- > 0;) {
    uint32_t block = dominance->order[i];
    NornSet out = liveness->out[block];
    for (uint32_t k = 0; k < norn_successor_count(dominance, block); k++)
      out = norn_set_union(space, out, liveness->in[norn_successor(dominance, block, k)]);
    if (out == liveness->out[block] && !is_first)
      continue;
    liveness->out[block] = out;
    liveness->in[block] = norn_set_union(space, liveness->in[block], live_in_of(walk, block, out));
    changed = true;
  }
  return changed;
}

/* Propagates the live-in sets of headers down to all blocks of their loops. */
static void
go_around(const LivenessWalk *walk) {
  const NornDominance *dominance = walk->dominance;
  NornLiveness *liveness = walk->liveness;
  NornSetSpace *space = &liveness->space;
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    uint32_t block = dominance->order[i], header = dominance->loop_header[block];
    if (header == NORN_INDEX_NONE)
      continue;
    uint32_t from = norn_loop_around(dominance, block);
    NornSet around = from == NORN_INDEX_NONE ? 0 : liveness->in[from];
    liveness->in[block] = norn_set_union(space, liveness->in[block], around);
    liveness->out[block] =
        norn_set_union(space, liveness->out[block], header == block ? liveness->in[block] : around);
  }
}

NornLiveness *
norn_liveness_new(NornArena *arena, const NornFunction *function, const NornDominance *dominance) {
  NornLiveness *liveness = NORN_NEW0(arena, NornLiveness, 1);
  LivenessWalk walk = {
      .arena = arena, .function = function, .dominance = dominance, .liveness = liveness};
  liveness->number = norn_arena_indexes(arena, function->value_count);
  liveness->value = NORN_NEW(arena, uint32_t, function->value_count);
  liveness->in = NORN_NEW0(arena, NornSet, function->block_count);
  liveness->out = NORN_NEW0(arena, NornSet, function->block_count);
  NornArenaMark mark = norn_arena_mark(arena);
  walk.first_use = NORN_NEW(arena, uint32_t, function->block_count);
  find_uses(&walk);
  if (!liveness->count)
    return liveness;
  liveness->space = norn_set_space(arena, liveness->count);
  find_definitions(&walk);
  go_up(&walk, true);
  if (norn_has_loops(dominance)) {
    if (norn_loops_have_one_entry(dominance))
      go_around(&walk);
    while (go_up(&walk, false))
      ;
  }
  if (!liveness->space.node_count) /* otherwise set nodes lie after the mark */
    norn_arena_release(arena, mark);
  return liveness;
}
