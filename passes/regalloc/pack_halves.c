/* Packs two values into one register where registers are scarce, which is cheaper than keeping them
 * in memory.
 *
 * Only the lower half of each of the two values matters, as is so for values of 16 bits and of 8
 * bits. Where an instruction needs more registers than there are, values that are live across it
 * are packed right before it or, if it is in a loop that they live through, after the later one is
 * defined. Later users read that register: the lower half as it is, since what is in the rest of
 * the register does not matter, and the upper half by a modifier of their own or, where they have
 * none, from an instruction in their block that moves it down. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "passes/regalloc/needed_halves.h"
#include "passes/regalloc/pressure_walk.h"
#include <stdlib.h>

enum {
  MAX_ITERATIONS = 8,
  MAX_TRIES = 16,    /* partners for a value */
  MAX_FAILURES = 8,  /* instructions of a block at which too little can be packed */
  MAX_REFUSALS = 16, /* instructions at which a value gets no partner */
  /* Users of values that are visited in an iteration: for each instruction, and in addition */
  MAX_VISITS = 64,
  MIN_VISITS = 1 << 16,
  MOVE_VISITS = 8, /* as many as finding out whether a user needs a move */
  NEAR = 8,        /* instructions */
};

/* A value that is live across an instruction. */
typedef struct Half {
  uint32_t value;
  uint32_t age;  /* of its definition in the same block, in instructions; UINT32_MAX: in another */
  bool is_near;  /* it is used soon */
  uint64_t cost; /* instructions to move it down from an upper half, weighted by loop depth */
} Half;

/* Two values that get one register. */
typedef struct HalfPair {
  uint32_t low, high;
  uint32_t before; /* the instruction before which it is built */
} HalfPair;

typedef struct HalfPacker {
  NornPassContext *context;
  NornArena *arena;
  NornFunction *function;
  const NornDominance *dominance;
  NornPressureWalk walk;
  uint32_t original;      /* values from here on are the pass's own */
  const uint8_t *needed;  /* by value: see norn_needed_halves */
  uint8_t *refusals;      /* by value: see MAX_REFUSALS */
  NORN_LIST(Half) halves; /* live across the current instruction */
  NORN_LIST(HalfPair) pairs;
  NornReplacements replacements; /* pairs that were built again, at an earlier place */
  NornIndexList obsolete;        /* the instructions that built them */
  uint64_t cost;                 /* of the pairs: instructions, weighted by loop depth */
  uint64_t visits_left;          /* see MAX_VISITS */
} HalfPacker;

/* Counts visits of users. */
static void
visit(HalfPacker *self, uint64_t visits) {
  self->visits_left -= MIN(self->visits_left, visits);
}

/* --- What to pack --- */

static bool
is_half(const HalfPacker *self, uint32_t value) {
  NornType type = norn_value(self->function, value)->type;
  return value < self->original && self->needed[value] == NORN_LOWER_HALF &&
         norn_type_words(type) == 1;
}

/* Whether there are two values that could be packed. */
static bool
has_halves(const HalfPacker *self) {
  unsigned count = 0;
  for (uint32_t value = 0; value < self->original && count < 2; value++)
    count += is_half(self, value);
  return count == 2;
}

static uint32_t
block_of(const HalfPacker *self, uint32_t inst) {
  return norn_inst(self->function, inst)->block;
}

/* The later one of two instructions of a block. */
static uint32_t
later(const HalfPacker *self, uint32_t a, uint32_t b) {
  return self->walk.position[a] > self->walk.position[b] ? a : b;
}

/* Whether the user comes after the pair is built, on all paths. */
static bool
is_behind(const HalfPacker *self, const HalfPair *pair, uint32_t user) {
  uint32_t block = block_of(self, user), home = block_of(self, pair->before);
  return block == home ? self->walk.position[user] >= self->walk.position[pair->before]
                       : norn_dominates(self->dominance, home, block);
}

/* Whether the user would need an instruction that moves the value down. */
static bool
needs_move(const HalfPacker *self, uint32_t value, uint32_t user) {
  const NornTarget *target = self->context->target;
  NornInst *inst = norn_inst(self->function, user);
  uint64_t payload = inst->payload;
  bool is_readable = norn_is_machine(inst);
  for (unsigned k = 0; k < inst->operand_count && is_readable; k++)
    if (norn_operand(self->function, user, k) == norn_ref(NORN_REF_VALUE, value))
      is_readable = target->read_upper(target, self->function, user, k);
  inst->payload = payload;
  return !is_readable;
}

