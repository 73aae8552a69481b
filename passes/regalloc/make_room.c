/* Moves values out of the way of others.
 *
 * If there is no gap, the cheapest range is cleared by moving its owners to gaps. If there are none
 * for them, narrower values make room for them in turn, and operands that die in the instruction
 * move to where its result will be. If that also fails, all live values are packed again. */
#include "passes/regalloc/assign.h"
#include <stdlib.h>

/* --- Eviction --- */

/* Whether the value has to move back, since an enclosing loop needs it in each iteration. */
static bool
comes_back(const AllocationWalk *walk, uint32_t value) {
  return walk->header != NORN_INDEX_NONE &&
         norn_live_in(walk->allocation->live, walk->header, value);
}

/* Whether the value is read as the low register of a pair. */
static bool
is_low(const AllocationWalk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->low_count; i++)
    if (walk->low[i] == value)
      return true;
  return false;
}

/* The registers at which such a value may be. */
static NornRegisterSet
low_registers(const AllocationWalk *walk, uint32_t value) {
  return walk->model->starts[norn_pressure_class(walk->allocation->pressure, value)][2];
}

unsigned
norn_walk_eviction_cost(const AllocationWalk *walk, NornRegisterSet range) {
  NornRegisterSet taken = norn_regs_common(range, walk->now.used);
  if (norn_regs_overlap(taken, walk->pinned))
    return UINT_MAX;
  unsigned cost = 0;
  uint32_t previous = NORN_INDEX_NONE;
  norn_for_each_register (reg, taken) {
    uint32_t owner = walk->now.owner[reg];
    if (owner != previous)
      cost += norn_walk_words(walk, owner) << comes_back(walk, owner);
    previous = owner;
  }
  return cost;
}

bool
norn_walk_relocate(AllocationWalk *walk, uint32_t *values, unsigned count, NornRegisterSet range) {
  NornRegisterState saved = walk->now;
  uint8_t old[NORN_MAX_REGISTERS], fresh[NORN_MAX_REGISTERS];
  const uint8_t *words = walk->allocation->pressure->words;
  for (unsigned i = 1; i < count; i++)
    for (unsigned j = i; j && words[values[j - 1]] < words[values[j]]; j--) {
      uint32_t swap = values[j];
      values[j] = values[j - 1];
      values[j - 1] = swap;
    }
  for (unsigned i = 0; i < count; i++) {
    old[i] = walk->reg[values[i]];
    norn_walk_unassign(walk, values[i]);
  }
  for (unsigned i = 0; i < count; i++) {
    NornRegisterSet available = norn_regs_without(
        walk->file, norn_regs_union(walk->now.used, norn_regs_union(walk->blocked, range)));
    if (is_low(walk, values[i]))
      available = norn_regs_common(available, low_registers(walk, values[i]));
    unsigned reg = norn_walk_choose(walk, values[i], words[values[i]], available);
    if (reg == NORN_NO_REGISTER) {
      walk->now = saved;
      for (unsigned k = 0; k < count; k++)
        walk->reg[values[k]] = old[k];
      return false;
    }
    norn_walk_assign(walk, values[i], reg);
    fresh[i] = (uint8_t)reg;
  }
  for (unsigned i = 0; i < count; i++) {
    walk->reg[values[i]] = old[i];
    norn_walk_note_move(walk, values[i]);
    walk->reg[values[i]] = fresh[i];
  }
  return true;
}

bool
norn_walk_evict(AllocationWalk *walk, NornRegisterSet range) {
  uint32_t values[NORN_MAX_REGISTERS];
  unsigned count = 0;
  norn_for_each_register (reg, norn_regs_common(range, walk->now.used)) {
    uint32_t owner = walk->now.owner[reg];
    if (!count || values[count - 1] != owner)
      values[count++] = owner;
  }
  return norn_walk_relocate(walk, values, count, range);
}

unsigned
norn_walk_make_room(AllocationWalk *walk, uint32_t value, unsigned words, NornRegisterSet usable) {
  unsigned cost[NORN_MAX_REGISTERS];
  NornRegisterSet bases = norn_walk_fitting(walk, value, usable, words);
  norn_for_each_register (reg, bases)
    cost[reg] = norn_walk_eviction_cost(walk, norn_regs_range(reg, words));
  while (norn_regs_any(bases)) {
    unsigned best = norn_regs_lowest(bases);
    norn_for_each_register (reg, bases)
      if (cost[reg] < cost[best])
        best = reg;
    if (cost[best] == UINT_MAX)
      return NORN_NO_REGISTER;
    if (norn_walk_evict(walk, norn_regs_range(best, words)))
      return best;
    norn_regs_remove(&bases, norn_regs_of(best));
  }
  return NORN_NO_REGISTER;
}

