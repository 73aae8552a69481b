/* The walk that gives registers.
 *
 * Blocks come in reverse post-order, so a block's live-in values have places when it begins: those
 * they had at the end of the first predecessor walked. Later predecessors bring them there with a
 * parallel copy before their jump. Inside a block, a value that dies frees its registers before the
 * results are placed, so results may take them. A place is chosen by affinity first, then so that
 * few pairs are broken. If no gap fits, the cheapest range is cleared by moving its owners; if that
 * fails, all live values are packed anew.
 *
 * Invariant: `now.owner` and `reg` say the same; a register of a killed operand belongs to nobody
 * but stays in `blocked` until the instruction has read it. */
#include "ir/ops.h"
#include "passes/regalloc/allocate.h"
#include <string.h>

/* A value that changed its place at the current instruction. */
typedef struct Move {
  uint32_t value;
  uint8_t from;
} Move;

typedef struct AllocationWalk {
  NornAllocation *allocation;
  NornFunction *function;
  NornRegisterState now;
  uint8_t *reg; /* current register of each value that is live */
  const NornRegisterModel *model;
  NornRegisterSet file;
  NornRegisterSet blocked;  /* registers that a moved value must not go to */
  NornRegisterSet pinned;   /* registers whose owner must not move any more */
  NornRegisterSet reserved; /* registers that an affinity class hopes for */
  NornRegisterSet before;   /* registers in use before the instruction */
  Move moves[2 * NORN_MOST_REGISTERS];
  unsigned move_count;
  uint32_t low[NORN_MACHINE_OPERANDS]; /* values that the instruction reads as the low of a pair */
  unsigned low_count;
  uint32_t first_transfer;
  uint64_t random; /* state of the register-order chaos; 0: none */
  bool *decided;   /* per block: entry state is known */
} AllocationWalk;

/* --- places --------------------------------------------------------------------------------- */

/* The registers of the value's class from which `words` ones on are all in `available`, aligned. */
static NornRegisterSet
fitting(const AllocationWalk *walk, uint32_t value, NornRegisterSet available, unsigned words) {
  NornRegisterSet fit = available;
  for (unsigned k = 1; k < words; k++)
    fit = norn_regs_common(fit, norn_regs_down(available, k));
  unsigned class = norn_pressure_class(walk->allocation->pressure, value);
  return norn_regs_common(fit, walk->model->starts[class][words]);
}

/* The registers of the value's class that are a multiple of 2 to the power of `log`, and
 * `residue`. */
static NornRegisterSet
multiples(const AllocationWalk *walk, uint32_t value, unsigned log, unsigned residue) {
  unsigned class = norn_pressure_class(walk->allocation->pressure, value);
  return norn_regs_up(walk->model->multiples[class][log], residue);
}

static void
take(AllocationWalk *walk, uint32_t value, unsigned reg) {
  unsigned words = walk->allocation->pressure->words[value];
  for (unsigned k = 0; k < words; k++)
    walk->now.owner[reg + k] = value;
  norn_regs_add(&walk->now.used, norn_regs_range(reg, words));
  walk->reg[value] = (uint8_t)reg;
}

static void
release(AllocationWalk *walk, uint32_t value) {
  unsigned words = walk->allocation->pressure->words[value], reg = walk->reg[value];
  for (unsigned k = 0; k < words; k++)
    if (walk->now.owner[reg + k] == value)
      walk->now.owner[reg + k] = NORN_INDEX_NONE;
  norn_regs_remove(&walk->now.used, norn_regs_range(reg, words));
}

/* Notes that the value is about to leave its register. */
static void
note_move(AllocationWalk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->move_count; i++)
    if (walk->moves[i].value == value)
      return;
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

/* Of the free places in `fit`, those that leave the most pairs (for a pair: aligned fours) whole.
 */
