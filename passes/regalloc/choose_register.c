/* Chooses free registers for values.
 *
 * The first criterion is affinity. Values without one avoid registers that others would like to
 * have: for groups, or for what replaces a dead loop parameter later in the block. Then, while
 * groups still follow in the block, a value is placed among values that live as long; otherwise so
 * that few pairs are broken up. */
#include "passes/regalloc/assign.h"

/* --- Choice --- */

NornRegisterSet
norn_walk_fitting(const AllocationWalk *walk, uint32_t value, NornRegisterSet available,
                  unsigned words) {
  NornRegisterSet fit = available;
  for (unsigned k = 1; k < words; k++)
    fit = norn_regs_common(fit, norn_regs_down(available, k));
  unsigned class = norn_pressure_class(walk->allocation->pressure, value);
  return norn_regs_common(fit, walk->model->starts[class][words]);
}

/* The registers of the value's class that are a multiple of 2 to the power of `log`, plus
 * `residue`. */
static NornRegisterSet
multiples(const AllocationWalk *walk, uint32_t value, unsigned log, unsigned residue) {
  unsigned class = norn_pressure_class(walk->allocation->pressure, value);
  return norn_regs_up(walk->model->multiples[class][log], residue);
}

void
norn_walk_assign(AllocationWalk *walk, uint32_t value, unsigned reg) {
  unsigned words = norn_walk_words(walk, value);
  NORN_ASSERT(reg + words <= walk->model->count);
  NORN_ASSERT(!norn_regs_overlap(walk->now.used, norn_regs_range(reg, words)));
  for (unsigned k = 0; k < words; k++) {
    walk->now.owner[reg + k] = value;
    walk->now.until[reg + k] = norn_walk_last_use(walk, value);
  }
  norn_regs_add(&walk->now.used, norn_regs_range(reg, words));
  walk->reg[value] = (uint8_t)reg;
  const NornAllocation *allocation = walk->allocation;
  uint32_t parameter = allocation->parameter ? allocation->parameter[value] : NORN_INDEX_NONE;
  if (parameter != NORN_INDEX_NONE && allocation->replacement[parameter] == value)
    norn_regs_remove(&walk->kept, norn_regs_range(allocation->defined_at[parameter], words));
}

void
norn_walk_unassign(AllocationWalk *walk, uint32_t value) {
  unsigned words = norn_walk_words(walk, value), reg = walk->reg[value];
  for (unsigned k = 0; k < words; k++)
    if (walk->now.owner[reg + k] == value) {
      walk->now.owner[reg + k] = NORN_INDEX_NONE;
      walk->now.until[reg + k] = 0;
    }
  norn_regs_remove(&walk->now.used, norn_regs_range(reg, words));
}

void
norn_walk_note_move(AllocationWalk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->move_count; i++)
    if (walk->moves[i].value == value)
      return;
  NORN_ASSERT(walk->move_count < G_N_ELEMENTS(walk->moves));
  walk->moves[walk->move_count++] = (Move){value, walk->reg[value]};
}

static unsigned
random_member(AllocationWalk *walk, NornRegisterSet set) {
  walk->random ^= walk->random << 13;
  walk->random ^= walk->random >> 7;
  walk->random ^= walk->random << 17;
  unsigned skip = (unsigned)(walk->random % norn_regs_count(set));
  while (skip--)
    norn_regs_take(&set);
  return norn_regs_lowest(set);
}

NornRegisterSet
norn_walk_least_breaking(const AllocationWalk *walk, uint32_t value, NornRegisterSet fit,
                         NornRegisterSet available, unsigned words) {
  if (words > 2)
    return fit;
  NornRegisterSet whole = norn_regs_common(
      available, norn_regs_common(norn_regs_down(available, 1), multiples(walk, value, 1, 0)));
  if (words == 2)
    whole = norn_regs_common(
        whole, norn_regs_common(norn_regs_down(whole, 2), multiples(walk, value, 2, 0)));
  norn_regs_add(&whole, norn_regs_up(whole, words));
  NornRegisterSet rest = norn_regs_without(fit, whole);
  return norn_regs_any(rest) ? rest : fit;
}

/* The last uses of the values in four aligned registers, each at least the current position.
 * Returns the greatest of them. */
static uint32_t
find_last_uses(const AllocationWalk *walk, unsigned first, uint32_t last[4]) {
  for (unsigned k = 0; k < 4; k++)
    last[k] = MAX(walk->now.until[first + k], walk->position);
  return MAX(MAX(last[0], last[1]), MAX(last[2], last[3]));
}

