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

#define EVEN_REGISTERS UINT64_C(0x5555555555555555)

/* A value that changed its place at the current instruction. */
typedef struct Move {
  uint32_t value;
  uint8_t from;
} Move;

typedef struct Walk {
  NornAllocation *allocation;
  NornFunction *function;
  NornRegisterState now;
  uint8_t *reg; /* current register of each value that is live */
  uint64_t file;
  uint64_t blocked;  /* registers that a moved value must not go to */
  uint64_t pinned;   /* registers whose owner must not move any more */
  uint64_t reserved; /* registers that a class hopes for */
  uint64_t before;   /* registers in use before the instruction */
  Move moves[2 * NORN_REGISTERS];
  unsigned move_count;
  uint32_t even[NORN_MACHINE_OPERANDS]; /* one-word values that the instruction reads as even */
  unsigned even_count;
  uint32_t first_transfer;
  uint64_t random; /* state of the register-order chaos; 0: none */
  bool *decided;   /* per block: entry state is known */
} Walk;

/* --- places --------------------------------------------------------------------------------- */

/* The registers from which `words` ones on are all in `available`; even ones only for a group. */
static uint64_t
fitting(uint64_t available, unsigned words) {
  uint64_t fit = available;
  for (unsigned k = 1; k < words; k++)
    fit &= available >> k;
  return words > 1 ? fit & EVEN_REGISTERS : fit;
}

static void
take(Walk *walk, uint32_t value, unsigned reg) {
  unsigned words = walk->allocation->pressure->words[value];
  for (unsigned k = 0; k < words; k++)
    walk->now.owner[reg + k] = value;
  walk->now.used |= norn_register_range(reg, words);
  walk->reg[value] = (uint8_t)reg;
}

static void
release(Walk *walk, uint32_t value) {
  unsigned words = walk->allocation->pressure->words[value], reg = walk->reg[value];
  for (unsigned k = 0; k < words; k++)
    if (walk->now.owner[reg + k] == value)
      walk->now.owner[reg + k] = NORN_INDEX_NONE;
  walk->now.used &= ~norn_register_range(reg, words);
}

/* Notes that the value is about to leave its register. */
static void
note_move(Walk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->move_count; i++)
    if (walk->moves[i].value == value)
      return;
  walk->moves[walk->move_count++] = (Move){value, walk->reg[value]};
}

static unsigned
lowest(uint64_t set) {
  return (unsigned)__builtin_ctzll(set);
}

static unsigned
random_member(Walk *walk, uint64_t set) {
  walk->random ^= walk->random << 13;
  walk->random ^= walk->random >> 7;
  walk->random ^= walk->random << 17;
  unsigned skip = (unsigned)(walk->random % (unsigned)__builtin_popcountll(set));
  while (skip--)
    set &= set - 1;
  return lowest(set);
}

/* Of the free places in `fit`, those that leave the most pairs (for a pair: aligned fours) whole.
 */
static uint64_t
least_breaking(uint64_t fit, uint64_t available, unsigned words) {
  unsigned size = words == 1 ? 2 : 4;
  if (words > 2)
    return fit;
  uint64_t whole = available & available >> 1 & EVEN_REGISTERS;
  if (size == 4)
    whole &= whole >> 2 & UINT64_C(0x1111111111111111);
  whole |= size == 2 ? whole << 1 : whole << 2;
  return fit & ~whole ? fit & ~whole : fit;
}

/* Where the class of the value would like it, or a free place for the whole class. */
static uint64_t
wanted_places(Walk *walk, uint32_t value, unsigned words, uint64_t available) {
  int offset;
  NornAffinity *class =
      &walk->allocation->affinity[norn_affinity_find(walk->allocation->affinity, value, &offset)];
  if (class->base != NORN_NO_BASE) {
    int reg = class->base + offset;
    if (reg < 0 || reg >= NORN_REGISTERS)
      return 0;
    return fitting(available, words) & UINT64_C(1) << reg;
  }
  unsigned extent = (unsigned)(class->high - class->low);
  if (extent <= words)
    return 0;
  uint64_t room = available & ~walk->reserved;
  uint64_t fit = room;
  for (unsigned k = 1; k < extent; k++)
    fit &= room >> k;
  if (class->parity != NORN_EITHER_PARITY)
    fit &= (class->parity + class->low) & 1 ? ~EVEN_REGISTERS : EVEN_REGISTERS;
  fit <<= offset - class->low;
  return fit & fitting(available, words);
}

