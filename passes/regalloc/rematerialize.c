/* Rematerializes values after points of high register pressure instead of keeping them in
 * registers.
 *
 * Where more values are live than there are registers, or than the best occupancy has, some of them
 * are live without being used there. A value that arithmetic computes from operands that take less
 * room (such as an address of two words from an index of one) or that are live there anyway is
 * computed again right before its later users. That takes an instruction for each of them, but no
 * memory.
 *
 * Each iteration relieves the point of highest pressure of each block by the cheapest values there.
 * Their operands live longer, but nowhere does that cost more registers than the value took. Better
 * occupancy is worth only a small fraction of the program's instructions; if it cannot be reached
 * for that, nothing changes. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/regalloc/allocate.h"
#include <stdlib.h>

enum {
  MAX_ITERATIONS = 16,
  MAX_WORK = 1 << 16,  /* instructions in all iterations; but at least two iterations */
  MIN_RELIEF = 16,     /* the last iteration saves less than 1 / MIN_RELIEF of the excess */
  MAX_PRESSURE = 4,    /* times the limit: at higher pressure this would not help */
  MAX_COST = 4,        /* instructions per register saved */
  OCCUPANCY_PART = 16, /* better occupancy is worth 1 / OCCUPANCY_PART of the instructions */
};

/* An instruction that uses a value. */
typedef struct RematUse {
  uint32_t inst, next; /* next: use + 1 */
} RematUse;

/* A value that could be rematerialized. */
typedef struct Remat {
  uint32_t value;
  uint64_t cost; /* instructions, weighted by loop depth */
  unsigned saves;
  uint32_t distance; /* from the point to its next use in the same block */
} Remat;

/* An instruction at which registers are scarce. */
typedef struct Point {
  uint32_t inst;   /* NORN_INDEX_NONE: there is none */
  unsigned class;  /* the scarce register class */
  unsigned excess; /* registers needed beyond the limit */
} Point;

/* A value that is rematerialized after a point. */
typedef struct RematPlan {
  uint32_t value, point;
} RematPlan;

/* A changed operand, recorded for undo. */
typedef struct RematChange {
  uint32_t inst, operand;
  NornRef before;
} RematChange;

typedef struct PressureRelief {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  const NornLiveness *live;
  const NornPressure *pressure;
  NornRegisterCounts limit;
  uint32_t *first_use; /* by value: use + 1, starting with the first use in its block */
  NORN_LIST(RematUse) uses;
  uint32_t *position;      /* by instruction: position in its block */
  uint32_t *resident;      /* by value: index in `residents` + 1; 0: not live here */
  bool *is_planned;        /* by value: it is rematerialized in this iteration */
  bool *is_needed;         /* by value: another value is rematerialized from it */
  NornIndexList residents; /* values live at the walk's current point */
  NORN_LIST(Remat) candidates;
  NORN_LIST(RematPlan) plans; /* of the iteration */
  NORN_LIST(RematChange) changes;
  NornIndexList clones;
  uint64_t cost;
  uint64_t excess; /* before the last iteration, see count_excess */
} PressureRelief;

/* --- What is live --- */

static void
add_resident(PressureRelief *self, uint32_t value) {
  if (self->resident[value])
    return;
  norn_list_push(self->arena, &self->residents, value);
  self->resident[value] = self->residents.count;
}

static void
remove_resident(PressureRelief *self, uint32_t value) {
  uint32_t at = self->resident[value];
  if (!at)
    return;
  uint32_t last = self->residents.items[--self->residents.count];
  self->residents.items[at - 1] = last;
  self->resident[last] = at;
  self->resident[value] = 0;
}