bool
norn_walk_allocate(AllocationWalk *walk, uint32_t value, NornRegisterSet forbidden) {
  unsigned words = norn_walk_words(walk, value);
  NornRegisterSet usable = norn_regs_without(walk->file, forbidden);
  unsigned reg = norn_walk_choose(walk, value, words, norn_regs_without(usable, walk->now.used));
  if (reg == NORN_NO_REGISTER)
    reg = norn_walk_make_room(walk, value, words, usable);
  if (reg == NORN_NO_REGISTER)
    return false;
  norn_walk_assign(walk, value, reg);
  norn_regs_add(&walk->pinned, norn_regs_range(reg, words));
  norn_walk_set_hint(walk, value, reg, false);
  return true;
}

/* --- Repacking --- */

/* A value that is in a register before the instruction, and its place in the repacking. */
typedef struct Resident {
  uint32_t value;
  uint8_t words;
  uint8_t at;
  bool is_killed; /* may be where the result will be */
  bool is_moved;  /* has been moved to its final place */
  bool is_placed;
} Resident;

/* One way to rearrange the values to clear `window` for a result. */
typedef struct Repacking {
  Resident residents[NORN_MAX_REGISTERS + NORN_MACHINE_OPERANDS];
  unsigned count;
  uint8_t resident_of[NORN_MAX_REGISTERS]; /* valid for registers in `used` */
  NornRegisterSet used;
  NornRegisterSet window;
  unsigned cost; /* of the moves so far: in words, double for values that a loop moves back */
} Repacking;

static void
add_resident(Repacking *repacking, const AllocationWalk *walk, uint32_t value, bool is_killed) {
  uint8_t words = (uint8_t)norn_walk_words(walk, value), at = walk->reg[value];
  for (unsigned k = 0; k < words; k++)
    repacking->resident_of[at + k] = (uint8_t)repacking->count;
  norn_regs_add(&repacking->used, norn_regs_range(at, words));
  repacking->residents[repacking->count++] = (Resident){
      .value = value, .words = words, .at = at, .is_killed = is_killed, .is_placed = true};
}

static void
remove_residents(Repacking *repacking, NornRegisterSet range, bool killed_too) {
  norn_for_each_register (reg, norn_regs_common(range, repacking->used)) {
    Resident *resident = &repacking->residents[repacking->resident_of[reg]];
    if (!resident->is_placed || (resident->is_killed && !killed_too))
      continue;
    resident->is_placed = false;
    norn_regs_remove(&repacking->used, norn_regs_range(resident->at, resident->words));
  }
}

/* The number of words that move to clear the range for the resident, or UINT_MAX if something there
 * has to stay. */
static unsigned
clearing_cost(const Repacking *repacking, const Resident *self, NornRegisterSet range) {
  unsigned cost = 0;
  const Resident *previous = NULL;
  norn_for_each_register (reg, norn_regs_common(range, repacking->used)) {
    const Resident *resident = &repacking->residents[repacking->resident_of[reg]];
    if (resident->is_moved || resident->words > self->words ||
        (resident->words == self->words && resident->is_killed <= self->is_killed))
      return UINT_MAX;
    if (resident != previous)
      cost += resident->words;
    previous = resident;
  }
  return cost;
}

/* Finds a place for a resident that has none; narrower residents may have to make room. */
static bool
place_resident(Repacking *repacking, const AllocationWalk *walk, Resident *resident) {
  NornRegisterSet file =
      resident->is_killed ? walk->file : norn_regs_without(walk->file, repacking->window);
  NornRegisterSet gaps = norn_regs_without(file, repacking->used);
  NornRegisterSet fit = norn_walk_fitting(walk, resident->value, gaps, resident->words);
  unsigned best = NORN_NO_REGISTER, best_cost = UINT_MAX;
  if (norn_regs_any(fit)) {
    fit = norn_walk_least_breaking(walk, resident->value, fit, gaps, resident->words);
    best = norn_regs_lowest(fit);
  } else {
    norn_for_each_register (reg, norn_walk_fitting(walk, resident->value, file, resident->words)) {
      unsigned cost = clearing_cost(repacking, resident, norn_regs_range(reg, resident->words));
      if (cost < best_cost) {
        best_cost = cost;
        best = reg;
      }
    }
    if (best == NORN_NO_REGISTER)
      return false;
    remove_residents(repacking, norn_regs_range(best, resident->words), true);
  }
  resident->at = (uint8_t)best;
  resident->is_moved = resident->is_placed = true;
  for (unsigned k = 0; k < resident->words; k++)
    repacking->resident_of[best + k] = (uint8_t)(resident - repacking->residents);
  norn_regs_add(&repacking->used, norn_regs_range(best, resident->words));
  repacking->cost += resident->words << comes_back(walk, resident->value);
  return true;
}

/* The widest resident without a place, live ones first. */
static Resident *
next_resident(Repacking *repacking) {
  Resident *best = NULL;
  for (unsigned i = 0; i < repacking->count; i++) {
    Resident *resident = &repacking->residents[i];
    if (!resident->is_placed &&
        (!best || resident->words > best->words ||
         (resident->words == best->words && resident->is_killed < best->is_killed)))
      best = resident;
  }
  return best;
}

/* Clears the window of all values except killed operands, at less than that cost. */
static bool
clear_window(Repacking *repacking, const AllocationWalk *walk, unsigned max_cost) {
  remove_residents(repacking, repacking->window, false);
  for (Resident *resident; (resident = next_resident(repacking));)
    if (!place_resident(repacking, walk, resident) || repacking->cost >= max_cost)
      return false;
  return true;
}

