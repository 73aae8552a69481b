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
#include "passes/regalloc/pressure_walk.h"
#include <stdlib.h>

enum {
  MAX_ITERATIONS = 16,
  MIN_RELIEF = 16, /* the last iteration saves less than 1 / MIN_RELIEF of the excess */
  MAX_COST = 4,    /* instructions per register saved */
};

/* A value that could be rematerialized. */
typedef struct Remat {
  uint32_t value;
  uint64_t cost; /* instructions, weighted by loop depth */
  unsigned saves;
  uint32_t distance; /* from the point to its next use in the same block */
} Remat;

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
  NornPressureWalk walk;
  bool *is_needed; /* by value: another value is rematerialized from it */
  NORN_LIST(Remat) candidates;
  NORN_LIST(RematPlan) plans; /* of the iteration */
  NORN_LIST(RematChange) changes;
  NornIndexList clones;
  uint64_t cost;
  uint64_t excess; /* before the last iteration, see norn_pressure_excess */
} PressureRelief;

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

/* Whether the operand would live longer for some use of the value after the point. */
static bool
lives_longer(const PressureRelief *self, uint32_t operand, uint32_t value, uint32_t point) {
  norn_for_each_user (&self->walk, value, inst) {
    if (!norn_user_is_early(&self->walk, value, inst, point) &&
        !norn_live_out(self->walk.live, norn_inst(self->function, inst)->block, operand))
      return true;
  }
  return false;
}

/* Whether the value is rematerialized in this iteration. */
static bool
is_planned(const PressureRelief *self, uint32_t value) {
  return self->walk.sharing[value] == NORN_WITHOUT_REGISTER;
}

/* Counts the registers of the value's operands that are not live at the point, and of those that
 * would live longer; false if they cannot be compared with the value. */
static bool
weigh_operands(const PressureRelief *self, const NornInst *def, uint32_t point, unsigned *missing,
               unsigned *longer) {
  const NornFunction *function = self->function;
  unsigned class = norn_pressure_class(self->walk.pressure, def->result);
  *missing = *longer = 0;
  norn_for_each_use (function, def, use) {
    uint32_t value = use.value;
    if (norn_pressure_class(self->walk.pressure, value) != class || is_planned(self, value))
      return false;
    unsigned room = norn_pressure_of(self->walk.pressure, value).of[class];
    *missing += self->walk.resident[value] ? 0 : room;
    *longer += lives_longer(self, value, def->result, point) ? room : 0;
  }
  return true;
}

/* Sums the cost of rematerializing the value after the point, as far as it is at most `max`. */
static bool
sum_cost(const PressureRelief *self, uint32_t point, uint64_t max, Remat *remat) {
  const NornFunction *function = self->function;
  uint32_t last = NORN_INDEX_NONE;
  norn_for_each_user (&self->walk, remat->value, inst) {
    uint32_t block = norn_inst(function, inst)->block;
    if (norn_user_is_early(&self->walk, remat->value, inst, point) || block == last)
      continue;
    remat->cost += norn_loop_weight(self->dominance, block);
    if (remat->cost > max)
      return false;
    if (block == norn_inst(function, point)->block &&
        self->walk.position[inst] > self->walk.position[point])
      remat->distance = self->walk.position[inst] - self->walk.position[point];
    last = block;
  }
  return true;
}

/* Whether rematerializing the value, which is live across the point, saves registers there. Values
 * that have users in many blocks cost too much; finding that out takes only some of them. */
