/* Next uses by iteration over the blocks, backward, until stable.
 *
 * The distance at the start of a block is that of the first use in it, else the block's length plus
 * the least one over its successors. An edge that leaves a loop adds LOOP_EXIT, so that what is
 * used inside is always nearer. Distances saturate. Where the table would not fit in memory, every
 * live value counts as moderately far. */
#include "ir/analysis/next_use.h"

enum { LOOP_EXIT = 10000, FARTHEST = 60000, MODERATE = 1000, TABLE_LIMIT = 1 << 26 };

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
  if (!next_use->in)
    return MODERATE;
  return next_use->in[(size_t)block * next_use->live->count + next_use->live->number[value]];
}

bool
norn_is_beyond_loop(uint32_t distance) {
  return distance >= LOOP_EXIT;
}

/* Sets the distances of values used in the block; the others begin at the farthest. */
static void
find_first_uses(NornNextUse *next_use, uint32_t block, uint16_t *row) {
  const NornFunction *function = next_use->function;
  uint32_t position = 0;
  for (uint32_t n = 0; n < next_use->live->count; n++)
    row[n] = FARTHEST;
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

/* Shortens the distances of live-in values by those of the successors. */
static bool
update_block(NornNextUse *next_use, uint32_t block) {
  const NornLiveness *live = next_use->live;
  uint16_t *row = next_use->in + (size_t)block * live->count;
  bool changed = false;
  norn_for_each_live (live, live->in, block, value) {
    uint32_t out = norn_next_use_out(next_use, block, value);
    if (out == NORN_NEVER)
      continue;
    uint32_t distance = MIN(out + next_use->length[block], FARTHEST);
    if (distance < row[live->number[value]]) {
      row[live->number[value]] = (uint16_t)distance;
      changed = true;
    }
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
    find_first_uses(next_use, dominance->order[i],
                    next_use->in + (size_t)dominance->order[i] * live->count);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = dominance->order_count; i--;)
      changed |= update_block(next_use, dominance->order[i]);
  }
  return next_use;
}