/* Finds the uses of all values and the positions of instructions in their blocks. */
static void
find_uses(PressureRelief *self) {
  const NornFunction *function = self->function;
  self->uses.count = 0;
  self->first_use = NORN_NEW0(self->arena, uint32_t, function->value_count);
  self->position = NORN_NEW(self->arena, uint32_t, function->inst_count);
  norn_for_each_block (function, block) {
    uint32_t position = UINT32_MAX;
    for (uint32_t inst = norn_block(function, block)->last; inst != NORN_INDEX_NONE;
         inst = norn_inst(function, inst)->previous) {
      const NornInst *self_inst = norn_inst(function, inst);
      self->position[inst] = position--;
      norn_for_each_use (function, self_inst, use) {
        uint32_t *first = &self->first_use[use.value];
        if (*first && self->uses.items[*first - 1].inst == inst)
          continue;
        norn_list_push(self->arena, &self->uses, (RematUse){inst, *first});
        *first = self->uses.count;
      }
    }
  }
}

/* --- What to rematerialize --- */

/* The instruction that could compute the value again anywhere after it, or NULL. */
static const NornInst *
arithmetic_of(const PressureRelief *self, uint32_t value) {
  const NornFunction *function = self->function;
  if (norn_value(function, value)->is_parameter)
    return NULL;
  const NornInst *def = norn_inst(function, norn_value(function, value)->def);
  bool is_arithmetic =
      def->result_count == 1 &&
      (norn_is_machine(def) ? norn_target_is_arithmetic(self->context->target, function, def)
                            : def->op == NORN_OP_COPY);
  return is_arithmetic ? def : NULL;
}

/* Whether the use, if executed, always comes before the point on a path from the definition. */
static bool
is_early(const PressureRelief *self, uint32_t value, uint32_t use, uint32_t point) {
  const NornFunction *function = self->function;
  uint32_t block = norn_inst(function, norn_value(function, value)->def)->block;
  return norn_inst(function, use)->block == block && (norn_inst(function, point)->block != block ||
                                                      self->position[use] < self->position[point]);
}

/* Whether the operand would live longer for some use of the value after the point. */
static bool
lives_longer(const PressureRelief *self, uint32_t operand, uint32_t value, uint32_t point) {
  for (uint32_t use = self->first_use[value]; use; use = self->uses.items[use - 1].next) {
    uint32_t inst = self->uses.items[use - 1].inst;
    if (!is_early(self, value, inst, point) &&
        !norn_live_out(self->live, norn_inst(self->function, inst)->block, operand))
      return true;
  }
  return false;
}

/* Counts the registers of the value's operands that are not live at the point, and of those that
 * would live longer; false if they cannot be compared with the value. */
static bool
weigh_operands(const PressureRelief *self, const NornInst *def, uint32_t point, unsigned *missing,
               unsigned *longer) {
  const NornFunction *function = self->function;
  unsigned class = norn_pressure_class(self->pressure, def->result);
  *missing = *longer = 0;
  norn_for_each_use (function, def, use) {
    uint32_t value = use.value;
    if (norn_pressure_class(self->pressure, value) != class || self->is_planned[value])
      return false;
    unsigned room = norn_pressure_of(self->pressure, value).of[class];
    *missing += self->resident[value] ? 0 : room;
    *longer += lives_longer(self, value, def->result, point) ? room : 0;
  }
  return true;
}

/* Whether rematerializing the value, which is live across the point, saves registers there. */
static bool
weigh(const PressureRelief *self, uint32_t value, uint32_t point, Remat *remat) {
  const NornFunction *function = self->function;
  const NornInst *def = arithmetic_of(self, value);
  unsigned missing, longer;
  if (!def || self->is_planned[value] || self->is_needed[value] ||
      !weigh_operands(self, def, point, &missing, &longer))
    return false;
  unsigned room =
      norn_pressure_of(self->pressure, value).of[norn_pressure_class(self->pressure, value)];
  if (missing >= room || longer > room)
    return false;
  *remat = (Remat){.value = value, .saves = room - missing, .distance = UINT32_MAX};
  uint32_t last = NORN_INDEX_NONE;
  for (uint32_t use = self->first_use[value]; use; use = self->uses.items[use - 1].next) {
    uint32_t inst = self->uses.items[use - 1].inst, block = norn_inst(function, inst)->block;
    if (is_early(self, value, inst, point) || block == last)
      continue;
    remat->cost += norn_loop_weight(self->dominance, block);
    if (block == norn_inst(function, point)->block && self->position[inst] > self->position[point])
      remat->distance = self->position[inst] - self->position[point];
    last = block;
  }
  return remat->cost <= MAX_COST * remat->saves *
                            norn_loop_weight(self->dominance, norn_inst(function, point)->block);
}