static NornRegisterSet
least_breaking(const AllocationWalk *walk, uint32_t value, NornRegisterSet fit,
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

static NornAffinity *
affinity_of(const AllocationWalk *walk, uint32_t value, int *offset) {
  NornAffinity *affinity = walk->allocation->affinity;
  return &affinity[norn_affinity_find(affinity, value, offset)];
}

/* Where the class of the value would like it, or a free place for the whole class. */
static NornRegisterSet
wanted_places(const AllocationWalk *walk, uint32_t value, unsigned words,
              NornRegisterSet available) {
  int offset;
  const NornAffinity *class = affinity_of(walk, value, &offset);
  if (class->base != NORN_NO_BASE) {
    int reg = class->base + offset;
    if (reg < 0 || reg >= NORN_MOST_REGISTERS)
      return NORN_NO_REGISTERS;
    return norn_regs_common(fitting(walk, value, available, words), norn_regs_of((unsigned)reg));
  }
  unsigned extent = (unsigned)(class->high - class->low);
  if (extent <= words)
    return NORN_NO_REGISTERS;
  NornRegisterSet room = norn_regs_without(available, walk->reserved);
  NornRegisterSet fit = room;
  for (unsigned k = 1; k < extent; k++)
    fit = norn_regs_common(fit, norn_regs_down(room, k));
  unsigned mask = (1u << class->alignment) - 1;
  unsigned residue = ((unsigned)class->residue + (unsigned)(int)class->low) & mask;
  fit = norn_regs_common(fit, multiples(walk, value, class->alignment, residue));
  fit = norn_regs_up(fit, (unsigned)(offset - class->low));
  return norn_regs_common(fit, fitting(walk, value, available, words));
}

/* The places among `fit` that the class's alignment asks for, if there are some. */
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

/* A place among the available registers, or NORN_NO_REGISTER. */
static unsigned
choose(AllocationWalk *walk, uint32_t value, unsigned words, NornRegisterSet available) {
  NornRegisterSet fit = fitting(walk, value, available, words);
  if (!norn_regs_any(fit))
    return NORN_NO_REGISTER;
  if (walk->random)
    return random_member(walk, fit);
  NornRegisterSet wanted = wanted_places(walk, value, words, available);
  if (norn_regs_any(wanted))
    return norn_regs_lowest(wanted);
  fit = of_alignment(walk, value, fit);
  NornRegisterSet calm = norn_regs_common(
      fitting(walk, value, norn_regs_without(available, walk->reserved), words), fit);
  if (norn_regs_any(calm))
    fit = calm;
  return norn_regs_lowest(least_breaking(walk, value, fit, available, words));
}

/* Tells the class where its member now is. */
static void
settle_class(AllocationWalk *walk, uint32_t value, unsigned reg, bool force) {
  int offset;
  NornAffinity *class = affinity_of(walk, value, &offset);
  if (class->base != NORN_NO_BASE && !force)
    return;
  class->base = (int16_t)((int)reg - offset);
  int low = class->base + class->low, words = class->high - class->low;
  if (words > walk->allocation->pressure->words[value] && low >= 0 &&
      low + words <= NORN_MOST_REGISTERS)
    norn_regs_add(&walk->reserved, norn_regs_range((unsigned)low, (unsigned)words));
}

/* The class has come together (or apart): nobody need keep away from its registers. */
static void
dissolve_reservation(AllocationWalk *walk, unsigned reg, unsigned words) {
  norn_regs_remove(&walk->reserved, norn_regs_range(reg, words));
}

/* --- making room ----------------------------------------------------------------------------- */

/* Words that must move to clear the range, or UINT_MAX if an owner is pinned. */
static unsigned
clearing_cost(const AllocationWalk *walk, NornRegisterSet range) {
  NornRegisterSet taken = norn_regs_common(range, walk->now.used);
  if (norn_regs_overlap(taken, walk->pinned))
    return UINT_MAX;
  unsigned cost = 0;
  uint32_t previous = NORN_INDEX_NONE;
  norn_for_each_register (reg, taken) {
    uint32_t owner = walk->now.owner[reg];
    if (owner != previous)
      cost += walk->allocation->pressure->words[owner];
    previous = owner;
  }
  return cost;
}

/* Gives new places to the values (widest first) outside `range`; all or none. */
static bool
relocate(AllocationWalk *walk, uint32_t *values, unsigned count, NornRegisterSet range) {
  NornRegisterState saved = walk->now;
  uint8_t old[NORN_MOST_REGISTERS], fresh[NORN_MOST_REGISTERS];
  const uint8_t *words = walk->allocation->pressure->words;
  for (unsigned i = 1; i < count; i++)
    for (unsigned j = i; j && words[values[j - 1]] < words[values[j]]; j--) {
      uint32_t swap = values[j];
      values[j] = values[j - 1];
      values[j - 1] = swap;
    }
  for (unsigned i = 0; i < count; i++) {
    old[i] = walk->reg[values[i]];
    release(walk, values[i]);
  }
  for (unsigned i = 0; i < count; i++) {
    NornRegisterSet available = norn_regs_without(
        walk->file, norn_regs_union(walk->now.used, norn_regs_union(walk->blocked, range)));
    unsigned reg = choose(walk, values[i], words[values[i]], available);
    if (reg == NORN_NO_REGISTER) {
      walk->now = saved;
      for (unsigned k = 0; k < count; k++)
        walk->reg[values[k]] = old[k];
      return false;
    }
    take(walk, values[i], reg);
    fresh[i] = (uint8_t)reg;
  }
  for (unsigned i = 0; i < count; i++) {
    walk->reg[values[i]] = old[i];
    note_move(walk, values[i]);
    walk->reg[values[i]] = fresh[i];
  }
  return true;
}

/* Moves every owner in the range out of it. */
static bool
clear_range(AllocationWalk *walk, NornRegisterSet range) {
  uint32_t values[NORN_MOST_REGISTERS];
  unsigned count = 0;
  norn_for_each_register (reg, norn_regs_common(range, walk->now.used)) {
    uint32_t owner = walk->now.owner[reg];
    if (!count || values[count - 1] != owner)
      values[count++] = owner;
  }
  return relocate(walk, values, count, range);
}

/* Clears the cheapest range of the value's class that `words` registers of `usable` fit into. */
static unsigned
make_room(AllocationWalk *walk, uint32_t value, unsigned words, NornRegisterSet usable) {
  unsigned cost[NORN_MOST_REGISTERS];
  NornRegisterSet bases = fitting(walk, value, usable, words);
  norn_for_each_register (reg, bases)
    cost[reg] = clearing_cost(walk, norn_regs_range(reg, words));
  while (norn_regs_any(bases)) {
    unsigned best = norn_regs_lowest(bases);
    norn_for_each_register (reg, bases)
      if (cost[reg] < cost[best])
        best = reg;
    if (cost[best] == UINT_MAX)
      return NORN_NO_REGISTER;
    if (clear_range(walk, norn_regs_range(best, words)))
      return best;
    norn_regs_remove(&bases, norn_regs_of(best));
  }
  return NORN_NO_REGISTER;
}

/* A place for a value outside `forbidden`, others moving if they must. It is pinned. */
static bool
place(AllocationWalk *walk, uint32_t value, NornRegisterSet forbidden) {
  unsigned words = walk->allocation->pressure->words[value];
  NornRegisterSet usable = norn_regs_without(walk->file, forbidden);
  unsigned reg = choose(walk, value, words, norn_regs_without(usable, walk->now.used));
  if (reg == NORN_NO_REGISTER)
    reg = make_room(walk, value, words, usable);
  if (reg == NORN_NO_REGISTER)
    return false;
  take(walk, value, reg);
  norn_regs_add(&walk->pinned, norn_regs_range(reg, words));
  settle_class(walk, value, reg, false);
  return true;
}

/* --- packing everything anew ----------------------------------------------------------------- */

/* Words to keep for a value in a packing. */
static unsigned
packed_words(const AllocationWalk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->low_count; i++)
    if (walk->low[i] == value)
      return 2;
  return walk->allocation->pressure->words[value];
}

