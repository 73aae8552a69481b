/* See pressure_walk.h. */
#include "passes/regalloc/pressure_walk.h"
#include "passes/regalloc/allocate.h"

enum {
  MAX_WORK = 1 << 16,  /* instructions in all iterations; but at least two iterations */
  MAX_PRESSURE = 4,    /* times the limit: at higher pressure relief would not help */
  OCCUPANCY_PART = 16, /* better occupancy is worth 1 / OCCUPANCY_PART of the instructions */
};

/* Whether the value, which is about to become resident, takes a register that no other one has. */
static bool
takes_register(NornPressureWalk *walk, uint32_t value) {
  uint32_t number = walk->sharing[value];
  return number == NORN_OWN_REGISTER ||
         (number >= NORN_FIRST_SHARED && walk->sharers[number]++ == 0);
}

/* Whether the value, which was resident, leaves a register that no other one has. */
static bool
frees_register(NornPressureWalk *walk, uint32_t value) {
  uint32_t number = walk->sharing[value];
  return number == NORN_OWN_REGISTER ||
         (number >= NORN_FIRST_SHARED && --walk->sharers[number] == 0);
}

void
norn_pressure_walk_add(NornPressureWalk *walk, uint32_t value) {
  if (walk->resident[value])
    return;
  norn_list_push(walk->arena, &walk->residents, value);
  walk->resident[value] = walk->residents.count;
  if (takes_register(walk, value))
    walk->now = norn_counts_plus(walk->now, norn_pressure_of(walk->pressure, value));
}

static void
remove_resident(NornPressureWalk *walk, uint32_t value) {
  uint32_t at = walk->resident[value];
  if (!at)
    return;
  uint32_t last = walk->residents.items[--walk->residents.count];
  walk->residents.items[at - 1] = last;
  walk->resident[last] = at;
  walk->resident[value] = 0;
  if (frees_register(walk, value))
    walk->now = norn_counts_minus(walk->now, norn_pressure_of(walk->pressure, value));
}

void
norn_pressure_walk_share(NornPressureWalk *walk, uint32_t value, uint32_t number) {
  NornRegisterCounts room = norn_pressure_of(walk->pressure, value);
  if (walk->resident[value] && frees_register(walk, value)) {
    walk->before = norn_counts_minus(walk->before, room);
    walk->now = norn_counts_minus(walk->now, room);
  }
  walk->sharing[value] = number;
  if (walk->resident[value] && takes_register(walk, value)) {
    walk->before = norn_counts_plus(walk->before, room);
    walk->now = norn_counts_plus(walk->now, room);
  }
}

void
norn_pressure_walk_begin(NornPressureWalk *walk) {
  const NornFunction *function = walk->function;
  walk->uses.count = walk->residents.count = 0;
  walk->now = (NornRegisterCounts){{0}};
  walk->first_use = NORN_NEW0(walk->arena, uint32_t, function->value_count);
  walk->users = NORN_NEW0(walk->arena, uint32_t, function->value_count);
  walk->resident = NORN_NEW0(walk->arena, uint32_t, function->value_count);
  walk->sharing = NORN_NEW0(walk->arena, uint32_t, function->value_count);
  walk->sharers = NORN_NEW0(walk->arena, uint8_t, function->value_count + NORN_FIRST_SHARED);
  walk->position = NORN_NEW(walk->arena, uint32_t, function->inst_count);
  norn_for_each_block (function, block) {
    uint32_t position = UINT32_MAX;
    for (uint32_t index = norn_block(function, block)->last; index != NORN_INDEX_NONE;
         index = norn_inst(function, index)->previous) {
      const NornInst *inst = norn_inst(function, index);
      walk->position[index] = position--;
      norn_for_each_use (function, inst, use) {
        uint32_t *first = &walk->first_use[use.value];
        if (*first && walk->uses.items[*first - 1].inst == index)
          continue;
        norn_list_push(walk->arena, &walk->uses, (NornValueUse){index, *first});
        *first = walk->uses.count;
        walk->users[use.value]++;
      }
    }
  }
}

void
norn_pressure_walk_start(NornPressureWalk *walk, uint32_t block) {
  const NornFunction *function = walk->function;
  while (walk->residents.count)
    remove_resident(walk, walk->residents.items[walk->residents.count - 1]);
  norn_for_each_live (walk->live, walk->live->in[block], value)
    norn_pressure_walk_add(walk, value);
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    if (!norn_bit(walk->pressure->unused, norn_block_parameter(function, block, k)))
      norn_pressure_walk_add(walk, norn_block_parameter(function, block, k));
}

void
norn_pressure_walk_to(NornPressureWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  walk->before = walk->now;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_operands(walk->function, inst)[k];
    if (norn_ref_kind(ref) == NORN_REF_VALUE && norn_bit(walk->pressure->kills, inst->operand + k))
      remove_resident(walk, norn_ref_payload(ref));
  }
}