/* Lowest cost per register saved first; at equal cost, the one used later. */
static int
cheaper_first(const void *a, const void *b) {
  const Remat *left = a, *right = b;
  uint64_t one = left->cost * right->saves, other = right->cost * left->saves;
  if (one != other)
    return one < other ? -1 : 1;
  if (left->distance != right->distance)
    return left->distance > right->distance ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

/* --- Changing the function --- */

static void
replace_use(PressureRelief *self, uint32_t inst, uint32_t value, NornRef name) {
  NornFunction *function = self->function;
  for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++) {
    NornRef ref = norn_operand(function, inst, k);
    if (ref != norn_ref(NORN_REF_VALUE, value))
      continue;
    norn_list_push(self->arena, &self->changes, (RematChange){inst, k, ref});
    norn_set_operand(function, inst, k, name);
  }
}

static void
compute_again(PressureRelief *self, const RematPlan *plan) {
  NornFunction *function = self->function;
  uint32_t value = plan->value, point = plan->point;
  uint32_t def = norn_value(function, value)->def, last = NORN_INDEX_NONE;
  NornRef name = 0;
  for (uint32_t use = self->first_use[value]; use; use = self->uses.items[use - 1].next) {
    uint32_t inst = self->uses.items[use - 1].inst;
    uint32_t block = norn_inst(function, inst)->block;
    if (is_early(self, value, inst, point))
      continue;
    if (block != last) {
      NornBuilder builder = norn_builder_before(function, inst);
      uint32_t clone = norn_build_clone(&builder, function, def);
      norn_list_push(self->arena, &self->clones, clone);
      name = norn_result(function, clone, 0);
      last = block;
    }
    replace_use(self, inst, value, name);
  }
}

static void
undo(PressureRelief *self) {
  for (uint32_t i = self->changes.count; i--;) {
    const RematChange *change = &self->changes.items[i];
    norn_set_operand(self->function, change->inst, change->operand, change->before);
  }
  for (uint32_t i = self->clones.count; i--;)
    norn_inst_erase(self->function, self->clones.items[i]);
}

/* --- Iterations --- */

/* Initializes the walk with the block's live-in values, except those to be rematerialized. */
static NornRegisterCounts
begin_block(PressureRelief *self, uint32_t block) {
  const NornFunction *function = self->function;
  NornRegisterCounts now = {{0}};
  while (self->residents.count)
    remove_resident(self, self->residents.items[self->residents.count - 1]);
  norn_for_each_live (self->live, self->live->in[block], value)
    add_resident(self, value);
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++)
    if (!norn_bit(self->pressure->unused, norn_block_parameter(function, block, k)))
      add_resident(self, norn_block_parameter(function, block, k));
  for (uint32_t i = 0; i < self->residents.count; i++)
    if (!self->is_planned[self->residents.items[i]])
      now = norn_counts_plus(now, norn_pressure_of(self->pressure, self->residents.items[i]));
  return now;
}

/* Removes the operands that die at the instruction from the residents. Returns the remaining
 * pressure. */
static NornRegisterCounts
remove_killed(PressureRelief *self, const NornInst *inst, NornRegisterCounts now) {
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_operands(self->function, inst)[k];
    uint32_t value = norn_ref_payload(ref);
    if (norn_ref_kind(ref) != NORN_REF_VALUE || !self->resident[value] ||
        !norn_bit(self->pressure->kills, inst->operand + k))
      continue;
    remove_resident(self, value);
    if (!self->is_planned[value])
      now = norn_counts_minus(now, norn_pressure_of(self->pressure, value));
  }
  return now;
}