/* The places among `fit` that the class's parity asks for, if there are some. */
static uint64_t
of_parity(Walk *walk, uint32_t value, uint64_t fit) {
  int offset;
  const NornAffinity *class =
      &walk->allocation->affinity[norn_affinity_find(walk->allocation->affinity, value, &offset)];
  if (class->parity == NORN_EITHER_PARITY)
    return fit;
  uint64_t wanted = fit & ((class->parity + offset) & 1 ? ~EVEN_REGISTERS : EVEN_REGISTERS);
  return wanted ? wanted : fit;
}

/* A place among the available registers, or NORN_NO_REGISTER. */
static unsigned
choose(Walk *walk, uint32_t value, unsigned words, uint64_t available) {
  uint64_t fit = fitting(available, words);
  if (!fit)
    return NORN_NO_REGISTER;
  if (walk->random)
    return random_member(walk, fit);
  uint64_t wanted = wanted_places(walk, value, words, available);
  if (wanted)
    return lowest(wanted);
  fit = of_parity(walk, value, fit);
  uint64_t calm = fitting(available & ~walk->reserved, words) & fit;
  return lowest(least_breaking(calm ? calm : fit, available, words));
}

/* Tells the class where its member now is. */
static void
settle_class(Walk *walk, uint32_t value, unsigned reg, bool force) {
  int offset;
  NornAffinity *class =
      &walk->allocation->affinity[norn_affinity_find(walk->allocation->affinity, value, &offset)];
  if (class->base != NORN_NO_BASE && !force)
    return;
  class->base = (int16_t)((int)reg - offset);
  int low = class->base + class->low, words = class->high - class->low;
  if (words > walk->allocation->pressure->words[value] && low >= 0 && low + words <= NORN_REGISTERS)
    walk->reserved |= norn_register_range((unsigned)low, (unsigned)words);
}

/* The class has come together (or apart): nobody need keep away from its registers. */
static void
dissolve_reservation(Walk *walk, unsigned reg, unsigned words) {
  walk->reserved &= ~norn_register_range(reg, words);
}

/* --- making room ----------------------------------------------------------------------------- */

/* Words that must move to clear the range, or UINT_MAX if an owner is pinned. */
static unsigned
clearing_cost(const Walk *walk, uint64_t range) {
  uint64_t taken = range & walk->now.used;
  if (taken & walk->pinned)
    return UINT_MAX;
  unsigned cost = 0;
  uint32_t previous = NORN_INDEX_NONE;
  for (; taken; taken &= taken - 1) {
    uint32_t owner = walk->now.owner[lowest(taken)];
    if (owner != previous)
      cost += walk->allocation->pressure->words[owner];
    previous = owner;
  }
  return cost;
}

