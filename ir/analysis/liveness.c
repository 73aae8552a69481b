/* Liveness by walking up from the uses.
 *
 * A value used in a block that does not define it is live into that block, hence out of its
 * predecessors, hence into those that do not define it, and so on until blocks already marked. Each
 * mark is set once, so the work is the size of the answer. */
#include "ir/analysis/liveness.h"

typedef struct LivenessWalk {
  NornArena *arena;
  const NornFunction *function;
  const NornDominance *dominance;
  NornLiveness *liveness;
  uint32_t *stack;
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

static void
mark_up(LivenessWalk *walk, uint32_t block, uint32_t value) {
  NornLiveness *liveness = walk->liveness;
  const NornDominance *dominance = walk->dominance;
  uint32_t number = liveness->number[value], home = norn_defining_block(walk->function, value);
  uint64_t bit = UINT64_C(1) << number % 64;
  size_t word = number / 64;
  uint32_t depth = 0;
  NORN_ASSERT(block != home); /* a parameter or result is not live into its own block */
  walk->stack[depth++] = block;
  liveness->in[(size_t)block * liveness->words + word] |= bit;
  while (depth) {
    block = walk->stack[--depth];
    for (uint32_t i = dominance->predecessor_first[block];
         i < dominance->predecessor_first[block + 1]; i++) {
      uint32_t predecessor = dominance->predecessors[i];
      size_t at = (size_t)predecessor * liveness->words + word;
      liveness->out[at] |= bit;
      if (predecessor == home || liveness->in[at] & bit)
        continue;
      liveness->in[at] |= bit;
      NORN_ASSERT(depth < walk->function->block_count);
      walk->stack[depth++] = predecessor;
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
  NornArenaMark mark = norn_arena_mark(arena);
  walk.stack = NORN_NEW(arena, uint32_t, function->block_count + 1);
  for (uint32_t i = 0; i < dominance->order_count && liveness->count; i++) {
    uint32_t block = dominance->order[i];
    norn_for_each_inst (function, block, inst) {
      const NornInst *self = norn_inst(function, inst);
      const NornRef *operands = norn_operands(function, self);
      for (unsigned k = 0; k < self->operand_count; k++) {
        uint32_t value = norn_ref_payload(operands[k]);
        if (norn_ref_kind(operands[k]) == NORN_REF_VALUE &&
            liveness->number[value] != NORN_INDEX_NONE &&
            norn_defining_block(function, value) != block && !norn_live_in(liveness, block, value))
          mark_up(&walk, block, value);
      }
    }
  }
  norn_arena_release(arena, mark);
  return liveness;
}

uint32_t
norn_next_live(const NornLiveness *liveness, const uint64_t *sets, uint32_t block,
               uint32_t number) {
  const uint64_t *set = sets + (size_t)block * liveness->words;
  for (uint32_t word = number / 64; word < liveness->words; word++) {
    uint64_t rest = set[word];
    if (word == number / 64)
      rest &= UINT64_MAX << number % 64;
    if (rest)
      return word * 64 + (uint32_t)__builtin_ctzll(rest);
  }
  return NORN_INDEX_NONE;
}