static int
wider_first(const void *a, const void *b, gpointer walk) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  unsigned left_words = packed_words(walk, left), right_words = packed_words(walk, right);
  if (left_words != right_words)
    return left_words < right_words ? 1 : -1;
  return left < right ? -1 : left > right;
}

/* Puts the values into the lowest gaps outside *taken, widest first. */
static bool
pack_values(AllocationWalk *walk, uint32_t *values, unsigned count, NornRegisterSet *taken,
            uint8_t *places) {
  g_qsort_with_data(values, (int)count, sizeof *values, wider_first, walk);
  for (unsigned i = 0; i < count; i++) {
    unsigned words = packed_words(walk, values[i]);
    NornRegisterSet available = norn_regs_without(walk->file, *taken);
    NornRegisterSet fit = fitting(walk, values[i], available, words);
    if (!norn_regs_any(fit))
      return false;
    if (words == 1)
      fit = least_breaking(walk, values[i], fit, available, 1);
    places[i] = (uint8_t)norn_regs_lowest(fit);
    norn_regs_add(taken, norn_regs_range(places[i], walk->allocation->pressure->words[values[i]]));
  }
  return true;
}

/* Lays out all live values from the bottom of the file, then the killed operands and the results,
 * each above them; nothing in `forbidden`. */
static bool
pack_all(AllocationWalk *walk, uint32_t *killed, unsigned killed_count, uint32_t *results,
         unsigned result_count, NornRegisterSet forbidden) {
  uint32_t live[NORN_MOST_REGISTERS];
  uint8_t live_at[NORN_MOST_REGISTERS], killed_at[NORN_MOST_REGISTERS],
      result_at[NORN_MOST_REGISTERS];
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
    note_move(walk, live[i]);
    release(walk, live[i]);
  }
  for (unsigned i = 0; i < count; i++)
    take(walk, live[i], live_at[i]);
  for (unsigned i = 0; i < killed_count; i++) {
    note_move(walk, killed[i]);
    walk->reg[killed[i]] = killed_at[i];
  }
  for (unsigned i = 0; i < result_count; i++) {
    take(walk, results[i], result_at[i]);
    settle_class(walk, results[i], result_at[i], false);
  }
  return true;
}

/* The same for one result. */
static bool
pack_result(AllocationWalk *walk, uint32_t result) {
  return pack_all(walk, NULL, 0, &result, 1, NORN_NO_REGISTERS);
}

/* --- transfers ------------------------------------------------------------------------------- */

static void
begin(AllocationWalk *walk) {
  walk->before = walk->now.used;
  walk->blocked = walk->pinned = NORN_NO_REGISTERS;
  walk->move_count = walk->low_count = 0;
  walk->first_transfer = walk->allocation->transfers.count;
}

static void
transfer(AllocationWalk *walk, NornRef source, uint32_t operand, unsigned from, unsigned to,
         unsigned words) {
  norn_list_push(walk->allocation->arena, &walk->allocation->transfers,
                 (NornTransfer){source, operand, (uint8_t)from, (uint8_t)to, (uint8_t)words});
}