/* Assigns registers to the result with the fewest moves found of live values and dying operands. */
static bool
repack(AllocationWalk *walk, const uint32_t *killed, unsigned killed_count, uint32_t result) {
  Repacking start = {.cost = 0}, best = {.cost = UINT_MAX};
  norn_for_each_register (reg, walk->now.used)
    if (walk->reg[walk->now.owner[reg]] == reg)
      add_resident(&start, walk, walk->now.owner[reg], false);
  for (unsigned i = 0; i < killed_count; i++)
    add_resident(&start, walk, killed[i], true);
  unsigned words = norn_walk_words(walk, result), base = NORN_NO_REGISTER;
  norn_for_each_register (reg, norn_walk_fitting(walk, result, walk->file, words)) {
    Repacking repacking = start;
    repacking.window = norn_regs_range(reg, words);
    if (!clear_window(&repacking, walk, best.cost))
      continue;
    best = repacking;
    base = reg;
  }
  if (base == NORN_NO_REGISTER)
    return false;
  for (unsigned i = 0; i < best.count; i++)
    if (best.residents[i].is_moved) {
      norn_walk_note_move(walk, best.residents[i].value);
      if (!best.residents[i].is_killed)
        norn_walk_unassign(walk, best.residents[i].value);
    }
  for (unsigned i = 0; i < best.count; i++) {
    const Resident *resident = &best.residents[i];
    if (resident->is_moved && resident->is_killed)
      walk->reg[resident->value] = resident->at;
    else if (resident->is_moved)
      norn_walk_assign(walk, resident->value, resident->at);
  }
  norn_walk_assign(walk, result, base);
  norn_walk_set_hint(walk, result, base, false);
  return true;
}

/* --- Packing everything again --- */

/* The number of words to reserve for a value in a packing. */
static unsigned
packed_words(const AllocationWalk *walk, uint32_t value) {
  return is_low(walk, value) ? 2 : norn_walk_words(walk, value);
}

static int
wider_first(const void *a, const void *b, gpointer walk) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  unsigned left_words = packed_words(walk, left), right_words = packed_words(walk, right);
  if (left_words != right_words)
    return left_words < right_words ? 1 : -1;
  return left < right ? -1 : left > right;
}

/* Assigns the values to the lowest gaps outside *taken, widest first. */
static bool
pack_values(AllocationWalk *walk, uint32_t *values, unsigned count, NornRegisterSet *taken,
            uint8_t *registers) {
  g_qsort_with_data(values, (int)count, sizeof *values, wider_first, walk);
  for (unsigned i = 0; i < count; i++) {
    unsigned words = packed_words(walk, values[i]);
    NornRegisterSet available = norn_regs_without(walk->file, *taken);
    NornRegisterSet fit = norn_walk_fitting(walk, values[i], available, words);
    if (!norn_regs_any(fit))
      return false;
    if (words == 1)
      fit = norn_walk_least_breaking(walk, values[i], fit, available, 1);
    registers[i] = (uint8_t)norn_regs_lowest(fit);
    norn_regs_add(taken, norn_regs_range(registers[i], norn_walk_words(walk, values[i])));
  }
  return true;
}

bool
norn_walk_pack(AllocationWalk *walk, uint32_t *killed, unsigned killed_count, uint32_t *results,
               unsigned result_count, NornRegisterSet forbidden) {
  if (result_count == 1 && !walk->low_count && !norn_regs_any(forbidden) &&
      repack(walk, killed, killed_count, results[0]))
    return true;
  uint32_t live[NORN_MAX_REGISTERS];
  uint8_t live_at[NORN_MAX_REGISTERS], killed_at[NORN_MAX_REGISTERS], result_at[NORN_MAX_REGISTERS];
  unsigned count = 0;
  norn_for_each_register (reg, walk->now.used)
    if (walk->reg[walk->now.owner[reg]] == reg)
      live[count++] = walk->now.owner[reg];
  NornRegisterSet taken = forbidden;
  if (!pack_values(walk, live, count, &taken, live_at))
    return false;
  NornRegisterSet taken_before = taken, taken_after = taken;
  if (!pack_values(walk, killed, killed_count, &taken_before, killed_at) ||
      !pack_values(walk, results, result_count, &taken_after, result_at))
    return false;
  for (unsigned i = 0; i < count; i++) {
    norn_walk_note_move(walk, live[i]);
    norn_walk_unassign(walk, live[i]);
  }
  for (unsigned i = 0; i < count; i++)
    norn_walk_assign(walk, live[i], live_at[i]);
  for (unsigned i = 0; i < killed_count; i++) {
    norn_walk_note_move(walk, killed[i]);
    walk->reg[killed[i]] = killed_at[i];
  }
  for (unsigned i = 0; i < result_count; i++) {
    norn_walk_assign(walk, results[i], result_at[i]);
    norn_walk_set_hint(walk, results[i], result_at[i], false);
  }
  return true;
}