/* Describes a value that is live across the point and not read there. */
static Half
describe(const HalfPacker *self, uint32_t value, uint32_t point) {
  const NornFunction *function = self->function;
  const uint32_t *position = self->walk.position;
  const NornValue *definition = norn_value(function, value);
  uint32_t last = NORN_INDEX_NONE, home = block_of(self, point);
  Half half = {.value = value, .age = UINT32_MAX};
  if (!definition->is_parameter && norn_defining_block(function, value) == home)
    half.age = position[point] - position[definition->def];
  norn_for_each_user (&self->walk, value, user) {
    uint32_t block = block_of(self, user);
    if (norn_user_is_early(&self->walk, value, user, point))
      continue;
    half.is_near |= block == home && position[user] > position[point] &&
                    position[user] - position[point] < NEAR;
    if (block != last && needs_move(self, value, user)) {
      half.cost += norn_loop_weight(self->dominance, block);
      last = block;
    }
  }
  return half;
}

/* Not those that are used soon, since that would not help for long; then the oldest, since the
 * results of messages may not have arrived. */
static int
compare_halves(const void *a, const void *b) {
  const Half *left = a, *right = b;
  if (left->is_near != right->is_near)
    return left->is_near ? 1 : -1;
  if (left->age != right->age)
    return left->age > right->age ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

/* Whether a pair at that place spares the value's register from there on. Users that would come
 * before the place must not follow it. */
static bool
spares(const HalfPacker *self, const HalfPair *pair, uint32_t value) {
  uint32_t home = norn_defining_block(self->function, value);
  uint32_t place = block_of(self, pair->before);
  if (norn_is_in_other_loop(self->dominance, place, home))
    return false; /* it would be needed in the next iteration */
  norn_for_each_user (&self->walk, value, user) {
    if (!is_behind(self, pair, user) &&
        !norn_dominates(self->dominance, block_of(self, user), place))
      return false;
  }
  return true;
}

/* The earliest place for the pair: after both definitions, after the users in the block of the
 * later one, except for its terminator, and after preloads and the loop_entry mark. */
static uint32_t
earliest_place(const HalfPacker *self, const HalfPair *pair) {
  const NornFunction *function = self->function;
  const uint32_t values[] = {pair->low, pair->high};
  uint32_t homes[] = {norn_defining_block(function, pair->low),
                      norn_defining_block(function, pair->high)};
  uint32_t home = homes[norn_dominates(self->dominance, homes[0], homes[1])];
  uint32_t place = norn_block(function, home)->first;
  uint32_t last = norn_block_terminator(function, home);
  for (unsigned k = 0; k < 2; k++) {
    const NornValue *definition = norn_value(function, values[k]);
    if (homes[k] == home && !definition->is_parameter)
      place = later(self, place, norn_inst(function, definition->def)->next);
    norn_for_each_user (&self->walk, values[k], user)
      if (block_of(self, user) == home && user != last)
        place = later(self, place, norn_inst(function, user)->next);
  }
  while (norn_inst(function, place)->op == NORN_OP_PRELOAD ||
         norn_inst(function, place)->op == NORN_OP_LOOP_ENTRY)
    place = norn_inst(function, place)->next;
  return place;
}

/* Finds a place for the pair: the point, or else the earliest one. */
static bool
find_place(const HalfPacker *self, uint32_t point, HalfPair *pair) {
  pair->before = point;
  if (spares(self, pair, pair->low) && spares(self, pair, pair->high))
    return true;
  if (norn_defining_block(self->function, pair->low) == block_of(self, point) ||
      norn_defining_block(self->function, pair->high) == block_of(self, point))
    return false;
  pair->before = earliest_place(self, pair);
  return spares(self, pair, pair->low) && spares(self, pair, pair->high);
}

/* Collects the values that may be packed at the point. */
static void
find_halves(HalfPacker *self, uint32_t point, unsigned class) {
  self->halves.count = 0;
  for (uint32_t i = 0; i < self->walk.residents.count && self->visits_left; i++) {
    uint32_t value = self->walk.residents.items[i];
    if (!is_half(self, value) || self->walk.sharing[value] != NORN_OWN_REGISTER ||
        self->refusals[value] == MAX_REFUSALS ||
        norn_pressure_class(self->walk.pressure, value) != class ||
        norn_user_uses(self->function, point, value))
      continue;
    norn_list_push(self->arena, &self->halves, describe(self, value, point));
    visit(self, (uint64_t)self->walk.users[value] * MOVE_VISITS + 1);
  }
  if (self->halves.count)
    qsort(self->halves.items, self->halves.count, sizeof *self->halves.items, compare_halves);
}

/* Finds a partner for half number `first`; the one that is cheaper to move is the upper half. */
static bool
pair_up(HalfPacker *self, uint32_t first, uint32_t point) {
  const Half *one = &self->halves.items[first];
  uint32_t end = MIN(first + 1 + MAX_TRIES, self->halves.count);
  for (uint32_t i = first + 1; i < end && self->visits_left; i++) {
    const Half *other = &self->halves.items[i];
    bool is_cheaper = one->cost < other->cost;
    HalfPair pair = {.low = is_cheaper ? other->value : one->value,
                     .high = is_cheaper ? one->value : other->value};
    if (self->walk.sharing[other->value] != NORN_OWN_REGISTER)
      continue;
    visit(self, (uint64_t)self->walk.users[pair.low] + self->walk.users[pair.high] + 1);
    if (!find_place(self, point, &pair))
      continue;
    uint32_t number = NORN_FIRST_SHARED + self->pairs.count;
    norn_list_push(self->arena, &self->pairs, pair);
    self->cost += norn_loop_weight(self->dominance, block_of(self, pair.before)) +
                  MIN(one->cost, other->cost);
    norn_pressure_walk_share(&self->walk, pair.low, number);
    norn_pressure_walk_share(&self->walk, pair.high, number);
    return true;
  }
  self->refusals[one->value]++;
  return false;
}

/* Plans pairs until the needs of the instruction are within the limit. Returns whether they are. */
static bool
relieve_point(HalfPacker *self, uint32_t point) {
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++) {
    unsigned limit = self->walk.limit.of[class];
    if (norn_pressure_walk_needs(&self->walk, point).of[class] <= limit)
      continue;
    find_halves(self, point, class);
    for (uint32_t i = 0; i < self->halves.count; i++) {
      if (norn_pressure_walk_needs(&self->walk, point).of[class] <= limit)
        break;
      if (self->walk.sharing[self->halves.items[i].value] == NORN_OWN_REGISTER)
        pair_up(self, i, point);
    }
  }
  return !norn_counts_exceed(norn_pressure_walk_needs(&self->walk, point), self->walk.limit);
}