/* Notes the parallel copy of everything that moved or was copied since begin(). */
static void
finish(AllocationWalk *walk, uint32_t inst, bool after, NornRegisterSet used_after) {
  NornAllocation *allocation = walk->allocation;
  for (unsigned i = 0; i < walk->move_count; i++) {
    Move *move = &walk->moves[i];
    if (move->from != walk->reg[move->value])
      transfer(walk, norn_ref(NORN_REF_VALUE, move->value), NORN_INDEX_NONE, move->from,
               walk->reg[move->value], allocation->pressure->words[move->value]);
  }
  uint32_t count = allocation->transfers.count - walk->first_transfer;
  if (!count)
    return;
  NornRegisterSet busy = norn_regs_union(walk->before, used_after);
  for (uint32_t i = walk->first_transfer; i < allocation->transfers.count; i++) {
    const NornTransfer *item = &allocation->transfers.items[i];
    norn_regs_add(&busy, norn_regs_range(item->to, item->words));
  }
  norn_list_push(allocation->arena, &allocation->copies,
                 (NornParallelCopy){inst, walk->first_transfer, count,
                                    norn_regs_without(walk->file, busy), after});
}

/* --- instructions ---------------------------------------------------------------------------- */

static bool
is_killed(const AllocationWalk *walk, uint32_t operand) {
  return norn_bit(walk->allocation->pressure->kills, operand);
}

/* Frees what the instruction uses last; returns the values. Their registers become blocked. */
static unsigned
release_killed(AllocationWalk *walk, const NornInst *inst, uint32_t *killed) {
  unsigned count = 0;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = walk->function->operands[inst->operand + k];
    if (norn_ref_kind(ref) != NORN_REF_VALUE || !is_killed(walk, inst->operand + k))
      continue;
    uint32_t value = norn_ref_payload(ref);
    unsigned i = 0;
    while (i < count && killed[i] != value)
      i++;
    if (i < count || count == NORN_MACHINE_OPERANDS)
      continue;
    killed[count++] = value;
    release(walk, value);
    norn_regs_add(&walk->blocked,
                  norn_regs_range(walk->reg[value], walk->allocation->pressure->words[value]));
  }
  return count;
}

static void
define(AllocationWalk *walk, uint32_t value) {
  walk->allocation->defined_at[value] = walk->reg[value];
}

static void
release_unused(AllocationWalk *walk, const NornInst *inst) {
  for (unsigned k = 0; k < inst->result_count; k++)
    if (norn_bit(walk->allocation->pressure->unused, inst->result + k))
      release(walk, inst->result + k);
}

/* Gives places outside `forbidden` to the results not `placed` already. */
static bool
place_results(AllocationWalk *walk, const NornInst *inst, const uint32_t *killed,
              unsigned killed_count, NornRegisterSet forbidden, unsigned placed) {
  uint32_t results[NORN_MACHINE_OPERANDS], packed[NORN_MACHINE_OPERANDS];
  unsigned count = 0;
  for (unsigned k = 0; k < inst->result_count; k++)
    if (!(placed >> k & 1))
      results[count++] = inst->result + k;
  for (unsigned i = 0; i < count; i++) {
    if (place(walk, results[i], forbidden))
      continue;
    while (i--)
      release(walk, results[i]);
    memcpy(packed, killed, killed_count * sizeof *packed);
    if (!pack_all(walk, packed, killed_count, results, count, forbidden))
      return false;
    break;
  }
  for (unsigned k = 0; k < inst->result_count; k++)
    define(walk, inst->result + k);
  return true;
}

/* Where the value was before the moves of this instruction. */
static unsigned
register_before(const AllocationWalk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->move_count; i++)
    if (walk->moves[i].value == value)
      return walk->moves[i].from;
  return walk->reg[value];
}

/* A copy of an operand for this instruction alone, at register `to`. */
static void
copy_operand(AllocationWalk *walk, uint32_t slot, unsigned to, unsigned words) {
  NornRef source = walk->function->operands[slot];
  unsigned from = norn_ref_kind(source) == NORN_REF_VALUE
                      ? register_before(walk, norn_ref_payload(source))
                      : NORN_NO_REGISTER;
  transfer(walk, source, slot, from, to, words);
}

/* Whether operand k of the instruction dies in it and no earlier operand is the same value. */
static bool
dies_first_here(const AllocationWalk *walk, const NornInst *inst, unsigned k) {
  const NornRef *operands = walk->function->operands + inst->operand;
  if (norn_ref_kind(operands[k]) != NORN_REF_VALUE || !is_killed(walk, inst->operand + k))
    return false;
  for (unsigned i = 0; i < k; i++)
    if (operands[i] == operands[k])
      return false;
  return true;
}

/* Words that a collect must write or move if the group begins at `base`. */
static unsigned
collect_cost(const AllocationWalk *walk, const NornInst *inst, unsigned base) {
  unsigned cost = clearing_cost(walk, norn_regs_range(base, inst->operand_count));
  if (cost == UINT_MAX)
    return cost;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = walk->function->operands[inst->operand + k];
    if (!dies_first_here(walk, inst, k) || walk->reg[norn_ref_payload(ref)] != base + k)
      cost++;
  }
  return cost;
}