NornRegisterCounts
norn_pressure_walk_needs(const NornPressureWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  NornRegisterCounts after = walk->now;
  for (uint32_t value = inst->result; value < inst->result + inst->result_count; value++)
    if (walk->sharing[value] == NORN_OWN_REGISTER)
      after = norn_counts_plus(after, norn_pressure_of(walk->pressure, value));
  return norn_counts_max(walk->before, after);
}

void
norn_pressure_walk_past(NornPressureWalk *walk, uint32_t index) {
  const NornInst *inst = norn_inst(walk->function, index);
  for (uint32_t value = inst->result; value < inst->result + inst->result_count; value++)
    if (!norn_bit(walk->pressure->unused, value))
      norn_pressure_walk_add(walk, value);
}

/* Finds the instruction at which the pressure exceeds the limit most. */
static NornPressurePoint
find_peak(NornPressureWalk *walk, uint32_t block) {
  NornPressurePoint point = {.inst = NORN_INDEX_NONE};
  norn_pressure_walk_start(walk, block);
  norn_for_each_inst (walk->function, block, inst) {
    norn_pressure_walk_to(walk, inst);
    NornRegisterCounts needs = norn_pressure_walk_needs(walk, inst);
    for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
      if (needs.of[class] > walk->limit.of[class] + point.excess)
        point = (NornPressurePoint){inst, class, needs.of[class] - walk->limit.of[class]};
    norn_pressure_walk_past(walk, inst);
  }
  return point;
}

NornPressurePoint
norn_pressure_walk_to_peak(NornPressureWalk *walk, uint32_t block) {
  NornPressurePoint point = find_peak(walk, block);
  if (point.inst == NORN_INDEX_NONE)
    return point;
  norn_pressure_walk_start(walk, block);
  norn_for_each_inst (walk->function, block, inst) {
    norn_pressure_walk_to(walk, inst);
    if (inst == point.inst)
      break;
    norn_pressure_walk_past(walk, inst);
  }
  return point;
}

uint64_t
norn_pressure_excess(const NornPressureWalk *walk) {
  uint64_t excess = 0;
  norn_for_each_block (walk->function, block)
    for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
      excess += norn_counts_beyond(walk->pressure->block[block], walk->limit).of[class];
  return excess;
}

bool
norn_pressure_is_hopeful(const NornPressureWalk *walk, uint32_t block) {
  NornRegisterCounts max = walk->limit;
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    max.of[class] *= MAX_PRESSURE;
  return !norn_counts_exceed(walk->pressure->block[block], max);
}

unsigned
norn_pressure_iterations(const NornFunction *function, unsigned max) {
  return CLAMP(MAX_WORK / (function->inst_count + 1), 2, max);
}

/* The number of the program's instructions, weighted by loop depth. */
static uint64_t
weight_of(const NornFunction *function, const NornDominance *dominance) {
  uint64_t weight = 0;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      weight += norn_loop_weight(dominance, block);
  return weight;
}

bool
norn_relieve_pressure(NornPassContext *context, NornFunction *function,
                      NornPressureRelief relieve) {
  const NornRegisterModel *model = &context->target->registers;
  NornRegisterSet file = norn_register_file(context);
  /* Before the pressure is computed, since every pass from here on needs both. */
  bool prepared = norn_prepare_edges(context, function), changed = false;
  const NornLiveness *live;
  for (const NornOccupancy *occupancy = context->target->occupancies;
       occupancy->threads && !changed; occupancy++) {
    NornRegisterCounts limit =
        norn_regs_by_class(model, norn_regs_common(file, occupancy->registers));
    if (!norn_counts_exceed(norn_pass_pressure(context, function, &live)->max, limit))
      break;
    uint64_t max_cost = NORN_ANY_COST;
    if (occupancy[1].threads)
      max_cost = weight_of(function, norn_pass_dominance(context, function)) / OCCUPANCY_PART;
    changed = relieve(context, function, limit, max_cost);
  }
  context->keeps_pressure = !changed;
  return prepared || changed;
}

bool
norn_user_uses(const NornFunction *function, uint32_t user, uint32_t value) {
  norn_for_each_use (function, norn_inst(function, user), use)
    if (use.value == value)
      return true;
  return false;
}

bool
norn_user_is_early(const NornPressureWalk *walk, uint32_t value, uint32_t user, uint32_t point) {
  const NornFunction *function = walk->function;
  uint32_t block = norn_defining_block(function, value);
  return norn_inst(function, user)->block == block &&
         (norn_inst(function, point)->block != block ||
          walk->position[user] < walk->position[point]);
}