/* The registers in `fit` that block the fewest pairs and aligned fours for the shortest time beyond
 * the lifetimes of the values that are already in them. */
static NornRegisterSet
least_blocking(const AllocationWalk *walk, uint32_t value, NornRegisterSet fit, unsigned words) {
  uint32_t own = norn_walk_last_use(walk, value), min = UINT32_MAX;
  uint32_t alone = own - MIN(own, walk->position); /* the time in an empty four */
  NornRegisterSet best = NORN_NO_REGISTERS;
  if (norn_regs_is_single(fit))
    return fit;
  for (unsigned first = 0; first < walk->model->count; first += 4) {
    unsigned open = norn_regs_four(fit, first);
    if (!open)
      continue;
    /* Registers that are in a four with nothing else are alike. */
    bool is_empty = words == 1 && !norn_regs_four(walk->now.used, first);
    uint32_t last[4], others[4], of_four = is_empty ? 0 : find_last_uses(walk, first, last);
    for (unsigned each, k; open; open &= ~each) {
      k = (unsigned)__builtin_ctz(open);
      each = is_empty ? open : 1u << k;
      uint32_t time = is_empty ? 2 * alone : own - MIN(own, of_four);
      if (words == 1 && !is_empty)
        time += own - MIN(own, MAX(last[k], last[k ^ 1]));
      for (unsigned next = 4; next < k + words; next += 4)
        time += own - MIN(own, find_last_uses(walk, first + next, others));
      if (time > min)
        continue;
      if (time < min)
        best = NORN_NO_REGISTERS;
      min = time;
      norn_regs_add_four(&best, first, each);
    }
    if (!min && !walk->takes_turns)
      break; /* the lowest of them is taken */
  }
  return best;
}

static NornAffinity *
affinity_of(const AllocationWalk *walk, uint32_t value, int *offset) {
  NornAffinity *affinity = walk->allocation->affinity;
  return &affinity[norn_affinity_find(affinity, value, offset)];
}

/* The register of the loop parameter that the value replaces until the next iteration. */
static NornRegisterSet
of_parameter(const AllocationWalk *walk, uint32_t value, NornRegisterSet fit) {
  const uint32_t *parameter = walk->allocation->parameter;
  unsigned reg = parameter && parameter[value] != NORN_INDEX_NONE
                     ? walk->allocation->defined_at[parameter[value]]
                     : NORN_NO_REGISTER;
  return reg == NORN_NO_REGISTER ? NORN_NO_REGISTERS : norn_regs_common(fit, norn_regs_of(reg));
}

/* The register preferred by the value's affinity class, or those where the whole class fits. */
static NornRegisterSet
hinted(const AllocationWalk *walk, uint32_t value, unsigned words, NornRegisterSet available) {
  int offset;
  const NornAffinity *class = affinity_of(walk, value, &offset);
  if (class->base != NORN_NO_BASE) {
    int reg = class->base + offset;
    if (reg < 0 || reg >= NORN_MAX_REGISTERS)
      return NORN_NO_REGISTERS;
    return norn_regs_common(norn_walk_fitting(walk, value, available, words),
                            norn_regs_of((unsigned)reg));
  }
  unsigned extent = (unsigned)(class->high - class->low);
  if (extent <= words)
    return NORN_NO_REGISTERS;
  unsigned mask = (1u << class->alignment) - 1;
  unsigned residue = ((unsigned)class->residue + (unsigned)(int)class->low) & mask;
  NornRegisterSet aligned = multiples(walk, value, class->alignment, residue), fit;
  NornRegisterSet room = norn_regs_without(available, walk->reserved);
  for (unsigned round = 0; round < 2; round++, room = available) {
    fit = norn_regs_common(room, aligned);
    for (unsigned k = 1; k < extent; k++)
      fit = norn_regs_common(fit, norn_regs_down(room, k));
    fit = norn_regs_up(fit, (unsigned)(offset - class->low));
    fit = norn_regs_common(fit, norn_walk_fitting(walk, value, available, words));
    if (norn_regs_any(fit))
      break;
  }
  return fit;
}

/* The registers of `fit` that have the class's alignment, or all if there are none. */
static NornRegisterSet
of_alignment(const AllocationWalk *walk, uint32_t value, NornRegisterSet fit) {
  int offset;
  const NornAffinity *class = affinity_of(walk, value, &offset);
  if (!class->alignment)
    return fit;
  unsigned residue = ((unsigned)class->residue + (unsigned)offset) & ((1u << class->alignment) - 1);
  NornRegisterSet wanted = norn_regs_common(fit, multiples(walk, value, class->alignment, residue));
  return norn_regs_any(wanted) ? wanted : fit;
}