/* The cheapest place for the group a collect makes. */
static bool
place_group(AllocationWalk *walk, const NornInst *inst) {
  unsigned words = walk->allocation->pressure->words[inst->result];
  unsigned best = NORN_NO_REGISTER, best_cost = UINT_MAX;
  NornRegisterSet bases =
      walk->random ? NORN_NO_REGISTERS : fitting(walk, inst->result, walk->file, words);
  norn_for_each_register (base, bases) {
    unsigned cost = collect_cost(walk, inst, base);
    if (cost < best_cost) {
      best_cost = cost;
      best = base;
    }
  }
  if (best_cost >= words) /* nothing is in place: let the class choose */
    return place(walk, inst->result, NORN_NO_REGISTERS);
  if (!clear_range(walk, norn_regs_range(best, words)))
    return place(walk, inst->result, NORN_NO_REGISTERS);
  take(walk, inst->result, best);
  settle_class(walk, inst->result, best, false);
  return true;
}

static bool
assign_collect(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  uint32_t killed[NORN_MACHINE_OPERANDS];
  begin(walk);
  release_killed(walk, inst, killed);
  walk->blocked = NORN_NO_REGISTERS;
  if (!place_group(walk, inst) && !pack_result(walk, inst->result))
    return false;
  unsigned reg = walk->reg[inst->result];
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = walk->function->operands[inst->operand + k];
    if (dies_first_here(walk, inst, k) && register_before(walk, norn_ref_payload(ref)) == reg + k)
      continue;
    copy_operand(walk, inst->operand + k, reg + k, 1);
  }
  dissolve_reservation(walk, reg, inst->operand_count);
  define(walk, inst->result);
  finish(walk, index, false, walk->now.used);
  release_unused(walk, inst);
  return true;
}

/* The words of a dying group stay where they are; those of a living one are copied. */
static bool
assign_split(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  uint32_t group = norn_ref_payload(walk->function->operands[inst->operand]);
  unsigned reg = walk->reg[group];
  begin(walk);
  for (unsigned k = 0; k < inst->result_count; k++)
    walk->allocation->defined_at[inst->result + k] = (uint8_t)(reg + k);
  if (is_killed(walk, inst->operand)) {
    release(walk, group);
    dissolve_reservation(walk, reg, inst->result_count);
    for (unsigned k = 0; k < inst->result_count; k++) {
      take(walk, inst->result + k, reg + k);
      settle_class(walk, inst->result + k, reg + k, false);
    }
    release_unused(walk, inst);
    return true;
  }
  uint32_t results[NORN_MACHINE_OPERANDS];
  unsigned count = 0;
  for (unsigned k = 0; k < inst->result_count; k++)
    if (!norn_bit(walk->allocation->pressure->unused, inst->result + k))
      results[count++] = inst->result + k;
  for (unsigned i = 0; i < count; i++) {
    if (place(walk, results[i], NORN_NO_REGISTERS))
      continue;
    while (i--)
      release(walk, results[i]);
    if (!pack_all(walk, NULL, 0, results, count, NORN_NO_REGISTERS))
      return false;
    break;
  }
  for (unsigned i = 0; i < count; i++) {
    uint32_t value = results[i];
    transfer(walk, norn_ref(NORN_REF_VALUE, value), NORN_INDEX_NONE,
             walk->allocation->defined_at[value], walk->reg[value], 1);
  }
  finish(walk, index, true, walk->now.used);
  return true;
}

static bool
assign_copy(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  NornRef source = walk->function->operands[inst->operand];
  begin(walk);
  if (norn_ref_kind(source) == NORN_REF_VALUE && is_killed(walk, inst->operand)) {
    release(walk, norn_ref_payload(source));
    take(walk, inst->result, walk->reg[norn_ref_payload(source)]);
  } else {
    if (!place(walk, inst->result, NORN_NO_REGISTERS) && !pack_result(walk, inst->result))
      return false;
    copy_operand(walk, inst->operand, walk->reg[inst->result],
                 walk->allocation->pressure->words[inst->result]);
  }
  define(walk, inst->result);
  finish(walk, index, false, walk->now.used);
  release_unused(walk, inst);
  return true;
}

static bool
assign_preload(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  NornRef where = walk->function->operands[inst->operand];
  uint64_t reg = norn_constant_bits(walk->function->module, where);
  if (reg >= walk->model->count || norn_regs_has(walk->now.used, (unsigned)reg))
    return false;
  take(walk, inst->result, (unsigned)reg);
  settle_class(walk, inst->result, (unsigned)reg, false);
  define(walk, inst->result);
  release_unused(walk, inst);
  return true;
}

/* --- instructions with registers of their own --------------------------------------------------
 */

static bool
is_member(const uint32_t *values, unsigned count, uint32_t value) {
  for (unsigned i = 0; i < count; i++)
    if (values[i] == value)
      return true;
  return false;
}

/* Where a killed operand is wanted, or NORN_NO_REGISTER. */
static unsigned
fixed_place(const AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
            uint32_t value) {
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (fixed->operand[k] != NORN_NO_REGISTER &&
        walk->function->operands[inst->operand + k] == norn_ref(NORN_REF_VALUE, value))
      return fixed->operand[k];
  return NORN_NO_REGISTER;
}