/* Plans pairs for the instructions of the block whose needs exceed the limit. Returns whether the
 * needs of all of them are then within it. */
static bool
relieve_block(HalfPacker *self, uint32_t block) {
  unsigned failures = 0;
  norn_pressure_walk_start(&self->walk, block);
  norn_for_each_inst (self->function, block, inst) {
    norn_pressure_walk_to(&self->walk, inst);
    if (norn_inst(self->function, inst)->op != NORN_OP_LOOP_ENTRY && failures < MAX_FAILURES &&
        self->visits_left)
      failures += !relieve_point(self, inst);
    norn_pressure_walk_past(&self->walk, inst);
  }
  return !failures && self->visits_left;
}

/* --- Changing the function --- */

static void
replace(HalfPacker *self, uint32_t user, uint32_t value, NornRef name) {
  NornFunction *function = self->function;
  for (unsigned k = 0; k < norn_inst(function, user)->operand_count; k++)
    if (norn_operand(function, user, k) == norn_ref(NORN_REF_VALUE, value))
      norn_set_operand(function, user, k, name);
}

/* Lets the user read the upper half where it can. Returns whether it still reads the value. */
static bool
read_upper(HalfPacker *self, const HalfPair *pair, uint32_t user, NornRef halves) {
  const NornTarget *target = self->context->target;
  NornFunction *function = self->function;
  bool is_left = false;
  for (unsigned k = 0; k < norn_inst(function, user)->operand_count; k++) {
    if (norn_operand(function, user, k) != norn_ref(NORN_REF_VALUE, pair->high))
      continue;
    if (norn_is_machine(norn_inst(function, user)) && target->read_upper(target, function, user, k))
      norn_set_operand(function, user, k, halves);
    else
      is_left = true;
  }
  return is_left;
}

static void
read_high(HalfPacker *self, const HalfPair *pair, NornRef halves) {
  const NornTarget *target = self->context->target;
  NornFunction *function = self->function;
  NornType type = norn_value(function, pair->high)->type;
  uint32_t last = NORN_INDEX_NONE;
  NornRef name = 0;
  norn_for_each_user (&self->walk, pair->high, user) {
    if (!is_behind(self, pair, user) || !read_upper(self, pair, user, halves))
      continue;
    if (norn_inst(function, user)->block != last) {
      NornBuilder builder = norn_builder_before(function, user);
      name = target->build_upper(target, &builder, type, halves);
      last = norn_inst(function, user)->block;
    }
    replace(self, user, pair->high, name);
  }
}

/* Finds the instruction behind the pair's place that builds the same pair since an earlier
 * iteration, or NORN_INDEX_NONE. */