static bool
weigh(const PressureRelief *self, uint32_t value, uint32_t point, Remat *remat) {
  const NornInst *def = arithmetic_of(self, value);
  unsigned missing, longer;
  if (!def || is_planned(self, value) || self->is_needed[value])
    return false;
  unsigned room = norn_pressure_of(self->walk.pressure, value)
                      .of[norn_pressure_class(self->walk.pressure, value)];
  uint64_t max =
      MAX_COST * norn_loop_weight(self->dominance, norn_inst(self->function, point)->block);
  *remat = (Remat){.value = value, .distance = UINT32_MAX};
  if (!sum_cost(self, point, max * room, remat) ||
      !weigh_operands(self, def, point, &missing, &longer) || missing >= room || longer > room)
    return false;
  remat->saves = room - missing;
  return remat->cost <= max * remat->saves;
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
  norn_for_each_user (&self->walk, value, inst) {
    uint32_t block = norn_inst(function, inst)->block;
    if (norn_user_is_early(&self->walk, value, inst, point))
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

/* Keeps the operands of a value that is rematerialized resident. */
static void
keep_operands(PressureRelief *self, const NornInst *def) {
  norn_for_each_use (self->function, def, use) {
    norn_pressure_walk_add(&self->walk, use.value);
    self->is_needed[use.value] = true;
  }
}

/* Plans rematerialization for the point of highest pressure in the block. Returns its remaining
 * excess. */
static unsigned
relieve(PressureRelief *self, uint32_t block) {
  const NornFunction *function = self->function;
  NornPressurePoint point = norn_pressure_walk_to_peak(&self->walk, block);
  if (point.inst == NORN_INDEX_NONE)
    return 0;
  self->candidates.count = 0;
  for (uint32_t i = 0; i < self->walk.residents.count; i++) {
    uint32_t value = self->walk.residents.items[i];
    Remat remat;
    if (norn_pressure_class(self->walk.pressure, value) == point.class &&
        !norn_user_uses(function, point.inst, value) && weigh(self, value, point.inst, &remat))
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
    norn_pressure_walk_share(&self->walk, value, NORN_WITHOUT_REGISTER);
    point.excess -= MIN(point.excess, remat.saves);
    self->cost += remat.cost;
    norn_list_push(self->arena, &self->plans, (RematPlan){value, point.inst});
  }
  return point.excess;
}

/* Relieves each block that exceeds the limit, once. Returns false if nothing could be done. *fits:
 * whether the pressure was already within the limit. */
static bool
run_iteration(PressureRelief *self, bool is_all_or_nothing, bool *fits) {
  NornFunction *function = self->function;
  self->walk.pressure = norn_pass_pressure(self->context, function, &self->walk.live);
  *fits = !norn_counts_exceed(self->walk.pressure->max, self->walk.limit);
  uint64_t excess = norn_pressure_excess(&self->walk), before = self->excess;
  if (*fits || excess > before - before / MIN_RELIEF)
    return false;
  self->excess = excess;
  norn_pressure_walk_begin(&self->walk);
  self->is_needed = NORN_NEW0(self->arena, bool, function->value_count);
  self->plans.count = 0;
  uint32_t blocks = self->dominance->order_count;
  for (uint32_t i = 0; i < blocks && norn_pass_continues(self->context, 1); i++) {
    uint32_t block = self->dominance->order[i];
    if (!norn_counts_exceed(self->walk.pressure->block[block], self->walk.limit))
      continue;
    bool is_relieved = norn_pressure_is_hopeful(&self->walk, block) && !relieve(self, block);
    if (!is_relieved && is_all_or_nothing)
      return false;
  }
  for (uint32_t i = 0; i < self->plans.count; i++)
    compute_again(self, &self->plans.items[i]);
  if (self->plans.count)
    norn_pass_values_changed(self->context);
  return self->plans.count;
}

/* Reduces the register pressure to the limit as far as possible or, if the cost is limited, to the
 * limit or not at all. */
static bool
rematerialize(NornPassContext *context, NornFunction *function, NornRegisterCounts limit,
              uint64_t max_cost) {
  PressureRelief self = {.context = context,
                         .arena = &context->arena,
                         .function = function,
                         .dominance = norn_pass_dominance(context, function),
                         .walk = {.arena = &context->arena, .function = function, .limit = limit},
                         .excess = UINT64_MAX};
  bool is_all_or_nothing = max_cost != NORN_ANY_COST, fits = false;
  uint32_t iterations = norn_pressure_iterations(function, MAX_ITERATIONS);
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
  norn_pass_report(context, norn_relieve_pressure(context, function, rematerialize));
  return true;
}