/* Evicts whatever lives in `forbidden`, and the killed operands in the way of fixed ones. */
static bool
evict(AllocationWalk *walk, const uint32_t *killed, unsigned killed_count, NornRegisterSet operands,
      NornRegisterSet forbidden) {
  const uint8_t *words = walk->allocation->pressure->words;
  uint32_t values[2 * NORN_MOST_REGISTERS], leaving[NORN_MACHINE_OPERANDS];
  unsigned count = 0, leaving_count = 0;
  norn_for_each_register (reg, norn_regs_common(walk->now.used, forbidden)) {
    uint32_t owner = walk->now.owner[reg];
    if (!is_member(values, count, owner))
      values[count++] = owner;
  }
  for (unsigned i = 0; i < killed_count; i++) {
    NornRegisterSet range = norn_regs_range(walk->reg[killed[i]], words[killed[i]]);
    if (!norn_regs_overlap(range, operands))
      continue;
    norn_regs_remove(&walk->blocked, range);
    take(walk, killed[i], walk->reg[killed[i]]);
    values[count++] = leaving[leaving_count++] = killed[i];
  }
  bool ok = !count || relocate(walk, values, count, forbidden);
  for (unsigned i = 0; i < leaving_count; i++) {
    release(walk, leaving[i]);
    norn_regs_add(&walk->blocked, norn_regs_range(walk->reg[leaving[i]], words[leaving[i]]));
  }
  return ok;
}

/* Brings the operands that are read as the low register of a pair to where a pair may start. They
 * still belong to everybody. */
static bool
align_low(AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = walk->function->operands[inst->operand + k];
    if (!(fixed->low >> k & 1) || norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(ref);
    unsigned class = norn_pressure_class(walk->allocation->pressure, value);
    NornRegisterSet starts = walk->model->starts[class][2];
    if (!norn_regs_has(starts, walk->reg[value])) {
      note_move(walk, value);
      release(walk, value);
      NornRegisterSet usable = norn_regs_common(walk->file, starts);
      unsigned reg = choose(walk, value, 1, norn_regs_without(usable, walk->now.used));
      if (reg == NORN_NO_REGISTER)
        reg = make_room(walk, value, 1, usable);
      if (reg == NORN_NO_REGISTER)
        return false;
      take(walk, value, reg);
    }
    norn_regs_add(&walk->pinned, norn_regs_of(walk->reg[value]));
    walk->low[walk->low_count++] = value;
  }
  return true;
}

/* The registers that the instruction changes: its fixed results and what it clobbers. */
static NornRegisterSet
fixed_changes(const AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
  NornRegisterSet changed = fixed->clobbered;
  for (unsigned k = 0; k < inst->result_count; k++)
    if (fixed->result[k] != NORN_NO_REGISTER)
      norn_regs_add(&changed, norn_regs_range(fixed->result[k],
                                              walk->allocation->pressure->words[inst->result + k]));
  return changed;
}

/* Whether operand k lives on in its fixed place, where the instruction leaves it alone. */
static bool
is_settled(const AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
           unsigned k) {
  NornRef ref = walk->function->operands[inst->operand + k];
  if (norn_ref_kind(ref) != NORN_REF_VALUE || is_killed(walk, inst->operand + k) ||
      walk->reg[norn_ref_payload(ref)] != fixed->operand[k])
    return false;
  NornRegisterSet range =
      norn_regs_range(fixed->operand[k], walk->allocation->pressure->words[norn_ref_payload(ref)]);
  return !norn_regs_overlap(range, fixed_changes(walk, inst, fixed));
}

/* The registers of fixed operands but those that are settled; *all: of those, too. */
static NornRegisterSet
fixed_ranges(const AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
             NornRegisterSet *all) {
  const NornFunction *function = walk->function;
  NornRegisterSet operands = NORN_NO_REGISTERS;
  *all = NORN_NO_REGISTERS;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (fixed->operand[k] == NORN_NO_REGISTER)
      continue;
    NornRegisterSet range = norn_regs_range(
        fixed->operand[k], norn_operand_words(function, function->operands[inst->operand + k]));
    norn_regs_add(all, range);
    if (!is_settled(walk, inst, fixed, k))
      norn_regs_add(&operands, range);
  }
  return operands;
}

/* Moves the killed operands that have a fixed place there; the others stay in `killed`. */
static unsigned
settle_killed(AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
              uint32_t *killed, unsigned count) {
  unsigned left = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned reg = fixed_place(walk, inst, fixed, killed[i]);
    if (reg == NORN_NO_REGISTER) {
      killed[left++] = killed[i];
      continue;
    }
    norn_regs_remove(&walk->blocked, norn_regs_range(walk->reg[killed[i]],
                                                     walk->allocation->pressure->words[killed[i]]));
    note_move(walk, killed[i]);
    walk->reg[killed[i]] = (uint8_t)reg;
  }
  return left;
}