static uint32_t
find_same_pair(const HalfPacker *self, const HalfPair *pair) {
  const NornFunction *function = self->function;
  norn_for_each_user (&self->walk, pair->low, user) {
    const NornInst *inst = norn_inst(function, user);
    if (inst->result_count == 1 && inst->result >= self->original && inst->operand_count == 2 &&
        norn_operand(function, user, 0) == norn_ref(NORN_REF_VALUE, pair->low) &&
        norn_operand(function, user, 1) == norn_ref(NORN_REF_VALUE, pair->high) &&
        is_behind(self, pair, user))
      return user;
  }
  return NORN_INDEX_NONE;
}

static void
build(HalfPacker *self, const HalfPair *pair) {
  const NornTarget *target = self->context->target;
  NornFunction *function = self->function;
  NornBuilder builder = norn_builder_before(function, pair->before);
  NornType type = norn_value(function, pair->low)->type;
  NornRef halves = target->build_halves(target, &builder, type, norn_ref(NORN_REF_VALUE, pair->low),
                                        norn_ref(NORN_REF_VALUE, pair->high));
  uint32_t same = find_same_pair(self, pair);
  if (same != NORN_INDEX_NONE) {
    norn_replacements_set(&self->replacements, norn_inst(function, same)->result, halves);
    norn_list_push(self->arena, &self->obsolete, same);
  }
  norn_for_each_user (&self->walk, pair->low, user)
    if (is_behind(self, pair, user))
      replace(self, user, pair->low, halves);
  read_high(self, pair, halves);
}

/* Relieves each block that exceeds the limit, once. With a limited cost, nothing is packed if that
 * does not reach the limit. Returns whether anything was packed. */
static bool
run_iteration(HalfPacker *self, uint64_t max_cost) {
  self->walk.pressure = norn_pass_pressure(self->context, self->function, &self->walk.live);
  norn_pressure_walk_begin(&self->walk);
  self->pairs.count = 0;
  self->cost = 0;
  self->refusals = NORN_NEW0(self->arena, uint8_t, self->function->value_count);
  self->visits_left = (uint64_t)self->function->inst_count * MAX_VISITS + MIN_VISITS;
  uint64_t visits_left = self->visits_left;
  for (uint32_t i = 0; i < self->dominance->order_count; i++) {
    uint32_t block = self->dominance->order[i];
    if (!norn_pass_continues(self->context, 1 + visits_left - self->visits_left))
      break;
    visits_left = self->visits_left;
    if (!norn_counts_exceed(self->walk.pressure->block[block], self->walk.limit))
      continue;
    bool is_relieved = norn_pressure_is_hopeful(&self->walk, block) && relieve_block(self, block);
    if (max_cost != NORN_ANY_COST && (!is_relieved || self->cost > max_cost))
      return false;
  }
  for (uint32_t i = 0; i < self->pairs.count; i++)
    build(self, &self->pairs.items[i]);
  norn_replacements_apply(&self->replacements, self->function);
  while (self->obsolete.count)
    norn_inst_erase(self->function, self->obsolete.items[--self->obsolete.count]);
  if (self->pairs.count)
    norn_pass_values_changed(self->context);
  return self->pairs.count;
}

/* Whether the pressure would exceed the limit even if all values shared their registers. */
static bool
is_hopeless(NornPassContext *context, const NornFunction *function, NornRegisterCounts limit) {
  const NornLiveness *live;
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    limit.of[class] *= 2;
  return norn_counts_exceed(norn_pass_pressure(context, function, &live)->max, limit);
}

static bool
pack(NornPassContext *context, NornFunction *function, NornRegisterCounts limit,
     uint64_t max_cost) {
  bool is_limited = max_cost != NORN_ANY_COST;
  if (is_limited && is_hopeless(context, function, limit))
    return false;
  HalfPacker self = {
      .context = context,
      .arena = &context->arena,
      .function = function,
      .dominance = norn_pass_dominance(context, function),
      .walk = {.arena = &context->arena, .function = function, .limit = limit},
      .original = function->value_count,
      .needed = norn_needed_halves(context, function),
      .replacements = {.arena = &context->arena},
  };
  if (!has_halves(&self))
    return false;
  unsigned left = is_limited ? 1 : norn_pressure_iterations(function, MAX_ITERATIONS);
  while (left && norn_pass_continues(context, function->inst_count) &&
         run_iteration(&self, max_cost))
    left--;
  return function->value_count > self.original;
}

bool
norn_pass_pack_halves(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  norn_pass_report(context,
                   context->target->halves_read && norn_relieve_pressure(context, function, pack));
  return true;
}