/* Walks the block up to an instruction or to its end. Finds the point at which the pressure exceeds
 * the limit most, with its class and excess. The values that remain resident are live across the
 * point where the walk ends. */
static Point
walk_block(PressureRelief *self, uint32_t block, uint32_t end) {
  const NornFunction *function = self->function;
  NornRegisterCounts now = begin_block(self, block);
  Point point = {.inst = NORN_INDEX_NONE};
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    NornRegisterCounts before = now, results = {{0}}, used = {{0}};
    now = remove_killed(self, inst, now);
    if (index == end)
      break;
    for (uint32_t value = inst->result; value < inst->result + inst->result_count; value++) {
      bool is_used = !norn_bit(self->pressure->unused, value);
      if (is_used)
        add_resident(self, value);
      if (self->is_planned[value])
        continue;
      NornRegisterCounts room = norn_pressure_of(self->pressure, value);
      results = norn_counts_plus(results, room);
      used = is_used ? norn_counts_plus(used, room) : used;
    }
    NornRegisterCounts needs = norn_counts_max(before, norn_counts_plus(now, results));
    for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
      if (needs.of[class] > self->limit.of[class] + point.excess)
        point = (Point){index, class, needs.of[class] - self->limit.of[class]};
    now = norn_counts_plus(now, used);
  }
  return point;
}

/* Whether the instruction uses the value. */
static bool
uses_value(const NornFunction *function, const NornInst *inst, uint32_t value) {
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (norn_operands(function, inst)[k] == norn_ref(NORN_REF_VALUE, value))
      return true;
  return false;
}

/* Whether the pressure in the block is low enough that rematerialization may help. Examining a
 * block takes time for every value that is live in it. */
static bool
is_hopeful(const PressureRelief *self, uint32_t block) {
  NornRegisterCounts max = self->limit;
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    max.of[class] *= MAX_PRESSURE;
  return !norn_counts_exceed(self->pressure->block[block], max);
}

/* Keeps the operands of a value that is rematerialized resident. */
static void
keep_operands(PressureRelief *self, const NornInst *def) {
  norn_for_each_use (self->function, def, use) {
    add_resident(self, use.value);
    self->is_needed[use.value] = true;
  }
}

/* Plans rematerialization for the point of highest pressure in the block. Returns its remaining
 * excess. */
static unsigned
relieve(PressureRelief *self, uint32_t block) {
  const NornFunction *function = self->function;
  Point point = walk_block(self, block, NORN_INDEX_NONE);
  if (point.inst == NORN_INDEX_NONE)
    return 0;
  walk_block(self, block, point.inst);
  self->candidates.count = 0;
  for (uint32_t i = 0; i < self->residents.count; i++) {
    uint32_t value = self->residents.items[i];
    Remat remat;
    if (norn_pressure_class(self->pressure, value) == point.class &&
        !uses_value(function, norn_inst(function, point.inst), value) &&
        weigh(self, value, point.inst, &remat))
      norn_list_push(self->arena, &self->candidates, remat);
  }
  if (self->candidates.count)
    qsort(self->candidates.items, self->candidates.count, sizeof *self->candidates.items,
          cheaper_first);
  for (uint32_t i = 0; i < self->candidates.count && point.excess; i++) {
    uint32_t value = self->candidates.items[i].value;
    Remat remat;
    if (!weigh(self, value, point.inst, &remat))
      continue;
    keep_operands(self, arithmetic_of(self, value));
    self->is_planned[value] = true;
    point.excess -= MIN(point.excess, remat.saves);
    self->cost += remat.cost;
    norn_list_push(self->arena, &self->plans, (RematPlan){value, point.inst});
  }
  return point.excess;
}