/* Copies the operands that live on, or are wanted in two places, to their fixed places. */
static void
copy_fixed_operands(AllocationWalk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = walk->function->operands[inst->operand + k];
    if (fixed->operand[k] == NORN_NO_REGISTER || is_settled(walk, inst, fixed, k) ||
        (norn_ref_kind(ref) == NORN_REF_VALUE && is_killed(walk, inst->operand + k) &&
         walk->reg[norn_ref_payload(ref)] == fixed->operand[k]))
      continue;
    copy_operand(walk, inst->operand + k, fixed->operand[k],
                 norn_operand_words(walk->function, ref));
  }
}

static bool
assign_fixed(AllocationWalk *walk, uint32_t index, const NornFixedRegisters *fixed) {
  const NornInst *inst = &walk->function->insts[index];
  uint32_t killed[NORN_MACHINE_OPERANDS];
  unsigned placed = 0;
  begin(walk);
  if (!align_low(walk, inst, fixed))
    return false;
  NornRegisterSet all, operands = fixed_ranges(walk, inst, fixed, &all);
  NornRegisterSet changed = fixed_changes(walk, inst, fixed);
  NornRegisterSet forbidden = norn_regs_union(changed, operands);
  unsigned killed_count = release_killed(walk, inst, killed);
  killed_count = settle_killed(walk, inst, fixed, killed, killed_count);
  for (unsigned k = 0; k < inst->result_count; k++)
    if (fixed->result[k] != NORN_NO_REGISTER)
      placed |= 1u << k;
  if (!evict(walk, killed, killed_count, operands, forbidden)) {
    /* Packing moves what is settled, too. */
    forbidden = norn_regs_union(changed, all);
    if (!pack_all(walk, killed, killed_count, NULL, 0, forbidden))
      return false;
  }
  if (!place_results(walk, inst, killed, killed_count, forbidden, placed))
    return false;
  copy_fixed_operands(walk, inst, fixed);
  for (unsigned k = 0; k < inst->result_count; k++)
    if (placed >> k & 1) {
      take(walk, inst->result + k, fixed->result[k]);
      define(walk, inst->result + k);
    }
  finish(walk, index, false, walk->now.used);
  release_unused(walk, inst);
  return true;
}

static bool
assign_machine(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  const NornPassContext *context = walk->allocation->context;
  NornFixedRegisters fixed;
  if (context->target->fixed_registers(context->target, walk->function, inst, &fixed))
    return assign_fixed(walk, index, &fixed);
  uint32_t killed[NORN_MACHINE_OPERANDS];
  begin(walk);
  unsigned killed_count = release_killed(walk, inst, killed);
  if (!inst->result_count)
    return true;
  if (!place_results(walk, inst, killed, killed_count, NORN_NO_REGISTERS, 0))
    return false;
  if (walk->move_count)
    finish(walk, index, false, walk->now.used);
  release_unused(walk, inst);
  return true;
}

/* --- edges ----------------------------------------------------------------------------------- */

/* Keeps what is live in the block. */
static void
retain_live_in(AllocationWalk *walk, uint32_t block) {
  norn_for_each_register (reg, walk->now.used) {
    uint32_t owner = walk->now.owner[reg];
    if (owner != NORN_INDEX_NONE && !norn_live_in(walk->allocation->live, block, owner))
      release(walk, owner);
  }
}

static bool
place_parameters(AllocationWalk *walk, uint32_t block, const NornEdge *edge, uint32_t inst) {
  const NornFunction *function = walk->function;
  const uint8_t *words = walk->allocation->pressure->words;
  const NornRef *arguments = function->operands + function->insts[inst].operand + edge->operand + 1;
  uint32_t rest[NORN_MOST_REGISTERS];
  unsigned count = 0;
  if (edge->argument_count > NORN_MOST_REGISTERS)
    return false;
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    uint32_t value = norn_ref_payload(arguments[k]);
    if (norn_ref_kind(arguments[k]) == NORN_REF_VALUE && !walk->random &&
        !norn_live_in(walk->allocation->live, block, value) &&
        !norn_regs_overlap(walk->now.used, norn_regs_range(walk->reg[value], words[value]))) {
      take(walk, parameter, walk->reg[value]);
      settle_class(walk, parameter, walk->reg[value], true);
    } else {
      rest[count++] = parameter;
    }
  }
  for (unsigned i = 0; i < count; i++) {
    if (place(walk, rest[i], NORN_NO_REGISTERS)) {
      settle_class(walk, rest[i], walk->reg[rest[i]], true);
      continue;
    }
    while (i--)
      release(walk, rest[i]);
    return pack_all(walk, NULL, 0, rest, count, NORN_NO_REGISTERS);
  }
  return true;
}

/* The first jump to a block settles where its parameters and live-in values are. */
static bool
decide_entry(AllocationWalk *walk, uint32_t block, const NornEdge *edge, uint32_t inst) {
  NornRegisterState saved = walk->now;
  retain_live_in(walk, block);
  bool ok = place_parameters(walk, block, edge, inst);
  walk->allocation->entry[block] = walk->now;
  walk->decided[block] = true;
  for (unsigned k = 0; k < edge->argument_count; k++)
    define(walk, norn_block_parameter(walk->function, block, k));
  for (unsigned i = 0; i < walk->move_count; i++)
    walk->reg[walk->moves[i].value] = walk->moves[i].from;
  walk->now = saved;
  walk->move_count = 0;
  walk->pinned = NORN_NO_REGISTERS;
  return ok;
}