/* Gives new places to the values (widest first) outside `range`; all or none. */
static bool
relocate(Walk *walk, uint32_t *values, unsigned count, uint64_t range) {
  NornRegisterState saved = walk->now;
  uint8_t old[NORN_REGISTERS], fresh[NORN_REGISTERS];
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
    uint64_t available = walk->file & ~(walk->now.used | walk->blocked | range);
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
clear_range(Walk *walk, uint64_t range) {
  uint32_t values[NORN_REGISTERS];
  unsigned count = 0;
  for (uint64_t taken = range & walk->now.used; taken; taken &= taken - 1) {
    uint32_t owner = walk->now.owner[lowest(taken)];
    if (!count || values[count - 1] != owner)
      values[count++] = owner;
  }
  return relocate(walk, values, count, range);
}

/* Clears the cheapest range that `words` registers of `usable` fit into. */
static unsigned
make_room(Walk *walk, unsigned words, uint64_t usable) {
  unsigned cost[NORN_REGISTERS];
  uint64_t bases = fitting(usable, words);
  for (uint64_t rest = bases; rest; rest &= rest - 1)
    cost[lowest(rest)] = clearing_cost(walk, norn_register_range(lowest(rest), words));
  while (bases) {
    unsigned best = lowest(bases);
    for (uint64_t rest = bases; rest; rest &= rest - 1)
      if (cost[lowest(rest)] < cost[best])
        best = lowest(rest);
    if (cost[best] == UINT_MAX)
      return NORN_NO_REGISTER;
    if (clear_range(walk, norn_register_range(best, words)))
      return best;
    bases &= ~(UINT64_C(1) << best);
  }
  return NORN_NO_REGISTER;
}

/* A place for a value outside `forbidden`, others moving if they must. It is pinned. */
static bool
place(Walk *walk, uint32_t value, uint64_t forbidden) {
  unsigned words = walk->allocation->pressure->words[value];
  unsigned reg = choose(walk, value, words, walk->file & ~(walk->now.used | forbidden));
  if (reg == NORN_NO_REGISTER)
    reg = make_room(walk, words, walk->file & ~forbidden);
  if (reg == NORN_NO_REGISTER)
    return false;
  take(walk, value, reg);
  walk->pinned |= norn_register_range(reg, words);
  settle_class(walk, value, reg, false);
  return true;
}

/* --- packing everything anew ----------------------------------------------------------------- */

/* Words to keep for a value in a packing. */
static unsigned
packed_words(const Walk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->even_count; i++)
    if (walk->even[i] == value)
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
pack_values(Walk *walk, uint32_t *values, unsigned count, uint64_t *taken, uint8_t *places) {
  g_qsort_with_data(values, (int)count, sizeof *values, wider_first, walk);
  for (unsigned i = 0; i < count; i++) {
    unsigned words = packed_words(walk, values[i]);
    uint64_t available = walk->file & ~*taken;
    uint64_t fit = fitting(available, words);
    if (!fit)
      return false;
    places[i] = (uint8_t)lowest(words == 1 ? least_breaking(fit, available, 1) : fit);
    *taken |= norn_register_range(places[i], walk->allocation->pressure->words[values[i]]);
  }
  return true;
}

/* Lays out all live values from the bottom of the file, then the killed operands and the results,
 * each above them; nothing in `forbidden`. */
static bool
pack_all(Walk *walk, uint32_t *killed, unsigned killed_count, uint32_t *results,
         unsigned result_count, uint64_t forbidden) {
  uint32_t live[NORN_REGISTERS];
  uint8_t live_at[NORN_REGISTERS], killed_at[NORN_REGISTERS], result_at[NORN_REGISTERS];
  unsigned count = 0;
  for (uint64_t rest = walk->now.used; rest; rest &= rest - 1) {
    uint32_t owner = walk->now.owner[lowest(rest)];
    if (walk->reg[owner] == lowest(rest))
      live[count++] = owner;
  }
  uint64_t taken = forbidden;
  if (!pack_values(walk, live, count, &taken, live_at))
    return false;
  uint64_t taken_before = taken, taken_after = taken;
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

/* --- transfers ------------------------------------------------------------------------------- */

static void
begin(Walk *walk) {
  walk->before = walk->now.used;
  walk->blocked = walk->pinned = 0;
  walk->move_count = walk->even_count = 0;
  walk->first_transfer = walk->allocation->transfers->len;
}

static void
transfer(Walk *walk, NornRef source, uint32_t operand, unsigned from, unsigned to, unsigned words) {
  NornTransfer item = {source, operand, (uint8_t)from, (uint8_t)to, (uint8_t)words};
  g_array_append_val(walk->allocation->transfers, item);
}

/* Notes the parallel copy of everything that moved or was copied since begin(). */
static void
finish(Walk *walk, uint32_t inst, bool after, uint64_t used_after) {
  NornAllocation *allocation = walk->allocation;
  for (unsigned i = 0; i < walk->move_count; i++) {
    Move *move = &walk->moves[i];
    if (move->from != walk->reg[move->value])
      transfer(walk, norn_ref(NORN_REF_VALUE, move->value), NORN_INDEX_NONE, move->from,
               walk->reg[move->value], allocation->pressure->words[move->value]);
  }
  uint32_t count = allocation->transfers->len - walk->first_transfer;
  if (!count)
    return;
  uint64_t busy = walk->before | used_after;
  for (uint32_t i = walk->first_transfer; i < allocation->transfers->len; i++) {
    const NornTransfer *item = &g_array_index(allocation->transfers, NornTransfer, i);
    busy |= norn_register_range(item->to, item->words);
  }
  NornParallelCopy copy = {inst, walk->first_transfer, count, walk->file & ~busy, after};
  g_array_append_val(allocation->copies, copy);
}

/* --- instructions ---------------------------------------------------------------------------- */

static bool
is_killed(const Walk *walk, uint32_t operand) {
  return norn_bit(walk->allocation->pressure->kills, operand);
}

/* Frees what the instruction uses last; returns the values. Their registers become blocked. */
static unsigned
release_killed(Walk *walk, const NornInst *inst, uint32_t *killed) {
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
    walk->blocked |=
        norn_register_range(walk->reg[value], walk->allocation->pressure->words[value]);
  }
  return count;
}

static void
define(Walk *walk, uint32_t value) {
  walk->allocation->defined_at[value] = walk->reg[value];
}

static void
release_unused(Walk *walk, const NornInst *inst) {
  for (unsigned k = 0; k < inst->result_count; k++)
    if (norn_bit(walk->allocation->pressure->unused, inst->result + k))
      release(walk, inst->result + k);
}

/* Gives places outside `forbidden` to the results not `placed` already. */
static bool
place_results(Walk *walk, const NornInst *inst, const uint32_t *killed, unsigned killed_count,
              uint64_t forbidden, uint64_t placed) {
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
register_before(const Walk *walk, uint32_t value) {
  for (unsigned i = 0; i < walk->move_count; i++)
    if (walk->moves[i].value == value)
      return walk->moves[i].from;
  return walk->reg[value];
}

/* A copy of an operand for this instruction alone, at register `to`. */
static void
copy_operand(Walk *walk, uint32_t slot, unsigned to, unsigned words) {
  NornRef source = walk->function->operands[slot];
  unsigned from = norn_ref_kind(source) == NORN_REF_VALUE
                      ? register_before(walk, norn_ref_payload(source))
                      : NORN_NO_REGISTER;
  transfer(walk, source, slot, from, to, words);
}

/* Whether operand k of the instruction dies in it and no earlier operand is the same value. */
static bool
dies_first_here(const Walk *walk, const NornInst *inst, unsigned k) {
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
collect_cost(const Walk *walk, const NornInst *inst, unsigned base) {
  unsigned cost = clearing_cost(walk, norn_register_range(base, inst->operand_count));
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
place_group(Walk *walk, const NornInst *inst) {
  unsigned words = walk->allocation->pressure->words[inst->result];
  unsigned best = NORN_NO_REGISTER, best_cost = UINT_MAX;
  for (uint64_t bases = fitting(walk->file, words); bases && !walk->random; bases &= bases - 1) {
    unsigned cost = collect_cost(walk, inst, lowest(bases));
    if (cost < best_cost) {
      best_cost = cost;
      best = lowest(bases);
    }
  }
  if (best_cost >= words) /* nothing is in place: let the class choose */
    return place(walk, inst->result, 0);
  if (!clear_range(walk, norn_register_range(best, words)))
    return place(walk, inst->result, 0);
  take(walk, inst->result, best);
  settle_class(walk, inst->result, best, false);
  return true;
}

static bool
assign_collect(Walk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  uint32_t killed[NORN_MACHINE_OPERANDS];
  begin(walk);
  release_killed(walk, inst, killed);
  walk->blocked = 0;
  if (!place_group(walk, inst) && !pack_all(walk, NULL, 0, (uint32_t[]){inst->result}, 1, 0))
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
assign_split(Walk *walk, uint32_t index) {
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
    if (place(walk, results[i], 0))
      continue;
    while (i--)
      release(walk, results[i]);
    if (!pack_all(walk, NULL, 0, results, count, 0))
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
assign_copy(Walk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  NornRef source = walk->function->operands[inst->operand];
  begin(walk);
  if (norn_ref_kind(source) == NORN_REF_VALUE && is_killed(walk, inst->operand)) {
    release(walk, norn_ref_payload(source));
    take(walk, inst->result, walk->reg[norn_ref_payload(source)]);
  } else {
    if (!place(walk, inst->result, 0) && !pack_all(walk, NULL, 0, (uint32_t[]){inst->result}, 1, 0))
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
assign_preload(Walk *walk, uint32_t index) {
  const NornInst *inst = &walk->function->insts[index];
  NornRef where = walk->function->operands[inst->operand];
  uint64_t reg = norn_constant_bits(walk->function->module, where);
  if (reg >= NORN_REGISTERS || walk->now.used >> reg & 1)
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
fixed_place(const Walk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
            uint32_t value) {
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (fixed->operand[k] != NORN_NO_REGISTER &&
        walk->function->operands[inst->operand + k] == norn_ref(NORN_REF_VALUE, value))
      return fixed->operand[k];
  return NORN_NO_REGISTER;
}

/* Sends away whatever lives in `forbidden`, and the killed operands in the way of fixed ones. */
static bool
evacuate(Walk *walk, const uint32_t *killed, unsigned killed_count, uint64_t operands,
         uint64_t forbidden) {
  const uint8_t *words = walk->allocation->pressure->words;
  uint32_t values[2 * NORN_REGISTERS], leaving[NORN_MACHINE_OPERANDS];
  unsigned count = 0, leaving_count = 0;
  for (uint64_t rest = walk->now.used & forbidden; rest; rest &= rest - 1) {
    uint32_t owner = walk->now.owner[lowest(rest)];
    if (!is_member(values, count, owner))
      values[count++] = owner;
  }
  for (unsigned i = 0; i < killed_count; i++) {
    uint64_t range = norn_register_range(walk->reg[killed[i]], words[killed[i]]);
    if (!(range & operands))
      continue;
    walk->blocked &= ~range;
    take(walk, killed[i], walk->reg[killed[i]]);
    values[count++] = leaving[leaving_count++] = killed[i];
  }
  bool ok = !count || relocate(walk, values, count, forbidden);
  for (unsigned i = 0; i < leaving_count; i++) {
    release(walk, leaving[i]);
    walk->blocked |= norn_register_range(walk->reg[leaving[i]], words[leaving[i]]);
  }
  return ok;
}

/* Brings the operands that must be in even registers there. They still belong to everybody. */
static bool
make_even(Walk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = walk->function->operands[inst->operand + k];
    if (!(fixed->even >> k & 1) || norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    uint32_t value = norn_ref_payload(ref);
    if (walk->reg[value] & 1) {
      note_move(walk, value);
      release(walk, value);
      uint64_t usable = walk->file & EVEN_REGISTERS;
      unsigned reg = choose(walk, value, 1, usable & ~walk->now.used);
      if (reg == NORN_NO_REGISTER)
        reg = make_room(walk, 1, usable);
      if (reg == NORN_NO_REGISTER)
        return false;
      take(walk, value, reg);
    }
    walk->pinned |= UINT64_C(1) << walk->reg[value];
    walk->even[walk->even_count++] = value;
  }
  return true;
}

/* The registers that the instruction changes: its fixed results and what it clobbers. */
static uint64_t
fixed_changes(const Walk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
  uint64_t changed = fixed->clobbered;
  for (unsigned k = 0; k < inst->result_count; k++)
    if (fixed->result[k] != NORN_NO_REGISTER)
      changed |= norn_register_range(fixed->result[k],
                                     walk->allocation->pressure->words[inst->result + k]);
  return changed;
}

/* Whether operand k lives on in its fixed place, where the instruction leaves it alone. */
static bool
is_settled(const Walk *walk, const NornInst *inst, const NornFixedRegisters *fixed, unsigned k) {
  NornRef ref = walk->function->operands[inst->operand + k];
  if (norn_ref_kind(ref) != NORN_REF_VALUE || is_killed(walk, inst->operand + k) ||
      walk->reg[norn_ref_payload(ref)] != fixed->operand[k])
    return false;
  uint64_t range = norn_register_range(fixed->operand[k],
                                       walk->allocation->pressure->words[norn_ref_payload(ref)]);
  return !(range & fixed_changes(walk, inst, fixed));
}

/* The registers of fixed operands but those that are settled; *all: of those, too. */
static uint64_t
fixed_ranges(const Walk *walk, const NornInst *inst, const NornFixedRegisters *fixed,
             uint64_t *all) {
  const NornFunction *function = walk->function;
  uint64_t operands = 0;
  *all = 0;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (fixed->operand[k] == NORN_NO_REGISTER)
      continue;
    uint64_t range = norn_register_range(
        fixed->operand[k], norn_operand_words(function, function->operands[inst->operand + k]));
    *all |= range;
    if (!is_settled(walk, inst, fixed, k))
      operands |= range;
  }
  return operands;
}

/* Moves the killed operands that have a fixed place there; the others stay in `killed`. */
static unsigned
settle_killed(Walk *walk, const NornInst *inst, const NornFixedRegisters *fixed, uint32_t *killed,
              unsigned count) {
  unsigned left = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned reg = fixed_place(walk, inst, fixed, killed[i]);
    if (reg == NORN_NO_REGISTER) {
      killed[left++] = killed[i];
      continue;
    }
    walk->blocked &=
        ~norn_register_range(walk->reg[killed[i]], walk->allocation->pressure->words[killed[i]]);
    note_move(walk, killed[i]);
    walk->reg[killed[i]] = (uint8_t)reg;
  }
  return left;
}

/* Copies the operands that live on, or are wanted in two places, to their fixed places. */
static void
copy_fixed_operands(Walk *walk, const NornInst *inst, const NornFixedRegisters *fixed) {
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
assign_fixed(Walk *walk, uint32_t index, const NornFixedRegisters *fixed) {
  const NornInst *inst = &walk->function->insts[index];
  uint32_t killed[NORN_MACHINE_OPERANDS];
  uint64_t forbidden, placed = 0;
  begin(walk);
  if (!make_even(walk, inst, fixed))
    return false;
  uint64_t all, operands = fixed_ranges(walk, inst, fixed, &all);
  uint64_t changed = fixed_changes(walk, inst, fixed);
  forbidden = changed | operands;
  unsigned killed_count = release_killed(walk, inst, killed);
  killed_count = settle_killed(walk, inst, fixed, killed, killed_count);
  for (unsigned k = 0; k < inst->result_count; k++)
    if (fixed->result[k] != NORN_NO_REGISTER)
      placed |= UINT64_C(1) << k;
  if (!evacuate(walk, killed, killed_count, operands, forbidden)) {
    /* Packing moves what is settled, too. */
    forbidden = changed | all;
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
assign_machine(Walk *walk, uint32_t index) {
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
  if (!place_results(walk, inst, killed, killed_count, 0, 0))
    return false;
  if (walk->move_count)
    finish(walk, index, false, walk->now.used);
  release_unused(walk, inst);
  return true;
}

/* --- edges ----------------------------------------------------------------------------------- */

/* Keeps what is live in the block. */
static void
retain_live_in(Walk *walk, uint32_t block) {
  for (uint64_t rest = walk->now.used; rest; rest &= rest - 1) {
    uint32_t owner = walk->now.owner[lowest(rest)];
    if (owner != NORN_INDEX_NONE && !norn_live_in(walk->allocation->live, block, owner))
      release(walk, owner);
  }
}

static bool
place_parameters(Walk *walk, uint32_t block, const NornEdge *edge, uint32_t inst) {
  const NornFunction *function = walk->function;
  const uint8_t *words = walk->allocation->pressure->words;
  const NornRef *arguments = function->operands + function->insts[inst].operand + edge->operand + 1;
  uint32_t rest[NORN_REGISTERS];
  unsigned count = 0;
  if (edge->argument_count > NORN_REGISTERS)
    return false;
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    uint32_t value = norn_ref_payload(arguments[k]);
    if (norn_ref_kind(arguments[k]) == NORN_REF_VALUE && !walk->random &&
        !norn_live_in(walk->allocation->live, block, value) &&
        !(walk->now.used & norn_register_range(walk->reg[value], words[value]))) {
      take(walk, parameter, walk->reg[value]);
      settle_class(walk, parameter, walk->reg[value], true);
    } else {
      rest[count++] = parameter;
    }
  }
  for (unsigned i = 0; i < count; i++) {
    if (place(walk, rest[i], 0)) {
      settle_class(walk, rest[i], walk->reg[rest[i]], true);
      continue;
    }
    while (i--)
      release(walk, rest[i]);
    return pack_all(walk, NULL, 0, rest, count, 0);
  }
  return true;
}

/* The first jump to a block settles where its parameters and live-in values are. */
static bool
decide_entry(Walk *walk, uint32_t block, const NornEdge *edge, uint32_t inst) {
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
  walk->pinned = 0;
  return ok;
}

static bool
is_parameter_of(const NornFunction *function, uint32_t value, uint32_t block) {
  return function->values[value].is_parameter && function->values[value].def == block;
}

/* Brings everything where the successor expects it. */
static bool
assign_jump(Walk *walk, uint32_t index, const NornEdge *edge) {
  NornAllocation *allocation = walk->allocation;
  uint32_t block = edge->block;
  begin(walk);
  if (!walk->decided[block] && !decide_entry(walk, block, edge, index))
    return false;
  const NornRegisterState *entry = &allocation->entry[block];
  for (uint64_t rest = entry->used; rest; rest &= rest - 1) {
    unsigned reg = lowest(rest);
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
predecessor_count(const Walk *walk, uint32_t block) {
  const NornDominance *dominance = walk->allocation->dominance;
  return dominance->predecessor_first[block + 1] - dominance->predecessor_first[block];
}

static bool
assign_terminator(Walk *walk, uint32_t index) {
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
enter_block(Walk *walk, uint32_t block) {
  const NornFunction *function = walk->function;
  walk->now = walk->allocation->entry[block];
  for (uint64_t rest = walk->now.used; rest; rest &= rest - 1) {
    unsigned reg = lowest(rest);
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
assign_instruction(Walk *walk, uint32_t index) {
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
  Walk walk = {.allocation = allocation,
               .function = function,
               .file = allocation->file,
               .reg = g_malloc((size_t)allocation->value_count + 1),
               .decided = g_new0(bool, function->block_count)};
  memset(walk.reg, NORN_NO_REGISTER, allocation->value_count);
  if (options->chaos & NORN_CHAOS_REGISTERS)
    walk.random = options->seed | 1;
  g_array_set_size(allocation->copies, 0);
  g_array_set_size(allocation->transfers, 0);
  uint32_t count = allocation->dominance->order_count;
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    uint32_t block = allocation->dominance->order[i];
    if (i == 0) {
      allocation->entry[block].used = 0;
      memset(allocation->entry[block].owner, 0xFF, sizeof allocation->entry[block].owner);
    }
    enter_block(&walk, block);
    norn_for_each_inst (function, block, inst) {
      if (!(ok = assign_instruction(&walk, inst)))
        break;
    }
  }
  g_free(walk.reg);
  g_free(walk.decided);
  return ok;
}