/* The lowest of the registers or, depending on the tuning, the next one after the last choice. */
static unsigned
next_in_turn(AllocationWalk *walk, NornRegisterSet set) {
  if (!walk->takes_turns)
    return norn_regs_lowest(set);
  NornRegisterSet behind = norn_regs_without(set, norn_regs_range(0, walk->last + 1u));
  walk->last = (uint8_t)norn_regs_lowest(norn_regs_any(behind) ? behind : set);
  return walk->last;
}

unsigned
norn_walk_choose(AllocationWalk *walk, uint32_t value, unsigned words, NornRegisterSet available) {
  NornRegisterSet fit = norn_walk_fitting(walk, value, available, words);
  if (!norn_regs_any(fit))
    return NORN_NO_REGISTER;
  if (walk->random)
    return random_member(walk, fit);
  int offset;
  NornRegisterSet safe = norn_regs_without(available, walk->allocation->clobbered);
  if (affinity_of(walk, value, &offset)->crosses &&
      norn_regs_any(norn_walk_fitting(walk, value, safe, words))) {
    available = safe;
    fit = norn_walk_fitting(walk, value, available, words);
  }
  NornRegisterSet wanted = of_parameter(walk, value, fit);
  if (!norn_regs_any(wanted))
    wanted = hinted(walk, value, words, available);
  if (norn_regs_any(wanted))
    return norn_regs_lowest(least_blocking(walk, value, wanted, words));
  fit = of_alignment(walk, value, fit);
  NornRegisterSet spare = norn_regs_without(available, norn_regs_union(walk->reserved, walk->kept));
  NornRegisterSet calm = norn_regs_common(norn_walk_fitting(walk, value, spare, words), fit);
  if (norn_regs_any(calm))
    fit = calm;
  return next_in_turn(walk, walk->position < walk->last_group
                                ? least_blocking(walk, value, fit, words)
                                : norn_walk_least_breaking(walk, value, fit, available, words));
}

void
norn_walk_set_hint(AllocationWalk *walk, uint32_t value, unsigned reg, bool force) {
  int offset;
  NornAffinity *class = affinity_of(walk, value, &offset);
  if (class->base != NORN_NO_BASE && !force)
    return;
  class->base = (int16_t)((int)reg - offset);
  int low = class->base + class->low, words = class->high - class->low;
  if (words > (int)norn_walk_words(walk, value) && low >= 0 && low + words <= NORN_MAX_REGISTERS)
    norn_regs_add(&walk->reserved, norn_regs_range((unsigned)low, (unsigned)words));
}

/* The collect in the current block in which the value dies; NORN_INDEX_NONE: it dies elsewhere. */
static uint32_t
group_of(const AllocationWalk *walk, uint32_t value) {
  return walk->last_use[value] >= walk->first ? walk->group[value] : NORN_INDEX_NONE;
}

/* Whether the value is another word of the collect that will stay where it is, not at `reg` where
 * the collect would need it. */
static bool
has_place_of_its_own(const AllocationWalk *walk, uint32_t value, uint32_t collect, unsigned reg) {
  const NornFunction *function = walk->function;
  if (group_of(walk, value) != collect || norn_value(function, value)->is_parameter)
    return false;
  unsigned now = walk->reg[value];
  bool is_live = now != NORN_NO_REGISTER && walk->now.owner[now] == value;
  return is_live ? now != reg
                 : norn_inst(function, norn_value(function, value)->def)->op == NORN_OP_SPLIT;
}

void
norn_walk_reserve_group(AllocationWalk *walk, uint32_t value) {
  const NornFunction *function = walk->function;
  uint32_t index = group_of(walk, value);
  if (index == NORN_INDEX_NONE)
    return;
  const NornInst *collect = norn_inst(function, index);
  const NornRef *words = norn_operands(function, collect);
  unsigned place = 0;
  while (words[place] != norn_ref(NORN_REF_VALUE, value))
    place++;
  int low = (int)walk->reg[value] - (int)place;
  if (low < 0 || low + collect->operand_count > NORN_MAX_REGISTERS)
    return;
  for (unsigned k = 0; k < collect->operand_count; k++)
    if (norn_ref_kind(words[k]) == NORN_REF_VALUE &&
        has_place_of_its_own(walk, norn_ref_payload(words[k]), index, (unsigned)low + k))
      return;
  norn_regs_add(&walk->reserved, norn_regs_range((unsigned)low, collect->operand_count));
}

void
norn_walk_end_reservation(AllocationWalk *walk, unsigned reg, unsigned words) {
  norn_regs_remove(&walk->reserved, norn_regs_range(reg, words));
}