static bool
is_parameter_of(const NornFunction *function, uint32_t value, uint32_t block) {
  return function->values[value].is_parameter && function->values[value].def == block;
}

/* Brings everything where the successor expects it. */
static bool
assign_jump(AllocationWalk *walk, uint32_t index, const NornEdge *edge) {
  NornAllocation *allocation = walk->allocation;
  uint32_t block = edge->block;
  begin(walk);
  if (!walk->decided[block] && !decide_entry(walk, block, edge, index))
    return false;
  const NornRegisterState *entry = &allocation->entry[block];
  norn_for_each_register (reg, entry->used) {
    uint32_t value = entry->owner[reg];
    if (is_parameter_of(walk->function, value, block) || (reg && entry->owner[reg - 1] == value))
      continue;
    if (walk->reg[value] != reg)
      transfer(walk, norn_ref(NORN_REF_VALUE, value), NORN_INDEX_NONE, walk->reg[value], reg,
               allocation->pressure->words[value]);
  }
  uint32_t slot = walk->function->insts[index].operand + edge->operand + 1;
  for (unsigned k = 0; k < edge->argument_count; k++, slot++) {
    uint32_t parameter = norn_block_parameter(walk->function, block, k);
    NornRef ref = walk->function->operands[slot];
    unsigned reg = allocation->defined_at[parameter];
    if (norn_ref_kind(ref) == NORN_REF_VALUE && walk->reg[norn_ref_payload(ref)] == reg &&
        !norn_live_in(allocation->live, block, norn_ref_payload(ref)))
      continue;
    copy_operand(walk, slot, reg, allocation->pressure->words[parameter]);
  }
  finish(walk, index, false, entry->used);
  return true;
}

static uint32_t
predecessor_count(const AllocationWalk *walk, uint32_t block) {
  const NornDominance *dominance = walk->allocation->dominance;
  return dominance->predecessor_first[block + 1] - dominance->predecessor_first[block];
}

static bool
assign_terminator(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  uint32_t killed[NORN_MACHINE_OPERANDS];
  norn_for_each_edge (walk->function, index, edge) {
    if (predecessor_count(walk, edge.block) > 1)
      return assign_jump(walk, index, &edge);
  }
  begin(walk);
  release_killed(walk, inst, killed);
  NornRegisterState end = walk->now;
  norn_for_each_edge (walk->function, index, edge) {
    walk->now = end;
    retain_live_in(walk, edge.block);
    walk->allocation->entry[edge.block] = walk->now;
    walk->decided[edge.block] = true;
  }
  return true;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void
enter_block(AllocationWalk *walk, uint32_t block) {
  const NornFunction *function = walk->function;
  walk->now = walk->allocation->entry[block];
  norn_for_each_register (reg, walk->now.used) {
    uint32_t owner = walk->now.owner[reg];
    if (!reg || walk->now.owner[reg - 1] != owner)
      walk->reg[owner] = (uint8_t)reg;
  }
  for (unsigned k = 0; k < function->blocks[block].parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    if (norn_bit(walk->allocation->pressure->unused, parameter))
      release(walk, parameter);
  }
}

static bool
assign_instruction(AllocationWalk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  if (norn_is_terminator(walk->function, inst))
    return assign_terminator(walk, index);
  switch (inst->op) {
  case NORN_OP_COLLECT:
    return assign_collect(walk, index);
  case NORN_OP_SPLIT:
    return assign_split(walk, index);
  case NORN_OP_COPY:
    return assign_copy(walk, index);
  case NORN_OP_PRELOAD:
    return assign_preload(walk, index);
  case NORN_OP_LOOP_ENTRY:
    return true;
  default:
    return assign_machine(walk, index);
  }
}

bool
norn_assign_registers(NornAllocation *allocation) {
  NornFunction *function = allocation->function;
  const NornCompileOptions *options = allocation->context->options;
  AllocationWalk walk = {.allocation = allocation,
                         .function = function,
                         .model = allocation->model,
                         .file = allocation->file,
                         .reg = NORN_NEW(allocation->arena, uint8_t, allocation->value_count),
                         .decided = NORN_NEW0(allocation->arena, bool, function->block_count)};
  memset(walk.reg, NORN_NO_REGISTER, allocation->value_count);
  if (options->chaos & NORN_CHAOS_REGISTERS)
    walk.random = options->seed | 1;
  allocation->copies.count = allocation->transfers.count = 0;
  uint32_t count = allocation->dominance->order_count;
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    uint32_t block = allocation->dominance->order[i];
    if (i == 0) {
      allocation->entry[block].used = NORN_NO_REGISTERS;
      memset(allocation->entry[block].owner, 0xFF, sizeof allocation->entry[block].owner);
    }
    enter_block(&walk, block);
    norn_for_each_inst (function, block, inst) {
      if (!(ok = assign_instruction(&walk, inst)))
        break;
    }
  }
  return ok;
}
