/* Next uses by iteration over the blocks, backward, until stable.
 *
 * The distance at the start of a block is that of the first use in it, else the block's length plus
 * the least one over its successors. An edge that leaves a loop adds LOOP_EXIT, so that what is
 * used inside is always nearer. Distances saturate. Where the table would not fit in memory, every
 * live value counts as moderately far. */
#include "ir/analysis/next_use.h"

enum {
  LOOP_EXIT = 10000,
  FARTHEST = 60000,
  NOT_LIVE = UINT16_MAX, /* in the table */
  MODERATE = 1000,
  TABLE_LIMIT = 1 << 26
};

static uint16_t *
row_of(const NornNextUse *next_use, uint32_t block) {
  return next_use->in + (size_t)block * next_use->live->count;
}

static uint32_t
distance_over_edge(const NornNextUse *next_use, uint32_t from, uint32_t to, uint32_t value) {
  uint32_t distance = norn_next_use_in(next_use, to, value);
  const NornDominance *dominance = next_use->dominance;
  if (distance == NORN_NEVER)
    return NORN_NEVER;
  if (dominance->loop_depth[to] < dominance->loop_depth[from])
    distance += LOOP_EXIT;
  return MIN(distance, FARTHEST);
}

uint32_t
norn_next_use_out(const NornNextUse *next_use, uint32_t block, uint32_t value) {
  uint32_t nearest = NORN_NEVER;
  if (!norn_live_out(next_use->live, block, value))
    return NORN_NEVER;
  for (uint32_t k = 0; k < norn_successor_count(next_use->dominance, block); k++) {
    uint32_t to = norn_successor(next_use->dominance, block, k);
    nearest = MIN(nearest, distance_over_edge(next_use, block, to, value));
  }
  return nearest;
}

uint32_t
norn_next_use_in(const NornNextUse *next_use, uint32_t block, uint32_t value) {
  if (!norn_live_in(next_use->live, block, value))
    return NORN_NEVER;
  return next_use->in ? row_of(next_use, block)[next_use->live->number[value]] : MODERATE;
}

bool
norn_is_beyond_loop(uint32_t distance) {
  return distance >= LOOP_EXIT;
}

/* Sets the distances of values that are live into the block: of those used in it; the others begin
 * at the farthest. */
static void
find_first_uses(NornNextUse *next_use, uint32_t block) {
  const NornFunction *function = next_use->function;
  const NornLiveness *live = next_use->live;
  const uint64_t *in = live->in + (size_t)block * live->words;
  uint16_t *row = row_of(next_use, block);
  uint32_t position = 0;
  for (uint32_t n = 0; n < live->count; n++)
    row[n] = in[n / 64] >> n % 64 & 1 ? FARTHEST : NOT_LIVE;
  norn_for_each_inst (function, block, inst) {
    const NornRef *operands = norn_operands(function, norn_inst(function, inst));
    for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++) {
      if (norn_ref_kind(operands[k]) != NORN_REF_VALUE)
        continue;
      uint32_t number = next_use->live->number[norn_ref_payload(operands[k])];
      if (number != NORN_INDEX_NONE && row[number] == FARTHEST)
        row[number] = (uint16_t)MIN(position, FARTHEST - 1);
    }
    position++;
  }
}

/* Shortens the distances of live-in values by those of a successor, `more` instructions on: of all
 * numbers alike, which the processor does several at a time. */
static bool
shorten(uint16_t *row, const uint16_t *next, uint32_t count, uint16_t more) {
  const uint16_t limit = (uint16_t)(FARTHEST - more);
  uint16_t changes = 0;
  for (uint32_t n = 0; n < count; n++) {
    uint16_t distance = next[n] > limit ? FARTHEST : (uint16_t)(next[n] + more);
    uint16_t least = MIN(row[n], distance);
    least = row[n] == NOT_LIVE ? NOT_LIVE : least;
    changes |= (uint16_t)(row[n] ^ least);
    row[n] = least;
  }
  return changes != 0;
}

static bool
update_block(NornNextUse *next_use, uint32_t block) {
  const NornDominance *dominance = next_use->dominance;
  bool changed = false;
  for (uint32_t k = 0; k < norn_successor_count(dominance, block); k++) {
    uint32_t to = norn_successor(dominance, block, k), more = next_use->length[block];
    if (dominance->loop_depth[to] < dominance->loop_depth[block])
      more += LOOP_EXIT;
    changed |= shorten(row_of(next_use, block), row_of(next_use, to), next_use->live->count,
                       (uint16_t)MIN(more, FARTHEST));
  }
  return changed;
}

NornNextUse *
norn_next_use_new(NornArena *arena, const NornFunction *function, const NornDominance *dominance,
                  const NornLiveness *live) {
  NornNextUse *next_use = NORN_NEW(arena, NornNextUse, 1);
  *next_use = (NornNextUse){.function = function, .dominance = dominance, .live = live};
  next_use->length = NORN_NEW0(arena, uint32_t, function->block_count);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    norn_for_each_inst (function, dominance->order[i], inst)
      next_use->length[dominance->order[i]]++;
  if ((uint64_t)function->block_count * live->count > TABLE_LIMIT)
    return next_use;
  next_use->in = NORN_NEW(arena, uint16_t, (size_t)function->block_count * live->count);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    find_first_uses(next_use, dominance->order[i]);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = dominance->order_count; i--;)
      changed |= update_block(next_use, dominance->order[i]);
  }
  return next_use;
}
