/* Liveness by data flow on sets, a word of 64 values at a time.
 *
 * What a block uses but does not define is live into it; so is what is live into its successors.
 * One walk over the blocks, successors first, brings that up to where edges do not lead back. What
 * is live into the header of a loop is live in all of the loop, if that is its only entry: one walk
 * down brings it there. Rounds like the first follow until nothing changes, which with loops of one
 * entry is the first one. */
#include "ir/analysis/liveness.h"

typedef struct LivenessWalk {
  NornArena *arena;
  const NornFunction *function;
  const NornDominance *dominance;
  NornLiveness *liveness;
  uint64_t *defined; /* `words` words for each block */
} LivenessWalk;

/* Numbers the values used outside of the block that defines them. */
static void
number_values(LivenessWalk *walk) {
  const NornFunction *function = walk->function;
  NornLiveness *liveness = walk->liveness;
  liveness->number = norn_arena_indexes(walk->arena, function->value_count);
  liveness->value = NORN_NEW(walk->arena, uint32_t, function->value_count);
  for (uint32_t i = 0; i < walk->dominance->order_count; i++) {
    uint32_t block = walk->dominance->order[i];
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      const NornRef *operands = norn_operands(function, self);
      for (unsigned k = 0; k < self->operand_count; k++) {
        uint32_t value = norn_ref_payload(operands[k]);
        if (norn_ref_kind(operands[k]) != NORN_REF_VALUE ||
            liveness->number[value] != NORN_INDEX_NONE ||
            norn_defining_block(function, value) == block)
          continue;
        liveness->number[value] = liveness->count;
        liveness->value[liveness->count++] = value;
      }
    }
  }
  liveness->words = (liveness->count + 63) / 64;
}

static uint64_t *
set_of(const LivenessWalk *walk, uint64_t *sets, uint32_t block) {
  return sets + (size_t)block * walk->liveness->words;
}

static void
set_member(uint64_t *set, uint32_t number) {
  set[number / 64] |= UINT64_C(1) << number % 64;
}

/* Finds what each block defines, and what it uses of others. */
static void
find_uses(const LivenessWalk *walk) {
  const NornFunction *function = walk->function;
  NornLiveness *liveness = walk->liveness;
  for (uint32_t n = 0; n < liveness->count; n++)
    set_member(set_of(walk, walk->defined, norn_defining_block(function, liveness->value[n])), n);
  for (uint32_t i = 0; i < walk->dominance->order_count; i++) {
    uint32_t block = walk->dominance->order[i];
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      const NornRef *operands = norn_operands(function, self);
      for (unsigned k = 0; k < self->operand_count; k++) {
        uint32_t value = norn_ref_payload(operands[k]);
        if (norn_ref_kind(operands[k]) == NORN_REF_VALUE &&
            liveness->number[value] != NORN_INDEX_NONE &&
            norn_defining_block(function, value) != block)
          set_member(set_of(walk, liveness->in, block), liveness->number[value]);
      }
    }
  }
}

/* Brings what is live into the successors of each block up to it; whether anything changed. */
static bool
go_up(const LivenessWalk *walk) {
  const NornDominance *dominance = walk->dominance;
  NornLiveness *liveness = walk->liveness;
  uint64_t changes = 0;
  for (uint32_t i = dominance->order_count; i-- > 0;) {
    uint32_t block = dominance->order[i];
    uint64_t *in = set_of(walk, liveness->in, block), *out = set_of(walk, liveness->out, block);
    const uint64_t *defined = set_of(walk, walk->defined, block);
    for (uint32_t k = 0; k < norn_successor_count(dominance, block); k++) {
      const uint64_t *next = set_of(walk, liveness->in, norn_successor(dominance, block, k));
      for (uint32_t word = 0; word < liveness->words; word++) {
        uint64_t fresh = next[word] & ~out[word];
        changes |= fresh;
        out[word] |= fresh;
        in[word] |= fresh & ~defined[word];
      }
    }
  }
  return changes != 0;
}

/* Brings what is live into headers down to all blocks of their loops. */
static void
go_around(const LivenessWalk *walk) {
  const NornDominance *dominance = walk->dominance;
  NornLiveness *liveness = walk->liveness;
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    uint32_t block = dominance->order[i], header = dominance->loop_header[block];
    if (header == NORN_INDEX_NONE)
      continue;
    uint32_t from = header == block ? dominance->loop_parent[block] : header;
    uint64_t *in = set_of(walk, liveness->in, block), *out = set_of(walk, liveness->out, block);
    const uint64_t *around = from == NORN_INDEX_NONE ? in : set_of(walk, liveness->in, from);
    for (uint32_t word = 0; word < liveness->words; word++) {
      in[word] |= around[word];
      out[word] |= header == block ? in[word] : around[word];
    }
  }
}

NornLiveness *
norn_liveness_new(NornArena *arena, const NornFunction *function, const NornDominance *dominance) {
  NornLiveness *liveness = NORN_NEW0(arena, NornLiveness, 1);
  LivenessWalk walk = {arena, function, dominance, liveness, NULL};
  number_values(&walk);
  size_t size = (size_t)function->block_count * liveness->words;
  liveness->in = NORN_NEW0(arena, uint64_t, size);
  liveness->out = NORN_NEW0(arena, uint64_t, size);
  if (!liveness->count)
    return liveness;
  NornArenaMark mark = norn_arena_mark(arena);
  walk.defined = NORN_NEW0(arena, uint64_t, size);
  find_uses(&walk);
  go_up(&walk);
  if (norn_has_loops(dominance)) {
    if (norn_loops_have_one_entry(dominance))
      go_around(&walk);
    while (go_up(&walk))
      ;
  }
  norn_arena_release(arena, mark);
  return liveness;
}