/* The total number of registers needed beyond the limit in all blocks. */
static uint64_t
count_excess(const PressureRelief *self) {
  uint64_t excess = 0;
  norn_for_each_block (self->function, block)
    for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
      excess += norn_counts_beyond(self->pressure->block[block], self->limit).of[class];
  return excess;
}

/* Relieves each block that exceeds the limit, once. Returns false if nothing could be done. *fits:
 * whether the pressure was already within the limit. */
static bool
run_iteration(PressureRelief *self, bool is_all_or_nothing, bool *fits) {
  NornFunction *function = self->function;
  self->pressure = norn_pass_pressure(self->context, function, &self->live);
  *fits = !norn_counts_exceed(self->pressure->max, self->limit);
  uint64_t excess = count_excess(self), before = self->excess;
  if (*fits || excess > before - before / MIN_RELIEF)
    return false;
  self->excess = excess;
  find_uses(self);
  self->resident = NORN_NEW0(self->arena, uint32_t, function->value_count);
  self->is_planned = NORN_NEW0(self->arena, bool, function->value_count);
  self->is_needed = NORN_NEW0(self->arena, bool, function->value_count);
  self->residents.count = self->plans.count = 0;
  uint32_t blocks = self->dominance->order_count;
  for (uint32_t i = 0; i < blocks && norn_pass_continues(self->context, 1); i++) {
    uint32_t block = self->dominance->order[i];
    if (!norn_counts_exceed(self->pressure->block[block], self->limit))
      continue;
    bool is_relieved = is_hopeful(self, block) && !relieve(self, block);
    if (!is_relieved && is_all_or_nothing)
      return false;
  }
  for (uint32_t i = 0; i < self->plans.count; i++)
    compute_again(self, &self->plans.items[i]);
  if (self->plans.count)
    norn_pass_values_changed(self->context);
  return self->plans.count;
}

/* The number of the program's instructions, weighted by loop depth. */
static uint64_t
weight_of(const PressureRelief *self) {
  const NornFunction *function = self->function;
  uint64_t weight = 0;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      weight += norn_loop_weight(self->dominance, block);
  return weight;
}

/* Reduces the register pressure to the limit as far as possible or, if `is_all_or_nothing`, to the
 * limit or not at all. Returns whether anything changed. */
static bool
rematerialize(NornPassContext *context, NornFunction *function, NornRegisterCounts limit,
              bool is_all_or_nothing) {
  PressureRelief self = {.context = context,
                         .arena = &context->arena,
                         .function = function,
                         .dominance = norn_pass_dominance(context, function),
                         .limit = limit,
                         .excess = UINT64_MAX};
  uint64_t max_cost = is_all_or_nothing ? weight_of(&self) / OCCUPANCY_PART : UINT64_MAX;
  bool fits = false;
  uint32_t iterations = CLAMP(MAX_WORK / (function->inst_count + 1), 2, MAX_ITERATIONS);
  for (uint32_t i = 0; i < iterations && self.cost <= max_cost; i++)
    if (!norn_pass_continues(context, function->inst_count) ||
        !run_iteration(&self, is_all_or_nothing, &fits))
      break;
  if (is_all_or_nothing && (!fits || self.cost > max_cost)) {
    undo(&self);
    norn_pass_values_changed(context);
    self.clones.count = 0;
  }
  return self.clones.count;
}

bool
norn_pass_rematerialize(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornRegisterModel *model = &context->target->registers;
  NornRegisterSet file = norn_register_file(context);
  const NornOccupancy *occupancy = context->target->occupancies;
  bool changed = false;
  const NornLiveness *live;
  for (; occupancy->threads && !changed; occupancy++) {
    NornRegisterCounts limit =
        norn_regs_by_class(model, norn_regs_common(file, occupancy->registers));
    const NornPressure *pressure = norn_pass_pressure(context, function, &live);
    if (!norn_counts_exceed(pressure->max, limit))
      break;
    changed = rematerialize(context, function, limit, occupancy[1].threads);
  }
  norn_pass_report(context, changed);
  return true;
}
